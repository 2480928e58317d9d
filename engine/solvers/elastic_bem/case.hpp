// SPDX-License-Identifier: BSD-3-Clause
// What reads a case into a Problem, section by section, and what looks at the surface that was made of it. Each says what is wrong,
// with its place.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/case/case_reader.hpp"
#include "engine/solvers/elastic_bem/problem.hpp"

namespace conoid::elastic_bem {

/// A ground made by the program, and the same without trenches where there are some.
[[nodiscard]] Result<std::pair<Mesh, std::optional<Mesh>>> make_ground(const Values& ground, const Problem& problem,
                                                                       const Values& output);

struct ProblemReader : CaseReader {
  ProblemReader(const Case& input_, std::vector<Diagnostic>& out_, Problem& p_) : CaseReader(input_, out_), p(p_) {}

  Problem& p;
  std::map<std::string, int> condition_of;  ///< of a group
  std::map<std::string, int> sides;         ///< regions that name a group as an interface

  /// At the section that the surface comes from.
  void fail_at_mesh(Diagnostic what);
  const MeshGroup* group(const Values& at, const std::string& name);
  int condition(const Values& at, const std::string& name);
  [[nodiscard]] Medium medium(const Values& at);
  /// Further regions and their interfaces, which carry no condition.
  void regions();
  /// Layers whose answer is known without a mesh.
  void profile();
  void frequencies();
  void boundaries();
  void foundations();
  /// What bends of a foundation: section, moduli, axis.
  void beam(const Values& foundation, Foundation& f);
  /// Moments and products that a body has.
  void inertia(const Values& v, Foundation& f);
  void loads();
  void observers();
  void signal();
  /// A stiffness on the foundations, from a table.
  void structure();
  /// Cells that run against their neighbours are turned round, of open surfaces too.
  void turn();

  // Of the surface, once it is made.
  /// Forces in the medium: within it, and away from the surface by an element, as their field is taken at its nodes.
  void points_of_force();
  /// A force too close to an element, or where a receiver is. `instead`: what may be done about elements besides.
  void room_for_force(const Values& at, const Vec3& force, const char* instead);
  /// How much the ground beyond the rim, which is not there for forces within it, may take from the motion.
  void far_of_force(const Values& at, const Vec3& force);
  /// How much the ground beyond the rim may take from the stiffness of foundations within it.
  void far_of_foundations();
  void resolution();
  /// Observers above the ground, in a hollow, or on the surface where it is not known.
  void places_of_observers();
  /// A receiver on an element whose stress is not known.
  void slopes_for_stress(const Values& at, const std::string& name, const Element& element);
  /// A receiver in the medium so close to the surface that its stress is not known.
  void room_for_stress(const Values& at, const std::string& name, const Vec3& x);
  /// Points of a line or a plane: some may lie in hollows, where nothing moves; `unknown`: why the surface beside the mesh is not
  /// known, empty where it is.
  void many_places(const Values& at, const std::string& name, const std::vector<Vec3>& points,
                   const std::string& unknown);
  /// Bodies that nothing holds, at rest or near it.
  void free_bodies();
  void machine_is_resisted(const Values& v, const Load& load);
  /// Incident waves that cannot come into this medium.
  void waves();
  /// A wave that layers do not carry at one of the frequencies.
  void wave_in_layers(const Values& at, const Load& load);
  /// On layered ground without a mesh: what is not at its surface, or not known there.
  void on_profile();
};

}  // namespace conoid::elastic_bem

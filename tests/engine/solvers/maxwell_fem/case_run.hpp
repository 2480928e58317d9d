// SPDX-License-Identifier: BSD-3-Clause
// Cases that the solver computes without a session: spheres, and bodies of every kind with their meshes.
#pragma once

#include <QString>
#include <QtGlobal>

#include <cmath>
#include <memory>
#include <utility>

#include "engine/mesh/generators.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/memory_checkpoint.hpp"
#include "tests/engine/solvers/resolved_case.hpp"

namespace conoid::maxwell_fem::test {

inline Json sphere_case() {
  return read_json(R"({
    "solver": "maxwell-fem",
    "sphere": {"radius": "50 mm", "divisions": 2},
    "excitation": {"frequency": "1 GHz", "theta": "180 deg", "polarisation": "V"},
    "output": {"exact": "sphere", "planes": [{"low": [-0.12, 0, -0.12], "high": [0.12, 0, 0.12], "points": [9, 9]}]}
  })");
}

inline Case resolved(const Json& json) {
  return conoid::test::resolved_case(solver_info(), json);
}

struct Run {
  Case input;
  Offer offer = make_offer(input).value();
  std::shared_ptr<const Mesh> mesh;
  Team team{{{"cpu", 2, 1}}};
  std::unique_ptr<Communicator> cluster = single_rank();
  MemoryResults results;
  NoProgress progress;
  RunContext context{input, mesh, team, offer, *cluster, results, progress, {}};
  MaxwellFem solver;
  Status finished;

  /// `checked`: as a session goes, checked and estimated first; `before`: after the same of that case, of which this is an edit.
  explicit Run(const Json& json, std::shared_ptr<const Mesh> m = nullptr, bool checked = false, const Json& before = {})
      : input(resolved(json)), mesh(std::move(m)) {
    if (!before.is_null()) {
      const Case last = resolved(before);
      if (has_errors(solver.check(last, mesh.get(), offer))) qFatal("the case before has errors");
      if (!solver.estimate(last, mesh.get(), offer).ok()) qFatal("the case before has no estimate");
    }
    if (checked && has_errors(solver.check(input, mesh.get(), offer))) qFatal("the case has errors");
    if (checked && !solver.estimate(input, mesh.get(), offer).ok()) qFatal("the case has no estimate");
    const Status s = solver.prepare(context);
    if (!s) qFatal("%s", s.error().render().c_str());
  }
  Index steps = 0;
  /// True when it came to its end.
  bool go(Index calls = 1 << 30) {
    for (Index k = 1;; ++k) {
      const auto a = solver.advance(context);
      if (!a.ok()) qFatal("%s", a.error().render().c_str());
      steps = a->step;
      if (a->finished) return finished = solver.finish(context), true;
      if (k == calls) return false;
    }
  }
  [[nodiscard]] double number(const char* name) const {
    for (const auto& n : results.numbers)
      if (n.name == name) return n.value;
    return std::nan("");
  }
};

inline QString first_error(const Json& json, const Mesh* mesh = nullptr) {
  for (const Diagnostic& d : MaxwellFem().check(resolved(json), mesh, make_offer(resolved(json)).value()))
    if (d.severity == Severity::error) return QString::fromStdString(d.render());
  return {};
}

inline Json mesh_case(const char* boundaries = "{}") {
  Json out = read_json(
      R"({"solver": "maxwell-fem", "mesh": {"file": "body.msh", "unit": "m"}, "excitation": {"frequency": "1 GHz"}})");
  out["boundaries"] = read_json(boundaries);
  return out;
}

inline Mesh shells(bool hollow = true) {
  return *spherical_shells(
      {.radius = 0.05, .hollow = hollow, .divisions = 2, .shells = {{0.08, 2, "vacuum"}}, .curved = false});
}

/// A small case of this kind with its mesh; null where it takes gmsh and there is none.
inline std::pair<Json, std::shared_ptr<const Mesh>> case_of_kind(const QString& kind) {
  Json json = kind == "sphere" ? sphere_case() : mesh_case();
  json["excitation"]["frequency"] = "0.5 GHz";
  std::shared_ptr<const Mesh> mesh;
  if (kind == "volume") {
    mesh = std::make_shared<const Mesh>(shells());
    json["boundaries"] = read_json(R"({"outer": {"kind": "outer"}, "body": {"kind": "pec"}})");
  } else if (kind == "graded volume") {
    // Every edge of an icosahedron that is a conductor.
    mesh = std::make_shared<const Mesh>(*spherical_shells(
        {.radius = 0.05, .hollow = true, .divisions = 1, .shells = {{0.09, 3, "vacuum"}}, .curved = false}));
    json["boundaries"] = read_json(R"({"outer": {"kind": "outer"}, "body": {"kind": "pec"}})");
    json["parameters"] = read_json(R"({"edge_angle": 3.5, "edge_layers": 1})");
  } else if (kind != "sphere") {
    if (!find_gmsh().ok()) return {};
    const Mesh ball = shells(false);
    mesh = kind == "surface" ? std::make_shared<const Mesh>(*icosphere({.radius = 0.05, .divisions = 2}))
                             : std::make_shared<const Mesh>(ball.extract(ball.group("core")->cells));
  }
  return {json, mesh};
}

/// A checkpoint of one run, taken up by another.
inline void hand_over(Run& from, Run& to) {
  conoid::test::MemoryCheckpoint checkpoint;
  from.solver.save(checkpoint);
  to.solver.load(checkpoint);
}

}  // namespace conoid::maxwell_fem::test

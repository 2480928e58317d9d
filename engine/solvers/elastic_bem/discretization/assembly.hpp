// SPDX-License-Identifier: BSD-3-Clause
// Rows of the boundary integral equation: for collocation points ξ, ∫ t* N dS and ∫ u* N dS over all elements.
//
// Rows are stored component-major: row c·m + i is component c of the force at point i of m, so that lanes of neighbouring
// points write side by side. Where each column goes is the caller's choice (Target): into the matrix of unknowns, into that
// of known values, or nowhere; a G column that no load needs is not computed.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"
#include "engine/solvers/elastic_bem/kernels/lanes.hpp"

namespace conoid {
class Communicator;
class Team;
}  // namespace conoid

namespace conoid::elastic_bem {

/// Where a column of H or G goes; `column` null: dropped.
template <class Real>
struct Target {
  std::complex<Real>* column = nullptr;
  std::complex<Real> scale{1};
};
template <class Real>
struct Targets {
  std::vector<std::array<Target<Real>, 3>> h;  ///< of displacement nodes
  std::vector<std::array<Target<Real>, 3>> g;  ///< of traction nodes
};

/// Far rules of all elements: classes of Gauss points with the distances from which each holds.
template <class Real>
class FarRules {
 public:
  /// Highest wave number that will be asked for; `scalar`: one node a element with shape 1 (static row sums).
  FarRules(const Surface& surface, const Accuracy& accuracy, double wave_number, bool scalar, int threads = 1);
  /// What they would take. O(elements).
  [[nodiscard]] static Bytes bytes(const Surface& surface, const Accuracy& accuracy, double wave_number, bool scalar,
                                   int threads = 1);
  struct Class {
    double distance2 = 0;  ///< from the element's centre, squared: the class holds from here on
    LanePoints<Real> points;
    int padded = 0;  ///< points with those of weight zero that fill the last register
  };
  /// Classes of an element, cheapest (farthest) first.
  [[nodiscard]] std::span<const Class> classes(Index element) const {
    return {classes_.data() + first_[static_cast<std::size_t>(element)],
            static_cast<std::size_t>(first_[static_cast<std::size_t>(element) + 1] -
                                     first_[static_cast<std::size_t>(element)])};
  }
  [[nodiscard]] const Vec3& origin() const { return origin_; }
  [[nodiscard]] double wave_number() const { return wave_number_; }

 private:
  std::vector<Class> classes_;
  std::vector<Index> first_;
  std::unique_ptr<Real[]> values_;
  Vec3 origin_{};
  double wave_number_ = 0;
};

/// Counters of one assembly, for rates.
struct AssemblyWork {
  double far_points = 0;   ///< kernel evaluations in lanes
  double near_points = 0;  ///< those of near and singular rules
};

/// Collocation points of a set of rows. `node` is the displacement node of each (its elements are integrated by the
/// singular stage), empty for points off the surface.
struct RowPoints {
  std::span<const Vec3> points;
  bool on_surface = false;  ///< point i is node i
};

class PanelStore;  // device_pairs.hpp
template <class Real>
struct Patches;  // column_sink.hpp

/// What telemetry calls the parts of one assembly: far and near pairs, and, off the surface, the sums that follow (null: not told of).
struct PairStages {
  const char *far = "far pairs", *near = "near pairs", *sums = nullptr;
};

/// Each node and each traction belongs to one element (constant and discontinuous ones).
[[nodiscard]] bool one_owner(const Surface& surface);
/// Stage "far pairs": all pairs of rows and elements but those that contain the point. Adds to the columns; where one_owner()
/// holds it sets them, zeros for pairs that it leaves out, so that they need no value before. Far pairs are also given to the
/// devices of the team, where there are rows enough, near ones to its processors. `panels`: what devices keep from call to
/// call; null: nothing.
template <class Real>
AssemblyWork assemble_pairs(Team& team, const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy,
                            const Harmonic& harmonic, const RowPoints& rows, const Targets<Real>& targets,
                            std::stop_token stop = {}, PanelStore* panels = nullptr, const PairStages& stages = {});
/// Fewer rows, such as those of interior equations, do not fill one warp of a device.
inline constexpr Index least_device_rows = 32;
/// Stage "singular": elements that contain their collocation point, and the diagonal blocks. `diagonal`: the static part of
/// the diagonal (free term and principal value), 9 values a node. `patches`: takes the values; the targets
/// are addresses of a device then.
template <class Real>
AssemblyWork assemble_singular(Team& team, const Surface& surface, const Accuracy& accuracy, const Harmonic& harmonic,
                               std::span<const std::array<double, 9>> diagonal, const Targets<Real>& targets,
                               Patches<Real>* patches = nullptr);
/// Stages "static sums" (static row sums where the surface is curved) and "rigid" (diagonal by rigid-body motion, or ½ and a
/// contour on flat faces). Depends on the geometry and ν only.
struct StaticDiagonal {
  std::vector<std::array<double, 9>> blocks;
  double seconds_sums = 0, seconds_rigid = 0;
  Index summed_rows = 0;
};
/// `compression`: above zero the sums are those of a compressed matrix whose far blocks have this relative error; enclosing elements and the
/// classical rules take every pair all the same. `ranks`: that keep this matrix together, null: none; collective then.
[[nodiscard]] StaticDiagonal static_diagonal(Team& team, const Surface& surface, const Accuracy& accuracy, double nu,
                                             bool sum_everywhere = false, const std::stop_token& stop = {},
                                             double compression = 0, Communicator* ranks = nullptr);

}  // namespace conoid::elastic_bem

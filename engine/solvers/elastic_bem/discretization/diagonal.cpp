// SPDX-License-Identifier: BSD-3-Clause
// Stages "singular", "static sums" and "rigid": elements that contain their collocation point, and the diagonal.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "engine/core/seconds_now.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/assembly.hpp"
#include "engine/solvers/elastic_bem/discretization/column_sink.hpp"
#include "engine/solvers/elastic_bem/discretization/own_elements.hpp"
#include "engine/solvers/elastic_bem/discretization/pair_phase.hpp"
#include "engine/solvers/elastic_bem/solving/compressed_equations.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr double pi = std::numbers::pi;

/// Sums of the static t* over all elements of a point's component.
struct SumSink {
  static constexpr Part part = Part::fixed;
  static constexpr bool scalar = true;
  const Surface& surface;
  const std::vector<Index>& rows;  ///< node of each row
  std::vector<std::array<std::atomic<double>, 9>> sums;
  SumSink(const Surface& s, const std::vector<Index>& r) : surface(s), rows(r), sums(r.size()) {}
  [[nodiscard]] bool wants(Index) const { return true; }
  [[nodiscard]] bool with_u(Index) const { return false; }
  [[nodiscard]] bool same(Index k, Index row) const {
    const Touch& t = surface.touches[static_cast<std::size_t>(rows[static_cast<std::size_t>(row)])].front();
    return surface.elements[static_cast<std::size_t>(k)].component ==
           surface.elements[static_cast<std::size_t>(t.element)].component;
  }
  void put(Index row, const double* v, std::size_t step) {
    for (std::size_t q = 0; q < 9; ++q)
      sums[static_cast<std::size_t>(row)][q].fetch_add(v[(lane_t + 2 * q) * step], std::memory_order_relaxed);
  }
  void prepare(Index, std::vector<LanePut<double>>&) const {}
  void block(const LaneKernels<double>& kernels, Index k, const std::vector<LanePut<double>>&, Index row,
             unsigned valid, Index, PutMode, const double* v) {
    const auto lanes = static_cast<std::size_t>(kernels.lanes);
    for (std::size_t l = 0; l < lanes; ++l)
      if ((valid >> l & 1U) != 0 && same(k, row + static_cast<Index>(l)))
        put(row + static_cast<Index>(l), v + l, lanes);
  }
  void single(Index k, Index row, const double* v) {
    if (same(k, row)) put(row, v, 1);
  }
};

/// A phase whose items are nodes.
template <class Body>
class NodePhase final : public Phase {
 public:
  NodePhase(const char* name, Index items, Body body) : name_(name), items_(items), body_(std::move(body)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return items_; }
  void run(CpuWorker& worker, Interval interval) override {
    worker.for_each(interval, 16, [&](Interval chunk, int) { body_(chunk); });
  }

 private:
  const char* name_;
  Index items_;
  Body body_;
};

}  // namespace

template <class Real>
AssemblyWork assemble_singular(Team& team, const Surface& surface, const Accuracy& accuracy, const Harmonic& harmonic,
                               std::span<const std::array<double, 9>> diagonal, const Targets<Real>& targets,
                               Patches<Real>* patches) {
  const Index m = surface.node_count();
  ColumnSink<Real> sink(surface, targets, harmonic, m, false);  // a row belongs to one worker
  sink.patches = patches;
  std::atomic<double> points{0};
  NodePhase phase("singular", m, [&](Interval chunk) {
    OwnElements<Real, ColumnSink<Real>> own(surface, accuracy, harmonic);
    double done = 0;
    for (Index n = chunk.begin; n < chunk.end; ++n) done += own.put(n, n, diagonal[static_cast<std::size_t>(n)], sink);
    points.fetch_add(done);
  });
  team.run(phase);
  return {0, points.load()};
}
template AssemblyWork assemble_singular<double>(Team&, const Surface&, const Accuracy&, const Harmonic&,
                                                std::span<const std::array<double, 9>>, const Targets<double>&,
                                                Patches<double>*);
template AssemblyWork assemble_singular<float>(Team&, const Surface&, const Accuracy&, const Harmonic&,
                                               std::span<const std::array<double, 9>>, const Targets<float>&,
                                               Patches<float>*);

namespace {

/// Row sums of the static t* over the elements of each node's component, its own ones but for its own function: the compressed matrix times
/// rigid translations of one component after the other. Empty: stopped.
std::vector<std::array<double, 9>> compressed_sums(Team& team, const Surface& surface, const Accuracy& accuracy,
                                                   const Harmonic& fixed, double tolerance, std::stop_token stop,
                                                   Communicator* ranks) {
  const Index m = surface.node_count(), n = 3 * m;
  const FarRules<double> rules(surface, accuracy, 0, false, team.threads());
  const std::vector<std::array<double, 9>> none(static_cast<std::size_t>(m));
  std::vector<EquationColumn> columns;
  for (std::size_t d = 0; d < 3; ++d)
    for (Index k = 0; k < m; ++k) columns.push_back({false, k, d, 1.0});
  auto made = compress<double>(team, surface, rules, accuracy, fixed, none, columns, true, {}, tolerance,
                               std::move(stop), ranks);
  if (!made) return {};
  std::vector<int> component;
  for (const auto& touches : surface.touches)
    component.push_back(surface.elements[static_cast<std::size_t>(touches.front().element)].component);
  const int components = 1 + *std::max_element(component.begin(), component.end());
  std::vector<std::array<double, 9>> out(none);
  for (int c = 0; c < components; ++c) {
    std::vector<Complex> x(static_cast<std::size_t>(3 * n)), y(x.size());
    for (Index k = 0; k < m; ++k)
      if (component[static_cast<std::size_t>(k)] == c)
        for (Index d = 0; d < 3; ++d) x[static_cast<std::size_t>(d * n + d * m + k)] = 1;
    (*made)->multiply(x.data(), 3, y.data(), team.threads());
    for (Index k = 0; k < m; ++k)
      if (component[static_cast<std::size_t>(k)] == c)
        for (Index p = 0; p < 3; ++p)
          for (Index q = 0; q < 3; ++q)
            out[static_cast<std::size_t>(k)][static_cast<std::size_t>(3 * p + q)] =
                y[static_cast<std::size_t>(q * n + p * m + k)].real();
  }
  return out;
}

}  // namespace

StaticDiagonal static_diagonal(Team& team, const Surface& surface, const Accuracy& accuracy, double nu,
                               bool sum_everywhere, const std::stop_token& stop, double compression,
                               Communicator* ranks) {
  StaticDiagonal out;
  const Index m = surface.node_count();
  out.blocks.assign(static_cast<std::size_t>(m), {});
  Medium unit_medium;
  unit_medium.nu = nu;
  const Harmonic fixed(unit_medium, 0);
  const Accuracy fine = static_accuracy(accuracy);
  const double begin = seconds_now();
  std::vector<Index> curved;
  for (Index n = 0; n < m; ++n)
    if (sum_everywhere || !surface.planar[static_cast<std::size_t>(n)]) curved.push_back(n);
  out.summed_rows = static_cast<Index>(curved.size());
  const bool compressed =
      compression > 0 && !sum_everywhere && surface.active == static_cast<Index>(surface.elements.size());
  if (!curved.empty() && compressed) {
    const auto sums = compressed_sums(team, surface, fine, fixed, compression, stop, ranks);
    for (std::size_t k = 0; k < sums.size(); ++k)
      for (std::size_t q = 0; q < 9; ++q) out.blocks[k][q] = -sums[k][q];
  } else if (!curved.empty()) {
    std::vector<Vec3> points;
    for (Index n : curved) points.push_back(surface.nodes[static_cast<std::size_t>(n)]);
    const FarRules<double> rules(surface, fine, 0, true, team.threads());
    // Elements that contain the point come in the second part, so rows that are all nodes can skip them by number.
    const bool whole = static_cast<Index>(curved.size()) == m;
    if (!whole) {
      // The walk knows nodes by row number only when all are there: give it all nodes, sums of flat ones are not used.
      curved.clear();
      points = surface.nodes;
      for (Index n = 0; n < m; ++n) curved.push_back(n);
    }
    SumSink sums(surface, curved);
    const RowPoints rows{points, true};
    const auto elements = static_cast<Index>(surface.elements.size());
    PairPhase<double, SumSink> far("static sums", surface, rules, lane_medium<double>(fixed), rows, elements, sums,
                                   stop);
    team.run(far, stop);
    const NearPairs pairs = near_pairs(surface, rules, rows, elements, CpuWorker(team.threads()));
    NearPhase<double, SumSink> near("near sums", surface, rules, fine, lane_medium<double>(fixed), rows, pairs, sums,
                                    stop);
    team.run(near, stop);
    for (Index n = 0; n < m; ++n)
      for (std::size_t q = 0; q < 9; ++q)
        out.blocks[static_cast<std::size_t>(n)][q] = -sums.sums[static_cast<std::size_t>(n)][q].load() / (4 * pi);
  }
  out.seconds_sums = seconds_now() - begin;

  const double start = seconds_now();
  const LaneMedium<double> medium = lane_medium<double>(fixed);
  const LaneKernels<double>& kernels = lane_kernels<double>();
  NodePhase phase("rigid", m, [&](Interval chunk) {
    PointSet set;
    NearPoints<double> near_points;
    const auto values = std::make_unique<Block<double>>();
    for (Index n = chunk.begin; n < chunk.end; ++n) {
      const auto i = static_cast<std::size_t>(n);
      const Vec3 at = surface.nodes[i], normal = surface.normals[i];
      auto& block = out.blocks[i];
      const auto& touches = surface.touches[i];
      const bool planar = surface.planar[i] && !sum_everywhere;
      const int component = surface.elements[static_cast<std::size_t>(touches.front().element)].component;
      if (planar) {
        block = {};
        std::vector<const Element*> around;
        for (const Touch& t : touches) around.push_back(&surface.elements[static_cast<std::size_t>(t.element)]);
        const Vec3 moment = contour_moment(around, at, normal);
        const double c = (1 - 2 * nu) / (8 * pi * (1 - nu));
        for (std::size_t p = 0; p < 3; ++p)
          for (std::size_t q = 0; q < 3; ++q)
            block[3 * p + q] = (p == q ? 0.5 : 0.0) + c * (moment[q] * normal[p] - moment[p] * normal[q]);
      } else if (surface.hollow[static_cast<std::size_t>(component)]) {
        for (std::size_t p = 0; p < 3; ++p) block[4 * p] += 1;
      }
      if (compressed && !planar) continue;  // the next is in
      // The node's own elements: what their other nodes take of a rigid motion.
      for (const Touch& t : touches) {
        const Element& e = surface.elements[static_cast<std::size_t>(t.element)];
        if (e.nodes == 1) continue;
        const auto p = e.node_at(t.local);
        set.clear();
        singular_rule(e, p[0], p[1], fine.target, 0, set);
        kernels.near(medium, near_points.fill(set, at, kernels.lanes, t.local, true), nullptr, Part::fixed, true,
                     values->v);
        for (std::size_t q = 0; q < 9; ++q) block[q] -= values->v[lane_t + 2 * q] / (4 * pi);
      }
    }
  });
  team.run(phase);
  out.seconds_rigid = seconds_now() - start;
  return out;
}

}  // namespace conoid::elastic_bem

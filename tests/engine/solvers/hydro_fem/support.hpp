// SPDX-License-Identifier: BSD-3-Clause
// What the tests of hydro-fem share: odd curved meshes with lively states, checkpoints in memory, cases from text.
#pragma once

#include "engine/core/error.hpp"
#include "engine/io/checkpoint.hpp"
#include "engine/solvers/hydro_fem/hydro_fem.hpp"
#include "engine/solvers/hydro_fem/problem.hpp"
#include "engine/solvers/hydro_fem/verify/flows.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/memory_checkpoint.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace conoid::hydro_fem::testing {

/// The problem of a checked case with its zones; throws Failure on the first thing that is wrong.
[[nodiscard]] inline Problem make_problem(const Case& input, const Mesh* mesh) {
  Reading<Problem> reading = read_problem(input, mesh, nullptr);
  for (const auto& d : reading.said)
    if (d.severity == Severity::error) throw Failure(d);
  reading.problem->make_zones();
  return std::move(*reading.problem);
}

/// Setup::turns that a dimension can have.
inline std::vector<int> turns_in(int dim) {
  return dim == 1 ? std::vector{0, 1, 2} : dim == 2 ? std::vector{0, 1} : std::vector{0};
}

/// A box of odd counts of zones, bent by sines, of two materials, with varying density, energy and velocity.
inline Setup lively(int dim, int k, int turns, std::mt19937& random) {
  std::uniform_int_distribution<Index> count(1, dim == 1 ? 19 : dim == 2 ? 5 : 3);
  std::array<std::vector<double>, 3> lines;
  for (int d = 0; d < dim; ++d)
    lines[static_cast<std::size_t>(d)] = flows::line(turns > 0 && d == dim - 1 ? 0.0 : -0.3, 1, count(random));
  Setup s;
  s.k = k;
  s.turns = turns;
  s.mesh = box_zones(dim, lines);
  s.mesh.curve = [dim](const Vec3& x) {
    Vec3 y = x;
    if (dim == 1) return Vec3{x[0] + 0.05 * std::sin(3 * x[0]), 0, 0};
    y[0] += 0.06 * std::sin(2.1 * x[1] + 0.3) + 0.03 * std::sin(3 * x[0]);
    y[1] *= 1 + 0.07 * std::sin(1.7 * x[0] + x[2]);
    if (dim > 2) y[2] += 0.05 * std::sin(2 * x[0] - 1.3 * x[1]);
    return y;
  };
  std::uniform_int_distribution<int> region(0, 1);
  for (int& r : s.mesh.region) r = region(random);
  s.materials = {stiffened_gas(1.4), stiffened_gas(3.1, 0.7)};
  s.density = [](const Vec3& x, int r) { return (r ? 2.0 : 0.8) * (1 + 0.2 * std::sin(x[0] + 2 * x[1] - x[2])); };
  s.energy = [](const Vec3& x, int r) { return (r ? 3.0 : 1.1) + 0.3 * std::cos(2 * x[0] - x[1] + x[2]); };
  s.velocity = [dim](const Vec3& x, int) {
    Vec3 v{0.4 * std::sin(3 * x[0] + x[1]) - 0.7 * x[0], 0.3 * std::cos(x[0] - 2 * x[2]) * x[1],
           0.5 * std::sin(2 * x[1] + x[2])};
    for (int d = dim; d < 3; ++d) v[static_cast<std::size_t>(d)] = 0;
    return v;
  };
  s.boundaries.resize(static_cast<std::size_t>(2 * dim));
  for (auto& b : s.boundaries) b.kind = BoundaryCondition::Kind::free;
  s.mass_tolerance = 1e-14;
  return s;
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}
inline bool same_bits(const State& a, const State& b) {
  return same_bits(a.x, b.x) && same_bits(a.v, b.v) && same_bits(a.e, b.e);
}

using conoid::test::MemoryCheckpoint;

inline Result<Case> resolved(std::string_view text,
                             const std::vector<std::pair<std::string, std::string>>& changes = {},
                             const std::string& file = "case.json") {
  auto document = CaseDocument::parse(text, file);
  if (!document) return document.error();
  for (const auto& [path, value] : changes)
    if (const Status s = document->set(path, value); !s) return s.error();
  const auto schema = Schema::for_solver("hydro-fem", solver_info().schema);
  if (!schema) return schema.error();
  return Case::resolve(*document, *schema);
}

}  // namespace conoid::hydro_fem::testing

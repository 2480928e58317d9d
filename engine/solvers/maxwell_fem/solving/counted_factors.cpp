// SPDX-License-Identifier: BSD-3-Clause
// From a domain to the entries of its matrix, and to its elimination tree.
#include "engine/solvers/maxwell_fem/solving/counted_factors.hpp"

#include "engine/core/log.hpp"
#include "engine/solvers/maxwell_fem/discretization/layout.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

TetRows rows_of_tets(const Domain& domain) {
  const Space& space = domain.space;
  TetRows out(space.tets().size());
  for (Index t = 0; t < static_cast<Index>(out.size()); ++t) {
    out[t] = space.unknowns_of_tet(t);
    for (int a = 0; a < space.unknowns_a_tet(); ++a) out[t][a] = domain.free_number[out[t][a]];
  }
  return out;
}

SymmetricMatrix matrix_pattern(const Domain& domain, const TetRows& row_of, int threads, const Stopped& stopped) {
  const int size = domain.space.unknowns_a_tet();
  const Index rows = domain.free_unknowns, tets = static_cast<Index>(row_of.size());
  std::vector<Index> first(static_cast<std::size_t>(rows) + 1, 0);
  for (const auto& list : row_of)
    for (int a = 0; a < size; ++a)
      if (list[a] >= 0) ++first[list[a] + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Index> tets_of(static_cast<std::size_t>(first[rows])), fill(first.begin(), first.end() - 1);
  for (Index t = 0; t < tets; ++t)
    for (int a = 0; a < size; ++a)
      if (row_of[t][a] >= 0) tets_of[fill[row_of[t][a]]++] = t;

  SymmetricMatrix m;
  m.size = rows;
  m.row_start.assign(static_cast<std::size_t>(rows) + 1, 0);
  constexpr Index some_rows = 1024;
  std::atomic<bool> gone = false;
  std::vector<std::vector<std::int32_t>> pieces(static_cast<std::size_t>((rows + some_rows - 1) / some_rows));
  in_chunks(std::max(1, threads), {0, rows}, some_rows, [&](Interval chunk, int) {
    if (gone || (stopped && stopped())) {
      gone = true;
      return;
    }
    std::vector<std::int32_t>& piece = pieces[chunk.begin / some_rows];
    std::vector<std::int32_t> row;
    for (Index r = chunk.begin; r < chunk.end; ++r) {
      row.clear();
      for (Index p = first[r]; p < first[r + 1]; ++p)
        for (int a = 0; a < size; ++a)
          if (const Index c = row_of[tets_of[p]][a]; c >= r) row.push_back(static_cast<std::int32_t>(c));
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      piece.insert(piece.end(), row.begin(), row.end());
      m.row_start[r + 1] = static_cast<Index>(row.size());
    }
  });
  if (gone) return {};
  std::partial_sum(m.row_start.begin(), m.row_start.end(), m.row_start.begin());
  m.columns.resize(static_cast<std::size_t>(m.row_start.back()));
  parallel_for(std::max(1, threads), {0, static_cast<Index>(pieces.size())}, 1, [&](Index k) {
    std::copy(pieces[k].begin(), pieces[k].end(), m.columns.begin() + m.row_start[k * some_rows]);
  });
  return m;
}

std::optional<CountedFactors> counted_factors(Problem& part, const std::shared_ptr<const Mesh>& given, int ranks) {
  const bool at_hand = part.sphere || (given && !part.geometry && !part.mesh.bare);
  if (!at_hand || !own_fronts(part.direct) || static_cast<double>(expected_unknowns(part)) > most_counted)
    return std::nullopt;
  if (!part.mesh.first) {
    Problem s = part;  // groups take their roles in the mesh that is made
    auto made = mesh_with_spaces(s, given, {});
    if (!made) return std::nullopt;
    part.mesh.first = std::move(*made);
  }
  const Domain& domain = *part.mesh.first->domain;
  if (domain.free_unknowns < 1) return std::nullopt;
  std::string from = fmt::format("{} {} {}", part.direct.threads, ranks, part.direct.single);
  if (part.mesh.counted && part.mesh.counted_from == from) return *part.mesh.counted;
  const auto fronts =
      count_fronts(matrix_pattern(domain, rows_of_tets(domain), part.direct.threads), part.direct, std::max(1, ranks));
  if (!fronts) return std::nullopt;
  log::debug("maxwell-fem: factors were counted");
  part.mesh.counted = std::make_shared<const CountedFactors>(
      CountedFactors{domain.free_unknowns, static_cast<double>(domain.outer.size()),
                     static_cast<double>(domain.currents.size()), *fronts});
  part.mesh.counted_from = std::move(from);
  return *part.mesh.counted;
}

Bytes memory_with(const ExpectedFactors& factors, const Problem& s, Index unknowns, double columns, double points,
                  double budget) {
  const auto n = static_cast<double>(unknowns), block = static_cast<double>(s.truncation.block);
  // Program, mesh and spaces. While factors are made: the matrix twice with where its entries go, 27 a row, and what waits for parents;
  // afterwards near pairs (22 faces a point, 392 bytes each), vectors on S, currents and the Krylov space of all columns, fields and
  // right-hand sides of a block.
  const double surfaces = points * (1.1e4 + 490 * columns);
  // Of an error bar: 825 small complex numbers a cell (6.6 unknowns), six vectors of twice the unknowns a column; order 1: 174 and less.
  const double bar = !s.error_bar ? 0 : s.domain.order == 1 ? n * (2200 + 260 * columns) : n * (2000 + 200 * columns);
  const double made = static_cast<double>(factors.waiting) + 1200 * n,
               iterated = bar + std::min(surfaces, 1.1e4 * points + budget / 2) + 32 * n * std::min(block, columns);
  return factors.bytes + static_cast<Bytes>(6e7 + 600 * n + std::max(made, iterated));
}

}  // namespace conoid::maxwell_fem

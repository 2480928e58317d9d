// SPDX-License-Identifier: BSD-3-Clause
// The order of elimination: separators separate, every graph gets a permutation, threads do not change it, and grids fill as theory says.
// labels: unit
#include <QTest>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <stop_token>

#include "engine/linalg/dissection.hpp"
#include "engine/linalg/elimination_tree.hpp"
#include "engine/linalg/vertex_separator.hpp"
#include "tests/engine/linalg/helmholtz_grid.hpp"

using namespace conoid;

namespace {

SparseGraph graph_of(std::int32_t nodes, const std::set<std::array<std::int32_t, 2>>& edges) {
  std::vector<std::vector<std::int32_t>> of(static_cast<std::size_t>(nodes));
  for (const auto& [a, b] : edges) {
    of[a].push_back(b);
    of[b].push_back(a);
  }
  SparseGraph g;
  for (const auto& list : of) {
    g.neighbour.insert(g.neighbour.end(), list.begin(), list.end());
    g.start.push_back(static_cast<Index>(g.neighbour.size()));
  }
  g.weight.assign(static_cast<std::size_t>(nodes), 1);
  return g;
}

/// Points of a grid of side × side × height, with neighbours along diagonals of a layer or without.
SparseGraph grid(std::int32_t side, std::int32_t height, bool diagonals = true) {
  std::set<std::array<std::int32_t, 2>> edges;
  const auto at = [&](std::int32_t x, std::int32_t y, std::int32_t z) { return x + side * (y + side * z); };
  for (std::int32_t z = 0; z < height; ++z)
    for (std::int32_t y = 0; y < side; ++y)
      for (std::int32_t x = 0; x < side; ++x) {
        if (x + 1 < side) edges.insert({at(x, y, z), at(x + 1, y, z)});
        if (y + 1 < side) edges.insert({at(x, y, z), at(x, y + 1, z)});
        if (z + 1 < height) edges.insert({at(x, y, z), at(x, y, z + 1)});
        if (diagonals && x + 1 < side && y + 1 < side) {
          edges.insert({at(x, y, z), at(x + 1, y + 1, z)});
          edges.insert({at(x + 1, y, z), at(x, y + 1, z)});
        }
      }
  return graph_of(side * side * height, edges);
}

bool is_permutation(std::vector<std::int32_t> place) {
  std::sort(place.begin(), place.end());
  for (std::size_t i = 0; i < place.size(); ++i)
    if (place[i] != static_cast<std::int32_t>(i)) return false;
  return true;
}

}  // namespace

class TestDissection : public QObject {
  Q_OBJECT

 private slots:
  void a_separator_leaves_no_edge_between_halves_of_fair_size() {
    for (const std::int32_t side : {20, 120}) {  // one level of trials; several seeds on a contracted graph
      const SparseGraph g = grid(side, 1, false);
      const Halves h = vertex_separator(g, 7, 2, {});
      std::array<Index, 3> weight{};
      for (std::int32_t v = 0; v < g.nodes(); ++v) {
        weight[h.side[v]] += g.weight[v];
        for (const std::int32_t u : g.of(v)) QVERIFY(h.side[u] == h.side[v] || h.side[u] == 2 || h.side[v] == 2);
      }
      QVERIFY(weight == h.weight);
      QVERIFY(std::max(weight[0], weight[1]) <= static_cast<Index>(0.6 * g.nodes()));
      // Without neighbours along diagonals any path from edge to edge no steeper than 45 degrees separates with at most `side` nodes.
      QVERIFY2(weight[2] <= side + side / 5, qPrintable(QString("%1 of %2").arg(weight[2]).arg(side)));
    }
  }

  void the_order_does_not_depend_on_threads() {
    const SparseGraph g = grid(60, 6);
    const auto one = dissect(g, 1, {});
    QVERIFY(one.ok() && is_permutation(*one));
    for (const int threads : {2, 3, 16}) {
      const auto more = dissect(g, threads, {});
      QVERIFY(more.ok() && *more == *one);
    }
    const SymmetricMatrix m = helmholtz_grid(30, 31, 12);
    const auto tree = elimination_tree(m, 1, {}), other = elimination_tree(m, 5, {});
    QVERIFY(tree.ok() && other.ok());
    QVERIFY(tree->place == other->place && tree->flops == other->flops && tree->fronts.size() == other->fronts.size());
    for (std::size_t f = 0; f < tree->fronts.size(); ++f) QVERIFY(tree->fronts[f].rows == other->fronts[f].rows);
  }

  void fronts_hold_the_fill_of_a_symbolic_elimination() {
    // Row by row on sets, with no use of trees: what each front says its columns hold must be there, merged zeros aside.
    const SymmetricMatrix m = helmholtz_grid(9, 8, 7);
    const auto tree = elimination_tree(m, 2, {});
    QVERIFY(tree.ok());
    std::vector<std::set<std::int32_t>> column(static_cast<std::size_t>(m.size));
    for (Index i = 0; i < m.size; ++i)
      for (Index p = m.row_start[i]; p < m.row_start[i + 1]; ++p) {
        const auto [low, high] = std::minmax(tree->place[i], tree->place[m.columns[p]]);
        if (low != high) column[low].insert(high);
      }
    Index entries = m.size;
    for (std::int32_t k = 0; k < m.size; ++k) {
      entries += static_cast<Index>(column[k].size());
      if (column[k].empty()) continue;
      const std::int32_t next = *column[k].begin();
      column[next].insert(std::next(column[k].begin()), column[k].end());
    }
    for (const Front& f : tree->fronts)
      for (std::int32_t k = f.first; k < f.last; ++k)
        for (const std::int32_t r : column[k])
          QVERIFY(r < f.last || std::binary_search(f.rows.begin(), f.rows.end(), r));
    QVERIFY(tree->entries >= entries && static_cast<double>(tree->entries) < 1.35 * static_cast<double>(entries));
  }

  void a_square_grid_fills_no_more_than_its_lines_would() {
    // Nested dissection of n × n points with nine-point neighbours by lines: 31/4 n² log₂ n entries to
    // leading order (A. George, SIAM J. Numer. Anal. 10 (1973) 345). The fill here is counted by elimination on sets.
    constexpr std::int32_t side = 63;
    const SparseGraph g = grid(side, 1);
    const auto place = dissect(g, 2, {});
    QVERIFY(place.ok() && is_permutation(*place));
    std::vector<std::set<std::int32_t>> column(place->size());
    for (std::int32_t v = 0; v < g.nodes(); ++v)
      for (const std::int32_t u : g.of(v))
        if ((*place)[u] > (*place)[v]) column[(*place)[v]].insert((*place)[u]);
    double entries = 0;
    for (const auto& c : column) {
      entries += static_cast<double>(c.size()) + 1;
      if (c.empty()) continue;
      column[*c.begin()].insert(std::next(c.begin()), c.end());
    }
    QVERIFY2(entries < 31.0 / 4 * side * side * std::log2(side), qPrintable(QString::number(entries)));
  }

  void odd_graphs_get_an_order() {
    std::set<std::array<std::int32_t, 2>> complete, star, path;
    for (std::int32_t a = 0; a < 300; ++a)
      for (std::int32_t b = a + 1; b < 300; ++b) complete.insert({a, b});
    for (std::int32_t a = 1; a < 7000; ++a) {
      star.insert({0, a});
      path.insert({a - 1, a});
    }
    const std::array graphs{graph_of(1, {}),         graph_of(2, {{0, 1}}), graph_of(7000, {}),
                            graph_of(300, complete), graph_of(7000, star),  graph_of(7000, path)};
    for (const SparseGraph& g : graphs) {
      const auto place = dissect(g, 2, {});
      QVERIFY(place.ok() && is_permutation(*place));
    }
  }

  void a_stop_ends_it() {
    std::stop_source stop;
    stop.request_stop();
    const auto place = dissect(grid(80, 2), 2, stop.get_token());
    QVERIFY(!place.ok() && place.error().code == ErrorCode::stopped);
  }
};

QTEST_GUILESS_MAIN(TestDissection)
#include "test_dissection.moc"

// SPDX-License-Identifier: BSD-3-Clause
// From the graph of a matrix to fronts.
#include "engine/linalg/elimination_tree.hpp"

#include "engine/core/stop.hpp"
#include "engine/linalg/sparse_direct_bodies.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace conoid {
namespace {

/// Fronts below so many pivots are merged with their parents, and larger ones where that adds no more than this share of zeros.
constexpr Index small_front = 24;
constexpr double zeros_allowed = 0.08;

/// A graph with both directions of each edge.
struct Graph {
  std::vector<Index> start{0};
  std::vector<std::int32_t> neighbour;
  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(start.size()) - 1; }
  [[nodiscard]] std::span<const std::int32_t> of(Index n) const {
    return std::span(neighbour).subspan(static_cast<std::size_t>(start[n]),
                                        static_cast<std::size_t>(start[n + 1] - start[n]));
  }
};

/// Of each unknown all that it shares an entry with, itself included, ascending.
Graph whole_graph(const SymmetricMatrix& m) {
  Graph g;
  std::vector<Index> count(static_cast<std::size_t>(m.size) + 1, 0);
  const auto each = [&](const auto& body) {
    for (Index i = 0; i < m.size; ++i)
      for (Index p = m.row_start[i]; p < m.row_start[i + 1]; ++p) body(static_cast<std::int32_t>(i), m.columns[p]);
  };
  each([&](std::int32_t i, std::int32_t j) {
    ++count[i];
    if (i != j) ++count[j];
  });
  g.start.assign(static_cast<std::size_t>(m.size) + 1, 0);
  for (Index i = 0; i < m.size; ++i) g.start[i + 1] = g.start[i] + count[i];
  g.neighbour.resize(static_cast<std::size_t>(g.start.back()));
  std::vector<Index> fill(g.start.begin(), g.start.end() - 1);
  // Rows ascending: of each unknown smaller ones come first, then itself and larger ones.
  each([&](std::int32_t i, std::int32_t j) {
    if (i != j) g.neighbour[fill[j]++] = i;
  });
  each([&](std::int32_t i, std::int32_t j) { g.neighbour[fill[i]++] = j; });
  return g;
}

/// Unknowns of one node have the same neighbours. Node of each unknown.
std::vector<std::int32_t> nodes_of(const Graph& whole, std::int32_t& nodes) {
  const auto n = static_cast<Index>(whole.nodes());
  std::vector<std::int32_t> out(static_cast<std::size_t>(n), -1);
  std::map<std::pair<std::uint64_t, Index>, std::vector<std::int32_t>>
      first_of;  // by a sum of the neighbours and their number
  nodes = 0;
  for (Index i = 0; i < n; ++i) {
    const auto list = whole.of(i);
    std::uint64_t mark = 0;
    for (const std::int32_t k : list)
      mark += (static_cast<std::uint64_t>(k) + 1) * 0x9e3779b97f4a7c15ULL ^ static_cast<std::uint64_t>(k) << 20;
    auto& candidates = first_of[{mark, static_cast<Index>(list.size())}];
    for (const std::int32_t c : candidates)
      if (out[i] < 0 && std::equal(list.begin(), list.end(), whole.of(c).begin(), whole.of(c).end())) out[i] = out[c];
    if (out[i] >= 0) continue;
    out[i] = nodes++;
    candidates.push_back(static_cast<std::int32_t>(i));
  }
  return out;
}

/// The graph of the nodes, without themselves.
Graph quotient(const Graph& whole, const std::vector<std::int32_t>& node, std::int32_t nodes) {
  std::vector<std::int32_t> first(static_cast<std::size_t>(nodes), -1);
  for (std::size_t i = 0; i < node.size(); ++i)
    if (first[node[i]] < 0) first[node[i]] = static_cast<std::int32_t>(i);
  Graph g;
  std::vector<std::int32_t> seen(static_cast<std::size_t>(nodes), -1);
  for (std::int32_t a = 0; a < nodes; ++a) {
    seen[a] = a;
    for (const std::int32_t i : whole.of(first[a])) {
      const std::int32_t b = node[i];
      if (seen[b] == a) continue;
      seen[b] = a;
      g.neighbour.push_back(b);
    }
    g.start.push_back(static_cast<Index>(g.neighbour.size()));
  }
  return g;
}

/// Parent of each place in the elimination tree (Liu's algorithm with shortcuts).
std::vector<std::int32_t> parents(const Graph& g, const std::vector<std::int32_t>& place,
                                  const std::vector<std::int32_t>& node) {
  const std::int32_t n = g.nodes();
  std::vector<std::int32_t> parent(static_cast<std::size_t>(n), -1), ancestor(parent);
  for (std::int32_t at = 0; at < n; ++at)
    for (const std::int32_t other : g.of(node[at])) {
      std::int32_t r = place[other];
      if (r >= at) continue;
      while (ancestor[r] >= 0 && ancestor[r] != at) {
        const std::int32_t next = ancestor[r];
        ancestor[r] = at;
        r = next;
      }
      if (ancestor[r] < 0) {
        ancestor[r] = at;
        parent[r] = at;
      }
    }
  return parent;
}

/// Places renumbered so that each subtree is an interval that ends in its root.
void postorder(std::vector<std::int32_t>& place, std::vector<std::int32_t>& node,
               const std::vector<std::int32_t>& parent) {
  const auto n = static_cast<std::int32_t>(parent.size());
  std::vector<std::int32_t> child(parent.size(), -1), sibling(parent.size(), -1), fresh(parent.size());
  for (std::int32_t i = n; i-- > 0;)
    if (parent[i] >= 0) {
      sibling[i] = child[parent[i]];
      child[parent[i]] = i;
    }
  std::int32_t next = 0;
  for (std::int32_t root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    std::vector<std::int32_t> path{root};
    while (!path.empty()) {
      const std::int32_t i = path.back();
      if (const std::int32_t c = child[i]; c >= 0) {
        child[i] = sibling[c];
        path.push_back(c);
      } else {
        fresh[i] = next++;
        path.pop_back();
      }
    }
  }
  std::vector<std::int32_t> by_place(node.size());
  for (std::int32_t i = 0; i < n; ++i) by_place[fresh[i]] = node[i];
  node = std::move(by_place);
  for (std::int32_t i = 0; i < n; ++i) place[node[i]] = i;
}

/// Fronts of nodes: columns with one child whose structure is theirs and one more are one front.
std::vector<Front> fundamental_fronts(const Graph& g, const std::vector<std::int32_t>& place,
                                      const std::vector<std::int32_t>& node) {
  const std::vector<std::int32_t> parent = parents(g, place, node);
  const std::int32_t n = g.nodes();
  std::vector<int> front_of(static_cast<std::size_t>(n), -1), children(static_cast<std::size_t>(n), 0);
  std::vector<std::vector<int>> waiting(static_cast<std::size_t>(n));  // fronts whose parent this place is
  for (std::int32_t i = 0; i < n; ++i)
    if (parent[i] >= 0) ++children[parent[i]];
  std::vector<std::int32_t> seen(static_cast<std::size_t>(n), -1);
  std::vector<Front> fronts;
  for (std::int32_t at = 0; at < n; ++at) {
    std::vector<std::int32_t> rows;
    seen[at] = at;
    const auto take = [&](std::int32_t r) {
      if (r <= at || seen[r] == at) return;
      seen[r] = at;
      rows.push_back(r);
    };
    for (const std::int32_t other : g.of(node[at])) take(place[other]);
    for (const int f : waiting[at])
      for (const std::int32_t r : fronts[f].rows) take(r);
    std::sort(rows.begin(), rows.end());
    const bool joins =
        children[at] == 1 && waiting[at].size() == 1 && fronts[waiting[at][0]].rows.size() == rows.size() + 1;
    if (joins) {
      Front& f = fronts[waiting[at][0]];
      f.last = at + 1;
      f.rows = std::move(rows);
      front_of[at] = waiting[at][0];
    } else {
      front_of[at] = static_cast<int>(fronts.size());
      fronts.push_back({at, at + 1, std::move(rows), -1, {}});
    }
    if (parent[at] >= 0) waiting[parent[at]].push_back(front_of[at]);
  }
  for (Front& f : fronts)
    if (!f.rows.empty()) f.parent = front_of[f.rows.front()];
  return fronts;
}

/// Merges fronts with their parents where that pays; `weight`: unknowns before each place.
std::vector<Front> merged(std::vector<Front> fronts, const std::vector<Index>& weight) {
  const auto unknowns = [&](const std::vector<std::int32_t>& rows) {
    Index sum = 0;
    for (const std::int32_t r : rows) sum += weight[r + 1] - weight[r];
    return sum;
  };
  std::vector<int> into(fronts.size());
  std::iota(into.begin(), into.end(), 0);
  std::vector<double> zeros(fronts.size(), 0);
  for (std::size_t c = 0; c < fronts.size(); ++c) {
    // The last child lies before its parent without a gap.
    const int p = fronts[c].parent;
    if (p < 0 || fronts[c].last != fronts[p].first) continue;
    Front& parent = fronts[p];
    const auto pivots = static_cast<double>(weight[fronts[c].last] - weight[fronts[c].first]),
               above = static_cast<double>(weight[parent.last] - weight[parent.first]);
    const auto below = static_cast<double>(unknowns(parent.rows)), own = static_cast<double>(unknowns(fronts[c].rows));
    const double more = zeros[c] + zeros[p] + pivots * (above + below - own), all = pivots + above;
    const double size = all * (all + 1) / 2 + all * below;
    if (more > zeros_allowed * size &&
        !(pivots < static_cast<double>(small_front) && above < 4 * small_front && more < 0.35 * size))
      continue;
    parent.first = fronts[c].first;
    zeros[p] = more;
    into[c] = p;
  }
  // A merged front is the one that was merged into last.
  for (std::size_t c = fronts.size(); c-- > 0;)
    if (into[c] != static_cast<int>(c)) into[c] = into[into[c]];
  std::vector<int> number(fronts.size(), -1);
  std::vector<Front> out;
  for (std::size_t f = 0; f < fronts.size(); ++f)
    if (into[f] == static_cast<int>(f)) {
      number[f] = static_cast<int>(out.size());
      out.push_back(std::move(fronts[f]));
    }
  for (std::size_t f = 0; f < out.size(); ++f)
    if (out[f].parent >= 0) {
      out[f].parent = number[into[out[f].parent]];
      out[out[f].parent].children.push_back(static_cast<int>(f));
    }
  return out;
}

}  // namespace

double Front::flops() const {
  const auto p = static_cast<double>(pivots()), n = static_cast<double>(size());
  // A pivot scales a column and takes a product from the triangle behind it.
  double triangles = 0;
  for (double k = 0; k < p; ++k) triangles += (n - k) * (n - k) / 2;
  return 8 * triangles;
}

Result<EliminationTree> elimination_tree(const SymmetricMatrix& m, const std::stop_token& stop) {
  const Graph whole = whole_graph(m);
  std::int32_t nodes = 0;
  const std::vector<std::int32_t> of = nodes_of(whole, nodes);
  const Graph g = quotient(whole, of, nodes);
  std::vector<int> rows, columns;
  for (std::int32_t a = 0; a < nodes; ++a)
    for (const std::int32_t b : g.of(a))
      if (b > a) {
        rows.push_back(a);
        columns.push_back(b);
      }
  auto order = dissect(nodes, std::move(rows), std::move(columns), stop);
  if (!order) return order.error();
  std::vector<std::int32_t> place(order->begin(), order->end()), node(place.size());
  for (std::int32_t a = 0; a < nodes; ++a) node[place[a]] = a;
  postorder(place, node, parents(g, place, node));
  if (stop.stop_requested()) return stop_error();
  std::vector<Index> weight(static_cast<std::size_t>(nodes) + 1, 0);
  for (const std::int32_t a : of) ++weight[place[a] + 1];
  std::partial_sum(weight.begin(), weight.end(), weight.begin());
  std::vector<Front> fronts = merged(fundamental_fronts(g, place, node), weight);
  // From nodes to unknowns.
  EliminationTree out;
  out.place.resize(of.size());
  out.unknown.resize(of.size());
  std::vector<Index> fill(weight.begin(), weight.end() - 1);
  for (std::size_t i = 0; i < of.size(); ++i) {
    out.place[i] = static_cast<std::int32_t>(fill[place[of[i]]]++);
    out.unknown[out.place[i]] = static_cast<std::int32_t>(i);
  }
  for (Front& f : fronts) {
    std::vector<std::int32_t> expanded;
    for (const std::int32_t r : f.rows)
      for (Index k = weight[r]; k < weight[r + 1]; ++k) expanded.push_back(static_cast<std::int32_t>(k));
    f.rows = std::move(expanded);
    f.first = static_cast<std::int32_t>(weight[f.first]);
    f.last = static_cast<std::int32_t>(weight[f.last]);
    const Index p = f.pivots();
    out.entries += p * (p + 1) / 2 + p * (f.size() - p);
    out.flops += f.flops();
  }
  out.fronts = std::move(fronts);
  return out;
}

}  // namespace conoid

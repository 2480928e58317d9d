// SPDX-License-Identifier: BSD-3-Clause
// From the graph of a matrix to fronts.
#include "engine/linalg/elimination_tree.hpp"

#include "engine/core/stop.hpp"
#include "engine/linalg/dissection.hpp"
#include "engine/linalg/sparse_graph.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <numeric>

namespace conoid {
namespace {

/// Fronts below so many pivots are merged with their parents, and larger ones where that adds no more than this share of zeros.
constexpr Index small_front = 24;
constexpr double zeros_allowed = 0.08;

/// Nodes of a chunk.
constexpr Index grain = 512;

/// Of each unknown all that it shares an entry with, ascending; itself where the diagonal has an entry.
SparseGraph whole_graph(const SymmetricMatrix& m, int threads) {
  SparseGraph g;
  const Index n = m.size, pieces = std::max(1, threads), columns = (n + pieces - 1) / pieces;
  std::vector<Index> left(static_cast<std::size_t>(n), 0);
  // Entries above the diagonal of a range of columns, by ascending rows.
  const auto above = [&](Index piece, const auto& body) {
    const auto from = static_cast<std::int32_t>(std::min(n, piece * columns)),
               to = static_cast<std::int32_t>(std::min(n, (piece + 1) * columns));
    for (std::int32_t i = 0; i < to; ++i) {
      const auto end = m.columns.begin() + m.row_start[i + 1];
      for (auto p = std::lower_bound(m.columns.begin() + m.row_start[i], end, std::max(from, i + 1));
           p != end && *p < to; ++p)
        body(i, *p);
    }
  };
  parallel_for(threads, {0, pieces}, 1,
               [&](Index piece) { above(piece, [&](std::int32_t, std::int32_t j) { ++left[j]; }); });
  g.start.assign(static_cast<std::size_t>(n) + 1, 0);
  for (Index i = 0; i < n; ++i) g.start[i + 1] = g.start[i] + left[i] + m.row_start[i + 1] - m.row_start[i];
  g.neighbour.resize(static_cast<std::size_t>(g.start.back()));
  parallel_for(threads, {0, n}, grain, [&](Index i) {
    std::copy(m.columns.begin() + m.row_start[i], m.columns.begin() + m.row_start[i + 1],
              g.neighbour.begin() + g.start[i] + left[i]);
  });
  parallel_for(threads, {0, pieces}, 1, [&](Index piece) {
    above(piece, [&](std::int32_t i, std::int32_t j) {
      g.neighbour[g.start[j + 1] - (m.row_start[j + 1] - m.row_start[j]) - left[j]--] = i;
    });
  });
  return g;
}

/// Unknowns of one node have the same neighbours. Node of each unknown.
std::vector<std::int32_t> nodes_of(const SparseGraph& whole, std::int32_t& nodes, int threads) {
  const auto n = static_cast<Index>(whole.nodes());
  using Marked = std::pair<std::uint64_t, std::int32_t>;  // a sum of the neighbours; the unknown
  std::vector<Marked> marked(static_cast<std::size_t>(n));
  parallel_for(threads, {0, n}, grain, [&](Index i) {
    std::uint64_t mark = 0;
    for (const std::int32_t k : whole.of(i))
      mark += (static_cast<std::uint64_t>(k) + 1) * 0x9e3779b97f4a7c15ULL ^ static_cast<std::uint64_t>(k) << 20;
    marked[i] = {mark, static_cast<std::int32_t>(i)};
  });
  std::sort(marked.begin(), marked.end());
  std::vector<Index> groups;  // of equal marks
  for (Index k = 0; k < n; ++k)
    if (k == 0 || marked[k].first != marked[k - 1].first) groups.push_back(k);
  groups.push_back(n);
  std::vector<std::int32_t> first(static_cast<std::size_t>(n));  // with the same neighbours
  parallel_for(threads, {0, static_cast<Index>(groups.size()) - 1}, grain, [&](Index group) {
    std::vector<std::int32_t> candidates;
    for (Index k = groups[group]; k < groups[group + 1]; ++k) {
      const std::int32_t i = marked[k].second;
      const auto list = whole.of(i);
      const auto same = std::find_if(candidates.begin(), candidates.end(), [&](std::int32_t c) {
        const auto other = whole.of(c);
        return std::equal(list.begin(), list.end(), other.begin(), other.end());
      });
      first[i] = same != candidates.end() ? *same : i;
      if (first[i] == i) candidates.push_back(i);
    }
  });
  std::vector<std::int32_t> out(static_cast<std::size_t>(n));
  nodes = 0;
  for (Index i = 0; i < n; ++i) out[i] = first[i] == i ? nodes++ : out[first[i]];
  return out;
}

/// The graph of the nodes, without themselves, weighed by their unknowns.
SparseGraph quotient(const SparseGraph& whole, const std::vector<std::int32_t>& node, std::int32_t nodes, int threads) {
  std::vector<std::int32_t> first(static_cast<std::size_t>(nodes), -1);
  SparseGraph g;
  g.weight.assign(static_cast<std::size_t>(nodes), 0);
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (first[node[i]] < 0) first[node[i]] = static_cast<std::int32_t>(i);
    ++g.weight[node[i]];
  }
  g.start.assign(static_cast<std::size_t>(nodes) + 1, 0);
  std::vector<std::vector<std::int32_t>> pieces(static_cast<std::size_t>((nodes + grain - 1) / grain)),
      seen(static_cast<std::size_t>(std::max(1, threads)));
  in_chunks(std::max(1, threads), {0, nodes}, grain, [&](Interval chunk, int thread) {
    std::vector<std::int32_t>& piece = pieces[chunk.begin / grain];
    std::vector<std::int32_t>& mark = seen[thread];
    if (mark.empty()) mark.assign(static_cast<std::size_t>(nodes), -1);
    for (auto a = static_cast<std::int32_t>(chunk.begin); a < chunk.end; ++a) {
      mark[a] = a;
      const std::size_t before = piece.size();
      for (const std::int32_t i : whole.of(first[a])) {
        const std::int32_t b = node[i];
        if (mark[b] == a) continue;
        mark[b] = a;
        piece.push_back(b);
      }
      g.start[a + 1] = static_cast<Index>(piece.size() - before);
    }
  });
  std::partial_sum(g.start.begin(), g.start.end(), g.start.begin());
  g.neighbour.resize(static_cast<std::size_t>(g.start.back()));
  parallel_for(threads, {0, static_cast<Index>(pieces.size())}, 1, [&](Index k) {
    std::copy(pieces[k].begin(), pieces[k].end(), g.neighbour.begin() + g.start[k * grain]);
  });
  return g;
}

/// Parent of each place in the elimination tree (Liu's algorithm with shortcuts).
std::vector<std::int32_t> parents(const SparseGraph& g, const std::vector<std::int32_t>& place,
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
std::vector<Front> fundamental_fronts(const SparseGraph& g, const std::vector<std::int32_t>& place,
                                      const std::vector<std::int32_t>& node) {
  const std::vector<std::int32_t> parent = parents(g, place, node);
  const std::int32_t n = g.nodes();
  std::vector<int> front_of(static_cast<std::size_t>(n), -1), children(static_cast<std::size_t>(n), 0);
  std::vector<std::vector<int>> waiting(static_cast<std::size_t>(n));  // fronts whose parent this place is
  for (std::int32_t i = 0; i < n; ++i)
    if (parent[i] >= 0) ++children[parent[i]];
  std::vector<int> seen(static_cast<std::size_t>(n), -1);  // the last front among whose rows a place was
  std::vector<Front> fronts;
  std::vector<std::size_t> passed;  // rows of each front that have become pivots
  for (std::int32_t at = 0; at < n; ++at) {
    const std::vector<int>& below = waiting[at];
    const auto has = [&](int f) {  // nothing was seen since the rows of an only child's front
      for (const std::int32_t other : g.of(node[at]))
        if (place[other] > at && seen[place[other]] != f) return false;
      return true;
    };
    if (children[at] == 1 && below.size() == 1 && has(below[0])) {
      front_of[at] = below[0];
      fronts[below[0]].last = at + 1;
      ++passed[below[0]];
    } else {
      const int own = static_cast<int>(fronts.size());
      std::vector<std::int32_t> rows;
      const auto take = [&](std::int32_t r) {
        if (r <= at || seen[r] == own) return;
        seen[r] = own;
        rows.push_back(r);
      };
      for (const std::int32_t other : g.of(node[at])) take(place[other]);
      for (const int f : below)
        for (const std::int32_t r : fronts[f].rows) take(r);
      std::sort(rows.begin(), rows.end());
      front_of[at] = own;
      fronts.push_back({at, at + 1, std::move(rows), -1, {}});
      passed.push_back(0);
    }
    if (parent[at] >= 0) waiting[parent[at]].push_back(front_of[at]);
  }
  for (std::size_t f = 0; f < fronts.size(); ++f)
    fronts[f].rows.erase(fronts[f].rows.begin(), fronts[f].rows.begin() + static_cast<std::ptrdiff_t>(passed[f]));
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

Result<EliminationTree> elimination_tree(const SymmetricMatrix& m, int threads, const std::stop_token& stop) {
  threads = std::max(1, threads);
  const SparseGraph whole = whole_graph(m, threads);
  std::int32_t nodes = 0;
  const std::vector<std::int32_t> of = nodes_of(whole, nodes, threads);
  const SparseGraph g = quotient(whole, of, nodes, threads);
  auto order = dissect(g, threads, stop);
  if (!order) return order.error();
  std::vector<std::int32_t> place = std::move(*order), node(place.size());
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
  std::vector<double> flops(fronts.size());
  parallel_for(threads, {0, static_cast<Index>(fronts.size())}, 16, [&](Index k) {
    Front& f = fronts[k];
    std::vector<std::int32_t> expanded;
    for (const std::int32_t r : f.rows)
      for (Index u = weight[r]; u < weight[r + 1]; ++u) expanded.push_back(static_cast<std::int32_t>(u));
    f.rows = std::move(expanded);
    f.first = static_cast<std::int32_t>(weight[f.first]);
    f.last = static_cast<std::int32_t>(weight[f.last]);
    flops[k] = f.flops();
  });
  for (std::size_t k = 0; k < fronts.size(); ++k) {
    const Index p = fronts[k].pivots();
    out.entries += p * (p + 1) / 2 + p * (fronts[k].size() - p);
    out.flops += flops[k];
  }
  out.fronts = std::move(fronts);
  return out;
}

}  // namespace conoid

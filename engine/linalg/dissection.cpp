// SPDX-License-Identifier: BSD-3-Clause
// Parts of a graph, their separators, and the order within parts that are not divided.
#include "engine/linalg/dissection.hpp"

#include "engine/core/stop.hpp"
#include "engine/linalg/vertex_separator.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace conoid {
namespace {

/// Parts of no more nodes are not divided.
constexpr std::int32_t small_part = 200;
/// Parts that single threads dissect to the end, and below which number all threads work on one part after the other.
constexpr std::size_t many_parts = 128, few_parts = 4;

struct Part {
  SparseGraph graph;
  std::vector<std::int32_t> node;  ///< of the whole graph
  std::int32_t first = 0;          ///< place
  std::uint64_t seed = 1;
};

/// What a thread needs for parts that are not divided.
struct Scratch {
  std::vector<std::int32_t> local;  ///< of each node of the whole graph, −1
  std::vector<std::uint64_t> bits;
  std::vector<std::int32_t> degree, around;
};

/// Rows of bits: who is a neighbour in the graph that is left. Nodes around the part count in degrees but stay.
class SmallPart {
 public:
  SmallPart(const SparseGraph& whole, const std::vector<std::int32_t>& node, Scratch& s)
      : s_(&s), n_(static_cast<std::int32_t>(node.size())) {
    if (s.local.empty()) s.local.assign(static_cast<std::size_t>(whole.nodes()), -1);
    s.around.clear();
    for (std::int32_t i = 0; i < n_; ++i) s.local[node[i]] = i;
    std::int32_t all = n_;
    for (const std::int32_t v : node)
      for (const std::int32_t u : whole.of(v))
        if (s.local[u] < 0) {
          s.local[u] = all++;
          s.around.push_back(u);
        }
    words_ = (all + 63) / 64;
    s.bits.assign(static_cast<std::size_t>(n_) * static_cast<std::size_t>(words_), 0);
    for (std::int32_t i = 0; i < n_; ++i)
      for (const std::int32_t u : whole.of(node[i])) row(i)[s.local[u] / 64] |= std::uint64_t{1} << s.local[u] % 64;
    for (const std::int32_t v : node) s.local[v] = -1;
    for (const std::int32_t v : s.around) s.local[v] = -1;
    s.degree.resize(static_cast<std::size_t>(n_));
    for (std::int32_t i = 0; i < n_; ++i) count(i);
  }
  /// The nodes one after the other by least degree; those that have no neighbours of their own beside the last one follow at once.
  template <class Body>
  void order(const Body& next) {
    for (std::int32_t left = n_; left > 0;) {
      std::int32_t v = -1;
      for (std::int32_t i = 0; i < n_; ++i)
        if (s_->degree[i] >= 0 && (v < 0 || s_->degree[i] < s_->degree[v])) v = i;
      while (v >= 0) {
        next(v);
        --left;
        v = eliminate(v);
      }
    }
  }

 private:
  std::uint64_t* row(std::int32_t i) { return s_->bits.data() + static_cast<std::ptrdiff_t>(i) * words_; }
  void count(std::int32_t i) {
    std::int32_t d = 0;
    for (std::int32_t w = 0; w < words_; ++w) d += std::popcount(row(i)[w]);
    s_->degree[i] = d;
  }
  /// Its neighbours become neighbours of each other. Returns one whose neighbours are those and no others, or −1.
  std::int32_t eliminate(std::int32_t v) {
    const std::int32_t degree = s_->degree[v];
    s_->degree[v] = -1;
    const std::uint64_t* const mine = row(v);
    std::int32_t follows = -1;
    for (std::int32_t w = 0; w < (n_ + 63) / 64; ++w)
      for (std::uint64_t bits = mine[w]; bits != 0; bits &= bits - 1) {
        const std::int32_t u = 64 * w + std::countr_zero(bits);
        if (u >= n_) break;
        std::uint64_t* const to = row(u);
        for (std::int32_t k = 0; k < words_; ++k) to[k] |= mine[k];
        to[u / 64] &= ~(std::uint64_t{1} << u % 64);
        to[v / 64] &= ~(std::uint64_t{1} << v % 64);
        count(u);
        if (follows < 0 && s_->degree[u] == degree - 1) follows = u;
      }
    return follows;
  }

  Scratch* s_;
  std::int32_t n_, words_ = 0;
};

/// The nodes of one half with the edges among them.
Part half_of(const Part& part, const Halves& halves, int side, std::int32_t first) {
  Part out;
  out.first = first;
  out.seed = 2 * part.seed + static_cast<std::uint64_t>(side);
  std::vector<std::int32_t> number(halves.side.size(), -1), from;
  for (std::int32_t v = 0; v < part.graph.nodes(); ++v)
    if (halves.side[v] == side) {
      number[v] = static_cast<std::int32_t>(from.size());
      from.push_back(v);
    }
  out.node.reserve(from.size());
  out.graph.start.reserve(from.size() + 1);
  for (const std::int32_t v : from) {
    out.node.push_back(part.node[v]);
    out.graph.weight.push_back(part.graph.weight[v]);
    for (const std::int32_t u : part.graph.of(v))
      if (number[u] >= 0) out.graph.neighbour.push_back(number[u]);
    out.graph.start.push_back(static_cast<Index>(out.graph.neighbour.size()));
  }
  return out;
}

class Dissection {
 public:
  Dissection(const SparseGraph& whole, int threads, std::stop_token stop)
      : whole_(&whole), threads_(std::max(1, threads)), stop_(std::move(stop)),
        scratch_(static_cast<std::size_t>(threads_)), place_(static_cast<std::size_t>(whole.nodes()), -1) {}

  Result<std::vector<std::int32_t>> run() {
    Part all;
    all.graph = *whole_;
    all.node.resize(place_.size());
    std::iota(all.node.begin(), all.node.end(), 0);
    std::vector<Part> parts;
    parts.push_back(std::move(all));
    while (!parts.empty() && parts.size() < many_parts) parts = divided(std::move(parts));
    in_chunks(threads_, {0, static_cast<Index>(parts.size())}, 1, [&](Interval chunk, int thread) {
      std::vector<Part> waiting;
      waiting.push_back(std::move(parts[chunk.begin]));
      while (!waiting.empty() && !stop_.stop_requested()) {
        const Part part = std::move(waiting.back());
        waiting.pop_back();
        if (ends(part, thread)) continue;
        const Halves halves = vertex_separator(part.graph, part.seed, 1, stop_);
        for (int side = 0; side < 2; ++side)
          if (Part half = child(part, halves, side); !half.node.empty()) waiting.push_back(std::move(half));
      }
    });
    if (stop_.stop_requested()) return stop_error();
    return std::move(place_);
  }

 private:
  /// Halves of all parts, in their order; those that are not divided get their places.
  std::vector<Part> divided(std::vector<Part> parts) {
    const auto count = static_cast<Index>(parts.size());
    std::vector<Halves> halves(parts.size());
    std::vector<std::uint8_t> ended(parts.size(), 0);
    const bool one_by_one = parts.size() < few_parts;
    in_chunks(one_by_one ? 1 : threads_, {0, count}, 1, [&](Interval chunk, int thread) {
      const Index k = chunk.begin;
      if (stop_.stop_requested()) return;
      ended[k] = ends(parts[k], thread) ? 1 : 0;
      if (!ended[k]) halves[k] = vertex_separator(parts[k].graph, parts[k].seed, one_by_one ? threads_ : 1, stop_);
    });
    if (stop_.stop_requested()) return {};
    std::vector<Part> out(2 * parts.size());
    parallel_for(threads_, {0, 2 * count}, 1, [&](Index k) {
      if (!ended[k / 2]) out[k] = child(parts[k / 2], halves[k / 2], static_cast<int>(k % 2));
    });
    std::erase_if(out, [](const Part& p) { return p.node.empty(); });
    return out;
  }

  /// Places of a part that is not divided. False: it is.
  bool ends(const Part& part, int thread) {
    if (part.graph.nodes() > small_part) return false;
    std::int32_t at = part.first;
    SmallPart(*whole_, part.node, scratch_[thread]).order([&](std::int32_t i) { place_[part.node[i]] = at++; });
    return true;
  }

  /// A half of a part; with half 0 the places of the separator are given. What cannot be divided is taken in its order.
  Part child(const Part& part, const Halves& halves, int side) {
    std::array<std::int32_t, 3> size{};
    for (const std::uint8_t s : halves.side) ++size[s];
    const bool whole = std::max(size[0], size[1]) == part.graph.nodes();
    if (side == 0) {
      std::int32_t at = part.first + (whole ? 0 : size[0] + size[1]);
      for (std::int32_t v = 0; v < part.graph.nodes(); ++v)
        if (whole || halves.side[v] == 2) place_[part.node[v]] = at++;
    }
    if (whole) return {};
    return half_of(part, halves, side, part.first + (side == 0 ? 0 : size[0]));
  }

  const SparseGraph* whole_;
  int threads_;
  std::stop_token stop_;
  std::vector<Scratch> scratch_;
  std::vector<std::int32_t> place_;
};

}  // namespace

Result<std::vector<std::int32_t>> dissect(const SparseGraph& graph, int threads, const std::stop_token& stop) {
  return Dissection(graph, threads, stop).run();
}

}  // namespace conoid

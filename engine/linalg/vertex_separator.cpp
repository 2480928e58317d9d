// SPDX-License-Identifier: BSD-3-Clause
// Matching, contraction, halves of the coarsest graph, refinement on the way back.
#include "engine/linalg/vertex_separator.hpp"

#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace conoid {
namespace {

/// Nodes of a chunk.
constexpr Index grain = 512;
/// A graph of more nodes is contracted so many times before halves are looked for from several seeds.
constexpr std::int32_t large_graph = 5000;
constexpr int large_steps = 4, large_trials = 3, seeds_of_trial = 5;
/// Of the weight, that a half may have.
constexpr double largest_half = 0.6;
/// Passes of a refinement, and moves without gain that end one. With 10 passes of up to 300 the flops of two layers and a ball of elements
/// are 0.94 to 1.06 of these, and their order takes 1.2 to 1.3 times as long.
constexpr int most_passes = 4;
constexpr std::size_t least_patience = 20, most_patience = 100;

/// A number that looks drawn (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014, 453: splitmix64).
std::uint64_t drawn(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

/// Pairs of neighbours, those with the strongest ties first, else as drawn: of each node its partner, or itself. Nodes choose, and where two have
/// chosen one another they are a pair, so that the order in which they do so does not matter.
std::vector<std::int32_t> matched(const SparseGraph& g, Index heaviest, std::uint64_t seed, int threads) {
  const std::int32_t n = g.nodes();
  std::vector<std::int32_t> mate(static_cast<std::size_t>(n), -1), choice(mate), open(mate);
  std::iota(open.begin(), open.end(), 0);
  for (int round = 0; round < 8 && !open.empty(); ++round) {
    const Interval all{0, static_cast<Index>(open.size())};
    parallel_for(threads, all, grain, [&](Index k) {
      const std::int32_t v = open[k];
      std::tuple<double, std::uint64_t> best{-1, 0};
      choice[v] = -1;
      for (Index p = g.start[v]; p < g.start[v + 1]; ++p) {
        const std::int32_t u = g.neighbour[p];
        const Index both = Index{g.weight[u]} + g.weight[v];
        if (mate[u] >= 0 || both > heaviest) continue;
        const double strength = (g.tie.empty() ? 1.0 : g.tie[p]) / (static_cast<double>(g.weight[u]) * g.weight[v]);
        if (strength < std::get<0>(best)) continue;
        const auto [low, high] = std::minmax(u, v);
        const std::tuple mark{strength,
                              drawn(seed ^ (static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high)))};
        if (choice[v] >= 0 && mark <= best) continue;
        best = mark;
        choice[v] = u;
      }
    });
    parallel_for(threads, all, grain, [&](Index k) {
      const std::int32_t v = open[k];
      if (choice[v] >= 0 && choice[choice[v]] == v) mate[v] = choice[v];
    });
    std::erase_if(open, [&](std::int32_t v) { return mate[v] >= 0 || choice[v] < 0; });
  }
  for (std::int32_t v = 0; v < n; ++v)
    if (mate[v] < 0) mate[v] = v;
  return mate;
}

/// One node of each pair; `into`: the coarse node of each.
SparseGraph contracted(const SparseGraph& g, const std::vector<std::int32_t>& mate, std::vector<std::int32_t>& into,
                       int threads) {
  const std::int32_t n = g.nodes();
  into.assign(static_cast<std::size_t>(n), -1);
  std::vector<std::int32_t> first;
  for (std::int32_t v = 0; v < n; ++v)
    if (mate[v] >= v) {
      into[v] = into[mate[v]] = static_cast<std::int32_t>(first.size());
      first.push_back(v);
    }
  const auto coarse = static_cast<Index>(first.size());
  struct Piece {
    std::vector<std::int32_t> neighbour, tie;
  };
  std::vector<Piece> pieces(static_cast<std::size_t>((coarse + grain - 1) / grain));
  std::vector<std::vector<std::int32_t>> tables(static_cast<std::size_t>(std::max(1, threads)));
  SparseGraph out;
  out.start.assign(static_cast<std::size_t>(coarse) + 1, 0);
  out.weight.resize(static_cast<std::size_t>(coarse));
  in_chunks(std::max(1, threads), {0, coarse}, grain, [&](Interval chunk, int thread) {
    Piece& piece = pieces[chunk.begin / grain];
    std::vector<std::int32_t>& at = tables[thread];  // of a coarse neighbour in the piece
    if (at.empty()) at.assign(static_cast<std::size_t>(coarse), -1);
    for (Index c = chunk.begin; c < chunk.end; ++c) {
      const std::size_t begin = piece.neighbour.size();
      const std::int32_t one = first[c], other = mate[one];
      const auto take = [&](std::int32_t v) {
        out.weight[c] += g.weight[v];
        for (Index p = g.start[v]; p < g.start[v + 1]; ++p) {
          const std::int32_t to = into[g.neighbour[p]], tie = g.tie.empty() ? 1 : g.tie[p];
          if (to == c) continue;
          if (at[to] < 0) {
            at[to] = static_cast<std::int32_t>(piece.neighbour.size());
            piece.neighbour.push_back(to);
            piece.tie.push_back(tie);
          } else {
            piece.tie[at[to]] += tie;
          }
        }
      };
      take(one);
      if (other != one) take(other);
      for (std::size_t p = begin; p < piece.neighbour.size(); ++p) at[piece.neighbour[p]] = -1;
      out.start[c + 1] = static_cast<Index>(piece.neighbour.size() - begin);
    }
  });
  std::partial_sum(out.start.begin(), out.start.end(), out.start.begin());
  out.neighbour.resize(static_cast<std::size_t>(out.start.back()));
  out.tie.resize(out.neighbour.size());
  parallel_for(threads, {0, static_cast<Index>(pieces.size())}, 1, [&](Index k) {
    std::copy(pieces[k].neighbour.begin(), pieces[k].neighbour.end(), out.neighbour.begin() + out.start[k * grain]);
    std::copy(pieces[k].tie.begin(), pieces[k].tie.end(), out.tie.begin() + out.start[k * grain]);
  });
  return out;
}

/// Halves of one graph and moves of nodes from the separator into them.
class Refiner {
 public:
  Refiner(const SparseGraph& g, Halves halves) : g_(&g), now_(std::move(halves)) {
    const auto n = static_cast<std::size_t>(g.nodes());
    beside_.resize(n);
    version_.assign(n, {0, 0});
    locked_.assign(n, 0);
    for (std::int32_t v = 0; v < g.nodes(); ++v)
      if (now_.side[v] == 2) members_.push_back(v);
    const Index all = now_.weight[0] + now_.weight[1] + now_.weight[2];
    most_ = static_cast<Index>(largest_half * static_cast<double>(all));
  }
  /// All in half 1: half 0 grows from a node until it is the larger.
  static Halves grown(const SparseGraph& g, std::int32_t from);
  void refine() {
    for (int pass = 0; pass < most_passes && better_by_a_pass(); ++pass)
      ;
  }
  [[nodiscard]] const Halves& halves() const { return now_; }
  /// What is made small: weight of a half beyond the most, then of the separator, then the difference of the halves.
  static std::tuple<Index, Index, Index> cost(const Halves& h, Index most) {
    return {std::max<Index>(0, std::max(h.weight[0], h.weight[1]) - most), h.weight[2],
            std::abs(h.weight[0] - h.weight[1])};
  }
  [[nodiscard]] std::tuple<Index, Index, Index> cost() const { return cost(now_, most_); }

 private:
  struct Entry {  ///< a move that may be made: of the node's newest version only
    Index gain;
    Index age;
    std::int32_t node;
    std::int32_t version;
    bool operator<(const Entry& o) const { return gain != o.gain ? gain < o.gain : age < o.age; }
  };
  struct Move {
    std::int32_t node;
    std::uint8_t to;
    std::size_t pulled;  ///< end of those that it pulled into the separator
  };

  void offer(std::int32_t v, int to) {
    if (locked_[v]) return;
    heap_[to].push_back({g_->weight[v] - beside_[v][1 - to], ++age_, v, ++version_[v][to]});
    std::push_heap(heap_[to].begin(), heap_[to].end());
  }
  void measure(std::int32_t v) {
    beside_[v] = {0, 0};
    for (const std::int32_t x : g_->of(v))
      if (now_.side[x] != 2) beside_[v][now_.side[x]] += g_->weight[x];
  }
  /// The best move to a half that is still one.
  const Entry* top(int to) {
    auto& heap = heap_[to];
    while (!heap.empty()) {
      const Entry& e = heap.front();
      if (now_.side[e.node] == 2 && !locked_[e.node] && e.version == version_[e.node][to]) return &e;
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    return nullptr;
  }
  void move(std::int32_t v, int to);
  void take_back(std::size_t keep);
  bool better_by_a_pass();

  const SparseGraph* g_;
  Halves now_;
  Index most_ = 0, age_ = 0;
  std::vector<std::array<Index, 2>> beside_;  ///< of nodes of the separator: weight of their neighbours in either half
  std::vector<std::array<std::int32_t, 2>> version_;
  std::vector<std::uint8_t> locked_;
  std::vector<std::int32_t> members_, pulled_;
  std::vector<Move> moves_;
  std::array<std::vector<Entry>, 2> heap_;
};

void Refiner::move(std::int32_t v, int to) {
  const int other = 1 - to;
  const Index w = g_->weight[v];
  now_.side[v] = static_cast<std::uint8_t>(to);
  now_.weight[2] -= w;
  now_.weight[to] += w;
  for (const std::int32_t u : g_->of(v)) {
    if (now_.side[u] == 2) {
      beside_[u][to] += w;
      offer(u, other);
    } else if (now_.side[u] == other) {
      const Index wu = g_->weight[u];
      now_.side[u] = 2;
      now_.weight[other] -= wu;
      now_.weight[2] += wu;
      pulled_.push_back(u);
      measure(u);
      for (const std::int32_t x : g_->of(u))
        if (now_.side[x] == 2) {
          beside_[x][other] -= wu;
          offer(x, to);
        }
      offer(u, 0);
      offer(u, 1);
    }
  }
  moves_.push_back({v, static_cast<std::uint8_t>(to), pulled_.size()});
}

/// All moves but the first `keep`.
void Refiner::take_back(std::size_t keep) {
  while (moves_.size() > keep) {
    const Move m = moves_.back();
    moves_.pop_back();
    const std::size_t first = moves_.empty() ? 0 : moves_.back().pulled;
    for (std::size_t p = first; p < m.pulled; ++p) {
      const Index w = g_->weight[pulled_[p]];
      now_.side[pulled_[p]] = static_cast<std::uint8_t>(1 - m.to);
      now_.weight[2] -= w;
      now_.weight[1 - m.to] += w;
    }
    now_.side[m.node] = 2;
    now_.weight[m.to] -= g_->weight[m.node];
    now_.weight[2] += g_->weight[m.node];
  }
}

bool Refiner::better_by_a_pass() {
  for (auto& heap : heap_) heap.clear();
  moves_.clear();
  pulled_.clear();
  for (const std::int32_t v : members_) measure(v);
  for (const std::int32_t v : members_) {
    offer(v, 0);
    offer(v, 1);
  }
  const auto before = cost();
  auto best = before;
  std::size_t keep = 0;
  const std::size_t patience = std::clamp(2 * members_.size(), least_patience, most_patience);
  while (moves_.size() - keep <= patience) {
    const std::array<const Entry*, 2> tops{top(0), top(1)};
    const int light = now_.weight[0] <= now_.weight[1] ? 0 : 1;
    const auto fits = [&](int to) {
      return tops[to] != nullptr && (now_.weight[to] + g_->weight[tops[to]->node] <= most_ || to == light);
    };
    int to = light;
    if (now_.weight[1 - light] <= most_ && fits(1 - light) &&
        (tops[light] == nullptr || tops[1 - light]->gain > tops[light]->gain))
      to = 1 - light;
    if (!fits(to)) break;
    const std::int32_t v = tops[to]->node;
    move(v, to);
    locked_[v] = 1;
    if (const auto c = cost(); c < best) {
      best = c;
      keep = moves_.size();
    }
  }
  for (const Move& m : moves_) locked_[m.node] = 0;
  take_back(keep);
  // Members are counted once: a node that was pulled may have been one before.
  members_.insert(members_.end(), pulled_.begin(), pulled_.end());
  std::erase_if(members_, [&](std::int32_t v) {
    if (now_.side[v] != 2 || locked_[v]) return true;
    locked_[v] = 1;
    return false;
  });
  for (const std::int32_t v : members_) locked_[v] = 0;
  return best < before;
}

Halves Refiner::grown(const SparseGraph& g, std::int32_t from) {
  Halves all;
  const std::int32_t n = g.nodes();
  all.side.assign(static_cast<std::size_t>(n), 1);
  all.weight[1] = std::accumulate(g.weight.begin(), g.weight.end(), Index{0});
  Refiner r(g, std::move(all));
  std::int32_t next = 0;
  while (r.now_.weight[0] < r.now_.weight[1]) {
    const Entry* best = r.top(0);
    std::int32_t v = best != nullptr ? best->node : from;
    if (best == nullptr) {  // a first node, or one of another part of the graph
      while (r.now_.side[v] != 1 && next < n) v = next++;
      if (r.now_.side[v] != 1) break;
      r.now_.side[v] = 2;
      r.now_.weight[1] -= g.weight[v];
      r.now_.weight[2] += g.weight[v];
      r.measure(v);
    }
    r.move(v, 0);
  }
  return std::move(r.now_);
}

/// A graph and coarser ones after it.
struct Ladder {
  std::vector<SparseGraph> graphs;              ///< coarser and coarser
  std::vector<std::vector<std::int32_t>> into;  ///< node of graphs[k] of each node of the one before
  const SparseGraph& top(const SparseGraph& finest) const { return graphs.empty() ? finest : graphs.back(); }
};

Ladder contracted(const SparseGraph& finest, std::int32_t enough, int most, std::uint64_t seed, int threads,
                  const std::stop_token& stop) {
  Ladder out;
  const Index all = std::accumulate(finest.weight.begin(), finest.weight.end(), Index{0});
  const Index heaviest = std::max<Index>(1, 3 * all / (2 * std::max(enough, 1)));
  for (int step = 0; step < most && out.top(finest).nodes() > enough && !stop.stop_requested(); ++step) {
    const SparseGraph& g = out.top(finest);
    std::vector<std::int32_t> into;
    SparseGraph next =
        contracted(g, matched(g, heaviest, drawn(seed + static_cast<std::uint64_t>(step)), threads), into, threads);
    if (next.nodes() > 0.95 * g.nodes()) break;
    out.graphs.push_back(std::move(next));
    out.into.push_back(std::move(into));
  }
  return out;
}

/// Halves of the coarsest graph become those of the finest.
Halves brought_back(const SparseGraph& finest, const Ladder& ladder, Halves halves, int threads) {
  for (std::size_t k = ladder.graphs.size(); k-- > 0;) {
    const SparseGraph& g = k == 0 ? finest : ladder.graphs[k - 1];
    Halves fine;
    fine.weight = halves.weight;
    fine.side.resize(static_cast<std::size_t>(g.nodes()));
    parallel_for(threads, {0, g.nodes()}, grain, [&](Index v) { fine.side[v] = halves.side[ladder.into[k][v]]; });
    Refiner r(g, std::move(fine));
    r.refine();
    halves = r.halves();
  }
  return halves;
}

/// From several seeds on the coarsest graph.
Halves trial(const SparseGraph& g, int seeds, std::uint64_t seed, const std::stop_token& stop) {
  const Ladder ladder = contracted(g, std::clamp(g.nodes() / 8, 40, 100), 64, seed, 1, stop);
  const SparseGraph& coarsest = ladder.top(g);
  Halves best;
  for (int k = 0; k < seeds; ++k) {
    const auto from = static_cast<std::int32_t>(drawn(seed ^ (static_cast<std::uint64_t>(k) << 40)) %
                                                static_cast<std::uint64_t>(coarsest.nodes()));
    Refiner r(coarsest, Refiner::grown(coarsest, from));
    r.refine();
    const Index most = static_cast<Index>(
        largest_half * static_cast<double>(r.halves().weight[0] + r.halves().weight[1] + r.halves().weight[2]));
    if (best.side.empty() || r.cost() < Refiner::cost(best, most)) best = r.halves();
  }
  return brought_back(g, ladder, std::move(best), 1);
}

}  // namespace

Halves vertex_separator(const SparseGraph& g, std::uint64_t seed, int threads, const std::stop_token& stop) {
  if (g.nodes() < large_graph) return trial(g, seeds_of_trial, seed, stop);
  const Ladder ladder = contracted(g, std::max(100, g.nodes() / 30), large_steps, seed, threads, stop);
  const SparseGraph& coarse = ladder.top(g);
  std::array<Halves, large_trials> trials;
  parallel_for(threads, {0, large_trials}, 1, [&](Index k) {
    trials[k] = trial(coarse, seeds_of_trial, drawn(seed + 1000 + static_cast<std::uint64_t>(k)), stop);
  });
  const Index all = std::accumulate(g.weight.begin(), g.weight.end(), Index{0});
  const auto most = static_cast<Index>(largest_half * static_cast<double>(all));
  Halves best = std::move(*std::min_element(trials.begin(), trials.end(), [&](const Halves& a, const Halves& b) {
    return Refiner::cost(a, most) < Refiner::cost(b, most);
  }));
  if (stop.stop_requested()) return best;
  return brought_back(g, ladder, std::move(best), threads);
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// L D Lᵀ in fronts of our own: subtrees by one thread each, the fronts above them in tiles by all threads (I. S. Duff, J. K. Reid, ACM TOMS 9
// (1983) 302; front_schedule.hpp). Ranks that share the factors hold subtrees of their own, which lie side by side in the order, and the fronts above them
// one by one, each at the rank that holds least; what is left of a front goes to the rank of its parent. Every front is computed as a
// single rank does it, so that the bits do not depend on their number. Pivots are taken in their order, from the diagonal; a matrix that does not bear that is told by the residual of a
// trial, and goes to the library that exchanges pivots.
#include "engine/cluster/communicator.hpp"
#include "engine/core/log.hpp"
#include "engine/core/stop.hpp"
#include "engine/linalg/big_array.hpp"
#include "engine/linalg/dense_blocked.hpp"
#include "engine/linalg/elimination_tree.hpp"
#include "engine/linalg/front_counts.hpp"
#include "engine/linalg/front_schedule.hpp"
#include "engine/linalg/refinement.hpp"
#include "engine/linalg/sparse_direct_bodies.hpp"
#include "engine/simd/instruction_set.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <queue>
#include <utility>

#include <fmt/core.h>

namespace conoid {
namespace {

using Complex = std::complex<double>;

/// Columns that are eliminated one after the other; wider blocks are halved.
constexpr Index narrow = 8;
/// Of fronts that are shared by threads while right-hand sides pass: pivots that are taken at a time, of which blocks are solved number by
/// number; rows (forward) or pivots (backward) of a piece among the pivots, rows of one below them; columns of a piece of the triangle.
constexpr Index taken_at_once = 96, by_numbers = 16, pivot_piece = 48, row_piece = 96, forward_columns = 12,
                backward_columns = 16;
/// Relative residual of a trial solution beyond which solutions are refined once, and beyond which the factors are of no use.
constexpr double refined = 1e-12, useless = 1e-7;
/// What a pivot of exactly nothing becomes.
template <class Real>
constexpr Real least_pivot = sizeof(Real) == 8 ? Real(1e-300) : Real(1e-30);
bool wide_registers() {
  return instruction_set() == InstructionSet::avx512;
}

/// C −= A B of one thread, with its work space. Real: float or double.
template <class Real>
class Kernel {
 public:
  using Number = std::complex<Real>;
  Kernel() : wide_(wide_registers()) {
    work_.resize(
        static_cast<std::size_t>(wide_ ? dense::blocked::work_numbers_avx512() : dense::blocked::work_numbers_avx2()));
  }
  void subtract(Index m, Index n, Index k, const Number* a, Index lda, const Number* b, Index ldb, Number* c,
                Index ldc) {
    if (m <= 0 || n <= 0 || k <= 0) return;
    const auto *left = reinterpret_cast<const Real*>(a), *right = reinterpret_cast<const Real*>(b);
    auto* const to = reinterpret_cast<Real*>(c);
    if (wide_)
      dense::blocked::subtract_product_avx512(m, n, k, left, lda, right, ldb, to, ldc, work_.data());
    else
      dense::blocked::subtract_product_avx2(m, n, k, left, lda, right, ldb, to, ldc, work_.data());
  }
  std::vector<Number> turned;  ///< D Lᵀ of a block

 private:
  bool wide_;
  std::vector<Real> work_;
};

/// A front under elimination: `l`, its pivots' columns, n × p; `c`, the rest, r × r. Lower triangles count.
template <class Real>
struct Dense {
  FrontTiles tiles;
  std::complex<Real>*l = nullptr, *c = nullptr;
  [[nodiscard]] Index n() const { return tiles.n; }
  [[nodiscard]] Index p() const { return tiles.p; }
  [[nodiscard]] Index r() const { return tiles.n - tiles.p; }
};

/// Eliminates within a front, tile by tile, each by one thread with its kernel.
template <class Real>
class Eliminator {
  using Number = std::complex<Real>;
  using Kernel = conoid::Kernel<Real>;
  using Dense = conoid::Dense<Real>;

 public:
  Eliminator(const Dense& front, Kernel& kernel) : f_(front), kernel_(&kernel) {}

  /// The whole front; tiles as by tasks.
  void run(const std::stop_token& stop) const {
    const FrontTiles& t = f_.tiles;
    for (Index j = 0; j < t.count() && !stop.stop_requested(); ++j) {
      for (Index taken = 0, to = 0; taken < t.depth(j); taken = to) {
        to = t.next(j, taken);
        turn(t.begin(taken), t.end(to - 1), t.begin(j), t.rows(j));
        for (Index i = j; i < t.count(); ++i) take(i, j, t.begin(taken), t.end(to - 1));
      }
      if (j >= t.panels()) continue;
      diagonal(j);
      for (Index i = j + 1; i < t.count(); ++i) solve(i, j);
    }
  }
  /// L and D of a diagonal tile.
  void diagonal(Index k) const { triangle(f_.tiles.begin(k), f_.tiles.end(k), f_.tiles.end(k)); }
  /// Tile (i, k) of L.
  void solve(Index i, Index k) const { strip(f_.tiles.begin(k), f_.tiles.end(k), f_.tiles.begin(i), f_.tiles.rows(i)); }
  /// Tile (i, j) −= L D Lᵀ of panels [first, last).
  void update(Index i, Index j, Index first, Index last) const {
    const Index from = f_.tiles.begin(first), to = f_.tiles.end(last - 1);
    turn(from, to, f_.tiles.begin(j), f_.tiles.rows(j));
    take(i, j, from, to);
  }

 private:
  [[nodiscard]] Number* at(Index row, Index column) const { return f_.l + column * f_.n() + row; }
  /// D Lᵀ of columns [from, to) and rows [row, row + width), for the next products: (to − from) × width.
  void turn(Index from, Index to, Index row, Index width) const {
    const Index depth = to - from;
    std::vector<Number>& out = kernel_->turned;
    out.resize(std::max(out.size(), static_cast<std::size_t>(depth * width)));
    for (Index k = 0; k < depth; ++k) {
      const Number d = *at(from + k, from + k);
      const Number* column = at(row, from + k);
      for (Index i = 0; i < width; ++i) out[static_cast<std::size_t>(i * depth + k)] = d * column[i];
    }
  }
  /// What turn() made, times columns [from, to) of a tile's rows.
  void take(Index i, Index j, Index from, Index to) const {
    const FrontTiles& t = f_.tiles;
    const bool pivots = j < t.panels();
    Number* const out =
        pivots ? at(t.begin(i), t.begin(j)) : f_.c + (t.begin(j) - f_.p()) * f_.r() + t.begin(i) - f_.p();
    kernel_->subtract(t.rows(i), t.rows(j), to - from, at(t.begin(i), from), f_.n(), kernel_->turned.data(), to - from,
                      out, pivots ? f_.n() : f_.r());
  }
  /// Columns [from, to) of rows [from, end).
  void triangle(Index from, Index to, Index end) const {
    if (to - from <= narrow) {
      one_by_one(from, to);
      return below(from, to, to, end - to);
    }
    const Index middle = half(from, to);
    triangle(from, middle, end);
    turn(from, middle, middle, to - middle);
    kernel_->subtract(end - middle, to - middle, middle - from, at(middle, from), f_.n(), kernel_->turned.data(),
                      middle - from, at(middle, middle), f_.n());
    triangle(middle, to, end);
  }
  /// The same columns of rows below their triangle, which is there.
  void strip(Index from, Index to, Index row, Index rows) const {
    if (to - from <= narrow) return below(from, to, row, rows);
    const Index middle = half(from, to);
    strip(from, middle, row, rows);
    turn(from, middle, middle, to - middle);
    kernel_->subtract(rows, to - middle, middle - from, at(row, from), f_.n(), kernel_->turned.data(), middle - from,
                      at(row, middle), f_.n());
    strip(middle, to, row, rows);
  }
  [[nodiscard]] static Index half(Index from, Index to) {
    return from + ((to - from) / 2 + narrow - 1) / narrow * narrow;
  }
  /// L and D of a block on the diagonal.
  void one_by_one(Index from, Index to) const {
    const Index width = to - from;
    std::array<std::array<Number, narrow>, narrow> unit{};
    for (Index j = 0; j < width; ++j) {
      for (Index i = j; i < width; ++i)
        for (Index k = 0; k < j; ++k) *at(from + i, from + j) -= *at(from + i, from + k) * unit[j][k];
      Number& d = *at(from + j, from + j);
      if (d == Number(0)) d = least_pivot<Real>;
      const Number inverse = Real(1) / d;
      for (Index i = j + 1; i < width; ++i) unit[i][j] = *at(from + i, from + j) * inverse;
    }
    for (Index j = 0; j < width; ++j)
      for (Index i = j + 1; i < width; ++i) *at(from + i, from + j) = unit[i][j];
  }
  /// Rows below such a block: W = L D in place, then L.
  void below(Index from, Index to, Index row, Index rows) const {
    for (Index j = from; j < to; ++j) {
      auto* x = reinterpret_cast<Real*>(at(row, j));
      for (Index k = from; k < j; ++k) {
        const auto* w = reinterpret_cast<const Real*>(at(row, k));
        const Real re = at(j, k)->real(), im = at(j, k)->imag();
        for (Index i = 0; i < rows; ++i) {
          x[2 * i] -= w[2 * i] * re - w[2 * i + 1] * im;
          x[2 * i + 1] -= w[2 * i] * im + w[2 * i + 1] * re;
        }
      }
    }
    for (Index j = from; j < to; ++j) {
      auto* x = reinterpret_cast<Real*>(at(row, j));
      const Number inverse = Real(1) / *at(j, j);
      const Real re = inverse.real(), im = inverse.imag();
      for (Index i = 0; i < rows; ++i) {
        const Real p = x[2 * i], q = x[2 * i + 1];
        x[2 * i] = p * re - q * im;
        x[2 * i + 1] = p * im + q * re;
      }
    }
  }

  Dense f_;
  Kernel* kernel_;
};

template <class Real>
class TreeDirect final : public SparseDirect {
  using Number = std::complex<Real>;
  using Kernel = conoid::Kernel<Real>;
  using Dense = conoid::Dense<Real>;
  static constexpr bool single = sizeof(Real) == 4;
  using Places = std::vector<std::vector<Index>>;
  using Waiting = std::vector<BigArray<Number>>;  ///< of each front what its rows lose, column by column

 public:
  Status factor(const SymmetricMatrix& m, const DirectOptions& options) {
    stop_ = options.stop;
    threads_ = std::max(1, options.threads);
    block_ = block_of(options);
    if (options.ranks != nullptr && options.ranks->size() > 1) {
      cluster_ = options.ranks;
      rank_ = cluster_->rank();
      ranks_ = cluster_->size();
      stop_ = {};
    }
    auto tree = elimination_tree(m, threads_, stop_);
    if (!tree) return tree.error();
    tree_ = std::move(*tree);
    facts_.method = single ? "own fronts in single precision" : "own fronts";
    facts_.entries = tree_.entries;
    facts_.flops = tree_.flops;
    shares_ = share_out(tree_, threads_, ranks_);
    give_to_ranks();
    find_units();
    for (std::size_t f = 0; f < tree_.fronts.size(); ++f)
      start_.push_back(start_.back() +
                       (mine(static_cast<int>(f)) ? tree_.fronts[f].size() * tree_.fronts[f].pivots() : 0));
    facts_.bytes = (static_cast<Bytes>(start_.back()) + static_cast<Bytes>(most_waiting())) * sizeof(Number);
    facts_.ranks = ranks_;
    if (options.memory > 0 && on_any_rank(facts_.bytes > options.memory))
      return make_error(ErrorCode::resources,
                        fmt::format("the factors of {} unknowns need {} MiB", m.size, facts_.bytes >> 20));
    matrix_ = m;
    const auto begun = std::chrono::steady_clock::now();
    bool refused = false;
    try {
      values_ = BigArray<Number>(static_cast<std::size_t>(start_.back()));
    } catch (const std::bad_alloc&) {
      refused = true;
    }
    if (on_any_rank(refused)) throw std::bad_alloc();
    rest_.clear();
    rest_.resize(tree_.fronts.size());
    place_entries();
    kernels_.resize(static_cast<std::size_t>(threads_));
    alone_or_none([&] {
      std::vector<int> own;
      for (std::size_t s = 0; s < shares_.subtrees.size(); ++s)
        if (mine(shares_.subtrees[s][1])) own.push_back(static_cast<int>(s));
      if (ranks_ == 1) return run(std::move(own), shares_.above);
      // What is left of fronts is passed on in their order.
      run(std::move(own), {});
      for (const int f : shares_.above) {
        for (const int child : tree_.fronts[f].children) hand_up(child, f);
        if (mine(f)) run({}, {f});
      }
    });
    if (stop_.stop_requested()) return stop_error();
    facts_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return trial();
  }

  /// What factor() would take, on the rank that needs most.
  Result<CountedFronts> count(const SymmetricMatrix& m, const DirectOptions& options, int ranks) {
    threads_ = std::max(1, options.threads);
    ranks_ = ranks;
    auto tree = elimination_tree(m, threads_, options.stop);
    if (!tree) return tree.error();
    tree_ = std::move(*tree);
    shares_ = share_out(tree_, threads_, ranks_);
    give_to_ranks();
    CountedFronts out;
    out.entries = static_cast<double>(tree_.entries);
    out.flops = tree_.flops;
    for (rank_ = 0; rank_ < ranks_; ++rank_) {
      Index kept = 0;
      for (std::size_t f = 0; f < tree_.fronts.size(); ++f)
        if (mine(static_cast<int>(f))) kept += tree_.fronts[f].size() * tree_.fronts[f].pivots();
      const Bytes bytes = static_cast<Bytes>(kept) * sizeof(Number),
                  waiting = static_cast<Bytes>(most_waiting()) * sizeof(Number);
      if (bytes + waiting <= out.bytes + out.waiting) continue;
      out.bytes = bytes;
      out.waiting = waiting;
    }
    out.fullest = ranks_ > 1 ? out.bytes + out.waiting
                             : static_cast<Bytes>(fullest_numbers(tree_, shares_, threads_)) * sizeof(Number);
    return out;
  }

  Status solve(std::vector<Complex>& columns, Index count) override {
    const Index n = matrix_.size;
    for (Index at = 0; at < count; at += block_) {
      const Index some = std::min<Index>(block_, count - at);
      std::span<Complex> b(columns.data() + at * n, static_cast<std::size_t>(some * n));
      if constexpr (single) {
        if (Status s = refine(b, some); !s) return s;
      } else {
        std::vector<Complex> before;
        if (refine_) before.assign(b.begin(), b.end());
        pass(b, some);
        if (refine_) {
          static_cast<void>(subtract_product(matrix_, threads_, b, before, some));
          pass(before, some);
          for (std::size_t i = 0; i < b.size(); ++i) b[i] += before[i];
        }
      }
      if (stop_.stop_requested()) {
        columns.clear();
        return stop_error();
      }
    }
    return {};
  }
  [[nodiscard]] const DirectFacts& facts() const override { return facts_; }

 private:
  /// Subtrees in the order of the elimination, so that each rank gets neighbours, by equal shares of their work; fronts above from the
  /// top down to who holds least.
  void give_to_ranks() {
    if (ranks_ == 1) return;
    owner_.assign(tree_.fronts.size(), 0);
    const std::vector<double>& work = shares_.work;
    std::vector<std::array<int, 2>> in_order = shares_.subtrees;
    std::sort(in_order.begin(), in_order.end());
    double all = 0, before = 0;
    for (const auto& s : in_order) all += work[s[1]];
    std::vector<Index> held(static_cast<std::size_t>(ranks_), 0);
    const auto size = [&](int f) { return tree_.fronts[f].size() * tree_.fronts[f].pivots(); };
    for (const auto& s : in_order) {
      const int rank =
          std::clamp(static_cast<int>((before + work[s[1]] / 2) / std::max(all, 1e-300) * ranks_), 0, ranks_ - 1);
      before += work[s[1]];
      for (int f = s[0]; f <= s[1]; ++f) {
        owner_[f] = rank;
        held[rank] += size(f);
      }
    }
    for (std::size_t k = shares_.above.size(); k-- > 0;) {
      const auto rank = std::min_element(held.begin(), held.end());
      owner_[shares_.above[k]] = static_cast<int>(rank - held.begin());
      *rank += size(shares_.above[k]);
    }
  }
  /// Who passes right-hand sides through what: subtrees, and fronts above them that are a small share of all, are units of one thread each; the
  /// fronts above those are passed by all threads, one after the other.
  void find_units() {
    units_.clear();
    by_all_.clear();
    const auto work = [&](int f) { return static_cast<double>(tree_.fronts[f].pivots() * tree_.fronts[f].size()); };
    double all = 0;
    for (std::size_t f = 0; f < tree_.fronts.size(); ++f) all += work(static_cast<int>(f));
    const double most = all / (4.0 * threads_);
    std::vector<int> unit_of(tree_.fronts.size(), -1);
    const auto add = [&](int first, int last) {
      Unit unit{first, last, -1, {}, 0, 0};
      for (int f = first; f <= last; ++f) unit.below += work(f);
      if (first == last)
        for (const int c : tree_.fronts[first].children) {
          if (unit_of[c] < 0) continue;
          unit.children.push_back(unit_of[c]);
          units_[unit_of[c]].parent = static_cast<int>(units_.size());
          unit.below += units_[unit_of[c]].below;
        }
      unit.behind = unit.below;
      unit_of[last] = static_cast<int>(units_.size());
      units_.push_back(std::move(unit));
    };
    for (const auto& s : shares_.subtrees) add(s[0], s[1]);
    for (const int f : shares_.above) {
      const auto& children = tree_.fronts[f].children;
      const bool waits = std::any_of(children.begin(), children.end(), [&](int c) { return unit_of[c] < 0; });
      if (waits || work(f) > most)
        by_all_.push_back(f);
      else
        add(f, f);
    }
    // The work of a unit itself, and of all on its way up.
    for (std::size_t u = units_.size(); u-- > 0;) {
      Unit& unit = units_[u];
      for (const int c : unit.children) unit.behind -= units_[c].below;
      if (unit.parent >= 0) unit.behind += units_[unit.parent].behind;
    }
  }
  [[nodiscard]] bool mine(int front) const { return ranks_ == 1 || owner_[front] == rank_; }

  /// Numbers of what is left of fronts on this rank, at most at a time: within as many subtrees as there are threads the most that each
  /// needs; of a front above either all that may wait below it, or itself beside its children.
  [[nodiscard]] Index most_waiting() const {
    const auto rest = [&](int f) {
      const auto r = static_cast<Index>(tree_.fronts[f].rows.size());
      return r * r;
    };
    const auto step = [&](int f, Index& now) {  // the front beside its children; then alone
      const Index peak = now + rest(f);
      now = peak;
      for (const int c : tree_.fronts[f].children) now -= rest(c);
      return peak;
    };
    std::vector<Index> within;
    Index roots = 0;
    for (const auto& s : shares_.subtrees) {
      if (!mine(s[1])) continue;
      Index now = 0, peak = 0;
      for (int f = s[0]; f <= s[1]; ++f) peak = std::max(peak, step(f, now));
      within.push_back(peak - rest(s[1]));
      roots += rest(s[1]);
    }
    std::sort(within.rbegin(), within.rend());
    Index busy = 0;
    for (std::size_t t = 0; t < within.size() && t < static_cast<std::size_t>(threads_); ++t) busy += within[t];
    if (ranks_ == 1) return busy + most_above(rest);
    Index most = roots + busy, now = roots;
    for (const int f : shares_.above) {
      for (const int c : tree_.fronts[f].children)
        if (mine(c) != mine(f)) now += mine(f) ? rest(c) : -rest(c);
      if (mine(f)) most = std::max(most, step(f, now));
    }
    return most;
  }
  /// Of fronts above subtrees in any order of their tasks.
  template <class Rest>
  [[nodiscard]] Index most_above(const Rest& rest) const {
    std::vector<Index> most(tree_.fronts.size(), 0);
    for (const auto& s : shares_.subtrees) most[s[1]] = rest(s[1]);
    for (const int f : shares_.above) {
      Index below = 0, beside = rest(f);
      for (const int c : tree_.fronts[f].children) {
        below += most[c];
        beside += rest(c);
      }
      most[f] = std::max(below, beside);
    }
    Index all = 0;
    for (std::size_t f = 0; f < most.size(); ++f)
      if (tree_.fronts[f].parent < 0) all += most[f];
    return all;
  }

  [[nodiscard]] bool on_any_rank(bool here) const {
    return cluster_ != nullptr ? cluster_->maximum(here ? 1.0 : 0.0) > 0 : here;
  }
  /// What fails on one rank of several between messages leaves the others waiting.
  template <class Body>
  void alone_or_none(const Body& body) const {
    try {
      body();
    } catch (const std::bad_alloc&) {
      if (cluster_ == nullptr) throw;
      log::error("rank {} has no memory for its part of the factors, {} MiB", rank_, facts_.bytes >> 20);
      abort_all_ranks(static_cast<int>(ErrorCode::resources));
    }
  }

  /// From the rank of `from` to that of `to`, where these are others; both call it in the order of the fronts.
  void pass_on(int from, int to, std::span<const Number> out, std::span<Number> in) const {
    if (owner_[from] == rank_)
      cluster_->start_exchange(std::array{Outgoing{owner_[to], std::as_bytes(out)}}, {});
    else
      cluster_->start_exchange({}, std::array{Incoming{owner_[from], std::as_writable_bytes(in)}});
    cluster_->finish_exchange();
  }
  [[nodiscard]] bool concerns(int from, int to) const {
    return ranks_ > 1 && owner_[from] != owner_[to] && (owner_[from] == rank_ || owner_[to] == rank_);
  }

  /// What is left of a front to the rank of its parent: the lower triangle.
  void hand_up(int child, int parent) {
    if (!concerns(child, parent)) return;
    const auto r = static_cast<Index>(tree_.fronts[child].rows.size());
    std::vector<Number> packed(static_cast<std::size_t>(r * (r + 1) / 2));
    const auto columns = [&](const auto& body) {
      Number* at = packed.data();
      for (Index j = 0; j < r; at += r - j, ++j) body(at, rest_[child].data() + j * r + j, r - j);
    };
    if (mine(child)) {
      columns([](Number* at, const Number* rest, Index n) { std::copy_n(rest, n, at); });
      rest_[child] = BigArray<Number>();
    }
    pass_on(child, parent, packed, packed);
    if (!mine(parent)) return;
    rest_[child] = BigArray<Number>(static_cast<std::size_t>(r * r));
    columns([](const Number* at, Number* rest, Index n) { std::copy_n(at, n, rest); });
  }
  /// The values that a front's rows lose, to the rank of its parent.
  void hand_up(int child, int parent, Index count, Waiting& waiting) const {
    if (!concerns(child, parent)) return;
    BigArray<Number>& values = waiting[child];
    if (!mine(child)) values = BigArray<Number>(tree_.fronts[child].rows.size() * static_cast<std::size_t>(count));
    const std::span<Number> all(values.data(), values.size());
    pass_on(child, parent, all, all);
    if (mine(child)) values = {};
  }
  /// The solution at a front's rows from the rank of its parent, which has it.
  void hand_down(int child, Index count, std::span<Number> x) const {
    const Front& front = tree_.fronts[child];
    if (front.parent < 0 || !concerns(front.parent, child)) return;
    std::vector<Number> values(front.rows.size() * static_cast<std::size_t>(count));
    if (mine(front.parent))
      for (std::size_t i = 0; i < front.rows.size(); ++i)
        std::copy_n(x.data() + front.rows[i] * count, count, values.data() + static_cast<Index>(i) * count);
    pass_on(front.parent, child, values, values);
    if (mine(child))
      for (std::size_t i = 0; i < front.rows.size(); ++i)
        std::copy_n(values.data() + static_cast<Index>(i) * count, count, x.data() + front.rows[i] * count);
  }
  /// The solution of all ranks' pivots on all of them.
  void join(Index count, std::span<Number> x) const {
    if (ranks_ == 1) return;
    std::vector<Number> own;
    const auto stretch = [&](int f) {
      return x.subspan(static_cast<std::size_t>(tree_.fronts[f].first * count),
                       static_cast<std::size_t>(tree_.fronts[f].pivots() * count));
    };
    const auto fronts = static_cast<int>(tree_.fronts.size());
    for (int f = 0; f < fronts; ++f)
      if (mine(f)) own.insert(own.end(), stretch(f).begin(), stretch(f).end());
    const std::vector<Number> all = cluster_->all_gather_values<Number>(own);
    const Number* at = all.data();
    for (int rank = 0; rank < ranks_; ++rank)
      for (int f = 0; f < fronts; ++f)
        if (owner_[f] == rank) {
          std::copy_n(at, stretch(f).size(), stretch(f).data());
          at += stretch(f).size();
        }
  }

  /// Which entries of the matrix each front takes: those of its pivots' columns, in whatever order, since no two of them have one place.
  void place_entries() {
    const Index n = matrix_.size;
    entry_start_.assign(static_cast<std::size_t>(n) + 1, 0);
    const auto each = [&](const auto& body) {
      parallel_for(threads_, {0, n}, 1024, [&](Index i) {
        for (Index p = matrix_.row_start[i]; p < matrix_.row_start[i + 1]; ++p) {
          const std::int32_t a = tree_.place[i], b = tree_.place[matrix_.columns[p]];
          body(std::min(a, b), std::max(a, b), p);
        }
      });
    };
    const auto one_more = [](Index& count) { return std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed); };
    each([&](std::int32_t column, std::int32_t, Index) { one_more(entry_start_[column + 1]); });
    std::partial_sum(entry_start_.begin(), entry_start_.end(), entry_start_.begin());
    std::vector<Index> next(entry_start_.begin(), entry_start_.end() - 1);
    entries_ = BigArray<Entry>(static_cast<std::size_t>(entry_start_.back()));
    each([&](std::int32_t column, std::int32_t row, Index p) { entries_.data()[one_more(next[column])] = {p, row}; });
  }

  /// Subtrees and the fronts above them, by all threads; nothing more once a stop is heard.
  void run(std::vector<int> subtrees, const std::vector<int>& above) {
    FrontSchedule schedule(tree_, shares_, std::move(subtrees), above, threads_);
    std::vector<Places> places(tree_.fronts.size());
    in_chunks(threads_, {0, threads_}, 1, [&](Interval, int thread) {
      try {
        while (const std::optional<FrontTask> task = schedule.next()) {
          if (stop_.stop_requested()) break;
          work_on(*task, places, kernels_[static_cast<std::size_t>(thread)]);
          if (schedule.done(*task)) {
            drop_children(task->front);
            places[task->front] = {};
          }
        }
      } catch (...) {
        schedule.end();
        throw;
      }
      schedule.end();  // there is none, or a stop
    });
  }
  void work_on(const FrontTask& task, std::vector<Places>& places, Kernel& kernel) {
    using Kind = FrontTask::Kind;
    if (task.kind == Kind::subtree) {
      const auto [first, last] = shares_.subtrees[task.front];
      for (int f = first; f <= last && !stop_.stop_requested(); ++f) eliminate(f, kernel);
      return;
    }
    if (task.kind == Kind::open) {
      places[task.front] = open(task.front);
      return;
    }
    const Dense f = dense(task.front);
    const Eliminator<Real> eliminator(f, kernel);
    if (task.kind == Kind::assemble) assemble(task.front, f, places[task.front], task.j);
    if (task.kind == Kind::diagonal) eliminator.diagonal(task.j);
    if (task.kind == Kind::solve) eliminator.solve(task.i, task.j);
    if (task.kind == Kind::update) eliminator.update(task.i, task.j, task.first, task.last);
  }

  /// A front by one thread.
  void eliminate(int number, Kernel& kernel) {
    const Places places = open(number);
    const Dense f = dense(number);
    for (Index j = 0; j < f.tiles.count(); ++j) assemble(number, f, places, j);
    drop_children(number);
    Eliminator<Real>(f, kernel).run(stop_);
  }
  [[nodiscard]] Dense dense(int number) {
    const Front& front = tree_.fronts[number];
    return {{front.size(), front.pivots()}, values_.data() + start_[number], rest_[number].data()};
  }
  [[nodiscard]] static Index local(const Front& front, std::int32_t place) {
    return place < front.last
               ? place - front.first
               : front.pivots() + (std::lower_bound(front.rows.begin(), front.rows.end(), place) - front.rows.begin());
  }
  /// Memory for what will be left of a front; where the rows of its children lie in it, ascending.
  Places open(int number) {
    const Front& front = tree_.fronts[number];
    const std::size_t r = front.rows.size();
    rest_[number] = BigArray<Number>(r * r);
    return children_in(front);
  }
  /// Where the rows of a front's children lie in it.
  [[nodiscard]] Places children_in(const Front& front) const {
    Places out(front.children.size());
    for (std::size_t c = 0; c < out.size(); ++c) {
      const std::vector<std::int32_t>& rows = tree_.fronts[front.children[c]].rows;
      out[c].reserve(rows.size());
      for (const std::int32_t row : rows) out[c].push_back(local(front, row));
    }
    return out;
  }
  /// Column `j` of a front's tiles: entries of the matrix, then what is left of its children, in their order. Nobody has written there yet:
  /// the pages come from the system too. Of the rest, what lies above the tiles of the diagonal is neither read nor written.
  void assemble(int number, const Dense& f, const Places& places, Index j) {
    const Front& front = tree_.fronts[number];
    const Index begin = f.tiles.begin(j), end = f.tiles.end(j);
    const bool pivots = j < f.tiles.panels();
    // Of column k, so that row i of the front lies at [i].
    const auto column = [&](Index k) { return pivots ? f.l + k * f.n() : f.c + (k - f.p()) * f.r() - f.p(); };
    for (Index k = begin; k < end; ++k) std::fill(column(k) + (pivots ? 0 : begin), column(k) + f.n(), Number(0));
    if (pivots)
      for (Index k = begin; k < end; ++k)
        for (Index e = entry_start_[front.first + k]; e < entry_start_[front.first + k + 1]; ++e)
          column(k)[local(front, entries_.data()[e].row)] += Number(matrix_.values[entries_.data()[e].entry]);
    for (std::size_t c = 0; c < places.size(); ++c) {
      const std::vector<Index>& at = places[c];
      const auto r = static_cast<Index>(at.size());
      const Number* rest = rest_[front.children[c]].data();
      for (Index k = std::lower_bound(at.begin(), at.end(), begin) - at.begin(); k < r && at[k] < end; ++k) {
        Number* to = column(at[k]);
        for (Index i = k; i < r; ++i) to[at[i]] += rest[k * r + i];
      }
    }
  }
  void drop_children(int number) {
    for (const int child : tree_.fronts[number].children) rest_[child] = BigArray<Number>();
  }

  /// Columns overwritten with the solutions of the factors.
  void pass(std::span<Complex> b, Index count) {
    const Index n = matrix_.size;
    // By places, the values of all columns beside one another.
    if (static_cast<Index>(passing_.size()) < n * count)
      passing_ = BigArray<Number>(static_cast<std::size_t>(n * count));
    const std::span<Number> x(passing_.data(), static_cast<std::size_t>(n * count));
    std::vector<double> size(static_cast<std::size_t>(count), 1);
    if constexpr (single)
      for (Index c = 0; c < count; ++c)
        size[c] = largest_part(b.subspan(static_cast<std::size_t>(c * n), static_cast<std::size_t>(n)));
    parallel_for(threads_, {0, n}, 1024, [&](Index i) {
      for (Index c = 0; c < count; ++c)
        x[tree_.place[i] * count + c] = single ? Number(b[c * n + i] / size[c]) : Number(b[c * n + i]);
    });
    Waiting waiting(tree_.fronts.size());
    const auto subtrees = static_cast<Index>(shares_.subtrees.size());
    const auto by_subtrees = [&](const auto& body) {
      in_chunks(threads_, {0, subtrees}, 1, [&](Interval chunk, int thread) {
        if (const auto [first, last] = shares_.subtrees[chunk.begin]; mine(last))
          body(first, last, std::span(&kernels_[static_cast<std::size_t>(thread)], 1));
      });
    };
    const auto up = [&](int first, int last, std::span<Kernel> kernels) {
      for (int f = first; f <= last && !stop_.stop_requested(); ++f) forward(f, x, count, waiting, kernels);
    };
    const auto down = [&](int first, int last, std::span<Kernel> kernels) {
      for (int f = last; f >= first && !stop_.stop_requested(); --f) backward(f, x, count, kernels);
    };
    alone_or_none([&] {
      if (ranks_ == 1) {
        by_units(true, up);
        for (const int f : by_all_) up(f, f, kernels_);
        for (std::size_t k = by_all_.size(); k-- > 0;) down(by_all_[k], by_all_[k], kernels_);
        by_units(false, down);
        return;
      }
      by_subtrees(up);
      for (const int f : shares_.above) {
        for (const int child : tree_.fronts[f].children) hand_up(child, f, count, waiting);
        if (mine(f)) up(f, f, kernels_);
      }
      for (std::size_t k = shares_.above.size(); k-- > 0;) {
        const int f = shares_.above[k];
        hand_down(f, count, x);
        if (mine(f)) down(f, f, kernels_);
      }
      for (const auto& s : shares_.subtrees) hand_down(s[1], count, x);
      by_subtrees(down);
      join(count, x);
    });
    parallel_for(threads_, {0, n}, 1024, [&](Index i) {
      for (Index c = 0; c < count; ++c) {
        const Complex value(x[tree_.place[i] * count + c]);
        b[c * n + i] = single ? size[c] * value : value;
      }
    });
  }

  /// body(first, last front, kernel) for all units, each by one thread as soon as those below it (up), or that above it, are done; those
  /// behind which most work waits come first.
  template <class Body>
  void by_units(bool up, const Body& body) {
    std::mutex mutex;
    std::condition_variable more;
    std::vector<int> missing(units_.size(), 0);
    std::size_t left = units_.size();
    const auto later = [&](int a, int b) {
      return up ? units_[a].behind < units_[b].behind : units_[a].below < units_[b].below;
    };
    std::priority_queue<int, std::vector<int>, decltype(later)> ready(later);
    for (std::size_t u = 0; u < units_.size(); ++u) {
      missing[u] = up ? static_cast<int>(units_[u].children.size()) : (units_[u].parent >= 0 ? 1 : 0);
      if (missing[u] == 0) ready.push(static_cast<int>(u));
    }
    in_chunks(threads_, {0, threads_}, 1, [&](Interval, int thread) {
      std::unique_lock lock(mutex);
      for (;;) {
        more.wait(lock, [&] { return !ready.empty() || left == 0; });
        if (left == 0) return;
        const Unit& unit = units_[ready.top()];
        ready.pop();
        lock.unlock();
        try {
          body(unit.first, unit.last, std::span(&kernels_[static_cast<std::size_t>(thread)], 1));
        } catch (...) {
          lock.lock();
          left = 0;
          more.notify_all();
          throw;
        }
        lock.lock();
        if (left > 0) --left;  // 0: another one has failed
        const auto one_less = [&](int u) {
          if (--missing[u] == 0) ready.push(u);
        };
        if (up && unit.parent >= 0) one_less(unit.parent);
        if (!up)
          for (const int child : unit.children) one_less(child);
        more.notify_all();
      }
    });
  }

  /// y = D⁻¹ L⁻¹ b of a front's pivots; what its rows lose waits for the parent.
  void forward(int number, std::span<Number> x, Index count, Waiting& waiting, std::span<Kernel> kernels) {
    const Front& front = tree_.fronts[number];
    const Index p = front.pivots(), n = front.size();
    const Number* l = values_.data() + start_[number];
    Number* const pivots = x.data() + front.first * count;
    const Places places = children_in(front);
    BigArray<Number> all(static_cast<std::size_t>(n * count));  // rows of the front, columns
    Number* const y = all.data();
    const auto by_columns = [&](const auto& body) { in_pieces(count, forward_columns, kernels, body); };
    by_columns([&](Index first, Index some, Kernel&) {
      for (Index i = 0; i < p; ++i)
        for (Index c = first; c < first + some; ++c) y[c * n + i] = pivots[i * count + c];
      for (Index c = first; c < first + some; ++c) {
        std::fill(y + c * n + p, y + (c + 1) * n, Number(0));
        for (std::size_t k = 0; k < places.size(); ++k) {
          const std::vector<Index>& at = places[k];
          const Number* from = waiting[front.children[k]].data() + c * static_cast<Index>(at.size());
          for (std::size_t i = 0; i < at.size(); ++i) y[c * n + at[i]] += from[i];
        }
      }
    });
    for (const int child : front.children) waiting[child] = {};
    for (Index k = 0; k < p; k += taken_at_once) {
      const Index end = std::min(p, k + taken_at_once);
      by_columns([&](Index first, Index some, Kernel& kernel) {
        for (Index b = k; b < end; b += by_numbers) {
          const Index below = std::min(end, b + by_numbers);
          for (Index c = first; c < first + some; ++c) eliminate_block(l, n, b, below, y + c * n);
          kernel.subtract(end - below, some, below - b, l + b * n + below, n, y + first * n + b, n,
                          y + first * n + below, n);
        }
      });
      in_pieces(p - end, pivot_piece, kernels, [&](Index first, Index rows, Kernel& kernel) {
        kernel.subtract(rows, count, end - k, l + k * n + end + first, n, y + k, n, y + end + first, n);
      });
    }
    in_pieces(n - p, row_piece, kernels, [&](Index first, Index rows, Kernel& kernel) {
      kernel.subtract(rows, count, p, l + p + first, n, y, n, y + p + first, n);
    });
    if (front.parent >= 0) waiting[number] = BigArray<Number>(static_cast<std::size_t>((n - p) * count));
    Number* const out = waiting[number].data();
    by_columns([&](Index first, Index some, Kernel&) {
      for (Index i = 0; i < p; ++i) {
        const Number d = Real(1) / l[i * n + i];
        for (Index c = first; c < first + some; ++c) pivots[i * count + c] = y[c * n + i] * d;
      }
      if (out != nullptr)
        for (Index c = first; c < first + some; ++c) std::copy_n(y + c * n + p, n - p, out + c * (n - p));
    });
  }
  /// y −= L y of rows and pivots [begin, end) of a front of n rows, one column.
  static void eliminate_block(const Number* l, Index n, Index begin, Index end, Number* y) {
    auto* const to = reinterpret_cast<Real*>(y);
    for (Index k = begin; k < end; ++k) {
      const auto* column = reinterpret_cast<const Real*>(l + k * n);
      const Real re = to[2 * k], im = to[2 * k + 1];
      for (Index i = k + 1; i < end; ++i) {
        to[2 * i] -= column[2 * i] * re - column[2 * i + 1] * im;
        to[2 * i + 1] -= column[2 * i] * im + column[2 * i + 1] * re;
      }
    }
  }

  /// x = L⁻ᵀ y, with the values of its rows, which its parents have found. Columns lie across: one number of each beside the others.
  void backward(int number, std::span<Number> x, Index count, std::span<Kernel> kernels) {
    const Front& front = tree_.fronts[number];
    const Index p = front.pivots(), n = front.size(), r = n - p;
    const Number* l = values_.data() + start_[number];
    BigArray<Number> rows(static_cast<std::size_t>(r * count));
    in_pieces(r, row_piece, kernels, [&](Index first, Index some, Kernel&) {
      for (Index i = first; i < first + some; ++i)
        std::copy_n(x.data() + front.rows[i] * count, count, rows.data() + i * count);
    });
    Number* own = x.data() + front.first * count;
    in_pieces(p, pivot_piece, kernels, [&](Index first, Index some, Kernel& kernel) {
      kernel.subtract(count, some, r, rows.data(), count, l + first * n + p, n, own + first * count, count);
    });
    for (Index end = p; end > 0;) {
      const Index k = (end - 1) / taken_at_once * taken_at_once;
      in_pieces(count, backward_columns, kernels, [&](Index first, Index some, Kernel& kernel) {
        for (Index above = end; above > k;) {
          const Index b = (above - 1) / by_numbers * by_numbers;
          substitute_block(l, n, b, above, own + first, count, some);
          kernel.subtract(some, b - k, above - b, own + b * count + first, count, l + k * n + b, n,
                          own + k * count + first, count);
          above = b;
        }
      });
      in_pieces(k, pivot_piece, kernels, [&](Index first, Index some, Kernel& kernel) {
        kernel.subtract(count, some, end - k, own + k * count, count, l + first * n + k, n, own + first * count, count);
      });
      end = k;
    }
  }
  /// x −= Lᵀ x of pivots [begin, end), `some` columns that lie across.
  static void substitute_block(const Number* l, Index n, Index begin, Index end, Number* x, Index count, Index some) {
    for (Index i = end; i-- > begin;) {
      auto* const to = reinterpret_cast<Real*>(x + i * count);
      for (Index o = i + 1; o < end; ++o) {
        const auto* from = reinterpret_cast<const Real*>(x + o * count);
        const Real re = l[i * n + o].real(), im = l[i * n + o].imag();
        for (Index c = 0; c < some; ++c) {
          to[2 * c] -= from[2 * c] * re - from[2 * c + 1] * im;
          to[2 * c + 1] -= from[2 * c] * im + from[2 * c + 1] * re;
        }
      }
    }
  }

  /// body(first, some, kernel) for pieces of [0, items) that do not depend on the threads, by those that have these kernels.
  template <class Body>
  static void in_pieces(Index items, Index piece, std::span<Kernel> kernels, const Body& body) {
    shared((items + piece - 1) / piece, kernels,
           [&](Index k, Kernel& kernel) { body(k * piece, std::min(piece, items - k * piece), kernel); });
  }
  template <class Body>
  static void shared(Index items, std::span<Kernel> kernels, const Body& body) {
    if (kernels.size() == 1 || items <= 1) {
      for (Index i = 0; i < items; ++i) body(i, kernels[0]);
      return;
    }
    in_chunks(static_cast<int>(kernels.size()), {0, items}, 1, [&](Interval chunk, int thread) {
      for (Index i = chunk.begin; i < chunk.end; ++i) body(i, kernels[static_cast<std::size_t>(thread)]);
    });
  }

  /// Columns b become solutions: passes over factors in single precision, what they leave in double.
  Status refine(std::span<Complex> b, Index count) {
    const Refinement done = refine_columns(matrix_, threads_, b, count, [&](std::span<Complex> some, Index columns) {
      pass(some, columns);
      return !stop_.stop_requested();
    });
    if (stop_.stop_requested()) return {};
    facts_.refinements += done.passes;
    facts_.residual = std::max(facts_.residual, done.residual);
    if (done.good) return {};
    return refinement_failed(done.residual);
  }

  /// Whether the factors solve what they were made of.
  Status trial() {
    const Index n = matrix_.size;
    std::vector<Complex> exact(static_cast<std::size_t>(n)), b(exact.size()), x;
    std::uint64_t state = 1;
    for (Complex& v : exact) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      v = std::polar(1.0, static_cast<double>(state >> 40));
    }
    matrix_.multiply(exact, b);
    x = b;
    if constexpr (single) {
      Status s = refine(x, 1);
      facts_.refinements = 0;
      if (s && stop_.stop_requested()) return stop_error();
      return s;
    }
    pass(x, 1);
    if (stop_.stop_requested()) return stop_error();
    const double residual = relative_residual(matrix_, x, b);
    refine_ = residual > refined;
    facts_.residual = residual;
    if (residual < useless) return {};
    return make_error(ErrorCode::internal,
                      fmt::format("pivots from the diagonal leave a residual of {:.1e}", residual));
  }

  EliminationTree tree_;
  SymmetricMatrix matrix_;
  std::stop_token stop_;
  int threads_ = 1;
  Communicator* cluster_ = nullptr;  ///< of several ranks that share the factors
  int rank_ = 0, ranks_ = 1;
  std::vector<int> owner_;  ///< rank of each front, where there are several
  Index block_ = 64;
  bool refine_ = false;
  std::vector<Index> start_{0};  ///< of each front's columns among the values
  BigArray<Number> values_;
  std::vector<BigArray<Number>> rest_;  ///< what is left of fronts for their parents
  TreeShares shares_;
  struct Unit {
    int first, last;            ///< fronts
    int parent;                 ///< unit, −1
    std::vector<int> children;  ///< units
    double below, behind;       ///< work of it and what lies below; of it and its way up
  };
  std::vector<Unit> units_;  ///< children before parents
  std::vector<int> by_all_;  ///< fronts, ascending
  struct Entry {
    Index entry;  ///< of the matrix
    std::int32_t row;
  };
  std::vector<Index> entry_start_;  ///< of each place's column
  BigArray<Entry> entries_;
  BigArray<Number>
      passing_;  ///< right-hand sides on their way through the factors; kept, since pages from the system take long
  std::vector<Kernel> kernels_;
  DirectFacts facts_;
};

}  // namespace

bool has_tree() {
  return instruction_set() >= InstructionSet::avx2;
}

Result<CountedFronts> count_fronts(const SymmetricMatrix& pattern, const DirectOptions& options, int ranks) {
  return options.single ? TreeDirect<float>().count(pattern, options, ranks)
                        : TreeDirect<double>().count(pattern, options, ranks);
}

Result<std::unique_ptr<SparseDirect>> factorise_tree(const SymmetricMatrix& matrix, const DirectOptions& options) {
  if (!has_tree())
    return make_error(ErrorCode::resources, "fronts of our own need a processor with AVX2", "Choose the method auto.");
  const auto made = [&]<class Real>(Real) -> Result<std::unique_ptr<SparseDirect>> {
    auto out = std::make_unique<TreeDirect<Real>>();
    if (Status s = out->factor(matrix, options); !s) return s.error();
    return std::unique_ptr<SparseDirect>(std::move(out));
  };
  try {
    return options.single ? made(float{}) : made(double{});
  } catch (const std::bad_alloc&) {
    return make_error(ErrorCode::resources, fmt::format("no memory for the factors of {} unknowns", matrix.size),
                      "Coarsen the mesh, or lower compute.memory.host so that factors go to disk.");
  }
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// L D Lᵀ in fronts of our own: subtrees by one thread each, the fronts above them by all threads (I. S. Duff, J. K. Reid, ACM TOMS 9
// (1983) 302). Ranks that share the factors hold subtrees of their own, which lie side by side in the order, and the fronts above them
// one by one, each at the rank that holds least; what is left of a front goes to the rank of its parent. Every front is computed as a
// single rank does it, so that the bits do not depend on their number. Pivots are taken in their order, from the diagonal; a matrix that does not bear that is told by the residual of a
// trial, and goes to the library that exchanges pivots.
#include "engine/cluster/communicator.hpp"
#include "engine/core/log.hpp"
#include "engine/core/stop.hpp"
#include "engine/linalg/big_array.hpp"
#include "engine/linalg/dense_blocked.hpp"
#include "engine/linalg/elimination_tree.hpp"
#include "engine/linalg/sparse_direct_bodies.hpp"
#include "engine/team/parallel_for.hpp"

#include "conoid/config.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include <fmt/core.h>

namespace conoid {
namespace {

using Complex = std::complex<double>;

/// Columns that are eliminated one after the other; wider blocks are halved.
constexpr Index narrow = 8;
/// Rows of a piece of a front that is shared by threads.
constexpr Index piece = 256;
/// Subtrees a thread, at least, where the tree has them.
constexpr double subtrees_a_thread = 6;
/// Relative residual of a trial solution beyond which solutions are refined once, and beyond which the factors are of no use.
constexpr double refined = 1e-12, useless = 1e-7;
/// What a pivot of exactly nothing becomes.
template <class Real>
constexpr Real least_pivot = sizeof(Real) == 8 ? Real(1e-300) : Real(1e-30);
/// Factors in single precision: a solution is refined in double until its relative residual is as small, in so many steps at most, of
/// which each must take away so much.
constexpr int most_refinements = 20;
constexpr double least_gain = 0.5, useless_refined = 1e-10;

bool wide_registers() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
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
  Index n = 0, p = 0;
  std::complex<Real>*l = nullptr, *c = nullptr;
  [[nodiscard]] Index r() const { return n - p; }
};

/// Eliminates within a front, by the threads of `kernels`.
template <class Real>
class Eliminator {
  using Number = std::complex<Real>;
  using Kernel = conoid::Kernel<Real>;
  using Dense = conoid::Dense<Real>;

 public:
  Eliminator(std::span<Kernel> kernels, const std::stop_token& stop) : kernels_(kernels), stop_(&stop) {}

  void run(const Dense& f) const {
    columns(f, 0, f.p);
    // The rest: C −= L21 D L21ᵀ, tiles at and below the diagonal.
    const Index tiles = (f.r() + piece - 1) / piece;
    if (f.p == 0 || tiles == 0) return;
    std::vector<std::array<Index, 2>> list;
    for (Index j = 0; j < tiles; ++j)
      for (Index i = j; i < tiles; ++i) list.push_back({i, j});
    each(static_cast<Index>(list.size()), [&](Index t, Kernel& kernel) {
      const auto [i, j] = list[static_cast<std::size_t>(t)];
      const Index row = i * piece, rows = std::min(piece, f.r() - row), at = j * piece,
                  width = std::min(piece, f.r() - at);
      turn(f, 0, f.p, f.p + at, width, kernel.turned);
      kernel.subtract(rows, width, f.p, f.l + f.p + row, f.n, kernel.turned.data(), f.p, f.c + at * f.r() + row, f.r());
    });
  }

 private:
  template <class Body>
  void each(Index items, const Body& body) const {
    if (stop_->stop_requested()) return;
    if (kernels_.size() == 1 || items == 1) {
      for (Index i = 0; i < items; ++i) body(i, kernels_[0]);
      return;
    }
    in_chunks(static_cast<int>(kernels_.size()), {0, items}, 1, [&](Interval chunk, int thread) {
      for (Index i = chunk.begin; i < chunk.end; ++i) body(i, kernels_[static_cast<std::size_t>(thread)]);
    });
  }
  /// D Lᵀ of columns [from, to) and rows [row, row + width): (to − from) × width.
  static void turn(const Dense& f, Index from, Index to, Index row, Index width, std::vector<Number>& out) {
    const Index depth = to - from;
    out.resize(static_cast<std::size_t>(depth * width));
    for (Index k = 0; k < depth; ++k) {
      const Number d = f.l[(from + k) * f.n + from + k];
      const Number* column = f.l + (from + k) * f.n + row;
      for (Index i = 0; i < width; ++i) out[static_cast<std::size_t>(i * depth + k)] = d * column[i];
    }
  }
  /// Columns [from, to) of the pivots, all rows below.
  void columns(const Dense& f, Index from, Index to) const {
    if (stop_->stop_requested()) return;
    if (to - from <= narrow) return one_by_one(f, from, to);
    const Index middle = from + ((to - from) / 2 + narrow - 1) / narrow * narrow;
    columns(f, from, middle);
    // Columns [middle, to) lose what the first half takes, a few at a time for rows from there on.
    constexpr Index block = 96;
    std::vector<Number> turned;
    for (Index j = middle; j < to; j += block) {
      const Index width = std::min(block, to - j), pieces = (f.n - j + piece - 1) / piece;
      turn(f, from, middle, j, width, turned);
      each(pieces, [&](Index i, Kernel& kernel) {
        const Index row = j + i * piece, rows = std::min(piece, f.n - row);
        kernel.subtract(rows, width, middle - from, f.l + from * f.n + row, f.n, turned.data(), middle - from,
                        f.l + j * f.n + row, f.n);
      });
    }
    columns(f, middle, to);
  }
  /// W = L D in place, then L.
  void one_by_one(const Dense& f, Index from, Index to) const {
    const Index width = to - from;
    std::array<std::array<Number, narrow>, narrow> unit{};  // of the block itself
    std::array<Number, narrow> inverse{};
    Number* a = f.l + from * f.n;
    for (Index j = 0; j < width; ++j) {
      for (Index i = j; i < width; ++i)
        for (Index k = 0; k < j; ++k) a[j * f.n + from + i] -= a[k * f.n + from + i] * unit[j][k];
      Number& d = a[j * f.n + from + j];
      if (d == Number(0)) d = least_pivot<Real>;
      inverse[j] = Real(1) / d;
      for (Index i = j + 1; i < width; ++i) unit[i][j] = a[j * f.n + from + i] * inverse[j];
    }
    const Index below = f.n - to, pieces = (below + piece - 1) / piece;
    each(pieces, [&](Index t, Kernel&) {
      const Index row = to + t * piece, rows = std::min(piece, f.n - row);
      for (Index j = 0; j < width; ++j) {
        auto* x = reinterpret_cast<Real*>(a + j * f.n + row);
        for (Index k = 0; k < j; ++k) {
          const auto* w = reinterpret_cast<const Real*>(a + k * f.n + row);
          const Real re = unit[j][k].real(), im = unit[j][k].imag();
          for (Index i = 0; i < rows; ++i) {
            x[2 * i] -= w[2 * i] * re - w[2 * i + 1] * im;
            x[2 * i + 1] -= w[2 * i] * im + w[2 * i + 1] * re;
          }
        }
      }
      for (Index j = 0; j < width; ++j) {
        auto* x = reinterpret_cast<Real*>(a + j * f.n + row);
        const Real re = inverse[j].real(), im = inverse[j].imag();
        for (Index i = 0; i < rows; ++i) {
          const double p = x[2 * i], q = x[2 * i + 1];
          x[2 * i] = p * re - q * im;
          x[2 * i + 1] = p * im + q * re;
        }
      }
    });
    for (Index j = 0; j < width; ++j)
      for (Index i = j + 1; i < width; ++i) a[j * f.n + from + i] = unit[i][j];
  }

  std::span<Kernel> kernels_;
  const std::stop_token* stop_;
};

template <class Real>
class TreeDirect final : public SparseDirect {
  using Number = std::complex<Real>;
  using Kernel = conoid::Kernel<Real>;
  using Dense = conoid::Dense<Real>;
  static constexpr bool single = sizeof(Real) == 4;

 public:
  Status factor(const SymmetricMatrix& m, const DirectOptions& options) {
    stop_ = options.stop;
    threads_ = std::max(1, options.threads);
    block_ = std::max(1, options.block);
    if (options.ranks != nullptr && options.ranks->size() > 1) {
      cluster_ = options.ranks;
      rank_ = cluster_->rank();
      ranks_ = cluster_->size();
      stop_ = {};
    }
    auto tree = elimination_tree(m, stop_);
    if (!tree) return tree.error();
    tree_ = std::move(*tree);
    facts_.method = single ? "own fronts in single precision" : "own fronts";
    facts_.entries = tree_.entries;
    facts_.flops = tree_.flops;
    share_out();
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
      const auto subtrees = static_cast<Index>(subtrees_.size());
      parallel_for(threads_, {0, subtrees}, 1, [&](Index s) {
        if (!mine(subtrees_[s][1])) return;
        Kernel kernel;
        for (int f = subtrees_[s][0]; f <= subtrees_[s][1] && !stop_.stop_requested(); ++f)
          eliminate(f, std::span(&kernel, 1));
      });
      for (const int f : above_) {
        for (const int child : tree_.fronts[f].children) hand_up(child, f);
        if (mine(f) && !stop_.stop_requested()) eliminate(f, kernels_);
      }
    });
    if (stop_.stop_requested()) return stop_error();
    facts_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return trial();
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
          static_cast<void>(subtract_product(b, before, some));
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
  /// Subtrees for single threads, whose work is a small share of the whole each, and the fronts above.
  void share_out() {
    const auto count = static_cast<int>(tree_.fronts.size());
    std::vector<double> work(static_cast<std::size_t>(count));
    std::vector<int> first(static_cast<std::size_t>(count));
    std::vector<int> roots;
    for (int f = 0; f < count; ++f) {
      first[f] = f;
      work[f] = tree_.fronts[f].flops() + 1e4;
      for (const int c : tree_.fronts[f].children) {
        work[f] += work[c];
        first[f] = std::min(first[f], first[c]);
      }
      if (tree_.fronts[f].parent < 0) roots.push_back(f);
    }
    const double all =
        std::accumulate(roots.begin(), roots.end(), 0.0, [&](double sum, int r) { return sum + work[r]; });
    const int workers = threads_ * ranks_;
    // What is left of subtrees waits in memory: only threads need many to end together.
    const double share = workers == 1 ? 2 * all : all / ((threads_ == 1 ? 3 : subtrees_a_thread) * workers);
    std::vector<int> open = roots;
    while (!open.empty()) {
      const int f = open.back();
      open.pop_back();
      if (work[f] <= share) {
        subtrees_.push_back({first[f], f});
      } else {
        above_.push_back(f);
        open.insert(open.end(), tree_.fronts[f].children.begin(), tree_.fronts[f].children.end());
      }
    }
    std::sort(above_.begin(), above_.end());
    give_to_ranks(work);
    // The largest first, so that threads end together.
    std::sort(subtrees_.begin(), subtrees_.end(),
              [&](const auto& a, const auto& b) { return work[a[1]] > work[b[1]]; });
  }

  /// Subtrees in the order of the elimination, so that each rank gets neighbours, by equal shares of their work; fronts above from the
  /// top down to who holds least.
  void give_to_ranks(const std::vector<double>& work) {
    if (ranks_ == 1) return;
    owner_.assign(tree_.fronts.size(), 0);
    std::sort(subtrees_.begin(), subtrees_.end());
    double all = 0, before = 0;
    for (const auto& s : subtrees_) all += work[s[1]];
    std::vector<Index> held(static_cast<std::size_t>(ranks_), 0);
    const auto size = [&](int f) { return tree_.fronts[f].size() * tree_.fronts[f].pivots(); };
    for (const auto& s : subtrees_) {
      const int rank =
          std::clamp(static_cast<int>((before + work[s[1]] / 2) / std::max(all, 1e-300) * ranks_), 0, ranks_ - 1);
      before += work[s[1]];
      for (int f = s[0]; f <= s[1]; ++f) {
        owner_[f] = rank;
        held[rank] += size(f);
      }
    }
    for (std::size_t k = above_.size(); k-- > 0;) {
      const auto rank = std::min_element(held.begin(), held.end());
      owner_[above_[k]] = static_cast<int>(rank - held.begin());
      *rank += size(above_[k]);
    }
  }
  [[nodiscard]] bool mine(int front) const { return ranks_ == 1 || owner_[front] == rank_; }

  /// Numbers of what is left of fronts on this rank, at most at a time: all subtrees' roots, within as many subtrees as there are
  /// threads the most that each needs; then the fronts above.
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
    for (const auto& s : subtrees_) {
      if (!mine(s[1])) continue;
      Index now = 0, peak = 0;
      for (int f = s[0]; f <= s[1]; ++f) peak = std::max(peak, step(f, now));
      within.push_back(peak - rest(s[1]));
      roots += rest(s[1]);
    }
    std::sort(within.rbegin(), within.rend());
    Index most = roots;
    for (std::size_t t = 0; t < within.size() && t < static_cast<std::size_t>(threads_); ++t) most += within[t];
    Index now = roots;
    for (const int f : above_) {
      for (const int c : tree_.fronts[f].children)
        if (mine(c) != mine(f)) now += mine(f) ? rest(c) : -rest(c);
      if (mine(f)) most = std::max(most, step(f, now));
    }
    return most;
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
  void hand_up(int child, int parent, Index count, std::vector<std::vector<Number>>& waiting) const {
    if (!concerns(child, parent)) return;
    std::vector<Number>& values = waiting[child];
    values.resize(tree_.fronts[child].rows.size() * static_cast<std::size_t>(count));
    pass_on(child, parent, values, values);
    if (mine(child)) values = {};
  }
  /// The solution at a front's rows from the rank of its parent, which has it.
  void hand_down(int child, Index count, std::vector<Number>& x) const {
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
  void join(Index count, std::vector<Number>& x) const {
    if (ranks_ == 1) return;
    std::vector<Number> own;
    const auto stretch = [&](int f) {
      return std::span(x).subspan(static_cast<std::size_t>(tree_.fronts[f].first * count),
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

  /// Which entries of the matrix each front takes: those of its pivots' columns.
  void place_entries() {
    const Index n = matrix_.size;
    std::vector<Index> count(static_cast<std::size_t>(n) + 1, 0);
    const auto each = [&](const auto& body) {
      for (Index i = 0; i < n; ++i)
        for (Index p = matrix_.row_start[i]; p < matrix_.row_start[i + 1]; ++p) {
          const std::int32_t a = tree_.place[i], b = tree_.place[matrix_.columns[p]];
          body(std::min(a, b), std::max(a, b), p);
        }
    };
    each([&](std::int32_t column, std::int32_t, Index) { ++count[column + 1]; });
    std::partial_sum(count.begin(), count.end(), count.begin());
    entry_start_ = count;
    entry_row_.resize(static_cast<std::size_t>(count.back()));
    entry_.resize(entry_row_.size());
    each([&](std::int32_t column, std::int32_t row, Index p) {
      entry_row_[count[column]] = row;
      entry_[count[column]++] = p;
    });
  }

  void eliminate(int number, std::span<Kernel> kernels) {
    const Front& front = tree_.fronts[number];
    Dense f{front.size(), front.pivots(), values_.data() + start_[number], nullptr};
    rest_[number] = BigArray<Number>(static_cast<std::size_t>(f.r() * f.r()));
    f.c = rest_[number].data();
    const auto shared_out = [&](Index items, Index chunk, const auto& body) {
      if (kernels.size() == 1)
        for (Index j = 0; j < items; ++j) body(j);
      else
        parallel_for(static_cast<int>(kernels.size()), {0, items}, chunk, body);
    };
    // Nobody has written there yet: all threads take the pages from the system. Of the rest, what lies above the tiles of the diagonal is
    // neither read nor written.
    shared_out(f.n, 16, [&](Index j) {
      if (j < f.p)
        std::fill_n(f.l + j * f.n, f.n, Number(0));
      else
        std::fill(f.c + (j - f.p) * f.r() + (j - f.p) / piece * piece, f.c + (j - f.p + 1) * f.r(), Number(0));
    });
    const auto local = [&](std::int32_t place) -> Index {
      return place < front.last
                 ? place - front.first
                 : f.p + (std::lower_bound(front.rows.begin(), front.rows.end(), place) - front.rows.begin());
    };
    for (std::int32_t column = front.first; column < front.last; ++column)
      for (Index e = entry_start_[column]; e < entry_start_[column + 1]; ++e)
        f.l[(column - front.first) * f.n + local(entry_row_[e])] += Number(matrix_.values[entry_[e]]);
    for (const int child : front.children) {
      const Front& below = tree_.fronts[child];
      const auto r = static_cast<Index>(below.rows.size());
      std::vector<Index> at(static_cast<std::size_t>(r));
      for (Index i = 0; i < r; ++i) at[i] = local(below.rows[i]);
      const Number* from = rest_[child].data();
      const auto add = [&](Index j) {
        Number* to = at[j] < f.p ? f.l + at[j] * f.n : f.c + (at[j] - f.p) * f.r() - f.p;
        for (Index i = j; i < r; ++i) to[at[i]] += from[j * r + i];
      };
      shared_out(r, 16, add);
      rest_[child] = BigArray<Number>();
    }
    Eliminator<Real>(kernels, stop_).run(f);
  }

  /// Columns overwritten with the solutions of the factors.
  void pass(std::span<Complex> b, Index count) {
    const Index n = matrix_.size;
    // By places, the values of all columns beside one another.
    std::vector<Number> x(static_cast<std::size_t>(n * count));
    // Single numbers have few exponents: each column as if its largest value were one.
    std::vector<double> size(static_cast<std::size_t>(count), 1);
    if constexpr (single)
      for (Index c = 0; c < count; ++c) {
        double most = 0;
        for (Index i = 0; i < n; ++i)
          most = std::max({most, std::abs(b[c * n + i].real()), std::abs(b[c * n + i].imag())});
        if (most > 0) size[c] = most;
      }
    parallel_for(threads_, {0, n}, 1024, [&](Index i) {
      for (Index c = 0; c < count; ++c)
        x[tree_.place[i] * count + c] = single ? Number(b[c * n + i] / size[c]) : Number(b[c * n + i]);
    });
    std::vector<std::vector<Number>> waiting(tree_.fronts.size());
    const auto subtrees = static_cast<Index>(subtrees_.size());
    alone_or_none([&] {
      parallel_for(threads_, {0, subtrees}, 1, [&](Index s) {
        if (!mine(subtrees_[s][1])) return;
        Kernel kernel;
        for (int f = subtrees_[s][0]; f <= subtrees_[s][1] && !stop_.stop_requested(); ++f)
          forward(f, x, count, waiting, std::span(&kernel, 1));
      });
      for (const int f : above_) {
        for (const int child : tree_.fronts[f].children) hand_up(child, f, count, waiting);
        if (mine(f) && !stop_.stop_requested()) forward(f, x, count, waiting, kernels_);
      }
      for (std::size_t k = above_.size(); k-- > 0;) {
        hand_down(above_[k], count, x);
        if (mine(above_[k]) && !stop_.stop_requested()) backward(above_[k], x, count, kernels_);
      }
      for (const auto& s : subtrees_) hand_down(s[1], count, x);
      parallel_for(threads_, {0, subtrees}, 1, [&](Index s) {
        if (!mine(subtrees_[s][1])) return;
        Kernel kernel;
        for (int f = subtrees_[s][1]; f >= subtrees_[s][0] && !stop_.stop_requested(); --f)
          backward(f, x, count, std::span(&kernel, 1));
      });
      join(count, x);
    });
    parallel_for(threads_, {0, n}, 1024, [&](Index i) {
      for (Index c = 0; c < count; ++c) {
        const Complex value(x[tree_.place[i] * count + c]);
        b[c * n + i] = single ? size[c] * value : value;
      }
    });
  }

  /// y = D⁻¹ L⁻¹ b of a front's pivots; what its rows lose waits for the parent.
  void forward(int number, std::vector<Number>& x, Index count, std::vector<std::vector<Number>>& waiting,
               std::span<Kernel> kernels) {
    const Front& front = tree_.fronts[number];
    const Index p = front.pivots(), n = front.size();
    const Number* l = values_.data() + start_[number];
    std::vector<Number> y(static_cast<std::size_t>(n * count), 0);  // rows of the front, columns
    for (Index c = 0; c < count; ++c)
      for (Index i = 0; i < p; ++i) y[c * n + i] = x[(front.first + i) * count + c];
    for (const int child : front.children) {
      const Front& below = tree_.fronts[child];
      const auto r = static_cast<Index>(below.rows.size());
      for (Index i = 0; i < r; ++i) {
        const std::int32_t place = below.rows[i];
        const Index at = place < front.last
                             ? place - front.first
                             : p + (std::lower_bound(front.rows.begin(), front.rows.end(), place) - front.rows.begin());
        for (Index c = 0; c < count; ++c) y[c * n + at] += waiting[child][c * r + i];
      }
      waiting[child] = {};
    }
    std::vector<Number> part;
    constexpr Index block = 32;
    for (Index k = 0; k < p; k += block) {
      const Index width = std::min(block, p - k);
      for (Index c = 0; c < count; ++c)
        for (Index i = 0; i < width; ++i) {
          const Number v = y[c * n + k + i];
          for (Index o = i + 1; o < width; ++o) y[c * n + k + o] -= l[(k + i) * n + k + o] * v;
        }
      part.assign(static_cast<std::size_t>(width * count), 0);
      for (Index c = 0; c < count; ++c)
        for (Index i = 0; i < width; ++i) part[c * width + i] = y[c * n + k + i];
      const Index row = k + width, pieces = (n - row + piece - 1) / piece;
      shared(pieces, kernels, [&](Index t, Kernel& kernel) {
        const Index from = row + t * piece;
        kernel.subtract(std::min(piece, n - from), count, width, l + k * n + from, n, part.data(), width,
                        y.data() + from, n);
      });
    }
    for (Index i = 0; i < p; ++i) {
      const Number d = Real(1) / l[i * n + i];
      for (Index c = 0; c < count; ++c) x[(front.first + i) * count + c] = y[c * n + i] * d;
    }
    if (front.parent < 0) return;
    std::vector<Number>& out = waiting[number];
    out.resize(static_cast<std::size_t>((n - p) * count));
    for (Index c = 0; c < count; ++c) std::copy_n(y.data() + c * n + p, n - p, out.data() + c * (n - p));
  }

  /// x = L⁻ᵀ y, with the values of its rows, which its parents have found. Columns lie across: one number of each beside the others.
  void backward(int number, std::vector<Number>& x, Index count, std::span<Kernel> kernels) {
    const Front& front = tree_.fronts[number];
    const Index p = front.pivots(), n = front.size(), r = n - p;
    const Number* l = values_.data() + start_[number];
    std::vector<Number> rows(static_cast<std::size_t>(r * count));
    for (Index i = 0; i < r; ++i) std::copy_n(x.data() + front.rows[i] * count, count, rows.data() + i * count);
    Number* own = x.data() + front.first * count;
    constexpr Index wide = 24;
    shared((p + wide - 1) / wide, kernels, [&](Index t, Kernel& kernel) {
      kernel.subtract(count, std::min(wide, p - t * wide), r, rows.data(), count, l + t * wide * n + p, n,
                      own + t * wide * count, count);
    });
    constexpr Index block = 32;
    for (Index end = p; end > 0;) {
      const Index k = (end - 1) / block * block, width = end - k;
      shared(1, kernels, [&](Index, Kernel& kernel) {
        kernel.subtract(count, width, p - end, own + end * count, count, l + k * n + end, n, own + k * count, count);
      });
      for (Index i = width; i-- > 0;)
        for (Index o = i + 1; o < width; ++o) {
          const Number v = l[(k + i) * n + k + o];
          for (Index c = 0; c < count; ++c) own[(k + i) * count + c] -= v * own[(k + o) * count + c];
        }
      end = k;
    }
  }

  template <class Body>
  static void shared(Index items, std::span<Kernel> kernels, const Body& body) {
    if (kernels.size() == 1 || items <= 2) {
      for (Index i = 0; i < items; ++i) body(i, kernels[0]);
      return;
    }
    in_chunks(static_cast<int>(kernels.size()), {0, items}, 1, [&](Interval chunk, int thread) {
      for (Index i = chunk.begin; i < chunk.end; ++i) body(i, kernels[static_cast<std::size_t>(thread)]);
    });
  }

  /// rest −= A x of columns; the largest of the columns' norms of what is left over `norms`, where these are given.
  double subtract_product(std::span<const Complex> x, std::span<Complex> rest, Index count,
                          std::span<const double> norms = {}) const {
    const Index n = matrix_.size;
    std::vector<double> left(static_cast<std::size_t>(count), 0);
    parallel_for(threads_, {0, count}, 1, [&](Index c) {
      std::vector<Complex> product(static_cast<std::size_t>(n));
      matrix_.multiply(x.subspan(static_cast<std::size_t>(c * n), static_cast<std::size_t>(n)), product);
      double sum = 0;
      for (Index i = 0; i < n; ++i) {
        rest[c * n + i] -= product[i];
        sum += std::norm(rest[c * n + i]);
      }
      if (!norms.empty() && norms[c] > 0) left[c] = std::sqrt(sum) / norms[c];
    });
    return *std::max_element(left.begin(), left.end());
  }

  /// Columns b become solutions: passes over factors in single precision, what they leave in double.
  Status refine(std::span<Complex> b, Index count) {
    const Index n = matrix_.size;
    std::vector<Complex> x(b.size(), 0), rest(b.begin(), b.end()), step;
    std::vector<double> norms(static_cast<std::size_t>(count), 0);
    for (Index c = 0; c < count; ++c) {
      for (Index i = 0; i < n; ++i) norms[c] += std::norm(b[c * n + i]);
      norms[c] = std::sqrt(norms[c]);
    }
    double residual = 1;
    for (int k = 0; k < most_refinements && residual > refined; ++k) {
      step = rest;
      pass(step, count);
      if (stop_.stop_requested()) return {};
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += step[i];
      rest.assign(b.begin(), b.end());
      const double before = std::exchange(residual, subtract_product(x, rest, count, norms));
      ++facts_.refinements;
      if (!(residual < least_gain * before)) break;  // rounding of the double numbers, or factors of no use
    }
    facts_.residual = std::max(facts_.residual, residual);
    std::copy(x.begin(), x.end(), b.begin());
    if (residual < useless_refined) return {};
    return make_error(ErrorCode::not_converged,
                      fmt::format("factors in single precision leave a residual of {:.1e}", residual),
                      "Choose factors in double precision.");
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
    std::vector<Complex> back(exact.size());
    matrix_.multiply(x, back);
    double off = 0, size = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      off += std::norm(back[i] - b[i]);
      size += std::norm(b[i]);
    }
    const double residual = std::sqrt(off / size);
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
  std::vector<BigArray<Number>> rest_;        ///< what is left of fronts for their parents
  std::vector<std::array<int, 2>> subtrees_;  ///< first and last front
  std::vector<int> above_;
  std::vector<Index> entry_start_, entry_;
  std::vector<std::int32_t> entry_row_;
  std::vector<Kernel> kernels_;
  DirectFacts facts_;
};

}  // namespace

bool has_tree() {
  return CONOID_HAVE_MUMPS != 0 &&
         (wide_registers() || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")));
}

Result<std::unique_ptr<SparseDirect>> factorise_tree(const SymmetricMatrix& matrix, const DirectOptions& options) {
  if (!has_tree())
    return make_error(ErrorCode::resources, "fronts of our own need MUMPS, which orders them, and AVX2",
                      "Choose the method auto.");
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

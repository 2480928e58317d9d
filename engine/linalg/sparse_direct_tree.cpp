// SPDX-License-Identifier: BSD-3-Clause
// L D Lᵀ in fronts of our own: subtrees by one thread each, the fronts above them by all threads (I. S. Duff, J. K. Reid, ACM TOMS 9
// (1983) 302). Pivots are taken in their order, from the diagonal; a matrix that does not bear that is told by the residual of a
// trial, and goes to the library that exchanges pivots.
#include "engine/core/stop.hpp"
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

bool wide_registers() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

/// C −= A B of one thread, with its work space.
class Kernel {
 public:
  Kernel() : wide_(wide_registers()) {
    work_.resize(
        static_cast<std::size_t>(wide_ ? dense::blocked::work_numbers_avx512() : dense::blocked::work_numbers_avx2()));
  }
  void subtract(Index m, Index n, Index k, const Complex* a, Index lda, const Complex* b, Index ldb, Complex* c,
                Index ldc) {
    if (m <= 0 || n <= 0 || k <= 0) return;
    (wide_ ? dense::blocked::subtract_product_avx512 : dense::blocked::subtract_product_avx2)(
        m, n, k, reinterpret_cast<const double*>(a), lda, reinterpret_cast<const double*>(b), ldb,
        reinterpret_cast<double*>(c), ldc, work_.data());
  }
  std::vector<Complex> turned;  ///< D Lᵀ of a block

 private:
  bool wide_;
  std::vector<double> work_;
};

/// A front under elimination: `l`, its pivots' columns, n × p; `c`, the rest, r × r. Lower triangles count.
struct Dense {
  Index n = 0, p = 0;
  Complex *l = nullptr, *c = nullptr;
  [[nodiscard]] Index r() const { return n - p; }
};

/// Eliminates within a front, by the threads of `kernels`.
class Eliminator {
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
  static void turn(const Dense& f, Index from, Index to, Index row, Index width, std::vector<Complex>& out) {
    const Index depth = to - from;
    out.resize(static_cast<std::size_t>(depth * width));
    for (Index k = 0; k < depth; ++k) {
      const Complex d = f.l[(from + k) * f.n + from + k];
      const Complex* column = f.l + (from + k) * f.n + row;
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
    std::vector<Complex> turned;
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
    std::array<std::array<Complex, narrow>, narrow> unit{};  // of the block itself
    std::array<Complex, narrow> inverse{};
    Complex* a = f.l + from * f.n;
    for (Index j = 0; j < width; ++j) {
      for (Index i = j; i < width; ++i)
        for (Index k = 0; k < j; ++k) a[j * f.n + from + i] -= a[k * f.n + from + i] * unit[j][k];
      Complex& d = a[j * f.n + from + j];
      if (d == 0.0) d = 1e-300;
      inverse[j] = 1.0 / d;
      for (Index i = j + 1; i < width; ++i) unit[i][j] = a[j * f.n + from + i] * inverse[j];
    }
    const Index below = f.n - to, pieces = (below + piece - 1) / piece;
    each(pieces, [&](Index t, Kernel&) {
      const Index row = to + t * piece, rows = std::min(piece, f.n - row);
      for (Index j = 0; j < width; ++j) {
        auto* x = reinterpret_cast<double*>(a + j * f.n + row);
        for (Index k = 0; k < j; ++k) {
          const auto* w = reinterpret_cast<const double*>(a + k * f.n + row);
          const double re = unit[j][k].real(), im = unit[j][k].imag();
          for (Index i = 0; i < rows; ++i) {
            x[2 * i] -= w[2 * i] * re - w[2 * i + 1] * im;
            x[2 * i + 1] -= w[2 * i] * im + w[2 * i + 1] * re;
          }
        }
      }
      for (Index j = 0; j < width; ++j) {
        auto* x = reinterpret_cast<double*>(a + j * f.n + row);
        const double re = inverse[j].real(), im = inverse[j].imag();
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

class TreeDirect final : public SparseDirect {
 public:
  Status factor(const SymmetricMatrix& m, const DirectOptions& options) {
    stop_ = options.stop;
    threads_ = std::max(1, options.threads);
    block_ = std::max(1, options.block);
    auto tree = elimination_tree(m, stop_);
    if (!tree) return tree.error();
    tree_ = std::move(*tree);
    facts_.method = "own fronts";
    facts_.entries = tree_.entries;
    facts_.flops = tree_.flops;
    for (const Front& f : tree_.fronts) start_.push_back(start_.back() + f.size() * f.pivots());
    facts_.bytes = static_cast<Bytes>(start_.back()) * sizeof(Complex);
    // What is left of fronts waits for their parents: a half of the factors is more than was seen.
    if (options.memory > 0 && facts_.bytes + facts_.bytes / 2 > options.memory)
      return make_error(ErrorCode::resources,
                        fmt::format("the factors of {} unknowns need {} MiB", m.size, (facts_.bytes * 3 / 2) >> 20));
    matrix_ = m;
    share_out();
    const auto begun = std::chrono::steady_clock::now();
    values_ = std::make_unique_for_overwrite<Complex[]>(static_cast<std::size_t>(start_.back()));
    rest_.clear();
    rest_.resize(tree_.fronts.size());
    place_entries();
    kernels_.resize(static_cast<std::size_t>(threads_));
    parallel_for(threads_, {0, static_cast<Index>(subtrees_.size())}, 1, [&](Index s) {
      Kernel kernel;
      for (int f = subtrees_[s][0]; f <= subtrees_[s][1] && !stop_.stop_requested(); ++f)
        eliminate(f, std::span(&kernel, 1));
    });
    for (const int f : above_)
      if (!stop_.stop_requested()) eliminate(f, kernels_);
    if (stop_.stop_requested()) return stop_error();
    facts_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return trial();
  }

  Status solve(std::vector<Complex>& columns, Index count) override {
    const Index n = matrix_.size;
    for (Index at = 0; at < count; at += block_) {
      const Index some = std::min<Index>(block_, count - at);
      std::span<Complex> b(columns.data() + at * n, static_cast<std::size_t>(some * n));
      std::vector<Complex> before;
      if (refine_) before.assign(b.begin(), b.end());
      pass(b, some);
      if (refine_) {
        std::vector<Complex> product(static_cast<std::size_t>(n));
        for (Index c = 0; c < some; ++c) {
          matrix_.multiply(b.subspan(static_cast<std::size_t>(c * n), static_cast<std::size_t>(n)), product);
          for (Index i = 0; i < n; ++i) before[c * n + i] -= product[i];
        }
        pass(before, some);
        for (std::size_t i = 0; i < b.size(); ++i) b[i] += before[i];
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
    const double share = threads_ == 1 ? 2 * all : all / (subtrees_a_thread * threads_);
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
    // The largest first, so that threads end together.
    std::sort(subtrees_.begin(), subtrees_.end(),
              [&](const auto& a, const auto& b) { return work[a[1]] > work[b[1]]; });
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
    Dense f{front.size(), front.pivots(), values_.get() + start_[number], nullptr};
    std::fill_n(f.l, f.n * f.p, Complex(0));
    rest_[number] = std::make_unique<Complex[]>(static_cast<std::size_t>(f.r() * f.r()));
    f.c = rest_[number].get();
    const auto local = [&](std::int32_t place) -> Index {
      return place < front.last
                 ? place - front.first
                 : f.p + (std::lower_bound(front.rows.begin(), front.rows.end(), place) - front.rows.begin());
    };
    for (std::int32_t column = front.first; column < front.last; ++column)
      for (Index e = entry_start_[column]; e < entry_start_[column + 1]; ++e)
        f.l[(column - front.first) * f.n + local(entry_row_[e])] += matrix_.values[entry_[e]];
    for (const int child : front.children) {
      const Front& below = tree_.fronts[child];
      const auto r = static_cast<Index>(below.rows.size());
      std::vector<Index> at(static_cast<std::size_t>(r));
      for (Index i = 0; i < r; ++i) at[i] = local(below.rows[i]);
      const Complex* from = rest_[child].get();
      const auto add = [&](Index j) {
        Complex* to = at[j] < f.p ? f.l + at[j] * f.n : f.c + (at[j] - f.p) * f.r() - f.p;
        for (Index i = j; i < r; ++i) to[at[i]] += from[j * r + i];
      };
      if (kernels.size() == 1)
        for (Index j = 0; j < r; ++j) add(j);
      else
        parallel_for(static_cast<int>(kernels.size()), {0, r}, 16, add);
      rest_[child].reset();
    }
    Eliminator(kernels, stop_).run(f);
  }

  /// Columns overwritten with the solutions of the factors.
  void pass(std::span<Complex> b, Index count) {
    const Index n = matrix_.size;
    // By places, the values of all columns beside one another.
    std::vector<Complex> x(static_cast<std::size_t>(n * count));
    parallel_for(threads_, {0, n}, 1024, [&](Index i) {
      for (Index c = 0; c < count; ++c) x[tree_.place[i] * count + c] = b[c * n + i];
    });
    std::vector<std::vector<Complex>> waiting(tree_.fronts.size());
    const auto subtrees = static_cast<Index>(subtrees_.size());
    parallel_for(threads_, {0, subtrees}, 1, [&](Index s) {
      Kernel kernel;
      for (int f = subtrees_[s][0]; f <= subtrees_[s][1] && !stop_.stop_requested(); ++f)
        forward(f, x, count, waiting, std::span(&kernel, 1));
    });
    for (const int f : above_)
      if (!stop_.stop_requested()) forward(f, x, count, waiting, kernels_);
    for (std::size_t k = above_.size(); k-- > 0 && !stop_.stop_requested();) backward(above_[k], x, count, kernels_);
    parallel_for(threads_, {0, subtrees}, 1, [&](Index s) {
      Kernel kernel;
      for (int f = subtrees_[s][1]; f >= subtrees_[s][0] && !stop_.stop_requested(); --f)
        backward(f, x, count, std::span(&kernel, 1));
    });
    parallel_for(threads_, {0, n}, 1024, [&](Index i) {
      for (Index c = 0; c < count; ++c) b[c * n + i] = x[tree_.place[i] * count + c];
    });
  }

  /// y = D⁻¹ L⁻¹ b of a front's pivots; what its rows lose waits for the parent.
  void forward(int number, std::vector<Complex>& x, Index count, std::vector<std::vector<Complex>>& waiting,
               std::span<Kernel> kernels) {
    const Front& front = tree_.fronts[number];
    const Index p = front.pivots(), n = front.size();
    const Complex* l = values_.get() + start_[number];
    std::vector<Complex> y(static_cast<std::size_t>(n * count), 0);  // rows of the front, columns
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
    std::vector<Complex> part;
    constexpr Index block = 32;
    for (Index k = 0; k < p; k += block) {
      const Index width = std::min(block, p - k);
      for (Index c = 0; c < count; ++c)
        for (Index i = 0; i < width; ++i) {
          const Complex v = y[c * n + k + i];
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
      const Complex d = 1.0 / l[i * n + i];
      for (Index c = 0; c < count; ++c) x[(front.first + i) * count + c] = y[c * n + i] * d;
    }
    if (front.parent < 0) return;
    std::vector<Complex>& out = waiting[number];
    out.resize(static_cast<std::size_t>((n - p) * count));
    for (Index c = 0; c < count; ++c) std::copy_n(y.data() + c * n + p, n - p, out.data() + c * (n - p));
  }

  /// x = L⁻ᵀ y, with the values of its rows, which its parents have found. Columns lie across: one number of each beside the others.
  void backward(int number, std::vector<Complex>& x, Index count, std::span<Kernel> kernels) {
    const Front& front = tree_.fronts[number];
    const Index p = front.pivots(), n = front.size(), r = n - p;
    const Complex* l = values_.get() + start_[number];
    std::vector<Complex> rows(static_cast<std::size_t>(r * count));
    for (Index i = 0; i < r; ++i) std::copy_n(x.data() + front.rows[i] * count, count, rows.data() + i * count);
    Complex* own = x.data() + front.first * count;
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
          const Complex v = l[(k + i) * n + k + o];
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
    if (residual < useless) return {};
    return make_error(ErrorCode::internal,
                      fmt::format("pivots from the diagonal leave a residual of {:.1e}", residual));
  }

  EliminationTree tree_;
  SymmetricMatrix matrix_;
  std::stop_token stop_;
  int threads_ = 1;
  Index block_ = 64;
  bool refine_ = false;
  std::vector<Index> start_{0};  ///< of each front's columns among the values
  std::unique_ptr<Complex[]> values_;
  std::vector<std::unique_ptr<Complex[]>> rest_;  ///< what is left of fronts for their parents
  std::vector<std::array<int, 2>> subtrees_;      ///< first and last front
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
  auto out = std::make_unique<TreeDirect>();
  try {
    if (Status s = out->factor(matrix, options); !s) return s.error();
  } catch (const std::bad_alloc&) {
    return make_error(ErrorCode::resources, fmt::format("no memory for the factors of {} unknowns", matrix.size),
                      "Coarsen the mesh, or lower compute.memory.host so that factors go to disk.");
  }
  return std::unique_ptr<SparseDirect>(std::move(out));
}

}  // namespace conoid

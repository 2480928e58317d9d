// SPDX-License-Identifier: BSD-3-Clause
// Crosses by points, samples, recompression by two orthogonalisations, the second with pivots.
#include "engine/linalg/cross_approximation.hpp"

#include "engine/linalg/dense.hpp"
#include "engine/simd/instruction_set.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace conoid {
namespace {

using Complex = std::complex<double>;

// The loops over long vectors, for the registers of this processor: pairs (re, im) as they lie in memory. What does not fill a register is
// left to the end.
using Lanes [[gnu::vector_size(64)]] = double;
constexpr Index lanes = 8;

[[gnu::always_inline]] inline void load(Lanes& v,
                                        const double* p) {  // by reference: registers as values change the ABI
  __builtin_memcpy(&v, p, sizeof v);
}
[[gnu::always_inline]] inline double sum(const Lanes& v) {
  double out = 0;
  for (Index l = 0; l < lanes; ++l) out += v[l];
  return out;
}

/// Two sums of real numbers a column: with x (re, im), and with x (im, −re), which is `turned`.
[[gnu::always_inline]] inline void adjoint_loop(const double* a, Index length, Index columns, const double* x,
                                                const double* turned, double* h) {
  for (Index k = 0; k < columns; ++k) {
    const double* const values = a + k * length;
    Lanes re{}, im{}, re2{}, im2{};
    Index i = 0;
    for (; i + 2 * lanes <= length; i += 2 * lanes) {
      Lanes one, two, x1, x2, t1, t2;
      load(one, values + i);
      load(two, values + i + lanes);
      load(x1, x + i);
      load(x2, x + i + lanes);
      load(t1, turned + i);
      load(t2, turned + i + lanes);
      re += one * x1;
      im += one * t1;
      re2 += two * x2;
      im2 += two * t2;
    }
    re += re2;
    im += im2;
    double whole = sum(re), other = sum(im);
    for (; i < length; ++i) {
      whole += values[i] * x[i];
      other += values[i] * turned[i];
    }
    h[2 * k] = whole;
    h[2 * k + 1] = other;
  }
}

/// y −= (re + i im) x; ‖y‖².
[[gnu::always_inline]] inline double subtract_loop(double re, double im, const double* x, double* y, Index length) {
  const Lanes turn{im, -im, im, -im, im, -im, im, -im};
  Lanes squares{};
  Index i = 0;
  for (; i + lanes <= length; i += lanes) {
    Lanes from, to;
    load(from, x + i);
    load(to, y + i);
    to += turn * __builtin_shufflevector(from, from, 1, 0, 3, 2, 5, 4, 7, 6) - re * from;
    squares += to * to;
    __builtin_memcpy(y + i, &to, sizeof to);
  }
  double out = sum(squares);
  for (; i < length; i += 2) {
    const double xr = x[i], xi = x[i + 1];
    y[i] -= re * xr - im * xi;
    y[i + 1] -= re * xi + im * xr;
    out += y[i] * y[i] + y[i + 1] * y[i + 1];
  }
  return out;
}

void adjoint_any(const double* a, Index length, Index columns, const double* x, const double* turned, double* h) {
  adjoint_loop(a, length, columns, x, turned, h);
}
double subtract_any(double re, double im, const double* x, double* y, Index length) {
  return subtract_loop(re, im, x, y, length);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void adjoint_avx2(const double* a, Index length, Index columns, const double* x,
                                              const double* turned, double* h) {
  adjoint_loop(a, length, columns, x, turned, h);
}
[[gnu::target("avx2,fma")]] double subtract_avx2(double re, double im, const double* x, double* y, Index length) {
  return subtract_loop(re, im, x, y, length);
}
[[gnu::target("avx512f")]] void adjoint_avx512(const double* a, Index length, Index columns, const double* x,
                                               const double* turned, double* h) {
  adjoint_loop(a, length, columns, x, turned, h);
}
[[gnu::target("avx512f")]] double subtract_avx512(double re, double im, const double* x, double* y, Index length) {
  return subtract_loop(re, im, x, y, length);
}
#endif

struct Loops {
  void (*adjoint)(const double*, Index, Index, const double*, const double*, double*) = adjoint_any;
  double (*subtract)(double, double, const double*, double*, Index) = subtract_any;
};
const Loops& loops() {
  static const Loops found = [] {
    Loops out;
#if defined(__x86_64__)
    if (instruction_set() == InstructionSet::avx512)
      out = {adjoint_avx512, subtract_avx512};
    else if (instruction_set() == InstructionSet::avx2)
      out = {adjoint_avx2, subtract_avx2};
#endif
    return out;
  }();
  return found;
}

const double* numbers(const Complex* x) {
  return reinterpret_cast<const double*>(x);
}

double norm2(const Complex* x, Index n) {
  double sum = 0;
  for (Index k = 0; k < n; ++k) sum += std::norm(x[k]);
  return sum;
}

/// y −= factor x; ‖y‖² of what is left.
double subtract(Complex factor, const Complex* x, Complex* y, Index n) {
  return loops().subtract(factor.real(), factor.imag(), numbers(x), reinterpret_cast<double*>(y), 2 * n);
}

/// h = Aᴴ x: products of matrices would copy A into panels for a single vector. `turned`: work space.
void adjoint_times(const Complex* a, Index rows, Index columns, const Complex* x, Complex* h,
                   std::vector<double>& turned) {
  turned.resize(static_cast<std::size_t>(2 * rows));
  for (Index i = 0; i < rows; ++i) {
    turned[static_cast<std::size_t>(2 * i)] = x[i].imag();
    turned[static_cast<std::size_t>(2 * i + 1)] = -x[i].real();
  }
  loops().adjoint(numbers(a), 2 * rows, columns, numbers(x), turned.data(), reinterpret_cast<double*>(h));
}

/// The crosses of one block: block ≈ U Wᵀ.
class Crosses {
 public:
  Crosses(CrossBlock& block, Index rows, Index columns, Index width, double tolerance)
      : block_(block), points_(rows), width_(width), m_(rows * width), n_(columns * width), tolerance_(tolerance),
        seen_(static_cast<std::size_t>(rows), 0), used_(static_cast<std::size_t>(n_), 0) {}

  LowRank find() {
    Index point = points_ / 2;
    int small = 0;
    for (Index step = 0; step < points_; ++step) {
      if (rank_ >= std::min(m_, n_)) break;
      const double grown = cross_rows(point);
      small = grown <= tolerance_ * tolerance_ * std::max(norm2_, 0.0) ? small + 1 : 0;
      if (small < 2) {
        point = strongest();
        if (point < 0) break;
        continue;
      }
      const Index missed = look_elsewhere();
      if (missed < 0) break;
      point = missed;
      small = 1;
    }
    return recompress();
  }

 private:
  /// The rows of a point less what the crosses have of them.
  std::vector<Complex> residual_rows(Index point) {
    std::vector<Complex> out(static_cast<std::size_t>(width_ * n_)), factors(static_cast<std::size_t>(rank_ * width_));
    block_.rows(point, out.data());
    if (rank_ == 0) return out;
    for (Index c = 0; c < width_; ++c)
      for (Index k = 0; k < rank_; ++k)
        factors[static_cast<std::size_t>(c * rank_ + k)] = -u_[static_cast<std::size_t>(k * m_ + point * width_ + c)];
    dense::multiply<Complex>(w_.data(), n_, rank_, factors.data(), width_, Complex(1), out.data(), 1);
    return out;
  }

  /// A column less what the crosses have of it. Those of a point come together and are kept, raw.
  std::vector<Complex> residual_column(Index column) {
    const Index point = column / width_;
    auto found = std::ranges::find_if(kept_, [&](const Kept& k) { return k.point == point; });
    if (found == kept_.end()) {
      kept_.push_back({point, std::vector<Complex>(static_cast<std::size_t>(width_ * m_))});
      found = kept_.end() - 1;
      block_.columns(point, found->values.data());
    }
    const Complex* from = found->values.data() + column % width_ * m_;
    std::vector<Complex> out(from, from + m_), factors(static_cast<std::size_t>(rank_));
    if (rank_ == 0) return out;
    for (Index k = 0; k < rank_; ++k)
      factors[static_cast<std::size_t>(k)] = -w_[static_cast<std::size_t>(k * n_ + column)];
    dense::multiply<Complex>(u_.data(), m_, rank_, factors.data(), 1, Complex(1), out.data(), 1);
    return out;
  }

  /// Column of a pivot: the largest value, or one half as large whose column is known already; −1: zeros.
  Index pivot(const Complex* row) const {
    Index best = -1;
    double most = 0;
    for (Index k = 0; k < n_; ++k)
      if (used_[static_cast<std::size_t>(k)] == 0 && std::norm(row[k]) > most) {
        most = std::norm(row[k]);
        best = k;
      }
    if (!(most > 1e-280)) return -1;
    double known = most / 4;
    for (const Kept& kept : kept_)
      for (Index c = 0; c < width_; ++c) {
        const Index k = kept.point * width_ + c;
        if (used_[static_cast<std::size_t>(k)] != 0 || std::norm(row[k]) < known) continue;
        known = std::norm(row[k]);
        best = k;
      }
    return best;
  }

  /// A cross through each row of the point, the largest first; the sum of their norms, squared.
  double cross_rows(Index point) {
    seen_[static_cast<std::size_t>(point)] = 1;
    std::vector<Complex> rows = residual_rows(point);
    std::vector<char> done(static_cast<std::size_t>(width_), 0);
    double grown = 0;
    first_new_ = rank_;
    for (Index turn = 0; turn < width_ && rank_ < std::min(m_, n_); ++turn) {
      Index row = -1;
      double most = 0;
      for (Index c = 0; c < width_; ++c) {
        const double size = norm2(rows.data() + c * n_, n_);
        if (done[static_cast<std::size_t>(c)] == 0 && size > most) {
          most = size;
          row = c;
        }
      }
      // A row that would give less than a tenth of what may be left gives nothing but round-off.
      if (row < 0 || most * static_cast<double>(m_) <= 0.01 * tolerance_ * tolerance_ * norm2_) break;
      done[static_cast<std::size_t>(row)] = 1;
      Complex* across = rows.data() + row * n_;
      const Index column = pivot(across);
      if (column < 0) break;
      const std::vector<Complex> down = residual_column(column);
      const double size = std::norm(across[column]), re = across[column].real() / size,
                   im = -across[column].imag() / size;
      std::vector<Complex> scaled(static_cast<std::size_t>(n_));
      for (Index k = 0; k < n_; ++k)
        scaled[static_cast<std::size_t>(k)] = {across[k].real() * re - across[k].imag() * im,
                                               across[k].real() * im + across[k].imag() * re};
      used_[static_cast<std::size_t>(column)] = 1;
      grown += add(down, scaled);
      for (Index c = 0; c < width_; ++c)
        if (done[static_cast<std::size_t>(c)] == 0)
          subtract(down[static_cast<std::size_t>(point * width_ + c)], scaled.data(), rows.data() + c * n_, n_);
    }
    return grown;
  }

  double add(const std::vector<Complex>& down, const std::vector<Complex>& across) {
    const double size = norm2(down.data(), m_) * norm2(across.data(), n_);
    double mixed = 0;
    if (rank_ > 0) {
      std::vector<Complex> a(static_cast<std::size_t>(rank_)), b(a.size());
      adjoint_times(u_.data(), m_, rank_, down.data(), a.data(), turned_);
      adjoint_times(w_.data(), n_, rank_, across.data(), b.data(), turned_);
      for (std::size_t k = 0; k < a.size(); ++k) mixed += 2 * std::real(a[k] * b[k]);
    }
    norm2_ += size + mixed;
    u_.insert(u_.end(), down.begin(), down.end());
    w_.insert(w_.end(), across.begin(), across.end());
    ++rank_;
    return size;
  }

  /// The unseen point whose rows the last crosses change most; −1: all were seen.
  Index strongest() {
    Index best = -1;
    double most = -1;
    for (Index i = 0; i < points_; ++i) {
      if (seen_[static_cast<std::size_t>(i)] != 0) continue;
      double size = 0;
      for (Index k = first_new_; k < rank_; ++k) size += norm2(u_.data() + k * m_ + i * width_, width_);
      if (size > most) {
        most = size;
        best = i;
      }
    }
    return best;
  }

  /// Two unseen points, the same in every run: the error that their rows show, and the worse of them if it is too large, else −1.
  Index look_elsewhere() {
    std::vector<Index> left;
    for (Index i = 0; i < points_; ++i)
      if (seen_[static_cast<std::size_t>(i)] == 0) left.push_back(i);
    sampled_ = 0;
    if (left.empty()) return -1;
    Index worst = -1;
    double most = -1, sum = 0;
    const int samples = left.size() > 1 ? 2 : 1;
    for (int k = 0; k < samples; ++k) {
      const Index i = left[random_() % left.size()];
      const std::vector<Complex> rows = residual_rows(i);
      const double size = norm2(rows.data(), width_ * n_);
      sum += size;
      if (size > most) {
        most = size;
        worst = i;
      }
    }
    sampled_ = sum / samples * static_cast<double>(points_);
    return most * static_cast<double>(points_) > 4 * tolerance_ * tolerance_ * norm2_ ? worst : -1;
  }

  LowRank recompress() {
    LowRank out;
    out.found = rank_;
    const Index k = rank_;
    if (k == 0) {
      out.error2 = sampled_;
      return out;
    }
    // U = Q R, by classical Gram-Schmidt done twice; columns that are nothing but round-off become zero.
    std::vector<Complex> r(static_cast<std::size_t>(k * k)), h(static_cast<std::size_t>(k)), lost(h.size());
    for (Index j = 0; j < k; ++j) {
      Complex* column = u_.data() + j * m_;
      const double before = norm2(column, m_);
      for (int pass = 0; pass < 2 && j > 0; ++pass) {
        adjoint_times(u_.data(), m_, j, column, h.data(), turned_);
        for (Index q = 0; q < j; ++q) {
          r[static_cast<std::size_t>(j * k + q)] += h[static_cast<std::size_t>(q)];
          lost[static_cast<std::size_t>(q)] = -h[static_cast<std::size_t>(q)];
        }
        dense::multiply<Complex>(u_.data(), m_, j, lost.data(), 1, Complex(1), column, 1);
      }
      const double rest = norm2(column, m_);
      const double size = rest > 1e-28 * before ? std::sqrt(rest) : 0;
      r[static_cast<std::size_t>(j * k + j)] = size;
      const double scale = size > 0 ? 1 / size : 0;
      for (Index i = 0; i < m_; ++i) column[i] *= scale;
    }
    // The block is Q (W Rᵀ)ᵀ; columns of W Rᵀ are orthogonalised, the largest first, until what is left of all is small.
    std::vector<Complex> rt(r.size()), b(static_cast<std::size_t>(n_ * k));
    for (Index i = 0; i < k; ++i)
      for (Index j = 0; j < k; ++j) rt[static_cast<std::size_t>(i * k + j)] = r[static_cast<std::size_t>(j * k + i)];
    dense::multiply<Complex>(w_.data(), n_, k, rt.data(), k, Complex(0), b.data(), 1);
    out.norm2 = norm2(b.data(), n_ * k);
    std::vector<Complex> parts;  // of each orthogonal vector: its share in the columns
    std::vector<double> sizes(static_cast<std::size_t>(k));
    for (Index j = 0; j < k; ++j) sizes[static_cast<std::size_t>(j)] = norm2(b.data() + j * n_, n_);
    double left = out.norm2;
    while (out.rank < k && left > tolerance_ * tolerance_ * out.norm2) {
      const auto best = static_cast<Index>(std::ranges::max_element(sizes) - sizes.begin());
      const double most = sizes[static_cast<std::size_t>(best)];
      if (!(most > 0)) break;
      std::vector<Complex> p(b.begin() + best * n_, b.begin() + (best + 1) * n_);
      const double scale = 1 / std::sqrt(most);
      for (Complex& z : p) z *= scale;
      adjoint_times(b.data(), n_, k, p.data(), h.data(), turned_);  // conjugates of the shares
      for (Complex& z : h) z = std::conj(z);
      parts.insert(parts.end(), h.begin(), h.end());
      left = 0;
      for (Index j = 0; j < k; ++j)
        left += sizes[static_cast<std::size_t>(j)] =
            subtract(h[static_cast<std::size_t>(j)], p.data(), b.data() + j * n_, n_);
      for (const Complex& z : p) out.v.push_back(std::conj(z));
      ++out.rank;
    }
    out.u.resize(static_cast<std::size_t>(m_ * out.rank));
    dense::multiply<Complex>(u_.data(), m_, k, parts.data(), out.rank, Complex(0), out.u.data(), 1);
    out.error2 = sampled_ + left;
    return out;
  }

  struct Kept {
    Index point;
    std::vector<Complex> values;
  };
  CrossBlock& block_;
  Index points_, width_, m_, n_, rank_ = 0, first_new_ = 0;
  double tolerance_;
  std::vector<char> seen_, used_;
  std::vector<Complex> u_, w_;
  std::vector<double> turned_;
  std::vector<Kept> kept_;
  double norm2_ = 0, sampled_ = 0;
  std::minstd_rand random_{12345};
};

}  // namespace

LowRank cross_approximation(CrossBlock& block, Index rows, Index columns, Index width, double tolerance) {
  return Crosses(block, rows, columns, width, tolerance).find();
}

}  // namespace conoid

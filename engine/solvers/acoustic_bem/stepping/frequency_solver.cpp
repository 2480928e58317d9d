// SPDX-License-Identifier: BSD-3-Clause
// Transform of the slices, GMRES with restarts.
#include "engine/solvers/acoustic_bem/stepping/frequency_solver.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"

namespace conoid::acoustic_bem {
namespace {

using Complex = std::complex<double>;

Complex dot(std::span<const Complex> a, std::span<const Complex> b) {
  Complex sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::conj(a[i]) * b[i];
  return sum;
}

double norm_of(std::span<const Complex> a) {
  return std::sqrt(dot(a, a).real());
}

/// The upper triangle of the Hessenberg matrix by Givens' rotations, column by column, and the rotated right-hand side.
class Rotations {
 public:
  explicit Rotations(double beta) : rhs_{beta} {}
  /// `column`: k + 2 entries. Returns |residual|.
  double add(std::vector<Complex> column) {
    const std::size_t k = columns_.size();
    for (std::size_t i = 0; i < k; ++i) {
      const Complex upper = column[i];
      column[i] = std::conj(c_[i]) * upper + std::conj(s_[i]) * column[i + 1];
      column[i + 1] = -s_[i] * upper + c_[i] * column[i + 1];
    }
    const double length = std::hypot(std::abs(column[k]), std::abs(column[k + 1]));
    c_.push_back(length > 0 ? column[k] / length : 1.0);
    s_.push_back(length > 0 ? column[k + 1] / length : 0.0);
    column[k] = length;
    column.resize(k + 1);
    rhs_.push_back(-s_[k] * rhs_[k]);
    rhs_[k] *= std::conj(c_[k]);
    columns_.push_back(std::move(column));
    return std::abs(rhs_[k + 1]);
  }
  [[nodiscard]] std::vector<Complex> solution() const {
    std::vector<Complex> y(columns_.size());
    for (std::size_t i = y.size(); i-- > 0;) {
      y[i] = rhs_[i];
      for (std::size_t j = i + 1; j < y.size(); ++j) y[i] -= columns_[j][i] * y[j];
      y[i] /= columns_[i][i];
    }
    return y;
  }

 private:
  std::vector<Complex> c_, s_, rhs_;
  std::vector<std::vector<Complex>> columns_;
};

}  // namespace

template <class Real>
FrequencySolver<Real>::FrequencySolver(const Matrices<Real>& matrices, InstantSolver& instant, Communicator* cluster)
    : matrices_(matrices), instant_(instant), cluster_(cluster != nullptr && cluster->size() > 1 ? cluster : nullptr) {}

template <class Real>
void FrequencySolver<Real>::set(Team& team, double omega) {
  if (omega == omega_) return;
  omega_ = omega;
  if (matrices_.skeletons) {
    compressed_.reset();  // before there is another
    compressed_.emplace(matrices_, omega, team);
    return;
  }
  const Slices<Real>& slices = matrices_.slices;
  const auto N = static_cast<std::size_t>(slices.rows());
  columns_.assign(N * static_cast<std::size_t>(slices.count()), {});
  std::vector<Complex> turn;
  for (Index k = 0; k <= slices.columns(); ++k)
    turn.push_back(std::polar(1.0, omega * static_cast<double>(k) * matrices_.form.dt));
  const auto put = [&](Index i, Index j, Index start, std::span<const Real> v) {
    Complex sum = 0;
    for (std::size_t d = 0; d < v.size(); ++d)
      sum += static_cast<double>(v[d]) * turn[static_cast<std::size_t>(start) + d];
    columns_[static_cast<std::size_t>(j) * N + static_cast<std::size_t>(i)] = std::complex<Real>(sum);
  };
  const double cost = 2e-9 * static_cast<double>(slices.nonzeros());
  if (slices.streams())
    for_each_row_below(
        slices, {0, slices.count()}, slices.columns() + 1,
        [&](Index i, Index j, Index start, std::span<const Real> v) { put(i, j - slices.first(), start, v); });
  else
    for_range(team, "frequencies", slices.count(), 4, cost, [&](Interval own) {
      for (Index j = own.begin; j < own.end; ++j)
        slices.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) { put(i, j, start, v); });
    });
  // What walls remember follows from the pressure of the column's unknown.
  const Slices<Real>& memory = matrices_.memory;
  for (Index k = static_cast<Index>(turn.size()); k <= memory.columns(); ++k)
    turn.push_back(std::polar(1.0, omega * static_cast<double>(k) * matrices_.form.dt));
  for (Index j = 0; j < memory.count(); ++j) {
    const MemoryColumn& column = matrices_.memory_columns[static_cast<std::size_t>(memory.first() + j)];
    const Complex by = matrices_.walls[static_cast<std::size_t>(column.wall)].transfer(turn[1]);
    const std::size_t base = static_cast<std::size_t>(column.unknown - slices.first()) * N;
    memory.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) {
      Complex sum = 0;
      for (std::size_t d = 0; d < v.size(); ++d)
        sum += static_cast<double>(v[d]) * turn[static_cast<std::size_t>(start) + d];
      columns_[base + static_cast<std::size_t>(i)] += std::complex<Real>(by * sum);
    });
  }
}

template <class Real>
void FrequencySolver<Real>::multiply(Team& team, std::span<const Complex> x, std::span<Complex> y) {
  const auto N = static_cast<std::size_t>(matrices_.slices.rows());
  if (compressed_)
    compressed_->multiply(team, x, y);
  else
    multiply_whole(team, x, y);
  if (cluster_ != nullptr) cluster_->sum(std::span<double>(reinterpret_cast<double*>(y.data()), 2 * N));
  for (std::size_t i = 0; i < N; ++i)
    for (SparseMatrix::InnerIterator e(matrices_.M0, static_cast<int>(i)); e; ++e)
      y[i] += e.value() * x[static_cast<std::size_t>(e.col())];
}

template <class Real>
void FrequencySolver<Real>::multiply_whole(Team& team, std::span<const Complex> x, std::span<Complex> y) const {
  const Slices<Real>& slices = matrices_.slices;
  const auto N = static_cast<std::size_t>(slices.rows());
  const double cost = 2e-9 * static_cast<double>(columns_.size());
  for_range(team, "frequencies", slices.rows(), 256, cost, [&](Interval rows) {
    std::vector<double> sums(2 * static_cast<std::size_t>(rows.size()), 0);
    for (Index j = 0; j < slices.count(); ++j) {
      const Complex by = x[static_cast<std::size_t>(slices.first() + j)];
      const double re = by.real(), im = by.imag();
      const Real* const m = reinterpret_cast<const Real*>(columns_.data() + static_cast<std::size_t>(j) * N +
                                                          static_cast<std::size_t>(rows.begin));
      for (std::size_t i = 0; i < sums.size(); i += 2) {
        const auto a = static_cast<double>(m[i]), b = static_cast<double>(m[i + 1]);
        sums[i] += a * re - b * im;
        sums[i + 1] += a * im + b * re;
      }
    }
    for (Index i = 0; i < rows.size(); ++i) {
      const auto k = static_cast<std::size_t>(2 * i);
      y[static_cast<std::size_t>(rows.begin + i)] = {sums[k], sums[k + 1]};
    }
  });
}

template <class Real>
void FrequencySolver<Real>::precondition(std::span<const Complex> x, std::span<Complex> y) {
  std::vector<double> part(x.size()), out(x.size());
  for (const bool imaginary : {false, true}) {
    for (std::size_t i = 0; i < x.size(); ++i) part[i] = imaginary ? x[i].imag() : x[i].real();
    instant_.solve(part, out);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = imaginary ? Complex(y[i].real(), out[i]) : Complex(out[i], 0);
  }
}

template <class Real>
Index FrequencySolver<Real>::solve(Team& team, std::span<const Complex> l, std::span<Complex> a) {
  constexpr Index restart = 120, most = 1200;
  const double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-10;
  const std::size_t n = l.size();
  std::fill(a.begin(), a.end(), Complex{});
  std::vector<Complex> r(n), w(n), wanted(n);
  precondition(l, wanted);
  const double scale = norm_of(wanted);
  if (scale == 0) return 1;
  Index iterations = 0;
  while (iterations < most) {
    multiply(team, a, w);
    for (std::size_t i = 0; i < n; ++i) w[i] = l[i] - w[i];
    precondition(w, r);
    const double beta = norm_of(r);
    if (beta <= tolerance * scale) return std::max<Index>(iterations, 1);
    std::vector<std::vector<Complex>> basis{std::move(r)};
    for (Complex& v : basis[0]) v /= beta;
    Rotations rotations(beta);
    for (Index k = 0; k < restart && iterations < most; ++k) {
      ++iterations;
      multiply(team, basis.back(), w);
      std::vector<Complex> next(n), column;
      precondition(w, next);
      for (const auto& v : basis) {
        column.push_back(dot(v, next));
        for (std::size_t i = 0; i < n; ++i) next[i] -= column.back() * v[i];
      }
      const double length = norm_of(next);
      column.emplace_back(length);
      const double left = rotations.add(std::move(column));
      if (left <= 0.5 * tolerance * scale || length == 0) break;
      for (Complex& v : next) v /= length;
      basis.push_back(std::move(next));
    }
    const std::vector<Complex> y = rotations.solution();
    for (std::size_t k = 0; k < y.size(); ++k)
      for (std::size_t i = 0; i < n; ++i) a[i] += y[k] * basis[k][i];
    r.assign(n, {});
  }
  return 0;
}

Error not_solved(double frequency) {
  return make_error(
      ErrorCode::not_converged,
      fmt::format("the pressure at {} was not found in 1200 iterations", format_quantity(frequency, "Hz")),
      "Form N resonates inside bodies and rooms without absorption: use NC, leave that frequency out, or give "
      "a wall an impedance; of single precision, use double.");
}

template class FrequencySolver<float>;
template class FrequencySolver<double>;

}  // namespace conoid::acoustic_bem

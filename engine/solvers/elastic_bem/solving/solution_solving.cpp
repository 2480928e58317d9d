// SPDX-License-Identifier: BSD-3-Clause
// Solving the boundary element equations: iterations, factors with residual correction, interior equations.
#include "engine/solvers/elastic_bem/solving/solution.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/core/seconds_now.hpp"
#include "engine/core/stop.hpp"
#include "engine/linalg/gmres.hpp"
#include "engine/solvers/elastic_bem/solving/passes.hpp"

namespace conoid::elastic_bem {
namespace {

/// Below it, errors of the equations (about the target of the quadrature) are all there is.
constexpr double least_condition = 1e-9;
/// The same where the equations themselves are held in single precision: five times its unit.
constexpr double least_in_single = 3e-7;
/// A residual that is good enough in double; for one in single precision see Solution.
constexpr double residual_in_double = 1e-8;
/// Corrections by factors in single or double precision, and by those of ten bits, which gain one to three digits each; where one of these
/// gains less, factors in single precision are sooner done.
constexpr int most_corrections = 6, most_coarse_corrections = 12;
constexpr double least_gain = 0.2;
/// Below it the condition that factors of ten bits tell (2^-11 of the matrix off) is none.
constexpr double least_coarse_condition = 1e-4;

}  // namespace

/// r = f − A x; the largest relative norm.
template <class Real>
double BoundarySystem::Solution<Real>::residuals(std::vector<Complex>& r) const {
  std::vector<C> xr(x_.begin(), x_.end()), y(x_.size());
  multiply(a_, n_, xr.data(), columns_, y.data());
  double worst = 0;
  for (Index c = 0; c < columns_; ++c) {
    for (Index k = 0; k < n_; ++k) {
      const auto i = static_cast<std::size_t>(c * n_ + k);
      r[i] = f_[i] - Complex(y[i]);
    }
    const double whole = length(f_.data() + c * n_, n_);
    if (whole > 0) worst = std::max(worst, length(r.data() + c * n_, n_) / whole);
  }
  return worst;
}

template <class Real>
Status BoundarySystem::Solution<Real>::solve_by_gmres() {
  std::vector<Complex> r(f_);
  facts_.iterations = 0;
  const double aim = std::max(options_.tolerance, sizeof(Real) == 8 ? 0 : 1e-7);
  const auto iterate = [&](double tolerance, std::vector<Complex>& more) -> Status {
    LockstepGmres gmres(n_, r, tolerance, std::min<Index>(n_, 1000));
    while (!gmres.finished()) {
      if (stop_.stop_requested()) return stop_error();
      const std::vector<Complex> v = gmres.next();
      const std::vector<C> vr(v.begin(), v.end());
      std::vector<C> w(v.size());
      dense::multiply<C>(a_.data(), n_, n_, vr.data(), static_cast<Index>(v.size()) / n_, C(0), w.data(),
                         library_threads_);
      gmres.take(std::vector<Complex>(w.begin(), w.end()));
    }
    more = gmres.solution();
    facts_.iterations += static_cast<int>(gmres.steps());
    return {};
  };
  return solve_in_passes(aim, x_, facts_.residual, iterate, [&] { return residuals(r); });
}

/// Interior equations join the others; their defect is that of the common solution.
template <class Real>
Status BoundarySystem::Solution<Real>::solve_compressed() {
  if (extra_ > 0) compressed_->add_interior({a2_.begin(), a2_.end()}, {rhs2_.begin(), rhs2_.end()}, 3 * extra_);
  auto found = compressed_->solve(f_, facts_);
  if (!found) return found.error();
  x_ = std::move(*found);
  if (extra_ > 0) note_interior_defect();
  return {};
}

/// The matrix comes to the host, and processors solve.
template <class Real>
void BoundarySystem::Solution<Real>::leave_device() {
  if (whole()) {
    const std::span<C> here = numbers<C>(room_.matrix, n_ * n_);
    device_->bring_home(here);
    a_ = here;
  }
  device_.reset();
  facts_.place = SolutionPlace::processors;
}

template <class Real>
template <class F>
F* BoundarySystem::Solution<Real>::factors_of_matrix() {
  const std::span<F> factors = numbers<F>(room_.factors, n_ * n_);
  all_threads_.for_each({0, n_ * n_}, Index{1} << 17, [&](Interval some, int) {
    for (Index k = some.begin; k < some.end; ++k) factors.data()[k] = F(a_.data()[k]);
  });
  return factors.data();
}

/// Factors of type F, and corrections with residuals of the matrix itself: each gains about the digits of F, or of the rounding, less those
/// of the condition.
template <class Real>
template <class F>
Status BoundarySystem::Solution<Real>::factorise_and_correct(dense::Rounding rounding) {
  std::optional<dense::Lu<F>> lu;
  std::optional<ParityFactors<F>> parts;
  const auto backend = options_.deterministic ? dense::Backend::own : dense::Backend::automatic;
  const bool coarse = rounding == dense::Rounding::ten_bits;
  const Stopped stopped = [this] { return stop_.stop_requested(); };
  double start = seconds_now();
  if (parted_) {
    const auto by = [&](F* matrix, Index size) -> Result<dense::Lu<F>> {
      if (device_) return device_->template factorise_through<F>(matrix, size, rounding, stopped);
      return dense::Lu<F>::factorise(matrix, size, team_.threads(), backend, stopped);
    };
    const auto make = [&] {
      return ParityFactors<F>::template factorise<C>(
          system_.parities_, system_.parity_rows_, a_, n_, f_, columns_,
          numbers<F>(room_.factors, ParityFactors<F>::entries(system_.parities_)), all_threads_, by);
    };
    auto made = make();
    if (!made && device_ && !coarse && made.error().code == ErrorCode::resources) {
      log::warning("elastic-bem: processors solve the {} equations: {}", n_, made.error().text);
      leave_device();
      made = make();
    }
    if (!made) return made.error();
    parts = std::move(*made);
  } else if (device_) {
    Status status;
    if (device_->place() == SolutionPlace::through) {
      F* const factors = factors_of_matrix<F>();
      start = seconds_now();
      auto made = device_->template factorise_through<F>(factors, n_, rounding, stopped);
      if (made)
        lu = std::move(*made);
      else
        status = made.error();
    } else {
      status = device_->template factorise<F>(whole() ? nullptr : a_.data(), rounding);
    }
    if (!status && (coarse || status.error().code != ErrorCode::resources)) return status.error();
    if (!status) {
      log::warning("elastic-bem: processors solve the {} equations: {}", n_, status.error().text);
      leave_device();
    }
  }
  if (!parted_ && !device_) {
    F* const factors = factors_of_matrix<F>();
    start = seconds_now();
    auto made = dense::Lu<F>::factorise(factors, n_, team_.threads(), backend, stopped);
    if (!made) return made.error();
    lu = std::move(*made);
  }
  facts_.ten_bits = coarse;
  const double taken = seconds_now() - start, unknowns = static_cast<double>(n_);
  facts_.seconds_factors += taken;
  if (device_) facts_.seconds_library += lu || parts ? taken : device_->library_seconds();
  // A complex multiply-add is eight operations; the matrix is read and written once.
  team_.note("factorise", taken,
             {parts ? parts->operations() : 8.0 / 3 * unknowns * unknowns * unknowns,
              2 * unknowns * unknowns * sizeof(F) /
                  static_cast<double>(std::max<std::size_t>(1, parts ? system_.parities_.size() : 1))},
             device_ ? Team::Who::devices : Team::Who::processors, device_ ? device_->worker() : -1);
  const auto solve = [&](std::vector<F>& right) {
    if (parts)
      parts->solve(right, columns_);
    else if (lu)
      lu->solve(right.data(), columns_);
    else
      device_->solve(right.data(), columns_);
  };
  facts_.rcond = parts ? parts->reciprocal_condition()
                 : lu  ? lu->reciprocal_condition()
                       : device_->reciprocal_condition();
  std::vector<F> y(f_.begin(), f_.end());
  solve(y);
  for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = Complex(y[k]);
  std::vector<Complex> r(f_.size());
  facts_.residual = residuals(r);
  for (int step = 0; step < (coarse ? most_coarse_corrections : most_corrections) &&
                     facts_.residual > options_.tolerance && sizeof(Real) == 8;
       ++step) {
    std::vector<F> d(r.begin(), r.end());
    solve(d);
    const std::vector<Complex> before = x_;
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += Complex(d[k]);
    const double was = facts_.residual;
    facts_.residual = residuals(r);
    ++facts_.iterations;
    if (coarse && !(facts_.residual < least_gain * was)) break;
    if (!(facts_.residual < was)) {
      x_ = before;
      facts_.residual = residuals(r);
      break;
    }
  }
  return {};
}

template <class Real>
Result<bool> BoundarySystem::Solution<Real>::solve_by_coarse_factors() {
  if (!options_.ten_bits || sizeof(Real) == 4 || options_.method != Method::mixed || !device_ || !device_->may_round())
    return false;
  const Status status = factorise_and_correct<std::complex<float>>(dense::Rounding::ten_bits);
  if (!status && status.error().code == ErrorCode::stopped) return status.error();
  if (status && facts_.residual <= options_.tolerance && facts_.rcond > least_coarse_condition) return true;
  facts_.ten_bits = false;
  device_->is_too_coarse();
  if (status)
    log::info(
        "elastic-bem: with factors of ten bits the residual is {:.1e} at a reciprocal condition of {:.1e}: factors in "
        "single precision",
        facts_.residual, facts_.rcond);
  else
    log::info("elastic-bem: factors in single precision, since there are none of ten bits: {}", status.error().text);
  return false;
}

template <class Real>
Status BoundarySystem::Solution<Real>::solve_by_factors() {
  const bool in_single = options_.method == Method::mixed || sizeof(Real) == 4;
  const auto coarse = solve_by_coarse_factors();
  if (!coarse) return coarse.error();
  if (*coarse) return {};
  if (auto status =
          in_single ? factorise_and_correct<std::complex<float>>() : factorise_and_correct<std::complex<double>>();
      !status)
    return status.error();
  // Close to singular the corrections do not converge, or to what errors of the equations make of it: then factors in double precision.
  if (in_single && sizeof(Real) == 8 &&
      (facts_.residual > std::max(residual_in_double, options_.tolerance) || facts_.rcond < 1e-6)) {
    log::info(
        "elastic-bem: with factors in single precision the residual is {:.1e} at a reciprocal condition of {:.1e}: "
        "factors in double precision",
        facts_.residual, facts_.rcond);
    if (auto status = factorise_and_correct<std::complex<double>>(); !status) return status.error();
  }
  const double least = sizeof(Real) == 8 ? least_condition : least_in_single;
  // What is not quite its own image (forces that the ground beyond the mesh gathers in places, equations for weak modes) is left to the
  // corrections, or to all equations.
  if (parted_ &&
      (facts_.residual > std::max(sizeof(Real) == 8 ? residual_in_double : residual_in_single, options_.tolerance) ||
       facts_.rcond < least)) {
    log::info(
        "elastic-bem: by parities the residual is {:.1e} at a reciprocal condition of {:.1e}: all {} equations at once",
        facts_.residual, facts_.rcond, n_);
    parted_ = false;
    if (device_) leave_device();  // is for smaller systems
    return solve_by_factors();
  }
  if (facts_.rcond < least)
    return make_error(
        ErrorCode::not_converged,
        fmt::format("the equations are singular: their reciprocal condition is {:.2g}, so that errors of the mesh are "
                    "{:.1g} times as large in the answer",
                    facts_.rcond, 1 / facts_.rcond),
        "Something moves freely or resonates without damping: hold it by a boundary condition, add damping, or shift "
        "the "
        "frequency.");
  return {};
}

/// How badly the solution breaks the interior equations, against the size of their terms.
template <class Real>
void BoundarySystem::Solution<Real>::note_interior_defect() {
  const std::vector<C> xr(x_.begin(), x_.end());
  std::vector<C> y(rhs2_.size());
  dense::multiply<C>(a2_.data(), 3 * extra_, n_, xr.data(), columns_, C(0), y.data(), library_threads_);
  double detector = 0;
  for (Index c = 0; c < columns_; ++c) {
    double defect = 0, size = 0;
    for (Index k = 0; k < 3 * extra_; ++k) {
      const auto i = static_cast<std::size_t>(c * 3 * extra_ + k);
      defect += std::norm(y[i] - rhs2_[i]);
      size += std::norm(y[i]) + std::norm(rhs2_[i]);
    }
    if (size > 0) detector = std::max(detector, std::sqrt(defect / size));
  }
  facts_.chief_detector = detector;
  facts_.chief_rows = static_cast<int>(3 * extra_);
}

template <class Real>
Status BoundarySystem::Solution<Real>::add_interior_equations() {
  note_interior_defect();  // of the plain solution
  const Index rows = n_ + 3 * extra_;
  std::vector<Complex> tall(static_cast<std::size_t>(rows * n_)), right(static_cast<std::size_t>(rows * columns_));
  for (Index j = 0; j < n_; ++j) {
    std::copy_n(a_.data() + j * n_, n_, tall.begin() + j * rows);
    std::copy_n(a2_.begin() + j * 3 * extra_, 3 * extra_, tall.begin() + j * rows + n_);
  }
  for (Index c = 0; c < columns_; ++c) {
    std::copy_n(f_.begin() + c * n_, n_, right.begin() + c * rows);
    std::copy_n(rhs2_.begin() + c * 3 * extra_, 3 * extra_, right.begin() + c * rows + n_);
  }
  if (auto status = dense::least_squares<Complex>(tall.data(), rows, n_, right.data(), columns_, library_threads_);
      !status)
    return status.error();
  for (Index c = 0; c < columns_; ++c) std::copy_n(right.begin() + c * rows, n_, x_.begin() + c * n_);
  return {};
}

template class BoundarySystem::Solution<double>;
template class BoundarySystem::Solution<float>;

}  // namespace conoid::elastic_bem

// SPDX-License-Identifier: BSD-3-Clause
// Least squares for the terms, and their sums.
#include "engine/solvers/acoustic_bem/discretization/far_kernel.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <span>

#include "engine/core/error.hpp"
#include "engine/core/vec3.hpp"

namespace conoid::acoustic_bem {

namespace {

using namespace conoid::vec;

double mean_over_step(double theta) {  // s
  return theta == 0 ? 1 : std::sin(0.5 * theta) / (0.5 * theta);
}

/// A term (iθ)^power amplitude(θ) e^{iθ(ρ)}; ρ: the delay in steps, the common shift included.
struct BandTerm {
  int power = 0;
  std::function<double(double)> amplitude;
};

/// The row-vectors of a term, found by least squares, for any delay.
class BandFit {
 public:
  BandFit(const BandTerm& term, double band, double error, Index columns)
      : power_(term.power), columns_(columns), free_(columns - term.power) {
    constexpr int inside = 40, outside = 60;
    const double above = std::min(std::max(1.5 * band, band + 0.3), 0.9 * std::numbers::pi);
    Eigen::MatrixXd A(2 * (inside + outside), free_);
    const auto row_pair = [&](int k, double theta, double weight) {
      for (Index c = 0; c < free_; ++c) {
        const std::complex<double> z = std::polar(weight, theta * static_cast<double>(first() + c));
        A(2 * k, c) = z.real();
        A(2 * k + 1, c) = z.imag();
      }
    };
    for (int k = 0; k < inside; ++k) {
      const double theta = band * k / (inside - 1);
      theta_.push_back(theta);
      // (iθ)^p = (−1)^p (1 − z)^p e^{−iθp/2} / s^p
      wanted_.push_back((power_ % 2 == 0 ? 1 : -1) * term.amplitude(theta) / std::pow(mean_over_step(theta), power_));
      row_pair(k, theta, 1 / std::sqrt(static_cast<double>(inside)));
    }
    for (int k = 0; k < outside; ++k) {
      const double theta = above + (std::numbers::pi - above) * k / (outside - 1);
      row_pair(inside + k, theta,
               0.3 * error * std::pow(2 * std::sin(0.5 * theta), power_) / std::sqrt(static_cast<double>(outside)));
    }
    solver_.compute(A);
    rows_ = A.rows();
    keep_at_rest(A);
  }
  /// Columns relative to that of the whole steps of the delay; `part`: the rest of it, 0 to 1.
  void find(double part, std::span<double> out) const {
    Eigen::VectorXd b = Eigen::VectorXd::Zero(rows_);
    const double weight = 1 / std::sqrt(static_cast<double>(theta_.size()));
    for (std::size_t k = 0; k < theta_.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(2 * k);
      const std::complex<double> w = std::polar(weight, theta_[k] * (part - 0.5 * power_)) * wanted_[k];
      b(at) = w.real();
      b(at + 1) = w.imag();
    }
    Eigen::VectorXd q = solver_.solve(b);
    const Eigen::Vector2d wanted{wanted_[0], wanted_[0] * (part - 0.5 * power_)};
    q += to_rest_ * (wanted.head(at_rest_.rows()) - at_rest_ * q);
    std::vector<double> all(static_cast<std::size_t>(columns_), 0);
    for (Index c = 0; c < free_; ++c) all[static_cast<std::size_t>(c)] = q(c);
    for (int p = 0; p < power_; ++p)  // times 1 − z
      for (std::size_t c = all.size() - 1; c > 0; --c) all[c] -= all[c - 1];
    std::copy(all.begin(), all.end(), out.begin());
  }

 private:
  [[nodiscard]] Index first() const { return 1 - columns_ / 2; }
  /// What constants and straight lines in time give is met exactly, by the least change of the squares.
  void keep_at_rest(const Eigen::MatrixXd& A) {
    const Index conditions = std::max(2 - power_, 0);
    at_rest_.resize(conditions, free_);
    for (Index c = 0; c < free_; ++c)
      for (Index k = 0; k < conditions; ++k) at_rest_(k, c) = k == 0 ? 1 : static_cast<double>(first() + c);
    const Eigen::MatrixXd least = (A.transpose() * A).ldlt().solve(at_rest_.transpose());
    to_rest_ = least * (at_rest_ * least).inverse();
  }

  int power_;
  Index columns_, free_;
  std::vector<double> theta_, wanted_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver_;
  Eigen::Index rows_ = 0;
  Eigen::MatrixXd at_rest_, to_rest_;  ///< sum and first moment of the free columns; what changes these alone
};

}  // namespace

FarKernel::FarKernel(const Form& form, double highest, double error, bool soft, const std::optional<Filling>& filling)
    : form_(form), filling_(filling) {
  verify(form.name != FormName::D, "far row-vectors are those of forms N, NC and DC");
  const double slowest = filling ? std::min(form.c, filling->c) : form.c;
  const double band = std::min(highest * slowest * form.dt, 0.8 * std::numbers::pi);
  if (form.combined()) {
    alpha_ = form.alpha;
    gamma_ = form.gamma * form.delta();
  }
  if (form.rigid()) rigid_ = table(0, band, error);
  if (!form.rigid() || soft || filling) soft_ = table(1, band, error);
  if (filling) single_ = table(2, band, error);
}

FarKernel::Table FarKernel::table(int kind, double band, double error) {
  const auto s = [](int power) { return [power](double theta) { return std::pow(mean_over_step(theta), power); }; };
  const auto with_cosine = [](int power) {
    return [power](double theta) { return std::cos(0.5 * theta) * std::pow(mean_over_step(theta), power); };
  };
  // The difference of two steps of G goes with ∂G.
  const std::vector<BandTerm> all =
      kind == 0   ? std::vector<BandTerm>{{0, s(3)}, {1, s(3)}, {2, s(3)}, {0, with_cosine(2)}, {1, with_cosine(2)}}
      : kind == 1 ? std::vector<BandTerm>{{0, s(2)}, {1, s(2)}, {0, with_cosine(1)}}
                  : std::vector<BandTerm>{{0, s(1)}};
  Table out(places + 1);
  for (std::size_t t = 0; t < all.size(); ++t) {
    const BandFit fit(all[t], band, error, columns);
    for (std::size_t k = 0; k <= places; ++k) fit.find(static_cast<double>(k) / static_cast<double>(places), out[k][t]);
  }
  return out;
}

/// (1 − z) = −iθ s e^{iθ/2} times what ∂_n p does, over Δ: terms of rigid faces, too.
void FarKernel::add_admittance(const SkeletonPoint& x, const Vec3& r, double now, Factors& c) const {
  const double R = norm(r), a = dot(x.normal, r) / R, scale = now / (4 * std::numbers::pi * R);
  c[1] += scale * a / R;
  c[2] += scale * (alpha_at(x) - a) / form_.delta();
  c[4] -= scale * gamma_at(x) / form_.delta();
}

FarKernel::Factors FarKernel::soft_factors(const SkeletonPoint& x, const Vec3& r) const {
  const double R = norm(r), a = dot(x.normal, r) / R, scale = 1 / (4 * std::numbers::pi * R);
  return {-scale * form_.delta() * a / R, scale * (a - alpha_at(x)), scale * gamma_at(x)};
}

Index FarKernel::put(const Table& table, std::size_t used, double delay, const Factors& c,
                     std::array<double, columns>& out) const {
  const double whole = std::floor(delay), place = (delay - whole) * static_cast<double>(places);
  const auto k = std::min(static_cast<std::size_t>(place), places - 1);
  const double right = place - static_cast<double>(k), left = 1 - right;
  out.fill(0);
  for (std::size_t t = 0; t < used; ++t) {
    const double wl = c[t] * left, wr = c[t] * right;
    const auto &at = table[k][t], &next = table[k + 1][t];
    for (std::size_t d = 0; d < out.size(); ++d) out[d] += wl * at[d] + wr * next[d];
  }
  return static_cast<Index>(whole) + 1 - columns / 2;
}

Index FarKernel::through_fluid(const SkeletonPoint& x, const SkeletonPoint& y, bool inside,
                               std::array<double, columns>& out) const {
  const Vec3 r = sub(x.at, y.at);
  const double around = form_.delta(), delta = inside ? filling_->c * form_.dt : around,
               density = inside ? filling_->density : 1;
  const double R = norm(r), a = dot(x.normal, r) / R, b = dot(y.normal, r) / R, nn = dot(x.normal, y.normal);
  const double scale = inside && x.body != y.body ? 0 : 1 / (4 * std::numbers::pi * R), delay = R / delta;
  if (x.density && y.density) return put(single_, 1, delay - 0.5, {scale * density / around}, out);
  if (x.density) return put(soft_, 2, delay, {-scale * b / R, scale * b / delta}, out);
  if (y.density) return put(soft_, 2, delay, {-scale * a / R, scale * a / delta}, out);
  const double curl = scale * around / (delta * density);
  return put(rigid_, 3, delay + 0.5,
             {-curl * delta * (nn - 3 * a * b) / (R * R), -curl * (3 * a * b - nn) / R, curl * a * b / delta}, out);
}

Index FarKernel::row_vector(const SkeletonPoint& x, const SkeletonPoint& y, std::array<double, columns>& out,
                            bool inside) const {
  if (filling_) return through_fluid(x, y, inside, out);
  const Vec3 r = sub(x.at, y.at);
  const double R = norm(r), per_R = 1 / R, delta = form_.delta();
  if (!form_.rigid()) return put(soft_, 3, R / delta, soft_factors(x, r), out);
  if (y.sends.pressure == 0) {
    Factors c = soft_factors(x, r);
    for (double& v : c) v *= y.sends.now / delta;
    return put(soft_, 3, R / delta, c, out);
  }
  const double a = dot(x.normal, r) * per_R, b = dot(y.normal, r) * per_R, nn = dot(x.normal, y.normal);
  Factors c{};
  const double scale = per_R / (4 * std::numbers::pi);
  // ∂∂G = e^{ikR}/(4πR) (c_0 + c_1 ik + c_2 (ik)²), and ik = iθ/Δ.
  const double c0 = (nn - 3 * a * b) * per_R * per_R, c1 = (3 * a * b - nn) * per_R, c2 = -a * b;
  c[0] = -scale * delta * c0;
  c[1] = -scale * c1;
  c[2] = -scale * c2 / delta;
  if (form_.combined()) {
    // (1 − z) s² = −iθ s³ e^{iθ/2} and (1 + z) s² = 2 cos(θ/2) s² e^{iθ/2} of b (ik − 1/R) e^{ikR}/(4πR)
    const double k0 = -scale * b * per_R, k1 = scale * b / delta;
    c[1] -= alpha_at(x) * k0;
    c[2] -= alpha_at(x) * k1;
    c[3] = gamma_at(x) * k0;
    c[4] = gamma_at(x) * k1;
  }
  if (y.sends.now != 0) add_admittance(x, r, y.sends.now, c);
  return put(rigid_, form_.combined() ? 5 : 3, R / delta + 0.5, c, out);
}

Index FarKernel::remembered(const SkeletonPoint& x, const SkeletonPoint& y, std::array<double, columns>& out) const {
  const Vec3 r = sub(x.at, y.at);
  Factors c = soft_factors(x, r);
  for (double& v : c) v /= form_.delta();
  return put(soft_, 3, norm(r) / form_.delta() + 1, c, out);
}

}  // namespace conoid::acoustic_bem

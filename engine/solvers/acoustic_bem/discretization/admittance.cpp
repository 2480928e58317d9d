// SPDX-License-Identifier: BSD-3-Clause
// Recursions, fits and materials of walls.
#include "engine/solvers/acoustic_bem/discretization/admittance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>
#include <Eigen/Dense>

namespace conoid::acoustic_bem {

using Complex = std::complex<double>;

Complex RationalAdmittance::at(double omega) const {
  const Complex s(0, omega);
  Complex sum = rest;
  for (const AdmittancePole& p : poles) {
    sum += p.residue / (s - p.pole);
    if (p.pole.imag() != 0) sum += std::conj(p.residue) / (s - std::conj(p.pole));
  }
  return sum;
}

double WallMemory::advance(Complex* psi, double p, double p_before) const {
  double sum = 0;
  for (std::size_t k = 0; k < poles.size(); ++k) {
    const PoleStep& q = poles[k];
    psi[k] = q.decay * psi[k] + q.now * p + q.before * p_before;
    sum += (q.pair ? 2 : 1) * ((q.decay - 1.0) * psi[k]).real();
  }
  return sum;
}

Complex WallMemory::transfer(Complex z) const {
  Complex sum = 0;
  const auto add = [&](Complex E, Complex A, Complex B) { sum += (E - 1.0) * (A + B * z) / (1.0 - E * z); };
  for (const PoleStep& q : poles) {
    add(q.decay, q.now, q.before);
    if (q.pair) add(std::conj(q.decay), std::conj(q.now), std::conj(q.before));
  }
  return sum;
}

WallMemory memory_of(const RationalAdmittance& admittance, double dt) {
  WallMemory out{admittance.rest, -admittance.rest, {}};
  for (const AdmittancePole& p : admittance.poles) {
    const Complex x = p.pole * dt;
    // ∫₀¹ e^{x(1−u)} du and ∫₀¹ e^{x(1−u)} u du; by their series where the formulas lose digits.
    Complex whole, rising;
    if (std::abs(x) < 0.1) {
      Complex term = 1;
      for (int n = 1; n <= 14; ++n) {
        whole += term / static_cast<double>(n);
        rising += term / (static_cast<double>(n) * (n + 1));
        term *= x / static_cast<double>(n);
      }
    } else {
      whole = (std::exp(x) - 1.0) / x;
      rising = (std::exp(x) - 1.0 - x) / (x * x);
    }
    PoleStep q{std::exp(x), p.residue * dt * rising, p.residue * dt * (whole - rising), p.pole.imag() != 0};
    const double times = q.pair ? 2 : 1;
    out.now += times * q.now.real();
    out.before += times * q.before.real();
    out.poles.push_back(q);
  }
  return out;
}

Status check_passive(const RationalAdmittance& admittance) {
  const auto wrong = [](std::string text) {
    return make_error(
        ErrorCode::invalid_input, std::move(text),
        "A wall that takes energy has Re(ρc/Z) ≥ 0 at all frequencies and poles with negative real parts; "
        "a table or a porous layer is fitted so.");
  };
  double least = HUGE_VAL, most = 0;
  std::vector<double> places{0};
  for (const AdmittancePole& p : admittance.poles) {
    if (!(p.pole.real() < 0))
      return wrong(
          fmt::format("a pole of the admittance at {} + {}i 1/s does not decay", p.pole.real(), p.pole.imag()));
    if (p.pole.imag() == 0 && p.residue.imag() != 0)
      return wrong(fmt::format("the real pole {} 1/s of the admittance has a complex residue", p.pole.real()));
    if (p.pole.imag() < 0)
      return wrong(
          fmt::format("the pole {} + {}i 1/s lies below the real axis; give that above it, which stands for both",
                      p.pole.real(), p.pole.imag()));
    least = std::min(least, std::abs(p.pole));
    most = std::max(most, std::abs(p.pole));
    for (int k = -40; k <= 40; ++k) places.push_back(std::max(0.0, p.pole.imag() + 0.25 * k * std::abs(p.pole.real())));
  }
  if (!admittance.poles.empty())
    for (int k = 0; k <= 2000; ++k) places.push_back(1e-4 * least * std::pow(1e8 * most / least, k / 2000.0));
  double lowest = admittance.rest, where = HUGE_VAL, largest = std::abs(admittance.rest);
  for (const double omega : places) {
    const Complex b = admittance.at(omega);
    largest = std::max(largest, std::abs(b));
    if (b.real() < lowest) lowest = b.real(), where = omega;
  }
  if (lowest >= -1e-9 * largest && largest > 0) return {};
  if (!(largest > 0)) return wrong("the admittance is zero at all frequencies: that is a rigid wall");
  return wrong(fmt::format(
      "the wall gives energy{}: the real part of its admittance is {:.3g} there",
      std::isfinite(where) ? fmt::format(" at {:.4g} Hz", where / (2 * std::numbers::pi)) : " at high frequencies",
      lowest));
}

namespace {

/// A function of the fits: (c1 s + c2)/(s² + 2αs + ω₀²), or (c1 s + c2)/(s + α) where ω₀ = 0; or 1 where both are 0.
struct Ray {
  double alpha = 0, resonance = 0, c1 = 0, c2 = 0;
  [[nodiscard]] Complex at(double omega) const {
    const Complex s(0, omega);
    if (alpha == 0) return 1;
    if (resonance == 0) return (c1 * s + c2) / (s + alpha);
    return (c1 * s + c2) / (s * s + 2 * alpha * s + resonance * resonance);
  }
};

constexpr int real_rays_a_decade = 6, resonances_a_decade = 16;

std::vector<Ray> rays_between(double low, double high) {
  std::vector<Ray> out{{}};
  const auto logarithmic = [](double from, double to, double a_decade, auto&& f) {
    const int count = std::max(2, static_cast<int>(std::ceil(a_decade * std::log10(to / from))));
    for (int k = 0; k <= count; ++k) f(from * std::pow(to / from, static_cast<double>(k) / count));
  };
  logarithmic(low / 30, high * 10, real_rays_a_decade, [&](double a) {
    out.push_back({a, 0, 0, a});
    out.push_back({a, 0, 1, 0});
  });
  logarithmic(low / 2, high * 3, resonances_a_decade, [&](double w) {
    for (const double damping : {0.02, 0.05, 0.1, 0.18, 0.3, 0.5, 0.8}) {
      const double alpha = damping * w;
      out.push_back({alpha, w, 2 * alpha, 0});
      out.push_back({alpha, w, w * w / (2 * alpha), w * w});
    }
  });
  return out;
}

/// Functions beside those that a fit has taken, so that resonances come to lie between the lines of the first grid.
std::vector<Ray> rays_beside(const std::vector<Ray>& rays, const Eigen::VectorXd& x) {
  std::vector<Ray> out{{}};
  for (std::size_t k = 0; k < rays.size(); ++k) {
    const Ray& r = rays[k];
    if (x[static_cast<Eigen::Index>(k)] == 0 || r.alpha == 0) continue;
    for (const double part : {-0.5, -0.25, 0.0, 0.25, 0.5}) {  // of a step of the first grid
      if (r.resonance == 0) {
        const double a = r.alpha * std::pow(10.0, part / real_rays_a_decade);
        out.push_back({a, 0, 0, a});
        out.push_back({a, 0, 1, 0});
        continue;
      }
      const double w = r.resonance * std::pow(10.0, part / resonances_a_decade);
      for (const double more : {0.8, 0.9, 1.0, 1.12, 1.25}) {
        const double alpha = std::min(r.alpha / r.resonance * more, 0.95) * w;
        out.push_back({alpha, w, 2 * alpha, 0});
        out.push_back({alpha, w, w * w / (2 * alpha), w * w});
      }
    }
  }
  return out;
}

/// x ≥ 0 that makes |Ax − b| least (Lawson and Hanson).
Eigen::VectorXd non_negative(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  const Eigen::Index n = A.cols();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<Eigen::Index> used;
  const double enough = 1e-10 * (A.transpose() * b).cwiseAbs().maxCoeff();
  const auto solved = [&] {
    Eigen::MatrixXd part(A.rows(), static_cast<Eigen::Index>(used.size()));
    for (std::size_t k = 0; k < used.size(); ++k) part.col(static_cast<Eigen::Index>(k)) = A.col(used[k]);
    return Eigen::VectorXd(part.colPivHouseholderQr().solve(b));
  };
  for (int round = 0; round < 60; ++round) {
    Eigen::VectorXd gain = A.transpose() * (b - A * x);
    for (const Eigen::Index k : used) gain[k] = 0;
    Eigen::Index best = 0;
    if (gain.maxCoeff(&best) <= enough) break;
    used.push_back(best);
    Eigen::VectorXd z = solved();
    while (z.size() > 0 && z.minCoeff() <= 0) {
      double step = 1;
      for (std::size_t k = 0; k < used.size(); ++k)
        if (const double own = z[static_cast<Eigen::Index>(k)]; own <= 0)
          step = std::min(step, x[used[k]] / (x[used[k]] - own));
      for (std::size_t k = 0; k < used.size(); ++k) x[used[k]] += step * (z[static_cast<Eigen::Index>(k)] - x[used[k]]);
      std::vector<Eigen::Index> left;
      for (const Eigen::Index k : used) {
        if (x[k] > 1e-14)
          left.push_back(k);
        else
          x[k] = 0;
      }
      used = std::move(left);
      z = solved();
    }
    for (std::size_t k = 0; k < used.size(); ++k) x[used[k]] = z[static_cast<Eigen::Index>(k)];
  }
  return x;
}

/// Of a sum of rays: those of one denominator share their poles.
RationalAdmittance rational_of(const std::vector<Ray>& rays, const Eigen::VectorXd& x) {
  RationalAdmittance out;
  for (std::size_t k = 0; k < rays.size(); ++k) {
    const Ray& r = rays[k];
    const double by = x[static_cast<Eigen::Index>(k)];
    if (by == 0) continue;
    AdmittancePole p;
    if (r.alpha == 0) {
      out.rest += by;
      continue;
    }
    if (r.resonance == 0) {  // c1 + (c2 − c1 α)/(s + α)
      out.rest += by * r.c1;
      p = {-r.alpha, by * (r.c2 - r.c1 * r.alpha)};
    } else {
      p.pole = {-r.alpha, std::sqrt(r.resonance * r.resonance - r.alpha * r.alpha)};
      p.residue = by * (r.c1 * p.pole + r.c2) / Complex(0, 2 * p.pole.imag());
    }
    const auto same = std::find_if(out.poles.begin(), out.poles.end(),
                                   [&](const AdmittancePole& other) { return other.pole == p.pole; });
    if (same != out.poles.end())
      same->residue += p.residue;
    else
      out.poles.push_back(p);
  }
  return out;
}

/// What a fit follows.
struct Target {
  double omega;
  Complex beta;
  double weight;
};

/// Places between the frequencies of a table, no farther apart than the narrowest function of the fits is wide: without them one of these fits
/// between two frequencies, and a coarse table is met exactly by what has nothing to do with it elsewhere. Impedances there are monotone cubics
/// over the logarithm of the frequency (F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300), whose real parts stay between those
/// of the neighbours; they count the less, the farther apart these are.
std::vector<Target> between_frequencies(std::span<const double> frequencies, std::span<const Complex> values) {
  constexpr double apart = 0.04, most = 0.3;
  std::vector<double> step;
  std::vector<Complex> Z, rise;
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    Z.push_back(1.0 / values[k]);
    if (k == 0) continue;
    step.push_back(std::log(frequencies[k] / frequencies[k - 1]));
    rise.push_back((Z[k] - Z[k - 1]) / step.back());
  }
  const auto slope = [&](std::size_t k) -> Complex {
    if (k == 0 || k == step.size()) return rise[std::min(k, step.size() - 1)];
    const double before = step[k] * 2 + step[k - 1], after = step[k] + 2 * step[k - 1];
    const auto harmonic = [&](double a, double b) {
      return a * b > 0 ? (before + after) / (before / a + after / b) : 0.0;
    };
    return {harmonic(rise[k - 1].real(), rise[k].real()), harmonic(rise[k - 1].imag(), rise[k].imag())};
  };
  std::vector<Target> out;
  for (std::size_t k = 0; k < step.size(); ++k) {
    const int count = static_cast<int>(std::ceil(step[k] / apart)) - 1;
    const Complex left = slope(k) * step[k], right = slope(k + 1) * step[k];
    for (int i = 1; i <= count; ++i) {
      const double u = static_cast<double>(i) / (count + 1), v = 1 - u;
      const Complex z =
          Z[k] * (v * v * (1 + 2 * u)) + Z[k + 1] * (u * u * (1 + 2 * v)) + left * (u * v * v) - right * (u * u * v);
      out.push_back(
          {2 * std::numbers::pi * frequencies[k] * std::exp(u * step[k]), 1.0 / z, most / (1 + step[k] * step[k])});
    }
  }
  return out;
}

/// By least squares of relative errors; `x` gets the factors.
RationalAdmittance fitted(const std::vector<Target>& targets, double largest, const std::vector<Ray>& rays,
                          Eigen::VectorXd& x) {
  const auto F = static_cast<Eigen::Index>(targets.size()), R = static_cast<Eigen::Index>(rays.size());
  Eigen::MatrixXd A(2 * F, R);
  Eigen::VectorXd b(2 * F), length(R);
  for (Eigen::Index f = 0; f < F; ++f) {
    const Target& t = targets[static_cast<std::size_t>(f)];
    const double weight = t.weight / (std::abs(t.beta) + 1e-3 * largest);
    b[2 * f] = weight * t.beta.real();
    b[2 * f + 1] = weight * t.beta.imag();
    for (Eigen::Index k = 0; k < R; ++k) {
      const Complex v = weight * rays[static_cast<std::size_t>(k)].at(t.omega);
      A(2 * f, k) = v.real();
      A(2 * f + 1, k) = v.imag();
    }
  }
  for (Eigen::Index k = 0; k < R; ++k) {
    length[k] = A.col(k).norm();
    A.col(k) /= length[k];
  }
  x = non_negative(A, b).cwiseQuotient(length);
  return rational_of(rays, x);
}

AdmittanceFit with_errors(RationalAdmittance admittance, const std::vector<Target>& targets, std::size_t given) {
  AdmittanceFit out{std::move(admittance)};
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const Complex got = out.admittance.at(targets[k].omega), wanted = targets[k].beta;
    const double reflection = std::abs((1.0 - got) / (1.0 + got) - (1.0 - wanted) / (1.0 + wanted));
    if (k < given) out.worst = std::max(out.worst, std::abs(got - wanted) / std::abs(wanted));
    double& error = k < given ? out.reflection : out.between;
    error = std::max(error, reflection);
  }
  return out;
}

}  // namespace

AdmittanceFit fit_admittance(std::span<const double> frequencies, std::span<const Complex> values) {
  constexpr double pi2 = 2 * std::numbers::pi, enough = 0.005;
  std::vector<Target> targets;
  double largest = 0;
  for (std::size_t f = 0; f < frequencies.size(); ++f) {
    targets.push_back({pi2 * frequencies[f], values[f], 1});
    largest = std::max(largest, std::abs(values[f]));
  }
  const std::vector<Target> between = between_frequencies(frequencies, values);
  targets.insert(targets.end(), between.begin(), between.end());
  const auto worst_of = [](const AdmittanceFit& f) { return std::max(f.reflection, f.between); };
  std::vector<Ray> rays = rays_between(pi2 * frequencies.front(), pi2 * frequencies.back());
  Eigen::VectorXd x;
  AdmittanceFit out = with_errors(fitted(targets, largest, rays, x), targets, frequencies.size());
  if (worst_of(out) <= enough) return out;
  rays = rays_beside(rays, x);
  AdmittanceFit finer = with_errors(fitted(targets, largest, rays, x), targets, frequencies.size());
  return worst_of(finer) < worst_of(out) ? finer : out;
}

Complex porous_admittance(double resistivity, double thickness, double c, double frequency) {
  const double x = 1000 * frequency / resistivity, by_impedance = std::pow(x, -0.632), by_number = std::pow(x, -0.618);
  const Complex impedance(1 + 5.50 * by_impedance, -8.43 * by_impedance);
  if (thickness <= 0) return 1.0 / impedance;
  const Complex kd =
      2 * std::numbers::pi * frequency / c * thickness * Complex(1 + 7.81 * by_number, -11.41 * by_number);
  // j tan(kd)/Z; far into the layer tan → −j.
  if (kd.imag() < -30) return 1.0 / impedance;
  return Complex(0, 1) * std::tan(kd) / impedance;
}

}  // namespace conoid::acoustic_bem

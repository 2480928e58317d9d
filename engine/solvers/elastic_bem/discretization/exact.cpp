// SPDX-License-Identifier: BSD-3-Clause
// Cavities, columns, discs in closed form or series.
#include "engine/solvers/elastic_bem/discretization/exact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/linalg/dense.hpp"
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"

namespace conoid::elastic_bem {

namespace {

constexpr Complex i1(0, 1);

/// j_n(z), n = 0 … n_max, by downward recurrence scaled with j_0 or j_1.
std::vector<Complex> bessel_j(Complex z, int n_max) {
  const int start = n_max + 20 + static_cast<int>(2 * std::abs(z));
  std::vector<Complex> f(static_cast<std::size_t>(start) + 2);
  f[static_cast<std::size_t>(start)] = 1e-280;
  for (int n = start; n > 0; --n) {
    const auto k = static_cast<std::size_t>(n);
    f[k - 1] = (2.0 * n + 1) / z * f[k] - f[k + 1];
    if (std::abs(f[k - 1]) > 1e250)
      for (std::size_t q = k - 1; q < f.size(); ++q) f[q] *= 1e-250;
  }
  const Complex j0 = std::sin(z) / z, j1 = std::sin(z) / (z * z) - std::cos(z) / z;
  const Complex scale = std::abs(j0) > std::abs(j1) ? j0 / f[0] : j1 / f[1];
  f.resize(static_cast<std::size_t>(n_max) + 1);
  for (Complex& v : f) v *= scale;
  return f;
}

/// h_n^{(2)}(z) by upward recurrence.
std::vector<Complex> hankel2(Complex z, int n_max) {
  std::vector<Complex> h(static_cast<std::size_t>(std::max(n_max, 1)) + 1);
  const Complex e = std::exp(-i1 * z);
  h[0] = i1 * e / z;
  h[1] = (i1 / (z * z) - 1.0 / z) * e;
  for (std::size_t n = 1; n + 1 < h.size(); ++n) h[n + 1] = (2.0 * static_cast<double>(n) + 1) / z * h[n] - h[n - 1];
  return h;
}

/// f(r) = b_n(kr), f′ and f″ with respect to r.
struct Radials {
  Complex f, d, dd;
};
Radials radials(const std::vector<Complex>& b, int n, Complex k, double r) {
  const auto q = static_cast<std::size_t>(n);
  const Complex z = k * r;
  Radials out;
  out.f = b[q];
  const Complex db = static_cast<double>(n) / z * b[q] - b[q + 1];
  out.d = k * db;
  out.dd = -2.0 / r * out.d - (k * k - static_cast<double>(n * (n + 1)) / (r * r)) * out.f;
  return out;
}

}  // namespace

Complex cavity_under_pressure(const Harmonic& h, double a, double p, double r) {
  const Complex ks = h.kS * a;
  return p * a * a * a / h.mu * (1.0 + i1 * h.kP * r) / ((4.0 * (1.0 + i1 * h.kP * a) - ks * ks) * r * r) *
         std::exp(-i1 * h.kP * (r - a));
}

CavityPWave::CavityPWave(const Harmonic& h, double a) : h_(h) {
  const int terms = 12 + static_cast<int>(2 * std::abs(h.kS) * a);
  const auto jp = bessel_j(h.kP * a, terms + 1), hp = hankel2(h.kP * a, terms + 1), hs = hankel2(h.kS * a, terms + 1);
  for (int n = 0; n <= terms; ++n) {
    const double N = n * (n + 1);
    const auto stress_p = [&](const Radials& f) {  // σ_rr, σ_rθ
      return std::array<Complex, 2>{-h.lambda * h.kP * h.kP * f.f + 2.0 * h.mu * f.dd,
                                    2.0 * h.mu / a * (f.d - f.f / a)};
    };
    const Radials j = radials(jp, n, h.kP, a), p = radials(hp, n, h.kP, a), s = radials(hs, n, h.kS, a);
    const auto in = stress_p(j), out = stress_p(p);
    if (n == 0) {
      t_.push_back(-in[0] / out[0]);
      b_.push_back(0);
      continue;
    }
    const std::array<Complex, 2> shear{2.0 * h.mu * N * (s.d / a - s.f / (a * a)),
                                       h.mu * (s.dd + (N - 2) * s.f / (a * a))};
    const Complex all = out[0] * shear[1] - shear[0] * out[1];
    t_.push_back((-in[0] * shear[1] + shear[0] * in[1]) / all);
    b_.push_back((-out[0] * in[1] + in[0] * out[1]) / all);
  }
}

namespace {

/// (u_r, u_θ) of Σ over n of P and SV parts with the amplitudes t, b over those of an incident P wave of amplitude 1 and wave number k in
/// potentials; of outgoing or of regular waves.
std::array<Complex, 2> axial_series(const Harmonic& h, Complex k, const std::vector<Complex>& t_,
                                    const std::vector<Complex>& b_, bool outgoing, double r, double theta) {
  const int terms = static_cast<int>(t_.size()) - 1;
  const auto waves = [&](Complex z) { return outgoing ? hankel2(z, terms + 1) : bessel_j(z, terms + 1); };
  const auto hp = waves(h.kP * r), hs = waves(h.kS * r);
  // φ^inc = e^{-i k z} has u = −i k e_z e^{-i k z}: the amplitude 1 needs the factor i/k.
  const Complex unit_factor = i1 / k;
  const double c = std::cos(theta), sn = std::sin(theta);
  Complex ur = 0, ut = 0;
  double p0 = 1, p1 = c;  // P_n, P_{n+1}
  Complex power = 1;      // (−i)^n
  for (int n = 0; n <= terms; ++n) {
    const double N = n * (n + 1);
    // dP_n/dθ = −sin θ P_n′, and P_n′ sin²θ = n (P_{n−1} − c P_n) = (n+1)(c P_n − P_{n+1})
    const double slope = std::abs(sn) < 1e-12 ? 0 : -(n + 1) * (c * p0 - p1) / sn;
    const Radials f = radials(hp, n, h.kP, r), g = radials(hs, n, h.kS, r);
    const Complex a = power * (2.0 * n + 1) * unit_factor, t = t_[static_cast<std::size_t>(n)],
                  b = b_[static_cast<std::size_t>(n)];
    ur += a * (t * f.d + b * N * g.f / r) * p0;
    ut += a * (t * f.f / r + b * (g.f / r + g.d)) * slope;
    const double p2 = ((2 * n + 3) * c * p1 - (n + 1) * p0) / (n + 2);
    p0 = p1;
    p1 = p2;
    power *= -i1;
  }
  return {ur, ut};
}

/// u_r, u_θ, σ_rr, σ_rθ of a P and of an SV potential of order n, stresses over `mu`.
std::array<Complex, 4> p_column(const Harmonic& h, const Radials& f, double r, Complex mu) {
  return {f.d, f.f / r, (-h.lambda * h.kP * h.kP * f.f + 2.0 * h.mu * f.dd) / mu,
          2.0 * h.mu / r * (f.d - f.f / r) / mu};
}
std::array<Complex, 4> sv_column(const Harmonic& h, const Radials& f, double r, Complex mu, double N) {
  return {N * f.f / r, f.f / r + f.d, 2.0 * h.mu * N * (f.d / r - f.f / (r * r)) / mu,
          h.mu * (f.dd + (N - 2) * f.f / (r * r)) / mu};
}

/// Solves the square system with these columns.
std::vector<Complex> solved(const std::vector<std::vector<Complex>>& columns, std::vector<Complex> right) {
  const auto n = static_cast<Index>(right.size());
  std::vector<Complex> a;
  for (const auto& c : columns) a.insert(a.end(), c.begin(), c.end());
  dense::Lu<Complex>::factorise(a.data(), n, 1, dense::Backend::own).value().solve(right.data(), 1);
  return right;
}

}  // namespace

std::array<Complex, 2> CavityPWave::displacement(double r, double theta) const {
  const auto [ur, ut] = axial_series(h_, h_.kP, t_, b_, true, r, theta);
  const double c = std::cos(theta), sn = std::sin(theta);
  const Complex incident = std::exp(-i1 * h_.kP * r * c);
  return {ur + c * incident, ut - sn * incident};
}

InclusionPWave::InclusionPWave(const Harmonic& outside, const Harmonic& inside, double a)
    : out_(outside), in_(inside), a_(a) {
  const int terms = 12 + static_cast<int>(2 * std::max(std::abs(outside.kS), std::abs(inside.kS)) * a);
  const auto incident = bessel_j(outside.kP * a, terms + 1), op = hankel2(outside.kP * a, terms + 1),
             os = hankel2(outside.kS * a, terms + 1), ip = bessel_j(inside.kP * a, terms + 1),
             is = bessel_j(inside.kS * a, terms + 1);
  for (int n = 0; n <= terms; ++n) {
    const double N = n * (n + 1);
    const std::size_t rows = n == 0 ? 1 : 2;  // of displacements, and of stresses
    const auto column = [&](const std::array<Complex, 4>& all, double sign) {
      std::vector<Complex> out;
      for (std::size_t k : {0U, 2U})
        for (std::size_t q = 0; q < rows; ++q) out.push_back(sign * all[k + q]);
      return out;
    };
    std::vector<std::vector<Complex>> columns{
        column(p_column(outside, radials(op, n, outside.kP, a), a, outside.mu), 1),
        column(p_column(inside, radials(ip, n, inside.kP, a), a, outside.mu), -1)};
    if (n > 0) {
      columns.push_back(column(sv_column(outside, radials(os, n, outside.kS, a), a, outside.mu, N), 1));
      columns.push_back(column(sv_column(inside, radials(is, n, inside.kS, a), a, outside.mu, N), -1));
    }
    // Amplitudes of high orders differ by many powers of ten: columns of length one.
    std::vector<double> length;
    for (auto& c : columns) {
      double sum = 0;
      for (const Complex& v : c) sum += std::norm(v);
      length.push_back(std::sqrt(sum));
      for (Complex& v : c) v /= length.back();
    }
    std::vector<Complex> x =
        solved(columns, column(p_column(outside, radials(incident, n, outside.kP, a), a, outside.mu), -1));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] /= length[k];
    t_.push_back(x[0]);
    inner_t_.push_back(x[1]);
    b_.push_back(n == 0 ? 0 : x[2]);
    inner_b_.push_back(n == 0 ? 0 : x[3]);
  }
}

std::array<Complex, 2> InclusionPWave::displacement(double r, double theta) const {
  if (r < a_) return axial_series(in_, out_.kP, inner_t_, inner_b_, false, r, theta);
  const auto [ur, ut] = axial_series(out_, out_.kP, t_, b_, true, r, theta);
  const double c = std::cos(theta), sn = std::sin(theta);
  const Complex incident = std::exp(-i1 * out_.kP * r * c);
  return {ur + c * incident, ut - sn * incident};
}

LayeredSphere::LayeredSphere(const Harmonic& core, const Harmonic& shell, double a, double b, double p)
    : core_(core), shell_(shell), a_(a) {
  const auto at = [&](const Harmonic& h, double r, bool outgoing) {  // u_r, σ_rr/μ of the core
    const Complex z = h.kP * r;
    const auto all = p_column(h, radials(outgoing ? hankel2(z, 2) : bessel_j(z, 2), 0, h.kP, r), r, core.mu);
    return std::array{all[0], all[2]};
  };
  const auto in = at(core, a, false), j = at(shell, a, false), y = at(shell, a, true), jb = at(shell, b, false),
             yb = at(shell, b, true);
  const std::vector<Complex> x =
      solved({{in[0], in[1], 0}, {-j[0], -j[1], jb[1]}, {-y[0], -y[1], yb[1]}}, {0, 0, -p / core.mu});
  std::copy_n(x.begin(), 3, amplitudes_.begin());
}

Complex LayeredSphere::displacement(double r) const {
  const auto part = [&](const Harmonic& h, bool outgoing) {
    const Complex z = h.kP * r;
    return radials(outgoing ? hankel2(z, 2) : bessel_j(z, 2), 0, h.kP, r).d;
  };
  if (r < a_) return amplitudes_[0] * part(core_, false);
  return amplitudes_[1] * part(shell_, false) + amplitudes_[2] * part(shell_, true);
}

CavitySWave::CavitySWave(const Harmonic& h, double a) : h_(h) {
  const int terms = 12 + static_cast<int>(2 * std::abs(h.kS) * a);
  const auto js = bessel_j(h.kS * a, terms + 1), hp = hankel2(h.kP * a, terms + 1), hs = hankel2(h.kS * a, terms + 1);
  for (int n = 1; n <= terms; ++n) {
    const double N = n * (n + 1);
    const auto shear = [&](const Radials& f) {
      return std::array<Complex, 2>{2.0 * h.mu * N * (f.d / a - f.f / (a * a)),
                                    h.mu * (f.dd + (N - 2) * f.f / (a * a))};
    };
    const Radials j = radials(js, n, h.kS, a), p = radials(hp, n, h.kP, a), s = radials(hs, n, h.kS, a);
    const std::array<Complex, 2> out{-h.lambda * h.kP * h.kP * p.f + 2.0 * h.mu * p.dd,
                                     2.0 * h.mu / a * (p.d - p.f / a)};
    const auto in = shear(j), turn = shear(s);
    const Complex all = out[0] * turn[1] - turn[0] * out[1];
    p_.push_back((-in[0] * turn[1] + turn[0] * in[1]) / all);
    s_.push_back((-out[0] * in[1] + in[0] * out[1]) / all);
    m_.push_back(-(j.d - j.f / a) / (s.d - s.f / a));
  }
}

std::array<Complex, 3> CavitySWave::displacement(const Vec3& x) const {
  const double r = std::hypot(x[0], x[1], x[2]), rho = std::hypot(x[0], x[1]), c = x[2] / r, sn = rho / r;
  const double cp = rho > 0 ? x[0] / rho : 1, sp = rho > 0 ? x[1] / rho : 0;
  const int terms = static_cast<int>(p_.size());
  const auto hp = hankel2(h_.kP * r, terms + 1), hs = hankel2(h_.kS * r, terms + 1);
  Complex ur = 0, ut = 0, uf = 0;
  Complex power = -i1;         // (−i)^n
  double before = 0, now = 1;  // π_{n−1}, π_n = P_n^1/sin θ
  for (int n = 1; n <= terms; ++n) {
    const auto q = static_cast<std::size_t>(n - 1);
    const double N = n * (n + 1), pi_n = now, tau = n * c * now - (n + 1) * before;
    const Radials f = radials(hp, n, h_.kP, r), g = radials(hs, n, h_.kS, r);
    const Complex E = power * (2.0 * n + 1) / N, X = i1 * E / h_.kS;
    const Complex along = p_[q] * f.f / r + s_[q] * (g.f / r + g.d);
    ur += X * (p_[q] * f.d + s_[q] * N * g.f / r) * (sn * pi_n * cp);
    ut += X * along * (tau * cp) + E * m_[q] * g.f * (pi_n * cp);
    uf -= X * along * (pi_n * sp) + E * m_[q] * g.f * (tau * sp);
    const double next = ((2.0 * n + 1) * c * now - (n + 1) * before) / n;
    before = now;
    now = next;
    power *= -i1;
  }
  const Complex in = std::exp(-i1 * h_.kS * x[2]);
  return {in + ur * (sn * cp) + ut * (c * cp) - uf * sp, ur * (sn * sp) + ut * (c * sp) + uf * cp, ur * c - ut * sn};
}

std::array<Complex, 2> cavity_stress(const Harmonic& h, double a, double p, double r) {
  const Complex u = cavity_under_pressure(h, a, p, r), k = h.kP;
  const Complex slope = u / (1.0 + i1 * k * r) * (-2.0 / r - 2.0 * i1 * k + k * k * r);
  return {(h.lambda + 2.0 * h.mu) * slope + 2.0 * h.lambda * u / r, h.lambda * slope + 2.0 * (h.lambda + h.mu) * u / r};
}

Complex half_space_surface(const Harmonic& h, double r) {
  const Complex fixed = (1 - h.nu) / h.mu;
  const auto decaying = [](Complex square) {
    const Complex q = std::sqrt(square);
    return q.real() < 0 ? -q : q;
  };
  const double scale = std::abs(h.kS);
  Complex sum = 0;
  double at = 0;
  while (at < 60 * scale) {
    // Narrow panels at the branch points and at the pole of the Rayleigh wave, else by the oscillation of J_0.
    const double width = std::min(at < 1.6 * scale ? 0.02 * scale : 0.5 * scale, 2 / r);
    for (const GaussPoint& g : gauss_points(8)) {
      const double k = at + g.x * width;
      const Complex alpha = decaying(k * k - h.kP * h.kP), beta = decaying(k * k - h.kS * h.kS),
                    w = 2 * k * k - h.kS * h.kS;
      const Complex F = -h.kS * h.kS * alpha / (h.mu * (w * w - 4 * k * k * alpha * beta));
      sum += g.w * width * (F * k - fixed) * std::cyl_bessel_j(0.0, k * r);
    }
    at += width;
  }
  return (sum + fixed / r) / (2 * std::numbers::pi);
}

namespace {

/// Plane waves e^{-ikx} of one layer, z downwards: u_x, u_z, σ_xz, σ_zz of P and SV waves that decay downwards (sign 1) or upwards (−1),
/// stresses over `mu`.
struct LayerWaves {
  Complex a, b;                                                   ///< decay with depth of P and SV
  std::array<std::array<std::array<Complex, 4>, 2>, 2> column{};  ///< down and up, P and SV
  LayerWaves(const Harmonic& h, double k, Complex mu) {
    const auto decaying = [](Complex square) {
      const Complex q = std::sqrt(square);
      return q.real() < 0 ? -q : q;
    };
    a = decaying(k * k - h.kP * h.kP);
    b = decaying(k * k - h.kS * h.kS);
    const Complex ik(0, k);
    for (std::size_t way : {0U, 1U}) {
      const double s = way == 0 ? 1 : -1;
      const auto of = [&](Complex ux, Complex uz, Complex decay) {
        return std::array<Complex, 4>{ux, uz, h.mu / mu * (-s * decay * ux - ik * uz),
                                      ((h.lambda + 2.0 * h.mu) * (-s * decay * uz) - h.lambda * ik * ux) / mu};
      };
      column[way] = {of(-ik, -s * a, a), of(s * b, -ik, b)};
    }
  }
};

/// Settlement of the surface under a unit pressure of wave number k.
Complex layered_compliance(const std::vector<std::pair<Harmonic, double>>& layers, const Harmonic* half_space,
                           double k) {
  const Harmonic& top = layers.front().first;
  const std::size_t n = layers.size(), size = 4 * n + (half_space != nullptr ? 2 : 0);
  std::vector<std::vector<Complex>> columns(size, std::vector<Complex>(size));
  std::vector<Complex> right(size);
  right[1] = -1.0 / top.mu;
  std::array<Complex, 4> at_top{};  // u_z at the surface of the first layer's amplitudes
  for (std::size_t q = 0; q < n; ++q) {
    const LayerWaves waves(layers[q].first, k, top.mu);
    const double thickness = layers[q].second;
    for (std::size_t way : {0U, 1U})
      for (std::size_t type : {0U, 1U}) {
        // Amplitudes are those at the border from which the wave decays.
        const Complex through = std::exp(-(type == 0 ? waves.a : waves.b) * thickness),
                      above = way == 0 ? Complex(1) : through, below = way == 0 ? through : Complex(1);
        const auto& c = waves.column[way][type];
        std::vector<Complex>& to = columns[4 * q + 2 * way + type];
        if (q == 0) {
          to[0] = above * c[2];
          to[1] = above * c[3];
          at_top[2 * way + type] = above * c[1];
        } else {
          for (std::size_t i = 0; i < 4; ++i) to[4 * q - 2 + i] = -above * c[i];
        }
        const bool last = q + 1 == n && half_space == nullptr;
        for (std::size_t i = 0; i < (last ? 2U : 4U); ++i) to[4 * q + 2 + i] = below * c[i];
      }
  }
  if (half_space != nullptr) {
    const LayerWaves waves(*half_space, k, top.mu);
    for (std::size_t type : {0U, 1U})
      for (std::size_t i = 0; i < 4; ++i) columns[4 * n + type][4 * n - 2 + i] = -waves.column[0][type][i];
  }
  const std::vector<Complex> x = solved(columns, right);
  Complex u = 0;
  for (std::size_t q = 0; q < 4; ++q) u += at_top[q] * x[q];
  return u;
}

}  // namespace

Complex layered_disc(const std::vector<SoilLayer>& layers, const std::optional<Medium>& half_space, double omega) {
  std::vector<std::pair<Harmonic, double>> all;
  for (const SoilLayer& l : layers) all.emplace_back(Harmonic(l.medium, omega), l.thickness);
  std::optional<Harmonic> below;
  if (half_space) below = Harmonic(*half_space, omega);
  constexpr std::size_t terms = 8;
  const Complex fixed = (1 - all.front().first.nu) / all.front().first.mu;
  std::vector<std::vector<Complex>> columns(terms, std::vector<Complex>(terms));
  // ∫ j_{2m} j_{2n} dk = π/(2 (4n + 1)) for m = n, else 0.
  for (std::size_t m = 0; m < terms; ++m)
    columns[m][m] = fixed * std::numbers::pi / (2 * (4 * static_cast<double>(m) + 1));
  for (double at = 0; at < 40;) {
    const double width = at < 4 ? 0.05 : 0.5;
    for (const GaussPoint& g : gauss_points(8)) {
      const double k = at + g.x * width;
      const Complex value = g.w * width * (k * layered_compliance(all, below ? &*below : nullptr, k) - fixed);
      const std::vector<Complex> j = bessel_j(k, 2 * static_cast<int>(terms));
      for (std::size_t m = 0; m < terms; ++m)
        for (std::size_t q = 0; q < terms; ++q) columns[q][m] += value * j[2 * m] * j[2 * q];
    }
    at += width;
  }
  std::vector<Complex> force(terms);
  force[0] = 1;
  return 2 * std::numbers::pi * solved(columns, force)[0];
}

Complex layered_column_end(const std::array<Complex, 2>& modulus, const std::array<double, 2>& rho,
                           const std::array<double, 2>& length, double omega) {
  // σ(0)/u(0) of the upper layer's foot is that of the lower one's top.
  const auto k = [&](std::size_t q) { return omega * std::sqrt(rho[q] / modulus[q]); };
  const Complex lower = modulus[0] * k(0) / std::tan(k(0) * length[0]), z = modulus[1] * k(1),
                c = std::cos(k(1) * length[1]), s = std::sin(k(1) * length[1]);
  // u = A cos kx + B sin kx above: z B = lower A, and the end's stress is z (B c − A s) = 1.
  const Complex b = lower / z;
  return (c + b * s) / (z * (b * c - s));
}

Complex column_end(const Complex& modulus, double rho, double omega, double length) {
  const Complex k = omega * std::sqrt(rho / modulus);
  return std::tan(k * length) / (k * length);
}

DiscImpedance veletsos_verbic(const Medium& m, double a, double omega) {
  const double a0 = omega * a / m.shear_speed();
  const auto mix = [&](double at0, double at3, double at5) {
    const double nu = std::clamp(m.nu, 0.0, 0.5);
    return nu < 1.0 / 3 ? at0 + (at3 - at0) * 3 * nu : at3 + (at5 - at3) * 6 * (nu - 1.0 / 3);
  };
  const Complex soft(1, 2 * m.beta);
  DiscImpedance out;
  {
    const double b1 = mix(0.25, 0.35, 0), b2 = mix(1, 0.8, 0), b3 = mix(0, 0, 0.17), b4 = mix(0.85, 0.75, 0.85);
    const double q = std::pow(b2 * a0, 2), k = 1 - b1 * q / (1 + q) - b3 * a0 * a0, c = b4 + b1 * b2 * q / (1 + q);
    out.vertical = 4 * m.mu * a / (1 - m.nu) * Complex(k, a0 * c) * soft;
  }
  {
    const double b1 = 0.8, b2 = mix(0.525, 0.5, 0.4), b3 = mix(0, 0, 0.027);
    const double q = std::pow(b2 * a0, 2), k = 1 - b1 * q / (1 + q) - b3 * a0 * a0, c = b1 * b2 * q / (1 + q);
    out.rocking = 8 * m.mu * a * a * a / (3 * (1 - m.nu)) * Complex(k, a0 * c) * soft;
  }
  out.horizontal = 8 * m.mu * a / (2 - m.nu) * Complex(1, a0 * mix(0.775, 0.65, 0.6)) * soft;
  return out;
}

}  // namespace conoid::elastic_bem

// SPDX-License-Identifier: BSD-3-Clause
// Fields of waves and dipoles in vacuum.
#include "engine/solvers/maxwell_fem/discretization/incident.hpp"

#include "engine/numerics/spherical_bessel.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

using Complex = std::complex<double>;
using Complex3 = std::array<Complex, 3>;
constexpr Complex j{0, 1};

Complex3 times(Complex s, const Complex3& v) {
  return {s * v[0], s * v[1], s * v[2]};
}
Complex3 crossed(const Vec3& a, const Complex3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Complex along(const Vec3& a, const Complex3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Complex product(const Complex3& a, const Complex3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// Re(a*·b)
double real_product(const Complex3& a, const Complex3& b) {
  double out = 0;
  for (int d = 0; d < 3; ++d) out += (std::conj(a[d]) * b[d]).real();
  return out;
}

/// G a and ∇g×a at x from `from`; nothing there itself.
struct Kernels {
  Complex3 g{}, gradient{};
};
Kernels kernels(const Vec3& x, const Vec3& from, const Complex3& a, double k) {
  const Vec3 d = sub(x, from);
  const double r = norm(d), kr = k * r;
  if (!(r > 0)) return {};
  const Vec3 e = scale(1 / r, d);
  const Complex g = std::polar(1 / (4 * pi * r), -kr);
  const Complex alpha = g * Complex(1 - 1 / (kr * kr), -1 / kr), beta = g * Complex(-1 + 3 / (kr * kr), 3 / kr);
  const Complex radial = beta * along(e, a), gamma = -Complex(1 / r, k) * g;
  Kernels out;
  for (int c = 0; c < 3; ++c) out.g[c] = alpha * a[c] + radial * e[c];
  out.gradient = times(gamma, crossed(e, a));
  return out;
}

/// The magnetic current moment, V m.
Complex3 magnetic_moment(const Dipole& d, double k) {
  return times(j * k * vacuum_impedance, d.moment);
}

/// j_0 − j_1/x, j_2 and j_1 of x ≥ 0.
std::array<double, 3> regular_parts(double x) {
  constexpr double small = 1e-4;  // the next terms of the series are x⁴ of the first
  if (x < small) return {2.0 / 3 - 2 * x * x / 15, x * x / 15, x / 3};
  const std::vector<double> b = spherical_bessel(x, 2).j;
  return {b[0] - b[1] / x, b[2], b[1]};
}

}  // namespace

std::array<Complex, 3> PlaneWave::electric(const Vec3& x) const {
  const Complex phase = std::polar(1.0, -k * dot(direction, x));
  return {polarisation[0] * phase, polarisation[1] * phase, polarisation[2] * phase};
}

std::array<Complex, 3> PlaneWave::curl(const Vec3& x) const {
  const Vec3 c = cross(direction, polarisation);
  const Complex phase = -j * k * std::polar(1.0, -k * dot(direction, x));
  return {c[0] * phase, c[1] * phase, c[2] * phase};
}

std::array<Complex, 3> Dipole::electric(const Vec3& x, double k) const {
  return magnetic ? times(-1, kernels(x, at, magnetic_moment(*this, k), k).gradient)
                  : times(-j * k * vacuum_impedance, kernels(x, at, moment, k).g);
}

std::array<Complex, 3> Dipole::curl(const Vec3& x, double k) const {
  return magnetic ? times(-k * k, kernels(x, at, magnetic_moment(*this, k), k).g)
                  : times(-j * k * vacuum_impedance, kernels(x, at, moment, k).gradient);
}

std::array<Complex, 3> Dipole::far(const Vec3& towards, double k) const {
  const Complex phase = std::polar(k / (4 * pi), k * dot(towards, at));
  if (magnetic) return times(j * phase, crossed(towards, magnetic_moment(*this, k)));
  const Complex radial = along(towards, moment);
  Complex3 out{};
  for (int d = 0; d < 3; ++d) out[d] = -j * vacuum_impedance * phase * (moment[d] - radial * towards[d]);
  return out;
}

Complex Dipole::reaction(const std::array<Complex, 3>& electric, const std::array<Complex, 3>& curl) const {
  // H = j/(kη) ∇×E, m = jkη I A: −m·H = I A·∇×E.
  return product(moment, magnetic ? curl : electric);
}

double power_alone(std::span<const Dipole> dipoles, double k) {
  double out = 0;
  for (const Dipole& a : dipoles)
    for (const Dipole& b : dipoles) {
      const Vec3 d = sub(a.at, b.at);
      const double r = norm(d);
      const Vec3 e = r > 0 ? scale(1 / r, d) : Vec3{0, 0, 1};
      const auto [same, radial, gradient] = regular_parts(k * r);
      if (a.magnetic == b.magnetic) {
        const Complex3 p = a.magnetic ? magnetic_moment(a, k) : a.moment,
                       q = a.magnetic ? magnetic_moment(b, k) : b.moment;
        const double weight = a.magnetic ? 1 / vacuum_impedance : vacuum_impedance;
        out += 0.5 * k * weight * k / (4 * pi) *
               (same * real_product(p, q) + radial * (std::conj(along(e, p)) * along(e, q)).real());
      } else if (!a.magnetic) {  // each pair of unlike ones once: −Im ∇g·Im(m×p*)
        const Complex3 m = magnetic_moment(b, k),
                       p{std::conj(a.moment[0]), std::conj(a.moment[1]), std::conj(a.moment[2])};
        const Complex3 x{m[1] * p[2] - m[2] * p[1], m[2] * p[0] - m[0] * p[2], m[0] * p[1] - m[1] * p[0]};
        out -= k * k / (4 * pi) * gradient * along(e, x).imag();
      }
    }
  return out;
}

std::array<Complex, 3> Incident::electric(const Vec3& x) const {
  if (dipoles.empty()) return wave.electric(x);
  Complex3 out{};
  for (const Dipole& d : dipoles) {
    const Complex3 e = d.electric(x, wave.k);
    for (int c = 0; c < 3; ++c) out[c] += e[c];
  }
  return out;
}

std::array<Complex, 3> Incident::curl(const Vec3& x) const {
  if (dipoles.empty()) return wave.curl(x);
  Complex3 out{};
  for (const Dipole& d : dipoles) {
    const Complex3 e = d.curl(x, wave.k);
    for (int c = 0; c < 3; ++c) out[c] += e[c];
  }
  return out;
}

Incident conjugate(std::vector<Dipole> dipoles, double k) {
  // Of I A: the magnetic current jkη I A becomes −(jkη I A)*, and −m·H is m*·H.
  for (Dipole& d : dipoles)
    for (Complex& c : d.moment) c = std::conj(c);
  return {std::move(dipoles), k};
}

}  // namespace conoid::maxwell_fem

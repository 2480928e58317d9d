// SPDX-License-Identifier: BSD-3-Clause
// Reflection coefficients, paths of integration, the table of the surface.
#include "engine/solvers/elastic_bem/discretization/reflected_force.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/bessel.hpp"
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr Complex i1{0, 1};

/// One wave number of one pair of depths. With s = k_S²/k², a = α/k, b = β/k: downward P (q, w) = (1, a) e^{−αz}, SV (b, 1) e^{−βz}.
class Reflection {
 public:
  Reflection(const Harmonic& h, double d, double z)
      : kP2_(h.kP * h.kP), kS2_(h.kS * h.kS), kappa2_(h.kappa * h.kappa), d_(d), z_(z) {}

  /// Parts without their Bessel functions, and their ∂/∂z.
  void at(Complex k, ReflectedParts& value, ReflectedParts* down) const {
    const Complex s = kS2_ / (k * k), alpha = std::sqrt(k * k - kP2_), beta = std::sqrt(k * k - kS2_), a = alpha / k,
                  b = beta / k, ab = a * b;
    // 1 − ab = s c without a loss for small s; δ = (4ab − (2 − s)²)/s is Rayleigh's function.
    const Complex c = std::abs(s) > 0.2 ? (1.0 - ab) / s : (1 + kappa2_ - kappa2_ * s) / (1.0 + ab),
                  delta = 4.0 - s - 4.0 * c, twice = 2.0 - s, N = 4.0 * ab + twice * twice, n1 = s - 4.0 * c,
                  n2 = -4.0 * c + 4.0 * s * c - s, g = (1 - kappa2_) / (a + b);
    const Complex E = std::exp(-beta * d_), e = std::exp(-beta * z_), fd = difference(alpha, s, k * g, d_, E),
                  fz = difference(alpha, s, k * g, z_, e);
    // p: amplitude of P; m: (P + b SV)/s.
    const Complex pv = (n1 * E + N * fd) / delta, mv = ((2.0 - 4.0 * c) * E - n2 * fd) / delta,
                  ph = (n2 * E - N * fd) / (a * delta), mh = ((c * n1 - 2.0 + 4.0 * c) * E + n2 * fd) / (a * delta),
                  sh = E / b;
    const auto put = [&](Complex along, Complex other, ReflectedParts& out) {  // e and its companion, or their slopes
      const Complex qv = mv * along + pv * other, qh = mh * along + ph * other, t = sh * along;
      out = {(mv - c * pv) * along / b + a * pv * other, qv, 0.5 * (t - qh), 0.5 * (t + qh),
             (mh - c * ph) * along / b + a * ph * other};
    };
    put(e, fz, value);
    if (down != nullptr) put(-beta * e, -alpha * fz - k * g * e, *down);
  }

 private:
  /// (e^{−αx} − e^{−βx})/s, with α − β = s kg.
  static Complex difference(Complex alpha, Complex s, Complex kg, double x, Complex by_beta) {
    const Complex t = s * kg * x;
    if (std::abs(t) > 0.5) return (std::exp(-alpha * x) - by_beta) / s;
    Complex term = 1, sum = 1;  // (1 − e^{−t})/t
    for (int n = 2; n < 16; ++n) sum += term *= -t / static_cast<double>(n);
    return -by_beta * kg * x * sum;
  }

  Complex kP2_, kS2_;
  double kappa2_, d_, z_;
};

/// Sums over wave numbers.
struct Sum {
  const Reflection& of;
  double r;
  bool slopes;
  ReflectedSlopes out;

  void add(Complex k, const BesselValues& f, Complex weight) {
    ReflectedParts v{}, dz{};
    of.at(k, v, slopes ? &dz : nullptr);
    const Complex by[5] = {f.f0, f.f1, f.f0, f.f2, f.f1};
    for (std::size_t i = 0; i < 5; ++i) out.value[i] += weight * v[i] * by[i];
    if (!slopes) return;
    const Complex f1 = 0.5 * k * (f.f0 - f.f2), d[5] = {-k * f.f1, f1, -k * f.f1, k * f.f1 - 2.0 / r * f.f2, f1};
    for (std::size_t i = 0; i < 5; ++i) {
      out.along[i] += weight * v[i] * d[i];
      out.down[i] += weight * dz[i] * by[i];
    }
  }

  void straight(Complex from, Complex to, int panels) {
    const Complex step = (to - from) / static_cast<double>(panels);
    for (int n = 0; n < panels; ++n)
      for (const GaussPoint& g : gauss_points(points)) {
        const Complex k = from + (static_cast<double>(n) + g.x) * step;
        add(k, bessel_values(k * r), g.w * step);
      }
  }

  static constexpr int points = 10;         ///< of a panel
  static constexpr int turned_panels = 10;  ///< of each way on off the real axis
};

/// Where the wave numbers of an integral lie: straight pieces, then maybe two ways on from `last` off the real axis.
struct Path {
  struct Piece {
    Complex from, to;
    int panels = 1;
  };
  std::vector<Piece> pieces;
  bool turns = false;
  double last = 0;

  /// Distance r along the surface, depths `deep` of force and point together.
  Path(const Harmonic& h, double r, double deep) {
    const double way = std::hypot(r, deep);
    // Wave numbers are q times `scale`; poles and branch points lie at |q| ≤ 1.5, on the path's right. Along the real axis of k Bessel's
    // functions do not grow, however the medium is damped.
    const bool rests = !(std::abs(h.kS) > 0);
    const double scale = rests ? 1 / way : std::abs(h.kS), size = scale * way, end = decayed / (scale * deep);
    double q = 0;
    if (!rests) {
      const double past = 1.6, height = std::min(0.4, 3 / size), panel = std::min(1.2 * height, 4 / size);
      straight(0, scale * Complex(0.5 * height, height), scale * panel);
      straight(scale * Complex(0.5 * height, height), scale * Complex(past, height), scale * panel);
      straight(scale * Complex(past, height), scale * past, scale * panel);
      q = past;
    }
    const double asymptotic = r > 0 ? (far_argument + 1) / (scale * r) : 1e300,
                 stop = std::max(q, std::min(end, asymptotic));
    while (q < stop) {
      const double next = std::min(stop, q + (rests ? 2 / size : 0.5 * q));
      straight(scale * q, scale * next, scale * (rests ? 2 / size : std::min(0.5 * q, 4 / size)));
      q = next;
    }
    turns = stop >= asymptotic && stop < end;
    last = scale * stop;
  }
  [[nodiscard]] double wave_numbers() const {
    double panels = turns ? 2 * Sum::turned_panels : 0;
    for (const Piece& p : pieces) panels += p.panels;
    return panels * Sum::points;
  }

 private:
  void straight(Complex from, Complex to, double panel) {
    pieces.push_back({from, to, std::max(1, static_cast<int>(std::ceil(std::abs(to - from) / panel)))});
  }
};

}  // namespace

ReflectedForce::ReflectedForce(const Vec3& at, const Vec3& force, const Vec3& down, double level, const Harmonic& h)
    : h_(h), at_(at), force_(force), down_(unit(down)), level_(level), depth_(dot(at, down_) - level) {}

ReflectedSlopes ReflectedForce::integrals(double r, double z, bool slopes) const {
  const double deep = depth_ + z;
  const Reflection reflection(h_, depth_, z);
  Sum sum{reflection, r, slopes, {}};
  const Path path(h_, r, deep);
  for (const Path::Piece& p : path.pieces) sum.straight(p.from, p.to, p.panels);
  if (path.turns) {
    // On k = k_0 + s/(deep ∓ ir) the product e^{±ikr} e^{−k deep} falls as e^{−s}.
    for (double sign : {1.0, -1.0}) {
      const Complex way_on = 1.0 / Complex(deep, -sign * r);
      for (int n = 0; n < Sum::turned_panels; ++n)
        for (const GaussPoint& g : gauss_points(Sum::points)) {
          const Complex k = path.last + 4 * (n + g.x) * way_on;
          sum.add(k, hankel_values(k * r, sign), 0.5 * 4 * g.w * way_on * std::exp(sign * i1 * k * r));
        }
    }
  }
  return sum.out;
}

double ReflectedForce::wave_numbers(const Vec3& x) const {
  const Place at = place(x);
  return Path(h_, at.r, depth_ + at.z).wave_numbers();
}

double ReflectedForce::wave_numbers_of_table(std::span<const Vec3> points) const {
  std::vector<double> r;
  for (const Vec3& x : points) r.push_back(place(x).r);
  std::ranges::sort(r);
  double sum = 0, from = 0;
  for (auto next = r.begin(); next != r.end();) {
    const double to = panel_end(from);
    const auto beyond = std::upper_bound(next, r.end(), to);
    if (beyond != next) sum += samples * Path(h_, 0.5 * (from + to), depth_).wave_numbers();
    next = beyond;
    from = to;
  }
  return sum;
}

double ReflectedForce::panel_end(double r) const {
  return r + std::min(0.5 * std::hypot(r, depth_), std::abs(h_.kS) > 0 ? 3 / std::abs(h_.kS) : 1e300);
}

ReflectedParts ReflectedForce::on_surface_at(double r) const {
  const auto node = [](int i) { return -std::cos(std::numbers::pi * (i + 0.5) / samples); };
  const std::scoped_lock lock(mutex_);
  while (reaches_ < r || table_.empty()) {
    Panel p;
    p.from = reaches_;
    p.to = panel_end(p.from);
    reaches_ = p.to;
    table_.emplace(p.to, p);
  }
  Panel& p = table_.lower_bound(r)->second;
  if (p.values[0][0] == Complex(0))
    for (int i = 0; i < samples; ++i)
      p.values[static_cast<std::size_t>(i)] = integrals(p.from + 0.5 * (p.to - p.from) * (1 + node(i)), 0, false).value;
  // Barycentric interpolation at Chebyshev's points of the first kind.
  const double x = 2 * (r - p.from) / (p.to - p.from) - 1;
  ReflectedParts out{};
  double whole = 0;
  for (int i = 0; i < samples; ++i) {
    const auto& v = p.values[static_cast<std::size_t>(i)];
    const double away = x - node(i);
    if (std::abs(away) < 1e-14) return v;
    const double w = (i % 2 == 0 ? 1 : -1) * std::sin(std::numbers::pi * (i + 0.5) / samples) / away;
    whole += w;
    for (std::size_t c = 0; c < 5; ++c) out[c] += w * v[c];
  }
  for (Complex& v : out) v /= whole;
  return out;
}

ReflectedForce::Place ReflectedForce::place(const Vec3& x) const {
  Vec3 offset = sub(x, at_);
  const double z = dot(x, down_) - level_;
  offset = axpy(-dot(offset, down_), down_, offset);
  const double r = norm(offset), least = 1e-6 * depth_;
  const Vec3 any = unit(std::abs(down_[0]) < 0.9 ? cross(down_, {0, 1, 0}) : Vec3{0, 1, 0});
  return {std::max(r, least), z, r > least ? scale(1 / r, offset) : any};
}

std::array<Complex, 3> ReflectedForce::vector(const ReflectedParts& p, const Vec3& e) const {
  const double F = dot(force_, down_), along = dot(e, force_);
  std::array<Complex, 3> u{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double f = force_[i] - F * down_[i];
    u[i] = (F * (p[0] * down_[i] + p[1] * e[i]) + p[2] * f + p[3] * (2 * e[i] * along - f) + p[4] * along * down_[i]) /
           (4 * std::numbers::pi * h_.mu);
  }
  return u;
}

std::array<Complex, 3> ReflectedForce::displacement(const Vec3& x) const {
  const Place at = place(x);
  return vector(on_surface(x) ? on_surface_at(at.r) : integrals(at.r, at.z, false).value, at.e);
}

std::array<std::array<Complex, 3>, 3> ReflectedForce::slopes(const Vec3& x) const {
  const Place at = place(x);
  const ReflectedSlopes p = integrals(at.r, at.z, true);
  const auto along = vector(p.along, at.e), down = vector(p.down, at.e);
  const double F = dot(force_, down_), part = dot(at.e, force_);
  std::array<std::array<Complex, 3>, 3> out{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto turn = [&](std::size_t i) {  // r ∂e_i/∂x_k
      return (i == k ? 1.0 : 0.0) - down_[i] * down_[k] - at.e[i] * at.e[k];
    };
    const double turned = force_[0] * turn(0) + force_[1] * turn(1) + force_[2] * turn(2);
    for (std::size_t i = 0; i < 3; ++i)
      out[k][i] = at.e[k] * along[i] + down_[k] * down[i] +
                  (F * p.value[1] * turn(i) + 2.0 * p.value[3] * (turn(i) * part + at.e[i] * turned) +
                   p.value[4] * turned * down_[i]) /
                      (at.r * 4 * std::numbers::pi * h_.mu);
  }
  return out;
}

bool ReflectedForce::on_surface(const Vec3& x) const {
  return std::abs(dot(x, down_) - level_) < 1e-9 * (depth_ + distance(x, at_));
}

}  // namespace conoid::elastic_bem

// SPDX-License-Identifier: BSD-3-Clause
// Plane waves and their reflections: amplitudes from the condition of no traction (K. F. Graff, "Wave Motion in Elastic
// Solids", 1975, §6.1), solved as a 3 × 3 system instead of written out case by case.
#include "engine/solvers/elastic_bem/discretization/waves.hpp"

#include <cmath>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/kernels/fundamental.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

using Vector = std::array<Complex, 3>;

Vector combine(Complex a, const Vec3& x, Complex b, const Vec3& y) {
  return {a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]};
}
Complex product(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Complex determinant(const Vector& a, const Vector& b, const Vector& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

}  // namespace

Complex downward_root(Complex square) {
  Complex q = std::sqrt(square);
  if (q.imag() > 0 || (q.imag() == 0 && q.real() < 0)) q = -q;
  return q;
}

Vector PlaneWave::traction(Complex lambda, Complex mu, const Vec3& n) const {
  const Complex kd = product(k, d), dn = d[0] * n[0] + d[1] * n[1] + d[2] * n[2],
                kn = k[0] * n[0] + k[1] * n[1] + k[2] * n[2];
  Vector t{};
  for (std::size_t i = 0; i < 3; ++i) t[i] = Complex(0, -1) * (lambda * kd * n[i] + mu * (dn * k[i] + kn * d[i]));
  return t;
}

WaveAxes::WaveAxes(const WaveSetting& s) : up(unit(s.up)), down(scale(-1, up)), way(unit(s.direction)) {
  along = sub(way, scale(dot(way, up), up));
  if (norm(along) < 1e-12) {
    along = std::abs(up[0]) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    along = sub(along, scale(dot(along, up), up));
  }
  along = unit(along);
  across = cross(up, along);
}

Status WaveAxes::along_surface(const WaveSetting& s) {
  const WaveAxes axes(s);
  if (!is_surface_wave(s.kind) || norm(sub(axes.way, scale(dot(axes.way, axes.up), axes.up))) > 1e-6) return {};
  return make_error(ErrorCode::invalid_input, "a wave along the surface has an upright direction",
                    "Give a horizontal direction, for example [1, 0, 0].");
}

Vec3 WaveAxes::polarisation(WaveKind kind) const {
  return kind == WaveKind::p ? way : kind == WaveKind::sh ? across : cross(across, way);
}

std::array<PlaneWave, 3> WaveAxes::waves(const Harmonic& h, Complex kh, Complex qp, Complex qs) const {
  const Vector k = combine(kh, along, qs, down);
  return {PlaneWave{combine(kh, along, qp, down), combine(kh / h.kP, along, qp / h.kP, down)},
          PlaneWave{k, combine(qs / h.kS, along, -kh / h.kS, down)}, PlaneWave{k, combine(1, across, 0, across)}};
}

Result<IncidentField> IncidentField::make(const WaveSetting& s, const Harmonic& harmonic) {
  if (auto status = WaveAxes::along_surface(s); !status) return status.error();
  if (s.kind == WaveKind::love || (s.kind == WaveKind::rayleigh && s.mode > 0))
    return make_error(ErrorCode::invalid_input,
                      s.kind == WaveKind::love ? "a half-space without layers carries no Love wave"
                                               : "a half-space without layers has one Rayleigh wave, mode 0",
                      "Give layers in \"profile\", or use a Rayleigh wave without \"mode\".");
  Harmonic h = harmonic;
  if (h.kS == Complex(0)) {  // at rest: the limit of ever longer waves, of phases that are nothing
    h.kS = 1e-15;
    h.kP = h.kappa * h.kS;
  }
  IncidentField f;
  f.lambda_ = h.lambda;
  f.mu_ = h.mu;
  const WaveAxes axes(s);
  const Vec3 &up = axes.up, &down = axes.down, &along = axes.along, &e = axes.way;
  // Phases are counted from the surface point below the origin.
  const auto shift = [&](PlaneWave& t) {
    const Complex phase = std::exp(Complex(0, 1) * s.level * (t.k[0] * up[0] + t.k[1] * up[1] + t.k[2] * up[2]));
    for (Complex& d : t.d) d *= phase;
  };
  if (s.kind == WaveKind::rayleigh) {
    Medium plain;
    plain.nu = h.nu;
    const Complex k = h.kS / (plain.rayleigh_speed() / plain.shear_speed());
    const Complex qp = downward_root(h.kP * h.kP - k * k), qs = downward_root(h.kS * h.kS - k * k);
    PlaneWave p{combine(k, along, qp, down), combine(k, along, qp, down)};
    PlaneWave v{combine(k, along, qs, down), combine(qs, along, -k, down)};
    const Vector tp = p.traction(f.lambda_, f.mu_, up), tv = v.traction(f.lambda_, f.mu_, up);
    const auto part = [&](const Vector& t, const Vec3& n) { return t[0] * n[0] + t[1] * n[1] + t[2] * n[2]; };
    const Complex ratio = -part(tp, along) / part(tv, along);
    for (Complex& d : v.d) d *= ratio;
    const Complex vertical = part(p.d, up) + part(v.d, up);
    for (PlaneWave* t : {&p, &v}) {
      for (Complex& d : t->d) d *= s.amplitude / vertical;
      shift(*t);
      f.terms_.push_back(*t);
    }
    return f;
  }
  const Complex k = s.kind == WaveKind::p ? h.kP : h.kS;
  PlaneWave in{combine(k, e, 0, e), combine(s.amplitude, axes.polarisation(s.kind), 0, e)};
  if (!s.half_space) {
    f.terms_.push_back(in);
    return f;
  }
  if (dot(e, up) <= 1e-6)
    return make_error(ErrorCode::invalid_input,
                      "the incident wave does not come from below: its direction does not rise to the surface",
                      "Give a direction with a part towards the surface, or use a Rayleigh wave.");
  const Complex kh = k * dot(e, along);
  const Complex qp = downward_root(h.kP * h.kP - kh * kh), qs = downward_root(h.kS * h.kS - kh * kh);
  auto [p, v, sh] = axes.waves(h, kh, qp, qs);
  const Vector t0 = in.traction(f.lambda_, f.mu_, up), tp = p.traction(f.lambda_, f.mu_, up),
               tv = v.traction(f.lambda_, f.mu_, up), th = sh.traction(f.lambda_, f.mu_, up);
  const Complex all = determinant(tp, tv, th);
  const Vector minus{-t0[0], -t0[1], -t0[2]};
  const Complex a[3] = {determinant(minus, tv, th) / all, determinant(tp, minus, th) / all,
                        determinant(tp, tv, minus) / all};
  std::size_t q = 0;
  for (PlaneWave* t : {&p, &v, &sh}) {
    for (Complex& d : t->d) d *= a[q];
    ++q;
  }
  for (PlaneWave* t : {&in, &p, &v, &sh}) {
    shift(*t);
    f.terms_.push_back(*t);
  }
  return f;
}

IncidentField IncidentField::point_force(const Vec3& at, const Vec3& force, const Harmonic& h) {
  IncidentField f;
  f.source_ = Source{h, at, force};
  return f;
}

IncidentField IncidentField::buried_force(const Vec3& at, const Vec3& force, const Vec3& up, double level,
                                          const Harmonic& h) {
  IncidentField f = point_force(at, force, h);
  f.lambda_ = h.lambda;
  f.mu_ = h.mu;
  f.reflected_ = std::make_shared<const ReflectedForce>(at, force, scale(-1, unit(up)), -level, h);
  return f;
}

std::array<Complex, 3> IncidentField::displacement(const Vec3& x) const {
  Vector u{};
  if (source_) {
    const Matrix3 g = kernels(source_->harmonic, source_->at, x, {0, 0, 1}).u;
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t i = 0; i < 3; ++i) u[i] += source_->force[j] * g[j][i];
  }
  if (reflected_) {
    const Vector r = reflected_->displacement(x);
    for (std::size_t i = 0; i < 3; ++i) u[i] += r[i];
  }
  for (const PlaneWave& t : terms_) {
    const Complex phase = std::exp(Complex(0, -1) * (t.k[0] * x[0] + t.k[1] * x[1] + t.k[2] * x[2]));
    for (std::size_t d = 0; d < 3; ++d) u[d] += t.d[d] * phase;
  }
  return u;
}

std::array<Complex, 3> IncidentField::traction(const Vec3& x, const Vec3& n) const {
  Vector out{};
  if (reflected_ && reflected_->on_surface(x) && norm(cross(n, reflected_->down())) < 1e-9) return out;
  if (source_) {
    const Matrix3 g = kernels(source_->harmonic, source_->at, x, n).t;
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t i = 0; i < 3; ++i) out[i] += source_->force[j] * g[j][i];
  }
  if (reflected_) {
    const auto slope = reflected_->slopes(x);
    const Complex swell = slope[0][0] + slope[1][1] + slope[2][2];
    for (std::size_t i = 0; i < 3; ++i) {
      out[i] += lambda_ * swell * n[i];
      for (std::size_t k = 0; k < 3; ++k) out[i] += mu_ * (slope[k][i] + slope[i][k]) * n[k];
    }
  }
  for (const PlaneWave& t : terms_) {
    const Complex phase = std::exp(Complex(0, -1) * (t.k[0] * x[0] + t.k[1] * x[1] + t.k[2] * x[2]));
    const Vector v = t.traction(lambda_, mu_, n);
    for (std::size_t d = 0; d < 3; ++d) out[d] += v[d] * phase;
  }
  return out;
}

}  // namespace conoid::elastic_bem

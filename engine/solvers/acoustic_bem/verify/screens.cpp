// SPDX-License-Identifier: BSD-3-Clause
// Screens, their exact answers, and short runs on them.
#include "engine/solvers/acoustic_bem/verify/screens.hpp"

#include <cmath>
#include <numbers>

#include <Eigen/LU>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/stepping/receivers.hpp"
#include "engine/solvers/acoustic_bem/stepping/spectrum.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;
using std::numbers::pi;
using Complex = std::complex<double>;

namespace {

/// A middle point and rings of 6, 12, 18 … points, placed by place(ring, turn of 2π).
template <class Place>
Mesh ringed(int rings, Place&& place) {
  Mesh mesh;
  mesh.add_point(place(0, 0.0));
  const auto point = [](int ring, int k) {
    return ring == 0 ? Index{0} : Index{1} + 3 * ring * (ring - 1) + k % (6 * ring);
  };
  for (int r = 1; r <= rings; ++r) {
    for (int k = 0; k < 6 * r; ++k) mesh.add_point(place(r, 2 * pi * k / (6 * r)));
    for (int sector = 0; sector < 6; ++sector)
      for (int i = 0; i < r; ++i) {
        const Index inner = point(r - 1, sector * (r - 1) + i), outer = point(r, sector * r + i + 1);
        mesh.add_cell(CellShape::triangle3, {point(r, sector * r + i), outer, inner});
        if (i + 1 < r) mesh.add_cell(CellShape::triangle3, {inner, outer, point(r - 1, sector * (r - 1) + i + 1)});
      }
  }
  return mesh;
}

Surface surface_of(const Mesh& mesh, int rim_layers, const Conditions& conditions = {}) {
  return std::move(*make_surface(mesh, Ordering::hilbert, rim_layers, conditions));
}

/// ∫ over the surface of each unknown's function times a value a triangle.
template <class Value>
Eigen::VectorXcd tested(const Surface& s, Value&& value) {
  const Rule rule = triangle_rule(12);
  Eigen::VectorXcd out = Eigen::VectorXcd::Zero(s.unknowns);
  for (const Triangle& t : s.triangles)
    for (const RulePoint& q : rule) {
      Vec3 x{};
      for (std::size_t c = 0; c < 3; ++c) x = axpy(q.lambda[c], t.corner[c], x);
      const Complex v = q.weight * t.area * value(t, x);
      for (std::size_t a = 0; a < 3; ++a)
        for (const Share& part : s.shares(t.vertex[a])) out[part.unknown] += q.lambda[a] * part.weight * v;
    }
  return out;
}

/// Volume under the faces, up to the plane of the rim.
double volume_to_lid(const Mesh& mesh, const Vec3& middle) {
  double six = 0;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const auto n = mesh.nodes(c);
    six += triple(sub(mesh.point(n[0]), middle), sub(mesh.point(n[1]), middle), sub(mesh.point(n[2]), middle));
  }
  return std::abs(six) / 6;
}

}  // namespace

Eigen::MatrixXcd transformed(const Matrices<double>& matrices, double omega) {
  const Index N = matrices.slices.count();
  Eigen::MatrixXcd out = Eigen::MatrixXd(matrices.M0).cast<Complex>();
  std::vector<Complex> turn;
  for (Index k = 0; k <= matrices.slices.columns(); ++k)
    turn.push_back(std::polar(1.0, omega * static_cast<double>(k) * matrices.form.dt));
  for (Index j = 0; j < N; ++j)
    matrices.slices.for_each_row(j, [&](Index i, Index start, std::span<const double> v) {
      Complex sum = 0;
      for (std::size_t d = 0; d < v.size(); ++d) sum += v[d] * turn[static_cast<std::size_t>(start) + d];
      out(i, j) += sum;
    });
  return out;
}

Mesh disc(int rings) {
  const double corners = 6.0 * rings, radius = std::sqrt(2 * pi / (corners * std::sin(2 * pi / corners)));
  return ringed(rings, [&](int ring, double turn) {
    const double r = radius * ring / rings;
    return Vec3{r * std::cos(turn), r * std::sin(turn), 0};
  });
}

Mesh shell_with_hole(int rings, double half_angle) {
  const double lid = std::cos(half_angle), cap = 1 - lid;
  const double wanted = 4 * pi / 3 - pi * cap * cap * (3 - cap) / 3;
  const auto made = [&](double swollen) {
    return ringed(rings, [&](int ring, double turn) {
      const double polar = (pi - half_angle) * ring / rings;  // from the bottom
      const double r = 1 + swollen * std::min(1.0, (pi - half_angle - polar) / 0.5);
      return Vec3{r * std::sin(polar) * std::cos(turn), -r * std::sin(polar) * std::sin(turn), -r * std::cos(polar)};
    });
  };
  double low = 0, high = 0.3;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (volume_to_lid(made(middle), {0, 0, lid}) < wanted ? low : high) = middle;
  }
  return made(low);
}

Mesh wall(double width, double depth, double edge, bool half) {
  Mesh mesh;
  const int nx = static_cast<int>(std::lround((half ? 1 : 2) * width / edge)),
            nz = static_cast<int>(std::lround(depth / edge));
  for (int k = 0; k <= nz; ++k)
    for (int i = 0; i <= nx; ++i)
      mesh.add_point({half ? width * i / nx : width * (2.0 * i / nx - 1), 0, depth * (1.0 * k / nz - 1)});
  for (int k = 0; k < nz; ++k)
    for (int i = 0; i < nx; ++i) {
      const Index a = Index{k} * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
      if ((i + k) % 2 == 0) {
        mesh.add_cell(CellShape::triangle3, {a, b, d});
        mesh.add_cell(CellShape::triangle3, {a, d, c});
      } else {
        mesh.add_cell(CellShape::triangle3, {a, b, c});
        mesh.add_cell(CellShape::triangle3, {b, d, c});
      }
    }
  return mesh;
}

ScreenError disc_in_stream(int rings, int rim_layers, Team& team) {
  const Surface s = surface_of(disc(rings), rim_layers);
  const Form form = form_for(s, FormName::N);
  const Eigen::MatrixXd M = transformed(assemble_all<double>(s, form, {}, team), 0).real();
  const Eigen::VectorXd l = tested(s, [](const Triangle&, const Vec3&) { return 1.0; }).real();
  const double moment = l.dot(M.partialPivLu().solve(form.delta() * l));
  return {s.unknowns, s.mean_edge, moment / (8.0 / 3) - 1};
}

ScreenError shell_resonance(int rings, int rim_layers, Team& team) {
  const Surface s = surface_of(shell_with_hole(rings, pi / 6), rim_layers);
  const Form form = form_for(s, FormName::N);
  const Matrices<double> matrices = assemble_all<double>(s, form, {}, team);
  const Vec3 along{0, 0, -1};
  // A resonance is a parabola in 1/|p|²: three places about the best so far, twice.
  const auto inverse_square = [&](double ka) {
    const Complex turn = std::polar(1.0, ka * form.dt);
    const Eigen::VectorXcd l = tested(s, [&](const Triangle& t, const Vec3& x) {
      return -dot(t.normal, along) * std::polar(1.0, ka * dot(along, x)) * (1.0 - turn);
    });
    const Eigen::VectorXcd a = transformed(matrices, ka).partialPivLu().solve(l);
    const Complex p = 1.0 + near_field(s, form, {a.data(), static_cast<std::size_t>(a.size())}, ka / (2 * pi), {});
    return 1 / std::norm(p);
  };
  double best = 0.55;
  for (double step : {0.015, 0.004}) {
    const double left = inverse_square(best - step), middle = inverse_square(best), right = inverse_square(best + step);
    best += std::clamp(0.5 * step * (left - right) / (left - 2 * middle + right), -3 * step, 3 * step);
  }
  return {s.unknowns, s.mean_edge, best};
}

namespace {

/// Pressure of the shadow: edge along x at y = z = 0, source and receiver at distance `radius` from it on either side, angle
/// `polar` from the faces, `apart` along the edge.
std::vector<double> shadow_signal(const std::vector<double>& times, const Pulse& pulse, double t0, double radius,
                                  double polar, double apart) {
  // The integral over the edge, x = w sinh u: graded about the apex. ν = ½; source and receiver at equal distances.
  const double source = polar, receiver = 2 * pi - polar, w = 0.05;
  std::vector<double> delay, weight;
  constexpr int half = 3000;
  const double step = 6.0 / half;
  for (int k = -half; k <= half; ++k) {
    const double u = k * step, x = w * std::sinh(u), dx = w * std::cosh(u) * step;
    const double to_source = x + 0.5 * apart, to_receiver = x - 0.5 * apart;
    const double m = std::hypot(radius, to_source), l = std::hypot(radius, to_receiver);
    const double eta = std::acosh(std::max(1.0, (m * l + to_source * to_receiver) / (radius * radius)));
    double beta = 0;
    for (double angle :
         {pi + source + receiver, pi + source - receiver, pi - source + receiver, pi - source - receiver})
      beta += std::sin(0.5 * angle) / (std::cosh(0.5 * eta) - std::cos(0.5 * angle));
    delay.push_back(m + l);
    weight.push_back(-0.5 / (16 * pi * pi) * beta / (m * l) * dx);
  }
  std::vector<double> out;
  for (double t : times) {
    double sum = 0;
    for (std::size_t k = 0; k < delay.size(); ++k) sum += weight[k] * pulse.value(t - t0 - delay[k]);
    out.push_back(sum);
  }
  return out;
}

}  // namespace

ShadowError half_plane_shadow(double edge, int rim_layers, Team& team, bool on_ground) {
  // On a ground at x = 0, to which the edge is normal, the field is that of the source and of its image at the whole half-plane.
  const double width = on_ground ? 1.7 : 1.3, off = on_ground ? 0.3 : 0;
  Conditions conditions;
  if (on_ground) conditions.ground = Ground{0, 0, true};
  const Surface s = surface_of(wall(width, 1.6, edge, on_ground), rim_layers, conditions);
  const Form form = form_for(s, FormName::N);
  const Vec3 place{off, 0.5, -0.3};
  Excitation excitation{"source", {}};
  Wave wave;
  wave.kind = WaveKind::point;
  wave.position = {off, -0.5, -0.3};
  wave.pulse = ricker_of(6);
  wave.pulse.amplitude = 4 * pi;
  excitation.waves.push_back(wave);
  set_onsets(excitation, s.vertices, 1);
  const double t0 = excitation.waves[0].t0;
  if (on_ground) {
    excitation.waves.push_back(excitation.waves[0]);
    excitation.waves[1].position = conditions.ground->mirrored(wave.position);
  }
  // The other edges are heard 2 √(½² + 1.3²) after the source, the pulse's flank before.
  const double end = t0 + 2 * std::hypot(0.5, width - off) - 1;
  RightHandSide l(s, form, excitation);
  March<double> march(assemble_all<double>(s, form, {}, team),
                      {.steps = 8, .reach = receiver_columns(s, form, {place}) + 8});
  Receivers<double> receivers(s, form, {place}, 8, team);
  std::vector<double> received, times, signal;
  while (static_cast<double>(march.step()) * form.dt < end) {
    march.advance(team, [&](Index n, Index, std::span<double> v) {
      l.triangles(n, {0, l.triangle_count()});
      l.gather({0, s.unknowns}, v.data());
    });
    receivers.evaluate(team, march.histories(), received);
    for (Index g = 0; g < 8; ++g) {
      const double t = static_cast<double>(march.step() - 7 + g - receiver_lag) * form.dt;
      if (t < 0 || t > end) continue;
      times.push_back(t);
      signal.push_back(received[static_cast<std::size_t>(g)] + excitation.value(place, t, 1));
    }
  }
  const double radius = std::hypot(0.5, 0.3), polar = std::atan2(0.5, 0.3), shift = 1e-3;
  const auto signal_at = [&](double start) {
    auto out = shadow_signal(times, excitation.waves[0].pulse, start, radius, polar, 0);
    if (!on_ground) return out;
    const auto image = shadow_signal(times, excitation.waves[0].pulse, start, radius, polar, 2 * off);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += image[k];
    return out;
  };
  const auto exact = signal_at(t0), later = signal_at(t0 + shift);
  double difference = 0, total = 0, along = 0, square = 0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double slope = (later[k] - exact[k]) / shift;
    difference += std::pow(signal[k] - exact[k], 2);
    total += exact[k] * exact[k];
    along += (signal[k] - exact[k]) * slope;
    square += slope * slope;
  }
  return {s.unknowns, s.mean_edge, std::sqrt(difference / total), along / square};
}

}  // namespace conoid::acoustic_bem

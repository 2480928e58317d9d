// SPDX-License-Identifier: BSD-3-Clause
// Responses to faces that move, row block by row block.
#include "engine/solvers/acoustic_bem/discretization/drive.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/cluster/rank_share.hpp"
#include "engine/core/vec3.hpp"
#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_bem/discretization/sigma_sweep.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"
#include "engine/solvers/acoustic_bem/stepping/receivers.hpp"
#include "engine/solvers/acoustic_bem/stepping/spectrum.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;
using Complex = std::complex<double>;

namespace {

/// ∫ w f(y) dS over the faces of a motion, with those of the image in a ground.
template <class Kernel>
Complex over_faces(const Surface& surface, const std::vector<double>& weights, Kernel&& f) {
  static const Rule rule = triangle_rule(7);
  Complex over = 0;
  const auto add = [&](const Triangle& T, double weight) {
    for (const RulePoint& q : rule) {
      Vec3 y{};
      for (std::size_t c = 0; c < 3; ++c) y = axpy(q.lambda[c], T.corner[c], y);
      over += weight * q.weight * T.area * f(y);
    }
  };
  for (std::size_t t = 0; t < weights.size(); ++t) {
    if (weights[t] == 0) continue;
    add(surface.triangles[t], weights[t]);
    if (!surface.images.empty()) add(surface.images[t], weights[t] * surface.image_sign());
  }
  return over;
}

/// Adds S_k of one motion's faces to some rows.
void add_response(SigmaSweep& sweep, const Surface& surface, Interval rows, const std::vector<std::int32_t>& moving,
                  std::span<const double> weights, std::vector<double>& out, const std::stop_token& stop) {
  const FlushSubnormals flush;
  const auto N = static_cast<std::size_t>(surface.unknowns);
  const auto own_rows = [&](std::int32_t triangle, auto&& f) {
    for (std::size_t own = 0; own < 3; ++own)
      for (const Share& part : surface.shares(surface.triangles[static_cast<std::size_t>(triangle)].vertex[own]))
        if (part.unknown >= rows.begin && part.unknown < rows.end) f(own, part);
  };
  sweep.run(
      surface.touching(rows), moving,
      [&](const SigmaSweep::Pair& p) {
        const double weight = p.factor * weights[static_cast<std::size_t>(p.source)];
        own_rows(p.tested, [&](std::size_t own, const Share& part) {
          for (std::size_t c = 0; c < p.count; ++c) {
            double v = 0;
            for (std::size_t other = 0; other < 3; ++other) v += p.value(own, other, c);
            out[(static_cast<std::size_t>(p.low) + c) * N + static_cast<std::size_t>(part.unknown)] +=
                weight * part.weight * v;
          }
        });
      },
      stop);
  if (stop.stop_requested()) return;
  for (const std::int32_t s : moving)  // (Δ/2) G
    own_rows(s, [&](std::size_t, const Share& part) {
      out[static_cast<std::size_t>(part.unknown)] += 0.5 * sweep.delta() * part.weight *
                                                     weights[static_cast<std::size_t>(s)] *
                                                     surface.triangles[static_cast<std::size_t>(s)].area / 3;
    });
}

}  // namespace

Drive::Drive(const Surface& surface, const Form& form, const AssemblyOptions& options, std::vector<Motion> motions,
             bool screen, double density, Team& team, Communicator* cluster, const std::stop_token& stop)
    : form_(form), density_(density), unknowns_(surface.unknowns), screen_(screen), motions_(std::move(motions)) {
  for (const Triangle& t : surface.triangles) areas_.push_back(t.area);
  const auto N = static_cast<std::size_t>(unknowns_);
  const auto columns = static_cast<std::size_t>(surface.diameter / form.delta()) + 5;
  columns_ = static_cast<Index>(columns);
  const TileContext context = tile_context(surface, form, options);
  const Index rank = cluster != nullptr ? cluster->rank() : 0, ranks = cluster != nullptr ? cluster->size() : 1;
  const Interval own = rank_share(unknowns_, rank, ranks);
  for (const Motion& m : motions_) {
    const Vec3 along = surface.conditions.walls[m.wall].direction;
    std::vector<double> weights(surface.triangles.size(), 0), pressing(N, 0);
    std::vector<std::int32_t> moving;
    for (std::size_t t = 0; t < weights.size(); ++t) {
      const Triangle& T = surface.triangles[t];
      if (surface.wall[t] != static_cast<std::int16_t>(m.wall)) continue;
      weights[t] = norm(along) > 0 ? dot(along, T.normal) : 1;
      moving.push_back(static_cast<std::int32_t>(t));
      for (const std::int32_t v : T.vertex)
        for (const Share& part : surface.shares(v))
          if (surface.carries_pressure(v))
            pressing[static_cast<std::size_t>(part.unknown)] += weights[t] * part.weight * T.area / 3;
    }
    std::vector<double> response(columns * N, 0);
    if (screen_) {
      for (std::size_t i = 0; i < N; ++i) response[i] = form.delta() * pressing[i];
    } else {
      constexpr Index block = 64;
      const double cost = 1.2e-6 * static_cast<double>(moving.size()) * static_cast<double>(surface.triangles.size());
      for_range(team, "assembly", (own.size() + block - 1) / block, 1, cost, [&](Interval blocks) {
        SigmaSweep sweep(context);
        for (Index b = blocks.begin; b < blocks.end; ++b)
          add_response(sweep, surface, {own.begin + b * block, std::min(own.begin + (b + 1) * block, own.end)}, moving,
                       weights, response, stop);
      });
      if (stop.stop_requested()) throw Failure(make_error(ErrorCode::stopped, "Stopped during assembly."));
      if (ranks > 1) cluster->sum(std::span<double>(response));
    }
    weights_.push_back(std::move(weights));
    pressing_.push_back(std::move(pressing));
    response_.push_back(std::move(response));
  }
}

double Drive::sigma(std::size_t motion, Index n) const {
  const Motion& m = motions_[motion];
  const double t = static_cast<double>(n) * form_.dt;
  return -density_ * (m.velocity(t) - m.velocity(t - form_.dt)) / form_.dt;
}

void Drive::add_to(Index n, std::span<double> l) const {
  const auto N = static_cast<std::size_t>(unknowns_);
  for (std::size_t m = 0; m < motions_.size(); ++m) {
    const std::vector<double>& response = response_[m];
    for (std::size_t k = 0; k < response.size() / N; ++k) {
      const double s = sigma(m, n - static_cast<Index>(k));
      if (s == 0) continue;
      const double* const row = response.data() + k * N;
      for (std::size_t i = 0; i < N; ++i) l[i] -= s * row[i];
    }
  }
}

Drive::Points Drive::points(const Surface& surface, const std::vector<Vec3>& places, Team& team) const {
  Points out;
  out.count = static_cast<Index>(places.size());
  if (places.empty() || screen_) return out;  // both sides of a screen send alike, with opposite signs
  out.columns = receiver_columns(surface, form_, places) + 1;
  for (const auto& weights : weights_)
    out.factors.push_back(received_of_motion(surface, form_, places, weights, out.columns, team));
  return out;
}

void Drive::add_at(const Points& points, Index n, std::span<double> out) const {
  for (std::size_t m = 0; m < points.factors.size(); ++m)
    for (Index k = 0; k < points.columns; ++k) {
      const double s = sigma(m, n + receiver_lag - k);
      if (s == 0) continue;
      for (Index p = 0; p < points.count; ++p)
        out[static_cast<std::size_t>(p)] += s * points.factors[m][static_cast<std::size_t>(p * points.columns + k)];
    }
}

void Drive::add_transformed(const Points& points, double omega, std::span<Complex> out) const {
  for (std::size_t m = 0; m < points.factors.size(); ++m) {
    const Motion& motion = motions_[m];
    Complex sent = 0;
    const auto first = static_cast<Index>(std::floor((motion.t0 - motion.pulse.onset()) / form_.dt)),
               last = static_cast<Index>(
                          std::ceil((motion.t0 - motion.pulse.onset() + motion.pulse.length()) / form_.dt)) +
                      1;
    for (Index n = first; n <= last; ++n)
      sent += sigma(m, n) * std::polar(1.0, omega * static_cast<double>(n) * form_.dt);
    for (Index k = 0; k < points.columns; ++k) {
      const Complex turned = sent * std::polar(1.0, omega * static_cast<double>(k - receiver_lag) * form_.dt);
      for (Index p = 0; p < points.count; ++p)
        out[static_cast<std::size_t>(p)] +=
            turned * points.factors[m][static_cast<std::size_t>(p * points.columns + k)];
    }
  }
}

std::vector<Complex> Drive::response_of(std::size_t motion, double omega) const {
  const auto N = static_cast<std::size_t>(unknowns_);
  const std::vector<double>& response = response_[motion];
  // −σ̂ of a velocity whose samples have the sum 1, σ being its mean over a step.
  const Complex sent = density_ / form_.dt * (1.0 - std::polar(1.0, omega * form_.dt));
  std::vector<Complex> out(N);
  for (std::size_t k = 0; k < response.size() / N; ++k) {
    const Complex turned = sent * std::polar(1.0, omega * static_cast<double>(k) * form_.dt);
    for (std::size_t i = 0; i < N; ++i) out[i] += turned * response[k * N + i];
  }
  return out;
}

Complex Drive::near_field(const Surface& surface, std::size_t motion, double frequency, const Vec3& x) const {
  const double omega = 2 * std::numbers::pi * frequency, k = omega / form_.c;
  if (screen_) return 0;
  const Complex over = over_faces(surface, weights_[motion], [&](const Vec3& y) {
    const double R = distance(x, y);
    return std::polar(1 / R, k * R);
  });
  return Complex(0, -omega) * density_ * over / (4 * std::numbers::pi);
}

double Drive::volume(std::size_t motion) const {
  double sum = 0;
  for (std::size_t t = 0; t < areas_.size(); ++t) sum += weights_[motion][t] * areas_[t];
  return sum;
}

double Drive::power(Index n, std::span<const double> a) const {
  double sum = 0;
  for (std::size_t m = 0; m < motions_.size(); ++m) {
    double force = 0;
    for (std::size_t i = 0; i < pressing_[m].size(); ++i) force += pressing_[m][i] * a[i];
    sum += force * motions_[m].velocity(static_cast<double>(n) * form_.dt);
  }
  return sum;
}

Complex Drive::velocity(std::size_t motion, double frequency, Index steps) const {
  Complex sum = 0;
  for (Index n = 0; n <= steps; ++n) {
    const double t = static_cast<double>(n) * form_.dt;
    sum += motions_[motion].velocity(t) * std::polar(form_.dt, 2 * std::numbers::pi * frequency * t);
  }
  return sum;
}

Complex Drive::work(std::span<const Complex> a, double frequency, Index steps) const {
  Complex sum = 0;
  for (std::size_t m = 0; m < motions_.size(); ++m) {
    Complex force = 0;
    for (std::size_t i = 0; i < pressing_[m].size(); ++i) force += pressing_[m][i] * a[i];
    sum += force * std::conj(velocity(m, frequency, steps));
  }
  return sum;
}

double Drive::square(double frequency, Index steps) const {
  double sum = 0;
  for (std::size_t m = 0; m < motions_.size(); ++m) {
    double area = 0;  // groups do not overlap
    for (std::size_t t = 0; t < areas_.size(); ++t) area += weights_[m][t] * weights_[m][t] * areas_[t];
    sum += area * std::norm(velocity(m, frequency, steps));
  }
  return sum;
}

Complex Drive::far_field(const Surface& surface, double frequency, Index steps, const Vec3& direction) const {
  const double k = 2 * std::numbers::pi * frequency / form_.c, omega = 2 * std::numbers::pi * frequency;
  Complex sum = 0;
  for (std::size_t m = 0; m < motions_.size() && !screen_; ++m) {
    const Complex over =
        over_faces(surface, weights_[m], [&](const Vec3& y) { return std::polar(1.0, -k * dot(direction, y)); });
    // −σ̂, σ = −ρ ∂_t v
    sum += Complex(0, -omega) * density_ * velocity(m, frequency, steps) * over / (4 * std::numbers::pi);
  }
  return sum;
}

}  // namespace conoid::acoustic_bem

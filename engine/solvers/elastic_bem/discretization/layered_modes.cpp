// SPDX-License-Identifier: BSD-3-Clause
// Counts modes, halves, follows them with damping.
#include "engine/solvers/elastic_bem/discretization/layered_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/solvers/elastic_bem/discretization/banded_system.hpp"
#include "engine/solvers/elastic_bem/discretization/layer_waves.hpp"

namespace conoid::elastic_bem {

namespace {

using Square4 = std::array<std::array<Complex, 4>, 4>;

/// Loads on both faces of a layer, downwards and outwards of the medium, over their displacements, over μk of the uppermost medium.
Square4 layer_stiffness(const LayerWaves& waves, Complex thickness) {
  Square2 d0, t0, dh, th;
  waves.down(0, d0, t0);
  waves.down(thickness, dh, th);
  const Square2 du = mirrored(dh, false), tu = mirrored(th, true), d1 = mirrored(d0, false), t1 = mirrored(t0, true);
  // K = T D^-1 is symmetric: Dᵀ K = Tᵀ.
  Square4 d, t;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      d[j][i] = d0[i][j];
      d[2 + j][i] = du[i][j];
      d[j][2 + i] = dh[i][j];
      d[2 + j][2 + i] = d1[i][j];
      t[j][i] = t0[i][j];
      t[2 + j][i] = tu[i][j];
      t[j][2 + i] = -th[i][j];
      t[2 + j][2 + i] = -t1[i][j];
    }
  eliminate<4>(d, t);
  return t;
}

/// Of SH waves: the same of one displacement on each face.
Square2 across_stiffness(const LayerWaves& waves, Complex thickness) {
  const Complex own = waves.stiffness * waves.b, e = std::exp(-waves.b * thickness), by = own / (1.0 - e * e);
  return {Vector2{by * (1.0 + e * e), -2.0 * by * e}, Vector2{-2.0 * by * e, by * (1.0 + e * e)}};
}

int negative(double a) {
  return a < 0 ? 1 : 0;
}
/// Negative eigenvalues of the real part of a symmetric matrix.
int negative(const Square2& m) {
  const double a = m[0][0].real(), b = 0.5 * (m[0][1] + m[1][0]).real(), c = m[1][1].real(), half = 0.5 * (a + c),
               apart = std::hypot(0.5 * (a - c), b);
  return negative(half - apart) + negative(half + apart);
}

/// The ground in thin layers.
class ThinLayers {
 public:
  /// `damping`: the share of the media's own. Layers are cut for wave numbers from `least_k` on.
  ThinLayers(const SoilProfile& profile, double omega, double damping, double least_k) : mu_(profile.top().mu) {
    const auto damped = [&](Medium m) {
      m.beta *= damping;
      return Harmonic(m, omega);
    };
    for (const SoilLayer& l : profile.layers) {
      const Harmonic h = damped(l.medium);
      const double kS = omega / l.medium.shear_speed(), q = std::sqrt(std::max(0.0, kS * kS - least_k * least_k)),
                   parts = std::max(1.0, std::ceil(q * l.thickness / share));
      layers_.push_back({h, l.thickness / parts, static_cast<std::size_t>(parts)});
      interfaces_ += layers_.back().parts;
    }
    if (profile.half_space) {
      below_ = damped(*profile.half_space);
      ++interfaces_;
    }
  }

  /// Modes with a lower frequency at this wave number.
  [[nodiscard]] int count(double k, bool love) const { return love ? count_love(k) : count_rayleigh(k); }

  /// Stiffness of all interfaces but that of rock, from the surface downwards.
  [[nodiscard]] BandedSystem stiffness(Complex k, bool love) const {
    const std::size_t each = love ? 1 : 2;
    BandedSystem out(each * interfaces_, 2 * each - 1);
    std::size_t at = 0;
    const auto put = [&](std::size_t row, std::size_t column, Complex v) {
      if (row < out.size() && column < out.size()) out.at(row, column) += v;
    };
    for (const Layer& l : layers_) {
      const LayerWaves waves(l.harmonic, k, l.harmonic.mu / mu_);
      const Complex thickness = k * l.thickness;
      Square4 whole{};
      Square2 across{};
      if (love)
        across = across_stiffness(waves, thickness);
      else
        whole = layer_stiffness(waves, thickness);
      for (std::size_t n = 0; n < l.parts; ++n, at += each)
        for (std::size_t i = 0; i < 2 * each; ++i)
          for (std::size_t j = 0; j < 2 * each; ++j) put(at + i, at + j, love ? across[i][j] : whole[i][j]);
    }
    if (below_) {
      const LayerWaves waves(*below_, k, below_->mu / mu_);
      const Square2 own = waves.half_space();
      for (std::size_t i = 0; i < each; ++i)
        for (std::size_t j = 0; j < each; ++j) put(at + i, at + j, love ? waves.stiffness * waves.b : own[i][j]);
    }
    return out;
  }

  static constexpr double share =
      0.5 * std::numbers::pi;  ///< of the vertical wave number times the thickness: half of what is allowed

 private:
  struct Layer {
    Harmonic harmonic;
    double thickness;  ///< of one part
    std::size_t parts;
  };

  [[nodiscard]] int count_rayleigh(double k) const {
    std::optional<Square2> below;
    if (below_) below = LayerWaves(*below_, k, below_->mu / mu_).half_space();
    int out = 0;
    for (std::size_t n = layers_.size(); n-- > 0;) {
      const Layer& l = layers_[n];
      const Square4 s = layer_stiffness(LayerWaves(l.harmonic, k, l.harmonic.mu / mu_), k * l.thickness);
      for (std::size_t part = 0; part < l.parts; ++part) {
        Square2 top{Vector2{s[0][0], s[0][1]}, Vector2{s[1][0], s[1][1]}};
        if (below) {
          Square2 pivot = *below;
          for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 2; ++j) pivot[i][j] += s[2 + i][2 + j];
          out += negative(pivot);
          const Square2 beside{Vector2{s[0][2], s[0][3]}, Vector2{s[1][2], s[1][3]}},
              back{Vector2{s[2][0], s[2][1]}, Vector2{s[3][0], s[3][1]}},
              less = product2(beside, product2(inverse2(pivot), back));
          for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 2; ++j) top[i][j] -= less[i][j];
        }
        below = top;
      }
    }
    return out + negative(*below);
  }

  [[nodiscard]] int count_love(double k) const {
    std::optional<double> below;
    if (below_) {
      const LayerWaves waves(*below_, k, below_->mu / mu_);
      below = (waves.stiffness * waves.b).real();
    }
    int out = 0;
    for (std::size_t n = layers_.size(); n-- > 0;) {
      const Layer& l = layers_[n];
      const Square2 s = across_stiffness(LayerWaves(l.harmonic, k, l.harmonic.mu / mu_), k * l.thickness);
      for (std::size_t part = 0; part < l.parts; ++part) {
        double top = s[0][0].real();
        if (below) {
          const double pivot = *below + s[1][1].real();
          out += negative(pivot);
          top -= s[0][1].real() * s[1][0].real() / pivot;
        }
        below = top;
      }
    }
    return out + negative(*below);
  }

  double mu_;
  std::vector<Layer> layers_;
  std::optional<Harmonic> below_;
  std::size_t interfaces_ = 0;
};

/// Undamped: the largest k with more than `mode` modes.
Result<double> undamped_wave_number(const SoilProfile& profile, bool love, int mode, double omega) {
  double slowest = std::numeric_limits<double>::infinity();
  for (const SoilLayer& l : profile.layers) slowest = std::min(slowest, l.medium.shear_speed());
  if (profile.half_space) slowest = std::min(slowest, profile.half_space->shear_speed());
  // On rock, close to a frequency at which a mode begins, it is as long as one likes: a hundred-millionth above it is near enough.
  const double least =
      profile.half_space ? omega / profile.half_space->shear_speed() * (1 + 1e-10) : 1e-4 * omega / slowest;
  const ThinLayers ground(profile, omega, 0, least);
  double high = 1.01 * std::max(least, omega / slowest / 0.9);
  for (int n = 0; n < 40 && ground.count(high, love) > 0; ++n) high *= 1.3;
  constexpr int steps = 256;
  const double ratio = std::pow(least / high, 1.0 / steps);
  double above = high, low = high;
  int most = 0;
  for (int n = 1; n <= steps && most <= mode; ++n) {
    above = low;
    low = n == steps ? least : low * ratio;
    most = std::max(most, ground.count(low, love));
  }
  if (most <= mode) {
    const char* const name = love ? "Love" : "Rayleigh";
    const std::string at = format_quantity(omega / (2 * std::numbers::pi), "Hz");
    if (most > 0)
      return make_error(
          ErrorCode::invalid_input,
          fmt::format("there is no {} wave of mode {} at {}: modes are numbered from 0, and {} of them travel{}", name,
                      mode, at, most, most == 1 ? "s" : ""),
          "Use a lower mode, or higher frequencies.");
    if (!profile.half_space)
      return make_error(
          ErrorCode::invalid_input,
          fmt::format("there is no {} wave at {}: layers on rock carry none below their first frequency", name, at),
          "Use higher frequencies.");
    if (love)
      return make_error(
          ErrorCode::invalid_input,
          fmt::format("there is no Love wave at {}: it needs a layer with slower S waves than the half-space's", at),
          "Use a Rayleigh or an SH wave.");
    return make_error(
        ErrorCode::invalid_input,
        fmt::format("there is no Rayleigh wave at {}: it would be faster than the S waves of the half-space, "
                    "which carry it away",
                    at),
        "Use lower frequencies, or body waves (p, sv, sh).");
  }
  for (int n = 0; n < 200 && above - low > 1e-16 * above; ++n) {
    const double middle = 0.5 * (low + above);
    if (middle <= low || middle >= above) break;
    (ground.count(middle, love) > mode ? low : above) = middle;
  }
  return 0.5 * (low + above);
}

/// Newton's method at one damping, from a wave number and a motion of interfaces close by; false where it does not converge. `branch`: k_S of
/// the half-space, 0 on rock.
bool refine(const ThinLayers& ground, bool love, Complex branch, Complex& k, std::vector<Complex>& u) {
  double before = 1;
  for (int n = 0; n < 40; ++n) {
    const auto largest =
        static_cast<std::size_t>(std::ranges::max_element(u, {}, [](Complex v) { return std::norm(v); }) - u.begin());
    const double step = std::min(1e-6 * std::abs(k), 0.01 * std::abs(k - branch));
    BandedSystem ahead = ground.stiffness(k + step, love), behind = ground.stiffness(k - step, love),
                 here = ground.stiffness(k, love);
    const std::size_t beside = love ? 1 : 3;
    for (std::size_t i = 0; i < here.size(); ++i)
      for (std::size_t j = i > beside ? i - beside : 0; j < std::min(here.size(), i + beside + 1); ++j)
        here.right(i) += (ahead.at(i, j) - behind.at(i, j)) / (2 * step) * u[j];
    u = here.solve(1e-300, true);
    const Complex grown = u[largest];  // from 1
    double size = 0;
    for (const Complex& v : u) size = std::max(size, std::abs(v));
    const Complex by = *std::ranges::find_if(u, [&](Complex v) { return std::abs(v) == size; });
    for (Complex& v : u) v /= by;
    k -= 1.0 / grown;
    // At low frequencies round-off is that of layers much stiffer than the half-space at its wave length.
    const double change = 1 / std::abs(grown * k);
    if (!(change < 0.1)) return false;
    if (change < 1e-13 || (change < 1e-9 && change > 0.5 * before)) return true;
    before = change;
  }
  return false;
}

/// A mode followed from no damping to all of it, in equal steps.
std::optional<Complex> with_damping(const SoilProfile& profile, bool love, double omega, double undamped, int steps) {
  std::vector<Complex> u;
  Complex over = 1, before = 1;  // k over that of the half-space's S waves, whose branch point moves with the damping
  for (int n = 0; n <= steps; ++n) {
    const double share = static_cast<double>(n) / steps;
    const ThinLayers ground(profile, omega, share, undamped);
    Complex branch = 0;
    if (profile.half_space) {
      Medium m = *profile.half_space;
      m.beta *= share;
      branch = Harmonic(m, omega).kS;
    }
    const Complex by = profile.half_space ? branch : Complex(undamped);
    if (n == 0) {  // its motion, by inverse iteration
      BandedSystem system = ground.stiffness(undamped, love);
      for (std::size_t i = 0; i < system.size(); ++i) system.right(i) = 1 + 0.3 * static_cast<double>(i % 3);
      u = system.solve(1e-300, true);
      const Complex size = *std::ranges::max_element(u, {}, [](Complex v) { return std::norm(v); });
      for (Complex& v : u) v /= size;
      over = before = undamped / by;
      continue;
    }
    const Complex start = n == 1 ? over : 2.0 * over - before;
    Complex k = start * by;
    if (!refine(ground, love, branch, k, u)) return std::nullopt;
    // Farther from where it was looked for than from the half-space's S waves: another mode.
    if (profile.half_space && std::abs(k / by - start) > 0.5 * std::max(1e-3, std::abs(start - 1.0)))
      return std::nullopt;
    before = over;
    over = k / by;
    if (n == steps) return k;
  }
  return undamped;
}

}  // namespace

Result<Complex> surface_wave_number(const SoilProfile& profile, WaveKind kind, int mode, double omega) {
  const bool love = kind == WaveKind::love;
  if (profile.layers.empty()) {
    const Medium& m = *profile.half_space;
    return Harmonic(m, omega).kS * m.shear_speed() / m.rayleigh_speed();
  }
  const auto undamped = undamped_wave_number(profile, love, mode, omega);
  if (!undamped) return undamped.error();
  double damping = profile.half_space ? profile.half_space->beta : 0;
  for (const SoilLayer& l : profile.layers) damping = std::max(damping, l.medium.beta);
  if (!(damping > 0)) return Complex(*undamped);
  for (const int finer : {1, 4, 16})
    if (const auto found =
            with_damping(profile, love, omega, *undamped, finer * (1 + static_cast<int>(std::ceil(damping / 0.01)))))
      return *found;
  return make_error(
      ErrorCode::not_converged,
      fmt::format("the {} wave of mode {} at {} could not be followed to a damping of {:g}", love ? "Love" : "Rayleigh",
                  mode, format_quantity(omega / (2 * std::numbers::pi), "Hz"), damping),
      "Give the media less damping, or another frequency.");
}

}  // namespace conoid::elastic_bem

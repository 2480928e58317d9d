// SPDX-License-Identifier: BSD-3-Clause
// What the surface of horizontally layered ground does under a load that is a wave along it: one wave number, exact.
//
// Depth z downwards, wave number k, loads p = (p_r J_1(kr), p_z J_0(kr)) in the plane of the wave and p_t across it. Displacements
// (q J_1, w J_0) of P and SV waves that go down, with α² = k² − k_P², β² = k² − k_S², a = α/k, b = β/k, s = k_S²/k²:
//   P: (1, a) e^{−αz}, S: (b, 1) e^{−βz}, loads on the plane z: μk (2a, 2 − s) e^{−αz} and μk (2 − s, 2b) e^{−βz};
// waves that go up are their mirror images. For s → 0 the two become one: instead of P the difference (P − S)/s is used, which the static
// solution z e^{−kz} is the limit of, so that nothing is lost at large k or at rest. Layers are put on each other from below as stiffness
// matrices (E. Kausel, J. M. Roësset, Bull. Seismol. Soc. Am. 71 (1981) 1743), each from waves with the amplitude 1 on the side that they
// come from, so that no exponential grows (J. E. Luco, R. J. Apsel, ibid. 73 (1983) 909).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/solvers/elastic_bem/kernels/medium.hpp"

namespace conoid::elastic_bem {

/// Layers from the surface downwards.
struct SoilLayer {
  Medium medium;
  double thickness = 1;  ///< m
};

/// Horizontal layers over a half-space, or over rigid rock where there is none.
struct SoilProfile {
  std::vector<SoilLayer> layers;
  std::optional<Medium> half_space;
  [[nodiscard]] const Medium& top() const { return layers.empty() ? *half_space : layers.front().medium; }
};

/// Displacements under unit loads times μk of the uppermost medium: w under p_z; q under p_z, which is w under p_r; q under p_r; across.
struct SurfaceCompliance {
  Complex zz, rz, rr, tt;
};

class LayeredCompliance {
 public:
  LayeredCompliance(const SoilProfile& profile, double omega);
  /// At Re k > 0, Im k ≥ 0 (outgoing waves have their poles on the real axis or below it).
  [[nodiscard]] SurfaceCompliance at(Complex k) const;
  /// c_0, c_1, c_2 of the uppermost medium as a half-space: c_0 + c_1 s + c_2 s² + O(s³), which layers below alter by e^{−2kh}.
  [[nodiscard]] const std::array<SurfaceCompliance, 3>& limits() const { return limits_; }
  [[nodiscard]] const Harmonic& top() const { return layers_.empty() ? *below_ : layers_.front().harmonic; }
  [[nodiscard]] double highest_wave_number() const { return highest_; }  ///< |k_S| of the slowest medium
  [[nodiscard]] double top_thickness() const;                            ///< infinite without layers
  [[nodiscard]] double depth() const { return depth_; }                  ///< of all layers

 private:
  struct Layer {
    Harmonic harmonic;
    double thickness;
  };
  std::vector<Layer> layers_;
  std::optional<Harmonic> below_;
  double highest_ = 0, depth_ = 0;
  std::array<SurfaceCompliance, 3> limits_{};
};

/// How far over the real axis a path of integration may run from (h/2, h) on, 0.4 |k_S| of the slowest medium at most. Modes of layers that do not
/// travel come with wave numbers off the axis on both its sides (those whose energy runs backwards, too, with damping), and a path above one
/// of them would leave its motion out: integrals at ever smaller heights tell, down to 0.006 |k_S|.
[[nodiscard]] double path_height(const LayeredCompliance& compliance, int threads);

/// Displacements at one depth under unit loads at another times μk of the uppermost medium: w under p_z; q under p_z; w under p_r; q
/// under p_r; across.
struct DepthCompliance {
  Complex zz, rz, zr, rr, tt;
};

/// Loads and displacements within the ground. At the loads' depth the stiffness of what lies above, from the free surface downwards, is added to
/// that of what lies below; from there to the other depth displacements are carried on layer by layer, each by what is behind it, so that they
/// only fall off.
class BuriedCompliance {
 public:
  /// Depths from 0, above the rock where there is one.
  BuriedCompliance(const SoilProfile& profile, double omega, double depth, double load_depth);
  /// At Re k > 0, Im k ≥ 0, and anywhere at Re k far above all poles. `tractions`, if any: those on the level plane at the depth, of the
  /// normal down, in the places of displacements and under the unit loads themselves; at the loads' depth those above it.
  [[nodiscard]] DepthCompliance at(Complex k, DepthCompliance* tractions = nullptr) const;
  /// The medium at the depth; on an interface the upper one.
  [[nodiscard]] const Harmonic& here() const { return here_ > 0 ? layers_[here_ - 1].harmonic : top_; }
  [[nodiscard]] const Harmonic& top() const { return top_; }
  [[nodiscard]] double highest_wave_number() const { return highest_; }  ///< |k_S| of the slowest medium
  [[nodiscard]] double thinnest() const { return thinnest_; }            ///< layer; infinite without layers
  [[nodiscard]] double deepest() const { return deepest_; }              ///< of layers and the two depths
  [[nodiscard]] double apart() const { return apart_; }                  ///< the two depths

 private:
  struct Layer {
    Harmonic harmonic;
    double thickness;
  };
  Harmonic top_;
  std::vector<Layer> layers_;  ///< cut at both depths
  std::optional<Harmonic> below_;
  std::size_t load_ = 0, here_ = 0;  ///< layers above
  double highest_ = 0, thinnest_ = 0, deepest_ = 0, apart_ = 0;
};

}  // namespace conoid::elastic_bem

// SPDX-License-Identifier: BSD-3-Clause
// What faces do to sound, group by group, and the plane that reflects it.
//
// Normals point into the fluid, pressure p, normal velocity v, σ = ∂_n p. A wall of specific impedance ζ (locally reacting,
// p = −ζ ρ c v) has σ = ∂_t p / (ζ c), or where 1/ζ is a rational function of frequency σ = ∂_t(β * p)/c (admittance.hpp); a soft one
// p = 0; one that moves σ = −ρ ∂_t v. A body filled with another fluid has p and σ/ρ in common with it (filled_tiles.hpp).
// (T. Ha-Duong, B. Ludwig, I. Terrasse, IJNME 57 (2003) 1845; A. D. Pierce, Acoustics, 1989, ch. 3.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/discretization/admittance.hpp"

namespace conoid::acoustic_bem {

enum class WallKind : std::uint8_t { rigid, soft, impedance, velocity };

/// A condition on the faces of one group of the mesh; faces in none are rigid.
struct Wall {
  std::string group;
  WallKind kind = WallKind::rigid;
  double impedance = 1;                            ///< ζ, over ρc
  Vec3 direction{};                                ///< of a velocity, unit; zero: along the normal
  std::optional<RationalAdmittance> admittance{};  ///< instead of 1/ζ, where it depends on frequency
};

/// A plane normal to an axis that reflects all sound, the fluid above it. Bodies, sources and fields have images below.
struct Ground {
  int axis = 2;
  double height = 0;  ///< coordinate along the axis, m
  bool rigid = true;  ///< else soft
  double into = 1;    ///< −1: the fluid lies on the side of smaller coordinates, as below the surface of the sea

  [[nodiscard]] Vec3 mirrored(Vec3 x) const {
    x[static_cast<std::size_t>(axis)] = 2 * height - x[static_cast<std::size_t>(axis)];
    return x;
  }
  /// Of a direction.
  [[nodiscard]] Vec3 turned(Vec3 d) const {
    d[static_cast<std::size_t>(axis)] = -d[static_cast<std::size_t>(axis)];
    return d;
  }
  /// How far a place lies in the fluid; below 0 of one behind the plane.
  [[nodiscard]] double above(const Vec3& x) const { return into * (x[static_cast<std::size_t>(axis)] - height); }
  /// Of a direction, into the fluid.
  [[nodiscard]] double out_of(const Vec3& d) const { return into * d[static_cast<std::size_t>(axis)]; }
  /// Factor on images of pressures.
  [[nodiscard]] double sign() const { return rigid ? 1 : -1; }
};

/// Another fluid inside closed bodies: p and (1/ρ) ∂_n p go through the surface.
struct Filling {
  double c = 343;      ///< its speed of sound, m/s
  double density = 1;  ///< over that of the fluid around
};

/// All that is said of a mesh's surface beside its shape.
struct Conditions {
  std::vector<Wall> walls;
  std::optional<Ground> ground;
  bool inside = false;               ///< the fluid is inside the largest closed piece instead of around all pieces
  std::optional<Filling> filling{};  ///< of all closed pieces, instead of walls
};

}  // namespace conoid::acoustic_bem

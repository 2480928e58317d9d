// SPDX-License-Identifier: BSD-3-Clause
// What is to be computed, freed from the case file: grid, medium, faces, sources, receivers, steps. SI units.
//
// The equation is (1/c²) p_tt − ρ ∇·(1/ρ ∇p) = Σ s_n(t) δ(x − x_n): in a homogeneous medium p = s(t − r/c) / (4π r).
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/signal.hpp"
#include "engine/solvers/acoustic_fd/stencil.hpp"
#include "engine/solvers/acoustic_fd/velocity.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace conoid::acoustic_fd {

/// Node (i, j, k) lies at origin + (i h_x, j h_y, k h_z); faces lie on the outermost nodes.
struct Grid {
  std::array<Index, 3> points{2, 2, 2};
  Vec3 origin{};
  Vec3 spacing{1, 1, 1};
  [[nodiscard]] Index cells() const { return points[0] * points[1] * points[2]; }
  [[nodiscard]] double upper(std::size_t axis) const {
    return origin[axis] + static_cast<double>(points[axis] - 1) * spacing[axis];
  }
  [[nodiscard]] double at(std::size_t axis, Index i) const {
    return origin[axis] + static_cast<double>(i) * spacing[axis];
  }
};

enum class FaceKind { sponge, matched, free_surface, rigid };

/// One face of the box. Order of faces everywhere: x_min, x_max, y_min, y_max, z_min, z_max.
struct Face {
  FaceKind kind = FaceKind::sponge;
  Index width = 20;         ///< nodes of the sponge or the matched layer
  double attenuation = 30;  ///< sponge: dB that a plane wave at normal incidence loses on its way in and out again
  double echo = 0;          ///< matched layer: echo of a perfect one at normal incidence, 0 = by its width
  double shift = 0;         ///< matched layer: its frequency shift in Hz, 0 = by its width
  /// Sign of the image behind the face: −1 free surface (p = 0), +1 rigid (∂p/∂n = 0), 0 absorbing (zeros beyond).
  [[nodiscard]] int image_sign() const { return absorbs() ? 0 : kind == FaceKind::rigid ? 1 : -1; }
  [[nodiscard]] bool absorbs() const { return kind == FaceKind::sponge || kind == FaceKind::matched; }
};
inline constexpr std::array<const char*, 6> face_names{"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

struct Source {
  Vec3 position{};
  std::shared_ptr<const Signal> signal;  ///< s(t) in Pa m
  Index shot = 1;                        ///< sources of one shot fire together, shots one after the other
};

struct Receiver {
  std::string name;
  Vec3 position{};
};

enum class Spread { trilinear, sinc };

/// p(x, 0) and how it moves.
struct Initial {
  enum class Kind { none, pulse, plane };
  Kind kind = Kind::none;
  double amplitude = 1;
  double width = 1;  ///< standard deviation of the Gaussian
  Vec3 centre{};
  int axis = 0;       ///< plane: axis it travels along
  int direction = 1;  ///< plane: +1, −1, or 0 for a pulse that splits into both
};

struct Problem {
  Grid grid;
  std::shared_ptr<const Velocity> velocity;
  SpeedRange speed;  ///< of the medium inside the grid
  /// ρ in kg/m³ in the same form as the speed; null: constant everywhere.
  std::shared_ptr<const Velocity> density;
  double reference_density = 1;  ///< ρ_0, see medium.hpp
  std::array<Face, 6> faces;
  std::vector<Source> sources;
  std::vector<Receiver> receivers;
  Initial initial;
  Spread spread = Spread::sinc;
  int order = 8;
  double dt = 0;
  Index steps = 0;
  Index trace_every = 1;        ///< steps between rows of the receivers' table
  Index energy_every = 50;      ///< steps between rows of the energy table; 0 = none
  bool energy_asked = true;     ///< the case says how many; else a run that streams its planes may take more
  bool exact = false;           ///< overlay of exact traces
  bool time_correction = true;  ///< signals and traces are filtered by the dispersion of the step (trace_filter.hpp)
  bool double_precision = false;
  std::string kernel = "auto";
  Bytes memory = 0;  ///< budget of the host; 0 = what there is. Beyond it planes are streamed from the disk
  Bytes device_memory =
      0;  ///< of each device, less than its worker may take; 0 = that. Beyond it planes are streamed from the host
  std::string scratch;          ///< folder for them; empty: the system's
  std::string tiling = "auto";  ///< see tile_shape.hpp
};

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// What is to be computed, freed from the case file: grid, medium, faces, sources, receivers, steps. SI units.
//
// The equation is (1/c²) p_tt − ρ ∇·(1/ρ ∇p) = Σ s_n(t) δ(x − x_n): in a homogeneous medium p = s(t − r/c) / (4π r).
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/models/velocity.hpp"
#include "engine/solvers/acoustic_fd/discretization/attenuation.hpp"
#include "engine/solvers/acoustic_fd/discretization/signal.hpp"
#include "engine/solvers/acoustic_fd/discretization/stencil.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace conoid::acoustic_fd {

class Obstacles;

/// Node (i, j, k) lies at origin + (i h_x, j h_y, k h_z); faces lie on the outermost nodes. One node along y makes the grid
/// two-dimensional: nothing varies along y, h_y is 1 m, and sources are lines whose strength is meant a metre.
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
  [[nodiscard]] bool flat() const { return points[1] == 1; }
  /// As the stencil has them: infinite along an axis of one node, where no difference is taken.
  [[nodiscard]] Vec3 stencil_spacing() const {
    return {spacing[0], flat() ? std::numeric_limits<double>::infinity() : spacing[1], spacing[2]};
  }
  [[nodiscard]] double finest() const {
    const Vec3 h = stencil_spacing();
    return std::min({h[0], h[1], h[2]});
  }
  [[nodiscard]] double coarsest() const { return std::max({spacing[0], flat() ? 0 : spacing[1], spacing[2]}); }
};

enum class FaceKind { sponge, matched, free_surface, rigid, impedance };

/// One face of the box. Order of faces everywhere: x_min, x_max, y_min, y_max, z_min, z_max.
struct Face {
  FaceKind kind = FaceKind::sponge;
  Index width = 20;         ///< nodes of the sponge or the matched layer
  double attenuation = 30;  ///< sponge: dB that a plane wave at normal incidence loses on its way in and out again
  double echo = 0;          ///< matched layer: echo of a perfect one at normal incidence, 0 = by its width
  double shift = 0;         ///< matched layer: its frequency shift in Hz, 0 = by its width
  /// Impedance: ζ = Z/(ρ c) of a locally reacting wall, ∂p/∂n = −(1/(ζ c)) ∂p/∂t with the outward normal n.
  double zeta = 1;
  double speed = 0;  ///< impedance: c at the wall; 0 = the highest of the grid
  /// Sign of the image behind the face: −1 free surface (p = 0), +1 rigid (∂p/∂n = 0) and impedance, 0 absorbing (zeros beyond).
  [[nodiscard]] int image_sign() const { return absorbs() ? 0 : kind == FaceKind::free_surface ? -1 : 1; }
  [[nodiscard]] bool absorbs() const { return kind == FaceKind::sponge || kind == FaceKind::matched; }
};
inline constexpr std::array<const char*, 6> face_names{"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

/// ρ at a point over its mean on the way from there to 1 … 6 nodes below and above it, along each axis; by which differences of pressure, over up to four,
/// count in a slope, so that a slope over ρ is the same on either side of a jump of density. 1: ρ does not vary.
struct DensityAlong {
  static constexpr std::size_t nodes = 6;
  std::array<std::array<std::array<double, nodes>, 2>, 3> ratio;  ///< axis, below or above, nodes − 1
  DensityAlong() {
    for (auto& axis : ratio)
      for (auto& side : axis) side.fill(1);
  }
};

/// A part of a source that is spread over a surface.
struct SourcePart {
  Vec3 position{};
  double share = 1;    ///< all add up to one
  double density = 0;  ///< as of the source
};

struct Source {
  Vec3 position{};
  std::shared_ptr<const Signal> signal;  ///< s(t) in Pa m, of a dipole Pa m²
  Index shot = 1;                        ///< sources of one shot fire together, shots one after the other
  /// Dipole: the unit vector d of −d·∇δ, p = −d·∇ s(t − r/c) / (4π r); zero: a monopole.
  Vec3 dipole{};
  std::vector<SourcePart> parts = {};  ///< where it is spread over a disc or a bowl; empty: a point
  /// ρ at its position, where the density varies (tell_density). What is injected is s(t)/ρ there, also where nodes that it is spread
  /// over lie behind a jump. 0: that of each node.
  double density = 0;
  DensityAlong along = {};  ///< of a dipole
  /// It sends what a receiver there has heard, as the transpose of recording: where the density varies, times √(ρ/ρ_0) instead of over it
  /// (medium.hpp).
  bool transposed = false;
  static constexpr std::size_t not_listed = ~std::size_t{0};
  /// Where the case lists it, counted from 0; elements of an array share a place, those of traces have none.
  std::size_t listed = 0;
  Vec3 centre{};  ///< of the array of which it is an element; otherwise its position
  [[nodiscard]] bool is_point() const { return parts.empty(); }
  [[nodiscard]] bool is_dipole() const { return dipole != Vec3{}; }
};

struct Receiver {
  std::string name;
  Vec3 position{};
  /// A unit vector d: d·∇p is recorded instead of p; its integral over time is −ρ times the velocity along d.
  Vec3 slope{};
  double density = 1000;    ///< ρ there, where slope is set
  DensityAlong along = {};  ///< the same
  [[nodiscard]] bool is_slope() const { return slope != Vec3{}; }
};

enum class Spread { trilinear, sinc };

/// p(x, 0) and how it moves.
struct Initial {
  enum class Kind { none, pulse, plane, file };
  Kind kind = Kind::none;
  double amplitude = 1;
  double width = 1;  ///< standard deviation of the Gaussian
  Vec3 centre{};
  int axis = 0;                                       ///< plane: axis it travels along
  int direction = 1;                                  ///< plane: +1, −1, or 0 for a pulse that splits into both
  std::shared_ptr<const Velocity> samples = nullptr;  ///< file: p(x, 0) / amplitude, at rest
  double stiffening = 0;  ///< of a plane wave with attenuation: c_U over its own speed; 0: as of the problem
  [[nodiscard]] bool at_rest() const { return kind == Kind::pulse || kind == Kind::file; }
  /// p(x, −t) = p(x, t); a plane wave that splits into both directions as well.
  [[nodiscard]] bool starts_at_rest() const { return at_rest() || (kind == Kind::plane && direction == 0); }
};

struct Problem {
  Grid grid;
  std::shared_ptr<const Velocity> velocity;
  SpeedRange speed;  ///< of the medium inside the grid
  /// ρ in kg/m³ in the same form as the speed; null: constant everywhere.
  std::shared_ptr<const Velocity> density;
  double reference_density = 1;  ///< ρ_0, see medium.hpp
  std::array<Face, 6> faces;
  /// Of the medium, the same everywhere; velocity and speed are then those of high frequency, c_U. Empty: no attenuation.
  std::vector<Relaxation> relaxations;
  double stiffening = 1;                       ///< c_U over the case's c
  std::shared_ptr<const Obstacles> obstacles;  ///< cells that are no fluid (walls.hpp); null: none
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
  bool peak_map = false, rms_map = false;  ///< largest |p| and root of the mean of p² of every node are kept
  bool double_precision = false;
  std::string kernel = "auto";
  Bytes memory = 0;  ///< budget of the host; 0 = what there is. Beyond it planes are streamed from the disk
  Bytes device_memory =
      0;  ///< of each device, less than its worker may take; 0 = that. Beyond it planes are streamed from the host
  /// Shares of the rows of several devices; empty: by the bandwidth of their memories, which bounds all that they do.
  std::vector<double> device_shares;
  std::string scratch;          ///< folder for them; empty: the system's
  std::string tiling = "auto";  ///< see tiling.hpp

  /// The medium takes an array: it varies, or obstacles do.
  [[nodiscard]] bool medium_varies() const { return !velocity || !velocity->constant() || obstacles; }
  /// Updates have corrections of their own beside walls (walls.hpp), which tiles of several steps on devices do not know.
  [[nodiscard]] bool has_walls() const {
    return obstacles ||
           std::any_of(faces.begin(), faces.end(), [](const Face& f) { return f.kind == FaceKind::impedance; });
  }
  /// Of a run that begins at its start: all levels before update k are zero, and so is what updates keep beside them. A field that was loaded is what it is.
  [[nodiscard]] bool silent_at(Index k) const { return k == 0 && initial.kind == Initial::Kind::none; }
  /// Arrays of every node that updates keep beside the levels: maps and memories of the attenuation.
  [[nodiscard]] Index kept_arrays() const { return maps() + static_cast<Index>(relaxations.size()); }
  [[nodiscard]] Index maps() const { return (peak_map ? 1 : 0) + (rms_map ? 1 : 0); }
  /// What nodes on a face count of a sum over the volume; see Energy.
  [[nodiscard]] double face_share(std::size_t face) const {
    return faces[face].image_sign() != 0 && grid.points[face / 2] > 1 ? 0.5 : 1.0;
  }
};

}  // namespace conoid::acoustic_fd

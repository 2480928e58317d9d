// SPDX-License-Identifier: BSD-3-Clause
// The kernels over zones, compiled for several instruction sets and chosen at run time.
//
// Zones are worked on in batches of W lanes: lane l of every vector belongs to the l-th zone of the batch, so that sums
// over quadrature points, eigenproblems and small matrices of W zones advance together. All zones of a batch have one
// material. Arrays "per batch" are laid out [batch][…][W].
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/hydro_fem/discretization/basis.hpp"
#include "engine/solvers/hydro_fem/discretization/eos.hpp"

namespace conoid::hydro_fem {

/// The tensor tables of a zone written out, for the kernels that form matrices: [node][axis][point] derivatives,
/// [node][point] values of the velocity basis, [energy][point] values of the energy basis (the paper's B).
struct CornerTables {
  CornerTables(const Tables& tables, int dim);
  std::vector<double> grad, value, energy;
};

/// Where viscosity vanishes in smooth flow: ramps of what is measured, from which on there is some and from which on all of it. A zone's
/// roughness is the share that the highest modes along its axes have in the squares of its velocity's modes: of sound of length λ it
/// falls as (h/λ)^(2k-2) with smaller zones. But a shock that lies in the middle of a zone is a straight line there: so a point that is
/// compressed by more than a part of the speed of sound over the length h takes all of it, too.
struct Smoothness {
  double rough_from = 0, rough_to = 0;  ///< rough_to 0: all of the viscosity everywhere
  double steep_from = 0, steep_to = 0;  ///< of -μ h / c
  [[nodiscard]] bool vanishes() const { return rough_to > 0; }
  /// The ramps of an order, found by measurement (README.md). At order 1 the only mode is the highest: viscosity stays.
  [[nodiscard]] static Smoothness of_order(int k);
};

/// Everything the kernels read and write; plain pointers into HydroOperator's arrays.
struct ZoneData {
  const Tables* tables = nullptr;
  int dim = 2;
  int turns = 0;  ///< Setup::turns; the last coordinate is the radius r, dim < 3
  Index nodes = 0;
  int zone_nodes = 0;                ///< (k+1)^dim
  int zone_energies = 0;             ///< k^dim
  int zone_points = 0;               ///< (2k)^dim
  const int* batch_map = nullptr;    ///< [batch][node of the zone][W] → node
  const Index* lane_zone = nullptr;  ///< batch × W: zone of each lane (the last one repeated in unused lanes)
  const EquationOfState* const* material = nullptr;  ///< one a batch
  const double* mass = nullptr;     ///< [batch][point][W]: w ρ0 |J0| (times r0^turns), constant in time
  const double* J0inv = nullptr;    ///< [batch][point][dim²][W]
  const double* Meinv = nullptr;    ///< [batch][e][e][W]: inverse energy mass blocks
  const double* uniform = nullptr;  ///< [batch][W]: ρ0 |J0| of zones where it is constant (all of a batch), else 0
  /// [batch][node][W]: √ of the diagonal of a zone's velocity mass over that of the product of one-dimensional ones, of batches that are
  /// not uniform; null if all are.
  const double* heft = nullptr;
  double* S = nullptr;                   ///< [batch][point][dim²][W]: w |J| σ J^-T (times r^turns), rows = component
  double* hoop = nullptr;                ///< [batch][point][W]: turns w |J| σ_θθ r^(turns-1), with turns only
  double* node_terms = nullptr;          ///< [batch][component][node][W]: contributions to nodes, summed by the caller
  const CornerTables* corner = nullptr;  ///< only for the paper's form, as F
  double* F = nullptr;                   ///< [batch][component·node][e][W]: F_z
  double* point_terms = nullptr;         ///< optional [batch][point][5][W]: ρ, p, c, ν, |J| for output; may be null
  Index* outside =
      nullptr;  ///< optional [batch]: points of the last update whose state the table of their material does not hold
  const double* burn = nullptr;  ///< [batch][point][2][W]: arrival and rate of Burn; null where nothing burns
  double time = 0;               ///< of the update, for those
  bool viscosity = true;
  bool vorticity_switch = false;
  Smoothness smooth;
  const double* widths = nullptr;  ///< [batch][point][dim²][W]: B of reference::widths; null if all are cubes
  const char* cubes = nullptr;  ///< [batch]: whether all its zones are cubes at the start: B = √h I, however turned
};

/// In units of c/h: below it a rate of strain counts as rest, where the linear viscosity stays on whatever the sign of noise.
constexpr double switch_width = 1e-12;

/// The corner force in the paper's form (Dong et al., §3.1.1); S must hold the stress (ZoneKernels::update, the first half of
/// their kernel 1). Their kernel 4 is the velocity solve.
struct CornerKernels {
  /// Kernel 1: A_z of one batch, [component·node][point][W].
  void (*matrix)(const ZoneData&, Index batch, double* A) = nullptr;
  /// Kernels 1 and 2: F_z = A_z B^T into ZoneData::F, A_z row by row.
  void (*force)(const ZoneData&, Interval batches) = nullptr;
  /// Kernel 3: node_terms = F·1.
  void (*times_one)(const ZoneData&, Interval batches) = nullptr;
  /// Kernel 5: power = F^T v, [batch][e][W].
  void (*transposed_times)(const ZoneData&, const double* v, double* power, Interval batches) = nullptr;
  /// Kernel 6: de = M_e^-1 power (zone × zone_energies).
  void (*energy_inverse)(const ZoneData&, const double* power, double* de, Interval batches) = nullptr;
};
[[nodiscard]] const CornerKernels& corner_kernels_base();
[[nodiscard]] const CornerKernels& corner_kernels_avx2();
[[nodiscard]] const CornerKernels& corner_kernels_avx512();

/// Rate of the state: per batch, the smallest stable step 1/(c/h + 2.5 ν/(ρ h²)) over its points (Courant factor 1);
/// 0 where |J| <= 0.
struct ZoneKernels {
  int lanes = 1;
  const char* name = "";
  /// Stress at the quadrature points of batches [b0,b1) from x, v (dim × nodes), e (zone × zone_energies).
  void (*update)(const ZoneData&, const double* x, const double* v, const double* e, double* dt,
                 Interval batches) = nullptr;
  /// node_terms = F·1 from S.
  void (*force)(const ZoneData&, Interval batches) = nullptr;
  /// de = Me^-1 F^T v (zone × zone_energies) from S.
  void (*force_transposed)(const ZoneData&, const double* v, double* de, Interval batches) = nullptr;
  /// node_terms = zone parts of Mv p for `components` fields of p (components × nodes). Returns p·(Mv p) over these zones.
  double (*mass)(const ZoneData&, const double* p, int components, Interval batches) = nullptr;
  /// node_terms = h C h y of zones, h their heft, C the product of Tables::C over the axes, for `components` fields. Returns y·that over
  /// these zones. With D the inverse of M_v's diagonal, D times what meets at nodes of y = D r is the preconditioner of M_v: a sum of
  /// the zones' scaled inverses (README.md).
  double (*inverse)(const ZoneData&, const double* y, int components, Interval batches) = nullptr;
  CornerKernels corner{};
};

[[nodiscard]] const ZoneKernels& zone_kernels_base();
[[nodiscard]] const ZoneKernels& zone_kernels_avx2();
[[nodiscard]] const ZoneKernels& zone_kernels_avx512();
/// The widest this machine runs.
[[nodiscard]] const ZoneKernels& best_kernels();

}  // namespace conoid::hydro_fem

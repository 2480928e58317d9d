// SPDX-License-Identifier: BSD-3-Clause
// The table of the zone kernels for W lanes: orders compiled where it pays, the rest at run time.
// isas: base avx2 avx512
#include "engine/solvers/hydro_fem/kernels/zone_forces.hpp"

namespace conoid::hydro_fem {
namespace {

/// Calls `body(Zone)` for the dimension and, where it pays, for the order at compile time.
template <int W, class Body>
void with_zone(const ZoneData& z, const Body& body) {
  using V = typename simd::Lanes<double, 8 * W>::v;
  const int k = z.tables->k;
  if (z.dim == 1) return body(Zone<V, 1, 0>(z));
  if (z.dim == 2) {
    if (k == 2) return body(Zone<V, 2, 2>(z));
    if (k == 3) return body(Zone<V, 2, 3>(z));
    if (k == 4) return body(Zone<V, 2, 4>(z));
    return body(Zone<V, 2, 0>(z));
  }
  if (k == 1) return body(Zone<V, 3, 1>(z));
  if (k == 2) return body(Zone<V, 3, 2>(z));
  if (k == 3) return body(Zone<V, 3, 3>(z));
  return body(Zone<V, 3, 0>(z));
}

template <int W>
ZoneKernels make_kernels(const char* name, const CornerKernels& corner) {
  ZoneKernels k;
  k.corner = corner;
  k.lanes = W;
  k.name = name;
  k.update = [](const ZoneData& z, const double* x, const double* v, const double* e, double* dt, Interval batches) {
    with_zone<W>(z, [&](const auto& zone) { zone.update(x, v, e, dt, batches); });
  };
  k.force = [](const ZoneData& z, Interval batches) {
    with_zone<W>(z, [&](const auto& zone) { zone.force(batches); });
  };
  k.force_transposed = [](const ZoneData& z, const double* v, double* de, Interval batches) {
    with_zone<W>(z, [&](const auto& zone) { zone.force_transposed(v, de, batches); });
  };
  k.mass = [](const ZoneData& z, const double* p, int components, Interval batches) {
    double product = 0;
    with_zone<W>(z, [&](const auto& zone) { product = zone.mass(p, components, batches); });
    return product;
  };
  k.inverse = [](const ZoneData& z, const double* y, int components, Interval batches) {
    double product = 0;
    with_zone<W>(z, [&](const auto& zone) { product = zone.inverse(y, components, batches); });
    return product;
  };
  return k;
}

}  // namespace

const ZoneKernels& CONOID_ISA_NAME(zone_kernels)() {
  static const ZoneKernels kernels = make_kernels<CONOID_BYTES / 8>(CONOID_ISA_TEXT, CONOID_ISA_NAME(corner_kernels)());
  return kernels;
}

}  // namespace conoid::hydro_fem

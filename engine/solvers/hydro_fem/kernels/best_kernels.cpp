// SPDX-License-Identifier: BSD-3-Clause
// Choice of the instruction set at run time; the tables written out.
#include "engine/simd/instruction_set.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"
#include "engine/solvers/hydro_fem/kernels/zone_kernels.hpp"

#include <cmath>

namespace conoid::hydro_fem {

Smoothness Smoothness::of_order(int k) {
  return {std::pow(10.0, -k), std::pow(10.0, 1 - k), 0.01, 0.03};
}

CornerTables::CornerTables(const Tables& tables, int dim) {
  const reference::ZoneTables t(tables, dim);
  for (int i = 0; i < t.nodes; ++i) {
    for (int m = 0; m < dim; ++m)
      for (int q = 0; q < t.points; ++q) grad.push_back(t.grad[static_cast<std::size_t>(m)](q, i));
    for (int q = 0; q < t.points; ++q) value.push_back(t.w(q, i));
  }
  for (int j = 0; j < t.energies; ++j)
    for (int q = 0; q < t.points; ++q) energy.push_back(t.phi(q, j));
}

const ZoneKernels& best_kernels() {
  return body_for(instruction_set(), zone_kernels_base, zone_kernels_avx2, zone_kernels_avx512)();
}

}  // namespace conoid::hydro_fem

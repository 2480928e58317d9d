// SPDX-License-Identifier: BSD-3-Clause
// What updates of a row keep beside the levels: memories of the attenuation (attenuation.hpp), largest |p| and sum of p².
//
// Association order, binding for every body of the kernels and for those of devices (cuda/beside.cu), so that all agree bit for bit:
//   relax      r = 1/(1 + (σ_xy + σ_z)),  o = fma(P r, u − m, o)     solid after solid, after the stencil, layers and walls
//   remember   m = fma((1 − E)/2, o + u, E m)                        after the sources
//   squares    s = fma(o, o, s)
#pragma once

#include "engine/core/types.hpp"

#include <string_view>

namespace conoid::acoustic_fd {

/// Cells z0 ≤ z < z1 of a row and one standard linear solid; pointers are at z = 0.
template <class T>
struct RelaxRow {
  const T* u = nullptr;  ///< level k
  T* o = nullptr;        ///< level k+1; remember() reads it
  T* m = nullptr;        ///< m_l; relax() reads it
  const T* sigma_z = nullptr;
  T sigma_xy = 0;
  T pull = 0, keep = 0, add = 0;  ///< P, E, (1 − E)/2
  Index z0 = 0, z1 = 0;
};

template <class T>
struct BesideKernels {
  void (*relax)(const RelaxRow<T>&);
  void (*remember)(const RelaxRow<T>&);
  void (*peak)(const T* o, T* peak, Index z0, Index z1);
  void (*squares)(const T* o, T* squares, Index z0, Index z1);
};

/// `kernel`: the name of the patch kernels in use ("avx512"); others than those of an instruction set get the ones for any machine.
template <class T>
[[nodiscard]] const BesideKernels<T>& beside_kernels(std::string_view kernel);

}  // namespace conoid::acoustic_fd

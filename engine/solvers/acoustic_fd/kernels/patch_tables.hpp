// SPDX-License-Identifier: BSD-3-Clause
// The tables of kernels of each translation unit. Each instruction set and order compiles the same templates inside an
// unnamed namespace of its own file, so that no wide instruction leaks into code that any machine may run.
#pragma once

#include "engine/solvers/acoustic_fd/kernels/patch.hpp"

namespace conoid::acoustic_fd {

const PatchKernels<float>& reference_float();
const PatchKernels<double>& reference_double();

/// One per instruction set and radius, defined by CONOID_ACOUSTIC_FD_ORDER.
enum class Body { base, avx2, avx512 };
template <Body body, int radius, class T>
const OrderKernels<T>& order_kernels();

}  // namespace conoid::acoustic_fd

#define CONOID_ACOUSTIC_FD_UPDATES(T, s, unequal)                                                                   \
  {                                                                                                                 \
    update<T, s, unequal, Cells::plain>, update<T, s, unequal, Cells::dense>, update<T, s, unequal, Cells::damped>, \
        layered<T, s, unequal>                                                                                      \
  }
#define CONOID_ACOUSTIC_FD_TABLE(body, s, T)                                               \
  template <>                                                                              \
  const OrderKernels<T>& order_kernels<Body::body, s, T>() {                               \
    static const OrderKernels<T> table{                                                    \
        {CONOID_ACOUSTIC_FD_UPDATES(T, s, false), CONOID_ACOUSTIC_FD_UPDATES(T, s, true)}, \
        {memory<T, s, false>, memory<T, s, true>},                                         \
        {energy<T, s, false>, energy<T, s, true>}};                                        \
    return table;                                                                          \
  }
#define CONOID_ACOUSTIC_FD_ORDER(body, s) \
  CONOID_ACOUSTIC_FD_TABLE(body, s, float) CONOID_ACOUSTIC_FD_TABLE(body, s, double)

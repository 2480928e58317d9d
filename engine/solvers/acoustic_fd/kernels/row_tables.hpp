// SPDX-License-Identifier: BSD-3-Clause
// The tables of row kernels of each translation unit. Each instruction set compiles the same templates inside an
// unnamed namespace of its own file, so that no wide instruction leaks into code that any machine may run.
#pragma once

#include "engine/solvers/acoustic_fd/kernels/row.hpp"

namespace conoid::acoustic_fd {

const RowKernels<float>& reference_float();
const RowKernels<double>& reference_double();
const RowKernels<float>& generic_float();
const RowKernels<double>& generic_double();
const RowKernels<float>& avx2_float();
const RowKernels<double>& avx2_double();
const RowKernels<float>& avx512_float();
const RowKernels<double>& avx512_double();

}  // namespace conoid::acoustic_fd

// One order: [equal, unequal][constant, varying].
#define CONOID_ACOUSTIC_FD_UPDATES(T, s)                       \
  {                                                            \
    {update<T, s, false, false>, update<T, s, false, true>}, { \
      update<T, s, true, false>, update<T, s, true, true>      \
    }                                                          \
  }
#define CONOID_ACOUSTIC_FD_TABLE(T, label)                                                  \
  {                                                                                         \
    label,                                                                                  \
        {CONOID_ACOUSTIC_FD_UPDATES(T, 1), CONOID_ACOUSTIC_FD_UPDATES(T, 2),                \
         CONOID_ACOUSTIC_FD_UPDATES(T, 3), CONOID_ACOUSTIC_FD_UPDATES(T, 4)},               \
    {                                                                                       \
      {energy<T, 1, false>, energy<T, 1, true>}, {energy<T, 2, false>, energy<T, 2, true>}, \
          {energy<T, 3, false>, energy<T, 3, true>}, {                                      \
        energy<T, 4, false>, energy<T, 4, true>                                             \
      }                                                                                     \
    }                                                                                       \
  }
#define CONOID_ACOUSTIC_FD_ROW_TABLES(set, label)                                    \
  const RowKernels<float>& set##_float() {                                           \
    static const RowKernels<float> table = CONOID_ACOUSTIC_FD_TABLE(float, label);   \
    return table;                                                                    \
  }                                                                                  \
  const RowKernels<double>& set##_double() {                                         \
    static const RowKernels<double> table = CONOID_ACOUSTIC_FD_TABLE(double, label); \
    return table;                                                                    \
  }

// SPDX-License-Identifier: BSD-3-Clause
// What the two ways to do dense linear algebra provide to dense.cpp.
#pragma once

#include <complex>
#include <vector>

#include "engine/core/types.hpp"

namespace conoid::dense::eigen {

/// As LAPACK's getrf: 0, or the number (from 1) of the first zero pivot.
template <class T>
int factorise(T* a, Index n, std::vector<int>& pivots);
template <class T>
void solve(const T* lu, Index n, const std::vector<int>& pivots, T* rhs, Index columns);
/// Solves with the conjugate transpose, for the condition estimate.
template <class T>
void solve_adjoint(const T* lu, Index n, const std::vector<int>& pivots, T* rhs);
template <class T>
void multiply(const T* a, Index rows, Index cols, const T* x, Index columns, T beta, T* y);
template <class T>
void multiply_adjoint(const T* a, Index rows, Index cols, const T* x, Index columns, T* y);
template <class T>
void least_squares(T* a, Index rows, Index cols, T* b, Index columns);

}  // namespace conoid::dense::eigen

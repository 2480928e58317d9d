// SPDX-License-Identifier: BSD-3-Clause
// A matrix that is made on the device: columns of panels, values from the host, what is added when all pairs are in. Limited by memory.
#include "engine/team/kernel.hpp"

#include "engine/solvers/elastic_bem/cuda/pair_arguments.hpp"

namespace conoid::elastic_bem {

/// Columns of a panel to those of the matrix, in the order of their groups. Grid: rows, columns.
template <class Real>
__global__ void place_columns(PlaceArguments<Real> a) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= a.length) return;
  const PlacedColumn<Real> c = a.columns[blockIdx.y];
  Real re = 0, im = 0;
  if (a.set == 0) {
    re = c.to[2 * i];
    im = c.to[2 * i + 1];
  }
  for (int k = c.begin; k < c.end; ++k) {
    const Real* const from = a.panel + 2 * (a.order[k] * a.length + i);
    re += from[0];
    im += from[1];
  }
  c.to[2 * i] = re;
  c.to[2 * i + 1] = im;
}

/// Grid: rows, parts of the columns, cases. A thread has a row of one part.
template <class Real>
__global__ void sum_columns(SumArguments<Real> a) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= a.length) return;
  const long long part = blockIdx.y, first = static_cast<long long>(blockIdx.z) * sum_cases;
  const int begin = static_cast<int>(a.columns * part / a.parts_count),
            end = static_cast<int>(a.columns * (part + 1) / a.parts_count);
  Real re[sum_cases] = {}, im[sum_cases] = {};
  for (int k = begin; k < end; ++k) {
    const Real* const v = a.panel + 2 * (k * a.length + i);
    const Real* const x = a.x + 2 * (static_cast<long long>(a.row[k]) * a.cases + first);
    const Real vr = v[0], vi = v[1];
#pragma unroll
    for (int c = 0; c < sum_cases; ++c) {
      re[c] += vr * x[2 * c] - vi * x[2 * c + 1];
      im[c] += vr * x[2 * c + 1] + vi * x[2 * c];
    }
  }
  for (int c = 0; c < sum_cases; ++c) {
    Real* const to = a.parts + 2 * ((part * a.cases + first + c) * a.length + i);
    to[0] += re[c];
    to[1] += im[c];
  }
}

/// All parts into the first one. Grid: rows, cases.
template <class Real>
__global__ void sum_parts(SumArguments<Real> a) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= a.length) return;
  Real re = 0, im = 0;
  for (long long part = 0; part < a.parts_count; ++part) {
    const Real* const from = a.parts + 2 * ((part * a.cases + blockIdx.y) * a.length + i);
    re += from[0];
    im += from[1];
  }
  Real* const to = a.parts + 2 * (static_cast<long long>(blockIdx.y) * a.length + i);
  to[0] = re;
  to[1] = im;
}

template <class Real>
__global__ void add_patches(PatchArguments<Real> a) {
  const long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= a.count) return;
  const MatrixPatch<Real> p = a.patches[k];
  p.to[0] += p.re;
  p.to[1] += p.im;
}

/// Grid: rows, columns.
template <class Real>
__global__ void finish_columns(FinishArguments<Real> a) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= a.length) return;
  const FinishedColumn<Real> c = a.columns[blockIdx.y];
  Real re = c.column[2 * i] * c.window, im = c.column[2 * i + 1] * c.window;
  if (i == c.row) {
    re += c.diagonal_re;
    im += c.diagonal_im;
  }
  if (c.from >= 0) {
    const Real* const more = a.more + 2 * (c.from * a.length + i);
    re += c.weight_re * more[0] - c.weight_im * more[1];
    im += c.weight_re * more[1] + c.weight_im * more[0];
  }
  c.column[2 * i] = re;
  c.column[2 * i + 1] = im;
}

static const RegisterKernel place_float("elastic-bem/place_columns<float>", place_columns<float>);
static const RegisterKernel place_double("elastic-bem/place_columns<double>", place_columns<double>);
static const RegisterKernel sum_float("elastic-bem/sum_columns<float>", sum_columns<float>);
static const RegisterKernel sum_double("elastic-bem/sum_columns<double>", sum_columns<double>);
static const RegisterKernel parts_float("elastic-bem/sum_parts<float>", sum_parts<float>);
static const RegisterKernel parts_double("elastic-bem/sum_parts<double>", sum_parts<double>);
static const RegisterKernel patch_float("elastic-bem/add_patches<float>", add_patches<float>);
static const RegisterKernel patch_double("elastic-bem/add_patches<double>", add_patches<double>);
static const RegisterKernel finish_float("elastic-bem/finish_columns<float>", finish_columns<float>);
static const RegisterKernel finish_double("elastic-bem/finish_columns<double>", finish_columns<double>);

}  // namespace conoid::elastic_bem

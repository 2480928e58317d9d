// SPDX-License-Identifier: BSD-3-Clause
// The reference kernels: plain loops, one cell after the other. The truth that every other body is tested against.
#include "engine/solvers/acoustic_fd/kernels/patch_tables.hpp"

#include <cmath>

namespace conoid::acoustic_fd {
namespace {

/// h_x² times the discrete Laplacian at one cell.
template <class T>
T laplacian(const T* u, Index stride_x, Index stride_y, const RowWeights<T>& w, int radius, bool unequal) {
  T L = w.centre * u[0];
  for (int i = 1; i <= radius; ++i) {
    const T x = u[-i * stride_x] + u[i * stride_x];
    const T y = u[-i * stride_y] + u[i * stride_y];
    const T z = u[-i] + u[i];
    if (unequal) {
      L = std::fma(w.x[i], x, L);
      L = std::fma(w.y[i], y, L);
      L = std::fma(w.z[i], z, L);
    } else {
      L = std::fma(w.equal[i], (x + y) + z, L);
    }
  }
  return L;
}

template <class T, int Radius, bool Unequal, Cells Kind>
void update(const Patch<T>& t) {
  for (Index x = 0; x < t.nx; ++x)
    for (Index y = 0; y < t.ny; ++y)
      for (Index z = t.z0; z < t.z1; ++z) {
        const Index here = x * t.stride_x + y * t.stride_y + z;
        const T u = t.u[here];
        const T a = t.a[x * t.a_stride_x + y * t.a_stride_y + z];
        T& o = t.o[here];
        T L = laplacian(t.u + here, t.stride_x, t.stride_y, *t.weights, Radius, Unequal);
        if (Kind != Cells::plain) L = std::fma(-t.v[x * t.v_stride_x + y * t.v_stride_y + z], u, L);
        const bool end = z < t.core0 || z >= t.core1;
        constexpr bool rows_damped = Kind == Cells::damped;
        if (!rows_damped && !end) {
          o = std::fma(a, L, (u + u) - o);
          continue;
        }
        T sigma = rows_damped ? t.sigma_x[x] + t.sigma_y[y] : T(0);
        if (end) sigma += t.sigma_z[z];
        const T r = T(1) / (T(1) + sigma);
        o = std::fma(a, L, std::fma(sigma - T(1), o, u + u)) * r;
      }
}

template <class T, int Radius, bool Varying>
void memory(const MemoryPatch<T>& r) {
  for (Index p = 0; p < r.slow; ++p)
    for (Index q = 0; q < r.fast; ++q)
      for (Index z = r.z0; z < r.z1; ++z) {
        const auto factor = [&](int i) {
          return r.factor[i][p * r.factor_stride_slow + q * r.factor_stride_fast + (Varying ? z : 0)];
        };
        const Index here = p * r.stride_slow + q * r.stride_fast + z;
        const T* u = r.u + here;
        T f = r.curvature[0] * u[0], g = 0;
        for (int i = 1; i <= Radius; ++i) {
          f = std::fma(r.curvature[i], u[-i * r.stride] + u[i * r.stride], f);
          g = std::fma(r.slope[i], u[i * r.stride] - u[-i * r.stride], g);
        }
        const Index own = p * r.m_stride_slow + q * r.m_stride_fast + z;
        if (r.v) {
          f = std::fma(-r.v[own], u[0], f);
          g = std::fma(-r.w[own], u[0], g);
        }
        const T E = factor(0);
        const T m2 = std::fma(E, r.m2[own], std::fma(factor(1), f, factor(2) * g));
        const T m1 = std::fma(E, r.m1[own], (m2 + r.m2[own]) + std::fma(factor(3), f, factor(4) * g));
        T a = r.a[p * r.a_stride_slow + q * r.a_stride_fast + z];
        if (r.sigma_z) a = a * (T(1) / (T(1) + ((r.sigma_slow[p] + r.sigma_fast[q]) + r.sigma_z[z])));
        const T extra = (m1 + r.m1[own]) + std::fma(factor(5), f, factor(6) * g);
        r.o[here] = std::fma(a, extra, r.o[here]);
        r.m2[own] = m2;
        r.m1[own] = m1;
      }
}

template <class T, int Radius, bool Unequal>
void energy(EnergyRow<T>& row) {
  double kinetic[16]{}, potential[16]{};
  for (Index z = 0; z < row.nz; ++z) {
    T L = laplacian(row.u0 + z, row.stride_x, row.stride_y, *row.weights, Radius, Unequal);
    if (row.v) L = std::fma(-row.v[z], row.u0[z], L);
    const double d = static_cast<double>(row.u1[z]) - static_cast<double>(row.u0[z]);
    const double e = d / static_cast<double>(row.a[z]);
    kinetic[z % 16] = std::fma(d * row.wz[z], e, kinetic[z % 16]);
    potential[z % 16] = std::fma(row.wz[z] * static_cast<double>(row.u1[z]), static_cast<double>(L), potential[z % 16]);
  }
  row.kinetic = row.potential = 0;
  for (int j = 0; j < 16; ++j) {
    row.kinetic += kinetic[j];
    row.potential += potential[j];
  }
}

/// Not here: layers are computed by themselves.
template <class T, int Radius, bool Unequal>
constexpr PatchFunction<T> layered = nullptr;

template <class T, int s>
const OrderKernels<T>* table() {
  static const OrderKernels<T> kernels{
      {CONOID_ACOUSTIC_FD_UPDATES(T, s, false), CONOID_ACOUSTIC_FD_UPDATES(T, s, true)},
      {memory<T, s, false>, memory<T, s, true>},
      {energy<T, s, false>, energy<T, s, true>}};
  return &kernels;
}
template <class T>
const PatchKernels<T>& tables() {
  static const PatchKernels<T> kernels{
      "reference", {table<T, 1>(), table<T, 2>(), table<T, 3>(), table<T, 4>(), table<T, 5>(), table<T, 6>()}};
  return kernels;
}

}  // namespace

const PatchKernels<float>& reference_float() {
  return tables<float>();
}
const PatchKernels<double>& reference_double() {
  return tables<double>();
}

}  // namespace conoid::acoustic_fd

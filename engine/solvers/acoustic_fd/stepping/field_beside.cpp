// SPDX-License-Identifier: BSD-3-Clause
// What updates keep and correct beside the stencil: walls, attenuation, maps.
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/stepping/field.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

// Of each instruction set: kernels/beside_isa.inl.
extern const BesideKernels<float> beside_float_base;
extern const BesideKernels<double> beside_double_base;
#if defined(__x86_64__)
extern const BesideKernels<float> beside_float_avx2, beside_float_avx512;
extern const BesideKernels<double> beside_double_avx2, beside_double_avx512;
#endif

template <>
const BesideKernels<float>& beside_kernels<float>(std::string_view kernel) {
#if defined(__x86_64__)
  if (kernel == "avx512") return beside_float_avx512;
  if (kernel == "avx2") return beside_float_avx2;
#endif
  return (void)kernel, beside_float_base;
}
template <>
const BesideKernels<double>& beside_kernels<double>(std::string_view kernel) {
#if defined(__x86_64__)
  if (kernel == "avx512") return beside_double_avx512;
  if (kernel == "avx2") return beside_double_avx2;
#endif
  return (void)kernel, beside_double_base;
}

template <class T>
T Field<T>::wall_sum(const T* u, const WallNode& node) const {
  const Index stride[3]{at_.stride_x, at_.stride_y, 1};
  T sum = 0;
  for (std::uint32_t i = node.first; i < node.last; ++i) {
    const WallEntry& entry = wall_entries_[i];
    sum = std::fma(static_cast<T>(entry.weight), u[entry.offset * stride[entry.axis]], sum);
  }
  return sum;
}

template <class T>
void Field<T>::walls(Index k, const Box& box) {
  const T* const u = level(k);
  T* const o = level(k + 1);
  for (Index x = box.x.begin; x < box.x.end; ++x)
    for (const WallNode& node : walls_.at(x + at_.first, box.y)) {
      if (node.z < box.z.begin || node.z >= box.z.end) continue;
      const Index here = at_.at(x, node.y, node.z);
      T a = a_.data()[varying_ ? here : node.z];
      const T sigma = sigma_at(node.x, node.y, node.z);
      if (sigma != T(0)) a = a * (T(1) / (T(1) + sigma));
      o[here] = std::fma(a, wall_sum(u + here, node), o[here]);
    }
}

/// Row by row and solid by solid: what they have in common lies in the first cache.
template <class T>
void Field<T>::solids(Index k, const Box& box, void (*row)(const RelaxRow<T>&)) {
  RelaxRow<T> t;
  t.sigma_z = sigma_z_.data();
  t.z0 = box.z.begin;
  t.z1 = box.z.end;
  for (Index x = box.x.begin; x < box.x.end; ++x)
    for (Index y = box.y.begin; y < box.y.end; ++y) {
      const Index here = at_.at(x, y);
      t.u = level(k) + here;
      t.o = level(k + 1) + here;
      t.sigma_xy = sigma_[0][static_cast<std::size_t>(x + at_.first)] + sigma_[1][static_cast<std::size_t>(y)];
      for (std::size_t l = 0; l < memories_.size(); ++l) {
        const RelaxationStep& step = relaxation_steps_[l];
        t.m = memories_[l].data() + here;
        t.pull = static_cast<T>(step.pull);
        t.keep = static_cast<T>(step.keep);
        t.add = static_cast<T>(step.add);
        row(t);
      }
    }
}

template <class T>
void Field<T>::map(const T* o, const Box& box) {
  T *const peak = map_[0].data(), *const squares = map_[1].data();
  for (Index x = box.x.begin; x < box.x.end; ++x)
    for (Index y = box.y.begin; y < box.y.end; ++y) {
      const Index row = at_.at(x, y);
      if (peak) beside_->peak(o + row, peak + row, box.z.begin, box.z.end);
      if (squares) beside_->squares(o + row, squares + row, box.z.begin, box.z.end);
    }
}

template <class T>
void Field<T>::append_pressure(Index k, const Three& first, const Three& step, const Three& count, Interval planes,
                               std::vector<float>& out) const {
  const auto values = static_cast<std::size_t>(count[1] * count[2]);
  for (Index x = first[0]; x < first[0] + count[0] * step[0]; x += step[0]) {
    if (x < planes.begin || x >= planes.end) continue;
    out.resize(out.size() + values);
    put_pressure(k, first, step, count, x, out.data() + out.size() - values);
  }
}

template <class T>
void Field<T>::put_pressure(Index k, const Three& first, const Three& step, const Three& count, Index x,
                            float* out) const {
  std::vector<T> values(static_cast<std::size_t>(count[2]));
  for (Index j = 0; j < count[1]; ++j, out += count[2]) {
    const Index y = first[1] + j * step[1];
    const T* const row = level(k) + at_.at(x - at_.first, y, first[2]);
    for (Index l = 0; l < count[2]; ++l) values[static_cast<std::size_t>(l)] = row[l * step[2]];
    pressure_of_row(x, y, first[2], step[2], values, out);
  }
}

template <class T>
void Field<T>::pressure_of_row(Index x, Index y, Index first_z, Index step_z, std::span<const T> values,
                               float* out) const {
  if (!scaled_) {
    std::transform(values.begin(), values.end(), out, [](T q) { return static_cast<float>(q); });
    return;
  }
  std::vector<double> factor(values.size(), 1.0);
  pressure_factor(problem_, x, y, first_z, step_z, factor);
  for (std::size_t l = 0; l < values.size(); ++l) out[l] = static_cast<float>(values[l] * static_cast<T>(factor[l]));
}

template <class T>
void Field<T>::append_map(int which, const Three& first, const Three& step, const Three& count, Interval planes,
                          std::vector<float>& out) const {
  std::vector<T> values(static_cast<std::size_t>(count[2]));
  for (Index x = first[0]; x < first[0] + count[0] * step[0]; x += step[0]) {
    if (x < planes.begin || x >= planes.end) continue;
    for (Index j = 0; j < count[1]; ++j) {
      const Index y = first[1] + j * step[1];
      const T* const row = map_[which].data() + at_.at(x - at_.first, y, first[2]);
      for (Index l = 0; l < count[2]; ++l) values[static_cast<std::size_t>(l)] = row[l * step[2]];
      out.resize(out.size() + values.size());
      map_of_row(which, x, y, first[2], step[2], values, out.data() + out.size() - values.size());
    }
  }
}

template <class T>
void Field<T>::map_of_row(int which, Index x, Index y, Index first_z, Index step_z, std::span<const T> values,
                          float* out) const {
  std::vector<double> factor(values.size(), 1.0);
  if (scaled_) pressure_factor(problem_, x, y, first_z, step_z, factor);
  for (std::size_t l = 0; l < values.size(); ++l) {
    const double f = factor[l];
    out[l] = static_cast<float>(static_cast<double>(values[l]) * (which == 0 ? f : f * f));
  }
}

/// Maps and memories, by their names in checkpoints.
template <class T>
std::vector<std::pair<std::string, T*>> Field<T>::kept_arrays() const {
  std::vector<std::pair<std::string, T*>> out;
  for (std::size_t m = 0; m < 2; ++m)
    if (map_[m].data()) out.emplace_back(m == 0 ? "pressure_peak" : "pressure_squares", map_[m].data());
  for (std::size_t l = 0; l < memories_.size(); ++l)
    out.emplace_back(fmt::format("relaxation_{}", l), memories_[l].data());
  return out;
}

// The members of this file; field.cpp instantiates the others.
#define CONOID_ACOUSTIC_FD_BESIDE(T)                                                                               \
  template T Field<T>::wall_sum(const T*, const WallNode&) const;                                                  \
  template void Field<T>::walls(Index, const Box&);                                                                \
  template void Field<T>::solids(Index, const Box&, void (*)(const RelaxRow<T>&));                                 \
  template void Field<T>::map(const T*, const Box&);                                                               \
  template void Field<T>::append_pressure(Index, const Three&, const Three&, const Three&, Interval,               \
                                          std::vector<float>&) const;                                              \
  template void Field<T>::put_pressure(Index, const Three&, const Three&, const Three&, Index, float*) const;      \
  template void Field<T>::pressure_of_row(Index, Index, Index, Index, std::span<const T>, float*) const;           \
  template void Field<T>::append_map(int, const Three&, const Three&, const Three&, Interval, std::vector<float>&) \
      const;                                                                                                       \
  template void Field<T>::map_of_row(int, Index, Index, Index, Index, std::span<const T>, float*) const;           \
  template std::vector<std::pair<std::string, T*>> Field<T>::kept_arrays() const;
CONOID_ACOUSTIC_FD_BESIDE(float)
CONOID_ACOUSTIC_FD_BESIDE(double)
#undef CONOID_ACOUSTIC_FD_BESIDE

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// Chooses the body of the kernels for the machine at hand and prepares the weights.
#include "engine/solvers/acoustic_fd/kernels/patch.hpp"

#include "engine/solvers/acoustic_fd/kernels/patch_tables.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace conoid::acoustic_fd {
namespace {

template <Body body, class T>
const PatchKernels<T>* tables(std::string_view name) {
  static const PatchKernels<T> kernels{
      name,
      {&order_kernels<body, 1, T>(), &order_kernels<body, 2, T>(), &order_kernels<body, 3, T>(),
       &order_kernels<body, 4, T>(), &order_kernels<body, 5, T>(), &order_kernels<body, 6, T>()}};
  return &kernels;
}

}  // namespace

template <class T>
const PatchKernels<T>* patch_kernels(std::string_view name, const Machine& machine) {
  if (name == "auto") name = patch_kernel_names(machine).front();
  if (name == "reference") {
    if constexpr (std::is_same_v<T, float>)
      return &reference_float();
    else
      return &reference_double();
  }
  if (name == "generic") return tables<Body::base, T>("generic");
#if defined(__x86_64__)
  if (name == "avx2" && machine.avx2) return tables<Body::avx2, T>("avx2");
  if (name == "avx512" && machine.avx512) return tables<Body::avx512, T>("avx512");
#endif
  return nullptr;
}
template const PatchKernels<float>* patch_kernels<float>(std::string_view, const Machine&);
template const PatchKernels<double>* patch_kernels<double>(std::string_view, const Machine&);

std::vector<std::string_view> patch_kernel_names(const Machine& machine) {
  std::vector<std::string_view> names;
#if defined(__x86_64__)
  if (machine.avx512) names.emplace_back("avx512");
  if (machine.avx2) names.emplace_back("avx2");
#else
  (void)machine;
#endif
  names.emplace_back("generic");
  names.emplace_back("reference");
  return names;
}

bool equal_spacings(const Vec3& spacing) {
  return spacing[0] == spacing[1] && spacing[0] == spacing[2];
}

namespace {

/// Weights that are rounded one by one do not add up to nothing: a constant p has Δ_h p = ε p, of 2e-7 p in single precision, as if p_tt/c² = Δp + ε p/h².
/// Waves of a hundred nodes then come 1e-5 too early or late, and where ε is positive (order 4) a constant pressure grows. What is missing goes to the
/// weights, from the coarsest to the finest, each of which takes the multiples of its last digit.
template <class T>
void balance(RowWeights<T>& w, int radius, bool equal) {
  double missing = -static_cast<double>(w.centre);
  for (int i = 1; i <= radius; ++i)
    missing -= 2 * (static_cast<double>(w.x[i]) + static_cast<double>(w.y[i]) + static_cast<double>(w.z[i]));
  const auto take = [&](T& weight, double times) {
    const T before = weight;
    const double digit =
        static_cast<double>(std::nextafter(std::abs(weight), std::numeric_limits<T>::max()) - std::abs(weight));
    weight = static_cast<T>(static_cast<double>(weight) + std::round(missing / times / digit) * digit);
    missing -= times * (static_cast<double>(weight) - static_cast<double>(before));
  };
  for (int i = 1; i <= radius; ++i) {
    if (equal) {
      take(w.equal[i], 6);
      w.x[i] = w.y[i] = w.z[i] = w.equal[i];
    } else {
      for (T* const axis : {w.x, w.y, w.z})
        if (axis[i] != 0) take(axis[i], 2);
    }
  }
}

}  // namespace

template <class T>
RowWeights<T> row_weights(const Stencil& stencil, const Vec3& spacing) {
  RowWeights<T> w;
  Vec3 ratio{1, 1, 1};
  for (std::size_t a = 0; a < 3; ++a) ratio[a] = (spacing[0] / spacing[a]) * (spacing[0] / spacing[a]);
  w.centre = static_cast<T>(stencil.weight[0] * (ratio[0] + ratio[1] + ratio[2]));
  for (int i = 1; i <= stencil.radius; ++i) {
    const double c = stencil.weight[static_cast<std::size_t>(i)];
    w.equal[i] = static_cast<T>(c);
    w.x[i] = static_cast<T>(c * ratio[0]);
    w.y[i] = static_cast<T>(c * ratio[1]);
    w.z[i] = static_cast<T>(c * ratio[2]);
  }
  balance(w, stencil.radius, equal_spacings(spacing));
  return w;
}
template RowWeights<float> row_weights<float>(const Stencil&, const Vec3&);
template RowWeights<double> row_weights<double>(const Stencil&, const Vec3&);

}  // namespace conoid::acoustic_fd

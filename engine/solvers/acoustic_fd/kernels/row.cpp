// SPDX-License-Identifier: BSD-3-Clause
// Chooses the body of the row kernels for the machine at hand and prepares the weights.
#include "engine/solvers/acoustic_fd/kernels/row.hpp"

#include "engine/solvers/acoustic_fd/kernels/row_tables.hpp"

#include <cmath>
#include <type_traits>
#include <vector>

namespace conoid::acoustic_fd {

template <class T>
const RowKernels<T>* row_kernels(std::string_view name, const Machine& machine) {
  const auto pick = [](const RowKernels<float>& f, const RowKernels<double>& d) -> const RowKernels<T>* {
    if constexpr (std::is_same_v<T, float>)
      return &f;
    else
      return &d;
  };
  if (name == "auto") name = row_kernel_names(machine).front();
  if (name == "reference") return pick(reference_float(), reference_double());
  if (name == "generic") return pick(generic_float(), generic_double());
#if defined(__x86_64__)
  if (name == "avx2" && machine.avx2) return pick(avx2_float(), avx2_double());
  if (name == "avx512" && machine.avx512) return pick(avx512_float(), avx512_double());
#endif
  return nullptr;
}
template const RowKernels<float>* row_kernels<float>(std::string_view, const Machine&);
template const RowKernels<double>* row_kernels<double>(std::string_view, const Machine&);

std::vector<std::string_view> row_kernel_names(const Machine& machine) {
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
  return w;
}
template RowWeights<float> row_weights<float>(const Stencil&, const Vec3&);
template RowWeights<double> row_weights<double>(const Stencil&, const Vec3&);

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// Brings the near matrices to a device and launches groups of steps.
#include "engine/solvers/acoustic_bem/cuda/device_steps.hpp"

#include <algorithm>
#include <type_traits>

#include <fmt/core.h>

#include "engine/cluster/communicator.hpp"
#include "engine/solvers/acoustic_bem/cuda/step_arguments.hpp"

namespace conoid::acoustic_bem {
namespace {

constexpr std::int32_t most_iterations = 500;

}  // namespace

template <class Real>
struct DeviceSteps<Real>::Parts {
  Device device;
  Stream stream;
  Kernel<StepArguments> kernel;
  Event begin, end;
  DeviceBuffer<std::int64_t> instant_begin, near_begin;
  DeviceBuffer<std::int32_t> instant_column, near_column, iterations;
  DeviceBuffer<double> instant_value, inverse_diagonal, right, a, vectors, partial;
  DeviceBuffer<Real> near_value;
  PinnedBuffer<double> right_here, result_here;
  PinnedBuffer<std::int32_t> iterations_here;
  StepArguments arguments{};
  LaunchShape shape;
  Index most = 0;
  double seconds = 0;

  Parts(const Device& d, const SparseMatrix& M0, std::span<const NearMatrix<Real>> near, Index runs,
        Communicator* cluster)
      : device(d), stream(d.stream()),
        kernel(d.kernel<StepArguments>(
            fmt::format("acoustic-bem/steps<{}>", std::is_same_v<Real, float> ? "float" : "double"))),
        begin(d.event()), end(d.event()) {
    const auto rows = static_cast<std::size_t>(M0.rows()), R = static_cast<std::size_t>(runs), G = near.size() + 1;
    bring_instant(M0);
    bring_near(near, rows);
    right = device.allocate<double>(R * G * rows, "right-hand sides");
    a = device.allocate<double>(R * G * rows, "values of a group");
    vectors = device.allocate<double>(5 * R * rows, "vectors of the gradients");
    iterations = device.allocate<std::int32_t>(1, "iterations");
    right_here = device.pinned<double>(R * G * rows);
    result_here = device.pinned<double>(R * G * rows);
    iterations_here = device.pinned<std::int32_t>(1);
    choose_shape(rows, R, cluster);
    partial = device.allocate<double>(4 * R * static_cast<std::size_t>(arguments.per_team), "partial sums");
    stream.zero(partial);
    stream.synchronize();

    arguments.instant = {instant_begin.data(), instant_column.data(), instant_value.data()};
    arguments.near = {near_begin.data(), near_column.data(), near_value.data()};
    arguments.inverse_diagonal = inverse_diagonal.data();
    arguments.right = right.data();
    arguments.a = a.data();
    arguments.r = vectors.data();
    arguments.z = arguments.r + R * rows;
    arguments.q = arguments.z + R * rows;
    arguments.p = arguments.q + R * rows;
    arguments.partial = partial.data();
    arguments.most_iterations = iterations.data();
    arguments.rows = static_cast<std::int32_t>(rows);
    arguments.runs = static_cast<std::int32_t>(R);
    arguments.steps = static_cast<std::int32_t>(G);
    arguments.limit = most_iterations;
    arguments.tolerance = 1e-26;
  }

  template <class T>
  [[nodiscard]] DeviceBuffer<T> bring(const std::vector<T>& values, const char* name) {
    auto out = device.allocate<T>(std::max<std::size_t>(values.size(), 1), name);
    stream.to_device(out, values);
    stream.synchronize();  // `values` is of the host's pageable memory
    return out;
  }

  void bring_instant(const SparseMatrix& M0) {
    std::vector<std::int64_t> from{0};
    std::vector<std::int32_t> column;
    std::vector<double> value, inverse(static_cast<std::size_t>(M0.rows()), 0);
    for (int i = 0; i < M0.rows(); ++i) {
      for (SparseMatrix::InnerIterator e(M0, i); e; ++e) {
        column.push_back(static_cast<std::int32_t>(e.col()));
        value.push_back(e.value());
        if (e.col() == i) inverse[static_cast<std::size_t>(i)] = 1 / e.value();
      }
      from.push_back(static_cast<std::int64_t>(value.size()));
    }
    instant_begin = bring(from, "M_0");
    instant_column = bring(column, "M_0");
    instant_value = bring(value, "M_0");
    inverse_diagonal = bring(inverse, "M_0");
  }

  void bring_near(std::span<const NearMatrix<Real>> near, std::size_t rows) {
    std::vector<std::int64_t> from;
    std::size_t entries = 0;
    for (const NearMatrix<Real>& m : near) {
      for (std::size_t i = 0; i <= rows; ++i) from.push_back(static_cast<std::int64_t>(entries) + m.begin[i]);
      entries += m.value.size();
    }
    near_begin = bring(from, "near matrices");
    near_column = device.allocate<std::int32_t>(std::max<std::size_t>(entries, 1), "near matrices");
    near_value = device.allocate<Real>(std::max<std::size_t>(entries, 1), "near matrices");
    std::size_t at = 0;
    for (const NearMatrix<Real>& m : near) {
      stream.to_device(near_column, m.column, at);
      stream.to_device(near_value, m.value, at);
      at += m.value.size();
    }
    stream.synchronize();
  }

  /// A thread a row, as far as blocks fit at once; each run has as many blocks of its own as there are for it.
  void choose_shape(std::size_t rows, std::size_t runs, Communicator* cluster) {
    shape.block = {step_threads, 1, 1};
    shape.shared = step_shared(static_cast<unsigned>(runs)) * sizeof(double);
    shape.cooperative = true;
    const bool emulated = device.info().backend != "cuda";
    double in_one_wave = std::max(1, device.blocks_in_one_wave(kernel, shape));
    if (cluster != nullptr) in_one_wave = cluster->minimum(in_one_wave);
    const auto there = static_cast<std::size_t>(in_one_wave);
    const std::size_t most_blocks = emulated ? std::min<std::size_t>(64, there) : there,
                      teams = std::min(runs, most_blocks),
                      per_team =
                          std::clamp<std::size_t>((rows + step_threads - 1) / step_threads, 1, most_blocks / teams);
    arguments.teams = static_cast<std::int32_t>(teams);
    arguments.per_team = static_cast<std::int32_t>(per_team);
    shape.grid = {static_cast<unsigned>(teams * per_team), 1, 1};
  }
};

template <class Real>
Bytes DeviceSteps<Real>::needed(const SparseMatrix& M0, std::span<const NearMatrix<Real>> near, Index runs) {
  const auto rows = static_cast<Bytes>(M0.rows()), groups = static_cast<Bytes>(near.size()) + 1;
  Bytes out = static_cast<Bytes>(M0.nonZeros()) * 12 + rows * (16 + 8 * groups) + (Bytes{1} << 16);
  for (const NearMatrix<Real>& m : near) out += m.value.size() * (sizeof(Real) + 4);
  return out + static_cast<Bytes>(runs) * rows * 8 * (2 * groups + 5);
}

template <class Real>
DeviceSteps<Real>::DeviceSteps(const Device& device, const SparseMatrix& M0, std::span<const NearMatrix<Real>> near,
                               Index runs, Communicator* cluster)
    : parts_(std::make_unique<Parts>(device, M0, near, runs, cluster)) {}
template <class Real>
DeviceSteps<Real>::~DeviceSteps() = default;

template <class Real>
std::span<double> DeviceSteps<Real>::right() {
  return parts_->right_here.span();
}

template <class Real>
void DeviceSteps<Real>::start() {
  Parts& p = *parts_;
  p.stream.to_device(p.right, p.right_here.span());
  p.stream.record(p.begin);
  p.stream.launch(p.kernel, p.shape, p.arguments);
  p.stream.record(p.end);
  p.stream.to_host(p.result_here.span(), p.a);
  p.stream.to_host(p.iterations_here.span(), p.iterations);
}

template <class Real>
bool DeviceSteps<Real>::finish() {
  Parts& p = *parts_;
  p.stream.synchronize();
  p.seconds = p.end.seconds_since(p.begin);
  p.most = std::max<Index>(p.most, p.iterations_here[0]);
  return p.iterations_here[0] < most_iterations;
}

template <class Real>
std::span<const double> DeviceSteps<Real>::result() const {
  return parts_->result_here.span();
}
template <class Real>
Index DeviceSteps<Real>::iterations() const {
  return parts_->most;
}
template <class Real>
double DeviceSteps<Real>::kernel_seconds() const {
  return parts_->seconds;
}

template <class Real>
Work DeviceSteps<Real>::work() const {
  const Parts& p = *parts_;
  const StepArguments& a = p.arguments;
  const double series = a.runs, steps = a.steps, iterations = p.iterations_here[0],
               instant = static_cast<double>(p.instant_value.size()), rows = a.rows;
  // The near matrices are gone through for half of the steps on average; an iteration takes ten operations a row beside M_0.
  const auto near = static_cast<double>(p.near_value.size());
  return {series * steps * (near + iterations * (4 * instant + 10 * rows)),
          steps * (0.5 * near * (sizeof(Real) + 4) + series * iterations * (12 * instant + 80 * rows))};
}

template class DeviceSteps<float>;
template class DeviceSteps<double>;

}  // namespace conoid::acoustic_bem

// SPDX-License-Identifier: BSD-3-Clause
// Lays out and launches the published cut-outs.
#include "engine/solvers/acoustic_bem/cuda/device_blocks.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/core.h>

#include "engine/core/error.hpp"
#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"
#include "engine/solvers/acoustic_bem/discretization/cutouts.hpp"

namespace conoid::acoustic_bem {

template <class Real>
struct DeviceBlocks<Real>::Parts {
  Device device;
  BlockKind kind;
  int steps, width, height, parts = 1;
  Index rows, slices, columns, ring;
  Index stored = 0;
  std::int64_t now = 0;
  Stream stream;
  Event begin, end;
  DeviceBuffer<Real> values, past, partial;
  DeviceBuffer<BlockPlaceOnDevice> places;
  DeviceBuffer<std::uint16_t> start;
  DeviceBuffer<std::int32_t> part_begin;
  DeviceBuffer<double> sums;
  Kernel<FullBlockArguments> full;
  Kernel<ContiguousArguments> contiguous;
  Kernel<GatherArguments> gather;

  Parts(const Device& d, const Slices<Real>& s, BlockKind k, int n, int bc, int br)
      : device(d), kind(k), steps(n), width(bc), height(br), rows(s.rows()), slices(s.count()), columns(s.columns()),
        ring(static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(columns + bc + 2 * n + 4)))),
        stream(d.stream()), begin(d.event()), end(d.event()) {
    verify(s.longest() <= width, "b_c is at least the longest row-vector");
    const char* const real = sizeof(Real) == 4 ? "float" : "double";
    gather = device.kernel<GatherArguments>(fmt::format("acoustic-bem/gather<{}>", real));
    std::vector<std::int32_t> borders;
    const int multiprocessors = device.info().multiprocessors;
    if (kind == BlockKind::full) {
      full = device.kernel<FullBlockArguments>(fmt::format("acoustic-bem/full_blocks<{},{},{}>", real, steps, width));
      const FullBlocking cut = full_blocking(RowSpans::of(s), height, width);
      const AlignedVector<Real> laid_out = full_block_values(s, cut);
      std::vector<BlockPlaceOnDevice> where;
      for (const BlockPlace& p : cut.places) where.push_back({p.slice, p.row, p.column});
      parts = static_cast<int>(std::min<std::size_t>(
          where.size(), static_cast<std::size_t>(multiprocessors) * 2048 / static_cast<unsigned>(height)));
      for (int p = 0; p <= parts; ++p)
        borders.push_back(
            static_cast<std::int32_t>(where.size() * static_cast<std::size_t>(p) / static_cast<std::size_t>(parts)));
      values = device.allocate<Real>(laid_out.size(), "blocks");
      places = device.allocate<BlockPlaceOnDevice>(where.size(), "places of blocks");
      stream.to_device(values, std::span<const Real>(laid_out.data(), laid_out.size()));
      stream.to_device(places, where);
      stored = static_cast<Index>(laid_out.size());
      stream.synchronize();
    } else {
      contiguous = device.kernel<ContiguousArguments>(
          fmt::format("acoustic-bem/contiguous_blocks<{},{},{}>", real, steps, width));
      std::vector<Real> laid_out(static_cast<std::size_t>(slices * rows * width), Real{0});
      std::vector<std::uint16_t> starts(static_cast<std::size_t>(slices * rows), 1);
      for (Index j = 0; j < slices; ++j)
        s.for_each_row(j, [&](Index i, Index first, std::span<const Real> row) {
          if (row.empty()) return;
          starts[static_cast<std::size_t>(j * rows + i)] = static_cast<std::uint16_t>(first);
          for (std::size_t c = 0; c < row.size(); ++c)
            laid_out[static_cast<std::size_t>((j * width + static_cast<Index>(c)) * rows + i)] = row[c];
        });
      const Index row_blocks = (rows + block_threads - 1) / block_threads;
      parts = static_cast<int>(std::min<Index>(slices, 16 * multiprocessors / row_blocks + 1));
      for (int p = 0; p <= parts; ++p) borders.push_back(static_cast<std::int32_t>(slices * p / parts));
      values = device.allocate<Real>(laid_out.size(), "blocks");
      start = device.allocate<std::uint16_t>(starts.size(), "starts of rows");
      stream.to_device(values, laid_out);
      stream.to_device(start, starts);
      stored = static_cast<Index>(laid_out.size());
      stream.synchronize();
    }
    part_begin = device.allocate<std::int32_t>(borders.size(), "parts");
    stream.to_device(part_begin, borders);
    past = device.allocate<Real>(static_cast<std::size_t>(slices * ring), "past values");
    partial = device.allocate<Real>(static_cast<std::size_t>(parts * steps * rows), "partial sums");
    sums = device.allocate<double>(static_cast<std::size_t>(steps * rows), "sums");
    stream.synchronize();
  }

  static constexpr Index block_threads = 256;

  void set_past(const History<Real>& history) {
    std::vector<Real> all(static_cast<std::size_t>(slices * ring), Real{0});
    const Index kept = std::min<Index>(ring - steps, history.reach() + 1);
    for (Index j = 0; j < slices; ++j)
      for (Index back = 0; back < kept; ++back)
        all[static_cast<std::size_t>(j * ring + ((history.step() - back) & (ring - 1)))] = history.value(j, back);
    stream.to_device(past, all);
    stream.synchronize();
    now = history.step() + 1;
  }

  double run(std::span<double> out) {
    const auto r = static_cast<std::int32_t>(rows), m = static_cast<std::int32_t>(ring);
    stream.record(begin);
    if (kind == BlockKind::full) {
      stream.zero(partial);
      stream.launch(full,
                    {.grid = {static_cast<unsigned>(parts), 1, 1}, .block = {static_cast<unsigned>(height), 1, 1}},
                    {values.data(), places.data(), part_begin.data(), past.data(), partial.data(), now, m, r});
    } else {
      stream.launch(
          contiguous,
          {.grid = {static_cast<unsigned>((rows + block_threads - 1) / block_threads), static_cast<unsigned>(parts), 1},
           .block = {static_cast<unsigned>(block_threads), 1, 1},
           .shared = static_cast<Bytes>(columns + width + steps) * sizeof(Real)},
          {values.data(), start.data(), part_begin.data(), past.data(), partial.data(), now, m, r,
           static_cast<std::int32_t>(columns)});
    }
    const std::int64_t entries = steps * rows;
    stream.launch(gather, {.grid = {static_cast<unsigned>((entries + 255) / 256), 1, 1}, .block = {256, 1, 1}},
                  {partial.data(), sums.data(), entries, parts});
    stream.record(end);
    stream.to_host(out, sums);
    stream.synchronize();
    return end.seconds_since(begin);
  }
};

template <class Real>
DeviceBlocks<Real>::DeviceBlocks(const Device& device, const Slices<Real>& slices, BlockKind kind, int steps, int width,
                                 int height)
    : parts_(std::make_unique<Parts>(device, slices, kind, steps, width, height)) {}
template <class Real>
DeviceBlocks<Real>::~DeviceBlocks() = default;
template <class Real>
void DeviceBlocks<Real>::set_past(const History<Real>& history) {
  parts_->set_past(history);
}
template <class Real>
double DeviceBlocks<Real>::run(std::span<double> sums) {
  return parts_->run(sums);
}
template <class Real>
Index DeviceBlocks<Real>::stored_values() const {
  return parts_->stored;
}

template class DeviceBlocks<float>;
template class DeviceBlocks<double>;

}  // namespace conoid::acoustic_bem

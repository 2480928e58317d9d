// SPDX-License-Identifier: BSD-3-Clause
// Slices → slabs of ragged blocks.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"
#include "engine/solvers/acoustic_bem/cuda/device_summation.hpp"
#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"
#include "engine/team/phase.hpp"

namespace conoid::acoustic_bem {
namespace {

/// The row-vectors of one slice by row.
template <class Real>
struct Rows {
  std::vector<std::uint16_t> start, length;
  std::vector<std::size_t> values;  ///< where they begin in `all`
  std::vector<Real> all;

  std::size_t group_size = 32;

  void read(const SlicesAtHand<Real>& slices, Index row_count, Index j, std::size_t size) {
    group_size = size;
    const auto n = (static_cast<std::size_t>(row_count) + size - 1) / size * size;
    start.assign(n, 0);
    length.assign(n, 0);
    values.assign(n, 0);
    all.clear();
    slices.for_each_row(j, [&](Index i, Index first, std::span<const Real> v) {
      const auto k = static_cast<std::size_t>(i);
      start[k] = static_cast<std::uint16_t>(first);
      length[k] = static_cast<std::uint16_t>(v.size());
      values[k] = all.size();
      all.insert(all.end(), v.begin(), v.end());
    });
  }
  [[nodiscard]] PieceHeader header(std::size_t group, int steps) const {
    PieceExtent e;
    for (std::size_t k = group * group_size; k < (group + 1) * group_size; ++k) e.add(start[k], length[k]);
    return e.header(steps, sizeof(Real));
  }
  void write(std::size_t group, const PieceHeader& h, unsigned char* to) const {
    unsigned char* const end = to + 16 * static_cast<std::size_t>(h.size);
    const bool wide = h.common % 2 != 0;
    const std::size_t common = h.common & ~1U, per_lane = group_size / 32;
    std::uint32_t begin = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      std::uint32_t lag[2] = {}, beyond[2] = {};
      for (std::size_t r = 0; r < per_lane; ++r) {
        const std::size_t k = group * group_size + lane * per_lane + r;
        if (length[k] == 0) {  // its zeros meet past values of the window
          lag[r] = h.longest > 0 ? (h.longest + 1U) / 2 * 2 - 1 : 0;
          continue;
        }
        lag[r] = static_cast<std::uint32_t>(h.reach) - start[k];
        beyond[r] = static_cast<std::uint32_t>(length[k] - common);
      }
      if (wide) {
        const std::uint32_t mark[4] = {lag[0] | lag[1] << 16, beyond[0] | beyond[1] << 16, begin, 0};
        std::memcpy(to, mark, sizeof mark);
        to += sizeof mark;
      } else {
        const std::uint32_t mark = lag[0] | lag[1] << 6 | beyond[0] << 12 | beyond[1] << 17 | begin << 22;
        std::memcpy(to, &mark, sizeof mark);
        to += sizeof mark;
      }
      begin += beyond[0] + beyond[1];
    }
    for (std::size_t c = 0; c < common; ++c)
      for (std::size_t k = group * group_size; k < (group + 1) * group_size; ++k) {
        std::memcpy(to, all.data() + values[k] + c, sizeof(Real));
        to += sizeof(Real);
      }
    for (std::size_t k = group * group_size; k < (group + 1) * group_size; ++k) {
      const std::size_t bytes = (length[k] - common) * sizeof(Real);
      if (bytes > 0) std::memcpy(to, all.data() + values[k] + common, bytes);
      to += bytes;
    }
    std::memset(to, 0, static_cast<std::size_t>(end - to));
  }
};

}  // namespace

void PieceExtent::add(Index start, std::size_t length) {
  ++rows;
  shortest = std::min(shortest, length);
  if (length == 0) return;
  low = std::min(low, start);
  high = std::max(high, start);
  count += length;
  longest = std::max(longest, length);
}

PieceHeader PieceExtent::header(int steps, std::size_t real) const {
  PieceHeader h;
  if (count == 0) {
    h.size = static_cast<std::uint16_t>(mark_bytes(false) / 16);
    h.window = static_cast<std::uint16_t>((static_cast<std::size_t>(steps) * real + 30) / 16);
    return h;
  }
  const auto group = static_cast<std::size_t>(group_rows(steps, static_cast<int>(real)));
  const std::size_t common = rows < group ? 0 : shortest & ~std::size_t{1}, even = (longest + 1) & ~std::size_t{1},
                    unit = 16 / real;
  const auto reach = static_cast<std::size_t>(high) + even - 1, lag = reach - static_cast<std::size_t>(low);
  const std::size_t beyond = count - common * group;
  const bool wide = lag > narrow_lag || longest - common > narrow_rest || beyond > narrow_begin;
  h.size = static_cast<std::uint16_t>((static_cast<std::size_t>(mark_bytes(wide)) + count * real + 15) / 16);
  h.window = static_cast<std::uint16_t>((lag + static_cast<std::size_t>(steps) + 2 * (unit - 1)) / unit);
  h.reach = static_cast<std::uint16_t>(reach);
  h.longest = static_cast<std::uint16_t>(longest);
  h.common = static_cast<std::uint16_t>(common + (wide ? 1 : 0));
  return h;
}

template <class Real>
bool fits_devices(const Slices<Real>& slices) {
  // 16 bits hold the size of a piece of 64 rows, in units of 16 bytes.
  return slices.longest() < 2040 && slices.rows() > 0 && slices.count() > 0;
}
template bool fits_devices(const Slices<float>&);
template bool fits_devices(const Slices<double>&);

template <class Real>
bool starts_fit_devices(const Slices<Real>& slices, int steps) {
  constexpr Index most =
      16384 / static_cast<Index>(sizeof(Real));  // two stages of a warp are 32 KiB then, which all devices have
  const Index size = group_rows(steps, sizeof(Real));
  std::vector<PieceExtent> extent(static_cast<std::size_t>((slices.rows() + size - 1) / size));
  for (Index j = 0; j < slices.count(); ++j) {
    std::ranges::fill(extent, PieceExtent{});
    slices.for_each_shape(j, [&](Index i, Index start, std::size_t length) {
      extent[static_cast<std::size_t>(i / size)].add(start, length);
    });
    for (const PieceExtent& e : extent)
      if (e.count > 0 && e.high - e.low + static_cast<Index>(e.longest) + steps > most) return false;
  }
  return true;
}
template bool starts_fit_devices(const Slices<float>&, int);
template bool starts_fit_devices(const Slices<double>&, int);

template <class Real>
void pack_slab(const Slices<Real>& slices, Index first, int steps, const CpuWorker& host, std::span<std::byte> to) {
  const Index count = std::min(slab_slices, slices.count() - first);
  const auto n = static_cast<std::size_t>(count), size = static_cast<std::size_t>(group_rows(steps, sizeof(Real))),
             groups = (static_cast<std::size_t>(slices.rows()) + size - 1) / size;
  const SlicesAtHand<Real> at_hand(slices, {first, first + count});
  std::vector<Rows<Real>> rows(n);
  std::vector<PieceHeader> headers(groups * n);
  host.for_each({0, count}, 1, [&](Interval chunk, int) {
    for (Index s = chunk.begin; s < chunk.end; ++s) {
      const auto k = static_cast<std::size_t>(s);
      rows[k].read(at_hand, slices.rows(), first + s, size);
      for (std::size_t g = 0; g < groups; ++g) headers[g * n + k] = rows[k].header(g, steps);
    }
  });
  std::uint64_t offset = 0;
  std::size_t empty = headers.size();  // all pieces without values are the first of them
  for (std::size_t k = 0; k < headers.size(); ++k) {
    PieceHeader& h = headers[k];
    verify(offset <= 0xffffffffULL, "a slab is smaller than 64 GiB");
    if (h.longest == 0 && empty < headers.size()) {
      h.offset = headers[empty].offset;
      continue;
    }
    if (h.longest == 0) empty = k;
    h.offset = static_cast<std::uint32_t>(offset);
    offset += h.size;
  }
  const std::size_t header_bytes = headers.size() * sizeof(PieceHeader), head = behind_headers(header_bytes);
  verify(head + 16 * offset <= to.size(), "a slab is as large as it was measured");
  std::memcpy(to.data(), static_cast<const void*>(headers.data()), header_bytes);
  std::memset(to.data() + header_bytes, 0, head - header_bytes);
  auto* const pieces = reinterpret_cast<unsigned char*>(to.data() + head);
  host.for_each({0, static_cast<Index>(groups)}, 4, [&](Interval chunk, int) {
    for (auto g = static_cast<std::size_t>(chunk.begin); g < static_cast<std::size_t>(chunk.end); ++g)
      for (std::size_t k = 0; k < n; ++k) {
        const PieceHeader& h = headers[g * n + k];
        if (h.longest > 0 || g * n + k == empty) rows[k].write(g, h, pieces + 16 * static_cast<std::size_t>(h.offset));
      }
  });
}
template void pack_slab(const Slices<float>&, Index, int, const CpuWorker&, std::span<std::byte>);
template void pack_slab(const Slices<double>&, Index, int, const CpuWorker&, std::span<std::byte>);

}  // namespace conoid::acoustic_bem

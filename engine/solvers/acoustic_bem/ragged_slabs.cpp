// SPDX-License-Identifier: BSD-3-Clause
// Slices → slabs of ragged blocks.
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/core/error.hpp"
#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"
#include "engine/solvers/acoustic_bem/device_summation.hpp"
#include "engine/solvers/acoustic_bem/slice_store.hpp"

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
  [[nodiscard]] PieceHeader header(std::size_t group, MarkFormat format) const {
    PieceHeader h;
    std::size_t count = 0, low = 0xffff, high = 0;
    h.shortest = 0xffff;
    for (std::size_t k = group * group_size; k < (group + 1) * group_size; ++k) {
      h.shortest = std::min(h.shortest, length[k]);
      if (length[k] == 0) continue;
      count += length[k];
      h.longest = std::max(h.longest, length[k]);
      low = std::min<std::size_t>(low, start[k]);
      high = std::max<std::size_t>(high, static_cast<std::size_t>(start[k]) + length[k] - 1);
    }
    h.first = static_cast<std::uint16_t>(count > 0 ? low : 0);
    h.span = static_cast<std::uint16_t>(count > 0 ? high - low : 0);
    const std::size_t bytes = (format.wide ? 4 : 2) * group_size + count * sizeof(Real);
    h.size = static_cast<std::uint16_t>((bytes + 15) / 16);
    return h;
  }
  void write(std::size_t group, const PieceHeader& h, MarkFormat format, unsigned char* to) const {
    unsigned char* const end = to + 16 * static_cast<std::size_t>(h.size);
    for (std::size_t k = group * group_size; k < (group + 1) * group_size; ++k) {
      const std::uint32_t begin = length[k] > 0 ? static_cast<std::uint32_t>(start[k] - h.first) : 0;
      const std::uint32_t mark = begin << format.length_bits | length[k];
      const auto narrow = static_cast<std::uint16_t>(mark);
      if (format.wide)
        std::memcpy(to, &mark, 4);
      else
        std::memcpy(to, &narrow, 2);
      to += format.wide ? 4 : 2;
    }
    for (std::size_t c = 0; c < h.shortest; ++c)
      for (std::size_t k = group * group_size; k < (group + 1) * group_size; ++k) {
        std::memcpy(to, all.data() + values[k] + c, sizeof(Real));
        to += sizeof(Real);
      }
    for (std::size_t k = group * group_size; k < (group + 1) * group_size; ++k) {
      const std::size_t bytes = (length[k] - std::size_t{h.shortest}) * sizeof(Real);
      if (bytes > 0) std::memcpy(to, all.data() + values[k] + h.shortest, bytes);
      to += bytes;
    }
    std::memset(to, 0, static_cast<std::size_t>(end - to));
  }
};

/// Longest row-vector and widest spread of starts in a row group.
template <class Real>
std::pair<unsigned, unsigned> extremes(const Slices<Real>& slices, Index group_size) {
  unsigned longest = 0, spread = 0;
  std::vector<std::pair<unsigned, unsigned>> starts;
  for (Index j = 0; j < slices.count(); ++j) {
    starts.assign(static_cast<std::size_t>((slices.rows() + group_size - 1) / group_size), {~0U, 0});
    slices.for_each_shape(j, [&](Index i, Index first, std::size_t length) {
      if (length == 0) return;
      longest = std::max(longest, static_cast<unsigned>(length));
      auto& [low, high] = starts[static_cast<std::size_t>(i / group_size)];
      low = std::min(low, static_cast<unsigned>(first));
      high = std::max(high, static_cast<unsigned>(first));
    });
    for (const auto& [low, high] : starts)
      if (low <= high) spread = std::max(spread, high - low);
  }
  return {longest, spread};
}

}  // namespace

template <class Real>
MarkFormat mark_format(const Slices<Real>& slices, int steps) {
  const auto [longest, spread] = extremes(slices, group_rows(steps, sizeof(Real)));
  const int bits = static_cast<int>(std::bit_width(longest));
  return {bits, bits + static_cast<int>(std::bit_width(spread)) > 16, group_rows(steps, sizeof(Real))};
}
template MarkFormat mark_format(const Slices<float>&, int);
template MarkFormat mark_format(const Slices<double>&, int);

template <class Real>
bool fits_devices(const Slices<Real>& slices) {
  // Sums of 32 lengths are held in 16 bits.
  return slices.longest() < 2048 && slices.rows() > 0 && slices.count() > 0;
}
template bool fits_devices(const Slices<float>&);
template bool fits_devices(const Slices<double>&);

template <class Real>
PackedSlab pack_slab(const Slices<Real>& slices, Index first, MarkFormat format, const CpuWorker& host) {
  const Index count = std::min(slab_slices, slices.count() - first);
  const auto n = static_cast<std::size_t>(count), size = static_cast<std::size_t>(format.group_rows),
             groups = (static_cast<std::size_t>(slices.rows()) + size - 1) / size;
  const SlicesAtHand<Real> at_hand(slices, {first, first + count});
  std::vector<Rows<Real>> rows(n);
  std::vector<PieceHeader> headers(groups * n);
  host.for_each({0, count}, 1, [&](Interval chunk, int) {
    for (Index s = chunk.begin; s < chunk.end; ++s) {
      const auto k = static_cast<std::size_t>(s);
      rows[k].read(at_hand, slices.rows(), first + s, size);
      for (std::size_t g = 0; g < groups; ++g) headers[g * n + k] = rows[k].header(g, format);
    }
  });
  std::uint64_t offset = 0;
  for (PieceHeader& h : headers) {
    verify(offset <= 0xffffffffULL, "a slab is smaller than 64 GiB");
    h.offset = static_cast<std::uint32_t>(offset);
    offset += h.size;
  }
  PackedSlab out;
  out.pieces.resize(16 * offset);
  host.for_each({0, static_cast<Index>(groups)}, 4, [&](Interval chunk, int) {
    for (auto g = static_cast<std::size_t>(chunk.begin); g < static_cast<std::size_t>(chunk.end); ++g)
      for (std::size_t k = 0; k < n; ++k) {
        const PieceHeader& h = headers[g * n + k];
        rows[k].write(g, h, format, out.pieces.data() + 16 * static_cast<std::size_t>(h.offset));
      }
  });
  out.headers.resize(headers.size() * sizeof(PieceHeader));
  std::memcpy(out.headers.data(), static_cast<const void*>(headers.data()), out.headers.size());
  return out;
}
template PackedSlab pack_slab(const Slices<float>&, Index, MarkFormat, const CpuWorker&);
template PackedSlab pack_slab(const Slices<double>&, Index, MarkFormat, const CpuWorker&);

}  // namespace conoid::acoustic_bem

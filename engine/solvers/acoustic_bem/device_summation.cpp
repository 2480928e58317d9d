// SPDX-License-Identifier: BSD-3-Clause
// Keeps slabs and past values on a device, and launches the product over the slabs of an interval.
#include "engine/solvers/acoustic_bem/device_summation.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <map>
#include <type_traits>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"

namespace conoid::acoustic_bem {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr RaggedTuning tuned{4, 64};  // measured on an H200 (README)

}  // namespace

template <class Real>
struct DeviceSummation<Real>::Parts {
  struct Slab {
    DeviceBuffer<unsigned char> pieces, headers;
    Bytes bytes = 0;
  };
  /// The past values of one excitation on the device, up to time `step`.
  struct Past {
    DeviceBuffer<Real> ring;
    Index step = -1;
  };
  /// Where slabs that do not stay pass through: one is filled while the other is summed.
  struct Slot {
    DeviceBuffer<unsigned char> memory;
    Event copied, summed;
    bool used = false;  ///< in this pass
  };

  Device device;
  const Slices<Real>& slices;
  int steps;
  Bytes budget;
  Stream stream, copies;
  Kernel<RaggedArguments> ragged;
  Kernel<GatherArguments> gather;
  Kernel<AppendArguments> append;
  Event begin, end;

  MarkFormat format;
  Index groups = 0, columns = 0;
  Index ring = 0;
  std::vector<Bytes> slab_bytes;  ///< of each slab: pieces and headers
  Bytes largest_slab = 0;
  std::int32_t piece_bytes = 0, window_values = 0, shared_per_warp = 0;
  unsigned warps = 1;
  RaggedTuning tuning;

  std::map<Index, Slab> resident;
  Bytes resident_bytes = 0;
  std::vector<Past> past;
  PinnedBuffer<Real> fresh;
  DeviceBuffer<Real> fresh_on_device;
  DeviceBuffer<Real> partial;
  DeviceBuffer<double> sums;
  PinnedBuffer<double> sums_on_host;
  DeviceBuffer<SlabView> views;
  DeviceBuffer<std::int32_t> part_begin;
  Slot slots[2];
  std::map<Index, PinnedBuffer<unsigned char>>
      packed;  ///< slabs that pass through: headers, then pieces; laid out once

  double copying = 0, kernel_seconds = 0;
  Bytes streamed = 0, kernel_bytes = 0;

  Parts(const Device& d, const Slices<Real>& s, int n, Bytes b, RaggedTuning t)
      : device(d), slices(s), steps(n), budget(b), stream(d.stream()), copies(d.stream()), begin(d.event()),
        end(d.event()), tuning(t) {
    if (tuning.warps == 0) tuning.warps = tuned.warps;
    if (tuning.waves == 0) tuning.waves = tuned.waves;
    const char* const real = std::is_same_v<Real, float> ? "float" : "double";
    ragged = device.kernel<RaggedArguments>(fmt::format("acoustic-bem/ragged<{},{}>", real, steps));
    gather = device.kernel<GatherArguments>(fmt::format("acoustic-bem/gather<{}>", real));
    append = device.kernel<AppendArguments>(fmt::format("acoustic-bem/append<{}>", real));
    groups = (slices.rows() + group_rows(steps, sizeof(Real)) - 1) / group_rows(steps, sizeof(Real));
    columns = slices.columns();
    ring = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(columns + 2 * steps + 4)));
    format = mark_format(slices, steps);
    measure();
    choose_shape();
    const Bytes always = fixed_bytes();
    if (always + 2 * largest_slab > budget)
      throw Failure(make_error(
          ErrorCode::resources,
          fmt::format(
              "{}: the summation needs {} for past values and sums and {} for two slabs of slices; its budget is {}",
              device.info().name, format_bytes(always), format_bytes(2 * largest_slab), format_bytes(budget)),
          "Raise compute.memory.device, or leave the device out with --workers cpu."));
  }

  [[nodiscard]] Index slabs() const { return (slices.count() + slab_slices - 1) / slab_slices; }
  [[nodiscard]] Index slices_of(Index slab) const { return std::min(slab_slices, slices.count() - slab * slab_slices); }
  [[nodiscard]] std::size_t header_bytes(Index slab) const {
    return sizeof(PieceHeader) * static_cast<std::size_t>(groups * slices_of(slab));
  }
  /// Past values of one excitation, sums and partial sums.
  [[nodiscard]] Bytes fixed_bytes() const {
    return static_cast<Bytes>(slices.count() * ring) * sizeof(Real) +
           static_cast<Bytes>(slices.rows() * steps) * (8 + 64 * sizeof(Real)) + (Bytes{1} << 20);
  }

  /// Sizes of all slabs, of the largest piece and the largest window, without laying anything out.
  void measure() {
    slab_bytes.assign(static_cast<std::size_t>(slabs()), 0);
    struct Extent {
      Index low = 1 << 30, high = -1, count = 0;
    };
    std::vector<Extent> extent;
    std::size_t piece = 0;
    Index window = 0;
    const std::size_t marks = (format.wide ? 4 : 2) * static_cast<std::size_t>(format.group_rows);
    for (Index j = 0; j < slices.count(); ++j) {
      extent.assign(static_cast<std::size_t>(groups), {});
      slices.for_each_shape(j, [&](Index i, Index start, std::size_t length) {
        if (length == 0) return;
        Extent& e = extent[static_cast<std::size_t>(i / format.group_rows)];
        e.low = std::min(e.low, start);
        e.high = std::max(e.high, start + static_cast<Index>(length) - 1);
        e.count += static_cast<Index>(length);
      });
      for (const Extent& e : extent) {
        const std::size_t bytes = (marks + static_cast<std::size_t>(e.count) * sizeof(Real) + 15) / 16 * 16;
        slab_bytes[static_cast<std::size_t>(j / slab_slices)] += bytes + sizeof(PieceHeader);
        piece = std::max(piece, bytes);
        if (e.high >= e.low) window = std::max(window, e.high - e.low + steps);
      }
    }
    for (Bytes b : slab_bytes) largest_slab = std::max(largest_slab, b + 512);
    piece_bytes = static_cast<std::int32_t>(piece);
    window_values = static_cast<std::int32_t>(std::max<Index>(window, steps));
  }

  /// As many warps a block as shared memory allows.
  void choose_shape() {
    const auto limit = static_cast<std::int64_t>(device.info().shared_per_block);
    shared_per_warp = ragged_shared<Real>(piece_bytes, window_values);
    for (warps = tuning.warps; warps >= 1; warps /= 2)
      if (static_cast<std::int64_t>(shared_per_warp) * warps <= limit) return;
    throw Failure(make_error(
        ErrorCode::resources,
        fmt::format("{}: row-vectors as long as {} do not fit its shared memory", device.info().name, slices.longest()),
        "Refine the largest elements of the mesh, or compute with --workers cpu."));
  }

  void upload_past(std::span<const History<Real>> runs) {
    past.resize(runs.size());
    const auto n = static_cast<std::size_t>(slices.count()), k = static_cast<std::size_t>(steps);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const History<Real>& h = runs[r];
      Past& p = past[r];
      if (p.step == h.step()) continue;
      if (p.ring.empty()) p.ring = device.allocate<Real>(n * static_cast<std::size_t>(ring), "past values");
      if (p.step >= 0 && p.step + steps == h.step()) {
        // Only the last group is new.
        if (fresh.size() == 0) {
          fresh = device.pinned<Real>(n * k);
          fresh_on_device = device.allocate<Real>(n * k, "new values");
        }
        for (std::size_t j = 0; j < n; ++j) {
          const Real* const last = h.past(static_cast<Index>(j)) - steps;
          std::copy(last, last + steps, fresh.data() + j * k);
        }
        stream.to_device(fresh_on_device, fresh.span());
        stream.launch(append, {.grid = {static_cast<unsigned>((n * k + 255) / 256), 1, 1}, .block = {256, 1, 1}},
                      {fresh_on_device.data(), p.ring.data(), h.step() - steps + 1, static_cast<std::int32_t>(n),
                       static_cast<std::int32_t>(ring), steps});
        stream.synchronize();  // `fresh` is free again
      } else {
        // Time T of unknown j lies at T mod ring; later times are zero, and so are those further back than columns need.
        std::vector<Real> all(n * static_cast<std::size_t>(ring), Real{0});
        const Index kept = std::min<Index>(ring - steps, h.reach() + 1);
        for (std::size_t j = 0; j < n; ++j)
          for (Index back = 0; back < kept; ++back) {
            const Index time = h.step() - back;
            all[j * static_cast<std::size_t>(ring) + static_cast<std::size_t>(time & (ring - 1))] =
                h.value(static_cast<Index>(j), back);
          }
        stream.to_device(p.ring, all);
        stream.synchronize();
      }
      p.step = h.step();
    }
  }

  /// Slabs of the interval that stay; frees what the interval has left if memory is short.
  void settle(const CpuWorker& host, Index first, Index last) {
    const Bytes others = fixed_bytes() * std::max<Bytes>(1, past.size());
    Bytes wanted = 0;
    for (Index q = first; q <= last; ++q) wanted += slab_bytes[static_cast<std::size_t>(q)];
    const bool all_fit = others + wanted <= budget;
    const Bytes room = budget - std::min(budget, others + (all_fit ? 0 : 2 * largest_slab));
    for (auto at = resident.begin(); at != resident.end();) {
      const bool outside = at->first < first || at->first > last;
      if (outside && resident_bytes + wanted > room) {
        resident_bytes -= at->second.bytes;
        at = resident.erase(at);
      } else {
        ++at;
      }
    }
    for (Index q = first; q <= last; ++q) {
      const Bytes bytes = slab_bytes[static_cast<std::size_t>(q)];
      if (resident.count(q) != 0 || resident_bytes + bytes > room) continue;
      const auto start = Clock::now();
      const PackedSlab made = pack_slab(slices, q * slab_slices, format, host);
      Slab slab;
      slab.pieces = device.allocate<unsigned char>(std::max<std::size_t>(made.pieces.size(), 16), "slices");
      slab.headers = device.allocate<unsigned char>(made.headers.size(), "headers of slices");
      slab.bytes = bytes;
      stream.to_device(slab.pieces, made.pieces);
      stream.to_device(slab.headers, made.headers);
      stream.synchronize();  // `made` goes
      packed.erase(q);
      resident_bytes += bytes;
      resident[q] = std::move(slab);
      copying += seconds_since(start);
    }
    if (all_fit) {
      packed.clear();
      for (Slot& s : slots) s = {};
    }
  }

  [[nodiscard]] SlabView view(Index q, const unsigned char* pieces, const unsigned char* headers,
                              Interval interval) const {
    SlabView v;
    v.pieces = pieces;
    v.headers = reinterpret_cast<const PieceHeader*>(headers);
    v.first_slice = static_cast<std::int32_t>(q * slab_slices);
    v.slices = static_cast<std::int32_t>(slices_of(q));
    v.begin = static_cast<std::int32_t>(std::max<Index>(interval.begin - q * slab_slices, 0));
    v.end = static_cast<std::int32_t>(std::min<Index>(interval.end - q * slab_slices, v.slices));
    return v;
  }

  /// Launches one product a run over `list`, adding to `to` of the partial sums.
  void launch(std::size_t list_begin, std::size_t parts, std::size_t part_first, std::size_t runs,
              std::size_t parts_in_all, Index shift, std::size_t partial_first) {
    RaggedArguments a{};
    a.slab = views.data() + list_begin;
    a.part_begin = part_begin.data() + part_first;
    a.ring = static_cast<std::int32_t>(ring);
    a.rows = static_cast<std::int32_t>(slices.rows());
    a.groups = static_cast<std::int32_t>(groups);
    a.length_bits = format.length_bits;
    a.wide_marks = format.wide ? 1 : 0;
    a.piece_bytes = piece_bytes;
    a.window_values = window_values;
    LaunchShape shape;
    shape.grid = {static_cast<unsigned>((groups + warps - 1) / warps), static_cast<unsigned>(parts), 1};
    shape.block = {32 * warps, 1, 1};
    shape.shared = static_cast<Bytes>(shared_per_warp) * warps;
    const std::size_t entries = static_cast<std::size_t>(slices.rows() * steps);
    for (std::size_t r = 0; r < runs; ++r) {
      a.past = past[r].ring.data();
      a.now = past[r].step + 1 - shift;
      a.partial = partial.data() + (r * parts_in_all + partial_first) * entries;
      stream.launch(ragged, shape, a);
    }
  }

  void run(const CpuWorker& host, Interval interval, std::span<const History<Real>> runs, Index shift,
           std::span<double> out) {
    copying = kernel_seconds = 0;
    streamed = kernel_bytes = 0;
    upload_past(runs);
    const Index first = interval.begin / slab_slices, last = (interval.end - 1) / slab_slices;
    settle(host, first, last);

    // Parts: enough blocks to fill the device several times over, in whole slabs; a slab that passes through is a part.
    std::vector<SlabView> list;
    std::vector<Index> passing;
    for (Index q = first; q <= last; ++q) {
      const auto at = resident.find(q);
      if (at != resident.end())
        list.push_back(view(q, at->second.pieces.data(), at->second.headers.data(), interval));
      else
        passing.push_back(q);
    }
    const auto row_blocks = static_cast<std::size_t>((groups + warps - 1) / warps);
    const std::size_t wanted = tuning.waves * static_cast<std::size_t>(device.info().multiprocessors) / row_blocks + 1;
    const std::size_t parts = std::min(list.size(), std::min<std::size_t>(wanted, 65000)),
                      parts_in_all = parts + passing.size();
    std::vector<std::int32_t> borders;
    for (std::size_t p = 0; p <= parts; ++p)
      borders.push_back(static_cast<std::int32_t>(parts == 0 ? 0 : p * list.size() / parts));
    const std::size_t settled = list.size();
    // Views and borders of the passing slabs, each a part of its own: their addresses are those of the two slots.
    const auto entries = static_cast<std::size_t>(slices.rows() * steps);
    const std::size_t needed = runs.size() * parts_in_all * entries;
    if (partial.size() < needed) {
      partial = {};
      partial = device.allocate<Real>(needed, "partial sums");
    }
    if (sums.size() < entries) {
      sums = device.allocate<double>(entries, "sums");
      sums_on_host = device.pinned<double>(entries);
    }
    for (std::size_t k = 0; k < passing.size(); ++k) {
      Slot& slot = slots[k % 2];
      if (slot.memory.empty()) {
        slot.memory = device.allocate<unsigned char>(largest_slab, "passing slices");
        slot.copied = device.event();
        slot.summed = device.event();
      }
      const std::size_t head = (header_bytes(passing[k]) + 255) / 256 * 256;
      list.push_back(view(passing[k], slot.memory.data() + head, slot.memory.data(), interval));
    }
    borders.push_back(0);
    borders.push_back(1);
    if (views.size() < list.size()) {
      views = {};
      views = device.allocate<SlabView>(list.size() + 16, "slabs");
    }
    if (part_begin.size() < borders.size()) {
      part_begin = {};
      part_begin = device.allocate<std::int32_t>(borders.size() + 16, "parts");
    }
    stream.to_device(views, list);
    stream.to_device(part_begin, borders);
    stream.synchronize();  // `list` and `borders` are of the host's pageable memory

    stream.record(begin);
    if (parts > 0) launch(0, parts, 0, runs.size(), parts_in_all, shift, 0);
    for (std::size_t k = 0; k < passing.size(); ++k) {
      Slot& slot = slots[k % 2];
      const Index q = passing[k];
      auto at = packed.find(q);
      if (at == packed.end()) {
        const auto start = Clock::now();
        const PackedSlab made = pack_slab(slices, q * slab_slices, format, host);
        const std::size_t head = (made.headers.size() + 255) / 256 * 256;
        auto pinned = device.pinned<unsigned char>(head + made.pieces.size());
        std::memcpy(pinned.data(), made.headers.data(), made.headers.size());
        std::memset(pinned.data() + made.headers.size(), 0, head - made.headers.size());
        std::memcpy(pinned.data() + head, made.pieces.data(), made.pieces.size());
        at = packed.emplace(q, std::move(pinned)).first;
        copying += seconds_since(start);
      }
      if (slot.used) copies.wait(slot.summed);
      copies.to_device(slot.memory, at->second.span());
      copies.record(slot.copied);
      stream.wait(slot.copied);
      launch(settled + k, 1, parts + 1, runs.size(), parts_in_all, shift, parts + k);
      stream.record(slot.summed);
      slot.used = true;
      streamed += at->second.size();
    }
    stream.record(end);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      stream.launch(gather, {.grid = {static_cast<unsigned>((entries + 255) / 256), 1, 1}, .block = {256, 1, 1}},
                    {partial.data() + r * parts_in_all * entries, sums.data(), static_cast<std::int64_t>(entries),
                     static_cast<std::int32_t>(parts_in_all)});
      stream.to_host(sums_on_host.span().first(entries), sums);
      stream.synchronize();
      std::copy_n(sums_on_host.data(), entries, out.data() + r * entries);
    }
    for (Slot& s : slots) s.used = false;
    kernel_seconds = end.seconds_since(begin);
    for (Index q = first; q <= last; ++q) kernel_bytes += slab_bytes[static_cast<std::size_t>(q)] * runs.size();
  }
};

template <class Real>
DeviceSummation<Real>::DeviceSummation(const Device& device, const Slices<Real>& slices, int steps, Bytes budget,
                                       RaggedTuning tuning)
    : parts_(std::make_unique<Parts>(device, slices, steps, budget, tuning)) {}
template <class Real>
DeviceSummation<Real>::~DeviceSummation() = default;

template <class Real>
void DeviceSummation<Real>::run(const CpuWorker& host, Interval interval, std::span<const History<Real>> runs,
                                Index shift, std::span<double> sums) {
  if (interval.empty()) {
    std::fill(sums.begin(), sums.end(), 0.0);
    return;
  }
  parts_->run(host, interval, runs, shift, sums);
}
template <class Real>
double DeviceSummation<Real>::copying() const {
  return parts_->copying;
}
template <class Real>
Bytes DeviceSummation<Real>::resident() const {
  return parts_->resident_bytes;
}
template <class Real>
Bytes DeviceSummation<Real>::streamed() const {
  return parts_->streamed;
}
template <class Real>
double DeviceSummation<Real>::kernel_seconds() const {
  return parts_->kernel_seconds;
}
template <class Real>
Bytes DeviceSummation<Real>::kernel_bytes() const {
  return parts_->kernel_bytes;
}

template class DeviceSummation<float>;
template class DeviceSummation<double>;

}  // namespace conoid::acoustic_bem

// SPDX-License-Identifier: BSD-3-Clause
// Keeps slabs and past values on a device, and launches the product over the slabs of an interval.
//
// Slabs are windows of two levels: the device's over page-locked memory of the host, whose windows are laid out from the slices
// when they are asked for, wherever the values of those are. So values come disk → host → host (laid out) → device.
#include "engine/solvers/acoustic_bem/cuda/device_summation.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <deque>
#include <type_traits>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"
#include "engine/solvers/device_memory.hpp"
#include "engine/team/phase.hpp"

namespace conoid::acoustic_bem {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What the warps of one launch do.
struct Share {
  std::vector<RaggedJob> jobs;
  std::vector<std::int32_t> job_begin;  ///< of each warp, and the end
  std::vector<std::int32_t> first_job;  ///< of each row group, and the end
};

/// Lays slabs out when a level asks for them.
template <class Real>
class SlabMaker final : public WindowBacking {
 public:
  SlabMaker(const Slices<Real>& slices, int steps, CpuWorker host)
      : slices_(slices), steps_(steps), host_(std::move(host)) {}
  Status load(Index slab, std::span<std::byte> memory) override {
    try {
      pack_slab(slices_, slab * slab_slices, steps_, host_, memory);
      return {};
    } catch (const Failure& failure) {
      return failure.error();
    }
  }
  Status save(Index, std::span<const std::byte>) override {
    return make_error(ErrorCode::internal, "slabs are never changed");
  }

 private:
  const Slices<Real>& slices_;
  int steps_;
  CpuWorker host_;
};

}  // namespace

template <class Real>
struct DeviceSummation<Real>::Parts {
  /// The past values of one excitation on the device, up to time `step`.
  struct Past {
    DeviceBuffer<Real> ring;
    Index step = -1;
  };
  /// Slabs that a launch reads, and the end of it.
  struct Batch {
    std::vector<Lease> leases;
    Bytes bytes = 0;
    Event summed;
  };

  Device device;
  const Slices<Real>& slices;
  int steps;
  Bytes budget;
  Stream stream;
  Kernel<RaggedArguments> ragged;
  Kernel<GatherJobsArguments> gather;
  Kernel<AppendArguments> append;
  Event begin, end;

  Index groups = 0, columns = 0;
  Index ring = 0, stride = 0;     ///< of a series of past values: times, and memory with the ring's begin again
  std::vector<Bytes> slab_bytes;  ///< of each slab: pieces and headers
  std::vector<std::vector<Interval>> runs_of;  ///< of each row group the slices that have anything there, ascending
  Bytes largest_slab = 0;
  std::int32_t piece_bytes = 0, window_bytes = 0, shared_per_warp = 0;
  unsigned warps = 1, blocks_at_once = 1, rounds = 1;
  RaggedTuning tuning;

  std::vector<Past> past;
  PinnedBuffer<Real> fresh;
  DeviceBuffer<Real> fresh_on_device;
  DeviceBuffer<Real> partial;
  DeviceBuffer<double> sums;
  PinnedBuffer<double> sums_on_host;
  DeviceBuffer<SlabView> views;
  PinnedBuffer<SlabView> views_on_host;
  std::vector<Share> shares;  ///< of each batch of the interval `cut_for`
  std::vector<Interval> batches;
  Interval cut_for;
  DeviceBuffer<RaggedJob> jobs;         ///< of all batches, one behind the other
  DeviceBuffer<std::int32_t> begins;    ///< of each batch: job_begin, first_job
  std::unique_ptr<Windows> packed;      ///< slabs in memory of the host
  std::unique_ptr<Windows> slabs_here;  ///< on the device, over `packed`
  Tour tour;
  Interval toured;          ///< slabs of the tour
  std::vector<Lease> kept;  ///< of all of them, where all stay

  double copying = 0, kernel_seconds = 0;
  Bytes streamed = 0, kernel_bytes = 0;

  Parts(const Device& d, const Slices<Real>& s, int n, Bytes b, const CpuWorker& host, RaggedTuning t)
      : device(d), slices(s), steps(n), budget(b), stream(d.stream()), begin(d.event()), end(d.event()), tuning(t) {
    const char* const real = std::is_same_v<Real, float> ? "float" : "double";
    ragged = device.kernel<RaggedArguments>(fmt::format("acoustic-bem/ragged<{},{}>", real, steps));
    gather = device.kernel<GatherJobsArguments>(fmt::format("acoustic-bem/gather_jobs<{}>", real));
    append = device.kernel<AppendArguments>(fmt::format("acoustic-bem/append<{}>", real));
    groups = (slices.rows() + group_rows(steps, sizeof(Real)) - 1) / group_rows(steps, sizeof(Real));
    columns = slices.columns();
    ring = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(columns + slices.longest() + 2 * steps + 16)));
    rounds = tuning.rounds > 0 ? tuning.rounds : steps > 8 ? 4 : 1;
    measure(host);
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
  [[nodiscard]] Bytes bytes_of(Interval some) const {
    Bytes n = 0;
    for (Index q = some.begin; q < some.end; ++q) n += slab_bytes[static_cast<std::size_t>(q)];
    return n;
  }
  [[nodiscard]] std::size_t header_bytes(Index slab) const {
    return sizeof(PieceHeader) * static_cast<std::size_t>(groups * slices_of(slab));
  }
  /// Past values of one excitation, sums and partial sums.
  [[nodiscard]] Bytes fixed_bytes() const {
    return static_cast<Bytes>(slices.count() * stride) * sizeof(Real) + static_cast<Bytes>(slices.rows() * steps) * 8 +
           most_jobs() * static_cast<Bytes>(steps * group_rows(steps, sizeof(Real))) * sizeof(Real) + (Bytes{1} << 18);
  }
  [[nodiscard]] std::size_t warps_at_once() const {
    return static_cast<std::size_t>(rounds * warps * blocks_at_once) *
           static_cast<std::size_t>(device.info().multiprocessors);
  }
  [[nodiscard]] Bytes most_jobs() const {
    Bytes out = warps_at_once();
    for (const auto& some : runs_of) out += some.size();
    return out;
  }

  /// Adds slices behind the others; what little lies between is passed through, since each run is a job of its own.
  static void join(std::vector<Interval>& some, Interval more) {
    constexpr Index gap = 8;
    if (!some.empty() && more.begin - some.back().end <= gap)
      some.back().end = more.end;
    else
      some.push_back(more);
  }

  /// Sizes of all slabs, of the largest piece and the largest window, without laying anything out; and where there is nothing.
  void measure(const CpuWorker& host) {
    slab_bytes.assign(static_cast<std::size_t>(slabs()), 0);
    struct Largest {
      std::size_t piece = 0, window = 0;
      std::vector<std::pair<Index, Interval>> runs;  ///< row group and slices
    };
    std::vector<Largest> of_slab(slab_bytes.size());
    const Index size = group_rows(steps, sizeof(Real));
    host.for_each({0, slabs()}, 1, [&](Interval some, int) {
      std::vector<PieceExtent> extent;
      std::vector<std::vector<Interval>> runs(static_cast<std::size_t>(groups));
      for (Index q = some.begin; q < some.end; ++q) {
        Bytes& b = slab_bytes[static_cast<std::size_t>(q)];
        Largest& largest = of_slab[static_cast<std::size_t>(q)];
        bool any_empty = false;
        for (Index j = q * slab_slices; j < q * slab_slices + slices_of(q); ++j) {
          extent.assign(static_cast<std::size_t>(groups), {});
          slices.for_each_shape(j, [&](Index i, Index start, std::size_t length) {
            extent[static_cast<std::size_t>(i / size)].add(start, length);
          });
          for (std::size_t g = 0; g < extent.size(); ++g) {
            const PieceHeader h = extent[g].header(steps, sizeof(Real));
            if (extent[g].count > 0) join(runs[g], {j, j + 1});
            if (extent[g].count > 0 || !any_empty) b += std::size_t{16} * h.size;  // empty pieces are one
            any_empty = any_empty || extent[g].count == 0;
            largest.piece = std::max(largest.piece, std::size_t{16} * h.size);
            largest.window = std::max(largest.window, std::size_t{16} * h.window);
          }
        }
        for (std::size_t g = 0; g < runs.size(); ++g) {
          for (const Interval& run : runs[g]) largest.runs.emplace_back(static_cast<Index>(g), run);
          runs[g].clear();
        }
        b = (b + behind_headers(header_bytes(q)) + 4095) / 4096 * 4096;
      }
    });
    std::size_t piece = 0, window = 0;
    runs_of.assign(static_cast<std::size_t>(groups), {});
    for (const Largest& l : of_slab) {
      piece = std::max(piece, l.piece);
      window = std::max(window, l.window);
      for (const auto& [group, run] : l.runs) join(runs_of[static_cast<std::size_t>(group)], run);
    }
    for (const Bytes b : slab_bytes) largest_slab = std::max(largest_slab, b);
    piece_bytes = static_cast<std::int32_t>(piece);
    window_bytes = static_cast<std::int32_t>(window);
    stride = ring + static_cast<Index>(window / sizeof(Real));
  }

  /// As many warps a block as shared memory allows, and as many blocks as a multiprocessor takes at a time.
  void choose_shape() {
    const auto limit = static_cast<std::int64_t>(device.info().shared_per_block);
    shared_per_warp = ragged_shared(piece_bytes, window_bytes);
    for (warps = tuning.warps > 0 ? tuning.warps : ragged_warps; warps >= 1; warps /= 2) {
      const std::int64_t shared = static_cast<std::int64_t>(shared_per_warp) * warps;
      if (shared > limit) continue;
      constexpr std::int64_t reserved = 1024;  // of each block, by the system; one block may take all but that
      const std::int64_t fit = (limit + reserved) / (shared + reserved);
      const std::int64_t most = ragged_blocks(steps, sizeof(Real)) * ragged_warps / static_cast<std::int64_t>(warps);
      blocks_at_once =
          tuning.blocks > 0 ? tuning.blocks : static_cast<unsigned>(std::clamp<std::int64_t>(fit, 1, most));
      return;
    }
    throw Failure(make_error(
        ErrorCode::resources,
        fmt::format("{}: row-vectors as long as {} do not fit its shared memory", device.info().name, slices.longest()),
        "Refine the largest elements of the mesh, or compute with --workers cpu."));
  }

  /// The pieces of some slices, group by group, in stretches of one length for all warps that the device runs at a time; where a group
  /// has nothing (far clusters of compressed matrices) no warp goes. Their number counts, not their bytes: each is asked for when the one
  /// before has come, and all wait in one queue for the memory, so that a short one takes as long as a long one.
  [[nodiscard]] Share share_out(Interval some) const {
    Share out;
    Index total = 0;
    const auto each_run = [&](const std::vector<Interval>& runs, auto&& f) {
      for (const Interval& run : runs)
        if (const Interval part{std::max(run.begin, some.begin), std::min(run.end, some.end)}; part.begin < part.end)
          f(part);
    };
    for (const auto& runs : runs_of) each_run(runs, [&](Interval part) { total += part.size(); });
    const Index n = std::min(static_cast<Index>(warps_at_once()), total);
    out.job_begin.push_back(0);
    Index at = 0, warp = 0;  // pieces so far, and who takes the next
    for (std::size_t g = 0; g < runs_of.size(); ++g) {
      out.first_job.push_back(static_cast<std::int32_t>(out.jobs.size()));
      each_run(runs_of[g], [&](Interval part) {
        while (part.begin < part.end) {
          const Index last = total * (warp + 1) / n, stop = std::min(part.end, part.begin + last - at);
          out.jobs.push_back(
              {static_cast<std::int32_t>(g), static_cast<std::int32_t>(part.begin), static_cast<std::int32_t>(stop)});
          at += stop - part.begin;
          part.begin = stop;
          if (at < last) continue;
          out.job_begin.push_back(static_cast<std::int32_t>(out.jobs.size()));
          ++warp;
        }
      });
    }
    out.first_job.push_back(static_cast<std::int32_t>(out.jobs.size()));
    if (n == 0) out.job_begin.push_back(0);  // a warp that finds nothing to do
    return out;
  }

  /// Groups of steps that the ring lacks, where all of them are still known; 0: it is made anew.
  [[nodiscard]] Index lacking(const Past& p, const History<Real>& h) const {
    constexpr Index most = 8;  // planes are summed once in so many groups at most (AcousticBem::choose_bundle)
    const Index behind = h.step() - p.step;
    return p.step >= 0 && behind > 0 && behind % steps == 0 && behind <= std::min(most * steps, h.reach())
               ? behind / steps
               : 0;
  }

  /// Nothing is waited for where a group is new: what copies read stays as it is until the end of run().
  void upload_past(std::span<const History<Real>> runs) {
    past.resize(runs.size());
    const auto n = static_cast<std::size_t>(slices.count()), k = static_cast<std::size_t>(steps);
    bool any_new = false;
    for (std::size_t r = 0; r < runs.size(); ++r) any_new = any_new || lacking(past[r], runs[r]) > 0;
    if (any_new && fresh.size() < runs.size() * n * k) {
      fresh = device.pinned<Real>(runs.size() * n * k);
      fresh_on_device = device.allocate<Real>(runs.size() * n * k, "new values");
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const History<Real>& h = runs[r];
      Past& p = past[r];
      if (p.step == h.step()) continue;
      if (p.ring.empty()) p.ring = device.allocate<Real>(n * static_cast<std::size_t>(stride), "past values");
      if (const Index some = lacking(p, h); some > 0) {
        const std::size_t at = r * n * k;
        for (Index g = some; g >= 1; --g) {
          if (g < some) stream.synchronize();  // `fresh` is free again
          for (std::size_t j = 0; j < n; ++j)
            std::copy_n(h.past(slices.first() + static_cast<Index>(j)) - g * steps, steps, fresh.data() + at + j * k);
          stream.to_device(fresh_on_device, fresh.span().subspan(at, n * k), at);
          stream.launch(
              append, {.grid = {static_cast<unsigned>((n * k + 255) / 256), 1, 1}, .block = {256, 1, 1}},
              {fresh_on_device.data() + at, p.ring.data(), h.step() - g * steps + 1, static_cast<std::int32_t>(n),
               static_cast<std::int32_t>(ring), static_cast<std::int32_t>(stride), steps});
        }
      } else {
        // Time T of unknown j lies at T mod ring; later times are zero, and so are those further back than columns need.
        const auto step = static_cast<std::size_t>(stride);
        std::vector<Real> all(n * step, Real{0});
        const Index known = std::min<Index>(ring - steps, h.reach() + 1);
        for (std::size_t j = 0; j < n; ++j) {
          Real* const series = all.data() + j * step;
          for (Index back = 0; back < known; ++back)
            series[static_cast<std::size_t>((h.step() - back) & (ring - 1))] =
                h.value(slices.first() + static_cast<Index>(j), back);
          std::copy_n(series, stride - ring, series + ring);
        }
        stream.to_device(p.ring, all);
        stream.synchronize();
      }
      p.step = h.step();
    }
  }

  /// Sees to it that the slabs of the interval are announced. True if all of them stay on the device.
  bool announce(const CpuWorker& host, Interval wanted) {
    const Bytes others = fixed_bytes() * std::max<Bytes>(1, past.size());
    const Bytes room = std::max(budget - std::min(budget, others), 2 * largest_slab);
    if (!slabs_here) {
      const auto memory = window_memory_of(device);
      // Slices from the disk are leased by whole columns of windows: one slab at a time.
      packed = std::make_unique<Windows>("slabs of slices", slab_bytes, 4 * largest_slab,
                                         std::make_shared<SlabMaker<Real>>(slices, steps, host), memory->staging(),
                                         slices.streams() ? 1 : 2);
      slabs_here = device_windows(*packed, memory, room);
    }
    slabs_here->set_budget(room);
    const bool all_stay = bytes_of(wanted) <= room;
    if (!all_stay || !(wanted == toured)) kept.clear();
    if (!(wanted == toured)) {
      // What passes through the device each time is laid out once, unless the slices themselves come from the disk.
      packed->set_budget(all_stay || slices.streams() ? 4 * largest_slab : bytes_of(wanted) + 2 * largest_slab);
      tour = slabs_here->announce(wanted, Access::read, Repeat::yes);
      toured = wanted;
    }
    return all_stay;
  }

  [[nodiscard]] SlabView view(const Lease& lease) const {
    const Index q = lease.window();
    const auto* const headers = reinterpret_cast<const unsigned char*>(lease.bytes().data());
    return {headers + behind_headers(header_bytes(q)), reinterpret_cast<const PieceHeader*>(headers),
            static_cast<std::int32_t>(q * slab_slices), static_cast<std::int32_t>(slices_of(q))};
  }

  /// One launch for all slabs if they stay; else launches of an eighth of the device's memory, so that what comes next is copied
  /// while they run.
  void share_out(Interval interval, Interval wanted, bool all_stay, Bytes room) {
    if (interval == cut_for && all_stay == (batches.size() == 1)) return;
    batches.clear();
    shares.clear();
    for (Index q = wanted.begin; q < wanted.end;) {
      Index stop = q + 1;
      while (stop < wanted.end && (all_stay || bytes_of({q, stop + 1}) <= room / 8)) ++stop;
      batches.push_back({q, stop});
      shares.push_back(
          share_out({std::max(interval.begin, q * slab_slices), std::min(interval.end, stop * slab_slices)}));
      q = stop;
    }
    std::vector<RaggedJob> all;
    std::vector<std::int32_t> all_begins;
    for (const Share& s : shares) {
      all.insert(all.end(), s.jobs.begin(), s.jobs.end());
      all_begins.insert(all_begins.end(), s.job_begin.begin(), s.job_begin.end());
      all_begins.insert(all_begins.end(), s.first_job.begin(), s.first_job.end());
    }
    if (jobs.size() < all.size()) {
      jobs = {};
      jobs = device.allocate<RaggedJob>(all.size() + 64, "jobs");
    }
    if (begins.size() < all_begins.size()) {
      begins = {};
      begins = device.allocate<std::int32_t>(all_begins.size() + 64, "borders of jobs");
    }
    stream.to_device(jobs, all);
    stream.to_device(begins, all_begins);
    stream.synchronize();  // they are of the host's pageable memory
    cut_for = interval;
  }

  /// The products of a batch, one a run, each added to its sums.
  void launch(const Share& share, std::size_t first_job, std::size_t first_begin, std::size_t runs, Index shift,
              bool add) {
    RaggedArguments a{};
    a.slab = views.data();
    a.job = jobs.data() + first_job;
    a.job_begin = begins.data() + first_begin;
    a.partial = partial.data();
    a.ring = static_cast<std::int32_t>(ring);
    a.stride = static_cast<std::int32_t>(stride);
    a.warps = static_cast<std::int32_t>(share.job_begin.size() - 1);
    a.slab_slices = static_cast<std::int32_t>(slab_slices);
    a.piece_bytes = piece_bytes;
    a.window_bytes = window_bytes;
    LaunchShape shape;
    shape.grid = {(static_cast<unsigned>(a.warps) + warps - 1) / warps, 1, 1};
    shape.block = {32 * warps, 1, 1};
    shape.shared = static_cast<Bytes>(shared_per_warp) * warps;
    const auto entries = static_cast<std::size_t>(slices.rows() * steps);
    GatherJobsArguments g{};
    g.partial = partial.data();
    g.first_job = a.job_begin + share.job_begin.size();
    g.rows = static_cast<std::int32_t>(slices.rows());
    g.group_rows = group_rows(steps, sizeof(Real));
    g.steps = steps;
    g.add = add ? 1 : 0;
    for (std::size_t r = 0; r < runs; ++r) {
      a.past = past[r].ring.data();
      a.now = past[r].step + 1 - shift;
      stream.launch(ragged, shape, a);
      stream.record(end);
      g.sums = sums.data() + r * entries;
      stream.launch(gather, {.grid = {static_cast<unsigned>((entries + 255) / 256), 1, 1}, .block = {256, 1, 1}}, g);
    }
  }

  void run(const CpuWorker& host, Interval interval, std::span<const History<Real>> runs, Index shift,
           std::span<double> out) {
    copying = kernel_seconds = 0;
    streamed = kernel_bytes = 0;
    upload_past(runs);
    const Interval wanted{interval.begin / slab_slices, (interval.end - 1) / slab_slices + 1};
    const bool all_stay = announce(host, wanted);
    const Bytes room = slabs_here->budget(), loaded_before = slabs_here->statistics().loaded;

    share_out(interval, wanted, all_stay, room);
    const auto entries = static_cast<std::size_t>(slices.rows() * steps);
    std::size_t most = 0;
    for (const Share& s : shares) most = std::max(most, s.jobs.size());
    const std::size_t needed = most * static_cast<std::size_t>(steps * group_rows(steps, sizeof(Real)));
    if (partial.size() < needed) {
      partial = {};
      partial = device.allocate<Real>(needed, "partial sums");
    }
    if (sums.size() < runs.size() * entries) {
      sums = {};
      sums = device.allocate<double>(runs.size() * entries, "sums");
      sums_on_host = device.pinned<double>(runs.size() * entries);
    }
    if (views.size() == 0) {
      views = device.allocate<SlabView>(static_cast<std::size_t>(slabs()), "slabs");
      views_on_host = device.pinned<SlabView>(static_cast<std::size_t>(slabs()));
    }

    const bool views_lie_there = all_stay && !kept.empty();
    std::deque<Batch> under_way;
    Bytes leased = 0;
    const auto let_go = [&] {
      under_way.front().summed.synchronize();
      leased -= under_way.front().bytes;
      under_way.pop_front();
    };
    std::size_t first_job = 0, first_begin = 0;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      const Bytes bytes = bytes_of(batches[b]);
      // Some memory is left for what comes next.
      while (!under_way.empty() && (under_way.size() >= 2 || leased + bytes + largest_slab > room)) let_go();
      Batch batch;
      batch.leases = std::move(kept);
      kept.clear();
      if (batch.leases.empty())
        for (Index q = batches[b].begin; q < batches[b].end; ++q) {
          const bool idle = under_way.empty() || under_way.back().summed.reached();
          const auto start = Clock::now();
          auto lease = tour.acquire(q, Access::read);
          if (!lease) throw Failure(lease.error());
          if (idle) copying += seconds_since(start);
          batch.leases.push_back(std::move(*lease));
        }
      const auto at = static_cast<std::size_t>(batches[b].begin), count = static_cast<std::size_t>(batches[b].size());
      if (!views_lie_there) {
        for (std::size_t k = 0; k < count; ++k) views_on_host[at + k] = view(batch.leases[k]);
        stream.to_device(views, views_on_host.span().subspan(at, count), at);
      }
      if (b == 0) stream.record(begin);
      launch(shares[b], first_job, first_begin, runs.size(), shift, b > 0);
      first_job += shares[b].jobs.size();
      first_begin += shares[b].job_begin.size() + shares[b].first_job.size();
      batch.bytes = bytes;
      batch.summed = device.event();
      stream.record(batch.summed);
      leased += bytes;
      under_way.push_back(std::move(batch));
    }
    stream.to_host(sums_on_host.span().first(runs.size() * entries), sums);
    stream.synchronize();  // the one wait of a pass whose slabs all stay
    if (all_stay) kept = std::move(under_way.front().leases);
    under_way.clear();
    streamed = all_stay ? 0 : slabs_here->statistics().loaded - loaded_before;
    std::copy_n(sums_on_host.data(), runs.size() * entries, out.data());
    kernel_seconds = end.seconds_since(begin);
    kernel_bytes = bytes_of(wanted) * runs.size();
  }
};

template <class Real>
DeviceSummation<Real>::DeviceSummation(const Device& device, const Slices<Real>& slices, int steps, Bytes budget,
                                       const CpuWorker& host, RaggedTuning tuning)
    : parts_(std::make_unique<Parts>(device, slices, steps, budget, host, tuning)) {}
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
  return parts_->slabs_here ? std::min(parts_->bytes_of(parts_->toured), parts_->slabs_here->budget()) : 0;
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

// SPDX-License-Identifier: BSD-3-Clause
// Chooses a device, takes its memory, feeds its kernels and libraries.
#include "engine/solvers/elastic_bem/cuda/device_solution.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/linalg/cuda/dense_arguments.hpp"
#include "engine/solvers/elastic_bem/cuda/pair_arguments.hpp"
#include "engine/solvers/elastic_bem/discretization/near_pairs.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {
namespace {

using SolutionClock = std::chrono::steady_clock;

double seconds_since(SolutionClock::time_point start) {
  return std::chrono::duration<double>(SolutionClock::now() - start).count();
}

/// Bytes that pass through page-locked memory at a time.
constexpr Bytes piece = Bytes{64} << 20;

/// A card: what corrections take besides is a twentieth of what they spare from here on. Emulated ones spare nothing.
constexpr Index least_ten_bits_of_card = 8000, least_ten_bits_of_emulated = 150;

/// A grid's second dimension.
constexpr std::size_t most_columns = 32768;

template <class T>
Bytes bytes_of(Index values) {
  return static_cast<Bytes>(values) * sizeof(T);
}

/// Memory of the wanted size, what is there if it is large enough.
void take(const Device& device, DeviceBuffer<std::byte>& buffer, Bytes size, const char* label) {
  if (buffer.size() < size) {
    buffer = {};
    buffer = device.allocate<std::byte>(size, label);
  }
}

/// The vector on the device; gone at the end.
template <class T>
DeviceBuffer<T> there(const Device& device, Stream& stream, const T* values, Index count, const char* label) {
  auto out = device.allocate<T>(static_cast<std::size_t>(count), label);
  stream.to_device(out, std::span(values, static_cast<std::size_t>(count)));
  return out;
}

}  // namespace

Index least_ten_bits(const DeviceInfo& device) {
  return device.backend == "cuda" ? least_ten_bits_of_card : least_ten_bits_of_emulated;
}

Bytes device_bytes(const DeviceInfo& device, SolutionPlace place, Index n, Index known, Bytes entry, Bytes factor_entry,
                   Index nodes) {
  if (place == SolutionPlace::processors) return 0;
  if (place == SolutionPlace::through) return dense::expected_through(device, n, factor_entry);
  // Working memory of a factorisation and of its library.
  const Bytes factors = static_cast<Bytes>(n * n) * factor_entry + static_cast<Bytes>(n) * 64 * factor_entry;
  if (place == SolutionPlace::factors) return factors;
  return factors + static_cast<Bytes>(n * (n + known)) * entry + 2 * least_slot_of(nodes, n, entry);
}

template <class Real>
std::unique_ptr<DeviceSolution<Real>> DeviceSolution<Real>::make(Team& team, DeviceRoom& room, PanelStore& panels,
                                                                 Index n, Index known, Bytes factor_entry, Index nodes,
                                                                 bool may_be_whole) {
  const std::vector<DeviceWorker*> devices = team.devices();
  if (devices.empty()) return nullptr;
  // What solutions hold already counts as free.
  const auto free = [&](DeviceWorker& w) {
    const Bytes mine = w.index() == room.worker ? room.held() : 0, of_panels = 2 * panels.of(w.index()).size;
    return w.memory_beside(mine + of_panels) + mine + of_panels;
  };
  DeviceWorker* best = devices.front();
  for (DeviceWorker* w : devices)
    if (free(*w) > free(*best)) best = w;
  const Device& device = best->device();
  if (room.worker != best->index()) {
    const bool told = room.told_absent;
    room = {};
    room.worker = best->index();
    room.told_absent = told;
  }
  if (!room.library) {
    auto opened = dense::DeviceLibrary::open(device);
    if (!opened) {
      if (!room.told_absent)
        log::warning("elastic-bem: processors solve the equations, {} assembles only: {}. {}", device.info().name,
                     opened.error().text, opened.error().hint);
      room.told_absent = true;
      return nullptr;
    }
    room.library = *opened;
    room.stream = device.stream();
  }
  const Bytes there = free(*best);
  const auto bytes = [&](SolutionPlace place) {
    return device_bytes(device.info(), place, n, known, sizeof(C), factor_entry, nodes);
  };
  for (const SolutionPlace place : {SolutionPlace::whole, SolutionPlace::factors, SolutionPlace::through}) {
    if (place == SolutionPlace::whole && !may_be_whole) continue;
    if (place == SolutionPlace::through && !room.library->has_blocks()) continue;
    const Bytes needed = bytes(place);
    if (needed > there) continue;
    if (place == SolutionPlace::through &&
        (factor_entry == 8 ? dense::least_through<std::complex<float>>(*room.library, n)
                           : dense::least_through<std::complex<double>>(*room.library, n)) > there)
      continue;
    // Panels of an earlier phase may lie all over what is free.
    if (needed + 2 * panels.of(best->index()).size > there) panels.give_back(best->index());
    room.others = 2 * panels.of(best->index()).size;
    try {
      if (place != SolutionPlace::whole) {
        room.matrix = {};
        room.known = {};
        room.panels = {};
      }
      if (place == SolutionPlace::through)
        room.factors = {};
      else
        take(device, room.factors, static_cast<Bytes>(n * n) * factor_entry, "factors of the equations");
      if (place == SolutionPlace::whole) {
        take(device, room.matrix, bytes_of<C>(n * n), "matrix of the equations");
        take(device, room.known, std::max<Bytes>(bytes_of<C>(n * known), 1), "columns of known values");
      }
    } catch (const Failure& failure) {
      if (failure.error().code != ErrorCode::resources) throw;
      static_cast<void>(device.free_memory());  // a device that is lost, not full, throws here
      room.matrix = {};
      room.known = {};
      room.factors = {};
      continue;
    }
    if (!room.told_place)
      log::info(
          "elastic-bem: {} unknowns are solved on {} by {}; {}", n, device.info().name, room.library->name(),
          place == SolutionPlace::whole ? std::string("the matrix stays there")
          : place == SolutionPlace::through
              ? fmt::format(
                    "matrix and factors are the host's and pass through, since factors need {} there and {} are left",
                    format_bytes(bytes(SolutionPlace::factors)), format_bytes(there))
          : may_be_whole ? fmt::format("the matrix is the host's, since it needs {} there and {} are left",
                                       format_bytes(bytes(SolutionPlace::whole)), format_bytes(there))
                         : std::string("the matrix is the host's, which completes it"));
    room.told_place = true;
    panels.set_held(best->index(), room.held());
    return std::unique_ptr<DeviceSolution>(new DeviceSolution(team, *best, room, panels, n, place));
  }
  if (!room.told_place)
    log::warning(
        "elastic-bem: processors solve the {} equations: columns of their factors need {} on {}, and there are {} for "
        "them",
        n, format_bytes(bytes(SolutionPlace::through)), device.info().name, format_bytes(there));
  room.told_place = true;
  room.matrix = {};
  room.known = {};
  room.factors = {};
  room.panels = {};
  panels.set_held(best->index(), 0);
  return nullptr;
}

template <class Real>
Bytes DeviceSolution<Real>::budget() const {
  return worker_.memory_beside(room_.held() + room_.others);
}

template <class Real>
AssemblyWork DeviceSolution<Real>::assemble(const Surface& surface, const FarRules<Real>& rules,
                                            const Accuracy& accuracy, const Harmonic& harmonic,
                                            std::span<const std::array<double, 9>> diagonal,
                                            const Targets<Real>& targets, std::stop_token stop, double& singular) {
  const auto start = SolutionClock::now();
  const RowPoints rows{surface.nodes, true};
  ColumnSink<Real> sink(surface, targets, harmonic, n_ / 3, false);
  const LaneMedium<Real> medium = lane_medium<Real>(harmonic);
  room_.matrix.expect_written();
  room_.known.expect_written();
  if (!sink.sole) {
    room_.stream.zero(room_.matrix);
    room_.stream.zero(room_.known);
    room_.stream.synchronize();
  }
  // The device has a thread of its own meanwhile; it lays out what kernels read, and waits.
  const CpuWorker one(1);
  const PairWork<Real> work{surface, rules, medium, rows, sink, false, true};
  auto far = std::async(std::launch::async, [&] {
    return device_pairs<Real>(
        worker_.device(), [&] { return budget(); }, room_.panels, one, work, {0, surface.active}, stop);
  });
  const NearPairs pairs = near_pairs(surface, rules, rows, surface.active, CpuWorker(team_.threads()));
  Patches<Real> patches;
  patches.rows.resize(static_cast<std::size_t>(n_ / 3));
  ColumnSink<Real> near_sink(surface, targets, harmonic, n_ / 3, false);
  near_sink.patches = &patches;
  NearPhase<Real, ColumnSink<Real>> near("near pairs", surface, rules, accuracy, medium, rows, pairs, near_sink, stop);
  team_.run(near, stop);
  const auto begin = SolutionClock::now();
  const AssemblyWork own = assemble_singular<Real>(team_, surface, accuracy, harmonic, diagonal, targets, &patches);
  singular = seconds_since(begin);
  const DevicePairFacts facts = far.get();
  if (!facts.fits)
    throw Failure(make_error(ErrorCode::resources,
                             fmt::format("{}: no memory for two panels of {} beside the matrix",
                                         worker_.device().info().name, format_bytes(facts.least)),
                             "Lower compute.memory.device, so that processors solve, or use --workers cpu."));
  if (!stop.stop_requested()) add(patches);
  // As the walk of processors counts.
  double with_u = 0, elements = 0;
  for (Index k = 0; k < surface.active; ++k) {
    elements += sink.wants(k) ? 1 : 0;
    with_u += sink.with_u(k) ? 1 : 0;
  }
  const double share = elements > 0 ? with_u / elements : 0;
  team_.note("far pairs", seconds_since(start),
             {facts.points * (share * flops_a_point + (1 - share) * flops_a_point_t),
              static_cast<double>(n_ / 3) * (elements + with_u) * 18 * sizeof(Real)},
             Team::Who::devices, worker_.index());
  return {facts.points, near.points() + own.near_points};
}

template <class Real>
void DeviceSolution<Real>::add(const Patches<Real>& patches) {
  // Values for one place are summed here, so that no two threads of the device meet.
  using One = typename Patches<Real>::One;
  std::vector<std::vector<One>> merged(patches.rows.size());
  CpuWorker(team_.threads()).for_each({0, static_cast<Index>(merged.size())}, 64, [&](Interval some, int) {
    for (Index r = some.begin; r < some.end; ++r) {
      std::vector<One> row = patches.rows[static_cast<std::size_t>(r)];
      std::stable_sort(row.begin(), row.end(), [](const One& a, const One& b) { return std::less<>()(a.to, b.to); });
      auto& out = merged[static_cast<std::size_t>(r)];
      for (const One& p : row)
        if (!out.empty() && out.back().to == p.to)
          out.back().value += p.value;
        else
          out.push_back(p);
    }
  });
  const Device& device = worker_.device();
  const auto kernel = device.kernel<PatchArguments<Real>>(
      fmt::format("elastic-bem/add_patches<{}>", std::is_same_v<Real, float> ? "float" : "double"));
  const std::size_t most = piece / sizeof(MatrixPatch<Real>);
  std::size_t total = 0;
  for (const auto& row : merged) total += row.size();
  if (total == 0) return;
  const auto buffer = device.allocate<MatrixPatch<Real>>(std::min(most, total), "near and singular pairs");
  std::vector<MatrixPatch<Real>> list;
  list.reserve(std::min(most, total));
  const auto flush = [&] {
    if (list.empty()) return;
    room_.stream.to_device(buffer, list);
    room_.stream.launch(kernel,
                        {.grid = {static_cast<unsigned>((list.size() + matrix_threads - 1) / matrix_threads), 1, 1},
                         .block = {matrix_threads, 1, 1}},
                        {buffer.data(), static_cast<long long>(list.size())});
    room_.stream.synchronize();
    list.clear();
  };
  for (const auto& row : merged)
    for (const One& p : row) {
      if (list.size() == most) flush();
      list.push_back({reinterpret_cast<Real*>(p.to), p.value.real(), p.value.imag()});
    }
  flush();
}

template <class Real>
void DeviceSolution<Real>::multiply(const C* a, Index cols, const C* x, Index columns, C* y) {
  if (n_ == 0 || columns == 0) return;
  if (cols == 0) {
    std::fill_n(y, n_ * columns, C(0));
    return;
  }
  const Device& device = worker_.device();
  const auto xs = there(device, room_.stream, x, cols * columns, "vectors of a product");
  const auto ys = device.allocate<C>(static_cast<std::size_t>(n_ * columns), "a product");
  room_.library->multiply<C>(room_.stream, a, n_, cols, xs.data(), columns, C(1), C(0), ys.data());
  room_.stream.to_host(std::span(y, static_cast<std::size_t>(n_ * columns)), ys);
  room_.stream.synchronize();
}

template <class Real>
void DeviceSolution<Real>::finish(std::span<const FinishedColumn<Real>> columns, std::span<const C> more) {
  if (columns.empty()) return;
  const Device& device = worker_.device();
  const auto kernel = device.kernel<FinishArguments<Real>>(
      fmt::format("elastic-bem/finish_columns<{}>", std::is_same_v<Real, float> ? "float" : "double"));
  const auto list = there(device, room_.stream, columns.data(), static_cast<Index>(columns.size()), "columns");
  DeviceBuffer<C> added;
  if (!more.empty()) added = there(device, room_.stream, more.data(), static_cast<Index>(more.size()), "far columns");
  for (std::size_t begin = 0; begin < columns.size(); begin += most_columns)
    room_.stream.launch(kernel,
                        {.grid = {static_cast<unsigned>((n_ + matrix_threads - 1) / matrix_threads),
                                  static_cast<unsigned>(std::min(most_columns, columns.size() - begin)), 1},
                         .block = {matrix_threads, 1, 1}},
                        {list.data() + begin, more.empty() ? nullptr : reinterpret_cast<const Real*>(added.data()),
                         static_cast<long long>(n_)});
  room_.stream.synchronize();
}

template <class Real>
void DeviceSolution<Real>::bring_home(std::span<C> to) {
  room_.stream.to_host(std::span(reinterpret_cast<std::byte*>(to.data()), to.size_bytes()), room_.matrix);
  room_.stream.synchronize();
}

template <class Real>
template <class F>
std::optional<dense::DeviceLu<F>>& DeviceSolution<Real>::lu() {
  if constexpr (sizeof(F) == 16)
    return double_;
  else
    return single_;
}

template <class Real>
template <class F>
Status DeviceSolution<Real>::factorise(const C* from, dense::Rounding rounding) {
  const Device& device = worker_.device();
  single_.reset();
  double_.reset();
  try {
    take(device, room_.factors, bytes_of<F>(n_ * n_), "factors of the equations");
    room_.factors.expect_written();
    Stream& stream = room_.stream;
    verify(sizeof(F) <= sizeof(C), "factors are no more precise than their matrix");
    if (whole() && std::is_same_v<F, C>) {
      stream.on_device(room_.factors, 0, room_.matrix, 0, bytes_of<F>(n_ * n_));
    } else if (whole()) {
      const auto kernel = device.kernel<dense::NarrowArguments>("linalg/narrow");
      const auto count = 2 * static_cast<long long>(n_) * n_;
      const long long blocks = std::min<long long>((count + 255) / 256, device.info().multiprocessors * 64LL);
      stream.launch(kernel, {.grid = {static_cast<unsigned>(blocks), 1, 1}, .block = {256, 1, 1}},
                    {reinterpret_cast<const double*>(room_.matrix.data()),
                     reinterpret_cast<float*>(room_.factors.data()), count});
    } else {
      // Two pieces take turns: one is converted while the other is on its way.
      const auto all = static_cast<std::size_t>(n_ * n_), most = std::min(all, piece / sizeof(F));
      const std::array<PinnedBuffer<F>, 2> pieces{device.pinned<F>(most), device.pinned<F>(most)};
      const std::array<Event, 2> sent{device.event(), device.event()};
      const CpuWorker threads(team_.threads());
      for (std::size_t begin = 0, turn = 0; begin < all; begin += most, ++turn) {
        const std::size_t count = std::min(most, all - begin), which = turn % 2;
        if (turn > 1) sent[which].synchronize();
        threads.for_each({0, static_cast<Index>(count)}, Index{1} << 16, [&](Interval some, int) {
          for (Index k = some.begin; k < some.end; ++k)
            pieces[which][static_cast<std::size_t>(k)] = F(from[begin + static_cast<std::size_t>(k)]);
        });
        stream.to_device(room_.factors,
                         std::span(reinterpret_cast<const std::byte*>(pieces[which].data()), count * sizeof(F)),
                         begin * sizeof(F));
        stream.record(sent[which]);
      }
      stream.synchronize();
    }
    auto made =
        dense::DeviceLu<F>::factorise(room_.library, stream, reinterpret_cast<F*>(room_.factors.data()), n_, rounding);
    if (!made) return made.error();
    lu<F>() = std::move(*made);
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::resources) throw;
    static_cast<void>(device.free_memory());  // a device that is lost, not full, throws here
    room_.stream.synchronize();
    return failure.error();
  }
  return {};
}

template <class Real>
template <class F>
Result<dense::Lu<F>> DeviceSolution<Real>::factorise_through(F* matrix, dense::Rounding rounding,
                                                             const Stopped& stopped) {
  panels_.give_back(worker_.index());
  room_.others = 0;
  try {
    return dense::factorise_through<F>(room_.library, room_.stream, matrix, n_, worker_.memory_beside(0), rounding,
                                       team_.threads(), stopped);
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::resources) throw;
    static_cast<void>(worker_.device().free_memory());  // a device that is lost, not full, throws here
    room_.stream.synchronize();
    return failure.error();
  }
}

template <class Real>
template <class F>
void DeviceSolution<Real>::solve(F* rhs, Index columns) {
  const auto values = there(worker_.device(), room_.stream, rhs, n_ * columns, "right-hand sides");
  lu<F>()->solve(room_.stream, values.data(), columns);
  room_.stream.to_host(std::span(rhs, static_cast<std::size_t>(n_ * columns)), values);
  room_.stream.synchronize();
}

template <class Real>
double DeviceSolution<Real>::reciprocal_condition() {
  return double_ ? double_->reciprocal_condition(room_.stream) : single_->reciprocal_condition(room_.stream);
}

template class DeviceSolution<float>;
template class DeviceSolution<double>;
#define CONOID_FACTORS(Real, F)                                                                                  \
  template Status DeviceSolution<Real>::factorise<F>(const std::complex<Real>*, dense::Rounding);                \
  template Result<dense::Lu<F>> DeviceSolution<Real>::factorise_through<F>(F*, dense::Rounding, const Stopped&); \
  template void DeviceSolution<Real>::solve<F>(F*, Index);
CONOID_FACTORS(float, std::complex<float>)
CONOID_FACTORS(double, std::complex<float>)
CONOID_FACTORS(double, std::complex<double>)
CONOID_FACTORS(float, std::complex<double>)
#undef CONOID_FACTORS

}  // namespace conoid::elastic_bem

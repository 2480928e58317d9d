// SPDX-License-Identifier: BSD-3-Clause
// Forecasts of memory and time of the radiation operator.
#include "engine/solvers/maxwell_fem/plan_radiation.hpp"

#include "engine/core/units.hpp"
#include "engine/linalg/device_solve.hpp"
#include "engine/solvers/maxwell_fem/cuda/device_radiation.hpp"
#include "engine/solvers/maxwell_fem/kernels/radiation.hpp"
#include "engine/team/machine_rates.hpp"
#include "engine/team/rate_book.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace conoid::maxwell_fem {
namespace {

// Shares of the multiply-add rate of a core, as measured on spheres of 7,680 to 30,720 points a surface (AVX-512, 58 Gflop/s).
constexpr double product_share = 0.69;   ///< tiles times panels, coefficients counted
constexpr double one_share = 0.60;       ///< one right-hand side
constexpr double low_rank_share = 0.28;  ///< small products
constexpr double making = 490;           ///< multiply-adds for a byte of far blocks
constexpr double stream_rate =
    4e9;  ///< bytes/s of a core for far blocks with one right-hand side, up to 0.8 of what all can copy
constexpr double near_points = 1000;  ///< of S' in leaves near a point of S
constexpr double worth = 0.7;
constexpr double panel_columns = 6;  ///< right-hand sides of a panel

// Of a device (README, "Speed": an H100 with 33.1 Tflop/s of multiply-adds, 62.2 of its library's products and some 3 TB/s).
constexpr double fused_share = 0.5;    ///< of the multiply-add rate, coefficients counted
constexpr double library_share = 0.8;  ///< of the library's products, of panels
constexpr double panel_share = 0.5;    ///< of the copy rate, that panels are written with
constexpr double beside_share =
    0.6;  ///< of the shorter one of making and multiplying panels, not hidden behind the longer one
constexpr double bus_rate = 2e10;  ///< bytes/s of currents and ψ through locked pages, to the device and back
/// A device of compute capability x.0 without measurement: multiply-adds in double of a multiprocessor, flop/s; others have a 32nd. Its
/// library's products go with 1.9 of that where matrix units have doubles (from 8.0 on).
constexpr double of_multiprocessor = 2.4e11, without_doubles = 32, matrix_units = 1.9;

std::string device_key(const DeviceInfo& info) {
  return fmt::format("maxwell-fem | multiply-adds, copies, complex products of {} {}", info.name, info.uuid);
}

/// Rates of a device that is here, measured once; those of its data where it cannot be opened.
RadiationRates::OfDevice measure(const DeviceInfo& info, const std::string& name, bool open) {
  RadiationRates::OfDevice out;
  out.name = name;
  const std::string key = device_key(info);
  if (open || rates_are_kept(key, 1)) {
    const auto rates = kept_rates(key, 1, [&]() -> std::vector<double> {
      const MachineRates found = device_rates(name);
      const auto device = Device::open(name);
      if (!found.known() || !device) return {};
      double products = 0;
      try {
        products = dense::product_rate(*device);
      } catch (const Failure&) {  // no memory for it now: as if there were no library
      }
      // Kept rates are positive: a hair of a flop a second stands for none.
      return {found.flops_double, found.copy, std::max(products, 1.0)};
    });
    if (rates.size() == 3) {
      out.multiply_adds = rates[0];
      out.copy = rates[1];
      out.products = rates[2] > 1 ? rates[2] : 0;
      return out;
    }
  }
  if (info.backend != "cuda") {  // emulated, some hundred times slower than a core
    out.multiply_adds = out.products = 1e9;
    out.copy = 1e10;
    return out;
  }
  out.multiply_adds = of_multiprocessor * info.multiprocessors / (info.minor == 0 ? 1 : without_doubles);
  out.copy = info.bandwidth > 0 ? 0.8 * info.bandwidth : 0.05 * out.multiply_adds;
  out.products = info.major >= 8 && info.minor == 0 ? matrix_units * out.multiply_adds : out.multiply_adds;
  return out;
}

struct OnOneDevice {
  double seconds = std::numeric_limits<double>::infinity();  ///< an application, all of S
  double in_core = 0, groups = 1, streamed = 0;
};

/// An application to all of S by one device.
OnOneDevice on_device(const RadiationWork& w, const RadiationRates::OfDevice& d) {
  OnOneDevice out;
  const double pairs = w.outer_points * w.current_points, columns = std::max(1.0, std::ceil(w.columns));
  const bool products = columns > most_fused_columns && d.products > 0;
  const auto group = [&](double some) {
    if (!products)
      return pairs * (std::ceil(some / 8) * device_pair_flops + device_column_flops * some) /
             (fused_share * d.multiply_adds);
    const double made = std::max(64 * pairs / (panel_share * d.copy), pairs * device_pair_flops / d.multiply_adds),
                 multiplied = device_column_flops * some * pairs / (library_share * d.products);
    return std::max(made, multiplied) + beside_share * std::min(made, multiplied);
  };
  if (!(d.multiply_adds > 0)) return out;
  const double room = d.memory > 0 ? device_columns(w.outer_points, w.current_points, 22 * w.outer_points, columns,
                                                    products, static_cast<double>(d.memory))
                                   : columns;
  if (room < 1) return out;
  out.groups = std::ceil(columns / room);
  const double whole = std::floor(columns / room), rest = columns - whole * room;
  const double up = 64 * w.current_points * columns, down = 32 * w.outer_points * columns;
  out.streamed = up + down;
  // Of products currents come behind those of the first panel, and ψ of all panels but the last behind those that follow.
  const double panel = products ? device_panel_share(w.outer_points, w.current_points) : 0;
  const double copies = products ? std::max(0.0, up / bus_rate - panel * group(columns)) + panel * down / bus_rate
                                 : out.streamed / bus_rate;
  out.in_core = group(columns) + copies;
  out.seconds = whole * group(room) + (rest > 0 ? group(rest) : 0.0) + copies;
  return out;
}

}  // namespace

RadiationRates radiation_rates(const std::vector<WorkerSpec>& workers, std::span<const DeviceInfo> known, bool open) {
  RadiationRates out;
  out.threads = 0;
  for (const WorkerSpec& worker : workers) {
    out.threads += worker.threads;
    if (worker.device.empty()) out.beside += worker.threads;
  }
  out.threads = std::max(1, out.threads);
  if (machine_rates_hold(out.threads))
    if (const MachineRates rates = machine_rates(out.threads); rates.known()) {
      out.multiply_adds = rates.flops_double;
      out.copy = rates.copy;
      out.measured = true;
    }
  if (!out.measured) {
    out.multiply_adds *= out.threads;
    out.copy *= out.threads;
  }
  out.devices_measured = true;
  for (const WorkerSpec& worker : workers) {
    if (worker.device.empty()) continue;
    DeviceInfo info;
    for (const DeviceInfo& d : known)
      if (fmt::format("{}:{}", d.backend, d.index) == worker.device || d.backend == worker.device) info = d;
    if (open)
      if (const auto device = Device::open(worker.device)) info = device->info();
    out.devices_measured = out.devices_measured && (open || rates_are_kept(device_key(info), 1));
    out.devices.push_back(measure(info, worker.device, open));
    out.devices.back().memory = worker.device_memory > 0 ? worker.device_memory : info.memory / 10 * 9;
  }
  return out;
}

std::string idle_ranks(Index ranks, Index faces) {
  if (ranks <= faces) return {};
  return fmt::format("{} ranks share the {} elements of S: {} of them radiate nothing", ranks, faces, ranks - faces);
}

RadiationPlan plan_radiation(const RadiationWork& w, const RadiationRates& rates, double budget, bool obeyed) {
  RadiationPlan out;
  out.device_seconds = std::numeric_limits<double>::infinity();
  const double pairs = w.outer_points * w.current_points, n = std::sqrt(pairs);
  if (!(n > 0)) return out;
  out.dense_bytes = 64 * pairs;
  // A point of S meets 27 clusters a level of the tree; 58 in all with 7,680 points (measured). Rank: 3.8 a decade.
  const double clusters = std::max(0.0, 58 + 27 * std::log2(n / 7680)),
               rank = 3.8 * std::max(1.0, -std::log10(w.tolerance));
  const double ranks = std::max(1.0, w.ranks), core = rates.multiply_adds / rates.threads;
  out.compressed_bytes = std::min(out.dense_bytes, 96 * rank * n * clusters) / ranks;
  const bool one = w.columns < 1.5;
  const auto product = [&](double of_pairs, double multiply_adds) {
    return of_pairs *
           (one ? fused_flops / one_share
                : (tile_flops + 32 * panel_columns * std::ceil(w.columns / panel_columns)) / product_share) /
           multiply_adds;
  };
  out.plain_seconds = w.applications * product(pairs, rates.multiply_adds) / ranks;
  const double stream = std::min(stream_rate * core / 5.8e10 * rates.threads, 0.8 * rates.copy);
  const double far =
      out.compressed_bytes * std::max(1 / stream, 0.5 * w.columns / (low_rank_share * rates.multiply_adds));
  out.compressed_seconds =
      making * out.compressed_bytes / rates.multiply_adds +
      w.applications * (far + product(std::min(pairs, near_points * n), rates.multiply_adds) / ranks);
  // All workers end together: their rates add up.
  double together = 0, in_core = 0;
  std::vector<std::string> names, too_small;
  for (const RadiationRates::OfDevice& d : rates.devices) {
    const OnOneDevice there = on_device(w, d);
    if (!std::isfinite(there.seconds)) {
      too_small.push_back(d.name);
      continue;
    }
    names.push_back(d.name);
    together += 1 / there.seconds;
    in_core += 1 / there.in_core;
    out.groups = std::max(out.groups, there.groups);
    out.streamed += there.streamed * w.applications / ranks;
  }
  if (!names.empty()) {
    const double processors = rates.beside > 0 ? 1 / product(pairs, core * rates.beside) : 0.0;
    out.device_seconds = w.applications / (together + processors) / ranks;
    out.slower = (in_core + processors) / (together + processors);
  }
  const std::string whole = format_bytes(static_cast<Bytes>(out.dense_bytes)),
                    kept = format_bytes(static_cast<Bytes>(out.compressed_bytes)),
                    plain = fmt::format("{} {}", one ? "one by one" : "in blocked products",
                                        format_duration(out.plain_seconds)),
                    packed = format_duration(out.compressed_seconds);
  const bool fits = out.compressed_bytes <= budget / 4;
  const double others = std::min(out.plain_seconds, out.device_seconds);
  std::string small;
  if (!too_small.empty()) small = fmt::format("; {} has no room for one right-hand side", fmt::join(too_small, ", "));
  if (out.groups > 1)
    out.room = fmt::format(
        "; a device has no room for {:.0f} right-hand sides at once and takes them in {:.0f} groups, "
        "{:.2g} times the time with memory enough",
        std::ceil(w.columns), out.groups, out.slower);
  out.room += small;
  if (!names.empty() && (obeyed || (out.device_seconds <= out.plain_seconds &&
                                    !(fits && out.compressed_seconds <= worth * out.device_seconds)))) {
    out.way = RadiationWay::devices;
    out.reason = fmt::format("by {}{}: about {}; processors alone {}, compressed {}{}", fmt::join(names, ", "),
                             rates.beside > 0 ? " and processors" : "", format_duration(out.device_seconds), plain,
                             packed, fits ? "" : " but for memory");
    out.reason += out.room;
    if (const double best = std::min(out.plain_seconds, fits ? out.compressed_seconds / worth : out.plain_seconds);
        best < out.device_seconds)
      out.reason += "; they were named, processors alone would be faster";
    return out;
  }
  if (!names.empty())
    small = fmt::format("; with {} {}", fmt::join(names, ", "), format_duration(out.device_seconds)) + small;
  if (out.compressed_seconds > worth * others) {
    out.reason = fmt::format("computed anew each time, {}, compressed {}; kept whole it would be {}{}", plain, packed,
                             whole, small);
  } else if (!fits) {
    out.reason = fmt::format(
        "computed anew each time, {}: compressed ({}) it would need {} of {}, more than a quarter of "
        "the budget{}",
        plain, packed, kept, whole, small);
  } else {
    out.way = RadiationWay::compressed;
    out.reason = fmt::format("compressed to about {} of {}: {}, computed anew {}{}", kept, whole, packed, plain, small);
  }
  return out;
}

}  // namespace conoid::maxwell_fem

// SPDX-License-Identifier: BSD-3-Clause
// Prices of teams, phase by phase.
#include "engine/solvers/acoustic_bem/plan_team.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"
#include "engine/team/driver_memory.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/rate_book.hpp"
#include "engine/team/workers.hpp"

namespace conoid::acoustic_bem {
namespace {

// Of an H200 (132 multiprocessors, 4.8 TB/s by its data sheet).
constexpr int last_with_doubles = 10;
constexpr double evaluations_of_multiprocessor = 2.6e8 / 132, without_doubles = 32;
constexpr double share_of_bandwidth = 0.7, bytes_of_multiprocessor = 3.4e12 / 132;
constexpr double step_seconds = 2.7e-4;
/// Before a device computes: it is opened, kernels are loaded, slices are laid out and copied.
constexpr double device_start = 0.7, bytes_to_device = 4e9;
/// Of each device more: they are opened one after the other.
constexpr double further_start = 0.4;
/// Of a pass of matrices, receivers and planes, beside what their bytes take: past values brought, sums fetched.
constexpr double device_pass = 1.2e-3;
/// Of the assembly's time of processors, what they do of it beside a device: extents, layout of slices.
constexpr double beside_device = 0.1;
/// A phase that a whole team takes: workers are woken and waited for, and partial sums added.
constexpr double joining = 1e-4;

std::string key_of(const DeviceInfo& device) {
  return fmt::format("acoustic-bem | shell evaluations of {} {}", device.name, device.uuid);
}

/// Seconds of the assembly by devices that take `by_devices` and threads that would take `by_threads`: of a first batch of tiles the
/// shares are those of the team's first guess (device_weight), whole tiles a thread; of the others they are even.
double shared_assembly(double by_devices, double by_threads, double devices, double threads, double tiles) {
  const double batch = std::min(tiles, std::max(std::ceil(tiles / 40), 4 * (threads + devices)));
  const double of_devices = batch * devices * device_weight / (devices * device_weight + threads),
               of_threads = batch - of_devices;
  const double first =
      std::max(by_devices * of_devices / tiles, std::ceil(of_threads / threads - 1e-9) * threads * by_threads / tiles);
  return first + (1 - batch / tiles) / (1 / by_devices + 1 / by_threads);
}

/// Of a pass, for each device more: its sums are added to those of the first.
constexpr double further_pass = 1e-4;

/// Seconds of a case that takes all of these devices.
TeamPrice price_of(const Settings& s, const Surface& surface, int threads, std::span<const DevicePace> paces) {
  const ExpectedTime all = expected_time(s, surface, threads);
  TeamPrice out;
  out.processors = all.sum();
  double evaluations = 0, bytes = 0, step = 0;
  for (const DevicePace& pace : paces) {
    evaluations += pace.evaluations;
    bytes += pace.bytes;
    step = std::max(step, pace.step);
  }
  const ExpectedWork work = expected_work(s, surface);
  const double devices = static_cast<double>(paces.size()), others = std::max(threads - static_cast<int>(devices), 1),
               tiles = std::max(1.0, tile_count(surface.unknowns));
  const ExpectedTime beside = expected_time(s, surface, static_cast<int>(others));
  // Walls are assembled by processors.
  const bool assembles = !surface.has_walls();
  const double assembly = assembles ? (work.evaluations - work.far_evaluations) / evaluations : 0,
               of_slices = work.bytes - work.far_bytes,
               sums = work.passes * (device_pass + (devices - 1) * further_pass) + of_slices / bytes,
               // M_0 that is not symmetric is solved by processors.
      steps = assembles ? work.steps * step : all.stepwise,
               start = device_start + (devices - 1) * further_start +
                       of_slices / std::max(1.0, work.passes) / bytes_to_device;
  // All threads do what devices cannot.
  // Far blocks of compressed matrices: assembled, and summed.
  const double far_assembly = work.far_evaluations * evaluation_seconds / std::max(threads, 1),
               far_sums = work.far_bytes / summed_bytes / std::max(threads, 1);
  const double left = all.points + all.finish + all.illumination + far_assembly + far_sums +
                      (assembles ? beside_device : 1) * all.assembly;
  out.alone = left + start + assembly + sums + steps;
  const double of_others = (1 - beside_device) * beside.assembly;
  const double assembled = assembles ? shared_assembly(assembly, of_others, devices, others, tiles) : 0,
               summed = 1 / (1 / sums + 1 / std::max(beside.summation, 1e-9)) + joining * work.passes;
  out.both = left + start + steps + assembled + summed;
  // Of a phase that both compute nobody waits but for what only devices do.
  const double laid_out = far_assembly + (assembles ? beside_device : 1) * all.assembly, solved = assembles ? steps : 0,
               heard = all.illumination + far_sums;
  out.of_alone = {{laid_out + start + assembly, start + assembly},
                  {heard + sums + steps, sums + solved},
                  {all.points + all.finish, 0}};
  out.of_both = {{laid_out + start + assembled, start + assembled},
                 {heard + summed + steps, summed + solved},
                 {all.points + all.finish, 0}};
  if (out.alone < out.both)
    out.use.alone = fmt::format(
        "cpu: beside {}, which assembles in about {} what {} threads do in {}, the run would take about {} instead of "
        "{}",
        devices > 1 ? "the devices" : "the device", format_duration(assembly), threads, format_duration(all.assembly),
        format_duration(out.both), format_duration(out.alone));
  return out;
}

}  // namespace

DevicePace pace_of(const DeviceInfo& device) {
  const double multiprocessors = std::max(1, device.multiprocessors);
  DevicePace out;
  out.evaluations =
      evaluations_of_multiprocessor * multiprocessors /
      (device.backend == "cuda" && device.minor == 0 && device.major <= last_with_doubles ? 1 : without_doubles);
  if (const std::string key = key_of(device); rates_are_kept(key, 1))
    out.evaluations = kept_rate(key, 1, [] { return 0.0; });
  out.bytes = device.bandwidth > 0 ? share_of_bandwidth * device.bandwidth : bytes_of_multiprocessor * multiprocessors;
  out.step = step_seconds;
  return out;
}

void keep_pace(const DeviceInfo& device, double evaluations, double seconds) {
  constexpr double shortest = 0.3;  // below, what begins and ends counts
  if (seconds < shortest || evaluations <= 0) return;
  static_cast<void>(kept_rate(key_of(device), 1, [=] { return evaluations / seconds; }));
}

TeamPrice price_teams(const Settings& s, const Surface& surface, int threads, std::span<const DevicePace> paces,
                      std::size_t least) {
  if (paces.empty()) {
    TeamPrice none;
    none.processors = expected_time(s, surface, threads).sum();
    return none;
  }
  const auto with = [](const TeamPrice& price) { return std::min(price.alone, price.both); };
  const TeamPrice most = price_of(s, surface, threads, paces);
  TeamPrice out = most;
  for (std::size_t count = std::max<std::size_t>(least, 1); count < paces.size(); ++count)
    if (TeamPrice fewer = price_of(s, surface, threads, paces.first(count)); with(fewer) < with(out)) {
      out = std::move(fewer);
      out.use.most = static_cast<int>(count);
    }
  if (out.processors < with(out))
    out.use = {0, fmt::format("with {} the run would take about {} instead of {}", paces.size() > 1 ? "them" : "it",
                              format_duration(with(out)), format_duration(out.processors))};
  else if (out.use.most > 0)
    out.use.why = fmt::format("with {} devices the run would take about {} instead of {} with {}", paces.size(),
                              format_duration(with(most)), format_duration(with(out)), out.use.most);
  out.use.priced = true;
  return out;
}

MemoryPlan plan_for(const Settings& s, const Surface& surface, const Offer& offer) {
  return plan_memory(s, surface.unknowns, s.shortest_delta() / surface.mean_edge,
                     offer.host.value - std::min(offer.host.value, driver_memory(offer.devices)), offer.team_threads(),
                     resident_memory());
}

}  // namespace conoid::acoustic_bem

// SPDX-License-Identifier: BSD-3-Clause
// What a case will take, and what is wrong with it before anything is computed.
#include "engine/solvers/acoustic_fd/plan.hpp"

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_plan.hpp"
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/stepping/image.hpp"
#include "engine/solvers/acoustic_fd/stepping/shot_batch.hpp"
#include "engine/solvers/acoustic_fd/stepping/streamed_march.hpp"
#include "engine/team/driver_memory.hpp"
#include "engine/team/rate_book.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

std::string grid_text(const Grid& g) {
  return fmt::format("{} × {} × {}", g.points[0], g.points[1], g.points[2]);
}

std::string enough_bytes(Bytes bytes) {
  Bytes more = bytes;
  for (;;) {
    std::string text = format_bytes(more);
    if (const auto written = parse_bytes(text); !written || *written >= bytes) return text;
    more += more / 100 + 1;
  }
}

Bytes field_budget(const Offer& offer) {
  constexpr Bytes rest = Bytes{64} << 20;
  const Bytes all = offer.host.said() ? offer.host.value : std::max(offer.host.value, 2 * rest) - rest;
  return all - std::min(all / 2, driver_memory(offer.devices));  // half: where processors compute in little memory
}

namespace {

using TrialClock = std::chrono::steady_clock;

double seconds_from(TrialClock::time_point start) {
  return std::chrono::duration<double>(TrialClock::now() - start).count();
}

Index box_points(const Problem& like, std::size_t axis) {
  return std::min<Index>(like.grid.points[axis], 128);
}

bool varying_density(const Problem& p) {
  return p.density && !p.density->constant();
}

/// Absorbing faces as in the problem, as their layers cost as much as the rest; rigid ones where they would fill the box.
std::array<Face, 6> box_faces(const Problem& like) {
  std::array<Face, 6> out = like.faces;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Index layers = 0;
    for (std::size_t side = 0; side < 2; ++side)
      if (const Face& face = like.faces[2 * axis + side]; face.absorbs()) layers += face.width;
    if (2 * layers > box_points(like, axis))
      for (std::size_t side = 0; side < 2; ++side) out[2 * axis + side] = Face{FaceKind::rigid};
  }
  return out;
}

/// Cells per second of the march of a few steps in a box of at most 128 nodes a side.
double march_a_box(const Problem& like, const Machine& machine, int threads) {
  Problem p;
  p.grid = like.grid;
  for (std::size_t axis = 0; axis < 3; ++axis) p.grid.points[axis] = box_points(like, axis);
  p.order = like.order;
  p.double_precision = like.double_precision;
  p.kernel = like.kernel;
  p.speed = like.speed;
  const bool varying = !like.velocity || !like.velocity->constant();
  p.velocity = varying ? layered_velocity(0, 1, p.grid.origin[0], {{0, like.speed.highest, 0}}) : like.velocity;
  if (varying_density(like)) {
    const double half = 0.5 * (p.grid.upper(0) - p.grid.origin[0]);
    p.density = layered_velocity(0, 1, p.grid.origin[0],
                                 {{0, like.reference_density, 0}, {half, 1.5 * like.reference_density, 0}});
    p.reference_density = like.reference_density;
  }
  p.faces = box_faces(like);
  p.dt = like.dt;
  p.relaxations = like.relaxations;
  const auto cluster = single_rank();
  Team team({WorkerSpec{"cpu", threads, 1}});
  const auto march = make_march(p, machine, *cluster);
  march->start(team, *cluster);
  march->step(team, *cluster);
  // Among other programs threads wait for cores: then the processor time of each counts, and a seventh of it for waits for each other.
  const bool quiet = machine_is_quiet(threads);
  const auto start = TrialClock::now();
  const std::clock_t worked = std::clock();
  Index steps = 0;
  do {
    march->advance(team, *cluster, march->band());
    steps += march->band();
  } while (seconds_from(start) < 0.03);
  const double gone = seconds_from(start), busy = static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC / threads;
  return static_cast<double>(p.grid.cells() * steps) / (quiet || busy <= 0 ? gone : std::min(gone, 1.15 * busy));
}

/// The same, measured once on a machine for what it depends on.
double calibrate(const Problem& like, const Offer& offer) {
  const int threads = std::max(1, offer.threads.value);
  const bool varying = !like.velocity || !like.velocity->constant();
  Index in_layers = 0;
  for (const Face& face : box_faces(like))
    if (face.absorbs()) in_layers += face.kind == FaceKind::matched ? 1000 + face.width : face.width;
  return kept_rate(
      fmt::format("acoustic-fd | {} | order {} | {} | {}{} | layers {} | {} x {} x {}", like.kernel, like.order,
                  like.double_precision ? "double" : "single", varying ? "varying" : "constant",
                  varying_density(like)      ? " with density"
                  : like.relaxations.empty() ? ""
                                             : " with attenuation",
                  in_layers, box_points(like, 0), box_points(like, 1), box_points(like, 2)),
      threads, [&] { return march_a_box(like, offer.machine, threads); });
}

/// How a run would lie on the devices that are offered: how many of them make it faster, and what it takes of each.
struct OnDevices {
  DeviceUse use;
  DevicePlan plan;
};
/// `parts`: shots at a time, each with a device or a group of ranks.
OnDevices on_devices(const Problem& problem, const Offer& offer, int count, Bytes memory, int parts) {
  OnDevices out;
  if (offer.place.ranks > 1) {  // each rank's slab has to lie whole on the one that it is offered
    out.plan = slab_plan(problem, memory, offer.place.ranks / parts, offer.devices.front());
    if (!out.plan.possible) out.use = {0, "a rank's slab does not fit in its memory"};
    return out;
  }
  const DeviceInfo* const first = &offer.devices.front();
  const DevicePlan alone = device_plan(problem, memory, 1, first);
  out.plan = alone;
  if (parts > 1) {
    if (parts < count) out.use = {parts, "there are shots, or memory of the host for shots, for no more"};
    return out;
  }
  if (count <= 1) return out;
  if (problem.grid.points[1] / count < problem.order) {
    out.use = {1, "the grid has too few rows to share"};
    return out;
  }
  const DevicePlan together = device_plan(problem, memory, count, first);
  if (together.streamed) {  // windows go through one
    out.use = {1, "a grid that is streamed goes through one device"};
    return out;
  }
  // Two H200 that take rounds of panels, with their halos copied from card to card between them, march 1.55 to 1.73 times as fast as one
  // (1024³ nodes, orders 2 to 8; with matched layers 1.63 to 1.78); with single steps, or rounds that take no longer than it takes to begin them, they wait for each other
  // (two H100 took 3.7 times as long as one).
  // Cells beside matched layers go step by step after each band of panels, in some hundred small launches that take another 1 or 2 ms.
  constexpr double cost_of_sharing = 3.7;
  const double least_round = has_matched_layers(problem) ? 1.6e9 : 8e8;  // updates of a device: 4 and 2 ms
  const Index band = shared_band(problem, count, first), rows = problem.grid.points[1] / count;
  const bool rounds = together.levels > 0 && 8 * problem.order * band <= rows &&
                      static_cast<double>(problem.grid.cells() * band) >= least_round * count;
  if (!rounds && alone.possible && alone.slower < cost_of_sharing)
    out.use = {1, together.levels > 0
                      ? "of a grid of this size one device takes what several would, which wait for each other's rows"
                      : "several devices that go step by step wait for each other's rows"};
  if (!offer.automatic || out.use.most != 1) out.plan = together;
  return out;
}

/// Fields that a march keeps for the image, or multiplies with one that was kept, of those of a shot the mean; 0: no image.
double kept_fields(const Setup& setup) {
  if (!setup.image.any()) return 0;
  const Index kept = setup.problem.steps / setup.image.every;
  return 2.0 * static_cast<double>(kept) / static_cast<double>(setup.image.passes());
}

/// Seconds before the march, on 16 cores of a server 2e-9, 4e-9 (double), with a model 6e-8, and 3.7e-8 more where the medium of an image is smoothed, a node.
double preparing_seconds(const Setup& setup, int threads) {
  const double words = setup.problem.double_precision ? 2 : 1, shared = 1.0 / std::max(1, threads);
  double node = 3.3e-8 * words * shared;
  if (setup.model_file) node += 5e-8 + 2.5e-7 * shared;
  if (setup.image.any()) node += 5.5e-7 * shared;
  return node * static_cast<double>(setup.problem.grid.cells());
}

/// Of a whole run on so many devices like the first, their start included; 0: not known. `marches` follow each other on `parts` of them.
/// Measured on an H200 and scaled by the bandwidth of memory, which bounds every kernel here. Whole runs there of 100³ nodes to 768³, two and three
/// dimensions, single and double, shots, and images took 0.7 to 1.1 of this.
double seconds_on_devices(const Setup& setup, const DevicePlan& plan, const Offer& offer, int count, Index marches,
                          int parts) {
  constexpr double start = 0.45, further_start = 0.4, h200 = 4.8e12;
  constexpr double begin_march = 0.03, begin_node = 3e-10;  // levels come, the last ones go
  const DeviceInfo& first = offer.devices.front();
  if (first.backend != "cuda" || offer.place.ranks > 1 || !plan.possible || plan.step <= 0) return 0;
  const double slower = first.bandwidth > 0 ? std::max(0.25, h200 / first.bandwidth) : 1;
  const bool share_grid = parts == 1 && count > 1 && !plan.streamed;
  if (share_grid && plan.levels == 0)
    return 0;  // single steps of several devices have not been timed with copies between them
  const double shared = share_grid ? 1.2 : 1;  // what devices wait for each other
  const Problem& p = setup.problem;
  const double nodes = static_cast<double>(p.grid.cells());
  double each = begin_march + begin_node * nodes + static_cast<double>(p.steps) * plan.step * slower * shared;
  // Fields come to the processors, which keep and multiply them.
  each += kept_fields(setup) * (2e-4 + 2 * nodes * (p.double_precision ? 8 : 4) / 5.2e9);
  const Index rounds = (marches + parts - 1) / parts;
  return start + further_start * (count - 1) + 1.05 * static_cast<double>(rounds) * each;
}

/// What takes the steps of a run on a device, where the plan knows it.
std::string steps_text(const Problem& problem, const DevicePlan& plan) {
  if (plan.levels > 0) return fmt::format("in panels of {}", plan.levels);
  if (!takes_several_steps(problem))
    return problem.has_walls()         ? "one by one, beside obstacles and walls of an impedance"
           : problem.kept_arrays() > 0 ? "one by one, with what attenuation and maps keep of every node"
                                       : "one by one, in two dimensions";
  return plan.streamed ? "one by one" : "in towers, or one by one";
}

/// Devices of an estimate whose seconds are those of the processors: which take part, what of their memory, and how long; returns what takes the steps
/// there. `preparing`: seconds before the march. `step`: becomes the seconds of one of a device like an H200, where it is known.
std::string plan_devices(const Setup& setup, const Offer& offer, const ShotShare& share, Index marches,
                         double preparing, Estimate& e, double& step) {
  const Problem& p = setup.problem;
  const ChosenTeam all = choose_team(offer, {}, 0);
  const int offered = static_cast<int>(all.devices().size());
  if (offered == 0) return {};
  const OnDevices there = on_devices(p, offer, offered, all.device_memory(), share.parts);
  e.use = there.use;
  const int used = offer.automatic && e.use.most >= 0 ? std::min(e.use.most, offered) : offered;
  const double seconds =
      used > 0 ? seconds_on_devices(setup, there.plan, offer, used, marches, std::min(share.parts, used)) : 0;
  e.use.priced = seconds > 0;
  if (offer.automatic && seconds > 0 && seconds + preparing >= e.seconds)
    e.use = {0,
             fmt::format("with {} the run would take about {} instead of {}", used > 1 ? "them" : "it",
                         format_duration(seconds + preparing), format_duration(e.seconds)),
             {},
             true};
  const ChosenTeam team = choose_team(offer, e.use, e.seconds);
  const int count = static_cast<int>(team.devices().size());
  if (count == 0) return {};
  const DevicePlan on = on_devices(p, offer, count, team.device_memory(), share.parts).plan;
  if (!on.possible) return {};
  e.device_memory = on.taken;
  step = on.step;
  if (seconds > 0) {
    e.planned_seconds = seconds + preparing;
    e.device_seconds = seconds;
  }
  if (on.streamed) {
    e.streams = "planes of the grid, between memory and device";
    e.streamed = static_cast<Bytes>((p.steps + on.steps - 1) / on.steps * marches) * 2 * on.in_core;
    e.slower = on.slower;
  }
  const bool alone = count == 1 || share.parts > 1 || on.levels > 0;
  if (offer.place.ranks > 1) return on.levels > 0 ? steps_text(p, on) : std::string();
  return alone ? steps_text(p, on) : std::string();
}

/// How a march is slowed down when planes come and go once a band of T steps: copied at 1 GB/s, against `rate` updates a second.
double slowdown_of(const StreamPlan& plan, const Problem& p, double rate) {
  return 1 + static_cast<double>(2 * plan.plane_bytes) * rate /
                 (1e9 * static_cast<double>(plan.steps * p.grid.points[1] * p.grid.points[2]));
}

/// The same of a grid whose planes rest on the disk (`over`): whether a device takes its steps, and what of it; as one of the processors before.
std::string plan_device_over_disk(const Setup& setup, const Offer& offer, const StreamPlan& over, Index marches,
                                  double preparing, Estimate& e) {
  const Problem& p = setup.problem;
  const ChosenTeam all = choose_team(offer, {}, 0);
  if (all.devices().empty()) return {};
  if (offer.place.ranks > 1) {
    e.use = {0, "what ranks stream from their disks is marched by the processors"};
    return {};
  }
  const DevicePlan on = device_plan(p, all.device_memory(), 1, &offer.devices.front(), PlanesRest::disk);
  const double seconds = seconds_on_devices(setup, on, offer, 1, marches, 1);
  if (offer.automatic && !on.possible)
    e.use = {0, "its memory is too small for a window over the disk"};
  else if (offer.automatic && (seconds <= 0 || seconds + preparing >= e.seconds))
    e.use = {0,
             seconds <= 0
                 ? "planes come from the disk, and it has not been timed"
                 : fmt::format("planes come from the disk, and with it the run would take about {} instead of {}",
                               format_duration(seconds + preparing), format_duration(e.seconds)),
             {},
             seconds > 0};
  else
    e.use = {1, "a grid that is streamed goes through one device", {}, seconds > 0};
  if (!on.possible || choose_team(offer, e.use, e.seconds).devices().empty()) return {};
  e.device_memory = on.taken;
  if (seconds > 0) {
    e.planned_seconds = seconds + preparing;
    e.device_seconds = seconds;
  }
  e.streams = "planes of the grid, between disk, memory and device";
  e.streamed = static_cast<Bytes>((p.steps + on.steps - 1) / on.steps * marches) * 4 * over.disk;
  e.slower = on.slower;
  return fmt::format("{}, {} steps a sweep over the disk", steps_text(p, on), on.steps);
}

constexpr const char* more_steps_hint =
    "A larger budget lets more steps be done at a time; with the longest axis along x the planes are smallest.";

/// How the grid would lie on the devices that are offered, where that is worth a word.
void check_devices(const Problem& problem, const CaseReader& reader, const Offer& offer) {
  const ChosenTeam team = choose_team(offer, {}, 0);
  const int count = static_cast<int>(team.devices().size());
  if (count == 0 || offer.place.ranks > 1) return;
  const Bytes memory = team.device_memory();
  const DevicePlan plan = on_devices(problem, offer, count, memory, 1).plan;
  if (!plan.streamed) return;
  if (!plan.possible) {
    reader.fail(
        reader["grid"],
        make_error(
            ErrorCode::resources,
            fmt::format(
                "{} nodes need {} of device memory, {} are to be had; even streamed from the host {} are needed",
                grid_text(problem.grid), format_bytes(plan.in_core), format_bytes(memory), enough_bytes(plan.least)),
            "Lower the order, turn the longest axis of the grid to x, or compute with --workers cpu."));
    return;
  }
  reader.warn(
      reader["grid"],
      fmt::format(
          "{} nodes need {} of device memory, {} are to be had: windows of {} planes are streamed from the "
          "host, {} steps at a "
          "time, {}; with a device like an H200 on a link of 50 GB/s that takes about {:.2g} times as long as in "
          "device memory",
          grid_text(problem.grid), format_bytes(plan.in_core), format_bytes(memory), plan.planes, plan.steps,
          steps_text(problem, plan), plan.slower),
      more_steps_hint);
}

/// How it would lie on the disk: for processors, or for a device where the run (`planned`) takes one. `text`: what it needs and what there is.
void check_disk(const Problem& problem, const StreamPlan& plan, const CaseReader& reader, const Offer& offer,
                const std::string& text, const Result<Estimate>& run) {
  const ChosenTeam team = choose_team(offer, run ? run->use : DeviceUse{0, {}}, run ? run->seconds : 0);
  if (team.devices().empty() || offer.place.ranks > 1) {
    const double slower = slowdown_of(plan, problem, calibrate(problem, offer));
    reader.warn(reader["grid"],
                fmt::format("{}: a window of {} of the {} planes slides over the disk ({}), {} steps at a time, "
                            "which takes about {:.2g} times as long as in memory",
                            text, plan.planes + problem.order / 2 * plan.steps,
                            problem.grid.points[0] / offer.place.ranks + 2 * plan.beside, format_bytes(plan.disk),
                            plan.steps, slower),
                more_steps_hint);
    return;
  }
  const DevicePlan on = device_plan(problem, team.device_memory(), 1, &offer.devices.front(), PlanesRest::disk);
  if (!on.possible) {
    reader.fail(reader["grid"],
                make_error(ErrorCode::resources,
                           fmt::format("{}; of device memory {} are to be had, and even streamed from the disk {} are "
                                       "needed",
                                       text, format_bytes(team.device_memory()), enough_bytes(on.least)),
                           "Lower the order, turn the longest axis of the grid to x, or compute with --workers cpu."));
    return;
  }
  reader.warn(
      reader["grid"],
      fmt::format("{}: its planes rest on the disk ({}) and pass through the memory of the host to a device and "
                  "back, {} steps at a time, {}; with a device like an H200 and a disk of 1 GB/s that takes about "
                  "{:.2g} times as long as in device memory",
                  text, format_bytes(plan.disk), on.steps, steps_text(problem, on), on.slower),
      more_steps_hint);
}

/// Of all devices or ranks that are offered.
ShotShare shots_at_once(const Setup& setup, const Offer& offer) {
  const ChosenTeam team = choose_team(offer, {}, 0);
  return share_shots(setup, offer, static_cast<int>(team.devices().size()), team.device_memory());
}

void check_shots(const Setup& setup, const CaseReader& reader, const Offer& offer) {
  if (setup.shots_at_once < 2) return;
  const ShotShare share = shots_at_once(setup, offer);
  const auto shots = static_cast<Index>(setup.shots.size());
  if (share.parts >= std::min(setup.shots_at_once, shots)) return;
  reader.warn(
      reader["parameters"]["shots_at_once"],
      fmt::format("{} of {} shots can be marched at the same time, not {}: {}", share.parts, shots, setup.shots_at_once,
                  !share.why.empty()      ? share.why
                  : offer.place.ranks > 1 ? "groups of ranks are of one size"
                                          : "each takes a device of its own, or a group of ranks"),
      "They are marched one after the other, or fewer at a time; results are the same.");
}

/// Bytes of files: images, planes on the disk, frames, the last field.
Bytes disk_bytes(const Setup& setup, Bytes beside) {
  const Problem& p = setup.problem;
  const Bytes cells = static_cast<Bytes>(p.grid.cells());
  const Bytes frame =
      4 * (std::min<Bytes>(cells, static_cast<Bytes>(setup.volume_points)) +
           static_cast<Bytes>(p.grid.points[0] * p.grid.points[1] + p.grid.points[1] * p.grid.points[2] +
                              p.grid.points[0] * p.grid.points[2]));
  return beside + 20 * frame + 2 * cells * (p.double_precision ? 8 : 4);
}

/// For the estimate; empty: one after the other.
std::string shots_text(const Setup& setup, const ShotShare& share, const Offer& offer) {
  if (share.parts == 1) return {};
  return fmt::format("{} of {} at the same time, each {}, frames show {}{}", share.parts, setup.shots.size(),
                     offer.place.ranks == share.parts ? std::string("by a rank of its own")
                     : offer.place.ranks > 1          ? fmt::format("by {} ranks", offer.place.ranks / share.parts)
                                                      : std::string("on a device of its own"),
                     setup.image.any() ? "the image of all and the waves of one" : "all, shot after shot",
                     share.why.empty() ? "" : "; no more, as " + share.why);
}

using Details = decltype(Estimate::details);

/// What is marched, and how fast here (`rate`: updates a second).
Details details_of(const Setup& setup, double rate) {
  const Problem& p = setup.problem;
  const Stencil stencil = stencil_of_order(p.order);
  const double h = p.grid.finest();
  Details out = {
      {"grid", grid_text(p.grid)},
      {"time step", format_quantity(p.dt, "s")},
      {"steps", fmt::format("{}", p.steps)},
      {"Courant number",
       fmt::format("{:.3f}, limit {:.3f}", p.speed.highest * p.dt / h,
                   p.speed.highest * largest_time_step(stencil, p.grid.stencil_spacing(), p.speed.highest) / h)},
      {"speed of sound", p.speed.lowest == p.speed.highest
                             ? fmt::format("{:.5g} m/s", p.speed.lowest)
                             : fmt::format("{:.5g} to {:.5g} m/s", p.speed.lowest, p.speed.highest)},
      {"rate", fmt::format("{:.2f} Gcells/s, measured on a small box", rate / 1e9)}};
  if (setup.quality > 0)
    out.emplace_back(
        "attenuation",
        fmt::format("Q {:g} within {:.0f} % from {} to {}; the speed holds at {}", setup.quality,
                    100 * ripple(p.relaxations, setup.quality, setup.quality_band.lowest, setup.quality_band.highest),
                    format_quantity(setup.quality_band.lowest, "Hz"), format_quantity(setup.quality_band.highest, "Hz"),
                    format_quantity(setup.quality_frequency, "Hz")));
  return out;
}

/// How true the waves are.
void add_accuracy(const Setup& setup, Details& out) {
  const Problem& p = setup.problem;
  const Stencil stencil = stencil_of_order(p.order);
  if (setup.highest_frequency > 0) {
    const double widest = p.grid.coarsest();
    const double points = p.speed.lowest / (setup.highest_frequency * widest);
    out.emplace_back("nodes in the shortest wave",
                     fmt::format("{:.1f} at {}; speeds are wrong by up to {:.2f} %", points,
                                 format_quantity(setup.highest_frequency, "Hz"),
                                 100 * worst_phase_speed_error(stencil, points, traced_courant(setup, widest))));
    if (p.time_correction) out.emplace_back("time step's error", time_error_text(setup));
  }
}

}  // namespace

Reading<Setup>& AcousticFd::read(const Case& input) const {
  return reading_.of(input, nullptr, [](const Case& c, const Mesh*) {
    log::debug("acoustic-fd: a grid was made of the case");
    Reading<Setup> out;
    out.problem = std::make_unique<Setup>(read_setup(c, out.said));
    if (!has_errors(out.said)) check_setup(*out.problem, c, out.said);
    return out;
  });
}

std::vector<Diagnostic> AcousticFd::check(const Case& input, const Mesh* /*mesh*/, const Offer& offer) const {
  reading_.forget();  // files of models may be others now
  const Reading<Setup>& reading = read(input);
  const Setup& setup = *reading.problem;
  std::vector<Diagnostic> out = reading.said;
  const CaseReader reader(input, out);
  if (!reader.good()) return out;
  Problem planned = setup.problem;
  const int ranks = offer.place.ranks;
  const Bytes needed = march_bytes(planned, ranks);
  const bool given = offer.host.said();
  const std::string nodes = ranks == 1 ? fmt::format("{} nodes need {}", grid_text(planned.grid), format_bytes(needed))
                                       : fmt::format("{} nodes on {} ranks need {} each", grid_text(planned.grid),
                                                     ranks, format_bytes(needed));
  planned.memory = field_budget(offer);
  if (setup.image.any()) {
    const ImagePlan images = plan_image(planned, setup.image, planned.memory, offer.place.ranks);
    planned.memory = images.march - images.smooth;
  }
  const StreamPlan plan = stream_plan(planned, ranks);
  if (plan.needed && plan.possible) {
    check_disk(planned, plan, reader, offer,
               fmt::format("{}, {} {}", nodes, given ? "the budget is" : "of memory are to be had",
                           format_bytes(planned.memory)),
               offer.devices.empty() ? Estimate() : estimate(input, nullptr, offer));
  } else if (plan.needed) {
    reader.fail(
        reader["grid"],
        make_error(
            ErrorCode::resources,
            fmt::format("{}, {} {}; even streamed from the disk {} are needed", nodes,
                        given ? "the budget is" : "of memory are to be had", format_bytes(planned.memory),
                        enough_bytes(plan.least)),
            fmt::format("Use a spacing about {:.2g} times as large, single precision, or more machines with mpirun.",
                        1.05 * std::cbrt(static_cast<double>(needed) / static_cast<double>(planned.memory)))));
  } else if (ranks == 1) {
    check_devices(setup.problem, reader, offer);
  }
  check_shots(setup, reader, offer);
  return out;
}

Result<Estimate> AcousticFd::estimate(const Case& input, const Mesh* /*mesh*/, const Offer& offer) const {
  const Reading<Setup>& reading = read(input);
  for (const auto& d : reading.said)
    if (d.severity == Severity::error) return d;
  const Setup& setup = *reading.problem;
  const Problem& p = setup.problem;
  Estimate e;
  Problem planned = p;
  planned.memory = field_budget(offer);
  const ShotShare share = shots_at_once(setup, offer);
  ImagePlan images;
  if (setup.image.any()) {
    images = offer.place.ranks == 1
                 ? plan_image(planned, setup.image, planned.memory / static_cast<Bytes>(share.parts), 1)
                 : plan_image(planned, setup.image, planned.memory, offer.place.ranks / share.parts);
    planned.memory = images.march - images.smooth;
  }
  const int marching = offer.place.ranks == 1 ? share.parts : 1;  // grids that lie in this rank's memory
  const StreamPlan plan = stream_plan(planned, offer.place.ranks / (offer.place.ranks == 1 ? 1 : share.parts));
  const bool streams = plan.needed && plan.possible;
  // Beside the fields frames and what is packed of them, and models while nodes are made of them.
  constexpr double shown_bytes = 5.5;  // a node
  const Bytes models = setup.means ? setup.means->source_bytes() : 0;
  e.host_memory = streams ? planned.memory
                          : march_bytes(p, offer.place.ranks == 1 ? 1 : offer.place.ranks / share.parts) *
                                    static_cast<Bytes>(marching) +
                                (Bytes{32} << 20) + models +
                                static_cast<Bytes>(shown_bytes * static_cast<double>(p.grid.cells()));
  e.host_memory += (images.windows + images.smooth) * static_cast<Bytes>(marching);
  if (share.parts > 1) e.host_memory += waiting_frames_bytes(setup) * static_cast<Bytes>(std::max(1, marching - 1));
  const Index marches = static_cast<Index>(setup.shots.size()) * setup.image.passes();
  const auto shots = static_cast<double>(marches);
  e.steps = p.steps * marches;
  const Index together = setup.shots_at_once > 0 ? setup.shots_at_once : static_cast<Index>(setup.shots.size());
  e.groups = {1, static_cast<int>(std::min<Index>(together, static_cast<Index>(setup.shots.size()))), true,
              "each marches shots of its own, and no more are marched at the same time"};
  e.box = {p.grid.origin, Vec3{p.grid.upper(0), p.grid.upper(1), p.grid.upper(2)}};
  std::string on_device;
  double rate = 0, device_step = 0;
  try {
    rate = calibrate(p, offer);
  } catch (const Failure& failure) {
    return failure.error();
  }
  // Models are read and brought to the nodes; frames, tables and checkpoints take a twentieth (samples).
  const auto nodes = static_cast<double>(p.grid.cells());
  const int threads = std::max(1, offer.threads.value);
  const double preparing = preparing_seconds(setup, threads);
  e.seconds =
      1.05 * shots *
          (nodes * static_cast<double>(p.steps) / rate + kept_fields(setup) * (1.5e-4 + 1.4e-8 * nodes / threads)) +
      preparing;
  e.basis = "from the rate of a small box here";
  const auto bands = [&](Index steps) {
    return static_cast<Bytes>((p.steps + steps - 1) / steps) * static_cast<Bytes>(marches);
  };
  if (streams) {
    e.streams = "planes of the grid, between disk and memory";
    e.streamed = bands(plan.steps) * 2 * plan.disk;
    e.slower = slowdown_of(plan, planned, rate);
    e.seconds *= e.slower;
    on_device = plan_device_over_disk(setup, offer, plan, marches, preparing, e);
  } else {
    on_device = plan_devices(setup, offer, share, marches, preparing, e, device_step);
  }
  if (e.device_memory == 0 || e.planned_seconds > 0)
    e.phases = {{"prepare", preparing}, {"march", e.expected_seconds() - preparing, e.device_seconds}};
  e.disk = disk_bytes(setup, images.disk * static_cast<Bytes>(marching) + (streams ? plan.disk : 0));
  e.details = details_of(setup, rate);
  if (std::string text = shots_text(setup, share, offer); !text.empty())
    e.details.emplace_back("shots", std::move(text));
  if (setup.image.any()) e.details.emplace_back("image", image_text(p, setup.image, images));
  if (!on_device.empty()) e.details.emplace_back("steps on the device", on_device);
  if (device_step > 0)  // what both would march together, if no row had to travel between them
    e.details.emplace_back("processors beside it",
                           fmt::format("take no steps: beside a device like an H200 theirs would be {:.2g} % of all",
                                       100 * rate / (rate + nodes / device_step)));
  add_accuracy(setup, e.details);
  return e;
}

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// Memory and time of a case before anything is meshed.
//
// Laws and figures are fitted to three sample cases (README, "Estimates") on two cores of 3 GHz with AVX-512.
#include "engine/core/units.hpp"
#include "engine/linalg/sparse_direct.hpp"
#include "engine/solvers/maxwell_fem/cuda/device_radiation.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/solving/counted_factors.hpp"
#include "engine/solvers/maxwell_fem/solving/factor_place.hpp"
#include "engine/team/rate_book.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace conoid::maxwell_fem {

namespace {

constexpr double assembly_seconds = 25e-6;  ///< an unknown: spaces, matrix, order of elimination
constexpr double factor_rate =
    6.5e9;  ///< flop/s of a core, also of MUMPS over a BLAS that does not know the processor: see below
constexpr double solve_rate = 4.5e9;  ///< flop/s, 16 an entry of the factors and column; twice that in blocks
/// Of matrix, order and solves, what goes one thread at a time, as a part of one thread's time: sixteen threads assemble and factor 72,972 unknowns
/// 8.1 times as fast as one, order 223,452 unknowns 7.4 times and pass right-hand sides 8.9 times as fast.
constexpr double unshared = 0.065;
constexpr double near_seconds = 250e-6;                ///< a point of S
constexpr double shown_seconds = 60e-9;                ///< a point of a plane and a point of S'
constexpr double far_phase = 100e-9, far_sum = 20e-9;  ///< a direction and a point of S'; and column
constexpr double incident_seconds = 0.35e-6;           ///< a wave and a point of S, where those to be solved are chosen

/// Bytes an unknown that the process holds beside what is counted while factors are made: remainders of mesh, matrix and order in its allocator. Laws
/// of the factors include them.
constexpr double kept_beside = 1000;

/// Operations of the factorisation, of real numbers: as many an entry of the factors as the front of the top separator is long, which
/// goes round a layer of elements (length ∝ sqrt(n/rows)) and through its rows: 9 sqrt(n rows). Measured: 1920 and 3170 an entry of
/// spheres with 18,252 and 24,336 unknowns in three and four rows, 1660 of the almond (45,468 in two), whose narrow end is cheaper.
/// Solids: n^(2/3), as much as the sphere of four rows.
double factor_flops(double n, double entries, int rows) {
  return entries * (rows > 0 ? 9 * std::sqrt(n * rows) : 3170 * std::pow(n / 24336, 0.67));
}

/// How many times as fast as one thread so many assemble, and solve by fronts of our own.
double together_faster(double threads) {
  return 1 / (unshared + (1 - unshared) / std::max(1.0, threads));
}

/// Eigen's LU factors on one thread; right-hand sides pass it eight at a time on each. Rates in the flops of L D Lᵀ, and of 16 an entry of L and
/// right-hand side: 56,004 unknowns took 7 to 9 s, and 0.12 s a right-hand side one by one, on a host of an H200.
bool by_eigen(const DirectOptions& options) {
  return !own_fronts(options) && (options.method == DirectMethod::eigen || !has_mumps());
}
constexpr double eigen_factor_rate = 1.2e9;
constexpr double eigen_solve_rate = 0.9e9;

/// What the library does here, against the constant above: a symmetric matrix of a small grid is factored once on a machine, and the
/// rate kept. The libraries' kernels differ by a factor of four between processors that they know and others.
/// The grid is as large as its fronts have to be: with 15 points a
/// side the rate was 4 Gflop/s where a sphere of 24,336 unknowns gets 15 or more (its whole phase, assembly included).
/// 0 where it could not be measured.
double measured_factor_rate(int threads) {
  constexpr Index side = 24;
  const double rate =
      kept_rate("maxwell-fem | factorisation in fronts of a grid of 24 points a side, flop", threads, [threads] {
        if (!machine_is_quiet(threads)) return 0.0;  // the constant is nearer
        SymmetricMatrix a;
        a.size = side * side * side;
        const auto number = [](Index x, Index y, Index z) { return x + side * (y + side * z); };
        for (Index z = 0; z < side; ++z)
          for (Index y = 0; y < side; ++y)
            for (Index x = 0; x < side; ++x) {
              for (Index c = 0; c < 2; ++c)
                for (Index b = c > 0 ? -1 : 0; b < 2; ++b)
                  for (Index d = c > 0 || b > 0 ? -1 : 0; d < 2; ++d) {
                    if (x + d < 0 || x + d >= side || y + b < 0 || y + b >= side || z + c >= side) continue;
                    const bool diagonal = b == 0 && c == 0 && d == 0;
                    a.columns.push_back(static_cast<std::int32_t>(number(x + d, y + b, z + c)));
                    a.values.push_back(diagonal ? Complex(30, 1) : Complex(-1, 0));
                  }
              a.row_start.push_back(a.nonzeros());
            }
        DirectOptions options;
        options.threads = threads;
        double best = 0;  // of two: the first one starts libraries and touches memory
        for (int k = 0; k < 2; ++k)
          if (const auto factors = factorise(a, options); factors && (*factors)->facts().seconds > 0)
            best = std::max(best, (*factors)->facts().flops / (*factors)->facts().seconds);
        return best;
      });
  return rate;
}

/// Seconds of one core for what is shown and kept of one frequency: fields on planes, far fields.
double shown_work(const Problem& s, double solved, double points) {
  double on_planes = 0;
  for (const PlaneSetting& plane : s.planes)
    on_planes += static_cast<double>(plane.points[0] * plane.points[1] * plane.points[2]);
  double directions = 0;
  for (const Cut& cut : s.cuts) directions += static_cast<double>(cut.angles.size());
  if (s.sphere_step > 0) directions += 2 * pi * pi / (s.sphere_step * s.sphere_step);
  directions += static_cast<double>(s.incidences().size()) + std::min(24.0, solved);
  constexpr double everywhere = 800;  // directions of the sum over the sphere, for bodies of a few wavelengths
  return points * (shown_seconds * on_planes + far_phase * (directions + everywhere) + far_sum * directions * solved);
}

/// Columns that are solved: those of a sweep that are independent, about ka Δφ/π + 12 a polarisation, and one more for
/// reciprocity where there is a single one.
double expected_columns(const Problem& s, double waves) {
  if (waves < 1.5) return s.reciprocity ? 2 : 1;
  if (!s.monostatic || !s.compress || waves < 8) return waves;
  const double radius = s.sphere ? s.sphere->radius + s.sphere->coat : s.mesh.radius;
  const double wave_number = 2 * pi * s.frequencies.back() / light_speed,
               span = std::abs(s.monostatic->angles.back() - s.monostatic->angles.front());
  return std::min(waves, s.polarisations() * (wave_number * radius * span / pi + 12));
}

/// Frequencies that are computed: of a fast sweep some dozen, more where a body rings.
double computed_frequencies(const Problem& s, std::size_t all) {
  const auto count = static_cast<double>(all);
  return s.fast ? std::min({count, static_cast<double>(s.fast->most), 12.0}) : count;
}

/// Points of S; S' has about as many.
double expected_points(const Problem& s, double unknowns) {
  if (s.sphere) return face_points * (s.sphere->core_material > 0 ? 12.0 : 20.0) * std::pow(s.sphere->divisions, 2);
  if (s.mesh.outer_faces > 0) return face_points * s.mesh.outer_faces;
  return unknowns / (s.domain.order == 1 ? 1.0 : 5.5);
}

constexpr double near_faces = 22;     ///< near faces of a point of S
constexpr double device_start = 1.5;  ///< seconds: context, kernels, first copies

/// `beside`: processors of the team have no device to feed.
std::string radiation_text(const Problem& s, const RadiationPlan& plan, bool beside) {
  switch (s.truncation.loop) {
    case RadiationLoop::automatic: return plan.reason;
    case RadiationLoop::compressed:
      return "compressed, as the case asks; " + format_bytes(static_cast<Bytes>(plan.dense_bytes)) + " whole";
    case RadiationLoop::blocked: return "blocked products, as the case asks";
    case RadiationLoop::fused: return "one right-hand side by one, as the case asks";
    case RadiationLoop::device:
      return (!std::isfinite(plan.device_seconds)
                  ? std::string("by the processors alone, though the case asks for devices")
                  : fmt::format("by the devices{}, as the case asks",
                                beside ? " and the processors beside them" : "")) +
             plan.room;
    case RadiationLoop::cuda_outer:
    case RadiationLoop::cuda_rhs: return "plain loops on the devices, as the case asks";
    default: return "plain loops, as the case asks";
  }
}

/// Of loops that the case names; else of what is planned. Wall-clock seconds of one rank.
double radiation_seconds(const Problem& s, const RadiationPlan& plan) {
  switch (s.truncation.loop) {
    case RadiationLoop::automatic: return plan.seconds(plan.way);
    case RadiationLoop::compressed: return plan.compressed_seconds;
    case RadiationLoop::device: return std::isfinite(plan.device_seconds) ? plan.device_seconds : plan.plain_seconds;
    default: return plan.plain_seconds;
  }
}

/// What is asked of every band.
struct Question {
  const Problem& s;
  const Offer& offer;
  double waves = 0;             ///< incident, a frequency
  double factored = 0;          ///< flop/s of the factorisation
  double factor_products = 0;   ///< flop/s of complex products of the device that factors; 0: none
  bool lasting = false;         ///< devices may radiate: MaxwellFem::devices_radiate()
  RadiationRates rates, alone;  ///< alone: without devices

  [[nodiscard]] double budget() const { return static_cast<double>(offer.host.value); }
  /// Ranks of one frequency, where there are more of them than frequencies, or than groups that were asked for.
  [[nodiscard]] int ranks_of_one(double frequencies) const {
    return std::max(1, offer.place.ranks / rank_groups(offer, static_cast<Index>(std::max(1.0, frequencies))));
  }
};

/// What the answers come to, over all bands.
struct Foreseen {
  // Seconds of radiation in all: what processors alone take, the way that they would choose; what is planned; bytes to devices and back.
  double radiated = 0, radiated_as_planned = 0, to_devices = 0;
  // Seconds of factors and of solves, of bands whose factors a device makes: what processors would take, and the device.
  double factored_by_processors = 0, factored_on_device = 0, solved_by_processors = 0, solved_on_device = 0;
  // Of the band with the largest mesh.
  Index unknowns = 0;
  double columns = 0, applications = 0;
  Bytes factors = 0, waiting = 0;
  FactorPlace place;
  bool is_counted = false;
  double outer_points = 0;
  RadiationPlan plan, without;  // without: devices
};

void add_phase(Estimate& e, const char* name, double seconds, std::vector<std::string> told = {}) {
  e.seconds += seconds;
  for (PhaseEstimate& phase : e.phases)
    if (phase.name == name) {
      phase.seconds += seconds;
      return;
    }
  e.phases.push_back({name, seconds, 0, {}, std::move(told)});
}

/// Names that the run gives to what is foreseen as truncation.
std::vector<std::string> told_of_truncation(const Problem& s) {
  std::vector<std::string> out{"choice of waves", "sources", "truncation", "fields", "error bars", "far fields"};
  if (s.frequencies.size() > 1)
    for (const double f : s.frequencies) out.push_back("truncation at " + format_quantity(f, "Hz"));
  return out;
}

/// What devices take over of a phase: `from` seconds of the processors become `to` seconds of them.
void move_phase(Estimate& e, std::string_view name, double from, double to, const std::string& by) {
  for (PhaseEstimate& phase : e.phases)
    if (phase.name == name) {
      phase.seconds = std::max(0.0, phase.seconds - from) + to;
      phase.device_seconds += to;
      phase.by = by;
    }
}

/// Adds a band: seconds to those of all, memory where it takes more than those before. `counted`: of the mesh that bands share.
void add_band(const Question& q, const Band& band, const std::optional<CountedFactors>& counted, Estimate& e,
              Foreseen& all) {
  const Problem& s = q.s;
  Problem part = in_band(s, band);
  part.direct.threads = std::max(1, q.offer.threads.value);  // what waits for parents grows with them
  const int rows = thin_rows(part);
  const double frequencies = computed_frequencies(s, part.frequencies.size());
  // Where there are more ranks than frequencies some share one, and its factors; else the last round may hold fewer.
  const int of_one = q.ranks_of_one(frequencies);
  const Index here = counted ? counted->unknowns : expected_unknowns(part);
  const auto n = static_cast<double>(here);
  const double solved = expected_columns(part, q.waves),
               points = counted ? counted->outer_points : expected_points(part, n);
  const ExpectedFactors foreseen = counted ? ExpectedFactors{counted->fronts.entries, counted->fronts.bytes,
                                                             counted->fronts.fullest - counted->fronts.bytes}
                                           : expected_factors(here, rows, part.direct, of_one);
  RadiationWork work = radiation_work(part, solved);
  work.outer_points = points;
  work.current_points = counted ? counted->current_points : points;
  work.ranks = of_one;
  const RadiationPlan loop = plan_radiation(work, q.rates, q.budget(),
                                            !q.offer.automatic || on_devices(s.truncation.loop)),
                      alone = plan_radiation(work, q.alone, q.budget());
  const bool compressed = s.truncation.loop == RadiationLoop::compressed ||
                          (s.truncation.loop == RadiationLoop::automatic && loop.compressed());
  const double flops = counted ? counted->fronts.flops : factor_flops(n, foreseen.entries, rows),
               entries = foreseen.entries, applied = work.applications * work.columns,
               radiation = radiation_seconds(s, alone), planned = radiation_seconds(s, loop);
  // Groups of ranks take a frequency each; those that are left over in the last round share its solves and its radiation.
  const auto ranks = static_cast<double>(std::max(1, q.offer.place.ranks)),
             groups = static_cast<double>(rank_groups(q.offer, std::numeric_limits<Index>::max()));
  const double cores = std::max(1, q.offer.threads.value);
  const bool own = own_fronts(part.direct), eigen = by_eigen(part.direct);
  const double factoring = own ? q.factored : eigen ? eigen_factor_rate : factor_rate;
  const auto factors_of = [&](double together) { return flops / factoring / (own ? together : 1.0); };
  const double solving = eigen ? eigen_solve_rate * together_faster(std::min(cores, std::ceil(solved / 8)))
                               : (solved < 8 ? 1 : 2) * solve_rate * (own ? together_faster(cores) : 1.0);
  const auto solves_of = [&](double together) { return 16 * entries * (applied / together + solved) / solving; };
  const double rounds = std::floor(frequencies / groups), left = frequencies - rounds * groups;
  const auto of_all = [&](const auto& seconds_of) {
    return rounds * seconds_of(std::floor(ranks / groups)) + (left > 0 ? seconds_of(std::floor(ranks / left)) : 0.0);
  };
  const double whole_rounds = rounds + (left > 0 ? 1 : 0);
  add_phase(e, "matrix and factors", whole_rounds * n * assembly_seconds / together_faster(cores) + of_all(factors_of),
            {"mesh", "factorise"});
  add_phase(e, "near pairs", whole_rounds * points * near_seconds / cores);
  add_phase(e, "truncation", of_all([&](double together) {
              return solves_of(together) + radiation * work.ranks / together +
                     (s.monostatic && s.compress && q.waves >= 8 ? q.waves * points * incident_seconds : 0.0) +
                     shown_work(part, solved, points) / cores;
            }),
            told_of_truncation(s));
  FactorWork to_factor{n, entries, of_one, q.offer.deterministic.value, flops};
  const FactorPlace placed = place_factors(part.direct, to_factor, q.offer.workers, q.offer.devices);
  if (placed.memory > placed.allowed) to_factor.in_host = static_cast<double>(placed.memory - placed.allowed);
  const auto on_device = [&](double columns) {
    return device_factor_seconds(to_factor, part.direct, q.factor_products, columns);
  };
  if (const double factors = on_device(0), both = on_device(applied + solved); placed.device >= 0 && both > 0) {
    all.factored_on_device += std::ceil(frequencies / ranks) * factors;
    all.solved_on_device += std::ceil(frequencies / ranks) * (both - factors);
    all.factored_by_processors += of_all(factors_of);
    all.solved_by_processors += of_all(solves_of);
  }
  all.radiated += std::ceil(frequencies / ranks) * radiation;
  all.radiated_as_planned += std::ceil(frequencies / ranks) * planned;
  all.to_devices += frequencies * loop.streamed;
  const Bytes blocks = compressed ? static_cast<Bytes>(loop.compressed_bytes) : 0,
              memory = memory_with(foreseen, part, here, solved, points, q.budget()) + blocks +
                       static_cast<Bytes>(counted ? n * kept_beside : 0);
  if (memory < e.host_memory) return;
  e.host_memory = memory;
  all.unknowns = here;
  all.columns = solved;
  all.applications = applied;
  all.factors = foreseen.bytes;
  all.waiting = foreseen.waiting;
  all.place = placed;
  all.is_counted = counted.has_value();
  all.outer_points = points;
  all.plan = loop;
  all.without = alone;
}

/// Factors that memory does not hold are written once, and read for each block of right-hand sides, at 1 GB/s.
void add_disk(const Question& q, const Foreseen& all, double frequencies, Estimate& e) {
  e.disk = static_cast<Bytes>(static_cast<double>(all.unknowns) * 30 + 1e5 * frequencies);
  if (!q.s.direct.on_disk && static_cast<double>(all.factors) <= q.budget()) return;
  constexpr double disk_rate = 1e9;
  const double passes = 1 + std::ceil((all.applications + all.columns) / std::max(1, q.s.direct.block));
  const double bytes = frequencies * passes * static_cast<double>(all.factors);
  e.streams = "factors of the matrix, between disk and memory";
  e.streamed = static_cast<Bytes>(bytes);
  e.slower = 1 + bytes / disk_rate / e.seconds;
  e.seconds *= e.slower;
  for (PhaseEstimate& phase : e.phases) phase.seconds *= e.slower;
  e.disk += all.factors;
  e.host_memory -= std::min(e.host_memory, all.factors);
}

std::string names_of(const ChosenTeam& team) {
  return fmt::format("{} and processors", fmt::join(team.devices(), ", "));
}

/// Who radiates and who factors, and what that does to time and memory; the words for the radiation.
std::string add_devices(const Question& q, const Foreseen& all, Estimate& e) {
  const RadiationLoop loop = q.s.truncation.loop;
  std::string by = radiation_text(q.s, all.plan, q.rates.beside > 0);
  const bool to_devices =
      on_devices(loop) || (loop == RadiationLoop::automatic && all.plan.way == RadiationWay::devices);
  if (loop != RadiationLoop::automatic && !on_devices(loop))
    e.use = {0, "truncation.loop names a loop of the processors"};
  else if (!q.lasting)
    e.use = {0, "a deterministic run is computed by the processors, in one order of sums"};
  else if (loop == RadiationLoop::automatic && all.radiated < device_start)
    e.use = {0, fmt::format("the radiation, which is what devices can do, takes processors about {}",
                            format_duration(all.radiated))};
  else if (!to_devices && !q.rates.devices.empty())
    e.use = {0, "the radiation, which is what devices can do, is faster by the processors"};
  if (all.place.device >= 0) e.use = {};  // the device factors, whoever radiates
  if (const ChosenTeam team = choose_team(q.offer, e.use, e.seconds); to_devices && !team.devices().empty()) {
    e.device_memory = std::min(static_cast<Bytes>(device_radiation_bytes(all.outer_points, all.outer_points,
                                                                         near_faces * all.outer_points, all.columns)),
                               team.device_memory());
    e.planned_seconds = std::max(0.0, e.seconds - all.radiated) + all.radiated_as_planned;
    e.device_seconds = all.radiated_as_planned;
    move_phase(e, "truncation", all.radiated, all.radiated_as_planned, names_of(team));
    if (all.plan.groups > 1) {
      e.streams = "right-hand sides of the radiation, between host and device";
      e.streamed = static_cast<Bytes>(all.to_devices);
      e.slower *= e.planned_seconds / (e.planned_seconds - all.radiated_as_planned * (1 - 1 / all.plan.slower));
    }
  } else if (loop == RadiationLoop::automatic && to_devices) {
    by = all.without.reason;
    if (all.without.compressed()) e.host_memory += static_cast<Bytes>(all.without.compressed_bytes);
  }
  if (all.factored_on_device > 0) {
    const double factors = device_factor_opening + all.factored_on_device, on_device = factors + all.solved_on_device;
    e.planned_seconds =
        std::max(0.0, e.expected_seconds() - all.factored_by_processors - all.solved_by_processors) + on_device;
    e.device_seconds += on_device;
    const std::string device = names_of(choose_team(q.offer, e.use, e.seconds));
    move_phase(e, "matrix and factors", all.factored_by_processors, factors, device);
    move_phase(e, "truncation", all.solved_by_processors, all.solved_on_device, device);
  }
  if (all.place.device >= 0) {
    e.device_memory += std::min(all.place.memory, all.place.allowed);
    if (all.place.memory > all.place.allowed) e.host_memory += all.place.memory - all.place.allowed;
  }
  return by;
}

std::string solver_text(const Problem& s, const Foreseen& all) {
  if (all.place.device >= 0)
    return all.place.reason +
           (all.factored_on_device > 0
                ? ", " + format_duration(device_factor_opening + all.factored_on_device + all.solved_on_device)
                : "");
  if (own_fronts(s.direct))
    return s.direct.single ? "own fronts in single precision, refined in double"
                           : "own fronts, in the order of nested dissection";
  return by_eigen(s.direct) ? "Eigen sparse LU" : "MUMPS";
}

void add_details(const Question& q, const Foreseen& all, std::size_t bands, double frequencies, std::string radiation,
                 Estimate& e) {
  const Problem& s = q.s;
  e.details = {{"unknowns", fmt::format("{}{}", all.is_counted ? "" : "about ", all.unknowns)},
               {"elements", fmt::format("order {}", s.domain.order)},
               {"frequencies",
                s.fast       ? fmt::format("{}, about {:.0f} of them computed", s.frequencies.size(), frequencies)
                : bands == 1 ? fmt::format("{}", s.frequencies.size())
                             : fmt::format("{} in {} bands with meshes of their own", s.frequencies.size(), bands)},
               {"incident waves", fmt::format("{:.0f} a frequency", q.waves)},
               {"wavelength", format_quantity(light_speed / s.frequencies.back(), "m")},
               {"factors",
                fmt::format("{}, {} more while they are made, {}", format_bytes(all.factors), format_bytes(all.waiting),
                            all.is_counted ? "counted in the order of elimination of this mesh" : "by a law")},
               {"direct solver", solver_text(s, all)},
               {"solved waves", fmt::format("about {:.0f} a frequency", all.columns)},
               {"radiation", std::move(radiation)}};
  if (all.place.device < 0 && !all.place.reason.empty()) e.details.emplace_back("factors by", all.place.reason);
  if (const int ranks = q.offer.place.ranks; ranks > 1) {
    const int of_one = q.ranks_of_one(frequencies);
    const std::string mesh_and =
        own_fronts(s.direct) && of_one > 1
            ? fmt::format("its mesh and matrix and a part of the factors, {}", format_bytes(all.factors))
            : std::string("its mesh and factors");
    const int groups = rank_groups(q.offer, static_cast<Index>(std::max(1.0, frequencies)));
    const std::string idle = idle_ranks(of_one, static_cast<Index>(all.outer_points) / face_points);
    e.details.emplace_back("ranks",
                           fmt::format("{}, {}; each holds {}, {} in all{}{}", ranks,
                                       groups == 1      ? std::string("which share factors, solves and radiation")
                                       : groups < ranks ? fmt::format("in {} groups, {}{} a frequency", groups, of_one,
                                                                      ranks % groups == 0 ? "" : " or more")
                                                        : std::string("each of another frequency"),
                                       mesh_and, format_bytes(e.host_memory), idle.empty() ? "" : "; ", idle));
  }
}

}  // namespace

Result<Estimate> MaxwellFem::estimate(const Case& input, const Mesh* mesh, const Offer& offer) const {
  Reading<Problem>& reading = read(input, mesh);
  for (const Diagnostic& d : reading.said)
    if (d.severity == Severity::error && !reading.problem) return d;
  Problem& s = *reading.problem;
  const std::vector<Band> bands = bands_of(s);
  // Not measured: half of what the threads would do without waiting.
  const double cores = std::max(1, offer.threads.value), measured = measured_factor_rate(offer.threads.value),
               factored = measured > 0 ? measured : factor_rate * std::max(1.0, 0.5 * cores);
  // A deterministic run has no lasting order of sums where several workers share S: MaxwellFem::devices_radiate().
  const bool lasting = offer.workers.size() == 1 || !offer.deterministic.value,
             may_use_devices =
                 lasting && (s.truncation.loop == RadiationLoop::automatic || on_devices(s.truncation.loop));
  Question q{s, offer,   static_cast<double>(s.incidences().size()) * s.polarisations(), factored,
             0, lasting, radiation_rates(offer.workers, offer.devices, false),           {}};
  q.alone = q.rates;
  // An emulated device has a library of the processors, and no rate.
  if (!q.rates.devices.empty() && offer.devices.front().backend == "cuda")
    q.factor_products = q.rates.devices.front().products;
  q.alone.devices.clear();
  if (!may_use_devices) q.rates.devices.clear();
  Estimate e;
  e.seconds = 0.2;
  Foreseen all;
  std::optional<CountedFactors> counted;
  for (const Band& band : bands) {
    // Bands of a built-in sphere have the same cells; a mesh with S of its own has one band.
    if (&band == &bands.front()) {
      Problem part = in_band(s, band);
      part.direct.threads = std::max(1, offer.threads.value);
      const auto given = mesh != nullptr ? std::shared_ptr<const Mesh>(std::shared_ptr<void>(), mesh) : nullptr;
      counted = counted_factors(part, given, q.ranks_of_one(computed_frequencies(s, part.frequencies.size())));
      s.mesh.first = std::move(part.mesh.first);  // the run computes on it
      s.mesh.counted = std::move(part.mesh.counted);
      s.mesh.counted_from = std::move(part.mesh.counted_from);
    }
    add_band(q, band, counted, e, all);
  }
  const double frequencies = computed_frequencies(s, s.frequencies.size());
  // The factorisation is most of it: a rate that was measured here must not be taken for a server's core's once more.
  e.basis = measured > 0 ? "from laws fitted to three cases and the rate of a factorisation here"
                         : "from laws fitted to three cases on a server's core";
  add_disk(q, all, frequencies, e);
  e.steps = 0;
  e.groups = {1, std::max(1, static_cast<int>(std::min(frequencies, 65536.0))), false,
              "each computes frequencies of its own, of which there are fewer"};
  std::string radiation = add_devices(q, all, e);
  add_details(q, all, bands.size(), frequencies, std::move(radiation), e);
  return e;
}

}  // namespace conoid::maxwell_fem

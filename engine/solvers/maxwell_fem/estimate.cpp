// SPDX-License-Identifier: BSD-3-Clause
// Memory and time of a case before anything is meshed.
//
// Laws and figures are fitted to three sample cases (README, "Estimates") on two cores of 3 GHz with AVX-512.
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/linalg/sparse_direct.hpp"
#include "engine/solvers/maxwell_fem/counted_factors.hpp"
#include "engine/solvers/maxwell_fem/device_radiation.hpp"
#include "engine/solvers/maxwell_fem/factor_place.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/pi.hpp"
#include "engine/team/rate_book.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr double assembly_seconds = 25e-6;  ///< an unknown: spaces, matrix, order of elimination
constexpr double factor_rate =
    6.5e9;  ///< flop/s of a core, also of MUMPS over a BLAS that does not know the processor: see below
constexpr double solve_rate = 4.5e9;     ///< flop/s, 16 an entry of the factors and column; twice that in blocks
constexpr double near_seconds = 250e-6;  ///< a point of S
constexpr double shown_seconds = 60e-9;  ///< a point of a plane and a point of S'
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
double shown_work(const Settings& s, double solved, double points) {
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
double expected_columns(const Settings& s, const Mesh* mesh, double waves) {
  if (waves < 1.5) return s.reciprocity ? 2 : 1;
  if (!s.monostatic || !s.compress || waves < 8) return waves;
  double radius = s.sphere ? s.sphere->radius + s.sphere->coat : 0;
  if (!s.sphere && mesh != nullptr) {
    const auto [low, high] = mesh->bounds();
    radius = 0.5 * norm(sub(high, low));
  }
  const double wave_number = 2 * pi * s.frequencies.back() / light_speed,
               span = std::abs(s.monostatic->angles.back() - s.monostatic->angles.front());
  return std::min(waves, s.polarisations() * (wave_number * radius * span / pi + 12));
}

/// Frequencies that are computed: of a fast sweep some dozen, more where a body rings.
double computed_frequencies(const Settings& s, std::size_t all) {
  const auto count = static_cast<double>(all);
  return s.fast ? std::min({count, static_cast<double>(s.fast->most), 12.0}) : count;
}

/// Points of S; S' has about as many.
double expected_points(const Settings& s, const Mesh* mesh, double unknowns) {
  if (s.sphere) return face_points * (s.sphere->core_material > 0 ? 12.0 : 20.0) * std::pow(s.sphere->divisions, 2);
  if (mesh != nullptr && mesh->dimension() == 3)
    for (const auto& [name, boundary] : s.domain.boundaries)
      if (boundary.kind == BoundaryKind::outer)
        if (const MeshGroup* group = mesh->group(name); group != nullptr)
          return static_cast<double>(face_points) * static_cast<double>(group->cells.size());
  return unknowns / (s.domain.order == 1 ? 1.0 : 5.5);
}

constexpr double near_faces = 22;     ///< near faces of a point of S
constexpr double device_start = 1.5;  ///< seconds: context, kernels, first copies

std::string radiation_text(const Settings& s, const RadiationPlan& plan) {
  switch (s.truncation.loop) {
    case RadiationLoop::automatic: return plan.reason;
    case RadiationLoop::compressed:
      return "compressed, as the case asks; " + format_bytes(static_cast<Bytes>(plan.dense_bytes)) + " whole";
    case RadiationLoop::blocked: return "blocked products, as the case asks";
    case RadiationLoop::fused: return "one right-hand side by one, as the case asks";
    case RadiationLoop::device: return "by the devices and the processors beside them, as the case asks";
    case RadiationLoop::cuda_outer:
    case RadiationLoop::cuda_rhs: return "plain loops on the devices, as the case asks";
    default: return "plain loops, as the case asks";
  }
}

/// Of loops that the case names; else of what is planned. Wall-clock seconds of one rank.
double radiation_seconds(const Settings& s, const RadiationPlan& plan) {
  switch (s.truncation.loop) {
    case RadiationLoop::automatic: return plan.seconds(plan.way);
    case RadiationLoop::compressed: return plan.compressed_seconds;
    case RadiationLoop::device: return std::isfinite(plan.device_seconds) ? plan.device_seconds : plan.plain_seconds;
    default: return plan.plain_seconds;
  }
}

}  // namespace

Result<Estimate> MaxwellFem::estimate(const Case& input, const Mesh* mesh, const Offer& offer) const {
  std::vector<Diagnostic> found;
  const Settings s = read_settings(input, found);
  for (const Diagnostic& d : found)
    if (d.severity == Severity::error) return d;
  const auto budget = static_cast<double>(offer.host.value);
  const double cores = std::max(1, offer.threads.value);
  const auto waves = static_cast<double>(s.incidences().size()) * s.polarisations();
  const auto given = mesh != nullptr ? std::shared_ptr<const Mesh>(std::shared_ptr<void>(), mesh) : nullptr;
  const auto skin = bare_surface(s, given);
  if (skin) mesh = skin.get();
  const std::vector<Band> bands = bands_of(s, skin.get());
  // Not measured: half of what the threads would do without waiting.
  const double measured = measured_factor_rate(offer.threads.value),
               factored = measured > 0 ? measured : factor_rate * std::max(1.0, 0.5 * cores);
  Estimate e;
  e.seconds = 0.2;
  // Of the band with the largest mesh; seconds of all.
  Index unknowns = 0;
  double columns = 0, applications = 0;
  Bytes factors = 0, waiting = 0;
  FactorPlace place;
  bool is_counted = false;
  double outer_points = 0;
  // Radiation in all: what processors alone take, the way that they would choose; what is planned; bytes to devices and back.
  double radiated = 0, radiated_as_planned = 0, to_devices = 0;
  RadiationPlan plan, without;  // without: devices
  // A deterministic run has no lasting order of sums where several workers share S: MaxwellFem::devices_radiate().
  const bool lasting = offer.workers.size() == 1 || !offer.deterministic.value,
             may_use_devices =
                 lasting && (s.truncation.loop == RadiationLoop::automatic || on_devices(s.truncation.loop));
  RadiationRates rates = radiation_rates(offer.workers, offer.devices, false), processors_alone = rates;
  // Of the device that factors; an emulated one has a library of the processors, and no rate.
  const double factor_products =
      !rates.devices.empty() && offer.devices.front().backend == "cuda" ? rates.devices.front().products : 0;
  double factored_by_processors = 0, factored_on_device = 0;
  processors_alone.devices.clear();
  if (!may_use_devices) rates.devices.clear();
  std::optional<CountedFactors> counted;
  for (const Band& band : bands) {
    Settings part = in_band(s, band);
    part.direct.threads = std::max(1, offer.threads.value);  // what waits for parents grows with them
    const int rows = thin_rows(part, mesh);
    const double frequencies = computed_frequencies(s, part.frequencies.size());
    // Where there are more ranks than frequencies some share one, and its factors; else the last round may hold fewer.
    const int of_one = std::max(1, static_cast<int>(offer.place.ranks / std::max(1.0, frequencies)));
    // Bands of a built-in sphere have the same cells; a mesh with S of its own has one band.
    if (&band == &bands.front()) counted = counted_factors(part, given, of_one);
    const Index here = counted ? counted->unknowns : expected_unknowns(part, mesh);
    const auto n = static_cast<double>(here);
    const double solved = expected_columns(part, mesh, waves),
                 points = counted ? counted->outer_points : expected_points(part, mesh, n);
    const ExpectedFactors foreseen = counted ? ExpectedFactors{counted->fronts.entries, counted->fronts.bytes,
                                                               counted->fronts.fullest - counted->fronts.bytes}
                                             : expected_factors(here, rows, part.direct, of_one);
    const Bytes of_factors = foreseen.bytes;
    RadiationWork work = radiation_work(part, solved);
    work.outer_points = points;
    work.current_points = counted ? counted->current_points : points;
    work.ranks = std::max(1.0, std::floor(offer.place.ranks / frequencies));  // of one frequency
    const RadiationPlan loop = plan_radiation(work, rates, budget, !offer.automatic || on_devices(s.truncation.loop)),
                        alone = plan_radiation(work, processors_alone, budget);
    const bool compressed = s.truncation.loop == RadiationLoop::compressed ||
                            (s.truncation.loop == RadiationLoop::automatic && loop.compressed());
    const double flops = counted ? counted->fronts.flops : factor_flops(n, foreseen.entries, rows),
                 entries = foreseen.entries, applied = work.applications * work.columns,
                 radiation = radiation_seconds(s, alone), planned = radiation_seconds(s, loop);
    // Ranks take a frequency each; those that are left over in the last round share its solves and its radiation.
    const auto ranks = static_cast<double>(std::max(1, offer.place.ranks));
    const auto factors_of = [&](double together) {
      return flops / factored / (own_fronts(part.direct) ? together : 1.0) +
             16 * entries * (applied / together + solved) / (solved < 8 ? solve_rate : 2 * solve_rate);
    };
    const auto seconds_of = [&](double together) {
      return n * assembly_seconds + factors_of(together) +
             (s.monostatic && s.compress && waves >= 8 ? waves * points * incident_seconds : 0.0) +
             (points * near_seconds + shown_work(part, solved, points)) / cores + radiation * work.ranks / together;
    };
    const double rounds = std::floor(frequencies / ranks), left = frequencies - rounds * ranks;
    e.seconds += rounds * seconds_of(1) + (left > 0 ? seconds_of(std::floor(ranks / left)) : 0.0);
    FactorWork to_factor{n, entries, of_one, offer.deterministic.value, flops};
    const FactorPlace placed = place_factors(part.direct, to_factor, offer.workers, offer.devices);
    if (placed.memory > placed.allowed) to_factor.in_host = static_cast<double>(placed.memory - placed.allowed);
    if (const double on_device = device_factor_seconds(to_factor, part.direct, factor_products, applied + solved);
        placed.device >= 0 && on_device > 0) {
      factored_on_device += std::ceil(frequencies / ranks) * on_device;
      factored_by_processors += rounds * factors_of(1) + (left > 0 ? factors_of(std::floor(ranks / left)) : 0.0);
    }
    radiated += std::ceil(frequencies / ranks) * radiation;
    radiated_as_planned += std::ceil(frequencies / ranks) * planned;
    to_devices += frequencies * loop.streamed;
    const Bytes blocks = compressed ? static_cast<Bytes>(loop.compressed_bytes) : 0,
                memory = memory_with(foreseen, part, here, solved, points, budget) + blocks +
                         static_cast<Bytes>(counted ? n * kept_beside : 0);
    if (memory < e.host_memory) continue;
    e.host_memory = memory;
    unknowns = here;
    columns = solved;
    applications = applied;
    factors = of_factors;
    waiting = foreseen.waiting;
    place = placed;
    is_counted = counted.has_value();
    outer_points = points;
    plan = loop;
    without = alone;
  }
  const auto n = static_cast<double>(unknowns), frequencies = computed_frequencies(s, s.frequencies.size());
  // The factorisation is most of it: a rate that was measured here must not be taken for a server's core's once more.
  e.basis = measured > 0 ? "from laws fitted to three cases and the rate of a factorisation here"
                         : "from laws fitted to three cases on a server's core";
  e.disk = static_cast<Bytes>(n * 30 + 1e5 * frequencies);
  if (s.direct.on_disk || static_cast<double>(factors) > budget) {
    // Written once, and read for each block of right-hand sides, at 1 GB/s.
    constexpr double disk_rate = 1e9;
    const double passes = 1 + std::ceil((applications + columns) / std::max(1, s.direct.block));
    const double bytes = frequencies * passes * static_cast<double>(factors);
    e.streams = "factors of the matrix, between disk and memory";
    e.streamed = static_cast<Bytes>(bytes);
    e.slower = 1 + bytes / disk_rate / e.seconds;
    e.seconds *= e.slower;
    e.disk += factors;
    e.host_memory -= std::min(e.host_memory, factors);
  }
  e.steps = 0;
  std::string by = radiation_text(s, plan);
  const bool on_devices = maxwell_fem::on_devices(s.truncation.loop) ||
                          (s.truncation.loop == RadiationLoop::automatic && plan.way == RadiationWay::devices);
  if (s.truncation.loop != RadiationLoop::automatic && !maxwell_fem::on_devices(s.truncation.loop))
    e.use = {0, "truncation.loop names a loop of the processors"};
  else if (!lasting)
    e.use = {0, "a deterministic run is computed by the processors, in one order of sums"};
  else if (s.truncation.loop == RadiationLoop::automatic && radiated < device_start)
    e.use = {0, fmt::format("the radiation, which is what devices can do, takes processors about {}",
                            format_duration(radiated))};
  else if (!on_devices && !rates.devices.empty())
    e.use = {0, "the radiation, which is what devices can do, is faster by the processors"};
  if (place.device >= 0) e.use = {};  // the device factors, whoever radiates
  if (const ChosenTeam team = choose_team(offer, e.use, e.seconds); on_devices && !team.devices().empty()) {
    e.device_memory = std::min(
        static_cast<Bytes>(device_radiation_bytes(outer_points, outer_points, near_faces * outer_points, columns)),
        team.device_memory());
    e.planned_seconds = std::max(0.0, e.seconds - radiated) + radiated_as_planned;
    e.device_seconds = radiated_as_planned;
    if (plan.groups > 1) {
      e.streams = "right-hand sides of the radiation, between host and device";
      e.streamed = static_cast<Bytes>(to_devices);
      e.slower *= e.planned_seconds / (e.planned_seconds - radiated_as_planned * (1 - 1 / plan.slower));
    }
  } else if (s.truncation.loop == RadiationLoop::automatic && on_devices) {
    by = without.reason;
    if (without.compressed()) e.host_memory += static_cast<Bytes>(without.compressed_bytes);
  }
  if (factored_on_device > 0) {
    e.planned_seconds = std::max(0.0, e.expected_seconds() - factored_by_processors) + factored_on_device;
    e.device_seconds += factored_on_device;
  }
  e.details = {
      {"unknowns", fmt::format("{}{}", is_counted ? "" : "about ", unknowns)},
      {"elements", fmt::format("order {}", s.domain.order)},
      {"frequencies", s.fast ? fmt::format("{}, about {:.0f} of them computed", s.frequencies.size(), frequencies)
                      : bands.size() == 1
                          ? fmt::format("{}", s.frequencies.size())
                          : fmt::format("{} in {} bands with meshes of their own", s.frequencies.size(), bands.size())},
      {"incident waves", fmt::format("{:.0f} a frequency", waves)},
      {"wavelength", format_quantity(light_speed / s.frequencies.back(), "m")},
      {"factors", fmt::format("{}, {} more while they are made, {}", format_bytes(factors), format_bytes(waiting),
                              is_counted ? "counted in the order of elimination of this mesh" : "by a law")},
      {"direct solver", place.device >= 0
                            ? place.reason + (factored_on_device > 0 ? ", " + format_duration(factored_on_device) : "")
                        : own_fronts(s.direct) ? (s.direct.single ? "own fronts in single precision, refined in double"
                                                                  : "own fronts, in the order of nested dissection")
                        : s.direct.method == DirectMethod::eigen || !has_mumps() ? "Eigen sparse LU"
                                                                                 : "MUMPS"},
      {"solved waves", fmt::format("about {:.0f} a frequency", columns)},
      {"radiation", by}};
  if (place.device < 0 && !place.reason.empty()) e.details.emplace_back("factors by", place.reason);
  if (place.device >= 0) {
    e.device_memory += std::min(place.memory, place.allowed);
    if (place.memory > place.allowed) e.host_memory += place.memory - place.allowed;
  }
  if (const int ranks = offer.place.ranks; ranks > 1) {
    const int of_one = std::max(1, static_cast<int>(ranks / std::max(1.0, frequencies)));
    const std::string mesh_and =
        own_fronts(s.direct) && of_one > 1
            ? fmt::format("its mesh and matrix and a part of the factors, {}", format_bytes(factors))
            : std::string("its mesh and factors");
    e.details.emplace_back("ranks", fmt::format("{}, {}; each holds {}, {} in all", ranks,
                                                frequencies <= 1 ? std::string("which share solves and radiation")
                                                : of_one > 1     ? fmt::format("{} or more a frequency", of_one)
                                                                 : std::string("each of another frequency"),
                                                mesh_and, format_bytes(e.host_memory)));
  }
  return e;
}

}  // namespace conoid::maxwell_fem

// SPDX-License-Identifier: BSD-3-Clause
// The solver's face to the session: checks, estimate, bundles of steps, frames, checkpoints.
#include "engine/solvers/hydro_fem/hydro_fem.hpp"

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/device_memory.hpp"
#include "engine/solvers/hydro_fem/discretization/geometry.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/plan_trial.hpp"
#include "engine/solvers/hydro_fem/verify/verify.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace conoid::hydro_fem {

extern const std::string_view parameters_schema;

namespace {

using Clock = std::chrono::steady_clock;
constexpr double bundle_seconds = 0.05;
constexpr Index parts_of_run = 10000;  // progress is counted in these
constexpr const char* part_name = "flow";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const std::array<FieldInfo, 5> fields{{
    {"density", "kg/m^3", FieldKind::magnitude, Association::point, 1, false, "Density"},
    {"pressure", "Pa", FieldKind::magnitude, Association::point, 1, false, "Pressure"},
    {"energy", "J/kg", FieldKind::magnitude, Association::point, 1, false, "Specific internal energy"},
    {"velocity", "m/s", FieldKind::signed_value, Association::point, 3, false, "Velocity"},
    {"viscosity", "Pa s", FieldKind::magnitude, Association::point, 1, false, "Artificial viscosity"},
}};

/// What devices that are offered would do: how many are of use and why not more, and bytes of each that computes.
struct OnDevice {
  DeviceUse use;
  Bytes bytes = 0;
  double seconds = 0;  ///< of a whole run on them; 0: not known
};
/// Of one of several parts of the zones, a layer of nodes around it included.
DeviceNeeds part_of(DeviceNeeds whole, double parts) {
  if (parts <= 1) return whole;
  const double layer = std::pow(whole.zones / parts, -1.0 / whole.dim);
  whole.shared = true;
  whole.zones = std::ceil(whole.zones / parts);
  whole.nodes = std::ceil(whole.nodes / parts * (1 + 2 * layer));
  return whole;
}
/// `steps`: of the run, and `processors`: seconds that they alone would take; 0: not known.
OnDevice on_device(const Problem& problem, const Offer& offer, double steps, double processors) {
  if (offer.devices.empty()) return {};
  if (const std::string why = device_objection(problem.setup); !why.empty()) return {{0, why}, 0};
  const double ranks = std::max(1, offer.place.ranks);
  const DeviceNeeds needs = part_of(problem_device_needs(problem), ranks);
  const double points = needs.zones * std::pow(2 * needs.k, needs.dim);
  const auto named = [](const WorkerSpec& w) { return !w.device.empty(); };
  const WorkerSpec& first = *std::find_if(offer.workers.begin(), offer.workers.end(), named);
  const bool real = first.device.substr(0, 4) == "cuda";
  const bool priced = steps > 0 && processors > 0;
  if (offer.automatic && real && !priced && points < points_worth_a_device)
    return {{0, "too few quadrature points to be faster there"}, 0};
  const auto there = std::count_if(offer.workers.begin(), offer.workers.end(), named);
  const int most =
      ranks > 1 ? 1 : static_cast<int>(std::min({static_cast<double>(there), needs.zones, double{most_devices}}));
  int count = offer.automatic && real ? devices_that_pay(points, most) : most;
  const auto fits = [&] {
    const Bytes had = first.device_memory;
    return had == 0 || device_bytes(part_of(needs, count)) <= had;
  };
  while (!fits() && count < most) ++count;  // what one has no room for, several may have
  const Bytes bytes = device_bytes(part_of(needs, count));
  if (!fits())
    return {{0, fmt::format("it needs {}, {} are to be had", format_bytes(bytes), format_bytes(first.device_memory))},
            0};
  const char* why = ranks > 1               ? "the steps of a rank lie on one device"
                    : needs.zones <= count  ? "each device has zones"
                    : count >= most_devices ? "so many devices share the zones at most"
                                            : "another device would have too few quadrature points to be worth it";
  OnDevice out{{count, why}, bytes, 0};
  if (!real || !priced) return out;
  out.seconds = seconds_on_devices(points, needs.dim, steps, count, offer.devices.front().multiprocessors);
  if (offer.automatic && out.seconds >= processors)
    return {{0, fmt::format("with {} the run would take about {} instead of {}", count > 1 ? "them" : "it",
                            format_duration(out.seconds), format_duration(processors))},
            0};
  out.use.priced = true;
  return out;
}

}  // namespace

std::vector<Diagnostic> HydroFem::check(const Case& input, const Mesh* mesh, const Offer& offer) const {
  if (names_files(input)) reading_.forget();  // they may be others now
  const Reading<Problem>& reading = reading_.of(input, mesh, read_problem);
  std::vector<Diagnostic> out = reading.said;
  if (has_errors(out)) return out;
  const Problem& problem = *reading.problem;
  if (const int most = most_ranks(problem, best_kernels().lanes); offer.place.ranks > most) {
    Diagnostic d = input.error_at(input["parameters"]["order"],
                                  fmt::format("{} ranks are too many: this case has zones for {}, {} at a time",
                                              offer.place.ranks, most, best_kernels().lanes),
                                  fmt::format("Take {} ranks or fewer (mpirun -n {}), or more zones.", most, most));
    d.code = ErrorCode::resources;
    out.push_back(std::move(d));
  }
  const Bytes needed = problem_memory(problem, offer.place.ranks).most();
  if (const Bytes had = offer.host.said() ? offer.host.value : offer.machine.memory; needed > had) {
    const Values order = input["parameters"]["order"];
    Diagnostic d =
        input.error_at(order,
                       fmt::format("order {} on this grid needs {}, {} {}", order.integer(), format_bytes(needed),
                                   offer.host.said() ? "offered are" : "this machine has", format_bytes(had)),
                       "Use fewer zones or a lower order: memory grows with (zones) × (2 order)^dimensions.");
    d.code = ErrorCode::resources;
    out.push_back(std::move(d));
  }
  return out;
}

Result<Estimate> HydroFem::estimate(const Case& input, const Mesh* mesh, const Offer& offer) const {
  const Reading<Problem>& reading = reading_.of(input, mesh, read_problem);
  for (const auto& d : reading.said)
    if (d.severity == Severity::error) return d;
  const Problem& problem = *reading.problem;
  Estimate e;
  const RankMemory memory = problem_memory(problem, offer.place.ranks);
  e.host_memory = memory.most() + (Bytes{28} << 20);  // the program and its libraries
  const Geometry::Count count = problem.geometry.count();
  const double order = problem.setup.k, zones = count.zones, dims = problem.geometry.dim, nodes = count_nodes(problem);
  if (!mesh) e.box = {problem.geometry.lower, problem.geometry.upper};
  const double view = zones * std::pow(order + 1, dims);
  e.disk = static_cast<Bytes>(20 * view * (24 + 4 * 7) + 8 * (8 * dims * nodes + zones * std::pow(order, dims)));
  double steps = 0;
  try {
    const Trial trial = kept_trial(problem, input, mesh);
    steps = trial.steps;
    // What does not divide among two threads, which meet in every iteration of the mass solve: a half with some 10,000 points
    // (rayleigh-taylor), a tenth with 64,000 (sedov-octant).
    const double points = zones * std::pow(2 * order, dims), undivided = std::min(0.5, 5000 / points);
    e.seconds = trial.seconds *
                ((1 - undivided) / (std::max(1, offer.threads.value) * std::max(1, offer.place.ranks)) + undivided);
    e.basis = trial.basis;
  } catch (const Failure& failure) {
    e.basis = "a trial failed: " + failure.error().text;
  }
  e.details = {{"zones", count.text},
               {"elements", fmt::format("Q{} velocity, Q{} energy", order, order - 1)},
               {"velocity unknowns", fmt::format("{}", dims * nodes)},
               {"quadrature points", fmt::format("{}", zones * std::pow(2 * order, dims))}};
  if (offer.place.ranks > 1)
    e.details.emplace_back("ranks",
                           fmt::format("{} share the zones; each has {} for its own and {} for all, {} while they "
                                       "are numbered; a frame takes {} on the first",
                                       offer.place.ranks, format_bytes(memory.own), format_bytes(memory.all_zones),
                                       format_bytes(memory.numbering), format_bytes(memory.frame)));
  const OnDevice device = on_device(problem, offer, steps, e.seconds);
  e.use = device.use;
  if (const ChosenTeam team = choose_team(offer, e.use, e.seconds); !team.devices().empty() && e.use.most != 0) {
    e.device_memory = device.bytes;
    e.planned_seconds = e.device_seconds = device.seconds;
    std::vector<std::string> names = team.devices();
    names.resize(std::min(names.size(), u(e.use.most)));
    e.details.emplace_back(
        "device", names.size() == 1
                      ? names.front() + " computes whole steps"
                      : fmt::format("{} compute whole steps, an interval of zones each", fmt::join(names, ", ")));
    if (std::any_of(offer.workers.begin(), offer.workers.end(), [](const WorkerSpec& w) { return w.device.empty(); }))
      e.details.emplace_back("processors", std::string("idle but for one thread a device: ") + why_processors_are_idle);
  }
  if (e.expected_seconds() > 0 && (e.device_memory == 0 || e.planned_seconds > 0))
    e.phases = {{"march", e.expected_seconds(), e.device_seconds}};
  if (steps > 0) e.details.emplace_back("time steps", fmt::format("about {:.2g}", steps));
  return e;
}

Status HydroFem::prepare(RunContext& context) {
  context.progress.begin("prepare", 0, "");
  try {
    Reading<Problem>& reading = reading_.of(context.input, context.mesh.get(), read_problem);
    for (const auto& d : reading.said)
      if (d.severity == Severity::error) return d;
    problem_ = std::move(*reading.problem);
    reading_.forget();
    problem_.make_zones();
    cluster_ = &context.cluster;
    op_ = std::make_unique<Operator>(problem_.setup, best_kernels(), context.team, cluster_);
    if (problem_.initial) tell_start();
    Placed placed = place_march(problem_.setup, *op_, problem_.march.integrator == Integrator::rk4);
    if (!placed.told.empty() && cluster_->leads())
      placed.warning ? log::warning("{}", placed.told) : log::info("{}", placed.told);
    march_ = std::make_unique<March>(std::move(placed.backend), problem_.march);
    view_ = std::make_unique<View>(*op_, problem_.setup);
    place_points();
    op_->drop_initial();
    problem_.setup.mesh.drop_places();
  } catch (const Failure& failure) {
    return failure.error();
  }
  for (const auto& bc : problem_.setup.boundaries)
    if (bc.works()) closed_ = false;
  if (problem_.setup.energy_source || !problem_.setup.afterburn.empty()) closed_ = false;
  if (cluster_->leads())
    log::info("hydro-fem: {} zones, Q{}-Q{}, {} velocity nodes, steps by {}, first step {}",
              problem_.geometry.count().text, problem_.setup.k, problem_.setup.k - 1, op_->space().nodes,
              march_->where(), format_quantity(march_->last_step(), "s"));
  context.progress.end();
  return {};
}

/// Where tracers and gauges that move lie in the material. All ranks learn of the first that lies in no zone.
void HydroFem::place_points() {
  tracers_.clear();
  gauges_.emplace(problem_.gauges);
  if (problem_.tracers.empty() && problem_.gauges.empty()) return;
  const State& state = march_->state();
  constexpr Index none = -1;
  const auto tracers = static_cast<Index>(problem_.tracers.size());
  const View::Boxes boxes = view_->boxes(state);
  std::vector<View::Searched> points;
  for (const auto& tracer : problem_.tracers) points.push_back({&boxes, tracer.position});
  tracers_ = view_->find(state, points);
  const auto first = std::find_if(tracers_.begin(), tracers_.end(), [](const View::Spot& s) { return s.zone < 0; });
  Index lost = first != tracers_.end() ? first - tracers_.begin() : none;
  if (const Index gauge = lost == none ? gauges_->place(*view_, state) : none; gauge != none) lost = tracers + gauge;
  if (lost == none) return;
  if (lost < tracers)
    throw Failure(make_error(ErrorCode::invalid_input,
                             fmt::format("{} lies in no zone", problem_.tracers[u(lost)].name),
                             "Put it inside the grid."));
  throw Failure(lies_in_no_zone(problem_.gauges[u(lost - tracers)].name));
}

/// What of the mass and energy of another run has come over.
void HydroFem::tell_start() {
  const InitialRun& run = *problem_.initial;
  const auto got = amounts_at_start(*op_, run, problem_.geometry.lower, problem_.geometry.upper);
  const auto& whole = run.amounts();
  if (got) start_off_ = {got->mass / whole.mass - 1, got->energy / whole.energy - 1};
  start_pressure_off_ = pressure_off_at_start(*op_, problem_.setup, run);
  if (!cluster_->leads()) return;
  if (got)
    log::info("the start is that run at t = {}: of its mass {:+.3g} %, of its energy {:+.3g} %",
              format_quantity(run.time(), "s"), 100 * start_off_->mass, 100 * start_off_->energy);
  else
    log::warning("the zones end before the material of the run does, which the start is taken from");
  constexpr double most_off = 0.1;  // within a zone of the run its pressure is drawn by straight lines, too
  if (start_pressure_off_ && *start_pressure_off_ > most_off)
    log::warning(
        "with the materials of the regions the start has other pressures than that run, {:.0f} % off on average. "
        "Give each material the region that it fills by then; an explosive that has burnt there needs no detonation "
        "points (or earlier ones: time begins at 0 again)",
        100 * *start_pressure_off_);
}

Advanced HydroFem::standing() const {
  return {march_->finished(), march_->accepted(), 0, march_->time(), march_->time() / problem_.march.end_time};
}

void HydroFem::watch_tables() {
  const Index points = march_->outside();
  if (points == 0) return;
  ++outside_.steps;
  outside_.most = std::max(outside_.most, points);
  if (outside_.steps > 1) return;
  outside_.first = march_->time();
  const auto [zone, reason] = march_->first_outside();
  Error error = make_error(ErrorCode::not_converged,
                           fmt::format("at t = {:.6g} s the material has left its table of states in zone {}: {}",
                                       march_->time(), zone, reason),
                           "Let the table reach as far as the flow does.");
  if (problem_.stop_outside_table) throw Failure(std::move(error));
  if (cluster_->leads())
    log::warning("{}. The values of its edge are taken from now on, and the steps are counted. {}", error.text,
                 error.hint);
}

Result<Advanced> HydroFem::advance(RunContext& context) {
  if (!announced_) {
    // Time, not steps: how many of these there will be is known only at the end. The same phase as the session's march.
    context.progress.begin("march", parts_of_run, "parts of the end time");
    announced_ = true;
    if (sums_.recorded < 0) record(context, march_->time(), march_->accepted(), true);
  }
  const auto clock = Clock::now();
  const Index before = march_->accepted() + march_->repeated();
  bool more = true;
  const auto in_time = [&] {  // the clock of one rank decides for all
    const bool mine = seconds_since(clock) < bundle_seconds;
    return cluster_->size() > 1 ? cluster_->from_root(mine) : mine;
  };
  try {
    do {
      const double from = march_->time();
      const Index from_step = march_->accepted();
      march_->step();
      record(context, from, from_step, march_->finished());
      watch_tables();
      more = !march_->finished();
      if (more && context.marks.due(standing())) break;
    } while (more && in_time());
  } catch (const Failure& failure) {
    // A device that fails takes its state along: the run goes on from its last checkpoint, on whatever is named then.
    // Nor can ranks that have lost another make a row together.
    if (failure.error().code == ErrorCode::resources || failure.error().code == ErrorCode::remote)
      return failure.error();
    record(context, march_->time(), march_->accepted(), true);  // the last state gets its row
    if (march_->accepted() == 0) return failure.error();
    // The march is over; the frame of its end shows the zone, and finish() says what happened.
    collapse_ = failure.error();
    Advanced out = standing();
    out.finished = true;
    return out;
  }
  const auto attempted = static_cast<double>(march_->accepted() + march_->repeated() - before);
  context.progress.computed(attempted * static_cast<double>(op_->space().zones), "zones");
  const Advanced out = standing();
  context.progress.at(static_cast<Index>(out.share * static_cast<double>(parts_of_run) * (1 + 1e-12) + 1e-9));
  return out;
}

std::vector<CatalogEntry> HydroFem::catalog() const {
  std::vector<CatalogEntry> out;
  for (const FieldInfo& info : fields)
    if (info.name != "viscosity" || problem_.setup.viscosity) out.push_back({part_name, info});
  return out;
}

void HydroFem::fill(FrameBuilder& builder) const {
  builder.at(march_->accepted(), march_->time(), FrameAxis::time);
  if (!builder.wants_part(part_name)) return;
  const State& state = march_->state();
  view_->at_time(march_->time());
  const int sub = view_->cuts(builder.request().points_limit);
  MeshGeometry geometry = view_->geometry(state, sub);
  std::array<std::vector<float>, 5> values;
  std::vector<std::size_t> shown;
  Index numbers = 0;  // of a point
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if ((f == 4 && !problem_.setup.viscosity) || !builder.wants(fields[f].name)) continue;
    shown.push_back(f);
    numbers += fields[f].components;
    values[f].resize(geometry.points->size() / 3 * u(fields[f].components));
  }
  const bool viscosity = std::find(shown.begin(), shown.end(), 4U) != shown.end();
  view_->values(
      state, sub, viscosity, numbers,
      [&](const PointValues& v, float* out) {
        const std::array<double, 5> scalars{v.density, v.pressure, v.energy, 0, v.viscosity};
        for (const std::size_t f : shown)
          for (std::size_t d = 0; d < u(fields[f].components); ++d)
            *out++ = static_cast<float>(f == 3 ? v.velocity[d] : scalars[f]);
      },
      [&](Index i, const float* from) {
        for (const std::size_t f : shown) {
          const Index n = fields[f].components;
          std::copy_n(from, n, values[f].begin() + i * n);
          from += n;
        }
      });
  if (!cluster_->leads()) return;
  FramePart& part = builder.part(part_name, std::move(geometry));
  for (const std::size_t f : shown) part.fields.push_back(make_field(fields[f], std::move(values[f])));
}

void HydroFem::save(CheckpointWriter& writer) const {
  op_->write(writer, march_->state());
  writer.value("march", march_->memory());
  writer.value("sums", sums_);
  if (!problem_.gauges.empty()) writer.shared<double>("gauge sums", gauges_->kept());
  if (outside_.steps > 0) writer.value("outside tables", outside_);
  if (tension_.most > 0) writer.value("tension", tension_);
  if (drained_ >= 0) writer.value("drained", drained_);
  const KernelTimes times = march_->times();
  writer.value("mass solves",
               MassSolves{solves_before_.count + times.solves, solves_before_.iterations + times.iterations});
}

void HydroFem::load(CheckpointReader& reader) {
  march_->restore(op_->read(reader), reader.value<March::Memory>("march"));
  sums_ = reader.value<Sums>("sums");
  if (!problem_.gauges.empty()) {
    // The case of a resumed run may have gauges that the checkpoint, or all of it, knows nothing of.
    const bool older = reader.length("gauges") > 0;
    const char* const key = older ? "gauges" : "gauge sums";
    std::vector<double> kept(u(std::max<Index>(0, reader.length(key))));
    if (!kept.empty()) reader.range<double>(key, 0, kept);
    for (const std::string& name : gauges_->restore(kept, older))
      if (cluster_->leads())
        log::warning(
            "{} was not there before: it begins at t = {}, and what it sees is beyond the pressure at that time", name,
            format_quantity(march_->time(), "s"));
  }
  if (reader.length("outside tables") == 1) outside_ = reader.value<Outside>("outside tables");
  if (reader.length("tension") == 1) tension_ = reader.value<Tension>("tension");
  if (reader.length("drained") == 1) drained_ = reader.value<double>("drained");
  if (reader.length("mass solves") == 1)
    solves_before_ = reader.value<MassSolves>("mass solves");  // an older checkpoint has none
}

namespace {
/// Every phase that the team tells of.
constexpr Capability phases[] = {
    {"corner force", true, true, true, ""},
    {"force sum", true, true, true, ""},
    {"velocity solve", true, true, true, ""},
    {"energy", true, true, true, ""},
};
}  // namespace

const SolverInfo& solver_info() {
  static const SolverInfo info{"hydro-fem",
                               "Lagrangian hydrodynamics, high-order finite elements",
                               "Shocks in gases and liquids on a curved mesh that moves with the material; "
                               "total energy is kept to round-off.",
                               parameters_schema,
                               [] { return std::unique_ptr<Solver>(std::make_unique<HydroFem>()); },
                               verify_table,
                               bench_table,
                               nullptr,
                               phases,
                               paper_table};
  return info;
}

}  // namespace conoid::hydro_fem

// SPDX-License-Identifier: BSD-3-Clause
// What a run keeps besides pictures: energies, steps, tracers, line-outs, and measures against exact solutions.
#include "engine/core/log.hpp"
#include "engine/solvers/hydro_fem/discretization/exact.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/hydro_fem.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

constexpr Index dense_rows = 1000;      // steps from which on rows of the tables over time lie ever wider apart
constexpr Index dense_fronts = 20;      // the same of searches for the shock, which cost more than a step
constexpr Index rows_a_front = 20;      // where the case says how often there are rows
constexpr double least_tension = 1e-3;  // that is told of, in γ p∞
constexpr int samples_over_time = 200;  // along a ray, in that search
constexpr std::size_t most_drawn = 16;  // columns that a chart can carry

TableInfo table_info(std::string id, std::string title, std::string definition) {
  TableInfo info;
  info.id = std::move(id);
  info.title = std::move(title);
  info.definition = std::move(definition);
  info.columns.push_back({"t", "s", "time"});
  return info;
}

Vec3 between(const Vec3& a, const Vec3& b, double f) {
  return {a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1]), a[2] + f * (b[2] - a[2])};
}
double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

Index HydroFem::marks(double time, Index step, Index dense, Index thinning) const {
  const auto [every, interval] = problem_.rows;
  if (every > 0) return step / every / thinning;
  if (interval > 0) return static_cast<Index>(std::floor(time / interval * (1 + 1e-12) + 1e-9)) / thinning;
  if (step <= dense) return step;
  const auto n = static_cast<double>(dense);
  return dense + static_cast<Index>(std::floor(std::log(static_cast<double>(step) / n) / std::log1p(1 / n) + 1e-9));
}

void HydroFem::record(RunContext& context, double from, Index from_step, bool anyway) {
  const double t = march_->time();
  const Index step = march_->accepted();
  const double dt = march_->taken_step();
  if (dt > 0) sums_.shortest_step = sums_.shortest_step > 0 ? std::min(sums_.shortest_step, dt) : dt;
  const auto due = [&](Index dense, Index thinning) {
    return anyway || marks(t, step, dense, thinning) > marks(from, from_step, dense, thinning);
  };
  if (step == sums_.recorded) return;
  if (dt > 0 && blast_in_uniform_gas() && due(dense_fronts, rows_a_front)) record_front(context);
  if (due(dense_fronts, rows_a_front)) {
    watch_tension();
    watch_drain();
  }
  if (!due(dense_rows, 1)) return;
  sums_.recorded = step;
  const double factor = problem_.energy_factor;
  const Energies e = march_->energies();
  if (sums_.energy_first == 0) sums_.energy_first = e.total();
  sums_.energy_worst = std::max(sums_.energy_worst, std::abs(e.total() - sums_.energy_first));

  TableInfo energies =
      table_info("energies", "Energies",
                 "Internal: sum over mass points of rho0 |J0| w e; kinetic: 1/2 v M v; potential: of the body force; "
                 "total: their sum, constant where nothing works from outside.");
  const std::string& unit = problem_.energy_unit;
  energies.columns.insert(energies.columns.end(), {{"internal", unit, ""}, {"kinetic", unit, ""}});
  if (problem_.setup.gravity != Vec3{}) energies.columns.push_back({"potential", unit, ""});
  energies.columns.push_back({"total", unit, ""});
  std::vector<double> row{t, factor * e.internal, factor * e.kinetic};
  if (problem_.setup.gravity != Vec3{}) row.push_back(factor * e.potential);
  row.push_back(factor * e.total());
  context.results.table(energies).append(row);

  if (dt > 0) {
    TableInfo steps = table_info("time_step", "Time step",
                                 "Length of the last accepted step, and steps taken again because they were too long.");
    steps.columns.insert(steps.columns.end(), {{"dt", "s", "step"}});
    steps.y_scale = AxisScale::log;
    context.results.table(steps).append({t, dt});
  }
  if (!problem_.gauges.empty()) record_gauges(context);
  if (!problem_.tracers.empty()) record_tracers(context);
}

HydroFem::ZoneFound HydroFem::largest_in_zones(
    const std::function<double(const PointValues&, const FlatState&)>& what) {
  const auto& materials = problem_.setup.materials;
  const State& state = march_->state();
  const Index zones = op_->space().zones;
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::vector<double> values(u(zones), none);
  view_->workers().for_each({0, zones}, 64, [&](Interval some, int) {
    for (Index zone = some.begin; zone < some.end; ++zone) {
      if (!op_->owns(zone)) continue;
      const auto flat = materials[u(problem_.setup.mesh.region[u(zone)])]->flat();
      if (flat) values[u(zone)] = what(view_->at(state, view_->place(zone, {0.5, 0.5, 0.5}), false), *flat);
    }
  });
  const auto mine = std::max_element(values.begin(), values.end());
  ZoneFound out;
  out.value = cluster_->maximum(*mine);
  out.zone = cluster_->minimum(static_cast<double>(*mine == out.value ? mine - values.begin() : zones));
  return out;
}

void HydroFem::watch_tension() {
  const auto& materials = problem_.setup.materials;
  if (std::none_of(materials.begin(), materials.end(), [](const auto& material) {
        const auto flat = material->flat();
        return flat && flat->p_infinity > 0;
      }))
    return;
  const auto pull = [](const PointValues& v, const FlatState& m) { return m.p_infinity > 0 ? -v.pressure : 0; };
  const double now = largest_in_zones(pull).value;
  tension_.most = std::max(tension_.most, now);
  if (tension_.first >= 0 || !(now > 0)) return;
  const ZoneFound beyond = largest_in_zones([&](const PointValues& v, const FlatState& m) {
    return m.p_infinity > 0 ? pull(v, m) / (least_tension * m.gamma * m.p_infinity) : 0;
  });
  if (beyond.value < 1) return;
  tension_.first = march_->time();
  if (cluster_->leads())
    log::warning(
        "at t = {:.6g} s the stiffened gas in zone {:.0f} is under tension: its pressure is {:.4g} Pa. It does not "
        "cavitate or break, as liquids do, and what follows from there is that of one that holds",
        tension_.first, beyond.zone, -now);
}

void HydroFem::watch_drain() {
  if (drained_ >= 0 || !problem_.setup.energy_source) return;
  constexpr double round_off = 1e-3;  // of the largest energy: what oscillates at a front
  // Energies of other materials count from states that need not be empty.
  const auto ideal = [](const FlatState& m) { return m.p_infinity == 0 && !m.table && !m.jwl; };
  const ZoneFound lacking =
      largest_in_zones([&](const PointValues& v, const FlatState& m) { return ideal(m) ? -v.energy : 0; });
  if (!(lacking.value > 0)) return;
  const double most = largest_in_zones([&](const PointValues& v, const FlatState& m) {
                        return ideal(m) ? std::abs(v.energy) : 0;
                      }).value;
  if (!(lacking.value > round_off * most)) return;
  drained_ = march_->time();
  if (cluster_->leads())
    log::warning(
        "at t = {:.6g} s the power has taken more energy from the gas in zone {:.0f} than it held: {:.4g} J/kg are "
        "left, and its pressure is zero. What follows from there is no state of that gas",
        drained_, lacking.zone, -lacking.value);
}

void HydroFem::record_gauges(RunContext& context) {
  view_->at_time(march_->time());
  const std::vector<double> pressures = gauges_->sample(*view_, march_->state(), march_->time());
  if (!cluster_->leads()) return;
  TableInfo table = table_info("gauges", "Pressure at the gauges",
                               "Pressure at points that stay where they are, or move with the material.");
  TableInfo impulses = table_info("gauge_impulses", "Impulse at the gauges",
                                  "Integral of the pressure beyond that at the start, where it is positive.");
  std::vector<double> p{march_->time()}, impulse = p;
  for (std::size_t i = 0; i < pressures.size(); ++i) {
    table.columns.push_back({problem_.gauges[i].name, "Pa", ""});
    impulses.columns.push_back({problem_.gauges[i].name, "Pa*s", ""});
    p.push_back(pressures[i]);
    impulse.push_back(gauges_->sums()[i].impulse);
  }
  if (pressures.size() > most_drawn) table.form = impulses.form = ChartForm::none;
  context.results.table(table).append(p);
  context.results.table(impulses).append(impulse);
}

void HydroFem::write_gauges(RunContext& context) const {
  for (std::size_t i = 0; i < problem_.gauges.size(); ++i) {
    const GaugeSums& s = gauges_->sums()[i];
    const auto name = [&](const char* what) { return fmt::format("gauge_{}_{}", i + 1, what); };
    context.results.number(name("peak"), s.peak, "Pa");
    context.results.number(name("impulse"), s.impulse, "Pa*s");
    if (s.arrival >= 0) context.results.number(name("arrival"), s.arrival, "s");
  }
}

void HydroFem::record_tracers(RunContext& context) {
  const double t = march_->time();
  view_->at_time(t);
  const std::vector<PointValues> values = view_->at(march_->state(), tracers_);
  if (!cluster_->leads()) return;
  const int dim = op_->space().dim;
  TableInfo pressure =
      table_info("tracers", "Pressure at the tracers", "Pressure at points that move with the material.");
  TableInfo density =
      table_info("tracer_density", "Density at the tracers", "Density at points that move with the material.");
  TableInfo speed = table_info("tracer_speed", "Speed of the tracers",
                               "Magnitude of velocity of points that move with the material.");
  TableInfo paths =
      table_info("tracer_paths", "Paths of the tracers", "Coordinates of points that move with the material.");
  std::vector<double> p{t}, rho{t}, v{t}, x{t};
  for (std::size_t i = 0; i < tracers_.size(); ++i) {
    const PointValues& at = values[i];
    const std::string& name = problem_.tracers[i].name;
    pressure.columns.push_back({name, "Pa", ""});
    density.columns.push_back({name, "kg/m^3", ""});
    speed.columns.push_back({name, "m/s", ""});
    p.push_back(at.pressure);
    rho.push_back(at.density);
    v.push_back(std::hypot(at.velocity[0], at.velocity[1], at.velocity[2]));
    for (int d = 0; d < dim; ++d) {
      paths.columns.push_back({fmt::format("{}_{}", name, "xyz"[d]), "m", ""});
      x.push_back(at.position[u(d)]);
    }
  }
  if (tracers_.size() > most_drawn) pressure.form = density.form = speed.form = ChartForm::none;
  if (tracers_.size() * u(dim) > most_drawn) paths.form = ChartForm::none;
  context.results.table(pressure).append(p);
  context.results.table(density).append(rho);
  context.results.table(speed).append(v);
  context.results.table(paths).append(x);
}

void HydroFem::write_lines(RunContext& context, const State& state) const {
  view_->at_time(march_->time());
  const View::Boxes boxes = view_->boxes(state);
  auto lines = problem_.lines;
  const auto& setup = problem_.setup;
  if (problem_.exact_sedov && lines.empty()) {
    // From the centre along an axis and to the corner that is farthest.
    Vec3 axis = setup.point, corner = setup.point;
    for (int d = 0; d < setup.mesh.dim; ++d) {
      const bool low = setup.point[u(d)] < 0.5 * (problem_.geometry.lower[u(d)] + problem_.geometry.upper[u(d)]);
      corner[u(d)] = low ? problem_.geometry.upper[u(d)] : problem_.geometry.lower[u(d)];
    }
    axis[0] = corner[0];
    lines.push_back({"axis", setup.point, axis, 400});
    lines.push_back({"diagonal", setup.point, corner, 400});
  }
  std::optional<SedovBlast> exact;
  if (problem_.exact_sedov && problem_.blast_energy > 0)
    exact.emplace(problem_.blast_dimension, problem_.gamma, setup.density(setup.point, 0), problem_.blast_energy);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& line = lines[i];
    TableInfo info;
    info.id = fmt::format("line_{}", i + 1);
    info.title = fmt::format("Along {} at the end", line.name);
    info.definition = fmt::format(
        "Values along the straight line from ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g}) m at t = {:g} s; "
        "s: distance from its first point; velocity: along the line.",
        line.from[0], line.from[1], line.from[2], line.to[0], line.to[1], line.to[2], march_->time());
    info.columns = {{"s", "m", "distance"},
                    {"density", "kg/m^3", ""},
                    {"pressure", "Pa", ""},
                    {"velocity", "m/s", ""},
                    {"energy", "J/kg", ""}};
    if (exact) {
      for (const auto& [name, unit] : {std::pair{"density", "kg/m^3"}, {"pressure", "Pa"}, {"velocity", "m/s"}}) {
        info.columns.push_back({fmt::format("{}_exact", name), unit, fmt::format("{} exact", name)});
        info.exact.push_back(info.columns.back().name);
      }
    }
    const View::Boxes near = view_->along(boxes, line.from, line.to);
    std::vector<View::Searched> points;
    for (int n = 0; n < line.points; ++n)
      points.push_back({&near, between(line.from, line.to, static_cast<double>(n) / (line.points - 1))});
    const std::vector<PointValues> values = view_->at(state, view_->find(state, points));
    if (!cluster_->leads()) continue;
    Table& table = context.results.table(info);
    const double length = distance(line.from, line.to);
    bool met = false;
    for (int n = 0; n < line.points; ++n) {
      const PointValues& v = values[u(n)];
      if (!v.found) continue;  // the material has moved away
      double along = 0;
      for (std::size_t d = 0; d < 3; ++d) along += v.velocity[d] * (line.to[d] - line.from[d]) / length;
      std::vector<double> row{static_cast<double>(n) / (line.points - 1) * length, v.density, v.pressure, along,
                              v.energy};
      if (exact) {
        const Vec3 &c = setup.point, &x = points[u(n)].position;
        const double r = distance(x, c);
        const GasState s = exact->at(r, march_->time());
        double radial = 0;  // its share along the line
        if (r > 0)
          for (std::size_t d = 0; d < 3; ++d) radial += (x[d] - c[d]) / r * (line.to[d] - line.from[d]) / length;
        row.insert(row.end(), {s.density, s.pressure, s.velocity * radial});
      }
      table.append(row);
      met = true;
    }
    if (!met)
      log::warning(
          "{} met no material at t = {:g} s: it runs from ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g}) m, its table is "
          "empty",
          line.name, march_->time(), line.from[0], line.from[1], line.from[2], line.to[0], line.to[1], line.to[2]);
  }
}

/// Rays of this length from the centre of the blast leave the material.
double HydroFem::reach() const {
  return distance(problem_.geometry.lower, problem_.geometry.upper);
}

void HydroFem::record_front(RunContext& context) {
  const auto& setup = problem_.setup;
  const double t = march_->time();
  const ShockFront front =
      shock_front(*view_, march_->state(), setup, reach(), setup.density(setup.point, 0), samples_over_time);
  if (!(front.radius > 0)) return;
  TableInfo info =
      table_info("shock_radius", "Radius of the shock",
                 "Mean distance from the centre of the blast, along the axes and diagonals, at which density is "
                 "last half-way between that ahead and its largest.");
  info.columns.push_back({"radius", "m", "shock"});
  std::vector<double> row{t, front.radius};
  if (problem_.exact_sedov) {
    if (!exact_radius_)
      exact_radius_ =
          SedovBlast(problem_.blast_dimension, problem_.gamma, setup.density(setup.point, 0), problem_.blast_energy)
              .shock_radius(1);
    info.columns.push_back({"radius_exact", "m", "exact"});
    info.exact.push_back("radius_exact");
    // Sedov: R ∝ t^(2/(dimension + 2))
    row.push_back(*exact_radius_ * std::pow(t, 2.0 / (problem_.blast_dimension + 2)));
  }
  context.results.table(info).append(row);
}

void HydroFem::write_blast(RunContext& context, const State& state) const {
  const auto& setup = problem_.setup;
  if (!blast_in_uniform_gas()) return;
  const double ahead = setup.density(setup.point, 0);
  if (problem_.exact_sedov) {
    const BlastErrors b = blast_errors(*op_, *view_, state, setup, march_->time(), problem_.gamma, ahead,
                                       problem_.blast_dimension, problem_.blast_energy);
    context.results.number("shock_radius", b.radius, "m");
    context.results.number("shock_radius_exact", b.exact_radius, "m");
    context.results.number("shock_radius_spread", b.radius_spread, "m");
    context.results.number("density_error_l2", b.density_off, "1");
  } else if (const ShockFront f = shock_front(*view_, state, setup, reach(), ahead, 600); f.radius > 0) {
    context.results.number("shock_radius", f.radius, "m");
    context.results.number("shock_radius_spread", f.spread, "m");
  }
  const bool square = problem_.is_grid() && setup.mesh.dim >= 2 &&
                      problem_.geometry.counts[0] == problem_.geometry.counts[1] && setup.turns == 0 &&
                      problem_.geometry.lower[0] == problem_.geometry.lower[1] &&
                      problem_.geometry.upper[0] == problem_.geometry.upper[1] && setup.point[0] == setup.point[1] &&
                      setup.gravity[0] == setup.gravity[1];
  const auto alike = [&](std::size_t side) {
    const BoundaryCondition &x = setup.boundaries[side], &y = setup.boundaries[side + 2];
    return x.kind == y.kind && x.value == y.value && !x.over_time && !y.over_time;
  };
  if (square && alike(0) && alike(1))
    context.results.number(
        "asymmetry",
        asymmetry(*op_, state, problem_.geometry.counts, problem_.geometry.upper[0] - problem_.geometry.lower[0]), "1");
}

Status HydroFem::finish(RunContext& context) {
  if (!march_) return {};
  const auto number = [&](std::string_view name, double value, std::string_view unit) {
    context.results.number(name, value, unit);
  };
  const Energies e = march_->energies();
  const double factor = problem_.energy_factor;
  number("zones", static_cast<double>(op_->space().zones), "1");
  number("velocity_unknowns", static_cast<double>(op_->space().nodes * op_->space().dim), "1");
  number("steps_accepted", static_cast<double>(march_->accepted()), "1");
  number("steps_repeated", static_cast<double>(march_->repeated()), "1");
  number("time_reached", march_->time(), "s");
  number("time_step_shortest", sums_.shortest_step, "s");
  number("internal_energy", factor * e.internal, problem_.energy_unit);
  number("kinetic_energy", factor * e.kinetic, problem_.energy_unit);
  number("total_energy", factor * e.total(), problem_.energy_unit);
  if (start_off_) {
    number("start_mass_difference", start_off_->mass, "1");
    number("start_energy_difference", start_off_->energy, "1");
  }
  if (start_pressure_off_) number("start_pressure_difference", *start_pressure_off_, "1");
  if (closed_ && sums_.energy_first != 0) {
    number("energy_change", (e.total() - sums_.energy_first) / std::abs(sums_.energy_first), "1");
    number("energy_change_largest", sums_.energy_worst / std::abs(sums_.energy_first), "1");
  }
  if (outside_.steps > 0) {
    number("steps_outside_table", static_cast<double>(outside_.steps), "1");
    number("points_outside_table", static_cast<double>(outside_.most), "1");
    number("first_outside_table", outside_.first, "s");
    log::warning(
        "{} of {} steps had points outside their table of states, {} of {} points at most: what follows from "
        "there is that of the table's edge",
        outside_.steps, march_->accepted(), outside_.most, op_->space().zones * op_->data().zone_points);
  }
  if (tension_.first >= 0) {
    number("largest_tension", tension_.most, "Pa");
    number("first_tension", tension_.first, "s");
  }
  if (drained_ >= 0) number("first_energy_below_zero", drained_, "s");
  const KernelTimes times = march_->times();
  if (const Index solves = solves_before_.count + times.solves; solves > 0)
    number("mass_iterations",
           static_cast<double>(solves_before_.iterations + times.iterations) / static_cast<double>(solves), "1");
  number("seconds_stress", times.update, "s");
  number("seconds_force", times.force, "s");
  number("seconds_velocity", times.velocity_solve, "s");
  number("seconds_energy", times.energy_solve, "s");
  write_gauges(context);
  write_lines(context, march_->state());
  write_blast(context, march_->state());
  if (collapse_) return *collapse_;
  return {};
}

namespace {

/// Radius at which density along a ray is last half-way between that ahead and its largest; 0: nowhere. A ray must run through the
/// material, and must end where the shock has not been. `values`: at points 1, 2, … of so many samples along it.
double front_on_ray(std::span<const PointValues> values, double reach, double density, int samples) {
  std::vector<double> rho(u(samples));
  double largest = 0;
  int valid = 0;
  for (int i = 1; i < samples && values[u(i - 1)].found; ++i) {
    rho[u(i)] = values[u(i - 1)].density;
    largest = std::max(largest, rho[u(i)]);
    valid = i;
  }
  if (valid < samples / 20 || std::abs(rho[u(valid)] - density) > 0.1 * density) return 0;
  const double middle = 0.5 * (density + largest);
  for (int i = valid; i > 1; --i) {
    if (rho[u(i - 1)] < middle || rho[u(i)] >= middle) continue;
    const double f = (rho[u(i - 1)] - middle) / (rho[u(i - 1)] - rho[u(i)]);
    return (i - 1 + f) / samples * reach;
  }
  return 0;
}

}  // namespace

ShockFront shock_front(const View& view, const State& state, const Setup& setup, double reach, double density,
                       int samples) {
  const int dim = setup.mesh.dim;
  const View::Boxes boxes = view.boxes(state);
  std::vector<Vec3> ends;
  for (int mask = 1; mask < 1 << dim; ++mask)
    for (const double sign : {1.0, -1.0}) {
      ends.push_back(setup.point);
      const int count = std::popcount(static_cast<unsigned>(mask));
      for (int d = 0; d < dim; ++d)
        if (mask >> d & 1) ends.back()[u(d)] += sign * reach / std::sqrt(static_cast<double>(count));
    }
  std::vector<View::Boxes> near(ends.size());
  view.workers().for_each({0, static_cast<Index>(ends.size())}, 1, [&](Interval rays, int) {
    for (Index r = rays.begin; r < rays.end; ++r) near[u(r)] = view.along(boxes, setup.point, ends[u(r)]);
  });
  std::vector<View::Searched> points;
  for (std::size_t r = 0; r < ends.size(); ++r)
    for (int i = 1; i < samples; ++i)
      points.push_back({&near[r], between(setup.point, ends[r], static_cast<double>(i) / samples)});
  const std::vector<PointValues> values = view.at(state, view.find(state, points));
  if (!view.leads()) return {};
  const auto each = u(samples - 1);
  std::vector<double> radii;
  for (std::size_t r = 0; r < ends.size(); ++r)
    radii.push_back(front_on_ray(std::span(values).subspan(r * each, each), reach, density, samples));
  ShockFront out;
  double nearest = std::numeric_limits<double>::infinity(), farthest = 0, sum = 0;
  int rays = 0;
  for (const double r : radii) {
    if (!(r > 0)) continue;
    nearest = std::min(nearest, r);
    farthest = std::max(farthest, r);
    sum += r;
    ++rays;
  }
  if (rays == 0) return out;
  out.radius = sum / rays;
  out.spread = farthest - nearest;
  return out;
}

namespace {

/// ∫ (ρ_h - ρ)^2 over zones: ρ_h is ρ projected zone by zone on the energy space by the rule of the scheme (as pictures of other codes
/// of this method show it), the integral is by a rule of k+1 points a direction.
class DensityError {
 public:
  DensityError(const Operator& op, const View& view, const State& state, const Setup& setup)
      : op_(op), view_(view), state_(state), setup_(setup), tables_(op.tables(), op.space().dim),
        rule_(gauss_legendre(op.tables().k + 1)), phi_(lagrange(op.tables().l2_nodes, rule_.points)) {}

  /// Of one zone, against the density exact(distance from the blast); and the same of that density itself.
  template <class Exact>
  [[nodiscard]] std::array<double, 2> squares(Index zone, const Exact& exact) const {
    const std::vector<double> coefficient = projected(zone);
    const int dim = op_.space().dim, l2 = op_.tables().l2;
    const auto n = static_cast<Index>(rule_.points.size());
    Index points = 1;
    for (int d = 0; d < dim; ++d) points *= n;
    std::array<double, 2> sum{};
    for (Index q = 0; q < points; ++q) {
      Vec3 xi{};
      double w = 1, value = 0;
      std::array<int, 3> at{};
      Index rest = q;
      for (int d = 0; d < dim; ++d, rest /= n) {
        at[u(d)] = static_cast<int>(rest % n);
        xi[u(d)] = rule_.points[u(at[u(d)])];
        w *= rule_.weights[u(at[u(d)])];
      }
      for (int j = 0; j < tables_.energies; ++j) {
        double term = coefficient[u(j)];
        for (int d = 0, left = j; d < dim; ++d, left /= l2) term *= phi_(at[u(d)], left % l2);
        value += term;
      }
      const View::Place place = view_.place(zone, xi);
      const double right = exact(distance(view_.at(state_, place, false).position, setup_.point));
      const double volume = w * view_.volume(state_, place);
      sum[0] += volume * (value - right) * (value - right);
      sum[1] += volume * right * right;
    }
    return sum;
  }

 private:
  [[nodiscard]] std::vector<double> projected(Index zone) const {
    const Tables& t = op_.tables();
    const int dim = op_.space().dim, energies = tables_.energies;
    std::vector<double> load(u(energies), 0), out(u(energies), 0);
    Matrix M{energies, energies, std::vector<double>(u(Index{energies} * energies), 0)};
    for (int q = 0; q < tables_.points; ++q) {
      double w = 1;
      for (int d = 0, rest = q; d < dim; ++d, rest /= t.q) w *= t.rule.weights[u(rest % t.q)];
      const reference::Spot spot = reference::spot_of(tables_, op_.space(), state_.x.data(), zone, q);
      const double volume =
          w * reference::determinant(dim, spot.J) * reference::measure(setup_.turns, spot.x[u(dim - 1)]);
      const double mass = view_.mass(zone, q);  // ρ volume
      for (int i = 0; i < energies; ++i) {
        load[u(i)] += mass * tables_.phi(q, i);
        for (int j = 0; j < energies; ++j) M(i, j) += volume * tables_.phi(q, i) * tables_.phi(q, j);
      }
    }
    const Matrix inv = inverse(M);
    for (int i = 0; i < energies; ++i)
      for (int j = 0; j < energies; ++j) out[u(i)] += inv(i, j) * load[u(j)];
    return out;
  }

  const Operator& op_;
  const View& view_;
  const State& state_;
  const Setup& setup_;
  reference::ZoneTables tables_;
  LineRule rule_;
  Matrix phi_;
};

}  // namespace

BlastErrors blast_errors(const Operator& op, const View& view, const State& state, const Setup& setup, double time,
                         double gamma, double density, int dimension, double whole_energy) {
  BlastErrors out;
  const SedovBlast exact(dimension, gamma, density, whole_energy);
  out.exact_radius = exact.shock_radius(time);
  const ShockFront front = shock_front(view, state, setup, 1.5 * out.exact_radius, density, 600);
  out.radius = front.radius;
  out.radius_spread = front.spread;

  const DensityError error(op, view, state, setup);
  const std::vector<double> squares = op.zones_on_leader<double>({0, op.space().zones}, 2, [&](Index zone, double* to) {
    const auto both = error.squares(zone, [&](double r) { return exact.at(r, time).density; });
    std::copy(both.begin(), both.end(), to);
  });
  std::array<double, 2> sums{};
  for (std::size_t i = 0; i < squares.size(); ++i) sums[i % 2] += squares[i];
  out.density_l2 = std::sqrt(sums[0]);
  out.density_off = sums[1] > 0 ? std::sqrt(sums[0] / sums[1]) : 0;
  return out;
}

double asymmetry(const Operator& op, const State& state, std::array<Index, 3> zones, double size) {
  double worst = 0;
  const Space& space = op.space();
  const Index h1 = space.k + 1, each = space.zone_nodes, dim = space.dim, layer = zones[0] * zones[1];
  for (Index first = 0; first < space.zones; first += layer) {  // a zone and its mirror image lie in one layer
    const std::vector<double> x =
        op.zones_on_leader<double>({first, first + layer}, dim * each, [&](Index zone, double* out) {
          for (Index d = 0; d < dim; ++d)
            for (Index local = 0; local < each; ++local)
              *out++ = state.x[u(d * space.nodes + space.map[u(zone * each + local)])];
        });
    for (Index i = 0; i < static_cast<Index>(x.size()); ++i) {
      const Index zone = i / (dim * each), d = i / each % dim, local = i % each;
      const Index a = local % h1, b = local / h1 % h1, c = local / (h1 * h1);
      const Index mirror = zone % zones[0] * zones[1] + zone / zones[0];
      const Index axis = d < 2 ? 1 - d : d;
      worst = std::max(worst, std::abs(x[u(i)] - x[u((mirror * dim + axis) * each + (c * h1 + a) * h1 + b)]));
    }
  }
  return worst / size;
}

}  // namespace conoid::hydro_fem

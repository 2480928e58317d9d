// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/discretization/initial_run.hpp"

#include "engine/core/json.hpp"
#include "engine/io/frame_choice.hpp"
#include "engine/io/vtkhdf.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/solvers/hydro_fem/discretization/geometry.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"
#include "engine/solvers/hydro_fem/stepping/operator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

/// Setup::turns of a run, from its case.
Result<int> turns_of_run(const std::filesystem::path& run) {
  const auto file = run / "case.json";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    return make_error(ErrorCode::file, fmt::format("'{}' is no run folder: it holds no case.json", run.string()),
                      "Name the folder that `conoid run` has written.");
  const auto document = CaseDocument::read(file);
  if (!document) return document.error();
  const Json& root = document->json();
  const auto text = [](const Json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                                                 : std::string();
  };
  if (text(root, "solver") != "hydro-fem")
    return make_error(ErrorCode::invalid_input, fmt::format("'{}' is no run of hydro-fem", run.string()),
                      "Name a run of hydro-fem in one or two dimensions.");
  for (const char* section : {"grid", "mesh"})
    if (root.contains(section) && !root[section].is_null()) return turns_of(text(root[section], "coordinates"));
  return 0;
}

const Field* field_of(const FramePart& part, std::string_view name) {
  for (const Field& f : part.fields)
    if (f.info.name == name) return &f;
  return nullptr;
}

/// Why the run's coordinates go nowhere in a case of `dim` and `turns`; empty if they do.
std::string misfit(int run_dim, int run_turns, int dim, int turns) {
  if (run_dim == 2) {
    if (run_turns == 1 && !((dim == 2 && turns == 1) || dim == 3))
      return "axisymmetric flow goes into axisymmetric or, around x, into three-dimensional flow";
    if (run_turns == 0 && !(turns == 0 && dim > 1))
      return "planar flow in two dimensions goes into such or, even along z, into three";
    return {};
  }
  if (run_turns == 2 && !(turns == 2 || (dim == 2 && turns == 1) || dim == 3))
    return "spherical flow goes into spherical, axisymmetric or three-dimensional flow";
  if (run_turns == 1 && !((dim == 1 && turns == 1) || (turns == 0 && dim > 1)))
    return "cylindrical flow goes into cylindrical flow, into a plane, or around z into three dimensions";
  if (run_turns == 0 && !(turns == 0 || (dim == 2 && turns == 1)))
    return "planar flow goes along x into planar, axisymmetric or three-dimensional flow";
  return {};
}

}  // namespace

Result<std::shared_ptr<const InitialRun>> InitialRun::read(const std::filesystem::path& run, const std::string& frame,
                                                           int dim, int turns, const Vec3& centre) {
  const auto run_turns = turns_of_run(run);
  if (!run_turns) return run_turns.error();
  auto reader = VtkhdfReader::open(run);
  if (!reader) return reader.error();
  const auto chosen = choose_frames((*reader)->frames(), frame, "initial.from.frame");
  if (!chosen) return chosen.error();
  if (chosen->size() != 1)
    return make_error(ErrorCode::invalid_input, fmt::format("'{}' is {} frames, one is needed", frame, chosen->size()),
                      "Give a number, a time such as '0.2 ms', or 'last'.");
  const auto got = (*reader)->read(chosen->front());
  if (!got) return got.error();
  return of(**got, *run_turns, dim, turns, centre);
}

Result<std::shared_ptr<const InitialRun>> InitialRun::of(const Frame& frame, int run_turns, int dim, int turns,
                                                         const Vec3& centre) {
  auto out = std::make_shared<InitialRun>();
  out->turns_ = run_turns;
  out->target_dim_ = dim;
  out->centre_ = centre;
  out->time_ = frame.value;
  if (const Status taken = out->take(frame); !taken) return taken.error();
  if (const std::string why = misfit(out->dim(), run_turns, dim, turns); !why.empty())
    return make_error(ErrorCode::invalid_input, why, "Change `coordinates`, or take another run.");
  return std::shared_ptr<const InitialRun>(std::move(out));
}

Status InitialRun::take(const Frame& frame) {
  if (frame.parts.empty())
    return make_error(ErrorCode::invalid_input, "the frame is empty", "Take another frame, or run that case again.");
  const FramePart& part = frame.parts.front();
  const auto* mesh = std::get_if<MeshGeometry>(&part.geometry);
  const Field *density = field_of(part, "density"), *energy = field_of(part, "energy"),
              *velocity = field_of(part, "velocity");
  if (mesh == nullptr || density == nullptr || energy == nullptr || velocity == nullptr)
    return make_error(ErrorCode::invalid_input, "the frame lacks density, energy or velocity",
                      "Let that run keep all fields (`output.fields`).");
  auto all = std::make_shared<Plane>();
  all->mesh = *mesh;
  all->cells = {*mesh->points, *mesh->connectivity, *mesh->offsets, *mesh->types};
  if (const Status sound = check_cells(all->cells); !sound) return sound.error();
  const std::size_t points = mesh->points->size() / 3;
  if (density->values->size() != points || energy->values->size() != points || velocity->values->size() != 3 * points)
    return make_error(ErrorCode::invalid_input, "the frame has other values than points", "Take another frame.");
  all->density.assign(density->values->begin(), density->values->end());
  all->pressure.assign(points, std::numeric_limits<double>::quiet_NaN());
  if (const Field* pressure = field_of(part, "pressure"); pressure != nullptr && pressure->values->size() == points)
    all->pressure.assign(pressure->values->begin(), pressure->values->end());
  // Beside a jump inside a zone its polynomial may swing below nothing at a corner, where no point of a quadrature lies.
  constexpr double least_share = 0.01;
  for (Index c = 0; c < all->cells.cells(); ++c) {
    double most = 0;
    for (const Index node : all->cells.nodes(c)) most = std::max(most, all->density[u(node)]);
    for (const Index node : all->cells.nodes(c))
      if (!(all->density[u(node)] > 0)) all->density[u(node)] = least_share * most;
  }
  for (std::size_t i = 0; i < points; ++i) {
    all->energy.push_back(all->density[i] * (*energy->values)[i]);
    all->velocity.push_back(
        {(*velocity->values)[3 * i], (*velocity->values)[3 * i + 1], (*velocity->values)[3 * i + 2]});
  }
  switch (dimension_of(all->cells)) {
    case 1: return take_line(*all);
    case 2: return take_plane(std::move(all));
    default:
      return make_error(ErrorCode::invalid_input, "the run has three dimensions",
                        "Name a run along a line or a radius, or in a plane: one or two numbers in `grid.zones`.");
  }
}

Status InitialRun::take_line(const Plane& all) {
  const auto& points = all.cells.points;
  for (Index c = 0; c < all.cells.cells(); ++c) {
    const auto nodes = all.cells.nodes(c);
    Cell cell{};
    std::array<Index, 2> at = {nodes[0], nodes[1]};
    if (points[u(3 * at[0])] > points[u(3 * at[1])]) std::swap(at[0], at[1]);
    cell.begin = points[u(3 * at[0])];
    cell.end = points[u(3 * at[1])];
    for (const std::size_t e : {0, 1}) {
      cell.density[e] = all.density[u(at[e])];
      cell.energy[e] = all.energy[u(at[e])];
      cell.pressure[e] = all.pressure[u(at[e])];
      cell.velocity[e] = all.velocity[u(at[e])][0];
    }
    if (cell.end > cell.begin) cells_.push_back(cell);
  }
  std::sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) { return a.begin < b.begin; });
  const double angle = turns_ == 0 ? 1 : 2 * turns_ * std::numbers::pi;
  for (const Cell& cell : cells_)
    for (int q = 0; q < 3; ++q) {  // Gauss: exact for ρ r² and, to what straight lines are worth, for the energies
      constexpr std::array<double, 3> place = {0.1127016653792583, 0.5, 0.8872983346207417},
                                      weight = {5.0 / 18, 8.0 / 18, 5.0 / 18};
      const double s = place[u(q)], r = cell.begin + s * (cell.end - cell.begin);
      const auto of = [&](const double* v) { return v[0] + s * (v[1] - v[0]); };
      const double volume = angle * weight[u(q)] * (cell.end - cell.begin) * reference::measure(turns_, r),
                   speed = of(cell.velocity);
      amounts_.mass += volume * of(cell.density);
      amounts_.energy += volume * (of(cell.energy) + 0.5 * of(cell.density) * speed * speed);
    }
  return {};
}

Status InitialRun::take_plane(std::shared_ptr<Plane> all) {
  const double angle = turns_ == 0 ? 1 : 2 * std::numbers::pi;
  for (Index c = 0; c < all->cells.cells(); ++c) {
    const auto nodes = all->cells.nodes(c);
    const CellShape shape = all->cells.shape(c);
    for (const QuadraturePoint& q : quadrature(shape, 3)) {
      std::array<Vec3, 3> columns{};
      const Vec3 x = place_in_cell(all->cells, c, q.at, &columns);
      const double area = std::abs(columns[0][0] * columns[1][1] - columns[0][1] * columns[1][0]);
      const double volume = angle * q.weight * area * reference::measure(turns_, x[1]);
      const ShapeValues n = shape_values(shape, q.at);
      double density = 0, energy = 0;
      Vec3 velocity{};
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        density += n.n[i] * all->density[u(nodes[i])];
        energy += n.n[i] * all->energy[u(nodes[i])];
        for (std::size_t d = 0; d < 2; ++d) velocity[d] += n.n[i] * all->velocity[u(nodes[i])][d];
      }
      amounts_.mass += volume * density;
      amounts_.energy += volume * (energy + 0.5 * density * (velocity[0] * velocity[0] + velocity[1] * velocity[1]));
    }
  }
  all->locator = std::make_unique<CellLocator>(all->cells);
  plane_ = std::move(all);
  return {};
}

std::pair<Vec3, Vec3> InitialRun::box() const {
  verify(plane_ != nullptr, "a run in two dimensions has a box");
  return {plane_->locator->low(), plane_->locator->high()};
}

namespace {

/// How many times what zones between `lower` and `upper` hold of a run is the whole of it, or of as much of it as it counts along what it
/// is even in; none where its material goes on beyond them.
std::optional<double> times_of_whole(const InitialRun& run, int dim, int turns, const Vec3& lower, const Vec3& upper) {
  const Vec3& centre = run.centre();
  double times = turns == 0 ? 1 : 2 * turns * std::numbers::pi;
  // Axes along which the run's own coordinate, or the radius of it, ends.
  const bool plane = run.dim() == 2;
  const int ends = plane ? run.turns() + 2 : run.turns() == 2 ? dim : 2;
  const int round = plane ? ends : run.turns() == 0 ? 1 : dim == 1 ? 1 : ends;
  for (int d = 0; d < dim; ++d) {
    const double below = centre[u(d)] - lower[u(d)], above = upper[u(d)] - centre[u(d)];
    const double slack = 1e-9 * (upper[u(d)] - lower[u(d)]);
    const bool radius = turns > 0 && d == dim - 1;
    const bool around = plane ? run.turns() == 1 && d > 0 : run.turns() > 0;  // a radius of the run lies along it
    if (d >= round) {                                                         // even along it
      times /= radius ? 0.5 * (upper[u(d)] * upper[u(d)] - lower[u(d)] * lower[u(d)]) : below + above;
    } else if (around) {
      const double reach = plane ? run.box().second[1] : run.reach();
      if (std::max(below, above) < reach - slack) return std::nullopt;
      const bool folded = below < slack || above < slack;
      if (!folded && std::min(below, above) < reach - slack) return std::nullopt;
      if (folded && !radius) times *= 2;
    } else if (plane) {
      const auto [low, high] = run.box();
      if (-below > low[u(d)] + slack || above < high[u(d)] - slack) return std::nullopt;
    } else if (above < run.reach() - slack) {
      return std::nullopt;
    }
  }
  return times;
}

}  // namespace

std::optional<InitialRun::Amounts> amounts_at_start(const Operator& op, const InitialRun& run, const Vec3& lower,
                                                    const Vec3& upper) {
  const Space& s = op.space();
  const ZoneData& z = op.data();
  const auto whole = times_of_whole(run, s.dim, z.turns, lower, upper);
  if (!whole) return std::nullopt;
  const double times = *whole;
  const reference::ZoneTables tables(op.tables(), s.dim);
  const Index W = op.kernels().lanes;
  const State& state = op.initial();
  const auto [mass, energy] = op.sum_zones([&](Index batch, Index lane) {
    const Index zone = op.lane_zones()[u(batch * W + lane)];
    std::array<double, 2> out{};
    for (int q = 0; q < z.zone_points; ++q) {
      if (!run.at(reference::spot_of(tables, s, s.x0.data(), zone, q).x)) continue;
      const Vec3 v = reference::spot_of(tables, s, state.v.data(), zone, q).x;
      double e = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      for (int j = 0; j < tables.energies; ++j) e += tables.phi(q, j) * state.e[u(zone * tables.energies + j)];
      const double here = times * z.mass[(batch * z.zone_points + q) * W + lane];
      out[0] += here;
      out[1] += here * e;
    }
    return out;
  });
  return InitialRun::Amounts{mass, energy};
}

std::optional<double> pressure_off_at_start(const Operator& op, const Setup& setup, const InitialRun& run) {
  const Space& s = op.space();
  const reference::ZoneTables tables(op.tables(), s.dim);
  const Index W = op.kernels().lanes;
  const auto [off, all] = op.sum_zones([&](Index batch, Index lane) {
    const Index zone = op.lane_zones()[u(batch * W + lane)];
    const int region = setup.mesh.region[u(zone)];
    std::array<double, 2> out{};
    for (int q = 0; q < op.data().zone_points; ++q) {
      const reference::Spot spot = reference::spot_of(tables, s, s.x0.data(), zone, q);
      const auto there = run.at(spot.x);
      if (!there || !std::isfinite(there->pressure)) continue;
      double pressure = 0, sound = 0;
      setup.materials[u(region)]->evaluate({&there->density, 1}, {&there->energy, 1}, {&pressure, 1}, {&sound, 1});
      const double det = reference::determinant(s.dim, spot.J);
      pressure *= setup.burn.burnt(spot.x, det, s.dim, s.k, region, 0);
      const double volume = det * reference::measure(setup.turns, spot.x[u(s.dim - 1)]);
      out[0] += volume * std::abs(pressure - there->pressure);
      out[1] += volume * std::abs(there->pressure);
    }
    return out;
  });
  return all > 0 ? std::optional(off / all) : std::nullopt;
}

std::optional<InitialRun::Values> InitialRun::in_plane(const Vec3& from) const {
  const Plane& p = *plane_;
  const bool around = turns_ == 1 && target_dim_ == 3;  // the run's y is the distance from the x axis
  const double y = around ? std::hypot(from[1], from[2]) : from[1];
  // Sides are drawn straight between corners: a place may lie beside the outermost by what they are curved.
  const CellSpot spot = p.locator->find({from[0], y, 0}, 1e-9 * p.locator->diagonal());
  if (spot.cell < 0) return std::nullopt;
  const auto nodes = p.cells.nodes(spot.cell);
  const ShapeValues n = shape_values(p.cells.shape(spot.cell), spot.reference);
  Values out;
  Vec3 velocity{};
  double energy = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out.density += n.n[i] * p.density[u(nodes[i])];
    energy += n.n[i] * p.energy[u(nodes[i])];
    out.pressure += n.n[i] * p.pressure[u(nodes[i])];
    for (std::size_t d = 0; d < 2; ++d) velocity[d] += n.n[i] * p.velocity[u(nodes[i])][d];
  }
  out.energy = energy / out.density;
  out.velocity = velocity;
  if (around)
    for (std::size_t d = 1; d < 3; ++d) out.velocity[d] = y > 0 ? velocity[1] * from[d] / y : 0;
  return out;
}

std::optional<InitialRun::Values> InitialRun::at(const Vec3& place) const {
  Vec3 from{};
  for (std::size_t d = 0; d < 3; ++d) from[d] = place[d] - centre_[d];
  if (plane_) return in_plane(from);
  Vec3 along = {1, 0, 0};
  double s = from[0];
  if (turns_ > 0 && target_dim_ > 1) {
    if (turns_ == 1) from[2] = 0;
    s = std::hypot(from[0], from[1], from[2]);
    for (std::size_t d = 0; d < 3; ++d) along[d] = s > 0 ? from[d] / s : 0;
  }
  if (cells_.empty() || s < cells_.front().begin || s > cells_.back().end) return std::nullopt;
  const auto after = std::upper_bound(cells_.begin(), cells_.end(), s,
                                      [](double value, const Cell& cell) { return value < cell.begin; });
  const Cell& cell = *(after == cells_.begin() ? after : after - 1);
  const double part = std::clamp((s - cell.begin) / (cell.end - cell.begin), 0.0, 1.0);
  const auto of = [&](const double* v) { return v[0] + part * (v[1] - v[0]); };
  const double density = of(cell.density);
  Values out{density, of(cell.energy) / density, {}, of(cell.pressure)};
  for (std::size_t d = 0; d < 3; ++d) out.velocity[d] = of(cell.velocity) * along[d];
  return out;
}

}  // namespace conoid::hydro_fem

// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/initial_run.hpp"

#include "engine/core/json.hpp"
#include "engine/io/frame_choice.hpp"
#include "engine/io/vtkhdf.hpp"
#include "engine/solvers/hydro_fem/geometry.hpp"
#include "engine/solvers/hydro_fem/index.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"
#include "engine/solvers/hydro_fem/operator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

/// Setup::turns of a run in one dimension, from its case.
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
                      "Name a run of hydro-fem in one dimension.");
  for (const char* section : {"grid", "mesh"})
    if (root.contains(section) && !root[section].is_null()) return turns_of(text(root[section], "coordinates"));
  return 0;
}

const Field* field_of(const FramePart& part, std::string_view name) {
  for (const Field& f : part.fields)
    if (f.info.name == name) return &f;
  return nullptr;
}

/// Where the run's coordinate goes in a case of `dim` and `turns`; empty if nowhere.
std::string misfit(int run_turns, int dim, int turns) {
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
  if (const std::string why = misfit(run_turns, dim, turns); !why.empty())
    return make_error(ErrorCode::invalid_input, why, "Change `coordinates`, or take another run.");
  auto out = std::make_shared<InitialRun>();
  out->turns_ = run_turns;
  out->target_dim_ = dim;
  out->centre_ = centre;
  out->time_ = frame.value;
  if (const Status taken = out->take(frame); !taken) return taken.error();
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
  const auto& offsets = *mesh->offsets;
  for (std::size_t c = 0; c + 1 < offsets.size(); ++c) {
    if (offsets[c + 1] - offsets[c] != 2)
      return make_error(ErrorCode::invalid_input, "the run has more than one dimension",
                        "Name a run along a line or a radius: one number in `grid.zones`.");
    Cell cell{};
    std::array<Index, 2> at = {(*mesh->connectivity)[u(offsets[c])], (*mesh->connectivity)[u(offsets[c] + 1)]};
    if ((*mesh->points)[u(3 * at[0])] > (*mesh->points)[u(3 * at[1])]) std::swap(at[0], at[1]);
    cell.begin = (*mesh->points)[u(3 * at[0])];
    cell.end = (*mesh->points)[u(3 * at[1])];
    for (const std::size_t e : {0, 1}) {
      cell.density[e] = (*density->values)[u(at[e])];
      cell.energy[e] = cell.density[e] * (*energy->values)[u(at[e])];
      cell.velocity[e] = (*velocity->values)[u(3 * at[e])];
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

std::optional<InitialRun::Amounts> amounts_at_start(const Operator& op, const InitialRun& run, const Vec3& lower,
                                                    const Vec3& upper) {
  const Space& s = op.space();
  const ZoneData& z = op.data();
  const Vec3& centre = run.centre();
  // How many times the whole is what the zones hold of it, and of how much of what it is even along.
  double times = z.turns == 0 ? 1 : 2 * z.turns * std::numbers::pi;
  const int round = run.turns() == 0 ? 1 : s.dim == 1 ? 1 : run.turns() == 2 ? s.dim : 2;  // axes along which it ends
  for (int d = 0; d < s.dim; ++d) {
    const double below = centre[u(d)] - lower[u(d)], above = upper[u(d)] - centre[u(d)];
    const double slack = 1e-9 * (upper[u(d)] - lower[u(d)]);
    const bool radius = z.turns > 0 && d == s.dim - 1;
    if (d >= round) {  // even along it
      times /= radius ? 0.5 * (upper[u(d)] * upper[u(d)] - lower[u(d)] * lower[u(d)]) : below + above;
    } else if (run.turns() > 0) {
      if (std::max(below, above) < run.reach() - slack) return std::nullopt;
      const bool folded = below < slack || above < slack;
      if (!folded && std::min(below, above) < run.reach() - slack) return std::nullopt;
      if (folded && !radius) times *= 2;
    } else if (above < run.reach() - slack) {
      return std::nullopt;
    }
  }
  const reference::ZoneTables tables(op.tables(), s.dim);
  const Index W = op.kernels().lanes;
  const State& state = op.initial();
  InitialRun::Amounts out;
  for (std::size_t i = 0; i < op.lane_zones().size(); ++i) {
    const Index zone = op.lane_zones()[i], batch = static_cast<Index>(i) / W, lane = static_cast<Index>(i) % W;
    if (lane > 0 && op.lane_zones()[i - 1] == zone) continue;
    for (int q = 0; q < z.zone_points; ++q) {
      if (!run.at(reference::spot_of(tables, s, s.x0.data(), zone, q).x)) continue;
      const Vec3 v = reference::spot_of(tables, s, state.v.data(), zone, q).x;
      double e = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      for (int j = 0; j < tables.energies; ++j) e += tables.phi(q, j) * state.e[u(zone * tables.energies + j)];
      const double mass = times * z.mass[(batch * z.zone_points + q) * W + lane];
      out.mass += mass;
      out.energy += mass * e;
    }
  }
  return out;
}

std::optional<InitialRun::Values> InitialRun::at(const Vec3& place) const {
  Vec3 from{};
  for (std::size_t d = 0; d < 3; ++d) from[d] = place[d] - centre_[d];
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
  Values out{density, of(cell.energy) / density, {}};
  for (std::size_t d = 0; d < 3; ++d) out.velocity[d] = of(cell.velocity) * along[d];
  return out;
}

}  // namespace conoid::hydro_fem

// SPDX-License-Identifier: BSD-3-Clause
// Memory and time of a case before anything is meshed.
//
// Laws and figures are fitted to three sample cases (README, "Estimates"): one core of 3 GHz with AVX-512.
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/device_memory.hpp"
#include "engine/solvers/maxwell_fem/device_radiation.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/pi.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr double assembly_seconds = 25e-6;  ///< an unknown: spaces, matrix, order of elimination
constexpr double factor_rate = 2e10;        ///< flop/s
constexpr double solve_rate = 1.5e10;       ///< flop/s, 16 an entry of the factors and column
constexpr double near_seconds = 250e-6;     ///< a point of S

/// Operations of the factorisation: 793 an entry of the factors with 24,336 unknowns in a layer (measured); n^1.5 in all in the
/// plane, n² in space, by nested dissection.
double factor_flops(double n, double entries, int rows) {
  return 793 * entries * std::pow(n / 24336, rows > 0 ? 0.5 : 0.67);
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

constexpr double near_faces = 22;  ///< near faces of a point of S

std::string radiation_text(const Settings& s, const RadiationPlan& plan) {
  switch (s.truncation.loop) {
    case RadiationLoop::automatic: return plan.reason;
    case RadiationLoop::compressed:
      return "compressed, as the case asks; " + format_bytes(static_cast<Bytes>(plan.dense_bytes)) + " whole";
    case RadiationLoop::blocked: return "blocked products, as the case asks";
    case RadiationLoop::fused: return "one right-hand side by one, as the case asks";
    default: return "plain loops, as the case asks";
  }
}

}  // namespace

Result<Estimate> MaxwellFem::estimate(const Case& input, const Mesh* mesh, const Machine& machine) const {
  std::vector<Diagnostic> found;
  const Settings s = read_settings(input, found);
  for (const Diagnostic& d : found)
    if (d.severity == Severity::error) return d;
  const double budget = static_cast<double>(s.memory > 0 ? s.memory : machine.free_memory / 4 * 3);
  const double cores = std::max(1, machine.cores);
  const auto waves = static_cast<double>(s.incidences().size()) * s.polarisations();
  const auto skin =
      bare_surface(s, mesh != nullptr ? std::shared_ptr<const Mesh>(std::shared_ptr<void>(), mesh) : nullptr);
  if (skin) mesh = skin.get();
  const std::vector<Band> bands = bands_of(s, skin.get());
  Estimate e;
  e.seconds = 1.5;
  // Of the band with the largest mesh; seconds of all.
  Index unknowns = 0;
  double columns = 0, applications = 0;
  Bytes factors = 0, kept = 0;
  double outer_points = 0;
  RadiationPlan plan;
  for (const Band& band : bands) {
    const Settings part = in_band(s, band);
    const Index here = expected_unknowns(part, mesh);
    const auto n = static_cast<double>(here), frequencies = static_cast<double>(part.frequencies.size());
    const double solved = expected_columns(part, mesh, waves), points = expected_points(part, mesh, n);
    const int rows = thin_rows(part, mesh);
    const Bytes of_factors = expected_factor_bytes(here, rows);
    RadiationWork work = radiation_work(part, solved);
    work.outer_points = work.current_points = points;
    const RadiationPlan loop = plan_radiation(work, budget);
    const bool compressed = s.truncation.loop == RadiationLoop::compressed ||
                            (s.truncation.loop == RadiationLoop::automatic && loop.compressed);
    const double entries = static_cast<double>(of_factors) / 20, applied = work.applications * work.columns,
                 radiation = compressed ? loop.compressed_seconds : loop.plain_seconds;
    e.seconds +=
        frequencies * (n * assembly_seconds + factor_flops(n, entries, rows) / factor_rate +
                       16 * entries * (applied + solved) / solve_rate + (points * near_seconds + radiation) / cores);
    const Bytes blocks = compressed ? static_cast<Bytes>(loop.compressed_bytes) : 0,
                memory = expected_memory(part, here, rows, solved, points, budget) + blocks;
    if (memory < e.host_memory) continue;
    e.host_memory = memory;
    unknowns = here;
    columns = solved;
    applications = applied;
    factors = of_factors;
    kept = blocks;
    outer_points = points;
    plan = loop;
  }
  const auto n = static_cast<double>(unknowns), frequencies = static_cast<double>(s.frequencies.size());
  e.basis = "from laws fitted to three cases on a server's core";
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
  std::string radiated = radiation_text(s, plan);
  if (const DevicesOfCase devices = devices_of(input, e.seconds);
      !devices.names.empty() && s.truncation.loop == RadiationLoop::automatic) {
    e.device_memory = std::min(
        static_cast<Bytes>(device_radiation_bytes(outer_points, outer_points, near_faces * outer_points, columns)),
        devices.memory);
    e.host_memory -= std::min(e.host_memory, kept);
    radiated = fmt::format("by {}", fmt::join(devices.names, ", "));
  }
  e.details = {{"unknowns", fmt::format("about {}", unknowns)},
               {"elements", fmt::format("order {}", s.domain.order)},
               {"frequencies", bands.size() == 1 ? fmt::format("{}", s.frequencies.size())
                                                 : fmt::format("{} in {} bands with meshes of their own",
                                                               s.frequencies.size(), bands.size())},
               {"incident waves", fmt::format("{:.0f} a frequency", waves)},
               {"wavelength", format_quantity(light_speed / s.frequencies.back(), "m")},
               {"factors", format_bytes(factors)},
               {"direct solver", s.direct.method == DirectMethod::eigen || !has_mumps() ? "Eigen sparse LU" : "MUMPS"},
               {"solved waves", fmt::format("about {:.0f} a frequency", columns)},
               {"radiation", radiated}};
  return e;
}

}  // namespace conoid::maxwell_fem

// SPDX-License-Identifier: BSD-3-Clause
// What a case will take: memory of the matrices, in core or streamed from the disk, and time.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_bem/discretization/far_kernel.hpp"
#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile.hpp"
#include "engine/solvers/acoustic_bem/problem.hpp"

namespace conoid::acoustic_bem {

namespace {
/// Receivers, and points of planes.
double expected_points(const Settings& s) {
  auto points = static_cast<double>(s.receivers.size());
  for (const PlaneSetting& plane : s.planes)
    points += static_cast<double>(plane.points[0] * plane.points[1] * plane.points[2]);
  return points;
}
}  // namespace

double expected_length(const Settings& s, double courant) {
  return 2.24 / courant + 3.0 + s.image_gap;
}
/// Values stored for a row-vector, zeros that fill up groups of rows included.
double stored_length(const Settings& s, double courant) {
  return 1.04 * expected_length(s, courant);
}

Bytes expected_memory(const Settings& s, Index unknowns, double courant) {
  const auto n = static_cast<double>(unknowns);
  const double real = s.single_precision ? 4 : 8;
  const double points = expected_points(s);
  const double transform = s.solved_frequencies() == 0 ? 0 : 2 * real;  // frequency_solver.hpp
  const double between = s.conditions.ground ? s.image_gap : 0;
  const double point = (8 + between) * real + 7 + 4;  // values, structure; extents while they are made
  const double walls = n * static_cast<double>(s.memory_columns) * (stored_length(s, courant) * real + 3);
  return static_cast<Bytes>((walls + n * n * (stored_length(s, courant) * real + 3 + transform) + points * n * point) /
                            s.ranks) +
         (Bytes{32} << 20);
}

namespace {

/// Compressed matrices and planes with what their assembly and the march need: nothing lies on the disk.
MemoryPlan plan_compressed(const Settings& s, Index unknowns, double courant, Bytes budget, int threads, Bytes own) {
  const auto n = static_cast<double>(unknowns);
  const double real = s.single_precision ? 4 : 8, length = stored_length(s, courant),
               near = s.counted.near_pairs + s.counted.near_memory, pairs = near + s.counted.far_pairs;
  MemoryPlan plan;
  plan.budget = budget;
  plan.own = own;
  plan.threads = threads;
  plan.ranks = s.ranks;
  // Tiles are a leaf's rows wide: 38 MiB a thread were seen of 24,186 unknowns.
  plan.tiles = static_cast<Bytes>(threads) * std::min(tile_memory(unknowns), Bytes{40} << 20);
  const double far_length = 1.04 * static_cast<double>(FarKernel::columns);
  const auto ranks = static_cast<double>(s.ranks);
  plan.values = static_cast<Bytes>((near * length + s.counted.far_pairs * far_length) * real / ranks);
  // Half of the rows of a piece are those of another cluster; of each piece there is a header, also of empty ones.
  plan.summed_there = static_cast<Bytes>((s.counted.near_pairs * length * real + n * n / 4) / ranks);
  // Row-vectors have their places and, while near ones are computed, their extents; panels a record each, also empty ones; the surface of
  // what is compared is a copy.
  const double panels = static_cast<double>(sizeof(Panel)) / static_cast<double>(panel_rows) *
                        (n * (n + static_cast<double>(s.memory_columns)) + s.counted.skeleton * s.counted.skeleton),
               transform = s.solved_frequencies() == 0 ? 0 : 2 * real * pairs / ranks,  // compressed_transform.hpp
      structure = (3.6 * pairs + panels) / ranks + transform, surfaces = 2 * n * sizeof(Triangle),
               points = expected_points(s) * n * (8 * real + 11) / ranks;
  const Bytes assembling = static_cast<Bytes>(4 * s.counted.near_pairs + surfaces) + plan.tiles;
  const Bytes marching = march_memory(s, unknowns, courant, static_cast<Index>(1.5 * std::sqrt(n) / courant));
  plan.in_memory =
      own + plan.values + static_cast<Bytes>(structure + points) + std::max(assembling, marching) + (Bytes{32} << 20);
  plan.fixed = plan.least = plan.in_memory;
  return plan;
}

}  // namespace

Bytes march_memory(const Settings& s, Index unknowns, double courant, Index columns) {
  const auto n = static_cast<double>(unknowns), g = static_cast<double>(s.grouped);
  const double real = s.single_precision ? 4 : 8;
  // Past values: History keeps twice its reach and some. Near part: vertices (2 / √3 a squared edge) closer than n_g steps, each
  // with its row-vector.
  const double past = static_cast<double>(s.runs.size()) * (2 * (static_cast<double>(columns) + 2 * g) + 768) * real;
  // Of filled bodies a vertex has two unknowns, and the faster fluid reaches further.
  const double reach =
      s.conditions.filling ? courant * std::max(s.form.c, s.conditions.filling->c) / s.slowest() : courant;
  const double near = std::min(std::numbers::pi * g * g * reach * reach * 1.155 * (s.conditions.filling ? 2 : 1), n) *
                      stored_length(s, courant) * (real + 4);
  return static_cast<Bytes>(n * (past + near));
}

namespace {

MemoryPlan plan_with(const Settings& s, Index unknowns, double courant, Bytes budget, int threads, Bytes own) {
  if (s.compressed()) return plan_compressed(s, unknowns, courant, budget, threads, own);
  const auto n = static_cast<double>(unknowns);
  const double real = s.single_precision ? 4 : 8, length = stored_length(s, courant);
  MemoryPlan plan;
  plan.budget = budget;
  plan.own = own;
  plan.threads = threads;
  plan.ranks = s.ranks;
  // What comes and goes: extents and tiles while the matrices are assembled, then what the march needs (bodies up to as long as
  // three times a sphere of as many triangles).
  // Tiles are in double precision, and no more of them than there are.
  plan.tiles = std::min(static_cast<Bytes>(threads) * tile_memory(unknowns), static_cast<Bytes>(8 * n * n * length));
  const Bytes assembling = static_cast<Bytes>(4 * n * n) + plan.tiles;
  const Bytes marching = march_memory(s, unknowns, courant, static_cast<Index>(1.5 * std::sqrt(n) / courant));
  plan.in_memory = own + expected_memory(s, unknowns, courant) + std::max(assembling, marching);
  plan.values = static_cast<Bytes>(n * n * length * real / s.ranks);
  plan.summed_there = plan.values;
  // Runs, groups and panels take 0.6 bytes a row-vector (1 in double).
  plan.fixed = plan.in_memory - std::min(plan.in_memory, plan.values) +
               static_cast<Bytes>((s.single_precision ? 0.6 : 1.0) * n * n / s.ranks);
  const auto group = static_cast<double>(std::min(window_group(unknowns), unknowns));
  const auto window =
      static_cast<Bytes>(2 * group * group * length * real);  // row-vectors beside the diagonal are longer
  plan.least = plan.fixed + least_window_memory(window, threads);
  plan.windows = budget > plan.fixed ? budget - plan.fixed : 0;
  return plan;
}

}  // namespace

MemoryPlan plan_memory(const Settings& s, Index unknowns, double courant, Bytes budget, int threads, Bytes own) {
  MemoryPlan plan = plan_with(s, unknowns, courant, budget, std::max(threads, 1), own);
  while (!plan.possible() && plan.threads > 1) plan = plan_with(s, unknowns, courant, budget, plan.threads - 1, own);
  return plan;
}

double streaming_seconds(const Settings& s, const MemoryPlan& plan) {
  return std::ceil(static_cast<double>(s.steps) / s.grouped) * static_cast<double>(plan.read_each_time()) / disk_rate;
}

double tile_count(Index unknowns) {
  const double rows = std::ceil(static_cast<double>(unknowns) / static_cast<double>(window_group(unknowns)));
  return rows * (rows + 1) / 2;
}

ExpectedWork expected_work(const Settings& s, const Surface& surface) {
  const double courant = s.shortest_delta() / surface.mean_edge, length = expected_length(s, courant);
  const auto n = static_cast<double>(surface.unknowns), triangles = static_cast<double>(surface.faces());
  double evaluations = triangles * triangles * s.assembly.far_points * 1.25 * (surface.images.empty() ? 1 : 2);
  double shells = length - s.image_gap;
  if (surface.filled()) {  // two kernels of each fluid; the faster one has fewer shells
    evaluations *= 2;
    shells += 2.24 * surface.mean_edge / longest_delta(surface, s.form) + 3;
  } else if (surface.has_walls()) {  // a pair with a wall is computed twice
    double walls = 0;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) walls += surface.is_wall(t) ? 1 : 0;
    evaluations *= 1 + walls / triangles * (2 - walls / triangles);
  }
  double row_vectors = n * n, far = 0;
  if (s.compressed()) {
    // Near clusters with their borders; pairs of points, at a sixth of an evaluation each.
    far = s.counted.far_pairs;
    evaluations = s.counted.near_pairs * 2.3 * 2.3 * 1.25 * s.assembly.far_points + far / 6;
    row_vectors = s.counted.near_pairs + s.counted.near_memory + far;
  }
  // Columns of what walls remember: both sides of each pair, of blocks of columns that share most of their triangles.
  const double remembered = s.compressed() ? s.counted.near_memory / n : static_cast<double>(s.memory_columns);
  evaluations += 6 * remembered * triangles * s.assembly.far_points;
  for (const Motion& m : s.motions)
    evaluations +=
        evaluations * 2 *
        static_cast<double>(std::count(surface.wall.begin(), surface.wall.end(), static_cast<std::int16_t>(m.wall))) /
        triangles;
  // Of matrices in memory each tile is computed by one rank; of those that stream, by each whose slices meet in it (not foreseen).
  const double ranks = s.ranks, assembled = 1 / ranks;
  const double real = s.single_precision ? 4 : 8;
  const double row_vector = 2 / courant + 6;  // reach of a hat, and of the cubic in time
  ExpectedWork out;
  out.evaluations = assembled * evaluations * shells / 8.6;
  out.steps = static_cast<double>(s.steps) * static_cast<double>(s.runs.size());
  out.passes = out.steps / s.grouped;
  // Row-vectors of points pass 2.5 times as fast by a processor as those of the matrices.
  out.bytes = out.passes * (row_vectors * length + n * expected_points(s) * row_vector / 2.5) * real / ranks;
  out.far_evaluations = assembled * far / 6 * shells / 8.6;
  out.far_bytes = out.passes * far * length * real / ranks;
  return out;
}

ExpectedTime expected_time(const Settings& s, const Surface& surface, int cores) {
  const auto n = static_cast<double>(surface.unknowns), triangles = static_cast<double>(surface.triangles.size());
  const double courant = s.shortest_delta() / surface.mean_edge, length = expected_length(s, courant), ranks = s.ranks;
  const double share = std::max(1, cores), points = expected_points(s);
  const ExpectedWork work = expected_work(s, surface);
  // What does not divide is a share of the assembly and so much an unknown and step.
  constexpr double undivided = 0.02;
  const auto runs = static_cast<double>(s.runs.size());
  constexpr double rule = 7;  // points of quadrature that a triangle has for receivers
  // Spectra of the surface, each step; what points are given, once a group.
  const double spectra =
      2e-9 * runs * (n * static_cast<double>(s.frequencies.size() + s.maps.size()) + 50 * points / s.grouped);
  const double turn = s.directivity_step > 0 ? 180 / s.directivity_step : 0;
  const double directions =
      static_cast<double>(s.monostatic.frequencies.size()) * static_cast<double>(s.monostatic.count) +
      runs * (2 * turn * turn * static_cast<double>(s.maps.size()) +
              (s.pattern_normal >= 0 ? static_cast<double>(s.pattern_count * static_cast<Index>(s.maps.size())) : 0) +
              static_cast<double>(s.frequencies.size() * (1 + s.directions.size())));
  ExpectedTime out;
  // Skeletons of all clusters on all levels: 0.6 s of 16 threads were seen of 512 leaves, 2.2 s of 32 of 2048.
  constexpr double skeleton_seconds = 0.013;
  const double skeletons = s.compressed() ? 2 * static_cast<double>(s.counted.clusters) * skeleton_seconds / share : 0;
  out.assembly = work.evaluations * evaluation_seconds * (1 / share + undivided) + skeletons;
  out.points = 0.06e-6 / ranks * points * rule * triangles * (1 / share + undivided);
  out.summation = work.bytes / summed_bytes / share;
  out.illumination = (static_cast<double>(s.steps) * spectra + 0.3e-6 * n * work.steps) / share;
  out.stepwise = 0.3e-6 * n * work.steps;
  out.march = out.summation + out.illumination + out.stepwise;
  // A transform goes through all values once, an iteration through a fifth of them; 40 iterations a frequency.
  const double iterations = 40 * 1.5e-9, monostatic = static_cast<double>(s.monostatic.frequencies.size()),
               directions_solved = monostatic * static_cast<double>(s.monostatic.count);
  const double solved =
      (s.compressed() ? s.counted.near_pairs + s.counted.far_pairs : n * n) *
      (static_cast<double>(s.solved_frequencies()) * 2e-9 * length +
       (static_cast<double>(s.solved_frequencies()) - monostatic) * runs * iterations + directions_solved * iterations);
  // Responses of ears, which all threads of rank 0 add up.
  const double heard =
      1e-6 * triangles * static_cast<double>(s.head.directions.size() * s.head.ears.size() * s.head.frequencies.size());
  // Maps are found by one pass over the row-vectors of the points for each.
  const double maps = 3e-9 * static_cast<double>(s.maps.size()) * n * points * (2 / courant + 6);
  out.finish = 1.7e-6 * triangles * directions / share + (solved + maps) / ranks / share + heard / share;
  return out;
}

Error too_little_on_ranks(const MemoryPlan& plan) {
  return make_error(
      ErrorCode::resources,
      fmt::format(
          "of {} ranks each needs {} for its share of the matrices, and {} if their values lie on the disk and one "
          "thread assembles; the budget of a rank is {}",
          plan.ranks, format_bytes(plan.in_memory), format_bytes(plan.least), format_bytes(plan.budget)),
      "Raise compute.memory.host, use single precision or a coarser mesh; row extents of all pairs are on each rank "
      "while matrices are assembled, more ranks do not lessen them.");
}

std::string text_of_fewer_threads(const MemoryPlan& plan, int threads, Index unknowns) {
  return fmt::format("{} of {} threads assemble the matrices: each takes {} meanwhile, and the budget is {}",
                     plan.threads, threads, format_bytes(tile_memory(unknowns)), format_bytes(plan.budget));
}

}  // namespace conoid::acoustic_bem

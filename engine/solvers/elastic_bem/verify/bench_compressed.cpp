// SPDX-License-Identifier: BSD-3-Clause
// Compressed matrices at growing size: time and memory over n log n, at a fixed frequency and at fixed elements a wave.
#include <cmath>

#include <fmt/core.h>

#include "engine/core/seconds_now.hpp"
#include "engine/solvers/elastic_bem/solving/compressed_equations.hpp"
#include "engine/solvers/elastic_bem/verify/bench.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

namespace {

struct Measured {
  double unknowns = 0, seconds = 0, bytes = 0, rank = 0;
  [[nodiscard]] double size() const { return unknowns * std::log2(unknowns); }
};

void put(const BenchSink& row, std::string name, double value, const char* unit) {
  BenchRow out;
  out.name = std::move(name);
  out.value = value;
  out.unit = unit;
  row(std::move(out));
}

/// A cavity under pressure, all of a frequency with what is done once a geometry.
Measured measure(Team& team, int divisions, double omega, const BenchSink& row, const char* how) {
  constexpr double tolerance = 1e-4;
  const double begin = seconds_now();
  TestBody body = compressed_body(CompressedBody::cavity, divisions, 0, team, compressed_sums_share * tolerance);
  LoadValues load;
  for (const Vec3& n : body.surface().traction_normal) load.traction.push_back({-n[0], -n[1], -n[2]});
  SolveOptions options;
  options.method = Method::compressed;
  options.compression = tolerance;
  options.chief = Chief::off;
  (void)body.solve(omega, {load}, options);
  Measured out;
  out.unknowns = 3 * static_cast<double>(body.surface().node_count());
  out.seconds = seconds_now() - begin;
  out.bytes = static_cast<double>(body.facts.compressed);
  out.rank = body.facts.compression_rank;
  const std::string name = fmt::format("compressed, cavity of {:.0f} unknowns, {}: ", out.unknowns, how);
  put(row, name + "a frequency", out.seconds, "s");
  put(row, name + "memory", out.bytes / 1e9, "GB");
  put(row, name + "over that of a dense matrix in double", out.bytes / (16 * out.unknowns * out.unknowns), "1");
  put(row, name + "mean rank", out.rank, "1");
  put(row, name + "sampled error", body.facts.compression_error, "1");
  return out;
}

}  // namespace

void bench_compressed(const TestRun& run, const BenchSink& row) {
  if (!run.may_want("compressed")) return;
  Team team({{"cpu", std::max(1, run.threads), 1}});
  const auto grown = [&](const Measured& small, const Measured& large, const char* how) {
    put(row, fmt::format("compressed, {}: growth of time over that of n log n", how),
        large.seconds / small.seconds * small.size() / large.size(), "1");
    put(row, fmt::format("compressed, {}: growth of memory over that of n log n", how),
        large.bytes / small.bytes * small.size() / large.size(), "1");
  };
  const int coarse = run.quick ? 9 : 18;
  run.doing("compressed");
  const Measured small = measure(team, coarse, 2, row, "k_S a = 2");
  run.doing("compressed, twice as fine");
  grown(small, measure(team, 2 * coarse, 2, row, "k_S a = 2"), "fixed frequency");
  // Some ten elements a wave on both.
  const double fine = coarse * 0.8;
  grown(measure(team, coarse, fine / 2, row, "ten elements a wave"),
        measure(team, 2 * coarse, fine, row, "ten elements a wave"), "fixed elements a wave");
}

}  // namespace conoid::elastic_bem

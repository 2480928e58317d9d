// SPDX-License-Identifier: BSD-3-Clause
// Stages of the classical meshes (constant quads, n elements of which m carry unknowns) against the classical algorithm and
// the machine's limits.
//
// Ours: adaptive rules of target 1e-5, full H and G, ½ on the flat ground. Classical: 8 × 8 points for every pair, closed
// forms, static row sums over all elements, plain loops on the same cores; timed on as many rows as fit a budget, then scaled.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "engine/core/seconds_now.hpp"
#include "engine/core/units.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/elastic_bem/verify/bench.hpp"
#include "engine/solvers/elastic_bem/verify/plain.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "engine/solvers/elastic_bem/verify/verify.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

Mesh classical_mesh(const Size& s) {
  PlateOptions p;
  p.low = {-s.half, -s.half};
  p.high = {s.half, s.half};
  p.divisions = {s.cells, s.cells};
  p.body_above = true;
  p.enclosing = true;
  p.rings = s.rings;
  p.extent = s.rings > 0 ? 10 : 0;
  p.walls = s.walls;
  p.depth = s.depth;
  return plate(p).value();
}

Surface classical_surface(const Mesh& mesh) {
  SurfaceOptions o;
  o.domain = Domain::ground;
  o.constant = true;
  o.down = {0, 0, 1};
  std::vector<int> of(static_cast<std::size_t>(mesh.cell_count()), 0);
  for (Index c : mesh.group("enclosing")->cells) of[static_cast<std::size_t>(c)] = -1;
  o.condition = [&](Index c) { return of[static_cast<std::size_t>(c)]; };
  return make_surface(mesh, o).value();
}

namespace {

/// Stops a solution where its assembly is done, as a user could.
class AssemblyOnly final : public Progress {
 public:
  void begin(std::string_view phase, Index, std::string_view) override { phase_ = phase; }
  void at(Index) override {}
  void computed(double, std::string_view) override {}
  void residual(double, double) override {}
  void end() override {
    if (phase_ == "singular") stop_.request_stop();
  }
  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  std::string phase_;
  std::stop_source stop_;
};

}  // namespace

Stages measure_stages(Team& team, const Size& s, Bytes free_memory, double plain_budget, bool once) {
  const Mesh mesh = classical_mesh(s);
  const Surface surface = classical_surface(mesh);
  Stages out;
  out.active = static_cast<double>(surface.active);
  out.dofs = 3 * surface.node_count();
  out.whole = s.n < 14400;
  Medium medium;
  medium.nu = 0.3;
  const Harmonic h(medium, 1);
  SolveOptions options;
  auto system = BoundarySystem::make(surface, {{"free", {false, false, false}}}).value();
  LoadValues load;
  for (const Vec3& x : surface.nodes) {
    const bool centre = std::abs(x[0]) < 1 && std::abs(x[1]) < 1;
    load.traction.push_back(out.whole ? Complex3{1e-3, 1e-3, centre ? 1.0 : 1e-3}
                            : centre  ? Complex3{0, 0, 1}
                                      : Complex3{});
  }
  out.needed = system.bytes(system.known_columns({load}), options, false, std::abs(h.kS));
  if (out.needed + (Bytes{2} << 30) > free_memory) return out;
  NoProgress quiet;
  // The first frequency also takes new pages from the system; later ones reuse them: the best of a few.
  SolveMemory memory;
  struct Pass {
    double rules = 0, whole = 0;
    SolveFacts facts;
    StaticDiagonal diagonal;
  };
  const auto pass = [&](Progress& progress, std::stop_token stop) {
    Pass p;
    const double begin = seconds_now();
    const FarRules<double> rules(surface, options.accuracy, std::abs(h.kS), false, team.threads());
    p.rules = seconds_now() - begin;
    p.diagonal = static_diagonal(team, surface, options.accuracy, medium.nu);
    const auto solved = system.solve<double>(team, h, rules, p.diagonal.blocks, {load}, options, p.facts, progress,
                                             std::move(stop), &memory);
    if (!solved && solved.error().code != ErrorCode::stopped) throw Failure(solved.error());
    p.whole =
        p.rules + p.facts.seconds_pairs + p.facts.seconds_singular + p.diagonal.seconds_sums + p.diagonal.seconds_rigid;
    return p;
  };
  const auto assembled = [&] {
    AssemblyOnly progress;
    return pass(progress, progress.token());
  };
  out.first_assembly = assembled().whole;
  Pass best = assembled();
  for (int k = 0; k < (out.whole ? 6 : once ? 0 : 2); ++k)
    if (Pass p = assembled(); p.whole < best.whole) best = std::move(p);
  out.rules = best.rules;
  out.assembly = best.whole;
  out.assembled = best.facts;
  out.diagonal = std::move(best.diagonal);
  for (int k = 0; k < (s.n <= 2160 ? 4 : s.n <= 4000 ? 2 : 1); ++k)
    if (Pass p = pass(quiet, {}); k == 0 || p.facts.seconds_factors < out.solved.seconds_factors) out.solved = p.facts;
  if (plain_budget > 0) out.plain = plain_assembly(team, surface, h, plain_budget);
  return out;
}

namespace {

struct Bench {
  const TestRun& run;
  const BenchSink& row;
  RowTeam team;
  double peak = 0;                           ///< flop/s of one core, double
  double peak_all = 0, peak_all_single = 0;  ///< of all threads together
  double lapack_single = 0;                  ///< flop/s of LAPACK's LU in complex single, the largest measured

  void number(std::string name, double value, std::string unit, double ratio = 0, double limit = 0,
              std::string against = "", std::string by = "") const {
    row({std::move(name), value, std::move(unit), ratio, limit, std::move(against), std::move(by)});
  }
};

template <class Real>
double peak_rate() {
  const LaneKernels<Real>& k = lane_kernels<Real>();
  Real keep = 0;
  double best = 0;
  for (int q = 0; q < 5; ++q) {
    const double begin = seconds_now(), flops = k.multiply_adds(3000000, &keep);
    best = std::max(best, flops / (seconds_now() - begin));
  }
  return best;
}

/// All threads at once, which need not be as many times one: they may share a core's pipes or its clock.
template <class Real>
double peak_rate_together(int threads) {
  const LaneKernels<Real>& k = lane_kernels<Real>();
  double best = 0;
  for (int q = 0; q < 5; ++q) {
    std::vector<double> flops(static_cast<std::size_t>(threads), 0);
    const double begin = seconds_now();
    CpuWorker(threads).for_each({0, threads}, 1, [&](Interval one, int) {
      Real keep = 0;
      flops[static_cast<std::size_t>(one.begin)] = k.multiply_adds(3000000, &keep);
    });
    const double seconds = seconds_now() - begin;
    double sum = 0;
    for (double f : flops) sum += f;
    best = std::max(best, sum / seconds);
  }
  return best;
}

/// Rate of the far kernel alone, one core.
template <class Real>
double kernel_seconds(bool damped, int nodes, int count) {
  Medium m;
  m.nu = 0.3;
  m.beta = damped ? 0.05 : 0;
  const auto medium = lane_medium<Real>(Harmonic(m, 1));
  const LaneKernels<Real>& k = lane_kernels<Real>();
  const auto lanes = static_cast<std::size_t>(k.lanes), n = static_cast<std::size_t>(count);
  std::vector<Real> a(n), shape(n * static_cast<std::size_t>(nodes), Real(0.3)), x(3 * lanes),
      out(lanes * most_nodes * lane_values);
  for (std::size_t q = 0; q < n; ++q) a[q] = static_cast<Real>(2 + 0.1 * static_cast<double>(q));
  const LanePoints<Real> p{count,    nodes,    n,        a.data(), a.data(),    a.data(),
                           a.data(), a.data(), a.data(), a.data(), shape.data()};
  double best = 1e300;
  for (int q = 0; q < 7; ++q) {
    const int times = 20000;
    const double begin = seconds_now();
    for (int r = 0; r < times; ++r)
      k.far(medium, p, x.data(), x.data() + lanes, x.data() + 2 * lanes, Part::dynamic, true, out.data());
    best = std::min(best, (seconds_now() - begin) /
                              (static_cast<double>(times) * static_cast<double>(count) * static_cast<double>(lanes)));
  }
  return best;
}

void kernel_rates(Bench& b) {
  b.run.doing("kernels");
  b.peak = peak_rate<double>();
  const double single = peak_rate<float>();
  const int threads = std::max(1, b.run.threads);
  b.peak_all = peak_rate_together<double>(threads);
  b.peak_all_single = peak_rate_together<float>(threads);
  b.number("machine: multiply-adds, double, one core", b.peak / 1e9, "Gflop/s");
  b.number("machine: multiply-adds, single, one core", single / 1e9, "Gflop/s");
  b.number(fmt::format("machine: multiply-adds, double, {} threads", threads), b.peak_all / 1e9, "Gflop/s");
  b.number(fmt::format("machine: multiply-adds, single, {} threads", threads), b.peak_all_single / 1e9, "Gflop/s");
  const auto rate = [&](const char* name, double seconds, double flops, double peak, double limit) {
    b.number(name, flops / seconds / 1e9, "Gflop/s", flops / seconds / peak, limit * peak / 1e9, "FMA rate of a core",
             "instruction rate");
  };
  rate("far kernel, double, constant elements, 3 x 3 points", kernel_seconds<double>(false, 1, 9), flops_a_point,
       b.peak, 0.3);
  rate("far kernel, double, Q9, 4 x 4 points", kernel_seconds<double>(false, 9, 16),
       flops_a_point + 2 * 9 * lane_values, b.peak, 0.3);
  rate("far kernel, single, constant elements, 3 x 3 points", kernel_seconds<float>(false, 1, 9), flops_a_point, single,
       0);
  b.number("far kernel, double, damped: an evaluation", 1e9 * kernel_seconds<double>(true, 1, 9), "ns");
}

void stages(Bench& b, const Size& s) {
  if (!b.run.may_want(fmt::format("n = {}, ", s.n))) return;
  b.run.doing(fmt::format("{} elements", s.n));
  const Stages t = measure_stages(b.team, s, b.run.free_memory, b.run.quick ? 0.7 : 3);
  if (t.assembly <= 0) {
    b.number(fmt::format("n = {}: not run, memory needed", s.n), static_cast<double>(t.needed) / 1e9, "GB");
    return;
  }
  const SolveFacts &facts = t.assembled, &solution = t.solved;
  const PlainTimes& plain = t.plain;
  const Index dofs = t.dofs;
  const double assembly = t.assembly;
  const std::string n = fmt::format("n = {}, {} unknowns: ", s.n, dofs);
  b.number(n + "far and near pairs", t.pairs(), "s", plain.pairs / t.pairs(), 0,
           plain.share < 1 ? fmt::format("classical algorithm, {:.1f} % of its rows, scaled", 100 * plain.share)
                           : "classical algorithm",
           "instruction rate");
  b.number(n + "static sums", t.diagonal.seconds_sums, "s",
           t.diagonal.seconds_sums > 1e-4 ? plain.static_sums / t.diagonal.seconds_sums : 0, 0,
           fmt::format("classical: {:.3g} s; flat ground needs none", plain.static_sums), "");
  b.number(n + "singular", facts.seconds_singular, "s");
  b.number(n + "rigid", t.diagonal.seconds_rigid, "s");
  b.number(n + "solution", solution.seconds_solve, "s", 0, 0, fmt::format("residual {:.1e}", solution.residual), "");
  const double lu = 8.0 / 3 * std::pow(static_cast<double>(dofs), 3);
  b.number(n + fmt::format("LU of the solution, complex single, {}", dense::backend_name()),
           lu / solution.seconds_factors / 1e9, "Gflop/s", lu / solution.seconds_factors / b.peak_all_single, 0,
           "FMA rate of all threads", "instruction rate");
  if (b.lapack_single > 0 && dofs >= 4800)  // small ones reach less with any LAPACK
    b.number(n + "LU of the solution over the best of LAPACK above", lu / solution.seconds_factors / b.lapack_single,
             "1", lu / solution.seconds_factors / b.lapack_single, 1 / 1.1, "LAPACK, complex single", "");
  b.number(n + "assembly, classical over ours", (plain.pairs + plain.static_sums) / assembly, "1",
           (plain.pairs + plain.static_sums) / assembly / 5, s.n >= 960 ? 5 : 0,
           "classical algorithm on the same cores", "instruction rate");
  const double flops = (facts.work.far_points + facts.work.near_points) * (t.whole ? flops_a_point : flops_a_point_t);
  b.number(n + "whole assembly stage", flops / assembly / 1e9, "Gflop/s", flops / assembly / b.peak_all,
           s.n >= 960 ? 0.3 * b.peak_all / 1e9 : 0, "FMA rate of all threads",
           "instruction rate, memory of the matrix");
  b.number(n + "the same, first frequency, on new pages", flops / t.first_assembly / 1e9, "Gflop/s",
           flops / t.first_assembly / b.peak_all, 0, "FMA rate of all threads", "pages of the system");
  b.number(n + "assembly, classical over ours on new pages", (plain.pairs + plain.static_sums) / t.first_assembly, "1",
           (plain.pairs + plain.static_sums) / t.first_assembly / 5, 0, "classical algorithm on the same cores", "");
  b.number(n + "matrices", static_cast<double>(t.needed) / 1e9, "GB", 0, 0, "", "");
  if (!t.whole)
    b.number(n + "largest memory of the program", static_cast<double>(peak_resident_memory()) / 1e9, "GB",
             16e9 / static_cast<double>(peak_resident_memory()), 0, "16 GB", "");
  b.number(n + "points a pair", (facts.work.far_points + facts.work.near_points) / (t.active * t.active), "1",
           64 / ((facts.work.far_points + facts.work.near_points) / (t.active * t.active)), 0,
           "64 of the classical algorithm", "");
}

/// Errors of both rules against very fine ones, boundary displacements of the example of 240 elements.
void accuracy(Bench& b) {
  b.run.doing("accuracy");
  const Mesh mesh = classical_mesh(sizes[0]);
  const auto displacements = [&](Accuracy a) {
    SurfaceOptions o;
    o.domain = Domain::ground;
    o.constant = true;
    o.down = {0, 0, 1};
    Medium m;
    m.nu = 0.3;
    TestBody body(mesh, o, {}, m, a, b.team);
    LoadValues load;
    for (const Vec3& x : body.surface().nodes)
      load.traction.push_back(std::abs(x[0]) < 1 && std::abs(x[1]) < 1 ? Complex3{0, 0, 1} : Complex3{});
    return body.solve(1, {load})[0].displacement;
  };
  const auto fine = displacements({1e-10, false}), ours = displacements({1e-5, false}),
             plain = displacements({1e-5, true});
  const auto error = [&](const std::vector<Complex3>& u) {
    double defect = 0, size = 0;
    for (std::size_t k = 0; k < u.size(); ++k)
      for (std::size_t d = 0; d < 3; ++d) {
        defect += std::norm(u[k][d] - fine[k][d]);
        size += std::norm(fine[k][d]);
      }
    return std::sqrt(defect / size);
  };
  b.number("n = 240: integration error of u, classical rules", error(plain), "1");
  b.number("n = 240: integration error of u, adaptive rules", error(ours), "1", error(plain) / error(ours), 0,
           "classical rules", "");
}

/// LU of a random matrix, the best of a few.
template <class T>
double lu_seconds(Index n, int threads, dense::Backend backend) {
  double seconds = 1e300;
  for (int pass = 0; pass < (n <= 3000 ? 3 : 2); ++pass) {
    BigArray<T> a(static_cast<std::size_t>(n * n));  // as matrices of a run
    unsigned state = 1;
    for (std::size_t k = 0; k < a.size(); ++k) {
      state = state * 1664525U + 1013904223U;
      a.data()[k] = {static_cast<float>(state >> 8) / 16777216.0F - 0.5F, 0.1F};
    }
    const double begin = seconds_now();
    static_cast<void>(dense::Lu<T>::factorise(a.data(), n, threads, backend));
    seconds = std::min(seconds, seconds_now() - begin);
  }
  return seconds;
}

/// All threads over two (over one where there are fewer than four), beside what the machine's multiply-adds and LAPACK's own LU of as many
/// unknowns gain by the same threads in the same run.
void scaling(Bench& b) {
  const int all = std::max(1, b.run.threads), few = all >= 4 ? 2 : 1;
  const Size& s = sizes[b.run.quick ? 2 : 3];
  const std::string name = fmt::format("n = {}, {} threads over {}: ", s.n, all, few);
  if (all <= few || !b.run.may_want(name)) return;
  b.run.doing(fmt::format("{} elements, {} and {} threads", s.n, few, all));
  Team two({{"cpu", few, 1}}), whole({{"cpu", all, 1}});
  const Stages before = measure_stages(two, s, b.run.free_memory, 0),
               after = measure_stages(whole, s, b.run.free_memory, 0);
  if (before.assembly <= 0 || after.assembly <= 0) return;
  const double adds = b.peak_all / peak_rate_together<double>(few),
               singles = b.peak_all_single / peak_rate_together<float>(few),
               assembly = before.assembly / after.assembly,
               lu = before.solved.seconds_factors / after.solved.seconds_factors;
  b.number(name + "multiply-adds, double", adds, "1");
  b.number(name + "multiply-adds, single", singles, "1");
  b.number(name + "assembly", assembly, "1", assembly / adds, 0, "multiply-adds of the same threads",
           "memory of the matrix");
  using Number = std::complex<float>;
  const bool lapack = dense::has_lapack();
  const double theirs = lapack ? lu_seconds<Number>(after.dofs, few, dense::Backend::lapack) /
                                     lu_seconds<Number>(after.dofs, all, dense::Backend::lapack)
                               : singles;
  if (lapack) b.number(name + "LU, complex single, LAPACK of the build", theirs, "1");
  b.number(name + "LU, complex single", lu, "1", lu / theirs, 0,
           lapack ? "LAPACK's LU by the same threads" : "multiply-adds of the same threads", "");
}

/// LU of random matrices beside LAPACK's own routine, in the same run with the same threads.
template <class T>
void factorisation(Bench& b, const char* kind, Index n, double peak) {
  const std::string name = fmt::format("LU, {}, {} unknowns", kind, n);
  if (!b.run.may_want(name)) return;
  b.run.doing("LU");
  const auto best = [&](dense::Backend backend) { return lu_seconds<T>(n, std::max(1, b.run.threads), backend); };
  const double flops = 8.0 / 3 * std::pow(static_cast<double>(n), 3), ours = best(dense::Backend::automatic);
  b.number(fmt::format("{}, {}", name, dense::backend_name()), flops / ours / 1e9, "Gflop/s", flops / ours / peak, 0,
           "FMA rate of all threads", "instruction rate");
  if (!dense::has_lapack()) return;
  const double theirs = best(dense::Backend::lapack);
  if (sizeof(T) == 8) b.lapack_single = std::max(b.lapack_single, flops / theirs);
  b.number(name + ", LAPACK of the build", flops / theirs / 1e9, "Gflop/s", flops / theirs / peak, 0,
           "FMA rate of all threads", "");
  b.number(name + ", ours over LAPACK's rate", theirs / ours, "1", theirs / ours, 1 / 1.1, "LAPACK in the same run",
           "");
}

/// Product of a batch of points with the ground's rings: 128 points, few columns, beside LAPACK's library in the same run.
template <class T>
void products(Bench& b, const char* kind, double peak) {
  constexpr Index rows = 384, width = 30000, columns = 12;
  const std::string name = fmt::format("product {} x {} x {}, {}", rows, width, columns, kind);
  if (!b.run.may_want(name)) return;
  b.run.doing("products");
  BigArray<T> a(static_cast<std::size_t>(rows * width));
  unsigned state = 1;
  for (std::size_t k = 0; k < a.size(); ++k) {
    state = state * 1664525U + 1013904223U;
    a.data()[k] = {static_cast<float>(state >> 8) / 16777216.0F - 0.5F, 0.1F};
  }
  const std::vector<T> x(static_cast<std::size_t>(width * columns), T(0.5F, -1));
  std::vector<T> y(static_cast<std::size_t>(rows * columns));
  const auto best = [&](dense::Backend backend) {
    double seconds = 1e300;
    for (int pass = 0; pass < 7; ++pass) {
      const double begin = seconds_now();
      dense::multiply<T>(a.data(), rows, width, x.data(), columns, T(0), y.data(), std::max(1, b.run.threads), backend);
      seconds = std::min(seconds, seconds_now() - begin);
    }
    return seconds;
  };
  const double flops = 8.0 * rows * width * columns, ours = best(dense::Backend::automatic);
  b.number(fmt::format("{}, {}", name, dense::backend_name()), flops / ours / 1e9, "Gflop/s", flops / ours / peak, 0,
           "FMA rate of all threads", "instruction rate, memory of the matrix");
  if (!dense::has_lapack()) return;
  const double theirs = best(dense::Backend::lapack);
  b.number(name + ", ours over LAPACK's rate", theirs / ours, "1", theirs / ours, 1 / 1.1, "LAPACK in the same run",
           "");
}

}  // namespace

Status bench_table(const TestRun& run, const BenchSink& row) {
  try {
    Bench b{run, row, RowTeam(run.workers())};
    kernel_rates(b);
    products<std::complex<float>>(b, "complex single", b.peak_all_single);
    products<Complex>(b, "complex double", b.peak_all);
    if (run.may_want("n = 240: integration")) accuracy(b);
    for (Index n : b.run.quick ? std::vector<Index>{1200} : std::vector<Index>{1200, 2700, 4800}) {
      factorisation<std::complex<float>>(b, "complex single", n, b.peak_all_single);
      factorisation<std::complex<double>>(b, "complex double", n, b.peak_all);
    }
    bench_devices(run, row);
    bench_compressed(run, row);
    scaling(b);
    for (const Size& s : sizes)
      if (!run.quick || s.n <= 2160) stages(b, s);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

}  // namespace conoid::elastic_bem

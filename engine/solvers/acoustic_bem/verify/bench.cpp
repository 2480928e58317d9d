// SPDX-License-Identifier: BSD-3-Clause
// Rates of the summation kernels and of the assembly beside the machine's own limits, on one core.
//
// Flops count real non-zeros only: 2 n_g a value. Sizes as Tables 2 and 3 of Bramas et al. 2015: 420 slices of 6400 rows,
// n_g = 8; fewer slices where a table's blocks would not fit the memory, and in the quick run.
#include "engine/solvers/acoustic_bem/verify/bench.hpp"
#include "engine/core/seconds_now.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_bem/discretization/compressed_assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/cutouts.hpp"
#include "engine/solvers/acoustic_bem/discretization/far_kernel.hpp"
#include "engine/solvers/acoustic_bem/stepping/march.hpp"
#include "engine/solvers/acoustic_bem/verify/bench_slices.hpp"
#include "engine/solvers/acoustic_bem/verify/machine_rates.hpp"
#include "engine/solvers/acoustic_bem/verify/paper.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/machine_rates.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {
namespace {

constexpr const char* fma_peak = "FMA rate of a core";

/// Best flop rate of repeated summations, about `seconds` long: of the thread's own time, or of wall time with several.
template <class Real>
double summation_rate(const Slices<Real>& slices, int steps, double seconds, int threads = 1) {
  Team team({{"cpu", threads, 1}});
  const auto clock = [&] { return threads > 1 ? seconds_now() : thread_seconds(); };
  History<Real> history = made_history(slices, steps);
  Summation<Real> sum("bench", slices, steps);
  std::vector<double> out;
  sum.add_up(team, std::span(&history, 1), 0, out);
  const double flops = 2.0 * steps * static_cast<double>(slices.nonzeros());
  double rate = 0, spent = 0;
  while (spent < seconds) {
    const double begin = clock();
    sum.add_up(team, std::span(&history, 1), 0, out);
    const double took = clock() - begin;
    spent += took;
    rate = std::max(rate, flops / took);
  }
  return rate;
}

/// Sums from memory and copies in turn, the medians of five of each: memory that other programs share changes within seconds.
struct BesideCopies {
  double sums, copies;  ///< flop/s; B/s read and written
};
template <class Real>
BesideCopies beside_copies(const Slices<Real>& slices, int steps, double seconds, int threads) {
  std::array<double, 5> sums{}, copies{};
  for (std::size_t k = 0; k < sums.size(); ++k) {
    copies[k] = measure_copy_rate(threads, seconds / 20);
    sums[k] = summation_rate(slices, steps, seconds / 5, threads);
  }
  std::sort(sums.begin(), sums.end());
  std::sort(copies.begin(), copies.end());
  return {sums[2], copies[2]};
}

template <class Real>
double full_block_rate(const Slices<Real>& slices, const FullBlocking& blocks, double seconds) {
  const AlignedVector<Real> values = full_block_values(slices, blocks);
  const History<Real> history = made_history(slices, 8);
  std::vector<const Real*> pasts;
  for (Index j = 0; j < slices.count(); ++j) pasts.push_back(history.past(j));
  const auto stride = static_cast<std::size_t>(slices.rows() + blocks.rows);
  AlignedVector<Real> sums(8 * stride);
  const FullBlockKernel<Real>& kernel = full_block_kernel<Real>();
  double rate = 0, spent = 0;
  while (spent < seconds) {
    const double begin = thread_seconds();
    kernel.add(blocks.places.data(), values.data(), blocks.places.size(), blocks.rows, blocks.columns, pasts.data(),
               sums.data(), stride);
    const double took = thread_seconds() - begin;
    spent += took;
    rate = std::max(rate, 16.0 * static_cast<double>(blocks.nonzeros) / took);
  }
  return rate;
}

std::string copies_between(double rate) {
  return fmt::format("copies between, {:.1f} GB/s", rate / 1e9);
}

struct Bench {
  const TestRun& run;
  const BenchSink& row;
  MachineRates rates;

  bool paper = false;  ///< rows under the numbers of the paper's tables, its figures with them

  void rate(std::string name, double flops, double peak, double limit, std::string against, std::string by) const {
    row({std::move(name), flops / 1e9, "Gflop/s", flops / peak, limit * peak / 1e9, std::move(against), std::move(by)});
  }
  /// Of a table of the paper, where `published` (Gflop/s) stands beside it.
  void tabled(const char* table, std::string name, double flops, double peak, double published) const {
    if (!paper) return rate(std::move(name), flops, peak, 0, fma_peak, "bandwidth");
    row({fmt::format("{}: {}", table, name), flops / 1e9, "Gflop/s", flops / 1e9 / published, 0, "the source's",
         "one core", published});
  }
  [[nodiscard]] double time(double full) const { return run.quick ? 0.25 * full : full; }
};

/// Gflop/s of one core of an X5650 (Bramas et al. 2015): of Table 2 by b_c (16 to 128) and b_r (32, 64, 128), of Table 3 by b_c.
struct PublishedRates {
  std::array<std::array<double, 3>, 4> full;
  std::array<double, 4> contiguous;
};
constexpr PublishedRates published_single{{{{2.9, 8.8, 8.2}, {8.4, 7.5, 7}, {8.8, 6.7, 6.4}, {8.2, 6.3, 6}}},
                                          {2.7, 3, 2.3, 2.3}};
constexpr PublishedRates published_double{{{{2.5, 3.4, 3.8}, {3.6, 3.1, 3.1}, {3.4, 3, 3}, {3.5, 2.8, 2.9}}},
                                          {2, 1.6, 1.6, 1.4}};

/// Tables 2 and 3 of the paper in form.
template <class Real>
void tables(const Bench& b, const char* precision, double peak, const PublishedRates& published) {
  const Index rows = 6400;
  const auto place = [](int size, int first) {
    return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(size / first)));
  };
  for (int bc : b.run.quick ? std::vector<int>{16, 64} : std::vector<int>{16, 32, 64, 128}) {
    const Index count = b.run.quick ? 40 : std::min<Index>(420, 420 * 32 / bc);
    b.run.doing(fmt::format("blocks of {} columns, {}", bc, precision));
    const Slices<Real> slices = made_slices<Real>(rows, count, 341, bc, bc);
    for (int br : b.run.quick ? std::vector<int>{32} : std::vector<int>{32, 64, 128}) {
      const Slices<Real> aligned = aligned_slices<Real>(rows, count, bc, br);
      const FullBlocking blocks = full_blocking(RowSpans::of(aligned), br, bc);
      b.tabled("Table 2",
               fmt::format("Full-Blocking, {}, b_c {}, b_r {}, {} slices x {} rows", precision, bc, br, count, rows),
               full_block_rate(aligned, blocks, b.time(0.2)), peak, published.full[place(bc, 16)][place(br, 32)]);
    }
    const BesideCopies rate = beside_copies(slices, 8, b.time(1.0), 1);
    const std::string name =
        fmt::format("Contiguous-Blocking, {}, b_c {}, {} slices x {} rows", precision, bc, count, rows);
    b.tabled("Table 3", name, rate.sums, peak, published.contiguous[place(bc, 16)]);
    if (!b.paper && slices.bytes({0, count}) > 2 * this_machine().l3)  // otherwise a cache holds part of them
      b.rate(name + ": of the copy", rate.sums, rate.copies / sizeof(Real) * 2 * 8, 0.85, copies_between(rate.copies),
             "bandwidth");
  }
}

template <class Real>
void kernels(const Bench& b, const char* precision, double peak, double floor) {
  // One panel of 64 slices, 6 to 13 columns (9.5 on average): its values stay in a second-level cache.
  const Slices<Real> cached = made_slices<Real>(panel_rows, 64, 341, 6, 13);
  for (int g : b.run.quick ? std::vector<int>{8} : std::vector<int>{1, 2, 4, 8, 16, 32}) {
    b.run.doing(fmt::format("summation from cache, n_g = {}", g));
    b.rate(fmt::format("slices from cache, {}, n_g {}", precision, g), summation_rate(cached, g, b.time(0.4)), peak,
           g >= 8 ? floor : 0, fma_peak, "loads");
  }
}

void from_memory(const Bench& b) {
  b.run.doing("summation from memory");
  const Machine machine = this_machine();
  const double wanted = b.run.quick ? 3e8 : std::clamp(2.0 * static_cast<double>(machine.l3), 3e8, 8e8);
  const auto count = static_cast<Index>(wanted / (6400 * 9.5 * 4));
  const Slices<float> slices = made_slices<float>(6400, count, 341, 6, 13);
  const double bytes = static_cast<double>(slices.bytes({0, count}));
  double at_eight = 0;
  for (int g : b.run.quick ? std::vector<int>{8} : std::vector<int>{1, 4, 8, 16}) {
    const BesideCopies rate = beside_copies(slices, g, b.time(1.0), 1);
    if (g == 8) at_eight = rate.sums;
    // Bound: matrix values alone at the copy rate.
    b.rate(fmt::format("slices from memory, single, n_g {}, {}", g, format_bytes(static_cast<Bytes>(bytes))), rate.sums,
           rate.copies / 4 * 2 * g, g == 8 ? 0.85 : 0, copies_between(rate.copies), "bandwidth and loads");
  }
  if (b.run.threads > 1) {
    const BesideCopies rate = beside_copies(slices, 8, b.time(1.0), b.run.threads);
    b.rate(fmt::format("slices from memory, single, n_g 8, {} threads", b.run.threads), rate.sums, rate.copies / 4 * 16,
           0.85, copies_between(rate.copies), "bandwidth and loads");
  }
  b.run.doing("sparse products");
  const Index fewer = std::min<Index>(count, 420);
  const Slices<float> part = made_slices<float>(6400, fewer, 341, 6, 13);
  const CsrMatrices<float> csr = csr_matrices(part);
  std::vector<std::vector<float>> a(csr.M.size(), std::vector<float>(static_cast<std::size_t>(fewer), 0.5F));
  std::vector<float> s(6400, 0);
  double best = 0, spent = 0;
  while (spent < b.time(1.0)) {
    const double begin = thread_seconds();
    csr.add(a, s);
    const double took = thread_seconds() - begin;
    spent += took;
    best = std::max(best, 2.0 * static_cast<double>(part.nonzeros()) / took);
  }
  b.rate("CSR products of M_k, single (baseline)", best, b.rates.fma_single, 0, fma_peak, "latency and bandwidth");
  b.row(
      {"slices, n_g 8, over CSR products", at_eight / best, "1", at_eight / best / 8, 8, "CSR products", "bandwidth"});
}

void assembly(const Bench& b) {
  b.run.doing("assembly");
  Team team({{"cpu", 1, 1}});
  for (FormName name : b.run.quick ? std::vector<FormName>{FormName::NC}
                                   : std::vector<FormName>{FormName::N, FormName::NC, FormName::D, FormName::DC}) {
    const Surface surface = unit_sphere(b.run.quick ? 6 : 10);
    const double begin = thread_seconds();
    const Matrices<float> m = assemble_all<float>(surface, form_for(surface, name), {}, team);
    const double took = thread_seconds() - begin;
    b.row({fmt::format("assembly, {}, N = {}: shell evaluations a core ({:.3f} us each)", name_of(name),
                       surface.unknowns, 1e6 * took / static_cast<double>(m.evaluations)),
           static_cast<double>(m.evaluations) / took / 1e6, "M/s", static_cast<double>(m.evaluations) / took / 2.5e6,
           2.5, "0.4 us an evaluation", "instruction rate"});
  }
}

/// Cut-outs as in Table 4 of the paper, on a sphere numbered at random, by Morton and by Hilbert.
void cut_outs(const Bench& b) {
  b.run.doing("cut-outs");
  RowTeam team(b.run.workers());
  const int divisions = b.run.quick ? 6 : 9;
  for (const auto& [ordering, name] :
       {std::pair{Ordering::given, "given"}, {Ordering::morton, "Morton"}, {Ordering::hilbert, "Hilbert"}}) {
    const Surface surface = unit_sphere(divisions, true, ordering);
    const Matrices<float> m = assemble_all<float>(surface, form_for(surface, FormName::NC), {}, team);
    const RowSpans spans = RowSpans::of(m.slices);
    b.row(
        {fmt::format("ordering score, {}, N = {}", name, surface.unknowns), ordering_score(spans), "1", 0, 0, "", ""});
    for (int br : {32, 64, 128})
      for (int bc : b.run.quick ? std::vector<int>{16} : std::vector<int>{16, 32, 64, 128}) {
        const FullBlocking f = full_blocking(spans, br, bc);
        if (f.places.empty()) continue;
        b.row({fmt::format("Full-Blocking {} x {}, {}: {} blocks, non-zeros", br, bc, name, f.places.size()),
               100 * f.fill(), "%", 0, 0, "", ""});
      }
    b.row({fmt::format("Contiguous-Blocking {} x {}, {}: {} blocks, non-zeros", surface.unknowns, m.slices.longest(),
                       name, surface.unknowns),
           100 * static_cast<double>(m.slices.nonzeros()) /
               (std::pow(static_cast<double>(surface.unknowns), 2) * static_cast<double>(m.slices.longest())),
           "%", 0, 0, "", ""});
  }
}

/// What matrices take: memory, assembly, and a step of a march in a plane wave.
struct Taken {
  Bytes bytes = 0;
  double assembly = 0, step = 0;  ///< s
};

/// Some groups of steps of a march on matrices that took so long; the fastest counts.
Taken marched(Matrices<float> matrices, double assembly, const Surface& surface, Team& team) {
  constexpr int steps = 8, groups = 6;
  const Form form = matrices.form;
  Taken out;
  out.assembly = assembly;
  out.bytes = matrices.slices.bytes({0, matrices.slices.count()}) + matrices.far.bytes();
  if (matrices.skeletons)
    for (const auto& w : matrices.skeletons->weights) out.bytes += w.size() * sizeof(double);
  March<float> march(std::move(matrices), {.steps = steps});
  Excitation excitation{"wave", {}};
  Wave wave;
  wave.direction = {0, 0, 1};
  wave.pulse = ricker_of(2);
  excitation.waves.push_back(wave);
  set_onsets(excitation, surface.vertices, 1);
  RightHandSide l(surface, form, excitation);
  out.step = HUGE_VAL;
  for (int k = 0; k < groups; ++k) {
    const double begin = seconds_now();
    march.advance(team, [&](Index n, Index, std::span<double> v) {
      l.triangles(n, {0, l.triangle_count()});
      l.gather({0, surface.unknowns}, v.data());
    });
    out.step = std::min(out.step, (seconds_now() - begin) / steps);
  }
  return out;
}

/// Memory, assembly and a step against the unknowns: of compressed matrices, and of whole ones where they are small enough to be made here.
void compression(const Bench& b) {
  RowTeam team(b.run.workers());
  constexpr int steps = 8;
  constexpr double error = 3e-3, edges = 10;
  // The last ones take long: by name alone.
  const std::vector<int> usual = b.run.quick ? std::vector<int>{16, 24} : std::vector<int>{16, 24, 34, 49},
                         by_name{69, 98};
  std::vector<int> all = usual;
  all.insert(all.end(), by_name.begin(), by_name.end());
  NoProgress quiet;
  std::vector<std::pair<double, Taken>> sizes;
  for (const int divisions : all) {
    const Surface surface = unit_sphere(divisions, true, Ordering::clusters);
    const Form form = form_for(surface, FormName::NC);
    const auto n = static_cast<double>(surface.unknowns);
    const std::string what =
        fmt::format("compressed matrices, sphere, N = {}, error 3e-3, ten edges a wave", surface.unknowns);
    const bool named = b.run.only.find("N = ") != std::string::npos;
    if (!b.run.may_want(what) || (!named && divisions > usual.back())) continue;
    b.run.doing(fmt::format("compressed matrices, {} unknowns", surface.unknowns));
    double begin = seconds_now();
    auto made = assemble_compressed<float>(surface, form, {},
                                           {.error = error,
                                            .highest = 2 * std::numbers::pi / (edges * surface.mean_edge),
                                            .least_gap = FarKernel::least_gap(steps) * form.delta(),
                                            .cluster = 64},
                                           [](Bytes) { return Status{}; }, nullptr, team, quiet, {});
    const double far_error = made->far_error, near = made->skeletons->near.pairs(), far = made->skeletons->far.pairs();
    const Taken some = marched(std::move(*made), seconds_now() - begin, surface, team);
    Taken whole;
    if (divisions <= (b.run.quick ? 16 : 24)) {
      begin = seconds_now();
      auto matrices = assemble_all<float>(surface, form, {}, team);
      whole = marched(std::move(matrices), seconds_now() - begin, surface, team);
    } else {
      whole.bytes = static_cast<Bytes>(n * n * (4 * 1.04 * (2.24 / 0.4 + 3) + 3.6));  // by their count
    }
    const auto row = [&](std::string of, double value, const char* unit, double some_of, double whole_of) {
      b.row({fmt::format("{}: {}", what, of), value, unit, whole_of > 0 ? some_of / whole_of : 0, 0,
             whole_of > 0 ? "whole matrices" : "", "bandwidth"});
    };
    row(fmt::format("memory ({:.1f} % of the row-vectors near, {:.1f} % as many far; whole {})", 100 * near / (n * n),
                    100 * far / (n * n), format_bytes(whole.bytes)),
        static_cast<double>(some.bytes) / 1e9, "GB", static_cast<double>(some.bytes), static_cast<double>(whole.bytes));
    row(fmt::format("assembly (far blocks within {:.1e})", far_error), some.assembly, "s", some.assembly,
        whole.assembly);
    row("a step", 1e3 * some.step, "ms", some.step, whole.step);
    sizes.emplace_back(n, some);
  }
  if (sizes.size() < 2) return;
  // Whole matrices go with the square of the unknowns in all three.
  const auto& [few, small] = sizes[sizes.size() - 2];
  const auto& [many, large] = sizes.back();
  const double ratio = std::log(many / few);
  const std::string what =
      fmt::format("compressed matrices, spheres of N = {:.0f} and {:.0f}: power of N, ", few, many);
  b.row({what + "memory", std::log(static_cast<double>(large.bytes) / static_cast<double>(small.bytes)) / ratio, "1", 0,
         0, "", "bandwidth"});
  b.row({what + "assembly", std::log(large.assembly / small.assembly) / ratio, "1", 0, 0, "", "instruction rate"});
  b.row({what + "a step", std::log(large.step / small.step) / ratio, "1", 0, 0, "", "bandwidth"});
}

}  // namespace

Status bench_table(const TestRun& run, const BenchSink& row) {
  const FlushSubnormals flush;
  try {
    if (run.only.starts_with("device")) {
      bench_devices(run, row);
      return {};
    }
    if (run.only.starts_with("compress")) {
      compression({run, row, {}});
      return {};
    }
    run.doing("machine");
    const Bench b{run, row, measure_rates(std::max(1, run.threads))};
    row({"machine: multiply-adds, single, one core", b.rates.fma_single / 1e9, "Gflop/s", 1, 0, "",
         "instruction rate"});
    row({"machine: multiply-adds, double, one core", b.rates.fma_double / 1e9, "Gflop/s", 1, 0, "",
         "instruction rate"});
    row({"machine: copy, one core", b.rates.copy / 1e9, "GB/s", 1, 0, "", "bandwidth"});
    row({"machine: reading only, one core", b.rates.read / 1e9, "GB/s", b.rates.read / b.rates.copy, 0, "copy",
         "bandwidth"});
    if (run.threads > 1) {
      const auto together = [&](const char* what, double rate, double alone, const char* unit, const char* by) {
        row({fmt::format("machine: {}, {} threads", what, run.threads), rate / 1e9, unit, rate / alone, 0, "one core",
             by});
      };
      together("multiply-adds, single", b.rates.fma_together, b.rates.fma_single, "Gflop/s", "instruction rate");
      together("copy", b.rates.copy_together, b.rates.copy, "GB/s", "bandwidth");
      together("reading only", b.rates.read_together, b.rates.read, "GB/s", "bandwidth");
    }
    bench_devices(run, row);
    const auto any = [&](std::initializer_list<const char*> beginnings) {
      return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* some) { return run.may_want(some); });
    };
    if (any({"slices from cache, "})) {
      kernels<float>(b, "single", b.rates.fma_single, 0.4);
      kernels<double>(b, "double", b.rates.fma_double, 0);
    }
    if (any({"slices from memory, ", "CSR products", "slices, n_g 8, over"})) from_memory(b);
    if (any({"assembly, "})) assembly(b);
    if (any({"Full-Blocking, ", "Contiguous-Blocking, "})) {
      tables<float>(b, "single", b.rates.fma_single, published_single);
      if (!run.quick) tables<double>(b, "double", b.rates.fma_double, published_double);
    }
    if (any({"ordering score, ", "Full-Blocking ", "Contiguous-Blocking "})) cut_outs(b);
    compression(b);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

Status paper_table(const TestRun& run, const BenchSink& row) {
  const FlushSubnormals flush;
  try {
    const bool kernels_wanted = run.may_want("Table 2") || run.may_want("Table 3");
    if (row_ranks().leads()) say_length(run, row);
    if (row_ranks().leads() && run.may_want("Table 1")) paper_table_1(run, row);
    if (row_ranks().leads() && kernels_wanted) {
      Bench b{run, row, measure_rates(std::max(1, run.threads))};
      b.paper = true;
      tables<float>(b, "single", b.rates.fma_single, published_single);
      if (!run.quick) tables<double>(b, "double", b.rates.fma_double, published_double);
      paper_blocks_on_devices(run, row);
    }
    if (row_ranks().leads() && run.may_want("Table 4")) paper_table_4(run, row);
    if (run.may_want("Fig. 1")) paper_figures(run, row);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

}  // namespace conoid::acoustic_bem

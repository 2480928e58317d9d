// SPDX-License-Identifier: BSD-3-Clause
// Balancing, ordering, and marches of a sphere as large as the machine allows in some seconds.
#include "engine/solvers/acoustic_bem/verify/paper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include <fmt/core.h>

#include "engine/cluster/communicator.hpp"
#include "engine/core/seconds_now.hpp"
#include "engine/solvers/acoustic_bem/discretization/cutouts.hpp"
#include "engine/solvers/acoustic_bem/stepping/march.hpp"
#include "engine/solvers/acoustic_bem/verify/machine_rates.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/balance_study.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {
namespace {

struct Marched {
  double seconds = 0;  ///< of all groups but the first
  MarchTimes stages;
  Index unknowns = 0, steps = 0;
  std::vector<BalanceSample> samples;  ///< of the summation
};

/// Those of a sphere, single precision; of several ranks each has a share.
Matrices<float> assembled(const Surface& surface, Team& team, Communicator* cluster) {
  Assembly assembly(surface, form_for(surface, FormName::NC), {}, cluster);
  NoProgress quiet;
  assembly.find_extents(team, quiet, {}).or_throw();
  return std::move(*assembly.assemble<float>(team, quiet, {}));
}

/// Some groups of steps, n_g 8.
Marched marched(Matrices<float> matrices, int groups, Team& team, Communicator* cluster = nullptr) {
  March<float> march(std::move(matrices), {.steps = 8, .cluster = cluster});
  const auto light = [](Index n, Index, std::span<double> l) {
    std::fill(l.begin(), l.end(), std::exp(-0.01 * static_cast<double>((n - 40) * (n - 40))));
  };
  (void)team.take_samples();
  march.advance(team, light);  // slabs are laid out
  const MarchTimes before = march.times();
  if (cluster != nullptr) cluster->barrier();
  const double begin = seconds_now();
  for (int g = 1; g < groups; ++g) march.advance(team, light);
  if (cluster != nullptr) cluster->barrier();
  Marched out{seconds_now() - begin, march.times(), march.unknowns(), 8 * (groups - 1), {}};
  out.stages.summation -= before.summation;
  out.stages.radiation -= before.radiation;
  out.stages.solution -= before.solution;
  out.stages.on_device -= before.on_device;
  for (BalanceSample& s : team.take_samples())
    if (s.phase == "summation") out.samples.push_back(std::move(s));
  return out;
}

WorkerSpec device_worker(const std::string& name) {
  return {.name = name, .threads = 1, .device = name};
}

constexpr int quick_divisions = 8, whole_divisions = 18;

class Figures {
 public:
  Figures(const TestRun& run, const BenchSink& sink)
      : run_(run), sink_(sink), threads_(std::max(1, run.threads)), groups_(run.quick ? 12 : 60),
        surface_(unit_sphere(run.quick ? quick_divisions : whole_divisions)), devices_(devices_of(run)) {}

  void figures_13_and_14() {
    if (!run_.may_want("Fig. 13") && !run_.may_want("Fig. 14")) return;
    double alone = 0;
    for (std::size_t count = 0; count <= devices_.size(); ++count) {
      const auto used = static_cast<int>(count);
      std::vector<WorkerSpec> workers;
      for (std::size_t d = 0; d < count; ++d) workers.push_back(device_worker(devices_[d].name));
      if (const int left = threads_ - used; left > 0) workers.push_back({.threads = left});
      RowWorkers row_workers(threads_);
      row_workers.workers = workers;
      row_workers.tally = run_.tally;
      const std::string who = count == 0 ? fmt::format("{} threads", threads_)
                                         : fmt::format("{} devices and {} threads", count, threads_ - used);
      run_.doing(fmt::format("march, {}", who));
      RowTeam team(row_workers);
      const Marched m = marched(whole(), groups_, team);
      row(fmt::format("Fig. 13a: march, {}, N = {}, {} steps", who, m.unknowns, m.steps), m.seconds, "s", 0,
          "23,962 and 10,823 steps on 2 to 8 nodes in the source, as a plot");
      if (count == 0)
        alone = m.seconds;
      else
        row(fmt::format("Fig. 13b: speed-up by {}", who), alone / m.seconds, "1", 0,
            "up to about 3 in the source's plot");
      stages(m, who);
    }
  }

  /// Collective.
  void figure_13_on_ranks() {
    const int size = row_ranks().size();
    const std::string name = fmt::format("Fig. 13a: parallel efficiency, {} ranks", size);
    if (!run_.may_want(name)) return;
    Team team({WorkerSpec{"cpu", threads_, 1}});
    run_.doing(name);
    const Marched many = marched(assembled(surface_, team, &row_ranks()), groups_, team, &row_ranks());
    const Marched one = row_ranks().leads() ? marched(whole(), groups_, team) : Marched{};
    row_ranks().barrier();
    if (!row_ranks().leads()) return;
    row(fmt::format("Fig. 13a: march, {} ranks of {} threads, N = {}, {} steps", size, threads_, many.unknowns,
                    many.steps),
        many.seconds, "s", 0, "against one rank whose other ranks wait");
    row(name, one.seconds / many.seconds / size, "1", 0.78, "8 nodes in the source");
  }

  /// Part of the time that each worker takes, pass by pass: the source's aim is the same for all.
  void figure_15() {
    if (!run_.may_want("Fig. 15")) return;
    std::vector<WorkerSpec> workers;
    if (!devices_.empty()) {
      workers = {device_worker(devices_[0].name)};
      if (threads_ > 1) workers.push_back({.threads = threads_ - 1});
    } else if (threads_ > 1) {
      workers = {{.name = "first", .threads = (threads_ + 1) / 2},
                 {.name = "slow", .threads = threads_ / 2, .slowdown = 3}};
    }
    if (workers.size() < 2)
      return row("Fig. 15: balance of unlike workers", nothing, "%", 0, "two threads at least are needed");
    RowWorkers row_workers(threads_);
    row_workers.workers = workers;
    row_workers.tally = run_.tally;
    run_.doing("balance of unlike workers");
    RowTeam team(row_workers);
    const Marched m = marched(whole(), 17, team);
    const auto W = workers.size();
    for (const std::size_t pass : {1, 2, 3, 5, 10, 15}) {
      if (pass * W > m.samples.size()) break;
      const std::span<const BalanceSample> of(m.samples.data() + (pass - 1) * W, W);
      double total = 0;
      for (const BalanceSample& s : of) total += s.seconds();
      for (const BalanceSample& s : of) {
        const auto w = static_cast<std::size_t>(s.worker);
        // No count of slices in the name: the iteration is what a curve of this figure goes over.
        row(fmt::format("Fig. 15: iteration {}, {}: part of the time", pass, workers[w].name),
            total > 0 ? 100 * s.seconds() / total : 0, "%", 100.0 / static_cast<double>(W),
            fmt::format("for {} of {} slices; equal parts are the aim", s.items.size(), m.unknowns));
      }
    }
  }

 private:
  static constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

  void row(std::string name, double value, std::string unit, double published, std::string measured) {
    sink_({std::move(name), value, std::move(unit), published > 0 ? value / published : 0, 0, "", std::move(measured),
           published});
  }
  void stages(const Marched& m, const std::string& who) {
    const auto part = [&](const char* stage, double seconds) {
      row(fmt::format("Fig. 14: {}: {}", who, stage), 100 * seconds / m.seconds, "%", 0, "a plot in the source");
    };
    part("summation", m.stages.summation);
    if (m.stages.on_device > 0) part("radiation and solution on a device", m.stages.on_device);
    part("radiation", m.stages.radiation);
    part("solution", m.stages.solution);
  }

  /// Copies of one assembly, by the processors: what the figures are about is the march.
  Matrices<float> whole() {
    if (!matrices_) {
      run_.doing(fmt::format("assembly, N = {}", surface_.unknowns));
      RowTeam team(run_.workers());
      matrices_ = assembled(surface_, team, nullptr);
    }
    return *matrices_;
  }

  const TestRun& run_;
  const BenchSink& sink_;
  std::optional<Matrices<float>> matrices_;
  int threads_, groups_;
  Surface surface_;
  std::vector<NamedDevice> devices_;
};

/// Of Table 4 in per cent, by b_r (32, 64, 128) and b_c (16 to 128), and the ordering's score.
struct PublishedOrdering {
  Ordering ordering;
  const char* name;
  double score;
  std::array<std::array<double, 4>, 3> nonzeros;
};
constexpr PublishedOrdering orderings[] = {
    {Ordering::given, "given", 33, {{{8.8, 4.6, 2.3, 1.1}, {7.2, 4.2, 2.2, 1.1}, {5.6, 4.1, 2.6, 1.4}}}},
    {Ordering::morton, "Morton", 54, {{{29.6, 29.1, 27.5, 23.8}, {14.9, 14.9, 14.8, 14.4}, {7.5, 7.4, 7.4, 7.4}}}},
    {Ordering::hilbert, "Hilbert", 55, {{{29.6, 28.9, 27.3, 22.4}, {14.9, 14.9, 14.7, 14.3}, {7.5, 7.5, 7.4, 7.4}}}}};

}  // namespace

void say_length(const TestRun& run, const BenchSink& sink) {
  constexpr const char* name = "Foreseen time of all these rows";
  if (!run.wants(name)) return;
  // A small assembly tells what a thread gets of a core just now and how fast that is; the rest was found on two cores (README), where an
  // evaluation took 0.25 us.
  run.doing("foreseeing how long this takes");
  Team one({WorkerSpec{"cpu", 1, 1}});
  const Surface small = unit_sphere(6);
  const double begin = seconds_now(), begin_of_thread = thread_seconds();
  const auto evaluations = static_cast<double>(assembled(small, one, nullptr).evaluations);
  const double took = thread_seconds() - begin_of_thread, waiting = (seconds_now() - begin) / std::max(took, 1e-6),
               slowness = std::max(1.0, waiting) * std::clamp(took / evaluations / 0.25e-6, 0.5, 4.0);
  const auto threads = static_cast<double>(std::max(1, run.threads));
  const double figures = run.quick ? 1 : 28, tables = run.quick ? 4 : 62, alone = run.quick ? 2 : 20;
  double seconds = slowness * (tables + (figures + alone) * 2 / threads);
  for (const NamedDevice& d : devices_of(run)) seconds += (run.quick ? 2 : 30) * (is_emulated(d.info) ? 100 : 1);
  sink({name, seconds, "s", 0, 0, "", fmt::format("{} threads, {} devices", run.threads, devices_of(run).size())});
}

void paper_table_1(const TestRun& run, const BenchSink& sink) {
  struct Published {
    const char* workers;
    double most;  ///< of the four distributions of work, %
  };
  run.doing("balancing virtual workers");
  for (const Published& p :
       {Published{"up-down", 0.1}, {"up-up", 0.1}, {"up", 0.2}, {"random", 0.2}, {"stable", 0.1}}) {
    double most = 0;
    for (const std::string& work : work_shapes()) {
      const BalanceStudy study = make_study(p.workers, work, 6, 10000, 7);
      auto balancer = make_balancer("greedy:40", std::vector<double>(6, 1.0));
      if (!balancer) throw Failure(balancer.error());
      const std::vector<double> walls = play(*balancer.value(), study, 40);
      most = std::max(most, *std::min_element(walls.begin(), walls.end()) / optimal_wall(study) - 1);
    }
    sink({fmt::format("Table 1: extra cost after 40 iterations, workers {}, worst of four works", p.workers),
          100 * most, "%", 0, 0, "", "6 workers, 10,000 items", p.most});
  }
}

void paper_table_4(const TestRun& run, const BenchSink& sink) {
  run.doing("cut-outs");
  RowTeam team(run.workers());
  const char* const where = "a sphere here, the airplane of 23,962 in the source";
  for (const PublishedOrdering& p : orderings) {
    const Surface surface = unit_sphere(run.quick ? 6 : 9, true, p.ordering);
    const Matrices<float> m = assemble_all<float>(surface, form_for(surface, FormName::NC), {}, team);
    const RowSpans spans = RowSpans::of(m.slices);
    sink({fmt::format("Table 4: ordering score, {}, N = {}", p.name, surface.unknowns), ordering_score(spans), "1", 0,
          0, "", where, p.score});
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < (run.quick ? 1 : 4); ++c) {
        const int br = 32 << r, bc = 16 << c;
        const FullBlocking f = full_blocking(spans, br, bc);
        if (f.places.empty()) continue;
        sink(
            {fmt::format("Table 4: Full-Blocking {} x {}, {}: non-zeros in {} blocks", br, bc, p.name, f.places.size()),
             100 * f.fill(), "%", 0, 0, "", where, p.nonzeros[r][c]});
      }
    sink({fmt::format("Table 4: Contiguous-Blocking, {}: non-zeros", p.name),
          100 * static_cast<double>(m.slices.nonzeros()) /
              (std::pow(static_cast<double>(surface.unknowns), 2) * static_cast<double>(m.slices.longest())),
          "%", 0, 0, "", where, 63});
  }
}

void paper_figures(const TestRun& run, const BenchSink& sink) {
  Figures figures(run, sink);
  if (row_ranks().leads()) {
    figures.figures_13_and_14();
    figures.figure_15();
  }
  if (row_ranks().size() > 1) figures.figure_13_on_ranks();
}

}  // namespace conoid::acoustic_bem

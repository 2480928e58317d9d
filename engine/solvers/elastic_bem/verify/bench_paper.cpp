// SPDX-License-Identifier: BSD-3-Clause
// The tables and figures of the source (G. Belinassi 2017, chapter 3), row by row beside its numbers.
//
// Its samples and routines: Ghmatecd (H and G of a frequency), Ghmatece (static sums), Rigid, Linsolve; times over elements and threads, on
// a device, and errors of each way against its sequential program. Figures with numbers are those whose text states one; of the others the
// rows have the same form. Ours are double, but where a row says single.
#include <array>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "engine/solvers/elastic_bem/verify/bench.hpp"
#include "engine/solvers/elastic_bem/verify/columns_of_some.hpp"
#include "engine/solvers/elastic_bem/verify/verify.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/device.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {
namespace {

/// What the source's text says of one routine and one sample: how many times its sequential program, on two Xeon E5-2650 v4 with a Tesla K40c
/// (24 threads) and on an A10-7700K with a GTX 980 (4 threads). 0: nothing.
struct Published {
  double threads = 0, device = 0;
};
/// The figure of a routine on one of the two machines; null where there is none.
struct Figure {
  const char* name;
  int elements;  ///< of the sample that the text speaks of
  Published said;
};
struct Routine {
  const char* name;
  std::array<Figure, 2> figures;
};
constexpr Routine assembly{"Ghmatecd", {{{"Fig. 3.1", 14400, {19, 22}}, {"Fig. 3.3", 4000, {3, 100}}}}};
constexpr Routine sums{"Ghmatece", {{{"Fig. 3.5", 14400, {15, 13}}, {"Fig. 3.7", 4000, {2, 32}}}}};
constexpr Routine rigid{"Rigid", {{{"Fig. 3.8", 14400, {12, 0}}, {nullptr, 0, {}}}}};
constexpr Routine solution{"Linsolve", {{{"Fig. 3.9", 14400, {10, 29}}, {"Fig. 3.10", 4000, {2, 38}}}}};
constexpr const char* of_threads[] = {"the source's: by 24 threads", "the source's: by 4 threads"};
constexpr const char* of_device[] = {"the source's: Tesla K40c", "the source's: GTX 980"};

/// Errors are of samples up to this one: a matrix of the next takes 5.9 GB.
constexpr int most_compared = 4000;

/// max over columns of the sum of |a − b|, and of |a| (the source's 3.1).
struct Norms {
  double difference = 0, whole = 0;
};

/// H and G of a sample, one after the other, of one precision.
template <class Real>
struct Matrices {
  ColumnsOfSome<Real> columns;
  Index rows;
  Matrices(Team& team, const Surface& s, const StaticDiagonal& diagonal, const Harmonic& h, const Accuracy& accuracy)
      : columns(s, s.active), rows(3 * s.node_count()) {
    const FarRules<Real> rules(s, accuracy, std::abs(h.kS), false, team.threads());
    static_cast<void>(assemble_pairs<Real>(team, s, rules, accuracy, h, {s.nodes, true}, columns.targets));
    static_cast<void>(assemble_singular<Real>(team, s, accuracy, h, diagonal.blocks, columns.targets));
  }
};

template <class Real>
Norms apart(const Matrices<double>& a, const Matrices<Real>& b, bool h) {
  Norms out;
  const auto& ours = h ? a.columns.targets.h : a.columns.targets.g;
  const auto& theirs = h ? b.columns.targets.h : b.columns.targets.g;
  for (std::size_t k = 0; k < ours.size(); ++k)
    for (std::size_t d = 0; d < 3; ++d) {
      double difference = 0, whole = 0;
      for (Index r = 0; r < a.rows; ++r) {
        const Complex one = ours[k][d].column[r];
        difference += std::abs(one - Complex(theirs[k][d].column[r]));
        whole += std::abs(one);
      }
      out.difference = std::max(out.difference, difference);
      out.whole = std::max(out.whole, whole);
    }
  return out;
}

/// Seconds of each routine of the source over its five samples, over threads and by devices, and how much faster than its sequential
/// program: ours beside the source's own figure where its text states one.
class PaperTables {
 public:
  PaperTables(const TestRun& run, const BenchSink& row)
      : run_(run), row_(row), threads_(std::max(1, run.threads)), all_(fmt::format("{} threads", threads_)) {}

  void all() {
    constexpr std::array<double, std::size(sizes)> boundary{100, 400, 900, 1600, 6400};
    if (run_.may_want("Table 3.1"))
      for (std::size_t k = 0; k < std::size(sizes); ++k) {
        const Mesh mesh = classical_mesh(sizes[k]);
        const auto carry = static_cast<double>(mesh.cell_count() - std::ssize(mesh.group("enclosing")->cells));
        row_({fmt::format("Table 3.1: {} mesh elements, of the boundary", mesh.cell_count()), carry, "1",
              carry / boundary[k], 0, "the source's", "", boundary[k]});
      }
    const auto any = [&](std::initializer_list<const char*> figures) {
      return std::ranges::any_of(figures, [&](const char* f) { return run_.may_want(f); });
    };
    for (const Size& s : sizes) {
      if (run_.quick && s.n > 2160) break;
      if (any({"Fig. 3.2", "Fig. 3.4", "Fig. 3.6"}) && s.n <= most_compared) errors(s);
      if (any({"Fig. 3.1", "Fig. 3.3", "Fig. 3.5", "Fig. 3.7", "Fig. 3.8", "Fig. 3.9", "Fig. 3: "})) sample(s);
    }
  }

 private:
  /// Both machines of the source where it has a figure for each; the second did not have the memory for the largest sample.
  template <class Put>
  void each_figure(const Routine& r, int n, const Put& put) {
    for (std::size_t machine = 0; machine < 2; ++machine) {
      const Figure& f = r.figures[machine];
      if (f.name == nullptr || (machine == 1 && n > 4000)) continue;
      put(f.name, n == f.elements ? f.said : Published{}, machine);
    }
  }
  void seconds(const char* figure, const char* routine, int n, const std::string& how, double value) {
    row_({fmt::format("{}: {}, {} elements, {}", figure, routine, n, how), value, "s"});
  }
  void faster(const std::string& name, double before, double after, double published, const char* whose) {
    if (!(after > 0)) return;
    BenchRow row{name, before / after, "1"};
    row.limited_by = published > 0 ? whose : "";
    row.published = published;
    if (published > 0) row.ratio = row.value / published;
    row_(std::move(row));
  }

  void by_processors(const Routine& r, int n, double classical_one, double classical_all, double ours_one,
                     double ours_all) {
    each_figure(r, n, [&](const char* figure, const Published& said, std::size_t machine) {
      const auto name = [&](const char* who) {
        return fmt::format("{}: {}, {}, {} elements, acceleration by {}", figure, r.name, who, n, all_);
      };
      if (machine == 0) {
        if (classical_one > 0) {
          seconds(figure, r.name, n, "classical, 1 thread", classical_one);
          seconds(figure, r.name, n, "classical, " + all_, classical_all);
        }
        seconds(figure, r.name, n, "ours, 1 thread", ours_one);
        seconds(figure, r.name, n, "ours, " + all_, ours_all);
      }
      if (classical_one > 0) faster(name("classical"), classical_one, classical_all, said.threads, of_threads[machine]);
      faster(name("ours"), ours_one, ours_all, said.threads, of_threads[machine]);
      if (classical_one > 0 && ours_all > 1e-4 && machine == 0)
        row_({fmt::format("{}: {}, {} elements, ours by {} over one classical", figure, r.name, n, all_),
              classical_one / ours_all, "1"});
    });
  }
  /// `ours` NaN: there is nothing to compute.
  void by_device(const Routine& r, int n, const std::string& device, double sequential, double ours, const char* why) {
    each_figure(r, n, [&](const char* figure, const Published& said, std::size_t machine) {
      if (std::isnan(ours)) {
        if (said.device == 0) return;
        BenchRow row{fmt::format("{}: {}, {} elements, acceleration by {}", figure, r.name, n, device), ours, "1"};
        row.against = why;
        row.limited_by = of_device[machine];
        row.published = said.device;
        return row_(std::move(row));
      }
      if (machine == 0) seconds(figure, r.name, n, device, ours);
      faster(fmt::format("{}: {}, {} elements, acceleration by {}", figure, r.name, n, device), sequential, ours,
             said.device, of_device[machine]);
    });
  }

  void sample(const Size& s) {
    run_.doing(fmt::format("{} elements, 1 thread", s.n));
    Team alone({{"cpu", 1, 1}}), together({{"cpu", threads_, 1}});
    const double budget = run_.quick ? 0.7 : 3;
    const Stages before = measure_stages(alone, s, run_.free_memory, budget, true);
    if (before.assembly <= 0) {
      row_({fmt::format("Fig. 3: {} elements: not run, memory needed", s.n), static_cast<double>(before.needed) / 1e9,
            "GB"});
      return;
    }
    run_.doing(fmt::format("{} elements, {}", s.n, all_));
    const Stages after = measure_stages(together, s, run_.free_memory, budget);
    by_processors(assembly, s.n, before.plain.pairs, after.plain.pairs, before.pairs(), after.pairs());
    by_processors(sums, s.n, before.plain.static_sums, after.plain.static_sums, before.diagonal.seconds_sums,
                  after.diagonal.seconds_sums);
    by_processors(rigid, s.n, 0, 0, before.diagonal.seconds_rigid, after.diagonal.seconds_rigid);
    by_processors(solution, s.n, 0, 0, before.solved.seconds_solve, after.solved.seconds_solve);
    for (const auto& [name, info] : devices_of(run_)) {
      static_cast<void>(open_device(run_, name));
      run_.doing(fmt::format("{} elements, {}", s.n, name));
      Team device({{name, threads_, 1, name}});
      const Stages there = measure_stages(device, s, run_.free_memory, 0);
      if (there.assembly <= 0 || there.solved.place == SolutionPlace::processors) continue;
      by_device(assembly, s.n, name, before.plain.pairs, there.pairs(), "");
      by_device(sums, s.n, name, 0, std::numeric_limits<double>::quiet_NaN(), "level ground needs no sums");
      by_device(solution, s.n, name, before.solved.seconds_solve, there.solved.seconds_solve, "");
    }
  }

  /// Single precision of processors, and of devices, against double precision.
  void errors(const Size& s) {
    run_.doing(fmt::format("{} elements, errors", s.n));
    const Mesh mesh = classical_mesh(s);
    const Surface surface = classical_surface(mesh);
    Medium medium;
    medium.nu = 0.3;
    const Harmonic h(medium, 1);
    const Accuracy accuracy{1e-5, false};
    Team processors({{"cpu", threads_, 1}});
    const StaticDiagonal diagonal = static_diagonal(processors, surface, accuracy, medium.nu);
    const auto bytes = static_cast<Bytes>(18) * static_cast<Bytes>(surface.node_count() * surface.node_count()) * 24;
    if (bytes + (Bytes{1} << 30) > run_.free_memory) return;
    const Matrices<double> exact(processors, surface, diagonal, h, accuracy);
    const auto put = [&](const char* figure, const auto& other, const std::string& how) {
      for (const bool is_h : {true, false}) {
        const Norms n = apart(exact, other, is_h);
        row_({fmt::format("{}: Ghmatecd, {} elements, error of {}, {}", figure, s.n, is_h ? "H" : "G", how),
              n.difference, "1", 0, 0, fmt::format("{:.1e} of the norm", n.difference / n.whole), ""});
      }
    };
    put("Fig. 3.2", Matrices<float>(processors, surface, diagonal, h, accuracy), all_ + ", single");
    for (const auto& [name, info] : devices_of(run_)) {
      static_cast<void>(open_device(run_, name));
      Team device({{name, threads_, 1, name}});
      put("Fig. 3.2", Matrices<float>(device, surface, diagonal, h, accuracy), name + ", single");
      put("Fig. 3.4", Matrices<double>(device, surface, diagonal, h, accuracy), name + ", double");
    }
    // What the source computes in single precision and sums over all elements is ½ on level ground, exactly.
    double worst = 0;
    for (std::size_t k = 0; k < diagonal.blocks.size(); ++k)
      for (std::size_t i = 0; i < 9; ++i)
        worst = std::max(worst, std::abs(diagonal.blocks[k][i] - (i % 4 == 0 ? 0.5 : 0.0)));
    row_({fmt::format("Fig. 3.6: Ghmatece, {} elements, error of the free term", s.n), worst, "1", 0, 0,
          "exact: 1/2 on level ground", ""});
  }

  const TestRun& run_;
  const BenchSink& row_;
  int threads_;
  std::string all_;
};

}  // namespace

Status paper_table(const TestRun& run, const BenchSink& row) {
  try {
    PaperTables(run, row).all();
    if (run.may_want("device: ")) bench_devices(run, row);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

}  // namespace conoid::elastic_bem

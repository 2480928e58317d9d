// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/verify/paper.hpp"

#include "engine/cluster/communicator.hpp"
#include "engine/core/error.hpp"
#include "engine/core/seconds_now.hpp"
#include "engine/solvers/hydro_fem/cuda/device_backend.hpp"
#include "engine/solvers/hydro_fem/cuda/device_corner.hpp"
#include "engine/solvers/hydro_fem/cuda/device_zones.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/verify/flows.hpp"
#include "engine/solvers/hydro_fem/verify/split.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/team.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// The flows of the source's tables: the triple point, and Sedov's blast in space. `small`: for emulated devices.
struct Meshes {
  bool small = false;
  [[nodiscard]] Setup make(int dim, int k) const {
    if (dim == 3) return flows::sedov(3, k, small ? 4 : 16, 1, 0.25);
    return small ? flows::triple_point(k, 14, 6) : flows::triple_point(k, 112, 48);
  }
  /// 4096 and 5376 zones in the source's batches.
  [[nodiscard]] const char* zones(int dim) const {
    if (dim == 3) return small ? "4×4×4 zones" : "16×16×16 zones";
    return small ? "14×6 zones" : "112×48 zones";
  }
  [[nodiscard]] int count(int dim) const { return dim == 3 ? (small ? 64 : 4096) : (small ? 84 : 5376); }
};

/// "1 thread", "2 threads".
std::string counted(int n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Wall seconds a step of the corner force and of the velocity solve, attempts counted: the medians over steps.
struct Rates {
  double corner = nothing, solve = nothing;
};
Rates rates(March& march, Index least, Index most, double budget) {
  march.step();  // kernels are loaded and widths tried
  const auto attempted = [&] { return march.accepted() + march.repeated(); };
  std::vector<double> corner, solve;
  const double start = seconds_now();
  for (Index done = 0; done < least || (done < most && seconds_now() - start < budget); ++done) {
    const Index first = attempted();
    const KernelTimes before = march.times();
    march.step();
    const KernelTimes after = march.times();
    const auto steps = static_cast<double>(attempted() - first);
    corner.push_back((after.corner_wall - before.corner_wall) / steps);
    solve.push_back((after.solve_wall - before.solve_wall) / steps);
  }
  return {median(corner), median(solve)};
}

/// As far as conjugate gradients go here.
Setup to_eight_digits(Setup s) {
  s.mass_tolerance = 1e-8;
  return s;
}

/// Seconds of one call, the least of several.
template <class F>
double least_seconds(double budget, const F& f) {
  f();
  double best = std::numeric_limits<double>::infinity();
  const double begin = seconds_now();
  do {
    const double start = seconds_now();
    f();
    best = std::min(best, seconds_now() - start);
  } while (seconds_now() - begin < budget);
  return best;
}

/// Two ways to compute the same, called by turns so that both see the same machine.
struct Pairs {
  double first = 0, second = 0;  ///< seconds, medians
  double ratio = 0;              ///< median of second over first of a pair
  double noise = 0;              ///< twice the standard error of that median, from the median absolute deviation
  std::size_t count = 0;
};
template <class F, class G>
Pairs by_turns(double budget, const F& first, const G& second) {
  constexpr std::size_t fewest = 9;
  std::vector<double> a, b, ratio;
  first();
  second();
  const auto seconds = [](const auto& f) {
    const double start = seconds_now();
    f();
    return seconds_now() - start;
  };
  for (const double begin = seconds_now(); ratio.size() < fewest || seconds_now() - begin < budget;) {
    if (ratio.size() % 2 == 0) {
      a.push_back(seconds(first));
      b.push_back(seconds(second));
    } else {
      b.push_back(seconds(second));
      a.push_back(seconds(first));
    }
    ratio.push_back(b.back() / a.back());
  }
  Pairs out{median(a), median(b), median(ratio), 0, ratio.size()};
  std::vector<double> off(ratio.size());
  std::transform(ratio.begin(), ratio.end(), off.begin(), [&](double r) { return std::abs(r - out.ratio); });
  // Of normal deviates: 1.4826 times the median absolute deviation is the standard one, that of a median 1.2533/√n of it.
  out.noise = 2 * 1.2533 * 1.4826 * median(off) / std::sqrt(static_cast<double>(out.count));
  return out;
}

/// A set-up that one process computes: on threads, or on devices.
class Here {
 public:
  Here(const Setup& setup, int threads) : team_({WorkerSpec{"cpu", threads, 1}}), op_(setup, best_kernels(), team_) {}
  Operator& op() { return op_; }
  Rates on_threads(double budget) {
    March march(host_backend(op_), {});
    return rates(march, 3, 300, budget);
  }
  Rates on(std::vector<Device> devices, double budget) {
    March march(device_backend(op_, std::move(devices)), {});
    return rates(march, 3, 300, budget);
  }

 private:
  Team team_;
  Operator op_;
};

struct Published9 {
  const char* name;
  int dim, k;
  double serial, threads, device, both, ranks_of_both, ranks;
};
const Published9 table_9_of_the_source[] = {{"triple point Q3-Q2", 2, 3, 68, 13.1, 6.15, 5.3, 2.8, 6.9},
                                            {"Sedov 3D Q2-Q1", 3, 2, 407, 77, 89, 45.8, 23.6, 36.8}};

const std::pair<int, std::pair<const char*, double>> table_10_of_the_source[] = {
    {1, {"160×160", 11.6}}, {4, {"320×320", 11.73}}, {16, {"640×640", 11.34}}, {64, {"1280×1280", 11.71}}};
constexpr const char* source_10 = "; the source: 160×160 zones a device";

class PaperTables {
 public:
  PaperTables(const TestRun& run, const BenchSink& sink)
      : run_(run), sink_(sink), budget_(run.quick ? 0.5 : 2),
        threads_(std::min(std::max(1, this_machine().cores), std::max(1, run.threads))),
        devices_(devices_of(run)), meshes_{!devices_.empty() && is_emulated(devices_.front().info)} {}

  void alone(const OtherTables& others) {
    others.table_1();
    table_2();
    table_3();
    others.table_4();
    table_5();
    others.table_7();
    table_8();
    others.table_9();
    table_9_and_figure_8();
    table_10();
    figure_3();
    figure_4();
  }
  /// Behind all that measures what it needs.
  void figure_8() {
    for (BenchRow& speed : figure_8_) sink_(std::move(speed));
  }

  /// Collective. Steps are as many on all ranks. Where each has a device the rows are theirs as well.
  void together() {
    const int size = row_ranks().size();
    const bool on_devices = row_ranks().minimum(devices_.empty() ? 0.0 : 1.0) > 0;
    for (const Published9& r : table_9_of_the_source) {
      const Setup setup = to_eight_digits(meshes_.make(r.dim, r.k));
      const std::string who = fmt::format("{} ranks", size), each = who + ", a device each";
      const auto measured = [&](const std::string& of, double published, const char* note) {
        const double time = rank_row(fmt::format("Table 9, {}: corner force, {}", r.name, of), setup, 300, published,
                                     meshes_.zones(r.dim), note, run_.may_want(fmt::format("Fig. 8, {}", r.name)));
        speed(r, of, time, published, fmt::format("{} ranks", size));
      };
      measured(who, r.ranks, "12 ranks in the source");
      if (on_devices)
        measured(each, r.ranks_of_both, "2 ranks with 6 threads and a device each in the source");
      else if (row_ranks().leads())
        none(fmt::format("Table 9, {}: corner force, {}", r.name, each), "s", r.ranks_of_both, no_device);
    }
    for (const bool devices : {false, true}) {
      if (devices && !on_devices) continue;
      const std::string name = fmt::format("Table 10, weak scaling: {} ranks{}, {}", size,
                                           devices ? ", a device each" : "", zones_text(size, devices));
      rank_row(name, weak(size, devices), 100, devices ? published_10(size) : 0, "the triple point Q4-Q3",
               weak_note(devices ? weak_device_ : weak_thread_));
    }
  }

 private:
  void row(std::string name, double value, std::string unit, double published, std::string measured,
           std::string against = {}) {
    sink_({std::move(name), value, std::move(unit), 0, 0, std::move(against), std::move(measured), published});
  }
  /// What cannot be here.
  void none(std::string name, std::string unit, double published, std::string why) {
    row(std::move(name), nothing, std::move(unit), published, std::move(why));
  }
  [[nodiscard]] std::vector<Device> open(std::size_t count) const {
    std::vector<Device> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(open_device(run_, devices_[i].name));
    return out;
  }
  [[nodiscard]] std::string device_name() const { return devices_.front().info.name; }
  bool wanted(const char* table) {
    if (!run_.may_want(table)) return false;
    run_.doing(table);
    return true;
  }

  /// Collective: the corner force of so many steps by all ranks, the slowest one's; not a number where nobody wants it.
  double rank_row(const std::string& name, const Setup& setup, int steps, double published, const std::string& mesh,
                  const std::string& note, bool wanted = false) {
    const bool devices = name.find("device") != std::string::npos;
    if (!wanted && !run_.may_want(name)) return nothing;
    Team team({WorkerSpec{"cpu", 1, 1}});
    Operator op(setup, best_kernels(), team, &row_ranks());
    // Those of one machine, in turn.
    const auto mine = static_cast<std::size_t>(row_ranks().rank());
    March march(
        devices ? device_backend(op, open_device(run_, devices_[mine % devices_.size()].name)) : host_backend(op), {});
    const Index measured = run_.quick ? 2 : 8;
    const double time = steps * row_ranks().maximum(rates(march, measured, measured, 0).corner);
    if (row_ranks().leads())
      row(name, time, "s", published, devices ? device_name() : "a thread each",
          fmt::format("{} steps of {}{}{}", steps, mesh, note.empty() ? "" : "; ", note));
    return time;
  }

  /// Kernel 1 with more cache or more shared memory: its workspace lies in device memory behind the cache, or in the blocks' own.
  void table_2() {
    if (!wanted("Table 2")) return;
    const double published[3][2] = {{0.32, 0.34}, {0.90, 1.05}, {2.14, 3.13}};
    for (int k = 2; k <= 4; ++k)
      for (const int config : {0, 1}) {
        const std::string name = fmt::format("Table 2: kernel 1, Q{}-Q{}, workspace in {}", k, k - 1,
                                             config == 0 ? "cache (config. 1)" : "shared memory (config. 2)");
        const double source = published[k - 2][config];
        if (devices_.empty()) {
          none(name, "ms", source, no_device);
          continue;
        }
        DeviceOptions options;
        options.memory_of_blocks = config == 1;
        row(name, 1e3 * stress_on_device(k, options), "ms", source, device_name(),
            fmt::format("stress and F·1, {}", meshes_.zones(2)));
      }
  }
  double stress_on_device(int k, const DeviceOptions& options) {
    Here here(meshes_.make(2, k), threads_);
    DeviceZones zones(here.op(), DevicePart(here.op()), open(1).front(), options, -1);
    return least_seconds(budget_ / 4, [&] {
      zones.update(Backend::Row::state, 0);
      zones.wait();
    });
  }

  /// The corner forces in a loop of one thread, and handed to a worker of one thread. Nothing is allocated in either here.
  void table_3() {
    if (!wanted("Table 3")) return;
    struct Published {
      const char* name;
      int dim, k;
      double serial, thread;
    };
    for (const Published& r :
         {Published{"3D: Sedov Q2-Q1", 3, 2, 51.5, 51.9}, Published{"2D: triple point Q3-Q2", 2, 3, 17.7, 17.9}}) {
      Here here(Meshes().make(r.dim, r.k), 1);
      Operator& op = here.op();
      const CpuWorker worker(1);
      std::vector<double> steps(u(op.batches()));
      const State& s = op.initial();
      const auto forces = [&](Interval batches) {
        op.kernels().update(op.data(), s.x.data(), s.v.data(), s.e.data(), steps.data(), batches);
        op.kernels().force(op.data(), batches);
      };
      const Pairs both = by_turns(
          4 * budget_,
          [&] {
            for (Index b = 0; b < op.batches(); b += 8) forces({b, std::min(b + 8, op.batches())});
          },
          [&] {
            worker.for_each({0, op.batches()}, 8, [&](Interval batches, int) { forces(batches); });
          });
      const std::string name = fmt::format("Table 3, {}", r.name);
      row(name + ": serial", 300 * both.first, "s", r.serial, "1 core",
          fmt::format("300 evaluations of stress and F·1, {}", Meshes().zones(r.dim)));
      row(name + ": one thread of a worker", 300 * both.second, "s", r.thread, "1 thread", "300 evaluations");
      const double overhead = 100 * (both.ratio - 1), noise = 100 * both.noise;
      row(name + ": overhead", overhead, "%", 100 * (r.thread / r.serial - 1),
          std::abs(overhead) < noise ? "below the noise" : "1 thread",
          fmt::format("±{:.2g} % of noise: median of {} pairs, by turns", noise, both.count));
    }
  }

  void table_5() {
    if (!wanted("Table 5")) return;
    const std::pair<int, double> published[] = {{2, 0.48}, {4, 0.52}, {6, 0.50}};
    for (const auto& entry : published) {
      const std::string name = fmt::format("Table 5: kernel 1, 2D Q2-Q1, {} zones a block", entry.first);
      if (devices_.empty()) {
        none(name, "ms", entry.second, no_device);
        continue;
      }
      DeviceOptions options;
      options.stress_zones = entry.first;
      row(name, 1e3 * stress_on_device(2, options), "ms", entry.second, device_name(),
          fmt::format("{}, blocks of {} threads", meshes_.zones(2), device_zone_threads));
    }
  }

  void table_8() {
    if (!wanted("Table 8")) return;
    struct Published {
      const char* name;
      int dim, k;
      double host, device;
    };
    for (const Published& r :
         {Published{"2D: triple point Q3-Q2", 2, 3, 90.18, 20.8}, Published{"3D: Sedov Q2-Q1", 3, 2, 27.81, 10.55}}) {
      const std::string name = fmt::format("Table 8, {}: velocity solves, ", r.name);
      Here here(to_eight_digits(meshes_.make(r.dim, r.k)), 1);
      const std::string note = fmt::format("1000 steps of {}, to 1e-8", meshes_.zones(r.dim));
      const double host = 1000 * here.on_threads(budget_).solve;
      row(name + "processor", host, "s", r.host, "1 thread", note);
      if (devices_.empty()) {
        none(name + "device", "s", r.device, no_device);
        continue;
      }
      const double device = 1000 * here.on(open(1), budget_).solve;
      row(name + "device", device, "s", r.device, device_name(), note);
    }
  }

  /// What Table 9 has beside the serial and threaded columns, which bench.cpp prints; all of it as speed-ups, in Fig. 8.
  void table_9_and_figure_8() {
    if (!run_.may_want("Table 9") && !run_.may_want("Fig. 8")) return;
    run_.doing("Table 9, Fig. 8");
    for (const Published9& r : table_9_of_the_source) {
      const Setup setup = to_eight_digits(meshes_.make(r.dim, r.k));
      const bool figure = run_.may_want(fmt::format("Fig. 8, {}", r.name));
      if (figure) {
        Here one(setup, 1);
        serial_[r.dim - 2] = 300 * one.on_threads(budget_).corner;
        Here all(setup, threads_);
        speed(r, counted(threads_, "thread"), 300 * all.on_threads(budget_).corner, r.threads, "6 in the paper");
      }
      const std::string table = fmt::format("Table 9, {}: corner force, ", r.name);
      const auto wanted_of = [&](const std::string& who) { return figure || run_.may_want(table + who); };
      const auto both = [&](const std::string& who, double seconds, double published, const std::string& by,
                            const std::string& note = {}) {
        row(table + who, seconds, "s", published, by, steps_of(r) + note);
        speed(r, who, seconds, published, by);
      };
      const std::string with_threads = fmt::format("a device and {}", counted(threads_, "thread"));
      if (devices_.empty()) {
        both("a device", nothing, r.device, no_device);
        both(with_threads, nothing, r.both, no_device);
      } else {
        if (wanted_of("a device")) {
          Here here(setup, threads_);
          both("a device", 300 * here.on(open(1), budget_).corner, r.device, device_name());
        }
        if (wanted_of(with_threads)) {
          const SharedForces shared = shared_forces(run_, setup, devices_.front());
          both(with_threads, 600 * shared.seconds, r.both, device_name(),
               fmt::format("; stress and F·1 twice each; the device has {:.3g} of the zones", shared.share));
        }
      }
      if (row_ranks().size() == 1) {
        both("2 × (device, 6 threads)", nothing, r.ranks_of_both, "needs mpirun");
        both("12 ranks", nothing, r.ranks, "needs mpirun");
      }
    }
  }
  [[nodiscard]] std::string steps_of(const Published9& r) const {
    return fmt::format("300 steps of {}", meshes_.zones(r.dim));
  }
  /// A row of Fig. 8, where the serial time that it needs has been measured.
  void speed(const Published9& r, const std::string& who, double seconds, double published, const std::string& by) {
    const double serial = serial_[r.dim - 2];
    if (!(serial > 0)) return;
    const double times = serial / seconds, theirs = r.serial / published;
    figure_8_.push_back({fmt::format("Fig. 8, {}: speed-up, {}", r.name, who), times, "1",
                         std::isfinite(times) ? times / theirs : 0, 0,
                         fmt::format("the serial {:.4g} s for {}", serial, steps_of(r)), by, theirs});
  }

  /// As many zones of the triple point for each of `count` threads or devices, these as many as the source's.
  [[nodiscard]] std::pair<Index, Index> weak_zones(int count, bool devices) const {
    const Index side = run_.quick ? 20 : devices ? 160 : 40, emulated = 8;
    int up = 1;
    for (int d = 1; d * d <= count; ++d)
      if (count % d == 0) up = d;
    const Index a_side = devices && meshes_.small ? emulated : side;
    return {a_side * (count / up), a_side * up};
  }
  [[nodiscard]] Setup weak(int count, bool devices) const {
    const auto zones = weak_zones(count, devices);
    return to_eight_digits(flows::triple_point(4, zones.first, zones.second));
  }
  [[nodiscard]] std::string zones_text(int count, bool devices) const {
    const auto zones = weak_zones(count, devices);
    return fmt::format("{}×{} zones", zones.first, zones.second);
  }
  /// What a row took, of which the first shows what the others should.
  struct First {
    double seconds = 0;
    const char* what = "";
  };
  [[nodiscard]] static std::string weak_note(const First& first) {
    return first.seconds > 0 ? fmt::format("{} took {:.4g} s", first.what, first.seconds) : "";
  }
  static double published_10(int devices) {
    for (const auto& [n, of] : table_10_of_the_source)
      if (n == devices) return of.second;
    return 0;
  }
  void weak_row(int n, bool devices, double seconds, double published, const std::string& by) {
    const char* what = devices ? "device" : "thread";
    First& first = devices ? weak_device_ : weak_thread_;
    if (n == 1) first.seconds = seconds;
    row(fmt::format("Table 10, weak scaling: {}, {}", counted(n, what), zones_text(n, devices)), seconds, "s",
        published, by,
        "100 steps of the triple point Q4-Q3" +
            (n > 1 ? fmt::format("; {:.2f} times as long as 1 {}", seconds / first.seconds, what) : "") +
            (published > 0 ? source_10 : ""));
  }
  void table_10() {
    if (!wanted("Table 10")) return;
    for (int n = 1;; n = std::min(2 * n, threads_)) {
      Here here(weak(n, false), n);
      weak_row(n, false, 100 * here.on_threads(budget_).corner, 0, counted(n, "thread"));
      if (n >= threads_) break;
    }
    const int most = std::min<int>(static_cast<int>(devices_.size()), most_devices);
    for (int n = 1; n <= most; ++n) {
      Here here(weak(n, true), threads_);
      weak_row(n, true, 100 * here.on(open(static_cast<std::size_t>(n)), budget_).corner, published_10(n),
               device_name());
    }
    for (const auto& [n, of] : table_10_of_the_source)
      if (n > most)
        none(fmt::format("Table 10, weak scaling: {}, {} zones", counted(n, "device"), of.first), "s", of.second,
             n > 2 ? "needs a cluster" : no_device);
  }

  /// How a device's time divides. The source draws it and gives no numbers.
  void figure_3() {
    if (!wanted("Fig. 3")) return;
    const char* const parts[] = {"stress and F·1 (kernels 1 to 3)", "sums at nodes (kernel 3)",
                                 "velocity solve (kernel 4)", "energy rate (kernels 5, 6)", "memory transfer"};
    if (devices_.empty()) {
      for (const char* part : parts) none(fmt::format("Fig. 3: share of {}", part), "%", 0, no_device);
      return;
    }
    Here here(to_eight_digits(meshes_.make(2, 3)), threads_);
    March march(device_backend(here.op(), open(1)), {});
    const Rates unused = rates(march, 3, 300, budget_);
    static_cast<void>(unused);
    const KernelTimes t = march.times();
    const auto steps = static_cast<double>(march.accepted() + march.repeated());
    DeviceZones zones(here.op(), DevicePart(here.op()), open(1).front(), {}, -1);
    // Of a step: the stable step of two states, and the residual of two solves.
    const double transfer = steps * 4 * least_seconds(budget_ / 8, [&] {
                              zones.fetch_numbers();
                              zones.wait();
                            });
    const double seconds[] = {t.update, t.force, t.velocity_solve, t.energy_solve, transfer};
    double all = 0;
    for (const double s : seconds) all += s;
    for (std::size_t i = 0; i < std::size(parts); ++i)
      row(fmt::format("Fig. 3: share of {}", parts[i]), 100 * seconds[i] / all, "%", 0, device_name(),
          i == 4 ? fmt::format("4 times {} bytes a step; the source moves vectors", sizeof(SolveNumbers))
                 : fmt::format("triple point Q3-Q2, {}", meshes_.zones(2)));
  }

  /// F_z = A_z B^T of all zones, in the source's shapes: on a device by its variants of kernel 2 and by a library's batched product, and by one
  /// core, a library's product a zone, and ours, which also makes A_z. Beside it the source's other kernels, and ours without matrices.
  void figure_4() {
    if (!run_.may_want("Fig. 4") && !run_.may_want("Kernels")) return;
    for (const auto& [dim, k] : {std::pair{3, 2}, {2, 4}}) {
      const std::string title = fmt::format("{}D Q{}-Q{}, ", dim, k, k - 1);
      const Meshes full;
      const std::string on_core = fmt::format("{}{} zones", title, full.count(dim));
      run_.doing(fmt::format("Fig. 4, {}", on_core));
      if (run_.may_want(fmt::format("Fig. 4, {}", on_core))) products_on_a_core(on_core, full.make(dim, k));
      products_on_a_device(fmt::format("{}{} zones", title, meshes_.count(dim)), meshes_.make(dim, k));
    }
  }

  // "70-80 Gflops" of kernel 2.3, and "1.3-2 times" the library's.
  static constexpr double blocked_of_the_source = 75, library_of_the_source = 75 / 1.65;

  void products_on_a_core(const std::string& title, Setup setup) {
    setup.corner_matrices = true;
    Here here(setup, 1);
    Operator& op = here.op();
    const ZoneData& z = op.data();
    const Index rows = z.dim * z.zone_nodes, points = z.zone_points, columns = z.zone_energies;
    const double gflop = 2e-9 * static_cast<double>(rows * points * columns * op.space().zones);
    (void)op.update(op.initial());
    const double ours = least_seconds(budget_, [&] { op.kernels().corner.force(op.data(), {0, op.batches()}); });
    const Eigen::MatrixXd b = Eigen::MatrixXd::Random(columns, points);
    std::vector<Eigen::MatrixXd> a(u(op.space().zones), Eigen::MatrixXd::Random(rows, points)),
        f(u(op.space().zones), Eigen::MatrixXd(rows, columns));
    const double library = least_seconds(budget_, [&] {
      for (std::size_t i = 0; i < a.size(); ++i) f[i].noalias() = a[i] * b.transpose();
    });
    const std::string name = fmt::format("Fig. 4, {}: one core, ", title);
    row(name + "A_z made beside", gflop / ours, "Gflop/s", blocked_of_the_source, "1 core",
        fmt::format("A_z {}×{}, B {}×{}; the product's operations alone are counted; the source's kernel 2.3, 70 to 80",
                    rows, points, columns, points));
    row(name + "library", gflop / library, "Gflop/s", library_of_the_source, "1 core",
        "Eigen, a product a zone; cublasDgemmBatched in the source, by its \"1.3-2 times\"");
  }

  /// Seconds of a call by the device's clock, the least of several.
  [[nodiscard]] double on_the_clock(DeviceZones& zones, const std::function<void()>& f) const {
    const int calls = meshes_.small ? 1 : 5;  // emulated devices are slow
    const Event begin = zones.device().event(), end = zones.device().event();
    double best = std::numeric_limits<double>::infinity();
    static_cast<void>(least_seconds(budget_ / 8, [&] {
      zones.stream().record(begin);
      for (int i = 0; i < calls; ++i) f();
      zones.stream().record(end);
      zones.wait();
      best = std::min(best, end.seconds_since(begin) / calls);
    }));
    return best;
  }

  void products_on_a_device(const std::string& title, const Setup& setup) {
    using Product = DeviceCorner::Product;
    struct Published {
      const char* name;
      Product product;
      double rate;
    };
    const Published variants[] = {{"kernel 2.1 (device memory)", Product::global, 0},
                                  {"kernel 2.2 (A_z in shared memory)", Product::whole, 0},
                                  {"kernel 2.3 (blocks of columns)", Product::blocked, blocked_of_the_source},
                                  {"kernel 2.4 (padded)", Product::padded, 0},
                                  {"library (batched)", Product::library, library_of_the_source}};
    const std::string figure = fmt::format("Fig. 4, {}: ", title), kernels = fmt::format("Kernels, {}: ", title);
    if (devices_.empty()) {
      for (const Published& v : variants) none(figure + v.name, "Gflop/s", v.rate, no_device);
      return;
    }
    if (!run_.may_want(figure) && !run_.may_want(kernels)) return;
    Here here(setup, threads_);
    DeviceZones zones(here.op(), DevicePart(here.op()), open(1).front(), {}, -1);
    const double update = on_the_clock(zones, [&] { zones.update(Backend::Row::state, 0); });
    DeviceCorner corner(here.op(), zones);
    double product = nothing;
    for (const Published& v : variants) {
      if (const std::string lack = corner.lacks(v.product); !lack.empty()) {
        row(figure + v.name, nothing, "Gflop/s", v.rate, v.product == Product::library ? "library" : "memory", lack);
        continue;
      }
      corner.matrices(v.product == Product::padded);
      const double seconds = on_the_clock(zones, [&] { corner.multiply(v.product); });
      if (v.product == Product::blocked) product = seconds;
      row(figure + v.name, 1e-9 * corner.operations() / seconds, "Gflop/s", v.rate, device_name(),
          fmt::format("{:.4g} ms; A_z and F_z by {:.4g} GB/s", 1e3 * seconds, 1e-9 * corner.bytes() / seconds));
    }
    corner.matrices(false);
    const Backend::Ref v{Backend::Row::state, Backend::Part::v};
    const auto kernel = [&](const char* what, double seconds, const char* against = "") {
      row(kernels + what, 1e3 * seconds, "ms", 0, device_name(), against);
      return seconds;
    };
    const double matrices = kernel("1 (A_z from the stress)", on_the_clock(zones, [&] { corner.matrices(false); }));
    kernel("2 (F_z = A_z B^T, 2.3)", product);
    const double one = kernel("3 (F·1)", on_the_clock(zones, [&] { corner.times_one(); }));
    const double back = kernel("5 (F^T v)", on_the_clock(zones, [&] { corner.transposed_times(v); })) +
                        kernel("6 (M_e^-1)", on_the_clock(zones, [&] { corner.energy_inverse(); }));
    kernel("1 to 3 by matrices, without the stress", matrices + product + one);
    kernel("1 to 3 as runs have them, with the stress", update, "no matrix is formed");
    kernel("5 and 6 by matrices", back);
    kernel("5 and 6 as runs have them", on_the_clock(zones, [&] { zones.energy_rate(v); }), "no matrix is formed");
  }

  static constexpr const char* no_device = "no device";
  const TestRun& run_;
  const BenchSink& sink_;
  std::vector<BenchRow> figure_8_;  // measured beside Table 9, printed in its place
  double serial_[2] = {};           // seconds of Table 9 in two and three dimensions; 0: not measured
  double budget_;
  int threads_;
  std::vector<NamedDevice> devices_;
  Meshes meshes_;
  First weak_thread_{0, "1 thread"}, weak_device_{0, "1 device"};
};

}  // namespace

void paper_rows(const TestRun& run, const BenchSink& sink, const OtherTables& others) {
  PaperTables tables(run, sink);
  if (row_ranks().leads()) tables.alone(others);
  if (row_ranks().size() > 1) tables.together();
  if (row_ranks().leads()) tables.figure_8();
}

}  // namespace conoid::hydro_fem

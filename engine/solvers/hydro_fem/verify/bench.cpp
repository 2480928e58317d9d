// SPDX-License-Identifier: BSD-3-Clause
// Time of a step and of its kernels on the cases for which the public proxy of the method was timed.
#include "engine/core/seconds_now.hpp"
#include "engine/solvers/hydro_fem/cuda/device_backend.hpp"
#include "engine/solvers/hydro_fem/verify/flows.hpp"
#include "engine/solvers/hydro_fem/verify/paper.hpp"
#include "engine/solvers/hydro_fem/verify/split.hpp"
#include "engine/solvers/hydro_fem/verify/verify.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <ctime>
#include <limits>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

using flows::Flow;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}
struct Case {
  const char* name;
  Setup (*make)();
  double proxy;       // ms a step, one core, partial assembly, mass solve to 1e-8
  double rate_floor;  // million points a second: 40 ns a point in 2D, 150 in 3D
};

const Case cases[] = {
    {"triple point 2D Q3-Q2, 112×48", [] { return flows::triple_point(3, 112, 48); }, 99.0, 25},
    {"triple point 2D Q4-Q3, 112×48", [] { return flows::triple_point(4, 112, 48); }, 203.8, 25},
    {"Sedov 3D Q2-Q1, 16×16×16", [] { return flows::sedov(3, 2, 16, 1, 0.25); }, 455.9, 6.67},
    {"Sedov 3D Q3-Q2, 8×8×8", [] { return flows::sedov(3, 3, 8, 1, 0.25); }, 171.9, 6.67},
};

/// Least wall time of an attempted step, so that what else the machine does counts little.
double best_step(const Case& c, int threads, double budget) {
  Setup s = c.make();
  s.mass_tolerance = 1e-8;
  Flow flow(std::move(s), {}, threads);
  flow.march().step();
  double best = std::numeric_limits<double>::infinity();
  const double begin = seconds_now();
  do {
    const Index before = flow.march().accepted() + flow.march().repeated();
    const double start = seconds_now();
    flow.march().step();
    best = std::min(best, (seconds_now() - start) /
                              static_cast<double>(flow.march().accepted() + flow.march().repeated() - before));
  } while (seconds_now() - begin < budget);
  return best;
}

/// Two threads against one, and all cores where there are more.
void thread_rows(const TestRun& run, const BenchSink& sink, double budget) {
  const int cores = std::min(std::max(1, this_machine().cores), run.threads);
  if (cores < 2) return;
  for (const Case& c : {cases[0], cases[2]}) {
    if (!run.may_want(c.name)) continue;
    run.doing(fmt::format("{}, threads", c.name));
    const double one = best_step(c, 1, budget), two = best_step(c, 2, budget);
    sink({fmt::format("{}: two threads against one", c.name), one / two, "1", one / two, 1.85,
          "ideal 2; best of many steps, wall time", "needs two idle cores"});
    if (cores < 4) continue;
    const double all = best_step(c, cores, budget);
    sink({fmt::format("{}: {} threads against one", c.name, cores), one / all, "1", one / all, cores >= 32 ? 20.0 : 0.0,
          fmt::format("ideal {}; {:.4g} ms a step, best of many", cores, 1e3 * all), "needs idle cores"});
  }
}

/// Wall seconds of 300 attempted steps in the paper's two parts, from as many steps as fit the budget.
struct Profile {
  double corner = 0, solve = 0, total = 0;
};
Profile profile(const Case& c, bool matrices, int threads, double budget) {
  Setup s = c.make();
  s.mass_tolerance = 1e-8;
  s.corner_matrices = matrices;
  Flow flow(std::move(s), {}, threads);
  flow.march().step();
  const KernelTimes before = flow.op().times();
  const auto attempted = [&] { return flow.march().accepted() + flow.march().repeated(); };
  const Index first = attempted();
  const double start = seconds_now();
  do {
    flow.march().step();
  } while (seconds_now() - start < budget);
  const double total = seconds_now() - start, scale = 300 / static_cast<double>(attempted() - first);
  const KernelTimes& t = flow.op().times();
  return {scale * (t.corner_wall - before.corner_wall), scale * (t.solve_wall - before.solve_wall), scale * total};
}

// Tables 1 and 9 of Dong et al. in form: seconds for 300 steps. Their meshes are not given, so neither are ratios to
// their figures; shares and speed-ups can be compared.

void table_1(const TestRun& run, const BenchSink& sink, double budget) {
  struct Row {
    const char* method;
    const Case& mesh;
    double corner, solve, total;  // of the paper
  };
  const Row rows[] = {{"2D Q4-Q3", cases[1], 198.6, 53.6, 262.7},
                      {"2D Q3-Q2", cases[0], 72.6, 26.2, 103.7},
                      {"3D Q2-Q1", cases[2], 90.0, 56.7, 164.0}};
  const auto seconds = [&](std::string name, double value, double published, std::string against) {
    sink({std::move(name), value, "s", 0, 0, std::move(against), "1 core", published});
  };
  for (const Row& r : rows)
    for (const bool matrices : {true, false}) {
      if (run.quick && matrices) continue;
      run.doing(fmt::format("Table 1, {}", r.method));
      const Profile p = profile(r.mesh, matrices, 1, budget);
      const std::string name = fmt::format("Table 1, {}, {}", r.method, matrices ? "A_z B^T" : "factorised");
      const auto shares = [&](double here, double published) {
        return fmt::format("{:.0f} % of the total, {:.0f} % in the paper", 100 * here / p.total,
                           100 * published / r.total);
      };
      seconds(name + ": corner force", p.corner, r.corner, shares(p.corner, r.corner));
      seconds(name + ": CG solver", p.solve, r.solve, shares(p.solve, r.solve));
      seconds(name + ": total", p.total, r.total, fmt::format("300 steps of {}", r.mesh.name));
    }
}

void table_9(const TestRun& run, const BenchSink& sink, double budget) {
  const auto seconds = [&](std::string name, double value, double published, std::string by, std::string against) {
    sink({std::move(name), value, "s", 0, 0, std::move(against), std::move(by), published});
  };
  const int cores = std::min(std::max(1, this_machine().cores), run.threads);
  struct Parallel {
    const char* name;
    const Case& mesh;
    double serial, six;  // of the paper
  };
  const Parallel parallel[] = {{"triple point Q3-Q2", cases[0], 68, 13.1}, {"Sedov 3D Q2-Q1", cases[2], 407, 77}};
  for (const Parallel& r : parallel)
    for (const bool matrices : {true, false}) {
      if (run.quick && matrices) continue;
      const std::string name =
          fmt::format("Table 9, {}, {}: corner force", r.name, matrices ? "A_z B^T" : "factorised");
      if (!run.may_want(name)) continue;
      run.doing(fmt::format("Table 9, {}", r.name));
      const double serial = profile(r.mesh, matrices, 1, budget).corner;
      seconds(name + ", serial", serial, r.serial, "1 core", fmt::format("300 steps of {}", r.mesh.name));
      if (cores < 2) continue;
      const double many = profile(r.mesh, matrices, cores, budget).corner;
      seconds(fmt::format("{}, {} threads", name, cores), many, r.six, fmt::format("{} threads", cores),
              fmt::format("{:.2f} times the serial speed; the paper: {:.1f} with 6", serial / many, r.serial / r.six));
    }
}

/// Table 7: energies of the triple point at t = 0.6, and what was lost. Its mesh is not given; the kinetic energy depends on it.
void energies(const TestRun& run, const BenchSink& sink) {
  const int across = run.quick ? 28 : 112, up = run.quick ? 12 : 48;
  run.doing("Table 7");
  MarchOptions to_the_time;
  to_the_time.end_time = 0.6;
  Flow flow(flows::triple_point(3, across, up), to_the_time, std::max(1, run.threads));
  const Energies before = flow.op().energies(flow.state());
  flow.run();
  const Energies after = flow.op().energies(flow.state());
  const std::string name = fmt::format("Table 7: triple point Q3-Q2, {}×{}, t = 0.6", across, up);
  const std::string by = run.threads > 1 ? fmt::format("{} threads", run.threads) : "1 thread";
  const auto energy = [&](const char* what, double value, double published) {
    sink({fmt::format("{}, {} energy", name, what), value, "1", value / published, 0,
          "the source's on a mesh it does not give", by, published});
  };
  energy("kinetic", after.kinetic, 5.0423596813598e-1);
  energy("internal", after.internal, 9.5457640318651);
  energy("total", after.total(), 10.05);
  sink({name + ", change of the total", std::abs(after.total() - before.total()), "1", 0, 0, "mass solves to 1e-10", by,
        9.2192919964873e-13});
}

struct DeviceCase {
  const char* name;
  Setup (*make)();
  bool quick;
  double floor;      // of two devices against one; 0: none asked
  double most = 0;   // ms a step asked of one H100 or H200, mass solves to 1e-10; 0: none
  double proxy = 0;  // ms a step of the public proxy on an H100, mass solves to 1e-8; 0: it does not run there
};
const DeviceCase device_cases[] = {
    {"triple point 2D Q3-Q2, 28×12", [] { return flows::triple_point(3, 28, 12); }, true, 0},
    {"triple point 2D Q3-Q2, 112×48", [] { return flows::triple_point(3, 112, 48); }, true, 0},
    {"triple point 2D Q3-Q2, 224×96", [] { return flows::triple_point(3, 224, 96); }, false, 0, 2.5, 149},
    {"triple point 2D Q4-Q3, 224×96", [] { return flows::triple_point(4, 224, 96); }, false, 0, 3.5, 349},
    {"Sedov 3D Q2-Q1, 8×8×8", [] { return flows::sedov(3, 2, 8, 1, 0.25); }, true, 0},
    {"Sedov 3D Q2-Q1, 16×16×16", [] { return flows::sedov(3, 2, 16, 1, 0.25); }, true, 0},
    {"Sedov 3D Q2-Q1, 32×32×32", [] { return flows::sedov(3, 2, 32, 1, 0.25); }, true, 0},
    {"Sedov 3D Q2-Q1, 64×64×64", [] { return flows::sedov(3, 2, 64, 1, 0.25); }, false, 1.7, 30, 914},
    {"Sedov 3D Q3-Q2, 32×32×32", [] { return flows::sedov(3, 3, 32, 1, 0.25); }, false, 0, 18, 1054},
    {"Sedov 3D Q4-Q3, 16×16×16", [] { return flows::sedov(3, 4, 16, 1, 0.25); }, false, 0},
    {"Sedov 3D Q4-Q3, 32×32×32", [] { return flows::sedov(3, 4, 32, 1, 0.25); }, false, 0, 48, 0},
    {"Sedov 3D Q5-Q4, 8×8×8 (general kernels)", [] { return flows::sedov(3, 5, 8, 1, 0.25); }, false, 0},
};

/// What some steps of a march took.
struct Timed {
  double step = 0;  // least seconds of an attempted step
  double middle =
      0;  // the median of them: iterations of the solve grow as the flow does, and the first steps load kernels
  double kinetic = 0, time = 0;  // at its end
  Index accepted = 0, steps = 0;
  KernelTimes times;
};
/// Where two marches of as many accepted steps end: a step that one of them repeated makes their times differ, and then their energies.
std::string ends(const Timed& a, const Timed& b) {
  return a.time == b.time
             ? fmt::format("both at t = {:.6g}", a.time)
             : fmt::format("at t = {:.9g} and {:.9g}: {} and {} attempts", a.time, b.time, a.steps, b.steps);
}
/// At least `least` steps, and as many as the budget has room for up to `most`.
Timed timed(std::unique_ptr<Backend> backend, Index least, Index most, double budget) {
  March march(std::move(backend), {});
  const auto attempted = [&] { return march.accepted() + march.repeated(); };
  Timed out;
  std::vector<double> steps;
  const double begin = seconds_now();
  while (march.accepted() < least || (march.accepted() < most && seconds_now() - begin < budget)) {
    const Index before = attempted();
    const double start = seconds_now();
    march.step();
    steps.push_back((seconds_now() - start) / static_cast<double>(attempted() - before));
  }
  std::sort(steps.begin(), steps.end());
  out.step = steps.front();
  out.middle = steps[steps.size() / 2];
  out.kinetic = march.energies().kinetic;
  out.time = march.time();
  out.accepted = march.accepted();
  out.steps = attempted();
  out.times = march.times();
  return out;
}

/// Steps with the public proxy's tolerance against its own figure.
void proxy_row(const TestRun& run, const BenchSink& sink, const DeviceCase& c, double budget) {
  Setup setup = c.make();
  setup.mass_tolerance = 1e-8;
  Team team({WorkerSpec{"cpu", std::min(std::max(1, this_machine().cores), run.threads), 1}});
  Operator op(setup, best_kernels(), team);
  const double ms =
      1e3 * timed(device_backend(op, open_device(run, devices_of(run).front().name)), 20, 20, budget).step;
  sink({fmt::format("device: {}: times as fast as the proxy", c.name), c.proxy / ms, "1", 0, 0,
        fmt::format("{:.4g} ms a step with mass solves to 1e-8; {} ms of the public proxy (CEED/Laghos) on an H100", ms,
                    c.proxy),
        ""});
}

/// Whole steps on the first device against all processors, from the same operator; nothing where there is none.
void device_rows(const TestRun& run, const BenchSink& sink, double budget) {
  const auto found = devices_of(run);
  if (found.empty() || !run.may_want("device: ")) return;
  for (const DeviceCase& c : device_cases) {
    const std::string name = fmt::format("device: {}", c.name);
    if ((run.quick && !c.quick) || !run.may_want(name)) continue;
    run.doing(name);
    Setup setup = c.make();
    setup.mass_tolerance = 1e-10;
    const int cores = std::min(std::max(1, this_machine().cores), run.threads);
    Team team({WorkerSpec{"cpu", cores, 1}});
    Operator op(setup, best_kernels(), team);
    auto device = open_device(run, found.front().name);
    const Timed processors = timed(host_backend(op), 4, 200, budget);
    const Timed there = timed(device_backend(op, std::move(device)), processors.accepted, processors.accepted, budget);
    const std::string what = found.front().info.name;
    sink({fmt::format("{}: a step", name), 1e3 * there.step, "ms", processors.step / there.step, 0,
          fmt::format("{}; {} threads here: {:.4g} ms; mass solves to 1e-10{}", what, cores, 1e3 * processors.step,
                      c.most > 0 ? fmt::format("; {} ms asked of an H100 or H200", c.most) : ""),
          "device memory"});
    sink({fmt::format("{}: a step, median", name), 1e3 * there.middle, "ms", processors.middle / there.middle, 0,
          fmt::format("{} threads here: {:.4g} ms, the same {} steps", cores, 1e3 * processors.middle, there.accepted),
          ""});
    if (c.proxy > 0) proxy_row(run, sink, c, budget);
    const auto each = [&](const char* part, double seconds) {
      sink({fmt::format("{}: {} a step", name, part), 1e3 * seconds / static_cast<double>(there.steps), "ms", 0, 0,
            "on average, by the device's clock", ""});
    };
    each("stress and force", there.times.update);
    each("sums at nodes", there.times.force);
    each("velocity solve", there.times.velocity_solve);
    each("energy rate", there.times.energy_solve);
    for (const bool launches : {true, false}) {
      auto again = open_device(run, found.front().name);
      DeviceOptions options;
      options.solves = launches ? DeviceOptions::Solves::launches : DeviceOptions::Solves::at_once;
      const Timed other =
          timed(device_backend(op, std::move(again), options), std::min<Index>(20, processors.accepted), 20, budget);
      sink({fmt::format("{}: velocity solve a step, {}", name, launches ? "by launches" : "in one kernel"),
            1e3 * other.times.velocity_solve / static_cast<double>(other.steps), "ms", 0, 0, "for comparison", ""});
    }
    sink({fmt::format("{}: iterations a velocity solve", name),
          static_cast<double>(there.times.iterations) / static_cast<double>(there.times.solves), "1", 0, 0,
          fmt::format("processors: {:.3g}",
                      static_cast<double>(processors.times.iterations) / static_cast<double>(processors.times.solves)),
          ""});
    sink({fmt::format("{}: kinetic energy off", name), std::abs(there.kinetic / processors.kinetic - 1), "1", 0, 0,
          fmt::format("processors, after {} steps with mass solves to 1e-10, {}", processors.accepted,
                      ends(there, processors)),
          ""});
  }
}

/// The same steps on several devices against the first of them alone: two, and all where there are more.
void several_devices_rows(const TestRun& run, const BenchSink& sink, double budget) {
  const auto found = devices_of(run);
  if (found.size() < 2 || !run.may_want("devices: ")) return;
  for (const DeviceCase& c : device_cases) {
    const std::string name = fmt::format("devices: {}", c.name);
    if ((run.quick && !c.quick) || !run.may_want(name)) continue;
    run.doing(name);
    Setup setup = c.make();
    setup.mass_tolerance = 1e-10;
    const int cores = std::min(std::max(1, this_machine().cores), run.threads);
    Team team({WorkerSpec{"cpu", cores, 1}});
    Operator op(setup, best_kernels(), team);
    const auto on = [&](std::size_t count, Index least, Index most, const DeviceOptions& options = {}) {
      std::vector<Device> devices;
      for (std::size_t i = 0; i < count; ++i) devices.push_back(open_device(run, found[i].name));
      return timed(device_backend(op, std::move(devices), options), least, most, budget);
    };
    const Timed one = on(1, 20, 100);
    std::vector<std::size_t> counts{2};
    if (found.size() > 2) counts.push_back(std::min(found.size(), std::size_t{most_devices}));
    for (const std::size_t count : counts) {
      const Timed there = on(count, one.accepted, one.accepted);
      sink({fmt::format("{}: times as fast on {}", name, count), one.step / there.step, "1", one.step / there.step,
            count == 2 ? c.floor : 0,
            fmt::format("{}; {:.4g} ms a step, {:.4g} on one; mass solves to 1e-10", found.front().info.name,
                        1e3 * there.step, 1e3 * one.step),
            "exchange within the mass solve"});
      sink({fmt::format("{}: times as fast on {}, median", name, count), one.middle / there.middle, "1", 0, 0,
            fmt::format("{:.4g} ms a step, {:.4g} on one", 1e3 * there.middle, 1e3 * one.middle), ""});
      DeviceOptions copies;
      copies.calls = false;
      const Timed copied = on(count, std::min<Index>(20, one.accepted), 20, copies);
      sink({fmt::format("{}: times as fast on {}, by copies", name, count), one.step / copied.step, "1", 0, 0,
            "for comparison", ""});
      const auto iteration = [](const Timed& t) {
        return 1e6 * t.times.solve_wall / static_cast<double>(std::max<Index>(1, t.times.iterations));
      };
      sink({fmt::format("{}: an iteration of the mass solve on {}", name, count), iteration(there), "us", 0, 0,
            fmt::format("one device: {:.4g}; by copies: {:.4g}", iteration(one), iteration(copied)), ""});
      const auto a_step = [](const Timed& t, double seconds) { return 1e3 * seconds / static_cast<double>(t.steps); };
      sink({fmt::format("{}: velocity solve a step on {}", name, count), a_step(there, there.times.solve_wall), "ms", 0,
            0, fmt::format("one device: {:.4g}", a_step(one, one.times.solve_wall)), ""});
      sink({fmt::format("{}: corner forces and energies a step on {}", name, count),
            a_step(there, there.times.corner_wall), "ms", 0, 0,
            fmt::format("one device: {:.4g}", a_step(one, one.times.corner_wall)), ""});
      sink({fmt::format("{}: kinetic energy off on {}", name, count), std::abs(there.kinetic / one.kinetic - 1), "1", 0,
            0, fmt::format("one device, after {} steps, {}", one.accepted, ends(there, one)), ""});
    }
  }
}

}  // namespace

Status bench_table(const TestRun& run, const BenchSink& sink) {
  const double budget = run.quick ? 2 : 8;
  try {
    for (const Case& c : cases) {
      if (!run.may_want(c.name)) continue;
      run.doing(c.name);
      Setup s = c.make();
      s.mass_tolerance = 1e-8;
      Flow flow(std::move(s), {}, 1);
      flow.march().step();
      const KernelTimes before = flow.op().times();
      const Index steps_before = flow.march().accepted() + flow.march().repeated();
      const double start = processor_seconds();
      do {
        flow.march().step();
      } while (processor_seconds() - start < budget);
      const double seconds = processor_seconds() - start;
      const KernelTimes& t = flow.op().times();
      const auto steps = static_cast<double>(flow.march().accepted() + flow.march().repeated() - steps_before);
      const double ms = 1e3 * seconds / steps;
      const std::string against =
          fmt::format("{} ms of the public proxy (CEED/Laghos) on another machine, one Zen 5 core", c.proxy);
      sink({fmt::format("{}: one core, a step", c.name), ms, "ms", c.proxy / ms, 0, against,
            "instruction rate and second-level cache"});
      sink({fmt::format("{}: times as fast as the proxy", c.name), c.proxy / ms, "1", c.proxy / ms, 1.5, against, ""});
      const double update = t.update - before.update;
      const double points = static_cast<double>(t.update_points - before.update_points);
      sink({fmt::format("{}: stress at points", c.name), 1e-6 * points / update, "Mpoints/s",
            1e-6 * points / update / c.rate_floor, c.rate_floor,
            fmt::format("{:.3g} ns a point asked for; here {:.1f}", 1e3 / c.rate_floor, 1e9 * update / points),
            "instruction rate"});
      const auto share = [&](const char* kernel, double part, const char* limit) {
        sink({fmt::format("{}: share of {}", c.name, kernel), 100 * part / seconds, "%", 0, 0, "", limit});
      };
      share("stress (kernel 1)", update, "instruction rate");
      share("force sums (kernels 2, 3)", t.force - before.force, "second-level cache");
      share("velocity solve (kernel 4)", t.velocity_solve - before.velocity_solve, "second- and third-level cache");
      share("energy rate (kernels 5, 6)", t.energy_solve - before.energy_solve, "instruction rate");
      sink({fmt::format("{}: iterations a velocity solve", c.name),
            static_cast<double>(t.iterations - before.iterations) / static_cast<double>(t.solves - before.solves), "1",
            0, 0, "", ""});
    }
    thread_rows(run, sink, budget);
    const double tables = run.quick ? 0.7 : 4;
    if (run.may_want("Table 1, ")) table_1(run, sink, tables);
    if (run.may_want("Table 9")) table_9(run, sink, tables);
    device_rows(run, sink, run.quick ? 1 : 4);
    several_devices_rows(run, sink, run.quick ? 1 : 4);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

Status paper_table(const TestRun& run, const BenchSink& sink) {
  try {
    const double budget = run.quick ? 0.7 : 4;
    const auto wanted = [&](const char* rows, void (*table)(const TestRun&, const BenchSink&, double)) {
      if (run.may_want(rows)) table(run, sink, budget);
    };
    paper_rows(run, sink,
               {[&] { wanted("Table 1, ", table_1); }, [&] { split_rows(run, sink); },
                [&] {
                  if (run.may_want("Table 7")) energies(run, sink);
                },
                [&] { wanted("Table 9", table_9); }});
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

}  // namespace conoid::hydro_fem

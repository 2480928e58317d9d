// SPDX-License-Identifier: BSD-3-Clause
// Speed, in the form of the paper's tables: the three loops and the blocked form over right-hand sides, one core each; the
// direct solver over block sizes. Times are the thread's own processor time, so that a busy machine does not change them much.
#include "engine/solvers/maxwell_fem/verify/verify.hpp"

#include "engine/core/units.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/linalg/elimination_tree.hpp"
#include "engine/linalg/one_blas_thread.hpp"
#include "engine/solvers/maxwell_fem/kernels/reference.hpp"
#include "engine/solvers/maxwell_fem/verify/bench_parts.hpp"
#include "engine/solvers/maxwell_fem/verify/spheres.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/device.hpp"
#include "engine/team/machine_rates.hpp"
#include "engine/team/team.hpp"

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

namespace {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Shortest of `repeats` calls.
template <class F>
double shortest(int repeats, const F& f) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    const double begin = thread_seconds();
    f();
    best = std::min(best, thread_seconds() - begin);
  }
  return best;
}

double multiply_add_rate() {
  double keep = 1, flops = 0;
  const double t = shortest(5, [&] { flops = radiation_kernel().multiply_adds(3000000, &keep); });
  return flops / t;
}

/// Rate of the complex matrix product of the BLAS that the direct solver brings along, one thread; 0: there is none.
double zgemm_rate() {
  using Zgemm = void (*)(const char*, const char*, const int*, const int*, const int*, const Complex*, const Complex*,
                         const int*, const Complex*, const int*, const Complex*, Complex*, const int*);
  const auto zgemm = reinterpret_cast<Zgemm>(dlsym(RTLD_DEFAULT, "zgemm_"));
  if (zgemm == nullptr) return 0;
  const OneBlasThread alone;
  const int n = 480;
  std::vector<Complex> a(static_cast<std::size_t>(n * n), {0.3, 0.1}), b(a), c(a);
  const Complex one = 1;
  const double t =
      shortest(4, [&] { zgemm("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &one, c.data(), &n); });
  return 8.0 * n * n * n / t;
}

double radiation_seconds(const TwoSpheres& s, Index rhs, RadiationLoop loop, int repeats) {
  Team team({{"cpu", 1, 1}});
  const Radiation radiation(s.domain, 1, 1, 0);
  std::vector<Complex> f(static_cast<std::size_t>(4 * s.domain.currents.size() * rhs)),
      psi(static_cast<std::size_t>(2 * s.domain.outer.size() * rhs));
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = {std::sin(0.1 * static_cast<double>(i % 1000)), 0.5};
  return shortest(repeats, [&] { radiation.apply(team, f, rhs, psi, loop); });
}

void radiation_rows(const TestRun& run, const BenchSink& row) {
  run.doing("machine");
  const double peak = multiply_add_rate(), gemm = zgemm_rate();
  row({fmt::format("machine: multiply-adds, double, one core ({})", radiation_kernel().name), peak / 1e9, "Gflop/s", 1,
       0, "", "instruction rate"});
  if (gemm > 0)
    row({"machine: complex matrix product of the BLAS, one core", gemm / 1e9, "Gflop/s", gemm / peak, 0,
         "multiply-add rate", "instruction rate"});
  const double peer = gemm > 0 ? gemm : peak;
  const std::string peer_name = gemm > 0 ? "matrix product of the BLAS" : "multiply-add rate";

  const auto small = two_spheres(2), middle = two_spheres(run.quick ? 4 : 8);
  {
    run.doing("one right-hand side");
    const double t = radiation_seconds(*middle, 1, RadiationLoop::fused, 3), rate = fused_flops * pairs(*middle) / t;
    row({fmt::format("one right-hand side, {} x {} faces", middle->domain.currents.faces(),
                     middle->domain.outer.faces()),
         rate / 1e9, "Gflop/s", rate / peak, 0.25 * peak / 1e9, "multiply-add rate", "instruction rate"});
  }
  for (Index rhs : run.quick ? std::vector<Index>{10, 100} : std::vector<Index>{10, 100, 500}) {
    run.doing(fmt::format("{} right-hand sides", rhs));
    const auto big = two_spheres(4);
    const double t = radiation_seconds(*big, rhs, RadiationLoop::blocked, 2);
    const double product = 32.0 * static_cast<double>(rhs) * pairs(*big) / t;
    row({fmt::format("blocked product, {} right-hand sides, {} x {} faces (32 flops a pair)", rhs,
                     big->domain.currents.faces(), big->domain.outer.faces()),
         product / 1e9, "Gflop/s", product / peer, rhs >= 100 ? 0.5 * peer / 1e9 : 0, peer_name, "multiply-adds"});
  }
  // Table 1 of the paper in form: seconds of the loops, one core, over right-hand sides.
  const std::vector<Index> counts = run.quick ? std::vector<Index>{1, 100, 1000} : std::vector<Index>{1, 10, 100, 1000};
  for (Index rhs : counts) {
    run.doing(fmt::format("the paper's loops, {} right-hand sides", rhs));
    const auto name = [&](const char* loop) {
      return fmt::format("{}, numSp {} numS {}, RHS {}", loop, small->domain.currents.faces(),
                         small->domain.outer.faces(), rhs);
    };
    const double ours = radiation_seconds(*small, rhs, RadiationLoop::automatic, rhs < 100 ? 5 : 2);
    const double plain = radiation_seconds(*small, rhs, RadiationLoop::omp_outer, rhs < 100 ? 3 : 1);
    row({name("omp_S"), plain, "s", 1, 0, "", "memory"});
    if (!run.quick) {
      const double inner = radiation_seconds(*small, rhs, RadiationLoop::omp_inner, rhs < 100 ? 3 : 1);
      row({name("omp_S'"), inner, "s", plain / inner, 0, "omp_S", "memory"});
      if (rhs > 1) {
        const double columns = radiation_seconds(*small, rhs, RadiationLoop::omp_rhs, rhs < 100 ? 3 : 1);
        row({name("omp_rhs"), columns, "s", plain / columns, 0, "omp_S", "memory"});
      }
    }
    row({name(rhs == 1 ? "fused" : "blocked"), ours, "s", plain / ours, 0, "omp_S", "instruction rate"});
    if (rhs == 1000)
      row({"blocked over the paper's loops, 1000 right-hand sides, a core", plain / ours, "1", plain / ours / 20, 20,
           "20 times", "multiply-adds"});
  }
}

void solver_rows(const TestRun& run, const BenchSink& row) {
  run.doing("direct solver");
  SphereScene s;
  s.ka = 2;
  s.divisions = run.quick ? 4 : 6;
  const Mesh mesh = *sphere_mesh(s);
  auto domain = make_domain(mesh, sphere_roles(s));
  if (!domain) throw Failure(domain.error());
  const System system(*domain, {Medium{}, Medium{}, Medium{}}, 1, FieldForm::total, 1);
  const SymmetricMatrix matrix = system.matrix();
  const Index rhs = 128;
  std::vector<Complex> b(static_cast<std::size_t>(matrix.size * rhs), {1, 0.5});
  double best = 1e300, standard = 0;
  for (int block : run.quick ? std::vector<int>{8, 32, 64} : std::vector<int>{1, 8, 16, 32, 64, 128}) {
    DirectOptions o;
    o.block = block;
    auto direct = factorise(matrix, o);
    if (!direct) throw Failure(direct.error());
    const double t = shortest(2, [&] { static_cast<void>((*direct)->solve(b, rhs).ok()); });
    row({fmt::format("{}: {} unknowns, {} right-hand sides in blocks of {}", (*direct)->facts().method, matrix.size,
                     rhs, block),
         t, "s", 0, 0, "", "memory"});
    best = std::min(best, t);
    if (block == DirectOptions{}.block) standard = t;
    if (!has_mumps()) break;
  }
  if (standard > 0)
    row({fmt::format("the default block of {}: best time over its time", DirectOptions{}.block), best / standard, "1",
         best / standard * 1.2, 1 / 1.2, "best block size", "memory"});
}

/// A layer of elements, its matrix, and how long that took to put together.
struct LayerSystem {
  Mesh mesh;
  std::unique_ptr<Domain> domain;
  std::unique_ptr<System> system;
};
LayerSystem layer_system(int divisions, int threads) {
  SphereScene s;
  s.ka = 6;
  s.layers = 3;
  s.divisions = divisions;
  LayerSystem out{*sphere_mesh(s), nullptr, nullptr};
  auto domain = make_domain(out.mesh, sphere_roles(s));
  if (!domain) throw Failure(domain.error());
  out.domain = std::make_unique<Domain>(std::move(*domain));
  out.system = std::make_unique<System>(*out.domain, std::vector<Medium>(3), 1, FieldForm::total, threads);
  return out;
}

/// 1, 2, 4 … threads up to those of the run.
std::vector<int> thread_counts(const TestRun& run) {
  std::vector<int> counts;
  for (int threads = 1; threads < run.threads; threads *= 2) counts.push_back(threads);
  counts.push_back(run.threads);
  return counts;
}

struct FactorTimes {
  double factor = 1e300, whole = 1e300, solve = 1e300;
  double flops = 0;
  double residual = 0;  ///< of a solution as it is used, relative
  Bytes bytes = 0, host_bytes = 0;
  bool same_bits = true;  ///< of all solutions by the two factorisations
  std::string name;
};

/// The shorter of two factorisations with solves, by the clock; one where that takes long.
FactorTimes time_factors(const SymmetricMatrix& matrix, const DirectOptions& o, Index rhs) {
  const std::vector<Complex> b(static_cast<std::size_t>(matrix.size * rhs), {1, 0.5});
  std::vector<Complex> x, before;
  FactorTimes best;
  for (int k = 0; k < 2; ++k) {
    std::unique_ptr<SparseDirect> direct;
    const double whole = shortest_by_clock(1, [&] {
      auto made = factorise(matrix, o);
      if (!made) throw Failure(made.error());
      direct = std::move(*made);
    });
    before = std::exchange(x, b);
    best.whole = std::min(best.whole, whole);
    best.factor = std::min(best.factor, direct->facts().seconds);
    best.solve = std::min(best.solve, shortest_by_clock(1, [&] { direct->solve(x, rhs).or_throw(); }));
    best.same_bits = best.same_bits && (before.empty() || before == x);
    const DirectFacts& facts = direct->facts();
    best.name = facts.method;
    best.flops = facts.flops;
    best.bytes = facts.bytes;
    best.host_bytes = facts.host_bytes;
    if (whole > 5) break;
  }
  const std::size_t n = static_cast<std::size_t>(matrix.size);
  std::vector<Complex> back(n);
  matrix.multiply(std::span(x).first(n), back);
  double off = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    off += std::norm(back[i] - b[i]);
    size += std::norm(b[i]);
  }
  best.residual = std::sqrt(off / size);
  return best;
}
DirectOptions factors_by(DirectMethod method, int threads) {
  DirectOptions o;
  o.method = method;
  o.threads = threads;
  return o;
}

/// Orders, factors and solves a layer of elements as a run does, by one thread and more, up to those of the run. The rate of products is that of
/// our own kernels on as many threads.
void factorise_rows(const TestRun& run, const BenchSink& row) {
  if (!run.may_want("factorise: ")) return;
  run.doing("factorise: layer of elements");
  const LayerSystem layer = layer_system(run.quick ? 6 : 14, run.threads);
  const SymmetricMatrix matrix = layer.system->matrix();
  constexpr Index rhs = 128;
  if (has_mumps() && run.may_want("factorise: MUMPS")) {
    const FactorTimes t = time_factors(matrix, factors_by(DirectMethod::mumps, 1), rhs);
    row({fmt::format("factorise: {}, {} unknowns, order and factors", t.name, matrix.size), t.whole, "s", 0, 0, "",
         "one core"});
    row({fmt::format("factorise: {}, 128 right-hand sides", t.name), t.solve, "s", 0, 0, "", "memory"});
  }
  FactorTimes one;
  double order_of_one = 0;
  for (const int threads : thread_counts(run)) {
    if (!run.may_want(fmt::format("factorise: own fronts, {} threads", threads))) continue;
    run.doing(fmt::format("factorise: {} threads", threads));
    const FactorTimes t = time_factors(matrix, factors_by(DirectMethod::automatic, threads), rhs);
    const double order = shortest_by_clock(2, [&] {
      if (auto tree = elimination_tree(matrix, threads, {}); !tree) throw Failure(tree.error());
    });
    if (threads == 1) {
      one = t;
      order_of_one = order;
    }
    constexpr Index side = 1536;
    std::vector<Complex> a(static_cast<std::size_t>(side * side), {0.3, 0.1}), x(a), y(a);
    const double product = 8.0 * side * side * side / shortest_by_clock(2, [&] {
                             dense::multiply(a.data(), side, side, x.data(), side, Complex(0), y.data(), threads);
                           });
    const std::string label = fmt::format("factorise: {}, {} threads", t.name, threads);
    const auto over_one = [&](double first, double now) { return one.flops > 0 ? first / now : 0; };
    row({label + fmt::format(", order of {} unknowns", matrix.size), order, "s", over_one(order_of_one, order), 0,
         "one thread", "one thread"});
    row({label + ", factors", t.flops / t.factor / 1e9, "Gflop/s", t.flops / t.factor / product, 0, "complex products",
         "multiply-adds"});
    row({label + ", order and factors", t.whole, "s", over_one(one.whole, t.whole), 0, "one thread",
         "order, then multiply-adds"});
    row({label + ", 128 right-hand sides", t.solve, "s", over_one(one.solve, t.solve), 0, "one thread", "memory"});
    if (threads >= 16 && one.flops > 0)
      row({fmt::format("factorise: {} threads over one, factors", threads), one.factor / t.factor, "1",
           one.factor / t.factor / threads, 8, "threads", "multiply-adds"});
  }
}

/// Order, factors and 128 right-hand sides of two layers by the library of the run's devices, in blocks of several sizes, repeatable, in single
/// precision and with factors in the host's memory, beside fronts of our own on all threads. Shares are of the time of these.
void device_factor_rows(const TestRun& run, const BenchSink& row) {
  if (!run.may_want("factors on devices: ")) return;
  const std::vector<NamedDevice> devices = devices_of(run);
  if (devices.empty()) return;
  constexpr Index rhs = 128;
  for (const int divisions : run.quick ? std::vector{4} : std::vector{8, 14}) {
    run.doing(fmt::format("factors on devices: layer of {} divisions", divisions));
    const LayerSystem layer = layer_system(divisions, run.threads);
    const SymmetricMatrix matrix = layer.system->matrix();
    const std::string label = fmt::format("factors on devices: {} unknowns", matrix.size);
    const FactorTimes own = time_factors(matrix, factors_by(DirectMethod::automatic, run.threads), rhs);
    const auto rows = [&](const FactorTimes& t, const std::string& by) {
      row({fmt::format("{}, {}, order and factors", label, by), t.whole, "s", own.whole / t.whole, 0, "own fronts",
           "order, then multiply-adds"});
      row({fmt::format("{}, {}, factors", label, by), t.factor, "s", own.factor / t.factor, 0, "own fronts",
           "multiply-adds"});
      row({fmt::format("{}, {}, 128 right-hand sides", label, by), t.solve, "s", own.solve / t.solve, 0, "own fronts",
           "memory"});
    };
    rows(own, fmt::format("{}, {} threads", own.name, run.threads));
    for (const NamedDevice& one : devices) {
      const Device device = open_device(run, one.name);
      if (device.info().backend == "cuda" && !missing_device_direct().empty()) {
        row({fmt::format("factors on devices: {}: {}", one.name, missing_device_direct()), 0, "s", 0, 0, "", ""});
        continue;
      }
      DirectOptions o = factors_by(DirectMethod::device, run.threads);
      o.device = &device;
      const auto rows_with = [&](const std::string& what) {
        FactorTimes t;
        try {
          t = time_factors(matrix, o, rhs);
        } catch (const Failure& failure) {
          row({fmt::format("{}, {}, {}: {}", label, one.name, what, failure.error().text), 0, "s", 0, 0, "", ""});
          return Bytes{0};
        }
        rows(t, fmt::format("{}, {}, residual {:.1e}, {}{}{}", t.name, what, t.residual, format_bytes(t.bytes),
                            t.host_bytes > 0 ? " and " + format_bytes(t.host_bytes) + " of the host" : "",
                            t.same_bits ? ", twice the same bits" : ""));
        return t.bytes;
      };
      for (const int block : {16, 64}) {
        o.block = block;
        rows_with(fmt::format("blocks of {}", block));
      }
      o.block = 0;
      const Bytes whole = rows_with("blocks of 128");
      o.repeatable = true;
      rows_with("repeatable");
      o.repeatable = false;
      o.single = true;
      const Bytes half = rows_with("single");
      // Less memory than it takes, so that factors stay with the host.
      for (const bool single : {false, true}) {
        o.single = single;
        o.device_memory = std::max<Bytes>(1, (single ? half : whole) / 10 * 7);
        rows_with(fmt::format("of {} of the device", format_bytes(o.device_memory)));
      }
    }
  }
}

/// What a frequency of a conductor takes with 64 waves, by one thread and more: matrix with its factors, near pairs, and the iteration
/// with its solves and its radiation. Ratios are those to one thread.
void truncation_rows(const TestRun& run, const BenchSink& row) {
  if (!run.may_want("truncation: ")) return;
  constexpr std::size_t most_waves = 64;
  std::vector<double> one;
  for (const int threads : thread_counts(run)) {
    const std::string label = fmt::format("truncation: {} threads", threads);
    if (!run.may_want(label)) continue;
    run.doing(label);
    const LayerSystem layer = layer_system(run.quick ? 5 : 8, threads);
    System& system = *layer.system;
    double factored = shortest_by_clock(1, [&] { system.factor({}).or_throw(); });
    std::unique_ptr<Radiation> radiation;
    const double near =
        shortest_by_clock(1, [&] { radiation = std::make_unique<Radiation>(*layer.domain, 1, threads); });
    Team team({{"cpu", threads, 1}});
    TruncationOptions options{TruncationMethod::gmres, 1e-3, 60, RadiationLoop::blocked, 64};
    Truncation truncation(system, *radiation, options);
    std::vector<Incident> waves;
    for (std::size_t w = 0; w < most_waves; ++w)
      waves.push_back(wave_from({0.3 + 0.08 * static_cast<double>(w / 2), 0.4}, w % 2 == 1, 1));
    const double whole = shortest_by_clock(1, [&] {
      truncation.start(team, waves).or_throw();
      while (!truncation.finished()) truncation.step(team).or_throw();
    });
    const TruncationTimes& times = truncation.times();
    const std::array<std::pair<const char*, double>, 6> rows{
        {{"matrix and factors", factored},
         {"near pairs", near},
         {"solves", times.solve},
         {"radiation", times.radiate},
         {"choice of directions", std::max(0.0, whole - times.solve - times.radiate)},
         {"the iteration", whole}}};
    if (threads == 1)
      for (const auto& part : rows) one.push_back(part.second);
    for (std::size_t k = 0; k < rows.size(); ++k)
      row({fmt::format("{}, {} waves, {}", label, most_waves,
                       k == 5 ? fmt::format("the iteration in {} steps, {} unknowns", truncation.iterations(),
                                            layer.domain->free_unknowns)
                              : std::string(rows[k].first)),
           rows[k].second, "s", one.empty() ? 0 : one[k] / rows[k].second, 0, "one thread", "multiply-adds"});
  }
}

}  // namespace

Status bench_table(const TestRun& run, const BenchSink& row) {
  try {
    if (run.only.empty() || !(run.may_want("device: ") || run.may_want("factorise: ") ||
                              run.may_want("factors on devices: ") || run.may_want("truncation: "))) {
      radiation_rows(run, row);
      solver_rows(run, row);
    }
    factorise_rows(run, row);
    device_factor_rows(run, row);
    truncation_rows(run, row);
    device_rows(run, row);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

}  // namespace conoid::maxwell_fem

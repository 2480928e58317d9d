// SPDX-License-Identifier: BSD-3-Clause
// Far pairs on devices beside the multiply-add rate and the bus of the same run.
//
// Bound of the kernels: their operations as written (LaneKernels' count) at the rate of fused multiply-adds, which half of them are not; of
// the whole: columns of the matrix over the bus.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/linalg/big_array.hpp"
#include "engine/linalg/device_blocks.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/elastic_bem/cuda/device_pairs.hpp"
#include "engine/solvers/elastic_bem/verify/bench.hpp"
#include "engine/solvers/elastic_bem/verify/columns_of_some.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/machine_rates.hpp"
#include "engine/team/phase.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {
namespace {

struct DeviceOfBench {
  const Device& device;
  std::string name;
  MachineRates rates;
  double bus = 0;  ///< bytes/s to page-locked memory of the host
  const TestRun& run;
  const BenchSink& row;
};

double bus_rate(const Device& device, Bytes bytes) {
  const auto there = device.allocate<std::byte>(bytes, "source");
  const auto here = device.pinned<std::byte>(bytes);
  Stream stream = device.stream();
  stream.zero(there);
  const Event begin = device.event(), end = device.event();
  double best = 0;
  for (int k = 0; k < 5; ++k) {
    stream.record(begin);
    stream.to_host(here.span(), there);
    stream.record(end);
    stream.synchronize();
    if (const double s = end.seconds_since(begin); s > 0) best = std::max(best, static_cast<double>(bytes) / s);
  }
  return best;
}

template <class Real>
void rates_of(const DeviceOfBench& b, const char* what, const Surface& surface, Index elements, Accuracy accuracy,
              bool block_a_pair) {
  const char* const precision = sizeof(Real) == 8 ? "double" : "single";
  const std::string label = fmt::format("{}: far pairs, {}, {}", b.name, precision, what);
  if (!b.run.may_want(label)) return;
  b.run.doing(label);
  Medium medium;
  medium.nu = 0.3;
  const Harmonic h(medium, 1);
  elements = std::min(elements, surface.active);
  ColumnsOfSome<Real> columns(surface, elements);
  const FarRules<Real> rules(surface, accuracy, std::abs(h.kS), false, std::max(1, b.run.threads));
  ColumnSink<Real> sink(surface, columns.targets, h, surface.node_count(), false);
  const RowPoints rows{surface.nodes, true};
  const auto lanes = lane_medium<Real>(h);
  PanelMemory memory;
  DevicePairFacts best;
  for (int k = 0; k < 5; ++k) {
    const DevicePairFacts facts = device_pairs<Real>(b.device, [&] { return b.device.free_memory() / 10 * 9; }, memory,
                                                     CpuWorker(std::max(1, b.run.threads)),
                                                     {surface, rules, lanes, rows, sink, block_a_pair}, {0, elements});
    if (!facts.fits) return;
    if (k == 0 || facts.kernel_seconds < best.kernel_seconds) best.kernel_seconds = facts.kernel_seconds;
    if (k == 0 || facts.seconds < best.seconds) best.seconds = facts.seconds;
    best.points = facts.points;
    best.copied = facts.copied;
  }
  if (!(best.kernel_seconds > 0)) return;
  const int nodes = surface.elements.front().nodes;
  const double flops = best.points * (flops_a_point + (nodes > 1 ? 2.0 * nodes * lane_values : 0)),
               peak = sizeof(Real) == 8 ? b.rates.flops_double : b.rates.flops_single;
  b.row({label + ": kernel evaluations", best.points / best.kernel_seconds / 1e9, "10^9/s", 0, 0, "", ""});
  b.row({label + ": kernels", flops / best.kernel_seconds / 1e9, "Gflop/s",
         peak > 0 ? flops / best.kernel_seconds / peak : 0, 0, "FMA rate of the device", "instruction rate"});
  b.row({label + fmt::format(": with {} of columns to the host", format_bytes(best.copied)),
         static_cast<double>(best.copied) / best.seconds / 1e9, "GB/s",
         b.bus > 0 ? static_cast<double>(best.copied) / best.seconds / b.bus : 0, 0, "copy to page-locked memory",
         "bus"});
}

/// A square of so many cells a side, of edge 1, and how it is ground of constant elements.
Mesh level_cells(int cells) {
  PlateOptions p;
  p.low = {-0.5 * cells, -0.5 * cells};
  p.high = {0.5 * cells, 0.5 * cells};
  p.divisions = {cells, cells};
  p.body_above = true;
  return plate(p).value();
}
SurfaceOptions level_ground() {
  SurfaceOptions out;
  out.domain = Domain::ground;
  out.constant = true;
  out.down = {0, 0, 1};
  return out;
}

void rows_of(const DeviceOfBench& b) {
  const bool quick = b.run.quick;
  const Surface plate_surface = make_surface(level_cells(quick ? 40 : 80), level_ground()).value();
  CubeSphereOptions ball;
  ball.divisions = quick ? 10 : 20;
  const Surface linear = make_surface(cube_sphere(ball).value(), {}).value();
  ball.order = 2;
  const Surface quadratic = make_surface(cube_sphere(ball).value(), {}).value();
  const Index some = quick ? 256 : 1024;
  const auto both = [&](auto zero) {
    using Real = decltype(zero);
    const std::string constant = fmt::format("{} rows x {} constant elements", plate_surface.node_count(), some);
    rates_of<Real>(b, constant.c_str(), plate_surface, some, {1e-5, false}, false);
    rates_of<Real>(b, fmt::format("{}, 8 x 8 points", constant).c_str(), plate_surface, some, {1e-5, true}, false);
    rates_of<Real>(b, fmt::format("{}, 8 x 8 points, a block a pair (classical)", constant).c_str(), plate_surface,
                   some, {1e-5, true}, true);
    rates_of<Real>(b, fmt::format("{} rows x {} of four nodes", linear.node_count(), some / 4).c_str(), linear,
                   some / 4, {1e-5, false}, false);
    rates_of<Real>(b, fmt::format("{} rows x {} of nine nodes", quadratic.node_count(), some / 4).c_str(), quadratic,
                   some / 4, {1e-5, false}, false);
  };
  both(double{});
  both(float{});
}

/// The best of three solutions of level ground of constant elements, `memory` bytes of the device being taken (0: as there are); place
/// `processors` where it does not hold what was to be.
SolveFacts factors_on(const DeviceOfBench& b, int cells, bool ten_bits, Bytes memory) {
  Medium medium;
  medium.nu = 0.3;
  Team team({{b.name, std::max(1, b.run.threads), 1, b.name, memory}});
  TestBody body(level_cells(cells), level_ground(), {}, medium, {1e-5, false}, team);
  LoadValues load;
  load.traction.assign(body.surface().traction_node.size(), {0, 0, 1});
  SolveOptions options;
  options.ten_bits = ten_bits;
  SolveFacts best;
  for (int k = 0; k < 3; ++k) {
    static_cast<void>(body.solve(1, {load}, options));
    if (k == 0 || body.facts.seconds_factors < best.seconds_factors) best = body.facts;
  }
  return best;
}

/// LU in single precision with all that belongs to it (the matrix made narrow, its norm, working memory) beside the library's own, of the
/// same matrix in the same run; by products of ten bits; and of a matrix that passes through a device with memory for a third of its factors.
void factors_of(const DeviceOfBench& b) {
  const bool imitated = is_emulated(b.device.info());
  const int cells = imitated ? 12 : b.run.quick ? 40 : 80;
  const Index n = Index{3} * cells * cells;
  const std::string label = fmt::format("{}: LU of {} unknowns, complex single", b.name, n);
  if (!b.run.may_want(label)) return;
  b.run.doing(label);
  const SolveFacts own = factors_on(b, cells, false, 0);
  if (own.place == SolutionPlace::processors) return;
  const double flops = 8.0 / 3 * std::pow(static_cast<double>(n), 3), share = own.seconds_library / own.seconds_factors;
  const auto rate = [&](const std::string& name, double seconds) {
    b.row({name, flops / seconds / 1e9, "Gflop/s",
           b.rates.flops_single > 0 ? flops / seconds / b.rates.flops_single : 0, 0, "FMA rate of the device",
           "instruction rate"});
  };
  rate(label, own.seconds_factors);
  b.row({label + ", the library alone", flops / own.seconds_library / 1e9, "Gflop/s", 0, 0, "", ""});
  b.row({label + ", ours over the library's rate", share, "1", share, imitated ? 0 : 1 / 1.2,
         "the library's LU of the same matrix", ""});
  const auto beside = [&](const std::string& name, const SolveFacts& facts) {
    rate(label + name, facts.seconds_factors);
    b.row({label + name + ": over the library's rate", own.seconds_library / facts.seconds_factors, "1", 0, 0,
           fmt::format("{} corrections to a residual of {:.0e}", facts.iterations, facts.residual), ""});
  };
  if (const SolveFacts coarse = factors_on(b, cells, true, 0); coarse.ten_bits)
    beside(", products of ten bits", coarse);
  const Bytes third = static_cast<Bytes>(n * n) * 8 / 3;
  for (const bool ten_bits : {false, true})
    if (const SolveFacts through = factors_on(b, cells, ten_bits, third);
        through.place == SolutionPlace::through && through.ten_bits == ten_bits)
      beside(fmt::format(", through {} of the device{}", format_bytes(third), ten_bits ? ", products of ten bits" : ""),
             through);
}

/// LU by blocks of columns alone, of random values, over the width of its panels: what engine/linalg/device_blocks chooses one by.
void panels_of(const DeviceOfBench& b) {
  const std::string label = fmt::format("{}: LU by panels", b.name);
  const auto library = dense::DeviceLibrary::open(b.device);
  if (!library || !(*library)->has_ten_bits() || !b.run.may_want(label)) return;
  b.run.doing(label);
  using Number = std::complex<float>;
  const bool imitated = is_emulated(b.device.info());
  const Index n = imitated ? 96 : b.run.quick ? 4800 : 19200;
  const auto size = static_cast<std::size_t>(n * n);
  BigArray<Number> values(size);
  CpuWorker(std::max(1, b.run.threads)).for_each({0, n}, 16, [&](Interval some, int) {
    for (Index c = some.begin; c < some.end; ++c) {
      auto state = static_cast<unsigned>(c + 1);
      for (Index r = 0; r < n; ++r) {
        state = state * 1664525U + 1013904223U;
        values.data()[c * n + r] = {static_cast<float>(state >> 8) / 16777216.0F - 0.5F, 0.1F};
      }
    }
  });
  Stream stream = b.device.stream();
  const auto matrix = b.device.allocate<Number>(size, "matrix");
  const Event begin = b.device.event(), end = b.device.event();
  for (const Index width : imitated ? std::vector<Index>{8, 24} : std::vector<Index>{256, 512, 1024, 2048})
    for (const dense::Rounding rounding : {dense::Rounding::of_numbers, dense::Rounding::ten_bits}) {
      dense::DeviceBlocks<Number> blocks(*library, stream, n, n, rounding, width);
      double best = 0;
      for (int k = 0; k < 2; ++k) {
        stream.to_device(matrix, std::span<const Number>(values.data(), size));
        stream.record(begin);
        static_cast<void>(blocks.factorise(matrix.data(), n, n, n));
        stream.record(end);
        stream.synchronize();
        const double seconds = end.seconds_since(begin);
        if (k == 0 || seconds < best) best = seconds;
      }
      b.row({fmt::format("{} of {} columns, {} unknowns{}", label, width, n,
                         rounding == dense::Rounding::ten_bits ? ", products of ten bits" : ""),
             8.0 / 3 * std::pow(static_cast<double>(n), 3) / best / 1e9, "Gflop/s", 0, 0, "", ""});
    }
}

}  // namespace

void bench_devices(const TestRun& run, const BenchSink& row) {
  for (const auto& [name, info] : devices_of(run)) {
    const auto device = open_device(run, name);
    const DeviceOfBench b{device, name, device_rates(name), bus_rate(device, Bytes{256} << 20), run, row};
    row({fmt::format("{}: {}, multiply-adds, double", name, info.name), b.rates.flops_double / 1e9, "Gflop/s", 0, 0, "",
         ""});
    row({fmt::format("{}: multiply-adds, single", name), b.rates.flops_single / 1e9, "Gflop/s", 0, 0, "", ""});
    row({fmt::format("{}: copy to page-locked memory of the host", name), b.bus / 1e9, "GB/s", 0, 0, "", "bus"});
    rows_of(b);
    factors_of(b);
    panels_of(b);
  }
}

}  // namespace conoid::elastic_bem

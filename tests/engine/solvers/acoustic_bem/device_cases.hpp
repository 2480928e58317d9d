// SPDX-License-Identifier: BSD-3-Clause
// The summation on a device against plain sums, at random odd sizes; used for emulated and for real devices.
#pragma once

#include <QTest>
#include <cmath>
#include <limits>
#include <random>

#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"
#include "engine/solvers/acoustic_bem/discretization/cutouts.hpp"
#include "engine/solvers/acoustic_bem/stepping/summation.hpp"
#include "engine/team/device_worker.hpp"
#include "tests/engine/solvers/acoustic_bem/random_slices.hpp"

namespace conoid::acoustic_bem::device_cases {

/// Random values for `groups` groups of steps.
template <class Real>
void go_on(History<Real>& history, Index unknowns, int steps, int groups, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1, 1);
  for (int round = 0; round < groups; ++round) {
    for (Index j = 0; j < unknowns; ++j)
      for (Index g = 1; g <= steps; ++g) history.set(j, g, static_cast<Real>(value(random)));
    history.advance(steps);
  }
}

/// Σ over the slices of an interval, in double precision. Tests are not optimised, and this is nearly all that a test of large slices
/// does: bare pointers, which cost a quarter of spans and calls there.
template <class Real>
std::vector<double> plain_sums(const Slices<Real>& slices, Interval interval, const History<Real>& history, int steps,
                               Index shift) {
  const Index rows = slices.rows();
  std::vector<double> out(static_cast<std::size_t>(steps * rows), 0);
  double* const sums = out.data();
  for (Index j = interval.begin; j < interval.end; ++j) {
    const Real* const past = history.past(j);
    slices.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) {
      const Real* const begin = v.data();
      const Real* const end = begin + v.size();
      for (Index g = 0; g < steps; ++g) {
        const Index x = g - start - shift;  // past[x − d] for value d; not known where that is ≥ 0
        const Real* value = begin + std::max<Index>(x + 1, 0);
        double sum = 0;
        for (const Real* at = past + x - (value - begin); value < end; ++value, --at)
          sum += static_cast<double>(*value) * static_cast<double>(*at);
        sums[g * rows + i] += sum;
      }
    });
  }
  return out;
}

/// Sums of up to n products below 1: each rounding ≤ eps/2 of a partial sum of about √n.
template <class Real>
double tolerance(double n) {
  return n * std::sqrt(n) * static_cast<double>(std::numeric_limits<Real>::epsilon());
}

inline Device open_device(const char* name) {
  auto device = Device::open(name);
  if (!device) throw Failure(device.error());
  return *device;
}

struct Shape {
  Index rows = 77, count = 70, columns = 41;
  int longest = 9;
};

/// Several passes, intervals that begin and end anywhere, two excitations, sums ahead of the history.
template <class Real>
void sums_are_right(const char* name, int steps, const Shape& shape, Bytes budget, bool passing,
                    const std::function<bool(Index, Index)>& there = {}) {
  std::mt19937 random(static_cast<unsigned>(17 * steps + shape.rows));
  const auto slices = random_slices<Real>(shape.rows, shape.count, shape.columns, shape.longest, random, there);
  std::vector<History<Real>> runs;
  const Index shift = 2;
  for (int r = 0; r < 2; ++r) {
    runs.emplace_back(shape.count, slices.columns() + shift, steps);
    go_on(runs.back(), shape.count, steps, 3, random);
  }
  DeviceSummation<Real> summation(open_device(name), slices, steps, budget, CpuWorker(2));
  const double limit = tolerance<Real>(static_cast<double>(shape.count) * shape.longest);
  std::vector<double> sums(2 * static_cast<std::size_t>(steps * shape.rows));
  const Interval all{0, shape.count}, inner{3, shape.count - 2}, one{shape.count / 2, shape.count / 2 + 1};
  const std::pair<Interval, Index> passes[] = {{all, 0},     {inner, shift}, {one, 0}, {one, shift},
                                               {all, shift}, {inner, 0},     {all, 0}};
  const int groups[] = {1, 3, 1, 8, 9, 2, 1};  // between passes: one and some are appended, more than eight made anew
  const int* between = groups;
  for (const auto& [interval, s] : passes) {
    summation.run(CpuWorker(2), interval, runs, s, sums);
    for (std::size_t r = 0; r < 2; ++r) {
      const auto want = plain_sums(slices, interval, runs[r], steps, s);
      std::size_t wrong = 0;
      while (wrong < want.size() && std::abs(sums[r * want.size() + wrong] - want[wrong]) <= limit) ++wrong;
      if (wrong == want.size()) continue;
      const QString text =
          QString("run %1 entry %2: %3, not %4").arg(r).arg(wrong).arg(sums[r * want.size() + wrong]).arg(want[wrong]);
      QFAIL(qPrintable(text));
    }
    if (interval.size() == shape.count) QCOMPARE(summation.streamed() > 0, passing);
    for (auto& h : runs) go_on(h, shape.count, steps, *between, random);
    ++between;
  }
}

/// The published cut-outs.
template <class Real>
void blocks_are_right(const char* name, int steps, int width, const Shape& shape) {
  std::mt19937 random(static_cast<unsigned>(steps + width));
  const auto slices = random_slices<Real>(shape.rows, shape.count, shape.columns, shape.longest, random);
  History<Real> history(shape.count, slices.columns() + width, steps);
  go_on(history, shape.count, steps, 40, random);
  const auto want = plain_sums(slices, {0, shape.count}, history, steps, 0);
  const Device device = open_device(name);
  Stream stream = device.stream();
  const char* const real = sizeof(Real) == 4 ? "float" : "double";

  Index ring = 1;
  while (ring < slices.columns() + width + 2 * steps + 4) ring *= 2;
  std::vector<Real> past(static_cast<std::size_t>(shape.count * ring), Real{0});
  for (Index j = 0; j < shape.count; ++j)
    for (Index back = 0; back < ring - steps; ++back)
      past[static_cast<std::size_t>(j * ring + ((history.step() - back) & (ring - 1)))] =
          back <= history.reach() ? history.value(j, back) : Real{0};
  auto on_device = device.allocate<Real>(past.size(), "past values");
  stream.to_device(on_device, past);
  const auto entries = static_cast<std::size_t>(steps * shape.rows);
  const auto compare = [&](const DeviceBuffer<Real>& partial, int parts, const char* what) {
    auto sums = device.allocate<double>(entries, "sums");
    std::vector<double> got(entries);
    const auto gather = device.kernel<GatherArguments>(std::string("acoustic-bem/gather<") + real + ">");
    stream.launch(gather, {.grid = {static_cast<unsigned>((entries + 255) / 256), 1, 1}, .block = {256, 1, 1}},
                  {partial.data(), sums.data(), static_cast<std::int64_t>(entries), parts});
    stream.to_host(got, sums);
    stream.synchronize();
    const double limit = tolerance<Real>(static_cast<double>(shape.count) * shape.longest);
    std::size_t wrong = 0;
    while (wrong < entries && std::abs(got[wrong] - want[wrong]) <= limit) ++wrong;
    if (wrong == entries) return;
    const QString text = QString("%1, entry %2: %3, not %4").arg(what).arg(wrong).arg(got[wrong]).arg(want[wrong]);
    QFAIL(qPrintable(text));
  };
  const std::string instance =
      std::string("<") + real + "," + std::to_string(steps) + "," + std::to_string(width) + ">";
  constexpr int parts = 3;

  {
    const int height = 32;
    const FullBlocking cut = full_blocking(RowSpans::of(slices), height, width);
    const auto values = full_block_values(slices, cut);
    std::vector<BlockPlaceOnDevice> places;
    for (const BlockPlace& p : cut.places) places.push_back({p.slice, p.row, p.column});
    std::vector<std::int32_t> begin;
    for (int p = 0; p <= parts; ++p)
      begin.push_back(static_cast<std::int32_t>(places.size() * static_cast<std::size_t>(p) / parts));
    auto v = device.allocate<Real>(values.size(), "blocks");
    auto pl = device.allocate<BlockPlaceOnDevice>(places.size(), "places");
    auto b = device.allocate<std::int32_t>(begin.size(), "parts");
    auto partial = device.allocate<Real>(parts * entries, "partial sums");
    stream.to_device(v, std::span<const Real>(values.data(), values.size()));
    stream.to_device(pl, places);
    stream.to_device(b, begin);
    stream.zero(partial);
    stream.launch(device.kernel<FullBlockArguments>("acoustic-bem/full_blocks" + instance),
                  {.grid = {parts, 1, 1}, .block = {static_cast<unsigned>(height), 1, 1}},
                  {v.data(), pl.data(), b.data(), on_device.data(), partial.data(), history.step() + 1,
                   static_cast<std::int32_t>(ring), static_cast<std::int32_t>(shape.rows)});
    compare(partial, parts, "full blocks");
  }
  {
    std::vector<Real> values(static_cast<std::size_t>(shape.count * shape.rows * width), Real{0});
    std::vector<std::uint16_t> start(static_cast<std::size_t>(shape.count * shape.rows), 1);
    for (Index j = 0; j < shape.count; ++j)
      slices.for_each_row(j, [&](Index i, Index first, std::span<const Real> row) {
        if (row.empty()) return;
        start[static_cast<std::size_t>(j * shape.rows + i)] = static_cast<std::uint16_t>(first);
        for (std::size_t c = 0; c < row.size(); ++c)
          values[static_cast<std::size_t>((j * width + static_cast<Index>(c)) * shape.rows + i)] = row[c];
      });
    std::vector<std::int32_t> begin;
    for (int p = 0; p <= parts; ++p) begin.push_back(static_cast<std::int32_t>(shape.count * p / parts));
    auto v = device.allocate<Real>(values.size(), "blocks");
    auto s = device.allocate<std::uint16_t>(start.size(), "starts");
    auto b = device.allocate<std::int32_t>(begin.size(), "parts");
    auto partial = device.allocate<Real>(parts * entries, "partial sums");
    stream.to_device(v, values);
    stream.to_device(s, start);
    stream.to_device(b, begin);
    stream.launch(device.kernel<ContiguousArguments>("acoustic-bem/contiguous_blocks" + instance),
                  {.grid = {static_cast<unsigned>((shape.rows + 63) / 64), parts, 1},
                   .block = {64, 1, 1},
                   .shared = static_cast<Bytes>(slices.columns() + width + steps) * sizeof(Real)},
                  {v.data(), s.data(), b.data(), on_device.data(), partial.data(), history.step() + 1,
                   static_cast<std::int32_t>(ring), static_cast<std::int32_t>(shape.rows),
                   static_cast<std::int32_t>(slices.columns())});
    compare(partial, parts, "contiguous blocks");
  }
}

}  // namespace conoid::acoustic_bem::device_cases

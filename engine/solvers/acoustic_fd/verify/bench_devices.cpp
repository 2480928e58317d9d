// SPDX-License-Identifier: BSD-3-Clause
// Rates of devices against the bandwidth that they have in the same run, and whole runs over their marches.
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/verify/bench_rows.hpp"
#include "engine/solvers/acoustic_fd/verify/timed_march.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/solvers/run_case.hpp"
#include "engine/team/device.hpp"
#include "engine/team/machine_rates.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr Bytes nodes = Bytes{1} << 30;  // of 1024³

/// A device and what its memory gives in this run.
struct Card {
  std::string name;  ///< as Device::open() takes it
  DeviceInfo info;
  double copied = 0;  ///< B/s, read and written ones counted
  Bytes free = 0;

  /// Updates a second of a march that moves so many bytes an update.
  [[nodiscard]] double limit(double bytes) const { return copied / bytes; }
  [[nodiscard]] std::string limit_text(double bytes) const {
    return fmt::format("{:g} B a cell at {:.2f} TB/s, copied here", bytes, copied / 1e12);
  }
};
/// One of each kind.
std::vector<Card> cards_of(const TestRun& run) {
  std::vector<Card> out;
  for (const NamedDevice& found : devices_of(run)) {
    const auto same = [&](const Card& card) {
      return card.info.name == found.info.name && card.info.memory == found.info.memory;
    };
    if (std::any_of(out.begin(), out.end(), same)) continue;
    const Bytes free = open_device(run, found.name).free_memory();
    out.push_back({found.name, found.info, device_rates(found.name).copy, free});
  }
  return out;
}
WorkerSpec worker_of(const TestRun& run, const std::string& name) {
  return {name, std::max(1, run.threads), 1, name, 0};
}

/// What users switch on beside the same with sponges, equal spacings and one density, of which it may cost an eighth.
void switched_rows(const TestRun& run, const Card& card, const BenchSink& sink) {
  // What a device holds with room to spare: 24 B a node of it, 16 B of the host.
  if (card.free < 28 * nodes || run.free_memory < 28 * nodes) return;
  const std::array<Index, 3> points{1024, 1024, 1024};
  const double budget = run.quick ? 1 : 3;
  struct Turn {
    const char* what;
    Edges edges;
    Switched on;
  };
  for (const int order : {2, 4, 6, 8}) {
    double sponges = 0;
    for (const Turn& turn : {Turn{"sponges", Edges::sponge, {}}, Turn{"matched layers", Edges::matched, {}},
                             Turn{"unequal spacings, sponges", Edges::sponge, {false, true}},
                             Turn{"density, sponges", Edges::sponge, {true, false}},
                             Turn{"unequal spacings and density, matched layers", Edges::matched, {true, true}}}) {
      const std::string beginning = fmt::format("panels, order {}: ", order), row = beginning + turn.what;
      const bool first = sponges == 0;
      if (first ? !run.may_want(beginning) : !run.may_want(row)) continue;
      run.doing(fmt::format("{} on {}", row, card.info.name));
      std::string used;
      const double rate =
          march_rate(order, points, worker_of(run, card.name), budget, "auto", turn.edges, used, 0, turn.on);
      if (first) sponges = rate;
      sink({row, rate / 1e9, "Gcells/s", rate / sponges, first ? 0 : 0.88 * sponges / 1e9,
            "sponges, equal spacings, one density", used});
    }
  }
}

/// Devices of one host that share the rows of a grid which one of them holds.
void shared_rows(const TestRun& run, const BenchSink& sink) {
  const auto found = devices_of(run);
  if (found.size() < 2 || found.front().info.free_memory < 24 * nodes || run.free_memory < 24 * nodes) return;
  for (const int order : {2, 4, 6, 8})
    for (const Edges edges : {Edges::sponge, Edges::matched}) {
      const std::string row =
          fmt::format("devices, order {}: {}", order, edges == Edges::matched ? "matched layers, " : "");
      if (!run.may_want(row)) continue;
      double one = 0;
      for (std::size_t count = 1; count <= found.size(); count *= 2) {
        run.doing(fmt::format("{}{} of {}", row, count, found.front().info.name));
        std::vector<WorkerSpec> workers;
        for (std::size_t d = 0; d < count; ++d) {
          const std::string& device = found[d].name;
          workers.push_back({device, std::max(1, run.threads / static_cast<int>(count)), 1, device, 0});
        }
        TimedMarch march(order, {1024, 1024, 1024}, std::move(workers), "auto", edges);
        const double rate = march.best(run.quick ? 1 : 3);
        if (count == 1) one = rate;
        sink({fmt::format("{}{}", row, count), rate / 1e9, "Gcells/s", rate / one,
              count > 1 ? 0.9 * static_cast<double>(count) * one / 1e9 : 0, "one", march.tiling()});
      }
    }
}

/// Three memories beside the levels, which single steps carry along by a kernel of their own: 12 B and 8 B more for each, beside the 16 of the stencil.
void attenuation_row(const TestRun& run, const Card& card, const BenchSink& sink) {
  const Index n = is_emulated(card.info) ? 48 : 768;
  const auto some = static_cast<Bytes>(n * n * n);
  if (card.free < 32 * some || run.free_memory < 32 * some) return;
  const double limit = card.limit(16 + 12 + 3 * 8);
  for (const int order : {2, 8}) {
    const std::string row = fmt::format("attenuation, order {}, {}: constant Q by three solids", order, card.info.name);
    if (!run.may_want(row)) continue;
    run.doing(row);
    std::string used;
    const double rate = march_rate(order, {n, n, n}, worker_of(run, card.name), is_emulated(card.info) ? 0 : 1, "auto",
                                   Edges::sponge, used, 0, {false, false, false, true});
    sink({fmt::format("{}, {}³", row, n), rate / 1e9, "Gcells/s", rate / limit, 0, card.limit_text(52), "bandwidth"});
  }
}

/// Rows of energy of a grid on a device, beside what reading both levels and the medium once takes.
void energy_rows(const TestRun& run, const Card& card, const BenchSink& sink) {
  if (card.free < 24 * nodes || run.free_memory < 24 * nodes) return;
  for (const int order : {2, 4, 8, 12}) {
    const std::string row = fmt::format("energies, order {}", order);
    if (!run.may_want(row)) continue;
    run.doing(fmt::format("{} on {}", row, card.info.name));
    TimedMarch march(order, {1024, 1024, 1024}, {worker_of(run, card.name)}, "auto", Edges::sponge);
    (void)march.best(0);
    const double rate = march.energies(run.quick ? 0.5 : 2), limit = card.limit(12);
    sink({row, rate / 1e9, "Gcells/s", rate / limit, 0.6 * limit / 1e9, card.limit_text(12), "bandwidth"});
  }
}

/// A run as a case makes it, all of whose grid lies on the device.
void in_core_rows(const TestRun& run, const Card& card, const BenchSink& sink) {
  // What a device holds with room to spare: 20 B a node of it, 12 B of the host.
  if (card.free < 24 * nodes || run.free_memory < 24 * nodes) return;
  const WorkerSpec worker = worker_of(run, card.name);
  const double budget = run.quick ? 1 : 3;
  std::string used;
  for (const int order : {2, 4, 6, 8, 10, 12}) {
    run.doing(fmt::format("order {} on {}", order, card.info.name));
    const auto rate_with = [&](const char* tiling, Edges edges) {
      return march_rate(order, {1024, 1024, 1024}, worker, budget, tiling, edges, used);
    };
    const double rate = rate_with("auto", Edges::sponge), limit = card.limit(16);
    sink({fmt::format("run on {}, order {}, varying c, 1024³, sponges, source, 100 receivers", used, order), rate / 1e9,
          "Gcells/s", rate / limit,
          order == 2                 ? 900.0
          : order == 6 || order == 8 ? 235.0
          : order == 4               ? 220.0
                                     : 0.0,
          card.limit_text(16), order > 8 ? "bandwidth" : "instructions, second cache"});
    // What a face is without a word; 0.88 of the rate with sponges is asked for.
    run.doing(fmt::format("matched layers, order {} on {}", order, card.info.name));
    const double matched = rate_with("auto", Edges::matched);
    sink({fmt::format("run on {}, order {}, varying c, 1024³, matched layers of {} nodes, source, 100 receivers", used,
                      order, safe_matched_width(order)),
          matched / 1e9, "Gcells/s", matched / rate, 0.88 * rate / 1e9, "the same with sponges",
          "cells beside the layers step by step"});
    const double single = rate_with("stepwise 8", Edges::matched);
    sink({fmt::format("run on {}, order {}, matched layers, step by step", used, order), single / 1e9, "Gcells/s",
          single / limit, 0, card.limit_text(16), "bandwidth"});
  }
}

/// The same with so little memory that planes are streamed from the host.
void streamed_rows(const TestRun& run, const Card& card, const BenchSink& sink) {
  // Long along x, as grids are that do not fit: what a device takes turns with is planes, and it needs many of them.
  const Index n = run.quick ? 512 : 768;
  const std::array<Index, 3> points{4 * n, n, n};
  if (card.free < static_cast<Bytes>(24 * 4 * n * n * n) || run.free_memory < static_cast<Bytes>(16 * 4 * n * n * n))
    return;
  const WorkerSpec worker = worker_of(run, card.name);
  const double budget = run.quick ? 1 : 3, limit = card.limit(16);
  std::string used;
  for (const int order : {2, 4, 6, 8, 10, 12}) {
    const std::string beginning = fmt::format("order {} with ", order);
    if (!run.may_want("run on ") && !run.may_want("the same step by step") && !run.may_want(beginning)) continue;
    run.doing(fmt::format("order {} on {}", order, card.info.name));
    const double rate = march_rate(order, points, worker, budget, "auto", Edges::sponge, used);
    sink(
        {fmt::format("run on {}, order {}, varying c, {} x {}², sponges, source, 100 receivers", used, order, 4 * n, n),
         rate / 1e9, "Gcells/s", rate / limit, 0, card.limit_text(16), "instructions, second cache"});
    if (run.may_want("the same step by step")) {
      const double single = march_rate(order, points, worker, budget, "stepwise 8", Edges::sponge, used);
      sink({fmt::format("the same step by step, order {}", order), single / 1e9, "Gcells/s", single / limit, 0,
            card.limit_text(16), "bandwidth"});
    }
    const Bytes whole = static_cast<Bytes>(12 * 4 * n * n * n);
    for (const int share :
         {2, 3}) {  // nine tenths are promised for half of the memory; less of it leaves shorter pieces
      const std::string row = fmt::format("{}{} of the memory", beginning, share == 2 ? "half" : "a third");
      if (!run.may_want(row)) continue;
      run.doing(fmt::format("streaming, order {} on {}", order, card.info.name));
      const double streamed =
          march_rate(order, points, worker, budget, "auto", Edges::sponge, used, whole / static_cast<Bytes>(share));
      sink({fmt::format("{} ({})", row, used), streamed / 1e9, "Gcells/s", streamed / rate,
            share == 2 && order <= 8 ? 0.9 * rate / 1e9 : 0, "the run in core", "ends of sweeps, the link"});
    }
  }
}

/// From a case to its end, receivers and all, over what its steps take by themselves. The device's context is there before, which takes `conoid run` some
/// 0.4 s more.
void whole_row(const TestRun& run, const WorkerSpec& worker, const std::string& who, int order,
               const std::array<Index, 3>& points, Index steps, const BenchSink& sink) {
  const std::string row = fmt::format("whole run, order {}, {} x {} x {}, {} steps, 100 receivers, {}", order,
                                      points[0], points[1], points[2], steps, who);
  if (!run.may_want(row)) return;
  run.doing(row);
  std::string used;
  const double rate = march_rate(order, points, worker, run.quick ? 0.5 : 1, "auto", Edges::sponge, used);
  const double cells = static_cast<double>(points[0] * points[1] * points[2]), h = 10;
  const auto across = [&](std::size_t a, double share) { return share * h * static_cast<double>(points[a] - 1); };
  const std::string text = fmt::format(
      R"({{"grid": {{"points": [{}, {}, {}], "spacing": {}}},
           "medium": {{"velocity": {{"kind": "layers", "layers": [{{"top": 0, "speed": 1500}}, {{"top": {}, "speed": 2000}}]}}}},
           "boundaries": {{"x_min": {{"kind": "sponge", "width": 20}}, "x_max": {{"kind": "sponge", "width": 20}},
                           "y_min": {{"kind": "sponge", "width": 20}}, "y_max": {{"kind": "sponge", "width": 20}},
                           "z_min": {{"kind": "free"}}, "z_max": {{"kind": "sponge", "width": 20}}}},
           "excitation": {{"sources": [{{"position": [{}, {}, {}], "signal": {{"kind": "ricker", "frequency": 8}}}}]}},
           "parameters": {{"order": {}, "steps": {}}},
           "output": {{"energy_every": 0, "receiver_lines": [
             {{"name": "line", "from": [{}, {}, {}], "to": [{}, {}, {}], "count": 100}}]}}}})",
      points[0], points[1], points[2], h, across(2, 0.5), across(0, 0.5), across(1, 0.5), across(2, 0.3), order, steps,
      across(0, 0.1), across(1, 0.5), across(2, 0.5), across(0, 0.9), across(1, 0.5), across(2, 0.5));
  const Json input = read_json(text);
  Offer offer = run.offer;
  offer.workers = {worker};
  offer.automatic = false;
  offer.host.value = run.free_memory;
  RowWorkers workers = run.workers();
  workers.workers = {worker};
  RowTeam team(workers);
  const auto begin = Clock::now();
  const auto results = run_case(solver_info(), input, team, offer);
  const double seconds = seconds_since(begin);
  if (!results) throw Failure(results.error());
  const double march = cells * static_cast<double>(steps) / rate;
  sink({row, seconds, "s", march / seconds, 0, fmt::format("{:.2f} s of steps alone", march),
        worker.device.empty() ? used : "the host's memory, the first copies"});
}
void whole_rows(const TestRun& run, const std::vector<Card>& cards, const BenchSink& sink) {
  if (!run.may_want("whole run, ")) return;
  const Index steps = 600;
  for (const int order : {2, 8}) {
    for (const Card& card : cards)
      for (std::array<Index, 3> points : {std::array<Index, 3>{1024, 2048, 1024}, {512, 512, 512}}) {
        if (is_emulated(card.info)) points = {64, 56, 64};
        const auto some = static_cast<Bytes>(points[0] * points[1] * points[2]);
        if (card.free < 22 * some || run.free_memory < 20 * some || (run.quick && some > nodes)) continue;
        whole_row(run, worker_of(run, card.name), card.info.name, order, points, is_emulated(card.info) ? 20 : steps,
                  sink);
        if (is_emulated(card.info)) break;
      }
    if (!cards.empty() && is_emulated(cards.front().info)) continue;
    const Index n = run.quick ? 192 : 384;
    whole_row(run, {"cpu", std::max(1, run.threads), 1}, fmt::format("{} threads", run.threads), order, {n, n, n},
              run.quick ? 200 : steps, sink);
  }
}

}  // namespace

void bench_devices(const TestRun& run, const BenchSink& sink) {
  const auto may_want = [&](std::initializer_list<const char*> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* one) { return run.may_want(one); });
  };
  if (!may_want({"run on ", "the same step by step", "order ", "panels, ", "energies, ", "attenuation, ", "devices, ",
                 "whole run, "}))
    return;
  const std::vector<Card> cards = cards_of(run);
  for (const Card& card : cards) {
    if (may_want({"run on "})) in_core_rows(run, card, sink);
    if (may_want({"run on ", "the same step by step", "order "})) streamed_rows(run, card, sink);
    if (may_want({"panels, "})) switched_rows(run, card, sink);
    if (may_want({"energies, "})) energy_rows(run, card, sink);
    if (may_want({"attenuation, "})) attenuation_row(run, card, sink);
  }
  if (may_want({"devices, "})) shared_rows(run, sink);
  whole_rows(run, cards, sink);
}

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// A case of several shots, and runs of it by any team and ranks.
#pragma once

#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <algorithm>
#include <string>

#include <fmt/core.h>

namespace conoid::acoustic_fd::testing {

/// Five shots whose sources share signals or not, one of them of two sources; `more` goes into its parameters.
inline std::string survey(const std::string& more = "", const std::string& output = "") {
  std::string sources;
  const auto add = [&](int shot, double x, double z, double frequency, double amplitude) {
    sources += fmt::format(
        R"({}{{"shot": {}, "position": [{}, 30.4, {}], "signal": {{"kind": "ricker", "frequency": "{} Hz", "amplitude": {}}}}})",
        sources.empty() ? "" : ",", shot, x, z, frequency, amplitude);
  };
  add(2, 21, 40.3, 60, 1);
  add(3, 30.5, 44, 60, 1);
  add(3, 44, 20.2, 50, -0.5);
  add(5, 40, 30, 45, 2);
  add(6, 25, 25, 60, 1);
  add(9, 35, 50, 55, -1);
  return fmt::format(
      R"json({{"conoid": 1, "title": "t", "solver": "acoustic-fd", "grid": {{"points": [33, 31, 35], "spacing": "2 m"}},
        "medium": {{"velocity": {{"kind": "layers", "layers": [{{"speed": 1500}}, {{"top": 30, "speed": 1900}}]}}}},
        "boundaries": {{"x_min": {{"width": 6}}, "z_max": {{"kind": "free"}}, "y_max": {{"kind": "rigid"}}, "x_max": {{"kind": "rigid"}},
                       "y_min": {{"kind": "rigid"}}, "z_min": {{"width": 6}}}},
        "excitation": {{"sources": [{}]}}, "parameters": {{"order": 4, "steps": 150{}}}, "output": {{"trace_every": 1, "energy_every": 7,
        "receivers": [{{"name": "a", "position": [40.3, 31, 30]}}, {{"name": "b", "position": [50, 44.2, 12], "velocity": true}}],
        "receiver_lines": [{{"from": [20, 31, 40], "to": [50, 31, 40], "count": 4}}]{}}}}})json",
      sources, more, output);
}

/// An image of them for survey(): what is sent back is of a smooth medium; fields of the waves are kept every third step.
inline std::string imaged(const char* kind) {
  return fmt::format(R"(, "image": {{"kind": "{}", "smooth": "8 m", "every": 3{}}})", kind,
                     kind == std::string_view("migration") ? R"(, "illumination": "both", "laplacian": true)" : "");
}

/// What a run needs, and what it says.
struct Survey {
  Case input;
  Offer offer;
  Communicator& cluster;
  Team team;
  MemoryResults results;
  NoProgress progress;
  RunContext context{input, nullptr, team, offer, cluster, results, progress, {}};
  std::unique_ptr<Solver> solver = solver_info().make();

  Survey(const std::string& text, Communicator& ranks, const char* workers)
      : input(Case::resolve(CaseDocument::parse(text, "case.json").value(),
                            Schema::for_solver("acoustic-fd", solver_info().schema).value())
                  .value()),
        offer(make_offer(input).value()), cluster(ranks), team(parse_workers(workers, 2).value()) {
    offer.place.rank = ranks.rank();
    offer.place.ranks = ranks.size();
    if (const Status s = solver->prepare(context); !s) throw Failure(s.error());
  }
  /// To this step of the run, or to its end.
  void go(Index until = 1'000'000) {
    context.marks = FrameMarks({until, 0, 0}, {});  // a bundle ends there
    for (;;) {
      const auto a = solver->advance(context);
      if (!a) throw Failure(a.error());
      if (a->finished)
        if (const Status s = solver->finish(context); !s) throw Failure(s.error());
      if (a->finished || a->step >= until) return;
    }
  }
  /// A field of the plane of x and z; empty on ranks that do not lead. Collective.
  [[nodiscard]] std::vector<float> field(const char* name) const {
    FrameBuilder builder({{"plane xz"}, {name}, 0}, 0);
    solver->fill(builder);
    const auto frame = builder.finish();
    return frame->parts.empty() ? std::vector<float>() : *frame->parts.at(0).fields.at(0).values;
  }
  [[nodiscard]] double number(std::string_view name) const {
    for (const auto& n : results.numbers)
      if (n.name == name) return n.value;
    return -1;
  }
};

/// Tables of `a` are those of `b` with all their bits, from their ends on (a run that was resumed has the rest).
inline std::string difference(const MemoryResults& a, const MemoryResults& b, bool rest = false) {
  if (!rest && a.tables.size() != b.tables.size()) return "number of tables";
  for (const auto& table : a.tables) {
    const auto* other = b.find(table->info.id);
    if (!other) return "no table " + table->info.id;
    if (table->info.definition != other->info.definition || table->info.title != other->info.title ||
        table->info.columns.size() != other->info.columns.size() || table->info.form != other->info.form)
      return "head of " + table->info.id;
    if (rest ? table->rows.size() > other->rows.size() : table->rows.size() != other->rows.size())
      return fmt::format("{} has {} rows, not {}", table->info.id, table->rows.size(), other->rows.size());
    if (!std::equal(table->rows.rbegin(), table->rows.rend(), other->rows.rbegin())) return "rows of " + table->info.id;
  }
  for (const auto& n : a.numbers)
    if (n.name != "field_memory" && n.name != "shots_at_once" &&
        std::none_of(b.numbers.begin(), b.numbers.end(),
                     [&](const auto& other) { return other.name == n.name && other.value == n.value; }))
      return "number " + n.name;
  return {};
}

/// As the session keeps them: at the beginning, where marks are crossed, at the end.
inline std::vector<std::shared_ptr<const Frame>> frames_of(Survey& survey, const Cadence& cadence,
                                                           Index until = 1'000'000, Cadence::Moment* from = nullptr) {
  std::vector<std::shared_ptr<const Frame>> out;
  Cadence::Moment kept = from ? *from : Cadence::Moment{};
  const auto keep = [&] {
    FrameBuilder builder({{"plane xz", "plane xy"}, {}, 0}, 0);
    survey.solver->fill(builder);
    out.push_back(builder.finish());
  };
  if (!from) keep();
  for (bool over = false; !over;) {
    survey.context.marks = FrameMarks(cadence, kept);
    const auto a = survey.solver->advance(survey.context);
    if (!a) throw Failure(a.error());
    const Cadence::Moment now = Cadence::moment(*a);
    if (a->finished)
      if (const Status s = survey.solver->finish(survey.context); !s) throw Failure(s.error());
    if (cadence.due(kept, now) || (a->finished && a->step != kept.step)) {
      keep();
      kept = now;
    }
    if (from) *from = kept;
    over = a->finished || a->step >= until;
  }
  if (from) *from = kept;
  return out;
}
inline std::string difference_of(const std::vector<std::shared_ptr<const Frame>>& a,
                                 const std::vector<std::shared_ptr<const Frame>>& b) {
  if (a.size() != b.size()) return fmt::format("{} frames, not {}", a.size(), b.size());
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (a[n]->step != b[n]->step || a[n]->value != b[n]->value)
      return fmt::format("frame {} of step {}, not {}", n, a[n]->step, b[n]->step);
    if (a[n]->parts.size() != b[n]->parts.size() || a[n]->parts.empty()) return fmt::format("parts of frame {}", n);
    for (std::size_t p = 0; p < a[n]->parts.size(); ++p) {
      const auto &one = a[n]->parts[p].fields, &other = b[n]->parts[p].fields;
      if (one.size() != other.size() || one.empty()) return fmt::format("fields of frame {}", n);
      for (std::size_t f = 0; f < one.size(); ++f)
        if (one[f].info.name != other[f].info.name || *one[f].values != *other[f].values)
          return fmt::format("{} of frame {}, step {}", one[f].info.name, n, a[n]->step);
    }
  }
  return {};
}

}  // namespace conoid::acoustic_fd::testing

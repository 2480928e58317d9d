// SPDX-License-Identifier: BSD-3-Clause
// Small cases as ranks march them, whose pressures at the receivers are compared.
#pragma once

#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "engine/mesh/generators.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_bem/acoustic_bem.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/resolved_case.hpp"

namespace conoid::acoustic_bem {

/// Arrays as ranks leave them; the joined ones are those of a file.
struct RankFiles {
  std::map<std::string, std::vector<std::byte>> arrays;
};
class RankWriter final : public CheckpointWriter {
 public:
  RankWriter(RankFiles& store, bool leads) : store_(store), leads_(leads) {}

 protected:
  [[nodiscard]] bool leads() const override { return leads_; }
  void bytes(std::string_view name, std::size_t entry, Index global, Index begin,
             std::span<const std::byte> data) override {
    auto& a = store_.arrays[std::string(name)];
    a.resize(static_cast<std::size_t>(global) * entry);
    std::copy(data.begin(), data.end(), a.begin() + begin * static_cast<std::ptrdiff_t>(entry));
  }

 private:
  RankFiles& store_;
  bool leads_;
};
class RankReader final : public CheckpointReader {
 public:
  explicit RankReader(const RankFiles& store) : store_(store) {}
  [[nodiscard]] Index length(std::string_view name) const override {
    const auto a = store_.arrays.find(std::string(name));
    return a == store_.arrays.end() ? -1 : static_cast<Index>(a->second.size() / sizeof(double));
  }

 protected:
  void bytes(std::string_view name, std::size_t entry, Index begin, std::span<std::byte> out) const override {
    const auto& a = store_.arrays.at(std::string(name));
    std::copy_n(a.begin() + begin * static_cast<std::ptrdiff_t>(entry), out.size(), out.begin());
  }

 private:
  const RankFiles& store_;
};

inline Json rank_json(const char* surface, const char* precision) {
  Json json = read_json(R"({
    "solver": "acoustic-bem", "mesh": {"file": "body.msh"},
    "medium": {"speed": "340 m/s"},
    "excitation": {"waves": [{"kind": "plane", "direction": [0, 0, 2]}, {"kind": "point", "position": [0, 2.5, 2]}],
                   "separate": true, "pulse": {"kind": "ricker", "frequency": "60 Hz"}},
    "output": {
      "receivers": [{"position": [0, 0, -3]}, {"position": [2.5, 0, 0.5]}, {"position": [0, 0, 3]}],
      "planes": [{"normal": "y", "low": [-3, 0, -3], "high": [3, 0, 3], "points": [7, 7]}],
      "maps": [60]}
  })");
  json["boundaries"]["surface"] = surface;
  json["compute"]["precision"] = precision;
  return json;
}

inline Case rank_case(const Json& json) {
  return conoid::test::resolved_case(solver_info(), json);
}

struct RankRun {
  Case input;
  Offer offer = make_offer(input).value();
  std::shared_ptr<const Mesh> mesh;
  Team team;
  MemoryResults results;
  NoProgress progress;
  RunContext context;
  AcousticBem solver;

  RankRun(const Json& json, std::shared_ptr<const Mesh> m, Communicator& cluster,
          const std::vector<WorkerSpec>& workers = {{"cpu", 1, 1}})
      : input(rank_case(json)), mesh(std::move(m)),
        team(workers), context{input, mesh, team, offer, cluster, results, progress, {}} {
    const Status s = solver.prepare(context);
    if (!s) qFatal("%s", s.error().render().c_str());
  }
  void go(Index calls = 1 << 30) {
    context.marks = calls < 1 << 30 ? FrameMarks({1, 0, 0}, {}) : FrameMarks();  // a group a call
    for (Index k = 1;; ++k) {
      const auto a = solver.advance(context);
      if (!a.ok()) qFatal("%s", a.error().render().c_str());
      if (a->finished || k == calls) return;
    }
  }
  /// Pressures at the receivers, all steps of this part of the run.
  [[nodiscard]] std::vector<double> pressures() const {
    std::vector<double> out;
    for (const auto& row : results.find("receivers")->rows) out.insert(out.end(), row.begin() + 1, row.end());
    return out;
  }
};

/// A checkpoint of all ranks, whole on the first of them.
inline RankFiles left_by(const RankRun& run, Communicator& cluster) {
  RankFiles store;
  RankWriter writer(store, cluster.leads());
  run.solver.save(writer);
  for (auto& [name, array] : store.arrays) {
    if (!name.starts_with("past")) continue;
    const auto count = array.size() / sizeof(double);
    cluster.sum(std::span(reinterpret_cast<double*>(array.data()), count));  // each entry is written by one rank
  }
  return store;
}

inline double rank_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size() || a.empty()) return 1;
  double most = 0, difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    most = std::max(most, std::abs(a[k]));
    difference = std::max(difference, std::abs(a[k] - b[k]));
  }
  return difference / most;
}

inline std::shared_ptr<const Mesh> rank_body(const QString& name) {
  if (name == "sphere" || name == "filled")
    return std::make_shared<const Mesh>(*icosphere({.divisions = 4, .equal_volume = true}));
  if (name == "bar")
    return std::make_shared<const Mesh>(
        *box_surface({.low = {-4, -0.25, -0.25}, .high = {4, 0.25, 0.25}, .divisions = {32, 2, 2}}));
  if (name == "walls") {
    Mesh mesh = *icosphere({.divisions = 4, .equal_volume = true});
    const char* names[] = {"first", "second", "third"};
    for (Index k = 0; k < 3; ++k) {
      std::vector<Index> cells(60);
      std::iota(cells.begin(), cells.end(), 60 * k);
      mesh.add_group(names[k], 2).cells = cells;
    }
    return std::make_shared<const Mesh>(std::move(mesh));
  }
  const int n = name == "one unknown" ? 2 : 9;
  return std::make_shared<const Mesh>(*plate({.low = {-1, -1}, .high = {1, 1}, .divisions = {n, n}, .level = 0}));
}

}  // namespace conoid::acoustic_bem

// SPDX-License-Identifier: BSD-3-Clause
// Cases that the solver computes without a session: a sphere, and conditions on it.
#pragma once

#include <QString>
#include <QtGlobal>

#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "engine/mesh/generators.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_bem/acoustic_bem.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/memory_checkpoint.hpp"
#include "tests/engine/solvers/resolved_case.hpp"

namespace conoid::acoustic_bem::test {
inline Json sphere_case() {
  return read_json(R"({
    "solver": "acoustic-bem", "mesh": {"file": "sphere.msh"},
    "medium": {"speed": "340 m/s"},
    "excitation": {"waves": [{"kind": "plane", "direction": [0, 0, 2]}], "pulse": {"kind": "ricker", "frequency": "100 Hz"}},
    "output": {
      "receivers": [{"position": [0, 0, -3]}, {"name": "side", "position": [2.5, 0, 0.5]}],
      "planes": [{"normal": "y", "low": [-3, 0, -3], "high": [3, 0, 3], "points": [13, 13]}],
      "frequencies": {"from": 40, "to": 200, "count": 9}, "maps": [100], "directions": [[1, 0, 0]],
      "pattern": {"count": 24}, "exact": "sphere"}
  })");
}

inline Case resolved(const Json& json) {
  return conoid::test::resolved_case(solver_info(), json);
}

inline std::shared_ptr<const Mesh> sphere(int divisions) {
  return std::make_shared<const Mesh>(*icosphere({.divisions = divisions, .equal_volume = true}));
}

/// Boundaries from their text; a filled surface has a fluid that is slower and lighter.
inline void set_boundaries(Json& json, const QString& boundaries) {
  json["boundaries"] = read_json(boundaries.toUtf8().constData());
  if (json["boundaries"].value("surface", "") == "filled")
    json["medium"]["filling"] = read_json(R"({"speed": 260, "density": 0.8})");
}

/// A run up to `steps` calls of advance (or its end).
struct Run {
  Case input;
  Offer offer = make_offer(input).value();
  std::shared_ptr<const Mesh> mesh;
  Team team;
  std::unique_ptr<Communicator> cluster = single_rank();
  MemoryResults results;
  NoProgress progress;
  RunContext context{input, mesh, team, offer, *cluster, results, progress, {}};
  AcousticBem solver;

  Run(const Json& json, std::shared_ptr<const Mesh> m, const std::vector<WorkerSpec>& workers = {{"cpu", 2, 1}})
      : input(resolved(json)), mesh(std::move(m)), team(workers) {
    const Status s = solver.prepare(context);
    if (!s) qFatal("%s", s.error().render().c_str());
  }
  Index go(Index calls = 1 << 30) {
    context.marks = calls < 1 << 30 ? FrameMarks({1, 0, 0}, {}) : FrameMarks();  // a group a call
    for (Index k = 1;; ++k) {
      const auto a = solver.advance(context);
      if (!a.ok()) qFatal("%s", a.error().render().c_str());
      if (a->finished || k == calls) return a->step;
    }
  }
  [[nodiscard]] double number(const char* name) const {
    for (const auto& n : results.numbers)
      if (n.name == name) return n.value;
    return std::nan("");
  }
};

/// Keeps in memory, and has a folder for files.
class InFolder final : public Results {
 public:
  InFolder(MemoryResults& kept, std::filesystem::path folder) : kept_(kept), folder_(std::move(folder)) {}
  Table& table(const TableInfo& info) override { return kept_.table(info); }
  void number(std::string_view name, double value, std::string_view unit) override { kept_.number(name, value, unit); }
  void text(std::string_view, std::string_view) override {}
  [[nodiscard]] std::filesystem::path folder() const override { return folder_; }

 private:
  MemoryResults& kept_;
  std::filesystem::path folder_;
};

inline QString first_error(const Json& json, const Mesh& mesh) {
  const Case c = resolved(json);
  for (const Diagnostic& d : AcousticBem().check(c, &mesh, make_offer(c).value()))
    if (d.severity == Severity::error) return QString::fromStdString(d.render());
  return {};
}

}  // namespace conoid::acoustic_bem::test

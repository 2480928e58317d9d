// SPDX-License-Identifier: BSD-3-Clause
// A case that the solver computes without a session, and how far its tables are from those of another.
#pragma once

#include <QtGlobal>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/session/offer.hpp"
#include "engine/solvers/elastic_bem/elastic_bem.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem::test {

inline Result<Case> resolved(const Json& json) {
  const auto schema = Schema::for_solver("elastic-bem", solver_info().schema);
  if (!schema.ok()) qFatal("%s", schema.error().render().c_str());
  return Case::resolve(CaseDocument::from_json(json, "case.json"), *schema);
}

struct Run {
  Case input;
  Offer offer = make_offer(input).value();
  std::shared_ptr<const Mesh> mesh;
  Team team;
  std::unique_ptr<Communicator> cluster = single_rank();
  MemoryResults results;
  NoProgress progress;
  RunContext context{input, mesh, team, offer, *cluster, results, progress, {}};
  ElasticBem solver;
  explicit Run(const Json& json, std::vector<WorkerSpec> workers = {{"cpu", 2, 1}},
               std::shared_ptr<const Mesh> given = nullptr)
      : input(resolved(json).value()), mesh(std::move(given)), team(std::move(workers)) {
    const Status s = solver.prepare(context);
    if (!s) qFatal("%s", s.error().render().c_str());
  }
  void go() {
    for (;;) {
      const auto a = solver.advance(context);
      if (!a.ok()) qFatal("%s", a.error().render().c_str());
      if (a->finished) return;
    }
  }
  [[nodiscard]] std::vector<std::vector<double>> rows(const char* table) const { return results.find(table)->rows; }
};

/// Largest difference of two tables, over the largest value of its row; the first column is not compared.
inline double farthest(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  double m = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    double size = 0, defect = 0;
    for (std::size_t j = 1; j < a[i].size(); ++j) {
      size = std::max(size, std::abs(a[i][j]));
      defect = std::max(defect, std::abs(a[i][j] - b[i][j]));
    }
    m = std::max(m, defect / size);
  }
  return m;
}

}  // namespace conoid::elastic_bem::test

// SPDX-License-Identifier: BSD-3-Clause
// The one place where resources are resolved: by flags, then the case, the window's settings, the environment, the system. Keys of
// "compute" that speak of resources are read here and nowhere else (tests/engine/test_one_offer.cpp).
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/core/error.hpp"
#include "engine/solvers/estimate.hpp"
#include "engine/team/offer.hpp"

namespace conoid {

/// Who speaks beside the case and the system.
struct OfferSources {
  ResourceRequest flags{};     ///< go before the case
  ResourceRequest settings{};  ///< of the window: after the case
  RankPlace place{};
  std::filesystem::path results{};  ///< below which a run writes; empty: the working folder
};

/// Errors are those of parse_workers(): what is named has to be here. Devices are looked for (not opened) where the solver runs on any,
/// or some are named. From any thread.
[[nodiscard]] Result<Offer> make_offer(const Case& input, const OfferSources& sources = {});

/// Whether a case says itself who computes it: settings do not matter then.
[[nodiscard]] bool names_workers(const CaseDocument& document);

/// The same without a case: for what is no run. Its workers are the processors.
[[nodiscard]] Offer make_offer(const ResourceRequest& flags = {});

/// The same for tables of verification and benchmarks: the workers are those that the flags name, the processors where they name none.
[[nodiscard]] Result<Offer> make_table_offer(const ResourceRequest& flags);

/// Which ranks share a machine: those whose kernels were started at once. Collective.
[[nodiscard]] RankPlace place_of(Communicator& cluster);

/// What a run takes of an offer. `check` prints it; `run` logs it, and writes it into run.json and summary.json.
struct RunPlan {
  Offer offer;
  ChosenTeam team;
  Estimate estimate;
  double checkpoint_every = 600;  ///< seconds of wall time; 0 = only on request and on stop
  std::string checkpoint_source;
  std::vector<Diagnostic> diagnostics;  ///< devices named for nothing, memory or disk that will not do

  /// Option, value, who said it.
  struct Row {
    std::string name, value, source;
  };
  [[nodiscard]] std::vector<Row> rows() const;
  [[nodiscard]] std::string text() const;  ///< one line, for the log
  [[nodiscard]] Json options() const;      ///< for run.json: {"threads": {"value": "4", "source": "flag"}}
  [[nodiscard]] Json resources() const;    ///< numbers, for summary.json and `check --json`
};
[[nodiscard]] RunPlan plan_run(const Offer& offer, const Case& input, const Estimate& estimate);

/// Bytes that this rank may still take now, of what its machine has free.
[[nodiscard]] Bytes still_free(const RankPlace& place);

}  // namespace conoid

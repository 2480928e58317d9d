// SPDX-License-Identifier: BSD-3-Clause
// What a run may take: workers, threads, memory, ranks. Resolved once (engine/session/offer.hpp), before anything is computed; after that
// nobody asks the case, the environment or the system again. An offer opens nothing.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/module.hpp"
#include "engine/team/workers.hpp"

namespace conoid {

/// What a person says beside the case: the flags of a command, or the settings of the window.
struct ResourceRequest {
  std::string workers{};                  ///< as in a case; empty: nothing is said
  int threads = 0;                        ///< 0: nothing is said
  std::optional<Bytes> host{}, device{};  ///< memory of a rank, and of each of its devices
  std::optional<bool> deterministic{};
  friend bool operator==(const ResourceRequest&, const ResourceRequest&) = default;
};

/// A value and who said it: "flag", "case", "settings", "environment NAME", "default".
template <class T>
struct Offered {
  T value{};
  std::string source = "default";
  [[nodiscard]] bool said() const { return source != "default"; }
};

/// Where a process stands among those of its run; local ones share its machine.
struct RankPlace {
  int rank = 0, ranks = 1;
  int local_rank = 0, local_ranks = 1;
  /// Among those of them that may run on the same processors, as all may that their launcher has not bound.
  int sharer = 0, sharers = 1;
};

/// All of one rank.
struct Offer {
  Offered<std::string> who{"auto"};  ///< the workers as they were said
  /// The workers that `who` means here, each device with the memory that may be taken of it. Of several ranks each has one device:
  /// the ranks of a machine take its devices in turn.
  std::vector<WorkerSpec> workers;
  std::vector<DeviceInfo> devices;  ///< those among them, in their order
  bool automatic = true;            ///< devices may be left out
  Offered<int> threads{1};
  Offered<Bytes> host;    ///< memory
  Offered<Bytes> device;  ///< memory of each device, where that was said; 0: each as in `workers`
  Offered<Bytes> disk;    ///< free where results go; 0: not known
  Offered<bool> deterministic;
  Offered<std::string> balancer{"greedy"};
  Offered<int> groups{0};  ///< that ranks form; 0: as many as the case can use
  RankPlace place;
  Machine machine;
  /// Of all workers together: as many as the team will have.
  [[nodiscard]] int team_threads() const {
    int out = 0;
    for (const WorkerSpec& worker : workers) out += worker.threads;
    return std::max(1, out);
  }
};

/// What a case can do with devices, as its solver says.
struct DeviceUse {
  int most = -1;    ///< so many of them make it faster; −1: all there are
  std::string why;  ///< not more: "a grid that is streamed goes through one device"
  /// Why they are faster without processors beside them, which then wait for their share: "cpu:15: …"; empty: processors compute, too.
  std::string alone{};
  /// The solver compared whole runs of this case with and without devices, their start included: `most` is what came of it. Else
  /// "auto" judges by weights (worth_their_start).
  bool priced = false;
};

/// How the ranks of a run may form groups, each of which computes steps of its own (frequencies, shots), as the solver says of a case.
struct GroupUse {
  int least = 1, most = 1;                     ///< groups
  bool alike = false;                          ///< all have as many ranks
  std::string why = "ranks share every step";  ///< no fewer, no more; ends a sentence

  /// Of so many ranks: 1, 2, 4.
  [[nodiscard]] std::vector<int> fitting(int ranks) const;
};

/// Groups that the ranks form for so many steps.
[[nodiscard]] inline int rank_groups(const Offer& offer, Index steps) {
  const int most = offer.groups.value > 0 ? std::min(offer.groups.value, offer.place.ranks) : offer.place.ranks;
  return std::max(1, static_cast<int>(std::min<Index>(most, steps)));
}

/// The team that computes, of those that are offered.
struct ChosenTeam {
  std::vector<WorkerSpec> workers;
  std::string left_out;  ///< workers of "auto" that do not take part, and why; empty: all do
  std::string
      idle;  ///< devices that were named although they do not make the case faster, and why; empty: there are none
  [[nodiscard]] std::vector<std::string> devices() const;
  [[nodiscard]] Bytes device_memory()
      const;  ///< that may be taken of each; of the one with the least, 0 without devices
};

/// Of "auto" the devices take part that the case can use and that pay (as the solver priced them, else worth_their_start); what is named
/// is obeyed. `seconds`: what the processors alone are expected to take, 0: not known.
[[nodiscard]] ChosenTeam choose_team(const Offer& offer, const DeviceUse& use, double seconds);

/// "cuda:0:1,cpu:3": names and threads.
[[nodiscard]] std::string text_of(const std::vector<WorkerSpec>& workers);

/// A rank's share of three quarters of a machine's free memory: what a run may take where nobody says more.
[[nodiscard]] Bytes share_of_free_memory(const Machine& machine, const RankPlace& place);

}  // namespace conoid

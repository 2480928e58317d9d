// SPDX-License-Identifier: BSD-3-Clause
// Shots of one run that march at the same time: one a device, or one a group of ranks.
//
// Part p of P takes shots p, p + P, p + 2P …, as a run of these shots alone would: with a march of its own, on one device or in one group of ranks, in
// the same steps as the other parts. What it writes is what one run of all shots writes for them, to the last bit, since neither devices nor ranks
// have an influence on a bit of a march. Ranks of a group are neighbours. Parts keep what they say to results; the leading rank of the run passes it on after
// every bundle of steps, part by part. Frames show the shot of part 0, and the image, which it holds: misfits and products of the shots are added in their
// order whenever a march of them has ended, as one after the other adds them.
//
// Checkpoints hold every part under names of its own and go on with as many parts, on as many ranks and devices as there are then.
#pragma once

#include "engine/solvers/acoustic_fd/case.hpp"
#include "engine/solvers/acoustic_fd/stepping/shot_results.hpp"
#include "engine/solvers/solver.hpp"
#include "engine/team/workers.hpp"

#include <memory>
#include <string>
#include <vector>

namespace conoid::acoustic_fd {

class AcousticFd;

/// How many shots march at the same time, and what limits them.
struct ShotShare {
  int parts = 1;
  std::string why;  ///< fewer than there could be; empty: all there is takes part, or there is one shot
};
/// Of a case on `devices` devices of one rank with so much memory each, or on the ranks of the offer. Opens and reads nothing. A case that says how many gets
/// as many as there are devices or ranks for, and shots; without a word all that memory holds, unless it keeps frames of waves, which show one
/// shot; those of an image show the image, to which all shots come.
[[nodiscard]] ShotShare share_shots(const Setup& setup, const Offer& offer, int devices, Bytes device_memory);

/// From the engine thread, on every rank alike.
class ShotBatch {
 public:
  /// From silence. `context` outlives it. Throws Failure.
  ShotBatch(RunContext& context, const Setup& setup, int parts);
  ~ShotBatch();
  [[nodiscard]] int parts() const { return count_; }

  [[nodiscard]] Result<Advanced> advance(RunContext& context);
  /// The part that is shown; of other ranks their own.
  [[nodiscard]] const AcousticFd& shown() const;
  [[nodiscard]] bool shows() const;  ///< this rank has part 0
  void save(CheckpointWriter& writer) const;
  void load(CheckpointReader& reader);
  [[nodiscard]] Status finish(RunContext& context);

 private:
  struct Part;
  [[nodiscard]] std::vector<WorkerSpec> workers_of(int part, const RunContext& context) const;
  void add_part(int number, RunContext& context, const Setup& setup, const std::filesystem::path& folder);
  /// All parts to step `end` of their shots; parts of several devices at the same time.
  [[nodiscard]] Status march(Index end);
  /// Misfits, and products for the image, of marches that have ended.
  [[nodiscard]] Status add_images(Communicator& all);
  void add_misfits(Communicator& all);
  [[nodiscard]] Status add_products(Communicator& all);
  void pass_on(RunContext& context);
  void tell_team(RunContext& context);

  int count_ = 1, all_threads_ = 1, shots_ = 1;
  bool images_ = false;
  Index steps_ = 0;  ///< of a shot, in all its marches
  int devices_ = 0;  ///< of this rank
  std::unique_ptr<Communicator> group_;
  std::vector<std::unique_ptr<Part>> parts_;  ///< of this rank
  ShotSpeaker speaker_;
};

}  // namespace conoid::acoustic_fd

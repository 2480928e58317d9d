// SPDX-License-Identifier: BSD-3-Clause
// Shots of one run that march at the same time: one a device, or one a group of ranks.
//
// Part p of P takes shots p, p + P, p + 2P …, as a run of these shots alone would: with a march of its own, on one device or in one group of ranks, in
// the same steps as the other parts. What it writes is what one run of all shots writes for them, to the last bit, since neither devices nor ranks
// have an influence on a bit of a march. Ranks of a group are neighbours. Parts keep what they say to results; the leading rank of the run passes it on after
// every bundle of steps, part by part.
//
// Frames of waves are those of all shots one after the other: the run counts the steps of all. While part 0 marches its shot is shown; the others keep frames
// of theirs at the steps at which they are due, and when the shots of a round are over advance() goes on from one of these to the next. Frames of an image show
// it, which part 0 holds, and the waves of part 0, and steps are those of one part: misfits and products of the shots are added in
// their order whenever a march of them has ended, as one after the other adds them.
//
// Checkpoints hold every part under names of its own and go on with as many parts, on as many ranks and devices as there are then.
#pragma once

#include "engine/solvers/acoustic_fd/case.hpp"
#include "engine/solvers/acoustic_fd/stepping/shot_frames.hpp"
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
/// as many as there are devices or ranks for, and shots; without a word all that memory holds, with frames that wait for their turn.
[[nodiscard]] ShotShare share_shots(const Setup& setup, const Offer& offer, int devices, Bytes device_memory);
/// Frames of one shot that wait until those of the shots before have been shown.
[[nodiscard]] Bytes waiting_frames_bytes(const Setup& setup);

/// From the engine thread, on every rank alike.
class ShotBatch {
 public:
  /// From silence. `context` outlives it. Throws Failure.
  ShotBatch(RunContext& context, const Setup& setup, int parts);
  ~ShotBatch();
  [[nodiscard]] int parts() const { return count_; }

  [[nodiscard]] Result<Advanced> advance(RunContext& context);
  /// Part 0; of other ranks their own.
  [[nodiscard]] const AcousticFd& shown() const;
  void fill(FrameBuilder& builder) const;
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
  /// Of a part beside part 0, which marches to step `end` of its shot: frames at the steps at which they are due.
  [[nodiscard]] Status march_with_frames(Part& part, Index end);
  /// After the march of a round: the step of the next frame of a shot beside part 0's; 0: there is none.
  [[nodiscard]] Index next_turn(const FrameMarks& marks) const;
  void take_turn(Index step);
  /// As they are counted: of all shots, or of the rounds of part 0.
  [[nodiscard]] Index all_steps() const;
  [[nodiscard]] Advanced where_it_stands(Index done) const;
  void tell_team(RunContext& context);

  int count_ = 1, all_threads_ = 1, shots_ = 1;
  bool images_ = false;
  Index steps_ = 0;  ///< of a shot, in all its marches
  int devices_ = 0;  ///< of this rank
  Communicator* all_;
  bool framed_ = false;  ///< frames of all shots are shown, and steps of all counted
  bool counting_ = false;
  Index round_ = 0;                          ///< shots that part 0 had before
  bool round_over_ = false;                  ///< its shots are at their end
  Index turn_ = 0;                           ///< step whose frame is shown; 0: the march of part 0 is
  std::shared_ptr<const Frame> turn_frame_;  ///< of the leading rank
  std::unique_ptr<Communicator> group_;
  std::vector<std::unique_ptr<Part>> parts_;  ///< of this rank
  ShotSpeaker speaker_;
};

}  // namespace conoid::acoustic_fd

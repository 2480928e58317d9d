// SPDX-License-Identifier: BSD-3-Clause
// The files of one run on one rank: folder, tables, results frames, checkpoints, log.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/core/log.hpp"
#include "engine/io/checkpoint_store.hpp"
#include "engine/io/frame.hpp"
#include "engine/io/held_checkpoint.hpp"
#include "engine/io/run_folder.hpp"
#include "engine/io/vtkhdf.hpp"
#include "engine/session/background_queue.hpp"
#include "engine/session/run_lock.hpp"
#include "engine/session/session.hpp"

namespace conoid {

/// Wall seconds of the session's own stages, summed over the parts of a resumed run.
struct Stages {
  double prepare = 0, march = 0, frames = 0, checkpoints = 0, finish = 0;
  double pictures = 0;  ///< live frames for a viewer
  double beside = 0;    ///< checkpoints that were written while the march went on: costs none of the others
  double total = 0;     ///< from start to end, what lies between the stages included
  int resumed = 0;      ///< times this run was continued
};

/// What the session itself must know to go on, kept in every checkpoint beside the solver's arrays.
struct SessionMark {
  Index step = 0;
  Index steps = 0;
  double value = 0;
  std::uint64_t frames = 0;  ///< results frames written
  Index kept_step = 0;       ///< of the last of them
  double kept_value = 0;
  double kept_share = -1;
  std::uint64_t passes = 0;  ///< of the team
  Stages stages;
  std::string hash{};  ///< of the case; empty in checkpoints of earlier versions
};

/// All members that write are collective over the ranks unless said otherwise; rank 0 writes everything but its
/// neighbours' shares of a checkpoint. Errors are thrown as Failure.
class RunFiles {
 public:
  struct Plan {
    std::string hash;  ///< of the case
    int checkpoints_kept = 2;
    Json run;               ///< run.json of a new run
    double log_origin = 0;  ///< when the run began, in log::seconds()
  };
  /// With a resumed run: writes its case and run.json anew, after a change that it may take. Rank 0.
  void take_case(const CaseDocument& document, const Json& run);
  /// Makes the run folder with case.json and run.json, or reopens it, as the options say. Collective.
  RunFiles(const SessionOptions& options, const Plan& plan, Communicator& cluster);
  ~RunFiles();

  [[nodiscard]] const std::filesystem::path& folder() const;
  [[nodiscard]] RunResults& results() { return *results_; }

  /// Rank 0. Hands a frame to a thread that writes it; waits only while earlier frames fill too much memory. An error of
  /// that thread comes out of the next call that touches frames.
  void add_frame(std::shared_ptr<const Frame> frame);
  /// Frames handed over so far.
  [[nodiscard]] std::uint64_t frames() const { return frames_; }

  /// Of what size a checkpoint is copied and written beside the march: bytes of this rank's share.
  struct Beside {
    Bytes from = 0;
    Bytes to = 0;  ///< 0: none is
  };
  /// Takes a checkpoint: the solver's arrays by `save`, tables and numbers, and the mark. A share within `beside` is copied, and a
  /// thread writes it beside what the caller does next; others are written here. When `give_up` says yes meanwhile it is dropped, and Failure(stopped) thrown; the one before it
  /// counts. One at a time: settle_checkpoint() has given the last one back. True: it is written and counts.
  [[nodiscard]] bool take_checkpoint(const SessionMark& mark, const std::function<void(CheckpointWriter&)>& save,
                                     const Beside& beside, const std::function<bool()>& give_up = {});

  /// What to do about the checkpoint that is being written.
  enum class Settle : std::uint8_t {
    look,  ///< take its end, if all ranks have come to theirs
    wait,  ///< wait for its end
    drop   ///< end it soon; it does not count, unless it does already
  };
  struct Settled {
    Index step = -1;
    double seconds = 0;  ///< of writing
    Bytes bytes = 0;     ///< of this rank's file
    bool counts = false;
  };
  /// Empty while it is not yet written. Its failure is thrown here, as by take_checkpoint. `patience`, with `wait`: asked about
  /// twenty times a second on a single rank; when it says no the checkpoint is dropped.
  [[nodiscard]] std::optional<Settled> settle_checkpoint(Settle how, const std::function<bool()>& patience = {});
  /// Whether one is being written: taken, and not yet settled. On all ranks alike.
  [[nodiscard]] bool writes_checkpoint() const { return flight_ != nullptr; }
  /// Whether this rank has come to its end with it.
  [[nodiscard]] bool has_written_checkpoint() const { return flight_ && flight_->done; }
  /// Bytes of this rank's last checkpoint, as it was taken; 0: none.
  [[nodiscard]] Bytes checkpoint_bytes() const { return checkpoint_bytes_; }
  /// The newest step whose checkpoint counts, -1: none that this session has written. Any thread; rank 0.
  [[nodiscard]] Index newest_step() const { return newest_step_; }
  /// Without a word to other ranks, for the end after a failure: a single rank waits for its end while `patience` says yes, several
  /// drop it. What went wrong with it is lost.
  void end_checkpoint(const std::function<bool()>& patience);

  /// Bytes a second that this folder's disk takes, by writing some; rank 0.
  [[nodiscard]] double measure_disk() const;

  /// The newest checkpoint that is whole; the damaged ones before it are named in `damaged`. Empty when there is none.
  struct Found {
    std::unique_ptr<CheckpointReader> reader;
    SessionMark mark;
  };
  [[nodiscard]] std::optional<Found> newest_checkpoint(std::vector<Diagnostic>& damaged);
  /// Cuts tables and results frames back to a checkpoint; warnings say what had to be given up.
  [[nodiscard]] std::vector<Diagnostic> cut_back_to(const Found& found);
  /// Removes tables and frames: a run that starts again in its folder.
  void start_over();

  /// Tables on disk as they are now (rank 0), to show what a resumed run has.
  [[nodiscard]] std::vector<std::pair<TableInfo, std::vector<std::vector<double>>>> stored_tables() const;

  /// Hands everything to the system; `to_disk` waits for the disk.
  void flush(bool to_disk);
  void close_frames();

 private:
  /// A checkpoint that a thread of its own writes.
  struct Flight {
    Index step = 0;
    Bytes bytes = 0;
    std::unique_ptr<HeldCheckpoint> held;
    std::atomic<bool> beside = false;  ///< on its thread, or about to be
    std::atomic<bool> dropped = false;
    std::atomic<bool> done = false;
    // Of the thread, until `done`.
    std::optional<Error> failure;
    bool counts = false;
    std::chrono::steady_clock::time_point begin{}, end{};
    std::thread thread;
  };
  void open_frames();  ///< creates the results file, or continues it after `frames_` frames
  void write_beside(Flight& flight, std::future<void> frames);
  void join_flight(const std::function<bool()>& patience);
  void commit(Index step);
  [[nodiscard]] std::future<void> frames_on_disk();
  Communicator& cluster_;
  RunLock lock_;
  std::optional<RunFolder> folder_;
  std::unique_ptr<RunResults> results_;
  std::unique_ptr<log::Subscription> log_;
  std::optional<CheckpointStore> checkpoints_;
  std::unique_ptr<VtkhdfWriter> frames_writer_;
  std::uint64_t frames_ = 0;
  bool resumed_ = false;
  BackgroundQueue writing_;  ///< uses frames_writer_, so it must end first
  Bytes checkpoint_bytes_ = 0;
  std::atomic<Index> newest_step_ = -1;
  std::unique_ptr<Flight> flight_;  ///< its thread uses what stands above
};

}  // namespace conoid

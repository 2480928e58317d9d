// SPDX-License-Identifier: BSD-3-Clause
// The folder of one run, runs/<UTC time>-<hash8>/, and the results that are written into it: tables, numbers, telemetry.
//
// case.json run.json summary.json log.jsonl results.vtkhdf charts/*.csv telemetry.csv checkpoints/ scratch/
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/io/checkpoint.hpp"
#include "engine/io/results.hpp"

namespace conoid {

/// Paths of one run. A value; touches the disk only in the functions that return a Result or Status.
class RunFolder {
 public:
  /// Makes runs/<UTC time>-<hash8> with charts/ and checkpoints/. Two runs of one second get "-2", "-3"… behind.
  [[nodiscard]] static Result<RunFolder> create(const std::filesystem::path& runs, std::string_view hash,
                                                std::chrono::system_clock::time_point now);
  /// Makes exactly this folder; an error if it exists and holds anything.
  [[nodiscard]] static Result<RunFolder> create_at(const std::filesystem::path& folder);
  /// An existing run folder: must hold a case.json.
  [[nodiscard]] static Result<RunFolder> open(const std::filesystem::path& folder);
  /// The newest run below `runs` by its name's time (then by the time of case.json for folders with other names).
  [[nodiscard]] static Result<RunFolder> latest(const std::filesystem::path& runs);
  /// What a person types after `resume`, `render`, `export`: "latest", a path, a run's name below `runs`, or FOLDER/latest.
  [[nodiscard]] static Result<RunFolder> find(std::string_view what, const std::filesystem::path& runs);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string id() const;  ///< the folder's name; identifies the run in every file
  [[nodiscard]] std::filesystem::path case_file() const { return path_ / "case.json"; }
  [[nodiscard]] std::filesystem::path run_file() const { return path_ / "run.json"; }
  [[nodiscard]] std::filesystem::path summary_file() const { return path_ / "summary.json"; }
  [[nodiscard]] std::filesystem::path log_file() const { return path_ / "log.jsonl"; }
  [[nodiscard]] std::filesystem::path telemetry_file() const { return path_ / "telemetry.csv"; }
  [[nodiscard]] std::filesystem::path charts() const { return path_ / "charts"; }
  [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  /// Whether a folder holds a case and was made by no run: `conoid run` takes it as the case.
  [[nodiscard]] static bool is_of_case_alone(const std::filesystem::path& folder);
  /// Whether a run in `folder` has left anything there to go on from (which is looked at when it goes on).
  [[nodiscard]] static bool has_checkpoint(const std::filesystem::path& folder);
  /// For what a solver keeps on disk while it computes (<results folder>/scratch); nobody needs it afterwards.
  [[nodiscard]] std::filesystem::path scratch() const { return path_ / "scratch"; }

  /// Of the whole folder: which files there are and what they mean. Results and checkpoints have a number of their own.
  static constexpr int format = 1;
  /// Bytes that run.json and summary.json may have.
  static constexpr Bytes json_limit = Bytes{1} << 24;
  /// Refuses a folder of a later format than this program knows. Folders without a number are of format 1.
  [[nodiscard]] static Status check_format(const std::filesystem::path& folder);

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// One row of telemetry.csv.
struct TelemetryRow {
  std::uint64_t pass = 0;
  int worker = 0;
  Interval items{};
  double busy = 0;  ///< seconds
  double waiting = 0;
  double copying = 0;
  std::string phase{};  ///< a number in the file; a comment line before its first row tells the name
  double flops = 0;     ///< that the phase counted, 0: not counted
  double bytes = 0;     ///< likewise, to and from memory
  double held = 0;      ///< bytes of the device's memory
  double streamed = 0;  ///< bytes that passed through windows, 0: none, or not counted
};

/// The rows of telemetry.csv, the newest `most` of them. A last line that was cut off is left out; columns of later versions are
/// not looked at, counts of operations that earlier ones lack are zero. Numbers that cannot be are an error.
[[nodiscard]] Result<std::vector<TelemetryRow>> read_telemetry(const std::filesystem::path& file,
                                                               std::size_t most = 20000);

/// A text file that only grows: buffered, its length known, cut back to a known length on resume. The first failure is
/// kept, later appends are dropped and the file keeps what it had. Not thread-safe.
class GrowingFile {
 public:
  GrowingFile() = default;
  ~GrowingFile();
  GrowingFile(GrowingFile&& other) noexcept;
  GrowingFile& operator=(GrowingFile&& other) noexcept;

  /// A run's folder may be named by a link; those in it may not become one (open_in_own_folder).
  enum class Above { any, own };
  /// Opens or creates `path`. `keep` < 0: starts empty; else the file is cut to `keep` bytes, an error if it is shorter.
  [[nodiscard]] Status open(std::filesystem::path path, std::int64_t keep, Above above = Above::any);
  void append(std::string_view text);
  /// Hands the buffer to the system; `to_disk` also waits for the disk. Returns the first failure ever.
  [[nodiscard]] Status flush(bool to_disk);
  [[nodiscard]] Bytes size() const { return written_ + buffer_.size(); }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  void close();

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  Bytes written_ = 0;
  std::string buffer_;
  std::optional<Error> failure_;
};

/// Results that are kept in a run folder. On ranks other than 0 (`writes` false) every call is accepted and nothing is
/// written. Used from the engine thread.
///
/// Failures (disk full) do not throw: append() and number() go on, flush(), save() and write_summary() return the first.
class RunResults final : public Results {
 public:
  RunResults(RunFolder folder, bool writes);
  ~RunResults() override;

  Table& table(const TableInfo& info) override;
  void number(std::string_view name, double value, std::string_view unit) override;
  void text(std::string_view name, std::string_view value) override;
  [[nodiscard]] std::filesystem::path folder() const override { return folder_.path(); }

  void telemetry(std::span<const TelemetryRow> rows);

  /// Hands all buffered rows to the system (a reader sees them); `to_disk` waits for the disk too.
  [[nodiscard]] Status flush(bool to_disk = false);
  /// Adds a member of its own to summary.json, as JSON text ("{\"a\":1}", "3"): for the session's own figures.
  void summary_member(std::string_view name, std::string_view json);
  /// Writes summary.json as one step: {"run","numbers":{name:{"value","unit"}},"texts":{…}, members…}.
  [[nodiscard]] Status write_summary();

  /// Flushes to disk and saves lengths of tables and all numbers with a checkpoint.
  [[nodiscard]] Status save(CheckpointWriter& writer);
  /// Cuts every table and the telemetry back to the checkpoint; tables that are younger are removed. Call before the
  /// first table(). What had to be given up (a file that vanished) is returned as warnings.
  [[nodiscard]] Result<std::vector<Diagnostic>> restore(const CheckpointReader& reader);
  /// Starts over in a folder that already has results (resume without a valid checkpoint): removes tables, telemetry.
  [[nodiscard]] Status discard();

 private:
  class FileTable;
  struct Number {
    std::string name;
    double value = 0;
    std::string unit;
  };
  struct Kept {
    std::uint64_t rows = 0;
    std::int64_t bytes = 0;
  };
  void fail(const Error& error);

  RunFolder folder_;
  bool writes_ = false;
  std::vector<std::unique_ptr<FileTable>> tables_;
  std::vector<Number> numbers_;
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<std::pair<std::string, std::string>> members_;
  std::map<std::string, Kept, std::less<>> kept_;  ///< what a checkpoint says about tables not yet asked for
  GrowingFile telemetry_;
  std::int64_t telemetry_keep_ = -1;
  std::size_t telemetry_columns_ = 12;  ///< a file that an earlier version began goes on with the columns that it has
  std::vector<std::string> telemetry_phases_;  ///< named in the file since it was opened
  std::optional<Error> failure_;
};

}  // namespace conoid

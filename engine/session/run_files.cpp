// SPDX-License-Identifier: BSD-3-Clause
// Run folder, tables, results frames and checkpoints of one run, by the ranks together.
#include "engine/session/run_files.hpp"

#include <array>
#include <chrono>
#include <stdexcept>
#include <system_error>

#include <sys/stat.h>

#include <fmt/core.h>

#include "engine/core/atomic_file.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/own_folder.hpp"

namespace conoid {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view mark_array = "session";
/// Frames that wait for the disk may hold this much; a larger one waits alone.
constexpr std::uint64_t waiting_limit = std::uint64_t{256} << 20;

/// Memory that a frame alone keeps: values, and points where a mesh moves.
std::uint64_t bytes_of(const Frame& frame) {
  std::uint64_t bytes = 0;
  for (const FramePart& part : frame.parts) {
    for (const Field& field : part.fields) bytes += field.values ? field.values->size() * sizeof(float) : 0;
    if (const auto* mesh = std::get_if<MeshGeometry>(&part.geometry); mesh && mesh->points)
      bytes += mesh->points->size() * sizeof(double);
  }
  return bytes;
}

/// As text, so that a later version can add to it and still read this one's.
std::string text_of(const SessionMark& m) {
  const Stages& t = m.stages;
  return compact_json(
      Json{{"version", 1},
           {"step", m.step},
           {"steps", m.steps},
           {"value", m.value},
           {"frames", m.frames},
           {"kept", {m.kept_step, m.kept_value, m.kept_share}},
           {"passes", m.passes},
           {"seconds", {t.prepare, t.march, t.frames, t.checkpoints, t.finish, t.total, t.pictures, t.beside}},
           {"resumed", t.resumed},
           {"case", m.hash}});
}

SessionMark mark_from(const CheckpointReader& reader) {
  const std::vector<char> text = reader.all<char>(mark_array);
  SessionMark m;
  try {
    const Json json = read_json(std::string_view(text.data(), text.size()));
    if (json.at("version").get<int>() != 1) throw std::runtime_error("version");
    json.at("step").get_to(m.step);
    json.at("steps").get_to(m.steps);
    json.at("value").get_to(m.value);
    json.at("frames").get_to(m.frames);
    json.at("kept").at(0).get_to(m.kept_step);
    json.at("kept").at(1).get_to(m.kept_value);
    json.at("kept").at(2).get_to(m.kept_share);
    json.at("passes").get_to(m.passes);
    const Json& t = json.at("seconds");
    m.stages = {.prepare = t.at(0),
                .march = t.at(1),
                .frames = t.at(2),
                .checkpoints = t.at(3),
                .finish = t.at(4),
                .pictures = t.size() > 6 ? t[6].get<double>() : 0.0,
                .beside = t.size() > 7 ? t[7].get<double>() : 0.0,
                .total = t.at(5),
                .resumed = json.at("resumed")};
    if (json.contains("case")) json.at("case").get_to(m.hash);
  } catch (const std::exception&) {
    throw Failure(make_error(ErrorCode::file, "the checkpoint's record of the session cannot be read",
                             "It was written by another version of Conoid; start the run anew."));
  }
  return m;
}

/// Rank 0's error on every rank, so that all leave by the same door.
void from_lead(Communicator& cluster, const std::optional<Error>& error) {
  const int code = cluster.from_root(error ? static_cast<int>(error->code) : 0);
  if (error) throw Failure(*error);
  if (code != 0)
    throw Failure(make_error(static_cast<ErrorCode>(code), "rank 0 has failed", "Its message stands above."));
}

std::string text_from_lead(Communicator& cluster, std::string text) {
  const auto length = cluster.from_root(static_cast<std::uint64_t>(text.size()));
  text.resize(length);
  cluster.broadcast(std::as_writable_bytes(std::span(text.data(), text.size())), 0);
  return text;
}

/// Runs rank 0's part of a collective step; an error there ends it on all ranks.
template <class F>
void lead(Communicator& cluster, F&& work) {
  std::optional<Error> error;
  if (cluster.leads()) {
    try {
      work();
    } catch (...) {
      error = current_exception_as_error();
    }
  }
  from_lead(cluster, error);
}

/// A run folder from elsewhere could lead what is written into it to other places: by links, as a folder or as a file, or by a
/// second name of a file that grows in place. Checkpoints are made anew and may have more names (copies by `cp -al`).
void expect_no_links(const fs::path& folder, int depth = 0) {
  constexpr int deepest = 3;  // checkpoints/step-…/rank-0.bin
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    struct stat info {};
    if (::lstat(entry.path().c_str(), &info) != 0) continue;
    const auto refuse = [&](const std::string& what, const std::string& hint) {
      throw Failure(make_error(ErrorCode::file,
                               fmt::format("'{}' {}; the run is not continued", entry.path().string(), what), hint));
    };
    if (S_ISLNK(info.st_mode))
      refuse("is a link, which could lead out of the run folder",
             "Put what it points at into its place, or copy the run: cp -rL RUN NEW.");
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) refuse("is no plain file", "Remove it.");
    const bool grows = depth == 0 || folder.filename() == "charts";
    if (S_ISREG(info.st_mode) && info.st_nlink > 1 && grows)
      refuse("has another name (a hard link), which would be changed with it", "Copy the run: cp -r RUN NEW.");
    if (S_ISDIR(info.st_mode) && depth < deepest && entry.path().filename() != "scratch")
      expect_no_links(entry.path(), depth + 1);
  }
}

RunFolder open_folder(const SessionOptions& options, std::string_view hash, RunLock& lock) {
  if (!options.resume.empty() && fs::is_directory(options.resume)) expect_no_links(options.resume);
  auto folder = !options.resume.empty() ? RunFolder::open(options.resume)
                : !options.folder.empty()
                    ? RunFolder::create_at(options.folder)
                    : RunFolder::create(options.runs, hash.substr(0, 8), std::chrono::system_clock::now());
  if (!folder) throw Failure(folder.error());
  lock.acquire(folder->path()).or_throw();
  return std::move(*folder);
}

}  // namespace

RunFiles::RunFiles(const SessionOptions& options, const Plan& plan, Communicator& cluster)
    : cluster_(cluster), resumed_(!options.resume.empty()), writing_(waiting_limit) {
  std::string path;
  lead(cluster_, [&] {
    folder_ = open_folder(options, plan.hash, lock_);
    path = folder_->path().string();
    // What a killed run has left there serves nobody; the lock says that none of its own runs.
    std::error_code ignored;
    if (resumed_) {
      fs::remove_all(folder_->scratch(), ignored);
      remove_unfinished_writes(folder_->path(), 1);
      return;
    }
    options.document.save(folder_->case_file()).or_throw();
    write_file_atomically(folder_->run_file(), indented_json(plan.run) + "\n").or_throw();
  });
  path = text_from_lead(cluster_, path);
  if (!folder_) {
    auto opened = RunFolder::open(path);
    if (!opened) throw Failure(opened.error());
    folder_ = std::move(*opened);
  }
  checkpoints_.emplace(folder_->checkpoints(), plan.checkpoints_kept);
  results_ = std::make_unique<RunResults>(*folder_, cluster_.leads());
  if (cluster_.leads()) log_ = log::to_json_lines(folder_->log_file(), plan.log_origin);
}

RunFiles::~RunFiles() {
  end_checkpoint([] { return false; });
  std::error_code ignored;
  if (folder_ && cluster_.leads()) fs::remove(folder_->scratch(), ignored);  // where it is empty
}

void RunFiles::take_case(const CaseDocument& document, const Json& run) {
  document.save(folder_->case_file()).or_throw();
  write_file_atomically(folder_->run_file(), indented_json(run) + "\n").or_throw();
}

double RunFiles::measure_disk() const {
  const fs::path file = folder_->checkpoints() / "rate.part";
  const std::string block(std::size_t{16} << 20, 'x');
  const auto begin = std::chrono::steady_clock::now();
  const Status written = write_file_atomically(file, block);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::error_code ignored;
  fs::remove(file, ignored);
  constexpr double unknown = 200e6;  // what any disk takes
  return written ? static_cast<double>(block.size()) / std::max(1e-3, took.count()) : unknown;
}

const fs::path& RunFiles::folder() const {
  return folder_->path();
}

void RunFiles::open_frames() {
  auto writer = resumed_ ? VtkhdfWriter::resume(folder_->path(), folder_->id(), frames_)
                         : VtkhdfWriter::create(folder_->path(), folder_->id());
  if (!writer) throw Failure(writer.error());
  frames_writer_ = std::move(*writer);
}

void RunFiles::add_frame(std::shared_ptr<const Frame> frame) {
  if (!fields_can_be_kept()) return;
  if (!frames_writer_) open_frames();
  const std::uint64_t bytes = bytes_of(*frame);
  writing_.post(bytes, [this, frame = std::move(frame)] { frames_writer_->write(*frame).or_throw(); });
  ++frames_;
}

void RunFiles::close_frames() {
  writing_.drain();
  if (frames_writer_) frames_writer_->close().or_throw();
}

/// A checkpoint counts the frames kept so far: they must be on disk before it is. Rank 0's are written by a thread, in order.
std::future<void> RunFiles::frames_on_disk() {
  const auto promise = std::make_shared<std::promise<void>>();
  std::future<void> out = promise->get_future();
  if (cluster_.leads() && frames_writer_)
    writing_.post(0, [this, promise] {
      frames_writer_->sync().or_throw();
      promise->set_value();
    });
  else
    promise->set_value();
  return out;
}

void RunFiles::commit(Index step) {
  checkpoints_->commit(step, cluster_.size()).or_throw();
  newest_step_ = step;
}

bool RunFiles::take_checkpoint(const SessionMark& mark, const std::function<void(CheckpointWriter&)>& save,
                               const Beside& beside, const std::function<bool()>& give_up) {
  verify(!flight_, "one checkpoint is written at a time");
  auto flight = std::make_unique<Flight>();
  flight->step = mark.step;
  std::future<void> frames;
  lead(cluster_, [&] {
    frames = frames_on_disk();
    checkpoints_->prepare(mark.step).or_throw();
  });
  std::optional<Error> mine;
  bool held = false;
  try {
    auto file = checkpoints_->writer(mark.step, cluster_.rank(), cluster_.size(), [give_up, f = flight.get()] {
      return f->beside ? f->dropped.load() : give_up && give_up();
    });
    if (!file) throw Failure(file.error());
    flight->held = std::make_unique<HeldCheckpoint>(std::move(*file), cluster_.leads(), beside.to);
    const std::string text = text_of(mark);
    flight->held->shared(mark_array, std::span<const char>(text));
    results_->save(*flight->held).or_throw();
    save(*flight->held);
    checkpoint_bytes_ = flight->bytes = flight->held->saved();
    held = flight->held->holds() && flight->bytes >= beside.from;
    if (!held) flight->held->write().or_throw();
  } catch (...) {
    mine = current_exception_as_error();
  }
  std::array<double, 2> all = {mine ? static_cast<double>(mine->code) : 0.0, held ? 1.0 : 0.0};
  cluster_.maximum(all);
  if (const auto worst = static_cast<int>(all[0]); worst != 0) {
    if (cluster_.leads()) checkpoints_->abandon(mark.step);
    throw Failure(mine ? *mine
                       : make_error(static_cast<ErrorCode>(worst), "another rank could not write its checkpoint",
                                    "Its message stands above."));
  }
  if (all[1] == 0) {
    lead(cluster_, [&] {
      writing_.drain();  // throws what the frames' thread has met
      frames.get();
      commit(mark.step);
    });
    return true;
  }
  flight_ = std::move(flight);
  Flight& f = *flight_;
  f.beside = true;
  f.begin = f.end = std::chrono::steady_clock::now();
  if (!held && !cluster_.leads()) {
    f.done = true;
    return false;
  }
  try {
    f.thread = std::thread([this, &f, frames = std::make_shared<std::future<void>>(std::move(frames))] {
      write_beside(f, std::move(*frames));
    });
  } catch (const std::system_error&) {
    // The system has no room for a thread: here, then.
    if (!frames.valid()) frames = frames_on_disk();
    write_beside(f, std::move(frames));
  }
  return false;
}

void RunFiles::write_beside(Flight& flight, std::future<void> frames) {
  try {
    flight.held->write().or_throw();
    flight.held.reset();
    while (frames.valid() && frames.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
      if (flight.dropped) throw Failure(make_error(ErrorCode::stopped, "the checkpoint was given up"));
    if (frames.valid()) frames.get();
    // Several ranks: once all have written theirs.
    if (cluster_.size() == 1) {
      commit(flight.step);
      flight.counts = true;
    }
  } catch (...) {
    flight.failure = current_exception_as_error();
  }
  flight.held.reset();
  flight.end = std::chrono::steady_clock::now();
  flight.done = true;
}

/// Waits for this rank's part; once `patience` is at its end the rest is dropped.
void RunFiles::join_flight(const std::function<bool()>& patience) {
  while (!flight_->done) {
    if (!patience || patience()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(patience ? 50 : 5));
      continue;
    }
    flight_->dropped = true;
    break;
  }
  if (flight_->thread.joinable()) flight_->thread.join();
}

std::optional<RunFiles::Settled> RunFiles::settle_checkpoint(Settle how, const std::function<bool()>& patience) {
  verify(flight_ != nullptr, "a checkpoint is being written");
  if (how == Settle::look) {
    const double open = flight_->done ? 0 : 1;
    if (cluster_.maximum(open) > 0) return std::nullopt;
  }
  if (how == Settle::drop) flight_->dropped = true;
  join_flight(how == Settle::wait && cluster_.size() == 1 ? patience : std::function<bool()>());
  const std::unique_ptr<Flight> flight = std::move(flight_);
  Settled out{flight->step, std::chrono::duration<double>(flight->end - flight->begin).count(), flight->bytes,
              flight->counts};
  const auto worst =
      static_cast<int>(cluster_.maximum(flight->failure ? static_cast<double>(flight->failure->code) : 0.0));
  if (worst == 0 && (out.counts || how == Settle::drop)) {
    if (!out.counts && cluster_.leads()) checkpoints_->abandon(flight->step);
    return out;
  }
  if (worst == 0) {
    lead(cluster_, [&] { commit(flight->step); });
    out.counts = true;
    return out;
  }
  if (cluster_.leads()) checkpoints_->abandon(flight->step);
  if (flight->dropped) return out;
  lead(cluster_, [&] { writing_.drain(); });  // a frame that could not be written is the cause, where there is one
  throw Failure(flight->failure
                    ? *flight->failure
                    : make_error(static_cast<ErrorCode>(worst), "another rank could not write its checkpoint",
                                 "Its message stands above."));
}

void RunFiles::end_checkpoint(const std::function<bool()>& patience) {
  if (!flight_) return;
  join_flight(cluster_.size() == 1 ? patience : [] { return false; });
  if (!flight_->counts && cluster_.leads()) checkpoints_->abandon(flight_->step);
  flight_.reset();
}

std::optional<RunFiles::Found> RunFiles::newest_checkpoint(std::vector<Diagnostic>& damaged) {
  Index step = -1;
  if (cluster_.leads()) {
    CheckpointStore::Found found = checkpoints_->newest_valid();
    damaged = std::move(found.diagnostics);
    step = found.step.value_or(-1);
  }
  step = cluster_.from_root(step);
  if (step < 0) return {};
  auto reader = checkpoints_->open(step, CheckpointCheck::manifest);
  if (!reader) throw Failure(reader.error());
  Found out{std::move(*reader), {}};
  out.mark = mark_from(*out.reader);
  return out;
}

std::vector<Diagnostic> RunFiles::cut_back_to(const Found& found) {
  auto given_up = results_->restore(*found.reader);
  if (!given_up) throw Failure(given_up.error());
  frames_ = found.mark.frames;
  // Frames younger than the checkpoint go at once, not when the next one comes: a viewer may look in between.
  if (cluster_.leads() && fields_can_be_kept()) open_frames();
  return std::move(*given_up);
}

void RunFiles::start_over() {
  results_->discard().or_throw();
  frames_ = 0;
}

std::vector<std::pair<TableInfo, std::vector<std::vector<double>>>> RunFiles::stored_tables() const {
  std::vector<std::pair<TableInfo, std::vector<std::vector<double>>>> out;
  if (!cluster_.leads()) return out;
  std::error_code code;
  for (fs::directory_iterator it(folder_->charts(), code), end; !code && it != end; it.increment(code)) {
    if (it->path().extension() != ".csv") continue;
    const auto stored = read_table(it->path());
    if (!stored) continue;  // a table that cannot be shown can still be continued
    std::vector<std::vector<double>> rows;
    for (std::size_t r = 0; r < stored->table.rows(); ++r) {
      const auto row = stored->table.row(r);
      rows.emplace_back(row.begin(), row.end());
    }
    out.emplace_back(stored->info, std::move(rows));
  }
  return out;
}

void RunFiles::flush(bool to_disk) {
  // What took a folder's place while the run goes on is said soon, not when the next file is made there.
  if (cluster_.leads() && !to_disk)
    for (const fs::path& own : {folder_->charts(), folder_->checkpoints()})
      if (std::error_code ignored; fs::is_symlink(own, ignored)) expect_own_folder(own).or_throw();
  results_->flush(to_disk).or_throw();
}

Result<CaseDocument> read_run_case(const fs::path& run) {
  const auto folder = RunFolder::open(run);
  if (!folder) return folder.error();
  auto text = read_file(folder->case_file(), CaseDocument::max_bytes);
  if (!text) return text.error();
  fs::path original = folder->case_file();
  // Relative paths in a case count from where it was when it was started.
  if (const auto about = read_file(folder->run_file(), RunFolder::json_limit)) {
    const Json json = read_json(*about);
    if (json.is_object() && json.contains("case") && json["case"].is_string() &&
        !json["case"].get<std::string>().empty())
      original = json["case"].get<std::string>();
  }
  // The run of a job that was computed on another machine: what it names lies beside the job's case here.
  std::error_code ignored;
  const fs::path job = folder->path().parent_path();
  if (!fs::exists(original, ignored) && fs::exists(job / "job.json", ignored) && fs::exists(job / "case.json", ignored))
    original = job / "case.json";
  return CaseDocument::parse(*text, original);
}

}  // namespace conoid

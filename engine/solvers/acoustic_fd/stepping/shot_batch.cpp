// SPDX-License-Identifier: BSD-3-Clause
// Parts of a run: their teams, marches in step, results and checkpoints.
#include "engine/solvers/acoustic_fd/stepping/shot_batch.hpp"

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_plan.hpp"
#include "engine/solvers/acoustic_fd/plan.hpp"
#include "engine/solvers/acoustic_fd/stepping/image.hpp"
#include "engine/solvers/acoustic_fd/stepping/streamed_march.hpp"
#include "engine/team/parallel_for.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <thread>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// A part's arrays in a checkpoint, whose names say whose they are and how large an entry is: a wrapper writes and reads bytes.
std::string name_in(int part, std::string_view name, std::size_t entry) {
  return fmt::format("part {}, {} B: {}", part + 1, entry, name);
}

class PartWriter final : public CheckpointWriter {
 public:
  PartWriter(CheckpointWriter& all, int part, bool leads) : all_(all), part_(part), leads_(leads) {}

 protected:
  [[nodiscard]] bool leads() const override { return leads_; }
  void bytes(std::string_view name, std::size_t entry, Index global, Index begin,
             std::span<const std::byte> data) override {
    const auto size = static_cast<Index>(entry);
    all_.piece<std::byte>(name_in(part_, name, entry), global * size, begin * size, data);
  }

 private:
  CheckpointWriter& all_;
  int part_;
  bool leads_;
};

class PartReader final : public CheckpointReader {
 public:
  PartReader(const CheckpointReader& all, int part) : all_(all), part_(part) {}
  [[nodiscard]] Index length(std::string_view name) const override {
    constexpr std::size_t largest = 128;  // bytes of an entry
    for (std::size_t entry = 1; entry <= largest; ++entry)
      if (const Index n = all_.length(name_in(part_, name, entry)); n >= 0) return n / static_cast<Index>(entry);
    return -1;
  }

 protected:
  void bytes(std::string_view name, std::size_t entry, Index begin, std::span<std::byte> out) const override {
    all_.range<std::byte>(name_in(part_, name, entry), begin * static_cast<Index>(entry), out);
  }

 private:
  const CheckpointReader& all_;
  int part_;
};

/// What a shot takes of the memory of each of its ranks: its grid, and what an image keeps of it where nothing goes to the disk.
Bytes shot_bytes(const Setup& setup, int ranks) {
  const Bytes march = march_bytes(setup.problem, ranks);
  if (!setup.image.any()) return march + waiting_frames_bytes(setup);
  const ImagePlan image = plan_image(setup.problem, setup.image, 0, ranks);
  return march + image.windows + image.smooth;
}

/// A shot fits into `budget`. One whose image would have to go to the disk does where the case asks for several at once, or where all
/// that there is, `whole`, would not hold it either.
bool fits(const Setup& setup, int ranks, Bytes budget, Bytes whole) {
  const Bytes march = march_bytes(setup.problem, ranks);
  if (!setup.image.any()) return march + waiting_frames_bytes(setup) <= budget;
  const auto plan = [&](Bytes memory) { return plan_image(setup.problem, setup.image, memory, ranks); };
  const ImagePlan own = plan(budget);
  return march + own.smooth <= own.march && (own.disk == 0 || setup.shots_at_once > 0 || plan(whole).disk > 0);
}

/// Groups of ranks: as many as divide them evenly, are of use and have memory.
int groups_of(const Setup& setup, const Offer& offer, int shots, int devices, Bytes device_memory, std::string& why) {
  const Bytes budget = field_budget(offer);
  for (int groups = rank_groups(offer, shots); groups > 1; --groups) {
    if (offer.place.ranks % groups != 0) continue;
    const int each = offer.place.ranks / groups;
    if (fits(setup, each, budget, budget) &&
        (devices == 0 || device_memory == 0 || march_bytes(setup.problem, each) + (Bytes{1} << 20) <= device_memory))
      return groups;
    why = fmt::format("{} groups of ranks would need {} of each rank", groups, format_bytes(shot_bytes(setup, each)));
  }
  return 1;
}

}  // namespace

Bytes waiting_frames_bytes(const Setup& setup) {
  if (!setup.keeps_frames() || setup.image.any()) return 0;
  const Problem& p = setup.problem;
  const Cadence& kept = setup.cadence;
  const auto steps = static_cast<double>(p.steps);
  const double frames =
      1 + (kept.every > 0 ? steps / static_cast<double>(kept.every)
           : kept.interval > 0
               ? std::min(steps, steps * p.dt / kept.interval)
               : std::min(steps, static_cast<double>(kept.count) / static_cast<double>(setup.shots_of_case())));
  const auto& n = p.grid.points;
  const Index points = std::min(p.grid.cells(), setup.volume_points) + n[0] * n[1] + n[1] * n[2] + n[0] * n[2];
  constexpr double lasting = 2;  // the speed and obstacles, once
  return static_cast<Bytes>(4.0 * static_cast<double>(points) * (frames * static_cast<double>(1 + p.maps()) + lasting));
}

ShotShare share_shots(const Setup& setup, const Offer& offer, int devices, Bytes device_memory) {
  const Problem& p = setup.problem;
  const int shots = static_cast<int>(setup.shots.size()), ranks = offer.place.ranks;
  const int asked = setup.shots_at_once > 0 ? static_cast<int>(setup.shots_at_once) : shots;
  if (shots == 1 || asked == 1 || (ranks == 1 && devices < 2)) return {};
  ShotShare out;
  if (ranks > 1) {
    out.parts = groups_of(setup, offer, std::min(asked, shots), devices, device_memory, out.why);
    return out;
  }
  Problem planned = p;
  planned.memory = field_budget(offer);
  if (stream_plan(planned).needed) return {1, "the grid is streamed from the disk"};
  const DevicePlan alone = device_plan(p, device_memory > 0 ? device_memory : Bytes{1} << 60, 1,
                                       offer.devices.empty() ? nullptr : &offer.devices.front());
  if (alone.streamed)
    return {1, fmt::format("a device would need {} for a shot of its own", format_bytes(alone.in_core))};
  const int wanted = std::min({asked, shots, devices});
  out.parts = wanted;
  while (out.parts > 1 && !fits(setup, 1, planned.memory / static_cast<Bytes>(out.parts), planned.memory)) --out.parts;
  if (out.parts < wanted)
    out.why = fmt::format("each needs {} of the host's memory, of which {} are to be had",
                          format_bytes(shot_bytes(setup, 1)), format_bytes(planned.memory));
  return out;
}

struct ShotBatch::Part {
  Part(int place, Team* shared, std::vector<WorkerSpec> workers, Communicator& cluster, RunContext& run,
       std::filesystem::path folder)
      : number(place), own_team(shared ? nullptr : std::make_unique<Team>(std::move(workers))),
        results(std::move(folder)), context{run.input, run.mesh, shared ? *shared : *own_team,
                                            run.offer, cluster,  results,
                                            progress,  run.stop} {}
  int number;
  std::unique_ptr<Communicator> alone;
  std::unique_ptr<Team> own_team;  ///< of one device
  ShotResults results;
  NoProgress progress;
  RunContext context;
  AcousticFd solver;
  ShotFrames frames;  ///< of its shot of this round, where it is not part 0; of the leading rank of its group
};

ShotBatch::ShotBatch(RunContext& context, const Setup& setup, int parts)
    : count_(parts), all_threads_(context.team.threads()), shots_(static_cast<int>(setup.shots.size())),
      images_(setup.image.any()), steps_(setup.problem.steps * setup.image.passes()), all_(&context.cluster),
      framed_(!images_ && setup.keeps_frames()) {
  Communicator& all = context.cluster;
  if (shots_ < parts)
    throw Failure(make_error(ErrorCode::file,
                             fmt::format("the checkpoint is of {} shots at a time, of {}", parts, shots_),
                             "It belongs to another case; start the run anew."));
  if (all.size() > 1 && all.size() < parts)
    throw Failure(make_error(ErrorCode::invalid_input,
                             fmt::format("{} shots are marched at the same time, by {} ranks", parts, all.size()),
                             fmt::format("Use {} ranks or more, or a single one.", parts)));
  for (const WorkerSpec& worker : context.team.workers()) devices_ += worker.device.empty() ? 0 : 1;
  std::string folder = context.results.folder().string();  // the leading rank's
  folder.resize(all.from_root(folder.size()));
  all.broadcast(std::as_writable_bytes(std::span(folder)), 0);
  if (all.size() > 1) {
    const int mine = static_cast<int>(static_cast<Index>(all.rank()) * parts / all.size());
    group_ = all.split(mine);
    add_part(mine, context, setup, folder);
  } else {
    for (int part = 0; part < parts; ++part) add_part(part, context, setup, folder);
  }
  if (all.leads())
    log::info("acoustic-fd: {} of {} shots are marched at the same time, each {}", parts, shots_,
              all.size() > 1 ? "by a group of ranks"
              : devices_ > 1 ? "on a device of its own"
                             : "in turn with the others");
}

ShotBatch::~ShotBatch() = default;

std::vector<WorkerSpec> ShotBatch::workers_of(int part, const RunContext& context) const {
  std::vector<WorkerSpec> out;
  int at = part % std::max(1, devices_);
  for (const WorkerSpec& worker : context.team.workers())
    if (!worker.device.empty() && at-- == 0) out.push_back(worker);
  // The other threads have nothing to do but for this device's grid, while it is filled; what an image keeps and multiplies of all
  // parts is theirs at the same time.
  if (!out.empty()) out.front().threads = std::max(1, context.team.threads() / (images_ ? count_ : 1));
  return out;
}

void ShotBatch::add_part(int number, RunContext& context, const Setup& setup, const std::filesystem::path& folder) {
  auto alone = group_ ? nullptr : single_rank();
  const bool own = !group_ && devices_ > 1;
  auto part = std::make_unique<Part>(number, own ? nullptr : &context.team,
                                     own ? workers_of(number, context) : std::vector<WorkerSpec>{},
                                     group_ ? *group_ : *alone, context, folder);
  part->alone = std::move(alone);
  Setup mine = setup;
  mine.shots.clear();
  for (std::size_t shot = static_cast<std::size_t>(number); shot < setup.shots.size();
       shot += static_cast<std::size_t>(count_))
    mine.shots.push_back(setup.shots[shot]);
  if (framed_) {
    mine.first_shot = number;
    mine.shot_stride = count_;
    mine.all_shots = shots_;
  }
  mine.image.adds = number == 0;  // and the others' products come to it
  mine.problem.memory = field_budget(context.offer) / static_cast<Bytes>(group_ ? 1 : count_);
  if (const Status s = part->solver.begin(part->context, std::move(mine), true, number == 0); !s)
    throw Failure(s.error());
  parts_.push_back(std::move(part));
}

/// Each item on a thread that has a loop's threads of its own, which those of a loop have not.
template <class Go>
void side_by_side(Index count, const Go& go) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  const auto guarded = [&](Index n) {
    try {
      go(n);
    } catch (...) {
      failures[static_cast<std::size_t>(n)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (Index n = 1; n < count; ++n) others.emplace_back([&, n] { guarded(n); });
    guarded(0);
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

Status ShotBatch::march(Index end) {
  std::vector<Status> each(parts_.size());
  const auto go = [&](Index n) {
    Part& part = *parts_[static_cast<std::size_t>(n)];
    if (part.solver.is_over()) return;
    if (auto s = march_with_frames(part, end); !s) each[static_cast<std::size_t>(n)] = s.error();
  };
  const auto count = static_cast<Index>(parts_.size());
  // A march on a device waits for it most of the time: each has a thread.
  if (devices_ > 1 && !group_ && images_)
    side_by_side(count, go);
  else if (devices_ > 1 && !group_)
    parallel_for(static_cast<int>(count), {0, count}, 1, go);
  else
    for (Index n = 0; n < count; ++n) go(n);
  for (const Status& s : each)
    if (!s) return s;
  return {};
}

Status ShotBatch::march_with_frames(Part& part, Index end) {
  AcousticFd& solver = part.solver;
  if (!framed_ || part.number == 0) return solver.advance_to(part.context, end);
  const auto at = [&](Index done) { return solver.standing(done, all_steps()); };
  for (Index k = solver.march_->steps_done(); k < end; k = solver.march_->steps_done()) {
    const Index now = solver.steps_of_case(), before = now - k;
    const FrameMarks marks(solver.setup_.cadence, Cadence::moment(at(now)));
    const Index next = marks.first_due(now, before + end, at);
    if (Status s = solver.advance_to(part.context, next - before); !s) return s;
    if (next < all_steps() && !marks.due(at(next))) continue;  // the end of a run is always shown
    FrameBuilder builder(solver.setup_.frames, 0);
    solver.fill(builder);
    if (part.context.cluster.leads()) part.frames.keep(builder.finish());
  }
  return {};
}

Index ShotBatch::next_turn(const FrameMarks& marks) const {
  if (!framed_ || !round_over_) return 0;
  const Index shown = (round_ * count_ + 1) * steps_, last = std::min<Index>((round_ + 1) * count_, shots_) * steps_;
  const Index now = std::max(turn_, shown);
  if (now >= last) return 0;
  const Index next = marks.first_due(now, last, [&](Index done) { return where_it_stands(done); });
  return next == all_steps() || marks.due(where_it_stands(next)) ? next : 0;
}

void ShotBatch::take_turn(Index step) {
  turn_ = step;
  turn_frame_.reset();
  const auto part = static_cast<int>((step - 1) / steps_ % count_);
  if (!group_) {
    turn_frame_ = parts_[static_cast<std::size_t>(part)]->frames.find(step);
    return;
  }
  std::string said;
  if (parts_.front()->number == part && group_->leads()) said = parts_.front()->frames.bytes(step);
  const std::vector<std::byte> frame = all_->gather(std::as_bytes(std::span(said)), 0);
  if (!all_->leads()) return;
  ShotFrames one;
  one.take({reinterpret_cast<const char*>(frame.data()), frame.size()});
  turn_frame_ = one.find(step);
}

void ShotBatch::fill(FrameBuilder& builder) const {
  if (turn_ == 0) {
    if (parts_.front()->number == 0) shown().fill(builder);
    return;
  }
  builder.at(turn_, static_cast<double>(turn_) * shown().time_step(), FrameAxis::time);
  if (turn_frame_) fill_from(*turn_frame_, builder);
}

Index ShotBatch::all_steps() const {
  return (framed_ ? Index{shots_} : (shots_ + count_ - 1) / count_) * steps_;  // rounds of shots
}

Advanced ShotBatch::where_it_stands(Index done) const {
  return shown().standing(done, all_steps());
}

Result<Advanced> ShotBatch::advance(RunContext& context) {
  Communicator& all = context.cluster;
  if (const Index next = all.from_root(next_turn(context.marks)); next > 0) {
    take_turn(next);
    return where_it_stands(next);
  }
  turn_ = 0;
  turn_frame_.reset();
  if (round_over_)
    for (const auto& part : parts_) part->frames.clear();
  Status s;
  Index end = 0;
  // An exception would leave the others waiting for this rank.
  const auto attempt = [&](auto&& call) {
    if (!s) return;
    try {
      s = call();
    } catch (const std::exception&) {
      if (all.size() == 1) throw;
      s = current_exception_as_error();
    }
  };
  attempt([&] {
    Status begun;
    for (const auto& part : parts_)
      if (begun) begun = part->solver.begin_due_march();  // with all threads, one after the other
    return begun;
  });
  AcousticFd& first = parts_.front()->solver;
  if (s) end = first.next_stop(context.marks, all_steps());
  const Index before = s ? first.steps_of_run() : 0;
  end = all.from_root(end);
  bool failed = all.maximum(s ? 0.0 : 1.0) > 0;
  if (!failed) {
    attempt([&] { return march(end); });
    failed = all.maximum(s ? 0.0 : 1.0) > 0;
  }
  if (!failed && images_) {
    attempt([&] { return add_images(all); });
    failed = all.maximum(s ? 0.0 : 1.0) > 0;
  }
  if (!s) return s.error();
  if (failed) return Advanced{};  // the session tells this rank of the error of another
  pass_on(context);
  tell_team(context);
  const std::array<Index, 3> now =
      all.from_root(std::array<Index, 3>{first.steps_of_run(), first.steps_of_case(), static_cast<Index>(first.shot_)});
  round_ = now[2];
  round_over_ = end >= steps_;
  const Index marching = std::min<Index>(count_, shots_ - before / steps_ * count_);
  context.progress.computed(static_cast<double>(all.from_root((now[0] - before) * first.nodes() * marching)), "cells");
  if (framed_) {  // part 0's are a share of the run's, of which the others take as many at the same time
    if (!counting_) context.progress.begin("march", (shots_ + count_ - 1) / count_ * steps_, "steps of each part");
    counting_ = true;
    context.progress.at(now[0]);
  }
  return where_it_stands(framed_ ? now[1] : now[0]);
}

Status ShotBatch::add_images(Communicator& all) {
  using Pass = AcousticFd::Pass;
  const AcousticFd& first = parts_.front()->solver;
  // Part 0 has a shot in every round; a part that has none any more has nothing to add.
  const auto ended = [&](Pass pass) { return all.from_root(Index{first.has_ended(pass) ? 1 : 0}) != 0; };
  if (ended(Pass::forward)) add_misfits(all);
  if (ended(Pass::backward)) return add_products(all);
  return {};
}

void ShotBatch::add_misfits(Communicator& all) {
  std::vector<double> mine;
  for (const auto& part : parts_) {
    const AcousticFd::Misfit m = part->solver.take_misfit();
    if (part->context.cluster.leads()) mine.insert(mine.end(), {m.misfit, m.observed});
  }
  const std::vector<double> of_all = all.all_gather_values(std::span<const double>(mine));  // in the order of parts
  for (const auto& part : parts_)
    for (std::size_t n = 0; n < of_all.size(); n += 2) part->solver.add_misfit({of_all[n], of_all[n + 1]});
}

Status ShotBatch::add_products(Communicator& all) {
  Imaging* const own = parts_.front()->solver.imaging_.get();
  if (!group_) {
    for (const auto& part : parts_) own->add_shot_of(*part->solver.imaging_, all_threads_);
    return {};
  }
  // Groups may be of unlike sizes. Each plane goes to the rank of part 0 that has it, whose gathering has the order of parts. A rank
  // whose disk fails goes on to the end, as the others wait for it.
  const std::array<Index, 3> mine{parts_.front()->number, own->planes().begin, own->planes().end};
  const std::vector<Index> places = all.all_gather_values(std::span<const Index>(mine));
  Status s;
  const auto attempt = [&](auto&& call) {
    try {
      if (s) call();
    } catch (const std::exception&) {
      s = current_exception_as_error();
    }
  };
  for (int root = 0; root < all.size() && places[3 * static_cast<std::size_t>(root)] == 0; ++root)
    for (Index x = places[3 * static_cast<std::size_t>(root) + 1]; x < places[3 * static_cast<std::size_t>(root) + 2];
         ++x) {
      std::vector<std::byte> products;
      if (x >= own->planes().begin && x < own->planes().end) attempt([&] { products = own->take_shot(x); });
      const std::vector<std::byte> joined = all.gather(products, root);
      if (all.rank() != root) continue;
      attempt([&] {
        for (std::size_t at = 0; at < joined.size(); at += products.size())
          own->add_shot(x, std::span(joined).subspan(at, products.size()));
      });
    }
  return s;
}

void ShotBatch::pass_on(RunContext& context) {
  Communicator& all = context.cluster;
  if (!group_) {
    for (const auto& part : parts_)
      speaker_.pass_on(part->results.take(), part->number == (shots_ - 1) % count_, context.results);
    return;
  }
  std::string said = parts_.front()->results.take();
  if (!group_->leads()) said.clear();  // its leading rank says the same
  const std::array<Index, 2> mine{static_cast<Index>(said.size()), parts_.front()->number};
  const std::vector<Index> sizes = all.gather_values(std::span<const Index>(mine));
  const std::vector<std::byte> joined = all.gather(std::as_bytes(std::span(said)), 0);
  if (!all.leads()) return;
  std::size_t at = 0;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(all.size()); ++rank) {
    const auto size = static_cast<std::size_t>(sizes[2 * rank]);
    speaker_.pass_on({reinterpret_cast<const char*>(joined.data()) + at, size},
                     sizes[2 * rank + 1] == (shots_ - 1) % count_, context.results);
    at += size;
  }
}

/// What teams of parts have measured is the run's.
void ShotBatch::tell_team(RunContext& context) {
  if (group_ || devices_ < 2) return;
  std::vector<int> places;
  const auto& workers = context.team.workers();
  for (std::size_t w = 0; w < workers.size(); ++w)
    if (!workers[w].device.empty()) places.push_back(static_cast<int>(w));
  for (const auto& part : parts_)
    for (const BalanceSample& sample : part->context.team.take_samples())
      if (sample.phase == "march")
        context.team.note(sample.phase, sample.busy, sample.work, Team::Who::devices,
                          places[static_cast<std::size_t>(part->number % devices_)]);
}

const AcousticFd& ShotBatch::shown() const {
  return parts_.front()->solver;
}

void ShotBatch::save(CheckpointWriter& writer) const {
  writer.value("shots_at_once", static_cast<Index>(count_));
  for (const auto& part : parts_) {
    PartWriter own(writer, part->number, part->context.cluster.leads());
    part->solver.save(own);
    const std::string frames = part->frames.bytes();
    own.shared<char>("waiting_frames", frames);
  }
  writer.value("frames_turn", turn_);
}

void ShotBatch::load(CheckpointReader& reader) {
  for (const auto& part : parts_) {
    PartReader own(reader, part->number);
    part->solver.load(own);
    part->results.forget();
    part->frames.clear();
    if (part->context.cluster.leads() && own.length("waiting_frames") > 0) {
      const std::vector<char> frames = own.all<char>("waiting_frames");
      part->frames.take({frames.data(), frames.size()});
    }
  }
  const AcousticFd& first = parts_.front()->solver;
  const auto [round, at] =
      all_->from_root(std::array<Index, 2>{static_cast<Index>(first.shot_), first.march_->steps_done()});
  round_ = round;
  round_over_ = !images_ && at >= steps_;
  if (const Index turn = reader.length("frames_turn") == 1 ? reader.value<Index>("frames_turn") : 0; turn > 0)
    take_turn(turn);
}

Status ShotBatch::finish(RunContext& context) {
  Communicator& all = context.cluster;
  Status s;
  double steps = 0, bytes = 0;
  for (const auto& part : parts_) {
    try {
      if (Status own = part->solver.finish(part->context); !own && s) s = own;
    } catch (const std::exception&) {
      if (all.size() == 1) throw;
      s = current_exception_as_error();
    }
    if (part->context.cluster.leads()) steps += static_cast<double>(part->solver.steps_of_run());
    bytes += static_cast<double>(part->solver.march_bytes_held());
  }
  pass_on(context);
  const auto number = [&](const char* name, double value, const char* unit) {
    context.results.number(name, value, unit);
  };
  steps = all.sum(steps);
  number("time_steps", steps, "1");
  number("shots", shots_, "1");
  number("shots_at_once", count_, "1");
  number("cell_updates", steps * static_cast<double>(parts_.front()->solver.nodes()), "1");
  number("field_memory", all.sum(bytes), "B");
  if (all.maximum(s ? 0.0 : 1.0) > 0 && s)
    s = make_error(ErrorCode::not_converged, "a shot of another group of ranks has failed", "Its ranks say why.");
  return s;
}

}  // namespace conoid::acoustic_fd

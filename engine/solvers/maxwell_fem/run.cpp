// SPDX-License-Identifier: BSD-3-Clause
// The march over frequencies: rounds of them by groups of ranks, pieces of each, checkpoints.
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"

#include "engine/core/log.hpp"
#include "engine/solvers/maxwell_fem/plan_radiation.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/core.h>

namespace conoid::maxwell_fem {
namespace {

/// Of a checkpoint: takes another name whenever OutcomeFacts gets other numbers, so that earlier checkpoints are told from this one's.
constexpr const char* facts_entry = "facts with powers, sweeps with bars";
/// Of a checkpoint: a frequency that was under way.
struct UnderWay {
  double frequency = 0, done = 0, first = 0;
};

std::string name_under_way(std::size_t frequency) {
  return fmt::format("frequency {} under way", frequency + 1);
}

}  // namespace

Status MaxwellFem::begin_round(RunContext& context) {
  if (const std::size_t band = band_of(order_[next_]); band != band_) {
    context.progress.begin("mesh", 0, "");
    if (Status s = enter_band(band); !s) return s;
    context.progress.end();
    note_mesh(context);
    return {};
  }
  Communicator& all = context.cluster;
  round_ = 1;  // as many as there are groups of ranks, of one band
  while (round_ < most_groups_ && next_ + round_ < order_.size() && band_of(order_[next_ + round_]) == band_) ++round_;
  const auto group = static_cast<std::size_t>(all.rank()) % round_;
  group_ = cluster_;
  own_group_.reset();
  if (round_ > 1) {
    own_group_ = all.split(static_cast<int>(group));
    group_ = own_group_.get();
  }
  if (const std::string idle = idle_ranks(group_->size(), domain_.outer.faces());
      !idle.empty() && all.leads() && !std::exchange(told_of_idle_ranks_, true))
    log::warning("maxwell-fem: {}; start as many ranks as there are elements or fewer", idle);
  frequency_ = order_[next_ + group];
  outcome_ = {};
  done_ = false;
  first_ = 0;
  currents_.clear();
  take_up();
  return {};
}

void MaxwellFem::take_up() {
  const auto found = interrupted_.find(frequency_);
  if (found == interrupted_.end()) return;
  ParcelReader in(found->second);
  std::vector<UnderWay> at;
  in.get(at);
  done_ = at.at(0).done > 0;
  first_ = static_cast<Index>(at.at(0).first);
  outcome_ = get_outcome(in);
  in.get(currents_);
  in.get(restored_.data);
  in.get(restored_.marks);
}

/// Currents of whole batches; of the one under way its iteration, with a Krylov space that is not too large: of one that is left out
/// the resumed run makes a part again, and a stop must not wait for the disk.
Parcel MaxwellFem::under_way() const {
  const Bytes most = (Bytes{stop_.stop_requested() ? 64U : 512U} << 20) / std::max<std::size_t>(1, round_);
  const bool solving = !done_ && first_ < static_cast<Index>(outcome_.solved.size());
  const auto whole = solving ? static_cast<std::size_t>(first_ * 4 * domain_.currents.size()) : currents_.size();
  BlockGcr::State state = restored_;  // not yet taken up, if the run has just been resumed
  if (truncation_) state = solving ? truncation_->state(most) : BlockGcr::State{};
  ParcelWriter out;
  out.put(std::vector<UnderWay>{{static_cast<double>(frequency_), done_ ? 1.0 : 0.0, static_cast<double>(first_)}});
  put_outcome(out, outcome_);
  out.put(std::vector<Complex>(currents_.begin(),
                               currents_.begin() + static_cast<std::ptrdiff_t>(std::min(whole, currents_.size()))));
  out.put(state.data);
  out.put(state.marks);
  return out.finish();
}

Status MaxwellFem::begin_phase(RunContext& context, const char* name, Index total, const char* unit) {
  if (context.stop.stop_requested()) return stop_error();
  context.progress.begin(name, total, unit);
  return {};
}

Status MaxwellFem::piece(RunContext& context) {
  if (!system_) return factorise_frequency(context);
  if (!radiation_) {
    Status s = begin_frequency(context);
    if (s) s = begin_batch(context);
    if (!s) {
      truncation_.reset();
      radiation_.reset();
    }
    return s;
  }
  if (!truncation_->finished()) return piece_of_iteration(context);
  if (collected_ < static_cast<Index>(truncation_->waves().size())) {
    if (Status s = collect_block(context); !s) return s;
    if (collected_ < static_cast<Index>(truncation_->waves().size()) || next_order_) return {};
    end_batch(context);
    return first_ < static_cast<Index>(outcome_.solved.size()) ? begin_batch(context) : Status();
  }
  if (next_order_) {
    if (Status s = find_changes(context); !s) return s;
    end_batch(context);
    return {};
  }
  if (Status s = begin_phase(context, "far fields"); !s) return s;
  if (Status s = end_frequency(context); !s) return s;
  context.progress.end();
  outcome_.facts.seconds_solve += truncation_->times().solve;
  outcome_.facts.seconds_radiate += truncation_->times().radiate;
  truncation_.reset();
  radiation_.reset();
  system_.reset();
  currents_.clear();
  done_ = true;
  return {};
}

Status MaxwellFem::piece_of_iteration(RunContext& context) {
  const double before = truncation_->times().solve;
  const Index solved = truncation_->solved();
  auto whole = truncation_->piece(context.team);
  if (!whole) return whole.error();
  // Each entry of the factors is read twice for a block of right-hand sides, and meets each of them twice.
  const auto entries = static_cast<double>(system_->facts().entries);
  if (const Index columns = truncation_->solved() - solved; columns > 0 && !factored_on_device_)
    context.team.note("solve", truncation_->times().solve - before,
                      {16 * entries * static_cast<double>(columns),
                       2 * entries * sizeof(Complex) *
                           std::ceil(static_cast<double>(columns) / static_cast<double>(problem_.truncation.block))});
  if (*whole) note_iteration(context);
  return {};
}

Result<bool> MaxwellFem::compute_round(RunContext& context) {
  Communicator& all = context.cluster;
  Status s;
  // An exception would leave the others waiting for this rank.
  try {
    if (round_ == 0) s = begin_round(context);
    if (s && round_ > 0 && !done_) s = piece(context);
  } catch (const std::exception&) {
    if (all.size() == 1) throw;
    s = current_exception_as_error();
  }
  // After a stop all is as it was before the piece, or after it: the run can be saved.
  const bool stopped = !s && s.error().code == ErrorCode::stopped && context.stop.stop_requested();
  std::vector<double> most{!s && !stopped ? 1.0 : 0.0, round_ > 0 && done_ ? 0.0 : 1.0, stopped ? 0.0 : 1.0};
  all.maximum(std::span(most));
  if (!s && !stopped) return s.error();
  if (most[0] > 0) return false;
  if (most[2] > 0) ++steps_;
  if (most[1] > 0) return false;
  if (all.size() == 1) return true;
  const auto begin = static_cast<Index>(next_), end = static_cast<Index>(next_ + round_);
  return rounds_.bring(begin, end, all, [&](Index) {
    ParcelWriter out;
    put_outcome(out, outcome_);
    return Result<Parcel>(out.finish());
  });
}

Result<Advanced> MaxwellFem::advance(RunContext& context) {
  stop_ = context.stop;
  bool waits = rounds_.waiting() > 0;
  if (waits) {
    ++steps_;
  } else {
    auto computed = compute_round(context);
    if (!computed) return computed.error();
    waits = *computed;
  }
  Advanced out;
  Status kept;
  if (waits) {
    if (rounds_.waiting() > 0) {  // else a single rank, which holds it already
      const Parcel parcel = rounds_.take();
      if (context.cluster.leads()) {
        ParcelReader in(parcel);
        outcome_ = get_outcome(in);
      }
    }
    if (context.cluster.leads()) kept = keep(context);
    interrupted_.erase(order_[next_]);
    ++next_;
    if (rounds_.waiting() == 0) round_ = 0;
    extend_order(context.cluster);
    finished_ = next_ == order_.size();
  }
  if (!kept) return kept.error();
  out.step = steps_;
  out.finished = finished_;
  out.value = problem_.frequencies.size() > 1 ? problem_.frequencies[order_[std::min(next_, order_.size() - 1)]]
                                              : static_cast<double>(iterations_);
  return out;
}

/// What the leading rank makes of a frequency: tables, numbers, fields to show.
Status MaxwellFem::keep(RunContext& context) {
  const bool of_others = frequency_ != order_[next_];
  frequency_ = order_[next_];
  waves_ = problem_.waves(frequency());
  choose_check_wave();
  write_iterations(context);
  if (Status s = write_frequency(context); !s) return s;
  const OutcomeFacts& f = outcome_.facts;
  all_.iterations = std::max(all_.iterations, f.iterations);
  all_.applications += f.applications;
  all_.residual = std::max(all_.residual, f.residual);
  all_.failed = std::max(all_.failed, f.failed);
  all_.seconds_factor += f.seconds_factor;
  all_.seconds_solve += f.seconds_solve;
  all_.seconds_radiate += f.seconds_radiate;
  all_.seconds_near += f.seconds_near;
  if (!of_others || outcome_.shown.empty()) return {};
  show_fields(outcome_.shown);
  shown_step_ = steps_;
  shown_ = frequency();
  return {};
}

void MaxwellFem::save(CheckpointWriter& writer) const {
  const std::array<std::int64_t, 3> place{static_cast<std::int64_t>(next_), steps_, iterations_};
  writer.shared<std::int64_t>("place", place);
  writer.shared<OutcomeFacts>(facts_entry, std::array{all_});
  // Of each group's frequency, by its first rank, and those of the last checkpoint that no group has taken up yet.
  const auto put = [&writer](std::size_t frequency, const Parcel& parcel) {
    writer.piece<double>(name_under_way(frequency), static_cast<Index>(parcel.size()), 0, parcel);
  };
  if (round_ > 0 && rounds_.waiting() == 0 && static_cast<std::size_t>(cluster_->rank()) < round_)
    put(frequency_, under_way());
  if (cluster_->leads())
    for (const auto& [frequency, parcel] : interrupted_)
      if (std::find(order_.begin() + static_cast<std::ptrdiff_t>(std::min(next_ + round_, order_.size())), order_.end(),
                    frequency) != order_.end())
        put(frequency, parcel);
  rounds_.save(writer);
  const std::vector<std::int64_t> order(order_.begin(), order_.end());
  writer.shared<std::int64_t>("order", order);
  const std::array<double, 3> sweep{static_cast<double>(newest_), static_cast<double>(agreed_), sweep_error_};
  writer.shared<double>("fast sweep", sweep);
  ParcelWriter samples;
  for (const Sample& s : samples_) {
    samples.put(std::vector<double>{s.frequency});
    samples.put(s.y);
    samples.put(s.off);
  }
  writer.shared<double>("samples", samples.finish());
  std::vector<Complex> echoes;
  for (const Echo& e : echoes_) {
    echoes.emplace_back(e.frequency, static_cast<double>(e.amplitude.size()));
    echoes.emplace_back(e.extinction, e.scattering);
    echoes.insert(echoes.end(), e.amplitude.begin(), e.amplitude.end());
  }
  writer.shared<Complex>("echoes", echoes);
  const double shown[2] = {static_cast<double>(shown_step_), shown_};
  writer.shared<double>("shown", shown);
  writer.shared<std::int64_t>("shown band", std::array{static_cast<std::int64_t>(band_)});
  std::vector<float> planes;
  for (const auto& p : plane_fields_) planes.insert(planes.end(), p.begin(), p.end());
  writer.shared<float>("planes", planes);
  writer.shared<float>("electric", electric_);
  writer.shared<float>("surface current", surface_current_);
}

void MaxwellFem::load(CheckpointReader& reader) {
  if (reader.length(facts_entry) < 0 || reader.length("place") != 3)
    throw Failure(make_error(ErrorCode::file, "the checkpoint was written by an earlier version of this solver",
                             "Run the case again from its beginning."));
  const auto place = reader.all<std::int64_t>("place");
  next_ = static_cast<std::size_t>(place.at(0));
  steps_ = place.at(1);
  iterations_ = place.at(2);
  all_ = reader.all<OutcomeFacts>(facts_entry).at(0);
  rounds_.load(reader, cluster_->leads());
  round_ = static_cast<std::size_t>(rounds_.waiting());
  const auto order = reader.all<std::int64_t>("order");
  order_.assign(order.begin(), order.end());
  const auto sweep = reader.all<double>("fast sweep");
  newest_ = static_cast<std::size_t>(sweep.at(0));
  agreed_ = static_cast<int>(sweep.at(1));
  sweep_error_ = sweep.at(2);
  const Parcel samples = reader.all<double>("samples");
  for (ParcelReader in(samples); !in.at_end();) {
    Sample s;
    std::vector<double> at;
    in.get(at);
    in.get(s.y);
    in.get(s.off);
    s.frequency = at.at(0);
    samples_.push_back(std::move(s));
  }
  frequency_ = problem_.frequencies.size();  // none of those that wait
  for (const std::size_t f : order_)
    if (reader.length(name_under_way(f)) > 0) interrupted_[f] = reader.all<double>(name_under_way(f));
  const auto echoes = reader.all<Complex>("echoes");
  for (std::size_t i = 0; i + 1 < echoes.size();) {
    Echo e;
    e.frequency = echoes[i].real();
    const auto n = static_cast<std::size_t>(echoes[i].imag());
    e.extinction = echoes[i + 1].real();
    e.scattering = echoes[i + 1].imag();
    e.amplitude.assign(echoes.begin() + static_cast<std::ptrdiff_t>(i + 2),
                       echoes.begin() + static_cast<std::ptrdiff_t>(i + 2 + n));
    echoes_.push_back(std::move(e));
    i += 2 + n;
  }
  // The mesh that was in use: fields that are shown belong to it.
  if (const auto band = static_cast<std::size_t>(reader.all<std::int64_t>("shown band").at(0)); band != band_)
    enter_band(band).or_throw();
  const auto shown = reader.all<double>("shown");
  shown_step_ = static_cast<Index>(shown.at(0));
  shown_ = shown.at(1);
  const auto planes = reader.all<float>("planes");
  std::size_t at = 0;
  for (auto& p : plane_fields_)
    if (at + p.size() <= planes.size()) {
      std::copy_n(planes.begin() + static_cast<std::ptrdiff_t>(at), p.size(), p.begin());
      at += p.size();
    }
  electric_ = reader.all<float>("electric");
  if (auto current = reader.all<float>("surface current"); current.size() == surface_current_.size())
    surface_current_ = std::move(current);
  else
    shown_step_ = -1;  // by an earlier version, which showed both sides of sheets
}

}  // namespace conoid::maxwell_fem

// SPDX-License-Identifier: BSD-3-Clause
// Runs that make an image: marches of a shot one after the other, what is compared between them, and checkpoints.
#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/plan.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

FieldInfo AcousticFd::image_field() const {
  if (setup_.image.kind == ImageSettings::Kind::gradient)
    return {"gradient",
            "Pa^2 s^2/m^4",
            FieldKind::signed_value,
            Association::point,
            1,
            false,
            "Gradient with respect to the speed"};
  return {"image", "1", FieldKind::signed_value, Association::point, 1, false, "Image"};
}

FieldInfo AcousticFd::illumination_field() {
  return {"illumination", "Pa^2/s", FieldKind::magnitude, Association::point, 1, false, "Illumination"};
}

Status AcousticFd::prepare_image(RunContext& context) {
  image_plan_ = plan_image(setup_.problem, setup_.image, setup_.problem.memory, context.cluster.size());
  setup_.problem.memory = image_plan_.march;
  imaged_ = setup_.problem;
  try {
    smooth_medium(imaged_, setup_.image.smooth);
  } catch (const Failure& failure) {
    return failure.error();
  }
  if (context.cluster.leads()) log::info("acoustic-fd: {}", image_text(setup_.problem, setup_.image, image_plan_));
  return {};
}

AcousticFd::Pass AcousticFd::first_pass() const {
  return setup_.image.passes() == 3 ? Pass::observe : Pass::forward;
}

bool AcousticFd::after_this(std::size_t& shot, Pass& pass) const {
  shot = shot_;
  if (setup_.image.any() && pass_ != Pass::backward) {
    pass = static_cast<Pass>(static_cast<Index>(pass_) + 1);
    return true;
  }
  pass = first_pass();
  return ++shot < setup_.shots.size();
}

/// The next step at which a field is kept or multiplied.
Index AcousticFd::image_stop(Index k) const {
  if (!setup_.image.any() || pass_ == Pass::observe) return setup_.problem.steps;
  return pass_ == Pass::forward ? imaging_->next_forward(k) : imaging_->next_backward(k);
}

void AcousticFd::take_image() {
  if (!setup_.image.any() || pass_ == Pass::observe) return;
  if (pass_ == Pass::forward)
    imaging_->keep(*team_, *march_);
  else
    imaging_->correlate(*team_, *march_);
}

Status AcousticFd::read_observed_of_shot() {
  if (setup_.image.observed == ImageSettings::Observed::computed) return {};
  auto observed = read_observed(setup_.image, setup_.shots[shot_], setup_.shots.size() == 1,
                                std::span(setup_.problem.receivers).first(setup_.pressure_receivers),
                                0.05 * setup_.problem.grid.finest());
  if (!observed) return observed.error();
  observed_ = std::move(*observed);
  return {};
}

Status AcousticFd::end_pass(RunContext& context) {
  if (pass_ == Pass::backward) return {};
  if (pass_ == Pass::forward) {
    if (const Status s = end_shot(context); !s) return s;
    return compare_traces(context);
  }
  std::vector<std::vector<double>> none;
  append_traces(context, none, true);
  observed_rows_ = std::exchange(image_rows_, {});
  return {};
}

bool AcousticFd::has_ended(Pass pass) const {
  return setup_.image.any() && pass_ == pass && march_->steps_done() >= setup_.problem.steps;
}

void AcousticFd::add_misfit(const Misfit& of_shot) {
  misfit_.misfit += of_shot.misfit;
  misfit_.observed += of_shot.observed;
}

/// The residual, its misfit, and what receivers send back of it.
Status AcousticFd::compare_traces(RunContext& context) {
  const ImageSettings& image = setup_.image;
  const std::size_t all = problem_.receivers.size(), heard = setup_.pressure_receivers;
  const bool computed = image.observed == ImageSettings::Observed::computed;
  const double interval = computed ? static_cast<double>(problem_.trace_every) * problem_.dt : observed_.interval;
  std::size_t rows = image_rows_.size() / all;
  rows = std::min(rows, computed ? observed_rows_.size() / all : static_cast<std::size_t>(observed_.samples));
  const bool gradient = image.kind == ImageSettings::Kind::gradient;
  std::vector<double> sent(rows * heard);
  double misfit = 0, size = 0;
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t r = 0; r < heard; ++r) {
      if (!computed && !observed_.known[r]) continue;
      const double modelled = image_rows_[j * all + r];
      const double observed =
          computed ? observed_rows_[j * all + r]
                   : static_cast<double>(observed_.values[r * static_cast<std::size_t>(observed_.samples) + j]);
      misfit += 0.5 * interval * (modelled - observed) * (modelled - observed);
      size += 0.5 * interval * observed * observed;
      sent[j * heard + r] = interval * (gradient              ? modelled - observed
                                        : image.send_observed ? observed
                                                              : observed - modelled);
    }
  sent_back_ = filter_->transposed(image_table_, sent, heard, problem_.steps);
  image_rows_.clear();
  shot_misfit_ = {misfit, size};
  TableInfo info;
  info.id = "misfit";
  info.title = "Misfit of the shots";
  info.columns = {{"shot", "1", "shot"}, {"misfit", "Pa^2 s", "misfit"}, {"relative", "1", "over observed"}};
  info.definition =
      "Misfit 1/2 dt sum (p - p_observed)^2 over samples and receivers; relative: over the same of p_observed alone.";
  context.results.table(info).append({static_cast<double>(setup_.shots[shot_]), misfit, size > 0 ? misfit / size : 0});
  return {};
}

/// Receivers send what came of the residual, last level first: signal j of the march is that of level N − j.
void AcousticFd::set_sources_of_receivers() {
  Problem& p = problem_;
  const std::size_t heard = setup_.pressure_receivers;
  const auto steps = static_cast<std::size_t>(p.steps);
  p.sources.clear();
  for (std::size_t r = 0; r < heard; ++r) {
    std::vector<double> values(steps);
    bool silent = true;
    for (std::size_t j = 0; j < steps; ++j) {
      values[j] = sent_back_[(steps - j) * heard + r];
      silent &= values[j] == 0;
    }
    if (silent) continue;
    Source source;
    source.position = p.receivers[r].position;
    source.signal = signal_of_steps(std::move(values), p.dt, setup_.highest_sent);
    source.shot = setup_.shots[shot_];
    source.transposed = true;
    p.sources.push_back(std::move(source));
  }
  p.receivers.clear();
}

void AcousticFd::save_image(CheckpointWriter& writer) const {
  writer.value("pass", static_cast<Index>(pass_));
  writer.shared<double>("image_rows", image_rows_);
  writer.shared<double>("observed_rows", observed_rows_);
  writer.shared<double>("sent_back", sent_back_);
  writer.value("misfit", misfit_);
  writer.value("image_there", static_cast<Index>(imaging_ ? 1 : 0));
  if (imaging_) imaging_->save(writer);
}

/// Fields of the march forwards are not part of a checkpoint, whose size they would be many times: that march is computed again up to where the
/// run stood, which gives the same bits.
void AcousticFd::load_image(CheckpointReader& reader, std::size_t shot, Pass pass) {
  if (const Status s = begin_shot(shot, pass == Pass::observe ? pass : Pass::forward); !s) throw Failure(s.error());
  if (reader.value<Index>("image_there") != 0) {
    if (!imaging_) imaging_ = std::make_unique<Imaging>(imaged_, setup_.image, image_plan_, *march_);
    imaging_->load(reader);
  }
  if (pass != Pass::observe) {
    const Index end = pass == Pass::forward ? reader.value<Index>("step") : setup_.problem.steps;
    if (cluster_->leads() && end > 0)
      log::info("acoustic-fd: {} steps of shot {} again, for the image", end, setup_.shots[shot]);
    for (Index k = 0; k < end;) {
      const Index next = std::min(end, imaging_->next_forward(k));
      march_->advance(*team_, *cluster_, next - k);
      k = next;
      imaging_->keep(*team_, *march_);
    }
  }
  image_rows_ = reader.all<double>("image_rows");
  observed_rows_ = reader.all<double>("observed_rows");
  sent_back_ = reader.all<double>("sent_back");
  misfit_ = reader.value<Misfit>("misfit");
  if (pass == Pass::backward)
    if (const Status s = begin_shot(shot, pass); !s) throw Failure(s.error());
}

void AcousticFd::add_image_fields(
    FrameBuilder& builder, const March::Cut& cut,
    const std::function<std::shared_ptr<const std::vector<float>>(std::vector<float>&&)>& join,
    std::vector<Field>& fields) const {
  for (const auto& [info, what] : {std::pair{image_field(), Imaging::Shown::image},
                                   std::pair{illumination_field(), Imaging::Shown::illumination}}) {
    if (!builder.wants(info.name)) continue;
    std::vector<float> mine;
    if (imaging_) {
      imaging_->read(what, cut, *cluster_, mine);
    } else {
      for (Index i = 0; i < cut.count[0]; ++i)
        if (const Index x = cut.first[0] + i * cut.step[0]; x >= march_->planes().begin && x < march_->planes().end)
          mine.insert(mine.end(), static_cast<std::size_t>(cut.count[1] * cut.count[2]), 0.0F);
    }
    fields.push_back({info, join(std::move(mine))});
  }
}

}  // namespace conoid::acoustic_fd

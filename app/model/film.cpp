// SPDX-License-Identifier: BSD-3-Clause
// Pictures one by one.
#include "app/model/film.hpp"

#include <tuple>

#include "app/model/background.hpp"
#include "app/model/names.hpp"
#include "render/scene/field_values.hpp"
#include "render/window/raster_viewport.hpp"
#include "render/window/turn.hpp"

namespace conoid::app {

Film::Film(RunModel& run, std::shared_ptr<FieldScene> scene, FilmOptions options, QObject* parent)
    : QObject(parent), run_(run), scene_(std::move(scene)), options_(std::move(options)) {
  count_ = options_.phases > 0 ? options_.phases : static_cast<int>(run_.frames().size());
  timer_.setInterval(0);
  connect(&timer_, &QTimer::timeout, this, &Film::draw);
}

Film::~Film() = default;

void Film::start() {
  if (!options_.file.endsWith(".png") && ffmpeg_program().empty())
    return finish(tr("The program ffmpeg is not installed. Choose numbered pictures, or install ffmpeg."));
  if (count_ == 0) return finish(tr("There is no frame to draw."));
  auto writer = FilmWriter::open(options_.file.toStdString(), {options_.width,
                                                               options_.height,
                                                               static_cast<double>(options_.pictures_per_second),
                                                               {{"run", run_.folder().filename().string()}}});
  if (!writer) return finish(rendered(writer.error()));
  writer_ = std::move(writer).value();
  // All frames are looked at once before any is drawn: one range of colours for the whole film.
  measuring_ = options_.phases == 0 && !scene_->view().fixed_range;
  timer_.start();
}

void Film::cancel() {
  if (closing_) return;  // it is whole in a moment
  finish(tr("The film was given up."));
}

void Film::measure(const Frame& frame) {
  FieldView view = scene_->view();
  if (const auto own = range_in_frame(frame, view.part, view.field, view.value, view.percent)) ranges_.push_back(*own);
  measuring_ = ++measured_ < count_;
  if (measuring_) return;
  if (const auto all = range_over_frames(std::move(ranges_))) {
    view.fixed_range = true;
    std::tie(view.low, view.high) = *all;
    static_cast<void>(scene_->set_view(view).ok());
  }
}

Result<Image> Film::picture() {
  const bool first = viewport_ == nullptr;
  if (first) {
    auto made = RasterViewport::make(options_.width, options_.height, 1);
    if (!made) return made.error();
    viewport_ = std::move(made).value();
    viewport_->set_supersampling(1);
    scene_->set_transparent(options_.transparent && options_.file.endsWith(".png"));
    viewport_->set_scene(scene_);
  }
  viewport_->request_render();
  Image image = viewport_->grab();
  if (first && !image.empty()) {  // only now it is known who draws
    refine_where_a_card_draws(*viewport_);
    image = viewport_->grab();
  }
  if (image.empty()) return make_error(ErrorCode::resources, "no picture could be drawn: " + viewport_->problem());
  return image;
}

void Film::draw() {
  if (turn_is_taken()) return;  // the timer asks again
  const TurnWork work;
  if (options_.phases > 0) {
    FieldView view = scene_->view();
    view.value.angle = 2 * 3.14159265358979323846 * next_ / count_;
    static_cast<void>(scene_->set_view(view).ok());
  } else {
    const auto index = static_cast<std::size_t>(measuring_ ? measured_ : next_);
    if (index >= run_.frames().size()) return finish(tr("The run was closed before the film was done."));
    const auto frame = run_.frames().at(index);
    if (!frame) {  // on disk: it comes with frame_loaded, and the timer asks again
      timer_.setInterval(10);
      return run_.fetch(index);
    }
    timer_.setInterval(0);
    if (measuring_) return measure(*frame);
    static_cast<void>(scene_->set_frame(frame).ok());
  }
  auto image = picture();
  if (!image) return finish(rendered(image.error()));
  if (const Status added = writer_->add(std::move(image).value()); !added) return finish(rendered(added.error()));
  ++next_;
  emit progressed(next_, count_);
  if (next_ < count_) return;
  timer_.stop();
  close();
}

void Film::close() {
  closing_ = true;
  in_background(
      this, [writer = std::shared_ptr<FilmWriter>(std::move(writer_))] { return writer->finish(); },
      [](Film& self, const Status& done) { self.finish(done ? QString() : rendered(done.error())); });
}

void Film::finish(const QString& trouble) {
  if (over_) return;
  over_ = true;
  timer_.stop();
  writer_.reset();  // what is not whole goes away
  emit ended(trouble);
}

}  // namespace conoid::app

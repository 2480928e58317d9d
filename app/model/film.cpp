// SPDX-License-Identifier: BSD-3-Clause
// Pictures one by one, then ffmpeg.
#include "app/model/film.hpp"

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>

#include "render/capture/picture.hpp"
#include "render/capture/png.hpp"

namespace conoid::app {

QString find_ffmpeg() {
  return QStandardPaths::findExecutable("ffmpeg");
}

Film::Film(RunModel& run, std::shared_ptr<FieldScene> scene, FilmOptions options, QObject* parent)
    : QObject(parent), run_(run), scene_(std::move(scene)), options_(std::move(options)) {
  count_ = options_.phases > 0 ? options_.phases : static_cast<int>(run_.frames().size());
  timer_.setInterval(0);
  connect(&timer_, &QTimer::timeout, this, &Film::draw);
}

Film::~Film() {
  if (encoder_) encoder_->kill();
}

void Film::start() {
  if (!options_.file.endsWith(".png")) {
    if (find_ffmpeg().isEmpty())
      return finish(tr("The program ffmpeg is not installed. Choose numbered pictures, or install ffmpeg."));
    folder_ = std::make_unique<QTemporaryDir>();
    if (!folder_->isValid()) return finish(tr("No temporary folder can be made for the pictures of the film."));
  }
  if (count_ == 0) return finish(tr("There is no frame to draw."));
  // All frames are shown to the scene once before any is drawn: one range of colours for the whole film.
  measuring_ = options_.phases == 0 && !scene_->view().fixed_range;
  timer_.start();
}

QString Film::picture_name(int number) const {
  const QString digits = QStringLiteral("%1").arg(number + 1, 5, 10, QChar('0'));
  if (folder_) return folder_->filePath("frame-" + digits + ".png");
  return options_.file.chopped(4) + "-" + digits + ".png";
}

void Film::cancel() {
  if (encoder_) encoder_->kill();
  finish(tr("The film was given up."));
}

void Film::draw() {
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
    static_cast<void>(scene_->set_frame(frame).ok());
    if (measuring_) {
      measuring_ = ++measured_ < count_;
      timer_.setInterval(0);
      return;
    }
  }
  timer_.setInterval(0);
  const auto image = take_picture(scene_, {options_.width, options_.height, 1, options_.transparent && !folder_});
  if (!image) return finish(QString::fromStdString(image.error().render()));
  const Status written =
      write_png(picture_name(next_).toStdString(), *image, {{"run", run_.folder().filename().string()}});
  if (!written) return finish(QString::fromStdString(written.error().render()));
  ++next_;
  emit progressed(next_, count_);
  if (next_ < count_) return;
  timer_.stop();
  folder_ ? encode() : finish({});
}

void Film::encode() {
  encoder_ = new QProcess(this);
  QStringList words = {"-y", "-loglevel", "error", "-framerate", QString::number(options_.pictures_per_second), "-i",
                       folder_->filePath("frame-%05d.png"),
                       // Both codecs want even sides.
                       "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"};
  if (options_.file.endsWith(".webm"))
    words << "-c:v"
          << "libvpx-vp9"
          << "-b:v"
          << "0"
          << "-crf"
          << "30";
  words << options_.file;
  connect(encoder_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    const QString said = QString::fromUtf8(encoder_->readAllStandardError()).trimmed().section('\n', 0, 0);
    finish(status == QProcess::NormalExit && code == 0 && QFileInfo::exists(options_.file)
               ? QString()
               : tr("ffmpeg could not make the film: %1").arg(said.isEmpty() ? tr("exit code %1").arg(code) : said));
  });
  connect(encoder_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) finish(tr("ffmpeg could not be started."));
  });
  encoder_->start(find_ffmpeg(), words);
}

void Film::finish(const QString& trouble) {
  if (over_) return;
  over_ = true;
  timer_.stop();
  emit ended(trouble);
}

}  // namespace conoid::app

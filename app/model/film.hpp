// SPDX-License-Identifier: BSD-3-Clause
// Draws the frames of a run, or one period of a wave, for the writer of films (render/capture/film_writer.hpp).
#pragma once

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <QObject>
#include <QString>
#include <QTimer>

#include "app/model/run_model.hpp"
#include "render/capture/film_writer.hpp"
#include "render/scene/field_scene.hpp"

namespace conoid {
class RasterViewport;
}

namespace conoid::app {

struct FilmOptions {
  QString file;      ///< "film.mp4", "film.webm", or "film.png": numbered film-00001.png … beside it
  int width = 1280;  ///< pixels
  int height = 720;
  int pictures_per_second = 15;
  bool transparent = false;  ///< numbered pictures only
  int phases = 0;            ///< > 0: so many pictures of one period of the frame at hand, instead of the frames
};

/// Works in the window's thread, one picture a turn of the event loop, so the window stays alive. The run must outlive it.
class Film : public QObject {
  Q_OBJECT
 public:
  /// `scene` must not be attached to a viewport (FieldScene::copy).
  Film(RunModel& run, std::shared_ptr<FieldScene> scene, FilmOptions options, QObject* parent = nullptr);
  ~Film() override;
  void start();
  void cancel();
  [[nodiscard]] int pictures() const { return count_; }

 signals:
  void progressed(int done, int all);
  /// `trouble` is empty when the film is there; else a sentence.
  void ended(const QString& trouble);

 private:
  void draw();
  /// The scene as it is now. One viewport draws all pictures: another one would be given every mesh anew.
  Result<Image> picture();
  void measure(const Frame& frame);
  void close();
  void finish(const QString& trouble);

  RunModel& run_;
  std::shared_ptr<FieldScene> scene_;
  std::unique_ptr<RasterViewport> viewport_;  // goes before the scene
  FilmOptions options_;
  std::unique_ptr<FilmWriter> writer_;
  QTimer timer_;
  int count_ = 0;
  int next_ = 0;
  int measured_ = 0;        ///< frames that were looked at for their range
  bool measuring_ = false;  ///< before the first picture
  std::vector<std::pair<double, double>> ranges_;
  bool closing_ = false;  ///< all pictures are drawn
  bool over_ = false;
};

}  // namespace conoid::app

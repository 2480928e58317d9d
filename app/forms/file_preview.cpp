// SPDX-License-Identifier: BSD-3-Clause
// A look into files.
#include "app/forms/file_preview.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <QFileInfo>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "app/model/background.hpp"
#include "app/model/names.hpp"
#include "engine/core/units.hpp"
#include "engine/run/run_reader.hpp"
#include "render/scene/color_map.hpp"

namespace conoid::app {
namespace {

constexpr Index most_traces = 240, most_samples = 160;  // of a picture
constexpr int glance_height = 64;

QString size_words(const QFileInfo& info) {
  return QString::fromStdString(format_bytes(static_cast<Bytes>(info.size())));
}

QString range_words(const Column& column, std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return QString::fromStdString(column.name);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const QString unit =
      column.unit.empty() || column.unit == "1" ? QString() : " " + QString::fromStdString(column.unit);
  return QObject::tr("%1 from %2 to %3")
      .arg(QString::fromStdString(column.name), QString::number(*low, 'g', 3), QString::number(*high, 'g', 3) + unit);
}

FileGlance look_into_table(const std::filesystem::path& file) {
  FileGlance out;
  constexpr CsvLimits limits{Bytes{32} << 20, 256, 2'000'000};
  const auto table = read_csv(file, limits);
  if (!table) return {translated(table.error().text), true, {}, {}, {}};
  if (table->rows() == 0) return {QObject::tr("The table has no rows."), true, {}, {}, {}};
  out.x = table->column(0);
  QStringList words{QObject::tr("%1 rows").arg(table->rows()), range_words(table->columns[0], out.x)};
  if (table->columns.size() > 1) {
    out.y = table->column(1);
    words << range_words(table->columns[1], out.y);
  }
  // A curve of what is finite.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.y.size(); ++i)
    if (std::isfinite(out.x[i]) && std::isfinite(out.y[i])) {
      out.x[kept] = out.x[i];
      out.y[kept++] = out.y[i];
    }
  if (!out.y.empty()) out.x.resize(kept);
  out.y.resize(kept);
  if (table->columns.size() > 2) words << QObject::tr("%1 columns more").arg(table->columns.size() - 2);
  out.words = words.join(", ");
  return out;
}

FileGlance look_into_traces(const std::filesystem::path& file) {
  const auto reader = SegyReader::open(file);
  if (!reader) return {translated(reader.error().text), true, {}, {}, {}};
  FileGlance out;
  out.words = QObject::tr("%1 traces of %2 samples").arg(reader->traces()).arg(reader->samples());
  const Index columns = std::min(reader->traces(), most_traces), rows = std::min(reader->samples(), most_samples);
  if (columns < 1 || rows < 1) return out;
  std::vector<float> trace(static_cast<std::size_t>(reader->samples())),
      values(static_cast<std::size_t>(columns * rows));
  SegyTrace header;
  for (Index c = 0; c < columns; ++c) {
    if (!reader->read(c * reader->traces() / columns, header, trace)) break;
    for (Index r = 0; r < rows; ++r)
      values[static_cast<std::size_t>(r * columns + c)] = trace[static_cast<std::size_t>(r * reader->samples() / rows)];
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  // Traces swing around zero; a model of speeds does not.
  const bool swings = *low < 0;
  const double from = swings ? -std::max(std::abs(*low), std::abs(*high)) : *low, to = swings ? -from : *high;
  const auto map = find_color_map(swings ? "swing" : "depth");
  out.picture = QImage(static_cast<int>(columns), static_cast<int>(rows), QImage::Format_RGB32);
  for (int r = 0; r < out.picture.height(); ++r)
    for (int c = 0; c < out.picture.width(); ++c) {
      const double v = values[static_cast<std::size_t>(r * columns + c)];
      const double at = to > from ? std::clamp((v - from) / (to - from), 0.0, 1.0) : 0.5;
      const Rgb rgb = map ? map->at(at) : Rgb{at, at, at};
      out.picture.setPixel(
          c, r, qRgb(static_cast<int>(255 * rgb[0]), static_cast<int>(255 * rgb[1]), static_cast<int>(255 * rgb[2])));
    }
  return out;
}

FileGlance look_into_image_header(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string head(4096, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  static const QRegularExpression extent("WholeExtent=\"\\s*(-?\\d+) (-?\\d+) (-?\\d+) (-?\\d+) (-?\\d+) (-?\\d+)");
  const auto found = extent.match(QString::fromLatin1(head.c_str()));
  if (!found.hasMatch()) return {QObject::tr("This is no VTK image."), true, {}, {}, {}};
  QStringList points;
  for (int k = 0; k < 3; ++k)
    points << QString::number(found.captured(2 * k + 2).toLongLong() - found.captured(2 * k + 1).toLongLong() + 1);
  FileGlance out;
  out.words = QObject::tr("%1 points").arg(points.join(QStringLiteral(" × ")));
  return out;
}

/// The curve of a table or the picture of traces.
class GlancePicture final : public QWidget {
 public:
  GlancePicture(const Look& look, const FileGlance& glance, QWidget* parent)
      : QWidget(parent), look_(look), glance_(glance) {
    setFixedHeight(glance_height);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const QRectF area = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.fillRect(area, look_.colour("sunken"));
    if (!glance_.picture.isNull()) {
      painter.setRenderHint(QPainter::SmoothPixmapTransform);
      painter.drawImage(area, glance_.picture);
    } else if (glance_.y.size() > 1) {
      const auto share = [](const auto& all) {  // of each between the least and the most
        const auto ends = std::minmax_element(all.begin(), all.end());
        return [&all, from = *ends.first, span = *ends.second - *ends.first](std::size_t i) {
          return span > 0 ? (all[i] - from) / span : 0.5;
        };
      };
      const auto u = share(glance_.x), v = share(glance_.y);
      const QRectF inner = area.adjusted(4, 6, -4, -6);
      const auto place = [&](std::size_t i) {
        return QPointF(inner.left() + u(i) * inner.width(), inner.bottom() - v(i) * inner.height());
      };
      QPainterPath path(place(0));
      for (std::size_t i = 1; i < glance_.y.size(); ++i) path.lineTo(place(i));
      painter.setRenderHint(QPainter::Antialiasing);
      painter.setPen(QPen(look_.colour("accent"), 1.4));
      painter.drawPath(path);
    }
    painter.setPen(look_.colour("border"));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area);
  }

 private:
  const Look& look_;
  const FileGlance& glance_;
};

}  // namespace

FileGlance look_into_file(const std::filesystem::path& file) {
  const QFileInfo info(QString::fromStdString(file.string()));
  if (!info.isFile()) return {QObject::tr("There is no such file."), true, {}, {}, {}};
  const QString ending = info.suffix().toLower();
  FileGlance out;
  try {
    if (ending == "csv" || ending == "txt" || ending == "dat")
      out = look_into_table(file);
    else if (ending == "sgy" || ending == "segy")
      out = look_into_traces(file);
    else if (ending == "vti")
      out = look_into_image_header(file);
  } catch (...) {
    return {translated(current_exception_as_error().text), true, {}, {}, {}};
  }
  if (!out.wrong && !out.words.isEmpty()) out.words += ", " + size_words(info);
  // A curve wider than a screen has points says no more.
  constexpr std::size_t most_points = 4000;
  if (const std::size_t n = out.y.size(); n > most_points) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < most_points; ++i) {
      x.push_back(out.x[i * n / most_points]);
      y.push_back(out.y[i * n / most_points]);
    }
    out.x = std::move(x);
    out.y = std::move(y);
  }
  return out;
}

FilePreview::FilePreview(const Look& look, QWidget* parent) : QWidget(parent), look_(look) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  words_ = make_label({}, "small", this);
  words_->setWordWrap(true);
  picture_ = new GlancePicture(look_, glance_, this);
  column->addWidget(words_);
  column->addWidget(picture_);
  hide();
}

void FilePreview::show_file(const std::filesystem::path& file) {
  const QDateTime changed =
      file.empty() ? QDateTime() : QFileInfo(QString::fromStdString(file.string())).lastModified();
  if (file == file_ && changed == changed_) return;
  file_ = file;
  changed_ = changed;
  const std::uint64_t ticket = ++ticket_;
  if (file.empty()) return hide();
  in_background(
      this, [file] { return look_into_file(file); },
      [ticket](FilePreview& self, FileGlance glance) {
        if (self.ticket_ == ticket) self.take(std::move(glance));
      });
}

void FilePreview::take(FileGlance glance) {
  glance_ = std::move(glance);
  words_->setText(glance_.words);
  set_role(words_, glance_.wrong ? "caution" : "small");
  picture_->setVisible(!glance_.picture.isNull() || glance_.y.size() > 1);
  picture_->setAccessibleName(glance_.words);
  picture_->update();
  setVisible(!glance_.words.isEmpty());
  emit shown();
}

}  // namespace conoid::app

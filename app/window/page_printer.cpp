// SPDX-License-Identifier: BSD-3-Clause
// HTML to PDF by Qt's own rich text.
#include "app/window/page_printer.hpp"

#include <filesystem>

#include <QFile>
#include <QImage>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QTextDocument>
#include <QUrl>

#include "engine/core/atomic_file.hpp"

namespace conoid::app {
namespace {

constexpr Bytes most_bytes = Bytes{256} << 20;
constexpr int picture_width = 620;  // of 642 pixels between the margins of A4 at 96 to the inch

/// Pictures that stand in the page; nothing is fetched.
class Page : public QTextDocument {
 protected:
  QVariant loadResource(int type, const QUrl& name) override {
    if (type != QTextDocument::ImageResource || name.scheme() != "data") return {};
    const QByteArray text = name.toEncoded();
    const auto comma = text.indexOf(',');
    if (comma < 0 || !text.left(comma).endsWith(";base64")) return {};
    return QImage::fromData(QByteArray::fromBase64(QByteArray::fromPercentEncoding(text.mid(comma + 1))));
  }
};

}  // namespace

Status print_page(const QString& page, const QString& pdf) {
  const auto text = read_file(page.toStdString(), most_bytes);
  if (!text) return text.error();
  QString html = QString::fromUtf8(text->data(), static_cast<qsizetype>(text->size()));
  // Qt's rich text knows no variables and no grid: a plain style in their place.
  static const QRegularExpression style("<style>.*</style>", QRegularExpression::DotMatchesEverythingOption);
  html.remove(style);
  html.replace("<img ", QString("<img width=\"%1\" ").arg(picture_width));
  Page document;
  document.setDefaultFont(QFont(QStringLiteral("Inter, DejaVu Sans"), 9));
  document.setDefaultStyleSheet(
      "h1 { font-size: 20pt; } h2 { font-size: 13pt; margin-top: 18px; } h3 { font-size: 10pt; color: #5a6572; }"
      "th { text-align: left; color: #5a6572; padding-right: 14px; } td { padding-right: 14px; }"
      "pre { font-family: 'DejaVu Sans Mono'; font-size: 7pt; } figcaption { color: #5a6572; }");
  document.setHtml(html);
  const QString beside = pdf + ".part";
  {
    QPdfWriter writer(beside);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setTitle(document.metaInformation(QTextDocument::DocumentTitle));
    writer.setCreator("Conoid");
    document.print(&writer);
  }
  std::error_code trouble;
  if (QFile(beside).size() < 100)
    return make_error(ErrorCode::file, "cannot write '" + pdf.toStdString() + "'",
                      "Check the folder and the free space.");
  std::filesystem::rename(beside.toStdString(), pdf.toStdString(), trouble);
  if (trouble) return system_error("rename", beside.toStdString(), trouble.value());
  return {};
}

}  // namespace conoid::app

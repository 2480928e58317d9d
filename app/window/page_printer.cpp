// SPDX-License-Identifier: BSD-3-Clause
// HTML to PDF by Qt's own rich text.
#include "app/window/page_printer.hpp"

#include <filesystem>
#include <memory>
#include <vector>

#include <QAbstractTextDocumentLayout>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QScreen>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextLayout>
#include <QUrl>

#include "app/window/figure_handler.hpp"
#include "engine/core/atomic_file.hpp"

namespace conoid::app {
namespace {

constexpr Bytes most_bytes = Bytes{256} << 20;

/// Nothing is fetched: neither files nor anything else.
class Page final : public QTextDocument {
 protected:
  QVariant loadResource(int, const QUrl&) override { return {}; }
};

/// Takes the figures out of a page and leaves a mark for each.
std::vector<Figure> take_figures(QString& html) {
  static const QRegularExpression figure(
      "<figure><img [^>]*src=\"data:[^,\"]*;base64,([^\"]*)\"[^>]*><figcaption>(.*?)</figcaption></figure>",
      QRegularExpression::DotMatchesEverythingOption);
  std::vector<Figure> out;
  QString rest;
  qsizetype from = 0;
  for (auto it = figure.globalMatch(html); it.hasNext();) {
    const auto match = it.next();
    rest += QStringView(html).mid(from, match.capturedStart() - from);
    rest += QString("<p><img src=\"%1%2\"></p>").arg(FigureHandler::scheme).arg(out.size());
    from = match.capturedEnd();
    // What stands in the page is text of HTML.
    QTextDocument plain;
    plain.setHtml(match.captured(2));
    out.push_back({QImage::fromData(QByteArray::fromBase64(match.captured(1).toLatin1())), plain.toPlainText()});
  }
  html = rest + html.mid(from);
  return out;
}

/// Where a block of text is on paper: the page on which it begins, and that on which its first line, or figure, ends.
struct OnPaper {
  int begins = 0, ends = 0;
};

/// As QTextDocument::print() has it, which lays out a copy with margins of 2 cm, told in pixels of the screen. Lines end a little late, as
/// letters of the printed copy are not measured to the same pixel.
std::vector<OnPaper> blocks_on_paper(const QTextDocument& document, QPdfWriter& writer, FigureHandler& figures) {
  constexpr double margin_inch = 2 / 2.54;
  const QScreen* screen = QGuiApplication::primaryScreen();
  const std::unique_ptr<QTextDocument> copy(document.clone());
  QAbstractTextDocumentLayout* layout = copy->documentLayout();
  layout->registerHandler(QTextFormat::ImageObject, &figures);
  layout->setPaintDevice(&writer);
  QTextFrameFormat frame = copy->rootFrame()->frameFormat();
  frame.setMargin(static_cast<int>(margin_inch * (screen ? screen->logicalDotsPerInchY() : 96)));
  copy->rootFrame()->setFrameFormat(frame);
  copy->setPageSize(QSizeF(writer.width(), writer.height()));
  const double height = writer.height(), foot = margin_inch * writer.logicalDpiY() + height / 40;
  std::vector<OnPaper> out;
  for (QTextBlock block = copy->begin(); block.isValid(); block = block.next()) {
    double top = layout->blockBoundingRect(block).top(), bottom = top;
    // A first line that has no room on a page moves on within its block.
    if (const QTextLayout* lines = block.layout(); lines->lineCount() > 0) {
      top += lines->lineAt(0).y() - lines->boundingRect().top();
      bottom = top + lines->lineAt(0).height();
    }
    out.push_back({static_cast<int>(top / height), static_cast<int>((bottom + foot) / height)});
  }
  return out;
}

/// No heading ends a page: what stands below it begins on the same one. Headings that follow one another stay together.
void keep_headings(QTextDocument& document, QPdfWriter& writer, FigureHandler& figures) {
  const auto is_heading = [](const QTextBlock& block) { return block.blockFormat().headingLevel() > 0; };
  bool moved = true;
  while (moved) {  // what moves on moves what follows: a turn ends the page before one heading
    moved = false;
    const std::vector<OnPaper> paper = blocks_on_paper(document, writer, figures);
    const auto on = [&paper](const QTextBlock& block) { return paper[static_cast<std::size_t>(block.blockNumber())]; };
    for (QTextBlock first = document.begin(); first.isValid() && !moved; first = first.next()) {
      if (!is_heading(first)) continue;
      QTextBlock below = first;
      while (below.isValid() && is_heading(below)) below = below.next();
      if (!below.isValid()) break;
      const bool parted = on(below).ends > on(first).begins;
      if (parted && first.blockFormat().pageBreakPolicy() == QTextFormat::PageBreak_Auto) {
        QTextBlockFormat format;
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        QTextCursor(first).mergeBlockFormat(format);
        moved = true;
      }
      first = below.previous();
    }
  }
}

}  // namespace

Status print_page(const QString& page, const QString& pdf) {
  const auto text = read_file(page.toStdString(), most_bytes);
  if (!text) return text.error();
  QString html = QString::fromUtf8(text->data(), static_cast<qsizetype>(text->size()));
  // Qt's rich text knows no variables and no grid: a plain style in their place.
  static const QRegularExpression style("<style>.*</style>", QRegularExpression::DotMatchesEverythingOption);
  html.remove(style);
  // Rows of tables close to each other: what a run was made of fills no pages.
  html.replace("<table", "<table cellspacing=\"0\" cellpadding=\"1\"");
  const QFont font(QStringLiteral("Inter, DejaVu Sans"), 8);
  FigureHandler figures(take_figures(html), font);
  Page document;
  document.documentLayout()->registerHandler(QTextFormat::ImageObject, &figures);
  document.setDefaultFont(font);
  document.setDefaultStyleSheet(
      "h1 { font-size: 18pt; } h2 { font-size: 12pt; margin-top: 12px; } h3 { font-size: 9pt; color: #5a6572; }"
      "th { text-align: left; color: #5a6572; padding-right: 14px; } td { padding-right: 14px; }"
      "pre { font-family: 'DejaVu Sans Mono'; font-size: 6pt; }");
  document.setHtml(html);
  const QString beside = pdf + ".part";
  {
    QPdfWriter writer(beside);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setTitle(document.metaInformation(QTextDocument::DocumentTitle));
    writer.setCreator("Conoid");
    keep_headings(document, writer, figures);
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

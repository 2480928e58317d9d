// SPDX-License-Identifier: BSD-3-Clause
#include "app/window/documentation_window.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <QDesktopServices>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QHBoxLayout>
#include <QImage>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "engine/core/resources.hpp"

namespace conoid::app {
namespace {

constexpr qint64 largest_page = qint64{8} << 20;  // bytes; the longest has one
const QString key_scheme = QStringLiteral("key");

QString text_of(const QString& file) {
  QFile in(file);
  return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.read(largest_page)) : QString();
}

/// Whose keys a page of the reference lists; empty of another page.
QString solver_of(const QUrl& page) {
  const QString name = page.fileName();
  const QString begin = QStringLiteral("keys-"), end = QStringLiteral(".html");
  return name.startsWith(begin) && name.endsWith(end) ? name.mid(begin.size(), name.size() - begin.size() - end.size())
                                                      : QString();
}

/// Pages are cut to their articles as they are read; pictures and all else are taken as they are.
class Pages : public QTextBrowser {
 public:
  using QTextBrowser::QTextBrowser;
  QVariant loadResource(int type, const QUrl& name) override {
    if (type != QTextDocument::ImageResource && name.isLocalFile() && name.path().endsWith(".html"))
      return with_linked_keys(article_of(text_of(name.toLocalFile())), solver_of(name));
    if (type == QTextDocument::ImageResource && name.isLocalFile()) {
      QImage picture(name.toLocalFile());
      const int room = std::max(200, viewport()->width() - 24);
      return picture.width() > room ? picture.scaledToWidth(room, Qt::SmoothTransformation) : picture;
    }
    // Style sheets of browsers ask for more than there is here.
    return type == QTextDocument::StyleSheetResource ? QVariant() : QTextBrowser::loadResource(type, name);
  }
};

QString style_of(const Look& look) {
  return QStringLiteral(
             "td, th { padding: 4px 8px; border: 1px solid %1; } table { border-collapse: collapse; margin-top: 8px; "
             "margin-bottom: 8px; }"
             "pre, code { font-family: monospace; background-color: %2; } a { color: %3; }")
      .arg(look.colour("border").name(), look.colour("surface").name(), look.colour("accent").name());
}

}  // namespace

QString article_of(const QString& html) {
  qsizetype begin = html.indexOf(QLatin1String("itemprop=\"articleBody\""));
  if (begin < 0) return html;
  begin = html.indexOf('>', begin) + 1;
  const qsizetype end = html.indexOf(QLatin1String("<footer"), begin);
  static const QRegularExpression link(QStringLiteral("<a class=\"headerlink\"[^>]*>.*?</a>"));
  return "<html><body>" + html.mid(begin, end < 0 ? -1 : end - begin).remove(link) + "</body></html>";
}

QString with_linked_keys(const QString& article, const QString& solver) {
  if (solver.isEmpty()) return article;
  static const QRegularExpression key(QStringLiteral("<span id=\"(/[^\"]*)\"></span>\\s*(<code.*?</code>)"),
                                      QRegularExpression::DotMatchesEverythingOption);
  return QString(article).replace(
      key, QStringLiteral("<span id=\"\\1\"></span><a href=\"%1:%2#\\1\">\\2</a>").arg(key_scheme, solver));
}

DocumentationWindow::DocumentationWindow(const Look& look, std::filesystem::path pages, QWidget* parent)
    : QDialog(parent), look_(look), pages_(std::move(pages)) {
  setWindowTitle(tr("Documentation"));
  resize(860, 720);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(10);
  auto* row = new QHBoxLayout;
  auto* home = make_icon_button(look, "home", tr("First page"), this);
  auto* back = make_icon_button(look, "previous", tr("Back"), this);
  auto* forward = make_icon_button(look, "next", tr("Forward"), this);
  auto* browser = make_icon_button(look, "open", tr("Open in the browser"), this);
  search_ = new QLineEdit(this);
  search_->setPlaceholderText(tr("Search all pages"));
  search_->setAccessibleName(tr("Search all pages"));
  search_->setClearButtonEnabled(true);
  for (QWidget* widget : std::initializer_list<QWidget*>{home, back, forward, search_, browser}) row->addWidget(widget);
  column->addLayout(row);
  page_ = new Pages(this);
  page_->setAccessibleName(tr("Documentation"));
  page_->setOpenLinks(false);
  connect(page_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    const QUrl whole = page_->source().resolved(link);
    if (link.scheme() == key_scheme)
      emit key_wanted(link.path(), link.fragment());
    else if (whole.isLocalFile())
      page_->setSource(whole);
    else
      QDesktopServices::openUrl(link);
  });
  page_->document()->setDefaultStyleSheet(style_of(look));
  column->addWidget(page_, 1);
  back->setEnabled(false);
  forward->setEnabled(false);
  connect(page_, &QTextBrowser::backwardAvailable, back, &QWidget::setEnabled);
  connect(page_, &QTextBrowser::forwardAvailable, forward, &QWidget::setEnabled);
  connect(back, &QToolButton::clicked, page_, &QTextBrowser::backward);
  connect(forward, &QToolButton::clicked, page_, &QTextBrowser::forward);
  connect(home, &QToolButton::clicked, this, [this] { open("index.html"); });
  connect(browser, &QToolButton::clicked, this, [this] { QDesktopServices::openUrl(page_->source()); });
  connect(search_, &QLineEdit::returnPressed, this, &DocumentationWindow::search);
  connect(&look, &Look::changed, this, [this] {
    stale_ = true;
    if (isVisible()) QTimer::singleShot(0, this, &DocumentationWindow::refresh);
  });
  const bool there = !pages_.empty();
  for (QWidget* widget : std::initializer_list<QWidget*>{home, browser, search_}) widget->setEnabled(there);
  if (!there)
    page_->setHtml(
        tr("<p>This installation has no documentation.</p><p>Packages bring it. In a folder of the sources "
           "<code>packaging/docs.sh</code> makes it.</p>"));
}

void DocumentationWindow::refresh() {
  if (!std::exchange(stale_, false)) return;
  page_->document()->setDefaultStyleSheet(style_of(look_));
  page_->reload();
}

void DocumentationWindow::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  refresh();
}

void DocumentationWindow::open(const QString& page) {
  if (pages_.empty()) return;
  QUrl url = QUrl::fromLocalFile(QString::fromStdString((pages_ / page.section('#', 0, 0).toStdString()).string()));
  if (page.contains('#')) url.setFragment(page.section('#', 1));
  page_->setSource(url);
}

void DocumentationWindow::search() {
  const QStringList words = search_->text().simplified().split(' ', Qt::SkipEmptyParts);
  if (words.isEmpty()) return;
  const QDir folder(QString::fromStdString(pages_.string()));
  QString found;
  QDirIterator files(folder.path(), {"*.html"}, QDir::Files, QDirIterator::Subdirectories);
  while (files.hasNext()) {
    const QString html = text_of(files.next());
    if (!html.contains(QLatin1String("articleBody"))) continue;
    const QString text = QTextDocumentFragment::fromHtml(article_of(html)).toPlainText();
    const bool all = std::all_of(words.begin(), words.end(),
                                 [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
    if (!all) continue;
    found += QStringLiteral("<li><a href=\"%1\">%2</a></li>")
                 .arg(QUrl::fromLocalFile(files.filePath()).toString(), text.section('\n', 0, 0).toHtmlEscaped());
  }
  const QString asked = search_->text().toHtmlEscaped();
  page_->setHtml(found.isEmpty() ? tr("<p>No page has “%1”.</p>").arg(asked)
                                 : tr("<h2>Pages with “%1”</h2>").arg(asked) + "<ul>" + found + "</ul>");
}

DocumentationWindow& show_documentation(const Look& look, QWidget* parent, const QString& page) {
  auto* window = parent->findChild<DocumentationWindow*>(QString(), Qt::FindDirectChildrenOnly);
  if (window == nullptr) {
    window = new DocumentationWindow(look, documentation_folder(), parent);
    window->open("index.html");
  }
  if (!page.isEmpty()) window->open(page);
  window->show();
  window->raise();
  return *window;
}

}  // namespace conoid::app

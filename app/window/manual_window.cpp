// SPDX-License-Identifier: BSD-3-Clause
#include "app/window/manual_window.hpp"

#include <algorithm>
#include <utility>

#include <QLineEdit>
#include <QTextBrowser>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include "app/forms/schema_text.hpp"
#include "app/model/case_model.hpp"
#include "app/model/help_topic.hpp"
#include "app/model/names.hpp"
#include "engine/case/schema.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::app {
namespace {

constexpr int after_the_window = 40;  // ms until its page follows a change of theme: the window comes first

std::vector<std::string> steps_of(const std::string& pointer) {
  std::vector<std::string> out;
  for (std::size_t at = 1; at <= pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', at), pointer.size());
    out.push_back(pointer.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// How many steps of a place agree with those of a field.
std::size_t agreement(const std::vector<std::string>& field, const std::vector<std::string>& place) {
  std::size_t n = 0;
  while (n < field.size() && n < place.size() && (field[n] == place[n] || field[n] == "*")) ++n;
  return n;
}

QString dotted(const std::string& pointer) {
  return QString::fromStdString(pointer).mid(1).replace('/', '.');
}

}  // namespace

std::string field_of(const std::vector<std::pair<std::string, Json>>& fields, const std::string& pointer) {
  const auto place = steps_of(pointer);
  std::string best;
  std::size_t most = 0;
  for (const auto& [field, node] : fields)
    if (const std::size_t n = agreement(steps_of(field), place); n > most) {
      most = n;
      best = field;
    }
  return best;
}

ManualWindow::ManualWindow(const Look& look, bool pages, QWidget* parent)
    : QDialog(parent), look_(look), pages_(pages) {
  setWindowTitle(tr("Manual"));
  resize(560, 640);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(10);
  search_ = new QLineEdit(this);
  search_->setPlaceholderText(tr("Search the keys of this case"));
  search_->setAccessibleName(tr("Search the manual"));
  search_->setClearButtonEnabled(true);
  search_->addAction(look.icon("search", "muted"), QLineEdit::LeadingPosition);
  column->addWidget(search_);
  page_ = new QTextBrowser(this);
  page_->setAccessibleName(tr("Manual"));
  page_->setOpenLinks(false);
  column->addWidget(page_, 1);
  connect(page_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) { emit page_wanted(link.toString()); });
  connect(search_, &QLineEdit::textChanged, this, &ManualWindow::write_page);
  connect(&look, &Look::changed, this, [this] {
    stale_ = true;
    if (isVisible()) QTimer::singleShot(after_the_window, this, &ManualWindow::refresh);
  });
}

void ManualWindow::refresh() {
  if (std::exchange(stale_, false)) write_page();
}

void ManualWindow::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  refresh();
}

void ManualWindow::open_at(const std::string& solver, const std::string& pointer) {
  if (solver != solver_) {
    solver_ = solver;
    fields_.clear();
    if (const SolverInfo* info = find_solver(solver))
      if (const auto schema = registered_schemas()(std::string(info->id))) fields_ = schema->fields();
  }
  shown_ = field_of(fields_, pointer);
  search_->clear();
  write_page();
  show();
  raise();
  if (!shown_.empty()) page_->scrollToAnchor(QString::fromStdString(shown_));
}

void ManualWindow::write_page() {
  stale_ = false;
  const QStringList wanted = search_->text().simplified().split(' ', Qt::SkipEmptyParts);
  const SolverInfo* info = find_solver(solver_);
  QString html = QStringLiteral("<h2>%1</h2><p>%2</p>")
                     .arg(translated(std::string(info ? info->title : std::string_view())).toHtmlEscaped(),
                          translated(std::string(info ? info->summary : std::string_view())).toHtmlEscaped());
  const auto link = [this](const QString& page, const QString& words) {
    return QStringLiteral("<a href=\"%1\" style=\"color:%2\">%3</a>")
        .arg(page.toHtmlEscaped(), look_.colour("accent").name(), words.toHtmlEscaped());
  };
  const QString id = QString::fromStdString(solver_);
  if (pages_ && info)
    html += QStringLiteral("<p>%1 &nbsp;·&nbsp; %2 &nbsp;·&nbsp; %3</p>")
                .arg(link("tutorials/" + id + ".html", tr("Tutorial")), link("theory/" + id + ".html", tr("Theory")),
                     link("reference/keys-" + id + ".html", tr("All keys as a table")));
  std::string section;
  for (const auto& [pointer, node] : fields_) {
    const std::string key = pointer.substr(pointer.rfind('/') + 1);
    const QString title = label_of(key, node), help = translated(string_at(node, "description"));
    const QString words = title + ' ' + dotted(pointer) + ' ' + help;
    if (!std::all_of(wanted.begin(), wanted.end(),
                     [&](const QString& word) { return words.contains(word, Qt::CaseInsensitive); }))
      continue;
    const std::string top = pointer.substr(1, pointer.find('/', 1) - 1);
    if (top != section) html += QStringLiteral("<h3>%1</h3>").arg(label_of(top, {}).toHtmlEscaped());
    section = top;
    const bool here = pointer == shown_;
    const QString when = QString::fromStdString(string_at(node, "when"));
    html += QStringLiteral(
                "<p%1><a name=\"%2\"></a><b>%3</b> &nbsp;%4%5<br/>%6<br/><span "
                "style=\"color:%7\">%8</span></p>")
                .arg(here ? QStringLiteral(" style=\"background-color:%1\"").arg(look_.colour("accent_soft").name())
                          : QString(),
                     QString::fromStdString(pointer), title.toHtmlEscaped(),
                     pages_ ? link(page_of_key(solver_, pointer), dotted(pointer))
                            : "<code>" + dotted(pointer).toHtmlEscaped() + "</code>",
                     when.isEmpty() ? QString() : " (" + when.toHtmlEscaped() + ")", help.toHtmlEscaped(),
                     look_.colour("muted").name(), QString::fromStdString(describe(node)).toHtmlEscaped());
  }
  page_->setHtml(html);
}

}  // namespace conoid::app

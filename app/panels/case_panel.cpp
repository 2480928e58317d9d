// SPDX-License-Identifier: BSD-3-Clause
// The case as sections of a form.
#include "app/panels/case_panel.hpp"

#include <algorithm>
#include <utility>

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStyle>
#include <QStyleOptionFrame>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/forms/material_library.hpp"
#include "app/forms/object_form.hpp"
#include "app/forms/scalar_edits.hpp"
#include "app/forms/schema_text.hpp"
#include "app/forms/variant_edit.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/json_path.hpp"
#include "app/model/names.hpp"
#include "engine/solvers/registry.hpp"
#include "render/window/turn.hpp"

namespace conoid::app {
namespace {

const char* dot_colour(Health health) {
  return health == Health::bad ? "bad" : health == Health::caution ? "caution" : "good";
}

QString problems_in_words(const CaseModel& model, const std::vector<std::string>& keys) {
  int errors = 0, warnings = 0;
  QString first;
  for (const auto& d : model.diagnostics()) {
    const bool here = std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
      return is_within(d.place.pointer, child_pointer("", key));
    });
    if (!here) continue;
    if (d.severity == Severity::error) ++errors;
    if (d.severity == Severity::warning) ++warnings;
    if (first.isEmpty() || (d.severity == Severity::error && errors == 1)) first = translated(d.text);
  }
  if (errors + warnings <= 1) return first;
  return errors > 0 ? QObject::tr("%n to correct", nullptr, errors) : QObject::tr("%n to look at", nullptr, warnings);
}

/// A line that shows its end as "…" as long as nobody types in it.
class TitleEdit final : public QLineEdit {
 public:
  using QLineEdit::QLineEdit;

 protected:
  bool event(QEvent* event) override {
    // Past the line edit, which would take the keys.  NOLINTNEXTLINE(bugprone-parent-virtual-call)
    return leaves_undo_to_the_case(*this, *event) ? QWidget::event(event) : QLineEdit::event(event);
  }
  void paintEvent(QPaintEvent* event) override {
    const QString whole = text();
    const int room = width() - 8;
    if (hasFocus() || fontMetrics().horizontalAdvance(whole) <= room) return QLineEdit::paintEvent(event);
    QStyleOptionFrame option;
    initStyleOption(&option);
    QPainter painter(this);
    style()->drawPrimitive(QStyle::PE_PanelLineEdit, &option, &painter, this);
    painter.setFont(font());
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(rect().adjusted(0, 0, -8, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(whole, Qt::ElideRight, room));
  }
};

}  // namespace

// ---- SectionWidget --------------------------------------------------------------------------------------------------

SectionWidget::SectionWidget(const FormContext& context, const CaseSection& section, QWidget* parent)
    : QWidget(parent), context_(context), section_(section) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  header_ = new QFrame(this);
  header_->setObjectName("sectionHeader");
  header_->setFixedHeight(40);
  header_->setFocusPolicy(Qt::TabFocus);
  header_->setAccessibleName(section.title);
  header_->setAccessibleDescription(tr("A section of the case: space opens or folds it"));
  header_->setCursor(Qt::PointingHandCursor);
  header_->installEventFilter(this);
  auto* row = new QHBoxLayout(header_);
  row->setContentsMargins(12, 0, 16, 0);
  row->setSpacing(8);
  chevron_ = new IconLabel(context.look, "chevron-right", "muted", 14, header_);
  dot_ = new StateDot(context.look, header_);
  words_ = new ElidedLabel({}, "small", Qt::ElideRight, header_);
  words_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(chevron_);
  row->addWidget(make_label(section.title, "heading", header_));
  row->addWidget(words_, 1);
  row->addWidget(dot_);
  column->addWidget(header_);
  refresh();
}

void SectionWidget::make_body() {
  body_ = new QWidget(this);
  body_->hide();
  auto* inner = new QVBoxLayout(body_);
  inner->setContentsMargins(16, 0, 16, 16);
  inner->setSpacing(8);
  layout()->addWidget(body_);
}

void SectionWidget::make_next() {
  if (!body_) make_body();
  auto* inner = static_cast<QVBoxLayout*>(body_->layout());
  const Json& properties = context_.model.schema()["properties"];
  const std::string& key = section_.keys[editors_.size()];
  const Json& node = properties[key];
  const std::string pointer = child_pointer("", key);
  const Json fallback = fallback_for(key, node, {});
  const bool required = is_required(key, context_.model.schema());
  const bool object = node.contains("properties") || node.contains("variants");
  FieldEditor* editor = object && !required && fallback.is_null() && (has_demands(node) || is_true(node, "optional"))
                            ? new OptionalBlock(context_, pointer, node, fallback, body_)
                            : make_editor(context_, pointer, node, fallback, body_);
  const bool named = qobject_cast<OptionalBlock*>(editor) || qobject_cast<VariantEdit*>(editor);
  if (!named && (section_.keys.size() > 1 || !editor->is_block()) && label_of(key, node) != section_.title)
    inner->addWidget(make_label(label_of(key, node), "section", body_));
  auto* sentence = make_label({}, "bad", body_);
  sentence->setWordWrap(true);
  inner->addWidget(sentence);
  if (key == "medium" && !node.contains("map")) add_library(inner, pointer, node);
  inner->addWidget(editor);
  editors_.push_back(editor);
  sentences_.push_back(sentence);
}

void SectionWidget::add_library(QVBoxLayout* column, const std::string& pointer, const Json& node) {
  QPushButton* library =
      make_library_button(context_, node, body_, [this, pointer, node](const LibraryMaterial& one, Json value) {
        // What the library does not know stays as it is.
        const Json* before = context_.model.value(pointer);
        Json after = before && before->is_object() ? *before : Json::object();
        // Of what excludes each other the library's remains.
        for (const Json& group : node.value("exclusive", Json::array()))
          if (std::any_of(group.begin(), group.end(),
                          [&](const Json& key) { return value.contains(key.get<std::string>()); }))
            for (const Json& key : group) after.erase(key.get<std::string>());
        after.update(value);
        context_.model.set(pointer, std::move(after), tr("choice of %1").arg(translated(one.name)));
      });
  if (!library) return;
  auto* pair = new QVBoxLayout;  // beside each other they would be too wide in some languages
  pair->setSpacing(0);
  pair->addWidget(library, 0, Qt::AlignLeft);
  pair->addWidget(make_keep_button(context_, pointer, {}, body_), 0, Qt::AlignLeft);
  column->addLayout(pair);
}

void SectionWidget::set_open(bool open) {
  if (open == open_) return;
  open_ = open;
  while (editors_.size() < section_.keys.size()) make_next();
  body_->setVisible(open);
  if (!std::exchange(has_been_open_, true)) refresh();
  static_cast<IconLabel*>(chevron_)->set_icon(open ? "chevron-down" : "chevron-right", "muted");
}

bool SectionWidget::open_some() {
  if (open_) return false;
  editors_.size() < section_.keys.size() ? make_next() : set_open(true);
  return !open_;
}

void SectionWidget::refresh() {
  Health worst = Health::good;
  for (const std::string& key : section_.keys)
    worst = std::max(worst, context_.model.health_of(child_pointer("", key)));
  for (std::size_t i = 0; i < editors_.size(); ++i) {
    editors_[i]->refresh();
    const std::string& pointer = editors_[i]->pointer();
    const auto own = context_.model.diagnostics_at(pointer);
    sentences_[i]->setVisible(!own.empty());
    if (own.empty()) continue;
    const auto& d = worst_of(own);
    sentences_[i]->setText(sentence_of(d));
    set_role(sentences_[i], d.severity == Severity::error ? "bad" : "caution");
  }
  dot_->set_colour(dot_colour(worst));
  dot_->setToolTip(worst == Health::good ? tr("Complete") : QString());
  words_->set_text(worst == Health::good ? QString() : problems_in_words(context_.model, section_.keys));
  set_role(words_, worst == Health::bad ? "bad" : "caution");
}

QWidget* SectionWidget::reveal(const std::string& pointer) {
  const bool here = std::any_of(section_.keys.begin(), section_.keys.end(),
                                [&](const std::string& key) { return is_within(pointer, child_pointer("", key)); });
  if (!here) return nullptr;
  set_open(true);
  for (FieldEditor* editor : editors_) {
    if (!is_within(pointer, editor->pointer())) continue;
    QWidget* found = editor->reveal(pointer);
    return found ? found : editor;
  }
  return nullptr;
}

bool SectionWidget::eventFilter(QObject* watched, QEvent* event) {
  if (watched == header_) {
    const bool key = event->type() == QEvent::KeyPress && (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space ||
                                                           static_cast<QKeyEvent*>(event)->key() == Qt::Key_Return);
    if (event->type() == QEvent::MouseButtonRelease || key) {
      set_open(!open_);
      emit chosen(QString::fromStdString(open_ ? child_pointer("", section_.keys.front()) : std::string()));
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

constexpr int narrowest = 320;  // three coordinates beside their name
constexpr int widest = 344;

// ---- CasePanel ------------------------------------------------------------------------------------------------------

CasePanel::CasePanel(CaseModel& model, const Look& look, QWidget* parent) : QWidget(parent), context_{model, look} {
  setObjectName("surface");
  setAttribute(Qt::WA_StyledBackground);
  setMinimumWidth(narrowest);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);

  auto* head = new QWidget(this);
  auto* head_column = new QVBoxLayout(head);
  head_column->setContentsMargins(16, 14, 16, 14);
  head_column->setSpacing(3);
  title_ = new TitleEdit(head);
  title_->setObjectName("caseTitle");
  title_->setAccessibleName(tr("Title of the case"));
  title_->setPlaceholderText(tr("Untitled case"));
  title_->setAccessibleDescription(tr("What runs and pictures of this case are called"));
  solver_ = make_label({}, "small", head);
  solver_->setWordWrap(true);
  file_ = new ElidedLabel({}, "small", Qt::ElideMiddle, head);
  head_column->addWidget(title_);
  head_column->addWidget(solver_);
  head_column->addWidget(file_);
  column->addWidget(head);

  scroll_ = new QScrollArea(this);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* scrolled = new QWidget(scroll_->viewport());
  scrolled->setObjectName("scrolled");
  auto* forms = new QVBoxLayout(scrolled);
  forms->setContentsMargins(0, 0, 0, 0);
  forms->setSpacing(0);
  scroll_->setWidget(scrolled);
  scrolled->installEventFilter(this);
  column->addWidget(scroll_, 1);

  // What the field that has the focus is, in which range and units, below the form.
  help_rule_ = make_rule(this);
  help_ = new QLabel(this);
  help_->setObjectName("fieldHelp");
  set_role(help_, "small");
  help_->setTextFormat(Qt::RichText);
  help_->setWordWrap(true);
  help_->setContentsMargins(16, 10, 16, 10);
  connect(help_, &QLabel::linkActivated, this, [this] { emit help_wanted({helped_, {}}); });
  column->addWidget(help_rule_);
  column->addWidget(help_);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    if (!now) return;  // another program has the keyboard: what is shown stays
    show_help(now);
    tell_chosen(now);
  });
  show_help(nullptr);

  auto* foot = new QWidget(this);
  auto* foot_row = new QHBoxLayout(foot);
  foot_row->setContentsMargins(16, 6, 8, 6);
  foot_row->setSpacing(4);
  footer_dot_ = new StateDot(look, foot);
  footer_ = new QPushButton(foot);
  set_role(footer_, "link");
  foot_row->addWidget(footer_dot_);
  foot_row->addWidget(footer_, 1);
  column->addWidget(make_rule(this));
  column->addWidget(foot);

  connect(title_, &QLineEdit::editingFinished, this, [this] {
    if (!title_->isModified()) return;
    title_->setModified(false);
    context_.model.set("/title", title_->text().toStdString(), tr("change of title"));
  });
  connect(footer_, &QPushButton::clicked, this, [this] {
    if (!first_problem_.empty()) reveal(first_problem_);
  });
  connect(&look, &Look::changed, this, [this] {
    if (!help_->isHidden() && window()->focusWidget())
      show_help(window()->focusWidget());  // its link has the colour before
  });
  connect(&build_timer_, &QTimer::timeout, this, [this] { in_turn_if_free([this] { build_some(); }); });
  connect(&model, &CaseModel::opened, this, &CasePanel::rebuild);
  connect(&model, &CaseModel::changed, this, &CasePanel::refresh);
  connect(&model, &CaseModel::validated, this, &CasePanel::refresh);
  if (model.is_open()) rebuild();
}

CasePanel::~CasePanel() {
  // A field that loses the focus while the window goes still writes its value; nobody here may refresh then.
  disconnect(&context_.model, nullptr, this, nullptr);
}

void CasePanel::show_help(QWidget* focused) {
  QString words;
  if (focused && scroll_->isAncestorOf(focused))
    for (QWidget* at = focused; at && at != scroll_ && words.isEmpty(); at = at->parentWidget())
      if (const auto* field = qobject_cast<FieldEditor*>(at)) {
        words = at->toolTip();
        helped_ = field->pointer();
      }
  help_->setText(words.isEmpty() ? words
                                 : words + QStringLiteral(" <a href=\"manual\" style=\"color:%1\">%2</a>")
                                               .arg(context_.look.colour("accent").name(), tr("Manual")));
  help_->setVisible(!words.isEmpty());
  help_rule_->setVisible(!words.isEmpty());
}

void CasePanel::tell_chosen(QWidget* focused) {
  if (!isAncestorOf(focused)) return;
  for (QWidget* at = focused; at && at != this; at = at->parentWidget()) {
    if (const auto* field = qobject_cast<FieldEditor*>(at))
      return static_cast<void>(emit chosen(QString::fromStdString(field->pointer())));
    if (const auto* section = qobject_cast<SectionWidget*>(at))
      return static_cast<void>(emit chosen(QString::fromStdString(child_pointer("", section->section().keys.front()))));
  }
  emit chosen({});
}

void CasePanel::rebuild() {
  sections_.clear();
  to_open_.clear();
  wanted_.clear();
  QWidget* const scrolled = scroll_->widget();
  if (QWidget* before = std::exchange(form_, nullptr)) {
    // What is being typed belongs to the case before.
    if (QWidget* typed = QApplication::focusWidget(); typed && before->isAncestorOf(typed)) {
      const QSignalBlocker quiet(typed);
      typed->clearFocus();
    }
    // It keeps its parent: without one all of it would take its style again.
    before->hide();
    scrolled->layout()->removeWidget(before);
    old_.reset(before);  // of two cases in a row the first was never seen
  }
  form_ = new QWidget(scrolled);
  form_->hide();  // until all of it is there
  column_ = new QVBoxLayout(form_);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(0);
  strays_ = new StraySentences(context_, form_);
  strays_->setContentsMargins(16, 8, 16, 8);
  column_->addWidget(strays_);
  for (const CaseSection& section : sections_of(context_.model.schema())) {
    // What the case leaves to defaults starts folded.
    const bool given = std::any_of(section.keys.begin(), section.keys.end(), [&](const std::string& key) {
      return context_.model.value(child_pointer("", key)) != nullptr;
    });
    auto* widget = new SectionWidget(context_, section, form_);
    connect(widget, &SectionWidget::chosen, this, &CasePanel::chosen);
    column_->addWidget(widget);
    sections_.push_back(widget);
    if (given && section.keys.front() != "compute") to_open_.push_back(widget);
  }
  if (sections_.empty()) {
    auto* note = make_label(tr("This case cannot be shown as a form. The log says why."), "muted", form_);
    note->setWordWrap(true);
    note->setContentsMargins(16, 8, 16, 8);
    column_->addWidget(note);
  }
  column_->addStretch(1);
  scrolled->layout()->addWidget(form_);
  form_->show();
  scroll_->verticalScrollBar()->setValue(0);
  build_timer_.start(0);
}

void CasePanel::build_some() {
  constexpr int slice = 10;  // ms
  QElapsedTimer clock;
  clock.start();
  do {
    if (!to_open_.empty()) {
      if (to_open_.front()->open_some()) continue;
      to_open_.pop_front();
      if (!to_open_.empty()) continue;
      tab_as_laid_out(this);
      if (!wanted_.empty()) reveal(std::exchange(wanted_, {}));
    } else if (SectionWidget* gone = old_ ? old_->findChild<SectionWidget*>() : nullptr) {
      delete gone;
    } else {
      old_.reset();
      build_timer_.stop();
      return;
    }
  } while (clock.elapsed() < slice);
}

void CasePanel::finish() {
  while (build_timer_.isActive()) build_some();
}

bool CasePanel::eventFilter(QObject* watched, QEvent* event) {
  // Nothing scrolls sideways: the panel is as wide as what it shows, within reason.
  if (watched == scroll_->widget() && event->type() == QEvent::LayoutRequest)
    setMinimumWidth(
        std::clamp(scroll_->widget()->minimumSizeHint().width() + scroll_->verticalScrollBar()->sizeHint().width(),
                   narrowest, widest));
  return QWidget::eventFilter(watched, event);
}

void CasePanel::refresh() {
  const CaseModel& model = context_.model;
  const SolverInfo* info = find_solver(model.solver());
  const Json* title = model.value("/title");
  if (!(title_->hasFocus() && title_->isModified()))
    title_->setText(title && title->is_string() ? QString::fromStdString(title->get<std::string>()) : QString());
  title_->setCursorPosition(0);
  title_->setToolTip(title_->text());
  solver_->setText(translated(info ? std::string(info->title) : model.solver()));
  // Many cases are called case.json; the folder tells them apart.
  const QString folder = QString::fromStdString(model.document().folder().filename().string());
  file_->set_text(model.document().file().empty() ? tr("Not saved yet")
                                                  : (folder.isEmpty() ? QString() : folder + "/") + model.file_name() +
                                                        (model.is_dirty() ? tr(" – edited") : QString()));
  file_->setToolTip(QString::fromStdString(model.document().file().string()));
  for (SectionWidget* section : sections_) section->refresh();
  refresh_strays();
  refresh_footer();
  tab_as_laid_out(this);  // elements of lists come and go
}

void CasePanel::refresh_strays() {
  if (!strays_) return;
  // What belongs to no section: keys that are not known, and what is wrong with the file as a whole.
  strays_->show_those([this](const std::string& pointer) {
    return std::none_of(sections_.begin(), sections_.end(), [&](const SectionWidget* section) {
      const auto& keys = section->section().keys;
      return std::any_of(keys.begin(), keys.end(),
                         [&](const std::string& key) { return is_within(pointer, child_pointer("", key)); });
    });
  });
}

void CasePanel::refresh_footer() {
  const CaseModel& model = context_.model;
  int errors = 0, warnings = 0;
  first_problem_.clear();
  bool first_is_error = false;
  for (const auto& d : model.diagnostics()) {
    if (d.severity == Severity::note) continue;
    const bool error = d.severity == Severity::error;
    error ? ++errors : ++warnings;
    if (first_problem_.empty() || (error && !first_is_error)) {
      first_problem_ = d.place.pointer;
      first_is_error = error;
    }
  }
  footer_dot_->set_colour(errors ? "bad" : warnings ? "caution" : "good");
  footer_->setEnabled(errors + warnings > 0);
  footer_->setText(errors ? errors == 1 ? tr("1 field to correct – show it")
                                        : tr("%1 fields to correct – show the first").arg(errors)
                   : warnings
                       ? warnings == 1 ? tr("1 warning – show it") : tr("%1 warnings – show the first").arg(warnings)
                       : tr("Complete: ready to run"));
}

void CasePanel::reveal_first_problem() {
  if (!first_problem_.empty()) reveal(first_problem_);
}

void CasePanel::reveal(const std::string& pointer) {
  if (pointer == "/title") return title_->setFocus();
  if (!to_open_.empty()) {  // what is still to be made would move it out of sight
    wanted_ = pointer;
    return;
  }
  for (SectionWidget* section : sections_) {
    QWidget* field = section->reveal(pointer);
    if (!field) continue;
    // The layout of what has just been opened must settle before it can be scrolled to.
    QTimer::singleShot(0, this, [this, field = QPointer<QWidget>(field)] {
      if (!field) return;
      column_->activate();
      scroll_->widget()->layout()->activate();
      scroll_->ensureWidgetVisible(field, 0, 80);
      field->setFocus(Qt::OtherFocusReason);
    });
    return;
  }
}

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// Planes, limits, formulas, far fields.
#include "app/panels/recipe_editor.hpp"

#include <cmath>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "app/forms/scalar_edits.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "engine/core/units.hpp"

namespace conoid::app {
namespace {

constexpr int lines_height = 62, wait_ms = 600;

QString figure_text(double value) {
  return QString::number(value, 'g', 10);
}

QString text_of(const ObliquePlane& plane) {
  const auto three = [](const Vec3& v) {
    return figure_text(v[0]) + ", " + figure_text(v[1]) + ", " + figure_text(v[2]);
  };
  return three(plane.normal) + "; " + three(plane.point);
}

QString text_of(const FormulaField& formula) {
  return QString::fromStdString(formula.name + (formula.unit == "1" ? "" : "[" + formula.unit + "]") + " = " +
                                formula.formula);
}

template <class Value>
QString lines_of(const std::vector<Value>& values) {
  QStringList lines;
  for (const Value& value : values) lines << text_of(value);
  return lines.join('\n');
}

/// Reads a line each; the first that cannot be read is told and left out.
template <class Value, class Read>
QString read_lines(const QString& text, std::vector<Value>& to, const Read& read) {
  QString trouble;
  to.clear();
  for (const QString& line : text.split('\n')) {
    if (line.trimmed().isEmpty()) continue;
    const auto one = read(line.trimmed().toStdString());
    if (one)
      to.push_back(*one);
    else if (trouble.isEmpty())
      trouble = translated(one.error().hint.empty() ? one.error().text : one.error().hint);
  }
  return trouble;
}

}  // namespace

RecipeEditor::RecipeEditor(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(16);
  const auto section = [&](const QString& title, QVBoxLayout** inner) {
    auto* box = new QWidget(this);
    *inner = new QVBoxLayout(box);
    (*inner)->setContentsMargins(0, 0, 0, 0);
    (*inner)->setSpacing(6);
    (*inner)->addWidget(make_label(title, "section", box));
    column->addWidget(box);
    return box;
  };
  const auto lines = [&](QVBoxLayout* inner, const QString& name, const QString& example, QLabel** note) {
    auto* edit = new QPlainTextEdit(this);
    edit->setFixedHeight(lines_height);
    edit->setPlaceholderText(example);
    edit->setAccessibleName(name);
    edit->setAccessibleDescription(tr("One a line, for example %1").arg(example));
    edit->setToolTip(tr("One a line, for example %1").arg(example));
    edit->setTabChangesFocus(true);
    edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    inner->addWidget(edit);
    *note = make_label({}, "bad", this);
    (*note)->setWordWrap(true);
    (*note)->hide();
    inner->addWidget(*note);
    connect(edit, &QPlainTextEdit::textChanged, &typing_, qOverload<>(&QTimer::start));
    return edit;
  };
  QVBoxLayout* inner = nullptr;
  planes_box_ = section(tr("Planes by number"), &inner);
  planes_ = lines(inner, tr("Planes by number: normal and point"), "1, 1, 0; 0, 0, -300 m", &planes_note_);
  section(tr("Only values within"), &inner);
  auto* ends = new QHBoxLayout;
  ends->setSpacing(4);
  low_ = new QLineEdit(this);
  low_->setPlaceholderText(tr("from"));
  low_->setAccessibleName(tr("Only values from"));
  high_ = new QLineEdit(this);
  high_->setPlaceholderText(tr("to"));
  high_->setAccessibleName(tr("Only values up to"));
  for (QLineEdit* edit : {low_, high_}) {
    edit->setAccessibleDescription(tr("Cells with other values are not drawn; empty: no limit"));
    edit->setToolTip(tr("Cells with other values are not drawn; empty: no limit"));
    ends->addWidget(edit);
    connect(edit, &QLineEdit::textChanged, &typing_, qOverload<>(&QTimer::start));
  }
  inner->addLayout(ends);
  within_note_ = make_label({}, "bad", this);
  within_note_->setWordWrap(true);
  within_note_->hide();
  inner->addWidget(within_note_);
  section(tr("Fields by formula"), &inner);
  formulas_ = lines(inner, tr("Fields by formula"), "I[W/m^2] = p^2/(2*1.2*343)", &formulas_note_);
  far_box_ = section(tr("Far field around the body"), &inner);
  far_ = make_calm_combo(this);
  far_->setAccessibleName(tr("Far field around the body"));
  far_->setAccessibleDescription(tr("The distance from the body grows with the value"));
  inner->addWidget(far_);
  far_box_->hide();
  connect(far_, &QComboBox::activated, this, &RecipeEditor::changed);
  typing_.setSingleShot(true);
  typing_.setInterval(wait_ms);
  connect(&typing_, &QTimer::timeout, this, [this] {
    read();
    emit changed();
  });
}

void RecipeEditor::tell(const QString& trouble) {
  unfit_ = !trouble.isEmpty();
  if (!unfit_) return;
  formulas_note_->setText(trouble);
  formulas_note_->show();
}

void RecipeEditor::read() {
  unfit_ = false;
  const auto tell = [](QLabel* note, const QString& trouble) {
    note->setText(trouble);
    note->setVisible(!trouble.isEmpty());
  };
  tell(planes_note_,
       read_lines(planes_->toPlainText(), read_.planes, [](const std::string& s) { return parse_plane(s); }));
  tell(formulas_note_,
       read_lines(formulas_->toPlainText(), read_.formulas, [](const std::string& s) { return parse_formula(s); }));
  double ends[2] = {-INFINITY, INFINITY};
  QString trouble;
  const QLineEdit* edits[] = {low_, high_};
  for (int k = 0; k < 2; ++k) {
    const QString text = typed_text(edits[k]->text().trimmed());
    if (text.isEmpty()) continue;
    const auto one = parse_quantity(text.toStdString(), known_unit(unit_) ? unit_ : "1");
    if (one)
      ends[k] = one->value;
    else
      trouble = translated(one.error().text);
  }
  read_.within.reset();
  if (trouble.isEmpty() && (std::isfinite(ends[0]) || std::isfinite(ends[1]))) {
    if (ends[0] < ends[1])
      read_.within = std::pair{ends[0], ends[1]};
    else
      trouble = tr("The first is not below the second.");
  }
  tell(within_note_, trouble);
}

void RecipeEditor::show_recipe(const FrameRecipe& recipe, const std::string& unit, bool solid) {
  planes_box_->setVisible(solid || !recipe.planes.empty());
  unit_ = unit;
  if (typing_.isActive() || unfit_) return;  // somebody types
  const QSignalBlocker quiet(planes_), quiet_too(formulas_), low_quiet(low_), high_quiet(high_);
  if (!(recipe.planes == read_.planes)) planes_->setPlainText(lines_of(recipe.planes));
  if (!(recipe.formulas == read_.formulas)) formulas_->setPlainText(lines_of(recipe.formulas));
  if (!(recipe.within == read_.within)) {
    const auto end = [&](double v) { return std::isfinite(v) && std::abs(v) < 1e299 ? figure_text(v) : QString(); };
    low_->setText(recipe.within ? end(recipe.within->first) : QString());
    high_->setText(recipe.within ? end(recipe.within->second) : QString());
  }
  read_.planes = recipe.planes;
  read_.formulas = recipe.formulas;
  read_.within = recipe.within;
}

void RecipeEditor::offer_far_fields(const std::vector<std::pair<QString, QString>>& fields) {
  far_box_->setVisible(!fields.empty());
  const QString before = far_field();
  far_->clear();
  far_->addItem(tr("None"), QString());
  for (const auto& [key, words] : fields) far_->addItem(words, key);
  far_->setCurrentIndex(std::max(0, far_->findData(before)));
}

void RecipeEditor::apply_to(FrameRecipe& recipe) const {
  recipe.planes = read_.planes;
  recipe.formulas = read_.formulas;
  recipe.within = read_.within;
}

QString RecipeEditor::far_field() const {
  return far_->currentData().toString();
}

QString RecipeEditor::trouble() const {
  for (const QLabel* note : {planes_note_, formulas_note_, within_note_})
    if (!note->text().isEmpty()) return note->text();
  return {};
}

}  // namespace conoid::app

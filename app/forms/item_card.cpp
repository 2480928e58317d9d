// SPDX-License-Identifier: BSD-3-Clause
// One element of a list or a map.
#include "app/forms/item_card.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/forms/schema_text.hpp"
#include "app/look/small_widgets.hpp"

namespace conoid::app {

ItemCard::ItemCard(const FormContext& context, FieldEditor* editor, QWidget* parent)
    : QWidget(parent), context_(context), editor_(editor) {
  setObjectName("itemCard");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 2, 4, 2);
  column->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setSpacing(6);
  fold_ = make_icon_button(context.look, "chevron-right", tr("Show"), this);
  fold_->setIconSize({14, 14});
  title_ = make_label({}, "", this);
  summary_ = new ElidedLabel({}, "small", Qt::ElideRight, this);
  dot_ = new StateDot(context.look, this);
  remove_ = make_icon_button(context.look, "remove", tr("Remove"), this);
  remove_->setIconSize({16, 16});
  for (QWidget* widget : {static_cast<QWidget*>(fold_), static_cast<QWidget*>(title_)}) head->addWidget(widget);
  head->addWidget(summary_, 1);
  head->addWidget(dot_);
  head->addWidget(remove_);
  column->addLayout(head);
  body_ = new QWidget(this);
  body_column_ = new QVBoxLayout(body_);
  body_column_->setContentsMargins(8, 4, 4, 8);
  body_column_->setSpacing(6);
  sentence_ = make_label({}, "bad", body_);
  sentence_->setWordWrap(true);
  body_column_->addWidget(sentence_);
  body_column_->addWidget(editor_);
  column->addWidget(body_);
  body_->hide();
  connect(fold_, &QToolButton::clicked, this, [this] { set_open(!open_); });
  connect(remove_, &QToolButton::clicked, this, &ItemCard::remove_wanted);
}

void ItemCard::set_title(const QString& title, const QString& summary) {
  title_->setText(title);
  summary_->set_text(summary);
  fold_->setAccessibleName(title);
  remove_->setToolTip(tr("Remove %1").arg(title));
}

void ItemCard::set_open(bool open) {
  if (open == open_) return;
  open_ = open;
  body_->setVisible(open);
  summary_->setVisible(true);
  fold_->setIcon(context_.look.icon(open ? "chevron-down" : "chevron-right", "muted"));
  emit toggled(open);
}

void ItemCard::set_removable(bool removable) {
  remove_->setEnabled(removable);
}

void ItemCard::refresh() {
  editor_->refresh();
  const Health health = context_.model.health_of(editor_->pointer());
  dot_->setVisible(health != Health::good);
  dot_->set_colour(health == Health::bad ? "bad" : "caution");
  const auto own = context_.model.diagnostics_at(editor_->pointer());
  sentence_->setVisible(!own.empty() && editor_->is_block());
  if (!own.empty()) {
    const Diagnostic& worst = worst_of(own);
    sentence_->setText(sentence_of(worst));
    set_role(sentence_, worst.severity == Severity::error ? "bad" : "caution");
  }
}

void ItemCard::mouseReleaseEvent(QMouseEvent* event) {
  const bool on_head = event->pos().y() < title_->geometry().bottom() + 8;
  if (event->button() == Qt::LeftButton && on_head) set_open(!open_);
  QWidget::mouseReleaseEvent(event);
}

}  // namespace conoid::app

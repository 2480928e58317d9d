// SPDX-License-Identifier: BSD-3-Clause
// The command palette.
#include "app/window/palette.hpp"

#include <algorithm>

#include <QAction>
#include <QDialog>
#include <QIcon>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPixmap>
#include <QPointer>
#include <QVBoxLayout>

#include "app/model/action_table.hpp"

namespace conoid::app {
namespace {

constexpr int icon_side = 20;

class Palette final : public QDialog {
 public:
  Palette(QWidget* parent, const ActionTable& actions) : QDialog(parent, Qt::Popup), actions_(actions) {
    setFixedSize(480, 360);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    line_ = new QLineEdit(this);
    line_->setAccessibleName(tr("What do you want to do?"));
    line_->setPlaceholderText(tr("What do you want to do?"));
    list_ = new QListWidget(this);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setIconSize({icon_side, icon_side});
    column->addWidget(line_);
    column->addWidget(list_);
    line_->installEventFilter(this);
    connect(line_, &QLineEdit::textChanged, this, [this] { fill(); });
    connect(line_, &QLineEdit::returnPressed, this, [this] { choose(list_->currentItem()); });
    connect(list_, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) { choose(item); });
    fill();
  }
  [[nodiscard]] QAction* chosen() const { return chosen_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == line_ && event->type() == QEvent::KeyPress) {
      const int key = static_cast<QKeyEvent*>(event)->key();
      const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
      if (step != 0) {
        list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, list_->count() - 1));
        return true;
      }
    }
    return QDialog::eventFilter(watched, event);
  }

 private:
  void fill() {
    list_->clear();
    const QStringList words = line_->text().split(' ', Qt::SkipEmptyParts);
    for (const ActionRow& row : actions_.rows()) {
      if (row.text.isEmpty()) continue;
      QAction* action = actions_.at(row.id);
      if (!action->isEnabled() || row.id == "edit.palette") continue;
      const QString text = action->text().remove(QStringLiteral("…"));
      const QString whole = QString(row.menu).remove('&') + " " + text;
      if (!std::all_of(words.begin(), words.end(),
                       [&](const QString& w) { return whole.contains(w, Qt::CaseInsensitive); }))
        continue;
      const QString shortcut = row.shortcut.toString(QKeySequence::NativeText);
      QIcon icon = action->icon();
      if (icon.isNull()) {  // its words begin where those of the others do
        QPixmap nothing(list_->iconSize());
        nothing.fill(Qt::transparent);
        icon = QIcon(nothing);
      }
      auto* item = new QListWidgetItem(icon, shortcut.isEmpty() ? text : text + "   " + shortcut, list_);
      item->setData(Qt::UserRole, row.id);
    }
    list_->setCurrentRow(0);
  }
  void choose(QListWidgetItem* item) {
    if (!item) return;
    chosen_ = actions_.at(item->data(Qt::UserRole).toString());
    accept();
  }
  const ActionTable& actions_;
  QLineEdit* line_;
  QListWidget* list_;
  QAction* chosen_ = nullptr;
};

}  // namespace

void show_palette(QWidget& window, const ActionTable& actions) {
  Palette palette(&window, actions);
  palette.move(window.mapToGlobal(QPoint((window.width() - palette.width()) / 2, 96)));
  if (palette.exec() == QDialog::Accepted && palette.chosen()) palette.chosen()->trigger();
}

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// A combo box as assistive programs see it.
#include "app/look/accessible_combo.hpp"

#include <QAccessibleWidget>
#include <QComboBox>
#include <QLineEdit>

namespace conoid::app {
namespace {

class NamedCombo final : public QAccessibleWidget {
 public:
  explicit NamedCombo(QComboBox* combo) : QAccessibleWidget(combo, QAccessible::ComboBox) {}

  [[nodiscard]] QString text(QAccessible::Text what) const override {
    const auto* combo = static_cast<const QComboBox*>(object());
    if (what == QAccessible::Value) return combo->isEditable() ? combo->lineEdit()->text() : combo->currentText();
    if (what == QAccessible::Name && !combo->accessibleName().isEmpty()) return combo->accessibleName();
    return QAccessibleWidget::text(what);
  }
  [[nodiscard]] QStringList actionNames() const override { return {showMenuAction(), pressAction()}; }
  void doAction(const QString& name) override {
    if (name == showMenuAction() || name == pressAction()) static_cast<QComboBox*>(object())->showPopup();
  }
};

QAccessibleInterface* make(const QString&, QObject* object) {
  auto* combo = qobject_cast<QComboBox*>(object);
  return combo ? new NamedCombo(combo) : nullptr;
}

}  // namespace

void name_combo_boxes() {
  static const bool once = [] {
    QAccessible::installFactory(make);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace conoid::app

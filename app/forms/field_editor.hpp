// SPDX-License-Identifier: BSD-3-Clause
// The face of every editor of a form, and the factory that picks one for a schema node.
#pragma once

#include <string>

#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/case_model.hpp"

namespace conoid::app {

/// What all editors of a form share; outlives them.
struct FormContext {
  CaseModel& model;
  const Look& look;
};

/// Edits the value at one JSON pointer. Reads the model in refresh(), writes it through CaseModel::set, keeps nothing.
class FieldEditor : public QWidget {
  Q_OBJECT
 public:
  FieldEditor(const FormContext& context, std::string pointer, Json node, Json fallback, QWidget* parent)
      : QWidget(parent), context_(context), pointer_(std::move(pointer)), node_(std::move(node)),
        fallback_(std::move(fallback)) {}

  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] const Json& node() const { return node_; }
  /// Reads value and diagnostics from the model again.
  virtual void refresh() = 0;
  /// Opens whatever hides a place at or below this one and gives the widget that should get the focus; null when this
  /// editor does not show it.
  virtual QWidget* reveal(const std::string& pointer);
  /// Whether the editor takes the whole width of a form, with a head of its own.
  [[nodiscard]] virtual bool is_block() const { return false; }
  /// Pixels below which a part of what it shows is cut; 0: it does not say.
  [[nodiscard]] virtual int needed_width() const { return 0; }
  /// A sentence about what is being typed right now; empty when it can be understood.
  [[nodiscard]] virtual QString typing_problem() const { return {}; }

 signals:
  void typing_checked();

 protected:
  [[nodiscard]] const Json* value() const { return context_.model.value(pointer_); }
  [[nodiscard]] QString label() const;
  void write(Json value);
  void erase();  ///< back to the default

  const FormContext& context_;
  std::string pointer_;
  Json node_;
  Json fallback_;  ///< the default that holds here, or null
};

/// The editor for a node: by its variants, map, type, enum, file and unit; raw JSON text where nothing else fits.
[[nodiscard]] FieldEditor* make_editor(const FormContext& context, const std::string& pointer, const Json& node,
                                       const Json& fallback, QWidget* parent);

}  // namespace conoid::app

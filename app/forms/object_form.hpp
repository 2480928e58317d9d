// SPDX-License-Identifier: BSD-3-Clause
// The members of an object below each other: labels at the left, fields at the right, sentences under wrong ones.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "app/forms/field_editor.hpp"

class QBoxLayout;
class QLabel;
class QLayout;
class QToolButton;
class QVBoxLayout;

namespace conoid::app {

/// One member: label, field, and the sentence beside it when something is wrong.
class FieldRow : public QWidget {
  Q_OBJECT
 public:
  FieldRow(const FormContext& context, FieldEditor* editor, const QString& label, bool required, QWidget* parent);
  [[nodiscard]] FieldEditor* editor() const { return editor_; }
  void refresh();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show_sentence();
  /// The name above the editor where the two have no room side by side.
  void make_room();
  const FormContext& context_;
  FieldEditor* editor_;
  QBoxLayout* row_;
  QLabel* sentence_;
};

/// Sentences about places that no control edits (keys that are not known): each with a button that takes the key out.
class StraySentences : public QWidget {
  Q_OBJECT
 public:
  StraySentences(const FormContext& context, QWidget* parent);
  /// Those at the places that `stray` accepts; hidden when there are none.
  void show_those(const std::function<bool(const std::string& pointer)>& stray);

 private:
  FormContext context_;
  QVBoxLayout* column_;
  std::vector<std::string> shown_;  ///< so that nothing is made anew that says the same
};

/// A line that folds and unfolds what is below it.
class FoldButton : public QWidget {
  Q_OBJECT
 public:
  FoldButton(const Look& look, const QString& text, QWidget* body, bool open, QWidget* parent);
  void set_open(bool open);
  [[nodiscard]] bool is_open() const { return open_; }

 signals:
  void toggled(bool open);

 private:
  QToolButton* button_;
  const Look& look_;
  QWidget* body_;
  bool open_;
};

/// Rows for every member of an object node. Advanced members are folded away; an optional object that would have to be
/// filled in is shown as one line with "Add" until it is wanted.
class ObjectForm : public FieldEditor {
  Q_OBJECT
 public:
  /// `left_out`: members that somebody else edits (a discriminator).
  ObjectForm(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
             QWidget* parent, const std::set<std::string>& left_out = {});
  void refresh() override;
  QWidget* reveal(const std::string& pointer) override;
  [[nodiscard]] bool is_block() const override { return true; }
  /// Neither a member nor something to say.
  [[nodiscard]] bool is_empty() const { return entries_.empty() && (!strays_ || strays_->isHidden()); }

 private:
  struct Entry {
    FieldEditor* editor = nullptr;
    FieldRow* row = nullptr;     ///< for one-line editors
    QWidget* block = nullptr;    ///< for blocks: heading and editor
    QLabel* sentence = nullptr;  ///< for blocks
    bool advanced = false;
    std::string idle_beside{};  ///< what it counts for nothing beside; its place in the case
  };
  /// What counts for nothing beside what the case has is not shown, unless something is wrong with it.
  void show_what_counts(const Entry& entry);
  void add_member(const std::string& key, const Json& node, QVBoxLayout* column, bool advanced);
  std::vector<Entry> entries_;
  void refresh_strays();
  FoldButton* fold_ = nullptr;
  StraySentences* strays_ = nullptr;
  std::set<std::string> left_out_;
};

/// An optional object or list: "Add" while it is absent, the form with "Remove" while it is there.
class OptionalBlock : public FieldEditor {
  Q_OBJECT
 public:
  OptionalBlock(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                QWidget* parent);
  void refresh() override;
  QWidget* reveal(const std::string& pointer) override;
  [[nodiscard]] bool is_block() const override { return true; }

 private:
  QVBoxLayout* column_;
  FieldEditor* inner_ = nullptr;
  QWidget* bar_ = nullptr;
};

/// Takes every widget out of a layout; they go once control is back in the event loop (one of them may be the sender).
void clear_layout(QLayout* layout);

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// The case as sections of a form, each with a green, amber or red dot and what is missing in words.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <QTimer>
#include <QWidget>

#include "app/forms/field_editor.hpp"
#include "app/model/help_topic.hpp"
#include "app/panels/sections.hpp"

class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace conoid::app {

class ElidedLabel;
class StateDot;
class StraySentences;

/// One section: a head that folds, and the forms of its keys.
class SectionWidget : public QWidget {
  Q_OBJECT
 signals:
  void chosen(const QString& pointer);

 public:
  /// Folded; the forms are made when it is opened first.
  SectionWidget(const FormContext& context, const CaseSection& section, QWidget* parent);
  void refresh();
  void set_open(bool open);
  /// A part of opening it; false: nothing is left to do.
  bool open_some();
  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] const CaseSection& section() const { return section_; }
  QWidget* reveal(const std::string& pointer);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void make_body();
  void make_next();  ///< the editor of the next key
  /// The library of materials above the form of a medium.
  void add_library(QVBoxLayout* column, const std::string& pointer, const Json& node);
  const FormContext& context_;
  CaseSection section_;
  QWidget* header_;
  QWidget* chevron_;
  ElidedLabel* words_;
  StateDot* dot_;
  QWidget* body_ = nullptr;
  std::vector<FieldEditor*> editors_;  ///< none before it is opened
  std::vector<QLabel*> sentences_;
  bool open_ = false, has_been_open_ = false;
};

class CasePanel : public QWidget {
  Q_OBJECT
 public:
  CasePanel(CaseModel& model, const Look& look, QWidget* parent = nullptr);
  ~CasePanel() override;
  /// Opens the section of a place, scrolls to its field and gives it the focus.
  void reveal(const std::string& pointer);
  /// The same for what must be corrected first; nothing where the case can be run.
  void reveal_first_problem();
  /// The form of a case that has just been opened is made section by section between other work; this makes what is missing now.
  void finish();
  [[nodiscard]] const std::vector<SectionWidget*>& sections() const { return sections_; }

 signals:
  void help_wanted(const conoid::app::HelpTopic& topic);
  /// A field or a section has been chosen in the form.
  void chosen(const QString& pointer);

 private:
  void rebuild();
  void build_some();
  void refresh();
  void refresh_footer();
  void refresh_strays();
  void show_help(QWidget* focused);
  void tell_chosen(QWidget* focused);
  bool eventFilter(QObject* watched, QEvent* event) override;

  FormContext context_;
  QLineEdit* title_;
  QLabel* solver_;
  ElidedLabel* file_;
  QScrollArea* scroll_;
  QVBoxLayout* column_ = nullptr;
  StraySentences* strays_ = nullptr;  ///< a child of what is scrolled
  QWidget* help_rule_;
  QLabel* help_;
  StateDot* footer_dot_;
  QPushButton* footer_;
  std::vector<SectionWidget*> sections_;
  std::deque<SectionWidget*> to_open_;  ///< those whose forms are still to be made
  QWidget* form_ = nullptr;
  std::unique_ptr<QWidget> old_;  ///< the form of the case before, taken down section by section
  QTimer build_timer_;
  std::string first_problem_, helped_;  ///< places: to be corrected first; that the help below speaks of
  std::string wanted_;                  ///< to be shown once the form is made
};

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// The case as sections of a form, each with a green, amber or red dot and what is missing in words.
#pragma once

#include <set>
#include <string>
#include <vector>

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
 public:
  SectionWidget(const FormContext& context, const CaseSection& section, bool open, QWidget* parent);
  void refresh();
  void set_open(bool open);
  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] const CaseSection& section() const { return section_; }
  QWidget* reveal(const std::string& pointer);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// The library of materials above the form of a medium.
  void add_library(QVBoxLayout* column, const std::string& pointer, const Json& node);
  const FormContext& context_;
  CaseSection section_;
  QWidget* header_;
  QWidget* chevron_;
  ElidedLabel* words_;
  StateDot* dot_;
  QWidget* body_;
  std::vector<FieldEditor*> editors_;
  std::vector<QLabel*> sentences_;
  bool open_ = true;
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
  [[nodiscard]] const std::vector<SectionWidget*>& sections() const { return sections_; }

 signals:
  void help_wanted(const conoid::app::HelpTopic& topic);

 private:
  void rebuild();
  void refresh();
  void refresh_footer();
  void refresh_strays();
  void show_help(QWidget* focused);
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
  std::string first_problem_, helped_;  ///< places: to be corrected first; that the help below speaks of
};

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// A new case around a body: its unit, its size in metres and in wavelengths, where it stands, and on the same page what happens to it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <QDialog>

#include "app/forms/field_editor.hpp"
#include "app/model/case_model.hpp"
#include "engine/session/case_start.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/make_viewport.hpp"

class QButtonGroup;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace conoid::app {

class FieldRow;
class ObjectForm;

/// Lives in the window's thread. Everything that is slow (reading, meshing) happens beside it; the newest wish counts.
class NewCaseDialog : public QDialog {
  Q_OBJECT
 public:
  /// Around a file, or, with an empty one, around a body by its sizes.
  NewCaseDialog(const QString& file, const Look& look, ViewportKind kind, QWidget* parent = nullptr);
  ~NewCaseDialog() override;

  /// The case as it stands; what dialogs of their own have said until now.
  [[nodiscard]] Json made() const;
  /// Whether the person wants it to be run at once.
  [[nodiscard]] bool run_wanted() const { return run_wanted_; }
  /// The body as it was read last, where it is that of the case as it stands; else null.
  [[nodiscard]] std::shared_ptr<const MeshPreview> body() const;
  /// Why the case cannot be made yet, in one sentence; empty when it can.
  [[nodiscard]] QString obstacle() const;
  [[nodiscard]] CaseModel& model() { return model_; }

 protected:
  bool event(QEvent* event) override;

 private:
  /// What one may do with the body: a start of a solver, or a solver's empty form.
  struct Choice {
    std::optional<CaseStart> start;
    std::string solver;
    QString title, words;
  };
  QWidget* make_controls(const QString& file);
  QWidget* make_unit_row();
  void make_place(QVBoxLayout* column);
  void add_turns(QVBoxLayout* column);
  QWidget* make_picture(ViewportKind kind);
  QWidget* make_foot();
  void fill_choices();
  void choose(std::size_t at);
  void choose_unit(const QString& unit);
  void rebuild_asks();
  /// The section mesh without a size of elements that the wave asked for.
  [[nodiscard]] Json base_mesh() const;
  /// Reads the body again where it is another one, or stands elsewhere.
  void look_at_body();
  [[nodiscard]] std::shared_ptr<const MeshPreview> known_body(const Json& section) const;
  void keep_body(const Json& section, std::shared_ptr<const MeshPreview> mesh);
  void take_body(std::uint64_t ticket, Result<std::shared_ptr<const MeshPreview>> read);
  /// Makes the case anew from the choice and what has been typed.
  void start_again();
  void show_body(const MeshPreview& mesh);
  void show_elements();
  void edited();
  void refresh();
  void refresh_size();
  void refresh_estimate();
  [[nodiscard]] double frequency() const;
  void apply_theme();

  const Look& look_;
  CaseModel model_;
  FormContext context_;
  std::vector<Choice> choices_;
  std::size_t chosen_ = 0;
  std::optional<MeshFacts> facts_;
  std::shared_ptr<const MeshPreview> body_;  ///< as the file has it
  std::optional<Error> error_;
  Json seen_;  ///< the section mesh that is looked at, without a size that the wave asks for
  /// What was read, by its section mesh, the last at the end: a body that was seen is not read or meshed again.
  std::vector<std::pair<Json, std::shared_ptr<const MeshPreview>>> read_;
  Json template_;  ///< the case as it was made last
  Json kept_;      ///< pointer → value that a person has typed
  bool unit_asked_ = false, unit_known_ = false;
  bool applying_ = false, run_wanted_ = false, by_sizes_ = false;
  std::uint64_t ticket_ = 0;
  std::stop_source stop_;

  QWidget* unit_row_ = nullptr;
  QButtonGroup* units_ = nullptr;
  QLabel *unit_note_ = nullptr, *size_ = nullptr, *estimate_ = nullptr, *trouble_ = nullptr;
  FieldEditor* bodies_ = nullptr;
  ObjectForm* place_ = nullptr;
  QWidget* choice_box_ = nullptr;
  QVBoxLayout *choice_column_ = nullptr, *asks_column_ = nullptr, *hand_column_ = nullptr;
  std::vector<FieldRow*> asks_;
  QPushButton *make_ = nullptr, *run_ = nullptr;
  ViewportHost* viewport_ = nullptr;
  std::shared_ptr<FieldScene> scene_;
  bool fitted_ = false;
};

}  // namespace conoid::app

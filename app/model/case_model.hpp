// SPDX-License-Identifier: BSD-3-Clause
// The case being edited: document, schema, undo, diagnostics by place, saving. Knows no widget and no solver.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QObject>
#include <QString>
#include <QTimer>
#include <QUndoStack>

#include "engine/case/document.hpp"
#include "engine/case/schema.hpp"
#include "engine/session/session.hpp"

namespace conoid {
class CaseChecker;
}

namespace conoid::app {

/// Finds the schema of a solver's cases by its id.
using SchemaLookup = std::function<Result<Schema>(const std::string& solver)>;
/// The solvers of this program.
[[nodiscard]] SchemaLookup registered_schemas();

/// How a part of the case stands, for the coloured dots.
enum class Health { good, caution, bad };

/// Lives in the window's thread.
class CaseModel : public QObject {
  Q_OBJECT
 public:
  explicit CaseModel(SchemaLookup schemas = registered_schemas(), QObject* parent = nullptr);
  ~CaseModel() override;

  /// Reads a case file and makes it the current one; on an error the former stays.
  Status open(const std::filesystem::path& file);
  /// Takes a document that is not on disk in this form; it is dirty from the start when `recovered`.
  void take(CaseDocument document, bool recovered = false);
  /// Takes the case of a run as it was, which is not what its file holds now (`now`, null where there is none): a copy that is only
  /// saved under a name that a person gives, and no loss when it is left.
  void take_as_run(CaseDocument document, Json now);
  [[nodiscard]] bool is_copy_of_run() const { return copy_of_run_; }
  void close();
  [[nodiscard]] bool is_open() const { return open_; }

  [[nodiscard]] const CaseDocument& document() const { return document_; }
  [[nodiscard]] const Json& json() const { return document_.json(); }
  [[nodiscard]] const Json* value(const std::string& pointer) const;
  /// The merged schema, or null JSON when the case names no known solver.
  [[nodiscard]] const Json& schema() const;
  [[nodiscard]] QString title() const;
  [[nodiscard]] QString file_name() const;
  [[nodiscard]] std::string solver() const;

  /// Edits; each is one step of the undo stack. `what` completes "Undo …": "change of frequency".
  void set(const std::string& pointer, Json value, const QString& what);
  void remove(const std::string& pointer, const QString& what);
  [[nodiscard]] QUndoStack& undo_stack() { return undo_; }

  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// Diagnostics exactly at a place, and the worst at or below one.
  [[nodiscard]] std::vector<Diagnostic> diagnostics_at(const std::string& pointer) const;
  [[nodiscard]] Health health_of(const std::string& pointer) const;
  [[nodiscard]] bool is_valid() const { return open_ && !has_errors(diagnostics_); }
  /// Why the case cannot be run, in one sentence; empty when it can.
  [[nodiscard]] QString obstacle() const;

  /// Memory, time and details of the last full check of this very document; null while it is being made.
  [[nodiscard]] const CheckReport* report() const { return report_ ? &*report_ : nullptr; }
  /// Full checks (mesh, stability, memory) run in the background after edits; tests switch them off.
  void set_full_checks(bool on);
  /// What the settings give a run where the case is silent (workers, memory budgets), so that the check is of the same.
  void set_resources(std::function<ResourceRequest()> settings) { resources_ = std::move(settings); }
  /// That has changed: a full check follows.
  void check_again();

  [[nodiscard]] bool is_dirty() const;
  Status save();
  Status save_as(const std::filesystem::path& file);

  /// A document of this solver's with every key as it is called now, as this one has been since it was opened.
  [[nodiscard]] Json named_as_now(const Json& json) const;

  /// `conoid run case.json --set …`: what the Run button does, as a line for a terminal.
  [[nodiscard]] QString command_line() const;

 signals:
  void opened();
  void changed();    ///< any value; fields read theirs again
  void validated();  ///< diagnostics or report are new
  void dirty_changed(bool dirty);

 private:
  class Edit;
  void adopt(CaseDocument document);
  void take_present_names();
  void push(const std::string& pointer, std::optional<Json> value, const QString& what);
  /// An absent object stands for its default; editing inside it starts from that.
  void fill_ancestors(Json& root, const std::string& pointer) const;
  void replace_section(const std::string& key, const std::optional<Json>& value);
  void validate_now();
  void start_full_check();
  void take_report(const CheckReport& report);

  SchemaLookup schemas_;
  CaseDocument document_;
  Json saved_;  ///< as on disk
  std::optional<Schema> schema_;
  std::optional<Diagnostic> schema_problem_;
  std::vector<Diagnostic> renamed_;  ///< what the file has under former names
  QUndoStack undo_;
  std::vector<Diagnostic> quick_, diagnostics_;
  std::optional<CheckReport> report_;
  std::shared_ptr<int> checking_;         ///< replaced at each edit: an older check's answer is dropped
  std::shared_ptr<CaseChecker> checker_;  ///< of the case that is open: what an edit leaves as it is, is not made again
  QTimer full_check_timer_;
  std::function<ResourceRequest()> resources_;
  bool full_checks_ = true;
  bool open_ = false;
  bool recovered_ = false;
  bool copy_of_run_ = false;
};

/// A word for a shell, quoted where needed.
[[nodiscard]] QString shell_quoted(const QString& word);

}  // namespace conoid::app

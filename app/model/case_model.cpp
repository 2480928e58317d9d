// SPDX-License-Identifier: BSD-3-Clause
// The case being edited.
#include "app/model/case_model.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSignalBlocker>

#include "app/model/background.hpp"
#include "app/model/json_path.hpp"
#include "app/model/names.hpp"
#include "engine/case/former_names.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/session/case_checker.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::app {
namespace {

constexpr int full_check_delay_ms = 350;  // after the last key: the check may read a mesh
constexpr int undo_limit = 200;

/// Leaf values that differ, as (pointer, text for --set); objects only, arrays are compared whole.
void collect_changes(const Json& before, const Json& now, const std::string& pointer,
                     std::vector<std::pair<std::string, std::string>>& out) {
  if (before == now) return;
  if (before.is_object() && now.is_object()) {
    for (const auto& [key, value] : now.items()) {
      const auto it = before.find(key);
      collect_changes(it == before.end() ? Json() : *it, value, child_pointer(pointer, key), out);
    }
    for (const auto& [key, value] : before.items())
      if (!now.contains(key)) out.emplace_back(child_pointer(pointer, key), "null");
    return;
  }
  out.emplace_back(pointer, now.is_string() ? now.get<std::string>() : compact_json(now));
}

}  // namespace

SchemaLookup registered_schemas() {
  return [](const std::string& solver) -> Result<Schema> {
    if (const SolverInfo* info = find_solver(solver)) {
      // Read once: the text of a schema is long, and it is the same each time.
      static std::map<std::string, Schema> read;
      static std::mutex one_at_a_time;
      const std::scoped_lock lock(one_at_a_time);
      if (const auto known = read.find(solver); known != read.end()) return known->second;
      auto schema = Schema::for_solver(info->id, info->schema);
      if (schema) read.emplace(solver, *schema);
      return schema;
    }
    std::string known;
    for (const SolverInfo* info : registered_solvers()) known += (known.empty() ? "" : ", ") + std::string(info->id);
    return make_error(ErrorCode::invalid_input, "there is no solver '" + solver + "' in this program",
                      known.empty() ? "This build contains no solver." : "It has: " + known + ".", {{}, 0, "/solver"});
  };
}

/// One undoable change, kept as the top-level section before and after it: exact whatever the edit did inside.
class CaseModel::Edit final : public QUndoCommand {
 public:
  Edit(CaseModel& model, std::string key, std::optional<Json> before, std::optional<Json> after, const QString& text)
      : QUndoCommand(text), model_(model), key_(std::move(key)), before_(std::move(before)), after_(std::move(after)) {}
  void undo() override { model_.replace_section(key_, before_); }
  void redo() override { model_.replace_section(key_, after_); }

 private:
  CaseModel& model_;
  std::string key_;
  std::optional<Json> before_, after_;
};

CaseModel::CaseModel(SchemaLookup schemas, QObject* parent) : QObject(parent), schemas_(std::move(schemas)) {
  undo_.setUndoLimit(undo_limit);
  full_check_timer_.setSingleShot(true);
  full_check_timer_.setInterval(full_check_delay_ms);
  connect(&full_check_timer_, &QTimer::timeout, this, &CaseModel::start_full_check);
  connect(&undo_, &QUndoStack::cleanChanged, this, [this] { emit dirty_changed(is_dirty()); });
}

CaseModel::~CaseModel() {
  undo_.disconnect(this);
}

Status CaseModel::open(const std::filesystem::path& file) {
  auto document = CaseDocument::read(absolute_path(file));
  if (!document) return document.error();
  recovered_ = copy_of_run_ = false;
  saved_ = document->json();
  adopt(std::move(document).value());
  return {};
}

void CaseModel::take(CaseDocument document, bool recovered) {
  recovered_ = recovered;
  copy_of_run_ = false;
  saved_ = recovered ? Json() : document.json();
  adopt(std::move(document));
}

void CaseModel::take_as_run(CaseDocument document, Json now) {
  recovered_ = false;
  copy_of_run_ = true;
  saved_ = std::move(now);  // against which the line for a terminal is said
  adopt(std::move(document));
}

void CaseModel::adopt(CaseDocument document) {
  document_ = std::move(document);
  schema_.reset();
  schema_problem_.reset();
  auto schema = schemas_(solver());
  if (schema) {
    schema_ = std::move(schema).value();
  } else {
    schema_problem_ = schema.error();
    schema_problem_->place = document_.place("/solver");
  }
  take_present_names();
  open_ = true;
  checker_.reset();
  undo_.clear();
  {
    // Who shows a case learns that it is another one before what is wrong with it.
    const QSignalBlocker later(this);
    validate_now();
  }
  emit opened();
  emit validated();
  emit changed();
  emit dirty_changed(is_dirty());
}

/// What was written under former names is shown, edited and saved under those of now; until it is saved that is told.
void CaseModel::take_present_names() {
  renamed_.clear();
  if (!schema_) return;
  std::vector<FormerName> renamed;
  Json present = with_present_names(document_.json(), *schema_, &renamed);
  if (present == document_.json()) return;
  for (const FormerName& r : renamed) {
    renamed_.push_back(former_name_note(r.then, r.now, {document_.file().string(), 0, r.pointer}));
    renamed_.back().hint = "Saving the case writes '" + r.now + "'.";
  }
  document_ = CaseDocument::from_json(std::move(present), document_.file());
}

Json CaseModel::named_as_now(const Json& json) const {
  return schema_ ? with_present_names(json, *schema_) : json;
}

void CaseModel::close() {
  open_ = false;
  renamed_.clear();
  checking_.reset();
  checker_.reset();
  full_check_timer_.stop();
  document_ = {};
  schema_.reset();
  quick_.clear();
  diagnostics_.clear();
  report_.reset();
  undo_.clear();
}

const Json* CaseModel::value(const std::string& pointer) const {
  return find_value(document_.json(), pointer);
}

const Json& CaseModel::schema() const {
  static const Json none;
  return schema_ ? schema_->json() : none;
}

std::string CaseModel::solver() const {
  const Json* id = value("/solver");
  return id && id->is_string() ? id->get<std::string>() : std::string();
}

QString CaseModel::title() const {
  const Json* title = value("/title");
  if (title && title->is_string() && !title->get<std::string>().empty())
    return QString::fromStdString(title->get<std::string>());
  return document_.file().empty() ? tr("Untitled case") : file_name();
}

QString CaseModel::file_name() const {
  return QString::fromStdString(document_.file().filename().string());
}

void CaseModel::set(const std::string& pointer, Json value, const QString& what) {
  if (const Json* now = this->value(pointer); now && *now == value) return;
  push(pointer, std::move(value), what);
}

void CaseModel::remove(const std::string& pointer, const QString& what) {
  if (!value(pointer)) return;
  push(pointer, std::nullopt, what);
}

void CaseModel::push(const std::string& pointer, std::optional<Json> value, const QString& what) {
  const std::string key = first_token(pointer);
  if (key.empty()) return;
  std::optional<Json> before;
  if (const auto it = document_.json().find(key); it != document_.json().end()) before = *it;
  Json root = document_.json();
  if (value) fill_ancestors(root, pointer);
  if (!assign_value(root, pointer, std::move(value))) return;
  std::optional<Json> after;
  if (const auto it = root.find(key); it != root.end()) after = *it;
  undo_.push(new Edit(*this, key, std::move(before), std::move(after), what));
}

void CaseModel::fill_ancestors(Json& root, const std::string& pointer) const {
  if (!schema_) return;
  std::vector<std::string> ancestors;
  for (std::string p = parent_pointer(pointer); !p.empty(); p = parent_pointer(p))
    ancestors.insert(ancestors.begin(), p);
  for (const std::string& p : ancestors) {
    if (find_value(root, p)) continue;
    const Json node = schema_->node(p, root);
    const Json fallback = node.is_object() ? node.value("default", Json()) : Json();
    if (fallback.is_structured()) assign_value(root, p, fallback);
  }
}

void CaseModel::replace_section(const std::string& key, const std::optional<Json>& value) {
  const std::string pointer = child_pointer("", key);
  if (!value || !document_.set_json(pointer, *value).ok()) {
    Json root = document_.json();
    assign_value(root, pointer, value);
    document_ = CaseDocument::from_json(std::move(root), document_.file());
  }
  validate_now();
  emit changed();
}

void CaseModel::validate_now() {
  quick_.clear();
  if (schema_problem_)
    quick_.push_back(*schema_problem_);
  else if (schema_)
    quick_ = validate(document_, *schema_);
  quick_.insert(quick_.end(), renamed_.begin(), renamed_.end());
  diagnostics_ = quick_;
  report_.reset();
  checking_.reset();
  full_check_timer_.stop();
  if (full_checks_ && open_ && !has_errors(quick_)) full_check_timer_.start();
  emit validated();
}

void CaseModel::set_full_checks(bool on) {
  full_checks_ = on;
  if (!on) full_check_timer_.stop();
}

void CaseModel::start_full_check() {
  checking_ = std::make_shared<int>(0);
  if (!checker_) checker_ = std::make_shared<CaseChecker>();
  OfferSources sources;
  if (resources_) sources.settings = resources_();
  const std::weak_ptr<int> ticket = checking_;
  in_background(
      this,
      [document = document_, sources = std::move(sources), ticket, checker = checker_] {
        CheckReport report;
        if (ticket.expired()) return report;
        try {
          report = checker->check(document, sources);
        } catch (...) {
          report.diagnostics.push_back(current_exception_as_error());
        }
        return report;
      },
      [ticket](CaseModel& self, const CheckReport& report) {
        if (!ticket.expired()) self.take_report(report);
      });
}

void CaseModel::check_again() {
  if (full_checks_ && open_ && !has_errors(quick_)) full_check_timer_.start();
}

void CaseModel::take_report(const CheckReport& report) {
  diagnostics_ = report.diagnostics;
  diagnostics_.insert(diagnostics_.end(), renamed_.begin(), renamed_.end());
  report_ = report;
  emit validated();
}

std::vector<Diagnostic> CaseModel::diagnostics_at(const std::string& pointer) const {
  std::vector<Diagnostic> out;
  for (const auto& d : diagnostics_)
    if (d.place.pointer == pointer) out.push_back(d);
  return out;
}

Health CaseModel::health_of(const std::string& pointer) const {
  Health worst = Health::good;
  for (const auto& d : diagnostics_) {
    if (!is_within(d.place.pointer, pointer)) continue;
    if (d.severity == Severity::error) return Health::bad;
    if (d.severity == Severity::warning) worst = Health::caution;
  }
  return worst;
}

QString CaseModel::obstacle() const {
  if (!open_) return tr("Open a case first.");
  const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::error; };
  const auto count = std::count_if(diagnostics_.begin(), diagnostics_.end(), is_error);
  if (count == 0) return {};
  const auto first = std::find_if(diagnostics_.begin(), diagnostics_.end(), is_error);
  const QString sentence = translated(first->text);
  const QString where = QString::fromStdString(first->place.pointer);
  const QString text = where.isEmpty() ? sentence : where.mid(1).replace('/', QStringLiteral(" › ")) + ": " + sentence;
  return count == 1 ? text : tr("%1 (and %n more)", nullptr, static_cast<int>(count) - 1).arg(text);
}

bool CaseModel::is_dirty() const {
  return open_ && (recovered_ || !undo_.isClean());
}

Status CaseModel::save() {
  if (copy_of_run_) return make_error(ErrorCode::file, "this is the case as it was run, not its file", "Use Save as.");
  return save_as(document_.file());
}

Status CaseModel::save_as(const std::filesystem::path& file) {
  if (file.empty()) return make_error(ErrorCode::file, "the case has no file name yet", "Use Save as.");
  if (Status saved = document_.save(file); !saved) return saved;
  if (file != document_.file()) document_ = CaseDocument::from_json(document_.json(), absolute_path(file));
  saved_ = document_.json();
  recovered_ = copy_of_run_ = false;
  if (!renamed_.empty()) {
    renamed_.clear();
    validate_now();
  }
  undo_.setClean();
  emit dirty_changed(false);
  emit changed();
  return {};
}

QString CaseModel::command_line() const {
  const QString path = QString::fromStdString(document_.file().string());
  const QString relative = QDir::current().relativeFilePath(path);
  QString line = "conoid run " + shell_quoted(relative.startsWith("../..") ? path : relative);
  std::vector<std::pair<std::string, std::string>> changes;
  if (saved_.is_object()) collect_changes(named_as_now(saved_), document_.json(), "", changes);
  for (const auto& [pointer, text] : changes)
    line += " --set " + shell_quoted(QString::fromStdString(pointer + "=" + text));
  return line;
}

QString shell_quoted(const QString& word) {
  static const QRegularExpression plain("^[A-Za-z0-9_@%+=:,./-]+$");
  if (plain.match(word).hasMatch()) return word;
  return '\'' + QString(word).replace('\'', "'\\''") + '\'';
}

}  // namespace conoid::app

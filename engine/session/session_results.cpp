// SPDX-License-Identifier: BSD-3-Clause
// Tables and numbers to files and client.
#include "engine/session/session_results.hpp"

#include <utility>

#include "engine/core/error.hpp"

namespace conoid {

namespace {
constexpr std::size_t values_at_once = 1 << 20;  // pending values that are sent without waiting for send_rows()
}

class SessionResults::Tee final : public Table {
 public:
  Tee(SessionResults& owner, TableInfo table_info, Table* file, std::size_t before)
      : info(std::move(table_info)), rows(before), sent(before), owner_(owner), file_(file) {}

  void append(std::span<const double> row) override {
    verify(row.size() == info.columns.size(), "a row of table '" + info.id + "' has one value a column");
    if (owner_.muted_) return;
    if (file_) file_->append(row);
    ++rows;
    if (!owner_.emit_) return;
    pending_.emplace_back(row.begin(), row.end());
    if (pending_.size() * info.columns.size() > values_at_once) send();
  }

  void send() {
    if (pending_.empty() || !owner_.emit_) return;
    TableEvent event{info, sent, std::exchange(pending_, {})};
    sent += event.rows.size();
    owner_.emit_(std::move(event));
  }

  TableInfo info;
  std::size_t rows = 0;
  std::size_t sent = 0;

 private:
  SessionResults& owner_;
  Table* file_;
  std::vector<std::vector<double>> pending_;
};

SessionResults::SessionResults(Results* files, Emit emit) : files_(files), emit_(std::move(emit)) {}
SessionResults::~SessionResults() = default;

Table& SessionResults::table(const TableInfo& info) {
  for (const auto& t : tables_)
    if (t->info.id == info.id) return *t;
  Table* file = files_ ? &files_->table(info) : nullptr;
  const auto before = before_.find(info.id);
  tables_.push_back(std::make_unique<Tee>(*this, info, file, before == before_.end() ? 0 : before->second));
  return *tables_.back();
}

void SessionResults::number(std::string_view name, double value, std::string_view unit) {
  if (muted_) return;
  if (files_) files_->number(name, value, unit);
  if (emit_) emit_(NumberEvent{std::string(name), value, std::string(unit)});
}

void SessionResults::text(std::string_view name, std::string_view value) {
  if (!muted_ && files_) files_->text(name, value);
}

void SessionResults::has_rows(const TableInfo& info, std::vector<std::vector<double>> rows) {
  before_[info.id] = rows.size();
  if (emit_) emit_(TableEvent{info, 0, std::move(rows)});
}

void SessionResults::send_rows() {
  for (const auto& t : tables_) t->send();
}

std::vector<SessionResults::TableSize> SessionResults::sizes() const {
  std::vector<TableSize> out;
  for (const auto& t : tables_) out.push_back({t->info.id, t->info.title, t->rows});
  return out;
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// What a solver hands out goes two ways: to the files of the run and to the client as events.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/io/results.hpp"
#include "engine/session/session.hpp"

namespace conoid {

/// Used from the engine thread.
class SessionResults final : public Results {
 public:
  using Emit = std::function<void(SessionEvent)>;

  /// `files` may be null: nothing is kept. `emit` may be empty: nobody looks.
  SessionResults(Results* files, Emit emit);
  ~SessionResults() override;

  Table& table(const TableInfo& info) override;
  void number(std::string_view name, double value, std::string_view unit) override;
  void text(std::string_view name, std::string_view value) override;
  [[nodiscard]] std::filesystem::path folder() const override { return files_ ? files_->folder() : ""; }

  /// While muted, rows, numbers and texts are dropped: a resumed solver's prepare() says again what the files have.
  void mute(bool on) { muted_ = on; }
  /// Rows that the files have from before a resume; they are sent to the client as the table's beginning.
  void has_rows(const TableInfo& info, std::vector<std::vector<double>> rows);
  /// Sends rows that came since the last call.
  void send_rows();

  struct TableSize {
    std::string id, title;
    std::size_t rows = 0;
  };
  [[nodiscard]] std::vector<TableSize> sizes() const;

 private:
  class Tee;

  Results* files_;
  Emit emit_;
  bool muted_ = false;
  std::vector<std::unique_ptr<Tee>> tables_;
  std::map<std::string, std::size_t, std::less<>> before_;  ///< rows of tables the solver has not asked for yet
};

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// What a shot says while others march beside it: kept, and passed on in order on the engine's thread of the leading rank.
#pragma once

#include "engine/core/codec.hpp"
#include "engine/io/results.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace conoid::acoustic_fd {

/// Used by one thread at a time.
class ShotResults final : public Results {
 public:
  /// `folder`: of the run, on every rank; empty: nothing is kept.
  explicit ShotResults(std::filesystem::path folder);
  ~ShotResults() override;

  Table& table(const TableInfo& info) override;
  void number(std::string_view name, double value, std::string_view unit) override;
  void text(std::string_view name, std::string_view value) override;
  [[nodiscard]] std::filesystem::path folder() const override { return folder_; }

  /// Takes out what has been said since the last call, as bytes that another rank can read.
  [[nodiscard]] std::string take();
  /// As if nothing had been said yet.
  void forget();

 private:
  class Kept;
  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<Kept>, std::less<>> tables_;
  Encoder said_;
};

/// Says to `to` what parts have said, one after the other. Knows the tables of all calls.
class ShotSpeaker {
 public:
  /// `numbers` false: numbers are left out.
  void pass_on(std::string_view said, bool numbers, Results& to);

 private:
  std::map<std::string, TableInfo, std::less<>> tables_;
};

}  // namespace conoid::acoustic_fd

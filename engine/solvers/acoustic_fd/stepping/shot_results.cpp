// SPDX-License-Identifier: BSD-3-Clause
// What is said as bytes: a kind, then what it has.
#include "engine/solvers/acoustic_fd/stepping/shot_results.hpp"

#include "engine/io/table_codec.hpp"

#include <cstdint>
#include <utility>

namespace conoid::acoustic_fd {
namespace {

enum class Kind : std::uint8_t { table, row, number, text };

}  // namespace

class ShotResults::Kept final : public Table {
 public:
  Kept(std::string id, Encoder& said) : id_(std::move(id)), said_(said) {}
  void append(std::span<const double> row) override {
    said_.number(Kind::row);
    said_.text(id_);
    said_.array(row);
  }

 private:
  std::string id_;
  Encoder& said_;
};

ShotResults::ShotResults(std::filesystem::path folder) : folder_(std::move(folder)) {}
ShotResults::~ShotResults() = default;

Table& ShotResults::table(const TableInfo& info) {
  auto& kept = tables_[info.id];
  if (!kept) {
    kept = std::make_unique<Kept>(info.id, said_);
    said_.number(Kind::table);
    put(said_, info);
  }
  return *kept;
}

void ShotResults::number(std::string_view name, double value, std::string_view unit) {
  said_.number(Kind::number);
  said_.text(name);
  said_.number(value);
  said_.text(unit);
}

void ShotResults::text(std::string_view name, std::string_view value) {
  said_.number(Kind::text);
  said_.text(name);
  said_.text(value);
}

std::string ShotResults::take() {
  return std::exchange(said_, {}).take();
}

void ShotResults::forget() {
  tables_.clear();
  said_ = {};
}

void ShotSpeaker::pass_on(std::string_view said, bool numbers, Results& to) {
  Decoder in(said);
  while (!in.at_end()) {
    const Kind kind = in.choice(Kind::text);
    if (kind == Kind::table) {
      TableInfo info = table_info(in);
      static_cast<void>(to.table(info));
      tables_[info.id] = std::move(info);
      continue;
    }
    const std::string name = in.text();
    if (kind == Kind::row) {
      to.table(tables_.at(name)).append(in.array<double>());
    } else if (kind == Kind::number) {
      const auto value = in.number<double>();
      const std::string unit = in.text();
      if (numbers) to.number(name, value, unit);
    } else {
      to.text(name, in.text());
    }
  }
}

}  // namespace conoid::acoustic_fd

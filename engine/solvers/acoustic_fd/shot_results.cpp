// SPDX-License-Identifier: BSD-3-Clause
// Rows, numbers and texts as bytes: a kind, then strings and numbers behind their lengths.
#include "engine/solvers/acoustic_fd/shot_results.hpp"

#include "engine/core/error.hpp"

#include <cstdint>
#include <cstring>

namespace conoid::acoustic_fd {
namespace {

enum class Kind : std::uint64_t { table, row, number, text };

class Writer {
 public:
  explicit Writer(std::vector<std::byte>& out) : out_(out) {}
  void put(std::span<const std::byte> data) { out_.insert(out_.end(), data.begin(), data.end()); }
  void put(std::uint64_t value) { put(std::as_bytes(std::span(&value, 1))); }
  void put(Kind kind) { put(static_cast<std::uint64_t>(kind)); }
  void put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    put(std::as_bytes(std::span(text)));
  }
  void put(std::span<const double> values) {
    put(static_cast<std::uint64_t>(values.size()));
    put(std::as_bytes(values));
  }

 private:
  std::vector<std::byte>& out_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> from) : from_(from) {}
  [[nodiscard]] bool at_end() const { return from_.empty(); }
  [[nodiscard]] std::uint64_t number() {
    std::uint64_t out = 0;
    take(std::as_writable_bytes(std::span(&out, 1)));
    return out;
  }
  [[nodiscard]] std::string text() {
    std::string out(static_cast<std::size_t>(number()), ' ');
    take(std::as_writable_bytes(std::span(out)));
    return out;
  }
  [[nodiscard]] std::vector<double> values() {
    std::vector<double> out(static_cast<std::size_t>(number()));
    take(std::as_writable_bytes(std::span(out)));
    return out;
  }

 private:
  void take(std::span<std::byte> out) {
    verify(out.size() <= from_.size(), "what a shot says is read as it was written");
    if (!out.empty()) std::memcpy(out.data(), from_.data(), out.size());
    from_ = from_.subspan(out.size());
  }
  std::span<const std::byte> from_;
};

void put_info(Writer& out, const TableInfo& info) {
  out.put(Kind::table);
  out.put(info.id);
  out.put(info.title);
  out.put(info.definition);
  for (const int value : {static_cast<int>(info.form), static_cast<int>(info.x_scale), static_cast<int>(info.y_scale)})
    out.put(static_cast<std::uint64_t>(value));
  out.put(static_cast<std::uint64_t>(info.columns.size()));
  for (const Column& column : info.columns)
    for (const std::string& text : {column.name, column.unit, column.label}) out.put(text);
  out.put(static_cast<std::uint64_t>(info.exact.size()));
  for (const std::string& name : info.exact) out.put(name);
}

TableInfo info_of(Reader& in) {
  TableInfo info;
  info.id = in.text();
  info.title = in.text();
  info.definition = in.text();
  info.form = static_cast<ChartForm>(in.number());
  info.x_scale = static_cast<AxisScale>(in.number());
  info.y_scale = static_cast<AxisScale>(in.number());
  info.columns.resize(static_cast<std::size_t>(in.number()));
  for (Column& column : info.columns)
    for (std::string* text : {&column.name, &column.unit, &column.label}) *text = in.text();
  info.exact.resize(static_cast<std::size_t>(in.number()));
  for (std::string& name : info.exact) name = in.text();
  return info;
}

}  // namespace

class ShotResults::Kept final : public Table {
 public:
  Kept(std::string id, std::vector<std::byte>& said) : id_(std::move(id)), said_(said) {}
  void append(std::span<const double> row) override {
    Writer out(said_);
    out.put(Kind::row);
    out.put(id_);
    out.put(row);
  }

 private:
  std::string id_;
  std::vector<std::byte>& said_;
};

ShotResults::ShotResults(std::filesystem::path folder) : folder_(std::move(folder)) {}
ShotResults::~ShotResults() = default;

Table& ShotResults::table(const TableInfo& info) {
  auto& kept = tables_[info.id];
  if (!kept) {
    kept = std::make_unique<Kept>(info.id, said_);
    Writer out(said_);
    put_info(out, info);
  }
  return *kept;
}

void ShotResults::number(std::string_view name, double value, std::string_view unit) {
  Writer out(said_);
  out.put(Kind::number);
  out.put(name);
  out.put(std::span<const double>(&value, 1));
  out.put(unit);
}

void ShotResults::text(std::string_view name, std::string_view value) {
  Writer out(said_);
  out.put(Kind::text);
  out.put(name);
  out.put(value);
}

std::vector<std::byte> ShotResults::take() {
  std::vector<std::byte> out;
  out.swap(said_);
  return out;
}

void ShotResults::forget() {
  tables_.clear();
  said_.clear();
}

void ShotSpeaker::pass_on(std::span<const std::byte> said, bool numbers, Results& to) {
  Reader in(said);
  while (!in.at_end()) {
    const Kind kind = static_cast<Kind>(in.number());
    if (kind == Kind::table) {
      TableInfo info = info_of(in);
      static_cast<void>(to.table(info));
      tables_[info.id] = std::move(info);
      continue;
    }
    const std::string name = in.text();
    if (kind == Kind::row) {
      to.table(tables_.at(name)).append(in.values());
    } else if (kind == Kind::number) {
      const std::vector<double> value = in.values();
      const std::string unit = in.text();
      if (numbers) to.number(name, value.at(0), unit);
    } else {
      to.text(name, in.text());
    }
  }
}

}  // namespace conoid::acoustic_fd

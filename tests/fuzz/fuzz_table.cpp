// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes as a table of numbers are an error with a text, or rows of equal length that can be written and read again.
//
// Input: one byte that says who reads the rest. 0: a table in memory. 1: a stored chart. 2: a sampled signal. 3: an equation of state.
// links: conoid_io conoid_numerics
// sources: engine/solvers/acoustic_fd/discretization/signal.cpp engine/solvers/hydro_fem/discretization/eos_file.cpp
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "engine/io/csv.hpp"
#include "engine/solvers/acoustic_fd/discretization/signal.hpp"
#include "engine/solvers/hydro_fem/discretization/eos_file.hpp"
#include "scratch.hpp"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const conoid::CsvTable& table) {
  using namespace conoid;
  if (table.columns.empty()) return require(table.values.empty());
  require(table.values.size() == table.rows() * table.columns.size());
  for (const Column& c : table.columns) require(table.find(c.name) < table.columns.size());
  std::string again;
  for (std::size_t c = 0; c < table.columns.size(); ++c) again += c == 0 ? "a" : ",a";
  again += "\r\n";
  for (std::size_t r = 0; r < table.rows(); ++r) append_csv_row(again, table.row(r));
  const auto back = parse_csv(again, "again");
  require(back.ok() && back->values.size() == table.values.size());
  for (std::size_t i = 0; i < table.values.size(); ++i)
    require(back->values[i] == table.values[i] || (std::isnan(back->values[i]) && std::isnan(table.values[i])));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conoid;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 4) {
    case 0: {
      const auto table = parse_csv(rest, "fuzz", {.columns = 300, .values = 5000, .preamble = 50});
      if (!table) {
        require(!table.error().text.empty() && table.error().text.size() < 1000);
        break;
      }
      require(table->columns.size() <= 300 && table->values.size() <= 5000 && table->preamble.size() <= 50);
      check(*table);
      break;
    }
    case 1: {
      const auto stored = read_table(fuzz::written("t.csv", rest));
      if (!stored) break;
      require(stored->info.columns.size() == stored->table.columns.size());
      check(stored->table);
      break;
    }
    case 2: {
      const auto signal = acoustic_fd::read_signal(fuzz::written("s.csv", rest), 1);
      if (!signal) break;
      const double end = (*signal)->end();
      for (const double t : {0.0, end / 3, end, end + 1}) (void)(*signal)->at(t);
      break;
    }
    default: {
      const auto eos = hydro_fem::read_eos_table(fuzz::written("e.csv", rest));
      if (!eos) break;
      const std::size_t pairs = eos->density.size() * eos->energy.size();
      require(eos->pressure.size() == pairs && eos->sound_speed.size() == pairs && pairs <= size);
    }
  }
  return 0;
}

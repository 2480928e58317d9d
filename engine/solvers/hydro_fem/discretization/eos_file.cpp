// SPDX-License-Identifier: BSD-3-Clause
// Reading and checking of tabulated equations of state.
#include "engine/solvers/hydro_fem/discretization/eos_file.hpp"

#include "engine/io/csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

std::vector<double> axis_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::size_t place_on(const std::vector<double>& axis, double value) {
  return static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), value) - axis.begin());
}

}  // namespace

Result<EosTable> read_eos_table(const std::filesystem::path& file) {
  const auto read = read_csv(file);
  if (!read) return read.error();
  const CsvTable& csv = *read;
  const auto wrong = [&](std::string text, std::string hint) {
    return make_error(ErrorCode::invalid_input, std::move(text), std::move(hint), Place{file.string(), 0, ""});
  };
  constexpr std::array<const char*, 4> names{"density", "energy", "pressure", "sound_speed"};
  std::array<std::vector<double>, 4> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t c = csv.find(names[i]);
    if (c == CsvTable::npos)
      return wrong(fmt::format("the table has no column '{}'", names[i]),
                   "Name the columns density, energy, pressure and sound_speed in the first line.");
    columns[i] = csv.column(c);
    constexpr std::array<const char*, 4> units{"kg/m^3", "J/kg", "Pa", "m/s"};
    const auto factor = column_factor(csv.columns[c], units[i]);
    if (!factor) return wrong(factor.error().text, factor.error().hint);
    for (double& value : columns[i]) value *= *factor;
    for (std::size_t r = 0; r < columns[i].size(); ++r) {
      const double value = columns[i][r];
      const bool positive = i == 0 || i == 3;
      if (!std::isfinite(value) || (positive && !(value > 0)))
        return wrong(fmt::format("row {}: {} is {}", r + 1, names[i], value),
                     positive ? "It must be a number above zero." : "It must be a finite number.");
    }
  }
  EosTable table;
  table.density = axis_of(columns[0]);
  table.energy = axis_of(columns[1]);
  const std::size_t n = table.density.size(), m = table.energy.size();
  if (n < 2 || m < 2)
    return wrong(fmt::format("the table has {} densities and {} energies", n, m), "Give at least two of each.");
  if (csv.rows() > n * m)
    return wrong(fmt::format("{} rows for {} densities and {} energies: a pair stands twice", csv.rows(), n, m),
                 "Give every density with every energy once.");
  // Where each row belongs; nothing of n × m is allocated before every pair is known to be there.
  std::vector<std::size_t> places(csv.rows());
  for (std::size_t r = 0; r < places.size(); ++r)
    places[r] = place_on(table.density, columns[0][r]) * m + place_on(table.energy, columns[1][r]);
  std::vector<std::size_t> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::size_t missing = 0;
  while (missing < sorted.size() && sorted[missing] == missing) ++missing;
  if (missing < n * m)
    return wrong(
        fmt::format("density {:g} with energy {:g} is missing", table.density[missing / m], table.energy[missing % m]),
        "Give every density with every energy once.");
  table.pressure.resize(n * m);
  table.sound_speed.resize(n * m);
  for (std::size_t r = 0; r < places.size(); ++r) {
    table.pressure[places[r]] = columns[2][r];
    table.sound_speed[places[r]] = columns[3][r];
  }
  return table;
}

}  // namespace conoid::hydro_fem

// SPDX-License-Identifier: BSD-3-Clause
// Frequencies, as all solvers read them.
#include "engine/solvers/frequency_setting.hpp"

#include "engine/core/units.hpp"

#include <cmath>
#include <cstddef>

#include <fmt/core.h>

namespace conoid {

std::vector<double> read_frequencies(const Case& input, const Values& v, StepRounding rounding,
                                     std::vector<Diagnostic>& out) {
  if (v.has("values")) return v["values"].numbers();
  if (!v.has("from")) return {};
  const double from = v["from"].number(), to = v.number_or("to", from);
  const Index count = v["count"].integer();
  bool by_ratio = v["scale"].text() == "log";
  if (to < from) {
    out.push_back(input.error_at(v, "the frequencies run backwards", "Give from ≤ to."));
  } else if (by_ratio && !(from > 0)) {
    out.push_back(input.error_at(v, "frequencies with equal ratios cannot begin at 0",
                                 "Give a \"from\" above 0, or \"scale\": \"linear\"."));
    by_ratio = false;
  }
  if (count > 1 && from == to)
    out.push_back(input.error_at(v, fmt::format("{} frequencies that are all {}", count, format_quantity(from, "Hz")),
                                 "Give \"to\" as another end, or leave \"count\" out."));
  if (count == 1 && to > from)
    out.push_back(input.warning_at(v,
                                   fmt::format("one frequency from {} to {}: the first alone is computed",
                                               format_quantity(from, "Hz"), format_quantity(to, "Hz")),
                                   "Give \"count\", how many there are, both ends included."));
  std::vector<double> frequencies;
  for (Index k = 0; k < count; ++k) {
    if (count == 1) {
      frequencies.push_back(from);
      continue;
    }
    const auto step = static_cast<double>(k), steps = static_cast<double>(count - 1);
    frequencies.push_back(by_ratio                                  ? from * std::pow(to / from, step / steps)
                          : rounding == StepRounding::product_first ? from + (to - from) * step / steps
                                                                    : from + (to - from) * (step / steps));
  }
  return frequencies;
}

bool equally_spaced(std::span<const double> frequencies) {
  if (frequencies.size() < 3) return true;
  const double step = (frequencies.back() - frequencies.front()) / static_cast<double>(frequencies.size() - 1);
  for (std::size_t k = 1; k < frequencies.size(); ++k)
    if (std::abs(frequencies[k] - frequencies[k - 1] - step) > 1e-6 * std::abs(step)) return false;
  return true;
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// Steps are 1, 2 or 5 × 10ⁿ; labels carry just the digits that the step needs.
#include "render/scene/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace conoid {

namespace {

const char* const minus_sign = "\u2212";

std::string superscript(int n) {
  static const std::array<const char*, 10> digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = n < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(n))) out += digits[static_cast<std::size_t>(c - '0')];
  return out;
}

std::string with_minus(std::string number) {
  if (!number.empty() && number.front() == '-') {
    number.erase(0, 1);
    if (number.find_first_not_of("0.") != std::string::npos) return minus_sign + number;
  }
  return number;
}

bool takes_prefix(std::string_view unit) {
  static const std::array<std::string_view, 18> units = {"Pa",  "Hz",   "m",     "s",   "J",     "W",
                                                         "N",   "V",    "A",     "m/s", "m/s^2", "V/m",
                                                         "A/m", "J/kg", "J/m^3", "N/m", "T",     "W/m^2"};
  return std::find(units.begin(), units.end(), unit) != units.end();
}

struct Scaled {
  double scale = 1;
  std::string unit;
};

Scaled scaled_unit(double largest, std::string_view unit) {
  if (unit == "rad" || unit == "deg" || unit.starts_with("dB") || !(largest > 0)) return {1, readable_unit(unit)};
  // Seconds above 1000 and metres above 1000 km read better as they are or in kilo; nobody writes "Ms".
  int thirds = static_cast<int>(std::floor((std::log10(largest) + 1e-9) / 3));
  if (takes_prefix(unit)) {
    if (unit == "s") thirds = std::min(thirds, 0);
    if (unit == "m") thirds = std::min(thirds, 1);
    static const std::array<const char*, 9> names = {"p", "n", "µ", "m", "", "k", "M", "G", "T"};
    if (thirds >= -4 && thirds <= 4)
      return {std::pow(10.0, 3 * thirds), names[static_cast<std::size_t>(thirds + 4)] + readable_unit(unit)};
  }
  const int tens = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  if (tens >= -2 && tens <= 4) return {1, readable_unit(unit)};
  const std::string base = readable_unit(unit);
  return {std::pow(10.0, tens), "×10" + superscript(tens) + (base.empty() ? "" : " " + base)};
}

double step_for(double span, int most) {
  const double raw = span / std::max(most - 1, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0, 10.0})
    if (m * power >= raw * (1 - 1e-9)) return m * power;
  return 10 * power;
}

}  // namespace

std::string readable_unit(std::string_view unit) {
  if (unit == "1") return {};
  std::string out;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    if (unit[i] == '^') {
      std::size_t j = i + 1;
      if (j < unit.size() && unit[j] == '-') ++j;
      while (j < unit.size() && unit[j] >= '0' && unit[j] <= '9') ++j;
      const std::string number(unit.substr(i + 1, j - i - 1));
      if (!number.empty() && number != "-" && number.size() < 4) {
        out += superscript(std::stoi(number));
        i = j - 1;
        continue;
      }
    }
    out += unit[i] == '*' ? std::string("·") : std::string(1, unit[i]);
  }
  // Greek letters are written out in files.
  for (const auto& [word, letter] : {std::pair<std::string_view, const char*>{"lambda", "λ"}, {"pi ", "π"}})
    if (const auto at = out.find(word); at != std::string::npos) out.replace(at, word.size(), letter);
  if (out == "deg") return "°";
  if (out == "ohm") return "Ω";
  return out;
}

double round_up(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double m : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0})
    if (m * power >= value * (1 - 1e-9)) return m * power;
  return 10 * power;
}

TickSet tidy_ticks(double low, double high, int most, std::string_view unit) {
  TickSet set;
  set.unit = readable_unit(unit);
  if (!std::isfinite(low) || !std::isfinite(high) || !(high > low)) return set;
  const auto scaled = scaled_unit(std::max(std::abs(low), std::abs(high)), unit);
  set.unit = scaled.unit;
  set.scale = scaled.scale;
  const double a = low / set.scale;
  const double b = high / set.scale;
  const double step = step_for(b - a, std::max(most, 2));
  if (!(step > 0) || !std::isfinite(step)) return set;
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
  const double slack = 1e-6 * (b - a);
  for (double k = std::ceil((a - slack) / step); k * step <= b + slack && set.ticks.size() < 100; k += 1)
    set.ticks.push_back({k * step * set.scale, with_minus(fmt::format("{:.{}f}", k * step, decimals))});
  return set;
}

TickSet log_ticks(double log_low, double log_high, int most, std::string_view unit) {
  TickSet set;
  set.unit = readable_unit(unit);
  if (!std::isfinite(log_low) || !std::isfinite(log_high) || !(log_high > log_low)) return set;
  const auto label_of = [](int power, int digit) {
    if (power >= -2 && power <= 3) return fmt::format("{:g}", digit * std::pow(10.0, power));
    return (digit == 1 ? std::string() : std::to_string(digit) + "·") + "10" + superscript(power);
  };
  const int first = static_cast<int>(std::ceil(log_low - 1e-9));
  const int last = static_cast<int>(std::floor(log_high + 1e-9));
  const int step =
      std::max(1, static_cast<int>(std::ceil((last - first + 1) / static_cast<double>(std::max(most, 2)))));
  for (int p = first; p <= last; p += step) set.ticks.push_back({static_cast<double>(p), label_of(p, 1)});
  if (set.ticks.size() < 3)  // under two decades the powers alone say too little
    for (int p = first - 1; p <= last; ++p)
      for (const int digit : {2, 5}) {
        const double at = p + std::log10(digit);
        if (at >= log_low && at <= log_high) set.ticks.push_back({at, label_of(p, digit)});
      }
  if (set.ticks.size() < 3)  // under half a decade
    for (int p = first - 1; p <= last; ++p)
      for (const int digit : {3, 4, 6, 7, 8, 9}) {
        const double at = p + std::log10(digit);
        if (at >= log_low && at <= log_high && static_cast<int>(set.ticks.size()) < std::max(most, 3))
          set.ticks.push_back({at, label_of(p, digit)});
      }
  std::sort(set.ticks.begin(), set.ticks.end(), [](const Tick& l, const Tick& r) { return l.value < r.value; });
  return set;
}

std::string axis_title(std::string_view label, std::string_view unit) {
  if (label.empty()) return std::string(unit);
  return unit.empty() ? std::string(label) : fmt::format("{} [{}]", label, unit);
}

std::string readable(double value, std::string_view unit, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "no value" : "infinite";
  const auto scaled = scaled_unit(std::abs(value), unit);
  const std::string number = with_minus(fmt::format("{:.{}g}", value / scaled.scale, digits));
  return scaled.unit.empty() ? number : number + (scaled.unit == "°" ? "" : " ") + scaled.unit;
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// The table of units, and the reading and writing of quantities.
#include "engine/core/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace conoid {
namespace {

// Exponents of the base units. Angle, level and byte are kept apart from plain numbers on purpose.
enum Base { metre, kilogram, second, ampere, kelvin, mole, candela, radian, decibel, byte_count, bases };
using Dimension = std::array<std::int8_t, bases>;

constexpr int max_power = 24;          // of one base unit in one expression
constexpr std::size_t max_text = 400;  // characters of a quantity

// num / den * 10^exp10, kept apart so that powers of ten can be applied to the decimal digits without
// rounding.
struct Factor {
  long double num = 1;
  long double den = 1;
  int exp10 = 0;
};

struct Unit {
  Dimension dimension{};
  Factor factor{};
};

enum Prefixes : unsigned { none = 0, down = 1, up = 2, centi = 4, binary = 8, metric = down | up };

struct Entry {
  std::string_view symbol;
  Unit unit;
  unsigned prefixes;
};

constexpr Dimension dim(int m, int kg, int s, int a = 0, int k = 0) {
  return {static_cast<std::int8_t>(m), static_cast<std::int8_t>(kg), static_cast<std::int8_t>(s),
          static_cast<std::int8_t>(a), static_cast<std::int8_t>(k)};
}
constexpr Dimension base(Base which) {
  Dimension d{};
  d[which] = 1;
  return d;
}
constexpr Dimension per_second(Dimension d) {
  --d[second];
  return d;
}
constexpr long double pi = 3.14159265358979323846264338327950288L;

// Exact by definition (SI brochure, 9th edition; international yard and pound of 1959) unless a comment says
// otherwise.
constexpr Entry table[] = {
    {"m", {dim(1, 0, 0), {}}, metric | centi},
    {"g", {dim(0, 1, 0), {1, 1, -3}}, metric},
    {"s", {dim(0, 0, 1), {}}, down},
    {"A", {dim(0, 0, 0, 1), {}}, metric},
    {"K", {dim(0, 0, 0, 0, 1), {}}, metric},
    {"mol", {base(mole), {}}, metric},
    {"cd", {base(candela), {}}, none},
    {"rad", {base(radian), {}}, down},
    {"deg", {base(radian), {pi, 180, 0}}, none},
    {"°", {base(radian), {pi, 180, 0}}, none},
    {"rev", {base(radian), {2 * pi, 1, 0}}, none},
    {"rpm", {per_second(base(radian)), {2 * pi, 6, -1}}, none},
    {"dB", {base(decibel), {}}, none},
    {"Np", {base(decibel), {8.68588963806503655302257837833210L, 1, 0}}, none},  // 20 / ln 10
    {"B", {base(byte_count), {}}, up | binary},
    {"%", {{}, {1, 1, -2}}, none},
    {"ppm", {{}, {1, 1, -6}}, none},
    {"Hz", {dim(0, 0, -1), {}}, metric},
    {"N", {dim(1, 1, -2), {}}, metric},
    {"Pa", {dim(-1, 1, -2), {}}, metric},
    {"J", {dim(2, 1, -2), {}}, metric},
    {"W", {dim(2, 1, -3), {}}, metric},
    {"C", {dim(0, 0, 1, 1), {}}, metric},
    {"V", {dim(2, 1, -3, -1), {}}, metric},
    {"F", {dim(-2, -1, 4, 2), {}}, metric},
    {"ohm", {dim(2, 1, -3, -2), {}}, metric},
    {"\u2126", {dim(2, 1, -3, -2), {}}, metric},  // the ohm sign
    {"\u03a9", {dim(2, 1, -3, -2), {}}, metric},  // the Greek letter
    {"S", {dim(-2, -1, 3, 2), {}}, metric},
    {"H", {dim(2, 1, -2, -2), {}}, metric},
    {"Wb", {dim(2, 1, -2, -1), {}}, metric},
    {"T", {dim(0, 1, -2, -1), {}}, metric},
    {"eV", {dim(2, 1, -2), {1.602176634L, 1, -19}}, metric},
    {"rayl", {dim(-2, 1, -1), {}}, metric},
    {"bar", {dim(-1, 1, -2), {1, 1, 5}}, metric},
    {"atm", {dim(-1, 1, -2), {101325, 1, 0}}, none},
    {"psi", {dim(-1, 1, -2), {4.4482216152605L, 0.00064516L, 0}}, none},  // lbf / in^2
    {"ksi", {dim(-1, 1, -2), {4.4482216152605L, 0.00064516L, 3}}, none},
    {"in", {dim(1, 0, 0), {254, 1, -4}}, none},
    {"mil", {dim(1, 0, 0), {254, 1, -7}}, none},
    {"ft", {dim(1, 0, 0), {3048, 1, -4}}, none},
    {"yd", {dim(1, 0, 0), {9144, 1, -4}}, none},
    {"mi", {dim(1, 0, 0), {1609344, 1, -3}}, none},
    {"L", {dim(3, 0, 0), {1, 1, -3}}, metric},
    {"l", {dim(3, 0, 0), {1, 1, -3}}, metric},
    {"t", {dim(0, 1, 0), {1, 1, 3}}, up},
    {"lb", {dim(0, 1, 0), {45359237, 1, -8}}, none},
    {"lbf", {dim(1, 1, -2), {44482216152605L, 1, -13}}, none},
    {"kgf", {dim(1, 1, -2), {980665, 1, -5}}, none},
    {"min", {dim(0, 0, 1), {60, 1, 0}}, none},
    {"h", {dim(0, 0, 1), {3600, 1, 0}}, none},
    {"day", {dim(0, 0, 1), {86400, 1, 0}}, none},
    {"mph", {dim(1, 0, -1), {44704, 1, -5}}, none},
    {"kn", {dim(1, 0, -1), {1852, 36, -2}}, none},
};

struct Prefix {
  std::string_view symbol;
  int exp10;
  unsigned flag;
};
constexpr Prefix prefixes[] = {
    {"f", -15, down},     {"p", -12, down}, {"n", -9, down},  {"u", -6, down},  {"\u00b5", -6, down},
    {"\u03bc", -6, down}, {"m", -3, down},  {"c", -2, centi}, {"d", -1, centi}, {"k", 3, up},
    {"M", 6, up},         {"G", 9, up},     {"T", 12, up},
};
struct BinaryPrefix {
  std::string_view symbol;
  long double factor;
};
constexpr BinaryPrefix binary_prefixes[] = {
    {"Ki", 1024.0L},          {"Mi", 1048576.0L},          {"Gi", 1073741824.0L},
    {"Ti", 1099511627776.0L}, {"Pi", 1125899906842624.0L}, {"Ei", 1152921504606846976.0L}};

std::optional<Unit> find_symbol(std::string_view symbol) {
  for (const Entry& e : table)
    if (e.symbol == symbol) return e.unit;
  for (const Entry& e : table) {
    if (e.prefixes == none || !symbol.ends_with(e.symbol)) continue;
    const std::string_view front = symbol.substr(0, symbol.size() - e.symbol.size());
    for (const Prefix& p : prefixes)
      if ((e.prefixes & p.flag) != 0 && front == p.symbol) {
        Unit u = e.unit;
        u.factor.exp10 += p.exp10;
        return u;
      }
    if ((e.prefixes & binary) != 0)
      for (const BinaryPrefix& p : binary_prefixes)
        if (front == p.symbol) {
          Unit u = e.unit;
          u.factor.num *= p.factor;
          return u;
        }
  }
  return std::nullopt;
}

// into *= (unit)^power; false if a power grows absurd.
bool multiply(Unit& into, const Unit& unit, int power) {
  for (std::size_t i = 0; i < bases; ++i) {
    const int sum = into.dimension[i] + unit.dimension[i] * power;
    if (std::abs(sum) > max_power) return false;
    into.dimension[i] = static_cast<std::int8_t>(sum);
  }
  for (int k = 0; k < std::abs(power); ++k) {
    into.factor.num *= power > 0 ? unit.factor.num : unit.factor.den;
    into.factor.den *= power > 0 ? unit.factor.den : unit.factor.num;
  }
  into.factor.exp10 += unit.factor.exp10 * power;
  return std::abs(into.factor.exp10) <= 300 && std::isfinite(into.factor.num) && std::isfinite(into.factor.den) &&
         into.factor.num > 0 && into.factor.den > 0;
}

// unit  = group { ('*' | '·' | ' ' | '/') group }
// group = ( symbol | '1' | '(' unit ')' ) [ power ]
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  std::optional<Unit> parse() {
    auto unit = product(0);
    if (unit && position_ != text_.size()) return fail(text_.substr(position_));
    return unit;
  }
  /// The symbol that is not known, or the piece that is no unit at all.
  [[nodiscard]] std::string_view culprit() const { return culprit_; }

 private:
  std::nullopt_t fail(std::string_view culprit) {
    if (culprit_.empty()) culprit_ = culprit;
    return std::nullopt;
  }
  [[nodiscard]] bool at(std::string_view what) const { return text_.substr(position_).starts_with(what); }
  bool take(std::string_view what) {
    if (!at(what)) return false;
    position_ += what.size();
    return true;
  }
  void blanks() {
    while (take(" ")) {
    }
  }

  std::optional<Unit> product(int depth) {
    Unit result;
    bool divide = false;
    bool divided = false;
    for (;;) {
      blanks();
      const std::size_t start = position_;
      const auto unit = group(depth);
      if (!unit) return std::nullopt;
      if (!multiply(result, *unit, divide ? -1 : 1)) return fail(text_.substr(start, position_ - start));
      const std::size_t after = position_;
      blanks();
      if (position_ == text_.size() || at(")")) return result;
      if (take("/")) {
        divide = divided = true;
      } else if (take("*") || take("·") || take("×")) {
        divide = false;
      } else if (position_ > after && !divided) {
        divide = false;  // "N s"; but "J/kg K" could be read in two ways and is refused
      } else {
        return fail(text_.substr(position_));
      }
    }
  }

  std::optional<Unit> group(int depth) {
    Unit inner;
    const std::size_t start = position_;
    if (take("(")) {
      if (depth >= 8) return fail(text_);
      const auto unit = product(depth + 1);
      if (!unit) return std::nullopt;
      if (!take(")")) return fail(text_.substr(start));
      inner = *unit;
    } else if (take("1")) {
      // the unit of a plain number, as in "1/s"
    } else {
      std::size_t end = position_;
      while (end < text_.size() && is_symbol(end)) ++end;
      const std::string_view symbol = text_.substr(position_, end - position_);
      if (symbol.empty()) return fail(text_.substr(position_).empty() ? text_ : text_.substr(position_));
      const auto unit = find_symbol(symbol);
      if (!unit) return fail(symbol);
      inner = *unit;
      position_ = end;
    }
    const auto exponent = power();
    if (!exponent) return fail(text_.substr(start));
    Unit result;
    if (!multiply(result, inner, *exponent)) return fail(text_.substr(start, position_ - start));
    return result;
  }

  [[nodiscard]] bool is_symbol(std::size_t i) const {
    const char c = text_[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%') return true;
    if (static_cast<unsigned char>(c) < 0x80) return false;
    for (const std::string_view mark : {"²", "³", "⁻", "¹", "·", "×"})
      if (text_.substr(i).starts_with(mark)) return false;
    return true;
  }

  // "^2", "^-1", "^(-1)", "²", "⁻¹", "2" as in "m2"; 1 if there is none; nothing if it is damaged.
  std::optional<int> power() {
    if (take("⁻")) {
      if (take("¹")) return -1;
      if (take("²")) return -2;
      if (take("³")) return -3;
      return std::nullopt;
    }
    if (take("¹")) return 1;
    if (take("²")) return 2;
    if (take("³")) return 3;
    const bool caret = take("^");
    const bool bracket = caret && take("(");
    const bool minus = caret && take("-");
    int value = 0;
    std::size_t digits = 0;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9' && digits < 3) {
      value = 10 * value + (text_[position_++] - '0');
      ++digits;
    }
    if (digits == 0) return caret ? std::nullopt : std::optional<int>(1);
    if (value > max_power || (bracket && !take(")"))) return std::nullopt;
    return minus ? -value : value;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::string_view culprit_;
};

std::optional<Unit> parse_unit(std::string_view text, std::string_view* culprit = nullptr) {
  if (text.size() > max_text) return std::nullopt;
  if (text.empty()) return Unit{};
  UnitParser parser(text);
  auto unit = parser.parse();
  if (culprit != nullptr) *culprit = parser.culprit();
  return unit;
}

// Offered units per dimension; the first names the dimension.
struct Offer {
  std::string_view kind;
  std::vector<std::string_view> units;
};
const std::vector<Offer>& offers() {
  static const std::vector<Offer> list = {
      {"length", {"m", "cm", "mm", "µm", "km", "in", "ft"}},
      {"area", {"m^2", "cm^2", "mm^2"}},
      {"volume", {"m^3", "cm^3", "mm^3", "L"}},
      {"time", {"s", "ms", "µs", "ns", "min", "h"}},
      {"frequency", {"Hz", "kHz", "MHz", "GHz"}},
      {"angle", {"rad", "deg"}},
      {"angular velocity", {"rad/s", "deg/s", "rpm"}},
      {"wave number", {"1/m", "1/cm", "1/mm"}},
      {"velocity", {"m/s", "km/s", "mm/s", "km/h", "ft/s"}},
      {"acceleration", {"m/s^2", "mm/s^2"}},
      {"mass", {"kg", "g", "t", "lb"}},
      {"density", {"kg/m^3", "g/cm^3"}},
      {"mass per area", {"kg/m^2", "g/cm^2"}},
      {"force", {"N", "kN", "MN", "lbf"}},
      {"force per length", {"N/m", "kN/m", "N/mm"}},
      {"moment or energy", {"J", "kJ", "MJ", "N*m"}},
      {"specific energy", {"J/kg", "kJ/kg", "MJ/kg"}},
      {"specific heat", {"J/(kg*K)", "kJ/(kg*K)"}},
      {"power", {"W", "mW", "kW", "MW"}},
      {"power per area", {"W/m^2", "mW/cm^2"}},
      {"pressure or stress", {"Pa", "kPa", "MPa", "GPa", "bar", "psi"}},
      {"acoustic impedance", {"Pa*s/m", "Mrayl"}},
      {"viscosity", {"Pa*s", "mPa*s"}},
      {"temperature", {"K", "degC", "degF"}},
      {"current", {"A", "mA", "kA"}},
      {"voltage", {"V", "mV", "kV"}},
      {"electric field", {"V/m", "kV/m", "MV/m"}},
      {"magnetic field", {"A/m", "kA/m"}},
      {"magnetic flux density", {"T", "mT"}},
      {"conductivity", {"S/m", "S/cm"}},
      {"resistance", {"ohm", "kohm", "Mohm"}},
      {"permittivity", {"F/m", "pF/m"}},
      {"permeability", {"H/m", "µH/m"}},
      {"capacitance", {"F", "µF", "nF", "pF"}},
      {"inductance", {"H", "mH", "µH", "nH"}},
      {"level", {"dB", "Np"}},
      {"attenuation", {"dB/m", "dB/km", "dB/cm", "Np/m"}},
      {"memory", {"B", "KiB", "MiB", "GiB", "TiB", "MB", "GB"}},
      {"ratio", {"1", "%"}},
  };
  return list;
}

const Offer* offer_for(const Dimension& dimension) {
  for (const Offer& o : offers())
    if (const auto unit = parse_unit(o.units.front()); unit && unit->dimension == dimension) return &o;
  return nullptr;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

std::string shown(std::string_view text) {
  if (text.size() <= 40) return "'" + std::string(text) + "'";
  std::size_t cut = 37;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0u) == 0x80u) --cut;
  return "'" + std::string(text.substr(0, cut)) + "...'";
}

bool is_plain(std::string_view unit) {
  return unit.empty() || unit == "1";
}

std::string fitting(std::string_view expected) {
  if (is_plain(expected)) return "A plain number is meant; '%' may follow it.";
  return "Units that fit: " + joined(units_for(expected)) + ".";
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

// The unit meant by one that differs only in upper and lower case: first among those that fit, then among
// all.
std::string likely_unit(std::string_view typed, std::string_view expected) {
  for (const auto& u : units_for(expected))
    if (same_but_for_case(u, typed)) return u;
  for (const Entry& e : table)
    if (same_but_for_case(e.symbol, typed)) return std::string(e.symbol);
  return {};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// A decimal number cut into digits and exponent, so that a power of ten can be added before rounding.
struct Decimal {
  std::string digits;  // sign, digits, at most one point
  long exponent = 0;
  std::size_t length = 0;  // characters read; 0 = no number here
};

Decimal read_decimal(std::string_view text) {
  Decimal d;
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) {
    if (text[i] == '-') d.digits += '-';
    ++i;
  }
  std::size_t count = 0;
  bool point = false;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.')
      point = true;
    else
      ++count;
    d.digits += text[i];
  }
  if (count == 0) return {};
  // "2e3" has an exponent, "2 eV" and "2eV" have not.
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    bool minus = false;
    if (j < text.size() && (text[j] == '+' || text[j] == '-')) minus = text[j++] == '-';
    if (j < text.size() && is_digit(text[j])) {
      long e = 0;
      for (; j < text.size() && is_digit(text[j]); ++j) e = std::min(10 * e + (text[j] - '0'), 100000L);
      d.exponent = minus ? -e : e;
      i = j;
    }
  }
  d.length = i;
  return d;
}

// digits * 10^exponent * num / den, rounded once where num and den are 1. Nothing if outside the range of a
// double.
std::optional<double> evaluate(const Decimal& d, const Factor& factor) {
  const std::string text = d.digits + "e" + std::to_string(d.exponent + factor.exp10);
  const char* end = text.data() + text.size();
  if (factor.num == factor.den) {
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
  }
  long double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  const auto result = static_cast<double>(value * factor.num / factor.den);
  if (!std::isfinite(result) || (result == 0 && value != 0)) return std::nullopt;
  return result;
}

std::string significant(double value, int digits) {
  return fmt::format("{:.{}g}", value, std::clamp(digits, 1, 17));
}

}  // namespace

bool known_unit(std::string_view unit) {
  return parse_unit(unit).has_value();
}

Result<Quantity> parse_quantity(std::string_view text, std::string_view expected) {
  const auto wanted = parse_unit(expected);
  if (!wanted)
    return make_error(ErrorCode::internal, "the schema names a unit that is not known: " + shown(expected),
                      "This is a bug in the solver's parameters.json.");
  const std::string kind = quantity_kind(expected);
  const std::string unit_name = is_plain(expected) ? "a number" : "a number in " + std::string(expected);
  const auto fail = [&](std::string message) {
    return make_error(ErrorCode::invalid_input, std::move(message), fitting(expected));
  };

  const std::string_view whole = trimmed(text);
  if (whole.size() > max_text)
    return fail("expected " + unit_name + ", found a text of " + std::to_string(whole.size()) + " characters");
  const Decimal number = read_decimal(whole);
  if (number.length == 0)
    return fail("expected " + unit_name + ", found " + (whole.empty() ? "nothing" : shown(whole)));
  std::string_view unit_text = whole.substr(number.length);
  if (!unit_text.empty() && (unit_text.front() == ',' || unit_text.front() == '.' || unit_text.front() == '_'))
    return fail("expected " + unit_name + ", found " + shown(whole) +
                "; the decimal mark is a point and digits are not grouped");
  unit_text = trimmed(unit_text);

  Quantity result;
  result.typed = std::string(unit_text);
  const auto out_of_range = [&] {
    return fail("found " + shown(whole) + ", which is outside the range of double precision (about 1e-308 to 1e308)");
  };

  Unit typed = *wanted;
  if (!unit_text.empty()) {
    // Scales with an offset exist only for a temperature by itself.
    const bool celsius = unit_text == "degC" || unit_text == "°C";
    const bool fahrenheit = unit_text == "degF" || unit_text == "°F";
    if (celsius || fahrenheit) {
      if (wanted->dimension != dim(0, 0, 0, 0, 1))
        return fail("found " + shown(whole) + ", a temperature; expected " + (kind.empty() ? unit_name : "a " + kind));
      const auto degrees = evaluate(number, celsius ? Factor{} : Factor{5, 9, 0});
      if (!degrees) return out_of_range();
      const long double zero = celsius ? 273.15L : 459.67L * 5 / 9;
      const Factor& f = wanted->factor;
      result.value = static_cast<double>((*degrees + zero) * f.den / f.num / std::pow(10.0L, f.exp10));
      return result;
    }
    std::string_view culprit;
    const auto parsed = parse_unit(unit_text, &culprit);
    if (!parsed) {
      const std::string meant = likely_unit(culprit, expected);
      return fail("unknown unit " + shown(culprit.empty() ? unit_text : culprit) + " in " + shown(whole) +
                  (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
    }
    typed = *parsed;
  }
  if (typed.dimension != wanted->dimension) {
    const std::string found = quantity_kind(unit_text);
    std::string message = "found " + shown(whole);
    if (!found.empty() && found != kind) message += " (" + found + ")";
    message += ", expected " + unit_name;
    if (!kind.empty() && !is_plain(expected)) message += " (" + kind + ")";
    return fail(std::move(message));
  }

  Factor ratio = typed.factor;
  ratio.num *= wanted->factor.den;
  ratio.den *= wanted->factor.num;
  ratio.exp10 -= wanted->factor.exp10;
  const auto value = evaluate(number, ratio);
  if (!value) return out_of_range();
  result.value = *value;
  return result;
}

std::string quantity_kind(std::string_view unit) {
  const auto parsed = parse_unit(unit);
  if (!parsed) return unit == "degC" || unit == "degF" ? "temperature" : "";
  const Offer* offer = offer_for(parsed->dimension);
  return offer != nullptr ? std::string(offer->kind) : std::string();
}

std::vector<std::string> units_for(std::string_view expected) {
  std::vector<std::string> out{expected.empty() ? "1" : std::string(expected)};
  const auto unit = parse_unit(expected);
  if (!unit) return out;
  if (const Offer* offer = offer_for(unit->dimension))
    for (const std::string_view u : offer->units)
      if (u != out.front()) out.emplace_back(u);
  return out;
}

std::string format_quantity(double si, std::string_view unit, int digits) {
  if (is_plain(unit)) return significant(si, digits);
  if (unit == "B" && si >= 0 && si < 9e18) return format_bytes(static_cast<std::uint64_t>(std::llround(si)));
  const std::string plain = significant(si, digits) + " " + std::string(unit);
  if (!std::isfinite(si) || si == 0) return plain;
  const Entry* entry = nullptr;
  for (const Entry& e : table)
    if (e.symbol == unit) entry = &e;
  if (entry == nullptr) return plain;
  struct Step {
    std::string_view symbol;
    int exp10;
  };
  static constexpr Step steps[] = {{"f", -15}, {"p", -12}, {"n", -9}, {"µ", -6}, {"m", -3},
                                   {"", 0},    {"k", 3},   {"M", 6},  {"G", 9},  {"T", 12}};
  for (const Step& step : steps) {
    if (step.exp10 < 0 && (entry->prefixes & down) == 0) continue;
    if (step.exp10 > 0 && (entry->prefixes & up) == 0) continue;
    const double scaled = step.exp10 < 0 ? si * std::pow(10.0, -step.exp10) : si / std::pow(10.0, step.exp10);
    const std::string number = significant(scaled, digits);
    // Rounding may carry 999.96 to 1000; the next prefix is then the readable one.
    double rounded = 0;
    std::from_chars(number.data(), number.data() + number.size(), rounded);
    if (std::abs(rounded) >= 1000) continue;
    if (std::abs(rounded) < 1) break;
    return number + " " + std::string(step.symbol) + std::string(unit);
  }
  return plain;
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  static constexpr const char* names[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t i = 0;
  value /= 1024;
  while (i + 1 < std::size(names) && value >= 1023.5) {
    value /= 1024;
    ++i;
  }
  std::string number = fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : 1);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return number + " " + names[i];
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const auto quantity = parse_quantity(text, "B");
  if (!quantity) return quantity.error();
  const double value = std::round(quantity->value);
  if (value < 0 || value >= 9.2e18)
    return make_error(ErrorCode::invalid_input, "expected a number of bytes from 0 to 9.2e18, found " + shown(text),
                      fitting("B"));
  return static_cast<std::uint64_t>(value);
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 0) return "-" + format_duration(-seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 0.9995) return format_quantity(seconds, "s", 3);
  if (seconds < 59.95) return significant(seconds, 3) + " s";
  if (seconds >= 1e15) return significant(seconds / 86400, 3) + " d";
  auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  whole = (whole + 30) / 60;  // minutes
  if (whole < 48 * 60) return fmt::format("{} h {:02} min", whole / 60, whole % 60);
  whole = (whole + 30) / 60;  // hours
  return fmt::format("{} d {:02} h", whole / 24, whole % 24);
}

}  // namespace conoid

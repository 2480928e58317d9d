// SPDX-License-Identifier: BSD-3-Clause
// The unit of length that a STEP or IGES file states, and how large what it holds is. Whatever it is, gmsh's kernel (Open CASCADE) hands over millimetres.
#include "engine/mesh/geometry_extent.hpp"
#include "engine/mesh/prepare.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_set>

namespace conoid {
namespace {

struct NamedLength {
  std::string_view name;
  double metres;
};

/// What stands in the parentheses of instance #number, up to its ';'; empty where there is none.
std::string_view step_instance(std::string_view bytes, std::string_view number) {
  const std::string wanted = "#" + std::string(number);
  for (std::size_t at = 0; (at = bytes.find(wanted, at)) != std::string_view::npos; at += wanted.size()) {
    std::size_t k = at + wanted.size();
    while (k < bytes.size() && (bytes[k] == ' ' || bytes[k] == '\t')) ++k;
    if (k >= bytes.size() || bytes[k] != '=') continue;
    return bytes.substr(k + 1, std::min(bytes.find(';', k), bytes.size()) - k - 1);
  }
  return {};
}

/// The digits behind the next '#' at or after `at`, which is moved behind them.
std::string_view step_reference(std::string_view text, std::size_t& at) {
  at = text.find('#', at);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = ++at;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return text.substr(begin, at - begin);
}

/// Metres of one instance that is a LENGTH_UNIT; 0 where it is none.
double step_length(std::string_view bytes, std::string_view instance, std::string& name, int depth = 0) {
  constexpr std::array<NamedLength, 16> prefixes{{{"EXA", 1e18},
                                                  {"PETA", 1e15},
                                                  {"TERA", 1e12},
                                                  {"GIGA", 1e9},
                                                  {"MEGA", 1e6},
                                                  {"KILO", 1e3},
                                                  {"HECTO", 1e2},
                                                  {"DECA", 1e1},
                                                  {"DECI", 1e-1},
                                                  {"CENTI", 1e-2},
                                                  {"MILLI", 1e-3},
                                                  {"MICRO", 1e-6},
                                                  {"NANO", 1e-9},
                                                  {"PICO", 1e-12},
                                                  {"FEMTO", 1e-15},
                                                  {"ATTO", 1e-18}}};
  if (depth > 4 || instance.find("LENGTH_UNIT") == std::string_view::npos) return 0;
  if (const auto based = instance.find("CONVERSION_BASED_UNIT"); based != std::string_view::npos) {
    const auto open = instance.find('\'', based);
    const auto close = open == std::string_view::npos ? open : instance.find('\'', open + 1);
    if (close == std::string_view::npos) return 0;
    std::size_t at = close;
    const std::string_view measure = step_instance(bytes, step_reference(instance, at));
    const auto value = measure.find("LENGTH_MEASURE(");
    if (value == std::string_view::npos) return 0;
    const double factor = std::strtod(std::string(measure.substr(value + 15, 40)).c_str(), nullptr);
    std::size_t unit_at = value;
    std::string base;
    const double unit = step_length(bytes, step_instance(bytes, step_reference(measure, unit_at)), base, depth + 1);
    const double metres = factor * unit;
    if (!(metres > 0) || !std::isfinite(metres)) return 0;
    name = instance.substr(open + 1, std::min<std::size_t>(close - open - 1, 40));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return metres;
  }
  const auto si = instance.find("SI_UNIT");
  if (si == std::string_view::npos || instance.find(".METRE.", si) == std::string_view::npos) return 0;
  for (const NamedLength& p : prefixes)
    if (instance.find("." + std::string(p.name) + ".", si) != std::string_view::npos) {
      name = std::string(p.name) + "metre";
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      return p.metres;
    }
  name = "metre";
  return 1;
}

/// The number of the instance whose right-hand side begins at `at`: "#21 = CARTESIAN_POINT(…". Empty where there is none.
std::string_view step_number_before(std::string_view bytes, std::size_t at) {
  const auto skip = [&](auto wanted) {
    while (at > 0 && wanted(bytes[at - 1])) --at;
  };
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  skip(blank);
  if (at == 0 || bytes[at - 1] != '=') return {};
  --at;
  skip(blank);
  const std::size_t end = at;
  skip([](char c) { return c >= '0' && c <= '9'; });
  return at > 0 && bytes[at - 1] == '#' ? bytes.substr(at, end - at) : std::string_view();
}

double step_unit(std::string_view bytes, std::string& name) {
  // The units that are in force are those of the representation's context.
  constexpr std::string_view context = "GLOBAL_UNIT_ASSIGNED_CONTEXT";
  int looked_at = 0;
  for (std::size_t at = 0; (at = bytes.find(context, at)) != std::string_view::npos && looked_at < 100; ++looked_at) {
    at += context.size();
    const std::string_view list = bytes.substr(at, std::min(bytes.find("))", at), bytes.size()) - at).substr(0, 1000);
    for (std::size_t k = 0; k < list.size();) {
      const std::string_view number = step_reference(list, k);
      if (number.empty()) break;
      if (const double metres = step_length(bytes, step_instance(bytes, number), name); metres > 0) return metres;
    }
  }
  return 0;
}

/// The fields of IGES's global section, strings ("4HINCH") without their count.
std::vector<std::string> iges_global(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size() && text.size() < 10000;) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view line = bytes.substr(at, end - at);
    at = end + 1;
    if (line.size() < 73) continue;
    if (line[72] == 'G') text += line.substr(0, 72);
    if (line[72] == 'D' || line[72] == 'P') break;
  }
  std::vector<std::string> out;
  char separator = ',', last = ';';
  for (std::size_t k = 0; k < text.size();) {
    std::string field;
    while (k < text.size() && text[k] == ' ') ++k;
    std::size_t digits = k;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
    if (digits > k && digits < text.size() && text[digits] == 'H') {
      std::size_t count = 0;
      std::from_chars(text.data() + k, text.data() + digits, count);
      count = std::min(count, text.size() - digits - 1);
      field = text.substr(digits + 1, count);
      k = digits + 1 + count;
    }
    while (k < text.size() && text[k] != separator && text[k] != last) field += text[k++];
    const bool ended = k < text.size() && text[k] == last;
    ++k;
    out.push_back(field);
    if (out.size() == 1 && field.size() == 1) separator = field[0];
    if (out.size() == 2 && field.size() == 1) last = field[0];
    if (ended) break;
  }
  return out;
}

double iges_unit(std::string_view bytes, std::string& name) {
  constexpr std::array<NamedLength, 12> flags{{{"", 0},
                                               {"in", 0.0254},
                                               {"mm", 1e-3},
                                               {"", 0},
                                               {"ft", 0.3048},
                                               {"mi", 1609.344},
                                               {"m", 1},
                                               {"km", 1e3},
                                               {"mil", 2.54e-5},
                                               {"um", 1e-6},
                                               {"cm", 1e-2},
                                               {"uin", 2.54e-8}}};
  const auto fields = iges_global(bytes);
  if (fields.size() < 14) return 0;
  const int flag = std::atoi(fields[13].c_str());
  if (flag == 3 && fields.size() > 14) {
    std::string named = fields[14];
    std::transform(named.begin(), named.end(), named.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (named == "inch") named = "in";
    for (const NamedLength& f : flags)
      if (!f.name.empty() && f.name == named) {
        name = named;
        return f.metres;
      }
    return 0;
  }
  if (flag < 1 || flag >= static_cast<int>(flags.size())) return 0;
  name = flags[static_cast<std::size_t>(flag)].name;
  return flags[static_cast<std::size_t>(flag)].metres;
}

}  // namespace

double geometry_unit(std::string_view bytes, std::string& name) {
  if (bytes.substr(0, 1000).find("ISO-10303-21") != std::string_view::npos) return step_unit(bytes, name);
  const std::size_t end = bytes.find('\n');
  if (end != std::string_view::npos && end >= 73 && bytes[72] == 'S') return iges_unit(bytes, name);
  return 0;
}

double geometry_extent(std::string_view bytes) {
  if (bytes.substr(0, 1000).find("ISO-10303-21") == std::string_view::npos) return 0;
  std::unordered_set<std::string_view> corners;
  constexpr std::string_view corner = "VERTEX_POINT", point = "CARTESIAN_POINT";
  for (std::size_t at = 0; (at = bytes.find(corner, at)) != std::string_view::npos;) {
    const std::string_view number = step_reference(bytes, at);
    if (number.empty()) break;
    corners.insert(number);
  }
  constexpr double far = std::numeric_limits<double>::infinity();
  std::array<double, 3> low{far, far, far}, high{-far, -far, -far};
  for (std::size_t at = 0; (at = bytes.find(point, at)) != std::string_view::npos; at += point.size()) {
    if (!corners.contains(step_number_before(bytes, at))) continue;
    const std::size_t end = bytes.find(';', at);
    const std::size_t open = bytes.substr(0, end).rfind('(');  // behind the name, which may hold brackets too
    if (end == std::string_view::npos || open < at) continue;
    const std::string numbers(bytes.substr(open + 1, std::min<std::size_t>(end - open - 1, 200)));
    const char* from = numbers.c_str();
    for (std::size_t k = 0; k < 3; ++k) {
      char* behind = nullptr;
      const double x = std::strtod(from, &behind);
      if (behind == from || !std::isfinite(x)) break;
      low[k] = std::min(low[k], x);
      high[k] = std::max(high[k], x);
      from = behind;
      while (*from == ',' || *from == ' ' || *from == '\n' || *from == '\r') ++from;
    }
  }
  double longest = 0;
  for (std::size_t k = 0; k < 3; ++k) longest = std::max(longest, high[k] - low[k]);
  return longest;
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// Templates with formulas → cases.
#include "engine/session/case_start.hpp"

#include "engine/case/expression.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/registry.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid {
namespace {

/// Digits that a person would write.
double rounded(double value, int digits) {
  if (!(value > 0)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - (digits - 1));
  // Divided where the unit is below 1, so that 0.3 stays 0.3.
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value / unit) * unit;
}

std::string text_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The names that formulas know, and what they are for one body.
class Formulas {
 public:
  Formulas(const CaseStart& start, const MeshFacts& mesh, double frequency)
      : values_{frequency,      start.speed,       frequency > 0 ? start.speed / frequency : 0,
                mesh.size(),    mesh.longest_edge, mesh.box[0][0],
                mesh.box[1][0], mesh.box[0][1],    mesh.box[1][1],
                mesh.box[0][2], mesh.box[1][2]} {}

  [[nodiscard]] Result<double> value(const std::string& formula) const {
    const auto read =
        Expression::parse(formula, {"f", "c", "wave", "size", "edge", "x0", "x1", "y0", "y1", "z0", "z1"});
    if (!read) return read.error();
    const double out = (*read)(values_);
    if (!std::isfinite(out))
      return make_error(ErrorCode::internal, fmt::format("the formula {} of a start has no value", formula), {});
    return out;
  }

  /// A copy in which every formula has become its value.
  [[nodiscard]] Result<Json> filled(const Json& node) const {
    if (node.is_structured()) {
      Json out = node;
      for (Json& member : out) {
        auto value = filled(member);
        if (!value) return value.error();
        member = std::move(*value);
      }
      return out;
    }
    const std::string text = node.is_string() ? node.get<std::string>() : std::string();
    if (text.empty() || text.front() != '=') return node;
    const std::size_t unit = text.find(" [");
    const auto found = value(text.substr(1, unit == std::string::npos ? unit : unit - 1));
    if (!found) return found.error();
    constexpr int digits = 3;
    if (unit == std::string::npos) {
      const double size = rounded(std::abs(*found), digits);
      return Json(*found < 0 ? -size : size);
    }
    return Json(format_quantity(*found, text.substr(unit + 2, text.size() - unit - 3), digits));
  }

 private:
  std::array<double, 11> values_;
};

std::vector<CaseStart> read_starts() {
  std::vector<CaseStart> out;
  for (const SolverInfo* info : registered_solvers()) {
    const Json schema = read_json(info->schema);
    const auto starts = schema.find("starts");
    if (starts == schema.end()) continue;
    for (const Json& entry : *starts) {
      CaseStart start;
      start.solver = info->id;
      start.id = text_of(entry, "id");
      start.title = text_of(entry, "title");
      start.description = text_of(entry, "description");
      start.sheet = text_of(entry, "takes") == "sheet";
      start.speed = entry.value("speed", 0.0);
      start.frequency = text_of(entry, "frequency");
      start.edge = text_of(entry, "edge");
      for (const Json& pointer : entry["asks"]) start.asks.push_back(pointer.get<std::string>());
      start.body = entry["case"];
      out.push_back(std::move(start));
    }
  }
  return out;
}

}  // namespace

const std::vector<CaseStart>& case_starts() {
  static const std::vector<CaseStart> all = read_starts();
  return all;
}

double MeshFacts::size() const {
  double longest = 0;
  for (std::size_t a = 0; a < 3; ++a) longest = std::max(longest, box[1][a] - box[0][a]);
  return longest;
}

MeshFacts facts_of(const MeshPreview& mesh) {
  MeshFacts out;
  out.box = {mesh.summary.low, mesh.summary.high};
  out.longest_edge = mesh.longest_edges.empty() ? 0 : mesh.longest_edges.back();
  out.usual_edge = mesh.longest_edges.empty() ? 0 : mesh.longest_edges[mesh.longest_edges.size() / 2];
  out.elements = mesh.longest_edges.size();
  out.closed = !mesh.summary.has_surface || mesh.summary.surface.is_body();
  out.geometry = can_be_meshed(mesh.file);
  out.flexible = mesh.fixed.empty();
  return out;
}

Result<double> suggested_frequency(const CaseStart& start, const MeshFacts& mesh) {
  if (!(mesh.size() > 0))
    return make_error(ErrorCode::invalid_input, "the mesh has no extent", "Give a mesh of a body.");
  const auto value = Formulas(start, mesh, 0).value(start.frequency);
  if (!value) return value.error();
  return rounded(*value, 2);
}

Result<Json> started_case(const CaseStart& start, Json mesh, const MeshFacts& facts, double frequency,
                          const std::string& title) {
  if (!(frequency > 0)) {
    const auto suggested = suggested_frequency(start, facts);
    if (!suggested) return suggested.error();
    frequency = *suggested;
  }
  const Formulas formulas(start, facts, frequency);
  if (!start.edge.empty() && facts.flexible && !mesh.contains("size")) {
    const auto edge = formulas.value(start.edge);
    if (!edge) return edge.error();
    // What is a little longer still serves; what is not is meshed anew.
    constexpr double bearable = 1.2;
    // Sixteen times as many as needed, and enough of them to be waited for.
    constexpr double wasteful = 4;
    constexpr std::size_t many = 5000;
    const bool too_fine = facts.elements > many && wasteful * facts.usual_edge < *edge;
    if (facts.geometry || facts.longest_edge > bearable * *edge || too_fine)
      mesh["size"] = format_quantity(rounded(*edge, 2), "m");
  }
  auto body = formulas.filled(start.body);
  if (!body) return body.error();
  Json out = {{"conoid", 1}, {"title", title}, {"solver", start.solver}, {"mesh", std::move(mesh)}};
  for (auto& [key, value] : body->items()) out[key] = std::move(value);
  return out;
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// Formulas, planes, limits.
#include "engine/run/derived_frame.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "engine/case/expression.hpp"
#include "engine/core/units.hpp"
#include "engine/run/frame_places.hpp"
#include "engine/run/frame_probe.hpp"

namespace conoid {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::size_t width_of(const Field& field) {
  return static_cast<std::size_t>(field.info.components) * (field.info.is_complex ? 2 : 1);
}

/// The value of a scalar, the length of what has several numbers.
double length_of(const Field& field, std::size_t entry) {
  const std::size_t width = width_of(field);
  const float* at = field.values->data() + entry * width;
  if (width == 1) return static_cast<double>(at[0]);
  double square = 0;
  for (std::size_t k = 0; k < width; ++k) square += static_cast<double>(at[k]) * static_cast<double>(at[k]);
  return std::sqrt(square);
}

/// A variable: one number of a field, or its length.
struct Variable {
  const Field* field;
  int offset;  ///< −1: the length
};

void name_variables(const Field& field, std::vector<std::string>& names, std::vector<Variable>& variables) {
  const auto add = [&](std::string name, int offset) {
    const bool word = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                      std::all_of(name.begin(), name.end(),
                                  [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
    if (!word || std::find(names.begin(), names.end(), name) != names.end()) return;
    names.push_back(std::move(name));
    variables.push_back({&field, offset});
  };
  const std::string& name = field.info.name;
  add(name, width_of(field) == 1 ? 0 : -1);
  const int parts = field.info.is_complex ? 2 : 1;
  for (int c = 0; c < field.info.components; ++c) {
    const std::string axis = field.info.components > 1 ? std::string("_") + "xyz"[c] : std::string();
    if (!field.info.is_complex && field.info.components > 1) add(name + axis, c);
    if (!field.info.is_complex) continue;
    add(name + axis + "_re", parts * c);
    add(name + axis + "_im", parts * c + 1);
  }
}

Result<Field> evaluate(const FormulaField& formula, const FramePart& part, Association association, double moment) {
  std::vector<std::string> names = {"x", "y", "z", "t"};
  std::vector<Variable> variables(4, {nullptr, 0});
  for (const Field& field : part.fields)
    if (field.info.association == association && check_field(part, field)) name_variables(field, names, variables);
  const auto expression = Expression::parse(formula.formula, names);
  if (!expression) return expression.error();
  const std::vector<Vec3> places = places_of(part, association);
  std::vector<double> values(names.size());
  std::vector<float> out(places.size());
  bool positive = true;
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::copy(places[i].begin(), places[i].end(), values.begin());
    values[3] = moment;
    for (std::size_t v = 4; v < values.size(); ++v) {
      const Variable& one = variables[v];
      values[v] = one.offset < 0
                      ? length_of(*one.field, i)
                      : static_cast<double>(
                            (*one.field->values)[i * width_of(*one.field) + static_cast<std::size_t>(one.offset)]);
    }
    out[i] = static_cast<float>((*expression)(values));
    positive = positive && !(out[i] < 0);
  }
  FieldInfo info;
  info.name = info.label = formula.name;
  info.unit = formula.unit;
  info.association = association;
  info.kind = positive ? FieldKind::magnitude : FieldKind::signed_value;
  return make_field(info, std::move(out));
}

Status add_formula(Frame& frame, const FormulaField& formula) {
  std::optional<Error> why;
  bool any = false;
  for (FramePart& part : frame.parts) {
    for (const Association association : {Association::point, Association::cell}) {
      const bool has = std::any_of(part.fields.begin(), part.fields.end(),
                                   [&](const Field& f) { return f.info.association == association; });
      if (!has) continue;
      auto field = evaluate(formula, part, association, frame.value);
      if (!field) {
        // The fields of points are those that people mean; of the first part the error is told.
        if (!why) why = field.error();
        continue;
      }
      std::erase_if(part.fields, [&](const Field& f) { return f.info.name == formula.name; });
      part.fields.push_back(std::move(field).value());
      any = true;
      break;
    }
  }
  if (any) return {};
  return why ? *why : make_error(ErrorCode::command_line, "there is no field of which a formula could be made");
}

const Field* taken_field(const FramePart& part, const FrameRecipe& recipe) {
  if (!recipe.part.empty() && part.name != recipe.part) return nullptr;
  for (const Field& field : part.fields)
    if ((recipe.field.empty() || field.info.name == recipe.field) && check_field(part, field)) return &field;
  return nullptr;
}

struct Axes {
  Vec3 u{}, v{};
};

Axes across(const Vec3& n) {
  const std::size_t least = std::abs(n[0]) <= std::abs(n[1]) && std::abs(n[0]) <= std::abs(n[2]) ? 0
                            : std::abs(n[1]) <= std::abs(n[2])                                   ? 1
                                                                                                 : 2;
  Vec3 e{};
  e[least] = 1;
  Axes out;
  out.u = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]};
  const double length = std::hypot(out.u[0], out.u[1], out.u[2]);
  for (double& x : out.u) x /= length;
  out.v = {n[1] * out.u[2] - n[2] * out.u[1], n[2] * out.u[0] - n[0] * out.u[2], n[0] * out.u[1] - n[1] * out.u[0]};
  return out;
}

/// Squares of the plane whose four corners the field reaches.
std::optional<FramePart> plane_part(const Field& field, const PartProbe& probe, const ObliquePlane& plane,
                                    const std::string& name) {
  constexpr Index most_steps = 320;
  const double length = std::hypot(plane.normal[0], plane.normal[1], plane.normal[2]);
  const Vec3 n{plane.normal[0] / length, plane.normal[1] / length, plane.normal[2] / length};
  const Axes axes = across(n);
  double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
  for (unsigned corner = 0; corner < 8; ++corner) {
    double along[2] = {0, 0};
    for (std::size_t d = 0; d < 3; ++d) {
      const double x = ((corner >> d) & 1U ? probe.high()[d] : probe.low()[d]) - plane.point[d];
      along[0] += x * axes.u[d];
      along[1] += x * axes.v[d];
    }
    for (int k = 0; k < 2; ++k) low[k] = std::min(low[k], along[k]), high[k] = std::max(high[k], along[k]);
  }
  const double step = std::max(high[0] - low[0], high[1] - low[1]) / static_cast<double>(most_steps);
  if (!(step > 0)) return std::nullopt;
  const auto steps = [&](int k) { return static_cast<Index>(std::ceil((high[k] - low[k]) / step - 1e-9)); };
  const Index nu = steps(0) + 1, nv = steps(1) + 1;
  const double reach = 1e-9 * step * static_cast<double>(most_steps);
  const std::size_t width = width_of(field);
  std::vector<Index> number(static_cast<std::size_t>(nu * nv), -1);
  auto points = std::make_shared<std::vector<double>>();
  std::vector<float> values;
  std::vector<double> entry;
  for (Index j = 0; j < nv; ++j)
    for (Index i = 0; i < nu; ++i) {
      Vec3 p{};
      for (std::size_t d = 0; d < 3; ++d)
        p[d] = plane.point[d] + (low[0] + step * static_cast<double>(i)) * axes.u[d] +
               (low[1] + step * static_cast<double>(j)) * axes.v[d];
      const auto spot = probe.find(p, reach, field.info.association);
      if (!spot) continue;
      blend(*spot, field, entry);
      number[static_cast<std::size_t>(j * nu + i)] = static_cast<Index>(points->size() / 3);
      points->insert(points->end(), p.begin(), p.end());
      for (std::size_t k = 0; k < width; ++k) values.push_back(static_cast<float>(entry[k]));
    }
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>();
  constexpr std::uint8_t quadrilateral = 9;
  for (Index j = 0; j + 1 < nv; ++j)
    for (Index i = 0; i + 1 < nu; ++i) {
      const auto at = [&](Index a, Index b) { return number[static_cast<std::size_t>((j + b) * nu + i + a)]; };
      const std::array<Index, 4> corners{at(0, 0), at(1, 0), at(1, 1), at(0, 1)};
      if (std::any_of(corners.begin(), corners.end(), [](Index c) { return c < 0; })) continue;
      connectivity->insert(connectivity->end(), corners.begin(), corners.end());
      offsets->push_back(static_cast<Index>(connectivity->size()));
      types->push_back(quadrilateral);
    }
  if (types->empty()) return std::nullopt;
  FieldInfo info = field.info;
  info.association = Association::point;
  return FramePart{name, MeshGeometry{points, connectivity, offsets, types}, {make_field(info, std::move(values))}};
}

Status add_planes(Frame& frame, const FrameRecipe& recipe) {
  const std::size_t before = frame.parts.size();
  std::vector<bool> met(recipe.planes.size(), false);
  for (std::size_t p = 0; p < before; ++p) {
    const Field* field = taken_field(frame.parts[p], recipe);
    if (!field) continue;
    const auto probe = PartProbe::make(frame.parts[p]);
    if (!probe || !probe->is_region() || probe->dimension() < 3) continue;
    const Field kept = *field;
    for (std::size_t k = 0; k < recipe.planes.size(); ++k) {
      auto made =
          plane_part(kept, *probe, recipe.planes[k], fmt::format("{}{}{}", frame.parts[p].name, plane_mark, k + 1));
      if (!made) continue;
      met[k] = true;
      frame.parts.push_back(std::move(*made));
    }
  }
  for (std::size_t k = 0; k < met.size(); ++k)
    if (!met[k])
      return make_error(ErrorCode::command_line,
                        fmt::format("plane {} meets no grid and no solid with the field", k + 1),
                        "Give a point inside: NX,NY,NZ;X,Y,Z.");
  return {};
}

/// The cells of a mesh, or of a grid as hexahedra, that are kept.
Result<FramePart> within_limits(const FramePart& part, const Field& by, std::pair<double, double> limits) {
  const auto inside = [&](std::size_t entry) {
    const double v = length_of(by, entry);
    return v >= limits.first && v <= limits.second;
  };
  const bool points = by.info.association == Association::point;
  FramePart out{part.name, {}, {}};
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>();
  std::vector<std::size_t> kept;
  const auto keep = [&](std::size_t cell, std::span<const Index> nodes, std::uint8_t type) -> bool {
    const bool all =
        points ? std::all_of(nodes.begin(), nodes.end(), [&](Index i) { return inside(static_cast<std::size_t>(i)); })
               : inside(cell);
    if (!all) return true;
    if (static_cast<Index>(kept.size()) >= most_cells) return false;
    connectivity->insert(connectivity->end(), nodes.begin(), nodes.end());
    offsets->push_back(static_cast<Index>(connectivity->size()));
    types->push_back(type);
    kept.push_back(cell);
    return true;
  };
  bool fits = true;
  std::shared_ptr<const std::vector<double>> places;
  if (const auto* mesh = std::get_if<MeshGeometry>(&part.geometry)) {
    places = mesh->points;
    for (std::size_t c = 0; fits && c + 1 < mesh->offsets->size(); ++c) {
      const auto begin = static_cast<std::size_t>((*mesh->offsets)[c]),
                 end = static_cast<std::size_t>((*mesh->offsets)[c + 1]);
      fits = keep(c, std::span(*mesh->connectivity).subspan(begin, end - begin), (*mesh->types)[c]);
    }
  } else {
    const auto& grid = std::get<ImageGeometry>(part.geometry);
    auto made = std::make_shared<std::vector<double>>();
    for (const Vec3& p : places_of(part, Association::point)) made->insert(made->end(), p.begin(), p.end());
    places = made;
    const auto [nx, ny, nz] = grid.points;
    const auto cells = [](Index n) { return std::max<Index>(n - 1, 1); };
    // A grid in a plane has quadrilaterals; along a line there is nothing to see.
    const int dimension = (nx > 1) + (ny > 1) + (nz > 1);
    if (dimension < 2) return make_error(ErrorCode::command_line, "limits need a grid with an area");
    const Index sx = 1, sy = nx, sz = nx * ny;
    const Index su = nx > 1 ? sx : sy, sv = nx > 1 && ny > 1 ? sy : sz;
    std::size_t cell = 0;
    for (Index k = 0; fits && k < cells(nz); ++k)
      for (Index j = 0; fits && j < cells(ny); ++j)
        for (Index i = 0; fits && i < cells(nx); ++i, ++cell) {
          const Index a = i + j * sy + k * sz;
          const std::array<Index, 8> box{a,      a + sx,      a + sx + sy,      a + sy,
                                         a + sz, a + sx + sz, a + sx + sy + sz, a + sy + sz};
          const std::array<Index, 4> square{a, a + su, a + su + sv, a + sv};
          constexpr std::uint8_t hexahedron = 12, quadrilateral = 9;
          fits = dimension == 3 ? keep(cell, box, hexahedron) : keep(cell, square, quadrilateral);
        }
  }
  if (!fits)
    return make_error(ErrorCode::resources, fmt::format("more than {} cells lie within the limits", most_cells),
                      "Choose narrower limits.");
  out.geometry = MeshGeometry{places, connectivity, offsets, types};
  for (const Field& field : part.fields) {
    if (field.info.association == Association::point) {
      out.fields.push_back(field);
      continue;
    }
    if (!check_field(part, field)) continue;
    const std::size_t width = width_of(field);
    std::vector<float> values;
    for (const std::size_t c : kept)
      values.insert(values.end(), field.values->begin() + static_cast<std::ptrdiff_t>(c * width),
                    field.values->begin() + static_cast<std::ptrdiff_t>((c + 1) * width));
    out.fields.push_back(make_field(field.info, std::move(values)));
  }
  return out;
}

}  // namespace

Result<FormulaField> parse_formula(std::string_view text) {
  const auto wrong = [&](const std::string& what) {
    return make_error(ErrorCode::command_line,
                      fmt::format("a formula must be NAME[UNIT] = FORMULA, {}: \"{}\"", what, text),
                      "For example intensity[W/m^2] = pressure^2/(2*1.2*343)");
  };
  const auto sign = text.find('=');
  if (sign == std::string_view::npos) return wrong("there is no \"=\"");
  std::string_view head = trimmed(text.substr(0, sign));
  FormulaField out;
  if (head.ends_with(']')) {
    const auto open = head.find('[');
    if (open == std::string_view::npos) return wrong("the bracket of the unit never opens");
    out.unit = trimmed(head.substr(open + 1, head.size() - open - 2));
    head = trimmed(head.substr(0, open));
  }
  out.name = head;
  out.formula = trimmed(text.substr(sign + 1));
  if (out.name.empty() || out.formula.empty()) return wrong("name or formula is empty");
  if (out.unit.empty()) out.unit = "1";
  if (out.unit != "1" && !known_unit(out.unit)) return wrong(fmt::format("\"{}\" is no unit", out.unit));
  return out;
}

Result<ObliquePlane> parse_plane(std::string_view text) {
  ObliquePlane out;
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",;", begin), text.size());
    const std::string_view word = trimmed(text.substr(begin, end - begin));
    const auto read = parse_quantity(word, numbers.size() < 3 ? "1" : "m");
    if (!read) break;
    numbers.push_back(read->value);
    begin = end + 1;
    if (begin > text.size()) begin = text.size() + 1;
  }
  const auto commas = std::count_if(text.begin(), text.end(), [](char c) { return c == ',' || c == ';'; });
  const bool whole = numbers.size() == static_cast<std::size_t>(commas) + 1;
  if (!whole || (numbers.size() != 3 && numbers.size() != 6) || !(std::hypot(numbers[0], numbers[1], numbers[2]) > 0))
    return make_error(ErrorCode::command_line,
                      fmt::format("a plane must be a normal that is not zero and a point, found \"{}\"", text),
                      "For example 1,1,0;0,0,-300m");
  std::copy_n(numbers.begin(), 3, out.normal.begin());
  if (numbers.size() == 6) std::copy_n(numbers.begin() + 3, 3, out.point.begin());
  return out;
}

Result<std::shared_ptr<const Frame>> derive(std::shared_ptr<const Frame> frame, const FrameRecipe& recipe) {
  if (!frame || recipe.empty()) return frame;
  auto out = std::make_shared<Frame>(*frame);
  for (const FormulaField& formula : recipe.formulas)
    if (const Status made = add_formula(*out, formula); !made) return made.error();
  if (recipe.within) {
    bool any = false;
    for (FramePart& part : out->parts) {
      const Field* by = taken_field(part, recipe);
      if (!by) continue;
      auto kept = within_limits(part, *by, *recipe.within);
      if (!kept) return kept.error();
      any = any || !std::get<MeshGeometry>(kept->geometry).types->empty();
      part = std::move(kept).value();
    }
    if (!any)
      return make_error(ErrorCode::command_line,
                        fmt::format("no cell lies within {:g} to {:g}", recipe.within->first, recipe.within->second),
                        "Choose wider limits.");
  }
  if (const Status cut = recipe.within ? Status{} : add_planes(*out, recipe); !cut) return cut.error();
  if (recipe.sphere) return with_balloon(*out, *recipe.sphere, recipe.sphere_column);
  return std::shared_ptr<const Frame>(std::move(out));
}

}  // namespace conoid

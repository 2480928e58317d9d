// SPDX-License-Identifier: BSD-3-Clause
// Weights from shape functions, sums by quadrature.
#include "engine/run/frame_probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "engine/core/vec3.hpp"
#include "engine/io/grid_blend.hpp"
#include "engine/mesh/shape_functions.hpp"

namespace conoid {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

using Vector = ProbeChoice::Vector;
using Wave = ProbeChoice::Wave;

CellArrays arrays_of(const MeshGeometry& mesh) {
  return {*mesh.points, *mesh.connectivity, *mesh.offsets, *mesh.types};
}

Result<CellArrays> sound_arrays(const MeshGeometry& mesh) {
  if (!mesh.points || !mesh.connectivity || !mesh.offsets || !mesh.types)
    return make_error(ErrorCode::file, "the mesh of this frame is damaged: an array is missing",
                      "Write the results again, or check the file.");
  const CellArrays arrays = arrays_of(mesh);
  if (auto status = check_cells(arrays); !status) return status.error();
  return arrays;
}

std::size_t width_of(const FieldInfo& info) {
  return static_cast<std::size_t>(info.components) * (info.is_complex ? 2 : 1);
}

double box_diagonal(const CellArrays& arrays, Index cell) {
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const Index p : arrays.nodes(cell))
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], arrays.points[3 * at(p) + d]);
      high[d] = std::max(high[d], arrays.points[3 * at(p) + d]);
    }
  return vec::distance(low, high);
}

/// Normal of a face, direction of an edge, at its middle.
Vec3 direction_of(const CellArrays& arrays, Index cell, const Vec3& reference) {
  std::array<Vec3, 3> columns;
  (void)place_in_cell(arrays, cell, reference, &columns);
  const int dim = dimension_of(arrays.shape(cell));
  return vec::unit(dim == 2 ? vec::cross(columns[0], columns[1]) : columns[0]);
}

double measure_of(const std::array<Vec3, 3>& j, int dimension) {
  switch (dimension) {
    case 3: return std::abs(vec::triple(j[0], j[1], j[2]));
    case 2: return vec::norm(vec::cross(j[0], j[1]));
    case 1: return vec::norm(j[0]);
    default: return 1;
  }
}

}  // namespace

Status check_choice(const FieldInfo& info, const ProbeChoice& choice) {
  static constexpr const char* vectors[] = {"", "x", "y", "z", "magnitude"};
  static constexpr const char* waves[] = {"", "real", "imaginary", "magnitude", "phase"};
  if (info.components == 1 && choice.vector != Vector::all && choice.vector != Vector::length)
    return make_error(ErrorCode::command_line,
                      fmt::format("field \"{}\" has one component, --component {} was asked for", info.name,
                                  vectors[static_cast<int>(choice.vector)]),
                      "Leave --component out.");
  if (!info.is_complex && choice.wave != Wave::both)
    return make_error(
        ErrorCode::command_line,
        fmt::format("field \"{}\" is real, --show {} was asked for", info.name, waves[static_cast<int>(choice.wave)]),
        "Leave --show out: it is for complex fields.");
  if (info.is_complex && info.components > 1 && choice.vector == Vector::length && choice.wave != Wave::both &&
      choice.wave != Wave::magnitude)
    return make_error(ErrorCode::command_line,
                      fmt::format("the magnitude of the vector \"{}\" has no {} part", info.name,
                                  choice.wave == Wave::phase ? "phase" : waves[static_cast<int>(choice.wave)]),
                      "Choose a component with --component x, y or z, or leave --show out.");
  return {};
}

std::vector<Column> choice_columns(const FieldInfo& info, const ProbeChoice& choice) {
  std::vector<Column> out;
  const auto add = [&](const std::string& name) {
    if (!info.is_complex) return out.push_back({name, info.unit, {}});
    switch (choice.wave) {
      case Wave::both:
        out.push_back({name + "_re", info.unit, {}});
        out.push_back({name + "_im", info.unit, {}});
        break;
      case Wave::real: out.push_back({name + "_re", info.unit, {}}); break;
      case Wave::imaginary: out.push_back({name + "_im", info.unit, {}}); break;
      case Wave::magnitude: out.push_back({name + "_magnitude", info.unit, {}}); break;
      case Wave::phase: out.push_back({name + "_phase", "rad", {}}); break;
    }
  };
  if (info.components == 1) {
    if (choice.vector == Vector::length)
      out.push_back({info.name + "_magnitude", info.unit, {}});
    else
      add(info.name);
  } else if (choice.vector == Vector::length) {
    out.push_back({info.name + "_magnitude", info.unit, {}});
  } else {
    for (int k = 0; k < info.components; ++k)
      if (choice.vector == Vector::all || static_cast<int>(choice.vector) - 1 == k)
        add(info.name + "_" + (k < 3 ? std::string(1, static_cast<char>('x' + k)) : std::to_string(k + 1)));
  }
  return out;
}

void append_chosen(std::span<const double> entry, const FieldInfo& info, const ProbeChoice& choice,
                   std::vector<double>& out) {
  if (choice.vector == Vector::length) {
    double square = 0;
    for (const double v : entry) square += v * v;
    out.push_back(std::sqrt(square));
    return;
  }
  for (int k = 0; k < info.components; ++k) {
    if (info.components > 1 && choice.vector != Vector::all && static_cast<int>(choice.vector) - 1 != k) continue;
    const auto c = static_cast<std::size_t>(k);
    if (!info.is_complex) {
      out.push_back(entry[c]);
      continue;
    }
    const double re = entry[2 * c], im = entry[2 * c + 1];
    switch (choice.wave) {
      case Wave::both: out.insert(out.end(), {re, im}); break;
      case Wave::real: out.push_back(re); break;
      case Wave::imaginary: out.push_back(im); break;
      case Wave::magnitude: out.push_back(std::hypot(re, im)); break;
      case Wave::phase: out.push_back(std::atan2(im, re)); break;
    }
  }
}

Result<PartProbe> PartProbe::make(const FramePart& part) {
  PartProbe out;
  out.geometry_ = part.geometry;
  if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry)) {
    out.dimension_ = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (grid->points[k] < 1 || (grid->points[k] > 1 && !(grid->spacing[k] > 0)))
        return make_error(ErrorCode::file, "the grid of part \"" + part.name + "\" is damaged",
                          "Write the results again, or check the file.");
      out.dimension_ += grid->points[k] > 1;
      out.low_[k] = grid->origin[k];
      out.high_[k] = grid->origin[k] + static_cast<double>(grid->points[k] - 1) * grid->spacing[k];
    }
    return out;
  }
  const auto& mesh = std::get<MeshGeometry>(out.geometry_);
  const auto arrays = sound_arrays(mesh);
  if (!arrays) return arrays.error();
  out.arrays_ = *arrays;
  out.locator_ = std::make_shared<const CellLocator>(out.arrays_);
  if (out.locator_->count() == 0)
    return make_error(ErrorCode::file, "part \"" + part.name + "\" has no cell of a known shape",
                      "Values between points need cells with shape functions of order 1 or 2.");
  out.dimension_ = out.locator_->dimension();
  out.low_ = out.locator_->low();
  out.high_ = out.locator_->high();
  int flat = 0;
  for (std::size_t k = 0; k < 3; ++k) flat += out.high_[k] - out.low_[k] <= 1e-12 * out.locator_->diagonal();
  out.region_ = out.dimension_ + flat >= 3;
  return out;
}

bool PartProbe::fits(const FramePart& part) const {
  if (part.geometry.index() != geometry_.index()) return false;
  if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry)) {
    const auto& own = std::get<ImageGeometry>(geometry_);
    return grid->points == own.points && grid->origin == own.origin && grid->spacing == own.spacing;
  }
  const auto &mesh = std::get<MeshGeometry>(part.geometry), &own = std::get<MeshGeometry>(geometry_);
  return mesh.points == own.points && mesh.connectivity == own.connectivity && mesh.offsets == own.offsets &&
         mesh.types == own.types;
}

double PartProbe::usual_reach() const {
  return (region_ ? 1e-6 : 1e-2) * vec::distance(low_, high_);
}

std::optional<PartSpot> PartProbe::find(const Vec3& point, double within, Association association) const {
  PartSpot out;
  if (const auto* grid = std::get_if<ImageGeometry>(&geometry_)) {
    const GridBlend blend = blend_at(*grid, association, point);
    if (blend.count == 0 || blend.distance > within) return std::nullopt;
    out.count = blend.count;
    std::copy_n(blend.entries.begin(), blend.count, out.entries.begin());
    std::copy_n(blend.weights.begin(), blend.count, out.weights.begin());
    out.distance = blend.distance;
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k)
      if (grid->points[k] > 1) square += grid->spacing[k] * grid->spacing[k];
    out.size = std::sqrt(square);
    return out;
  }
  const CellSpot spot = locator_->find(point, within);
  if (spot.cell < 0) return std::nullopt;
  // Closer than rounding is inside.
  out.distance = spot.distance > 1e-9 * vec::distance(low_, high_) ? spot.distance : 0;
  out.size = box_diagonal(arrays_, spot.cell);
  if (association == Association::cell) {
    out.count = 1;
    out.entries[0] = spot.cell;
    out.weights[0] = 1;
    return out;
  }
  const auto nodes = arrays_.nodes(spot.cell);
  const ShapeValues shape = shape_values(arrays_.shape(spot.cell), spot.reference);
  out.count = static_cast<int>(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out.entries[i] = nodes[i];
    out.weights[i] = shape.n[i];
  }
  return out;
}

void blend(const PartSpot& spot, const Field& field, std::vector<double>& entry) {
  const std::size_t width = width_of(field.info);
  entry.assign(width, 0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(spot.count); ++i) {
    if (std::abs(spot.weights[i]) < 1e-14)
      continue;  // a value that is no number does not count on the far side of its cell
    const float* values = field.values->data() + width * at(spot.entries[i]);
    for (std::size_t k = 0; k < width; ++k) entry[k] += spot.weights[i] * static_cast<double>(values[k]);
  }
}

Status check_field(const FramePart& part, const Field& field) {
  Index entries = 1;
  if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry)) {
    for (const Index n : grid_entries(*grid, field.info.association)) entries *= n;
  } else {
    const auto& mesh = std::get<MeshGeometry>(part.geometry);
    if (!mesh.points || !mesh.types)
      entries = -1;
    else
      entries = field.info.association == Association::point ? static_cast<Index>(mesh.points->size() / 3)
                                                             : static_cast<Index>(mesh.types->size());
  }
  const auto found = field.values ? static_cast<Index>(field.values->size()) : Index{-1};
  const Index wanted = entries * static_cast<Index>(width_of(field.info));
  if (found == wanted && entries >= 0) return {};
  return make_error(ErrorCode::file,
                    fmt::format("field \"{}\" on the part \"{}\": expected {} values, found {}", field.info.name,
                                part.name, wanted, found),
                    "The results are damaged: write them again.");
}

CellSet all_cells(const MeshGeometry& mesh) {
  const CellArrays arrays = arrays_of(mesh);
  CellSet out;
  out.dimension = dimension_of(arrays);
  out.of_points = static_cast<Index>(mesh.points->size() / 3);
  out.of_cells = arrays.cells();
  for (Index c = 0; c < arrays.cells(); ++c) {
    if (!known_cell(arrays.types[at(c)]) || dimension_of(arrays.shape(c)) != out.dimension) continue;
    const auto nodes = arrays.nodes(c);
    out.connectivity.insert(out.connectivity.end(), nodes.begin(), nodes.end());
    out.offsets.push_back(static_cast<Index>(out.connectivity.size()));
    out.types.push_back(arrays.types[at(c)]);
    out.behind.push_back(c);
  }
  return out;
}

Result<CellSet> cells_of_group(const FramePart& part, const Mesh& mesh, const MeshGroup& group) {
  const auto* own = std::get_if<MeshGeometry>(&part.geometry);
  if (own == nullptr)
    return make_error(ErrorCode::command_line,
                      fmt::format("part \"{}\" is a grid, which has no cells of the group '{}'", part.name, group.name),
                      "Sum over the part itself, or choose another with --part.");
  const auto arrays = sound_arrays(*own);
  if (!arrays) return arrays.error();
  const int dimension = dimension_of(*arrays);
  static constexpr const char* kinds[] = {"points", "edges", "faces", "solid cells"};
  if (group.dimension != dimension && group.dimension != dimension - 1)
    return make_error(ErrorCode::command_line,
                      fmt::format("the group '{}' has {}, the part \"{}\" has {}", group.name, kinds[group.dimension],
                                  part.name, kinds[std::clamp(dimension, 0, 3)]),
                      "Only cells of the part and its outer sides can be summed over.");
  CellSet all = all_cells(*own);
  if (group.dimension == dimension - 1) {
    CellSkin skin = skin_of(*arrays);
    all.dimension = dimension - 1;
    all.connectivity = std::move(skin.connectivity);
    all.offsets = std::move(skin.offsets);
    all.types = std::move(skin.types);
    all.behind = std::move(skin.behind);
  }
  const CellArrays candidates{*own->points, all.connectivity, all.offsets, all.types};
  std::vector<std::uint8_t> types;
  types.reserve(mesh.shapes().size());
  for (const CellShape shape : mesh.shapes()) types.push_back(static_cast<std::uint8_t>(shape));
  const CellArrays reference{mesh.points(), mesh.connectivity(), mesh.offsets(), types};
  const CellLocator locator(reference, group.dimension);
  CellSet out;
  out.dimension = all.dimension;
  out.of_points = all.of_points;
  out.of_cells = all.of_cells;
  for (Index c = 0; c < candidates.cells(); ++c) {
    const Vec3 middle = middle_of(candidates.shape(c));
    constexpr double near = 0.03;
    const CellSpot spot = locator.find(place_in_cell(candidates, c, middle), near * box_diagonal(candidates, c));
    if (spot.cell < 0 || !std::binary_search(group.cells.begin(), group.cells.end(), spot.cell)) continue;
    if (out.dimension > 0 && out.dimension < 3 &&
        std::abs(vec::dot(direction_of(candidates, c, middle), direction_of(reference, spot.cell, spot.reference))) <
            0.7)
      continue;
    const auto nodes = candidates.nodes(c);
    out.connectivity.insert(out.connectivity.end(), nodes.begin(), nodes.end());
    out.offsets.push_back(static_cast<Index>(out.connectivity.size()));
    out.types.push_back(all.types[at(c)]);
    out.behind.push_back(all.behind[at(c)]);
  }
  if (out.types.empty())
    return make_error(
        ErrorCode::command_line,
        fmt::format("no cell of the part \"{}\" lies on the group '{}'", part.name, group.name),
        "The group may belong to a side that the solver does not show, or the mesh has been changed since.");
  return out;
}

namespace {

/// Sums of one column after the other; ends.
struct Sums {
  std::vector<vec::Sum> integral;
  std::vector<double> low, high;

  explicit Sums(std::size_t columns)
      : integral(columns), low(columns, std::numeric_limits<double>::infinity()),
        high(columns, -std::numeric_limits<double>::infinity()) {}
  void end(const std::vector<double>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      low[k] = std::min(low[k], values[k]);
      high[k] = std::max(high[k], values[k]);
    }
  }
  void finish(FieldSums& out, double measure) const {
    out.measure = measure;
    for (const vec::Sum& sum : integral) {
      out.integral.push_back(sum.value());
      out.mean.push_back(measure > 0 ? sum.value() / measure : std::numeric_limits<double>::quiet_NaN());
    }
    if (out.cells == 0) {
      out.low = out.high = std::vector<double>(low.size(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    out.low = low;
    out.high = high;
  }
};

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// What a point of a section stands for.
double around(const Revolution& body, double r) {
  constexpr double pi = std::numbers::pi;
  return body.turns == 1 ? 2 * pi * std::abs(r) : body.turns == 2 ? 4 * pi * r * r : 1;
}

FieldSums sum_over_grid(const ImageGeometry& grid, const Field& field, const ProbeChoice& choice, std::size_t columns,
                        const Revolution& body) {
  const auto n = grid_entries(grid, field.info.association);
  const bool points = field.info.association == Association::point;
  const std::size_t width = width_of(field.info);
  FieldSums out;
  Sums sums(columns);
  vec::Sum measure;
  double cell = 1;
  for (std::size_t k = 0; k < 3; ++k)
    if (grid.points[k] > 1) {
      ++out.dimension;
      cell *= grid.spacing[k];
    }
  out.dimension = std::min(out.dimension + body.turns, 3);
  const auto radius = static_cast<std::size_t>(body.axis);
  std::vector<double> entry(width), values;
  std::array<Index, 3> i{};
  std::size_t next = 0;
  for (i[2] = 0; i[2] < n[2]; ++i[2])
    for (i[1] = 0; i[1] < n[1]; ++i[1])
      for (i[0] = 0; i[0] < n[0]; ++i[0], ++next) {
        const float* v = field.values->data() + width * next;
        std::copy_n(v, width, entry.begin());
        if (!all_finite(entry)) {
          ++out.missing;
          continue;
        }
        double weight = cell;
        if (points)
          for (std::size_t k = 0; k < 3; ++k)
            if (n[k] > 1 && (i[k] == 0 || i[k] == n[k] - 1)) weight /= 2;
        weight *= around(
            body, grid.origin[radius] + (static_cast<double>(i[radius]) + (points ? 0 : 0.5)) * grid.spacing[radius]);
        values.clear();
        append_chosen(entry, field.info, choice, values);
        for (std::size_t k = 0; k < values.size(); ++k) sums.integral[k] += weight * values[k];
        measure += weight;
        sums.end(values);
        ++out.cells;
      }
  sums.finish(out, measure.value());
  return out;
}

}  // namespace

Result<FieldSums> sum_over(const FramePart& part, const Field& field, const ProbeChoice& choice, const CellSet* cells,
                           Revolution body) {
  if (auto status = check_choice(field.info, choice); !status) return status.error();
  if (auto status = check_field(part, field); !status) return status.error();
  const std::size_t columns = choice_columns(field.info, choice).size();
  if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry)) {
    if (cells != nullptr)
      return make_error(ErrorCode::command_line, "part \"" + part.name + "\" is a grid, which has no groups of cells");
    return sum_over_grid(*grid, field, choice, columns, body);
  }
  const auto& mesh = std::get<MeshGeometry>(part.geometry);
  if (const auto sound = sound_arrays(mesh); !sound) return sound.error();
  CellSet own;
  if (cells == nullptr) {
    own = all_cells(mesh);
    cells = &own;
  }
  if (cells->of_points != static_cast<Index>(mesh.points->size() / 3) ||
      cells->of_cells != static_cast<Index>(mesh.types->size()))
    return make_error(ErrorCode::command_line,
                      "the mesh of part \"" + part.name + "\" is another one than in the run's first frame",
                      "Sum over the whole part instead of a group.");
  const CellArrays arrays{*mesh.points, cells->connectivity, cells->offsets, cells->types};
  const std::size_t width = width_of(field.info);
  const bool of_points = field.info.association == Association::point;
  FieldSums out;
  const int dimension = std::max(cells->dimension, 0);
  out.dimension = std::min(dimension + body.turns, 3);
  Sums sums(columns);
  vec::Sum measure;
  // Of each shape that comes, the rule's points with their shape functions.
  std::array<std::vector<std::pair<ShapeValues, double>>, 32> rules;
  std::vector<double> entry(width), values, held;
  for (Index c = 0; c < arrays.cells(); ++c) {
    const CellShape shape = arrays.shape(c);
    const auto nodes = arrays.nodes(c);
    held.clear();  // the numbers of the cell's points, or its own
    if (of_points)
      for (const Index p : nodes)
        for (std::size_t k = 0; k < width; ++k) held.push_back(static_cast<double>((*field.values)[width * at(p) + k]));
    else
      for (std::size_t k = 0; k < width; ++k)
        held.push_back(static_cast<double>((*field.values)[width * at(cells->behind[at(c)]) + k]));
    if (!all_finite(held)) {
      ++out.missing;
      continue;
    }
    auto& rule = rules[static_cast<std::size_t>(shape)];
    if (rule.empty())
      for (const QuadraturePoint& q : quadrature(shape, (order_of(shape) == 1 ? 2 : 4) + body.turns))
        rule.emplace_back(shape_values(shape, q.at), q.weight);
    for (const auto& [f, weight] : rule) {
      std::array<Vec3, 3> j{};
      Vec3 place{};
      for (std::size_t i = 0; i < nodes.size(); ++i)
        for (std::size_t d = 0; d < 3; ++d) {
          const double x = arrays.points[3 * at(nodes[i]) + d];
          place[d] += f.n[i] * x;
          for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a) j[a][d] += f.dn[i][a] * x;
        }
      const double share = weight * measure_of(j, dimension) * around(body, place[static_cast<std::size_t>(body.axis)]);
      if (of_points) {
        std::fill(entry.begin(), entry.end(), 0.0);
        for (std::size_t i = 0; i < nodes.size(); ++i)
          for (std::size_t k = 0; k < width; ++k) entry[k] += f.n[i] * held[width * i + k];
      } else {
        entry = held;
      }
      values.clear();
      append_chosen(entry, field.info, choice, values);
      for (std::size_t k = 0; k < values.size(); ++k) sums.integral[k] += share * values[k];
      measure += share;
    }
    for (std::size_t i = 0; i < held.size(); i += width) {
      values.clear();
      append_chosen(std::span(held).subspan(i, width), field.info, choice, values);
      sums.end(values);
    }
    ++out.cells;
  }
  sums.finish(out, measure.value());
  return out;
}

std::string unit_of_integral(const std::string& unit, int dimension) {
  static constexpr const char* lengths[] = {"", "m", "m^2", "m^3"};
  std::string length = lengths[std::clamp(dimension, 0, 3)];
  if (unit.empty() || unit == "1") return length;
  if (length.empty()) return unit;
  // Of a density the whole: "kg/m^3" over a volume is "kg".
  const std::string per = "/" + length;
  if (unit.size() > per.size() && unit.ends_with(per)) return unit.substr(0, unit.size() - per.size());
  // Lengths that cancel in part: "A/m" over a surface is "A*m", "J/m^3" over one "J/m".
  for (int power = 1; power <= 3; ++power) {
    const std::string below = std::string("/") + lengths[power];
    if (unit.size() <= below.size() || !unit.ends_with(below)) continue;
    const std::string rest = unit.substr(0, unit.size() - below.size());
    if (rest.find('/') != std::string::npos || rest == "1") break;
    return power < dimension ? rest + "*" + lengths[dimension - power] : rest + "/" + lengths[power - dimension];
  }
  return unit + "*" + length;
}

}  // namespace conoid

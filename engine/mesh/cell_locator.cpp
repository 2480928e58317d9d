// SPDX-License-Identifier: BSD-3-Clause
// A tree of boxes, halved at the median, and the nearest place on one cell.
#include "engine/mesh/cell_locator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"

namespace conoid {
namespace {

constexpr Index leaf = 8;           // cells in a box that is not halved
constexpr double inside_by = 1e-9;  // of the reference cell: rounding of a point on a side of its cell
constexpr int most_steps = 40;

std::size_t u(Index i) {
  return static_cast<std::size_t>(i);
}

// Sides of the reference cells as corners of the straight shape, VTK's order; a side's further nodes follow from the shape.
using Side = std::vector<int>;
const std::vector<Side>& sides_of(CellShape shape) {
  static const std::vector<Side> none, line{{0}, {1}}, line3{{0}, {1}};
  static const std::vector<Side> triangle{{0, 1}, {1, 2}, {2, 0}}, triangle6{{0, 1, 3}, {1, 2, 4}, {2, 0, 5}};
  static const std::vector<Side> quad{{0, 1}, {1, 2}, {2, 3}, {3, 0}},
      quad8{{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}};
  static const std::vector<Side> tet{{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
  static const std::vector<Side> tet10{{0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {2, 0, 3, 6, 7, 9}, {0, 2, 1, 6, 5, 4}};
  static const std::vector<Side> hex{{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4},
                                     {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};
  static const std::vector<Side> hex20{{0, 4, 7, 3, 16, 15, 19, 11}, {1, 2, 6, 5, 9, 18, 13, 17},
                                       {0, 1, 5, 4, 8, 17, 12, 16},  {3, 7, 6, 2, 19, 14, 18, 10},
                                       {0, 3, 2, 1, 11, 10, 9, 8},   {4, 5, 6, 7, 12, 13, 14, 15}};
  static const std::vector<Side> hex27{{0, 4, 7, 3, 16, 15, 19, 11, 20}, {1, 2, 6, 5, 9, 18, 13, 17, 21},
                                       {0, 1, 5, 4, 8, 17, 12, 16, 22},  {3, 7, 6, 2, 19, 14, 18, 10, 23},
                                       {0, 3, 2, 1, 11, 10, 9, 8, 24},   {4, 5, 6, 7, 12, 13, 14, 15, 25}};
  switch (shape) {
    case CellShape::line2: return line;
    case CellShape::line3: return line3;
    case CellShape::triangle3: return triangle;
    case CellShape::triangle6: return triangle6;
    case CellShape::quad4: return quad;
    case CellShape::quad8:
    case CellShape::quad9: return quad8;
    case CellShape::tet4: return tet;
    case CellShape::tet10: return tet10;
    case CellShape::hex8: return hex;
    case CellShape::hex20: return hex20;
    case CellShape::hex27: return hex27;
    case CellShape::vertex: break;
  }
  return none;
}

CellShape side_shape(std::size_t nodes, int dimension) {
  if (dimension == 0) return CellShape::vertex;
  if (dimension == 1) return nodes == 2 ? CellShape::line2 : CellShape::line3;
  switch (nodes) {
    case 3: return CellShape::triangle3;
    case 4: return CellShape::quad4;
    case 6: return CellShape::triangle6;
    case 8: return CellShape::quad8;
    default: return CellShape::quad9;
  }
}

bool is_simplex(CellShape shape) {
  return corners_of(shape) == dimension_of(shape) + 1;
}

/// How far a reference place is out of its cell; at most 0 inside.
double out_of(CellShape shape, const Vec3& r) {
  const auto dim = static_cast<std::size_t>(dimension_of(shape));
  double out = -1, sum = 0;
  for (std::size_t a = 0; a < dim; ++a) {
    out = std::max(out, -r[a]);
    sum += r[a];
    if (!is_simplex(shape) || dim == 1) out = std::max(out, r[a] - 1);
  }
  return is_simplex(shape) ? std::max(out, sum - 1) : out;
}

Vec3 into(CellShape shape, Vec3 r) {
  const auto dim = static_cast<std::size_t>(dimension_of(shape));
  double sum = 0;
  for (std::size_t a = 0; a < dim; ++a) sum += r[a] = std::clamp(r[a], 0.0, 1.0);
  if (is_simplex(shape) && sum > 1)
    for (std::size_t a = 0; a < dim; ++a) r[a] /= sum;
  return r;
}

/// The points of one cell, and what its map makes of a reference place.
struct Curve {
  CellShape shape;
  int nodes = 0;
  std::array<Vec3, 27> at{};

  Curve(const CellArrays& cells, Index cell) : shape(cells.shape(cell)) {
    for (const Index p : cells.nodes(cell)) {
      for (std::size_t d = 0; d < 3; ++d) at[static_cast<std::size_t>(nodes)][d] = cells.points[3 * u(p) + d];
      ++nodes;
    }
  }
  [[nodiscard]] Vec3 place(const Vec3& r, std::array<Vec3, 3>* columns = nullptr) const {
    const ShapeValues v = shape_values(shape, r);
    Vec3 out{};
    if (columns != nullptr) *columns = {};
    for (std::size_t i = 0; i < static_cast<std::size_t>(nodes); ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        out[d] += v.n[i] * at[i][d];
        if (columns != nullptr)
          for (std::size_t a = 0; a < 3; ++a) (*columns)[a][d] += v.dn[i][a] * at[i][d];
      }
    return out;
  }
};

/// The step of least squares: J δ ≈ rest, J of `n` columns. False where they depend on each other.
bool least_squares(const std::array<Vec3, 3>& j, std::size_t n, const Vec3& rest, Vec3& step) {
  double m[3][4] = {};
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) m[a][b] = vec::dot(j[a], j[b]);
    m[a][3] = vec::dot(j[a], rest);
  }
  for (std::size_t a = 0; a < n; ++a) {
    std::size_t p = a;
    for (std::size_t b = a + 1; b < n; ++b)
      if (std::abs(m[b][a]) > std::abs(m[p][a])) p = b;
    if (!(std::abs(m[p][a]) > 0)) return false;
    std::swap(m[a], m[p]);
    for (std::size_t b = a + 1; b < n; ++b) {
      const double f = m[b][a] / m[a][a];
      for (std::size_t k = a; k < 4; ++k) m[b][k] -= f * m[a][k];
    }
  }
  for (std::size_t a = n; a-- > 0;) {
    double sum = m[a][3];
    for (std::size_t b = a + 1; b < n; ++b) sum -= m[a][b] * step[b];
    step[a] = sum / m[a][a];
  }
  return true;
}

/// The nearest place within the cell itself, its sides left out: true where the search ends inside.
bool search(const Curve& curve, const Vec3& point, Vec3& r) {
  const auto n = static_cast<std::size_t>(dimension_of(curve.shape));
  for (int i = 0; i < most_steps; ++i) {
    std::array<Vec3, 3> j;
    const Vec3 x = curve.place(r, &j);
    Vec3 step{};
    if (!least_squares(j, n, vec::sub(point, x), step)) return false;
    double largest = 0;
    for (std::size_t a = 0; a < n; ++a) largest = std::max(largest, std::abs(step[a]));
    if (!std::isfinite(largest)) return false;
    const double shorter = largest > 0.5 ? 0.5 / largest : 1;
    for (std::size_t a = 0; a < n; ++a) r[a] = std::clamp(r[a] + shorter * step[a], -1.0, 2.0);
    if (largest < 1e-13) break;
  }
  return out_of(curve.shape, r) <= inside_by;
}

/// The nearest place on a straight line of the reference cell, which is a curve in space.
double search_line(const Curve& curve, const Vec3& point, const Vec3& from, const Vec3& to, Vec3& best) {
  const Vec3 along = vec::sub(to, from);
  double nearest = std::numeric_limits<double>::max();
  for (double t : {0.5, 0.0, 1.0}) {
    for (int i = 0; i < most_steps; ++i) {
      std::array<Vec3, 3> j;
      const Vec3 x = curve.place(vec::axpy(t, along, from), &j);
      Vec3 slope{};
      for (std::size_t a = 0; a < 3; ++a) slope = vec::axpy(along[a], j[a], slope);
      const double square = vec::dot(slope, slope);
      if (!(square > 0)) break;
      const double next = std::clamp(t + vec::dot(slope, vec::sub(point, x)) / square, 0.0, 1.0);
      const double moved = std::abs(next - t);
      t = next;
      if (moved < 1e-13) break;
    }
    const Vec3 r = vec::axpy(t, along, from);
    const double distance = vec::distance(curve.place(r), point);
    if (distance < nearest) {
      nearest = distance;
      best = r;
    }
    if (order_of(curve.shape) == 1) break;  // a straight side has one nearest place
  }
  return nearest;
}

double to_box(const Vec3& p, const Vec3& low, const Vec3& high) {
  double square = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double out = std::max({low[d] - p[d], p[d] - high[d], 0.0});
    square += out * out;
  }
  return std::sqrt(square);
}

}  // namespace

bool known_cell(std::uint8_t type) {
  switch (static_cast<CellShape>(type)) {
    case CellShape::vertex:
    case CellShape::line2:
    case CellShape::triangle3:
    case CellShape::quad4:
    case CellShape::tet4:
    case CellShape::hex8:
    case CellShape::line3:
    case CellShape::triangle6:
    case CellShape::quad8:
    case CellShape::tet10:
    case CellShape::hex20:
    case CellShape::quad9:
    case CellShape::hex27: return true;
  }
  return false;
}

Status check_cells(const CellArrays& cells) {
  const auto damaged = [](const std::string& what) {
    return make_error(ErrorCode::file, "the mesh of this frame is damaged: " + what,
                      "Write the results again, or check the file.");
  };
  if (cells.points.size() % 3 != 0) return damaged("the number of coordinates is not a multiple of 3");
  if (cells.offsets.size() != cells.types.size() + 1 || cells.offsets.front() != 0 ||
      cells.offsets.back() != static_cast<Index>(cells.connectivity.size()))
    return damaged("offsets do not match the cells");
  const auto points = static_cast<Index>(cells.points.size() / 3);
  for (const Index node : cells.connectivity)
    if (node < 0 || node >= points) return damaged(fmt::format("node {} of {} is named", node, points));
  for (std::size_t c = 0; c < cells.types.size(); ++c) {
    const Index n = cells.offsets[c + 1] - cells.offsets[c];
    if (n < 0 || cells.offsets[c + 1] > cells.offsets.back() ||
        (known_cell(cells.types[c]) && n != nodes_of(static_cast<CellShape>(cells.types[c]))))
      return damaged(fmt::format("cell {} of type {} has {} nodes", c, cells.types[c], n));
  }
  return {};
}

int dimension_of(const CellArrays& cells) {
  int out = -1;
  for (const std::uint8_t type : cells.types)
    if (known_cell(type)) out = std::max(out, dimension_of(static_cast<CellShape>(type)));
  return out;
}

Vec3 place_in_cell(const CellArrays& cells, Index cell, const Vec3& reference, std::array<Vec3, 3>* columns) {
  return Curve(cells, cell).place(reference, columns);
}

Vec3 middle_of(CellShape shape) {
  const int dim = dimension_of(shape);
  const double at = is_simplex(shape) && dim > 0 ? 1.0 / (dim + 1) : 0.5;
  return {dim > 0 ? at : 0, dim > 1 ? at : 0, dim > 2 ? at : 0};
}

CellSkin skin_of(const CellArrays& cells) {
  struct One {
    std::array<Index, 4> key{-1, -1, -1, -1};
    Index cell = 0;
    int side = 0;
  };
  const int dim = dimension_of(cells);
  std::vector<One> all;
  for (Index c = 0; c < cells.cells(); ++c) {
    if (!known_cell(cells.types[u(c)]) || dimension_of(cells.shape(c)) != dim) continue;
    const auto& sides = sides_of(cells.shape(c));
    const auto nodes = cells.nodes(c);
    for (std::size_t s = 0; s < sides.size(); ++s) {
      One one;
      one.cell = c;
      one.side = static_cast<int>(s);
      const auto corners = static_cast<std::size_t>(corners_of(side_shape(sides[s].size(), dim - 1)));
      for (std::size_t i = 0; i < corners; ++i) one.key[i] = nodes[static_cast<std::size_t>(sides[s][i])];
      std::sort(one.key.begin(), one.key.end());
      all.push_back(one);
    }
  }
  std::sort(all.begin(), all.end(), [](const One& a, const One& b) { return a.key < b.key; });
  CellSkin out;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end].key == all[i].key) ++end;
    if (end == i + 1) {
      const Side& side = sides_of(cells.shape(all[i].cell))[static_cast<std::size_t>(all[i].side)];
      const auto nodes = cells.nodes(all[i].cell);
      for (const int n : side) out.connectivity.push_back(nodes[static_cast<std::size_t>(n)]);
      out.offsets.push_back(static_cast<Index>(out.connectivity.size()));
      out.types.push_back(static_cast<std::uint8_t>(side_shape(side.size(), dim - 1)));
      out.behind.push_back(all[i].cell);
    }
    i = end;
  }
  return out;
}

CellLocator::CellLocator(const CellArrays& cells, int dimension)
    : cells_(cells), dimension_(dimension < 0 ? dimension_of(cells) : dimension) {
  constexpr double far = std::numeric_limits<double>::max();
  low_ = {far, far, far};
  high_ = {-far, -far, -far};
  for (Index c = 0; c < cells.cells(); ++c) {
    if (!known_cell(cells.types[u(c)]) || dimension_of(cells.shape(c)) != dimension_) continue;
    Vec3 low{far, far, far}, high{-far, -far, -far};
    for (const Index p : cells.nodes(c))
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], cells.points[3 * u(p) + d]);
        high[d] = std::max(high[d], cells.points[3 * u(p) + d]);
      }
    if (!(std::isfinite(low[0] + low[1] + low[2]) && std::isfinite(high[0] + high[1] + high[2]))) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      low_[d] = std::min(low_[d], low[d]);
      high_[d] = std::max(high_[d], high[d]);
    }
    // Between its nodes a function of order 2 leaves their range by at most an eighth of it, along each direction.
    const double beyond = order_of(cells.shape(c)) == 2 ? std::pow(1.25, dimension_) - 1 : 0;
    double side = 0;
    for (std::size_t d = 0; d < 3; ++d) side = std::max(side, high[d] - low[d]);
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] -= beyond * side;
      high[d] += beyond * side;
    }
    order_.push_back(c);
    boxes_.emplace_back(low, high);
  }
  if (order_.empty()) {
    low_ = high_ = {};
    return;
  }
  // order_ holds positions of boxes_ while the tree is built.
  const std::vector<Index> cell_of = order_;
  std::iota(order_.begin(), order_.end(), Index{0});
  nodes_.reserve(2 * order_.size() / static_cast<std::size_t>(leaf) + 2);
  build(0, static_cast<Index>(order_.size()));
  std::vector<std::pair<Vec3, Vec3>> sorted(boxes_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) sorted[i] = boxes_[u(order_[i])];
  boxes_ = std::move(sorted);
  for (Index& i : order_) i = cell_of[u(i)];
}

double CellLocator::diagonal() const {
  return vec::distance(low_, high_);
}

Index CellLocator::build(Index begin, Index end) {
  const auto number = static_cast<Index>(nodes_.size());
  Node node;
  constexpr double far = std::numeric_limits<double>::max();
  node.low = {far, far, far};
  node.high = {-far, -far, -far};
  for (Index i = begin; i < end; ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      node.low[d] = std::min(node.low[d], boxes_[u(order_[u(i)])].first[d]);
      node.high[d] = std::max(node.high[d], boxes_[u(order_[u(i)])].second[d]);
    }
  node.begin = begin;
  node.end = end;
  nodes_.push_back(node);
  if (end - begin <= leaf) return number;
  std::size_t axis = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (node.high[d] - node.low[d] > node.high[axis] - node.low[axis]) axis = d;
  const Index half = begin + (end - begin) / 2;
  const auto at = [&](Index i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(half), at(end), [&](Index a, Index b) {
    const auto middle = [&](Index i) { return boxes_[u(i)].first[axis] + boxes_[u(i)].second[axis]; };
    return middle(a) != middle(b) ? middle(a) < middle(b) : a < b;
  });
  build(begin, half);
  nodes_[u(number)].second = build(half, end);
  return number;
}

CellSpot CellLocator::nearest_on(Index cell, const Vec3& point) const {
  const Curve curve(cells_, cell);
  CellSpot out{cell, middle_of(curve.shape), 0};
  if (dimension_ == 0) {
    out.reference = {};
    out.distance = vec::distance(curve.at[0], point);
    return out;
  }
  if (search(curve, point, out.reference)) {
    out.reference = into(curve.shape, out.reference);
    out.distance = vec::distance(curve.place(out.reference), point);
    return out;
  }
  out.distance = std::numeric_limits<double>::max();
  const auto take = [&](const Vec3& r) {
    const double distance = vec::distance(curve.place(r), point);
    if (distance < out.distance) {
      out.distance = distance;
      out.reference = r;
    }
  };
  take(into(curve.shape, out.reference));
  if (dimension_ == 1) {
    Vec3 r{};
    (void)search_line(curve, point, {0, 0, 0}, {1, 0, 0}, r);
    take(r);
    return out;
  }
  const auto corners = corners_of(curve.shape);
  for (int a = 0; a < corners; ++a)
    for (int b = a + 1; b < corners; ++b) {
      const Vec3 from = reference_node(curve.shape, a), to = reference_node(curve.shape, b);
      if (!is_simplex(curve.shape) && std::abs(vec::distance(from, to) - 1) > 1e-9) continue;  // a diagonal
      Vec3 r{};
      (void)search_line(curve, point, from, to, r);
      take(r);
    }
  return out;
}

CellSpot CellLocator::find(const Vec3& point, double within) const {
  CellSpot best;
  if (nodes_.empty() || !(std::isfinite(point[0] + point[1] + point[2])) || !(within >= 0)) return best;
  // Points on a side belong to a cell although rounding puts them beside it.
  best.distance = std::max(within, 1e-12 * (diagonal() + vec::norm(low_) + vec::norm(high_)));
  double reach = best.distance;
  std::vector<Index> open{0};
  while (!open.empty()) {
    const Node& node = nodes_[u(open.back())];
    const Index number = open.back();
    open.pop_back();
    if (to_box(point, node.low, node.high) > reach) continue;
    if (node.second == 0) {
      for (Index i = node.begin; i < node.end; ++i) {
        if (to_box(point, boxes_[u(i)].first, boxes_[u(i)].second) > reach) continue;
        const CellSpot spot = nearest_on(order_[u(i)], point);
        if (spot.distance > reach || (spot.distance == reach && best.cell >= 0 && spot.cell > best.cell)) continue;
        best = spot;
        reach = spot.distance;
      }
      continue;
    }
    const Index first = number + 1, second = node.second;
    const bool swapped = to_box(point, nodes_[u(first)].low, nodes_[u(first)].high) <
                         to_box(point, nodes_[u(second)].low, nodes_[u(second)].high);
    // The nearer one is looked at first: it lies on top.
    open.push_back(swapped ? second : first);
    open.push_back(swapped ? first : second);
  }
  if (best.cell < 0) best.distance = 0;
  return best;
}

}  // namespace conoid

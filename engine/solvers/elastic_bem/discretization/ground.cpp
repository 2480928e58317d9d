// SPDX-License-Identifier: BSD-3-Clause
// Tensor grids with holes, and discs of a square core and rings.
#include "engine/solvers/elastic_bem/discretization/ground.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <tuple>

#include <fmt/core.h>

#include "engine/mesh/generators.hpp"

namespace conoid::elastic_bem {

namespace {

Error invalid(std::string text, std::string hint) {
  return make_error(ErrorCode::invalid_input, std::move(text), std::move(hint));
}

/// Points shared by place, cells of order 1 or 2 from a map of a lattice of half steps.
class Builder {
 public:
  explicit Builder(int order) : order_(order) {}
  /// A cell from its four corners and a map of local (u, v) in [0, 1]².
  void cell(const std::string& group, const std::function<Vec3(double, double)>& at) {
    std::vector<Index> n{point(at(0, 0)), point(at(1, 0)), point(at(1, 1)), point(at(0, 1))};
    if (order_ == 2)
      for (const auto& p : {at(0.5, 0), at(1, 0.5), at(0.5, 1), at(0, 0.5), at(0.5, 0.5)}) n.push_back(point(p));
    const Index c = mesh_.add_cell(order_ == 2 ? CellShape::quad9 : CellShape::quad4, n);
    mesh_.add_group(group, 2).cells.push_back(c);
  }
  [[nodiscard]] Mesh take() { return std::move(mesh_); }

 private:
  Index point(const Vec3& p) {
    const auto q = [](double v) { return static_cast<std::int64_t>(std::llround(v * 1e7)); };
    const auto [it, fresh] = points_.emplace(std::tuple{q(p[0]), q(p[1]), q(p[2])}, mesh_.point_count());
    if (fresh) mesh_.add_point(p);
    return it->second;
  }
  int order_;
  Mesh mesh_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Index> points_;
};

/// Cells from `from` (length about h) growing by `growth`, none longer than `largest`, over the length of [from, to].
std::vector<double> growing(double from, double to, double h, double growth, double largest) {
  const double total = std::abs(to - from);
  std::vector<double> lengths;
  double sum = 0, next = std::min(h, total);
  while (sum < total * (1 - 1e-9)) {
    lengths.push_back(next);
    sum += next;
    next *= growth;
    if (largest > 0) next = std::min(next, largest);
  }
  // A last cell that sticks out by more than half of itself is dropped; the rest is scaled to fit.
  if (lengths.size() > 1 && sum - total > 0.5 * lengths.back()) {
    sum -= lengths.back();
    lengths.pop_back();
  }
  std::vector<double> out{from};
  double at = 0;
  for (double l : lengths) {
    at += l;
    out.push_back(from + (to - from) * at / sum);
  }
  return out;
}

std::vector<double> axis(double low, double high, std::vector<double> breaks, const GroundRectangle& o,
                         const std::function<double(double, double)>& edge_growth) {
  std::sort(breaks.begin(), breaks.end());
  std::vector<double> unique;
  for (double b : breaks)
    if (b > low + 1e-9 && b < high - 1e-9 && (unique.empty() || b > unique.back() + 1e-9)) unique.push_back(b);
  const auto append = [](std::vector<double>& to, const std::vector<double>& more) {
    to.insert(to.end(), more.begin() + 1, more.end());
  };
  std::vector<double> out{low};
  if (unique.empty()) {
    const int n = std::max(1, static_cast<int>(std::lround((high - low) / o.element)));
    append(out, graded(low, high, n));
    return out;
  }
  std::vector<double> first = growing(unique.front(), low, o.element, o.growth, o.largest);
  std::reverse(first.begin(), first.end());
  append(out, first);
  for (std::size_t k = 0; k + 1 < unique.size(); ++k) {
    const double a = unique[k], b = unique[k + 1], middle = 0.5 * (a + b), inside = edge_growth(a, b);
    const double growth = inside > 0 ? inside : o.growth;
    if (growth <= 1 + 1e-12 || b - a < 2 * o.element) {
      append(out, graded(a, b, std::max(1, static_cast<int>(std::ceil((b - a) / o.element - 1e-9)))));
      continue;
    }
    std::vector<double> left = growing(a, middle, o.element, growth, o.largest),
                        right = growing(b, middle, o.element, growth, o.largest);
    std::reverse(right.begin(), right.end());
    append(out, left);
    append(out, right);
  }
  append(out, growing(unique.back(), high, o.element, o.growth, o.largest));
  return out;
}

/// The other plane's cells as one group of the first.
void append(Mesh& to, const Mesh& from, const char* group) {
  const Index first = to.point_count();
  for (Index k = 0; k < from.point_count(); ++k) to.add_point(from.point(k));
  std::vector<Index> nodes;
  for (Index c = 0; c < from.cell_count(); ++c) {
    nodes.assign(from.nodes(c).begin(), from.nodes(c).end());
    for (Index& n : nodes) n += first;
    const Index cell = to.add_cell(from.shape(c), nodes);
    to.add_group(group, 2).cells.push_back(cell);
  }
}

/// Planes below the ground with the names of their groups.
template <class Options>
Result<std::vector<std::pair<double, std::string>>> planes_below(const Options& o) {
  std::vector<std::pair<double, std::string>> out;
  for (const double depth : o.layers) out.emplace_back(depth, fmt::format("layer {}", out.size() + 1));
  if (o.rock > 0) out.emplace_back(o.rock, "rock");
  double last = 0;
  for (const auto& [depth, name] : out) {
    if (!(depth > last))
      return invalid(
          fmt::format("the plane '{}' at the depth {:g} m is not below the one before, at {:g} m", name, depth, last),
          "Give ground.layers from the top downwards, and ground.rock below them.");
    last = depth;
  }
  return out;
}

/// Planes of the same outline without what is on the first.
Result<Mesh> with_planes(Mesh out, const GroundRectangle& o) {
  auto planes = planes_below(o);
  if (!planes) return planes.error();
  for (const auto& [depth, name] : *planes) {
    for (const Trench& t : o.trenches)
      if (!(t.depth < depth * (1 - 1e-9)))
        return invalid(fmt::format("a trench of depth {:g} m reaches the plane '{}' at {:g} m", t.depth, name, depth),
                       "Make it shallower, or mesh the surfaces yourself.");
    GroundRectangle below = o;
    below.rock = 0;
    below.layers.clear();
    below.level = o.level - depth;
    below.element = std::max(o.element, 0.5 * depth);
    below.trenches.clear();
    for (Patch& p : below.patches) p.edge_growth = 1;
    auto plane = ground_rectangle(below);
    if (!plane) return plane.error();
    append(out, *plane, name.c_str());
  }
  return out;
}

Status check_rectangle(const GroundRectangle& o) {
  if (!(o.high[0] > o.low[0] && o.high[1] > o.low[1]))
    return invalid("the ground has no extent", "Give low and high corners with low < high.");
  if (!(o.element > 0))
    return invalid("the ground's element length must be positive",
                   "Give ground.element, about a sixth of the shortest wavelength.");
  const auto inside = [&](const std::array<double, 2>& low, const std::array<double, 2>& high,
                          const std::string& what) -> Status {
    for (std::size_t d = 0; d < 2; ++d)
      if (!(high[d] > low[d]) || low[d] < o.low[d] - 1e-9 || high[d] > o.high[d] + 1e-9)
        return invalid(fmt::format("{} from ({:g}, {:g}) to ({:g}, {:g}) is empty or reaches beyond the ground", what,
                                   low[0], low[1], high[0], high[1]),
                       "Enlarge the ground or shrink it.");
    return {};
  };
  const auto overlap = [](const auto& a, const auto& b) {
    return a.low[0] < b.high[0] - 1e-9 && b.low[0] < a.high[0] - 1e-9 && a.low[1] < b.high[1] - 1e-9 &&
           b.low[1] < a.high[1] - 1e-9;
  };
  for (std::size_t k = 0; k < o.patches.size(); ++k) {
    if (auto s = inside(o.patches[k].low, o.patches[k].high, "patch '" + o.patches[k].name + "'"); !s) return s;
    for (std::size_t j = 0; j < k; ++j)
      if (overlap(o.patches[k], o.patches[j]))
        return invalid(fmt::format("the patches '{}' and '{}' overlap", o.patches[j].name, o.patches[k].name),
                       "Move them apart.");
    for (const Trench& t : o.trenches)
      if (overlap(o.patches[k], t))
        return invalid(fmt::format("the patch '{}' lies over a trench", o.patches[k].name), "Move it off the trench.");
  }
  for (const Trench& t : o.trenches) {
    if (auto s = inside(t.low, t.high, "the trench"); !s) return s;
    if (!(t.depth > 0)) return invalid("the trench has no depth", "Give a positive depth.");
  }
  return {};
}

/// Walls and floor of a trench between the lines `x` of the ground, seen from inside the trench, so that normals point out of the soil.
void add_trench(Builder& builder, const GroundRectangle& o, const Trench& t,
                const std::array<std::vector<double>, 2>& x) {
  const int rows = std::max(1, static_cast<int>(std::ceil(t.depth / o.element - 1e-9)));
  const double h = t.depth / rows;
  const std::string group = t.filled ? "filled trench" : "trench";
  std::array<std::vector<double>, 2> g;
  for (std::size_t d = 0; d < 2; ++d)
    for (double v : x[d])
      if (v > t.low[d] - 1e-9 && v < t.high[d] + 1e-9) g[d].push_back(v);
  for (int r = 0; r < rows; ++r) {
    const double z1 = o.level - r * h, z0 = z1 - h;
    for (std::size_t i = 0; i + 1 < g[0].size(); ++i) {
      const double a = g[0][i], b = g[0][i + 1];
      builder.cell(group, [&](double u, double v) {
        return Vec3{b + u * (a - b), t.low[1], z0 + v * (z1 - z0)};
      });  // normal +y
      builder.cell(group, [&](double u, double v) {
        return Vec3{a + u * (b - a), t.high[1], z0 + v * (z1 - z0)};
      });  // normal −y
    }
    for (std::size_t i = 0; i + 1 < g[1].size(); ++i) {
      const double a = g[1][i], b = g[1][i + 1];
      builder.cell(group, [&](double u, double v) {
        return Vec3{t.low[0], a + u * (b - a), z0 + v * (z1 - z0)};
      });  // normal +x
      builder.cell(group, [&](double u, double v) {
        return Vec3{t.high[0], b + u * (a - b), z0 + v * (z1 - z0)};
      });  // normal −x
    }
  }
  for (std::size_t j = 0; j + 1 < g[1].size(); ++j)
    for (std::size_t i = 0; i + 1 < g[0].size(); ++i)
      builder.cell(group, [&](double u, double v) {
        return Vec3{g[0][i] + u * (g[0][i + 1] - g[0][i]), g[1][j] + v * (g[1][j + 1] - g[1][j]), o.level - t.depth};
      });
}

}  // namespace

Result<Mesh> ground_rectangle(const GroundRectangle& o) {
  if (auto s = check_rectangle(o); !s) return s.error();
  std::array<std::vector<double>, 2> x;
  for (std::size_t d = 0; d < 2; ++d) {
    std::vector<double> breaks;
    for (const Patch& p : o.patches) breaks.insert(breaks.end(), {p.low[d], p.high[d]});
    for (const Trench& t : o.trenches) breaks.insert(breaks.end(), {t.low[d], t.high[d]});
    x[d] = axis(o.low[d], o.high[d], breaks, o, [&](double a, double b) {
      double growth = 0;
      for (const Patch& p : o.patches)
        if (a >= p.low[d] - 1e-9 && b <= p.high[d] + 1e-9) growth = p.edge_growth;
      for (const Trench& t : o.trenches)
        if (a >= t.low[d] - 1e-9 && b <= t.high[d] + 1e-9 && growth == 0) growth = 1;
      return growth;
    });
  }
  if (x[0].size() * x[1].size() > 1'000'000)
    return invalid(fmt::format("the ground would have {} x {} cells", x[0].size() - 1, x[1].size() - 1),
                   "Enlarge ground.element or ground.growth.");
  Builder builder(o.order);
  const auto group_of = [&](double a, double b) -> std::string {
    for (const Trench& t : o.trenches)
      if (a > t.low[0] && a < t.high[0] && b > t.low[1] && b < t.high[1]) return t.filled ? "filling" : "";
    for (const Patch& p : o.patches)
      if (a > p.low[0] && a < p.high[0] && b > p.low[1] && b < p.high[1]) return p.name;
    return "ground";
  };
  for (std::size_t j = 0; j + 1 < x[1].size(); ++j)
    for (std::size_t i = 0; i + 1 < x[0].size(); ++i) {
      const double x0 = x[0][i], x1 = x[0][i + 1], y0 = x[1][j], y1 = x[1][j + 1];
      const std::string group = group_of(0.5 * (x0 + x1), 0.5 * (y0 + y1));
      if (group.empty()) continue;
      builder.cell(group, [&](double u, double v) { return Vec3{x0 + u * (x1 - x0), y0 + v * (y1 - y0), o.level}; });
    }
  for (const Trench& t : o.trenches) add_trench(builder, o, t, x);
  return with_planes(builder.take(), o);
}

Result<Mesh> ground_disc(const GroundDisc& o) {
  if (!(o.radius > 0) || o.extent < o.radius)
    return invalid("the ground must reach beyond the disc", "Give ground.extent >= ground.radius > 0.");
  if (o.around < 1 || o.around > 200 || o.inside < 1 || o.inside > 200)
    return invalid("the disc needs 1 to 200 cells around a quarter and 1 to 200 rings",
                   "Change ground.around or ground.rings.");
  Builder builder(o.order);
  const double core = 0.5 * o.radius / (1 + 0.1 * (o.inside > 2 ? 1 : 0));
  const int n = o.around;
  const auto lattice = [&](double t) { return -1 + 2 * t / n; };
  // The core: a square whose sides bulge half-way to the circle through its corners.
  const auto bulge = [&](double a, double b) {
    const double s = std::numbers::sqrt2, fa = std::numbers::pi / 4;
    const Vec3 square{core * a, core * b, o.level};
    const double m = std::max(std::abs(a), std::abs(b));
    if (m < 1e-14) return square;
    Vec3 round{};
    if (std::abs(a) >= std::abs(b))
      round = {std::copysign(1.0, a) * m * core * s * std::cos(fa * b / m), m * core * s * std::sin(fa * b / m),
               o.level};
    else
      round = {m * core * s * std::sin(fa * a / m), std::copysign(1.0, b) * m * core * s * std::cos(fa * a / m),
               o.level};
    const double w = 0.4 * m * m;
    return Vec3{(1 - w) * square[0] + w * round[0], (1 - w) * square[1] + w * round[1], o.level};
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      builder.cell(o.name, [&](double u, double v) { return bulge(lattice(i + u), lattice(j + v)); });
  // Rings: `t` in [0, 4n) runs counter-clockwise along the core's border.
  const auto border = [&](double t) {
    const int side = static_cast<int>(t / n) % 4;
    const double l = lattice(t - side * static_cast<double>(n));
    return side == 0 ? bulge(1, l) : side == 1 ? bulge(-l, 1) : side == 2 ? bulge(-1, -l) : bulge(l, -1);
  };
  const auto direction = [&](double t) { return -std::numbers::pi / 4 + 2 * std::numbers::pi * t / (4.0 * n); };
  const std::vector<double> levels = graded(0, 1, o.inside, o.inside_growth);
  const double last_width = (levels[levels.size() - 1] - levels[levels.size() - 2]) * (o.radius - core * 1.2);
  for (std::size_t r = 0; r + 1 < levels.size(); ++r)
    for (int k = 0; k < 4 * n; ++k)
      builder.cell(o.name, [&](double u, double v) {
        const double t = k + v >= 4 * n ? 0 : k + v, s = levels[r] + u * (levels[r + 1] - levels[r]);
        // the side's end belongs to the side that begins there
        const Vec3 b = border(t);
        const double a = direction(t);
        return Vec3{(1 - s) * b[0] + s * o.radius * std::cos(a), (1 - s) * b[1] + s * o.radius * std::sin(a), o.level};
      });
  if (o.extent > o.radius * (1 + 1e-9)) {
    const double first = o.first_outside > 0 ? o.first_outside : last_width;
    const std::vector<double> radii = growing(o.radius, o.extent, first, o.outside_growth, 0);
    for (std::size_t r = 0; r + 1 < radii.size(); ++r)
      for (int k = 0; k < 4 * n; ++k)
        builder.cell("ground", [&](double u, double v) {
          const double a = direction(k + v >= 4 * n ? 0 : k + v), s = radii[r] + u * (radii[r + 1] - radii[r]);
          return Vec3{s * std::cos(a), s * std::sin(a), o.level};
        });
  }
  Mesh out = builder.take();
  auto planes = planes_below(o);
  if (!planes) return planes.error();
  for (const auto& [depth, name] : *planes) {
    GroundDisc below = o;
    below.rock = 0;
    below.layers.clear();
    below.level = o.level - depth;
    below.name = name;
    below.radius = std::min(o.extent, std::max(o.radius, depth));
    below.inside = 3;
    below.inside_growth = 1;
    below.first_outside = 0;
    auto plane = ground_disc(below);
    if (!plane) return plane.error();
    append(out, *plane, name.c_str());
  }
  return out;
}

}  // namespace conoid::elastic_bem

// SPDX-License-Identifier: BSD-3-Clause
// Conditions and the columns they leave known; points inside hollows. The solution itself is in solve.cpp.
#include "engine/solvers/elastic_bem/solving/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <fmt/core.h>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/plan_compressed.hpp"
#include "engine/solvers/elastic_bem/solving/compressed_equations.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

/// Of stiff regions in compressed equations: beyond it quadrature is what limits them.
constexpr double most_weight = 1000;

/// Winding number of the elements of one component about a point, by the solid angle of a fine product rule.
double winding(const Surface& s, int component, const Vec3& x) {
  double sum = 0;
  PointSet set;
  for (const Element& e : s.elements) {
    if (e.component != component) continue;
    set.clear();
    near_rule(e, x, 1e-3, 0, set);
    for (std::size_t q = 0; q < set.w.size(); ++q) {
      const Vec3 d = sub({set.x[q], set.y[q], set.z[q]}, x);
      const double r = norm(d);
      sum += (d[0] * set.nx[q] + d[1] * set.ny[q] + d[2] * set.nz[q]) / (r * r * r);
    }
  }
  return sum / (4 * std::numbers::pi);
}

}  // namespace

double hollow_radius(const Surface& surface, int component) {
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const Element& e : surface.elements)
    if (e.component == component)
      for (int k = 0; k < nodes_of(e.shape); ++k)
        for (std::size_t d = 0; d < 3; ++d) {
          low[d] = std::min(low[d], e.x[static_cast<std::size_t>(k)][d]);
          high[d] = std::max(high[d], e.x[static_cast<std::size_t>(k)][d]);
        }
  const Vec3 middle = scale(0.5, add(low, high));
  double radius = 0;
  for (const Element& e : surface.elements)
    if (e.component == component)
      for (int k = 0; k < nodes_of(e.shape); ++k)
        radius = std::max(radius, distance(middle, e.x[static_cast<std::size_t>(k)]));
  return radius;
}

double safe_wave_number(const Surface& surface) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < surface.hollow.size(); ++c)
    if (surface.hollow[c]) least = std::min(least, 3.3 / hollow_radius(surface, static_cast<int>(c)));
  return least;
}

namespace {

std::vector<Vec3> points_in(const Surface& surface, int component, int count, std::mt19937& random) {
  std::vector<Vec3> out;
  std::uniform_real_distribution<double> unit_interval(0, 1);
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const Element& e : surface.elements)
    if (e.component == component)
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], e.centre[d]);
        high[d] = std::max(high[d], e.centre[d]);
      }
  for (int attempt = 0; attempt < 200 * count && static_cast<int>(out.size()) < count; ++attempt) {
    Vec3 p{};
    for (std::size_t d = 0; d < 3; ++d) p[d] = low[d] + (high[d] - low[d]) * unit_interval(random);
    double nearest = 1e300, size = 0;
    for (const Element& e : surface.elements)
      if (e.component == component && distance(e.centre, p) < nearest) {
        nearest = distance(e.centre, p);
        size = e.size;
      }
    // Normals point into the hollow: inside it the angle is −4π.
    if (nearest < 0.6 * size || std::abs(winding(surface, component, p) + 1) > 0.1) continue;
    out.push_back(p);
  }
  return out;
}

}  // namespace

std::vector<Vec3> hollow_points(const Surface& surface, int component, int count, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  return points_in(surface, component, count, random);
}

std::vector<Vec3> chief_points(const Surface& surface, int count, int seed) {
  std::vector<Vec3> out;
  std::mt19937 random(static_cast<unsigned>(seed));
  for (std::size_t c = 0; c < surface.hollow.size(); ++c) {
    if (!surface.hollow[c]) continue;
    const auto more = points_in(surface, static_cast<int>(c), count, random);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

Result<BoundarySystem> BoundarySystem::make(const Surface& surface, std::vector<Condition> conditions) {
  BoundarySystem s;
  s.surface_ = &surface;
  s.regions_ = {{&surface, 0, 0}};
  s.conditions_ = std::move(conditions);
  for (Index n = 0; n < surface.node_count(); ++n) {
    std::array<Index, 3> unknown{-1, -1, -1};
    for (Index t : surface.node_tractions[static_cast<std::size_t>(n)]) {
      const Condition& c =
          s.conditions_[static_cast<std::size_t>(surface.traction_condition[static_cast<std::size_t>(t)])];
      for (std::size_t d = 0; d < 3; ++d) {
        if (!c.displacement[d]) continue;
        if (unknown[d] >= 0) {
          const Vec3& p = surface.nodes[static_cast<std::size_t>(n)];
          const int other = surface.traction_condition[static_cast<std::size_t>(unknown[d])];
          return make_error(
              ErrorCode::invalid_input,
              fmt::format(
                  "'{}' and '{}' both give the displacement {} at ({:.4g}, {:.4g}, {:.4g}), so that two tractions are "
                  "unknown at one node",
                  c.name, s.conditions_[static_cast<std::size_t>(other)].name, "xyz"[d], p[0], p[1], p[2]),
              "Leave a row of free elements between them, or use parameters.elements \"constant\" or "
              "\"discontinuous\".");
        }
        unknown[d] = t;
      }
    }
    s.unknown_traction_.push_back(unknown);
  }
  return s;
}

Status BoundarySystem::set_symmetry(std::span<const int> axes) {
  const Index m = surface_->node_count();
  std::vector<char> kind(static_cast<std::size_t>(3 * m));
  for (Index k = 0; k < m; ++k)
    for (std::size_t d = 0; d < 3; ++d)
      kind[d * static_cast<std::size_t>(m) + static_cast<std::size_t>(k)] =
          unknown_traction_[static_cast<std::size_t>(k)][d] >= 0 ? 1 : 0;
  std::vector<Mirror> all;
  for (const RegionRows& r : regions_) {  // the two sides of an interface have nodes at the same places
    auto own = mirrors_of(*r.surface, axes);
    if (!own) return own.error();
    append(all, *own);
  }
  auto found = parities_of(*surface_, all, kind);
  if (!found) return found.error();
  parities_ = std::move(*found);
  if (!several()) {
    mirrors_ = std::move(all);
    return {};
  }
  for (const Mirror& g : all)
    for (Index k = 0; k < m; ++k) {
      const Index other = partner(k), image = g.node[static_cast<std::size_t>(k)];
      if ((other < 0 ? -1 : g.node[static_cast<std::size_t>(other)]) == partner(image)) continue;
      const Vec3& x = surface_->nodes[static_cast<std::size_t>(k)];
      return make_error(ErrorCode::invalid_input,
                        fmt::format("planes of symmetry: the interface at ({:.6g}, {:.6g}, {:.6g}) is none at its "
                                    "mirror image",
                                    x[0], x[1], x[2]),
                        "Regions have to be their own mirror images, loads need not.");
    }
  parity_rows_.resize(kind.size());
  for (const RegionRows& r : regions_)
    for (Index k = r.first_node; k < r.first_node + r.surface->node_count(); ++k)
      for (Index d = 0; d < 3; ++d) parity_rows_[static_cast<std::size_t>(d * m + k)] = row_of(r, k, d);
  return {};
}

Index BoundarySystem::row_of(const RegionRows& region, Index node, Index d) const {
  return 3 * region.first_node + d * region.surface->node_count() + node - region.first_node;
}

void BoundarySystem::set_regions(std::vector<RegionRows> regions, std::vector<Index> partner) {
  regions_ = std::move(regions);
  partner_ = std::move(partner);
  for (RegionRows& own : regions_) {
    const Surface& s = *own.surface;
    if (std::ranges::count(s.closed, true) < static_cast<std::ptrdiff_t>(s.closed.size()) ||
        std::ranges::count(s.hollow, true) > 0)
      continue;
    for (Index k = own.first_node; k < own.first_node + s.node_count(); ++k) {
      if (this->partner(k) < 0) continue;
      std::size_t other = 0;
      while (other + 1 < regions_.size() && regions_[other + 1].first_node <= this->partner(k)) ++other;
      own.weight = std::max(own.weight, own.stiffness / regions_[other].stiffness);
    }
    own.weight = std::min(own.weight, most_weight);
  }
}

double BoundarySystem::heaviest() const {
  double out = 1;
  for (const RegionRows& r : regions_) out = std::max(out, r.weight);
  return out;
}

std::vector<BoundarySystem::Known> BoundarySystem::known_list(const std::vector<LoadValues>& cases) const {
  std::vector<Known> out;
  const auto any = [&](const std::vector<Complex3> LoadValues::*member, Index node, std::size_t d) {
    return std::any_of(cases.begin(), cases.end(), [&](const LoadValues& c) {
      return !(c.*member).empty() && (c.*member)[static_cast<std::size_t>(node)][d] != Complex(0);
    });
  };
  for (Index n = 0; n < surface_->node_count(); ++n)
    for (std::size_t d = 0; d < 3; ++d)
      if (unknown_traction_[static_cast<std::size_t>(n)][d] >= 0 && any(&LoadValues::displacement, n, d))
        out.push_back({false, n, d});
  for (Index t = 0; t < static_cast<Index>(surface_->traction_node.size()); ++t)
    for (std::size_t d = 0; d < 3; ++d)
      if (!traction_unknown(t, d) && any(&LoadValues::traction, t, d)) out.push_back({true, t, d});
  return out;
}

Index BoundarySystem::known_columns(const std::vector<LoadValues>& cases) const {
  return static_cast<Index>(known_list(cases).size());
}

Bytes BoundarySystem::bytes(Index known, const SolveOptions& options, bool single, double wave_number) const {
  const auto n = static_cast<double>(3 * surface_->node_count());
  if (options.method == Method::compressed) {
    // Known columns come and go before; as many of them as unknowns take as much. Of unknowns the rows of one of all mirror images are kept.
    const double all = static_cast<double>(plan_compression(*this, wave_number, options, single).bytes),
                 share = mirrors_.empty() ? 1
                                          : std::max(1 / static_cast<double>(mirrors_.size()),
                                                     std::min(1.0, static_cast<double>(known) / n));
    // Six cases reflected to all images, their products, both in the precision of the matrix, too.
    const double reflected = mirrors_.empty() ? 0 : 6 * n * static_cast<double>(mirrors_.size() + 1) * 24;
    // Before, row sums of bodies and curved ground take a static matrix of a finer tolerance and its rules, once.
    SolveOptions finer = options;
    finer.compression *= compressed_sums_share;
    finer.tolerance = 1;  // nothing is solved by it
    finer.tolerance_asked = true;
    Bytes before = 0;
    for (const RegionRows& r : regions_) {
      const Surface& own = *r.surface;
      if (surface_->node_count() >= least_compressed_sums && !options.accuracy.fixed8 &&
          own.active == static_cast<Index>(own.elements.size()) &&
          std::ranges::count(own.planar, true) < own.node_count())
        before = std::max(before, plan_compression(own, 0, finer, false).bytes / static_cast<Bytes>(options.sharing) +
                                      FarRules<double>::bytes(own, static_accuracy(options.accuracy), 0, false));
    }
    return std::max(before, static_cast<Bytes>(share * all / options.sharing + reflected) +
                                compressed_solution_bytes(*surface_, 6, options.sharing));
  }
  const double entry = single ? 8 : 16;
  double a_value = entry;  // the matrix
  // Factors, those of all parities: one of so many a side each.
  const double factors = parities_.empty() ? 1 : 1 / static_cast<double>(parities_.size());
  if (!single && options.method == Method::mixed) a_value += 8 * factors;
  if (!single && options.method == Method::direct) a_value += 16 * factors;
  const bool hollow = std::find(surface_->hollow.begin(), surface_->hollow.end(), true) != surface_->hollow.end();
  if (hollow &&
      (options.chief == Chief::on || (options.chief == Chief::automatic && wave_number > safe_wave_number(*surface_))))
    a_value += 16;  // with the interior equations, for QR
  return static_cast<Bytes>(n * n * a_value + n * static_cast<double>(known) * entry);
}

}  // namespace conoid::elastic_bem

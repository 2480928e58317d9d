// SPDX-License-Identifier: BSD-3-Clause
// Both fluids' kernels on the faces of filled bodies, four entries a pair of corners.
#include "engine/solvers/acoustic_bem/discretization/filled_tiles.hpp"

#include <algorithm>

#include "engine/solvers/acoustic_bem/discretization/tile_pairs.hpp"

namespace conoid::acoustic_bem {
namespace {

/// One fluid, and the factors of its kernels.
struct Fluid {
  LaneForm pressure;    ///< N
  LaneForm density;     ///< DC with α⁺ = 1 and α⁻ = 0: direct ½P, transposed ½P + Δκ
  double curl = 1;      ///< of M^N
  double single = 1;    ///< of P
  double doubled = 1;   ///< of Δκ
  bool inside = false;  ///< acts within a body only
};

Fluid fluid_of(double delta, double around, double density, bool inside) {
  return {{LaneKind::rigid, delta, 0, 0},
          {LaneKind::soft_combined, delta, 1, 0},
          around / (delta * density),
          density / around,
          1 / delta,
          inside};
}

/// Faces, without their second ones.
std::vector<std::int32_t> faces_of(const Surface& surface, Interval unknowns) {
  std::vector<std::int32_t> out = surface.touching(unknowns);
  out.erase(std::lower_bound(out.begin(), out.end(), static_cast<std::int32_t>(surface.faces())), out.end());
  return out;
}

class FilledSweep {
 public:
  FilledSweep(const TileContext& context, TileSpace& space, OuterSet& outer, Block& direct, Block& transposed)
      : context_(context), space_(space), outer_(outer), direct_(direct), transposed_(transposed) {}

  /// `S`: face s, or its image times `factor`.
  void source(const Fluid& fluid, std::int32_t s, const Triangle& S, double factor) {
    const Surface& surface = context_.surface;
    const LaneSource source = lane_source(S);
    const auto W = static_cast<std::size_t>(context_.kernels.lanes);
    const auto meets = [&](std::size_t k) { return !fluid.inside || inside_one_body(surface, s, outer_.triangle(k)); };
    const auto pair = [&](const LaneOuter& outer, std::size_t begin, const PackedRule& rule) {
      context_.kernels.pair(source, outer, begin, rule.view(), fluid.pressure,
                            result(space_.direct, space_.transposed));
      context_.kernels.pair(source, outer, begin, rule.view(), fluid.density,
                            result(space_.direct_sigma, space_.transposed_sigma));
    };
    const auto scattered = [&](std::size_t k, std::size_t lane, const PackedRule& rule) {
      scatter(fluid, S, factor, k, lane);
      space_.evaluations += 2 * rule.weight.size();
    };
    for_batches(
        context_, space_, outer_, S,
        [&](std::size_t begin) {
          const std::size_t end = std::min(begin + W, outer_.size());
          const auto wanted = [&](std::size_t k) { return space_.close[k] == Closeness::far && meets(k); };
          bool any = false;
          for (std::size_t k = begin; k < end; ++k) any = any || wanted(k);
          if (!any) return;
          pair(outer_.far(), begin, context_.far);
          for (std::size_t k = begin; k < end; ++k)
            if (wanted(k)) scattered(k, k - begin, context_.far);
        },
        [&](const std::size_t* picked, std::size_t count, const PackedRule& rule) {
          if (!std::any_of(picked, picked + count, meets)) return;
          pair(outer_.batch(picked, count, rule), 0, rule);
          for (std::size_t t = 0; t < count; ++t)
            if (meets(picked[t])) scattered(picked[t], t, rule);
        });
  }

 private:
  [[nodiscard]] LaneResult result(std::vector<double>& direct, std::vector<double>& transposed) {
    return {space_.first.data(), space_.last.data(), direct.data(), transposed.data(), space_.work.data()};
  }

  /// Adds a pair's four entries a pair of corners; pressures have even numbers, σ of the same vertex follows.
  void scatter(const Fluid& fluid, const Triangle& S, double by, std::size_t k, std::size_t lane) {
    const Surface& surface = context_.surface;
    const auto W = static_cast<std::size_t>(context_.kernels.lanes);
    const Triangle& T = surface.triangles[static_cast<std::size_t>(outer_.triangle(k))];
    const auto low = static_cast<Index>(space_.first[lane]);
    const auto shells = static_cast<std::size_t>(space_.last[lane] - space_.first[lane]) + 1;
    const auto at = [&](Block& block, Index i, Index j) { return block.at(i, j) + (low - block.first(i, j)); };
    const auto add = [&](double* to, double factor, const double* from, std::size_t count) {
      for (std::size_t c = 0; c < count; ++c) to[c] += factor * from[c * 9 * W];
    };
    for_shares(surface, T, direct_.rows, [&](std::size_t a, Index i, double) {
      for_shares(surface, S, direct_.cols, [&](std::size_t b, Index j, double) {
        const std::size_t entry = (3 * a + b) * W + lane;
        add(at(direct_, i, j), by * fluid.curl, space_.direct.data() + entry, shells + 2);
        add(at(transposed_, j, i), by * fluid.curl, space_.transposed.data() + entry, shells + 2);
        const double *half = space_.direct_sigma.data() + entry, *whole = space_.transposed_sigma.data() + entry;
        add(at(direct_, i + 1, j + 1), by * fluid.single, half, shells);
        add(at(transposed_, j + 1, i + 1), by * fluid.single, half, shells);
        double *const of_density = at(transposed_, j, i + 1), *const of_pressure = at(direct_, i + 1, j);
        for (std::size_t c = 0; c < shells + 1; ++c) {
          const double kappa = by * fluid.doubled * (whole[c * 9 * W] - half[c * 9 * W]);
          of_density[c] += kappa;
          of_pressure[c] -= kappa;
        }
      });
    });
  }

  const TileContext& context_;
  TileSpace& space_;
  OuterSet& outer_;
  Block &direct_, &transposed_;
};

}  // namespace

bool inside_one_body(const Surface& surface, std::int32_t a, std::int32_t b) {
  const std::size_t faces = surface.faces();
  return surface.body_of[static_cast<std::size_t>(a) % faces] == surface.body_of[static_cast<std::size_t>(b) % faces];
}

void sweep_filled_pairs(const TileContext& context, TileSpace& space, Block& direct, Block& transposed,
                        const std::stop_token& stop) {
  const Surface& surface = context.surface;
  const double around = context.form.delta();
  const Fluid outside = fluid_of(around, around, 1, false),
              within = fluid_of(delta_inside(surface, context.form), around, surface.conditions.filling->density, true);
  OuterSet outer(surface, faces_of(surface, direct.rows), context.far, context.near, context.thin,
                 context.kernels.lanes);
  FilledSweep sweep(context, space, outer, direct, transposed);
  for (const std::int32_t s : faces_of(surface, direct.cols)) {
    if (stop.stop_requested()) return;
    for_images(surface, s, [&](const Triangle& S, double factor) { sweep.source(outside, s, S, factor); });
    sweep.source(within, s, surface.triangles[static_cast<std::size_t>(s)], 1);
  }
}

}  // namespace conoid::acoustic_bem

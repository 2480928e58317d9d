// SPDX-License-Identifier: BSD-3-Clause
// What the sweeps over pairs of triangles have in common: unknowns at corners, batches of outer triangles, images.
#pragma once

#include <algorithm>

#include "engine/solvers/acoustic_bem/discretization/tile.hpp"

namespace conoid::acoustic_bem {

/// Calls f(corner, unknown, weight) for the unknowns of a triangle's corners that lie in the range.
template <class F>
void for_shares(const Surface& surface, const Triangle& t, Interval range, F&& f) {
  for (std::size_t a = 0; a < 3; ++a)
    for (const Share& part : surface.shares(t.vertex[a]))
      if (part.unknown >= range.begin && part.unknown < range.end) f(a, Index{part.unknown}, part.weight);
}

/// Calls far(begin) for each batch of consecutive lanes that holds a far triangle, near(picked, count, rule) for the others.
template <class Far, class Near>
void for_batches(const TileContext& context, TileSpace& space, OuterSet& outer, const Triangle& source, Far&& far,
                 Near&& near) {
  const auto W = static_cast<std::size_t>(context.kernels.lanes);
  outer.classify(source, space.close);
  space.picked.clear();
  space.picked_thin.clear();
  for (std::size_t begin = 0; begin < outer.size(); begin += W) {
    bool any = false;
    for (std::size_t k = begin; k < std::min(begin + W, outer.size()); ++k) {
      if (space.close[k] == Closeness::near) space.picked.push_back(k);
      if (space.close[k] == Closeness::thin) space.picked_thin.push_back(k);
      any = any || space.close[k] == Closeness::far;
    }
    if (any) far(begin);
  }
  for (std::size_t p = 0; p < space.picked.size(); p += W)
    near(space.picked.data() + p, std::min(W, space.picked.size() - p), context.near);
  for (std::size_t p = 0; p < space.picked_thin.size(); p += W)
    near(space.picked_thin.data() + p, std::min(W, space.picked_thin.size() - p), context.thin);
}

/// Calls f(triangle, factor) for a source and for its image below the ground.
template <class F>
void for_images(const Surface& surface, std::int32_t s, F&& f) {
  f(surface.triangles[static_cast<std::size_t>(s)], 1.0);
  if (!surface.images.empty()) f(surface.images[static_cast<std::size_t>(s)], surface.image_sign());
}

/// Room for what a thread computes of a batch of pairs.
void reserve(TileSpace& space, const TileContext& context);

}  // namespace conoid::acoustic_bem

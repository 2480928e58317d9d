// SPDX-License-Identifier: BSD-3-Clause
// The planes of a rank.
#include "engine/solvers/acoustic_fd/stepping/slab.hpp"

#include "engine/cluster/rank_share.hpp"
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/stepping/storage.hpp"
#include "engine/solvers/acoustic_fd/stepping/tile_choice.hpp"

#include <algorithm>

namespace conoid::acoustic_fd {

Index steps_between_exchanges(const Problem& problem, int ranks) {
  if (ranks == 1) return band_height(problem.order / 2);
  const Index thinnest = problem.grid.points[0] / ranks, s = problem.order / 2;
  // What is computed twice, s T planes a side, should stay below a tenth of the slab.
  return std::clamp<Index>(thinnest / (10 * s), 1, band_height(problem.order / 2) / 2);
}

Interval slab(Index planes, int rank, int ranks) {
  return rank_share(planes, rank, ranks);
}

Bytes march_bytes(const Problem& problem, int ranks) {
  const auto& n = problem.grid.points;
  const Index s = problem.order / 2;
  const Index beside = ranks > 1 ? s * steps_between_exchanges(problem, ranks) : s;
  const Layout layout(0, (n[0] + ranks - 1) / ranks, n[1], n[2], static_cast<int>(s), beside);
  const bool varying = problem.medium_varies();
  const Bytes value = problem.double_precision ? 8 : 4;
  Bytes layers = 0;
  for (std::size_t f = 0; f < 6; ++f)
    if (problem.faces[f].kind == FaceKind::matched)
      layers += static_cast<Bytes>(static_cast<Index>(layer_arrays(problem)) * problem.faces[f].width *
                                   (problem.grid.cells() / n[f / 2])) *
                value;
  return static_cast<Bytes>(layout.count) * value *
             static_cast<Bytes>(2 + (varying ? 1 : 0) + (problem.density ? 1 : 0) + problem.kept_arrays()) +
         layers / static_cast<Bytes>(ranks) + (problem.velocity ? problem.velocity->bytes() : 0) +
         (problem.obstacles ? problem.obstacles->bytes() : 0);
}

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// Forecasts of memory and time of the radiation operator.
#include "engine/solvers/maxwell_fem/radiation_plan.hpp"

#include "engine/core/units.hpp"
#include "engine/solvers/maxwell_fem/kernels/radiation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::maxwell_fem {
namespace {

// Of one core, as measured on spheres of 7,680 to 30,720 points a surface (AVX-512, 3 GHz). Only ratios matter for the choice.
constexpr double product_rate = 4e10;     ///< flop/s of tiles times panels
constexpr double low_rank_rate = 1.6e10;  ///< flop/s of small products
constexpr double stream_rate = 4e9;       ///< bytes/s of far blocks with one right-hand side
constexpr double making = 8.5e-9;         ///< s a byte of far blocks
constexpr double near_points = 1000;      ///< of S' in leaves near a point of S
constexpr double worth = 0.7;

}  // namespace

RadiationPlan plan_radiation(const RadiationWork& w, double budget) {
  RadiationPlan out;
  const double pairs = w.outer_points * w.current_points, n = std::sqrt(pairs);
  if (!(n > 0)) return out;
  out.dense_bytes = 64 * pairs;
  // A point of S meets 27 clusters a level of the tree; 58 in all with 7,680 points (measured). Rank: 3.8 a decade.
  const double clusters = std::max(0.0, 58 + 27 * std::log2(n / 7680)),
               rank = 3.8 * std::max(1.0, -std::log10(w.tolerance));
  const double ranks = std::max(1.0, w.ranks);
  out.compressed_bytes = std::min(out.dense_bytes, 96 * rank * n * clusters) / ranks;
  const auto product = [&](double of_pairs) {
    return of_pairs * (w.columns < 1.5 ? fused_flops : tile_flops + 32 * w.columns) / product_rate;
  };
  out.plain_seconds = w.applications * product(pairs) / ranks;
  const double far = out.compressed_bytes * std::max(1 / stream_rate, 0.5 * w.columns / low_rank_rate);
  out.compressed_seconds =
      making * out.compressed_bytes + w.applications * (far + product(std::min(pairs, near_points * n)) / ranks);
  const std::string whole = format_bytes(static_cast<Bytes>(out.dense_bytes)),
                    kept = format_bytes(static_cast<Bytes>(out.compressed_bytes));
  if (out.compressed_seconds > worth * out.plain_seconds) {
    out.reason =
        fmt::format("computed anew each time, {}: about {} of a core, compressed {}; kept whole it would be {}",
                    w.columns < 1.5 ? "one by one" : "in blocked products", format_duration(out.plain_seconds),
                    format_duration(out.compressed_seconds), whole);
  } else if (out.compressed_bytes > budget / 4) {
    out.reason = fmt::format(
        "computed anew each time: compressed it would need {} of {}, more than a quarter of the budget", kept, whole);
  } else {
    out.compressed = true;
    out.reason = fmt::format("compressed to about {} of {}: about {} of a core, computed anew {}", kept, whole,
                             format_duration(out.compressed_seconds), format_duration(out.plain_seconds));
  }
  return out;
}

}  // namespace conoid::maxwell_fem

// SPDX-License-Identifier: BSD-3-Clause
// Which loop computes the radiation where the case leaves it open.
//
// The tangential operator written out holds 4 N_S N_S' complex numbers. Compressed (compressed.hpp) it keeps a small share of
// them, so that a right-hand side costs less than computing every coefficient anew, but building it costs as much as some
// applications. Compression is chosen when
//   1. the compressed operator, as foreseen, fits into a quarter of the memory budget,
//   2. all applications with it, its making included, are foreseen to take less than 0.7 of what they take without.
// The forecasts are laws fitted to spheres (radiation_plan.cpp); they hold within a factor of two, hence 0.7.
#pragma once

#include "engine/core/types.hpp"

#include <string>

namespace conoid::maxwell_fem {

struct RadiationWork {
  double outer_points = 0, current_points = 0;  ///< of S, of S'
  double columns = 1;       ///< right-hand sides to which the operator is applied at once, on average
  double applications = 1;  ///< how often
  double tolerance = 1e-4;  ///< of the blocks
  double ranks = 1;         ///< that share the loops; of a compressed operator each makes its own rows
};

struct RadiationPlan {
  bool compressed = false;
  double dense_bytes = 0, compressed_bytes = 0;      ///< the latter of one rank
  double plain_seconds = 0, compressed_seconds = 0;  ///< of one core: all applications; with the making of the blocks
  std::string reason;                                ///< one clause, for people
};

/// `budget`: bytes of the whole run.
[[nodiscard]] RadiationPlan plan_radiation(const RadiationWork& work, double budget);

}  // namespace conoid::maxwell_fem

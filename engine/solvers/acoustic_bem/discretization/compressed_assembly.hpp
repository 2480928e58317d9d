// SPDX-License-Identifier: BSD-3-Clause
// Assembly of compressed matrices: near clusters as they are, far ones between their skeletons (skeletons.hpp).
//
// Both are slices of the usual assembly. Those of skeletons come from a surface whose unknowns are the skeletons' alone. Some far blocks
// are computed whole as well and compared, so that the error is known.
#pragma once

#include <functional>
#include <span>
#include <stop_token>

#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/skeletons.hpp"

namespace conoid::acoustic_bem {

/// The same surface with some of its unknowns alone, in this order; what others send and feel is left out.
[[nodiscard]] Surface with_unknowns(const Surface& surface, std::span<const std::int32_t> unknowns);

/// One rank, processors. Form N or NC or DC on a surface without walls, ground and filling, ordered by clusters. `room` is asked with the memory
/// that slices will take once their sizes are known, and may refuse. Errors: stopped, those of `room`.
template <class Real>
[[nodiscard]] Result<Matrices<Real>> assemble_compressed(const Surface& surface, const Form& form,
                                                         const AssemblyOptions& options,
                                                         const SkeletonOptions& skeletons,
                                                         const std::function<Status(Bytes)>& room, Team& team,
                                                         Progress& progress, const std::stop_token& stop);

}  // namespace conoid::acoustic_bem

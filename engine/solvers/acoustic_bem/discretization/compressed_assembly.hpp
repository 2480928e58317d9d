// SPDX-License-Identifier: BSD-3-Clause
// Assembly of compressed matrices: near clusters as they are, by the usual assembly, far ones between the points of their skeletons
// (skeletons.hpp, far_kernel.hpp). Some far blocks are computed whole as well and compared, so that the error is known.
#pragma once

#include <functional>
#include <span>
#include <stop_token>

#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/skeletons.hpp"

namespace conoid::acoustic_bem {

/// The same surface with some of its unknowns alone, in this order; what others send and feel is left out.
[[nodiscard]] Surface with_unknowns(const Surface& surface, std::span<const std::int32_t> unknowns);

/// Walls of a room that are rigid or of an impedance: a pressure that is constant over all of them stays as it is.
[[nodiscard]] bool holds_mean_pressure(const Surface& surface);

/// Makes such a pressure one of the compressed matrices: Σ_k M_k on ones, which vanishes with whole matrices and of far blocks only within
/// their error, is taken from the diagonal, half from M_0 and half from M_1. (1 + z)/2 at the frequency of z is what means over steps make of a
/// stiffness: it adds ½ d·φ² to the energy of a φ and neither feeds nor damps; and since Σ_k k M_k of rigid faces is half of Σ_k M_k for each
/// pair of unknowns (∫ curl λ dS = 0), far blocks included (far_kernel.hpp), pressures that grow evenly in time stay solutions, too. What
/// walls of an impedance do, S_k − S_{k−1}, adds up to nothing by itself. All ranks.
template <class Real>
void keep_mean_pressure(Matrices<Real>& matrices, Communicator* cluster);

/// By processors; of several ranks each has slices of its own, near and far ones, and all calls are collective. Form N, NC or DC, of a room form N around one closed piece; ordered by clusters. `room` is asked with the memory
/// that slices (of this rank) will take once their sizes are known, and may refuse, on all ranks alike. Errors: stopped, those of `room`.
template <class Real>
[[nodiscard]] Result<Matrices<Real>> assemble_compressed(const Surface& surface, const Form& form,
                                                         const AssemblyOptions& options,
                                                         const SkeletonOptions& skeletons,
                                                         const std::function<Status(Bytes)>& room,
                                                         Communicator* cluster, Team& team, Progress& progress,
                                                         const std::stop_token& stop);

}  // namespace conoid::acoustic_bem

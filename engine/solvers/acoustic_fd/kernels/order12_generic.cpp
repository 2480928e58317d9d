// SPDX-License-Identifier: BSD-3-Clause
// The kernels of order 12 for any machine.
#include "engine/solvers/acoustic_fd/kernels/patch_tables.hpp"

namespace conoid::acoustic_fd {
namespace {

#include "engine/solvers/acoustic_fd/kernels/patch_generic.inl"

}  // namespace

CONOID_ACOUSTIC_FD_ORDER(generic, 6)

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// The ranks of MPI_COMM_WORLD; only present in builds with MPI.
#pragma once

#include <memory>

#include "engine/cluster/communicator.hpp"

namespace conoid {

[[nodiscard]] Result<std::unique_ptr<Communicator>> mpi_world();

}  // namespace conoid

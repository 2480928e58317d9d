// SPDX-License-Identifier: BSD-3-Clause
// Where a place in a container is counted by an Index.
#pragma once

#include "engine/core/types.hpp"

#include <cstddef>

namespace conoid::hydro_fem {

inline std::size_t u(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace conoid::hydro_fem

// SPDX-License-Identifier: BSD-3-Clause
// Where an error cannot be returned: what a result holds, or its error as an exception.
#pragma once

#include <utility>

#include "engine/core/error.hpp"

namespace conoid {

/// Throws Failure.
template <class T>
[[nodiscard]] T taken_or_thrown(Result<T>&& result) {
  if (!result) throw Failure(result.error());
  return std::move(result).value();
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// How long a body is in wavelengths, told from a case by the names of its fields, before any solver looks at it.
#pragma once

#include "engine/core/json.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// The highest of the fields "frequency" and "to" in excitation, parameters.frequencies and output, Hz; 0 without any. The case may be
/// wrong elsewhere.
[[nodiscard]] double highest_frequency(const Json& document);

/// The lowest of the speeds among the materials, m/s; of light where the schema's materials have a permittivity; 0 without any.
[[nodiscard]] double lowest_speed(const Json& document, const Json& schema);

}  // namespace conoid

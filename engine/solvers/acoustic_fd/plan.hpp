// SPDX-License-Identifier: BSD-3-Clause
// What check, estimate and prepare say and take alike.
#pragma once

#include "engine/solvers/acoustic_fd/problem.hpp"
#include "engine/team/offer.hpp"

#include <string>

namespace conoid::acoustic_fd {

/// "201 × 201 × 101": the nodes of a grid.
[[nodiscard]] std::string grid_text(const Grid& grid);

/// As format_bytes(), rounded up: a budget of what is written is enough.
[[nodiscard]] std::string enough_bytes(Bytes bytes);

/// For fields: what is offered, less what is no field where nobody has said a number.
[[nodiscard]] Bytes field_budget(const Offer& offer);

}  // namespace conoid::acoustic_fd

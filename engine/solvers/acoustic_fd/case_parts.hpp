// SPDX-License-Identifier: BSD-3-Clause
// What the files share that read a case: its medium (case_medium.cpp), lengths in messages.
#pragma once

#include "engine/case/case_reader.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_fd/case.hpp"

#include <string>

namespace conoid::acoustic_fd {

/// In words, with a unit that suits it.
[[nodiscard]] inline std::string length(double metres) {
  return format_quantity(metres, "m");
}

/// `medium.velocity` and `medium.density`, files and all, as the case has them. Needs the grid.
void read_medium(const CaseReader& reader, Setup& setup);
/// Constant Q over the band of what is sent, unless the case says another; the speed becomes that of high frequency.
void read_attenuation(const CaseReader& reader, Setup& setup);

}  // namespace conoid::acoustic_fd

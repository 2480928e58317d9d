// SPDX-License-Identifier: BSD-3-Clause
// What the files share that read a case: its medium (case_medium.cpp), what it sends (case_excitation.cpp), places in messages.
#pragma once

#include "engine/case/case_reader.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_fd/case.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace conoid::acoustic_fd {

/// In words, with a unit that suits it.
[[nodiscard]] inline std::string length(double metres) {
  return format_quantity(metres, "m");
}

/// Whether a position is outside the grid, in words; empty: it is not.
[[nodiscard]] std::string outside(const Grid& grid, const Vec3& position);
/// Of a position, in nodes.
[[nodiscard]] double from_face(const Grid& grid, std::size_t face, const Vec3& position);
/// In whose absorbing layer a position lies, and how deep, in words; empty: in none.
[[nodiscard]] std::string within_layer(const Problem& problem, const Vec3& position);

/// `medium.velocity` and `medium.density`, files and all, as the case has them. Needs the grid.
void read_medium(const CaseReader& reader, Setup& setup);
/// Constant Q over the band of what is sent, unless the case says another; the speed becomes that of high frequency.
void read_attenuation(const CaseReader& reader, Setup& setup);

/// Whether all samples of trace `number` (from 0 on) of a file are numbers.
[[nodiscard]] Status check_samples(const std::filesystem::path& file, Index number, std::span<const float> samples);

/// `excitation.traces`: traces of a SEG-Y file as point sources at its receivers, backwards in time where asked; appended to problem.sources. They begin
/// when their headers say (bytes 109-110); backwards all end together.
void read_traces(const CaseReader& reader, Problem& problem);
/// Places and beginnings of sources and sent traces.
void check_sources(const Setup& setup, const CaseReader& reader);
/// Sources that send nothing, and receivers that nothing reaches, before the run ends: tables of zeros.
void check_silence(const Setup& setup, const CaseReader& reader);
/// Pressure at the start lies in the grid, and none of it in an absorbing layer; a plane wave goes on as one beside rigid faces alone.
void check_initial(const Setup& setup, const CaseReader& reader);

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// What is known of a frequency when it is computed, as the leading rank writes it: on its way between ranks and into checkpoints.
#pragma once

#include "engine/solvers/maxwell_fem/solving/far_field.hpp"
#include "engine/solvers/step_rounds.hpp"

#include <complex>
#include <vector>

namespace conoid::maxwell_fem {

/// All far fields that the tables of one frequency are made of, [direction][solved wave]: they take long, and a stop between
/// tables would leave some.
struct FarFields {
  std::vector<std::vector<FarAmplitude>> cuts;
  std::vector<FarAmplitude> sphere, back, forward, everywhere, reciprocal;
};

struct OutcomeFacts {
  double iterations = 0, applications = 0;
  double residual = 0;
  double failed = 0;  ///< 1: has not converged
  double compression_error = 0;
  double factor_bytes = 0, factor_entries = 0, factor_operations = 0, compressed_bytes = 0;
  double seconds_factor = 0, seconds_solve = 0, seconds_radiate = 0, seconds_near = 0;
  double bar_unsettled = 0;   ///< 1: the solves behind the error bar ended before it had settled
  double solve_residual = 0;  ///< of the solves with factors in single precision, the largest; 0: they are in double
  /// Of dipoles: W that they give to what the body scatters, W that flow through a sphere around all; what they do in the field of the wave
  /// that tries reciprocity (Dipole::reaction), W; where the far field is largest, rad, and its square there, V².
  double power_scattered = 0, power_flux = 0, reaction_real = 0, reaction_imaginary = 0;
  double strongest_theta = 0, strongest_phi = 0, strongest_squared = 0;
};

/// A line of the table of convergence, without its number.
struct IterationRow {
  double residual = 0, active = 0;
};

struct Outcome {
  std::vector<Index> solved;  ///< waves that are solved
  std::vector<Complex> mix;   ///< [wave][solved]: each wave as a sum of solved ones
  std::vector<Complex>
      changes;  ///< of F by the next order, [v][w] of the solved waves and the one for reciprocity; empty: not asked for
  FarFields far;
  std::vector<IterationRow> rows;
  double told = 0;  ///< rows that are in the table
  OutcomeFacts facts;
  std::vector<std::vector<std::complex<float>>>
      shown;  ///< surface, planes, volume, where a frame is to be made of them
};

void put_outcome(ParcelWriter& out, const Outcome& outcome);
[[nodiscard]] Outcome get_outcome(ParcelReader& in);

}  // namespace conoid::maxwell_fem

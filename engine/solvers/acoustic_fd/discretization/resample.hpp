// SPDX-License-Identifier: BSD-3-Clause
// Models and traces on another spacing, and what a spacing does to waves.
//
// Sinc: a Kaiser-windowed sinc of 32 samples to either side. Finer, it passes what is below 0.88 of the old Nyquist frequency
// and keeps its images 120 dB down; coarser, it passes what is below 0.75 of the new one, and what would fold back is 120 dB
// down (Kaiser's rule: width of the transition (A − 8)/(2.285 · 64) rad a sample, b = 0.1102 (A − 8.7)). It rings beside jumps.
// Linear: a triangle as wide as the coarser of the two spacings. It never leaves the range of the samples and is a weak filter.
// Beyond its ends the nearest sample holds. Constants are kept.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/solvers/solver.hpp"

#include <span>
#include <vector>

namespace conoid::acoustic_fd {

enum class ResampleFilter { sinc, linear };

/// Samples at origin + i spacing, i = 0 … count − 1.
struct SampleLine {
  Index count = 1;
  double origin = 0, spacing = 1;
  [[nodiscard]] double last() const { return origin + static_cast<double>(count - 1) * spacing; }
};

/// The samples of spacing `to` that cover `from`, beginning at its first sample; at its last one when `from_end`.
[[nodiscard]] SampleLine covering_line(const SampleLine& from, double to, bool from_end);

/// `values` is [outer][from.count][inner], the result [outer][to.count][inner]. Threads: those of OpenMP; the same bits with any
/// number of them.
[[nodiscard]] std::vector<float> resample_axis(std::span<const float> values, Index outer, Index inner,
                                               const SampleLine& from, const SampleLine& to, ResampleFilter filter);

/// SolverInfo::resample. Models: whatever open_model() reads, to .sgy, .vti or a JSON header beside raw floats; what leaves the
/// range of the old samples is cut to it and counted. Traces: SEG-Y, or CSV whose first column is the time. Nothing is written
/// over. Errors name the file.
[[nodiscard]] Status resample_file(const ResampleTask& task, const ReportSink& sink);

}  // namespace conoid::acoustic_fd

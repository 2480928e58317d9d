// SPDX-License-Identifier: BSD-3-Clause
// From a field to the numbers that are coloured: component, complex part, range.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/run/run_reader.hpp"

namespace conoid {

enum class ComplexPart { instant, magnitude, phase };

/// What of a field is shown. `angle` (radians) is the phase ωt of an animation: Re(z e^{jωt}).
struct ValueSelection {
  int component = -1;  ///< 0, 1, 2; −1: the value of a scalar, the length of a vector
  ComplexPart part = ComplexPart::instant;
  double angle = 0;
};

/// One number a point or cell. Lengths: a field's values must be entries × components × (2 if complex).
/// A vector's instantaneous length is |Re(v e^{jωt})|, its magnitude sqrt(Σ|v_i|²); its phase is the first component's.
[[nodiscard]] Result<std::vector<float>> select_values(const Field& field, Index entries,
                                                       const ValueSelection& selection);
/// The same; what a plain scalar field holds is shared, not copied: a big grid would hold its viewer up.
[[nodiscard]] Result<std::shared_ptr<const std::vector<float>>> shared_values(const Field& field, Index entries,
                                                                              const ValueSelection& selection);
/// How the selection is to be coloured: a vector's length is a magnitude whatever the field says.
[[nodiscard]] FieldKind kind_of(const FieldInfo& info, const ValueSelection& selection);
/// "Pressure", "|Velocity|", "Velocity x", "Phase of pressure".
[[nodiscard]] std::string label_of(const FieldInfo& info, const ValueSelection& selection);
[[nodiscard]] std::string unit_of(const FieldInfo& info, const ValueSelection& selection);

/// The range a colour map should span, rounded outwards: signed → ±r with r the `percent` percentile of |v| over values
/// above 1 % of the largest (so that a quiet far field does not count), magnitude → 0 … r when the values start near
/// zero, else low … high; phase → −π … π. Not-a-numbers are left out; all-zero fields give ±1 or 0 … 1.
[[nodiscard]] std::pair<double, double> robust_range(const std::vector<float>& values, FieldKind kind, double percent);

/// The range of a selection whose values are at hand. A wave that is animated has the range of its magnitude, through the whole period.
[[nodiscard]] Result<std::pair<double, double>> selected_range(const Field& field, const ValueSelection& selection,
                                                               const std::vector<float>& values, double percent);
/// Of all parts of a frame that carry the field (of one part, where `part` is not empty); nothing where none does, or all is zero.
/// For frames that are not drawn: any thread may call.
[[nodiscard]] std::optional<std::pair<double, double>> range_in_frame(const Frame& frame, const std::string& part,
                                                                      const std::string& field,
                                                                      const ValueSelection& selection, double percent);
/// By pieces, each without a branch: a field of millions that is still zero is looked through at the speed of memory.
[[nodiscard]] bool is_zero(const std::vector<float>& values);

/// One range for all frames of a run, from those of each (range_in_frame, none for frames that are zero): from the lowest to the highest
/// value. Of signed values the loudest quarter of the frames may go beyond: a wave is far louder beside its source than ever after, and
/// would be seen in its first frames alone. Empty without any.
[[nodiscard]] std::optional<std::pair<double, double>> range_over_frames(std::vector<std::pair<double, double>> ranges);

}  // namespace conoid

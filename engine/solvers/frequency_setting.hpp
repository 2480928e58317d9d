// SPDX-License-Identifier: BSD-3-Clause
// The frequencies of a case: from, to and count in equal steps or ratios, or the values themselves ("frequencies" among the fragments of
// engine/case/common.json). One form for all solvers.
#pragma once

#include <span>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/core/error.hpp"

namespace conoid {

/// How the k-th of n equal steps is rounded: both are right to the last bit but one, and a solver keeps the one that its runs have always had.
enum class StepRounding {
  product_first,  ///< from + ((to − from) k)/(n − 1)
  quotient_first  ///< from + (to − from) (k/(n − 1))
};

/// Hz, in the order of the case: ascending where they are spread. Empty where neither "from" nor "values" is given. Ranges that run backwards,
/// by ratios from zero, or from a frequency to itself in several steps, are errors in `out`; then the ends are as they were given.
[[nodiscard]] std::vector<double> read_frequencies(const Case& input, const Values& values, StepRounding rounding,
                                                   std::vector<Diagnostic>& out);

/// Whether their steps agree to a millionth, as sums over a band that stand for integrals need them; true below three.
[[nodiscard]] bool equally_spaced(std::span<const double> frequencies);

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// A curve over time as a picture of time and frequency.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "render/chart/chart_spec.hpp"

namespace conoid {

/// Of the short-time Fourier transform.
struct SpectrogramWish {
  std::string curve;    ///< its label; empty: the first
  double window = 0;    ///< s; 0: a twelfth of the curve, 16 to 2048 samples
  double overlap = -1;  ///< share of a window that the next one has as well, 0 … below 1; below 0: for 500 windows
  [[nodiscard]] bool operator==(const SpectrogramWish&) const = default;
};

/// In the reader's language.
struct SpectrogramWords {
  std::string spectrogram = "spectrogram", frequency = "Frequency", amplitude = "Amplitude", level = "Level";
};

/// Levels 20 lg |X| with X(t, f) = (2 / Σw) Σ w_n x_n e^{-2πi f t_n} (half of it at 0 and at half of the sampling rate) under Hann's
/// window w_n = ½ − ½ cos(2πn/N): a tone has the level of its amplitude, whichever the window. Curves in J, W or Pa² have 10 lg. Times
/// are those of the windows' middles, and only whole windows are taken: nothing is added before or behind the curve. The transform is padded
/// with zeros to at least twice the window and 512 values. Uneven samples are interpolated to even ones first; not-a-number counts as 0. Harris, Proc. IEEE 66
/// (1978) 51. Errors: no chart over time, no such curve, levels (dB), a window of fewer than 8 samples or longer than the curve, more than 2^24
/// values.
[[nodiscard]] Result<ChartSpec> spectrogram_chart(const ChartSpec& chart, const SpectrogramWish& wish = {},
                                                  const SpectrogramWords& words = {});
/// "0.75", "75%", "75 %": a share; none of what is no number.
[[nodiscard]] std::optional<double> parse_share(std::string_view text);
/// Whether a chart has a curve that can be seen so, by its axes and units.
[[nodiscard]] bool can_be_spectrogram(const ChartSpec& chart);

}  // namespace conoid

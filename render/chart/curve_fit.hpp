// SPDX-License-Identifier: BSD-3-Clause
// What curves over time say in one number: how fast they die away, and how much later one is than another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/chart/chart_spec.hpp"

namespace conoid {

/// Whether a curve in this unit is a power or an energy: its level is 10 lg, and not 20 lg.
[[nodiscard]] bool is_power_unit(const std::string& unit);

/// Times that count; without a beginning a decay begins where the curve is largest.
struct FitWindow {
  std::optional<double> low{}, high{};
};

/// A curve as A e^(−δ t), or an oscillation of that envelope.
struct DecayFit {
  double begin = 0, end = 0;           ///< s; what was integrated
  double from = 0, to = 0;             ///< dB; the range of the level that the line was laid through
  double rate = 0;                     ///< δ of the amplitude, 1/s
  double amplitude = 0;                ///< A at `begin`, in the curve's unit (J and W: A² of a wave; dB: its level)
  double deviation = 0;                ///< dB; root of the mean square by which the level leaves the line
  std::optional<double> early{};       ///< s; 60 dB at the rate between 0 and −10 dB (EDT)
  std::optional<double> t20{}, t30{};  ///< s; 60 dB at the rate between −5 and −25, −5 and −35 dB
  std::optional<double> t60{};         ///< s; the same between −5 and −65 dB
  std::optional<double> frequency{};   ///< Hz; of a curve that swings evenly through zero
  std::optional<double> quality{};     ///< Q = ω₀/2δ, ω₀² = (2πf)² + δ²
};

/// By Schroeder's integral, J. Acoust. Soc. Am. 37 (1965) 409: the level of ∫ y² dt from t to the end, plus what an exponential leaves
/// beyond the end (ISO 3382-1, 5.3.3, here repeated until it no longer changes), and the straight line of least squares through it. The
/// rate is that of the largest range that the curve reaches. Curves in J, W or Pa² are integrated themselves, those in dB as powers. Error:
/// fewer than 8 values, or less than 10 dB of decay.
[[nodiscard]] Result<DecayFit> fit_decay(const Series& curve, const std::string& unit, const FitWindow& window = {});

/// b(t) ≈ gain · a(t − delay).
struct DelayFit {
  double delay = 0;        ///< s; above zero: the second is later
  double gain = 0;         ///< below zero: it is inverted
  double coefficient = 0;  ///< of correlation, 0 … 1
};

/// Largest magnitude of the cross-correlation, between the samples by its own Fourier series (exact for curves without content above half of
/// the sampling rate). Curves of unlike times are interpolated to even steps, the finer of the two. Error: fewer than 8 values, or
/// nothing but zeros.
[[nodiscard]] Result<DelayFit> fit_delay(const Series& first, const Series& second, const FitWindow& window = {});

enum class FitKind { decay, delay };

struct FitWish {
  FitKind kind = FitKind::decay;
  std::string curve;   ///< its label
  std::string second;  ///< of a delay
  FitWindow window{};
};

/// In the reader's language.
struct FitWords {
  std::string decay = "decay", delay = "delay", correlation = "correlation", inverted = "inverted";
};

struct Fitted {
  Series curve;      ///< dashed beside its own: the envelope, or the first curve moved onto the second
  std::string text;  ///< "decay 5.2 1/s, T30 1.3 s, Q 34"
};

/// Fits a curve of a chart over time; errors list its curves.
[[nodiscard]] Result<Fitted> fitted(const ChartSpec& chart, const FitWish& wish, const FitWords& words = {},
                                    int digits = 4);

}  // namespace conoid

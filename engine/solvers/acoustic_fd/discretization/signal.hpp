// SPDX-License-Identifier: BSD-3-Clause
// Time signatures of sources: Ricker wavelet, or samples from a file.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

#include <filesystem>
#include <memory>
#include <vector>

namespace conoid::acoustic_fd {

/// s(t) in Pa m; zero before it begins. Immutable.
class Signal {
 public:
  virtual ~Signal() = default;
  [[nodiscard]] virtual double at(double t) const = 0;
  /// The highest frequency that matters, Hz: above it lies less than 0.1 % of the energy (Ricker: 2.5 × peak).
  [[nodiscard]] virtual double highest_frequency() const = 0;
  /// When it begins, s: what lies before 0 is never sent.
  [[nodiscard]] virtual double begin() const { return 0; }
  /// When it is over, s.
  [[nodiscard]] virtual double end() const = 0;
  /// Samples are too few for what they hold: highest_frequency() is above nine tenths of what they can carry.
  [[nodiscard]] virtual bool is_coarse() const { return false; }
};

/// A (1 − 2 b²) exp(−b²), b = π f (t − delay).
class Ricker final : public Signal {
 public:
  Ricker(double frequency, double delay, double amplitude);
  [[nodiscard]] double at(double t) const override;
  [[nodiscard]] double highest_frequency() const override { return 2.5 * frequency_; }
  [[nodiscard]] double end() const override;

 private:
  double frequency_, delay_, amplitude_;
};

/// Samples of a signal of limited band: between them a windowed sinc of 24 to either side, which keeps waves of 2.2 samples a period and more to
/// 1e-4. Zero outside; for the sinc samples go on there as their reflection in the first and the last of them, so that a record which
/// begins or ends at once does not ring.
class Sampled final : public Signal {
 public:
  /// At least two samples, `dt` > 0.
  Sampled(std::vector<double> values, double start, double dt, double amplitude);
  /// The same with a highest frequency that is known, as that of traces of one shot.
  Sampled(std::vector<double> values, double start, double dt, double amplitude, double highest);
  [[nodiscard]] double at(double t) const override;
  [[nodiscard]] double highest_frequency() const override { return highest_; }
  [[nodiscard]] double begin() const override { return start_; }
  [[nodiscard]] double end() const override;
  [[nodiscard]] bool is_coarse() const override;

 private:
  /// Of sample j, beyond the ends as above.
  [[nodiscard]] double value(Index j) const;
  std::vector<double> values_;
  double start_, dt_, amplitude_, highest_;
};

/// Another one times a factor.
class Scaled final : public Signal {
 public:
  Scaled(std::shared_ptr<const Signal> of, double factor) : of_(std::move(of)), factor_(factor) {}
  [[nodiscard]] const std::shared_ptr<const Signal>& of() const { return of_; }
  [[nodiscard]] double factor() const { return factor_; }
  [[nodiscard]] double at(double t) const override { return factor_ * of_->at(t); }
  [[nodiscard]] double highest_frequency() const override { return of_->highest_frequency(); }
  [[nodiscard]] double begin() const override { return of_->begin(); }
  [[nodiscard]] double end() const override { return of_->end(); }

 private:
  std::shared_ptr<const Signal> of_;
  double factor_;
};

/// Another one, later.
class Delayed final : public Signal {
 public:
  Delayed(std::shared_ptr<const Signal> of, double delay) : of_(std::move(of)), delay_(delay) {}
  [[nodiscard]] double at(double t) const override { return of_->at(t - delay_); }
  [[nodiscard]] double highest_frequency() const override { return of_->highest_frequency(); }
  [[nodiscard]] double begin() const override { return of_->begin() + delay_; }
  [[nodiscard]] double end() const override { return of_->end() + delay_; }

 private:
  std::shared_ptr<const Signal> of_;
  double delay_;
};

/// A CSV file of two columns: time (evenly spaced, to 10⁻⁶ of a step), value; in seconds and Pa m unless a header line names other units:
/// "t[ms],p[kPa]". '#' starts a comment. At most 10⁶ samples.
[[nodiscard]] Result<std::shared_ptr<const Signal>> read_signal(const std::filesystem::path& file, double amplitude);

}  // namespace conoid::acoustic_fd

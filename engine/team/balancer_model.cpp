// SPDX-License-Identifier: BSD-3-Clause
// The model balancer: fits how fast each worker is and where the work lies to all passes seen, then cuts the row where the
// fitted times are equal.
//
// Work per item is a piecewise constant density d over bins of items, mean 1; worker w does v_w of it a second. A sample says
// that w took t seconds for the interval I:
//
//     t v_w = A(I) d,   A(I)_m = items of I in bin m.                                                          (1)
//
// All samples, older ones with less weight, and a weak wish for a smooth density give a linear least-squares problem for
// (d, v). Where the last pass differs from the fit, v_w is set so that (1) holds for it: the next cut is then Newton's step with
// the fitted density as slope, which converges in a few passes although the density of single items is never known. A worker
// that holds more than its memory takes (bytes − memory)/streaming longer; unknown figures are learnt from the seconds that
// samples spent copying.
#include "engine/team/balancer.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

namespace conoid {
namespace {

constexpr int most_bins = 48;
constexpr std::size_t passes_kept = 12;
constexpr double forgetting = 0.85;     // weight of a pass against the next one
constexpr double smoothness = 3e-3;     // of the density against (1), both relative
constexpr double surprise = 0.2;        // a worker this far from what the model said has changed, or was disturbed
constexpr double alike_borders = 0.01;  // borders that moved by less, of an interval, give comparable times
constexpr double still = 1e-3;          // gains below this are not worth moving borders for

/// Solves the symmetric positive definite system in place (Cholesky, row-major).
void solve(std::vector<double>& a, std::vector<double>& x) {
  const std::size_t n = x.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    const double root = std::sqrt(std::max(a[j * n + j], 1e-30));
    for (std::size_t i = j; i < n; ++i) a[i * n + j] /= root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= a[i * n + k] * x[k];
    x[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= a[k * n + i] * x[k];
    x[i] /= a[i * n + i];
  }
}

/// Something that grows along the row of items, known at the borders of bins, linear between them.
class Growth {
 public:
  Growth() = default;
  Growth(Index items, std::size_t bins) : at_(bins + 1), value_(bins + 1, 0) {
    for (std::size_t m = 0; m <= bins; ++m)
      at_[m] = static_cast<Index>(static_cast<double>(items) * static_cast<double>(m) / static_cast<double>(bins));
    at_[bins] = items;
  }
  [[nodiscard]] std::size_t bins() const { return at_.size() - 1; }
  [[nodiscard]] Interval bin(std::size_t m) const { return {at_[m], at_[m + 1]}; }
  [[nodiscard]] std::size_t bin_of(Index i) const {
    const auto next = std::upper_bound(at_.begin(), at_.end() - 1, i);
    return static_cast<std::size_t>(next - at_.begin()) - 1;
  }
  void set(std::size_t m, double in_bin) { value_[m + 1] = value_[m] + in_bin; }
  [[nodiscard]] double upto(Index i) const {
    const std::size_t m = std::min(bin_of(i), bins() - 1);
    const double inside =
        static_cast<double>(i - at_[m]) / static_cast<double>(std::max<Index>(at_[m + 1] - at_[m], 1));
    return value_[m] + inside * (value_[m + 1] - value_[m]);
  }
  [[nodiscard]] double over(Interval i) const { return i.empty() ? 0 : upto(i.end) - upto(i.begin); }

 private:
  std::vector<Index> at_;
  std::vector<double> value_;
};

class ModelBalancer final : public Balancer {
 public:
  explicit ModelBalancer(std::vector<double> weights)
      : weights_(std::move(weights)), limits_(weights_.size()), known_(weights_.size()) {}
  [[nodiscard]] std::string_view name() const override { return "model"; }

  void set_limits(std::vector<WorkerLimit> limits, std::function<Bytes(Interval)> bytes) override {
    verify(limits.size() == weights_.size(), "one limit a worker");
    limits_ = std::move(limits);
    bytes_ = std::move(bytes);
    items_ = -1;
  }

  [[nodiscard]] std::vector<Interval> split(Index items, std::span<const BalanceSample> last) override {
    if (last.empty() || items != items_ || items == 0) {
      begin(items);
      return now_ = cut();
    }
    learn_limits(last);
    if (!observe(last)) return now_;
    const double wall = slowest(last);
    if (best_.empty() || wall < best_wall_) {
      best_wall_ = wall;
      best_.clear();
      for (const auto& s : last) best_.push_back(s.items);
    }
    if (settled_) return now_ = best_;
    fit();
    const std::vector<Interval> next = cut();
    // Worth it? Three times in a row not: the best borders seen are the ones to keep.
    const double gain = 1 - predicted(next) / wall;
    quiet_ = gain < std::max(still, noise_) ? quiet_ + 1 : 0;
    if (quiet_ >= 3 || next == now_) {
      settled_ = true;
      if (noise_ > still) best_ = next;  // the best time was luck; the fit averages
      return now_ = best_;
    }
    return now_ = next;
  }

 private:
  struct Known {                                          ///< what copying has taught of a worker's memory
    bool guess = false;                                   ///< nobody told its size
    double fits = 0;                                      ///< most that was held without copying
    double streams = std::numeric_limits<double>::max();  ///< least that was not
    double held = 0, copying = 0;                         ///< of the last pass that copied
    double crossing = 0;  ///< where two such passes say that copying begins; 0: not known
  };

  void begin(Index items) {
    items_ = items;
    const auto bins = static_cast<std::size_t>(std::clamp<Index>(items, 1, most_bins));
    work_ = Growth(items, bins);
    memory_ = Growth(items, bins);
    density_.assign(bins, 1.0);
    for (std::size_t m = 0; m < bins; ++m) {
      const Interval bin = work_.bin(m);
      work_.set(m, static_cast<double>(bin.size()));
      memory_.set(m, bytes_ ? static_cast<double>(bytes_(bin)) : static_cast<double>(bin.size()));
    }
    speed_ = weights_;
    past_.clear();
    forget_borders();
    doubts_ = 0;
  }

  void forget_borders() {
    best_.clear();
    best_wall_ = 0;
    settled_ = false;
    quiet_ = 0;
  }

  [[nodiscard]] static double slowest(std::span<const BalanceSample> last) {
    double t = 0;
    for (const auto& s : last) t = std::max(t, s.seconds());
    return t;
  }

  [[nodiscard]] static bool tells(const BalanceSample& s) { return !s.items.empty() && s.busy > 0; }

  /// How far the borders of an interval lie from those of another, over its size.
  [[nodiscard]] static double moved(Interval from, Interval to) {
    return static_cast<double>(std::abs(from.begin - to.begin) + std::abs(from.end - to.end)) /
           static_cast<double>(std::max<Index>(to.size(), 1));
  }

  /// Takes the samples in. False if they are to be left out: a single strange pass may be a disturbance from outside, the
  /// second one alike is a change.
  bool observe(std::span<const BalanceSample> last) {
    if (fitted_once()) {
      double worst = 0;
      std::vector<double> factor(last.size(), 1);
      for (std::size_t w = 0; w < last.size(); ++w) {
        // Only where the model was right before, at the same borders: elsewhere it is the density that was not known.
        if (!tells(last[w]) || moved(past_.back()[w].items, last[w].items) > alike_borders) continue;
        factor[w] = last[w].busy * speed_[w] / std::max(work_.over(last[w].items), 1e-30);
        worst = std::max(worst, std::abs(std::log(factor[w])));
      }
      if (worst > std::log1p(surprise) && past_.size() >= 2) {
        if (++doubts_ < 2) return false;
        // The workers are as fast now as these samples say; the past is kept at today's speeds.
        for (auto& pass : past_)
          for (auto& s : pass) s.busy *= factor[static_cast<std::size_t>(s.worker)];
        forget_borders();
      }
    }
    doubts_ = 0;
    past_.emplace_back(last.begin(), last.end());
    if (past_.size() > passes_kept) past_.pop_front();
    return true;
  }

  [[nodiscard]] bool fitted_once() const { return !past_.empty(); }

  /// Least squares for (d, v); then v exact for the last pass.
  void fit() {
    const std::size_t bins = density_.size(), workers = weights_.size(), n = bins + workers;
    std::vector<double> a(n * n, 0), b(n, 0), row(n);
    const auto add = [&](double weight, double right) {  // one equation row·x = right
      for (std::size_t i = 0; i < n; ++i) {
        if (row[i] == 0) continue;
        b[i] += weight * row[i] * right;
        for (std::size_t j = 0; j <= i; ++j) a[i * n + j] += weight * row[i] * row[j];
      }
    };
    double weight = 1;
    for (auto pass = past_.rbegin(); pass != past_.rend(); ++pass, weight *= forgetting)
      for (const BalanceSample& s : *pass) {
        if (!tells(s)) continue;
        std::fill(row.begin(), row.end(), 0.0);
        const double scale = 1 / std::max(work_.over(s.items), 1e-30);
        for (std::size_t m = work_.bin_of(s.items.begin); m < bins && work_.bin(m).begin < s.items.end; ++m) {
          const Interval bin = work_.bin(m);
          row[m] = scale * static_cast<double>(std::min(bin.end, s.items.end) - std::max(bin.begin, s.items.begin));
        }
        // Unknown is v over its value so far, which keeps the system well scaled.
        row[bins + static_cast<std::size_t>(s.worker)] = -scale * s.busy * speed_[static_cast<std::size_t>(s.worker)];
        add(weight, 0);
      }
    for (std::size_t m = 0; m + 1 < bins; ++m) {
      std::fill(row.begin(), row.end(), 0.0);
      row[m] = 1, row[m + 1] = -1;
      add(smoothness * smoothness * static_cast<double>(bins), 0);
    }
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t m = 0; m < bins; ++m)
      row[m] = static_cast<double>(work_.bin(m).size()) / static_cast<double>(items_);
    add(1e4, 1);
    for (std::size_t w = 0; w < workers; ++w) {  // a worker that never had anything keeps its first guess
      std::fill(row.begin(), row.end(), 0.0);
      row[bins + w] = 1;
      add(1e-10, 1);
    }
    solve(a, b);
    for (std::size_t m = 0; m < bins; ++m) {
      density_[m] = std::clamp(b[m], 1e-3, 1e3);
      work_.set(m, density_[m] * static_cast<double>(work_.bin(m).size()));
    }
    noise_ = 0;
    double known = 0, guessed = 0;
    for (std::size_t w = 0; w < workers; ++w) {
      if (!tells(past_.back()[w])) continue;
      speed_[w] = recent_speed(w);
      known += speed_[w];
      guessed += weights_[w];
    }
    for (std::size_t w = 0; w < workers; ++w)
      if (!tells(past_.back()[w]) && known > 0 && !ever_worked(w)) speed_[w] = weights_[w] * known / guessed;
  }

  /// Work a second of the last pass, averaged with passes that had nearly the same borders: their differences are noise.
  [[nodiscard]] double recent_speed(std::size_t w) {
    const Interval now = past_.back()[w].items;
    double sum = 0, squares = 0, weights = 0, weight = 1;
    int alike = 0;
    for (auto pass = past_.rbegin(); pass != past_.rend(); ++pass, weight *= forgetting) {
      const BalanceSample& s = (*pass)[w];
      if (!tells(s)) continue;
      const double share = moved(s.items, now) / alike_borders;
      if (share > 3) continue;
      const double each = weight * std::exp(-share * share);
      const double speed = std::log(work_.over(s.items) / s.busy);
      sum += each * speed;
      squares += each * speed * speed;
      weights += each;
      ++alike;
    }
    const double mean = sum / weights;
    if (alike > 1) noise_ = std::max(noise_, std::sqrt(std::max(squares / weights - mean * mean, 0.0)));
    return std::exp(mean);
  }

  [[nodiscard]] bool ever_worked(std::size_t w) const {
    return std::any_of(past_.begin(), past_.end(), [&](const auto& pass) { return tells(pass[w]); });
  }

  /// Learns limits that nobody told from the seconds spent copying: copying = (held − memory)/streaming.
  void learn_limits(std::span<const BalanceSample> last) {
    for (std::size_t w = 0; w < last.size(); ++w) {
      const BalanceSample& s = last[w];
      if (s.items.empty()) continue;
      const double held = memory_.over(s.items);
      Known& k = known_[w];
      const bool streams = s.copying > 0.02 * s.busy;
      if (streams) {
        k.streams = std::min(k.streams, held);
        if (k.copying > 0 && std::abs(held - k.held) > 1e-3 * held) {  // two points give both unknowns
          const double rate = (held - k.held) / (s.copying - k.copying);
          if (rate > 0 && std::isfinite(rate)) k.crossing = held - s.copying * rate;
        }
        k.held = held;
        k.copying = s.copying;
      } else {
        k.fits = std::max(k.fits, held);
      }
      WorkerLimit& l = limits_[w];
      if (l.memory == 0 && streams) k.guess = true;
      if (k.guess) {
        const double most = std::max(k.streams, k.fits);
        const double crossing = k.crossing > 0 ? k.crossing : (k.fits > 0 ? k.fits : k.streams / 2);
        l.memory = static_cast<Bytes>(std::max(std::clamp(crossing, k.fits, most), 1.0));
      }
      if (k.copying > 0 && k.held > static_cast<double>(l.memory))
        l.streaming = (k.held - static_cast<double>(l.memory)) / k.copying;
    }
  }

  [[nodiscard]] double seconds(std::size_t w, Interval i) const {
    if (i.empty()) return 0;
    double t = work_.over(i) / speed_[w];
    if (const WorkerLimit& l = limits_[w]; l.memory > 0) {
      // The table is linear inside a bin: a little is kept free.
      const double over = memory_.over(i) - (bytes_ ? 0.998 : 1.0) * static_cast<double>(l.memory);
      // Not knowing what streaming costs, it is taken to cost more than anything else would.
      if (over > 0) t += over / (l.streaming > 0 ? l.streaming : 1.0) + (l.streaming > 0 ? 0 : 1e9);
    }
    return t;
  }

  /// The last item (excluded) that worker w reaches from `begin` within t seconds.
  [[nodiscard]] Index reach(std::size_t w, Index begin, double t) const {
    Index low = begin, high = items_;
    if (seconds(w, {begin, high}) <= t) return high;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (seconds(w, {begin, middle}) <= t ? low : high) = middle;
    }
    return low;
  }

  /// Intervals whose longest predicted time is least: bisection on that time, each worker taking what it can do in it.
  [[nodiscard]] std::vector<Interval> cut() const {
    const std::size_t workers = weights_.size();
    if (items_ == 0) return std::vector<Interval>(workers);
    const auto fill = [&](double t, std::vector<Interval>* out) {
      Index begin = 0;
      for (std::size_t w = 0; w < workers; ++w) {
        const Index end = reach(w, begin, t);
        if (out != nullptr) (*out)[w] = {begin, end};
        begin = end;
      }
      return begin == items_;
    };
    double low = 0, high = seconds(0, {0, items_});
    for (std::size_t w = 1; w < workers; ++w) high = std::min(high, seconds(w, {0, items_}));
    if (const double all = std::accumulate(speed_.begin(), speed_.end(), 0.0); all > 0)
      low = 0.9 * work_.over({0, items_}) / all;
    for (int k = 0; k < 60 && high - low > 1e-7 * high; ++k) {
      const double middle = low > 0 && high > 4 * low ? std::sqrt(low * high) : 0.5 * (low + high);
      (fill(middle, nullptr) ? high : low) = middle;
    }
    std::vector<Interval> out(workers);
    fill(high, &out);
    out.back().end = items_;
    return out;
  }

  [[nodiscard]] double predicted(const std::vector<Interval>& intervals) const {
    double t = 0;
    for (std::size_t w = 0; w < intervals.size(); ++w) t = std::max(t, seconds(w, intervals[w]));
    return t;
  }

  std::vector<double> weights_;
  std::vector<WorkerLimit> limits_;
  std::vector<Known> known_;
  std::function<Bytes(Interval)> bytes_;

  Index items_ = -1;
  Growth work_, memory_;
  std::vector<double> density_, speed_;
  std::deque<std::vector<BalanceSample>> past_;
  int doubts_ = 0;

  std::vector<Interval> now_, best_;
  double best_wall_ = 0;
  double noise_ = 0;  ///< relative spread of times that should be equal
  bool settled_ = false;
  int quiet_ = 0;
};

}  // namespace

std::unique_ptr<Balancer> balancers::model(std::vector<double> weights) {
  return std::make_unique<ModelBalancer>(std::move(weights));
}

}  // namespace conoid

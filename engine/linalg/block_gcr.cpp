// SPDX-License-Identifier: BSD-3-Clause
// Residuals, directions and their images.
#include "engine/linalg/block_gcr.hpp"

#include "engine/linalg/dense.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace conoid {
namespace {

using Complex = std::complex<double>;

/// Sums side by side, so that additions need not wait for each other.
constexpr Index lanes = 4;

double norm_of(const Complex* x, Index n) {
  std::array<double, lanes> sum{};
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    for (Index l = 0; l < lanes; ++l) sum[l] += std::norm(x[i + l]);
  for (; i < n; ++i) sum[0] += std::norm(x[i]);
  return std::sqrt((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

Complex inner(const Complex* x, const Complex* y, Index n) {  // xᴴ y
  std::array<double, lanes> re{}, im{};
  const auto add = [&](Index i, Index l) {
    re[l] += x[i].real() * y[i].real() + x[i].imag() * y[i].imag();
    im[l] += x[i].real() * y[i].imag() - x[i].imag() * y[i].real();
  };
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    for (Index l = 0; l < lanes; ++l) add(i + l, l);
  for (; i < n; ++i) add(i, 0);
  return {(re[0] + re[1]) + (re[2] + re[3]), (im[0] + im[1]) + (im[2] + im[3])};
}

void subtract(Complex factor, const Complex* x, Complex* y, Index n) {  // y −= factor x
  const double fr = factor.real(), fi = factor.imag();
  for (Index i = 0; i < n; ++i)
    y[i] = {y[i].real() - fr * x[i].real() + fi * x[i].imag(), y[i].imag() - fr * x[i].imag() - fi * x[i].real()};
}

}  // namespace

BlockGcr::BlockGcr(Index n, std::span<const Complex> b, const Options& options)
    : n_(n), options_(options), x_(b.size()), r_(b.begin(), b.end()) {
  const Index columns = n == 0 ? 0 : static_cast<Index>(b.size()) / n;
  norm_.resize(static_cast<std::size_t>(columns));
  residual_.resize(norm_.size());
  steps_of_.resize(norm_.size());
  parallel_for(options_.threads, {0, columns}, 1,
               [&](Index c) { norm_[static_cast<std::size_t>(c)] = norm_of(r_.data() + c * n, n); });
  for (Index c = 0; c < columns; ++c) {
    const auto at = static_cast<std::size_t>(c);
    if (!(norm_[at] > 0) || options_.longest <= 0) continue;  // x = 0 solves it
    residual_[at] = 1;
    active_.push_back(c);
  }
  choose();
}

void BlockGcr::choose() {
  directions_.clear();
  if (active_.empty()) return;
  // Relative residuals of the running columns, orthogonalised with the largest first, until what is left of each is small.
  const auto count = static_cast<Index>(active_.size());
  std::vector<Complex> rest(static_cast<std::size_t>(n_ * count));
  std::vector<double> left(active_.size()), enough(active_.size());
  parallel_for(options_.threads, {0, count}, 1, [&](Index a) {
    const auto c = static_cast<std::size_t>(active_[static_cast<std::size_t>(a)]);
    for (Index i = 0; i < n_; ++i) rest[static_cast<std::size_t>(a * n_ + i)] = r_[c * n_ + i] / norm_[c];
    left[static_cast<std::size_t>(a)] = residual_[c];
    enough[static_cast<std::size_t>(a)] = std::max(0.5 * options_.tolerance, options_.share * residual_[c]);
  });
  directions_.reserve(rest.size());
  for (;;) {
    if (options_.stop.stop_requested()) return;
    Index pivot = -1;
    double most = 1;
    for (Index a = 0; a < count; ++a)
      if (const double over = left[static_cast<std::size_t>(a)] / enough[static_cast<std::size_t>(a)]; over > most) {
        most = over;
        pivot = a;
      }
    if (pivot < 0) break;
    const Complex* from = rest.data() + pivot * n_;
    const double size = norm_of(from, n_);
    if (!(size > 0) || !std::isfinite(size)) {
      left[static_cast<std::size_t>(pivot)] = 0;
      continue;
    }
    const std::size_t at = directions_.size();
    directions_.insert(directions_.end(), from, from + n_);
    Complex* q = directions_.data() + at;
    for (Index i = 0; i < n_; ++i) q[i] /= size;
    parallel_for(options_.threads, {0, count}, 1, [&](Index a) {
      if (left[static_cast<std::size_t>(a)] <= enough[static_cast<std::size_t>(a)] || a == pivot) return;
      Complex* to = rest.data() + a * n_;
      subtract(inner(q, to, n_), q, to, n_);
      left[static_cast<std::size_t>(a)] = norm_of(to, n_);
    });
    left[static_cast<std::size_t>(pivot)] = 0;
  }
  if (directions_.empty()) active_.clear();  // residuals that are not numbers
}

bool BlockGcr::take(std::vector<Complex> product, std::vector<Complex> preconditioned) {
  const Index count = directions();
  const auto stopped = [this] { return options_.stop.stop_requested(); };
  if (stopped()) return false;
  if (32 * n_ * (kept_ + count) > static_cast<Index>(options_.memory)) {
    blocks_.clear();
    kept_ = 0;
  }
  std::vector<Complex>&w = product, u = std::move(preconditioned.empty() ? directions_ : preconditioned);
  directions_.clear();
  const int threads = options_.threads;
  std::vector<double> before(static_cast<std::size_t>(count));
  parallel_for(threads, {0, count}, 1,
               [&](Index k) { before[static_cast<std::size_t>(k)] = norm_of(w.data() + k * n_, n_); });
  std::vector<Complex> h;
  for (int pass = 0; pass < 2; ++pass)
    for (const Block& b : blocks_) {
      if (stopped()) return false;
      const Index m = static_cast<Index>(b.c.size()) / n_;
      h.resize(static_cast<std::size_t>(m * count));
      dense::multiply_adjoint(b.c.data(), n_, m, w.data(), count, h.data(), threads);
      for (Complex& v : h) v = -v;
      dense::multiply(b.c.data(), n_, m, h.data(), count, Complex(1), w.data(), threads);
      dense::multiply(b.u.data(), n_, m, h.data(), count, Complex(1), u.data(), threads);
    }
  // Among themselves; images that depend on others, or on earlier ones, are dropped.
  Block fresh;
  std::vector<std::uint8_t> good(static_cast<std::size_t>(count), 1);
  for (Index k = 0; k < count; ++k) {
    if (stopped()) return false;
    Complex *wk = w.data() + k * n_, *uk = u.data() + k * n_;
    const double size = norm_of(wk, n_);
    if (!(size > 1e-12 * before[static_cast<std::size_t>(k)]) || !(size > 1e-300) || !std::isfinite(size)) {
      good[static_cast<std::size_t>(k)] = 0;
      continue;
    }
    for (Index i = 0; i < n_; ++i) {
      wk[i] /= size;
      uk[i] /= size;
    }
    parallel_for(threads, {k + 1, count}, 1, [&](Index l) {
      for (int pass = 0; pass < 2; ++pass) {
        const Complex p = inner(wk, w.data() + l * n_, n_);
        subtract(p, wk, w.data() + l * n_, n_);
        subtract(p, uk, u.data() + l * n_, n_);
      }
    });
  }
  const bool all = std::find(good.begin(), good.end(), 0) == good.end();
  if (all) fresh = {std::move(u), std::move(w)};
  for (Index k = 0; k < count && !all; ++k)
    if (good[static_cast<std::size_t>(k)] != 0) {
      fresh.c.insert(fresh.c.end(), w.begin() + k * n_, w.begin() + (k + 1) * n_);
      fresh.u.insert(fresh.u.end(), u.begin() + k * n_, u.begin() + (k + 1) * n_);
    }
  ++steps_;
  applications_ += count;
  const Index m = static_cast<Index>(fresh.c.size()) / n_, running = static_cast<Index>(active_.size());
  if (m > 0) {
    std::vector<Complex> r(static_cast<std::size_t>(n_ * running)), x(r.size()),
        g(static_cast<std::size_t>(m * running));
    parallel_for(threads, {0, running}, 1, [&](Index a) {
      const Index c = active_[static_cast<std::size_t>(a)];
      std::copy_n(r_.begin() + c * n_, n_, r.begin() + a * n_);
      std::copy_n(x_.begin() + c * n_, n_, x.begin() + a * n_);
    });
    dense::multiply_adjoint(fresh.c.data(), n_, m, r.data(), running, g.data(), threads);
    dense::multiply(fresh.u.data(), n_, m, g.data(), running, Complex(1), x.data(), threads);
    for (Complex& v : g) v = -v;
    dense::multiply(fresh.c.data(), n_, m, g.data(), running, Complex(1), r.data(), threads);
    parallel_for(threads, {0, running}, 1, [&](Index a) {
      const Index c = active_[static_cast<std::size_t>(a)];
      std::copy_n(r.begin() + a * n_, n_, r_.begin() + c * n_);
      std::copy_n(x.begin() + a * n_, n_, x_.begin() + c * n_);
    });
    blocks_.push_back(std::move(fresh));
    kept_ += m;
  }
  parallel_for(threads, {0, running}, 1, [&](Index a) {
    const Index c = active_[static_cast<std::size_t>(a)];
    const auto at = static_cast<std::size_t>(c);
    residual_[at] = norm_of(r_.data() + c * n_, n_) / norm_[at];
  });
  std::vector<Index> going;
  for (Index c : active_) {
    const auto at = static_cast<std::size_t>(c);
    steps_of_[at] = steps_;
    const bool done =
        residual_[at] <= options_.tolerance || steps_ >= options_.longest || !std::isfinite(residual_[at]) || m == 0;
    if (!done) going.push_back(c);
  }
  active_ = std::move(going);
  choose();
  return !stopped();
}

BlockGcr::State BlockGcr::state(Bytes most) const {
  const auto columns = static_cast<double>(norm_.size());
  State out;
  out.data = x_;
  out.data.insert(out.data.end(), r_.begin(), r_.end());
  out.marks = {static_cast<double>(n_), columns, static_cast<double>(steps_), static_cast<double>(applications_),
               static_cast<double>(active_.size())};
  for (std::size_t c = 0; c < norm_.size(); ++c)
    out.marks.insert(out.marks.end(), {norm_[c], residual_[c], static_cast<double>(steps_of_[c])});
  for (Index c : active_) out.marks.push_back(static_cast<double>(c));
  std::size_t first = blocks_.size();
  for (Bytes room = most; first > 0; --first) {
    const Bytes size = blocks_[first - 1].c.size() * 2 * sizeof(Complex);
    if (size > room) break;
    room -= size;
  }
  for (; first < blocks_.size(); ++first) {
    const Block& b = blocks_[first];
    out.marks.push_back(static_cast<double>(b.c.size()));
    out.data.insert(out.data.end(), b.u.begin(), b.u.end());
    out.data.insert(out.data.end(), b.c.begin(), b.c.end());
  }
  return out;
}

bool BlockGcr::restore(const State& s) {
  const std::size_t columns = norm_.size(), solutions = x_.size();
  if (s.marks.size() < 5 + 3 * columns || s.marks[0] != static_cast<double>(n_) ||
      s.marks[1] != static_cast<double>(columns) || s.data.size() < 2 * solutions)
    return false;
  const auto running = static_cast<std::size_t>(s.marks[4]), rest = 5 + 3 * columns + running;
  if (running > columns || s.marks.size() < rest) return false;
  double wanted = 2 * static_cast<double>(solutions);
  for (std::size_t k = rest; k < s.marks.size(); ++k) wanted += 2 * s.marks[k];
  if (wanted != static_cast<double>(s.data.size())) return false;
  const auto from = [&](std::size_t begin, std::size_t count) {
    const auto at = s.data.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::vector<Complex>(at, at + static_cast<std::ptrdiff_t>(count));
  };
  x_ = from(0, solutions);
  r_ = from(solutions, solutions);
  steps_ = static_cast<Index>(s.marks[2]);
  applications_ = static_cast<Index>(s.marks[3]);
  for (std::size_t c = 0; c < columns; ++c) {
    norm_[c] = s.marks[5 + 3 * c];
    residual_[c] = s.marks[6 + 3 * c];
    steps_of_[c] = static_cast<Index>(s.marks[7 + 3 * c]);
  }
  active_.clear();
  for (std::size_t a = 0; a < running; ++a) active_.push_back(static_cast<Index>(s.marks[5 + 3 * columns + a]));
  blocks_.clear();
  kept_ = 0;
  std::size_t at = 2 * solutions;
  for (std::size_t k = rest; k < s.marks.size(); ++k) {
    const auto size = static_cast<std::size_t>(s.marks[k]);
    blocks_.push_back({from(at, size), from(at + size, size)});
    at += 2 * size;
    kept_ += static_cast<Index>(size) / n_;
  }
  choose();
  return true;
}

}  // namespace conoid

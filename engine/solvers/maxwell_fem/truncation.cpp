// SPDX-License-Identifier: BSD-3-Clause
// The iteration.
#include "engine/solvers/maxwell_fem/truncation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace conoid::maxwell_fem {
namespace {

class Watch {
 public:
  explicit Watch(double& to) : to_(to), begin_(std::chrono::steady_clock::now()) {}
  ~Watch() { to_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  double& to_;
  std::chrono::steady_clock::time_point begin_;
};

double norm_of(std::span<const Complex> x) {
  double sum = 0;
  for (const Complex& v : x) sum += std::norm(v);
  return std::sqrt(sum);
}

}  // namespace

Status Truncation::apply(Team& team, std::span<const Complex> in, Index count, std::vector<Complex>& out) {
  const Index n = system_->outer_length(), length = system_->currents_length(), all = system_->unknowns();
  out.assign(static_cast<std::size_t>(n * count), 0);
  std::vector<Complex> f(static_cast<std::size_t>(length * count));
  {
    const Watch watch(times_.solve);
    std::vector<Complex> u(static_cast<std::size_t>(all * std::min(count, options_.block)));
    for (Index c = 0; c < count; c += options_.block) {
      const Index some = std::min(options_.block, count - c);
      if (Status s = system_->respond(in.subspan(c * n, some * n), some, u); !s) return s;
      if (Status s = system_->currents(u, some, {}, std::span(f).subspan(c * length, some * length)); !s) return s;
    }
  }
  const Watch watch(times_.radiate);
  radiation_->apply(team, f, count, out, options_.loop);
  return {};
}

Status Truncation::start(Team& team, std::vector<PlaneWave> waves) {
  waves_ = std::move(waves);
  const auto count = static_cast<Index>(waves_.size());
  const Index n = system_->outer_length();
  std::vector<Complex> psi0(static_cast<std::size_t>(n * count), 0);
  if (system_->form() == FieldForm::total) {
    system_->incident(waves_, psi0);
  } else {
    const Index length = system_->currents_length(), all = system_->unknowns();
    std::vector<Complex> f(static_cast<std::size_t>(length * count)),
        u(static_cast<std::size_t>(all * std::min(count, options_.block)));
    for (Index c = 0; c < count; c += options_.block) {
      const Index some = std::min(options_.block, count - c);
      const auto part = std::span(waves_).subspan(c, some);
      if (Status s = system_->respond_to_sources(part, std::span(u).first(all * some)); !s) return s;
      if (Status s = system_->currents(u, some, part, std::span(f).subspan(c * length, some * length)); !s) return s;
    }
    radiation_->apply(team, f, count, psi0, options_.loop);
  }
  iterations_ = 0;
  diverged_ = false;
  last_ratio_ = 0;
  steps_.assign(waves_.size(), 0);
  residual_.assign(waves_.size(), 1);
  start_ = psi0;
  active_.clear();
  if (options_.method == TruncationMethod::gmres) {
    base_.clear();
    scale_.assign(waves_.size(), 1);
    gmres_ = std::make_unique<LockstepGmres>(n, psi0, options_.tolerance, options_.longest);
    active_.assign(gmres_->active().begin(), gmres_->active().end());
    for (Index c = 0; c < count; ++c) residual_[c] = gmres_->residual(c);
  } else {
    psi_ = psi0;
    delta_ = std::move(psi0);
    norms_.assign(waves_.size(), 0);
    for (Index c = 0; c < count; ++c) {
      norms_[c] = norm_of(std::span(delta_).subspan(c * n, n));
      active_.push_back(c);
    }
  }
  return {};
}

void Truncation::restore(std::span<const Complex> psi, Index iterations) {
  // Both methods go on from Ψ through its residual, which the next step computes.
  iterations_ = iterations;
  if (options_.method == TruncationMethod::gmres) {
    base_.assign(psi.begin(), psi.end());
    gmres_.reset();
  } else {
    psi_.assign(psi.begin(), psi.end());
    delta_.clear();
  }
}

Status Truncation::step(Team& team) {
  const Index n = system_->outer_length();
  ++iterations_;
  if (options_.method == TruncationMethod::gmres) {
    if (!gmres_) {  // restarted: residual of the kept data, r = Ψ_0 − (I − M) Ψ
      const auto count = static_cast<Index>(waves_.size());
      std::vector<Complex> r;
      if (Status s = apply(team, base_, count, r); !s) return s;
      for (std::size_t i = 0; i < r.size(); ++i) r[i] += start_[i] - base_[i];
      double largest = 0;
      for (Index c = 0; c < count; ++c) {
        residual_[c] = norm_of(std::span(r).subspan(c * n, n)) / norm_of(std::span(start_).subspan(c * n, n));
        largest = std::max(largest, residual_[c]);
      }
      if (largest <= options_.tolerance) {
        active_.clear();
        return {};
      }
      scale_ = residual_;
      gmres_ = std::make_unique<LockstepGmres>(n, r, options_.tolerance / largest, options_.longest);
      active_.assign(gmres_->active().begin(), gmres_->active().end());
      return {};
    }
    const auto v = gmres_->next();
    const auto count = static_cast<Index>(active_.size());
    std::vector<Complex> w;
    if (Status s = apply(team, v, count, w); !s) return s;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = v[i] - w[i];
    gmres_->take(w);
    for (Index c : active_) {
      const double residual = gmres_->residual(c) * scale_[c];
      last_ratio_ = c == 0 ? residual / std::max(residual_[c], 1e-300) : last_ratio_;
      residual_[c] = residual;
      steps_[c] = iterations_;
    }
    active_.assign(gmres_->active().begin(), gmres_->active().end());
    return {};
  }
  if (delta_.empty()) {  // restarted: δ = Ψ_0 + M Ψ − Ψ
    const auto count = static_cast<Index>(waves_.size());
    if (Status s = apply(team, psi_, count, delta_); !s) return s;
    for (std::size_t i = 0; i < delta_.size(); ++i) delta_[i] += start_[i] - psi_[i];
  } else {
    std::vector<Complex> next;
    if (Status s = apply(team, delta_, static_cast<Index>(active_.size()), next); !s) return s;
    delta_ = std::move(next);
  }
  std::vector<Index> going;
  std::vector<Complex> rest;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const Index c = active_[a];
    const auto d = std::span(delta_).subspan(static_cast<Index>(a) * n, n);
    const auto psi = std::span(psi_).subspan(c * n, n);
    for (Index i = 0; i < n; ++i) psi[i] += d[i];
    const double size = norm_of(d);
    if (c == 0) last_ratio_ = norms_[c] > 0 ? size / norms_[c] : 0;
    const double before = residual_[c];
    residual_[c] = size / std::max(norm_of(psi), 1e-300);
    norms_[c] = size;
    steps_[c] = iterations_;
    if (!std::isfinite(size) || (iterations_ >= 10 && residual_[c] > 0.5 && residual_[c] > 0.999 * before))
      diverged_ = true;
    if (residual_[c] <= options_.tolerance || iterations_ >= options_.longest) continue;
    going.push_back(c);
    rest.insert(rest.end(), d.begin(), d.end());
  }
  active_ = std::move(going);
  delta_ = std::move(rest);
  if (diverged_) active_.clear();
  return {};
}

double Truncation::largest_residual() const {
  double out = 0;
  for (double r : residual_) out = std::isfinite(r) ? std::max(out, r) : HUGE_VAL;
  return out;
}

std::vector<Complex> Truncation::psi() const {
  if (options_.method == TruncationMethod::fixed_point) return psi_;
  std::vector<Complex> out;
  if (gmres_) {
    out = gmres_->solution();
    for (std::size_t i = 0; i < base_.size(); ++i) out[i] += base_[i];
  } else {
    out = base_;
  }
  return out;
}

Status Truncation::fields(std::span<const Complex> psi, Index first, Index count, std::vector<Complex>& u,
                          std::vector<Complex>& f) {
  const Index n = system_->outer_length(), all = system_->unknowns();
  u.assign(static_cast<std::size_t>(all * count), 0);
  f.assign(static_cast<std::size_t>(system_->currents_length() * count), 0);
  const auto waves = std::span(waves_).subspan(first, count);
  if (Status s = system_->respond(psi.subspan(first * n, count * n), count, u); !s) return s;
  if (system_->form() != FieldForm::total) {
    std::vector<Complex> more(u.size());
    if (Status s = system_->respond_to_sources(waves, more); !s) return s;
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += more[i];
  }
  return system_->currents(u, count, waves, f);
}

}  // namespace conoid::maxwell_fem

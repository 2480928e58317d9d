// SPDX-License-Identifier: BSD-3-Clause
// Arnoldi with modified Gram-Schmidt (twice, so that late vectors stay orthogonal) and Givens rotations.
#include "engine/linalg/gmres.hpp"

#include <algorithm>
#include <cmath>

namespace conoid {
namespace {

using Complex = std::complex<double>;

double norm_of(std::span<const Complex> x) {
  double sum = 0;
  for (const Complex& v : x) sum += std::norm(v);
  return std::sqrt(sum);
}

Complex inner(std::span<const Complex> x, std::span<const Complex> y) {  // xᴴ y
  double re = 0, im = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    re += x[k].real() * y[k].real() + x[k].imag() * y[k].imag();
    im += x[k].real() * y[k].imag() - x[k].imag() * y[k].real();
  }
  return {re, im};
}

}  // namespace

LockstepGmres::LockstepGmres(Index n, std::span<const Complex> b, double tolerance, Index longest)
    : n_(n), tolerance_(tolerance), longest_(longest) {
  const auto length = static_cast<std::size_t>(n);
  systems_.resize(length == 0 ? 0 : b.size() / length);
  for (std::size_t c = 0; c < systems_.size(); ++c) {
    System& s = systems_[c];
    const auto column = b.subspan(c * length, length);
    s.norm = norm_of(column);
    if (!(s.norm > 0) || longest <= 0) continue;  // x = 0 solves it
    s.residual = 1;
    s.basis.emplace_back(column.begin(), column.end());
    for (Complex& v : s.basis[0]) v /= s.norm;
    s.right.emplace_back(s.norm);
    active_.push_back(static_cast<Index>(c));
  }
}

std::vector<Complex> LockstepGmres::next() const {
  std::vector<Complex> out;
  out.reserve(active_.size() * static_cast<std::size_t>(n_));
  for (Index c : active_) {
    const auto& v = systems_[static_cast<std::size_t>(c)].basis.back();
    out.insert(out.end(), v.begin(), v.end());
  }
  return out;
}

void LockstepGmres::take(std::span<const Complex> product) {
  const auto length = static_cast<std::size_t>(n_);
  std::vector<Index> going;
  ++steps_;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    System& s = systems_[static_cast<std::size_t>(active_[a])];
    const auto given = product.subspan(a * length, length);
    std::vector<Complex> w(given.begin(), given.end());
    std::vector<Complex> h(s.basis.size() + 1);
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < s.basis.size(); ++k) {
        const Complex p = inner(s.basis[k], w);
        h[k] += p;
        for (std::size_t i = 0; i < length; ++i) w[i] -= p * s.basis[k][i];
      }
    const double rest = norm_of(w);
    h.back() = rest;
    for (std::size_t k = 0; k < s.rotation_c.size(); ++k) {
      const Complex upper = s.rotation_c[k] * h[k] + s.rotation_s[k] * h[k + 1];
      h[k + 1] = -std::conj(s.rotation_s[k]) * h[k] + s.rotation_c[k] * h[k + 1];
      h[k] = upper;
    }
    const std::size_t j = s.basis.size() - 1;
    const double size = std::hypot(std::abs(h[j]), rest);
    double c = 1;
    Complex sine = 0;
    if (size > 0) {
      if (std::abs(h[j]) > 0) {
        c = std::abs(h[j]) / size;
        sine = (h[j] / std::abs(h[j])) * rest / size;
      } else {
        c = 0;
        sine = 1;
      }
    }
    const Complex diagonal = c * h[j] + sine * h[j + 1];
    s.rotation_c.push_back(c);
    s.rotation_s.push_back(sine);
    h.resize(j + 1);
    h[j] = diagonal;
    s.hessenberg.push_back(std::move(h));
    const Complex r = s.right[j];
    s.right[j] = c * r;
    s.right.push_back(-std::conj(sine) * r);
    s.residual = std::abs(s.right.back()) / s.norm;
    s.steps = steps_;
    const bool done = s.residual <= tolerance_ || s.steps >= longest_ || rest <= 1e-300 || !std::isfinite(s.residual);
    if (done) continue;
    for (Complex& v : w) v /= rest;
    s.basis.push_back(std::move(w));
    going.push_back(active_[a]);
  }
  active_ = std::move(going);
}

double LockstepGmres::largest_residual() const {
  double out = 0;
  for (const System& s : systems_) out = std::isfinite(s.residual) ? std::max(out, s.residual) : HUGE_VAL;
  return out;
}

bool LockstepGmres::converged() const {
  return std::all_of(systems_.begin(), systems_.end(), [&](const System& s) { return s.residual <= tolerance_; });
}

std::vector<Complex> LockstepGmres::solution() const {
  const auto length = static_cast<std::size_t>(n_);
  std::vector<Complex> x(length * systems_.size());
  for (std::size_t c = 0; c < systems_.size(); ++c) {
    const System& s = systems_[c];
    const std::size_t m = s.hessenberg.size();
    std::vector<Complex> y(m);
    for (std::size_t k = m; k-- > 0;) {
      Complex sum = s.right[k];
      for (std::size_t l = k + 1; l < m; ++l) sum -= s.hessenberg[l][k] * y[l];
      y[k] = std::abs(s.hessenberg[k][k]) > 0 ? sum / s.hessenberg[k][k] : Complex(0);
    }
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t i = 0; i < length; ++i) x[c * length + i] += y[k] * s.basis[k][i];
  }
  return x;
}

}  // namespace conoid

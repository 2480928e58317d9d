// SPDX-License-Identifier: BSD-3-Clause
// Steps of a compressed solution.
#include "engine/solvers/elastic_bem/solving/compressed_solution.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/core/stop.hpp"
#include "engine/core/units.hpp"
#include "engine/linalg/block_gcr.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

namespace {

/// Iterations end at this share of the compression's tolerance: the matrix's error is then the larger one.
constexpr double residual_share = 0.1;
constexpr Index most_steps = 400;
/// Of interior equations those that the others leave less of say nothing new.
constexpr double least_interior = 0.02;
/// Beyond it the answer holds nothing but the matrix's errors.
constexpr double most_amplified = 0.3;

double length(const Complex* v, Index n) {
  double s = 0;
  for (Index k = 0; k < n; ++k) s += std::norm(v[k]);
  return std::sqrt(s);
}

}  // namespace

template <class Real>
Result<std::unique_ptr<CompressedSolution<Real>>> CompressedSolution<Real>::make(const Setting& s,
                                                                                 std::vector<EquationColumn> unknown,
                                                                                 std::vector<EquationColumn> known,
                                                                                 const std::vector<Complex>& values) {
  std::unique_ptr<CompressedSolution> out(new CompressedSolution(s));
  const int threads = s.team.threads();
  const Index count = known.empty() ? 0 : static_cast<Index>(values.size() / known.size());
  const auto built = [&](const std::vector<EquationColumn>& columns, bool square) {
    return compress<Real>(s.team, s.surface, s.rules, s.options.accuracy, s.harmonic, s.diagonal, columns, square,
                          s.mirrors, s.options.compression, s.stop);
  };
  const auto note = [&](const CompressionFacts& f) {
    out->facts_.bytes = std::max(out->facts_.bytes, f.bytes);
    out->facts_.error = std::max(out->facts_.error, f.error);
    out->facts_.work.far_points += f.work.far_points;
    out->facts_.work.near_points += f.work.near_points;
  };
  out->right_.resize(static_cast<std::size_t>(out->n_ * count));
  if (!known.empty()) {
    auto b = built(known, false);
    if (!b) return b.error();
    note((*b)->facts());
    const Beside beside(s.surface, known, nullptr, nullptr, {});
    (*b)->multiply(beside.faded(values.data(), count).data(), count, out->right_.data(), threads);
  }
  auto a = built(unknown, true);
  if (!a) return a.error();
  out->a_ = std::move(*a);
  note(out->a_->facts());
  out->facts_.rank = out->a_->facts().rank;
  out->make_beside(unknown);
  if (!known.empty())
    Beside(s.surface, known, s.far, &out->more_, s.modes).add(values.data(), count, out->right_.data());
  return out;
}

template <class Real>
void CompressedSolution<Real>::make_beside(const std::vector<EquationColumn>& unknown) {
  const int threads = s_.team.threads();
  const auto displacement = [&](Index i) { return !unknown[static_cast<std::size_t>(i)].traction; };
  if (s_.far != nullptr) {
    const Index columns = s_.far->columns();
    std::vector<Complex> x(s_.far->faded());
    for (Index c = 0; c < columns; ++c)
      for (Index i = 0; i < n_; ++i)
        if (!displacement(i)) x[static_cast<std::size_t>(c * n_ + i)] = 0;  // given ones are what they are
    more_.resize(x.size());
    a_->multiply(x.data(), columns, more_.data(), threads);
    for (std::size_t i = 0; i < more_.size(); ++i) more_[i] -= s_.far->beyond()[i] + 0.5 * x[i];
  }
  if (s_.free != nullptr) {
    const Index m = s_.surface.node_count();
    const auto motions = static_cast<Index>(s_.free->motions.size());
    std::vector<Complex> x(static_cast<std::size_t>(n_ * motions));
    for (Index q = 0; q < motions; ++q)
      for (Index i = 0; i < n_; ++i)
        if (displacement(i))
          x[static_cast<std::size_t>(q * n_ + i)] =
              s_.free->at(static_cast<std::size_t>(q),
                          s_.surface.nodes[static_cast<std::size_t>(i % m)])[static_cast<std::size_t>(i / m)];
    rigid_.resize(x.size());
    a_->multiply(x.data(), motions, rigid_.data(), threads);
  }
  beside_.emplace(s_.surface, unknown, s_.far, &more_, s_.modes);
}

template <class Real>
void CompressedSolution<Real>::multiply(const Complex* x, Index count, Complex* y) const {
  a_->multiply(beside_->faded(x, count).data(), count, y, s_.team.threads());
  beside_->add(x, count, y);
}

template <class Real>
void CompressedSolution<Real>::add_interior(std::vector<Complex> c, std::vector<Complex> g, Index rows) {
  const Index cases = rows == 0 ? 0 : static_cast<Index>(g.size()) / rows;
  std::vector<std::vector<Complex>> left(static_cast<std::size_t>(rows));
  for (Index r = 0; r < rows; ++r) {
    auto& row = left[static_cast<std::size_t>(r)];
    for (Index j = 0; j < n_; ++j)
      row.push_back(std::conj(c[static_cast<std::size_t>(j * rows + r)]));  // columns of Cᴴ
    for (Index k = 0; k < cases; ++k) row.push_back(std::conj(g[static_cast<std::size_t>(k * rows + r)]));
  }
  // Gram-Schmidt with the largest first; the right-hand sides go along.
  double first = 0;
  for (;;) {
    std::size_t best = 0;
    double most = 0;
    for (std::size_t r = 0; r < left.size(); ++r) {
      const double size = length(left[r].data(), n_);
      if (size > most) {
        most = size;
        best = r;
      }
    }
    first = std::max(first, most);
    if (!(most > least_interior * first)) break;
    std::vector<Complex> row = std::move(left[best]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    for (Complex& v : row) v /= most;
    for (auto& other : left) {
      Complex share = 0;
      for (Index j = 0; j < n_; ++j)
        share += std::conj(row[static_cast<std::size_t>(j)]) * other[static_cast<std::size_t>(j)];
      for (std::size_t j = 0; j < other.size(); ++j) other[j] -= share * row[j];
    }
    q_.insert(q_.end(), row.begin(), row.begin() + n_);
    for (Index k = 0; k < cases; ++k) q_right_.push_back(std::conj(row[static_cast<std::size_t>(n_ + k)]));
    ++q_rows_;
  }
}

/// A + Qᴴ Q; q_ holds the columns of Qᴴ.
template <class Real>
void CompressedSolution<Real>::with_interior(const Complex* x, Index count, Complex* y) const {
  multiply(x, count, y);
  if (q_rows_ == 0) return;
  std::vector<Complex> h(static_cast<std::size_t>(q_rows_ * count));
  dense::multiply_adjoint<Complex>(q_.data(), n_, q_rows_, x, count, h.data(), library_threads());
  dense::multiply<Complex>(q_.data(), n_, q_rows_, h.data(), count, Complex(1), y, library_threads());
}

template <class Real>
Result<std::vector<Complex>> CompressedSolution<Real>::solve(const std::vector<Complex>& f, SolveFacts& facts) {
  const auto whole = [this](const Complex* x, Index count, Complex* y) { with_interior(x, count, y); };
  if (auto status = a_->prepare(whole, s_.team.threads(), library_threads()); !status) return status.error();
  facts_.bytes = std::max(facts_.bytes, a_->facts().bytes);
  const Index cases = static_cast<Index>(f.size()) / n_;
  std::vector<Complex> right(f);
  if (q_rows_ > 0) {
    std::vector<Complex> g(static_cast<std::size_t>(q_rows_ * cases));
    for (Index r = 0; r < q_rows_; ++r)
      for (Index c = 0; c < cases; ++c)
        g[static_cast<std::size_t>(c * q_rows_ + r)] = q_right_[static_cast<std::size_t>(r * cases + c)];
    dense::multiply<Complex>(q_.data(), n_, q_rows_, g.data(), cases, Complex(1), right.data(), library_threads());
  }
  BlockGcr::Options options;
  options.tolerance = std::max(s_.options.tolerance, residual_share * s_.options.compression);
  options.longest = most_steps;
  options.threads = library_threads();
  options.stop = s_.stop;
  BlockGcr gcr(n_, right, options);
  std::vector<Complex> v;
  while (!gcr.finished()) {
    if (s_.stop.stop_requested()) return stop_error();
    const Index count = gcr.directions();
    v.resize(gcr.next().size());
    a_->approximate(gcr.next().data(), count, v.data());
    std::vector<Complex> w(v.size());
    with_interior(v.data(), count, w.data());
    for (Index q = 0; q < count; ++q)
      if (const double size = length(v.data() + q * n_, n_); size > 0)
        growth_ = std::max(growth_, length(w.data() + q * n_, n_) / size);
    if (!gcr.take(std::move(w))) return stop_error();
  }
  std::vector<Complex> x(f.size());
  a_->approximate(gcr.solution().data(), cases, x.data());
  facts.iterations = static_cast<int>(gcr.steps());
  std::vector<Complex> y(f.size());
  with_interior(x.data(), cases, y.data());
  facts.residual = 0;
  for (Index c = 0; c < cases; ++c) {
    for (Index k = 0; k < n_; ++k)
      y[static_cast<std::size_t>(c * n_ + k)] -= right[static_cast<std::size_t>(c * n_ + k)];
    if (const double size = length(right.data() + c * n_, n_); size > 0)
      facts.residual = std::max(facts.residual, length(y.data() + c * n_, n_) / size);
  }
  facts.work.far_points += facts_.work.far_points;
  facts.work.near_points += facts_.work.near_points;
  facts.compressed = facts_.bytes;
  facts.compression_rank = facts_.rank;
  facts.compression_error = facts_.error;
  if (auto status = judge(right, x, facts); !status) return status.error();
  return x;
}

/// ‖f‖/(‖A‖ ‖x‖) is no smaller than the reciprocal condition: where it is small for a load, errors of the matrix come back as much larger.
template <class Real>
Status CompressedSolution<Real>::judge(const std::vector<Complex>& f, const std::vector<Complex>& x,
                                       SolveFacts& facts) const {
  double least = 1;
  for (Index c = 0; c * n_ < static_cast<Index>(f.size()); ++c) {
    const double given = length(f.data() + c * n_, n_), found = length(x.data() + c * n_, n_);
    if (given > 0 && found > 0) least = std::min(least, given / (growth_ * found));
  }
  facts.rcond = least;
  if (!(facts_.error / least < most_amplified))
    return make_error(
        ErrorCode::not_converged,
        fmt::format(
            "the equations are nearly singular (reciprocal condition {:.1g} or less): the compression's error of "
            "{:.1g} would be {:.1g} in the answer",
            least, facts_.error, facts_.error / least),
        "Use parameters.solution \"mixed\", or a smaller parameters.compression. Hold what moves freely, add damping, "
        "or "
        "shift the frequency.");
  return {};
}

template class CompressedSolution<double>;
template class CompressedSolution<float>;

}  // namespace conoid::elastic_bem

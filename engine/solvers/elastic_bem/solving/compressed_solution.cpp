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
#include "engine/solvers/elastic_bem/solving/passes.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

namespace {

constexpr int most_steps = 400;
/// Of interior equations those that the others leave less of say nothing new.
constexpr double least_interior = 0.02;
/// Beyond it the answer holds nothing but the matrix's errors.
constexpr double most_amplified = 0.3;

}  // namespace

template <class Real>
Result<std::unique_ptr<CompressedSolution<Real>>> CompressedSolution<Real>::make(Setting setting,
                                                                                 const std::vector<Complex>& values,
                                                                                 Index known) {
  std::unique_ptr<CompressedSolution> out(new CompressedSolution(std::move(setting)));
  out->right_.resize(static_cast<std::size_t>(out->n_) *
                     (known == 0 ? 0 : values.size() / static_cast<std::size_t>(known)));
  out->regions_.resize(out->s_.parts.size());
  for (std::size_t r = 0; r < out->regions_.size(); ++r)
    if (auto status = out->build(r, values, known); !status) return status.error();
  return out;
}

template <class Real>
void CompressedSolution<Real>::note(const CompressionFacts& f, double weight) {
  facts_.error = std::max(facts_.error, weight * f.error);
  facts_.work.far_points += f.work.far_points;
  facts_.work.near_points += f.work.near_points;
}

template <class Real>
Status CompressedSolution<Real>::build(std::size_t r, const std::vector<Complex>& values, Index known) {
  const CompressedPart<Real>& part = s_.parts[r];
  Region& region = regions_[r];
  const int threads = s_.team.threads();
  const auto own = static_cast<Index>(part.known.size()),
             count = known == 0 ? 0 : static_cast<Index>(values.size()) / known;
  const auto built = [&](const std::vector<EquationColumn>& columns, bool square) {
    return compress<Real>(s_.team, *part.surface, *part.medium.rules, s_.options.accuracy, part.medium.harmonic,
                          part.medium.diagonal, columns, square, s_.mirrors, s_.options.compression / part.weight,
                          s_.stop, s_.options.ranks, asked());
  };
  std::vector<Complex> given(static_cast<std::size_t>(own * count)),
      rows(static_cast<std::size_t>(3 * part.surface->node_count() * count));
  for (Index c = 0; c < count; ++c)
    for (Index q = 0; q < own; ++q)
      given[static_cast<std::size_t>(c * own + q)] =
          values[static_cast<std::size_t>(c * known + part.known_place[static_cast<std::size_t>(q)])];
  if (own > 0) {
    auto b = built(part.known, false);
    if (!b) return b.error();
    note((*b)->facts(), part.weight);
    facts_.bytes = std::max(facts_.bytes, kept_ + (*b)->facts().bytes);
    const Beside beside(*part.surface, part.known, nullptr, nullptr, {});
    (*b)->multiply(beside.faded(given.data(), count).data(), count, rows.data(), threads);
  }
  auto a = built(part.unknown, s_.parts.size() == 1);
  if (!a) return a.error();
  region.a = std::move(*a);
  const CompressionFacts& f = region.a->facts();
  note(f, part.weight);
  kept_ += f.bytes;
  facts_.bytes = std::max(facts_.bytes, kept_);
  facts_.rank +=
      f.rank * static_cast<double>(part.surface->node_count()) / static_cast<double>(s_.surface.node_count());
  make_beside(r);
  if (own > 0)
    Beside(*part.surface, part.known, part.far, &region.more, part.modes).add(given.data(), count, rows.data());
  if (count > 0) put_rows(part, rows, count, right_.data());
  return {};
}

template <class Real>
void CompressedSolution<Real>::put_rows(const CompressedPart<Real>& part, const std::vector<Complex>& rows, Index count,
                                        Complex* to) const {
  const Index own = part.surface->node_count(), m = s_.surface.node_count();
  for (Index c = 0; c < 3 * count; ++c) std::copy_n(rows.begin() + c * own, own, to + c * m + part.first_node);
}

template <class Real>
void CompressedSolution<Real>::make_beside(std::size_t r) {
  const CompressedPart<Real>& part = s_.parts[r];
  Region& region = regions_[r];
  const int threads = s_.team.threads();
  const Index m = part.surface->node_count(), rows = 3 * m, columns = static_cast<Index>(part.unknown.size());
  if (part.far != nullptr) {
    const Index many = part.far->columns();
    const std::vector<Complex>& faded = part.far->faded();
    std::vector<Complex> x(static_cast<std::size_t>(columns * many)), made(faded.size());
    for (Index c = 0; c < many; ++c)
      for (Index i = 0; i < columns; ++i)
        if (const EquationColumn& u = part.unknown[static_cast<std::size_t>(i)]; !u.traction) {
          const auto at = static_cast<std::size_t>(c * rows + static_cast<Index>(u.component) * m + u.node);
          x[static_cast<std::size_t>(c * columns + i)] = made[at] = faded[at];  // given ones are what they are
        }
    region.more.resize(faded.size());
    region.a->multiply(x.data(), many, region.more.data(), threads);
    for (std::size_t i = 0; i < region.more.size(); ++i) region.more[i] -= part.far->beyond()[i] + 0.5 * made[i];
  }
  if (s_.free != nullptr) {
    const auto motions = static_cast<Index>(s_.free->motions.size());
    std::vector<Complex> x(static_cast<std::size_t>(columns * motions));
    for (Index q = 0; q < motions; ++q)
      for (Index i = 0; i < columns; ++i)
        if (const EquationColumn& u = part.unknown[static_cast<std::size_t>(i)]; !u.traction)
          x[static_cast<std::size_t>(q * columns + i)] = s_.free->at(
              static_cast<std::size_t>(q), part.surface->nodes[static_cast<std::size_t>(u.node)])[u.component];
    rigid_.resize(static_cast<std::size_t>(rows * motions));
    region.a->multiply(x.data(), motions, rigid_.data(), threads);
  }
  region.beside.emplace(*part.surface, part.unknown, part.far, &region.more, part.modes);
}

template <class Real>
void CompressedSolution<Real>::multiply(const Complex* x, Index count, Complex* y) const {
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    const CompressedPart<Real>& part = s_.parts[r];
    const auto columns = static_cast<Index>(part.unknown.size());
    std::vector<Complex> own(static_cast<std::size_t>(columns * count)),
        rows(static_cast<std::size_t>(3 * part.surface->node_count() * count));
    for (Index c = 0; c < count; ++c)
      for (Index i = 0; i < columns; ++i)
        own[static_cast<std::size_t>(c * columns + i)] =
            part.factor[static_cast<std::size_t>(i)] * x[c * n_ + part.place[static_cast<std::size_t>(i)]];
    regions_[r].a->multiply(regions_[r].beside->faded(own.data(), count).data(), count, rows.data(), s_.team.threads());
    regions_[r].beside->add(own.data(), count, rows.data());
    put_rows(part, rows, count, y);
  }
}

/// One region has its near blocks at hand; of several those of all that meet at a cluster are one block.
template <class Real>
Status CompressedSolution<Real>::prepare(const std::function<void(const Complex*, Index, Complex*)>& whole) {
  const int threads = s_.team.threads();
  if (regions_.size() == 1) {
    if (auto status = regions_.front().a->prepare(whole, threads, library_threads()); !status) return status.error();
    facts_.bytes = std::max(facts_.bytes, regions_.front().a->facts().bytes);
    return {};
  }
  std::vector<JoinedPreconditioner::Rows> rows;
  for (std::size_t r = 0; r < regions_.size(); ++r)
    rows.push_back({regions_[r].a.get(), s_.parts[r].first_node, s_.parts[r].surface->node_count(), s_.parts[r].unknown,
                    s_.parts[r].place, s_.parts[r].factor});
  auto made =
      JoinedPreconditioner::make(s_.surface, std::move(rows), whole, threads, library_threads(), s_.options.ranks);
  if (!made) return made.error();
  joined_ = std::move(*made);
  facts_.bytes = std::max(facts_.bytes, kept_ + joined_->bytes());
  return {};
}

template <class Real>
void CompressedSolution<Real>::approximate(const Complex* y, Index count, Complex* x) const {
  if (joined_)
    joined_->solve(y, count, x);
  else
    regions_.front().a->approximate(y, count, x);
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
void CompressedSolution<Real>::tell(std::vector<Complex>& values) const {
  if (s_.options.ranks != nullptr) s_.options.ranks->broadcast(std::as_writable_bytes(std::span(values)), 0);
}

template <class Real>
double CompressedSolution<Real>::asked() const {
  double weight = 1;
  for (const CompressedPart<Real>& part : s_.parts) weight = std::max(weight, part.weight);
  return compressed_residual(s_.options, weight);
}

template <class Real>
bool CompressedSolution<Real>::iterate(const std::vector<Complex>& right, double tolerance, std::vector<Complex>& x,
                                       SolveFacts& facts) {
  BlockGcr::Options options;
  options.tolerance = tolerance;
  options.longest = most_steps - facts.iterations;
  options.threads = library_threads();
  options.stop = s_.stop;
  std::optional<BlockGcr> gcr;
  if (leads()) gcr.emplace(n_, right, options);
  std::vector<Complex> v;
  constexpr Index stopped = -1;
  for (bool stops = false;;) {
    if (leads()) stops = stops || s_.stop.stop_requested();
    const Index count = told(!leads() ? 0 : stops ? stopped : gcr->finished() ? 0 : gcr->directions());
    if (count == stopped) return false;
    if (count == 0) break;
    std::vector<Complex> direction(static_cast<std::size_t>(count * n_));
    if (leads()) std::ranges::copy(gcr->next(), direction.begin());
    tell(direction);
    v.resize(direction.size());
    approximate(direction.data(), count, v.data());
    tell(v);  // the leading rank's, to the last bit
    std::vector<Complex> w(v.size());
    with_interior(v.data(), count, w.data());
    if (!leads()) continue;
    for (Index q = 0; q < count; ++q)
      if (const double size = length(v.data() + q * n_, n_); size > 0)
        growth_ = std::max(growth_, length(w.data() + q * n_, n_) / size);
    stops = !gcr->take(std::move(w), std::move(v));
  }
  if (leads()) x = gcr->solution();
  tell(x);
  facts.iterations += static_cast<int>(told(leads() ? gcr->steps() : 0));
  return true;
}

template <class Real>
double CompressedSolution<Real>::left(const std::vector<Complex>& f, const std::vector<Complex>& x,
                                      std::vector<Complex>& right) const {
  const Index cases = static_cast<Index>(f.size()) / n_;
  std::vector<Complex> y(f.size());
  with_interior(x.data(), cases, y.data());
  double worst = 0;
  for (std::size_t k = 0; k < f.size(); ++k) right[k] = f[k] - y[k];
  for (Index c = 0; c < cases; ++c)
    if (const double size = length(f.data() + c * n_, n_); size > 0)
      worst = std::max(worst, length(right.data() + c * n_, n_) / size);
  return s_.options.ranks == nullptr ? worst : s_.options.ranks->from_root(worst);
}

template <class Real>
Result<std::vector<Complex>> CompressedSolution<Real>::solve(const std::vector<Complex>& f, SolveFacts& facts) {
  const auto whole = [this](const Complex* x, Index count, Complex* y) { with_interior(x, count, y); };
  if (auto status = prepare(whole); !status) return status.error();
  const Index cases = static_cast<Index>(f.size()) / n_;
  std::vector<Complex> right(f);
  if (q_rows_ > 0) {
    std::vector<Complex> g(static_cast<std::size_t>(q_rows_ * cases));
    for (Index r = 0; r < q_rows_; ++r)
      for (Index c = 0; c < cases; ++c)
        g[static_cast<std::size_t>(c * q_rows_ + r)] = q_right_[static_cast<std::size_t>(r * cases + c)];
    dense::multiply<Complex>(q_.data(), n_, q_rows_, g.data(), cases, Complex(1), right.data(), library_threads());
  }
  std::vector<Complex> x(f.size()), rest(right);
  facts.residual_asked = asked();
  const auto iterated = [&](double tolerance, std::vector<Complex>& more) {
    return iterate(rest, tolerance, more, facts) ? Status() : stop_error();
  };
  if (Status s =
          solve_in_passes(facts.residual_asked, x, facts.residual, iterated, [&] { return left(right, x, rest); });
      !s)
    return s.error();
  facts.work.far_points += facts_.work.far_points;
  facts.work.near_points += facts_.work.near_points;
  facts.compressed = facts_.bytes;
  facts.compression_rank = facts_.rank;
  facts.compression_error = facts_.error;
  if (s_.options.ranks != nullptr) growth_ = s_.options.ranks->from_root(growth_);  // so that all go on or none
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
  if (s_.options.ranks != nullptr) least = s_.options.ranks->from_root(least);
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

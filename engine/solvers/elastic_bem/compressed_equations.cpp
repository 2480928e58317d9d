// SPDX-License-Identifier: BSD-3-Clause
// Building by a phase of the team; products with what is beside the matrix.
#include "engine/solvers/elastic_bem/compressed_equations.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/core/stop.hpp"
#include "engine/core/vec3.hpp"
#include "engine/linalg/cluster_preconditioner.hpp"
#include "engine/linalg/one_blas_thread.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

namespace {

/// Near rows and far blocks of a compressed matrix.
template <class T>
class CompressPhase final : public Phase {
 public:
  CompressPhase(CompressedMatrix<T>& matrix, std::stop_token stop) : matrix_(matrix), stop_(std::move(stop)) {}
  [[nodiscard]] std::string_view name() const override { return "compress"; }
  [[nodiscard]] Index items() const override { return matrix_.items(); }
  void run(CpuWorker& worker, Interval items) override {
    worker.for_each(items, 1, [&](Interval chunk, int) {
      for (Index k = chunk.begin; k < chunk.end && !stop_.stop_requested(); ++k) matrix_.build(k);
    });
  }

 private:
  CompressedMatrix<T>& matrix_;
  std::stop_token stop_;
};

/// Nodes of a cluster that is factorised, and of one that moves as a rigid whole in the coarse matrix.
constexpr Index factorised_nodes = 160;
constexpr Index most_coarse = 64;  ///< clusters

template <class Real, class T>
class Columns final : public CompressedColumns {
 public:
  Columns(const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy, const Harmonic& harmonic,
          std::span<const std::array<double, 9>> diagonal, std::span<const EquationColumn> columns, bool square,
          double tolerance)
      : surface_(surface), points_(surface, columns, square),
        values_(surface, rules, accuracy, harmonic, diagonal, points_),
        matrix_(values_, ClusterTree(surface.nodes, {}, compressed_leaf),
                ClusterTree(points_.at, points_.reach, compressed_leaf), {3, tolerance, compressed_separation}) {
    if (!square) return;
    for (const EquationColumn& c : columns) moves_.push_back(c.traction ? 0 : 1);
  }
  void build(Team& team, const std::stop_token& stop) {
    CompressPhase<T> phase(matrix_, stop);
    {
      const OneBlasThread alone;  // for all workers at once: the setting is the process's
      team.run(phase, stop);
    }
    matrix_.finish();
    facts_ = {matrix_.bytes(), matrix_.average_rank(), matrix_.sampled_error(), values_.work()};
  }
  void multiply(const Complex* x, Index count, Complex* y, int threads) const override {
    const auto n = static_cast<Index>(points_.entry.size()), wide = 3 * points_.points();
    std::vector<Complex> in(static_cast<std::size_t>(wide * count));
    for (Index q = 0; q < count; ++q)
      for (Index k = 0; k < n; ++k)
        in[static_cast<std::size_t>(q * wide + points_.entry[static_cast<std::size_t>(k)])] = x[q * n + k];
    matrix_.multiply(in.data(), count, y, threads);
  }
  [[nodiscard]] const CompressionFacts& facts() const override { return facts_; }

  /// Rigid motions of clusters in the displacements that are unknown; tractions are left to what is within clusters.
  Status prepare(const std::function<void(const Complex*, Index, Complex*)>& whole, int threads,
                 int library_threads) override {
    const Index m = surface_.node_count();
    const Vec3 middle = surface_.centre;
    const double size = std::max(surface_.diameter, 1e-300);
    const auto motion = [&](Index point, Index k, double* v) {
      const Vec3 x = vec::scale(1 / size, vec::sub(surface_.nodes[static_cast<std::size_t>(point)], middle));
      Vec3 value{};
      if (k < 3)
        value[static_cast<std::size_t>(k)] = 1;
      else {
        Vec3 axis{};
        axis[static_cast<std::size_t>(k - 3)] = 1;
        value = vec::cross(axis, x);
      }
      for (std::size_t d = 0; d < 3; ++d)
        v[d] = moves_[d * static_cast<std::size_t>(m) + static_cast<std::size_t>(point)] != 0 ? value[d] : 0;
    };
    typename ClusterPreconditioner<T>::Options options;
    options.points = factorised_nodes;
    options.coarse_points = m > 2 * factorised_nodes ? std::max<Index>(factorised_nodes, m / most_coarse) : 0;
    options.threads = threads;
    options.library_threads = library_threads;
    auto made = ClusterPreconditioner<T>::make(matrix_, options, 6, motion, whole);
    if (!made) return made.error();
    near_ = std::move(*made);
    facts_.bytes += near_->bytes();
    return {};
  }
  void approximate(const Complex* y, Index count, Complex* x) const override { near_->solve(y, count, x); }

 private:
  const Surface& surface_;
  ColumnPoints points_;
  KernelValues<Real> values_;
  CompressedMatrix<T> matrix_;
  std::vector<char> moves_;  ///< whether an unknown is a displacement
  std::optional<ClusterPreconditioner<T>> near_;
  CompressionFacts facts_;
};

}  // namespace

template <class Real>
Result<std::unique_ptr<CompressedColumns>> compress(Team& team, const Surface& surface, const FarRules<Real>& rules,
                                                    const Accuracy& accuracy, const Harmonic& harmonic,
                                                    std::span<const std::array<double, 9>> diagonal,
                                                    std::span<const EquationColumn> columns, bool square,
                                                    double tolerance, std::stop_token stop) {
  const auto build = [&](auto made) -> Result<std::unique_ptr<CompressedColumns>> {
    made->build(team, stop);
    if (stop.stop_requested()) return stop_error();
    return std::unique_ptr<CompressedColumns>(std::move(made));
  };
  if (tolerance < kept_in_single && sizeof(Real) == 8)
    return build(std::make_unique<Columns<Real, std::complex<double>>>(surface, rules, accuracy, harmonic, diagonal,
                                                                       columns, square, tolerance));
  return build(std::make_unique<Columns<Real, std::complex<float>>>(surface, rules, accuracy, harmonic, diagonal,
                                                                    columns, square, tolerance));
}
template Result<std::unique_ptr<CompressedColumns>> compress<double>(Team&, const Surface&, const FarRules<double>&,
                                                                     const Accuracy&, const Harmonic&,
                                                                     std::span<const std::array<double, 9>>,
                                                                     std::span<const EquationColumn>, bool, double,
                                                                     std::stop_token);
template Result<std::unique_ptr<CompressedColumns>> compress<float>(Team&, const Surface&, const FarRules<float>&,
                                                                    const Accuracy&, const Harmonic&,
                                                                    std::span<const std::array<double, 9>>,
                                                                    std::span<const EquationColumn>, bool, double,
                                                                    std::stop_token);

Beside::Beside(const Surface& surface, std::span<const EquationColumn> columns, const FarField* far,
               const std::vector<Complex>* more, std::span<const WeakMode> modes)
    : columns_(static_cast<Index>(columns.size())), rows_(3 * surface.node_count()), more_(more), modes_(modes) {
  for (Index c = 0; c < columns_; ++c) {
    const EquationColumn& column = columns[static_cast<std::size_t>(c)];
    const auto k = static_cast<std::size_t>(column.node);
    const auto d = static_cast<Index>(column.component);
    if (!column.traction && surface.window[k] < 1)
      faded_.push_back({c, d * surface.node_count() + column.node, surface.window[k],
                        column.factor * ((1 - surface.window[k]) / 2)});
    if (far == nullptr || more == nullptr) continue;
    const FarGround& ground = far->ground();
    const Index place = column.traction ? ground.place_of()[k] : ground.node_place()[k];
    const double share = column.traction ? ground.weight()[k] : far->inertia() * ground.volume()[k];
    if (place >= 0 && share != 0) places_.push_back({c, 3 * place + d, -column.factor * share});
  }
  for (const WeakMode& mode : modes) {
    auto& values = mode_values_.emplace_back();
    for (const EquationColumn& c : columns)
      values.push_back(c.traction ? -c.factor * mode.traction[static_cast<std::size_t>(c.node)][c.component]
                                  : c.factor * mode.displacement[static_cast<std::size_t>(c.node)][c.component]);
  }
}

std::vector<Complex> Beside::faded(const Complex* x, Index count) const {
  std::vector<Complex> out(x, x + columns_ * count);
  for (Index q = 0; q < count; ++q)
    for (const Faded& f : faded_) out[static_cast<std::size_t>(q * columns_ + f.column)] *= f.window;
  return out;
}

void Beside::add(const Complex* x, Index count, Complex* y) const {
  for (Index q = 0; q < count; ++q) {
    const Complex* in = x + q * columns_;
    Complex* out = y + q * rows_;
    for (const Faded& f : faded_) out[f.row] += f.diagonal * in[f.column];
    if (!places_.empty()) {
      std::vector<Complex> forces(more_->size() / static_cast<std::size_t>(rows_));
      for (const Place& p : places_) forces[static_cast<std::size_t>(p.from)] += p.weight * in[p.column];
      for (std::size_t k = 0; k < forces.size(); ++k) {
        const Complex* from = more_->data() + k * static_cast<std::size_t>(rows_);
        if (forces[k] != Complex(0))
          for (Index i = 0; i < rows_; ++i) out[i] += forces[k] * from[i];
      }
    }
    for (std::size_t k = 0; k < modes_.size(); ++k) {
      const WeakMode& mode = modes_[k];
      Complex put = 0;
      for (Index c = 0; c < columns_; ++c) put += mode_values_[k][static_cast<std::size_t>(c)] * in[c];
      if (!mode.replaced.empty()) {
        double whole = 0;
        Complex sum = 0;
        for (std::size_t i = 0; i < mode.rows.size(); ++i) {
          whole += mode.rows[i] * mode.replaced[i];
          sum += mode.replaced[i] * out[i];
        }
        if (whole != 0) put -= sum / whole;
      }
      for (Index i = 0; i < rows_; ++i) out[i] += put * mode.rows[static_cast<std::size_t>(i)];
    }
  }
}

}  // namespace conoid::elastic_bem

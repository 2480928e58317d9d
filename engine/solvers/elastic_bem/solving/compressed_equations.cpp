// SPDX-License-Identifier: BSD-3-Clause
// Building by a phase of the team; products with what is beside the matrix.
#include "engine/solvers/elastic_bem/solving/compressed_equations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "engine/core/stop.hpp"
#include "engine/core/vec3.hpp"
#include "engine/linalg/one_blas_thread.hpp"
#include "engine/team/parallel_for.hpp"
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

/// Motions of a cluster of one region: six rigid ones, and even tractions where these are unknown. (At interfaces of regions they make more steps, not less.)
constexpr Index coarse_motions = 9;
using Motion = std::function<void(Index node, Index k, double* values)>;
Motion with_even_tractions(Motion rigid, const std::vector<char>& moves) {
  return [rigid = std::move(rigid), &moves, nodes = moves.size() / 3](Index node, Index k, double* v) {
    if (k < 6) {
      rigid(node, k, v);
      return;
    }
    for (std::size_t d = 0; d < 3; ++d)
      v[d] = static_cast<Index>(d) == k - 6 && moves[d * nodes + static_cast<std::size_t>(node)] == 0 ? 1 : 0;
  };
}

/// Of every node and its mirror images one, and where all of them are among these.
struct Orbits {
  std::vector<Index> chosen;  ///< nodes whose rows are made
  std::vector<Vec3> at;
  std::vector<std::size_t> mirror;  ///< of each node: the one that takes it to
  std::vector<Index> row;           ///< this, by its number among those chosen
  Orbits(const Surface& surface, std::span<const Mirror> mirrors)
      : mirror(surface.nodes.size(), 0), row(surface.nodes.size(), -1) {
    for (Index k = 0; k < surface.node_count(); ++k) {
      if (row[static_cast<std::size_t>(k)] >= 0) continue;
      const auto here = static_cast<Index>(chosen.size());
      chosen.push_back(k);
      at.push_back(surface.nodes[static_cast<std::size_t>(k)]);
      row[static_cast<std::size_t>(k)] = here;
      for (std::size_t g = 0; g < mirrors.size(); ++g) {
        const auto image = static_cast<std::size_t>(mirrors[g].node[static_cast<std::size_t>(k)]);
        if (row[image] >= 0) continue;
        row[image] = here;
        mirror[image] = g;
      }
    }
  }
};

/// Rows by their numbers among those chosen.
class ChosenRows final : public MatrixSource {
 public:
  ChosenRows(const MatrixSource& all, const std::vector<Index>& chosen) : all_(all), chosen_(chosen) {}
  [[nodiscard]] std::unique_ptr<CrossBlock> far(std::span<const Index> rows,
                                                std::span<const Index> columns) const override {
    // Blocks keep what they are given by reference.
    auto own = std::make_unique<Block>();
    own->of = nodes(rows);
    own->block = all_.far(own->of, columns);
    return own;
  }
  void near(std::span<const Index> rows, std::span<const Index> columns, Complex* out) const override {
    all_.near(nodes(rows), columns, out);
  }

 private:
  struct Block final : CrossBlock {
    std::vector<Index> of;
    std::unique_ptr<CrossBlock> block;
    void rows(Index point, Complex* out) override { block->rows(point, out); }
    void columns(Index point, Complex* out) override { block->columns(point, out); }
  };
  [[nodiscard]] std::vector<Index> nodes(std::span<const Index> rows) const {
    std::vector<Index> out;
    for (const Index r : rows) out.push_back(chosen_[static_cast<std::size_t>(r)]);
    return out;
  }
  const MatrixSource& all_;
  const std::vector<Index>& chosen_;
};

template <class Real, class T>
class Columns final : public CompressedColumns {
 public:
  Columns(const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy, const Harmonic& harmonic,
          std::span<const std::array<double, 9>> diagonal, std::span<const EquationColumn> columns, bool square,
          std::span<const Mirror> mirrors, double tolerance, Communicator* ranks)
      : surface_(surface), mirrors_(mirrors), ranks_(ranks),
        orbits_(square && mirrors.size() > 1 ? std::make_unique<Orbits>(surface, mirrors) : nullptr),
        points_(surface, columns, square), values_(surface, rules, accuracy, harmonic, diagonal, points_),
        chosen_(orbits_ ? std::make_unique<ChosenRows>(values_, orbits_->chosen) : nullptr),
        matrix_(chosen_ ? static_cast<const MatrixSource&>(*chosen_) : values_,
                ClusterTree(orbits_ ? orbits_->at : surface.nodes, {}, compressed_leaf),
                ClusterTree(points_.at, points_.reach, compressed_leaf), {3, tolerance, compressed_separation, ranks}) {
    if (!square) return;
    for (const EquationColumn& c : columns) moves_.push_back(c.traction ? 0 : 1);
  }
  /// False: stopped.
  [[nodiscard]] bool build(Team& team, const std::stop_token& stop) {
    CompressPhase<T> phase(matrix_, stop);
    {
      const OneBlasThread alone;  // for all workers at once: the setting is the process's
      if (phase.items() > 0) team.run(phase, stop);
    }
    if (stop_of_any(stop, ranks_)) return false;
    matrix_.finish();
    facts_ = {matrix_.all_bytes(), matrix_.average_rank(), matrix_.sampled_error(), values_.work()};
    if (ranks_ != nullptr) {
      std::array<double, 2> points{facts_.work.far_points, facts_.work.near_points};
      ranks_->sum(std::span(points));
      facts_.work.far_points = points[0];
      facts_.work.near_points = points[1];
    }
    return true;
  }
  void multiply(const Complex* x, Index count, Complex* y, int threads) const override {
    const auto n = static_cast<Index>(points_.entry.size()), wide = 3 * points_.points();
    std::vector<Complex> in(static_cast<std::size_t>(wide * count));
    parallel_for(threads, {0, count * n}, 16384, [&](Index i) {
      in[static_cast<std::size_t>(i / n * wide + points_.entry[static_cast<std::size_t>(i % n)])] = x[i];
    });
    if (orbits_)
      multiply_mirrored(in, count, y, threads);
    else
      matrix_.multiply(in.data(), count, y, threads);
  }
  [[nodiscard]] const CompressionFacts& facts() const override { return facts_; }

  Status prepare(const std::function<void(const Complex*, Index, Complex*)>& whole, int threads,
                 int library_threads) override {
    const auto options = cluster_options<T>(surface_.node_count(), threads, library_threads, ranks_);
    const auto motion = with_even_tractions(rigid_motions(surface_, moves_), moves_);
    auto made = orbits_ ? of_all_rows(options, motion, whole)
                        : ClusterPreconditioner<T>::make(matrix_, options, coarse_motions, motion, whole);
    if (!made) return made.error();
    near_ = std::move(*made);
    facts_.bytes += near_->bytes();
    return {};
  }
  void approximate(const Complex* y, Index count, Complex* x) const override { near_->solve(y, count, x); }

  void values(std::span<const Index> nodes, std::span<const Index> columns, Complex* out) const override {
    const Index all = points_.points(), rows = 3 * static_cast<Index>(nodes.size());
    std::vector<Index> used;
    for (const Index c : columns) used.push_back(points_.entry[static_cast<std::size_t>(c)] % all);
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::vector<Complex> block(static_cast<std::size_t>(3 * rows) * used.size());
    values_.near(nodes, used, block.data());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Index entry = points_.entry[static_cast<std::size_t>(columns[k])];
      const auto at = std::ranges::lower_bound(used, entry % all) - used.begin();
      std::copy_n(block.begin() + (3 * at + entry / all) * rows, rows, out + static_cast<Index>(k) * rows);
    }
  }

 private:
  /// Reflections P commute with the matrix: (A x) at the image of a node is the reflection of (A P x) at the node.
  void multiply_mirrored(const std::vector<Complex>& x, Index count, Complex* y, int threads) const {
    const Index m = surface_.node_count(), made = static_cast<Index>(orbits_->chosen.size()),
                images = static_cast<Index>(mirrors_.size());
    std::vector<Complex> in(static_cast<std::size_t>(3 * m * images * count)),
        out(static_cast<std::size_t>(3 * made * images * count));
    parallel_for(threads, {0, images * count * 3}, 1, [&](Index item) {
      const Index d = item % 3, q = item / 3 % count;
      const Mirror& mirror = mirrors_[static_cast<std::size_t>(item / 3 / count)];
      const double sign = mirror.sign(static_cast<std::size_t>(d));
      const Complex* from = x.data() + (3 * q + d) * m;
      Complex* to = in.data() + item / 3 * 3 * m + d * m;
      for (Index k = 0; k < m; ++k) to[k] = sign * from[mirror.node[static_cast<std::size_t>(k)]];
    });
    matrix_.multiply(in.data(), images * count, out.data(), threads);
    for (Index q = 0; q < count; ++q)
      for (Index d = 0; d < 3; ++d)
        for (Index k = 0; k < m; ++k) {
          const std::size_t g = orbits_->mirror[static_cast<std::size_t>(k)];
          y[(3 * q + d) * m + k] = mirrors_[g].sign(static_cast<std::size_t>(d)) *
                                   out[static_cast<std::size_t>((3 * (static_cast<Index>(g) * count + q) + d) * made +
                                                                orbits_->row[static_cast<std::size_t>(k)])];
        }
  }

  /// Blocks on the diagonal are computed anew: the matrix has rows of some nodes only, in an order of their own.
  Result<ClusterPreconditioner<T>> of_all_rows(const typename ClusterPreconditioner<T>::Options& options,
                                               const std::function<void(Index, Index, double*)>& motion,
                                               const std::function<void(const Complex*, Index, Complex*)>& whole) {
    tree_.emplace(surface_.nodes, std::span<const double>(), compressed_leaf);
    const auto block = [this](const ClusterTree::Cluster& cluster, std::complex<float>* out) {
      const auto nodes = tree_->points(cluster);
      std::vector<Complex> values(9 * nodes.size() * nodes.size());
      values_.near(nodes, nodes, values.data());
      for (std::size_t i = 0; i < values.size(); ++i) out[i] = std::complex<float>(values[i]);
    };
    return ClusterPreconditioner<T>::make(*tree_, 3, block, options, coarse_motions, motion, whole);
  }

  const Surface& surface_;
  std::span<const Mirror> mirrors_;
  Communicator* ranks_;
  std::unique_ptr<Orbits> orbits_;  ///< null: all rows are made
  ColumnPoints points_;
  KernelValues<Real> values_;
  std::unique_ptr<ChosenRows> chosen_;
  CompressedMatrix<T> matrix_;
  std::optional<ClusterTree> tree_;  ///< of all nodes, where rows of some are made
  std::vector<char> moves_;          ///< whether an unknown is a displacement
  std::optional<ClusterPreconditioner<T>> near_;
  CompressionFacts facts_;
};

}  // namespace

template <class T>
typename ClusterPreconditioner<T>::Options cluster_options(Index nodes, int threads, int library_threads,
                                                           Communicator* ranks) {
  typename ClusterPreconditioner<T>::Options options;
  options.points = factorised_nodes;
  options.coarse_points = nodes > 2 * factorised_nodes ? std::max<Index>(factorised_nodes, nodes / most_coarse) : 0;
  options.threads = threads;
  options.library_threads = library_threads;
  options.ranks = ranks;
  return options;
}
template ClusterPreconditioner<std::complex<float>>::Options cluster_options<std::complex<float>>(Index, int, int,
                                                                                                  Communicator*);
template ClusterPreconditioner<std::complex<double>>::Options cluster_options<std::complex<double>>(Index, int, int,
                                                                                                    Communicator*);

bool stop_of_any(const std::stop_token& stop, Communicator* ranks) {
  const double own = stop.stop_requested() ? 1 : 0;
  return (ranks == nullptr ? own : ranks->maximum(own)) > 0;
}

std::function<void(Index, Index, double*)> rigid_motions(const Surface& surface, std::span<const char> moves) {
  const double size = std::max(surface.diameter, 1e-300);
  return [&surface, moves, size](Index node, Index k, double* v) {
    const Vec3 x = vec::scale(1 / size, vec::sub(surface.nodes[static_cast<std::size_t>(node)], surface.centre));
    Vec3 value{};
    if (k < 3)
      value[static_cast<std::size_t>(k)] = 1;
    else {
      Vec3 axis{};
      axis[static_cast<std::size_t>(k - 3)] = 1;
      value = vec::cross(axis, x);
    }
    for (std::size_t d = 0; d < 3; ++d)
      v[d] = moves[d * surface.nodes.size() + static_cast<std::size_t>(node)] != 0 ? value[d] : 0;
  };
}

template <class Real>
Result<std::unique_ptr<CompressedColumns>> compress(Team& team, const Surface& surface, const FarRules<Real>& rules,
                                                    const Accuracy& accuracy, const Harmonic& harmonic,
                                                    std::span<const std::array<double, 9>> diagonal,
                                                    std::span<const EquationColumn> columns, bool square,
                                                    std::span<const Mirror> mirrors, double tolerance,
                                                    std::stop_token stop, Communicator* ranks, double residual) {
  const auto build = [&](auto made) -> Result<std::unique_ptr<CompressedColumns>> {
    if (!made->build(team, stop)) return stop_error();
    return std::unique_ptr<CompressedColumns>(std::move(made));
  };
  if (kept_in_double(tolerance, residual) && sizeof(Real) == 8)
    return build(std::make_unique<Columns<Real, std::complex<double>>>(surface, rules, accuracy, harmonic, diagonal,
                                                                       columns, square, mirrors, tolerance, ranks));
  return build(std::make_unique<Columns<Real, std::complex<float>>>(surface, rules, accuracy, harmonic, diagonal,
                                                                    columns, square, mirrors, tolerance, ranks));
}
template Result<std::unique_ptr<CompressedColumns>> compress<double>(Team&, const Surface&, const FarRules<double>&,
                                                                     const Accuracy&, const Harmonic&,
                                                                     std::span<const std::array<double, 9>>,
                                                                     std::span<const EquationColumn>, bool,
                                                                     std::span<const Mirror>, double, std::stop_token,
                                                                     Communicator*, double);
template Result<std::unique_ptr<CompressedColumns>> compress<float>(Team&, const Surface&, const FarRules<float>&,
                                                                    const Accuracy&, const Harmonic&,
                                                                    std::span<const std::array<double, 9>>,
                                                                    std::span<const EquationColumn>, bool,
                                                                    std::span<const Mirror>, double, std::stop_token,
                                                                    Communicator*, double);

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

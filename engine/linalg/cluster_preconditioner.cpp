// SPDX-License-Identifier: BSD-3-Clause
// Blocks on the diagonal, coarse matrix.
#include "engine/linalg/cluster_preconditioner.hpp"

#include "engine/linalg/one_blas_thread.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace conoid {

template <class T>
Result<ClusterPreconditioner<T>> ClusterPreconditioner<T>::make(
    const CompressedMatrix<T>& matrix, const Options& options, Index motions,
    const std::function<void(Index point, Index k, double* values)>& motion, const Operator& apply) {
  return make(
      matrix.rows(), matrix.width(),
      [&](const ClusterTree::Cluster& cluster, std::complex<float>* out) { matrix.diagonal_block(cluster, out); },
      options, motions, motion, apply);
}

template <class T>
Result<ClusterPreconditioner<T>> ClusterPreconditioner<T>::make(
    const ClusterTree& tree, Index width,
    const std::function<void(const ClusterTree::Cluster& cluster, std::complex<float>* out)>& block,
    const Options& options, Index motions, const std::function<void(Index point, Index k, double* values)>& motion,
    const Operator& apply) {
  ClusterPreconditioner out(tree, width, options);
  if (auto status = out.factorise(block); !status) return status.error();
  if (motions > 0 && options.coarse_points > 0)
    if (auto status = out.make_coarse(motions, motion, apply); !status) return status.error();
  return out;
}

template <class T>
Status ClusterPreconditioner<T>::factorise(
    const std::function<void(const ClusterTree::Cluster& cluster, std::complex<float>* out)>& block_of) {
  const ClusterTree& tree = *tree_;
  for (const Index c : tree.cut(options_.points)) blocks_.push_back({c, {}, {}});
  std::atomic<bool> singular{false};
  const OneBlasThread alone;
  parallel_for(options_.threads, {0, clusters()}, 1, [&](Index k) {
    Block& block = blocks_[static_cast<std::size_t>(k)];
    const Index n = tree[block.cluster].size() * width_;
    block.values.resize(static_cast<std::size_t>(n * n));
    block_of(tree[block.cluster], block.values.data());
    auto lu = dense::Lu<std::complex<float>>::factorise(block.values.data(), n, 1);
    if (lu)
      block.lu = std::move(*lu);
    else
      singular = true;
  });
  if (singular)
    return make_error(ErrorCode::not_converged, "a part of the equations is singular by itself",
                      "Check the boundary conditions, or let a dense solution find out why.");
  return {};
}

template <class T>
Status ClusterPreconditioner<T>::make_coarse(Index motions, const std::function<void(Index, Index, double*)>& motion,
                                             const Operator& apply) {
  const ClusterTree& tree = *tree_;
  const Index width = width_, points = tree.size(), n = points * width;
  for (const Index c : tree.cut(options_.coarse_points)) {
    const ClusterTree::Cluster& cluster = tree[c];
    const Index rows = cluster.size() * width;
    Moves m;
    m.positions = {cluster.begin, cluster.end};
    m.first = coarse_;
    std::vector<double> column(static_cast<std::size_t>(rows));
    for (Index k = 0; k < motions; ++k) {
      for (Index i = 0; i < cluster.size(); ++i)
        motion(tree.order()[static_cast<std::size_t>(cluster.begin + i)], k, column.data() + i * width);
      double before = 0, rest = 0;
      for (const double v : column) before += v * v;
      for (int pass = 0; pass < 2; ++pass)  // against those that the cluster has
        for (Index q = 0; q < m.columns; ++q) {
          const double* other = m.values.data() + q * rows;
          double share = 0;
          for (Index i = 0; i < rows; ++i) share += other[i] * column[static_cast<std::size_t>(i)];
          for (Index i = 0; i < rows; ++i) column[static_cast<std::size_t>(i)] -= share * other[i];
        }
      for (const double v : column) rest += v * v;
      if (!(rest > 1e-8 * before)) continue;
      for (const double v : column) m.values.push_back(v / std::sqrt(rest));
      ++m.columns;
    }
    coarse_ += m.columns;
    moves_.push_back(std::move(m));
  }
  if (coarse_ == 0) return {};
  // A P some columns at a time.
  image_.resize(static_cast<std::size_t>(n * coarse_));
  std::vector<Complex> x, y;
  for (const Moves& m : moves_) {
    if (m.columns == 0) continue;
    const Index rows = m.positions.size() * width;
    x.assign(static_cast<std::size_t>(n * m.columns), Complex(0));
    y.resize(x.size());
    for (Index q = 0; q < m.columns; ++q)
      for (Index i = 0; i < rows; ++i) {
        const Index point = tree.order()[static_cast<std::size_t>(m.positions.begin + i / width)];
        x[static_cast<std::size_t>(q * n + i % width * points + point)] =
            m.values[static_cast<std::size_t>(q * rows + i)];
      }
    apply(x.data(), m.columns, y.data());
    to_tree(y.data(), m.columns, image_.data() + m.first * n);
  }
  galerkin_.resize(static_cast<std::size_t>(coarse_ * coarse_));
  parallel_for(options_.threads, {0, coarse_}, 4,
               [&](Index j) { onto_moves(image_.data() + j * n, galerkin_.data() + j * coarse_); });
  auto lu = dense::Lu<Complex>::factorise(galerkin_.data(), coarse_, options_.library_threads);
  if (!lu) return lu.error();
  coarse_lu_ = std::move(*lu);
  return {};
}

template <class T>
void ClusterPreconditioner<T>::to_tree(const Complex* x, Index count, Complex* out) const {
  const ClusterTree& tree = *tree_;
  const Index width = width_, points = tree.size(), n = points * width;
  parallel_for(options_.threads, {0, count * points}, 4096, [&](Index k) {
    const Index q = k / points, p = k % points;
    for (Index c = 0; c < width; ++c)
      out[q * n + p * width + c] = x[q * n + c * points + tree.order()[static_cast<std::size_t>(p)]];
  });
}

template <class T>
void ClusterPreconditioner<T>::onto_moves(const Complex* x, Complex* z) const {
  for (const Moves& m : moves_) {
    const Index rows = m.positions.size() * width_;
    const Complex* from = x + m.positions.begin * width_;
    for (Index q = 0; q < m.columns; ++q) {
      Complex sum = 0;
      for (Index i = 0; i < rows; ++i) sum += m.values[static_cast<std::size_t>(q * rows + i)] * from[i];
      z[m.first + q] = sum;
    }
  }
}

template <class T>
void ClusterPreconditioner<T>::within(const Complex* x, Index count, Complex* y) const {
  const ClusterTree& tree = *tree_;
  const Index width = width_, n = tree.size() * width;
  const OneBlasThread alone;
  parallel_for(options_.threads, {0, clusters()}, 1, [&](Index k) {
    const Block& block = blocks_[static_cast<std::size_t>(k)];
    const ClusterTree::Cluster& cluster = tree[block.cluster];
    const Index rows = cluster.size() * width;
    std::vector<std::complex<float>> part(static_cast<std::size_t>(rows * count));
    for (Index q = 0; q < count; ++q)
      for (Index i = 0; i < rows; ++i)
        part[static_cast<std::size_t>(q * rows + i)] = std::complex<float>(x[q * n + cluster.begin * width + i]);
    block.lu->solve(part.data(), count);
    for (Index q = 0; q < count; ++q)
      for (Index i = 0; i < rows; ++i)
        y[q * n + cluster.begin * width + i] += Complex(part[static_cast<std::size_t>(q * rows + i)]);
  });
}

/// First what the motions of clusters can do, then the rest within them: y = P z + B (x − A P z), z = (Pᵀ A P)⁻¹ Pᵀ x.
template <class T>
void ClusterPreconditioner<T>::solve(const Complex* x, Index count, Complex* y) const {
  const ClusterTree& tree = *tree_;
  const Index width = width_, points = tree.size(), n = points * width;
  std::vector<Complex> in(static_cast<std::size_t>(n * count)), out(in.size());
  to_tree(x, count, in.data());
  if (coarse_lu_) {
    std::vector<Complex> z(static_cast<std::size_t>(coarse_ * count));
    for (Index q = 0; q < count; ++q) onto_moves(in.data() + q * n, z.data() + q * coarse_);
    coarse_lu_->solve(z.data(), count);
    std::vector<Complex> taken(in.size());
    dense::multiply<Complex>(image_.data(), n, coarse_, z.data(), count, Complex(0), taken.data(),
                             options_.library_threads);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] -= taken[i];
    for (Index q = 0; q < count; ++q)
      for (const Moves& m : moves_) {
        const Index rows = m.positions.size() * width;
        Complex* to = out.data() + q * n + m.positions.begin * width;
        for (Index k = 0; k < m.columns; ++k)
          for (Index i = 0; i < rows; ++i)
            to[i] += m.values[static_cast<std::size_t>(k * rows + i)] *
                     z[static_cast<std::size_t>(q * coarse_ + m.first + k)];
      }
  }
  within(in.data(), count, out.data());
  for (Index q = 0; q < count; ++q)
    for (Index p = 0; p < points; ++p)
      for (Index c = 0; c < width; ++c)
        y[q * n + c * points + tree.order()[static_cast<std::size_t>(p)]] =
            out[static_cast<std::size_t>(q * n + p * width + c)];
}

template <class T>
Bytes ClusterPreconditioner<T>::bytes() const {
  std::size_t numbers = 0;
  for (const Block& b : blocks_) numbers += b.values.size();
  return static_cast<Bytes>(numbers) * 8 + static_cast<Bytes>(image_.size() + galerkin_.size()) * 16;
}

template class ClusterPreconditioner<std::complex<float>>;
template class ClusterPreconditioner<std::complex<double>>;

}  // namespace conoid

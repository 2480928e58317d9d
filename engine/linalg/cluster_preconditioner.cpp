// SPDX-License-Identifier: BSD-3-Clause
// Blocks on the diagonal, coarse matrix.
#include "engine/linalg/cluster_preconditioner.hpp"

#include "engine/cluster/rank_share.hpp"
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
      matrix.ranks() != nullptr && matrix.ranks()->size() > 1, options, motions, motion, apply);
}

template <class T>
Result<ClusterPreconditioner<T>> ClusterPreconditioner<T>::make(
    const ClusterTree& tree, Index width,
    const std::function<void(const ClusterTree::Cluster& cluster, std::complex<float>* out)>& block,
    const Options& options, Index motions, const std::function<void(Index point, Index k, double* values)>& motion,
    const Operator& apply) {
  return make(tree, width, block, false, options, motions, motion, apply);
}

template <class T>
Result<ClusterPreconditioner<T>> ClusterPreconditioner<T>::make(
    const ClusterTree& tree, Index width, const BlockOf& block, bool parted, const Options& options, Index motions,
    const std::function<void(Index point, Index k, double* values)>& motion, const Operator& apply) {
  ClusterPreconditioner out(tree, width, options);
  out.share_out();
  if (auto status = out.factorise(block, parted); !status) return status.error();
  if (motions > 0 && options.coarse_points > 0)
    if (auto status = out.make_coarse(motions, motion, apply); !status) return status.error();
  return out;
}

template <class T>
void ClusterPreconditioner<T>::share_out() {
  const ClusterTree& tree = *tree_;
  std::vector<Index> clusters = tree.cut(options_.points);
  std::ranges::sort(clusters, {}, [&](Index c) { return tree[c].begin; });
  own_ = {0, tree.size()};
  if (options_.ranks != nullptr && options_.ranks->size() > 1) {
    // Those whose middle lies in this rank's share of the positions.
    const Interval share = rank_share(tree.size(), options_.ranks->rank(), options_.ranks->size());
    const auto middle = [&](Index c) { return (tree[c].begin + tree[c].end - 1) / 2; };
    std::erase_if(clusters, [&](Index c) { return middle(c) < share.begin || middle(c) >= share.end; });
    own_ = clusters.empty() ? Interval{0, 0} : Interval{tree[clusters.front()].begin, tree[clusters.back()].end};
  }
  for (const Index c : clusters) blocks_.push_back({c, {}, {}});
}

template <class T>
void ClusterPreconditioner<T>::gather_blocks(const BlockOf& block_of) {
  const ClusterTree& tree = *tree_;
  constexpr std::size_t most = std::size_t{1} << 22;  // values that are on their way at a time, but for one block
  std::vector<Index> clusters = tree.cut(options_.points);
  std::ranges::sort(clusters, {}, [&](Index c) { return tree[c].begin; });
  const auto values_of = [&](Index c) {
    const Index n = tree[c].size() * width_;
    return static_cast<std::size_t>(n * n);
  };
  const OneBlasThread alone;
  std::size_t own = 0;
  for (std::size_t k = 0; k < clusters.size();) {
    std::vector<std::size_t> begin{0};
    std::size_t end = k;
    for (; end < clusters.size() && (end == k || begin.back() + values_of(clusters[end]) <= most); ++end)
      begin.push_back(begin.back() + values_of(clusters[end]));
    std::vector<std::complex<float>> parts(begin.back());
    parallel_for(options_.threads, {0, static_cast<Index>(end - k)}, 1, [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      block_of(tree[clusters[k + at]], parts.data() + begin[at]);
    });
    std::vector<Complex> sums(parts.begin(), parts.end());  // of each value all ranks but one have zero
    sum_over(options_.ranks, sums);
    for (std::size_t c = k; c < end; ++c) {
      if (own >= blocks_.size() || blocks_[own].cluster != clusters[c]) continue;
      const auto first = sums.begin() + static_cast<std::ptrdiff_t>(begin[c - k]);
      std::vector<std::complex<float>>& values = blocks_[own++].values;
      values.resize(values_of(clusters[c]));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::complex<float>(first[static_cast<std::ptrdiff_t>(i)]);
    }
    k = end;
  }
}

template <class T>
Status ClusterPreconditioner<T>::factorise(const BlockOf& block_of, bool parted) {
  const ClusterTree& tree = *tree_;
  if (parted) gather_blocks(block_of);
  std::atomic<bool> singular{false};
  const OneBlasThread alone;
  parallel_for(options_.threads, {0, clusters()}, 1, [&](Index k) {
    Block& block = blocks_[static_cast<std::size_t>(k)];
    const Index n = tree[block.cluster].size() * width_;
    if (!parted) {
      block.values.resize(static_cast<std::size_t>(n * n));
      block_of(tree[block.cluster], block.values.data());
    }
    auto lu = dense::Lu<std::complex<float>>::factorise(block.values.data(), n, 1);
    if (lu)
      block.lu = std::move(*lu);
    else
      singular = true;
  });
  const double any = singular ? 1 : 0;
  if ((options_.ranks == nullptr ? any : options_.ranks->maximum(any)) > 0)
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
  const Index own = own_.size() * width;
  image_.resize(static_cast<std::size_t>(own * coarse_));
  galerkin_.resize(static_cast<std::size_t>(coarse_ * coarse_));
  std::vector<Complex> x, y, image;
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
    image.resize(y.size());
    to_tree(y.data(), m.columns, image.data());
    parallel_for(options_.threads, {0, m.columns}, 1, [&](Index q) {
      onto_moves(image.data() + q * n, galerkin_.data() + (m.first + q) * coarse_);
      std::copy_n(image.data() + q * n + own_.begin * width, own, image_.data() + (m.first + q) * own);
    });
  }
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

/// First what the motions of clusters can do, then the rest within them: y = P z + B (x − A P z), z = (Pᵀ A P)⁻¹ Pᵀ x. Of A P z a rank has
/// the rows that its clusters see.
template <class T>
void ClusterPreconditioner<T>::solve(const Complex* x, Index count, Complex* y) const {
  const ClusterTree& tree = *tree_;
  const Index width = width_, points = tree.size(), n = points * width;
  const Index own = own_.size() * width;
  std::vector<Complex> in(static_cast<std::size_t>(n * count)), out(in.size()), apart(in.size());
  to_tree(x, count, in.data());
  if (coarse_lu_) {
    std::vector<Complex> z(static_cast<std::size_t>(coarse_ * count));
    for (Index q = 0; q < count; ++q) onto_moves(in.data() + q * n, z.data() + q * coarse_);
    coarse_lu_->solve(z.data(), count);
    std::vector<Complex> taken(static_cast<std::size_t>(own * count));
    if (own > 0)
      dense::multiply<Complex>(image_.data(), own, coarse_, z.data(), count, Complex(0), taken.data(),
                               options_.library_threads);
    for (Index q = 0; q < count; ++q)
      for (Index i = 0; i < own; ++i)
        in[static_cast<std::size_t>(q * n + own_.begin * width + i)] -= taken[static_cast<std::size_t>(q * own + i)];
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
  within(in.data(), count, apart.data());
  sum_over(options_.ranks, apart);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += apart[i];
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
  double shared = static_cast<double>(numbers) * 8 + static_cast<double>(image_.size()) * 16;
  if (options_.ranks != nullptr) shared = options_.ranks->sum(shared);
  return static_cast<Bytes>(shared) + static_cast<Bytes>(galerkin_.size()) * 16;
}

template class ClusterPreconditioner<std::complex<float>>;
template class ClusterPreconditioner<std::complex<double>>;

}  // namespace conoid

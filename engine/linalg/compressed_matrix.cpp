// SPDX-License-Identifier: BSD-3-Clause
// Plan, blocks, products.
#include "engine/linalg/compressed_matrix.hpp"

#include "engine/linalg/dense.hpp"
#include "engine/linalg/one_blas_thread.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace conoid {

void sum_over(Communicator* ranks, std::span<std::complex<double>> values) {
  if (ranks == nullptr || ranks->size() == 1) return;
  // Whole numbers of pieces that the communicator takes.
  constexpr std::size_t piece = std::size_t{1} << 26;
  for (std::size_t k = 0; k < values.size(); k += piece) {
    const auto some = values.subspan(k, std::min(piece, values.size() - k));
    ranks->sum(std::span(reinterpret_cast<double*>(some.data()), 2 * some.size()));
  }
}

template <class T>
CompressedMatrix<T>::CompressedMatrix(const MatrixSource& source, ClusterTree rows, ClusterTree columns,
                                      const Options& options)
    : source_(source), rows_(std::move(rows)), columns_(std::move(columns)), options_(options) {
  ClusterPairs pairs = cluster_pairs(rows_, columns_, options.separation);
  std::ranges::sort(pairs.near, [this](const auto& a, const auto& b) {
    return a.row != b.row ? rows_[a.row].begin < rows_[b.row].begin : a.column < b.column;
  });
  for (const ClusterPairs::Pair& p : pairs.near) {
    if (strips_.empty() || strips_.back().row != p.row) strips_.push_back({p.row, {}, {}});
    strips_.back().columns.push_back(p.column);
  }
  const auto size = [&](const ClusterPairs::Pair& p) { return rows_[p.row].size() + columns_[p.column].size(); };
  std::ranges::sort(pairs.far, [&](const auto& a, const auto& b) {
    return size(a) != size(b) ? size(a) > size(b) : a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  for (const ClusterPairs::Pair& p : pairs.far) {
    Far& block = far_.emplace_back();
    block.row = p.row;
    block.column = p.column;
  }
  share_out();
}

namespace {

/// Which of so many intervals of about the same cost each part of a row belongs to.
std::vector<int> equal_shares(const std::vector<double>& cost, int intervals) {
  double all = 0, before = 0;
  for (const double c : cost) all += c;
  std::vector<int> out;
  for (const double c : cost) {
    const double middle = all > 0 ? (before + c / 2) / all : 0;
    out.push_back(std::clamp(static_cast<int>(middle * intervals), 0, intervals - 1));
    before += c;
  }
  return out;
}

}  // namespace

/// Near and far blocks apart, so that each rank has its share of both. All far blocks of a cluster of rows stay together: their sum has an
/// order of its own.
template <class T>
void CompressedMatrix<T>::share_out() {
  if (options_.ranks == nullptr || options_.ranks->size() == 1) return;
  const int own = options_.ranks->rank(), size = options_.ranks->size();
  std::vector<double> near;
  for (const Strip& strip : strips_) {
    double columns = 0;
    for (const Index c : strip.columns) columns += static_cast<double>(columns_[c].size());
    near.push_back(columns * static_cast<double>(rows_[strip.row].size()));
  }
  const std::vector<int> near_rank = equal_shares(near, size);
  std::size_t at = 0;
  std::erase_if(strips_, [&](const Strip&) { return near_rank[at++] != own; });

  // By where rows begin, wide clusters first; ranks of blocks differ little, but for those that have no more rows or columns.
  constexpr double usual_rank = 7;  // over the width
  std::vector<double> cost(rows_.clusters().size());
  for (const Far& f : far_) {
    const auto r = static_cast<double>(rows_[f.row].size()), c = static_cast<double>(columns_[f.column].size());
    cost[static_cast<std::size_t>(f.row)] += std::min({usual_rank, r, c}) * (r + c);
  }
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < cost.size(); ++t)
    if (cost[t] > 0) order.push_back(t);
  const auto& clusters = rows_.clusters();
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return clusters[a].begin < clusters[b].begin; });
  std::vector<double> ordered;
  ordered.reserve(order.size());
  for (const std::size_t t : order) ordered.push_back(cost[t]);
  const std::vector<int> far_rank = equal_shares(ordered, size);
  std::vector<char> mine(cost.size(), 0);
  for (std::size_t k = 0; k < order.size(); ++k) mine[order[k]] = far_rank[k] == own ? 1 : 0;
  std::erase_if(far_, [&](const Far& f) { return mine[static_cast<std::size_t>(f.row)] == 0; });
}

template <class T>
void CompressedMatrix<T>::build(Index item) {
  const auto k = static_cast<std::size_t>(item);
  const Index width = options_.width;
  if (k < strips_.size()) {
    Strip& strip = strips_[k];
    std::vector<Index> columns;
    for (const Index c : strip.columns) {
      const auto some = columns_.points(columns_[c]);
      columns.insert(columns.end(), some.begin(), some.end());
    }
    const auto rows = rows_.points(rows_[strip.row]);
    std::vector<Complex> values(rows.size() * columns.size() * static_cast<std::size_t>(width * width));
    source_.near(rows, columns, values.data());
    strip.values.assign(values.begin(), values.end());
    return;
  }
  Far& block = far_[k - strips_.size()];
  const auto rows = rows_.points(rows_[block.row]), columns = columns_.points(columns_[block.column]);
  const std::unique_ptr<CrossBlock> values = source_.far(rows, columns);
  const LowRank found = cross_approximation(*values, static_cast<Index>(rows.size()),
                                            static_cast<Index>(columns.size()), width, options_.tolerance);
  block.rank = found.rank;
  block.u.assign(found.u.begin(), found.u.end());
  block.v.assign(found.v.begin(), found.v.end());
  block.norm2 = found.norm2;
  block.error2 = found.error2;
}

template <class T>
void CompressedMatrix<T>::finish() {
  std::ranges::sort(far_, [this](const Far& a, const Far& b) {
    const Index first = rows_[a.row].begin, second = rows_[b.row].begin;
    return first != second ? first < second : a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  const auto& clusters = rows_.clusters();
  std::vector<std::size_t> level(clusters.size(), 0);
  std::size_t deepest = 0;
  for (std::size_t t = 0; t < level.size(); ++t)
    for (const Index child : clusters[t].child)
      if (child >= 0) {
        level[static_cast<std::size_t>(child)] = level[t] + 1;
        deepest = std::max(deepest, level[t] + 1);
      }
  levels_.assign(deepest + 1, {});
  for (std::size_t b = 0; b < far_.size();) {
    std::size_t end = b;
    while (end < far_.size() && far_[end].row == far_[b].row) ++end;
    levels_[level[static_cast<std::size_t>(far_[b].row)]].push_back({static_cast<Index>(b), static_cast<Index>(end)});
    b = end;
  }
}

template <class T>
std::vector<char> CompressedMatrix<T>::with_values(const T* x, Index count, int threads) const {
  const Index width = options_.width, n = columns_.size() * width;
  const auto& clusters = columns_.clusters();
  std::vector<char> out(clusters.size(), 0);
  parallel_for(threads, {0, static_cast<Index>(clusters.size())}, 64, [&](Index t) {
    const ClusterTree::Cluster& c = clusters[static_cast<std::size_t>(t)];
    if (!c.leaf()) return;
    for (Index q = 0; q < count; ++q)
      for (Index i = c.begin * width; i < c.end * width; ++i)
        if (x[q * n + i] != T(0)) {
          out[static_cast<std::size_t>(t)] = 1;
          return;
        }
  });
  for (std::size_t t = clusters.size(); t-- > 0;)  // children come after their parents
    for (const Index child : clusters[t].child)
      if (child >= 0 && out[static_cast<std::size_t>(child)] != 0) out[t] = 1;
  return out;
}

/// Vectors of the products: position width + component, column by column. Neighbours with values go together, others are passed over.
template <class T>
void CompressedMatrix<T>::add_strip(const Strip& strip, const T* x, const std::vector<char>& some, Index count,
                                    Complex* y) const {
  const Index width = options_.width, n = columns_.size() * width, m = rows_.size() * width;
  const ClusterTree::Cluster& row = rows_[strip.row];
  const Index rows = row.size() * width;
  std::vector<T> in, out(static_cast<std::size_t>(rows * count));
  const T* values = strip.values.data();
  const auto has = [&](std::size_t k) { return some[static_cast<std::size_t>(strip.columns[k])] != 0; };
  for (std::size_t k = 0; k < strip.columns.size();) {
    const std::size_t first = k;
    Index columns = 0;
    for (; k < strip.columns.size() && has(k) == has(first); ++k) columns += columns_[strip.columns[k]].size() * width;
    if (has(first)) {
      in.resize(static_cast<std::size_t>(columns * count));
      for (Index q = 0; q < count; ++q) {
        auto at = in.begin() + q * columns;
        for (std::size_t c = first; c < k; ++c) {
          const ClusterTree::Cluster& column = columns_[strip.columns[c]];
          at = std::copy_n(x + q * n + column.begin * width, column.size() * width, at);
        }
      }
      dense::multiply<T>(values, rows, columns, in.data(), count, T(1), out.data(), 1);
    }
    values += rows * columns;
  }
  for (Index q = 0; q < count; ++q)
    for (Index i = 0; i < rows; ++i)
      y[q * m + row.begin * width + i] = Complex(out[static_cast<std::size_t>(q * rows + i)]);
}

template <class T>
void CompressedMatrix<T>::add_far(Interval blocks, const T* x, const std::vector<char>& some, Index count,
                                  Complex* y) const {
  const Index width = options_.width, n = columns_.size() * width, m = rows_.size() * width;
  const ClusterTree::Cluster& row = rows_[far_[static_cast<std::size_t>(blocks.begin)].row];
  const Index rows = row.size() * width;
  std::vector<T> in, h, out(static_cast<std::size_t>(rows * count));
  for (Index b = blocks.begin; b < blocks.end; ++b) {
    const Far& block = far_[static_cast<std::size_t>(b)];
    if (block.rank == 0 || some[static_cast<std::size_t>(block.column)] == 0) continue;
    const ClusterTree::Cluster& column = columns_[block.column];
    const Index columns = column.size() * width;
    in.resize(static_cast<std::size_t>(columns * count));
    for (Index q = 0; q < count; ++q) std::copy_n(x + q * n + column.begin * width, columns, in.begin() + q * columns);
    h.resize(static_cast<std::size_t>(block.rank * count));
    dense::multiply_adjoint<T>(block.v.data(), columns, block.rank, in.data(), count, h.data(), 1);
    dense::multiply<T>(block.u.data(), rows, block.rank, h.data(), count, T(1), out.data(), 1);
  }
  for (Index q = 0; q < count; ++q)
    for (Index i = 0; i < rows; ++i)
      y[q * m + row.begin * width + i] += Complex(out[static_cast<std::size_t>(q * rows + i)]);
}

template <class T>
void CompressedMatrix<T>::multiply(const Complex* x, Index count, Complex* y, int threads) const {
  const Index width = options_.width, np = columns_.size(), mp = rows_.size();
  std::vector<T> in(static_cast<std::size_t>(np * width * count));
  std::vector<Complex> out(static_cast<std::size_t>(mp * width * count));
  parallel_for(threads, {0, np * count}, 4096, [&](Index k) {
    const Index q = k / np, position = k % np, point = columns_.order()[static_cast<std::size_t>(position)];
    for (Index c = 0; c < width; ++c)
      in[static_cast<std::size_t>((q * np + position) * width + c)] = T(x[(q * width + c) * np + point]);
  });
  const std::vector<char> some = with_values(in.data(), count, threads);
  const OneBlasThread alone;
  parallel_for(threads, {0, static_cast<Index>(strips_.size())}, 1,
               [&](Index k) { add_strip(strips_[static_cast<std::size_t>(k)], in.data(), some, count, out.data()); });
  for (const std::vector<Interval>& level : levels_)  // clusters of one level have no rows in common
    parallel_for(threads, {0, static_cast<Index>(level.size())}, 1,
                 [&](Index k) { add_far(level[static_cast<std::size_t>(k)], in.data(), some, count, out.data()); });
  sum_over(options_.ranks, out);
  parallel_for(threads, {0, mp * count}, 4096, [&](Index k) {
    const Index q = k / mp, position = k % mp, point = rows_.order()[static_cast<std::size_t>(position)];
    for (Index c = 0; c < width; ++c)
      y[(q * width + c) * mp + point] = out[static_cast<std::size_t>((q * mp + position) * width + c)];
  });
}

template <class T>
void CompressedMatrix<T>::diagonal_block(const ClusterTree::Cluster& cluster, std::complex<float>* out) const {
  const Index width = options_.width, size = cluster.size() * width;
  const auto inside = [&](const ClusterTree::Cluster& c) { return c.begin >= cluster.begin && c.end <= cluster.end; };
  const auto put = [&](const T* values, const ClusterTree::Cluster& row, const ClusterTree::Cluster& column) {
    const Index rows = row.size() * width;
    for (Index j = 0; j < column.size() * width; ++j)
      for (Index i = 0; i < rows; ++i)
        out[((column.begin - cluster.begin) * width + j) * size + (row.begin - cluster.begin) * width + i] =
            std::complex<float>(values[j * rows + i]);
  };
  // Both lists go by where clusters of rows begin.
  const auto within = [&](const auto& list) {
    const auto begin = [&](const auto& part) { return rows_[part.row].begin; };
    const auto first = std::ranges::lower_bound(list, cluster.begin, {}, begin),
               last = std::ranges::lower_bound(list, cluster.end, {}, begin);
    return std::span(list).subspan(static_cast<std::size_t>(first - list.begin()),
                                   static_cast<std::size_t>(last - first));
  };
  for (const Strip& strip : within(strips_)) {
    if (!inside(rows_[strip.row])) continue;
    const T* values = strip.values.data();
    for (const Index c : strip.columns) {
      if (inside(columns_[c])) put(values, rows_[strip.row], columns_[c]);
      values += rows_[strip.row].size() * columns_[c].size() * width * width;
    }
  }
  for (const Far& block : within(far_)) {
    const ClusterTree::Cluster &row = rows_[block.row], &column = columns_[block.column];
    if (block.rank == 0 || !inside(row) || !inside(column)) continue;
    const Index rows = row.size() * width, columns = column.size() * width;
    std::vector<T> across(static_cast<std::size_t>(block.rank * columns)),
        values(static_cast<std::size_t>(rows * columns));
    for (Index j = 0; j < columns; ++j)
      for (Index r = 0; r < block.rank; ++r)
        across[static_cast<std::size_t>(j * block.rank + r)] =
            std::conj(block.v[static_cast<std::size_t>(r * columns + j)]);
    dense::multiply<T>(block.u.data(), rows, block.rank, across.data(), columns, T(0), values.data(), 1);
    put(values.data(), row, column);
  }
}

template <class T>
Bytes CompressedMatrix<T>::bytes() const {
  std::size_t numbers = 0;
  for (const Strip& s : strips_) numbers += s.values.size();
  for (const Far& b : far_) numbers += b.u.size() + b.v.size();
  return static_cast<Bytes>(numbers) * sizeof(T);
}

template <class T>
Bytes CompressedMatrix<T>::all_bytes() const {
  const Bytes own = bytes();
  return options_.ranks == nullptr ? own : static_cast<Bytes>(options_.ranks->sum(static_cast<double>(own)));
}

template <class T>
double CompressedMatrix<T>::average_rank() const {
  std::array<double, 2> sums{0, static_cast<double>(far_.size())};
  for (const Far& b : far_) sums[0] += static_cast<double>(b.rank);
  if (options_.ranks != nullptr) options_.ranks->sum(std::span(sums));
  return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

template <class T>
double CompressedMatrix<T>::sampled_error() const {
  std::array<double, 2> sums{};  // of all, of what is missing
  for (const Far& b : far_) {
    sums[0] += b.norm2;
    sums[1] += b.error2;
  }
  if (options_.ranks != nullptr) options_.ranks->sum(std::span(sums));
  return sums[0] > 0 ? std::sqrt(sums[1] / sums[0]) : 0;
}

template class CompressedMatrix<std::complex<float>>;
template class CompressedMatrix<std::complex<double>>;

}  // namespace conoid

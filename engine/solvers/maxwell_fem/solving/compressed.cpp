// SPDX-License-Identifier: BSD-3-Clause
// Clusters of faces, cross approximation of their far pairs.
#include "engine/solvers/maxwell_fem/solving/compressed.hpp"
#include "engine/cluster/rank_share.hpp"

#include "engine/core/vec3.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/linalg/one_blas_thread.hpp"
#include "engine/solvers/maxwell_fem/kernels/reference.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {
constexpr Index leaf_faces = 10;  // 60 points: one tile
}

CompressedRadiation::Tree CompressedRadiation::make_tree(const Domain& domain, const Patch& patch) {
  Tree tree;
  std::vector<Vec3> centres;
  for (Index f = 0; f < patch.faces(); ++f) {
    Vec3 c{};
    for (Index p : patch.corners(domain.space, f)) c = add(c, scale(1.0 / 3, domain.space.mesh().point(p)));
    centres.push_back(c);
    tree.faces.push_back(f);
  }
  tree.clusters.push_back({0, patch.faces(), {-1, -1}, {}, 0});
  for (std::size_t at = 0; at < tree.clusters.size(); ++at) {
    const Index begin = tree.clusters[at].begin, end = tree.clusters[at].end;
    Vec3 low = centres[tree.faces[begin]], high = low;
    for (Index i = begin; i < end; ++i)
      for (int d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], centres[tree.faces[i]][d]);
        high[d] = std::max(high[d], centres[tree.faces[i]][d]);
      }
    tree.clusters[at].centre = scale(0.5, add(low, high));
    for (Index i = begin; i < end; ++i)
      for (Index p = tree.faces[i] * face_points; p < (tree.faces[i] + 1) * face_points; ++p)
        tree.clusters[at].radius =
            std::max(tree.clusters[at].radius, distance(patch.point(p).x, tree.clusters[at].centre));
    if (end - begin <= leaf_faces) continue;
    const Vec3 size = sub(high, low);
    const auto axis = static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
    const Index middle = (begin + end) / 2;
    std::nth_element(tree.faces.begin() + begin, tree.faces.begin() + middle, tree.faces.begin() + end,
                     [&](Index a, Index b) { return centres[a][axis] < centres[b][axis]; });
    for (int c = 0; c < 2; ++c) {
      tree.clusters[at].child[c] = static_cast<Index>(tree.clusters.size());
      tree.clusters.push_back({c == 0 ? begin : middle, c == 0 ? middle : end, {-1, -1}, {}, 0});
    }
  }
  return tree;
}

PointArrays CompressedRadiation::ordered_points(const Patch& patch, const Tree& tree) {
  PointArrays out;
  out.count = patch.size();
  out.padded = (out.count + 15) / 16 * 16 + tile_rows;
  out.data = AlignedDoubles(static_cast<std::size_t>(9 * out.padded));
  for (Index p = 0; p < out.padded; ++p) {
    FacePoint at{};
    if (p < out.count)
      at = patch.point(tree.faces[p / face_points] * face_points + p % face_points);
    else
      at.x = {1e6, 1e6, 1e6};
    for (int d = 0; d < 3; ++d) {
      out.data.data()[d * out.padded + p] = at.x[d];
      out.data.data()[(3 + d) * out.padded + p] = at.t1[d];
      out.data.data()[(6 + d) * out.padded + p] = at.t2[d];
    }
  }
  return out;
}

CompressedRadiation::CompressedRadiation(const Domain& domain, double k, double tolerance, int threads,
                                         std::stop_token stop, double separation, int rank, int ranks)
    : k_(k), stop_(std::move(stop)), to_tree_(make_tree(domain, domain.outer)),
      from_tree_(make_tree(domain, domain.currents)), to_(ordered_points(domain.outer, to_tree_)),
      from_(ordered_points(domain.currents, from_tree_)) {
  share_out(rank, ranks);
  pair_up(0, 0, separation);
  std::sort(near_.begin(), near_.end(), [](const Near& a, const Near& b) { return a.to < b.to; });
  // The largest first, so that threads end together.
  const auto size = [&](const LowRank& b) {
    const Cluster &to = to_tree_.clusters[b.to], &from = from_tree_.clusters[b.from];
    return to.end - to.begin + from.end - from.begin;
  };
  std::stable_sort(far_.begin(), far_.end(), [&](const LowRank& a, const LowRank& b) { return size(a) > size(b); });
  parallel_for(threads, {0, static_cast<Index>(far_.size())}, 1, [&](Index b) {
    if (!stop_.stop_requested()) compress(far_[static_cast<std::size_t>(b)], tolerance);
  });
  sort_far();
}

void CompressedRadiation::sort_far() {
  std::sort(far_.begin(), far_.end(),
            [](const LowRank& a, const LowRank& b) { return a.to != b.to ? a.to < b.to : a.from < b.from; });
  std::vector<std::size_t> level(to_tree_.clusters.size(), 0);  // children come after their parents
  for (std::size_t t = 0; t < level.size(); ++t)
    for (Index c : to_tree_.clusters[t].child)
      if (c >= 0) level[c] = level[t] + 1;
  levels_.resize(*std::max_element(level.begin(), level.end()) + 1);
  for (std::size_t b = 0; b < far_.size();) {
    std::size_t end = b;
    while (end < far_.size() && far_[end].to == far_[b].to) ++end;
    levels_[level[far_[b].to]].push_back({static_cast<Index>(b), static_cast<Index>(end)});
    b = end;
  }
  // Those that take longest first.
  const auto cost = [&](const Interval& blocks) {
    Index out = 0;
    for (Index b = blocks.begin; b < blocks.end; ++b)
      for (int half = 0; half < 2; ++half) out += static_cast<Index>(far_[b].u[half].size() + far_[b].v[half].size());
    return out;
  };
  for (std::vector<Interval>& blocks : levels_)
    std::stable_sort(blocks.begin(), blocks.end(), [&](const auto& a, const auto& b) { return cost(a) > cost(b); });
}

/// As equal parts as whole leaves allow.
void CompressedRadiation::share_out(int rank, int ranks) {
  const auto faces = static_cast<Index>(to_tree_.faces.size());
  const auto up_to = [&](Index face) {
    Index out = 0;
    for (const Cluster& c : to_tree_.clusters)
      if (c.child[0] < 0 && c.end <= face) out = std::max(out, c.end);
    return out;
  };
  const Interval even = rank_share(faces, rank, ranks);
  own_ = {up_to(even.begin), up_to(even.end)};
  owned_.assign(to_tree_.faces.size(), false);
  for (Index at = own_.begin; at < own_.end; ++at) owned_[static_cast<std::size_t>(to_tree_.faces[at])] = true;
}

void CompressedRadiation::pair_up(Index to, Index from, double separation) {
  const Cluster &t = to_tree_.clusters[to], &f = from_tree_.clusters[from];
  if (t.end <= own_.begin || t.begin >= own_.end) return;
  if (t.begin < own_.begin || t.end > own_.end) {  // no leaf is cut
    for (Index c : std::array<Index, 2>(t.child)) pair_up(c, from, separation);
    return;
  }
  const double gap = distance(t.centre, f.centre) - t.radius - f.radius;
  if (gap > separation * 2 * std::min(t.radius, f.radius)) {
    far_.push_back({to, from, {0, 0}, {}, {}});
    return;
  }
  const bool t_leaf = t.child[0] < 0, f_leaf = f.child[0] < 0;
  if (t_leaf && f_leaf) {
    near_.push_back({to, from});
    return;
  }
  if (f_leaf || (!t_leaf && t.radius >= f.radius))
    for (Index c : std::array<Index, 2>(t.child)) pair_up(c, from, separation);
  else
    for (Index c : std::array<Index, 2>(f.child)) pair_up(to, c, separation);
}

void CompressedRadiation::compress(LowRank& block, double tolerance) const {
  const Cluster &t = to_tree_.clusters[block.to], &f = from_tree_.clusters[block.from];
  const Index rows = (t.end - t.begin) * face_points, columns = (f.end - f.begin) * face_points * 2;
  const auto vector_at = [](const PointArrays& a, int first, Index p) {
    return Vec3{a.row(first)[p], a.row(first + 1)[p], a.row(first + 2)[p]};
  };
  const auto entry = [&](Index row, Index column, int half) {
    const Index p = t.begin * face_points + row, q = f.begin * face_points + column / 2;
    const Halves h = halves(vector_at(to_, 0, p), vector_at(to_, 3, p), vector_at(to_, 6, p), vector_at(from_, 0, q),
                            vector_at(from_, column % 2 == 0 ? 3 : 6, q), k_);
    return half == 0 ? h.plus : h.minus;
  };
  for (int half = 0; half < 2; ++half) {
    auto &u = block.u[half], &v = block.v[half];
    Index& rank = block.rank[half];
    std::vector<bool> used(static_cast<std::size_t>(rows), false);
    Index row = 0;
    double norm2 = 0;
    int small = 0;
    const Index most = std::min(rows, columns) / 2;
    while (rank < most) {
      std::vector<Complex> across(static_cast<std::size_t>(columns)), down(static_cast<std::size_t>(rows));
      used[row] = true;
      for (Index c = 0; c < columns; ++c) {
        across[c] = entry(row, c, half);
        for (Index r = 0; r < rank; ++r) across[c] -= u[r * rows + row] * v[r * columns + c];
      }
      const Index pivot = std::max_element(across.begin(), across.end(),
                                           [](Complex a, Complex b) { return std::norm(a) < std::norm(b); }) -
                          across.begin();
      const Complex value = across[pivot];
      if (std::abs(value) < 1e-300) break;
      for (Complex& z : across) z /= value;
      double down2 = 0, across2 = 0;
      for (Index r = 0; r < rows; ++r) {
        down[r] = entry(r, pivot, half);
        for (Index m = 0; m < rank; ++m) down[r] -= u[m * rows + r] * v[m * columns + pivot];
        down2 += std::norm(down[r]);
      }
      for (const Complex& z : across) across2 += std::norm(z);
      double mixed = 0;
      for (Index m = 0; m < rank; ++m) {
        Complex a = 0, b = 0;
        for (Index r = 0; r < rows; ++r) a += std::conj(u[m * rows + r]) * down[r];
        for (Index c = 0; c < columns; ++c) b += std::conj(v[m * columns + c]) * across[c];
        mixed += 2 * std::real(a * b);
      }
      norm2 += down2 * across2 + mixed;
      u.insert(u.end(), down.begin(), down.end());
      v.insert(v.end(), across.begin(), across.end());
      ++rank;
      // Two small steps in a row: a single one may be an accident of the row.
      small = std::sqrt(down2 * across2) <= tolerance * std::sqrt(std::max(norm2, 0.0)) ? small + 1 : 0;
      if (small == 2) break;
      double largest = -1;
      for (Index r = 0; r < rows; ++r)
        if (!used[r] && std::norm(down[r]) > largest) {
          largest = std::norm(down[r]);
          row = r;
        }
      if (largest < 0) break;
    }
    for (Complex& z : v) z = std::conj(z);
  }
}

/// Clusters of one level of the tree over S have no rows in common; neither have halves, nor stretches of columns, which are the same
/// whatever the number of threads.
void CompressedRadiation::add_far(std::span<const Complex> g, Index count, std::span<Complex> out, int threads) const {
  constexpr Index stretch = 64;
  const OneBlasThread alone;
  const Index stretches = (count + stretch - 1) / stretch;
  for (const std::vector<Interval>& level : levels_)
    parallel_for(threads, {0, static_cast<Index>(level.size()) * 2 * stretches}, 1, [&](Index item) {
      const Index t = item / (2 * stretches), c = item / 2 % stretches * stretch;
      add_blocks(level[static_cast<std::size_t>(t)], static_cast<int>(item % 2), {c, std::min(count, c + stretch)}, g,
                 out);
    });
}

/// One half of the far blocks of a cluster of S, of some columns.
void CompressedRadiation::add_blocks(Interval blocks, int half, Interval these, std::span<const Complex> g,
                                     std::span<Complex> out) const {
  const Index n = to_.count, m = from_.count, count = these.size();
  const Cluster& to = to_tree_.clusters[far_[blocks.begin].to];
  const Index rows = (to.end - to.begin) * face_points;
  std::vector<Complex> x, y(static_cast<std::size_t>(rows * count), 0), h;
  for (Index b = blocks.begin; b < blocks.end && !stop_.stop_requested(); ++b) {
    const LowRank& block = far_[b];
    const Cluster& from = from_tree_.clusters[block.from];
    const Index columns = (from.end - from.begin) * face_points * 2, rank = block.rank[half];
    if (rank == 0) continue;
    x.resize(static_cast<std::size_t>(columns * count));
    for (Index c = 0; c < count; ++c)
      std::copy_n(g.begin() + (2 * (these.begin + c) + half) * 2 * m + from.begin * face_points * 2, columns,
                  x.begin() + c * columns);
    h.resize(static_cast<std::size_t>(rank * count));
    dense::multiply_adjoint(block.v[half].data(), columns, rank, x.data(), count, h.data(), 1);
    dense::multiply(block.u[half].data(), rows, rank, h.data(), count, Complex(1), y.data(), 1);
  }
  for (Index c = 0; c < count; ++c)
    for (Index i = 0; i < rows; ++i)
      out[(2 * (these.begin + c) + half) * n + to.begin * face_points + i] += y[c * rows + i];
}

void CompressedRadiation::apply(std::span<const Complex> f, Index count, std::span<Complex> sums, int threads) const {
  const Index n = to_.count, m = from_.count;
  // Columns in the trees' orders: [column][half][point, direction].
  std::vector<Complex> g(static_cast<std::size_t>(4 * m * count)), out(static_cast<std::size_t>(2 * n * count), 0);
  parallel_for(threads, {0, 2 * count}, 1, [&](Index c) {
    for (Index q = 0; q < m; ++q)
      for (int d = 0; d < 2; ++d)
        g[c * 2 * m + 2 * q + d] =
            f[c * 2 * m + 2 * (from_tree_.faces[q / face_points] * face_points + q % face_points) + d];
  });
  add_far(g, count, out, threads);
  std::vector<Index> leaves;
  for (std::size_t t = 0; t < to_tree_.clusters.size(); ++t)
    if (to_tree_.clusters[t].child[0] < 0) leaves.push_back(static_cast<Index>(t));
  const RadiationKernel& kernel = radiation_kernel();
  parallel_for(threads, {0, static_cast<Index>(leaves.size())}, 1, [&](Index l) {
    if (stop_.stop_requested()) return;
    const Index number = leaves[static_cast<std::size_t>(l)];
    const Cluster& leaf = to_tree_.clusters[number];
    const Index rows = (leaf.end - leaf.begin) * face_points, first = leaf.begin * face_points;
    const auto range = std::equal_range(near_.begin(), near_.end(), Near{number, 0},
                                        [](const Near& a, const Near& b) { return a.to < b.to; });
    const int padded = static_cast<int>((rows + kernel.strip - 1) / kernel.strip * kernel.strip);
    AlignedDoubles tile(static_cast<std::size_t>(2 * tile_rows * 2 * 2 * tile_points)),
        sum(2 * panel_width * tile_rows), panel(2 * tile_points * 2 * panel_width);
    double* const halves_of[2] = {tile.data(), tile.data() + tile_rows * 2 * 2 * tile_points};
    for (auto near = range.first; near != range.second; ++near) {
      const Cluster& from = from_tree_.clusters[near->from];
      for (Index q = from.begin * face_points; q < from.end * face_points; q += tile_points) {
        const int some = static_cast<int>(std::min<Index>(tile_points, from.end * face_points - q));
        kernel.tile(to_, first, padded, from_, q, some, k_, halves_of[0], halves_of[1]);
        for (Index c = 0; c < count; c += panel_width)
          for (int half = 0; half < 2; ++half) {
            const Index width = std::min<Index>(panel_width, count - c);
            for (int d = 0; d < 2 * some; ++d)
              for (Index w = 0; w < panel_width; ++w) {
                const Complex x = w < width ? g[(2 * (c + w) + half) * 2 * m + 2 * q + d] : Complex(0);
                panel.data()[(d * panel_width + w) * 2] = x.real();
                panel.data()[(d * panel_width + w) * 2 + 1] = x.imag();
              }
            std::fill(sum.data(), sum.data() + sum.size(), 0.0);
            kernel.multiply(halves_of[half], padded, 2 * some, panel.data(), sum.data(), tile_rows);
            for (Index w = 0; w < width; ++w)
              for (Index i = 0; i < rows; ++i)
                out[(2 * (c + w) + half) * n + first + i] +=
                    Complex(sum.data()[2 * w * tile_rows + i], sum.data()[(2 * w + 1) * tile_rows + i]);
          }
      }
    }
  });
  parallel_for(threads, {0, 2 * count}, 1, [&](Index c) {
    for (Index p = 0; p < n; ++p)
      sums[c * n + to_tree_.faces[p / face_points] * face_points + p % face_points] += out[c * n + p];
  });
}

Bytes CompressedRadiation::bytes() const {
  Bytes out = 0;
  for (const LowRank& b : far_)
    for (int half = 0; half < 2; ++half) out += (b.u[half].size() + b.v[half].size()) * sizeof(Complex);
  return out;
}

double CompressedRadiation::average_rank() const {
  double sum = 0;
  for (const LowRank& b : far_) sum += static_cast<double>(b.rank[0] + b.rank[1]) / 2;
  return far_.empty() ? 0 : sum / static_cast<double>(far_.size());
}

}  // namespace conoid::maxwell_fem

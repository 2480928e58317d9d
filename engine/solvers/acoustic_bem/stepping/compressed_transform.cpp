// SPDX-License-Identifier: BSD-3-Clause
// Transforms near slices and far bands, and passes vectors through them.
#include "engine/solvers/acoustic_bem/stepping/compressed_transform.hpp"

#include <algorithm>
#include <functional>

#include "engine/solvers/acoustic_bem/discretization/skeleton_passes.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {

namespace {

template <class Real>
std::complex<double> transformed(std::span<const Real> v, std::span<const std::complex<double>> turn, Index start) {
  std::complex<double> sum = 0;
  for (std::size_t d = 0; d < v.size(); ++d)
    sum += static_cast<double>(v[d]) * turn[static_cast<std::size_t>(start) + d];
  return sum;
}

}  // namespace

template <class Real>
CompressedTransform<Real>::CompressedTransform(const Matrices<Real>& matrices, double omega, Team& team)
    : matrices_(matrices) {
  std::vector<Complex> turn;
  for (Index k = 0; k <= std::max({matrices.slices.columns(), matrices.memory.columns(), matrices.far.columns()}); ++k)
    turn.push_back(std::polar(1.0, omega * static_cast<double>(k) * matrices.form.dt));
  transform_near(team, turn);
  transform_far(team, turn);
}

template <class Real>
void CompressedTransform<Real>::transform_near(Team& team, std::span<const Complex> turn) {
  const BlockPattern& near = matrices_.skeletons->near;
  const Slices<Real>&slices = matrices_.slices, &memory = matrices_.memory;
  const Interval own{slices.first(), slices.first() + slices.count()};
  // Where a column of a row cluster lies: columns of a cluster follow one another there.
  std::vector<std::vector<Index>> first_column(static_cast<std::size_t>(near.clusters()));
  for (Index a = 0; a < near.clusters(); ++a) {
    Block block;
    block.rows = near.of(a);
    auto& first = first_column[static_cast<std::size_t>(a)];
    first.assign(static_cast<std::size_t>(near.clusters()), -1);
    for (Index b = 0; b < near.clusters(); ++b) {
      if (!near.wants(a, b)) continue;
      first[static_cast<std::size_t>(b)] = static_cast<Index>(block.columns.size());
      for (Index j = std::max(near.of(b).begin, own.begin); j < std::min(near.of(b).end, own.end); ++j)
        block.columns.push_back(static_cast<std::int32_t>(j));
    }
    block.values.assign(block.columns.size() * static_cast<std::size_t>(block.rows.size()), {});
    near_.push_back(std::move(block));
  }
  std::vector<std::int32_t> cluster;
  for (Index i = 0; i < slices.rows(); ++i) cluster.push_back(static_cast<std::int32_t>(near.cluster_of(i)));
  const auto at = [&](Index i, Index j) -> std::complex<Real>& {
    const auto a = static_cast<std::size_t>(cluster[static_cast<std::size_t>(i)]);
    const Index b = cluster[static_cast<std::size_t>(j)];
    const Index column = first_column[a][static_cast<std::size_t>(b)] + j - std::max(near.of(b).begin, own.begin);
    return near_[a].values[static_cast<std::size_t>(column * near_[a].rows.size() + i - near_[a].rows.begin)];
  };
  const double cost = 3e-9 * static_cast<double>(slices.nonzeros() + memory.nonzeros());
  for_range(team, "frequencies", slices.count(), 4, cost, [&](Interval some) {
    for (Index j = some.begin; j < some.end; ++j)
      slices.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) {
        at(i, slices.first() + j) = std::complex<Real>(transformed(v, turn, start));
      });
  });
  for (Index c = 0; c < memory.count(); ++c) {
    const MemoryColumn& column = matrices_.memory_columns[static_cast<std::size_t>(memory.first() + c)];
    const Complex by = matrices_.walls[static_cast<std::size_t>(column.wall)].transfer(turn[1]);
    memory.for_each_row(c, [&](Index i, Index start, std::span<const Real> v) {
      at(i, column.unknown) += std::complex<Real>(by * transformed(v, turn, start));
    });
  }
}

template <class Real>
void CompressedTransform<Real>::transform_far(Team& team, std::span<const Complex> turn) {
  const Skeletons& skeletons = *matrices_.skeletons;
  const FarBlocks<Real>& far = matrices_.far;
  far_.resize(static_cast<std::size_t>(far.bands()));
  for_range(team, "frequencies", far.bands(), 1, 3e-9 * static_cast<double>(far.nonzeros()), [&](Interval bands) {
    std::vector<std::int32_t> place(static_cast<std::size_t>(skeletons.size()), -1);
    for (Index band = bands.begin; band < bands.end; ++band) {
      Block& block = far_[static_cast<std::size_t>(band)];
      block.rows = far[band].rows;
      const auto rows = static_cast<std::size_t>(block.rows.size());
      far.for_each_row(band, [&](Index i, Index series, Index start, std::span<const Real> v) {
        const bool remembered = series >= skeletons.size();
        const auto j = static_cast<std::size_t>(
            remembered ? Index{skeletons.remembering[static_cast<std::size_t>(series - skeletons.size())]} : series);
        Complex by = 1;
        if (remembered) {
          const WallMemory& wall = matrices_.walls[static_cast<std::size_t>(skeletons.points[j].memory)];
          by = wall.at_once() + wall.transfer(turn[1]);
        }
        if (place[j] < 0) {
          place[j] = static_cast<std::int32_t>(block.columns.size());
          block.columns.push_back(static_cast<std::int32_t>(j));
          block.values.resize(block.values.size() + rows);
        }
        block.values[static_cast<std::size_t>(place[j]) * rows + static_cast<std::size_t>(i - block.rows.begin)] +=
            std::complex<Real>(by * transformed(v, turn, start));
      });
      for (const std::int32_t j : block.columns) place[static_cast<std::size_t>(j)] = -1;
    }
  });
}

template <class Real>
void CompressedTransform<Real>::add_block(const Block& block, std::span<const Complex> x, std::span<Complex> y) {
  const auto rows = static_cast<std::size_t>(block.rows.size());
  std::vector<double> sums(2 * rows, 0);
  const Real* m = reinterpret_cast<const Real*>(block.values.data());
  for (const std::int32_t j : block.columns) {
    const double re = x[static_cast<std::size_t>(j)].real(), im = x[static_cast<std::size_t>(j)].imag();
    for (std::size_t i = 0; i < sums.size(); i += 2) {
      const auto a = static_cast<double>(m[i]), b = static_cast<double>(m[i + 1]);
      sums[i] += a * re - b * im;
      sums[i + 1] += a * im + b * re;
    }
    m += sums.size();
  }
  for (std::size_t i = 0; i < rows; ++i)
    y[static_cast<std::size_t>(block.rows.begin) + i] += Complex(sums[2 * i], sums[2 * i + 1]);
}

template <class Real>
void CompressedTransform<Real>::multiply(Team& team, std::span<const Complex> x, std::span<Complex> y) const {
  const Skeletons& skeletons = *matrices_.skeletons;
  std::fill(y.begin(), y.end(), Complex{});
  const auto over = [&](const std::vector<Block>& blocks, std::span<const Complex> from, std::span<Complex> to) {
    double values = 0;
    for (const Block& b : blocks) values += static_cast<double>(b.values.size());
    for_range(team, "frequencies", static_cast<Index>(blocks.size()), 1, 2e-9 * values, [&](Interval some) {
      for (Index k = some.begin; k < some.end; ++k) add_block(blocks[static_cast<std::size_t>(k)], from, to);
    });
  };
  over(near_, x, y);
  if (far_.empty()) return;
  const auto each = [&](Index level, const std::function<void(Index)>& f) {
    const Interval own = skeletons.level(level);
    for_range(team, "frequencies", own.size(), 1, 1e-6 * static_cast<double>(own.size()), [&](Interval some) {
      for (Index c = own.begin + some.begin; c < own.begin + some.end; ++c)
        if (!skeletons.far.of(c).empty()) f(c);
    });
  };
  std::vector<Complex> sent(static_cast<std::size_t>(skeletons.size())), felt(sent.size());
  send_up<Complex>(skeletons, x, sent, each);
  over(far_, sent, felt);
  feel_down<Complex>(skeletons, felt, y, each);
}

template class CompressedTransform<float>;
template class CompressedTransform<double>;

}  // namespace conoid::acoustic_bem

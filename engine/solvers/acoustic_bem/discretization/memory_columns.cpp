// SPDX-License-Identifier: BSD-3-Clause
// Assembles them block by block: where row-vectors lie is bounded by distances first, zeros at their ends are cut afterwards.
#include "engine/solvers/acoustic_bem/discretization/memory_columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/vec3.hpp"
#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_bem/discretization/sigma_sweep.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {
namespace {

/// A ball around some triangles.
struct Ball {
  Vec3 centre{};
  double radius = 0;
};
template <class Triangles>
Ball ball_around(const Surface& surface, const Triangles& triangles) {
  Ball out;
  double count = 0;
  for (const std::int32_t t : triangles) {
    out.centre = vec::add(out.centre, surface.triangles[static_cast<std::size_t>(t)].centroid);
    ++count;
  }
  out.centre = vec::scale(1 / std::max(count, 1.0), out.centre);
  for (const std::int32_t t : triangles)
    for (const Vec3& x : surface.triangles[static_cast<std::size_t>(t)].corner)
      out.radius = std::max(out.radius, vec::distance(x, out.centre));
  return out;
}

std::span<const std::int32_t> touching(const Surface& surface, Index unknown) {
  const auto u = static_cast<std::size_t>(unknown);
  return std::span(surface.touch)
      .subspan(static_cast<std::size_t>(surface.touch_begin[u]),
               static_cast<std::size_t>(surface.touch_begin[u + 1] - surface.touch_begin[u]));
}

/// Which rows a column has.
class WantedRows {
 public:
  WantedRows(const Surface& surface, const BlockPattern& pattern) : surface_(surface), pattern_(pattern) {
    for (Index i = 0; i < surface.unknowns && !all(); ++i)
      cluster_.push_back(static_cast<std::int32_t>(pattern.cluster_of(i)));
  }
  [[nodiscard]] bool all() const { return pattern_.begin.empty(); }
  [[nodiscard]] bool operator()(Index row, Index unknown) const {
    return all() ||
           pattern_.wants(cluster_[static_cast<std::size_t>(row)], cluster_[static_cast<std::size_t>(unknown)]);
  }
  /// Triangles on which the rows of some columns live.
  [[nodiscard]] std::vector<std::int32_t> tested(Interval columns) const {
    if (all()) {
      std::vector<std::int32_t> out(surface_.triangles.size());
      std::iota(out.begin(), out.end(), 0);
      return out;
    }
    std::vector<char> of(static_cast<std::size_t>(pattern_.clusters()), 0);
    for (Index c = columns.begin; c < columns.end; ++c)
      of[static_cast<std::size_t>(
          cluster_[static_cast<std::size_t>(surface_.memory_columns[static_cast<std::size_t>(c)].unknown)])] = 1;
    std::vector<std::int32_t> out;
    for (Index a = 0; a < pattern_.clusters(); ++a)
      for (Index b = 0; b < pattern_.clusters(); ++b)
        if (of[static_cast<std::size_t>(b)] != 0 && pattern_.wants(a, b)) {
          const std::vector<std::int32_t> some = surface_.touching(pattern_.of(a));
          out.insert(out.end(), some.begin(), some.end());
          break;
        }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  const Surface& surface_;
  const BlockPattern& pattern_;
  std::vector<std::int32_t> cluster_;
};

/// One block of columns while it is made.
class Columns {
 public:
  Columns(const Surface& surface, const Form& form, std::span<const Ball> balls, const WantedRows& wanted,
          Interval columns)
      : surface_(surface), form_(form), wanted_(wanted), columns_(columns) {
    const auto N = static_cast<std::size_t>(surface.unknowns);
    for (Index c = columns.begin; c < columns.end; ++c) {
      const MemoryColumn& column = surface.memory_columns[static_cast<std::size_t>(c)];
      std::vector<std::int32_t> own;
      for (const std::int32_t t : touching(surface, column.unknown))
        if (surface.wall[static_cast<std::size_t>(t)] == column.wall) own.push_back(t);
      sources_.insert(sources_.end(), own.begin(), own.end());
      const Ball ball = ball_around(surface, own);
      for (std::size_t i = 0; i < N; ++i) {
        if (!wanted(static_cast<Index>(i), column.unknown)) {
          first_.push_back(1);
          offset_.push_back(values_.size());
          continue;
        }
        const double reach = ball.radius + balls[i].radius, straight = vec::distance(balls[i].centre, ball.centre);
        double nearest = straight, farthest = straight;
        if (const auto& ground = surface.conditions.ground) {
          const double image = vec::distance(balls[i].centre, ground->mirrored(ball.centre));
          nearest = std::min(nearest, image), farthest = std::max(farthest, image);
        }
        first_.push_back(1 + std::max<Index>(0, static_cast<Index>((nearest - reach) / form.delta()) - 1));
        offset_.push_back(values_.size());
        values_.resize(values_.size() + static_cast<std::size_t>((farthest + reach) / form.delta()) + 6 -
                       static_cast<std::size_t>(first_.back()));
      }
    }
    offset_.push_back(values_.size());
    std::sort(sources_.begin(), sources_.end());
    sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
  }

  void fill(SigmaSweep& sweep, const std::stop_token& stop) {
    const double per_delta = 1 / form_.delta();
    sweep.run(
        wanted_.tested(columns_), sources_,
        [&](const SigmaSweep::Pair& p) {
          for_entries(p.tested, p.source, [&](std::size_t own, std::size_t other, std::size_t entry, double weight) {
            double* const to = at(entry, p.low + 1, p.count);
            for (std::size_t c = 0; c < p.count; ++c) to[c] += p.factor * weight * per_delta * p.value(own, other, c);
          });
        },
        stop);
    for (const std::int32_t s : sources_)  // ½ G
      for_entries(s, s, [&](std::size_t own, std::size_t other, std::size_t entry, double weight) {
        *at(entry, 1, 1) +=
            0.5 * weight * surface_.triangles[static_cast<std::size_t>(s)].area / 12 * (own == other ? 2 : 1);
      });
    // Zeros at the ends go.
    for (std::size_t e = 0; e < first_.size(); ++e) {
      std::size_t begin = offset_[e], end = offset_[e + 1];
      while (begin < end && values_[begin] == 0) ++begin;
      while (end > begin && values_[end - 1] == 0) --end;
      low_.push_back(static_cast<std::uint16_t>(begin < end ? first_[e] + static_cast<Index>(begin - offset_[e]) : 1));
      high_.push_back(
          static_cast<std::uint16_t>(begin < end ? first_[e] + static_cast<Index>(end - offset_[e]) - 1 : 0));
    }
  }

  template <class Real>
  void hand_over(Slices<Real>& slices) const {
    const auto N = static_cast<std::size_t>(surface_.unknowns);
    for (Index c = columns_.begin; c < columns_.end; ++c) {
      const std::size_t base = static_cast<std::size_t>(c - columns_.begin) * N;
      const Index j = c - slices.first();
      slices.lay_out(j, std::span(low_).subspan(base, N), std::span(high_).subspan(base, N));
      slices.allocate(j);
      for (Index panel = 0; panel < slices.panels(); ++panel)
        slices.fill(j, panel, [&](Index i, Index k) {
          const std::size_t e = base + static_cast<std::size_t>(i);
          return values_.data() + offset_[e] + (k - first_[e]);
        });
    }
  }

 private:
  [[nodiscard]] double* at(std::size_t entry, Index column, std::size_t count) {
    const std::size_t place = offset_[entry] + static_cast<std::size_t>(column - first_[entry]);
    verify(column >= first_[entry] && place + count <= offset_[entry + 1], "row-vectors of walls lie in their bounds");
    return values_.data() + place;
  }
  /// Calls f(own, other, entry, weight) for all rows at the tested triangle and columns of this block at the source.
  template <class F>
  void for_entries(std::int32_t tested, std::int32_t source, F&& f) const {
    const Triangle &T = surface_.triangles[static_cast<std::size_t>(tested)],
                   &S = surface_.triangles[static_cast<std::size_t>(source)];
    const std::int16_t wall = surface_.wall[static_cast<std::size_t>(source)];
    for (std::size_t other = 0; other < 3; ++other) {
      if (!surface_.carries_pressure(S.vertex[other])) continue;
      for (const Share& column : surface_.shares(S.vertex[other])) {
        const Index found = surface_.memory_column(column.unknown, wall);
        if (found < columns_.begin || found >= columns_.end) continue;
        const std::size_t base =
            static_cast<std::size_t>(found - columns_.begin) * static_cast<std::size_t>(surface_.unknowns);
        for (std::size_t own = 0; own < 3; ++own)
          for (const Share& row : surface_.shares(T.vertex[own]))
            if (wanted_(row.unknown, column.unknown))
              f(own, other, base + static_cast<std::size_t>(row.unknown), row.weight * column.weight);
      }
    }
  }

  const Surface& surface_;
  Form form_;
  const WantedRows& wanted_;
  Interval columns_;
  std::vector<std::int32_t> sources_;
  std::vector<Index> first_;
  std::vector<std::size_t> offset_;
  std::vector<double> values_;
  std::vector<std::uint16_t> low_, high_;
};

}  // namespace

template <class Real>
void add_memory_columns(Matrices<Real>& out, const Surface& surface, const AssemblyOptions& options,
                        const BlockPattern& pattern, Interval own, Team& team, const std::stop_token& stop) {
  if (surface.memory_columns.empty()) return;
  out.memory_columns = surface.memory_columns;
  out.walls = surface.memory;
  const auto border = [&](Index unknown) {
    return std::lower_bound(surface.memory_columns.begin(), surface.memory_columns.end(), unknown,
                            [](const MemoryColumn& c, Index u) { return c.unknown < u; }) -
           surface.memory_columns.begin();
  };
  const Interval columns{border(own.begin), border(own.end)};
  out.memory = Slices<Real>(surface.unknowns, columns.size(), columns.begin);
  std::vector<Ball> balls;
  for (Index i = 0; i < surface.unknowns; ++i) balls.push_back(ball_around(surface, touching(surface, i)));
  const WantedRows wanted(surface, pattern);
  const double share = wanted.all() ? 1 : pattern.pairs() / std::pow(static_cast<double>(surface.unknowns), 2);
  const TileContext context = tile_context(surface, out.form, options);
  constexpr Index block = 32;
  // Some blocks at a time, handed over in their order.
  const Index blocks = (columns.size() + block - 1) / block, at_once = 2 * team.threads();
  for (Index first = 0; first < blocks; first += at_once) {
    const Index some = std::min(at_once, blocks - first);
    std::vector<std::unique_ptr<Columns>> made(static_cast<std::size_t>(some));
    const double cost =
        2e-5 * share * static_cast<double>(some * block) * static_cast<double>(surface.triangles.size());
    for_range(team, "assembly", some, 1, cost, [&](Interval mine) {
      const FlushSubnormals flush;
      SigmaSweep sweep(context);
      for (Index b = mine.begin; b < mine.end; ++b) {
        const Index begin = columns.begin + (first + b) * block;
        auto& to = made[static_cast<std::size_t>(b)];
        to = std::make_unique<Columns>(surface, out.form, balls, wanted,
                                       Interval{begin, std::min(begin + block, columns.end)});
        to->fill(sweep, stop);
      }
    });
    if (stop.stop_requested()) return;
    for (const auto& columns_of_block : made) columns_of_block->hand_over(out.memory);
  }
}

template void add_memory_columns(Matrices<float>&, const Surface&, const AssemblyOptions&, const BlockPattern&,
                                 Interval, Team&, const std::stop_token&);
template void add_memory_columns(Matrices<double>&, const Surface&, const AssemblyOptions&, const BlockPattern&,
                                 Interval, Team&, const std::stop_token&);

}  // namespace conoid::acoustic_bem

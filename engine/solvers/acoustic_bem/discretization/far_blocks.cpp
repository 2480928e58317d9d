// SPDX-License-Identifier: BSD-3-Clause
// Bands of far clusters: who is far from whom, layout, row-vectors.
#include "engine/solvers/acoustic_bem/discretization/far_blocks.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "engine/solvers/acoustic_bem/discretization/far_kernel.hpp"
#include "engine/solvers/acoustic_bem/discretization/skeletons.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {

namespace {

/// Of each cluster those that are far from it, ascending.
std::vector<std::vector<Index>> far_from(const Skeletons& skeletons) {
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(skeletons.clusters()));
  for (const auto& [a, b] : skeletons.far_pairs) {
    out[static_cast<std::size_t>(a)].push_back(b);
    out[static_cast<std::size_t>(b)].push_back(a);
  }
  for (std::vector<Index>& some : out) std::sort(some.begin(), some.end());
  return out;
}

Interval common(Interval a, Interval b) {
  const Index begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Calls f(rows, clusters): the rows of each band.
template <class F>
void for_each_band(const Skeletons& skeletons, F&& f) {
  const std::vector<std::vector<Index>> far = far_from(skeletons);
  for (Index c = 0; c < skeletons.clusters(); ++c) {
    const Interval all = skeletons.far.of(c);
    if (all.empty() || far[static_cast<std::size_t>(c)].empty()) continue;
    const Index parts = (all.size() + panel_rows - 1) / panel_rows;
    for (Index p = 0; p < parts; ++p)
      f(Interval{all.begin + p * all.size() / parts, all.begin + (p + 1) * all.size() / parts},
        far[static_cast<std::size_t>(c)]);
  }
}

/// Calls f(series) for those of the points of some clusters that lie in `own`: first all points, then what the walls of some remember.
template <class F>
void for_each_series(const Skeletons& skeletons, const std::vector<Index>& clusters, Interval own, F&& f) {
  for (const bool second : {false, true}) {
    if (second && skeletons.remembering.empty()) return;
    for (const Index c : clusters) {
      const Interval some = common(skeletons.far.of(c), own);
      for (Index j = some.begin; j < some.end; ++j)
        if (!second)
          f(j);
        else if (const Index series = skeletons.series_of[static_cast<std::size_t>(j)]; series >= 0)
          f(series);
    }
  }
}

template <class Real>
Bytes column_bytes(Index padded) {
  return static_cast<Bytes>(padded) * (static_cast<Bytes>(far_columns) * sizeof(Real) + 3) +
         static_cast<Bytes>(padded / group_lanes<Real>) * sizeof(RowGroup) + sizeof(std::int32_t);
}

}  // namespace

template <class Real>
Result<FarBlocks<Real>> FarBlocks<Real>::make(const Skeletons& skeletons, const Form& form, Interval own, Team& team,
                                              const std::stop_token& stop) {
  const bool soft = std::any_of(skeletons.points.begin(), skeletons.points.end(),
                                [](const SkeletonPoint& p) { return p.sends.pressure == 0 || p.memory >= 0; });
  const FarKernel kernel(form, skeletons.options.highest, skeletons.options.error, soft, skeletons.filling);
  FarBlocks out;
  out.rows_ = skeletons.size();
  for_each_band(skeletons, [&](Interval rows, const std::vector<Index>& clusters) {
    Band band(out.pool_);
    band.rows = rows;
    for (Index way = 0; way < skeletons.ways(); ++way)
      for_each_series(skeletons, clusters, own, [&](Index j) { band.column.push_back(static_cast<std::int32_t>(j)); });
    if (band.columns() > 0) out.bands_.push_back(std::move(band));
  });
  const double all = static_cast<double>(skeletons.ways()) * skeletons.far.pairs();
  for_range(team, "far clusters", out.bands(), 1, 5e-8 * all, [&](Interval some) {
    for (Index k = some.begin; k < some.end && !stop.stop_requested(); ++k)
      out.fill(out.bands_[static_cast<std::size_t>(k)], skeletons, kernel);
  });
  if (stop.stop_requested()) return make_error(ErrorCode::stopped, "Stopped during assembly.");
  return out;
}

template <class Real>
void FarBlocks<Real>::fill(Band& band, const Skeletons& skeletons, const FarKernel& kernel) const {
  const auto padded = static_cast<std::size_t>(band.padded()), rows = static_cast<std::size_t>(band.rows.size()),
             columns = static_cast<std::size_t>(band.columns()), width = static_cast<std::size_t>(lanes),
             length = static_cast<std::size_t>(far_columns);
  band.groups.resize(columns * padded / width);
  band.start.resize(columns * padded);
  band.row.resize(columns * padded);
  band.values.assign(columns * padded * length, Real{0});
  std::vector<std::array<double, far_columns>> values(rows);
  std::vector<Index> first(rows), order(rows);
  for (std::size_t c = 0; c < columns; ++c) {
    const bool remembered = band.column[c] >= skeletons.size();
    SkeletonPoint y = skeletons.point_of_series(band.column[c]);
    double factor = 1;
    const auto way = c / (columns / static_cast<std::size_t>(skeletons.ways()));
    const bool inside = skeletons.filling && way == 1;
    if (way > 0 && !inside) {
      y.at = skeletons.ground->mirrored(y.at);
      y.normal = skeletons.ground->turned(y.normal);
      factor = skeletons.ground->sign();
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const SkeletonPoint& x = skeletons.points[static_cast<std::size_t>(band.rows.begin) + r];
      first[r] = remembered ? kernel.remembered(x, y, values[r]) : kernel.row_vector(x, y, values[r], inside);
      if (factor != 1)
        for (double& v : values[r]) v *= factor;
    }
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return first[static_cast<std::size_t>(a)] < first[static_cast<std::size_t>(b)];
    });
    for (std::size_t k = 0; k < padded; ++k) {
      const auto r = static_cast<std::size_t>(order[std::min(k, rows - 1)]);
      const auto start = static_cast<std::uint16_t>(first[r]);
      band.start[c * padded + k] = start;
      band.row[c * padded + k] = static_cast<std::uint8_t>(r);
      RowGroup& group = band.groups[(c * padded + k) / width];
      if (k % width == 0) group = {static_cast<std::uint16_t>(far_columns), start, start};
      group.high = start;
      if (k >= rows) continue;
      Real* const to = band.values.data() + (c * padded + k / width * width) * length + k % width;
      for (std::size_t d = 0; d < length; ++d) to[d * width] = static_cast<Real>(values[r][d]);
    }
  }
}

template <class Real>
Bytes FarBlocks<Real>::expected(const Skeletons& skeletons, Interval own) {
  Bytes out = 0;
  for_each_band(skeletons, [&](Interval rows, const std::vector<Index>& clusters) {
    Index columns = 0;
    for_each_series(skeletons, clusters, own, [&](Index) { columns += skeletons.ways(); });
    out += static_cast<Bytes>(columns) * column_bytes<Real>((rows.size() + lanes - 1) / lanes * lanes);
  });
  return out;
}

template <class Real>
Index FarBlocks<Real>::nonzeros() const {
  Index n = 0;
  for (const Band& b : bands_) n += b.rows.size() * b.columns() * far_columns;
  return n;
}

template <class Real>
Index FarBlocks<Real>::lowest() const {
  Index k = std::numeric_limits<Index>::max();
  for (const Band& b : bands_)
    for (Index c = 0; c < b.columns(); ++c) k = std::min<Index>(k, b.first(c));
  return k;
}

template <class Real>
Index FarBlocks<Real>::columns() const {
  Index k = 0;
  for (const Band& b : bands_)
    for (Index c = 0; c < b.columns(); ++c) k = std::max<Index>(k, b.last(c));
  return k;
}

template <class Real>
Bytes FarBlocks<Real>::bytes(Interval bands) const {
  Bytes out = 0;
  for (Index k = bands.begin; k < bands.end; ++k)
    out += static_cast<Bytes>((*this)[k].columns()) * column_bytes<Real>((*this)[k].padded());
  return out;
}

template class FarBlocks<float>;
template class FarBlocks<double>;

}  // namespace conoid::acoustic_bem

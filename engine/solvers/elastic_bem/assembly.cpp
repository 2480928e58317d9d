// SPDX-License-Identifier: BSD-3-Clause
// Tiles of rows against intervals of elements; near and singular pairs one by one.
#include "engine/solvers/elastic_bem/assembly.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>

#include "engine/mesh/vec3.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr double pi = std::numbers::pi;
constexpr std::array<std::array<std::size_t, 3>, 3> symmetric{{{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}};
constexpr Index tile_rows = 128;

template <class Real>
struct alignas(64) Block {
  Real v[static_cast<std::size_t>(most_nodes * lane_values) * 16];
};

/// A PointSet as lanes want it: relative to the collocation point, padded.
template <class Real>
class NearPoints {
 public:
  const LanePoints<Real>& fill(const PointSet& p, const Vec3& at, int lanes, int only = -1, bool complement = false) {
    const auto n = static_cast<std::size_t>(p.count());
    const std::size_t padded = (n + static_cast<std::size_t>(lanes) - 1) / static_cast<std::size_t>(lanes) * static_cast<std::size_t>(lanes);
    const int nodes = only >= 0 ? 1 : p.nodes;
    values_.assign(padded * static_cast<std::size_t>(7 + nodes), Real(0));
    Real* a[7];
    for (std::size_t k = 0; k < 7; ++k) a[k] = values_.data() + k * padded;
    for (std::size_t q = 0; q < padded; ++q) {
      const std::size_t f = std::min(q, n - 1);
      a[0][q] = static_cast<Real>(p.x[f] - at[0]);
      a[1][q] = static_cast<Real>(p.y[f] - at[1]);
      a[2][q] = static_cast<Real>(p.z[f] - at[2]);
      if (q >= n) continue;
      double factor = 1;
      if (only >= 0) {
        factor = p.shape[q][static_cast<std::size_t>(only)];
        if (complement) factor = 1 - factor;
      }
      a[3][q] = static_cast<Real>(p.nx[q] * factor);
      a[4][q] = static_cast<Real>(p.ny[q] * factor);
      a[5][q] = static_cast<Real>(p.nz[q] * factor);
      a[6][q] = static_cast<Real>(p.w[q] * factor);
      if (only < 0)
        for (std::size_t k = 0; k < static_cast<std::size_t>(nodes); ++k)
          values_[(7 + k) * padded + q] = static_cast<Real>(p.shape[q][k]);
    }
    points_ = {static_cast<int>(padded), nodes, padded, a[0], a[1], a[2], a[3], a[4], a[5], a[6], values_.data() + 7 * padded};
    return points_;
  }

 private:
  std::vector<Real> values_;
  LanePoints<Real> points_;
};

/// += that other workers may do at the same moment when `shared`.
template <class Real>
void accumulate(std::complex<Real>& to, std::complex<Real> value, bool shared) {
  if (!shared) {
    to += value;
    return;
  }
  auto& parts = reinterpret_cast<Real(&)[2]>(to);
  std::atomic_ref<Real>(parts[0]).fetch_add(value.real(), std::memory_order_relaxed);
  std::atomic_ref<Real>(parts[1]).fetch_add(value.imag(), std::memory_order_relaxed);
}

template <class Real>
bool needs(const std::array<Target<Real>, 3>& t) {
  return t[0].column != nullptr || t[1].column != nullptr || t[2].column != nullptr;
}

/// u* without 1/(4πμ*), t* without 1/4π.
template <class Real>
struct Factors {
  std::complex<Real> u, t;
  explicit Factors(const Harmonic& h) : u(1.0 / (4 * pi * h.mu)), t(static_cast<Real>(1 / (4 * pi))) {}
};

}  // namespace

template <class Real>
FarRules<Real>::FarRules(const Surface& surface, const Accuracy& accuracy, double wave_number, bool scalar)
    : origin_(surface.centre), wave_number_(wave_number) {
  struct Made {
    double distance2;
    int gu, gv;
    std::size_t at;
    int count;
  };
  std::vector<Made> made;
  std::vector<Index> of;
  const auto elements = static_cast<Index>(scalar ? surface.elements.size() : static_cast<std::size_t>(surface.active));
  PointSet set;
  first_.push_back(0);
  for (Index k = 0; k < elements; ++k) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    const bool single = scalar || e.nodes == 1;
    const int more = single ? 0 : 1;
    struct Level {
      double D;
      int g;
    };
    std::vector<Level> levels;
    if (accuracy.fixed8) {
      levels.push_back({0, 8});
    } else {
      const int wave = std::min(points_for_wave(wave_number * e.size, accuracy.target), most_far - 1);
      const double nearest = accuracy.target < 1e-6 ? 2.4 : 2.0;
      int last = 0;
      for (double D = 100; D >= nearest - 1e-9; D *= 0.97) {
        const int g = std::max(points_for_distance(D, accuracy.target), wave) + more;
        if (g > most_far) break;
        // Classes 2, 3, 4, 5, 6, 8, 10, 12 are enough.
        const int rounded = g <= 6 ? std::max(g, 2) : g <= 8 ? 8 : g <= 10 ? 10 : 12;
        if (rounded != last) {
          if (!levels.empty()) levels.back().D = D / 0.97;
          levels.push_back({D, rounded});
          last = rounded;
        }
        levels.back().D = D;
      }
    }
    for (const Level& level : levels) {
      const double d = 0.5 * level.D * e.size;
      const auto along = [&](std::size_t axis) {
        if (accuracy.fixed8) return 8;
        const double D = level.D * e.size / std::max(e.length[axis], 1e-300);
        const int g = std::max(points_for_distance(std::max(D, level.D), accuracy.target),
                               points_for_wave(wave_number * e.length[axis], accuracy.target)) + more;
        return std::clamp(g, 2, level.g);
      };
      const int gu = e.triangular() ? level.g : along(0), gv = e.triangular() ? level.g : along(1);
      set.clear();
      product_rule(e, gu, gv, set);
      const std::size_t n = set.w.size(), nodes = single ? 1 : static_cast<std::size_t>(e.nodes), at = values_.size();
      values_.resize(at + n * (7 + nodes));
      Real* p = values_.data() + at;
      for (std::size_t q = 0; q < n; ++q) {
        p[q] = static_cast<Real>(set.x[q] - origin_[0]);
        p[n + q] = static_cast<Real>(set.y[q] - origin_[1]);
        p[2 * n + q] = static_cast<Real>(set.z[q] - origin_[2]);
        p[3 * n + q] = static_cast<Real>(set.nx[q]);
        p[4 * n + q] = static_cast<Real>(set.ny[q]);
        p[5 * n + q] = static_cast<Real>(set.nz[q]);
        p[6 * n + q] = static_cast<Real>(set.w[q]);
        for (std::size_t a = 0; a < nodes; ++a) p[(7 + a) * n + q] = single ? Real(1) : static_cast<Real>(set.shape[q][a]);
      }
      made.push_back({d * d, gu, gv, at, static_cast<int>(n)});
      of.push_back(k);
    }
    first_.push_back(static_cast<Index>(made.size()));
  }
  for (std::size_t k = 0; k < made.size(); ++k) {
    const Element& e = surface.elements[static_cast<std::size_t>(of[k])];
    const auto n = static_cast<std::size_t>(made[k].count);
    const Real* p = values_.data() + made[k].at;
    classes_.push_back({made[k].distance2,
                        {made[k].count, scalar ? 1 : e.nodes, n, p, p + n, p + 2 * n, p + 3 * n, p + 4 * n, p + 5 * n, p + 6 * n, p + 7 * n}});
  }
}

template class FarRules<double>;
template class FarRules<float>;

namespace {

/// The walk that dynamic pairs and static sums share: tiles of rows, elements of an interval, blocks of lanes. `Sink` says
/// what happens to the values of a block or of a near pair.
template <class Real, class Sink>
class PairPhase final : public Phase {
 public:
  PairPhase(const char* name, const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy, LaneMedium<Real> medium,
            const RowPoints& rows, Index elements, Sink& sink, std::stop_token stop)
      : name_(name), surface_(surface), rules_(rules), accuracy_(accuracy), medium_(medium), rows_(rows), elements_(elements),
        sink_(sink), stop_(std::move(stop)), kernels_(lane_kernels<Real>()) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return elements_; }

  void run(CpuWorker& worker, Interval interval) override {
    const auto m = static_cast<Index>(rows_.points.size());
    const Index tiles = (m + tile_rows - 1) / tile_rows;
    worker.for_each({0, tiles}, 1, [&](Interval chunk, int) {
      for (Index t = chunk.begin; t < chunk.end; ++t) {
        if (stop_.stop_requested()) return;
        tile({t * tile_rows, std::min(m, (t + 1) * tile_rows)}, interval);
      }
    });
  }
  [[nodiscard]] AssemblyWork work() const { return {far_.load(), near_.load()}; }

 private:
  void tile(Interval rows, Interval interval) {
    const Index lanes = kernels_.lanes, count = rows.size(), blocks = (count + lanes - 1) / lanes;
    std::vector<Real> x(static_cast<std::size_t>(3 * blocks * lanes));
    const auto stride = static_cast<std::size_t>(blocks * lanes);
    for (Index r = 0; r < blocks * lanes; ++r) {
      const Vec3 p = sub(rows_.points[static_cast<std::size_t>(std::min(rows.begin + r, rows.end - 1))], rules_.origin());
      for (std::size_t d = 0; d < 3; ++d) x[d * stride + static_cast<std::size_t>(r)] = static_cast<Real>(p[d]);
    }
    // Elements that contain one of the tile's nodes.
    std::vector<std::pair<Index, Index>> own;
    if (rows_.on_surface)
      for (Index r = rows.begin; r < rows.end; ++r)
        for (const Touch& touch : surface_.touches[static_cast<std::size_t>(r)]) own.emplace_back(touch.element, r);
    std::sort(own.begin(), own.end());
    auto next = std::lower_bound(own.begin(), own.end(), std::pair<Index, Index>{interval.begin, 0});

    const auto out = std::make_unique<Block<Real>>();
    std::vector<char> self(static_cast<std::size_t>(blocks * lanes));
    std::vector<double> d2(static_cast<std::size_t>(blocks * lanes));
    PointSet set;
    NearPoints<Real> near_points;
    Real bx[3][16];
    double far_done = 0, near_done = 0;
    for (Index k = interval.begin; k < interval.end; ++k) {
      const Element& e = surface_.elements[static_cast<std::size_t>(k)];
      const bool any_self = next != own.end() && next->first == k;
      if (any_self) {
        std::fill(self.begin(), self.end(), 0);
        for (; next != own.end() && next->first == k; ++next) self[static_cast<std::size_t>(next->second - rows.begin)] = 1;
      }
      if (!sink_.wants(k)) continue;
      const bool with_u = sink_.with_u(k);
      const auto classes = rules_.classes(k);
      const double limit = classes.back().distance2;
      const Vec3 c = sub(e.centre, rules_.origin());
      for (Index r = 0; r < blocks * lanes; ++r) {
        const auto q = static_cast<std::size_t>(r);
        const double dx = static_cast<double>(x[q]) - c[0], dy = static_cast<double>(x[stride + q]) - c[1],
                     dz = static_cast<double>(x[2 * stride + q]) - c[2];
        d2[q] = dx * dx + dy * dy + dz * dz;
      }
      for (Index b = 0; b < blocks; ++b) {
        const Index from = b * lanes;
        unsigned valid = 0;
        double nearest = 1e300;
        Index some = -1;
        for (Index l = 0; l < lanes; ++l) {
          const Index r = from + l;
          const auto q = static_cast<std::size_t>(r);
          if (r >= count || (any_self && self[q] != 0)) continue;
          if (d2[q] < limit) {  // near
            set.clear();
            const Vec3& at = rows_.points[static_cast<std::size_t>(rows.begin + r)];
            near_rule(e, at, accuracy_.target, rules_.wave_number(), set);
            near_done += set.count();
            const LanePoints<Real>& p = sink_.scalar ? scalar_points(near_points, set, at) : near_points.fill(set, at, kernels_.lanes);
            kernels_.near(medium_, p, sink_.part, with_u, out->v);
            sink_.single(k, rows.begin + r, out->v);
            continue;
          }
          valid |= 1U << l;
          some = r;
          nearest = std::min(nearest, d2[q]);
        }
        if (valid == 0) continue;
        std::size_t level = 0;
        while (level + 1 < classes.size() && nearest < classes[level].distance2) ++level;
        const LanePoints<Real>& p = classes[level].points;
        const Real *px = x.data() + from, *py = px + stride, *pz = py + stride;
        const bool full = valid == (lanes == 32 ? ~0U : (1U << lanes) - 1);
        if (!full) {
          for (Index l = 0; l < lanes; ++l) {
            const auto q = static_cast<std::size_t>((valid >> l & 1U) != 0 ? from + l : some);
            for (std::size_t d = 0; d < 3; ++d) bx[d][l] = x[d * stride + q];
          }
          px = bx[0];
          py = bx[1];
          pz = bx[2];
        }
        kernels_.far(medium_, p, px, py, pz, sink_.part, with_u, out->v);
        far_done += static_cast<double>(p.count) * static_cast<double>(lanes);
        sink_.block(kernels_, k, rows.begin + from, valid, full, out->v);
      }
    }
    far_.fetch_add(far_done);
    near_.fetch_add(near_done);
  }

  const LanePoints<Real>& scalar_points(NearPoints<Real>& near_points, PointSet& set, const Vec3& at) {
    for (auto& s : set.shape) s[0] = 1;
    return near_points.fill(set, at, kernels_.lanes, 0);
  }

  const char* name_;
  const Surface& surface_;
  const FarRules<Real>& rules_;
  const Accuracy& accuracy_;
  LaneMedium<Real> medium_;
  const RowPoints& rows_;
  Index elements_;
  Sink& sink_;
  std::stop_token stop_;
  const LaneKernels<Real>& kernels_;
  std::atomic<double> far_{0}, near_{0};
};

/// Values of dynamic pairs go to the columns.
template <class Real>
struct ColumnSink {
  static constexpr Part part = Part::dynamic;
  static constexpr bool scalar = false;
  const Surface& surface;
  const Targets<Real>& targets;
  Factors<Real> factors;
  Index m;
  std::vector<char> use_u, use_any;
  bool shared;  ///< several workers may meet at nodes

  ColumnSink(const Surface& s, const Targets<Real>& t, const Harmonic& h, Index rows, bool shared_)
      : surface(s), targets(t), factors(h), m(rows), shared(shared_) {
    for (Index k = 0; k < s.active; ++k) {
      const Element& e = s.elements[static_cast<std::size_t>(k)];
      bool u = false, any = false;
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
        u = u || needs(targets.g[static_cast<std::size_t>(e.traction[a])]);
        any = any || needs(targets.h[static_cast<std::size_t>(e.node[a])]);
      }
      use_u.push_back(u ? 1 : 0);
      use_any.push_back(u || any ? 1 : 0);
    }
  }
  [[nodiscard]] bool wants(Index k) const { return use_any[static_cast<std::size_t>(k)] != 0; }
  [[nodiscard]] bool with_u(Index k) const { return use_u[static_cast<std::size_t>(k)] != 0; }

  void block(const LaneKernels<Real>& kernels, Index k, Index row, unsigned valid, bool full, const Real* v) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    const auto lanes = static_cast<std::size_t>(kernels.lanes);
    const auto put = [&](const Target<Real>& t, std::complex<Real> factor, const Real* value, std::size_t i) {
      std::complex<Real>* to = t.column + static_cast<Index>(i) * m + row;
      const std::complex<Real> f = t.scale * factor;
      if (full && !shared) {
        kernels.add(value, value + lanes, f, to);
        return;
      }
      for (std::size_t l = 0; l < lanes; ++l)
        if ((valid >> l & 1U) != 0) accumulate(to[l], f * std::complex<Real>(value[l], value[lanes + l]), shared);
    };
    const bool u = use_u[static_cast<std::size_t>(k)] != 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
      const Real* at = v + a * lane_values * lanes;
      const auto& h = targets.h[static_cast<std::size_t>(e.node[a])];
      const auto& g = targets.g[static_cast<std::size_t>(e.traction[a])];
      for (std::size_t j = 0; j < 3; ++j) {
        if (h[j].column != nullptr)
          for (std::size_t i = 0; i < 3; ++i) put(h[j], window(e, a) * factors.t, at + (lane_t + 2 * (3 * i + j)) * lanes, i);
        if (u && g[j].column != nullptr)
          for (std::size_t i = 0; i < 3; ++i) put(g[j], factors.u, at + 2 * symmetric[i][j] * lanes, i);
      }
    }
  }
  [[nodiscard]] Real window(const Element& e, std::size_t a) const {
    return static_cast<Real>(surface.window[static_cast<std::size_t>(e.node[a])]);
  }
  void single(Index k, Index row, const Real* v) { one(k, row, v, true, true, -1); }
  void one(Index k, Index row, const Real* v, bool put_t, bool put_u, int only) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
      const bool take_t = put_t && (only < 0 || a != static_cast<std::size_t>(only));
      const Real* at = v + a * lane_values;
      const auto& h = targets.h[static_cast<std::size_t>(e.node[a])];
      const auto& g = targets.g[static_cast<std::size_t>(e.traction[a])];
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 3; ++i) {
          if (take_t && h[j].column != nullptr) {
            const Real* p = at + lane_t + 2 * (3 * i + j);
            accumulate(h[j].column[static_cast<Index>(i) * m + row], window(e, a) * h[j].scale * factors.t * std::complex<Real>(p[0], p[1]), shared);
          }
          if (put_u && g[j].column != nullptr) {
            const Real* p = at + 2 * symmetric[i][j];
            accumulate(g[j].column[static_cast<Index>(i) * m + row], g[j].scale * factors.u * std::complex<Real>(p[0], p[1]), shared);
          }
        }
    }
  }
  /// A 3 × 3 block of H at (row, node).
  void diagonal(Index node, Index row, const std::complex<Real>* block9) {
    const auto& h = targets.h[static_cast<std::size_t>(node)];
    for (std::size_t j = 0; j < 3; ++j)
      if (h[j].column != nullptr)
        for (std::size_t i = 0; i < 3; ++i) {
          // The window fades the integral, not the free term (½ on the plane nodes that it touches).
          const Real w = static_cast<Real>(surface.window[static_cast<std::size_t>(node)]), free = i == j ? (1 - w) / 2 : 0;
          accumulate(h[j].column[static_cast<Index>(i) * m + row], h[j].scale * (w * block9[3 * i + j] + free), shared);
        }
  }
};

/// Sums of the static t* over all elements of a point's component.
struct SumSink {
  static constexpr Part part = Part::fixed;
  static constexpr bool scalar = true;
  const Surface& surface;
  const std::vector<Index>& rows;  ///< node of each row
  std::vector<std::array<std::atomic<double>, 9>> sums;
  SumSink(const Surface& s, const std::vector<Index>& r) : surface(s), rows(r), sums(r.size()) {}
  [[nodiscard]] bool wants(Index) const { return true; }
  [[nodiscard]] bool with_u(Index) const { return false; }
  [[nodiscard]] bool same(Index k, Index row) const {
    const Touch& t = surface.touches[static_cast<std::size_t>(rows[static_cast<std::size_t>(row)])].front();
    return surface.elements[static_cast<std::size_t>(k)].component == surface.elements[static_cast<std::size_t>(t.element)].component;
  }
  void put(Index row, const double* v, std::size_t step) {
    for (std::size_t q = 0; q < 9; ++q) sums[static_cast<std::size_t>(row)][q].fetch_add(v[(lane_t + 2 * q) * step], std::memory_order_relaxed);
  }
  void block(const LaneKernels<double>& kernels, Index k, Index row, unsigned valid, bool, const double* v) {
    const auto lanes = static_cast<std::size_t>(kernels.lanes);
    for (std::size_t l = 0; l < lanes; ++l)
      if ((valid >> l & 1U) != 0 && same(k, row + static_cast<Index>(l))) put(row + static_cast<Index>(l), v + l, lanes);
  }
  void single(Index k, Index row, const double* v) {
    if (same(k, row)) put(row, v, 1);
  }
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// A phase whose items are nodes.
template <class Body>
class NodePhase final : public Phase {
 public:
  NodePhase(const char* name, Index items, Body body) : name_(name), items_(items), body_(std::move(body)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return items_; }
  void run(CpuWorker& worker, Interval interval) override {
    worker.for_each(interval, 16, [&](Interval chunk, int) { body_(chunk); });
  }

 private:
  const char* name_;
  Index items_;
  Body body_;
};

}  // namespace

template <class Real>
AssemblyWork assemble_pairs(Team& team, const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy,
                            const Harmonic& harmonic, const RowPoints& rows, const Targets<Real>& targets, std::stop_token stop) {
  ColumnSink<Real> sink(surface, targets, harmonic, static_cast<Index>(rows.points.size()), team.workers().size() > 1);
  PairPhase<Real, ColumnSink<Real>> phase("ghmatecd", surface, rules, accuracy, lane_medium<Real>(harmonic), rows, surface.active, sink, stop);
  team.run(phase, stop);
  return phase.work();
}
template AssemblyWork assemble_pairs<double>(Team&, const Surface&, const FarRules<double>&, const Accuracy&, const Harmonic&,
                                             const RowPoints&, const Targets<double>&, std::stop_token);
template AssemblyWork assemble_pairs<float>(Team&, const Surface&, const FarRules<float>&, const Accuracy&, const Harmonic&,
                                            const RowPoints&, const Targets<float>&, std::stop_token);

template <class Real>
AssemblyWork assemble_singular(Team& team, const Surface& surface, const Accuracy& accuracy, const Harmonic& harmonic,
                               std::span<const std::array<double, 9>> diagonal, const Targets<Real>& targets) {
  const Index m = surface.node_count();
  ColumnSink<Real> sink(surface, targets, harmonic, m, false);  // a row belongs to one worker
  const LaneMedium<Real> medium = lane_medium<Real>(harmonic);
  const LaneKernels<Real>& kernels = lane_kernels<Real>();
  const double k = std::abs(harmonic.kS);
  std::atomic<double> points{0};
  NodePhase phase("singular", m, [&](Interval chunk) {
    PointSet set;
    NearPoints<Real> near_points;
    const auto out = std::make_unique<Block<Real>>();
    double done = 0;
    for (Index n = chunk.begin; n < chunk.end; ++n) {
      const Vec3& at = surface.nodes[static_cast<std::size_t>(n)];
      std::complex<Real> block[9];
      for (std::size_t q = 0; q < 9; ++q) block[q] = static_cast<Real>(diagonal[static_cast<std::size_t>(n)][q]);
      for (const Touch& touch : surface.touches[static_cast<std::size_t>(n)]) {
        const Element& e = surface.elements[static_cast<std::size_t>(touch.element)];
        if (!sink.wants(touch.element)) continue;
        const auto p = e.node_at(touch.local);
        const bool u = sink.with_u(touch.element);
        set.clear();
        if (accuracy.fixed8) {
          collapsed_rule(e, p[0], p[1], set);
          kernels.near(medium, near_points.fill(set, at, kernels.lanes), Part::dynamic, true, out->v);
          sink.one(touch.element, n, out->v, false, u, -1);
          kernels.near(medium, near_points.fill(set, at, kernels.lanes), Part::difference, true, out->v);
          for (std::size_t q = 0; q < 9; ++q) block[q] += sink.factors.t * std::complex<Real>(out->v[lane_t + 2 * q], out->v[lane_t + 2 * q + 1]);
          continue;
        }
        singular_rule(e, p[0], p[1], accuracy.target, k, set);
        done += 2.0 * set.count();
        if (u || e.nodes > 1) {
          kernels.near(medium, near_points.fill(set, at, kernels.lanes), Part::dynamic, u, out->v);
          sink.one(touch.element, n, out->v, true, u, touch.local);
        }
        kernels.near(medium, near_points.fill(set, at, kernels.lanes, touch.local), Part::difference, true, out->v);
        for (std::size_t q = 0; q < 9; ++q) block[q] += sink.factors.t * std::complex<Real>(out->v[lane_t + 2 * q], out->v[lane_t + 2 * q + 1]);
      }
      sink.diagonal(n, n, block);
    }
    points.fetch_add(done);
  });
  team.run(phase);
  return {0, points.load()};
}
template AssemblyWork assemble_singular<double>(Team&, const Surface&, const Accuracy&, const Harmonic&,
                                                std::span<const std::array<double, 9>>, const Targets<double>&);
template AssemblyWork assemble_singular<float>(Team&, const Surface&, const Accuracy&, const Harmonic&,
                                               std::span<const std::array<double, 9>>, const Targets<float>&);

StaticDiagonal static_diagonal(Team& team, const Surface& surface, const Accuracy& accuracy, double nu, bool sum_everywhere,
                               std::stop_token stop) {
  StaticDiagonal out;
  const Index m = surface.node_count();
  out.blocks.assign(static_cast<std::size_t>(m), {});
  Medium unit_medium;
  unit_medium.nu = nu;
  const Harmonic fixed(unit_medium, 0);
  Accuracy fine = accuracy;
  if (!fine.fixed8) fine.target = std::min(fine.target, 1e-7);
  const double begin = seconds();
  std::vector<Index> curved;
  for (Index n = 0; n < m; ++n)
    if (sum_everywhere || !surface.planar[static_cast<std::size_t>(n)]) curved.push_back(n);
  out.summed_rows = static_cast<Index>(curved.size());
  if (!curved.empty()) {
    std::vector<Vec3> points;
    for (Index n : curved) points.push_back(surface.nodes[static_cast<std::size_t>(n)]);
    const FarRules<double> rules(surface, fine, 0, true);
    // Elements that contain the point come in the second part, so rows that are all nodes can skip them by number.
    const bool whole = static_cast<Index>(curved.size()) == m;
    if (!whole) {
      // The walk knows nodes by row number only when all are there: give it all nodes, sums of flat ones are not used.
      curved.clear();
      points = surface.nodes;
      for (Index n = 0; n < m; ++n) curved.push_back(n);
    }
    SumSink sums(surface, curved);
    const RowPoints rows{points, true};
    PairPhase<double, SumSink> phase("ghmatece", surface, rules, fine, lane_medium<double>(fixed), rows,
                                     static_cast<Index>(surface.elements.size()), sums, stop);
    team.run(phase, stop);
    for (Index n = 0; n < m; ++n)
      for (std::size_t q = 0; q < 9; ++q) out.blocks[static_cast<std::size_t>(n)][q] = -sums.sums[static_cast<std::size_t>(n)][q].load() / (4 * pi);
  }
  out.seconds_sums = seconds() - begin;

  const double start = seconds();
  const LaneMedium<double> medium = lane_medium<double>(fixed);
  const LaneKernels<double>& kernels = lane_kernels<double>();
  NodePhase phase("rigid", m, [&](Interval chunk) {
    PointSet set;
    NearPoints<double> near_points;
    const auto values = std::make_unique<Block<double>>();
    for (Index n = chunk.begin; n < chunk.end; ++n) {
      const auto i = static_cast<std::size_t>(n);
      const Vec3 at = surface.nodes[i], normal = surface.normals[i];
      auto& block = out.blocks[i];
      const auto& touches = surface.touches[i];
      const bool planar = surface.planar[i] && !sum_everywhere;
      const int component = surface.elements[static_cast<std::size_t>(touches.front().element)].component;
      if (planar) {
        block = {};
        std::vector<const Element*> around;
        for (const Touch& t : touches) around.push_back(&surface.elements[static_cast<std::size_t>(t.element)]);
        const Vec3 moment = contour_moment(around, at, normal);
        const double c = (1 - 2 * nu) / (8 * pi * (1 - nu));
        for (std::size_t p = 0; p < 3; ++p)
          for (std::size_t q = 0; q < 3; ++q)
            block[3 * p + q] = (p == q ? 0.5 : 0.0) + c * (moment[q] * normal[p] - moment[p] * normal[q]);
      } else if (surface.hollow[static_cast<std::size_t>(component)]) {
        for (std::size_t p = 0; p < 3; ++p) block[4 * p] += 1;
      }
      // The node's own elements: what their other nodes take of a rigid motion.
      for (const Touch& t : touches) {
        const Element& e = surface.elements[static_cast<std::size_t>(t.element)];
        if (e.nodes == 1) continue;
        const auto p = e.node_at(t.local);
        set.clear();
        singular_rule(e, p[0], p[1], fine.target, 0, set);
        kernels.near(medium, near_points.fill(set, at, kernels.lanes, t.local, true), Part::fixed, true, values->v);
        for (std::size_t q = 0; q < 9; ++q) block[q] -= values->v[lane_t + 2 * q] / (4 * pi);
      }
    }
  });
  team.run(phase);
  out.seconds_rigid = seconds() - start;
  return out;
}

}  // namespace conoid::elastic_bem

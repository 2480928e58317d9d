// SPDX-License-Identifier: BSD-3-Clause
// The walk over far pairs that dynamic pairs and static sums share: tiles of rows against intervals of elements. Near pairs are a list
// of their own (near_pairs.hpp). For the assembly only.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>

#include "engine/solvers/elastic_bem/discretization/assembly.hpp"
#include "engine/solvers/elastic_bem/discretization/near_pairs.hpp"
#include "engine/team/phase.hpp"

namespace conoid::elastic_bem {

/// Tiles of rows, elements of an interval, blocks of lanes. `Sink` says what happens to the values of a block or of a row whose
/// rule differs from that of its block.
template <class Real, class Sink>
class PairPhase : public Phase {
 public:
  PairPhase(const char* name, const Surface& surface, const FarRules<Real>& rules, LaneMedium<Real> medium,
            const RowPoints& rows, Index elements, Sink& sink, std::stop_token stop)
      : surface_(surface), rules_(rules), medium_(medium), rows_(rows), elements_(elements), sink_(sink),
        stop_(std::move(stop)), kernels_(lane_kernels<Real>()), name_(name) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return elements_; }

  void run(CpuWorker& worker, Interval interval) override {
    // Some eight registers of rows a tile, sixteen tiles or more, whatever the number of threads. Tiles end between registers: which
    // rows share one, and with it the rule that they take, does not follow from their number.
    const auto m = static_cast<Index>(rows_.points.size());
    const Index lanes = kernels_.lanes, blocks = (m + lanes - 1) / lanes,
                tiles = std::min(blocks, std::max<Index>(16, 8 * ((blocks + 63) / 64)));
    worker.for_each({0, tiles}, 1, [&](Interval chunk, int) {
      for (Index t = chunk.begin; t < chunk.end; ++t) {
        if (stop_.stop_requested()) return;
        tile({blocks * t / tiles * lanes, std::min(m, blocks * (t + 1) / tiles * lanes)}, interval);
      }
    });
  }
  [[nodiscard]] double points() const { return far_.load(); }
  /// By the kernel as written, a constant element; an interval has its share of the points. Memory: 3 × 3 complex of t*, and of u*
  /// where it is wanted, of each row and element.
  [[nodiscard]] Work work(Interval items) const override {
    double with_u = 0, with_t = 0, all = 0;
    for (Index k = 0; k < elements_; ++k) {
      if (!sink_.wants(k)) continue;
      ++all;
      if (k < items.begin || k >= items.end) continue;
      ++(sink_.with_u(k) ? with_u : with_t);
    }
    const double points = far_.load() / std::max(1.0, all);
    return {points * (with_u * flops_a_point + with_t * flops_a_point_t),
            static_cast<double>(rows_.points.size()) * (2 * with_u + with_t) * 18 * sizeof(Real)};
  }

 protected:
  void add_points(double done) { far_.fetch_add(done); }

  const Surface& surface_;
  const FarRules<Real>& rules_;
  LaneMedium<Real> medium_;
  const RowPoints& rows_;
  Index elements_;
  Sink& sink_;
  std::stop_token stop_;
  const LaneKernels<Real>& kernels_;

 private:
  void tile(Interval rows, Interval interval) {
    const Index lanes = kernels_.lanes, count = rows.size(), blocks = (count + lanes - 1) / lanes;
    std::vector<Real> x(static_cast<std::size_t>(3 * blocks * lanes));
    const auto stride = static_cast<std::size_t>(blocks * lanes);
    for (Index r = 0; r < blocks * lanes; ++r) {
      const Vec3 p =
          vec::sub(rows_.points[static_cast<std::size_t>(std::min(rows.begin + r, rows.end - 1))], rules_.origin());
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
    std::vector<double> d2(static_cast<std::size_t>(blocks * lanes));
    std::vector<LanePut<Real>> entries;
    Real bx[3][16];
    double far_done = 0;
    for (Index k = interval.begin; k < interval.end; ++k) {
      const auto own_begin = next;
      while (next != own.end() && next->first == k) ++next;
      if (!sink_.wants(k)) continue;
      const bool with_u = sink_.with_u(k);
      sink_.prepare(k, entries);
      const auto classes = rules_.classes(k);
      const double farthest = classes.front().distance2;
      const Vec3 c = rule_centre(rules_, surface_.elements[static_cast<std::size_t>(k)]);
      for (std::size_t q = 0; q < static_cast<std::size_t>(blocks * lanes); ++q) {
        const double dx = static_cast<double>(x[q]) - c[0], dy = static_cast<double>(x[stride + q]) - c[1],
                     dz = static_cast<double>(x[2 * stride + q]) - c[2];
        d2[q] = dx * dx + dy * dy + dz * dz;
      }
      for (auto s = own_begin; s != next; ++s) d2[static_cast<std::size_t>(s->second - rows.begin)] = -1;
      for (Index b = 0; b < blocks; ++b) {
        const Index from = b * lanes;
        const double* d = d2.data() + from;
        double nearest = d[0];
        for (Index l = 1; l < lanes; ++l) nearest = std::min(nearest, d[l]);
        const bool whole = from + lanes <= count;
        const Real *px = x.data() + from, *py = px + stride, *pz = py + stride;
        if (nearest >= farthest && whole) {  // most blocks
          const LanePoints<Real>& p = classes[0].points;
          kernels_.far(medium_, p, px, py, pz, sink_.part, with_u, out->v);
          far_done += static_cast<double>(p.count) * static_cast<double>(lanes);
          sink_.block(kernels_, k, entries, rows.begin + from, all_lanes(lanes), lanes, PutMode::stream, out->v);
          continue;
        }
        int asked[16];
        const int finest = rules_asked(classes, d, std::min(lanes, count - from), lanes, asked);
        const int together = rule_together(classes, asked, finest, lanes);
        unsigned valid = 0;
        Index some = -1;
        for (Index l = 0; l < lanes; ++l)
          if (asked[l] >= 0 && asked[l] <= together) {
            valid |= 1U << l;
            some = l;
          }
        if (valid != 0) {
          const LanePoints<Real>& p = classes[static_cast<std::size_t>(together)].points;
          if (valid != all_lanes(lanes)) {
            for (Index l = 0; l < lanes; ++l)
              for (std::size_t axis = 0; axis < 3; ++axis)
                bx[axis][l] = x[axis * stride + static_cast<std::size_t>(from + ((valid >> l & 1U) != 0 ? l : some))];
            px = bx[0];
            py = bx[1];
            pz = bx[2];
          }
          kernels_.far(medium_, p, px, py, pz, sink_.part, with_u, out->v);
          far_done += static_cast<double>(p.count) * static_cast<double>(std::popcount(valid));
        }
        // First the block, which may set what single rows then add to.
        sink_.block(kernels_, k, entries, rows.begin + from, valid, std::min(lanes, count - from),
                    valid == all_lanes(lanes) ? PutMode::stream : PutMode::set, out->v);
        for (Index l = 0; l < lanes; ++l) {
          if (asked[l] == -1 || (valid >> l & 1U) != 0) continue;
          LanePoints<Real> p = classes[static_cast<std::size_t>(asked[l])].points;
          far_done += p.count;
          p.count = classes[static_cast<std::size_t>(asked[l])].padded;
          const std::size_t at_row = static_cast<std::size_t>(from + l);
          const Real at[3] = {x[at_row], x[stride + at_row], x[2 * stride + at_row]};
          kernels_.near(medium_, p, at, sink_.part, with_u, out->v);
          sink_.single(k, rows.begin + from + l, out->v);
        }
      }
    }
    kernels_.fence();
    far_.fetch_add(far_done);
  }

  /// The class that each row of a block asks for, by the squares d of the distances; −1: none, it lies on the element or near to it, or
  /// is none of the `some` rows. The finest of them.
  template <class Classes>
  static int rules_asked(const Classes& classes, const double* d, Index some, Index lanes, int* asked) {
    const double limit = classes.back().distance2;
    int finest = -1;
    for (Index l = 0; l < lanes; ++l) {
      asked[l] = -1;
      if (l >= some || d[l] < limit) continue;
      int level = 0;
      while (level + 1 < static_cast<int>(classes.size()) && d[l] < classes[static_cast<std::size_t>(level)].distance2)
        ++level;
      asked[l] = level;
      finest = std::max(finest, level);
    }
    return finest;
  }

  /// The rule with which rows of a block go together: the few that need a finer one go each by itself, its points in lanes.
  template <class Classes>
  static int rule_together(const Classes& classes, const int* asked, int finest, Index lanes) {
    int together = finest;
    double least = 1e300;
    for (int level = 0; level <= finest; ++level) {
      double cost = 0;
      bool any = false;
      for (Index l = 0; l < lanes; ++l) {
        if (asked[l] > level)
          cost += classes[static_cast<std::size_t>(asked[l])].padded / static_cast<double>(lanes) + 1;
        any = any || (asked[l] >= 0 && asked[l] <= level);
      }
      if (any) cost += classes[static_cast<std::size_t>(level)].points.count;
      if (cost < least) {
        least = cost;
        together = level;
      }
    }
    return together;
  }

  static unsigned all_lanes(Index lanes) { return lanes == 32 ? ~0U : (1U << lanes) - 1; }

  const char* name_;
  std::atomic<double> far_{0};
};

}  // namespace conoid::elastic_bem

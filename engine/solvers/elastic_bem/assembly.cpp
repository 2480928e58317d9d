// SPDX-License-Identifier: BSD-3-Clause
// Tiles of rows against intervals of elements; near and singular pairs one by one.
#include "engine/solvers/elastic_bem/assembly.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
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

  /// singular_rule() about the node of a constant affine element, without the detour over a PointSet.
  const LanePoints<Real>& fill_affine(const Element& e, double target, double wave_number, int lanes) {
    const auto p = e.node_at(0);
    const auto [along, radial] = singular_orders(e, target, wave_number);
    pieces_.clear();
    singular_pieces(e, p[0], p[1], pieces_);
    count_ = pieces_.size() * static_cast<std::size_t>(along * radial);
    const auto w = static_cast<std::size_t>(lanes), n = (count_ + w - 1) / w * w;
    if (values_.size() < 8 * n) values_.resize(8 * n);
    Real* a = values_.data();
    const double size = norm(e.flat_area);
    const Vec3 normal = scale(1 / size, e.flat_area);
    std::size_t q = 0;
    for (const SingularPiece& piece : pieces_)
      for (const GaussPoint& v : gauss_points(along)) {
        const double r = piece.a[0] + v.x * (piece.b[0] - piece.a[0]) - p[0], s = piece.a[1] + v.x * (piece.b[1] - piece.a[1]) - p[1];
        const Vec3 way = axpy(r, e.along_r, scale(s, e.along_s));
        for (const GaussPoint& t : gauss_points(radial)) {
          for (std::size_t d = 0; d < 3; ++d) a[d * n + q] = static_cast<Real>(t.x * way[d]);
          a[6 * n + q] = static_cast<Real>(v.w * t.w * t.x * piece.area * size);
          ++q;
        }
      }
    for (; q < n; ++q) {
      for (std::size_t d = 0; d < 3; ++d) a[d * n + q] = a[d * n];
      a[6 * n + q] = 0;
    }
    for (std::size_t d = 0; d < 3; ++d)
      for (q = 0; q < n; ++q) a[(3 + d) * n + q] = static_cast<Real>(normal[d]) * a[6 * n + q];
    std::fill_n(a + 7 * n, n, Real(1));
    points_ = {static_cast<int>(n), 1, n, a, a + n, a + 2 * n, a + 3 * n, a + 4 * n, a + 5 * n, a + 6 * n, a + 7 * n};
    return points_;
  }
  [[nodiscard]] double count() const { return static_cast<double>(count_); }

 private:
  std::vector<Real> values_;
  std::vector<SingularPiece> pieces_;
  std::size_t count_ = 0;
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

namespace {

constexpr int far_orders[] = {2, 3, 4, 5, 6, 7, 8, 10, 12};
constexpr std::size_t far_order_count = std::size(far_orders);

/// The inverse of points_for_distance(): half-lengths from which g points reach the target.
double distance_for_points(int g, double target) {
  const double rho = std::pow(2 / target, 0.5 / g) / 0.72;
  return std::max(1.41, 0.5 * (rho + 1 / rho) * (1 + 1e-12));
}

}  // namespace

template <class Real>
FarRules<Real>::FarRules(const Surface& surface, const Accuracy& accuracy, double wave_number, bool scalar, int threads)
    : origin_(surface.centre), wave_number_(wave_number) {
  struct Made {
    double distance2;
    int gu, gv;
    std::size_t at;
  };
  struct Plan {
    std::array<Made, far_order_count> made;
    std::size_t count = 0;
  };
  const auto elements = static_cast<Index>(scalar ? surface.elements.size() : static_cast<std::size_t>(surface.active));
  const auto lanes = static_cast<std::size_t>(lane_kernels<Real>().lanes);
  const auto padded = [&](const Made& m) { return (static_cast<std::size_t>(m.gu * m.gv) + lanes - 1) / lanes * lanes; };
  const CpuWorker workers(threads);
  // Equal neighbours lie at 2 half-lengths, up to round-off.
  const double nearest = accuracy.target < 1e-6 ? 2.39 : 1.99;
  double reach[2][far_order_count];
  for (int more = 0; more < 2; ++more)
    for (std::size_t q = 0; q < far_order_count; ++q) reach[more][q] = std::max(nearest, distance_for_points(far_orders[q] - more, accuracy.target));
  std::vector<Plan> plans(static_cast<std::size_t>(elements));
  workers.for_each({0, elements}, 64, [&](Interval chunk, int) {
    for (Index k = chunk.begin; k < chunk.end; ++k) {
      const Element& e = surface.elements[static_cast<std::size_t>(k)];
      Plan& plan = plans[static_cast<std::size_t>(k)];
      const auto put = [&](double D, int gu, int gv) {
        const double d = 0.5 * D * e.size;
        plan.made[plan.count++] = {d * d, gu, gv, 0};
      };
      if (accuracy.fixed8) {
        put(0, 8, 8);
        continue;
      }
      const int more = scalar || e.nodes == 1 ? 0 : 1;
      const int wave = std::min(points_for_wave(wave_number * e.size, accuracy.target), most_far - 1);
      double last = 1e300;
      for (std::size_t q = 0; q < far_order_count; ++q) {
        const int g = far_orders[q];
        const double D = reach[more][q];
        if (g - more < wave || D >= last) continue;
        last = D;
        const auto along = [&](std::size_t axis) {
          const double own = D * e.size / std::max(e.length[axis], 1e-300);
          const int needed = std::max(points_for_distance(std::max(own, D), accuracy.target), points_for_wave(wave_number * e.length[axis], accuracy.target));
          return std::clamp(needed + more, 2, g);
        };
        put(D, e.triangular() ? g : along(0), e.triangular() ? g : along(1));
      }
    }
  });
  std::size_t size = 0;
  first_.reserve(static_cast<std::size_t>(elements) + 1);
  first_.push_back(0);
  for (Index k = 0; k < elements; ++k) {
    Plan& plan = plans[static_cast<std::size_t>(k)];
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    const std::size_t nodes = scalar ? 1 : static_cast<std::size_t>(e.nodes);
    for (std::size_t q = 0; q < plan.count; ++q) {
      plan.made[q].at = size;
      size += padded(plan.made[q]) * (7 + nodes);
    }
    first_.push_back(first_.back() + static_cast<Index>(plan.count));
  }
  values_ = std::make_unique_for_overwrite<Real[]>(size);
  classes_.resize(static_cast<std::size_t>(first_.back()));
  workers.for_each({0, elements}, 16, [&](Interval chunk, int) {
    for (Index k = chunk.begin; k < chunk.end; ++k) {
      const Element& e = surface.elements[static_cast<std::size_t>(k)];
      const Plan& plan = plans[static_cast<std::size_t>(k)];
      const std::size_t nodes = scalar ? 1 : static_cast<std::size_t>(e.nodes);
      for (std::size_t c = 0; c < plan.count; ++c) {
        const Made& made = plan.made[c];
        const std::size_t n = padded(made), count = static_cast<std::size_t>(made.gu * made.gv);
        Real* p = values_.get() + made.at;
        std::size_t q = 0;
        for (const GaussPoint& a : gauss_points(made.gu))
          for (const GaussPoint& b : gauss_points(made.gv)) {
            double jacobian = 1;
            const auto place = e.reference(a.x, b.x, jacobian);
            const SurfacePoint at = e.at(place[0], place[1]);
            const double w = a.w * b.w * jacobian;
            for (std::size_t d = 0; d < 3; ++d) {
              p[d * n + q] = static_cast<Real>(at.x[d] - origin_[d]);
              p[(3 + d) * n + q] = static_cast<Real>(at.area[d] * w);
            }
            p[6 * n + q] = static_cast<Real>(norm(at.area) * w);
            if (nodes == 1) {
              p[7 * n + q] = Real(1);
            } else {
              std::array<double, most_nodes> shape;
              e.field(place[0], place[1], shape.data());
              for (std::size_t i = 0; i < nodes; ++i) p[(7 + i) * n + q] = static_cast<Real>(shape[i]);
            }
            ++q;
          }
        for (; q < n; ++q)
          for (std::size_t v = 0; v < 7 + nodes; ++v) p[v * n + q] = v < 3 ? p[v * n] : Real(0);
        classes_[static_cast<std::size_t>(first_[static_cast<std::size_t>(k)]) + c] = {
            made.distance2,
            {static_cast<int>(count), static_cast<int>(nodes), n, p, p + n, p + 2 * n, p + 3 * n, p + 4 * n, p + 5 * n, p + 6 * n, p + 7 * n},
            static_cast<int>(n)};
      }
    }
  });
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
    // Some eight registers of rows a tile, eight tiles or a multiple: their borders decide which rows share a register, and
    // with it the rule that they take, so they must not depend on the number of threads.
    const auto m = static_cast<Index>(rows_.points.size());
    const Index lanes = kernels_.lanes, blocks = (m + lanes - 1) / lanes, tiles = std::min(blocks, 8 * ((blocks + 63) / 64));
    worker.for_each({0, tiles}, 1, [&](Interval chunk, int) {
      for (Index t = chunk.begin; t < chunk.end; ++t) {
        if (stop_.stop_requested()) return;
        tile({blocks * t / tiles * lanes, std::min(m, blocks * (t + 1) / tiles * lanes)}, interval);
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
    std::vector<double> d2(static_cast<std::size_t>(blocks * lanes));
    std::vector<LanePut<Real>> entries;
    PointSet set;
    NearPoints<Real> near_points;
    Real bx[3][16];
    double far_done = 0, near_done = 0;
    for (Index k = interval.begin; k < interval.end; ++k) {
      const Element& e = surface_.elements[static_cast<std::size_t>(k)];
      const auto own_begin = next;
      while (next != own.end() && next->first == k) ++next;
      if (!sink_.wants(k)) continue;
      const bool with_u = sink_.with_u(k);
      sink_.prepare(k, entries);
      const auto classes = rules_.classes(k);
      const double limit = classes.back().distance2, farthest = classes.front().distance2;
      const Vec3 c = sub(e.centre, rules_.origin());
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
        // The class that each row asks for; −1: none, it lies on the element; −2: it is near.
        int asked[16];
        int finest = -1;
        for (Index l = 0; l < lanes; ++l) {
          asked[l] = -1;
          if (from + l >= count || d[l] < 0) continue;
          if (d[l] < limit) {
            asked[l] = -2;
            continue;
          }
          int level = 0;
          while (level + 1 < static_cast<int>(classes.size()) && d[l] < classes[static_cast<std::size_t>(level)].distance2) ++level;
          asked[l] = level;
          finest = std::max(finest, level);
        }
        // Rows of the block together with one rule, or the few that need a finer one each by itself, its points in lanes.
        int together = finest;
        double least = 1e300;
        for (int level = 0; level <= finest; ++level) {
          double cost = 0;
          bool any = false;
          for (Index l = 0; l < lanes; ++l) {
            if (asked[l] > level) cost += classes[static_cast<std::size_t>(asked[l])].padded / static_cast<double>(lanes) + 1;
            any = any || (asked[l] >= 0 && asked[l] <= level);
          }
          if (any) cost += classes[static_cast<std::size_t>(level)].points.count;
          if (cost < least) {
            least = cost;
            together = level;
          }
        }
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
              for (std::size_t axis = 0; axis < 3; ++axis) bx[axis][l] = x[axis * stride + static_cast<std::size_t>(from + ((valid >> l & 1U) != 0 ? l : some))];
            px = bx[0];
            py = bx[1];
            pz = bx[2];
          }
          kernels_.far(medium_, p, px, py, pz, sink_.part, with_u, out->v);
          far_done += static_cast<double>(p.count) * static_cast<double>(std::popcount(valid));
        }
        // First the block, which may set what single rows then add to.
        sink_.block(kernels_, k, entries, rows.begin + from, valid, std::min(lanes, count - from), valid == all_lanes(lanes) ? PutMode::stream : PutMode::set,
                    out->v);
        for (Index l = 0; l < lanes; ++l) {
          if (asked[l] == -1 || (valid >> l & 1U) != 0) continue;
          const Index row = rows.begin + from + l;
          if (asked[l] == -2) {
            set.clear();
            const Vec3& at = rows_.points[static_cast<std::size_t>(row)];
            near_rule(e, at, accuracy_.target, rules_.wave_number(), set);
            near_done += set.count();
            const LanePoints<Real>& p = sink_.scalar ? scalar_points(near_points, set, at) : near_points.fill(set, at, kernels_.lanes);
            kernels_.near(medium_, p, nullptr, sink_.part, with_u, out->v);
          } else {
            LanePoints<Real> p = classes[static_cast<std::size_t>(asked[l])].points;
            near_done += p.count;
            p.count = classes[static_cast<std::size_t>(asked[l])].padded;
            const std::size_t at_row = static_cast<std::size_t>(from + l);
            const Real at[3] = {x[at_row], x[stride + at_row], x[2 * stride + at_row]};
            kernels_.near(medium_, p, at, sink_.part, with_u, out->v);
          }
          sink_.single(k, row, out->v);
        }
      }
    }
    kernels_.fence();
    far_.fetch_add(far_done);
    near_.fetch_add(near_done);
  }

  static unsigned all_lanes(Index lanes) { return lanes == 32 ? ~0U : (1U << lanes) - 1; }

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

/// By hand: std::complex looks for infinities.
template <class Real>
std::complex<Real> product(std::complex<Real> a, Real re, Real im) {
  return {a.real() * re - a.imag() * im, a.real() * im + a.imag() * re};
}

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
  bool sole;    ///< assemble_pairs() sets what nobody else has a part in
  bool shared;  ///< several workers may meet at nodes
  std::vector<std::array<Target<Real>, 3>> h, g;  ///< the targets, scales times factors and fading

  ColumnSink(const Surface& s, const Targets<Real>& t, const Harmonic& harmonic, Index rows, bool several_workers)
      : surface(s), targets(t), factors(harmonic), m(rows), sole(one_owner(s)), shared(several_workers && !sole), h(t.h), g(t.g) {
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
    for (std::size_t n = 0; n < h.size(); ++n)
      for (Target<Real>& v : h[n]) v.scale *= static_cast<Real>(s.window[n]) * factors.t;
    for (auto& node : g)
      for (Target<Real>& v : node) v.scale *= factors.u;
  }
  [[nodiscard]] bool wants(Index k) const { return use_any[static_cast<std::size_t>(k)] != 0; }
  [[nodiscard]] bool with_u(Index k) const { return use_u[static_cast<std::size_t>(k)] != 0; }

  /// Where the values of an element go.
  void prepare(Index k, std::vector<LanePut<Real>>& entries) const {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    entries.clear();
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
      const auto& hn = h[static_cast<std::size_t>(e.node[a])];
      const auto& gn = g[static_cast<std::size_t>(e.traction[a])];
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 3; ++i) {
          if (hn[j].column != nullptr) entries.push_back({a * lane_values + lane_t + 2 * (3 * i + j), hn[j].scale, hn[j].column + static_cast<Index>(i) * m});
          if (gn[j].column != nullptr) entries.push_back({a * lane_values + 2 * symmetric[i][j], gn[j].scale, gn[j].column + static_cast<Index>(i) * m});
        }
    }
  }
  /// The `valid` ones of the `width` rows of a block; `mode`: how to set the rows of a sole owner, zeros where not valid.
  void block(const LaneKernels<Real>& kernels, Index k, const std::vector<LanePut<Real>>& entries, Index row, unsigned valid, Index width,
             PutMode mode, Real* v) {
    const auto lanes = static_cast<std::size_t>(kernels.lanes);
    if (valid == 0 && !sole) return;
    if (!shared && width == kernels.lanes) {
      if (valid != (1U << lanes) - 1)
        for (std::size_t q = 0; q < static_cast<std::size_t>(surface.elements[static_cast<std::size_t>(k)].nodes * lane_values); ++q)
          for (std::size_t l = 0; l < lanes; ++l)
            if ((valid >> l & 1U) == 0) v[q * lanes + l] = 0;
      kernels.put(v, entries.data(), entries.size(), row, sole ? mode : PutMode::add);
      return;
    }
    for (const LanePut<Real>& p : entries)
      for (std::size_t l = 0; l < static_cast<std::size_t>(width); ++l) {
        std::complex<Real>& to = p.column[row + static_cast<Index>(l)];
        if ((valid >> l & 1U) == 0) {
          if (sole) to = 0;
          continue;
        }
        const std::complex<Real> value = product(p.scale, v[p.value * lanes + l], v[(p.value + 1) * lanes + l]);
        if (sole)
          to = value;
        else
          accumulate(to, value, shared);
      }
  }
  void single(Index k, Index row, const Real* v) { one(k, row, v, true, true, -1); }
  void one(Index k, Index row, const Real* v, bool put_t, bool put_u, int only) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
      const bool take_t = put_t && (only < 0 || a != static_cast<std::size_t>(only));
      const Real* at = v + a * lane_values;
      const auto& hn = h[static_cast<std::size_t>(e.node[a])];
      const auto& gn = g[static_cast<std::size_t>(e.traction[a])];
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 3; ++i) {
          if (take_t && hn[j].column != nullptr) {
            const Real* p = at + lane_t + 2 * (3 * i + j);
            accumulate(hn[j].column[static_cast<Index>(i) * m + row], product(hn[j].scale, p[0], p[1]), shared);
          }
          if (put_u && gn[j].column != nullptr) {
            const Real* p = at + 2 * symmetric[i][j];
            accumulate(gn[j].column[static_cast<Index>(i) * m + row], product(gn[j].scale, p[0], p[1]), shared);
          }
        }
    }
  }
  /// A 3 × 3 block of H at (row, node).
  void diagonal(Index node, Index row, const std::complex<Real>* block9) {
    const auto& hn = targets.h[static_cast<std::size_t>(node)];
    for (std::size_t j = 0; j < 3; ++j)
      if (hn[j].column != nullptr)
        for (std::size_t i = 0; i < 3; ++i) {
          // The window fades the integral, not the free term (½ on the plane nodes that it touches).
          const Real w = static_cast<Real>(surface.window[static_cast<std::size_t>(node)]), free = i == j ? (1 - w) / 2 : 0;
          accumulate(hn[j].column[static_cast<Index>(i) * m + row], hn[j].scale * (w * block9[3 * i + j] + free), shared);
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
  void prepare(Index, std::vector<LanePut<double>>&) const {}
  void block(const LaneKernels<double>& kernels, Index k, const std::vector<LanePut<double>>&, Index row, unsigned valid, Index, PutMode, const double* v) {
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

bool one_owner(const Surface& surface) {
  std::vector<int> nodes(surface.nodes.size(), 0), tractions(surface.traction_node.size(), 0);
  for (Index k = 0; k < surface.active; ++k) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
      ++nodes[static_cast<std::size_t>(e.node[a])];
      ++tractions[static_cast<std::size_t>(e.traction[a])];
    }
  }
  const auto once = [](int n) { return n == 1; };
  return std::all_of(nodes.begin(), nodes.end(), once) && std::all_of(tractions.begin(), tractions.end(), once);
}

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
          kernels.near(medium, near_points.fill(set, at, kernels.lanes), nullptr, Part::dynamic, true, out->v);
          sink.one(touch.element, n, out->v, false, u, -1);
          kernels.near(medium, near_points.fill(set, at, kernels.lanes), nullptr, Part::difference, false, out->v);
          for (std::size_t q = 0; q < 9; ++q) block[q] += sink.factors.t * std::complex<Real>(out->v[lane_t + 2 * q], out->v[lane_t + 2 * q + 1]);
          continue;
        }
        if (e.affine && e.nodes == 1) {
          const LanePoints<Real>& points_ = near_points.fill_affine(e, accuracy.target, k, kernels.lanes);
          done += (u ? 2.0 : 1.0) * near_points.count();
          if (u) {
            kernels.near(medium, points_, nullptr, Part::dynamic, true, out->v);
            sink.one(touch.element, n, out->v, false, true, 0);
          }
          kernels.near(medium, points_, nullptr, Part::difference, false, out->v);
        } else {
          singular_rule(e, p[0], p[1], accuracy.target, k, set);
          done += (u || e.nodes > 1 ? 2.0 : 1.0) * set.count();
          if (u || e.nodes > 1) {
            kernels.near(medium, near_points.fill(set, at, kernels.lanes), nullptr, Part::dynamic, u, out->v);
            sink.one(touch.element, n, out->v, true, u, touch.local);
          }
          kernels.near(medium, near_points.fill(set, at, kernels.lanes, touch.local), nullptr, Part::difference, false, out->v);
        }
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
    const FarRules<double> rules(surface, fine, 0, true, team.threads());
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
        kernels.near(medium, near_points.fill(set, at, kernels.lanes, t.local, true), nullptr, Part::fixed, true, values->v);
        for (std::size_t q = 0; q < 9; ++q) block[q] -= values->v[lane_t + 2 * q] / (4 * pi);
      }
    }
  });
  team.run(phase);
  out.seconds_rigid = seconds() - start;
  return out;
}

}  // namespace conoid::elastic_bem

// SPDX-License-Identifier: BSD-3-Clause
// Classes of Gauss points of every element, ready for the lanes.
#include <algorithm>
#include <cmath>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/assembly.hpp"
#include "engine/team/phase.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr int far_orders[] = {2, 3, 4, 5, 6, 7, 8, 10, 12};
constexpr std::size_t far_order_count = std::size(far_orders);

/// The inverse of points_for_distance(): half-lengths from which g points reach the target.
double distance_for_points(int g, double target) {
  const double rho = std::pow(2 / target, 0.5 / g) / 0.72;
  return std::max(1.41, 0.5 * (rho + 1 / rho) * (1 + 1e-12));
}

/// A rule of an element: from which distance on, how many points along its sides, and where its values begin.
struct MadeRule {
  double distance2;
  int gu, gv;
  std::size_t at;
};
/// The rules of one element, the coarsest first.
struct RulePlan {
  std::array<MadeRule, far_order_count> made;
  std::size_t count = 0;
};

/// The points of a rule one after the other, values n apart: places from `origin`, normals times weights, weights, shapes. How many there are.
template <class Real>
std::size_t fill_rule(const Element& e, const Vec3& origin, const MadeRule& made, std::size_t nodes, std::size_t n,
                      Real* p) {
  std::size_t q = 0;
  const bool plain = e.affine && nodes == 1 && !e.triangular();
  const double area = plain ? norm(e.flat_area) : 0;
  if (plain)  // most elements of large meshes: nothing changes over them but the place
    for (const GaussPoint& a : gauss_points(made.gu)) {
      const Vec3 row = axpy(a.x, e.along_r, sub(e.corner, origin));
      for (const GaussPoint& b : gauss_points(made.gv)) {
        const double w = a.w * b.w;
        for (std::size_t d = 0; d < 3; ++d) {
          p[d * n + q] = static_cast<Real>(row[d] + b.x * e.along_s[d]);
          p[(3 + d) * n + q] = static_cast<Real>(e.flat_area[d] * w);
        }
        p[6 * n + q] = static_cast<Real>(area * w);
        p[7 * n + q] = Real(1);
        ++q;
      }
    }
  else
    for (const GaussPoint& a : gauss_points(made.gu))
      for (const GaussPoint& b : gauss_points(made.gv)) {
        double jacobian = 1;
        const auto place = e.reference(a.x, b.x, jacobian);
        const SurfacePoint at = e.at(place[0], place[1]);
        const double w = a.w * b.w * jacobian;
        for (std::size_t d = 0; d < 3; ++d) {
          p[d * n + q] = static_cast<Real>(at.x[d] - origin[d]);
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
  return q;
}

/// Points that are kept, with those that fill the last register.
template <class Real>
std::size_t padded(const MadeRule& m) {
  const auto lanes = static_cast<std::size_t>(lane_kernels<Real>().lanes);
  return (static_cast<std::size_t>(m.gu) * static_cast<std::size_t>(m.gv) + lanes - 1) / lanes * lanes;
}

/// Rules of all elements that have some, and where their values lie.
struct RulePlans {
  std::vector<RulePlan> plans;
  std::size_t values = 0, classes = 0;

  template <class Real>
  static RulePlans of(const Surface& surface, const Accuracy& accuracy, double wave_number, bool scalar,
                      const CpuWorker& workers) {
    RulePlans out;
    out.choose(surface, accuracy, wave_number, scalar, workers);
    for (std::size_t k = 0; k < out.plans.size(); ++k) {
      RulePlan& plan = out.plans[k];
      const std::size_t nodes = scalar ? 1 : static_cast<std::size_t>(surface.elements[k].nodes);
      for (std::size_t q = 0; q < plan.count; ++q) {
        plan.made[q].at = out.values;
        out.values += padded<Real>(plan.made[q]) * (7 + nodes);
      }
      out.classes += plan.count;
    }
    return out;
  }

 private:
  void choose(const Surface& surface, const Accuracy& accuracy, double wave_number, bool scalar,
              const CpuWorker& workers) {
    const auto elements =
        static_cast<Index>(scalar ? surface.elements.size() : static_cast<std::size_t>(surface.active));
    // Equal neighbours lie at 2 half-lengths, up to round-off.
    const double nearest = accuracy.target < 1e-6 ? 2.39 : 1.99;
    double reach[2][far_order_count];
    for (int more = 0; more < 2; ++more)
      for (std::size_t q = 0; q < far_order_count; ++q)
        reach[more][q] = std::max(nearest, distance_for_points(far_orders[q] - more, accuracy.target));
    plans.resize(static_cast<std::size_t>(elements));
    workers.for_each({0, elements}, 64, [&](Interval chunk, int) {
      for (Index k = chunk.begin; k < chunk.end; ++k) {
        const Element& e = surface.elements[static_cast<std::size_t>(k)];
        RulePlan& plan = plans[static_cast<std::size_t>(k)];
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
            const int needed = std::max(points_for_distance(std::max(own, D), accuracy.target),
                                        points_for_wave(wave_number * e.length[axis], accuracy.target));
            return std::clamp(needed + more, 2, g);
          };
          put(D, e.triangular() ? g : along(0), e.triangular() ? g : along(1));
        }
      }
    });
  }
};

}  // namespace

template <class Real>
Bytes FarRules<Real>::bytes(const Surface& surface, const Accuracy& accuracy, double wave_number, bool scalar,
                            int threads) {
  const RulePlans planned = RulePlans::of<Real>(surface, accuracy, wave_number, scalar, CpuWorker(threads));
  return planned.values * sizeof(Real) + planned.classes * sizeof(Class) + planned.plans.size() * sizeof(Index);
}

template <class Real>
FarRules<Real>::FarRules(const Surface& surface, const Accuracy& accuracy, double wave_number, bool scalar, int threads)
    : origin_(surface.centre), wave_number_(wave_number) {
  const CpuWorker workers(threads);
  const RulePlans planned = RulePlans::of<Real>(surface, accuracy, wave_number, scalar, workers);
  const std::vector<RulePlan>& plans = planned.plans;
  const auto elements = static_cast<Index>(plans.size());
  first_.reserve(plans.size() + 1);
  first_.push_back(0);
  for (const RulePlan& plan : plans) first_.push_back(first_.back() + static_cast<Index>(plan.count));
  values_ = std::make_unique_for_overwrite<Real[]>(planned.values);
  classes_.resize(static_cast<std::size_t>(first_.back()));
  workers.for_each({0, elements}, 16, [&](Interval chunk, int) {
    for (Index k = chunk.begin; k < chunk.end; ++k) {
      const Element& e = surface.elements[static_cast<std::size_t>(k)];
      const RulePlan& plan = plans[static_cast<std::size_t>(k)];
      const std::size_t nodes = scalar ? 1 : static_cast<std::size_t>(e.nodes);
      for (std::size_t c = 0; c < plan.count; ++c) {
        const MadeRule& made = plan.made[c];
        const std::size_t n = padded<Real>(made),
                          count = static_cast<std::size_t>(made.gu) * static_cast<std::size_t>(made.gv);
        Real* p = values_.get() + made.at;
        std::size_t q = fill_rule(e, origin_, made, nodes, n, p);
        for (; q < n; ++q)
          for (std::size_t v = 0; v < 7 + nodes; ++v) p[v * n + q] = v < 3 ? p[v * n] : Real(0);
        classes_[static_cast<std::size_t>(first_[static_cast<std::size_t>(k)]) + c] = {
            made.distance2,
            {static_cast<int>(count), static_cast<int>(nodes), n, p, p + n, p + 2 * n, p + 3 * n, p + 4 * n, p + 5 * n,
             p + 6 * n, p + 7 * n},
            static_cast<int>(n)};
      }
    }
  });
}

template class FarRules<double>;
template class FarRules<float>;

}  // namespace conoid::elastic_bem

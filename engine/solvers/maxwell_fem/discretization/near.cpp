// SPDX-License-Identifier: BSD-3-Clause
// Near pairs: a triangle of S' is halved until its parts are small against their distance. The currents between the six points
// are the quadratic functions through them, in contravariant components (exact on straight triangles of order 2).
#include "engine/solvers/maxwell_fem/kernels/reference.hpp"
#include "engine/solvers/maxwell_fem/solving/radiation.hpp"

#include "engine/core/vec3.hpp"
#include "engine/team/parallel_for.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

using Six = std::array<double, face_points>;

Six monomials(double u, double v) {
  return {1, u, v, u * u, u * v, v * v};
}

/// Coefficients of the quadratic functions that are 1 at one of the rule's points and 0 at the others.
const Eigen::Matrix<double, 6, 6>& cardinal() {
  static const Eigen::Matrix<double, 6, 6> inverse = [] {
    Eigen::Matrix<double, 6, 6> m;
    for (int q = 0; q < face_points; ++q) {
      const Six row = monomials(face_rule()[q].u, face_rule()[q].v);
      for (int c = 0; c < 6; ++c) m(q, c) = row[c];
    }
    return Eigen::Matrix<double, 6, 6>(m.inverse());
  }();
  return inverse;
}

struct Corner {
  double u, v;
};

struct Integral {
  const Domain& domain;
  const FacePoint& at;
  Index face;
  double k, factor;
  /// [point][along x_u, x_v]
  std::array<std::array<Halves, 2>, face_points> sum{};

  void add(const Corner& a, const Corner& b, const Corner& c, int depth) {
    const Patch& patch = domain.currents;
    const auto place = [&](const Corner& p) { return patch.at(domain.space, face, p.u, p.v).x; };
    const Vec3 x = place(a), y = place(b), z = place(c);
    const double size = std::max({distance(x, y), distance(y, z), distance(z, x)});
    const double away = distance(at.x, scale(1.0 / 3, conoid::vec::add(conoid::vec::add(x, y), z)));
    if (away < factor * size && depth < 5) {
      const Corner ab{(a.u + b.u) / 2, (a.v + b.v) / 2}, bc{(b.u + c.u) / 2, (b.v + c.v) / 2},
          ca{(c.u + a.u) / 2, (c.v + a.v) / 2};
      add(a, ab, ca, depth + 1);
      add(ab, b, bc, depth + 1);
      add(ca, bc, c, depth + 1);
      add(ab, bc, ca, depth + 1);
      return;
    }
    const double part = std::ldexp(1.0, -2 * depth);  // area of this part over the whole
    for (const FaceRule& q : face_rule()) {
      const double u = a.u + q.u * (b.u - a.u) + q.v * (c.u - a.u), v = a.v + q.u * (b.v - a.v) + q.v * (c.v - a.v);
      const FacePoint p = patch.at(domain.space, face, u, v);
      const Halves along_u = halves(at.x, at.t1, at.t2, p.x, p.x_u, k),
                   along_v = halves(at.x, at.t1, at.t2, p.x, p.x_v, k);
      const Six m = monomials(u, v);
      for (int i = 0; i < face_points; ++i) {
        double l = 0;
        for (int n = 0; n < 6; ++n) l += m[n] * cardinal()(n, i);
        l *= q.weight * part;
        sum[i][0].plus += l * along_u.plus;
        sum[i][0].minus += l * along_u.minus;
        sum[i][1].plus += l * along_v.plus;
        sum[i][1].minus += l * along_v.minus;
      }
    }
  }
};

}  // namespace

void Radiation::find_near(double factor, int threads) {
  const Patch &outer = domain_->outer, &inner = domain_->currents;
  const Space& space = domain_->space;
  near_start_.assign(static_cast<std::size_t>(outer.size()) + 1, 0);
  if (factor <= 0) return;
  std::vector<Vec3> centres;
  for (Index f = 0; f < inner.faces(); ++f) {
    Vec3 c{};
    for (Index p : inner.corners(space, f)) c = add(c, scale(1.0 / 3, space.mesh().point(p)));
    centres.push_back(c);
  }
  std::vector<std::vector<NearBlock>> found(static_cast<std::size_t>(outer.size()));
  parallel_for(threads, {0, outer.size()}, 16, [&](Index p) {
    if (stopped()) return;
    const FacePoint& at = outer.point(p);
    for (Index f = 0; f < inner.faces(); ++f) {
      if (distance(at.x, centres[f]) >= factor * inner.diameter(f)) continue;
      Integral fine{*domain_, at, f, k_, factor};
      fine.add({0, 0}, {1, 0}, {0, 1}, 0);
      NearBlock block;
      block.face = f;
      for (int q = 0; q < face_points; ++q) {
        // F_1, F_2 → contravariant J_u, J_v: F = w_q (x_u J_u + x_v J_v), t1 along x_u.
        const FacePoint& from = inner.point(f * face_points + q);
        const double w = face_rule()[q].weight, uu = w * norm(from.x_u), vu = w * dot(from.x_v, from.t1),
                     vv = w * dot(from.x_v, from.t2);
        const Halves &u = fine.sum[q][0], &v = fine.sum[q][1];
        const Halves one = halves(at.x, at.t1, at.t2, from.x, from.t1, k_),
                     two = halves(at.x, at.t1, at.t2, from.x, from.t2, k_);
        block.plus[q] = {u.plus / uu - one.plus, (v.plus - u.plus * (vu / uu)) / vv - two.plus};
        block.minus[q] = {u.minus / uu - one.minus, (v.minus - u.minus * (vu / uu)) / vv - two.minus};
      }
      found[p].push_back(block);
    }
  });
  if (stopped()) return;
  std::size_t total = 0;
  for (const auto& blocks : found) total += blocks.size();
  near_.reserve(total);
  for (Index p = 0; p < outer.size(); ++p) {
    near_.insert(near_.end(), found[p].begin(), found[p].end());
    std::vector<NearBlock>().swap(found[p]);
    near_start_[p + 1] = static_cast<Index>(near_.size());
  }
}

}  // namespace conoid::maxwell_fem

// SPDX-License-Identifier: BSD-3-Clause
// Shape functions of beams, their matrices, and what is left once the nodes below the head are solved for.
#include "engine/solvers/elastic_bem/solving/beam.hpp"

#include <algorithm>
#include <cmath>

#include "engine/core/vec3.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/numerics/gauss_legendre.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

/// What one node's motions make of a section: weights of its displacement, of its rotation in the displacement, and their slopes.
struct SectionWeights {
  double linear = 0, linear_slope = 0;
  /// Of the displacement, and of the rotation: lateral displacement, rotation, its slope, shear.
  double value[4] = {}, turn[4] = {};
};

SectionWeights weights_at(const Beam& beam, int node, double s) {
  SectionWeights out;
  const double h = beam.length / beam.elements, from = s / h - node;
  if (!(std::abs(from) < 1)) return out;
  // Both elements beside a node by the one formula: t along the way to the neighbour, mirrored on the near side.
  const double side = from < 0 ? -1 : 1, t = std::abs(from);
  out.linear = 1 - t;
  out.linear_slope = -side / h;
  const double shear = beam.shearing > 0 ? 12 * beam.bending / (beam.shearing * h * h) : 0, whole = 1 / (1 + shear);
  out.value[0] = whole * (1 + t * t * (2 * t - 3) + shear * (1 - t));
  out.value[1] = whole * side * 6 * t * (t - 1) / h;
  out.value[2] = whole * (12 * t - 6) / (h * h);
  out.value[3] = -whole * side * shear / h;
  out.turn[0] = whole * side * h * t * (1 - t) * (1 - t + 0.5 * shear);
  out.turn[1] = whole * (1 + t * (3 * t - 4) + shear * (1 - t));
  out.turn[2] = whole * side * (6 * t - 4 - shear) / h;
  out.turn[3] = -0.5 * whole * shear;
  return out;
}

/// Of a section: displacement, rotation; their slopes along the axis, what the first lacks to the second left out; that lack.
struct Section {
  Vec3 moved{}, turned{}, stretched{}, bent{}, sheared{};
};

Section section_at(const Beam& beam, int node, std::size_t q, double s) {
  const SectionWeights w = weights_at(beam, node, s);
  const Vec3& e = beam.along;
  Vec3 unit_vector{};
  unit_vector[q % 3] = 1;
  const double own = dot(unit_vector, e);
  const Vec3 across = q < 3 ? axpy(-own, e, unit_vector) : cross(unit_vector, e);
  const double* f = q < 3 ? w.value : w.turn;
  Section out;
  out.moved = scale(f[0], across);
  out.turned = scale(f[1], cross(e, across));
  out.bent = scale(f[2], cross(e, across));
  out.sheared = scale(f[3], across);
  if (q < 3) {
    out.moved = axpy(w.linear * own, e, out.moved);
    out.stretched = scale(w.linear_slope * own, e);
  } else {
    out.turned = axpy(w.linear * own, e, out.turned);
    out.bent = axpy(w.linear_slope * own, e, out.bent);
  }
  return out;
}

double along_axis(const Beam& beam, const Vec3& x) {
  return std::clamp(dot(sub(x, beam.head), beam.along), 0.0, beam.length);
}

/// Sum over Gauss points of an element of what `density` makes of two motions.
template <class Density>
std::vector<double> integrated(const Beam& beam, const Density& density) {
  const auto n = 6 * (static_cast<std::size_t>(beam.elements) + 1);
  const double h = beam.length / beam.elements;
  const LineRule rule = gauss_legendre(4);  // exact to the seventh degree; products of two cubics have the sixth
  std::vector<double> out(n * n);
  for (int k = 0; k < beam.elements; ++k)
    for (std::size_t g = 0; g < rule.points.size(); ++g) {
      const double s = h * (k + rule.points[g]), w = h * rule.weights[g];
      Section at[12];
      for (std::size_t i = 0; i < 12; ++i) at[i] = section_at(beam, k + static_cast<int>(i / 6), i % 6, s);
      for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 12; ++j) {
          const std::size_t first = 6 * static_cast<std::size_t>(k);
          out[(first + i) * n + first + j] += w * density(at[i], at[j]);
        }
    }
  return out;
}

/// Of rotations: about the axis and across it.
double by_axis(const Beam& beam, const Vec3& a, const Vec3& b, double about, double across) {
  const double own = dot(a, beam.along) * dot(b, beam.along);
  return about * own + across * (dot(a, b) - own);
}

/// Forces of the ground on unit motions of the nodes of a foundation: ∫ N · t dS.
std::vector<Complex> node_forces(const Surface& surface, const Foundation& f, const BoundaryValues& values) {
  if (!f.beam) {
    const auto r = resultant(surface, f.condition, f.reference, values);
    return {r.begin(), r.end()};
  }
  std::vector<Complex> out(6 * f.nodes());
  PointSet set;
  for (Index k = 0; k < surface.active; ++k) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    if (e.condition != f.condition) continue;
    set.clear();
    product_rule(e, 5, 5, set);
    for (std::size_t q = 0; q < set.w.size(); ++q) {
      Complex3 t{};
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
        for (std::size_t d = 0; d < 3; ++d)
          t[d] += set.shape[q][a] * values.traction[static_cast<std::size_t>(e.traction[a])][d] * set.w[q];
      const Vec3 x{set.x[q], set.y[q], set.z[q]};
      const int near = static_cast<int>(along_axis(*f.beam, x) / f.beam->length * f.beam->elements);
      for (int node = std::max(0, near - 1); node <= std::min(f.beam->elements, near + 1); ++node)
        for (std::size_t i = 0; i < 6; ++i) {
          const Vec3 u = beam_motion(*f.beam, node, i, x);
          for (std::size_t d = 0; d < 3; ++d) out[6 * static_cast<std::size_t>(node) + i] += u[d] * t[d];
        }
    }
  }
  return out;
}

void add_times(BoundaryValues& to, Complex factor, const BoundaryValues& from) {
  for (std::size_t i = 0; i < to.displacement.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) to.displacement[i][c] += factor * from.displacement[i][c];
  for (std::size_t i = 0; i < to.traction.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) to.traction[i][c] += factor * from.traction[i][c];
}

/// Which of all nodes' motions are those of heads, and what lengths rotations are measured by.
struct NodeMotions {
  std::vector<std::size_t> heads, others;
  std::vector<double> unit;
  explicit NodeMotions(const std::vector<Foundation>& foundations) {
    std::size_t at = 0;
    for (const Foundation& f : foundations)
      for (std::size_t k = 0; k < 6 * f.nodes(); ++k, ++at) {
        (k < 6 ? heads : others).push_back(at);
        unit.push_back(k % 6 < 3 || !f.beam ? 1 : 1 / f.beam->length);
      }
  }
};

}  // namespace

Vec3 beam_motion(const Beam& beam, int node, std::size_t q, const Vec3& x) {
  const double s = along_axis(beam, x);
  const Section at = section_at(beam, node, q, s);
  return add(at.moved, cross(at.turned, sub(x, axpy(s, beam.along, beam.head))));
}

std::vector<double> beam_stiffness(const Beam& beam) {
  return integrated(beam, [&](const Section& a, const Section& b) {
    return beam.axial * dot(a.stretched, b.stretched) + beam.shearing * dot(a.sheared, b.sheared) +
           by_axis(beam, a.bent, b.bent, beam.twisting, beam.bending);
  });
}

std::vector<double> beam_mass(const Beam& beam) {
  return integrated(beam, [&](const Section& a, const Section& b) {
    return beam.mass * dot(a.moved, b.moved) + by_axis(beam, a.turned, b.turned, beam.spin, beam.turning);
  });
}

Result<HeadAnswers> answers_of_heads(const Surface& surface, const std::vector<Foundation>& foundations,
                                     std::span<const BoundaryValues> solved, double omega,
                                     const std::function<BoundaryValues(std::size_t)>& whole) {
  const NodeMotions motions(foundations);
  const std::size_t n = motions.unit.size(), heads = motions.heads.size(), others = motions.others.size(),
                    loads = solved.size() - n;
  // Columns: the ground's forces on all nodes, of unit motions and of loads.
  const auto forces_of = [&](const BoundaryValues& values) {
    std::vector<Complex> out;
    for (const Foundation& f : foundations) {
      const std::vector<Complex> own = node_forces(surface, f, values);
      out.insert(out.end(), own.begin(), own.end());
    }
    for (std::size_t i = 0; i < n; ++i) out[i] *= motions.unit[i];
    return out;
  };
  std::vector<std::vector<Complex>> column;
  for (std::size_t k = 0; k < n; ++k) {
    column.push_back(forces_of(solved[k]));
    for (Complex& v : column.back()) v *= motions.unit[k];
  }
  for (std::size_t q = 0; q < loads; ++q) column.push_back(forces_of(whole(q)));
  std::size_t first = 0;
  for (const Foundation& f : foundations) {
    const std::size_t own = 6 * f.nodes();
    if (f.beam) {
      const std::vector<double> k = beam_stiffness(*f.beam), m = beam_mass(*f.beam);
      for (std::size_t i = 0; i < own; ++i)
        for (std::size_t j = 0; j < own; ++j)
          column[first + j][first + i] +=
              motions.unit[first + i] * motions.unit[first + j] *
              (k[i * own + j] * Complex(1, 2 * f.beam->damping) - omega * omega * m[i * own + j]);
    }
    first += own;
  }
  // d below = −S_bb⁻¹ (S_bh d_h + r_b)
  std::vector<Complex> matrix(others * others), below(others * (heads + loads));
  const auto source = [&](std::size_t c) { return c < heads ? motions.heads[c] : n + c - heads; };
  for (std::size_t j = 0; j < others; ++j)
    for (std::size_t i = 0; i < others; ++i) matrix[j * others + i] = column[motions.others[j]][motions.others[i]];
  for (std::size_t c = 0; c < heads + loads; ++c)
    for (std::size_t i = 0; i < others; ++i) below[c * others + i] = -column[source(c)][motions.others[i]];
  if (others > 0) {
    const auto lu = dense::Lu<Complex>::factorise(matrix.data(), static_cast<Index>(others), 1, dense::Backend::own);
    if (!lu) return lu.error();
    lu->solve(below.data(), static_cast<Index>(heads + loads));
  }
  HeadAnswers out;
  out.impedance.resize(heads * heads);
  out.forces.assign(loads, std::vector<Complex>(heads));
  for (std::size_t c = 0; c < heads + loads; ++c) {
    for (std::size_t i = 0; i < heads; ++i) {
      Complex sum = column[source(c)][motions.heads[i]];
      for (std::size_t j = 0; j < others; ++j)
        sum += column[motions.others[j]][motions.heads[i]] * below[c * others + j];
      sum /= motions.unit[motions.heads[i]];
      if (c < heads)
        out.impedance[i * heads + c] = sum / motions.unit[motions.heads[c]];
      else
        out.forces[c - heads][i] = sum;
    }
    BoundaryValues v = solved[source(c)];
    for (std::size_t j = 0; j < others; ++j) {
      const double unit = c < heads ? motions.unit[motions.heads[c]] : 1;
      add_times(v, motions.unit[motions.others[j]] / unit * below[c * others + j], solved[motions.others[j]]);
    }
    out.solved.push_back(std::move(v));
  }
  return out;
}

}  // namespace conoid::elastic_bem

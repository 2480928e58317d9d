// SPDX-License-Identifier: BSD-3-Clause
// Functions of the next order, their matrices, and the change that they would make.
#include "engine/solvers/maxwell_fem/solving/next_order.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr Complex j{0, 1};
/// Of the residual on V2, at which the solution of S is good enough for an error bar, and steps after which it has to be.
constexpr double enough = 0.03;
constexpr int most_steps = 400;

int added_of(int order) {
  return order == 1 ? 14 : 25;
}
int added_on_face(int order) {
  return order == 1 ? 2 : 4;
}
std::size_t triangle(int n) {
  return static_cast<std::size_t>(n * (n + 1) / 2);
}

/// Solves the small system in place of its matrix: Gauss-Jordan with pivots.
void invert(std::array<Complex, 16>& a, int n) {
  std::array<Complex, 16> b{};
  for (int i = 0; i < n; ++i) b[i * n + i] = 1;
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r)
      if (std::abs(a[r * n + c]) > std::abs(a[pivot * n + c])) pivot = r;
    for (int k = 0; k < n; ++k) {
      std::swap(a[c * n + k], a[pivot * n + k]);
      std::swap(b[c * n + k], b[pivot * n + k]);
    }
    const Complex one = 1.0 / a[c * n + c];
    for (int k = 0; k < n; ++k) {
      a[c * n + k] *= one;
      b[c * n + k] *= one;
    }
    for (int r = 0; r < n; ++r) {
      if (r == c) continue;
      const Complex f = a[r * n + c];
      for (int k = 0; k < n; ++k) {
        a[r * n + k] -= f * a[c * n + k];
        b[r * n + k] -= f * b[c * n + k];
      }
    }
  }
  a = b;
}

}  // namespace

AddedValues added_functions(int order, const Vec3& at) {
  AddedValues out;
  out.count = added_of(order);
  if (order == 1) {
    const BasisValues b = nedelec(2, at);
    std::copy_n(b.value.begin() + 6, 14, out.value.begin());
    std::copy_n(b.curl.begin() + 6, 14, out.curl.begin());
    return out;
  }
  const std::array<double, 4> l{1 - at[0] - at[1] - at[2], at[0], at[1], at[2]};
  constexpr std::array<Vec3, 4> grad{{{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  int n = 0;
  // f N_ab with the gradient of f.
  const auto put = [&](double f, const Vec3& slope, int a, int b) {
    const Vec3 whitney = sub(scale(l[a], grad[b]), scale(l[b], grad[a]));
    out.value[n] = scale(f, whitney);
    out.curl[n++] = add(cross(slope, whitney), scale(2 * f, cross(grad[a], grad[b])));
  };
  for (const auto& [a, b] : local_edges)
    out.value[n++] = add(scale(2 * l[a] * l[b] - l[b] * l[b], grad[a]), scale(l[a] * l[a] - 2 * l[a] * l[b], grad[b]));
  for (const auto& [a, b, c] : local_faces) {
    out.value[n++] = add(add(scale(l[b] * l[c], grad[a]), scale(l[a] * l[c], grad[b])), scale(l[a] * l[b], grad[c]));
    const auto twist = [&](int p, int q, int r) {  // (λ_p − λ_q) λ_r N_pq
      put((l[p] - l[q]) * l[r], add(scale(l[r], sub(grad[p], grad[q])), scale(l[p] - l[q], grad[r])), p, q);
    };
    twist(a, b, c);
    twist(a, c, b);
    put((l[b] - l[c]) * l[c], add(scale(l[c], sub(grad[b], grad[c])), scale(l[b] - l[c], grad[c])), a, b);
  }
  for (const auto& [p, q, r] : {std::array{1, 2, 3}, {2, 1, 3}, {3, 1, 2}})  // λ_q λ_r N_0p
    put(l[q] * l[r], add(scale(l[r], grad[q]), scale(l[q], grad[r])), 0, p);
  return out;
}

double change_elsewhere(std::span<const Complex> changes, Index waves, std::span<const Complex> mix) {
  double sum = 0;
  for (Index v = 0; v < waves; ++v) {
    Complex change = 0;
    for (std::size_t w = 0; w < mix.size(); ++w) change += mix[w] * changes[static_cast<std::size_t>(v * waves) + w];
    sum += std::norm(change);
  }
  return std::sqrt(sum / static_cast<double>(waves));
}

NextOrder::NextOrder(System& system, int threads, Stopped stopped)
    : system_(&system), threads_(threads), stopped_(std::move(stopped)),
      own_(unknowns_of(system.domain().space.order())), added_(added_of(system.domain().space.order())),
      on_face_(added_on_face(system.domain().space.order())) {
  number();
  assemble();
  invert_blocks();
}

Bytes NextOrder::bytes(const Domain& domain, Index waves) {
  const int order = domain.space.order(), added = added_of(order);
  const auto tets = static_cast<double>(domain.space.tets().size());
  const double rows = static_cast<double>(domain.space.edge_count()) +
                      added_on_face(order) * static_cast<double>(domain.space.face_count()) +
                      (order == 1 ? 0 : 3) * tets;
  return static_cast<Bytes>(
      sizeof(Complex) * tets *
          (static_cast<double>(added * unknowns_of(order)) + 0.5 * static_cast<double>(added * (added + 1))) +
      sizeof(Complex) * static_cast<double>(waves) * (6 * rows + static_cast<double>(domain.free_unknowns)));
}

namespace {

/// The wave number times half the longest side of S, below which functions of V2 on S are left out: next_order.hpp.
constexpr double gradients_on_outer = 0.2;

double half_side(const Patch& patch) {
  Vec3 low = patch.point(0).x, high = low;
  for (Index p = 0; p < patch.size(); ++p)
    for (int c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], patch.point(p).x[c]);
      high[c] = std::max(high[c], patch.point(p).x[c]);
    }
  return 0.5 * std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
}

}  // namespace

void NextOrder::number() {
  const Domain& d = system_->domain();
  const Space& space = d.space;
  const int order = space.order();
  edge_row_.assign(static_cast<std::size_t>(space.edge_count()), 0);
  face_row_.assign(static_cast<std::size_t>(space.face_count()), 0);
  const auto leave_out = [&](const Patch& patch) {
    for (Index f = 0; f < patch.faces(); ++f) {
      const PatchFace& face = patch.face(f);
      face_row_[space.face_of(face.tet, face.local)] = -1;
      const auto all = space.unknowns_of_tet(face.tet);
      const FaceUnknowns on = face_unknowns(1, face.local);  // its edges
      for (int k = 0; k < on.count; ++k) edge_row_[all[on.local[k]] / order] = -1;
    }
  };
  leave_out(d.conductor);
  if (order == 2 && system_->k() * half_side(d.outer) < gradients_on_outer) leave_out(d.outer);
  const auto give = [&](std::vector<Index>& rows, int size) {
    for (Index& r : rows)
      if (r == 0) {
        blocks_.push_back({rows_, size, {}});
        r = rows_;
        rows_ += size;
      }
  };
  give(edge_row_, 1);
  give(face_row_, on_face_);
  if (order == 2) {
    cell_row_.assign(space.tets().size(), 0);
    give(cell_row_, 3);
  }
}

std::array<Index, most_added> NextOrder::rows_of(Index tet) const {
  const Space& space = system_->domain().space;
  const auto all = space.unknowns_of_tet(tet);
  std::array<Index, most_added> out{};
  for (int e = 0; e < 6; ++e) out[e] = edge_row_[all[e] / space.order()];
  for (int f = 0; f < 4; ++f)
    for (int k = 0; k < on_face_; ++k) {
      const Index first = face_row_[space.face_of(tet, f)];
      out[6 + on_face_ * f + k] = first < 0 ? -1 : first + k;
    }
  for (int k = 0; k < 3 && !cell_row_.empty(); ++k) out[22 + k] = cell_row_[tet] + k;
  return out;
}

void NextOrder::assemble() {
  const Domain& d = system_->domain();
  const Space& space = d.space;
  const int order = space.order();
  const auto tets = static_cast<Index>(space.tets().size());
  const std::size_t a21 = static_cast<std::size_t>(added_) * static_cast<std::size_t>(own_), a22 = triangle(added_);
  k21_.assign(static_cast<std::size_t>(tets) * a21, 0);
  k22_.assign(static_cast<std::size_t>(tets) * a22, 0);
  const double kk = system_->k() * system_->k();
  struct At {
    double weight;
    Vec3 at;
    BasisValues own;
    AddedValues added;
  };
  std::vector<At> rule, curved;
  for (const QuadraturePoint& q : quadrature(CellShape::tet4, order == 1 ? 4 : 5))
    rule.push_back({q.weight, q.at, nedelec(order, q.at), added_functions(order, q.at)});
  for (const QuadraturePoint& q : quadrature(CellShape::tet4, order == 1 ? 5 : 6))
    curved.push_back({q.weight, q.at, nedelec(order, q.at), added_functions(order, q.at)});
  parallel_for(threads_, {0, tets}, 16, [&](Index t) {
    if (stopped_ && stopped_()) return;
    const Medium& medium = system_->medium(space.tets()[t].region);
    std::array<Complex, most_added * most_unknowns> m21{};
    std::array<Complex, most_added*(most_added + 1) / 2> m22{};
    for (const At& q : space.tets()[t].curved ? curved : rule) {
      const Map m = space.map(t, q.at);
      const double w = q.weight * std::abs(m.determinant);
      std::array<Vec3, most_unknowns> value{}, curl{};
      for (int i = 0; i < own_; ++i) {
        value[i] = m.covariant(q.own.value[i]);
        curl[i] = m.curl(q.own.curl[i]);
      }
      std::array<Vec3, most_added> more{}, twist{};
      for (int i = 0; i < added_; ++i) {
        more[i] = m.covariant(q.added.value[i]);
        twist[i] = m.curl(q.added.curl[i]);
      }
      std::size_t at = 0;
      for (int i = 0; i < added_; ++i) {
        std::array<Complex, 3> stiff, mass;
        for (int c = 0; c < 3; ++c) {
          stiff[c] = w * twist[i][c] / medium.mu[c];
          mass[c] = w * kk * more[i][c] * medium.epsilon[c];
        }
        for (int o = 0; o < own_; ++o)
          for (int c = 0; c < 3; ++c) m21[i * own_ + o] += stiff[c] * curl[o][c] - mass[c] * value[o][c];
        for (int o = i; o < added_; ++o, ++at)
          for (int c = 0; c < 3; ++c) m22[at] += stiff[c] * twist[o][c] - mass[c] * more[o][c];
      }
    }
    std::copy_n(m21.begin(), a21, k21_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(t) * a21));
    std::copy_n(m22.begin(), a22, k22_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(t) * a22));
  });
  const auto add_faces = [&](const Patch& patch, Complex factor) {
    for (Index f = 0; f < patch.faces(); ++f) {
      const PatchFace& face = patch.face(f);
      for (int q = 0; q < face_points; ++q) {
        const FacePoint& p = patch.point(f * face_points + q);
        const Vec3 at = reference_on_face(face.local, face_rule()[q].u, face_rule()[q].v);
        const Map m = space.map(face.tet, at);
        const BasisValues own = nedelec(order, at);
        const AddedValues added = added_functions(order, at);
        const Complex w = factor * patch.weight(f * face_points + q);
        const auto along = [&](const Vec3& reference) {
          const Vec3 v = m.covariant(reference);
          return std::array{dot(v, p.t1), dot(v, p.t2)};
        };
        std::size_t at21 = static_cast<std::size_t>(face.tet) * a21, at22 = static_cast<std::size_t>(face.tet) * a22;
        for (int i = 0; i < added_; ++i) {
          const auto x = along(added.value[i]);
          for (int o = 0; o < own_; ++o, ++at21) {
            const auto y = along(own.value[o]);
            k21_[at21] += w * (x[0] * y[0] + x[1] * y[1]);
          }
          for (int o = i; o < added_; ++o, ++at22) {
            const auto y = along(added.value[o]);
            k22_[at22] += w * (x[0] * y[0] + x[1] * y[1]);
          }
        }
      }
    }
  };
  add_faces(d.outer, j * system_->k());
  for (const ImpedancePatch& i : d.impedances)
    add_faces(i.patch, j * system_->k() * vacuum_impedance / i.surface_impedance);
}

void NextOrder::invert_blocks() {
  const Space& space = system_->domain().space;
  std::vector<Index> block_of(static_cast<std::size_t>(rows_));
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    for (int k = 0; k < blocks_[b].size; ++k) block_of[blocks_[b].first + k] = static_cast<Index>(b);
  for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t) {
    const auto rows = rows_of(t);
    std::size_t at = static_cast<std::size_t>(t) * triangle(added_);
    for (int i = 0; i < added_; ++i)
      for (int o = i; o < added_; ++o, ++at) {
        if (rows[i] < 0 || rows[o] < 0 || block_of[rows[i]] != block_of[rows[o]]) continue;
        Block& b = blocks_[block_of[rows[i]]];
        const auto r = rows[i] - b.first, c = rows[o] - b.first;
        b.inverse[r * b.size + c] += Complex(k22_[at]);
        if (o > i) b.inverse[c * b.size + r] += Complex(k22_[at]);
      }
  }
  for (Block& b : blocks_) invert(b.inverse, b.size);
}

void NextOrder::add(std::span<const Complex> u, std::span<const Complex> psi, Index count) {
  const Domain& d = system_->domain();
  const Space& space = d.space;
  const Index all = system_->unknowns(), n = d.outer.size();
  const auto tets = static_cast<Index>(space.tets().size());
  residuals_.resize(static_cast<std::size_t>(rows_ * (waves_ + count)), 0);
  parallel_for(threads_, {0, count}, 1, [&](Index c) {
    Complex* to = residuals_.data() + (waves_ + c) * rows_;
    for (Index t = 0; t < tets; ++t) {
      if (t % 1024 == 0 && stopped_ && stopped_()) return;
      const auto rows = rows_of(t);
      const auto own = space.unknowns_of_tet(t);
      const Complex* m = k21_.data() + static_cast<std::size_t>(t) * static_cast<std::size_t>(added_ * own_);
      for (int i = 0; i < added_; ++i, m += own_) {
        if (rows[i] < 0) continue;
        Complex sum = 0;
        for (int o = 0; o < own_; ++o) sum += m[o] * u[c * all + own[o]];
        to[rows[i]] -= sum;
      }
    }
    // −∮ W·Ψ, Ψ along (t1, t2) as in System::respond().
    const Complex *plus = psi.data() + c * 2 * n, *minus = plus + n;
    for (Index f = 0; f < d.outer.faces(); ++f) {
      const PatchFace& face = d.outer.face(f);
      const auto rows = rows_of(face.tet);
      for (int q = 0; q < face_points; ++q) {
        const Index p = f * face_points + q;
        const FacePoint& point = d.outer.point(p);
        const Vec3 at = reference_on_face(face.local, face_rule()[q].u, face_rule()[q].v);
        const Map m = space.map(face.tet, at);
        const AddedValues added = added_functions(space.order(), at);
        const double s = std::sqrt(d.outer.weight(p) / 2);
        const Complex one = plus[p] + minus[p], two = -j * (plus[p] - minus[p]);
        for (int i = 0; i < added_; ++i) {
          if (rows[i] < 0) continue;
          const Vec3 v = m.covariant(added.value[i]);
          to[rows[i]] -= s * (dot(v, point.t1) * one + dot(v, point.t2) * two);
        }
      }
    }
  });
  waves_ += count;
}

/// y = S x, columns.
Status NextOrder::apply(std::span<const Complex> x, Index count, std::span<Complex> y) {
  const Domain& d = system_->domain();
  const Space& space = d.space;
  const Index free = d.free_unknowns;
  const auto tets = static_cast<Index>(space.tets().size());
  std::vector<Complex> own(static_cast<std::size_t>(free * count), 0);
  std::fill(y.begin(), y.end(), Complex(0));
  const auto each = [&](const auto& body) {
    parallel_for(threads_, {0, count}, 1, [&](Index c) {
      for (Index t = 0; t < tets; ++t) {
        if (t % 1024 == 0 && stopped_ && stopped_()) return;
        auto unknowns = space.unknowns_of_tet(t);
        for (int o = 0; o < own_; ++o) unknowns[o] = d.free_number[unknowns[o]];
        body(c, t, rows_of(t), unknowns,
             k21_.data() + static_cast<std::size_t>(t) * static_cast<std::size_t>(added_ * own_));
      }
    });
  };
  each([&](Index c, Index t, const auto& rows, const auto& unknowns, const Complex* m21) {
    const Complex* from = x.data() + c * rows_;
    Complex *to = y.data() + c * rows_, *below = own.data() + c * free;
    const Complex* m22 = k22_.data() + static_cast<std::size_t>(t) * triangle(added_);
    for (int i = 0; i < added_; ++i) {
      const Complex v = rows[i] < 0 ? Complex(0) : from[rows[i]];
      if (rows[i] >= 0)
        for (int o = 0; o < own_; ++o)
          if (unknowns[o] >= 0) below[unknowns[o]] += m21[i * own_ + o] * v;
      for (int o = i; o < added_; ++o, ++m22) {
        if (rows[i] < 0 || rows[o] < 0) continue;
        to[rows[i]] += *m22 * from[rows[o]];
        if (o > i) to[rows[o]] += *m22 * v;
      }
    }
  });
  if (stopped_ && stopped_()) return stop_error();
  if (Status s = system_->direct().solve(own, count); !s) return s;
  each([&](Index c, Index, const auto& rows, const auto& unknowns, const Complex* m21) {
    const Complex* below = own.data() + c * free;
    Complex* to = y.data() + c * rows_;
    for (int i = 0; i < added_; ++i) {
      if (rows[i] < 0) continue;
      Complex sum = 0;
      for (int o = 0; o < own_; ++o)
        if (unknowns[o] >= 0) sum += m21[i * own_ + o] * below[unknowns[o]];
      to[rows[i]] -= sum;
    }
  });
  return {};
}

void NextOrder::precondition(std::span<const Complex> r, std::span<Complex> z) const {
  for (const Block& b : blocks_)
    for (int i = 0; i < b.size; ++i) {
      Complex sum = 0;
      for (int o = 0; o < b.size; ++o) sum += b.inverse[i * b.size + o] * r[b.first + o];
      z[b.first + i] = sum;
    }
}

Result<std::vector<Complex>> NextOrder::changes() {
  const Index n = rows_, count = waves_;
  const auto size = static_cast<std::size_t>(n * count);
  std::vector<Complex> r = residuals_, x(size, 0), z(size), p(size), q(size);
  std::vector<Complex> rho(static_cast<std::size_t>(count));
  std::vector<double> whole(rho.size());
  const auto column = [n](auto& v, Index c) {
    return std::span(v).subspan(static_cast<std::size_t>(c * n), static_cast<std::size_t>(n));
  };
  const auto product = [&](const std::vector<Complex>& a, const std::vector<Complex>& b, Index c) {  // not conjugated
    Complex sum = 0;
    for (Index i = c * n; i < (c + 1) * n; ++i) sum += a[i] * b[i];
    return sum;
  };
  const auto norm = [&](const std::vector<Complex>& a, Index c) {
    double sum = 0;
    for (Index i = c * n; i < (c + 1) * n; ++i) sum += std::norm(a[i]);
    return std::sqrt(sum);
  };
  for (Index c = 0; c < count; ++c) {
    precondition(column(r, c), column(z, c));
    rho[c] = product(r, z, c);
    whole[c] = norm(r, c);
  }
  p = z;
  // What each step adds to the change of a wave in itself, r^T z; the last ones tell what is still to come.
  std::vector<Complex> change(rho.size(), 0);
  std::vector<std::array<double, 4>> newest(rho.size());
  for (auto& n : newest) n.fill(1e300);
  settled_ = false;
  for (iterations_ = 0; iterations_ < most_steps; ++iterations_) {
    residual_ = 0;
    double to_come = 0;
    for (Index c = 0; c < count; ++c) {
      if (whole[c] > 0) residual_ = std::max(residual_, norm(r, c) / whole[c]);
      to_come = std::max(to_come,
                         (newest[c][0] + newest[c][1] + newest[c][2] + newest[c][3]) / (std::abs(change[c]) + 1e-300));
    }
    settled_ = residual_ <= enough || to_come <= enough;
    if (settled_) break;
    if (Status s = apply(p, count, q); !s) return s.error();
    parallel_for(threads_, {0, count}, 1, [&](Index c) {
      const Complex below = product(p, q, c);
      if (below == 0.0 || rho[c] == 0.0) {
        newest[c].fill(0);
        return;
      }
      const Complex step = rho[c] / below;
      change[c] += step * rho[c];
      newest[c][static_cast<std::size_t>(iterations_ % 4)] = std::abs(step * rho[c]);
      for (Index i = c * n; i < (c + 1) * n; ++i) {
        x[i] += step * p[i];
        r[i] -= step * q[i];
      }
      precondition(column(r, c), column(z, c));
      const Complex next = product(r, z, c), turn = next / rho[c];
      rho[c] = next;
      for (Index i = c * n; i < (c + 1) * n; ++i) p[i] = z[i] + turn * p[i];
    });
  }
  std::vector<Complex> out(static_cast<std::size_t>(count * count));
  for (Index v = 0; v < count; ++v)
    for (Index w = 0; w < count; ++w) {
      Complex sum = 0;
      for (Index i = 0; i < n; ++i) sum += residuals_[v * n + i] * x[w * n + i];
      out[v * count + w] = sum / (4 * pi);
    }
  return out;
}

}  // namespace conoid::maxwell_fem

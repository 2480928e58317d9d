// SPDX-License-Identifier: BSD-3-Clause
// Sources of the scattered and the mixed form: materials, conductors and S' lit by the incident wave.
#include "engine/solvers/maxwell_fem/solving/system.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/numerics/gauss_legendre.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr Complex j{0, 1};

Complex on(const Vec3& t, const std::array<Complex, 3>& v) {
  return t[0] * v[0] + t[1] * v[1] + t[2] * v[2];
}

/// Points a direction for fields of dipoles over a cell of this diameter: their singularities lie off it, so that errors fall geometrically
/// with the number. 0: the usual rule will do.
int finer_rule(const Incident& source, const Vec3& middle, double diameter) {
  constexpr double far = 3;  // diameters from where the usual rules are right to some 1e-4
  constexpr int least = 6, most = 16;
  double away = HUGE_VAL;
  for (const Dipole& d : source.dipoles) away = std::min(away, distance(d.at, middle));
  if (!(away < far * diameter)) return 0;
  return std::clamp(static_cast<int>(std::ceil(4 + 4 * diameter / away)), least, most);
}

/// Duffy's product rules on the reference triangle and tetrahedron: (r, s, t), weight.
template <class Visit>
void for_triangle(int n, const Visit& visit) {
  const LineRule rule = gauss_legendre(n);
  for (std::size_t a = 0; a < rule.points.size(); ++a)
    for (std::size_t b = 0; b < rule.points.size(); ++b) {
      const double u = rule.points[a], rest = 1 - u;
      visit(u, rest * rule.points[b], rule.weights[a] * rule.weights[b] * rest);
    }
}
std::vector<QuadraturePoint> tetrahedron_rule(int n) {
  std::vector<QuadraturePoint> out;
  const LineRule rule = gauss_legendre(n);
  for (std::size_t a = 0; a < rule.points.size(); ++a) {
    const double t = rule.points[a], rest = 1 - t;
    for_triangle(n, [&](double u, double v, double weight) {
      out.push_back({{rest * u, rest * v, t}, weight * rule.weights[a] * rest * rest});
    });
  }
  return out;
}

/// Visits the points of a face with their weights and traces (values, entry `q`): the patch's own, or finer ones near dipoles.
template <class Visit>
void for_points(const Space& space, const Patch& patch, Index face, const Incident& source, const Visit& visit) {
  if (const int n = finer_rule(source, patch.point(face * face_points).x, patch.diameter(face)); n > 0) {
    for_triangle(n, [&](double u, double v, double weight) {
      const FacePoint at = patch.at(space, face, u, v);
      visit(at, weight * at.jacobian, patch.traces_at(space, face, u, v, at), 0);
    });
    return;
  }
  const FaceTraces t = patch.traces(space, face, true);
  for (int q = 0; q < face_points; ++q)
    visit(patch.point(face * face_points + q), patch.weight(face * face_points + q), t, q);
}

}  // namespace

Status System::make_projection(const Patch& patch, Projection& out) const {
  const Space& space = domain_->space;
  out.patch = &patch;
  out.row.assign(static_cast<std::size_t>(space.unknowns()), -1);
  std::vector<FaceTraces> traces(static_cast<std::size_t>(patch.faces()));
  parallel_for(threads_, {0, patch.faces()}, 16, [&](Index f) { traces[f] = patch.traces(space, f, true); });
  if (stopped()) return stop_error();
  for (const FaceTraces& t : traces)
    for (int a = 0; a < t.count; ++a) out.row[t.unknowns[a]] = 0;
  for (Index i = 0; i < space.unknowns(); ++i)
    if (out.row[i] == 0) {
      out.row[i] = static_cast<Index>(out.unknowns.size());
      out.unknowns.push_back(i);
    }
  struct Entry {
    Index row, column;
    double value;
  };
  std::vector<Entry> entries;
  for (Index f = 0; f < patch.faces(); ++f) {
    if (f % 4096 == 0 && stopped()) return stop_error();
    const FaceTraces& t = traces[f];
    for (int a = 0; a < t.count; ++a)
      for (int b = 0; b < t.count; ++b) {
        const Index r = out.row[t.unknowns[a]], c = out.row[t.unknowns[b]];
        if (c < r) continue;
        double sum = 0;
        for (int q = 0; q < face_points; ++q)
          sum += patch.weight(f * face_points + q) *
                 (t.value[a][q][0] * t.value[b][q][0] + t.value[a][q][1] * t.value[b][q][1]);
        entries.push_back({r, c, sum});
      }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
  SymmetricMatrix m;
  m.size = static_cast<Index>(out.unknowns.size());
  m.row_start.assign(out.unknowns.size() + 1, 0);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (e > 0 && entries[e].row == entries[e - 1].row && entries[e].column == entries[e - 1].column) {
      m.values.back() += entries[e].value;
      continue;
    }
    m.columns.push_back(static_cast<std::int32_t>(entries[e].column));
    m.values.emplace_back(entries[e].value);
    m.row_start[entries[e].row + 1] = static_cast<Index>(m.columns.size());
  }
  DirectOptions options;
  options.stop = stop_;
  options.threads = threads_;
  auto made = factorise(m, options);
  if (!made) return made.error();
  out.direct = std::move(*made);
  return {};
}

Status System::project(Projection& p, std::span<const Incident> waves, std::vector<Complex>& values) const {
  const auto n = static_cast<Index>(p.unknowns.size());
  values.assign(static_cast<std::size_t>(n) * waves.size(), 0);
  // Plane waves share the points of a face, those of dipoles are their own.
  const bool shared = std::ranges::none_of(waves, [](const Incident& w) { return !w.dipoles.empty(); });
  for (std::size_t first = 0; first < (shared ? std::min<std::size_t>(1, waves.size()) : waves.size()); ++first) {
    const std::size_t end = shared ? waves.size() : first + 1;
    for (Index f = 0; f < p.patch->faces(); ++f)
      for_points(domain_->space, *p.patch, f, waves[first],
                 [&](const FacePoint& at, double w, const FaceTraces& t, int q) {
                   for (std::size_t c = first; c < end; ++c) {
                     const auto e = waves[c].electric(at.x);
                     const Complex one = w * on(at.t1, e), two = w * on(at.t2, e);
                     for (int a = 0; a < t.count; ++a)
                       values[static_cast<Index>(c) * n + p.row[t.unknowns[a]]] +=
                           t.value[a][q][0] * one + t.value[a][q][1] * two;
                   }
                 });
  }
  return p.direct->solve(values, static_cast<Index>(waves.size()));
}

void System::add_surface_source(const Patch& patch, const Incident& wave, double curl_factor, Complex field_factor,
                                std::span<Complex> b) const {
  // ∮ W·(c n×∇×E_inc + a n×n×E_inc); of a sheet with elements on both sides the curls of both cancel.
  for (Index f = 0; f < patch.faces(); ++f) {
    const PatchFace& face = patch.face(f);
    const bool sheet = domain_->space.sides(domain_->space.face_of(face.tet, face.local)).tet[1] >= 0;
    const double of_curl = sheet && &patch != &domain_->currents ? 0 : curl_factor;
    for_points(domain_->space, patch, f, wave, [&](const FacePoint& at, double w, const FaceTraces& t, int q) {
      const auto e = wave.electric(at.x), curl = wave.curl(at.x);
      const Complex one = w * (-of_curl * on(at.t2, curl) - field_factor * on(at.t1, e));
      const Complex two = w * (of_curl * on(at.t1, curl) - field_factor * on(at.t2, e));
      for (int a = 0; a < t.count; ++a)
        if (const Index r = domain_->free_number[t.unknowns[a]]; r >= 0)
          b[r] += t.value[a][q][0] * one + t.value[a][q][1] * two;
    });
  }
}

void System::add_volume_source(const Incident& wave, std::span<Complex> b) const {
  // k² ∫ (ε − 1) W·E_inc − ∫ (μ⁻¹ − 1) ∇×W·∇×E_inc
  const Space& space = domain_->space;
  const int size = space.unknowns_a_tet();
  for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t) {
    const int region = space.tets()[t].region;
    if (region == 0) continue;
    const Medium& m = media_[region];
    const auto all = space.unknowns_of_tet(t);
    std::vector<QuadraturePoint> finer;
    if (const int n = finer_rule(wave, space.map(t, {0.25, 0.25, 0.25}).x, space.longest_edge(t)); n > 0)
      finer = tetrahedron_rule(n);
    for (const QuadraturePoint& q :
         finer.empty() ? quadrature(CellShape::tet4, 5) : std::span<const QuadraturePoint>(finer)) {
      const BasisValues basis = nedelec(space.order(), q.at);
      const Map map = space.map(t, q.at);
      const double w = q.weight * std::abs(map.determinant);
      const auto e = wave.electric(map.x), c = wave.curl(map.x);
      std::array<Complex, 3> source, curl_source;
      for (int d = 0; d < 3; ++d) {
        source[d] = w * k_ * k_ * (m.epsilon[d] - 1.0) * e[d];
        curl_source[d] = -w * (1.0 / m.mu[d] - 1.0) * c[d];
      }
      for (int a = 0; a < size; ++a)
        if (const Index r = domain_->free_number[all[a]]; r >= 0)
          b[r] += on(map.covariant(basis.value[a]), source) + on(map.curl(basis.curl[a]), curl_source);
    }
  }
}

void System::subtract_product(const std::vector<Index>& tets, std::span<const Complex> x, Index count,
                              std::span<Complex> b) const {
  const int size = domain_->space.unknowns_a_tet();
  const Index length = unknowns(), rows = domain_->free_unknowns;
  for (Index t : tets) {
    if (stopped()) return;
    const ElementMatrix m = element(t);
    const auto all = domain_->space.unknowns_of_tet(t);
    for (Index column = 0; column < count; ++column)
      for (int a = 0; a < size; ++a) {
        const Index r = domain_->free_number[all[a]];
        if (r < 0) continue;
        Complex sum = 0;
        for (int c = 0; c < size; ++c) sum += m[a][c] * x[column * length + all[c]];
        b[column * rows + r] -= sum;
      }
  }
}

Status System::respond_to_sources(std::span<const Incident> waves, std::span<Complex> u) {
  const Index all = unknowns(), rows = domain_->free_unknowns, count = static_cast<Index>(waves.size());
  std::fill(u.begin(), u.end(), Complex(0));
  if (form_ == FieldForm::total) return {};
  std::vector<Complex> lifted;
  if (lift_.patch != nullptr)
    if (Status s = project(lift_, waves, lifted); !s) return s;
  const auto on_patch = static_cast<Index>(lift_.unknowns.size());
  std::vector<Complex> b(static_cast<std::size_t>(rows * count), 0);
  if (lift_.patch != nullptr) {
    // Scattered: E_sc = −E_inc on PEC. Mixed: the field outside of S' is u − E_inc; K_out E_inc goes to the right.
    for (Index c = 0; c < count; ++c)
      for (Index i = 0; i < on_patch; ++i) u[c * all + lift_.unknowns[i]] = -lifted[c * on_patch + i];
    subtract_product(lift_tets_, u, count, b);
  }
  parallel_for(threads_, {0, count}, 1, [&](Index c) {
    if (stopped()) return;
    const std::span<Complex> column(b.data() + c * rows, static_cast<std::size_t>(rows));
    if (form_ == FieldForm::scattered) {
      add_volume_source(waves[c], column);
      add_surface_source(domain_->magnetic, waves[c], 1, 0, column);
      for (const ImpedancePatch& i : domain_->impedances)
        add_surface_source(i.patch, waves[c], 1, j * k_ * vacuum_impedance / i.surface_impedance, column);
    } else {
      add_surface_source(domain_->currents, waves[c], -1, 0, column);
    }
  });
  if (stopped()) return stop_error();
  if (Status s = solve_free(b, count, u); !s) return s;
  if (form_ == FieldForm::scattered && lift_.patch != nullptr)
    for (Index c = 0; c < count; ++c)
      for (Index i = 0; i < on_patch; ++i) u[c * all + lift_.unknowns[i]] = -lifted[c * on_patch + i];
  return {};
}

}  // namespace conoid::maxwell_fem

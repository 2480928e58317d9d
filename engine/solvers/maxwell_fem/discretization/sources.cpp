// SPDX-License-Identifier: BSD-3-Clause
// Sources of the scattered and the mixed form: materials, conductors and S' lit by the incident wave.
#include "engine/solvers/maxwell_fem/solving/system.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"
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

/// Visits the points of a face with their weights and traces (values, entry `q`): the patch's own, or finer ones near dipoles.
template <class Visit>
void for_points(const Space& space, const Patch& patch, Index face, const Incident& source, const Visit& visit) {
  if (const int n = finer_rule(source, patch.point(face * face_points).x, patch.diameter(face)); n > 0) {
    for (const QuadraturePoint& q : quadrature(CellShape::triangle3, n)) {
      const double u = q.at[0], v = q.at[1];
      const FacePoint at = patch.at(space, face, u, v);
      visit(at, q.weight * at.jacobian, patch.traces_at(space, face, u, v, at), 0);
    }
    return;
  }
  const FaceTraces t = patch.traces(space, face, true);
  for (int q = 0; q < face_points; ++q)
    visit(patch.point(face * face_points + q), patch.weight(face * face_points + q), t, q);
}

/// Visits the points of all tetrahedra of a material, near dipoles those of finer rules: tetrahedron, place in it, map, weight.
template <class Visit>
void for_volume(const Space& space, const Incident& source, const Visit& visit) {
  for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t) {
    if (space.tets()[t].region == 0) continue;
    const int finer = finer_rule(source, space.map(t, {0.25, 0.25, 0.25}).x, space.longest_edge(t));
    for (const QuadraturePoint& q : quadrature(CellShape::tet4, finer > 0 ? finer : 5)) {
      const Map map = space.map(t, q.at);
      visit(t, q.at, map, q.weight * std::abs(map.determinant));
    }
  }
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

Complex System::admittance(const ImpedancePatch& patch) const {
  return j * k_ * vacuum_impedance / patch.surface_impedance;
}

bool System::is_sheet(const Patch& patch, Index face) const {
  const PatchFace& f = patch.face(face);
  return domain_->space.sides(domain_->space.face_of(f.tet, f.local)).tet[1] >= 0;
}

void System::add_surface_source(const Patch& patch, const Incident& wave, double curl_factor, Complex field_factor,
                                std::span<Complex> b) const {
  // ∮ W·(c n×∇×E_inc + a n×n×E_inc); of a sheet with elements on both sides the curls of both cancel.
  for (Index f = 0; f < patch.faces(); ++f) {
    const double of_curl = is_sheet(patch, f) && &patch != &domain_->currents ? 0 : curl_factor;
    for_points(domain_->space, patch, f, wave, [&](const FacePoint& at, double w, const FaceTraces& t, int q) {
      const auto e = wave.electric(at.x), curl = wave.curl(at.x);
      const Complex one = w * (-of_curl * on(at.t2, curl) - field_factor * on(at.t1, e));
      const Complex two = w * (of_curl * on(at.t1, curl) - field_factor * on(at.t2, e));
      for (int a = 0; a < t.count; ++a) b[t.unknowns[a]] += t.value[a][q][0] * one + t.value[a][q][1] * two;
    });
  }
}

void System::add_volume_source(const Incident& wave, std::span<Complex> b) const {
  // k² ∫ (ε − 1) W·E_inc − ∫ (μ⁻¹ − 1) ∇×W·∇×E_inc
  const Space& space = domain_->space;
  for_volume(space, wave, [&](Index t, const Vec3& reference, const Map& map, double w) {
    const Medium& m = media_[space.tets()[t].region];
    const BasisValues basis = nedelec(space.order(), reference);
    const auto all = space.unknowns_of_tet(t);
    const auto e = wave.electric(map.x), c = wave.curl(map.x);
    std::array<Complex, 3> source, curl_source;
    for (int d = 0; d < 3; ++d) {
      source[d] = w * k_ * k_ * (m.epsilon[d] - 1.0) * e[d];
      curl_source[d] = -w * (1.0 / m.mu[d] - 1.0) * c[d];
    }
    for (int a = 0; a < space.unknowns_a_tet(); ++a)
      b[all[a]] += on(map.covariant(basis.value[a]), source) + on(map.curl(basis.curl[a]), curl_source);
  });
}

void System::add_sources(const Incident& wave, std::span<Complex> b) const {
  add_volume_source(wave, b);
  add_surface_source(domain_->magnetic, wave, 1, 0, b);
  for (const ImpedancePatch& i : domain_->impedances) add_surface_source(i.patch, wave, 1, admittance(i), b);
}

Complex System::sources_between(const Incident& seen, const Incident& lit) const {
  const Space& space = domain_->space;
  Complex sum = 0;  // both lie at the same places: one rule serves both
  for_volume(space, seen, [&](Index t, const Vec3&, const Map& map, double w) {
    const Medium& m = media_[space.tets()[t].region];
    const auto e = seen.electric(map.x), c = seen.curl(map.x), lit_e = lit.electric(map.x), lit_c = lit.curl(map.x);
    for (int d = 0; d < 3; ++d)
      sum += w * (k_ * k_ * (m.epsilon[d] - 1.0) * e[d] * lit_e[d] - (1.0 / m.mu[d] - 1.0) * c[d] * lit_c[d]);
  });
  // ∮ A·(y n×n×B + n×∇×C) with n×n×B = −B_t and n×c along (t1, t2) = (−c·t2, c·t1)
  const auto add = [&](const Patch& patch, Complex y, const Incident& a, const Incident& curl_of) {
    for (Index f = 0; f < patch.faces(); ++f) {
      const bool sheet = is_sheet(patch, f);
      if (sheet && y == 0.0) continue;
      for_points(space, patch, f, seen, [&](const FacePoint& at, double w, const FaceTraces&, int) {
        const auto field = a.electric(at.x), other = curl_of.electric(at.x), curl = curl_of.curl(at.x);
        const Complex one = on(at.t1, field), two = on(at.t2, field);
        sum -= w * y * (one * on(at.t1, other) + two * on(at.t2, other));
        if (!sheet) sum += w * (two * on(at.t1, curl) - one * on(at.t2, curl));
      });
    }
  };
  add(domain_->magnetic, 0, seen, lit);
  for (const ImpedancePatch& i : domain_->impedances) add(i.patch, admittance(i), seen, lit);
  const Complex others = sum;
  sum = 0;
  add(domain_->conductor, 0, lit, seen);
  return others - sum;
}

Result<Complex> System::reaction(const Incident& seen, const Incident& lit, std::span<const Complex> u) {
  const auto size = static_cast<std::size_t>(unknowns());
  std::vector<Complex> of_seen(size, 0);
  add_sources(seen, of_seen);
  Complex sum = sources_between(seen, lit);
  for (std::size_t i = 0; i < size; ++i) sum += of_seen[i] * u[i];
  if (lift_.patch != nullptr) {
    std::vector<Complex> lifted, of_lit(size, 0);
    if (Status s = project(lift_, std::span(&seen, 1), lifted); !s) return s.error();
    add_sources(lit, of_lit);
    for (std::size_t i = 0; i < lifted.size(); ++i) sum -= lifted[i] * of_lit[lift_.unknowns[i]];
    for_lift(lift_tets_, [&](Index row, Index column, Complex entry) {
      if (lift_.row[row] >= 0) sum += lifted[lift_.row[row]] * entry * u[column];
    });
  }
  return j / (k_ * vacuum_impedance) * sum;
}

template <class Visit>
void System::for_lift(const std::vector<Index>& tets, const Visit& visit) const {
  const Space& space = domain_->space;
  const int size = space.unknowns_a_tet();
  for (const Index t : tets) {
    if (stopped()) return;
    const ElementMatrix m = element(t);
    const auto all = space.unknowns_of_tet(t);
    for (int a = 0; a < size; ++a)
      for (int c = 0; c < size; ++c) visit(all[a], all[c], m[a][c]);
  }
  if (form_ != FieldForm::scattered) return;
  // Where a conductor ends in an impedance its rim's unknowns have traces on that.
  for (const ImpedancePatch& i : domain_->impedances)
    for (Index f = 0; f < i.patch.faces(); ++f) {
      if (stopped()) return;
      const FaceTraces t = i.patch.traces(space, f, true);
      if (std::none_of(t.unknowns.begin(), t.unknowns.begin() + t.count, [this](Index n) { return lift_.row[n] >= 0; }))
        continue;
      for (int a = 0; a < t.count; ++a)
        for (int c = 0; c < t.count; ++c) {
          double product = 0;
          for (int q = 0; q < face_points; ++q)
            product += i.patch.weight(f * face_points + q) *
                       (t.value[a][q][0] * t.value[c][q][0] + t.value[a][q][1] * t.value[c][q][1]);
          visit(t.unknowns[a], t.unknowns[c], admittance(i) * product);
        }
    }
}

void System::subtract_product(const std::vector<Index>& tets, std::span<const Complex> x, Index count,
                              std::span<Complex> b) const {
  const Index length = unknowns(), rows = domain_->free_unknowns;
  for_lift(tets, [&](Index row, Index column, Complex entry) {
    if (lift_.row[column] < 0) return;  // nothing of x is there
    if (const Index r = domain_->free_number[row]; r >= 0)
      for (Index c = 0; c < count; ++c) b[c * rows + r] -= entry * x[c * length + column];
  });
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
    std::vector<Complex> sources(static_cast<std::size_t>(all), 0);
    if (form_ == FieldForm::scattered)
      add_sources(waves[c], sources);
    else
      add_surface_source(domain_->currents, waves[c], -1, 0, sources);
    for (Index i = 0; i < all; ++i)
      if (const Index r = domain_->free_number[i]; r >= 0) column[r] += sources[i];
  });
  if (stopped()) return stop_error();
  if (Status s = solve_free(b, count, u); !s) return s;
  if (form_ == FieldForm::scattered && lift_.patch != nullptr)
    for (Index c = 0; c < count; ++c)
      for (Index i = 0; i < on_patch; ++i) u[c * all + lift_.unknowns[i]] = -lifted[c * on_patch + i];
  return {};
}

}  // namespace conoid::maxwell_fem

// SPDX-License-Identifier: BSD-3-Clause
// Assembly, factors and the operators between unknowns and surfaces.
#include "engine/solvers/maxwell_fem/solving/system.hpp"

#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/solving/counted_factors.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {
constexpr Complex j{0, 1};
}

System::System(const Domain& domain, std::vector<Medium> media, double k, FieldForm form, int threads)
    : domain_(&domain), media_(std::move(media)), k_(k), form_(form), threads_(threads),
      elements_(domain.space.order()) {
  if (form_ == FieldForm::mixed && domain.currents_on_conductor)
    form_ = FieldForm::scattered;  // nothing lies inside S'
  const Space& space = domain.space;
  outer_faces_.resize(static_cast<std::size_t>(domain.outer.faces()));
  parallel_for(threads_, {0, domain.outer.faces()}, 16, [&](Index f) {
    const FaceTraces t = domain.outer.traces(space, f, true);
    OuterFace& o = outer_faces_[f];
    o.count = t.count;
    for (int n = 0; n < t.count; ++n) {
      o.rows[n] = domain.free_number[t.unknowns[n]];
      for (int q = 0; q < face_points; ++q) {
        const double s = std::sqrt(domain.outer.weight(f * face_points + q) / 2);
        o.value[n][q] = {s * t.value[n][q][0], s * t.value[n][q][1]};
      }
    }
  });
  current_faces_.resize(static_cast<std::size_t>(domain.currents.faces()));
  parallel_for(threads_, {0, domain.currents.faces()}, 16, [&](Index f) {
    const FaceTraces t = domain.currents.traces(space, f, true);
    CurrentFace& c = current_faces_[f];
    c.count = t.count;
    for (int n = 0; n < t.count; ++n) {
      c.unknowns[n] = t.unknowns[n];
      for (int q = 0; q < face_points; ++q) {
        const double w = domain.currents.weight(f * face_points + q);
        c.value[n][q] = {w * t.value[n][q][0], w * t.value[n][q][1]};
      }
    }
  });
}

Status System::make_flux() {
  if (Status s = make_projection(domain_->currents, flux_); !s) return s;
  const Space& space = domain_->space;
  const int size = space.unknowns_a_tet();
  struct Entry {
    Index row, column;
    Complex value;
  };
  std::vector<Index> near;  // tetrahedra with unknowns on S'
  for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t) {
    if (!domain_->outside[t]) continue;
    const auto all = space.unknowns_of_tet(t);
    if (std::any_of(all.begin(), all.begin() + size, [&](Index i) { return flux_.row[i] >= 0; })) near.push_back(t);
  }
  constexpr Index bundle = 64;
  std::vector<std::vector<Entry>> pieces((near.size() + bundle - 1) / bundle);
  std::atomic<bool> gone = false;
  in_chunks(threads_, {0, static_cast<Index>(near.size())}, bundle, [&](Interval chunk, int) {
    if (gone || stopped()) {
      gone = true;
      return;
    }
    std::vector<Entry>& piece = pieces[chunk.begin / bundle];
    for (Index k = chunk.begin; k < chunk.end; ++k) {
      const auto all = space.unknowns_of_tet(near[k]);
      const ElementMatrix m = element(near[k]);
      for (int a = 0; a < size; ++a)
        if (const Index r = flux_.row[all[a]]; r >= 0)
          for (int c = 0; c < size; ++c) piece.push_back({r, all[c], m[a][c]});
    }
  });
  if (gone) return stop_error();
  // Rows first, in the order of the tetrahedra; then each row by its columns.
  std::vector<Index> first(flux_.unknowns.size() + 1, 0);
  for (const auto& piece : pieces)
    for (const Entry& e : piece) ++first[e.row + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Entry> entries(static_cast<std::size_t>(first.back()));
  for (std::vector<Index> next(first.begin(), first.end() - 1); const auto& piece : pieces)
    for (const Entry& e : piece) entries[next[e.row]++] = e;
  parallel_for(threads_, {0, static_cast<Index>(flux_.unknowns.size())}, 64, [&](Index r) {
    std::stable_sort(entries.begin() + first[r], entries.begin() + first[r + 1],
                     [](const Entry& x, const Entry& y) { return x.column < y.column; });
  });
  flux_start_.assign(flux_.unknowns.size() + 1, 0);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (e > 0 && entries[e].row == entries[e - 1].row && entries[e].column == entries[e - 1].column) {
      flux_values_.back() += entries[e].value;
    } else {
      flux_columns_.push_back(entries[e].column);
      flux_values_.push_back(entries[e].value);
    }
    flux_start_[entries[e].row + 1] = static_cast<Index>(flux_columns_.size());
  }
  return {};
}

ElementMatrix System::element(Index tet) const {
  return elements_.matrix(domain_->space, tet, media_[domain_->space.tets()[tet].region], k_);
}

SymmetricMatrix System::matrix() const {
  const Space& space = domain_->space;
  const int size = space.unknowns_a_tet();
  const Index tets = static_cast<Index>(space.tets().size());
  const TetRows row_of = rows_of_tets(*domain_);
  SymmetricMatrix m = matrix_pattern(*domain_, row_of, threads_, stopped_);
  if (m.size == 0) return {};  // stopped
  m.values.resize(m.columns.size());
  const auto add = [&](Index r, Index c, Complex v) {
    if (r < 0 || c < 0) return;
    if (c < r) std::swap(r, c);
    const auto begin = m.columns.begin() + m.row_start[r], end = m.columns.begin() + m.row_start[r + 1];
    m.values[std::lower_bound(begin, end, static_cast<std::int32_t>(c)) - m.columns.begin()] += v;
  };
  // Element matrices in parallel, a bundle at a time; each row takes them in their order, so that the sums do not depend on the threads:
  // rows of one remainder belong to one thread's turn.
  const Index bundle = 512 * std::max(1, std::min(threads_, 8)), turns = std::max(1, threads_);
  std::vector<ElementMatrix> some(static_cast<std::size_t>(bundle));
  for (Index at = 0; at < tets && !stopped(); at += bundle) {
    const Index end = std::min(tets, at + bundle);
    parallel_for(threads_, {at, end}, 16, [&](Index t) { some[t - at] = element(t); });
    parallel_for(threads_, {0, turns}, 1, [&](Index turn) {
      for (Index t = at; t < end; ++t)
        for (int a = 0; a < size; ++a)
          for (int b = a; b < size; ++b)
            if (std::min(row_of[t][a], row_of[t][b]) / 8 % turns == turn)
              add(row_of[t][a], row_of[t][b], some[t - at][a][b]);
    });
  }
  const auto add_faces = [&](const Patch& patch, Complex factor) {
    for (Index f = 0; f < patch.faces(); ++f) {
      const FaceTraces t = patch.traces(space, f, true);
      for (int a = 0; a < t.count; ++a)
        for (int b = a; b < t.count; ++b) {
          double sum = 0;
          for (int q = 0; q < face_points; ++q)
            sum += patch.weight(f * face_points + q) *
                   (t.value[a][q][0] * t.value[b][q][0] + t.value[a][q][1] * t.value[b][q][1]);
          add(domain_->free_number[t.unknowns[a]], domain_->free_number[t.unknowns[b]], factor * sum);
        }
    }
  };
  add_faces(domain_->outer, j * k_);
  for (const ImpedancePatch& i : domain_->impedances) add_faces(i.patch, admittance(i));
  return m;
}

Status System::factor(const DirectOptions& options, Stopped stopped_instead) {
  stop_ = options.stop;
  stopped_ = stopped_instead ? std::move(stopped_instead) : [stop = stop_] { return stop.stop_requested(); };
  const SymmetricMatrix assembled = matrix();
  if (stopped()) return stop_error();
  DirectOptions with_threads = options;
  with_threads.threads = threads_;
  auto made = factorise(assembled, with_threads);
  if (!made) return made.error();
  direct_ = std::move(*made);
  if (Status s = make_flux(); !s) return s;
  if (form_ == FieldForm::scattered && domain_->conductor.faces() > 0) {
    if (Status s = make_projection(domain_->conductor, lift_); !s) return s;
  } else if (form_ == FieldForm::mixed) {
    if (Status s = make_projection(domain_->currents, lift_); !s) return s;
  }
  if (lift_.patch != nullptr) {
    // Scattered form: every tetrahedron with a lifted unknown. Mixed form: those outside of S' only.
    const Space& space = domain_->space;
    for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t) {
      if (form_ == FieldForm::mixed && !domain_->outside[t]) continue;
      const auto all = space.unknowns_of_tet(t);
      for (int a = 0; a < space.unknowns_a_tet(); ++a)
        if (lift_.row[all[a]] >= 0) {
          lift_tets_.push_back(t);
          break;
        }
    }
  }
  return {};
}

void System::incident(std::span<const Incident> waves, std::span<Complex> psi) const {
  const Patch& s = domain_->outer;
  const Index n = s.size();
  parallel_for(threads_, {0, static_cast<Index>(waves.size())}, 1, [&](Index c) {
    for (Index p = 0; p < n && !stopped(); ++p) {
      const FacePoint& at = s.point(p);
      const auto e = waves[c].electric(at.x), curl = waves[c].curl(at.x);
      const auto on = [](const Vec3& t, const std::array<Complex, 3>& v) {
        return t[0] * v[0] + t[1] * v[1] + t[2] * v[2];
      };
      // t·(n×c) = (t×n)·c and n×n×E = −E_t.
      const Complex one = -on(at.t2, curl) - j * k_ * on(at.t1, e), two = on(at.t1, curl) - j * k_ * on(at.t2, e);
      const double scale_by = std::sqrt(s.weight(p) / 2);
      psi[c * 2 * n + p] = scale_by * (one + j * two);
      psi[c * 2 * n + n + p] = scale_by * (one - j * two);
    }
  });
}

Status System::solve_free(std::vector<Complex>& b, Index count, std::span<Complex> u) {
  const Index rows = domain_->free_unknowns, all = unknowns();
  if (Status s = direct_->solve(b, count); !s) return s;
  parallel_for(threads_, {0, count}, 1, [&](Index c) {
    for (Index i = 0; i < all; ++i) {
      const Index r = domain_->free_number[i];
      u[c * all + i] = r >= 0 ? b[c * rows + r] : Complex(0);
    }
  });
  return {};
}

Status System::respond(std::span<const Complex> psi, Index count, std::span<Complex> u) {
  const Index rows = domain_->free_unknowns, n = domain_->outer.size();
  std::vector<Complex>& b = right_sides_;
  b.resize(static_cast<std::size_t>(rows * count));
  parallel_for(threads_, {0, count}, 1, [&](Index c) {
    std::fill_n(b.begin() + c * rows, rows, Complex(0));
    const Complex *plus = psi.data() + c * 2 * n, *minus = plus + n;
    Complex* to = b.data() + c * rows;
    for (std::size_t f = 0; f < outer_faces_.size(); ++f) {
      const OuterFace& o = outer_faces_[f];
      for (int q = 0; q < face_points; ++q) {
        const Index p = static_cast<Index>(f) * face_points + q;
        const Complex one = plus[p] + minus[p], difference = plus[p] - minus[p];
        const Complex two{difference.imag(), -difference.real()};  // −j (ψ+ − ψ−)
        for (int a = 0; a < o.count; ++a)
          if (o.rows[a] >= 0) to[o.rows[a]] -= o.value[a][q][0] * one + o.value[a][q][1] * two;
      }
    }
  });
  return solve_free(b, count, u);
}

Status System::take_incident_off(const Incident& wave, std::span<Complex> u) {
  std::vector<Complex> taken;
  if (Status s = project(lift_, std::span(&wave, 1), taken); !s) return s;
  for (std::size_t i = 0; i < taken.size(); ++i) u[lift_.unknowns[i]] -= taken[i];
  return {};
}

Status System::currents(std::span<const Complex> u, Index count, std::span<const Incident> waves,
                        std::span<Complex> f) {
  const Index all = unknowns(), n = domain_->currents.size();
  std::vector<Complex> taken;
  if (form_ == FieldForm::mixed && !waves.empty())
    if (Status s = project(lift_, waves, taken); !s) return s;
  const auto on_patch = static_cast<Index>(lift_.unknowns.size()), rows = static_cast<Index>(flux_.unknowns.size());
  const auto value = [&](Index c, Index unknown) {
    Complex v = u[c * all + unknown];
    if (!taken.empty())
      if (const Index r = lift_.row[unknown]; r >= 0) v -= taken[c * on_patch + r];
    return v;
  };
  std::vector<Complex> flux(static_cast<std::size_t>(rows * count));
  parallel_for(threads_, {0, count * rows}, 256, [&](Index i) {
    const Index c = i / rows, r = i % rows;
    Complex sum = 0;
    for (Index p = flux_start_[r]; p < flux_start_[r + 1]; ++p) sum += flux_values_[p] * value(c, flux_columns_[p]);
    flux[c * rows + r] = sum;
  });
  if (Status s = flux_.direct->solve(flux, count); !s) return s;
  const Index faces = domain_->currents.faces();
  parallel_for(threads_, {0, count * faces}, 64, [&](Index i) {
    const Index c = i / faces, face = i % faces;
    const CurrentFace& cf = current_faces_[face];
    std::array<std::array<Complex, 4>, face_points> sum{};
    for (int a = 0; a < cf.count; ++a) {
      const Complex current = flux[c * rows + flux_.row[cf.unknowns[a]]], ke = k_ * value(c, cf.unknowns[a]);
      for (int q = 0; q < face_points; ++q) {
        const double one = cf.value[a][q][0], two = cf.value[a][q][1];  // M_1 = E_2, M_2 = −E_1
        sum[q][0] += one * current + two * ke;
        sum[q][1] += two * current - one * ke;
        sum[q][2] += one * current - two * ke;
        sum[q][3] += two * current + one * ke;
      }
    }
    for (int q = 0; q < face_points; ++q)
      for (int d = 0; d < 2; ++d) {
        f[c * 4 * n + 2 * (face * face_points + q) + d] = sum[q][d];
        f[c * 4 * n + 2 * n + 2 * (face * face_points + q) + d] = sum[q][2 + d];
      }
  });
  return {};
}

}  // namespace conoid::maxwell_fem

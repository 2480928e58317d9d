// SPDX-License-Identifier: BSD-3-Clause
// Column exchange, factorisation, residual correction, interior equations.
#include "engine/solvers/elastic_bem/system.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <fmt/core.h>

#include "engine/core/stop.hpp"
#include "engine/core/vec3.hpp"
#include "engine/linalg/big_array.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/linalg/gmres.hpp"
#include "engine/solvers/elastic_bem/far_ground.hpp"
#include "engine/solvers/elastic_bem/weak_modes.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Below it, errors of the equations (about the target of the quadrature) are all there is.
constexpr double least_condition = 1e-9;
/// The same where the equations themselves are held in single precision: five times its unit.
constexpr double least_in_single = 3e-7;

double length(const Complex* v, Index n) {
  double s = 0;
  for (Index k = 0; k < n; ++k) s += std::norm(v[k]);
  return std::sqrt(s);
}

/// Winding number of the elements of one component about a point, by the solid angle of a fine product rule.
double winding(const Surface& s, int component, const Vec3& x) {
  double sum = 0;
  PointSet set;
  for (const Element& e : s.elements) {
    if (e.component != component) continue;
    set.clear();
    near_rule(e, x, 1e-3, 0, set);
    for (std::size_t q = 0; q < set.w.size(); ++q) {
      const Vec3 d = sub({set.x[q], set.y[q], set.z[q]}, x);
      const double r = norm(d);
      sum += (d[0] * set.nx[q] + d[1] * set.ny[q] + d[2] * set.nz[q]) / (r * r * r);
    }
  }
  return sum / (4 * std::numbers::pi);
}

/// Calls body(column, scale, is a traction, node, component) for every column that the targets name.
template <class Real, class Body>
void each_column(const Targets<Real>& targets, const Body& body) {
  for (const bool traction : {false, true}) {
    const auto& list = traction ? targets.g : targets.h;
    for (std::size_t k = 0; k < list.size(); ++k)
      for (std::size_t d = 0; d < 3; ++d)
        if (list[k][d].column != nullptr) body(list[k][d].column, list[k][d].scale, traction, k, d);
  }
}

/// The kernel fades towards the rim: columns of displacements times the window, the free term (½ on the plane nodes that it touches) not.
template <class Real>
void fade_columns(const Surface& s, const Targets<Real>& targets, Index rows, bool own_rows) {
  const Index m = s.node_count();
  each_column(targets,
              [&](std::complex<Real>* column, std::complex<Real> factor, bool traction, std::size_t k, std::size_t d) {
                if (traction || !(s.window[k] < 1)) return;
                const Real w = static_cast<Real>(s.window[k]);
                for (Index i = 0; i < rows; ++i) column[i] *= w;
                if (own_rows) column[static_cast<Index>(d) * m + static_cast<Index>(k)] += factor * ((1 - w) / 2);
              });
}

/// What a unit force of each place adds to the equations: H (1 − w) G over the mesh's own elements, less `beyond`.
template <class Real>
std::vector<std::complex<Real>> far_columns(const FarField& far, const std::vector<Complex>& beyond,
                                            const Targets<Real>& targets, const std::complex<Real>* a, Index rows,
                                            Index n, bool own_rows, int threads) {
  using C = std::complex<Real>;
  const Index columns = far.columns(), m = n / 3;
  std::vector<C> x(static_cast<std::size_t>(n * columns)), y(static_cast<std::size_t>(rows * columns));
  for (std::size_t k = 0; k < targets.h.size(); ++k)
    for (std::size_t d = 0; d < 3; ++d) {
      const auto i = static_cast<std::size_t>(static_cast<Index>(d) * m) + k;
      if (targets.h[k][d].column != a + static_cast<Index>(i) * rows)
        continue;  // given displacements are what they are
      for (Index c = 0; c < columns; ++c)
        x[static_cast<std::size_t>(c * n) + i] = C(far.faded()[static_cast<std::size_t>(c * n) + i]);
    }
  dense::multiply<C>(a, rows, n, x.data(), columns, C(0), y.data(), threads);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] -= C(beyond[i]) + (own_rows ? x[i] * Real(0.5) : C(0));
  return y;
}

template <class Real>
void put_far(const FarField& far, const Targets<Real>& targets, const std::vector<std::complex<Real>>& more,
             Index rows) {
  const FarGround& ground = far.ground();
  each_column(targets,
              [&](std::complex<Real>* column, std::complex<Real> factor, bool traction, std::size_t k, std::size_t d) {
                const Index place = traction ? ground.place_of()[k] : ground.node_place()[k];
                const double share = traction ? ground.weight()[k] : far.inertia() * ground.volume()[k];
                if (place < 0 || share == 0) return;
                const std::complex<Real>* from = more.data() + (3 * place + static_cast<Index>(d)) * rows;
                const std::complex<Real> weight = -factor * static_cast<Real>(share);
                for (Index i = 0; i < rows; ++i) column[i] += weight * from[i];
              });
}

/// One equation more, in the rows that the mode names.
template <class Real>
void put_mode(const WeakMode& mode, const Targets<Real>& targets, Index rows, const CpuWorker& threads) {
  struct Column {
    std::complex<Real>* at;
    Complex value;
  };
  std::vector<Column> columns;
  each_column(
      targets, [&](std::complex<Real>* column, std::complex<Real> factor, bool traction, std::size_t k, std::size_t d) {
        columns.push_back(
            {column, traction ? -Complex(factor) * mode.traction[k][d] : Complex(factor) * mode.displacement[k][d]});
      });
  double whole = 0;
  if (!mode.replaced.empty())
    for (std::size_t i = 0; i < mode.rows.size(); ++i) whole += mode.rows[i] * mode.replaced[i];
  threads.for_each({0, static_cast<Index>(columns.size())}, 16, [&](Interval some, int) {
    for (Index c = some.begin; c < some.end; ++c) {
      const auto& [at, value] = columns[static_cast<std::size_t>(c)];
      Complex put = value;
      if (whole != 0) {
        Complex sum = 0;
        for (Index i = 0; i < rows; ++i) sum += mode.replaced[static_cast<std::size_t>(i)] * Complex(at[i]);
        put -= sum / whole;
      }
      for (Index i = 0; i < rows; ++i) at[i] += std::complex<Real>(put * mode.rows[static_cast<std::size_t>(i)]);
    }
  });
}

/// H r of the motions of a free body, displacements that are unknown only: given ones are zero in them.
template <class Real>
std::vector<std::complex<Real>> rigid_columns(const FreeMotions& free, const Targets<Real>& targets, const Surface& s,
                                              const std::complex<Real>* a, Index n, int threads) {
  using C = std::complex<Real>;
  const auto q = static_cast<Index>(free.motions.size());
  std::vector<C> x(static_cast<std::size_t>(n * q)), y(x.size());
  for (std::size_t k = 0; k < targets.h.size(); ++k)
    for (std::size_t d = 0; d < 3; ++d) {
      const auto i = static_cast<std::size_t>(static_cast<Index>(d) * s.node_count()) + k;
      if (targets.h[k][d].column != a + static_cast<Index>(i) * n) continue;
      for (Index c = 0; c < q; ++c)
        x[static_cast<std::size_t>(c * n) + i] = C(free.at(static_cast<std::size_t>(c), s.nodes[k])[d]);
    }
  dense::multiply<C>(a, n, n, x.data(), q, C(0), y.data(), threads);
  return y;
}

/// Where the mesh fades out, its displacement is made up by the far field.
void blend(const FarField& far, const Surface& s, const std::vector<std::array<Index, 3>>& unknown_traction,
           BoundaryValues& v) {
  const std::vector<Complex3> forces = far.forces(v.traction, v.displacement);
  const auto n = static_cast<std::size_t>(3 * s.node_count());
  for (std::size_t k = 0; k < s.nodes.size(); ++k)
    for (std::size_t d = 0; d < 3; ++d) {
      if (!(s.window[k] < 1) || unknown_traction[k][d] >= 0) continue;
      Complex& u = v.displacement[k][d];
      u *= s.window[k];
      for (std::size_t p = 0; p < forces.size(); ++p)
        for (std::size_t j = 0; j < 3; ++j) u += far.faded()[(3 * p + j) * n + d * s.nodes.size() + k] * forces[p][j];
    }
}

}  // namespace

double hollow_radius(const Surface& surface, int component) {
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const Element& e : surface.elements)
    if (e.component == component)
      for (int k = 0; k < nodes_of(e.shape); ++k)
        for (std::size_t d = 0; d < 3; ++d) {
          low[d] = std::min(low[d], e.x[static_cast<std::size_t>(k)][d]);
          high[d] = std::max(high[d], e.x[static_cast<std::size_t>(k)][d]);
        }
  const Vec3 middle = scale(0.5, add(low, high));
  double radius = 0;
  for (const Element& e : surface.elements)
    if (e.component == component)
      for (int k = 0; k < nodes_of(e.shape); ++k)
        radius = std::max(radius, distance(middle, e.x[static_cast<std::size_t>(k)]));
  return radius;
}

double safe_wave_number(const Surface& surface) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < surface.hollow.size(); ++c)
    if (surface.hollow[c]) least = std::min(least, 3.3 / hollow_radius(surface, static_cast<int>(c)));
  return least;
}

namespace {

std::vector<Vec3> points_in(const Surface& surface, int component, int count, std::mt19937& random) {
  std::vector<Vec3> out;
  std::uniform_real_distribution<double> unit_interval(0, 1);
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const Element& e : surface.elements)
    if (e.component == component)
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], e.centre[d]);
        high[d] = std::max(high[d], e.centre[d]);
      }
  for (int attempt = 0; attempt < 200 * count && static_cast<int>(out.size()) < count; ++attempt) {
    Vec3 p{};
    for (std::size_t d = 0; d < 3; ++d) p[d] = low[d] + (high[d] - low[d]) * unit_interval(random);
    double nearest = 1e300, size = 0;
    for (const Element& e : surface.elements)
      if (e.component == component && distance(e.centre, p) < nearest) {
        nearest = distance(e.centre, p);
        size = e.size;
      }
    // Normals point into the hollow: inside it the angle is −4π.
    if (nearest < 0.6 * size || std::abs(winding(surface, component, p) + 1) > 0.1) continue;
    out.push_back(p);
  }
  return out;
}

}  // namespace

std::vector<Vec3> hollow_points(const Surface& surface, int component, int count, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  return points_in(surface, component, count, random);
}

std::vector<Vec3> chief_points(const Surface& surface, int count, int seed) {
  std::vector<Vec3> out;
  std::mt19937 random(static_cast<unsigned>(seed));
  for (std::size_t c = 0; c < surface.hollow.size(); ++c) {
    if (!surface.hollow[c]) continue;
    const auto more = points_in(surface, static_cast<int>(c), count, random);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

Result<BoundarySystem> BoundarySystem::make(const Surface& surface, std::vector<Condition> conditions) {
  BoundarySystem s;
  s.surface_ = &surface;
  s.conditions_ = std::move(conditions);
  for (Index n = 0; n < surface.node_count(); ++n) {
    std::array<Index, 3> unknown{-1, -1, -1};
    for (Index t : surface.node_tractions[static_cast<std::size_t>(n)]) {
      const Condition& c =
          s.conditions_[static_cast<std::size_t>(surface.traction_condition[static_cast<std::size_t>(t)])];
      for (std::size_t d = 0; d < 3; ++d) {
        if (!c.displacement[d]) continue;
        if (unknown[d] >= 0) {
          const Vec3& p = surface.nodes[static_cast<std::size_t>(n)];
          const int other = surface.traction_condition[static_cast<std::size_t>(unknown[d])];
          return make_error(
              ErrorCode::invalid_input,
              fmt::format(
                  "'{}' and '{}' both give the displacement {} at ({:.4g}, {:.4g}, {:.4g}), so that two tractions are "
                  "unknown at one node",
                  c.name, s.conditions_[static_cast<std::size_t>(other)].name, "xyz"[d], p[0], p[1], p[2]),
              "Leave a row of free elements between them, or use parameters.elements \"constant\" or "
              "\"discontinuous\".");
        }
        unknown[d] = t;
      }
    }
    s.unknown_traction_.push_back(unknown);
  }
  return s;
}

std::vector<BoundarySystem::Known> BoundarySystem::known_list(const std::vector<LoadValues>& cases) const {
  std::vector<Known> out;
  const auto any = [&](const std::vector<Complex3> LoadValues::*member, Index node, std::size_t d) {
    return std::any_of(cases.begin(), cases.end(), [&](const LoadValues& c) {
      return !(c.*member).empty() && (c.*member)[static_cast<std::size_t>(node)][d] != Complex(0);
    });
  };
  for (Index n = 0; n < surface_->node_count(); ++n)
    for (std::size_t d = 0; d < 3; ++d)
      if (unknown_traction_[static_cast<std::size_t>(n)][d] >= 0 && any(&LoadValues::displacement, n, d))
        out.push_back({false, n, d});
  for (Index t = 0; t < static_cast<Index>(surface_->traction_node.size()); ++t)
    for (std::size_t d = 0; d < 3; ++d)
      if (!traction_unknown(t, d) && any(&LoadValues::traction, t, d)) out.push_back({true, t, d});
  return out;
}

Index BoundarySystem::known_columns(const std::vector<LoadValues>& cases) const {
  return static_cast<Index>(known_list(cases).size());
}

Bytes BoundarySystem::bytes(Index known, const SolveOptions& options, bool single, double wave_number) const {
  const auto n = static_cast<double>(3 * surface_->node_count());
  const double entry = single ? 8 : 16;
  double a_value = entry;                                          // the matrix
  if (!single && options.method == Method::mixed) a_value += 8;    // its factors in single precision
  if (!single && options.method == Method::direct) a_value += 16;  // its factors
  const bool hollow = std::find(surface_->hollow.begin(), surface_->hollow.end(), true) != surface_->hollow.end();
  if (hollow &&
      (options.chief == Chief::on || (options.chief == Chief::automatic && wave_number > safe_wave_number(*surface_))))
    a_value += 16;  // with the interior equations, for QR
  return static_cast<Bytes>(n * n * a_value + n * static_cast<double>(known) * entry);
}

template <class Real>
Result<std::vector<BoundaryValues>> BoundarySystem::solve(
    Team& team, const Harmonic& harmonic, const FarRules<Real>& rules, std::span<const std::array<double, 9>> diagonal,
    const std::vector<LoadValues>& cases, const SolveOptions& options, SolveFacts& facts, Progress& progress,
    std::stop_token stop, SolveMemory* memory, const FarField* far) const {
  using C = std::complex<Real>;
  const Surface& s = *surface_;
  const Index m = s.node_count(), n = 3 * m, columns = static_cast<Index>(cases.size());
  const std::vector<Known> known = known_list(cases);
  const auto known_count = static_cast<Index>(known.size());
  const C mu = C(harmonic.mu);

  std::vector<Vec3> interior;
  if (options.chief != Chief::off && (options.chief == Chief::on || std::abs(harmonic.kS) > safe_wave_number(s)))
    interior = chief_points(s, options.chief_points, options.chief_seed);
  const auto extra = static_cast<Index>(interior.size());

  // Matrices of unknown and of known values; those of the interior equations beside them.
  const CpuWorker all_threads(team.threads());
  SolveMemory own_memory;
  SolveMemory& room = memory != nullptr ? *memory : own_memory;
  const auto numbers = [](BigArray<std::byte>& from, auto zero, Index count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(zero);
    if (from.size() < bytes) {
      from = BigArray<std::byte>();
      from = BigArray<std::byte>(bytes);
    }
    return std::span(reinterpret_cast<decltype(zero)*>(from.data()), static_cast<std::size_t>(count));
  };
  const std::span<C> a = numbers(room.matrix, C(0), n * n), b = numbers(room.known, C(0), n * known_count);
  if (!one_owner(s))
    for (const std::span<C>& whole : {a, b})
      all_threads.for_each({0, static_cast<Index>(whole.size())}, Index{1} << 17, [&](Interval some, int) {
        std::fill(whole.data() + some.begin, whole.data() + some.end, C(0));
      });
  std::vector<C> a2(static_cast<std::size_t>(3 * extra * n)), b2(static_cast<std::size_t>(3 * extra * known_count));
  const auto targets_of = [&](C* A, C* B, Index rows) {
    Targets<Real> t;
    t.h.resize(static_cast<std::size_t>(m));
    t.g.resize(s.traction_node.size());
    for (Index k = 0; k < m; ++k)
      for (std::size_t d = 0; d < 3; ++d) {
        const Index column = static_cast<Index>(d) * m + k,
                    traction = unknown_traction_[static_cast<std::size_t>(k)][d];
        if (traction < 0)
          t.h[static_cast<std::size_t>(k)][d] = {A + column * rows, C(1)};
        else
          t.g[static_cast<std::size_t>(traction)][d] = {A + column * rows, -mu};
      }
    for (Index q = 0; q < known_count; ++q) {
      const Known& v = known[static_cast<std::size_t>(q)];
      (v.traction ? t.g : t.h)[static_cast<std::size_t>(v.node)][v.component] = {B + q * rows,
                                                                                 v.traction ? C(1) : C(-1)};
    }
    return t;
  };
  const Targets<Real> targets = targets_of(a.data(), b.data(), n);

  double begin = seconds();
  progress.begin("ghmatecd", 0, "");
  AssemblyWork work = assemble_pairs<Real>(team, s, rules, options.accuracy, harmonic, {s.nodes, true}, targets, stop);
  if (extra > 0) {
    const AssemblyWork more = assemble_pairs<Real>(team, s, rules, options.accuracy, harmonic, {interior, false},
                                                   targets_of(a2.data(), b2.data(), 3 * extra), stop);
    work.far_points += more.far_points;
    work.near_points += more.near_points;
  }
  progress.end();
  facts.seconds_pairs += seconds() - begin;
  if (stop.stop_requested()) return stop_error();

  begin = seconds();
  progress.begin("singular", 0, "");
  const AssemblyWork own = assemble_singular<Real>(team, s, options.accuracy, harmonic, diagonal, targets);
  progress.end();
  work.near_points += own.near_points;
  facts.seconds_singular += seconds() - begin;
  facts.work.far_points += work.far_points;
  facts.work.near_points += work.near_points;
  if (stop.stop_requested()) return stop_error();

  begin = seconds();
  progress.begin("linsolve", 0, "");
  // Products and triangular solves of the library depend on the number of threads; the LU of our own does not.
  const int threads = options.deterministic ? 1 : team.threads();
  const FreeMotions free = free_motions(s, conditions_);
  const bool is_free = !free.motions.empty() && std::abs(harmonic.kS) * free.size < free_below;
  std::vector<C> rigid;  // the columns of H times the rigid motions, before anything is added
  if (is_free) rigid = rigid_columns<Real>(free, targets, s, a.data(), n, threads);
  const auto inner = targets_of(a2.data(), b2.data(), 3 * extra);
  std::vector<C> more, more2;
  if (far != nullptr) {
    more = far_columns<Real>(*far, far->beyond(), targets, a.data(), n, n, true, threads);
    if (extra > 0)
      more2 = far_columns<Real>(*far, far->beyond_rows(team, interior, options.deterministic, stop), inner, a2.data(),
                                3 * extra, n, false, threads);
  }
  fade_columns<Real>(s, targets, n, true);
  fade_columns<Real>(s, inner, 3 * extra, false);
  if (far != nullptr) {
    put_far<Real>(*far, targets, more, n);
    put_far<Real>(*far, inner, more2, 3 * extra);
  }
  for (const WeakMode& mode : hollow_modes(s, harmonic)) put_mode<Real>(mode, targets, n, all_threads);
  if (is_free)
    for (const WeakMode& mode : free_modes(s, free, harmonic)) put_mode<Real>(mode, targets, n, all_threads);
  std::vector<C> values(static_cast<std::size_t>(known_count * columns));
  for (Index q = 0; q < known_count; ++q)
    for (Index c = 0; c < columns; ++c) {
      const Known& v = known[static_cast<std::size_t>(q)];
      const LoadValues& load = cases[static_cast<std::size_t>(c)];
      const auto& from = v.traction ? load.traction : load.displacement;
      if (!from.empty())
        values[static_cast<std::size_t>(c * known_count + q)] = C(from[static_cast<std::size_t>(v.node)][v.component]);
    }
  std::vector<C> rhs(static_cast<std::size_t>(n * columns)), rhs2(static_cast<std::size_t>(3 * extra * columns));
  dense::multiply<C>(b.data(), n, known_count, values.data(), columns, C(0), rhs.data(), threads);
  if (extra > 0)
    dense::multiply<C>(b2.data(), 3 * extra, known_count, values.data(), columns, C(0), rhs2.data(), threads);
  if (memory == nullptr) room.known = BigArray<std::byte>();

  std::vector<Complex> f(rhs.begin(), rhs.end()), x(static_cast<std::size_t>(n * columns));
  // A free body: what its acceleration alone makes of the right-hand sides.
  std::vector<std::vector<Complex>> accelerated(static_cast<std::size_t>(columns));
  if (is_free)
    for (Index c = 0; c < columns; ++c) {
      double whole = 0;
      const std::vector<Complex> forces = free.forces(s, cases[static_cast<std::size_t>(c)].traction, whole);
      double most = 0;
      for (const Complex& v : forces) most = std::max(most, std::abs(v));
      if (!(most > balanced_share * whole)) continue;
      if (!(std::abs(harmonic.kS) * free.size > 1e-9))
        return make_error(ErrorCode::invalid_input, unbalanced_text(most / whole), std::string(unbalanced_hint));
      auto& motion = accelerated[static_cast<std::size_t>(c)] = rigid_answer(free, harmonic, forces);
      for (std::size_t q = 0; q < motion.size(); ++q)
        for (Index k = 0; k < n; ++k)
          f[static_cast<std::size_t>(c * n + k)] -=
              motion[q] * Complex(rigid[q * static_cast<std::size_t>(n) + static_cast<std::size_t>(k)]);
    }
  const auto residuals = [&](std::vector<Complex>& r) {  // r = f − A x, largest relative norm
    std::vector<C> xr(x.begin(), x.end()), y(x.size());
    dense::multiply<C>(a.data(), n, n, xr.data(), columns, C(0), y.data(), threads);
    double worst = 0;
    for (Index c = 0; c < columns; ++c) {
      for (Index k = 0; k < n; ++k) {
        const auto i = static_cast<std::size_t>(c * n + k);
        r[i] = f[i] - Complex(y[i]);
      }
      const double whole = length(f.data() + c * n, n);
      if (whole > 0) worst = std::max(worst, length(r.data() + c * n, n) / whole);
    }
    return worst;
  };
  std::vector<Complex> r(f.size());
  if (options.method == Method::gmres) {
    LockstepGmres gmres(n, f, options.tolerance, std::min<Index>(n, 1000));
    while (!gmres.finished()) {
      if (stop.stop_requested()) return stop_error();
      const std::vector<Complex> v = gmres.next();
      const std::vector<C> vr(v.begin(), v.end());
      std::vector<C> w(v.size());
      dense::multiply<C>(a.data(), n, n, vr.data(), static_cast<Index>(v.size()) / n, C(0), w.data(), threads);
      gmres.take(std::vector<Complex>(w.begin(), w.end()));
    }
    x = gmres.solution();
    facts.iterations = static_cast<int>(gmres.steps());
    facts.residual = residuals(r);
  } else {
    const auto by = [&]<class F>(F) -> Status {  // factors of type F
      const std::span<F> factors = numbers(room.factors, F(0), n * n);
      all_threads.for_each({0, n * n}, Index{1} << 17, [&](Interval some, int) {
        for (Index k = some.begin; k < some.end; ++k) factors.data()[k] = F(a.data()[k]);
      });
      const double start = seconds();
      auto lu = dense::Lu<F>::factorise(factors.data(), n, team.threads(),
                                        options.deterministic ? dense::Backend::own : dense::Backend::automatic,
                                        [&stop] { return stop.stop_requested(); });
      if (!lu) return lu.error();
      const double taken = seconds() - start, unknowns = static_cast<double>(n);
      facts.seconds_factors += taken;
      // A complex multiply-add is eight operations; the matrix is read and written once.
      team.note("factorise", taken, {8.0 / 3 * unknowns * unknowns * unknowns, 2 * unknowns * unknowns * sizeof(F)});
      facts.rcond = lu->reciprocal_condition();
      std::vector<F> y(f.begin(), f.end());
      lu->solve(y.data(), columns);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = Complex(y[k]);
      facts.residual = residuals(r);
      // Corrections: each gains about the digits of F less those of the condition.
      for (int step = 0; step < 6 && facts.residual > options.tolerance && sizeof(Real) == 8; ++step) {
        std::vector<F> d(r.begin(), r.end());
        lu->solve(d.data(), columns);
        const std::vector<Complex> before = x;
        for (std::size_t k = 0; k < x.size(); ++k) x[k] += Complex(d[k]);
        const double was = facts.residual;
        facts.residual = residuals(r);
        ++facts.iterations;
        if (!(facts.residual < was)) {
          x = before;
          facts.residual = residuals(r);
          break;
        }
      }
      return {};
    };
    const bool in_single = options.method == Method::mixed || sizeof(Real) == 4;
    if (auto status = in_single ? by(std::complex<float>{}) : by(std::complex<double>{}); !status)
      return status.error();
    // Close to singular the corrections do not converge, or to what errors of the equations make of it: then factors in double precision.
    if (in_single && sizeof(Real) == 8 && (facts.residual > 1e-8 || facts.rcond < 1e-6))
      if (auto status = by(std::complex<double>{}); !status) return status.error();
    if (facts.rcond < (sizeof(Real) == 8 ? least_condition : least_in_single))
      return make_error(
          ErrorCode::not_converged,
          fmt::format(
              "the equations are singular: their reciprocal condition is {:.2g}, so that errors of the mesh are "
              "{:.1g} times as large in the answer",
              facts.rcond, 1 / facts.rcond),
          "Something moves freely or resonates without damping: hold it by a boundary condition, add damping, or shift "
          "the "
          "frequency.");
  }

  if (extra > 0) {
    // How badly the plain solution breaks the interior equations, against the size of their terms.
    const std::vector<C> xr(x.begin(), x.end());
    std::vector<C> y(rhs2.size());
    dense::multiply<C>(a2.data(), 3 * extra, n, xr.data(), columns, C(0), y.data(), threads);
    double detector = 0;
    for (Index c = 0; c < columns; ++c) {
      double defect = 0, size = 0;
      for (Index k = 0; k < 3 * extra; ++k) {
        const auto i = static_cast<std::size_t>(c * 3 * extra + k);
        defect += std::norm(y[i] - rhs2[i]);
        size += std::norm(y[i]) + std::norm(rhs2[i]);
      }
      if (size > 0) detector = std::max(detector, std::sqrt(defect / size));
    }
    facts.chief_detector = detector;
    facts.chief_rows = static_cast<int>(3 * extra);
    const Index rows = n + 3 * extra;
    std::vector<Complex> tall(static_cast<std::size_t>(rows * n)), right(static_cast<std::size_t>(rows * columns));
    for (Index j = 0; j < n; ++j) {
      std::copy_n(a.data() + j * n, n, tall.begin() + j * rows);
      std::copy_n(a2.begin() + j * 3 * extra, 3 * extra, tall.begin() + j * rows + n);
    }
    for (Index c = 0; c < columns; ++c) {
      std::copy_n(f.begin() + c * n, n, right.begin() + c * rows);
      std::copy_n(rhs2.begin() + c * 3 * extra, 3 * extra, right.begin() + c * rows + n);
    }
    if (auto status = dense::least_squares<Complex>(tall.data(), rows, n, right.data(), columns, threads); !status)
      return status.error();
    for (Index c = 0; c < columns; ++c) std::copy_n(right.begin() + c * rows, n, x.begin() + c * n);
  }
  progress.end();
  facts.seconds_solve += seconds() - begin;
  if (!(facts.residual < 1e-3))
    return make_error(ErrorCode::not_converged,
                      fmt::format("the linear system was solved to a residual of {:.2g} only", facts.residual),
                      "Use parameters.solution \"direct\", and check the boundary conditions.");

  std::vector<BoundaryValues> out(cases.size());
  for (Index c = 0; c < columns; ++c) {
    BoundaryValues& v = out[static_cast<std::size_t>(c)];
    const LoadValues& load = cases[static_cast<std::size_t>(c)];
    v.displacement = load.displacement.empty() ? std::vector<Complex3>(static_cast<std::size_t>(m)) : load.displacement;
    v.traction = load.traction.empty() ? std::vector<Complex3>(s.traction_node.size()) : load.traction;
    const auto& motion = accelerated[static_cast<std::size_t>(c)];
    for (Index k = 0; k < m; ++k)
      for (std::size_t d = 0; d < 3; ++d) {
        const Complex value = x[static_cast<std::size_t>(c * n + static_cast<Index>(d) * m + k)];
        const Index traction = unknown_traction_[static_cast<std::size_t>(k)][d];
        if (traction < 0) {
          Complex& u = v.displacement[static_cast<std::size_t>(k)][d];
          u = value;
          for (std::size_t q = 0; q < motion.size(); ++q)
            u += motion[q] * free.at(q, s.nodes[static_cast<std::size_t>(k)])[d];
        } else {
          v.traction[static_cast<std::size_t>(traction)][d] = value * harmonic.mu;
        }
      }
    if (far != nullptr) blend(*far, s, unknown_traction_, v);
  }
  return out;
}

template Result<std::vector<BoundaryValues>> BoundarySystem::solve<double>(
    Team&, const Harmonic&, const FarRules<double>&, std::span<const std::array<double, 9>>,
    const std::vector<LoadValues>&, const SolveOptions&, SolveFacts&, Progress&, std::stop_token, SolveMemory*,
    const FarField*) const;
template Result<std::vector<BoundaryValues>> BoundarySystem::solve<float>(
    Team&, const Harmonic&, const FarRules<float>&, std::span<const std::array<double, 9>>,
    const std::vector<LoadValues>&, const SolveOptions&, SolveFacts&, Progress&, std::stop_token, SolveMemory*,
    const FarField*) const;

}  // namespace conoid::elastic_bem

// SPDX-License-Identifier: BSD-3-Clause
// One solution of the boundary element equations, step by step: assembly, column exchange, factorisation, residual correction,
// interior equations.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/core/seconds_now.hpp"
#include "engine/core/stop.hpp"
#include "engine/core/vec3.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/linalg/gmres.hpp"
#include "engine/solvers/elastic_bem/cuda/device_solution.hpp"
#include "engine/solvers/elastic_bem/discretization/far_ground.hpp"
#include "engine/solvers/elastic_bem/discretization/matrix_columns.hpp"
#include "engine/solvers/elastic_bem/discretization/weak_modes.hpp"
#include "engine/solvers/elastic_bem/solving/compressed_solution.hpp"
#include "engine/solvers/elastic_bem/solving/passes.hpp"
#include "engine/solvers/elastic_bem/solving/system.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

namespace {

/// Below it, errors of the equations (about the target of the quadrature) are all there is.
constexpr double least_condition = 1e-9;
/// The same where the equations themselves are held in single precision: five times its unit.
constexpr double least_in_single = 3e-7;
/// Residuals that are good enough: of equations in single precision, in double.
constexpr double residual_in_single = 1e-4, residual_in_double = 1e-8;
/// Corrections by factors in single or double precision, and by those of ten bits, which gain one to three digits each; where one of these
/// gains less, factors in single precision are sooner done.
constexpr int most_steps = 6, most_coarse_steps = 12;
constexpr double least_gain = 0.2;
/// Below it the condition that factors of ten bits tell (2^-11 of the matrix off) is none.
constexpr double least_coarse_condition = 1e-4;

double length(const Complex* v, Index n) {
  double s = 0;
  for (Index k = 0; k < n; ++k) s += std::norm(v[k]);
  return std::sqrt(s);
}

/// What unknown tractions are measured in: μ* over a length between those of the elements and of the whole, so that columns of G are as large
/// as those of H whatever the unit of length is.
Complex traction_unit(const Harmonic& h, const Surface& s) {
  return h.mu / std::sqrt(s.element_size * s.diameter);
}

/// Where the mesh fades out, its displacement is made up by the far field. `s`: the ground, whose nodes and tractions come first.
void blend(const FarField& far, const Surface& s, const std::vector<std::array<Index, 3>>& unknown_traction,
           BoundaryValues& v) {
  const auto tractions = static_cast<Index>(s.traction_node.size());
  const std::vector<Complex3> forces = far.forces({v.traction.begin(), v.traction.begin() + tractions},
                                                  {v.displacement.begin(), v.displacement.begin() + s.node_count()});
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

/// What one call of BoundarySystem::solve() works on; its members are the steps, in the order in which solve() takes them.
template <class Real>
class BoundarySystem::Solution {
 public:
  using C = std::complex<Real>;
  Solution(const BoundarySystem& system, Team& team, std::span<const RegionMedium<Real>> media,
           const std::vector<LoadValues>& cases, const SolveOptions& options, SolveFacts& facts, std::stop_token stop,
           SolveMemory* memory, const FarField* far);

  [[nodiscard]] Status assemble(Progress& progress);
  /// What is beside the mesh's own elements: fading, the ground beyond it, equations for what the others hardly see.
  void complete();
  void right_hand_sides();
  /// Of a free body the loads' resultant goes into its acceleration.
  [[nodiscard]] Status accelerate();
  [[nodiscard]] Status solve_by_gmres();
  [[nodiscard]] Status solve_compressed();
  [[nodiscard]] Status solve_by_factors();
  void note_interior_defect();
  [[nodiscard]] Status add_interior_equations();
  [[nodiscard]] std::vector<BoundaryValues> boundary_values() const;
  [[nodiscard]] bool has_interior() const { return extra_ > 0; }
  /// The residual that the answer is held to.
  [[nodiscard]] double asked() const {
    return sizeof(Real) == 8 || options_.tolerance_asked ? options_.tolerance
                                                         : std::max(residual_in_single, options_.tolerance);
  }

 private:
  template <class T>
  static std::span<T> numbers(BigArray<std::byte>& from, Index count);
  /// A region's equations.
  struct Part {
    RegionRows rows;
    Index begin = 0, count = 0;  ///< its rows of the matrix
    std::vector<Vec3> interior;  ///< points of its interior equations
    Index first = 0;             ///< their first row
    std::vector<WeakMode> modes;
    Targets<Real> targets, targets2;
  };
  /// Columns of a part: `unknown` and `known` begin at its first row, `rows` apart.
  [[nodiscard]] Targets<Real> targets_of(const Part& part, C* unknown, C* known, Index rows) const;
  [[nodiscard]] Index partner(Index node) const { return system_.partner(node); }
  /// Adds to the right-hand sides what a field from the medium puts on interfaces.
  void add_incident();
  [[nodiscard]] bool compressed() const { return options_.method == Method::compressed; }
  [[nodiscard]] Status compress();
  void collect_columns(const Part& from, CompressedPart<Real>& part) const;
  /// Of the matrix: where the row of component d at a node of a region is. Compressed rows are in the order of the unknowns.
  [[nodiscard]] Index row_of(const Part& part, Index node, Index d) const {
    return compressed() ? d * m_ + node : system_.row_of(part.rows, node, d);
  }
  [[nodiscard]] Status assemble_interior();
  /// Of the known columns: a value each, case after case.
  [[nodiscard]] std::vector<C> known_values() const;
  double residuals(std::vector<Complex>& r) const;
  template <class F>
  [[nodiscard]] Status factorise_and_correct(dense::Rounding rounding = dense::Rounding::of_numbers);
  /// Whether factors of ten bits were tried and corrections by them reached the tolerance.
  [[nodiscard]] Result<bool> solve_by_coarse_factors();
  /// The matrix in the precision of the factors, in memory of the host.
  template <class F>
  [[nodiscard]] F* factors_of_matrix();
  [[nodiscard]] bool whole() const { return device_ && device_->whole(); }
  void leave_device();
  void multiply(std::span<C> a, Index cols, const C* x, Index columns, C* y) const {
    if (whole())
      device_->multiply(a.data(), cols, x, columns, y);
    else
      dense::multiply<C>(a.data(), n_, cols, x, columns, C(0), y, library_threads_);
  }

  const BoundarySystem& system_;
  const Surface& s_;
  Team& team_;
  const std::span<const RegionMedium<Real>> media_;
  const Harmonic& harmonic_;     ///< of the first region
  const Complex traction_unit_;  ///< unknown tractions are over it: that of the first region
  const std::vector<LoadValues>& cases_;
  const SolveOptions& options_;
  SolveFacts& facts_;
  std::stop_token stop_;
  const FarField* far_;
  const CpuWorker all_threads_;
  const int
      library_threads_;  ///< products and triangular solves of the library depend on their number; our own LU does not
  const Index m_, n_, columns_;
  const std::vector<Known> known_;
  std::vector<Part> parts_;
  Index extra_ = 0;  ///< points of the interior equations
  SolveMemory own_memory_;
  SolveMemory& room_;
  const bool keep_room_;
  std::unique_ptr<DeviceSolution<Real>> device_;          ///< null: processors solve
  std::unique_ptr<CompressedSolution<Real>> compressed_;  ///< null: dense matrices
  std::span<C> a_, b_;      ///< matrices of unknown and of known values, column by column; on the device, if whole()
  std::vector<C> a2_, b2_;  ///< those of the interior equations
  FreeMotions free_;
  bool is_free_ = false;
  bool parted_ = false;         ///< the equations fall apart by their parities
  std::vector<C> rigid_;        ///< the columns of H times the rigid motions, before anything is added
  std::vector<Complex> f_, x_;  ///< right-hand sides, solutions
  std::vector<C> rhs2_;
  std::vector<std::vector<Complex>> accelerated_;  ///< a case: rigid motion of a free body, empty where it rests
};

template <class Real>
BoundarySystem::Solution<Real>::Solution(const BoundarySystem& system, Team& team,
                                         std::span<const RegionMedium<Real>> media,
                                         const std::vector<LoadValues>& cases, const SolveOptions& options,
                                         SolveFacts& facts, std::stop_token stop, SolveMemory* memory,
                                         const FarField* far)
    : system_(system), s_(*system.surface_), team_(team), media_(media), harmonic_(media.front().harmonic),
      traction_unit_(traction_unit(harmonic_, s_)), cases_(cases), options_(options), facts_(facts),
      stop_(std::move(stop)), far_(far), all_threads_(team.threads()),
      library_threads_(options.deterministic ? 1 : team.threads()), m_(s_.node_count()), n_(3 * m_),
      columns_(static_cast<Index>(cases.size())), known_(system.known_list(cases)),
      room_(memory != nullptr ? *memory : own_memory_), keep_room_(memory != nullptr) {
  bool has_modes = false;
  for (std::size_t r = 0; r < media.size(); ++r) {
    Part& part = parts_.emplace_back();
    part.rows = system.regions_[r];
    const Surface& s = *part.rows.surface;
    const Harmonic& h = media[r].harmonic;
    part.begin = 3 * part.rows.first_node;
    part.count = 3 * s.node_count();
    if (options.chief != Chief::off && (options.chief == Chief::on || std::abs(h.kS) > safe_wave_number(s)))
      part.interior = chief_points(s, options.chief_points, options.chief_seed);
    part.first = 3 * extra_;
    extra_ += static_cast<Index>(part.interior.size());
    part.modes = hollow_modes(s, h);
    has_modes = has_modes || !part.modes.empty();
  }
  if (!system.several()) {  // interfaces hold what is a body of its own
    free_ = free_motions(s_, system_.conditions_);
    is_free_ = !free_.motions.empty() && std::abs(harmonic_.kS) * free_.size < free_below;
  }
  if (is_free_)
    for (WeakMode& mode : free_modes(s_, free_, harmonic_)) parts_.front().modes.push_back(std::move(mode));
  const auto known_count = static_cast<Index>(known_.size());
  if (!room_.panels) room_.panels = std::make_shared<PanelStore>();
  parted_ = !system.parities_.empty();
  if (!compressed() && options.method != Method::gmres && m_ >= least_device_rows && !parted_) {
    if (!room_.device) room_.device = std::make_shared<DeviceRoom>();
    Index nodes = 1;
    for (const Element& e : s_.elements) nodes = std::max<Index>(nodes, e.nodes);
    const Bytes factor = options.method == Method::mixed || sizeof(Real) == 4 ? 8 : 16;
    device_ = DeviceSolution<Real>::make(team, *room_.device, *room_.panels, n_, known_count, factor, nodes,
                                         extra_ == 0 && !has_modes && !is_free_ && !system.several());
  }
  if (device_) facts_.place = device_->place();
  if (whole()) {
    a_ = {device_->matrix(), static_cast<std::size_t>(n_ * n_)};
    b_ = {device_->known(), static_cast<std::size_t>(n_ * known_count)};
  } else if (!compressed()) {
    a_ = numbers<C>(room_.matrix, n_ * n_);
    b_ = numbers<C>(room_.known, n_ * known_count);
  }
  if ((!one_owner(s_) || system.several()) && !whole())
    for (const std::span<C>& whole : {a_, b_})
      all_threads_.for_each({0, static_cast<Index>(whole.size())}, Index{1} << 17, [&](Interval some, int) {
        std::fill(whole.data() + some.begin, whole.data() + some.end, C(0));
      });
  a2_.assign(static_cast<std::size_t>(3 * extra_ * n_), C(0));
  b2_.assign(static_cast<std::size_t>(3 * extra_ * known_count), C(0));
  for (Part& part : parts_) {
    if (!compressed()) part.targets = targets_of(part, a_.data() + part.begin, b_.data() + part.begin, n_);
    part.targets2 = targets_of(part, a2_.data() + part.first, b2_.data() + part.first, 3 * extra_);
  }
}

template <class Real>
template <class T>
std::span<T> BoundarySystem::Solution<Real>::numbers(BigArray<std::byte>& from, Index count) {
  const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (from.size() < bytes) {
    from = BigArray<std::byte>();
    from = BigArray<std::byte>(bytes);
  }
  return {reinterpret_cast<T*>(from.data()), static_cast<std::size_t>(count)};
}

template <class Real>
Targets<Real> BoundarySystem::Solution<Real>::targets_of(const Part& part, C* unknown, C* known, Index rows) const {
  const C unit = C(traction_unit_);
  const Index first = part.rows.first_node, count = part.rows.surface->node_count(),
              first_traction = part.rows.first_traction,
              tractions = static_cast<Index>(part.rows.surface->traction_node.size());
  Targets<Real> t;
  t.h.resize(static_cast<std::size_t>(count));
  t.g.resize(static_cast<std::size_t>(tractions));
  const auto h = [&](Index node) -> auto& {
    return t.h[static_cast<std::size_t>(node - first)];
  };
  const auto g = [&](Index traction) -> auto& {
    return t.g[static_cast<std::size_t>(traction - first_traction)];
  };
  for (Index k = first; k < first + count; ++k)
    for (std::size_t d = 0; d < 3; ++d) {
      const auto column = [&](Index node) { return unknown + (static_cast<Index>(d) * m_ + node) * rows; };
      const Index traction = system_.unknown_traction_[static_cast<std::size_t>(k)][d], other = partner(k);
      if (other >= 0) {
        // The first of the two nodes has the displacement of both, the second one the traction of the first.
        h(k)[d] = {column(std::min(k, other)), C(1)};
        g(s_.node_tractions[static_cast<std::size_t>(k)].front())[d] = {column(std::max(k, other)),
                                                                        k < other ? -unit : unit};
      } else if (traction < 0) {
        h(k)[d] = {column(k), C(1)};
      } else {
        g(traction)[d] = {column(k), -unit};
      }
    }
  for (std::size_t q = 0; q < known_.size(); ++q) {
    const Known& v = known_[q];
    const Index from = v.traction ? first_traction : first, many = v.traction ? tractions : count;
    if (v.node < from || v.node >= from + many) continue;
    (v.traction ? g(v.node) : h(v.node))[v.component] = {known + static_cast<Index>(q) * rows,
                                                         v.traction ? C(1) : C(-1)};
  }
  return t;
}

template <class Real>
Status BoundarySystem::Solution<Real>::assemble(Progress& progress) {
  const Accuracy& accuracy = options_.accuracy;
  double begin = seconds_now();
  progress.begin("pairs", 0, "");
  if (whole()) {
    double singular = 0;
    const AssemblyWork all = device_->assemble(s_, *media_.front().rules, accuracy, harmonic_, media_.front().diagonal,
                                               parts_.front().targets, stop_, singular);
    room_.panels->set_held(device_->worker(), room_.device->held());
    progress.end();
    progress.begin("singular", 0, "");  // is in
    progress.end();
    facts_.seconds_singular += singular;
    facts_.seconds_pairs += seconds_now() - begin - singular;
    facts_.work.far_points += all.far_points;
    facts_.work.near_points += all.near_points;
    if (stop_.stop_requested()) return stop_error();
    return {};
  }
  if (compressed()) {
    if (auto status = compress(); !status) return status.error();
    if (auto status = assemble_interior(); !status) return status.error();
    progress.end();
    facts_.seconds_pairs += seconds_now() - begin;
    progress.begin("singular", 0, "");  // is in
    progress.end();
    return {};
  }
  AssemblyWork work;
  for (std::size_t r = 0; r < parts_.size() && !stop_.stop_requested(); ++r) {
    const Surface& s = *parts_[r].rows.surface;
    const AssemblyWork one = assemble_pairs<Real>(team_, s, *media_[r].rules, accuracy, media_[r].harmonic,
                                                  {s.nodes, true}, parts_[r].targets, stop_, room_.panels.get());
    work.far_points += one.far_points;
    work.near_points += one.near_points;
  }
  if (auto status = assemble_interior(); !status) return status.error();
  progress.end();
  facts_.seconds_pairs += seconds_now() - begin;
  if (stop_.stop_requested()) return stop_error();

  begin = seconds_now();
  progress.begin("singular", 0, "");
  for (std::size_t r = 0; r < parts_.size(); ++r)
    work.near_points += assemble_singular<Real>(team_, *parts_[r].rows.surface, accuracy, media_[r].harmonic,
                                                media_[r].diagonal, parts_[r].targets)
                            .near_points;
  progress.end();
  facts_.seconds_singular += seconds_now() - begin;
  facts_.work.far_points += work.far_points;
  facts_.work.near_points += work.near_points;
  if (stop_.stop_requested()) return stop_error();
  return {};
}

template <class Real>
Status BoundarySystem::Solution<Real>::assemble_interior() {
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    const Part& part = parts_[r];
    if (part.interior.empty()) continue;
    const AssemblyWork more =
        assemble_pairs<Real>(team_, *part.rows.surface, *media_[r].rules, options_.accuracy, media_[r].harmonic,
                             {part.interior, false}, part.targets2, stop_, room_.panels.get());
    facts_.work.far_points += more.far_points;
    facts_.work.near_points += more.near_points;
  }
  if (stop_.stop_requested()) return stop_error();
  return {};
}

template <class Real>
Status BoundarySystem::Solution<Real>::compress() {
  std::vector<CompressedPart<Real>> parts;
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    const Part& from = parts_[r];
    CompressedPart<Real>& part = parts.emplace_back();
    part.surface = from.rows.surface;
    part.first_node = from.rows.first_node;
    part.medium = media_[r];
    part.modes = from.modes;
    part.weight = from.rows.weight;
    if (r == 0) part.far = far_;
    collect_columns(from, part);
  }
  const std::vector<C> values = known_values();
  auto made = CompressedSolution<Real>::make(
      {team_, s_, std::move(parts), options_, is_free_ ? &free_ : nullptr, system_.mirrors_, stop_},
      {values.begin(), values.end()}, static_cast<Index>(known_.size()));
  if (!made) return made.error();
  compressed_ = std::move(*made);
  return {};
}

/// Tractions in the unit of the region: columns of soft ones would be as much larger, and what is left out of far blocks with them.
template <class Real>
void BoundarySystem::Solution<Real>::collect_columns(const Part& from, CompressedPart<Real>& part) const {
  const Index first = from.rows.first_node, first_traction = from.rows.first_traction,
              count = from.rows.surface->node_count();
  const Complex unit = traction_unit_ * part.medium.harmonic.mu / harmonic_.mu,
                share = harmonic_.mu / part.medium.harmonic.mu;
  const auto put = [&](const EquationColumn& column, Index node, Complex factor) {
    part.unknown.push_back(column);
    part.place.push_back(static_cast<Index>(column.component) * m_ + node);
    part.factor.push_back(factor);
  };
  for (std::size_t d = 0; d < 3; ++d)
    for (Index k = first; k < first + count; ++k) {
      const Index other = partner(k);
      const Index traction = other >= 0 ? s_.node_tractions[static_cast<std::size_t>(k)].front()
                                        : system_.unknown_traction_[static_cast<std::size_t>(k)][d];
      if (other >= 0 || traction < 0) put({false, k - first, d, 1.0}, other >= 0 ? std::min(k, other) : k, 1.0);
      if (other >= 0 || traction >= 0)
        put({true, traction - first_traction, d, -unit}, other >= 0 ? std::max(k, other) : k,
            other >= 0 && k > other ? -share : share);
    }
  const auto tractions = static_cast<Index>(from.rows.surface->traction_node.size());
  for (std::size_t q = 0; q < known_.size(); ++q) {
    const Known& v = known_[q];
    const Index begin = v.traction ? first_traction : first, many = v.traction ? tractions : count;
    if (v.node < begin || v.node >= begin + many) continue;
    part.known.push_back({v.traction, v.node - begin, v.component, v.traction ? 1.0 : -1.0});
    part.known_place.push_back(static_cast<Index>(q));
  }
}

template <class Real>
void BoundarySystem::Solution<Real>::complete() {
  const auto by_matrix = [&](const C* x, Index columns, C* y) { multiply(a_, n_, x, columns, y); };
  if (whole()) {
    std::vector<C> more;
    if (far_ != nullptr)
      more = far_columns<Real>(*far_, far_->beyond(), parts_.front().targets, a_.data(), n_, n_, n_, true, by_matrix);
    device_->finish(finished_columns<Real>(s_, far_, parts_.front().targets), more);
    return;
  }
  if (is_free_ && compressed())
    rigid_.assign(compressed_->rigid().begin(), compressed_->rigid().end());
  else if (is_free_)
    rigid_ = rigid_columns<Real>(free_, parts_.front().targets, s_, a_.data(), n_, library_threads_);
  std::vector<C> more, more2;
  const Index own = parts_.front().count, own2 = 3 * static_cast<Index>(parts_.front().interior.size());
  if (far_ != nullptr) {
    if (!compressed())
      more = far_columns<Real>(*far_, far_->beyond(), parts_.front().targets, a_.data(), n_, n_, own, true, by_matrix);
    if (own2 > 0)
      more2 = far_columns<Real>(
          *far_, far_->beyond_rows(team_, parts_.front().interior, options_.deterministic, stop_, room_.panels.get()),
          parts_.front().targets2, a2_.data(), 3 * extra_, n_, own2, false, [&](const C* x, Index columns, C* y) {
            dense::multiply<C>(a2_.data(), 3 * extra_, n_, x, columns, C(0), y, library_threads_);
          });
  }
  for (const Part& part : parts_)
    fade_columns<Real>(*part.rows.surface, part.targets2, 3 * static_cast<Index>(part.interior.size()), false);
  if (far_ != nullptr && own2 > 0) put_far<Real>(*far_, parts_.front().targets2, more2, own2);
  if (compressed()) return;
  for (const Part& part : parts_) fade_columns<Real>(*part.rows.surface, part.targets, part.count, true);
  if (far_ != nullptr) put_far<Real>(*far_, parts_.front().targets, more, own);
  for (const Part& part : parts_)
    for (const WeakMode& mode : part.modes) put_mode<Real>(mode, part.targets, part.count, all_threads_);
}

template <class Real>
auto BoundarySystem::Solution<Real>::known_values() const -> std::vector<C> {
  const auto known_count = static_cast<Index>(known_.size());
  std::vector<C> values(static_cast<std::size_t>(known_count * columns_));
  for (Index q = 0; q < known_count; ++q)
    for (Index c = 0; c < columns_; ++c) {
      const Known& v = known_[static_cast<std::size_t>(q)];
      const LoadValues& load = cases_[static_cast<std::size_t>(c)];
      const auto& from = v.traction ? load.traction : load.displacement;
      if (!from.empty())
        values[static_cast<std::size_t>(c * known_count + q)] = C(from[static_cast<std::size_t>(v.node)][v.component]);
    }
  return values;
}

template <class Real>
void BoundarySystem::Solution<Real>::right_hand_sides() {
  const auto known_count = static_cast<Index>(known_.size());
  const std::vector<C> values = known_values();
  rhs2_.assign(static_cast<std::size_t>(3 * extra_ * columns_), C(0));
  x_.assign(static_cast<std::size_t>(n_ * columns_), Complex(0));
  f_ = x_;
  if (compressed()) {
    if (known_count > 0) f_ = compressed_->right_hand_sides();
  } else {
    std::vector<C> rhs(x_.size());
    multiply(b_, known_count, values.data(), columns_, rhs.data());
    f_.assign(rhs.begin(), rhs.end());
  }
  if (extra_ > 0)
    dense::multiply<C>(b2_.data(), 3 * extra_, known_count, values.data(), columns_, C(0), rhs2_.data(),
                       library_threads_);
  if (!keep_room_) room_.known = BigArray<std::byte>();
  if (system_.several()) add_incident();
}

template <class Real>
void BoundarySystem::Solution<Real>::add_incident() {
  std::vector<C> x(f_.size()), y(f_.size());
  bool any = false;
  for (Index c = 0; c < columns_; ++c) {
    const LoadValues& load = cases_[static_cast<std::size_t>(c)];
    if (load.incident_displacement.empty()) continue;
    any = true;
    const RegionRows& rows = parts_[load.incident_region].rows;
    for (Index k = rows.first_node; k < rows.first_node + rows.surface->node_count(); ++k)
      for (std::size_t d = 0; d < 3 && partner(k) >= 0; ++d) {
        const auto at = [&](Index node) {
          return static_cast<std::size_t>(c * n_ + static_cast<Index>(d) * m_ + node);
        };
        const Index other = partner(k);
        const auto traction = static_cast<std::size_t>(s_.node_tractions[static_cast<std::size_t>(k)].front());
        x[at(std::min(k, other))] = C(load.incident_displacement[static_cast<std::size_t>(k)][d]);
        x[at(std::max(k, other))] = C((k < other ? 1.0 : -1.0) / traction_unit_ * load.incident_traction[traction][d]);
      }
  }
  if (!any) return;
  if (compressed()) {
    std::vector<Complex> whole(y.size());
    compressed_->multiply(std::vector<Complex>(x.begin(), x.end()).data(), columns_, whole.data());
    y.assign(whole.begin(), whole.end());
  } else {
    multiply(a_, n_, x.data(), columns_, y.data());
  }
  for (Index c = 0; c < columns_; ++c) {
    const LoadValues& load = cases_[static_cast<std::size_t>(c)];
    if (load.incident_displacement.empty()) continue;
    const Part& part = parts_[load.incident_region];
    for (Index k = part.rows.first_node; k < part.rows.first_node + part.rows.surface->node_count(); ++k)
      for (Index d = 0; d < 3; ++d) {
        const auto i = static_cast<std::size_t>(c * n_ + row_of(part, k, d));
        f_[i] += Complex(y[i]);
      }
  }
  if (extra_ == 0) return;
  std::vector<C> y2(rhs2_.size());
  dense::multiply<C>(a2_.data(), 3 * extra_, n_, x.data(), columns_, C(0), y2.data(), library_threads_);
  for (Index c = 0; c < columns_; ++c) {
    const LoadValues& load = cases_[static_cast<std::size_t>(c)];
    if (load.incident_displacement.empty()) continue;
    const Part& part = parts_[load.incident_region];
    for (Index i = part.first; i < part.first + 3 * static_cast<Index>(part.interior.size()); ++i)
      rhs2_[static_cast<std::size_t>(c * 3 * extra_ + i)] += y2[static_cast<std::size_t>(c * 3 * extra_ + i)];
  }
}

template <class Real>
Status BoundarySystem::Solution<Real>::accelerate() {
  accelerated_.resize(static_cast<std::size_t>(columns_));
  if (!is_free_) return {};
  for (Index c = 0; c < columns_; ++c) {
    double whole = 0;
    const std::vector<Complex> forces = free_.forces(s_, cases_[static_cast<std::size_t>(c)].traction, whole);
    double most = 0;
    for (const Complex& v : forces) most = std::max(most, std::abs(v));
    if (!(most > balanced_share * whole)) continue;
    if (!(std::abs(harmonic_.kS) * free_.size > 1e-9))
      return make_error(ErrorCode::invalid_input, unbalanced_text(most / whole), std::string(unbalanced_hint));
    auto& motion = accelerated_[static_cast<std::size_t>(c)] = rigid_answer(free_, harmonic_, forces);
    for (std::size_t q = 0; q < motion.size(); ++q)
      for (Index k = 0; k < n_; ++k)
        f_[static_cast<std::size_t>(c * n_ + k)] -=
            motion[q] * Complex(rigid_[q * static_cast<std::size_t>(n_) + static_cast<std::size_t>(k)]);
  }
  return {};
}

/// r = f − A x; the largest relative norm.
template <class Real>
double BoundarySystem::Solution<Real>::residuals(std::vector<Complex>& r) const {
  std::vector<C> xr(x_.begin(), x_.end()), y(x_.size());
  multiply(a_, n_, xr.data(), columns_, y.data());
  double worst = 0;
  for (Index c = 0; c < columns_; ++c) {
    for (Index k = 0; k < n_; ++k) {
      const auto i = static_cast<std::size_t>(c * n_ + k);
      r[i] = f_[i] - Complex(y[i]);
    }
    const double whole = length(f_.data() + c * n_, n_);
    if (whole > 0) worst = std::max(worst, length(r.data() + c * n_, n_) / whole);
  }
  return worst;
}

template <class Real>
Status BoundarySystem::Solution<Real>::solve_by_gmres() {
  std::vector<Complex> r(f_);
  facts_.iterations = 0;
  const double aim = std::max(options_.tolerance, sizeof(Real) == 8 ? 0 : 1e-7);
  const auto iterate = [&](double tolerance, std::vector<Complex>& more) -> Status {
    LockstepGmres gmres(n_, r, tolerance, std::min<Index>(n_, 1000));
    while (!gmres.finished()) {
      if (stop_.stop_requested()) return stop_error();
      const std::vector<Complex> v = gmres.next();
      const std::vector<C> vr(v.begin(), v.end());
      std::vector<C> w(v.size());
      dense::multiply<C>(a_.data(), n_, n_, vr.data(), static_cast<Index>(v.size()) / n_, C(0), w.data(),
                         library_threads_);
      gmres.take(std::vector<Complex>(w.begin(), w.end()));
    }
    more = gmres.solution();
    facts_.iterations += static_cast<int>(gmres.steps());
    return {};
  };
  return solve_in_passes(aim, x_, facts_.residual, iterate, [&] { return residuals(r); });
}

/// Interior equations join the others; their defect is that of the common solution.
template <class Real>
Status BoundarySystem::Solution<Real>::solve_compressed() {
  if (extra_ > 0) compressed_->add_interior({a2_.begin(), a2_.end()}, {rhs2_.begin(), rhs2_.end()}, 3 * extra_);
  auto found = compressed_->solve(f_, facts_);
  if (!found) return found.error();
  x_ = std::move(*found);
  if (extra_ > 0) note_interior_defect();
  return {};
}

/// The matrix comes to the host, and processors solve.
template <class Real>
void BoundarySystem::Solution<Real>::leave_device() {
  if (whole()) {
    const std::span<C> here = numbers<C>(room_.matrix, n_ * n_);
    device_->bring_home(here);
    a_ = here;
  }
  device_.reset();
  facts_.place = SolutionPlace::processors;
}

template <class Real>
template <class F>
F* BoundarySystem::Solution<Real>::factors_of_matrix() {
  const std::span<F> factors = numbers<F>(room_.factors, n_ * n_);
  all_threads_.for_each({0, n_ * n_}, Index{1} << 17, [&](Interval some, int) {
    for (Index k = some.begin; k < some.end; ++k) factors.data()[k] = F(a_.data()[k]);
  });
  return factors.data();
}

/// Factors of type F, and corrections with residuals of the matrix itself: each gains about the digits of F, or of the rounding, less those
/// of the condition.
template <class Real>
template <class F>
Status BoundarySystem::Solution<Real>::factorise_and_correct(dense::Rounding rounding) {
  std::optional<dense::Lu<F>> lu;
  std::optional<ParityFactors<F>> parts;
  const auto backend = options_.deterministic ? dense::Backend::own : dense::Backend::automatic;
  const bool coarse = rounding == dense::Rounding::ten_bits;
  const Stopped stopped = [this] { return stop_.stop_requested(); };
  double start = seconds_now();
  if (device_) {
    Status status;
    if (device_->place() == SolutionPlace::through) {
      F* const factors = factors_of_matrix<F>();
      start = seconds_now();
      auto made = device_->template factorise_through<F>(factors, rounding, stopped);
      if (made)
        lu = std::move(*made);
      else
        status = made.error();
    } else {
      status = device_->template factorise<F>(whole() ? nullptr : a_.data(), rounding);
    }
    if (!status && (coarse || status.error().code != ErrorCode::resources)) return status.error();
    if (!status) {
      log::warning("elastic-bem: processors solve the {} equations: {}", n_, status.error().text);
      leave_device();
    }
  }
  if (parted_) {
    auto made = ParityFactors<F>::template factorise<C>(
        system_.parities_, system_.parity_rows_, a_, n_, f_, columns_,
        numbers<F>(room_.factors, ParityFactors<F>::entries(system_.parities_)), all_threads_, backend, stopped);
    if (!made) return made.error();
    parts = std::move(*made);
  } else if (!device_) {
    F* const factors = factors_of_matrix<F>();
    start = seconds_now();
    auto made = dense::Lu<F>::factorise(factors, n_, team_.threads(), backend, stopped);
    if (!made) return made.error();
    lu = std::move(*made);
  }
  facts_.ten_bits = coarse;
  const double taken = seconds_now() - start, unknowns = static_cast<double>(n_);
  facts_.seconds_factors += taken;
  if (device_) facts_.seconds_library += lu ? taken : device_->library_seconds();
  // A complex multiply-add is eight operations; the matrix is read and written once.
  team_.note("factorise", taken,
             {parts ? parts->operations() : 8.0 / 3 * unknowns * unknowns * unknowns,
              2 * unknowns * unknowns * sizeof(F) /
                  static_cast<double>(std::max<std::size_t>(1, parts ? system_.parities_.size() : 1))},
             device_ ? Team::Who::devices : Team::Who::processors, device_ ? device_->worker() : -1);
  const auto solve = [&](std::vector<F>& right) {
    if (parts)
      parts->solve(right, columns_);
    else if (lu)
      lu->solve(right.data(), columns_);
    else
      device_->solve(right.data(), columns_);
  };
  facts_.rcond = parts ? parts->reciprocal_condition()
                 : lu  ? lu->reciprocal_condition()
                       : device_->reciprocal_condition();
  std::vector<F> y(f_.begin(), f_.end());
  solve(y);
  for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = Complex(y[k]);
  std::vector<Complex> r(f_.size());
  facts_.residual = residuals(r);
  for (int step = 0;
       step < (coarse ? most_coarse_steps : most_steps) && facts_.residual > options_.tolerance && sizeof(Real) == 8;
       ++step) {
    std::vector<F> d(r.begin(), r.end());
    solve(d);
    const std::vector<Complex> before = x_;
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += Complex(d[k]);
    const double was = facts_.residual;
    facts_.residual = residuals(r);
    ++facts_.iterations;
    if (coarse && !(facts_.residual < least_gain * was)) break;
    if (!(facts_.residual < was)) {
      x_ = before;
      facts_.residual = residuals(r);
      break;
    }
  }
  return {};
}

template <class Real>
Result<bool> BoundarySystem::Solution<Real>::solve_by_coarse_factors() {
  if (!options_.ten_bits || sizeof(Real) == 4 || options_.method != Method::mixed || !device_ || !device_->may_round())
    return false;
  const Status status = factorise_and_correct<std::complex<float>>(dense::Rounding::ten_bits);
  if (!status && status.error().code == ErrorCode::stopped) return status.error();
  if (status && facts_.residual <= options_.tolerance && facts_.rcond > least_coarse_condition) return true;
  facts_.ten_bits = false;
  device_->is_too_coarse();
  if (status)
    log::info(
        "elastic-bem: with factors of ten bits the residual is {:.1e} at a reciprocal condition of {:.1e}: factors in "
        "single precision",
        facts_.residual, facts_.rcond);
  else
    log::info("elastic-bem: factors in single precision, since there are none of ten bits: {}", status.error().text);
  return false;
}

template <class Real>
Status BoundarySystem::Solution<Real>::solve_by_factors() {
  const bool in_single = options_.method == Method::mixed || sizeof(Real) == 4;
  const auto coarse = solve_by_coarse_factors();
  if (!coarse) return coarse.error();
  if (*coarse) return {};
  if (auto status =
          in_single ? factorise_and_correct<std::complex<float>>() : factorise_and_correct<std::complex<double>>();
      !status)
    return status.error();
  // Close to singular the corrections do not converge, or to what errors of the equations make of it: then factors in double precision.
  if (in_single && sizeof(Real) == 8 &&
      (facts_.residual > std::max(residual_in_double, options_.tolerance) || facts_.rcond < 1e-6)) {
    log::info(
        "elastic-bem: with factors in single precision the residual is {:.1e} at a reciprocal condition of {:.1e}: "
        "factors in double precision",
        facts_.residual, facts_.rcond);
    if (auto status = factorise_and_correct<std::complex<double>>(); !status) return status.error();
  }
  const double least = sizeof(Real) == 8 ? least_condition : least_in_single;
  // What is not quite its own image (forces that the ground beyond the mesh gathers in places, equations for weak modes) is left to the
  // corrections, or to all equations.
  if (parted_ &&
      (facts_.residual > std::max(sizeof(Real) == 8 ? residual_in_double : residual_in_single, options_.tolerance) ||
       facts_.rcond < least)) {
    log::info(
        "elastic-bem: by parities the residual is {:.1e} at a reciprocal condition of {:.1e}: all {} equations at once",
        facts_.residual, facts_.rcond, n_);
    parted_ = false;
    return solve_by_factors();
  }
  if (facts_.rcond < least)
    return make_error(
        ErrorCode::not_converged,
        fmt::format("the equations are singular: their reciprocal condition is {:.2g}, so that errors of the mesh are "
                    "{:.1g} times as large in the answer",
                    facts_.rcond, 1 / facts_.rcond),
        "Something moves freely or resonates without damping: hold it by a boundary condition, add damping, or shift "
        "the "
        "frequency.");
  return {};
}

/// How badly the solution breaks the interior equations, against the size of their terms.
template <class Real>
void BoundarySystem::Solution<Real>::note_interior_defect() {
  const std::vector<C> xr(x_.begin(), x_.end());
  std::vector<C> y(rhs2_.size());
  dense::multiply<C>(a2_.data(), 3 * extra_, n_, xr.data(), columns_, C(0), y.data(), library_threads_);
  double detector = 0;
  for (Index c = 0; c < columns_; ++c) {
    double defect = 0, size = 0;
    for (Index k = 0; k < 3 * extra_; ++k) {
      const auto i = static_cast<std::size_t>(c * 3 * extra_ + k);
      defect += std::norm(y[i] - rhs2_[i]);
      size += std::norm(y[i]) + std::norm(rhs2_[i]);
    }
    if (size > 0) detector = std::max(detector, std::sqrt(defect / size));
  }
  facts_.chief_detector = detector;
  facts_.chief_rows = static_cast<int>(3 * extra_);
}

template <class Real>
Status BoundarySystem::Solution<Real>::add_interior_equations() {
  note_interior_defect();  // of the plain solution
  const Index rows = n_ + 3 * extra_;
  std::vector<Complex> tall(static_cast<std::size_t>(rows * n_)), right(static_cast<std::size_t>(rows * columns_));
  for (Index j = 0; j < n_; ++j) {
    std::copy_n(a_.data() + j * n_, n_, tall.begin() + j * rows);
    std::copy_n(a2_.begin() + j * 3 * extra_, 3 * extra_, tall.begin() + j * rows + n_);
  }
  for (Index c = 0; c < columns_; ++c) {
    std::copy_n(f_.begin() + c * n_, n_, right.begin() + c * rows);
    std::copy_n(rhs2_.begin() + c * 3 * extra_, 3 * extra_, right.begin() + c * rows + n_);
  }
  if (auto status = dense::least_squares<Complex>(tall.data(), rows, n_, right.data(), columns_, library_threads_);
      !status)
    return status.error();
  for (Index c = 0; c < columns_; ++c) std::copy_n(right.begin() + c * rows, n_, x_.begin() + c * n_);
  return {};
}

template <class Real>
std::vector<BoundaryValues> BoundarySystem::Solution<Real>::boundary_values() const {
  std::vector<BoundaryValues> out(cases_.size());
  for (Index c = 0; c < columns_; ++c) {
    BoundaryValues& v = out[static_cast<std::size_t>(c)];
    const LoadValues& load = cases_[static_cast<std::size_t>(c)];
    v.displacement =
        load.displacement.empty() ? std::vector<Complex3>(static_cast<std::size_t>(m_)) : load.displacement;
    v.traction = load.traction.empty() ? std::vector<Complex3>(s_.traction_node.size()) : load.traction;
    const auto& motion = accelerated_[static_cast<std::size_t>(c)];
    for (Index k = 0; k < m_; ++k)
      for (std::size_t d = 0; d < 3; ++d) {
        const auto found = [&](Index node) {
          return x_[static_cast<std::size_t>(c * n_ + static_cast<Index>(d) * m_ + node)];
        };
        if (const Index other = partner(k); other >= 0) {
          const auto node = static_cast<std::size_t>(k),
                     place = static_cast<std::size_t>(s_.node_tractions[node].front());
          v.displacement[node][d] = found(std::min(k, other));
          v.traction[place][d] = (k < other ? 1.0 : -1.0) * traction_unit_ * found(std::max(k, other));
          const RegionRows& rows = parts_[load.incident_region].rows;
          if (!load.incident_displacement.empty() && k >= rows.first_node &&
              k < rows.first_node + rows.surface->node_count()) {
            v.displacement[node][d] -= load.incident_displacement[node][d];
            v.traction[place][d] -= load.incident_traction[place][d];
          }
          continue;
        }
        const Complex value = found(k);
        const Index traction = system_.unknown_traction_[static_cast<std::size_t>(k)][d];
        if (traction < 0) {
          Complex& u = v.displacement[static_cast<std::size_t>(k)][d];
          u = value;
          for (std::size_t q = 0; q < motion.size(); ++q)
            u += motion[q] * free_.at(q, s_.nodes[static_cast<std::size_t>(k)])[d];
        } else {
          v.traction[static_cast<std::size_t>(traction)][d] = value * traction_unit_;
        }
      }
    if (far_ != nullptr) blend(*far_, *parts_.front().rows.surface, system_.unknown_traction_, v);
  }
  return out;
}

template <class Real>
Result<std::vector<BoundaryValues>> BoundarySystem::solve(
    Team& team, const Harmonic& harmonic, const FarRules<Real>& rules, std::span<const std::array<double, 9>> diagonal,
    const std::vector<LoadValues>& cases, const SolveOptions& options, SolveFacts& facts, Progress& progress,
    std::stop_token stop, SolveMemory* memory, const FarField* far) const {
  const RegionMedium<Real> one{harmonic, &rules, diagonal};
  return solve<Real>(team, std::span(&one, 1), cases, options, facts, progress, stop, memory, far);
}

template <class Real>
Result<std::vector<BoundaryValues>> BoundarySystem::solve(Team& team, std::span<const RegionMedium<Real>> media,
                                                          const std::vector<LoadValues>& cases,
                                                          const SolveOptions& options, SolveFacts& facts,
                                                          Progress& progress, std::stop_token stop, SolveMemory* memory,
                                                          const FarField* far) const {
  Solution<Real> solution(*this, team, media, cases, options, facts, stop, memory, far);
  // With interior equations the residual is that of the plain solution, which they replace.
  facts.residual_asked = solution.has_interior() ? 0 : solution.asked();
  if (auto status = solution.assemble(progress); !status) return status.error();
  const double begin = seconds_now();
  progress.begin("solution", 0, "");
  solution.complete();
  solution.right_hand_sides();
  if (auto status = solution.accelerate(); !status) return status.error();
  if (auto status = options.method == Method::compressed ? solution.solve_compressed()
                    : options.method == Method::gmres    ? solution.solve_by_gmres()
                                                         : solution.solve_by_factors();
      !status)
    return status.error();
  if (solution.has_interior() && options.method != Method::compressed)
    if (auto status = solution.add_interior_equations(); !status) return status.error();
  progress.end();
  facts.seconds_solve += seconds_now() - begin;
  if (!(facts.residual < 1e-3))
    return make_error(ErrorCode::not_converged,
                      fmt::format("the linear system was solved to a residual of {:.2g} only", facts.residual),
                      "Use parameters.solution \"direct\", and check the boundary conditions.");
  return solution.boundary_values();
}

template Result<std::vector<BoundaryValues>> BoundarySystem::solve<double>(
    Team&, const Harmonic&, const FarRules<double>&, std::span<const std::array<double, 9>>,
    const std::vector<LoadValues>&, const SolveOptions&, SolveFacts&, Progress&, std::stop_token, SolveMemory*,
    const FarField*) const;
template Result<std::vector<BoundaryValues>> BoundarySystem::solve<float>(
    Team&, const Harmonic&, const FarRules<float>&, std::span<const std::array<double, 9>>,
    const std::vector<LoadValues>&, const SolveOptions&, SolveFacts&, Progress&, std::stop_token, SolveMemory*,
    const FarField*) const;

template Result<std::vector<BoundaryValues>> BoundarySystem::solve<double>(Team&, std::span<const RegionMedium<double>>,
                                                                           const std::vector<LoadValues>&,
                                                                           const SolveOptions&, SolveFacts&, Progress&,
                                                                           std::stop_token, SolveMemory*,
                                                                           const FarField*) const;
template Result<std::vector<BoundaryValues>> BoundarySystem::solve<float>(Team&, std::span<const RegionMedium<float>>,
                                                                          const std::vector<LoadValues>&,
                                                                          const SolveOptions&, SolveFacts&, Progress&,
                                                                          std::stop_token, SolveMemory*,
                                                                          const FarField*) const;

}  // namespace conoid::elastic_bem

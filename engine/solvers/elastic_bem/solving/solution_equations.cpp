// SPDX-License-Identifier: BSD-3-Clause
// The boundary element equations of one frequency: rooms, assembly, what is beside the mesh's own elements, right-hand sides.
#include "engine/solvers/elastic_bem/solving/solution.hpp"

#include <algorithm>
#include <cmath>

#include "engine/core/seconds_now.hpp"
#include "engine/core/stop.hpp"
#include "engine/solvers/elastic_bem/discretization/far_ground.hpp"
#include "engine/solvers/elastic_bem/discretization/matrix_columns.hpp"

namespace conoid::elastic_bem {
namespace {

/// What unknown tractions are measured in: μ* over a length between those of the elements and of the whole, so that columns of G are as large
/// as those of H whatever the unit of length is.
Complex traction_unit(const Harmonic& h, const Surface& s) {
  return h.mu / std::sqrt(s.element_size * s.diameter);
}

}  // namespace

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
  if (!compressed() && options.method != Method::gmres && m_ >= least_device_rows) {
    if (!room_.device) room_.device = std::make_shared<DeviceRoom>();
    Index nodes = 1;
    for (const Element& e : s_.elements) nodes = std::max<Index>(nodes, e.nodes);
    const Bytes factor = options.method == Method::mixed || sizeof(Real) == 4 ? 8 : 16;
    device_ = DeviceSolution<Real>::make(
        team, *room_.device, *room_.panels, parted_ ? largest_parity(system.parities_) : n_, known_count, factor, nodes,
        extra_ == 0 && !has_modes && !is_free_ && !system.several() && !parted_, parted_);
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

template class BoundarySystem::Solution<double>;
template class BoundarySystem::Solution<float>;

}  // namespace conoid::elastic_bem

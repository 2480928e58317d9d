// SPDX-License-Identifier: BSD-3-Clause
// Preparation, one frequency after the other, checkpoints, estimate.
#include "engine/solvers/elastic_bem/elastic_bem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "engine/core/caught.hpp"
#include "engine/core/log.hpp"
#include "engine/core/stop.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/solvers/elastic_bem/cuda/device_pairs.hpp"
#include "engine/solvers/elastic_bem/discretization/exact.hpp"
#include "engine/solvers/elastic_bem/solving/beam.hpp"
#include "engine/solvers/elastic_bem/solving/compressed_equations.hpp"
#include "engine/solvers/elastic_bem/verify/verify.hpp"
#include "engine/team/parallel_for.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

extern const std::string_view parameters_schema;

const Problem* ElasticBem::read(const Case& input, const Mesh* mesh, const Offer& offer,
                                std::vector<Diagnostic>& out) const {
  const Reading<Problem>& reading = reading_.of(input, mesh, read_problem);
  out.insert(out.end(), reading.said.begin(), reading.said.end());
  if (!reading.problem) return nullptr;
  plan_solution(*reading.problem, input, offer, out);
  return has_errors(out) ? nullptr : reading.problem.get();
}

std::vector<Diagnostic> ElasticBem::check(const Case& input, const Mesh* mesh, const Offer& offer) const {
  std::vector<Diagnostic> out;
  const Problem* const p = read(input, mesh, offer, out);
  if (const auto count = p ? static_cast<int>(p->frequencies.size()) : 0; p && p->groups > count)
    out.push_back(
        input.warning_at(input["parameters"]["frequencies"],
                         fmt::format("{} of {} ranks have nothing to do: a rank computes a frequency, and "
                                     "there {} {}",
                                     offer.place.ranks - count, offer.place.ranks, count == 1 ? "is" : "are", count),
                         "Start as many ranks as there are frequencies, with more threads each."));
  return out;
}

namespace {

double farthest(const Vec3& from, std::span<const Vec3> points) {
  double most = 0;
  for (const Vec3& p : points) most = std::max(most, distance(from, p));
  return most;
}

}  // namespace

Team& ElasticBem::crew(RunContext& context) {
  if (!problem_->solve.deterministic || context.team.workers().size() == 1) return context.team;
  if (!merged_) merged_ = std::make_unique<Team>(std::vector<WorkerSpec>{{"cpu", context.team.threads(), 1}});
  return *merged_;
}

Status ElasticBem::make_ready(Ready& ready, const Scene& scene, RunContext& context) {
  ready.scene = &scene;
  if (problem_->profile) {
    ready.parts.emplace_back().view = problem_->regions_of(scene).front();
    ready.sites = find_sites(*scene.surface, points_);
    return {};
  }
  const double fastest =
      2 * std::numbers::pi * *std::max_element(problem_->frequencies.begin(), problem_->frequencies.end());
  for (const RegionView& view : problem_->regions_of(scene)) {
    Ready::Part& part = ready.parts.emplace_back();
    part.view = view;
    const double k = std::abs(Harmonic(*view.medium, fastest).kS);
    const Accuracy& accuracy = problem_->solve.accuracy;
    if (problem_->single)
      part.rules_single = std::make_unique<FarRules<float>>(*view.surface, accuracy, k, false, crew(context).threads());
    if (!problem_->single || !points_.empty())
      part.rules = std::make_unique<FarRules<double>>(*view.surface, accuracy, k, false, crew(context).threads());
  }
  context.progress.begin("static sums", 0, "");
  for (Ready::Part& part : ready.parts)
    part.diagonal = static_diagonal(
        crew(context), *part.view.surface, problem_->solve.accuracy, part.view.medium->nu, problem_->sum_everywhere,
        context.stop,
        problem_->solve.method == Method::compressed && scene.surface->node_count() >= least_compressed_sums
            ? compressed_sums_share * problem_->solve.compression
            : 0,
        problem_->shared() && context.cluster.size() > 1 ? &context.cluster : nullptr);
  context.progress.end();
  if (context.stop.stop_requested()) return stop_error();
  ready.sites = find_sites(*scene.surface, points_);
  ready.places = problem_->whereabouts(scene, points_);
  std::string why;
  if (!problem_->solve.accuracy.fixed8)
    ready.far = FarGround::make(*ready.parts.front().view.surface, problem_->surface_options, problem_->medium, fastest,
                                farthest(scene.surface->centre, points_), crew(context).threads(), why);
  return {};
}

Status ElasticBem::prepare(RunContext& context) {
  leads_ = context.cluster.leads();
  std::vector<Diagnostic> diagnostics;
  if (read(context.input, context.mesh.get(), context.offer, diagnostics) == nullptr)
    for (const Diagnostic& d : diagnostics)
      if (d.severity == Severity::error) return d;
  problem_ = std::move(reading_.of(context.input, context.mesh.get(), read_problem).problem);
  reading_.forget();
  const Problem& p = *problem_;
  points_ = p.observers();
  for (const Load& l : p.loads) names_.push_back(l.name);
  if (p.loads.empty())
    for (const Foundation& f : p.foundations)
      for (const char* motion : {"x", "y", "z", "rotation x", "rotation y", "rotation z"})
        names_.push_back(p.foundations.size() == 1 ? motion : f.name + " " + motion);
  if (auto status = make_ready(main_, p.scene, context); !status) return status;
  if (p.bare)
    if (auto status = make_ready(bare_, *p.bare, context); !status) return status;

  // The mesh of the elements that carry unknowns.
  const Surface& s = *p.scene.surface;
  auto points = std::make_shared<std::vector<double>>(p.scene.mesh->points());
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>();
  for (Index e = 0; e < s.active; ++e) {
    const Index cell = s.elements[static_cast<std::size_t>(e)].cell;
    const auto nodes = p.scene.mesh->nodes(cell);
    connectivity->insert(connectivity->end(), nodes.begin(), nodes.end());
    offsets->push_back(static_cast<Index>(connectivity->size()));
    types->push_back(static_cast<std::uint8_t>(p.scene.mesh->shape(cell)));
    cells_.push_back(e);
  }
  geometry_ = {points, connectivity, offsets, types};
  if (!leads_) return {};
  if (context.cluster.size() > 1)
    log::info("elastic-bem: {} frequencies by {}", p.frequencies.size(), ranks_text(p, context.cluster.size()));
  log::info(
      "elastic-bem: {} elements ({} discontinuous, {} enclosing), {} unknowns, {} rows summed statically, linear "
      "algebra by {}",
      s.active, s.discontinuous, s.elements.size() - static_cast<std::size_t>(s.active), 3 * s.node_count(),
      main_.summed_rows(), dense::backend_name());
  if (p.profile)
    log::info("elastic-bem: ground of {} layers over {}, without a mesh", p.profile->layers.size(),
              p.profile->half_space ? "a half-space" : "rigid rock");
  else if (p.solve.method == Method::compressed)
    log::info(
        "elastic-bem: matrices compressed to a relative error of {:.0e} of their far blocks, solved by iterations to a "
        "relative residual of {:.0e}",
        p.solve.compression, compressed_residual(p.solve));
  else if (const auto& parities = p.scene.system->parities(); !parities.empty())
    log::info("elastic-bem: {} planes of symmetry: {} systems of up to {} equations instead of one of {}",
              p.symmetry.size(), parities.size(),
              std::max_element(parities.begin(), parities.end(),
                               [](const Parity& a, const Parity& b) { return a.size() < b.size(); })
                  ->size(),
              3 * s.node_count());
  Results& out = context.results;
  out.number("elements", static_cast<double>(s.active), "1");
  out.number("unknowns", static_cast<double>(3 * s.node_count()), "1");
  out.number("seconds_static_sums", main_.seconds_sums(), "s");
  out.number("seconds_rigid", main_.seconds_rigid(), "s");
  return {};
}

double ElasticBem::Ready::seconds_sums() const {
  double out = 0;
  for (const Part& part : parts) out += part.diagonal.seconds_sums;
  return out;
}

double ElasticBem::Ready::seconds_rigid() const {
  double out = 0;
  for (const Part& part : parts) out += part.diagonal.seconds_rigid;
  return out;
}

Index ElasticBem::Ready::summed_rows() const {
  Index out = 0;
  for (const Part& part : parts) out += part.diagonal.summed_rows;
  return out;
}

template <class Real>
Result<std::vector<BoundaryValues>> ElasticBem::solve(const Ready& ready, double omega,
                                                      const std::vector<LoadValues>& cases, RunContext& context,
                                                      SolveFacts& facts, const FarField* far) {
  std::vector<RegionMedium<Real>> media;
  for (const Ready::Part& part : ready.parts) {
    RegionMedium<Real>& one = media.emplace_back();
    one.harmonic = Harmonic(*part.view.medium, omega);
    if constexpr (sizeof(Real) == 4)
      one.rules = part.rules_single.get();
    else
      one.rules = part.rules.get();
    one.diagonal = part.diagonal.blocks;
  }
  SolveOptions options = problem_->solve;
  options.ranks = group_.get();
  return ready.scene->system->solve<Real>(crew(context), std::span<const RegionMedium<Real>>(media), cases, options,
                                          facts, context.progress, context.stop, &memory_, far);
}

namespace {

/// The values of one region out of those of all.
std::vector<BoundaryValues> of_region(const std::vector<BoundaryValues>& all, const RegionView& r) {
  std::vector<BoundaryValues> out;
  for (const BoundaryValues& v : all) {
    const auto nodes = v.displacement.begin() + r.first_node;
    const auto tractions = v.traction.begin() + r.first_traction;
    out.push_back({{nodes, nodes + r.surface->node_count()},
                   {tractions, tractions + static_cast<Index>(r.surface->traction_node.size())}});
  }
  return out;
}

}  // namespace

Status ElasticBem::superpose(const Surface& s, std::span<const BoundaryValues> solved, const Harmonic& h,
                             const std::function<void(std::size_t, BoundaryValues&)>& add, Answer& out) const {
  const Problem& p = *problem_;
  const std::size_t n = 6 * p.foundations.size(), motions_of_nodes = node_motions(p.foundations);
  std::optional<HeadAnswers> heads;  // of beams
  if (motions_of_nodes > n) {
    auto made = answers_of_heads(s, p.foundations, solved, h.omega, [&](std::size_t q) {
      BoundaryValues whole = solved[motions_of_nodes + q];
      add(q, whole);
      return whole;
    });
    if (!made) return made.error();
    heads = std::move(*made);
    solved = heads->solved;
  }
  const std::span<const BoundaryValues> unit = solved.subspan(0, n);
  if (n > 0) out.impedance = heads ? heads->impedance : impedance(s, p.foundations, unit);
  for (std::size_t q = 0; q < shown(); ++q) {
    std::vector<Complex> d(n);
    BoundaryValues v;
    if (p.loads.empty()) {
      d[q] = 1;
      v = solved[q];
    } else {
      const Load& l = p.loads[q];
      v = solved[n + q];
      if (n > 0) {
        std::vector<Complex> fixed;
        if (heads) {
          fixed = heads->forces[q];
        } else {
          BoundaryValues whole = v;
          add(q, whole);
          fixed = held_forces(s, p.foundations, std::move(whole), nullptr);
        }
        std::vector<Complex> wrench(n);
        if (l.kind == LoadKind::machine) {
          const double factor = l.rotating ? std::pow(h.omega / (2 * std::numbers::pi), 2) : 1;
          for (std::size_t c = 0; c < 6; ++c) wrench[6 * l.foundation + c] = factor * l.wrench[c];
        }
        d = motions(p.foundations, out.impedance, h.omega, fixed, wrench,
                    p.structure ? p.structure->at(h.omega / (2 * std::numbers::pi)) : std::vector<Complex>());
        for (std::size_t k = 0; k < n; ++k) {
          if (d[k] == Complex(0)) continue;
          for (std::size_t i = 0; i < v.displacement.size(); ++i)
            for (std::size_t c = 0; c < 3; ++c) v.displacement[i][c] += d[k] * unit[k].displacement[i][c];
          for (std::size_t i = 0; i < v.traction.size(); ++i)
            for (std::size_t c = 0; c < 3; ++c) v.traction[i][c] += d[k] * unit[k].traction[i][c];
        }
      }
    }
    out.motions.push_back(std::move(d));
    out.scattered.push_back(v);
    add(q, v);
    out.total.push_back(std::move(v));
  }
  return {};
}

void ElasticBem::observe_on_element(const Surface& s, const Site& site, std::size_t k, Answer& out) const {
  const Element& e = s.elements[static_cast<std::size_t>(site.element)];
  std::array<double, most_nodes> shape{};
  e.field(site.r, site.s, shape.data());
  for (std::size_t q = 0; q < shown(); ++q)
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
      for (std::size_t c = 0; c < 3; ++c)
        out.at_points[q][k][c] += shape[a] * out.total[q].displacement[static_cast<std::size_t>(e.node[a])][c];
}

Result<Answer> ElasticBem::answer(const Ready& ready, const Harmonic& h, RunContext& context, SolveFacts& facts) {
  const Problem& p = *problem_;
  const Scene& scene = *ready.scene;
  std::vector<LoadValues> cases;
  for (const Foundation& f : p.foundations)
    for (LoadValues& v : unit_motions(*scene.system, f)) cases.push_back(std::move(v));
  for (const Load& l : p.loads) cases.push_back(load_values(p, scene, l, h));
  std::unique_ptr<FarField> far;
  if (!memory_.panels) memory_.panels = std::make_shared<PanelStore>();
  if (ready.far) {
    context.progress.begin("far ground", 0, "");
    far = std::make_unique<FarField>(*ready.far, *ready.parts.front().view.surface, p.solve.accuracy, h, crew(context),
                                     p.solve.deterministic, context.stop, memory_.panels.get());
    context.progress.end();
    if (context.stop.stop_requested()) return stop_error();
  }
  auto solved = p.single ? solve<float>(ready, h.omega, cases, context, facts, far.get())
                         : solve<double>(ready, h.omega, cases, context, facts, far.get());
  if (!solved) return solved.error();

  Answer out;
  if (!leads_group()) return out;
  std::vector<std::optional<IncidentField>> incident(shown());
  for (std::size_t q = 0; q < p.loads.size(); ++q)
    if (is_incident(p.loads[q]))
      incident[q] = *incident_field(p, p.loads[q], Harmonic(p.medium_of(p.loads[q].region), h.omega));
  const auto add = [&](std::size_t q, BoundaryValues& v) {  // in the region that the field comes from
    if (!incident[q]) return;
    const RegionView& from = ready.parts[p.loads[q].region].view;
    add_incident(*from.surface, *incident[q], v, static_cast<std::size_t>(from.first_node),
                 static_cast<std::size_t>(from.first_traction));
  };
  if (auto status = superpose(*scene.surface, *solved, h, add, out); !status) return status.error();

  if (!points_.empty())
    if (auto status = observe(ready, h, far.get(), incident, context, out); !status) return status.error();
  return out;
}

void ElasticBem::add_incident_beside_elements(const Ready& ready,
                                              const std::vector<std::optional<IncidentField>>& incident,
                                              RunContext& context, Answer& out) {
  // A point costs a millisecond where the field is an integral.
  const Interval all{0, static_cast<Index>(points_.size())};
  parallel_for(crew(context).threads(), all, 16, [&](Index n) {
    const auto k = static_cast<std::size_t>(n);
    const auto [place, region] = ready.places[k];
    if (place == Place::outside || ready.sites[k].element >= 0 || context.stop.stop_requested()) return;
    for (std::size_t q = 0; q < shown(); ++q) {
      if (!incident[q] || problem_->loads[q].region != region) continue;
      const auto in = incident[q]->displacement(points_[k]);
      for (std::size_t c = 0; c < 3; ++c) out.at_points[q][k][c] += in[c];
    }
  });
}

Status ElasticBem::observe(const Ready& ready, const Harmonic& h, const FarField* far,
                           const std::vector<std::optional<IncidentField>>& incident, RunContext& context,
                           Answer& out) {
  // On the surface by the field functions, beside the meshed ground by the far field, inside by the representation formula.
  const Problem& p = *problem_;
  const Surface& s = *ready.scene->surface;
  const auto fade = [far](const Surface& of) {
    return far != nullptr ? std::span<const double>() : std::span<const double>(of.window);
  };
  std::vector<std::vector<Complex3>> forces;
  if (far != nullptr)
    for (const BoundaryValues& v : of_region(out.scattered, ready.parts.front().view))
      forces.push_back(far->forces(v.traction, v.displacement));
  out.at_points.assign(shown(), std::vector<Complex3>(points_.size()));
  std::vector<std::vector<Vec3>> inner(ready.parts.size());  // of each region
  std::vector<std::vector<std::size_t>> where(ready.parts.size());
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const Site& site = ready.sites[k];
    const auto [place, region] = ready.places[k];
    if (place == Place::outside) continue;  // above the ground or in a hollow nothing moves
    if (site.element < 0 && region == 0 && far != nullptr && far->ground().beyond_rim(points_[k])) {
      for (std::size_t q = 0; q < shown(); ++q) out.at_points[q][k] = far->displacement(forces[q], points_[k]);
    } else if (site.element < 0) {
      inner[region].push_back(points_[k]);
      where[region].push_back(k);
    } else {
      observe_on_element(s, site, k, out);
    }
  }
  if (context.stop.stop_requested()) return stop_error();
  context.progress.begin("receivers", 0, "");
  const bool several = ready.parts.size() > 1;
  for (std::size_t r = 0; r < ready.parts.size(); ++r) {
    const Ready::Part& part = ready.parts[r];
    if (several && inner[r].empty()) continue;
    const std::vector<BoundaryValues> own =
        several ? of_region(out.scattered, part.view) : std::vector<BoundaryValues>();
    const auto u =
        displacements_at(crew(context), *part.view.surface, *part.rules, p.solve.accuracy,
                         Harmonic(*part.view.medium, h.omega), inner[r], several ? own : out.scattered, context.stop,
                         p.solve.deterministic, fade(*part.view.surface), memory_.panels.get());
    std::vector<std::vector<Complex3>> beyond;
    const bool reaches = far != nullptr && r == 0;
    if (reaches)
      beyond =
          far->beyond_at(crew(context), inner[r], forces, p.solve.deterministic, context.stop, memory_.panels.get());
    for (std::size_t q = 0; q < shown(); ++q)
      for (std::size_t k = 0; k < inner[r].size(); ++k) {
        Complex3 v = u[q][k];
        if (reaches)
          for (std::size_t c = 0; c < 3; ++c) v[c] += beyond[q][k][c];
        out.at_points[q][where[r][k]] = v;
      }
  }
  add_incident_beside_elements(ready, incident, context, out);
  context.progress.end();
  if (context.stop.stop_requested()) return stop_error();
  if (p.stresses && ready.scene == &p.scene && !p.receivers.empty())
    observe_stresses(ready, h, far, forces, incident, context, out);
  return {};
}

void ElasticBem::observe_stresses(const Ready& ready, const Harmonic& h, const FarField* far,
                                  const std::vector<std::vector<Complex3>>& forces,
                                  const std::vector<std::optional<IncidentField>>& incident, RunContext& context,
                                  Answer& out) {
  const Problem& p = *problem_;
  const Surface& s = *ready.scene->surface;
  const bool several = ready.parts.size() > 1;
  context.progress.begin("stresses", 0, "");
  std::vector<Vec3> deep;
  std::vector<std::vector<Stress>> found(shown(), std::vector<Stress>());
  for (std::size_t k = 0; k < p.receivers.size(); ++k)
    if (ready.sites[k].element < 0) deep.push_back(p.receivers[k]);
  for (auto& list : found) list.resize(deep.size());
  for (std::size_t r = 0; r < ready.parts.size(); ++r) {
    const RegionView& view = ready.parts[r].view;
    std::vector<Vec3> own;
    std::vector<std::size_t> which;
    for (std::size_t k = 0, next = 0; k < p.receivers.size(); ++k) {
      if (ready.sites[k].element >= 0) continue;
      if (ready.places[k].region == r) {
        own.push_back(p.receivers[k]);
        which.push_back(next);
      }
      ++next;
    }
    const auto there =
        stresses_at(crew(context), *view.surface, p.solve.accuracy, Harmonic(*view.medium, h.omega), own,
                    several ? of_region(out.scattered, view) : out.scattered, context.stop,
                    far != nullptr ? std::span<const double>() : std::span<const double>(view.surface->window));
    for (std::size_t q = 0; q < shown(); ++q)
      for (std::size_t k = 0; k < own.size(); ++k) found[q][which[k]] = there[q][k];
  }
  std::vector<std::vector<Stress>> more;
  if (far != nullptr) {
    std::vector<BoundaryValues> rings;
    for (const auto& f : forces) rings.push_back({far->on_rings(f), std::vector<Complex3>(far->rings().nodes.size())});
    more = stresses_at(crew(context), far->rings(), p.solve.accuracy, h, deep, rings, context.stop);
  }
  out.stresses.assign(shown(), std::vector<Stress>(p.receivers.size()));
  for (std::size_t q = 0; q < shown(); ++q)
    for (std::size_t k = 0, next = 0; k < p.receivers.size(); ++k) {
      const Site& site = ready.sites[k];
      Stress& stress = out.stresses[q][k];
      if (site.element >= 0) {
        std::size_t region = ready.parts.size() - 1;
        while (site.element < ready.parts[region].view.first_element) --region;
        stress = stress_on(s.elements[static_cast<std::size_t>(site.element)], site.r, site.s,
                           Harmonic(*ready.parts[region].view.medium, h.omega), out.total[q]);
        continue;
      }
      stress = found[q][next];
      if (far != nullptr && ready.places[k].region == 0)
        for (std::size_t c = 0; c < 6; ++c) stress[c] += more[q][next][c];
      ++next;
      if (!incident[q] || p.loads[q].region != ready.places[k].region) continue;
      const auto tx = incident[q]->traction(p.receivers[k], {1, 0, 0}),
                 ty = incident[q]->traction(p.receivers[k], {0, 1, 0}),
                 tz = incident[q]->traction(p.receivers[k], {0, 0, 1});
      const Complex own[6] = {tx[0], ty[1], tz[2], tx[1], ty[2], tz[0]};
      for (std::size_t c = 0; c < 6; ++c) stress[c] += own[c];
    }
  context.progress.end();
}

namespace {

/// Sound equations have 1e-3 to 1e-5, also where elements are graded.
constexpr double low_condition = 1e-6;

/// A residual tells nothing of errors of the matrix itself: those of quadrature and elements grow by the condition.
void warn_of_condition(const SolveFacts& facts, const Harmonic& h, double accuracy) {
  if (!(facts.rcond > 0 && facts.rcond < low_condition)) return;
  log::warning(
      "elastic-bem: at {} the equations are nearly singular, their reciprocal condition is {:.1e}: errors of the mesh "
      "and of the integrals ({:.0e}) may be many times as large in the answer; compare with a finer mesh, or a smaller "
      "parameters.accuracy",
      format_quantity(h.omega / (2 * std::numbers::pi), "Hz"), facts.rcond, accuracy);
}

/// Iterations that end before, corrections that no longer help.
void warn_of_residual(const SolveFacts& facts, const Harmonic& h) {
  if (!(facts.residual_asked > 0 && facts.residual > facts.residual_asked)) return;
  log::warning(
      "elastic-bem: at {} the equations are solved to a relative residual of {:.1e}, {:.1e} was asked for; "
      "{} no further",
      format_quantity(h.omega / (2 * std::numbers::pi), "Hz"), facts.residual, facts.residual_asked,
      facts.iterations == 0   ? "numbers in single precision reach"
      : facts.iterations == 1 ? "one step reaches"
                              : fmt::format("{} steps reach", facts.iterations));
}

}  // namespace

void ElasticBem::count(const SolveFacts& facts) {
  worst_.residual = std::max(worst_.residual, facts.residual);
  worst_.residual_asked = std::max(worst_.residual_asked, facts.residual_asked);
  worst_.rcond = worst_.rcond == 0 ? facts.rcond : std::min(worst_.rcond, facts.rcond);
  worst_.iterations = std::max(worst_.iterations, facts.iterations);
  worst_.chief_detector = std::max(worst_.chief_detector, facts.chief_detector);
  worst_.chief_rows = std::max(worst_.chief_rows, facts.chief_rows);
  worst_.compressed = std::max(worst_.compressed, facts.compressed);
  worst_.compression_error = std::max(worst_.compression_error, facts.compression_error);
  worst_.seconds_pairs += facts.seconds_pairs;
  worst_.seconds_singular += facts.seconds_singular;
  worst_.seconds_solve += facts.seconds_solve;
  worst_.work.far_points += facts.work.far_points;
  worst_.work.near_points += facts.work.near_points;
}

void ElasticBem::write_solution(RunContext& context, const Harmonic& h, const SolveFacts& facts) {
  TableInfo t;
  t.id = "solution";
  t.title = "Linear systems";
  t.form = ChartForm::none;
  t.columns = {{"f", "Hz", "frequency"},
               {"residual", "1", ""},
               {"rcond", "1", "reciprocal condition"},
               {"corrections", "1", ""},
               {"interior defect", "1", "of the plain solution"},
               {"interior equations", "1", ""},
               {"pairs", "s", ""},
               {"singular", "s", ""},
               {"solution", "s", ""}};
  context.results.table(t).append({h.omega / (2 * std::numbers::pi), facts.residual, facts.rcond,
                                   static_cast<double>(facts.iterations), facts.chief_detector,
                                   static_cast<double>(facts.chief_rows), facts.seconds_pairs, facts.seconds_singular,
                                   facts.seconds_solve});
  if (facts.compressed == 0) return;
  TableInfo c;
  c.id = "compression";
  c.title = "Compressed matrices";
  c.form = ChartForm::none;
  c.definition =
      "Error: Frobenius norm of what the far blocks lack over theirs, estimated from rows that did not serve to make "
      "them.";
  c.columns = {{"f", "Hz", "frequency"},
               {"error", "1", "sampled error"},
               {"rank", "1", "mean rank"},
               {"memory", "B", "with the preconditioner"},
               {"steps", "1", "of the iterations"}};
  context.results.table(c).append({h.omega / (2 * std::numbers::pi), facts.compression_error, facts.compression_rank,
                                   static_cast<double>(facts.compressed), static_cast<double>(facts.iterations)});
}

Result<Parcel> ElasticBem::compute(std::size_t frequency, RunContext& context) {
  const Problem& p = *problem_;
  const Harmonic h(p.medium, 2 * std::numbers::pi * p.frequencies[frequency]);
  Computed out;
  auto made = p.profile ? answer_on_layers(h, context, out.facts) : answer(main_, h, context, out.facts);
  if (!made) return made.error();
  out.answer = std::move(*made);
  if (p.bare) {
    auto without = answer(bare_, h, context, out.facts_alone);
    if (!without) return without.error();
    out.alone = std::move(without->at_points);
  }
  if (!leads_group()) return Parcel();
  return parcel_of(out);
}

/// Between the messages of a group what fails on one rank alone leaves the others waiting: all end.
Result<bool> ElasticBem::bring_round(RunContext& context) {
  Communicator& all = context.cluster;
  const auto step = static_cast<Index>(step_), steps = static_cast<Index>(problem_->frequencies.size());
  if (rounds_.waiting() > 0 || !problem_->shared() || all.size() == 1)
    return rounds_.bring(step, steps, all,
                         [&](Index frequency) { return compute(static_cast<std::size_t>(frequency), context); });
  const Index groups = std::min<Index>(problem_->groups, steps - step);
  if (groups != groups_) {
    group_.reset();
    if (groups < all.size()) group_ = all.split(static_cast<int>(all.rank() % groups));
    groups_ = groups;
  }
  const auto mine = static_cast<std::size_t>(step + all.rank() % groups);
  Parcel made;
  std::optional<Error> failed;
  try {
    auto computed = compute(mine, context);
    if (computed)
      made = std::move(*computed);
    else
      failed = computed.error();
  } catch (const std::exception&) {
    failed = current_exception_as_error();
    if (group_ && group_->size() > 1) {
      log::error("elastic-bem: rank {}: {}", all.rank(), failed->text);
      abort_all_ranks(static_cast<int>(failed->code));
    }
  }
  auto brought = rounds_.bring(step, step + groups, all, [&](Index) -> Result<Parcel> {
    if (failed) return *failed;
    return std::move(made);
  });
  // Ranks that do not lead a group know of its errors, too.
  if (failed) return *failed;
  return brought;
}

void ElasticBem::keep(Computed computed, const Harmonic& h, RunContext& context) {
  const Problem& p = *problem_;
  now_ = std::move(computed.answer);
  count(computed.facts);
  warn_of_condition(computed.facts, h, p.solve.accuracy.target);
  warn_of_residual(computed.facts, h);
  write_solution(context, h, computed.facts);
  insertion_.clear();
  if (p.bare) {
    count(computed.facts_alone);
    warn_of_condition(computed.facts_alone, h, p.solve.accuracy.target);
    warn_of_residual(computed.facts_alone, h);
    for (std::size_t q = 0; q < shown(); ++q) {
      insertion_.emplace_back();
      for (std::size_t k = 0; k < points_.size(); ++k) {
        const double with = std::abs(now_.at_points[q][k][2]), alone = std::abs(computed.alone[q][k][2]);
        // In the trench the representation formula gives zero up to its accuracy: no loss is defined there.
        const bool in_medium = with > 1e-3 * alone;
        insertion_.back().push_back(in_medium ? 20 * std::log10(std::max(alone, 1e-300) / with) : 0);
      }
    }
  }
  for (std::size_t q = 0; q < shown(); ++q)
    for (std::size_t k = 0; k < p.receivers.size(); ++k)
      for (std::size_t c = 0; c < 3; ++c) receiver_history_.push_back(now_.at_points[q][k][c]);
  std::size_t at = p.receivers.size();
  for (const LineSetting& l : p.lines)
    for (Index k = 0; k < l.count; ++k, ++at) line_history_.push_back(std::abs(now_.at_points[0][at][2]));
  impedance_history_.insert(impedance_history_.end(), now_.impedance.begin(), now_.impedance.end());
  write_rows(context, h);
  write_surface_waves(context, h);
  write_impedance(context, h);
  compare_exact(context, h);
}

Result<Advanced> ElasticBem::advance(RunContext& context) {
  const Problem& p = *problem_;
  Advanced out;
  out.steps = static_cast<Index>(p.frequencies.size());
  if (step_ < p.frequencies.size()) {
    auto brought = bring_round(context);
    if (!brought) return brought.error();
    if (!*brought) return out;  // another rank has failed
    const Parcel parcel = rounds_.take();
    const double f = p.frequencies[step_];
    if (leads_) keep(computed_of(parcel), Harmonic(p.medium, 2 * std::numbers::pi * f), context);
    ++step_;
    out.value = f;
  } else {
    out.value = p.frequencies.back();
  }
  out.step = static_cast<Index>(step_);
  out.finished = step_ >= p.frequencies.size();
  return out;
}

void ElasticBem::save(CheckpointWriter& writer) const {
  writer.value("step", static_cast<Index>(step_));
  writer.shared<Complex>("receivers", receiver_history_);
  writer.shared<double>("lines", line_history_);
  writer.shared<Complex>("impedances", impedance_history_);
  writer.value("exact error", exact_error_);
  const std::array<double, 9> facts{worst_.residual,
                                    worst_.rcond,
                                    static_cast<double>(worst_.iterations),
                                    worst_.chief_detector,
                                    static_cast<double>(worst_.chief_rows),
                                    worst_.work.far_points + worst_.work.near_points,
                                    static_cast<double>(worst_.compressed),
                                    worst_.compression_error,
                                    worst_.residual_asked};
  writer.shared<double>("facts", facts);
  rounds_.save(writer);
}

void ElasticBem::load(CheckpointReader& reader) {
  step_ = static_cast<std::size_t>(reader.value<Index>("step"));
  receiver_history_ = reader.all<Complex>("receivers");
  line_history_ = reader.all<double>("lines");
  impedance_history_.clear();  // checkpoints of before this was kept have none
  if (reader.length("impedances") > 0) impedance_history_ = reader.all<Complex>("impedances");
  exact_error_ = reader.value<double>("exact error");
  const auto facts = reader.all<double>("facts");
  worst_.residual = facts[0];
  worst_.rcond = facts[1];
  worst_.iterations = static_cast<int>(facts[2]);
  worst_.chief_detector = facts[3];
  worst_.chief_rows = static_cast<int>(facts[4]);
  worst_.work.far_points = facts[5];  // all points together; zero in a checkpoint of before this was kept
  if (facts.size() > 7) {
    worst_.compressed = static_cast<Bytes>(facts[6]);
    worst_.compression_error = facts[7];
  }
  if (facts.size() > 8) worst_.residual_asked = facts[8];
  rounds_.load(reader, leads_);
}

namespace {
/// Every phase that the team tells of. Those of a frequency are shared by ranks, what comes before the first one is done on each.
constexpr Capability phases[] = {
    {"static sums"},
    {"near sums"},
    {"rigid"},
    {"far pairs", true, true, true},
    {"near pairs", false, false, true},
    {"singular", false, false, true},
    {"factorise", true, false, true},
    {"compress", false, false, true},
    {"stresses", false, false, true},
    {"far ground", true, true, true},
    {"far ground near pairs", false, false, true},
    {"far ground sums", false, false, true},
    {"far ground responses", false, false, true},
};
}  // namespace

const SolverInfo& solver_info() {
  static const SolverInfo info{"elastic-bem",
                               "Soil vibration, frequency-domain boundary elements",
                               "Harmonic vibration of soil and solids: foundations, trenches, tunnels, incident waves; "
                               "only surfaces are meshed.",
                               parameters_schema,
                               [] { return std::unique_ptr<Solver>(std::make_unique<ElasticBem>()); },
                               verify_table,
                               bench_table,
                               nullptr,
                               phases,
                               paper_table};
  return info;
}

}  // namespace conoid::elastic_bem

// SPDX-License-Identifier: BSD-3-Clause
// Preparation, the march over frequencies and batches, checkpoints.
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/core/seconds_now.hpp"

#include "engine/core/log.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/solving/factor_place.hpp"
#include "engine/solvers/maxwell_fem/verify/verify.hpp"
#include "engine/solvers/mesh_frame.hpp"
#include "engine/team/device_worker.hpp"
#include "engine/team/parallel_for.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

extern const std::string_view parameters_schema;

namespace {
constexpr const char* device_hint = "Name one with --workers (cuda, or emulated to try), or choose the loop auto.";
bool has_device(const std::vector<WorkerSpec>& workers) {
  return std::ranges::any_of(workers, [](const WorkerSpec& w) { return !w.device.empty(); });
}
std::string no_device(std::string_view loop) {
  return fmt::format("the loop {} runs on devices, and none is among the workers", loop);
}
}  // namespace

Reading<Problem>& MaxwellFem::read(const Case& input, const Mesh* mesh) const {
  return reading_.of(input, mesh,
                     [](const Case& c, const Mesh* m, Problem* before) { return read_problem(c, m, before); });
}

std::vector<Diagnostic> MaxwellFem::check(const Case& input, const Mesh* mesh, const Offer& offer) const {
  const Reading<Problem>& reading = read(input, mesh);
  std::vector<Diagnostic> out = reading.said;
  if (reading.problem && !has_errors(out))
    for (Diagnostic& d : check_memory(input, *reading.problem, offer.host.value)) out.push_back(std::move(d));
  const bool device = has_device(offer.workers);
  if (const Values direct = input["parameters"]["direct_solver"]; direct.text() == "device" && !device)
    out.push_back(input.error_at(direct, "the direct solver device factors on a device, and none is among the workers",
                                 "Name one with --workers (cuda, or emulated to try), or choose auto."));
  const Values loop = input["truncation"]["loop"];
  if (on_devices(loop_named(loop.text())) && !device)
    out.push_back(input.error_at(loop, no_device(loop.text()), device_hint));
  return out;
}

double MaxwellFem::k() const {
  return 2 * pi * frequency() / light_speed;
}

std::string MaxwellFem::at_frequency() const {
  return problem_.frequencies.size() == 1 ? "" : " at " + format_quantity(frequency(), "Hz");
}

Index MaxwellFem::batch_size() const {
  // Vectors on S and currents of all columns at once in a quarter of the memory; the Krylov space takes another.
  const double column = 16.0 * static_cast<double>(10 * 2 * domain_.outer.size() + 3 * 4 * domain_.currents.size());
  return std::clamp<Index>(static_cast<Index>(static_cast<double>(problem_.memory) / 4 / column), 1, 512);
}

Status MaxwellFem::prepare(RunContext& context) {
  Reading<Problem>& reading = read(context.input, context.mesh.get());
  for (const Diagnostic& d : reading.said)
    if (d.severity == Severity::error && !reading.problem) return d;
  problem_ = std::move(*reading.problem);
  reading_.forget();
  problem_.memory = context.offer.host.value;
  given_ = context.mesh;
  cluster_ = &context.cluster;
  group_ = cluster_;
  stop_ = context.stop;
  bands_ = bands_of(problem_);
  begin_order();
  context.progress.begin("mesh", 0, "");
  if (Status s = enter_band(0); !s) return s;
  context.progress.end();
  note_mesh(context);
  most_groups_ = static_cast<std::size_t>(rank_groups(context.offer, std::numeric_limits<Index>::max()));
  if (cluster_->size() > 1 && cluster_->leads() && problem_.frequencies.size() > 1)
    log::info("maxwell-fem: {} frequencies by {} groups of {} ranks, each of another one as far as they go",
              problem_.frequencies.size(), most_groups_, cluster_->size());
  return {};
}

std::size_t MaxwellFem::band_of(std::size_t frequency) const {
  std::size_t b = 0;
  while (b + 1 < bands_.size() && bands_[b].last < frequency) ++b;
  return b;
}

Status MaxwellFem::enter_band(std::size_t band) {
  Meshed made;
  if (band == 0 && problem_.mesh.first) {
    made = *problem_.mesh.first;
    if (!made.mesh) made.domain->space.lies_in(*given_);
  } else {
    Problem part = in_band(problem_, bands_[band]);
    auto fresh = mesh_with_spaces(part, given_, stop_);
    if (!fresh) return fresh.error();
    made = std::move(*fresh);
  }
  const Domain& domain = *made.domain;
  // Every rank made the mesh and the spaces for itself; they must be the same.
  std::vector<double> marks{static_cast<double>(domain.free_unknowns), domain.distance, domain.currents.area()};
  std::vector<double> least = marks, most = marks;
  cluster_->minimum(std::span(least));
  cluster_->maximum(std::span(most));
  if (least != most)
    return make_error(ErrorCode::remote, "the ranks have made different meshes",
                      "Mesh the body once (conoid mesh) and name the mesh file in the case.");
  // From here on the old mesh is gone: a stop before has changed nothing.
  system_.reset();
  radiation_.reset();
  truncation_.reset();
  mesh_ = made.mesh ? made.mesh : given_;
  domain_ = std::move(*made.domain);
  problem_.mesh.first.reset();
  problem_.mesh.domain.reset();
  band_ = band;
  return prepare_view(stop_);
}

/// What the mesh of this band amounts to: numbers (of the last one in the end, the finest), a table where there are several.
void MaxwellFem::note_mesh(RunContext& context) const {
  const double top = problem_.frequencies[bands_[band_].last], wave = light_speed / top;
  log::info(
      "maxwell-fem: {} tetrahedra of order {}, {} unknowns, S {} and S' {} faces, {:.3f} wavelengths apart, longest "
      "edge {:.3f} wavelengths at {}",
      domain_.space.tets().size(), problem_.domain.order, domain_.free_unknowns, domain_.outer.faces(),
      domain_.currents.faces(), domain_.distance / wave, domain_.volume_edge / wave, format_quantity(top, "Hz"));
  Results& out = context.results;
  out.number("tetrahedra", static_cast<double>(domain_.space.tets().size()), "1");
  out.number("unknowns", static_cast<double>(domain_.free_unknowns), "1");
  out.number("faces_outer", static_cast<double>(domain_.outer.faces()), "1");
  out.number("faces_currents", static_cast<double>(domain_.currents.faces()), "1");
  out.number("distance", domain_.distance / wave, "wavelengths");
  if (bands_.size() == 1) return;
  TableInfo t;
  t.id = "bands";
  t.title = "Meshes of the bands of frequencies";
  t.form = ChartForm::none;
  t.columns = {{"from", "Hz", ""},      {"to", "Hz", ""},           {"tetrahedra", "1", ""},  {"unknowns", "1", ""},
               {"faces of S", "1", ""}, {"distance of S", "m", ""}, {"longest edge", "m", ""}};
  t.definition = "S and the elements are made anew for each band.";
  out.table(t).append({problem_.frequencies[bands_[band_].first], top, static_cast<double>(domain_.space.tets().size()),
                       static_cast<double>(domain_.free_unknowns), static_cast<double>(domain_.outer.faces()),
                       domain_.distance, domain_.volume_edge});
}

/// Gives the factors a device of the team where that is asked for or pays.
void MaxwellFem::place_on_device(DirectOptions& direct, RunContext& context) const {
  const std::vector<DeviceWorker*> devices = context.team.devices();
  std::vector<DeviceInfo> known;
  for (const DeviceWorker* d : devices) known.push_back(d->device().info());
  const int rows = thin_rows(problem_);
  const FactorWork work{static_cast<double>(domain_.free_unknowns),
                        expected_factors(domain_.free_unknowns, rows, direct).entries, group_->size(),
                        context.offer.deterministic.value};
  const FactorPlace place = place_factors(direct, work, context.team.workers(), known);
  if (!place.reason.empty()) log::info("maxwell-fem: the matrix is factored by {}", place.reason);
  if (place.device < 0) return;
  direct.device = &devices[static_cast<std::size_t>(place.device)]->device();
  direct.device_memory = place.allowed;
  direct.repeatable = work.deterministic;
}

Status MaxwellFem::factorise_frequency(RunContext& context) {
  const int threads = context.team.threads();
  context.progress.begin("factorise", 0, "");
  const double begin = seconds_now();
  for (ImpedancePatch& i : domain_.impedances)
    if (i.law) i.surface_impedance = i.law(frequency());
  system_ = std::make_unique<System>(domain_, problem_.media(frequency()), k(), problem_.form, threads);
  DirectOptions direct = problem_.direct;
  direct.memory = problem_.memory;
  const std::filesystem::path folder = context.results.folder();
  direct.scratch = folder.empty() ? temporary_folder() : folder / "scratch";
  std::error_code ec;
  std::filesystem::create_directories(direct.scratch, ec);
  direct.stop = context.stop;
  if (group_->size() > 1) direct.ranks = group_;
  place_on_device(direct, context);
  factored_on_device_ = direct.device != nullptr;
  if (Status s = system_->factor(direct); !s) {
    system_.reset();
    return s;
  }
  if (!system_->facts().on_disk && !folder.empty()) std::filesystem::remove(direct.scratch, ec);
  outcome_.facts.seconds_factor += seconds_now() - begin;
  if (direct.device != nullptr)
    log::info("maxwell-fem: {} factors, residual of a trial solution {:.1e}", system_->facts().method,
              system_->facts().residual);
  // Each entry of the factors is written once and read once.
  if (const DirectFacts& facts = system_->facts(); facts.flops > 0)
    context.team.note("factorise", facts.seconds,
                      {facts.flops, 2.0 * sizeof(Complex) * static_cast<double>(facts.entries)});
  context.progress.end();
  return {};
}

/// Whether the devices of the team have a part in the radiation: on all ranks or on none, since loops are cut into parts unlike. Several
/// workers share S by their speed, so that sums have no lasting order: not in a deterministic run.
bool MaxwellFem::devices_radiate(RunContext& context) const {
  const std::vector<WorkerSpec>& workers = context.team.workers();
  std::vector<double> all{has_device(workers) && (workers.size() == 1 || !context.offer.deterministic.value) ? 1.0
                                                                                                             : 0.0};
  group_->minimum(std::span(all));
  return all[0] > 0;
}

/// Ranks of the group without a device, where others have one.
Index MaxwellFem::ranks_without_device(RunContext& context) const {
  std::vector<double> without{has_device(context.team.workers()) ? 0.0 : 1.0};
  group_->sum(std::span(without));
  const auto count = static_cast<Index>(without[0]);
  return count < group_->size() ? count : 0;
}

/// The loop of this frequency.
Result<RadiationLoop> MaxwellFem::choose_loop(RunContext& context) {
  const RadiationLoop asked = problem_.truncation.loop;
  const bool devices = (asked == RadiationLoop::automatic || on_devices(asked)) && devices_radiate(context);
  if (asked != RadiationLoop::automatic) {
    if (!on_devices(asked) || devices) return asked;
    const std::string name = context.input["truncation"]["loop"].text();
    if (has_device(context.team.workers()))
      return make_error(ErrorCode::invalid_input,
                        fmt::format("the loop {} has no lasting order of sums where several workers share S", name),
                        "Leave compute.deterministic out, name one device alone, or choose the loop auto.");
    return make_error(ErrorCode::resources, no_device(name), device_hint);
  }
  const auto solved = static_cast<double>(outcome_.solved.size() + (check_ ? 1 : 0)),
             at_once = static_cast<double>(batch_size());
  if (const Index without = ranks_without_device(context);
      without > 0 && group_->leads() && !std::exchange(told_of_ranks_without_device_, true))
    log::warning(
        "maxwell-fem: no device takes part in the radiation, since {} of the {} ranks that share a frequency {} none",
        without, group_->size(), without == 1 ? "has" : "have");
  RadiationWork work = radiation_work(problem_, std::min(solved, at_once));
  work.applications *= std::ceil(std::max(1.0, solved) / at_once);
  work.outer_points = static_cast<double>(domain_.outer.size());
  work.current_points = static_cast<double>(domain_.currents.size());
  work.ranks = group_->size();
  RadiationRates rates = radiation_rates(context.team.workers(), context.offer.devices, true);
  if (!devices) rates.devices.clear();
  // All ranks must choose the same: the least of each number, of ranks with one device each.
  std::vector<double> least{static_cast<double>(problem_.memory), rates.multiply_adds / rates.threads, rates.copy,
                            static_cast<double>(rates.threads), static_cast<double>(rates.beside)};
  if (group_->size() > 1 && rates.devices.size() > 1) rates.devices.resize(1);
  for (const RadiationRates::OfDevice& d : rates.devices)
    least.insert(least.end(), {d.multiply_adds, d.copy, d.products, static_cast<double>(d.memory)});
  group_->minimum(std::span(least));
  rates.threads = static_cast<int>(least[3]);
  rates.beside = static_cast<int>(least[4]);
  rates.multiply_adds = least[1] * rates.threads;
  rates.copy = least[2];
  for (std::size_t d = 0; d < rates.devices.size(); ++d) {
    const double* const of = least.data() + 5 + 4 * d;
    rates.devices[d].multiply_adds = of[0];
    rates.devices[d].copy = of[1];
    rates.devices[d].products = of[2];
    rates.devices[d].memory = static_cast<Bytes>(of[3]);
  }
  const RadiationPlan plan = plan_radiation(work, rates, least[0], !context.offer.automatic);
  log::info("maxwell-fem: radiation from S' to S {}", plan.reason);
  return plan.way == RadiationWay::devices ? RadiationLoop::device
         : plan.compressed()               ? RadiationLoop::compressed
                                           : RadiationLoop::automatic;
}

Status MaxwellFem::begin_frequency(RunContext& context) {
  const int threads = context.team.threads();
  waves_ = problem_.waves(frequency());
  if (Status s = choose_waves(context); !s) return s;
  if (Status s = begin_phase(context, "near pairs"); !s) return s;
  const double begin = seconds_now();
  radiation_ = std::make_unique<Radiation>(domain_, k(), threads, 1.5, InstructionSet::avx512, context.stop);
  TruncationOptions options = problem_.truncation;
  const auto loop = choose_loop(context);
  if (!loop) return loop.error();
  options.loop = *loop;
  if (options.loop == RadiationLoop::compressed && !radiation_->stopped()) {
    radiation_->compress(0.1 * problem_.truncation.tolerance, threads, group_->rank(), group_->size());
    const CompressedRadiation& c = *radiation_->compressed();
    log::info("maxwell-fem: far blocks of rank {:.1f} on average in {}, the whole operator would be {}",
              c.average_rank(), format_bytes(c.bytes()), format_bytes(c.dense_bytes()));
    outcome_.facts.compressed_bytes = static_cast<double>(c.bytes());
  }
  if (radiation_->stopped()) return stop_error();
  outcome_.facts.seconds_near += seconds_now() - begin;
  const DirectFacts& facts = system_->facts();
  log::info("maxwell-fem: {} factors of {}{}, {} near pairs", facts.method, format_bytes(facts.bytes),
            facts.on_disk ? " on disk"
            : facts.host_bytes > 0
                ? fmt::format(" on the device and {} in the host's memory", format_bytes(facts.host_bytes))
            : facts.ranks > 1 ? fmt::format(" on this rank, shared by {}", facts.ranks)
                              : "",
            radiation_->near_blocks());
  outcome_.facts.factor_bytes = static_cast<double>(facts.bytes);
  outcome_.facts.factor_entries = static_cast<double>(facts.entries);
  outcome_.facts.factor_operations = facts.flops;
  context.results.text("direct_solver", facts.method);
  context.progress.end();
  options.memory = problem_.memory / 4;
  options.stop = context.stop;
  truncation_ = std::make_unique<Truncation>(*system_, *radiation_, options, group_);
  return {};
}

void MaxwellFem::choose_check_wave() {
  check_.reset();
  if (waves_.size() != 1 || !problem_.reciprocity) return;
  // From anywhere else, between V and H, so that symmetries of the body do not make the comparison one of zeros.
  const Direction from = problem_.incidences()[0];
  check_from_ = {std::fmod(from.theta + 1.1, pi), from.phi + 0.7};
  check_ = wave_from(check_from_, false, k());
  check_->polarisation = scale(1 / std::sqrt(2.0), add(check_from_.theta_hat(), check_from_.phi_hat()));
}

/// Which waves are solved. Of a sweep: those whose data on S are independent, found by pivoted orthogonalisation; every other
/// wave is a sum of them, and so are its fields.
Status MaxwellFem::choose_waves(RunContext& context) {
  const std::stop_token& stop = context.stop;
  const std::size_t count = waves_.size();
  std::vector<Index>& solved = outcome_.solved;
  std::vector<Complex>& mix = outcome_.mix;
  double& error = outcome_.facts.compression_error;
  solved.clear();
  mix.clear();
  error = 0;
  choose_check_wave();
  if (!problem_.monostatic || !problem_.compress || count < 8) {
    mix.assign(count * count, 0);
    for (std::size_t c = 0; c < count; ++c) {
      solved.push_back(static_cast<Index>(c));
      mix[c * count + c] = 1;
    }
    return {};
  }
  if (Status s = begin_phase(context, "choice of waves"); !s) return s;
  const Index length = system_->outer_length(), stride = std::max<Index>(1, length / 6000);
  std::vector<std::vector<Complex>> columns(count);
  parallel_for(0, {0, static_cast<Index>(count)}, 1, [&](Index c) {
    if (stop.stop_requested()) return;
    std::vector<Complex> psi(static_cast<std::size_t>(length));
    system_->incident(std::span(waves_).subspan(static_cast<std::size_t>(c), 1), psi);
    for (Index i = 0; i < length; i += stride) columns[static_cast<std::size_t>(c)].push_back(psi[i]);
  });
  if (stop.stop_requested()) return stop_error();
  const auto norm2 = [](const std::vector<Complex>& v) {
    double sum = 0;
    for (const Complex& z : v) sum += std::norm(z);
    return sum;
  };
  std::vector<double> size(count);
  const auto measure = [&](Index c) {
    size[static_cast<std::size_t>(c)] = norm2(columns[static_cast<std::size_t>(c)]);
  };
  parallel_for(0, {0, static_cast<Index>(count)}, 1, measure);
  const double most = *std::max_element(size.begin(), size.end());
  std::vector<std::vector<Complex>> r;  // rows of R
  while (solved.size() < count) {
    if (stop.stop_requested()) return stop_error();
    const auto pivot = static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
    const double largest = size[pivot];
    error = std::sqrt(std::max(largest, 0.0) / most);
    if (error <= problem_.compress_tolerance) break;
    std::vector<Complex> q = columns[pivot];
    for (Complex& z : q) z /= std::sqrt(largest);
    r.emplace_back(count);
    parallel_for(0, {0, static_cast<Index>(count)}, 1, [&](Index at) {
      const auto c = static_cast<std::size_t>(at);
      Complex dot = 0;
      for (std::size_t i = 0; i < q.size(); ++i) dot += std::conj(q[i]) * columns[c][i];
      r.back()[c] = dot;
      for (std::size_t i = 0; i < q.size(); ++i) columns[c][i] -= dot * q[i];
      measure(at);
    });
    std::fill(columns[pivot].begin(), columns[pivot].end(), Complex(0));
    size[pivot] = 0;
    solved.push_back(static_cast<Index>(pivot));
  }
  const std::size_t rank = solved.size();
  if (rank == count) error = 0;  // nothing is left out; it was that of the last wave before it was taken
  mix.assign(count * rank, 0);
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t i = rank; i-- > 0;) {
      Complex sum = r[i][c];
      for (std::size_t l = i + 1; l < rank; ++l) sum -= r[i][solved[l]] * mix[c * rank + l];
      mix[c * rank + i] = sum / r[i][solved[i]];
    }
  log::info("maxwell-fem: {} waves are sums of {} of them to {:.1e}", count, rank, error);
  return {};
}

Status MaxwellFem::begin_batch(RunContext& context) {
  std::vector<Incident> batch;
  const auto end = std::min<Index>(first_ + batch_size(), static_cast<Index>(outcome_.solved.size()));
  for (Index s = first_; s < end; ++s) batch.push_back(waves_[outcome_.solved[s]]);
  if (check_ && end > first_) batch.emplace_back(*check_);
  collected_ = 0;
  // What was restored is kept for a checkpoint until it is taken up.
  const auto started = [&]() -> Status {
    if (Status s = begin_phase(context, "sources"); !s) return s;
    if (Status s = truncation_->start(context.team, batch); !s) return s;
    return context.stop.stop_requested() ? stop_error() : Status();
  };
  if (Status s = started(); !s) {
    truncation_.reset();
    return s;
  }
  if (!restored_.data.empty()) {
    if (!truncation_->restore(restored_))
      log::warning("maxwell-fem: the checkpoint holds other right-hand sides; their iteration starts again");
    restored_ = {};
  }
  context.progress.begin("truncation" + at_frequency(), 0, "iterations");
  return {};
}

/// Fields and currents of the next block of the batch.
Status MaxwellFem::collect_block(RunContext& context) {
  const auto count = static_cast<Index>(truncation_->waves().size());
  const Index some = std::min(problem_.truncation.block, count - collected_);
  if (collected_ == 0) {
    if (Status s = begin_phase(context, "fields", count, "waves"); !s) return s;
  }
  std::vector<Complex> u, f;
  if (Status s = truncation_->fields(truncation_->psi(), collected_, some, u, f); !s) return s;
  if (first_ == 0 && collected_ == 0) {
    if (Status s = show(waves_[outcome_.solved[0]], std::span(u).first(static_cast<std::size_t>(system_->unknowns())),
                        std::span(f).first(static_cast<std::size_t>(system_->currents_length())), context);
        !s)
      return s;
    if (cluster_->leads()) {
      shown_step_ = steps_ + 1;
      shown_ = frequency();
    } else {
      outcome_.shown = shown_fields();
    }
  }
  if (problem_.radiates())
    if (Status s = collect_dipoles(u, f, some, context); !s) return s;
  if (problem_.error_bar)
    if (Status s = add_residuals(u, some, context); !s) return s;
  currents_.insert(currents_.end(), f.begin(), f.end());
  collected_ += some;
  context.progress.at(collected_);
  return {};
}

Status MaxwellFem::add_residuals(std::span<const Complex> u, Index count, RunContext& context) {
  if (collected_ == 0) {
    next_order_.reset();
    const auto waves = static_cast<Index>(truncation_->waves().size());
    // Pairs of waves need the residuals of both.
    const bool whole = first_ == 0 && waves >= static_cast<Index>(outcome_.solved.size());
    const Bytes bytes = NextOrder::bytes(domain_, waves);
    if (!whole || bytes > problem_.memory / 2) {
      if (first_ == 0)
        log::warning("maxwell-fem: no error bars: those of {} directions need {}, more than half of the memory budget",
                     outcome_.solved.size(), format_bytes(bytes));
      return {};
    }
    next_order_ =
        std::make_unique<NextOrder>(*system_, context.team.threads(), [this] { return stop_.stop_requested(); });
  }
  if (!next_order_) return {};
  next_order_->add(
      u, std::span(truncation_->psi()).subspan(static_cast<std::size_t>(collected_ * system_->outer_length())), count);
  if (!context.stop.stop_requested()) return {};
  // Residuals may be unfinished: the batch is collected anew.
  next_order_.reset();
  collected_ = 0;
  currents_.clear();
  return stop_error();
}

Status MaxwellFem::find_changes(RunContext& context) {
  if (Status s = begin_phase(context, "error bars"); !s) return s;
  auto changes = next_order_->changes();
  if (!changes) return changes.error();
  outcome_.changes = std::move(*changes);
  log::info("maxwell-fem: error bars by elements of order {} after {} solves, residual {:.1e}",
            problem_.domain.order + 1, next_order_->iterations(), next_order_->residual());
  outcome_.facts.bar_unsettled = next_order_->settled() ? 0 : 1;
  next_order_.reset();
  return {};
}

void MaxwellFem::end_batch(RunContext& context) {
  OutcomeFacts& facts = outcome_.facts;
  if (const DirectFacts& direct = system_->facts(); direct.refinements > 0) {
    if (facts.solve_residual == 0)
      log::info("maxwell-fem: factors in single precision: residuals of at most {:.1e} after {} passes over them",
                direct.residual, direct.refinements);
    facts.solve_residual = std::max(facts.solve_residual, direct.residual);
  }
  facts.iterations = std::max(facts.iterations, static_cast<double>(truncation_->iterations()));
  facts.residual = std::max(facts.residual, truncation_->largest_residual());
  facts.applications += static_cast<double>(truncation_->applications());
  if (!truncation_->converged()) {
    facts.failed = 1;
    log::warning("maxwell-fem: {}: the truncation {} after {} iterations, residual {:.2e}",
                 format_quantity(frequency(), "Hz"), truncation_->diverged() ? "diverges" : "has not converged",
                 truncation_->iterations(), truncation_->largest_residual());
  }
  first_ += static_cast<Index>(truncation_->waves().size()) - (check_ ? 1 : 0);
  context.progress.end();
}

void MaxwellFem::note_iteration(RunContext& context) {
  context.progress.at(truncation_->iterations());
  context.progress.residual(truncation_->largest_residual(), problem_.truncation.tolerance);
  outcome_.rows.push_back({truncation_->largest_residual(), static_cast<double>(truncation_->active())});
  if (frequency_ == order_[next_]) write_iterations(context);  // those of others wait until they are written
}

/// The iterations of a frequency that are not in the table yet.
void MaxwellFem::write_iterations(RunContext& context) {
  TableInfo t;
  t.id = "convergence";
  t.title = "Convergence of the truncation";
  t.y_scale = AxisScale::log;
  t.columns = {{"iteration", "1", "iteration"},
               {"residual", "1", "largest residual"},
               {"tolerance", "1", "tolerance"},
               {"active", "1", "right-hand sides that still run"}};
  t.definition = problem_.truncation.method == TruncationMethod::gmres
                     ? "Relative residual of (I - M) Psi = Psi_0, the largest of all right-hand sides."
                     : "Change of Psi over Psi in the norm of L2(S), the largest of all right-hand sides.";
  t.exact = {"tolerance"};
  Table& table = context.results.table(t);
  for (auto row = static_cast<std::size_t>(outcome_.told); row < outcome_.rows.size(); ++row)
    table.append({static_cast<double>(++iterations_), outcome_.rows[row].residual, problem_.truncation.tolerance,
                  outcome_.rows[row].active});
  outcome_.told = static_cast<double>(outcome_.rows.size());
}

namespace {
/// Every phase that the team tells of.
constexpr Capability phases[] = {
    {"factorise", false, false, true, "disk"},      {"solve", false, false, true, "disk"},
    {"radiation", false, false, true, ""},          {"radiation of one", false, false, true, ""},
    {"radiation by loops", false, false, true, ""}, {"radiation on devices", true, true, true, ""},
};
}  // namespace

const SolverInfo& solver_info() {
  static const SolverInfo info{"maxwell-fem",
                               "Electromagnetic scattering, finite elements with FE-IIEE",
                               "Radar cross sections of conducting, coated and dielectric bodies: tetrahedra close "
                               "around the body, closed by an iterated integral equation.",
                               parameters_schema,
                               [] { return std::unique_ptr<Solver>(std::make_unique<MaxwellFem>()); },
                               verify_table,
                               bench_table,
                               nullptr,
                               phases,
                               paper_table};
  return info;
}

}  // namespace conoid::maxwell_fem

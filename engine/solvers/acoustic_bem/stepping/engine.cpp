// SPDX-License-Identifier: BSD-3-Clause
// The engine for float and double.
#include "engine/solvers/acoustic_bem/stepping/engine.hpp"
#include "engine/solvers/acoustic_bem/discretization/compressed_assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/mean_pressure.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>

#include <fmt/core.h>

#include "engine/cluster/rank_share.hpp"
#include "engine/core/log.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/seconds_now.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_bem/stepping/frequency_solver.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {
namespace {

/// A rank's part of what all ranks could do alike.
Interval share(Index count, const Communicator& cluster) {
  return rank_share(count, cluster.rank(), cluster.size());
}

/// Factors of M_0 are made and solved with by one thread, of 96,042 unknowns in 14 s and 44 ms a step. Where walls differ gradients need not
/// end, and a device has its own. All ranks do alike, whose steps have the same bits then.
bool takes_gradients(const Settings& s, const Surface& surface, const Team& team, Communicator& cluster) {
  constexpr Index many = 8192;
  const bool here = s.gradients || (!surface.has_walls() && (surface.unknowns >= many || !team.devices().empty()));
  return cluster.maximum(here ? 1.0 : 0.0) > 0;
}

template <class Real>
class EngineOf final : public Engine {
 public:
  using Points = std::unique_ptr<Receivers<Real>>;

  EngineOf(const Settings& settings, const Surface& surface, const std::vector<Vec3>& plane_points,
           Matrices<Real> matrices, Points receivers, Points planes, int assembly_threads, double assembly_wall,
           Communicator& cluster, Team& team)
      : cluster_(cluster), march_(std::move(matrices), options(settings, surface, plane_points, cluster, team)),
        receivers_(std::move(receivers)), planes_(std::move(planes)),
        receiver_count_(static_cast<Index>(settings.receivers.size())),
        plane_count_(static_cast<Index>(plane_points.size())) {
    const Matrices<Real>& m = march_.matrices();
    facts_.unknowns = m.slices.rows();
    facts_.nonzeros = m.slices.nonzeros() + m.far.nonzeros();
    facts_.longest = std::max(m.slices.longest(), m.far.longest());
    facts_.pairs = static_cast<double>(m.slices.rows()) * static_cast<double>(m.slices.rows());
    if (m.skeletons) {
      facts_.pairs = m.skeletons->near.pairs() + m.skeletons->far.pairs();
      facts_.clusters = m.skeletons->leaves();
      facts_.skeleton = m.skeletons->size();
      facts_.far_error = m.far_error;
    }
    facts_.columns = march_.columns();
    facts_.factor_nonzeros = march_.instant().factor_nonzeros();
    facts_.skew = m.skew;
    facts_.assembly_seconds = m.seconds;
    facts_.evaluations = m.evaluations;
    facts_.assembly_threads = assembly_threads;
    facts_.assembly_wall = assembly_wall;
    facts_.bytes = m.slices.bytes({0, m.slices.count()}) + m.memory.bytes({0, m.memory.count()}) + m.far.bytes() +
                   (planes_ ? planes_->bytes() : 0) + (receivers_ ? receivers_->bytes() : 0);
    facts_.largest_rank_bytes = facts_.bytes;
    if (cluster.size() == 1) return;
    std::array<double, 2> sums = {static_cast<double>(facts_.nonzeros), static_cast<double>(facts_.bytes)},
                          most = {static_cast<double>(facts_.longest), static_cast<double>(facts_.bytes)};
    cluster.sum(std::span<double>(sums));
    cluster.maximum(std::span<double>(most));
    facts_.nonzeros = static_cast<Index>(sums[0]);
    facts_.bytes = static_cast<Bytes>(sums[1]);
    facts_.longest = static_cast<Index>(most[0]);
    facts_.largest_rank_bytes = static_cast<Bytes>(most[1]);
  }

  void advance(Team& team, const std::function<void(Index, Index, std::span<double>)>& l,
               const std::function<void(Index)>& each) override {
    march_.advance(team, l, each);
  }
  [[nodiscard]] Index step() const override { return march_.step(); }
  [[nodiscard]] std::span<const double> current(Index run) const override { return march_.current(run); }
  void receivers(Team& team, std::vector<double>& out) override { evaluate(receivers_, receiver_count_, team, out); }
  void planes(Team& team, std::vector<double>& out) override { evaluate(planes_, plane_count_, team, out); }
  [[nodiscard]] Index spectrum(Team& team, double omega, std::span<const std::vector<std::complex<double>>> l,
                               std::vector<std::vector<std::complex<double>>>& a,
                               std::vector<std::vector<std::complex<double>>>& received) override {
    if (!frequencies_) frequencies_.emplace(march_.matrices(), march_.instant(), &cluster_);
    frequencies_->set(team, omega);
    a.resize(l.size());
    received.resize(l.size());
    Index most = 0;
    bool converged = true;
    for (std::size_t r = 0; r < l.size(); ++r) {
      a[r].resize(l[r].size());
      const Index iterations = frequencies_->solve(team, l[r], a[r]);
      converged = converged && iterations > 0;
      most = std::max(most, iterations);
      received[r] = transformed(receivers_, receiver_count_, team, omega, a[r]);
    }
    return converged ? most : 0;
  }
  [[nodiscard]] std::vector<std::complex<double>> planes_at(Team& team, double omega,
                                                            std::span<const std::complex<double>> a) override {
    return transformed(planes_, plane_count_, team, omega, a);
  }
  [[nodiscard]] const EngineFacts& facts() const override { return facts_; }
  [[nodiscard]] std::optional<WindowStatistics> streaming() const override {
    const auto& slices = march_.matrices().slices;
    if (!slices.streams()) return std::nullopt;
    return slices.store().windows().statistics();
  }
  [[nodiscard]] MarchTimes times() const override { return march_.times(); }

  [[nodiscard]] Windows& windows() const { return march_.matrices().slices.store().windows(); }

  void save(CheckpointWriter& writer) const override {
    writer.value<Index>("step", march_.step());
    const auto kept = static_cast<std::size_t>(march_.histories().front().reach() + 1);
    std::vector<Real> past(kept);
    const auto keep = [&](const char* name, std::span<const History<Real>> histories, Index count) {
      const Interval own = share(count, cluster_);  // all ranks know all of them
      for (std::size_t r = 0; r < histories.size(); ++r)
        for (Index j = own.begin; j < own.end; ++j) {
          histories[r].save(j, past);
          writer.piece<Real>(fmt::format("{} {}", name, r), count * static_cast<Index>(kept),
                             j * static_cast<Index>(kept), past);
        }
    };
    keep("past", march_.histories(), march_.unknowns());
    keep("walls", march_.memory_histories(), static_cast<Index>(march_.matrices().memory_columns.size()));
    for (std::size_t r = 0; r < march_.poles().size(); ++r)
      writer.shared<std::complex<double>>(fmt::format("poles {}", r), march_.poles()[r]);
  }
  void load(CheckpointReader& reader) override {
    const auto step = reader.value<Index>("step");
    const auto restore = [&](const char* kind, std::vector<History<Real>>& histories, Index count) {
      for (std::size_t r = 0; r < histories.size(); ++r) {
        const std::string name = fmt::format("{} {}", kind, r);
        const Index wanted = count * (histories[r].reach() + 1);
        if (reader.length(name) != wanted)
          throw Failure(make_error(
              ErrorCode::file,
              fmt::format("the checkpoint holds {} past values, this case needs {}", reader.length(name), wanted),
              "Resume with the case, mesh and precision that wrote the checkpoint."));
        histories[r].load(step, reader.all<Real>(name));
      }
    };
    restore("past", march_.histories(), march_.unknowns());
    restore("walls", march_.memory_histories(), static_cast<Index>(march_.matrices().memory_columns.size()));
    for (std::size_t r = 0; r < march_.poles().size(); ++r)
      reader.range<std::complex<double>>(fmt::format("poles {}", r), 0, march_.poles()[r]);
    march_.restore_current();
  }

 private:
  /// Each rank the rows of its points; the others add zero to them, so that the bits do not depend on who adds.
  void evaluate(const Points& points, Index count, Team& team, std::vector<double>& out) {
    if (cluster_.size() == 1) {
      if (points) points->evaluate(team, march_.histories(), out, march_.memory_histories());
      return;
    }
    if (count == 0) return;
    const Interval own = share(count, cluster_);
    std::vector<double> mine;
    if (points) points->evaluate(team, march_.histories(), mine, march_.memory_histories());
    const auto series = static_cast<Index>(march_.histories().size()) * march_.grouped();
    out.assign(static_cast<std::size_t>(series * count), 0);
    for (Index k = 0; k < series; ++k)
      std::copy_n(mine.begin() + k * own.size(), own.size(), out.begin() + k * count + own.begin);
    cluster_.sum(std::span(out));
  }
  /// Of points at one frequency, each rank those of its share.
  std::vector<std::complex<double>> transformed(const Points& points, Index count, Team& team, double omega,
                                                std::span<const std::complex<double>> a) {
    std::vector<std::complex<double>> out(static_cast<std::size_t>(count));
    if (points) {
      const Matrices<Real>& m = march_.matrices();
      std::vector<std::complex<double>> memory;
      for (const MemoryColumn& c : m.memory_columns)
        memory.push_back(m.walls[static_cast<std::size_t>(c.wall)].transfer(std::polar(1.0, omega * m.form.dt)) *
                         a[static_cast<std::size_t>(c.unknown)]);
      const auto mine = points->transformed(team, omega, m.form.dt, a, memory);
      std::copy(mine.begin(), mine.end(), out.begin() + share(count, cluster_).begin);
    }
    if (cluster_.size() > 1) cluster_.sum(std::span<double>(reinterpret_cast<double*>(out.data()), 2 * out.size()));
    return out;
  }
  static MarchOptions options(const Settings& s, const Surface& surface, const std::vector<Vec3>& plane_points,
                              Communicator& cluster, Team& team) {
    std::vector<Vec3> points = s.receivers;
    points.insert(points.end(), plane_points.begin(), plane_points.end());
    return {.steps = s.grouped,
            .runs = static_cast<Index>(s.runs.size()),
            .reach = points.empty() ? 0 : receiver_columns(surface, s.form, points) + s.grouped,
            .conjugate_gradients = takes_gradients(s, surface, team, cluster),
            .cluster = &cluster,
            .team = &team};
  }

  Communicator& cluster_;
  March<Real> march_;
  Points receivers_, planes_;  ///< this rank's share
  Index receiver_count_, plane_count_;
  EngineFacts facts_;
  std::optional<FrequencySolver<Real>> frequencies_;
};

/// What a budget leaves for windows beside all that is resident now, windows that hold `taken` left out, and what comes later.
Bytes left_for_windows(Bytes budget, Bytes taken, Bytes later, Bytes least) {
  ::malloc_trim(0);                    // what was released, in the threads' heaps
  const Bytes rounding = budget / 64;  // of heaps and libraries: 32 MiB of 8 GiB were seen
  const Bytes resident = resident_memory(), others = resident - std::min(resident, taken) + later + rounding;
  return std::max(least, budget - std::min(budget, others));
}

/// What comes after the matrices: right-hand sides (three corners of two triangles a vertex), sums and values of a group of steps, spectra,
/// threads' heaps, tables and frames.
Bytes later_memory(const Settings& s, Index unknowns, int threads) {
  const auto steps = static_cast<Bytes>(s.grouped), spectra = static_cast<Bytes>(s.frequencies.size() + s.maps.size());
  const Bytes a_vertex = 8 * steps * (6 + 5) + 16 * spectra + 256;
  return static_cast<Bytes>(s.runs.size()) * static_cast<Bytes>(unknowns) * a_vertex +
         static_cast<Bytes>(threads) * (Bytes{4} << 20) + (Bytes{32} << 20);
}

/// What each part of the preparation took, for the log.
class Laps {
 public:
  void lap(std::string_view name) {
    const double now = seconds_now();
    text_ += fmt::format("{}{} {:.2f} s", text_.empty() ? "" : ", ", name, now - last_);
    last_ = now;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  double last_ = seconds_now();
  std::string text_;
};

/// Rows of this rank's share of some points; null: it has none.
template <class Real>
std::unique_ptr<Receivers<Real>> made_points(const Settings& settings, const Surface& surface,
                                             const std::vector<Vec3>& points, const Communicator& cluster, Team& team) {
  const Interval mine = share(static_cast<Index>(points.size()), cluster);
  const std::vector<Vec3> some(points.begin() + mine.begin, points.begin() + mine.end);
  if (some.empty()) return nullptr;
  return std::make_unique<Receivers<Real>>(surface, settings.form, some, settings.grouped, team);
}

/// Compressed matrices stay in memory.
template <class Real>
Result<std::unique_ptr<Engine>> make_compressed(const Settings& settings, const Surface& surface,
                                                const std::vector<Vec3>& plane_points, Bytes budget, Team& team,
                                                Communicator& cluster, Progress& progress,
                                                const std::stop_token& stop) {
  const auto made = [&](const std::vector<Vec3>& points) {
    return made_points<Real>(settings, surface, points, cluster, team);
  };
  auto receivers = made(settings.receivers), planes = made(plane_points);
  if (stop.stop_requested()) return make_error(ErrorCode::stopped, "Stopped during assembly.");
  const double courant = settings.shortest_delta() / surface.mean_edge;
  const Bytes later = later_memory(settings, surface.unknowns, team.threads()) +
                      march_memory(settings, surface.unknowns, courant,
                                   static_cast<Index>(surface.diameter / settings.shortest_delta()) + 2);
  const auto room = [&](Bytes needed) -> Status {
    ::malloc_trim(0);
    const Bytes all = resident_memory() + needed + later;
    const bool fits = all <= budget;
    if (cluster.minimum(fits ? 1.0 : 0.0) > 0) return {};
    return make_error(
        ErrorCode::resources,
        fmt::format("the compressed matrices of {} unknowns need {}, {} with all else; the budget is {}",
                    surface.unknowns, format_bytes(needed), format_bytes(all), format_bytes(budget)),
        "Raise compute.memory.host or parameters.compression, use single precision, or coarsen the mesh.");
  };
  const auto begin = std::chrono::steady_clock::now();
  auto matrices = assemble_compressed<Real>(surface, settings.form, settings.assembly,
                                            skeleton_options(settings, surface), room, &cluster, team, progress, stop);
  if (!matrices) return matrices.error();
  const double assembly_wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return std::unique_ptr<Engine>(std::make_unique<EngineOf<Real>>(settings, surface, plane_points, std::move(*matrices),
                                                                  std::move(receivers), std::move(planes),
                                                                  team.threads(), assembly_wall, cluster, team));
}

template <class Real>
Result<std::unique_ptr<Engine>> make(const Settings& settings, const Surface& surface,
                                     const std::vector<Vec3>& plane_points, Bytes budget, Team& team,
                                     Communicator& cluster, Progress& progress, const std::stop_token& stop) {
  if (settings.compressed())
    return make_compressed<Real>(settings, surface, plane_points, budget, team, cluster, progress, stop);
  const Bytes own = resident_memory();
  Laps laps;
  Assembly assembly(surface, settings.form, settings.assembly, &cluster);
  if (const Status s = assembly.find_extents(team, progress, stop); !s) return s.error();
  laps.lap("row extents");
  const Bytes needed = assembly.slice_bytes(sizeof(Real), team);
  const auto pairs = static_cast<Bytes>(surface.unknowns) * static_cast<Bytes>(surface.unknowns);
  const double courant = settings.shortest_delta() / surface.mean_edge;
  const auto plan_for = [&](int threads) {
    return plan_memory(settings, surface.unknowns, courant, budget, threads, own);
  };
  MemoryPlan plan = plan_for(team.threads());
  const auto too_little = [&] {
    if (cluster.size() > 1) return too_little_on_ranks(plan);
    return make_error(
        ErrorCode::resources,
        fmt::format("the matrices of {} unknowns need {}, and {} if their values lie on the disk; the budget is {}",
                    surface.unknowns, format_bytes(needed + 4 * pairs), format_bytes(plan.least), format_bytes(budget)),
        "Coarsen the mesh, use single precision, or raise compute.memory.host.");
  };
  if (plan.streams() && !plan.possible()) return too_little();
  // What has threads' scratch, until the march, is done by as many as there is room for.
  std::optional<Team> few;
  const auto crew = [&]() -> Team& {
    if (plan.threads >= team.threads()) return team;
    if (!few || few->threads() != plan.threads) few.emplace(std::vector<WorkerSpec>{{.threads = plan.threads}});
    return *few;
  };
  // Receivers come first: what they hold is then known when windows are given what is left.
  const auto made = [&](const std::vector<Vec3>& points) {
    return made_points<Real>(settings, surface, points, cluster, crew());
  };
  auto receivers = made(settings.receivers), planes = made(plane_points);
  if (stop.stop_requested()) return make_error(ErrorCode::stopped, "Stopped during assembly.");
  laps.lap("receivers and planes");
  const Bytes later = later_memory(settings, surface.unknowns, team.threads());
  ::malloc_trim(0);
  const auto streams_with = [&] { return plan.streams() || resident_memory() + needed + plan.tiles + later > budget; };
  const auto on_any_rank = [&](bool here) { return cluster.maximum(here ? 1.0 : 0.0) > 0; };
  const bool streams = on_any_rank(streams_with());
  while (streams && budget < plan.least && plan.threads > 1) plan = plan_for(plan.threads - 1);
  if (on_any_rank(streams && budget < plan.least)) return too_little();
  if (streams) {
    // The run folder may be that of another machine.
    const bool here = !settings.scratch.empty() && std::filesystem::is_directory(settings.scratch);
    const std::filesystem::path folder = here ? settings.scratch : temporary_folder();
    const Bytes beside = plan.tiles + later, least = plan.least - plan.fixed;
    assembly.stream_values([=] { return left_for_windows(budget, 0, beside, least); },
                           folder / fmt::format("slices.{}", cluster.rank()));
  }
  if (plan.threads < team.threads() && cluster.leads())
    log::info("{}. {}", text_of_fewer_threads(plan, team.threads(), surface.unknowns), hint_of_fewer_threads);
  const auto begin = std::chrono::steady_clock::now();
  auto matrices = assembly.assemble<Real>(crew(), progress, stop);
  if (!matrices) return matrices.error();
  if (!streams && holds_mean_pressure(surface)) keep_mean_pressure(*matrices, &cluster, crew());
  const double assembly_wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  laps.lap("assembly");
  if (few) {  // its samples end with it
    team.note("assembly", assembly_wall, {});
    few.reset();
  }
  // Extents and tiles are gone; past values and the near part come, and then windows get what is left.
  const auto give_windows = [&](Windows& windows, Bytes to_come) {
    windows.set_budget(left_for_windows(budget, windows.statistics().taken, to_come, plan.least - plan.fixed));
  };
  const bool windows = matrices->slices.streams();  // not on a rank without slices
  if (windows) {
    std::vector<Vec3> points = settings.receivers;
    points.insert(points.end(), plane_points.begin(), plane_points.end());
    const Index columns =
        std::max(matrices->slices.columns(), points.empty() ? 0 : receiver_columns(surface, settings.form, points));
    give_windows(matrices->slices.store().windows(),
                 later + march_memory(settings, surface.unknowns, courant, columns));
  }
  auto engine =
      std::make_unique<EngineOf<Real>>(settings, surface, plane_points, std::move(*matrices), std::move(receivers),
                                       std::move(planes), plan.threads, assembly_wall, cluster, team);
  laps.lap("near matrices and factors");
  if (cluster.leads()) log::info("acoustic-bem: prepared: {}", laps.text());
  if (windows) give_windows(engine->windows(), later);
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace

Result<std::unique_ptr<Engine>> make_engine(const Settings& settings, const Surface& surface,
                                            const std::vector<Vec3>& plane_points, Bytes budget, Team& team,
                                            Communicator& cluster, Progress& progress, const std::stop_token& stop) {
  return settings.single_precision
             ? make<float>(settings, surface, plane_points, budget, team, cluster, progress, stop)
             : make<double>(settings, surface, plane_points, budget, team, cluster, progress, stop);
}

}  // namespace conoid::acoustic_bem

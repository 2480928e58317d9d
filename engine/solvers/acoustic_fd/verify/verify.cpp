// SPDX-License-Identifier: BSD-3-Clause
// The table of exact numbers: box modes, monopole, energy, plane wave, free surface, sponge, equality of kernels.
#include "engine/solvers/acoustic_fd/verify/verify.hpp"

#include "engine/solvers/acoustic_fd/discretization/exact.hpp"
#include "engine/solvers/acoustic_fd/kernels/patch.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/solvers/acoustic_fd/verify/device_table.hpp"
#include "engine/solvers/acoustic_fd/verify/interfaces_table.hpp"
#include "engine/solvers/acoustic_fd/verify/layers_table.hpp"
#include "engine/solvers/acoustic_fd/verify/physics_table.hpp"
#include "engine/solvers/acoustic_fd/verify/recording.hpp"
#include "engine/solvers/row_team.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// A march with its team.
class Bench {
 public:
  Bench(const Problem& problem, const RowWorkers& workers)
      : problem_(problem), cluster_(single_rank()), team_(workers),
        march_(make_march(problem_, this_machine(), *cluster_)) {
    march_->start(team_, *cluster_);
  }
  void advance(Index steps) { march_->advance(team_, *cluster_, steps); }
  void step() { advance(1); }
  [[nodiscard]] double energy() { return march_->energy(team_, *cluster_).total(); }
  [[nodiscard]] std::vector<float> field() const {
    March::Cut all;
    all.count = problem_.grid.points;
    std::vector<float> out;
    march_->read(all, out);
    return out;
  }
  Traces record(Index steps) {
    Traces out(problem_.receivers.size());
    March::Recorder recorder;
    march_->advance(team_, *cluster_, steps, &recorder);
    std::vector<double> now(problem_.receivers.size());
    for (const auto& parts : recorder.samples) {
      march_->join_traces(parts, now);
      for (std::size_t n = 0; n < now.size(); ++n) out[n].push_back(now[n]);
    }
    return out;
  }

 private:
  const Problem& problem_;
  std::unique_ptr<Communicator> cluster_;
  RowTeam team_;
  std::unique_ptr<March> march_;
};

Problem homogeneous(int order, std::array<Index, 3> points, double courant_share) {
  Problem p;
  p.grid.points = points;
  p.order = order;
  p.velocity = constant_velocity(1);
  p.speed = {1, 1};
  for (auto& face : p.faces) face.kind = FaceKind::rigid;
  p.dt = courant_share * largest_time_step(stencil_of_order(order), p.grid.spacing, 1);
  return p;
}

double relative_error(const Traces& got, const Traces& exact) {
  double error = 0, size = 0;
  for (std::size_t n = 0; n < got.size(); ++n)
    for (std::size_t k = 0; k < got[n].size(); ++k) {
      error += (got[n][k] - exact[n][k]) * (got[n][k] - exact[n][k]);
      size += exact[n][k] * exact[n][k];
    }
  return std::sqrt(error / size);
}

Traces exact_traces(const Problem& p, Index steps) {
  Traces out;
  for (const Receiver& r : p.receivers) {
    const ExactTrace exact(p, r.position, static_cast<double>(steps) * p.dt);
    verify(exact.usable(), "the exact trace exists");
    out.emplace_back();
    for (Index k = 1; k <= steps; ++k) out.back().push_back(exact.at(static_cast<double>(k) * p.dt));
  }
  return out;
}

/// The monopole of the scheme with exact space and leapfrog time: every frequency ω travels with
/// k = (2/(c dt)) sin(ω dt/2). Against it the error of the stencil stands alone.
Traces time_discrete_monopole(const Signal& signal, double gain, const std::vector<double>& distances, double dt,
                              Index steps) {
  const auto n = static_cast<std::size_t>(3 * steps);
  std::vector<std::complex<double>> spectrum(n / 2 + 1);
  for (std::size_t j = 0; j < spectrum.size(); ++j) {
    const auto turn = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n));
    std::complex<double> z = 1;
    for (std::size_t i = 0; i < n; ++i, z *= turn) spectrum[j] += signal.at(static_cast<double>(i) * dt) * z;
  }
  Traces out;
  for (const double r : distances) {
    std::vector<std::complex<double>> at(spectrum.size());
    for (std::size_t j = 0; j < at.size(); ++j)
      at[j] = spectrum[j] *
              std::polar(gain / (4 * std::numbers::pi * r * static_cast<double>(n)),
                         -2 / dt * std::sin(std::numbers::pi * static_cast<double>(j) / static_cast<double>(n)) * r);
    out.emplace_back();
    for (Index k = 1; k <= steps; ++k) {
      double sum = at[0].real();
      for (std::size_t j = 1; j < at.size(); ++j)
        sum += (2 * j == n ? 1.0 : 2.0) * (at[j] * std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(j) *
                                                                       static_cast<double>(k) / static_cast<double>(n)))
                                              .real();
      out.back().push_back(sum);
    }
  }
  return out;
}

/// One octant of a monopole in free space: the source sits in the corner of three rigid faces with an eighth of its
/// strength; recording ends before the outer faces answer. `nodes`: per wavelength of the Ricker's peak.
struct Octant {
  Problem problem;
  std::vector<double> distances;
  std::shared_ptr<const Signal> signal;
  Index steps = 0;

  Octant(int order, Index nodes_a_wave, double courant_share) {
    const auto n = static_cast<double>(nodes_a_wave);
    // Receivers at 1.5 wavelengths on the axis and at (¾, ¾, ¾); the pulse (delay 1.5, half length 1) has passed at
    // 1.5 + 2.5 periods; an echo of a face at 2.9 comes after 2.9 + 1.4 + (start of the pulse at ½).
    const Index side = 29 * nodes_a_wave / 10 + 1;
    problem = homogeneous(order, {side, side, side}, courant_share);
    problem.double_precision = true;
    signal = std::make_shared<Ricker>(1 / n, 1.5 * n, 0.125);
    problem.sources.push_back({{0, 0, 0}, signal});
    problem.receivers = {{"axis", {1.5 * n, 0, 0}}, {"diagonal", {0.75 * n, 0.75 * n, 0.75 * n}}};
    distances = {1.5 * n, 0.75 * n * std::sqrt(3.0)};
    steps = static_cast<Index>(4 * n / problem.dt);
  }
};

/// A mode of the rigid box, `half_waves` along each axis, started at rest with its exact shape, marched for a quarter of
/// its period in tiny steps. Returns the error at a corner, which is that of the frequency.
double mode_error(int order, Index nodes_a_wave, const RowWorkers& workers) {
  const Index n = 2 * nodes_a_wave;  // two waves = four half waves a side
  Problem p = homogeneous(order, {n + 1, n + 1, n + 1}, 1);
  p.double_precision = true;
  const double k = 2 * std::numbers::pi / static_cast<double>(nodes_a_wave), omega = k * std::sqrt(3.0);
  constexpr int steps = 2000;
  p.dt =
      0.5 * std::numbers::pi / omega / steps;  // time error (ω dt)²/24 = 2.6e-8 of the frequency, below the stencil's
  // The field is set through a plane wave of each axis? A product of cosines needs a checkpoint: written below.
  class Start final : public CheckpointReader {
   public:
    Start(const Problem& problem, double wave, double factor) {
      for (Index x = 0; x < problem.grid.points[0]; ++x)
        for (Index y = 0; y < problem.grid.points[1]; ++y)
          for (Index z = 0; z < problem.grid.points[2]; ++z)
            now_.push_back(std::cos(wave * static_cast<double>(x)) * std::cos(wave * static_cast<double>(y)) *
                           std::cos(wave * static_cast<double>(z)));
      before_ = now_;
      for (double& v : before_) v *= factor;
    }
    [[nodiscard]] Index length(std::string_view) const override { return static_cast<Index>(now_.size()); }

   protected:
    void bytes(std::string_view name, std::size_t entry, Index begin, std::span<std::byte> out) const override {
      if (name == "step") {
        std::fill(out.begin(), out.end(), std::byte{0});
        return;
      }
      const auto& from = name == "pressure" ? now_ : before_;
      std::memcpy(out.data(), reinterpret_cast<const std::byte*>(from.data()) + static_cast<std::size_t>(begin) * entry,
                  out.size());
    }

   private:
    std::vector<double> now_, before_;
  };
  const auto cluster = single_rank();
  RowTeam team(workers);
  const auto march = make_march(p, this_machine(), *cluster);
  march->start(team, *cluster);
  Start start(p, k, std::cos(omega * p.dt));
  march->load(start, *cluster);
  for (int i = 0; i < steps; ++i) march->step(team, *cluster);
  March::Cut corner;
  std::vector<float> value;
  corner.count = {1, 1, 1};
  march->read(corner, value);
  return std::abs(static_cast<double>(value.at(0)));  // cos(π/2) = 0 exactly
}

Problem layered_closed_box(Index n, bool double_precision) {
  Problem p = homogeneous(8, {n, n + 3, n - 2}, 1);
  p.double_precision = double_precision;
  p.velocity = layered_velocity(2, 1, 0, {{0, 0.6, 0.01}, {static_cast<double>(n) / 2, 1.0, 0}});
  p.speed = p.velocity->range({0, 0, 0}, {p.grid.upper(0), p.grid.upper(1), p.grid.upper(2)});
  p.faces[5].kind = FaceKind::free_surface;
  p.faces[0].kind = FaceKind::free_surface;
  p.dt = safe_step * largest_time_step(stencil_of_order(8), p.grid.spacing, p.speed.highest);
  const double c = static_cast<double>(n) / 2;
  p.initial = {Initial::Kind::pulse, 1.0, static_cast<double>(n) / 10, {c, c, c}, 0, 0};
  return p;
}

/// The rows of this file, in their order.
class ExactTable {
 public:
  ExactTable(const TestRun& run, const VerifySink& sink) : run_(run), sink_(sink) {}

  void kernels() const {
    run_.doing("kernels against the reference");
    Problem p = layered_closed_box(33, false);
    p.faces[2] = p.faces[4] = Face{FaceKind::sponge, 7, 30};
    p.sources.push_back({{11.3, 14.8, 9.1}, std::make_shared<Ricker>(0.05, 5, 100)});
    const auto field = [&](std::string_view kernel) {
      p.kernel = kernel;
      Bench bench(p, 1);
      for (int i = 0; i < 15; ++i) bench.step();
      return bench.field();
    };
    const auto truth = field("reference");
    for (const auto name : patch_kernel_names(this_machine())) {
      if (name == "reference") continue;
      const auto got = field(name);
      double worst = 0;
      for (std::size_t i = 0; i < got.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(got[i]) - static_cast<double>(truth[i])));
      row(fmt::format("{} kernel against reference, largest difference", name), worst, "Pa", 0, false, "bitwise rule");
    }
  }

  /// Beyond order 8 the error of the mode falls below what single-precision output resolves; the monopole shows the order.
  void box_modes() const {
    if (!run_.may_want("box mode, ")) return;
    for (const int order : {2, 4, 6, 8}) {
      run_.doing(fmt::format("box mode, order {}", order));
      const Index coarse = run_.quick ? 8 : 10, fine = run_.quick ? 12 : 15;
      const double e1 = mode_error(order, coarse, run_.workers(1)), e2 = mode_error(order, fine, run_.workers(1));
      // The next term of the dispersion relation lowers the slope between 8 and 12 nodes a wave by less than 0.2.
      row(fmt::format("box mode, order {}: observed order in space", order), std::log(e1 / e2) / std::log(1.5), "1",
          order - 0.3, true, "exact mode of a rigid box");
    }
  }

  void monopoles() const {
    if (!run_.may_want("monopole, order")) return;
    for (const int order : {2, 4, 6, 8, 10, 12}) {
      if (run_.quick && order == 10) continue;
      run_.doing(fmt::format("monopole, order {}", order));
      // The wavelet begins 1.5 periods before its peak with a step of 1e-8 of it, whose waves no grid carries: about 2e-9 of the
      // traces, which order 12 reaches beyond 24 nodes.
      const std::array<Index, 2> in_a_wave =
          run_.quick || order == 12 ? std::array<Index, 2>{16, 24} : std::array<Index, 2>{24, 36};
      std::array<double, 2> error{};
      for (std::size_t i = 0; i < 2; ++i) {
        const Octant o(order, in_a_wave[i], 0.9);
        Bench bench(o.problem, workers(o.problem));
        error[i] = relative_error(bench.record(o.steps),
                                  time_discrete_monopole(*o.signal, 8, o.distances, o.problem.dt, o.steps));
      }
      row(fmt::format("monopole, order {}: error at {} nodes a wavelength", order, in_a_wave[1]), error[1], "1",
          order == 2   ? 0.06
          : order == 4 ? 0.01
                       : 1e-3,
          false, "exact, time discrete: k = 2 sin(w dt/2)/(c dt)");
      row(fmt::format("monopole, order {}: observed order in space", order),
          std::log(error[0] / error[1]) / std::log(1.5), "1", order <= 8 ? order - 0.5 : order - 1.0, true,
          "same; the Ricker's spectrum reaches 2.5 times the peak");
    }
  }

  void order_in_time() const {
    if (!run_.may_want("monopole: ")) return;
    run_.doing("monopole, order in time");
    std::array<double, 2> error{};
    for (std::size_t i = 0; i < 2; ++i) {
      const Octant o(8, 18, i == 0 ? 0.8 : 0.4);
      Bench bench(o.problem, workers(o.problem));
      const auto got = bench.record(o.steps);
      Traces exact;
      for (const double r : o.distances) {
        exact.emplace_back();
        for (Index k = 1; k <= o.steps; ++k)
          exact.back().push_back(8 * o.signal->at(static_cast<double>(k) * o.problem.dt - r) /
                                 (4 * std::numbers::pi * r));
      }
      error[i] = relative_error(got, exact);
    }
    row("monopole: observed order in time", std::log2(error[0] / error[1]), "1", 1.8, true,
        "p = s(t - r/c) / (4 pi r)");
  }

  void between_nodes() const {
    if (!run_.may_want("monopole between nodes")) return;
    run_.doing("monopole between nodes, single precision");
    const Index n = run_.quick ? 58 : 82;
    Problem p = homogeneous(8, {n, n, n}, 0.4);
    const double c = static_cast<double>(n / 2) + 0.37;
    p.sources.push_back({{c, c - 0.21, c + 0.44}, std::make_shared<Ricker>(0.1, 15, 1)});
    p.receivers = {{"a", {c + 9.3, c - 0.6, c + 4.1}}, {"b", {c - 7.2, c + 8.6, c - 5.5}}};
    for (auto& face : p.faces) face = Face{FaceKind::sponge, 0, 0};  // images of none: recording ends before echoes
    const auto steps = static_cast<Index>((static_cast<double>(n) - 18) / p.dt);
    Bench bench(p, workers(p));
    // Time error of the Ricker at 10 nodes a wave, dt at 0.4 of the limit, over 1.2 wavelengths: 0.7 %; sinc weights 0.3 %.
    row("monopole between nodes, order 8: error of the traces",
        relative_error(bench.record(steps), exact_traces(p, steps)), "1", 0.03, false, "p = s(t - r/c) / (4 pi r)");
  }

  void free_surface() const {
    if (!run_.may_want("free surface")) return;
    run_.doing("free surface");
    const Index n = run_.quick ? 44 : 60;
    Problem p = homogeneous(8, {n, n, n + 14}, 0.4);
    p.faces[5].kind = FaceKind::free_surface;
    const double top = p.grid.upper(2);
    p.sources.push_back({{0, 0, top - 11.4}, std::make_shared<Ricker>(0.1, 15, 0.25)});
    p.receivers = {{"a", {8, 8, top - 7.3}}, {"b", {13.4, 0, top - 22.2}}};
    // A quarter of the half-space: walls x = 0 and y = 0 are rigid and mirror the source fourfold.
    Problem open = p;  // the exact solution knows no outer walls
    for (const std::size_t f : {1U, 3U, 4U}) open.faces[f] = Face{FaceKind::sponge, 0, 0};
    const auto steps = static_cast<Index>((2 * static_cast<double>(n) - 15) / p.dt);
    Bench bench(p, workers(p));
    row("free surface, order 8: error against the image source",
        relative_error(bench.record(steps), exact_traces(open, steps)), "1", 0.04, false,
        "s(t - r1/c)/(4 pi r1) - s(t - r2/c)/(4 pi r2)");
  }

  void plane_wave() const {
    if (!run_.may_want("plane wave")) return;
    run_.doing("plane wave");
    const Index n = 240;
    Problem p = homogeneous(8, {n, 9, 9}, 0.9);
    p.initial = {Initial::Kind::plane, 1.0, 8.0, {50, 0, 0}, 0, 1};
    const auto steps = static_cast<Index>(130 / p.dt);
    Bench bench(p, 1);
    for (Index k = 0; k < steps; ++k) bench.step();
    const auto field = bench.field();
    double error = 0, size = 0;
    for (Index x = 0; x < n; ++x) {
      const double d = (static_cast<double>(x) - 50 - static_cast<double>(steps) * p.dt) / 8;
      const double exact = std::exp(-0.5 * d * d);
      const double got = static_cast<double>(field[static_cast<std::size_t>(x * 81 + 40)]);
      error += (got - exact) * (got - exact);
      size += exact * exact;
    }
    // Leapfrog time error over 16 widths: (c dt)²/24 · 130 · |∂³p|/|p| = 1.4 %.
    row("plane wave, order 8: error after 130 nodes", std::sqrt(error / size), "1", 0.015, false, "p = f(x - c t)");
  }

  void sponge() const {
    if (!run_.may_want("sponge of")) return;
    run_.doing("sponge");
    const Index n = run_.quick ? 42 : 66, width = 20;
    Problem p = homogeneous(8, {n + width, n + width, n + width}, 0.5);
    for (const std::size_t f : {1U, 3U, 5U}) p.faces[f] = Face{FaceKind::sponge, width, 30};
    p.sources.push_back({{0, 0, 0}, std::make_shared<Ricker>(0.1, 15, 0.125)});
    p.receivers = {{"a", {12, 0, 0}}, {"b", {8, 8, 8}}};
    const auto steps = static_cast<Index>(2.6 * static_cast<double>(n + width) / p.dt);
    Bench bench(p, workers(p));
    const auto got = bench.record(steps);
    double echo = 0, peak = 0;
    for (std::size_t r = 0; r < got.size(); ++r)
      for (Index k = 1; k <= steps; ++k) {
        const double v = std::abs(got[r][static_cast<std::size_t>(k - 1)]);
        peak = std::max(peak, v);
        if (static_cast<double>(k) * p.dt > 15 + 15 + 15) echo = std::max(echo, v);  // the pulse has gone by
      }
    // The exact image without sponge would return with r/(2(n+width)) of the peak at best.
    const double rigid = 12.0 / (2 * static_cast<double>(n + width) - 12);
    row("sponge of 20 nodes, 2 wavelengths: echo over that of a rigid wall", echo / peak / rigid, "1", 0.1, false,
        "free space is silent after the pulse");
  }

  void energy() const {
    if (!run_.may_want("closed box")) return;
    const Index thousands = run_.quick ? 10 : 100;
    for (const bool wide : {false, true}) {
      run_.doing(fmt::format("energy over {} steps", 1000 * thousands));
      const Index n = 22;
      const Problem p = layered_closed_box(n, wide);
      Bench bench(p, workers(p));
      bench.step();
      const double first = bench.energy();
      double drift = 0;
      for (Index k = 0; k < 4 * thousands; ++k) {
        bench.advance(250);
        drift = std::max(drift, std::abs(bench.energy() / first - 1));
      }
      // A rounding of ε p a cell and step changes the energy by ε p (p^{k+1} − p^{k−1}), relative ε/(ω dt) with ω dt ≈ 0.1,
      // at random over cells and steps: ε · 10 · √(10⁴/n³) ≈ 6e-7 single, 1e-15 double. Limits are twenty times that.
      row(fmt::format("closed box, {} precision: energy drift over {} steps", wide ? "double" : "single",
                      1000 * thousands),
          drift, "1", (wide ? 2e-14 : 1.2e-5) * std::sqrt(static_cast<double>(thousands) / 10), false,
          "leapfrog invariant");
    }
  }

 private:
  void row(std::string name, double value, std::string unit, double limit, bool at_least, std::string source) const {
    sink_({std::move(name), value, std::move(unit), limit, at_least, std::move(source)});
  }
  /// Small boxes have one thread, as starting others costs more than it brings.
  [[nodiscard]] RowWorkers workers(const Problem& p) const { return run_.workers(p.grid.cells() < 500000 ? 1 : 0); }

  const TestRun& run_;
  const VerifySink& sink_;
};

}  // namespace

Status verify_table(const TestRun& run, const VerifySink& sink) {
  const ExactTable table(run, sink);
  table.kernels();
  device_table(run, sink, "cuda");
  table.box_modes();
  table.monopoles();
  table.order_in_time();
  table.between_nodes();
  table.free_surface();
  table.plane_wave();
  table.sponge();
  layers_table(run, sink);
  interfaces_table(run, sink);
  time_table(run, sink);
  start_table(run, sink);
  plane_table(run, sink);
  walls_table(run, sink);
  transducer_table(run, sink);
  adjoint_table(run, sink);
  image_table(run, sink);
  table.energy();
  return {};
}

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// Images: the gradient against a wave scattered by a change of the medium, and a layered earth under 16 shots.
#include "engine/solvers/acoustic_fd/discretization/cell_means.hpp"
#include "engine/solvers/acoustic_fd/discretization/trace_filter.hpp"
#include "engine/solvers/acoustic_fd/stepping/image.hpp"
#include "engine/solvers/acoustic_fd/verify/physics_table.hpp"
#include "engine/solvers/acoustic_fd/verify/recording.hpp"
#include "engine/solvers/row_team.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// A march and what it records, level by level.
class ImageMarch {
 public:
  ImageMarch(const Problem& problem, const RowWorkers& workers)
      : problem_(problem), cluster_(single_rank()), team_(workers),
        march_(make_march(problem_, this_machine(), *cluster_)) {
    march_->start(team_, *cluster_);
  }
  [[nodiscard]] March& march() { return *march_; }
  [[nodiscard]] Communicator& cluster() { return *cluster_; }
  /// Up to the end, with stops at next(k); each(team) after each of them. Levels 1 … steps of the receivers, [receiver][level − 1].
  template <class Next, class Each>
  Traces go(const Next& next, const Each& each) {
    March::Recorder recorder;
    while (march_->steps_done() < problem_.steps) {
      const Index k = march_->steps_done();
      march_->advance(team_, *cluster_, std::min(problem_.steps, next(k)) - k, &recorder);
      each(team_);
    }
    Traces out(problem_.receivers.size());
    std::vector<double> now(problem_.receivers.size());
    for (const auto& parts : recorder.samples) {
      march_->join_traces(parts, now);
      for (std::size_t n = 0; n < now.size(); ++n) out[n].push_back(now[n]);
    }
    return out;
  }
  Traces go() {
    return go([&](Index) { return problem_.steps; }, [](Team&) {});
  }

 private:
  const Problem& problem_;
  std::unique_ptr<Communicator> cluster_;
  RowTeam team_;
  std::unique_ptr<March> march_;
};

Problem sent_by_receivers(const Problem& p, const Traces& traces) {
  Problem out = p;
  out.sources.clear();
  out.receivers.clear();
  for (std::size_t r = 0; r < p.receivers.size(); ++r) {
    Source source;
    source.position = p.receivers[r].position;
    source.signal = signal_of_steps(std::vector<double>(traces[r].rbegin(), traces[r].rend()), p.dt, 0);
    source.transposed = true;
    out.sources.push_back(std::move(source));
  }
  return out;
}

/// Sponges, a mirror, a free surface, layers of speed and density; attenuating or not.
Problem gradient_problem(bool lossy) {
  Problem p;
  p.grid.points = {35, 29, 31};
  p.grid.spacing = {1, 1.2, 0.9};
  p.order = 8;
  p.double_precision = true;
  p.steps = 120;
  p.velocity = layered_velocity(2, -1, p.grid.upper(2), {{0, 1, 0.01}, {14, 1.6, 0}});
  p.density = layered_velocity(2, -1, p.grid.upper(2), {{0, 1, 0}, {11, 2, 0.02}});
  p.reference_density = 1.4;
  p.speed = p.velocity->range(p.grid.origin, {p.grid.upper(0), p.grid.upper(1), p.grid.upper(2)});
  for (Face& face : p.faces) face = Face{FaceKind::sponge, 6, 20};
  p.faces[5] = Face{FaceKind::free_surface};
  p.faces[0] = Face{FaceKind::rigid};
  p.dt = 0.7 * largest_time_step(stencil_of_order(8), p.grid.spacing, p.speed.highest);
  p.sources.push_back({{3.3, 14, 21}, std::make_shared<Ricker>(0.04 / p.dt, 30 * p.dt, 1)});
  p.receivers = {{"R", {24.4, 17.7, 20.1}}, {"S", {2.5, 13.1, 22.2}}};
  if (lossy) {  // speeds are those of high frequency
    p.relaxations = constant_quality(10, 0.0025 / p.dt, 0.1 / p.dt, 3);
    p.stiffening = stiffening(p.relaxations, 0.04 / p.dt);
  }
  return p;
}

/// M⁻¹ h_x² Δ_h p of levels 1 …, as the march has it: what comes to a level beside the two before it.
std::vector<double> drive_of(const Problem& p, const std::vector<double>& levels) {
  std::vector<double> out(levels.size()), memory(p.relaxations.size(), 0.0);
  const double sigma = relaxation_damping(p.relaxations, p.dt);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const double next = levels[k], now = k > 0 ? levels[k - 1] : 0, before = k > 1 ? levels[k - 2] : 0;
    out[k] = next - 2 * now + before + sigma * (next - before);
    for (std::size_t l = 0; l < memory.size(); ++l) {
      const RelaxationStep step = relaxation_step(p.relaxations[l], p.dt);
      out[k] -= step.pull * (now - memory[l]);
      memory[l] = step.keep * memory[l] + step.add * (now + next);
    }
  }
  return out;
}

/// A change of the speed at some nodes makes waves of its own, whose product with what receivers send back is the same as that of the change and the
/// gradient.
double gradient_mismatch(bool lossy, const RowWorkers& workers) {
  const Problem p = gradient_problem(lossy);
  const std::vector<std::array<Index, 3>> nodes{{0, 12, 17}, {9, 14, 20}, {10, 14, 20}, {21, 11, 9}};
  const std::vector<double> change{0.3, -1, 0.7, 1};
  const Vec3& h = p.grid.spacing;
  Problem seen = p;
  seen.receivers.clear();
  for (const auto& n : nodes)
    seen.receivers.push_back({"", {p.grid.at(0, n[0]), p.grid.at(1, n[1]), p.grid.at(2, n[2])}});
  const Traces levels = ImageMarch(seen, workers).go();
  Problem scattered = p;
  scattered.sources.clear();
  std::vector<double> share;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    double c = 0;
    const Vec3& x = seen.receivers[i].position;
    p.velocity->row(x[0], x[1], x[2], 0, std::span(&c, 1));
    share.push_back(change[i] * h[0] * h[1] * h[2] * (nodes[i][0] == 0 ? 0.5 : 1));
    std::vector<double> signal = drive_of(p, levels[i]);
    for (double& value : signal) value *= 2 * p.stiffening / (c * c * c * p.dt * p.dt) * share[i];
    Source source;
    source.position = x;
    source.signal = signal_of_steps(std::move(signal), p.dt, 0);
    scattered.sources.push_back(std::move(source));
  }
  const Traces changed = ImageMarch(scattered, workers).go();
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1, 1);
  Traces sent(p.receivers.size(), std::vector<double>(static_cast<std::size_t>(p.steps)));
  for (auto& trace : sent)
    for (double& v : trace) v = value(random);

  ImageSettings settings;
  settings.kind = ImageSettings::Kind::gradient;
  settings.compressed = false;
  ImageMarch forward(p, workers);
  Imaging imaging(p, settings, plan_image(p, settings, 0, 1), forward.march());
  imaging.begin_shot();
  forward.go([&](Index k) { return imaging.next_forward(k); }, [&](Team& t) { imaging.keep(t, forward.march()); });
  const Problem returned = sent_by_receivers(p, sent);
  ImageMarch backward(returned, workers);
  backward.go([&](Index l) { return imaging.next_backward(l); },
              [&](Team& t) { imaging.correlate(t, backward.march()); });
  double first = 0, second = 0, size = 0, other = 0;
  for (std::size_t r = 0; r < sent.size(); ++r)
    for (std::size_t k = 0; k < sent[r].size(); ++k) {
      first += sent[r][k] * changed[r][k];
      size += changed[r][k] * changed[r][k];
      other += sent[r][k] * sent[r][k];
    }
  std::vector<double> plane;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    imaging.raw_plane(nodes[i][0], plane);
    second += plane[static_cast<std::size_t>(nodes[i][1] * p.grid.points[2] + nodes[i][2])] * share[i];
  }
  return std::abs(first - second) / std::sqrt(size * other);
}

/// The ground of the sample image-of-layers: interfaces 400 and 600 m deep, 16 shots, 111 receivers.
Problem layered_ground() {
  Problem p;
  p.grid.points = {141, 1, 86};
  p.grid.spacing = {10, 1, 10};
  p.grid.origin = {0, 0, -850};
  p.order = 8;
  p.velocity = layered_velocity(2, -1, 0, {{0, 2000, 0}, {400, 2400, 0}, {600, 2800, 0}});
  p.speed = {2000, 2800};
  for (Face& face : p.faces) face = Face{FaceKind::matched, 9};
  p.faces[2] = p.faces[3] = Face{FaceKind::rigid};
  p.dt = safe_step * largest_time_step(stencil_of_order(8), p.grid.stencil_spacing(), 2800);
  p.steps = static_cast<Index>(std::ceil(0.8 / p.dt));
  for (Index n = 0; n < 111; ++n) p.receivers.push_back({"", {150 + 10.0 * static_cast<double>(n), 0, -130}});
  return p;
}

/// How far the largest positive values of the image, summed over the middle 600 m, lie from the interfaces.
std::vector<double> interface_errors(const RowWorkers& workers) {
  Problem sharp = layered_ground();
  average_medium(sharp);
  Problem smooth = sharp;
  smooth_medium(smooth, 80);
  ImageSettings settings;
  settings.kind = ImageSettings::Kind::migration;
  settings.every = 4;
  settings.illumination = ImageSettings::Illumination::source;
  settings.laplacian = true;
  std::unique_ptr<Imaging> imaging;
  const auto cluster = single_rank();
  for (int n = 0; n < 16; ++n) {
    Source source;
    source.position = {250 + 60.0 * n, 0, -150};
    source.signal = std::make_shared<Ricker>(15, 0.1, 1000);
    sharp.sources = smooth.sources = {source};
    Traces traces = ImageMarch(sharp, workers).go();
    ImageMarch forward(smooth, workers);
    if (!imaging)
      imaging = std::make_unique<Imaging>(smooth, settings, plan_image(smooth, settings, 0, 1), forward.march());
    imaging->begin_shot();
    const Traces modelled = forward.go([&](Index k) { return imaging->next_forward(k); },
                                       [&](Team& t) { imaging->keep(t, forward.march()); });
    for (std::size_t r = 0; r < traces.size(); ++r)
      for (std::size_t k = 0; k < traces[r].size(); ++k) traces[r][k] -= modelled[r][k];
    const Problem returned = sent_by_receivers(smooth, traces);
    ImageMarch backward(returned, workers);
    backward.go([&](Index l) { return imaging->next_backward(l); },
                [&](Team& t) { imaging->correlate(t, backward.march()); });
  }
  March::Cut all;
  all.count = smooth.grid.points;
  std::vector<float> image;
  imaging->read(Imaging::Shown::image, all, *cluster, image);
  const auto middle = [&](Index z) {
    double sum = 0;
    for (Index x = 40; x <= 100; ++x) sum += static_cast<double>(image[static_cast<std::size_t>(x * 86 + z)]);
    return sum;
  };
  std::vector<double> out;
  for (const Index depth : {400, 600}) {
    Index best = 85 - depth / 10 - 9;
    for (Index z = best; z <= 85 - depth / 10 + 9; ++z)
      if (middle(z) > middle(best)) best = z;
    out.push_back(std::abs(static_cast<double>(850 - 10 * best - depth)));
  }
  return out;
}

}  // namespace

void image_table(const TestRun& run, const VerifySink& sink) {
  if (run.may_want("gradient")) {
    run.doing("gradient");
    // Roundings of three marches of 120 steps in double precision.
    for (const bool lossy : {false, true})
      sink(
          {fmt::format("gradient, layers of speed and density, sponges, a mirror and a free surface{}: mismatch of dot "
                       "products",
                       lossy ? ", Q 10" : ""),
           gradient_mismatch(lossy, run.workers(1)), "1", 1e-12, false, "(J dc, r) = (dc, J* r), Plessix 2006"});
  }
  if (!run.may_want("image of layers")) return;
  run.doing("image of layers");
  const std::vector<double> errors = interface_errors(run.workers(1));
  for (std::size_t i = 0; i < errors.size(); ++i)
    // Half a node, 5 m, and what smoothing does: over a deviation σ waves arrive (1/c₁ − 1/c₂) σ/√(2π) early, 6 and 4 m of depth.
    sink({fmt::format("image of layers, 16 shots: interface {} m deep", i == 0 ? 400 : 600), errors[i], "m off", 15,
          false, "where it is"});
}

}  // namespace conoid::acoustic_fd

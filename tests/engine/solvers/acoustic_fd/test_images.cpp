// SPDX-License-Identifier: BSD-3-Clause
// Gradients that are no derivative of the misfit, and images whose interfaces stand elsewhere, or hang on how the run was made.
// labels: unit timeout300
#include "engine/io/segy.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/stepping/image.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>
#include <random>

#include <fmt/core.h>

using namespace conoid;
using namespace conoid::acoustic_fd;

namespace {

constexpr Index image_steps = 90;

/// Layers of speed and a rough density, sponges, a mirror and a free surface; one source.
Problem image_problem(bool double_precision, std::array<Index, 3> points) {
  Problem p = acoustic_fd::testing::busy_problem(4, points, false, true, double_precision);
  p.density = std::make_shared<acoustic_fd::testing::RoughDensity>(1000, 2, 9);
  p.reference_density = 1400;
  p.dt *= 0.8;
  p.steps = image_steps;
  p.sources.pop_back();
  return p;
}

struct Marching {
  std::unique_ptr<Communicator> cluster = single_rank();
  Team team{{WorkerSpec{"cpu", 2, 1}}};
  std::unique_ptr<March> march;
  explicit Marching(const Problem& p) : march(make_march(p, this_machine(), *cluster)) { march->start(team, *cluster); }
  /// Levels 1 … steps, [receiver][level − 1].
  std::vector<std::vector<double>> record(const Problem& p) {
    March::Recorder recorder;
    march->advance(team, *cluster, p.steps, &recorder);
    std::vector<std::vector<double>> out(p.receivers.size());
    std::vector<double> now(p.receivers.size());
    for (const auto& parts : recorder.samples) {
      march->join_traces(parts, now);
      for (std::size_t n = 0; n < now.size(); ++n) out[n].push_back(now[n]);
    }
    return out;
  }
};

/// What receivers send of values at levels 1 … steps, backwards in time.
Problem backwards(const Problem& p, const std::vector<std::vector<double>>& values) {
  Problem out = p;
  out.sources.clear();
  out.receivers.clear();
  for (std::size_t r = 0; r < p.receivers.size(); ++r) {
    Source source{p.receivers[r].position, nullptr, 1, {}, {}};
    source.signal = signal_of_steps(std::vector<double>(values[r].rbegin(), values[r].rend()), p.dt, 0);
    source.transposed = true;
    out.sources.push_back(source);
  }
  return out;
}

/// The image of a wave forwards and of what is sent back, all planes one after the other.
std::vector<double> image_of(const Problem& there, const Problem& back, const ImageSettings& settings, Bytes windows) {
  Marching forward(there);
  ImagePlan plan = plan_image(there, settings, 0, 1);
  if (windows > 0) plan.windows = windows;
  Imaging imaging(there, settings, plan, *forward.march);
  imaging.begin_shot();
  while (forward.march->steps_done() < there.steps) {
    const Index k = forward.march->steps_done();
    forward.march->advance(forward.team, *forward.cluster, std::min(there.steps, imaging.next_forward(k)) - k);
    imaging.keep(forward.team, *forward.march);
  }
  Marching backward(back);
  while (backward.march->steps_done() < back.steps) {
    const Index l = backward.march->steps_done();
    backward.march->advance(backward.team, *backward.cluster, std::min(back.steps, imaging.next_backward(l)) - l);
    imaging.correlate(backward.team, *backward.march);
  }
  std::vector<double> all, plane;
  for (Index x = 0; x < there.grid.points[0]; ++x) {
    imaging.raw_plane(x, plane);
    all.insert(all.end(), plane.begin(), plane.end());
  }
  return all;
}

std::vector<std::vector<double>> random_traces(std::size_t receivers) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<std::vector<double>> out(receivers, std::vector<double>(image_steps));
  for (auto& trace : out)
    for (double& v : trace) v = value(random);
  return out;
}

Case resolved_image(const std::string& text, const std::filesystem::path& file = "case.json") {
  const auto document = CaseDocument::parse(text, file.string());
  const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
  const auto input = Case::resolve(document.value(), schema.value());
  if (!input) throw Failure(input.error());
  return input.value();
}

struct ImageRun {
  Case input;
  Offer offer = make_offer(input).value();
  std::unique_ptr<Communicator> cluster = single_rank();
  Team team{{WorkerSpec{"cpu", 2, 1}}};
  MemoryResults results;
  NoProgress progress;
  RunContext context{input, nullptr, team, offer, *cluster, results, progress, {}};
  std::unique_ptr<Solver> solver = solver_info().make();
  explicit ImageRun(Case of) : input(std::move(of)) {
    if (const Status s = solver->prepare(context); !s) throw Failure(s.error());
  }
  /// Up to a step, or the end.
  ImageRun& go(Index until = -1) {
    context.marks = FrameMarks({std::max<Index>(until, 0), 0, 0}, {});  // a bundle ends there
    for (;;) {
      const auto a = solver->advance(context);
      if (!a) throw Failure(a.error());
      if (a->finished || (until >= 0 && a->step >= until)) break;
    }
    if (until < 0)
      if (const Status s = solver->finish(context); !s) throw Failure(s.error());
    return *this;
  }
  [[nodiscard]] double number(std::string_view name) const {
    for (const auto& n : results.numbers)
      if (n.name == name) return n.value;
    throw Failure(make_error(ErrorCode::internal, "no number " + std::string(name)));
  }
  /// A field of the plane of x and z, x fastest.
  [[nodiscard]] std::vector<float> field(const std::string& name) const {
    FrameBuilder builder({{"plane xz"}, {name}, 0}, 0);
    solver->fill(builder);
    return *builder.finish()->parts.at(0).fields.at(0).values;
  }
};

constexpr Index taylor_nx = 61, taylor_nz = 46;

/// The plane of the test of the gradient: speeds of a file, exact in float.
std::string taylor_case(const std::string& model, const std::string& image, const std::string& lossy = "") {
  return fmt::format(
      R"({{"conoid": 1, "title": "t", "solver": "acoustic-fd",
      "grid": {{"points": [{}, 1, {}], "spacing": "10 m"}},
      "medium": {{"velocity": {{"kind": "file", "header": "{}"}}{}}},
      "boundaries": {{"x_min": {{"kind": "sponge", "width": 12}}, "x_max": {{"kind": "sponge", "width": 12}},
                     "z_min": {{"kind": "sponge", "width": 12}}, "z_max": {{"kind": "free"}}}},
      "excitation": {{"sources": [{{"position": [204, 0, 413], "signal": {{"kind": "ricker", "frequency": "22 Hz", "amplitude": 1000}}}}]}},
      "compute": {{"precision": "double"}},
      "parameters": {{"order": 8, "time_step": "1.5 ms", "steps": 260{}}},
      "output": {{"exact": false, "trace_every": 2,
                 "receiver_lines": [{{"from": [150, 0, 405], "to": [450, 0, 407.5], "count": 7}}]}}}})",
      taylor_nx, taylor_nz, model, lossy, image);
}

void write_model(const std::filesystem::path& folder, const std::string& name, const std::vector<float>& speeds) {
  std::ofstream(folder / (name + ".f32"), std::ios::binary)
      .write(reinterpret_cast<const char*>(speeds.data()), static_cast<std::streamsize>(4 * speeds.size()));
  std::ofstream(folder / (name + ".json")) << fmt::format(
      R"({{"file": "{}.f32", "type": "float32", "endian": "little", "unit": "m/s", "axes": "zyx", "shape": [{}, 1, {}],
      "spacing": ["10 m", "10 m", "10 m"], "origin": [0, 0, 0]}})",
      name, taylor_nz, taylor_nx);
}

/// δc of each node, a multiple of 16 m/s times 2^-3: blobs in the middle, nothing in sponges.
std::vector<float> taylor_change() {
  std::vector<float> out(static_cast<std::size_t>(taylor_nx * taylor_nz));
  for (Index z = 0; z < taylor_nz; ++z)
    for (Index x = 0; x < taylor_nx; ++x) {
      const double a = static_cast<double>(x - 27) / 6, b = static_cast<double>(z - 25) / 4;
      const double d = static_cast<double>(x - 38) / 4, e = static_cast<double>(z - 31) / 5;
      const double v = 32 * std::exp(-a * a - b * b) - 24 * std::exp(-d * d - e * e);
      const bool inside = x >= 12 && x < taylor_nx - 12 && z >= 12;
      out[static_cast<std::size_t>(z * taylor_nx + x)] = inside ? static_cast<float>(std::round(v * 4) / 4) : 0.0F;
    }
  return out;
}

/// Rows of line_1 as a SEG-Y file of shot 1.
void write_traces(const ImageRun& run, const std::filesystem::path& file, double interval) {
  const auto& rows = run.results.find("line_1")->rows;
  const std::size_t receivers = rows.front().size() - 1;
  std::vector<SegyTrace> headers(receivers);
  std::vector<float> values(receivers * rows.size());
  for (std::size_t r = 0; r < receivers; ++r) {
    headers[r].number = static_cast<std::int32_t>(r + 1);
    headers[r].shot = 1;
    const double f = static_cast<double>(r) / static_cast<double>(receivers - 1);
    headers[r].receiver = {150 + 300 * f, 0, 405 + 2.5 * f};
    for (std::size_t k = 0; k < rows.size(); ++k) values[r * rows.size() + k] = static_cast<float>(rows[k][r + 1]);
  }
  SegyLayout layout;
  layout.interval = interval;
  layout.samples = static_cast<Index>(rows.size());
  if (const Status s = write_segy(file, layout, headers, values); !s) throw Failure(s.error());
}

std::string shots_over_layers(const std::string& image, const std::string& more = "") {
  std::string sources;
  for (int n = 0; n < 4; ++n)
    sources += fmt::format(
        R"({}{{"position": [{}, 0, -150], "shot": {}, "signal": {{"kind": "ricker", "frequency": "15 Hz", "amplitude": 1000}}}})",
        n > 0 ? ", " : "", 360 + 160 * n, n + 1);
  return R"({"conoid": 1, "title": "t", "solver": "acoustic-fd",
    "grid": {"points": [121, 1, 86], "spacing": "10 m", "origin": [0, 0, "-850 m"]},
    "medium": {"velocity": {"kind": "layers", "layers": [{"speed": 2000}, {"top": 400, "speed": 2400}, {"top": 600, "speed": 2800}]}},
    "excitation": {"sources": [)" +
         sources + R"(]}, "parameters": {"order": 8, "duration": "0.75 s", "image": )" + image +
         R"(}, "output": {"exact": false, "receiver_lines": [{"from": [150, 0, -130], "to": [1050, 0, -130], "count": 91}]})" +
         more + "}";
}

}  // namespace

class TestImages : public QObject {
  Q_OBJECT

 private slots:
  /// SEG-Y keeps tenths of a millimetre: receivers of an ultrasonic survey, two of which lie at one place there, find the traces of their run.
  void receivers_find_the_traces_of_a_run_that_were_rounded() {
    QTemporaryDir folder;
    const std::filesystem::path base = folder.path().toStdString();
    std::filesystem::create_directories(base / "traces");
    const std::vector<double> places{0.01, 0.01034, 0.01036, 0.01044, 0.02006};  // m; grid of 0.2 mm
    std::vector<Receiver> receivers;
    std::vector<SegyTrace> traces;
    std::vector<float> values;
    for (std::size_t r = 0; r < places.size(); ++r) {
      receivers.push_back({"", {places[r], 0, -0.0022}, {}, 1000});
      SegyTrace trace;
      trace.shot = 1;
      trace.channel = static_cast<std::int32_t>(r + 1);
      trace.receiver = receivers.back().position;
      traces.push_back(trace);
      for (int k = 0; k < 3; ++k) values.push_back(static_cast<float>(10 * r + static_cast<std::size_t>(k)));
    }
    SegyLayout layout;
    layout.interval = 1e-6;
    layout.samples = 3;
    QVERIFY(write_segy(base / "traces" / "shot-1.sgy", layout, traces, values).ok());
    ImageSettings settings;
    settings.observed = ImageSettings::Observed::run;
    settings.file = base;
    const auto own = read_observed(settings, 1, true, receivers, 0.05 * 2e-4);
    QVERIFY2(own.ok(), own ? "" : own.error().text.c_str());
    QVERIFY(std::all_of(own->known.begin(), own->known.end(), [](char known) { return known != 0; }));
    QVERIFY(own->values == values);
    // Of a file of others only the first receiver lies where a trace does.
    settings.observed = ImageSettings::Observed::segy;
    settings.file = base / "traces" / "shot-1.sgy";
    const auto other = read_observed(settings, 1, true, receivers, 0.05 * 2e-4);
    QVERIFY(other.ok() && other->known == (std::vector<char>{1, 0, 0, 0, 0}));
  }

  void the_gradient_is_the_transpose_of_what_a_change_of_the_speed_does_to_the_traces() {
    Problem p = image_problem(true, {26, 21, 23});
    // Some nodes whose speed changes, one of them on the rigid face, where a node stands for half a cell.
    const std::vector<std::array<Index, 3>> nodes{{0, 9, 9}, {5, 7, 8}, {6, 7, 8}, {11, 12, 14}, {17, 9, 13}};
    const std::vector<double> change{0.3, -1, 0.7, 1, -0.4};
    const auto place = [&](const std::array<Index, 3>& n) {
      return Vec3{p.grid.at(0, n[0]), p.grid.at(1, n[1]), p.grid.at(2, n[2])};
    };
    const auto speed = [&](const std::array<Index, 3>& n) {
      double c = 0;
      const Vec3 x = place(n);
      p.velocity->row(x[0], x[1], x[2], 0, std::span(&c, 1));
      return c;
    };
    const Vec3& h = p.grid.spacing;
    const auto volume = [&](const std::array<Index, 3>& n) { return h[0] * h[1] * h[2] * (n[0] == 0 ? 0.5 : 1.0); };

    Problem seen = p;
    seen.receivers.clear();
    for (const auto& node : nodes) seen.receivers.push_back({"n", place(node)});
    const auto levels = Marching(seen).record(seen);
    Problem scattered = p;
    scattered.sources.clear();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double c = speed(nodes[i]);
      std::vector<double> signal(image_steps);
      for (std::size_t k = 0; k < signal.size(); ++k) {  // levels[i][k] is level k + 1
        const double next = levels[i][k], now = k > 0 ? levels[i][k - 1] : 0, before = k > 1 ? levels[i][k - 2] : 0;
        signal[k] = 2 / (c * c * c * p.dt * p.dt) * change[i] * volume(nodes[i]) * (next - 2 * now + before);
      }
      scattered.sources.push_back({place(nodes[i]), signal_of_steps(std::move(signal), p.dt, 0), 1, {}, {}});
    }
    const auto changed = Marching(scattered).record(scattered);

    const auto sent = random_traces(p.receivers.size());
    ImageSettings settings;
    settings.kind = ImageSettings::Kind::gradient;
    settings.compressed = false;
    const std::vector<double> gradient = image_of(p, backwards(p, sent), settings, 0);
    double first = 0, second = 0, size = 0, other = 0;
    for (std::size_t r = 0; r < sent.size(); ++r)
      for (std::size_t k = 0; k < sent[r].size(); ++k) {
        first += sent[r][k] * changed[r][k];
        size += changed[r][k] * changed[r][k];
        other += sent[r][k] * sent[r][k];
      }
    const auto& n = p.grid.points;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      second += gradient[static_cast<std::size_t>((nodes[i][0] * n[1] + nodes[i][1]) * n[2] + nodes[i][2])] *
                change[i] * volume(nodes[i]);
    QVERIFY(size > 0 && std::abs(first) > 1e-3 * std::sqrt(size * other));
    const double mismatch = std::abs(first - second) / std::sqrt(size * other);
    QVERIFY2(mismatch < 1e-12, qPrintable(QString("%1: %2 and %3").arg(mismatch).arg(first).arg(second)));
  }

  void windows_and_streamed_grids_give_the_bits_of_memory() {
    for (const bool compressed : {false, true}) {
      Problem p = image_problem(false, {61, 15, 23});
      if (compressed) p.relaxations = {{0.05, 60 * p.dt}, {0.08, 5 * p.dt}};
      ImageSettings settings;
      settings.kind = ImageSettings::Kind::gradient;
      settings.every = 7;  // not a divisor of the steps
      settings.compressed = compressed;
      const Problem back = backwards(p, random_traces(p.receivers.size()));
      const std::vector<double> whole = image_of(p, back, settings, 0);
      QVERIFY(*std::max_element(whole.begin(), whole.end()) > 0);
      // A tenth of what snapshots take: most of them go to the disk and come back.
      QCOMPARE(image_of(p, back, settings, plan_image(p, settings, 0, 1).all() / 10), whole);
      Problem small = p, small_back = back;
      small.memory = small_back.memory = march_bytes(p, 1) * 2 / 3;
      QVERIFY(make_march(small, this_machine(), *single_rank())->streams());
      QCOMPARE(image_of(small, small_back, settings, 1 << 16), whole);
    }
  }

  void sixteen_bits_are_as_good_as_they_are_said_to_be() {
    const Problem p = image_problem(false, {26, 21, 23}), back = backwards(p, random_traces(p.receivers.size()));
    ImageSettings settings;
    settings.kind = ImageSettings::Kind::gradient;
    settings.compressed = false;
    const std::vector<double> full = image_of(p, back, settings, 0);
    settings.compressed = true;
    const std::vector<double> packed = image_of(p, back, settings, 0);
    double off = 0, size = 0;
    for (std::size_t i = 0; i < full.size(); ++i) {
      off += (packed[i] - full[i]) * (packed[i] - full[i]);
      size += full[i] * full[i];
    }
    // Each product is off by at most 1.6e-5 of the largest value near by.
    QVERIFY(off > 0);
    QVERIFY2(std::sqrt(off / size) < 3e-5, qPrintable(QString::number(std::sqrt(off / size))));
  }

  void the_misfit_changes_by_the_gradient_to_second_order_data() {
    QTest::addColumn<QString>("lossy");
    QTest::newRow("without attenuation") << "";
    QTest::newRow("Q 15") << R"(, "attenuation": {"kind": "constant_q", "quality": 15})";
  }
  void the_misfit_changes_by_the_gradient_to_second_order() {
    QFETCH(QString, lossy);
    const std::string more = lossy.toStdString();
    QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    const std::vector<float> change = taylor_change();
    std::vector<float> true_speed(change.size()), speed(change.size());
    for (std::size_t i = 0; i < change.size(); ++i) {
      const auto z = static_cast<Index>(i) / taylor_nx;
      speed[i] = 2048 + 4 * static_cast<float>(taylor_nz - 1 - z);
      true_speed[i] = speed[i] + (z < 16 ? 200.0F : 0.0F) + (z > 34 ? -64.0F : 0.0F);
    }
    write_model(folder, "true", true_speed);
    const auto path = folder / "case.json";
    ImageRun observed(resolved_image(taylor_case("true.json", "", more), path));
    write_traces(observed.go(), folder / "shot-1.sgy", 3e-3);
    const std::string image =
        R"(, "image": {"kind": "gradient", "every": 1, "observed": {"kind": "segy", "file": "shot-1.sgy"}})";
    const auto misfit = [&](double h, std::vector<float>* gradient) {
      std::vector<float> c = speed;
      for (std::size_t i = 0; i < c.size(); ++i) c[i] += static_cast<float>(h) * change[i];
      write_model(folder, "model", c);
      ImageRun run(resolved_image(taylor_case("model.json", image, more), path));
      run.go();
      if (gradient) *gradient = run.field("gradient");
      return run.number("misfit");
    };
    std::vector<float> gradient;
    const double at_zero = misfit(0, &gradient);
    double slope = 0;
    for (std::size_t i = 0; i < change.size(); ++i)
      slope += static_cast<double>(gradient[i]) * static_cast<double>(change[i]) * 10 * 10;
    std::vector<double> first, second;
    for (const double step : {0.5, 0.25, 0.125}) {
      const double now = misfit(step, nullptr);
      first.push_back(std::abs(now - at_zero));
      second.push_back(std::abs(now - at_zero - step * slope));
    }
    QVERIFY(at_zero > 0 && std::abs(slope) > 1e-3 * at_zero);
    for (std::size_t i = 1; i < first.size(); ++i) {
      const double order = std::log2(second[i - 1] / second[i]);
      QVERIFY2(std::abs(std::log2(first[i - 1] / first[i]) - 1) < 0.2, qPrintable(QString::number(first[i])));
      QVERIFY2(std::abs(order - 2) < 0.1,
               qPrintable(QString("order %1, remainder %2 of %3").arg(order).arg(second[i]).arg(first[i])));
    }
  }

  void four_products_in_the_shortest_period_are_as_good_as_all() {
    QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    std::vector<float> speed(static_cast<std::size_t>(taylor_nx * taylor_nz), 2048.0F);
    write_model(folder, "model", speed);
    const auto gradient = [&](int every) {
      const std::string image = fmt::format(
          R"(, "image": {{"kind": "gradient", "every": {}, "observed": {{"kind": "segy", "file": "shot-1.sgy"}}}})",
          every);
      return ImageRun(resolved_image(taylor_case("model.json", image), folder / "case.json")).go().field("gradient");
    };
    for (std::size_t i = 0; i < speed.size(); ++i)
      if (static_cast<Index>(i) / taylor_nx < 20) speed[i] = 2300;
    write_model(folder, "true", speed);
    ImageRun observed(resolved_image(taylor_case("true.json", ""), folder / "case.json"));
    write_traces(observed.go(), folder / "shot-1.sgy", 3e-3);
    const std::vector<float> all = gradient(1), some = gradient(3);  // 4.0 in the shortest period, 2.5 times 22 Hz
    double off = 0, size = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      off += std::pow(static_cast<double>(some[i] - all[i]), 2);
      size += std::pow(static_cast<double>(all[i]), 2);
    }
    QVERIFY(size > 0);
    // Products fold where both frequencies add up to the rate of samples: a Ricker wavelet has 3e-4 there of its peak.
    QVERIFY2(std::sqrt(off / size) < 1e-3, qPrintable(QString::number(std::sqrt(off / size))));
  }

  void interfaces_stand_where_they_are() {
    ImageRun run(resolved_image(shots_over_layers(R"({"kind": "migration", "smooth": "80 m"})")));
    run.go();
    const std::vector<float> image = run.field("image");
    const auto middle = [&](Index z) {
      double sum = 0;
      for (Index x = 45; x <= 75; ++x) sum += static_cast<double>(image[static_cast<std::size_t>(z * 121 + x)]);
      return sum;
    };
    for (const Index depth : {400, 600}) {
      Index best = 0;
      for (Index z = 85 - (depth + 90) / 10; z <= 85 - (depth - 90) / 10; ++z)
        if (best == 0 || middle(z) > middle(best)) best = z;
      // Faster below is a positive peak, within half a node and the 6 m by which smoothing moves it (image_table.cpp).
      QVERIFY2(std::abs(850 - 10 * best - depth) <= 15,
               qPrintable(QString("%1 at %2").arg(depth).arg(850 - 10 * best)));
      QVERIFY(middle(best) > 3 * std::abs(middle(85 - 50)));
    }
    QCOMPARE(run.results.find("misfit")->rows.size(), std::size_t{4});
    QVERIFY(run.number("misfit_relative") > 1e-4 && run.number("misfit_relative") < 0.2);
    for (const float v : run.field("illumination")) QVERIFY(v >= 0);
  }

  void a_run_goes_on_with_the_same_bits_from_any_march_of_a_shot() {
    const Case input =
        resolved_image(shots_over_layers(R"({"kind": "migration", "smooth": "80 m", "illumination": "both"})",
                                         R"(, "compute": {"precision": "double"})"));
    ImageRun whole(input);
    whole.go();
    const auto estimate = solver_info().make()->estimate(input, nullptr, whole.offer);
    const Index march = estimate->steps / 12;
    for (const Index stop : {march / 3, march + march / 2, 2 * march, 5 * march + march / 2}) {
      ImageRun before(input);
      before.go(stop);
      acoustic_fd::testing::MemoryCheckpoint checkpoint;
      before.solver->save(checkpoint);
      ImageRun after(input);
      after.solver->load(checkpoint);
      after.go();
      QCOMPARE(after.field("image"), whole.field("image"));
      QCOMPARE(after.field("illumination"), whole.field("illumination"));
      QCOMPARE(after.number("misfit"), whole.number("misfit"));
    }
  }

  void check_knows_whether_the_memory_is_enough() {
    bool some = false, all = true;
    for (const char* memory : {"2 MiB", "4 MiB", "24 MiB"}) {
      const Case input = resolved_image(fmt::format(
          R"({{"conoid": 1, "title": "t", "solver": "acoustic-fd", "grid": {{"points": [201, 36, 40], "spacing": 10}},
          "medium": {{"velocity": {{"kind": "layers", "layers": [{{"speed": 2000}}, {{"top": 200, "speed": 2400}}]}}}},
          "excitation": {{"sources": [{{"position": [900, 170, 200], "signal": {{"kind": "ricker", "frequency": 15}}}}]}},
          "compute": {{"memory": {{"host": "{}"}}}},
          "parameters": {{"order": 8, "steps": 12, "image": {{"kind": "migration", "smooth": 50}}}},
          "output": {{"exact": false, "receivers": [{{"position": [1000, 170, 250]}}]}}}})",
          memory));
      bool refused = false, failed = false;
      for (const auto& d : solver_info().make()->check(input, nullptr, make_offer(input).value()))
        refused |= d.severity == Severity::error;
      try {
        ImageRun(input).go();
      } catch (const Failure&) {
        failed = true;
      }
      QVERIFY2(refused == failed, memory);
      some |= failed;
      all &= failed;
    }
    QVERIFY(some && !all);
  }

  void what_an_image_cannot_be_made_of_is_said() {
    const auto errors = [](const std::string& text) {
      std::string out;
      const Case input = resolved_image(text);
      for (const auto& d : solver_info().make()->check(input, nullptr, make_offer(input).value()))
        if (d.severity == Severity::error) out += d.render();
      return out;
    };
    const auto says = [&](const std::string& image, const char* words) {
      const std::string found = errors(shots_over_layers(image));
      if (found.find(words) == std::string::npos) QFAIL(found.c_str());
    };
    QCOMPARE(errors(shots_over_layers(R"({"kind": "migration", "smooth": 80})")), std::string());
    says(R"({"kind": "gradient"})", "nothing is left");
    says(R"({"kind": "gradient", "observed": {"kind": "segy", "file": "nowhere.sgy"}})", "nowhere.sgy");
    says(R"({"kind": "gradient", "observed": {"kind": "run", "run": "nowhere"}})", "shot-1.sgy");
    const std::string maps = shots_over_layers(R"({"kind": "migration", "smooth": 80})");
    std::string with_map = maps;
    with_map.replace(with_map.find(R"("exact": false)"), 14, R"("exact": false, "peak_pressure": true)");
    QVERIFY(errors(with_map).find("several a shot") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestImages)
#include "test_images.moc"

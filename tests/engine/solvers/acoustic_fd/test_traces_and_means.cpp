// SPDX-License-Identifier: BSD-3-Clause
// Traces filtered by the dispersion of the step and before they are thinned; media averaged over cells; NumPy models.
// labels: unit
#include "conoid/config.hpp"
#include "engine/io/hdf5_file.hpp"
#include "engine/io/segy.hpp"
#include "engine/models/model.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/discretization/cell_means.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>
#include <numbers>

#include <fmt/core.h>

using namespace conoid;
using namespace conoid::acoustic_fd;

namespace {

constexpr double pi = std::numbers::pi;

/// A tone of `f` that the scheme makes of one of true frequency f, under a bell.
double tone(double f, double t, double middle, double width) {
  const double d = (t - middle) / width;
  return std::cos(2 * pi * f * (t - middle)) * std::exp(-0.5 * d * d);
}

Case resolved(const std::string& text, const std::filesystem::path& folder = {}) {
  const auto document = CaseDocument::parse(text, (folder / "case.json").string());
  const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
  return Case::resolve(document.value(), schema.value()).value();
}

void write_npy(const std::filesystem::path& path, const std::string& head, const std::string& data) {
  std::string text = head + std::string((118 - head.size()) % 64, ' ');
  text.resize(117, ' ');
  text += '\n';
  std::ofstream out(path, std::ios::binary);
  out << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << text << data;
}

}  // namespace

class TestTracesAndMeans : public QObject {
  Q_OBJECT

 private slots:
  /// A million steps a period: nothing is to be undone, and a row of weights for each step would take minutes.
  void steps_far_shorter_than_a_period_take_the_signal_itself() {
    const Ricker signal(30, 0.01, 1000);
    constexpr Index steps = 500000;
    const TimeScheme scheme{1e-8, true, signal.highest_frequency()};
    const auto stepped = stepped_signal(signal, scheme, steps);
    for (Index k = 0; k <= steps; k += 997)
      QCOMPARE(stepped->at(static_cast<double>(k) * 1e-8), signal.at(static_cast<double>(k) * 1e-8));
    QVERIFY(std::abs(stepped->at(static_cast<double>(steps) * 1e-8)) > 1);
    // Where there is something to undo it is undone: a phase of 5e-4 rad over the run.
    const TimeScheme longer{1e-4, true, signal.highest_frequency()};
    const auto turned = stepped_signal(signal, longer, 600);
    QVERIFY(turned->at(0.013) != signal.at(0.013));
  }

  void plain_records_pass_as_they_are() {
    TraceFilter filter({0.01, false, 0}, 2, {0.01}, 5);
    for (int k = 0; k <= 5; ++k) filter.take(std::vector<double>{0.1 * k, -3.0 * k});
    const auto rows = filter.rows(0, true);
    QCOMPARE(rows.size(), std::size_t{12});
    for (std::size_t k = 0; k <= 5; ++k) QVERIFY(rows[2 * k] == 0.1 * static_cast<double>(k));
  }

  void thinned_rows_lose_what_they_cannot_carry_and_keep_the_rest() {
    constexpr double dt = 1e-3;
    constexpr Index steps = 4000;
    TraceFilter filter({dt, false, 0}, 2, {7 * dt}, steps);  // Nyquist frequency 71.4 Hz, kept up to 57.1 Hz
    for (Index k = 0; k <= steps; ++k) {
      const double t = static_cast<double>(k) * dt;
      filter.take(std::vector<double>{tone(50, t, 2, 0.2), tone(90, t, 2, 0.2)});
    }
    const auto rows = filter.rows(0, true);
    QCOMPARE(rows.size(), static_cast<std::size_t>(2 * (steps / 7 + 1)));
    for (std::size_t j = 0; j < rows.size() / 2; ++j) {
      QVERIFY(std::abs(rows[2 * j] - tone(50, static_cast<double>(7 * j) * dt, 2, 0.2)) < 1e-3);
      QVERIFY(std::abs(rows[2 * j + 1]) < 1e-3);  // folded back it would be a tone of 52.9 Hz and amplitude 1
    }
  }

  void a_step_delayed_by_the_scheme_comes_back_in_time() {
    // What a march makes of s(t − d): with the exact space operator every ω travels by Ω(ω) = (2/dt) sin(ω dt/2).
    constexpr double dt = 1, f = 0.06, delay = 600;
    constexpr Index steps = 900;
    const TimeScheme scheme{dt, true, 2.5 * f};
    const Ricker signal(f, 1.5 / f, 1);
    const auto source = stepped_signal(signal, scheme, steps);
    constexpr std::size_t n = 4096;
    TraceFilter filter(scheme, 1, {dt, 2.5 * dt}, steps);
    std::vector<double> level(steps + 1);
    for (std::size_t b = 0; b <= n / 2; ++b) {
      const double omega = 2 * pi * static_cast<double>(b) / n;
      std::complex<double> sum = 0;
      for (int k = 0; k < 200; ++k) sum += source->at(k) * std::polar(1.0, -omega * k);
      if (std::abs(sum) < 1e-9) continue;
      sum *= std::polar((b == 0 || 2 * b == n ? 1.0 : 2.0) / n, -2 * std::sin(omega / 2) * delay);
      for (Index k = 0; k <= steps; ++k)
        level[static_cast<std::size_t>(k)] += (sum * std::polar(1.0, omega * static_cast<double>(k))).real();
    }
    double raw = 0;
    for (Index k = 0; k <= steps; ++k) {
      filter.take(std::span(&level[static_cast<std::size_t>(k)], 1));
      raw = std::max(raw, std::abs(level[static_cast<std::size_t>(k)] - signal.at(static_cast<double>(k) - delay)));
    }
    QVERIFY(raw > 0.1);  // as it comes it is far off
    for (const std::size_t table : {0U, 1U}) {
      const auto rows = filter.rows(table, true);
      double worst = 0;
      for (std::size_t j = 0; j < rows.size(); ++j)
        worst = std::max(worst, std::abs(rows[j] - signal.at(static_cast<double>(j) * (table == 0 ? 1 : 2.5) - delay)));
      // Samples 2.5 apart carry 0.16 of 0.15 periods a step that a Ricker has; its tail beyond is cut.
      QVERIFY2(worst < (table == 0 ? 2e-3 : 5e-2), qPrintable(QString::number(worst)));
    }
  }

  /// Pressure that starts at rest is even in time: its first rows are as true as the others. Taken for a record that goes on turned about its first value,
  /// which velocities do, these are wrong by several percent.
  void first_rows_of_pressure_at_rest_are_true() {
    const double dt = 1e-3;
    const Index steps = 400;
    TraceFilter filter({dt, true, 150}, 3, {dt}, steps, 1);
    const auto wave = [&](double f, Index k) { return 2 / dt * std::asin(pi * f * dt) * static_cast<double>(k) * dt; };
    for (Index k = 0; k <= steps; ++k)
      filter.take(std::vector<double>{std::cos(wave(120, k)), std::sin(wave(120, k)), std::cos(wave(120, k))});
    const auto rows = filter.rows(0, true);
    double even = 0, odd = 0, turned = 0;
    for (Index k = 0; k < 60; ++k) {
      const double t = 2 * pi * 120 * dt * static_cast<double>(k);
      const auto at = [&](std::size_t n) { return rows[3 * static_cast<std::size_t>(k) + n]; };
      even = std::max(even, std::abs(at(0) - std::cos(t)));
      odd = std::max(odd, std::abs(at(1) - std::sin(t)));
      turned = std::max(turned, std::abs(at(2) - std::cos(t)));
    }
    // The edge of the low pass is 2.4e-4 at the ends of its band.
    QVERIFY2(even < 5e-4 && odd < 5e-4, fmt::format("{}, {}", even, odd).c_str());
    QVERIFY2(turned > 0.02, fmt::format("{}", turned).c_str());
  }

  void rows_do_not_depend_on_pieces_or_on_a_resumed_run() {
    const TimeScheme scheme{1e-3, true, 60};
    constexpr Index steps = 700;
    const auto value = [](Index k) {
      return std::vector<double>{std::sin(0.01 * static_cast<double>(k * k % 97)), 1.0};
    };
    const auto run = [&](Index piece, Index resume_at) {
      auto filter = std::make_unique<TraceFilter>(scheme, 2, std::vector<double>{1e-3, 2.3e-3}, steps);
      std::array<std::vector<double>, 2> out;
      for (Index k = 0; k <= steps; ++k) {
        filter->take(value(k));
        if (k % piece != 0 && k != steps) continue;
        for (const std::size_t t : {0U, 1U}) {
          const auto rows = filter->rows(t, k == steps);
          out[t].insert(out[t].end(), rows.begin(), rows.end());
        }
        if (k >= resume_at) {
          acoustic_fd::testing::MemoryCheckpoint checkpoint;
          filter->save(checkpoint);
          filter = std::make_unique<TraceFilter>(scheme, 2, std::vector<double>{1e-3, 2.3e-3}, steps);
          filter->load(checkpoint);
          resume_at = steps + 1;
        }
      }
      return out;
    };
    const auto whole = run(1000, 2000);
    QCOMPARE(whole[0].size(), std::size_t{2 * (steps + 1)});
    QVERIFY(run(1, 2000) == whole);
    QVERIFY(run(13, 400) == whole);
    for (std::size_t n = 1; n < whole[0].size(); n += 2) QVERIFY(std::abs(whole[0][n] - 1) < 1e-3);  // constants stay
  }

  void layers_are_averaged_wherever_they_lie() {
    Problem p;
    p.grid.points = {9, 9, 60};
    for (const double top : {30.0, 30.25, 30.5}) {
      p.velocity = layered_velocity(2, 1, 0, {{0, 1000, 0}, {top, 2000, 0}});
      p.density = layered_velocity(2, 1, 0, {{0, 1, 0}, {top, 1.5, 0}});
      p.speed = {1000, 2000};
      average_medium(p);
      std::vector<double> c(60), rho(60);
      p.velocity->row(3, 4, 0, 1, c);
      p.density->row(3, 4, 0, 1, rho);
      double compliance = 0, mass = 0;
      for (std::size_t k = 20; k < 40; ++k) {
        compliance += 1 / (rho[k] * c[k] * c[k]);
        mass += std::pow(rho[k], -0.25);
        QVERIFY(c[k] <= overshoot * 2000 && rho[k] <= overshoot * 1.5);
      }
      // Σ over the cells from 19.5 to 39.5 is the integral: times and echoes come from the right place.
      const double upper = top - 19.5, lower = 39.5 - top;
      QVERIFY(std::abs(mass - (upper + std::pow(1.5, -0.25) * lower)) < 1e-9);
      QVERIFY(std::abs(compliance / (upper / 1e6 + lower / 6e6) - 1) < 1e-2);  // clipped on the fast side
      QVERIFY(std::abs(c[10] - 1000) < 1e-9 && std::abs(c[50] - 2000) < 1e-9);
    }
  }

  void finer_samples_are_layers_and_those_at_nodes_stay() {
    const auto model = [](Index count, double spacing, double origin) {
      std::vector<float> values;
      for (Index i = 0; i < count; ++i) values.push_back(i < count / 2 ? 1000.0F : 2000.0F);
      return sampled_velocity({{1, 1, count}, {1, 1, spacing}, {0, 0, origin}}, {1, 1, 1}, std::move(values),
                              {1000, 2000});
    };
    const auto at_nodes = [](std::shared_ptr<const Velocity> field) {
      Problem p;
      p.grid.points = {9, 9, 20};
      p.velocity = std::move(field);
      p.speed = {1000, 2000};
      average_medium(p);
      std::vector<double> c(20);
      p.velocity->row(0, 0, 0, 1, c);
      return c;
    };
    const auto same = at_nodes(model(20, 1, 0));
    for (std::size_t k = 0; k < 20; ++k) QVERIFY(same[k] == (k < 10 ? 1000.0 : 2000.0));
    // Cells from 0 to 20, jump at 10.
    const auto fine = at_nodes(model(80, 0.25, 0.125)), beside = at_nodes(model(20, 1, 0.5)),
               layers = at_nodes(layered_velocity(2, 1, 0, {{0, 1000, 0}, {10, 2000, 0}}));
    QVERIFY(std::abs(fine[10] - 1 / std::sqrt(0.5e-6 + 0.125e-6)) < 1e-3);
    for (std::size_t k = 0; k < 20; ++k)
      QVERIFY(std::abs(fine[k] - layers[k]) < 1e-9 && std::abs(beside[k] - layers[k]) < 1e-9);
    const auto coarse = at_nodes(model(4, 6, 0));  // sampled between
    QVERIFY(std::abs(coarse[9] - 1500) < 1e-3);
  }

  void numpy_models_are_read_by_their_header_and_refused_alone() {
    QTemporaryDir folder;
    const std::filesystem::path base = folder.path().toStdString();
    for (const bool wide : {false, true}) {
      std::string data;
      for (int i = 0; i < 24; ++i) {
        const auto f = static_cast<float>(1500 + i);
        const double d = 1500 + i;
        data.append(reinterpret_cast<const char*>(wide ? static_cast<const void*>(&d) : &f), wide ? 8 : 4);
      }
      write_npy(base / "m.npy",
                fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (2, 3, 4), }}", wide ? "<f8" : "<f4"),
                data);
      std::ofstream(base / "m.json") << R"({"file": "m.npy", "axes": "xyz", "spacing": [10, 20, 30]})";
      const auto model = open_model(base / "m.json", ModelQuantity::speed);
      QVERIFY2(model.ok(), model.ok() ? "" : model.error().render().c_str());
      QCOMPARE((*model)->box().shape, (std::array<Index, 3>{2, 3, 4}));
      std::vector<double> c(4);
      (*(*model)->load())->row(10, 40, 0, 30, c);
      for (std::size_t k = 0; k < 4; ++k) QCOMPARE(c[k], 1520.0 + static_cast<double>(k));
      QCOMPARE((*(*model)->load())->range({}, {}).highest, 1523.0);
    }
    const auto alone = open_model(base / "m.npy", ModelQuantity::speed);
    QVERIFY(!alone && alone.error().text.find("does not say where") != std::string::npos);
    const auto refused = [&](const std::string& head, const std::string& data, const char* words) {
      write_npy(base / "m.npy", head, data);
      const auto model = open_model(base / "m.json", ModelQuantity::speed);
      return !model && model.error().text.find(words) != std::string::npos;
    };
    const std::string values(96, 'A');
    QVERIFY(refused("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3, 4), }", values, "float32 or float64"));
    QVERIFY(refused("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 4), }", values, "Fortran"));
    QVERIFY(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", values, "2 axes"));
    QVERIFY(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 5), }", values, "need"));
    QVERIFY(refused("{'descr': '<f4'", values, "names no type and shape"));
    std::ofstream(base / "m.npy", std::ios::binary) << "\x93NUMPY\x01";
    QVERIFY(!open_model(base / "m.json", ModelQuantity::speed));
  }

  void a_case_names_bytes_of_segy_and_arrays_of_hdf5() {
    QTemporaryDir folder;
    const std::filesystem::path base = folder.path().toStdString();
    // Two inlines of three crosslines, in bytes 9 and 13; positions in bytes 73 and 77; what the standard calls inline is the same everywhere.
    std::vector<SegyTrace> traces;
    std::vector<float> values;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j) {
        SegyTrace h;
        h.shot = 5 + i;
        h.channel = 10 + 2 * j;
        h.source = {100 + 40.0 * i, 200 + 30.0 * j, 0};
        h.inline_number = h.crossline = 1;
        traces.push_back(h);
        for (int k = 0; k < 4; ++k) values.push_back(static_cast<float>(1500 + 100 * i + 10 * j + k));
      }
    SegyLayout layout;
    layout.samples = 4;
    layout.interval = 0.01;
    QVERIFY(write_segy(base / "m.sgy", layout, traces, values).ok());
    const auto read = [&](const std::string& more, std::vector<Diagnostic>& out) {
      std::ofstream(base / "case.json")
          << R"({"solver": "acoustic-fd", "grid": {"origin": [100, 200, -30], "points": [12, 12, 12], "spacing": 3}, "parameters": {"steps": 4},
                 "medium": {"velocity": {"kind": "file", )" +
                 more + "}}}";
      const auto document = CaseDocument::read(base / "case.json");
      const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
      const auto input = Case::resolve(document.value(), schema.value());
      return input ? read_setup(input.value(), out) : Setup{};
    };
    std::vector<Diagnostic> standard, own;
    read(R"("header": "m.sgy")", standard);
    QVERIFY(has_errors(standard));
    const Setup setup = read(R"("header": "m.sgy", "segy": {"inline": 9, "crossline": 13, "x": 73, "y": 77})", own);
    QVERIFY2(!has_errors(own), own.empty() ? "" : own.front().text.c_str());
    Vec3 low, high;
    QVERIFY(setup.problem.velocity->bounds(low, high));
    QCOMPARE(low, (Vec3{100, 200, -30}));
    QCOMPARE(high, (Vec3{140, 260, 0}));
    std::vector<double> column(4);
    setup.problem.velocity->row(140, 230, -30, 10, column);
    QCOMPARE(column, (std::vector<double>{1613, 1612, 1611, 1610}));

    std::vector<Diagnostic> odd;
    read(R"("header": "m.sgy", "array": "/vp")", odd);
    QVERIFY(has_errors(odd) && odd.back().text.find("an array of an HDF5 file") != std::string::npos);
#if CONOID_HAVE_HDF5
    {
      const h5::Lock held;
      const h5::Handle file = h5::create_file(base / "m.h5"), group = h5::create_group(file.get(), "model");
      h5::Array array = h5::create_array(group.get(), "vp", H5T_NATIVE_FLOAT, {2, 3}, 4);
      array.write_rows(0, 4, values.data());
      h5::set_attribute(array.id(), "spacing", std::array{10.0, 30.0, 20.0});
    }
    std::vector<Diagnostic> named;
    const Setup of_array = read(R"("header": "m.h5", "array": "/model/vp")", named);
    QVERIFY2(!has_errors(named), named.empty() ? "" : named.front().text.c_str());
    QVERIFY(of_array.problem.velocity->bounds(low, high));
    QCOMPARE(high, (Vec3{40, 30, 30}));
#endif
  }

  void a_table_holds_the_band_of_the_signal_or_check_says_so() {
    const auto text = [](const std::string& output) {
      return R"({"solver": "acoustic-fd", "grid": {"size": [6.4, 5, 2.8], "spacing": "10 cm"},
        "medium": {"velocity": {"kind": "constant", "speed": 343}},
        "excitation": {"sources": [{"position": [1.53, 1.87, 1.21], "signal": {"kind": "ricker", "frequency": "350 Hz"}}]},
        "parameters": {"end_time": "1.5 s"},
        "output": {"receivers": [{"position": [4.4, 3.1, 1.2]}])" +
             output + "}}";
    };
    std::vector<Diagnostic> none;
    const Setup setup = read_setup(resolved(text("")), none);
    QVERIFY(!has_errors(none));
    // 2000 rows would end at 667 Hz; the source reaches 875 Hz.
    QVERIFY(band_of(setup.time_scheme(), static_cast<double>(setup.problem.trace_every) * setup.problem.dt).pass >
            2 * pi * 875);
    std::vector<Diagnostic> said;
    const Case thinned = resolved(text(R"(, "trace_every": 9)"));
    check_setup(read_setup(thinned, said), thinned, said);
    QVERIFY(std::any_of(said.begin(), said.end(),
                        [](const Diagnostic& d) { return d.text.find("is filtered away") != std::string::npos; }));
  }

  void segy_lies_on_whole_microseconds_or_check_says_so() {
    const auto setup_of = [](const std::string& step, std::vector<Diagnostic>& out) {
      const Case input = resolved(R"({"solver": "acoustic-fd", "grid": {"points": [33, 33, 33], "spacing": 10},
        "excitation": {"sources": [{"position": [150, 150, 150], "signal": {"kind": "ricker", "frequency": "20 Hz"}}]},
        "parameters": {"time_step": )" +
                                  step +
                                  R"(, "steps": 40},
        "output": {"segy": "ieee", "trace_every": 1, "receivers": [{"position": [200, 150, 150]}]}})");
      const Setup setup = read_setup(input, out);
      check_setup(setup, input, out);
      return setup;
    };
    std::vector<Diagnostic> fine, odd, tiny;
    QCOMPARE(setup_of("0.002", fine).segy_interval, 0.002);
    QVERIFY(std::abs(setup_of("0.0027027", odd).segy_interval - 0.002702) < 1e-12);
    setup_of("2.5e-9", tiny);
    const auto says = [](const std::vector<Diagnostic>& all) {
      return std::any_of(all.begin(), all.end(),
                         [](const Diagnostic& d) { return d.text.find("microseconds") != std::string::npos; });
    };
    QVERIFY(!says(fine) && !says(odd) && says(tiny));
  }

  void sources_that_share_a_file_share_its_signal() {
    QTemporaryDir folder;
    const std::filesystem::path base = folder.path().toStdString();
    std::ofstream(base / "s.csv") << "-0.1,0\n0,1\n0.1,0\n0.2,0\n";
    std::string sources;
    for (int i = 0; i < 5; ++i)
      sources += std::string(i > 0 ? "," : "") + R"({"position": [150, 150, 1)" + std::to_string(20 + 10 * i) +
                 R"(], "signal": {"kind": "sampled", "file": "s.csv", "amplitude": )" + std::to_string(i + 1) + "}}";
    std::ofstream(base / "case.json")
        << R"({"solver": "acoustic-fd", "grid": {"points": [33, 33, 33], "spacing": 10}, "parameters": {"steps": 4},
               "excitation": {"sources": [)"
        << sources << "]}}";
    const auto document = CaseDocument::read(base / "case.json");
    const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
    const Case input = Case::resolve(document.value(), schema.value()).value();
    std::vector<Diagnostic> out;
    const Setup setup = read_setup(input, out);
    QCOMPARE(setup.problem.sources.size(), std::size_t{5});
    const auto& first = dynamic_cast<const Scaled&>(*setup.problem.sources[0].signal);
    for (std::size_t i = 0; i < 5; ++i) {
      const auto& one = dynamic_cast<const Scaled&>(*setup.problem.sources[i].signal);
      QVERIFY(one.of() == first.of());
      QCOMPARE(one.at(0), static_cast<double>(i + 1));
    }
    check_setup(setup, input, out);
    QVERIFY(std::any_of(out.begin(), out.end(),
                        [](const Diagnostic& d) { return d.text.find("is never sent") != std::string::npos; }));
  }
};

QTEST_APPLESS_MAIN(TestTracesAndMeans)
#include "test_traces_and_means.moc"

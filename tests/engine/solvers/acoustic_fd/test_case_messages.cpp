// SPDX-License-Identifier: BSD-3-Clause
// Bad cases: each is told apart, with numbers and a remedy, and nothing crashes.
// labels: unit
#include "engine/io/segy.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/discretization/trace_filter.hpp"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>
#include <limits>
#include <numbers>

#include <fmt/core.h>

using namespace conoid;
using namespace conoid::acoustic_fd;

namespace {

constexpr const char* good_case = R"({
  "solver": "acoustic-fd",
  "grid": {"points": [60, 60, 60], "spacing": 10},
  "excitation": {"sources": [{"position": [300, 300, 300], "signal": {"kind": "ricker", "frequency": 15}}]},
  "parameters": {"end_time": 0.1},
  "output": {"receivers": [{"position": [350, 300, 300]}]}
})";

}  // namespace

class TestCaseMessages : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  [[nodiscard]] std::filesystem::path in_folder(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  void write(const char* name, const std::string& content) const {
    std::ofstream(in_folder(name), std::ios::binary) << content;
  }
  [[nodiscard]] std::vector<Diagnostic> check(const std::vector<std::pair<std::string, std::string>>& changes) const {
    CaseDocument document = CaseDocument::parse(good_case, in_folder("case.json")).value();
    for (const auto& [path, value] : changes) document.set(path, value).or_throw();
    const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
    const auto resolved = Case::resolve(document, schema.value());
    if (!resolved) return {resolved.error()};
    const auto solver = solver_info().make();
    auto out = solver->check(*resolved, nullptr, make_offer(*resolved).value());
    if (has_errors(out)) return out;
    const auto estimate = solver->estimate(*resolved, nullptr, make_offer(*resolved).value());
    if (!estimate) out.push_back(estimate.error());
    return out;
  }

 private slots:
  void the_good_case_is_silent() {
    for (const auto& d : check({})) QFAIL(d.render().c_str());
  }

  /// Tops that are coordinates would leave one speed in the whole grid.
  void layers_outside_the_grid_are_told() {
    const auto told = [&](const char* quantity, const char* tops, const char* words) {
      std::string layers = R"({"kind": "layers", "depth_axis": "-z", "layers": [)" + std::string(tops) + "]}";
      const auto all = check({{std::string("medium.") + quantity, layers}});
      return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
        return d.severity == Severity::warning && d.text.find(words) != std::string::npos &&
               d.hint.find("face z_max") != std::string::npos;
      });
    };
    const char* const outside = "lies in the grid";
    QVERIFY(told("velocity", R"({"top": -590, "speed": 1500}, {"top": -200, "speed": 1900})", "nothing of layer 1"));
    QVERIFY(told("velocity", R"({"speed": 1500}, {"top": 600, "speed": 1900})", "which is 590 m deep"));
    QVERIFY(told("density", R"({"density": 1000}, {"top": 591, "density": 1900})", "nothing of layer 2"));
    QVERIFY(!told("velocity", R"({"top": -10, "speed": 1500}, {"top": 589, "speed": 1900})", outside));
    QVERIFY(!told("velocity", R"({"top": 700, "speed": 1500})", outside));  // the first fills what lies above it
  }

  /// Tables of zeros have a reason that can be known before the run.
  void sources_and_receivers_that_stay_silent_are_told() {
    const auto told = [&](const std::vector<std::pair<std::string, std::string>>& changes, const char* words) {
      const auto all = check(changes);
      return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
        return d.severity == Severity::warning && d.text.find(words) != std::string::npos;
      });
    };
    const char *const late = "source 1 has sent nothing yet", *const zero = "source 1 sends nothing",
                      *const far = "nothing reaches receiver R1";
    QVERIFY(told({{"excitation.sources.0.signal.delay", "0.5"}}, late));
    QVERIFY(!told({{"excitation.sources.0.signal.delay", "0.06"}}, late));
    QVERIFY(told({{"excitation.sources.0.signal.amplitude", "0"}}, zero));
    // A pulse of a hundredth of the run, at its end.
    for (const char* words : {late, zero})
      QVERIFY(!told({{"excitation.sources.0.signal.delay", "20"}, {"parameters.end_time", "21"}}, words));
    // The spread over eight nodes, 80 m, leaves 20 m: 13 ms at 1500 m/s, 5 steps.
    const auto until = [&](const char* end) {
      return told({{"medium.velocity.speed", "1500"},
                   {"output.receivers.0.position", "[400, 300, 300]"},
                   {"parameters.end_time", end}},
                  far);
    };
    QVERIFY(until("0.009") && !until("0.015"));
    for (const char* words : {late, zero, far}) QVERIFY(!told({}, words));
  }

  /// What a case means otherwise than it says, told before the run; beside each its nearest sound case.
  void beginnings_walls_planes_and_products_are_told() {
    struct Row {
      std::vector<std::pair<std::string, std::string>> wrong, right;
      const char* words;
    };
    const std::string pulse = R"({"kind": "pulse", "centre": [300, 300, 300], "width": )",
                      image = R"({"kind": "migration", "observed": {"kind": "computed"}, "smooth": 30)",
                      layers = R"({"kind": "layers", "layers": [{"speed": 1500}, {"top": 300, "speed": 1800}]})";
    const Row rows[] = {
        {{{"excitation.sources.0.signal.delay", "0"}},
         {{"excitation.sources.0.signal.delay", "0.067"}},  // a period
         "source 1 begins with a jump of 100 %"},
        {{{"excitation.sources.0.shape", R"({"kind": "array", "elements": 3, "pitch": 20})"},
          {"excitation.sources.0.signal.delay", "0.03"}},
         {{"excitation.sources.0.shape", R"({"kind": "array", "elements": 3, "pitch": 20})"}},
         "begins with a jump"},
        {{{"boundaries.x_min", R"({"kind": "impedance", "impedance": 415})"}},
         {{"boundaries.x_min", R"({"kind": "impedance", "impedance": 40})"}},
         "nearly rigid: 0.96 %"},
        {{{"output.plane_at", "[300, 300, -20]"}, {"output.frames", R"({"count": 2})"}},
         {{"output.plane_at", "[300, 300, 0]"}, {"output.frames", R"({"count": 2})"}},
         "the planes of frames: z -20 m lies outside"},
        {{{"excitation.initial", pulse + "90}"}},  // the layers begin 200 m and 210 m away: 0.085 and 0.066
         {{"excitation.initial", pulse + "70}"}},
         "0.085 of its amplitude at the absorbing layer of face x_max"},
        {{{"excitation.initial", pulse + R"(50, "amplitude": 0})"}},
         {{"excitation.initial", pulse + R"(50, "amplitude": 0.1})"}},
         "start is zero everywhere"},
        {{{"parameters.image", image + "}"}},
         {{"parameters.image", image + "}"}, {"medium.velocity", layers}},
         "smooth already"},
        {{{"parameters.image", image + R"(, "every": 5})"}, {"medium.velocity", layers}},  // of 2.69 ms and 1/37.5 s
         {{"parameters.image", image + R"(, "every": 3})"}, {"medium.velocity", layers}},
         "three are the least that do not fold"}};
    for (const Row& row : rows) {
      const auto says = [&](const auto& changes) {
        const auto all = check(changes);
        return std::any_of(all.begin(), all.end(),
                           [&](const Diagnostic& d) { return d.text.find(row.words) != std::string::npos; });
      };
      QVERIFY2(says(row.wrong), row.words);
      QVERIFY2(!says(row.right), row.words);
    }
  }

  /// Records with an offset.
  void signals_that_are_cut_are_told() {
    const auto says = [&](double offset, double slope = 0, const char* run = "0.2") {
      std::string rows = "t[s],p[Pa]\n";
      for (int i = 0; i <= 100; ++i)
        rows += fmt::format("{},{}\n", 0.001 * i,
                            offset + slope * i + std::exp(-0.01 * (i - 50) * (i - 50)) * std::sin(0.1 * (i - 50)));
      write("record.csv", rows);
      const auto all = check({{"excitation.sources.0.signal", R"({"kind": "sampled", "file": "record.csv"})"},
                              {"parameters.end_time", run}});
      return std::any_of(all.begin(), all.end(), [](const Diagnostic& d) {
        return d.text.find("begins or ends with a jump") != std::string::npos;
      });
    };
    QVERIFY(says(0.5) && !says(0));
    QVERIFY(says(0, 0.01) && !says(0, 0.01, "0.08"));  // a run that ends before the record sends no end
  }

  /// Traces that are sent: in layers, of several shots, with no factor, backwards in a run that ends before they do.
  void traces_that_are_sent_are_judged() {
    SegyLayout layout;
    layout.interval = 0.002;
    layout.samples = 40;
    std::vector<SegyTrace> traces(2);
    std::vector<float> values;
    for (int n = 0; n < 2; ++n) {
      traces[static_cast<std::size_t>(n)] = {n + 1, 1, n + 1, 0, 0, 0, {300, 300, 300}, {300.0 + 20 * n, 300, 250}};
      for (int i = 0; i < 40; ++i)
        values.push_back(static_cast<float>(std::exp(-0.02 * (i - 20) * (i - 20)) * std::sin(0.3 * (i - 20))));
    }
    const auto says = [&](const char* more, const char* end, const char* words) {
      write_segy(in_folder("sent.sgy"), layout, traces, values).or_throw();
      const auto all =
          check({{"excitation", R"({"traces": {"kind": "segy", "file": "sent.sgy")" + std::string(more) + "}}"},
                 {"parameters.end_time", end}});
      return std::any_of(all.begin(), all.end(),
                         [&](const Diagnostic& d) { return d.text.find(words) != std::string::npos; });
    };
    const char* const backwards = R"(, "reversed": true)";
    QVERIFY(says(backwards, "0.05", "traces sent backwards last 78 ms"));
    QVERIFY(!says(backwards, "0.08", "traces sent backwards"));
    QVERIFY(says("", "0.03", "the rest is not sent"));
    QVERIFY(!says("", "0.05", "the rest is not sent"));
    QVERIFY(says(R"(, "amplitude": 0)", "0.1", "send nothing"));
    QVERIFY(!says("", "0.1", "absorbing layers") && !says("", "0.1", "shots (bytes"));
    traces[1].delay = 0.04;  // begins so late after the shot; backwards it ends with the other one's beginning
    QVERIFY(says(backwards, "0.09", "traces sent backwards last 118 ms") && says("", "0.05", "the rest is not sent"));
    traces[1].delay = -0.01;
    QVERIFY(says("", "0.1", "traces begin at -10 ms (bytes 109-110)"));
    traces[1].delay = 0;
    traces[1].shot = 4;
    QVERIFY(says("", "0.1", "those of 2 shots"));
    values[45] = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(says("", "0.1", "sample 6 of trace 2 is nan"));
    values[45] = 0;
    traces[1] = traces[0];
    traces[1].receiver[2] = 30;
    QVERIFY(says("", "0.1", "1 of 2 traces lie in absorbing layers, the first in that of face z_min, 3.0 nodes"));
  }

  void media_that_grow_at_any_time_step_are_told() {
    using Changes = std::vector<std::pair<std::string, std::string>>;
    const auto says = [&](Changes changes, const char* words) {
      const auto all = check(changes);
      return std::any_of(all.begin(), all.end(),
                         [&](const Diagnostic& d) { return d.text.find(words) != std::string::npos; });
    };
    const std::string
        layers =
            R"({"kind": "layers", "layers": [{"top": 0, "density": 1000}, {"top": 200, "density": 15000}, {"top": 400, "density": 1000}]})",
        jump = R"({"kind": "layers", "layers": [{"top": 0, "density": 1000}, {"top": 200, "density": 15000}]})";
    const char* density = "modes that grow at any time step";
    for (const char* order : {"8", "10", "12"})
      QVERIFY(says({{"medium.density", layers}, {"parameters.order", order}}, density));
    QVERIFY(!says({{"medium.density", layers}, {"parameters.order", "6"}}, density));
    QVERIFY(!says({{"medium.density", jump}, {"parameters.order", "12"}}, density));

    // A slow slab in a pipe of mirrors whose ends absorb.
    const auto guide = [](const std::string& ends, const std::string& side) {
      return Changes{
          {"medium.velocity",
           R"({"kind": "layers", "layers": [{"top": 0, "speed": 1500}, {"top": 250, "speed": 900}, {"top": 350, "speed": 1500}]})"},
          {"boundaries",
           R"({"x_min": )" + ends + R"(, "x_max": )" + ends + R"(, "y_min": )" + side +
               R"(, "y_max": {"kind": "rigid"}, "z_min": {"kind": "rigid"}, "z_max": {"kind": "rigid"}})"},
          {"parameters.end_time", "60"}};
    };
    const std::string rigid = R"({"kind": "rigid"})", thin = R"({"kind": "matched", "width": 9})";
    QVERIFY(says(guide(thin, rigid), "only the faces of x absorb"));
    QVERIFY(!says(guide(R"({"kind": "matched", "width": 20})", rigid), "only the faces"));
    QVERIFY(!says(guide(R"({"kind": "sponge"})", rigid), "only the faces"));
    QVERIFY(!says(guide(thin, thin), "only the faces"));
  }

  void attenuation_beyond_its_band_is_told() {
    const auto says = [&](const char* band, const char* words) {
      const auto all =
          check({{"medium.attenuation", std::string(R"({"kind": "constant_q", "quality": 20)") + band + "}"}});
      return std::any_of(all.begin(), all.end(),
                         [&](const Diagnostic& d) { return d.text.find(words) != std::string::npos; });
    };
    const char *less = "waves lose ever less", *outside = "outside the band of constant Q";
    QVERIFY(!says("", less) && !says("", outside));
    QVERIFY(says(R"(, "highest": "5 Hz")", less));
    QVERIFY(says(R"(, "reference": "0.001 Hz")", outside));
    QVERIFY(says(R"(, "reference": "1 MHz")", outside));
  }

  void bad_cases_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<bool>("is_error");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("courant") << "parameters.courant"
                             << "0.6" << true << QStringList{"0.6", "stability limit 0.452", "order 8", "time step"};
    QTest::newRow("time step") << "parameters.time_step"
                               << "\"5 ms\"" << true << QStringList{"stability limit", "/parameters/time_step"};
    QTest::newRow("no duration") << "parameters.end_time"
                                 << "null" << true << QStringList{"neither end_time nor steps"};
    QTest::newRow("source outside") << "excitation.sources.0.position"
                                    << "[300, 700, 300]" << true << QStringList{"source 1", "700 m", "590 m"};
    QTest::newRow("source in a layer") << "excitation.sources.0.position"
                                       << "[300, 300, 50]" << false
                                       << QStringList{"absorbing layer of face z_min", "5.0 nodes"};
    QTest::newRow("receiver outside") << "output.receivers.0.position"
                                      << "[-1, 300, 300]" << true << QStringList{"R1", "outside"};
    QTest::newRow("plane wave beside layers")
        << "excitation.initial"
        << R"({"kind": "plane", "axis": "y", "centre": [300, 200, 300], "width": 35})" << false
        << QStringList{"plane wave along y", "face x_min", "not rigid"};
    QTest::newRow("receiver in a layer") << "output.receivers.0.position"
                                         << "[300, 560, 300]" << false
                                         << QStringList{"receiver R1", "absorbing layer of face y_max", "3.0 nodes"};
    QTest::newRow("line into a layer") << "output.receiver_lines"
                                       << R"([{"from":[300,300,300],"to":[80,300,300],"count":4}])" << false
                                       << QStringList{"end of receiver line 1", "absorbing layer of face x_min"};
    QTest::newRow("line outside") << "output.receiver_lines"
                                  << R"([{"from":[0,0,0],"to":[0,0,900],"count":4}])" << true
                                  << QStringList{"receiver line 1", "900 m"};
    QTest::newRow("undersampled") << "excitation.sources.0.signal.frequency"
                                  << "40" << true << QStringList{"100 Hz", "1.50 nodes", "spacing of"};
    QTest::newRow("coarse") << "excitation.sources.0.signal.frequency"
                            << "25" << false << QStringList{"62.5 Hz", "2.4 nodes", "wrong by"};
    QTest::newRow("layers meet") << "boundaries.x_min.width"
                                 << "55" << true << QStringList{"along x", "64 nodes", "60"};
    QTest::newRow("no spacing") << "grid.spacing"
                                << "null" << true << QStringList{"spacing"};
    QTest::newRow("size and points") << "grid.size"
                                     << "[590, 590, 600]" << true << QStringList{"600 m", "590 m", "along z"};
    QTest::newRow("too few nodes") << "grid.points"
                                   << "[60, 60, 7]" << true << QStringList{"7 nodes along z", "at least 9"};
    QTest::newRow("nothing moves") << "excitation.sources"
                                   << "[]" << false << QStringList{"nothing will move"};
    QTest::newRow("huge") << "grid.points"
                          << "[90000, 90000, 90000]" << true << QStringList{"even streamed from the disk", "spacing"};
    QTest::newRow("unknown key") << "parameters.ordr"
                                 << "4" << true << QStringList{"order"};
    QTest::newRow("order 3") << "parameters.order"
                             << "3" << true << QStringList{"2", "4", "6", "8"};
    QTest::newRow("layers out of order")
        << "medium.velocity"
        << R"({"kind":"layers","layers":[{"top":100,"speed":1500},{"top":50,"speed":1700}]})" << true
        << QStringList{"layer 2", "Order the layers"};
    QTest::newRow("gradient below zero") << "medium.velocity"
                                         << R"({"kind":"layers","layers":[{"speed":1500,"gradient":-4}]})" << true
                                         << QStringList{"falls to", "positive speed"};
    QTest::newRow("missing model") << "medium.velocity"
                                   << R"({"kind":"file","header":"nowhere.json"})" << true
                                   << QStringList{"nowhere.json"};
    QTest::newRow("missing signal") << "excitation.sources.0.signal"
                                    << R"({"kind":"sampled","file":"nowhere.csv"})" << true
                                    << QStringList{"nowhere.csv"};
    QTest::newRow("endless") << "parameters.end_time"
                             << "1e12" << true << QStringList{"10^12 steps"};
  }
  void bad_cases() {
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(bool, is_error);
    QFETCH(QStringList, words);
    const auto found = check({{path.toStdString(), value.toStdString()}});
    QCOMPARE(has_errors(found), is_error);
    QVERIFY(!found.empty());
    const QString text = QString::fromStdString(found.front().render());
    for (const QString& word : words) QVERIFY2(text.contains(word), qPrintable(word + " not in: " + text));
    QVERIFY2(!found.front().hint.empty(), qPrintable(text));
  }

  /// Numbers are written with four digits, or three: whoever takes one as it stands is not refused.
  void numbers_that_are_advised_are_enough() {
    const auto number_after = [](const std::vector<Diagnostic>& said, const QString& pattern) {
      for (const Diagnostic& d : said)
        if (const auto found = QRegularExpression(pattern).match(QString::fromStdString(d.text + " " + d.hint));
            found.hasMatch())
          return found.captured(1).toStdString();
      return std::string();
    };
    int advised = 0;
    for (const double spacing : {10.0, 11.3, 9.77e-3, 8.123e3})
      for (const char* order : {"2", "4", "8", "12"}) {
        using Changes = std::vector<std::pair<std::string, std::string>>;
        const std::string middle = fmt::format("[{0}, {0}, {0}]", 30 * spacing);
        Changes changes{{"grid.spacing", fmt::format("{}", spacing)},
                        {"parameters.order", order},
                        {"excitation.sources.0.position", middle},
                        {"excitation.sources.0.signal.frequency", fmt::format("{}", 150 / spacing)},
                        {"output.receivers.0.position", middle},
                        {"parameters.end_time", fmt::format("{}", 0.01 * spacing)},
                        {"parameters.time_step", fmt::format("{}", spacing / 1500)}};
        const std::string step = number_after(check(changes), "time step of at most (\\S+ \\S+) or");
        QVERIFY(!step.empty());
        changes.back().second = "\"" + step + "\"";
        for (const Diagnostic& d : check(changes)) QVERIFY2(d.severity != Severity::error, d.render().c_str());
        ++advised;
      }
    QCOMPARE(advised, 16);
    for (const char* points : {"[200, 61, 67]", "[150, 131, 47]", "[90, 93, 97]", "[301, 40, 41]"}) {
      const std::string enough = number_after(check({{"grid.points", points}, {"compute.memory.host", "1100000"}}),
                                              "from the disk (\\S+ \\S+) are needed");
      QVERIFY(!enough.empty());
      for (const Diagnostic& d : check({{"grid.points", points}, {"compute.memory.host", "\"" + enough + "\""}}))
        QVERIFY2(d.text.find("are needed") == std::string::npos, d.render().c_str());
    }
  }

  /// A source in a wall sends nothing; between nodes beside one it sends what is left outside.
  void points_in_walls_are_told() {
    const std::pair<std::string, std::string> box{"medium.obstacles",
                                                  R"([{"kind": "box", "lower": [0, 0, 0], "upper": [284, 600, 600]}])"};
    const auto says = [&](const char* source, const char* receiver, const char* words) {
      const auto all = check({box,
                              {"excitation.sources.0.position", fmt::format("[{}, 300, 300]", source)},
                              {"output.receivers.0.position", fmt::format("[{}, 300, 300]", receiver)}});
      if (has_errors(all)) return false;
      return std::any_of(all.begin(), all.end(),
                         [&](const Diagnostic& d) { return d.text.find(words) != std::string::npos; });
    };
    QVERIFY(says("200", "350", "source 1 lies in an obstacle, where it is silent"));
    QVERIFY(says("300", "283.9", "receiver R1 lies in an obstacle, where it records nothing"));
    QVERIFY(says("293", "350", "source 1 lies between nodes beside an obstacle"));
    QVERIFY(says("300", "296", "receiver R1 lies between nodes beside an obstacle"));
    QVERIFY(!says("290", "300", "obstacle") && !says("324", "331", "obstacle"));
  }

  /// Pressure at the start that lies elsewhere, or is meant in other units, would leave the grid silent.
  void initial_pressure_elsewhere_is_told() {
    const auto says = [&](const std::string& initial, const char* words, bool error) {
      const auto all = check({{"excitation.initial", initial}});
      return has_errors(all) == error && std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
               return d.text.find(words) != std::string::npos && !d.hint.empty();
             });
    };
    QVERIFY(says(R"({"kind": "pulse", "centre": ["300 km", 300, 300], "width": 50})",
                 "the middle of the initial pulse: x", false));
    QVERIFY(says(R"({"kind": "plane", "axis": "y", "centre": [9000, 900, 9000], "width": 50})",
                 "the middle of the initial plane wave: y", false));
    QVERIFY(
        !says(R"({"kind": "plane", "axis": "y", "centre": [9000, 300, 9000], "width": 50})", "the middle of", false));
    const auto on_walls = [&](const char* faces, int direction, int width) {
      const auto all =
          check({{"boundaries", faces},
                 {"excitation.initial", fmt::format(R"({{"kind": "plane", "axis": "y", "centre": [300, 150, 300],
                                                        "direction": {}, "width": {}}})",
                                                    direction, width)}});
      return std::any_of(all.begin(), all.end(), [](const Diagnostic& d) {
        return d.text.find("stands at 0.32 and 6.3e-05 of its amplitude") != std::string::npos;
      });
    };
    const char* const rigid = R"({"y_min": {"kind": "rigid"}, "y_max": {"kind": "rigid"}})";
    QVERIFY(on_walls(rigid, 1, 100) && on_walls(rigid, -1, 100));
    QVERIFY(!on_walls("{}", 1, 100) && !on_walls(rigid, 0, 100) && !on_walls(rigid, 1, 40));
    write("p.f32", std::string(4 * 8, '\0'));
    const auto header = [&](const char* spacing, const char* origin) {
      write("p.json",
            fmt::format(R"({{"file": "p.f32", "type": "float32", "endian": "little", "axes": "zyx", "shape": [2, 2, 2],
                                  "spacing": ["{0}", "{0}", "{0}"], "origin": [{1}, {1}, {1}]}})",
                        spacing, origin));
      return std::string(R"({"kind": "file", "header": "p.json"})");
    };
    QVERIFY(!says(header("100 m", "200"), "initial pressure", false));
    QVERIFY(says(header("100 km", "200"),
                 "the initial pressure reaches beyond the grid, what lies there is left out: 200 m to 100.2 km along x",
                 false));
    QVERIFY(says(header("100 m", "600"), "no sample of the initial pressure lies in the grid", true));
    QVERIFY(says(header("1 mm", "-1"), "no sample of the initial pressure lies in the grid", true));
  }

  /// Within six nodes of a jump of the density velocities are of second order.
  void velocities_beside_a_jump_are_told() {
    const auto says = [&](const char* top, const char* velocity, const char* density, const char* frequency) {
      const auto all =
          check({{"medium.density",
                  fmt::format(R"({{"kind": "layers", "layers": [{{"density": 1000}}, {{"top": {}, "density": {}}}]}})",
                              top, density)},
                 {"excitation.sources.0.signal.frequency", frequency},
                 {"output.receivers", fmt::format(R"([{{"position": [350, 300, 300], "velocity": {}}}])", velocity)}});
      return !has_errors(all) && std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
        return d.text.find(fmt::format("the density jumps {}:1 within six nodes of receiver R1: its velocity and "
                                       "intensity along the jump's normal may be wrong by up to ",
                                       std::stod(density) / 1000)) != std::string::npos;
      });
    };
    // Depths below 590 m; the receiver lies 290 m deep, eight nodes in a wave of half of the highest frequency.
    for (const char* top : {"242", "270", "290", "300", "337"}) QVERIFY2(says(top, "true", "3000", "15"), top);
    for (const char* top : {"225", "355"}) QVERIFY2(!says(top, "true", "3000", "15"), top);
    QVERIFY(!says("290", "false", "3000", "15"));
    QVERIFY(!says("290", "true", "3000", "7") && says("290", "true", "9000", "7"));
    QVERIFY(!says("290", "true", "1500", "15"));
  }

  /// The widest bell has no more to say than a constant: nothing of it is lost to rounding, no row of a trace takes longer than it.
  void pulses_of_any_width_are_judged() {
    std::string rigid;  // a layer would have its part of it
    for (const char* face : {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"})
      rigid += fmt::format(R"({}"{}": {{"kind": "rigid"}})", rigid.empty() ? "" : ", ", face);
    for (const char* width : {"50", "1e6", "1e9", "1e15"})
      for (const auto& d :
           check({{"boundaries", "{" + rigid + "}"},
                  {"excitation.initial",
                   fmt::format(R"({{"kind": "pulse", "centre": [300, 300, 300], "width": {}}})", width)}}))
        QFAIL(d.render().c_str());
    const Band band = band_of({1e-3, true, 1e-12}, 1e-3);
    const Interval reach = WeightRows({1e-3, true, 1e-12}, band, WeightRows::Use::receiver).reach(1);
    QVERIFY(reach.size() < 10'000);
    QVERIFY(std::abs(band_of({1e-3, true, 5.0}, 1e-3).stop - 4 * std::numbers::pi * 5) < 1e-9);
  }

  /// SEG-Y keeps tenths of a millimetre: in a grid of micrometres that moves what is written, and what is read is not where it was recorded.
  void positions_that_segy_cannot_keep_are_told() {
    using Changes = std::vector<std::pair<std::string, std::string>>;
    const auto says = [&](Changes changes, const char* words) {
      changes.insert(changes.end(), {{"grid.spacing", "\"20 um\""},
                                     {"excitation.sources.0.position", R"(["0.6 mm", "0.6 mm", "0.6 mm"])"},
                                     {"excitation.sources.0.signal.frequency", "\"7.5 MHz\""},
                                     {"parameters.end_time", "\"0.2 us\""}});
      const auto all = check(changes);
      if (has_errors(all)) return false;
      return std::any_of(all.begin(), all.end(),
                         [&](const Diagnostic& d) { return d.text.find(words) != std::string::npos; });
    };
    const char* moved = "moves receivers or sources by up to 2 of a spacing";
    const std::pair<std::string, std::string> on{"output.receivers.0.position", R"(["0.7 mm", "0.6 mm", "0.6 mm"])"},
        between{"output.receivers.0.position", R"(["0.74 mm", "0.6 mm", "0.6 mm"])"}, segy{"output.segy", "\"ieee\""};
    QVERIFY(says({between, segy}, moved));
    QVERIFY(!says({on, segy}, "of a spacing") && says({on, segy}, "whole microseconds"));
    QVERIFY(!says({between}, "of a spacing"));
    // Of two traces one lies half a millimetre outside of the grid, 25 of its nodes.
    std::vector<SegyTrace> traces(2);
    traces[0].receiver = {0.0006, 0.0006, 0.0006};
    traces[1].receiver = {0.0017, 0.0006, 0.0006};
    SegyLayout layout;
    layout.interval = 1e-6;
    layout.samples = 4;
    QVERIFY(write_segy(in_folder("heard.sgy"), layout, traces, std::vector<float>{0, 1, -1, 0, 0, 1, -1, 0}).ok());
    QVERIFY(says({on,
                  {"excitation.traces", R"({"kind": "segy", "file": "heard.sgy"})"},
                  {"excitation.sources.0.signal.frequency", "\"100 kHz\""}},
                 "1 of 2 traces lie outside"));
  }

  void velocity_files_are_checked() {
    const auto header = [](const char* shape, const char* rest = "") {
      return std::string(R"({"file":"model.f32","axes":"zyx","shape":)") + shape + R"(,"spacing":[300,300,300])" +
             rest + "}";
    };
    std::vector<float> values(27, 1500.0F);
    const auto put = [&] {
      write("model.f32", std::string(reinterpret_cast<const char*>(values.data()), values.size() * 4));
    };
    const auto first = [&](const std::string& text) {
      write("model.json", text);
      const auto found = check({{"medium.velocity", R"({"kind":"file","header":"model.json"})"}});
      return found.empty() ? QString("silent") : QString::fromStdString(found.front().render());
    };
    put();
    QCOMPARE(first(header("[3,3,3]")), QString("silent"));
    QVERIFY(first(header("[3,3,4]")).contains("need 144"));
    QVERIFY(first(header("[1000000000,1000000000,1000000000]")).contains("bytes"));
    QVERIFY(first(header("[3,3,-3]")).contains("shape"));
    QVERIFY(first(header("[3,3]")).contains("three counts"));
    QVERIFY(first(header("[3,3,3]", R"(,"unit":"kg")")).contains("unit"));
    QVERIFY(first(header("[3,3,3]", R"(,"colour":1)")).contains("colour"));
    QVERIFY(first(header("[3,3,3]", R"(,"origin":[0,0,5000])")).contains("covers"));
    QVERIFY(first("not json").contains("not a JSON object"));
    QVERIFY(first(R"({"file":"model.f32","axes":"zyy","shape":[3,3,3],"spacing":[1,1,1]})").contains("once each"));
    values[14] = 0;  // z slowest: 14 = (z 1, y 1, x 2)
    put();
    QVERIFY(first(header("[3,3,3]")).contains("sample 14 (x 2, y 1, z 1)"));
    values[14] = std::nanf("");
    put();
    QVERIFY(first(header("[3,3,3]")).contains("positive finite"));
    values[14] = -3;
    put();
    QVERIFY(first(header("[3,3,3]")).contains("-3 m/s"));
  }

  void signals_are_checked() {
    const auto first = [&](const std::string& text) {
      write("signal.csv", text);
      const auto found = check({{"excitation.sources.0.signal", R"({"kind":"sampled","file":"signal.csv"})"}});
      return found.empty() ? QString("silent") : QString::fromStdString(found.front().render());
    };
    std::string smooth = "# a slow bump\nt[s],s[Pa m]\n";
    for (int i = 0; i <= 40; ++i)
      smooth += std::to_string(i * 0.005) + "," + std::to_string(std::exp(-0.02 * (i - 20) * (i - 20))) + "\n";
    QCOMPARE(first(smooth), QString("silent"));
    QVERIFY(first("0,1\n").contains("found 1"));
    QVERIFY(first("0,1\n1,x\n").contains("signal.csv:2"));
    QVERIFY(first("0,1\n1,2\n3,4\n").contains("evenly"));
    QVERIFY(first("0,1\n1,nan\n").contains("finite"));
    QVERIFY(first("1,1\n0,2\n").contains("grow"));
    QVERIFY(first("").contains("found 0"));
  }
};

QTEST_APPLESS_MAIN(TestCaseMessages)
#include "test_case_messages.moc"

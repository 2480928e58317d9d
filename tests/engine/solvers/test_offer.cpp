// SPDX-License-Identifier: BSD-3-Clause
// Who says what a run may take, and which of the devices that are offered take part.
// labels: unit emulated
#include <QTest>

#include <cstdlib>

#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/case.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_plan.hpp"
#include "engine/solvers/hydro_fem/hydro_fem.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/registry.hpp"
#include "engine/team/affinity.hpp"
#include "engine/team/team.hpp"

using namespace conoid;

namespace {

Case resolved(const std::string& text) {
  const auto document = CaseDocument::parse(text, "case.json");
  const SolverInfo* solver = find_solver(document.value().json()["solver"].get<std::string>());
  const auto schema = Schema::for_solver(solver->id, solver->schema);
  return Case::resolve(document.value(), schema.value()).value();
}

/// Faces all of one kind; `more` goes into the case. So many steps that a device has long started.
Case wave(const std::string& more = "", const std::string& points = "[61, 57, 49]", const std::string& kind = "sponge",
          int steps = 100'000) {
  std::string faces;
  for (const char* face : {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"})
    faces += std::string(faces.empty() ? "" : ", ") + "\"" + face + R"(": {"kind": ")" + kind + "\"}";
  return resolved(R"({"solver": "acoustic-fd", "grid": {"points": )" + points + R"(, "spacing": 10},
    "parameters": {"order": 4, "steps": )" +
                  std::to_string(steps) + R"(}, "boundaries": {)" + faces + "}" + more + "}");
}

const std::string sphere = R"({"solver": "maxwell-fem", "sphere": {"radius": "50 mm", "divisions": 2, "layers": 1},
  "excitation": {"frequency": "1 GHz", "theta": "180 deg", "polarisation": "V"}})";

/// As "auto" finds it on a machine with that many devices; nothing is looked for.
Offer with_devices(int count, Bytes memory, bool automatic = true) {
  Offer out;
  out.automatic = automatic;
  out.who = {automatic ? "auto" : "cuda", automatic ? "default" : "flag"};
  out.threads.value = 8;
  out.host.value = Bytes{64} << 30;
  out.machine = this_machine();
  for (int k = 0; k < count; ++k) {
    DeviceInfo device;
    device.backend = "cuda";
    device.index = k;
    device.memory = device.free_memory = memory / 9 * 10;
    device.multiprocessors = 132;
    device.ring_unit = Bytes{2} << 20;
    out.devices.push_back(device);
    const std::string name = "cuda:" + std::to_string(k);
    out.workers.push_back({name, 1, 1, name, memory});
  }
  out.workers.push_back({"cpu", 8 - count, 1, {}, 0});
  return out;
}

int threads_of(const ChosenTeam& team) {
  int out = 0;
  for (const WorkerSpec& worker : team.workers) out += worker.threads;
  return out;
}

/// A variable of the environment while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

class TestOffer : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { ::setenv("CONOID_EMULATED", "devices=2,memory=96MiB", 1); }

  void flag_before_case_before_settings_before_environment() {
    const Variable openmp("OMP_NUM_THREADS", " 5,2");
    const Case silent = wave();
    const Case says = wave(R"(, "compute": {"workers": "cpu", "threads": 3, "deterministic": true,
                                "memory": {"host": "300 MiB", "device": "30 MiB"}})");
    const ResourceRequest flags{
        .workers = "cpu:1,cpu:1", .threads = 2, .host = 200, .device = 20, .deterministic = false};
    const ResourceRequest settings{.workers = "cpu:4", .threads = 4, .host = 400, .device = 40, .deterministic = true};
    const auto source = [](const auto& value) { return value.source; };

    const Offer by_flag = make_offer(says, {.flags = flags, .settings = settings}).value();
    QCOMPARE(by_flag.who.value, std::string("cpu:1,cpu:1"));
    QCOMPARE(by_flag.threads.value, 2);
    QCOMPARE(by_flag.host.value, Bytes{200});
    QCOMPARE(by_flag.device.value, Bytes{20});
    QVERIFY(!by_flag.deterministic.value);
    QCOMPARE(source(by_flag.host) + source(by_flag.who) + source(by_flag.deterministic), std::string("flagflagflag"));

    const Offer by_case = make_offer(says, {.settings = settings}).value();
    QCOMPARE(by_case.who.value, std::string("cpu"));
    QCOMPARE(by_case.threads.value, 3);
    QCOMPARE(by_case.host.value, Bytes{300} << 20);
    QCOMPARE(by_case.device.value, Bytes{30} << 20);
    QVERIFY(by_case.deterministic.value);
    QCOMPARE(source(by_case.threads) + source(by_case.who) + source(by_case.device), std::string("casecasecase"));

    const Offer by_settings = make_offer(silent, {.settings = settings}).value();
    QCOMPARE(by_settings.workers.front().threads, 4);
    QCOMPARE(by_settings.host.value, Bytes{400});
    QCOMPARE(source(by_settings.host) + source(by_settings.threads), std::string("settingssettings"));

    const Offer by_environment = make_offer(silent).value();
    QCOMPARE(by_environment.threads.value, 5);
    QCOMPARE(source(by_environment.threads), std::string("environment OMP_NUM_THREADS"));
    QVERIFY(!by_environment.host.said() && by_environment.host.value > 0);
    QVERIFY(by_environment.disk.value > 0);
    QVERIFY(by_environment.automatic);
  }

  void groups_of_ranks_are_as_many_as_fit() {
    const auto offered = [](int ranks, const std::string& groups) {
      return make_offer(wave(groups.empty() ? "" : R"(, "compute": {"groups": )" + groups + "}"),
                        {.place = {0, ranks, 0, ranks}})
          .value();
    };
    QCOMPARE(rank_groups(offered(4, ""), 10), 4);
    QCOMPARE(rank_groups(offered(4, ""), 3), 3);
    QCOMPARE(rank_groups(offered(4, "2"), 10), 2);
    QCOMPARE(rank_groups(offered(1, "2"), 10), 1);
    QCOMPARE(rank_groups(offered(4, "0"), 0), 1);
    const GroupUse frequencies{1, 3, false, "there are three"}, shots{1, 8, true, "of one size"};
    QCOMPARE(frequencies.fitting(4), (std::vector<int>{1, 2, 3}));
    QCOMPARE(shots.fitting(6), (std::vector<int>{1, 2, 3, 6}));
    QCOMPARE(GroupUse{}.fitting(4), std::vector<int>{1});
    const auto told = [&](int ranks, const std::string& groups, const GroupUse& use) {
      Estimate e;
      e.groups = use;
      const Offer offer = offered(ranks, groups);
      std::string out;
      for (const Diagnostic& d : plan_run(offer, wave(R"(, "compute": {"groups": )" + groups + "}"), e).diagnostics)
        out += d.render();
      return out;
    };
    QCOMPARE(told(4, "3", frequencies), std::string());
    QVERIFY(told(4, "4", frequencies).find("cannot form 4 groups: there are three") != std::string::npos);
    QVERIFY(told(4, "5", frequencies).find("a group has a rank at least") != std::string::npos);
    QVERIFY(told(6, "4", shots).find("groups are of one size") != std::string::npos);
    QVERIFY(told(6, "4", shots).find("case can use), 1, 2, 3, 6.") != std::string::npos);
    QVERIFY(told(2, "2", {}).find("ranks share every step") != std::string::npos);
    QVERIFY(told(1, "2", {}).find("warning") != std::string::npos);
  }

  void threads_that_workers_name_are_those_of_the_run() {
    const auto threads = [](const std::string& workers, int said) {
      const Offer offer = make_offer(wave(), {.flags = {.workers = workers, .threads = said}}).value();
      return std::to_string(offer.threads.value) + " " + offer.threads.source;
    };
    const Variable openmp("OMP_NUM_THREADS", "5");
    QCOMPARE(threads("cpu:1", 0), std::string("1 flag"));
    QCOMPARE(threads("cpu:1,cpu:2", 8), std::string("3 flag"));
    QCOMPARE(threads("cpu", 8), std::string("8 flag"));
    QCOMPARE(threads("cpu", 0), std::string("5 environment OMP_NUM_THREADS"));
    QCOMPARE(threads("emulated:0,cpu:1", 0), std::string("2 flag"));
  }

  void a_number_of_threads_that_is_none_is_told_data() {
    QTest::addColumn<QByteArray>("openmp");
    QTest::addColumn<QByteArray>("slurm");
    QTest::addColumn<int>("warnings");
    QTest::addRow("none") << QByteArray("many") << QByteArray("4") << 1;
    QTest::addRow("beginning") << QByteArray("3x") << QByteArray("4") << 1;
    QTest::addRow("zero") << QByteArray("0") << QByteArray("4") << 1;
    QTest::addRow("both") << QByteArray("-1") << QByteArray("1e9") << 2;
    QTest::addRow("nested") << QByteArray("4 ,2") << QByteArray("x") << 0;
    QTest::addRow("empty") << QByteArray("") << QByteArray("4") << 0;
  }
  void a_number_of_threads_that_is_none_is_told() {
    QFETCH(QByteArray, openmp);
    QFETCH(QByteArray, slurm);
    QFETCH(int, warnings);
    const Variable first("OMP_NUM_THREADS", openmp.constData()), second("SLURM_CPUS_PER_TASK", slurm.constData());
    const auto told = [](int flag) {
      const Case input = wave();
      const Offer offer = make_offer(input, {.flags = {.threads = flag}}).value();
      int count = 0;
      for (const Diagnostic& d : plan_run(offer, input, {}).diagnostics)
        if (d.text.find("no number of threads") != std::string::npos) ++count;
      return std::pair(count, offer.threads.value);
    };
    QCOMPARE(told(0).first, warnings);
    if (warnings < 2) QCOMPARE(told(0).second, 4);
    QCOMPARE(told(2), std::pair(0, 2));  // who says it by a flag is told nothing
  }

  void what_is_named_must_be_here_and_the_place_is_told() {
    const auto missing = make_offer(wave(R"(, "compute": {"workers": "cuda:77"})"));
    QVERIFY(!missing);
    QCOMPARE(missing.error().place.pointer, std::string("/compute/workers"));
    const auto flag = make_offer(wave(), {.flags = {.workers = "nobody"}});
    QVERIFY(!flag && flag.error().place.pointer.empty());
  }

  void memory_of_a_device_is_most_of_it_or_what_is_said() {
    const Bytes all = Bytes{96} << 20;
    const auto memory = [&](std::optional<Bytes> said) {
      const Offer offer = make_offer(wave(), {.flags = {.workers = "emulated:1,cpu", .device = said}}).value();
      return offer.workers.front().device_memory;
    };
    QCOMPARE(memory({}), all / 10 * 9);
    QCOMPARE(memory(Bytes{10} << 20), Bytes{10} << 20);
    QCOMPARE(memory(Bytes{1} << 40), all / 10 * 9);
  }

  /// Four ranks on two machines with two devices each: rank 2 is the first of its machine, and takes its first device.
  void ranks_of_a_machine_take_its_devices_in_turn() {
    const auto name = [](RankPlace place) {
      const Offer offer =
          make_offer(wave(), {.flags = {.workers = "emulated,cpu", .threads = 4}, .place = place}).value();
      std::string out;
      for (const WorkerSpec& worker : offer.workers) out += worker.device;
      return out + " " + std::to_string(offer.team_threads()) + " " + std::to_string(offer.devices.size());
    };
    QCOMPARE(name({0, 4, 0, 2}), std::string("emulated:0 4 1"));
    QCOMPARE(name({1, 4, 1, 2}), std::string("emulated:1 4 1"));
    QCOMPARE(name({2, 4, 0, 2}), std::string("emulated:0 4 1"));
    QCOMPARE(name({3, 4, 1, 2}), std::string("emulated:1 4 1"));
    QCOMPARE(name({2, 3, 2, 3}), std::string("emulated:0 4 1"));
    QCOMPARE(name({}), std::string("emulated:0emulated:1 4 2"));
  }

  /// Unbound ranks of a machine must not all take all of its cores, nor bind their threads to the same ones.
  void ranks_share_the_processors_that_all_may_use() {
    const int cores = this_machine().cores;
    const Offer first = make_offer(wave(), {.flags = {.workers = "cpu"}, .place = {0, 2, 0, 2, 0, 2}}).value(),
                second = make_offer(wave(), {.flags = {.workers = "cpu"}, .place = {1, 2, 1, 2, 1, 2}}).value(),
                bound = make_offer(wave(), {.flags = {.workers = "cpu"}, .place = {1, 2, 1, 2}}).value();
    if (std::getenv("OMP_NUM_THREADS") == nullptr && std::getenv("SLURM_CPUS_PER_TASK") == nullptr) {
      QCOMPARE(second.team_threads(), std::max(1, cores / 2));
      QCOMPARE(bound.team_threads(), cores);
    }
    Places all = places_of_this_thread({first.place.sharer, first.place.sharers});
    const Places more = places_of_this_thread({second.place.sharer, second.place.sharers});
    all.insert(all.end(), more.begin(), more.end());
    Places here = places_of_this_thread();
    std::ranges::sort(all);
    std::ranges::sort(here);
    QCOMPARE(all, here);
  }

  void ranks_share_the_memory_of_their_machine_only() {
    Machine machine;
    machine.free_memory = 800;
    QCOMPARE(share_of_free_memory(machine, {}), Bytes{600});
    QCOMPARE(share_of_free_memory(machine, {0, 8, 0, 2}), Bytes{300});
  }

  void auto_takes_one_device_where_two_are_slower() {
    const Case input = wave("", "[200, 200, 200]");
    const Offer offer = with_devices(2, Bytes{60} << 30);
    const Estimate e = acoustic_fd::AcousticFd().estimate(input, nullptr, offer).value();
    QCOMPARE(e.use.most, 1);
    const ChosenTeam team = choose_team(offer, e.use, 600);
    QCOMPARE(team.devices(), std::vector<std::string>{"cuda:0"});
    QCOMPARE(threads_of(team), 8);  // the thread that would have fed the other computes
    QVERIFY2(team.left_out.starts_with("cuda:1: ") && team.left_out.find("wait for each other") != std::string::npos,
             team.left_out.c_str());
    // A hundred steps are over before a device has started.
    const Estimate brief =
        acoustic_fd::AcousticFd().estimate(wave("", "[61, 57, 49]", "sponge", 100), nullptr, offer).value();
    QVERIFY(brief.use.most == 0 && brief.use.priced);
    QVERIFY2(brief.use.why.find("the run would take about") != std::string::npos, brief.use.why.c_str());
    // Named ones are obeyed, and it is told.
    const Offer named = with_devices(2, Bytes{60} << 30, false);
    const RunPlan plan = plan_run(named, input, acoustic_fd::AcousticFd().estimate(input, nullptr, named).value());
    QCOMPARE(plan.team.devices().size(), std::size_t{2});
    QVERIFY(std::ranges::any_of(plan.diagnostics, [](const Diagnostic& d) {
      return d.severity == Severity::warning && d.text.find("do not make this case faster") != std::string::npos;
    }));
  }

  /// 1024³ nodes in panels: rounds are long beside what it takes to begin them; of 256³ they are not.
  void auto_takes_two_devices_for_long_rounds_of_panels() {
    const auto most = [](const std::string& points, const std::string& kind) {
      Offer offer = with_devices(2, Bytes{60} << 30);
      for (DeviceInfo& device : offer.devices) {  // as an H200
        device.cluster = 16;
        device.shared_per_block = 227 << 10;
      }
      return acoustic_fd::AcousticFd().estimate(wave("", points, kind), nullptr, offer).value().use.most;
    };
    QCOMPARE(most("[1024, 1024, 1024]", "sponge"), -1);
    QCOMPARE(most("[256, 256, 256]", "sponge"), 1);
    QCOMPARE(most("[1024, 1024, 1024]", "matched"), -1);
    QCOMPARE(most("[256, 256, 256]", "matched"), 1);
  }

  void two_devices_that_hold_a_grid_are_taken_where_one_would_wait_for_its_link() {
    const Case input = wave(R"(, "compute": {"precision": "double"})", "[1200, 900, 600]");
    std::vector<Diagnostic> said;
    const acoustic_fd::Problem problem = acoustic_fd::read_setup(input, said).problem;
    const auto use = [&](Bytes memory) {
      return acoustic_fd::AcousticFd().estimate(input, nullptr, with_devices(2, memory)).value().use.most;
    };
    QCOMPARE(use(Bytes{60} << 30), 1);  // one holds it all
    // Half of it in each: against a single one, through which it is streamed with so much memory.
    const DeviceInfo device = with_devices(1, Bytes{60} << 30).devices.front();
    const Bytes half = acoustic_fd::device_plan(problem, Bytes{60} << 30, 2, &device).in_core + 1024;
    const acoustic_fd::DevicePlan alone = acoustic_fd::device_plan(problem, half, 1, &device);
    QVERIFY2(alone.streamed && alone.possible,
             qPrintable(QString("%1, %2 of %3").arg(alone.in_core).arg(alone.least).arg(half)));
    QCOMPARE(use(half), alone.slower < 3.7 ? 1 : -1);
    QCOMPARE(use(half / 2), 1);  // what does not fit in both goes through one
  }

  /// A second of processors that a card shortens: refused by weights of workers, taken where the solver has compared whole runs.
  void what_a_solver_has_priced_is_not_judged_by_weights() {
    const Offer offer = with_devices(1, Bytes{60} << 30);
    QVERIFY(choose_team(offer, {}, 1.0).devices().empty());
    QCOMPARE(choose_team(offer, {.most = -1, .why = {}, .priced = true}, 1.0).devices().size(), std::size_t{1});
    QVERIFY(choose_team(offer, {.most = 0, .why = "slower", .priced = true}, 1.0).devices().empty());
  }

  /// 64,000 quadrature points: of a long march a device is taken, of a short one it would not have started yet.
  void hydro_fem_compares_whole_runs() {
    const auto use = [](const char* end_time) {
      const Case input = resolved(std::string(R"({"solver": "hydro-fem",
        "grid": {"lower": [0, 0, 0], "upper": [1, 1, 1], "zones": [10, 10, 10]},
        "materials": {"air": {"kind": "ideal-gas", "gamma": 1.4}},
        "regions": [{"name": "air", "material": "air", "density": 1, "pressure": 1},
                    {"name": "half", "material": "air", "upper": [0.5, 1, 1], "density": 1, "pressure": 2}],
        "parameters": {"order": 2, "end_time": )") +
                                  end_time + "}}");
      const Offer offer = with_devices(1, Bytes{60} << 30);
      return hydro_fem::HydroFem().estimate(input, nullptr, offer).value().use;
    };
    const DeviceUse many = use("50"), few = use("1e-3");
    QVERIFY2(many.most == 1 && many.priced, many.why.c_str());
    QVERIFY2(few.most == 0 && few.why.starts_with("with it the run would take about"), few.why.c_str());
  }

  /// Whole runs on an H200 beside 16 cores, start of the device included: what is foreseen stays within a third of what they took.
  void acoustic_fd_foresees_what_an_h200_took_data() {
    QTest::addColumn<QString>("points");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<QString>("more");
    QTest::addColumn<int>("shots");
    QTest::addColumn<double>("memory");  // GiB
    QTest::addColumn<double>("took");
    const QString doubles = R"(, "compute": {"precision": "double"})",
                  image = R"(, "image": {"kind": "migration", "observed": {"kind": "computed"}, "smooth": "80 m"})";
    const auto add = [](const char* name, const char* points, const char* kind, int order, int steps, double took,
                        const QString& more_parameters = {}, int shots = 1, double memory = 60,
                        const QString& more = {}) {
      const QString parameters = QString(R"("order": %1, "steps": %2)").arg(order).arg(steps) + more_parameters;
      QTest::addRow("%s", name) << points << kind << parameters << more << shots << memory << took;
    };
    add("100^3", "[100, 100, 100]", "free", 8, 3000, 0.613);
    add("640^3", "[640, 640, 640]", "free", 8, 1000, 2.594);
    add("768^3", "[768, 768, 768]", "free", 4, 1000, 2.936);
    add("double", "[384, 384, 384]", "free", 8, 500, 1.081, {}, 1, 60, doubles);
    add("layers", "[384, 384, 384]", "matched", 8, 1000, 1.148);
    add("flat", "[700, 1, 700]", "matched", 8, 10000, 0.882);
    add("shots", "[160, 160, 160]", "matched", 8, 500, 1.025, {}, 6);
    add("streamed", "[768, 640, 640]", "free", 8, 200, 1.814, {}, 1, 1.46484375);
    add("image", "[200, 200, 200]", "sponge", 4, 400, 3.117, image);
    add("flat image", "[400, 1, 400]", "matched", 8, 2000, 4.382, image, 4);
  }
  void acoustic_fd_foresees_what_an_h200_took() {
    QFETCH(QString, points);
    QFETCH(QString, kind);
    QFETCH(QString, parameters);
    QFETCH(QString, more);
    QFETCH(int, shots);
    QFETCH(double, memory);
    QFETCH(double, took);
    const bool layered = parameters.contains("image"), flat = points.contains(" 1,");
    QString faces, sources;
    for (const char* face : {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"})
      if (!flat || face[0] != 'y')
        faces += QString("%1\"%2\": {\"kind\": \"%3\"%4}")
                     .arg(faces.isEmpty() ? "" : ", ", face, kind, kind == "free" ? "" : ", \"width\": 16");
    for (int k = 1; k <= shots; ++k)
      sources += QString(R"(%1{"position": [%2, 0, 500]%3, "signal": {"kind": "ricker", "frequency": "10 Hz"}})")
                     .arg(k > 1 ? ", " : "")
                     .arg(500 + 20 * k)
                     .arg(shots > 1 ? QString(", \"shot\": %1").arg(k) : "");
    const Case input =
        resolved(QString(R"({"solver": "acoustic-fd", "grid": {"points": %1, "spacing": 10}, "medium": {"velocity": %2},
          "boundaries": {%3}, "excitation": {"sources": [%4]}, "parameters": {%5},
          "output": {"receivers": [{"name": "A", "position": [400, 0, 400]}]}%6})")
                     .arg(points,
                          layered ? R"({"kind": "layers", "layers": [{"speed": 2000}, {"top": 400, "speed": 2400}]})"
                                  : R"({"kind": "constant", "speed": 2000})",
                          faces, sources, parameters, more)
                     .toStdString());
    Offer offer = with_devices(1, static_cast<Bytes>(memory * (Bytes{1} << 30)), false);
    offer.threads.value = 16;
    offer.devices.front().cluster = 16;
    offer.devices.front().shared_per_block = 227 << 10;
    offer.devices.front().bandwidth = 4.8e12;
    const auto e = acoustic_fd::AcousticFd().estimate(input, nullptr, offer);
    QVERIFY2(e, e ? "" : e.error().text.c_str());
    const double ratio = e->planned_seconds / took;
    QVERIFY2(ratio > 0.75 && ratio < 1.33, qPrintable(QString("%1 s instead of %2").arg(e->planned_seconds).arg(took)));
  }

  void auto_takes_no_device_that_a_case_cannot_use() {
    const Estimate layered =
        acoustic_fd::AcousticFd()
            .estimate(wave("", "[128, 128, 128]", "matched"), nullptr, with_devices(2, Bytes{60} << 30))
            .value();
    QVERIFY2(layered.use.most == 1, layered.use.why.c_str());
    // Planes from the disk pass one device at most; where its memory holds no window of them, or ranks stream, the processors march.
    Offer large = with_devices(2, Bytes{60} << 30);
    large.host = {Bytes{6'000'000}, "flag"};
    Offer small = with_devices(1, Bytes{1} << 20), ranks = large;
    small.host = large.host;
    ranks.place = {0, 2, 0, 2, 0, 2};
    const Case long_grid = wave("", "[700, 60, 60]");
    const auto streamed = [&](const Offer& offer) {
      return acoustic_fd::AcousticFd().estimate(long_grid, nullptr, offer).value();
    };
    QVERIFY(streamed(large).streams.find("disk") != std::string::npos);
    const DeviceUse use = streamed(large).use;
    QVERIFY2(use.most == 0 || use.most == 1, use.why.c_str());
    for (const Offer& offer : {small, ranks}) {
      const Estimate e = streamed(offer);
      QVERIFY(e.streams.find("disk") != std::string::npos);
      QCOMPARE(e.use.most, 0);
      QVERIFY(choose_team(offer, e.use, e.seconds).devices().empty());
    }
    const Estimate e = streamed(small);
    QCOMPARE(threads_of(choose_team(small, e.use, e.seconds)), 8);
    // Solvers without a phase for devices are not even offered one.
    QVERIFY(make_offer(resolved(sphere)).value().devices.empty());
  }

  /// Mesh and matrix are whole on every rank, factors are shared.
  void what_every_rank_holds_is_not_divided() {
    const Case input = resolved(sphere);
    Offer one = with_devices(0, 0), four = one;
    four.place = {0, 4, 0, 4};
    const auto of = [&](const Offer& offer) {
      return maxwell_fem::MaxwellFem().estimate(input, nullptr, offer).value();
    };
    QVERIFY(of(four).host_memory < of(one).host_memory);
    QVERIFY(of(four).host_memory > of(one).host_memory / 4);
    // A grid is divided.
    const Case grid = wave("", "[400, 100, 100]");
    const auto march = [&](const Offer& offer) {
      return acoustic_fd::AcousticFd().estimate(grid, nullptr, offer).value().host_memory;
    };
    QVERIFY(march(four) < march(one));
  }
};

QTEST_APPLESS_MAIN(TestOffer)
#include "test_offer.moc"

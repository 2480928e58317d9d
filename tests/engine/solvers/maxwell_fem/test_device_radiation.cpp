// SPDX-License-Identifier: BSD-3-Clause
// The radiation on emulated devices, checked and not, equals that of processors: all forms, odd numbers of columns and rows, near
// blocks, little memory, several devices; a device that is lost.
// labels: unit emulated timeout300
#include <QTest>
#include <cmath>
#include <set>

#include "conoid/config.hpp"
#include "engine/core/log.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/solving/factor_place.hpp"
#include "engine/solvers/maxwell_fem/solving/radiation.hpp"
#include "engine/solvers/maxwell_fem/verify/device_difference.hpp"
#include "engine/solvers/maxwell_fem/verify/spheres.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::maxwell_fem;

namespace {

struct DeviceScene {
  Mesh mesh;
  Domain domain;
};

std::unique_ptr<DeviceScene> device_scene(int divisions) {
  SphereScene s;
  s.divisions = divisions;
  s.layers = 2;
  auto out = std::make_unique<DeviceScene>();
  out->mesh = *sphere_mesh(s);
  out->domain = *make_domain(out->mesh, sphere_roles(s));
  return out;
}

std::vector<WorkerSpec> one_device(const std::string& name, Bytes memory = 0) {
  return {{name, 1, 1, name, memory}};
}

/// A sphere's case from beginning to end: the cross section over a cut, dB, and which workers radiated on devices.
struct WholeRun {
  std::vector<double> echo;
  std::set<int> took;
  double factor_memory = 0;  ///< on a device with the matrix and right-hand sides
  double solve_residual = 0;
  explicit WholeRun(std::vector<WorkerSpec> workers, bool deterministic = false, const char* loop = "auto",
                    const char* direct = "auto", double tolerance = 1e-3, bool single = false) {
    Json json = read_json(R"({
      "solver": "maxwell-fem",
      "sphere": {"radius": "50 mm", "divisions": 2},
      "excitation": {"frequency": "1 GHz", "theta": "180 deg", "polarisation": "V"}})");
    if (deterministic) json["compute"]["deterministic"] = true;
    json["truncation"]["loop"] = loop;
    json["parameters"]["direct_solver"] = direct;
    json["parameters"]["single_factors"] = single;
    json["truncation"]["tolerance"] = tolerance;
    const auto schema = Schema::for_solver("maxwell-fem", solver_info().schema);
    const Case input = Case::resolve(CaseDocument::from_json(json, "case.json"), *schema).value();
    Team team(std::move(workers));
    const auto cluster = single_rank();
    MemoryResults results;
    NoProgress progress;
    Offer offer = make_offer(input).value();
    offer.automatic = false;  // devices were named, and take part whatever is faster
    RunContext context{input, nullptr, team, offer, *cluster, results, progress, {}};
    MaxwellFem solver;
    solver.prepare(context).or_throw();
    for (bool finished = false; !finished;) {
      const auto advanced = solver.advance(context);
      if (!advanced) throw Failure(advanced.error());
      finished = advanced->finished;
    }
    solver.finish(context).or_throw();
    for (const auto& n : results.numbers)
      if (n.name == "factor_memory")
        factor_memory = n.value;
      else if (n.name == "solve_residual")
        solve_residual = n.value;
    for (const auto& row : results.find("rcs_phi_0")->rows) echo.push_back(row[1]);
    for (const BalanceSample& sample : team.take_samples())
      if ((sample.phase == "radiation on devices" || sample.phase == "radiation by loops") && !sample.items.empty())
        took.insert(sample.worker);
  }
};

/// One application: device = processors.
void equal(const Domain& d, double k, double near, std::vector<WorkerSpec> workers, Index count, RadiationLoop loop,
           Interval faces, int times = 1) {
  Team team(std::move(workers));
  const double error = radiation_difference(team, d, k, near, count, loop, faces, times),
               most = radiation_round_off(d, k);
  QVERIFY2(error <= most, qPrintable(QString("loop %1, %2 columns, k %3: %4 > %5")
                                         .arg(static_cast<int>(loop))
                                         .arg(count)
                                         .arg(k)
                                         .arg(error)
                                         .arg(most)));
}

}  // namespace

class TestDeviceRadiation : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { configure_emulated({}); }

  void every_form_equals_the_processors() {
    const auto s = device_scene(2);
    const Domain& d = s->domain;
    for (const RadiationLoop loop :
         {RadiationLoop::device, RadiationLoop::device_fused, RadiationLoop::device_products})
      for (const Index count : {1, 3, 13, 17})
        equal(d, 1.3, 1.5, one_device("emulated"), count, loop, {0, d.outer.faces()});
    // Without near blocks, and with waves that turn often; parts of S, the second time with the memory of the first.
    equal(d, 40, 0, one_device("emulated"), 5, RadiationLoop::device_fused, {0, d.outer.faces()});
    equal(d, 40, 0, one_device("emulated"), 5, RadiationLoop::device_products, {0, d.outer.faces()});
    equal(d, 1e-3, 1.5, one_device("emulated"), 2, RadiationLoop::device, {0, d.outer.faces()});
    equal(d, 1.3, 1.5, one_device("emulated"), 7, RadiationLoop::device_fused, {3, 30}, 2);
    equal(d, 1.3, 1.5, one_device("emulated"), 7, RadiationLoop::device_products, {3, 30}, 2);
  }

  void checked() {
    if (CONOID_HAVE_EMULATED_CHECKED == 0) QSKIP("sanitizers and the checked mode exclude each other");
    const auto s = device_scene(1);
    const Domain& d = s->domain;
    for (const RadiationLoop loop :
         {RadiationLoop::device_fused, RadiationLoop::device_products, RadiationLoop::cuda_outer})
      for (const Index count : {1, 3}) equal(d, 2.1, 1.5, one_device("emulated-checked"), count, loop, {1, 12});
    equal(d, 2.1, 1.5, one_device("emulated-checked"), 12, RadiationLoop::device_fused, {0, 5});
    equal(d, 2.1, 1.5, one_device("emulated-checked"), 2, RadiationLoop::cuda_rhs, {2, 3});
  }

  void the_papers_loops() {
    const auto s = device_scene(1);
    const Domain& d = s->domain;
    for (const Index count : {1, 5}) {
      equal(d, 1.3, 1.5, one_device("emulated"), count, RadiationLoop::cuda_outer, {0, d.outer.faces()});
      equal(d, 1.3, 1.5, one_device("emulated"), count, RadiationLoop::cuda_rhs, {2, 5});
    }
  }

  /// Groups of columns and panels of few rows; where not one column fits, processors compute, and a warning says so.
  void little_memory() {
    const auto s = device_scene(2);
    const Domain& d = s->domain;
    std::vector<std::string> said;
    auto listening = log::subscribe([&](const LogEntry& e) { said.push_back(e.text); });
    const auto says = [&](const char* what) {
      return std::any_of(said.begin(), said.end(),
                         [&](const std::string& t) { return t.find(what) != std::string::npos; });
    };
    equal(d, 1.3, 0, one_device("emulated", Bytes{5} << 20), 70, RadiationLoop::device_products, {0, d.outer.faces()},
          2);
    QVERIFY(says("groups") && !says("takes no part"));
    said.clear();
    equal(d, 1.3, 0, one_device("emulated", Bytes{1} << 20), 3, RadiationLoop::device_products, {0, d.outer.faces()},
          2);
    listening.reset();
    QCOMPARE(std::count_if(
                 said.begin(), said.end(),
                 [](const std::string& t) { return t.find("takes no part in the radiation") != std::string::npos; }),
             std::ptrdiff_t{1});
  }

  /// Copies are slow, so that memory of the host that is used again too early, or not yet there, would be seen.
  void pieces_pass_to_a_device_and_back() {
    EmulatedOptions options;
    options.bandwidth = 2e6;
    configure_emulated(options);
    const auto device = Device::open("emulated");
    QVERIFY(device.ok());
    constexpr std::size_t n = 1003, offset = 5;
    std::vector<Complex> sent(n);
    for (std::size_t i = 0; i < n; ++i) sent[i] = {static_cast<double>(i), -1.0 / (1.0 + static_cast<double>(i))};
    for (const std::size_t piece : {std::size_t{1} << 19, std::size_t{64}, std::size_t{17}}) {
      const auto there = device->allocate<Complex>(n + offset, "pieces");
      DevicePassage passage(*device, CpuWorker(2), 0, piece);
      passage.up(there, offset, std::span(sent).first(n / 2));
      passage.up(there, offset + n / 2, std::span(sent).subspan(n / 2));
      // Columns of a piece, of several pieces, several of them a piece.
      for (const Index rows : {Index{1003}, Index{100}, Index{9}, Index{1}}) {
        const Index columns = static_cast<Index>(n) / rows, leading = rows + 3;
        std::vector<Complex> got(static_cast<std::size_t>(leading * columns), Complex(-7));
        passage.down(got, leading, there, offset, rows, columns);
        for (Index c = 0; c < columns; ++c)
          for (Index r = 0; r < leading; ++r)
            QCOMPARE(got[static_cast<std::size_t>(c * leading + r)],
                     r < rows ? sent[static_cast<std::size_t>(c * rows + r)] : Complex(-7));
      }
    }
  }

  /// Currents in blocks of columns behind the products of the first panel, psi of a panel behind those of the next ones; in groups where the
  /// device is small. Columns that are not there yet are NaN in fresh memory.
  void copies_pass_behind_products() {
    const auto s = device_scene(2);
    const Domain& d = s->domain;
    const PointArrays to = point_arrays(d.outer), from = point_arrays(d.currents);
    std::vector<double> scale;
    for (Index p = 0; p < d.outer.size(); ++p) scale.push_back(std::sqrt(d.outer.weight(p) / 2));
    const std::vector<Index> no_near(scale.size() + 1, 0);
    const Radiation by_processors(d, 1.3, 1, 0);
    const Index all = d.outer.size(), depth = 4 * d.currents.size();
    Team processors({{"cpu", 1, 1}});
    for (const char* name : {"emulated", "emulated-checked"}) {
      if (CONOID_HAVE_EMULATED_CHECKED == 0 && name != std::string_view("emulated")) continue;
      const bool checked = name != std::string_view("emulated");
      for (const auto& [count, memory] : {std::pair{Index{19}, Bytes{1} << 30},
                                          {Index{5}, Bytes{1} << 30},
                                          {Index{1}, Bytes{1} << 30},
                                          {Index{40}, Bytes{5} << 20}}) {
        if (checked && count > 5) continue;
        EmulatedOptions options;
        options.bandwidth = 3e7;
        configure_emulated(options);
        const auto device = Device::open(name);
        QVERIFY(device.ok());
        const auto f = random_currents(d, count);
        std::vector<Complex> want(static_cast<std::size_t>(2 * all * count));
        by_processors.apply(processors, f, count, want, RadiationLoop::automatic);
        // Eight blocks of columns, pieces that are smaller than a column.
        DeviceRadiation radiation(*device, {to, from, scale, no_near, {}, 1.3}, CpuWorker(2), 1,
                                  static_cast<std::size_t>(depth * count) / 50 + 1);
        const Interval rows{checked ? 18 : 0, checked ? 96 : all};
        for (const DeviceForm form : {DeviceForm::products, DeviceForm::fused, DeviceForm::products}) {
          std::vector<Complex> got(want.size(), Complex(0));
          const DeviceRadiationFacts facts =
              radiation.apply(f, count, got, rows, form, [&, room = memory](Bytes) { return room; });
          QVERIFY(facts.fits);
          if (facts.products) QCOMPARE(facts.groups > 1, memory < Bytes{1} << 30);  // two panels leave few columns room
          if (facts.products && !checked) QVERIFY(facts.panels >= 4 * facts.groups);
          double off = 0, size = 0;
          for (Index c = 0; c < 2 * count; ++c)
            for (Index r = 0; r < all; ++r) {
              const auto i = static_cast<std::size_t>(c * all + r);
              if (r < rows.begin || r >= rows.end) {
                QCOMPARE(got[i], Complex(0));
                continue;
              }
              off += std::norm(got[i] - want[i]);
              size += std::norm(want[i]);
            }
          QVERIFY2(std::sqrt(off / size) <= radiation_round_off(d, 1.3),
                   qPrintable(QString("%1, %2 columns: %3").arg(name).arg(count).arg(std::sqrt(off / size))));
        }
      }
    }
  }

  /// The device has less memory than the run was told that it may take.
  void refused_memory() {
    EmulatedOptions options;
    options.memory = Bytes{5} << 20;
    configure_emulated(options);
    const auto s = device_scene(2);
    equal(s->domain, 1.3, 0, one_device("emulated", Bytes{1} << 30), 70, RadiationLoop::device_products,
          {0, s->domain.outer.faces()});
  }

  void devices_share_the_surface() {
    EmulatedOptions options;
    options.devices = 2;
    configure_emulated(options);
    const auto s = device_scene(2);
    const Domain& d = s->domain;
    for (const char* names : {"emulated:0,emulated:1", "emulated:0,emulated:1,cpu:1"}) {
      auto workers = parse_workers(names, 3);
      QVERIFY(workers.ok());
      for (const RadiationLoop loop : {RadiationLoop::device_fused, RadiationLoop::device_products})
        equal(d, 1.3, 1.5, *workers, 5, loop, {0, d.outer.faces()}, 3);
    }
  }

  /// A case takes the devices of its team, and its answer is the same. Each of some ten applications adds 3e-14 to the amplitude, the
  /// iteration at most doubles what is added (its spectral radius is below a half), and echoes of this sphere lie within 20 dB of each
  /// other: 10 x 3e-14 x 2 x 10 x 8.7 dB.
  void a_case_takes_the_devices_of_its_team() {
    EmulatedOptions options;
    options.devices = 2;
    configure_emulated(options);
    const WholeRun want({{"cpu", 2, 1}});
    QVERIFY(want.took.empty());
    QCOMPARE(want.echo.size(), std::size_t{181});
    const auto compare = [&](const WholeRun& got, const std::set<int>& took) {
      QCOMPARE(got.took, took);
      double worst = 0;
      for (std::size_t i = 0; i < want.echo.size(); ++i) worst = std::max(worst, std::abs(got.echo[i] - want.echo[i]));
      QVERIFY2(worst < 1e-10, qPrintable(QString::number(worst)));
    };
    compare(WholeRun(one_device("emulated")), {0});
    compare(WholeRun(*parse_workers("cpu:1,emulated:0,emulated:1", 3)), {0, 1, 2});
    // Who computes a row depends on speeds: processors alone have one order of sums.
    compare(WholeRun(*parse_workers("cpu:1,emulated:0", 2), true), {});
    compare(WholeRun(one_device("emulated"), true), {0});
    // Two devices are one, in the loop of the source that a device can bear, too.
    compare(WholeRun(*parse_workers("emulated:0,emulated:1", 2)), {0, 1});
    compare(WholeRun(one_device("emulated"), false, "cuda_S"), {0});
    compare(WholeRun(*parse_workers("emulated:0,emulated:1", 2), false, "cuda_S"), {0, 1});
    for (const auto& [workers, deterministic, says] :
         {std::tuple{"cpu:1", false, "none is among the workers"},
          {"cpu:1,emulated:0", true, "no lasting order of sums where several workers share S"}})
      try {
        WholeRun(*parse_workers(workers, 2), deterministic, "cuda_S");
        QFAIL("it ran");
      } catch (const Failure& failure) {
        QVERIFY2(failure.error().text.find(says) != std::string::npos, failure.error().text.c_str());
      }
  }

  /// The factors of the library behind an emulated device, and the iteration with them: residuals of both systems are round-off, some 1e-15 of the
  /// right-hand side; echoes of this sphere lie within 20 dB of each other, as above.
  void a_device_factors_the_matrix_of_a_case() {
    const WholeRun want({{"cpu", 1, 1}}, false, "auto", "auto",
                        1e-12);  // as many threads: what waits for parents depends on them
    const auto compare = [&](const WholeRun& got, bool on_device) {
      QVERIFY(got.factor_memory > 0);
      QCOMPARE(got.factor_memory != want.factor_memory, on_device);
      double worst = 0;
      for (std::size_t i = 0; i < want.echo.size(); ++i) worst = std::max(worst, std::abs(got.echo[i] - want.echo[i]));
      QVERIFY2(worst < 1e-10, qPrintable(QString::number(worst)));
    };
    compare(want, false);
    compare(WholeRun(one_device("emulated"), false, "auto", "device", 1e-12), true);
    compare(WholeRun(*parse_workers("cpu:1,emulated:0", 2), true, "auto", "device", 1e-12), true);
    const WholeRun single(one_device("emulated"), false, "auto", "device", 1e-12, true);
    compare(single, true);  // residuals of 1e-12 reach the echo as 1e-11 dB
    QVERIFY(single.solve_residual > 0 && single.solve_residual < 1e-11);
    compare(WholeRun(one_device("emulated"), false, "auto", "auto", 1e-12), false);  // where only asked to
    if (CONOID_HAVE_EMULATED_CHECKED != 0)
      compare(WholeRun(one_device("emulated-checked"), false, "blocked", "device", 1e-12), true);
    const auto refused = [](const char* direct, bool on_disk) {
      Json json = read_json(R"({
        "solver": "maxwell-fem",
        "sphere": {"radius": "50 mm", "divisions": 2},
        "excitation": {"frequency": "1 GHz", "theta": "180 deg", "polarisation": "V"}})");
      json["parameters"] = {{"direct_solver", direct}, {"factors_on_disk", on_disk}};
      json["compute"]["workers"] = "cpu";
      const auto schema = Schema::for_solver("maxwell-fem", solver_info().schema);
      const Case input = Case::resolve(CaseDocument::from_json(json, "case.json"), *schema).value();
      std::string out;
      for (const Diagnostic& d : MaxwellFem().check(input, nullptr, make_offer(input).value()))
        if (d.severity == Severity::error) out += d.text + "\n";
      return out;
    };
    QVERIFY(refused("device", false).find("none is among the workers") != std::string::npos);
    QVERIFY(refused("device", true).find("are not kept on disk") != std::string::npos);
    QCOMPARE(refused("auto", false), std::string());
  }

  /// What check and log say of a place, and why it is not a device.
  void the_place_of_the_factors_has_a_reason() {
    DeviceInfo card;
    card.backend = "cuda";
    card.name = "a card";
    card.memory = Bytes{8} << 30;
    DirectOptions options;
    const std::vector<WorkerSpec> workers{{"cpu", 1, 1}, {"cuda:0", 1, 1, "cuda:0", 0}};
    const auto says = [&](const FactorWork& work, const char* text) {
      const FactorPlace place = place_factors(options, work, workers, std::span(&card, 1));
      QVERIFY2(place.device < 0 && place.reason.find(text) != std::string::npos, place.reason.c_str());
    };
    says({1e5, 1e7, 2, false}, "share the factors");
    says({1e5, 1e7, 1, true}, "deterministic");
    says({1e4, 1e7, 1, false}, "pays from 40000 unknowns");
    says({1e6, 1e9, 1, false}, "do not fit into");
    if (!missing_device_direct().empty())
      says({1e5, 1e7, 1, false}, missing_device_direct().c_str());
    else
      QCOMPARE(place_factors(options, {1e5, 1e7, 1, false}, workers, std::span(&card, 1)).device, 0);
    options.single = true;
    // Half the memory: 12 bytes of each of 5e8 entries are more than half of nine tenths of 8 GiB, 12 of 3e8 are less.
    says({1e5, 5e8, 1, false}, "do not fit into");
    if (missing_device_direct().empty()) {
      const FactorPlace half = place_factors(options, {1e5, 3e8, 1, false}, workers, std::span(&card, 1));
      QVERIFY2(half.device == 0 && half.reason.find("in single precision") != std::string::npos, half.reason.c_str());
    }
    options.method = DirectMethod::device;
    const FactorPlace beyond = place_factors(options, {1e5, 5e8, 1, false}, workers, std::span(&card, 1));
    QVERIFY2(beyond.device == 0 && beyond.reason.ends_with("factors in the host's"), beyond.reason.c_str());
    options = {};
    options.method = DirectMethod::device;
    QCOMPARE(place_factors(options, {1e4, 1e9, 2, true}, workers, std::span(&card, 1)).device, 0);
    options.method = DirectMethod::tree;
    QVERIFY(place_factors(options, {1e5, 1e7, 1, false}, workers, std::span(&card, 1)).reason.empty());
    options = {};
    QVERIFY(place_factors(options, {1e5, 1e7, 1, false}, {{"cpu", 1, 1}}, {}).reason.empty());
  }

  /// What cuDSS took on an H200 with 32 threads of its host (order, factors, 128 right-hand sides; s): the forecast is within 1.5. Of the larger
  /// layer entries and flops are counted, of the other they follow the law; 6e13 flop/s of complex products.
  void what_factors_on_a_device_take_is_foreseen() {
    DirectOptions options;
    options.threads = 32;
    const auto within = [&](const FactorWork& work, double whole, double solves) {
      const double got = device_factor_seconds(work, options, 6e13, 0),
                   with = device_factor_seconds(work, options, 6e13, 128);
      QVERIFY2(got < 1.5 * whole && got > whole / 1.5, qPrintable(QString::number(got)));
      QVERIFY2(with - got < 1.5 * solves && with - got > solves / 1.5, qPrintable(QString::number(with - got)));
    };
    within({72972, 2.2e7, 1, false, 7.7e10}, 0.32, 0.081);
    within({223452, 7.99e7, 1, false, 4.12e11}, 0.86, 0.263);
    QCOMPARE(device_factor_seconds({1e5, 1e7, 1, false, 1e11}, options, 0, 1), 0.0);
    FactorWork with_host{223452, 7.99e7, 1, false, 4.12e11, 1e9};
    QVERIFY(device_factor_seconds(with_host, options, 6e13, 128) >
            device_factor_seconds({223452, 7.99e7, 1, false, 4.12e11}, options, 6e13, 128));
  }

  /// An error of code resources, whatever the operation at which it is lost.
  void a_lost_device_is_an_error() {
    const auto s = device_scene(1);
    const Domain& d = s->domain;
    const auto f = random_currents(d, 5);
    for (const RadiationLoop loop : {RadiationLoop::device_fused, RadiationLoop::device_products})
      for (const int after : {1, 6, 8, 10}) {
        EmulatedOptions options;
        options.fails_after = after;
        configure_emulated(options);
        Team team(one_device("emulated"));
        const Radiation radiation(d, 1.3, 1);
        std::vector<Complex> psi(static_cast<std::size_t>(2 * d.outer.size() * 5));
        try {
          radiation.apply(team, f, 5, psi, loop);
          QFAIL("nobody noticed");
        } catch (const Failure& failure) {
          QCOMPARE(failure.error().code, ErrorCode::resources);
        }
      }
  }
};

QTEST_GUILESS_MAIN(TestDeviceRadiation)
#include "test_device_radiation.moc"

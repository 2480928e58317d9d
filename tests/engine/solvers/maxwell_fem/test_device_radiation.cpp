// SPDX-License-Identifier: BSD-3-Clause
// The radiation on emulated devices, checked and not, equals that of processors: all forms, odd numbers of columns and rows, near
// blocks, little memory, several devices; a device that is lost.
// labels: unit emulated timeout300
#include <QTest>
#include <cmath>
#include <random>

#include "conoid/config.hpp"
#include "engine/core/log.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/radiation.hpp"
#include "engine/solvers/maxwell_fem/verify/spheres.hpp"

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

std::vector<Complex> columns_of(const Domain& d, Index count) {
  std::mt19937 engine(7);
  std::normal_distribution<double> normal;
  std::vector<Complex> out(static_cast<std::size_t>(4 * d.currents.size() * count));
  for (Complex& v : out) v = {normal(engine), normal(engine)};
  return out;
}

double relative(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double d = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    d += std::norm(a[i] - b[i]);
    size += std::norm(b[i]);
  }
  return std::sqrt(d / size);
}

std::vector<WorkerSpec> one_device(const std::string& name, Bytes memory = 0) {
  return {{name, 1, 1, name, memory}};
}

/// What rounding leaves, u = 2⁻⁵³: a coefficient has some 20 operations and a phase kR whose distance carries three of them; n terms of
/// random signs are added in another order, √n u. Both sides err so, and a distribution reaches twice its mean.
double round_off(const Domain& d, double k) {
  double size = 0;
  for (Index p = 0; p < d.outer.size(); ++p) size = std::max(size, vec::norm(d.outer.point(p).x));
  return 4 * (20 + 3 * k * 2 * size + std::sqrt(2.0 * static_cast<double>(d.currents.size()))) * 0x1p-53;
}

/// One application: device = processors.
void equal(const Domain& d, double k, double near, std::vector<WorkerSpec> workers, Index count, RadiationLoop loop,
           Interval faces, int times = 1) {
  const auto f = columns_of(d, count);
  Team processors({{"cpu", 1, 1}}), devices(std::move(workers));
  const Radiation radiation(d, k, 1, near);
  std::vector<Complex> want(static_cast<std::size_t>(2 * d.outer.size() * count)), got(want);
  radiation.apply(processors, f, count, want, RadiationLoop::automatic, faces);
  for (int t = 0; t < times; ++t) {
    std::fill(got.begin(), got.end(), Complex(0));
    radiation.apply(devices, f, count, got, loop, faces);
  }
  const double error = relative(got, want);
  QVERIFY2(error <= round_off(d, k), qPrintable(QString("loop %1, %2 columns, k %3: %4 > %5")
                                                    .arg(static_cast<int>(loop))
                                                    .arg(count)
                                                    .arg(k)
                                                    .arg(error)
                                                    .arg(round_off(d, k))));
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

  /// An error of code resources, whatever the operation at which it is lost.
  void a_lost_device_is_an_error() {
    const auto s = device_scene(1);
    const Domain& d = s->domain;
    const auto f = columns_of(d, 5);
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

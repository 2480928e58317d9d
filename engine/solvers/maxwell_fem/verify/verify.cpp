// SPDX-License-Identifier: BSD-3-Clause
// Exact numbers: Mie series, convergence of the truncation by modal theory, orders of the elements.
#include "engine/solvers/maxwell_fem/verify/verify.hpp"
#include "engine/solvers/maxwell_fem/discretization/impedance.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/order.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/output_parts.hpp"
#include "engine/solvers/maxwell_fem/verify/device_difference.hpp"
#include "engine/solvers/maxwell_fem/verify/dipoles.hpp"
#include "engine/solvers/maxwell_fem/verify/spheres.hpp"
#include "engine/solvers/maxwell_fem/verify/sweeps.hpp"
#include "engine/solvers/maxwell_fem/verify/targets.hpp"
#include "engine/solvers/verify_rows.hpp"
#include "engine/team/device.hpp"
#include "engine/team/team.hpp"

#include <cmath>
#include <string>
#include <tuple>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

namespace {

struct Checks : VerifyRows {
  RowWorkers workers;

  SphereOutcome sphere(const std::string& name, const SphereScene& scene) const {
    run.doing(name);
    auto out = run_sphere(scene, workers);
    if (!out) throw Failure(out.error());
    return *out;
  }

  void conductor(double ka, double distance, int divisions, int layers, bool curved, double limit) const {
    SphereScene s;
    s.ka = ka;
    s.distance = distance;
    s.divisions = divisions;
    s.layers = layers;
    s.curved = curved;
    const std::string name = fmt::format("conducting sphere, ka = {:g}, {}", ka, curved ? "curved" : "flat");
    if (!run.may_want(name)) return;
    const SphereOutcome o = sphere(name, s);
    const double theory = truncation_radius(ka, ka + 2 * pi * distance);
    at_most(fmt::format("{}, {} tetrahedra: mean error of the cross section", name, o.tets), o.mean_db, limit,
            "Mie series", "dB");
    at_most(name + ": iteration ratio against theory", std::abs(o.ratio / theory - 1), 0.1,
            fmt::format("modal theory, {:.3f}", theory));
    at_most(name + ": optical theorem", std::abs(o.extinction / o.scattering - 1), 1e-3, "exact");
  }
};

/// A conducting sphere of 50 mm with the program's own S and elements.
Problem sphere_settings(std::vector<double> ka, int divisions) {
  Problem s;
  for (double v : ka) s.frequencies.push_back(v * light_speed / (2 * pi * 0.05));
  s.laws.emplace_back([](double) { return Medium{}; });
  s.sphere = SphereSetting{};
  s.sphere->radius = 0.05;
  s.sphere->divisions = divisions;
  s.sphere->layers = 3;
  s.truncation = {TruncationMethod::gmres, 1e-6, 60, RadiationLoop::automatic, 64};
  return s;
}

/// A ball of 50 mm, its triangles of second order.
std::shared_ptr<const Mesh> curved_ball(int divisions) {
  auto ball = icosphere({.radius = 0.05, .divisions = divisions});
  if (!ball) throw Failure(ball.error());
  return std::make_shared<const Mesh>(
      to_order2(*ball, false, [](const Vec3& x) { return vec::scale(0.05 / vec::norm(x), x); }));
}

/// S and elements follow body and wave, the whole band through.
void as_cases(const Checks& c, bool quick) {
  const auto run = [&](const std::string& name, const Problem& s, std::size_t f, std::shared_ptr<const Mesh> surface,
                       const SphereSeries& exact) {
    c.run.doing(name);
    auto out = run_as_case(s, f, std::move(surface), 0.05, exact, c.workers);
    if (!out) throw Failure(out.error());
    return *out;
  };
  for (double ka : {0.063, 1e-4}) {
    const std::string name = fmt::format("small conducting sphere, ka = {:g}", ka);
    if (!c.run.may_want(name)) continue;
    const SphereOutcome o = run(name, sphere_settings({ka}, 3), 0, nullptr, conducting_sphere(ka));
    c.at_most(name + ": echo", o.back_db, 0.05, "Mie series, Rayleigh's 9 (ka)^4", "dB");
  }
  {
    const std::vector<double> ka{0.3144, 1.2575, 2.2007, 3.1438};  // 0.3 to 3 GHz
    const Problem s = sphere_settings(ka, quick ? 3 : 4);
    for (std::size_t f = 0; f < ka.size(); f += quick ? 3 : 1) {
      const std::string name = fmt::format("one sweep of 0.3 to 3 GHz, ka = {:.3g}", ka[f]);
      if (!c.run.may_want(name)) continue;
      const SphereOutcome o = run(name, s, f, nullptr, conducting_sphere(ka[f]));
      c.at_most(name + ": echo", o.back_db, 0.1, "Mie series", "dB");
      c.at_most(name + ": unknowns", static_cast<double>(o.unknowns), 1e5,
                "one mesh for the whole band takes 1.4 million");
    }
  }
  if (!find_gmsh().ok()) return;
  if (const std::string name = "surface of 80 curved triangles, ka = 2"; c.run.may_want(name)) {
    // A surface of order 2 stays curved.
    Problem s = sphere_settings({2}, 2);
    s.sphere.reset();
    const SphereOutcome o = run(name, s, 0, curved_ball(2), conducting_sphere(2));
    c.at_most(name + ": mean error", o.mean_db, 0.1, "Mie series", "dB");
  }
  if (quick) return;
  struct Filled {
    double permittivity, ka;
    int divisions;
  };
  // The second lies on the flank of a resonance, where 0.1 dB are 8e-5 of the radius: triangles of second order with a third of the
  // radius as edges would cost half of that (366,000 unknowns, three minutes on two cores).
  for (const Filled& ball : {Filled{12, 1, 2}, Filled{20, 2, 8}}) {
    const std::string name = fmt::format("filled by its surface, eps = {:g}, ka = {:g}", ball.permittivity, ball.ka);
    if (!c.run.may_want(name)) continue;
    Problem s = sphere_settings({ball.ka}, 2);
    s.sphere.reset();
    const double permittivity = ball.permittivity;
    s.laws.emplace_back([permittivity](double) {
      return Medium{{permittivity, permittivity, permittivity}, {1.0, 1.0, 1.0}};
    });
    s.body_material = 1;
    const SphereOutcome o =
        run(name, s, 0, curved_ball(ball.divisions), homogeneous_sphere(ball.ka, ball.permittivity, 1));
    c.at_most(name + ": echo", o.back_db, 0.1, "Mie series", "dB");
  }
}

/// What stands for a metal and a thin coat without elements, by the series of both.
void impedances(const Checks& c) {
  if (!c.run.may_want("surface impedance of ")) return;
  const double f = 2e9, k = 2 * pi * f / light_speed, a = 0.05;
  const auto apart = [](const SphereSeries& exact, const SphereSeries& thin) {
    double out = 0;
    for (int n = 0; n <= 180; ++n)
      out = std::max(out, std::abs(exact.s2(std::cos(n * pi / 180)) - thin.s2(std::cos(n * pi / 180))));
    return out / std::abs(exact.s2(1));
  };
  const double sigma = 400;
  const Complex metal(1, -sigma * vacuum_impedance / k);
  c.at_most("surface impedance of a metal of 400 S/m, ka = 2.1: largest difference of the far field",
            apart(homogeneous_sphere(k * a, metal, 1),
                  impedance_sphere(k * a, metal_impedance(sigma, 1, f) / vacuum_impedance)),
            1e-4, "Mie series of the filled sphere; a skin of 1/90 of the radius");
  const Complex epsilon(20, -5), mu(2, -1);
  const double d = 5e-4;
  const ThinCoat coat{[=](double) { return Medium{{epsilon, epsilon, epsilon}, {mu, mu, mu}}; }, d};
  c.at_most(
      "surface impedance of a coat of 1/100 of the radius, eps = 20 - 5j, mu = 2 - j: largest difference of the far "
      "field",
      apart(coated_conductor(k * a, k * (a + d), epsilon, mu),
            impedance_sphere(k * (a + d), coated_impedance(0, {coat}, f) / vacuum_impedance)),
      0.005, "Mie series of the coated sphere");
}

/// Every kind of device that is here, a checked one aside: that is slow, and the tests have it.
void devices(const Checks& c, bool quick) {
  if (!c.run.may_want("radiation by ")) return;
  SphereScene s;
  s.divisions = quick ? 2 : 4;
  const auto mesh = sphere_mesh(s);
  if (!mesh) throw Failure(mesh.error());
  const auto domain = make_domain(*mesh, sphere_roles(s));
  if (!domain) throw Failure(domain.error());
  for (const DeviceList& list : list_devices()) {
    if (list.devices.empty()) continue;
    const std::string name = list.backend + ":0";
    for (const auto& [loop, form, right_sides] : {std::tuple{RadiationLoop::device_fused, "fused", Index{11}},
                                                  {RadiationLoop::device_products, "panels", Index{20}},
                                                  {RadiationLoop::cuda_outer, "cuda_S", Index{3}},
                                                  {RadiationLoop::cuda_rhs, "cuda_rhs", Index{3}}}) {
      // A kernel for each pair of points: some elements of S.
      const Index faces = loop == RadiationLoop::cuda_outer || loop == RadiationLoop::cuda_rhs
                              ? std::min<Index>(8, domain->outer.faces())
                              : domain->outer.faces();
      const std::string label =
          fmt::format("radiation by {} against processors, {}, {} right-hand sides, {} x {} faces", name, form,
                      right_sides, faces, domain->currents.faces());
      if (!c.run.may_want(label)) continue;
      c.run.doing(label);
      Team team({{name, 1, 1, name, 0}});
      c.at_most(label, radiation_difference(team, *domain, 1, 1.5, right_sides, loop, {0, faces}),
                radiation_round_off(*domain, 1), "rounding of both sides");
    }
    if (list.devices.size() < 2) continue;
    const std::string label = fmt::format("radiation by {} devices {} against processors, 20 right-hand sides",
                                          list.devices.size(), list.backend);
    if (!c.run.may_want(label)) continue;
    c.run.doing(label);
    std::vector<WorkerSpec> all;
    for (std::size_t d = 0; d < list.devices.size(); ++d) {
      const std::string one = fmt::format("{}:{}", list.backend, d);
      all.push_back({one, 1, 1, one, 0});
    }
    Team team(all);
    c.at_most(label,
              radiation_difference(team, *domain, 1, 1.5, 20, RadiationLoop::device, {0, domain->outer.faces()}, 3),
              radiation_round_off(*domain, 1), "rounding of both sides");
  }
}

/// Penetrable bodies without and with losses.
void dielectric_spheres(const Checks& c) {
  const TestRun& run = c.run;
  if (run.may_want("dielectric sphere")) {
    SphereScene s;
    s.core = Medium{{4.0, 4.0, 4.0}, {1.0, 1.0, 1.0}};
    s.ka = run.quick ? 1 : 2;
    s.divisions = run.quick ? 4 : 8;
    s.truncation.method = TruncationMethod::gmres;
    const SphereOutcome o = c.sphere("dielectric sphere", s);
    c.at_most(fmt::format("dielectric sphere, eps = 4, ka = {:g}, {} tetrahedra: mean error", s.ka, o.tets), o.mean_db,
              0.05, "Mie series", "dB");
    c.at_most("dielectric sphere: optical theorem", std::abs(o.extinction / o.scattering - 1), 0.002, "exact");
  }
  if (run.may_want("lossy sphere")) {
    SphereScene s;
    const Complex e{4, -1};
    s.core = Medium{{e, e, e}, {1.0, 1.0, 1.0}};
    s.ka = run.quick ? 1 : 2;
    s.divisions = run.quick ? 4 : 8;
    s.truncation.method = TruncationMethod::gmres;
    const SphereOutcome o = c.sphere("lossy sphere", s);
    c.at_most(fmt::format("lossy sphere, eps = 4 - j, ka = {:g}: mean error", s.ka), o.mean_db, 0.1, "Mie series",
              "dB");
    c.at_most("lossy sphere: extinction", std::abs(o.extinction / o.exact_extinction - 1), 0.01, "Mie series");
  }
}

void coated_spheres(const Checks& c) {
  const TestRun& run = c.run;
  if (!run.quick && run.may_want("coated conductor")) {
    SphereScene s;
    const Complex e{4, -0.2};
    s.ka = 2;
    s.kb = 2.4;
    s.coat = Medium{{e, e, e}, {1.0, 1.0, 1.0}};
    s.coat_layers = 2;
    s.divisions = 6;
    s.truncation.method = TruncationMethod::gmres;
    const SphereOutcome o = c.sphere("coated conductor", s);
    c.at_most("coated conductor, ka = 2, kb = 2.4, eps = 4 - 0.2j: mean error", o.mean_db, 0.05, "Mie series", "dB");
  }
  if (!run.quick && run.may_want("coated sphere")) {
    SphereScene d;
    d.ka = 1.5;
    d.kb = 2.5;
    d.core = Medium{{6.0, 6.0, 6.0}, {1.0, 1.0, 1.0}};
    d.coat = Medium{{2.25, 2.25, 2.25}, {1.5, 1.5, 1.5}};
    d.coat_layers = 3;
    d.divisions = 7;
    d.truncation.method = TruncationMethod::gmres;
    const SphereOutcome p = c.sphere("coated sphere", d);
    c.at_most("coated sphere, eps = 6 in eps = 2.25, mu = 1.5: mean error", p.mean_db, 0.1, "Mie series", "dB");
  }
}

/// The forms of the unknown field, and the dual of the conductor.
void forms_and_walls(const Checks& c) {
  const TestRun& run = c.run;
  for (FieldForm form : {FieldForm::scattered, FieldForm::mixed}) {
    SphereScene s;
    s.divisions = run.quick ? 2 : 4;
    s.form = form;
    const std::string name = form == FieldForm::scattered ? "scattered-field form" : "mixed-field form";
    if (!run.may_want(name)) continue;
    const SphereOutcome o = c.sphere(name, s);
    c.at_most(name + ", ka = 1: mean error", o.mean_db, run.quick ? 0.03 : 0.02, "Mie series", "dB");
  }
  if (run.may_want("magnetic sphere")) {
    SphereScene s;
    s.divisions = 3;
    s.magnetic = true;
    const SphereOutcome o = c.sphere("magnetic wall", s);
    c.at_most("magnetic sphere (duality), ka = 1: mean error", o.mean_db, 0.05, "Mie series", "dB");
  }
}

void impedance_spheres(const Checks& c) {
  const TestRun& run = c.run;
  for (FieldForm form : {FieldForm::total, FieldForm::scattered}) {
    // Absorbing and inductive at once.
    SphereScene s;
    s.ka = run.quick ? 1 : 2;
    s.divisions = run.quick ? 2 : 4;
    s.eta = Complex{0.6, 0.3};
    s.form = form;
    s.truncation.method = TruncationMethod::gmres;
    const std::string name = fmt::format("impedance sphere, eta = 0.6 + 0.3j, ka = {:g}, {} form", s.ka,
                                         form == FieldForm::total ? "total-field" : "scattered-field");
    if (run.quick && form != FieldForm::total) break;
    if (!run.may_want(name)) continue;
    const SphereOutcome o = c.sphere(name, s);
    c.at_most(name + ": mean error", o.mean_db, run.quick ? 0.05 : 0.03, "Mie series", "dB");
    c.at_most(name + ": extinction", std::abs(o.extinction / o.exact_extinction - 1), 0.005, "Mie series");
    c.at_most(name + ": absorption",
              std::abs((o.extinction - o.scattering) / (o.exact_extinction - o.exact_scattering) - 1), 0.01,
              "Mie series");
  }
}

/// A conductor without thickness. As the mesh is, its rim acts as if it lay a share of an element farther out: an error of the first order in
/// the size h of elements there. n layers leave (n + 1)^-2 of it, as polynomials of a fixed order do with an algebraic grading, and what elements
/// outside of them leave: their size over their distance from the rim is that of a layer from one half to the whole, of which n = 2 has one, so
/// that is 1/9; 0.02 dB for elements away from the rim.
void discs(const Checks& c) {
  if (c.run.quick || !find_gmsh().ok()) return;
  constexpr int layers = 4;
  constexpr double share = 1.0 / ((layers + 1) * (layers + 1)) + 1.0 / 9;
  std::array<double, 2> off{};
  for (const auto& [ka, rim] : {std::pair{0.1, 0.2}, {0.1, 0.1}, {1.0, 0.2}}) {
    const std::string name = fmt::format("conducting disc without thickness, ka = {:g}, broadside", ka);
    if (!c.run.may_want(name)) continue;
    c.run.doing(name);
    const auto bare = run_disc(rim, 0, ka, c.workers), with = run_disc(rim, layers, ka, c.workers);
    if (!bare || !with) throw Failure(bare ? with.error() : bare.error());
    const std::string what = fmt::format("{}: elements of {:g} of the radius at the rim", name, rim);
    c.at_most(fmt::format("{}, {} layers, {} unknowns: echo", what, layers, with->unknowns), std::abs(with->off),
              share * std::abs(bare->off) + 0.02,
              fmt::format("exact series; {:.3f} dB with {} unknowns without layers", bare->off, bare->unknowns), "dB");
    if (ka < 1) off[rim < 0.2 ? 1 : 0] = with->off;
    if (ka < 1 && rim < 0.2)
      c.at_most(name + ": echo with elements at the rim of a tenth over that with a fifth", off[1] / off[0], 0.75,
                "first order, and 0.02 dB for elements away from the rim");
  }
}

/// Bars of open ducts against a finer mesh with layers at all edges, whose own bar is added to what it may miss.
void ducts(const Checks& c) {
  if (c.run.quick || !find_gmsh().ok()) return;
  for (const auto& [width, length] : {std::pair{0.6, 1.5}, {0.55, 2.0}}) {
    const std::string name = fmt::format("error bar of an open duct of {:g} x {:g} wavelengths", width, length);
    if (!c.run.may_want(name)) continue;
    c.run.doing(name);
    const auto fine = run_duct(width, length, 0.15, 2, true, c.workers);
    if (!fine) throw Failure(fine.error());
    for (const int layers : {0, 4}) {
      const auto o = run_duct(width, length, 0.2, layers, true, c.workers);
      if (!o) throw Failure(o.error());
      if (layers == 0 && width < 0.6)  // a run says that it is not to be trusted
        c.at_least(name + ", near cut-off, without layers: bar of VV",
                   20 * std::log10(1 + o->bar[0] / std::abs(o->far[0])), 2,
                   fmt::format("off by {:.1f} dB",
                               20 * std::log10(1 + std::abs(o->far[0] - fine->far[0]) / std::abs(o->far[0]))),
                   "dB");
      for (std::size_t p = 0; p < 2; ++p) {
        const double off = std::abs(o->far[p] - fine->far[p]), missed = fine->bar[p];
        c.at_most(fmt::format("{}, {} layers at edges, {}: error of the echo over its bar", name, layers,
                              p == 0 ? "VV" : "HH"),
                  std::max(0.0, off - missed) / o->bar[p], 3,
                  fmt::format("{} unknowns: {:.4f} V; said {:.4f} V of {:.4f} V, {:.1f} dB{}", fine->unknowns, off,
                              o->bar[p], std::abs(o->far[p]), 20 * std::log10(1 + o->bar[p] / std::abs(o->far[p])),
                              o->settled ? "" : ", not settled"));
        c.at_most(fmt::format("{}, {} layers at edges, {}: bar over the error of the echo", name, layers,
                              p == 0 ? "VV" : "HH"),
                  o->bar[p] / (off + missed), 3, fmt::format("{} unknowns of the finer mesh", fine->unknowns));
      }
    }
  }
}

/// Groups of a surface with conditions of their own.
void groups(const Checks& c) {
  const std::string name = "can of quarters of eta_0/4 and 4 eta_0 in turns, ka = 1";
  if (!find_gmsh().ok() || !c.run.may_want(name)) return;
  c.run.doing(name);
  const auto o = run_self_dual(c.workers);
  if (!o) throw Failure(o.error());
  c.at_most(name + ": amplitude back along its axis over that of eta_0/4", o->back, 0.05,
            "self-dual bodies send nothing back");
  c.at_least(name + ": the same with one quarter wrong", o->crossed, 0.2, "the row before can fail");
}

/// What is said of the error against the error.
void error_bars(const Checks& c) {
  struct Row {
    const char* what;
    SphereScene scene;
  };
  const Medium four{{4.0, 4.0, 4.0}, {1.0, 1.0, 1.0}},
      lossy{{Complex{4, -1}, Complex{4, -1}, Complex{4, -1}}, {1.0, 1.0, 1.0}};
  std::vector<Row> rows(c.run.quick ? 2 : 7);
  rows[0].what = "conducting, ka = 1, order 1";
  rows[0].scene.order = 1;
  rows[1].what = "dielectric, eps = 4, ka = 1";
  rows[1].scene.core = four;
  if (!c.run.quick) {
    rows[2].what = "conducting, ka = 1";
    rows[3].what = "conducting, ka = 3";
    rows[3].scene.ka = 3;
    rows[3].scene.layers = 3;
    rows[4].what = "lossy, eps = 4 - j, ka = 1.5";
    rows[4].scene.ka = 1.5;
    rows[4].scene.core = lossy;
    rows[5].what = "impedance, eta = 0.6 + 0.3j, ka = 2";
    rows[5].scene.ka = 2;
    rows[5].scene.eta = Complex{0.6, 0.3};
    rows[6].what = "conducting, ka = 6";
    rows[6].scene.ka = 6;
    rows[6].scene.divisions = 6;
    rows[6].scene.layers = 3;
    rows[6].scene.distance = 0.2;
  }
  for (Row& row : rows) {
    const std::string name = fmt::format("error bar of a sphere, {}", row.what);
    if (!c.run.may_want(name)) continue;
    row.scene.truncation = {TruncationMethod::gmres, 1e-6, 60, RadiationLoop::automatic, 64};
    row.scene.bar = true;
    const SphereOutcome o = c.sphere(name, row.scene);
    c.at_most(name + ": rms of the far field's error and what is said of it, the larger over the smaller",
              std::max(o.change / o.off, o.off / o.change), 3,
              fmt::format("Mie series, {:.2e} and {:.2e} V", o.off, o.change));
    const double bar = std::hypot(o.change_back, o.change);
    c.at_most(name + ": error of the echo over its bar", o.back[0] / bar, 3,
              fmt::format("Mie series, {:.2e} V; {:.2e} V left by the change of {:.2e} V", o.back[0], o.back[1],
                          o.change_back));
  }
}

/// A run of 1001 frequencies through a resonance of which few are computed.
void fast_sweeps(const Checks& c) {
  const std::string name = "fast sweep of a ball of eps = 38, 430 to 530 MHz, 1001 frequencies";
  if (!c.run.may_want(name)) return;
  struct Sweep {
    int divisions, layers;
    bool bar;
  };
  // The coarse one for its bars; of the fine one elements cost less than is asked for.
  std::vector<Sweep> sweeps{{3, 2, true}};
  if (!c.run.quick) sweeps.push_back({6, 4, false});
  for (const Sweep& s : sweeps) {
    const std::string label = fmt::format("{}, {} divisions", name, s.divisions);
    c.run.doing(label);
    const auto o = run_resonant_sweep(s.divisions, s.layers, s.bar, c.run);
    if (!o) throw Failure(o.error());
    c.at_least(label + ": frequencies told", o->rows, 1001, "asked for");
    c.at_most(label + ": frequencies computed", o->computed, 15, "asked for");
    if (s.bar) {
      c.at_most(label + ": largest error of the echo over its bar", o->over_bar, 3,
                fmt::format("Mie series, {:.2g} dB at most", o->worst));
      c.at_most(label + ": rms of the echo's error and of its bar, the larger over the smaller",
                std::max(o->bar_over, 1 / o->bar_over), 3, "Mie series");
    } else {
      c.at_most(fmt::format("{}, {:.0f} unknowns: largest error of the echo", label, o->unknowns), o->worst, 0.1,
                "Mie series", "dB");
    }
  }
}

/// Sheets have fields on both sides.
void sheets(const Checks& c) {
  const TestRun& run = c.run;
  for (const auto& [eta, form] : {std::pair{Complex{0.5, 0}, FieldForm::total},
                                  {Complex{0.2, -0.4}, FieldForm::total},
                                  {Complex{0.5, 0}, FieldForm::scattered}}) {
    SphereScene s;
    s.ka = run.quick ? 1 : 1.5;
    s.divisions = run.quick ? 3 : 4;
    s.shell = eta;
    s.form = form;
    s.truncation.method = TruncationMethod::gmres;
    const std::string name =
        fmt::format("resistive shell, R = ({:g} {:+g}j) eta_0, ka = {:g}{}", eta.real(), eta.imag(), s.ka,
                    form == FieldForm::scattered ? ", scattered-field form" : "");
    if (!run.may_want(name)) continue;
    const SphereOutcome o = c.sphere(name, s);
    c.at_most(name + ": mean error", o.mean_db, 0.03, "series with a jump of H", "dB");
    c.at_most(name + ": absorption",
              std::abs((o.extinction - o.scattering) / (o.exact_extinction - o.exact_scattering) - 1), 0.01,
              "series with a jump of H");
  }
}

void orders(const Checks& c) {
  const TestRun& run = c.run;
  for (int order : {1, 2}) {
    const std::string name = fmt::format("elements of order {}", order);
    if (!run.may_want(name)) continue;
    // Far-field amplitude against h, edges and layers halved together. Currents come from the weak form, so their functionals
    // gain twice the element's order: h² and h⁴.
    SphereScene s;
    s.order = order;
    s.layers = 2;
    s.truncation = {TruncationMethod::gmres, 1e-7, 60, RadiationLoop::automatic, 64};
    s.divisions = order == 1 ? 3 : 2;
    const double coarse = c.sphere(name, s).relative;
    s.divisions *= 2;
    s.layers *= 2;
    const double fine = c.sphere(name, s).relative;
    c.at_least(name + ": observed order of the far field", std::log2(coarse / fine), order == 1 ? 1.6 : 3.2,
               fmt::format("errors {:.2e} and {:.2e}", coarse, fine));
  }
}

/// Bodies of the radar benchmarks.
Status targets(const Checks& c) {
  const TestRun& run = c.run;
  if (run.quick || !find_gmsh().ok()) return {};
  for (const auto& [target, name, frequency] :
       {std::tuple{Target::almond, "almond", 1.19e9}, {Target::ogive, "ogive", 1.18e9}}) {
    if (!run.may_want(fmt::format("{}, {:.3g} GHz", name, frequency / 1e9)) && !run.may_want(fmt::format("{}: ", name)))
      continue;
    run.doing(name);
    auto o = run_target(target, frequency, c.workers);
    if (!o) return o.error();
    c.at_most(
        fmt::format("{}, {:.3g} GHz, {} tetrahedra: echoes of mirrored directions", name, frequency / 1e9, o->tets),
        o->mirror, 0.1, "symmetry", "dB");
    c.at_most(fmt::format("{}: reciprocity", name), o->reciprocity, 1e-3, "exact");
    c.at_most(fmt::format("{}: optical theorem", name), o->optical_theorem, 1e-3, "exact");
  }
  if (run.may_want("almond, 3.5 GHz")) {
    run.doing("almond, 3.5 GHz, published echoes");
    const auto o = run_published_almond(c.workers);
    if (!o) return o.error();
    const char* source = "moment method, Austin RCS Benchmarks III-A";
    c.at_most(fmt::format("almond, 3.5 GHz, {} curved tetrahedra: mean difference of VV", o->tets), o->vv, 0.1, source,
              "dB");
    c.at_most("almond, 3.5 GHz: mean difference of HH", o->hh, 0.2, source, "dB");
  }
  // Of HH at the cone's tip waves along it are reflected, where elements gain slowly on a singular field: with triangles of a tenth of a
  // wavelength up to it 0.35 dB on average and 1.77 at most, with eight rings of halves 0.14 and 0.66.
  if (run.may_want("cone-sphere, 0.869 GHz")) {
    run.doing("cone-sphere, 0.869 GHz");
    const auto o = run_cone_sphere(c.workers);
    if (!o) return o.error();
    const char* source = "integral equation for bodies of revolution";
    c.at_most(fmt::format("cone-sphere, 0.869 GHz, {} curved tetrahedra: mean difference of VV", o->tets), o->vv, 0.1,
              source, "dB");
    c.at_most("cone-sphere, 0.869 GHz: mean difference of HH", o->hh, 0.2, source, "dB");
    c.at_most("cone-sphere, 0.869 GHz: largest difference of VV within 25 dB of the largest", o->most_vv, 0.5, source,
              "dB");
    c.at_most("cone-sphere, 0.869 GHz: largest difference of HH within 25 dB of the largest", o->most_hh, 0.8, source,
              "dB");
  }
  return {};
}

/// Far fields of dipoles by themselves: what is radiated by formulas and by the integral.
void dipoles_alone(const Checks& c) {
  if (!c.run.may_want("dipoles alone")) return;
  const double k = 2;
  const auto integral = [&](const std::vector<Dipole>& all) {
    const SphereRule rule = sphere_rule(k * 2);
    double out = 0;
    for (std::size_t d = 0; d < rule.weights.size(); ++d) {
      const FarAmplitude f = far_field(all, k, rule.directions[d]);
      out += rule.weights[d] * (std::norm(f.theta) + std::norm(f.phi)) / (2 * vacuum_impedance);
    }
    return out;
  };
  for (const bool magnetic : {false, true}) {
    const Dipole one{magnetic, {0.3, -0.2, 0.1}, {0, 0, 1}};
    const FarAmplitude across = far_field(std::vector{one}, k, {pi / 2, 0.4});
    const double directivity =
        2 * pi * (std::norm(across.theta) + std::norm(across.phi)) / vacuum_impedance / integral({one});
    c.at_most(fmt::format("dipoles alone, {}: directivity against 1.5", magnetic ? "magnetic" : "electric"),
              std::abs(directivity / 1.5 - 1), 1e-12, "sin^2, 1.761 dBi");
  }
  const std::vector<Dipole> several{{false, {0.1, 0, 0}, {1, Complex(0, 0.5), 0.2}},
                                    {true, {0.1, 0, 0}, {0.4, 0.1, Complex(0.2, 0.3)}},
                                    {false, {-0.4, 0.9, 0.3}, {Complex(0, 1), 0.7, -0.4}},
                                    {true, {0.2, -0.5, 1.1}, {0.3, Complex(0.6, -0.8), 0}}};
  c.at_most("dipoles alone, four of both kinds: power of their mutual fields against the integral of the far field",
            std::abs(power_alone(several, k) / integral(several) - 1), 1e-11, "energy");
}

/// Dipoles beside spheres against series, and against the fields of plane waves.
void dipoles_beside_spheres(const Checks& c) {
  struct Beside {
    const char* name;
    std::optional<Medium> core;
    Dipole dipole;
    double limit;
    /// Of the fields of plane waves at the dipole: values at one point of an element, of the elements' own order; along a conductor one edge
    /// away, over a field that all but vanishes there.
    double at_point = 0.015;
  };
  const Medium glass{{4.0, 4.0, 4.0}, {1.0, 1.0, 1.0}},
      lossy{{Complex(4, -2), Complex(4, -2), Complex(4, -2)}, {1.0, 1.0, 1.0}};
  for (const Beside& b :
       {Beside{"radial, conductor", {}, {false, {0, 0, 1.8}, {0, 0, 1}}, 2e-3},
        Beside{"radial, permittivity 4", glass, {false, {0, 0, 1.8}, {0, 0, 1}}, 1e-3},
        Beside{"radial, permittivity 4 - 2j", lossy, {false, {0, 0, 1.8}, {0, 0, 1}}, 1e-3},
        Beside{"one edge above a conductor", {}, {false, {0, 0, 1.6}, {0, 0, 1}}, 5e-3},
        Beside{"one edge above, along a conductor", {}, {false, {0, 0, 1.6}, {1, Complex(0, 0.5), 0}}, 2e-2, 0.12},
        Beside{"magnetic, one edge above permittivity 4",
               glass,
               {true, {1.5, 0, 0}, {0.4, 0, Complex(0.2, 1)}},
               5e-3,
               0.03},
        Beside{"aslant, in the elements, conductor", {}, {false, {0.9, 0.2, 1.1}, {0.3, -1, 0.5}}, 1e-2},
        Beside{"magnetic, conductor", {}, {true, {0.4, 1.6, 0.5}, {1, 0.2, Complex(0.3, 0.4)}}, 1e-2}}) {
    const std::string name = fmt::format("dipole beside a sphere, ka = 1, {}", b.name);
    if (!c.run.may_want(name)) continue;
    c.run.doing(name);
    std::array<double, 2> off{};
    const std::array<int, 2> divisions = b.core ? std::array{3, 6} : std::array{2, 4};
    DipoleOutcome o;
    for (std::size_t n = 0; n < 2; ++n) {
      if (c.run.quick && n == 1) break;
      SphereScene s;
      s.core = b.core;
      s.divisions = divisions[n];
      s.layers = n == 0 ? 2 : 4;
      s.truncation = {TruncationMethod::gmres, 1e-7, 60, RadiationLoop::automatic, 64};
      auto run = run_dipoles(s, {b.dipole}, c.workers);
      if (!run) throw Failure(run.error());
      o = *run;
      off[n] = o.off;
    }
    const double factor = c.run.quick ? 1 : 0.25;
    c.at_most(fmt::format("{}, {} tetrahedra: far field", name, o.tets), o.off, factor * b.limit,
              "Mie series and reciprocity");
    c.at_most(name + ": largest directivity", o.directivity_db, factor * 0.02, "the same", "dB");
    c.at_most(name + ": reciprocity with plane waves of the total form", o.reciprocity,
              b.at_point * (c.run.quick ? 1 : 1.0 / 3), "exact");
    if (b.core.value_or(glass).epsilon[0].imag() == 0)
      c.at_most(name + ": power given over power radiated", std::abs(o.given / o.wanted - 1), factor * b.limit,
                "without losses equal; series, by reciprocity");
    if (!b.dipole.magnetic && b.dipole.at[0] == 0 && b.dipole.moment[0] == 0.0) {
      SphereScene s;
      s.core = b.core;
      const RadialDipole exact{exact_series(s), b.dipole.at[2]};
      c.at_most(name + ": power radiated", std::abs(o.radiated / exact.radiated() - 1), factor * 0.005,
                "series of the radial dipole");
      c.at_most(name + ": power given", std::abs(o.given / exact.given() - 1), factor * 0.005,
                "series of the radial dipole");
    }
    if (!c.run.quick)
      c.at_least(name + ": order of the far field in h", std::log2(off[0] / off[1]), 3,
                 "twice that of the elements, less what is left of curved faces");
  }
}

/// Half a conductor, half a reactance: the rim between them in the scattered form, in the sources and in the power given. No losses.
void dipoles_beside_halves(const Checks& c) {
  const std::string name = "dipole beside a sphere, ka = 1, half conductor, half reactance of 0.5j";
  if (!c.run.may_want(name)) return;
  c.run.doing(name);
  SphereScene s;
  s.half = Complex(0, 0.5);
  s.divisions = c.run.quick ? 2 : 4;
  s.layers = s.divisions;
  s.truncation = {TruncationMethod::gmres, 1e-7, 60, RadiationLoop::automatic, 64};
  auto run = run_dipoles(s, {{false, {1.2, 0.3, -0.4}, {0.3, 0.2, 1}}}, c.workers);
  if (!run) throw Failure(run.error());
  c.at_most(name + ": power given over power radiated", std::abs(run->given / run->radiated - 1),
            c.run.quick ? 0.01 : 0.003, "energy");
  c.at_most(name + ": reciprocity with plane waves of the total form", run->reciprocity, c.run.quick ? 0.03 : 0.01,
            "exact");
}

/// Over a conducting plane, by images: electric ones along it and magnetic ones across it are turned round there.
Dipole image_of(const Dipole& d) {
  const double along = d.magnetic ? 1 : -1;
  return {d.magnetic, {d.at[0], d.at[1], -d.at[2]}, {along * d.moment[0], along * d.moment[1], -along * d.moment[2]}};
}

/// A plate has a rim, which no closed form knows of. With images there is a plane without one: by itself in closed form, and with half a ball on it,
/// which is a sphere between a dipole and its image.
void dipoles_over_a_plane(const Checks& c) {
  if (c.run.may_want("dipoles over a conducting plane")) {
    double worst = 0;
    for (const bool magnetic : {false, true})
      for (const bool across : {false, true})
        for (const double x : {0.3, 2.0, pi, 9.0}) {  // 2kh
          const Dipole one{magnetic, {0.2, -0.1, x / 2}, {across ? 0.0 : 0.6, across ? 0.0 : 0.8, across ? 1.0 : 0.0}};
          const double near = std::cos(x) / (x * x) - std::sin(x) / (x * x * x),
                       wanted = 1 + (magnetic ? -1 : 1) * (across ? -3 * near : -1.5 * (std::sin(x) / x + near));
          const std::vector<Dipole> alone{one}, both{one, image_of(one)};
          worst = std::max(worst, std::abs(0.5 * power_alone(both, 1) / power_alone(alone, 1) - wanted));
        }
    c.at_most("dipoles over a conducting plane: power over that without it", worst, 1e-12,
              "images: 1 - 3 (cos x/x^2 - sin x/x^3), x = 2kh, and its like");
  }
  // The same ball and dipole at several frequencies.
  for (const auto& [magnetic, ka] :
       {std::pair{false, 1.0}, {true, 1.0}, {false, 0.5}, {true, 0.5}, {false, 2.0}, {true, 2.0}}) {
    if (c.run.quick && ka != 1) continue;
    const std::string name = fmt::format("{} dipole over a conducting plane with half a ball, ka = {:g}",
                                         magnetic ? "magnetic" : "electric", ka);
    if (!c.run.may_want(name)) continue;
    c.run.doing(name);
    const Dipole one{magnetic, {0.9 * ka, 0.4 * ka, 1.5 * ka}, {0.3, Complex(-0.2, 0.4), 1}};
    const std::vector<Dipole> both{one, image_of(one)};
    SphereScene s;
    s.ka = ka;
    s.divisions = c.run.quick ? 2 : 4;
    s.layers = s.divisions;
    s.truncation = {TruncationMethod::gmres, 1e-7, 60, RadiationLoop::automatic, 64};
    s.terms = terms_near(ka, vec::norm(one.at));
    const SphereSeries exact = exact_series(s);
    double along = 0, across = 0;
    for (double phi = 0; phi < 6; phi += 0.5) {
      const FarAmplitude f = exact_far(exact, both, 1, {pi / 2, phi});
      along = std::max(along, std::abs(f.phi));
      across = std::max(across, std::abs(f.theta));
    }
    c.at_most(name + ": field of the series along the plane over that across it", along / across, 1e-10, "images");
    auto run = run_dipoles(s, both, c.workers);
    if (!run) throw Failure(run.error());
    c.at_most(fmt::format("{}, {} tetrahedra: far field", name, run->tets), run->off, c.run.quick ? 1e-2 : 1e-3,
              "images, Mie series and reciprocity");
    c.at_most(name + ": power given over power radiated", std::abs(run->given / run->wanted - 1),
              c.run.quick ? 1e-2 : 1e-3, "without losses equal; series");
  }
}

void diverging_fixed_point(const Checks& c) {
  const TestRun& run = c.run;
  if (run.quick || !(run.may_want("ka = 20") || run.may_want("the fixed point") || run.may_want("GMRES there"))) return;
  // Theory: spectral radius 1.10 at ka = 20, d = 0.05 λ: the plain iteration must not converge, GMRES must.
  SphereScene s;
  s.ka = 20;
  s.distance = 0.05;
  s.divisions = 14;
  s.layers = 1;
  s.on_body = true;
  s.order = 2;
  s.truncation.longest = 40;
  const SphereOutcome plain = c.sphere("fixed point, ka = 20", s);
  const double theory = truncation_radius(20, 20 + 2 * pi * 0.05);
  c.at_least("ka = 20, d = 0.05 wavelengths: theory of the fixed point, spectral radius", theory, 1, "modal theory");
  c.at_least("the fixed point there: ratio of corrections", plain.ratio, 0.97, "diverges");
  s.truncation.method = TruncationMethod::gmres;
  s.truncation.tolerance = 1e-3;
  const SphereOutcome krylov = c.sphere("GMRES, ka = 20", s);
  c.at_most("GMRES there: iterations to 1e-3", static_cast<double>(krylov.iterations), 12, "modal theory, 9");
}

void conductors(const Checks& c) {
  const TestRun& run = c.run;
  c.conductor(1, 0.1, run.quick ? 3 : 4, 2, true, 0.02);
  if (!run.quick) {
    c.conductor(1, 0.1, 5, 2, false, 0.1);
    c.conductor(1, 0.05, 4, 2, true, 0.02);
    c.conductor(3, 0.1, 5, 3, true, 0.02);
    c.conductor(6, 0.2, 8, 4, true, 0.02);
    c.conductor(6, 0.2, 10, 3, false, 0.1);
  }
}

}  // namespace

Status verify_table(const TestRun& run, const VerifySink& row) {
  try {
    const Checks c{{run, row}, run.workers()};
    devices(c, run.quick);
    conductors(c);
    as_cases(c, run.quick);
    impedances(c);
    dielectric_spheres(c);
    coated_spheres(c);
    forms_and_walls(c);
    dipoles_alone(c);
    dipoles_beside_spheres(c);
    dipoles_beside_halves(c);
    dipoles_over_a_plane(c);
    impedance_spheres(c);
    sheets(c);
    error_bars(c);
    fast_sweeps(c);
    discs(c);
    ducts(c);
    groups(c);
    orders(c);
    if (Status compared = targets(c); !compared) return compared;
    diverging_fixed_point(c);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

}  // namespace conoid::maxwell_fem

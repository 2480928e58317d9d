// SPDX-License-Identifier: BSD-3-Clause
// The table of exact and published numbers: energies to the last digit, orders, blasts, tubes, pistons.
#include "engine/solvers/hydro_fem/verify/verify.hpp"

#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/hydro_fem.hpp"
#include "engine/solvers/hydro_fem/verify/converging.hpp"
#include "engine/solvers/hydro_fem/verify/driven.hpp"
#include "engine/solvers/hydro_fem/verify/explosive.hpp"
#include "engine/solvers/hydro_fem/verify/flows.hpp"
#include "engine/solvers/hydro_fem/verify/free_air.hpp"
#include "engine/solvers/hydro_fem/verify/smooth_flow.hpp"
#include "engine/solvers/verify_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

using flows::Flow;
constexpr const char* proxy = "public proxy of the method (CEED/Laghos), measured";
constexpr const char* conserved = "RK2-average conserves (Dobrev, Kolev, Rieben 2012, §7.3)";

MarchOptions until(double t, Integrator integrator = Integrator::rk2_average) {
  MarchOptions o;
  o.end_time = t;
  o.integrator = integrator;
  return o;
}

Setup strict(Setup s, double tolerance = 1e-14) {
  s.mass_tolerance = tolerance;
  return s;
}

class Table : public VerifyRows {
 public:
  Table(const TestRun& asked, const VerifySink& sink)
      : VerifyRows{asked, sink}, workers_(asked.workers()), one_(asked.workers(1)) {}

  void energy(const std::string& name, Flow& flow) {
    at_most(name + ": change of total energy", std::abs(flow.energy_change()), 1e-12, conserved);
  }

  /// Kinetic energy and counts of steps against the proxy's.
  void reference(const std::string& name, Setup setup, double end, double kinetic, Index accepted, Index repeated,
                 double slack, double counts) {
    run.doing(name);
    Flow flow(strict(std::move(setup)), until(end), workers_);
    flow.run();
    at_most(name + ": kinetic energy, relative difference",
            std::abs(flow.op().energies(flow.state()).kinetic / kinetic - 1), slack, proxy);
    at_most(name + ": accepted steps, difference", std::abs(static_cast<double>(flow.march().accepted() - accepted)),
            counts, proxy, "steps");
    at_most(name + ": repeated steps, difference", std::abs(static_cast<double>(flow.march().repeated() - repeated)),
            std::max(2.0, counts / 4), proxy, "steps");
    energy(name, flow);
    if (name[0] == 'S')  // the quadrant is square and filled symmetrically
      at_most(name + ": asymmetry of the mesh over x = y", asymmetry(flow.op(), flow.state(), {16, 16, 1}, 1), 1e-10,
              "symmetry");
  }

  double smooth_error(Setup setup, double end, Integrator integrator, const std::function<Vec3(const Vec3&)>& exact) {
    Flow flow(strict(std::move(setup), 1e-12), until(end, integrator), workers_);
    flow.run();
    return flow.velocity_error(exact);
  }

  void taylor_green() {
    // The proxy's errors with 2 % for the way they are integrated; orders from halved zones.
    struct Row {
      int k;
      Integrator integrator;
      double coarse, order;
    };
    std::vector<Row> rows{{2, Integrator::rk2_average, 0.0106, 1.7}, {3, Integrator::rk4, 0.0022, 2.6}};
    double last = 0;
    for (const Row& r : rows) {
      run.doing(fmt::format("Taylor-Green, order {}", r.k));
      const Index n = 8;
      const double a = smooth_error(flows::taylor_green(r.k, n), 0.5, r.integrator, flows::taylor_green_velocity);
      const double b = smooth_error(flows::taylor_green(r.k, 2 * n), 0.5, r.integrator, flows::taylor_green_velocity);
      at_most(fmt::format("Taylor-Green Q{}-Q{}, 8×8: L2 error of velocity", r.k, r.k - 1), a, 1.03 * r.coarse, proxy,
              "m/s");
      last = std::log2(a / b);
      at_least(fmt::format("Taylor-Green Q{}-Q{}: observed order", r.k, r.k - 1), last, r.order, "exact");
    }
    run.doing("Taylor-Green, order 4");
    const double a = smooth_error(flows::taylor_green(4, 4), 0.5, Integrator::rk4, flows::taylor_green_velocity);
    const double b = smooth_error(flows::taylor_green(4, 8), 0.5, Integrator::rk4, flows::taylor_green_velocity);
    at_least("Taylor-Green Q4-Q3: observed order above that of Q3-Q2", std::log2(a / b), std::min(last, 3.0), "exact");
  }

  /// Polynomials meet a kink inside a zone to h^1.5 in L2 only; on zones that fit the circles the full orders show. RK4 above
  /// Q2-Q1, as the second order of RK2-average in time would bound them. At t = 0.2 the rings are sheared by 2, and Q2-Q1
  /// needs the finer pair to be in its limit.
  void gresho_fitted(double t, Index first) {
    double last = 0;
    for (const auto& [k, n, order] : {std::tuple{2, first, 1.7}, {3, Index{4}, 2.6}, {4, Index{4}, 2.6}}) {
      const std::string name = fmt::format("Gresho Q{}-Q{}, zones fitted to the kinks, t = {}", k, k - 1, t);
      run.doing(name);
      const auto error = [&, k = k](Index zones) {
        return smooth_error(flows::gresho_fitted(k, zones), t, k == 2 ? Integrator::rk2_average : Integrator::rk4,
                            flows::gresho_velocity);
      };
      const double coarse = error(n), found = std::log2(coarse / error(2 * n));
      at_least(name + ": observed order", found, std::max(order, last),
               last > 0 ? "exact; above the order before" : "exact; on the plain grid the kinks hold every k at 1.5");
      last = found;
    }
  }

  void blast(const std::string& name, Setup setup, double size, Index n, double end, double whole, int dimension,
             double published_error, double exact_radius) {
    run.doing(name);
    Flow flow(strict(std::move(setup), 1e-12), until(end), workers_);
    flow.run();
    const View view(flow.op(), flow.setup());
    const BlastErrors e = blast_errors(flow.op(), view, flow.state(), flow.setup(), end, 1.4, 1, dimension, whole);
    at_most(name + ": exact radius by our quadrature, difference", std::abs(e.exact_radius - exact_radius), 2e-5,
            "Kamm, LA-UR-00-6055, in the digits of the proxy", "m");
    at_most(name + ": shock radius, difference", std::abs(e.radius - e.exact_radius), size / static_cast<double>(n),
            "exact; limit one zone", "m");
    at_most(name + ": spread of the radius over directions", e.radius_spread, size / static_cast<double>(n),
            "exact; limit one zone", "m");
    if (published_error > 0)
      at_most(name + ": L2 error of density", e.density_l2, 1.05 * published_error, std::string(proxy) + " + 5 %",
              "kg/m^3");
    energy(name, flow);
  }

  void sod() {
    run.doing("Sod");
    Flow coarse(flows::sod(2, 50), until(0.2), one_), fine(flows::sod(2, 100), until(0.2), one_);
    coarse.run();
    fine.run();
    const double a = tube_error(coarse, 0.2), b = tube_error(fine, 0.2);
    at_most("Sod Q2-Q1, 100 zones: L1 error of density", b, 0.01, "exact Riemann solution (Toro, ch. 4)", "kg/m^3");
    at_least("Sod Q2-Q1: observed order in L1", std::log2(a / b), 0.8, "first order at shocks");
    energy("Sod Q2-Q1, 100 zones", fine);
  }

  /// Sod's tube of 50 zones that are as high as given: the length of the viscosity is that along the shock.
  void sod_on(double height, const std::string& shape) {
    const std::string name = "Sod Q2-Q1 on 50 zones " + shape;
    run.doing(name);
    const auto tube = [](double h) {
      Setup s = flows::sod(2, 50);
      const std::vector<int> regions = s.mesh.region;
      s.mesh = box_zones(2, {flows::line(0, 1, 50), flows::line(0, h, 1), {}});
      s.mesh.region = regions;
      s.boundaries.assign(4, {});
      return s;
    };
    Flow square(tube(0.02), until(0.2), one_), flow(tube(height), until(0.2), one_);
    square.run();
    flow.run();
    const double reference = tube_error(square, 0.2, 0.008);
    at_most(name + ": L1 error of density", tube_error(flow, 0.2, 0.4 * height), 1.05 * reference,
            "exact Riemann solution; limit that of square zones + 5 %", "kg/m^3");
    // Steps follow the narrower side as sound does.
    const double narrower = std::max(1.0, 0.02 / height);
    at_most(name + ": steps for those of square zones of the narrower side",
            static_cast<double>(flow.march().accepted()) / (narrower * static_cast<double>(square.march().accepted())),
            1.3, "the linear viscosity along a side allows what sound along it does");
    energy(name, flow);
  }

  /// Numbers without units: the same flow with lengths of 3e22 m and speeds of 1000 km/s.
  void other_units() {
    const std::string name = "Sod Q2-Q1, 50 zones, lengths times 3e22, speeds times 1e6, densities times 1e-24";
    run.doing(name);
    constexpr double length = 3e22, speed = 1e6, density = 1e-24;
    const Setup unit = flows::sod(2, 50);
    Setup scaled = unit;
    for (double& x : scaled.mesh.vertices) x *= length;
    scaled.density = [&](const Vec3& x, int region) { return density * unit.density(x, region); };
    scaled.energy = [&](const Vec3& x, int region) { return speed * speed * unit.energy(x, region); };
    Flow a(unit, until(0.2), one_), b(scaled, until(0.2 * length / speed), one_);
    a.run();
    b.run();
    double off = 0;
    for (std::size_t i = 0; i < a.state().v.size(); ++i)
      off = std::max(
          {off, std::abs(b.state().x[i] / length - a.state().x[i]), std::abs(b.state().v[i] / speed - a.state().v[i])});
    for (std::size_t i = 0; i < a.state().e.size(); ++i)
      off = std::max(off, std::abs(b.state().e[i] / speed / speed - a.state().e[i]));
    at_most(name + ": largest difference after scaling", off, 1e-10, "the equations have no unit of their own");
  }

  /// Uniform gas, and a column whose pressure is linear, between walls: nothing moves.
  void rest(int dim, bool turned, bool heavy, int highest) {
    const std::string name = fmt::format("{}{}, orders {} to {}", heavy ? "column under gravity, " : "gas at rest, ",
                                         turned ? "axisymmetric" : fmt::format("{}D", dim), heavy ? 2 : 1, highest);
    double worst = 0;
    for (int k = heavy ? 2 : 1; k <= highest; ++k) {
      run.doing(fmt::format("{}: {}", name, k));
      std::array<std::vector<double>, 3> lines;
      for (int d = 0; d < dim; ++d) lines[static_cast<std::size_t>(d)] = flows::line(0, 1, k > 4 || dim == 3 ? 2 : 4);
      Setup s;
      s.k = k;
      s.turns = turned;
      s.mesh = box_zones(dim, lines);
      s.materials = {stiffened_gas(1.4)};
      s.density = [](const Vec3&, int) { return 1.0; };
      s.energy = [heavy](const Vec3& x, int) { return heavy ? 5 - 2.5 * x[0] : 5.0; };
      if (heavy) s.gravity = {-1, 0, 0};  // p = 2 - x
      s.boundaries.resize(static_cast<std::size_t>(2 * dim));
      MarchOptions options = until(1e3);
      options.courant = usual_courant({k, dim});
      Flow flow(std::move(s), options, one_);
      for (int i = 0; i < 400; ++i) flow.march().step();
      const Energies e = flow.op().energies(flow.state());
      worst = std::max(worst, e.kinetic / e.internal);
    }
    at_most(name + ": kinetic over internal energy after 400 steps", worst, 1e-24,
            "exact: none; limit ten thousand times the square of rounding");
  }

  /// Gas at rest whose pressure the space does not hold: what moves falls with the order of the space, k, and with that of its
  /// integrals, 2k, where energy is even and only the density is no polynomial.
  void almost_at_rest(int k, bool heavy) {
    const std::string name =
        fmt::format("{}, order {}", heavy ? "isothermal column under gravity" : "gas of uneven density at rest", k);
    run.doing(name);
    const auto speed = [&](Index n) {
      MarchOptions options = until(0.1, Integrator::rk4);
      options.courant = usual_courant({k, 2});
      Flow flow(strict(heavy ? flows::isothermal_column(k, n) : flows::even_pressure(k, n)), options, workers_);
      flow.run();
      return std::sqrt(2 * flow.op().energies(flow.state()).kinetic / flow.op().total_mass());
    };
    const Index n = k > 3 ? 2 : 4;  // finer ones of order 4 end in rounding
    const double coarse = speed(n), fine = speed(2 * n);
    at_least(fmt::format("{}: observed order of the mean speed, {} to {} zones a side", name, n, 2 * n),
             std::log2(coarse / fine), heavy ? k : k - 0.5,
             heavy ? "order of the space; that of its integrals is 2k" : "order of the space less a half");
  }

  /// Where entropy does not fall outwards, the pole of a ball that runs into vacuum converges; as pressure is nothing on its surface,
  /// in the first order of the zones there.
  void pole(double gamma, double slack) {
    const std::string name = fmt::format("ball of even or rising entropy, gamma {:g}, axisymmetric Q2-Q1", gamma);
    run.doing(name);
    constexpr double end = 2;
    double radius = 1, speed = 0;
    constexpr int steps = 20000;
    for (int i = 0; i < steps; ++i) {  // leapfrog
      constexpr double dt = end / steps;
      speed += 0.5 * dt * 4 * std::pow(radius, 2 - 3 * gamma);
      radius += dt * speed;
      speed += 0.5 * dt * 4 * std::pow(radius, 2 - 3 * gamma);
    }
    const auto off = [&](Index n) {
      Flow flow(strict(flows::ball(2, n, gamma), 1e-10), until(end, Integrator::rk4), one_);
      const View view(flow.op(), flow.setup());
      const auto place = view.place(flows::pole_zone(n), {1 - 1e-4, 1e-4, 0});
      const double before = view.at(flow.state(), place, false).density;
      flow.run();
      return std::abs(view.at(flow.state(), place, false).density / before * std::pow(radius, 3) - 1);
    };
    const double coarse = off(4), fine = off(16);
    at_most(name + ", 16 zones a block: density at the pole, relative difference", fine, slack, "exact");
    at_least(name + ": observed order from 4 to 16 zones a block", 0.5 * std::log2(coarse / fine), 0.9,
             "first order where pressure is nothing");
  }

  /// Where entropy falls outwards the flow itself is unstable: what is seeded grows as the exact mode does, at the pole as beside it;
  /// what the scheme seeds, the error of the force there, is of its order.
  void falling_entropy() {
    const std::string name = "ball of falling entropy, axisymmetric";
    run.doing(name);
    {
      constexpr int degree = 8;
      constexpr double end = 2, seed = 1e-6;
      const flows::UnstableMode mode(degree);
      const Setup calm = strict(flows::ball_of_falling_entropy(3, 8), 1e-12);
      Setup seeded = calm;
      seeded.velocity = [&mode](const Vec3& x, int) {
        const Vec3 v = mode.at(x);
        return Vec3{seed * v[0], seed * v[1], 0};
      };
      MarchOptions options = until(end, Integrator::rk4);
      options.courant = usual_courant({3, 2, false, false, Integrator::rk4});
      Flow a(calm, options, workers_), b(seeded, options, workers_);
      const PagedVector start = a.state().x;
      a.run();
      b.run();
      const Index nodes = a.op().space().nodes;
      const double moved = seed * mode.moved(end);
      double shape = 0, both = 0, pole = 0;
      for (Index i = 0; i < nodes; ++i) {
        const Vec3 x{start[u(i)], start[u(nodes + i)], 0};
        if (std::hypot(x[0], x[1]) < 1 - 1e-9) continue;
        const Vec3 exact = mode.at(x);
        for (Index d = 0; d < 2; ++d) {
          const double found = (b.state().x[u(d * nodes + i)] - a.state().x[u(d * nodes + i)]) / moved;
          both += found * exact[u(d)];
          shape += exact[u(d)] * exact[u(d)];
          if (d == 0 && x[1] < 1e-9) pole = found / exact[0];
        }
      }
      const std::string grown = fmt::format("{}, Q3-Q2: mode of degree {} that grows {:.2f} times to t = {}", name,
                                            degree, mode.grown(end), end);
      at_most(grown + ", on the surface, relative difference", std::abs(both / shape - 1), 0.01,
              "exact mode; limit four times the measured 0.0027");
      at_most(grown + ", at the pole, relative difference", std::abs(pole - 1), 0.01, "exact mode; limit as above");
    }
    for (const int k : {2, 3}) {
      const auto off = [&](Index n) {  // 2x is the exact acceleration
        Flow flow(strict(flows::ball_of_falling_entropy(k, n), 1e-12), until(1, Integrator::rk4), one_);
        const State& s = flow.state();
        PagedVector a(s.v.size());
        flow.op().update(s);
        flow.op().acceleration(s, a);
        const Index nodes = flow.op().space().nodes;
        for (Index i = 0; i < nodes; ++i)
          if (s.x[u(i)] > 1 - 1e-9) return std::abs(a[u(i)] - 2);
        return HUGE_VAL;
      };
      at_least(
          fmt::format("{}, Q{}-Q{}: observed order of the force at the pole, 8 to 16 zones a block", name, k, k - 1),
          std::log2(off(8) / off(16)), k - 0.1, "order of the space");
    }
    const auto density_off = [&](Index n) {
      constexpr double early = 0.2;
      MarchOptions options = until(early, Integrator::rk4);
      options.courant = usual_courant({3, 2, false, false, Integrator::rk4});
      Flow flow(strict(flows::ball_of_falling_entropy(3, n), 1e-12), options, workers_);
      const View view(flow.op(), flow.setup());
      const auto place = view.place(flows::pole_zone(n), {1 - 1e-4, 1e-4, 0});
      const double before = view.at(flow.state(), place, false).density;
      flow.run();
      return std::abs(view.at(flow.state(), place, false).density / before * std::pow(1 + 2 * early * early, 1.5) - 1);
    };
    at_least(name + ", Q3-Q2: observed order of density at the pole at t = 0.2, before it grows, 4 to 16 zones",
             0.5 * std::log2(density_off(4) / density_off(16)), 2.5, "order of the space less a half");
  }

  void noh(int dim, Index n, double slack, double order) {
    const std::string name = fmt::format("Noh {}D Q2-Q1, {} zones a side", dim, n);
    run.doing(name);
    Flow coarse(strict(flows::noh(dim, 2, n / 2), 1e-12), until(0.6), workers_);
    Flow fine(strict(flows::noh(dim, 2, n), 1e-12), until(0.6), workers_);
    const double density = dim == 1 ? 4 : 16;
    const double a = noh_error(coarse, dim, density), b = noh_error(fine, dim, density);
    at_most(name + ": plateau density, relative difference", b, slack,
            "Noh 1987, exact; first order, with wall heating");
    if (order > 0) at_least(name + ": observed order of the plateau", std::log2(a / b), order, "first order at shocks");
    energy(name, fine);
  }

  /// The same along the radius: behind the shock 4^(turns + 1).
  void noh_radial(int turns, Index n, double slack, double order) {
    const std::string name = fmt::format("Noh {} Q2-Q1, {} zones", turns == 1 ? "cylindrical" : "spherical", n);
    if (!run.may_want(name)) return;
    run.doing(name);
    Flow coarse(strict(flows::radial(flows::noh(1, 2, n / 2), turns), 1e-12), until(0.6), workers_);
    Flow fine(strict(flows::radial(flows::noh(1, 2, n), turns), 1e-12), until(0.6), workers_);
    const double density = turns == 1 ? 16 : 64;
    const double a = noh_error(coarse, 1, density), b = noh_error(fine, 1, density);
    at_most(name + ": plateau density, relative difference", b, slack,
            "Noh 1987, exact; first order, with wall heating");
    at_least(name + ": observed order of the plateau", std::log2(a / b), order, "first order at shocks");
    energy(name, fine);
  }

  /// Blasts along the radius: the shock, the density behind it and how they get better.
  void blast_radial(int turns, int k, Index n, double whole, double end, double exact_radius) {
    const std::string name =
        fmt::format("Sedov {} Q{}-Q{}, {} zones on 1.2", turns == 1 ? "cylindrical" : "spherical", k, k - 1, n);
    if (!run.may_want(name)) return;
    run.doing(name);
    std::array<double, 2> off{};
    for (const bool fine : {false, true}) {
      const Index zones = fine ? n : n / 4;
      Flow flow(strict(flows::radial(flows::sedov(1, k, zones, 1.2, whole), turns), 1e-12), until(end), workers_);
      flow.run();
      const View view(flow.op(), flow.setup());
      const BlastErrors e = blast_errors(flow.op(), view, flow.state(), flow.setup(), end, 1.4, 1, turns + 1, whole);
      off[fine ? 1 : 0] = e.density_l2;
      if (!fine) continue;
      at_most(name + ": exact radius by our quadrature, difference", std::abs(e.exact_radius - exact_radius), 2e-5,
              "Kamm, LA-UR-00-6055, in the digits of the proxy", "m");
      at_most(name + ": shock radius, difference", std::abs(e.radius - e.exact_radius),
              0.5 * 1.2 / static_cast<double>(n), "exact; limit half a zone", "m");
      const auto boxes = view.boxes(flow.state());
      double peak = 0;
      for (int i = 0; i < 4000; ++i)
        if (const auto place = view.locate(flow.state(), boxes, {1.1 * i / 4000.0, 0, 0}))
          peak = std::max(peak, view.at(flow.state(), *place, false).density);
      at_most(name + ": peak density, relative difference", std::abs(peak / 6 - 1), 0.1,
              "exact: 6; a shock over one to two zones");
      this->energy(name, flow);
    }
    at_least(name + ": observed order of density in L2", 0.5 * std::log2(off[0] / off[1]), 0.4,
             "order 1/2 at shocks in L2");
  }

  /// A blast in fewer dimensions until a time, then in those of the target.
  void mapped_blast(const std::string& name, const Setup& first, const Setup& target, Index n, double begin,
                    double end) {
    if (!run.may_want(name)) return;
    run.doing(name);
    Flow line(strict(first, 1e-12), until(begin), workers_);
    line.run();
    Flow flow(strict(flows::begun_with(target, line, begin), 1e-12), until(end - begin), workers_);
    // The whole from a half of all turns, or an octant.
    const double times = target.turns == 1 ? 4 * std::numbers::pi : 8;
    at_most(name + ": energy of the start, relative difference",
            std::abs(times * flow.op().energies(flow.op().initial()).total() / 2 - 1), 0.03,
            "exact: 2 J; limit that of a shock between the points of a zone");
    flow.run();
    const View view(flow.op(), flow.setup());
    const BlastErrors e = blast_errors(flow.op(), view, flow.state(), flow.setup(), end, 1.4, 1, 3, 2);
    const double zone = 1.2 / static_cast<double>(n);
    at_most(name + ": shock radius, difference", std::abs(e.radius - e.exact_radius), 0.5 * zone,
            "exact; limit half a zone", "m");
    at_most(name + ": spread of the radius over directions", e.radius_spread, zone, "exact; limit one zone", "m");
    energy(name, flow);
  }

  void saltzmann() {
    run.doing("Saltzmann piston");
    constexpr double t = 0.6;  // the shock, of speed 4/3, has run through 0.8 of the tube
    Flow flow(strict(flows::saltzmann(2, 50, 5), 1e-12), until(t), workers_);
    flow.run();
    const View view(flow.op(), flow.setup());
    const auto boxes = view.boxes(flow.state());
    double sum = 0, front_low = 1e300, front_high = -1e300;
    int count = 0;
    for (const double y : {0.013, 0.05, 0.087}) {
      for (int i = 0; i < 40; ++i) {
        const auto place = view.locate(flow.state(), boxes, {t + 0.03 + 0.12 * i / 40, y, 0});
        verify(place.has_value(), "the piston's gas is found");
        sum += view.at(flow.state(), *place, false).density;
        ++count;
      }
      double x = 1.0;
      for (; x > t; x -= 0.0005) {
        const auto place = view.locate(flow.state(), boxes, {x, y, 0});
        if (place && view.at(flow.state(), *place, false).density > 2.5) break;
      }
      front_low = std::min(front_low, x);
      front_high = std::max(front_high, x);
    }
    at_most("Saltzmann piston Q2-Q1, 50×5: density behind the shock, relative difference",
            std::abs(sum / count / 4 - 1), 0.03, "Rankine-Hugoniot, strong shock");
    at_most("Saltzmann piston: place of the shock, difference", std::abs(0.5 * (front_low + front_high) - 4.0 / 3 * t),
            0.02, "exact; limit one zone", "m");
    at_most("Saltzmann piston: the front stays plane", front_high - front_low, 0.02, "exact; limit one zone", "m");
  }

  void orders() {
    for (int k = 1; k <= 8; ++k) {
      const double end = run.quick && k > 3 ? 0.3 : 3;
      const std::string name = fmt::format("triple point Q{}-Q{}, 7×2 zones to t = {}", k, k - 1, end);
      run.doing(name);
      MarchOptions options = until(end);
      options.courant = usual_courant({k, 2});
      Flow flow(strict(flows::triple_point(k, 7, 2), 1e-12), options, one_);
      double reached = 0;
      try {
        flow.run();
      } catch (const Failure&) {
      }
      reached = flow.march().time();
      at_least(name, reached, end, "runs", "s");
      energy(name, flow);
    }
  }

  [[nodiscard]] bool quick() const { return run.quick; }
  /// `published`: the paper's own figure, on a mesh that it does not give; 0: none to compare with. `slack`: on the coarser
  /// meshes the rounding of the proxy's four digits; on 112×48 twice what solves to 1e-8, which both codes make there, move
  /// kinetic energy by (1.8e-4 at t = 0.2 against solves to 1e-12, measured).
  void window(Index nx, Index ny, double kinetic, double slack, double published = 0) {
    const std::string name = fmt::format("triple point Q3-Q2, {}×{}, t = 0.6", nx, ny);
    run.doing(name);
    Flow flow(strict(flows::triple_point(3, nx, ny), published > 0 ? 1e-8 : 1e-12), until(0.6), workers_);
    flow.run();
    const double found = flow.op().energies(flow.state()).kinetic;
    at_most(name + ": kinetic energy, relative difference", std::abs(found / kinetic - 1), slack,
            std::string(proxy) + (published > 0 ? "; limit: twice what solves to 1e-8 move it (measured 1.8e-4)"
                                                : "; the window of Dong et al., Table 7"));
    if (published > 0)
      at_most(name + ": kinetic energy against Table 7, relative difference", std::abs(found / published - 1), 0.01,
              "Dong et al., Table 7; mesh not given, the next finer one adds 1.5 %");
    energy(name, flow);
  }

 private:
  RowWorkers workers_, one_;  ///< all, and as many as small flows want
};

}  // namespace

Status verify_table(const TestRun& run, const VerifySink& sink) {
  try {
    Table table(run, sink);
    verify_driven(run, sink);
    verify_explosives(run, sink);
    verify_smooth_flow(run, sink);
    verify_free_air(run, sink);
    if (!run.quick) verify_converging(run, sink);
    for (const char* own : {"piston isentrope", "Kidder", "JWL tube", "detonation", "afterburn", "inviscid", "free-air",
                            "converging"})  // no other row begins like these
      if (!run.only.empty() && run.may_want(own)) return {};
    for (const bool heavy : {false, true})  // order 1, one value a zone, holds even pressure exactly
      for (int k = heavy ? 1 : 2; k <= (run.quick ? 2 : 4); ++k)
        if (run.may_want(heavy ? "isothermal column" : "gas of uneven")) table.almost_at_rest(k, heavy);
    if (!run.quick && run.may_want("ball of even"))
      for (const auto& [gamma, slack] : {std::pair{2.0, 0.03}, {3.0, 0.05}}) table.pole(gamma, slack);
    if (!run.quick && run.may_want("ball of falling")) table.falling_entropy();
    table.reference("triple point Q3-Q2, 14×6, t = 0.6", flows::triple_point(3, 14, 6), 0.6, 4.357298538094e-01, 85, 12,
                    1e-6, 2);
    table.reference("Sedov 2D Q2-Q1, 16×16, t = 0.8", flows::sedov(2, 2, 16, 1, 0.25), 0.8, 5.095696032583e-02, 1194,
                    16, 1e-5, 12);
    table.reference("Gresho Q3-Q2, 16×16", flows::gresho(3, 16), 0.62831853, 8.353647811560e-02, 776, 12, 1e-6, 8);
    {
      run.doing("Gresho");
      const double a =
          table.smooth_error(flows::gresho(3, 8), 0.62831853, Integrator::rk2_average, flows::gresho_velocity);
      const double b =
          table.smooth_error(flows::gresho(3, 16), 0.62831853, Integrator::rk2_average, flows::gresho_velocity);
      table.at_most("Gresho Q3-Q2, 8×8: L2 error of velocity", a, 1.02 * 0.0713, proxy, "m/s");
      table.at_most("Gresho Q3-Q2, 16×16: L2 error of velocity", b, 1.02 * 0.0238, proxy, "m/s");
      table.at_least("Gresho Q3-Q2, kinks inside zones: observed order", std::log2(a / b), 1.5,
                     "order 1.5 at kinks of velocity, whatever k");
    }
    table.gresho_fitted(0.1, 4);
    if (!run.quick) table.gresho_fitted(0.2, 8);
    table.taylor_green();
    table.blast("Sedov 2D Q2-Q1, 8×8 on 1.2", flows::sedov(2, 2, 8, 1.2, 0.25), 1.2, 8, 0.8, 1, 2, 0.688, 0.898034);
    table.blast("Sedov 2D Q2-Q1, 16×16 on 1.2", flows::sedov(2, 2, 16, 1.2, 0.25), 1.2, 16, 0.8, 1, 2, 0.533, 0.898034);
    table.blast("Sedov 3D Q2-Q1, 8×8×8 on 1.2", flows::sedov(3, 2, 8, 1.2, 0.25), 1.2, 8, 0.6, 2, 3, 0.535, 0.967107);
    table.blast("Sedov axisymmetric Q2-Q1, 16×16 on 1.2", flows::sedov_axisymmetric(2, 16, 1.2, 1), 1.2, 16, 0.6, 2, 3,
                0, 0.967107);
    table.sod();
    table.sod_on(1, "50 times as high as wide");
    table.sod_on(0.002, "10 times as wide as high");
    table.other_units();
    table.rest(1, false, false, 8);
    table.rest(2, false, false, run.quick ? 6 : 8);
    table.rest(2, true, false, run.quick ? 4 : 8);
    table.rest(3, false, false, run.quick ? 3 : 4);
    table.rest(2, false, true, run.quick ? 4 : 8);
    if (!run.quick) table.sod_on(0.0004, "50 times as wide as high");
    table.blast_radial(1, 2, 60, 1, 0.8, 0.898034);
    table.blast_radial(2, 2, 60, 2, 0.6, 0.967107);
    table.blast_radial(2, 3, 40, 2, 0.6, 0.967107);
    if (!run.quick) {
      const Setup radius = flows::radial(flows::sedov(1, 2, 120, 1.2, 2), 2);
      table.mapped_blast("Sedov from the radius into axisymmetric Q2-Q1, 16×16", radius,
                         flows::sedov_axisymmetric(2, 16, 1.2, 1), 16, 0.2, 0.6);
      table.mapped_blast("Sedov from the radius into an octant Q2-Q1, 8×8×8", radius, flows::sedov(3, 2, 8, 1.2, 0.25),
                         8, 0.4, 0.45);
      table.mapped_blast("Sedov from axisymmetric flow into an octant Q2-Q1, 8×8×8",
                         flows::sedov_axisymmetric(2, 24, 1.2, 1), flows::sedov(3, 2, 8, 1.2, 0.25), 8, 0.4, 0.45);
    }
    table.noh_radial(1, 100, 0.1, 0.7);
    table.noh_radial(2, 200, 0.1, 0.7);
    table.noh(1, 50, 0.02, 0);
    table.noh(2, 24, 0.12, 0.7);
    table.saltzmann();
    table.orders();
    table.window(28, 12, 0.4682, 2e-4);
    if (!run.quick) {
      table.blast("Sedov 2D Q2-Q1, 32×32 on 1.2", flows::sedov(2, 2, 32, 1.2, 0.25), 1.2, 32, 0.8, 1, 2, 0.326,
                  0.898034);
      // The border rolls up by then and carries the last bits of early steps into the fourth digit: solves to 1e-8, 1e-9, 1e-10
      // and 1e-12 end within 1.7e-4 of each other, and a switch that differs by round-off 4.3e-4 away.
      table.window(56, 24, 0.4896, 9e-4);
      table.window(112, 48, 0.502146846783, 3.6e-4, 0.50423596813598);
    }
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

}  // namespace conoid::hydro_fem

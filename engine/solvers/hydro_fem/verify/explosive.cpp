// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/verify/explosive.hpp"

#include "engine/solvers/hydro_fem/discretization/gauges.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/output_view.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::hydro_fem {

JwlIsentrope::JwlIsentrope(const Jwl& j, double volume, double energy) : j_(j), volume_(volume) {
  const double cold = j.A / j.R1 * std::exp(-j.R1 * volume) + j.B / j.R2 * std::exp(-j.R2 * volume);
  c_ = j.omega * (energy - cold) * std::pow(volume, j.omega);
}

double JwlIsentrope::pressure(double v) const {
  return j_.A * std::exp(-j_.R1 * v) + j_.B * std::exp(-j_.R2 * v) + c_ * std::pow(v, -1 - j_.omega);
}

double JwlIsentrope::sound_speed(double v) const {
  const double slope = j_.A * j_.R1 * std::exp(-j_.R1 * v) + j_.B * j_.R2 * std::exp(-j_.R2 * v) +
                       c_ * (1 + j_.omega) * std::pow(v, -2 - j_.omega);
  return v * std::sqrt(slope / j_.density);
}

double JwlIsentrope::expanded(double change) const {
  const auto rate = [&](double v) { return v / sound_speed(v); };  // dV/dv
  constexpr int steps = 400;                                       // of RK4
  const double h = change / steps;
  double v = volume_;
  for (int i = 0; i < steps; ++i) {
    const double a = rate(v), b = rate(v + 0.5 * h * a), c = rate(v + 0.5 * h * b), d = rate(v + h * c);
    v += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return v;
}

ChapmanJouguet::ChapmanJouguet(const Jwl& j, double released) {
  // On the Hugoniot the products' energy is E0 + p (1 - V)/2.
  const auto hugoniot = [&](double v) {
    const double own =
        j.A * (1 - j.omega / (j.R1 * v)) * std::exp(-j.R1 * v) + j.B * (1 - j.omega / (j.R2 * v)) * std::exp(-j.R2 * v);
    return (own + j.omega * released / v) / (1 - 0.5 * j.omega * (1 - v) / v);
  };
  const auto speed = [&](double v) { return std::sqrt(hugoniot(v) / (j.density * (1 - v))); };
  double low = 0.5, high = 0.95;
  for (int i = 0; i < 200; ++i) {  // the least, by thirds
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (speed(a) < speed(b) ? high : low) = speed(a) < speed(b) ? b : a;
  }
  volume = 0.5 * (low + high);
  pressure = hugoniot(volume);
  velocity = speed(volume);
  particle = velocity * (1 - volume);
  energy = released + 0.5 * pressure * (1 - volume);
}

namespace flows {
namespace {

Setup tube_of_tnt(int k, double length, Index n) {
  Setup s;
  s.k = k;
  s.mesh = box_zones(1, {line(0, length, n), {}, {}});
  const Jwl j = tnt();
  s.materials = {jones_wilkins_lee(j)};
  s.density = [j](const Vec3&, int) { return j.density; };
  s.energy = [j](const Vec3&, int) { return tnt_energy / j.density; };
  s.boundaries.resize(2);
  return s;
}

}  // namespace

Jwl tnt() {
  return {1630, 371.2e9, 3.231e9, 4.15, 0.95, 0.3};
}

Setup jwl_tube(int k, Index n) {
  Setup s = tube_of_tnt(k, 0.07, n);
  s.viscosity = false;
  s.boundaries[0].kind = BoundaryCondition::Kind::piston;
  s.boundaries[0].normal = {1, 0, 0};
  s.boundaries[0].over_time = [](double t) { return -1000 * std::pow(t / 1e-5, 4); };
  return s;
}

Setup detonation_tube(int k, Index n) {
  Setup s = tube_of_tnt(k, 0.2, n);
  s.burn.points = {{{0, 0, 0}, 0}};
  s.burn.velocity = {ChapmanJouguet(tnt(), tnt_energy).velocity};
  return s;
}

}  // namespace flows

namespace {

using flows::Flow;

void jwl_tube(const TestRun& run, const VerifySink& sink) {
  const std::string name = "JWL tube, products of TNT expanded by a piston, Q3-Q2, 160 zones";
  run.doing(name);
  const JwlIsentrope exact(flows::tnt(), 1, flows::tnt_energy);
  const auto off = [&](Index n) {
    Setup s = flows::jwl_tube(3, n);
    s.mass_tolerance = 1e-12;
    const MarchOptions options = flows::usual_march(1e-5, s, Integrator::rk4);
    Flow flow(std::move(s), options, run.workers(1));
    flow.run();
    const View view(flow.op(), flow.setup());
    double worst = 0;
    for (Index zone = 0; zone < n; ++zone) {
      const PointValues v = view.at(flow.state(), view.place(zone, {0.5, 0, 0}), false);
      const double want = exact.pressure(exact.expanded(std::max(0.0, -v.velocity[0])));
      worst = std::max(worst, std::abs(v.pressure / want - 1));
    }
    return worst;
  };
  const double coarse = off(80), fine = off(160);
  sink({name + ": largest difference of pressure at the gas's velocity, relative", fine, "1", 1e-4, false,
        "exact isentrope, simple wave"});
  sink({name + ": observed order from 80 zones", std::log2(coarse / fine), "1", 2, true,
        "order of the energy's space less a half"});
}

void chapman_jouguet(const TestRun& run, const VerifySink& sink) {
  const ChapmanJouguet exact(flows::tnt(), flows::tnt_energy);
  const std::string name = "detonation of TNT lit at a wall, Q2-Q1, 400 zones";
  run.doing(name);
  sink({"detonation of TNT: Chapman-Jouguet pressure of its JWL, relative difference",
        std::abs(exact.pressure / 21e9 - 1), "1", 0.02, false, "published: 21.0 GPa (Dobratz)"});
  sink({"detonation of TNT: Chapman-Jouguet velocity of its JWL, relative difference",
        std::abs(exact.velocity / 6930 - 1), "1", 0.01, false, "published: 6930 m/s (Dobratz)"});
  // Behind the front products expand along the isentrope of the Chapman-Jouguet state until they stand still.
  const JwlIsentrope wake(flows::tnt(), exact.volume, exact.energy);
  const double still = wake.pressure(wake.expanded(exact.particle));
  const double end = 0.18 / exact.velocity;
  // Between, x/t = v + c.
  const auto expected = [&](double x) {
    double less = 0, more = exact.particle;  // by which the products have been slowed down
    for (int i = 0; i < 60; ++i) {
      const double slowed = 0.5 * (less + more), v = wake.expanded(slowed);
      ((exact.particle - slowed + wake.sound_speed(v)) * end > x ? less : more) = slowed;
    }
    return wake.pressure(wake.expanded(less));
  };
  struct Off {
    double peak = 0, still = 0, wave = 0, arrival = 0, impulse = 0;
  };
  const auto off = [&](Index n) {
    Flow flow(flows::detonation_tube(2, n),
              flows::usual_march(end, flows::detonation_tube(2, 1), Integrator::rk2_average), run.workers(1));
    View view(flow.op(), flow.setup());
    Gauges gauges({{"fixed", {0.1, 0, 0}, false, 1e9}, {"wall", {0, 0, 0}, true, 1e9}}, view, flow.state());
    do {
      view.at_time(flow.march().time());
      gauges.sample(view, flow.state(), flow.march().time());
    } while (flow.march().step());
    view.at_time(end);
    Off out;
    out.arrival = std::abs(gauges.sums()[0].arrival * exact.velocity / 0.1 - 1);
    out.impulse = std::abs(gauges.sums()[1].impulse / (still * end) - 1);
    for (Index zone = 0; zone < n; ++zone) {
      const PointValues v = view.at(flow.state(), view.place(zone, {0.5, 0, 0}), false);
      out.peak = std::max(out.peak, v.pressure);
      if (v.position[0] < 0.18 && zone >= n / 20)
        out.wave +=
            std::abs(v.pressure / exact.pressure - expected(v.position[0]) / exact.pressure) / static_cast<double>(n);
    }
    out.peak = out.peak / exact.pressure - 1;
    out.still = std::abs(view.at(flow.state(), view.place(n / 10, {0.5, 0, 0}), false).pressure / still - 1);
    return out;
  };
  const Off coarse = off(100), fine = off(400);
  sink({name + ": peak pressure, relative difference", std::abs(fine.peak), "1", 0.05, false,
        "Chapman-Jouguet, exact; what a front of three zones adds"});
  sink({name + ": mean difference of pressure behind the front, over the peak's", fine.wave, "1", 0.005, false,
        "Chapman-Jouguet and Taylor's wave, exact"});
  sink({name + ": observed order of that from 100 zones", 0.5 * std::log2(coarse.wave / fine.wave), "1", 0.8, true,
        "first order at a front of so many zones"});
  sink({name + ": arrival at a gauge 0.1 m away, relative difference", fine.arrival, "1", 0.01, false,
        "distance over velocity; limit a front of three zones"});
  sink({name + ": impulse at the wall, relative difference", fine.impulse, "1", 0.01, false,
        "products stand still there from the start"});
  sink({name + ": pressure where the products stand still, relative difference", fine.still, "1", 0.01, false,
        "exact isentrope of the Chapman-Jouguet state"});
}

/// Products between walls that burn on while half of them are pushed into the rest: what is released is what the balance gains, wherever
/// steps end.
void afterburn(const TestRun& run, const VerifySink& sink) {
  const std::string name = "afterburn of TNT between walls";
  run.doing(name);
  for (const Integrator integrator : {Integrator::rk2_average, Integrator::rk4}) {
    Setup s = flows::tube_of_tnt(2, 0.1, 20);
    s.mass_tolerance = 1e-14;
    s.velocity = [](const Vec3& x, int) { return Vec3{x[0] < 0.05 ? 400.0 : 0.0, 0, 0}; };
    s.afterburn = {{1e6, 1.03e-6, 3.7e-6}};
    Flow flow(s, flows::usual_march(5e-6, s, integrator), run.workers(1));
    const double before = flow.op().energies(flow.state()).total();
    flow.run();
    const double gained = flow.op().energies(flow.state()).total() - before, mass = flow.op().total_mass();
    const bool exact = integrator == Integrator::rk2_average;
    sink({fmt::format("{}, {}: energy gained over that released, relative difference", name,
                      exact ? "RK2-average" : "RK4"),
          std::abs(gained / (1e6 * mass) - 1), "1", exact ? 1e-11 : 1e-3, false,
          exact ? "RK2-average conserves (Dobrev, Kolev, Rieben 2012, §7.3)" : "order of RK4"});
  }
}

}  // namespace

void verify_explosives(const TestRun& run, const VerifySink& sink) {
  if (run.may_want("JWL tube")) jwl_tube(run, sink);
  if (run.may_want("detonation")) chapman_jouguet(run, sink);
  if (run.may_want("afterburn")) afterburn(run, sink);
}

}  // namespace conoid::hydro_fem

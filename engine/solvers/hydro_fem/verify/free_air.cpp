// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/verify/free_air.hpp"

#include "engine/solvers/hydro_fem/discretization/gauges.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/output_view.hpp"
#include "engine/solvers/hydro_fem/verify/explosive.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

double power_of_ten(double u, std::span<const double> coefficients) {
  double sum = 0, power = 1;
  for (const double c : coefficients) {
    sum += c * power;
    power *= u;
  }
  return std::pow(10.0, sum);
}

}  // namespace

KingeryBulmash::KingeryBulmash(double z) {
  constexpr std::array p{2.611368669,      -1.69012801396,    0.00804973591951, 0.336743114941, -0.00516226351334,
                         -0.0809228619888, -0.00478507266747, 0.00793030472242, 0.0007684469735};
  constexpr std::array i{1.55197227115,     -0.40463292088,   -0.0142721946082, 0.00912366316617, -0.0006750681404,
                         -0.00800863718901, 0.00314819515931, 0.00152044783382, -0.0007470265899};
  constexpr std::array t{0.0720707787637, 1.36456871214,   -0.0570035692784, -0.182832224796,
                         0.0118851436014, 0.0432648687627, -0.0007997367834, -0.00436073555033};
  const double log = std::log10(z);
  peak = 1e3 * power_of_ten(-0.214362789151 + 1.35034249993 * log, p);
  impulse = power_of_ten(-1.75305660315 + 2.30629231803 * log, i);  // kPa ms
  arrival = 1e-3 * power_of_ten(-0.253273111999 + 1.37407043777 * log, t);
}

namespace {

using flows::Flow;

constexpr double pressure = 101325, air_density = 1.225, radius = 0.0527, heat = 4.52e6;
/// What of the products of a kilogram burns on in the air: of the 10 MJ/kg (14.5 of combustion less those of detonation) a fifth, which with
/// these times was fitted to the impulse.
constexpr Afterburn in_air{2e6, 1e-4, 1e-3};

/// Air around TNT that ends at `contact`, along the radius, from a time after its detonation on.
Setup charge_in_air(const std::vector<double>& lines, double contact, double from, bool burns_on) {
  const Jwl j = flows::tnt();
  Setup s;
  s.k = 2;
  s.turns = 2;
  s.mesh = box_zones(1, {lines, {}, {}});
  s.materials = {stiffened_gas(1.4), jones_wilkins_lee(j)};
  for (Index z = 0; z < s.mesh.zone_count(); ++z)
    s.mesh.region[u(z)] = 0.5 * (lines[u(z)] + lines[u(z + 1)]) < contact ? 1 : 0;
  s.density = [j](const Vec3&, int tnt) { return tnt != 0 ? j.density : air_density; };
  s.energy = [](const Vec3&, int tnt) { return tnt != 0 ? heat : pressure / (0.4 * air_density); };
  if (burns_on) s.afterburn = {{}, {in_air.energy, in_air.begin - from, in_air.end - from}};
  s.boundaries.resize(2);
  s.boundaries[1].kind = BoundaryCondition::Kind::pressure;
  s.boundaries[1].value = pressure;
  s.mass_tolerance = 1e-10;
  return s;
}

/// The largest relative differences from the curves at the gauges.
struct Off {
  double peak = 0, impulse = 0, arrival = 0;
};

/// From a time after the detonation on zones of 10 mm, again with the border of products on a side.
Off blast(const TestRun& run, Flow& detonation, double begin, bool burns_on) {
  constexpr double end = 0.011, coarse = 0.01;
  const Space& s = detonation.op().space();
  const double contact = detonation.state().x[u(s.map[u(9 * s.zone_nodes + s.k)])];
  const auto products = static_cast<Index>(std::lround(contact / coarse));
  std::vector<double> lines = flows::line(0, contact, products);
  for (Index i = 1; lines.back() < 6; ++i) lines.push_back(contact + coarse * static_cast<double>(i));
  Setup air = flows::begun_with(charge_in_air(lines, contact, begin, burns_on), detonation, begin);
  const MarchOptions options = flows::usual_march(end - begin, air, Integrator::rk2_average);
  Flow flow(std::move(air), options, run.workers(1));
  const View view(flow.op(), flow.setup());
  std::vector<Gauge> at;
  for (const double r : {1.0, 2.0, 3.0, 4.0}) at.push_back({fmt::format("{} m", r), {r, 0, 0}, false, 0});
  Gauges gauges(at, view, flow.state());
  do gauges.sample(view, flow.state(), flow.march().time());
  while (flow.march().step());
  const double scale = std::cbrt(flows::tnt().density * 4.0 / 3 * std::numbers::pi * std::pow(radius, 3));
  Off out;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const KingeryBulmash want(at[i].position[0] / scale);
    const GaugeSums& got = gauges.sums()[i];
    out.peak = std::max(out.peak, std::abs(got.peak / want.peak - 1));
    out.impulse = std::max(out.impulse, std::abs(got.impulse / scale / want.impulse - 1));
    out.arrival = std::max(out.arrival, std::abs((got.arrival + begin) / scale / want.arrival - 1));
  }
  return out;
}

}  // namespace

/// Detonation on zones of 5 mm until the blast is 0.3 m away; the air beside the charge, a shell as thin as its zones grow wide, would hold
/// the steps at nanoseconds later. So the rest is marched from there on others.
void verify_free_air(const TestRun& run, const VerifySink& sink) {
  if (!run.may_want("free-air blast")) return;
  run.doing("free-air blast");
  constexpr double begin = 8e-5, fine = radius / 10;
  Setup charge = charge_in_air(flows::line(0, 152 * fine, 152), radius, 0, true);
  charge.burn.points = {{{0, 0, 0}, 0}};
  charge.burn.velocity = {0, 6930};
  Flow detonation(charge, flows::usual_march(begin, charge, Integrator::rk2_average), run.workers(1));
  detonation.run();
  const std::string name = "free-air blast of a kilogram of TNT, 1 to 4 m";
  const std::string curves = "Kingery and Bulmash 1984 (ARBRL-TR-02555), a fit to tests";
  for (const bool burns_on : {true, false}) {
    if (!burns_on && run.quick) return;
    const Off off = blast(run, detonation, begin, burns_on);
    const std::string which = name + (burns_on ? ", products burn on: " : ", no afterburn: ");
    sink({which + "peak overpressure, largest relative difference", off.peak, "1", 0.15, false, curves});
    sink({which + "arrival, largest relative difference", off.arrival, "1", 0.1, false, curves});
    sink({which + "impulse, largest relative difference", off.impulse, "1", burns_on ? 0.15 : 0.3, false,
          curves + (burns_on ? "; heat and times of the afterburn are fitted to it"
                             : "; 1 % on twice as fine zones: products burn on in air")});
  }
}

}  // namespace conoid::hydro_fem

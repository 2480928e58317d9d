// SPDX-License-Identifier: BSD-3-Clause
// Almond, ogive and cone-sphere from their formulas to echoes.
#include "engine/solvers/maxwell_fem/verify/targets.hpp"

#include "engine/core/resources.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/order.hpp"
#include "engine/solvers/maxwell_fem/discretization/layout.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/mesh/offset.hpp"
#include "engine/solvers/maxwell_fem/solving/far_field.hpp"
#include "engine/solvers/maxwell_fem/solving/next_order.hpp"
#include "engine/solvers/maxwell_fem/solving/truncation.hpp"
#include "engine/solvers/maxwell_fem/verify/disc.hpp"
#include "engine/solvers/maxwell_fem/verify/spheres.hpp"
#include "engine/solvers/row_team.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr double inch = 0.0254;

/// Half breadth at a place along the axis, both in units of `unit`.
double half_breadth(Target target, double x) {
  if (target == Target::ogive) {  // |x| ≤ 5 in
    const double angle = 22.62 * pi / 180, s = std::sin(angle), c = std::cos(angle);
    return inch * std::max(0.0, (std::sqrt(1 - std::pow(x / (5 * inch), 2) * s * s) - c) / (1 - c));
  }
  if (target == Target::cone_sphere) {  // half an angle of 7 degrees, the tip at -23.821 in
    const double at = x / inch;
    return inch * (at < 0 ? std::tan(7 * pi / 180) * std::max(0.0, at + 23.821)
                          : std::sqrt(std::max(0.0, 2.947 * 2.947 - std::pow(at - 0.359, 2))));
  }
  const double d = 9.936 * inch, t = x / d;
  return t < 0 ? 0.193333 * d * std::sqrt(std::max(0.0, 1 - std::pow(t / 0.416667, 2)))
               : 4.83345 * d * std::max(0.0, std::sqrt(1 - std::pow(t / 2.08335, 2)) - 0.96);
}

}  // namespace

Result<Mesh> target_surface(Target target, double edge, int order) {
  const double d = 9.936 * inch;
  const std::array<double, 2> ends = target == Target::ogive ? std::array{-5 * inch, 5 * inch}
                                     : target == Target::cone_sphere
                                         ? std::array{-23.821 * inch, (0.359 + 2.947) * inch}
                                         : std::array{-0.416667 * d, 0.583333 * d};
  const double low = ends[0], high = ends[1];
  // Points at equal lengths along the outline.
  constexpr int fine = 4000;
  std::vector<double> way{0};
  const auto place = [&](double i) { return low + (high - low) * i / fine; };
  for (int i = 1; i <= fine; ++i)
    way.push_back(way.back() + std::hypot(place(i) - place(i - 1),
                                          half_breadth(target, place(i)) - half_breadth(target, place(i - 1))));
  const int rings = std::max(6, static_cast<int>(std::lround(way.back() / edge)));
  RevolutionOptions o;
  o.around = order < 2 ? 6 : 12;      // curved edges of 60 degrees would lie beside the ellipse
  std::vector<double> shares{0};      // of the way, in rings
  if (target == Target::cone_sphere)  // fields are singular at the tip
    for (int halves = 8; halves > 0; --halves) shares.push_back(std::pow(0.5, halves));
  for (int r = 1; r <= rings; ++r) shares.push_back(r);
  for (const double share : shares) {
    const bool first = share <= 0, last = share >= rings;
    const auto at = std::lower_bound(way.begin(), way.end(), way.back() * share / rings - 1e-12) - way.begin();
    const double x = first ? low : last ? high : place(static_cast<double>(at));
    o.profile.push_back({first || last ? 0 : half_breadth(target, x), x});
  }
  auto mesh = revolution(o);
  if (!mesh) return mesh.error();
  const double flat = target == Target::almond ? 1.0 / 3 : 1;
  auto& p = mesh->mutable_points();
  for (std::size_t i = 0; i + 2 < p.size(); i += 3) {
    const double x = p[i], y = p[i + 1], z = p[i + 2];
    p[i] = z;
    p[i + 1] = x;
    p[i + 2] = flat * y;
  }
  if (order < 2) return mesh;
  return to_order2(*mesh, false, [&](const Vec3& x) {
    // The almond's blunt end is half an ellipsoid: along the ray from its middle. Else square to the axis.
    if (target == Target::almond && x[0] < 0) {
      const Vec3 axes{0.416667 * d, 0.193333 * d, 0.193333 * d * flat};
      return scale(1 / std::hypot(x[0] / axes[0], x[1] / axes[1], x[2] / axes[2]), x);
    }
    if (target == Target::cone_sphere && x[0] > 0) {
      const Vec3 centre{0.359 * inch, 0, 0}, off = sub(x, centre);
      return add(centre, scale(2.947 * inch / norm(off), off));
    }
    const double here = std::hypot(x[1], x[2] / flat), wanted = half_breadth(target, x[0]);
    return here > 0 ? Vec3{x[0], x[1] * wanted / here, x[2] * wanted / here} : x;
  });
}

namespace {

struct Solved {
  std::vector<Incident> waves;    ///< from each direction, V then H
  std::vector<Complex> f;         ///< currents of each wave
  std::vector<FarAmplitude> far;  ///< [direction][wave], of the same directions
  int iterations = 0;
  std::vector<Complex> changes{};  ///< by elements of the next order, where asked for
};

/// A body without materials under plane waves from each of the directions. `settled`: the changes are wanted, and whether they have settled.
Result<Solved> solve_from(const Domain& domain, double k, std::span<const Direction> from,
                          const TruncationOptions& options, const RowWorkers& workers, bool* settled = nullptr) {
  System system(domain, {Medium{}}, k, FieldForm::total, workers.threads());
  if (Status s = system.factor({}); !s) return s.error();
  const Radiation radiation(domain, k, workers.threads());
  RowTeam team(workers);
  Truncation truncation(system, radiation, for_workers(options, workers));
  Solved out;
  for (const Direction& d : from)
    for (bool h : {false, true}) out.waves.push_back(wave_from(d, h, k));
  if (Status s = truncation.start(team, out.waves); !s) return s.error();
  while (!truncation.finished())
    if (Status s = truncation.step(team); !s) return s.error();
  std::vector<Complex> u;
  const auto count = static_cast<Index>(out.waves.size());
  if (Status s = truncation.fields(truncation.psi(), 0, count, u, out.f); !s) return s.error();
  out.far = far_field(domain, k, out.f, count, from, workers.threads());
  out.iterations = truncation.iterations();
  if (settled != nullptr) {
    NextOrder next(system, workers.threads());
    next.add(u, truncation.psi(), count);
    auto changes = next.changes();
    if (!changes) return changes.error();
    out.changes = std::move(*changes);
    *settled = next.settled();
  }
  return out;
}

}  // namespace

Result<TargetOutcome> run_target(Target target, double frequency, const RowWorkers& workers) {
  const double wave = light_speed / frequency, k = 2 * pi / wave;
  auto body = target_surface(target, 0.06 * wave);
  if (!body) return body.error();
  auto mesh = surround(*body, {.distance = 0.12 * wave, .edge = 0.08 * wave, .layers = 2});
  if (!mesh) return mesh.error();
  DomainOptions roles;
  roles.boundaries = {
      {"body", {BoundaryKind::pec, 0}}, {"outer", {BoundaryKind::outer, 0}}, {"currents", {BoundaryKind::currents, 0}}};
  auto domain = make_domain(*mesh, roles);
  if (!domain) return domain.error();
  const std::vector<Direction> from{{pi / 2, 0.6}, {pi / 2, -0.6}, {1.1, 2.2}};
  const auto solved =
      solve_from(*domain, k, from, {TruncationMethod::gmres, 1e-4, 40, RadiationLoop::automatic, 64}, workers);
  if (!solved) return solved.error();
  const auto& far = solved->far;
  const auto count = static_cast<Index>(solved->waves.size());
  TargetOutcome out;
  out.tets = static_cast<Index>(domain->space.tets().size());
  out.unknowns = domain->free_unknowns;
  out.iterations = solved->iterations;
  const auto echo = [&](Index seen, Index lit, bool seen_h, bool lit_h) {
    return far[seen * count + 2 * lit + (lit_h ? 1 : 0)].along(seen_h);
  };
  for (bool h : {false, true})
    out.mirror =
        std::max(out.mirror, std::abs(20 * std::log10(std::abs(echo(0, 0, h, h)) / std::abs(echo(1, 1, h, h)))));
  double difference = 0, largest = 0;
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < 3; ++b)
      for (bool g : {false, true})
        for (bool h : {false, true}) {
          difference = std::max(difference, std::abs(echo(a, b, g, h) - echo(b, a, h, g)));
          largest = std::max(largest, std::abs(echo(a, b, g, h)));
        }
  out.reciprocity = difference / largest;
  const Direction forward{pi / 2, 0.6 + pi};
  const auto one = std::span(solved->f).first(solved->f.size() / solved->waves.size());
  const double lost = extinction(far_field(*domain, k, one, 1, std::span(&forward, 1), workers.threads())[0], forward,
                                 solved->waves[0].wave);
  const SphereRule rule = sphere_rule(0.7 * k * 10 * inch);
  const auto everywhere = far_field(*domain, k, one, 1, rule.directions, workers.threads());
  double scattered = 0;
  for (std::size_t d = 0; d < rule.weights.size(); ++d)
    scattered += rule.weights[d] * (std::norm(everywhere[d].theta) + std::norm(everywhere[d].phi));
  out.optical_theorem = std::abs(lost / scattered - 1);
  return out;
}

Result<SelfDualOutcome> run_self_dual(const RowWorkers& workers) {
  constexpr double a = 0.05, frequency = light_speed / (2 * pi * a);
  RevolutionOptions can;
  can.profile = {{0, -0.8 * a}, {0.5 * a, -0.8 * a}, {a, -0.8 * a},      {a, -0.3 * a},
                 {a, 0.3 * a},  {a, 0.8 * a},        {0.5 * a, 0.8 * a}, {0, 0.8 * a}};
  can.around = 16;
  auto bare = revolution(can);
  if (!bare) return bare.error();
  const auto body = std::make_shared<Mesh>(std::move(*bare));
  for (Index c = 0; c < body->cell_count(); ++c) {
    Vec3 middle{};
    for (const Index n : body->nodes(c)) middle = add(middle, body->point(n));
    const double quarters = std::atan2(middle[1], middle[0]) / (pi / 2) + 4;
    body->add_group(fmt::format("quarter {}", static_cast<int>(quarters) % 4), 2).cells.push_back(c);
  }
  const double k = 2 * pi * frequency / light_speed;
  const std::vector<Direction> from{{0, 0}};
  std::array<double, 3> back{};
  for (int variant = 0; variant < 3; ++variant) {
    Problem s;
    s.frequencies = {frequency};
    s.laws.emplace_back([](double) { return Medium{}; });
    s.body = {BoundaryKind::impedance, vacuum_impedance / 4};
    if (variant < 2) s.domain.boundaries["quarter 1"] = {BoundaryKind::impedance, 4 * vacuum_impedance};
    if (variant < 1) s.domain.boundaries["quarter 3"] = {BoundaryKind::impedance, 4 * vacuum_impedance};
    auto mesh = mesh_to_solve(s, body, {});
    if (!mesh) return mesh.error();
    auto domain = make_domain(**mesh, s.domain);
    if (!domain) return domain.error();
    const auto solved =
        solve_from(*domain, k, from, {TruncationMethod::gmres, 1e-5, 60, RadiationLoop::automatic, 64}, workers);
    if (!solved) return solved.error();
    for (std::size_t w = 0; w < 2; ++w)
      back[static_cast<std::size_t>(variant)] =
          std::max(back[static_cast<std::size_t>(variant)],
                   std::hypot(std::abs(solved->far[w].theta), std::abs(solved->far[w].phi)));
  }
  return SelfDualOutcome{back[0] / back[2], back[1] / back[2]};
}

std::string disc_script(double rim) {
  return fmt::format(R"(SetFactory("OpenCASCADE");
Sphere(1) = {{0, 0, 0, 0.19}};
Disk(100) = {{0, 0, 0, 0.1}};
BooleanFragments{{ Volume{{1}}; Delete; }}{{ Surface{{100}}; Delete; }}
Physical Volume("air") = {{1}};
d() = Surface In BoundingBox{{-0.101, -0.101, -1e-4, 0.101, 0.101, 1e-4}};
Physical Surface("disc") = {{d()}};
all() = Surface{{:}};
all() -= d();
Physical Surface("outer") = {{all()}};
c() = Boundary{{ Surface{{d()}}; }};
Field[1] = Distance; Field[1].CurvesList = {{c()}}; Field[1].NumPointsPerCurve = 400;
Field[2] = Threshold; Field[2].InField = 1;
Field[2].SizeMin = {}; Field[2].SizeMax = 0.045; Field[2].DistMin = 0; Field[2].DistMax = 0.1;
Background Field = 2;
Mesh.MeshSizeFromPoints = 0; Mesh.MeshSizeExtendFromBoundary = 0; Mesh.MeshSizeMax = 0.05;
)",
                     0.1 * rim);
}

Result<DiscOutcome> run_disc(double rim, int layers, double ka, const RowWorkers& workers) {
  namespace fs = std::filesystem;
  constexpr double a = 0.1;
  const fs::path folder = temporary_folder() / fmt::format("conoid-disc-{}-{:g}", getpid(), rim);
  std::error_code ec;
  fs::create_directories(folder, ec);
  std::ofstream(folder / "disc.geo") << disc_script(rim);
  GmshOptions gmsh;
  gmsh.script = ScriptUse::own;
  gmsh.use_cache = false;
  gmsh.order = 2;
  auto given = load_mesh(folder / "disc.geo", {.scale = 1.0}, gmsh, {});
  fs::remove_all(folder, ec);
  if (!given) return given.error();
  Problem s;
  s.frequencies = {ka / a * light_speed / (2 * pi)};
  s.laws.emplace_back([](double) { return Medium{}; });
  s.domain.boundaries = {{"disc", {BoundaryKind::pec, 0}}, {"outer", {BoundaryKind::outer, 0}}};
  s.edges.layers = layers;
  const auto mesh = mesh_to_solve(s, std::make_shared<const Mesh>(std::move(*given)), {});
  if (!mesh) return mesh.error();
  auto domain = make_domain(**mesh, s.domain);
  if (!domain) return domain.error();
  const std::vector<Direction> from{{0, 0}};
  const auto solved =
      solve_from(*domain, ka / a, from, {TruncationMethod::gmres, 1e-4, 60, RadiationLoop::automatic, 64}, workers);
  if (!solved) return solved.error();
  return DiscOutcome{domain->free_unknowns,
                     20 * std::log10(std::abs(solved->far[0].theta) / (a * std::abs(disc_amplitude(ka))))};
}

namespace {

std::string duct_script(double width, double length, double edge) {
  const double half = width / 2, to_currents = 0.13, to_outer = 0.26, small = 1e-4;
  const auto box = [&](const char* call, int number, double beyond, double more) {
    return call[0] == 'B'
               ? fmt::format("Box({}) = {{{:g}, {:g}, {:g}, {:g}, {:g}, {:g}}};\n", number, -beyond, -half - beyond,
                             -half - beyond, length + 2 * beyond, width + 2 * beyond, width + 2 * beyond)
               : fmt::format("Surface In BoundingBox{{{:g}, {:g}, {:g}, {:g}, {:g}, {:g}}};\n", -beyond - more,
                             -half - beyond - more, -half - beyond - more, length + beyond + more, half + beyond + more,
                             half + beyond + more);
  };
  std::string out = "SetFactory(\"OpenCASCADE\");\n" + box("B", 1, to_outer, 0) + box("B", 2, 0, 0) +
                    box("B", 3, to_currents, 0) +
                    "BooleanFragments{ Volume{1}; Delete; }{ Volume{2, 3}; Delete; }\n"
                    "Physical Volume(\"air\") = {Volume{:}};\nduct() = " +
                    box("S", 0, 0, small);
  out += fmt::format("open() = Surface In BoundingBox{{{:g}, {:g}, {:g}, {:g}, {:g}, {:g}}};\n", length - small,
                     -half - small, -half - small, length + small, half + small, half + small);
  out += "inner() = " + box("S", 0, to_currents, small) + "all() = Surface{:};\n";
  out +=
      "all() -= inner(); inner() -= duct(); duct() -= open();\n"
      "Physical Surface(\"duct\") = {duct()};\nPhysical Surface(\"inner\") = {inner()};\n"
      "Physical Surface(\"outer\") = {all()};\n";
  return out + fmt::format("Mesh.MeshSizeMax = {0:g};\nMesh.MeshSizeMin = {0:g};\n", edge);
}

}  // namespace

Result<DuctOutcome> run_duct(double width, double length, double edge, int layers, bool bar,
                             const RowWorkers& workers) {
  namespace fs = std::filesystem;
  const fs::path folder = temporary_folder() / fmt::format("conoid-duct-{}-{:g}-{:g}", getpid(), width, edge);
  std::error_code ec;
  fs::create_directories(folder, ec);
  std::ofstream(folder / "duct.geo") << duct_script(width, length, edge);
  GmshOptions gmsh;
  gmsh.script = ScriptUse::own;
  gmsh.use_cache = false;
  auto given = load_mesh(folder / "duct.geo", {.scale = 1.0}, gmsh, {});
  fs::remove_all(folder, ec);
  if (!given) return given.error();
  Problem s;
  s.frequencies = {light_speed};  // a wave of 1 m
  s.laws.emplace_back([](double) { return Medium{}; });
  s.domain.boundaries = {
      {"duct", {BoundaryKind::pec, 0}}, {"inner", {BoundaryKind::currents, 0}}, {"outer", {BoundaryKind::outer, 0}}};
  s.edges.layers = layers;
  const auto mesh = mesh_to_solve(s, std::make_shared<const Mesh>(std::move(*given)), {});
  if (!mesh) return mesh.error();
  auto domain = make_domain(**mesh, s.domain);
  if (!domain) return domain.error();
  const std::vector<Direction> from{{pi / 2, pi / 4}};
  DuctOutcome out;
  out.unknowns = domain->free_unknowns;
  const auto solved =
      solve_from(*domain, 2 * pi, from, {TruncationMethod::gmres, 1e-4, 60, RadiationLoop::automatic, 64}, workers,
                 bar ? &out.settled : nullptr);
  if (!solved) return solved.error();
  for (Index p = 0; p < 2; ++p) {
    out.far[static_cast<std::size_t>(p)] = solved->far[p].along(p == 1);
    if (!bar) continue;
    const std::array<Complex, 2> mix{p == 0 ? 1.0 : 0.0, p == 1 ? 1.0 : 0.0};
    out.bar[static_cast<std::size_t>(p)] = std::hypot(std::abs(solved->changes[static_cast<std::size_t>(3 * p)]),
                                                      change_elsewhere(solved->changes, 2, mix));
  }
  return out;
}

namespace {

/// Echoes from directions in the plane of x and y, dBsm, from φ = 0 on in equal steps of `step`.
struct KnownEchoes {
  Target target;
  double frequency, edge, step;
  std::vector<double> vv, hh;
};

Result<PublishedOutcome> run_known(const KnownEchoes& known, const RowWorkers& workers) {
  auto body = target_surface(known.target, known.edge, 2);
  if (!body) return body.error();
  Problem s;
  s.frequencies = {known.frequency};
  s.laws.emplace_back([](double) { return Medium{}; });
  auto mesh = mesh_to_solve(s, std::make_shared<const Mesh>(std::move(*body)), {});
  if (!mesh) return mesh.error();
  auto domain = make_domain(**mesh, s.domain);
  if (!domain) return domain.error();
  const double k = 2 * pi * known.frequency / light_speed;
  std::vector<Direction> from;
  for (std::size_t a = 0; a < known.vv.size(); ++a) from.push_back({pi / 2, static_cast<double>(a) * known.step});
  const auto solved =
      solve_from(*domain, k, from, {TruncationMethod::gmres, 1e-3, 60, RadiationLoop::automatic, 64}, workers);
  if (!solved) return solved.error();
  const auto& far = solved->far;
  const auto count = static_cast<Index>(solved->waves.size());
  PublishedOutcome out;
  out.tets = static_cast<Index>(domain->space.tets().size());
  out.unknowns = domain->free_unknowns;
  for (bool h : {false, true}) {
    const auto& published = h ? known.hh : known.vv;
    const double largest = *std::max_element(published.begin(), published.end());
    double sum = 0, most = 0;
    int used = 0;
    for (std::size_t a = 0; a < published.size(); ++a) {
      if (published[a] < largest - 25) continue;
      const auto row = static_cast<Index>(a);
      const Complex echo = far[row * count + 2 * row + (h ? 1 : 0)].along(h);
      const double off = std::abs(10 * std::log10(4 * pi * std::norm(echo)) - published[a]);
      sum += off;
      most = std::max(most, off);
      ++used;
    }
    (h ? out.hh : out.vv) = sum / used;
    (h ? out.most_hh : out.most_vv) = most;
  }
  return out;
}

}  // namespace

Result<PublishedOutcome> run_published_almond(const RowWorkers& workers) {
  const std::vector<double> vv{-40.22, -40.72, -42.28, -39.32, -43.20, -34.95, -41.46, -25.61, -28.85, -31.70,
                               -31.30, -26.02, -40.38, -32.27, -39.32, -37.28, -41.58, -41.15, -40.60},
      hh{-28.14, -27.85, -27.14, -30.02, -34.42, -27.62, -24.19, -20.80, -20.88, -21.04,
         -25.40, -21.97, -20.66, -49.29, -26.74, -22.82, -20.25, -27.81, -31.28};  // dBsm
  return run_known({Target::almond, 3.5e9, 0.012, pi / 18, vv, hh}, workers);
}

Result<PublishedOutcome> run_cone_sphere(const RowWorkers& workers) {
  return run_known({Target::cone_sphere,
                    0.869e9,
                    0.035,
                    pi / 18,
                    {-16.06, -16.13, -16.33, -16.59, -16.80, -17.34, -17.03, -21.39, -10.71, -6.55, -10.81, -29.47,
                     -25.79, -20.53, -18.25, -17.58, -17.38, -17.42, -17.46},
                    {-16.06, -15.64, -9.25, -4.66, -5.38, -18.94, -17.39, -14.40, -14.49, -7.09, -4.83, -17.48, -18.73,
                     -27.43, -35.14, -23.71, -18.90, -17.65, -17.46}},
                   workers);
}

}  // namespace conoid::maxwell_fem

// SPDX-License-Identifier: BSD-3-Clause
// Initial states and boundaries of the classic problems.
#include "engine/solvers/hydro_fem/verify/flows.hpp"

#include "engine/solvers/hydro_fem/cuda/device_backend.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/discretization/initial_run.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"
#include "engine/solvers/hydro_fem/output_view.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

namespace conoid::hydro_fem::flows {
namespace {

constexpr double pi = std::numbers::pi;
Vec3 centre_of(const ZoneMesh& mesh, Index zone) {
  const int corners = 1 << mesh.dim;
  Vec3 c{};
  for (int i = 0; i < corners; ++i)
    for (int d = 0; d < mesh.dim; ++d)
      c[u(d)] += mesh.vertices[u(mesh.zones[u(zone * corners + i)] * mesh.dim + d)] / corners;
  return c;
}

/// One ideal gas of density 1 between walls.
Setup uniform_gas(ZoneMesh mesh, int k, double gamma) {
  Setup s;
  s.mesh = std::move(mesh);
  s.k = k;
  s.materials = {stiffened_gas(gamma)};
  s.density = [](const Vec3&, int) { return 1.0; };
  s.boundaries.resize(u(2 * s.mesh.dim));
  return s;
}

}  // namespace

std::vector<double> line(double a, double b, Index n) {
  std::vector<double> v(u(n + 1));
  for (Index i = 0; i <= n; ++i) v[u(i)] = i == n ? b : a + (b - a) * static_cast<double>(i) / static_cast<double>(n);
  return v;
}

Setup triple_point(int k, Index nx, Index ny) {
  Setup s;
  s.k = k;
  s.mesh = box_zones(2, {line(0, 7, nx), line(0, 3, ny), {}});
  for (Index z = 0; z < s.mesh.zone_count(); ++z) {
    const Vec3 c = centre_of(s.mesh, z);
    s.mesh.region[u(z)] = c[0] < 1 ? 0 : c[1] < 1.5 ? 1 : 2;
  }
  s.materials = {stiffened_gas(1.5), stiffened_gas(1.4), stiffened_gas(1.5)};
  s.density = [](const Vec3&, int region) { return region == 2 ? 0.125 : 1.0; };
  s.energy = [](const Vec3&, int region) {
    const double p = region == 0 ? 1 : 0.1, rho = region == 2 ? 0.125 : 1, gamma = region == 1 ? 1.4 : 1.5;
    return p / ((gamma - 1) * rho);
  };
  s.boundaries.resize(4);
  return s;
}

Setup sedov(int dim, int k, Index n, double size, double energy) {
  std::array<std::vector<double>, 3> lines;
  for (int d = 0; d < dim; ++d) lines[u(d)] = line(0, size, n);
  Setup s = uniform_gas(box_zones(dim, lines), k, 1.4);
  s.point_energy = energy;
  return s;
}

Setup sedov_axisymmetric(int k, Index n, double size, double energy) {
  Setup s = sedov(2, k, n, size, energy / (2 * pi));
  s.turns = true;
  return s;
}

Vec3 gresho_velocity(const Vec3& x) {
  const double r = std::hypot(x[0], x[1]);
  if (r == 0) return {};
  const double around = r < 0.2 ? 5 * r : r < 0.4 ? 2 - 5 * r : 0;
  return {around * x[1] / r, -around * x[0] / r, 0};
}

namespace {

/// Squares around the origin (a core, then rings |x|∞ = s in four pieces), which `curve` makes round between s = 0.2 and 0.4.
ZoneMesh rings(Index n) {
  constexpr double core = 0.1;
  ZoneMesh m;
  m.dim = 2;
  m.boundary_names = {"outside"};
  std::vector<double> s = line(core, 0.2, n / 2);
  for (const auto& [a, b, count] : {std::tuple{0.2, 0.4, n}, std::tuple{0.4, 0.5, n / 2}}) {
    const std::vector<double> more = line(a, b, count);
    s.insert(s.end(), more.begin() + 1, more.end());
  }
  const std::vector<double> t = line(-1, 1, n);
  std::map<std::pair<long, long>, Index> known;
  const auto vertex = [&](double x, double y) {
    const auto [it, fresh] =
        known.emplace(std::pair{std::lround(1e9 * x), std::lround(1e9 * y)}, static_cast<Index>(m.vertices.size() / 2));
    if (fresh) m.vertices.insert(m.vertices.end(), {x, y});
    return it->second;
  };
  const auto zone = [&](const std::array<std::array<double, 2>, 4>& corners) {
    for (const auto& c : corners) m.zones.push_back(vertex(c[0], c[1]));
    m.region.push_back(0);
  };
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      const double x0 = core * t[u(i)], x1 = core * t[u(i + 1)], y0 = core * t[u(j)], y1 = core * t[u(j + 1)];
      zone({{{x0, y0}, {x1, y0}, {x0, y1}, {x1, y1}}});
    }
  for (int side = 0; side < 4; ++side) {
    const auto turned = [&](double x, double y) -> std::array<double, 2> {
      return side == 0   ? std::array{x, y}
             : side == 1 ? std::array{-y, x}
             : side == 2 ? std::array{-x, -y}
                         : std::array{y, -x};
    };
    for (std::size_t i = 0; i + 1 < s.size(); ++i)
      for (Index j = 0; j < n; ++j) {
        if (i + 2 == s.size()) m.faces.push_back({m.zone_count(), 1, 0});
        zone({turned(s[i], s[i] * t[u(j)]), turned(s[i + 1], s[i + 1] * t[u(j)]), turned(s[i], s[i] * t[u(j + 1)]),
              turned(s[i + 1], s[i + 1] * t[u(j + 1)])});
      }
  }
  m.curve = [](const Vec3& p) {
    const double size = std::max(std::abs(p[0]), std::abs(p[1]));
    if (size <= core) return p;
    const double x = p[0] / size, y = p[1] / size;                    // on the square of half-side 1
    const double along = std::abs(x) > std::abs(y) ? y * x : -x * y;  // −1 … 1 along the side, anticlockwise
    const double start = std::abs(x) > std::abs(y) ? (x > 0 ? 0 : pi) : (y > 0 ? pi / 2 : -pi / 2);
    const double angle = start + pi / 4 * along;
    const double round = size < 0.2 ? (size - core) / (0.2 - core) : size > 0.4 ? (0.5 - size) / 0.1 : 1;
    // Between circle and square along straight lines.
    const double inner = size < 0.2 ? core : 0.5, outer = size < 0.2 ? 0.2 : size > 0.4 ? 0.4 : size;
    return Vec3{(1 - round) * inner * x + round * outer * std::cos(angle),
                (1 - round) * inner * y + round * outer * std::sin(angle), 0};
  };
  return m;
}

Setup vortex(ZoneMesh mesh, int k);

}  // namespace

Setup gresho(int k, Index n) {
  return vortex(box_zones(2, {line(-0.5, 0.5, n), line(-0.5, 0.5, n), {}}), k);
}

Setup gresho_fitted(int k, Index n) {
  Setup s = vortex(rings(n), k);
  s.boundaries.resize(1);
  return s;
}

namespace {

Setup vortex(ZoneMesh mesh, int k) {
  Setup s = uniform_gas(std::move(mesh), k, 5.0 / 3);
  s.viscosity = false;
  s.velocity = [](const Vec3& x, int) { return gresho_velocity(x); };
  s.energy = [](const Vec3& x, int) {
    const double r = std::hypot(x[0], x[1]);
    const double p = r < 0.2   ? 5 + 12.5 * r * r
                     : r < 0.4 ? 9 - 4 * std::log(0.2) + 12.5 * r * r - 20 * r + 4 * std::log(r)
                               : 3 + 4 * std::log(2.0);
    return p * 1.5;
  };
  return s;
}

}  // namespace

Vec3 taylor_green_velocity(const Vec3& x) {
  return {std::sin(pi * x[0]) * std::cos(pi * x[1]), -std::cos(pi * x[0]) * std::sin(pi * x[1]), 0};
}

Setup taylor_green(int k, Index n) {
  Setup s = uniform_gas(box_zones(2, {line(0, 1, n), line(0, 1, n), {}}), k, 5.0 / 3);
  s.viscosity = false;
  s.velocity = [](const Vec3& x, int) { return taylor_green_velocity(x); };
  s.energy = [](const Vec3& x, int) { return 1.5 * (1 + (std::cos(2 * pi * x[0]) + std::cos(2 * pi * x[1])) / 4); };
  s.energy_source = [] {
    return [](const Vec3& x, double, int) {
      return 3 * pi / 8 *
             (std::cos(3 * pi * x[0]) * std::cos(pi * x[1]) - std::cos(pi * x[0]) * std::cos(3 * pi * x[1]));
    };
  };
  return s;
}

Setup sod(int k, Index n) {
  Setup s = uniform_gas(box_zones(1, {line(0, 1, n), {}, {}}), k, 1.4);
  for (Index z = 0; z < s.mesh.zone_count(); ++z) s.mesh.region[u(z)] = centre_of(s.mesh, z)[0] < 0.5 ? 0 : 1;
  s.materials = {stiffened_gas(1.4), stiffened_gas(1.4)};
  s.density = [](const Vec3&, int region) { return region == 0 ? 1.0 : 0.125; };
  s.energy = [](const Vec3&, int region) { return region == 0 ? 2.5 : 0.1 / (0.4 * 0.125); };
  return s;
}

Setup noh(int dim, int k, Index n) {
  std::array<std::vector<double>, 3> lines;
  for (int d = 0; d < dim; ++d) lines[u(d)] = line(0, 1, n);
  Setup s = uniform_gas(box_zones(dim, lines), k, 5.0 / 3);
  for (int d = 0; d < dim; ++d) s.boundaries[u(2 * d + 1)].kind = BoundaryCondition::Kind::free;
  s.velocity = [](const Vec3& x, int) {
    const double r = std::hypot(x[0], x[1], x[2]);
    return r > 0 ? Vec3{-x[0] / r, -x[1] / r, -x[2] / r} : Vec3{};
  };
  return s;
}

Setup radial(Setup line, int turns) {
  line.turns = turns;
  line.point_energy /= 2 * turns * pi;
  return line;
}

Setup begun_with(Setup target, Flow& line, double time) {
  const View view(line.op(), line.setup());
  const int sub = line.setup().k;
  Frame frame;
  frame.value = time;
  frame.parts.push_back({"flow", view.geometry(line.state(), sub), {}});
  const auto& geometry = std::get<MeshGeometry>(frame.parts[0].geometry);
  std::vector<float> density(geometry.points->size() / 3), energy(density.size()), velocity(3 * density.size());
  view.values(
      line.state(), sub, false, 5,
      [](const PointValues& v, float* out) {
        *out++ = static_cast<float>(v.density);
        *out++ = static_cast<float>(v.energy);
        for (std::size_t c = 0; c < 3; ++c) *out++ = static_cast<float>(v.velocity[c]);
      },
      [&](Index i, const float* from) {
        density[u(i)] = from[0];
        energy[u(i)] = from[1];
        std::copy_n(from + 2, 3, velocity.begin() + 3 * i);
      });
  const auto add = [&](const char* name, int components, std::vector<float> values) {
    frame.parts[0].fields.push_back(
        make_field({name, "1", FieldKind::magnitude, Association::point, components, false, name}, std::move(values)));
  };
  add("density", 1, std::move(density));
  add("energy", 1, std::move(energy));
  add("velocity", 3, std::move(velocity));
  const auto run = InitialRun::of(frame, line.setup().turns, target.mesh.dim, target.turns, {});
  if (!run) throw Failure(run.error());
  const auto& start = *run;
  target.at_points = true;
  target.point_energy = 0;
  target.density = [start, before = target.density](const Vec3& x, int region) {
    const auto there = start->at(x);
    return there ? there->density : before(x, region);
  };
  target.energy = [start, before = target.energy](const Vec3& x, int region) {
    const auto there = start->at(x);
    return there ? there->energy : before ? before(x, region) : 0;
  };
  target.velocity = [start, before = target.velocity](const Vec3& x, int region) {
    const auto there = start->at(x);
    return there ? there->velocity : before ? before(x, region) : Vec3{};
  };
  return target;
}

Setup saltzmann(int k, Index nx, Index ny) {
  ZoneMesh mesh = box_zones(2, {line(0, 1, nx), line(0, 0.1, ny), {}});
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 2)
    mesh.vertices[v] += (0.1 - mesh.vertices[v + 1]) * std::sin(pi * mesh.vertices[v]);
  Setup s = uniform_gas(std::move(mesh), k, 5.0 / 3);
  s.energy = [](const Vec3&, int) { return 1e-4; };
  s.boundaries[0] = {BoundaryCondition::Kind::piston, {1, 0, 0}, 1};
  return s;
}

Setup ball(int k, Index n, double gamma) {
  constexpr double side = 0.5, corner = 0.35;  // of the block about the centre
  // Places of a block at (u, w) in [0,1]²: the middle, beside the axis, beside x = 0.
  const auto place = [&](int block, double u, double w) -> std::array<double, 2> {
    const double along = block == 1 ? w : u, out = block == 1 ? u : w;
    const std::array<double, 2> inner{side + (corner - side) * along, corner * along};
    if (block == 0) return {u * (side + (corner - side) * w), w * (side + (corner - side) * u)};
    const double angle = 0.25 * pi * along;
    const std::array<double, 2> p{(1 - out) * inner[0] + out * std::cos(angle),
                                  (1 - out) * inner[1] + out * std::sin(angle)};
    return block == 1 ? p : std::array{p[1], p[0]};
  };
  Setup s;
  ZoneMesh& m = s.mesh;
  m.dim = 2;
  m.boundary_names = {"axis", "plane", "outside"};
  std::map<std::pair<long, long>, Index> known;
  for (int block = 0; block < 3; ++block)
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        const Index zone = m.zone_count();
        const auto at = [&](int a, int b) {  // in halves of the zone
          const double h = 0.5 / static_cast<double>(n);
          return place(block, h * static_cast<double>(2 * i + a), h * static_cast<double>(2 * j + b));
        };
        for (int b = 0; b < 3; ++b)
          for (int a = 0; a < 3; ++a) {
            const auto p = at(a, b);
            m.quadratic.insert(m.quadratic.end(), p.begin(), p.end());
            if (a == 1 || b == 1) continue;
            const auto [it, fresh] = known.emplace(std::pair{std::lround(1e9 * p[0]), std::lround(1e9 * p[1])},
                                                   static_cast<Index>(m.vertices.size() / 2));
            if (fresh) m.vertices.insert(m.vertices.end(), p.begin(), p.end());
            m.zones.push_back(it->second);
          }
        m.region.push_back(0);
        if (block != 2 && j == 0) m.faces.push_back({zone, 2, 0});
        if (block != 1 && i == 0) m.faces.push_back({zone, 0, 1});
        if (block == 1 && i == n - 1) m.faces.push_back({zone, 1, 2});
        if (block == 2 && j == n - 1) m.faces.push_back({zone, 3, 2});
      }
  s.k = k;
  s.turns = true;
  s.viscosity = false;
  s.materials = {stiffened_gas(gamma)};
  s.density = [](const Vec3& x, int) { return 1 - x[0] * x[0] - x[1] * x[1]; };
  s.energy = [gamma](const Vec3& x, int) { return (1 - x[0] * x[0] - x[1] * x[1]) / (gamma - 1); };
  s.boundaries.resize(3);
  s.boundaries[2].kind = BoundaryCondition::Kind::free;
  return s;
}

Setup ball_of_falling_entropy(int k, Index n) {
  Setup s = ball(k, n, 5.0 / 3);
  s.density = [](const Vec3&, int) { return 1.0; };
  s.energy = [](const Vec3& x, int) { return 1.5 * (1 - x[0] * x[0] - x[1] * x[1]); };
  return s;
}

UnstableMode::UnstableMode(int degree) : degree_(degree) {
  constexpr double gamma = 5.0 / 3;
  const double l = degree, half = 0.5 * (gamma * (4 * l + 6) - 2);
  const double square = std::sqrt(half * half + 4 * l * (l + 1)) - half;
  rate_ = std::sqrt(square);
  a_ = gamma / (square + 2 * l);
  const double sum = (2 - gamma * (l + 2)) / (square + 2 * l + 4);  // B l + C
  b_ = -(gamma + 2 * sum) / square;
  c_ = sum - b_ * l;
}

Vec3 UnstableMode::at(const Vec3& x) const {
  const double r = std::hypot(x[0], x[1]);
  if (r == 0) return {};
  const auto l = static_cast<unsigned>(degree_);
  const double z = std::clamp(x[0] / r, -1.0, 1.0);
  const double h = std::pow(r, degree_) * std::legendre(l, z);
  const double along = degree_ * std::pow(r, degree_ - 1) * std::legendre(l - 1, z);  // ∂H/∂x
  const double across = x[1] > 0 ? (degree_ * h - x[0] * along) / x[1] : 0;           // Euler: x·∇H = l H
  const double f = a_ + b_ * r * r;
  return {f * along + c_ * x[0] * h, f * across + c_ * x[1] * h, 0};
}

double UnstableMode::moved(double time) const {
  const double root = std::numbers::sqrt2;
  return std::sqrt(1 + 2 * time * time) * std::sinh(rate_ * std::atan(root * time) / root) / rate_;
}

double UnstableMode::grown(double time) const {
  return std::cosh(rate_ * std::atan(std::numbers::sqrt2 * time) / std::numbers::sqrt2);
}

Index pole_zone(Index n) {
  return n * n + n - 1;
}

Setup isothermal_column(int k, Index n) {
  Setup s = uniform_gas(box_zones(2, {line(0, 1, n), line(0, 1, n), {}}), k, 1.4);
  s.density = [](const Vec3& x, int) { return std::exp(-x[0]); };
  s.energy = [](const Vec3&, int) { return 1 / 0.4; };
  s.gravity = {-1, 0, 0};
  return s;
}

Setup even_pressure(int k, Index n) {
  Setup s = uniform_gas(box_zones(2, {line(0, 1, n), line(0, 1, n), {}}), k, 1.4);
  const auto density = [](const Vec3& x) { return 1 + 0.3 * std::sin(2 * pi * x[0]) * std::cos(pi * x[1]); };
  s.density = [density](const Vec3& x, int) { return density(x); };
  s.energy = [density](const Vec3& x, int) { return 1 / (0.4 * density(x)); };
  return s;
}

MarchOptions usual_march(double end, const Setup& setup, Integrator integrator) {
  MarchOptions o;
  o.end_time = end;
  o.integrator = integrator;
  o.courant = usual_courant(
      {setup.k, setup.mesh.dim, setup.viscosity, false, integrator, setup.viscosity && setup.viscosity_vanishes});
  return o;
}

Flow::Flow(Setup setup, MarchOptions options, const RowWorkers& workers, const ZoneKernels& kernels)
    : setup_(std::move(setup)), team_(workers), op_(setup_, kernels, team_),
      march_(place_march(setup_, op_, options.integrator == Integrator::rk4).backend, options),
      first_(op_.energies(march_.state()).total()) {
  if (march_.where() != op_.kernels().name) team_.device_takes_part();
}

void Flow::run() {
  while (march_.step()) {
  }
}

double Flow::energy_change() {
  return (op_.energies(state()).total() - first_) / first_;
}

double Flow::velocity_error(const std::function<Vec3(const Vec3&)>& exact) const {
  const int dim = op_.space().dim;
  const Tables& t = op_.tables();
  const reference::ZoneTables tables(t, dim);
  const State& s = march_.state();
  double sum = 0;
  for (Index zone = 0; zone < op_.space().zones; ++zone) {
    const Index* map = &op_.space().map[u(zone * tables.nodes)];
    for (int q = 0; q < tables.points; ++q) {
      Vec3 x{}, v{};
      std::array<double, 9> J{};
      for (int i = 0; i < tables.nodes; ++i)
        for (int c = 0; c < dim; ++c) {
          const double at = s.x[u(c * op_.space().nodes + map[i])];
          x[u(c)] += tables.w(q, i) * at;
          v[u(c)] += tables.w(q, i) * s.v[u(c * op_.space().nodes + map[i])];
          for (int m = 0; m < dim; ++m) J[u(c * dim + m)] += tables.grad[u(m)](q, i) * at;
        }
      double w = reference::determinant(dim, J);
      for (int d = 0, rest = q; d < dim; ++d, rest /= t.q) w *= t.rule.weights[u(rest % t.q)];
      const Vec3 e = exact(x);
      for (int d = 0; d < dim; ++d) sum += w * (v[u(d)] - e[u(d)]) * (v[u(d)] - e[u(d)]);
    }
  }
  return std::sqrt(sum);
}

}  // namespace conoid::hydro_fem::flows

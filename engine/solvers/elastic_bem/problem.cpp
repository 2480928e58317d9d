// SPDX-License-Identifier: BSD-3-Clause
// From the case to surface, conditions and loads, with a message for everything that cannot be.
#include "engine/solvers/elastic_bem/problem.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/elastic_bem/far_ground.hpp"
#include "engine/solvers/elastic_bem/field.hpp"
#include "engine/solvers/elastic_bem/ground.hpp"
#include "engine/solvers/elastic_bem/sites.hpp"
#include "engine/solvers/elastic_bem/weak_modes.hpp"
#include "engine/team/machine.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

std::vector<Vec3> PlaneSetting::positions() const {
  std::vector<Vec3> out;
  for (Index k = 0; k < points[2]; ++k)
    for (Index j = 0; j < points[1]; ++j)
      for (Index i = 0; i < points[0]; ++i)
        out.push_back({origin[0] + spacing[0] * static_cast<double>(i), origin[1] + spacing[1] * static_cast<double>(j),
                       origin[2] + spacing[2] * static_cast<double>(k)});
  return out;
}

std::vector<Vec3> LineSetting::positions() const {
  std::vector<Vec3> out;
  for (Index k = 0; k < count; ++k)
    out.push_back(axpy(static_cast<double>(k) / static_cast<double>(count - 1), sub(to, from), from));
  return out;
}

double Problem::highest_wave_number() const {
  const double f = *std::max_element(frequencies.begin(), frequencies.end());
  return std::abs(Harmonic(medium, 2 * std::numbers::pi * f).kS);
}

namespace {

std::array<double, 2> pair_of(const Values& v) {
  return {v.at(0).number(), v.at(1).number()};
}

/// How far ground without a given extent reaches from the middle of what is on it, of radius `radius`: five radii, up to twelve where
/// the longest wave asks for it; beyond trenches, whose waves only the mesh carries, as far as the receivers.
double own_extent(const Problem& p, double radius, const Vec3& middle, const Values& output, bool trenches) {
  double longest = 0;
  for (double f : p.frequencies)
    if (f > 0) longest = std::max(longest, p.medium.shear_speed() / f);
  double reach = std::max(5 * radius, std::min(longest, 12 * radius));
  if (trenches)
    for (std::size_t k = 0; k < output["receivers"].size(); ++k) {
      const Vec3 x = output["receivers"].at(k)["position"].vec3();
      reach = std::max(reach, 1.3 * std::hypot(x[0] - middle[0], x[1] - middle[1]));
    }
  return reach;
}

/// Corners of a rectangle of ground without given ones.
Status own_corners(GroundRectangle& r, const Problem& p, const Values& output) {
  if (r.patches.empty() && r.trenches.empty())
    return make_error(ErrorCode::invalid_input, "ground without corners needs patches or trenches to know where it is",
                      "Give ground.low and ground.high, or a patch.");
  std::array<double, 2> low{1e300, 1e300}, high{-1e300, -1e300};
  const auto hold = [&](const std::array<double, 2>& a, const std::array<double, 2>& b) {
    for (std::size_t d = 0; d < 2; ++d) {
      low[d] = std::min(low[d], a[d]);
      high[d] = std::max(high[d], b[d]);
    }
  };
  for (const Patch& q : r.patches) hold(q.low, q.high);
  for (const Trench& q : r.trenches) hold(q.low, q.high);
  const Vec3 middle{0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0};
  const double radius = 0.5 * std::hypot(high[0] - low[0], high[1] - low[1]) / std::sqrt(2.0),
               reach = own_extent(p, radius, middle, output, !r.trenches.empty());
  for (std::size_t d = 0; d < 2; ++d) {
    r.low[d] = std::min(low[d] - 2 * radius, middle[d] - reach);
    r.high[d] = std::max(high[d] + 2 * radius, middle[d] + reach);
  }
  return {};
}

/// A ground made by the program, and the same without trenches.
Result<std::pair<Mesh, std::optional<Mesh>>> make_ground(const Values& g, const Problem& p_, const Values& output) {
  if (g["kind"].text() == "disc") {
    GroundDisc d;
    d.radius = g["radius"].number();
    d.extent = g["extent"].number();
    if (!(d.extent > 0)) d.extent = own_extent(p_, d.radius, {}, output, false);
    d.around = static_cast<int>(g["around"].integer());
    d.inside = static_cast<int>(g["rings"].integer());
    d.inside_growth = g["inside_growth"].number();
    d.outside_growth = g["growth"].number();
    d.level = g["level"].number();
    d.order = static_cast<int>(g["order"].integer());
    d.name = g["name"].text();
    if (g.has("rock")) d.rock = g["rock"].number();
    auto mesh = ground_disc(d);
    if (!mesh) return mesh.error();
    return std::pair<Mesh, std::optional<Mesh>>{std::move(*mesh), std::nullopt};
  }
  GroundRectangle r;
  r.element = g["element"].number();
  r.growth = g["growth"].number();
  r.largest = g["largest"].number();
  r.level = g["level"].number();
  r.order = static_cast<int>(g["order"].integer());
  if (g.has("rock")) r.rock = g["rock"].number();
  for (std::size_t k = 0; k < g["patches"].size(); ++k) {
    const Values p = g["patches"].at(k);
    r.patches.push_back({p["name"].text(), pair_of(p["low"]), pair_of(p["high"]), p["edge_growth"].number()});
  }
  for (std::size_t k = 0; k < g["trenches"].size(); ++k) {
    const Values t = g["trenches"].at(k);
    r.trenches.push_back({pair_of(t["low"]), pair_of(t["high"]), t["depth"].number()});
  }
  if (g.has("low") != g.has("high"))
    return make_error(ErrorCode::invalid_input, "the ground has one of its two corners",
                      "Give both low and high, or neither.");
  if (g.has("low")) {
    r.low = pair_of(g["low"]);
    r.high = pair_of(g["high"]);
  } else if (auto status = own_corners(r, p_, output); !status) {
    return status.error();
  }
  auto mesh = ground_rectangle(r);
  if (!mesh) return mesh.error();
  std::optional<Mesh> flat;
  if (!r.trenches.empty()) {
    for (const Trench& t : r.trenches) r.patches.push_back({"ground", t.low, t.high, 1});
    r.trenches.clear();
    auto bare = ground_rectangle(r);
    if (!bare) return bare.error();
    flat = std::move(*bare);
  }
  return std::pair<Mesh, std::optional<Mesh>>{std::move(*mesh), std::move(flat)};
}

struct Reader {
  const Case& input;
  std::vector<Diagnostic>& out;
  Problem& p;
  std::map<std::string, int> condition_of;  ///< of a group

  void fail(const Values& at, std::string text, std::string hint) {
    out.push_back(input.error_at(at, std::move(text), std::move(hint)));
  }

  const MeshGroup* group(const Values& at, const std::string& name) {
    auto found = require_group(*p.scene.mesh, name, 2);
    if (!found) {
      Diagnostic d = found.error();
      d.place = input.document().place(at.pointer() + "/group");
      out.push_back(std::move(d));
      return nullptr;
    }
    if ((*found)->cells.empty()) {
      fail(at, fmt::format("the group '{}' has no surface cells", name),
           "Give a group that contains surface cells; refine the mesh if the patch is smaller than an element.");
      return nullptr;
    }
    return *found;
  }
  int condition(const Values& at, const std::string& name) {
    if (const auto it = condition_of.find(name); it != condition_of.end()) return it->second;
    if (group(at, name) == nullptr) return -2;
    const int n = static_cast<int>(p.conditions.size());
    p.conditions.push_back({name, {false, false, false}});
    condition_of[name] = n;
    return n;
  }

  void medium() {
    const Values m = input["materials"];
    p.medium.nu = m["poisson"].number();
    p.medium.rho = m["density"].number();
    p.medium.beta = m["damping"].number();
    if (!(p.medium.nu > -1 && p.medium.nu < 0.499999))
      fail(m, fmt::format("Poisson's ratio {:g} lies outside -1 to 0.5", p.medium.nu),
           "Elastic bodies have -1 < nu < 0.5; water-saturated soil up to 0.4999.");
    else if (p.medium.nu > 0.4999)
      out.push_back(
          input.warning_at(m,
                           fmt::format("Poisson's ratio {:g} is closer to 0.5 than the equations hold: a medium that "
                                       "keeps its volume takes a pressure "
                                       "without a motion, and errors of the mesh grow as 1/(1 - 2 nu) = {:.0f}",
                                       p.medium.nu, 1 / (1 - 2 * p.medium.nu)),
                           "Use 0.4999: shear waves, and motions of order one, differ by less than a thousandth."));
    if (!(p.medium.rho > 0))
      fail(m, fmt::format("the density {:g} kg/m^3 is not positive", p.medium.rho), "Soil has 1600 to 2200 kg/m^3.");
    if (m.has("shear_modulus"))
      p.medium.mu = m["shear_modulus"].number();
    else if (m.has("shear_speed"))
      p.medium.mu = p.medium.rho * std::pow(m["shear_speed"].number(), 2);
    else
      fail(m, "the medium has neither a shear modulus nor a shear wave speed",
           "Give one of them, for example \"shear_speed\": \"200 m/s\".");
  }

  void frequencies() {
    const Values f = input["parameters"]["frequencies"];
    if (f.has("values")) {
      p.frequencies = f["values"].numbers();
    } else if (f.has("from")) {
      const double from = f["from"].number(), to = f.has("to") ? f["to"].number() : from;
      const Index count = f["count"].integer();
      const bool log = f["scale"].text() == "log";
      if (to < from || (log && !(from > 0))) {
        fail(f,
             log && !(from > 0) ? "frequencies with equal ratios cannot begin at 0" : "the frequencies run backwards",
             "Give from <= to.");
        return;
      }
      for (Index k = 0; k < count; ++k) {
        const double t = count == 1 ? 0 : static_cast<double>(k) / static_cast<double>(count - 1);
        p.frequencies.push_back(log ? from * std::pow(to / from, t) : from + (to - from) * t);
      }
    }
    if (p.frequencies.empty())
      fail(f, "the case has no frequency", "Give \"values\" or \"from\", \"to\" and \"count\".");
  }

  void boundaries() {
    const Values list = input["boundaries"];
    // The program's own rock is held where nothing else is said of it.
    if (input.values().has("ground") && input["ground"].has("rock"))
      if (const int c = condition(input["ground"], "rock"); c > 0)
        p.conditions[static_cast<std::size_t>(c)].displacement = {true, true, true};
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Values b = list.at(k);
      const std::string kind = b["kind"].text(), name = b["group"].text();
      if (kind == "enclosing") {
        if (group(b, name) != nullptr) condition_of[name] = -1;
        continue;
      }
      const int c = condition(b, name);
      if (c < 0) continue;
      auto& given = p.conditions[static_cast<std::size_t>(c)].displacement;
      if (kind == "fixed") {
        given = {true, true, true};
      } else if (kind == "prescribed") {
        const std::string components = b["components"].text();
        for (char x : components) given[static_cast<std::size_t>(x - 'x')] = true;
      } else {
        const MeshGroup* g = group(b, name);
        int axis = -1;
        for (Index cell : g->cells) {
          const auto nodes = p.scene.mesh->nodes(cell);
          const Vec3 n = unit(cross(sub(p.scene.mesh->point(nodes[1]), p.scene.mesh->point(nodes[0])),
                                    sub(p.scene.mesh->point(nodes[2]), p.scene.mesh->point(nodes[0]))));
          int at = -1;
          for (int d = 0; d < 3; ++d)
            if (std::abs(n[static_cast<std::size_t>(d)]) > 1 - 1e-9) at = d;
          if (at < 0 || (axis >= 0 && at != axis)) {
            fail(b, fmt::format("the roller '{}' is not a plane normal to x, y or z", name),
                 "Split it into planes normal to one axis each.");
            return;
          }
          axis = at;
        }
        given[static_cast<std::size_t>(axis)] = true;
      }
    }
  }

  void foundations() {
    const Values list = input["foundations"];
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Values v = list.at(k);
      Foundation f;
      const std::string name = v["group"].text();
      f.name = v["name"].text().empty() ? name : v["name"].text();
      f.condition = condition(v, name);
      if (f.condition < 0) continue;
      for (const Foundation& other : p.foundations)
        if (other.condition == f.condition)
          fail(v, fmt::format("two foundations stand on the group '{}'", name), "Give each its own group.");
      const std::string contact = v["contact"].text();
      f.contact = contact == "welded" ? Contact::welded : contact == "smooth" ? Contact::smooth : Contact::tangential;
      auto& given = p.conditions[static_cast<std::size_t>(f.condition)].displacement;
      if (f.contact == Contact::welded)
        given = {true, true, true};
      else if (f.contact == Contact::smooth)
        given = {false, false, true};
      else
        given = {true, true, false};
      Vec3 centroid{};
      double area = 0;
      for (Index cell : group(v, name)->cells) {
        const auto nodes = p.scene.mesh->nodes(cell);
        const int corners = corners_of(p.scene.mesh->shape(cell));
        Vec3 c{}, a{};
        for (int q = 0; q < corners; ++q)
          c = axpy(1.0 / corners, p.scene.mesh->point(nodes[static_cast<std::size_t>(q)]), c);
        for (int q = 0; q < corners; ++q)
          a = axpy(0.5,
                   cross(sub(p.scene.mesh->point(nodes[static_cast<std::size_t>(q)]), c),
                         sub(p.scene.mesh->point(nodes[static_cast<std::size_t>((q + 1) % corners)]), c)),
                   a);
        if (f.contact != Contact::welded && std::abs(unit(a)[2]) < 1 - 1e-6) {
          fail(v, fmt::format("the contact of foundation '{}' can be {} on a horizontal group only", f.name, contact),
               "Use \"welded\".");
          break;
        }
        centroid = axpy(norm(a), c, centroid);
        area += norm(a);
      }
      f.reference = v.has("reference") ? v["reference"].vec3() : scale(1 / std::max(area, 1e-300), centroid);
      for (std::size_t d = 0; d < 3; ++d)  // a symmetric group's centroid is a round number
        if (!v.has("reference") && std::abs(f.reference[d]) < 1e-9 * std::sqrt(area)) f.reference[d] = 0;
      f.mass = v["mass"].number();
      f.centre_of_mass = v["centre_of_mass"].vec3();
      f.inertia = v["inertia"].vec3();
      p.foundations.push_back(f);
    }
  }

  void loads() {
    const Values list = input["excitation"]["loads"];
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Values v = list.at(k);
      const std::string kind = v["kind"].text();
      Load l;
      l.name = v["name"].text().empty() ? fmt::format("load {}", k + 1) : v["name"].text();
      if (kind == "wave") {
        l.kind = LoadKind::wave;
        const std::string w = v["wave"].text();
        l.wave.kind = w == "p" ? WaveKind::p : w == "sv" ? WaveKind::sv : w == "sh" ? WaveKind::sh : WaveKind::rayleigh;
        l.wave.direction = v["direction"].vec3();
        l.wave.amplitude = v["amplitude"].number();
        if (!(norm(l.wave.direction) > 0))
          fail(v, "the direction of the wave is zero", "Give a vector along which it travels.");
      } else if (kind == "point") {
        l.kind = LoadKind::point;
        l.value = v["force"].vec3();
        l.at = v["position"].vec3();
      } else if (kind == "machine") {
        l.kind = LoadKind::machine;
        const std::string name = v["foundation"].text();
        const auto it = std::find_if(p.foundations.begin(), p.foundations.end(),
                                     [&](const Foundation& f) { return f.name == name; });
        if (it == p.foundations.end()) {
          fail(v, fmt::format("there is no foundation '{}'", name), "Name one of the case's foundations.");
          continue;
        }
        l.foundation = static_cast<std::size_t>(it - p.foundations.begin());
        const Vec3 f = v["force"].vec3(), m = v["moment"].vec3();
        l.wrench = {f[0], f[1], f[2], m[0], m[1], m[2]};
        l.rotating = v["rotating"].boolean();
      } else {
        l.condition = condition(v, v["group"].text());
        if (l.condition < 0) {
          if (l.condition == -1) fail(v, "an enclosing group carries no load", "Load another group.");
          continue;
        }
        const auto& given = p.conditions[static_cast<std::size_t>(l.condition)].displacement;
        l.kind = kind == "traction"   ? LoadKind::traction
                 : kind == "pressure" ? LoadKind::pressure
                 : kind == "force"    ? LoadKind::force
                 : kind == "moving"   ? LoadKind::moving
                                      : LoadKind::displacement;
        if (kind == "pressure")
          l.pressure = v["value"].number();
        else
          l.value = v["value"].vec3();
        if (l.kind == LoadKind::displacement) {
          for (std::size_t d = 0; d < 3; ++d)
            if (l.value[d] != 0 && !given[d])
              fail(v, fmt::format("the displacement {} of group '{}' is not prescribed", "xyz"[d], v["group"].text()),
                   "Add a boundary of kind \"prescribed\" for it.");
        } else if (given[0] && given[1] && given[2]) {
          fail(v,
               fmt::format("the group '{}' is held in all directions, so a traction on it does nothing",
                           v["group"].text()),
               "Load a free group, or use a load of kind \"machine\" for a foundation.");
        }
        if (l.kind == LoadKind::moving) {
          l.velocity = v["velocity"].vec3();
          l.own_omega = 2 * std::numbers::pi * v["frequency"].number();
          if (!(norm(l.velocity) > 0))
            fail(v, "the moving load stands still", "Give a velocity, or use a load of kind \"force\".");
        }
      }
      p.loads.push_back(l);
    }
    if (p.loads.empty() && p.foundations.empty())
      fail(input["excitation"], "the case has no load and no foundation",
           "Add a load to excitation.loads or a foundation.");
  }

  void observers() {
    const Values o = input["output"];
    for (std::size_t k = 0; k < o["receivers"].size(); ++k) {
      const Values r = o["receivers"].at(k);
      p.receiver_names.push_back(r["name"].text().empty() ? fmt::format("R{}", k + 1) : r["name"].text());
      p.receivers.push_back(r["position"].vec3());
    }
    for (std::size_t k = 0; k < o["lines"].size(); ++k) {
      const Values l = o["lines"].at(k);
      p.lines.push_back({l["name"].text().empty() ? fmt::format("line {}", k + 1) : l["name"].text(), l["from"].vec3(),
                         l["to"].vec3(), l["count"].integer()});
    }
    for (std::size_t k = 0; k < o["planes"].size(); ++k) {
      const Values v = o["planes"].at(k);
      PlaneSetting s;
      s.name = v["name"].text().empty() ? fmt::format("plane {}", k + 1) : v["name"].text();
      const std::size_t normal = static_cast<std::size_t>(v["normal"].text()[0] - 'x');
      const Vec3 low = v["low"].vec3(), high = v["high"].vec3();
      s.origin = low;
      s.spacing = {1, 1, 1};
      std::size_t q = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        if (d == normal) continue;
        s.points[d] = v["points"].at(q++).integer();
        s.spacing[d] = (high[d] - low[d]) / static_cast<double>(s.points[d] - 1);
        if (!(s.spacing[d] > 0))
          fail(v, fmt::format("the plane has no extent along {}", "xyz"[d]),
               "Give corners that differ along both axes in the plane.");
      }
      p.planes.push_back(s);
    }
    p.stresses = o["stresses"].boolean();
    p.third_octaves = o["third_octaves"].boolean();
    p.level_reference = o["level_reference"].number();
    p.exact = o["exact"].text();
  }

  void signal() {
    if (!input.values().has("excitation") || !input["excitation"].has("signal")) return;
    const Values s = input["excitation"]["signal"];
    if (p.loads.empty()) {
      fail(s, "a signal without loads moves nothing", "Give excitation.loads.");
      return;
    }
    if (p.receivers.empty()) {
      fail(s, "a signal without receivers is seen nowhere", "Give output.receivers.");
      return;
    }
    const std::string quantity = s["quantity"].text();
    Signal made;
    made.kind = quantity == "factor"         ? SignalKind::factor
                : quantity == "displacement" ? SignalKind::displacement
                : quantity == "velocity"     ? SignalKind::velocity
                                             : SignalKind::acceleration;
    const char* const units[] = {"1", "m", "m/s", "m/s^2"};
    made.damping = s["damping"].number();
    auto steps = frequency_steps(p.frequencies);
    if (!steps) {
      fail(input["parameters"]["frequencies"], steps.error().text, steps.error().hint);
      return;
    }
    made.steps = *steps;
    auto table = read_time_table(input.path(s["file"].text()), quantity, units[static_cast<int>(made.kind)]);
    if (!table) {
      fail(s["file"], table.error().render(), fmt::format("The table needs the columns time and {}.", quantity));
      return;
    }
    made.table = std::move(*table);
    if (const double lasts = made.table.times.back() - made.table.times.front(); lasts > made.steps.period())
      fail(s["file"],
           fmt::format("the signal lasts {}, and frequencies in steps of {} tell of {} only",
                       format_quantity(lasts, "s"), format_quantity(made.steps.step, "Hz"),
                       format_quantity(made.steps.period(), "s")),
           fmt::format("Use steps below {}, or a shorter signal.", format_quantity(1 / lasts, "Hz")));
    p.signal = std::move(made);
  }

  /// Cells that run against their neighbours are turned round, of open surfaces too.
  void turn() {
    const SurfaceReport report = check_surface(*p.scene.mesh, 1);
    if (report.inconsistent_edge_count == 0 || report.non_manifold_edge_count > 0) return;
    Mesh turned = *p.scene.mesh;
    const OrientationChange change = orient_outward(turned);
    if (!change.orientable) return;
    out.push_back(input.warning_at(
        input["mesh"],
        fmt::format("{} flipped cells of the surface ran against their neighbours and were turned round",
                    change.turned),
        "Nothing needs to be done; in gmsh, `Reverse Surface` or consistent curve loops turn them in the geometry."));
    p.scene.mesh = std::make_shared<const Mesh>(std::move(turned));
  }

  /// Forces in the medium: within it, and away from the surface by an element, as their field is taken at its nodes.
  void points_of_force() {
    for (std::size_t k = 0; k < p.loads.size(); ++k) {
      const Load& l = p.loads[k];
      if (l.kind != LoadKind::point) continue;
      const Values v = input["excitation"]["loads"].at(k);
      const Surface& s = *p.scene.surface;
      if (places_of(s, p.surface_options, {&l.at, 1}).front() != Place::inside) {
        fail(v, fmt::format("the force at ({:g}, {:g}, {:g}) m is not in the medium", l.at[0], l.at[1], l.at[2]),
             "Give a point below the ground or inside the body; on a surface use a load of kind \"force\".");
        continue;
      }
      for (Index e = 0; e < s.active; ++e) {
        const Element& element = s.elements[static_cast<std::size_t>(e)];
        const double away = distance_to(element, l.at);
        if (away > 0.75 * element.size) continue;
        fail(v,
             fmt::format("the force at ({:g}, {:g}, {:g}) m is {} from an element of {}", l.at[0], l.at[1], l.at[2],
                         format_quantity(away, "m"), format_quantity(element.size, "m")),
             "Move it away by three quarters of an element or more, or use smaller elements there.");
        break;
      }
      for (std::size_t q = 0; q < p.receivers.size(); ++q)
        if (distance(p.receivers[q], l.at) < 1e-6 * s.element_size)
          fail(v,
               fmt::format("receiver '{}' lies where the force acts, and the motion there is infinite",
                           p.receiver_names[q]),
               "Move one of them.");
    }
  }

  void resolution() {
    const double f = *std::max_element(p.frequencies.begin(), p.frequencies.end());
    if (!(f > 0)) return;
    const double wave = p.medium.shear_speed() / f, h = p.scene.surface->largest_element, ratio = wave / h;
    const bool constant = p.surface_options.constant;
    const bool second =
        std::any_of(p.scene.surface->elements.begin(), p.scene.surface->elements.begin() + p.scene.surface->active,
                    [](const Element& e) { return order_of(e.shape) == 2; });
    const double wanted = constant ? 8 : second ? 3 : 6;
    if (ratio >= wanted) return;
    std::string text = fmt::format(
        "{} is too high for the mesh: the shear wave of {} has {:.2g} of the largest elements ({}), {} wanted",
        format_quantity(f, "Hz"), format_quantity(wave, "m"), ratio, format_quantity(h, "m"), wanted);
    std::string hint = fmt::format("Refine to elements of {} or stay below {}.", format_quantity(wave / wanted, "m"),
                                   format_quantity(p.medium.shear_speed() / (wanted * h), "Hz"));
    const Values at = input["parameters"]["frequencies"];
    out.push_back(ratio < 0.4 * wanted ? input.error_at(at, std::move(text), std::move(hint))
                                       : input.warning_at(at, std::move(text), std::move(hint)));
  }

  /// Observers above the ground, in a hollow, or on the surface where it is not known.
  void places_of_observers() {
    const Surface& s = *p.scene.surface;
    const SurfaceOptions& o = p.surface_options;
    std::string why;
    const auto far = p.solve.accuracy.fixed8 ? nullptr : FarGround::make(s, o, p.medium, 0, 0, 1, why, true);
    if (p.solve.accuracy.fixed8) why = "the classical rules know the mesh only";
    const bool scatters =
        std::any_of(s.traction_condition.begin(), s.traction_condition.end(), [](int c) { return c == 0; }) &&
        has_free_walls(s, o);
    const auto sites = find_sites(s, p.receivers);
    const Values list = input["output"]["receivers"];
    for (std::size_t k = 0; k < p.receivers.size(); ++k) {
      const Vec3& x = p.receivers[k];
      const std::string& name = p.receiver_names[k];
      if (sites[k].element >= 0) {
        const Element& e = s.elements[static_cast<std::size_t>(sites[k].element)];
        double least = 1;
        for (int a = 0; a < e.nodes; ++a)
          least = std::min(least, s.window[static_cast<std::size_t>(e.node[static_cast<std::size_t>(a)])]);
        if (least < 0.7 && far == nullptr)
          out.push_back(input.warning_at(list.at(k),
                                         fmt::format("receiver '{}' lies {} from the middle of the ground, where the "
                                                     "mesh fades out: its motion may be off by "
                                                     "several per cent ({})",
                                                     name, format_quantity(distance(x, s.centre), "m"), why),
                                         "Let the ground reach about twice as far as the receivers."));
        if (p.stresses && e.nodes == 1)
          fail(
              list.at(k),
              fmt::format(
                  "receiver '{}' lies on an element whose displacement is constant: stresses along the surface, "
                  "which are its slopes, are not known there",
                  name),
              fmt::format("Set parameters.elements to \"continuous\", put the receiver at least {} into the medium, or "
                          "switch output.stresses off.",
                          format_quantity(stress_distance(e), "m")));
        continue;
      }
      const Place where = place_of(s, o, x);
      if (where == Place::outside) {
        fail(list.at(k),
             fmt::format("receiver '{}' at ({:g}, {:g}, {:g}) lies {}", name, x[0], x[1], x[2],
                         o.domain == Domain::ground ? "above the ground or in a hollow, where there is nothing to move"
                         : o.domain == Domain::inside ? "outside the body"
                                                      : "in the cavity, where there is nothing to move"),
             o.domain == Domain::ground ? "Put it on or below the surface."
                                        : "Put it into the medium, or choose parameters.domain.");
      } else if (where == Place::beside && (far == nullptr || scatters)) {
        fail(
            list.at(k),
            fmt::format("receiver '{}' lies on the surface beside the meshed ground, where its motion is not known: {}",
                        name, far == nullptr ? why : "what trenches or slopes scatter is carried by the mesh only"),
            "Let the ground reach beyond the receiver: leave out ground.low and ground.high, or enlarge the mesh.");
      } else if (p.stresses && where == Place::beside) {
        fail(
            list.at(k),
            fmt::format("receiver '{}' lies on the surface beside the meshed ground, where its motion is known but not "
                        "its stress",
                        name),
            "Let the ground reach beyond the receiver, or switch output.stresses off.");
      } else if (p.stresses) {
        room_for_stress(list.at(k), name, x);
      }
    }
    for (std::size_t k = 0; k < p.lines.size(); ++k)
      many_places(input["output"]["lines"].at(k), fmt::format("line '{}'", p.lines[k].name), p.lines[k].positions(),
                  far == nullptr ? why
                  : scatters     ? "what trenches or slopes scatter is carried by the mesh only"
                                 : "");
    for (std::size_t k = 0; k < p.planes.size(); ++k)
      many_places(input["output"]["planes"].at(k), fmt::format("plane '{}'", p.planes[k].name), p.planes[k].positions(),
                  far == nullptr ? why
                  : scatters     ? "what trenches or slopes scatter is carried by the mesh only"
                                 : "");
  }

  /// A receiver in the medium so close to the surface that its stress is not known.
  void room_for_stress(const Values& at, const std::string& name, const Vec3& x) {
    const Surface& s = *p.scene.surface;
    double nearest = 1e300;
    const Element* beside = nullptr;
    for (Index e = 0; e < s.active; ++e) {
      const Element& element = s.elements[static_cast<std::size_t>(e)];
      const double least = stress_distance(element);
      if (distance(x, element.centre) > 1.2 * element.size + least) continue;
      const double found = distance_to(element, x);
      if (found >= std::min(least, nearest)) continue;
      nearest = found;
      beside = &element;
    }
    if (beside == nullptr) return;
    fail(
        at,
        fmt::format("receiver '{}' lies {} from an element of {}: its stress is not known within {} of such an element",
                    name, format_quantity(nearest, "m"), format_quantity(beside->size, "m"),
                    format_quantity(stress_distance(*beside), "m")),
        beside->nodes == 1
            ? "Move it into the medium, refine the surface, or set parameters.elements to \"continuous\"."
            : "Put it onto the surface, where tractions and slopes give the stress, move it into the medium, or refine "
              "the surface.");
  }

  /// Points of a line or a plane: some may lie in hollows, where nothing moves; `unknown`: why the surface beside the mesh is not
  /// known, empty where it is.
  void many_places(const Values& at, const std::string& name, const std::vector<Vec3>& points,
                   const std::string& unknown) {
    const Surface& s = *p.scene.surface;
    const SurfaceOptions& o = p.surface_options;
    const std::vector<Place> places = places_of(s, o, points);
    std::size_t outside = 0, above = 0, beside = 0;
    const Vec3 *highest = nullptr, *first_beside = nullptr;
    double height = 1e-6 * s.diameter;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (places[k] == Place::beside && beside++ == 0) first_beside = &points[k];
      if (places[k] != Place::outside) continue;
      ++outside;
      const double over = height_over_rim(s, o, points[k]);
      if (o.domain != Domain::ground || over <= 1e-6 * s.diameter) continue;
      ++above;
      if (over <= height) continue;
      height = over;
      highest = &points[k];
    }
    if (outside == points.size()) {
      fail(at,
           fmt::format("all {} points of the {} lie {}", points.size(), name,
                       o.domain == Domain::ground   ? "above the ground or in a hollow, where there is nothing to move"
                       : o.domain == Domain::inside ? "outside the body"
                                                    : "in the cavity, where there is nothing to move"),
           o.domain == Domain::ground ? "Put it on or below the surface."
                                      : "Put it into the medium, or choose parameters.domain.");
      return;
    }
    if (above > 0)
      out.push_back(input.warning_at(
          at,
          fmt::format("{} of {} points of the {} lie above the ground, up to ({:g}, {:g}, {:g}): zeros are given there",
                      above, points.size(), name, (*highest)[0], (*highest)[1], (*highest)[2]),
          "Let it end at the surface."));
    if (beside > 0 && !unknown.empty())
      fail(at,
           fmt::format(
               "{} of {} points of the {} lie on the surface beside the meshed ground, the first at ({:g}, {:g}, "
               "{:g}), where the motion is not known: {}",
               beside, points.size(), name, (*first_beside)[0], (*first_beside)[1], (*first_beside)[2], unknown),
           "Let the ground reach beyond it: leave out ground.low and ground.high, or enlarge the mesh.");
  }

  /// Bodies that nothing holds, at rest or near it.
  void free_bodies() {
    const Surface& s = *p.scene.surface;
    const double lowest = *std::min_element(p.frequencies.begin(), p.frequencies.end());
    const Harmonic h(p.medium, 2 * std::numbers::pi * lowest);
    std::vector<char> held(s.closed.size(), 0);
    for (Index k = 0; k < s.active; ++k) {
      const Element& e = s.elements[static_cast<std::size_t>(k)];
      const auto& given = p.conditions[static_cast<std::size_t>(e.condition)].displacement;
      if (given[0] || given[1] || given[2]) held[static_cast<std::size_t>(e.component)] = 1;
    }
    int bodies = 0, loose = 0;
    for (std::size_t c = 0; c < s.closed.size(); ++c)
      if (s.closed[c] && !s.hollow[c]) {
        ++bodies;
        loose += held[c] == 0 ? 1 : 0;
      }
    if (bodies > 1 && loose > 0 && std::abs(h.kS) * 0.5 * s.diameter < free_below)
      out.push_back(input.error_at(input["parameters"]["frequencies"],
                                   fmt::format("nothing holds {} of {} bodies, which cannot be computed together at {}",
                                               loose, bodies, format_quantity(lowest, "Hz")),
                                   "Compute one at a time: they do not touch each other."));
    if (lowest > 0) return;
    const FreeMotions free = free_motions(s, p.conditions);
    if (free.motions.empty()) return;
    for (std::size_t k = 0; k < p.loads.size(); ++k) {
      if (p.loads[k].kind == LoadKind::wave || p.loads[k].kind == LoadKind::machine) continue;
      double whole = 0, most = 0;
      for (const Complex& f : free.forces(s, load_values(p, p.scene, p.loads[k], h).traction, whole))
        most = std::max(most, std::abs(f));
      if (most > balanced_share * whole)
        out.push_back(input.error_at(input["excitation"]["loads"].at(k), unbalanced_text(most / whole),
                                     std::string(unbalanced_hint)));
    }
  }
};

Status build(Scene& scene, Problem& p, const std::map<std::string, int>& condition_of) {
  std::vector<int> of(static_cast<std::size_t>(scene.mesh->cell_count()), 0);
  for (const auto& [name, c] : condition_of)
    if (const MeshGroup* g = scene.mesh->group(name))
      for (Index cell : g->cells) of[static_cast<std::size_t>(cell)] = c;
  SurfaceOptions options = p.surface_options;
  options.condition = [&of](Index cell) { return of[static_cast<std::size_t>(cell)]; };
  auto surface = make_surface(*scene.mesh, options);
  if (!surface) return surface.error();
  scene.surface = std::make_unique<Surface>(std::move(*surface));
  auto system = BoundarySystem::make(*scene.surface, p.conditions);
  if (!system) return system.error();
  scene.system = std::move(*system);
  return p.symmetry.empty() ? Status() : scene.system->set_symmetry(p.symmetry);
}

/// Halves, quarters and eighths are completed.
Status complete(Problem& p) {
  for (const int axis : p.symmetry) {
    auto whole = completed_by_mirror(*p.scene.mesh, axis);
    if (!whole) return whole.error();
    p.scene.mesh = std::make_shared<const Mesh>(std::move(*whole));
  }
  return {};
}

}  // namespace

std::unique_ptr<Problem> make_problem(const Case& input, const Mesh* mesh, const Offer& offer,
                                      std::vector<Diagnostic>& out) {
  auto made = std::make_unique<Problem>();
  Problem& p = *made;
  const bool has_ground = input.values().has("ground");
  const Values parameters = input["parameters"];
  std::optional<Mesh> bare;
  if (has_ground && mesh != nullptr) {
    out.push_back(
        input.error_at(input["ground"], "the case has both a mesh and a ground to be meshed", "Keep one of them."));
    return nullptr;
  }
  Reader r{input, out, p, {}};
  p.conditions.push_back({"free", {false, false, false}});
  r.medium();
  r.frequencies();
  if (has_errors(out)) return nullptr;
  if (has_ground) {
    auto ground = make_ground(input["ground"], p, input["output"]);
    if (!ground) {
      Diagnostic d = ground.error();
      d.place = input.document().place("/ground");
      out.push_back(std::move(d));
      return nullptr;
    }
    p.scene.mesh = std::make_shared<const Mesh>(std::move(ground->first));
    bare = std::move(ground->second);
  } else if (mesh != nullptr) {
    p.scene.mesh = std::make_shared<const Mesh>(mesh->dimension() == 3 ? mesh->extract(2) : *mesh);
  } else {
    out.push_back(make_error(ErrorCode::invalid_input, "the case has neither a mesh nor a ground",
                             "Give \"mesh\": {\"file\": …} or \"ground\": {…}.", {"", 0, "/mesh"}));
    return nullptr;
  }
  const auto at_mesh = [&](Diagnostic d) {
    d.place = input.document().place(has_ground ? "/ground" : "/mesh");
    out.push_back(std::move(d));
  };
  for (const char axis : parameters["symmetry"].text())
    if (axis >= 'x' && axis <= 'z') p.symmetry.push_back(axis - 'x');
  p.surface_options.symmetry = p.symmetry;
  if (auto status = complete(p); !status) {
    at_mesh(status.error());
    return nullptr;
  }
  r.turn();
  r.boundaries();
  r.foundations();
  r.loads();
  r.observers();
  r.signal();
  if (has_errors(out)) return nullptr;

  const std::string domain = parameters["domain"].text();
  SurfaceOptions& o = p.surface_options;
  if (domain == "auto")
    o.domain = has_ground || check_surface(*p.scene.mesh, 1).open_edge_count > 0 ? Domain::ground : Domain::outside;
  else
    o.domain = domain == "inside" ? Domain::inside : domain == "outside" ? Domain::outside : Domain::ground;
  o.down = parameters["down"].text() == "+z" ? Vec3{0, 0, 1} : Vec3{0, 0, -1};
  const std::string elements = parameters["elements"].text();
  o.constant = elements == "constant";
  o.discontinuous = elements == "discontinuous";
  o.crease = parameters["crease_angle"].number();
  o.window = parameters["fade"].number();
  p.solve.accuracy.target = parameters["accuracy"].number();
  p.solve.accuracy.fixed8 = parameters["rules"].text() == "classical";
  p.sum_everywhere = p.solve.accuracy.fixed8;
  if (p.solve.accuracy.fixed8) {
    o.window = 0;
    if (!o.constant) {
      out.push_back(input.error_at(parameters["rules"], "the classical rules know constant elements only",
                                   "Set parameters.elements to \"constant\"."));
      return nullptr;
    }
  }
  const std::string solution = parameters["solution"].text(), chief = parameters["chief"].text();
  p.solve.method = solution == "direct"       ? Method::direct
                   : solution == "gmres"      ? Method::gmres
                   : solution == "compressed" ? Method::compressed
                                              : Method::mixed;
  if ((p.solve.method == Method::gmres || p.solve.method == Method::compressed) && !p.symmetry.empty())
    out.push_back(input.warning_at(parameters["symmetry"],
                                   "iterations take all equations at once: symmetry saves nothing",
                                   "Use parameters.solution \"mixed\" or \"direct\"."));
  p.solve.compression = parameters["compression"].number();
  p.solve.tolerance = parameters["tolerance"].number();
  p.solve.chief = chief == "auto" ? Chief::automatic : chief == "on" ? Chief::on : Chief::off;
  p.solve.chief_points = static_cast<int>(parameters["chief_points"].integer());
  p.single = input["compute"]["precision"].text() == "single";
  p.solve.deterministic = offer.deterministic.value;

  if (auto status = build(p.scene, p, r.condition_of); !status) {
    at_mesh(status.error());
    return nullptr;
  }
  if (input["output"]["insertion_loss"].boolean()) {
    if (!bare) {
      out.push_back(input.error_at(input["output"], "insertion loss needs a ground with trenches made by the program",
                                   "Add ground.trenches, or switch output.insertion_loss off."));
      return nullptr;
    }
    p.bare.emplace();
    p.bare->mesh = std::make_shared<const Mesh>(std::move(*bare));
    if (auto status = build(*p.bare, p, r.condition_of); !status) {
      at_mesh(status.error());
      return nullptr;
    }
  }
  r.resolution();
  r.places_of_observers();
  r.points_of_force();
  r.free_bodies();
  if (solution == "auto" && compression_pays(p, offer)) p.solve.method = Method::compressed;
  const Bytes needed = p.scene.system->bytes(p.planned_columns(p.scene), p.solve, p.single, p.highest_wave_number());
  if (const Bytes budget = offer.host.value; needed > budget) {
    Diagnostic d =
        input.error_at(has_ground ? input["ground"] : input["mesh"],
                       fmt::format("{} unknowns need {}, the budget is {}", 3 * p.scene.surface->node_count(),
                                   format_bytes(needed), format_bytes(budget)),
                       p.solve.method == Method::compressed
                           ? "Coarsen the mesh, use a larger parameters.compression, or raise compute.memory.host."
                           : "Use parameters.solution \"compressed\", coarsen the mesh, or raise compute.memory.host.");
    d.code = ErrorCode::resources;
    out.push_back(std::move(d));
  }
  const Harmonic highest(
      p.medium, 2 * std::numbers::pi * std::max(1e-3, *std::max_element(p.frequencies.begin(), p.frequencies.end())));
  for (std::size_t k = 0; k < p.loads.size(); ++k) {
    if (p.loads[k].kind != LoadKind::wave) continue;
    if (p.loads[k].wave.kind == WaveKind::rayleigh && o.domain != Domain::ground)
      out.push_back(input.error_at(input["excitation"]["loads"].at(k), "a Rayleigh wave needs a ground surface",
                                   "Set parameters.domain to \"ground\", or use p, sv or sh."));
    else if (o.domain == Domain::inside)
      out.push_back(input.error_at(input["excitation"]["loads"].at(k),
                                   "a wave cannot come from outside into a finite body",
                                   "Load the body's surface instead."));
    else if (has_ground && input["ground"].has("rock"))
      out.push_back(input.error_at(input["excitation"]["loads"].at(k),
                                   "no wave comes through a rigid rock: incident waves are those of a half-space",
                                   "Leave out ground.rock, or load the ground or a foundation."));
    else if (auto field = incident_field(p, p.loads[k], highest); !field) {
      Diagnostic d = field.error();
      d.place = input.document().place(fmt::format("/excitation/loads/{}", k));
      out.push_back(std::move(d));
    }
  }
  return has_errors(out) ? nullptr : std::move(made);
}

Index Problem::planned_columns(const Scene& s) const {
  std::vector<char> touched(conditions.size(), 0);
  Index columns = 0;
  bool waves = false, points = false;
  for (const Load& l : loads) {
    if (l.condition >= 0) touched[static_cast<std::size_t>(l.condition)] = 1;
    waves = waves || l.kind == LoadKind::wave;
    points = points || l.kind == LoadKind::point;
  }
  for (const Foundation& f : foundations) touched[static_cast<std::size_t>(f.condition)] = 1;
  for (std::size_t t = 0; t < s.surface->traction_node.size(); ++t)
    if (touched[static_cast<std::size_t>(s.surface->traction_condition[t])] != 0 || points ||
        (waves && surface_options.domain != Domain::ground))
      columns += 3;
  return columns;
}

std::vector<Vec3> Problem::observers() const {
  std::vector<Vec3> out = receivers;
  for (const LineSetting& line : lines) {
    const auto more = line.positions();
    out.insert(out.end(), more.begin(), more.end());
  }
  for (const PlaneSetting& plane : planes) {
    const auto more = plane.positions();
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

Result<IncidentField> incident_field(const Problem& p, const Load& load, const Harmonic& h) {
  if (load.kind == LoadKind::point) return IncidentField::point_force(load.at, load.value, h);
  WaveSetting w = load.wave;
  w.half_space = p.surface_options.domain == Domain::ground;
  w.up = scale(-1, p.surface_options.down);
  if (w.half_space) {  // the level of the flat part: where most of the normals point up
    double sum = 0, count = 0;
    for (std::size_t n = 0; n < p.scene.surface->nodes.size(); ++n)
      if (dot(p.scene.surface->normals[n], w.up) > 1 - 1e-9) {
        const double z = dot(p.scene.surface->nodes[n], w.up);
        if (count == 0 || z > sum / count - 1e-9) {
          if (count > 0 && z > sum / count + 1e-9) sum = count = 0;
          sum += z;
          count += 1;
        }
      }
    w.level = count > 0 ? sum / count : 0;
  }
  return IncidentField::make(w, h);
}

std::vector<Complex3> moving_traction(const Surface& s, int condition, const Vec3& force, const Vec3& velocity,
                                      double omega) {
  const double v = norm(velocity), area = area_of(s, condition);
  const Vec3 along = scale(1 / v, velocity);
  double low = 1e300, high = -1e300;
  for (Index k = 0; k < s.active; ++k) {
    const Element& e = s.elements[static_cast<std::size_t>(k)];
    if (e.condition != condition) continue;
    for (int c = 0; c < nodes_of(e.shape); ++c) {
      const double x = dot(e.x[static_cast<std::size_t>(c)], along);
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
  const double width = area / (high - low);
  std::vector<Complex3> out(s.traction_node.size());
  for (std::size_t t = 0; t < out.size(); ++t) {
    if (s.traction_condition[t] != condition) continue;
    const double x = dot(s.nodes[static_cast<std::size_t>(s.traction_node[t])], along);
    const Complex phase = std::polar(1 / (v * width), -omega * x / v);
    out[t] = {force[0] * phase, force[1] * phase, force[2] * phase};
  }
  return out;
}

LoadValues load_values(const Problem& p, const Scene& scene, const Load& load, const Harmonic& h) {
  const Surface& s = *scene.surface;
  LoadValues out;
  const auto each = [&](auto&& value) {  // traction at the load's traction nodes
    out.traction.resize(s.traction_node.size());
    for (std::size_t t = 0; t < s.traction_node.size(); ++t)
      if (s.traction_condition[t] == load.condition) out.traction[t] = value(t);
  };
  const auto constant = [](const Vec3& v) { return Complex3{v[0], v[1], v[2]}; };
  switch (load.kind) {
    case LoadKind::traction: each([&](std::size_t) { return constant(load.value); }); break;
    case LoadKind::pressure:
      each([&](std::size_t t) { return constant(scale(-load.pressure, s.traction_normal[t])); });
      break;
    case LoadKind::force: {
      const double area = area_of(s, load.condition);
      each([&](std::size_t) { return constant(scale(1 / area, load.value)); });
      break;
    }
    case LoadKind::moving:
      out.traction = moving_traction(s, load.condition, load.value, load.velocity, h.omega - load.own_omega);
      break;
    case LoadKind::displacement:
      out.displacement.resize(s.nodes.size());
      for (std::size_t t = 0; t < s.traction_node.size(); ++t)
        if (s.traction_condition[t] == load.condition)
          for (std::size_t d = 0; d < 3; ++d)
            if (p.conditions[static_cast<std::size_t>(load.condition)].displacement[d])
              out.displacement[static_cast<std::size_t>(s.traction_node[t])][d] = load.value[d];
      break;
    case LoadKind::machine: break;  // moves foundations: by superposition of unit motions
    case LoadKind::wave:
    case LoadKind::point: {
      const IncidentField field = *incident_field(p, load, h);
      out.traction.resize(s.traction_node.size());
      out.displacement.resize(s.nodes.size());
      double largest = 0;
      for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
        const auto n = static_cast<std::size_t>(s.traction_node[t]);
        const auto u = field.displacement(s.nodes[n]);
        const auto stress = field.traction(s.nodes[n], s.traction_normal[t]);
        for (std::size_t d = 0; d < 3; ++d) {
          largest = std::max(largest, std::abs(h.mu * h.kS * u[d]));
          if (p.conditions[static_cast<std::size_t>(s.traction_condition[t])].displacement[d])
            out.displacement[n][d] = -u[d];
          else
            out.traction[t][d] = -stress[d];
        }
      }
      for (Complex3& t : out.traction)
        for (Complex& v : t)
          if (std::abs(v) < 1e-12 * largest) v = 0;  // free of traction up to round-off: no column is needed
      break;
    }
  }
  return out;
}

}  // namespace conoid::elastic_bem

// SPDX-License-Identifier: BSD-3-Clause
// The sections of a case: medium, frequencies, conditions, foundations, loads, observers, signal.
#include "engine/solvers/elastic_bem/case.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/elastic_bem/discretization/ground.hpp"
#include "engine/solvers/frequency_setting.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

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

}  // namespace

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
    d.layers = g["layers"].numbers();
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
  r.layers = g["layers"].numbers();
  for (std::size_t k = 0; k < g["patches"].size(); ++k) {
    const Values p = g["patches"].at(k);
    r.patches.push_back({p["name"].text(), pair_of(p["low"]), pair_of(p["high"]), p["edge_growth"].number()});
  }
  for (std::size_t k = 0; k < g["trenches"].size(); ++k) {
    const Values t = g["trenches"].at(k);
    r.trenches.push_back({pair_of(t["low"]), pair_of(t["high"]), t["depth"].number(), t["filled"].boolean()});
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

void ProblemReader::fail_at_mesh(Diagnostic what) {
  fail_at(has("ground") ? "ground" : "mesh", std::move(what));
}

const MeshGroup* ProblemReader::group(const Values& at, const std::string& name) {
  auto found = require_group(*p.scene.mesh, name, 2);
  if (!found) {
    fail_at(at, "group", found.error());
    return nullptr;
  }
  if ((*found)->cells.empty()) {
    fail(at, fmt::format("the group '{}' has no surface cells", name),
         "Give a group that contains surface cells; refine the mesh if the patch is smaller than an element.");
    return nullptr;
  }
  return *found;
}

int ProblemReader::condition(const Values& at, const std::string& name) {
  if (sides.contains(name) && at.pointer().rfind("/regions", 0) != 0 && at.pointer().rfind("/ground", 0) != 0) {
    fail(at, fmt::format("the group '{}' is an interface of regions", name),
         "Give conditions and loads on outer surfaces only.");
    return -2;
  }
  if (const auto it = condition_of.find(name); it != condition_of.end()) return it->second;
  if (group(at, name) == nullptr) return -2;
  const int n = static_cast<int>(p.conditions.size());
  p.conditions.push_back({name, {false, false, false}});
  condition_of[name] = n;
  return n;
}

Medium ProblemReader::medium(const Values& m) {
  Medium made;
  const bool by_speeds = m.has("pressure_speed");
  if (!by_speeds) made.nu = m["poisson"].number();
  made.rho = m["density"].number();
  made.beta = m["damping"].number();
  if (!(made.rho > 0))
    fail(m, fmt::format("the density {:g} kg/m^3 is not positive", made.rho), "Soil has 1600 to 2200 kg/m^3.");
  if (m.has("shear_modulus"))
    made.mu = m["shear_modulus"].number();
  else if (m.has("shear_speed"))
    made.mu = made.rho * std::pow(m["shear_speed"].number(), 2);
  else
    fail(m, "the medium has neither a shear modulus nor a shear wave speed",
         "Give one of them, for example \"shear_speed\": \"200 m/s\".");
  if (by_speeds) {
    const double ratio = made.mu / (made.rho * std::pow(m["pressure_speed"].number(), 2));  // (c_S/c_P)²
    made.nu = ratio < 1 ? (1 - 2 * ratio) / (2 - 2 * ratio) : -1;
  }
  if (by_speeds && !(made.nu > -1 && made.nu < 0.499999))
    fail(m,
         fmt::format("the pressure wave speed {:g} m/s does not go with the shear wave speed {:g} m/s",
                     m["pressure_speed"].number(), std::sqrt(made.mu / made.rho)),
         "Give at least 1.1547 times the shear wave speed and at most a thousand times.");
  else if (!(made.nu > -1 && made.nu < 0.499999))
    fail(m, fmt::format("Poisson's ratio {:.9g} lies outside -1 to 0.499999", made.nu),
         "Elastic bodies have -1 < nu < 0.5; water-saturated soil up to 0.4999.");
  else if (made.nu > 0.4999)
    warn(m,
         fmt::format("Poisson's ratio {:g} is closer to 0.5 than the equations hold: a medium that "
                     "keeps its volume takes a pressure "
                     "without a motion, and errors of the mesh grow as 1/(1 - 2 nu) = {:.0f}",
                     made.nu, 1 / (1 - 2 * made.nu)),
         "Use 0.4999: shear waves, and motions of order one, differ by less than a thousandth.");
  return made;
}

void ProblemReader::regions() {
  const Values list = input["regions"];
  std::map<std::string, std::string> owner;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Values v = list.at(k);
    RegionNames r;
    r.name = name_or_number(v, "region ", k + 1);
    r.medium = medium(v);
    r.domain = v["domain"].text();
    for (const bool shared : {false, true}) {
      const Values names = v[shared ? "interfaces" : "surfaces"];
      for (std::size_t q = 0; q < names.size(); ++q) {
        const std::string name = names.at(q).text();
        auto found = require_group(*p.scene.mesh, name, 2);
        if (!found || (*found)->cells.empty()) {
          fail(names.at(q), found ? fmt::format("the group '{}' has no surface cells", name) : found.error().text,
               found ? "Give a group that contains surface cells." : found.error().hint);
          continue;
        }
        const auto it = owner.find(name);
        if (shared ? it != owner.end() && it->second.empty() : it != owner.end()) {
          fail(names.at(q), fmt::format("the group '{}' is a surface of one region and named by another one", name),
               "Name it among the interfaces of both, or of one where the other side is the one of \"medium\".");
          continue;
        }
        owner[name] = shared ? r.name : "";
        if (shared && ++sides[name] > 2)
          fail(names.at(q), fmt::format("the group '{}' is an interface of more than two regions", name),
               "Split it: an interface has two sides.");
        if (shared) static_cast<void>(condition(names.at(q), name));
        (shared ? r.interfaces : r.surfaces).push_back(name);
      }
    }
    if (r.interfaces.empty())
      fail(v, fmt::format("region '{}' has no interface with another one", r.name),
           "Name the groups that it shares in \"interfaces\", or compute it as a case of its own.");
    p.regions.push_back(std::move(r));
  }
  if (p.scene.mesh->group("filled trench") != nullptr && !sides.contains("filled trench"))
    fail(has("ground") ? input["ground"] : input["mesh"], "nothing is said of what fills the trench",
         "Give a region with the interface \"filled trench\" and the surface \"filling\", or leave out \"filled\".");
  if (has("ground") && input["ground"]["layers"].size() > 0 && input["ground"].has("rock") && !owner.contains("rock"))
    fail(input["ground"], "no region says that it lies on the rock",
         "Name \"rock\" among the surfaces of the lowest layer.");
  for (const MeshGroup& g : p.scene.mesh->groups())
    if (has("ground") && g.name.rfind("layer ", 0) == 0 && !sides.contains(g.name))
      fail(input["ground"], fmt::format("nothing is said of what lies below '{}'", g.name),
           "Give a region that has it among its interfaces, with \"rock\" or the next layer for its lower border.");
  // A cell has one part to play.
  std::map<Index, std::string> of;
  for (const auto& [name, first] : owner) {
    static_cast<void>(first);
    for (const Index c : p.scene.mesh->group(name)->cells)
      if (const auto [it, fresh] = of.emplace(c, name); !fresh) {
        fail(list, fmt::format("the groups '{}' and '{}' of regions overlap", it->second, name),
             "Give every cell to one of them.");
        return;
      }
  }
}

void ProblemReader::profile() {
  if (!has("profile")) return;
  const Values v = input["profile"], list = v["layers"];
  const bool rock = v["rock"].boolean();
  SoilProfile made;
  std::vector<Medium> media{p.medium};
  for (std::size_t k = 0; k < list.size(); ++k) media.push_back(medium(list.at(k)));
  for (std::size_t k = 0; k < media.size(); ++k) {
    const Values at = k == 0 ? v : list.at(k - 1);
    const bool last = k + 1 == media.size();
    if (at.has("thickness") && last && !rock)
      fail(
          at["thickness"], "the lowest medium has a thickness, and nothing is said of what lies below it",
          "Set profile.rock to true for rigid rock below it, add a layer, or leave out the thickness of a half-space.");
    else if (!at.has("thickness") && !(last && !rock))
      fail(at,
           last ? "the lowest layer lies on rock and has no thickness" : "a layer above another one has no thickness",
           k == 0 ? "Give profile.thickness, that of \"medium\"." : "Give its thickness.");
    else if (last && !rock)
      made.half_space = media[k];
    else
      made.layers.push_back({media[k], at["thickness"].number()});
  }
  if (!p.regions.empty() || input["regions"].size() > 0)
    fail(input["regions"], "regions have meshed borders, and the layers of a profile have none",
         "Give layers in profile.layers, or leave out profile.");
  if (has("ground")) {
    const Values g = input["ground"];
    const bool disc = g["kind"].text() == "disc";
    if (g.has("rock") || g["layers"].size() > 0 || (!disc && g["trenches"].size() > 0))
      fail(g, "ground with meshed layers, rock or trenches goes without a profile",
           "Leave out ground.rock, ground.layers and ground.trenches; profile has layers and rock.");
  }
  const Values parameters = input["parameters"];
  const auto refuse = [&](const char* key, bool refused, const char* hint) {
    if (refused)
      fail(parameters[key],
           fmt::format("parameters.{} \"{}\" is not for ground with a profile", key, parameters[key].text()), hint);
  };
  const std::string domain = parameters["domain"].text(), solution = parameters["solution"].text();
  refuse("domain", domain == "inside" || domain == "outside", "Use \"ground\" or \"auto\".");
  refuse("rules", parameters["rules"].text() == "classical", "Use \"adaptive\".");
  refuse("solution", solution == "gmres" || solution == "compressed", "Use \"auto\" or \"direct\".");
  refuse("symmetry", parameters["symmetry"].text() != "none",
         "Leave it out, and give whole foundations: there is no ground to be meshed.");
  const Values o = input["output"];
  if (o["insertion_loss"].boolean())
    fail(o["insertion_loss"], "ground with a profile has no trenches", "Switch output.insertion_loss off.");
  if (const std::string exact = o["exact"].text();
      exact == "cavity" || (exact == "veletsos-verbic" && !made.layers.empty()))
    fail(o["exact"], fmt::format("the overlay \"{}\" is not that of this ground", exact),
         "Set output.exact to \"none\"; \"veletsos-verbic\" is that of a half-space.");
  p.profile = std::move(made);
}

void ProblemReader::frequencies() {
  const Values f = input["parameters"]["frequencies"];
  p.frequencies = read_frequencies(input, f, StepRounding::quotient_first, out);
  if (p.frequencies.empty()) fail(f, "the case has no frequency", "Give \"values\" or \"from\", \"to\" and \"count\".");
}

void ProblemReader::boundaries() {
  const Values list = input["boundaries"];
  // The program's own rock is held where nothing else is said of it.
  if (has("ground") && input["ground"].has("rock"))
    if (const int c = condition(input["ground"], "rock"); c > 0 && !sides.contains("rock"))
      p.conditions[static_cast<std::size_t>(c)].displacement = {true, true, true};
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Values b = list.at(k);
    const std::string kind = b["kind"].text(), name = b["group"].text();
    if (kind == "enclosing" && p.profile) {
      fail(b, "ground with a profile is level, and needs no enclosing groups", "Leave it out.");
      continue;
    }
    if (kind == "enclosing" && !p.regions.empty()) {
      fail(b, "enclosing groups close the surface of one medium", "Leave it out: the program closes curved ground.");
      continue;
    }
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

void ProblemReader::foundations() {
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
      else if (other.name == f.name)  // a machine or a structure would move the first
        fail(v["name"], fmt::format("two foundations are called '{}'", f.name), "Give each its own name.");
    const std::string contact = v["contact"].text();
    f.contact = choice<Contact>(
        v["contact"], {{"welded", Contact::welded}, {"smooth", Contact::smooth}, {"tangential", Contact::tangential}});
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
    inertia(v, f);
    if (v.has("beam")) beam(v, f);
    p.foundations.push_back(f);
  }
}

void ProblemReader::loads() {
  const Values list = input["excitation"]["loads"];
  tell_apart(list, "loads");
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Values v = list.at(k);
    const std::string kind = v["kind"].text();
    Load l;
    l.name = name_or_number(v, "load ", k + 1);
    if (kind == "wave") {
      l.kind = LoadKind::wave;
      l.wave.kind = choice<WaveKind>(v["wave"], {{"p", WaveKind::p},
                                                 {"sv", WaveKind::sv},
                                                 {"sh", WaveKind::sh},
                                                 {"rayleigh", WaveKind::rayleigh},
                                                 {"love", WaveKind::love}});
      l.wave.mode = static_cast<int>(v["mode"].integer());
      if (l.wave.mode > 0 && !is_surface_wave(l.wave.kind))
        fail(v["mode"], fmt::format("a {} wave has no modes", v["wave"].text()),
             "Leave out \"mode\", or use rayleigh or love.");
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
      const auto it =
          std::find_if(p.foundations.begin(), p.foundations.end(), [&](const Foundation& f) { return f.name == name; });
      if (it == p.foundations.end()) {
        fail(v, fmt::format("there is no foundation '{}'", name), "Name one of the case's foundations.");
        continue;
      }
      l.foundation = static_cast<std::size_t>(it - p.foundations.begin());
      const Vec3 f = v["force"].vec3(), m = v["moment"].vec3();
      l.wrench = {f[0], f[1], f[2], m[0], m[1], m[2]};
      l.rotating = v["rotating"].boolean();
      machine_is_resisted(v, l);
    } else {
      l.condition = condition(v, v["group"].text());
      if (l.condition < 0) {
        if (l.condition == -1) fail(v, "an enclosing group carries no load", "Load another group.");
        continue;
      }
      const auto& given = p.conditions[static_cast<std::size_t>(l.condition)].displacement;
      l.kind = choice<LoadKind>(v["kind"], {{"traction", LoadKind::traction},
                                            {"pressure", LoadKind::pressure},
                                            {"force", LoadKind::force},
                                            {"moving", LoadKind::moving},
                                            {"displacement", LoadKind::displacement}});
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

void ProblemReader::observers() {
  const Values o = input["output"];
  for (const char* list : {"receivers", "lines", "planes"}) tell_apart(o[list], list);
  for (std::size_t k = 0; k < o["receivers"].size(); ++k) {
    const Values r = o["receivers"].at(k);
    p.receiver_names.push_back(name_or_number(r, "R", k + 1));
    p.receivers.push_back(r["position"].vec3());
  }
  for (std::size_t k = 0; k < o["lines"].size(); ++k) {
    const Values l = o["lines"].at(k);
    p.lines.push_back({name_or_number(l, "line ", k + 1), l["from"].vec3(), l["to"].vec3(), l["count"].integer()});
  }
  for (std::size_t k = 0; k < o["planes"].size(); ++k)
    p.planes.push_back(read_plane(input, o["planes"].at(k), k + 1, out));
  p.stresses = o["stresses"].boolean();
  p.third_octaves = o["third_octaves"].boolean();
  p.level_reference = o["level_reference"].number();
  p.exact = o["exact"].text();
  if (p.exact != "none" && !p.regions.empty())
    fail(o["exact"], "the overlays are those of one medium", "Set output.exact to \"none\".");
}

void ProblemReader::signal() {
  if (!has("excitation") || !input["excitation"].has("signal")) return;
  const Values s = input["excitation"]["signal"];
  if (p.loads.empty()) {
    fail(s, "a signal without loads moves nothing", "Give excitation.loads.");
    return;
  }
  if (p.receivers.empty()) {
    fail(s, "a signal without receivers is seen nowhere", "Give output.receivers.");
    return;
  }
  for (const Load& l : p.loads)
    if (l.kind == LoadKind::moving || (l.kind == LoadKind::machine && l.rotating)) {
      fail(s,
           l.kind == LoadKind::moving ? "the answers to a moving load are spectra of its passage already"
                                      : "an unbalance has another force at each speed, which no signal over time has",
           "Leave out the signal, or that load.");
      return;
    }
  const std::string quantity = s["quantity"].text();
  Signal made;
  made.kind = choice<SignalKind>(s["quantity"], {{"factor", SignalKind::factor},
                                                 {"displacement", SignalKind::displacement},
                                                 {"velocity", SignalKind::velocity},
                                                 {"acceleration", SignalKind::acceleration}});
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
         fmt::format("the signal lasts {}, and frequencies in steps of {} tell of {} only", format_quantity(lasts, "s"),
                     format_quantity(made.steps.step, "Hz"), format_quantity(made.steps.period(), "s")),
         fmt::format("Use steps below {}, or a shorter signal.", format_quantity(1 / lasts, "Hz")));
  else if (made.table.times.front() < -1e-9 * made.steps.period() ||
           made.table.times.back() > (1 + 1e-9) * made.steps.period())
    // Repeated, it would be seen at other times than its own.
    fail(s["file"],
         fmt::format("the signal goes from {} to {}, what is seen of it from 0 s to {}",
                     format_quantity(made.table.times.front(), "s"), format_quantity(made.table.times.back(), "s"),
                     format_quantity(made.steps.period(), "s")),
         "Shift its times so that it begins at 0 s, or use smaller steps of the frequencies.");
  p.signal = std::move(made);
}

void ProblemReader::turn() {
  const SurfaceReport report = check_surface(*p.scene.mesh, 1);
  if (report.inconsistent_edge_count == 0 || report.non_manifold_edge_count > 0) return;
  Mesh turned = *p.scene.mesh;
  const OrientationChange change = orient_outward(turned);
  if (!change.orientable) return;
  warn(input["mesh"],
       fmt::format("{} flipped cells of the surface ran against their neighbours and were turned round", change.turned),
       "Nothing needs to be done; in gmsh, `Reverse Surface` or consistent curve loops turn them in the geometry.");
  p.scene.mesh = std::make_shared<const Mesh>(std::move(turned));
}

}  // namespace conoid::elastic_bem

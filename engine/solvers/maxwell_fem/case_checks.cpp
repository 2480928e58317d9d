// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a case beyond its schema: groups, elements against waves and sizes, memory.
#include "engine/case/case_reader.hpp"
#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/maxwell_fem/case_dipoles.hpp"
#include "engine/solvers/maxwell_fem/discretization/impedance.hpp"
#include "engine/solvers/maxwell_fem/discretization/layout.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/mesh/conditions.hpp"
#include "engine/solvers/maxwell_fem/mesh/facets.hpp"
#include "engine/solvers/maxwell_fem/solving/amplitudes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

/// Edges in wavelengths up to which the mean error stays below a tenth of a decibel (spheres of ka = 4 and 8 of order 2: 0.01 dB
/// at 0.26, 0.03 at 0.37, 0.08 at 0.46, 0.24 at 0.59); beyond one and a half of that an answer is refused.
double edge_limit(int order) {
  return order == 1 ? 0.15 : 0.4;
}
constexpr double refused = 1.5;
/// A wave ends within the surface of a material of such an index that loses as much as it stores; unresolved, it acts as a metal,
/// and the error stays below that of a surface impedance of 1/index: half a decibel.
constexpr double nearly_metal = 25;
/// Of the echo, dB, below which nothing is said of facets: what edges, rows and rims are kept to as well.
constexpr double told_error = 0.1;
/// Of the length of elements at the rim of a sheet.
constexpr double rim_shift = 0.175;
/// Times the body's size below which the digits of the matrix do not suffice: measured on spheres, 0.0003 dB at 1e-4, 0.1 dB at
/// 1e-5, nothing at 1e-6.
constexpr double small_wave_number = 0.9e-4, smallest_wave_number = 0.9e-5;

/// And below which elements of order 1 are off in materials: balls of permittivity 2.5 with 3 divisions by 5 % and 0.03 rad at 0.1, 7 and 0.05 at
/// 0.05, 12 and 0.12 at 0.02, 83 at 0.002 (conductors, and order 2: the same at all).
constexpr double least_of_order_1 = 0.05;

/// Index from which on a body may ring so long that a shift of its resonance by the elements is what its echo is off by: with a permittivity of
/// 38 half a decibel on elements whose error elsewhere is a twentieth of that.
constexpr double may_ring = 3;

bool absorbs(const Problem& s, int material) {
  const Medium m = s.laws[static_cast<std::size_t>(material)](s.frequencies.back());
  const Complex n = std::sqrt(m.epsilon[0] * m.mu[1]);
  return std::abs(n.imag()) > 0.3 * std::abs(n);
}

struct Checker : CaseReader {
  Checker(const Case& input_, std::vector<Diagnostic>& out_, const Problem& s_, const Values& place_)
      : CaseReader(input_, out_), s(s_), place(place_) {}

  const Problem& s;  ///< of one band
  Values place;

  [[nodiscard]] double shortest() const { return light_speed / s.frequencies.back(); }

  /// A skin within which elements cannot follow the field: the conductor then loses what the elements make of it, not what it loses.
  [[nodiscard]] bool told_of_thin_skin(double longest, int material, double limit) const {
    for (const double f : {s.frequencies.front(), s.frequencies.back()}) {
      const Medium m = s.laws[static_cast<std::size_t>(material)](f);
      const Complex n = std::sqrt(m.epsilon[0] * m.mu[1]);
      const double wave = light_speed / f, skin = wave / (2 * pi * std::abs(n.imag()));
      if (std::abs(n) < nearly_metal || std::abs(n.imag()) < 0.3 * std::abs(n) || longest * std::abs(n) < limit * wave)
        continue;
      warn(place,
           fmt::format("the field reaches {} into '{}' at {}, and its elements are {} long", format_quantity(skin, "m"),
                       s.material_names[material], format_quantity(f, "Hz"), format_quantity(longest, "m")),
           "The echo is that of a conductor, within half a decibel, but absorbed power is not that of this one: give "
           "it as a "
           "surface (body or boundaries, kind metal with its conductivity) where that counts.");
      return true;
    }
    return false;
  }

  /// The longest edge in a material against the wave there. `refine`: what to do, given the edge that is wanted in metres.
  template <class Refine>
  void edges(double longest, int material, const Refine& refine, double shorter = 1) const {
    const double index = refractive_index(s, material), limit = edge_limit(s.domain.order) * shorter;
    const double in_waves = longest * index / shortest();
    if (told_of_thin_skin(longest, material, limit) || in_waves <= limit) return;
    const std::string text =
        fmt::format("edges of {} in '{}' are {:.2f} wavelengths long at {}", format_quantity(longest, "m"),
                    s.material_names[material], in_waves, format_quantity(s.frequencies.back(), "Hz"));
    const double wanted = limit / 1.6 * shortest() / index;
    const bool error =
        in_waves > refused * edge_limit(s.domain.order) && !(index > nearly_metal && absorbs(s, material));
    if (error)
      fail(place, text, "Elements are too coarse: " + refine(wanted) + ", or lower the frequency.");
    else
      warn(place, text,
           fmt::format("Errors stay below a tenth of a decibel{} if you {}.",
                       index > may_ring && !absorbs(s, material)
                           ? ", but beside resonances (output.error_bar tells them there),"
                           : "",
                       refine(wanted)));
  }

  void smallness(double size) const {
    const double lowest = 2 * pi * s.frequencies.front() / light_speed * size;
    if (s.domain.order == 1 && s.laws.size() > 1 && lowest < least_of_order_1)
      out.push_back(input.warning_at(
          input["parameters"]["order"],
          fmt::format("elements of order 1 in a body of {:.2g} wavelengths at {}",
                      2 * size * s.frequencies.front() / light_speed, format_quantity(s.frequencies.front(), "Hz")),
          "What they leave of gradients on S turns the phase of so small a body's echo and absorbs: use order 2."));
    if (!(size > 0) || lowest >= small_wave_number) return;
    const std::string text =
        fmt::format("the body is {:.2g} wavelengths large at {}", 2 * size * s.frequencies.front() / light_speed,
                    format_quantity(s.frequencies.front(), "Hz"));
    const std::string hint = fmt::format(
        "So small a body scatters with the fourth power of the frequency, if its materials do not change: compute it "
        "at {} and scale.",
        format_quantity(1e-3 * light_speed / (2 * pi * size), "Hz"));
    lowest < smallest_wave_number ? fail(place, text + ": its echo would drown in rounding errors", hint)
                                  : warn(place, text + ": rounding errors may reach a tenth of a decibel", hint);
  }

  void sphere() const {
    const SphereEdges e = sphere_edges(s);
    const double ringing =
        s.sphere->core_material > 0 ? shorter_inside(s, s.sphere->core_material, s.sphere->radius) : 1;
    // The divisions (and rows, where they are what is too thick) with which no edge is too long.
    const auto refine = [&](double) {
      Problem finer = s;
      SphereSetting& p = *finer.sphere;
      const double wanted = 0.9 * edge_limit(s.domain.order) * shortest();
      const auto fits = [&](double edge, int material, double shorter = 1) {
        const double n = material < 0 ? 0 : refractive_index(s, material);
        return edge * n <= wanted * shorter || (n > nearly_metal && absorbs(s, std::max(0, material)));
      };
      for (int step = 0; step < 400; ++step) {
        const SphereEdges now = sphere_edges(finer);
        const bool vacuum = fits(now.vacuum, 0), coat = fits(now.coat, p.coat > 0 ? p.coat_material : -1),
                   core = fits(now.core, p.core_material > 0 ? p.core_material : -1, ringing);
        if (vacuum && coat && core) break;
        ++p.divisions;
        if (!vacuum && sphere_distance(s) / p.layers > 0.4 * wanted) ++p.layers;
        if (!coat && p.coat / p.coat_layers * refractive_index(s, p.coat_material) > 0.4 * wanted) ++p.coat_layers;
      }
      std::string text = fmt::format("set sphere.divisions to {}", p.divisions);
      if (p.layers != s.sphere->layers) text += fmt::format(", sphere.layers to {}", p.layers);
      if (p.coat_layers != s.sphere->coat_layers) text += fmt::format(", sphere.coat.layers to {}", p.coat_layers);
      return text;
    };
    const std::size_t before = out.size();
    edges(e.vacuum, 0, refine);
    if (e.coat > 0 && out.size() == before) edges(e.coat, s.sphere->coat_material, refine);
    if (e.core > 0 && out.size() == before) edges(e.core, s.sphere->core_material, refine, ringing);
    const double radius = s.sphere->radius + s.sphere->coat;
    if (out.size() == before && sphere_distance(s) / s.sphere->layers > 0.5 * radius && s.domain.order == 2)
      warn(place,
           fmt::format("rows of elements are {} thick around a sphere of {}",
                       format_quantity(sphere_distance(s) / s.sphere->layers, "m"), format_quantity(radius, "m")),
           "The static field falls with the cube of the distance: two rows follow it (sphere.layers).");
    smallness(radius);
  }

  /// A metal with its coats is opaque: what is one side of it does not act on the other one as a resistive sheet does.
  void metal_sheets(const Mesh& mesh, const Space& space) const {
    for (const auto& [name, boundary] : s.domain.boundaries) {
      const MeshGroup* group = mesh.group(name);
      const Values at = input["boundaries"][name];
      if (group == nullptr || at["kind"].text() != "metal") continue;
      if (std::ranges::any_of(group->cells, [&](Index c) {
            const auto n = mesh.nodes(c);
            const Index face = space.find_face({n[0], n[1], n[2]});
            return face >= 0 && space.sides(face).tet[1] >= 0;
          }))
        fail(at, fmt::format("the group '{}' is a metal without thickness: elements on both sides of a face", name),
             "Use pec, or impedance for a resistive sheet that fields pass; or cut the volume out of the mesh behind "
             "the metal.");
    }
  }

  void volume(const Mesh& mesh) const {
    const Domain& domain = *s.mesh.domain;
    const Space& space = domain.space;
    metal_sheets(mesh, space);
    std::vector<double> longest(s.laws.size(), 0);
    for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t) {
      double& l = longest[space.tets()[t].region];
      l = std::max(l, space.longest_edge(t));
    }
    for (std::size_t m = 0; m < longest.size(); ++m)
      if (longest[m] > 0)
        edges(longest[m], static_cast<int>(m),
              [](double wanted) { return "refine to " + format_quantity(wanted, "m") + " there"; });
    folds(mesh, domain);
    if (!s.geometry) {
      std::vector<Index> cells;
      for (const auto& [name, boundary] : s.domain.boundaries)
        if (boundary.kind != BoundaryKind::outer && boundary.kind != BoundaryKind::currents)
          for (const MeshGroup& g : mesh.groups())
            if (g.name == name && g.dimension == 2) cells.insert(cells.end(), g.cells.begin(), g.cells.end());
      facets(mesh, cells, 3 / held(domain).first);
    }
    layer(mesh, domain);
  }

  /// Coarse curved elements in a thin layer can fold over: the map must not change its sign.
  void folds(const Mesh& mesh, const Domain& domain) const {
    const Space& space = domain.space;
    Index folded = 0, first = -1;
    for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t) {
      const double whole = space.map(t, {0.25, 0.25, 0.25}).determinant;
      bool turns = false;
      for (const Vec3& corner : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
        turns = turns || !(space.map(t, corner).determinant * whole > 0);
      if (turns && folded++ == 0) first = t;
    }
    if (folded == 0) return;
    const Vec3 x = mesh.point(space.tets()[first].points[0]);
    warn(place,
         fmt::format("{} curved elements are folded, one of them at ({:.4g}, {:.4g}, {:.4g}) m", folded, x[0], x[1],
                     x[2]),
         "Results lose accuracy there: refine where surfaces bend, or let the mesher optimise "
         "elements of second order.");
  }

  /// Elements cannot follow the singular field at the rim of a sheet, which acts as if it lay `rim_shift` of an element farther out
  /// (measured on a conducting disc of ka = 0.1: 0.147 with elements of a fifth of the radius, whose polygon is smaller than the
  /// disc, 0.172 with a tenth, 0.175 with a sixteenth, which grow to half the radius at its middle; 0.24 where a tenth grows to that
  /// within 0.6 of the radius). The echo of a sheet that is small against the wave goes with the sixth power of its size; at ka = 1,
  /// near the disc's resonance, with the 7.6th. With n layers there (mesh/grading.hpp) a share of 0.076 + 1.12/(n + 1)² is left: measured 0.20,
  /// 0.147, 0.122, 0.107 with 2 to 5, elements of a fifth.
  void rims(const Mesh& mesh) const {
    std::map<std::array<Index, 2>, int> faces;
    for (const auto& [name, boundary] : s.domain.boundaries) {
      const MeshGroup* group = mesh.group(name);
      if (group == nullptr || boundary.kind == BoundaryKind::outer || boundary.kind == BoundaryKind::currents) continue;
      for (Index c : group->cells)
        for (int k = 0; k < 3 && mesh.nodes(c).size() >= 3; ++k) {
          const Index a = mesh.nodes(c)[k], b = mesh.nodes(c)[(k + 1) % 3];
          ++faces[{std::min(a, b), std::max(a, b)}];
        }
    }
    double edge = 0;
    Vec3 low{}, high{};
    bool any = false;
    for (const auto& [ends, count] : faces) {
      if (count != 1) continue;
      edge = std::max(edge, distance(mesh.point(ends[0]), mesh.point(ends[1])));
      for (Index p : ends) {
        for (int d = 0; d < 3; ++d) {
          const double x = mesh.point(p)[d];
          low[d] = any ? std::min(low[d], x) : x;
          high[d] = any ? std::max(high[d], x) : x;
        }
        any = true;
      }
    }
    if (!any) return;
    const double size = 0.5 * std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    const double n = s.edges.layers + 1.0, left = n > 1 ? std::min(1.0, 0.076 + 1.12 / (n * n)) : 1;
    const double error = 60 * std::log10(1 + left * rim_shift * edge / size);
    if (error > told_error)
      warn(place,
           fmt::format("elements at the rim of a sheet are {} long{}: it acts as if it were wider by about {:.2g} of "
                       "that on each side; its echo is off by some {:.2g} dB, by more near a resonance or where "
                       "elements grow fast from there",
                       format_quantity(edge, "m"),
                       n > 1 ? fmt::format(" and cut into {} layers", n - 1) : std::string(), left * rim_shift, error),
           n > 1 ? "Refine at the rim: the error falls with the length of the elements there."
                 : "Leave parameters.edge_layers at its default, or refine at the rim: the error falls with the length "
                   "of the elements there.");
  }

  /// Flat facets where the body is curved. The echo's amplitude changes with the volume, by ∂V/V = δ A/V, and with the ways of the
  /// waves, by 2kδ, δ the mean distance between facets and body. Against what was computed: spheres of ka = 1, 2 and 4 with 180
  /// facets 0.84, 1.14 and 1.73 dB, the largest error at any angle 0.69, 0.93 and 1.89 and the mean one 0.31 to 0.35 (with 720: 0.22
  /// and 0.30, 0.17 and 0.21); an almond of three wavelengths 1.5 dB, mean of VV 1.3. `area_per_volume`: A/V, 1/m.
  void facets(const Mesh& mesh, std::span<const Index> cells, double area_per_volume) const {
    const Facets f = measure_facets(mesh, cells);
    const double change = f.mean * (area_per_volume + 4 * pi / shortest());
    const double error = 20 * std::log10(1 + change);
    if (f.count == 0 || error < told_error) return;
    // δ goes with the square of the edges.
    const double enough = std::sqrt((std::pow(10, told_error / 20) - 1) / change);
    warn(
        place,
        fmt::format(
            "{} flat facets stand for a curved surface, which lies up to {} off them ({:.2g} wavelengths at {}; "
            "bends of {:.0f} degrees near ({:.4g}, {:.4g}, {:.4g}) m): the echo may be off by some {:.2g} dB",
            f.count, format_quantity(f.largest, "m"), f.largest / shortest(),
            format_quantity(s.frequencies.back(), "Hz"), f.bend * 180 / pi, f.where[0], f.where[1], f.where[2], error),
        fmt::format(
            "Give the geometry itself (STEP, .geo), or a mesh of second order (Mesh.ElementOrder = 2 in gmsh), or "
            "facets with edges {:.2g} times as long, made from the curved surface: cutting flat ones does not help. If "
            "the bends are the body's own edges, nothing is wrong.",
            enough));
  }

  /// Half the longest side of what S' holds, and its middle.
  static std::pair<double, Vec3> held(const Domain& domain) {
    Vec3 low = domain.currents.point(0).x, high = low;
    for (Index p = 0; p < domain.currents.size(); ++p)
      for (int d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], domain.currents.point(p).x[d]);
        high[d] = std::max(high[d], domain.currents.point(p).x[d]);
      }
    return {0.5 * std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]}), scale(0.5, add(low, high))};
  }

  /// The vacuum up to a given S against the wave and the size of what S' holds.
  void layer(const Mesh& mesh, const Domain& domain) const {
    const auto [size, centre] = held(domain);
    smallness(size);
    rims(mesh);
    if (domain.distance < std::min(0.05 * shortest(), 0.1 * size))
      warn(input["boundaries"], fmt::format("S' and S are {:.3f} wavelengths apart", domain.distance / shortest()),
           fmt::format("{} need fewer iterations.", format_quantity(std::min(0.15 * shortest(), 0.5 * size), "m")));
    double coarse = 0, away = 0;
    for (Index t = 0; t < static_cast<Index>(domain.space.tets().size()); ++t) {
      if (!domain.outside[t]) continue;
      const double r = distance(domain.space.map(t, {0.25, 0.25, 0.25}).x, centre), edge = domain.space.longest_edge(t);
      if (r > 1.5 * size && edge / r > coarse) {
        coarse = edge / r;
        away = r;
      }
    }
    if (coarse > 1 && 2 * size < 0.2 * shortest())
      warn(place,
           fmt::format("elements of {} lie {} from the middle of a body of {}", format_quantity(coarse * away, "m"),
                       format_quantity(away, "m"), format_quantity(2 * size, "m")),
           fmt::format(
               "The field of a body smaller than the wave falls with the cube of the distance: put S at {} from it, "
               "or keep elements below half their distance.",
               format_quantity(0.8 * size, "m")));
  }

  /// Conditions of groups of the surface that the program meshes around.
  void conditions(const Mesh& given, const Mesh& skin) const {
    if (!s.domain.regions.empty())
      fail(input["regions"], "the mesh is a surface only and holds no materials",
           "Say what is inside of it in the section body, or mesh the volume.");
    std::vector<std::string> names;
    for (const auto& [name, boundary] : s.domain.boundaries) {
      names.push_back(name);
      const Values at = input["boundaries"][name];
      if (boundary.kind == BoundaryKind::outer || boundary.kind == BoundaryKind::currents)
        fail(at, "the mesh is a surface only, around which the program puts S and S'",
             "Leave this group out, or mesh the volume between the body and S.");
      if (s.body_material > 0 && (boundary.kind == BoundaryKind::pmc || at["kind"].text() == "metal"))
        fail(at, fmt::format("a surface of a filled body cannot be of the kind {}", at["kind"].text()),
             "Fields are on both sides of it: use pec, or impedance for a resistive sheet.");
    }
    if (const std::string problem = why_no_conditions(given, skin, names); !problem.empty())
      fail(input["boundaries"], problem,
           "Conditions are for groups of the body's surface: a geometry script names them (Merge \"body.step\"; "
           "Physical "
           "Surface(\"nose\") = {3};). If the mesh is the space around the body, give its outermost surface the kind "
           "outer.");
  }

  /// Points of the surface from which all edges run within a narrow cone.
  void tip(const Mesh& mesh) const {
    constexpr double told = 15 * pi / 180;  // half of its angle
    if (s.error_bar || s.body_material > 0) return;
    struct Edges {
      Vec3 sum{};
      double least = 1;  ///< cosine to the axis
    };
    std::vector<Edges> of(static_cast<std::size_t>(mesh.point_count()));
    const auto each_edge = [&mesh](const auto& see) {
      for (Index c = 0; c < mesh.cell_count(); ++c) {
        const auto corners = mesh.nodes(c).first(static_cast<std::size_t>(corners_of(mesh.shapes()[c])));
        for (std::size_t k = 0; k < corners.size(); ++k) {
          const Index from = corners[k], to = corners[(k + 1) % corners.size()];
          see(from, sub(mesh.point(to), mesh.point(from)));
          see(to, sub(mesh.point(from), mesh.point(to)));
        }
      }
    };
    each_edge([&of](Index n, const Vec3& d) {
      of[static_cast<std::size_t>(n)].sum = add(of[static_cast<std::size_t>(n)].sum, scale(1 / norm(d), d));
    });
    each_edge([&of](Index n, const Vec3& d) {
      Edges& e = of[static_cast<std::size_t>(n)];
      e.least = std::min(e.least, dot(d, e.sum) / std::max(1e-300, norm(d) * norm(e.sum)));
    });
    const auto sharpest =
        std::ranges::max_element(of, {}, [](const Edges& e) { return norm(e.sum) > 0 ? e.least : -1.0; });
    if (sharpest == of.end() || !(norm(sharpest->sum) > 0) || sharpest->least < std::cos(told)) return;
    const Vec3 x = mesh.point(sharpest - of.begin());
    warn(place,
         fmt::format("the body ends in a tip of {:.0f} degrees at ({:.4g}, {:.4g}, {:.4g}) m, where currents are "
                     "singular: echoes of waves that run along it, E in the plane of its axis, may be off by a decibel "
                     "and more",
                     2 * std::acos(std::min(1.0, sharpest->least)) * 180 / pi, x[0], x[1], x[2]),
         "Make triangles smaller towards the tip, and ask for output.error_bar.");
  }

  void surface(const Mesh& given, const Mesh& mesh) const {
    const auto report = check_surface(mesh);
    if (!report.closed()) {
      fail(place, "the surface is " + explain(report, mesh),
           "Close it: the program can only put a layer around a closed body. Sheets without thickness are groups of "
           "faces among elements: mesh a volume around them that ends at S, a group of kind outer.");
    } else if (!report.manifold() || report.collapsed_cell_count > 0) {
      fail(place, "the surface is not a body: " + explain(report, mesh), "Repair it in the geometry's program.");
    } else if (const auto cuts = self_intersections(mesh, 1); !cuts.empty()) {
      const Vec3 x = mesh.point(mesh.nodes(cuts[0][0])[0]);
      fail(place,
           fmt::format("the surface cuts itself: cells {} and {}, near ({:.4g}, {:.4g}, {:.4g}) m", cuts[0][0],
                       cuts[0][1], x[0], x[1], x[2]),
           "Unite the parts before meshing.");
    }
    conditions(given, mesh);
    if (!good()) return;
    const BodyMeasure& body = s.mesh.body;
    smallness(body.size);
    tip(mesh);
    if (!s.geometry) {
      std::vector<Index> cells(static_cast<std::size_t>(mesh.cell_count()));
      std::iota(cells.begin(), cells.end(), Index{0});
      facets(mesh, cells, body.area / std::max(std::abs(report.volume), 1e-3 * std::pow(body.size, 3)));
      const Layout layout = layout_around(s, body);
      const bool triangles = std::all_of(mesh.shapes().begin(), mesh.shapes().end(),
                                         [](CellShape c) { return dimension_of(c) != 2 || corners_of(c) == 3; });
      if (layout.parts > 1 && !triangles)
        fail(place,
             fmt::format("edges of the surface reach {}, {:.2f} wavelengths at {}, and it has quadrilaterals",
                         format_quantity(body.edge, "m"), body.edge / shortest(),
                         format_quantity(s.frequencies.back(), "Hz")),
             "Elements are too coarse: mesh it with triangles, which the program refines.");
      if (body.cells * layout.parts * layout.parts > 2e6)
        fail(place, "the surface of the body would need more than two million triangles",
             "The body is very many wavelengths large: lower the frequency or the size.");
    }
  }
};

Values place_of_body(const Case& input, const Problem& s) {
  return s.sphere ? input["sphere"] : input["mesh"];
}

}  // namespace

std::vector<Diagnostic> check_memory(const Case& input, const Problem& s, Bytes budget) {
  Index unknowns = 0;
  Bytes needed = 0;
  for (const Band& band : bands_of(s)) {
    const Problem part = in_band(s, band);
    const Index n = expected_unknowns(part);
    const Bytes bytes =
        expected_memory(part, n, thin_rows(part), 1, static_cast<double>(n) / 5.5, static_cast<double>(budget));
    if (bytes > needed) {
      needed = bytes;
      unknowns = n;
    }
  }
  if (needed <= 2 * budget) return {};  // half of the factors may go to disk
  const double ratio = static_cast<double>(needed) / static_cast<double>(budget);
  Diagnostic d = input.error_at(
      place_of_body(input, s),
      fmt::format("about {} unknowns need {}, the budget is {}", unknowns, format_bytes(needed), format_bytes(budget)),
      fmt::format("About {} unknowns would fit: coarsen the mesh by a factor of {:.2f} in edge length, use order 1, "
                  "or raise compute.memory.host.",
                  static_cast<Index>(static_cast<double>(unknowns) * std::pow(ratio, -0.75)), std::pow(ratio, 0.25)));
  d.code = ErrorCode::resources;
  return {std::move(d)};
}

namespace {

/// The text of the case that MeshFacts follow from, but for the first band's mesh.
std::string mesh_follows_from(const Case& input) {
  std::string out;
  const Json& all = input.values().json();
  const auto add = [&out](const Json& part, const char* key) {
    if (part.contains(key)) out += compact_json(part[key]) + '\n';
  };
  for (const char* part : {"mesh", "sphere", "regions", "boundaries", "body"}) add(all, part);
  if (all.contains("parameters"))
    for (const char* key : {"order", "layers_off", "edge_layers", "edge_angle"}) add(all["parameters"], key);
  // Regions hold numbers of materials; impedances of metals under coats hold their laws.
  if (out.find("\"metal\"") != std::string::npos) add(all, "materials");
  for (const std::string& name : input["materials"].keys()) out += name + '\n';
  return out;
}

/// And the first band's mesh: around a built-in sphere it follows the wave.
std::string first_mesh_follows_from(const Problem& s, const std::string& from) {
  std::string out = from;
  if (!s.sphere) return out;
  for (const double f : s.frequencies) out += fmt::format("{} ", f);
  return out + fmt::format("{} {}", s.distance, s.fast.has_value());
}

/// Puts what the mesh comes to into the problem, of `before` what it can.
Status look_at_mesh_or_take_over(const Case& input, Problem& s, const std::shared_ptr<const Mesh>& given,
                                 const Problem* before) {
  const std::string from = mesh_follows_from(input), first_from = first_mesh_follows_from(s, from);
  if (before != nullptr && before->mesh.known && before->mesh.from == from) {
    s.mesh = before->mesh;
    if (s.mesh.domain) s.mesh.domain->space.lies_in(*given);
    if (s.mesh.first_from != first_from) {
      s.mesh.first.reset();
      s.mesh.counted.reset();
    } else if (s.mesh.first && !s.mesh.first->mesh) {
      s.mesh.first->domain->space.lies_in(*given);
    }
  } else {
    if (Status seen = look_at_mesh(s, given); !seen) return seen;
    log::debug("maxwell-fem: {} was made of the case", s.sphere ? "a sphere" : s.mesh.bare ? "a surface" : "a domain");
  }
  s.mesh.from = from;
  s.mesh.first_from = first_from;
  return {};
}

}  // namespace

namespace {

/// Images and range profiles repeat: what lies farther out than half of that from the origin is drawn where nothing is.
void check_what_is_folded(const Case& input, std::vector<Diagnostic>& out, const Problem& s, const Mesh* mesh) {
  const auto reach = [&](const Vec3& along) {
    if (s.sphere) return s.sphere->radius + s.sphere->coat;
    double far = 0;
    if (s.mesh.domain) {  // the mesh reaches up to S
      const Patch& inner = s.mesh.domain->currents;
      for (Index p = 0; p < inner.size(); ++p) far = std::max(far, std::abs(dot(inner.point(p).x, along)));
    } else if (mesh != nullptr) {
      for (Index p = 0; p < mesh->point_count(); ++p) far = std::max(far, std::abs(dot(mesh->point(p), along)));
    }
    return far;
  };
  const auto folded = [&](const Values& at, const char* what, const Vec3& along, double width, const char* hint) {
    if (const double far = reach(along); far > 0.5 * width)
      out.push_back(input.warning_at(
          at,
          fmt::format(
              "the body reaches {} {} from the origin of coordinates, and what lies beyond {} is drawn elsewhere",
              format_quantity(far, "m"), what, format_quantity(0.5 * width, "m")),
          hint));
  };
  const Values output = input.values()["output"];
  constexpr const char *finer = "Take more frequencies, or move the body to the origin (mesh.translate).",
                       *closer = "Take more directions, or move the body to the origin (mesh.translate).";
  const double band = s.frequencies.back() - s.frequencies.front();
  if (s.range_profile && band > 0)
    folded(output["range_profile"], "in range", s.incidences()[0].radial(),
           light_speed / 2 * static_cast<double>(s.frequencies.size() - 1) / band, finer);
  if (!s.isar) return;
  const IsarFrame frame = isar_frame(s.frequencies, *s.monostatic);
  folded(output["isar"], "in range", frame.down, frame.range_width, finer);
  folded(output["isar"], "across", frame.across, frame.cross_width, closer);
}

/// Numbers without a unit are radians: 30 of them point somewhere, too. Who writes a unit means it: a sweep of "720 deg" goes round twice.
void check_angles(const Case& input, std::vector<Diagnostic>& out) {
  const Json& written = input.document().json();
  const auto has_unit = [&](const Values& value) {
    const Json::json_pointer at(value.pointer());
    return written.contains(at) && written[at].is_string();
  };
  const auto look = [&](const Values& at, std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const double angle = at[name].number(); std::abs(angle) > 2.001 * pi && !has_unit(at[name]))
        out.push_back(input.warning_at(at[name], fmt::format("{:.4g} rad are {:.4g} degrees", angle, angle * 180 / pi),
                                       fmt::format("Write \"{:.4g} deg\" if degrees are meant.", angle)));
  };
  const Values excitation = input["excitation"], cuts = input["output"]["cuts"];
  look(excitation, {"theta", "phi"});
  if (excitation.has("monostatic")) look(excitation["monostatic"], {"from", "to"});
  for (std::size_t k = 0; k < cuts.size(); ++k) look(cuts.at(k), {"fixed", "from", "to"});
}

/// What a surface impedance leaves out of a metal whose skin is not thin against a body of `inner` metres (three times its volume over its
/// surface: the radius of a ball), and whose currents are not large against those of displacement. Fitted to the Mie series of balls of
/// ka = 0.2, 1 and 3 with tangents of 6 to 1e5, amplitudes relative to the largest one: 3 z (skin/a)^2 + z/tangent is 0.9 to 2.4 times what is off.
void check_metal(const CaseReader& reader, const Problem& s, const Values& at, double inner) {
  if (at["kind"].text() != "metal" || !(at["conductivity"].number() > 0)) return;
  const double conductivity = at["conductivity"].number(), permeability = at["permeability"].number();
  double worst = 0, where = 0, deep = 0;
  for (const double f : {s.frequencies.front(), s.frequencies.back()}) {
    const double z = std::abs(metal_impedance(conductivity, permeability, f)) / vacuum_impedance,
                 tangent = conductivity * vacuum_impedance * light_speed / (2 * pi * f),
                 skin = std::sqrt(light_speed / (pi * f * permeability * vacuum_impedance * conductivity)),
                 off = (inner > 0 ? 3 * z * std::pow(skin / inner, 2) : 0.0) + z / tangent;
    if (off <= worst) continue;
    worst = off;
    where = f;
    deep = skin;
  }
  constexpr double no_metal = 3;  // dB
  const double error = 20 * std::log10(1 + worst);
  if (error < told_error) return;
  const std::string text = fmt::format(
      "{} S/m at {}: the field reaches {} into a body of {} inside, and a surface impedance leaves out some {:.2g} dB "
      "of the largest echo",
      at["conductivity"].number(), format_quantity(where, "Hz"), format_quantity(deep, "m"),
      format_quantity(inner, "m"), error);
  const char* hint =
      "A metal is opaque and a good conductor: give the inside as a material with this conductivity instead.";
  error > no_metal ? reader.fail(at["conductivity"], text, hint) : reader.warn(at["conductivity"], text, hint);
}

/// Metals of the body and of groups.
void check_metals(const Case& input, std::vector<Diagnostic>& out, const Problem& s, const Mesh* skin) {
  const CaseReader reader(input, out);
  const double inner = s.sphere        ? s.sphere->radius
                       : skin          ? 3 * std::abs(enclosed_volume(*skin)) / s.mesh.body.area
                       : s.mesh.domain ? Checker::held(*s.mesh.domain).first
                                       : 0.0;
  if (s.sphere || skin) check_metal(reader, s, input["body"], inner);
  for (const auto& [name, boundary] : s.domain.boundaries) check_metal(reader, s, input["boundaries"][name], inner);
}

}  // namespace

Reading<Problem> read_problem(const Case& input, const Mesh* mesh, const Problem* before) {
  Reading<Problem> out;
  Problem s = read_case(input, out.said);
  if (has_errors(out.said)) return out;
  const std::shared_ptr<const Mesh> given =
      mesh != nullptr ? std::shared_ptr<const Mesh>(std::shared_ptr<void>(), mesh) : nullptr;
  if (Status seen = look_at_mesh_or_take_over(input, s, given, before); !seen) {
    Diagnostic d = seen.error();
    d.place = input.document().place(d.text.find("region") != std::string::npos ? "/regions" : "/boundaries");
    out.said.push_back(std::move(d));
    return out;
  }
  const auto skin = bare_surface(s, given);
  const Values place = place_of_body(input, s);
  std::vector<Diagnostic>
      of_bands;  // one message for what all bands have in common, but no error of a later one is lost
  for (const Band& band : bands_of(s)) {
    const Problem part = in_band(s, band);
    std::vector<Diagnostic> here;
    const Checker checker(input, here, part, place);
    if (s.sphere) checker.sphere();
    if (skin) checker.surface(*mesh, *skin);
    if (!s.sphere && !skin && mesh != nullptr) checker.volume(*mesh);
    if (of_bands.empty() || has_errors(here)) of_bands = std::move(here);
    if (has_errors(of_bands)) break;
  }
  out.said.insert(out.said.end(), of_bands.begin(), of_bands.end());
  if (!has_errors(out.said)) check_what_is_folded(input, out.said, s, mesh);
  check_angles(input, out.said);
  if (!has_errors(out.said)) check_metals(input, out.said, s, skin.get());
  check_dipoles(CaseReader(input, out.said), s, skin.get());
  // Also with elements that are too coarse: the check says so, and tests compute on them.
  out.problem = std::make_unique<Problem>(std::move(s));
  return out;
}

}  // namespace conoid::maxwell_fem

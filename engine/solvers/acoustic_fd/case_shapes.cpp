// SPDX-License-Identifier: BSD-3-Clause
// Reads shapes of a case.
#include "engine/solvers/acoustic_fd/case_shapes.hpp"

#include "engine/case/expression.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/prepare.hpp"
#include "engine/models/model.hpp"
#include "engine/solvers/acoustic_fd/discretization/cut_walls.hpp"
#include "engine/solvers/acoustic_fd/discretization/initial_field.hpp"
#include "engine/solvers/acoustic_fd/discretization/mesh_solid.hpp"
#include "engine/solvers/acoustic_fd/discretization/points.hpp"
#include "engine/solvers/acoustic_fd/discretization/source_arrays.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

namespace {

template <class Inside>
ShapeMaker by_point(Inside inside) {
  return [inside] {
    return [inside](double x, double y, double z0, double dz, std::vector<unsigned char>& out) {
      for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = inside(Vec3{x, y, z0 + static_cast<double>(k) * dz}) ? 1 : 0;
    };
  };
}

ShapeMaker box_shape(const Vec3& lower, const Vec3& upper) {
  return by_point([lower, upper](const Vec3& p) {
    for (std::size_t a = 0; a < 3; ++a)
      if (p[a] < std::min(lower[a], upper[a]) || p[a] > std::max(lower[a], upper[a])) return false;
    return true;
  });
}

ShapeMaker sphere_shape(const Vec3& centre, double radius) {
  return by_point([centre, radius](const Vec3& p) {
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a) square += (p[a] - centre[a]) * (p[a] - centre[a]);
    return square <= radius * radius;
  });
}

ShapeMaker cylinder_shape(const Vec3& from, const Vec3& to, double radius) {
  return by_point([from, to, radius](const Vec3& p) {
    double along = 0, length = 0, square = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      along += (p[a] - from[a]) * (to[a] - from[a]);
      length += (to[a] - from[a]) * (to[a] - from[a]);
    }
    const double t = length > 0 ? along / length : 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double d = p[a] - from[a] - t * (to[a] - from[a]);
      square += d * d;
    }
    return t >= 0 && t <= 1 && square <= radius * radius;
  });
}

ShapeMaker formula_shape(std::string formula) {
  return [formula = std::move(formula)]() -> RowTest {
    const auto expression = Expression::parse(formula, {"x", "y", "z"});
    if (!expression) throw Failure(expression.error());
    return [e = *expression](double x, double y, double z0, double dz, std::vector<unsigned char>& out) {
      for (std::size_t k = 0; k < out.size(); ++k) {
        const Vec3 p{x, y, z0 + static_cast<double>(k) * dz};
        out[k] = e(p) > 0 ? 1 : 0;
      }
    };
  };
}

ShapeMaker model_shape(std::shared_ptr<const Velocity> samples, double above) {
  return [samples = std::move(samples), above]() -> RowTest {
    return [samples, above](double x, double y, double z0, double dz, std::vector<unsigned char>& out) {
      std::vector<double> values(out.size());
      samples->row(x, y, z0, dz, values);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = values[k] > above ? 1 : 0;
    };
  };
}

ShapeMaker mesh_shape(std::shared_ptr<const MeshSolid> solid) {
  return [solid = std::move(solid)]() -> RowTest {
    return [solid](double x, double y, double z0, double dz, std::vector<unsigned char>& out) {
      solid->row(x, y, z0, dz, out);
    };
  };
}

/// The body of a mesh file.
ShapeMaker read_mesh_solid(const CaseReader& reader, const Values& v) {
  MeshRequest request;
  request.file = reader.input.path(v["file"].text());
  if (v.has("unit")) request.unit = v["unit"].text();
  if (is_geometry(request.file)) {
    reader.fail(v["file"], "obstacles are taken from meshes; this is a geometry",
                "Make a mesh of it first: conoid mesh FILE --convert body.msh");
    return nullptr;
  }
  auto prepared = prepare_mesh(request);
  if (!prepared) {
    reader.fail_in_file(v["file"], prepared.error());
    return nullptr;
  }
  const auto solid = MeshSolid::of(prepared->mesh);
  if (!solid) {
    reader.fail_in_file(v["file"], solid.error());
    return nullptr;
  }
  for (const Diagnostic& note : prepared->notes)
    if (note.severity == Severity::warning) reader.warn(v["file"], note.text, note.hint);
  return mesh_shape(*solid);
}

/// Null when something was wrong.
ShapeMaker read_solid(const CaseReader& reader, const Values& v) {
  const std::string kind = v["kind"].text();
  if (kind == "box") return box_shape(v["lower"].vec3(), v["upper"].vec3());
  if (kind == "sphere") return sphere_shape(v["centre"].vec3(), v["radius"].number());
  if (kind == "cylinder") return cylinder_shape(v["from"].vec3(), v["to"].vec3(), v["radius"].number());
  if (kind == "formula") {
    if (const auto e = Expression::parse(v["formula"].text(), {"x", "y", "z"}); !e) {
      reader.fail_in_file(v["formula"], e.error());
      return nullptr;
    }
    return formula_shape(v["formula"].text());
  }
  if (kind == "mesh") return read_mesh_solid(reader, v);
  const auto model = open_model(reader.input.path(v["header"].text()), ModelQuantity::speed);
  if (!model) {
    reader.fail_in_file(v["header"], model.error());
    return nullptr;
  }
  auto samples = (*model)->load();
  if (!samples) {
    reader.fail_in_file(v["header"], samples.error());
    return nullptr;
  }
  return model_shape(*samples, v["above"].number());
}

/// How many nodes the shape has.
Index fill_nodes(const Grid& g, const ShapeMaker& shape, Solid what, Obstacles& out) {
  std::atomic<Index> count = 0;
  in_chunks(0, {0, g.points[0]}, 8, [&](Interval some, int) {
    const RowTest test = shape();
    std::vector<unsigned char> inside(static_cast<std::size_t>(g.points[2]));
    for (Index x = some.begin; x < some.end; ++x)
      for (Index y = 0; y < g.points[1]; ++y) {
        test(g.at(0, x), g.at(1, y), g.origin[2], g.spacing[2], inside);
        for (Index z = 0; z < g.points[2]; ++z)
          if (inside[static_cast<std::size_t>(z)] != 0) out.set(x, y, z, what);
        count += std::count_if(inside.begin(), inside.end(), [](unsigned char is) { return is != 0; });
      }
  });
  return count;
}

/// The last shape that has a point says what it is.
std::function<std::function<Solid(const Vec3&)>()> classes_of(std::vector<std::pair<ShapeMaker, Solid>> shapes) {
  return [shapes = std::move(shapes)] {
    std::vector<std::pair<RowTest, Solid>> tests;
    for (const auto& [shape, what] : shapes) tests.emplace_back(shape(), what);
    std::reverse(tests.begin(), tests.end());
    return [tests = std::move(tests), inside = std::vector<unsigned char>(1)](const Vec3& x) mutable {
      for (const auto& [test, what] : tests) {
        test(x[0], x[1], x[2], 1, inside);
        if (inside[0] != 0) return what;
      }
      return Solid::none;
    };
  };
}

/// Unit vector, within the plane where the grid is flat. Zero and a diagnostic where there is none.
Vec3 read_direction(const CaseReader& reader, const Values& v, const Grid& grid) {
  Vec3 d = v.vec3();
  if (grid.flat()) d[1] = 0;
  const double length = std::hypot(d[0], d[1], d[2]);
  if (!(length > 0)) {
    reader.fail(v,
                grid.flat() ? "the direction has no part in the plane of x and z"
                            : "the direction is zero; a vector other than zero was expected",
                "For example [0, 0, 1].");
    return {};
  }
  for (double& component : d) component /= length;
  return d;
}

}  // namespace

ListedObstacles read_obstacles(const CaseReader& reader, Problem& problem) {
  const Values medium = reader["medium"], list = medium["obstacles"];
  if (list.size() == 0) return {};
  const bool smooth = medium.has("obstacle_walls") && medium["obstacle_walls"].text() == "smooth";
  ListedObstacles out;
  out.nodes = std::make_shared<Obstacles>(problem.grid, false);
  problem.obstacles = out.nodes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Values v = list.at(i);
    const ShapeMaker shape = read_solid(reader, v);
    const std::string surface = v["surface"].text();
    if (shape)
      out.shapes.emplace_back(shape, surface == "soft" ? Solid::soft : surface == "none" ? Solid::none : Solid::rigid);
  }
  out.smooth = smooth;
  return out;
}

void fill_obstacles(const ListedObstacles& listed, const CaseReader& reader, const Problem& problem) {
  if (!listed.nodes) return;
  const Values list = reader["medium"]["obstacles"];
  Obstacles& obstacles = *listed.nodes;
  obstacles.hold();
  std::vector<std::size_t> empty;
  for (std::size_t i = 0; i < listed.shapes.size(); ++i)
    if (fill_nodes(problem.grid, listed.shapes[i].first, listed.shapes[i].second, obstacles) == 0) empty.push_back(i);
  const std::array<double, 6> lost = obstacles.extend_through_layers(problem.faces, problem.order / 2);
  for (std::size_t f = 0; f < 6; ++f)
    if (lost[f] > 0.5 && problem.faces[f].absorbs())
      reader.warn(
          list,
          fmt::format("obstacles end within the absorbing layer of {}, {} nodes wide: they are left out there",
                      face_names[f], problem.faces[f].width),
          fmt::format("Where the ground covers the face make it rigid: \"{}\": {{\"kind\": \"rigid\"}}; or let the "
                      "ground reach {} nodes from it.",
                      face_names[f], problem.faces[f].width + problem.order / 2 + 1));
  const Index count = obstacles.count();
  if (count == 0)
    reader.warn(list, "no node of the grid lies in an obstacle",
                "Check places and sizes: nodes are tested, not what lies between them.");
  else if (!empty.empty())
    reader.warn(list.at(empty.front()),
                fmt::format("no node of the grid lies in obstacle {}{}", empty.front() + 1,
                            empty.size() > 1 ? fmt::format(", nor in {} others", empty.size() - 1) : std::string()),
                "Check its place and size: nodes are tested, not what lies between them.");
  if (count == problem.grid.cells())
    reader.fail(list, "all nodes of the grid lie in obstacles: there is no fluid left",
                "Correct the obstacles; a formula is solid where it is above zero.");
  if (listed.smooth && reader.good())
    obstacles.set_cuts(std::make_shared<CutWalls>(problem, classes_of(listed.shapes), obstacles));
}

void check_beside_obstacles(const ListedObstacles& listed, const CaseReader& reader, const Problem& problem,
                            std::size_t heard) {
  if (listed.shapes.empty()) return;
  constexpr std::size_t most = 1000, most_told = 20;
  constexpr double matters = 0.02;
  const Grid& g = problem.grid;
  const auto solid_at = classes_of(listed.shapes)();
  std::size_t told = 0;
  const auto look_at = [&](const Values& where, const std::string& what, const Vec3& place, const char* silent,
                           const std::vector<NodeWeight>& weights) {
    double all = 0, lost = 0;
    for (const NodeWeight& node : weights) {
      all += std::abs(node.weight);
      if (solid_at({g.at(0, node.x), g.at(1, node.y), g.at(2, node.z)}) != Solid::none) lost += std::abs(node.weight);
    }
    const bool inside = solid_at(place) != Solid::none;
    if (!inside && lost <= matters * all) return;
    if (++told > most_told) return;
    reader.out.push_back(
        inside ? reader.input.warning_at(where, fmt::format("{} lies in an obstacle, where it {}", what, silent),
                                         "Move it into the fluid, half a spacing and more from the wall.")
               : reader.input.warning_at(
                     where,
                     fmt::format("{} lies between nodes beside an obstacle: {:.0f} % of the nodes that it is "
                                 "spread over, by their weights, lie in the wall",
                                 what, 100 * lost / all),
                     "Put it on a node, or four nodes and more from the wall."));
  };
  const Values excitation = reader["excitation"];
  std::size_t last = Source::not_listed;  // of an array one element is enough
  for (std::size_t n = 0; n < std::min(most, problem.sources.size()); ++n) {
    const Source& source = problem.sources[n];
    const bool listed_source = source.listed != Source::not_listed;
    const std::size_t before = told;
    if (listed_source && source.listed == last) continue;
    look_at(listed_source ? excitation["sources"].at(source.listed)["position"] : excitation["traces"],
            listed_source ? fmt::format("source {}", source.listed + 1) : std::string("a sent trace"), source.position,
            "is silent", source_weights(g, problem.faces, source, problem.spread));
    if (told > before) last = source.listed;
  }
  const Values output = reader["output"];
  const std::size_t single = output["receivers"].size();
  for (std::size_t n = 0; n < std::min(most, heard); ++n) {
    const Receiver& receiver = problem.receivers[n];
    look_at(n < single ? output["receivers"].at(n)["position"] : output["receiver_lines"],
            fmt::format("receiver {}", receiver.name), receiver.position, "records nothing",
            receiver_weights(g, problem.faces, receiver, problem.spread));
  }
}

void read_shape(const CaseReader& reader, const Values& shape, const Grid& grid, Source& source) {
  const std::string kind = shape["kind"].text();
  if (kind == "dipole") {
    source.dipole = read_direction(reader, shape["direction"], grid);
  } else if (kind == "disc") {
    const Vec3 normal = read_direction(reader, shape["normal"], grid);
    if (normal != Vec3{})
      source.parts = disc_parts(source.position, normal, shape["radius"].number(), grid.finest(), grid.flat());
  } else if (kind == "bowl") {
    const Vec3 axis = read_direction(reader, shape["axis"], grid);
    const double curvature = shape["curvature"].number(), radius = shape["radius"].number();
    if (radius > curvature) {
      reader.fail(shape["radius"],
                  fmt::format("the opening's radius of {} is larger than the radius of curvature, {}",
                              format_quantity(radius, "m"), format_quantity(curvature, "m")),
                  "A bowl is at most half a sphere.");
      return;
    }
    if (axis != Vec3{}) source.parts = bowl_parts(source.position, axis, curvature, radius, grid.finest(), grid.flat());
  }
}

namespace {

/// The array's two directions, one across the other; false: something was told.
bool read_axes(const CaseReader& reader, const Values& shape, const Grid& grid, ArrayShape& array) {
  array.direction = read_direction(reader, shape["direction"], grid);
  if (array.direction == Vec3{}) return false;
  if (array.rows == 1) return true;
  const Vec3 given = read_direction(reader, shape["across"], grid);
  if (given == Vec3{}) return false;
  const Vec3 across = vec::axpy(-vec::dot(given, array.direction), array.direction, given);
  if (vec::norm(across) < 1e-6) {
    reader.fail(shape["across"], "the rows would lie on each other: \"across\" is parallel to \"direction\"",
                "Give it a direction across the rows.");
    return false;
  }
  array.across = vec::unit(across);
  return true;
}

void read_steering(const CaseReader& reader, const Values& shape, const ArrayShape& array, double speed, bool flat,
                   std::vector<ArrayElement>& elements) {
  const Values v = shape["steering"];
  const std::string kind = v["kind"].text();
  if (kind == "focus") {
    Vec3 at = v["at"].vec3();
    if (flat) at[1] = elements.front().position[1];
    focus(elements, at, speed);
  } else if (kind == "angle") {
    const double along = std::sin(v["angle"].number()), across = std::sin(v["angle_across"].number());
    if (along * along + across * across > 1 + 1e-12) {
      reader.fail(v, "no wave has both angles: the squares of their sines add up to more than one",
                  "Lower one of them.");
      return;
    }
    const Vec3 d = vec::scale(along, array.direction);
    steer(elements, array.rows > 1 ? vec::axpy(across, array.across, d) : d, speed);
  } else if (kind == "delays") {
    const Values list = v["delays"];
    if (list.size() != elements.size()) {
      reader.fail(list, fmt::format("{} delays for {} elements", list.size(), elements.size()),
                  "Give one for each element, row after row.");
      return;
    }
    for (std::size_t n = 0; n < elements.size(); ++n) elements[n].delay = list.at(n).number();
  }
}

}  // namespace

void read_array(const CaseReader& reader, const Values& shape, const Source& source, Problem& problem) {
  ArrayShape array;
  array.elements = shape["elements"].integer();
  array.rows = shape["rows"].integer();
  array.pitch = shape["pitch"].number();
  array.row_pitch = shape.has("row_pitch") ? shape["row_pitch"].number() : array.pitch;
  const std::string taper = shape["apodisation"].text();
  array.taper = taper == "hann" ? Taper::hann : taper == "hamming" ? Taper::hamming : Taper::uniform;
  if (array.elements * array.rows > most_elements) {
    reader.fail(shape, fmt::format("{} elements; at most {} are possible", array.elements * array.rows, most_elements),
                "Use fewer elements or rows, or a disc.");
    return;
  }
  if (!read_axes(reader, shape, problem.grid, array)) return;
  double speed = problem.speed.highest;
  if (shape.has("speed"))
    speed = shape["speed"].number();
  else if (problem.velocity)
    problem.velocity->row(source.position[0], source.position[1], source.position[2], 0, {&speed, 1});
  std::vector<ArrayElement> elements = array_elements(source.position, array);
  read_steering(reader, shape, array, speed, problem.grid.flat(), elements);
  std::map<double, std::shared_ptr<const Signal>> later;  // elements with the same delay share what is made of it
  for (const ArrayElement& element : elements) {
    auto& signal = later[element.delay];
    if (!signal) signal = std::make_shared<Delayed>(source.signal, element.delay);
    Source one = source;
    one.position = element.position;
    one.signal = std::make_shared<Scaled>(signal, element.share);
    problem.sources.push_back(std::move(one));
  }
}

void read_initial_file(const CaseReader& reader, const Values& v, Problem& problem) {
  problem.initial.kind = Initial::Kind::file;
  problem.initial.amplitude = v["amplitude"].number();
  const auto header = read_model_header(reader.input.path(v["header"].text()), ModelQuantity::pressure);
  if (!header) {
    reader.fail_in_file(v["header"], header.error());
    return;
  }
  auto samples = load_model(*header);
  if (!samples) {
    reader.fail_in_file(v["header"], samples.error());
    return;
  }
  problem.initial.samples = *samples;
}

void take_initial_means(const CaseReader& reader, Problem& problem) {
  if (problem.initial.kind != Initial::Kind::file || !problem.initial.samples) return;
  const Values v = reader["excitation"]["initial"];
  const InitialMeans means = means_at_nodes(*problem.initial.samples, problem);
  if (!means.samples) return;
  problem.initial.samples = means.samples;
  constexpr double much = 0.03;
  if (1 - means.kept > much)
    reader.warn(v["header"],
                fmt::format("samples of the initial pressure lie closer than the nodes and hold more than these can "
                            "carry: as means over the cells of the grid {:.0f} % of the sum of their squares are left",
                            100 * means.kept),
                "Use a finer grid, or a pressure without features below four nodes.");
  else
    reader.note(v["header"],
                "samples of the initial pressure lie closer than the nodes, which take their means over cells", "");
}

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// Memory and time of a case, phase by phase, each at the rate of who computes it.
//
// Work is counted (points of pairs, bytes that pass to and from matrices, operations of products and factors), scene by scene: the
// ground without trenches has fewer unknowns than that with them. Rates are those of a server's core, and of an H100.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/cuda/device_pairs.hpp"
#include "engine/solvers/elastic_bem/cuda/device_solution.hpp"
#include "engine/solvers/elastic_bem/elastic_bem.hpp"
#include "engine/solvers/elastic_bem/plan_compressed.hpp"
#include "engine/solvers/elastic_bem/solving/compressed_equations.hpp"
#include "engine/solvers/elastic_bem/solving/layered_system.hpp"
#include "engine/solvers/step_rounds.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

/// What the pairs of points and elements are at one wave number: Gauss points of far and of near ones, and the bytes that pass to and from
/// the matrix which keeps them (zeros, sums of the elements about a node, the product).
struct PairCount {
  double far = 0, near = 0, bytes = 0;
  PairCount& operator+=(const PairCount& o) {
    far += o.far;
    near += o.near;
    bytes += o.bytes;
    return *this;
  }
};

/// Counted at some of the points. Points on the surface: its nodes, or receivers that need no integral.
PairCount count_pairs(const Surface& s, double k, double target, bool single, std::span<const Vec3> points,
                      bool nodes) {
  constexpr std::size_t most_samples = 48;
  const double reach = target < 1e-6 ? 1.2 : 1;
  const std::size_t samples = std::min(points.size(), most_samples);
  double outside = 0;
  PairCount out;
  PointSet set;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t sample = (2 * i + 1) * points.size() / (2 * samples);
    const Vec3& at = points[sample];
    if (!nodes && find_sites(s, {&at, 1}).front().element >= 0) continue;
    ++outside;
    for (Index e = 0; e < s.active; ++e) {
      const Element& element = s.elements[static_cast<std::size_t>(e)];
      const auto holds = [e](const Touch& touch) { return touch.element == e; };
      const double d = distance(at, element.centre);
      set.clear();
      if (nodes && std::any_of(s.touches[sample].begin(), s.touches[sample].end(), holds)) continue;
      if (d > reach * element.size) {
        const int g =
            std::max(points_for_distance(2 * d / element.size, target), points_for_wave(k * element.size, target)) +
            (element.nodes > 1 ? 1 : 0);
        out.far += g * g;
      } else {
        near_rule(element, at, target, k, set);
        out.near += set.count();
      }
    }
  }
  if (outside == 0) return {};
  const double share = static_cast<double>(points.size()) / static_cast<double>(samples);
  const double matrix = share * outside * static_cast<double>(s.node_count()) * 9 *
                        (nodes && single ? sizeof(Complex) / 2 : sizeof(Complex)),
               passes = 2 + 2 * static_cast<double>(s.active) * s.elements.front().nodes /
                                static_cast<double>(s.node_count());
  return {share * out.far, share * out.near, passes * matrix};
}

/// Bytes of the matrix that displacements_at() makes for a batch of points off a surface of so many nodes (three columns each).
double batch_bytes(double points, double nodes) {
  return 144 * nodes * std::min(points, std::clamp(std::floor(268e6 / (144 * nodes) / 128) * 128, 128.0, 4096.0));
}

/// Far rules of all scenes and regions, which stay for the whole run.
Bytes rule_bytes(const Problem& p, bool observed) {
  const double fastest = 2 * std::numbers::pi * *std::max_element(p.frequencies.begin(), p.frequencies.end());
  Bytes out = 0;
  for (const Scene* scene : {&p.scene, p.bare ? &*p.bare : nullptr}) {
    if (scene == nullptr) continue;
    for (const RegionView& view : p.regions_of(*scene)) {
      const double k = std::abs(Harmonic(*view.medium, fastest).kS);
      if (p.single) out += FarRules<float>::bytes(*view.surface, p.solve.accuracy, k, false);
      if (!p.single || observed) out += FarRules<double>::bytes(*view.surface, p.solve.accuracy, k, false);
    }
  }
  return out;
}

/// What the ground beyond the mesh takes at one frequency.
struct FarCount {
  PairCount pairs;
  double product = 0;          ///< operations of the products with the rings' matrix
  double swept = 0;            ///< bytes of that matrix that a device reads, once for each four unit forces
  double responses = 0;        ///< displacements from the table
  double columns = 0;          ///< unit forces
  double held = 0, batch = 0;  ///< bytes
  Bytes panels = 0;            ///< of each device that takes part
};
FarCount count_far(const FarGround& ground, const Surface& s, const Harmonic& h, double target,
                   std::span<const Vec3> inner, double shown) {
  const Surface rings = ground.rings(h);
  const double m = static_cast<double>(s.node_count()), n = static_cast<double>(rings.node_count()),
               places = static_cast<double>(ground.places().size()), columns = 3 * places,
               points = static_cast<double>(inner.size()), k = std::abs(h.kS);
  double faded = 0;
  for (double w : s.window) faded += w < 1 ? 1 : 0;
  FarCount out;
  out.pairs = count_pairs(rings, k, target, false, s.nodes, false);
  out.pairs += count_pairs(rings, k, target, false, inner, false);
  out.product = 8 * 9 * n * (m * columns + points * shown);
  // Points of receivers among them meet one vector a load.
  out.swept = 144 * n * (m * std::ceil(columns / 4) + points * std::ceil(shown / 4));
  out.responses = places * (n + faded);
  out.columns = columns;
  // Twice the unit forces on the rings, their field at the nodes three times, the rings' table.
  out.held = 16 * columns * (9 * n + 9 * m) + 144 * n * places;
  out.batch = batch_bytes(std::max(m, points), n);
  // On devices columns of nine nodes for 4096 points at most, and the points of the rule; unit forces and the sums of 128 parts.
  const double summed = std::min(4096.0, std::max(m, points)), one = 48 * summed * 27 + 500 * (7 + 9) * 8,
               all = one * static_cast<double>(rings.active);
  out.panels = 2 * resident_slot(static_cast<Bytes>(one), static_cast<Bytes>(all)) +
               static_cast<Bytes>(16 * (columns + 3) * (3 * n + std::max(65536.0, 8 * 3 * summed)));
  return out;
}

/// Wave numbers of the Hankel integrals in the fields of forces within flat ground, at one frequency: those that all threads share, and
/// those of one thread.
struct FieldCount {
  double points = 0;                        ///< of displacements
  double alone = 0, alone_with_slopes = 0;  ///< of displacements, of stresses
};

/// Of one force. The field is asked for at the nodes (twice, three times where foundations stand), at observers that are on no element,
/// and its stresses at receivers. Counted at some of the points, and at some of the frequencies.
FieldCount count_field(const Problem& p, const Scene& scene, const Load& load, std::span<const Vec3> points) {
  FieldCount out;
  const auto level = flat_ground_over(p, load);
  if (load.kind != LoadKind::point || !level) return out;
  constexpr std::size_t most_samples = 200, most_frequencies = 4;
  const auto some = [&](std::span<const Vec3> of) {
    std::vector<Vec3> chosen;
    const std::size_t count = std::min(of.size(), most_samples);
    for (std::size_t k = 0; k < count; ++k) chosen.push_back(of[(2 * k + 1) * of.size() / (2 * count)]);
    return chosen;
  };
  const RegionView region = p.regions_of(scene)[load.region];
  const Surface& s = *region.surface;
  const auto in_medium = [&](std::vector<Vec3> of) {
    const std::vector<Site> sites = find_sites(*scene.surface, of);
    const std::vector<Whereabouts> places = p.whereabouts(scene, of);
    std::vector<Vec3> kept;
    for (std::size_t k = 0; k < of.size(); ++k)
      if (sites[k].element < 0 && places[k].place != Place::outside && places[k].region == load.region)
        kept.push_back(of[k]);
    return kept;
  };
  const std::vector<Vec3> nodes = some(s.nodes), sampled = some(points), here = in_medium(sampled),
                          stressed = p.stresses && &scene == &p.scene ? in_medium(p.receivers) : std::vector<Vec3>();
  const double nodes_share =
                   static_cast<double>(s.nodes.size()) / static_cast<double>(std::max<std::size_t>(1, nodes.size())),
               share =
                   static_cast<double>(points.size()) / static_cast<double>(std::max<std::size_t>(1, sampled.size())),
               passes = p.foundations.empty() ? 2 : 3;
  const std::size_t count = p.frequencies.size(), frequencies = std::min(count, most_frequencies);
  for (std::size_t k = 0; k < frequencies; ++k) {
    const Harmonic h(p.medium_of(load.region),
                     2 * std::numbers::pi * p.frequencies[(2 * k + 1) * count / (2 * frequencies)]);
    const ReflectedForce field(load.at, load.value, p.surface_options.down, -*level, h);
    const double part = 1 / static_cast<double>(frequencies);
    std::vector<Vec3> surface_nodes, surface_points;
    for (const Vec3& x : nodes) {
      if (field.on_surface(x)) {
        surface_nodes.push_back(x);
        continue;
      }
      const double one = part * nodes_share * passes * field.wave_numbers(x);
      out.alone += one;
      out.alone_with_slopes += one;
    }
    for (const Vec3& x : here)
      if (field.on_surface(x))
        surface_points.push_back(x);
      else
        out.points += part * share * field.wave_numbers(x);
    for (const Vec3& x : stressed) out.alone_with_slopes += 3 * part * field.wave_numbers(x);
    // Given values have a table of their own.
    out.alone += part * field.wave_numbers_of_table(surface_nodes);
    surface_points.insert(surface_points.end(), surface_nodes.begin(), surface_nodes.end());
    out.alone += part * field.wave_numbers_of_table(surface_points);
  }
  return out;
}

/// Bytes a second between the host's memory and a device by way of page-locked pieces (H200: 55e9 between these and the device).
constexpr double through_rate = 20e9;

/// Seconds of a wave number, one thread.
constexpr double wave_number_seconds = 0.9e-6, sloped_wave_number_seconds = 1.6e-6;

/// What so many cores do a second, or a device.
struct Rates {
  double far = 0, far_single = 0;  ///< points of far pairs
  double summed = 0;               ///< of elements of nine nodes; by devices those whose columns stay there
  double near = 0;
  double bytes = 0;                        ///< of matrices that pass to and from memory, a device's own where it is one
  double product = 0;                      ///< operations of products
  double factors = 0, factors_double = 0;  ///< operations of a factorisation
  double factors_coarse = 0;               ///< the same where products may round to ten bits; 0: none do
  Bytes memory = 0;                        ///< of a device
  double responses = 0;
};

/// Measured on two cores of a server with AVX-512; a third of the factorisation elsewhere. A near point pays for its own geometry. What
/// passes through memory is no faster with more than eight cores.
Rates of_cores(double cores, bool several_nodes, bool avx512) {
  const double far = 1 / (several_nodes ? 17e-9 : 9e-9);
  return {cores * far,
          cores * far,
          cores * far,
          cores / 60e-9,
          std::min(cores * 5e9, 40e9),
          cores * (avx512 ? 50e9 : 20e9),
          cores * (avx512 ? 1e11 : 1e11 / 3),
          cores * (avx512 ? 5e10 : 5e10 / 3),
          0,
          0,
          cores / 0.5e-6};
}

/// Of an H100 (132 multiprocessors): 43,923 unknowns were factored in 4.9 s, and their pairs assembled in 0.36 s. Of pairs that come back the bytes pay
/// for. An emulated device is a thread that works on one element after the other.
Rates of_device(const DeviceInfo& device) {
  Rates out;
  if (device.backend == "cuda") {
    const double size = device.multiprocessors / 132.0;
    out.far = size * 2e9;
    out.far_single = 2 * out.far;
    out.summed = size * 1.2e9;
    out.bytes = size * 3e12;
    out.factors = size * 46e12;
    out.factors_double = size * 25e12;
    if (device.major >= 8) out.factors_coarse = size * 120e12;
  } else {
    out.far = out.far_single = out.summed = 5e6;
    out.bytes = 1e9;
    out.factors = 50e9;
    out.factors_double = 25e9;
  }
  return out;
}

/// Who computes.
struct Crew {
  double threads = 1;  ///< of all processors
  Rates cores;         ///< the threads of all
  Rates workers;       ///< processors that share far pairs with devices, and the devices
  std::vector<Rates> devices;
  Rates beside;  ///< processors that share far pairs with devices
  Rates solver;  ///< the device that solves
  SolutionPlace place = SolutionPlace::processors;
  bool solves_by_cuda = false;
  DeviceInfo device;       ///< that solves
  Index least_coarse = 0;  ///< unknowns from which on products of that device may round to ten bits
};

/// Seconds of the phases of one frequency; those of `devices` are not the processors'.
struct Phases {
  double assembly = 0, far_ground = 0, solution = 0, observers = 0, fields = 0;
  double devices = 0;         ///< but for those of far_ground
  double devices_beyond = 0;  ///< of far_ground
  [[nodiscard]] double sum() const { return assembly + far_ground + solution + observers + fields; }
  void add(const Phases& o, double share) {
    assembly += share * o.assembly;
    far_ground += share * o.far_ground;
    solution += share * o.solution;
    observers += share * o.observers;
    fields += share * o.fields;
    devices += share * o.devices;
    devices_beyond += share * o.devices_beyond;
  }
};

/// What one scene takes at one frequency, the mean over those of the case.
struct SceneCount {
  PairCount own, observers;
  FarCount far;  ///< memory: the largest
  FieldCount fields;
  double unknowns = 0;
  double cubes = 0;  ///< of the unknowns of systems that are factorised apart
  CompressedPlan compressed;
};

/// Processors make the matrix in their memory and multiply it there, devices in theirs; both at once, each its share.
void price_far_ground(const FarCount& c, const Crew& crew, Phases& out) {
  if (!(c.pairs.far > 0)) return;
  double processors = 0, devices = 0;  // of all of it a second
  if (crew.beside.summed > 0)
    processors =
        1 / (c.pairs.far / crew.beside.summed + c.pairs.bytes / crew.beside.bytes + c.product / crew.beside.product);
  for (const Rates& r : crew.devices) devices += 1 / (c.pairs.far / r.summed + c.swept / r.bytes);
  const double both = 1 / (processors + devices);
  out.devices_beyond = devices * both * both;
  out.far_ground = both + c.pairs.near / crew.cores.near + c.responses / crew.cores.responses;
}

double pair_seconds(const PairCount& p, const Crew& crew, bool single) {
  return p.far / (single ? crew.workers.far_single : crew.workers.far) + p.near / crew.cores.near +
         p.bytes / crew.cores.bytes;
}

/// Measured where the others were: near pairs, values of far blocks one by one, products of small blocks, which are slower than large ones; some ten steps, of several
/// regions thirty, each one product for the directions of all cases, and as many for the coarse motions.
void price_compressed(const SceneCount& c, const Crew& crew, const Problem& p, Phases& out) {
  const double cases = static_cast<double>(node_motions(p.foundations) + p.loads.size()),
               values = c.compressed.near + c.compressed.far;
  const double images = static_cast<double>(p.scene.system->compressed_images());
  // Of unknowns the rows of one of all mirror images. Known columns are often fewer.
  const double known = 1 / images + (p.planned_columns(p.scene) > 0 ? 0.5 : 0);
  out.assembly =
      known * (c.own.near / crew.cores.near + 8 * c.compressed.evaluations / crew.cores.far +
               c.compressed.near / 9 * 10 / crew.cores.far + c.compressed.operations / (0.12 * crew.cores.product));
  const double steps = p.regions.empty() ? 10 : 30;
  out.solution = 8 * values * (steps * std::max(1.0, cases) + 40) / (0.5 * crew.cores.product);
  out.assembly /= p.solve.sharing;
  out.solution /= p.solve.sharing;
}

Phases price(const SceneCount& c, const Crew& crew, const Problem& p) {
  Phases out;
  const double n = c.unknowns;
  const bool in_single = p.solve.method == Method::mixed || p.single;
  if (crew.place == SolutionPlace::whole) {
    // Far pairs into the matrix of the device, near ones meanwhile.
    const double far = c.own.far / (p.single ? crew.solver.far_single : crew.solver.far),
                 near = c.own.near / crew.cores.near;
    out.assembly = std::max(far, near);
    if (far > near) out.devices += far;
  } else {
    out.assembly = pair_seconds(c.own, crew, p.single);
  }
  out.observers = pair_seconds(c.observers, crew, false);
  out.fields = wave_number_seconds * (c.fields.points / crew.threads + c.fields.alone) +
               sloped_wave_number_seconds * c.fields.alone_with_slopes;
  price_far_ground(c.far, crew, out);
  const double entry = p.single ? 8 : 16;
  if (p.solve.method == Method::compressed) {
    price_compressed(c, crew, p, out);
    return out;
  }
  if (p.solve.method == Method::gmres) {
    out.solution = 60 * 8 * n * n / (4e9 / 100e9 * crew.cores.factors);
    return out;
  }
  const Rates& solver = crew.place == SolutionPlace::processors ? crew.cores : crew.solver;
  const bool coarse = p.solve.method == Method::mixed && !p.single && crew.place != SolutionPlace::processors &&
                      solver.factors_coarse > 0 && n >= static_cast<double>(crew.least_coarse);
  double factors = 8.0 / 3 * c.cubes /
                   (coarse      ? solver.factors_coarse
                    : in_single ? solver.factors
                                : solver.factors_double);
  if (crew.place == SolutionPlace::through) {
    // Columns go there and back; those before them come again for each block that the device holds.
    const double column = n * (in_single ? 8 : 16), blocks = std::ceil(n * column / static_cast<double>(solver.memory));
    factors += column * n * (2 + 0.5 * blocks) / through_rate;
  }
  // The far field's columns, and on the host what is copied into factors and read for two residuals.
  double beside = 0;
  if (crew.place != SolutionPlace::whole)
    beside =
        8 * n * n * c.far.columns / crew.cores.product + (c.far.columns > 0 ? 4 : 3) * n * n * entry / crew.cores.bytes;
  out.solution = factors + beside;
  if (crew.place != SolutionPlace::processors) out.devices += factors;
  return out;
}

/// Counts of one scene; `shown`: cases that are shown.
SceneCount count_scene(const Problem& p, const Scene& scene, std::span<const Vec3> points, double shown) {
  const Surface& s = *scene.surface;
  const double target = p.solve.accuracy.target, highest = p.highest_wave_number();
  SceneCount out;
  out.unknowns = static_cast<double>(3 * s.node_count());
  out.cubes = std::pow(out.unknowns, 3);
  if (const auto& parities = scene.system->parities(); !parities.empty()) {
    out.cubes = 0;
    for (const Parity& parity : parities) out.cubes += std::pow(static_cast<double>(parity.size()), 3);
  }
  const auto fastest = 2 * std::numbers::pi * *std::max_element(p.frequencies.begin(), p.frequencies.end());
  for (const RegionView& r : p.regions_of(scene))
    out.own +=
        count_pairs(*r.surface, std::abs(Harmonic(*r.medium, fastest).kS), target, p.single, r.surface->nodes, true);
  if (p.solve.method == Method::compressed)
    out.compressed = plan_compression(*scene.system, highest, p.solve, p.single);
  out.observers = count_pairs(s, highest, target, false, points, false);  // of several regions no more than this
  for (const Load& load : p.loads) {
    const FieldCount one = count_field(p, scene, load, points);
    out.fields.points += one.points;
    out.fields.alone += one.alone;
    out.fields.alone_with_slopes += one.alone_with_slopes;
  }
  std::string why;
  const Surface& own = *p.regions_of(scene).front().surface;
  const auto ground =
      p.solve.accuracy.fixed8 ? nullptr : FarGround::make(own, p.surface_options, p.medium, fastest, 0, 1, why, true);
  if (!ground) return out;
  std::vector<Vec3> inner;
  const std::vector<Site> sites = find_sites(s, points);
  for (std::size_t k = 0; k < points.size(); ++k)
    if (sites[k].element < 0 && !ground->beyond_rim(points[k])) inner.push_back(points[k]);
  const std::size_t count = p.frequencies.size(), samples = std::min<std::size_t>(count, 4);
  for (std::size_t k = 0; k < samples; ++k) {
    const Harmonic h(p.medium, 2 * std::numbers::pi * p.frequencies[(2 * k + 1) * count / (2 * samples)]);
    FarCount one = count_far(*ground, own, h, target, inner, shown);
    const auto share = 1 / static_cast<double>(samples);
    out.far.pairs += {share * one.pairs.far, share * one.pairs.near, share * one.pairs.bytes};
    out.far.product += share * one.product;
    out.far.swept += share * one.swept;
    out.far.responses += share * one.responses;
    out.far.columns = one.columns;
    out.far.held = std::max(out.far.held, one.held);
    out.far.batch = std::max(out.far.batch, one.batch);
    out.far.panels = std::max(out.far.panels, one.panels);
  }
  return out;
}

/// The team of the plan, as DeviceSolution::make() will find it.
Crew crew_of(const ChosenTeam& team, const Offer& offer, const Problem& p, bool several_nodes, Index known) {
  Crew out;
  const double all = std::max(1, offer.threads.value);
  out.threads = all;
  out.cores = out.workers = out.beside = of_cores(all, several_nodes, offer.machine.avx512);
  if (team.devices().empty()) return out;
  const Surface& s = *p.scene.surface;
  Bytes most = 0;
  double processors = 0;
  Rates devices;
  for (const WorkerSpec& worker : team.workers) {
    if (worker.device.empty()) {
      processors += worker.threads;
      continue;
    }
    const auto info = std::ranges::find_if(
        offer.devices, [&](const DeviceInfo& d) { return fmt::format("{}:{}", d.backend, d.index) == worker.device; });
    if (info == offer.devices.end()) continue;
    const Rates one = of_device(*info);
    out.devices.push_back(one);
    devices.far += one.far;
    devices.far_single += one.far_single;
    if (worker.device_memory <= most) continue;
    most = worker.device_memory;
    out.solver = one;
    out.solver.memory = most;
    out.device = *info;
    out.least_coarse = least_ten_bits(*info);
    out.solves_by_cuda = info->backend == "cuda";
  }
  out.workers = out.beside = of_cores(processors, several_nodes, offer.machine.avx512);
  out.workers.far += devices.far;
  out.workers.far_single += devices.far_single;
  if (p.solve.method == Method::gmres || p.solve.method == Method::compressed || !p.symmetry.empty()) return out;
  const bool hollow = std::find(s.hollow.begin(), s.hollow.end(), true) != s.hollow.end();
  const bool interior = hollow && (p.solve.chief == Chief::on || (p.solve.chief == Chief::automatic &&
                                                                  p.highest_wave_number() > safe_wave_number(s)));
  const Bytes factor = p.solve.method == Method::mixed || p.single ? 8 : 16, entry = p.single ? 8 : 16;
  for (const SolutionPlace place : {SolutionPlace::whole, SolutionPlace::factors, SolutionPlace::through}) {
    if (place == SolutionPlace::whole && (interior || !p.regions.empty())) continue;
    if (device_bytes(out.device, place, 3 * s.node_count(), known, entry, factor, s.elements.front().nodes) > most)
      continue;
    out.place = place;
    break;
  }
  return out;
}

using Details = std::vector<std::pair<std::string, std::string>>;

/// The problem in numbers, and the phases of a frequency with who takes them.
Details details_of(const Problem& p, const Offer& offer, double rounds, const Phases& taken,
                   const std::string& assembly_by, const std::string& solution_by) {
  const Surface& s = *p.scene.surface;
  Details details = {
      {"elements", fmt::format("{}", s.active)},
      {"enclosing elements", fmt::format("{}", s.elements.size() - static_cast<std::size_t>(s.active))},
      {"collocation points", fmt::format("{}", s.node_count())},
      {"unknowns", fmt::format("{}", 3 * s.node_count())},
      {"mean element", format_quantity(s.element_size, "m")},
      {"shear wave speed", format_quantity(p.medium.shear_speed(), "m/s")},
      {"Rayleigh wave speed", format_quantity(p.medium.rayleigh_speed(), "m/s")},
      {"shear wave at the highest frequency",
       format_quantity(
           p.medium.shear_speed() / std::max(1e-9, *std::max_element(p.frequencies.begin(), p.frequencies.end())),
           "m")},
      {"frequencies", offer.place.ranks > 1 ? fmt::format("{} by {}, in {:.0f} rounds", p.frequencies.size(),
                                                          ranks_text(p, offer.place.ranks), rounds)
                                            : fmt::format("{}", p.frequencies.size())},
      {"assembly a frequency", fmt::format("about {}{}", format_duration(taken.assembly), assembly_by)},
      {"solution a frequency", fmt::format("about {}{}", format_duration(taken.solution), solution_by)}};
  for (const Region& r : p.scene.regions)
    details.emplace_back(fmt::format("region {}", r.name),
                         fmt::format("{} elements, shear wave speed {}", r.surface->active,
                                     format_quantity(r.medium.shear_speed(), "m/s")));
  if (const auto& parities = p.scene.system->parities(); !parities.empty() && p.solve.method == Method::compressed) {
    details.emplace_back(
        "planes of symmetry",
        p.regions.empty() ? fmt::format("{}: of {} mirror images one is compressed", p.symmetry.size(), parities.size())
                          : fmt::format("{}: compressed regions are whole", p.symmetry.size()));
  } else if (!parities.empty()) {
    Index largest = 0;
    for (const Parity& parity : parities) largest = std::max(largest, parity.size());
    details.emplace_back("planes of symmetry", fmt::format("{}: {} systems of up to {} unknowns", p.symmetry.size(),
                                                           parities.size(), largest));
  }
  return details;
}

GroupUse groups_of(const Problem& p, const Offer& offer) {
  if (p.shared())
    return {1, static_cast<int>(std::min<std::size_t>(p.frequencies.size(), 65536)), false,
            "each computes a frequency of its own, with compressed matrices that its ranks share"};
  return {offer.place.ranks, offer.place.ranks, false, "each computes frequencies of its own, and none is shared"};
}

/// Of all rounds, as Progress tells them: fields of forces in the ground belong to the right-hand sides and to the receivers alike.
std::vector<PhaseEstimate> phases_of(const Phases& taken, double rounds, const std::string& by) {
  std::vector<PhaseEstimate> out;
  const double solved = std::min(taken.devices, taken.solution);  // on a device
  if (taken.far_ground > 0) out.push_back({"far ground", taken.far_ground * rounds, taken.devices_beyond * rounds, by});
  out.push_back({"assembly", taken.assembly * rounds, (taken.devices - solved) * rounds, by, {"pairs", "singular"}});
  out.push_back({"solution", taken.solution * rounds, solved * rounds, solved > 0 ? "a device" : ""});
  if (const double shown = taken.observers + taken.fields; shown > 0)
    out.push_back({"receivers and planes", shown * rounds, 0, by, {"receivers", "stresses"}});
  return out;
}

/// Smaller systems are dense whatever the estimate says.
constexpr Index least_compressed = 6000;

}  // namespace

bool compression_pays(const Problem& p, const Offer& offer) {
  const Surface& s = *p.scene.surface;
  const double highest = p.highest_wave_number();
  const Index known = p.planned_columns(p.scene);
  SolveOptions compressed = p.solve;
  compressed.method = Method::compressed;
  const Bytes dense_bytes = p.scene.system->bytes(known, p.solve, p.single, highest), budget = offer.host.value;
  if (dense_bytes > budget) return p.scene.system->bytes(known, compressed, p.single, highest) < dense_bytes;
  const bool devices = std::ranges::any_of(offer.workers, [](const WorkerSpec& w) { return !w.device.empty(); });
  if (3 * s.node_count() < least_compressed || devices || !p.symmetry.empty()) return false;
  const Crew crew = crew_of({}, offer, p, s.elements.front().nodes > 1, known);
  SceneCount count;
  count.unknowns = static_cast<double>(3 * s.node_count());
  count.cubes = std::pow(count.unknowns, 3);
  for (const RegionView& r : p.regions_of(p.scene))
    count.own += count_pairs(*r.surface, highest, p.solve.accuracy.target, p.single, r.surface->nodes, true);
  count.compressed = plan_compression(*p.scene.system, highest, compressed, p.single);
  const double dense = price(count, crew, p).sum();
  Phases other;
  price_compressed(count, crew, p, other);
  return other.sum() < 0.5 * dense;
}

namespace {

/// Seconds of one core for the tables of forces and points within layered ground, at one frequency.
double buried_tables(const Problem& p, double omega) {
  const Surface& s = *p.scene.surface;
  const double number = 0.4e-6 + 1.2e-6 * static_cast<double>(p.profile->layers.size() + 1), bessel = 0.15e-6;
  double out = 0;
  const double height = path_height(LayeredCompliance(*p.profile, omega), 1);
  const auto table = [&](double depth, double load_depth, double nearest, double farthest) {
    const LayeredDepths::Work work =
        LayeredDepths::work(BuriedCompliance(*p.profile, omega, depth, load_depth), height, nearest, farthest);
    out += number * work.wave_numbers + bessel * work.bessel_values;
  };
  const std::vector<Vec3> observers = p.observers();
  for (const auto& [depth, some] : p.by_depth_on_profile(observers)) {
    if (depth == 0 || s.active == 0) continue;
    std::vector<Vec3> here;
    for (const std::size_t k : some) here.push_back(observers[k]);
    const auto [nearest, farthest] = distances_to_footprints(s, here);
    table(depth, 0, nearest, farthest);
  }
  // Stresses of footprints: twice as many functions.
  if (p.stresses && s.active > 0)
    for (const auto& [depth, some] : p.by_depth_on_profile(p.receivers)) {
      std::vector<Vec3> here;
      for (const std::size_t k : some) here.push_back(p.receivers[k]);
      const auto [nearest, farthest] = distances_to_footprints(s, here);
      for (int n = 0; n < 2; ++n)
        table(depth, 0, depth > 0 ? nearest : std::max(nearest, 0.1 * s.element_size), farthest);
    }
  std::vector<Vec3> targets = s.nodes;
  targets.insert(targets.end(), observers.begin(), observers.end());
  for (const Load& load : p.loads) {
    if (load.kind != LoadKind::point) continue;
    const double own = p.depth_on_profile(load.at);
    for (const auto& [depth, some] : p.by_depth_on_profile(targets)) {
      if (own == 0 && depth == 0) continue;
      double nearest = 1e300, farthest = 0;
      for (const std::size_t k : some) {
        const double r = std::hypot(targets[k][0] - load.at[0], targets[k][1] - load.at[1]);
        if (depth == own && !(r > 0)) continue;
        nearest = std::min(nearest, r);
        farthest = std::max(farthest, r);
      }
      if (nearest <= farthest) table(depth, own, nearest, farthest);
    }
  }
  return out;
}

/// Layered ground without a mesh: the table, the integrals over the footprints, the contact equations; all by processors.
Estimate estimate_on_layers(const Problem& p, const Offer& offer) {
  const Surface& s = *p.scene.surface;
  const double fastest = 2 * std::numbers::pi * *std::max_element(p.frequencies.begin(), p.frequencies.end()),
               all = std::max(1, offer.threads.value);
  const LayeredCompliance layers(*p.profile, fastest);
  const double wave_number = layers.highest_wave_number(), farthest = p.farthest_apart(),
               points = static_cast<double>(p.observers().size()), nodes = static_cast<double>(s.node_count()),
               shown = static_cast<double>(p.loads.empty() ? 6 * p.foundations.size() : p.loads.size());
  // A wave number takes 0.4 us and 1.2 us a layer, once an octave of distances, and a Bessel function 0.2 us at each distance; they are
  // counted as LayeredSurface has them, 2.5 a unit of k r.
  const double reach = std::max(25 * std::abs(layers.top().kS), 13 / layers.top_thickness()),
               distances = 12 * (farthest * wave_number / 3.4 + 20), numbers = 400 + 2.5 * farthest * reach,
               table = (2 * numbers * (0.4e-6 + 1.2e-6 * static_cast<double>(p.profile->layers.size())) +
                        0.5 * distances * numbers * 0.2e-6) /
                       all,
               within = buried_tables(p, fastest) / all;
  const double variation = std::max(wave_number, 2 / layers.top_thickness()),
               pairs = layered_evaluations(s, variation, p.solve.accuracy) * (1 + points / std::max(1.0, nodes)) *
                       0.4e-6 / all;
  double unknowns = 0;
  for (Index t = 0; t < static_cast<Index>(s.traction_node.size()); ++t)
    for (std::size_t c = 0; c < 3; ++c) unknowns += p.scene.system->traction_unknown(t, c) ? 1 : 0;
  const double solution = 8.0 / 3 * std::pow(unknowns, 3) / (all * (offer.machine.avx512 ? 5e10 : 5e10 / 3)) +
                          9e-9 * 9 * nodes * nodes * shown;
  Estimate e;
  e.steps = static_cast<Index>(p.frequencies.size());
  const auto rounds = static_cast<double>(rounds_of(e.steps, offer.place.ranks));
  e.host_memory = layered_bytes(*p.scene.system) + (Bytes{64} << 20) +
                  static_cast<Bytes>(8 * parcel_length(p, points) *
                                     (1 + 2 * std::min<double>(offer.place.ranks, static_cast<double>(e.steps))));
  e.seconds = (table + within + pairs + solution) * rounds + 0.2 + 0.02 * rounds;
  e.phases = {{"layers", (table + within) * rounds},
              {"pairs", pairs * rounds, 0, {}, {"pairs", "receivers", "stresses"}},
              {"solution", solution * rounds}};
  e.copying = 0.1;
  e.basis = "from the rates of a server's core, for the cores here";
  e.disk = static_cast<Bytes>(static_cast<double>(e.steps) * (nodes * 96 + 1000));
  e.use = {0, "layered ground without a mesh is computed by the processors"};
  e.groups = groups_of(p, offer);
  e.details = {{"elements", fmt::format("{}", s.active)},
               {"collocation points", fmt::format("{}", s.node_count())},
               {"unknowns", fmt::format("{:.0f}", unknowns)},
               {"ground", fmt::format("{} layers over {}, without a mesh", p.profile->layers.size(),
                                      p.profile->half_space ? "a half-space" : "rigid rock")},
               {"table of the ground a frequency", fmt::format("about {}", format_duration(table + within))},
               {"assembly a frequency", fmt::format("about {}", format_duration(pairs))},
               {"solution a frequency", fmt::format("about {}", format_duration(solution))}};
  return e;
}

}  // namespace

Result<Estimate> ElasticBem::estimate(const Case& input, const Mesh* mesh, const Offer& offer) const {
  std::vector<Diagnostic> diagnostics;
  const Problem* const p = read(input, mesh, offer, diagnostics);
  if (p == nullptr)
    for (const Diagnostic& d : diagnostics)
      if (d.severity == Severity::error) return d;
  if (p->profile) return estimate_on_layers(*p, offer);
  const Surface& s = *p->scene.surface;
  const double n = static_cast<double>(3 * s.node_count());
  const Index known = p->planned_columns(p->scene);
  const bool several_nodes = s.elements.front().nodes > 1;
  const std::vector<Vec3> points = p->observers();
  const double shown = static_cast<double>(p->loads.empty() ? 6 * p->foundations.size() : p->loads.size());
  std::vector<SceneCount> scenes{count_scene(*p, p->scene, points, shown)};
  if (p->bare) scenes.push_back(count_scene(*p, *p->bare, points, shown));
  const FarCount& far = scenes.front().far;
  const auto phases = [&](const Crew& crew) {
    Phases out;
    for (const SceneCount& scene : scenes) out.add(price(scene, crew, *p), 1);
    return out;
  };

  Estimate e;
  e.host_memory = p->scene.system->bytes(known, p->solve, p->single, p->highest_wave_number()) + (Bytes{64} << 20) +
                  rule_bytes(*p, !points.empty()) +
                  static_cast<Bytes>(far.held + std::max(far.batch, batch_bytes(static_cast<double>(points.size()),
                                                                                (n + static_cast<double>(known)) / 3)));
  e.steps = static_cast<Index>(p->frequencies.size());
  // The leading rank holds the answers of a round.
  const auto rounds = static_cast<double>(rounds_of(e.steps, p->groups));
  e.host_memory += static_cast<Bytes>(8 * parcel_length(*p, static_cast<double>(points.size())) *
                                      (1 + 2 * std::min<double>(p->groups, static_cast<double>(e.steps))));
  Phases taken = phases(crew_of({}, offer, *p, several_nodes, known));
  // Threads that begin, pages of a batch that are touched first, and small systems that many threads do not share.
  const double beginning = 0.2 + 0.02 * std::max(1, offer.threads.value) + 0.02 * rounds;
  e.seconds = taken.sum() * rounds + beginning;
  e.copying = 0.1;
  e.basis = "from the rates of a server's core, for the cores here";
  e.disk = static_cast<Bytes>(static_cast<double>(e.steps) * (n * 32 + 1000));
  if (s.node_count() < least_device_rows)
    e.use = {0, fmt::format("a device begins to pay at {} collocation points", least_device_rows)};
  else if (p->solve.deterministic && offer.workers.size() > 1)  // crew()
    e.use = {0, "a deterministic run is computed by the processors, in one order of sums"};
  e.groups = groups_of(*p, offer);
  const ChosenTeam team = choose_team(offer, e.use, e.seconds);
  const bool devices = e.use.most != 0 && !team.devices().empty();
  std::string assembly_by, solution_by;
  if (devices) {
    const Crew crew = crew_of(team, offer, *p, several_nodes, known);
    taken = phases(crew);
    e.planned_seconds = taken.sum() * rounds + beginning;
    e.device_seconds = (taken.devices + taken.devices_beyond) * rounds;
    // Two panels of columns on each device, and in page-locked memory of the host, but for those that only sums come back from.
    const double nodes = s.elements.front().nodes, entry = p->single ? 8 : 16,
                 of_points = 500 * (7 + nodes) * entry / 2, one = 3 * nodes * n * entry + of_points;
    const Bytes own_slots =
                    2 * panel_slot(static_cast<Bytes>(one), static_cast<Bytes>(one * static_cast<double>(s.active))),
                slots = std::max(far.panels, own_slots);
    const Bytes factor = p->solve.method == Method::mixed || p->single ? 8 : 16;
    e.device_memory = std::min(
        slots + static_cast<Bytes>(n * entry) +
            device_bytes(crew.device, crew.place == SolutionPlace::through ? SolutionPlace::factors : crew.place,
                         3 * s.node_count(), known, p->single ? 8 : 16, factor, s.elements.front().nodes),
        team.device_memory());
    e.host_memory += std::max(own_slots, std::min(far.panels, Bytes{64} << 20)) * team.devices().size();
    if (crew.place == SolutionPlace::whole)
      e.host_memory -=
          std::min(e.host_memory, p->scene.system->bytes(0, p->solve, p->single, p->highest_wave_number()));
    // What cuBLAS and cuSOLVER keep in the host's memory (H200, CUDA 13).
    if (crew.place != SolutionPlace::processors && crew.solves_by_cuda) e.host_memory += Bytes{460} << 20;
    e.details.emplace_back(far.pairs.far > 0 ? "far pairs and far ground" : "far pairs",
                           fmt::format("by {} and processors", fmt::join(team.devices(), ", ")));
    if (crew.place == SolutionPlace::whole) assembly_by = " on one device";
    if (crew.place != SolutionPlace::processors) solution_by = " on one device";
  }
  e.phases = phases_of(taken, rounds, devices ? fmt::format("{} and processors", fmt::join(team.devices(), ", ")) : "");
  const Details details = details_of(*p, offer, rounds, taken, assembly_by, solution_by);
  e.details.insert(e.details.begin(), details.begin(), details.end());
  if (p->solve.method == Method::compressed)
    e.details.emplace_back(
        "matrices",
        fmt::format("compressed to {:.0e}, iterations to a relative residual of {:.0e}: about {} instead of {}",
                    p->solve.compression, compressed_residual(p->solve, p->scene.system->heaviest()),
                    format_bytes(scenes.front().compressed.bytes / p->scene.system->compressed_images()),
                    format_bytes(static_cast<Bytes>(n * n * (p->single ? 8 : 16)))));
  if (taken.far_ground > 0)
    e.details.emplace_back("ground beyond the mesh a frequency",
                           fmt::format("about {}", format_duration(taken.far_ground)));
  if (taken.observers > 0)
    e.details.emplace_back("receivers and planes a frequency",
                           fmt::format("about {}", format_duration(taken.observers)));
  if (taken.fields > 0)
    e.details.emplace_back("fields of forces in the ground a frequency",
                           fmt::format("about {}", format_duration(taken.fields)));
  return e;
}

}  // namespace conoid::elastic_bem

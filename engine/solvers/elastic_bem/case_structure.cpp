// SPDX-License-Identifier: BSD-3-Clause
// The dynamic stiffness of a structure on the foundations, from a table with the columns of charts/impedance.csv.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/io/csv.hpp"
#include "engine/solvers/elastic_bem/case.hpp"

namespace conoid::elastic_bem {

namespace {

/// Columns of a table, by what they are of.
class StiffnessColumns {
 public:
  explicit StiffnessColumns(const std::vector<Foundation>& foundations) : foundations_(foundations) {}
  [[nodiscard]] std::string name(std::size_t motion) const { return motion_name(foundations_, motion); }
  /// Error: a column that is of nothing, two of one, a unit that does not fit, a number that is none.
  [[nodiscard]] Status read(const CsvTable& table, AddedStiffness& out) const {
    const std::size_t n = 6 * foundations_.size();
    std::vector<char> used(table.columns.size(), 0);
    const auto f = take(table, "f", "Hz", used);
    if (!f) return f.error();
    if (f->empty() || table.rows() == 0)
      return wrong(f->empty() ? "the table has no column 'f'" : "the table has no rows");
    out.frequencies = *f;
    out.values.assign(table.rows(), std::vector<Complex>(n * n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (const bool imaginary : {false, true}) {
          const auto values = take(table, fmt::format("{} {} {}", name(i), name(j), imaginary ? "im" : "re"),
                                   stiffness_unit(i, j), used);
          if (!values) return values.error();
          for (std::size_t r = 0; r < values->size(); ++r)
            out.values[r][i * n + j] += imaginary ? Complex(0, (*values)[r]) : Complex((*values)[r]);
        }
    for (std::size_t c = 0; c < used.size(); ++c)
      if (used[c] == 0) return wrong(fmt::format("the column '{}' is of no pair of motions", table.columns[c].name));
    for (std::size_t r = 1; r < out.frequencies.size(); ++r)
      if (!(out.frequencies[r] > out.frequencies[r - 1]))
        return wrong(fmt::format("row {}: the frequency {:g} Hz does not follow {:g} Hz", r + 1, out.frequencies[r],
                                 out.frequencies[r - 1]));
    return {};
  }

 private:
  [[nodiscard]] Diagnostic wrong(std::string text) const {
    const std::string first = name(0);
    return make_error(ErrorCode::invalid_input, std::move(text),
                      fmt::format("Columns are f[Hz], then {} {} re[N/m], {} {} im[N/m] and so on, as in "
                                  "charts/impedance.csv; those left out are zero. Rows ascend with f.",
                                  first, first, first, first));
  }
  /// Empty: there is none.
  [[nodiscard]] Result<std::vector<double>> take(const CsvTable& table, const std::string& column,
                                                 const std::string& unit, std::vector<char>& used) const {
    const std::size_t c = table.find(column);
    if (c == CsvTable::npos) return std::vector<double>();
    used[c] = 1;
    const auto factor = column_factor(table.columns[c], unit);
    if (!factor) return factor.error();
    std::vector<double> out = table.column(c);
    for (std::size_t r = 0; r < out.size(); ++r) {
      out[r] *= *factor;
      if (!std::isfinite(out[r])) return wrong(fmt::format("row {}: {} is not a finite number", r + 1, column));
    }
    return out;
  }
  const std::vector<Foundation>& foundations_;
};

/// Where a table is not its own transpose, within what tables of computed impedances are off: "" where it is.
std::string one_sided(const AddedStiffness& of, const StiffnessColumns& columns, std::size_t n) {
  for (std::size_t r = 0; r < of.values.size(); ++r) {
    const std::vector<Complex>& k = of.values[r];
    // What a motion's stiffness is: its own, else the largest of its kind.
    std::vector<double> own(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (i == j || (k[i * n + i] == 0.0 && (i % 6 < 3) == (j % 6 < 3)))
          own[i] = std::max(own[i], std::abs(k[j * n + j]));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const Complex a = k[i * n + j], b = k[j * n + i];
        const double off = std::abs(a - b), both = std::sqrt(own[i] * own[j]);
        if (off > 0.05 * std::max(std::abs(a), std::abs(b)) && off > 1e-3 * both)
          return fmt::format("at {}, '{} {}' is {:.4g} {:+.4g} i and '{} {}' is {:.4g} {:+.4g} i",
                             format_quantity(of.frequencies[r], "Hz"), columns.name(j), columns.name(i), b.real(),
                             b.imag(), columns.name(i), columns.name(j), a.real(), a.imag());
      }
  }
  return {};
}

}  // namespace

void ProblemReader::inertia(const Values& v, Foundation& f) {
  f.inertia = v["inertia"].vec3();
  f.products = v["products_of_inertia"].vec3();
  const Vec3 &own = f.inertia, &mixed = f.products;
  // A tensor of masses has no negative eigenvalue, and so no negative principal minor.
  constexpr double slack = 1e-9;
  double whole = own[0] * own[1] * own[2] - 2 * mixed[0] * mixed[1] * mixed[2];
  for (std::size_t d = 0; d < 3; ++d) whole -= own[(d + 2) % 3] * mixed[d] * mixed[d];
  bool body = whole >= -slack * own[0] * own[1] * own[2];
  for (std::size_t d = 0; d < 3; ++d) body = body && mixed[d] * mixed[d] <= (1 + slack) * own[d] * own[(d + 1) % 3];
  if (!body)
    fail(v["products_of_inertia"],
         fmt::format("no body has the products of inertia ({:g}, {:g}, {:g}) kg m^2 besides the moments ({:g}, {:g}, "
                     "{:g})",
                     mixed[0], mixed[1], mixed[2], own[0], own[1], own[2]),
         "Give both about the centre of mass: products are integrals of x y, y z and z x over the mass.");
}

void ProblemReader::beam(const Values& foundation, Foundation& f) {
  const Values v = foundation["beam"];
  if (p.profile || f.contact != Contact::welded) {
    fail(v,
         p.profile ? "foundations on a profile lie on its surface: none bends below it"
                   : "a beam is welded to the ground",
         p.profile ? "Mesh the pile's shaft, and leave out the profile." : "Use the contact \"welded\".");
    return;
  }
  if (!foundation.has("reference")) {
    fail(v, "where the beam begins is not given", "Give the foundation's reference: the head of the pile.");
    return;
  }
  Beam b;
  b.head = f.reference;
  const Vec3 way = vec::sub(v["tip"].vec3(), b.head);
  b.length = vec::norm(way);
  const bool round = v.has("diameter"), general = v.has("area") || v.has("second_moment");
  const double diameter = round ? v["diameter"].number() : 0, wall = v.has("wall") ? v["wall"].number() : 0;
  if (!(b.length > 0) || round == general || (general && !(v.has("area") && v.has("second_moment"))) ||
      (v.has("wall") && !(round && 2 * wall < diameter))) {
    fail(v,
         !(b.length > 0)    ? "the beam's tip is its head"
         : round == general ? "the beam's section is given twice or not at all"
         : general          ? "of the beam's section one of area and second moment is given"
                            : "the wall of the beam is no pipe's",
         "Give the tip, and diameter (and wall, of a pipe) or area and second_moment.");
    return;
  }
  b.along = vec::scale(1 / b.length, way);
  b.elements = static_cast<int>(v["elements"].integer());
  const double inner = wall > 0 ? diameter - 2 * wall : 0, pi = std::numbers::pi;
  const double area = round ? pi / 4 * (diameter * diameter - inner * inner) : v["area"].number(),
               second = round ? pi / 64 * (std::pow(diameter, 4) - std::pow(inner, 4)) : v["second_moment"].number(),
               young = v["young_modulus"].number(), shear = young / (2 * (1 + v["poisson"].number())),
               density = v["density"].number();
  b.axial = young * area;
  b.bending = young * second;
  b.twisting = shear * 2 * second;
  // G. R. Cowper 1966: round 0.9, thin pipes 0.5, rectangles 5/6, all for Poisson's ratios of structures.
  b.shearing = shear * (v.has("shear_area") ? v["shear_area"].number()
                                            : (!round     ? 5.0 / 6
                                               : wall > 0 ? 0.5
                                                          : 0.9) *
                                                  area);
  b.mass = density * area;
  b.turning = density * second;
  b.spin = density * 2 * second;
  b.damping = v["damping"].number();
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Index cell : p.scene.mesh->group(foundation["group"].text())->cells)
    for (const Index k : p.scene.mesh->nodes(cell)) {
      const double s = vec::dot(vec::sub(p.scene.mesh->point(k), b.head), b.along);
      low = std::min(low, s);
      high = std::max(high, s);
    }
  if (low < -0.01 * b.length || high > 1.01 * b.length)
    warn(v,
         fmt::format("the group reaches from {:.4g} to {:.4g} m along the beam of {:.4g} m: what lies beyond its ends "
                     "moves rigidly with them",
                     low, high, b.length),
         "Let reference and tip be the ends of the shaft.");
  else if (high < 0.9 * b.length)
    warn(v,
         fmt::format("the group reaches {:.4g} m along the beam of {:.4g} m: what lies beyond is held by no ground",
                     high, b.length),
         "Let the tip be the lower end of the shaft.");
  f.beam = b;
}

void ProblemReader::structure() {
  if (!has("structure")) return;
  const Values v = input["structure"];
  if (p.foundations.empty() || p.loads.empty()) {
    fail(v,
         p.foundations.empty() ? "a structure without foundations stands on nothing"
                               : "a structure without loads does not move",
         p.foundations.empty() ? "Give foundations." : "Give excitation.loads.");
    return;
  }
  const auto table = read_csv(input.path(v["file"].text()));
  if (!table) {
    fail(v["file"], table.error().render(), "Give a table of numbers, comma-separated.");
    return;
  }
  AddedStiffness made;
  const StiffnessColumns columns(p.foundations);
  if (const Status status = columns.read(*table, made); !status) {
    fail(v["file"], status.error().text, status.error().hint);
    return;
  }
  if (const std::string where = one_sided(made, columns, 6 * p.foundations.size()); !where.empty())
    warn(v["file"], "the stiffness is not symmetric: " + where,
         "Columns that are left out are zero: give both of a pair. Only what spins (gyroscopic moments) or is driven "
         "has two unlike ones.");
  const auto [low, high] = std::minmax_element(p.frequencies.begin(), p.frequencies.end());
  const double slack = 1e-9 * *high;
  if (made.frequencies.size() > 1 &&
      (*low < made.frequencies.front() - slack || *high > made.frequencies.back() + slack))
    fail(v["file"],
         fmt::format("the table goes from {} to {}, the case from {} to {}",
                     format_quantity(made.frequencies.front(), "Hz"), format_quantity(made.frequencies.back(), "Hz"),
                     format_quantity(*low, "Hz"), format_quantity(*high, "Hz")),
         "Let it hold all frequencies, or have a single row, which holds at all of them.");
  p.structure = std::move(made);
}

}  // namespace conoid::elastic_bem

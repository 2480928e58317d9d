// SPDX-License-Identifier: BSD-3-Clause
// Dispersion laws.
#include "engine/solvers/maxwell_fem/discretization/media.hpp"

#include "engine/case/case.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {

namespace {
constexpr double vacuum_permittivity = 8.8541878128e-12;
Tensor isotropic(Complex v) {
  return {v, v, v};
}
}  // namespace

Complex debye(double infinity, const std::vector<DebyeTerm>& terms, double conductivity, double frequency) {
  const double omega = 2 * pi * frequency;
  Complex out{infinity, -conductivity / (omega * vacuum_permittivity)};
  for (const DebyeTerm& t : terms) out += t.strength / Complex(1, omega * t.time);
  return out;
}

Complex lorentz(double infinity, const std::vector<LorentzTerm>& terms, double f) {
  Complex out = infinity;
  for (const LorentzTerm& t : terms)
    out += t.strength * t.frequency * t.frequency / Complex(t.frequency * t.frequency - f * f, f * t.damping);
  return out;
}

Complex drude(double infinity, double plasma_frequency, double damping, double f) {
  return infinity - plasma_frequency * plasma_frequency / Complex(f * f, -f * damping);
}

double interpolate(const std::vector<double>& at, const std::vector<double>& values, double x, double otherwise) {
  if (values.empty()) return otherwise;
  const auto above = static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), x) - at.begin());
  if (above == 0) return values.front();
  if (above >= at.size()) return values.back();
  const double share = (x - at[above - 1]) / (at[above] - at[above - 1]);
  return values[above - 1] + share * (values[above] - values[above - 1]);
}

MaterialLaw read_material(const Values& v, std::string& problem) {
  const std::string kind = v["kind"].text();
  if (kind == "constant") {
    const double e = v["permittivity"].number(), loss = v["permittivity_loss"].number(),
                 sigma = v["conductivity"].number();
    if (e == 0) problem = "a permittivity of 0 has no waves";
    const Complex mu{v["permeability"].number(), -v["permeability_loss"].number()};
    return [=](double f) {
      return Medium{isotropic({e, -loss - sigma / (2 * pi * f * vacuum_permittivity)}), isotropic(mu)};
    };
  }
  if (kind == "diagonal") {
    const auto e = v["permittivity"].numbers(), el = v["permittivity_loss"].numbers(), m = v["permeability"].numbers(),
               ml = v["permeability_loss"].numbers();
    for (int d = 0; d < 3; ++d)
      if (e[d] == 0 || !(m[d] > 0) || el[d] < 0 || ml[d] < 0)
        problem = "permittivities must not be 0, permeabilities positive, losses not negative";
    return [=](double) {
      Medium out;
      for (int d = 0; d < 3; ++d) {
        out.epsilon[d] = {e[d], -el[d]};
        out.mu[d] = {m[d], -ml[d]};
      }
      return out;
    };
  }
  if (kind == "table") {
    const auto f = v["frequencies"].numbers(), e = v["permittivity"].numbers(), el = v["permittivity_loss"].numbers(),
               m = v["permeability"].numbers(), ml = v["permeability_loss"].numbers();
    if (!std::is_sorted(f.begin(), f.end()) || std::adjacent_find(f.begin(), f.end()) != f.end())
      problem = "the frequencies of the table do not ascend";
    for (const auto* list : {&e, &el, &m, &ml})
      if (!list->empty() && list->size() != f.size()) problem = "the table has columns of different lengths";
    return [=](double x) {
      return Medium{isotropic({interpolate(f, e, x, 1), -interpolate(f, el, x, 0)}),
                    isotropic({interpolate(f, m, x, 1), -interpolate(f, ml, x, 0)})};
    };
  }
  const Complex mu{v["permeability"].number(), -v["permeability_loss"].number()};
  const double infinity = v["permittivity_infinity"].number();
  if (kind == "drude") {
    const double plasma = v["plasma_frequency"].number(), damping = v["damping"].number();
    return [=](double f) { return Medium{isotropic(drude(infinity, plasma, damping, f)), isotropic(mu)}; };
  }
  const Values terms = v["terms"];
  if (kind == "debye") {
    std::vector<DebyeTerm> list;
    for (std::size_t t = 0; t < terms.size(); ++t)
      list.push_back({terms.at(t)["strength"].number(), terms.at(t)["time"].number()});
    const double sigma = v["conductivity"].number();
    return [=](double f) { return Medium{isotropic(debye(infinity, list, sigma, f)), isotropic(mu)}; };
  }
  std::vector<LorentzTerm> list;
  for (std::size_t t = 0; t < terms.size(); ++t)
    list.push_back(
        {terms.at(t)["strength"].number(), terms.at(t)["frequency"].number(), terms.at(t)["damping"].number()});
  return [=](double f) { return Medium{isotropic(lorentz(infinity, list, f)), isotropic(mu)}; };
}

}  // namespace conoid::maxwell_fem

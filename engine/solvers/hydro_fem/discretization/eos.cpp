// SPDX-License-Identifier: BSD-3-Clause
// Stiffened gas, products of explosives, and tables.
#include "engine/solvers/hydro_fem/discretization/eos.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

class StiffenedGas final : public EquationOfState {
 public:
  StiffenedGas(double gamma, double p_infinity) : gamma_(gamma), p_infinity_(p_infinity) {}
  void evaluate(std::span<const double> density, std::span<const double> energy, std::span<double> pressure,
                std::span<double> sound_speed) const override {
    const double g1 = gamma_ - 1;
    const double gp = gamma_ * p_infinity_;
    for (std::size_t i = 0; i < density.size(); ++i) {
      const double e = std::max(0.0, energy[i]);
      const double p = g1 * density[i] * e - gp;
      pressure[i] = p;
      const double c2 = gamma_ * (p + p_infinity_) / density[i];
      sound_speed[i] = std::sqrt(c2 > 0 ? c2 : 0.0);
    }
  }
  [[nodiscard]] double energy(double density, double pressure) const override {
    return (pressure + gamma_ * p_infinity_) / ((gamma_ - 1) * density);
  }
  [[nodiscard]] double least_pressure() const override { return 0 - p_infinity_; }
  [[nodiscard]] std::optional<FlatState> flat() const override {
    return FlatState{gamma_, p_infinity_, nullptr, nullptr};
  }
  [[nodiscard]] std::string objection(double /*density*/, double pressure) const override {
    if (!(pressure < -p_infinity_)) return {};  // c² = γ (p + p∞)/ρ
    return fmt::format("the pressure {:g} Pa is below {:g} Pa, where its speed of sound ends", pressure,
                       0 - p_infinity_);
  }

 private:
  double gamma_, p_infinity_;
};

class JonesWilkinsLee final : public EquationOfState {
 public:
  explicit JonesWilkinsLee(const Jwl& j) : j_(j) {}
  void evaluate(std::span<const double> density, std::span<const double> energy, std::span<double> pressure,
                std::span<double> sound_speed) const override {
    const double w = j_.omega;
    for (std::size_t i = 0; i < density.size(); ++i) {
      const double rho = density[i], volume = j_.density / rho;
      const double first = j_.A * std::exp(-j_.R1 * volume), second = j_.B * std::exp(-j_.R2 * volume);
      const double s1 = w / (j_.R1 * volume), s2 = w / (j_.R2 * volume);
      const double p = first * (1 - s1) + second * (1 - s2) + w * rho * energy[i];
      // ρ ∂/∂ρ at constant e
      const double slope = first * (j_.R1 * volume * (1 - s1) - s1) + second * (j_.R2 * volume * (1 - s2) - s2);
      const double c2 = slope / rho + w * energy[i] + w * p / rho;
      pressure[i] = p;
      sound_speed[i] = std::sqrt(c2 > 0 ? c2 : 0.0);
    }
  }
  [[nodiscard]] double energy(double density, double pressure) const override {
    const double none = 0;
    double cold = 0, c = 0;
    evaluate({&density, 1}, {&none, 1}, {&cold, 1}, {&c, 1});
    return (pressure - cold) / (j_.omega * density);
  }
  [[nodiscard]] std::optional<FlatState> flat() const override { return FlatState{j_.omega, 0, nullptr, &j_}; }
  [[nodiscard]] std::string objection(double density, double pressure) const override {
    const double e = energy(density, pressure);
    double p = 0, c = 0;
    evaluate({&density, 1}, {&e, 1}, {&p, 1}, {&c, 1});
    if (c > 0) return {};
    return fmt::format("at {:g} kg/m^3 and {:g} Pa products of this explosive have no speed of sound", density,
                       pressure);
  }

 private:
  Jwl j_;
};

class Tabulated final : public EquationOfState {
 public:
  explicit Tabulated(EosTable table) : t_(std::move(table)) {
    verify(t_.density.size() >= 2 && t_.energy.size() >= 2, "a table of states has two rows and two columns");
    verify(t_.pressure.size() == t_.density.size() * t_.energy.size() && t_.sound_speed.size() == t_.pressure.size(),
           "a table of states is complete");
  }
  void evaluate(std::span<const double> density, std::span<const double> energy, std::span<double> pressure,
                std::span<double> sound_speed) const override {
    for (std::size_t i = 0; i < density.size(); ++i) {
      const auto [r, fr] = locate(t_.density, density[i]);
      const auto [e, fe] = locate(t_.energy, energy[i]);
      pressure[i] = blend(t_.pressure, r, fr, e, fe);
      sound_speed[i] = blend(t_.sound_speed, r, fr, e, fe);
    }
  }
  [[nodiscard]] double energy(double density, double pressure) const override {
    // Pressure rises with energy at fixed density: bisection over the table.
    double lo = t_.energy.front();
    double hi = t_.energy.back();
    for (int i = 0; i < 200; ++i) {
      const double mid = 0.5 * (lo + hi);
      double p = 0;
      double c = 0;
      evaluate(std::span(&density, 1), std::span(&mid, 1), std::span(&p, 1), std::span(&c, 1));
      (p < pressure ? lo : hi) = mid;
    }
    return 0.5 * (lo + hi);
  }
  [[nodiscard]] bool limited() const override { return true; }
  [[nodiscard]] double least_pressure() const override {
    return *std::min_element(t_.pressure.begin(), t_.pressure.end());
  }
  [[nodiscard]] std::optional<FlatState> flat() const override { return FlatState{0, 0, &t_, nullptr}; }
  [[nodiscard]] bool holds(double density, double energy) const override {
    return within(t_.density, density) && within(t_.energy, energy);
  }
  [[nodiscard]] std::string beyond(double density, double energy) const override {
    if (!within(t_.density, density)) return other_densities(density);
    if (within(t_.energy, energy)) return {};
    return fmt::format("its table holds energies of {:g} to {:g} J/kg, not {:g}", t_.energy.front(), t_.energy.back(),
                       energy);
  }
  [[nodiscard]] std::string objection(double density, double pressure) const override {
    if (!within(t_.density, density)) return other_densities(density);
    const double ends[] = {t_.energy.front(), t_.energy.back()};
    double p[2], c[2];
    const double both[] = {density, density};
    evaluate(both, ends, p, c);
    const double off = slack * std::max(std::abs(p[0]), std::abs(p[1]));
    if (pressure < p[0] - off || pressure > p[1] + off)
      return fmt::format("at {:g} kg/m^3 its table holds pressures of {:g} to {:g} Pa, not {:g}", density, p[0], p[1],
                         pressure);
    return {};
  }

 private:
  static constexpr double slack = 1e-9;  // of the ends, for rounding
  static bool within(const std::vector<double>& axis, double x) {
    return x >= axis.front() - slack * std::abs(axis.front()) && x <= axis.back() + slack * std::abs(axis.back());
  }
  [[nodiscard]] std::string other_densities(double density) const {
    return fmt::format("its table holds densities of {:g} to {:g} kg/m^3, not {:g}", t_.density.front(),
                       t_.density.back(), density);
  }
  static std::pair<std::size_t, double> locate(const std::vector<double>& axis, double x) {
    const auto above = std::upper_bound(axis.begin(), axis.end(), x);
    const auto i =
        std::clamp<std::ptrdiff_t>(above - axis.begin() - 1, 0, static_cast<std::ptrdiff_t>(axis.size()) - 2);
    const auto s = static_cast<std::size_t>(i);
    return {s, std::clamp((x - axis[s]) / (axis[s + 1] - axis[s]), 0.0, 1.0)};
  }
  [[nodiscard]] double blend(const std::vector<double>& v, std::size_t r, double fr, std::size_t e, double fe) const {
    const std::size_t n = t_.energy.size();
    const double low = v[r * n + e] * (1 - fe) + v[r * n + e + 1] * fe;
    const double high = v[(r + 1) * n + e] * (1 - fe) + v[(r + 1) * n + e + 1] * fe;
    return low * (1 - fr) + high * fr;
  }
  EosTable t_;
};

}  // namespace

std::unique_ptr<EquationOfState> stiffened_gas(double gamma, double p_infinity) {
  return std::make_unique<StiffenedGas>(gamma, p_infinity);
}
std::unique_ptr<EquationOfState> jones_wilkins_lee(const Jwl& constants) {
  return std::make_unique<JonesWilkinsLee>(constants);
}
std::unique_ptr<EquationOfState> tabulated(EosTable table) {
  return std::make_unique<Tabulated>(std::move(table));
}

}  // namespace conoid::hydro_fem

// SPDX-License-Identifier: BSD-3-Clause
// Equations of state: (density, specific internal energy) → (pressure, sound speed), for rows of points.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace conoid::hydro_fem {

struct EosTable;
/// Products of an explosive (Jones, Wilkins, Lee): with V = density / ρ,
///     p = A (1 - ω/(R1 V)) exp(-R1 V) + B (1 - ω/(R2 V)) exp(-R2 V) + ω ρ e.
struct Jwl {
  double density = 0;   ///< of the explosive [kg/m³]
  double A = 0, B = 0;  ///< [Pa]
  double R1 = 1, R2 = 1, omega = 0.3;
};
/// A material in numbers, for where no virtual function can be called.
struct FlatState {
  double gamma = 1.4, p_infinity = 0;
  const EosTable* table = nullptr;  ///< instead of them; lives as long as the material
  const Jwl* jwl = nullptr;         ///< likewise
};

/// One material. Evaluated for whole rows, so that a virtual call costs nothing and the loop vectorises.
class EquationOfState {
 public:
  virtual ~EquationOfState() = default;
  virtual void evaluate(std::span<const double> density, std::span<const double> energy, std::span<double> pressure,
                        std::span<double> sound_speed) const = 0;
  /// Specific energy that gives a pressure at a density: for initial states.
  [[nodiscard]] virtual double energy(double density, double pressure) const = 0;
  /// Whether there are states, other than negative energies, at which evaluate() gives those of the nearest that it knows.
  [[nodiscard]] virtual bool limited() const { return false; }
  /// Whether it knows the state [kg/m³, J/kg] itself, with a slack for rounding.
  [[nodiscard]] virtual bool holds(double /*density*/, double /*energy*/) const { return true; }
  /// What it knows and what was asked of it, as the end of a sentence; empty where it holds the state.
  [[nodiscard]] virtual std::string beyond(double /*density*/, double /*energy*/) const { return {}; }
  /// No state of it has less pressure [Pa]: what presses it from outside with less would pull.
  [[nodiscard]] virtual double least_pressure() const { return 0; }
  /// Nothing where the material is more than these forms can say.
  [[nodiscard]] virtual std::optional<FlatState> flat() const { return std::nullopt; }
  /// Why the material cannot be in such a state [kg/m³, Pa], as the end of a sentence; empty where it can.
  [[nodiscard]] virtual std::string objection(double density, double pressure) const = 0;
};

/// Stiffened gas p = (γ-1) ρ e - γ p∞, c² = γ (p + p∞)/ρ; ideal gas for p∞ = 0, where c² = γ(γ-1) e. Energies below
/// -q are cut at zero before p and c are formed.
[[nodiscard]] std::unique_ptr<EquationOfState> stiffened_gas(double gamma, double p_infinity = 0);

/// c² = ∂p/∂ρ + p/ρ² ∂p/∂e, cut at zero. Energies are from those of the cold products; there is no limit to them.
[[nodiscard]] std::unique_ptr<EquationOfState> jones_wilkins_lee(const Jwl& constants);

/// Bilinear table over (density, energy), ascending axes, values row by row (energy fastest); clamped at its ends.
struct EosTable {
  std::vector<double> density, energy, pressure, sound_speed;
};
[[nodiscard]] std::unique_ptr<EquationOfState> tabulated(EosTable table);

}  // namespace conoid::hydro_fem

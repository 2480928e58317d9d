// SPDX-License-Identifier: BSD-3-Clause
// Head-related responses by reciprocity: ears send, directions listen.
//
// The pressure that a monopole of volume velocity Q at x gives to an ear, averaged over it, is that which the ear, moving as a piston of the
// volume velocity Q, gives to x (A. D. Pierce, Acoustics, 1989). So one solution a frequency and ear holds the response
// to sources in all directions. It is told over what the source would give to the head's centre with no head there, −iωρQ e^{ikr}/4πr.
// Convention e^{−iωt}; files and tables are under e^{+jωt}.
// Of a rigid sphere the series is that of R. O. Duda and W. L. Martens, J. Acoust. Soc. Am. 104 (1998) 3048 (exact_sphere.hpp).
#pragma once

#include <array>
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/drive.hpp"
#include "engine/solvers/acoustic_bem/discretization/form.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_bem {

struct HeadSetting {
  std::vector<std::string> ears;                    ///< groups of faces that move along their normals
  Vec3 center{}, view{1, 0, 0}, up{0, 0, 1};        ///< m; unit, at right angles
  double radius = 1;                                ///< of the sources about the centre, m
  std::vector<std::array<double, 2>> directions{};  ///< azimuth (from the view to the left) and elevation, degrees
  std::vector<double> frequencies{};                ///< Hz: k · step, k = 1, 2, …; empty: no such output
  double rate = 0;                                  ///< Hz, of signals over time; 0: none
  bool even_angles = false;                         ///< directions are rows of one elevation each, poles once
  [[nodiscard]] Vec3 left() const;
  [[nodiscard]] Vec3 toward(std::size_t direction) const;  ///< unit
  [[nodiscard]] Vec3 place(std::size_t direction) const;   ///< of the source
};

/// Poles, and between them rows `step` degrees apart (a whole number of them) of directions as far apart along the equator.
[[nodiscard]] std::vector<std::array<double, 2>> even_angles(double step);
/// So many directions along a spiral, each with the same solid angle (R. Swinbank, R. J. Purser, Q. J. R. Meteorol. Soc. 132 (2006) 1769).
[[nodiscard]] std::vector<std::array<double, 2>> spiral(int count);

/// Response of an ear to the sources in all directions, from the surface's â where the ear moves with velocity 1 (Drive::response_of).
[[nodiscard]] std::vector<std::complex<double>> ear_responses(const Surface& surface, const Form& form,
                                                              const Drive& drive, std::size_t motion,
                                                              std::span<const std::complex<double>> a, double frequency,
                                                              const HeadSetting& head, Team& team);
/// The same of a rigid sphere about the head's centre, over the same faces.
[[nodiscard]] std::vector<std::complex<double>> exact_ear_responses(const Surface& surface, const Form& form,
                                                                    std::size_t wall, double sphere_radius,
                                                                    double frequency, const HeadSetting& head);
/// Signals under e^{+jωt} at `rate` from responses under e^{+jωt} at the frequencies k · step: real, `samples` of them, the centre's own
/// signal at sample `late`. Beyond the last frequency there is nothing; the last eighth fades out as a cosine.
[[nodiscard]] std::vector<double> signal_of(std::span<const std::complex<double>> response, std::size_t samples,
                                            double late);

}  // namespace conoid::acoustic_bem

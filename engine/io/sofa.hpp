// SPDX-License-Identifier: BSD-3-Clause
// Head-related responses as SOFA files (AES69: HDF5 with the dimensions of netCDF 4), for programs that play or compare them.
//
// Conventions SimpleFreeFieldHRTF 1.0 (complex responses over frequency) and SimpleFreeFieldHRIR 1.0 (signals over time), both of the format's
// version 2.1. M directions of sources, R ears, N frequencies or samples. In SOFA responses are under exp(+jωt), azimuth runs from the view
// (0 degrees) to the left, elevation from the plane of the ears up.
#pragma once

#include <array>
#include <complex>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

struct SofaScene {
  std::string title;    ///< of the case
  std::string subject;  ///< "ListenerShortName": whose head
  std::string comment;
  std::vector<Vec3> ears;                      ///< m, in the listener's axes: x along the view, z up
  std::vector<std::array<double, 3>> sources;  ///< azimuth and elevation in degrees, distance in m
};

/// Writes or replaces a file of SimpleFreeFieldHRTF. `responses`: [source][ear][frequency], under exp(+jωt). Error: the file cannot be
/// written, or this build has no HDF5. Thread-safe.
[[nodiscard]] Status write_sofa_responses(const std::filesystem::path& path, const SofaScene& scene,
                                          std::span<const double> frequencies,
                                          std::span<const std::complex<double>> responses);
/// The same of SimpleFreeFieldHRIR. `impulses`: [source][ear][sample], `rate` in Hz.
[[nodiscard]] Status write_sofa_signals(const std::filesystem::path& path, const SofaScene& scene, double rate,
                                        std::size_t samples, std::span<const double> impulses);

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// The medium of a case: speed, density, attenuation.
#include "engine/io/segy.hpp"
#include "engine/models/grids.hpp"
#include "engine/models/model.hpp"
#include "engine/solvers/acoustic_fd/case_parts.hpp"
#include "engine/solvers/acoustic_fd/discretization/attenuation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// A quantity of the medium: `value` is the key of a constant and of a layer, "speed" or "density". `known` is false when
/// something was wrong.
struct Quantity {
  std::shared_ptr<const Velocity> field;
  SpeedRange range;
  bool known = false;
};

/// Depths that were meant as coordinates leave a grid with one layer, or none of those that were meant.
void warn_of_layers_outside(const CaseReader& reader, const Values& at, const std::vector<Layer>& layers, double depth,
                            const std::string& face) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool above = i + 1 < layers.size() && layers[i + 1].top <= 0, below = i > 0 && layers[i].top >= depth;
    if (!above && !below) continue;
    reader.warn(at.at(i)["top"],
                above ? fmt::format("nothing of layer {} lies in the grid: it ends at a depth of {}", i + 1,
                                    length(layers[i + 1].top))
                      : fmt::format("nothing of layer {} lies in the grid, which is {} deep: it begins at {}", i + 1,
                                    length(depth), length(layers[i].top)),
                fmt::format("Depths are counted from face {} of the grid into it; they are no coordinates.", face));
    return;
  }
}

Quantity read_quantity(const CaseReader& reader, const Values& v, const char* value, ModelQuantity what,
                       const Grid& g) {
  Quantity out;
  const Vec3 upper{g.upper(0), g.upper(1), g.upper(2)};
  const std::string kind = v["kind"].text();
  if (kind == "constant") {
    out.field = constant_velocity(v[value].number());
  } else if (kind == "layers") {
    const std::string axis = v["depth_axis"].text();
    const int sign = axis.front() == '-' ? -1 : 1;
    const int a = axis.back() - 'x';
    const double surface = sign > 0 ? g.origin[static_cast<std::size_t>(a)] : upper[static_cast<std::size_t>(a)];
    std::vector<Layer> layers;
    for (std::size_t i = 0; i < v["layers"].size(); ++i) {
      const Values l = v["layers"].at(i);
      layers.push_back({l["top"].number(), l[value].number(), l["gradient"].number()});
      if (i > 0 && !(layers[i].top > layers[i - 1].top)) {
        reader.fail(l["top"],
                    fmt::format("layer {} begins at a depth of {}, not below layer {} at {}", i + 1,
                                length(layers[i].top), i, length(layers[i - 1].top)),
                    "Order the layers from the shallowest to the deepest.");
        return out;
      }
    }
    warn_of_layers_outside(reader, v["layers"], layers,
                           upper[static_cast<std::size_t>(a)] - g.origin[static_cast<std::size_t>(a)],
                           fmt::format("{}_{}", "xyz"[a], sign > 0 ? "min" : "max"));
    out.field = layered_velocity(a, sign, surface, std::move(layers));
  } else {
    SegyBytes bytes;
    if (v.has("segy")) {
      const Values b = v["segy"];
      const auto byte = [&](const char* key) { return static_cast<int>(b[key].integer()); };
      bytes = {byte("inline"), byte("crossline"), byte("x"), byte("y")};
    }
    std::filesystem::path path = reader.input.path(v["header"].text());
    if (v.has("array") && !v["array"].text().empty()) {
      if (!names_hdf5(path)) {
        reader.fail(v["array"], "\"array\" names an array of an HDF5 file; the model is another kind of file",
                    "Leave \"array\" out, or name an .h5 or .hdf5 file in \"header\".");
        return out;
      }
      path += ":" + v["array"].text();
    }
    const auto model = open_model(path, what, bytes);
    if (!model) {
      reader.fail_in_file(v["header"], model.error());
      return out;
    }
    const ModelBox box = (*model)->box();
    for (std::string& text : (*model)->notes()) {
      reader.note(v["header"], std::move(text), "");
    }
    for (std::size_t a = 0; a < 3; ++a) {
      const double last = box.origin[a] + static_cast<double>(box.shape[a] - 1) * box.spacing[a];
      if (g.origin[a] < box.origin[a] - 0.5 * box.spacing[a] || upper[a] > last + 0.5 * box.spacing[a])
        reader.warn(v["header"],
                    fmt::format("the model covers {} to {} along {}, the grid {} to {}", length(box.origin[a]),
                                length(last), "xyz"[a], length(g.origin[a]), length(upper[a])),
                    "Outside the model its nearest value is used; check origin, spacing and the order of the axes.");
    }
    auto samples = (*model)->load();
    if (!samples) {
      reader.fail_in_file(v["header"], samples.error());
      return out;
    }
    out.field = *samples;
  }
  out.range = out.field->range(g.origin, upper);
  out.known = out.range.highest > 0;
  if (!(out.range.lowest > 0)) {
    const bool speed = what == ModelQuantity::speed;
    reader.fail(v,
                fmt::format("the {} falls to {} {} inside the grid; a positive {} was expected",
                            speed ? "speed of sound" : "density", out.range.lowest, speed ? "m/s" : "kg/m^3", value),
                speed ? "Correct the speeds or the gradients of the layers."
                      : "Correct the densities or the gradients of the layers.");
    out.known = false;
  }
  return out;
}

}  // namespace

void read_medium(const CaseReader& reader, Setup& setup) {
  Problem& p = setup.problem;
  const Values medium = reader["medium"];
  const Quantity speed = read_quantity(reader, medium["velocity"], "speed", ModelQuantity::speed, p.grid);
  p.velocity = speed.field;
  p.speed = speed.range;
  setup.velocity_known = speed.known;
  setup.model_file = medium["velocity"]["kind"].text() == "file";
  const Values v = medium["density"];
  if (v["kind"].text() == "constant") return;  // a constant density drops out of the equation
  const Quantity density = read_quantity(reader, v, "density", ModelQuantity::density, p.grid);
  if (!density.known) return;
  setup.density = density.range;
  p.density = density.field;
  p.reference_density = std::sqrt(density.range.lowest * density.range.highest);
  constexpr double contrast = 20;
  if (density.range.highest > contrast * density.range.lowest)
    reader.fail(
        v,
        fmt::format("the density reaches from {:.4g} to {:.4g} kg/m^3, a contrast of {:.3g}; up to {} is possible",
                    density.range.lowest, density.range.highest, density.range.highest / density.range.lowest,
                    contrast),
        "Replace the light side by a free surface, or the heavy side by a rigid wall.");
}

void read_attenuation(const CaseReader& reader, Setup& setup) {
  const Values v = reader["medium"]["attenuation"];
  if (v["kind"].text() != "constant_q") return;
  Problem& p = setup.problem;
  constexpr double decades = 40, peak = 2.5;  // of the band; a Ricker wavelet reaches to so many times its peak
  constexpr std::size_t solids = 3;
  double highest = v.has("highest") ? v["highest"].number() : setup.highest_sent;
  if (!(highest > 0)) {
    reader.fail(v, "the band of the attenuation is not known: nothing is sent whose frequencies are",
                "Add \"highest\", the highest frequency that matters.");
    return;
  }
  const double lowest = v.has("lowest") ? v["lowest"].number() : highest / decades;
  if (!(lowest < highest)) {
    reader.fail(v["lowest"],
                fmt::format("the band of constant Q reaches from {} to {}", format_quantity(lowest, "Hz"),
                            format_quantity(highest, "Hz")),
                "\"lowest\" must be below \"highest\".");
    return;
  }
  setup.quality = v["quality"].number();
  setup.quality_band = {lowest, highest};
  const double typical = (setup.highest_sent > 0 ? setup.highest_sent : highest) / peak;
  setup.quality_frequency = v.has("reference") ? v["reference"].number() : typical;
  p.relaxations = constant_quality(setup.quality, lowest, highest, solids);
  const auto stiffening_at = [&](double frequency) {
    const double within = std::clamp(frequency, lowest, highest);
    return stiffening(p.relaxations, within) * constant_quality_speed(setup.quality, within / frequency);
  };
  p.stiffening = stiffening_at(setup.quality_frequency);
  p.initial.stiffening = stiffening_at(typical);
  if (p.velocity) p.velocity = scaled_velocity(p.velocity, p.stiffening);
  p.speed = {p.stiffening * p.speed.lowest, p.stiffening * p.speed.highest};
  if (const double away = setup.quality_frequency / std::clamp(setup.quality_frequency, lowest, highest); away != 1)
    reader.note(
        v,
        fmt::format("the speed holds at {}, outside the band of constant Q from {} to {}: at its end it is taken "
                    "{:.3g} times as high, by the law of a constant Q at all frequencies",
                    format_quantity(setup.quality_frequency, "Hz"), format_quantity(lowest, "Hz"),
                    format_quantity(highest, "Hz"), constant_quality_speed(setup.quality, 1 / away)),
        "Give the speed at a frequency within the band, where it is known, with \"reference\".");
  if (setup.highest_sent > 1.001 * highest)
    reader.warn(v["highest"],
                fmt::format("what is sent reaches {}; from {} on waves lose ever less than Q {:g} takes from them",
                            format_quantity(setup.highest_sent, "Hz"), format_quantity(highest, "Hz"), setup.quality),
                "Raise \"highest\" to what is sent, or leave it away.");
  if (const double off = ripple(p.relaxations, setup.quality, lowest, highest); off > 0.1)
    reader.warn(v,
                fmt::format("between {} and {} Q differs by up to {:.0f} % from {:g}", format_quantity(lowest, "Hz"),
                            format_quantity(highest, "Hz"), 100 * off, setup.quality),
                "A narrower band, with \"lowest\" and \"highest\", comes closer.");
}

}  // namespace conoid::acoustic_fd

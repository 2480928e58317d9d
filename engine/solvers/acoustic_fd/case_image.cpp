// SPDX-License-Identifier: BSD-3-Clause
// Reads what a case says of its images, observed traces, and smooths the medium.
#include "engine/solvers/acoustic_fd/case_image.hpp"

#include "engine/core/units.hpp"
#include "engine/io/segy.hpp"
#include "engine/models/model.hpp"
#include "engine/solvers/acoustic_fd/case_parts.hpp"
#include "engine/solvers/acoustic_fd/case_shapes.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// Gaussian weights within four deviations, of sum one; of nodes `spacing` apart.
std::vector<double> bell(double deviation, double spacing) {
  const auto reach = static_cast<Index>(std::ceil(4 * deviation / spacing));
  std::vector<double> out(static_cast<std::size_t>(2 * reach + 1));
  double sum = 0;
  for (Index i = -reach; i <= reach; ++i) {
    const double d = static_cast<double>(i) * spacing / deviation;
    sum += out[static_cast<std::size_t>(i + reach)] = std::exp(-0.5 * d * d);
  }
  for (double& w : out) w /= sum;
  return out;
}

std::shared_ptr<const Velocity> smoothed(const Grid& g, const Velocity& of, double deviation, bool inverse) {
  const auto& n = g.points;
  std::vector<float> values;
  try {
    values.resize(static_cast<std::size_t>(g.cells()));
  } catch (const std::bad_alloc&) {
    throw Failure(make_error(ErrorCode::resources, "no memory for the smooth medium",
                             "Give a smooth model in \"medium\", and leave \"smooth\" out."));
  }
  parallel_for(0, {0, n[0]}, 1, [&](Index x) {
    std::vector<double> row(static_cast<std::size_t>(n[2]));
    for (Index y = 0; y < n[1]; ++y) {
      of.row(g.at(0, x), g.at(1, y), g.origin[2], g.spacing[2], row);
      for (Index z = 0; z < n[2]; ++z) {
        const double v = row[static_cast<std::size_t>(z)];
        values[static_cast<std::size_t>((x * n[1] + y) * n[2] + z)] = static_cast<float>(inverse ? 1 / v : v);
      }
    }
  });
  const std::array<Index, 3> stride{n[1] * n[2], n[2], 1};
  for (std::size_t a = 0; a < 3; ++a) {
    if (n[a] == 1) continue;
    const std::vector<double> weights = bell(deviation, g.spacing[a]);
    const auto reach = static_cast<Index>(weights.size() / 2);
    const std::size_t b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
    parallel_for(0, {0, n[b]}, 1, [&](Index i) {
      std::vector<double> line(static_cast<std::size_t>(n[a]));
      for (Index j = 0; j < n[c]; ++j) {
        float* const at = values.data() + i * stride[b] + j * stride[c];
        for (Index k = 0; k < n[a]; ++k) line[static_cast<std::size_t>(k)] = static_cast<double>(at[k * stride[a]]);
        for (Index k = 0; k < n[a]; ++k) {
          double sum = 0;
          for (Index m = -reach; m <= reach; ++m)
            sum += weights[static_cast<std::size_t>(m + reach)] *
                   line[static_cast<std::size_t>(std::clamp<Index>(k + m, 0, n[a] - 1))];
          at[k * stride[a]] = static_cast<float>(sum);
        }
      }
    });
  }
  if (inverse)
    for (float& v : values) v = 1 / v;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const SpeedRange range{static_cast<double>(*low), static_cast<double>(*high)};
  return sampled_velocity({n, g.spacing, g.origin}, stride, std::move(values), range);
}

/// How far write_segy() moves a position of this trace along each axis, at most.
double rounding_of(const SegyTrace& trace) {
  double largest = 1;
  for (const Vec3& place : {trace.receiver, trace.source})
    for (const double x : place) largest = std::max(largest, std::abs(x));
  return 0.5 / segy_units_a_metre(largest) * (1 + 1e-9);
}

std::filesystem::path file_of_shot(const ImageSettings& settings, Index shot) {
  if (settings.observed == ImageSettings::Observed::segy) return settings.file;
  return settings.file / "traces" / fmt::format("shot-{}.sgy", shot);
}

}  // namespace

void smooth_medium(Problem& p, double deviation) {
  if (!(deviation > 0)) return;
  if (p.velocity && !p.velocity->constant()) p.velocity = smoothed(p.grid, *p.velocity, deviation, true);
  if (p.density && !p.density->constant()) p.density = smoothed(p.grid, *p.density, deviation, false);
}

ImageSettings read_image(const Case& input, const Problem& p, double highest) {
  ImageSettings out;
  const Values v = input["parameters"]["image"];
  const std::string kind = v["kind"].text();
  if (kind == "none") return out;
  using I = ImageSettings;
  out.kind = kind == "gradient" ? I::Kind::gradient : I::Kind::migration;
  const Values observed = v["observed"];
  const std::string from = observed["kind"].text();
  out.observed = from == "run" ? I::Observed::run : from == "segy" ? I::Observed::segy : I::Observed::computed;
  if (out.observed == I::Observed::run) out.file = input.path(observed["run"].text());
  if (out.observed == I::Observed::segy) out.file = input.path(observed["file"].text());
  out.smooth = v["smooth"].number();
  out.every = v["every"].integer();
  // Four products in the shortest period. What traces send back is cut at their end, which gives it twice the highest frequency, where the filter
  // of the traces ends: together with that of the source three are the least that does not fold.
  if (out.every == 0)
    out.every = highest > 0 && p.dt > 0 ? std::max<Index>(1, static_cast<Index>(1 / (4 * highest * p.dt))) : 1;
  if (p.steps > 0) out.every = std::min(out.every, p.steps);
  const std::string snapshots = v["snapshots"].text();
  out.compressed = snapshots == "compressed" || (snapshots == "auto" && !p.double_precision);
  if (out.kind == I::Kind::gradient) return out;
  out.send_observed = v["send"].text() == "observed";
  const std::string light = v["illumination"].text();
  out.illumination = light == "source" ? I::Illumination::source
                     : light == "both" ? I::Illumination::both
                                       : I::Illumination::none;
  out.stabilisation = v["stabilisation"].number();
  out.laplacian = v["laplacian"].boolean();
  return out;
}

Result<ObservedShot> read_observed(const ImageSettings& settings, Index shot, bool only_one,
                                   std::span<const Receiver> receivers, double near) {
  const std::filesystem::path path = file_of_shot(settings, shot);
  const auto file = SegyReader::open(path);
  if (!file) return file.error();
  const auto fail = [&](const std::string& what, const std::string& hint) {
    return make_error(ErrorCode::invalid_input, what, hint, {path.string(), 0, ""});
  };
  ObservedShot out;
  out.interval = 1e-6 * file->interval_microseconds();
  out.samples = file->samples();
  if (!(out.interval > 0) || out.samples < 2)
    return fail(fmt::format("{} samples {} apart are no traces", out.samples, format_quantity(out.interval, "s")),
                "Observed traces have two samples and more, and their interval in bytes 3217-3218.");
  constexpr double nobody = std::numeric_limits<double>::infinity();
  std::vector<double> distance(receivers.size(), nobody);
  out.known.assign(receivers.size(), 0);
  out.values.assign(receivers.size() * static_cast<std::size_t>(out.samples), 0.0F);
  std::vector<float> samples(static_cast<std::size_t>(out.samples));
  // Where there is one shot in the case and one in the file, their numbers may differ.
  bool named = false, one_in_file = true;
  std::int32_t number = 0;
  for (Index n = 0; n < file->traces(); ++n) {
    SegyTrace header;
    if (const Status s = file->read(n, header, {}); !s) return s.error();
    named |= header.shot == shot;
    if (n == 0) number = header.shot;
    one_in_file &= header.shot == number;
  }
  const bool own = settings.observed == ImageSettings::Observed::run;
  const bool any_number = !named && only_one && one_in_file;
  Index of_shot = 0;
  for (Index n = 0; n < file->traces(); ++n) {
    SegyTrace header;
    if (const Status s = file->read(n, header, {}); !s) return s.error();
    if (header.shot != shot && !any_number) continue;
    ++of_shot;
    if (header.delay != 0)
      return fail(
          fmt::format("trace {} begins {} after the shot (bytes 109-110)", n + 1, format_quantity(header.delay, "s")),
          "Fill the traces with zeros from the moment of the shot on.");
    bool loaded = false;
    const double rounded = own ? rounding_of(header) : 0;
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      const Vec3& a = receivers[r].position;
      const Vec3 off{a[0] - header.receiver[0], a[1] - header.receiver[1], a[2] - header.receiver[2]};
      const double d = std::hypot(off[0], off[1], off[2]);
      if (!(d <= near) && !(std::max({std::abs(off[0]), std::abs(off[1]), std::abs(off[2])}) <= rounded)) continue;
      // Receivers closer than what the file tells apart lie at one place there, in their order.
      const bool numbered = own && header.channel == static_cast<std::int32_t>(r + 1);
      if (!(d < distance[r]) && !(numbered && d <= distance[r])) continue;
      if (!loaded) {
        if (const Status s = file->read(n, header, samples); !s) return s.error();
        if (const Status s = check_samples(path, n, samples); !s) return s.error();
      }
      loaded = true;
      distance[r] = d;
      out.known[r] = 1;
      std::copy(samples.begin(), samples.end(), out.values.begin() + static_cast<std::ptrdiff_t>(r) * out.samples);
    }
  }
  if (of_shot == 0)
    return fail(fmt::format("no trace of shot {} (bytes 9-12 of the trace headers)", shot),
                "Number the sources of the case (\"shot\") as the file does.");
  if (std::find(out.known.begin(), out.known.end(), 1) == out.known.end())
    return fail(fmt::format("none of the {} traces of shot {} lies within {} of a receiver of the case", of_shot, shot,
                            format_quantity(near, "m")),
                "Put receivers where the trace headers have them (bytes 81 to 88 and 41).");
  return out;
}

void check_image(const CaseReader& reader, const ImageSettings& settings, const Problem& p,
                 std::span<const Index> shots, std::span<const Receiver> receivers, double highest) {
  if (!settings.any()) return;
  const Values v = reader["parameters"]["image"];
  const auto refuse = [&](const Values& at, const std::string& what, const std::string& hint) {
    reader.fail(at, what, hint);
  };
  if (p.sources.empty()) refuse(v, "an image needs sources", "Add \"excitation.sources\", one shot or several.");
  if (receivers.empty())
    refuse(v, "an image needs receivers of the pressure", "Add \"output.receivers\" or \"output.receiver_lines\".");
  if (p.initial.kind != Initial::Kind::none)
    refuse(reader["excitation"]["initial"], "an image is made of shots from silence; the case has an initial field",
           "Leave \"excitation.initial\" out.");
  if (p.maps() > 0)
    refuse(reader["output"], "peak and RMS pressures are those of one march, an image takes several a shot",
           "Leave \"peak_pressure\" and \"rms_pressure\" out.");
  const bool gradient = settings.kind == ImageSettings::Kind::gradient;
  if (settings.observed == ImageSettings::Observed::computed && !(settings.smooth > 0) && !settings.send_observed)
    refuse(v, "observed traces are computed in the medium of the case, and so are the modelled ones: nothing is left",
           "Give \"smooth\", a length over which the medium of the image is smoothed; or observed traces of files.");
  const auto same_everywhere = [](const std::shared_ptr<const Velocity>& field) { return !field || field->constant(); };
  if (settings.observed == ImageSettings::Observed::computed && settings.smooth > 0 && !settings.send_observed &&
      same_everywhere(p.velocity) && same_everywhere(p.density))
    refuse(v["smooth"],
           "the medium is the same everywhere and smooth already: observed and modelled traces are the same, nothing "
           "is left",
           "Give the medium that is looked for in \"medium\", or observed traces of files.");
  const double products = highest > 0 && p.dt > 0 ? 1 / (highest * static_cast<double>(settings.every) * p.dt)
                                                  : std::numeric_limits<double>::infinity();
  if (settings.every > 1 && p.steps < 2 * settings.every)
    refuse(v["every"], fmt::format("products every {} steps of {} are too few", settings.every, p.steps),
           "Compute longer, or leave \"every\" out.");
  else if (settings.every > 1 && products < 3 * (1 - 1e-9))
    reader.warn(v["every"],
                fmt::format("products every {} steps are {:.2g} in the shortest period of {}; three are the least that "
                            "do not fold into each other",
                            settings.every, products, format_quantity(1 / highest, "s")),
                fmt::format("Use {} or less, or leave \"every\" out, which takes four.",
                            std::max<Index>(1, static_cast<Index>(1 / (3 * highest * p.dt)))));
  const bool matched =
      std::any_of(p.faces.begin(), p.faces.end(), [](const Face& f) { return f.kind == FaceKind::matched; });
  if (gradient && matched) {
    reader.note(v, "beside matched layers the gradient is exact but for what the layers send back, some 1e-3 of it",
                "For a gradient that is exact to rounding make absorbing faces sponges.");
  }
  if (settings.observed == ImageSettings::Observed::computed || receivers.empty()) return;
  for (const Index shot : shots) {
    const auto observed = read_observed(settings, shot, shots.size() == 1, receivers, 0.05 * p.grid.finest());
    const Values at = v["observed"];
    if (!observed) {
      reader.fail_in_file(at[settings.observed == ImageSettings::Observed::run ? "run" : "file"], observed.error());
      return;
    }
    const auto known = std::count(observed->known.begin(), observed->known.end(), 1);
    if (static_cast<std::size_t>(known) < receivers.size())
      reader.warn(at,
                  fmt::format("{} of {} receivers have no trace of shot {}, and do not count",
                              receivers.size() - static_cast<std::size_t>(known), receivers.size(), shot),
                  "Receivers take the trace whose position is nearest, within a twentieth of the spacing.");
    const double end = static_cast<double>(observed->samples - 1) * observed->interval,
                 computed = static_cast<double>(p.steps) * p.dt;
    if (end < 0.5 * computed)
      reader.warn(at,
                  fmt::format("the traces of shot {} end at {}, the run at {}", shot, format_quantity(end, "s"),
                              format_quantity(computed, "s")),
                  "What comes later does not count: a sooner \"end_time\" does.");
  }
}

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// What a case sends: traces of files, and what is wrong with sources and with pressure at the start.
#include "engine/io/segy.hpp"
#include "engine/solvers/acoustic_fd/case_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// Of one source, or of an element of an array, which the case has at `from`. Whether something was told.
bool check_source(const Setup& setup, const CaseReader& reader, const Values& from, const Source& source) {
  const Problem& p = setup.problem;
  const Grid& g = p.grid;
  const std::size_t before = reader.out.size(), number = source.listed + 1;
  if (const auto& signal = source.signal; signal->begin() < -1e-9 * (signal->end() - signal->begin()))
    reader.warn(from["signal"],
                fmt::format("the signal begins at {}; the run begins at 0: what lies before is never sent",
                            format_quantity(signal->begin(), "s")),
                "Shift the times of the file so that they begin at 0 or later.");
  const Values where = from["position"];
  const char* const whose = source.centre == source.position ? "" : "an element's ";
  for (const SourcePart& part : source.parts)
    if (const std::string text = outside(g, part.position); !text.empty()) {
      reader.fail(where, fmt::format("source {}: {}", number, text),
                  "Move the source, make it smaller, or enlarge the grid.");
      break;
    }
  if (const std::string text = outside(g, source.position); !text.empty()) {
    reader.fail(where, fmt::format("source {}: {}{}", number, whose, text), "Move the source or enlarge the grid.");
    return true;
  }
  if (const std::string text = within_layer(p, source.position); !text.empty()) {
    reader.warn(where, fmt::format("source {} lies in the absorbing layer of {}", number, text),
                "Its amplitude will be too small there; move it inwards or enlarge the grid.");
    return true;
  }
  for (std::size_t f = 0; f < 6; ++f)
    if (p.faces[f].kind == FaceKind::free_surface && from_face(g, f, source.position) < 1e-9) {
      reader.warn(where,
                  fmt::format("source {} lies on the free surface {}, where it is silent", number, face_names[f]),
                  "Move it below the surface.");
      break;
    }
  return reader.out.size() > before;
}

/// Largest |value| of a signal between two times, looked at eight times in its shortest period; infinite where that is too often.
double largest_between(const Signal& signal, double from, double to) {
  if (!(from <= to)) return 0;
  const double looks = std::max(2000.0, 8 * signal.highest_frequency() * (to - from));
  if (!(looks < 300000)) return std::numeric_limits<double>::infinity();
  double out = 0;
  for (double i = 0; i <= looks; ++i) out = std::max(out, std::abs(signal.at(from + (to - from) * i / looks)));
  return out;
}

/// A signal that is cut at its ends sends all frequencies, which no grid carries.
void check_beginning(const Problem& p, const CaseReader& reader, const Values& from, const Source& source) {
  const bool wavelet = from["signal"]["kind"].text() == "ricker";
  const double matters = wavelet ? 2e-3 : 0.05;  // a delay of one period leaves 1e-3; records have noise
  const Signal& signal = *source.signal;
  const double begin = std::max(0.0, signal.begin()), end = signal.end(),
               last = wavelet || end > static_cast<double>(p.steps) * p.dt ? 0 : std::abs(signal.at(end)),
               jump = std::max(std::abs(signal.at(begin)), last), most = largest_between(signal, begin, end);
  if (!std::isfinite(most) || jump <= matters * most) return;
  reader.warn(from["signal"],
              fmt::format("source {} begins {}with a jump of {:.3g} % of its largest value: frequencies far above its "
                          "own go out, which the grid does not carry",
                          source.listed + 1, wavelet ? "" : "or ends ", 100 * jump / most),
              wavelet ? "Let \"delay\" be one period or more; left out it is one and a half."
                      : "Let the file begin and end at zero: take its offset out, or taper its ends.");
}

/// `excitation.traces`: those in absorbing layers, and what is never sent.
void check_traces_sent(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  const double end = static_cast<double>(p.steps) * p.dt;
  std::size_t count = 0, absorbed = 0;
  double begin = 0, last = 0;
  std::string layer;
  for (const Source& source : p.sources) {
    if (source.listed != Source::not_listed) continue;
    ++count;
    begin = std::min(begin, source.signal->begin());
    last = std::max(last, source.signal->end());
    if (std::string text = within_layer(p, source.position); !text.empty() && absorbed++ == 0) layer = std::move(text);
  }
  if (count == 0) return;
  const Values traces = reader["excitation"]["traces"];
  if (traces["amplitude"].number() == 0)
    reader.warn(traces["amplitude"], "the traces send nothing: their factor is zero", "Leave \"amplitude\" out.");
  if (absorbed > 0)
    reader.warn(traces["file"],
                fmt::format("{} of {} traces lie in absorbing layers, the first in that of {}", absorbed, count, layer),
                "Their amplitude will be too small there; enlarge the grid.");
  const double least = 1e-9 * (last - begin);
  if (begin < -least)
    reader.warn(traces["file"],
                fmt::format("traces begin at {} (bytes 109-110); the run begins at 0: what lies before is never sent",
                            format_quantity(begin, "s")),
                "Let traces begin with the shot or later.");
  if (!(end > 0) || end >= 0.98 * last) return;
  if (traces["reversed"].boolean())
    reader.warn(traces,
                fmt::format("traces sent backwards last {}, the run ends at {}: waves have not come together again "
                            "before what was recorded first has been sent",
                            format_quantity(last, "s"), format_quantity(end, "s")),
                "Let the run take as long as the traces.");
  else if (end < 0.5 * last)
    reader.note(traces,
                fmt::format("traces last {}, the run ends at {}: the rest is not sent", format_quantity(last, "s"),
                            format_quantity(end, "s")),
                "Let the run take as long as the traces.");
}

/// Pressure at the start lies in the grid, and none of it in an absorbing layer.
void check_initial_place(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  const Grid& g = p.grid;
  const Values initial = reader["excitation"]["initial"];
  if (p.initial.kind == Initial::Kind::pulse || p.initial.kind == Initial::Kind::plane) {
    Vec3 centre = p.initial.centre;
    for (std::size_t a = 0; a < 3; ++a)  // a plane wave has a place along its way alone
      if (p.initial.kind == Initial::Kind::plane && a != static_cast<std::size_t>(p.initial.axis))
        centre[a] = g.origin[a];
    if (g.flat()) centre[1] = g.origin[1];
    const char* const what = p.initial.kind == Initial::Kind::pulse ? "pulse" : "plane wave";
    if (const std::string text = outside(g, centre); !text.empty()) {
      reader.warn(initial["centre"], fmt::format("the middle of the initial {}: {}", what, text),
                  "Move it into the grid, or enlarge the grid; lengths without a unit are metres.");
      return;
    }
    constexpr double matters = 0.02;
    double most = matters;
    std::size_t where = 6;
    for (std::size_t f = 0; f < 6; ++f) {
      if (!p.faces[f].absorbs() ||
          (p.initial.kind == Initial::Kind::plane && f / 2 != static_cast<std::size_t>(p.initial.axis)))
        continue;
      const double d = std::max(0.0, from_face(g, f, centre) - static_cast<double>(p.faces[f].width)) *
                       g.spacing[f / 2] / p.initial.width;
      if (const double share = std::exp(-0.5 * d * d); share > most) {
        most = share;
        where = f;
      }
    }
    if (where < 6)
      reader.warn(initial["width"],
                  fmt::format("the initial {} has {:.2g} of its amplitude at the absorbing layer of face {}: what lies "
                              "in the layer is lost and sends waves of its own",
                              what, most, face_names[where]),
                  "Make it narrower, move it inwards, or enlarge the grid.");
    return;
  }
  Vec3 low, high;
  if (p.initial.kind != Initial::Kind::file || !p.initial.samples || !p.initial.samples->bounds(low, high)) return;
  bool apart = false;
  std::string beyond;
  for (std::size_t a = 0; a < 3; ++a) {
    if (g.points[a] == 1 && !(low[a] > g.origin[a] || high[a] < g.origin[a])) continue;
    const double slack = 1e-6 * g.spacing[a];
    apart |= low[a] > g.upper(a) + slack || high[a] < g.origin[a] - slack;
    if (low[a] < g.origin[a] - slack || high[a] > g.upper(a) + slack)
      beyond += fmt::format("{}{} to {} along {}, where the grid reaches from {} to {}", beyond.empty() ? "" : "; ",
                            length(low[a]), length(high[a]), "xyz"[a], length(g.origin[a]), length(g.upper(a)));
  }
  const char* const hint = "Check origin, spacing and their units in the header, and the order of the axes.";
  if (apart)
    reader.fail(initial["header"],
                fmt::format("no sample of the initial pressure lies in the grid: they reach from {}", beyond), hint);
  else if (!beyond.empty())
    reader.warn(initial["header"],
                fmt::format("the initial pressure reaches beyond the grid, what lies there is left out: {}", beyond),
                hint);
}

/// A plane wave goes on as one beside rigid faces alone.
void check_plane(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  if (p.initial.kind != Initial::Kind::plane) return;
  for (std::size_t f = 0; f < 6; ++f) {
    if (f / 2 == static_cast<std::size_t>(p.initial.axis) || p.faces[f].kind == FaceKind::rigid) continue;
    reader.warn(
        reader["excitation"]["initial"],
        fmt::format("the plane wave along {} goes past the face {}, which is not rigid: from there inwards it is "
                    "weakened and bent on its way",
                    "xyz"[p.initial.axis], face_names[f]),
        "Make the faces beside a plane wave rigid, or enlarge the grid across its way.");
    break;  // of several one is enough
  }
  if (p.initial.direction == 0) return;
  // What moves at a wall that lets nothing move flows through it at the start: ∫ p_tt = 0 keeps ∫ p_t = c (p(low) − p(high)) in a closed box.
  const auto a = static_cast<std::size_t>(p.initial.axis);
  const auto at_face = [&](std::size_t side) {
    const double d = (side == 0 ? p.grid.origin[a] : p.grid.upper(a)) - p.initial.centre[a];
    return p.faces[2 * a + side].absorbs() ? 0 : std::exp(-0.5 * d * d / (p.initial.width * p.initial.width));
  };
  const double low = at_face(0), high = at_face(1);
  if (std::max(low, high) < 0.01) return;
  reader.warn(reader["excitation"]["initial"],
              fmt::format("the plane wave along {} stands at {:.2g} and {:.2g} of its amplitude on the faces {} and {} "
                          "at the start, which are no part of its way: what flows there then makes a wave of its own, "
                          "or a mean pressure that rises or falls all the time in a closed box",
                          "xyz"[a], low, high, face_names[2 * a], face_names[2 * a + 1]),
              "Let it begin three widths from faces that reflect, make it narrower, or use \"direction\": 0, which "
              "starts at rest.");
}

}  // namespace

Status check_samples(const std::filesystem::path& file, Index number, std::span<const float> samples) {
  const auto odd = std::find_if(samples.begin(), samples.end(), [](float value) { return !std::isfinite(value); });
  if (odd == samples.end()) return {};
  return make_error(ErrorCode::invalid_input,
                    fmt::format("sample {} of trace {} is {}; a finite number was expected", odd - samples.begin() + 1,
                                number + 1, *odd),
                    "Repair the traces, or say their format in bytes 3225-3226.", {file.string(), 0, ""});
}

void read_traces(const CaseReader& reader, Problem& problem) {
  const Values v = reader["excitation"]["traces"];
  if (v["kind"].text() != "segy") return;
  const auto fail = [&](const Error& error) { reader.fail_in_file(v["file"], error); };
  const std::filesystem::path path = reader.input.path(v["file"].text());
  const auto file = SegyReader::open(path);
  if (!file) {
    fail(file.error());
    return;
  }
  constexpr Index most = 20000;
  if (file->traces() > most || file->samples() < 2) {
    fail(make_error(ErrorCode::invalid_input,
                    fmt::format("{} traces of {} samples; up to {} traces of two samples and more are possible",
                                file->traces(), file->samples(), most),
                    "Take every second trace, or fewer lines."));
    return;
  }
  const double dt = 1e-6 * file->interval_microseconds();
  std::vector<float> samples(static_cast<std::size_t>(file->samples()));
  // Records of one shot may begin at several times after it; backwards in time they end at several.
  double latest = -std::numeric_limits<double>::infinity();
  std::set<std::int32_t> shots;
  for (Index n = 0; n < file->traces(); ++n) {
    SegyTrace header;
    if (const Status s = file->read(n, header, {}); !s) {
      fail(s.error());
      return;
    }
    latest = std::max(latest, header.delay);
    shots.insert(header.shot);
  }
  if (shots.size() > 1)
    reader.warn(v["file"],
                fmt::format("the traces are those of {} shots (bytes 9-12 of the trace headers), which are all sent "
                            "together",
                            shots.size()),
                "Give each shot a file and a case of its own.");
  const bool reversed = v["reversed"].boolean();
  std::size_t outside = 0;
  double highest = 0;
  int looked_at = 0;  // a few tell the band of all
  for (Index n = 0; n < file->traces(); ++n) {
    SegyTrace header;
    if (const Status s = file->read(n, header, samples); !s) {
      fail(s.error());
      return;
    }
    if (const Status s = check_samples(path, n, samples); !s) {
      fail(s.error());
      return;
    }
    if (std::all_of(samples.begin(), samples.end(), [](float value) { return value == 0; })) continue;
    std::vector<double> values(samples.begin(), samples.end());
    if (reversed) std::reverse(values.begin(), values.end());
    const double start = reversed ? latest - header.delay : header.delay;
    const Grid& g = problem.grid;
    bool inside = true;
    for (std::size_t a = 0; a < 3; ++a) {
      const double rounded = std::min(1e-3, 0.05 * g.spacing[a]);  // positions of a file lie on decimals
      inside &= header.receiver[a] >= g.origin[a] - rounded && header.receiver[a] <= g.upper(a) + rounded;
    }
    if (!inside) {
      ++outside;
      continue;
    }
    Source source;
    for (std::size_t a = 0; a < 3; ++a) source.position[a] = std::clamp(header.receiver[a], g.origin[a], g.upper(a));
    if (looked_at++ < 16) highest = std::max(highest, Sampled(values, 0, dt, 1).highest_frequency());
    source.signal = std::make_shared<Sampled>(std::move(values), start, dt, v["amplitude"].number(), highest);
    source.shot = v["shot"].integer();
    source.listed = Source::not_listed;
    source.centre = source.position;
    problem.sources.push_back(std::move(source));
  }
  if (outside > 0)
    reader.warn(v["file"],
                fmt::format("{} of {} traces lie outside the grid and send nothing", outside, file->traces()),
                "Check the positions in bytes 81 to 88 and 41 of the trace headers.");
}

void check_sources(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  const Values sources = reader["excitation"]["sources"];
  std::size_t told = Source::not_listed, begun = told;  // of an array one element is enough
  for (const Source& source : p.sources) {
    const std::size_t i = source.listed;
    if (i == Source::not_listed || i == told) continue;
    if (i != begun) check_beginning(p, reader, sources.at(i), source);
    begun = i;
    if (check_source(setup, reader, sources.at(i), source)) told = i;
  }
  check_traces_sent(setup, reader);
}

void check_silence(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  const double end = static_cast<double>(p.steps) * p.dt;
  if (!(end > 0) || p.initial.kind != Initial::Kind::none || p.sources.empty()) return;
  std::size_t last = Source::not_listed;  // of an array one element is enough
  for (const Source& source : p.sources) {
    if (source.listed == Source::not_listed || source.listed == last) continue;
    last = source.listed;
    const double begins = std::max(0.0, source.signal->begin()), ends = source.signal->end();
    const double sent = largest_between(*source.signal, begins, std::min(end, ends)),
                 later = largest_between(*source.signal, std::max(end, begins), ends);
    if (!std::isfinite(sent) || !std::isfinite(later)) continue;
    const Values at = reader["excitation"]["sources"].at(source.listed)["signal"];
    if (sent == 0 && later == 0)
      reader.warn(at, fmt::format("source {} sends nothing: its signal is zero", source.listed + 1),
                  "Give it an amplitude.");
    else if (sent < 1e-3 * later)
      reader.warn(at,
                  fmt::format("source {} has sent nothing yet when the run ends at {}: its signal ends at {}",
                              source.listed + 1, format_quantity(end, "s"), format_quantity(source.signal->end(), "s")),
                  "Let the run take longer, or the signal begin sooner.");
  }
  const double spread = 8 * *std::max_element(p.grid.spacing.begin(), p.grid.spacing.end());
  std::size_t unreached = 0, first = 0;
  double way = 0;
  for (std::size_t n = 0; n < setup.single_receivers; ++n) {
    double nearest = std::numeric_limits<double>::max();
    for (const Source& source : p.sources) {
      const Vec3 &x = p.receivers[n].position, &y = source.position;
      nearest = std::min(nearest, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    }
    if (nearest - spread <= p.speed.highest * end || unreached++ > 0) continue;
    first = n;
    way = nearest;
  }
  if (unreached > 0)
    reader.warn(
        reader["output"]["receivers"].at(first)["position"],
        fmt::format(
            "nothing reaches receiver {}{} before the run ends at {}: {} from the nearest source take {} or more",
            p.receivers[first].name, unreached > 1 ? fmt::format(" and {} others", unreached - 1) : std::string(),
            format_quantity(end, "s"), length(way), format_quantity(way / p.speed.highest, "s")),
        "Let the run take longer, or move the receiver.");
}

void check_initial(const Setup& setup, const CaseReader& reader) {
  const Initial& initial = setup.problem.initial;
  const Grid& g = setup.problem.grid;
  const SpeedRange samples = initial.kind == Initial::Kind::file && initial.samples
                                 ? initial.samples->range(g.origin, {g.upper(0), g.upper(1), g.upper(2)})
                                 : SpeedRange{1, 1};
  if (initial.kind != Initial::Kind::none && (initial.amplitude == 0 || (samples.lowest == 0 && samples.highest == 0)))
    reader.warn(reader["excitation"]["initial"], "the pressure at the start is zero everywhere",
                "Give it an amplitude, or a file with values.");
  check_initial_place(setup, reader);
  if (Problem copy = setup.problem; reader.good()) take_initial_means(reader, copy);
  check_plane(setup, reader);
}

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// Which reader a model file needs, and models in SEG-Y.
//
// A SEG-Y model has one trace a column, downwards: sample i lies i intervals below z = 0 (the interval of the binary header
// counts thousandths of a metre, or of a foot where the file is in feet, as depth files have it). Inline numbers go with x, crossline numbers with y; positions are
// those of bytes 181 and 185 where they are not all zero, else one metre a number.
#include "engine/models/model.hpp"

#include "engine/core/file_ending.hpp"
#include "engine/io/segy.hpp"
#include "engine/models/grids.hpp"
#include "engine/models/vti.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

namespace conoid {
namespace {

class Raw final : public Model {
 public:
  explicit Raw(ModelHeader header) : header_(std::move(header)) {}
  [[nodiscard]] ModelBox box() const override { return header_.box(); }
  [[nodiscard]] Result<std::shared_ptr<const Velocity>> load() const override { return load_model(header_); }

 private:
  ModelHeader header_;
};

class Segy final : public Model {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Model>> open(const std::filesystem::path& path, ModelQuantity quantity,
                                                           const SegyBytes& bytes) {
    auto reader = SegyReader::open(path, bytes);
    if (!reader) return reader.error();
    const auto fail = [&](const std::string& what, const std::string& hint) {
      return make_error(ErrorCode::invalid_input, what, hint, {path.string(), 0, ""});
    };
    auto out = std::unique_ptr<Segy>(new Segy(std::move(reader).value(), path.string(), quantity));
    const SegyReader& file = out->file_;
    constexpr Index most_traces = 100'000'000;
    if (file.traces() > most_traces)
      return fail(fmt::format("{} traces; at most {} make a model", file.traces(), most_traces),
                  "Cut the model or thin it out.");
    SegyTrace h;
    std::int32_t low[2] = {2147483647, 2147483647}, high[2] = {-2147483647, -2147483647};
    for (Index t = 0; t < file.traces(); ++t) {
      if (const Status s = file.read(t, h, {}); !s) return s.error();
      const std::int32_t number[2] = {h.inline_number, h.crossline};
      for (int a = 0; a < 2; ++a) {
        low[a] = std::min(low[a], number[a]);
        high[a] = std::max(high[a], number[a]);
      }
    }
    // Steps between numbers: the greatest common divisor of all differences.
    Index step[2] = {0, 0};
    for (Index t = 0; t < file.traces(); ++t) {
      if (const Status s = file.read(t, h, {}); !s) return s.error();
      const std::int32_t number[2] = {h.inline_number, h.crossline};
      for (int a = 0; a < 2; ++a) {
        Index x = step[a], y = static_cast<Index>(number[a]) - low[a];
        while (y != 0) x = std::exchange(y, x % y);
        step[a] = x;
      }
    }
    ModelBox& box = out->box_;
    for (std::size_t a = 0; a < 2; ++a) {
      out->first_[a] = low[a];
      out->step_[a] = std::max<Index>(1, step[a]);
      box.shape[a] = (static_cast<Index>(high[a]) - low[a]) / out->step_[a] + 1;
    }
    box.shape[2] = file.samples();
    if (static_cast<double>(box.shape[0]) * static_cast<double>(box.shape[1]) != static_cast<double>(file.traces()))
      return fail(fmt::format("{} traces, but inline and crossline numbers (bytes {} and {}) span {} × {}",
                              file.traces(), bytes.inline_number, bytes.crossline, box.shape[0], box.shape[1]),
                  "A model needs one trace for every pair of inline and crossline number; name the bytes that hold "
                  "them (segy.inline, "
                  "segy.crossline beside the header in the case).");
    out->notes_ = file.notes();
    out->factor_ = quantity == ModelQuantity::speed ? file.metres() : 1;
    if (file.in_feet())
      out->notes_.push_back(fmt::format("depths, positions{} were turned from feet to metres",
                                        quantity == ModelQuantity::speed ? " and speeds (ft/s)" : ""));
    const double depth = file.interval_microseconds() * 1e-3 * file.metres();
    if (!(depth > 0))
      return fail("the sample interval is 0", "Write the depth interval in millimetres to bytes 3217-3218.");
    // Where the corners say where they are, spacing and origin follow from them. As many traces as places, none of which has two: all
    // have one.
    SegyTrace corner, along_x, along_y;
    std::vector<bool> filled(static_cast<std::size_t>(file.traces()));
    for (Index t = 0; t < file.traces(); ++t) {
      if (const Status s = file.read(t, h, {}); !s) return s.error();
      if (const Status s = out->take_place(t, h, filled); !s) return s.error();
      if (h.inline_number == low[0] && h.crossline == low[1]) corner = h;
      if (h.inline_number == high[0] && h.crossline == low[1]) along_x = h;
      if (h.inline_number == low[0] && h.crossline == high[1]) along_y = h;
    }
    const auto spacing = [](double length, Index n) { return n > 1 ? length / static_cast<double>(n - 1) : 1.0; };
    box.spacing = {static_cast<double>(out->step_[0]), static_cast<double>(out->step_[1]), depth};
    const double lx = along_x.cdp_x - corner.cdp_x, ly = along_y.cdp_y - corner.cdp_y;
    if (lx != 0 || ly != 0) {
      if ((box.shape[0] > 1 && !(lx > 0)) || (box.shape[1] > 1 && !(ly > 0)) ||
          std::abs(along_x.cdp_y - corner.cdp_y) > 0.01 * spacing(ly, box.shape[1]) ||
          std::abs(along_y.cdp_x - corner.cdp_x) > 0.01 * spacing(lx, box.shape[0]))
        return fail(
            "inlines do not run along x, or crosslines not along y (bytes 181 and 185)",
            "Rotate the model to the axes of the grid, inline numbers growing with x and crossline numbers with y.");
      box.spacing[0] = spacing(lx, box.shape[0]);
      box.spacing[1] = spacing(ly, box.shape[1]);
      box.origin[0] = corner.cdp_x;
      box.origin[1] = corner.cdp_y;
    } else if (box.shape[0] > 1 || box.shape[1] > 1) {
      out->notes_.push_back(fmt::format(
          "no positions in the trace headers (bytes {} and {}): a spacing of {} x {} m was taken, one metre "
          "a step of the inline and crossline numbers",
          bytes.x, bytes.y, box.spacing[0], box.spacing[1]));
    }
    box.origin[2] = -depth * static_cast<double>(box.shape[2] - 1);
    return std::unique_ptr<Model>(std::move(out));
  }

  [[nodiscard]] ModelBox box() const override { return box_; }
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }
  [[nodiscard]] Result<std::shared_ptr<const Velocity>> load() const override {
    const Index nz = box_.shape[2];
    std::vector<float> all(static_cast<std::size_t>(box_.shape[0] * box_.shape[1] * nz)),
        trace(static_cast<std::size_t>(nz));
    std::vector<bool> filled(static_cast<std::size_t>(box_.shape[0] * box_.shape[1]));
    SpeedRange range{std::numeric_limits<double>::infinity(), 0};
    for (Index t = 0; t < file_.traces(); ++t) {
      SegyTrace h;
      if (const Status s = take(t, h, trace, range); !s) return s.error();
      if (const Status s = take_place(t, h, filled); !s) return s.error();  // the file may have changed meanwhile
      const std::size_t column = column_of(h);
      for (Index z = 0; z < nz; ++z)  // samples go down, z goes up
        all[column * static_cast<std::size_t>(nz) + static_cast<std::size_t>(nz - 1 - z)] =
            trace[static_cast<std::size_t>(z)];
    }
    return sampled_velocity(box_, {box_.shape[1] * nz, nz, 1}, std::move(all), range);
  }

 private:
  Segy(SegyReader file, std::string path, ModelQuantity quantity)
      : file_(std::move(file)), path_(std::move(path)), quantity_(quantity) {}
  [[nodiscard]] std::size_t column_of(const SegyTrace& h) const {
    return static_cast<std::size_t>((h.inline_number - first_[0]) / step_[0] * box_.shape[1] +
                                    (h.crossline - first_[1]) / step_[1]);
  }
  /// Marks the place of trace t, which must be free.
  [[nodiscard]] Status take_place(Index t, const SegyTrace& h, std::vector<bool>& filled) const {
    const std::size_t column = column_of(h);
    if (column >= filled.size() || filled[column])
      return make_error(ErrorCode::invalid_input,
                        fmt::format("trace {} repeats inline {}, crossline {}", t + 1, h.inline_number, h.crossline),
                        "A model needs one trace for every pair of inline and crossline number.", {path_, 0, ""});
    filled[column] = true;
    return {};
  }
  [[nodiscard]] Status take(Index t, SegyTrace& h, std::span<float> trace, SpeedRange& range) const {
    if (Status s = file_.read(t, h, trace); !s) return s;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      trace[i] = static_cast<float>(trace[i] * factor_);
      if (!(trace[i] > 0) || !std::isfinite(trace[i]))
        return make_error(
            ErrorCode::invalid_input,
            fmt::format(
                "{} {} in trace {} (inline {}, crossline {}) at sample {}; a positive finite number was expected",
                quantity_ == ModelQuantity::speed ? "speed" : "density", trace[i], t + 1, h.inline_number, h.crossline,
                i + 1),
            "Repair the model; format 1 means IBM floats, 5 IEEE floats.", {path_, 0, ""});
      range.lowest = std::min(range.lowest, static_cast<double>(trace[i]));
      range.highest = std::max(range.highest, static_cast<double>(trace[i]));
    }
    return {};
  }
  SegyReader file_;
  std::string path_;
  ModelQuantity quantity_;
  ModelBox box_;
  double factor_ = 1;  ///< SI units a unit of the file
  std::vector<std::string> notes_;
  std::array<Index, 2> first_{}, step_{1, 1};
};

}  // namespace

const char* name_of(ModelQuantity quantity) {
  return quantity == ModelQuantity::speed ? "speed" : quantity == ModelQuantity::density ? "density" : "pressure";
}

const char* unit_of(ModelQuantity quantity) {
  return quantity == ModelQuantity::speed ? "m/s" : quantity == ModelQuantity::density ? "kg/m^3" : "Pa";
}

Result<std::unique_ptr<Model>> open_model(const std::filesystem::path& path, ModelQuantity quantity,
                                          const SegyBytes& bytes) {
  const std::string end = lower_case_ending(path);
  if (end == ".sgy" || end == ".segy") return Segy::open(path, quantity, bytes);
  if (end == ".vti") return open_vti_model(path, quantity);
  if (end == ".rsf") return open_rsf_model(path, quantity);
  if (names_hdf5(path)) return open_hdf5_model(path, quantity);
  if (auto held = hdf5_model_of_header(path, quantity)) return std::move(*held);
  auto header = read_model_header(path, quantity);
  if (!header) return header.error();
  return std::unique_ptr<Model>(std::make_unique<Raw>(std::move(header).value()));
}

}  // namespace conoid

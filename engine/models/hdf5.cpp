// SPDX-License-Identifier: BSD-3-Clause
// Models in HDF5, and samples that are held in memory.
#include "engine/core/atomic_file.hpp"
#include "engine/core/file_ending.hpp"
#include "engine/core/json.hpp"
#include "engine/core/units.hpp"
#include "engine/io/hdf5_grid.hpp"
#include "engine/models/grids.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

namespace conoid {
namespace {

class Held final : public Model {
 public:
  Held(const ModelBox& box, const std::array<Index, 3>& stride, std::vector<float> values, SpeedRange range,
       std::vector<std::string> notes)
      : box_(box), stride_(stride), values_(std::move(values)), range_(range), notes_(std::move(notes)) {}
  [[nodiscard]] ModelBox box() const override { return box_; }
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }
  [[nodiscard]] Result<std::shared_ptr<const Velocity>> load() const override {
    return sampled_velocity(box_, stride_, values_, range_);
  }

 private:
  ModelBox box_;
  std::array<Index, 3> stride_;
  std::vector<float> values_;
  SpeedRange range_;
  std::vector<std::string> notes_;
};

/// The file, and the path of the array behind its name, empty without one.
std::pair<std::filesystem::path, std::string> file_and_array(const std::filesystem::path& path) {
  const std::string text = path.string();
  for (const char* end : {".h5:", ".hdf5:", ".H5:", ".HDF5:"})
    if (const std::size_t at = text.find(end); at != std::string::npos) {
      const std::size_t colon = text.find(':', at);
      return {text.substr(0, colon), text.substr(colon + 1)};
    }
  return {path, {}};
}

}  // namespace

Result<std::unique_ptr<Model>> held_model(const ModelBox& box, const std::array<Index, 3>& stride,
                                          std::vector<float> values, ModelQuantity quantity,
                                          const std::filesystem::path& path, std::vector<std::string> notes) {
  SpeedRange range{std::numeric_limits<double>::infinity(), 0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0) || !std::isfinite(values[i])) {
      const auto at = static_cast<Index>(i);
      const auto along = [&](std::size_t a) { return at / stride[a] % box.shape[a]; };
      return make_error(
          ErrorCode::invalid_input,
          fmt::format("{} {} at x {}, y {}, z {}; a positive finite number was expected",
                      quantity == ModelQuantity::speed ? "speed" : "density", values[i], along(0), along(1), along(2)),
          "Repair the model, or check the type and byte order of its samples.", {path.string(), 0, ""});
    }
    range.lowest = std::min(range.lowest, static_cast<double>(values[i]));
    range.highest = std::max(range.highest, static_cast<double>(values[i]));
  }
  return std::unique_ptr<Model>(std::make_unique<Held>(box, stride, std::move(values), range, std::move(notes)));
}

bool names_hdf5(const std::filesystem::path& path) {
  const std::string end = lower_case_ending(file_and_array(path).first);
  return end == ".h5" || end == ".hdf5";
}

namespace {

/// What a JSON header says goes before the attributes; a complaint, or nothing.
std::string take_header(const Json& json, Hdf5Grid& grid) {
  if (json.is_null()) return {};
  for (const auto& [key, value] : json.items()) {
    if (key == "file") continue;
    if (key == "axes" || key == "unit") {
      if (!value.is_string()) return fmt::format("\"{}\" must be a text", key);
      (key == "axes" ? grid.axes : grid.unit) = value.get<std::string>();
    } else if (key == "spacing" || key == "origin") {
      if (!value.is_array() || value.size() != 3) return fmt::format("\"{}\" must be three lengths", key);
      std::vector<double> lengths;
      for (const Json& one : value) {
        const auto q = one.is_string() ? parse_quantity(one.get<std::string>(), "m") : parse_quantity("0 m", "m");
        if (!q || (!one.is_string() && !one.is_number())) return fmt::format("\"{}\" must be three lengths", key);
        lengths.push_back(one.is_string() ? q->value : one.get<double>());
      }
      (key == "spacing" ? grid.spacing : grid.origin) = lengths;
    } else {
      return fmt::format("unknown key \"{}\"", key);
    }
  }
  return {};
}

Result<std::unique_ptr<Model>> open_array(const std::filesystem::path& path, ModelQuantity quantity,
                                          const Json& beside) {
  const auto [file, array] = file_and_array(path);
  const bool speed = quantity == ModelQuantity::speed;
  auto grid = read_hdf5_grid(file, array, speed ? "speed" : "density");
  if (!grid) return grid.error();
  if (const std::string wrong = take_header(beside, *grid); !wrong.empty())
    return make_error(
        ErrorCode::invalid_input, fmt::format("the header of the HDF5 model: {}", wrong),
        "A header looks like {\"file\":\"model.h5:/vp\",\"axes\":\"zyx\",\"spacing\":[10,10,10],\"origin\":[0,0,0],"
        "\"unit\":\"m/s\"}, slowest axis first.",
        {file.string(), 0, ""});
  const auto fail = [&, &where = file](const std::string& what, const std::string& hint) {
    return make_error(ErrorCode::invalid_input, fmt::format("{}: {}", grid->name, what), hint, {where.string(), 0, ""});
  };
  if (grid->shape.size() != 3)
    return fail(fmt::format("the array has {} axes; three were expected", grid->shape.size()),
                "Give it an axis of length 1 for a model that does not vary along it: array[:, None, :].");
  const std::string attributes = fmt::format(
      "Attributes of the array say it, slowest axis first (h5py): array.attrs[\"spacing\"] = [10, 10, 10] in m, "
      "\"origin\" = [0, 0, 0], "
      "\"axes\" = \"zyx\", \"unit\" = \"{}\".",
      speed ? "m/s" : "kg/m^3");
  if (grid->spacing.size() != 3)
    return fail(
        grid->spacing.empty() ? "the array has no attribute \"spacing\"" : "\"spacing\" must be three distances",
        attributes);
  if (!grid->origin.empty() && grid->origin.size() != 3) return fail("\"origin\" must be three positions", attributes);
  const std::string axes = grid->axes.empty() ? "zyx" : grid->axes;
  std::string sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != "xyz")
    return fail(fmt::format("\"axes\" must name x, y and z once each, slowest first; found \"{}\"", axes.substr(0, 20)),
                attributes);
  if (!grid->unit.empty()) {
    const auto q = parse_quantity("1 " + grid->unit, speed ? "m/s" : "kg/m^3");
    if (!q) return fail(fmt::format("\"unit\": {}", q.error().text), q.error().hint);
    for (float& v : grid->values) v = static_cast<float>(v * q->value);
  }
  ModelBox box;
  std::array<Index, 3> stride{};
  Index step = 1;
  for (std::size_t n = 3; n-- > 0;) {
    const auto axis = static_cast<std::size_t>(axes[n] - 'x');
    if (!(grid->spacing[n] > 0) || !std::isfinite(grid->spacing[n]))
      return fail(fmt::format("\"spacing\" entry {} must be a positive distance", n), attributes);
    if (!grid->origin.empty() && !std::isfinite(grid->origin[n]))
      return fail(fmt::format("\"origin\" entry {} must be a position", n), attributes);
    box.shape[axis] = grid->shape[n];
    box.spacing[axis] = grid->spacing[n];
    box.origin[axis] = grid->origin.empty() ? 0 : grid->origin[n];
    stride[axis] = step;
    step *= grid->shape[n];
  }
  std::vector<std::string> notes;
  if (array.empty()) notes.push_back(fmt::format("the array {} of the HDF5 file was taken", grid->name));
  return held_model(box, stride, std::move(grid->values), quantity, file, std::move(notes));
}

}  // namespace

Result<std::unique_ptr<Model>> open_hdf5_model(const std::filesystem::path& path, ModelQuantity quantity) {
  return open_array(path, quantity, Json());
}

std::optional<Result<std::unique_ptr<Model>>> hdf5_model_of_header(const std::filesystem::path& header,
                                                                   ModelQuantity quantity) {
  const auto text = read_file(header, Bytes{1} << 20);
  if (!text) return std::nullopt;  // the reader of headers says it
  const Json json = read_json(*text, JsonComments::skipped);
  if (!json.is_object() || !json.contains("file") || !json["file"].is_string()) return std::nullopt;
  const std::filesystem::path file = header.parent_path() / json["file"].get<std::string>();
  if (!names_hdf5(file)) return std::nullopt;
  return open_array(file, quantity, json);
}

}  // namespace conoid

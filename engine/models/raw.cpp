// SPDX-License-Identifier: BSD-3-Clause
// Raw models with a JSON header, and trilinear samples.
#include "engine/core/atomic_file.hpp"
#include "engine/core/file_ending.hpp"
#include "engine/core/json.hpp"
#include "engine/core/units.hpp"
#include "engine/models/model.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include <fmt/core.h>

namespace conoid {
namespace {

/// A file of samples that is read from front to back.
class Pieces {
 public:
  explicit Pieces(const ModelHeader& header) : header_(header), file_(std::fopen(header.data.c_str(), "rb")) {}
  ~Pieces() {
    if (file_) std::fclose(file_);
  }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  /// Reads all of `out`, in m/s.
  [[nodiscard]] Status next(std::span<float> out) {
    if (!file_) return system_error("open", header_.data.string(), errno);
    if (done_ == 0 && std::fseek(file_, static_cast<long>(header_.offset), SEEK_SET) != 0)
      return system_error("read", header_.data.string(), errno);
    const std::size_t got = header_.wide ? next_wide(out) : std::fread(out.data(), sizeof(float), out.size(), file_);
    if (got != out.size())
      return make_error(ErrorCode::file,
                        fmt::format("the file ends after {} of {} values", done_ + got, done_ + out.size()),
                        "It was cut while being read; copy it again.", {header_.data.string(), 0, ""});
    for (float& value : out) {
      if (header_.swap_bytes && !header_.wide)
        value = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
      value = static_cast<float>(value * header_.factor);
    }
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!std::isfinite(out[i]) || (header_.quantity != ModelQuantity::pressure && !(out[i] > 0)))
        return bad(done_ + i, out[i]);
    done_ += out.size();
    return {};
  }

 private:
  /// 64-bit samples, narrowed.
  std::size_t next_wide(std::span<float> out) {
    std::vector<std::uint64_t> piece(std::min<std::size_t>(out.size(), 1 << 16));
    std::size_t got = 0;
    while (got < out.size()) {
      const std::size_t n = std::fread(piece.data(), 8, std::min(piece.size(), out.size() - got), file_);
      for (std::size_t i = 0; i < n; ++i)
        out[got + i] =
            static_cast<float>(std::bit_cast<double>(header_.swap_bytes ? __builtin_bswap64(piece[i]) : piece[i]));
      got += n;
      if (n == 0) break;
    }
    return got;
  }
  [[nodiscard]] Error bad(std::size_t number, float value) const {
    std::array<Index, 3> place{};
    auto rest = static_cast<Index>(number);
    for (int n = 2; n >= 0; --n) {
      const auto axis = static_cast<std::size_t>(header_.axes[static_cast<std::size_t>(n)]);
      place[axis] = rest % header_.shape[axis];
      rest /= header_.shape[axis];
    }
    return make_error(ErrorCode::invalid_input,
                      fmt::format("{} {} {} at sample {} (x {}, y {}, z {}); a {}finite number was expected",
                                  name_of(header_.quantity), value, unit_of(header_.quantity), number, place[0],
                                  place[1], place[2], header_.quantity == ModelQuantity::pressure ? "" : "positive "),
                      "Repair the model, or check \"endian\", \"unit\" and the type of the samples (float32) in its "
                      "header.",
                      {header_.data.string(), 0, ""});
  }
  const ModelHeader& header_;
  std::FILE* file_;
  std::size_t done_ = 0;
};

template <class V>
class Samples final : public Velocity {
 public:
  Samples(const ModelBox& box, const std::array<Index, 3>& stride, std::vector<V> values, SpeedRange range)
      : box_(box), values_(std::move(values)), range_(range), stride_(stride) {}

  void row(double x, double y, double z0, double dz, std::span<double> out) const override {
    const SamplePlace px = place(0, x), py = place(1, y);
    const SamplePlace* const pz = places_of_row(z0, dz, out.size());
    // Layers, and models with the spacing of the grid: the other six terms add zeros.
    if (px.weight[1] == 0 && py.weight[1] == 0) {
      const V* const line = values_.data() + (px.index[0] * stride_[0] + py.index[0] * stride_[1]);
      for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = pz[k].weight[0] * static_cast<double>(line[pz[k].index[0] * stride_[2]]) +
                 pz[k].weight[1] * static_cast<double>(line[pz[k].index[1] * stride_[2]]);
      return;
    }
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = between(px, py, pz[k]);
  }
  void values(double x, double y, std::span<const double> z, const std::array<bool, 3>& stepped,
              std::span<double> out) const override {
    const auto at = [&](std::size_t axis, double position) {
      return stepped[axis] ? nearest(axis, position) : place(axis, position);
    };
    const SamplePlace px = at(0, x), py = at(1, y);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = between(px, py, at(2, z[k]));
  }
  [[nodiscard]] Along along(std::size_t axis) const override {
    return {box_.shape[axis] > 1, false, box_.spacing[axis], box_.origin[axis], box_.shape[axis]};
  }
  void jumps(std::size_t axis, double lower, double upper, std::vector<double>& out) const override {
    const double h = box_.spacing[axis], first = box_.origin[axis] + 0.5 * h;
    const auto begin = static_cast<Index>(std::max(0.0, std::floor((lower - first) / h)));
    for (Index i = begin; i < box_.shape[axis] - 1; ++i) {
      const double at = first + static_cast<double>(i) * h;
      if (at >= upper) break;
      if (at > lower) out.push_back(at);
    }
  }
  [[nodiscard]] SpeedRange range(const Vec3&, const Vec3&) const override { return range_; }
  [[nodiscard]] bool bounds(Vec3& lower, Vec3& upper) const override {
    for (std::size_t a = 0; a < 3; ++a) {
      lower[a] = box_.origin[a];
      upper[a] = box_.origin[a] + static_cast<double>(box_.shape[a] - 1) * box_.spacing[a];
    }
    return true;
  }
  [[nodiscard]] Bytes bytes() const override { return values_.size() * sizeof(V); }

 private:
  /// Places along z of a row. Rows of a grid follow each other with the same ones, and to find a place takes longer than to read it: each thread
  /// keeps those of its last row.
  [[nodiscard]] const SamplePlace* places_of_row(double z0, double dz, std::size_t count) const {
    struct Kept {
      double z0 = 0, dz = 0, origin = 0, spacing = 0;
      Index samples = 0;
      std::vector<SamplePlace> places;
    };
    thread_local Kept kept;
    if (kept.z0 != z0 || kept.dz != dz || kept.origin != box_.origin[2] || kept.spacing != box_.spacing[2] ||
        kept.samples != box_.shape[2]) {
      kept.places.clear();
      kept.z0 = z0;
      kept.dz = dz;
      kept.origin = box_.origin[2];
      kept.spacing = box_.spacing[2];
      kept.samples = box_.shape[2];
    }
    for (std::size_t k = kept.places.size(); k < count; ++k)
      kept.places.push_back(place(2, z0 + static_cast<double>(k) * dz));
    return kept.places.data();
  }
  [[nodiscard]] SamplePlace place(std::size_t axis, double position) const {
    return between_samples(box_, axis, position);
  }
  [[nodiscard]] SamplePlace nearest(std::size_t axis, double position) const {
    const double p = std::round((position - box_.origin[axis]) / box_.spacing[axis]);
    const auto i = static_cast<Index>(std::clamp(p, 0.0, static_cast<double>(box_.shape[axis] - 1)));
    return {{i, i}, {1, 0}};
  }
  [[nodiscard]] double between(const SamplePlace& px, const SamplePlace& py, const SamplePlace& pz) const {
    return trilinear(px, py, pz, [&](Index i, Index j, Index k) {
      return static_cast<double>(values_[static_cast<std::size_t>(i * stride_[0] + j * stride_[1] + k * stride_[2])]);
    });
  }
  ModelBox box_;
  std::vector<V> values_;
  SpeedRange range_;
  std::array<Index, 3> stride_{};
};

/// What the beginning of a .npy says (NumPy Enhancement Proposal 1 and format.py: "\x93NUMPY", version, length, a Python dict).
struct NpyHeader {
  std::string type;  ///< "<f4"
  bool fortran = false;
  std::vector<Index> shape;
  Bytes offset = 0;
};

Result<NpyHeader> read_npy_header(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what) {
    return make_error(ErrorCode::invalid_input, what,
                      "Save the model anew with numpy.save(file, array.astype('float32')).", {path.string(), 0, ""});
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return system_error("open", path.string(), errno);
  unsigned char lead[12]{};
  if (std::fread(lead, 1, 10, file.get()) != 10 || std::memcmp(lead, "\x93NUMPY", 6) != 0)
    return fail("no NumPy array: a .npy begins with the byte 147 and NUMPY");
  NpyHeader out;
  std::size_t length = lead[8] + 256U * lead[9];
  out.offset = 10 + length;
  if (lead[6] >= 2) {  // four bytes of length
    if (std::fread(lead + 10, 1, 2, file.get()) != 2) return fail("the header of the NumPy array was cut off");
    length += 65536U * lead[10] + 16777216U * lead[11];
    out.offset = 12 + length;
  }
  constexpr std::size_t longest = 1 << 16;
  if (length > longest) return fail(fmt::format("the header of the NumPy array claims {} bytes", length));
  std::string text(length, ' ');
  if (std::fread(text.data(), 1, length, file.get()) != length)
    return fail("the header of the NumPy array was cut off");
  const auto after = [&](const char* key) {
    const std::size_t at = text.find(key);
    const std::size_t colon = at == std::string::npos ? at : text.find(':', at);
    const std::size_t value = colon == std::string::npos ? colon : text.find_first_not_of(' ', colon + 1);
    return value == std::string::npos ? std::string() : text.substr(value);
  };
  const std::string type = after("'descr'"), order = after("'fortran_order'"), shape = after("'shape'");
  if (type.size() > 2 && type[0] == '\'') out.type = type.substr(1, type.find('\'', 1) - 1);
  out.fortran = order.starts_with("True");
  for (std::size_t i = 1; i < shape.size() && shape[0] == '(' && shape[i] != ')';) {
    Index n = 0;
    const auto [end, error] = std::from_chars(shape.data() + i, shape.data() + shape.size(), n);
    if (error != std::errc{} || n < 0) return fail("the shape of the NumPy array cannot be read");
    out.shape.push_back(n);
    i = shape.find_first_not_of(", ", static_cast<std::size_t>(end - shape.data()));
    if (i == std::string::npos) break;
  }
  if (out.type.empty() || out.shape.empty()) return fail("the header of the NumPy array names no type and shape");
  return out;
}

/// Samples in a .npy: type, byte order and shape are its own; `json` gives axes, spacing and origin.
Status take_npy(const std::filesystem::path& path, const Json& json, ModelHeader& h, std::array<Index, 3>& shape) {
  const auto npy = read_npy_header(path);
  if (!npy) return npy.error();
  const auto fail = [&](const std::string& what, const std::string& hint) {
    return make_error(ErrorCode::invalid_input, what, hint, {path.string(), 0, ""});
  };
  const std::string& t = npy->type;
  if (t != "<f4" && t != ">f4" && t != "<f8" && t != ">f8")
    return fail(fmt::format("the NumPy array holds \"{}\"; float32 or float64 were expected", t.substr(0, 20)),
                "Convert it with array.astype('float32').");
  if (npy->fortran) return fail("the NumPy array lies in Fortran order", "Save numpy.ascontiguousarray(array).");
  if (npy->shape.size() != 3)
    return fail(fmt::format("the NumPy array has {} axes; three were expected", npy->shape.size()),
                "Give it an axis of length 1 for a model that does not vary along it: array[:, None, :].");
  std::copy_n(npy->shape.begin(), 3, shape.begin());
  for (std::size_t n = 0; n < 3; ++n) {
    if (shape[n] < 1 || shape[n] > 1'000'000'000) return fail("the NumPy array is empty", "Save the whole model.");
    if (json.contains("shape") && json["shape"].is_array() && json["shape"].size() == 3 && json["shape"][n] != shape[n])
      return fail(fmt::format("the NumPy array has the shape {} × {} × {}, the header beside it another", shape[0],
                              shape[1], shape[2]),
                  "Leave \"shape\" out: the array says it.");
  }
  h.offset = npy->offset;
  h.wide = t[2] == '8';
  h.swap_bytes = (t[0] == '>') == (std::endian::native == std::endian::little);
  return {};
}

Index samples(const ModelHeader& header) {
  return header.shape[0] * header.shape[1] * header.shape[2];
}

}  // namespace

std::array<Index, 3> ModelHeader::strides() const {
  std::array<Index, 3> out{};
  Index stride = 1;
  for (int n = 2; n >= 0; --n) {
    const auto axis = static_cast<std::size_t>(axes[static_cast<std::size_t>(n)]);
    out[axis] = stride;
    stride *= shape[axis];
  }
  return out;
}

SamplePlace between_samples(const ModelBox& box, std::size_t axis, double position) {
  const auto last = static_cast<double>(box.shape[axis] - 1);
  const double p = std::clamp((position - box.origin[axis]) / box.spacing[axis], 0.0, last);
  const auto i = static_cast<Index>(std::min(std::floor(p), std::max(0.0, last - 1)));
  const double f = p - static_cast<double>(i);
  return {{i, std::min(i + 1, box.shape[axis] - 1)}, {1 - f, f}};
}

std::shared_ptr<const Velocity> sampled_velocity(const ModelBox& box, const std::array<Index, 3>& stride,
                                                 std::vector<float> values, SpeedRange range) {
  return std::make_shared<Samples<float>>(box, stride, std::move(values), range);
}

std::shared_ptr<const Velocity> sampled_velocity(const ModelBox& box, const std::array<Index, 3>& stride,
                                                 std::vector<double> values, SpeedRange range) {
  return std::make_shared<Samples<double>>(box, stride, std::move(values), range);
}

Result<ModelHeader> read_model_header(const std::filesystem::path& path, ModelQuantity quantity) {
  if (lower_case_ending(path) == ".npy")
    return make_error(
        ErrorCode::invalid_input, "a NumPy array does not say where its samples lie",
        fmt::format("Write a file model.json beside it and name that one: {{\"file\": \"{}\", \"axes\": \"xyz\", "
                    "\"spacing\": [\"10 m\", \"10 m\", \"10 m\"], \"origin\": [0, 0, 0], \"unit\": \"{}\"}}; axes as "
                    "the array has them.",
                    path.filename().string(), unit_of(quantity)),
        {path.string(), 0, ""});
  auto text = read_file(path, Bytes{1} << 20);
  if (!text) return text.error();
  const auto fail = [&](const std::string& what, const std::string& hint) {
    return make_error(ErrorCode::invalid_input, what, hint, {path.string(), 0, ""});
  };
  const std::string example =
      "A header looks like "
      "{\"file\":\"model.f32\",\"type\":\"float32\",\"axes\":\"zyx\",\"shape\":[100,80,60],"
      "\"spacing\":[10,10,10],\"origin\":[0,0,0],\"unit\":\"m/s\"}; axes, shape, spacing and origin list the "
      "slowest axis first.";
  const Json json = read_json(*text, JsonComments::skipped);
  if (!json.is_object()) return fail("the header of the model is not a JSON object", example);
  static constexpr std::array known{"file", "type", "axes", "shape", "spacing", "origin", "unit", "endian"};
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return fail(fmt::format("unknown key \"{}\"", key), example);
  ModelHeader h;
  h.quantity = quantity;
  const char* si = unit_of(quantity);
  const auto string = [&](const char* key, const char* fallback) -> std::string {
    if (!json.contains(key)) return fallback;
    return json[key].is_string() ? json[key].get<std::string>() : std::string("?");
  };
  if (string("file", "").empty() || string("file", "") == "?")
    return fail("\"file\" is missing: the name of the samples' file", example);
  h.data = path.parent_path() / string("file", "");
  if (string("type", "float32") != "float32")
    return fail("\"type\" must be \"float32\"", "Convert the samples to 32-bit IEEE floats.");
  const std::string endian = string("endian", "little");
  if (endian != "little" && endian != "big") return fail("\"endian\" must be \"little\" or \"big\"", example);
  h.swap_bytes = (endian == "big") == (std::endian::native == std::endian::little);
  const auto unit = parse_quantity("1 " + string("unit", si), si);
  if (!unit) return fail(fmt::format("\"unit\": {}", unit.error().text), unit.error().hint);
  h.factor = unit->value;
  const std::string axes = string("axes", "?");
  std::string sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != "xyz")
    return fail(fmt::format("\"axes\" must name x, y and z once each, slowest first; found \"{}\"", axes.substr(0, 20)),
                example);
  for (std::size_t n = 0; n < 3; ++n) h.axes[n] = axes[n] - 'x';
  const auto triple = [&](const char* key) {
    return json.contains(key) && json[key].is_array() && json[key].size() == 3;
  };
  const bool npy = lower_case_ending(h.data) == ".npy";
  std::array<Index, 3> shape{};
  if (npy)
    if (const Status s = take_npy(h.data, json, h, shape); !s) return s.error();
  if (!npy && !triple("shape")) return fail("\"shape\" must be three counts, slowest axis first", example);
  if (!triple("spacing")) return fail("\"spacing\" must be three distances, slowest axis first", example);
  if (json.contains("origin") && !triple("origin"))
    return fail("\"origin\" must be three positions, slowest axis first", example);
  const auto length = [](const Json& value, double& out) {
    if (value.is_number()) return out = value.get<double>(), std::isfinite(out);
    if (!value.is_string()) return false;
    const auto q = parse_quantity(value.get<std::string>(), "m");
    return q ? (out = q->value, true) : false;
  };
  for (std::size_t n = 0; n < 3; ++n) {
    const auto axis = static_cast<std::size_t>(h.axes[n]);
    if (!npy) {
      const auto& count = json["shape"][n];
      if (!count.is_number_integer() || count.get<double>() < 1 || count.get<double>() > 1e9)
        return fail(fmt::format("\"shape\" entry {} must be a count from 1 to 10^9", n), example);
      shape[n] = count.get<Index>();
    }
    h.shape[axis] = shape[n];
    if (!length(json["spacing"][n], h.spacing[axis]) || !(h.spacing[axis] > 0))
      return fail(fmt::format("\"spacing\" entry {} must be a positive distance", n), example);
    if (json.contains("origin") && !length(json["origin"][n], h.origin[axis]))
      return fail(fmt::format("\"origin\" entry {} must be a position", n), example);
  }
  // 10^9 samples an axis: the product is formed in floating point before it is trusted as an integer.
  const double product =
      static_cast<double>(h.shape[0]) * static_cast<double>(h.shape[1]) * static_cast<double>(h.shape[2]);
  std::error_code error;
  const auto size = std::filesystem::file_size(h.data, error);
  if (error) return system_error("read", h.data.string(), error.value());
  const double needed = product * (h.wide ? 8 : 4) + static_cast<double>(h.offset);
  if (needed != static_cast<double>(size))
    return make_error(
        ErrorCode::invalid_input,
        fmt::format("the file holds {} bytes; {} × {} × {} values of {} bytes need {:.0f}", size,
                    h.shape[static_cast<std::size_t>(h.axes[0])], h.shape[static_cast<std::size_t>(h.axes[1])],
                    h.shape[static_cast<std::size_t>(h.axes[2])], h.wide ? 8 : 4, needed),
        fmt::format("Correct \"shape\" in {} or supply the whole file.", path.filename().string()),
        {h.data.string(), 0, ""});
  return h;
}

Result<std::shared_ptr<const Velocity>> load_model(const ModelHeader& header) {
  Pieces pieces(header);
  std::vector<float> values(static_cast<std::size_t>(samples(header)));
  if (const Status s = pieces.next(values); !s) return s.error();
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const SpeedRange range{static_cast<double>(*low), static_cast<double>(*high)};
  return std::shared_ptr<const Velocity>(sampled_velocity(header.box(), header.strides(), std::move(values), range));
}

}  // namespace conoid

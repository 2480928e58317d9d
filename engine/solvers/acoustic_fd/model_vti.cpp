// SPDX-License-Identifier: BSD-3-Clause
// A bounded reader of VTK images: attributes of three elements and one array.
#include "engine/solvers/acoustic_fd/model_vti.hpp"

#include "engine/core/atomic_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

struct Element {
  std::string_view attributes;
  std::size_t end = 0;  ///< just behind '>'
};

/// The next element of this name at or after `from`; end = npos when there is none.
Element element(std::string_view text, std::string_view name, std::size_t from) {
  for (std::size_t i = from; (i = text.find('<', i)) != std::string_view::npos; ++i) {
    if (text.compare(i + 1, name.size(), name) != 0) continue;
    const std::size_t after = i + 1 + name.size();
    if (after >= text.size() || (text[after] != ' ' && text[after] != '>' && text[after] != '\n' &&
                                 text[after] != '\t' && text[after] != '\r' && text[after] != '/'))
      continue;
    const std::size_t close = text.find('>', after);
    if (close == std::string_view::npos) break;
    return {text.substr(after, close - after), close + 1};
  }
  return {{}, std::string_view::npos};
}

std::string attribute(std::string_view attributes, std::string_view name) {
  const std::string key = std::string(name) + "=\"";
  for (std::size_t i = 0; (i = attributes.find(key, i)) != std::string_view::npos; ++i) {
    if (i > 0 && std::isspace(static_cast<unsigned char>(attributes[i - 1])) == 0) continue;
    const std::size_t begin = i + key.size(), end = attributes.find('"', begin);
    return end == std::string_view::npos ? std::string() : std::string(attributes.substr(begin, end - begin));
  }
  return {};
}

bool numbers(const std::string& text, std::span<double> out) {
  const char* at = text.c_str();
  for (double& v : out) {
    char* end = nullptr;
    v = std::strtod(at, &end);
    if (end == at || !std::isfinite(v)) return false;
    at = end;
  }
  return true;
}

/// Decodes at most `limit` bytes of one base64 run that begins at `from`; whitespace before it is skipped.
std::string base64(std::string_view text, std::size_t from, std::size_t limit) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  while (from < text.size() && std::isspace(static_cast<unsigned char>(text[from])) != 0) ++from;
  for (; from < text.size() && out.size() < limit; ++from) {
    const char c = text[from];
    int value = 0;
    if (c >= 'A' && c <= 'Z')
      value = c - 'A';
    else if (c >= 'a' && c <= 'z')
      value = c - 'a' + 26;
    else if (c >= '0' && c <= '9')
      value = c - '0' + 52;
    else if (c == '+')
      value = 62;
    else if (c == '/')
      value = 63;
    else
      break;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>(bits >> held & 0xff));
    }
  }
  return out;
}

class Vti final : public Model {
 public:
  Vti(ModelBox box, std::vector<float> values, SpeedRange range)
      : box_(box), values_(std::move(values)), range_(range) {}
  [[nodiscard]] ModelBox box() const override { return box_; }
  [[nodiscard]] Result<SpeedRange> scan() const override { return range_; }
  [[nodiscard]] Result<std::shared_ptr<const Velocity>> load() const override {
    return sampled_velocity(box_, {1, box_.shape[0], box_.shape[0] * box_.shape[1]}, values_, range_);
  }

 private:
  ModelBox box_;
  std::vector<float> values_;
  SpeedRange range_;
};

}  // namespace

Result<std::unique_ptr<Model>> open_vti_model(const std::filesystem::path& path, ModelQuantity quantity) {
  auto content = read_file(path, Bytes{8} << 30);
  if (!content) return content.error();
  const std::string_view text = *content;
  const auto fail = [&](const std::string& what, const std::string& hint) {
    return make_error(ErrorCode::invalid_input, what, hint, {path.string(), 0, ""});
  };
  const Element file = element(text, "VTKFile", 0);
  const Element image = file.end == std::string_view::npos ? file : element(text, "ImageData", file.end);
  if (image.end == std::string_view::npos)
    return fail("no ImageData in this file", "Save the model as VTK image data (.vti).");
  if (!attribute(file.attributes, "compressor").empty())
    return fail("the arrays are compressed", "Save the image without compression.");
  if (attribute(file.attributes, "byte_order") == "BigEndian")
    return fail("the arrays are big endian", "Save the image little endian.");
  const std::size_t counts = attribute(file.attributes, "header_type") == "UInt64" ? 8 : 4;
  double extent[6], vector[3];
  if (!numbers(attribute(image.attributes, "WholeExtent"), extent))
    return fail("WholeExtent must be six whole numbers", "Save the model as VTK image data (.vti).");
  ModelBox box;
  for (std::size_t a = 0; a < 3; ++a) {
    const double n = extent[2 * a + 1] - extent[2 * a] + 1;
    if (!(n >= 1 && n <= 1e6) || n != std::floor(n) || std::abs(extent[2 * a]) > 1e9)
      return fail(fmt::format("WholeExtent has {} points along {}; 1 to 10^6 are possible", n, "xyz"[a]),
                  "Repair the file.");
    box.shape[a] = static_cast<Index>(n);
  }
  if (const auto s = attribute(image.attributes, "Spacing"); !s.empty()) {
    if (!numbers(s, vector) || !(vector[0] > 0 && vector[1] > 0 && vector[2] > 0))
      return fail("Spacing must be three positive distances", "Repair the file.");
    box.spacing = {vector[0], vector[1], vector[2]};
  }
  if (const auto s = attribute(image.attributes, "Origin"); !s.empty()) {
    if (!numbers(s, vector)) return fail("Origin must be three positions", "Repair the file.");
    box.origin = {vector[0], vector[1], vector[2]};
  }
  for (std::size_t a = 0; a < 3; ++a) box.origin[a] += extent[2 * a] * box.spacing[a];

  const Element points = element(text, "PointData", image.end);
  if (points.end == std::string_view::npos) return fail("the image has no point data", "Save the model as point data.");
  const std::size_t stop = std::min(text.find("</PointData", points.end), text.size());
  const char* wanted = quantity == ModelQuantity::speed ? "speed" : "density";
  Element array{{}, std::string_view::npos};
  std::string found;
  int count = 0;
  for (Element e = element(text, "DataArray", points.end); e.end <= stop; e = element(text, "DataArray", e.end)) {
    const std::string name = attribute(e.attributes, "Name");
    if (++count > 1000) break;
    found += (found.empty() ? "" : ", ") + name.substr(0, 40);
    if (name == wanted || array.end == std::string_view::npos) array = e;
    if (name == wanted) {
      count = 1;
      break;
    }
  }
  if (count != 1)
    return fail(count == 0 ? "the image has no array" : fmt::format("the image has several arrays: {}", found),
                fmt::format("Name the array \"{}\".", wanted));
  const std::string type = attribute(array.attributes, "type"), format = attribute(array.attributes, "format");
  const std::size_t size = type == "Float32" ? 4 : type == "Float64" ? 8 : 0;
  const std::string components = attribute(array.attributes, "NumberOfComponents");
  if (size == 0 || (!components.empty() && components != "1"))
    return fail(fmt::format("the array is of type {} with {} components; Float32 or Float64 with one was expected",
                            type, components.empty() ? "1" : components),
                "Convert the array.");
  const double cells =
      static_cast<double>(box.shape[0]) * static_cast<double>(box.shape[1]) * static_cast<double>(box.shape[2]);
  // Even as "1 " an ascii value takes two bytes, so the file bounds what is allocated.
  if (cells * 2 > static_cast<double>(text.size()) + 2)
    return fail(fmt::format("the file has {} bytes; {:.0f} values were announced", text.size(), cells),
                "Supply the whole file.");
  const auto n = static_cast<std::size_t>(cells);
  std::vector<float> values(n);
  const auto short_file = [&](std::size_t have) {
    return fail(fmt::format("the array holds {} bytes; {} values of {} bytes need {}", have, n, size, n * size),
                "Supply the whole file.");
  };
  if (format == "ascii") {
    const char* at = text.data() + array.end;
    for (std::size_t i = 0; i < n; ++i) {
      char* end = nullptr;
      values[i] = std::strtof(at, &end);
      if (end == at) return fail(fmt::format("the array ends after {} of {} values", i, n), "Supply the whole file.");
      at = end;
    }
  } else {
    std::string bytes;
    if (format == "binary") {
      bytes = base64(text, array.end, counts + n * size);
    } else if (format == "appended") {
      const Element appended = element(text, "AppendedData", stop);
      const std::size_t mark = appended.end == std::string_view::npos ? appended.end : text.find('_', appended.end);
      double offset = 0;
      if (mark == std::string_view::npos || !numbers(attribute(array.attributes, "offset"), {&offset, 1}) ||
          !(offset >= 0) || offset > static_cast<double>(text.size() - mark - 1))
        return fail("the appended data are missing", "Supply the whole file.");
      const std::size_t begin = mark + 1 + static_cast<std::size_t>(offset);
      bytes = attribute(appended.attributes, "encoding") == "base64"
                  ? base64(text, begin, counts + n * size)
                  : std::string(text.substr(begin, counts + n * size));
    } else {
      return fail(
          fmt::format("the array's format is \"{}\"; ascii, binary or appended was expected", format.substr(0, 20)),
          "Save the image again.");
    }
    if (bytes.size() < counts + n * size) return short_file(bytes.size() < counts ? 0 : bytes.size() - counts);
    for (std::size_t i = 0; i < n; ++i) {
      const char* from = bytes.data() + counts + i * size;
      if (size == 4) {
        std::memcpy(&values[i], from, 4);
      } else {
        double v = 0;
        std::memcpy(&v, from, 8);
        values[i] = static_cast<float>(v);
      }
    }
  }
  SpeedRange range{std::numeric_limits<double>::infinity(), 0};
  for (std::size_t i = 0; i < n; ++i) {
    if (!(values[i] > 0) || !std::isfinite(values[i]))
      return fail(fmt::format("{} {} at point {}; a positive finite number was expected", wanted, values[i], i),
                  "Repair the model.");
    range.lowest = std::min(range.lowest, static_cast<double>(values[i]));
    range.highest = std::max(range.highest, static_cast<double>(values[i]));
  }
  return std::unique_ptr<Model>(std::make_unique<Vti>(box, std::move(values), range));
}

}  // namespace conoid::acoustic_fd

// SPDX-License-Identifier: BSD-3-Clause
// A bounded reader of VTK images: attributes of three elements and one array.
#include "engine/models/vti.hpp"

#include "engine/core/atomic_file.hpp"
#include "engine/io/inflate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/core.h>

namespace conoid {
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

/// Types of arrays that are read.
std::size_t type_size(std::string_view type) {
  struct Row {
    std::string_view name;
    std::size_t size;
  };
  constexpr Row rows[] = {{"Float32", 4}, {"Float64", 8}, {"Int8", 1},   {"UInt8", 1}, {"Int16", 2},
                          {"UInt16", 2},  {"Int32", 4},   {"UInt32", 4}, {"Int64", 8}, {"UInt64", 8}};
  for (const Row& row : rows)
    if (row.name == type) return row.size;
  return 0;
}

template <class T>
T loaded(const char* from, bool big) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), from, sizeof(T));
  if (big) std::reverse(raw.begin(), raw.end());
  T value;
  std::memcpy(&value, raw.data(), sizeof(T));
  return value;
}

float value_of(const char* from, std::string_view type, bool big) {
  if (type == "Float32") return loaded<float>(from, big);
  if (type == "Float64") return static_cast<float>(loaded<double>(from, big));
  if (type == "Int8") return loaded<std::int8_t>(from, big);
  if (type == "UInt8") return loaded<std::uint8_t>(from, big);
  if (type == "Int16") return loaded<std::int16_t>(from, big);
  if (type == "UInt16") return loaded<std::uint16_t>(from, big);
  if (type == "Int32") return static_cast<float>(loaded<std::int32_t>(from, big));
  if (type == "UInt32") return static_cast<float>(loaded<std::uint32_t>(from, big));
  if (type == "Int64") return static_cast<float>(loaded<std::int64_t>(from, big));
  return static_cast<float>(loaded<std::uint64_t>(from, big));
}

/// A whole number of the headers before the data, 4 or 8 bytes.
std::uint64_t count_at(std::string_view bytes, std::size_t place, std::size_t size, bool big) {
  return size == 8 ? loaded<std::uint64_t>(bytes.data() + place, big)
                   : loaded<std::uint32_t>(bytes.data() + place, big);
}

/// Compressed data (VTK's XML formats, "compressed data"): number of blocks, bytes of a block, bytes of the last one if it is shorter, then
/// the compressed size of each; the blocks. In base64 the head is a run of its own. Exactly `size` bytes, or nothing.
std::optional<std::string> decompressed(std::string_view text, std::size_t from, bool in_base64, std::size_t count_size,
                                        bool big, bool lz4, std::size_t size) {
  const auto bytes_at = [&](std::size_t place, std::size_t limit) {
    return in_base64 ? base64(text, place, limit) : std::string(text.substr(std::min(place, text.size()), limit));
  };
  while (in_base64 && from < text.size() && std::isspace(static_cast<unsigned char>(text[from])) != 0) ++from;
  const std::string first = bytes_at(from, 3 * count_size);
  if (first.size() < 3 * count_size) return std::nullopt;
  const std::uint64_t blocks = count_at(first, 0, count_size, big),
                      whole = count_at(first, count_size, count_size, big),
                      rest = count_at(first, 2 * count_size, count_size, big);
  if (blocks == 0 || blocks > text.size() / count_size) return std::nullopt;
  const std::size_t head = (3 + static_cast<std::size_t>(blocks)) * count_size;
  const std::string counts = bytes_at(from, head);
  if (counts.size() < head) return std::nullopt;
  std::uint64_t packed = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::uint64_t n = count_at(counts, (3 + static_cast<std::size_t>(b)) * count_size, count_size, big);
    if (n > text.size() - packed) return std::nullopt;
    packed += n;
  }
  const std::string data = bytes_at(from + (in_base64 ? (head + 2) / 3 * 4 : head), static_cast<std::size_t>(packed));
  if (data.size() < packed) return std::nullopt;
  std::string out;
  std::size_t at = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const auto n =
        static_cast<std::size_t>(count_at(counts, (3 + static_cast<std::size_t>(b)) * count_size, count_size, big));
    const auto wanted = static_cast<std::size_t>(b + 1 == blocks && rest > 0 ? rest : whole);
    if (wanted > size - out.size()) return std::nullopt;
    const auto block = lz4 ? inflate_lz4(std::string_view(data).substr(at, n), wanted)
                           : inflate_zlib(std::string_view(data).substr(at, n), wanted);
    if (!block) return std::nullopt;
    out += *block;
    at += n;
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

/// Which axis of space each axis of the image runs along, and which way; false where one runs askew.
bool axes_of(std::span<const double> direction, std::array<std::size_t, 3>& axis, std::array<int, 3>& sign) {
  std::array<bool, 3> taken{};
  for (std::size_t i = 0; i < 3; ++i) {
    bool found = false;
    for (std::size_t a = 0; a < 3; ++a) {
      const double d = direction[3 * a + i];
      if (std::abs(std::abs(d) - 1) < 1e-9 && !taken[a] && !found) {
        axis[i] = a;
        sign[i] = d > 0 ? 1 : -1;
        found = taken[a] = true;
      } else if (!(std::abs(d) < 1e-9)) {
        return false;
      }
    }
    if (!found) return false;
  }
  return true;
}

/// The samples along the axes of space, x fastest: as if the image had been written without a direction.
void turn_axes(ModelBox& box, std::vector<float>& values, const std::array<std::size_t, 3>& axis,
               const std::array<int, 3>& sign) {
  if (axis == std::array<std::size_t, 3>{0, 1, 2} && sign == std::array<int, 3>{1, 1, 1}) return;
  ModelBox turned = box;
  for (std::size_t i = 0; i < 3; ++i) {
    turned.shape[axis[i]] = box.shape[i];
    turned.spacing[axis[i]] = box.spacing[i];
  }
  std::vector<float> out(values.size());
  const std::array<Index, 3> stride{1, turned.shape[0], turned.shape[0] * turned.shape[1]};
  std::size_t from = 0;
  std::array<Index, 3> i{};
  for (i[2] = 0; i[2] < box.shape[2]; ++i[2])
    for (i[1] = 0; i[1] < box.shape[1]; ++i[1])
      for (i[0] = 0; i[0] < box.shape[0]; ++i[0]) {
        Index to = 0;
        for (std::size_t k = 0; k < 3; ++k) to += stride[axis[k]] * (sign[k] > 0 ? i[k] : box.shape[k] - 1 - i[k]);
        out[static_cast<std::size_t>(to)] = values[from++];
      }
  values = std::move(out);
  box = turned;
}

class Vti final : public Model {
 public:
  Vti(ModelBox box, std::vector<float> values, SpeedRange range)
      : box_(box), values_(std::move(values)), range_(range) {}
  [[nodiscard]] ModelBox box() const override { return box_; }
  [[nodiscard]] Result<std::shared_ptr<const Velocity>> load() const override {
    return sampled_velocity(box_, {1, box_.shape[0], box_.shape[0] * box_.shape[1]}, values_, range_);
  }

 private:
  ModelBox box_;
  std::vector<float> values_;
  SpeedRange range_;
};

Error bad_file(const std::filesystem::path& path, const std::string& what, const std::string& hint) {
  return make_error(ErrorCode::invalid_input, what, hint, {path.string(), 0, ""});
}

/// What the file says of its image and of how arrays lie in it.
struct Image {
  ModelBox box;
  std::array<std::size_t, 3> axis{0, 1, 2};  ///< of the grid, of each axis of the image
  std::array<int, 3> sign{1, 1, 1};
  bool compressed = false, lz4 = false, big = false;
  std::size_t counts = 4;  ///< bytes of a count before a block
  std::size_t end = 0;     ///< of the tag, where its contents begin
};

Result<Image> read_image(std::string_view text, const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what, const std::string& hint) { return bad_file(path, what, hint); };
  const Element file = element(text, "VTKFile", 0);
  const Element image = file.end == std::string_view::npos ? file : element(text, "ImageData", file.end);
  if (image.end == std::string_view::npos)
    return fail("no ImageData in this file", "Save the model as VTK image data (.vti).");
  Image out;
  const std::string compressor = attribute(file.attributes, "compressor");
  out.lz4 = compressor == "vtkLZ4DataCompressor";
  if (!compressor.empty() && !out.lz4 && compressor != "vtkZLibDataCompressor")
    return fail(fmt::format("the arrays are compressed by {}; zlib and LZ4 are read", compressor.substr(0, 60)),
                "Save the image with zlib, or without compression.");
  out.big = attribute(file.attributes, "byte_order") == "BigEndian";
  out.counts = attribute(file.attributes, "header_type") == "UInt64" ? 8 : 4;
  double extent[6], vector[3];
  if (!numbers(attribute(image.attributes, "WholeExtent"), extent))
    return fail("WholeExtent must be six whole numbers", "Save the model as VTK image data (.vti).");
  ModelBox& box = out.box;
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
  std::array<std::size_t, 3>& axis = out.axis;
  std::array<int, 3>& sign = out.sign;
  if (const auto s = attribute(image.attributes, "Direction"); !s.empty()) {
    std::array<double, 9> direction{};
    if (!numbers(s, direction) || !axes_of(direction, axis, sign))
      return fail(fmt::format("Direction \"{}\" turns the image out of the axes", s.substr(0, 80)),
                  "Resample the image to the axes of the grid (in ParaView: the filter Resample To Image).");
  }
  // The image's first point and, where an axis runs backwards, its last one lie lowest.
  for (std::size_t i = 0; i < 3; ++i)
    box.origin[axis[i]] += (sign[i] > 0 ? extent[2 * i] : -extent[2 * i + 1]) * box.spacing[i];
  if (const Element piece = element(text, "Piece", image.end);
      piece.end != std::string_view::npos && element(text, "Piece", piece.end).end != std::string_view::npos)
    return fail("the image is in several pieces", "Save it as one piece.");
  out.compressed = !compressor.empty();
  out.end = image.end;
  return out;
}

/// The array of the model, and where the point data end.
struct Found {
  Element array;
  std::size_t stop = 0;
};

Result<Found> find_array(std::string_view text, const Image& image, const char* wanted,
                         const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what, const std::string& hint) { return bad_file(path, what, hint); };
  const Element points = element(text, "PointData", image.end);
  if (points.end == std::string_view::npos) return fail("the image has no point data", "Save the model as point data.");
  const std::size_t stop = std::min(text.find("</PointData", points.end), text.size());
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
  return Found{array, stop};
}

/// The bytes of an array that is no text; `head` of them come before the values.
struct Packed {
  std::string bytes;
  std::size_t head = 0;
};

Result<Packed> packed_bytes(std::string_view text, const Image& image, const Found& data, std::size_t needed,
                            const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what, const std::string& hint) { return bad_file(path, what, hint); };
  const std::string format = attribute(data.array.attributes, "format");
  Packed out;
  std::string& bytes = out.bytes;
  std::size_t& head = out.head;
  head = image.counts;  // bytes before the values
  const auto unpack = [&](std::size_t from, bool in_base64) {
    auto plain = decompressed(text, from, in_base64, image.counts, image.big, image.lz4, needed);
    head = 0;
    return plain ? std::move(*plain) : std::string();
  };
  if (format == "binary") {
    bytes = !image.compressed ? base64(text, data.array.end, image.counts + needed) : unpack(data.array.end, true);
  } else if (format == "appended") {
    const Element appended = element(text, "AppendedData", data.stop);
    const std::size_t mark = appended.end == std::string_view::npos ? appended.end : text.find('_', appended.end);
    double offset = 0;
    if (mark == std::string_view::npos || !numbers(attribute(data.array.attributes, "offset"), {&offset, 1}) ||
        !(offset >= 0) || offset > static_cast<double>(text.size() - mark - 1))
      return fail("the appended data are missing", "Supply the whole file.");
    const std::size_t begin = mark + 1 + static_cast<std::size_t>(offset);
    const bool in_base64 = attribute(appended.attributes, "encoding") == "base64";
    bytes = image.compressed ? unpack(begin, in_base64)
            : in_base64      ? base64(text, begin, image.counts + needed)
                             : std::string(text.substr(begin, image.counts + needed));
  } else {
    return fail(
        fmt::format("the array's format is \"{}\"; ascii, binary or appended was expected", format.substr(0, 20)),
        "Save the image again.");
  }
  return out;
}

Result<std::vector<float>> read_values(std::string_view text, const Image& image, const Found& data,
                                       const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what, const std::string& hint) { return bad_file(path, what, hint); };
  const std::string type = attribute(data.array.attributes, "type"),
                    format = attribute(data.array.attributes, "format");
  const std::size_t size = type_size(type);
  const std::string components = attribute(data.array.attributes, "NumberOfComponents");
  if (size == 0 || (!components.empty() && components != "1"))
    return fail(fmt::format("the array is of type {} with {} components; numbers with one were expected", type,
                            components.empty() ? "1" : components),
                "Convert the array.");
  const double cells = static_cast<double>(image.box.shape[0]) * static_cast<double>(image.box.shape[1]) *
                       static_cast<double>(image.box.shape[2]);
  // Even as "1 " an ascii value takes two bytes, so the file bounds what is allocated.
  const double ratio = image.compressed ? 1032 : 1;  // at most so many bytes from one (RFC 1951)
  if (cells * (ratio > 1 ? static_cast<double>(std::max<std::size_t>(size, 1)) : 2) >
          ratio * static_cast<double>(text.size()) + 2 ||
      cells > 4e9)
    return fail(fmt::format("the file has {} bytes; {:.0f} values were announced", text.size(), cells),
                "Supply the whole file.");
  const auto n = static_cast<std::size_t>(cells);
  std::vector<float> values;
  if (format == "ascii") {
    values.resize(n);
    const char* at = text.data() + data.array.end;
    for (std::size_t i = 0; i < n; ++i) {
      char* end = nullptr;
      values[i] = std::strtof(at, &end);
      if (end == at) return fail(fmt::format("the array ends after {} of {} values", i, n), "Supply the whole file.");
      at = end;
    }
    return values;
  }
  const auto packed = packed_bytes(text, image, data, n * size, path);
  if (!packed) return packed.error();
  const auto& [bytes, head] = *packed;
  if (head == 0 && bytes.size() != n * size)
    return fail("the compressed array is damaged or does not hold its values", "Save the image again.");
  if (bytes.size() < head + n * size)
    return fail(fmt::format("the array holds {} bytes; {} values of {} bytes need {}",
                            bytes.size() < head ? 0 : bytes.size() - head, n, size, n * size),
                "Supply the whole file.");
  values.resize(n);  // the bytes are there
  for (std::size_t i = 0; i < n; ++i) values[i] = value_of(bytes.data() + head + i * size, type, image.big);
  return values;
}

}  // namespace

Result<std::unique_ptr<Model>> open_vti_model(const std::filesystem::path& path, ModelQuantity quantity) {
  auto content = read_file(path, Bytes{8} << 30);
  if (!content) return content.error();
  const char* wanted = quantity == ModelQuantity::speed ? "speed" : "density";
  auto image = read_image(*content, path);
  if (!image) return image.error();
  const auto data = find_array(*content, *image, wanted, path);
  if (!data) return data.error();
  auto found = read_values(*content, *image, *data, path);
  if (!found) return found.error();
  std::vector<float>& values = *found;
  SpeedRange range{std::numeric_limits<double>::infinity(), 0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0) || !std::isfinite(values[i]))
      return bad_file(path,
                      fmt::format("{} {} at point {}; a positive finite number was expected", wanted, values[i], i),
                      "Repair the model.");
    range.lowest = std::min(range.lowest, static_cast<double>(values[i]));
    range.highest = std::max(range.highest, static_cast<double>(values[i]));
  }
  turn_axes(image->box, values, image->axis, image->sign);
  return std::unique_ptr<Model>(std::make_unique<Vti>(image->box, std::move(values), range));
}

}  // namespace conoid

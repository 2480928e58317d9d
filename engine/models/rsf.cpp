// SPDX-License-Identifier: BSD-3-Clause
// Models of Madagascar (RSF): a text of key=value beside its samples, or before them. Source: www.reproducibility.org, "Guide to RSF
// file format".
#include "engine/core/atomic_file.hpp"
#include "engine/core/units.hpp"
#include "engine/models/grids.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

#include <fmt/core.h>

namespace conoid {
namespace {

constexpr std::string_view rsf_mark = "\f\f\004";  // between a header and samples in the same file
constexpr Bytes longest_rsf = Bytes{16} << 30;

/// key=value, key="value with blanks"; what was said last holds. Other words (the history of the file) are passed over.
std::map<std::string, std::string> rsf_keys(std::string_view text) {
  std::map<std::string, std::string> out;
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at < text.size();) {
    if (blank(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !blank(text[end]) && text[end] != '=') ++end;
    if (end == text.size() || text[end] != '=') {
      at = end;
      continue;
    }
    const std::string key(text.substr(at, std::min<std::size_t>(end - at, 40)));
    const std::size_t begin = end + 1;
    if (begin < text.size() && (text[begin] == '"' || text[begin] == '\'')) {
      const std::size_t close = std::min(text.find(text[begin], begin + 1), text.size());
      out[key] = text.substr(begin + 1, close - begin - 1);
      at = std::min(close + 1, text.size());
    } else {
      for (at = begin; at < text.size() && !blank(text[at]);) ++at;
      out[key] = text.substr(begin, at - begin);
    }
  }
  return out;
}

using Keys = decltype(rsf_keys({}));

Error bad_header(const std::filesystem::path& path, const std::string& what, const std::string& hint) {
  return make_error(ErrorCode::invalid_input, what, hint, {path.string(), 0, ""});
}

/// The factor by which the unit that a key names goes to `si`; 1 where there is no such key.
Status read_unit(Keys& keys, const std::string& key, const char* si, double& factor,
                 const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what, const std::string& hint) { return bad_header(path, what, hint); };
  if (!keys.contains(key) || keys[key].empty()) return {};
  const auto q = parse_quantity("1 " + keys[key], si);
  if (!q)
    return fail(fmt::format("{}=\"{}\": {}", key, keys[key].substr(0, 20), q.error().text),
                fmt::format("Give it in {}, or in a unit of the same kind; without {}= {} holds.", si, key, si));
  factor = q->value;
  return {};
}

/// Counts, distances and origins of the axes depth, x and y, in metres.
struct Axes {
  std::array<Index, 3> n{1, 1, 1};
  std::array<double, 3> d{1, 1, 1}, o{};
  std::string taken;  ///< what the header does not say
};

Status read_counts(Keys& keys, std::array<Index, 3>& n, const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what, const std::string& hint) { return bad_header(path, what, hint); };
  for (int axis = 1; axis <= 9; ++axis) {
    const std::string key = fmt::format("n{}", axis);
    if (!keys.contains(key)) continue;
    const std::string& text = keys[key];
    Index count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || end != text.data() + text.size() || count < 1 || count > 1'000'000'000)
      return fail(fmt::format("{}={}; a count from 1 to 10^9 was expected", key, text.substr(0, 20)),
                  "Repair the header.");
    if (axis > 3 && count > 1)
      return fail(fmt::format("{}={}: a model has three axes, depth, x and y", key, count),
                  "Take one model out of the file, for example with sfwindow.");
    if (axis <= 3) n[static_cast<std::size_t>(axis - 1)] = count;
  }
  if (!keys.contains("n1")) return fail("no n1= in the header of the RSF file", "Write the file with Madagascar.");
  return {};
}

Result<Axes> read_axes(Keys& keys, const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what, const std::string& hint) { return bad_header(path, what, hint); };
  Axes out;
  auto& [n, d, o, taken] = out;
  if (const Status counted = read_counts(keys, n, path); !counted) return counted.error();
  for (std::size_t a = 0; a < 3; ++a) {
    for (const auto& [name, value] : {std::pair{'d', &d[a]}, std::pair{'o', &o[a]}}) {
      const std::string key = fmt::format("{}{}", name, a + 1);
      if (!keys.contains(key)) {
        if (name == 'd' && n[a] > 1) taken += fmt::format("{}{}=1", taken.empty() ? "" : ", ", key);
        continue;
      }
      char* end = nullptr;
      *value = std::strtod(keys[key].c_str(), &end);
      if (end == keys[key].c_str() || *end != '\0' || !std::isfinite(*value) || (name == 'd' && !(*value > 0)))
        return fail(fmt::format("{}={}; a {} was expected", key, keys[key].substr(0, 20),
                                name == 'd' ? "positive distance" : "position"),
                    "Repair the header.");
    }
    double metres = 1;
    if (const Status s = read_unit(keys, fmt::format("unit{}", a + 1), "m", metres, path); !s) return s.error();
    d[a] *= metres;
    o[a] *= metres;
    if (!std::isfinite(o[a]) || !std::isfinite(d[a]) || !(d[a] > 0))
      return fail("positions leave all bounds", "Repair the header.");
  }
  return out;
}

/// How samples are written.
struct Written {
  std::string format;
  bool ascii = false, whole = false;
};

Result<Written> read_format(Keys& keys, const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what, const std::string& hint) { return bad_header(path, what, hint); };
  const std::string format = keys.contains("data_format") ? keys["data_format"] : "native_float";
  const bool ascii = format == "ascii_float" || format == "ascii_int", whole = format.ends_with("_int");
  if (!ascii && format != "native_float" && format != "native_int" && format != "xdr_float" && format != "xdr_int")
    return fail(
        fmt::format("data_format=\"{}\"; native, xdr or ascii with _float or _int was expected", format.substr(0, 30)),
        "Convert it with sfdd, for example sfdd form=native type=float.");
  if (const std::string& size = keys["esize"]; !ascii && !size.empty() && size != "4")
    return fail(fmt::format("esize={}; samples of 4 bytes were expected", size.substr(0, 20)),
                "Convert it with sfdd form=native type=float.");

  return Written{format, ascii, whole};
}

/// `bytes` end with a zero that is not counted.
Result<std::vector<float>> read_samples(std::string_view bytes, const std::array<Index, 3>& n, const Written& as,
                                        double factor, const std::filesystem::path& header,
                                        const std::filesystem::path& data_path) {
  const auto& [format, ascii, whole] = as;
  const double product = static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]);
  const auto wrong_length = [&](const std::string& what) {
    return make_error(ErrorCode::invalid_input, what,
                      fmt::format("Correct n1, n2 and n3 in {} or supply the whole file.", header.filename().string()),
                      {data_path.string(), 0, ""});
  };
  // Even as "1 " an ascii value takes two bytes, so the file bounds what is allocated.
  if (ascii ? 2 * product > static_cast<double>(bytes.size()) + 1 : 4 * product != static_cast<double>(bytes.size()))
    return wrong_length(fmt::format("the samples have {} bytes; {} × {} × {} values need {}{:.0f}", bytes.size(), n[0],
                                    n[1], n[2], ascii ? "at least " : "", (ascii ? 2 : 4) * product));
  std::vector<float> values(static_cast<std::size_t>(product));
  if (ascii) {
    const char* at = bytes.data();  // of a string, which ends with a zero
    for (std::size_t i = 0; i < values.size(); ++i) {
      char* end = nullptr;
      values[i] = static_cast<float>(std::strtod(at, &end) * factor);
      if (end == at) return wrong_length(fmt::format("the samples end after {} of {} values", i, values.size()));
      at = end;
    }
  } else {
    const bool swap = format.starts_with("xdr") == (std::endian::native == std::endian::little);
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, bytes.data() + 4 * i, 4);
      if (swap) bits = __builtin_bswap32(bits);
      values[i] = static_cast<float>(factor * (whole ? static_cast<double>(std::bit_cast<std::int32_t>(bits))
                                                     : static_cast<double>(std::bit_cast<float>(bits))));
    }
  }
  return values;
}

}  // namespace

Result<std::unique_ptr<Model>> open_rsf_model(const std::filesystem::path& path, ModelQuantity quantity) {
  const auto fail = [&](const std::string& what, const std::string& hint) { return bad_header(path, what, hint); };
  auto file = read_file(path, longest_rsf);
  if (!file) return file.error();
  const std::size_t mark = file->find(rsf_mark);
  constexpr std::size_t longest_header = std::size_t{1} << 20;
  if (std::min(mark, file->size()) > longest_header)
    return fail("the header of the RSF file is longer than 1 MiB", "Give the header (.rsf), not its samples.");
  auto keys = rsf_keys(std::string_view(*file).substr(0, mark));
  if (!keys.contains("in"))
    return fail("no in= in the header of the RSF file: the name of its samples' file, or \"stdin\" where they follow",
                "Write the file with Madagascar, or add in=\"file\".");
  std::vector<std::string> notes;

  const auto axes = read_axes(keys, path);
  if (!axes) return axes.error();
  const auto& [n, d, o, taken] = *axes;
  if (!taken.empty()) notes.push_back(fmt::format("the header does not say {}: taken, as Madagascar does", taken));
  double factor = 1;
  if (const Status s = read_unit(keys, "unit", quantity == ModelQuantity::speed ? "m/s" : "kg/m^3", factor, path); !s)
    return s.error();

  const auto written = read_format(keys, path);
  if (!written) return written.error();

  // The samples: behind the header, or in a plain file of their own.
  std::filesystem::path data_path = path;
  std::size_t begin = 0;
  if (keys["in"] == "stdin") {
    if (mark == std::string::npos)
      return fail("in=\"stdin\", but no samples follow the header (bytes 12 12 4)", "Supply the whole file.");
    begin = mark + rsf_mark.size();
  } else {
    if (keys["in"].empty() || keys["in"].find('\0') != std::string::npos)
      return fail("in= names no file", "Name the file of the samples, or \"stdin\" where they follow the header.");
    data_path = path.parent_path() / keys["in"];
    file = read_file(data_path, longest_rsf);
    if (!file) return file.error();
  }
  auto values = read_samples(std::string_view(*file).substr(begin), n, *written, factor, path, data_path);
  if (!values) return values.error();
  // Axis 1 goes down; held upwards.
  for (Index column = 0; column < n[1] * n[2]; ++column)
    std::reverse(values->begin() + column * n[0], values->begin() + (column + 1) * n[0]);
  ModelBox box;
  box.shape = {n[1], n[2], n[0]};
  box.spacing = {d[1], d[2], d[0]};
  box.origin = {o[1], o[2], -(o[0] + static_cast<double>(n[0] - 1) * d[0])};
  return held_model(box, {n[0], n[0] * n[1], 1}, std::move(*values), quantity, data_path, std::move(notes));
}

}  // namespace conoid

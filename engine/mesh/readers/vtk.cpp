// SPDX-License-Identifier: BSD-3-Clause
// Legacy VTK files, versions 1 to 5.1 (VTK File Formats, "Simple Legacy Formats"), ASCII or binary (big endian): unstructured grids and
// surfaces (polydata).
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/readers/vtk_cells.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace conoid {
namespace {

using readers::Cursor;
using readers::quoted;

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

struct NumberType {
  std::string_view name;
  std::size_t size;
  char kind;  ///< f: real, i: whole, u: whole without sign, b: bit
};
constexpr std::array<NumberType, 21> number_types{{{"bit", 0, 'b'},
                                                   {"unsigned_char", 1, 'u'},
                                                   {"char", 1, 'i'},
                                                   {"signed_char", 1, 'i'},
                                                   {"unsigned_short", 2, 'u'},
                                                   {"short", 2, 'i'},
                                                   {"unsigned_int", 4, 'u'},
                                                   {"int", 4, 'i'},
                                                   {"unsigned_long", 8, 'u'},
                                                   {"long", 8, 'i'},
                                                   {"vtktypeint64", 8, 'i'},
                                                   {"vtkidtype", 4, 'i'},
                                                   {"vtktypeuint64", 8, 'u'},
                                                   {"float", 4, 'f'},
                                                   {"double", 8, 'f'},
                                                   {"vtktypeint8", 1, 'i'},
                                                   {"vtktypeuint8", 1, 'u'},
                                                   {"vtktypeint16", 2, 'i'},
                                                   {"vtktypeuint16", 2, 'u'},
                                                   {"vtktypeint32", 4, 'i'},
                                                   {"vtktypeuint32", 4, 'u'}}};

/// Cells of one list: where each begins among the nodes.
struct CellList {
  std::vector<Index> begin{0}, nodes;
  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
  [[nodiscard]] std::span<const Index> cell(std::size_t c) const {
    return {nodes.data() + begin[c], static_cast<std::size_t>(begin[c + 1] - begin[c])};
  }
};

class LegacyVtkReader {
 public:
  LegacyVtkReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : in_(bytes, file, options.memory_limit), options_(options) {}

  Mesh read() {
    in_.check_unit(options_.scale);
    in_.skip_byte_order_mark();
    header();
    for (std::string key = keyword(); !key.empty(); key = keyword()) section(key);
    if (!points_seen_) in_.fail("expected a section POINTS, found none");
    return build();
  }

 private:
  void header() {
    const std::string_view first = in_.line();
    const auto at = first.find("Version");
    if (!first.starts_with("# vtk DataFile") || at == std::string_view::npos)
      in_.fail_at(0, fmt::format("expected '# vtk DataFile Version …', found {}", quoted(first)));
    const auto digit = first.find_first_of("0123456789", at);
    version_ = digit == std::string_view::npos ? 1 : first[digit] - '0';
    in_.line();  // the title
    const std::string form = upper(in_.word());
    if (form != "ASCII" && form != "BINARY")
      in_.fail(fmt::format("expected ASCII or BINARY, found {}", quoted(std::string_view(form))));
    text_ = form == "ASCII";
    in_.line();
    if (upper(in_.word()) != "DATASET") in_.fail("expected 'DATASET …'");
    const std::string kind = upper(in_.word_in_line());
    surface_ = kind == "POLYDATA";
    if (!surface_ && kind != "UNSTRUCTURED_GRID")
      in_.fail(fmt::format("expected DATASET UNSTRUCTURED_GRID or POLYDATA, found {}", quoted(std::string_view(kind))),
               "Turn the grid into cells (in ParaView: save as an unstructured grid, .vtu).");
    in_.line();
  }

  std::string keyword() {
    for (;;) {
      in_.skip_space();
      if (in_.at_end()) return {};
      const std::string key = upper(in_.word());
      if (key != "METADATA") return key;
      // Up to an empty line.
      in_.line();
      for (;;) {
        if (in_.at_end()) return {};
        const std::string_view line = in_.line();
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) break;
      }
    }
  }

  void section(const std::string& key) {
    if (key == "POINTS") return points();
    if (key == "CELLS" && !surface_) return list(cells_);
    if (key == "CELL_TYPES" && !surface_) return types();
    if (surface_) {
      constexpr std::array<std::string_view, 4> lists{"VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS"};
      const auto found = std::find(lists.begin(), lists.end(), key);
      if (found != lists.end()) return list(surface_lists_[static_cast<std::size_t>(found - lists.begin())]);
    }
    if (key == "CELL_DATA" || key == "POINT_DATA") {
      rows_ = in_.integer<std::uint64_t>("a number of values");
      of_cells_ = key == "CELL_DATA";
      in_.line();
      return;
    }
    attribute(key);
  }

  // ---- numbers ----

  const NumberType& type_named(std::string_view word) {
    std::string lower(word);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const NumberType& t : number_types)
      if (t.name == lower) return t;
    in_.fail(fmt::format("expected a type of numbers such as float or int, found {}", quoted(word)));
  }

  /// Fails unless so many numbers can still follow.
  void need(std::uint64_t count, const NumberType& type, std::string_view what) {
    if (text_)
      in_.need(count / 2, 1, what);
    else if (type.size > 0)
      in_.need(count, type.size, what);
  }

  double number(const NumberType& type, std::string_view what) {
    if (text_) {
      // "nan" stands in data that are not looked at.
      const std::size_t at = (in_.skip_space(), in_.position());
      const std::string_view word = in_.word();
      double value = 0;
      const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (word.empty() || (code == std::errc::invalid_argument) || end != word.data() + word.size())
        in_.fail_at(at,
                    fmt::format("expected {}, found {}", what, word.empty() ? "the end of the file" : quoted(word)));
      return value;
    }
    return type.kind == 'f'   ? (type.size == 4 ? static_cast<double>(big<float>(what)) : big<double>(what))
           : type.size == 1   ? (type.kind == 'u' ? static_cast<double>(big<std::uint8_t>(what))
                                                  : static_cast<double>(big<std::int8_t>(what)))
           : type.size == 2   ? (type.kind == 'u' ? static_cast<double>(big<std::uint16_t>(what))
                                                  : static_cast<double>(big<std::int16_t>(what)))
           : type.size == 4   ? (type.kind == 'u' ? static_cast<double>(big<std::uint32_t>(what))
                                                  : static_cast<double>(big<std::int32_t>(what)))
           : type.kind == 'u' ? static_cast<double>(big<std::uint64_t>(what))
                              : static_cast<double>(big<std::int64_t>(what));
  }
  template <class T>
  T big(std::string_view what) {
    in_.need(1, sizeof(T), what);
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), in_.rest().data(), sizeof(T));
    in_.advance(sizeof(T));
    if constexpr (std::endian::native == std::endian::little) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
  }

  Index whole(const NumberType& type, std::string_view what) {
    const std::size_t at = in_.position();
    const double value = number(type, what);
    if (!(value >= 0 && value <= 9e15) || value != std::floor(value))
      in_.fail_at(at, fmt::format("expected {}, found {}", what, value));
    return static_cast<Index>(value);
  }

  // ---- sections ----

  void points() {
    const auto count = in_.integer<std::uint64_t>("a number of points");
    const NumberType& type = type_named(in_.word_in_line());
    in_.line();
    if (points_seen_) in_.fail("expected one section POINTS, found a second");
    points_seen_ = true;
    if (count > UINT64_MAX / 3) in_.fail(fmt::format("expected a number of points, found {}", count));
    need(3 * count, type, "coordinates");
    in_.take_memory(count, 3 * sizeof(double), "points");
    points_.reserve(3 * count);
    for (std::uint64_t i = 0; i < 3 * count; ++i) {
      const std::size_t at = in_.position();
      const double x = number(type, "a coordinate");
      if (!std::isfinite(x)) in_.fail_at(at, fmt::format("expected a finite coordinate, found {}", x));
      points_.push_back(x * options_.scale);
    }
  }

  /// Up to version 4: each cell as its number of nodes and those; from 5 on: offsets and nodes as two arrays.
  void list(CellList& into) {
    const auto first = in_.integer<std::uint64_t>("a number of cells");
    const auto second = in_.integer<std::uint64_t>("a number of entries");
    in_.line();
    if (into.size() > 0) in_.fail("expected this list of cells once, found a second");
    constexpr NumberType int32{"int", 4, 'i'};
    if (version_ < 5) {
      need(second, int32, "entries");
      need(first, int32, "cells");
      in_.take_memory(first + second, sizeof(Index), "cells");
      std::uint64_t left = second;
      for (std::uint64_t c = 0; c < first; ++c) {
        const auto n = static_cast<std::uint64_t>(whole(int32, "a number of nodes"));
        if (left == 0 || n > left - 1)
          in_.fail(fmt::format("cell {}: expected at most {} nodes, found {}", c, left == 0 ? 0 : left - 1, n));
        left -= n + 1;
        for (std::uint64_t k = 0; k < n; ++k) into.nodes.push_back(whole(int32, "a point's number from 0"));
        into.begin.push_back(static_cast<Index>(into.nodes.size()));
      }
      return;
    }
    into.begin.clear();
    array("OFFSETS", first, into.begin);
    array("CONNECTIVITY", second, into.nodes);
    if (into.begin.empty()) into.begin.push_back(0);
    if (into.begin.front() != 0 || !std::is_sorted(into.begin.begin(), into.begin.end()) ||
        into.begin.back() != static_cast<Index>(into.nodes.size()))
      in_.fail(fmt::format("expected offsets that grow from 0 to {}", into.nodes.size()));
  }

  void array(std::string_view key, std::uint64_t count, std::vector<Index>& into) {
    in_.skip_space();
    if (upper(in_.word()) != key) in_.fail(fmt::format("expected '{}'", key));
    const NumberType& type = type_named(in_.word_in_line());
    in_.line();
    need(count, type, "entries");
    in_.take_memory(count, sizeof(Index), "entries");
    into.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) into.push_back(whole(type, "a number from 0"));
  }

  void types() {
    const auto count = in_.integer<std::uint64_t>("a number of cells");
    in_.line();
    constexpr NumberType int32{"int", 4, 'i'};
    need(count, int32, "types of cells");
    in_.take_memory(count, sizeof(int), "types of cells");
    types_.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i)
      types_.push_back(static_cast<int>(std::min<Index>(whole(int32, "a type of cell"), 1000)));
  }

  // ---- data ----

  void attribute(const std::string& key) {
    const std::string name(in_.word_in_line());
    if (key == "SCALARS") {
      const NumberType& type = type_named(in_.word_in_line());
      const std::string_view parts = in_.word_in_line();
      const std::uint64_t components = parts.empty() ? 1 : static_cast<std::uint64_t>(std::clamp(parts[0] - '0', 1, 9));
      in_.line();
      const std::size_t at = in_.position();
      if (upper(in_.word()) == "LOOKUP_TABLE")
        in_.line();
      else
        in_.seek(at);
      return values(name, type, components, rows_);
    }
    if (key == "FIELD") return field();
    if (key == "LOOKUP_TABLE") {
      const auto colours = in_.integer<std::uint64_t>("a number of colours");
      in_.line();
      const NumberType& bytes = number_types[text_ ? 13 : 1];
      return values({}, bytes, 4, colours);
    }
    if (key == "COLOR_SCALARS") {
      const auto parts = in_.integer<std::uint64_t>("a number of values");
      in_.line();
      return values({}, number_types[text_ ? 13 : 1], std::min<std::uint64_t>(parts, 1000), rows_);
    }
    if (key == "TEXTURE_COORDINATES") {
      const auto parts = in_.integer<std::uint64_t>("a number of values");
      const NumberType& type = type_named(in_.word_in_line());
      in_.line();
      return values({}, type, std::min<std::uint64_t>(parts, 1000), rows_);
    }
    const std::uint64_t components =
        key == "VECTORS" || key == "NORMALS" || key == "GLOBAL_IDS" || key == "PEDIGREE_IDS" ? 3
        : key == "TENSORS"                                                                   ? 9
        : key == "TENSORS6"                                                                  ? 6
                                                                                             : 0;
    if (components == 0)
      in_.fail(fmt::format("expected a section such as CELLS or CELL_DATA, found {}", quoted(std::string_view(key))));
    const NumberType& type = type_named(in_.word_in_line());
    in_.line();
    values({}, type, key.ends_with("_IDS") ? 1 : components, rows_);
  }

  void field() {
    const auto arrays = in_.integer<std::uint64_t>("a number of arrays");
    in_.line();
    in_.need(arrays, 4, "arrays");
    for (std::uint64_t a = 0; a < arrays; ++a) {
      std::string name = keyword_as_written();
      const auto components = in_.integer<std::uint64_t>("a number of components");
      const auto rows = in_.integer<std::uint64_t>("a number of values");
      const std::string_view word = in_.word_in_line();
      if (word == "string")
        in_.fail("expected arrays of numbers, found one of strings", "Leave the array out when saving.");
      const NumberType& type = type_named(word);
      in_.line();
      values(name, type, components, rows);
    }
  }

  /// The next word that is no METADATA block.
  std::string keyword_as_written() {
    const std::string key = keyword();
    if (key.empty()) in_.fail("expected the name of an array, found the end of the file");
    const std::size_t end = in_.position();
    in_.seek(end - key.size());
    return std::string(in_.word());
  }

  void values(const std::string& name, const NumberType& type, std::uint64_t components, std::uint64_t rows) {
    if (components != 0 && rows > UINT64_MAX / std::max<std::uint64_t>(1, components) / 8)
      in_.fail(fmt::format("expected a number of values, found {}", rows));
    const std::uint64_t count = components * rows;
    if (type.kind == 'b' && !text_) {
      in_.need((count + 7) / 8, 1, "bits");
      in_.advance((count + 7) / 8);
      return;
    }
    need(count, type, "values");
    const auto names = readers::group_array_names();
    const auto rank = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    const bool regions = of_cells_ && components == 1 && rank < std::min(best_, names.size());
    const bool ghosts = of_cells_ && components == 1 && name == "vtkGhostType";
    if (regions || ghosts) {
      in_.take_memory(count, sizeof(double), "values");
      std::vector<double>& into = ghosts ? ghosts_ : regions_;
      into.clear();
      for (std::uint64_t i = 0; i < count; ++i) into.push_back(number(type, "a value"));
      if (regions) best_ = rank;
      return;
    }
    if (text_)
      for (std::uint64_t i = 0; i < count; ++i) {
        if (in_.word().empty()) in_.fail_expected("a value");
      }
    else
      in_.advance(count * type.size);
  }

  // ---- the end ----

  Mesh build() {
    const auto count = static_cast<Index>(points_.size() / 3);
    if (!surface_ && types_.size() != cells_.size())
      in_.fail(fmt::format("expected a type for each of {} cells, found {} types", cells_.size(), types_.size()));
    // Polygons are cut, strips and chains become their pieces: at most as many as they have nodes, and prisms three of four.
    in_.take_memory(cells_.nodes.size() + surface_lists_[2].nodes.size() + surface_lists_[3].nodes.size() +
                        surface_lists_[1].nodes.size(),
                    8 * sizeof(Index), "cells");
    readers::VtkCells out(std::move(points_));
    std::size_t row = 0;
    const auto add = [&](int type, std::span<const Index> nodes) {
      for (const Index n : nodes)
        if (n >= count) in_.fail(fmt::format("cell {}: expected points from 0 to {}, found {}", row, count - 1, n));
      if (row < ghosts_.size() && readers::VtkCells::is_ghost(static_cast<int>(ghosts_[row]))) {
        out.leave_out();
      } else {
        out.add(type, nodes);
        if (row < regions_.size()) out.number_last(regions_[row]);
      }
      ++row;
    };
    for (std::size_t c = 0; c < cells_.size(); ++c) add(types_[c], cells_.cell(c));
    // Data of a surface count vertices, lines, polygons and strips in this order.
    constexpr std::array<int, 4> kinds{2, 4, 7, 6};
    for (std::size_t k = 0; k < kinds.size(); ++k)
      for (std::size_t c = 0; c < surface_lists_[k].size(); ++c) add(kinds[k], surface_lists_[k].cell(c));
    return out.finish(options_.notes, options_.keep_unused_points);
  }

  Cursor in_;
  const ReadOptions& options_;
  int version_ = 1;
  bool text_ = true, surface_ = false, points_seen_ = false, of_cells_ = false;
  std::uint64_t rows_ = 0;
  std::size_t best_ = static_cast<std::size_t>(-1);  ///< rank of the array of regions that was taken
  std::vector<double> points_, regions_, ghosts_;
  CellList cells_;
  std::array<CellList, 4> surface_lists_;
  std::vector<int> types_;
};

}  // namespace

Result<Mesh> read_vtk(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  try {
    return LegacyVtkReader(bytes, file, options).read();
  } catch (...) {
    Error error = current_exception_as_error();
    if (error.place.file.empty()) error.place.file = file;
    return error;
  }
}

}  // namespace conoid

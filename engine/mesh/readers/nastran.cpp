// SPDX-License-Identifier: BSD-3-Clause
// Nastran bulk data (MSC Nastran Quick Reference Guide, "Bulk Data Entries"): cards of fields in three forms, each line in
// its own. Short: nine fields of 8 columns. Long (a '*' after the name): one of 8 and four of 16. Free: fields between
// commas; more than fit a line of a card go on in the next one's place. A line whose first field is empty or begins with '+' or '*'
// continues the card above.
#include "engine/core/vec3.hpp"
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/mixed_cells.hpp"
#include "engine/mesh/readers/read_mesh.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numbers>
#include <unordered_map>

namespace conoid {
namespace {

using readers::Cursor;
using readers::quoted;
using readers::trimmed;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}
bool starts_with_word(std::string_view text, std::string_view upper) {
  return text.size() >= upper.size() && std::equal(upper.begin(), upper.end(), text.begin(), [](char u, char c) {
           return std::toupper(static_cast<unsigned char>(c)) == u;
         });
}

/// A card that is an element: corners first, then the nodes between them in `order` (VTK's node i is field order[i]).
struct ElementCard {
  std::string_view name;
  CellShape straight;
  CellShape curved;  ///< the same as `straight` where there is none
  int between = 0;   ///< nodes between the corners that are left out: of prisms and pyramids the corners are taken
};
constexpr std::array<ElementCard, 16> element_cards{{{"CTRIA3", CellShape::triangle3, CellShape::triangle3},
                                                     {"CTRIAR", CellShape::triangle3, CellShape::triangle3},
                                                     {"CTRIA6", CellShape::triangle3, CellShape::triangle6},
                                                     {"CQUAD4", CellShape::quad4, CellShape::quad4},
                                                     {"CQUADR", CellShape::quad4, CellShape::quad4},
                                                     {"CQUAD8", CellShape::quad4, CellShape::quad8},
                                                     {"CQUAD", CellShape::quad4, CellShape::quad9},
                                                     {"CTETRA", CellShape::tet4, CellShape::tet10},
                                                     {"CHEXA", CellShape::hex8, CellShape::hex20},
                                                     {"CPENTA", readers::prism6, readers::prism6, 9},
                                                     {"CPYRAM", readers::pyramid5, readers::pyramid5, 8},
                                                     {"CPYRA", readers::pyramid5, readers::pyramid5, 8},
                                                     {"CROD", CellShape::line2, CellShape::line2},
                                                     {"CBAR", CellShape::line2, CellShape::line2},
                                                     {"CBEAM", CellShape::line2, CellShape::line2},
                                                     {"CTUBE", CellShape::line2, CellShape::line2}}};

/// A coordinate system: three points A (origin), B (on the axis z), C (in the plane x z) in another one.
struct System {
  char kind = 'R';  ///< R: Cartesian, C: r, θ, z, S: r, θ from z, φ; angles in degrees
  Index reference = 0;
  std::array<Vec3, 3> points{};
  std::array<Index, 3> grids{};  ///< CORD1: numbers of the points A, B, C instead
  bool by_grids = false;
  std::size_t position = 0;
  enum class State { waiting, in_work, ready } state = State::waiting;
  Vec3 origin{};
  std::array<Vec3, 3> axes{};
};

/// Nastran lists the upright edges of a CHEXA before those of its top, VTK after them.
constexpr std::array<std::uint8_t, 20> hexa_order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 12, 13, 14, 15};

struct Field {
  std::string_view text;
  std::size_t position = 0;  ///< of its line
};

class NastranReader {
 public:
  NastranReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : in_(bytes, file, options.memory_limit), options_(options) {}

  Mesh read() {
    in_.check_unit(options_.scale);
    to_bulk_data();
    while (next_card()) {
      if (name_ == "ENDDATA") break;
      if (name_ == "GRID")
        grid();
      else if (name_ == "GRDSET")
        usual_system_ = system_number(field(1));
      else if (name_.size() == 6 && name_.starts_with("CORD") && (name_[4] == '1' || name_[4] == '2') &&
               std::string_view("RCS").find(name_[5]) != std::string_view::npos)
        coordinate_systems();
      else if (name_.starts_with('='))
        in_.fail_at(at_, "expected every card in full, found the sign '=' that repeats one",
                    "Export the model with all cards written out.");
      else if (name_ == "INCLUDE" || name_.starts_with("INCLUDE'"))
        in_.fail_at(at_, "expected the whole model in one file, found INCLUDE", "Join the files into one.");
      else if (const auto card = std::find_if(element_cards.begin(), element_cards.end(),
                                              [this](const ElementCard& c) { return c.name == name_; });
               card != element_cards.end())
        element(*card);
    }
    if (shapes_.empty())
      in_.fail("expected at least one element (CTRIA3, CQUAD4, CTETRA, CHEXA …), found none",
               "Export the elements with the points; materials and loads are not needed.");
    place_points();
    readers::resolve_tags(
        in_, tags_, connectivity_,
        [this](Index tag) {
          const auto last = std::find(tags_.rbegin(), tags_.rend(), tag);
          in_.fail_at(grid_positions_[static_cast<std::size_t>(tags_.rend() - last) - 1],
                      fmt::format("expected each GRID once, found {} twice", tag));
        },
        [this](std::size_t k) {
          std::size_t cell = 0;
          for (std::size_t end = 0; cell < shapes_.size(); ++cell) {
            end += static_cast<std::size_t>(readers::cell_nodes(shapes_[cell]));
            if (k < end) break;
          }
          in_.fail_at(cell_positions_[cell],
                      fmt::format("expected points that a GRID card gives, found {}", connectivity_[k]));
        });
    if (left_out_ > 0 && options_.notes != nullptr)
      options_.notes->said.push_back(
          fmt::format("{} prisms and pyramids of order 2 were taken straight, by their corners", left_out_));
    readers::cut_mixed_cells(points_, shapes_, connectivity_, groups_, options_.notes);
    if (!options_.keep_unused_points) readers::drop_unused_points(points_, connectivity_);
    return Mesh::from_arrays(std::move(points_), std::move(shapes_), std::move(connectivity_), std::move(groups_))
        .value();
  }

 private:
  // ---- lines and cards ----

  /// Past executive and case control, if there are any.
  void to_bulk_data() {
    while (!in_.at_end()) {
      const std::string_view line = trimmed(in_.line());
      if (starts_with_word(line, "BEGIN") && starts_with_word(trimmed(line.substr(5)), "BULK")) return;
    }
    in_.seek(0);
  }

  /// The next line that is neither empty nor a comment, without its comment; false at the end.
  bool next_line(std::string_view& line) {
    while (!in_.at_end()) {
      at_line_ = in_.position();
      line = in_.line();
      line = line.substr(0, line.find('$'));
      if (!is_blank(line)) return true;
    }
    return false;
  }

  static bool continues(std::string_view line) {
    if (line.front() == '+' || line.front() == '*' || line.front() == ',' || line.front() == '\t') return true;
    const auto comma = line.find(',');
    if (comma != std::string_view::npos) return is_blank(line.substr(0, comma));
    return is_blank(line.substr(0, 8));
  }

  /// Name and data fields of the next card; false at the end of the file.
  bool next_card() {
    std::string_view line;
    do {
      if (waiting_.empty()) {
        if (!next_line(line)) return false;
      } else {
        line = std::exchange(waiting_, {});
        at_line_ = at_waiting_;
      }
    } while (continues(line));  // the rest of a card that was not wanted further
    at_ = at_line_;
    fields_.clear();
    lines_used_ = 0;
    split(line, true);
    while (next_line(line)) {
      if (!continues(line)) {
        waiting_ = line;
        at_waiting_ = at_line_;
        break;
      }
      if (lines_used_ < lines_.size()) split(line, false);
    }
    return true;
  }

  /// Cuts a line into fields; the last of them, which names the continuation, is dropped.
  void split(std::string_view line, bool first) {
    std::string& kept = lines_[lines_used_++];
    if (line.find(',') != std::string_view::npos) {
      const auto end = line.find(',');
      std::string_view head = trimmed(line.substr(0, end));
      const std::size_t data = head.ends_with('*') ? 4 : 8;
      if (first) set_name(head);
      free_fields(line, data);
      return;
    }
    if (line.find('\t') != std::string_view::npos) {
      kept.clear();
      for (const char c : line.substr(0, 128)) {
        if (c == '\t')
          kept.append(8 - kept.size() % 8, ' ');
        else
          kept += c;
      }
      line = kept;
    }
    const auto columns = [line](std::size_t from, std::size_t count) {
      return from < line.size() ? trimmed(line.substr(from, count)) : std::string_view{};
    };
    const std::string_view head = columns(0, 8);
    if (first) set_name(head);
    const bool large = head.find('*') != std::string_view::npos;
    for (std::size_t k = 0; k < (large ? 4 : 8); ++k)
      fields_.push_back({large ? columns(8 + 16 * k, 16) : columns(8 + 8 * k, 8), at_line_});
  }

  /// Fields behind the first comma. The one behind `data` fields names the continuation; in a line that goes on by itself more follow,
  /// and it is left out there ("+" or nothing) or not written at all.
  void free_fields(std::string_view line, std::size_t data) {
    const std::size_t begun = fields_.size();
    std::vector<std::string_view>& all = free_;
    all.clear();
    while (line.find(',') != std::string_view::npos) {
      line.remove_prefix(line.find(',') + 1);
      all.push_back(trimmed(line.substr(0, line.find(','))));
    }
    in_.take_memory(all.size(), sizeof(Field) + sizeof(std::string_view), "fields");
    const auto marks = [](std::string_view f) { return f.empty() || f.front() == '+' || f.front() == '*'; };
    std::size_t in_line = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (in_line == data) {
        const bool last = k + 1 == all.size();
        if (marks(all[k]) ||
            (last && (std::isdigit(static_cast<unsigned char>(all[k].front())) == 0 || next_line_continues()))) {
          in_line = 0;
          continue;
        }
        in_line = 0;
      }
      fields_.push_back({all[k], at_line_});
      ++in_line;
    }
    const std::size_t found = fields_.size() - begun;
    fields_.resize(begun + std::max<std::size_t>(1, (found + data - 1) / data) * data, {{}, at_line_});
  }

  bool next_line_continues() {
    const std::size_t here = in_.position(), at = at_line_;
    std::string_view line;
    const bool found = next_line(line) && continues(line);
    in_.seek(here);
    at_line_ = at;
    return found;
  }

  void set_name(std::string_view head) {
    name_.clear();
    for (const char c : head.substr(0, 16))
      if (c != '*') name_ += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }

  // ---- fields ----

  [[nodiscard]] Field field(std::size_t k) const { return k < fields_.size() ? fields_[k] : Field{{}, at_line_}; }
  [[noreturn]] void wrong(const Field& f, std::string_view what) {
    in_.fail_at(
        f.position,
        fmt::format("{}: expected {}, found {}", name_, what, f.text.empty() ? "an empty field" : quoted(f.text)),
        "Correct this card, or export the model again.");
  }

  Index integer(const Field& f, std::string_view what) {
    std::string_view text = f.text;
    if (text.starts_with('+')) text.remove_prefix(1);
    Index value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || stop != text.data() + text.size() || value <= 0) wrong(f, what);
    return value;
  }

  /// "1.5", "1.5E-3", "1.5D-3" and "1.5-3" are numbers; an empty field is zero.
  double real(const Field& f) {
    if (f.text.empty()) return 0;
    std::array<char, 48> buffer{};
    if (f.text.size() > 40) wrong(f, "a coordinate");
    std::size_t n = 0;
    bool exponent = false;
    for (std::size_t i = f.text.front() == '+' ? 1 : 0; i < f.text.size(); ++i) {
      const char c = f.text[i];
      const bool letter = c == 'e' || c == 'E' || c == 'd' || c == 'D';
      if (letter && exponent) wrong(f, "a coordinate");
      if ((c == '+' || c == '-') && n > 0 && !exponent) {
        buffer[n++] = 'e';
        exponent = true;
      }
      exponent = exponent || letter;
      buffer[n++] = letter ? 'e' : c;
    }
    double value = 0;
    const auto [stop, code] = std::from_chars(buffer.data(), buffer.data() + n, value);
    if (stop != buffer.data() + n) wrong(f, "a coordinate");
    if (code == std::errc::result_out_of_range &&
        std::string_view(buffer.data(), n).find("e-") != std::string_view::npos)
      return 0;
    if (code != std::errc{} || !std::isfinite(value)) wrong(f, "a coordinate");
    return value;
  }

  // ---- cards ----

  Index system_number(const Field& f) {
    return f.text.empty() || f.text == "0" ? 0 : integer(f, "the number of a coordinate system");
  }

  void coordinate_systems() {
    // A card CORD1 may hold a second system in its fields 5 to 8.
    for (std::size_t first = 0; first < (name_[4] == '1' ? 8u : 4u); first += 4) {
      if (first > 0 && field(first).text.empty()) return;
      const Index number = integer(field(first), "the number of a coordinate system above 0");
      in_.take_memory(1, 2 * sizeof(System), "coordinate systems");
      System system;
      system.kind = name_[5];
      system.position = at_;
      if (name_[4] == '1') {
        system.by_grids = true;
        for (std::size_t k = 0; k < 3; ++k) system.grids[k] = integer(field(first + 1 + k), "a point's number above 0");
      } else {
        system.reference = system_number(field(1));
        for (std::size_t k = 0; k < 9; ++k) system.points[k / 3][k % 3] = real(field(2 + k));
      }
      if (!systems_.emplace(number, system).second)
        in_.fail_at(at_, fmt::format("expected each coordinate system once, found {} twice", number));
    }
  }

  /// What the coordinates of a system are in the axes of that system.
  static Vec3 cartesian(char kind, const Vec3& p) {
    constexpr double degree = std::numbers::pi / 180;
    if (kind == 'C') return {p[0] * std::cos(p[1] * degree), p[0] * std::sin(p[1] * degree), p[2]};
    if (kind == 'S')
      return {p[0] * std::sin(p[1] * degree) * std::cos(p[2] * degree),
              p[0] * std::sin(p[1] * degree) * std::sin(p[2] * degree), p[0] * std::cos(p[1] * degree)};
    return p;
  }

  /// Coordinates in a system as a place in the basic one.
  Vec3 placed(Index number, const Vec3& p, std::size_t position, int depth) {
    if (number == 0) return p;
    const auto found = systems_.find(number);
    if (found == systems_.end())
      in_.fail_at(position,
                  fmt::format("expected a coordinate system that a card CORD1 or CORD2 gives, found {}", number),
                  "Export the model with its coordinate systems.");
    const System& s = ready(found->second, number, depth);
    const Vec3 x = cartesian(s.kind, p);
    Vec3 out = s.origin;
    for (std::size_t a = 0; a < 3; ++a) out = vec::axpy(x[a], s.axes[a], out);
    return out;
  }

  const System& ready(System& s, Index number, int depth) {
    if (s.state == System::State::ready) return s;
    if (s.state == System::State::in_work || depth > 1000)
      in_.fail_at(s.position, fmt::format("coordinate system {} is defined by itself", number),
                  "Correct the chain of systems.");
    s.state = System::State::in_work;
    std::array<Vec3, 3> p = s.points;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!s.by_grids) {
        p[k] = placed(s.reference, s.points[k], s.position, depth + 1);
        continue;
      }
      const auto grid = std::find(tags_.begin(), tags_.end(), s.grids[k]);
      if (grid == tags_.end())
        in_.fail_at(s.position, fmt::format("expected points that a GRID card gives, found {}", s.grids[k]));
      const auto i = static_cast<std::size_t>(grid - tags_.begin());
      p[k] = placed(grid_systems_[i], {points_[3 * i], points_[3 * i + 1], points_[3 * i + 2]}, s.position, depth + 1);
    }
    s.origin = p[0];
    s.axes[2] = vec::unit(vec::sub(p[1], p[0]));
    const Vec3 across = vec::cross(s.axes[2], vec::sub(p[2], p[0]));
    s.axes[1] = vec::unit(across);
    s.axes[0] = vec::cross(s.axes[1], s.axes[2]);
    if (!(vec::norm(across) > 1e-12 * vec::distance(p[2], p[0])))
      in_.fail_at(s.position, fmt::format("coordinate system {}: its three points lie on a line", number),
                  "Correct the points A, B and C of the card.");
    s.state = System::State::ready;
    return s;
  }

  /// All points to the basic system, in metres.
  void place_points() {
    std::vector<double> placed_points(points_.size());
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      const Vec3 x =
          placed(grid_systems_[i], {points_[3 * i], points_[3 * i + 1], points_[3 * i + 2]}, grid_positions_[i], 0);
      for (std::size_t a = 0; a < 3; ++a) {
        placed_points[3 * i + a] = x[a] * options_.scale;
        if (!std::isfinite(placed_points[3 * i + a]))
          in_.fail_at(grid_positions_[i], fmt::format("GRID {}: expected a finite place, found {}", tags_[i], x[a]));
      }
    }
    points_ = std::move(placed_points);
  }

  void grid() {
    in_.take_memory(1, 2 * (3 * sizeof(Index) + 6 * sizeof(double)), "points");
    tags_.push_back(integer(field(0), "a number above 0"));
    grid_positions_.push_back(at_);
    grid_systems_.push_back(field(1).text.empty() ? usual_system_ : system_number(field(1)));
    for (std::size_t a = 0; a < 3; ++a) points_.push_back(real(field(2 + a)));
  }

  void element(const ElementCard& card) {
    const Index number = integer(field(0), "an element number above 0");
    const Index property = field(1).text.empty() ? number : integer(field(1), "a property number above 0");
    const auto corners = static_cast<std::size_t>(readers::cell_nodes(card.straight));
    const auto all = static_cast<std::size_t>(readers::cell_nodes(card.curved));
    for (std::size_t k = corners; k < corners + static_cast<std::size_t>(card.between); ++k)
      if (const std::string_view text = field(2 + k).text; !text.empty() && text != "0") {
        ++left_out_;
        break;
      }
    std::size_t between = 0;
    for (std::size_t k = corners; k < all; ++k) {
      const std::string_view text = field(2 + k).text;
      if (!text.empty() && text != "0") ++between;
    }
    // Nodes between corners may be left out, but not some of them.
    if (between != 0 && between != all - corners)
      in_.fail_at(at_,
                  fmt::format("{} {}: expected all {} nodes between the corners or none, found {}", name_, number,
                              all - corners, between),
                  "Give the missing nodes, or leave all of them out.");
    const CellShape shape = between == 0 ? card.straight : card.curved;
    const auto nodes = static_cast<std::size_t>(readers::cell_nodes(shape));
    in_.take_memory(1, 2 * (nodes + 5) * sizeof(Index), "elements");
    for (std::size_t i = 0; i < nodes; ++i)
      connectivity_.push_back(
          integer(field(2 + (shape == CellShape::hex20 ? hexa_order[i] : i)), "a point's number above 0"));
    shapes_.push_back(shape);
    cell_positions_.push_back(at_);
    into_group(property, readers::cell_dimension(shape));
  }

  void into_group(Index property, int dimension) {
    if (property > INT32_MAX) wrong(field(1), "a property number below 2147483648");
    const auto [it, fresh] = group_numbers_.try_emplace(property * 4 + dimension, groups_.size());
    if (fresh) {
      in_.take_memory(1, 256, "group");
      groups_.push_back({std::to_string(property), dimension, static_cast<int>(property), {}});
    }
    groups_[it->second].cells.push_back(static_cast<Index>(shapes_.size()) - 1);
  }

  Cursor in_;
  const ReadOptions& options_;
  std::string name_;
  std::size_t at_ = 0;  ///< position of the card's first line
  std::size_t at_line_ = 0;
  std::vector<Field> fields_;
  std::array<std::string, 6> lines_;  ///< with their tabs opened out; a card that is read has at most five
  std::size_t lines_used_ = 0;
  std::string_view waiting_;
  std::size_t at_waiting_ = 0;
  std::vector<Index> tags_;
  std::vector<std::size_t> grid_positions_;
  std::vector<Index> grid_systems_;
  Index usual_system_ = 0;
  std::map<Index, System> systems_;
  std::vector<std::string_view> free_;
  std::size_t left_out_ = 0;
  std::vector<double> points_;
  std::vector<CellShape> shapes_;
  std::vector<Index> connectivity_;  // point numbers of the file until resolve_tags()
  std::vector<std::size_t> cell_positions_;
  std::vector<MeshGroup> groups_;
  std::unordered_map<Index, std::size_t> group_numbers_;
};

}  // namespace

Result<Mesh> read_nastran(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  try {
    return NastranReader(bytes, file, options).read();
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid

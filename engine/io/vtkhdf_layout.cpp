// SPDX-License-Identifier: BSD-3-Clause
// Names, image orientation and field attributes of results files.
#include "engine/io/vtkhdf_layout.hpp"

#include <algorithm>
#include <limits>

#include "engine/io/hdf5_file.hpp"

namespace conoid::vtkhdf {
namespace fs = std::filesystem;

std::string first_file_name() {
  return "results.vtkhdf";
}

std::string file_name(std::string_view part) {
  std::string slug;
  for (const char c : part.substr(0, 100)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    slug += plain ? c : '-';
  }
  return "results-" + slug + ".vtkhdf";
}

std::vector<fs::path> results_files(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    const std::string name = it->path().filename().string();
    if (name == first_file_name() || (name.starts_with("results-") && name.ends_with(".vtkhdf")))
      out.push_back(it->path());
  }
  // '-' sorts before '.': put the first part's file in front by hand.
  std::sort(out.begin(), out.end(), [](const fs::path& a, const fs::path& b) {
    const bool a_first = a.filename() == first_file_name();
    const bool b_first = b.filename() == first_file_name();
    return a_first != b_first ? a_first : a < b;
  });
  return out;
}

void remove_unfinished(const fs::path& folder) {
  std::vector<fs::path> unfinished;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with("results") && name.ends_with(".vtkhdf.part")) unfinished.push_back(it->path());
  }
  for (const auto& path : unfinished) fs::remove(path, code);
}

bool fits_image_data(const ImageGeometry& image) {
  return image.points[0] > 1 && (image.points[1] > 1 || image.points[2] <= 1);
}

std::vector<Index> image_rows(const ImageGeometry& image, Association association) {
  std::vector<Index> out;
  for (std::size_t axis = 3; axis-- > 0;) {
    const Index points = image.points[axis];
    if (axis > 0 && points <= 1) continue;
    out.push_back(association == Association::point ? points : std::max<Index>(points - 1, 1));
  }
  return out;
}

MeshGeometry image_as_mesh(const ImageGeometry& image) {
  std::vector<std::size_t> axes;  // the long ones, in the order in which values run
  for (std::size_t a = 0; a < 3; ++a)
    if (image.points[a] > 1) axes.push_back(a);
  verify(axes.size() <= 2, "only planes and lines are stored as meshes");
  const Index n = axes.empty() ? 1 : image.points[axes[0]];
  const Index m = axes.size() < 2 ? 1 : image.points[axes[1]];
  auto points = std::make_shared<std::vector<double>>();
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>();
  points->reserve(static_cast<std::size_t>(3 * n * m));
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < n; ++i) {
      Vec3 p = image.origin;
      if (!axes.empty()) p[axes[0]] += static_cast<double>(i) * image.spacing[axes[0]];
      if (axes.size() > 1) p[axes[1]] += static_cast<double>(j) * image.spacing[axes[1]];
      points->insert(points->end(), p.begin(), p.end());
    }
  auto cell = [&](std::initializer_list<Index> nodes, std::uint8_t type) {
    connectivity->insert(connectivity->end(), nodes);
    offsets->push_back(static_cast<Index>(connectivity->size()));
    types->push_back(type);
  };
  if (axes.empty()) cell({0}, 1);
  if (axes.size() == 1)
    for (Index i = 0; i + 1 < n; ++i) cell({i, i + 1}, 3);
  if (axes.size() == 2)
    for (Index j = 0; j + 1 < m; ++j)
      for (Index i = 0; i + 1 < n; ++i) cell({j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i}, 9);
  return {points, connectivity, offsets, types};
}

Index tuples(const ImageGeometry& image, Association association) {
  Index n = 1;
  for (const Index points : image.points)
    n *= association == Association::point ? points : std::max<Index>(points - 1, 1);
  return n;
}

int nodes_of_type(std::uint8_t type) {
  // Up to 29; order 1: vertex, line, triangle, quad, tet, hex; order 2: line, triangle, quad, tet, hex, quad of 9, hex of 27.
  static constexpr std::array<std::int8_t, 30> nodes = {0, 1, 0, 2, 0, 3, 0, 0, 0, 4,  4,  0, 8, 0, 0,
                                                        0, 0, 0, 0, 0, 0, 3, 6, 8, 10, 20, 0, 0, 9, 27};
  return type < nodes.size() ? nodes[type] : 0;
}

std::string array_name(std::string_view field) {
  std::string out(field);
  for (char& c : out)
    if (c == '/' || static_cast<unsigned char>(c) < 0x20) c = '_';
  return out.empty() || out == "." || out == ".." ? "field" : out;
}

#if CONOID_HAVE_HDF5

void write_info(hid_t array, const FieldInfo& info) {
  static constexpr std::string_view kinds[] = {"magnitude", "signed", "phase"};
  h5::set_attribute(array, "name", info.name);
  h5::set_attribute(array, "unit", info.unit);
  h5::set_attribute(array, "label", info.label);
  h5::set_attribute(array, "kind", kinds[static_cast<int>(info.kind)]);
  const std::array<std::int64_t, 1> components = {info.components};
  h5::set_attribute(array, "components", components, true);
  const std::array<std::int64_t, 1> is_complex = {info.is_complex ? 1 : 0};
  h5::set_attribute(array, "complex", is_complex, true);
}

FieldInfo read_info(hid_t array, Association association) {
  FieldInfo info;
  info.association = association;
  info.name = h5::text_attribute(array, "name");
  info.unit = h5::text_attribute(array, "unit");
  info.label = h5::text_attribute(array, "label");
  const std::string kind = h5::text_attribute(array, "kind");
  info.kind = kind == "magnitude" ? FieldKind::magnitude : kind == "phase" ? FieldKind::phase : FieldKind::signed_value;
  const auto components = h5::integer_attribute(array, "components", 1)[0];
  if (components < 1 || components > 9)
    throw Failure(make_error(ErrorCode::file, "a field has no sensible number of components", "The file is damaged."));
  info.components = static_cast<int>(components);
  info.is_complex = h5::integer_attribute(array, "complex", 1)[0] != 0;
  return info;
}

void write_place(hid_t object, std::size_t place) {
  const std::array<std::int64_t, 1> value = {static_cast<std::int64_t>(place)};
  h5::set_attribute(object, "place", value, true);
}

std::int64_t read_place(hid_t object) {
  if (!h5::has_attribute(object, "place")) return std::numeric_limits<std::int64_t>::max();
  return h5::integer_attribute(object, "place", 1)[0];
}

#endif

}  // namespace conoid::vtkhdf

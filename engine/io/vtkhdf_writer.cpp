// SPDX-License-Identifier: BSD-3-Clause
// Writing of temporal VTKHDF files, one a frame part.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/io/hdf5_file.hpp"
#include "engine/io/ordered_file.hpp"
#include "engine/io/vtkhdf.hpp"
#include "engine/io/vtkhdf_layout.hpp"

namespace conoid {
namespace fs = std::filesystem;

#if !CONOID_HAVE_HDF5

namespace {
Error no_hdf5() {
  return make_error(ErrorCode::resources,
                    "this build of Conoid has no HDF5: fields are not kept (tables and checkpoints are)",
                    "Build with HDF5 (Debian: libhdf5-dev) to keep fields.");
}
}  // namespace
bool fields_can_be_kept() {
  return false;
}
Result<std::unique_ptr<VtkhdfWriter>> VtkhdfWriter::create(const fs::path&, std::string) {
  return no_hdf5();
}
Result<std::unique_ptr<VtkhdfWriter>> VtkhdfWriter::resume(const fs::path&, std::string, std::uint64_t) {
  return no_hdf5();
}

#else

bool fields_can_be_kept() {
  return true;
}

namespace {

using h5::Array;
using h5::Handle;

constexpr Index small_chunk = Index{256} << 10;  // bytes: several small frames share a chunk of about this size
constexpr Index steps_chunk = 256;               // rows of the arrays that hold a row a step
constexpr Index large_chunk = Index{4} << 20;    // a large frame is cut into chunks of about this size

[[noreturn]] void refuse(std::string text) {
  throw Failure(make_error(ErrorCode::internal, std::move(text), "This is a bug of the solver; please report it."));
}

template <class T>
bool same_object(const std::weak_ptr<T>& a, const std::shared_ptr<T>& b) {
  return b && !a.expired() && !a.owner_before(b) && !b.owner_before(a);
}

// Rows of arrays that grow by blocks (fields, points of a mesh). A block starts at a multiple of `stride_of` rows where
// blocks are large, so that no two frames share a chunk.
struct Blocks {
  Index chunk = 1;
  Index next = 0;

  static Index chunk_for(Index rows, Index row_bytes) {
    const Index bytes = std::max<Index>(rows * row_bytes, 1);
    if (bytes <= small_chunk) return std::max<Index>(rows, 1) * std::clamp<Index>(small_chunk / bytes, 1, 64);
    const Index pieces = (bytes + large_chunk - 1) / large_chunk;
    return (rows + pieces - 1) / pieces;
  }
  Index take(Index rows, Index row_bytes) {
    if (rows * row_bytes > small_chunk) next = (next + chunk - 1) / chunk * chunk;
    const Index begin = next;
    next += rows;
    return begin;
  }
};

// One growing array of the Steps group: a row a step.
struct StepArray {
  Array array;
  template <class T>
  void put(Index step, T value) {
    array.write_rows(step, 1, &value);
  }
};

struct FieldArrays {
  FieldInfo info;
  Array re, im;
  StepArray offsets;
  Blocks blocks;
  Index last_offset = -1;
  std::weak_ptr<const std::vector<float>> last_values;
};

std::string key_of(const FieldInfo& info) {
  return (info.association == Association::point ? "p" : "c") + vtkhdf::array_name(info.name);
}

class PartFile {
 public:
  PartFile(fs::path path, const FramePart& part, std::size_t place, FrameAxis axis, const std::string& run)
      : path_(std::move(path)) {
    // Under another name until the first frame is whole: a results file always holds a frame.
    file_ = h5::create_file(unfinished(path_));
    name_ = part.name;
    root_ = h5::create_group(file_.get(), "VTKHDF");
    own_ = h5::create_group(file_.get(), "Conoid");
    static constexpr std::int64_t version[] = {2, 0};
    h5::set_attribute(root_.get(), "Version", version);
    if (const auto* g = std::get_if<ImageGeometry>(&part.geometry)) geometry_ = *g;
    image_ = geometry_ && vtkhdf::fits_image_data(*geometry_);
    h5::set_attribute(root_.get(), "Type", image_ ? "ImageData" : "UnstructuredGrid");
    static constexpr std::int64_t own_version[] = {vtkhdf::format_version};
    h5::set_attribute(own_.get(), "version", own_version, true);
    h5::set_attribute(own_.get(), "part", part.name);
    vtkhdf::write_place(own_.get(), place);
    h5::set_attribute(own_.get(), "run", run);
    static constexpr std::string_view axes[] = {"time", "frequency", "iteration"};
    h5::set_attribute(own_.get(), "axis", axes[static_cast<int>(axis)]);
    fresh_ = true;
    frames_.array = h5::create_array(own_.get(), "Frames", H5T_NATIVE_INT64, {2}, steps_chunk);
    point_data_ = h5::create_group(root_.get(), "PointData");
    cell_data_ = h5::create_group(root_.get(), "CellData");
    steps_group_ = h5::create_group(root_.get(), "Steps");
    static constexpr std::int64_t none[] = {0};
    h5::set_attribute(steps_group_.get(), "NSteps", none, true);
    h5::set_attribute(own_.get(), "frames", none, true);
    values_.array = h5::create_array(steps_group_.get(), "Values", H5T_NATIVE_DOUBLE, {}, steps_chunk);
    own_values_.array = h5::create_array(own_.get(), "Values", H5T_NATIVE_DOUBLE, {}, steps_chunk);
    point_offsets_ = h5::create_group(steps_group_.get(), "PointDataOffsets");
    cell_offsets_ = h5::create_group(steps_group_.get(), "CellDataOffsets");
    if (geometry_) start_image(*geometry_);
    if (!image_) start_mesh(geometry_ ? image_mesh_ : std::get<MeshGeometry>(part.geometry));
  }

  // Opens for continuing with the frames below `frames`.
  PartFile(fs::path path, std::uint64_t frames) : path_(std::move(path)) {
    file_ = h5::open_file(path_, true);
    root_ = h5::open_group(file_.get(), "VTKHDF");
    own_ = h5::open_group(file_.get(), "Conoid");
    name_ = h5::text_attribute(own_.get(), "part");
    image_ = h5::text_attribute(root_.get(), "Type") == "ImageData";
    frames_.array = h5::open_array(own_.get(), "Frames", H5T_NATIVE_INT64);
    point_data_ = h5::open_group(root_.get(), "PointData");
    cell_data_ = h5::open_group(root_.get(), "CellData");
    steps_group_ = h5::open_group(root_.get(), "Steps");
    values_.array = h5::open_array(steps_group_.get(), "Values", H5T_NATIVE_DOUBLE);
    own_values_.array = h5::open_array(own_.get(), "Values", H5T_NATIVE_DOUBLE);
    point_offsets_ = h5::open_group(steps_group_.get(), "PointDataOffsets");
    cell_offsets_ = h5::open_group(steps_group_.get(), "CellDataOffsets");
    cut_back(frames);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t last_number() const { return last_number_; }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] bool empty() const { return steps_ == 0; }

  /// Name of a file before its first frame is finished.
  static fs::path unfinished(const fs::path& path) { return path.string() + ".part"; }

  /// Everything of a frame; it does not count until publish().
  void write(const Frame& frame, const FramePart& part) {
    const auto* image = std::get_if<ImageGeometry>(&part.geometry);
    if ((image != nullptr) != geometry_.has_value())
      refuse(fmt::format("part '{}' changed from one kind of geometry to another", name_));
    if (image) check_image(*image);
    if (!image_) write_mesh(image ? image_mesh_ : std::get<MeshGeometry>(part.geometry));
    write_fields(part);
    own_values_.put(steps_, frame.value);
    value_ = frame.value;
    const std::array<std::int64_t, 2> row = {static_cast<std::int64_t>(frame.number), frame.step};
    frames_.array.write_rows(steps_, 1, row.data());
    ++steps_;
    if (image_ && steps_ == 1) repeat_first_step();
    h5::flush(file_);
    written_number_ = row[0];
  }

  /// Makes the written step count. VTK 9.3 copies all of Steps/Values into a buffer of NSteps entries: the array must
  /// never be the longer one, so it grows after NSteps.
  void publish() {
    h5::update_attribute(own_.get(), "frames", steps_);
    h5::update_attribute(steps_group_.get(), "NSteps", image_ && steps_ == 1 ? 2 : steps_);
    h5::flush(file_);
    values_.put(steps_ - 1, value_);
    if (image_ && steps_ == 1)
      values_.put(1, value_ == 0 ? 1e-300 : std::nextafter(value_, std::numeric_limits<double>::infinity()));
    h5::flush(file_);
    if (fresh_) {
      if (std::rename(unfinished(path_).c_str(), path_.c_str()) != 0)
        throw Failure(system_error("write", path_.string(), errno));
      fresh_ = false;
    }
    last_number_ = written_number_;
  }

  void sync() { h5::sync(file_.get()).or_throw(); }

 private:
  // Readers up to VTK 9.7 take a file with one step for one without time and then find its images of four dimensions
  // to be of the wrong shape. So a lone frame is shown twice; the second frame takes the place of its twin.
  void repeat_first_step() {
    for (auto& [key, f] : fields_) put_offset(f, 1, f.last_offset);
  }

  void start_image(const ImageGeometry& g) {
    std::array<std::int64_t, 6> extent{};
    std::array<double, 3> spacing{};
    for (std::size_t a = 0; a < 3; ++a) {
      if (g.points[a] < 1) refuse(fmt::format("part '{}' has an axis without points", name_));
      extent[2 * a + 1] = g.points[a] - 1;
      spacing[a] = g.spacing[a] > 0 ? g.spacing[a] : 1.0;
    }
    h5::set_attribute(own_.get(), "points", std::span<const std::int64_t>(g.points));
    h5::set_attribute(own_.get(), "origin", std::span<const double>(g.origin));
    h5::set_attribute(own_.get(), "spacing", std::span<const double>(g.spacing));
    if (!image_) {
      image_mesh_ = vtkhdf::image_as_mesh(g);
      return;
    }
    static constexpr double upright[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    h5::set_attribute(root_.get(), "WholeExtent", extent);
    h5::set_attribute(root_.get(), "Origin", std::span<const double>(g.origin));
    h5::set_attribute(root_.get(), "Spacing", std::span<const double>(spacing));
    h5::set_attribute(root_.get(), "Direction", upright);
  }

  void check_image(const ImageGeometry& g) const {
    if (g.points != geometry_->points || g.origin != geometry_->origin || g.spacing != geometry_->spacing)
      refuse(fmt::format("the grid of part '{}' changed", name_));
  }

  void start_mesh(const MeshGeometry& g) {
    if (!g.points || !g.connectivity || !g.offsets || !g.types) refuse(fmt::format("part '{}' has no mesh", name_));
    const hid_t group = root_.get();
    const auto points = static_cast<Index>(g.points->size() / 3);
    number_of_points_ = h5::create_array(group, "NumberOfPoints", H5T_NATIVE_INT64, {}, steps_chunk);
    number_of_cells_ = h5::create_array(group, "NumberOfCells", H5T_NATIVE_INT64, {}, steps_chunk);
    number_of_ids_ = h5::create_array(group, "NumberOfConnectivityIds", H5T_NATIVE_INT64, {}, steps_chunk);
    point_blocks_.chunk = Blocks::chunk_for(points, 24);
    points_ = h5::create_array(group, "Points", H5T_NATIVE_DOUBLE, {3}, point_blocks_.chunk);
    auto whole = [](std::size_t rows, Index bytes) {
      return std::clamp<Index>(static_cast<Index>(rows), 1, large_chunk / bytes);
    };
    connectivity_ = h5::create_array(group, "Connectivity", H5T_NATIVE_INT64, {}, whole(g.connectivity->size(), 8));
    offsets_ = h5::create_array(group, "Offsets", H5T_NATIVE_INT64, {}, whole(g.offsets->size(), 8));
    types_ = h5::create_array(group, "Types", H5T_NATIVE_UINT8, {}, whole(g.types->size(), 1));
    const hid_t steps = steps_group_.get();
    part_offsets_.array = h5::create_array(steps, "PartOffsets", H5T_NATIVE_INT64, {}, steps_chunk);
    number_of_parts_.array = h5::create_array(steps, "NumberOfParts", H5T_NATIVE_INT64, {}, steps_chunk);
    points_offsets_.array = h5::create_array(steps, "PointOffsets", H5T_NATIVE_INT64, {}, steps_chunk);
    cells_offsets_.array = h5::create_array(steps, "CellOffsets", H5T_NATIVE_INT64, {1}, steps_chunk);
    ids_offsets_.array = h5::create_array(steps, "ConnectivityIdOffsets", H5T_NATIVE_INT64, {1}, steps_chunk);
  }

  static void check_mesh(const MeshGeometry& g, const std::string& name) {
    if (!g.points || !g.connectivity || !g.offsets || !g.types || g.points->size() % 3 != 0 ||
        g.offsets->size() != g.types->size() + 1 || g.offsets->front() != 0 ||
        g.offsets->back() != static_cast<Index>(g.connectivity->size()))
      refuse(fmt::format("the mesh of part '{}' is inconsistent", name));
  }

  // Are the stored rows [row, row + n) these values? Compared block by block: a difference shows early.
  template <class T>
  static bool stored(const Array& array, Index row, const std::vector<T>& values, Index per_row) {
    constexpr Index block = 1 << 16;
    std::vector<T> buffer;
    const Index rows = static_cast<Index>(values.size()) / per_row;
    for (Index r = 0; r < rows; r += block) {
      const Index n = std::min(block, rows - r);
      buffer.resize(static_cast<std::size_t>(n * per_row));
      array.read_rows(row + r, n, buffer.data());
      if (std::memcmp(buffer.data(), values.data() + r * per_row, buffer.size() * sizeof(T)) != 0) return false;
    }
    return true;
  }

  void write_mesh(const MeshGeometry& g) {
    check_mesh(g, name_);
    const auto points = static_cast<Index>(g.points->size() / 3);
    const auto cells = static_cast<Index>(g.types->size());
    const auto ids = static_cast<Index>(g.connectivity->size());
    const bool same_sizes = part_ >= 0 && points == part_points_ && cells == part_cells_ && ids == part_ids_;
    bool same_topology = same_sizes && same_object(last_connectivity_, g.connectivity) &&
                         same_object(last_offsets_, g.offsets) && same_object(last_types_, g.types);
    if (same_sizes && !same_topology)
      same_topology = stored(types_, part_first_cell_, *g.types, 1) &&
                      stored(offsets_, part_first_cell_ + part_, *g.offsets, 1) &&
                      stored(connectivity_, part_first_id_, *g.connectivity, 1);
    if (!same_topology) {
      // A further part: its sizes, and its cells behind those of the parts before.
      ++part_;
      part_first_cell_ = cells_used_;
      part_first_id_ = ids_used_;
      part_points_ = points;
      part_cells_ = cells;
      part_ids_ = ids;
      number_of_points_.write_rows(part_, 1, &points);
      number_of_cells_.write_rows(part_, 1, &cells);
      number_of_ids_.write_rows(part_, 1, &ids);
      types_.write_rows(part_first_cell_, cells, g.types->data());
      offsets_.write_rows(part_first_cell_ + part_, cells + 1, g.offsets->data());
      connectivity_.write_rows(part_first_id_, ids, g.connectivity->data());
      cells_used_ += cells;
      ids_used_ += ids;
      most_points_ = std::max(most_points_, points);
      most_cells_ = std::max(most_cells_, cells);
    }
    last_connectivity_ = g.connectivity;
    last_offsets_ = g.offsets;
    last_types_ = g.types;
    const bool same_points = same_topology && first_point_ >= 0 &&
                             (same_object(last_points_, g.points) || stored(points_, first_point_, *g.points, 3));
    if (!same_points) {
      first_point_ = point_blocks_.take(points, 24);
      points_.write_rows(first_point_, points, g.points->data());
    }
    last_points_ = g.points;
    part_offsets_.put(steps_, std::int64_t{part_});
    number_of_parts_.put(steps_, std::int64_t{1});
    points_offsets_.put(steps_, std::int64_t{first_point_});
    cells_offsets_.put(steps_, std::int64_t{part_first_cell_});
    ids_offsets_.put(steps_, std::int64_t{part_first_id_});
  }

  [[nodiscard]] Index tuples_now(Association association) const {
    if (image_) return vtkhdf::tuples(*geometry_, association);
    return association == Association::point ? part_points_ : part_cells_;
  }
  [[nodiscard]] Index most_tuples(Association association) const {
    if (image_) return vtkhdf::tuples(*geometry_, association);
    return association == Association::point ? most_points_ : most_cells_;
  }

  void make_arrays(FieldArrays& f, std::size_t place) {
    const bool point = f.info.association == Association::point;
    const hid_t group = (point ? point_data_ : cell_data_).get();
    const std::string base = vtkhdf::array_name(f.info.name);
    h5::Shape row, inner;
    const Index tuple_bytes = 4 * f.info.components;
    Index chunk_rows = 1;
    if (image_) {
      Index bytes = tuple_bytes;
      for (const Index n : vtkhdf::image_rows(*geometry_, f.info.association)) {
        row.push_back(static_cast<hsize_t>(n));
        bytes *= n;
      }
      chunk_rows = std::clamp<Index>(small_chunk / bytes, 1, 64);
      inner = row;
      // Cut the slowest axes first, so that a chunk is one stretch of the frame.
      for (auto& n : inner) {
        const Index pieces = std::min<Index>((bytes + large_chunk - 1) / large_chunk, static_cast<Index>(n));
        if (pieces <= 1) break;
        const auto cut = static_cast<hsize_t>((static_cast<Index>(n) + pieces - 1) / pieces);
        bytes = bytes / static_cast<Index>(n) * static_cast<Index>(cut);
        n = cut;
      }
    } else {
      f.blocks.chunk = chunk_rows = Blocks::chunk_for(most_tuples(f.info.association), tuple_bytes);
    }
    if (f.info.components > 1) {
      row.push_back(static_cast<hsize_t>(f.info.components));
      if (image_) inner.push_back(static_cast<hsize_t>(f.info.components));
    }
    auto make = [&](const std::string& name) {
      if (h5::exists(group, name)) refuse(fmt::format("part '{}' has two fields called '{}'", name_, name));
      return h5::create_array(group, name, H5T_NATIVE_FLOAT, row, chunk_rows, inner);
    };
    f.re = make(f.info.is_complex ? base + "_re" : base);
    vtkhdf::write_info(f.re.id(), f.info);
    vtkhdf::write_place(f.re.id(), place);
    if (f.info.is_complex) {
      f.im = make(base + "_im");
      h5::set_attribute(f.im.id(), "imaginary_part_of", f.info.name);
    }
    const hid_t offsets = (point ? point_offsets_ : cell_offsets_).get();
    f.offsets.array =
        h5::create_array(offsets, f.info.is_complex ? base + "_re" : base, H5T_NATIVE_INT64, {}, steps_chunk);
    if (f.info.is_complex) im_offsets(f) = h5::create_array(offsets, base + "_im", H5T_NATIVE_INT64, {}, steps_chunk);
  }

  Array& im_offsets(FieldArrays& f) { return im_offsets_[key_of(f.info)]; }

  void put_offset(FieldArrays& f, Index step, std::int64_t offset) {
    f.offsets.put(step, offset);
    if (f.info.is_complex) im_offsets(f).write_rows(step, 1, &offset);
    f.last_offset = offset;
  }

  // Appends one block of `tuples`; returns its offset (image: frames, mesh: tuples).
  Index append(FieldArrays& f, const std::vector<float>& values, Index tuples) {
    const Index rows = image_ ? 1 : tuples;
    const Index begin = image_ ? f.blocks.next++ : f.blocks.take(tuples, 4 * f.info.components);
    if (!f.info.is_complex) {
      f.re.write_rows(begin, rows, values.data());
      return begin;
    }
    half_.resize(values.size() / 2);
    for (int which = 0; which < 2; ++which) {
      for (std::size_t i = 0; i < half_.size(); ++i) half_[i] = values[2 * i + static_cast<std::size_t>(which)];
      (which == 0 ? f.re : f.im).write_rows(begin, rows, half_.data());
    }
    return begin;
  }

  void write_fields(const FramePart& part) {
    std::set<std::string> seen;
    for (const auto& field : part.fields) {
      const std::string key = key_of(field.info);
      if (!seen.insert(key).second) refuse(fmt::format("part '{}' has two fields called '{}'", name_, field.info.name));
      const Index tuples = tuples_now(field.info.association);
      if (!field.values || static_cast<Index>(field.values->size()) != vtkhdf::value_count(field.info, tuples))
        refuse(fmt::format("field '{}' of part '{}' has {} values, expected {}", field.info.name, name_,
                           field.values ? field.values->size() : 0, vtkhdf::value_count(field.info, tuples)));
      auto [it, fresh] = fields_.try_emplace(key);
      FieldArrays& f = it->second;
      if (fresh) {
        f.info = field.info;
        make_arrays(f, static_cast<std::size_t>(&field - part.fields.data()));
        if (steps_ > 0) {
          // Earlier steps show "no value": one block that all of them point to.
          const Index blank = append_blank(f, most_tuples(f.info.association));
          for (Index s = 0; s < steps_; ++s) put_offset(f, s, blank);
        }
      } else if (f.info.components != field.info.components || f.info.is_complex != field.info.is_complex) {
        refuse(fmt::format("field '{}' of part '{}' changed its form", field.info.name, name_));
      }
      const bool same = f.last_offset >= 0 && same_object(f.last_values, field.values);
      put_offset(f, steps_, same ? f.last_offset : append(f, *field.values, tuples));
      f.last_values = field.values;
    }
    for (auto& [key, f] : fields_)
      if (!seen.contains(key)) {
        put_offset(f, steps_, append_blank(f, tuples_now(f.info.association)));
        f.last_values.reset();
      }
  }

  Index append_blank(FieldArrays& f, Index tuples) {
    const std::vector<float> blank(static_cast<std::size_t>(vtkhdf::value_count(f.info, tuples)),
                                   std::numeric_limits<float>::quiet_NaN());
    return append(f, blank, tuples);
  }

  std::int64_t step_value(const Array& array, Index step, Index per_row = 1) const {
    std::array<std::int64_t, 2> out{};
    if (per_row > 2) refuse("steps");
    array.read_rows(step, 1, out.data());
    return out[0];
  }

  void cut_back(std::uint64_t frames) {
    if (h5::has_attribute(own_.get(), "points")) {
      ImageGeometry g;
      const auto points = h5::integer_attribute(own_.get(), "points", 3);
      const auto origin = h5::real_attribute(own_.get(), "origin", 3);
      const auto spacing = h5::real_attribute(own_.get(), "spacing", 3);
      std::copy(points.begin(), points.end(), g.points.begin());
      std::copy(origin.begin(), origin.end(), g.origin.begin());
      std::copy(spacing.begin(), spacing.end(), g.spacing.begin());
      geometry_ = g;
      if (!image_) image_mesh_ = vtkhdf::image_as_mesh(g);
    }
    const Index had = h5::integer_attribute(own_.get(), "frames", 1)[0];
    while (steps_ < had) {
      const std::int64_t number = step_value(frames_.array, steps_, 2);
      if (static_cast<std::uint64_t>(number) >= frames) break;
      last_number_ = number;
      ++steps_;
    }
    if (!image_) open_mesh();
    open_fields(point_data_, point_offsets_, Association::point);
    open_fields(cell_data_, cell_offsets_, Association::cell);
    // Rows behind the kept steps stay in the file and are written over; only Steps/Values must not be too long.
    if (steps_ == had || steps_ == 0) return;
    own_values_.array.read_rows(steps_ - 1, 1, &value_);
    if (image_ && steps_ == 1) {
      for (auto& [key, f] : fields_) f.last_offset = step_value(f.offsets.array, 0);
      repeat_first_step();
    }
    values_.array.shrink(image_ ? std::max<Index>(steps_, 2) : steps_);
    h5::flush(file_);
    written_number_ = last_number_;
    publish();
  }

  void open_mesh() {
    const hid_t group = root_.get();
    number_of_points_ = h5::open_array(group, "NumberOfPoints", H5T_NATIVE_INT64);
    number_of_cells_ = h5::open_array(group, "NumberOfCells", H5T_NATIVE_INT64);
    number_of_ids_ = h5::open_array(group, "NumberOfConnectivityIds", H5T_NATIVE_INT64);
    points_ = h5::open_array(group, "Points", H5T_NATIVE_DOUBLE);
    connectivity_ = h5::open_array(group, "Connectivity", H5T_NATIVE_INT64);
    offsets_ = h5::open_array(group, "Offsets", H5T_NATIVE_INT64);
    types_ = h5::open_array(group, "Types", H5T_NATIVE_UINT8);
    const hid_t steps = steps_group_.get();
    part_offsets_.array = h5::open_array(steps, "PartOffsets", H5T_NATIVE_INT64);
    number_of_parts_.array = h5::open_array(steps, "NumberOfParts", H5T_NATIVE_INT64);
    points_offsets_.array = h5::open_array(steps, "PointOffsets", H5T_NATIVE_INT64);
    cells_offsets_.array = h5::open_array(steps, "CellOffsets", H5T_NATIVE_INT64);
    ids_offsets_.array = h5::open_array(steps, "ConnectivityIdOffsets", H5T_NATIVE_INT64);
    point_blocks_.chunk = points_.chunk_rows();
    for (Index s = 0; s < steps_; ++s) {
      part_ = std::max(part_, step_value(part_offsets_.array, s));
      first_point_ = step_value(points_offsets_.array, s);
      const Index points = step_value(number_of_points_, step_value(part_offsets_.array, s));
      point_blocks_.next = std::max(point_blocks_.next, first_point_ + points);
      part_first_cell_ = step_value(cells_offsets_.array, s);
      part_first_id_ = step_value(ids_offsets_.array, s);
    }
    for (Index p = 0; p <= part_; ++p) {
      part_points_ = step_value(number_of_points_, p);
      part_cells_ = step_value(number_of_cells_, p);
      part_ids_ = step_value(number_of_ids_, p);
      cells_used_ += part_cells_;
      ids_used_ += part_ids_;
      most_points_ = std::max(most_points_, part_points_);
      most_cells_ = std::max(most_cells_, part_cells_);
    }
  }

  void open_fields(const Handle& group, const Handle& offsets, Association association) {
    for (const auto& name : h5::names_in(group.get())) {
      Array array = h5::open_array(group.get(), name, H5T_NATIVE_FLOAT);
      if (h5::has_attribute(array.id(), "imaginary_part_of")) continue;
      FieldArrays f;
      f.info = vtkhdf::read_info(array.id(), association);
      f.re = std::move(array);
      f.offsets.array = h5::open_array(offsets.get(), name, H5T_NATIVE_INT64);
      if (f.info.is_complex) {
        const std::string other = vtkhdf::array_name(f.info.name) + "_im";
        f.im = h5::open_array(group.get(), other, H5T_NATIVE_FLOAT);
        im_offsets(f) = h5::open_array(offsets.get(), other, H5T_NATIVE_INT64);
      }
      f.blocks.chunk = f.re.chunk_rows();
      for (Index s = 0; s < steps_; ++s) {
        const Index offset = step_value(f.offsets.array, s);
        Index size = 1;
        if (!image_)
          size = step_value(association == Association::point ? number_of_points_ : number_of_cells_,
                            step_value(part_offsets_.array, s));
        f.blocks.next = std::max(f.blocks.next, offset + size);
      }
      fields_.emplace(key_of(f.info), std::move(f));
    }
  }

  fs::path path_;
  std::string name_;
  bool image_ = false;  // the file holds ImageData
  Index steps_ = 0;
  std::int64_t written_number_ = -1;
  std::int64_t last_number_ = -1;
  bool fresh_ = false;  // not one frame is finished
  // The file is declared first so that it is closed last.
  Handle file_, root_, own_, point_data_, cell_data_, steps_group_, point_offsets_, cell_offsets_;
  StepArray frames_, values_, own_values_;
  double value_ = 0;                       // of the step written last
  std::optional<ImageGeometry> geometry_;  // of an image part
  MeshGeometry image_mesh_;                // of an image that is stored as a mesh

  Array number_of_points_, number_of_cells_, number_of_ids_, points_, connectivity_, offsets_, types_;
  StepArray part_offsets_, number_of_parts_, points_offsets_, cells_offsets_, ids_offsets_;
  Blocks point_blocks_;
  Index part_ = -1, part_first_cell_ = 0, part_first_id_ = 0, first_point_ = -1;
  Index part_points_ = 0, part_cells_ = 0, part_ids_ = 0, cells_used_ = 0, ids_used_ = 0;
  Index most_points_ = 0, most_cells_ = 0;
  std::weak_ptr<const std::vector<double>> last_points_;
  std::weak_ptr<const std::vector<Index>> last_connectivity_, last_offsets_;
  std::weak_ptr<const std::vector<std::uint8_t>> last_types_;

  std::map<std::string, FieldArrays> fields_;
  std::map<std::string, Array> im_offsets_;
  std::vector<float> half_;
};

class Writer final : public VtkhdfWriter {
 public:
  Writer(fs::path folder, std::string run) : folder_(std::move(folder)), run_(std::move(run)) {}
  ~Writer() override { static_cast<void>(close()); }  // write() has told of any failure

  Status write(const Frame& frame) override {
    if (failure_) return *failure_;
    const h5::Lock held;
    try {
      held.require_room();
      if (frame.number < next_) refuse(fmt::format("frame {} comes after frame {}", frame.number, next_ - 1));
      std::vector<PartFile*> files;
      for (const auto& part : frame.parts) {
        files.push_back(&file_for(part, files.size(), frame.axis));
        files.back()->write(frame, part);
      }
      for (PartFile* file : files) file->publish();
      next_ = frame.number + 1;
      return {};
    } catch (...) {
      failure_ = current_exception_as_error();
      return *failure_;
    }
  }

  Status sync() override {
    const h5::Lock held;
    if (failure_) return *failure_;
    try {
      for (auto& part : parts_) part->sync();
      return {};
    } catch (...) {
      failure_ = current_exception_as_error();
      return *failure_;
    }
  }

  Status close() override {
    const h5::Lock held;
    parts_.clear();
    if (failure_) return *failure_;
    return {};
  }

  [[nodiscard]] std::uint64_t frames() const override { return next_; }

  void adopt(std::uint64_t frames) {
    vtkhdf::remove_unfinished(folder_);
    for (const auto& file : vtkhdf::results_files(folder_)) {
      auto part = std::make_unique<PartFile>(file, frames);
      if (part->empty()) {
        // No frame of it is kept: it starts anew, as a file that holds a frame from its first moment.
        part.reset();
        std::error_code code;
        fs::remove(file, code);
        if (code) throw Failure(system_error("remove", file.string(), code.value()));
        continue;
      }
      next_ = std::max(next_, static_cast<std::uint64_t>(part->last_number() + 1));
      parts_.push_back(std::move(part));
    }
  }

 private:
  PartFile& file_for(const FramePart& part, std::size_t place, FrameAxis axis) {
    for (auto& p : parts_)
      if (p->name() == part.name) return *p;
    if (parts_.size() >= vtkhdf::parts_limit) refuse("a frame has too many parts");
    fs::path path = folder_ / (parts_.empty() ? vtkhdf::first_file_name() : vtkhdf::file_name(part.name));
    std::error_code ignored;
    for (int n = 2; fs::exists(path, ignored) && !parts_.empty(); ++n)
      path = folder_ / vtkhdf::file_name(fmt::format("{}-{}", part.name, n));
    parts_.push_back(std::make_unique<PartFile>(path, part, place, axis, run_));
    return *parts_.back();
  }

  fs::path folder_;
  std::string run_;
  std::vector<std::unique_ptr<PartFile>> parts_;
  std::uint64_t next_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::unique_ptr<VtkhdfWriter>> VtkhdfWriter::create(const fs::path& folder, std::string run) {
  const h5::Lock held;  // starts the library now, before a solver has taken the memory
  vtkhdf::remove_unfinished(folder);
  const auto there = vtkhdf::results_files(folder);
  if (!there.empty())
    return make_error(ErrorCode::file,
                      fmt::format("'{}' exists already; nothing was written over it", there[0].string()),
                      "Choose a new folder with --out.");
  return std::unique_ptr<VtkhdfWriter>(std::make_unique<Writer>(folder, std::move(run)));
}

Result<std::unique_ptr<VtkhdfWriter>> VtkhdfWriter::resume(const fs::path& folder, std::string run,
                                                           std::uint64_t frames) {
  const h5::Lock held;
  try {
    held.require_room();
    auto writer = std::make_unique<Writer>(folder, std::move(run));
    writer->adopt(frames);
    return std::unique_ptr<VtkhdfWriter>(std::move(writer));
  } catch (...) {
    return current_exception_as_error();
  }
}

#endif  // CONOID_HAVE_HDF5

}  // namespace conoid

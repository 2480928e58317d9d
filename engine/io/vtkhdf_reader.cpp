// SPDX-License-Identifier: BSD-3-Clause
// Reading of our own VTKHDF files: bounded by what the arrays really hold, up to the last finished frame.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <map>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/io/hdf5_file.hpp"
#include "engine/io/vtkhdf.hpp"
#include "engine/io/vtkhdf_layout.hpp"

namespace conoid {
namespace fs = std::filesystem;

#if !CONOID_HAVE_HDF5

Result<std::unique_ptr<VtkhdfReader>> VtkhdfReader::open(const fs::path&) {
  return make_error(ErrorCode::resources, "this build of Conoid has no HDF5: it cannot read fields",
                    "Build with HDF5 (Debian: libhdf5-dev).");
}

#else

namespace {

using h5::Array;
using h5::Handle;

constexpr Index steps_limit = Index{1} << 32;
constexpr Index values_limit = Index{1} << 36;  // of one array in one frame: beyond any file of ours

[[noreturn]] void damaged(std::string text) {
  throw Failure(make_error(ErrorCode::file, std::move(text), "The results file is damaged."));
}

struct StoredField {
  FieldInfo info;
  std::int64_t place = 0;
  Array re, im, offsets;
};

class PartReader {
 public:
  explicit PartReader(fs::path path) : path_(std::move(path)) { open(); }

  void open() {
    fields_.clear();
    file_ = {};
    file_ = h5::open_file(path_, false);
    std::error_code ignored;
    file_bytes_ = fs::file_size(path_, ignored);
    if (ignored) file_bytes_ = 0;
    budget_ = file_bytes_;
    const Handle root = h5::open_group(file_.get(), "VTKHDF");
    if (!h5::exists(file_.get(), "Conoid")) damaged("expected a results file of Conoid, found another HDF5 file");
    const Handle own = h5::open_group(file_.get(), "Conoid");
    if (const auto version = h5::integer_attribute(own.get(), "version", 1)[0]; version > vtkhdf::format_version)
      throw Failure(make_error(ErrorCode::file,
                               fmt::format("results format {} is newer than this version of Conoid reads ({})", version,
                                           vtkhdf::format_version),
                               "Open it with the version that wrote it."));
    name_ = h5::text_attribute(own.get(), "part");
    place_ = vtkhdf::read_place(own.get());
    run_ = h5::text_attribute(own.get(), "run");
    const std::string axis = h5::text_attribute(own.get(), "axis");
    axis_ = axis == "frequency" ? FrameAxis::frequency : axis == "iteration" ? FrameAxis::iteration : FrameAxis::time;
    image_ = h5::text_attribute(root.get(), "Type") == "ImageData";
    const Handle steps = h5::open_group(root.get(), "Steps");
    const Index count = h5::integer_attribute(own.get(), "frames", 1)[0];
    const Array frames = h5::open_array(own.get(), "Frames", H5T_NATIVE_INT64);
    const Array values = h5::open_array(own.get(), "Values", H5T_NATIVE_DOUBLE);
    if (count < 0 || count > steps_limit || count > rows_of(values, 1) || count > rows_of(frames, 2))
      damaged(fmt::format("{} steps are announced, fewer are there", count));
    take(count, 3);
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(2 * count));
    std::vector<double> at(static_cast<std::size_t>(count));
    frames.read_rows(0, count, numbers.data());
    values.read_rows(0, count, at.data());
    list_.clear();
    for (std::size_t s = 0; s < at.size(); ++s) {
      if (numbers[2 * s] < 0 || (s > 0 && numbers[2 * s] <= numbers[2 * s - 2]))
        damaged("frame numbers do not increase");
      list_.push_back({static_cast<std::uint64_t>(numbers[2 * s]), numbers[2 * s + 1], at[s], axis_});
    }
    is_grid_ = h5::has_attribute(own.get(), "points");
    if (image_ && !is_grid_) damaged("expected the size of the grid");
    if (is_grid_) open_image(own);
    if (!image_) open_mesh(root, steps);
    open_fields(root, steps, "PointData", "PointDataOffsets", Association::point);
    open_fields(root, steps, "CellData", "CellDataOffsets", Association::cell);
    std::stable_sort(fields_.begin(), fields_.end(),
                     [](const StoredField& a, const StoredField& b) { return a.place < b.place; });
  }

  [[nodiscard]] const std::vector<StoredFrame>& list() const { return list_; }
  [[nodiscard]] const std::string& run() const { return run_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t place() const { return place_; }
  [[nodiscard]] StoredPart describe() const {
    StoredPart out{name_, path_, is_grid_, {}};
    for (const auto& f : fields_) out.fields.push_back(f.info);
    return out;
  }

  FramePart read(Index step, const FrameRequest& request) {
    FramePart part;
    part.name = name_;
    budget_ = file_bytes_;
    Index points = 0;
    Index cells = 0;
    if (is_grid_) {
      part.geometry = geometry_;
      points = vtkhdf::tuples(geometry_, Association::point);
      cells = vtkhdf::tuples(geometry_, Association::cell);
    } else {
      const MeshGeometry& mesh = mesh_at(step);
      points = static_cast<Index>(mesh.points->size() / 3);
      cells = static_cast<Index>(mesh.types->size());
      part.geometry = mesh;
    }
    for (const auto& f : fields_) {
      if (!request.fields.empty() && !request.fields.contains(f.info.name)) continue;
      const Index offset = integer(f.offsets, step);
      part.fields.push_back({f.info, values(f, offset, f.info.association == Association::point ? points : cells)});
    }
    return part;
  }

 private:
  // Rows of an array whose rows hold `per_row` entries; anything else is damage.
  static Index rows_of(const Array& array, hsize_t per_row) {
    const auto shape = array.shape();
    hsize_t inner = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) inner *= shape[i];
    if (shape.empty() || inner != per_row) damaged("an array has an unexpected shape");
    return static_cast<Index>(std::min<hsize_t>(shape[0], static_cast<hsize_t>(values_limit)));
  }

  static Index integer(const Array& array, Index row) {
    if (row < 0 || row >= rows_of(array, 1)) damaged("an array of offsets is too short");
    std::int64_t v = 0;
    array.read_rows(row, 1, &v);
    if (v < 0) damaged("an offset is negative");
    return v;
  }

  // An array may claim any size, for the library fills in what was never written: what is read at once has at least a byte a number
  // in the file, each read once.
  void take(Index rows, Index per_row) {
    if (rows < 0 || static_cast<Bytes>(rows) > budget_ / static_cast<Bytes>(per_row))
      damaged(fmt::format("{} rows are announced, more than the file has bytes for", rows));
    budget_ -= static_cast<Bytes>(rows) * static_cast<Bytes>(per_row);
  }

  // Checks the rows before memory is taken for them.
  template <class T>
  std::shared_ptr<std::vector<T>> rows(const Array& array, Index begin, Index count, Index per_row) {
    const Index there = rows_of(array, static_cast<hsize_t>(per_row));
    if (begin < 0 || count < 0 || begin > there || count > there - begin)
      damaged(fmt::format("rows {} to {} are announced, {} are there", begin, begin + count, there));
    take(count, per_row);
    auto out = std::make_shared<std::vector<T>>(static_cast<std::size_t>(count * per_row));
    array.read_rows(begin, count, out->data());
    return out;
  }

  void open_image(const Handle& own) {
    const auto points = h5::integer_attribute(own.get(), "points", 3);
    const auto origin = h5::real_attribute(own.get(), "origin", 3);
    const auto spacing = h5::real_attribute(own.get(), "spacing", 3);
    Index product = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      if (points[a] < 1 || points[a] > values_limit / product) damaged("the grid has no sensible size");
      product *= points[a];
      geometry_.points[a] = points[a];
      geometry_.origin[a] = origin[a];
      geometry_.spacing[a] = spacing[a];
    }
  }

  void open_mesh(const Handle& root, const Handle& steps) {
    number_of_points_ = h5::open_array(root.get(), "NumberOfPoints", H5T_NATIVE_INT64);
    number_of_cells_ = h5::open_array(root.get(), "NumberOfCells", H5T_NATIVE_INT64);
    number_of_ids_ = h5::open_array(root.get(), "NumberOfConnectivityIds", H5T_NATIVE_INT64);
    points_ = h5::open_array(root.get(), "Points", H5T_NATIVE_DOUBLE);
    connectivity_ = h5::open_array(root.get(), "Connectivity", H5T_NATIVE_INT64);
    offsets_ = h5::open_array(root.get(), "Offsets", H5T_NATIVE_INT64);
    types_ = h5::open_array(root.get(), "Types", H5T_NATIVE_UINT8);
    part_offsets_ = h5::open_array(steps.get(), "PartOffsets", H5T_NATIVE_INT64);
    points_offsets_ = h5::open_array(steps.get(), "PointOffsets", H5T_NATIVE_INT64);
    cells_offsets_ = h5::open_array(steps.get(), "CellOffsets", H5T_NATIVE_INT64);
    ids_offsets_ = h5::open_array(steps.get(), "ConnectivityIdOffsets", H5T_NATIVE_INT64);
  }

  void open_fields(const Handle& root, const Handle& steps, const char* group_name, const char* offsets_name,
                   Association association) {
    const Handle group = h5::open_group(root.get(), group_name);
    const Handle offsets = h5::open_group(steps.get(), offsets_name);
    for (const auto& name : h5::names_in(group.get())) {
      if (fields_.size() >= vtkhdf::fields_limit) damaged("there are too many fields");
      Array array = h5::open_array(group.get(), name, H5T_NATIVE_FLOAT);
      if (h5::has_attribute(array.id(), "imaginary_part_of")) continue;
      // A field that a killed writer had just begun has no offsets for the finished steps: it is not there yet.
      if (!h5::has_attribute(array.id(), "complex") || !h5::exists(offsets.get(), name)) continue;
      StoredField f;
      f.info = vtkhdf::read_info(array.id(), association);
      f.place = vtkhdf::read_place(array.id());
      f.re = std::move(array);
      f.offsets = h5::open_array(offsets.get(), name, H5T_NATIVE_INT64);
      if (rows_of(f.offsets, 1) < static_cast<Index>(list_.size())) continue;
      if (f.info.is_complex) {
        const std::string other = vtkhdf::array_name(f.info.name) + "_im";
        if (!h5::exists(group.get(), other)) continue;
        f.im = h5::open_array(group.get(), other, H5T_NATIVE_FLOAT);
      }
      fields_.push_back(std::move(f));
    }
  }

  const MeshGeometry& mesh_at(Index step) {
    const Index part = integer(part_offsets_, step);
    const Index first_point = integer(points_offsets_, step);
    const Index first_cell = integer(cells_offsets_, step);
    const Index first_id = integer(ids_offsets_, step);
    if (part != mesh_part_ || !mesh_.types) {
      const Index cells = integer(number_of_cells_, part);
      const Index ids = integer(number_of_ids_, part);
      MeshGeometry mesh;
      auto types = rows<std::uint8_t>(types_, first_cell, cells, 1);
      auto offsets = rows<Index>(offsets_, first_cell + part, cells + 1, 1);
      auto connectivity = rows<Index>(connectivity_, first_id, ids, 1);
      if (offsets->front() != 0 || offsets->back() != ids || !std::is_sorted(offsets->begin(), offsets->end()))
        damaged("the cells' offsets are out of order");
      const Index points = integer(number_of_points_, part);
      for (const Index id : *connectivity)
        if (id < 0 || id >= points) damaged("a cell refers to a point that does not exist");
      for (std::size_t c = 0; c < types->size(); ++c)
        if (const int nodes = vtkhdf::nodes_of_type((*types)[c]);
            nodes == 0 || (*offsets)[c + 1] - (*offsets)[c] != nodes)
          damaged(fmt::format("cell {} has not the nodes of its kind", c));
      mesh.types = std::move(types);
      mesh.offsets = std::move(offsets);
      mesh.connectivity = std::move(connectivity);
      mesh_ = std::move(mesh);
      mesh_part_ = part;
      mesh_first_point_ = -1;
    }
    if (first_point != mesh_first_point_) {
      mesh_.points = rows<double>(points_, first_point, integer(number_of_points_, part), 3);
      mesh_first_point_ = first_point;
    }
    return mesh_;
  }

  std::shared_ptr<const std::vector<float>> values(const StoredField& f, Index offset, Index tuples) {
    const Index begin = offset;
    const Index count = image_ ? 1 : tuples;
    const Index per_row = image_ ? tuples * f.info.components : f.info.components;
    auto re = rows<float>(f.re, begin, count, per_row);
    if (!f.info.is_complex) return re;
    const auto im = rows<float>(f.im, begin, count, per_row);
    auto both = std::make_shared<std::vector<float>>(2 * re->size());
    for (std::size_t i = 0; i < re->size(); ++i) {
      (*both)[2 * i] = (*re)[i];
      (*both)[2 * i + 1] = (*im)[i];
    }
    return both;
  }

  fs::path path_;
  Handle file_;
  Bytes file_bytes_ = 0;
  Bytes budget_ = 0;  // numbers that may still be read
  std::string name_, run_;
  std::int64_t place_ = 0;
  FrameAxis axis_ = FrameAxis::time;
  bool image_ = false;    // the file holds ImageData
  bool is_grid_ = false;  // the part is an image
  std::vector<StoredFrame> list_;
  ImageGeometry geometry_;
  Array number_of_points_, number_of_cells_, number_of_ids_, points_, connectivity_, offsets_, types_;
  Array part_offsets_, points_offsets_, cells_offsets_, ids_offsets_;
  std::vector<StoredField> fields_;
  MeshGeometry mesh_;
  Index mesh_part_ = -1;
  Index mesh_first_point_ = -1;
};

class Reader final : public VtkhdfReader {
 public:
  explicit Reader(fs::path path) : path_(std::move(path)) { look(); }
  ~Reader() override {
    const h5::Lock held;
    files_.clear();
  }

  [[nodiscard]] const std::vector<StoredFrame>& frames() const override { return frames_; }
  [[nodiscard]] const std::vector<StoredPart>& parts() const override { return parts_; }
  [[nodiscard]] const std::string& run() const override { return run_; }

  Result<std::shared_ptr<const Frame>> read(std::size_t position, const FrameRequest& request) override {
    const h5::Lock held;
    try {
      held.require_room();
    } catch (...) {
      return current_exception_as_error();
    }
    return read_unlocked(position, request);
  }

  /// For the copy of this process below: a mutex counts by threads, and the copy's is another.
  void close_unlocked() { files_.clear(); }
  Result<std::shared_ptr<const Frame>> read_unlocked(std::size_t position, const FrameRequest& request) {
    try {
      if (position >= frames_.size())
        return make_error(ErrorCode::file,
                          fmt::format("the run has {} frames, asked for frame {}", frames_.size(), position),
                          "Frames count from 0.");
      const StoredFrame& stored = frames_[position];
      auto frame = std::make_shared<Frame>();
      frame->number = stored.number;
      frame->step = stored.step;
      frame->value = stored.value;
      frame->axis = stored.axis;
      for (auto& file : files_) {
        if (!request.parts.empty() && !request.parts.contains(file->name())) continue;
        const auto& list = file->list();
        const auto it = std::lower_bound(list.begin(), list.end(), stored.number,
                                         [](const StoredFrame& f, std::uint64_t n) { return f.number < n; });
        if (it == list.end() || it->number != stored.number) continue;
        try {
          frame->parts.push_back(file->read(it - list.begin(), request));
        } catch (const Failure& failure) {
          Error error = failure.error();
          if (error.place.file.empty()) error.place.file = file->describe().file.string();
          throw Failure(error);
        }
      }
      return std::shared_ptr<const Frame>(std::move(frame));
    } catch (...) {
      return current_exception_as_error();
    }
  }

  Result<bool> refresh() override {
    const h5::Lock held;
    try {
      held.require_room();
      const std::size_t before = frames_.size();
      look();
      return frames_.size() > before;
    } catch (...) {
      return current_exception_as_error();
    }
  }

 private:
  void look() {
    std::vector<std::unique_ptr<PartReader>> files;
    std::error_code ignored;
    const auto paths = fs::is_directory(path_, ignored) ? vtkhdf::results_files(path_) : std::vector<fs::path>{path_};
    for (const auto& path : paths) {
      try {
        files.push_back(std::make_unique<PartReader>(path));
      } catch (const Failure& failure) {
        Error error = failure.error();
        if (error.place.file.empty()) error.place.file = path.string();
        throw Failure(error);
      }
    }
    if (files.empty())
      throw Failure(make_error(ErrorCode::file,
                               fmt::format("'{}' has no results.vtkhdf: the run has kept no fields", path_.string()),
                               "Ask for fields in the case's \"output\"."));
    std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a->place() < b->place(); });
    std::map<std::uint64_t, StoredFrame> frames;
    parts_.clear();
    for (const auto& file : files) {
      for (const auto& frame : file->list()) frames.emplace(frame.number, frame);
      parts_.push_back(file->describe());
    }
    run_ = files.front()->run();
    files_ = std::move(files);
    frames_.clear();
    for (const auto& [number, frame] : frames) frames_.push_back(frame);
  }

  fs::path path_;
  std::vector<std::unique_ptr<PartReader>> files_;
  std::vector<StoredFrame> frames_;
  std::vector<StoredPart> parts_;
  std::string run_;
};

/// HDF5 trusts the headers of a file and may divide by a zero in them, or worse. So a copy of this process looks first, with all that
/// reading will do; what ends it is damage. False when it did not come back.
bool survives(const fs::path& path) {
  constexpr Index most_numbers = Index{1} << 22;  // some tens of milliseconds
  constexpr unsigned seconds = 60;
  const pid_t child = ::fork();
  if (child < 0) return true;  // no room to look
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) ::signal(signal, SIG_DFL);
    const rlimit none{0, 0}, time{seconds, seconds};
    ::setrlimit(RLIMIT_CORE, &none);
    ::setrlimit(RLIMIT_CPU, &time);
    ::signal(SIGALRM, SIG_DFL);
    ::alarm(5 * seconds);
    try {
      auto* const reader = new Reader(path);  // never destroyed: that would take the lock
      const std::size_t frames = reader->frames().size();
      Index numbers = 0;
      // The last first, as the one to be looked at.
      for (std::size_t k = frames; k-- > 0 && numbers < most_numbers;)
        if (const auto frame = reader->read_unlocked(k, {}))
          for (const FramePart& part : (*frame)->parts)
            for (const Field& field : part.fields) numbers += 1 + static_cast<Index>(field.values->size());
      reader->close_unlocked();
    } catch (...) {
      // An error: this process will find it as well.
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return true;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Result<std::unique_ptr<VtkhdfReader>> VtkhdfReader::open(const fs::path& path) {
  const h5::Lock held;
  try {
    held.require_room();
    if (!survives(path))
      return make_error(ErrorCode::file, fmt::format("HDF5 cannot bear the results in '{}'", path.string()),
                        "The results file is damaged.", {path.string(), 0, {}});
    return std::unique_ptr<VtkhdfReader>(std::make_unique<Reader>(path));
  } catch (...) {
    return current_exception_as_error();
  }
}

#endif  // CONOID_HAVE_HDF5

namespace {

/// Mean of |v − mean| over the finite values of the frame's first field, and the bytes of it.
std::pair<double, Bytes> spread_of(const Frame& frame) {
  for (const FramePart& part : frame.parts)
    for (const Field& field : part.fields) {
      double sum = 0, apart = 0, count = 0;
      for (const float v : *field.values)
        if (std::isfinite(v)) {
          sum += v;
          ++count;
        }
      if (count == 0) return {0, 0};
      for (const float v : *field.values)
        if (std::isfinite(v)) apart += std::abs(v - sum / count);
      return {apart / count, field.values->size() * sizeof(float)};
    }
  return {0, 0};
}

}  // namespace

std::size_t telling_frame(VtkhdfReader& reader, Bytes most) {
  const auto& frames = reader.frames();
  if (frames.empty()) return 0;
  const std::size_t last = frames.size() - 1;
  if (frames[last].axis != FrameAxis::time || reader.parts().empty() || reader.parts().front().fields.empty())
    return last;
  FrameRequest request;
  request.parts = {reader.parts().front().name};
  request.fields = {reader.parts().front().fields.front().name};
  // The last first: it may use up what may be read. Then from the end to the beginning.
  constexpr std::size_t places = 8;
  std::map<std::size_t, double> spread;
  Bytes read = 0;
  for (std::size_t i = 0; i <= places && read < most; ++i) {
    const std::size_t at = last * (places - i) / places;
    if (spread.contains(at)) continue;
    const auto frame = reader.read(at, request);
    if (!frame) continue;
    const auto [apart, bytes] = spread_of(**frame);
    spread[at] = apart;
    read += bytes;
  }
  double fullest = 0;
  for (const auto& [at, apart] : spread) fullest = std::max(fullest, apart);
  for (auto it = spread.rbegin(); it != spread.rend(); ++it)
    if (it->second >= 0.5 * fullest) return it->first;
  return last;
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// SOFA's dimensions and variables as netCDF 4 lays them out in HDF5.
#include "engine/io/sofa.hpp"

#include <cerrno>
#include <cstddef>
#include <ctime>
#include <map>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "conoid/config.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/utc.hpp"
#include "engine/io/hdf5_file.hpp"

namespace conoid {
namespace fs = std::filesystem;

#if !CONOID_HAVE_HDF5

Status write_sofa_responses(const fs::path& path, const SofaScene&, std::span<const double>,
                            std::span<const std::complex<double>>) {
  return make_error(ErrorCode::resources, "this build of Conoid has no HDF5: it cannot write SOFA files",
                    "Build with HDF5 (Debian: libhdf5-dev).", {path.string(), 0, ""});
}
Status write_sofa_signals(const fs::path& path, const SofaScene& scene, double, std::size_t, std::span<const double>) {
  return write_sofa_responses(path, scene, {}, {});
}

#else

namespace {

using h5::Handle;

hid_t checked(hid_t id) {
  if (id < 0) throw Failure(make_error(ErrorCode::file, "HDF5 cannot write the SOFA file"));
  return id;
}
void done(herr_t code) {
  checked(code < 0 ? -1 : 0);
}

/// Attributes and links are listed in the order in which they were made, as netCDF's library wants it.
constexpr unsigned in_order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

/// A file with dimensions (HDF5's dimension scales), each with the places where it is used.
class SofaFile {
 public:
  explicit SofaFile(const fs::path& path) {
    const Handle access(checked(H5Pcreate(H5P_FILE_ACCESS))), created(checked(H5Pcreate(H5P_FILE_CREATE)));
    done(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
    done(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG));
    done(H5Pset_link_creation_order(created.get(), in_order));
    done(H5Pset_attr_creation_order(created.get(), in_order));
    errno = 0;
    const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, created.get(), access.get());
    if (id < 0) throw Failure(system_error("create", path.string(), errno != 0 ? errno : EIO));
    file_ = Handle(id);
  }

  void text(const char* name, const std::string& value) { h5::set_attribute(file_.get(), name, value); }

  /// A dimension without values of its own.
  void dimension(const std::string& name, std::size_t length) {
    const Handle scale = array(name, {length}, H5T_IEEE_F32BE);
    make_scale(scale.get(), name, fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", length));
    lengths_[name] = length;
  }
  /// One that is a variable of the same name, with LongName and Units.
  void coordinate(const std::string& name, std::span<const double> values, const char* long_name, const char* units) {
    const Handle scale = array(name, {values.size()}, H5T_IEEE_F64LE);
    done(H5Dwrite(scale.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    make_scale(scale.get(), name, name);
    h5::set_attribute(scale.get(), "LongName", long_name);
    h5::set_attribute(scale.get(), "Units", units);
    lengths_[name] = values.size();
  }
  /// A variable over dimensions of one letter each, slowest first.
  void variable(const std::string& name, const std::string& dimensions, std::span<const double> values,
                const std::vector<std::pair<const char*, const char*>>& attributes = {}) {
    std::vector<hsize_t> shape;
    std::size_t count = 1;
    for (const char d : dimensions) shape.push_back(lengths_.at(std::string(1, d)));
    for (const hsize_t n : shape) count *= n;
    verify(count == values.size(), "a variable has as many values as its dimensions say");
    const Handle made = array(name, shape, H5T_IEEE_F64LE);
    done(H5Dwrite(made.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    attach(made.get(), name, dimensions);
    for (const auto& [key, value] : attributes) h5::set_attribute(made.get(), key, value);
  }
  /// Writes where each dimension is used, and closes.
  void close() {
    for (const auto& [name, uses] : uses_) refer_back(name, uses);
    done(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL));
    file_.reset();
  }

 private:
  /// What HDF5's table of uses of a scale holds.
  struct Use {
    hobj_ref_t array;
    int axis;
  };

  [[nodiscard]] Handle array(const std::string& name, const std::vector<hsize_t>& shape, hid_t type) {
    const Handle space(checked(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr))),
        created(checked(H5Pcreate(H5P_DATASET_CREATE)));
    done(H5Pset_attr_creation_order(created.get(), in_order));
    return Handle(
        checked(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, created.get(), H5P_DEFAULT)));
  }
  [[nodiscard]] hobj_ref_t reference(const std::string& name) const {
    hobj_ref_t out{};
    done(H5Rcreate(&out, file_.get(), name.c_str(), H5R_OBJECT, -1));
    return out;
  }
  /// Texts that HDF5's own scales end by a zero.
  static void ended_text(hid_t object, const char* name, const std::string& value) {
    const Handle type(checked(H5Tcopy(H5T_C_S1))), space(checked(H5Screate(H5S_SCALAR)));
    done(H5Tset_size(type.get(), value.size() + 1));
    const Handle attribute(checked(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT)));
    done(H5Awrite(attribute.get(), type.get(), value.c_str()));
  }
  void make_scale(hid_t array, const std::string& name, const std::string& label) {
    ended_text(array, "CLASS", "DIMENSION_SCALE");
    ended_text(array, "NAME", label);
    const Handle space(checked(H5Screate(H5S_SCALAR)));
    const Handle number(
        checked(H5Acreate2(array, "_Netcdf4Dimid", H5T_STD_I32LE, space.get(), H5P_DEFAULT, H5P_DEFAULT)));
    const int id = static_cast<int>(lengths_.size());
    done(H5Awrite(number.get(), H5T_NATIVE_INT, &id));
    uses_[name];
  }
  void attach(hid_t array, const std::string& name, const std::string& dimensions) {
    std::vector<hobj_ref_t> scales;
    std::vector<hvl_t> lists;
    scales.reserve(dimensions.size());  // their places go to the lists
    lists.reserve(dimensions.size());
    for (const char d : dimensions) scales.push_back(reference(std::string(1, d)));
    for (hobj_ref_t& s : scales) lists.push_back({1, &s});
    const hsize_t count = dimensions.size();
    const Handle type(checked(H5Tvlen_create(H5T_STD_REF_OBJ))), space(checked(H5Screate_simple(1, &count, nullptr)));
    const Handle list(checked(H5Acreate2(array, "DIMENSION_LIST", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT)));
    done(H5Awrite(list.get(), type.get(), lists.data()));
    for (std::size_t axis = 0; axis < dimensions.size(); ++axis)
      uses_[std::string(1, dimensions[axis])].push_back({reference(name), static_cast<int>(axis)});
  }
  void refer_back(const std::string& name, const std::vector<Use>& uses) {
    if (uses.empty()) return;
    const Handle scale(checked(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT)));
    const hsize_t count = uses.size();
    const Handle type(checked(H5Tcreate(H5T_COMPOUND, sizeof(Use)))),
        space(checked(H5Screate_simple(1, &count, nullptr)));
    done(H5Tinsert(type.get(), "dataset", offsetof(Use, array), H5T_STD_REF_OBJ));
    done(H5Tinsert(type.get(), "dimension", offsetof(Use, axis), H5T_NATIVE_INT));
    const Handle list(
        checked(H5Acreate2(scale.get(), "REFERENCE_LIST", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT)));
    done(H5Awrite(list.get(), type.get(), uses.data()));
  }

  Handle file_;
  std::map<std::string, std::size_t> lengths_;
  std::map<std::string, std::vector<Use>> uses_;
};

void write_heads(SofaFile& file, const SofaScene& scene, const char* conventions, const char* data_type) {
  const std::string now = utc_text(std::time(nullptr)), moment = now.substr(0, 10) + " " + now.substr(11, 8);
  file.text("Conventions", "SOFA");
  file.text("Version", "2.1");
  file.text("SOFAConventions", conventions);
  file.text("SOFAConventionsVersion", "1.0");
  file.text("DataType", data_type);
  file.text("RoomType", "free field");
  file.text("Title", scene.title);
  file.text("DateCreated", moment);
  file.text("DateModified", moment);
  file.text("APIName", "Conoid");
  file.text("APIVersion", CONOID_VERSION);
  file.text("ApplicationName", "Conoid");
  file.text("ApplicationVersion", CONOID_VERSION);
  file.text("AuthorContact", "unknown");
  file.text("Comment", scene.comment);
  file.text("License", "No license provided, ask the author for permission");
  file.text("Organization", "unknown");
  file.text("Origin", "computed by boundary elements");
  file.text("DatabaseName", scene.title);
  file.text("ListenerShortName", scene.subject);
  file.dimension("I", 1);
  file.dimension("C", 3);
  file.dimension("R", scene.ears.size());
  file.dimension("E", 1);
  file.dimension("M", scene.sources.size());
}

void write_places(SofaFile& file, const SofaScene& scene) {
  const std::vector<std::pair<const char*, const char*>> cartesian{{"Type", "cartesian"}, {"Units", "metre"}};
  const double zero[] = {0, 0, 0}, view[] = {1, 0, 0}, up[] = {0, 0, 1};
  std::vector<double> ears, sources;
  for (const Vec3& x : scene.ears) ears.insert(ears.end(), x.begin(), x.end());
  for (const auto& s : scene.sources) sources.insert(sources.end(), s.begin(), s.end());
  file.variable("ListenerPosition", "IC", zero, cartesian);
  file.variable("ListenerView", "IC", view, cartesian);
  file.variable("ListenerUp", "IC", up);  // in the axes of the view, whose type and units are its own
  file.variable("ReceiverPosition", "RCI", ears, cartesian);
  file.variable("SourcePosition", "MC", sources, {{"Type", "spherical"}, {"Units", "degree, degree, metre"}});
  file.variable("EmitterPosition", "ECI", zero, cartesian);
}

/// Beside, then in its place: readers see the old file or the new one.
template <class Fill>
Status write_sofa(const fs::path& path, Fill&& fill) {
  const fs::path beside = path.string() + fmt::format(".{}.part", ::getpid());
  std::error_code failed;
  try {
    const h5::Lock lock;
    lock.require_room();
    SofaFile file(beside);
    fill(file);
    file.close();
  } catch (const Failure& failure) {
    fs::remove(beside, failed);
    Error error = failure.error();
    error.place = {path.string(), 0, ""};
    return error;
  }
  fs::rename(beside, path, failed);
  if (failed) return system_error("replace", path.string(), failed.value());
  return {};
}

}  // namespace

Status write_sofa_responses(const fs::path& path, const SofaScene& scene, std::span<const double> frequencies,
                            std::span<const std::complex<double>> responses) {
  std::vector<double> real, imaginary;
  for (const auto& v : responses) {
    real.push_back(v.real());
    imaginary.push_back(v.imag());
  }
  return write_sofa(path, [&](SofaFile& file) {
    write_heads(file, scene, "SimpleFreeFieldHRTF", "TF");
    file.coordinate("N", frequencies, "frequency", "hertz");
    write_places(file, scene);
    file.variable("Data.Real", "MRN", real);
    file.variable("Data.Imag", "MRN", imaginary);
  });
}

Status write_sofa_signals(const fs::path& path, const SofaScene& scene, double rate, std::size_t samples,
                          std::span<const double> impulses) {
  const std::vector<double> rates{rate}, delays(scene.ears.size(), 0);
  return write_sofa(path, [&](SofaFile& file) {
    write_heads(file, scene, "SimpleFreeFieldHRIR", "FIR");
    file.dimension("N", samples);
    write_places(file, scene);
    file.variable("Data.IR", "MRN", impulses);
    file.variable("Data.SamplingRate", "I", rates, {{"Units", "hertz"}});
    file.variable("Data.Delay", "IR", delays);
  });
}

#endif

}  // namespace conoid

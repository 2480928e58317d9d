// SPDX-License-Identifier: BSD-3-Clause
// Results files have the groups, arrays and shapes that the VTKHDF format asks for, as HDF5's own driver sees them.
// labels: unit
#include <QTemporaryDir>
#include <QTest>

#include "conoid/config.hpp"
#include "engine/io/vtkhdf.hpp"
#include "tests/engine/io/sample_frames.hpp"

#if CONOID_HAVE_HDF5
#include "engine/io/hdf5_file.hpp"
#include "engine/io/system_write.hpp"
#endif

using namespace conoid;
namespace fs = std::filesystem;

class TestVtkhdfLayout : public QObject {
  Q_OBJECT
 private slots:  // whatever the build has: moc knows nothing of it
  void classic_format();
  void image();
  void lone_image_frame_is_shown_twice();
  void planes_without_x_are_meshes();
  void moving_mesh_appends_points_only();
  void values_never_outgrow_steps();
  void the_first_of_a_frame_is_the_first_of_its_file();

#if CONOID_HAVE_HDF5
 private:
  static fs::path write(const QTemporaryDir& folder, std::uint64_t frames,
                        const std::function<Frame(std::uint64_t)>& make);
  static h5::Handle open_plain(const fs::path& file);
  static h5::Shape shape(const h5::Handle& file, const std::string& name);
  static std::vector<std::int64_t> integers(const h5::Handle& file, const std::string& name, Index rows);
#endif
};

#if CONOID_HAVE_HDF5

void TestVtkhdfLayout::the_first_of_a_frame_is_the_first_of_its_file() {
  // Names against the alphabet, at points and at cells in turn: what a solver names first is what its run is opened on.
  const auto frame = [](std::uint64_t number, const std::vector<std::string>& fields) {
    Frame out;
    out.number = number;
    out.value = static_cast<double>(number);
    for (const char* name : {"volume", "plane z", "plane a"}) {
      FramePart part{name, ImageGeometry{{2, 2, 2}, {}, {1, 1, 1}}, {}};
      for (std::size_t f = 0; f < fields.size(); ++f) {
        const bool point = f % 2 == 0;
        part.fields.push_back(make_field({fields[f],
                                          "Pa",
                                          FieldKind::signed_value,
                                          point ? Association::point : Association::cell,
                                          1,
                                          fields[f] == "spectrum",
                                          {}},
                                         std::vector<float>(fields[f] == "spectrum" ? 16
                                                            : point                 ? 8
                                                                                    : 1)));
      }
      out.parts.push_back(std::move(part));
    }
    return out;
  };
  using Names = std::vector<std::string>;
  const auto order = [](const QTemporaryDir& folder) {
    const auto reader = VtkhdfReader::open(folder.path().toStdString());
    if (!reader) qFatal("%s", reader.error().text.c_str());
    Names out;
    for (const StoredPart& part : (*reader)->parts()) out.push_back(part.name);
    for (const FieldInfo& field : (*reader)->parts()[1].fields) out.push_back(field.name);
    const auto frame = (*reader)->read((*reader)->frames().size() - 1);
    if (!frame) qFatal("%s", frame.error().text.c_str());
    for (const Field& field : (*frame)->parts[1].fields) out.push_back(field.info.name);
    return out;
  };
  QTemporaryDir folder;
  const Names first{"pressure", "obstacle", "spectrum"};
  write(folder, 2, [&](std::uint64_t f) { return frame(f, first); });
  QCOMPARE(order(folder), (Names{"volume", "plane z", "plane a", "pressure", "obstacle", "spectrum", "pressure",
                                 "obstacle", "spectrum"}));
  {  // One that comes later, in a run that goes on, stands behind those that were there.
    auto writer = VtkhdfWriter::resume(folder.path().toStdString(), "run", 2);
    (*writer)->write(frame(2, {"pressure", "obstacle", "spectrum", "age"})).or_throw();
    (*writer)->close().or_throw();
  }
  QCOMPARE(order(folder), (Names{"volume", "plane z", "plane a", "pressure", "obstacle", "spectrum", "age", "pressure",
                                 "obstacle", "spectrum", "age"}));
  // Files that do not tell, as those of earlier versions, are read as they were.
  for (const fs::path& path : fs::directory_iterator(folder.path().toStdString())) {
    const h5::Lock held;
    const h5::Handle file = h5::open_file(path, true);
    const auto forget = [&](const std::string& name) {
      const h5::Handle object(H5Oopen(file.get(), name.c_str(), H5P_DEFAULT));
      QVERIFY(H5Adelete(object.get(), "place") >= 0);
    };
    forget("Conoid");
    for (const char* name : {"PointData/pressure", "CellData/obstacle", "PointData/spectrum_re", "CellData/age"})
      forget("VTKHDF/" + std::string(name));
    h5::flush(file);
  }
  QCOMPARE(order(folder), (Names{"volume", "plane a", "plane z", "pressure", "spectrum", "age", "obstacle", "pressure",
                                 "spectrum", "age", "obstacle"}));
}

fs::path TestVtkhdfLayout::write(const QTemporaryDir& folder, std::uint64_t frames,
                                 const std::function<Frame(std::uint64_t)>& make) {
  auto writer = VtkhdfWriter::create(folder.path().toStdString(), "run");
  for (std::uint64_t f = 0; f < frames; ++f) (*writer)->write(make(f)).or_throw();
  (*writer)->close().or_throw();
  return fs::path(folder.path().toStdString()) / "results.vtkhdf";
}

// As any other program would.
h5::Handle TestVtkhdfLayout::open_plain(const fs::path& file) {
  const h5::Lock held;
  return h5::Handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
}

h5::Shape TestVtkhdfLayout::shape(const h5::Handle& file, const std::string& name) {
  return h5::open_array(file.get(), "VTKHDF/" + name, H5T_NATIVE_DOUBLE).shape();
}

std::vector<std::int64_t> TestVtkhdfLayout::integers(const h5::Handle& file, const std::string& name, Index rows) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(rows));
  h5::open_array(file.get(), "VTKHDF/" + name, H5T_NATIVE_INT64).read_rows(0, rows, out.data());
  return out;
}

void TestVtkhdfLayout::classic_format() {
  QTemporaryDir folder;
  samples::Sampler sampler(1);
  const auto file = open_plain(write(folder, 3, [&](std::uint64_t f) { return sampler.image_frame(f, {4, 5, 6}); }));
  QVERIFY(file.valid());
  H5F_info2_t info{};
  QVERIFY(H5Fget_info2(file.get(), &info) >= 0);
  QCOMPARE(info.super.version, 0u);  // readable by every HDF5 since 1.0
}

void TestVtkhdfLayout::image() {
  QTemporaryDir folder;
  samples::Sampler sampler(1);
  const auto file = open_plain(write(folder, 3, [&](std::uint64_t f) { return sampler.image_frame(f, {4, 5, 6}); }));
  const auto root = h5::open_group(file.get(), "VTKHDF");
  QCOMPARE(h5::integer_attribute(root.get(), "Version", 2), (std::vector<std::int64_t>{2, 0}));
  QCOMPARE(h5::text_attribute(root.get(), "Type"), std::string("ImageData"));
  QCOMPARE(h5::integer_attribute(root.get(), "WholeExtent", 6), (std::vector<std::int64_t>{0, 3, 0, 4, 0, 5}));
  QCOMPARE(h5::real_attribute(root.get(), "Origin", 3), (std::vector<double>{0.5, -1, 2}));
  QCOMPARE(h5::real_attribute(root.get(), "Spacing", 3), (std::vector<double>{0.1, 0.2, 0.3}));
  QCOMPARE(h5::real_attribute(root.get(), "Direction", 9), (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  QCOMPARE(shape(file, "PointData/pressure"), (h5::Shape{3, 6, 5, 4}));
  QCOMPARE(shape(file, "PointData/velocity"), (h5::Shape{3, 6, 5, 4, 3}));
  QCOMPARE(shape(file, "PointData/e_field_im"), (h5::Shape{3, 6, 5, 4, 3}));
  QCOMPARE(shape(file, "CellData/density"), (h5::Shape{3, 5, 4, 3}));
  const auto steps = h5::open_group(root.get(), "Steps");
  QCOMPARE(h5::integer_attribute(steps.get(), "NSteps", 1)[0], std::int64_t{3});
  QCOMPARE(shape(file, "Steps/Values"), (h5::Shape{3}));
  QCOMPARE(integers(file, "Steps/PointDataOffsets/e_field_re", 3), (std::vector<std::int64_t>{0, 1, 2}));
  QCOMPARE(integers(file, "Steps/CellDataOffsets/density", 3), (std::vector<std::int64_t>{0, 1, 2}));
}

void TestVtkhdfLayout::lone_image_frame_is_shown_twice() {
  QTemporaryDir folder;
  samples::Sampler sampler(1);
  const auto file = open_plain(write(folder, 1, [&](std::uint64_t f) { return sampler.image_frame(f, {4, 5, 6}); }));
  const auto steps = h5::open_group(file.get(), "VTKHDF/Steps");
  QCOMPARE(h5::integer_attribute(steps.get(), "NSteps", 1)[0], std::int64_t{2});
  QCOMPARE(integers(file, "Steps/PointDataOffsets/pressure", 2), (std::vector<std::int64_t>{0, 0}));
  auto reader = VtkhdfReader::open(folder.path().toStdString());
  QCOMPARE((*reader)->frames().size(), std::size_t{1});
}

void TestVtkhdfLayout::planes_without_x_are_meshes() {
  for (const std::array<Index, 3> points :
       {std::array<Index, 3>{5, 1, 4}, {1, 5, 4}, {1, 1, 6}, {1, 7, 1}, {1, 1, 1}}) {
    QTemporaryDir folder;
    samples::Sampler sampler(1);
    const auto file = open_plain(write(folder, 2, [&](std::uint64_t f) { return sampler.image_frame(f, points); }));
    const auto root = h5::open_group(file.get(), "VTKHDF");
    QCOMPARE(h5::text_attribute(root.get(), "Type"), std::string("UnstructuredGrid"));
    QCOMPARE(shape(file, "Points")[0], static_cast<hsize_t>(points[0] * points[1] * points[2]));  // both frames
  }
  for (const std::array<Index, 3> points : {std::array<Index, 3>{5, 4, 1}, {5, 1, 1}, {2, 2, 2}}) {
    QTemporaryDir folder;
    samples::Sampler sampler(1);
    const auto file = open_plain(write(folder, 2, [&](std::uint64_t f) { return sampler.image_frame(f, points); }));
    const auto root = h5::open_group(file.get(), "VTKHDF");
    QCOMPARE(h5::text_attribute(root.get(), "Type"), std::string("ImageData"));
  }
}

void TestVtkhdfLayout::moving_mesh_appends_points_only() {
  QTemporaryDir folder;
  samples::Sampler sampler(2);
  const auto file = open_plain(write(folder, 4, [&](std::uint64_t f) {
    Frame frame = samples::Sampler::header(f);
    // Still in frame 1, moved in 2, other cells in 3.
    const double shift = f < 2 ? 0.0 : 1.0;
    frame.parts.push_back(sampler.mesh_part("surface", samples::Sampler::mesh(f < 3 ? 4 : 6, 5, shift)));
    return frame;
  }));
  QCOMPARE(shape(file, "NumberOfPoints"), (h5::Shape{2}));
  QCOMPARE(integers(file, "NumberOfPoints", 2), (std::vector<std::int64_t>{20, 30}));
  QCOMPARE(shape(file, "Points"), (h5::Shape{20 + 20 + 30, 3}));
  QCOMPARE(integers(file, "Steps/PartOffsets", 4), (std::vector<std::int64_t>{0, 0, 0, 1}));
  QCOMPARE(integers(file, "Steps/NumberOfParts", 4), (std::vector<std::int64_t>{1, 1, 1, 1}));
  QCOMPARE(integers(file, "Steps/PointOffsets", 4), (std::vector<std::int64_t>{0, 0, 20, 40}));
  const auto cells = integers(file, "NumberOfCells", 2);
  const auto ids = integers(file, "NumberOfConnectivityIds", 2);
  QCOMPARE(shape(file, "Types"), (h5::Shape{static_cast<hsize_t>(cells[0] + cells[1])}));
  QCOMPARE(shape(file, "Offsets"), (h5::Shape{static_cast<hsize_t>(cells[0] + cells[1] + 2)}));
  QCOMPARE(shape(file, "Steps/CellOffsets"), (h5::Shape{4, 1}));
  QCOMPARE(integers(file, "Steps/CellOffsets", 4), (std::vector<std::int64_t>{0, 0, 0, cells[0]}));
  QCOMPARE(integers(file, "Steps/ConnectivityIdOffsets", 4), (std::vector<std::int64_t>{0, 0, 0, ids[0]}));
  QCOMPARE(integers(file, "Steps/PointDataOffsets/pressure", 4), (std::vector<std::int64_t>{0, 20, 40, 60}));
}

// VTK 9.3 copies all of Steps/Values into a buffer of NSteps entries: looked at before every single write to the file.
void TestVtkhdfLayout::values_never_outgrow_steps() {
  QTemporaryDir folder;
  const fs::path path = folder.path().toStdString();
  const fs::path copy = path / "copy";
  samples::Sampler sampler(3);
  int looked = 0;
  std::string wrong;
  auto look = [&](std::size_t) {
    std::error_code code;
    if (!fs::copy_file(path / "results.vtkhdf", copy, fs::copy_options::overwrite_existing, code)) return 0;
    const auto file = open_plain(copy);
    if (!file.valid()) return wrong = "cannot be opened", 0;
    const auto steps = h5::open_group(file.get(), "VTKHDF/Steps");
    const auto n = static_cast<hsize_t>(h5::integer_attribute(steps.get(), "NSteps", 1)[0]);
    if (shape(file, "Steps/Values")[0] > n) wrong = "Values is longer than NSteps";
    ++looked;
    return 0;
  };
  set_write_fault(look);
  {
    auto writer = VtkhdfWriter::create(path, "run");
    for (std::uint64_t f = 0; f < 5; ++f) QVERIFY((*writer)->write(sampler.image_frame(f, {4, 5, 6})).ok());
  }
  {
    auto writer = VtkhdfWriter::resume(path, "run", 2);
    for (std::uint64_t f = 2; f < 4; ++f) QVERIFY((*writer)->write(sampler.image_frame(f, {4, 5, 6})).ok());
  }
  {
    auto writer = VtkhdfWriter::resume(path, "run", 1);
    QVERIFY((*writer)->write(sampler.image_frame(1, {4, 5, 6})).ok());
  }
  set_write_fault({});
  QCOMPARE(wrong, std::string());
  QVERIFY(looked > 100);
}

#else

void TestVtkhdfLayout::classic_format() {
  QSKIP("this build has no HDF5");
}
void TestVtkhdfLayout::image() {
  QSKIP("this build has no HDF5");
}
void TestVtkhdfLayout::lone_image_frame_is_shown_twice() {
  QSKIP("this build has no HDF5");
}
void TestVtkhdfLayout::planes_without_x_are_meshes() {
  QSKIP("this build has no HDF5");
}
void TestVtkhdfLayout::moving_mesh_appends_points_only() {
  QSKIP("this build has no HDF5");
}
void TestVtkhdfLayout::values_never_outgrow_steps() {
  QSKIP("this build has no HDF5");
}
void TestVtkhdfLayout::the_first_of_a_frame_is_the_first_of_its_file() {
  QSKIP("this build has no HDF5");
}

#endif

QTEST_APPLESS_MAIN(TestVtkhdfLayout)
#include "test_vtkhdf_layout.moc"

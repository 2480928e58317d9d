// SPDX-License-Identifier: BSD-3-Clause
// SOFA files have the dimensions, attributes, units and axes that their conventions ask for.
// labels: unit
#include "engine/io/sofa.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <string>

#include "conoid/config.hpp"

#if CONOID_HAVE_HDF5
#include "engine/io/hdf5_file.hpp"
#include "engine/io/hdf5_grid.hpp"
#endif

using namespace conoid;
namespace fs = std::filesystem;

class TestSofa : public QObject {
  Q_OBJECT
  static SofaScene scene() {
    return {
        "a head", "somebody", "a comment", {{0, 0.09, 0}, {0, -0.09, 0}}, {{0, 0, 1.2}, {90, 0, 1.2}, {0, 90, 1.2}}};
  }

 private slots:  // whatever the build has: moc knows nothing of it
  void responses_are_laid_out_as_their_convention_says();
  void signals_are_laid_out_as_their_convention_says();
  void a_file_that_cannot_be_written_is_named();

#if CONOID_HAVE_HDF5
 private:
  static h5::Handle opened(const h5::Handle& file, const std::string& name) {
    return h5::Handle(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT));
  }
  /// The names of a variable's dimensions, as the file's own links to them say.
  static std::string dimensions(const h5::Handle& file, const std::string& name) {
    const h5::Handle variable = opened(file, name);
    const h5::Handle list(H5Aopen(variable.get(), "DIMENSION_LIST", H5P_DEFAULT));
    const h5::Handle type(H5Tvlen_create(H5T_STD_REF_OBJ)), space(H5Aget_space(list.get()));
    std::vector<hvl_t> scales(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
    if (H5Aread(list.get(), type.get(), scales.data()) < 0) return "unreadable";
    std::string out;
    for (const hvl_t& s : scales) {
      const h5::Handle scale(H5Rdereference2(list.get(), H5P_DEFAULT, H5R_OBJECT, s.p));
      char path[64] = "";
      H5Iget_name(scale.get(), path, sizeof path);
      out += path[1];
      const h5::Handle kind(H5Aopen(scale.get(), "CLASS", H5P_DEFAULT)), text(H5Aget_type(kind.get()));
      char value[32] = "";
      if (H5Aread(kind.get(), text.get(), value) < 0 || std::string(value) != "DIMENSION_SCALE") return "no scale";
    }
    H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, scales.data());
    return out;
  }
  static void expect(const h5::Handle& file, const std::map<std::string, std::string>& attributes,
                     const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : attributes) QCOMPARE(h5::text_attribute(file.get(), name), value);
    // Which AES69 wants of any file.
    for (const char* name : {"Version", "APIName", "APIVersion", "AuthorContact", "License", "Organization", "Title",
                             "DateCreated", "DateModified", "DatabaseName", "ListenerShortName"})
      QVERIFY2(!h5::text_attribute(file.get(), name).empty(), name);
    for (const auto& [name, shape] : variables) QCOMPARE(dimensions(file, name), shape);
    for (const char* name : {"ListenerPosition", "ListenerView", "ReceiverPosition", "EmitterPosition"}) {
      QCOMPARE(h5::text_attribute(opened(file, name).get(), "Type"), std::string("cartesian"));
      QCOMPARE(h5::text_attribute(opened(file, name).get(), "Units"), std::string("metre"));
    }
    QCOMPARE(h5::text_attribute(opened(file, "SourcePosition").get(), "Type"), std::string("spherical"));
    QCOMPARE(h5::text_attribute(opened(file, "SourcePosition").get(), "Units"), std::string("degree, degree, metre"));
    // The view's type holds for both of its axes; conventions have none of the upper one's own.
    QVERIFY(!h5::has_attribute(opened(file, "ListenerUp").get(), "Type"));
  }
#endif
};

#if CONOID_HAVE_HDF5

void TestSofa::responses_are_laid_out_as_their_convention_says() {
  const QTemporaryDir folder;
  const fs::path path = fs::path(folder.path().toStdString()) / "head.sofa";
  const std::vector<double> frequencies{100, 200, 300, 400};
  std::vector<std::complex<double>> values;
  for (int k = 0; k < 3 * 2 * 4; ++k) values.emplace_back(k, -k);
  QVERIFY(write_sofa_responses(path, scene(), frequencies, values).ok());
  const h5::Lock lock;
  const h5::Handle file = h5::open_file(path, false);
  expect(file,
         {{"Conventions", "SOFA"},
          {"SOFAConventions", "SimpleFreeFieldHRTF"},
          {"SOFAConventionsVersion", "1.0"},
          {"DataType", "TF"},
          {"RoomType", "free field"}},
         {{"ListenerPosition", "IC"},
          {"ListenerView", "IC"},
          {"ListenerUp", "IC"},
          {"ReceiverPosition", "RCI"},
          {"SourcePosition", "MC"},
          {"EmitterPosition", "ECI"},
          {"Data.Real", "MRN"},
          {"Data.Imag", "MRN"}});
  QCOMPARE(h5::text_attribute(opened(file, "N").get(), "LongName"), std::string("frequency"));
  QCOMPARE(h5::text_attribute(opened(file, "N").get(), "Units"), std::string("hertz"));
  const auto real = read_hdf5_grid(path, "Data.Real", ""), imaginary = read_hdf5_grid(path, "Data.Imag", ""),
             places = read_hdf5_grid(path, "SourcePosition", "");
  QVERIFY(real.ok() && imaginary.ok() && places.ok());
  QCOMPARE(real->shape, (std::vector<Index>{3, 2, 4}));
  for (std::size_t k = 0; k < values.size(); ++k)
    QVERIFY(real->values[k] == float(k) && imaginary->values[k] == -float(k));
  QVERIFY(places->values[3] == 90.0F && places->values[7] == 90.0F && places->values[8] == 1.2F);
}

void TestSofa::signals_are_laid_out_as_their_convention_says() {
  const QTemporaryDir folder;
  const fs::path path = fs::path(folder.path().toStdString()) / "head.sofa";
  const std::vector<double> values(3 * 2 * 5, 0.25);
  QVERIFY(write_sofa_signals(path, scene(), 48000, 5, values).ok());
  const h5::Lock lock;
  const h5::Handle file = h5::open_file(path, false);
  expect(file, {{"SOFAConventions", "SimpleFreeFieldHRIR"}, {"DataType", "FIR"}},
         {{"Data.IR", "MRN"}, {"Data.SamplingRate", "I"}, {"Data.Delay", "IR"}, {"ReceiverPosition", "RCI"}});
  QCOMPARE(h5::text_attribute(opened(file, "Data.SamplingRate").get(), "Units"), std::string("hertz"));
  const auto rate = read_hdf5_grid(path, "Data.SamplingRate", "");
  QVERIFY(rate.ok() && rate->values[0] == 48000.0F);
}

#else

void TestSofa::responses_are_laid_out_as_their_convention_says() {}
void TestSofa::signals_are_laid_out_as_their_convention_says() {}

#endif

void TestSofa::a_file_that_cannot_be_written_is_named() {
  const QTemporaryDir folder;
  const fs::path path = fs::path(folder.path().toStdString()) / "missing" / "head.sofa";
  const std::vector<double> values(3 * 2 * 5, 0.25);
  const Status written = write_sofa_signals(path, scene(), 48000, 5, values);
  QVERIFY(!written.ok());
  QCOMPARE(QString::fromStdString(written.error().place.file), QString::fromStdString(path.string()));
  QVERIFY(fs::is_empty(folder.path().toStdString()));
}

QTEST_APPLESS_MAIN(TestSofa)
#include "test_sofa.moc"

// SPDX-License-Identifier: BSD-3-Clause
// Models of the medium from SEG-Y, Madagascar, HDF5 and VTK images: positions, directions, values, and files that are not in order.
// labels: unit
#include "conoid/config.hpp"
#include "engine/io/hdf5_file.hpp"
#include "engine/io/segy.hpp"
#include "engine/models/model.hpp"
#include "tests/engine/models/linear_model.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <fstream>
#include <map>

#include <sys/stat.h>

#include <fmt/core.h>

using namespace conoid;
using namespace conoid::testing;

class TestModelFiles : public QObject {
  Q_OBJECT

  static std::string refusal(const std::string& path) {
    const auto model = open_model(path, ModelQuantity::speed);
    if (!model) return model.error().text;
    const auto field = (*model)->load();
    return field ? std::string() : field.error().text;
  }
 private slots:
  void segy_columns_go_down() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("m.sgy").toStdString();
    SegyLayout layout;
    layout.samples = 5;
    layout.interval = 0.005;  // 5 m as thousandths
    std::vector<SegyTrace> traces;
    std::vector<float> values;
    for (int j = 2; j >= 0; --j)  // any order of traces
      for (int i = 0; i < 4; ++i) {
        SegyTrace h;
        h.inline_number = 100 + 2 * i;
        h.crossline = 7 + 3 * j;
        h.cdp_x = 40 + 10 * i;
        h.cdp_y = -20 + 20 * j;
        traces.push_back(h);
        for (int k = 0; k < 5; ++k) values.push_back(speed_at(h.cdp_x, h.cdp_y, -5.0 * k));
      }
    for (const SegyFormat format : {SegyFormat::ieee_float, SegyFormat::ibm_float}) {
      layout.format = format;
      QVERIFY(write_segy(path, layout, traces, values).ok());
      same_values(path, {40, -20, -20});
    }
    auto broken = traces;
    broken[3].crossline += 1;
    QVERIFY(write_segy(path, layout, broken, values).ok());
    QVERIFY2(refusal(path).find("189 and 193") != std::string::npos, refusal(path).c_str());
    auto twice = traces;  // as many traces as places, one of which has two
    twice[5].crossline = twice[1].crossline;
    QVERIFY(write_segy(path, layout, twice, values).ok());
    QVERIFY2(refusal(path) == "trace 6 repeats inline 102, crossline 13", refusal(path).c_str());
    auto negative = values;
    negative[17] = -1;
    QVERIFY(write_segy(path, layout, traces, negative).ok());
    QVERIFY2(refusal(path).find("trace 4") != std::string::npos, refusal(path).c_str());
  }

  void madagascar_files_go_down_from_their_first_axis() {
    QTemporaryDir folder;
    const std::filesystem::path base = folder.path().toStdString();
    const std::string rsf = (base / "m.rsf").string();
    const auto samples = [](bool big, bool whole) {
      std::string out;
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 4; ++i)
          for (int k = 0; k < 5; ++k) {
            const float v = speed_at(40 + 10 * i, -20 + 20 * j, -10 - 5 * k);
            auto bits =
                whole ? static_cast<std::uint32_t>(static_cast<std::int32_t>(v)) : std::bit_cast<std::uint32_t>(v);
            if (big) bits = __builtin_bswap32(bits);
            out.append(reinterpret_cast<const char*>(&bits), 4);
          }
      return out;
    };
    const std::string axes =
        "sfmath\twork: somebody@host\n\tn1=99\n\tn1=5 d1=5 o1=10 unit1=\"m\" n2=4 d2=0.01 o2=0.04 unit2=km\n\tn3=3 "
        "d3=20 o3=-20 "
        "label3=\"y = across\"\n";
    const auto write = [](const std::filesystem::path& to, const std::string& text) {
      std::ofstream(to, std::ios::binary) << text;
    };
    write(rsf, axes + "data_format=\"native_float\" esize=4 in=\"m.rsf@\"\n");
    write(base / "m.rsf@", samples(false, false));
    same_values(rsf, {40, -20, -30});
    write(rsf, axes + "data_format=xdr_float in=\"stdin\"\n\f\f\004" + samples(true, false));
    same_values(rsf, {40, -20, -30});
    write(rsf, axes + "data_format=xdr_int in=m.rsf@\n");
    write(base / "m.rsf@", samples(true, true));
    same_values(rsf, {40, -20, -30});
    std::string text;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 5; ++k)
          text += fmt::format("{}\n", 1e-3 * static_cast<double>(speed_at(40 + 10 * i, -20 + 20 * j, -10 - 5 * k)));
    write(base / "m.rsf@", text);
    write(rsf, axes + "data_format=ascii_float unit=km/s in=m.rsf@\n");
    same_values(rsf, {40, -20, -30});

    const auto refused = [&](const std::string& header, const std::string& what) {
      write(rsf, header);
      QVERIFY2(refusal(rsf).find(what) != std::string::npos, refusal(rsf).c_str());
    };
    write(base / "m.rsf@", samples(false, false));
    refused(axes, "no in=");
    refused(axes + "in=m.rsf@ data_format=native_complex", "native_complex");
    refused(axes + "in=m.rsf@ esize=8", "esize=8");
    refused(axes + "in=m.rsf@ n4=2", "three axes");
    refused(axes + "in=m.rsf@ n2=5", "have 240 bytes; 5 × 5 × 3 values need 300");
    refused(axes + "in=m.rsf@ n2=1000000000 n3=1000000000", "need");
    refused(axes + "in=m.rsf@ n2=-4", "n2=-4");
    refused(axes + "in=m.rsf@ d1=0", "d1=0");
    refused(axes + "in=m.rsf@ unit1=s", "unit1=\"s\"");
    refused(axes + "in=stdin", "no samples follow");
    refused(axes + "in=\"\"", "in= names no file");
    std::filesystem::create_directory(base / "folder");
    QVERIFY(::mkfifo((base / "pipe").c_str(), 0600) == 0);
    for (const char* odd :
         {"folder", "pipe", "/dev/zero", "nowhere"}) {  // no plain file: not opened, or it could hold for ever
      write(rsf, axes + "in=" + odd + "\n");
      QVERIFY2(!refusal(rsf).empty(), odd);
    }
  }

#if CONOID_HAVE_HDF5
  void arrays_of_hdf5_files() {
    QTemporaryDir folder;
    const std::filesystem::path base = folder.path().toStdString();
    const std::string file = (base / "m.h5").string();
    std::vector<float> values;
    for (int k = 0; k < 5; ++k)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 4; ++i) values.push_back(speed_at(40 + 10 * i, -20 + 20 * j, -20 + 5 * k));
    const auto save = [&](const std::vector<std::string>& names, bool attributes, int axes = 3) {
      std::filesystem::remove(file);
      const h5::Lock held;
      const h5::Handle out = h5::create_file(file), group = h5::create_group(out.get(), "model");
      for (const std::string& name : names) {
        const h5::Array array = h5::create_array(name == "vp" ? group.get() : out.get(), name, H5T_IEEE_F32LE,
                                                 axes == 3 ? h5::Shape{3, 4} : h5::Shape{12}, 2);
        (void)array.shape();
        h5::Array writable(h5::open_array(name == "vp" ? group.get() : out.get(), name, H5T_NATIVE_FLOAT));
        writable.write_rows(0, 5, values.data());
        if (!attributes) continue;
        h5::set_attribute(array.id(), "spacing", std::array{5.0, 20.0, 10.0});
        h5::set_attribute(array.id(), "origin", std::array{-20.0, -20.0, 40.0});
        h5::set_attribute(array.id(), "axes", "zyx");
        h5::set_attribute(array.id(), "unit", "m/s");
      }
    };
    const auto refused = [&](const std::string& path, const std::string& what) {
      QVERIFY2(refusal(path).find(what) != std::string::npos, refusal(path).c_str());
    };
    save({"vp", "speed", "other"}, true);
    same_values(file, {40, -20, -20});
    same_values(file + ":/model/vp", {40, -20, -20});
    refused(file + ":/model/vs", "\"vs\" is missing beside vp");
    refused(file + ":/model", "is a group");
    save({"a", "b"}, true);
    refused(file, "several arrays: /a, /b");
    save({"vp"}, true);
    refused(file, "no array in the root group");
    save({"vp"}, true, 2);
    refused(file + ":/model/vp", "has 2 axes");
    save({"vp"}, false);
    refused(file + ":model/vp", "no attribute \"spacing\"");
    const std::string header = (base / "m.json").string();
    std::ofstream(header)
        << R"({"file": "m.h5:/model/vp", "spacing": [5, "20 m", "0.01 km"], "origin": [-20, -20, 40], "unit": "m/s"})";
    same_values(header, {40, -20, -20});
    std::ofstream(header) << R"({"file": "m.h5:/model/vp", "spacing": [5, 20, 10], "shape": [5, 3, 4]})";
    refused(header, "unknown key \"shape\"");
    std::filesystem::resize_file(file, 700);
    refused(file, "damaged");
    std::ofstream(file) << "hello";
    refused(file, "no HDF5 file");
    std::filesystem::remove(file);
    QVERIFY(::mkfifo(file.c_str(), 0600) == 0);
    QVERIFY(!refusal(file).empty());
  }
#endif

  void vtk_images() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("m.vti").toStdString();
    std::string values;
    for (int k = 0; k < 5; ++k)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 4; ++i) values += fmt::format("{} ", speed_at(40 + 10 * i, -20 + 20 * j, -20 + 5 * k));
    const auto file = [&](const std::string& extent, const std::string& type, const std::string& data) {
      std::ofstream(path) << "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" "
                             "byte_order=\"LittleEndian\">\n<ImageData WholeExtent=\""
                          << extent << "\" Origin=\"40 -20 -20\" Spacing=\"10 20 5\">\n<Piece Extent=\"" << extent
                          << "\">\n<PointData>\n<DataArray type=\"" << type << "\" Name=\"speed\" format=\"ascii\">\n"
                          << data << "\n</DataArray></PointData></Piece></ImageData></VTKFile>\n";
    };
    file("0 3 0 2 0 4", "Float32", values);
    same_values(path, {40, -20, -20});
    file("0 3 0 2 0 4", "Float32", values.substr(0, values.size() / 2));
    QVERIFY2(refusal(path).find("ends after") != std::string::npos, refusal(path).c_str());
    file("0 999999 0 999999 0 9", "Float32", values);  // must not allocate
    QVERIFY2(refusal(path).find("were announced") != std::string::npos, refusal(path).c_str());
    file("0 3 0 2 0 4", "String", values);
    QVERIFY2(refusal(path).find("String") != std::string::npos, refusal(path).c_str());
    file("0 3 0 2", "Float32", values);
    QVERIFY2(refusal(path).find("WholeExtent") != std::string::npos, refusal(path).c_str());
    std::ofstream(path) << "hello";
    QVERIFY2(refusal(path).find("no ImageData") != std::string::npos, refusal(path).c_str());
  }

  void vtk_appended_raw_and_base64() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("r.vti").toStdString();
    std::vector<float> values;
    for (int k = 0; k < 5; ++k)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 4; ++i) values.push_back(speed_at(40 + 10 * i, -20 + 20 * j, -20 + 5 * k));
    const auto count = static_cast<std::uint32_t>(values.size() * 4);
    QByteArray data(reinterpret_cast<const char*>(&count), 4);
    data.append(reinterpret_cast<const char*>(values.data()), static_cast<qsizetype>(count));
    const std::string head =
        "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\" header_type=\"UInt32\"><ImageData WholeExtent=\"0 3 0 "
        "2 0 4\" "
        "Origin=\"40 -20 -20\" Spacing=\"10 20 5\"><Piece Extent=\"0 3 0 2 0 4\"><PointData>";
    {
      std::ofstream out(path, std::ios::binary);
      out << head
          << "<DataArray type=\"Float32\" Name=\"c\" format=\"appended\" offset=\"0\"/></PointData></Piece></ImageData>"
          << "<AppendedData encoding=\"raw\">\n_";
      out.write(data.data(), data.size());
      out << "</AppendedData></VTKFile>";
    }
    same_values(path, {40, -20, -20});
    std::ofstream(path) << head << "<DataArray type=\"Float32\" Name=\"c\" format=\"binary\">\n  "
                        << data.toBase64().toStdString() << "\n</DataArray></PointData></Piece></ImageData></VTKFile>";
    same_values(path, {40, -20, -20});
  }
};

QTEST_APPLESS_MAIN(TestModelFiles)
#include "test_model_files.moc"

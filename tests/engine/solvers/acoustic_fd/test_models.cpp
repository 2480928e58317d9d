// SPDX-License-Identifier: BSD-3-Clause
// Models of the medium from SEG-Y and VTK images: positions, directions, values, and files that are not in order.
// labels: unit
#include "engine/io/segy.hpp"
#include "engine/solvers/acoustic_fd/model.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>

#include <fmt/core.h>

using namespace conoid;
using namespace conoid::acoustic_fd;

namespace {

/// A speed that differs at every node and is linear, so that trilinear samples are exact.
float speed_at(double x, double y, double z) {
  return static_cast<float>(1500 + 0.5 * x - 0.25 * y - 1.0 * z);
}

}  // namespace

class TestModels : public QObject {
  Q_OBJECT

  static std::string refusal(const std::string& path) {
    const auto model = open_model(path, ModelQuantity::speed);
    if (!model) return model.error().text;
    const auto range = (*model)->scan();
    return range ? std::string() : range.error().text;
  }
  static void same_values(const std::string& path, const Vec3& origin) {
    const auto model = open_model(path, ModelQuantity::speed);
    QVERIFY2(bool(model), model ? "" : model.error().text.c_str());
    const ModelBox box = (*model)->box();
    QCOMPARE(box.shape, (std::array<Index, 3>{4, 3, 5}));
    QCOMPARE(box.spacing, (Vec3{10, 20, 5}));
    QCOMPARE(box.origin, origin);
    const auto field = (*model)->load();
    QVERIFY(bool(field));
    std::vector<double> row(5);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) {
        const double x = origin[0] + 10 * i, y = origin[1] + 20 * j;
        (*field)->row(x, y, origin[2], 5, row);
        for (int k = 0; k < 5; ++k)
          QVERIFY(std::abs(row[static_cast<std::size_t>(k)] - static_cast<double>(speed_at(x, y, origin[2] + 5 * k))) < 1e-3);
      }
    const auto range = (*model)->scan();
    QVERIFY(bool(range));
    QVERIFY(range->lowest < range->highest);
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
    auto negative = values;
    negative[17] = -1;
    QVERIFY(write_segy(path, layout, traces, negative).ok());
    QVERIFY2(refusal(path).find("trace 4") != std::string::npos, refusal(path).c_str());
  }

  void vtk_images() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("m.vti").toStdString();
    std::string values;
    for (int k = 0; k < 5; ++k)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 4; ++i) values += fmt::format("{} ", speed_at(40 + 10 * i, -20 + 20 * j, -20 + 5 * k));
    const auto file = [&](const std::string& extent, const std::string& type, const std::string& data) {
      std::ofstream(path) << "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\">\n<ImageData WholeExtent=\""
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
    file("0 3 0 2 0 4", "Int32", values);
    QVERIFY2(refusal(path).find("Int32") != std::string::npos, refusal(path).c_str());
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
        "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\" header_type=\"UInt32\"><ImageData WholeExtent=\"0 3 0 2 0 4\" "
        "Origin=\"40 -20 -20\" Spacing=\"10 20 5\"><Piece Extent=\"0 3 0 2 0 4\"><PointData>";
    {
      std::ofstream out(path, std::ios::binary);
      out << head << "<DataArray type=\"Float32\" Name=\"c\" format=\"appended\" offset=\"0\"/></PointData></Piece></ImageData>"
          << "<AppendedData encoding=\"raw\">\n_";
      out.write(data.data(), data.size());
      out << "</AppendedData></VTKFile>";
    }
    same_values(path, {40, -20, -20});
    std::ofstream(path) << head << "<DataArray type=\"Float32\" Name=\"c\" format=\"binary\">\n  " << data.toBase64().toStdString()
                        << "\n</DataArray></PointData></Piece></ImageData></VTKFile>";
    same_values(path, {40, -20, -20});
  }
};

QTEST_APPLESS_MAIN(TestModels)
#include "test_models.moc"

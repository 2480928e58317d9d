// SPDX-License-Identifier: BSD-3-Clause
// Exported files parse: XML is well-formed, every appended block has the size that its array asks for, CSV reads back.
// labels: unit
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <cstring>
#include <fstream>
#include <map>

#include "engine/core/atomic_file.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/export.hpp"
#include "engine/io/run_folder.hpp"
#include "tests/engine/io/sample_frames.hpp"

using namespace conoid;
namespace fs = std::filesystem;

class TestExport : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void everything_as_xml();
  void everything_as_csv();
  void selection_and_its_errors();
  void tables_without_fields();

 private:
  struct Parsed {
    QString type;
    QStringList extent;
    std::map<std::string, std::vector<char>> blocks;  ///< by array
    std::map<std::string, int> components;
  };
  // Reads an XML file with appended data by hand; fails the test on anything unexpected.
  static void parse(const fs::path& file, Parsed& out);
  static fs::path make_run(const QTemporaryDir& folder, std::vector<std::shared_ptr<const Frame>>& frames);
};

void TestExport::initTestCase() {
  if (!fields_can_be_kept()) QSKIP("this build has no HDF5");
}

fs::path TestExport::make_run(const QTemporaryDir& folder, std::vector<std::shared_ptr<const Frame>>& frames) {
  auto run = RunFolder::create_at(fs::path(folder.path().toStdString()) / "run");
  std::ofstream(run->case_file()) << "{}";
  samples::Sampler sampler(21);
  auto writer = VtkhdfWriter::create(run->path(), run->id());
  for (std::uint64_t f = 0; f < 3; ++f) {
    frames.push_back(sampler.frame(f));
    (*writer)->write(*frames.back()).or_throw();
  }
  RunResults results(*run, true);
  results
      .table({"energy",
              "Energy",
              {{"t", "s", ""}, {"E", "J", ""}},
              ChartForm::lines,
              AxisScale::linear,
              AxisScale::linear,
              "",
              {}})
      .append({0.5, 2.5});
  results.flush().or_throw();
  std::ofstream(run->charts() / "energy.csv", std::ios::app) << "0.7,1";
  return run->path();
}

void TestExport::parse(const fs::path& file, Parsed& out) {
  const auto text = read_file(file);
  QVERIFY(text.ok());
  const std::size_t marker = text->find("<AppendedData encoding=\"raw\">\n_");
  QVERIFY(marker != std::string::npos);
  const std::size_t data = text->find('_', marker) + 1;
  const std::size_t end = text->rfind("\n</AppendedData>");
  QVERIFY(end != std::string::npos && end >= data);
  // Without the raw bytes, all of it is XML.
  QXmlStreamReader xml(QByteArray::fromStdString(text->substr(0, data) + text->substr(end)));
  std::size_t expected = 0;
  while (!xml.atEnd()) {
    xml.readNext();
    if (!xml.isStartElement()) continue;
    const auto attributes = xml.attributes();
    if (xml.name() == u"VTKFile") {
      out.type = attributes.value("type").toString();
      QCOMPARE(attributes.value("header_type").toString(), QString("UInt64"));
      QCOMPARE(attributes.value("byte_order").toString(), QString("LittleEndian"));
    }
    if (xml.name() == u"Piece" && attributes.hasAttribute("Extent"))
      out.extent = attributes.value("Extent").toString().split(' ');
    if (xml.name() != u"DataArray" || attributes.value("format") != u"appended") continue;
    // Blocks follow one another without gaps.
    const auto offset = static_cast<std::size_t>(attributes.value("offset").toULongLong());
    QCOMPARE(offset, expected);
    std::uint64_t bytes = 0;
    QVERIFY(data + offset + sizeof bytes <= end);
    std::memcpy(&bytes, text->data() + data + offset, sizeof bytes);
    QVERIFY(data + offset + sizeof bytes + bytes <= end);
    const std::string name = attributes.value("Name").toString().toStdString();
    const char* first = text->data() + data + offset + sizeof bytes;
    out.blocks[name].assign(first, first + bytes);
    out.components[name] = attributes.value("NumberOfComponents").toInt();
    expected = offset + sizeof bytes + bytes;
  }
  QVERIFY2(!xml.hasError(), xml.errorString().toUtf8().constData());
  QCOMPARE(data + expected, end);
}

void TestExport::everything_as_xml() {
  QTemporaryDir folder;
  std::vector<std::shared_ptr<const Frame>> frames;
  ExportOptions options;
  options.out = fs::path(folder.path().toStdString()) / "out";
  const auto report = export_run(make_run(folder, frames), options);
  QVERIFY2(report.ok(), report.ok() ? "" : report.error().render().c_str());
  QCOMPARE(report->frames, std::size_t{3});
  QCOMPARE(report->files.size(), 3 * frames[0]->parts.size() + frames[0]->parts.size());
  for (const auto& frame : frames)
    for (const auto& part : frame->parts) {
      std::string base = part.name;
      std::replace(base.begin(), base.end(), ' ', '-');
      const bool image = std::holds_alternative<ImageGeometry>(part.geometry);
      char number[16];
      std::snprintf(number, sizeof number, "-%06d", static_cast<int>(frame->number));
      Parsed file;
      parse(options.out / (base + number + (image ? ".vti" : ".vtu")), file);
      QCOMPARE(file.type, QString(image ? "ImageData" : "UnstructuredGrid"));
      auto same_bytes = [&](const std::string& name, const void* values, std::size_t bytes) {
        const auto it = file.blocks.find(name);
        QVERIFY2(it != file.blocks.end(), name.c_str());
        QCOMPARE(it->second.size(), bytes);
        QVERIFY2(std::memcmp(it->second.data(), values, bytes) == 0, name.c_str());
      };
      for (const auto& field : part.fields) {
        std::vector<float> re, im;
        for (std::size_t i = 0; i < field.values->size(); ++i)
          (field.info.is_complex && i % 2 == 1 ? im : re).push_back((*field.values)[i]);
        same_bytes(field.info.is_complex ? field.info.name + "_re" : field.info.name, re.data(),
                   re.size() * sizeof(float));
        if (field.info.is_complex) same_bytes(field.info.name + "_im", im.data(), im.size() * sizeof(float));
      }
      if (image) {
        const auto& g = std::get<ImageGeometry>(part.geometry);
        for (int a = 0; a < 3; ++a)
          QCOMPARE(file.extent[2 * a + 1].toLongLong(),
                   static_cast<qlonglong>(g.points[static_cast<std::size_t>(a)] - 1));
      } else {
        const auto& m = std::get<MeshGeometry>(part.geometry);
        same_bytes("Points", m.points->data(), m.points->size() * sizeof(double));
        same_bytes("connectivity", m.connectivity->data(), m.connectivity->size() * sizeof(Index));
        same_bytes("offsets", m.offsets->data() + 1, m.types->size() * sizeof(Index));
        same_bytes("types", m.types->data(), m.types->size());
      }
    }
  const auto pvd = read_file(options.out / "plane-xz.pvd");
  QVERIFY(pvd.ok());
  QXmlStreamReader xml(QByteArray::fromStdString(*pvd));
  int sets = 0;
  while (!xml.atEnd()) {
    xml.readNext();
    if (!xml.isStartElement() || xml.name() != u"DataSet") continue;
    QCOMPARE(xml.attributes().value("timestep").toDouble(), 0.125 * sets);
    QVERIFY(fs::exists(options.out / xml.attributes().value("file").toString().toStdString()));
    ++sets;
  }
  QVERIFY(!xml.hasError());
  QCOMPARE(sets, 3);
}

void TestExport::everything_as_csv() {
  QTemporaryDir folder;
  std::vector<std::shared_ptr<const Frame>> frames;
  ExportOptions options;
  options.format = ExportFormat::csv;
  options.out = fs::path(folder.path().toStdString()) / "out";
  options.frames = {1};
  options.request.parts = {"surface"};
  const auto report = export_run(make_run(folder, frames), options);
  QVERIFY2(report.ok(), report.ok() ? "" : report.error().render().c_str());
  QCOMPARE(report->files.size(), std::size_t{3});  // points, cells, the table
  const auto points = read_csv(options.out / "surface-000001-points.csv");
  QVERIFY2(points.ok(), points.ok() ? "" : points.error().render().c_str());
  const FramePart* part = nullptr;
  for (const auto& p : frames[1]->parts)
    if (p.name == "surface") part = &p;
  QVERIFY(part != nullptr);
  const auto& mesh = std::get<MeshGeometry>(part->geometry);
  QCOMPARE(points->rows(), mesh.points->size() / 3);
  const std::size_t column = points->find("pressure");
  QVERIFY(column != CsvTable::npos);
  QCOMPARE(points->columns[column].unit, std::string("Pa"));
  for (std::size_t r = 0; r < points->rows(); ++r) {
    QCOMPARE(points->row(r)[0], (*mesh.points)[3 * r]);
    QCOMPARE(static_cast<float>(points->row(r)[column]), (*part->fields[0].values)[r]);
    QCOMPARE(static_cast<float>(points->row(r)[points->find("e_field_im_z")]), (*part->fields[3].values)[6 * r + 5]);
  }
  const auto cells = read_csv(options.out / "surface-000001-cells.csv");
  QVERIFY(cells.ok());
  QCOMPARE(cells->rows(), mesh.types->size());
  const auto table = read_csv(options.out / "energy.csv");
  QVERIFY2(table.ok(), table.ok() ? "" : table.error().render().c_str());
  QCOMPARE(table->rows(), std::size_t{1});  // the torn row stays behind
}

void TestExport::selection_and_its_errors() {
  QTemporaryDir folder;
  std::vector<std::shared_ptr<const Frame>> frames;
  const fs::path run = make_run(folder, frames);
  ExportOptions options;
  options.out = fs::path(folder.path().toStdString()) / "out";
  options.request.fields = {"presure"};
  auto report = export_run(run, options);
  QVERIFY(!report.ok());
  QVERIFY(report.error().hint.find("pressure") != std::string::npos);
  QVERIFY(!fs::exists(options.out));
  options.request.fields = {"pressure"};
  options.frames = {3};
  QVERIFY(!export_run(run, options).ok());
  options.frames.clear();
  options.every = 2;
  options.request.parts = {"volume"};
  report = export_run(run, options);
  QVERIFY(report.ok());
  QCOMPARE(report->frames, std::size_t{2});
  Parsed file;
  parse(options.out / "volume-000002.vti", file);
  QCOMPARE(file.blocks.size(), std::size_t{1});
  QVERIFY(parse_export_format("vtu").ok() && parse_export_format("csv").ok() && !parse_export_format("xls").ok());
  QVERIFY(!export_run(folder.path().toStdString(), options).ok());
}

void TestExport::tables_without_fields() {
  QTemporaryDir folder;
  auto run = RunFolder::create_at(fs::path(folder.path().toStdString()) / "run");
  std::ofstream(run->case_file()) << "{}";
  std::ofstream(run->charts() / "a.csv") << "x\r\n1\r\n";
  ExportOptions options;
  options.out = fs::path(folder.path().toStdString()) / "out";
  QVERIFY(!export_run(run->path(), options).ok());
  options.format = ExportFormat::csv;
  const auto report = export_run(run->path(), options);
  QVERIFY(report.ok());
  QCOMPARE(report->files.size(), std::size_t{1});
}

QTEST_APPLESS_MAIN(TestExport)
#include "test_export.moc"

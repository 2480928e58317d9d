// SPDX-License-Identifier: BSD-3-Clause
// Models of the medium from SEG-Y and VTK images: positions, directions, values, and files that are not in order. Models and
// traces on another spacing.
// labels: unit
#include "conoid/config.hpp"
#include "engine/io/hdf5_file.hpp"
#include "engine/io/segy.hpp"
#include "engine/solvers/acoustic_fd/discretization/model.hpp"
#include "engine/solvers/acoustic_fd/discretization/resample.hpp"
#include "engine/solvers/acoustic_fd/discretization/stencil.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>

#include <sys/stat.h>

#include <fmt/core.h>

using namespace conoid;
using namespace conoid::acoustic_fd;

namespace {

/// A speed that differs at every node and is linear, so that trilinear samples are exact.
float speed_at(double x, double y, double z) {
  return static_cast<float>(1500 + 0.5 * x - 0.25 * y - 1.0 * z);
}

/// Samples of cos(π part i spacing + 0.3): `part` of the Nyquist frequency of spacing 1.
std::vector<float> wave(double part, const SampleLine& line) {
  std::vector<float> out;
  for (Index i = 0; i < line.count; ++i)
    out.push_back(static_cast<float>(
        std::cos(std::numbers::pi * part * (line.origin + static_cast<double>(i) * line.spacing) + 0.3)));
  return out;
}

/// The largest difference farther than `margin` from the ends.
double difference(const std::vector<float>& a, const std::vector<float>& b, std::size_t margin) {
  double most = 0;
  for (std::size_t i = margin; i + margin < a.size() && i < b.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

/// Filters are 120 dB deep, in pass band and stop band; a float has 24 bits.
constexpr double depth = 1e-6, rounding = 1.2e-7;

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
          QVERIFY(std::abs(row[static_cast<std::size_t>(k)] - static_cast<double>(speed_at(x, y, origin[2] + 5 * k))) <
                  1e-3);
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

  void a_wave_of_the_band_goes_up_and_back() {
    const SampleLine coarse{400, 5, 1};
    for (const double spacing : {0.5, 1 / 3.0, 0.7}) {
      const SampleLine fine = covering_line(coarse, spacing, false);
      QVERIFY(fine.last() >= coarse.last() - 1e-9 && fine.last() < coarse.last() + spacing);
      for (const double part : {0.05, 0.4, 0.7}) {
        const auto up = resample_axis(wave(part, coarse), 1, 1, coarse, fine, ResampleFilter::sinc);
        const double far = difference(up, wave(part, fine), static_cast<std::size_t>(40 / spacing));
        QVERIFY2(far < depth + rounding, fmt::format("{} {}: {:.2g}", spacing, part, far).c_str());
        // On the way back the pass band ends at 0.75 of the coarse Nyquist frequency.
        const auto back = resample_axis(up, 1, 1, fine, coarse, ResampleFilter::sinc);
        const double there = difference(back, wave(part, coarse), 90);
        QVERIFY2(there < 2 * (depth + rounding), fmt::format("{} {}: {:.2g}", spacing, part, there).c_str());
      }
    }
  }

  void what_would_fold_back_is_taken_away() {
    const SampleLine fine{1200, 0, 1};
    for (const double spacing : {1.5, 2.0, 4.0}) {
      const SampleLine coarse = covering_line(fine, spacing, false);
      const auto margin = static_cast<std::size_t>(50);
      const auto zero = std::vector<float>(static_cast<std::size_t>(coarse.count));
      for (const double part : {1.01, 1.3, 1.49})  // of the new Nyquist frequency, below the old one
        if (part / spacing < 1)
          QVERIFY(difference(resample_axis(wave(part / spacing, fine), 1, 1, fine, coarse, ResampleFilter::sinc), zero,
                             margin) < depth + rounding);
      const auto kept = resample_axis(wave(0.74 / spacing, fine), 1, 1, fine, coarse, ResampleFilter::sinc);
      QVERIFY(difference(kept, wave(0.74 / spacing, coarse), margin) < depth + rounding);
    }
  }

  void lines_of_any_stride_agree_and_constants_stay() {
    const SampleLine from{17, -3, 2};
    for (const double spacing : {0.9, 2.0, 5.3})
      for (const ResampleFilter filter : {ResampleFilter::sinc, ResampleFilter::linear}) {
        const SampleLine to = covering_line(from, spacing, true);
        QVERIFY(std::abs(to.last() - from.last()) < 1e-9);
        const Index inner = 5, outer = 3;
        std::vector<float> all, constant(static_cast<std::size_t>(17 * inner * outer), 1234.5F);
        for (Index i = 0; i < 17 * inner * outer; ++i) all.push_back(static_cast<float>((i * 7919) % 101));
        const auto out = resample_axis(all, outer, inner, from, to, filter);
        for (Index o = 0; o < outer; ++o)
          for (Index i = 0; i < inner; ++i) {
            std::vector<float> line;
            for (Index k = 0; k < 17; ++k) line.push_back(all[static_cast<std::size_t>((o * 17 + k) * inner + i)]);
            const auto alone = resample_axis(line, 1, 1, from, to, filter);
            for (Index k = 0; k < to.count; ++k) {
              const float v = out[static_cast<std::size_t>((o * to.count + k) * inner + i)];
              QCOMPARE(v, alone[static_cast<std::size_t>(k)]);
              if (filter == ResampleFilter::linear) QVERIFY(v >= -1e-4F && v <= 100.0001F);
            }
          }
        for (const float v : resample_axis(constant, outer, inner, from, to, filter))
          QVERIFY(std::abs(v - 1234.5F) < 1e-3F);
      }
  }

  void a_model_keeps_its_values_in_every_format() {
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    std::vector<float> values;
    for (int k = 0; k < 5; ++k)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 4; ++i) values.push_back(speed_at(40 + 10 * i, -20 + 20 * j, -20 + 5 * k));
    std::ofstream(path("m.bin"), std::ios::binary).write(reinterpret_cast<const char*>(values.data()), 240);
    std::ofstream(path("m.json"))
        << R"({"file":"m.bin","axes":"zyx","shape":[5,3,4],"spacing":[5,20,10],"origin":[-20,-20,40]})";
    ResampleTask task;
    task.memory = Bytes{4} << 30;
    task.quantity = "speed";
    const auto nothing = [](const ReportRow&) {};
    const char* chain[] = {"m.json", "a.sgy", "b.vti", "c.json"};
    for (std::size_t n = 1; n < 4; ++n) {
      task.file = path(chain[n - 1]);
      task.out = path(chain[n]);
      const Status done = resample_file(task, nothing);
      QVERIFY2(done.ok(), done ? "" : done.error().text.c_str());
      same_values(task.out.string(), {40, -20, -20});
    }
    const Status again = resample_file(task, nothing);
    QVERIFY(!again && again.error().text.find("nothing is written over") != std::string::npos);
    // Half the spacing along z, from the top; linear samples of a linear field are exact.
    task.filter = "linear";
    task.spacing = {0, 0, 2.5};
    task.out = path("d.vti");
    QVERIFY(resample_file(task, nothing).ok());
    const auto fine = open_model(task.out, ModelQuantity::speed);
    QVERIFY(bool(fine));
    QCOMPARE((*fine)->box().shape, (std::array<Index, 3>{4, 3, 9}));
    std::vector<double> row(9);
    (*(*fine)->load())->row(50, 0, -20, 2.5, row);
    for (int k = 0; k < 9; ++k)
      QVERIFY(std::abs(row[static_cast<std::size_t>(k)] - static_cast<double>(speed_at(50, 0, -20 + 2.5 * k))) < 1e-3);
    task.spacing = {0, 0, 3};  // 20 m are no multiple: the new model reaches below the old one, its top stays at z = 0
    task.out = path("e.sgy");
    QVERIFY(resample_file(task, nothing).ok());
    QCOMPARE((*open_model(task.out, ModelQuantity::speed))->box().origin[2], -21.0);
  }

  void the_report_tells_what_a_spacing_does() {
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    std::vector<float> values(60 * 50 * 40, 2000);
    values[7] = 1500;
    std::ofstream(path("m.bin"), std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), 4 * 60 * 50 * 40);
    std::ofstream(path("m.json"))
        << R"({"file":"m.bin","axes":"zyx","shape":[60,50,40],"spacing":[10,10,10],"origin":[5,0,0]})";
    ResampleTask task;
    task.memory = Bytes{4} << 30;
    task.file = path("m.json");
    task.quantity = "speed";
    task.frequency = 25;
    task.path = 1200;
    task.order = 8;
    std::map<std::string, double> rows;
    const auto take = [&](const ReportRow& row) { rows[row.name] = row.value; };
    QVERIFY(resample_file(task, take).ok());
    QCOMPARE(rows.at("shortest wave"), 60.0);
    QCOMPARE(rows.at("nodes in it"), 6.0);
    const Stencil stencil = stencil_of_order(8);
    const double dt = largest_time_step(stencil, {10, 10, 10}, 2000);
    QVERIFY(std::abs(dt - 2 / std::sqrt(3 * 2048.0 / 315) * 10 / 2000) < 1e-12);
    const double error = worst_phase_speed_error(stencil, 6, 1500 * 0.9 * dt / 10);
    QCOMPARE(rows.at("order 8, largest stable time step"), dt);
    QCOMPARE(rows.at("order 8, error of speed"), error);
    QCOMPARE(rows.at("order 8, periods late"), -error * 20);
    QVERIFY(rows.at("order 8, memory") >= 12.0 * 60 * 50 * 40);
    QVERIFY(!rows.contains("order 6, memory"));
    // One odd sample rings at half the spacing; what leaves the range is cut and counted.
    task.spacing = {5, 5, 5};
    task.out = path("fine.json");
    QVERIFY(resample_file(task, take).ok());
    QVERIFY(rows.at("cut to the old range") > 0);
    const auto fine = read_model_header(task.out);
    QVERIFY(bool(fine));
    const auto range = scan_model(*fine);
    QVERIFY(range->lowest >= 1500 && range->highest <= 2000);
  }

  void what_cannot_be_resampled() {
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    const auto refusal = [](const ResampleTask& task) {
      const Status s = resample_file(task, [](const ReportRow&) {});
      return s ? std::string() : s.error().place.file + ": " + s.error().text;
    };
    const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    std::ofstream(path("m.bin"), std::ios::binary).write(reinterpret_cast<const char*>(values), 32);
    std::ofstream(path("m.json"))
        << R"({"file":"m.bin","axes":"zyx","shape":[2,2,2],"spacing":[10,10,10],"origin":[5,0,0]})";
    ResampleTask task;
    task.memory = Bytes{4} << 30;
    task.file = path("m.json");
    task.quantity = "speed";
    task.out = path("m.sgy");
    QVERIFY2(refusal(task).find("hang from z = 0") != std::string::npos, refusal(task).c_str());
    task.spacing = {1e-9, 1, 1};
    QVERIFY2(refusal(task).find("million samples along x") != std::string::npos, refusal(task).c_str());
    task.spacing = {2e-5, 2e-5, 2e-5};  // 10^17 samples
    task.out = path("m.vti");
    QVERIFY2(refusal(task).find("may be used") != std::string::npos, refusal(task).c_str());
    QVERIFY(!std::filesystem::exists(task.out));
    task = {};
    task.interval = 0.002;
    task.file = path("t.csv");
    std::ofstream(path("t.csv")) << "t[s],p[Pa]\n0,1\n0.001,2\n0.0025,3\n";
    QVERIFY2(refusal(task).find("t.csv: row 2 lies at 0.001 s") != std::string::npos, refusal(task).c_str());
    std::ofstream(path("t.csv")) << "f[Hz],p[Pa]\n0,1\n1,2\n";
    QVERIFY2(refusal(task).find("in Hz") != std::string::npos, refusal(task).c_str());
    std::ofstream(path("t.csv")) << "t[s],p[Pa]\n0,1\n0.001,2\n";
    task.interval = 1e-14;
    QVERIFY2(refusal(task).find("10^8") != std::string::npos, refusal(task).c_str());
  }

  void traces_keep_headers_and_waves() {
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    const SampleLine line{500, 0, 0.001};
    SegyLayout layout;
    layout.samples = line.count;
    layout.interval = line.spacing;
    std::vector<SegyTrace> headers(2);
    headers[0].receiver = {10, 20, -5};
    headers[1].shot = 3;
    std::vector<float> values = wave(200, line), loud = wave(700, line);  // 100 Hz, 350 Hz
    values.insert(values.end(), loud.begin(), loud.end());
    QVERIFY(write_segy(path("t.sgy"), layout, headers, values).ok());
    ResampleTask task;
    task.memory = Bytes{4} << 30;
    task.file = path("t.sgy");
    task.interval = 0.002;  // up to 250 Hz
    task.out = path("u.sgy");
    std::map<std::string, double> rows;
    const Status done = resample_file(task, [&](const ReportRow& row) { rows[row.name] = row.value; });
    QVERIFY2(done.ok(), done ? "" : done.error().text.c_str());
    QVERIFY(std::abs(rows.at("taken away") - 0.5) < 0.02);  // the second trace, but for what its ends leave
    const auto reader = SegyReader::open(task.out);
    QVERIFY(bool(reader));
    QCOMPARE(reader->samples(), Index(251));
    QCOMPARE(reader->interval_microseconds(), 2000.0);
    SegyTrace header;
    std::vector<float> trace(251);
    QVERIFY(reader->read(0, header, trace).ok());
    QCOMPARE(header.receiver, (std::array<double, 3>{10, 20, -5}));
    QVERIFY(difference(trace, wave(200, {251, 0, 0.002}), 40) < depth + rounding);
    QVERIFY(reader->read(1, header, trace).ok());
    QCOMPARE(header.shot, 3);
    QVERIFY(difference(trace, std::vector<float>(251), 40) < depth + rounding);
    std::string table = "# made by hand\nt[s],p[Pa]\n";
    for (Index i = 0; i < 300; ++i)
      table += fmt::format("{},{}\n", 0.5 + 0.001 * static_cast<double>(i), values[static_cast<std::size_t>(i)]);
    std::ofstream(path("t.csv")) << table;
    task.file = path("t.csv");
    task.out = path("u.csv");
    QVERIFY(resample_file(task, [](const ReportRow&) {}).ok());
    std::ifstream in(path("u.csv"));
    std::string first, second, third;
    std::getline(in, first), std::getline(in, second), std::getline(in, third);
    QCOMPARE(first, std::string("# made by hand\r"));
    QCOMPARE(second, std::string("t[s],p[Pa]\r"));
    QVERIFY(third.starts_with("0.5,"));
  }
};

QTEST_APPLESS_MAIN(TestModels)
#include "test_models.moc"

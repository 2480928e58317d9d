// SPDX-License-Identifier: BSD-3-Clause
// Run folders, tables that continue without gap or repeat after a resume, summaries, telemetry, and CSV both ways.
// labels: unit
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <random>
#include <thread>

#include "engine/core/atomic_file.hpp"
#include "engine/core/json.hpp"
#include "engine/io/checkpoint_store.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/run_folder.hpp"
#include "engine/io/system_write.hpp"

using namespace conoid;
namespace fs = std::filesystem;

class TestRunResults : public QObject {
  Q_OBJECT
 private slots:
  void folders_have_names_that_sort();
  void out_folder_must_be_empty();
  void latest_and_find();
  void tables_read_back();
  void rfc_4180_quoting();
  void reader_takes_what_people_write();
  void reader_refuses_with_line_and_column_data();
  void reader_refuses_with_line_and_column();
  void reader_is_bounded();
  void torn_last_line();
  void numbers_read_back_exactly();
  void telemetry_of_before_the_counts_goes_on_as_it_was();
  void resume_truncates_tables();
  void lost_table_is_a_warning();
  void summary_is_whole();
  void full_disk_keeps_whole_rows();
  void a_link_that_changes_places_with_the_charts_is_never_followed();
  void other_ranks_write_nothing();

 private:
  static fs::path path(const QTemporaryDir& folder) { return folder.path().toStdString(); }
  static RunFolder make(const QTemporaryDir& folder) {
    auto run = RunFolder::create_at(path(folder) / "run");
    std::ofstream(run->case_file()) << "{}";
    return *run;
  }
  static TableInfo receivers() {
    TableInfo info;
    info.id = "receivers";
    info.title = "Pressure at the receivers";
    info.columns = {{"t", "s", ""}, {"p1", "Pa", "left, near"}, {"p \"2\", far", "", ""}};
    info.y_scale = AxisScale::log;
    info.form = ChartForm::polar;
    info.definition = "p1 = u(x1)\nsecond line";
    info.exact = {"p1"};
    return info;
  }
};

void TestRunResults::folders_have_names_that_sort() {
  QTemporaryDir folder;
  using namespace std::chrono;
  const auto noon = sys_days(year(2026) / 3 / 7) + hours(12) + minutes(5) + seconds(9);
  const auto a = RunFolder::create(path(folder), "0123456789abcdef", noon);
  QVERIFY(a.ok());
  QCOMPARE(a->id(), std::string("20260307T120509Z-01234567"));
  QVERIFY(fs::is_directory(a->charts()) && fs::is_directory(a->checkpoints()));
  const auto b = RunFolder::create(path(folder), "0123456789abcdef", noon);
  QCOMPARE(b->id(), std::string("20260307T120509Z-01234567-2"));
}

void TestRunResults::out_folder_must_be_empty() {
  QTemporaryDir folder;
  std::ofstream(path(folder) / "mine.txt") << "precious";
  const auto refused = RunFolder::create_at(path(folder));
  QVERIFY(!refused.ok());
  QCOMPARE(refused.error().code, ErrorCode::file);
  QVERIFY(!fs::exists(path(folder) / "charts"));
  QVERIFY(RunFolder::create_at(path(folder) / "new" / "deep").ok());
  QVERIFY(!RunFolder::create_at(path(folder) / "mine.txt" / "x").ok());
}

void TestRunResults::latest_and_find() {
  QTemporaryDir folder;
  using namespace std::chrono;
  QVERIFY(!RunFolder::latest(path(folder)).ok());
  const auto t = sys_days(year(2026) / 1 / 1);
  std::string expected;
  for (const int minute : {5, 59, 17}) {
    auto run = RunFolder::create(path(folder), "ffffffff", t + minutes(minute));
    std::ofstream(run->case_file()) << "{}";
    if (minute == 59) expected = run->id();
  }
  QVERIFY(RunFolder::create(path(folder), "aaaaaaaa", t + hours(5)).ok());  // no case.json: not a run
  QCOMPARE(RunFolder::latest(path(folder))->id(), expected);
  QCOMPARE(RunFolder::find("latest", path(folder))->id(), expected);
  QCOMPARE(RunFolder::find((path(folder) / "latest").string(), "elsewhere")->id(), expected);
  QCOMPARE(RunFolder::find(expected, path(folder))->id(), expected);
  QCOMPARE(RunFolder::find((path(folder) / expected).string(), "elsewhere")->id(), expected);
  QVERIFY(!RunFolder::find("nothing", path(folder)).ok());
}

void TestRunResults::tables_read_back() {
  QTemporaryDir folder;
  const RunFolder run = make(folder);
  RunResults results(run, true);
  Table& table = results.table(receivers());
  QCOMPARE(&results.table(receivers()), &table);
  table.append({0.0, 1.5, -2.0});
  table.append({0.1, 1e-300, 3.0});
  QVERIFY(results.flush().ok());
  const auto stored = read_table(run.charts() / "receivers.csv");
  QVERIFY2(stored.ok(), stored.ok() ? "" : stored.error().render().c_str());
  QCOMPARE(stored->info.title, receivers().title);
  QCOMPARE(stored->info.definition, receivers().definition);
  QCOMPARE(stored->info.exact, receivers().exact);
  QVERIFY(stored->info.form == ChartForm::polar && stored->info.y_scale == AxisScale::log);
  QCOMPARE(stored->info.columns.size(), std::size_t{3});
  QCOMPARE(stored->info.columns[1].unit, std::string("Pa"));
  QCOMPARE(stored->info.columns[1].label, std::string("left, near"));
  QCOMPARE(stored->info.columns[2].name, std::string("p \"2\", far"));
  QCOMPARE(stored->table.rows(), std::size_t{2});
  QCOMPARE(stored->table.row(1)[1], 1e-300);
  const auto text = read_file(run.charts() / "receivers.csv");
  QVERIFY(text->starts_with("# run: run\r\n"));
  QVERIFY(text->find("\r\nt[s],p1[Pa],\"p \"\"2\"\", far\"\r\n0,1.5,-2\r\n") != std::string::npos);
}

void TestRunResults::rfc_4180_quoting() {
  QCOMPARE(csv_field("plain"), std::string("plain"));
  QCOMPARE(csv_field("a,b"), std::string("\"a,b\""));
  QCOMPARE(csv_field("say \"x\""), std::string("\"say \"\"x\"\"\""));
  QCOMPARE(csv_field("two\nlines"), std::string("\"two\nlines\""));
  const auto table = parse_csv("\"a,b[m]\",\"x\"\"y\"\r\n1,2\r\n", "q");
  QVERIFY(table.ok());
  QCOMPARE(table->columns[0].name, std::string("a,b"));
  QCOMPARE(table->columns[0].unit, std::string("m"));
  QCOMPARE(table->columns[1].name, std::string("x\"y"));
}

void TestRunResults::reader_takes_what_people_write() {
  for (const char* text : {"1,2\n3,4\n", "1;2\n3;4", "1\t2\n\n3\t4\n", "  1   2\n 3 \t 4  \n",
                           "\xef\xbb\xbf"
                           "a,b\r\n1,2\r\n3,4\r\n",
                           "% matlab\n# more\n+1.0,2e0\n3.,.4e1\n", "t[s] p[Pa]\n1 2\n3 4\n"}) {
    const auto table = parse_csv(text, "signal");
    QVERIFY2(table.ok(), text);
    QCOMPARE(table->values, (std::vector<double>{1, 2, 3, 4}));
    QCOMPARE(table->columns.size(), std::size_t{2});
  }
  const auto empty = parse_csv("", "signal");
  QVERIFY(empty.ok() && empty->rows() == 0);
}

void TestRunResults::reader_refuses_with_line_and_column_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<int>("line");
  QTest::newRow("word") << QByteArray("# c\nt,p\n1,2\n3,oops\n") << 4;
  QTest::newRow("short row") << QByteArray("1,2\n3\n") << 2;
  QTest::newRow("long row") << QByteArray("1,2\n\n3,4,5\n") << 3;
  QTest::newRow("decimal comma") << QByteArray("1;2\n3;4,5\n") << 2;
  QTest::newRow("number with tail") << QByteArray("a,b\n1,2x\n") << 2;
  QTest::newRow("open quote") << QByteArray("a,b\n1,\"2\n3,4\n") << 2;
}

void TestRunResults::reader_refuses_with_line_and_column() {
  QFETCH(QByteArray, text);
  QFETCH(int, line);
  const auto table = parse_csv(std::string_view(text.constData(), static_cast<std::size_t>(text.size())), "bad.csv");
  QVERIFY(!table.ok());
  QCOMPARE(table.error().place.line, static_cast<long>(line));
  QCOMPARE(table.error().place.file, std::string("bad.csv"));
  QCOMPARE(table.error().code, ErrorCode::invalid_input);
}

void TestRunResults::reader_is_bounded() {
  CsvLimits limits;
  limits.columns = 3;
  limits.values = 8;
  limits.file = 100;
  QVERIFY(!parse_csv("1,2,3,4\n", "x", limits).ok());
  QVERIFY(parse_csv("1,2\n1,2\n1,2\n1,2\n", "x", limits).ok());
  QVERIFY(!parse_csv("1,2\n1,2\n1,2\n1,2\n1,2\n", "x", limits).ok());
  QTemporaryDir folder;
  std::ofstream(path(folder) / "big.csv") << std::string(101, '1');
  const auto big = read_csv(path(folder) / "big.csv", limits);
  QVERIFY(!big.ok());
  QCOMPARE(big.error().code, ErrorCode::file);
}

void TestRunResults::torn_last_line() {
  const auto dropped = parse_csv("a,b\r\n1,2\r\n3,4", "x", {}, CutLine::drop);
  QVERIFY(dropped.ok() && dropped->last_line_cut);
  QCOMPARE(dropped->rows(), std::size_t{1});
  const auto kept = parse_csv("a,b\r\n1,2\r\n3,4", "x", {}, CutLine::keep);
  QVERIFY(kept.ok() && !kept->last_line_cut);
  QCOMPARE(kept->rows(), std::size_t{2});
  const auto torn = parse_csv("a,b\r\n1,2\r\n3", "x", {}, CutLine::drop);
  QVERIFY(torn.ok());
  QCOMPARE(torn->rows(), std::size_t{1});
}

void TestRunResults::numbers_read_back_exactly() {
  std::mt19937_64 random(9);
  std::string text = "v\r\n";
  std::vector<double> values = {0.0,
                                -0.0,
                                5e-324,
                                std::numeric_limits<double>::max(),
                                1.0 / 3,
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity()};
  while (values.size() < 2000) {
    const double v = std::bit_cast<double>(random());
    if (std::isfinite(v)) values.push_back(v);
  }
  for (const double& v : values) append_csv_row(text, std::span(&v, 1));
  const auto table = parse_csv(text, "x");
  QVERIFY(table.ok());
  QCOMPARE(table->rows(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    QCOMPARE(std::bit_cast<std::uint64_t>(table->values[i]), std::bit_cast<std::uint64_t>(values[i]));
  const double nan = std::nan("");
  std::string row;
  append_csv_row(row, std::span(&nan, 1));
  QVERIFY(std::isnan(parse_csv(row, "x")->values.at(0)));
}

void TestRunResults::telemetry_of_before_the_counts_goes_on_as_it_was() {
  QTemporaryDir folder;
  const RunFolder run = make(folder);
  const std::string old =
      "pass,worker,begin,end,busy[s],waiting[s],copying[s],phase\r\n# phase 0 is march\r\n0,0,0,4,0.5,0,0,0\r\n";
  std::ofstream(run.telemetry_file(), std::ios::binary) << old;
  {
    RunResults results(run, true);
    const TelemetryRow row{1, 0, {0, 4}, 0.25, 0, 0, "march", 1e9, 1e8, 0};
    results.telemetry(std::span(&row, 1));
    QVERIFY(results.flush().ok());
  }
  // Whether a file without a checkpoint is begun anew or goes on: never lines of two lengths.
  const auto rows = read_telemetry(run.telemetry_file());
  QVERIFY2(rows.ok(), rows.ok() ? "" : rows.error().render().c_str());
  QCOMPARE(rows->back().pass, std::uint64_t{1});
  QCOMPARE(rows->back().phase, std::string("march"));
  QVERIFY(read_csv(run.telemetry_file()).ok());
  // One of before the bytes that were streamed keeps its eleven columns.
  std::ofstream(run.telemetry_file(), std::ios::binary)
      << "pass,worker,begin,end,busy[s],waiting[s],copying[s],phase,operations[1],moved[B],held[B]\r\n# phase 0 is "
         "march\r\n0,0,0,4,0.5,0,0,0,1,2,3\r\n";
  {
    RunResults results(run, true);
    const TelemetryRow row{1, 0, {0, 4}, 0.25, 0, 0, "march", 1e9, 1e8, 5, 7};
    results.telemetry(std::span(&row, 1));
    QVERIFY(results.flush().ok());
  }
  const auto longer = read_telemetry(run.telemetry_file());
  QVERIFY2(longer.ok(), longer.ok() ? "" : longer.error().render().c_str());
  QCOMPARE(longer->back().held, 5.0);
  QVERIFY(read_csv(run.telemetry_file()).ok());
  std::ofstream(run.telemetry_file(), std::ios::binary) << "pass,worker,begin\r\n0,0,0\r\n";
  QVERIFY(!read_telemetry(run.telemetry_file()).ok());
  std::ofstream(run.telemetry_file(), std::ios::binary) << old << "x,0,0,4,0.5,0,0,0\r\n";
  const auto bad = read_telemetry(run.telemetry_file());
  QVERIFY(!bad.ok());
  QCOMPARE(bad.error().place.line, 4L);
}

void TestRunResults::resume_truncates_tables() {
  QTemporaryDir folder;
  const RunFolder run = make(folder);
  const CheckpointStore store(run.checkpoints());
  auto row = [](int i) { return std::vector<double>{0.1 * i, std::sin(i), std::cos(i)}; };
  auto telemetry = [](int i) {
    return TelemetryRow{static_cast<std::uint64_t>(i),         0,       {0, i},   0.5,          0.25,      0.125,
                        i % 2 == 0 ? "assembly" : "summation", 1e9 * i, 64.0 * i, 1073741825.0, 4096.0 * i};
  };
  {
    RunResults results(run, true);
    Table& table = results.table(receivers());
    results.number("energy", 3.5, "J");
    results.number("drift", std::numeric_limits<double>::infinity(), "1");
    results.text("verdict", "fine");
    for (int i = 0; i < 57; ++i) {
      table.append(row(i));
      const TelemetryRow t = telemetry(i);
      results.telemetry(std::span(&t, 1));
    }
    QVERIFY(store.prepare(57).ok());
    auto writer = store.writer(57, 0, 1);
    QVERIFY(results.save(**writer).ok());
    QVERIFY((*writer)->close().ok());
    QVERIFY(store.commit(57, 1).ok());
    // Goes on and is lost: rows, a young table, numbers.
    results.table({"young", "", {{"a", "", ""}}, ChartForm::lines, AxisScale::linear, AxisScale::linear, "", {}})
        .append({1.0});
    results.number("energy", -1, "J");
    for (int i = 57; i < 20000; ++i) table.append({-1.0, -1.0, -1.0});
    const TelemetryRow t = telemetry(-1);
    results.telemetry(std::span(&t, 1));
    QVERIFY(results.flush().ok());
  }
  QVERIFY(fs::exists(run.charts() / "young.csv"));
  std::ofstream(run.charts() / "receivers.csv", std::ios::app) << "torn row,";
  {
    RunResults results(run, true);
    auto reader = store.open(57);
    QVERIFY(reader.ok());
    const auto warnings = results.restore(**reader);
    QVERIFY2(warnings.ok(), warnings.ok() ? "" : warnings.error().render().c_str());
    QVERIFY(warnings->empty());
    QVERIFY(!fs::exists(run.charts() / "young.csv"));
    Table& table = results.table(receivers());
    for (int i = 57; i < 80; ++i) {
      table.append(row(i));
      const TelemetryRow t = telemetry(i);
      results.telemetry(std::span(&t, 1));
    }
    QVERIFY(results.flush(true).ok());
    QVERIFY(results.write_summary().ok());
  }
  const auto stored = read_table(run.charts() / "receivers.csv");
  QVERIFY2(stored.ok(), stored.ok() ? "" : stored.error().render().c_str());
  QCOMPARE(stored->table.rows(), std::size_t{80});
  for (int i = 0; i < 80; ++i) {
    const auto got = stored->table.row(static_cast<std::size_t>(i));
    QCOMPARE(std::vector<double>(got.begin(), got.end()), row(i));
  }
  const auto passes = read_csv(run.telemetry_file());
  QVERIFY(passes.ok());
  QCOMPARE(passes->rows(), std::size_t{80});
  QCOMPARE(passes->find("busy"), std::size_t{4});
  QCOMPARE(passes->find("phase"), std::size_t{7});
  for (std::size_t i = 0; i < 80; ++i) QCOMPARE(passes->row(i)[0], static_cast<double>(i));
  for (std::size_t i = 0; i < 57; ++i) QCOMPARE(passes->row(i)[7], static_cast<double>(i % 2));
  const std::string telemetry_text = *read_file(run.telemetry_file());
  QVERIFY(telemetry_text.find("# phase 0 is assembly\r\n0,0,") != std::string::npos);
  QVERIFY(telemetry_text.find("# phase 1 is summation\r\n1,0,") != std::string::npos);
  // The part that went on begins with an odd row and numbers the phases anew, as its comments say.
  QVERIFY(telemetry_text.find("# phase 0 is summation\r\n57,0,") != std::string::npos);
  // Read back: each phase by its name, whichever number it had; a torn line and what is older than asked for left out.
  std::ofstream(run.telemetry_file(), std::ios::app) << "80,0,0,80,0.5";
  const auto rows = read_telemetry(run.telemetry_file(), 30);
  QVERIFY2(rows.ok(), rows.ok() ? "" : rows.error().render().c_str());
  QCOMPARE(rows->size(), std::size_t{30});
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const TelemetryRow& read = (*rows)[i];
    const TelemetryRow wanted = telemetry(static_cast<int>(50 + i));
    QCOMPARE(read.pass, wanted.pass);
    QCOMPARE(read.items.end, wanted.items.end);
    QCOMPARE(read.phase, wanted.phase);
    QCOMPARE(read.copying, 0.125);
    QCOMPARE(read.flops, wanted.flops);
    QCOMPARE(read.bytes, wanted.bytes);
    QCOMPARE(read.streamed, wanted.streamed);
    QCOMPARE(read.held, wanted.held);
  }
  const auto summary = read_json(*read_file(run.summary_file()));
  QCOMPARE(summary["numbers"]["energy"]["value"].get<double>(), 3.5);
  QCOMPARE(summary["numbers"]["drift"]["value"].get<std::string>(), std::string("inf"));
  QCOMPARE(summary["texts"]["verdict"].get<std::string>(), std::string("fine"));
}

void TestRunResults::lost_table_is_a_warning() {
  QTemporaryDir folder;
  const RunFolder run = make(folder);
  const CheckpointStore store(run.checkpoints());
  {
    RunResults results(run, true);
    results.table(receivers()).append({1.0, 2.0, 3.0});
    QVERIFY(store.prepare(1).ok());
    auto writer = store.writer(1, 0, 1);
    QVERIFY(results.save(**writer).ok());
    QVERIFY((*writer)->close().ok() && store.commit(1, 1).ok());
  }
  fs::resize_file(run.charts() / "receivers.csv", 10);
  RunResults results(run, true);
  const auto warnings = results.restore(**store.open(1));
  QVERIFY(warnings.ok());
  QCOMPARE(warnings->size(), std::size_t{1});
  results.table(receivers()).append({4.0, 5.0, 6.0});
  QVERIFY(results.flush().ok());
  QCOMPARE(read_table(run.charts() / "receivers.csv")->table.rows(), std::size_t{1});
}

void TestRunResults::summary_is_whole() {
  QTemporaryDir folder;
  const RunFolder run = make(folder);
  RunResults results(run, true);
  results.number("b", 1, "m");
  results.number("a", std::nan(""), "");
  results.number("b", 2, "m");
  results.summary_member("phases", "{\"march\":{\"seconds\":1.5}}");
  QVERIFY(results.write_summary().ok());
  const auto summary = read_json(*read_file(run.summary_file()));
  QCOMPARE(summary["numbers"].size(), std::size_t{2});
  QCOMPARE(summary["numbers"].begin().key(), std::string("b"));
  QCOMPARE(summary["numbers"]["b"]["value"].get<double>(), 2.0);
  QCOMPARE(summary["numbers"]["a"]["value"].get<std::string>(), std::string("nan"));
  QCOMPARE(summary["phases"]["march"]["seconds"].get<double>(), 1.5);
  for (const auto& entry : fs::directory_iterator(run.path()))
    QVERIFY2(entry.path().extension() != ".part", entry.path().c_str());
}

void TestRunResults::full_disk_keeps_whole_rows() {
  for (const int fault : {ENOSPC, EIO, short_write}) {
    QTemporaryDir folder;
    const RunFolder run = make(folder);
    RunResults results(run, true);
    Table& table = results.table(receivers());
    for (int i = 0; i < 10; ++i) table.append({1.0 * i, 2.0, 3.0});
    QVERIFY(results.flush().ok());
    set_write_fault([fault](std::size_t) { return fault; });
    for (int i = 10; i < 50; ++i) table.append({1.0 * i, 2.0, 3.0});
    const Status s = results.flush();
    set_write_fault({});
    QVERIFY(!s.ok());
    QCOMPARE(s.error().code, ErrorCode::file);
    table.append({99.0, 99.0, 99.0});
    QVERIFY(!results.flush().ok());
    const auto stored = read_table(run.charts() / "receivers.csv");
    QVERIFY(stored.ok());
    QVERIFY(!stored->table.last_line_cut);
    QCOMPARE(stored->table.rows(), std::size_t{10});
  }
}

void TestRunResults::a_link_that_changes_places_with_the_charts_is_never_followed() {
  QTemporaryDir folder;
  const fs::path charts = path(folder) / "charts", other = path(folder) / "other",
                 elsewhere = path(folder) / "elsewhere";
  fs::create_directory(charts);
  fs::create_directory(elsewhere);
  fs::create_directory_symlink(elsewhere, other);
  std::atomic<bool> done{false};
  std::jthread swapper([&] {
    while (!done) ::renameat2(AT_FDCWD, charts.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
  });
  int opened = 0, refused = 0;
  for (int k = 0; k < 20'000 || ((opened == 0 || refused == 0) && k < 2'000'000); ++k) {
    GrowingFile file;
    (file.open(charts / "table.csv", -1, GrowingFile::Above::own) ? opened : refused) += 1;
  }
  done = true;
  swapper.join();
  QVERIFY(opened > 0);
  QVERIFY(refused > 0);
  QVERIFY(fs::is_empty(elsewhere));
}

void TestRunResults::other_ranks_write_nothing() {
  QTemporaryDir folder;
  const RunFolder run = make(folder);
  RunResults results(run, false);
  results.table(receivers()).append({1.0, 2.0, 3.0});
  const TelemetryRow row;
  results.telemetry(std::span(&row, 1));
  QVERIFY(results.flush(true).ok() && results.write_summary().ok());
  QVERIFY(fs::is_empty(run.charts()));
  QVERIFY(!fs::exists(run.telemetry_file()) && !fs::exists(run.summary_file()));
}

QTEST_APPLESS_MAIN(TestRunResults)
#include "test_run_results.moc"

// SPDX-License-Identifier: BSD-3-Clause
// A kernel would be chosen whose instructions the processor lacks, or each kernel would ask the processor for itself.
// labels: unit
// links: conoid_simd
#include <QTest>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "engine/simd/instruction_set.hpp"

using namespace conoid;
using Set = InstructionSet;

namespace {

/// Whether /proc/cpuinfo names all of them.
bool processor_has(std::initializer_list<const char*> flags) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("flags")) continue;
    for (const char* flag : flags)
      if ((line + " ").find(" " + std::string(flag) + " ") == std::string::npos) return false;
    return true;
  }
  return false;
}

}  // namespace

class TestInstructionSet : public QObject {
  Q_OBJECT
 private slots:
  void the_widest_is_what_the_system_says();
  void none_goes_beyond_what_is_allowed();
  void bytes_of_a_register_choose_a_set();
  void the_body_of_the_set_is_taken();
  void nobody_else_asks_the_processor();
};

void TestInstructionSet::the_widest_is_what_the_system_says() {
  const bool avx2 = processor_has({"avx2", "fma"});
  const bool avx512 = avx2 && processor_has({"avx512f", "avx512vl", "avx512dq", "avx512bw"});
  QCOMPARE(static_cast<int>(instruction_set()), static_cast<int>(avx512 ? Set::avx512 : avx2 ? Set::avx2 : Set::base));
}

void TestInstructionSet::none_goes_beyond_what_is_allowed() {
  for (const Set most : {Set::base, Set::avx2, Set::avx512}) {
    QVERIFY(instruction_set(most) <= most);
    QCOMPARE(static_cast<int>(instruction_set(most)), static_cast<int>(std::min(most, instruction_set())));
  }
}

void TestInstructionSet::bytes_of_a_register_choose_a_set() {
  QCOMPARE(register_bytes(Set::base), 16);
  QCOMPARE(register_bytes(Set::avx2), 32);
  QCOMPARE(register_bytes(Set::avx512), 64);
  for (const Set set : {Set::base, Set::avx2, Set::avx512})
    QVERIFY(instruction_set_within(register_bytes(set)) == instruction_set(set));
  QVERIFY(instruction_set_within(0) == instruction_set());
  QVERIFY(instruction_set_within(63) <= Set::avx2);
  QVERIFY(instruction_set_within(8) == Set::base);
}

void TestInstructionSet::the_body_of_the_set_is_taken() {
  const int bodies[] = {0, 1, 2};
  for (const Set set : {Set::base, Set::avx2, Set::avx512})
    QCOMPARE(body_for(set, bodies[0], bodies[1], bodies[2]), static_cast<int>(set));
}

void TestInstructionSet::nobody_else_asks_the_processor() {
  namespace fs = std::filesystem;
  int asked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(CONOID_SOURCE_DIR) / "engine")) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    if (text.str().find("__builtin_cpu_supports") == std::string::npos) continue;
    ++asked;
    const std::string name = entry.path().filename().string();
    if (name != "instruction_set.cpp" && name != "hash.cpp")  // whose instructions are of no set of kernels
      QFAIL((entry.path().string() + " asks the processor; engine/simd/instruction_set.hpp has the answer").c_str());
  }
  QCOMPARE(asked, 2);
}

QTEST_APPLESS_MAIN(TestInstructionSet)
#include "test_instruction_set.moc"

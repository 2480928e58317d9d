// SPDX-License-Identifier: BSD-3-Clause
// Memory and cores are those that containers, services and batch jobs leave to the program, not those of the machine.
// labels: unit
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

#include "engine/team/control_group.hpp"

using namespace conoid;
namespace fs = std::filesystem;

class TestControlGroup : public QObject {
  Q_OBJECT
 private:
  QTemporaryDir folder_;
  int number_ = 0;
  fs::path here_;

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((here_ / file).parent_path());
    std::ofstream(here_ / file) << text;
  }
  [[nodiscard]] GroupLimits limits() const { return group_limits(here_ / "membership", here_ / "groups"); }

 private slots:
  void init() { here_ = fs::path(folder_.path().toStdString()) / std::to_string(number_++); }

  void without_groups_nothing_is_limited() {
    QCOMPARE(limits().memory, Bytes{0});
    QCOMPARE(limits().cores, 0.0);
    write("membership", "0::/user.slice\n");
    write("groups/user.slice/memory.max", "max\n");
    write("groups/user.slice/cpu.max", "max 100000\n");
    QCOMPARE(limits().memory, Bytes{0});
    QCOMPARE(limits().cores, 0.0);
  }

  /// A job of a batch system: the step has no limit of its own, the job has, and files that the kernel keeps are free.
  void the_least_of_all_groups_above_counts() {
    write("membership", "0::/system.slice/slurmstepd.scope/job_7/step_0\n");
    const fs::path job = "groups/system.slice/slurmstepd.scope/job_7";
    write(job / "step_0/memory.max", "max\n");
    write(job / "memory.max", "8000\n");
    write(job / "memory.current", "5000\n");
    write(job / "memory.stat", "anon 3000\nfile 2000\ninactive_file 1500\nactive_file 500\n");
    write(job / "cpu.max", "400000 100000\n");
    write("groups/system.slice/memory.max", "9000\n");
    write("groups/system.slice/memory.current", "8500\n");
    write("groups/system.slice/cpu.max", "150000 100000\n");
    QCOMPARE(limits().memory, Bytes{8000});
    QCOMPARE(limits().free, Bytes{500});  // of all services together; the job itself would have 5000
    QCOMPARE(limits().cores, 1.5);
  }

  /// Version 1 has a tree for each controller, and writes a number where there is no limit.
  void the_first_version_is_understood() {
    write("membership", "5:memory:/slurm/uid_1/job_7\n4:cpuset:/slurm\n3:cpu,cpuacct:/slurm/uid_1\n");
    write("groups/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("groups/memory/slurm/uid_1/job_7/memory.limit_in_bytes", "6000\n");
    write("groups/memory/slurm/uid_1/job_7/memory.usage_in_bytes", "4000\n");
    write("groups/memory/slurm/uid_1/job_7/memory.stat",
          "inactive_file 1\ntotal_inactive_file 900\ntotal_active_file 100\n");
    write("groups/cpu/cpu.cfs_quota_us", "-1\n");
    write("groups/cpu/slurm/uid_1/cpu.cfs_quota_us", "200000\n");
    write("groups/cpu/slurm/uid_1/cpu.cfs_period_us", "100000\n");
    QCOMPARE(limits().memory, Bytes{6000});
    QCOMPARE(limits().free, Bytes{3000});
    QCOMPARE(limits().cores, 2.0);
  }

  /// A container sees its own group at the top, whatever path it is told; more used than allowed leaves nothing.
  void a_container_sees_its_group_at_the_top() {
    write("membership", "0::/docker/0123\n");
    write("groups/memory.max", "1000\n");
    write("groups/memory.current", "1200\n");
    write("groups/cpu.max", "50000 100000\n");
    QCOMPARE(limits().memory, Bytes{1000});
    QCOMPARE(limits().free, Bytes{0});
    QCOMPARE(limits().cores, 0.5);
  }
};

QTEST_APPLESS_MAIN(TestControlGroup)
#include "test_control_group.moc"

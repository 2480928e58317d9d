// SPDX-License-Identifier: BSD-3-Clause
// Everything that allocates comes before the fork; behind it there are system calls alone.
#include "engine/core/confined_start.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace conoid {
namespace {

// Landlock's interface, of which older headers know a part (linux/landlock.h of Linux 6.7).
constexpr long call_create_ruleset = 444, call_add_rule = 445, call_restrict_self = 446;
constexpr unsigned version_wanted = 1, rule_path_beneath = 1;
struct RulesetAttributes {
  std::uint64_t files = 0, network = 0;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};
constexpr std::uint64_t write_file = 1 << 1, truncate_file = 1 << 14, refer = 1 << 13;
/// Removing and making of entries of every kind: bits 4 to 12.
constexpr std::uint64_t change_folder = 0x1ff0;

int landlock_version() {
  return static_cast<int>(::syscall(call_create_ruleset, nullptr, 0, version_wanted));
}

bool allow(int rules, const char* path, std::uint64_t what) {
  PathRule rule{what, ::open(path, O_PATH | O_CLOEXEC)};
  if (rule.parent < 0) return false;
  const bool added = ::syscall(call_add_rule, rules, rule_path_beneath, &rule, 0) == 0;
  ::close(rule.parent);
  return added;
}

/// A set of rules by which nothing is written but in the folder; -1 where the kernel has none.
int folder_rules(const std::string& folder) {
  const int version = landlock_version();
  if (version < 1) return -1;
  RulesetAttributes handled;
  handled.files = write_file | change_folder;
  if (version >= 2) handled.files |= refer;
  if (version >= 3) handled.files |= truncate_file;
  if (version >= 4) handled.network = 3;  // to bind to a TCP port, to connect to one
  const std::size_t size = version >= 4 ? sizeof handled : sizeof handled.files;
  const int rules = static_cast<int>(::syscall(call_create_ruleset, &handled, size, 0));
  if (rules < 0) return -1;
  ::fcntl(rules, F_SETFD, FD_CLOEXEC);
  allow(rules, "/dev/null", handled.files & (write_file | truncate_file));
  if (!folder.empty()) allow(rules, folder.c_str(), handled.files);
  return rules;
}

#if defined(__x86_64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t this_architecture = 0;
#endif

/// No sockets, no ring of requests that could make some, no reaching into other processes; and no new process if `alone`, while
/// threads are made as ever (clone3 hides its flags from a filter: the C library falls back to clone).
std::vector<sock_filter> call_filter(bool alone) {
  std::vector<sock_filter> out;
  const auto add = [&out](std::uint16_t code, std::uint32_t k, std::uint8_t yes = 0, std::uint8_t no = 0) {
    out.push_back({code, yes, no, k});
  };
  const auto refuse = [&](std::uint32_t call, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  };
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, this_architecture, 1, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);  // calls of the x32 kind
  add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
#endif
  refuse(__NR_socket, EACCES);
  refuse(__NR_ptrace, EPERM);
  refuse(__NR_process_vm_writev, EPERM);
  refuse(425, ENOSYS);  // io_uring_setup
  if (alone) {
#if defined(__NR_fork)
    refuse(__NR_fork, EPERM);
    refuse(__NR_vfork, EPERM);
#endif
    refuse(435, ENOSYS);  // clone3
    constexpr std::uint32_t thread = 0x00010000;
    add(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0]));
    add(BPF_JMP | BPF_JSET | BPF_K, thread, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return out;
}

/// The wrappers in which some install a program have to start others themselves.
bool is_script(const char* program) {
  char head[2] = {};
  const int fd = ::open(program, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool read = ::read(fd, head, sizeof head) == 2;
  ::close(fd);
  return read && head[0] == '#' && head[1] == '!';
}

/// This program's environment, with a home of the program's own if it has a folder.
std::vector<std::string> environment_of(const Confinement& how) {
  std::vector<std::string> out;
  static constexpr std::array own = {
      "HOME=", "TMPDIR=", "TMP=", "TEMP=", "GMSH_HOME=", "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME="};
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    bool replaced = false;
    for (const char* name : own) replaced = replaced || std::strncmp(*at, name, std::strlen(name)) == 0;
    if (how.folder.empty() || !replaced) out.emplace_back(*at);
  }
  if (!how.folder.empty())
    for (const char* name : {"HOME=", "TMPDIR=", "TMP=", "TEMP="}) out.push_back(name + how.folder);
  return out;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

struct Limit {
  decltype(RLIMIT_CORE) what;
  rlim_t most;
};

std::vector<Limit> limits_of(const Confinement& how) {
  std::vector<Limit> out = {{RLIMIT_CORE, 0}};
  if (how.memory > 0) out.push_back({RLIMIT_AS, how.memory});
  if (how.file_size > 0) out.push_back({RLIMIT_FSIZE, how.file_size});
  if (how.processor_seconds > 0) out.push_back({RLIMIT_CPU, static_cast<rlim_t>(how.processor_seconds) + 1});
  return out;
}

/// All that the child needs, made before it is.
struct Plan {
  std::vector<char*> words, environment;
  const char* folder = nullptr;
  std::vector<Limit> limits;
  int rules = -1;
  std::vector<sock_filter> filter{};
  pid_t parent = 0;
  StandardStreams streams{};
  int report = -1;
};

[[noreturn]] void give_up(const Plan& plan) {
  const int why = errno;
  static_cast<void>(!::write(plan.report, &why, sizeof why));
  ::_exit(127);
}

/// In the child: system calls only, since another thread of the parent may have held any lock.
[[noreturn]] void become(const Plan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);
  const int input = plan.streams[0] >= 0 ? plan.streams[0] : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (::dup2(input, 0) < 0 || ::dup2(plan.streams[1], 1) < 0 || ::dup2(plan.streams[2], 2) < 0) give_up(plan);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXFSZ}) ::sigaction(number, &usual, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
#if defined(SYS_close_range)
  constexpr unsigned on_exec = 4;
  ::syscall(SYS_close_range, 3U, ~0U, on_exec);
#endif
  if (plan.folder != nullptr && ::chdir(plan.folder) != 0) give_up(plan);
  for (const Limit& limit : plan.limits) {
    rlimit now{};
    ::getrlimit(limit.what, &now);
    const rlim_t most = limit.most < now.rlim_max ? limit.most : now.rlim_max;
    const rlimit wanted{most, most};
    ::setrlimit(limit.what, &wanted);
  }
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (plan.rules >= 0 && ::syscall(call_restrict_self, plan.rules, 0) != 0) give_up(plan);
  if (!plan.filter.empty()) {
    sock_fprog program{static_cast<unsigned short>(plan.filter.size()), const_cast<sock_filter*>(plan.filter.data())};
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);  // where it is not permitted, Landlock stands alone
  }
  ::execve(plan.words.front(), plan.words.data(), plan.environment.data());
  give_up(plan);
}

}  // namespace

Result<pid_t> start_confined(const std::vector<std::string>& command, const Confinement& how, StandardStreams streams) {
  const std::vector<std::string> environment = environment_of(how);
  Plan plan{pointers(command), pointers(environment), how.folder.empty() ? nullptr : how.folder.c_str(),
            limits_of(how)};
  plan.streams = streams;
  plan.parent = ::getpid();
  int report[2] = {-1, -1};
  if (::pipe2(report, O_CLOEXEC) != 0) return system_error("make a pipe for", command.front(), errno);
  plan.report = report[1];
  if (how.locked) {
    plan.rules = folder_rules(how.folder);
    if (this_architecture != 0) plan.filter = call_filter(how.alone && !is_script(command.front().c_str()));
  }
  const pid_t child = ::fork();
  if (child == 0) become(plan);
  const int failed = child < 0 ? errno : 0;
  if (plan.rules >= 0) ::close(plan.rules);
  ::close(report[1]);
  int why = failed;
  if (child > 0) {
    ::setpgid(child, child);  // here too, since a signal to the group may come at once
    while (::read(report[0], &why, sizeof why) < 0 && errno == EINTR) {
    }
    if (why != 0) {
      int status = 0;
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
    }
  }
  ::close(report[0]);
  if (why != 0) return system_error("start", command.front(), why);
  return child;
}

bool can_lock_folders() {
  return landlock_version() >= 1;
}

}  // namespace conoid

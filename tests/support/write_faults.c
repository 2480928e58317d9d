// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program (LD_PRELOAD), makes one of its writes to a file, flushes or renames fail.
//
// CONOID_FAULT_AT=n: the n-th such call, from 1. CONOID_FAULT_KIND: "full" (ENOSPC from then on), "broken" (EIO once),
// "short" (half is written, then as "full"), "die" (SIGKILL), "stop" (SIGTERM once, and the call is made), "count" (nothing fails).
// Calls on pipes, sockets and terminals are left alone. CONOID_FAULT_NAME="rename summary.json.#.part": only calls of this name count. A name is the function and the last
// part of the file's path (of what is renamed), digits in it as '#'; a folder's ends with '/'.
// CONOID_FAULT_COUNT=file: receives the number of calls when the program ends by itself. CONOID_FAULT_LIST=file: receives the name
// of each call, a line each. CONOID_FAULT_MARK=file: made when the call came.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static atomic_int is_full;
static long fault_at;
static char kind[16] = "count";
static char count_file[1024], list_file[1024], mark_file[1024], wanted[256];
static int list = -1;

static void take(const char* variable, char* text, size_t room) {
  const char* value = getenv(variable);
  if (value) strncpy(text, value, room - 1);
}

static int create(const char* file, int more) {
  return (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_CLOEXEC | more, 0644);
}

__attribute__((constructor)) static void begin(void) {
  const char* at = getenv("CONOID_FAULT_AT");
  if (at) fault_at = atol(at);
  take("CONOID_FAULT_KIND", kind, sizeof kind);
  take("CONOID_FAULT_NAME", wanted, sizeof wanted);
  take("CONOID_FAULT_COUNT", count_file, sizeof count_file);
  take("CONOID_FAULT_LIST", list_file, sizeof list_file);
  take("CONOID_FAULT_MARK", mark_file, sizeof mark_file);
  if (list_file[0]) list = create(list_file, O_APPEND);
}

__attribute__((destructor)) static void end(void) {
  if (!count_file[0]) return;
  char text[32];
  const int n = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
  const int fd = create(count_file, O_TRUNC);
  if (fd >= 0) {
    syscall(SYS_write, fd, text, n);
    syscall(SYS_close, fd);
  }
}

/// "rename summary.json.#.part\n"; the length without the end of line.
static size_t name_of(char* name, size_t room, const char* function, const char* path, int folder) {
  const char* last = path;
  for (const char* p = path; *p; ++p)
    if (*p == '/' && p[1]) last = p + 1;
  size_t n = (size_t)snprintf(name, room - 4, "%s ", function);
  for (; *last && n < room - 4; ++last) {
    const int digit = *last >= '0' && *last <= '9';
    if (!digit) name[n++] = *last;
    else if (name[n - 1] != '#') name[n++] = '#';
  }
  if (folder) name[n++] = '/';
  name[n] = '\n';
  name[n + 1] = 0;
  return n;
}

// 0: as usual; else the errno to fail with. *half: write half of it first. The file is `fd`, or where that is -1 `path`.
static int verdict(const char* function, int fd, const char* path, int* half) {
  *half = 0;
  if (list >= 0 || wanted[0]) {
    char name[300], link[64], target[1024];
    struct stat info;
    int folder = 0;
    if (fd >= 0) {
      snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
      const ssize_t n = readlink(link, target, sizeof target - 1);
      target[n > 0 ? n : 0] = 0;
      path = target;
      folder = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
    } else {
      folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    }
    const size_t n = name_of(name, sizeof name, function, path, folder);
    if (list >= 0) syscall(SYS_write, list, name, n + 1);
    name[n] = 0;
    if (wanted[0] && strcmp(name, wanted) != 0) return atomic_load(&is_full) ? ENOSPC : 0;
  }
  const long now = atomic_fetch_add(&calls, 1) + 1;
  if (fault_at <= 0 || now < fault_at) return atomic_load(&is_full) ? ENOSPC : 0;
  if (now == fault_at && mark_file[0]) syscall(SYS_close, create(mark_file, 0));
  if (!strcmp(kind, "die")) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  if (!strcmp(kind, "stop") && now == fault_at) kill(getpid(), SIGTERM);
  if (!strcmp(kind, "broken")) return now == fault_at ? EIO : 0;
  if (!strcmp(kind, "short")) *half = now == fault_at;
  if (!strcmp(kind, "short") || !strcmp(kind, "full")) {
    atomic_store(&is_full, 1);
    return ENOSPC;
  }
  return 0;
}

static int is_file(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

ssize_t write(int fd, const void* data, size_t bytes) {
  int half = 0;
  const int failed = is_file(fd) ? verdict("write", fd, "", &half) : 0;
  if (half && bytes > 1) return syscall(SYS_write, fd, data, bytes / 2);
  if (failed) return errno = failed, -1;
  return syscall(SYS_write, fd, data, bytes);
}

ssize_t pwrite(int fd, const void* data, size_t bytes, off_t at) {
  int half = 0;
  const int failed = is_file(fd) ? verdict("pwrite", fd, "", &half) : 0;
  if (half && bytes > 1) return syscall(SYS_pwrite64, fd, data, bytes / 2, at);
  if (failed) return errno = failed, -1;
  return syscall(SYS_pwrite64, fd, data, bytes, at);
}
ssize_t pwrite64(int fd, const void* data, size_t bytes, off64_t at) { return pwrite(fd, data, bytes, at); }

ssize_t writev(int fd, const struct iovec* pieces, int count) {
  int half = 0;
  const int failed = is_file(fd) ? verdict("writev", fd, "", &half) : 0;
  if (failed) return errno = failed, -1;
  return syscall(SYS_writev, fd, pieces, count);
}

// What the log is written with.
size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
  static size_t (*next)(const void*, size_t, size_t, FILE*);
  if (!next) next = (size_t(*)(const void*, size_t, size_t, FILE*))dlsym(RTLD_NEXT, "fwrite");
  int half = 0;
  const int fd = fileno(file);
  const int failed = fd >= 0 && is_file(fd) ? verdict("fwrite", fd, "", &half) : 0;
  if (failed) return errno = failed, 0;
  return next(data, size, count, file);
}

int fsync(int fd) {
  int half = 0;
  const int failed = verdict("fsync", fd, "", &half);
  if (failed) return errno = failed, -1;
  return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  int half = 0;
  const int failed = verdict("fdatasync", fd, "", &half);
  if (failed) return errno = failed, -1;
  return (int)syscall(SYS_fdatasync, fd);
}

int rename(const char* from, const char* to) {
  int half = 0;
  const int failed = verdict("rename", -1, from, &half);
  if (failed) return errno = failed, -1;
  return (int)syscall(SYS_rename, from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  int half = 0;
  const int failed = verdict(flags ? "exchange" : "rename", -1, from, &half);
  if (failed) return errno = failed, -1;
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

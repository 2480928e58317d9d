// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program (LD_PRELOAD), makes one of its writes to a file, flushes or renames fail.
//
// CONOID_FAULT_AT=n: the n-th such call, from 1. CONOID_FAULT_KIND: "full" (ENOSPC from then on), "broken" (EIO once),
// "short" (half is written, then as "full"), "die" (SIGKILL), "count" (nothing fails). CONOID_FAULT_COUNT=file: receives the
// number of calls when the program ends by itself. Calls on pipes, sockets and terminals are left alone.
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
static long fault_at;
static char kind[16] = "count";
static char count_file[1024];

__attribute__((constructor)) static void begin(void) {
  const char* at = getenv("CONOID_FAULT_AT");
  const char* how = getenv("CONOID_FAULT_KIND");
  const char* file = getenv("CONOID_FAULT_COUNT");
  if (at) fault_at = atol(at);
  if (how) strncpy(kind, how, sizeof kind - 1);
  if (file) strncpy(count_file, file, sizeof count_file - 1);
}

__attribute__((destructor)) static void end(void) {
  if (!count_file[0]) return;
  char text[32];
  const int n = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd >= 0) {
    syscall(SYS_write, fd, text, n);
    syscall(SYS_close, fd);
  }
}

// 0: as usual; else the errno to fail with. *half: write half of it first.
static int verdict(int* half) {
  const long now = atomic_fetch_add(&calls, 1) + 1;
  *half = 0;
  if (fault_at <= 0 || now < fault_at) return 0;
  if (!strcmp(kind, "die")) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  if (!strcmp(kind, "broken")) return now == fault_at ? EIO : 0;
  if (!strcmp(kind, "short")) *half = now == fault_at;
  if (!strcmp(kind, "short") || !strcmp(kind, "full")) return ENOSPC;
  return 0;
}

static int is_file(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

ssize_t write(int fd, const void* data, size_t bytes) {
  int half = 0;
  const int failed = is_file(fd) ? verdict(&half) : 0;
  if (half && bytes > 1) return syscall(SYS_write, fd, data, bytes / 2);
  if (failed) return errno = failed, -1;
  return syscall(SYS_write, fd, data, bytes);
}

ssize_t pwrite(int fd, const void* data, size_t bytes, off_t at) {
  int half = 0;
  const int failed = is_file(fd) ? verdict(&half) : 0;
  if (half && bytes > 1) return syscall(SYS_pwrite64, fd, data, bytes / 2, at);
  if (failed) return errno = failed, -1;
  return syscall(SYS_pwrite64, fd, data, bytes, at);
}
ssize_t pwrite64(int fd, const void* data, size_t bytes, off64_t at) { return pwrite(fd, data, bytes, at); }

ssize_t writev(int fd, const struct iovec* pieces, int count) {
  int half = 0;
  const int failed = is_file(fd) ? verdict(&half) : 0;
  if (failed) return errno = failed, -1;
  return syscall(SYS_writev, fd, pieces, count);
}

int fsync(int fd) {
  int half = 0;
  const int failed = verdict(&half);
  if (failed) return errno = failed, -1;
  return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  int half = 0;
  const int failed = verdict(&half);
  if (failed) return errno = failed, -1;
  return (int)syscall(SYS_fdatasync, fd);
}

int rename(const char* from, const char* to) {
  int half = 0;
  const int failed = verdict(&half);
  if (failed) return errno = failed, -1;
  return (int)syscall(SYS_rename, from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  int half = 0;
  const int failed = verdict(&half);
  if (failed) return errno = failed, -1;
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

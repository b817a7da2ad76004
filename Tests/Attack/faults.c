// Faults between a program and its files, loaded with LD_PRELOAD. Only files below FAULTS_ROOT are
// touched. From the environment:
//
//   FAULTS_ROOT    the folder
//   FAULTS_CALLS   which calls count: a comma-separated list of write, sync, open, truncate, name
//   FAULTS_AT      the number of the call that fails, from 1; 0 for none
//   FAULTS_DO      kill, error, short (half of the bytes, then an error), torn (half, then kill)
//   FAULTS_ERRNO   the error's number
//   FAULTS_STICKY  1: every counted call from then on fails
//   FAULTS_CUT     a seed: when the process ends, by itself or by this layer, the power is cut. Of what
//                  was not synchronized, a random part stays.
//   FAULTS_COUNTS  a file that receives the number of calls of each kind
//   FAULTS_TIME    the time at the start of the process, in seconds since 1970
//
// After a failed fsync the unsynchronized bytes of the file are lost, also if a later one succeeds,
// as on Linux. Memory maps are not seen: SQLite's -shm file is no part of what survives.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, OPEN = 4, TRUNCATE = 8, NAME = 16 };
static const char *const kinds[] = {"write", "sync", "open", "truncate", "name"};

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

// --- settings ---

static char root[PATH_MAX];
static size_t root_length;
static unsigned counted;
static long fail_at, call_number, counts[5];
static const char *action = "";
static int error_number = EIO, sticky, cuts, process;
static uint64_t random_state;
static int64_t start_time, start_monotonic;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

static int64_t monotonic(void);

__attribute__((constructor)) static void begin(void) {
  if (realpath(setting("FAULTS_ROOT"), root)) root_length = strlen(root);
  for (int kind = 0; kind < 5; kind++)
    if (strstr(setting("FAULTS_CALLS"), kinds[kind])) counted |= 1u << kind;
  fail_at = atol(setting("FAULTS_AT"));
  action = setting("FAULTS_DO");
  if (*setting("FAULTS_ERRNO")) error_number = atoi(setting("FAULTS_ERRNO"));
  sticky = atoi(setting("FAULTS_STICKY"));
  cuts = *setting("FAULTS_CUT") != 0;
  random_state = strtoull(setting("FAULTS_CUT"), NULL, 10) * 2654435761u + 88172645463325252u;
  start_time = atoll(setting("FAULTS_TIME")) * 1000000000;
  start_monotonic = monotonic();
  process = getpid();
}

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

// --- what is not on the disk yet ---

enum state { PENDING, DURABLE, LOST };
enum change { BYTES, LENGTH, LINKED, UNLINKED, RENAMED };

/// One change of a file or a directory: what was there, and what came.
struct entry {
  enum change change;
  enum state state;
  dev_t device;
  ino_t inode;  // of the file, or of the directory
  char *path, *other;
  off_t offset, old_size, new_size;
  size_t old_length, new_length;
  char *old_bytes, *new_bytes;
  int old_file;  // of a name that was removed or replaced; -1 without
  int file;  // of a name that was made, while its making is undone; -1 without
};

static struct entry *entries;
static size_t entry_count, entry_room;

static int real_open(const char *path, int flags, mode_t mode) {
  REAL(int, "open64", const char *, int, ...);
  return real(path, flags, mode);
}

static ssize_t real_pwrite(int file, const void *bytes, size_t count, off_t offset) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
  return real(file, bytes, count, offset);
}

static int real_ftruncate(int file, off_t size) {
  REAL(int, "ftruncate64", int, off_t);
  return real(file, size);
}

static int real_unlink(const char *path) {
  REAL(int, "unlink", const char *);
  return real(path);
}

static int real_rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  return real(from, to);
}

static int real_link(const char *from, const char *to) {
  REAL(int, "link", const char *, const char *);
  return real(from, to);
}

static struct entry *add(enum change change) {
  if (entry_count == entry_room) {
    entry_room = entry_room ? entry_room * 2 : 256;
    entries = realloc(entries, entry_room * sizeof *entries);
    if (!entries) abort();
  }
  struct entry *entry = &entries[entry_count++];
  memset(entry, 0, sizeof *entry);
  entry->change = change;
  entry->old_file = entry->file = -1;
  return entry;
}

static void release(struct entry *entry) {
  free(entry->path);
  free(entry->other);
  free(entry->old_bytes);
  free(entry->new_bytes);
  if (entry->old_file >= 0) close(entry->old_file);
  if (entry->file >= 0) close(entry->file);
}

/// Marks what a file or directory has as synchronized, or as lost.
static void settle(dev_t device, ino_t inode, int failed) {
  size_t left = 0;
  int lost = 0;
  for (size_t i = 0; i < entry_count; i++)
    lost |= entries[i].inode == inode && entries[i].device == device && entries[i].state == LOST;
  for (size_t i = 0; i < entry_count; i++) {
    struct entry *entry = &entries[i];
    if (entry->inode == inode && entry->device == device) {
      if (entry->state == PENDING) entry->state = failed ? LOST : DURABLE;
      // An entry above lost bytes is needed to write it again.
      if (entry->state == DURABLE && !lost && !failed) {
        release(entry);
        continue;
      }
    }
    entries[left++] = *entry;
  }
  entry_count = left;
}

static char *directory_of(const char *path) {
  char *directory = strdup(path);
  char *slash = strrchr(directory, '/');
  if (slash) *slash = 0;
  return directory;
}

static void of_directory(struct entry *entry, const char *path) {
  struct stat info;
  char *directory = directory_of(path);
  if (stat(directory, &info) == 0) {
    entry->device = info.st_dev;
    entry->inode = info.st_ino;
  }
  free(directory);
}

/// Opens a file by its inode, whatever its name is now.
static int open_inode(const struct entry *entry) {
  struct stat info;
  int file = real_open(entry->path, O_RDWR | O_CLOEXEC, 0);
  if (file >= 0 && fstat(file, &info) == 0 && info.st_ino == entry->inode) return file;
  if (file >= 0) close(file);
  return entry->other ? real_open(entry->other, O_RDWR | O_CLOEXEC, 0) : -1;
}

static void copy(int from, const char *path) {
  char buffer[65536];
  ssize_t count;
  off_t offset = 0;
  int to = real_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (to < 0) return;
  while ((count = pread(from, buffer, sizeof buffer, offset)) > 0) {
    if (real_pwrite(to, buffer, (size_t)count, offset) != count) break;
    offset += count;
  }
  close(to);
}

static void undo(struct entry *entry) {
  int file;
  switch (entry->change) {
  case BYTES:
  case LENGTH:
    if ((file = open_inode(entry)) < 0) return;
    if (real_ftruncate(file, entry->old_size) == 0 && entry->old_length)
      (void)!real_pwrite(file, entry->old_bytes, entry->old_length, entry->offset);
    close(file);
    return;
  case LINKED:
    // The file itself stays for a change that is made again.
    entry->file = real_open(entry->path, O_RDWR | O_CLOEXEC, 0);
    real_unlink(entry->path);
    return;
  case UNLINKED:
    if (entry->old_file >= 0) copy(entry->old_file, entry->path);
    return;
  case RENAMED:
    entry->file = real_open(entry->other, O_RDWR | O_CLOEXEC, 0);
    real_rename(entry->other, entry->path);
    if (entry->old_file >= 0) copy(entry->old_file, entry->other);
    return;
  }
}

static void redo(struct entry *entry) {
  int file;
  switch (entry->change) {
  case BYTES:
  case LENGTH:
    if ((file = open_inode(entry)) < 0) return;
    if (entry->change == LENGTH) (void)!real_ftruncate(file, entry->new_size);
    else (void)!real_pwrite(file, entry->new_bytes, entry->new_length, entry->offset);
    close(file);
    return;
  case LINKED:
    // A synchronized name stays, also if an earlier name of the file was lost.
    if (entry->other && real_link(entry->other, entry->path) == 0) return;
    if (entry->file >= 0) copy(entry->file, entry->path);
    return;
  case UNLINKED:
    real_unlink(entry->path);
    return;
  case RENAMED:
    if (real_rename(entry->path, entry->other) != 0 && entry->file >= 0)
      copy(entry->file, entry->other);
    return;
  }
}

/// Cuts the power: unsynchronized changes are undone; a random part of them, in order, stays.
static void cut_power(void) {
  if (!cuts || getpid() != process) return;
  cuts = 0;
  for (size_t i = entry_count; i-- > 0;) undo(&entries[i]);
  uint64_t chance = next_random() % 5;  // of 4: none stay, or all
  for (size_t i = 0; i < entry_count; i++) {
    struct entry *entry = &entries[i];
    if (entry->state == DURABLE || (entry->state == PENDING && next_random() % 4 < chance))
      redo(entry);
  }
}

static void die(void) {
  cut_power();
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

__attribute__((destructor)) static void end(void) {
  if (getpid() != process) return;
  const char *path = setting("FAULTS_COUNTS");
  if (*path) {
    FILE *file = fopen(path, "w");
    for (int kind = 0; file && kind < 5; kind++)
      fprintf(file, "%s %ld\n", kinds[kind], counts[kind]);
    if (file) fclose(file);
  }
  cut_power();
}

// --- which calls fail ---

enum verdict { PASS, FAIL, HALF };

static enum verdict count(unsigned kind) {
  if (getpid() != process) return PASS;
  counts[__builtin_ctz(kind)]++;
  if (!(counted & kind)) return PASS;
  call_number++;
  if (!fail_at || (sticky ? call_number < fail_at : call_number != fail_at)) return PASS;
  if (!strcmp(action, "kill")) die();
  if (kind == WRITE && (!strcmp(action, "short") || !strcmp(action, "torn"))) return HALF;
  if (!strcmp(action, "torn")) die();
  errno = error_number;
  return FAIL;
}

// --- which files are meant ---

enum { FILES = 4096 };
static char *paths[FILES];

static int is_below_root(const char *path) {
  return !strncmp(path, root, root_length) && (!path[root_length] || path[root_length] == '/');
}

static char *absolute(const char *path) {
  char full[PATH_MAX], *directory, resolved[PATH_MAX];
  struct stat info;
  if (!root_length || !path) return NULL;
  if (*path == '/') snprintf(full, sizeof full, "%s", path);
  else {
    if (!getcwd(resolved, sizeof resolved)) return NULL;
    if (snprintf(full, sizeof full, "%s/%s", resolved, path) >= (int)sizeof full) return NULL;
  }
  if (stat(full, &info) == 0 && S_ISDIR(info.st_mode))
    return realpath(full, resolved) && is_below_root(resolved) ? strdup(resolved) : NULL;
  directory = directory_of(full);
  const char *name = strrchr(full, '/') + 1;
  char *known = realpath(*directory ? directory : "/", resolved);
  free(directory);
  if (!known || !is_below_root(known)) return NULL;
  char *result;
  return asprintf(&result, "%s/%s", known, name) < 0 ? NULL : result;
}

static const char *meant(int file) {
  return file >= 0 && file < FILES ? paths[file] : NULL;
}

static int is_volatile(const char *path) {
  size_t length = strlen(path);
  return length > 4 && !strcmp(path + length - 4, "-shm");
}

static int open_any(const char *path, int flags, mode_t mode) {
  pthread_mutex_lock(&lock);
  char *full = absolute(path);
  int file = -1, error = 0;
  if (!full) file = real_open(path, flags, mode);
  else if (count(OPEN) == PASS) {
    struct stat info;
    int existed = lstat(full, &info) == 0;
    if (existed && flags & O_TRUNC && !is_volatile(full)) {
      int other = real_open(full, O_RDONLY | O_CLOEXEC, 0);
      if (other >= 0) {
        struct entry *entry = add(UNLINKED);
        entry->path = strdup(full);
        entry->old_file = other;
        of_directory(entry, full);
      }
    }
    file = real_open(path, flags, mode);
    if (file >= 0 && file < FILES) {
      free(paths[file]);
      paths[file] = strdup(full);
      if (!existed && flags & O_CREAT && !is_volatile(full)) {
        struct entry *entry = add(LINKED);
        entry->path = strdup(full);
        of_directory(entry, full);
      }
    }
  }
  error = errno;
  free(full);
  pthread_mutex_unlock(&lock);
  errno = error;
  return file;
}

static mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_any(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_any(path, flags, mode);
}

int close(int file) {
  REAL(int, "close", int);
  pthread_mutex_lock(&lock);
  if (meant(file)) {
    free(paths[file]);
    paths[file] = NULL;
  }
  pthread_mutex_unlock(&lock);
  return real(file);
}

/// Writes and remembers what was there.
static ssize_t write_at(int file, const void *bytes, size_t length, off_t offset) {
  struct stat info;
  if (!cuts || is_volatile(meant(file)) || fstat(file, &info) != 0)
    return real_pwrite(file, bytes, length, offset);
  struct entry *entry = add(BYTES);
  entry->path = strdup(meant(file));
  entry->device = info.st_dev;
  entry->inode = info.st_ino;
  entry->offset = offset;
  entry->old_size = info.st_size;
  entry->old_bytes = malloc(length);
  entry->new_bytes = malloc(length);
  if (!entry->old_bytes || !entry->new_bytes) abort();
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  int reader = real_open(name, O_RDONLY | O_CLOEXEC, 0);
  ssize_t old = reader < 0 ? 0 : pread(reader, entry->old_bytes, length, offset);
  if (reader >= 0) close(reader);
  entry->old_length = old > 0 ? (size_t)old : 0;
  ssize_t written = real_pwrite(file, bytes, length, offset);
  entry->new_length = written > 0 ? (size_t)written : 0;
  memcpy(entry->new_bytes, bytes, entry->new_length);
  return written;
}

static ssize_t write_any(int file, const void *bytes, size_t length, off_t offset) {
  pthread_mutex_lock(&lock);
  ssize_t written = -1;
  switch (count(WRITE)) {
  case PASS: written = write_at(file, bytes, length, offset); break;
  case FAIL: break;
  case HALF:
    written = length > 1 ? write_at(file, bytes, length / 2, offset) : -1;
    if (!strcmp(action, "torn")) die();
    // The rest that a short write left out fails at the next attempt.
    if (!sticky) fail_at++, action = "error";
    if (written < 0) errno = error_number;
  }
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return written;
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
  return meant(file) ? write_any(file, bytes, length, offset)
                     : real_pwrite(file, bytes, length, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off_t offset) {
  return pwrite(file, bytes, length, offset);
}

ssize_t write(int file, const void *bytes, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t);
  if (!meant(file)) return real(file, bytes, length);
  off_t offset = lseek(file, 0, SEEK_CUR);
  ssize_t written = write_any(file, bytes, length, offset);
  if (written > 0) lseek(file, offset + written, SEEK_SET);
  return written;
}

int ftruncate(int file, off_t size) {
  if (!meant(file)) return real_ftruncate(file, size);
  pthread_mutex_lock(&lock);
  int result = -1;
  if (count(TRUNCATE) == PASS) {
    struct stat info;
    if (cuts && !is_volatile(meant(file)) && fstat(file, &info) == 0) {
      struct entry *entry = add(LENGTH);
      entry->path = strdup(meant(file));
      entry->device = info.st_dev;
      entry->inode = info.st_ino;
      entry->old_size = info.st_size;
      entry->new_size = size;
      if (size < info.st_size) {
        entry->offset = size;
        entry->old_bytes = malloc((size_t)(info.st_size - size));
        if (!entry->old_bytes) abort();
        ssize_t old = pread(file, entry->old_bytes, (size_t)(info.st_size - size), size);
        entry->old_length = old > 0 ? (size_t)old : 0;
      }
    }
    result = real_ftruncate(file, size);
  }
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int ftruncate64(int file, off_t size) { return ftruncate(file, size); }

static int sync_any(int file, int (*real)(int)) {
  pthread_mutex_lock(&lock);
  struct stat info;
  int known = fstat(file, &info) == 0, result = -1;
  if (count(SYNC) == PASS) result = real(file);
  int error = errno;
  if (known) settle(info.st_dev, info.st_ino, result != 0);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int fsync(int file) {
  REAL(int, "fsync", int);
  return meant(file) ? sync_any(file, real) : real(file);
}

int fdatasync(int file) {
  REAL(int, "fdatasync", int);
  return meant(file) ? sync_any(file, real) : real(file);
}

int unlink(const char *path) {
  pthread_mutex_lock(&lock);
  char *full = absolute(path);
  int result = -1;
  if (!full) result = real_unlink(path);
  else if (count(NAME) == PASS) {
    int other = is_volatile(full) ? -1 : real_open(full, O_RDONLY | O_CLOEXEC, 0);
    result = real_unlink(path);
    if (result == 0 && cuts && other >= 0) {
      struct entry *entry = add(UNLINKED);
      entry->path = strdup(full);
      entry->old_file = other;
      of_directory(entry, full);
    } else if (other >= 0) {
      close(other);
    }
  }
  int error = errno;
  free(full);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int rename(const char *from, const char *to) {
  pthread_mutex_lock(&lock);
  char *source = absolute(from), *target = absolute(to);
  int result = -1;
  if (!source || !target) result = real_rename(from, to);
  else if (count(NAME) == PASS) {
    int other = real_open(target, O_RDONLY | O_CLOEXEC, 0);
    result = real_rename(from, to);
    if (result == 0 && cuts) {
      struct entry *entry = add(RENAMED);
      entry->path = strdup(source);
      entry->other = strdup(target);
      entry->old_file = other;
      of_directory(entry, target);
    } else if (other >= 0) {
      close(other);
    }
  }
  int error = errno;
  free(source);
  free(target);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int link(const char *from, const char *to) {
  pthread_mutex_lock(&lock);
  char *source = absolute(from), *target = absolute(to);
  int result = -1;
  if (!source || !target) result = real_link(from, to);
  else if (count(NAME) == PASS) {
    result = real_link(from, to);
    if (result == 0 && cuts) {
      struct entry *entry = add(LINKED);
      entry->path = strdup(target);
      entry->other = strdup(source);
      of_directory(entry, target);
    }
  }
  int error = errno;
  free(source);
  free(target);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

// --- the clock ---

static int64_t monotonic(void) {
  REAL(int, "clock_gettime", clockid_t, struct timespec *);
  struct timespec now;
  return real(CLOCK_MONOTONIC, &now) ? 0 : now.tv_sec * 1000000000LL + now.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  REAL(int, "clock_gettime", clockid_t, struct timespec *);
  if (!start_time || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
    return real(clock, time);
  int64_t now = start_time + monotonic() - start_monotonic;
  time->tv_sec = now / 1000000000;
  time->tv_nsec = now % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

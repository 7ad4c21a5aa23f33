/* Flips one bit in one write() or read() on files whose path ends with FLIP_FILE, below FLIP_BELOW. FLIP_CALL is "write" or "read";
 * FLIP_BIT counts from the first bit of the file; FLIP_AFTER calls with this bit pass before the flip. FLIP_LOG gets a line when the bit
 * was flipped. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int flipped, passed;

/* Offset in the file where this call begins, or -1 for another file. */
static off_t place(int fd, off_t offset) {
  static __thread int inside;
  const char *name = getenv("FLIP_FILE"), *below = getenv("FLIP_BELOW");
  char link[64], path[4096];
  if (flipped || inside || name == NULL || below == NULL) return -1;
  inside = 1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  off_t at = -1;
  if (length > 0) {
    path[length] = 0;
    char *deleted = strstr(path, " (deleted)");
    if (deleted != NULL) *deleted = 0;
    size_t tail = strlen(name), whole = strlen(path);
    if (strncmp(path, below, strlen(below)) == 0 && whole > tail && strcmp(path + whole - tail, name) == 0) {
      at = offset >= 0 ? offset : lseek(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
    }
  }
  inside = 0;
  return at;
}

static void note(void) {
  flipped = 1;
  int fd = open(getenv("FLIP_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0666);
  dprintf(fd, "flipped\n");
  close(fd);
}

static int is(const char *call) {
  const char *wanted = getenv("FLIP_CALL");
  return wanted != NULL && strcmp(wanted, call) == 0;
}

/* The bit relative to the call's first byte; -1 if it is outside. */
static long bit_in(off_t at, ssize_t count) {
  long bit = at < 0 ? -1 : atol(getenv("FLIP_BIT")) - 8 * (long)at;
  if (bit < 0 || bit >= 8 * count) return -1;
  const char *after = getenv("FLIP_AFTER");
  return passed++ < (after == NULL ? 0 : atoi(after)) ? -1 : bit;
}

static ssize_t flipped_write(int fd, const void *bytes, size_t count, off_t offset) {
  ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  ssize_t (*real_at)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
  long bit = is("write") ? bit_in(place(fd, offset), count) : -1;
  char *other = NULL;
  if (bit >= 0) {
    other = malloc(count);
    memcpy(other, bytes, count);
    other[bit / 8] ^= 1 << bit % 8;
    bytes = other;
    note();
  }
  ssize_t result = offset >= 0 ? real_at(fd, bytes, count, offset) : real(fd, bytes, count);
  free(other);
  return result;
}

static ssize_t flipped_read(int fd, void *bytes, size_t count, off_t offset) {
  ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
  ssize_t (*real_at)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread64");
  off_t at = is("read") ? place(fd, offset) : -1;
  ssize_t result = offset >= 0 ? real_at(fd, bytes, count, offset) : real(fd, bytes, count);
  long bit = bit_in(at, result);
  if (bit >= 0) {
    ((char *)bytes)[bit / 8] ^= 1 << bit % 8;
    note();
  }
  return result;
}

ssize_t write(int fd, const void *bytes, size_t count) { return flipped_write(fd, bytes, count, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return flipped_write(fd, bytes, count, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at) { return flipped_write(fd, bytes, count, at); }
ssize_t read(int fd, void *bytes, size_t count) { return flipped_read(fd, bytes, count, -1); }
ssize_t pread(int fd, void *bytes, size_t count, off_t at) { return flipped_read(fd, bytes, count, at); }
ssize_t pread64(int fd, void *bytes, size_t count, off_t at) { return flipped_read(fd, bytes, count, at); }

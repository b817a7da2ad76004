#pragma once
#include <stddef.h>

/* A file of the page, which the compiler has put into the program. */
struct embedded_file {
  /* The path below its room's Resources: "templates/today.mustache". */
  const char *path;
  const unsigned char *bytes;
  size_t count;
};

size_t embedded_file_count(void);

/* The file at an index, ordered by path; NULL beyond the last. */
const struct embedded_file *embedded_file(size_t index);

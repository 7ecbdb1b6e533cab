// Declarations that the files of the baseline share.
#ifndef RETENTION_BASELINE_INTERNAL_H
#define RETENTION_BASELINE_INTERNAL_H

#include "baseline.h"

struct baseline_bodies {
    uint8_t *bytes;  // the whole file
    size_t count;
    struct baseline_compact *parts;
};

// Reads a whole bodies file and splits its bodies. Returns 0 when the file does not have the form in baseline.h.
int baseline_bodies_read(struct baseline_bodies *bodies, const char *path);
void baseline_bodies_free(struct baseline_bodies *bodies);

// Returns a whole file in memory from malloc; NULL when the file cannot be read.
uint8_t *baseline_read_file(const char *path, size_t *length);

#endif

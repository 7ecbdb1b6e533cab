// Shared by the files of the baseline.
#ifndef RETENTION_BASELINE_INTERNAL_H
#define RETENTION_BASELINE_INTERNAL_H

#include "baseline.h"

struct baseline_bodies {
    uint8_t *bytes;  // the whole file
    size_t count;
    struct baseline_compact *parts;
};

// Reads and splits a whole file; 0 when it is not of the form.
int baseline_bodies_read(struct baseline_bodies *bodies, const char *path);
void baseline_bodies_free(struct baseline_bodies *bodies);

// A whole file in memory of malloc; NULL when it cannot be read.
uint8_t *baseline_read_file(const char *path, size_t *length);

#endif

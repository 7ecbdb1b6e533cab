// load PORT BODIES CONNECTIONS SECONDS [name=value]…
//     path=/retention-message rate=R first=N hup=PID hup_every=SECONDS hup_at=SECONDS old=TEXT
// Prints one line of name=value: counts, latency percentiles and its own processor time, all times in microseconds.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "load.h"

int bodies_read(struct bodies *bodies, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    bodies->bytes = size > 0 ? malloc((size_t)size) : NULL;
    int read = bodies->bytes && fread(bodies->bytes, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    if (!read) return 0;
    size_t capacity = 0;
    for (size_t at = 0; at + 4 <= (size_t)size;) {
        const uint8_t *bytes = bodies->bytes + at;
        uint32_t length =
            (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        if (length > (size_t)size - at - 4) return 0;
        if (bodies->count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            void *grown = realloc(bodies->items, capacity * sizeof *bodies->items);
            if (!grown) return 0;
            bodies->items = grown;
        }
        bodies->items[bodies->count].start = bytes + 4;
        bodies->items[bodies->count++].length = length;
        at += 4 + length;
    }
    return bodies->count > 0;
}

static int read_option(struct options *options, char *argument) {
    char *value = strchr(argument, '=');
    if (!value) return 0;
    *value++ = 0;
    if (strcmp(argument, "path") == 0) options->path = value;
    else if (strcmp(argument, "rate") == 0) options->rate = atof(value);
    else if (strcmp(argument, "first") == 0) options->first = strtoul(value, NULL, 10);
    else if (strcmp(argument, "hup") == 0) options->hup = (pid_t)atoi(value);
    else if (strcmp(argument, "hup_every") == 0) options->hup_every = atof(value);
    else if (strcmp(argument, "hup_at") == 0) options->hup_at = atof(value);
    else if (strcmp(argument, "old") == 0) options->old = value;
    else return 0;
    return 1;
}

static int compare(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

// Of the answers from one to before another, which are sorted by this.
static double percentile(const struct tally *tally, size_t from, size_t to, double part) {
    size_t most = tally->good < tally->capacity ? (size_t)tally->good : tally->capacity;
    size_t end = to < most ? to : most;
    if (from >= end) return 0;
    size_t count = end - from;
    size_t index = (size_t)(part * (double)count);
    qsort(tally->latencies + from, count, sizeof *tally->latencies, compare);
    return (double)tally->latencies[from + (index < count ? index : count - 1)] / 1000;
}

static double since_hup(const struct tally *tally, uint64_t time) {
    return time >= tally->hup_time && time > 0 ? (double)(time - tally->hup_time) / 1000 : -1;
}

static void report(const struct options *options, struct tally *tally) {
    // Before the order of all answers is lost.
    double reload_p99 = percentile(tally, tally->hup_good, tally->new_good, 0.99);
    size_t all = tally->capacity;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double client = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    printf("good=%llu failed=%llu rate=%.1f", (unsigned long long)tally->good, (unsigned long long)tally->failed,
           (double)tally->good / options->seconds);
    printf(" p50=%.0f p90=%.0f p99=%.0f max=%.0f client=%.0f", percentile(tally, 0, all, 0.5),
           percentile(tally, 0, all, 0.9), percentile(tally, 0, all, 0.99), percentile(tally, 0, all, 1), client);
    for (int i = 0; i < 6; i++) printf(" status%d=%llu", i, (unsigned long long)tally->statuses[i]);
    printf(" hups=%llu last_old=%.0f first_new=%.0f reload_p99=%.0f\n", (unsigned long long)tally->hups,
           since_hup(tally, tally->last_old), since_hup(tally, tally->first_new), reload_p99);
}

int main(int count, char **arguments) {
    struct options options = {.path = "/retention-message"};
    struct bodies bodies = {0};
    struct tally tally = {.capacity = 4000000};
    if (count < 5) return 64;
    signal(SIGPIPE, SIG_IGN);
    options.port = atoi(arguments[1]);
    options.bodies = arguments[2];
    options.connections = atoi(arguments[3]);
    options.seconds = atof(arguments[4]);
    for (int i = 5; i < count; i++) {
        if (!read_option(&options, arguments[i])) return 64;
    }
    tally.latencies = calloc(tally.capacity, sizeof *tally.latencies);
    if (!tally.latencies || !bodies_read(&bodies, options.bodies)) return 66;
    if (!run_load(&options, &bodies, &tally)) return 69;
    report(&options, &tally);
    return 0;
}

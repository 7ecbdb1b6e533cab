// A library for LD_PRELOAD that changes fsync(2) and fdatasync(2) of one program, and nothing else. The environment says
// how:
//
//     SYNC_SKIPPED=1        both return at once, and nothing is synchronised
//     SYNC_DELAY=5000       both take so many microseconds longer
//     SYNC_HELD_BY=/path    both wait while this file exists
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int is_skipped;
static long delay;
static const char *holder;

__attribute__((constructor)) static void start(void) {
    const char *text = getenv("SYNC_DELAY");
    delay = text ? atol(text) : 0;
    is_skipped = getenv("SYNC_SKIPPED") != NULL;
    holder = getenv("SYNC_HELD_BY");
}

static void wait_microseconds(long count) {
    struct timespec rest = { count / 1000000, count % 1000000 * 1000 };
    while (nanosleep(&rest, &rest) != 0) {}
}

static int synchronise(long call, int file) {
    if (is_skipped) return 0;
    while (holder && access(holder, F_OK) == 0) wait_microseconds(5000);
    int result = (int)syscall(call, file);
    if (delay > 0) wait_microseconds(delay);
    return result;
}

int fsync(int file) { return synchronise(SYS_fsync, file); }
int fdatasync(int file) { return synchronise(SYS_fdatasync, file); }

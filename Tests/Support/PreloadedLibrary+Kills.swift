/// A library with which a test kills a program at an exact point, and lets time pass for several programs at once. The
/// programs themselves have no such points and no such clock.
extension PreloadedLibrary {
    /// Returns the library. Environment variables say what it does:
    ///
    /// - `KILL_AT`: the number of the point, from 1, at which the process sends itself SIGKILL. A process without the
    ///   variable is never killed. Points are before and after each call that writes to a file, synchronises, renames,
    ///   connects, sends or receives; a write to a file has one more point, at which half of the bytes are written. The calls
    ///   of SQLite are among them.
    /// - `POINT_FILE`: the file to which a process writes the number of its points when it ends.
    /// - `SHARED_CLOCK`: a file of 4,096 zeros. The clocks of all processes with this file are ahead of the real time by
    ///   the same amount.
    /// - `CLOCK_CLIENT`: a process with this variable moves the shared clock: when all such processes sleep, it is set to
    ///   the time at which the first of them wakes. So hours pass in the time that the calls take.
    public static func killingAndWarping() throws -> PreloadedLibrary {
        try PreloadedLibrary(source: PreloadedSource.head + PreloadedSource.clock + PreloadedSource.points)
    }
}

/// The C source of ``PreloadedLibrary/killingAndWarping()``.
private enum PreloadedSource {
    static let head = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <poll.h>
        #include <sched.h>
        #include <signal.h>
        #include <stdatomic.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/socket.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        """

    /// The clock. A sleeper is a process in `poll` without descriptors.
    static let clock = """
        enum { FREE, ASLEEP, AWAKE, COUNT = 64 };
        struct page {
            atomic_int lock;
            int running;
            atomic_llong offset;
            struct { int state; long long target; } sleepers[COUNT];
        };
        static struct page *page;
        static int is_client;

        static long long real(clockid_t clock) {
            struct timespec t;
            syscall(SYS_clock_gettime, clock, &t);
            return t.tv_sec * 1000000000LL + t.tv_nsec;
        }
        static long long now(void) { return real(CLOCK_MONOTONIC) + page->offset; }
        static void take(void) { while (atomic_exchange(&page->lock, 1)) sched_yield(); }
        static void give(void) { atomic_store(&page->lock, 0); }

        int clock_gettime(clockid_t clock, struct timespec *t) {
            int result = syscall(SYS_clock_gettime, clock, t);
            int is_time = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME_COARSE
                || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
            if (result || !page || !is_time) return result;
            long long ns = t->tv_sec * 1000000000LL + t->tv_nsec + page->offset;
            t->tv_sec = ns / 1000000000;
            t->tv_nsec = ns % 1000000000;
            return 0;
        }
        time_t time(time_t *result) {
            struct timespec t;
            clock_gettime(CLOCK_REALTIME, &t);
            if (result) *result = t.tv_sec;
            return t.tv_sec;
        }
        int gettimeofday(struct timeval *result, void *zone) {
            struct timespec t;
            clock_gettime(CLOCK_REALTIME, &t);
            result->tv_sec = t.tv_sec;
            result->tv_usec = t.tv_nsec / 1000;
            return 0;
        }

        static void wake(void) {
            long long first = INT64_MAX;
            for (int i = 0; i < COUNT; i++)
                if (page->sleepers[i].state == ASLEEP && page->sleepers[i].target < first)
                    first = page->sleepers[i].target;
            if (page->running == 0 && first != INT64_MAX && first > now()) page->offset += first - now();
            long long present = now();
            for (int i = 0; i < COUNT; i++)
                if (page->sleepers[i].state == ASLEEP && page->sleepers[i].target <= present) {
                    page->sleepers[i].state = AWAKE;
                    page->running++;
                }
        }
        static void sleep_fast(long long ns) {
            struct timespec pause = { 0, 200000 };
            int own = 0;
            take();
            while (own < COUNT && page->sleepers[own].state != FREE) own++;
            if (own == COUNT) abort();
            page->sleepers[own].state = ASLEEP;
            page->sleepers[own].target = now() + ns;
            page->running--;
            for (wake(); page->sleepers[own].state != AWAKE; wake()) {
                give();
                syscall(SYS_nanosleep, &pause, NULL);
                take();
            }
            page->sleepers[own].state = FREE;
            give();
        }
        int poll(struct pollfd *list, nfds_t count, int timeout) {
            if (is_client && count == 0 && timeout > 0) {
                sleep_fast(timeout * 1000000LL);
                return 0;
            }
            struct timespec t = { timeout / 1000, timeout % 1000 * 1000000LL };
            return syscall(SYS_ppoll, list, count, timeout < 0 ? NULL : &t, NULL, 8);
        }

        static void count_client(int change) {
            if (!is_client) return;
            take();
            page->running += change;
            give();
            if (change < 0) is_client = 0;
        }
        static void start_clock(void) {
            const char *path = getenv("SHARED_CLOCK");
            if (!path) return;
            int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
            void *found = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (file < 0 || found == MAP_FAILED) abort();
            close(file);
            page = found;
            is_client = getenv("CLOCK_CLIENT") != NULL;
            count_client(1);
        }

        """

    static let points = """
        static atomic_long passed;
        static long last;
        static int is_counting;

        static void pass(void) {
            if (!is_counting || atomic_fetch_add(&passed, 1) + 1 != last) return;
            count_client(-1);
            kill(getpid(), SIGKILL);
            for (;;) pause();
        }
        static int kind(int file) {
            struct stat status;
            if (!is_counting || file <= 2 || fstat(file, &status)) return 0;
            return S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode) ? status.st_mode & S_IFMT : 0;
        }

        ssize_t write(int file, const void *bytes, size_t count) {
            int found = kind(file);
            if (!found) return syscall(SYS_write, file, bytes, count);
            pass();
            if (found == S_IFREG && count > 1) {
                if (passed + 1 == last) syscall(SYS_write, file, bytes, count / 2);
                pass();
            }
            ssize_t result = syscall(SYS_write, file, bytes, count);
            pass();
            return result;
        }
        static ssize_t put(int file, const void *bytes, size_t count, off_t place) {
            return syscall(SYS_pwrite64, file, bytes, count, place);
        }
        ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
            pass();
            if (count > 1) {
                if (is_counting && passed + 1 == last) put(file, bytes, count / 2, place);
                pass();
            }
            ssize_t result = put(file, bytes, count, place);
            pass();
            return result;
        }
        ssize_t pwrite64(int file, const void *bytes, size_t count, off_t place) {
            return pwrite(file, bytes, count, place);
        }
        ssize_t send(int file, const void *bytes, size_t count, int flags) {
            pass();
            ssize_t result = syscall(SYS_sendto, file, bytes, count, flags, NULL, 0);
            if (result > 0) pass();
            return result;
        }
        ssize_t recv(int file, void *bytes, size_t count, int flags) {
            ssize_t result = syscall(SYS_recvfrom, file, bytes, count, flags, NULL, NULL);
            if (result > 0) pass();
            return result;
        }
        ssize_t read(int file, void *bytes, size_t count) {
            ssize_t result = syscall(SYS_read, file, bytes, count);
            if (result > 0 && kind(file) == S_IFSOCK) pass();
            return result;
        }
        int connect(int file, const struct sockaddr *address, socklen_t length) {
            pass();
            int result = syscall(SYS_connect, file, address, length);
            pass();
            return result;
        }
        int fsync(int file) {
            pass();
            int result = syscall(SYS_fsync, file);
            pass();
            return result;
        }
        int fdatasync(int file) {
            pass();
            int result = syscall(SYS_fdatasync, file);
            pass();
            return result;
        }
        int rename(const char *from, const char *to) {
            pass();
            int result = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
            pass();
            return result;
        }

        __attribute__((constructor)) static void begin(void) {
            const char *number = getenv("KILL_AT");
            last = number ? atol(number) : 0;
            is_counting = number || getenv("POINT_FILE");
            start_clock();
        }
        __attribute__((destructor)) static void end(void) {
            const char *path = getenv("POINT_FILE");
            if (path) {
                FILE *file = fopen(path, "w");
                if (file) {
                    fprintf(file, "%ld", (long)passed);
                    fclose(file);
                }
            }
            count_client(-1);
        }
        """
}

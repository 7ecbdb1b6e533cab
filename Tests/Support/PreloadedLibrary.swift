/// A library that is loaded into a program before its `main` (`LD_PRELOAD`, ld.so(8)), compiled for one test.
package struct PreloadedLibrary: Sendable {
    package let environment: String
    private let folder: TemporaryDirectory

    package init(source: String) throws {
        folder = try TemporaryDirectory()
        let (input, output) = (folder.path(of: "library.c"), folder.path(of: "library.so"))
        try folder.write(source, to: "library.c")
        let run = try ProgramRun.run("gcc", ["-shared", "-fPIC", "-Wall", "-Werror", "-o", output, input])
        guard run.status == 0 else { throw Failure(errors: run.errors) }
        environment = "LD_PRELOAD=\(output)"
    }

    package struct Failure: Error {
        package let errors: String
    }

    /// Returns a library that sets an environment variable before `main`, as libraries for measuring or tracing do.
    /// This moves the environment in memory.
    package static func settingVariable() throws -> PreloadedLibrary {
        try PreloadedLibrary(
            source: """
                #include <stdlib.h>
                __attribute__((constructor)) static void set(void) { setenv("SET_BY_A_LIBRARY", "1", 1); }
                """
        )
    }

    package enum DiskCall: String, Sendable, CaseIterable {
        case open
        case write
    }

    /// Returns a library that makes processes with a name (comm, proc(5)) stand still in calls to files whose path ends with
    /// `suffix`, as on a disk that hangs, until there is a file at `end`. Other processes go on.
    package static func hanging(
        _ call: DiskCall, ofProcess name: String, to suffix: String, until end: String
    )
        throws -> PreloadedLibrary
    {
        try PreloadedLibrary(
            source: """
                #define _GNU_SOURCE
                #include <fcntl.h>
                #include <stdarg.h>
                #include <stdio.h>
                #include <string.h>
                #include <sys/prctl.h>
                #include <sys/syscall.h>
                #include <unistd.h>
                static void hang(const char *path) {
                    char name[17] = { 0 };
                    size_t length = strlen(path), end = strlen("\(suffix)");
                    prctl(PR_GET_NAME, name);
                    if (strcmp(name, "\(name)") || length < end || strcmp(path + length - end, "\(suffix)")) return;
                    while (access("\(end)", F_OK)) usleep(2000);
                }
                ssize_t write(int file, const void *bytes, size_t count) {
                    char link[32], path[4096] = { 0 };
                    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
                    if (!strcmp("\(call)", "write") && readlink(link, path, sizeof path - 1) > 0) hang(path);
                    return syscall(SYS_write, file, bytes, count);
                }
                int open(const char *path, int flags, ...) {
                    va_list list;
                    va_start(list, flags);
                    mode_t mode = va_arg(list, mode_t);
                    va_end(list);
                    if (!strcmp("\(call)", "open")) hang(path);
                    return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
                }
                int open64(const char *path, int flags, ...) __attribute__((alias("open")));
                """
        )
    }

    /// Returns a library that sets the wall clock of the process, and no other clock: it is ahead by as many seconds as
    /// the file says that the environment variable `WALL_CLOCK` names. Without the file it is right.
    package static func settingWallClock() throws -> PreloadedLibrary {
        try PreloadedLibrary(
            source: """
                #define _GNU_SOURCE
                #include <fcntl.h>
                #include <stdlib.h>
                #include <sys/syscall.h>
                #include <time.h>
                #include <unistd.h>
                static const char *path;
                __attribute__((constructor)) static void find(void) { path = getenv("WALL_CLOCK"); }
                int clock_gettime(clockid_t clock, struct timespec *now) {
                    char text[32] = { 0 };
                    int result = syscall(SYS_clock_gettime, clock, now);
                    if (result || clock != CLOCK_REALTIME || !path) return result;
                    int file = open(path, O_RDONLY | O_CLOEXEC);
                    if (file < 0) return 0;
                    if (read(file, text, sizeof text - 1) > 0) now->tv_sec += atol(text);
                    close(file);
                    return 0;
                }
                """
        )
    }

    /// Returns a library that sends the process a signal when the process first sets its own name (prctl(2)), which is
    /// among the first things that the daemon does. The environment variable `SIGNAL_AT_START` has the number of the
    /// signal. Processes that the daemon starts get no signal.
    package static func signallingAtStart() throws -> PreloadedLibrary {
        try PreloadedLibrary(
            source: """
                #define _GNU_SOURCE
                #include <signal.h>
                #include <stdarg.h>
                #include <stdlib.h>
                #include <sys/prctl.h>
                #include <sys/syscall.h>
                #include <unistd.h>
                int prctl(int option, ...) {
                    va_list list;
                    va_start(list, option);
                    unsigned long a = va_arg(list, unsigned long), b = va_arg(list, unsigned long);
                    unsigned long c = va_arg(list, unsigned long), d = va_arg(list, unsigned long);
                    va_end(list);
                    const char *number = getenv("SIGNAL_AT_START");
                    if (number && option == PR_SET_NAME) {
                        int signal = atoi(number);
                        unsetenv("SIGNAL_AT_START");
                        kill(getpid(), signal);
                    }
                    return syscall(SYS_prctl, option, a, b, c, d);
                }
                """
        )
    }
}

/// A library with which a test kills a program at an exact point. The programs themselves have no such points.
extension PreloadedLibrary {
    /// Returns the library. Environment variables say what it does:
    ///
    /// - `KILL_AT`: the number of the point, from 1, at which the process sends itself SIGKILL. A process without the
    ///   variable is never killed. Points are before and after each call that writes to a file, synchronises, renames,
    ///   connects, sends or receives; a write to a file has one more point, at which half of the bytes are written. The calls
    ///   of SQLite are among them.
    /// - `POINT_FILE`: the file to which a process writes the number of its points when it ends.
    package static func killing() throws -> PreloadedLibrary {
        try PreloadedLibrary(source: PreloadedSource.head + PreloadedSource.points)
    }
}

/// The C source of ``PreloadedLibrary/killing()``.
private enum PreloadedSource {
    static let head = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <signal.h>
        #include <stdatomic.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/socket.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <unistd.h>

        """

    static let points = """
        static atomic_long passed;
        static long last;
        static int is_counting;

        static void pass(void) {
            if (!is_counting || atomic_fetch_add(&passed, 1) + 1 != last) return;
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
        }
        """
}

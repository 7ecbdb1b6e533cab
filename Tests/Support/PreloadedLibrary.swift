/// A library that is loaded into a program before its `main` (`LD_PRELOAD`, ld.so(8)), compiled for one test.
public struct PreloadedLibrary: Sendable {
    /// The entry of the environment that makes the dynamic loader load the library.
    public let environment: String
    private let folder: TemporaryDirectory

    /// Compiles the library from C source.
    public init(source: String) throws {
        folder = try TemporaryDirectory()
        let (input, output) = (folder.path(of: "library.c"), folder.path(of: "library.so"))
        try folder.write(source, to: "library.c")
        let run = try ProgramRun.run("gcc", ["-shared", "-fPIC", "-Wall", "-Werror", "-o", output, input])
        guard run.status == 0 else { throw Failure(errors: run.errors) }
        environment = "LD_PRELOAD=\(output)"
    }

    /// The compiler refused the source.
    public struct Failure: Error {
        /// The compiler's messages.
        public let errors: String
    }

    /// Returns a library that sets an environment variable before `main`, as libraries for measuring or tracing do.
    /// This moves the environment in memory.
    public static func settingVariable() throws -> PreloadedLibrary {
        try PreloadedLibrary(
            source: """
                #include <stdlib.h>
                __attribute__((constructor)) static void set(void) { setenv("SET_BY_A_LIBRARY", "1", 1); }
                """
        )
    }

    /// A call that a disk can hold up.
    public enum DiskCall: String, Sendable, CaseIterable {
        case open
        case write
    }

    /// Returns a library that makes processes with a name (comm, proc(5)) stand still in calls to files whose path ends with
    /// `suffix`, as on a disk that hangs, until there is a file at `end`. Other processes go on.
    public static func hanging(_ call: DiskCall, ofProcess name: String, to suffix: String, until end: String)
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
    public static func settingWallClock() throws -> PreloadedLibrary {
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
    public static func signallingAtStart() throws -> PreloadedLibrary {
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

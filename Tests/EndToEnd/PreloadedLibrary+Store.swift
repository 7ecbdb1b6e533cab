import Support

/// Libraries between a program and the files of its store, or between the program and SQLite. They do damage that the program
/// itself cannot do, or keep what a power cut would leave.
extension PreloadedLibrary {
    /// Returns a library that tells the program that a commit of notifications has ended, and performs the commit up to a second
    /// later, together with those that follow.
    static func answeringBeforeCommit() throws -> PreloadedLibrary {
        try PreloadedLibrary(source: StoreSource.earlyAnswers)
    }

    /// Returns a library that changes the SQL that the program gives to SQLite: the first occurrence of each text.
    static func replacingSQL(_ changes: [(old: String, new: String)]) throws -> PreloadedLibrary {
        try PreloadedLibrary(source: StoreSource.replacing(changes))
    }

    /// Returns a library that copies a file of the store whenever the program has waited for the disk (fsync(2), fdatasync(2)):
    /// `NAME.durable` then has what a power cut would leave, when it drops everything that was not synchronized. Files of
    /// the store have `notifications.db` in their names.
    static func keepingDurable(_ changes: [(old: String, new: String)] = []) throws -> PreloadedLibrary {
        try PreloadedLibrary(source: StoreSource.durable + StoreSource.replacing(changes))
    }

    /// Returns a library that holds a program in the middle of VACUUM, where it has SQLite's lock for writing, for as long as
    /// the file exists that the environment variable `HOLD_FILE` names.
    static func holdingCompaction() throws -> PreloadedLibrary {
        try PreloadedLibrary(source: StoreSource.heldCompaction)
    }
}

/// The C sources.
private enum StoreSource {
    private static let head = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <limits.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        typedef struct sqlite3 sqlite3;
        typedef struct sqlite3_stmt sqlite3_stmt;
        const char *sqlite3_sql(sqlite3_stmt *statement);

        """

    static let earlyAnswers =
        head + """
            static int is_pending, has_rows;
            static struct timespec since;
            int sqlite3_step(sqlite3_stmt *statement) {
                static int (*step)(sqlite3_stmt *);
                if (!step) step = dlsym(RTLD_NEXT, "sqlite3_step");
                const char *sql = sqlite3_sql(statement);
                if (!sql) return step(statement);
                if (!strncmp(sql, "INSERT INTO notifications", 25)) has_rows = 1;
                if (!strncmp(sql, "BEGIN", 5) && is_pending) return 101;
                if (!strcmp(sql, "COMMIT") && has_rows) {
                    struct timespec now;
                    clock_gettime(CLOCK_MONOTONIC, &now);
                    if (!is_pending) since = now;
                    is_pending = now.tv_sec - since.tv_sec < 1 || now.tv_nsec < since.tv_nsec;
                    if (is_pending) return 101;
                    has_rows = 0;
                }
                return step(statement);
            }
            """

    static func replacing(_ changes: [(old: String, new: String)]) -> String {
        let rows = changes.map { "{ \"\($0.old)\", \"\($0.new)\" }," }.joined(separator: "\n")
        return head + """
            static const char *changes[][2] = { \(rows) { 0, 0 } };
            int sqlite3_prepare_v3(
                sqlite3 *db, const char *sql, int length, unsigned flags, sqlite3_stmt **statement, const char **tail) {
                static int (*prepare)(sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **);
                if (!prepare) prepare = dlsym(RTLD_NEXT, "sqlite3_prepare_v3");
                for (int i = 0; changes[i][0]; i++) {
                    const char *found = strstr(sql, changes[i][0]);
                    if (!found) continue;
                    char *changed = NULL;
                    int count = asprintf(&changed, "%.*s%s%s", (int)(found - sql), sql, changes[i][1],
                        found + strlen(changes[i][0]));
                    if (count < 0) abort();
                    int result = prepare(db, changed, -1, flags, statement, NULL);
                    free(changed);
                    return result;
                }
                return prepare(db, sql, length, flags, statement, tail);
            }

            """
    }

    static let durable =
        head + """
            static void keep(int file) {
                static char bytes[1 << 16];
                char link[64], path[PATH_MAX + 1], temporary[PATH_MAX + 16], durable[PATH_MAX + 16];
                snprintf(link, sizeof link, "/proc/self/fd/%d", file);
                ssize_t length = readlink(link, path, PATH_MAX);
                if (length <= 0) return;
                path[length] = 0;
                if (!strstr(path, "notifications.db")) return;
                snprintf(temporary, sizeof temporary, "%s.copying", path);
                snprintf(durable, sizeof durable, "%s.durable", path);
                int copy = open(temporary, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
                if (copy < 0) abort();
                off_t place = 0;
                ssize_t count;
                while ((count = pread(file, bytes, sizeof bytes, place)) > 0) {
                    if (write(copy, bytes, count) != count) abort();
                    place += count;
                }
                close(copy);
                if (count < 0 || rename(temporary, durable)) abort();
            }
            int fsync(int file) {
                int result = syscall(SYS_fsync, file);
                if (!result) keep(file);
                return result;
            }
            int fdatasync(int file) {
                int result = syscall(SYS_fdatasync, file);
                if (!result) keep(file);
                return result;
            }

            """

    static let heldCompaction =
        head + """
            static __thread int is_compacting;
            int sqlite3_step(sqlite3_stmt *statement) {
                static int (*step)(sqlite3_stmt *);
                if (!step) step = dlsym(RTLD_NEXT, "sqlite3_step");
                const char *sql = sqlite3_sql(statement);
                // SQLite calls this function itself while it compacts.
                int before = is_compacting;
                if (sql && !strcmp(sql, "VACUUM")) is_compacting = 1;
                int result = step(statement);
                is_compacting = before;
                return result;
            }
            static void hold(int file) {
                char link[64], path[PATH_MAX + 1];
                snprintf(link, sizeof link, "/proc/self/fd/%d", file);
                ssize_t length = is_compacting ? readlink(link, path, PATH_MAX) : 0;
                if (length < 4 || memcmp(path + length - 4, "-wal", 4)) return;
                const char *name = getenv("HOLD_FILE");
                while (name && !access(name, F_OK)) usleep(1000);
            }
            ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
                hold(file);
                return syscall(SYS_pwrite64, file, bytes, count, place);
            }
            ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
                hold(file);
                return syscall(SYS_pwrite64, file, bytes, count, place);
            }
            """
}

import Support

/// Libraries between a program and the files of its store, or between the program and SQLite or PostgreSQL. They do damage that
/// the program itself cannot do, or keep what a power cut would leave.
extension PreloadedLibrary {
    /// Returns a library that tells the program that a commit of notifications has ended, and performs the commit up to a second
    /// later, together with those that follow.
    static func answeringBeforeCommit() throws -> PreloadedLibrary {
        try PreloadedLibrary(source: StoreSource.earlyAnswers)
    }

    /// Returns a library that changes the SQL that the program gives to SQLite or PostgreSQL: of each statement, the first
    /// occurrence of the first of these texts that it has.
    static func replacingSQL(_ changes: [(old: String, new: String)]) throws -> PreloadedLibrary {
        try PreloadedLibrary(source: StoreSource.replacing(changes))
    }

    /// Returns a library that copies a file of the store whenever the program has waited for the disk (fsync(2), fdatasync(2)):
    /// `NAME.durable` then has what a power cut would leave, when it drops everything that was not synchronized. Files of
    /// the store have `notifications.db` in their names.
    static func keepingDurable(_ changes: [(old: String, new: String)] = []) throws -> PreloadedLibrary {
        try PreloadedLibrary(source: StoreSource.durable + StoreSource.replacing(changes))
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
        typedef struct pg_conn PGconn;
        typedef struct pg_result PGresult;
        const char *sqlite3_sql(sqlite3_stmt *statement);
        int PQsendQueryParams(PGconn *, const char *, int, const unsigned *, const char *const *, const int *, const int *, int);

        """

    static let earlyAnswers =
        head + """
            static int is_pending, has_rows;
            static struct timespec since;
            // Returns 1 for a statement that is not run and counts as run: the commits of a second, and what begins the next
            // transactions meanwhile.
            static int is_skipped(const char *sql) {
                if (!strncmp(sql, "INSERT INTO notifications", 25)) has_rows = 1;
                if (!strncmp(sql, "BEGIN", 5)) return is_pending;
                if (strcmp(sql, "COMMIT") || !has_rows) return 0;
                struct timespec now;
                clock_gettime(CLOCK_MONOTONIC, &now);
                if (!is_pending) since = now;
                is_pending = now.tv_sec - since.tv_sec < 1 || now.tv_nsec < since.tv_nsec;
                if (!is_pending) has_rows = 0;
                return is_pending;
            }
            int sqlite3_step(sqlite3_stmt *statement) {
                static int (*step)(sqlite3_stmt *);
                if (!step) step = dlsym(RTLD_NEXT, "sqlite3_step");
                const char *sql = sqlite3_sql(statement);
                return sql && is_skipped(sql) ? 101 : step(statement);
            }

            // The texts of prepared statements, by the numbers in their names.
            static char *texts[1024];
            int PQsendPrepare(PGconn *link, const char *name, const char *sql, int count, const unsigned *types) {
                static int (*prepare)(PGconn *, const char *, const char *, int, const unsigned *);
                if (!prepare) prepare = dlsym(RTLD_NEXT, "PQsendPrepare");
                int number = atoi(name + 1);
                if (number < 0 || number >= 1024) abort();
                free(texts[number]);
                texts[number] = strdup(sql);
                return prepare(link, name, sql, count, types);
            }
            int PQsendQueryPrepared(
                PGconn *link, const char *name, int count, const char *const *values, const int *lengths,
                const int *formats, int format) {
                static int (*run)(PGconn *, const char *, int, const char *const *, const int *, const int *, int);
                if (!run) run = dlsym(RTLD_NEXT, "PQsendQueryPrepared");
                // The server must answer something. This leaves the transaction as it is.
                if (is_skipped(texts[atoi(name + 1)]))
                    return PQsendQueryParams(link, "SAVEPOINT skipped", 0, NULL, NULL, NULL, NULL, 0);
                return run(link, name, count, values, lengths, formats, format);
            }
            char *PQcmdStatus(PGresult *result) {
                static char *(*status)(PGresult *);
                if (!status) status = dlsym(RTLD_NEXT, "PQcmdStatus");
                char *text = status(result);
                return text && !strcmp(text, "SAVEPOINT") ? "COMMIT" : text;
            }
            """

    static func replacing(_ changes: [(old: String, new: String)]) -> String {
        let rows = changes.map { "{ \"\($0.old)\", \"\($0.new)\" }," }.joined(separator: "\n")
        return head + """
            static const char *changes[][2] = { \(rows) { 0, 0 } };
            // Returns the changed text, or NULL for a text that stays.
            static char *change(const char *sql) {
                for (int i = 0; changes[i][0]; i++) {
                    const char *found = strstr(sql, changes[i][0]);
                    if (!found) continue;
                    char *changed = NULL;
                    int count = asprintf(&changed, "%.*s%s%s", (int)(found - sql), sql, changes[i][1],
                        found + strlen(changes[i][0]));
                    if (count < 0) abort();
                    return changed;
                }
                return NULL;
            }
            int sqlite3_prepare_v3(
                sqlite3 *db, const char *sql, int length, unsigned flags, sqlite3_stmt **statement, const char **tail) {
                static int (*prepare)(sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **);
                if (!prepare) prepare = dlsym(RTLD_NEXT, "sqlite3_prepare_v3");
                char *changed = change(sql);
                if (!changed) return prepare(db, sql, length, flags, statement, tail);
                int result = prepare(db, changed, -1, flags, statement, NULL);
                free(changed);
                return result;
            }
            int PQsendPrepare(PGconn *link, const char *name, const char *sql, int count, const unsigned *types) {
                static int (*prepare)(PGconn *, const char *, const char *, int, const unsigned *);
                if (!prepare) prepare = dlsym(RTLD_NEXT, "PQsendPrepare");
                char *changed = change(sql);
                int result = prepare(link, name, changed ? changed : sql, count, types);
                free(changed);
                return result;
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
}

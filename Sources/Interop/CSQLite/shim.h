// SQLite's C interface (sqlite.org/c3ref). What Swift cannot call has a typed inline wrapper: destructors that are casts of
// numbers, and variadic functions.
#ifndef RETENTION_CSQLITE_SHIM_H
#define RETENTION_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <stddef.h>

// SQLite copies the bytes before these functions return. A null pointer would bind NULL, so no bytes have a pointer too.
static inline int rt_sqlite_bind_text(sqlite3_stmt *statement, int place, const void *bytes, size_t count) {
    const char *text = count > 0 ? (const char *)bytes : "";
    return sqlite3_bind_text64(statement, place, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int rt_sqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, size_t count) {
    return sqlite3_bind_blob64(statement, place, count > 0 ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline int rt_sqlite_db_config(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

// SQLite counts its memory under a lock that every thread takes for each block, unless this is called before all other calls.
static inline int rt_sqlite_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif

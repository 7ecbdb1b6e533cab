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

// How far the write-ahead log is written again. All zero before the first part.
struct rt_sqlite_log_place {
    // The header of the log that the first part found.
    unsigned char header[32];
    sqlite3_int64 next, end;
    int is_done;
};

// Writes a part of the write-ahead log again as it is, about `limit` bytes, and waits for the disk. The caller holds the lock
// for writing, so nobody changes the log meanwhile. Between two parts others may write: they wait for the disk themselves, and
// where one of them began the log anew, the database has what was in it. Frames behind the first one with another salt belong
// to an older log.
static inline int rt_sqlite_write_log_again(
    sqlite3 *database, struct rt_sqlite_log_place *place, sqlite3_int64 limit
) {
    sqlite3_file *file = NULL;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (result != SQLITE_OK) return result;
    unsigned char header[32];
    const int header_count = (int)sizeof header, frame_header_count = 24;
    sqlite3_int64 size = 0;
    place->is_done = 1;
    if (!file || !file->pMethods) return SQLITE_OK;
    result = file->pMethods->xFileSize(file, &size);
    if (result != SQLITE_OK || size <= header_count) return result;
    result = file->pMethods->xRead(file, header, header_count, 0);
    if (result != SQLITE_OK) return result;
    if (place->next == 0) {
        __builtin_memcpy(place->header, header, sizeof header);
        place->next = header_count;
        place->end = size;
        result = file->pMethods->xWrite(file, header, header_count, 0);
        if (result != SQLITE_OK) return result;
    } else if (__builtin_memcmp(place->header, header, sizeof header) != 0) {
        return SQLITE_OK;
    }
    const int page_count = header[8] << 24 | header[9] << 16 | header[10] << 8 | header[11];
    // SQLite takes nothing from a log with another size.
    if (page_count < 512 || page_count > 65536) return SQLITE_OK;
    const int frame_count = frame_header_count + page_count;
    unsigned char *frame = sqlite3_malloc(frame_count);
    if (!frame) return SQLITE_NOMEM;
    for (const sqlite3_int64 start = place->next; place->next + frame_count <= place->end; place->next += frame_count) {
        place->is_done = place->next - start < limit;
        if (!place->is_done) break;
        result = file->pMethods->xRead(file, frame, frame_count, place->next);
        if (result != SQLITE_OK || __builtin_memcmp(frame + 8, header + 16, 8) != 0) break;
        result = file->pMethods->xWrite(file, frame, frame_count, place->next);
        if (result != SQLITE_OK) break;
    }
    sqlite3_free(frame);
    return result == SQLITE_OK ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) : result;
}

// Takes the exclusive lock on the file, which no connection that has read something leaves room for.
static inline int rt_sqlite_lock_file(sqlite3 *database) {
    sqlite3_file *file = NULL;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return result;
    result = file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
    return result == SQLITE_OK ? file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE) : result;
}

// SQLite counts its memory under a lock that every thread takes for each block, unless this is called before all other calls.
static inline int rt_sqlite_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif

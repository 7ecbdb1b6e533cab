// Bare inserting: a prepared INSERT of the received bytes into a table of SQLite, in transactions of a given size, with a
// write-ahead log and synchronous=FULL.
#include <sqlite3.h>
#include <stdlib.h>

#include "baseline.h"

struct baseline_inserter {
    sqlite3 *database;
    sqlite3_stmt *insert;
};

baseline_inserter *baseline_inserter_open(const char *path) {
    baseline_inserter *inserter = calloc(1, sizeof *inserter);
    if (!inserter) return NULL;
    const char *setup = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT";
    if (sqlite3_open(path, &inserter->database) == SQLITE_OK
        && sqlite3_exec(inserter->database, setup, NULL, NULL, NULL) == SQLITE_OK
        && sqlite3_prepare_v2(inserter->database, "INSERT INTO bodies (body) VALUES (?)", -1, &inserter->insert, NULL)
            == SQLITE_OK)
        return inserter;
    baseline_inserter_close(inserter);
    return NULL;
}

void baseline_inserter_close(baseline_inserter *inserter) {
    if (!inserter) return;
    sqlite3_finalize(inserter->insert);
    sqlite3_close(inserter->database);
    free(inserter);
}

uint64_t baseline_inserter_insert(
    baseline_inserter *inserter, const uint8_t *const *bodies, const size_t *lengths, size_t count
) {
    uint64_t start = baseline_thread_nanoseconds();
    int good = sqlite3_exec(inserter->database, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
    for (size_t i = 0; good && i < count; i++) {
        good = sqlite3_bind_blob64(inserter->insert, 1, bodies[i], lengths[i], SQLITE_STATIC) == SQLITE_OK
            && sqlite3_step(inserter->insert) == SQLITE_DONE;
        sqlite3_reset(inserter->insert);
    }
    good = good && sqlite3_exec(inserter->database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    return good ? baseline_thread_nanoseconds() - start : 0;
}

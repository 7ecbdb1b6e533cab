// A layer below SQLite (sqlite.org/vfs.html) for tests. It passes every call on to the system's layer, and records what
// reaches the files, so that a test can build the files that a power cut would have left. On demand, calls fail.
#ifndef RECORDING_FILES_H
#define RECORDING_FILES_H

#include <stdint.h>

// The calls that are recorded, or that fail. Numbers of calls are combined with |.
enum recorded_call {
    RECORDED_WRITE = 1,
    RECORDED_TRUNCATE = 2,
    RECORDED_SYNC = 4,
    RECORDED_DELETE = 8,
    // A mark that the test sets between calls.
    RECORDED_MARK = 16,
    RECORDED_OPEN = 32,
    // Reading is not recorded and can only fail.
    CALL_READ = 64,
    // A synchronization that failed.
    RECORDED_LOST_SYNC = 128,
};

// The files of a database.
enum recorded_file {
    RECORDED_DATABASE = 0,
    RECORDED_LOG = 1,
    RECORDED_JOURNAL = 2,
    RECORDED_OTHER = 3,
};

struct file_record {
    enum recorded_call call;
    enum recorded_file file;
    // Of a write: its place and its bytes. Of a truncation: the new size is `offset`. Of a mark: its number is `offset`.
    int64_t offset;
    int64_t count;
    const unsigned char *bytes;
};

struct recording_files;

// Makes a layer and registers it under a name, which no other layer may have. Returns NULL when there is no memory.
struct recording_files *recording_files_make(const char *name);

// Removes the layer and its records. No database may be open through it.
void recording_files_free(struct recording_files *files);

// Lets the call number `after`, counted from 0 and from now, among the calls in `calls`, and every later one, fail with a
// result of SQLite. With a negative `after` nothing fails.
void recording_files_fail(struct recording_files *files, int calls, int64_t after, int result);

// Lets the next call among the calls in `calls` fail, and no later one.
void recording_files_fail_once(struct recording_files *files, int calls, int result);

// Returns true when a call has failed since recording_files_fail.
int recording_files_has_failed(const struct recording_files *files);

// Adds a mark to the records.
void recording_files_mark(struct recording_files *files, int64_t number);

int64_t recording_files_count(const struct recording_files *files);

// Returns a record. It is valid until the layer is freed, unless a further call is recorded.
struct file_record recording_files_at(const struct recording_files *files, int64_t index);

#endif

#include "recording_files.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct recording_files {
    sqlite3_vfs vfs;
    sqlite3_vfs *system;
    char *name;
    struct file_record *records;
    int64_t count;
    int64_t room;
    int failing_calls;
    int64_t calls_before_failure;
    int64_t failures_left;
    int failure;
    int has_failed;
};

struct recording_file {
    sqlite3_file base;
    struct recording_files *files;
    enum recorded_file kind;
    // The file of the system's layer follows in the same memory.
    sqlite3_file *real;
};

static struct recording_file *own(sqlite3_file *file) { return (struct recording_file *)file; }

static void record(
    struct recording_files *files, enum recorded_call call, enum recorded_file file, int64_t offset, const void *bytes,
    int64_t count
) {
    if (files->count == files->room) {
        int64_t room = files->room > 0 ? files->room * 2 : 1024;
        struct file_record *records = realloc(files->records, (size_t)room * sizeof *records);
        if (!records) abort();
        files->records = records;
        files->room = room;
    }
    unsigned char *copy = NULL;
    if (count > 0) {
        copy = malloc((size_t)count);
        if (!copy) abort();
        memcpy(copy, bytes, (size_t)count);
    }
    files->records[files->count++] = (struct file_record){call, file, offset, count, copy};
}

// Returns the result with which a call must fail, or SQLITE_OK.
static int failure(struct recording_files *files, int call) {
    if (files->calls_before_failure < 0 || !(files->failing_calls & call)) return SQLITE_OK;
    if (files->calls_before_failure > 0) {
        files->calls_before_failure--;
        return SQLITE_OK;
    }
    files->has_failed = 1;
    if (files->failures_left > 0 && --files->failures_left == 0) files->calls_before_failure = -1;
    return files->failure;
}

static int file_close(sqlite3_file *file) { return own(file)->real->pMethods->xClose(own(file)->real); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int result = failure(own(file)->files, CALL_READ);
    if (result != SQLITE_OK) return result;
    return own(file)->real->pMethods->xRead(own(file)->real, bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int result = failure(own(file)->files, RECORDED_WRITE);
    if (result != SQLITE_OK) return result;
    result = own(file)->real->pMethods->xWrite(own(file)->real, bytes, count, offset);
    if (result == SQLITE_OK) record(own(file)->files, RECORDED_WRITE, own(file)->kind, offset, bytes, count);
    return result;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int result = failure(own(file)->files, RECORDED_TRUNCATE);
    if (result != SQLITE_OK) return result;
    result = own(file)->real->pMethods->xTruncate(own(file)->real, size);
    if (result == SQLITE_OK) record(own(file)->files, RECORDED_TRUNCATE, own(file)->kind, size, NULL, 0);
    return result;
}

static int file_sync(sqlite3_file *file, int flags) {
    int result = failure(own(file)->files, RECORDED_SYNC);
    if (result != SQLITE_OK) {
        record(own(file)->files, RECORDED_LOST_SYNC, own(file)->kind, 0, NULL, 0);
        return result;
    }
    result = own(file)->real->pMethods->xSync(own(file)->real, flags);
    if (result == SQLITE_OK) record(own(file)->files, RECORDED_SYNC, own(file)->kind, 0, NULL, 0);
    return result;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return own(file)->real->pMethods->xFileSize(own(file)->real, size);
}

static int file_lock(sqlite3_file *file, int lock) { return own(file)->real->pMethods->xLock(own(file)->real, lock); }

static int file_unlock(sqlite3_file *file, int lock) {
    return own(file)->real->pMethods->xUnlock(own(file)->real, lock);
}

static int file_check_lock(sqlite3_file *file, int *result) {
    return own(file)->real->pMethods->xCheckReservedLock(own(file)->real, result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return own(file)->real->pMethods->xFileControl(own(file)->real, operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return own(file)->real->pMethods->xSectorSize(own(file)->real); }

static int file_characteristics(sqlite3_file *file) {
    return own(file)->real->pMethods->xDeviceCharacteristics(own(file)->real);
}

static int file_map_shared(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    return own(file)->real->pMethods->xShmMap(own(file)->real, region, size, extend, memory);
}

static int file_lock_shared(sqlite3_file *file, int offset, int count, int flags) {
    return own(file)->real->pMethods->xShmLock(own(file)->real, offset, count, flags);
}

static void file_barrier(sqlite3_file *file) { own(file)->real->pMethods->xShmBarrier(own(file)->real); }

static int file_unmap_shared(sqlite3_file *file, int deletes) {
    return own(file)->real->pMethods->xShmUnmap(own(file)->real, deletes);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_map_shared,
    .xShmLock = file_lock_shared,
    .xShmBarrier = file_barrier,
    .xShmUnmap = file_unmap_shared,
};

static struct recording_files *own_vfs(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *given) {
    struct recording_files *files = own_vfs(vfs);
    file->pMethods = NULL;
    int result = failure(files, RECORDED_OPEN);
    if (result != SQLITE_OK) return result;
    own(file)->files = files;
    own(file)->kind = flags & SQLITE_OPEN_MAIN_DB ? RECORDED_DATABASE
        : flags & SQLITE_OPEN_WAL                 ? RECORDED_LOG
        : flags & SQLITE_OPEN_MAIN_JOURNAL        ? RECORDED_JOURNAL
                                                  : RECORDED_OTHER;
    own(file)->real = (sqlite3_file *)((char *)file + sizeof(struct recording_file));
    result = files->system->xOpen(files->system, name, own(file)->real, flags, given);
    if (result == SQLITE_OK) {
        file->pMethods = &methods;
        record(files, RECORDED_OPEN, own(file)->kind, 0, NULL, 0);
    }
    return result;
}

static int ends_with(const char *text, const char *end) {
    size_t count = strlen(text), end_count = strlen(end);
    return count >= end_count && strcmp(text + count - end_count, end) == 0;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs_directory) {
    struct recording_files *files = own_vfs(vfs);
    int result = failure(files, RECORDED_DELETE);
    if (result != SQLITE_OK) return result;
    result = files->system->xDelete(files->system, name, syncs_directory);
    enum recorded_file kind = ends_with(name, "-wal") ? RECORDED_LOG
        : ends_with(name, "-journal")                 ? RECORDED_JOURNAL
                                                      : RECORDED_OTHER;
    if (result == SQLITE_OK) record(files, RECORDED_DELETE, kind, 0, NULL, 0);
    return result;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return own_vfs(vfs)->system->xAccess(own_vfs(vfs)->system, name, flags, result);
}

static int vfs_path(sqlite3_vfs *vfs, const char *name, int room, char *path) {
    return own_vfs(vfs)->system->xFullPathname(own_vfs(vfs)->system, name, room, path);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return own_vfs(vfs)->system->xRandomness(own_vfs(vfs)->system, count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    return own_vfs(vfs)->system->xSleep(own_vfs(vfs)->system, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *days) {
    return own_vfs(vfs)->system->xCurrentTime(own_vfs(vfs)->system, days);
}

static int vfs_last_error(sqlite3_vfs *vfs, int room, char *text) {
    return own_vfs(vfs)->system->xGetLastError(own_vfs(vfs)->system, room, text);
}

struct recording_files *recording_files_make(const char *name) {
    struct recording_files *files = calloc(1, sizeof *files);
    if (!files) return NULL;
    files->system = sqlite3_vfs_find(NULL);
    files->name = strdup(name);
    files->calls_before_failure = -1;
    files->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(struct recording_file) + files->system->szOsFile,
        .mxPathname = files->system->mxPathname,
        .zName = files->name,
        .pAppData = files,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
    };
    if (!files->name || sqlite3_vfs_register(&files->vfs, 0) != SQLITE_OK) {
        recording_files_free(files);
        return NULL;
    }
    return files;
}

void recording_files_free(struct recording_files *files) {
    sqlite3_vfs_unregister(&files->vfs);
    for (int64_t index = 0; index < files->count; index++) free((void *)files->records[index].bytes);
    free(files->records);
    free(files->name);
    free(files);
}

void recording_files_fail(struct recording_files *files, int calls, int64_t after, int result) {
    files->failing_calls = calls;
    files->calls_before_failure = after;
    files->failures_left = -1;
    files->failure = result;
    files->has_failed = 0;
}

void recording_files_fail_once(struct recording_files *files, int calls, int result) {
    recording_files_fail(files, calls, 0, result);
    files->failures_left = 1;
}


int recording_files_has_failed(const struct recording_files *files) { return files->has_failed; }

void recording_files_mark(struct recording_files *files, int64_t number) {
    record(files, RECORDED_MARK, RECORDED_OTHER, number, NULL, 0);
}

int64_t recording_files_count(const struct recording_files *files) { return files->count; }

struct file_record recording_files_at(const struct recording_files *files, int64_t index) {
    return files->records[index];
}

// libpq, the client library of PostgreSQL (postgresql.org/docs, chapter "libpq").
#ifndef RETENTION_CPOSTGRESQL_SHIM_H
#define RETENTION_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>
#include <string.h>

// The letters of the fields of an error report. In C they are characters, which Swift imports as Int8 or UInt8.
enum {
    RT_PG_SQLSTATE = PG_DIAG_SQLSTATE,
    RT_PG_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
    RT_PG_TABLE = PG_DIAG_TABLE_NAME,
    RT_PG_COLUMN = PG_DIAG_COLUMN_NAME,
    RT_PG_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME,
    RT_PG_CONTEXT = PG_DIAG_CONTEXT,
};

// libpq prints notices to standard error unless it has a receiver. This one counts the warnings.
static inline void rt_pg_take_notice(void *context, const PGresult *result) {
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity != NULL && strcmp(severity, "WARNING") == 0) ++*(long *)context;
}

static inline void rt_pg_count_warnings(PGconn *connection, long *count) {
    PQsetNoticeReceiver(connection, rt_pg_take_notice, count);
}

#endif

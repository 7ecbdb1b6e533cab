// A load generator for one TLS endpoint on loopback: kept connections, signed bodies from a file, closed loop or a fixed
// rate, optional HUPs. One thread, so that it takes little from the two cores it shares with what it measures.
#ifndef RETENTION_LOAD_H
#define RETENTION_LOAD_H

#include <openssl/ssl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { ANSWER_BYTES = 16384, REQUEST_BYTES = 72 * 1024 };

// What was asked for on the command line.
struct options {
    int port;
    const char *path;
    const char *bodies;
    int connections;
    double seconds;
    double rate;         // requests a second from a schedule; 0 is a closed loop
    size_t first;        // the body to start with
    pid_t hup;           // who gets SIGHUP; 0 for nobody
    double hup_every;    // seconds between HUPs; 0 for one HUP only
    double hup_at;       // seconds from the start to the first HUP
    const char *old;     // text that only answers of the generation before the HUP hold
};

struct bodies {
    uint8_t *bytes;
    size_t count;
    struct {
        const uint8_t *start;
        uint32_t length;
    } *items;
};

enum answer { ANSWER_PARTIAL, ANSWER_COMPLETE, ANSWER_BROKEN };

struct connection {
    int descriptor;
    SSL *tls;
    int busy;
    int failed;              // must be opened anew
    uint64_t intended;       // when its request was due, nanoseconds
    size_t received;
    char answer[ANSWER_BYTES];
};

// What is counted.
struct tally {
    uint64_t good;
    uint64_t failed;
    uint64_t statuses[6];    // by hundreds, 0 for broken connections
    uint64_t *latencies;     // nanoseconds, of good answers
    size_t capacity;
    uint64_t hups;
    uint64_t hup_time;
    uint64_t last_old;
    uint64_t first_new;
    // The good answers before the HUP, and those until all come from the new generation.
    size_t hup_good;
    size_t new_good;
};

uint64_t now_nanoseconds(void);

int bodies_read(struct bodies *bodies, const char *path);

// Connects and shakes hands, then makes the socket non-blocking; 0 when that fails.
int connection_open(struct connection *connection, SSL_CTX *context, int port);
void connection_close(struct connection *connection);
// Sends one request; 0 when the connection is lost.
int connection_send(struct connection *connection, const struct options *options, const uint8_t *body, uint32_t length);
// Reads what is there.
enum answer connection_read(struct connection *connection);
// The status of a complete answer.
int connection_status(const struct connection *connection);

// Runs the load; 0 when no connection could be opened.
int run_load(const struct options *options, const struct bodies *bodies, struct tally *tally);

#endif

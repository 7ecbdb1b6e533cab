// The loop: who is idle sends, who has an answer is counted. With a rate, the delay of a request is counted from the
// moment it was due, whether or not a connection was idle then (no coordinated omission).
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

#include "load.h"

enum { MAXIMUM_CONNECTIONS = 512 };
static const uint64_t second = 1000000000u;
// Answers that are not there by then are failures.
static const uint64_t patience = 2000000000u;

static struct connection connections[MAXIMUM_CONNECTIONS];

struct state {
    const struct options *options;
    const struct bodies *bodies;
    struct tally *tally;
    SSL_CTX *context;
    int poll;
    uint64_t start;
    uint64_t end;
    uint64_t sent;
    uint64_t next_hup;
    int busy;
};

uint64_t now_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * second + (uint64_t)now.tv_nsec;
}

static int open_one(struct state *state, int index) {
    struct connection *connection = &connections[index];
    if (!connection_open(connection, state->context, state->options->port)) return 0;
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)index};
    return epoll_ctl(state->poll, EPOLL_CTL_ADD, connection->descriptor, &event) == 0;
}

static void lose(struct state *state, struct connection *connection) {
    if (connection->busy) {
        state->tally->failed++;
        state->tally->statuses[0]++;
        state->busy--;
    }
    connection_close(connection);
}

static void count_answer(struct state *state, struct connection *connection, uint64_t now) {
    struct tally *tally = state->tally;
    int status = connection_status(connection);
    connection->busy = 0;
    state->busy--;
    tally->statuses[status >= 100 && status < 600 ? status / 100 : 0]++;
    // A 200 that is no decision would make a fast server.
    if (status != 200 || !strstr(connection->answer, "\":{\"messageIdentifier\":\"")) {
        tally->failed++;
        return;
    }
    if (tally->good < tally->capacity) tally->latencies[tally->good] = now - connection->intended;
    tally->good++;
    if (!state->options->old || tally->hup_time == 0) return;
    if (strstr(connection->answer, state->options->old)) tally->last_old = now;
    else if (tally->first_new == 0) tally->first_new = now;
    else return;
    tally->new_good = tally->good;
}

// When the next request is due; 0 when nothing more is to be sent.
static uint64_t due_time(const struct state *state, uint64_t now) {
    if (state->options->rate <= 0) return now < state->end ? now : 0;
    uint64_t due = state->start + (uint64_t)((double)state->sent * 1e9 / state->options->rate);
    return due < state->end ? due : 0;
}

static void send_due(struct state *state) {
    for (int i = 0; i < state->options->connections; i++) {
        struct connection *connection = &connections[i];
        if (connection->busy) continue;
        uint64_t now = now_nanoseconds();
        uint64_t due = due_time(state, now);
        if (due == 0 || due > now) return;
        if (connection->failed && !open_one(state, i)) continue;
        size_t index = (state->options->first + state->sent) % state->bodies->count;
        state->sent++;
        state->busy++;
        connection->busy = 1;
        connection->intended = due;
        const uint8_t *body = state->bodies->items[index].start;
        if (!connection_send(connection, state->options, body, state->bodies->items[index].length)) {
            lose(state, connection);
        }
    }
}

static void send_hup(struct state *state) {
    const struct options *options = state->options;
    uint64_t now = now_nanoseconds();
    if (!options->hup || now < state->next_hup || now >= state->end) return;
    now = now_nanoseconds();
    kill(options->hup, SIGHUP);
    if (state->tally->hup_time == 0) {
        state->tally->hup_time = now;
        state->tally->hup_good = state->tally->good;
    }
    state->tally->hups++;
    state->next_hup = options->hup_every > 0 ? state->next_hup + (uint64_t)(options->hup_every * 1e9) : UINT64_MAX;
}

static void wait_events(struct state *state) {
    struct epoll_event events[64];
    uint64_t now = now_nanoseconds();
    uint64_t wake = now + second / 10;
    uint64_t due = due_time(state, now);
    if (state->options->rate > 0 && due && state->busy < state->options->connections && due < wake) wake = due;
    if (state->options->hup && state->next_hup < wake) wake = state->next_hup;
    uint64_t pause = wake > now ? wake - now : 0;
    struct timespec timeout = {(time_t)(pause / second), (long)(pause % second)};
    int count = epoll_pwait2(state->poll, events, 64, &timeout, NULL);
    for (int i = 0; i < count; i++) {
        struct connection *connection = &connections[events[i].data.u32];
        if (connection->failed) continue;
        enum answer verdict = connection_read(connection);
        if (verdict == ANSWER_COMPLETE && connection->busy) count_answer(state, connection, now_nanoseconds());
        else if (verdict != ANSWER_PARTIAL) lose(state, connection);
    }
}

int run_load(const struct options *options, const struct bodies *bodies, struct tally *tally) {
    struct state state = {.options = options, .bodies = bodies, .tally = tally};
    state.context = SSL_CTX_new(TLS_client_method());
    state.poll = epoll_create1(EPOLL_CLOEXEC);
    // Wakes at the microsecond, not up to 50 later.
    prctl(PR_SET_TIMERSLACK, 1);
    if (!state.context || state.poll < 0 || options->connections > MAXIMUM_CONNECTIONS) return 0;
    for (int i = 0; i < options->connections; i++) {
        if (!open_one(&state, i)) return 0;
    }
    state.start = now_nanoseconds();
    state.end = state.start + (uint64_t)(options->seconds * 1e9);
    state.next_hup = state.start + (uint64_t)(options->hup_at * 1e9);
    while (now_nanoseconds() < state.end + patience) {
        send_due(&state);
        send_hup(&state);
        if (due_time(&state, now_nanoseconds()) == 0 && state.busy == 0) break;
        wait_events(&state);
    }
    tally->failed += (uint64_t)state.busy;
    SSL_CTX_free(state.context);
    return 1;
}

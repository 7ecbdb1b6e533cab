// One kept TLS connection: opening, sending a request, finding the end of its answer.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load.h"

int connection_open(struct connection *connection, SSL_CTX *context, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    memset(connection, 0, offsetof(struct connection, answer));
    connection->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0) return 0;
    setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connection->tls = SSL_new(context);
    if (!connection->tls || connect(connection->descriptor, (struct sockaddr *)&address, sizeof address) != 0
        || SSL_set_fd(connection->tls, connection->descriptor) != 1 || SSL_connect(connection->tls) != 1) {
        connection_close(connection);
        return 0;
    }
    return fcntl(connection->descriptor, F_SETFL, O_NONBLOCK) == 0;
}

void connection_close(struct connection *connection) {
    SSL_free(connection->tls);
    if (connection->descriptor >= 0) close(connection->descriptor);
    connection->tls = NULL;
    connection->descriptor = -1;
    connection->busy = 0;
    connection->failed = 1;
}

int connection_send(
    struct connection *connection, const struct options *options, const uint8_t *body, uint32_t length
) {
    static char request[REQUEST_BYTES];
    int head = snprintf(
        request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %u\r\n\r\n",
        options->path, length);
    if (head < 0 || (size_t)head + length > sizeof request) return 0;
    memcpy(request + head, body, length);
    connection->received = 0;
    connection->busy = 1;
    for (;;) {
        int written = SSL_write(connection->tls, request, head + (int)length);
        if (written == head + (int)length) return 1;
        // A request is far smaller than a socket's buffer, so this hardly ever waits.
        if (SSL_get_error(connection->tls, written) != SSL_ERROR_WANT_WRITE) return 0;
        struct pollfd wait = {connection->descriptor, POLLOUT, 0};
        if (poll(&wait, 1, 1000) != 1) return 0;
    }
}

static enum answer judge(const struct connection *connection) {
    const char *end = memmem(connection->answer, connection->received, "\r\n\r\n", 4);
    if (!end) return connection->received < ANSWER_BYTES - 1 ? ANSWER_PARTIAL : ANSWER_BROKEN;
    size_t head = (size_t)(end + 4 - connection->answer);
    const char *field = strcasestr(connection->answer, "\r\ncontent-length:");
    if (field && field < end) {
        size_t length = strtoul(field + 17, NULL, 10);
        return connection->received >= head + length ? ANSWER_COMPLETE : ANSWER_PARTIAL;
    }
    // Chunked: the last chunk ends it.
    int ended = connection->received >= head + 5
        && memcmp(connection->answer + connection->received - 5, "0\r\n\r\n", 5) == 0;
    return ended ? ANSWER_COMPLETE : ANSWER_PARTIAL;
}

enum answer connection_read(struct connection *connection) {
    for (;;) {
        size_t room = ANSWER_BYTES - 1 - connection->received;
        if (room == 0) return ANSWER_BROKEN;
        int count = SSL_read(connection->tls, connection->answer + connection->received, (int)room);
        if (count <= 0) {
            int reason = SSL_get_error(connection->tls, count);
            return reason == SSL_ERROR_WANT_READ ? ANSWER_PARTIAL : ANSWER_BROKEN;
        }
        connection->received += (size_t)count;
        connection->answer[connection->received] = 0;
        enum answer verdict = judge(connection);
        if (verdict != ANSWER_PARTIAL) return verdict;
    }
}

int connection_status(const struct connection *connection) {
    return connection->received > 12 ? atoi(connection->answer + 9) : 0;
}

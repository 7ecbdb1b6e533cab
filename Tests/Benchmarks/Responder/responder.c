// The floor: the least work that any FastCGI program in C could do for a request. It reads the body, finds the JWS in
// it, does one EVP_DigestVerify with a key that is already loaded, and answers. It looks at no chain, no payload and no
// policy.
//
//     responder SOCKET LEAF.der PROCESSES THREADS
//
// libfcgi holds one thread for each kept connection, so there must be more threads than kept connections.
#include <fcgiapp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "baseline.h"

enum { BODY_BYTES = 65536, BACKLOG = 511 };

static int listening;
static void *key;

static void answer(FCGX_Request *request, char *body) {
    const char *text = FCGX_GetParam("CONTENT_LENGTH", request->envp);
    int length = text ? atoi(text) : 0;
    struct baseline_compact parts;
    int good = length > 0 && length <= BODY_BYTES && FCGX_GetStr(body, length, request->in) == length
        && baseline_split((const uint8_t *)body, (size_t)length, &parts) && baseline_verify(key, &parts);
    const char *content = "{\"message\":{\"messageIdentifier\":\"551ee7c0-c097-418e-9dd5-2a98533a7390\"}}";
    FCGX_FPrintF(
        request->out, "Status: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
        good ? "200 OK" : "401 Unauthorized", (int)strlen(content), content);
}

static void *serve(void *unused) {
    (void)unused;
    FCGX_Request request;
    char *body = malloc(BODY_BYTES);
    if (!body || FCGX_InitRequest(&request, listening, 0) != 0) exit(1);
    while (FCGX_Accept_r(&request) == 0) {
        answer(&request, body);
        FCGX_Finish_r(&request);
    }
    return NULL;
}

static int serve_process(int threads) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (FCGX_Init() != 0) return 1;
    for (int i = 1; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, NULL) != 0) return 1;
    }
    serve(NULL);
    return 0;
}

static int listen_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    // nginx runs as another user and must be able to connect.
    umask(0);
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    return listen(descriptor, BACKLOG) == 0 ? descriptor : -1;
}

int main(int count, char **arguments) {
    if (count != 5) return 64;
    listening = listen_at(arguments[1]);
    key = baseline_key_of_file(arguments[2]);
    if (listening < 0 || !key) return 1;
    int processes = atoi(arguments[3]);
    for (int i = 0; i < processes; i++) {
        pid_t child = fork();
        if (child < 0) return 1;
        if (child == 0) return serve_process(atoi(arguments[4]));
    }
    // The program that started this process kills it; its children are killed with it.
    while (wait(NULL) > 0) {}
    return 0;
}

// Linux calls, constants and macros that Swift's Glibc module does not show: they need _GNU_SOURCE, or they are macros,
// or they are variadic. Header only; the wrappers add no policy of their own.
#ifndef RETENTION_CLINUX_SHIM_H
#define RETENTION_CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// The system's headers declare these only with _GNU_SOURCE.
extern int memfd_create(const char *name, unsigned int flags);
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
extern ssize_t copy_file_range(int from, off_t *start, int to, off_t *end, size_t count, unsigned int flags);
extern int sync_file_range(int descriptor, off_t offset, off_t count, unsigned int flags);
extern int pipe2(int descriptors[2], int flags);
extern int dup3(int from, int to, int flags);
extern int close_range(unsigned int first, unsigned int last, int flags);
extern char **environ;
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int flock(int descriptor, int operation);

struct rt_peer_credentials {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

enum {
    RT_SYNC_FILE_RANGE_WRITE = 2,
    RT_MFD_CLOEXEC = 0x0001,
    RT_MFD_ALLOW_SEALING = 0x0002,
    RT_F_ADD_SEALS = 1033,
    RT_F_SEAL_WRITE = 0x0008,
    RT_O_TMPFILE = 020000000 | 0200000,
    RT_O_PATH = 010000000,
    RT_MADV_DONTDUMP = 16,
    RT_EPOLLEXCLUSIVE = 1 << 28,
};

static inline int rt_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int rt_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags, mode);
}
static inline int rt_fcntl_int(int descriptor, int command, int value) {
    return fcntl(descriptor, command, value);
}

static inline int rt_wifexited(int status) { return WIFEXITED(status); }
static inline int rt_wexitstatus(int status) { return WEXITSTATUS(status); }
static inline int rt_wifsignaled(int status) { return WIFSIGNALED(status); }
static inline int rt_wtermsig(int status) { return WTERMSIG(status); }

static inline int rt_is_regular(mode_t mode) { return S_ISREG(mode); }
static inline int rt_is_directory(mode_t mode) { return S_ISDIR(mode); }
static inline int rt_is_socket(mode_t mode) { return S_ISSOCK(mode); }

// Reads the kernel's random source, and waits until it is ready.
static inline ssize_t rt_getrandom(void *buffer, size_t byteCount) { return getrandom(buffer, byteCount, 0); }

static inline int rt_prctl(int option, unsigned long value) { return prctl(option, value, 0, 0, 0); }

// The flags of eventfd(2) are an enum that Swift sees as a type of its own.
static inline int rt_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

// Gives a pipe room for a mebibyte, the most that Linux gives to any user. Does nothing to another file. The headers have the
// number (F_SETPIPE_SZ) only for programs that ask for all of GNU.
static inline void rt_grow_pipe(int number) { (void)fcntl(number, 1031, 1 << 20); }

// pidfd_open(2), pidfd_send_signal(2). They are called by number, because some C libraries that this runs on are older
// than the wrappers.
static inline int rt_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0u); }
static inline int rt_pidfd_send_signal(int descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0u);
}

// Returns on how many processors the calling thread may run; -1 if that is not known. The C library's cpu_set_t ends at 1,024
// processors; the kernel knows at most 8,192.
static inline int rt_affinity_count(void) {
    uint64_t mask[128] = {0};
    int count = 0;
    if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) < 0) return -1;
    for (int word = 0; word < 128; word++) count += __builtin_popcountll(mask[word]);
    return count;
}

static inline char **rt_environ(void) { return environ; }

static inline void *rt_map_failed(void) { return MAP_FAILED; }

// Atomic access to counters in memory that several processes map (gcc and clang atomics, lock-free for 8 aligned bytes).
static inline void rt_atomic_add(uint64_t *word, uint64_t amount) {
    __atomic_fetch_add(word, amount, __ATOMIC_RELAXED);
}
static inline uint64_t rt_atomic_add_returning(uint64_t *word, uint64_t amount) {
    return __atomic_add_fetch(word, amount, __ATOMIC_ACQ_REL);
}
static inline uint64_t rt_atomic_load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void rt_atomic_store(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
static inline int rt_atomic_exchange_if(uint64_t *word, uint64_t expected, uint64_t value) {
    return __atomic_compare_exchange_n(word, &expected, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

// The symbolic name of an errno, such as `ENOENT`; NULL for an unknown number (glibc 2.32).
const char *strerrorname_np(int number);

// Returns the version text of the clang in the Swift compiler that builds this; it names clang's release.
static inline const char *rt_compiler(void) { return __VERSION__; }

// Reads how many connections wait on a listening TCP socket, and how many may. Returns 0, or -1 on failure.
static inline int rt_tcp_queue(int descriptor, uint32_t *waiting, uint32_t *limit) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
    // For a listening socket the kernel reports its queue in these two fields (inet_csk_diag, tcp_get_info).
    *waiting = info.tcpi_unacked;
    *limit = info.tcpi_sacked;
    return 0;
}

// Reads the same for the listening unix socket with this inode (sock_diag(7)). Returns 0, or -1, also when the kernel
// or a sandbox refuses the question.
static inline int rt_unix_queue(uint64_t inode, uint32_t *waiting, uint32_t *limit) {
    struct {
        struct nlmsghdr header;
        struct unix_diag_req body;
    } request;
    char answer[1024] __attribute__((aligned(8)));
    memset(&request, 0, sizeof request);
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.header.nlmsg_flags = NLM_F_REQUEST;
    request.body.sdiag_family = AF_UNIX;
    request.body.udiag_ino = (uint32_t)inode;
    request.body.udiag_states = ~0u;
    request.body.udiag_show = UDIAG_SHOW_RQLEN;
    request.body.udiag_cookie[0] = request.body.udiag_cookie[1] = ~0u;
    int link = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
    if (link < 0) return -1;
    int result = -1;
    // The kernel has queued its answer when send(2) returns.
    ssize_t count = send(link, &request, sizeof request, 0) == (ssize_t)sizeof request
        ? recv(link, answer, sizeof answer, 0) : -1;
    const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
    if (count > 0 && NLMSG_OK(header, (size_t)count) && header->nlmsg_type == SOCK_DIAG_BY_FAMILY
        && header->nlmsg_len >= NLMSG_LENGTH(sizeof(struct unix_diag_msg))) {
        const struct rtattr *attribute =
            (const struct rtattr *)((const char *)NLMSG_DATA(header) + NLMSG_ALIGN(sizeof(struct unix_diag_msg)));
        size_t rest = header->nlmsg_len - NLMSG_LENGTH(sizeof(struct unix_diag_msg));
        for (; RTA_OK(attribute, rest); attribute = RTA_NEXT(attribute, rest)) {
            if (attribute->rta_type != UNIX_DIAG_RQLEN
                || RTA_PAYLOAD(attribute) < sizeof(struct unix_diag_rqlen)) continue;
            const struct unix_diag_rqlen *queue = (const struct unix_diag_rqlen *)RTA_DATA(attribute);
            *waiting = queue->udiag_rqueue;
            *limit = queue->udiag_wqueue;
            result = 0;
        }
    }
    close(link);
    return result;
}

#endif

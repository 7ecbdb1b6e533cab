internal import Glibc

/// Waiting for a moment.
enum Pause {
    static func milliseconds(_ count: UInt32) {
        usleep(count * 1000)
    }
}

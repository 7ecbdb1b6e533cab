internal import Glibc

/// Waits for a short time.
enum Pause {
    static func milliseconds(_ count: UInt32) {
        usleep(count * 1000)
    }
}

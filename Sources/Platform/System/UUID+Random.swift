internal import CLinux
internal import Glibc
public import Vocabulary

extension UUID {
    /// A new identifier of version 4 (RFC 9562 section 5.4), 122 bits of which come from the kernel's random source
    /// (getrandom(2)). No process keeps a state of its own for that, so none can share it with another.
    ///
    /// - Throws: the errno of `getrandom`.
    public static func random() throws(SystemCallError) -> UUID {
        var words: [2 of UInt64] = [0, 0]
        // So few bytes come whole (getrandom(2)); only before the source is ready a signal may come between.
        var count = unsafe rt_getrandom(&words, 16)
        while count < 0, errno == EINTR { count = unsafe rt_getrandom(&words, 16) }
        guard count >= 0 else { throw .last("getrandom") }
        guard count == 16 else { throw SystemCallError(call: "getrandom", .eio) }
        return UUID(
            high: words[0] & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: words[1] & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }
}

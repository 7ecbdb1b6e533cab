internal import CLinux
internal import Glibc
public import Vocabulary

extension UUID {
    /// Makes a new UUID of version 4 (RFC 9562 section 5.4). Its 122 random bits come from the kernel (getrandom(2)).
    /// No process keeps a generator state of its own, so two processes cannot share one.
    ///
    /// - Throws: the errno of `getrandom`.
    public static func random() throws(SystemCallError) -> UUID {
        var words: [2 of UInt64] = [0, 0]
        // getrandom(2) returns so few bytes whole. Only before the kernel's source is ready can a signal interrupt it.
        while try retrying("getrandom", { unsafe rt_getrandom(&words, 16) }) < 16 {}
        return UUID(
            high: words[0] & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: words[1] & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}

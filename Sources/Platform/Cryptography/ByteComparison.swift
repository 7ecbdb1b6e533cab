internal import Glibc

/// Compares byte strings and searches in them.
public enum ByteComparison {
    /// Returns true when both hold the same bytes. The time depends on the bytes, so use it for public data only.
    public static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBytes { first in
            unsafe right.withUnsafeBytes { second in
                guard let start = first.baseAddress, let other = second.baseAddress else { return true }
                // Copies of an array share their bytes.
                return unsafe start == other || memcmp(start, other, first.count) == 0
            }
        }
    }

    /// Returns the position of the first `byte` at or after `start`, or nil when `byte` does not occur there.
    public static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int? {
        guard start >= 0, start < bytes.count else { return nil }
        return unsafe bytes.withUnsafeBytes { block -> Int? in
            guard let base = block.baseAddress else { return nil }
            let from = unsafe base + start
            guard let found = unsafe memchr(from, Int32(byte), block.count - start) else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}

internal import CLinux
internal import Glibc

/// A few secret bytes in pages of their own. The pages are in no core dump (madvise(2), MADV_DONTDUMP) and, where the
/// limits allow it, never in swap. They are overwritten when their owner goes.
@safe public struct SecretMemory: ~Copyable, @unchecked Sendable {  // changed only by its one owner
    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    /// The number of bytes stored.
    public private(set) var byteCount = 0

    /// Allocates room for `capacity` bytes, at least 1.
    ///
    /// - Throws: the errno of `mmap` or `madvise`.
    private init(capacity: Int) throws(SystemCallError) {
        precondition(capacity > 0, "room for at least one byte")
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let start = unsafe mmap(nil, capacity, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let start = unsafe start, unsafe start != rt_map_failed() else { throw .last("mmap") }
        guard unsafe madvise(start, capacity, Int32(RT_MADV_DONTDUMP)) == 0 else {
            let error = SystemCallError.last("madvise")
            unsafe munmap(start, capacity)
            throw error
        }
        // A failure is ignored: secrets in swap are better than no service. Most limits let a process lock 64 KiB or
        // more.
        _ = unsafe mlock(start, capacity)
        unsafe base = start
        self.capacity = capacity
    }

    /// Reads a file from its file position to its end.
    ///
    /// - Throws: `file.too-large` beyond `limitBytes`, else the errno of the call that failed.
    public static func reading(_ file: borrowing FileDescriptor, limitBytes: Int) throws(SystemCallError)
        -> SecretMemory
    {
        // One more byte than the limit shows that the file is longer.
        var memory = try SecretMemory(capacity: limitBytes + 1)
        while try memory.readMore(of: file) {}
        guard memory.byteCount <= limitBytes else { throw .found(.fileTooLarge(limitBytes: limitBytes)) }
        return memory
    }

    /// Reads once. Returns false when the file has ended or no room is left.
    private mutating func readMore(of file: borrowing FileDescriptor) throws(SystemCallError) -> Bool {
        guard byteCount < capacity else { return false }
        let count = unsafe Glibc.read(file.number, base + byteCount, capacity - byteCount)
        if count < 0, errno == EINTR { return true }
        guard count >= 0 else { throw .last("read") }
        byteCount += count
        return count > 0
    }

    deinit {
        unsafe explicit_bzero(base, capacity)
        unsafe munmap(base, capacity)
    }

    /// Lends the stored bytes. Do not copy them elsewhere.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let raw = unsafe RawSpan(_unsafeStart: base, byteCount: byteCount)
        return try body(Span(_bytes: raw))
    }
}

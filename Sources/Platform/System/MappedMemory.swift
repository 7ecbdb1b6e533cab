internal import CLinux
internal import Glibc

/// A read-only, shared mapping of a whole file. It is unmapped when its owner goes.
///
/// Map only a file that nobody else can write: when a mapped file is cut short in place, reading the mapping ends the process
/// with SIGBUS.
@safe public struct MappedMemory: ~Copyable, @unchecked Sendable {  // never written after init
    private let base: UnsafeRawPointer
    /// The length of the mapping in bytes; never 0.
    public let byteCount: Int

    /// Maps the file behind `descriptor`, which may be closed afterwards.
    ///
    /// - Throws: `file.empty` for an empty file, else the errno of `fstat` or `mmap`.
    public init(of descriptor: borrowing FileDescriptor) throws(SystemCallError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .last("fstat") }
        guard status.st_size > 0 else { throw .found(.fileEmpty) }
        let size = Int(status.st_size)
        let start = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor.number, 0)
        guard let start = unsafe start, unsafe start != rt_map_failed() else { throw .last("mmap") }
        unsafe base = UnsafeRawPointer(start)
        byteCount = size
    }

    deinit {
        unsafe munmap(UnsafeMutableRawPointer(mutating: base), byteCount)
    }

    /// Has the kernel read the whole file ahead (madvise(2), MADV_WILLNEED).
    public borrowing func readAhead() {
        _ = unsafe madvise(UnsafeMutableRawPointer(mutating: base), byteCount, MADV_WILLNEED)
    }

    /// Lends the mapped bytes.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe RawSpan(_unsafeStart: base, byteCount: byteCount))
    }
}

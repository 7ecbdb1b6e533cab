internal import CLinux
internal import Glibc

/// A read-only, shared mapping of a whole file. It is unmapped when its owner goes.
///
/// Map only memory that nobody can change or shrink (see ``SealedMemory``): when a mapped file is cut short in place,
/// reading the mapping ends the process with SIGBUS.
@safe public struct MappedMemory: ~Copyable, @unchecked Sendable {  // never written after init
    private let base: UnsafeRawPointer
    /// The length of the mapping in bytes; never 0.
    public let byteCount: Int

    /// Maps the file behind `descriptor`, which may be closed afterwards. With `isSecret` the kernel keeps the mapping
    /// out of core dumps (madvise(2), MADV_DONTDUMP).
    ///
    /// - Throws: `file.empty` for an empty file, else the errno of `fstat`, `mmap` or `madvise`.
    public init(of descriptor: borrowing FileDescriptor, isSecret: Bool = false) throws(SystemCallError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .last("fstat") }
        guard status.st_size > 0 else { throw .found(.fileEmpty) }
        let size = Int(status.st_size)
        let start = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor.number, 0)
        guard let start = unsafe start, unsafe start != rt_map_failed() else { throw .last("mmap") }
        if isSecret {
            guard unsafe madvise(start, size, Int32(RT_MADV_DONTDUMP)) == 0 else {
                let error = SystemCallError.last("madvise")
                unsafe munmap(start, size)
                throw error
            }
        }
        unsafe base = UnsafeRawPointer(start)
        byteCount = size
    }

    deinit {
        unsafe munmap(UnsafeMutableRawPointer(mutating: base), byteCount)
    }

    /// Lends the mapped bytes.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe RawSpan(_unsafeStart: base, byteCount: byteCount))
    }
}

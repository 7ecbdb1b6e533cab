internal import System

/// The bytes of an opened data file: mapped memory or a copy.
enum DataFileBytes: ~Copyable, Sendable {
    /// A mapping of memory, or of a file, that nobody changes any more.
    case mapped(MappedMemory)
    /// A copy in memory, for tools and tests.
    case copied([UInt8])

    /// Has the kernel read a mapped file ahead.
    borrowing func readAhead() {
        switch self {
        case .mapped(let memory): memory.readAhead()
        case .copied: break
        }
    }

    /// Lends the bytes to `body`.
    @inline(__always)
    borrowing func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .mapped(let memory): try memory.withBytes(body)
        case .copied(let bytes): try bytes.span.withRawBytes(body)
        }
    }
}

extension DataFileHeader {
    /// Reads the header of a whole file. If `check` is `.full`, it also compares the digest and the checksums.
    init(opening bytes: RawSpan, check: DataFileCheck) throws(DataFileError) {
        try self.init(reading: bytes)
        if check == .full { try checkContents(bytes) }
    }
}

internal import System

/// The bytes of an opened data file, either way to hold them.
enum DataFileBytes: ~Copyable, Sendable {
    /// Of memory or of a file that nobody changes any more.
    case mapped(MappedMemory)
    /// For tools and tests.
    case copied([UInt8])

    /// Lends them.
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
    /// Reads the header of a whole file, which must be of one kind, and checks digest and checksums where `check` asks
    /// for it.
    init(opening bytes: RawSpan, as kind: DataFileKind, check: DataFileCheck) throws(DataFileError) {
        try self.init(reading: bytes)
        guard self.kind == kind else { throw Self.error(.wrongKind, \.kind) }
        if check == .full { try checkContents(bytes) }
    }
}

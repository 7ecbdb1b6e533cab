internal import Glibc

/// Bytes behind a descriptor that nobody changes any more: sealed memory, or a file without a name that is open for
/// reading alone. What data files are mapped from.
public struct FrozenFile: ~Copyable, Sendable {
    /// The descriptor.
    public let descriptor: FileDescriptor

    /// Takes sealed memory.
    public init(_ memory: consuming SealedMemory) {
        descriptor = FileDescriptor(takingOwnership: memory.releaseDescriptor())
    }

    /// Takes a file without a name.
    public init(_ file: consuming UnnamedFile) {
        descriptor = file.takeDescriptor()
    }

    /// Takes over a descriptor received from another process if it is one of them.
    ///
    /// - Throws: `system.eperm` when it is neither, else the errno of the call that failed.
    public init(verifying descriptor: consuming FileDescriptor) throws(SystemCallError) {
        let isFrozen: Bool
        if (try? SealedMemory.isSealed(descriptor)) == true {
            isFrozen = true
        } else {
            isFrozen = try UnnamedFile.isOne(descriptor)
        }
        guard isFrozen else { throw SystemCallError(call: "fcntl", .eperm) }
        self.descriptor = descriptor
    }

    /// Gives the descriptor up without closing it.
    public consuming func releaseDescriptor() -> Int32 { descriptor.release() }
}

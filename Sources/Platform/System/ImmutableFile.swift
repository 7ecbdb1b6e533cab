internal import Glibc

/// A descriptor of bytes that nobody can change any more: sealed memory, or a file without a name that is open for
/// reading alone. The loader and the workers map data files from such descriptors.
public struct ImmutableFile: ~Copyable, Sendable {
    /// The descriptor; map it read-only.
    public let descriptor: FileDescriptor

    /// Takes over the descriptor of sealed memory.
    public init(_ memory: consuming SealedMemory) {
        descriptor = FileDescriptor(takingOwnership: memory.releaseDescriptor())
    }

    /// Takes over the descriptor of a file without a name.
    public init(_ file: consuming UnnamedFile) {
        descriptor = file.takeDescriptor()
    }

    /// Takes over a descriptor from another process if its bytes cannot change.
    ///
    /// - Throws: `descriptor.changeable` when it is neither sealed memory nor a file without a name, else the errno of
    ///   the call that failed.
    public init(verifying descriptor: consuming FileDescriptor) throws(SystemCallError) {
        let isFrozen: Bool
        if (try? SealedMemory.isSealed(descriptor)) == true {
            isFrozen = true
        } else {
            isFrozen = try UnnamedFile.isOne(descriptor)
        }
        guard isFrozen else { throw .found(.changeable) }
        self.descriptor = descriptor
    }

    /// Returns the descriptor's number and leaves it open. The caller closes it.
    public consuming func releaseDescriptor() -> Int32 { descriptor.release() }
}

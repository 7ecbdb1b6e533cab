/// A lock on a file that is free again when this object is gone, also when an error ends its use, and also while a child process
/// that was just started still has a copy of the descriptor.
public final class HeldLock: Sendable {
    public let file: FileLock

    /// Takes over a lock.
    public init(_ file: consuming FileLock) {
        self.file = file
    }

    deinit { file.unlock() }
}

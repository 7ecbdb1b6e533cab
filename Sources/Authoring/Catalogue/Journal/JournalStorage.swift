internal import System

/// The place of a journal's bytes. Tests use one that fails when they want.
protocol JournalStorage: AnyObject {
    /// Adds bytes at the end.
    func append(_ bytes: [UInt8]) throws(SystemCallError)
    /// Returns when the bytes outlast a power cut.
    func synchronize() throws(SystemCallError)
}

/// Keeps the journal in a file, which is locked as long as this object lives.
final class JournalFile: JournalStorage {
    private let file: FileDescriptor
    private let lock: HeldLock

    init(_ file: consuming FileDescriptor, lock: HeldLock) {
        self.file = file
        self.lock = lock
    }

    func append(_ bytes: [UInt8]) throws(SystemCallError) {
        try file.write(bytes.span)
    }

    func synchronize() throws(SystemCallError) {
        try file.synchronize()
    }
}

/// Keeps no bytes: the journal is lost when the process ends.
final class NoJournalStorage: JournalStorage {
    func append(_ bytes: [UInt8]) throws(SystemCallError) {}
    func synchronize() throws(SystemCallError) {}
}

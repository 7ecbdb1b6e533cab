internal import System
internal import Vocabulary

/// The right to write a journal: the lock on the file beside it. It is free again when this object is gone, also after an error,
/// and also while a child process that was just started still has a copy of the descriptor.
final class JournalLock {
    /// The locked file.
    let file: FileLock

    /// Takes the lock. Makes the directory and the file, for their owner alone, when they do not exist.
    ///
    /// - Parameters:
    ///   - directory: the directory of the journals.
    ///   - path: the path of the file that is locked.
    /// - Throws: `catalogue-journal.locked` when another process has the lock, `catalogue-journal.file` when a call fails.
    init(directory: String, path: String) throws(CatalogueJournalError) {
        do throws(SystemCallError) {
            file = try FileLock(path: path)
        } catch {
            guard error.reason == .enoent else { throw Self.reported(error, path) }
            try Self.makeDirectory(directory)
            file = try SystemCallError.mapped(to: { Self.reported($0, path) }, try FileLock(path: path))
        }
    }

    deinit { file.unlock() }

    private static func reported(_ error: SystemCallError, _ path: String) -> CatalogueJournalError {
        error.fault == .lockHeld ? .locked(path) : .file(path, error)
    }

    private static func makeDirectory(_ path: String) throws(CatalogueJournalError) {
        do throws(SystemCallError) {
            try Directory.make(path: path, permissions: 0o700)
        } catch {
            // Another process may have made it at the same moment.
            guard error.reason == .eexist else { throw .file(path, error) }
        }
    }
}

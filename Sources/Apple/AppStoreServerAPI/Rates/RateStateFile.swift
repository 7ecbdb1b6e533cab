internal import System
internal import Vocabulary

/// Counts the calls of all clients that use the same directory, in this and later processes.
///
/// A call is counted before it is sent, and the file is replaced as a whole. So a process that ends at any moment
/// leaves a file that counts at least the calls that were sent.
public final class RateStateFile: RateKeeping {
    /// The name of the file with the calls.
    public static let fileName = "rates.json"
    /// The name of the file that is locked while the other one is read and replaced.
    public static let lockName = "rates.lock"
    /// The longest wait for another process, which holds the lock for some milliseconds.
    private static let lockMilliseconds: UInt64 = 10_000
    private static let pauseMilliseconds: Int32 = 5

    private let directory: String
    private let lockMilliseconds: UInt64
    private var path: String { "\(directory)/\(Self.fileName)" }

    /// Uses a directory, which is made, for its owner alone, when it does not exist and is needed.
    public convenience init(directory: String) {
        self.init(directory: directory, lockMilliseconds: Self.lockMilliseconds)
    }

    init(directory: String, lockMilliseconds: UInt64) {
        self.directory = directory
        self.lockMilliseconds = lockMilliseconds
    }

    /// Counts a call when it may be made now; otherwise says when.
    public func reserve(_ key: RateKey, at now: Int64) throws(RateStateError) -> RateLedger.Reservation {
        let lock = try lock()
        var ledger = try read()
        ledger.advance(to: now)
        let reservation = ledger.reserve(key, at: now)
        if reservation == .granted { try write(ledger, holding: lock) }
        return reservation
    }

    /// Remembers that Apple's server refused further calls of a kind until the given time.
    public func block(_ key: RateKey, untilMilliseconds: Int64, at now: Int64) throws(RateStateError) {
        let lock = try lock()
        var ledger = try read()
        ledger.advance(to: now)
        ledger.block(key, untilMilliseconds: untilMilliseconds, at: now)
        try write(ledger, holding: lock)
    }

    /// Returns the calls that count at a time. Makes and changes no file.
    public func ledger(at now: Int64) throws(RateStateError) -> RateLedger {
        var ledger = try read()
        ledger.advance(to: now)
        return ledger
    }

    private func lock() throws(RateStateError) -> FileLock {
        let path = "\(directory)/\(Self.lockName)"
        let end = Clock.monotonicNanoseconds() + lockMilliseconds * 1_000_000
        while true {
            do throws(SystemCallError) {
                return try FileLock(path: path)
            } catch {
                if error.reason == .enoent {
                    try makeDirectory()
                } else if error.fault == .lockHeld {
                    guard Clock.monotonicNanoseconds() < end else { throw .locked(path) }
                    _ = try? Readiness.wait(for: [], timeoutMilliseconds: Self.pauseMilliseconds)
                } else {
                    throw .file(path, error)
                }
            }
        }
    }

    private func makeDirectory() throws(RateStateError) {
        do throws(SystemCallError) {
            try Directory.make(path: directory, permissions: 0o700)
        } catch {
            // Another process may have made it at the same moment.
            guard error.reason == .eexist else { throw .file(directory, error) }
        }
    }

    private func read() throws(RateStateError) -> RateLedger {
        guard let text = try text() else { return RateLedger() }
        return try RateLedger.ReadingError.mapped(
            to: { $0 == .newer ? RateStateError.newer(path) : .damaged(path) },
            try RateLedger(reading: text)
        )
    }

    /// Returns the text of the file; nil when there is no file.
    private func text() throws(RateStateError) -> [UInt8]? {
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: path)
            if try FileStatus(of: file).kind == .regular {
                return try file.readAll(limitBytes: RateLedger.byteCount)
            }
        } catch {
            if error.reason == .enoent || error.reason == .enotdir { return nil }
            throw error.isFileTooLarge ? .damaged(path) : .file(path, error)
        }
        throw .damaged(path)
    }

    private func write(_ ledger: RateLedger, holding lock: borrowing FileLock) throws(RateStateError) {
        try SystemCallError.mapped(
            to: { RateStateError.file(path, $0) },
            try AtomicFile.write(ledger.json.span, to: path, permissions: 0o600, holding: lock)
        )
    }
}

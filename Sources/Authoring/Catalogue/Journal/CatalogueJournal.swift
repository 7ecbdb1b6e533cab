internal import System
internal import Vocabulary

/// Remembers what was sent to Apple, in a file to which lines are only added, until a long one is replaced by a shorter one.
/// One thread uses it.
///
///     let owner = JournalOwner(bundleId: "com.example.app", environment: .sandbox)
///     let journal = try CatalogueJournal(directory: ".retention", owner: owner, now: now)
///     try journal.record(.uploadStarted(item, name: "hero"), at: now, isDurable: true)
///
/// An event that must be known after a power cut is recorded durably: every call that is about to be sent. A lost line about an
/// answer only makes the next run ask or set again.
public final class CatalogueJournal {
    /// Everything that the journal knows, from earlier runs and from this one.
    public private(set) var knowledge: JournalKnowledge
    private let storage: any JournalStorage
    private let path: String
    private var checksum: UInt64
    /// The error of the first line that could not be written. No line may follow on a torn one.
    private var failure: CatalogueJournalError?

    /// Makes a journal in memory, which is lost when the process ends.
    ///
    /// - Parameter knowledge: what the journal knows from the beginning.
    public init(knowledge: JournalKnowledge = JournalKnowledge()) {
        self.knowledge = knowledge
        storage = NoJournalStorage()
        path = ""
        checksum = 0
    }

    /// Opens the journal of an owner for writing, and locks it until this object is gone. Makes the directory and the file,
    /// for their owner alone, when they do not exist. A torn last line is cut off. A long file is first replaced by one with
    /// the lines alone that its knowledge needs.
    ///
    /// - Parameters:
    ///   - directory: the directory of the journals.
    ///   - owner: the app, its environment and the server.
    ///   - now: the time, milliseconds since 1970.
    /// - Throws: `catalogue-journal.locked` when another process has it open, and the errors of a file that cannot be used.
    public convenience init(directory: String, owner: JournalOwner, now: Int64) throws(CatalogueJournalError)
    {
        try self.init(
            directory: directory, owner: owner, now: now,
            compactingAbove: CatalogueLimits.journalCompactionByteCount, through: SystemFileLayer())
    }

    /// Does the same with another limit, through a layer whose calls a test can make fail.
    convenience init(
        directory: String, owner: JournalOwner, now: Int64, compactingAbove limit: Int,
        through layer: some FileLayer
    ) throws(CatalogueJournalError) {
        let path = "\(directory)/\(owner.fileName)"
        let lock = try Self.lock(directory: directory, path: "\(path).lock")
        Self.compact(path, owner: owner, holding: lock.file, above: limit, through: layer)
        func reported(_ error: SystemCallError) -> CatalogueJournalError {
            error.isFileTooLarge ? .tooLarge(path) : .file(path, error)
        }
        let file = try SystemCallError.mapped(to: reported, try FileDescriptor.openForAppending(path: path))
        let bytes = try SystemCallError.mapped(to: reported, try Self.bytes(of: file, path))
        let text = try JournalText(reading: bytes, owner: owner, path: path)
        if text.byteCount < bytes.count {
            try SystemCallError.mapped(to: reported, try file.truncate(toByteCount: text.byteCount))
        }
        try self.init(JournalFile(file, lock: lock), text, owner: owner, path: path, now: now)
        if bytes.isEmpty {
            // Also the entry of a new file must outlast a power cut.
            try SystemCallError.mapped(
                to: reported, try FileDescriptor.openDirectory(path: directory).synchronize())
        }
    }

    /// Uses a storage whose complete lines are in `text`.
    init(_ storage: any JournalStorage, _ text: JournalText, owner: JournalOwner, path: String, now: Int64)
        throws(CatalogueJournalError)
    {
        self.storage = storage
        self.path = path
        knowledge = text.knowledge
        checksum = text.checksum
        if text.byteCount == 0 { try record(.begun(owner), at: now, isDurable: true) }
    }

    /// Returns what the journal of an owner knows, without locking or changing a file. Returns empty knowledge when there is no
    /// journal.
    public static func knowledge(directory: String, owner: JournalOwner) throws(CatalogueJournalError)
        -> JournalKnowledge
    {
        let path = "\(directory)/\(owner.fileName)"
        let bytes: [UInt8]
        do throws(SystemCallError) {
            bytes = try Self.bytes(of: try FileDescriptor.openForReading(path: path), path)
        } catch {
            if error.reason == .enoent || error.reason == .enotdir { return JournalKnowledge() }
            throw error.isFileTooLarge ? .tooLarge(path) : .file(path, error)
        }
        return try JournalText(reading: bytes, owner: owner, path: path).knowledge
    }

    /// Adds an event.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - time: its time, milliseconds since 1970.
    ///   - isDurable: true to return only when the line outlasts a power cut.
    /// - Throws: `catalogue-journal.file`; then every later call throws it as well.
    public func record(_ event: JournalEvent, at time: Int64, isDurable: Bool = false)
        throws(CatalogueJournalError)
    {
        if let failure { throw failure }
        let line = JournalLine(event: event, time: max(0, time)).bytes(after: checksum)
        do throws(SystemCallError) {
            try storage.append(line.bytes)
            if isDurable { try storage.synchronize() }
        } catch {
            failure = .file(path, error)
            throw .file(path, error)
        }
        checksum = line.checksum
        knowledge.add(event, at: time)
    }

    private static func bytes(of file: borrowing FileDescriptor, _ path: String) throws(SystemCallError)
        -> [UInt8]
    {
        let status = try FileStatus(of: file)
        guard status.kind == .regular else {
            throw .found(.notRegularFile(path: path, kind: status.kind))
        }
        let limit = CatalogueLimits.journalByteCount
        guard status.byteCount <= limit else { throw .found(.fileTooLarge(limitBytes: limit)) }
        return try file.readAll(limitBytes: limit)
    }

    private static func lock(directory: String, path: String) throws(CatalogueJournalError) -> HeldLock {
        for isFirst in [true, false] {
            do throws(SystemCallError) {
                return HeldLock(try FileLock(path: path))
            } catch {
                if error.fault == .lockHeld { throw .locked(path) }
                guard isFirst, error.reason == .enoent else { throw .file(path, error) }
                try makeDirectory(directory)
            }
        }
        throw .locked(path)
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

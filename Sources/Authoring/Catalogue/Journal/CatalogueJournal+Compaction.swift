internal import System
internal import Vocabulary

extension CatalogueJournal {
    /// Replaces a long journal by one with the lines alone that its knowledge needs. The caller holds the journal's lock.
    ///
    /// A process that is killed here leaves the old file or the new one; both have the same knowledge. Processes that read the
    /// journal without a lock see one of them as a whole. A journal that cannot be replaced stays as it is: the errors of a
    /// file that cannot be used come when it is opened.
    ///
    /// - Parameters:
    ///   - path: the path of the journal.
    ///   - owner: its owner.
    ///   - lock: the lock of the journal.
    ///   - limit: the length in bytes above which a journal is replaced, when that saves at least a quarter of the limit.
    ///   - layer: makes the calls.
    static func compact(
        _ path: String, owner: JournalOwner, holding lock: borrowing FileLock, above limit: Int,
        through layer: some FileLayer
    ) {
        guard let status = try? FileStatus(path: path, followingLinks: false), status.kind == .regular,
            status.byteCount > limit,
            let file = try? FileDescriptor.openForReading(path: path),
            let bytes = try? file.readAll(limitBytes: CatalogueLimits.journalByteCount)
        else { return }
        var compaction = JournalCompaction()
        let knowledge = try? JournalText(reading: bytes, owner: owner, path: path) { compaction.add($0) }
            .knowledge
        let text = compaction.text
        guard let knowledge, text.count + limit / 4 <= bytes.count,
            let read = try? JournalText(reading: text, owner: owner, path: path),
            read.knowledge == knowledge, read.byteCount == text.count
        else { return }
        try? AtomicFile.write(
            text.span, to: path, permissions: status.permissions, holding: lock, through: layer)
    }
}

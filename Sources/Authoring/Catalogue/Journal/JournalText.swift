internal import Vocabulary

/// The complete lines of a journal.
struct JournalText {
    /// The knowledge from all lines.
    private(set) var knowledge = JournalKnowledge()
    /// The checksum of the last complete line; 0 when there is none.
    private(set) var checksum: UInt64 = 0
    /// The number of bytes of the complete lines. Behind them may be a torn line: the process ended while it wrote.
    private(set) var byteCount = 0

    /// Reads the bytes of a journal.
    ///
    /// - Parameters:
    ///   - bytes: the bytes. No bytes are an empty journal.
    ///   - owner: the owner that the first line must name.
    ///   - path: the path for errors.
    ///   - visit: called with each complete line.
    /// - Throws: every error but `catalogue-journal.file` and `catalogue-journal.locked`.
    init(
        reading bytes: [UInt8],
        owner: JournalOwner,
        path: String,
        visit: (JournalLine) -> Void = { _ in }
    ) throws(CatalogueJournalError) {
        var number = 0
        while let end = bytes[byteCount...].firstIndex(of: UInt8(ascii: "\n")) {
            number += 1
            guard let parts = JournalLine.Parts(bytes[byteCount..<end]) else {
                throw number == 1 ? .foreign(path) : .damaged(path, line: number)
            }
            guard JournalLine.checksum(of: parts.text.span, after: checksum) == parts.checksum else {
                throw .damaged(path, line: number)
            }
            let line = try JournalLine.ReadingError.mapped(
                to: { $0 == .newer ? CatalogueJournalError.newer(path) : .damaged(path, line: number) },
                try JournalLine(reading: parts.text)
            )
            try Self.check(line.event, number: number, owner, path)
            knowledge.add(line.event, at: line.time)
            visit(line)
            checksum = parts.checksum
            byteCount = end + 1
        }
        try checkTornLine(bytes[byteCount...], number: number + 1, path)
    }

    /// The first line alone names the owner.
    private static func check(_ event: JournalEvent, number: Int, _ owner: JournalOwner, _ path: String)
        throws(CatalogueJournalError)
    {
        guard case .begun(let found) = event else {
            guard number > 1 else { throw .damaged(path, line: 1) }
            return
        }
        guard number == 1 else { throw .damaged(path, line: number) }
        guard found == owner else { throw .otherOwner(path, found: found) }
    }

    /// Refuses bytes behind the last line feed that cannot be the beginning of a line. After a power cut they may be zeros.
    private func checkTornLine(_ rest: ArraySlice<UInt8>, number: Int, _ path: String)
        throws(CatalogueJournalError)
    {
        guard rest.count <= JournalLine.byteCount else {
            throw number == 1 ? .foreign(path) : .damaged(path, line: number)
        }
        // A file without a complete line may be any file. Only the beginning of a first line is accepted.
        guard number == 1 else { return }
        let head = rest.prefix(16)
        let isZero = rest.allSatisfy { $0 == 0 }
        let mark = Array(#" {"at":"#.utf8)
        guard isZero || head.allSatisfy(JournalLine.Parts.isDigit),
            isZero || mark.starts(with: rest.dropFirst(16).prefix(mark.count))
        else { throw .foreign(path) }
    }
}

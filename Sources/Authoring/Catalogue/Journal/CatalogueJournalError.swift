public import System
public import Vocabulary

/// The reason why a journal cannot be used. The file is left as it is.
public enum CatalogueJournalError: CodedError, Hashable, CustomStringConvertible {
    /// The directory or the file cannot be used. The string is the path.
    case file(String, SystemCallError)
    /// Another process writes to the journal. The string is the path of the lock.
    case locked(String)
    /// A line of the journal was changed, or lines are missing. The number of the line counts from 1.
    case damaged(String, line: Int)
    /// The file at this path is not a journal.
    case foreign(String)
    /// The journal belongs to another app, another environment or another server.
    case otherOwner(String, found: JournalOwner)
    /// A newer version wrote the journal.
    case newer(String)
    /// The journal is longer than this program reads.
    case tooLarge(String)

    /// The stable code.
    public var code: String {
        switch self {
        case .file: "catalogue-journal.file"
        case .locked: "catalogue-journal.locked"
        case .damaged: "catalogue-journal.damaged"
        case .foreign: "catalogue-journal.foreign"
        case .otherOwner: "catalogue-journal.other-owner"
        case .newer: "catalogue-journal.newer"
        case .tooLarge: "catalogue-journal.too-large"
        }
    }

    /// The error as one line for people.
    public var description: String {
        switch self {
        case .file(let path, let error): "\(path): \(error)"
        case .locked(let path): "\(path): another process uses the journal; try again when it has ended"
        case .damaged(let path, let line):
            "\(path): line \(line) is damaged; \(Self.moving)"
        case .foreign(let path): "\(path): not a journal of retentionctl; it is left as it is"
        case .otherOwner(let path, let found): "\(path): this is the journal of \(found)"
        case .newer(let path): "\(path): written by a newer version"
        case .tooLarge(let path):
            "\(path): longer than \(CatalogueLimits.journalByteCount) bytes; \(Self.moving)"
        }
    }

    private static let moving =
        "move the file away to begin a new journal; the next apply then sets the default messages again"
}

internal import DataFiles
internal import Decisions

/// What a load has to know of the contents of a data file when the file is no longer open: which facts rules ask for,
/// and which facts a facts file has.
enum FileContents: Sendable {
    /// Of a rules file: the facts that it reads, and the signatures that it needs.
    case rules(read: [(name: String, kind: ValueKind)], signing: SigningCapabilities)
    /// Of a facts file: its columns, and their offset in the file.
    case facts(columns: [FactColumn], offset: Int)
}

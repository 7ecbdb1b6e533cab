/// The sections of a facts file, by their numbers in the file. The name of a case is the name of the section in FORMAT.md
/// and in errors.
package enum FactsSection: UInt32, Sendable, CaseIterable {
    package var name: String { "\(self)" }

    /// The bytes of all strings, one after the other.
    case strings = 1
    /// The place where each string begins, and where the last one ends.
    case stringIndex = 2
    /// The settings of the whole file.
    case factsSettings = 64
    /// The fact of each column and its place in a row.
    case columns = 65
    /// The strings of the columns that number their own strings.
    case columnLists = 66
    /// The first row of each bucket, and the end of the last one.
    case directory = 67
    /// The keys, in the order of the rows.
    case keys = 68
    case rows = 69
}

/// The sections of a facts file, beside those that every kind of data file has.
package enum FactsSection: UInt32, SectionKind, CaseIterable {
    /// The bytes of all strings, one after the other.
    case strings = 1
    /// Where each string begins, and where the last one ends.
    case stringIndex = 2
    /// What holds for the file as a whole.
    case factsSettings = 64
    /// What each column holds and where it stands in a row.
    case columns = 65
    /// The strings that occur in columns which number their own.
    case columnLists = 66
    /// The first row of each bucket, and the end of the last one.
    case directory = 67
    /// The keys, in the order of the rows.
    case keys = 68
    /// The rows.
    case rows = 69
}

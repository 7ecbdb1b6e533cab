extension [UInt8] {
    /// The text without the byte order mark that some editors put before it. No editor counts it as a column, so places
    /// are those of the rest.
    var withoutByteOrderMark: [UInt8] {
        starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self
    }
}

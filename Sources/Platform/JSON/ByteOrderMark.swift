extension [UInt8] {
    /// The text without the byte order mark that some editors write before UTF-8. Editors do not count it as a column,
    /// so lines and columns are those of the remaining text.
    public var withoutByteOrderMark: [UInt8] {
        starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self
    }
}

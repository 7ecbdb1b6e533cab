/// Looks for the end of a row that is longer than a row may be, block by block, so that none of it has to be kept.
struct LongRow {
    /// Where in its fields the row is.
    private enum Place {
        case fieldStart, plain, quoted, closed, returned
        /// Only the line's end is looked for.
        case rest
    }

    private var place: Place
    /// How many fields a row has whose quotation marks may enclose lines.
    private let fieldCount: Int?
    private var foundFieldCount = 1
    /// How many bytes there are from the quotation mark that opens the field on.
    private var enclosedByteCount = 0
    /// The line feeds so far, with the one that ends the row.
    private(set) var lineFeedCount = 0
    /// Whether quotation marks seem to enclose lines and are then wrong: in their places, in the number of fields, in how
    /// much they enclose, or because the table ends before the last one is closed. What they enclose may as well be rows.
    private(set) var isDoubtful = false

    /// Begins with a row of so many fields in which line feeds may stand in quotation marks; nil where the first line feed is
    /// the end.
    init(quotedFieldCount: Int?) {
        fieldCount = quotedFieldCount
        place = quotedFieldCount == nil ? .rest : .fieldStart
    }

    /// Looks through the next bytes of the row.
    ///
    /// - Returns: the place behind the row's end, or behind the byte that makes it doubtful; nil when it goes on.
    mutating func end(in bytes: ArraySlice<UInt8>) -> Int? {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n") {
                lineFeedCount += 1
                guard place == .quoted else {
                    if let fieldCount, foundFieldCount != fieldCount, lineFeedCount > 1 { isDoubtful = true }
                    return index + 1
                }
            }
            take(byte)
            if place == .quoted {
                enclosedByteCount += 1
                if enclosedByteCount > FactsCompilerLimits.enclosedByteCount { wrong() }
            }
            if isDoubtful { return index + 1 }
        }
        return nil
    }

    /// Nothing comes behind the bytes that were looked through.
    mutating func finish() {
        if place == .quoted { wrong() }
    }

    private mutating func take(_ byte: UInt8) {
        switch (place, byte) {
        case (.rest, _): break
        case (.quoted, UInt8(ascii: "\"")): place = .closed
        case (.quoted, _): break
        case (.fieldStart, UInt8(ascii: "\"")): (place, enclosedByteCount) = (.quoted, 0)
        case (.closed, UInt8(ascii: "\"")): place = .quoted
        case (.closed, UInt8(ascii: "\r")): place = .returned
        case (.returned, _), (.plain, UInt8(ascii: "\"")): wrong()
        case (_, UInt8(ascii: ",")):
            place = .fieldStart
            foundFieldCount += 1
        case (.closed, _): wrong()
        case (.fieldStart, _), (.plain, _): place = .plain
        }
    }

    private mutating func wrong() {
        isDoubtful = lineFeedCount > 0
        place = .rest
    }
}

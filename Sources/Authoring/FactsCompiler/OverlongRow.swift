/// Finds the end of a row that is longer than the limit, block by block, so that no part of the row has to be kept.
struct OverlongRow {
    /// The state of the scan within the fields of the row.
    private enum Place {
        case fieldStart, plain, quoted, closed, returned
        /// Only the end of the line matters.
        case rest
    }

    private var place: Place
    /// The number of fields in a row, if quotation marks may enclose line feeds; else nil.
    private let fieldCount: Int?
    private var foundFieldCount = 1
    /// The number of bytes since the quotation mark that opened the field.
    private var enclosedByteCount = 0
    /// The number of line feeds so far, including the one that ends the row.
    private(set) var lineFeedCount = 0
    /// True when quotation marks seem to enclose lines, but are wrong: they stand in a wrong place, give a wrong number
    /// of fields, enclose too many bytes, or the table ends before the last mark is closed. The enclosed lines may then
    /// be rows of their own.
    private(set) var hasBadQuotes = false

    /// Creates the scan of a row with `quotedFieldCount` fields, in which quotation marks may enclose line feeds. With
    /// nil, the first line feed ends the row.
    init(quotedFieldCount: Int?) {
        fieldCount = quotedFieldCount
        place = quotedFieldCount == nil ? .rest : .fieldStart
    }

    /// Scans the next bytes of the row.
    ///
    /// - Returns: the index after the row's end, or after the byte that makes the row doubtful; nil when the row goes on.
    mutating func end(in bytes: ArraySlice<UInt8>) -> Int? {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n") {
                lineFeedCount += 1
                guard place == .quoted else {
                    if let fieldCount, foundFieldCount != fieldCount, lineFeedCount > 1 {
                        hasBadQuotes = true
                    }
                    return index + 1
                }
            }
            take(byte)
            if place == .quoted {
                enclosedByteCount += 1
                if enclosedByteCount > FactsCompilerLimits.enclosedByteCount { wrong() }
            }
            if hasBadQuotes { return index + 1 }
        }
        return nil
    }

    /// Notes that the table ends after the bytes that were scanned.
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
        hasBadQuotes = lineFeedCount > 0
        place = .rest
    }
}

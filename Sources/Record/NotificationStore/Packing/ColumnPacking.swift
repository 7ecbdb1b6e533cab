/// Packs the columns of rows that follow each other: of each row, only the values that differ from those of the row before.
///
/// A row is the set of its changed columns, a bit each, and their values. A number is 0 for NULL, or one more than its distance from
/// the last number of the column. A text is 0 for NULL; for a decimal number, twice its distance from the last one of the column, plus
/// one; for any other text, twice one more than the number of its bytes, and the bytes.
struct ColumnPacking: ColumnVisitor {
    private var texts = [String?](repeating: nil, count: PackedColumns.greatestCount)
    private var numbers = [Int64](repeating: 0, count: PackedColumns.greatestCount)
    private var isNull = [Bool](repeating: true, count: PackedColumns.greatestCount)
    private var place = 0
    private var changed: UInt64 = 0
    private var values = PackedWriter()
    /// False when a number was so large that it cannot be packed.
    private(set) var fits = true

    /// Ends a row: writes it, and begins the next one.
    mutating func endRow(in writer: inout PackedWriter) {
        writer.add(changed)
        writer.add(values.bytes)
        values.removeAll()
        (place, changed) = (0, 0)
    }

    mutating func visit(_: StaticString, _ text: inout String?) {
        defer { place += 1 }
        guard !ColumnText.isSame(text, texts[place]) else { return }
        changed |= 1 << UInt64(place)
        texts[place] = text
        guard let text else { return values.add(0) }
        if let number = PackedColumns.decimal(text) {
            // Both have at most 18 digits, so nothing overflows.
            values.add(ZigZag.encode(number - numbers[place]) << 1 | 1)
            numbers[place] = number
        } else {
            let content = text.utf8
            values.add(UInt64(content.count + 1) << 1)
            values.add(content)
        }
    }

    mutating func visit(_: StaticString, _ number: inout Int64?) {
        defer { place += 1 }
        guard let number else {
            if !isNull[place] {
                isNull[place] = true
                changed |= 1 << UInt64(place)
                values.add(0)
            }
            return
        }
        guard isNull[place] || number != numbers[place] else { return }
        guard number.magnitude <= PackedColumns.greatestNumber.magnitude else {
            fits = false
            return
        }
        changed |= 1 << UInt64(place)
        values.add(ZigZag.encode(number - numbers[place]) + 1)
        (numbers[place], isNull[place]) = (number, false)
    }

    mutating func visit(_ name: StaticString, _ flag: inout Bool?) {
        var number: Int64? = flag.map { $0 ? 1 : 0 }
        visit(name, &number)
    }
}

/// Unpacks what ``ColumnPacking`` packed.
struct ColumnUnpacking: ColumnVisitor {
    private var texts = [String?](repeating: nil, count: PackedColumns.greatestCount)
    private var numbers = [Int64](repeating: 0, count: PackedColumns.greatestCount)
    private var isNull = [Bool](repeating: true, count: PackedColumns.greatestCount)
    private var place = 0
    private var changed: UInt64 = 0
    /// Reads the values.
    var reader: PackedReader
    /// True when the bytes are damaged. The values after that are worthless.
    private(set) var isDamaged = false

    init(_ reader: PackedReader) { self.reader = reader }

    mutating func beginRow() {
        (place, changed) = (0, 0)
        if let mask = reader.number() { changed = mask } else { isDamaged = true }
    }

    /// Ends a row, which must have no changed columns behind the last one.
    mutating func endRow() {
        if place < 64, changed >> UInt64(place) != 0 { isDamaged = true }
    }

    private mutating func header() -> UInt64? {
        guard !isDamaged, changed >> UInt64(place) & 1 == 1 else { return nil }
        if let number = reader.number() { return number }
        isDamaged = true
        return nil
    }

    mutating func visit(_: StaticString, _ text: inout String?) {
        if let header = header() {
            if header == 0 {
                texts[place] = nil
            } else if header & 1 == 1 {
                move(by: header >> 1)
                texts[place] = String(numbers[place])
            } else if let content = reader.text(byteCount: header >> 1 - 1) {
                texts[place] = content
            } else {
                isDamaged = true
            }
        }
        text = texts[place]
        place += 1
    }

    mutating func visit(_: StaticString, _ number: inout Int64?) {
        if let header = header() {
            isNull[place] = header == 0
            if header > 0 { move(by: header - 1) }
        }
        number = isNull[place] ? nil : numbers[place]
        place += 1
    }

    private mutating func move(by distance: UInt64) {
        let (number, overflows) = numbers[place].addingReportingOverflow(ZigZag.decode(distance))
        if overflows || number.magnitude > PackedColumns.greatestNumber.magnitude { isDamaged = true }
        numbers[place] = overflows ? 0 : number
    }

    mutating func visit(_ name: StaticString, _ flag: inout Bool?) {
        var number: Int64?
        visit(name, &number)
        flag = number.map { $0 != 0 }
    }
}

/// What packing and unpacking share.
enum PackedColumns {
    /// The most columns of a row: each has a bit in a number.
    static let greatestCount = 64
    /// The greatest number that is packed, so that no distance overflows. A date of Apple has 13 digits.
    static let greatestNumber: Int64 = 1 << 60

    /// The number that a text is, when the number gives the same text again: no sign, no leading zero, at most 18 digits.
    static func decimal(_ text: String) -> Int64? {
        let digits = text.utf8
        guard (1...18).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            return nil
        }
        var number: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return number
    }
}

internal import JSON
internal import System

/// Reads the rows of newline-delimited JSON, which has one object on each line.
struct NDJSONRows: FactsRowSource {
    private let names: [[UInt8]]
    private var taken: [Bool]
    /// The index in `names` of the member that probably comes next. Rows usually have their members in the same order.
    private var expected = 0
    private var scratch: [UInt8] = []
    private var nameScratch: [UInt8] = []
    private var ignoredNames: Set<[UInt8]> = []

    private static let lineFeed = UInt8(ascii: "\n")

    init(_ schema: FactsSchema) {
        names = (schema.facts.map(\.column) + [schema.keyColumn]).map { Array($0.utf8) }
        taken = Array(repeating: false, count: names.count)
    }

    /// The names of the members that the schema does not have.
    var ignored: [String] {
        ignoredNames.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func takeRow(_ bytes: Span<UInt8>, _ place: FactsRowPlace, into rows: inout FactsRowAssembler)
        -> FactsRowOutcome
    {
        var lineEnd = place.start
        while lineEnd < place.end, bytes[lineEnd] != Self.lineFeed { lineEnd += 1 }
        guard lineEnd < place.end || place.isLast else { return .unfinished }
        let end = min(lineEnd + 1, place.end)
        var scanner = JSONScanner(from: place.start, to: lineEnd)
        guard scanner.next(bytes) != nil else { return .blank(end: end) }
        rows.begin()
        expected = 0
        for index in taken.indices { taken[index] = false }
        var faults: [FactsRowFault] = []
        do throws(JSONScanner.Fault) {
            try scanner.expect(UInt8(ascii: "{"), bytes)
            if scanner.next(bytes) == UInt8(ascii: "}") {
                try scanner.expect(UInt8(ascii: "}"), bytes)
            } else {
                try takeMembers(bytes, &scanner, &rows, &faults)
            }
            guard scanner.next(bytes) == nil else {
                throw JSONScanner.Fault(message: "something behind the object", position: scanner.position)
            }
        } catch {
            let fault = FactsRowFault(fault: .init(.badJSON, error.message), position: error.position)
            return .bad([fault], end: end, lineCount: 1)
        }
        return faults.isEmpty
            ? .good(end: end, lineCount: 1) : .bad(faults, end: end, lineCount: 1)
    }

    private mutating func takeMembers(
        _ bytes: Span<UInt8>, _ scanner: inout JSONScanner, _ rows: inout FactsRowAssembler,
        _ faults: inout [FactsRowFault]
    ) throws(JSONScanner.Fault) {
        while true {
            _ = scanner.next(bytes)
            let nameStart = scanner.position
            let name = try scanner.string(bytes)
            try scanner.expect(UInt8(ascii: ":"), bytes)
            _ = scanner.next(bytes)
            let start = scanner.position
            let index = find(name, bytes)
            let token = try scanner.value(bytes)
            if let index {
                if taken[index] {
                    let text = String(decoding: names[index], as: UTF8.self)
                    let fault = FactsRowAssembler.Fault(.repeatedColumn, "two members \"\(text)\"")
                    faults.append(FactsRowFault(fault: fault, position: nameStart))
                }
                taken[index] = true
                do throws(FactsRowAssembler.Fault) {
                    try take(token, index, bytes, &rows)
                } catch {
                    faults.append(FactsRowFault(fault: error, position: start))
                }
            }
            guard scanner.next(bytes) == UInt8(ascii: ",") else {
                return try scanner.expect(UInt8(ascii: "}"), bytes)
            }
            try scanner.expect(UInt8(ascii: ","), bytes)
        }
    }

    /// Returns the index of a member in ``names``, or nil for a member that the schema does not have.
    private mutating func find(_ name: JSONScanner.Token, _ bytes: Span<UInt8>) -> Int? {
        guard case .string(let start, let end, let hasEscapes) = name else { return nil }
        if hasEscapes {
            JSONScanner.decode(bytes, start, end, into: &nameScratch)
            let decoded = nameScratch
            return find(decoded.span)
        }
        return find(bytes.extracting(start..<end))
    }

    private mutating func find(_ name: Span<UInt8>) -> Int? {
        for step in names.indices {
            let index = expected + step < names.count ? expected + step : expected + step - names.count
            let wanted = names[index]
            if name.isEqual(to: wanted.span) {
                expected = index + 1 < names.count ? index + 1 : 0
                return index
            }
        }
        if ignoredNames.count < FactsCompilerLimits.ignoredCount {
            ignoredNames.insert(name.copied())
        }
        return nil
    }

    private mutating func take(
        _ token: JSONScanner.Token, _ index: Int, _ bytes: Span<UInt8>, _ rows: inout FactsRowAssembler
    ) throws(FactsRowAssembler.Fault) {
        let isKey = index == names.count - 1
        switch token {
        case .null: return
        case .string(let start, let end, let hasEscapes):
            // An empty string is a missing value, as an empty field is in CSV, so that a table means the same in both forms.
            guard isKey || start < end else { return }
            if hasEscapes {
                JSONScanner.decode(bytes, start, end, into: &scratch)
                try give(scratch.span, isKey ? nil : index, &rows)
            } else {
                try give(bytes.extracting(start..<end), isKey ? nil : index, &rows)
            }
        case .number(let start, let end):
            guard isKey || !rows.isText(index) else { throw mistyped(index, rows) }
            try give(bytes.extracting(start..<end), isKey ? nil : index, &rows)
        case .yes, .no:
            guard !isKey, rows.isBoolean(index) else { throw mistyped(index, rows) }
            rows.take(token == .yes, column: index)
        case .nested: throw mistyped(index, rows)
        }
    }

    private func give(_ text: Span<UInt8>, _ column: Int?, _ rows: inout FactsRowAssembler)
        throws(FactsRowAssembler.Fault)
    {
        if let column { try rows.take(text, column: column) } else { try rows.takeKey(text) }
    }

    private func mistyped(_ index: Int, _ rows: borrowing FactsRowAssembler) -> FactsRowAssembler.Fault {
        let name = String(decoding: names[index], as: UTF8.self)
        guard index < names.count - 1 else {
            return .init(.badValue, "\(name) is neither a string nor a number")
        }
        let wanted =
            switch rows.facts[index].type {
            case .string, .enumeration: "a string"
            case .integer: "a whole number"
            case .date: "a date"
            case .boolean: "true or false"
            }
        return .init(
            .badValue, "\(name) is not \(wanted)", hint: "null, or no member, for a missing value",
            column: index)
    }
}

/// Scans one JSON object (RFC 8259) on one line. It creates no value for a member that the schema does not have.
///
/// jansson would build a tree of every row, and tables have up to a hundred million rows. jansson accepts every row that this
/// scanner accepts, except a row in which an ignored member occurs twice or is a number out of range. A test compares the two.
struct JSONScanner {
    /// The kind of a value and its place in the bytes.
    enum Token: Equatable {
        /// A string. The range lies between the quotation marks; if it has escapes, the caller must decode it first.
        case string(start: Int, end: Int, hasEscapes: Bool)
        /// A number in the form in which it is written.
        case number(start: Int, end: Int)
        case yes
        case no
        case null
        /// An array or an object, which the scanner skipped.
        case nested
    }

    /// What is wrong with the text, and at which byte.
    struct Fault: Error {
        let message: String
        let position: Int
    }

    private(set) var position: Int
    private let end: Int

    init(from start: Int, to end: Int) {
        position = start
        self.end = end
    }

    /// Returns the next byte that is not white space, or nil at the end of the line.
    @inline(__always)
    mutating func next(_ bytes: Span<UInt8>) -> UInt8? {
        while position < end {
            let byte = bytes[position]
            switch byte {
            case 0x20, 0x09, 0x0D: position += 1
            default: return byte
            }
        }
        return nil
    }

    /// Skips white space and then `byte`; throws when another byte comes next.
    mutating func expect(_ byte: UInt8, _ bytes: Span<UInt8>) throws(Fault) {
        guard next(bytes) == byte else {
            throw Fault(message: "\"\(Unicode.Scalar(byte))\" expected", position: position)
        }
        position += 1
    }

    mutating func value(_ bytes: Span<UInt8>, depth: Int = 0) throws(Fault) -> Token {
        switch next(bytes) {
        case UInt8(ascii: "\""): return try string(bytes)
        case UInt8(ascii: "t"): return try word("true", .yes, bytes)
        case UInt8(ascii: "f"): return try word("false", .no, bytes)
        case UInt8(ascii: "n"): return try word("null", .null, bytes)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try nested(bytes, depth)
        default: return try number(bytes)
        }
    }

    /// Scans a string, whose opening quotation mark comes next.
    mutating func string(_ bytes: Span<UInt8>) throws(Fault) -> Token {
        try expect(UInt8(ascii: "\""), bytes)
        let start = position
        var hasEscapes = false
        var isASCII = true
        while position < end {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                guard isASCII || bytes.extracting(start..<position - 1).isUTF8 else {
                    throw Fault(message: "a string that is not UTF-8", position: start - 1)
                }
                return .string(start: start, end: position - 1, hasEscapes: hasEscapes)
            }
            guard byte >= 0x20 else {
                throw Fault(message: "a control character in a string", position: position)
            }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                try escape(bytes)
            } else {
                isASCII = isASCII && byte < 0x80
                position += 1
            }
        }
        throw Fault(message: "a string that is never closed", position: start - 1)
    }

    /// Skips an escape. Throws for an escape that JSON does not define, for U+0000, and for half of a surrogate pair.
    private mutating func escape(_ bytes: Span<UInt8>) throws(Fault) {
        let start = position
        let bytes = bytes.extracting(first: end)
        position += 2
        guard start + 1 < end else { return }
        switch bytes[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "u"):
            guard let unit = JSONEscape.unit(bytes, at: start + 2), unit != 0 else { break }
            position = start + 6
            if 0xD800..<0xDC00 ~= unit {
                guard start + 7 < end, bytes[start + 6] == UInt8(ascii: "\\"),
                    bytes[start + 7] == UInt8(ascii: "u"),
                    let low = JSONEscape.unit(bytes, at: start + 8), 0xDC00..<0xE000 ~= low
                else { break }
                position = start + 12
            } else if 0xDC00..<0xE000 ~= unit {
                break
            }
            return
        default: break
        }
        throw Fault(message: "an escape that means nothing", position: start)
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(Fault) -> Token {
        let start = position
        if position < end, bytes[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        guard digits(bytes) > 0, bytes[first] != UInt8(ascii: "0") || position == first + 1 else {
            throw Fault(message: "a value expected", position: start)
        }
        if position < end, bytes[position] == UInt8(ascii: ".") {
            position += 1
            guard digits(bytes) > 0 else {
                throw Fault(message: "a number that ends with its point", position: start)
            }
        }
        if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < end, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            guard digits(bytes) > 0 else {
                throw Fault(message: "a number without its exponent", position: start)
            }
        }
        return .number(start: start, end: position)
    }

    private mutating func digits(_ bytes: Span<UInt8>) -> Int {
        let start = position
        while position < end, bytes[position] &- UInt8(ascii: "0") <= 9 { position += 1 }
        return position - start
    }

    private mutating func word(_ text: StaticString, _ token: Token, _ bytes: Span<UInt8>) throws(Fault)
        -> Token
    {
        let start = position
        for byte in text.description.utf8 {
            guard position < end, bytes[position] == byte else {
                throw Fault(message: "a value expected", position: start)
            }
            position += 1
        }
        return token
    }

    private mutating func nested(_ bytes: Span<UInt8>, _ depth: Int) throws(Fault) -> Token {
        let start = position
        guard depth < FactsCompilerLimits.depth else {
            throw Fault(message: "nested too deep", position: start)
        }
        let isObject = bytes[start] == UInt8(ascii: "{")
        let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        position += 1
        if next(bytes) == close {
            position += 1
            return .nested
        }
        while true {
            if isObject {
                _ = next(bytes)
                _ = try string(bytes)
                try expect(UInt8(ascii: ":"), bytes)
            }
            _ = try value(bytes, depth: depth + 1)
            if next(bytes) == close {
                position += 1
                return .nested
            }
            try expect(UInt8(ascii: ","), bytes)
        }
    }

    /// Writes the bytes of a string to `scratch` and replaces the escapes. The scanner must have accepted the string before.
    static func decode(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, into scratch: inout [UInt8]) {
        scratch.removeAll(keepingCapacity: true)
        var position = start
        while position < end {
            let byte = bytes[position]
            guard byte == UInt8(ascii: "\\"), position + 1 < end else {
                scratch.append(byte)
                position += 1
                continue
            }
            position += 1
            JSONEscape.take(bytes, &position, into: &scratch)
        }
    }
}

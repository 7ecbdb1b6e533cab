internal import System

public struct JSONPosition: Sendable, Hashable, CustomStringConvertible {
    public let line: Int
    /// The column, from 1, counted in Unicode code points.
    public let column: Int
    public let byteOffset: Int

    public init(line: Int, column: Int, byteOffset: Int) {
        self.line = line
        self.column = column
        self.byteOffset = byteOffset
    }

    public init(byteOffset: Int, in text: Span<UInt8>) {
        let offset = max(0, min(byteOffset, text.count))
        var line = 1
        var column = 1
        for index in 0..<offset {
            let byte = text[index]
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {  // only the first byte of a code point counts
                column += 1
            }
        }
        self.init(line: line, column: column, byteOffset: offset)
    }

    public var description: String { "\(line):\(column)" }
}

/// The path from the root of a JSON text to a value, for example `apps[0].bundleId`.
public typealias JSONPath = [JSONPathComponent]

public enum JSONPathComponent: Hashable, Sendable {
    case member(String)
    case index(Int)
}

extension [JSONPathComponent] {
    public var text: String {
        var text = ""
        for component in self {
            switch component {
            case .member(let name): text += text.isEmpty ? name : ".\(name)"
            case .index(let index): text += "[\(index)]"
            }
        }
        return text
    }
}

/// Finds the positions of values and keys in a JSON text that was accepted already, by scanning it a second time: it costs
/// nothing until something is wrong.
public struct JSONPositions: Sendable {
    private let source: [UInt8]

    public init(source: [UInt8]) {
        self.source = source
    }

    public func value(at path: JSONPath) -> JSONPosition? {
        locate(path).map { JSONPosition(byteOffset: $0.value, in: source.span) }
    }

    public func key(at path: JSONPath) -> JSONPosition? {
        locate(path).flatMap(\.key).map { JSONPosition(byteOffset: $0, in: source.span) }
    }

    private func locate(_ path: JSONPath) -> (key: Int?, value: Int)? {
        var cursor = JSONCursor(source)
        cursor.skipWhitespace()
        var key: Int?
        for component in path {
            switch component {
            case .member(let name):
                guard let found = cursor.enterMember(Array(name.utf8)) else { return nil }
                key = found
            case .index(let index):
                guard cursor.enterElement(index) else { return nil }
                key = nil
            }
        }
        return cursor.next == nil ? nil : (key, cursor.offset)
    }
}

struct JSONCursor {
    let source: [UInt8]
    private(set) var offset = 0

    init(_ source: [UInt8]) {
        self.source = source
    }

    var next: UInt8? { offset < source.count ? source[offset] : nil }

    mutating func skipWhitespace() {
        while let byte = next, JSONPrescan.isWhitespace(byte) { offset += 1 }
    }

    mutating func enterMember(_ name: [UInt8]) -> Int? {
        guard take(UInt8(ascii: "{")) else { return nil }
        while next == UInt8(ascii: "\"") {
            let start = offset
            let key = takeString()
            guard take(UInt8(ascii: ":")) else { return nil }
            if key == name { return start }
            skipValue()
            guard take(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }

    mutating func enterElement(_ index: Int) -> Bool {
        guard take(UInt8(ascii: "[")), next != UInt8(ascii: "]") else { return false }
        for _ in 0..<max(0, index) {
            skipValue()
            guard take(UInt8(ascii: ",")) else { return false }
        }
        return index >= 0 && next != nil
    }

    mutating func take(_ byte: UInt8) -> Bool {
        skipWhitespace()
        guard next == byte else { return false }
        offset += 1
        skipWhitespace()
        return true
    }

    mutating func skipValue() {
        var depth = 0
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""): _ = takeString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                offset += 1
            case UInt8(ascii: ","):
                if depth == 0 { return }
                offset += 1
            default: offset += 1
            }
        }
    }

    mutating func takeString() -> [UInt8] {
        var bytes: [UInt8] = []
        offset += 1
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return bytes
            case UInt8(ascii: "\\"): takeEscape(into: &bytes)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private mutating func takeEscape(into output: inout [UInt8]) {
        guard let letter = next else { return }
        offset += 1
        switch letter {
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"): takeScalar(into: &output)
        default: output.append(letter)
        }
    }

    private mutating func takeScalar(into output: inout [UInt8]) {
        var scalar = unit(at: offset) ?? 0xFFFD
        offset = min(offset + 4, source.count)
        if 0xD800..<0xDC00 ~= scalar, let low = unit(at: offset + 2) {
            scalar = 0x10000 + (scalar - 0xD800) << 10 + (low & 0x3FF)
            offset += 6
        }
        output += String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8
    }

    private func unit(at place: Int) -> UInt32? {
        guard place + 4 <= source.count else { return nil }
        var value: UInt32 = 0
        for byte in source[place..<place + 4] {
            guard let digit = HexadecimalDigits.value(of: byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}

/// Adds members to objects in a JSON text that was accepted. No byte of the text is changed or removed, so that a person who
/// compares the texts sees the additions alone.
///
/// An addition stands behind the last member on a line of its own, indented as those before it.
public struct JSONEditor {
    private let source: [UInt8]
    private let root: JSONOutline?
    private var additions: [Int: (container: JSONOutline, items: [(name: String, value: JSONNode)])] = [:]

    public init(_ source: [UInt8]) {
        self.source = source
        root = JSONOutline(of: source)
    }

    @discardableResult
    public mutating func add(_ name: String, _ value: JSONNode, at path: JSONPath) -> Bool {
        guard let container = root?.find(path), container.isObject else { return false }
        additions[container.start, default: (container, [])].items.append((name, value))
        return true
    }

    public var text: [UInt8] {
        var text: [UInt8] = []
        var copied = 0
        for (container, items) in additions.values.sorted(by: { $0.container.end < $1.container.end }) {
            text += source[copied..<container.end]
            text += bytes(of: items, in: container)
            copied = container.end
        }
        return text + source[copied...]
    }

    private var newline: [UInt8] {
        guard let end = source.firstIndex(of: UInt8(ascii: "\n")), end > 0 else {
            return [UInt8(ascii: "\n")]
        }
        return source[end - 1] == UInt8(ascii: "\r") ? Array("\r\n".utf8) : [UInt8(ascii: "\n")]
    }

    private func bytes(of items: [(name: String, value: JSONNode)], in container: JSONOutline) -> [UInt8] {
        let (newline, outer) = (newline, indentation(of: container.start))
        let inner = indentation(in: container)
        var text: [UInt8] = []
        for (index, item) in items.enumerated() {
            if container.first != nil || index > 0 { text.append(UInt8(ascii: ",")) }
            text += newline + (inner ?? outer + Array("  ".utf8))
            text += JSONNode.string(item.name).serialized() + Array(": ".utf8)
            for byte in item.value.serialized(pretty: true) {
                // A line feed in a string is written as an escape.
                if byte == UInt8(ascii: "\n") {
                    text += newline + (inner ?? outer + Array("  ".utf8))
                } else {
                    text.append(byte)
                }
            }
        }
        return container.first == nil ? text + newline + outer : text
    }

    private func indentation(of offset: Int) -> [UInt8] {
        let start = source[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return Array(source[start..<offset].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
    }

    private func indentation(in container: JSONOutline) -> [UInt8]? {
        guard let first = container.first, source[container.start..<first].contains(UInt8(ascii: "\n")) else {
            return nil
        }
        return indentation(of: first)
    }
}

/// The places of an object or an array, and of everything in it, in an accepted JSON text.
public struct JSONOutline {
    public let start: Int
    public private(set) var first: Int?
    public private(set) var end: Int
    public let isObject: Bool
    public private(set) var members: [String: JSONOutline] = [:]
    private(set) var elements: [JSONOutline?] = []

    public init?(of text: [UInt8]) {
        var cursor = JSONCursor(text)
        cursor.skipWhitespace()
        self.init(&cursor)
    }

    /// Reads the value at the cursor and moves the cursor behind it. Returns nil when the value is neither an object nor an
    /// array. As deep as the text, whose depth the parser has limited.
    init?(_ cursor: inout JSONCursor) {
        isObject = cursor.next == UInt8(ascii: "{")
        guard isObject || cursor.next == UInt8(ascii: "[") else {
            cursor.skipValue()
            return nil
        }
        start = cursor.offset
        end = start + 1
        _ = cursor.take(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        while let byte = cursor.next, byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") {
            let place = cursor.offset
            first = first ?? place
            let name = isObject ? String(decoding: cursor.takeString(), as: UTF8.self) : ""
            if isObject { _ = cursor.take(UInt8(ascii: ":")) }
            let child = JSONOutline(&cursor)
            if isObject { members[name] = child } else { elements.append(child) }
            end = cursor.offsetBehindToken
            _ = cursor.take(UInt8(ascii: ","))
            // Only a text that was not accepted has a value without a byte.
            guard cursor.offset > place else { return }
        }
        _ = cursor.take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }

    func find(_ path: JSONPath) -> JSONOutline? {
        var found = self
        for component in path {
            let next: JSONOutline? =
                switch component {
                case .member(let name): found.members[name]
                case .index(let index): found.elements.indices.contains(index) ? found.elements[index] : nil
                }
            guard let next else { return nil }
            found = next
        }
        return found
    }
}

extension JSONCursor {
    fileprivate var offsetBehindToken: Int {
        var end = offset
        while end > 0, JSONPrescan.isWhitespace(source[end - 1]) { end -= 1 }
        return end
    }
}

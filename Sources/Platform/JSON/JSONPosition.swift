public struct JSONPosition: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let line: Int
    /// The column, from 1, counted in Unicode code points.
    public let column: Int
    public let byteOffset: Int

    public static let start = JSONPosition(line: 1, column: 1, byteOffset: 0)

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

    public static func < (left: JSONPosition, right: JSONPosition) -> Bool {
        left.byteOffset < right.byteOffset
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
            case UInt8(ascii: "\\"):
                var position = offset
                JSONEscape.take(source.span, &position, into: &bytes)
                offset = position
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}

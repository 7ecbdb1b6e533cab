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

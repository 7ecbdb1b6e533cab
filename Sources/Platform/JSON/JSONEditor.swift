/// Adds members to objects, and elements to arrays, in a JSON text that was accepted. No byte of the text is changed or removed,
/// so that a person who compares the texts sees the additions alone.
///
///     var editor = JSONEditor(text)
///     editor.add("revision", .integer(2), at: [.member("messages"), .member("reminder")])
///     let changed = editor.text
///
/// An addition stands behind the last member or element on a line of its own, indented as those before it.
public struct JSONEditor {
    private let source: [UInt8]
    private let root: JSONOutline?
    private var additions: [Int: (container: JSONOutline, items: [(name: String?, value: JSONNode)])] = [:]

    public init(_ source: [UInt8]) {
        self.source = source
        root = JSONOutline(of: source)
    }

    /// Adds a member to an object, which must not have a member of that name.
    ///
    /// - Parameters:
    ///   - name: the name of the member.
    ///   - value: the value of the member.
    ///   - path: the path to the object.
    /// - Returns: true; false when the text has no object at the path.
    @discardableResult
    public mutating func add(_ name: String, _ value: JSONNode, at path: JSONPath) -> Bool {
        guard let container = root?.find(path), container.isObject else { return false }
        additions[container.start, default: (container, [])].items.append((name, value))
        return true
    }

    /// Adds an element to an array.
    ///
    /// - Parameters:
    ///   - value: the element.
    ///   - path: the path to the array.
    /// - Returns: true; false when the text has no array at the path.
    @discardableResult
    public mutating func add(_ value: JSONNode, at path: JSONPath) -> Bool {
        guard let container = root?.find(path), !container.isObject else { return false }
        additions[container.start, default: (container, [])].items.append((nil, value))
        return true
    }

    /// The text with all additions.
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

    private func bytes(of items: [(name: String?, value: JSONNode)], in container: JSONOutline) -> [UInt8] {
        let (newline, outer) = (newline, indentation(of: container.start))
        let inner = indentation(in: container)
        var text: [UInt8] = []
        for (index, item) in items.enumerated() {
            if container.first != nil || index > 0 { text.append(UInt8(ascii: ",")) }
            text += newline + (inner ?? outer + Array("  ".utf8))
            if let name = item.name { text += JSONNode.string(name).serialized() + Array(": ".utf8) }
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

    /// The white space with which the line of an offset begins.
    private func indentation(of offset: Int) -> [UInt8] {
        let start = source[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return Array(source[start..<offset].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
    }

    /// The white space before the members or elements; nil when the first stands on the line of the bracket.
    private func indentation(in container: JSONOutline) -> [UInt8]? {
        guard let first = container.first, source[container.start..<first].contains(UInt8(ascii: "\n")) else {
            return nil
        }
        return indentation(of: first)
    }
}

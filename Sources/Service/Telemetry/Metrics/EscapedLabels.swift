internal import Vocabulary

/// Labels in the text format of Prometheus, without the brace at the end: `{app="7",rule="a \"b\"",`. The samples of
/// one row of counts share them.
public struct EscapedLabels: ~Copyable {
    private(set) var text = TextBuffer()

    public init() { text.append("{") }

    public mutating func add(_ name: String, _ value: String) { add(name, value.utf8Span.span) }

    /// Adds a label. The bytes of its value are escaped.
    mutating func add(_ name: String, _ value: Span<UInt8>) {
        text.append(string: name)
        text.append("=\"")
        Self.append(value, quotes: true, to: &text)
        text.append("\",")
    }

    /// Removes all labels.
    public mutating func removeAll() { text.cut(to: 1) }

    static func append(_ value: Span<UInt8>, quotes: Bool, to text: inout TextBuffer) {
        let start = text.count
        text.append(value)
        guard !text.isPlain(from: start) else { return }
        text.cut(to: start)
        for index in value.indices {
            let byte = value[index]
            switch byte {
            case UInt8(ascii: "\\"): text.append("\\\\")
            case UInt8(ascii: "\n"): text.append("\\n")
            case UInt8(ascii: "\"") where quotes: text.append("\\\"")
            default: text.append(byte)
            }
        }
    }
}

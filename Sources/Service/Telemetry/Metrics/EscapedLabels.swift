/// Labels in the form that both formats have, without the brace at the end: `{app="7",rule="a \"b\"",`.
public struct EscapedLabels: Sendable {
    let bytes: [UInt8]

    /// Escapes the values of labels.
    public init(_ labels: [(name: String, value: String)]) {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        for label in labels {
            bytes += label.name.utf8
            bytes += "=\"".utf8
            Self.append(label.value, quotes: true, to: &bytes)
            bytes += "\",".utf8
        }
        self.bytes = bytes
    }

    static func append(_ text: String, quotes: Bool, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += [byte, byte]
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\"") where quotes: bytes += [UInt8(ascii: "\\"), byte]
            default: bytes.append(byte)
            }
        }
    }
}

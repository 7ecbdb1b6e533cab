public import Vocabulary

/// Why a text was not accepted as JSON. Never contains any of the text.
public enum JSONError: CodedError, Hashable, CustomStringConvertible {
    /// Longer than ``JSONLimits/byteCount``.
    case tooLarge(byteCount: Int, limitBytes: Int)
    /// Nested deeper than ``JSONLimits/depth``, at this bracket.
    case tooDeep(JSONPosition)
    /// Not UTF-8 at this byte.
    case notUTF8(JSONPosition)
    /// A key stands twice in one object; this is the second.
    case duplicateKey(JSONPosition)
    /// A NUL byte, or `\u0000` in a string or key.
    case containsNUL(JSONPosition)
    /// Something other than whitespace after the value.
    case trailingBytes(JSONPosition)
    /// An integer beyond 64 bits, or a real number beyond a double.
    case numberOutOfRange(JSONPosition)
    /// Not JSON; the text says what was expected.
    case syntax(JSONPosition, String)
    /// Memory ran out while parsing.
    case outOfMemory

    /// The stable code.
    public var code: String {
        switch self {
        case .tooLarge: "json.too-large"
        case .tooDeep: "json.too-deep"
        case .notUTF8: "json.not-utf8"
        case .duplicateKey: "json.duplicate-key"
        case .containsNUL: "json.contains-nul"
        case .trailingBytes: "json.trailing-bytes"
        case .numberOutOfRange: "json.number-out-of-range"
        case .syntax: "json.syntax"
        case .outOfMemory: "json.out-of-memory"
        }
    }

    /// Where it is; nil when the text as a whole is meant.
    public var position: JSONPosition? {
        switch self {
        case .tooLarge, .outOfMemory: nil
        case .tooDeep(let position), .notUTF8(let position), .duplicateKey(let position),
            .containsNUL(let position), .trailingBytes(let position), .numberOutOfRange(let position),
            .syntax(let position, _):
            position
        }
    }

    /// What is wrong, for people, without the position.
    public var reason: String {
        switch self {
        case .tooLarge(let byteCount, let limitBytes):
            "\(byteCount) bytes, more than the limit of \(limitBytes)"
        case .tooDeep: "nested too deep"
        case .notUTF8: "not UTF-8"
        case .duplicateKey: "a key that stands in this object already"
        case .containsNUL: "a NUL character"
        case .trailingBytes: "something after the end of the value"
        case .numberOutOfRange: "a number that is too large"
        case .syntax(_, let text): text
        case .outOfMemory: "out of memory"
        }
    }

    /// The position, where there is one, and the reason.
    public var description: String {
        guard let position else { return reason }
        return "\(position): \(reason)"
    }
}

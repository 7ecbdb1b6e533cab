public import Vocabulary

/// The reason why a text was not accepted as JSON. It never contains any of the text.
public enum JSONError: CodedError, Hashable, CustomStringConvertible {
    /// The text is longer than ``JSONLimits/byteCount``.
    case tooLarge(byteCount: Int, limitBytes: Int)
    /// The text is nested deeper than ``JSONLimits/depth``; the position is the first bracket that is too deep.
    case tooDeep(JSONPosition)
    /// The text is not UTF-8 at this position.
    case notUTF8(JSONPosition)
    /// An object has the same key twice; the position is that of the second.
    case duplicateKey(JSONPosition)
    /// The text contains a NUL byte, or `\u0000` in a string or key.
    case containsNUL(JSONPosition)
    /// The text has something other than whitespace after the value.
    case trailingBytes(JSONPosition)
    /// An integer does not fit 64 bits, or a real number does not fit a double.
    case numberOutOfRange(JSONPosition)
    /// The text is not JSON; the string says what is wrong.
    case syntax(JSONPosition, String)
    /// Memory ran out while parsing.
    case outOfMemory

    /// The stable code, for example `json.too-large`.
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

    /// The position of the error; nil when the error is about the text as a whole.
    public var position: JSONPosition? {
        switch self {
        case .tooLarge, .outOfMemory: nil
        case .tooDeep(let position), .notUTF8(let position), .duplicateKey(let position),
            .containsNUL(let position), .trailingBytes(let position), .numberOutOfRange(let position),
            .syntax(let position, _):
            position
        }
    }

    /// The error as a message for people, without the position.
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

    /// The position, if the error has one, and the reason.
    public var description: String {
        guard let position else { return reason }
        return "\(position): \(reason)"
    }
}

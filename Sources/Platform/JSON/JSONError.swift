public import System

public enum JSONError: CodedError, Hashable, CustomStringConvertible {
    case tooLarge(byteCount: Int, limitBytes: Int)
    case tooDeep(JSONPosition)
    case notUTF8(JSONPosition)
    case duplicateKey(JSONPosition)
    case containsNUL(JSONPosition)
    case trailingBytes(JSONPosition)
    case numberOutOfRange(JSONPosition)
    case syntax(JSONPosition, String)
    case outOfMemory

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

    public var position: JSONPosition? {
        switch self {
        case .tooLarge, .outOfMemory: nil
        case .tooDeep(let position), .notUTF8(let position), .duplicateKey(let position),
            .containsNUL(let position), .trailingBytes(let position), .numberOutOfRange(let position),
            .syntax(let position, _):
            position
        }
    }

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

    public var findings: [Finding] { [Finding(self)] }

    public var description: String {
        guard let position else { return reason }
        return "\(position): \(reason)"
    }
}

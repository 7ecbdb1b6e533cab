internal import CJansson

/// A JSON text that was accepted, as a tree that jansson holds. A text is accepted when it follows RFC 8259 and these
/// stricter rules: UTF-8 without NUL (neither the byte nor `\u0000`), no key twice in an object, integers that fit `Int64`,
/// real numbers that fit a double, only JSON whitespace before and after the value, no byte order mark, and the given
/// limits.
///
/// Several threads may parse at the same time: jansson's only global state is its hash seed, set once.
@safe public final class JSONDocument {
    private let tree: UnsafeMutablePointer<json_t>

    public init(parsing bytes: Span<UInt8>, limits: JSONLimits) throws(JSONError) {
        guard bytes.count <= limits.byteCount else {
            throw .tooLarge(byteCount: bytes.count, limitBytes: limits.byteCount)
        }
        do {
            _ = try UTF8Span(validating: bytes)
        } catch {
            throw .notUTF8(JSONPosition(byteOffset: error.byteOffsets.lowerBound, in: bytes))
        }
        try JSONPrescan.check(bytes, depthLimit: limits.depth)
        if let tree = unsafe Self.loadWithoutLongStrings(bytes) {
            unsafe self.tree = unsafe tree
        } else {
            unsafe tree = try Self.load(bytes)
        }
    }

    deinit {
        unsafe json_decref(tree)
    }

    public var root: JSONValue { unsafe JSONValue(document: self, pointer: tree) }

    /// Parses a text whose long strings jansson does not read. Returns nil when the text has none, and when it is refused: the
    /// places in an error are those of the whole text.
    private static func loadWithoutLongStrings(_ bytes: Span<UInt8>) -> UnsafeMutablePointer<json_t>? {
        guard let strings = LongStrings(in: bytes) else { return nil }
        guard let tree = unsafe try? load(strings.shortened(bytes).span) else { return nil }
        guard unsafe strings.restore(in: tree, from: bytes) else {
            unsafe json_decref(tree)
            return nil
        }
        return unsafe tree
    }

    /// Parses one value with jansson and checks the bytes behind it. jansson (2.14) takes any byte as the end of a number,
    /// even a NUL, so jansson is asked for the value only, and this function refuses other bytes than whitespace behind it.
    private static func load(_ bytes: Span<UInt8>) throws(JSONError) -> UnsafeMutablePointer<json_t> {
        JSONLibrary.seedHashTables()
        let flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK
        var error = json_error_t()
        let tree = unsafe bytes.withUnsafeBytes { block in
            unsafe json_loadb(block.baseAddress, block.count, Int(flags), &error)
        }
        guard let tree = unsafe tree else { throw refusal(error, bytes) }
        if let trailing = JSONPrescan.firstNonWhitespace(bytes, from: Int(error.position)) {
            unsafe json_decref(tree)
            throw .trailingBytes(JSONPosition(byteOffset: trailing, in: bytes))
        }
        return unsafe tree
    }

    private static func refusal(_ error: json_error_t, _ bytes: Span<UInt8>) -> JSONError {
        var error = error
        let end = Int(error.position)
        let position = JSONPosition(byteOffset: JSONPrescan.tokenStart(bytes, before: end), in: bytes)
        switch unsafe json_error_code(&error) {
        case json_error_out_of_memory: return .outOfMemory
        case json_error_stack_overflow: return .tooDeep(position)
        case json_error_duplicate_key: return .duplicateKey(position)
        case json_error_numeric_overflow: return .numberOutOfRange(position)
        case json_error_null_character, json_error_null_byte_in_key: return .containsNUL(position)
        case json_error_invalid_utf8: return .notUTF8(position)
        case json_error_premature_end_of_input:
            return .syntax(JSONPosition(byteOffset: bytes.count, in: bytes), "ends too early")
        default: return .syntax(position, message(error))
        }
    }

    /// Returns jansson's message without the part that quotes the text, because the text may be a secret.
    private static func message(_ error: json_error_t) -> String {
        let text = unsafe withUnsafeBytes(of: error.text) { unsafe Array($0.prefix { $0 != 0 }) }
        let words = String(decoding: text, as: UTF8.self).split(separator: " ")
        return words.prefix { $0 != "near" }.joined(separator: " ")
    }
}

/// The limits of a JSON text, which are checked before the text is parsed. jansson needs up to 60 bytes of memory for each
/// byte of a hostile text (`[[],[],…`), and calls itself once for each level of nesting.
public struct JSONLimits: Sendable, Hashable {
    public let byteCount: Int
    /// The deepest nesting; `[]` has depth 1, a bare number 0.
    public let depth: Int

    /// The longest text, in bytes, in which jansson can count positions: they are C ints.
    static let greatestByteCount = Int(Int32.max) - 1

    public init(byteCount: Int, depth: Int) {
        self.byteCount = min(byteCount, Self.greatestByteCount)
        self.depth = depth
    }
}

public enum JSONLibrary {
    public static var version: String { unsafe String(cString: jansson_version_str()) }

    private static let seeded: Void = {
        json_object_seed(Int(UInt32.random(in: 1...UInt32.max)))  // with 0, jansson picks a seed
    }()

    /// Seeds jansson's hash tables with a random number once in every process, so that nobody can choose keys that collide.
    ///
    /// jansson would seed itself from `/dev/urandom`, but when that cannot be opened it would use the time.
    static func seedHashTables() { seeded }
}

internal import CJansson
public import System

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
public struct JSONLimits: Sendable {
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

/// A value inside a ``JSONDocument``. The value keeps its document alive. Reading never copies more than it returns.
@safe public struct JSONValue {
    private let document: JSONDocument
    private let pointer: UnsafeMutablePointer<json_t>

    init(document: JSONDocument, pointer: UnsafeMutablePointer<json_t>) {
        self.document = document
        unsafe self.pointer = unsafe pointer
    }

    public var kind: JSONKind {
        switch unsafe pointer.pointee.type {
        case JSON_OBJECT: .object
        case JSON_ARRAY: .array
        case JSON_STRING: .string
        case JSON_INTEGER: .integer
        case JSON_REAL: .real
        case JSON_TRUE, JSON_FALSE: .boolean
        default: .null
        }
    }

    public func member(_ name: StaticString) -> JSONValue? {
        let found = name.withUTF8Buffer { key in
            unsafe json_object_getn(pointer, key.baseAddress, key.count)
        }
        return unsafe found.map { unsafe JSONValue(document: document, pointer: $0) }
    }

    public func member(named name: String) -> JSONValue? {
        var name = name
        let found = name.withUTF8 { key in unsafe json_object_getn(pointer, key.baseAddress, key.count) }
        return unsafe found.map { unsafe JSONValue(document: document, pointer: $0) }
    }

    /// The number, if this value is an integer; nil for any other value, including `1.0` and `true`.
    public var int64: Int64? {
        kind == .integer ? unsafe Int64(json_integer_value(pointer)) : nil
    }

    public var boolean: Bool? {
        switch unsafe pointer.pointee.type {
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: nil
        }
    }

    /// The number, if this value is written with a fraction or an exponent; nil for any other value, including integers.
    public var real: Double? {
        kind == .real ? unsafe json_real_value(pointer) : nil
    }

    public var string: String? {
        unsafe stringBytes.map { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the UTF-8 bytes of a string, escapes already decoded, without copying them. Returns what `body`
    /// returns; nil when this value is not a string, and then `body` is not called.
    public func withUTF8<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let bytes = unsafe stringBytes else { return nil }
        let result = try body(unsafe Span(_unsafeElements: bytes))
        withExtendedLifetime(document) {}
        return result
    }

    public var count: Int {
        switch kind {
        case .object: unsafe Int(json_object_size(pointer))
        case .array: unsafe Int(json_array_size(pointer))
        default: 0
        }
    }

    public func element(at index: Int) -> JSONValue? {
        guard index >= 0, let found = unsafe json_array_get(pointer, index) else { return nil }
        return unsafe JSONValue(document: document, pointer: found)
    }

    public var elements: [JSONValue] {
        kind == .array ? (0..<count).compactMap { element(at: $0) } : []
    }

    public var members: [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = []
        members.reserveCapacity(count)
        var iterator = unsafe json_object_iter(pointer)
        while let current = unsafe iterator {
            if let key = unsafe json_object_iter_key(current),
                let value = unsafe json_object_iter_value(current)
            {
                let bytes = unsafe UnsafeRawBufferPointer(
                    start: key, count: json_object_iter_key_len(current))
                let name = unsafe String(decoding: bytes, as: UTF8.self)
                unsafe members.append((name, JSONValue(document: document, pointer: value)))
            }
            unsafe iterator = unsafe json_object_iter_next(pointer, current)
        }
        return members
    }

    private var stringBytes: UnsafeBufferPointer<UInt8>? {
        guard kind == .string, let start = unsafe json_string_value(pointer) else { return nil }
        let count = unsafe json_string_length(pointer)
        return unsafe UnsafeBufferPointer(
            start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: count)
    }
}

/// The kinds of JSON value. A number is an integer when it is written without fraction and exponent.
public enum JSONKind: Sendable {
    case object, array, string, integer, real, boolean, null
}

/// Checks a text before jansson parses it: its nesting, NUL, and control characters in strings. It walks over tokens as
/// jansson's lexer does until the text is not well formed, so no text makes jansson nest deeper than counted here.
enum JSONPrescan {
    static func check(_ text: Span<UInt8>, depthLimit: Int) throws(JSONError) {
        var depth = 0
        var inString = false
        var index = 0
        let count = text.count
        while index < count {
            let byte = text[index]
            if inString {
                switch byte {
                case UInt8(ascii: "\""):
                    inString = false
                case UInt8(ascii: "\\"):
                    if escapesNUL(text, at: index) { throw .containsNUL(position(index, text)) }
                    index += 1
                case 0:
                    throw .containsNUL(position(index, text))
                case 1..<0x20:
                    throw .syntax(position(index, text), "a control character inside a string")
                default: break
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""):
                    inString = true
                    index = plainEnd(text, from: index + 1)
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    if depth > depthLimit { throw .tooDeep(position(index, text)) }
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                case 0:
                    throw .containsNUL(position(index, text))
                default: break
                }
            }
            index += 1
        }
    }

    /// Returns an offset at or after `start` before which no byte is a quote, a backslash or a control character. Looks at
    /// eight bytes at a time.
    private static func plainEnd(_ text: Span<UInt8>, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let bytes = unsafe text.bytes
        var index = start
        while index + 8 <= bytes.byteCount {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = word ^ ones &* 0x22
            let slashes = word ^ ones &* 0x5C
            // The upper bit of a byte of a word is set where the byte is zero, or less than 0x20. A borrow can set it in the
            // bytes above such a byte, too.
            let isQuote = (quotes &- ones) & ~quotes
            let isSlash = (slashes &- ones) & ~slashes
            let isControl = (word &- ones &* 0x20) & ~word
            guard (isQuote | isSlash | isControl) & ones << 7 == 0 else { break }
            index += 8
        }
        return index
    }

    static func firstNonWhitespace(_ text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < text.count {
            if !isWhitespace(text[index]) { return index }
            index += 1
        }
        return nil
    }

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Returns the offset where the token that ends before `end` starts. jansson reports only where it stopped reading.
    static func tokenStart(_ text: Span<UInt8>, before end: Int) -> Int {
        guard end > 0, end <= text.count else { return max(0, min(end, text.count)) }
        var index = end - 1
        if text[index] == UInt8(ascii: "\"") { return openingQuote(text, closingAt: index) }
        while index > 0, text[index] & 0xC0 == 0x80 { index -= 1 }
        while index > 0, isWord(text[index]), isWord(text[index - 1]) { index -= 1 }
        return index
    }

    /// Returns the offset of the quote that opens the string closed at `end`. Inside a string every quote is escaped, so the
    /// opening quote is the nearest quote that does not follow an odd number of backslashes.
    private static func openingQuote(_ text: Span<UInt8>, closingAt end: Int) -> Int {
        var index = end - 1
        while index >= 0 {
            if text[index] == UInt8(ascii: "\"") {
                var backslashes = 0
                while index - backslashes > 0, text[index - backslashes - 1] == UInt8(ascii: "\\") {
                    backslashes += 1
                }
                if backslashes % 2 == 0 { return index }
            }
            index -= 1
        }
        return end
    }

    private static func escapesNUL(_ text: Span<UInt8>, at backslash: Int) -> Bool {
        guard text.count - backslash >= 6, text[backslash + 1] == UInt8(ascii: "u") else { return false }
        for index in backslash + 2..<backslash + 6 where text[index] != UInt8(ascii: "0") { return false }
        return true
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func position(_ index: Int, _ text: Span<UInt8>) -> JSONPosition {
        JSONPosition(byteOffset: index, in: text)
    }
}

public struct JSONError: CodedError, Hashable, CustomStringConvertible {
    public let code: String
    public let reason: String
    public let position: JSONPosition?

    private init(code: String, _ reason: String, _ position: JSONPosition? = nil) {
        self.code = code
        self.reason = reason
        self.position = position
    }

    static func tooLarge(byteCount: Int, limitBytes limit: Int) -> JSONError {
        JSONError(code: "json.too-large", "\(byteCount) bytes, more than the limit of \(limit)")
    }

    static func tooDeep(_ position: JSONPosition) -> JSONError {
        JSONError(code: "json.too-deep", "nested too deep", position)
    }

    static func notUTF8(_ position: JSONPosition) -> JSONError {
        JSONError(code: "json.not-utf8", "not UTF-8", position)
    }

    static func duplicateKey(_ position: JSONPosition) -> JSONError {
        JSONError(code: "json.duplicate-key", "a key that stands in this object already", position)
    }

    static func containsNUL(_ position: JSONPosition) -> JSONError {
        JSONError(code: "json.contains-nul", "a NUL character", position)
    }

    static func trailingBytes(_ position: JSONPosition) -> JSONError {
        JSONError(code: "json.trailing-bytes", "something after the end of the value", position)
    }

    static func numberOutOfRange(_ position: JSONPosition) -> JSONError {
        JSONError(code: "json.number-out-of-range", "a number that is too large", position)
    }

    static func syntax(_ position: JSONPosition, _ text: String) -> JSONError {
        JSONError(code: "json.syntax", text, position)
    }

    static let outOfMemory = JSONError(code: "json.out-of-memory", "out of memory")

    public var findings: [Finding] { [Finding(self)] }

    public var description: String {
        guard let position else { return reason }
        return "\(position): \(reason)"
    }
}

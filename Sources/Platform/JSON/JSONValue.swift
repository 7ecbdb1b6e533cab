internal import CJansson

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
public enum JSONKind: Sendable, Hashable, CaseIterable {
    case object
    case array
    case string
    case integer
    case real
    case boolean
    case null
}

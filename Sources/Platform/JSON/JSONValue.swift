internal import CJansson

/// A value inside a ``JSONDocument``, which it keeps alive. Reading never copies more than it returns.
@safe public struct JSONValue {
    private let document: JSONDocument
    private let pointer: UnsafeMutablePointer<json_t>

    init(document: JSONDocument, pointer: UnsafeMutablePointer<json_t>) {
        self.document = document
        unsafe self.pointer = unsafe pointer
    }

    /// What kind of value this is.
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

    /// The member of this object with that name; nil when there is none or this is no object. Allocates nothing.
    public func member(_ name: StaticString) -> JSONValue? {
        let found = name.withUTF8Buffer { key in
            unsafe json_object_getn(pointer, key.baseAddress, key.count)
        }
        return unsafe found.map { unsafe JSONValue(document: document, pointer: $0) }
    }

    /// The member of this object with that name; nil when there is none or this is no object.
    public func member(named name: String) -> JSONValue? {
        var name = name
        let found = name.withUTF8 { key in unsafe json_object_getn(pointer, key.baseAddress, key.count) }
        return unsafe found.map { unsafe JSONValue(document: document, pointer: $0) }
    }

    /// The value of an integer; nil for anything else, `1.0` and `true` included.
    public var int64: Int64? {
        kind == .integer ? unsafe Int64(json_integer_value(pointer)) : nil
    }

    /// The value of `true` or `false`; nil for anything else.
    public var boolean: Bool? {
        switch unsafe pointer.pointee.type {
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: nil
        }
    }

    /// The value of a number written with fraction or exponent; nil for anything else, integers included.
    public var real: Double? {
        kind == .real ? unsafe json_real_value(pointer) : nil
    }

    /// A copy of a string; nil for anything else.
    public var string: String? {
        unsafe stringBytes.map { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Lends the UTF-8 bytes of a string, escapes already resolved, without copying them.
    ///
    /// - Returns: nil for anything but a string, and `body` is not called.
    public func withUTF8<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let bytes = unsafe stringBytes else { return nil }
        let result = try body(unsafe Span(_unsafeElements: bytes))
        withExtendedLifetime(document) {}
        return result
    }

    /// The number of elements of an array or members of an object; 0 for anything else.
    public var count: Int {
        switch kind {
        case .object: unsafe Int(json_object_size(pointer))
        case .array: unsafe Int(json_array_size(pointer))
        default: 0
        }
    }

    /// The element of an array; nil outside it and for anything else.
    public func element(at index: Int) -> JSONValue? {
        guard index >= 0, let found = unsafe json_array_get(pointer, index) else { return nil }
        return unsafe JSONValue(document: document, pointer: found)
    }

    /// The elements of an array, in order; empty for anything else.
    public var elements: [JSONValue] {
        kind == .array ? (0..<count).compactMap { element(at: $0) } : []
    }

    /// The members of an object in the order of the text; empty for anything else.
    public var members: [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = []
        members.reserveCapacity(count)
        var iterator = unsafe json_object_iter(pointer)
        while let current = unsafe iterator {
            if let key = unsafe json_object_iter_key(current),
                let value = unsafe json_object_iter_value(current)
            {
                let bytes = unsafe UnsafeRawBufferPointer(
                    start: key,
                    count: json_object_iter_key_len(current)
                )
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
            start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self),
            count: count
        )
    }
}

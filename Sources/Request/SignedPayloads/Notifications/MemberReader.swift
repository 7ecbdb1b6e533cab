internal import JSON

/// Reads the members of a payload that Apple signed, and is lenient: a value of the wrong type or outside its range is
/// nil, and the reader notes the member's name. So nothing that Apple adds or changes makes a payload unreadable.
///
/// A member that is absent or `null` is nil and is not noted.
struct MemberReader {
    /// The names of the members whose values could not be used, in the order of reading.
    private(set) var unusable: [String] = []

    /// The range of the members that Apple documents as int32.
    static let int32 = Int64(Int32.min)...Int64(Int32.max)
    /// The range of the members that Apple documents as int64.
    static let int64 = Int64.min...Int64.max
    /// The dates from 1970 to the end of the year 9999, in milliseconds. Arithmetic with such dates does not overflow.
    static let dates: ClosedRange<Int64> = 0...253_402_300_799_999

    /// Returns a string of 1 to ``SignedPayloadsLimits/identifierByteCount`` bytes.
    mutating func string(_ name: StaticString, of object: JSONValue?) -> String? {
        read(name, of: object) { Self.text($0) }
    }

    /// Returns a string as ``string(_:of:)`` does; nil for an empty one, which some libraries write where the app gives none.
    mutating func token(_ name: StaticString, of object: JSONValue?) -> String? {
        if object?.member(name)?.string?.isEmpty == true { return nil }
        return string(name, of: object)
    }

    /// Returns an integer of `range`. A number with a fraction or an exponent is not an integer.
    mutating func integer(_ name: StaticString, of object: JSONValue?, in range: ClosedRange<Int64> = int64)
        -> Int64?
    {
        read(name, of: object) { value in
            value.int64.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Returns an integer that Apple documents as int32.
    mutating func int32(_ name: StaticString, of object: JSONValue?) -> Int32? {
        integer(name, of: object, in: Self.int32).map { Int32($0) }
    }

    /// Returns a date in milliseconds since 1970.
    mutating func date(_ name: StaticString, of object: JSONValue?) -> Int64? {
        integer(name, of: object, in: Self.dates)
    }

    /// Returns `true` or `false`.
    mutating func boolean(_ name: StaticString, of object: JSONValue?) -> Bool? {
        read(name, of: object) { $0.boolean }
    }

    /// Returns an array of strings. One unusable element makes the whole array unusable.
    mutating func strings(_ name: StaticString, of object: JSONValue?) -> [String]? {
        read(name, of: object) { value in
            guard value.kind == .array else { return nil }
            let texts = value.elements.compactMap { Self.text($0) }
            return texts.count == value.count ? texts : nil
        }
    }

    /// Returns the string with the name `each` of every object in an array. One unusable element makes the whole array
    /// unusable.
    mutating func strings(_ name: StaticString, of object: JSONValue?, each: StaticString) -> [String]? {
        read(name, of: object) { value in
            guard value.kind == .array else { return nil }
            let texts = value.elements.compactMap { $0.member(each).flatMap { Self.text($0) } }
            return texts.count == value.count ? texts : nil
        }
    }

    mutating func object(_ name: StaticString, of object: JSONValue?) -> JSONValue? {
        read(name, of: object) { $0.kind == .object ? $0 : nil }
    }

    private mutating func read<Value>(
        _ name: StaticString, of object: JSONValue?, _ convert: (JSONValue) -> Value?
    ) -> Value? {
        guard let value = object?.member(name), value.kind != .null else { return nil }
        guard let result = convert(value) else {
            unusable.append(name.description)
            return nil
        }
        return result
    }

    private static func text(_ value: JSONValue) -> String? {
        guard let text = value.string, !text.isEmpty,
            text.utf8.count <= SignedPayloadsLimits.identifierByteCount
        else { return nil }
        return text
    }
}

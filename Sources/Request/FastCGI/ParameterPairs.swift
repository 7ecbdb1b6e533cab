/// Finds parameters in the bytes of a whole request that a ``FramingCheck`` has found well-formed, before libfcgi reads
/// it.
public enum ParameterPairs {
    /// Returns the place of the parameters in a request: the content of its one record of parameters. Nil when the
    /// parameters are in several records or in none. nginx sends one.
    static func place(in request: Span<UInt8>) -> Range<Int>? {
        // BEGIN_REQUEST has 16 bytes, and the header of the next record 8.
        guard request.count >= 32, request[6] == 0, request[17] == 4 else { return nil }
        let count = Int(request[20]) << 8 | Int(request[21])
        let next = 24 + count + Int(request[22])
        guard count > 0, next + 8 <= request.count, request[next + 1] == 4, request[next + 4] == 0,
            request[next + 5] == 0
        else { return nil }
        return 24..<24 + count
    }

    /// Calls `body` with the places of name and value of each parameter (FastCGI Specification 1.0, section 3.4). Stops
    /// at the end of the bytes, and at a pair that leads out of them.
    public static func forEach(
        in bytes: Span<UInt8>, _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void
    ) {
        var position = 0
        while let nameCount = length(in: bytes, &position), let valueCount = length(in: bytes, &position) {
            guard nameCount <= bytes.count - position, valueCount <= bytes.count - position - nameCount else {
                return
            }
            let value = position + nameCount
            body(position..<value, value..<value + valueCount)
            position = value + valueCount
        }
    }

    /// Reads a length of one byte, or of four bytes whose first bit is set.
    private static func length(in bytes: Span<UInt8>, _ position: inout Int) -> Int? {
        guard position < bytes.count else { return nil }
        let first = bytes[position]
        if first & 0x80 == 0 {
            position += 1
            return Int(first)
        }
        guard bytes.count - position >= 4 else { return nil }
        var value = Int(first & 0x7f)
        for index in 1...3 { value = value << 8 | Int(bytes[position + index]) }
        position += 4
        return value
    }

    /// Returns true when the bytes at `place` are `text`.
    public static func equal(_ bytes: Span<UInt8>, at place: Range<Int>, _ text: StaticString) -> Bool {
        guard text.utf8CodeUnitCount == place.count else { return false }
        return text.withUTF8Buffer { text in
            for index in 0..<place.count {
                guard unsafe text[index] == bytes[place.lowerBound + index] else { return false }
            }
            return true
        }
    }
}

internal import Cryptography

extension JOSEHeader {
    /// Returns the certificates of a header in the exact form that Apple sends: an object of only `alg` and `x5c`,
    /// whose strings have no escapes. Returns nil for any other form, which the JSON parser then reads.
    ///
    /// A flood of unseen headers thus costs only the base64 decoding, a sixth of the cost of a parser. The reader
    /// accepts only characters that JSON reads as themselves, so a parser would find, and refuse, the same.
    static func certificates(inExactForm json: Span<UInt8>) throws(Refusal) -> [[UInt8]]? {
        guard json.count <= SignedPayloadsLimits.jsonByteCount else { return nil }
        var reader = PlainReader(index: 0)
        guard let ranges = reader.chain(in: json) else { return nil }
        var certificates: [[UInt8]] = []
        for range in ranges {
            guard let der = Base64.decode(json.extracting(range)) else { throw .x5cNotBase64 }
            certificates.append(der)
        }
        return certificates
    }
}

/// Reads JSON of which it knows every member. It gives up on anything else.
private struct PlainReader {
    var index: Int

    /// Returns where the three strings of `x5c` are, in an object that has only `x5c` and an `alg` of ES256.
    mutating func chain(in json: Span<UInt8>) -> [Range<Int>]? {
        var ranges: [Range<Int>] = []
        var hasAlgorithm = false
        guard take(UInt8(ascii: "{"), in: json) else { return nil }
        for member in 0..<2 {
            if member == 1, !take(UInt8(ascii: ","), in: json) { return nil }
            guard let name = text(in: json), take(UInt8(ascii: ":"), in: json) else { return nil }
            if !hasAlgorithm, ByteComparison.areEqual(json.extracting(name), "alg".utf8Span.span) {
                guard let value = text(in: json),
                    ByteComparison.areEqual(json.extracting(value), "ES256".utf8Span.span)
                else { return nil }
                hasAlgorithm = true
            } else if ranges.isEmpty, ByteComparison.areEqual(json.extracting(name), "x5c".utf8Span.span) {
                guard let found = texts(in: json) else { return nil }
                ranges = found
            } else {
                return nil
            }
        }
        guard take(UInt8(ascii: "}"), in: json) else { return nil }
        skipSpace(in: json)
        return index == json.count ? ranges : nil
    }

    /// Returns where the strings of an array are; nil when it has not as many strings as a chain has certificates.
    private mutating func texts(in json: Span<UInt8>) -> [Range<Int>]? {
        guard take(UInt8(ascii: "["), in: json) else { return nil }
        var ranges: [Range<Int>] = []
        while ranges.count < SignedPayloadsLimits.chainLength {
            if !ranges.isEmpty, !take(UInt8(ascii: ","), in: json) { return nil }
            guard let range = text(in: json) else { return nil }
            ranges.append(range)
        }
        return take(UInt8(ascii: "]"), in: json) ? ranges : nil
    }

    /// Returns where the characters between two quotes are, when a JSON parser reads each of them as itself.
    private mutating func text(in json: Span<UInt8>) -> Range<Int>? {
        guard take(UInt8(ascii: "\""), in: json) else { return nil }
        let start = index
        while index < json.count {
            let byte = json[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return start..<(index - 1) }
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return nil }
        }
        return nil
    }

    private mutating func take(_ byte: UInt8, in json: Span<UInt8>) -> Bool {
        skipSpace(in: json)
        guard index < json.count, json[index] == byte else { return false }
        index += 1
        return true
    }

    /// Skips the white space of RFC 8259 section 2.
    private mutating func skipSpace(in json: Span<UInt8>) {
        while index < json.count {
            switch json[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }
}

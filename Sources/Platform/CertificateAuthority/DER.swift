internal import System

/// Writes ASN.1 values in DER (X.690), for tests and test authorities only. It does not read: OpenSSL reads the DER that
/// comes from outside.
package enum DER {
    /// Returns any value, made of a tag byte and contents.
    package static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag] + length(contents.count) + contents
    }

    /// Returns a SEQUENCE of the given elements, which are already encoded.
    package static func sequence(_ elements: [UInt8]...) -> [UInt8] { value(0x30, elements.flatMap { $0 }) }

    /// Returns a SET of the given elements, which are already encoded. The caller must sort them.
    package static func set(_ elements: [UInt8]...) -> [UInt8] { value(0x31, elements.flatMap { $0 }) }

    package static func boolean(_ isTrue: Bool) -> [UInt8] { [0x01, 0x01, isTrue ? 0xFF : 0x00] }

    /// Returns an INTEGER in the shortest form. `bytes` is the number in two's complement, most significant byte first.
    package static func integer(_ bytes: [UInt8]) -> [UInt8] {
        var contents = bytes.isEmpty ? [0] : bytes
        while contents.count > 1,
            contents[0] == 0 && contents[1] < 0x80 || contents[0] == 0xFF && contents[1] >= 0x80
        {
            contents.removeFirst()
        }
        return value(0x02, contents)
    }

    /// Returns an INTEGER in the shortest form.
    package static func integer(_ number: Int64) -> [UInt8] {
        integer((0..<8).map { UInt8(truncatingIfNeeded: number >> Int64(56 - 8 * $0)) })
    }

    /// Returns a BIT STRING; the lowest `unusedBits` bits of its last byte are unused.
    package static func bitString(_ bytes: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] {
        value(0x03, [unusedBits] + bytes)
    }

    package static func octetString(_ bytes: [UInt8]) -> [UInt8] { value(0x04, bytes) }

    /// The encoding of NULL.
    package static let null: [UInt8] = [0x05, 0x00]

    /// Returns an OBJECT IDENTIFIER from its dotted text. A text in another form gives an identifier that nobody uses.
    package static func objectIdentifier(_ dotted: String) -> [UInt8] {
        let arcs = dotted.split(separator: ".").map { UInt64($0) ?? 0 }
        guard arcs.count >= 2 else { return value(0x06, [0]) }
        var contents = base128(arcs[0] * 40 + arcs[1])
        for arc in arcs.dropFirst(2) { contents += base128(arc) }
        return value(0x06, contents)
    }

    /// Returns a time as RFC 5280 section 4.1.2.5 requires it: UTCTime from 1950 through 2049, GeneralizedTime in other years.
    package static func time(milliseconds: Int64) -> [UInt8] {
        let time = CivilTime(milliseconds: milliseconds)
        guard (1950...2049).contains(time.year) else { return value(0x18, Array(time.generalizedTime.utf8)) }
        return value(0x17, Array(time.generalizedTime.dropFirst(2).utf8))
    }

    private static func base128(_ number: UInt64) -> [UInt8] {
        var bytes = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        if count < 0x100 { return [0x81, UInt8(count)] }
        if count < 0x10000 { return [0x82, UInt8(count >> 8), UInt8(count & 0xFF)] }
        return [0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    }
}

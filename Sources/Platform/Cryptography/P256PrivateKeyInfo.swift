/// Where the parts of a private key on P-256 lie in a PKCS #8 structure (RFC 5958, RFC 5915), which is read without a copy.
struct P256PrivateKeyInfo {
    /// The private number, 32 bytes, big-endian.
    let number: Range<Int>
    /// The public point, uncompressed, 65 bytes.
    let point: Range<Int>

    /// id-ecPublicKey with the named curve secp256r1.
    private static let algorithm: [UInt8] = [
        0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
        0x01, 0x07,
    ]

    /// Reads the structure.
    ///
    /// - Throws: `cryptography.key-unsuitable` for a key of another algorithm or curve; `cryptography.key-malformed` for
    ///   anything else, for bytes behind it, and for one without its public point, which App Store Connect never hands out.
    init(_ der: Span<UInt8>) throws(CryptographyError) {
        var whole = DERElements(0..<der.count)
        var info = DERElements(try whole.next(0x30, in: der))
        try info.skipVersion(in: der)
        let algorithm = try info.next(0x30, in: der)
        var wrapped = DERElements(try info.next(0x04, in: der))
        guard ByteComparison.areEqual(der.extracting(algorithm), Self.algorithm.span) else {
            throw .keyUnsuitable
        }
        var key = DERElements(try wrapped.next(0x30, in: der))
        try key.skipVersion(in: der)
        number = try key.next(0x04, in: der)
        if key.isNext(0xA0, in: der) { _ = try key.next(0xA0, in: der) }
        var field = DERElements(try key.next(0xA1, in: der))
        let bits = try field.next(0x03, in: der)
        // Attributes of the structure, which mean nothing here.
        if info.isNext(0xA0, in: der) { _ = try info.next(0xA0, in: der) }
        guard whole.isEmpty, info.isEmpty, wrapped.isEmpty, key.isEmpty, field.isEmpty else {
            throw .keyMalformed
        }
        // No unused bits, then the uncompressed form.
        guard number.count == 32, bits.count == 66, der[bits.lowerBound] == 0, der[bits.lowerBound + 1] == 4
        else {
            throw .keyMalformed
        }
        point = bits.lowerBound + 1..<bits.upperBound
    }
}

/// The elements in a range of DER (X.690), one after the other; lengths in their one form, inside the range.
private struct DERElements {
    private var place: Int
    private let end: Int

    init(_ range: Range<Int>) {
        place = range.lowerBound
        end = range.upperBound
    }

    var isEmpty: Bool { place == end }

    func isNext(_ tag: UInt8, in der: Span<UInt8>) -> Bool { place < end && der[place] == tag }

    /// The contents of the next element, which must have a tag.
    mutating func next(_ tag: UInt8, in der: Span<UInt8>) throws(CryptographyError) -> Range<Int> {
        guard isNext(tag, in: der), end - place >= 2 else { throw .keyMalformed }
        var start = place + 2
        var count = Int(der[place + 1])
        if count == 0x81 || count == 0x82 {
            let width = count - 0x80
            guard end - start >= width else { throw .keyMalformed }
            count = width == 1 ? Int(der[start]) : Int(der[start]) << 8 | Int(der[start + 1])
            guard count >= (width == 1 ? 0x80 : 0x100) else { throw .keyMalformed }
            start += width
        } else if count >= 0x80 {
            throw .keyMalformed
        }
        guard end - start >= count else { throw .keyMalformed }
        place = start + count
        return start..<place
    }

    /// Passes over INTEGER 0 or 1: the versions of both structures.
    mutating func skipVersion(in der: Span<UInt8>) throws(CryptographyError) {
        let version = try next(0x02, in: der)
        guard version.count == 1, der[version.lowerBound] <= 1 else { throw .keyMalformed }
    }
}

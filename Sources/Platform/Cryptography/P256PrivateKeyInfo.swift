/// The places of the parts of a P-256 private key in a PKCS #8 structure (RFC 5958, RFC 5915). Only places are kept, so
/// that the key is not copied.
struct P256PrivateKeyInfo {
    /// The place of the private number: 32 bytes, big-endian.
    let number: Range<Int>
    /// The place of the public point: 65 bytes, uncompressed.
    let point: Range<Int>

    /// The algorithm identifier id-ecPublicKey with the named curve secp256r1, in DER.
    private static let algorithm: [UInt8] = [
        0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
        0x01, 0x07,
    ]

    /// Reads the structure that fills `der`.
    ///
    /// - Throws: `cryptography.key-unsuitable` for a key of another algorithm or curve; `cryptography.key-malformed` for bytes
    ///   that are not the structure, for bytes behind it, and for a key without its public point. App Store Connect never
    ///   hands out a key without its point.
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
        // The structure may have attributes. They mean nothing here.
        if info.isNext(0xA0, in: der) { _ = try info.next(0xA0, in: der) }
        guard whole.isEmpty, info.isEmpty, wrapped.isEmpty, key.isEmpty, field.isEmpty else {
            throw .keyMalformed
        }
        // The BIT STRING starts with 0 for no unused bits; the point starts with 4 for the uncompressed form.
        guard number.count == 32, bits.count == 66, der[bits.lowerBound] == 0, der[bits.lowerBound + 1] == 4
        else {
            throw .keyMalformed
        }
        point = bits.lowerBound + 1..<bits.upperBound
    }
}

/// Walks over the elements in a range of DER (X.690). Each length must be in its shortest form and end inside the range.
private struct DERElements {
    private var place: Int
    private let end: Int

    init(_ range: Range<Int>) {
        place = range.lowerBound
        end = range.upperBound
    }

    var isEmpty: Bool { place == end }

    func isNext(_ tag: UInt8, in der: Span<UInt8>) -> Bool { place < end && der[place] == tag }

    /// Steps over the next element, which must have the tag `tag`, and returns the place of its contents.
    ///
    /// - Throws: `cryptography.key-malformed`.
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

    /// Steps over a version, which must be INTEGER 0 or 1 in both structures.
    ///
    /// - Throws: `cryptography.key-malformed`.
    mutating func skipVersion(in der: Span<UInt8>) throws(CryptographyError) {
        let version = try next(0x02, in: der)
        guard version.count == 1, der[version.lowerBound] <= 1 else { throw .keyMalformed }
    }
}

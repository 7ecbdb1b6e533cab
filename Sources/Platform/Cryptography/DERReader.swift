/// Reads the elements of a DER text (X.690 section 10) one after the other. It accepts tags of one byte and definite
/// lengths in the fewest bytes. It never reads beyond the end of its range, whatever the lengths say.
struct DERReader {
    /// Tags of one byte (X.690 section 8.1.2), with the bit for constructed values where the type has it.
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
        static let contextZero: UInt8 = 0xA0
    }

    struct Element {
        let whole: Range<Int>
        let contents: Range<Int>
    }

    private var position: Int
    private let end: Int

    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    mutating func next(_ tag: UInt8, in bytes: Span<UInt8>) -> Element? {
        let end = min(end, bytes.count)
        guard position < end, bytes[position] == tag else { return nil }
        var start = position + 1
        guard let count = Self.length(at: &start, in: bytes, end: end), count <= end - start else {
            return nil
        }
        let element = Element(whole: position..<start + count, contents: start..<start + count)
        position = start + count
        return element
    }

    /// Reads a length, which must be in its shortest form (X.690 section 10.1), and moves `position` behind it. Returns nil
    /// otherwise, and for a length above 65,535, which is more than every limit of this project.
    private static func length(at position: inout Int, in bytes: Span<UInt8>, end: Int) -> Int? {
        guard position < end else { return nil }
        let first = bytes[position]
        position += 1
        if first < 0x80 { return Int(first) }
        guard first == 0x81 || first == 0x82 else { return nil }
        let byteCount = Int(first & 0x7F)
        guard byteCount <= end - position else { return nil }
        var length = 0
        for _ in 0..<byteCount {
            length = length << 8 | Int(bytes[position])
            position += 1
        }
        return length >= (byteCount == 1 ? 0x80 : 0x100) ? length : nil
    }
}

extension DERReader {
    /// Returns the places of r and s, without the zero byte that DER has before a first bit that is set. Returns nil unless
    /// `range` holds the one DER form of an Ecdsa-Sig-Value (RFC 3279 section 2.2.3) with numbers above zero; the code that
    /// verifies the signature checks that they are below the order of the curve.
    static func signatureNumbers(in range: Range<Int>, of bytes: Span<UInt8>) -> [Range<Int>]? {
        var reader = DERReader(range)
        guard let pair = reader.next(Tag.sequence, in: bytes), reader.isAtEnd else { return nil }
        var elements = DERReader(pair.contents)
        var numbers: [Range<Int>] = []
        for _ in 0..<2 {
            guard let number = elements.next(Tag.integer, in: bytes)?.contents, let first = number.first,
                bytes[first] < 0x80
            else { return nil }
            let digits = bytes[first] == 0 ? number.dropFirst() : number
            guard let next = digits.first, bytes[first] > 0 || bytes[next] >= 0x80 else { return nil }
            numbers.append(digits)
        }
        return elements.isAtEnd ? numbers : nil
    }
}

extension Certificate {
    /// Returns true when everything outside the signed part of a certificate is written in the only way that DER allows.
    /// OpenSSL reads these bytes, which nobody signs, as BER: without this check, each other spelling would be a valid
    /// certificate that nobody has seen before.
    ///
    /// Others can still write the ECDSA signature (r, n - s) for (r, s): two forms of each certificate. Apple's own
    /// certificates have a large s, so the check cannot require the smaller one.
    public static func hasCanonicalUnsignedPart(_ bytes: Span<UInt8>) -> Bool {
        var reader = DERReader(0..<bytes.count)
        guard let outer = reader.next(DERReader.Tag.sequence, in: bytes), reader.isAtEnd else { return false }
        var parts = DERReader(outer.contents)
        guard let signed = parts.next(DERReader.Tag.sequence, in: bytes),
            let algorithm = parts.next(DERReader.Tag.sequence, in: bytes),
            let value = parts.next(DERReader.Tag.bitString, in: bytes), parts.isAtEnd,
            let inner = innerAlgorithm(of: signed, in: bytes),
            ByteComparison.areEqual(bytes.extracting(algorithm.whole), bytes.extracting(inner.whole)),
            // The first byte of a BIT STRING counts the unused bits of its last byte.
            value.contents.count > 1, bytes[value.contents.lowerBound] == 0
        else { return false }
        if hasOneForm(algorithm, in: bytes) { return true }
        return DERReader.signatureNumbers(in: value.contents.dropFirst(), of: bytes) != nil
    }

    private static func innerAlgorithm(of signed: DERReader.Element, in bytes: Span<UInt8>) -> DERReader
        .Element?
    {
        var reader = DERReader(signed.contents)
        // A certificate of version 1 has no version field.
        _ = reader.next(DERReader.Tag.contextZero, in: bytes)
        guard reader.next(DERReader.Tag.integer, in: bytes) != nil else { return nil }
        return reader.next(DERReader.Tag.sequence, in: bytes)
    }

    /// Returns true for an algorithm whose signatures have a single form, of one length, that OpenSSL accepts.
    private static func hasOneForm(_ algorithm: DERReader.Element, in bytes: Span<UInt8>) -> Bool {
        var reader = DERReader(algorithm.contents)
        guard let identifier = reader.next(DERReader.Tag.objectIdentifier, in: bytes) else { return false }
        let contents = bytes.extracting(identifier.contents)
        for start in oneForm where contents.count >= start.count {
            if ByteComparison.areEqual(contents.extracting(first: start.count), start.span) { return true }
        }
        return false
    }

    /// How the object identifiers of RSA (RFC 8017: 1.2.840.113549.1.1) and EdDSA (RFC 8410: 1.3.101.112, .113) start.
    private static let oneForm: [[UInt8]] = [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01], [0x2B, 0x65, 0x70], [0x2B, 0x65, 0x71],
    ]
}

/// The places of the parts of a P-256 private key in a PKCS #8 structure (RFC 5958, RFC 5915). Only places are kept, so
/// that the key is not copied.
struct P256PrivateKeyInfo {
    let number: Range<Int>
    let point: Range<Int>

    /// The algorithm identifier id-ecPublicKey with the named curve secp256r1, in DER.
    private static let algorithm: [UInt8] = [
        0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
        0x01, 0x07,
    ]

    /// Reads the structure that fills `der`. Throws `cryptography.key-unsuitable` for a key of another algorithm or curve;
    /// `cryptography.key-malformed` for bytes that are not the structure, for bytes behind it, and for a key without its
    /// public point. App Store Connect never hands out a key without its point.
    init(_ der: Span<UInt8>) throws(CryptographyError) {
        var whole = DERReader(0..<der.count)
        var info = DERReader(try whole.contents(DERReader.Tag.sequence, in: der))
        try info.skipVersion(in: der)
        let algorithm = try info.contents(DERReader.Tag.sequence, in: der)
        var wrapped = DERReader(try info.contents(0x04, in: der))
        guard ByteComparison.areEqual(der.extracting(algorithm), Self.algorithm.span) else {
            throw .keyUnsuitable
        }
        var key = DERReader(try wrapped.contents(DERReader.Tag.sequence, in: der))
        try key.skipVersion(in: der)
        number = try key.contents(0x04, in: der)
        _ = key.next(DERReader.Tag.contextZero, in: der)
        var field = DERReader(try key.contents(0xA1, in: der))
        let bits = try field.contents(DERReader.Tag.bitString, in: der)
        // The structure may have attributes. They mean nothing here.
        _ = info.next(DERReader.Tag.contextZero, in: der)
        guard whole.isAtEnd, info.isAtEnd, wrapped.isAtEnd, key.isAtEnd, field.isAtEnd else {
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

extension DERReader {
    fileprivate mutating func contents(_ tag: UInt8, in bytes: Span<UInt8>) throws(CryptographyError)
        -> Range<Int>
    {
        guard let element = next(tag, in: bytes) else { throw .keyMalformed }
        return element.contents
    }

    fileprivate mutating func skipVersion(in der: Span<UInt8>) throws(CryptographyError) {
        let version = try contents(DERReader.Tag.integer, in: der)
        guard version.count == 1, der[version.lowerBound] <= 1 else { throw .keyMalformed }
    }
}

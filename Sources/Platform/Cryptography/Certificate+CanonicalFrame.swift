extension Certificate {
    /// Returns true when everything outside the signed part of a certificate is written in the only way that DER allows. Then
    /// nobody without the issuer's key can make other bytes of the certificate that still verify.
    ///
    /// The bytes around the signed part are not signed, and OpenSSL reads them as BER. It accepts long forms of lengths, an
    /// indefinite length, and parameters of the algorithm that are written differently. Each such variant would be a valid
    /// certificate that nobody has seen before. This check requires: lengths in the fewest bytes; an outer algorithm with
    /// exactly the bytes of the inner algorithm (RFC 5280 section 4.1.1.2); a BIT STRING of whole bytes; nothing behind it;
    /// inside it, a SEQUENCE of two positive INTEGERs in their shortest form (RFC 3279 section 2.2.3). The last does not
    /// apply to RSA and EdDSA, whose signatures have one form and a fixed length.
    ///
    /// Others can still write the ECDSA signature (r, n - s) for (r, s): two forms of each certificate, and no more.
    /// Apple's own certificates have a large s, so the check cannot require the smaller one.
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
        return isCanonicalPair(value.contents.dropFirst(), in: bytes)
    }

    /// Returns the AlgorithmIdentifier inside the signed part, which follows version and serial number.
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

    /// Returns true when `range` holds an Ecdsa-Sig-Value whose r and s are above zero. The code that verifies the signature
    /// checks that they are below the order of the curve.
    private static func isCanonicalPair(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        var reader = DERReader(range)
        guard let pair = reader.next(DERReader.Tag.sequence, in: bytes), reader.isAtEnd else { return false }
        var numbers = DERReader(pair.contents)
        for _ in 0..<2 {
            guard let number = numbers.next(DERReader.Tag.integer, in: bytes),
                isPositive(bytes.extracting(number.contents))
            else { return false }
        }
        return numbers.isAtEnd
    }

    /// Returns true for a number above zero in the shortest form of two's complement: it has a leading zero byte only where
    /// the first bit of the next byte would be read as a sign.
    private static func isPositive(_ number: Span<UInt8>) -> Bool {
        guard number.count > 0, number[0] < 0x80 else { return false }
        return number[0] > 0 || (number.count > 1 && number[1] >= 0x80)
    }
}

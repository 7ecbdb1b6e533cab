extension Certificate {
    /// Whether everything outside of the signed part of a certificate is written in the only way that DER knows, so that
    /// nobody without the issuer's key can make other bytes of a certificate that still verify.
    ///
    /// What stands around the signed part is not signed, and OpenSSL reads it as BER: long forms of lengths, an
    /// indefinite length, parameters of the algorithm written differently. Each would be a certificate that nobody has
    /// seen and that is good. Asked for is: lengths in the fewest bytes, an outer algorithm with the very bytes of the
    /// inner one (RFC 5280 section 4.1.1.2), a BIT STRING of whole bytes, nothing behind it, and inside it, unless the
    /// algorithm is of RSA or EdDSA, whose signatures have one form and a fixed length, a SEQUENCE of two positive
    /// INTEGERs in their shortest form (RFC 3279 section 2.2.3).
    ///
    /// What is left to others is an ECDSA signature (r, n - s) for (r, s): two forms of each certificate, and no more.
    /// Apple's own certificates have a great s, so the smaller one cannot be asked for.
    public static func hasCanonicalFrame(_ bytes: Span<UInt8>) -> Bool {
        var reader = DERReader(0..<bytes.count)
        guard let outer = reader.next(DERReader.Tag.sequence, in: bytes), reader.isAtEnd else { return false }
        var parts = DERReader(outer.contents)
        guard let signed = parts.next(DERReader.Tag.sequence, in: bytes),
            let algorithm = parts.next(DERReader.Tag.sequence, in: bytes),
            let value = parts.next(DERReader.Tag.bitString, in: bytes), parts.isAtEnd,
            let inner = innerAlgorithm(of: signed, in: bytes),
            ByteComparison.areEqual(bytes.extracting(algorithm.whole), bytes.extracting(inner.whole)),
            // The first byte counts unused bits of the last one.
            value.contents.count > 1, bytes[value.contents.lowerBound] == 0
        else { return false }
        if hasOneForm(algorithm, in: bytes) { return true }
        return isCanonicalPair(value.contents.dropFirst(), in: bytes)
    }

    /// The AlgorithmIdentifier behind version and serial number.
    private static func innerAlgorithm(
        of signed: DERReader.Element,
        in bytes: Span<UInt8>
    ) -> DERReader.Element? {
        var reader = DERReader(signed.contents)
        // A certificate of version 1 has no version.
        _ = reader.next(DERReader.Tag.contextZero, in: bytes)
        guard reader.next(DERReader.Tag.integer, in: bytes) != nil else { return nil }
        return reader.next(DERReader.Tag.sequence, in: bytes)
    }

    /// Whether OpenSSL accepts one signature of this algorithm, of one length, for one text and what made it.
    private static func hasOneForm(_ algorithm: DERReader.Element, in bytes: Span<UInt8>) -> Bool {
        var reader = DERReader(algorithm.contents)
        guard let identifier = reader.next(DERReader.Tag.objectIdentifier, in: bytes) else { return false }
        let contents = bytes.extracting(identifier.contents)
        for start in oneForm where contents.count >= start.count {
            if ByteComparison.areEqual(contents.extracting(first: start.count), start.span) { return true }
        }
        return false
    }

    /// 1.2.840.113549.1.1 (RFC 8017), 1.3.101.112 and 1.3.101.113 (RFC 8410).
    private static let oneForm: [[UInt8]] = [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01], [0x2B, 0x65, 0x70], [0x2B, 0x65, 0x71],
    ]

    /// Ecdsa-Sig-Value: r and s, each above zero; that they are below the order is asked by whoever verifies.
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

    /// Above zero and in the shortest form of two's complement: a zero in front only where the next bit would be a sign.
    private static func isPositive(_ number: Span<UInt8>) -> Bool {
        guard number.count > 0, number[0] < 0x80 else { return false }
        return number[0] > 0 || (number.count > 1 && number[1] >= 0x80)
    }
}

internal import CertificateAuthority

/// The three parts of a certificate in DER.
public struct CertificateParts: Sendable {
    /// The signed part with tag and length.
    public let signed: [UInt8]
    /// The contents of the outer AlgorithmIdentifier.
    public let algorithm: [UInt8]
    /// The contents of the BIT STRING.
    public let signature: [UInt8]

    /// Splits a well-formed certificate into its parts.
    public init(_ der: [UInt8]) {
        let outer = Self.element(der[...])
        let first = Self.element(outer.contents[...])
        let second = Self.element(first.rest)
        signed = Array(outer.contents.dropLast(first.rest.count))
        algorithm = second.contents
        signature = Self.element(second.rest).contents
    }

    /// Returns a copy of the certificate. Numbers from 0 to 14,399 give different copies, and OpenSSL accepts all of
    /// them.
    public func copy(_ number: Int) -> [UInt8] {
        let (first, second) = (1 + number % 120, 1 + number / 120 % 120)
        return DER.sequence(
            signed, Self.padded(0x30, algorithm, byteCount: first),
            Self.padded(0x03, signature, byteCount: second))
    }

    /// Returns the certificate with n - s in place of s in its ECDSA signature. That signature is as valid as the
    /// original, and making it needs no key.
    public func twin(order: [UInt8]) -> [UInt8] {
        let (first, second) = Self.numbers(Array(signature.dropFirst()))
        var difference = order
        var borrow = 0
        let padded =
            [UInt8](repeating: 0, count: max(0, order.count - second.count)) + second.suffix(order.count)
        for index in order.indices.reversed() {
            let digit = Int(order[index]) - Int(padded[index]) - borrow
            difference[index] = UInt8(truncatingIfNeeded: digit)
            borrow = digit < 0 ? 1 : 0
        }
        let pair = DER.sequence(DER.value(0x02, first), DER.integer([0] + difference))
        return DER.sequence(signed, DER.value(0x30, algorithm), DER.bitString(pair))
    }

    /// The order of P-384 (SEC 2, section 2.5.1).
    public static let orderP384: [UInt8] =
        [UInt8](repeating: 0xFF, count: 24) + [
            0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2, 0x48, 0xB0, 0xA7, 0x7A,
            0xEC,
            0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
        ]

    /// Encodes a value whose length takes `byteCount` bytes after the first length byte. Leading zeros fill the length.
    static func padded(_ tag: UInt8, _ contents: [UInt8], byteCount: Int) -> [UInt8] {
        let length = (0..<byteCount).reversed().map { $0 > 7 ? 0 : UInt8(contents.count >> ($0 * 8) & 0xFF) }
        return [tag, 0x80 | UInt8(byteCount)] + length + contents
    }

    static func numbers(_ pair: [UInt8]) -> (first: [UInt8], second: [UInt8]) {
        let first = element(element(pair[...]).contents[...])
        return (first.contents, element(first.rest).contents)
    }

    /// Returns the contents of the first element of well-formed DER, and the bytes after that element.
    static func element(_ bytes: ArraySlice<UInt8>) -> (contents: [UInt8], rest: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        let first = bytes[start + 1]
        let lengthCount = first < 0x80 ? 0 : Int(first & 0x7F)
        let length =
            first < 0x80
            ? Int(first) : bytes[(start + 2)..<(start + 2 + lengthCount)].reduce(0) { $0 << 8 | Int($1) }
        let contents = bytes[(start + 2 + lengthCount)...]
        return (Array(contents.prefix(length)), contents.dropFirst(length))
    }
}

internal import CertificateAuthority
package import Cryptography
internal import System

package enum AppleCertificates: String, CaseIterable, Sendable {
    case rootG3 = "AppleRootCA-G3"
    case rootG2 = "AppleRootCA-G2"
    case intermediateG6 = "AppleWWDRCAG6"
    case leaf2021 = "LeafProdECC-2021-2023"
    case leaf2025 = "LeafProdECC-2025-2027"

    package func certificate() throws -> Certificate {
        let path = SourceFile.folder(of: #filePath) + "/Certificates/\(rawValue).pem"
        let text = try SourceFile.read(path)
        return try Certificate.pem(text.span)[0]
    }
}

/// Ways to rewrite a certificate without its issuer's key: the signed part stays as it is, and the bytes around it
/// change.
package enum CertificateCopy: String, Sendable, Hashable, CaseIterable {
    case algorithmLength81, algorithmLength84, algorithmPadded, algorithmIndefinite
    case algorithmWithParameters
    case bitStringLength, bitStringPadded, bitStringConstructed, bitStringUnusedBits
    case pairLength, pairIndefinite, numberPadded, numberNegative, thirdNumber, behindPair
    case behindSignature, outerLength

    package func applied(to der: [UInt8]) -> [UInt8] {
        let parts = CertificateParts(der)
        var (algorithm, signature) = (DER.value(0x30, parts.algorithm), DER.value(0x03, parts.signature))
        let pair = Array(parts.signature.dropFirst())
        let numbers = CertificateParts.element(pair[...]).contents
        func wrapped(_ pair: [UInt8]) -> [UInt8] { DER.bitString(pair) }
        func padded(_ tag: UInt8, _ contents: [UInt8], byteCount: Int) -> [UInt8] {
            CertificateParts.padded(tag, contents, byteCount: byteCount)
        }
        switch self {
        case .algorithmLength81: algorithm = padded(0x30, parts.algorithm, byteCount: 1)
        case .algorithmLength84: algorithm = padded(0x30, parts.algorithm, byteCount: 4)
        case .algorithmPadded: algorithm = padded(0x30, parts.algorithm, byteCount: 60)
        case .algorithmIndefinite: algorithm = [0x30, 0x80] + parts.algorithm + [0, 0]
        case .algorithmWithParameters: algorithm = DER.value(0x30, parts.algorithm + DER.null)
        case .bitStringLength: signature = padded(0x03, parts.signature, byteCount: 2)
        case .bitStringPadded: signature = padded(0x03, parts.signature, byteCount: 60)
        case .bitStringConstructed: signature = DER.value(0x23, DER.value(0x03, parts.signature))
        case .bitStringUnusedBits: signature = DER.bitString(pair, unusedBits: 1)
        case .pairLength: signature = wrapped(padded(0x30, numbers, byteCount: 2))
        case .pairIndefinite: signature = wrapped([0x30, 0x80] + numbers + [0, 0])
        case .numberPadded:
            let (first, second) = CertificateParts.numbers(pair)
            signature = wrapped(DER.sequence(DER.value(0x02, [0] + first), DER.value(0x02, second)))
        case .numberNegative:
            let (first, second) = CertificateParts.numbers(pair)
            let negative = DER.value(0x02, [second[0] | 0x80] + second.dropFirst())
            signature = wrapped(DER.sequence(DER.value(0x02, first), negative))
        case .thirdNumber: signature = wrapped(DER.value(0x30, numbers + DER.integer(1)))
        case .behindPair: signature = wrapped(pair + [0])
        case .behindSignature: return DER.sequence(parts.signed, algorithm, signature, DER.null)
        case .outerLength: return padded(0x30, parts.signed + algorithm + signature, byteCount: 3)
        }
        return DER.sequence(parts.signed, algorithm, signature)
    }
}

package struct CertificateParts: Sendable {
    package let signed: [UInt8]
    package let algorithm: [UInt8]
    package let signature: [UInt8]

    package init(_ der: [UInt8]) {
        let outer = Self.element(der[...])
        let first = Self.element(outer.contents[...])
        let second = Self.element(first.rest)
        signed = Array(outer.contents.dropLast(first.rest.count))
        algorithm = second.contents
        signature = Self.element(second.rest).contents
    }

    /// Returns the certificate with n - s in place of s in its ECDSA signature. That signature is as valid as the
    /// original, and making it needs no key.
    package func twin(order: [UInt8]) -> [UInt8] {
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
    package static let orderP384: [UInt8] =
        [UInt8](repeating: 0xFF, count: 24) + [
            0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2, 0x48, 0xB0, 0xA7, 0x7A,
            0xEC,
            0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
        ]

    /// Encodes a value whose length takes `byteCount` bytes after the first length byte. Leading zeros fill the length.
    static func padded(_ tag: UInt8, _ contents: [UInt8], byteCount: Int) -> [UInt8] {
        let count = UInt64(contents.count)
        let length = (0..<byteCount).reversed().map { place -> UInt8 in
            place > 7 ? 0 : UInt8(truncatingIfNeeded: count >> (8 * UInt64(place)))
        }
        let head: [UInt8] = [tag, 0x80 | UInt8(byteCount)]
        return head + length + contents
    }

    static func numbers(_ pair: [UInt8]) -> (first: [UInt8], second: [UInt8]) {
        let first = element(element(pair[...]).contents[...])
        return (first.contents, element(first.rest).contents)
    }

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

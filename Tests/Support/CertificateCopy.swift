internal import CertificateAuthority

/// Ways to rewrite a certificate without its issuer's key: the signed part stays as it is, and the bytes around it
/// change.
public enum CertificateCopy: String, Sendable, Hashable, CaseIterable {
    case algorithmLength81, algorithmLength84, algorithmPadded, algorithmIndefinite
    case algorithmWithParameters
    case bitStringLength, bitStringPadded, bitStringConstructed, bitStringUnusedBits
    case pairLength, pairIndefinite, numberPadded, numberNegative, thirdNumber, behindPair
    case behindSignature, outerLength

    /// True when OpenSSL accepts the copy as it accepts the original. Because of these copies, the service checks the
    /// bytes itself before OpenSSL verifies anything.
    public var passesOpenSSL: Bool {
        switch self {
        case .algorithmLength81, .algorithmLength84, .algorithmPadded, .algorithmIndefinite, .bitStringLength,
            .bitStringPadded, .bitStringConstructed, .outerLength:
            true
        default: false
        }
    }

    /// Returns the copy of a certificate that is signed with ECDSA.
    public func applied(to der: [UInt8]) -> [UInt8] {
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

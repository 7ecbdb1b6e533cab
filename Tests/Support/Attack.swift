internal import AppStoreSimulator
internal import CertificateAuthority
internal import Cryptography
internal import HTTPLoad
internal import Synchronization

package enum Attack: String, Sendable, CaseIterable {
    case ownRoot = "self-made root"
    case junkIntermediate = "real root, junk intermediate"
    case junkLeaf = "real intermediate, junk leaf"

    /// Makes a request in which a test can change the signature of one certificate. The certificate still parses after
    /// each change.
    package func template(_ forge: ZooForge, path: String) throws -> AttackTemplate {
        let entries = try certificates(forge)
        let header = Self.alignedHeader(entries.all.map { Base64.encode($0.span) }, varying: entries.varied)
        let der = entries.all[entries.varied]
        // Nine bytes inside the last INTEGER of the certificate's own signature. The offset is a multiple of three, so
        // that the bytes fill whole groups of base64.
        let target = (der.count - 24) / 3 * 3
        let inX5C = target / 3 * 4
        let position = header.start + inX5C
        // Base64url encodes three letters as four. Spaces at the beginning of the header move the letters to a multiple
        // of three.
        let offset = (position + 2) / 3 * 3 - position
        let padded = String(repeating: " ", count: offset) + header.text
        let token = TestSigner.token(
            TestSigner.signingInput(Array(("{" + padded).utf8), forge.payload.text),
            signature: [UInt8](repeating: 1, count: 64))
        let body = TestSigner.body(token)
        let request = RequestText.post(path, body)
        let encoded = (position + offset) / 3 * 4
        let prefix = #"{"signedPayload":""#.utf8.count
        return AttackTemplate(request: request, distanceFromEnd: body.count - prefix - encoded)
    }

    /// Returns leaf, intermediate and root, and the index of the certificate that is changed. Names and key identifiers
    /// match, so only the check of a signature shows that the chain is bad.
    private func certificates(_ forge: ZooForge) throws -> (all: [[UInt8]], varied: Int) {
        let (own, real) = (forge.foreign.chain, forge.trusted.chain)
        switch self {
        case .ownRoot:
            return ([own.leaf.der, own.intermediate.der, own.root.der], 2)
        case .junkIntermediate:
            let junk = try forge.intermediate { $0.signer = own.root.key }
            return ([try forge.leaf(by: junk).der, junk.der, real.root.der], 1)
        case .junkLeaf:
            let junk = try forge.leaf { $0.signer = own.intermediate.key }
            return ([junk.der, real.intermediate.der, real.root.der], 0)
        }
    }

    private static func alignedHeader(_ entries: [[UInt8]], varying index: Int) -> (text: String, start: Int)
    {
        let lead = #""alg":"ES256","x5c":[""#
        let texts = entries.map { String(decoding: $0, as: UTF8.self) }
        let before = texts[..<index].reduce(0) { $0 + $1.utf8.count + 3 }
        return (lead + texts.joined(separator: "\",\"") + "\"]}", 1 + lead.utf8.count + before)
    }
}

/// A request in which sixteen letters can be replaced. With other letters it presents a chain that the service has not
/// seen before.
package struct AttackTemplate: Sendable {
    package let request: [UInt8]
    private let distanceFromEnd: Int

    package init(request: [UInt8], distanceFromEnd: Int) {
        self.request = request
        self.distanceFromEnd = distanceFromEnd
    }

    private static let planCount = Atomic<Int>(0)

    /// A patch for a load plan: it replaces the letters by letters that depend on the number of the request. Each patch
    /// counts from another start.
    package var patch: @Sendable (Int, inout [UInt8]) -> Void {
        // The starts of two patches are 2^32 numbers apart, and no plan sends that many requests.
        let first = Self.planCount.add(1, ordering: .relaxed).newValue << 32
        return { [distanceFromEnd] number, bytes in
            let start = bytes.count - distanceFromEnd
            let letters = Self.letters(first + number)
            for index in letters.indices { bytes[start + index] = letters[index] }
        }
    }

    /// Makes nine bytes that depend on the number, encodes them in base64 as in `x5c`, and encodes the result in
    /// base64url as in the token's header.
    private static func letters(_ number: Int) -> [UInt8] {
        var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 | 1
        var bytes: [UInt8] = []
        for _ in 0..<9 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            bytes.append(UInt8(truncatingIfNeeded: state))
        }
        let inner = Base64.encode(bytes.span)
        return Base64URL.encode(inner.span)
    }
}

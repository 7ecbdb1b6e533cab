internal import Cryptography
internal import Synchronization

/// A request of which sixteen letters can be exchanged for others, so that each is a chain nobody has seen.
public struct AttackTemplate: Sendable {
    /// The whole HTTP request.
    public let request: [UInt8]
    /// Where the letters are in the request, counted from the end.
    private let distanceFromEnd: Int

    /// A request whose sixteen letters begin so many bytes before its end.
    public init(request: [UInt8], distanceFromEnd: Int) {
        self.request = request
        self.distanceFromEnd = distanceFromEnd
    }

    /// How many plans of this process have taken a patch.
    private static let planCount = Atomic<Int>(0)

    /// A plan's patch: writes the request's number, in every plan starting from another.
    public var patch: @Sendable (Int, inout [UInt8]) -> Void {
        // No plan sends as many requests as the numbers that lie between two plans.
        let first = Self.planCount.add(1, ordering: .relaxed).newValue << 32
        return { [distanceFromEnd] number, bytes in
            let start = bytes.count - distanceFromEnd
            let letters = Self.letters(first + number)
            for index in letters.indices { bytes[start + index] = letters[index] }
        }
    }

    /// Nine bytes that depend on the number, in base64 and that in base64url: what the certificate's bytes become in
    /// `x5c` and in the encoded header.
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

internal import Cryptography
internal import Synchronization

/// A request in which sixteen letters can be replaced. With other letters it presents a chain that the service has not
/// seen before.
public struct AttackTemplate: Sendable {
    /// The whole HTTP request.
    public let request: [UInt8]
    /// The number of bytes from the first of the letters to the end of the request.
    private let distanceFromEnd: Int

    /// Makes a template of a request whose sixteen letters begin `distanceFromEnd` bytes before its end.
    public init(request: [UInt8], distanceFromEnd: Int) {
        self.request = request
        self.distanceFromEnd = distanceFromEnd
    }

    /// The number of patches that this process has made so far.
    private static let planCount = Atomic<Int>(0)

    /// A patch for a load plan: it replaces the letters by letters that depend on the number of the request. Each patch
    /// counts from another start.
    public var patch: @Sendable (Int, inout [UInt8]) -> Void {
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

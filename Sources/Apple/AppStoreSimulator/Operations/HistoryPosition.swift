internal import Cryptography

/// The place in a history at which the next page begins, as a token that a client must not change: the time at which it was
/// given, a number, and a digest of the request, which must be the same for every page.
struct HistoryPosition {
    let milliseconds: Int64
    let number: Int64
    private let digest: String

    /// Makes the position of a request, described by all that must stay the same.
    init(milliseconds: Int64, number: Int64, of request: [String]) {
        self.milliseconds = milliseconds
        self.number = number
        digest = Self.digest(request)
    }

    /// Reads a token. Returns nil for any text that is not a token of this request.
    init?(token: String, of request: [String]) {
        guard let bytes = Base64URL.decode(Array(token.utf8).span) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let time = Int64(parts[0]), let number = Int64(parts[1]), time >= 0,
            number >= 0,
            parts[2] == Self.digest(request)
        else { return nil }
        self.init(milliseconds: time, number: number, of: request)
    }

    /// The position as a text that has a place in a URL.
    var token: String {
        let text = "\(milliseconds).\(number).\(digest)"
        return String(decoding: Base64URL.encode(Array(text.utf8).span), as: UTF8.self)
    }

    private static func digest(_ request: [String]) -> String {
        let text = request.map { "\($0.utf8.count):\($0)" }.joined()
        return String(SHA256.hash(Array(text.utf8).span).hexadecimal.prefix(16))
    }
}

internal import System

package struct HTTPRequest: Sendable {
    package var method: String
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]?

    package init(
        method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    package static func postJSON(_ body: [UInt8], to url: String) -> HTTPRequest {
        HTTPRequest(method: "POST", url: url, headers: [("Content-Type", "application/json")], body: body)
    }
}

/// The answer to a request. An answer with any status is a response, not an error.
package struct HTTPResponse: Sendable {
    package let status: Int
    package let contentType: String?
    /// The field Retry-After (RFC 9110 section 10.2.3). Longer values are cut to ``HTTPClientLimits/fieldByteCount``.
    package let retryAfter: String?
    /// The field Date (RFC 9110 section 6.6.1), cut like ``retryAfter``; ``HTTPDate`` reads it.
    package let date: String?
    package let body: [UInt8]
    package let timings: TransferTimings
    /// When the certificates of the server's chain end, in milliseconds since 1970; empty unless they were asked for.
    package var certificateEnds: [Int64] = []

    package init(
        status: Int, contentType: String?, retryAfter: String? = nil, date: String? = nil, body: [UInt8],
        timings: TransferTimings = TransferTimings()
    ) {
        self.status = status
        self.contentType = contentType
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
        self.timings = timings
    }
}

/// The moments of a transfer in microseconds since its start. A step that did not happen, such as connecting on a kept
/// connection, has the number 0.
package struct TransferTimings: Sendable, Hashable {
    package var connectMicroseconds: Int64 = 0
    package var tlsMicroseconds: Int64 = 0
    package var firstByteMicroseconds: Int64 = 0
    package var totalMicroseconds: Int64 = 0
    package var usedNewConnection = false

    package init() {}
}

package enum HTTPDate {
    /// Returns milliseconds since 1970 for a date in the one form that RFC 9110 section 5.6.7 lets servers write,
    /// such as `Sun, 06 Nov 1994 08:49:37 GMT`. Returns nil for any other text. The name of the day is not compared
    /// with the date.
    package static func milliseconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].utf8.count == 4, words[0].hasSuffix(","), words[5] == "GMT",
            let month = months.firstIndex(where: { words[2] == $0 }),
            words[1].utf8.count == 2, words[3].utf8.count == 4
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return CivilTime("\(words[3])-\(number)-\(words[1])T\(words[4])Z")?.milliseconds
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

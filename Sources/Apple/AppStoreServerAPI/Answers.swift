internal import FoundationEssentials
internal import HTTPClient
package import JSON
package import System

package enum Answers {
    /// A page of 20 notifications, each as long as the recorder takes by default. Apple states no limit, and a page
    /// that is refused would end every recovery there.
    static let byteCount = 11 << 20

    static func check(
        _ response: HTTPResponse, to operation: AppStoreServerOperation, token: [UInt8],
        nowMilliseconds now: Int64
    ) throws(AppStoreServerAPIError) -> HTTPResponse {
        // The rest of a token is useless without its signature.
        if let dot = token.lastIndex(of: UInt8(ascii: ".")),
            response.body.firstRange(of: token[(dot + 1)...]) != nil
        {
            throw .malformed(.other("the answer repeats the token of the request and is not shown"))
        }
        switch response.status {
        case 200..<300:
            // A success page of another server is not Apple's success.
            guard !isHTML(response) else { throw .malformed(.html) }
            return response
        case 300..<400: throw .malformed(.redirect(status: response.status))
        case 429:
            let time = RetryAfter.untilMilliseconds(response.retryAfter, nowMilliseconds: now)
            throw .rateLimited(operation, untilMilliseconds: time)
        default: break
        }
        let refusal = refusal(status: response.status, body: response.body)
        if response.status == 401 {
            let date = response.date.flatMap(HTTPDate.milliseconds)
            throw .unauthorized(refusal, clockLeadSeconds: date.map { (now - $0) / 1000 })
        }
        if response.status == 404, refusal.errorCode == nil, operation.tellsMissingAccess {
            throw .noAccess(operation)
        }
        throw .refused(refusal)
    }

    private static func isHTML(_ response: HTTPResponse) -> Bool {
        let type = response.contentType?.lowercased() ?? ""
        return type.hasPrefix("text/html") || type.hasPrefix("application/xhtml")
            || response.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }

    /// Reads the error object of a refusal. Every part of it may be missing or wrong: the status says enough.
    package static func refusal(status: Int, body: [UInt8]) -> AppleRefusal {
        let root = try? document(body)
        return AppleRefusal(
            status: status, errorCode: root?.member("errorCode")?.int64,
            errorMessage: root?.member("errorMessage")?.string)
    }

    package static func document(_ body: [UInt8]) throws(MalformedAnswer) -> JSONValue {
        let root = try JSONError.mapped(
            to: { error -> MalformedAnswer in
                let isCut = error.code == "json.syntax" && (error.position?.byteOffset ?? 0) >= body.count
                return isCut
                    ? .truncated : .other("the answer is not the JSON that Apple documents: \(error)")
            },
            // Apple's answers have three levels.
            try JSONDocument(parsing: body.span, limits: JSONLimits(byteCount: byteCount, depth: 16)).root
        )
        guard root.kind == .object else { throw .other("the answer is not an object") }
        return root
    }

    /// Ignores members that this version does not know.
    package static func decode<Answer: Decodable>(_ type: Answer.Type, _ body: [UInt8])
        throws(MalformedAnswer) -> Answer
    {
        _ = try document(body)
        do {
            return try AppleJSON.decode(type, body)
        } catch {
            throw .other("the answer is not the one that Apple documents: \(words(error))")
        }
    }

    private static func words(_ error: any Error) -> String {
        let (context, name): (DecodingError.Context?, String?) =
            switch error as? DecodingError {
            case .keyNotFound(let key, let context): (context, key.stringValue)
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context, nil)
            default: (nil, nil)
            }
        let path = (context?.codingPath.map(\.stringValue) ?? []) + (name.map { [$0] } ?? [])
        return "\(path.joined(separator: ".")) is missing or wrong"
    }
}

extension AppStoreServerAPIError {
    /// True when the same call may succeed a moment later: the answer was lost on its way, or Apple's server failed.
    var isTransient: Bool {
        switch self {
        case .refused(let refusal): refusal.status >= 500 || refusal.knownCode?.isRetryable == true
        case .malformed(.truncated): true
        case .transport(.timedOut), .transport(.noResponse), .transport(.connectionBroken): true
        default: false
        }
    }

    /// True when the same call may succeed some time later although nobody does anything: the network, Apple's server or its
    /// rate prevented it.
    package var mayPass: Bool {
        switch self {
        case .rateLimited, .transport(.unresolved), .transport(.notConnected): true
        default: isTransient
        }
    }

    /// True when Apple's server may have done the work although the call failed.
    var mayHaveBeenDone: Bool {
        switch self {
        case .refused(let refusal): refusal.status >= 500
        case .malformed(.redirect): false
        case .malformed: true
        case .transport(.badURL), .transport(.badAuthorities), .transport(.unresolved),
            .transport(.notConnected), .transport(.tls):
            false
        case .transport: true
        default: false
        }
    }
}

/// Source: Apple, Identifying rate limits. Apple states them per second and enforces them per hour. Sandbox has 10 % of
/// Production's.
package enum RateLimits {
    package static let hourMilliseconds: Int64 = 3_600_000

    package static func callsPerHour(of operation: AppStoreServerOperation, in environment: Environment)
        -> Int
    {
        operation.callsPerSecond * 3600 / (environment == .production ? 1 : 10)
    }
}

enum RetryAfter {
    /// The wait when the field is missing or cannot be read: a minute, in which Sandbox allows six calls on average.
    static let standardMilliseconds: Int64 = 60_000
    /// The longest wait: Apple counts by the hour. A hostile field cannot stop the client for longer either.
    static let longestMilliseconds: Int64 = 3_600_000
    /// The shortest wait, also for a time that is over: the two clocks may differ.
    static let shortestMilliseconds: Int64 = 1000

    /// Apple sends milliseconds since 1970. This also takes what RFC 9110 section 10.2.3 knows, and seconds since 1970.
    static func untilMilliseconds(_ field: String?, nowMilliseconds now: Int64) -> Int64 {
        let time = field.flatMap { moment($0, now) } ?? now + standardMilliseconds
        return min(max(time, now + shortestMilliseconds), now + longestMilliseconds)
    }

    private static func moment(_ field: String, _ now: Int64) -> Int64? {
        guard let first = field.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return HTTPDate.milliseconds(field)
        }
        // A number with more digits than Int64 has is a time far ahead, as every great number is.
        guard field.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        let number = Int64(field) ?? .max
        switch number {
        case ..<firstSecondsSince1970: return now + number * 1000
        case ..<firstMillisecondsSince1970: return number * 1000
        default: return number
        }
    }

    /// Smaller numbers are seconds to wait; a wait of this many seconds would last 31 years.
    private static let firstSecondsSince1970: Int64 = 1_000_000_000
    /// In milliseconds it is a time in 1973, in seconds it would be one in the year 5138.
    private static let firstMillisecondsSince1970: Int64 = 100_000_000_000
}

/// JSON texts of types that the compiler can encode.
package enum AppleJSON {
    package static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Numbers, texts and lists alone can always be written.
        guard let data = try? encoder.encode(value) else { preconditionFailure("a value that is not JSON") }
        return Array(data)
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, _ text: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text))
    }
}

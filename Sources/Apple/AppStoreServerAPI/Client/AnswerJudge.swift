internal import HTTPClient

/// Tells success from refusal by the status of an answer.
enum AnswerJudge {
    /// Returns an answer with any status of success.
    ///
    /// - Throws: the error that the status and the body mean.
    static func check(
        _ response: HTTPResponse, to operation: AppStoreServerOperation, token: [UInt8],
        nowMilliseconds now: Int64
    ) throws(AppStoreServerAPIError) -> HTTPResponse {
        guard !repeatsToken(response.body, token) else {
            throw .malformed(.other("the answer repeats the token of the request and is not shown"))
        }
        switch response.status {
        case 200..<300:
            // A success page of another server is not Apple's success.
            guard !isHTML(response), !AnswerValue.looksLikeHTML(response.body) else {
                throw .malformed(.html)
            }
            return response
        case 300..<400: throw .malformed(.redirect(status: response.status))
        case 429:
            let time = RetryAfter.untilMilliseconds(response.retryAfter, nowMilliseconds: now)
            throw .rateLimited(operation, untilMilliseconds: time)
        default: break
        }
        let refusal = AnswerReading.refusal(status: response.status, body: response.body)
        if response.status == 401 {
            let date = response.date.flatMap(HTTPDate.milliseconds)
            throw .unauthorized(refusal, clockLeadSeconds: date.map { (now - $0) / 1000 })
        }
        if response.status == 404, refusal.errorCode == nil, operation.tellsMissingAccess {
            throw .noAccess(operation)
        }
        throw .refused(refusal)
    }

    static func isHTML(_ response: HTTPResponse) -> Bool {
        let type = response.contentType?.lowercased() ?? ""
        return type.hasPrefix("text/html") || type.hasPrefix("application/xhtml")
    }

    /// Returns true when a body contains the token's signature. The rest of a token is useless without it.
    /// The signature may be written with the escapes of JSON.
    private static func repeatsToken(_ body: [UInt8], _ token: [UInt8]) -> Bool {
        guard let dot = token.lastIndex(of: UInt8(ascii: ".")) else { return false }
        let signature = token[(dot + 1)...]
        return contains(body, signature) || contains(unescaped(body), signature)
    }

    private static func contains(_ body: [UInt8], _ signature: ArraySlice<UInt8>) -> Bool {
        guard let first = signature.first, body.count >= signature.count else { return false }
        for start in 0...body.count - signature.count where body[start] == first {
            if body[start..<start + signature.count].elementsEqual(signature) { return true }
        }
        return false
    }

    /// Returns the body with the characters in place of their escapes `\u00XX` (RFC 8259, section 7); empty when it has no
    /// such escape. A signature has no character that needs another escape.
    private static func unescaped(_ body: [UInt8]) -> [UInt8] {
        guard body.contains(UInt8(ascii: "\\")) else { return [] }
        var result: [UInt8] = []
        result.reserveCapacity(body.count)
        var rest = body[...]
        while let byte = rest.popFirst() {
            let digits = rest.dropFirst(3).prefix(2)
            if byte == UInt8(ascii: "\\"), rest.starts(with: [0x75, 0x30, 0x30]), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                result.append(value)
                rest = rest.dropFirst(5)
            } else {
                result.append(byte)
            }
        }
        return result
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
        case .transport(let error):
            switch error {
            case .badURL, .badAuthorities, .unresolved, .notConnected, .tls: false
            default: true
            }
        default: false
        }
    }
}

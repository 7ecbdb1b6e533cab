internal import Answers
internal import FastCGI
internal import Loader

extension EndpointHandler {
    /// `pong` while there are rules to decide by, for health checks.
    func ping(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard Self.isRead(request) else {
            return turnAway(.methodNotAllowed, request, fields: [.allow("GET, HEAD")])
        }
        guard generation.hasRules else { return turnAway(.rulesMissing, request) }
        return GatewayResponse(status: 200, contentType: "text/plain", body: Array("pong".utf8))
    }

    /// Whether the method is one that only reads.
    static func isRead(_ request: borrowing some GatewayRequest & ~Copyable) -> Bool {
        request.withParameter("REQUEST_METHOD") { method -> Bool in
            guard let method else { return false }
            return ["GET", "HEAD"].contains { name in
                var index = 0
                guard name.utf8.count == method.count else { return false }
                for byte in name.utf8 {
                    guard method[index] == byte else { return false }
                    index += 1
                }
                return true
            }
        }
    }
}

internal import Answers
internal import FastCGI
internal import Loader

extension EndpointHandler {
    /// Answers a health check: `pong` while rules are loaded, else the problem `rules-missing` (503).
    func ping(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard Self.isRead(request) else {
            return refuseProbe(.methodNotAllowed, request, fields: [.allow("GET, HEAD")])
        }
        guard generation.hasRules else { return refuseProbe(.rulesMissing, request) }
        return GatewayResponse(status: 200, contentType: "text/plain", body: Array("pong".utf8))
    }

    /// Returns whether the method is GET or HEAD.
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

internal import Answers
internal import FastCGI
internal import System

extension EndpointHandler {
    /// Answers the status page, in the manner of php-fpm: what is loaded, and how the pool is doing.
    func status(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard Self.isRead(request) else {
            return refuseProbe(.methodNotAllowed, request, fields: [.allow("GET, HEAD")])
        }
        let query = request.withParameter("QUERY_STRING") { StatusQuery($0) }
        guard query.form != .absent else { return refuseProbe(.endpointUnknown, request) }
        let status = PoolStatus(
            generation: generation,
            counters: observer.poolCounters,
            queue: observer.queue(),
            nowMilliseconds: Clock.wallMilliseconds()
        )
        return status.page(query)
    }
}

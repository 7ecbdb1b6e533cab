internal import Answers
internal import FastCGI
internal import Loader
internal import System
internal import Telemetry

/// The pages for operators: status, ping and metrics.
extension EndpointHandler {
    /// Answers the status page: what is loaded, and how the pool is doing.
    func status(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard Self.isRead(request) else {
            return refuseProbe(.methodNotAllowed, request, fields: [.allow("GET, HEAD")])
        }
        let query = request.withParameter("QUERY_STRING") { StatusQuery($0) }
        let status = PoolStatus(
            generation: generation, counters: observer.poolCounters, queue: observer.queue(),
            ruleCounts: tally.counts, nowMilliseconds: Clock.wallMilliseconds())
        return status.page(query)
    }

    /// Answers a health check: `pong` while rules are loaded, else the problem `rules-missing` (503).
    func ping(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard Self.isRead(request) else {
            return refuseProbe(.methodNotAllowed, request, fields: [.allow("GET, HEAD")])
        }
        guard generation.hasRules else { return refuseProbe(.rulesMissing, request) }
        return GatewayResponse(status: 200, contentType: "text/plain", body: Array("pong".utf8))
    }

    /// Answers a scrape of Prometheus.
    func metrics(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard Self.isRead(request) else {
            return refuseProbe(.methodNotAllowed, request, fields: [.allow("GET, HEAD")])
        }
        let page = PoolMetrics(
            generation: generation, counters: observer.poolCounters, tally: tally, queue: observer.queue())
        return GatewayResponse(status: 200, contentType: MetricText.contentType, body: page.text())
    }
}

internal import Answers
internal import Configuration
internal import DataFiles
internal import FastCGI
internal import JSON
internal import Loader
internal import System
internal import Telemetry
internal import Vocabulary

extension EndpointHandler {
    /// What is loaded and how it is going: php-fpm's fields for its scrapers, then ours. Text, or JSON with `?json`.
    func status(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard Self.isRead(request) else { return refuse(.methodNotAllowed, request, allow: "GET, HEAD") }
        let wantsJSON = request.withParameter("QUERY_STRING") { query -> Bool in
            guard let query, query.count >= 4 else { return false }
            return query[0] == UInt8(ascii: "j") && query[1] == UInt8(ascii: "s")
                && query[2] == UInt8(ascii: "o") && query[3] == UInt8(ascii: "n")
        }
        let fields = poolFields() + counterFields()
        if wantsJSON {
            let node = JSONNode.object(fields + [("rules", .array(rulesBlocks()))])
            return GatewayResponse(
                status: 200,
                contentType: "application/json",
                body: node.serialized()
            )
        }
        return GatewayResponse(status: 200, contentType: "text/plain", body: Array(text(of: fields).utf8))
    }

    private func poolFields() -> [(String, JSONNode)] {
        let counters = observer.poolCounters
        let workers = counters.workers
        let started = counters.startedMilliseconds
        let idle = workers.filter { $0.state == .idle }.count
        return [
            ("pool", .string("retentiond")),
            ("process manager", .string("static")),
            ("start time", .integer(started / 1000)),
            ("start since", .integer(max(0, Clock.wallMilliseconds() - started) / 1000)),
            ("accepted conn", Self.number(counters.value(.connectionsAccepted))),
            ("idle processes", .integer(Int64(idle))),
            ("active processes", .integer(Int64(workers.count - idle))),
            ("total processes", .integer(Int64(workers.count))),
            ("slow requests", Self.number(counters.value(.requestsSlow))),
            ("generation", .integer(Int64(generation.sequence))),
            ("generation source", .string("\(generation.manifest.source)")),
            ("loaded at", .integer(generation.manifest.loadedAtMilliseconds / 1000)),
            ("custom anchors", .boolean(generation.configuration.trustsCustomAnchors)),
        ]
    }

    private func counterFields() -> [(String, JSONNode)] {
        let counters = observer.poolCounters
        let codes = counters.codes.filter { $0.count > 0 }
        return Counter.allCases.map { ($0.rawValue, Self.number(counters.value($0))) }
            + codes.map { ("code \($0.code)", Self.number($0.count)) }
    }

    private func rulesBlocks() -> [JSONNode] {
        generation.manifest.files.map { $0.node() }
    }

    private static func number(_ value: UInt64) -> JSONNode { .integer(Int64(clamping: value)) }

    private func text(of fields: [(String, JSONNode)]) -> String {
        var lines = fields.map { name, value in
            let shown = String(decoding: value.serialized(), as: UTF8.self).filter { $0 != "\"" }
            return "\(name): \(shown)"
        }
        lines += generation.manifest.files.map { file in
            "rules: \(file.name) app \(file.appAppleId) \(file.environment.rawValue)"
                + " generation \(file.generation) built \(file.builtAtMilliseconds / 1000)"
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

internal import Configuration
internal import Cryptography
internal import Facts
internal import FastCGI
package import JSON
internal import Rules
internal import System

/// The status page: one JSON object, and a page for people with the same fields. Its first fields have php-fpm's names.
struct PoolStatus {
    typealias RuleCount = (rule: String, served: UInt64)
    typealias Field = (String, JSONNode)

    private let fields: [Field]

    /// Collects the fields: from the generation of the worker that answers, from the counters that all workers share,
    /// and from the listening socket's queue, which is nil where the kernel does not report it.
    /// `ruleCounts` returns the counts of the rules of a file.
    init(
        generation: Generation, counters: SharedCounters, queue: ListenQueue?,
        ruleCounts: (RulesFile) -> [RuleCount], nowMilliseconds now: Int64
    ) {
        let workers = counters.workers
        var fields = Self.processManager(counters, workers, queue, now)
        fields += Self.loaded(generation)
        fields += counters.certificateEnds.inOrder.map { ("\($0.rawValue) ends", .integer($1 / 1000)) }
        if let offset = counters.signedDateOffset {
            fields.append(("signed date offset", .integer(offset)))
        }
        fields += Counter.allCases.map { ($0.rawValue, Self.number(counters.value($0))) }
        fields += counters.codes.filter { $0.count > 0 }.map { ("code \($0.code)", Self.number($0.count)) }
        fields.append(("request durations", Self.durations(counters.latency)))
        for kind in DataFileKind.allCases {
            let files = generation.manifest.files.filter { $0.kind == kind }
            fields.append((kind.name, .array(files.map { Self.file($0, generation, ruleCounts, now) })))
        }
        fields.append(("processes", .array(workers.map { Self.process($0, now) })))
        self.fields = fields
    }

    private static func processManager(
        _ counters: SharedCounters, _ workers: [WorkerStatus], _ queue: ListenQueue?, _ now: Int64
    ) -> [Field] {
        let started = counters.startedMilliseconds
        let idle = workers.count { $0.state == .idle }
        let waiting = UInt64(queue?.waitingCount ?? 0)
        counters.raise(.listenQueue, to: waiting)
        return [
            ("pool", .string("retentiond")), ("start time", .integer(started / 1000)),
            ("start since", .integer(max(0, now - started) / 1000)),
            ("accepted conn", number(counters.value(.connectionsAccepted))),
            ("listen queue", number(waiting)),
            ("max listen queue", number(counters.highest(.listenQueue))),
            ("listen queue len", .integer(Int64(queue?.limitCount ?? 0))),
            ("idle processes", .integer(Int64(idle))),
            ("active processes", .integer(Int64(workers.count - idle))),
            ("total processes", .integer(Int64(workers.count))),
            ("max active processes", number(counters.highest(.activeWorkers))),
            ("slow requests", number(counters.value(.requestsSlow))),
            ("socket", .string(counters.highest(.socketGone) % 2 == 0 ? "there" : "gone")),
        ]
    }

    private static func loaded(_ generation: Generation) -> [Field] {
        let manifest = generation.manifest
        var fields: [Field] = [
            ("generation", .integer(Int64(generation.sequence))),
            ("generation source", .string(manifest.source.rawValue)),
            ("loaded since", .integer(manifest.loadedAtMilliseconds / 1000)),
            ("custom anchors", .boolean(generation.configuration.trustsCustomAnchors)),
            ("missing keys", .integer(Int64(generation.missingKeyCount))),
        ]
        if let last = VerdictFile(generation.configuration).read() {
            fields += [
                ("last reload", .string(last.refusal == nil ? "loaded" : "refused")),
                ("last reload code", .string(last.refusal?.code ?? "")),
                ("last reload time", .integer(last.finishedAtMilliseconds / 1000)),
            ]
        }
        return fields
    }

    /// For each edge, in microseconds, how many requests took at most that long, and then the number of all requests.
    private static func durations(_ durations: LatencyHistogram) -> JSONNode {
        let edges = LatencyHistogram.edgesMicroseconds.map { JSONNode.integer(Int64($0)) } + [.null]
        let buckets = zip(edges, durations.cumulativeCounts).map { edge, count in
            JSONNode.object([("microseconds", edge), ("requests", number(count))])
        }
        return .object([
            ("requests", number(durations.count)),
            ("microseconds", number(durations.sumNanoseconds / 1000)), ("within", .array(buckets)),
        ])
    }

    private static func file(
        _ file: ManifestFile, _ generation: Generation, _ ruleCounts: (RulesFile) -> [RuleCount],
        _ now: Int64
    ) -> JSONNode {
        let (app, environment) = (file.appAppleId, file.environment)
        let fields: [Field] = [
            ("name", .string(file.name)), ("appAppleId", .integer(app)),
            ("environment", .string(environment.rawValue)), ("revision", .string(file.revision ?? "")),
            ("sha256", .string(file.digest.hexadecimal)), ("bytes", .integer(Int64(file.byteCount))),
        ]
        switch file.kind {
        case .rules:
            let rules = generation.rules(appAppleId: app, environment: environment)
            let counts = rules.map(ruleCounts) ?? []
            let nodes = counts.map {
                JSONNode.object([("rule", .string($0.rule)), ("served", number($0.served))])
            }
            return .object(fields + [("rules", .array(nodes))])
        case .facts:
            // Rows and facts are 0 when the app has no rules, because then no worker looks into the file.
            let bound = generation.facts(appAppleId: app, environment: environment)
            let built = file.builtAtMilliseconds ?? 0
            return .object(
                fields + [
                    ("rows", .integer(Int64(bound?.file.rowCount ?? 0))),
                    ("facts", .integer(Int64(bound?.file.columns.count ?? 0))),
                    ("built", .integer(built / 1000)), ("age", .integer(max(0, now - built) / 1000)),
                ])
        }
    }

    private static func process(_ worker: WorkerStatus, _ now: Int64) -> JSONNode {
        let started = worker.startedMilliseconds
        return .object([
            ("pid", .integer(Int64(worker.processNumber))), ("state", .string(worker.state.shown)),
            ("start time", .integer(started / 1000)),
            ("start since", .integer(max(0, now - started) / 1000)), ("requests", number(worker.requests)),
            ("request duration", number(worker.lastRequestMicroseconds)),
            ("generation", number(worker.generation)),
        ])
    }

    private static func number(_ value: UInt64) -> JSONNode { .integer(Int64(clamping: value)) }

    func page(isJSON: Bool) -> GatewayResponse {
        let body = isJSON ? JSONNode.object(fields).serialized() : Array(html.utf8)
        return GatewayResponse(
            status: 200, contentType: isJSON ? "application/json" : "text/html; charset=utf-8", body: body)
    }

    private var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>retentiond</title>
        <style>
        body { font: 1rem/1.4 system-ui, sans-serif; columns: 22rem; overflow-wrap: anywhere; }
        section { break-inside: avoid; }
        table { width: 100%; }
        th { text-align: left; font-weight: 400; }
        td { text-align: right; }
        </style>
        </head>
        <body>
        <h1>retentiond</h1>
        \(Self.section("pool", .object(fields)))
        </body>
        </html>

        """
    }

    private static func section(_ title: String, _ node: JSONNode) -> String {
        guard case .object(let members) = node else { return "" }
        var (rows, inner) = ("", "")
        for (name, value) in members {
            switch value {
            case .object: inner += section(name, value)
            case .array(let elements): for element in elements { inner += section(name, element) }
            default:
                let shown = escaped(StatusText.shown((name, value)))
                rows += "<tr><th scope=\"row\">\(escaped(name))</th><td>\(shown)</td></tr>\n"
            }
        }
        return "<section>\n<h2>\(escaped(title))</h2>\n<table>\n\(rows)</table>\n</section>\n" + inner
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

extension WorkerState {
    /// php-fpm's word for the state, or our own where php-fpm has no word.
    fileprivate var shown: String {
        switch self {
        case .starting: "Starting"
        case .idle: "Idle"
        case .busy: "Running"
        case .draining: "Ending"
        }
    }
}

/// How the status pages of the pool and of the recorder show a value to people.
package enum StatusText {
    package static func shown(_ field: (name: String, value: JSONNode)) -> String {
        switch field.value {
        case .integer(let seconds) where isTime(field.name):
            CivilTime(milliseconds: seconds * 1000).description
        case .string(let text): DisplayText.escaped(text)
        case .integer(let number): String(number)
        case .boolean(let value): value ? "yes" : "no"
        case .real, .null, .object, .array: ""
        }
    }

    private static func isTime(_ name: String) -> Bool {
        ["start time", "loaded since", "last reload time", "built", "last notification"].contains(name)
            || name.hasSuffix(" ends")
    }
}

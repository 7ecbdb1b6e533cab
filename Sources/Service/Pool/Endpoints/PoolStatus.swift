internal import Configuration
internal import Cryptography
internal import Facts
internal import FastCGI
package import JSON
internal import Rules
internal import System

/// Everything that the status page shows, in the order of the page: php-fpm's fields under php-fpm's names, for
/// scrapers of php-fpm's page, then our own fields.
struct PoolStatus {
    typealias Field = (name: String, value: JSONNode)
    typealias RuleCount = (rule: String, served: UInt64)

    let processManager: [Field]
    let loaded: [Field]
    /// Every counter, and every code that was counted at least once.
    let counted: [Field]
    /// The histogram of the request durations. JSON shows for each edge, in microseconds, how many requests took at most
    /// that long, and then the number of all requests.
    let durations: LatencyHistogram
    /// The served data files, each with its fields and its rules. A facts file has no rules.
    let files: [(kind: DataFileKind, fields: [Field], rules: [RuleCount])]
    let processes: [[Field]]

    /// Collects the fields: from the generation of the worker that answers, from the counters that all workers share,
    /// and from the listening socket's queue, which is nil where the kernel does not report it.
    /// `ruleCounts` returns the counts of the rules of a file.
    init(
        generation: Generation, counters: SharedCounters, queue: ListenQueue?,
        ruleCounts: (RulesFile) -> [RuleCount], nowMilliseconds now: Int64
    ) {
        let workers = counters.workers
        let boot = Int64(Clock.bootNanoseconds() / 1_000_000)
        processManager = Self.fields(counters, workers, queue, now)
        loaded =
            Self.fields(generation, counters.lastReload)
            + Self.certificates(counters.certificateEnds)
            + Self.clock(counters.clockOffset(atMilliseconds: boot))
        counted = Self.counted(counters)
        durations = counters.latency
        files = generation.manifest.files.map { file in
            let rules =
                file.kind == .rules
                ? generation.rules(appAppleId: file.appAppleId, environment: file.environment) : nil
            return (file.kind, Self.fields(file, generation, now), rules.map(ruleCounts) ?? [])
        }
        processes = workers.map { Self.fields($0, now) }
    }

    var pool: [Field] { processManager + loaded + counted }

    private static func fields(
        _ counters: SharedCounters, _ workers: [WorkerStatus], _ queue: ListenQueue?, _ now: Int64
    ) -> [Field] {
        let started = counters.startedMilliseconds
        let idle = workers.count { $0.state == .idle }
        let waiting = UInt64(queue?.waitingCount ?? 0)
        counters.raise(.listenQueue, to: waiting)
        return [
            ("pool", .string("retentiond")), ("process manager", .string("static")),
            ("start time", .integer(started / 1000)),
            ("start since", .integer(max(0, now - started) / 1000)),
            ("accepted conn", number(counters.value(.connectionsAccepted))),
            ("listen queue", number(waiting)),
            ("max listen queue", number(counters.highest(.listenQueue))),
            ("listen queue len", .integer(Int64(queue?.limitCount ?? 0))),
            ("idle processes", .integer(Int64(idle))),
            ("active processes", .integer(Int64(workers.count - idle))),
            ("total processes", .integer(Int64(workers.count))),
            ("max active processes", number(counters.highest(.activeWorkers))),
            // php-fpm counts here how often it wanted more processes than it may have; a static pool never does.
            ("max children reached", .integer(0)),
            ("slow requests", number(counters.value(.requestsSlow))),
            ("socket", .string(counters.highest(.socketGone) % 2 == 0 ? "there" : "gone")),
        ]
    }

    private static func fields(_ generation: Generation, _ last: LastReload?) -> [Field] {
        let manifest = generation.manifest
        var fields: [Field] = [
            ("generation", .integer(Int64(generation.sequence))),
            ("generation source", .string(manifest.source.rawValue)),
            ("loaded since", .integer(manifest.loadedAtMilliseconds / 1000)),
            ("custom anchors", .boolean(generation.configuration.trustsCustomAnchors)),
            ("missing keys", .integer(Int64(generation.missingKeyCount))),
        ]
        if let last {
            fields += [
                ("last reload", .string(last.refusalCode == nil ? "loaded" : "refused")),
                ("last reload code", .string(last.refusalCode ?? "")),
                ("last reload time", .integer(last.endedMilliseconds / 1000)),
            ]
        }
        return fields
    }

    private static func certificates(_ ends: CertificateEnds) -> [Field] {
        ends.inOrder.map { position, end in
            ("\(position.rawValue) ends", .integer(end / 1000))
        }
    }

    /// How far the dates that Apple signs are ahead of the clock, in milliseconds; empty while too few are known.
    private static func clock(_ offset: Int64?) -> [Field] {
        offset.map { [("signed date offset", .integer($0))] } ?? []
    }

    private static func counted(_ counters: SharedCounters) -> [Field] {
        Counter.allCases.map { ($0.rawValue, number(counters.value($0))) }
            + counters.codes.filter { $0.count > 0 }.map { ("code \($0.code)", number($0.count)) }
    }

    private static func fields(_ file: ManifestFile, _ generation: Generation, _ now: Int64) -> [Field] {
        [
            ("name", .string(file.name)), ("appAppleId", .integer(file.appAppleId)),
            ("environment", .string(file.environment.rawValue)),
            ("revision", .string(file.revision ?? "")),
            ("sha256", .string(file.digest.hexadecimal)),
            ("bytes", .integer(Int64(file.byteCount))),
        ] + (file.kind == .facts ? facts(file, generation, now) : [])
    }

    /// Returns the additional fields of a facts file. Rows and facts are 0 when the app has no rules, because then no
    /// worker looks into the file.
    private static func facts(_ file: ManifestFile, _ generation: Generation, _ now: Int64) -> [Field] {
        let bound = generation.facts(appAppleId: file.appAppleId, environment: file.environment)
        return [
            ("rows", .integer(Int64(bound?.file.rowCount ?? 0))),
            ("facts", .integer(Int64(bound?.file.columns.count ?? 0))),
            ("built", .integer((file.builtAtMilliseconds ?? 0) / 1000)),
            ("age", .integer(max(0, now - (file.builtAtMilliseconds ?? 0)) / 1000)),
        ]
    }

    private static func fields(_ worker: WorkerStatus, _ now: Int64) -> [Field] {
        let started = worker.startedMilliseconds
        return [
            ("pid", .integer(Int64(worker.processNumber))), ("state", .string(name(of: worker.state))),
            ("start time", .integer(started / 1000)),
            ("start since", .integer(max(0, now - started) / 1000)),
            ("requests", number(worker.requests)),
            ("request duration", number(worker.lastRequestMicroseconds)),
            // The pool keeps no detail of a request where others can see it. The names are there for scrapers that
            // expect them.
            ("request method", .string("-")), ("request uri", .string("-")), ("content length", .integer(0)),
            ("user", .string("-")), ("script", .string("-")), ("last request cpu", .real(0)),
            ("last request memory", .integer(0)), ("generation", number(worker.generation)),
        ]
    }

    /// Returns php-fpm's word for the state, or our own where php-fpm has no word.
    private static func name(of state: WorkerState) -> String {
        switch state {
        case .starting: "Starting"
        case .idle: "Idle"
        case .busy: "Running"
        case .draining: "Ending"
        }
    }

    private static func number(_ value: UInt64) -> JSONNode { .integer(Int64(clamping: value)) }
}

extension PoolStatus {
    func page(_ query: StatusQuery) -> GatewayResponse {
        let (type, body): (String, [UInt8]) =
            query.isJSON
            ? ("application/json", json(isFull: query.isFull).serialized())
            : ("text/html; charset=utf-8", Array(html(isFull: query.isFull).utf8))
        return GatewayResponse(status: 200, contentType: type, body: body)
    }

    private func json(isFull: Bool) -> JSONNode {
        func list(_ kind: DataFileKind) -> JSONNode {
            .array(
                files.filter { $0.kind == kind }.map { file in
                    .object(
                        Self.members(file.fields) + (kind == .rules ? [("rules", Self.node(file.rules))] : [])
                    )
                }
            )
        }
        var members = Self.members(pool)
        members.append(("request durations", durationsNode))
        members += [("rules", list(.rules)), ("facts", list(.facts))]
        if isFull { members.append(("processes", .array(processes.map { .object(Self.members($0)) }))) }
        return .object(members)
    }

    private static func node(_ rules: [RuleCount]) -> JSONNode {
        .array(
            rules.map { rule in
                .object([
                    ("rule", .string(rule.rule)), ("served", .integer(Int64(clamping: rule.served))),
                ])
            }
        )
    }

    private var durationsNode: JSONNode {
        let edges = LatencyHistogram.edgesMicroseconds.map { JSONNode.integer(Int64($0)) } + [.null]
        let buckets = zip(edges, durations.cumulativeCounts).map { edge, count in
            JSONNode.object([("microseconds", edge), ("requests", .integer(Int64(clamping: count)))])
        }
        return .object([
            ("requests", .integer(Int64(clamping: durations.count))),
            ("microseconds", .integer(Int64(clamping: durations.sumNanoseconds / 1000))),
            ("within", .array(buckets)),
        ])
    }

    private static func members(_ fields: [Field]) -> [(String, JSONNode)] {
        fields.map { ($0.name, $0.value) }
    }
}

/// The page for a person: one document that runs nothing and loads nothing. It has every field that the JSON has.
extension PoolStatus {
    func html(isFull: Bool) -> String {
        var sections = [
            Self.section("generation", loaded), Self.section("process manager", processManager),
        ]
        for (kind, fields, rules) in files {
            let name = fields.first.map(StatusText.shown) ?? ""
            sections.append(Self.section("\(kind.name) \(name)", Array(fields.dropFirst())))
            if !rules.isEmpty {
                let rows = rules.map { [$0.rule, "\($0.served)"] }
                sections.append(Self.section("served, \(name)", rows))
            }
        }
        let edges = LatencyHistogram.edgesMicroseconds.map { "to \($0) µs" } + ["longer"]
        sections.append(Self.section("response times", zip(edges, durations.counts).map { [$0, "\($1)"] }))
        sections.append(Self.section("counters", counted))
        for process in isFull ? processes : [] {
            sections.append(Self.section("process \(process.first.map(StatusText.shown) ?? "")", process))
        }
        return """
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
            \(headline)
            \(sections.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    private var headline: String {
        let count = files.count { $0.kind == .rules }
        let serving =
            count == 0
            ? "<p>No rules are loaded: every request is answered with 503.</p>"
            : "<p>Serving \(count) rules file\(count == 1 ? "" : "s").</p>"
        func value(_ name: String) -> String {
            loaded.first { $0.name == name }.map(StatusText.shown) ?? ""
        }
        guard value("last reload") == "refused" else { return serving }
        let code = Self.escaped(value("last reload code"))
        return serving + "\n<p>The last reload was refused: \(code). The old files go on.</p>"
    }

    private static func section(_ title: String, _ fields: [Field]) -> String {
        section(title, fields.map { [$0.name, StatusText.shown($0)] })
    }

    private static func section(_ title: String, _ rows: [[String]]) -> String {
        let lines = rows.map { cells in
            let rest = cells.dropFirst().map { "<td>\(escaped($0))</td>" }.joined()
            return "<tr><th scope=\"row\">\(escaped(cells[0]))</th>\(rest)</tr>\n"
        }
        return "<section>\n<h2>\(escaped(title))</h2>\n<table>\n\(lines.joined())</table>\n</section>"
    }

    static func escaped(_ text: String) -> String {
        DisplayText.escaped(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}

/// The switches of the status page, as php-fpm has them: `?json` and `?full`, in any order between `&`. Other words are
/// ignored.
struct StatusQuery: Sendable, Hashable {
    var isJSON = false
    var isFull = false

    init(_ query: Span<UInt8>?) {
        guard let query else { return }
        let text = String(decoding: query.indices.map { query[$0] }, as: UTF8.self)
        let words = text.split(separator: "&")
        (isJSON, isFull) = (words.contains("json"), words.contains("full"))
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
        case .real: "0.00"
        case .null, .object, .array: ""
        }
    }

    private static func isTime(_ name: String) -> Bool {
        ["start time", "loaded since", "last reload time", "built", "last notification"].contains(name)
            || name.hasSuffix(" ends")
    }
}

internal import Configuration
internal import Cryptography
internal import DataFiles
internal import JSON
internal import Loader
internal import System
internal import Telemetry
internal import Vocabulary

/// Everything that the status page shows, in the order of the page: php-fpm's fields under php-fpm's names, for
/// scrapers of php-fpm's page, then our own fields.
struct PoolStatus {
    /// One field of the page.
    typealias Field = (name: String, value: JSONNode)
    /// A rule's id, how often it decided, and how often it was passed over.
    typealias RuleCount = (rule: String, served: UInt64, passedOver: UInt64)

    /// php-fpm's fields for the pool as a whole.
    let processManager: [Field]
    /// The fields of the serving generation, and how the last reload ended.
    let loaded: [Field]
    /// Every counter, and every code that was counted at least once.
    let counted: [Field]
    /// The histogram of the request durations. JSON shows for each edge, in microseconds, how many requests took at most
    /// that long, and then the number of all requests.
    let durations: LatencyHistogram
    /// The served data files, each with its fields and its rules. A facts file has no rules.
    let files: [(kind: DataFileKind, fields: [Field], rules: [RuleCount])]
    /// php-fpm's fields for a process, for each worker.
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
            + Self.certificates(counters.certificatesInUse)
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

    /// The fields of the pool as a whole, php-fpm's fields first.
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

    /// When the first of the certificates in use ends, for each place in a chain.
    private static func certificates(_ inUse: [UsedCertificate]) -> [Field] {
        CertificateSightings.ends(inUse).map { position, end in
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

internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import NotificationStore
internal import SignedPayloads
internal import System

struct StoreCheck: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks for damage in the database, or verifies the signatures in it.",
        discussion: """
            Checks that the tables are those of this release, that every page of the SQLite file can be read, and that rows and \
            indexes agree. It is one long read, while the write-ahead log grows, so check a large store when few \
            notifications come. PostgreSQL has pg_amcheck.

            With --signatures, the command instead rebuilds each JWS from its rows and verifies it at its own time of \
            signing, for the apps of --config, else for the app of its row. It must belong to the app and the environment \
            of its row. The command reads page by page, so that others can write.

            Ends with 1 when it finds damage, or a JWS that cannot be rebuilt or fails.

            Examples:
              retentionctl store check \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
              retentionctl store check --signatures --sample 10000 \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Flag(help: "Verify every JWS instead.")
    var signatures = false

    @Option(help: "With --signatures: about this many JWS of each kind, from the whole store.")
    var sample: Int64?

    @OptionGroup var trust: PayloadTrustOptions
    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1_000_000_000).contains(sample ?? 1) else {
            throw ValidationError("--sample must be 1 to 1000000000.")
        }
        guard sample == nil || signatures else { throw ValidationError("--sample needs --signatures.") }
    }

    func run() throws {
        if signatures { return try verify() }
        let store = try selection.open(.read)
        let damages = try store.check()
        let members: [(String, JSONNode)] = [
            ("store", .string(store.address.description)), ("sound", .boolean(damages.isEmpty)),
            ("damages", .array(damages.map { .string($0) })),
        ]
        Report(members).print(json: output.json)
        if !damages.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func verify() throws {
        let configuration = try selection.configuration()
        let trust = try PayloadTrust(trust, configuration)
        let store = try selection.open(.read)
        var findings = StoreVerification(trust: trust)
        for kind in StoredJWS.Kind.allCases {
            if let sample {
                try some(sample, of: kind, store) { findings.check($0) }
            } else {
                try store.forEach(kind) { findings.check($0) }
            }
        }
        Console.endProgress()
        let verified = StoredJWS.Kind.allCases.map { kind in
            (kind.rawValue, JSONNode(findings.verifiedCounts[kind] ?? 0))
        }
        let members: [(String, JSONNode)] = [
            ("verified", .object(verified)), ("failed", JSONNode(findings.failedCount)),
            ("failures", .array(findings.failures)),
        ]
        Report(members).print(json: output.json)
        if findings.failedCount > 0 { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// Takes one row out of each of `count` ranges of the same length, at a random place in the range.
    private func some(
        _ count: Int64, of kind: StoredJWS.Kind, _ store: NotificationStore, _ body: (StoredJWS) -> Void
    ) throws {
        let greatest = try store.greatestID(kind)
        let count = min(count, greatest)
        var last: Int64 = 0
        for number in 0..<count {
            let range = greatest * number / count..<greatest * (number + 1) / count
            let place = max(last, Int64.random(in: range))
            // A number that nobody has any more leads to the next one.
            guard let row = try store.jws(kind, after: place, count: 1).rows.first else { return }
            last = row.id
            body(row)
            Console.progress("\(kind.rawValue) \(row.id)")
        }
    }
}

struct StoreVerification {
    let trust: PayloadTrust
    private(set) var verifiedCounts: [StoredJWS.Kind: Int] = [:]
    private(set) var failedCount = 0
    private(set) var failures: [JSONNode] = []

    init(trust: PayloadTrust) {
        self.trust = trust
    }

    mutating func check(_ row: StoredJWS) {
        do {
            guard let jws = row.jws else { throw NotificationStoreError.incompleteRow }
            try verify(jws, row)
            verifiedCounts[row.kind, default: 0] += 1
        } catch {
            failedCount += 1
            guard failures.count < 100 else { return }
            failures.append(
                .object([
                    ("kind", .string(row.kind.rawValue)), ("id", .integer(row.id)),
                    ("code", .string(ToolError(error).code)),
                ]))
        }
    }

    private func verify(_ jws: [UInt8], _ row: StoredJWS) throws {
        guard row.kind == .notification else {
            let origin = (StoreSource.import, row.receivedAt)
            _ = try trust.item(row.kind, jws, of: (row.app, row.environment), now: nil, origin: origin)
            return
        }
        let owner = try trust.notification(jws, now: nil).payload.owner
        guard (owner.bundleId, owner.environment.rawValue) == (row.app, row.environment) else {
            throw ToolError.rowDiffers
        }
    }
}

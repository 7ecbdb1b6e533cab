internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import SignedPayloads
internal import System
internal import Vocabulary

/// Rebuilds JWS from the rows of a store, and verifies them.
struct StoreVerify: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Rebuilds every JWS from its rows, and verifies it again.",
        discussion: """
            Each JWS is verified at its own time of signing, for the apps of --config, else for the app of its row, and \
            must belong to the app and the environment of its row. The command reads page by page, so that others can \
            write. Ends with 1 when a JWS cannot be rebuilt or fails.

            Example:
              retentionctl store verify --sample 10000 \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Option(
        help: ArgumentHelp(
            "Verify about this many JWS of each kind, spread over the whole store, instead of all.",
            valueName: "number")
    )
    var sample: Int64?

    @OptionGroup var trust: PayloadTrustOptions
    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1_000_000_000).contains(sample ?? 1) else {
            throw ValidationError("--sample must be 1 to 1000000000.")
        }
    }

    func run() throws {
        let configuration = try selection.configuration()
        let trust = try PayloadTrust(trust, configuration)
        let store = try selection.open(.read)
        var findings = StoreVerification(trust: trust)
        for kind in StoredJWS.Kind.allCases {
            if let sample {
                try some(sample, of: kind, store) { findings.check($0) }
            } else {
                try all(of: kind, store) { findings.check($0) }
            }
        }
        Console.endProgress()
        report(findings)
        if findings.failedCount > 0 { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func all(of kind: StoredJWS.Kind, _ store: NotificationStore, _ body: (StoredJWS) -> Void) throws
    {
        var after: Int64? = 0
        while let place = after {
            let page = try store.jws(kind, after: place)
            for row in page.rows { body(row) }
            if let last = page.rows.last { Console.progress("\(kind.rawValue) \(last.id)") }
            after = page.next
        }
    }

    /// Takes one row out of each of `count` ranges of the same length, at a random place in the range.
    private func some(
        _ count: Int64, of kind: StoredJWS.Kind, _ store: NotificationStore, _ body: (StoredJWS) -> Void
    ) throws {
        let greatest = try Self.greatestID(kind, store)
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

    private static func greatestID(_ kind: StoredJWS.Kind, _ store: NotificationStore) throws -> Int64 {
        let page = StorePage(.descending, count: 1)
        switch kind {
        case .notification: return try store.notifications(NotificationFilter(), page).rows.first?.id ?? 0
        case .transaction: return try store.transactions(page).rows.first?.id ?? 0
        case .renewal: return try store.renewals(page).rows.first?.id ?? 0
        case .appTransaction: return try store.appTransactions(page).rows.first?.id ?? 0
        }
    }

    private func report(_ found: StoreVerification) {
        let counts = StoredJWS.Kind.allCases.map { ($0, found.verifiedCounts[$0] ?? 0) }
        guard !output.json else {
            let failures = found.failures.map { failure in
                JSONNode.object([
                    ("kind", .string(failure.kind.rawValue)), ("id", .integer(failure.id)),
                    ("code", .string(failure.code)),
                ])
            }
            let verified = counts.map { ($0.0.rawValue, JSONNode.integer(Int64($0.1))) }
            Console.print(
                .object([
                    ("verified", .object(verified)), ("failed", .integer(Int64(found.failedCount))),
                    ("failures", .array(failures)),
                ])
            )
            return
        }
        Console.print(lines: counts.map { "verified \($0.0.rawValue): \($0.1)" })
        Console.print(lines: found.failures.map { "failed \($0.kind.rawValue) \($0.id): \($0.code)" })
        if found.failedCount > found.failures.count {
            Console.print("failed in all: \(found.failedCount)")
        }
    }
}

/// What became of rows that were verified again.
struct StoreVerification {
    let trust: PayloadTrust
    private(set) var verifiedCounts: [StoredJWS.Kind: Int] = [:]
    private(set) var failedCount = 0
    /// The first failures.
    private(set) var failures: [(kind: StoredJWS.Kind, id: Int64, code: String)] = []

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
            failures.append((row.kind, row.id, (error as? any CodedError)?.code ?? "internal.unexpected"))
        }
    }

    private func verify(_ jws: [UInt8], _ row: StoredJWS) throws {
        guard row.kind == .notification else {
            let origin = (StoreSource.import, row.receivedAt)
            _ = try trust.part(row.kind, jws, of: (row.app, row.environment), now: nil, origin: origin)
            return
        }
        let owner = try trust.notification(jws, now: nil).payload.owner
        guard (owner.bundleId, owner.environment.rawValue) == (row.app, row.environment) else {
            throw StoreToolError.rowDiffers
        }
    }
}

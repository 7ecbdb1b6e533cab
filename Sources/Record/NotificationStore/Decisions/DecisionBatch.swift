internal import Cryptography
package import JSON
internal import SQL
package import System

/// Decisions of logs before they are in the store: of those about a subscriber with the same rules file and draws, the first.
package struct DecisionBatch: Sendable {
    struct Key: Hashable {
        let subscriber: UUID
        let draws: Int64
    }

    struct First {
        let signedAt: Int64
        let request: UUID
        let product: Int32
        let served: Int32
    }

    private(set) var firsts: [Key: First] = [:]
    private(set) var draws: [Int64: DrawsRow] = [:]
    private(set) var rules: [String: RulesRow] = [:]
    package private(set) var instances: [String: DecisionInstance] = [:]
    private var drawsIDs: [DrawsRow: Int64] = [:]
    private var texts: [String] = []
    private var places: [String: Int32] = [:]

    package init() {}

    /// How many rows it has for the table of decisions.
    package var count: Int { firsts.count }
    package var isEmpty: Bool { firsts.isEmpty && rules.isEmpty && instances.isEmpty }

    /// A decision record.
    package struct Record {
        package var subscriber: UUID
        package var signedAt: Int64
        package var request: UUID
        package var app: Int64
        package var environment: String
        package var digest: String
        package var draws: DecisionDraws
        package var product: String
        package var served: String

        package init(
            subscriber: UUID, signedAt: Int64, request: UUID, app: Int64, environment: String, digest: String,
            draws: DecisionDraws, product: String, served: String
        ) {
            (self.subscriber, self.signedAt, self.request) = (subscriber, signedAt, request)
            (self.app, self.environment, self.digest) = (app, environment, digest)
            (self.draws, self.product, self.served) = (draws, product, served)
        }
    }

    package mutating func add(_ record: Record) {
        let row = DrawsRow(
            app: record.app, environment: record.environment, digest: record.digest, draws: record.draws)
        let key = Key(subscriber: record.subscriber, draws: id(of: row))
        let first = First(
            signedAt: record.signedAt, request: record.request, product: place(of: record.product),
            served: place(of: record.served))
        add(first, key)
    }

    private mutating func add(_ first: First, _ key: Key) {
        guard let known = firsts[key] else { return firsts[key] = first }
        if isBefore(first, known) { firsts[key] = first }
    }

    package mutating func formUnion(_ other: DecisionBatch) {
        guard !isEmpty else { return self = other }
        for row in other.draws.values { _ = id(of: row) }
        let places = other.texts.map { place(of: $0) }
        for (key, first) in other.firsts {
            let mine = First(
                signedAt: first.signedAt, request: first.request, product: places[Int(first.product)],
                served: places[Int(first.served)])
            add(mine, key)
        }
        rules.merge(other.rules) { mine, others in
            var both = mine
            both.experiments.formUnion(others.experiments)
            return both
        }
        for (name, instance) in other.instances { change(instance: name) { $0.formUnion(instance) } }
    }

    /// The line of a worker about a rules file.
    package mutating func add(
        rules digest: String, app: Int64, environment: String, experiments: [JSONValue]
    ) {
        rules[digest, default: RulesRow(app: app, environment: environment)].add(experiments)
    }

    package mutating func change(instance name: String, _ body: (inout DecisionInstance) -> Void) {
        body(&instances[name, default: DecisionInstance(name: name)])
    }

    private mutating func id(of row: DrawsRow) -> Int64 {
        if let known = drawsIDs[row] { return known }
        drawsIDs[row] = row.id
        draws[row.id] = row
        if rules[row.digest] == nil {
            rules[row.digest] = RulesRow(app: row.app, environment: row.environment)
        }
        return row.id
    }

    private mutating func place(of text: String) -> Int32 {
        if let known = places[text] { return known }
        let place = Int32(texts.count)
        places[text] = place
        texts.append(text)
        return place
    }

    func text(at place: Int32) -> String { texts[Int(place)] }

    /// The order of the statement that stores them: two hosts may have answered one request in different ways.
    private func isBefore(_ left: First, _ right: First) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        if left.request != right.request { return left.request.isBefore(right.request) }
        return text(at: left.served) < text(at: right.served)
    }

    /// In the order of the table.
    var sorted: [(key: Key, value: First)] {
        firsts.sorted { left, right in
            left.key.subscriber == right.key.subscriber
                ? left.key.draws < right.key.draws : left.key.subscriber.isBefore(right.key.subscriber)
        }
    }
}

/// A row of `decision_draws`.
struct DrawsRow: Sendable, Hashable {
    let app: Int64
    let environment: String
    let digest: String
    let draws: DecisionDraws

    var id: Int64 {
        let text = "\(digest) \(draws.text)"
        return Int64(bitPattern: SHA256.hash(text.utf8Span.span).leadingWord)
    }
}

struct RulesRow: Sendable {
    let app: Int64
    let environment: String
    /// The JSON of each. A line has some of them, and the lines come in any order.
    var experiments: Set<String> = []

    mutating func add(_ entries: [JSONValue]) {
        for entry in entries {
            experiments.insert(String(decoding: JSONNode(entry).serialized(), as: UTF8.self))
        }
    }
}

extension NotificationStore {
    /// Stores the decisions that are earlier than those that it has, in transactions of about 50 ms. Any order of batches, and
    /// a batch that comes again, give the same tables. Decisions about erased subscribers are left out.
    package func add(_ batch: DecisionBatch) throws(NotificationStoreError) {
        try change(.shared) { connection throws(SQLError) in
            let rows = batch.draws.sorted { $0.key < $1.key }.map { id, row in
                [
                    SQLValue.integer(id), .integer(row.app), .text(row.environment), .text(row.digest),
                    .text(row.draws.text),
                ]
            }
            try connection.run(Self.addDraws, forEach: rows)
        }
        try inMeasuredTransactions(batch.sorted) { (some, connection) throws(SQLError) in
            let some = Array(some)
            let erased = try Tombstones.places(of: some, on: connection) {
                [.pseudonym($0.key.subscriber.hexadecimal)]
            }
            var rows: [[SQLValue]] = []
            rows.reserveCapacity(some.count)
            for place in some.indices where !erased.contains(place) {
                let (key, first) = some[place]
                rows.append([
                    .bytes(key.subscriber.bytes), .integer(key.draws), .integer(first.signedAt),
                    .bytes(first.request.bytes), .text(batch.text(at: first.product)),
                    .text(batch.text(at: first.served)),
                ])
            }
            try connection.run(Self.addDecision, forEach: rows)
        }
        // Last: what the workers' rows call read is then in the table.
        try change(.exclusive) { connection throws(SQLError) in
            for (digest, row) in batch.rules.sorted(by: { $0.key < $1.key }) {
                try add(row, digest, on: connection)
            }
            for instance in batch.instances.values.sorted(by: { $0.name < $1.name }) {
                try add(instance, on: connection)
            }
        }
    }

    private static let addDraws: SQLText = """
        INSERT INTO decision_draws (id, app, environment, digest, draws) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (id) DO NOTHING
        """

    private static let addDecision: SQLText = """
        INSERT INTO decisions (subscriber, draws, signed_at, request_identifier, product_id, served)
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (subscriber, draws) DO UPDATE SET signed_at = excluded.signed_at,
            request_identifier = excluded.request_identifier, product_id = excluded.product_id, served = excluded.served
        WHERE (excluded.signed_at, excluded.request_identifier, excluded.served)
            < (decisions.signed_at, decisions.request_identifier, decisions.served)
        """

    private func add(_ row: RulesRow, _ digest: String, on connection: any SQLConnection) throws(SQLError) {
        var row = row
        let known = try connection.query(
            "SELECT experiments FROM decision_rules WHERE digest = ?", [.text(digest)])
        if let text = try known.first?.text(0) {
            let limits = JSONLimits(byteCount: 64 << 20, depth: 8)
            let document = try? JSONDocument(parsing: text.utf8Span.span, limits: limits)
            row.add(document?.root.elements ?? [])
        }
        let experiments = "[" + row.experiments.sorted().joined(separator: ",") + "]"
        try connection.run(
            """
            INSERT INTO decision_rules (digest, app, environment, experiments) VALUES (?, ?, ?, ?)
            ON CONFLICT (digest) DO UPDATE SET experiments = excluded.experiments
            """,
            [.text(digest), .integer(row.app), .text(row.environment), .text(experiments)])
    }

    private func add(_ instance: DecisionInstance, on connection: any SQLConnection) throws(SQLError) {
        var instance = instance
        if let row = try connection.query(DecisionInstance.one, [.text(instance.name)]).first {
            instance.formUnion(try DecisionInstance(row))
        }
        try connection.run(
            """
            INSERT INTO decision_instances (instance, identifier_key, digests, seen, last_sequence, first_at, last_at)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (instance) DO UPDATE SET
                identifier_key = excluded.identifier_key, digests = excluded.digests, seen = excluded.seen,
                last_sequence = excluded.last_sequence, first_at = excluded.first_at, last_at = excluded.last_at
            """,
            [
                .text(instance.name), SQLValue(instance.identifierKey),
                .text(instance.digests.sorted().joined(separator: " ")), .text(instance.seen.text),
                SQLValue(instance.lastSequence), SQLValue(instance.firstAt), SQLValue(instance.lastAt),
            ])
    }

    /// Like ``inShortTransactions(_:_:)`` for rows of one small table, of which thousands fit into 50 ms.
    private func inMeasuredTransactions<Row>(
        _ rows: [Row], _ step: (ArraySlice<Row>, any SQLConnection) throws(SQLError) -> Void
    ) throws(NotificationStoreError) {
        var (rest, count) = (rows[...], 1024)
        while !rest.isEmpty {
            let (some, start) = (rest.prefix(count), timing.elapsed())
            try change(.shared) { connection throws(SQLError) in try step(some, connection) }
            rest = rest.dropFirst(some.count)
            let milliseconds = timing.elapsed() - start
            if milliseconds < 25 { count = min(2 * count, 1 << 15) }
            if milliseconds > 50 { count = max(count / 2, 128) }
            timing.sleep(2)
        }
    }
}

extension UUID {
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    }

    var bytes: [UInt8] {
        Array(capacity: 16) { output in
            for word in [high, low] {
                for shift in stride(from: 56, through: 0, by: -8) {
                    output.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
                }
            }
        }
    }

    var hexadecimal: String { Hexadecimal.encode(bytes.span) }

    fileprivate func isBefore(_ other: UUID) -> Bool { (high, low) < (other.high, other.low) }
}

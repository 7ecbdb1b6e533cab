internal import Cryptography
internal import JSON
internal import SQL
internal import System

package struct DecisionPage: Sendable {
    /// All decisions about at most 256 subscribers, in the order of the pseudonyms, then of time and request. There may be none
    /// although more follow: the table has those of other apps, too.
    package let decisions: [StoredDecision]
    /// Where to go on; nil at the end.
    package let next: String?
}

extension NotificationStore {
    /// `app` is the Apple ID of the app, `after` a pseudonym.
    package func decisions(app: Int64, environment: String, after: String? = nil)
        throws(NotificationStoreError) -> DecisionPage
    {
        guard let place = Hexadecimal.decode(after ?? "") else { throw .badArgument }
        return try perform { connection throws(SQLError) in
            var rows = try connection.query(Self.decisions, [.bytes(place)])
            var isLast = rows.count < Self.decisionRowCount
            if !isLast {
                // The last subscriber may have more rows than were read.
                let last = rows[rows.count - 1].values[0]
                rows = rows.filter { $0.values[0] != last }
                if rows.isEmpty { rows = try connection.query(Self.decisionsOfOne, [last]) }
            }
            var found: [(subscriber: [UInt8], decision: StoredDecision)] = []
            var (subscriber, name, count) = ([UInt8](), "", 0)
            for row in rows {
                let bytes = try row.bytes(0)
                if bytes != subscriber {
                    guard count < 256 else {
                        isLast = false
                        break
                    }
                    (subscriber, name, count) = (bytes, Hexadecimal.encode(bytes.span), count + 1)
                }
                guard let draws = try draws(row.integer(1), on: connection), draws.app == app,
                    draws.environment == environment
                else { continue }
                found.append((bytes, try Self.decision(row, name, draws)))
            }
            found.sort { left, right in
                guard left.subscriber == right.subscriber else {
                    return left.subscriber.lexicographicallyPrecedes(right.subscriber)
                }
                return left.decision.isBefore(right.decision)
            }
            return DecisionPage(decisions: found.map(\.decision), next: isLast ? nil : name)
        }
    }

    /// The most rows of a page. A subscriber has one, or a few.
    private static let decisionRowCount = 1024
    private static let decisionColumns: SQLText =
        "SELECT subscriber, draws, signed_at, request_identifier, product_id, served FROM decisions"
    private static let decisions = decisionColumns + " WHERE subscriber > ? ORDER BY subscriber LIMIT 1024"
    private static let decisionsOfOne = decisionColumns + " WHERE subscriber = ?"

    private static func decision(_ row: SQLRow, _ subscriber: String, _ draws: DrawsRow) throws(SQLError)
        -> StoredDecision
    {
        StoredDecision(
            subscriber: subscriber, signedAt: try row.integer(2),
            requestIdentifier: UUID(bytes: try row.bytes(3))?.description ?? "", digest: draws.digest,
            draws: draws.draws, product: try row.text(4), served: try row.text(5))
    }

    /// Nearly all decisions share a few draws.
    private func draws(_ id: Int64, on connection: any SQLConnection) throws(SQLError) -> DrawsRow? {
        if let known = knownDraws[id] { return known }
        let rows = try connection.query(
            "SELECT app, environment, digest, draws FROM decision_draws WHERE id = ?", [.integer(id)])
        guard let row = rows.first, let draws = DecisionDraws(text: try row.text(3)) else { return nil }
        let found = DrawsRow(
            app: try row.integer(0), environment: try row.text(1), digest: try row.text(2), draws: draws)
        knownDraws[id] = found
        return found
    }

    /// The rules files of an app, in the order of their digests.
    package func loggedRules(app: Int64, environment: String) throws(NotificationStoreError) -> [LoggedRules]
    {
        try perform { connection throws(SQLError) in
            let rows = try connection.query(
                """
                SELECT digest, experiments FROM decision_rules WHERE app = ? AND environment = ? ORDER BY digest
                """,
                [.integer(app), .text(environment)])
            var found: [LoggedRules] = []
            for row in rows {
                found.append(
                    LoggedRules(
                        digest: try row.text(0), experiments: ExperimentEntries.parse(try row.text(1))))
            }
            return found
        }
    }

    /// The workers of all logs, in the order of their names.
    package func decisionInstances() throws(NotificationStoreError) -> [DecisionInstance] {
        try perform { connection throws(SQLError) in
            var found: [DecisionInstance] = []
            for row in try connection.query(DecisionInstance.all) { found.append(try DecisionInstance(row)) }
            return found
        }
    }
}

extension StoredDecision {
    /// The order in which the first of several decisions about a subscriber is found.
    package func isBefore(_ other: StoredDecision) -> Bool {
        if signedAt != other.signedAt { return signedAt < other.signedAt }
        if requestIdentifier != other.requestIdentifier { return requestIdentifier < other.requestIdentifier }
        // A request that two hosts answered.
        return (digest, draws.text) < (other.digest, other.draws.text)
    }
}

extension DecisionInstance {
    private static let columns: SQLText =
        "SELECT instance, identifier_key, digests, seen, last_sequence, first_at, last_at FROM decision_instances"
    static let all = columns + " ORDER BY instance"
    static let one = columns + " WHERE instance = ?"

    init(_ row: SQLRow) throws(SQLError) {
        self.init(name: try row.text(0))
        identifierKey = try row.optionalText(1)
        digests = Set(try row.text(2).split(separator: " ").map(String.init))
        seen = SequenceRanges(text: try row.text(3)) ?? SequenceRanges()
        lastSequence = try row.optionalInteger(4)
        firstAt = try row.optionalInteger(5)
        lastAt = try row.optionalInteger(6)
    }
}

/// The entries of `experiments` of one rules file. Each line has some of them, in any order of the lines.
struct ExperimentEntries {
    private(set) var texts: Set<String> = []

    /// JSON, in a fixed order.
    var text: String { "[" + texts.sorted().joined(separator: ",") + "]" }

    private static func document(_ text: String) -> JSONDocument? {
        try? JSONDocument(parsing: text.utf8Span.span, limits: JSONLimits(byteCount: 64 << 20, depth: 8))
    }

    static func parse(_ text: String) -> [LoggedExperiment] {
        LoggedExperiment.all(document(text)?.root.elements ?? [])
    }

    mutating func add(_ entries: [JSONValue]) {
        for entry in entries { texts.insert(String(decoding: JSONNode(entry).serialized(), as: UTF8.self)) }
    }

    mutating func add(text: String) { add(Self.document(text)?.root.elements ?? []) }

    mutating func formUnion(_ other: ExperimentEntries) { texts.formUnion(other.texts) }
}

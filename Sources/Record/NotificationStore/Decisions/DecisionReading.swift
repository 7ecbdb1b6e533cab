internal import Cryptography
internal import SQL
internal import System

package struct DecisionPage: Sendable {
    /// All decisions about some subscribers, in the order of the pseudonyms, then of time and request. There may be none although
    /// more follow: the table has those of other apps, too.
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
            let isLast = rows.count < Self.decisionRowCount
            if !isLast {
                // The last subscriber may have more rows than were read.
                let last = rows[rows.count - 1].values[0]
                rows = rows.filter { $0.values[0] != last }
                if rows.isEmpty { rows = try connection.query(Self.decisionsOfOne, [last]) }
            }
            var found: [StoredDecision] = []
            var (subscriber, name) = ([UInt8](), "")
            for row in rows {
                let bytes = try row.bytes(0)
                if bytes != subscriber { (subscriber, name) = (bytes, Hexadecimal.encode(bytes.span)) }
                guard let draws = try draws(row.integer(1), on: connection), draws.app == app,
                    draws.environment == environment
                else { continue }
                found.append(try Self.decision(row, name, draws))
            }
            found.sort { $0.isBefore($1) }
            return DecisionPage(decisions: found, next: isLast ? nil : name)
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

    /// The rules files of an app by their SHA-256, with the experiments as the logs have them: an array in JSON, which is empty
    /// also when the logs have no line about the file.
    package func loggedExperiments(app: Int64, environment: String) throws(NotificationStoreError)
        -> [String: String]
    {
        try perform { connection throws(SQLError) in
            let rows = try connection.query(
                "SELECT digest, experiments FROM decision_rules WHERE app = ? AND environment = ?",
                [.integer(app), .text(environment)])
            var found: [String: String] = [:]
            for row in rows { found[try row.text(0)] = try row.text(1) }
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
    fileprivate func isBefore(_ other: StoredDecision) -> Bool {
        if subscriber != other.subscriber { return subscriber < other.subscriber }
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
        seen = RangeSet(text: try row.text(3)) ?? RangeSet()
        lastSequence = try row.optionalInteger(4)
        firstAt = try row.optionalInteger(5)
        lastAt = try row.optionalInteger(6)
    }
}

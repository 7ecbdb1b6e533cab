internal import JSON
internal import NotificationStore
internal import SubscriberHistory
internal import Vocabulary

/// The story of one subscriber, as text and as JSON.
struct SubscriberStory {
    private let timeline: SubscriberTimeline
    private let now: Int64
    private let transactions: [Evidence: TransactionColumns]
    private let renewals: [Evidence: RenewalColumns]
    private let notifications: [Evidence: NotificationColumns]
    private let announced: Set<PayloadName>

    init(_ payloads: SubscriberPayloads, _ timeline: SubscriberTimeline, now: Int64) {
        self.timeline = timeline
        self.now = now
        func byEvidence<Columns>(_ list: [HistoryPayload<Columns>]) -> [Evidence: Columns] {
            Dictionary(list.map { ($0.evidence, $0.columns) }) { first, _ in first }
        }
        transactions = byEvidence(payloads.transactions)
        renewals = byEvidence(payloads.renewals)
        notifications = byEvidence(payloads.notifications)
        announced = payloads.announced
    }

    /// The story for a person.
    var lines: [String] {
        var lines: [String] = []
        let silent = timeline.entries.count { $0.changes == nil }
        if silent > 0 {
            lines.append("too many payloads: not shown which facts the first \(silent) entries changed")
        }
        for entry in timeline.entries {
            lines.append("\(Self.date(entry.at))  \(title(of: entry))")
            lines += entry.payloads.compactMap { summary(of: $0) }.map { "    \($0)" }
            for change in entry.changes ?? [] {
                let (before, after) = (Self.text(change.before), Self.text(change.after))
                lines.append("      \(change.after.fact.name): \(before) -> \(after)")
            }
        }
        lines.append("facts as of \(Self.date(now))")
        for statement in timeline.facts.statements {
            lines.append("    \(statement.fact.name): \(Self.text(statement))")
            if let reason = statement.reason { lines.append("        \(reason.text)") }
            let names = statement.evidence.suffix(Self.shownEvidenceCount).map {
                "\($0.kind.rawValue) \($0.name.text)"
            }
            let more = statement.evidence.count - names.count
            if !names.isEmpty {
                lines.append(
                    "        from \(names.joined(separator: ", "))\(more > 0 ? ", and \(more) before" : "")"
                )
            }
        }
        return lines
    }

    /// How many payloads the text names for one fact.
    private static let shownEvidenceCount = 2

    /// The story for a program.
    var node: JSONNode {
        let entries = timeline.entries.map { entry in
            JSONNode.object([
                ("at", .integer(entry.at)), ("event", .string(title(of: entry))),
                ("payloads", .array(entry.payloads.map(Self.node))),
                (
                    "changes",
                    entry.changes.map { changes in
                        .array(
                            changes.map { change in
                                .object([
                                    ("fact", .string(change.after.fact.name)),
                                    ("before", Self.value(change.before)),
                                    ("after", Self.value(change.after)),
                                ])
                            }
                        )
                    } ?? .null
                ),
            ])
        }
        let facts = timeline.facts.statements.map { statement in
            (
                statement.fact.name,
                JSONNode.object(
                    [("value", Self.value(statement))]
                        + (statement.reason.map { [("missing", .string($0.rawValue))] } ?? [])
                        + [("from", .array(statement.evidence.map(Self.node)))]
                )
            )
        }
        return .object([("now", .integer(now)), ("timeline", .array(entries)), ("facts", .object(facts))])
    }

    /// The type of the notification, or what came without one.
    private func title(of entry: SubscriberTimeline.Entry) -> String {
        for evidence in entry.payloads {
            guard let columns = notifications[evidence] else { continue }
            return [columns.type ?? "a notification without a type", columns.subtype].compactMap { $0 }
                .map { DisplayText.escaped($0) }.joined(separator: " ")
        }
        return entry.payloads.contains { announced.contains($0.name) }
            ? "a notification that is no longer in the store" : "an answer of the App Store Server API"
    }

    /// What a transaction or a renewal info says; nil for a notification.
    private func summary(of evidence: Evidence) -> String? {
        if let columns = transactions[evidence] {
            var words = ["transaction \(columns.transactionID ?? "-"): \(columns.productID ?? "-")"]
            if let start = columns.purchasedAt { words.append("from \(Self.date(start))") }
            if let end = columns.expiresAt { words.append("to \(Self.date(end))") }
            if let price = columns.price {
                words.append("for \(price) thousandths \(columns.currency ?? "")")
            }
            if let type = columns.offerType {
                words.append("offer type \(type) \(columns.offerIdentifier ?? "")")
            }
            if let time = columns.revokedAt { words.append("revoked \(Self.date(time))") }
            return DisplayText.escaped(words.joined(separator: " "))
        }
        guard let columns = renewals[evidence] else { return nil }
        var words = ["renewal: \(columns.renewalProductID ?? "-")"]
        if let status = columns.autoRenewStatus { words.append("auto-renew \(status == 0 ? "off" : "on")") }
        if let time = columns.renewsAt { words.append("at \(Self.date(time))") }
        if let type = columns.offerType {
            words.append("offer type \(type) \(columns.offerIdentifier ?? "")")
        }
        return DisplayText.escaped(words.joined(separator: " "))
    }

    private static func date(_ milliseconds: Int64) -> String { FactText.date(milliseconds) }

    private static func node(_ evidence: Evidence) -> JSONNode {
        .object([
            ("kind", .string(evidence.kind.rawValue)), ("name", .string(evidence.name.text)),
            ("signedAt", .integer(evidence.signedAt)),
        ])
    }

    private static func text(_ statement: FactStatement) -> String {
        switch statement.value {
        case nil: "missing"
        case .boolean(let flag): String(flag)
        case .integer(let number): String(number)
        case .date(let time): date(time)
        case .string(let text): DisplayText.escaped(text)
        }
    }

    private static func value(_ statement: FactStatement) -> JSONNode {
        switch statement.value {
        case nil: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .date(let time): .string(date(time))
        case .string(let text): .string(text)
        }
    }
}

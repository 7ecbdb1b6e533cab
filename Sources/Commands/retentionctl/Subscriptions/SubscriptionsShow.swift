internal import ArgumentParser
internal import CommandLineTool
internal import Facts
internal import JSON
internal import NotificationStore
internal import Rules
internal import SubscriberHistory
internal import System

struct SubscriptionsShow: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints the story of one subscriber, and the facts that follow from it.",
        discussion: """
            A line of the story says when Apple signed something, what happened, the product, the price, the offer and the \
            transaction. Then come all facts as of --at: the value, or why the fact is missing. With --json, a payload is \
            named as in the store: a notification by its notificationUUID, a transaction or a renewal info by the SHA-256 \
            digest of its JWS.

            Ends with 1 if the store has nothing about the subscriber.

            Example:
              retentionctl subscriptions show 2000000001 \\
                --bundle-id com.example.app --environment Production \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Argument(help: "originalTransactionId of the subscription.")
    var originalTransactionId: String

    @Option(help: "The bundle ID of the app.")
    var bundleId: String

    @Option(help: "Production or Sandbox.")
    var environment: Environment

    @Option(help: "The time for which the facts hold: RFC 3339 or milliseconds since 1970; now if absent.")
    var at: TimeArgument?

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [.production, .sandbox].contains(environment) else {
            throw ValidationError("Notifications come from Production and Sandbox.")
        }
    }

    func run() throws {
        let store = try selection.open(.read)
        let time = at?.milliseconds ?? Clock.wallMilliseconds()
        let payloads = try ToolError.about(store.address.description) {
            try StoredHistories(store, app: bundleId, environment: environment.rawValue)
                .payloads(of: originalTransactionId)
        }
        guard let payloads else {
            output.print(json: .null, lines: ["nothing is known of the subscriber"])
            throw ExitCode(ExitStatus.no.rawValue)
        }
        let story = SubscriberStory(payloads, now: time)
        if output.json { Console.print(pretty: story.node) } else { Console.print(lines: story.lines) }
    }
}

struct SubscriberStory {
    private let now: Int64
    private let facts: HistoryFacts
    /// What came from Apple by then: each notification with its parts, and parts that came by themselves.
    private var entries: [[Evidence]] = []
    private let transactions: [Evidence: TransactionColumns]
    private let renewals: [Evidence: RenewalColumns]
    private let notifications: [Evidence: NotificationColumns]
    private let announced: Set<String>

    /// Parts that Apple signed at most this long before the notification belong to it.
    private static let signingMilliseconds: Int64 = 1000

    init(_ payloads: SubscriberPayloads, now: Int64) {
        self.now = now
        facts = HistoryFacts(payloads, now: now)
        func byEvidence<Columns>(_ list: [HistoryPayload<Columns>]) -> [Evidence: Columns] {
            Dictionary(list.map { ($0.evidence, $0.columns) }) { first, _ in first }
        }
        transactions = byEvidence(payloads.transactions)
        renewals = byEvidence(payloads.renewals)
        notifications = byEvidence(payloads.notifications)
        announced = payloads.announced
        let all = Array(transactions.keys) + renewals.keys + notifications.keys
        for evidence in all.filter({ $0.signedAt <= now }).sorted() {
            if let last = entries.last?.last, last.kind != .notification,
                evidence.signedAt - last.signedAt <= Self.signingMilliseconds
            {
                entries[entries.count - 1].append(evidence)
            } else {
                entries.append([evidence])
            }
        }
    }

    var lines: [String] {
        var lines = entries.map(line)
        lines.append("facts as of \(FactText.date(now))")
        for statement in facts.statements {
            lines.append("    \(statement.fact.name): \(Self.text(statement))")
            if let reason = statement.reason { lines.append("        \(reason.text)") }
        }
        return lines
    }

    var node: JSONNode {
        let timeline = entries.map { entry in
            JSONNode.object([
                ("at", .integer(entry.last?.signedAt ?? 0)),
                ("event", .string(event(entry) ?? happening(entry))),
                ("payloads", .array(entry.map(Self.node))),
            ])
        }
        let facts = facts.statements.map { statement in
            (
                statement.fact.name,
                JSONNode.object(
                    [("value", statement.value.node)]
                        + (statement.reason.map { [("missing", .string($0.rawValue))] } ?? []))
            )
        }
        return .object([("now", .integer(now)), ("timeline", .array(timeline)), ("facts", .object(facts))])
    }

    private func line(_ entry: [Evidence]) -> String {
        let transaction = entry.compactMap { transactions[$0] }.last
        let renewal = entry.compactMap { renewals[$0] }.last
        var words = [Self.happenings[event(entry) ?? ""] ?? event(entry) ?? happening(entry)]
        if let transaction {
            words += Self.terms(
                transaction.productID, transaction.price, transaction.currency,
                (transaction.offerType, transaction.offerIdentifier, transaction.offerDiscountType))
            if let end = transaction.expiresAt { words.append("until \(FactText.date(end))") }
            if let time = transaction.revokedAt { words.append("revoked \(FactText.date(time))") }
            if let id = transaction.transactionID { words.append("transaction \(id)") }
        }
        // The coming period, when it differs from what the transaction says.
        if let renewal,
            renewal.offerType != nil || transaction == nil
                || renewal.renewalProductID != transaction?.productID
        {
            let terms = Self.terms(
                renewal.renewalProductID, renewal.renewalPrice, renewal.currency,
                (renewal.offerType, renewal.offerIdentifier, renewal.offerDiscountType))
            if !terms.isEmpty { words.append("then \(terms.joined(separator: ", "))") }
        }
        let time = FactText.date(entry.last?.signedAt ?? 0)
        return DisplayText.escaped("\(time)  \(words.joined(separator: ", "))")
    }

    private func event(_ entry: [Evidence]) -> String? {
        entry.compactMap { notifications[$0] }.first.map { columns in
            [columns.type ?? "(no type)", columns.subtype].compactMap { $0 }.joined(separator: " ")
        }
    }

    private func happening(_ entry: [Evidence]) -> String {
        entry.contains { announced.contains($0.name) }
            ? "a notification that is no longer in the store" : "an answer of the App Store Server API"
    }

    /// Source: Apple, notificationType and subtype. Others are shown as Apple names them.
    private static let happenings = [
        "SUBSCRIBED INITIAL_BUY": "subscribed", "SUBSCRIBED RESUBSCRIBE": "subscribed again",
        "DID_RENEW": "renewed", "DID_RENEW BILLING_RECOVERY": "renewed after a failed payment",
        "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED": "switched renewal off",
        "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED": "switched renewal on",
        "DID_CHANGE_RENEWAL_PREF UPGRADE": "upgraded",
        "DID_CHANGE_RENEWAL_PREF DOWNGRADE": "chose another product for the next period",
        "DID_CHANGE_RENEWAL_PREF": "stayed with the product", "OFFER_REDEEMED": "accepted an offer",
        "OFFER_REDEEMED UPGRADE": "accepted an offer with an upgrade",
        "OFFER_REDEEMED DOWNGRADE": "accepted an offer for another product",
        "EXPIRED VOLUNTARY": "expired, as the customer wished",
        "EXPIRED BILLING_RETRY": "expired, the price was not collected",
        "EXPIRED PRICE_INCREASE": "expired, the price increase was not accepted",
        "EXPIRED PRODUCT_NOT_FOR_SALE": "expired, the product is not for sale any more",
        "DID_FAIL_TO_RENEW": "failed to renew", "GRACE_PERIOD_EXPIRED": "the grace period ended",
        "DID_FAIL_TO_RENEW GRACE_PERIOD": "failed to renew, the grace period began",
        "PRICE_INCREASE PENDING": "was told of a price increase",
        "PRICE_INCREASE ACCEPTED": "accepted a price increase", "REFUND": "got a refund",
        "REFUND_REVERSED": "a refund was reversed", "REFUND_DECLINED": "a refund was declined",
        "CONSUMPTION_REQUEST": "asked for a refund", "REVOKE": "lost a shared subscription",
        "RENEWAL_EXTENDED": "got an extension of the period",
    ]

    private static func terms(
        _ product: String?, _ price: Int64?, _ currency: String?,
        _ offer: (type: Int64?, identifier: String?, discount: String?)
    ) -> [String] {
        var words = [product].compactMap { $0 }
        if let price {
            let (whole, rest) = price.quotientAndRemainder(dividingBy: 1000)
            let digits = String(1000 + abs(rest)).dropFirst()
            let amount = "\(whole).\(digits.last == "0" ? digits.dropLast() : digits)"
            words.append([amount, currency].compactMap { $0 }.joined(separator: " "))
        }
        if let type = offer.type {
            let kinds: [Int64: String] = [
                1: "introductory offer", 2: "promotional offer", 3: "offer code", 4: "win-back offer",
                5: "retention offer",
            ]
            let free = offer.discount == "FREE_TRIAL" ? "free: " : ""
            words.append(
                free
                    + [kinds[type] ?? "offer of type \(type)", offer.identifier].compactMap { $0 }.joined(
                        separator: " "))
        }
        return words
    }

    private static func node(_ evidence: Evidence) -> JSONNode {
        .object([
            ("kind", .string(evidence.kind.rawValue)), ("name", .string(evidence.name)),
            ("signedAt", .integer(evidence.signedAt)),
        ])
    }

    private static func text(_ statement: FactStatement) -> String {
        if case .string(let text)? = statement.value { return DisplayText.escaped(text) }
        return statement.value?.text ?? "missing"
    }
}

@testable import NotificationStore
import SubscriberHistory
import Support
import Testing

@Suite("The definitions of facts")
struct DefinitionTests {
    @Test("are one for each fact, in the order of the facts")
    func completeness() {
        #expect(FactDefinition.all.map(\.fact) == SubscriberFact.allCases)
        for definition in FactDefinition.all {
            #expect(FactDefinition.named(definition.fact.name)?.fact == definition.fact)
            #expect((definition.unit != nil) == (definition.fact.type == "int"), "\(definition.fact)")
            #expect(!definition.fields.isEmpty, "\(definition.fact)")
            for text in [definition.meaning, definition.absence, definition.example] {
                #expect(text.hasSuffix("."), "\(definition.fact): \(text)")
            }
        }
        #expect(FactDefinition.named("paidPeriod") == nil)
    }

    @Test("name members of Apple's payloads that the store keeps")
    func fields() {
        // The type of a notification says which members it has, so it is read apart from them.
        let members: [Evidence.Kind: Set<String>] = [
            .transaction: Set(TransactionColumns.members.keys), .renewal: Set(RenewalColumns.members.keys),
            .notification: Set(NotificationColumns.members.keys).union(["notificationType"]),
        ]
        for definition in FactDefinition.all {
            for field in definition.fields {
                #expect(members[field.payload]?.contains(field.name) == true, "\(field.text)")
            }
            #expect(Set(definition.fields).count == definition.fields.count, "\(definition.fact)")
        }
    }

    @Test("end their examples with a value of the type")
    func examples() throws {
        for definition in FactDefinition.all {
            let parts = definition.example.split(separator: "`")
            let value = try #require(parts.dropLast().last.map(String.init), "\(definition.fact)")
            let isRight =
                switch definition.fact.type {
                case "bool": ["true", "false"].contains(value)
                case "int": Int64(value) != nil
                case "date": value.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil
                case "string": !value.isEmpty
                default: definition.fact.type.contains(value)
                }
            #expect(isRight, "\(definition.fact): \(value)")
        }
    }

    @Test(
        "name exactly the reasons for which the facts of stories are missing, and the payloads they follow from"
    )
    func reasons() throws {
        var seen: [SubscriberFact: (reasons: Set<MissingReason>, kinds: Set<Evidence.Kind>)] = [:]
        func look(_ payloads: SubscriberPayloads, at now: Int64) {
            for statement in HistoryFacts(payloads, now: now).statements {
                var known = seen[statement.fact] ?? ([], [])
                if let reason = statement.reason { known.reasons.insert(reason) }
                known.kinds.formUnion(statement.evidence.map(\.kind))
                seen[statement.fact] = known
            }
        }
        for story in Story.all {
            let payloads = story.payloads
            let last = try #require(payloads.newest) + 100 * Life.day
            for damaged in payloads.damaged {
                for now in story.checks.map({ Life.time($0.day) }) + [last] { look(damaged, at: now) }
            }
        }
        for definition in FactDefinition.all {
            let found = try #require(seen[definition.fact])
            #expect(found.reasons == definition.reasons, "\(definition.fact)")
            let kinds = Set(definition.fields.map(\.payload))
            // The facts about the running offer take the end of the period from what shows the state.
            let state: Set<Evidence.Kind> = definition.isAboutRunningOffer ? [.renewal, .notification] : []
            #expect(found.kinds.isSubset(of: kinds.union(state)), "\(definition.fact)")
        }
    }
}

extension FactDefinition {
    fileprivate var isAboutRunningOffer: Bool {
        [.inTrial, .inIntroOffer, .inRetentionOffer, .inOffer].contains(fact)
    }
}

extension SubscriberPayloads {
    /// The payloads themselves, and the same with values that are absent, unknown or do not fit, or with kinds of payloads that
    /// are absent.
    fileprivate var damaged: [Self] {
        var results = [self]
        for isUnfit in [true, false] {
            var bare = self
            bare.transactions = transactions.map { payload in
                var columns = TransactionColumns()
                columns.transactionID = payload.columns.transactionID
                columns.originalTransactionID = payload.columns.originalTransactionID
                columns.type = payload.columns.type
                columns.purchasedAt = payload.columns.purchasedAt
                columns.expiresAt = payload.columns.expiresAt
                let others = Set(TransactionColumns.names.map { "\($0)" }).subtracting([
                    "transaction_id", "original_transaction_id", "type", "purchased_at", "expires_at",
                ])
                return HistoryPayload(payload.evidence, columns, unfit: isUnfit ? others : [])
            }
            results.append(bare)
            bare = self
            bare.renewals = renewals.map { payload in
                let names = isUnfit ? Set(RenewalColumns.names.map { "\($0)" }) : []
                return HistoryPayload(payload.evidence, RenewalColumns(), unfit: names)
            }
            results.append(bare)
            bare = self
            bare.notifications = notifications.map { payload in
                var columns = payload.columns
                columns.status = isUnfit ? nil : 9
                return HistoryPayload(payload.evidence, columns, unfit: isUnfit ? ["status"] : [])
            }
            results.append(bare)
        }
        return results + [withUnknownValues] + withoutKinds
    }

    private var withUnknownValues: Self {
        var odd = self
        odd.transactions = transactions.map { payload in
            var columns = payload.columns
            columns.ownership = "RENTED"
            columns.revocationType = columns.revokedAt == nil ? nil : "REFUND_LATER"
            return HistoryPayload(payload.evidence, columns)
        }
        odd.renewals = renewals.map { payload in
            var columns = payload.columns
            columns.autoRenewStatus = 7
            return HistoryPayload(payload.evidence, columns)
        }
        return odd
    }

    private var withoutKinds: [Self] {
        var (silent, bought, noted) = (self, self, self)
        silent.notifications = []
        (bought.notifications, bought.renewals) = ([], [])
        noted.transactions = []
        return [silent, bought, noted]
    }
}

internal import AppStoreTraffic
internal import BenchmarkStatistics
internal import CBaseline
internal import Cryptography
internal import NotificationStore
internal import SignedPayloads
internal import System

/// Measures what storing a notification costs, compared with the bare work: three verifications, and one insertion of the
/// received bytes.
struct StoreFigures {
    private let plan: Plan
    private let inProcess: InProcess
    private let proof: StoreProof
    private let signer: SignedRequestBuilder
    /// Notifications in one transaction.
    private static let batchCount = 64
    private static let batchesPerRound = 16

    init(_ plan: Plan, _ inProcess: InProcess) throws {
        self.plan = plan
        self.inProcess = inProcess
        let traffic = inProcess.traffic
        let now = Clock.wallMilliseconds()
        let body = traffic.bodies[0]
        let verified = try inProcess.verifier().verifyRealtimeRequest(body: body.span, nowMilliseconds: now)
        proof = StoreProof(verified)
        signer = try SignedRequestBuilder(chain: traffic.knownChain)
    }

    func measure() throws -> [Figure] {
        var number = 0
        var received = 0
        let path = plan.workspace.path(of: "store.db")
        let store = try NotificationStore(StoreAddress("sqlite:\(path)"), StoreOptions(access: .create))
        let bare = try BareInsertion(path: plan.workspace.path(of: "bare.db"))
        let traffic = inProcess.traffic
        let verification = try BareVerification(bodies: traffic.bodiesFile, leaf: traffic.leafFile)
        let perRound = Self.batchCount * Self.batchesPerRound
        var next: [StoreItem] = []
        var verified = 0
        func prepare() throws {
            next = try (0..<perRound).map { try item(number + $0) }
            number += perRound
        }
        try prepare()
        let values = try Rounds.measure(
            plan.pairs,
            [
                { () throws in
                    try prepare()
                    received += next.reduce(0) { $0 + $1.body.count }
                    let start = Clock.threadProcessorNanoseconds()
                    for batch in 0..<Self.batchesPerRound {
                        let items = Array(next[batch * Self.batchCount..<(batch + 1) * Self.batchCount])
                        let outcomes = store.store(items)
                        guard outcomes.allSatisfy({ $0 == .stored }) else { throw Failure("\(outcomes[0])") }
                    }
                    return Double(Clock.threadProcessorNanoseconds() - start) / Double(perRound) / 1000
                },
                { () throws in
                    var microseconds = 0.0
                    for batch in 0..<Self.batchesPerRound {
                        let items = next[batch * Self.batchCount..<(batch + 1) * Self.batchCount]
                        microseconds += try bare.microseconds(items.map(\.body))
                    }
                    return microseconds / Double(perRound)
                },
                { () throws in
                    defer { verified += perRound * 3 }
                    return try 3 * verification.microseconds(first: verified, count: perRound * 3)
                },
            ]
        )
        try store.checkpoint()
        let size = try store.size()
        return try figures(values) + [
            Figure(
                "bytes in SQLite / bytes received",
                value: Double(size.byteCount) / Double(received),
                unit: "ratio",
                bar: .atMost(0.5)
            )
        ]
    }

    private func figures(_ values: [[Double]]) throws -> [Figure] {
        let subject = zip(values[0], values[2]).map { $0 + $1 }
        let reference = zip(values[1], values[2]).map { $0 + $1 }
        guard let whole = PairedSample(subject: subject, reference: reference),
            let alone = PairedSample(subject: values[0], reference: values[1])
        else { throw Failure("no sample") }
        let number = FigureTable.number
        return [
            Figure(
                "store and 3 verifies / bare insert and 3 bare verifies",
                whole.ratios,
                unit: "ratio",
                bar: .atMost(1.4),
                remark: "\(number(whole.subject.median)) us over \(number(whole.reference.median)) us of CPU"
            ),
            Figure(
                "store / bare insert",
                alone.ratios,
                unit: "ratio",
                bar: .reported,
                remark: "\(number(alone.subject.median)) us over \(number(alone.reference.median)) us of CPU"
            ),
        ]
    }

    /// A signed transaction, and its columns.
    private func transaction(_ number: Int, _ now: Int64) throws -> StoredPart<TransactionColumns> {
        var columns = TransactionColumns()
        columns.signedAt = now
        columns.originalTransactionID = "2000000\(100_000_000 + number % 5000)"
        columns.transactionID = "2000001\(100_000_000 + number)"
        columns.productID = "pro_monthly"
        columns.type = "Auto-Renewable Subscription"
        columns.purchasedAt = now
        columns.expiresAt = now + 2_592_000_000
        columns.price = 9990
        columns.currency = "USD"
        columns.storefront = "USA"
        columns.appTransactionID = "7040000\(100_000_000 + number % 5000)"
        let payload = """
            {"originalTransactionId":"\(columns.originalTransactionID ?? "")","environment":"Production",\
            "productId":"pro_monthly","signedDate":\(now),"appTransactionId":"\(columns.appTransactionID ?? "")",\
            "transactionId":"\(columns.transactionID ?? "")","webOrderLineItemId":"200000\(number)",\
            "bundleId":"\(Traffic.bundleId)","subscriptionGroupIdentifier":"21012345","purchaseDate":\(now),\
            "originalPurchaseDate":1735689600000,"expiresDate":\(now + 2_592_000_000),"quantity":1,\
            "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","transactionReason":"RENEWAL",\
            "storefront":"USA","storefrontId":"143441","price":9990,"currency":"USD"}
            """
        return StoredPart(proof: proof, jws: try signer.compact(Array(payload.utf8)), columns: columns)
    }

    /// A signed renewal info, and its columns.
    private func renewal(_ number: Int, _ now: Int64) throws -> StoredPart<RenewalColumns> {
        var columns = RenewalColumns()
        columns.signedAt = now
        columns.originalTransactionID = "2000000\(100_000_000 + number % 5000)"
        columns.productID = "pro_monthly"
        columns.renewalProductID = "pro_monthly"
        columns.autoRenewStatus = 1
        columns.renewsAt = now + 2_592_000_000
        let payload = """
            {"originalTransactionId":"\(columns.originalTransactionID ?? "")","environment":"Production",\
            "productId":"pro_monthly","signedDate":\(now),"autoRenewProductId":"pro_monthly","autoRenewStatus":1,\
            "renewalPrice":9990,"currency":"USD","recentSubscriptionStartDate":1735689600000,\
            "renewalDate":\(now + 2_592_000_000)}
            """
        return StoredPart(proof: proof, jws: try signer.compact(Array(payload.utf8)), columns: columns)
    }

    /// A signed notification of a renewal with a transaction and a renewal info.
    private func item(_ number: Int) throws -> StoreItem {
        let now = Clock.wallMilliseconds()
        let transaction = try transaction(number, now)
        let renewal = try renewal(number, now)
        let uuid = "5f2a1c3e-0d4b-4c6f-9a7e-\(100_000_000_000 + number)"
        let payload = """
            {"notificationType":"DID_RENEW","notificationUUID":"\(uuid)","version":"2.0","signedDate":\(now),"data":\
            {"appAppleId":531412,"bundleId":"\(Traffic.bundleId)","bundleVersion":"42","environment":"Production",\
            "signedTransactionInfo":"\(String(decoding: transaction.jws, as: UTF8.self))",\
            "signedRenewalInfo":"\(String(decoding: renewal.jws, as: UTF8.self))","status":1}}
            """
        var columns = NotificationColumns()
        columns.type = "DID_RENEW"
        columns.version = "2.0"
        columns.signedAt = now
        columns.object = "data"
        columns.status = 1
        var notification = StoredNotification(
            proof: proof,
            jws: try signer.compact(Array(payload.utf8)),
            identity: .init(app: Traffic.bundleId, environment: "Production", uuid: uuid),
            columns: columns
        )
        notification.transaction = .sound(transaction)
        notification.renewal = .sound(renewal)
        return StoreItem(.notification(notification), source: .push, receivedAt: now)
    }
}

extension StoreItem {
    /// The body of the request in which Apple sends the notification.
    fileprivate var body: [UInt8] {
        guard case .notification(let notification) = content else { return [] }
        return Array(#"{"signedPayload":""#.utf8) + notification.jws + Array(#""}"#.utf8)
    }
}

/// Inserts the received bytes in C.
@safe private final class BareInsertion {
    private let inserter: OpaquePointer

    init(path: String) throws {
        guard let opened = unsafe baseline_inserter_open(path) else { throw Failure("cannot make \(path)") }
        unsafe inserter = opened
    }

    deinit {
        unsafe baseline_inserter_close(inserter)
    }

    /// Returns the microseconds of processor time for all bodies, which are inserted in one transaction.
    func microseconds(_ bodies: [[UInt8]]) throws -> Double {
        let all = bodies.flatMap(\.self)
        let lengths = bodies.map(\.count)
        let time = unsafe all.withUnsafeBufferPointer { block in
            var place = 0
            let starts = unsafe lengths.map { length -> UnsafePointer<UInt8>? in
                defer { place += length }
                return unsafe block.baseAddress.map { unsafe $0 + place }
            }
            return unsafe baseline_inserter_insert(inserter, starts, lengths, lengths.count)
        }
        guard time > 0 else { throw Failure("the baseline cannot insert") }
        return Double(time) / 1000
    }
}

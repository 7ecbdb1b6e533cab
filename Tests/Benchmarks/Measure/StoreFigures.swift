internal import BenchmarkStatistics
internal import NotificationStore
internal import SignedPayloads
internal import System

/// Measures the recorder's work for a notification in one thread, without FastCGI: it verifies the body and its signed
/// parts, takes the columns from them, and stores the rows. Compared with the bare work in C: three verifications, and one
/// insertion of the received bytes.
final class StoreFigures {
    private let plan: Plan
    private let notifications: NotificationTraffic
    private let verifier: SignedPayloadVerifier
    private let verification: BareVerification
    private let insertion: BareInsertion
    private let store: NotificationStore
    /// Notifications in one transaction.
    private static let batchCount = 64
    private static let batchesPerRound = 16
    private static let perRound = batchCount * batchesPerRound
    /// The bodies of the present round.
    private var bodies: [[UInt8]] = []
    private var number = 0
    private var receivedByteCount = 0
    private var verifiedCount = 0
    /// The share of storing in each round of ``verifyAndStore()``, in microseconds for each notification.
    private var storing: [Double] = []

    init(_ plan: Plan, _ inProcess: InProcess, _ notifications: NotificationTraffic) throws {
        self.plan = plan
        self.notifications = notifications
        verifier = try inProcess.verifier()
        verification = try BareVerification(bodies: notifications.partsFile, leaf: inProcess.traffic.leafFile)
        insertion = try BareInsertion(path: plan.workspace.path(of: "bare.db"))
        store = try NotificationStore(
            StoreAddress("sqlite:\(plan.workspace.path(of: "store.db"))"), StoreOptions(access: .create))
    }

    func measure() throws -> [Figure] {
        try prepare()
        let values = try Rounds.measure(
            plan.pairs,
            [
                { () throws in try self.verifyAndStore() },
                { () throws in
                    var microseconds = 0.0
                    for batch in 0..<Self.batchesPerRound {
                        microseconds += try self.insertion.microseconds(Array(self.bodies[Self.range(batch)]))
                    }
                    return microseconds / Double(Self.perRound)
                },
                { () throws in
                    let count = 3 * Self.perRound
                    defer { self.verifiedCount += count }
                    return try 3 * self.verification.microseconds(first: self.verifiedCount, count: count)
                },
            ]
        )
        try store.checkpoint()
        let byteCount = Double(try store.size().byteCount)
        return try figures(values) + [
            Figure(
                "bytes in SQLite / bytes received",
                value: byteCount / Double(receivedByteCount),
                unit: "ratio",
                bar: .atMost(0.5),
                remark: "\(Int(byteCount) / number) bytes a notification, "
                    + "of \(receivedByteCount / number) received"
            )
        ]
    }

    /// Signs the notifications of the next round.
    private func prepare() throws {
        bodies = try (number..<number + Self.perRound).map { try notifications.body($0) }
        number += Self.perRound
        receivedByteCount += bodies.reduce(0) { $0 + $1.count }
    }

    private static func range(_ batch: Int) -> Range<Int> { batch * batchCount..<(batch + 1) * batchCount }

    /// Does the work of the recorder for the notifications of a round. Returns the microseconds for each.
    private func verifyAndStore() throws -> Double {
        if !storing.isEmpty { try prepare() }
        let now = Clock.wallMilliseconds()
        var storingTime: UInt64 = 0
        let start = Clock.threadProcessorNanoseconds()
        for batch in 0..<Self.batchesPerRound {
            let items = try bodies[Self.range(batch)].map { body in
                let verified = try verifier.verifyNotification(body: body.span, nowMilliseconds: now)
                guard verified.payload.transaction != nil, verified.payload.renewalInfo != nil,
                    verified.payload.failedParts.isEmpty
                else { throw Failure("a part was not verified") }
                return StoreItem(verified, source: .push, receivedAt: now)
            }
            let begun = Clock.threadProcessorNanoseconds()
            let outcomes = store.store(items)
            storingTime += Clock.threadProcessorNanoseconds() - begun
            guard outcomes.allSatisfy({ $0 == .stored }) else { throw Failure("\(outcomes[0])") }
        }
        let time = Clock.threadProcessorNanoseconds() - start
        storing.append(Double(storingTime) / Double(Self.perRound) / 1000)
        return Double(time) / Double(Self.perRound) / 1000
    }

    private func figures(_ values: [[Double]]) throws -> [Figure] {
        let reference = zip(values[1], values[2]).map { $0 + $1 }
        guard let whole = PairedSample(subject: values[0], reference: reference),
            let alone = PairedSample(subject: storing, reference: values[1])
        else { throw Failure("no sample") }
        let number = FigureTable.number
        return [
            Figure(
                "verify and store a notification / 3 bare verifies and a bare insert", whole.ratios,
                unit: "ratio", bar: .reported,
                remark: "\(number(whole.subject.median)) us over \(number(whole.reference.median)) us of CPU"),
            Figure(
                "store / bare insert", alone.ratios, unit: "ratio", bar: .reported,
                remark: "\(number(alone.subject.median)) us over \(number(alone.reference.median)) us of CPU"),
        ]
    }
}

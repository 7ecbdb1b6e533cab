internal import AppStoreServerAPI
internal import JSON
internal import System

extension AppStoreSimulator {
    /// Get All Subscription Statuses. Each subscriber of the simulator has one subscription.
    func subscriptionStatuses(_ identifier: String, _ call: Call) throws(SimulatorProblem) -> SimulatorAnswer
    {
        var wanted: Set<Int64> = []
        for text in call.target.values(of: "status") {
            guard let status = Int64(text), (1...5).contains(status) else { throw .apple(.invalidStatus) }
            wanted.insert(status)
        }
        let (number, subscriber) = try subscriber(identifier, call)
        var groups: [JSONNode] = []
        if let status = subscriber.status, let renewal = subscriber.renewalInfo,
            let last = subscriber.transactions.last(where: { $0.members.number("expiresDate") != nil }),
            wanted.isEmpty || wanted.contains(status)
        {
            let item = JSONNode.object([
                ("originalTransactionId", .string(String(number))), ("status", .integer(status)),
                ("signedTransactionInfo", .string(try signed(last.members, call))),
                ("signedRenewalInfo", .string(try signed(renewal, call))),
            ])
            let group = last.members.text("subscriptionGroupIdentifier") ?? ""
            groups.append(
                .object([
                    ("subscriptionGroupIdentifier", .string(group)), ("lastTransactions", .array([item])),
                ])
            )
        }
        return SimulatorAnswer(.object(Self.owner(call) + [("data", .array(groups))]))
    }

    /// Get Transaction Info.
    func transactionInfo(_ identifier: String, _ call: Call) throws(SimulatorProblem) -> SimulatorAnswer {
        try checkTransaction(identifier)
        let notices = state[call.app.bundleId][call.request.environment].notices
        guard !notices.isAppTransaction(identifier) else { throw .apple(.appTransactionIdNotSupported) }
        let transactions = notices.subscriber(identifier)?.subscriber.transactions ?? []
        let found = transactions.first { $0.transactionId == identifier } ?? transactions.first
        guard let found else { throw .apple(.transactionIdNotFound) }
        return SimulatorAnswer(.object([("signedTransactionInfo", .string(try signed(found.members, call)))]))
    }

    /// Returns the subscriber to whom an identifier belongs.
    func subscriber(_ identifier: String, _ call: Call) throws(SimulatorProblem) -> (
        id: Int64, subscriber: SimulatedSubscriber
    ) {
        try checkTransaction(identifier)
        let notices = state[call.app.bundleId][call.request.environment].notices
        guard let found = notices.subscriber(identifier) else { throw .apple(.transactionIdNotFound) }
        return found
    }

    /// Signs a transaction or a renewal info at the time of the call.
    func signed(_ members: PayloadMembers, _ call: Call) throws(SimulatorProblem) -> String {
        var members = members
        members.set("signedDate", number: call.now)
        guard let jws = try? configuration.signer?.compact(members.json) else { throw .apple(.internalError) }
        return String(decoding: jws, as: UTF8.self)
    }

    /// The members that say whose answer it is. Apple sends no number of the app in Sandbox.
    static func owner(_ call: Call) -> [(String, JSONNode)] {
        let environment = call.request.environment
        let number: [(String, JSONNode)] =
            environment == .production ? [("appAppleId", .integer(call.app.appAppleId))] : []
        return [
            ("environment", .string(environment.rawValue)), ("bundleId", .string(call.app.bundleId)),
        ] + number
    }
}

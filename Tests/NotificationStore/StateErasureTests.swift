import NotificationStore
import Support
import Testing

@Suite("A state from rows that an erasure deleted")
struct StateErasureTests {
    private static let environment = "Production"
    private let sample: Sample

    init() throws { sample = try Sample() }

    private func id(_ subscriber: Int) -> String {
        Sample.Period(number: 0, subscriber: subscriber).originalTransactionID
    }

    @Test(
        "is not written when the erased subscription has no rows of its own",
        arguments: StoreSystem.allCases
    )
    func unknownPredecessor(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let (old, new) = (7, 8)
        let linking = try sample.transaction(Sample.Period(number: 1, subscriber: new)) {
            $0.previousOriginalTransactionID = id(old)
        }
        let parts = [linking, try sample.transaction(Sample.Period(number: 2, subscriber: new))].map {
            StoreItem(
                .transaction($0, app: Sample.app, environment: Self.environment),
                source: .api,
                receivedAt: 1
            )
        }
        #expect(store.store(parts).allSatisfy { $0 == .stored })
        func rows() throws -> SubscriberRows {
            try #require(
                try store.subscribers([id(new)], app: Sample.app, environment: Self.environment)
                    .rows[id(new)]
            )
        }
        func write(_ rows: SubscriberRows) throws -> Int {
            let state = SubscriberState(
                originalTransactionID: id(new),
                bytes: [1],
                sources: [id(new)],
                downloads: [],
                linkingRows: rows.linkingRows
            )
            try store.write([state], app: Sample.app, environment: Self.environment)
            return try store.states(app: Sample.app, environment: Self.environment).states.count
        }
        let before = try rows()
        #expect(before.linkingRows.count == 1)
        #expect(try write(before) == 1)
        _ = try store.erase(.originalTransaction(id(old)))
        #expect(try write(before) == 0)
        let mark = try store.settledMark()
        let changed = try store.changedSubscribers(
            from: mark,
            to: mark,
            app: Sample.app,
            environment: Self.environment
        )
        #expect(changed == [id(new)])
        let after = try rows()
        #expect(after.linkingRows.isEmpty && after.transactions.count == 1)
        #expect(try write(after) == 1)
    }

    @Test(
        "is not written when the rows that name the erased subscription stay in part",
        arguments: StoreSystem.allCases
    )
    func laterLinks(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let (old, new) = (7, 8)
        // One before the erasure and one after it.
        let items = try [1, 2000].map { number in
            let part = try sample.transaction(Sample.Period(number: number, subscriber: new)) {
                $0.previousOriginalTransactionID = id(old)
            }
            return StoreItem(
                .transaction(part, app: Sample.app, environment: Self.environment),
                source: .api,
                receivedAt: 1
            )
        }
        #expect(store.store(items) == [.stored, .stored])
        let elsewhere = try TestStore(.sqlite)
        let second = try elsewhere.open()
        _ = try second.erase(.originalTransaction(id(old)))
        try store.add(second.tombstones())
        let rows = try #require(
            try store.subscribers([id(new)], app: Sample.app, environment: Self.environment).rows[id(new)]
        )
        #expect(rows.linkingRows.count == 2)
        #expect(try store.eraseEntombed().transactionCount == 1)
        let state = SubscriberState(
            originalTransactionID: id(new),
            bytes: [1],
            sources: [id(new)],
            downloads: rows.downloads,
            linkingRows: rows.linkingRows
        )
        #expect(try store.write([state], app: Sample.app, environment: Self.environment) == [id(new)])
        let states = try store.states(app: Sample.app, environment: Self.environment)
        #expect(states.states.isEmpty && states.outdatedIDs == [id(new)])
    }

    @Test(
        "of a subscription leaves all that is known of the one before a move",
        arguments: StoreSystem.allCases
    )
    func predecessor(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let (old, new, latest) = (7, 8, 9)
        let parts = [(old, nil), (new, old), (latest, new)].map { ($0.0, $0.1.map(id)) }
        let items = try parts.enumerated().map { number, part in
            let period = Sample.Period(number: number + 1, subscriber: part.0)
            let transaction = try sample.transaction(period) { $0.previousOriginalTransactionID = part.1 }
            return StoreItem(
                .transaction(transaction, app: Sample.app, environment: Self.environment),
                source: .api,
                receivedAt: 1
            )
        }
        #expect(store.store(items).allSatisfy { $0 == .stored })
        let ids = [old, new, latest].map(id)
        try store.noteSynchronization(of: Set(ids), app: Sample.app, environment: Self.environment, at: 5)
        try store.write(
            ids.indices.map {
                SubscriberState(
                    originalTransactionID: ids[$0],
                    bytes: [1],
                    sources: Set(ids[...$0]),
                    downloads: []
                )
            },
            app: Sample.app,
            environment: Self.environment
        )
        _ = try store.erase(.originalTransaction(id(new)))
        let states = try store.states(app: Sample.app, environment: Self.environment)
        #expect(states.states.map(\.originalTransactionID) == [id(old)])
        // The last one lost its only row, which named the erased one.
        #expect(states.outdatedIDs.isEmpty)
        #expect(try store.synchronizations().rows.map(\.originalTransactionID) == [id(old)])
    }

    @Test(
        "of the same subscriptions in another environment stays, unless rows there are deleted, too",
        arguments: StoreSystem.allCases,
        [false, true]
    )
    func environments(system: StoreSystem, isInBoth: Bool) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let (old, new) = (7, 8)
        func item(_ number: Int, of subscriber: Int, _ environment: String, before: Int? = nil) throws
            -> StoreItem
        {
            let period = Sample.Period(number: number, subscriber: subscriber)
            let part = try sample.transaction(period) { $0.previousOriginalTransactionID = before.map(id) }
            return StoreItem(
                .transaction(part, app: Sample.app, environment: environment),
                source: .api,
                receivedAt: 1
            )
        }
        // In Production, the notification is deleted in another transaction before the rows of the other environment.
        var items = [
            try sample.renewed(Sample.Period(number: 1, subscriber: old)),
            try item(2, of: new, "Production", before: old), try item(3, of: new, "Production"),
            try item(2000, of: new, "Sandbox", before: isInBoth ? old : nil),
        ]
        if isInBoth { items.append(try item(4, of: old, "Sandbox")) }
        #expect(store.store(items).allSatisfy { $0 == .stored })
        let state = SubscriberState(
            originalTransactionID: id(new),
            bytes: [1],
            sources: [id(old), id(new)],
            downloads: []
        )
        for environment in ["Production", "Sandbox"] {
            try store.write([state], app: Sample.app, environment: environment)
            try store.noteSynchronization(of: [id(new)], app: Sample.app, environment: environment, at: 5)
        }
        _ = try store.erase(.originalTransaction(id(old)))
        let here = try store.states(app: Sample.app, environment: "Production")
        #expect(here.states.isEmpty && here.outdatedIDs == [id(new)])
        let elsewhere = try store.states(app: Sample.app, environment: "Sandbox")
        #expect(elsewhere.states.map(\.originalTransactionID) == (isInBoth ? [] : [id(new)]))
        #expect(elsewhere.outdatedIDs == (isInBoth ? [id(new)] : []))
        #expect(try store.synchronizations().rows.map(\.environment) == (isInBoth ? [] : ["Sandbox"]))
    }

    /// What another program does between two transactions of an erasure.
    private final class Meanwhile {
        var acts: [() -> Void] = []

        /// Makes the next act.
        func pass() {
            if !acts.isEmpty { acts.removeFirst()() }
        }
    }

    @Test("is deleted when it follows from a move that was stored meanwhile", arguments: StoreSystem.allCases)
    func movedMeanwhile(system: StoreSystem) throws {
        let place = try TestStore(system)
        let meanwhile = Meanwhile()
        var timing = StoreTiming.system
        timing.sleep = { _ in meanwhile.pass() }
        let store = try place.open(timing: timing)
        let aside = try place.open()
        let (old, new, latest) = (7, 8, 9)
        func item(_ number: Int, of subscriber: Int, before: Int) throws -> StoreItem {
            let period = Sample.Period(number: number, subscriber: subscriber)
            let part = try sample.transaction(period) { $0.previousOriginalTransactionID = id(before) }
            return StoreItem(
                .transaction(part, app: Sample.app, environment: Self.environment),
                source: .api,
                receivedAt: 1
            )
        }
        // More than the first transaction deletes.
        let items = try (1...100).map { try item($0, of: new, before: old) }
        #expect(store.store(items).allSatisfy { $0 == .stored })
        let last = try item(101, of: latest, before: new)
        var refused: Set<String>?
        let move = {
            guard aside.store([last]) == [.stored] else { return }
            let state = SubscriberState(
                originalTransactionID: id(latest),
                bytes: [1],
                sources: [id(latest), id(new)],
                downloads: []
            )
            refused = try? aside.write([state], app: Sample.app, environment: Self.environment)
        }
        // The erasure may end after each of its transactions, and another one would find no rows.
        var isGone = false
        let look = {
            let states = try? aside.states(app: Sample.app, environment: Self.environment)
            isGone = states?.states.isEmpty == true
        }
        meanwhile.acts = [move, look]
        #expect(try store.erase(.originalTransaction(id(old))).transactionCount == 100)
        #expect(refused == [] && isGone)
        let states = try store.states(app: Sample.app, environment: Self.environment)
        #expect(states.states.isEmpty && states.outdatedIDs == [id(latest)])
    }
}

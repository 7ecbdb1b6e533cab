import NotificationStore
import SQL
import Support
import Testing

@Suite("The rows of a subscriber", .timeLimit(.minutes(5)))
struct SubscriberRowsTests {
    private static let environment = "Production"
    private let sample: Sample

    init() throws { sample = try Sample() }

    private func id(_ subscriber: Int) -> String {
        Sample.Period(number: 0, subscriber: subscriber).originalTransactionID
    }

    /// Stores notifications of subscribers in turn.
    private func fill(_ store: NotificationStore, _ numbers: ClosedRange<Int>, subscribers: Int) throws {
        let items = try numbers.map {
            try sample.renewed(Sample.Period(number: $0, subscriber: $0 % subscribers))
        }
        #expect(store.store(items).allSatisfy { $0 == .stored })
    }

    private func mark(_ store: NotificationStore) throws -> StateMark { try store.settledMark() }

    @Test("come in pages that have each subscriber once and whole", arguments: StoreSystem.allCases)
    func pages(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let count = NotificationStore.subscriberPageCount * 2 + 17
        try fill(store, 1...count * 2, subscribers: count)
        // A subscriber of whom only a renewal info is known, behind all others.
        let last = Sample.Period(number: 1, subscriber: 99_999)
        let renewal = try sample.renewal(last)
        let item = StoreItem(
            .renewal(renewal, app: Sample.app, environment: Self.environment),
            source: .api,
            receivedAt: 1
        )
        #expect(store.store([item]) == [.stored])
        var found = try store.allSubscribers(app: Sample.app, environment: Self.environment)
        #expect(found.count == count + 1)
        #expect(found[last.originalTransactionID]?.renewals.map(\.digest).count == 1)
        found[last.originalTransactionID] = nil
        for rows in found.values {
            #expect(rows.transactions.count == 2 && rows.renewals.count == 2 && rows.notifications.count == 2)
            #expect(rows.notifications.map(\.renewalDigest) == rows.renewals.map(\.digest))
            #expect(rows.downloads.count == 1 && rows.previousIDs.isEmpty)
        }
        #expect(try store.allSubscribers(app: "other", environment: Self.environment).isEmpty)
        let some = try store.subscribers([id(3), "1"], app: Sample.app, environment: Self.environment)
        #expect(some.rows.keys.sorted() == [id(3)] && some.rows[id(3)] == found[id(3)] && some.readCount == 2)
    }

    @Test("have the time of the last synchronization, and change with it", arguments: StoreSystem.allCases)
    func synchronization(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        try fill(store, 1...4, subscribers: 2)
        func time() throws -> Int64? {
            try store.subscribers([id(1)], app: Sample.app, environment: Self.environment).rows[id(1)]?
                .synchronizedAt
        }
        var from = try mark(store)
        #expect(try time() == nil)
        for moment: Int64 in [100, 200] {
            try store.noteSynchronization(
                of: [id(1)],
                app: Sample.app,
                environment: Self.environment,
                at: moment
            )
            #expect(try time() == moment)
            let to = try mark(store)
            let changed = try store.changedSubscribers(
                from: from,
                to: to,
                app: Sample.app,
                environment: Self.environment
            )
            #expect(changed == [id(1)])
            from = to
        }
        // An export that was made before the last synchronization has the earlier time.
        for moment: Int64 in [150, 200] {
            try store.noteSynchronization(
                of: [id(1)],
                app: Sample.app,
                environment: Self.environment,
                at: moment
            )
            #expect(try time() == 200)
            #expect(try mark(store) == from)
        }
        #expect(throws: NotificationStoreError.badArgument) {
            try store.noteSynchronization(of: ["\0"], app: "a", environment: "e", at: 1)
        }
    }

    @Test("are named as changed when they came between two marks", arguments: StoreSystem.allCases)
    func changed(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let places = try [0, 1, 2].map { part in
            if part > 0 { try fill(store, part * 100 + 1...part * 100 + 2, subscribers: 50 + part) }
            return try mark(store)
        }
        func changed(_ from: Int, _ to: Int) throws -> Set<String> {
            try store.changedSubscribers(
                from: places[from],
                to: places[to],
                app: Sample.app,
                environment: Self.environment
            )
        }
        #expect(places[0] == .none)
        #expect(try changed(0, 1) == [id(101 % 51), id(102 % 51)])
        #expect(try changed(1, 2) == [id(201 % 52), id(202 % 52)])
        #expect(try changed(0, 2) == changed(0, 1).union(changed(1, 2)))
        #expect(try changed(2, 2) == [])
    }

    private func state(
        _ id: String,
        _ bytes: [UInt8]?,
        sources: Set<String> = [],
        downloads: Set<String> = []
    )
        -> SubscriberState
    {
        SubscriberState(originalTransactionID: id, bytes: bytes, sources: sources, downloads: downloads)
    }

    @Test(
        "lead to states, which are written, replaced, read in pages and removed",
        arguments: StoreSystem.allCases
    )
    func states(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        func write(_ states: [SubscriberState]) throws {
            try store.write(states, app: Sample.app, environment: Self.environment)
        }
        func all() throws -> [String: [UInt8]] {
            var found: [String: [UInt8]] = [:]
            var after: String?
            while true {
                let range = try store.stateRange(
                    after: after,
                    app: Sample.app,
                    environment: Self.environment,
                    count: 3
                )
                let page = try store.states(in: range, app: Sample.app, environment: Self.environment)
                for state in page.states { found[state.originalTransactionID] = state.bytes }
                #expect(page.states.count <= 3 && page.outdatedIDs.isEmpty)
                guard let last = range.last else { return found }
                #expect(page.states.count == 3 && page.states.last?.originalTransactionID == last)
                after = last
            }
        }
        try write((1...10).map { state("\($0)", [UInt8($0)]) })
        try write([state("3", [0, 255]), state("4", nil), state("99", nil)])
        var expected = Dictionary(uniqueKeysWithValues: (1...10).map { ("\($0)", [UInt8($0)]) })
        expected["3"] = [0, 255]
        expected["4"] = nil
        #expect(try all() == expected)
        try store.removeStates(app: "other", environment: Self.environment)
        #expect(try all() == expected)
        try store.removeStates(app: Sample.app, environment: Self.environment)
        #expect(try all() == [:])
    }

    @Test(
        "leave no state of an erased subscriber, and those of linked ones must be derived again",
        arguments: StoreSystem.allCases
    )
    func erased(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let (old, new, other) = (7, 8, 9)
        var moved = Sample.Period(number: 1, subscriber: new)
        let part = try sample.transaction(moved) { $0.previousOriginalTransactionID = id(old) }
        moved = Sample.Period(number: 2, subscriber: new)
        let kept = try sample.transaction(moved)
        let parts = [part, kept].map {
            StoreItem(
                .transaction($0, app: Sample.app, environment: Self.environment),
                source: .api,
                receivedAt: 1
            )
        }
        #expect(store.store(parts).allSatisfy { $0 == .stored })
        #expect(try store.successors(of: [id(old), id(other)]) == [id(new)])
        func write(_ subscribers: [Int]) throws {
            try store.write(
                subscribers.map { state(id($0), [1], sources: $0 == new ? [id(new), id(old)] : [id($0)]) },
                app: Sample.app,
                environment: Self.environment
            )
        }
        func states() throws -> Set<String> {
            Set(
                try store.states(app: Sample.app, environment: Self.environment).states
                    .map(\.originalTransactionID)
            )
        }
        try write([old, new, other])
        try store.noteSynchronization(
            of: [id(old), id(new), id(other)],
            app: Sample.app,
            environment: Self.environment,
            at: 5
        )
        let mark = try mark(store)
        _ = try store.erase(.originalTransaction(id(old)))
        #expect(try states() == [id(other)])
        let again = try store.changedSubscribers(
            from: mark,
            to: mark,
            app: Sample.app,
            environment: Self.environment
        )
        #expect(again == [id(new)])
        // A refresh that read the rows before the erasure must not write them back, and leaves the other state to be derived.
        try write([old, new])
        #expect(try states() == [id(other)])
        let still = try store.changedSubscribers(
            from: mark,
            to: mark,
            app: Sample.app,
            environment: Self.environment
        )
        #expect(still == [id(new)])
        let rows = try store.subscribers([id(new)], app: Sample.app, environment: Self.environment).rows
        #expect(rows[id(new)]?.transactions.count == 1 && rows[id(new)]?.synchronizedAt == nil)
        try store.noteSynchronization(
            of: [id(old), id(new)],
            app: Sample.app,
            environment: Self.environment,
            at: 6
        )
        let marks = try store.subscribers([id(old), id(new)], app: Sample.app, environment: Self.environment)
            .rows
        #expect(marks[id(old)] == nil && marks[id(new)]?.synchronizedAt == 6)
    }

    @Test(
        "belong to a subscriber who moved twice, also when the first subscription is erased",
        arguments: StoreSystem.allCases
    )
    func chain(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let ids = (1...4).map(id)
        let parts = try (1...4).map { number in
            let period = Sample.Period(number: number, subscriber: number)
            return StoreItem(
                .transaction(
                    try sample.transaction(period) {
                        $0.previousOriginalTransactionID = number > 1 ? ids[number - 2] : nil
                    },
                    app: Sample.app,
                    environment: Self.environment
                ),
                source: .api,
                receivedAt: 1
            )
        }
        #expect(store.store(parts).allSatisfy { $0 == .stored })
        #expect(try store.successors(of: [ids[0]]) == Set(ids[1...]))
        #expect(try store.successors(of: [ids[2], ids[3]]) == [])
        try store.write(
            ids.indices.map { state(ids[$0], [1], sources: Set(ids[...$0])) },
            app: Sample.app,
            environment: Self.environment
        )
        let mark = try mark(store)
        _ = try store.erase(.originalTransaction(ids[0]))
        #expect(try store.states(app: Sample.app, environment: Self.environment).states.isEmpty)
        let again = try store.changedSubscribers(
            from: mark,
            to: mark,
            app: Sample.app,
            environment: Self.environment
        )
        #expect(again == Set(ids[2...]))
    }
}

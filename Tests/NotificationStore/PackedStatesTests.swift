import SQL
import Support
import Testing

@testable import NotificationStore

@Suite("Rows that are kept with states", .timeLimit(.minutes(5)))
struct PackedStatesTests {
    private static let environment = "Production"
    private let sample: Sample

    init() throws { sample = try Sample() }

    private func id(_ subscriber: Int) -> String {
        Sample.Period(number: 0, subscriber: subscriber).originalTransactionID
    }

    private func fill(_ store: NotificationStore, _ numbers: ClosedRange<Int>) throws {
        let items = try numbers.map { try sample.renewed(Sample.Period(number: $0, subscriber: $0 % 10)) }
        #expect(store.store(items).allSatisfy { $0 == .stored })
    }

    private func whole(_ store: NotificationStore) throws -> [String: SubscriberRows] {
        try store.allSubscribers(app: Sample.app, environment: Self.environment)
    }

    /// Writes states with the rows up to a mark.
    private func write(_ store: NotificationStore, upTo mark: StateMark) throws {
        let states = try whole(store).values.map {
            SubscriberState(
                originalTransactionID: $0.originalTransactionID,
                bytes: [7],
                sources: [],
                downloads: [],
                packedRows: $0.packed(upTo: mark)
            )
        }
        #expect(states.allSatisfy { $0.packedRows?.count ?? 0 > 100 })
        try store.write(states, app: Sample.app, environment: Self.environment)
    }

    private func packed(
        _ store: NotificationStore,
        _ newer: [String: SubscriberRows] = [:],
        app: String = Sample.app
    ) throws -> [String: SubscriberRows] {
        let ids = (0..<10).map(id) + ["1"]
        return try store.packedSubscribers(
            ids,
            adding: newer,
            upTo: try store.settledMark(),
            app: app,
            environment: Self.environment
        )
    }

    @Test("are those in the tables, together with the ones that came later", arguments: StoreSystem.allCases)
    func rows(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        try fill(store, 1...40)
        let first = try store.settledMark()
        try write(store, upTo: first)
        #expect(try packed(store) == whole(store).mapValues(PackedSample.cut))
        try store.noteSynchronization(of: [id(4)], app: Sample.app, environment: Self.environment, at: 9)
        #expect(try packed(store)[id(4)]?.synchronizedAt == 9 && packed(store)[id(5)]?.synchronizedAt == nil)
        try fill(store, 41...57)
        let second = try store.settledMark()
        func newer(_ from: StateMark) throws -> [String: SubscriberRows] {
            try #require(
                try store.newRows(from: from, to: second, app: Sample.app, environment: Self.environment)
            )
        }
        #expect(try newer(first).keys.sorted() == (0..<10).map(id).sorted())
        #expect(try newer(first).values.reduce(0) { $0 + $1.count } == 3 * 17)
        #expect(try newer(second).isEmpty)
        let expected = try whole(store).mapValues(PackedSample.cut)
        // Rows that are already there do not count twice.
        for from in [first, .none] {
            let all = try packed(store, newer(from)).mapValues(PackedSample.cut)
            #expect(all == expected)
        }
        try #expect(
            store.newRows(from: .none, to: second, app: "other", environment: Self.environment)?.isEmpty
                == true
        )
        #expect(try packed(store, app: "other").isEmpty)
        #expect(throws: NotificationStoreError.badArgument) {
            let many = (0...NotificationStore.subscriberPageCount).map { "\($0)" }
            _ = try store.packedSubscribers(many, adding: [:], upTo: .none, app: "", environment: "")
        }
    }

    @Test("are not read when they are too many, of any kind")
    func tooMany() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let limit = NotificationStore.newRowCount
        func isRead(_ change: (inout StateMark) -> Void) throws -> Bool {
            var to = StateMark.none
            change(&to)
            return try store.newRows(from: .none, to: to, app: "a", environment: "Sandbox") != nil
        }
        #expect(try isRead { $0.synchronizations = 2 * limit })
        for kind in [\StateMark.notifications, \.transactions, \.renewals] {
            #expect(try isRead { $0[keyPath: kind] = limit })
            #expect(try !isRead { $0[keyPath: kind] = limit + 1 })
        }
        withExtendedLifetime(place) {}
    }

    @Test("do not come with the states, and damaged ones are absent", arguments: StoreSystem.allCases)
    func damaged(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        try fill(store, 1...20)
        try write(store, upTo: try store.settledMark())
        func states() throws -> [[UInt8]] {
            try store.states(app: Sample.app, environment: Self.environment).states.map(\.bytes)
        }
        #expect(try states() == [[UInt8]](repeating: [7], count: 10))
        let connection = try place.connect()
        /// The bytes of the column, and whether the state and the rows are read.
        let cases: [([UInt8], state: [UInt8])] = [
            ([], []), ([1], []), ([1, 0, 0], []), ([1, 0, 0, 0], []), ([2, 0, 0, 0, 7], []),
            ([255, 255, 255, 255, 7], []), ([0, 0, 0, 0], []), ([1, 0, 0, 0, 7], [7]),
            ([1, 0, 0, 0, 7, 1, 2, 3], [7]), ([1, 0, 0, 0, 7, 0], [7]),
        ]
        for (bytes, state) in cases {
            try connection.run("UPDATE subscriber_states SET state = ?", [.bytes(bytes)])
            #expect(try states() == [[UInt8]](repeating: state, count: 10), "\(bytes)")
            #expect(try packed(store).isEmpty)
        }
        try connection.run("UPDATE subscriber_states SET state = NULL")
        #expect(try states().isEmpty && packed(store).isEmpty)
    }

    @Test("leave the store when their subscriber is erased", arguments: StoreSystem.allCases)
    func erased(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        try fill(store, 1...20)
        try write(store, upTo: try store.settledMark())
        _ = try store.erase(.originalTransaction(id(3)))
        _ = try store.erase(.appTransaction(Sample.Period(number: 0, subscriber: 4).appTransactionID))
        #expect(try packed(store).keys.sorted() == [0, 1, 2, 5, 6, 7, 8, 9].map(id).sorted())
        let left = try place.connect().query("SELECT state FROM subscriber_states")
        #expect(left.count == 8)
    }

    @Test("of a usual life need few bytes")
    func size() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        try fill(store, 1...100)
        let mark = try store.settledMark()
        // Ten notifications, each with a transaction and a renewal info.
        for rows in try whole(store).values {
            #expect(rows.count == 30)
            let count = try #require(rows.packed(upTo: mark)).count
            #expect(count < 1300)
        }
        withExtendedLifetime(place) {}
    }
}

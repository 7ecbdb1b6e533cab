import NotificationStore
import Support
import Testing

@Suite("A claim on the states of subscribers", .timeLimit(.minutes(5)))
struct StateClaimTests {
    private static let name = StoreCursor.statesPrefix + "Sandbox:a"

    private func states(_ bytes: [UInt8]) -> [SubscriberState] {
        (1...3).map {
            SubscriberState(originalTransactionID: "\($0)", bytes: bytes, sources: [], downloads: [])
        }
    }

    @Test(
        "lets its program write and remove states until another one has a claim",
        arguments: StoreSystem.allCases
    )
    func claims(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let (own, other) = (
            StoreCursor(position: 1, detail: "1 2 own"), StoreCursor(position: 1, detail: "1 2 other")
        )
        let claim = StateClaim(name: Self.name, cursor: own)
        func write(_ byte: UInt8) throws {
            try store.write(states([byte]), app: "a", environment: "Sandbox", with: claim)
        }
        func bytes() throws -> [[UInt8]] {
            try store.states(app: "a", environment: "Sandbox").states.map(\.bytes)
        }
        // Nobody has a claim.
        #expect(try !store.hasStates(app: "a", environment: "Sandbox"))
        try write(1)
        try store.setCursor(own, named: Self.name)
        try write(2)
        #expect(try bytes() == [[2], [2], [2]])
        for cursor in [other, StoreCursor(position: 2, detail: own.detail), StoreCursor(position: 1)] {
            try store.setCursor(cursor, named: Self.name)
            #expect(throws: NotificationStoreError.statesLocked) { try write(3) }
            #expect(throws: NotificationStoreError.statesLocked) {
                try store.removeStates(app: "a", environment: "Sandbox", with: claim)
            }
            #expect(try bytes() == [[2], [2], [2]])
        }
        #expect(try store.hasStates(app: "a", environment: "Sandbox"))
        #expect(try !store.hasStates(app: "b", environment: "Sandbox"))
        try store.setCursor(own, named: Self.name)
        try store.removeStates(app: "a", environment: "Sandbox", with: claim)
        #expect(try !store.hasStates(app: "a", environment: "Sandbox"))
    }
}

import AppStoreServerAPI
import NotificationStore
import Recovery
import SignedPayloads
import Support
import System
import Testing

/// The database systems of the store. Each test runs on both.
enum StoreSystem: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgreSQL

    var testDescription: String { rawValue }
}

/// A store beside a simulated server, and the programs that fill it.
final class RecoveryWorld {
    let apple: SimulatedApple
    let store: NotificationStore
    let verifier: SignedPayloadVerifier
    let owner: PayloadOwner
    private let folder = Result { try TemporaryDirectory() }

    init(_ system: StoreSystem, _ environment: Environment = .production) throws {
        apple = try SimulatedApple(environment)
        let address =
            switch system {
            case .sqlite: try StoreAddress("sqlite:\(folder.get().path(of: "store.db"))")
            case .postgreSQL: try StoreAddress(try PostgreSQLServer.shared().makeSchema())
            }
        var timing = StoreTiming.system
        timing.now = { [apple] in apple.now }
        store = try NotificationStore(address, StoreOptions(access: .create), timing: timing)
        verifier = try apple.verifier()
        owner = try verifier.owner(appAppleId: SimulatedApple.number, environment: environment)
    }

    /// A recovery of the world's app.
    func recovery(_ change: (inout RecoverySettings) -> Void = { _ in }) -> NotificationRecovery {
        var settings = RecoverySettings()
        change(&settings)
        return NotificationRecovery(
            api: apple,
            store: store,
            verifier: verifier,
            owner: owner,
            settings: settings,
            now: { [apple] in apple.now }
        )
    }

    /// A synchronization of the world's app.
    func sync() -> SubscriptionSync {
        SubscriptionSync(
            api: apple,
            store: store,
            verifier: verifier,
            owner: owner,
            now: { [apple] in apple.now }
        )
    }

    /// Takes a notification as the recorder does. Returns true when it is in the store.
    func receive(_ body: [UInt8]) -> Bool {
        guard let verified = try? verifier.verifyNotification(body: body.span, nowMilliseconds: apple.now)
        else {
            return false
        }
        return store.store([StoreItem(verified, source: .push, receivedAt: apple.now)]).allSatisfy(
            \.isSettled
        )
    }

    /// The JWS in the store, in their order.
    func stored(_ kind: StoredJWS.Kind = .notification) throws -> [(jws: String, source: String)] {
        var found: [(String, String)] = []
        var after: Int64? = 0
        while let place = after {
            let page = try store.jws(kind, after: place, count: 1000)
            for row in page.rows {
                found.append((String(decoding: try #require(row.jws), as: UTF8.self), row.source))
            }
            after = page.next
        }
        return found
    }

    func transactions(of id: String) throws -> [PartRow<TransactionColumns>] {
        try store.subscribers([id], app: owner.bundleId, environment: owner.environment.rawValue)
            .first?.transactions ?? []
    }

    /// Expects that the store has every notification of the simulator exactly once.
    func expectEverythingOnce() throws {
        let (found, wanted) = (try stored().map(\.jws), try apple.everything())
        #expect(found.count == wanted.count && Set(found) == Set(wanted))
    }

    /// The covered ranges.
    func coverage() throws -> [TimeRange] {
        try store.coverage(app: owner.bundleId, environment: owner.environment.rawValue).map(\.range)
    }
}

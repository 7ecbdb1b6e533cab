import Cryptography
import JSON
import NotificationStore
import Support
import System
import Testing

@Suite("retentionctl store erase")
struct StoreErasureTests {
    /// Those of the identifiers that are in the raw files of a store.
    private static func found(_ identifiers: some Sequence<String>, _ world: StoreWorld) throws -> Set<String>
    {
        var bytes: [UInt8] = []
        for suffix in ["", "-wal", "-shm", "-journal"] {
            bytes += (try? world.folder.read("store.db\(suffix)")) ?? []
        }
        return Set(identifiers.filter { RawIdentifier.occurs($0, in: bytes) })
    }

    @Test(
        "--compact leaves nothing of the subscriber in the raw files, and no import brings the subscriber back"
    )
    func rawFiles() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 200)
        let before = try world.export(address)
        let number = StoreWorld.subscription(2)
        let gone = [String(number), String(number + 3), String(number + 700_000_000)]
        let stay = String(StoreWorld.subscription(1))
        #expect(try Self.found(gone + [stay], world) == Set(gone + [stay]))
        let run = try world.store(
            "erase", "--subscriber", gone[0], "--compact", "--confirm", "--json", at: address)
        #expect(run.status == 0, "\(run.errors)")
        let root = try Tool.document(run).root
        #expect(root.member("notifications")?.int64 ?? 0 > 0 && root.member("compacted")?.boolean == true)
        #expect(root.member("transactions")?.int64 ?? 0 > 0)
        #expect(root.member("linkedAppTransactionIds")?.elements.compactMap(\.string) == [gone[2]])
        #expect(try Self.found(gone[..<2] + [stay], world) == [stay])
        // A notification about the download of the app names no subscription.
        let download = try world.store(
            "erase", "--app-transaction-id", gone[2], "--compact", "--confirm", at: address)
        #expect(download.status == 0, "\(download.errors)")
        #expect(try Self.found(gone + [stay], world) == [stay])
        // Neither the same bodies nor an older export bring the subscriber back.
        let again = try world.take(world.bodies(0..<200), into: address)
        #expect(again.root.member("erased")?.int64 ?? 0 > 0 && again.root.member("stored")?.int64 == 0)
        try world.folder.write(before, to: "old")
        let old = try world.take(world.folder.path(of: "old"), into: address)
        #expect(old.root.member("erased")?.int64 ?? 0 > 0 && old.root.member("stored")?.int64 == 0)
        #expect(try Self.found(gone, world).isEmpty)
    }

    @Test("works on PostgreSQL, where no row is left and the export has none", arguments: StoreKind.allCases)
    func rows(kind: StoreKind) throws {
        let world = try StoreWorld()
        let address = try world.filled(kind)
        let id = String(StoreWorld.subscription(4))
        let run = try world.store("erase", "--subscriber", id, "--confirm", at: address)
        #expect(run.status == 0, "\(run.errors)")
        let lines = String(decoding: try world.export(address), as: UTF8.self)
        #expect(!lines.contains(id) && !lines.isEmpty)
        let list = try Tool.run(
            ["notifications", "list", "--subscriber", id, "--store", address]
        )
        #expect(list.status == 0 && list.output.isEmpty)
        let again = try world.take(world.bodies(0..<60), into: address)
        #expect(again.root.member("stored")?.int64 == 0 && again.root.member("erased")?.int64 ?? 0 > 0)
    }

    @Test("takes tombstones over with an export, so another store drops the subscriber, too")
    func tombstones() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
        let id = String(StoreWorld.subscription(4))
        _ = try world.store("erase", "--subscriber", id, "--confirm", at: address)
        let other = try world.address(.postgreSQL)
        _ = try world.export(address)
        try world.take(world.folder.path(of: "export"), into: other)
        let again = try world.take(world.bodies(0..<60), into: other)
        #expect(again.root.member("stored")?.int64 == 0 && again.root.member("erased")?.int64 ?? 0 > 0)
    }

    @Test("asks before it erases, and changes nothing when nobody can answer")
    func consent() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 10)
        let before = try world.export(address)
        let run = try world.store("erase", "--subscriber", "2000000500000", at: address)
        #expect(run.status == 64 && run.errors.contains("confirm.missing"), "\(run.errors)")
        #expect(try world.export(address) == before)
    }

    @Test("finds decisions by the key of the logs, and says so when it has none")
    func decisions() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 10)
        let id = String(StoreWorld.subscription(4))
        let key = IdentifierKey.make()
        try world.folder.write("\(key.text)\n", to: "identifier.key", permissions: 0o600)
        var batch = DecisionBatch()
        for (number, id) in [id, "2000000000000001", "2000000000000002"].enumerated() {
            let name = try #require(Hexadecimal.decode(key.pseudonyms().pseudonym(of: id)))
            batch.add(
                DecisionBatch.Record(
                    subscriber: try #require(UUID(bytes: name)), signedAt: Int64(number) * 86_400_000,
                    request: UUID(high: 0, low: 1), app: 7, environment: "Production", digest: "d",
                    draws: DecisionDraws(isHeldOut: true, isDrawn: true, rules: []), product: "p",
                    served: "none"))
        }
        try NotificationStore(StoreAddress(address), StoreOptions(access: .write)).add(batch)
        func decisions(_ arguments: String...) throws -> (root: JSONValue?, errors: String) {
            let run = try Tool.run(["store"] + arguments + ["--json", "--store", address])
            return (try Tool.document(run).root.member("decisions"), run.errors)
        }
        #expect(try decisions("stats").root?.int64 == 3)
        let blind = try decisions("erase", "--subscriber", id, "--confirm")
        #expect(blind.root?.kind == .null && blind.errors.contains("store.decisions-stay"), "\(blind.errors)")
        let path = world.folder.path(of: "identifier.key")
        let sighted = try decisions("erase", "--subscriber", id, "--identifier-key", path, "--confirm")
        #expect(sighted.root?.int64 == 1 && sighted.errors.isEmpty, "\(sighted.errors)")
        #expect(try decisions("prune", "--before", "1970-01-03T00:00:00Z", "--confirm").root?.int64 == 1)
        #expect(try decisions("stats").root?.int64 == 1)
    }
}

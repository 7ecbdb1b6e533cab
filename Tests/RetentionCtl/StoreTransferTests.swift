import JSON
import NotificationStore
import SQL
import Support
import System
import Testing

@Suite("retentionctl store export and import")
struct StoreTransferTests {
    @Test("take bodies over once, and count what was there")
    func bodies() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
        let again = try world.take(world.bodies(0..<62), into: address)
        #expect(again.root.member("stored")?.int64 == 2)
        #expect(again.root.member("alreadyThere")?.int64 == 60)
        #expect(again.root.member("refused")?.int64 == 0)
    }

    @Test("see the same store behind a symbolic link")
    func sameStore() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
        let link = world.folder.path(of: "link.db")
        let path = String(address.dropFirst("sqlite:".count))
        #expect(try ProgramRun.run("ln", ["-s", path, link]).status == 0)
        let run = try Tool.run(
            ["store", "import", "--from", "sqlite:\(link)", "--store", address] + world.trust
        )
        #expect(run.status != 0 && run.errors.contains("store.same-store"), "\(run.errors)")
        // The sample of the disk's speed, the sizes and the log belong to the file itself.
        let resolved = try StoreAddress("sqlite:\(link)").resolved
        #expect(try resolved == StoreAddress(address).resolved && resolved.description != "sqlite:\(link)")
    }

    /// The way of a store through other stores.
    static let ways: [[StoreKind]] = [
        [.sqlite, .sqlite], [.sqlite, .postgreSQL, .sqlite], [.postgreSQL, .sqlite, .postgreSQL],
    ]

    @Test("are lossless: an export of an imported export is the same, in both directions", arguments: ways)
    func lossless(way: [StoreKind]) throws {
        let world = try StoreWorld()
        var address = try world.filled(way[0])
        // Things that belong to the store as a whole, and a part that came by itself before its notification.
        let erased = String(StoreWorld.subscription(3))
        let erasing = try world.store("erase", "--subscriber", erased, "--confirm", at: address)
        #expect(erasing.status == 0, "\(erasing.errors)")
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .write))
        try store.cover(
            app: "com.example.app", environment: "Sandbox", TimeRange(from: 5, to: 9), finishedAt: 11)
        try store.setCursor(StoreCursor(position: 30), named: "forward:example.com#1")
        try store.setCursor(StoreCursor(position: 7, detail: "token"), named: "recover:example")
        store.disconnect()
        let first = try world.export(address)
        for (number, kind) in way.enumerated().dropFirst() {
            let next = try world.address(kind, "store\(number)")
            // Through a file, or straight from one store to the other.
            let words = number == 1 ? [world.folder.path(of: "export")] : ["--from", address]
            let run = try Tool.run(["store", "import"] + words + ["--store", next] + world.trust)
            #expect(run.status == 0, "\(run.errors)")
            let second = try world.export(next)
            #expect(second == first, "\(way) \(number)")
            let verify = try Tool.run(["store", "check", "--signatures", "--store", next] + world.anchors)
            #expect(verify.status == 0, "\(verify.output)")
            address = next
        }
        #expect(!String(decoding: first, as: UTF8.self).contains(erased))
    }

    @Test(
        "take tombstones over, and delete what the store has of their subscribers")
    func tombstones() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
        let before = try world.export(address)
        let other = try world.address(.sqlite, "other")
        try world.take(world.folder.path(of: "export"), into: other)
        let erased = String(StoreWorld.subscription(3))
        let run = try world.store("erase", "--subscriber", erased, "--confirm", at: other)
        #expect(run.status == 0, "\(run.errors)")
        let export = try world.export(other)
        let report = try world.take(world.folder.path(of: "export"), into: address).root
        #expect(report.member("tombstones")?.int64 ?? 0 > 0 && report.member("deleted")?.int64 ?? 0 > 10)
        #expect(report.member("stored")?.int64 == 0 && report.member("erased")?.int64 == 0)
        let after = try world.export(address)
        #expect(after == export && after.count < before.count)
        #expect(!String(decoding: after, as: UTF8.self).contains(erased))
        // An import that was interrupted is finished by the same command.
        let again = try world.take(world.folder.path(of: "export"), into: address).root
        #expect(again.member("deleted")?.int64 == 0)
    }

    @Test("keep the place of forwarding by the notification, not by its number")
    func cursors() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 20)
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .write))
        // The numbers of the other store begin at 1 again.
        _ = try store.erase(.originalTransaction(String(StoreWorld.subscription(1))))
        try store.setCursor(StoreCursor(position: 15), named: "forward:example.com#1")
        // Whole histories are known there, too.
        try store.rememberSynchronization(of: ["71", "72"], app: "a", environment: "Sandbox", at: 1000)
        let synchronized = try store.synchronizations().rows
        let passed = try store.notifications(
            NotificationFilter(), StorePage(.descending, after: 16, count: 1))
        let last = try #require(passed.rows.first)
        store.disconnect()
        let other = try world.address(.sqlite, "other")
        let run = try Tool.run(["store", "import", "--from", address, "--store", other] + world.trust)
        #expect(run.status == 0, "\(run.errors)")
        let copy = try NotificationStore(StoreAddress(other), StoreOptions(access: .read))
        let cursor = try #require(try copy.cursor(named: "forward:example.com#1"))
        var filter = NotificationFilter()
        filter.uuid = last.uuid
        #expect(try copy.notifications(filter).rows.map(\.id) == [cursor.position])
        #expect(try copy.cursorNames() == ["forward:example.com#1"])
        #expect(try copy.synchronizations().rows == synchronized && synchronized.count == 2)
        #expect(cursor.position < last.id)
    }

    /// A line, and the code with which it is refused.
    static let badLines: [(line: String, code: String)] = [
        ("{}", "store.bad-line"), ("{\"signedPayload\":7}", "store.bad-line"), ("{\"", "store.bad-line"),
        ("[]", "jws-not-three-parts"), ("not a line", "jws-not-three-parts"),
        (#"{"notification":"a.b.c"}"#, "store.bad-line"),
        (
            #"{"renewal":"a.b.c","app":"a","environment":"Mars","source":"api","receivedAt":1}"#,
            "store.row-differs"
        ),
        (#"{"tombstone":"00","erasedAt":1}"#, "store.bad-line"),
        (#"{"tombstoneKey":"zz"}"#, "store.bad-line"),
        (#"{"coverage":"a","environment":"Sandbox","from":2,"to":1,"finishedAt":1}"#, "store.bad-line"),
        (#"{"synchronized":"1","app":"a","environment":"Sandbox"}"#, "store.bad-line"),
        (#"{"format":"another","version":1}"#, "store.bad-line"),
    ]

    @Test("refuse a line by its code and number, store the others, and then take no finished range over")
    func refused() throws {
        let world = try StoreWorld()
        let address = try world.address(.sqlite)
        var good = try world.body(1)
        var tampered = try world.body(2)
        // Another letter of base64url, in the signature.
        let index = tampered.count - 10
        tampered[index] = tampered[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        good.append(UInt8(ascii: "\n"))
        let coverage = #"{"coverage":"a","environment":"Sandbox","from":1,"to":2,"finishedAt":1}"#
        let place = #"{"cursor":"recover:a","position":5,"detail":"token"}"#
        let lines = Self.badLines.map(\.line).joined(separator: "\n") + "\n\(coverage)\n\(place)\n"
        try world.folder.write(Array(lines.utf8) + good + tampered, to: "lines")
        let run = try Tool.run(
            ["store", "import", world.folder.path(of: "lines"), "--json", "--store", address] + world.trust
        )
        #expect(run.status == 65)
        let root = try Tool.document(run).root
        #expect(root.member("stored")?.int64 == 1 && root.member("coverage")?.int64 == 0)
        #expect(root.member("cursors")?.int64 == 0)
        #expect(root.member("refused")?.int64 == Int64(Self.badLines.count + 1))
        let found = root.member("diagnostics")?.elements ?? []
        for (number, row) in Self.badLines.enumerated() {
            #expect(found[number].member("line")?.int64 == Int64(number + 1))
            #expect(found[number].member("code")?.string == row.code, "\(row.line)")
        }
        #expect(found.last?.member("code")?.string == "signature-invalid")
    }

    @Test("pass by every row that the database refuses, and store what follows")
    func refusedRows() throws {
        let world = try StoreWorld()
        let address = try world.filled(.postgreSQL, count: 1)
        let schema = try #require(address.split(separator: "%3D").last)
        try PostgreSQLServer.shared().command(
            """
            ALTER TABLE \(schema).notifications ADD CONSTRAINT refused
            CHECK (uuid < '\(StoreWorld.uuid(1))' OR uuid > '\(StoreWorld.uuid(60))')
            """,
            database: "postgres"
        )
        let file = try world.bodies(1..<64)
        for (name, other) in [("stored", "alreadyThere"), ("alreadyThere", "stored")] {
            let run = try Tool.run(["store", "import", file, "--json", "--store", address] + world.trust)
            #expect(run.status == 65, "\(run.errors)")
            let root = try Tool.document(run).root
            #expect(root.member("refused")?.int64 == 60)
            #expect(root.member(named: name)?.int64 == 3 && root.member(named: other)?.int64 == 0)
            let codes = (root.member("diagnostics")?.elements ?? []).compactMap { $0.member("code")?.string }
            #expect(codes == .init(repeating: "sql.constraint", count: 60))
        }
    }

    @Test("refuse an export of a newer release, and a line that is too long, before they store what follows")
    func newer() throws {
        let world = try StoreWorld()
        let body = String(decoding: try world.body(1), as: UTF8.self)
        let long = String(repeating: "a", count: 1_100_000)
        for (first, code) in [
            (#"{"format":"retention-notifications","version":2}"#, "store.newer-export"),
            (long, "sample.unusable"),
        ] {
            try world.folder.write("\(first)\n\(body)\n", to: "lines")
            let address = try world.address(.sqlite, "store\(code)")
            let run = try Tool.run(
                ["store", "import", world.folder.path(of: "lines"), "--store", address] + world.trust
            )
            #expect(run.status == 65 && run.errors.contains(code), "\(run.errors)")
            let stats = try world.store("stats", "--json", at: address)
            #expect(try Tool.document(stats).root.member("notifications")?.int64 == 0)
        }
    }

    @Test("accept only the apps of the configuration")
    func apps() throws {
        let world = try StoreWorld()
        let file = try world.bodies(0..<5)
        for (bundle, stored) in [("com.example.app", 5), ("com.example.other", 0)] {
            let configuration = """
                {"anchors": ["\(world.folder.path(of: "root.pem"))"],
                 "apps": [{"appAppleId": 531412, "bundleId": "\(bundle)", "environments": ["Sandbox"]}]}
                """
            try world.folder.write(configuration, to: "retentiond.json")
            let address = try world.address(.sqlite, bundle)
            let run = try Tool.run([
                "store", "import", file, "--json", "--store", address,
                "--config", world.folder.path(of: "retentiond.json"),
            ])
            #expect(run.status == (stored == 0 ? 65 : 0), "\(run.errors)")
            let root = try Tool.document(run).root
            #expect(root.member("stored")?.int64 == Int64(stored))
            let codes = (root.member("diagnostics")?.elements ?? []).compactMap { $0.member("code")?.string }
            #expect(Set(codes) == (stored == 0 ? ["app-unknown"] : []))
        }
    }

    private static let receiver = "forward:example.com#1"

    /// A line that says that a receiver has everything up to a row.
    private func line(_ row: NotificationRow) -> [UInt8] {
        Array(
            """
            {"cursor":"\(Self.receiver)","after":{"app":"\(row.app)","environment":"\(row.environment)",\
            "notificationUUID":"\(row.uuid)"}}

            """.utf8
        )
    }

    private func rows(_ address: String) throws -> [NotificationRow] {
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .read))
        return try store.notifications(NotificationFilter(), StorePage(count: 1000)).rows
    }

    private func position(_ address: String) throws -> Int64? {
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .read))
        return try store.cursor(named: Self.receiver)?.position
    }

    /// The 40 bodies of a store as lines, and the line of a receiver that has the first 30.
    private func lines(_ world: StoreWorld) throws -> (bodies: [[UInt8]], place: [UInt8]) {
        let source = try world.filled(.sqlite, count: 40, name: "source")
        let bodies = try world.lines(of: "bodies").map { $0 + [UInt8(ascii: "\n")] }
        return (bodies, line(try rows(source)[29]))
    }

    @Test("keep no place of a receiver for notifications that were here before, or in another order")
    func others() throws {
        let world = try StoreWorld()
        let (bodies, place) = try lines(world)
        for (name, first) in [("other", try world.body(60) + [10]), ("later", bodies[35])] {
            let address = try world.address(.sqlite, name)
            try world.folder.write(first, to: "first")
            try world.take(world.folder.path(of: "first"), into: address)
            try world.folder.write(Array(bodies.joined()) + place, to: "all")
            try world.take(world.folder.path(of: "all"), into: address)
            #expect(try position(address) == nil, "\(name)")
        }
    }

    @Test("leave promises out with a damaged row, by the export and by the import")
    func damaged() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .write))
        let range = TimeRange(from: 5, to: 9)
        try store.cover(app: "com.example.app", environment: "Sandbox", range, finishedAt: 11)
        try store.setCursor(StoreCursor(position: 30), named: Self.receiver)
        try store.rememberSynchronization(
            of: ["71"], app: "com.example.app", environment: "Sandbox", at: 1000)
        store.disconnect()
        let words = ["\"coverage\"", "\"synchronized\"", "\"\(Self.receiver)\""]
        let whole = String(decoding: try world.export(address), as: UTF8.self)
        #expect(words.allSatisfy(whole.contains))
        let file = String(address.dropFirst("sqlite:".count))
        try SQLiteConnection(path: file, SQLiteOptions(access: .write)).run(
            "UPDATE transactions SET payload = NULL WHERE id = 3"
        )
        let path = world.folder.path(of: "export")
        let run = try world.store("export", "-o", path, at: address)
        #expect(run.status == 65 && run.errors.contains("store.incomplete-row"), "\(run.errors)")
        let lines = String(decoding: try world.folder.read("export"), as: UTF8.self)
        #expect(words.map(lines.contains) == [false, false, true])
        for source in [[path], ["--from", address]] {
            let target = try world.address(.sqlite, "target\(source.count)")
            let run = try Tool.run(["store", "import"] + source + ["--store", target] + world.trust)
            #expect(run.status == (source.count == 1 ? 0 : 65), "\(run.errors)")
            let copy = try NotificationStore(StoreAddress(target), StoreOptions(access: .read))
            #expect(try copy.coveredApps().isEmpty && copy.synchronizations().rows.isEmpty)
        }
    }
}

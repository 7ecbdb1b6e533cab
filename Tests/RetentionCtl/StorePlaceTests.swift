import JSON
import NotificationStore
import SQL
import Support
import System
import Testing

@Suite("Places and promises that an import takes over")
struct StorePlaceTests {
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

    @Test("let no receiver miss what a recorder stored during the import")
    func recorderAtWork() throws {
        let world = try StoreWorld()
        let (bodies, place) = try lines(world)
        let pushed = try world.bodies(50..<51, to: "pushed")
        let address = try world.address(.sqlite)
        try world.folder.write(Array(bodies[..<20].joined()), to: "first")
        try world.folder.write(Array(bodies[20...].joined()) + place, to: "rest")
        let script = """
            cd "$0" && { cat first; while ! test -e go; do sleep 0.05; done; cat rest; } | "$@"
            """
        let words = ["store", "import", "-", "--json", "--store", address] + world.trust
        let all = ["-c", script, world.folder.path, try ProgramRun.product("retentionctl")] + words
        let importing = try JoinableThread { Result { try ProgramRun.run("sh", all) } }
        let hasBegun = Patience.wait(seconds: 120) { ((try? self.rows(address).count) ?? 0) > 0 }
        // The recorder stores a notification before the import has the rest of its lines.
        let taken = Result { try world.take(pushed, into: address) }
        try world.folder.write("", to: "go")
        let run = try #require(importing.join()).get()
        #expect(hasBegun && run.status == 0, "\(run.errors)")
        _ = try taken.get()
        let found = try rows(address)
        let foreign = try #require(found.first { $0.uuid.hasSuffix("32") })
        #expect(found.count == 41 && foreign.id < 30)
        let last = try #require(found.last { $0.id < foreign.id })
        #expect(try position(address) == last.id)
    }

    @Test("are found by the same import after an interruption")
    func interrupted() throws {
        let world = try StoreWorld()
        let (bodies, place) = try lines(world)
        let address = try world.address(.sqlite)
        try world.folder.write(Array(bodies[..<13].joined()), to: "beginning")
        try world.take(world.folder.path(of: "beginning"), into: address)
        try world.folder.write(Array(bodies.joined()) + place, to: "all")
        try world.take(world.folder.path(of: "all"), into: address)
        #expect(try position(address) == rows(address)[29].id)
        // A place that the store has is its own.
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .write))
        try store.setCursor(StoreCursor(position: 2), named: Self.receiver)
        try world.take(world.folder.path(of: "all"), into: address)
        #expect(try position(address) == 2)
    }

    @Test("are not those of another store for notifications that were here before, or in another order")
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

    @Test("are left out with a damaged row, by the export and by the import")
    func damaged() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .write))
        let range = TimeRange(from: 5, to: 9)
        try store.cover(app: "com.example.app", environment: "Sandbox", range, finishedAt: 11)
        try store.setCursor(StoreCursor(position: 7, detail: "token"), named: "recover:example")
        try store.setCursor(StoreCursor(position: 30), named: Self.receiver)
        try store.noteSynchronization(of: ["71"], app: "com.example.app", environment: "Sandbox", at: 1000)
        store.disconnect()
        let words = ["\"coverage\"", "\"recover:example\"", "\"synchronized\"", "\"\(Self.receiver)\""]
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
        #expect(words.map(lines.contains) == [false, false, false, true])
        for source in [[path], ["--from", address]] {
            let target = try world.address(.sqlite, "target\(source.count)")
            let run = try Tool.run(["store", "import"] + source + ["--store", target] + world.trust)
            #expect(run.status == (source.count == 1 ? 0 : 65), "\(run.errors)")
            let copy = try NotificationStore(StoreAddress(target), StoreOptions(access: .read))
            #expect(try copy.coveredApps().isEmpty && copy.synchronizations().rows.isEmpty)
            #expect(try copy.cursor(named: "recover:example") == nil)
        }
    }
}

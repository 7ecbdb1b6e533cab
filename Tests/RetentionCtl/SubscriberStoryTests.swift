import JSON
import SQL
import Support
import Testing

@Suite("retentionctl subscriptions show", .timeLimit(.minutes(10)))
struct SubscriberStoryTests {
    private func show(_ id: String, _ world: StoreWorld, _ address: String, _ words: [String] = []) throws
        -> ProgramRun
    {
        try Tool.run(
            [
                "subscriptions", "show", id, "--app", "com.example.app", "--environment", "Sandbox",
                "--store",
                address,
            ] + words
        )
    }

    @Test(
        "prints each event with what it changed, and each fact with its reason",
        arguments: StoreKind.allCases
    )
    func story(kind: StoreKind) throws {
        let world = try StoreWorld()
        let address = try world.filled(kind)
        let id = String(StoreWorld.subscription(1))
        let run = try show(id, world, address, ["--json"])
        #expect(run.status == 0, "\(run.errors)")
        let root = try Tool.document(run).root
        let entries = root.member("timeline")?.elements ?? []
        // Every fifth of the sixty notifications is about this subscriber. Those without a transaction name nobody.
        #expect((8...12).contains(entries.count))
        let times = entries.compactMap { $0.member("at")?.int64 }
        #expect(times == times.sorted())
        let facts = root.member("facts")?.members ?? []
        #expect(facts.count == 38)
        for fact in facts {
            let isMissing = fact.value.member("value")?.kind == .null
            #expect(isMissing == (fact.value.member("missing")?.string != nil), "\(fact.name)")
            #expect(isMissing || fact.value.member("from")?.elements.isEmpty == false, "\(fact.name)")
        }
        // The last value that an entry gives a fact is what the facts say at that time.
        let last = try #require(times.last)
        let then = try Tool.document(try show(id, world, address, ["--json", "--now", String(last)])).root
        var values: [String: String] = [:]
        for change in entries.flatMap({ $0.member("changes")?.elements ?? [] }) {
            values[try #require(change.member("fact")?.string)] = change.member("after")?.string
        }
        let product = try #require(values["currentProductId"])
        #expect(then.member("facts")?.member("currentProductId")?.member("value")?.string == product)
        let text = try show(id, world, address)
        #expect(text.status == 0 && text.output.contains("currentProductId: missing -> "), "\(text.output)")
        #expect(text.output.contains("facts as of "))
    }

    @Test("tells a notification that was deleted from an answer of Apple's API")
    func pruned() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
        let id = String(StoreWorld.subscription(1))
        let title = "a notification that is no longer in the store"
        #expect(try !show(id, world, address).output.contains(title))
        let path = world.folder.path(of: "store.db")
        try SQLiteConnection(path: path, SQLiteOptions(access: .write)).run("DELETE FROM notifications")
        let after = try show(id, world, address).output
        #expect(after.contains(title), "\(after)")
        #expect(!after.contains("an answer of the App Store Server API"), "\(after)")
    }

    @Test("ends with 1 for somebody of whom nothing is known, and with an error without a store")
    func unknown() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 5)
        let run = try show("1", world, address)
        #expect(run.status == 1 && run.output == "nothing is known of the subscriber\n")
        #expect(try show("1", world, address, ["--json"]).output == "null\n")
        let missing = try show("1", world, "sqlite:\(world.folder.path(of: "none.db"))")
        #expect(missing.status == 66 && missing.errors.contains("store.missing"), "\(missing.errors)")
        let other = try show("1", world, address, ["--environment", "Xcode"])
        #expect(other.status == 64 && other.errors.contains("Production and Sandbox"), "\(other.errors)")
    }
}

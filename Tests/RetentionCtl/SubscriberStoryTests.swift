import JSON
import SQL
import Support
import Testing

@Suite("retentionctl subscriptions show")
struct SubscriberStoryTests {
    private func show(_ id: String, _ world: StoreWorld, _ address: String, _ words: [String] = []) throws
        -> ProgramRun
    {
        try Tool.run(
            [
                "subscriptions", "show", id, "--bundle-id", "com.example.app", "--environment", "Sandbox",
                "--store", address,
            ] + words
        )
    }

    @Test(
        "prints what happened, the product, the price and the transaction, and each fact with its reason"
    )
    func story() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
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
        }
        let text = try show(id, world, address)
        #expect(text.status == 0 && text.output.contains("facts as of "))
        let lines = text.output.split(separator: "\n").prefix(entries.count)
        #expect(lines.allSatisfy { $0.contains("Z  ") }, "\(lines)")
        #expect(lines.contains { $0.contains(" USD, ") && $0.contains(", transaction ") }, "\(lines)")
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
        #expect(missing.status == 65 && missing.errors.contains("store.missing"), "\(missing.errors)")
        let other = try show("1", world, address, ["--environment", "Xcode"])
        #expect(other.status == 64 && other.errors.contains("Production and Sandbox"), "\(other.errors)")
    }
}

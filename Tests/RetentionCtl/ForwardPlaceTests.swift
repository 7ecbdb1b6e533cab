import JSON
import NotificationStore
import Support
import System
import Testing

@Suite("The place of a receiver")
struct ForwardPlaceTests {
    private let world: StoreWorld
    private let address: String

    init() throws {
        world = try StoreWorld()
        address = try world.filled(.sqlite, count: 60)
    }

    /// Writes a configuration with these receivers, and returns its path.
    private func configuration(_ urls: [String]) throws -> String {
        let entries = urls.map { #"{"url": "\#($0)"}"# }.joined(separator: ", ")
        let receivers = urls.isEmpty ? "" : #", "forward": [\#(entries)]"#
        try world.folder.write(
            """
            {"apps": [{"appAppleId": 531412, "bundleId": "com.example.app", "environments": ["Sandbox"]}],
             "notifications": {"store": "\(address)"\(receivers)}}
            """,
            to: "retentiond.json"
        )
        return world.folder.path(of: "retentiond.json")
    }

    /// Prunes everything that may be pruned, and returns how much that was, who holds the rest back, and up to where.
    private func prune(_ selection: [String]) throws -> (deleted: Int64?, receiver: String?, upTo: Int64?) {
        let run = try Tool.run(
            ["store", "prune", "--confirm", "--before", "2100-01-01T00:00:00Z", "--json"] + selection)
        #expect(run.status == 0, "\(run.errors)")
        let report = try Tool.document(run).root
        return (
            report.member("deleted")?.int64, report.member("slowestReceiver")?.string,
            report.member("upTo")?.int64
        )
    }

    /// A URL of this machine at which nobody listens.
    private static func nobody() throws -> String {
        "https://127.0.0.1:\(try LoopbackPort.free(1)[0])/in?key=hunter2"
    }

    @Test("holds pruning back from the moment at which the configuration names the receiver")
    func new() throws {
        let receiver = try ForwardReceiver(url: Self.nobody())
        let selection = ["--config", try configuration([receiver.url])]
        let found = try prune(selection)
        #expect(found.deleted == 0 && found.receiver == receiver.name && found.upTo == 0)
        let words = try Tool.run(
            ["store", "prune", "--confirm", "--before", "2100-01-01T00:00:00Z"] + selection)
        #expect(words.status == 0)
        #expect(words.output.contains("slowestReceiver  \(receiver.name)\nupTo             0\n"))
        #expect(!words.output.contains("hunter2"))
        // Without the configuration, nobody knows of a receiver to which nothing was ever passed on.
        let all = try prune(["--store", address])
        #expect(all.deleted ?? 0 > 0 && all.receiver == nil && all.upTo == nil)
    }

    @Test("holds pruning back until the receiver has everything, or is forgotten")
    func forgotten() throws {
        let (good, bad) = (try ForwardReceiver(url: Self.nobody()), try ForwardReceiver(url: Self.nobody()))
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .write))
        try store.setCursor(StoreCursor(position: 60), named: good.cursorName)
        let both = try configuration([good.url, bad.url])
        #expect(try Tool.run(["notifications", "forward", "--config", both]).status == 69)
        // The place is in the store, so the configuration is not needed any more.
        let found = try prune(["--store", address])
        #expect(found.deleted == 0 && found.receiver == bad.name && found.upTo == 0)

        let forget = ["notifications", "forward", "--forget"]
        let configured = try Tool.run(forget + [bad.name, "--config", both])
        #expect(configured.status == 64 && configured.errors.contains("The configuration has this receiver."))
        let following = try Tool.run(forget + [bad.name, "--follow", "--config", both])
        #expect(following.status == 64, "\(following.errors)")

        let without = try configuration([good.url])
        #expect(try prune(["--config", without]).receiver == bad.name)
        let unknown = try Tool.run(forget + ["example.com#0", "--config", without])
        #expect(unknown.status == 1 && unknown.output == "no such receiver\n")
        let gone = try Tool.run(forget + [bad.name, "--config", without])
        #expect(gone.status == 0 && gone.output == "forgotten\n", "\(gone.errors)")
        let rest = try prune(["--config", without])
        #expect(rest.deleted ?? 0 > 0 && rest.receiver == good.name && rest.upTo == 60)
    }

    @Test("can be forgotten when the configuration has no receiver at all")
    func last() throws {
        let receiver = try ForwardReceiver(url: Self.nobody())
        let named = try configuration([receiver.url])
        #expect(try Tool.run(["notifications", "forward", "--config", named]).status == 69)
        let none = try configuration([])
        let gone = try Tool.run(["notifications", "forward", "--forget", receiver.name, "--config", none])
        #expect(gone.status == 0 && gone.output == "forgotten\n", "\(gone.errors)")
        #expect(try prune(["--config", none]).receiver == nil)
    }
}

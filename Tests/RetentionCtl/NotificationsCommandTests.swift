import JSON
import NotificationStore
import Support
import System
import Testing

@Suite("retentionctl notifications")
struct NotificationsCommandTests {
    /// Runs `notifications list --json` and returns the rows.
    private static func list(_ words: [String], _ address: String) throws -> [JSONValue] {
        let run = try Tool.run(["notifications", "list", "--json", "--store", address] + words)
        #expect(run.status == 0, "\(run.errors)")
        return try Tool.document(run).root.member("notifications")?.elements ?? []
    }

    @Test("lists by each filter, and shows identifiers only when asked", arguments: StoreKind.allCases)
    func list(kind: StoreKind) throws {
        let world = try StoreWorld()
        let address = try world.filled(kind)
        let all = try Self.list([], address)
        #expect(all.count == 60 && all.first?.member("id")?.int64 == 60)
        #expect(try Self.list(["--oldest-first"], address).first?.member("id")?.int64 == 1)
        let type = try #require(all[10].member("notificationType")?.string)
        let same = try Self.list(["--type", type], address)
        #expect(!same.isEmpty && same.allSatisfy { $0.member("notificationType")?.string == type })
        let id = String(StoreWorld.subscription(1))
        let own = try Self.list(["--subscriber", id, "--identifiers"], address)
        #expect(!own.isEmpty && own.allSatisfy { $0.member("originalTransactionId")?.string == id })
        let product = try Self.list(["--product", "com.example.product"], address)
        #expect(!product.isEmpty && product.count < 60)
        for (words, count) in [
            (["--bundle-id", "com.example.app", "--environment", "Sandbox"], nil),
            (["--bundle-id", "other"], 0),
            (["--source", "import"], 60), (["--source", "push"], 0),
            (["--from", "2000-01-01T00:00:00Z"], 60), (["--to", "2000-01-01T00:00:00Z"], 0),
        ] as [([String], Int?)] {
            let found = try Self.list(words, address)
            #expect(count.map { found.count == $0 } ?? !found.isEmpty, "\(words)")
        }
        let text = try Tool.run(["notifications", "list", "--store", address])
        #expect(text.output.split(separator: "\n").count == 60)
        #expect(!text.output.contains(id))
        let page = try Tool.run(["notifications", "list", "--limit", "7", "--store", address])
        #expect(page.output.split(separator: "\n").count == 7 && page.errors == "more: --after 54\n")
        let next = try Self.list(["--after", "54", "--limit", "1"], address)
        #expect(next.first?.member("id")?.int64 == 53)
    }

    @Test("shows a notification with what its signed parts say, and its body")
    func show() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
        let row = try #require(try Self.list(["--type", "DID_RENEW"], address).first)
        let uuid = try #require(row.member("notificationUUID")?.string)
        let id = try #require(row.member("id")?.int64)
        for name in [uuid, String(id)] {
            let run = try Tool.run(["notifications", "show", name, "--json", "--store", address])
            #expect(run.status == 0, "\(run.errors)")
            let payload = try Tool.document(run).root.member("payload")
            #expect(payload?.member("notificationUUID")?.string == uuid)
            let part = payload?.member("data")?.member("signedTransactionInfo")
            #expect(part?.member("productId")?.string == "com.example.product")
        }
        let body = try Tool.run(["notifications", "show", uuid, "--body", "--store", address])
        let number = Int(id) - 1
        let bodies = try world.lines(of: "bodies")
        #expect(body.output == String(decoding: bodies[number], as: UTF8.self) + "\n")
        let none = try Tool.run(["notifications", "show", "999", "--store", address])
        #expect(none.status == 1 && none.errors.contains("store.no-notification"))
    }

    @Test("prints with --follow the newest, and then those that come")
    func tail() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 20)
        let output = try FileDescriptor.create(path: world.folder.path(of: "tail"), permissions: 0o600)
        var child = ChildProcess(
            executable: try ProgramRun.product("retentionctl"),
            arguments: ["retentionctl", "notifications", "list", "--limit", "1", "-f", "--store", address],
            environment: ["PATH=/usr/bin:/bin", "LANG=C"])
        child.descriptors = [(output.number, 1)]
        let process = try child.start()
        func waitForLines(_ count: Int) throws -> [Substring] {
            while true {
                let lines = String(decoding: try world.folder.read("tail"), as: UTF8.self).split(
                    separator: "\n"
                )
                if lines.count >= count || !Processes.exists(process) { return lines }
                Clock.sleep(milliseconds: 20)
            }
        }
        #expect(try waitForLines(1).count == 1)
        try world.take(world.bodies(20..<25), into: address)
        let lines = try waitForLines(6)
        #expect(lines.compactMap { $0.split(separator: " ").first } == ["20", "21", "22", "23", "24", "25"])
        try Processes.send(.kill, to: process)
        _ = Processes.wait(for: process)
    }

    @Test("follows a store that is out of reach for a while, and then goes on where it was")
    func tailWaits() throws {
        let world = try StoreWorld()
        let server = try PostgreSQLServer()
        let address = server.address(database: "postgres")
        try world.take(world.bodies(0..<3), into: address)
        let output = try FileDescriptor.create(path: world.folder.path(of: "tail"), permissions: 0o600)
        let errors = try FileDescriptor.create(path: world.folder.path(of: "errors"), permissions: 0o600)
        var child = ChildProcess(
            executable: try ProgramRun.product("retentionctl"),
            arguments: ["retentionctl", "notifications", "list", "--limit", "1", "-f", "--store", address],
            environment: ["PATH=/usr/bin:/bin", "LANG=C"])
        child.descriptors = [(output.number, 1), (errors.number, 2)]
        let process = try child.start()
        defer {
            try? Processes.send(.kill, to: process)
            _ = Processes.wait(for: process)
        }
        func wait(for words: String, in file: String) throws -> Bool {
            let end = Clock.monotonicNanoseconds() + 60_000_000_000
            while Clock.monotonicNanoseconds() < end, Processes.exists(process) {
                let text = String(decoding: try world.folder.read(file), as: UTF8.self)
                if text.contains(words) { return true }
                Clock.sleep(milliseconds: 20)
            }
            return false
        }
        #expect(try wait(for: "3 ", in: "tail"))
        server.stop(.interrupt)
        #expect(try wait(for: "waiting", in: "errors"))
        try server.start()
        try world.take(world.bodies(3..<5), into: address)
        #expect(try wait(for: "\n5 ", in: "tail"))
        let text = String(decoding: try world.folder.read("tail"), as: UTF8.self)
        let numbers = text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        #expect(numbers == ["3", "4", "5"])
    }
}

import JSON
import NotificationStore
import Support
import System
import Testing

@Suite("store restore")
struct StoreRestoreTests {
    private let world: StoreWorld
    private let address: String
    private var path: String { String(address.dropFirst("sqlite:".count)) }
    private var backup: String { world.folder.path(of: "backup.db") }

    init() throws {
        world = try StoreWorld()
        address = try world.filled(.sqlite, count: 20)
        let run = try world.store("backup", world.folder.path(of: "backup.db"), at: address)
        #expect(run.status == 0, "\(run.errors)")
        try world.take(world.bodies(20..<30, to: "more"), into: address)
    }

    private func count(_ address: String) throws -> Int {
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .read))
        return try store.notifications(NotificationFilter(), StorePage(count: 100)).rows.count
    }

    @Test("puts a backup in place and the old files aside, from which the rest can be taken over")
    func restore() throws {
        let run = try world.store("restore", "--confirm", backup, "--json", at: address)
        #expect(run.status == 0, "\(run.errors)")
        let report = try Tool.document(run).root
        let aside = try #require(report.member("aside")?.element(at: 0)?.string)
        #expect(aside.hasPrefix(path + ".20"))
        #expect(try count(address) == 20 && count("sqlite:\(aside)") == 30)
        #expect(try FileStatus(path: path).permissions == 0o600)
        #expect((try? FileStatus(path: path + ".restoring")) == nil)
        let more = ["store", "import", "--from", "sqlite:\(aside)", "--store", address] + world.trust
        #expect(try Tool.run(more).status == 0)
        #expect(try count(address) == 30)
        #expect(try world.store("check", at: address).status == 0)
    }

    @Test("needs no store that can be read")
    func afterLoss() throws {
        for name in ["store.db", "store.db-wal", "store.db-shm"] {
            try Directory.removeFile(path: world.folder.path(of: name))
        }
        #expect(
            try world.store("restore", "--confirm", backup, at: address).output
                == "file   \(backup)\nbytes  \(try FileStatus(path: backup).byteCount)\naside  -\n"
        )
        #expect(try count(address) == 20)
        try world.folder.write("somebody's text", to: "store.db")
        try world.folder.write("and a log", to: "store.db-wal")
        let run = try world.store("restore", "--confirm", backup, at: address)
        #expect(run.status == 0 && run.output.split(separator: "\n").count >= 3, "\(run)")
        #expect(try count(address) == 20)
    }

    @Test("refuses a file that is no sound store, and while another program has the store open")
    func refused() throws {
        let whole = try world.folder.read("backup.db")
        var damaged = whole
        for place in 8192..<damaged.count - 4096 { damaged[place] = 0xAA }
        try world.folder.write(damaged, to: "damaged.db")
        try world.folder.write(whole[..<(whole.count / 8192 * 4096)].map { $0 }, to: "cut.db")
        try world.folder.write("somebody's text", to: "text.db")
        let before = try world.folder.read("store.db")
        for (name, status, code) in [
            ("damaged.db", 65, "sql.corrupt"), ("cut.db", 65, "sql.corrupt"),
            ("text.db", 65, "store.foreign"),
            ("none.db", 65, "store.missing"), ("store.db", 64, "is read and would be written over"),
        ] as [(String, Int32, String)] {
            let run = try world.store("restore", "--confirm", world.folder.path(of: name), at: address)
            #expect(run.status == status && run.errors.contains(code), "\(name): \(run)")
        }
        let reader = try NotificationStore(StoreAddress(address), StoreOptions(access: .read))
        let run = try world.store("restore", "--confirm", backup, at: address)
        #expect(run.status == 65 && run.errors.contains("\(address): error: store.in-use: "), "\(run)")
        withExtendedLifetime(reader) {}
        #expect(try count(address) == 30)
        #expect(try world.folder.read("store.db") == before)
        #expect(try world.store("restore", "--confirm", backup, at: "postgresql:///none").status == 64)
    }
}

import Support
import System
import Testing

@Suite("The files that retentionctl writes")
struct OutputPathTests {
    @Test("are never the store, what SQLite keeps beside it, or another file that the command names")
    func store() throws {
        let world = try StoreWorld()
        let folder = world.folder
        let address = try world.filled(.sqlite, count: 5, name: "a.facts")
        let store = String(address.dropFirst("sqlite:".count))
        _ = try ProgramRun.run("ln", [store, folder.path(of: "hard.facts")])
        _ = try ProgramRun.run("ln", ["-s", store, folder.path(of: "soft.facts")])
        _ = try ProgramRun.run("ln", ["-s", store, folder.path(of: "copy.partial")])
        try folder.write(SmallRules.source([:]), to: "rules.json")
        let schema = ["--schema", folder.path(of: "rules.json")]
        let beside = ["-wal", "-shm", "-journal"].map { store + $0 }
        let same = [
            store, folder.path + "/./a.facts.db", folder.path(of: "hard.facts"),
            folder.path(of: "soft.facts"),
        ]
        var rows = (beside + same + [folder.path(of: "root.pem")]).map {
            ["store", "export", "-o", $0, "--config", folder.path(of: "root.pem")]
        }
        rows += (beside + [folder.path(of: "copy")]).map { ["store", "backup", $0] }
        rows += [folder.path(of: "hard.facts"), folder.path(of: "soft.facts")].map {
            ["facts", "build", "-o", $0] + schema
        }
        let before = try folder.read("a.facts.db")
        // The name of the store, and a link to it.
        for row in rows.flatMap({
            [$0 + ["--store", address], $0 + ["--store", "sqlite:" + folder.path(of: "soft.facts")]]
        }) {
            let run = try Tool.run(row)
            #expect(
                run.status == 64 && run.errors.contains("is read and would be written over"),
                "\(row) \(run.errors)")
        }
        #expect(try folder.read("a.facts.db") == before)
        #expect(beside.allSatisfy { (try? FileStatus(path: $0)) == nil })
        #expect(try Tool.run(["store", "check", "--store", address]).status == 0)
    }

    @Test("are never the key for Apple's server, nor a picture of the catalogue, nor its state")
    func catalogue() throws {
        let world = try CatalogueWorld()
        #expect(try world.run("plan").status == 2)
        let state = world.apple.folder.path(of: "state")
        let names = try Directory.names(in: FileDescriptor.openDirectory(path: state), limitCount: 100)
        let file = try #require(names.first { $0.hasSuffix(".state.json") })
        for name in ["catalogue.json", "hero.png", "key.p8", "state/\(file)"] {
            let before = try world.apple.folder.read(name)
            let run = try world.run("status", ["--html", world.apple.folder.path(of: name)])
            #expect(
                run.status == 64 && run.errors.contains("is read and would be written over"), "\(name) \(run)"
            )
            guard !name.hasPrefix("state") else { continue }
            #expect(try world.apple.folder.read(name) == before)
        }
    }
}

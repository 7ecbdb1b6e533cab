import Configuration
import DataFileWriting
import DataFiles
import Support
import System
import Testing
import Vocabulary

@testable import Loader

@Suite("A load that is refused")
struct RefusedLoadTests {
    @Test("says why with a stable code", arguments: RefusedLoad.all)
    func refused(row: RefusedLoad) throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        try world.serve()
        try row.prepare(world)
        let disk = RecordedDisk()
        disk.isFull = !row.hasRoom
        let error = #expect(throws: LoadError.self) { try world.load(through: disk) }
        #expect(error?.code == row.code, "\(String(describing: error))")
        #expect(error?.description.isEmpty == false)
    }

    @Test("names the place of the columns when facts do not fit")
    func unfitFacts() throws {
        let world = try LoaderWorld()
        let declared = [RulesModel.FactDeclaration(name: "m", kind: .integer)]
        try world.push(LoaderWorld.rules(facts: declared), as: "one.rules")
        let facts = try LoaderWorld.facts()
        try world.push(facts, as: "one.facts")
        let error = #expect(throws: LoadError.self) { try world.load() }
        guard case .factsUnfit(_, _, let cause)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.offset == (try FactsFile(bytes: facts, check: .full).columnsOffset))
    }

    @Test("names the app whose file is gone", arguments: [Int64(1), 2])
    func missingFile(app: Int64) throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "1.rules")
        try world.push(LoaderWorld.rules(app: 2), as: "2.rules")
        try world.serve()
        try Directory.removeFile(path: world.folder.path(of: "data/\(app).rules"))
        let error = #expect(throws: LoadError.self) { try world.load() }
        #expect(error == .rulesFileMissing(appAppleId: app, .production, lastName: "\(app).rules"))
    }

    @Test("names the wrong file among several", arguments: [Int64(1), 2])
    func wrongFile(app: Int64) throws {
        let world = try LoaderWorld()
        for each in Int64(1)...2 {
            try world.push(LoaderWorld.rules(app: each), as: "\(each).rules")
        }
        try world.serve()
        for each in Int64(1)...2 {
            let generation: Int64 = each == app ? 9 : 11
            try world.push(LoaderWorld.rules(app: each, generation: generation), as: "\(each).rules")
        }
        let error = #expect(throws: LoadError.self) { try world.load() }
        #expect(error == .generationLower(name: "\(app).rules", generation: 9, last: 10))
        #expect(error?.description.contains("retentionctl restamp") == true)
        #expect(error?.description.contains("allowDowngrade") == true)
    }

    @Test("has a file one byte above its limit; exactly at the limit a file is accepted")
    func fileLimits() throws {
        // The lowest limit that the configuration allows.
        let limit = 4096
        let world = try LoaderWorld(#", "limits": {"rulesBytes": \#(limit), "factsBytes": \#(limit)}"#)
        let rules = (0..<limit).lazy.map { LoaderWorld.rules(revision: String(repeating: "r", count: $0)) }
        try world.push(#require(rules.first { $0.count == limit }), as: "one.rules")
        try world.push(#require(try Self.facts(byteCount: limit)), as: "one.facts")
        #expect(try world.load().files.count == 2)
        for (name, code) in [("one.rules", "rulesBytes"), ("one.facts", "factsBytes")] {
            let other = name == "one.rules" ? "factsBytes" : "rulesBytes"
            try world.configure(#", "limits": {"\#(code)": \#(limit), "\#(other)": 8192}"#)
            let whole = try world.folder.read("data/\(name)")
            try world.push(whole + [0], as: name)
            let error = #expect(throws: LoadError.self) { try world.load() }
            #expect(error == .fileTooLarge(name: name, byteCount: limit + 1, limit: limit))
            try world.push(whole, as: name)
        }
    }

    /// A facts file of exactly this length. It gets more and longer column names until it has the length.
    private static func facts(byteCount: Int) throws -> [UInt8]? {
        for count in 0..<1000 {
            let names = (0...count / 50).map { "n\($0)" } + [String(repeating: "a", count: 1 + count % 50)]
            let bytes = try LoaderWorld.facts(columns: names.map { .init(name: $0, kind: .integer) })
            if bytes.count == byteCount { return bytes }
        }
        return nil
    }

    @Test("has one file above the limit; exactly at the limit the load is accepted")
    func fullDirectory() throws {
        let apps = (1...LoaderLimits.fileCount).map {
            #"{"appAppleId": \#($0), "bundleId": "com.example", "environments": ["Production"]}"#
        }
        let world = try LoaderWorld()
        try world.configure(apps: "[\(apps.joined(separator: ","))]")
        for app in 1...LoaderLimits.fileCount {
            try world.push(LoaderWorld.rules(app: Int64(app)), as: "\(app).rules")
        }
        let manifest = try world.load().manifest
        #expect(manifest.files.count == LoaderLimits.fileCount)
        #expect(try Manifest.read(in: world.store.path(of: 1)).files == manifest.files)
        try world.push([1], as: "more.facts")
        #expect(throws: LoadError.tooManyFiles(limit: LoaderLimits.fileCount)) { try world.load() }
    }

    @Test("lacks a file, unless the file's environment is not configured any more")
    func removedEnvironment() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        try world.push(LoaderWorld.rules(.sandbox), as: "sandbox.rules")
        try world.serve()
        try Directory.removeFile(path: world.folder.path(of: "data/sandbox.rules"))
        #expect(throws: LoadError.self) { try world.load() }
        let apps = LoaderWorld.twoApps.replacing(#", "Sandbox""#, with: "")
        try world.configure(apps: apps)
        #expect(try world.load().files.count == 1)
    }

    @Test("has a lower generation, unless allowDowngrade is true")
    func downgrade() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        try world.serve()
        try world.configure(#", "allowDowngrade": true"#)
        try world.push(LoaderWorld.rules(generation: 9), as: "one.rules")
        #expect(try world.load().manifest.files[0].generation == 9)
    }

    @Test("lacks a file, unless the file's app is not configured any more")
    func removedApp() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules")
        try world.serve()
        try Directory.removeFile(path: world.folder.path(of: "data/two.rules"))
        let one = #"[{"appAppleId": 1, "bundleId": "com.example.one", "environments": ["Production"]}]"#
        try world.configure(apps: one)
        #expect(try world.load().files.count == 1)
    }
}

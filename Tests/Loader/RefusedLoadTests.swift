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
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
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
        try world.push(LoaderWorld.rules(facts: declared), as: "one.rules.json")
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
        try world.push(LoaderWorld.rules(), as: "1.rules.json")
        try world.push(LoaderWorld.rules(app: 2), as: "2.rules.json")
        try world.serve()
        try Directory.removeFile(path: world.folder.path(of: "data/\(app).rules.json"))
        let error = #expect(throws: LoadError.self) { try world.load() }
        #expect(error == .rulesFileMissing(appAppleId: app, .production, lastName: "\(app).rules.json"))
    }

    @Test("names the wrong file among several, with the line and the column", arguments: [Int64(1), 2])
    func wrongFile(app: Int64) throws {
        let world = try LoaderWorld()
        for each in Int64(1)...2 {
            var text = String(decoding: LoaderWorld.rules(app: each), as: UTF8.self)
            if each == app { text = text.replacing("DEFAULT", with: "DEFAULTS") }
            try world.push(Array(text.utf8), as: "\(each).rules.json")
        }
        let error = try #require(#expect(throws: LoadError.self) { try world.load() })
        #expect(error.code == "rules.unknown-reason")
        #expect(
            error.description.contains(#/^\d\.rules\.json:\d+:\d+: there is no reason "DEFAULTS"/#),
            "\(error)")
        #expect(error.description.hasPrefix("\(app).rules.json:"))
    }

    @Test("has a file one byte above its limit; exactly at the limit a file is accepted")
    func fileLimits() throws {
        // The lowest limit that the configuration allows.
        let limit = 4096
        let world = try LoaderWorld(#", "limits": {"rulesBytes": \#(limit), "factsBytes": \#(limit)}"#)
        let rules = LoaderWorld.rules()
        let padding = [UInt8](repeating: 0x20, count: limit - rules.count)
        try world.push(rules + padding, as: "one.rules.json")
        try world.push(#require(try Self.facts(byteCount: limit)), as: "one.facts")
        #expect(try world.load().files.count == 2)
        for (name, code) in [("one.rules.json", "rulesBytes"), ("one.facts", "factsBytes")] {
            let other = name == "one.rules.json" ? "factsBytes" : "rulesBytes"
            try world.configure(#", "limits": {"\#(code)": \#(limit), "\#(other)": 8192}"#)
            let whole = try world.folder.read("data/\(name)")
            try world.push(whole + [0x20], as: name)
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
            try world.push(LoaderWorld.rules(app: Int64(app)), as: "\(app).rules.json")
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
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        try world.push(LoaderWorld.rules(.sandbox), as: "sandbox.rules.json")
        try world.serve()
        try Directory.removeFile(path: world.folder.path(of: "data/sandbox.rules.json"))
        #expect(throws: LoadError.self) { try world.load() }
        let apps = LoaderWorld.twoApps.replacing(#", "Sandbox""#, with: "")
        try world.configure(apps: apps)
        #expect(try world.load().files.count == 1)
    }

    @Test("lacks a file, unless the file's app is not configured any more")
    func removedApp() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules.json")
        try world.serve()
        try Directory.removeFile(path: world.folder.path(of: "data/two.rules.json"))
        let one = #"[{"appAppleId": 1, "bundleId": "com.example.one", "environments": ["Production"]}]"#
        try world.configure(apps: one)
        #expect(try world.load().files.count == 1)
    }
}

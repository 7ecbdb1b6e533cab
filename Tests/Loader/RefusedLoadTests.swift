import Configuration
import Facts
@testable import Pool
import Rules
import Support
import System
import Testing

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
        let error = #expect(throws: ServiceError.self) { try world.load(through: disk) }
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
        let error = #expect(throws: ServiceError.self) { try world.load() }
        let offset = try FactsFile(bytes: facts, check: .full).columnsOffset
        let words = error?.description ?? ""
        #expect(words.hasPrefix("one.facts: does not fit one.rules.json: ") && words.contains("\(offset)"))
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
        let error = #expect(throws: ServiceError.self) { try world.load() }
        #expect(error?.code == "too-many-files")
    }

    @Test("lacks a file, unless the file's environment is not configured any more")
    func removedEnvironment() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        try world.push(LoaderWorld.rules(.sandbox), as: "sandbox.rules.json")
        try world.serve()
        try Directory.removeFile(path: world.folder.path(of: "data/sandbox.rules.json"))
        #expect(throws: ServiceError.self) { try world.load() }
        let apps = LoaderWorld.twoApps.replacing(#", "Sandbox""#, with: "")
        try world.configure(apps: apps)
        #expect(try world.load().files.count == 1)
    }
}

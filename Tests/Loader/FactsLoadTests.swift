import Configuration
import Facts
@testable import Pool
import Rules
import Support
import System
import Testing

@Suite("A load with facts")
struct FactsLoadTests {
    private static let declared = [RulesModel.FactDeclaration(name: "n", kind: .integer)]

    /// A world with rules that declare a fact, and a facts file that has it.
    private static func world(_ extra: String = "") throws -> LoaderWorld {
        let world = try LoaderWorld(extra)
        try world.push(LoaderWorld.rules(facts: declared), as: "one.rules.json")
        try world.push(LoaderWorld.facts(), as: "one.facts")
        return world
    }

    /// The value of the declared fact for subscriber 7, as a worker finds it.
    private static func value(_ generation: Generation) throws -> Int64? {
        let bound = try #require(generation.facts(appAppleId: 1, environment: .production))
        let row = try #require(bound.file.find(7))
        return bound.binding.column(ofFact: 0).flatMap { bound.file.integer(column: $0, row: row) }
    }

    @Test("gives the facts to their app and their environment, and says how old they are")
    func routing() throws {
        let world = try Self.world()
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules.json")
        try world.push(LoaderWorld.facts(.sandbox, value: 5), as: "alone.facts")
        let generation = try Generation(loadingConfigurationAt: world.configurationPath)
        #expect(generation.manifest.files.map(\.kind) == [.facts, .facts, .rules, .rules])
        #expect(try Self.value(generation) == 1)
        let bound = try #require(generation.facts(appAppleId: 1, environment: .production))
        #expect(bound.file.ageSeconds(atMilliseconds: 1_700_000_061_999) == 61)
        #expect(bound.file.ageSeconds(atMilliseconds: 0) == 0)
        #expect(generation.facts(appAppleId: 2, environment: .production)?.file == nil)
        let alone = generation.facts(appAppleId: 1, environment: .sandbox)?.file
        #expect(alone == nil, "no rules use these facts")
    }

    private static func inode(_ world: LoaderWorld) throws -> UInt64 {
        try FileStatus(path: "\(world.store.path(of: #require(world.store.current)))/one.facts").inode
    }

    @Test("does not read a pushed facts file again whose header is that of the serving one")
    func unchanged() throws {
        let world = try Self.world()
        try world.serve(isStart: true)
        let inode = try Self.inode(world)
        // The header is the same, and the rest was never read: it is garbage.
        let whole = try LoaderWorld.facts()
        let garbage = whole.enumerated().map { $0 < DataFileHeader.beginningByteCount ? $1 : $1 ^ 0x5A }
        try world.push(garbage, as: "one.facts")
        let rules = LoaderWorld.rules(revision: "r2", facts: Self.declared)
        try world.push(rules, as: "one.rules.json")
        #expect(try Self.value(world.serve()) == 1)
        #expect(try Self.inode(world) == inode)
        try world.push(LoaderWorld.facts(value: 2), as: "one.facts")
        #expect(try Self.value(world.serve()) == 2)
        #expect(try Self.inode(world) != inode)
    }

    @Test(
        "finds facts that the disk has damaged by their checksums after another boot, and copies the pushed file anew"
    )
    func torn() throws {
        let world = try Self.world()
        try world.serve(isStart: true)
        var bytes = try LoaderWorld.facts()
        bytes[bytes.count - 1] ^= 1
        try AtomicFile.write(
            bytes.span, to: world.folder.path(of: "state/generations/1/one.facts"), permissions: 0o400)
        try world.reboot()
        let error = #expect(throws: ServiceError.self) { try world.load(.unchanged, isStart: true) }
        #expect(error?.code.hasPrefix("data-file.") == true, "\(String(describing: error))")
        #expect(try Self.value(world.serve(isStart: true)) == 1)
        #expect(throws: Never.self) { try world.load(.unchanged, isStart: true) }
    }

    @Test("warns once when facts that rules declare were not pushed, and of nothing else")
    func missing() throws {
        let world = try Self.world()
        #expect(try world.load().warnings.isEmpty)
        try Directory.removeFile(path: world.folder.path(of: "data/one.facts"))
        let warnings = try world.load().warnings
        #expect(warnings.map(\.code) == ["facts-file-missing"])
        #expect(warnings.first?.description.contains("one.rules.json") == true)
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        #expect(try world.load().warnings.isEmpty, "rules that declare no facts miss none")
    }
}

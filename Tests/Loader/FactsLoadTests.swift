import Configuration
import DataFileWriting
import DataFiles
import Support
import System
import Testing
import Vocabulary

@testable import Loader

@Suite("A load with facts")
struct FactsLoadTests {
    private static let declared = [RulesModel.FactDeclaration(name: "n", kind: .integer)]

    /// A world with rules that declare a fact, and a facts file that has it.
    private static func world(_ extra: String = "") throws -> LoaderWorld {
        let world = try LoaderWorld(extra)
        try world.push(LoaderWorld.rules(facts: declared), as: "one.rules")
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
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules")
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

    @Test(
        "does not copy a facts file again when another file is pushed, wherever the copy is",
        arguments: [0, 1 << 30]
    )
    func unchanged(sealCopyBytes: Int) throws {
        let world = try Self.world(#", "limits": {"sealCopyBytes": \#(sealCopyBytes)}"#)
        let present = try world.present(world.load())
        let rules = LoaderWorld.rules(generation: 11, revision: "r2", facts: Self.declared)
        try world.push(rules, as: "one.rules")
        let again = try world.load(present: present)
        guard case .loaded(0) = again.files[0].place, case .copied = again.files[1].place else {
            Issue.record("\(again.files.map(\.place))")
            return
        }
        #expect(again.manifest.files[0] == present.manifest.files[0])
        let third = try world.present(again, before: present)
        try world.push(LoaderWorld.facts(generation: 11, value: 2), as: "one.facts")
        let last = try world.load(present: third)
        guard case .copied = last.files[0].place, case .loaded(1) = last.files[1].place else {
            Issue.record("\(last.files.map(\.place))")
            return
        }
    }

    @Test("copies files above sealCopyBytes into files without a name, which nobody can write")
    func unnamed() throws {
        let world = try Self.world(#", "limits": {"sealCopyBytes": 2500}"#)
        let result = try world.load()
        let present = try world.present(result)
        for (index, file) in result.files.enumerated() {
            let descriptor = try present.descriptors.duplicate(at: index)
            let isLarge = file.file.byteCount > 2500
            #expect(isLarge == (file.file.kind == .facts))
            let bytes: [UInt8] = [0]
            let error = #expect(throws: SystemCallError.self) { try descriptor.write(bytes.span, at: 0) }
            #expect(error?.code == (isLarge ? "system.ebadf" : "system.eperm"))
            #expect(throws: Never.self) {
                _ = try ImmutableFile(verifying: present.descriptors.duplicate(at: index))
            }
        }
        let state = try FileDescriptor.openDirectory(path: world.folder.path(of: "state"))
        #expect(try Directory.names(in: state, limitCount: 10).isEmpty)
        // A later change of the pushed file has no effect.
        try world.push([], as: "one.facts")
        let mapped = try MappedMemory(of: present.descriptors.duplicate(at: 0))
        #expect(try FactsFile(mapping: mapped, check: .full).find(7) != nil)
    }

    @Test("warns once when facts that rules declare were not pushed, and of nothing else")
    func missing() throws {
        let world = try Self.world()
        #expect(try world.load().warnings.isEmpty)
        try Directory.removeFile(path: world.folder.path(of: "data/one.facts"))
        let warnings = try world.load().warnings
        #expect(warnings.map(\.code) == ["facts-file-missing"])
        #expect(warnings.first?.message.contains("one.rules") == true)
        try world.push(LoaderWorld.rules(), as: "one.rules")
        #expect(try world.load().warnings.isEmpty, "rules that declare no facts miss none")
    }

    @Test("is accepted without a facts file that was there before, and has no facts then")
    func removedFacts() throws {
        let world = try Self.world()
        let present = try world.present(world.load())
        try Directory.removeFile(path: world.folder.path(of: "data/one.facts"))
        #expect(try world.load(present: present).files.map(\.file.kind) == [.rules])
    }

    @Test("names the two files that do not fit, and the fact")
    func unfitFacts() throws {
        let world = try Self.world()
        let other = [FactsBuilder.Column(name: "x", kind: .integer)]
        try world.push(LoaderWorld.facts(generation: 11, columns: other), as: "one.facts")
        let error = #expect(throws: LoadError.self) { try world.load() }
        #expect(error?.description.hasPrefix("one.facts: does not fit one.rules: fact-missing \"n\"") == true)
    }

    @Test("stores and finds the last good facts, large ones too", arguments: [0, 1 << 30])
    func lastGood(sealCopyBytes: Int) throws {
        let world = try Self.world(#", "limits": {"sealCopyBytes": \#(sealCopyBytes)}"#)
        let lastGood = LastGood(stateDirectory: world.folder.path(of: "state"))
        let present = try world.present(world.load())
        try lastGood.store(present)
        try world.push([], as: "one.facts")
        let again = try world.load(.lastGood)
        #expect(again.manifest.files == present.manifest.files)
        let stored = LastGood.storedName(of: present.manifest.files[0])
        #expect(try world.folder.read("state/last-good/\(stored)") == LoaderWorld.facts())
    }
}

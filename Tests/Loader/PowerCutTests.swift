import Facts
@testable import Pool
import Rules
import Support
import System
import Testing

@Suite("A power cut")
struct PowerCutTests {
    /// What the starts after all power cuts of one life served: "none", or the revision with the value of the fact.
    private struct Outcome {
        var served: [String] = []
        var codes: Set<String> = []
    }

    private static let declared = [RulesModel.FactDeclaration(name: "n", kind: .integer)]

    /// Serves one generation and then another, and starts after each power cut that could have happened in between. The pushed files
    /// are gone by then.
    private static func cuts(isForgetful: Bool) throws -> Outcome {
        let world = try LoaderWorld()
        let state = world.folder.path(of: "state")
        let disk = RecordedDisk(root: state)
        disk.isForgetful = isForgetful
        for generation in Int64(1)...2 {
            let rules = LoaderWorld.rules(revision: "r\(generation)", facts: declared)
            try world.push(rules, as: "one.rules.json")
            try world.push(LoaderWorld.facts(value: generation), as: "one.facts")
            try world.serve(isStart: generation == 1, through: disk)
        }
        try Directory.rename(state, to: world.folder.path(of: "before"))
        var outcome = Outcome()
        for cut in disk.cuts {
            try world.folder.makeDirectory("state")
            for (path, entry) in cut.sorted(by: { $0.key < $1.key }) {
                switch entry {
                case .directory: try world.folder.makeDirectory("state/\(path)")
                case .file(let bytes): try world.folder.write(bytes, to: "state/\(path)", permissions: 0o400)
                case .link(let target):
                    try SystemFileLayer().symbolicLink(to: target, at: "\(state)/\(path)")
                }
            }
            if world.store.current.map({ (try? FileStatus(path: world.store.path(of: $0))) != nil }) == true {
                try? world.reboot()
            }
            do {
                let generation = try world.serve(.unchanged, isStart: true)
                let rules = try #require(generation.rules(appAppleId: 1, environment: .production))
                let facts = try #require(generation.facts(appAppleId: 1, environment: .production))
                let row = try #require(facts.file.find(7))
                let value = facts.binding.column(ofFact: 0).flatMap {
                    facts.file.integer(column: $0, row: row)
                }
                outcome.served.append("\(rules.revision ?? "") \(value ?? 0)")
            } catch let error as ServiceError {
                outcome.served.append("none")
                outcome.codes.insert(error.code)
            }
            _ = try ProgramRun.run("/bin/rm", ["-r", state])
        }
        return outcome
    }

    @Test("leaves nothing before the first generation serves, then the old or the new one whole")
    func whole() throws {
        let outcome = try Self.cuts(isForgetful: false)
        #expect(outcome.served.count > 60)
        let firstServed = try #require(outcome.served.firstIndex { $0 != "none" })
        let rest = outcome.served[firstServed...]
        #expect(Set(outcome.served) == ["none", "r1 1", "r2 2"], "\(outcome)")
        // A name that the journal has kept may come before the synchronised one: at most for the link's last calls.
        #expect(rest.count { $0 == "none" } <= 1, "\(rest)")
        #expect(rest.last == "r2 2" && outcome.codes == ["no-last-good"], "\(outcome)")
    }

    @Test("would leave torn generations on a disk that is not told to synchronise")
    func control() throws {
        let outcome = try Self.cuts(isForgetful: true)
        #expect(outcome.served.last == "none" || outcome.codes != ["no-last-good"], "\(outcome)")
    }
}

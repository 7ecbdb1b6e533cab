import DataFiles
import Decisions
import JSON
@testable import RulesCompiler
import Support
import Testing
import Vocabulary

extension SchemaTests {
    @Test(
        "refuses each operation on the facts that it does not fit, and on no others",
        arguments: Fact.builtIns
    )
    func misfits(fact: Fact) throws {
        let name = try #require(fact.builtInName)
        let kind = try #require(fact.builtInKind)
        let cases = try Self.definition("predicate").member("allOf")?.elements ?? []
        let own = try #require(
            cases.first { entry in
                let test = entry.member("if")?.member("properties")?.member("fact")
                return test?.member("const")?.string == name
                    || Self.strings(test?.member("enum")).contains(name)
            },
            "no case for \(name)"
        )
        let then = try #require(own.member("then"))
        var places = [then.member("properties")]
        if then.member(named: "$ref") != nil {
            places.append(try Self.definition("onString").member("properties"))
        }
        let refused = places.compactMap { $0 }.flatMap(\.members).filter { $0.value.boolean == false }.map(
            \.name
        )
        let expected = ConditionOperation.predicates.filter { !$0.fits(kind) }.map(\.word)
        #expect(Set(refused) == Set(expected), "\(name)")
    }
}

@testable import Authoring
import Facts
import JSON
import Rules
import Support
import System
import Testing

extension SchemaTests {
    @Test(
        "refuses each operation on the facts that it does not fit, and on no others",
        arguments: Fact.builtIns
    )
    func misfits(fact: Fact) throws {
        let name = try #require(fact.builtInName)
        let kind = try #require(fact.builtInKind)
        let then = try Self.restrictions(on: name)
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

    @Test(
        "restricts the operands of two operations alike when they have the same form",
        arguments: Fact.builtIns
    )
    func forms(fact: Fact) throws {
        let name = try #require(fact.builtInName)
        let kind = try #require(fact.builtInKind)
        let properties = try Self.restrictions(on: name).member("properties")
        // The form without the verb that a part of a string has.
        let form = { (operation: ConditionOperation) in "\(operation.operand)".prefix { $0 != "(" } }
        let fitting = ConditionOperation.predicates.filter { $0.fits(kind) }
        for (form, operations) in Dictionary(grouping: fitting, by: form) {
            let restrictions = operations.map { operation in
                properties?.member(named: operation.word).map { JSONNode($0).serialized() }
            }
            #expect(Set(restrictions).count == 1, "\(name): \(form) \(operations.map(\.word))")
        }
    }

    /// Returns what the schema says of the operations on a built-in fact.
    private static func restrictions(on name: String) throws -> JSONValue {
        let cases = try Self.definition("predicate").member("allOf")?.elements ?? []
        let own = try #require(
            cases.first { entry in
                let test = entry.member("if")?.member("properties")?.member("fact")
                return test?.member("const")?.string == name
                    || Self.strings(test?.member("enum")).contains(name)
            },
            "no case for \(name)"
        )
        return try #require(own.member("then"))
    }
}

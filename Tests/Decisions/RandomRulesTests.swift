import DataFiles
import JSON
import Support
import Testing

/// Agreement on random sources proves nothing about parts of the language that no random source has.
@Suite("Random rules")
struct RandomRulesTests {
    /// Keys of the language that no decision depends on, or only the compiler reads.
    private static let without: Set<String> = ["$schema", "include", "metadata", "products", "tests"]
    private static let definitionsWithout: Set<String> = [
        "test", "given", "expect", "product", "commerceRequest", "commerceChange",
    ]

    /// Returns the keys that the schema knows. `SchemaTests` checks that they are the compiler's keys.
    private static func keys() throws -> Set<String> {
        let text = try SourceFile.read(SourceFile.root + "/examples/rules.schema.json")
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let schema = JSONNode(try JSONDocument(parsing: text.span, limits: limits).root)
        var keys: Set<String> = []
        func walk(_ node: JSONNode) {
            for (name, member) in node.members where !definitionsWithout.contains(name) {
                if name == "properties" { keys.formUnion(member.members.map(\.0)) }
                walk(member)
            }
            for element in node.elements { walk(element) }
        }
        walk(schema)
        return keys.subtracting(without)
    }

    @Test("have every key of the language, and every operation on every kind of fact")
    func completeness() throws {
        var world = RandomRules(random: SeededGenerator(for: "random rules, their keys"))
        let declared = Dictionary(
            RandomRules.facts.map { ($0.name, $0.kind) },
            uniquingKeysWith: { first, _ in first }
        )
        var keys: Set<String> = []
        var operations: [ValueKind: Set<String>] = [:]
        func walk(_ node: JSONNode) {
            let names = node.members.map(\.0)
            keys.formUnion(names)
            if let fact = node["fact"]?.text, let kind = declared[fact] {
                operations[kind, default: []].formUnion(names.filter { $0 != "fact" })
            }
            for (_, member) in node.members { walk(member) }
            for element in node.elements { walk(element) }
        }
        for _ in 0..<256 { walk(world.source()) }
        #expect(try Self.keys().subtracting(keys) == [])
        for kind in ValueKind.allCases {
            let all = ConditionOperation.predicates.filter { $0.fits(kind) }.map(\.word)
            #expect(operations[kind] == Set(all), "\(kind)")
        }
    }
}

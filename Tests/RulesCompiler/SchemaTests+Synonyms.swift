import Authoring
import JSON
@testable import Rules
import Support
import System
import Testing

/// The words of other rules languages stand in three places: in the table of operations, in the schema
/// (`x-synonyms`), and in retention-rules(5), whose list `OperationTests.manual` makes from the table.
extension SchemaTests {
    /// The words that the schema lists for a key of a condition.
    private static func synonyms(of key: String, in definition: String) throws -> [String] {
        let properties = try Self.definition(definition).member("properties")
        let property = try #require(properties?.member(named: key), "\(definition) \(key)")
        return strings(property.member("x-synonyms"))
    }

    /// The definition that has the key of an operation.
    private static func definition(with operation: ConditionOperation) -> String {
        operation.isPredicate ? "predicate" : operation.word
    }

    @Test(
        "lists the words of other rules languages that the table of operations has",
        arguments: ConditionOperation.allCases
    )
    func synonyms(operation: ConditionOperation) throws {
        let listed = try Self.synonyms(of: operation.word, in: Self.definition(with: operation))
        #expect(listed == operation.synonyms)
    }

    @Test("lists words of other rules languages for which the compiler names the right key")
    func hints() throws {
        var rows = try Self.synonyms(of: "fact", in: "predicate").map { word in
            (key: "fact", condition: #"{ "\#(word)": "storefront", "eq": "USA" }"#)
        }
        for operation in ConditionOperation.allCases {
            for word in try Self.synonyms(of: operation.word, in: Self.definition(with: operation)) {
                let fact = operation.isPredicate ? #""fact": "now", "# : ""
                rows.append((operation.word, #"{ \#(fact)"\#(word)": [] }"#))
            }
        }
        #expect(rows.count > 40)
        for row in rows {
            let change = TextChange(old: #"{ "fact": "language", "ne": "fr" }"#, new: row.condition)
            let findings = CompileErrorTests.findings(try change.applied(to: GoodSource.text))
            let hints = findings.filter { $0.code == "rules.unknown-key" }.map(\.hint)
            #expect(hints == ["did you mean \"\(row.key)\"?"], "\(row.condition)")
        }
    }
}

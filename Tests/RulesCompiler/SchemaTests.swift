import DataFiles
import JSON
@testable import RulesCompiler
import Support
import Testing
import Vocabulary

@Suite("The schema of rules sources")
struct SchemaTests {
    static func schema() throws -> JSONValue {
        let text = try SourceFile.read(SourceFile.root + "/examples/rules.schema.json")
        return try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32)).root
    }

    private static func definition(_ name: String) throws -> JSONValue {
        try #require(try schema().member("$defs")?.member(named: name), "\(name)")
    }

    private static func properties(_ object: JSONValue) -> Set<String> {
        Set(object.member("properties")?.members.map(\.name) ?? [])
    }

    @Test("lists the keys that the compiler takes, and no others")
    func keys() throws {
        #expect(Self.properties(try Self.schema()) == Set(Keys.root.supported))
        let objects: [(String, Keys)] = [
            ("app", .app), ("locales", .locales), ("message", .message), ("rule", .rule),
        ]
        for (name, keys) in objects {
            #expect(Self.properties(try Self.definition(name)) == Set(keys.supported), "\(name)")
        }
        let rule = try Self.definition("rule")
        let window = try #require(rule.member("properties")?.member("window"))
        #expect(Self.properties(window) == Set(Keys.window.supported))
        let predicate = try Self.definition("predicate")
        #expect(Self.properties(predicate) == Set(Keys.operations.supported + ["fact"]))
        for group in Keys.group.supported {
            #expect(Self.properties(try Self.definition(group)) == [group])
        }
        let facts = predicate.member("properties")?.member("fact")?.member("enum")?.elements.compactMap(
            \.string
        )
        #expect(facts == Fact.builtIns.prefix(6).compactMap(\.builtInName))
        let kinds = try Self.definition("message").member("properties")?.member("kind")?.member("enum")
        #expect(kinds?.elements.compactMap(\.string) == ["text", "switch", "offer"])
        let environments = try Self.definition("environment").member("enum")?.elements.compactMap(\.string)
        #expect(environments == Environment.allCases.filter { $0 != .xcode }.map(\.rawValue))
    }

    @Test("closes every object and repeats the compiler's limits")
    func closedness() throws {
        var open: [String] = []
        func walk(_ value: JSONValue, _ path: String) {
            let isObject = value.member("type")?.string == "object"
            if isObject, value.member("additionalProperties") == nil { open.append(path) }
            for (name, member) in value.members { walk(member, path + "/" + name) }
            for (index, element) in value.elements.enumerated() { walk(element, path + "/\(index)") }
        }
        walk(try Self.schema(), "")
        #expect(open == [])
        let root = try #require(try Self.schema().member("properties"))
        #expect(root.member("rules")?.member("maxItems")?.int64 == Int64(RulesCompilerLimits.ruleCount))
        #expect(
            root.member("messages")?.member("maxProperties")?.int64 == Int64(RulesCompilerLimits.messageCount)
        )
        #expect(
            root.member("metadata")?.member("maxProperties")?.int64
                == Int64(RulesCompilerLimits.metadataCount)
        )
        let list = try Self.definition("list").member("maxItems")?.int64
        #expect(list == Int64(RulesCompilerLimits.listCount))
        let group = try Self.definition("conditions").member("maxItems")?.int64
        #expect(group == Int64(RulesCompilerLimits.groupCount))
    }

    @Test("points only at definitions that exist")
    func references() throws {
        let names = Set(try Self.schema().member("$defs")?.members.map(\.name) ?? [])
        var used: Set<String> = []
        func walk(_ value: JSONValue) {
            if let reference = value.member("$ref")?.string, reference.hasPrefix("#/$defs/") {
                used.insert(String(reference.dropFirst("#/$defs/".count)))
            }
            for (_, member) in value.members { walk(member) }
            for element in value.elements { walk(element) }
        }
        walk(try Self.schema())
        #expect(used == names)
    }
}

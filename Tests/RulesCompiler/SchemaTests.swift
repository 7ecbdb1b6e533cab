import Authoring
@testable import Facts
import JSON
@testable import Rules
import Support
import System
import Testing

@Suite("The schema of rules sources")
struct SchemaTests {
    static func schema() throws -> JSONValue {
        let text = try SourceFile.read(SourceFile.root + "/examples/rules.schema.json")
        return try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32)).root
    }

    static func definition(_ name: String) throws -> JSONValue {
        try #require(try schema().member("$defs")?.member(named: name), "\(name)")
    }

    private static func properties(_ object: JSONValue) -> Set<String> {
        Set(object.member("properties")?.members.map(\.name) ?? [])
    }

    private static func property(_ definition: String, _ path: String...) throws -> JSONValue {
        let start = try Self.definition(definition)
        return try #require(
            path.reduce(start as JSONValue?) { $0?.member("properties")?.member(named: $1) },
            "\(definition) \(path)"
        )
    }

    static func strings(_ value: JSONValue?) -> [String] {
        value?.elements.compactMap(\.string) ?? []
    }

    @Test("lists the keys that the compiler takes, and no others")
    func keys() throws {
        #expect(Self.properties(try Self.schema()) == Set(Keys.root.names))
        let objects: [(JSONValue, Keys)] = [
            (try Self.definition("app"), .app), (try Self.definition("locales"), .locales),
            (try Self.definition("product"), .product), (try Self.definition("message"), .message),
            (try Self.definition("holdout"), .holdout), (try Self.definition("caps"), .caps),
            (try Self.property("caps", "offer"), .offerCaps), (try Self.definition("rule"), .rule),
            (try Self.property("rule", "window"), .window), (try Self.property("rule", "rollout"), .rollout),
            (try Self.property("rule", "variants"), .variants), (try Self.definition("arm"), .arm),
            (try Self.definition("test"), .test), (try Self.definition("given"), .given),
            (try Self.definition("expect"), .expect),
            (try Self.definition("predicate"), .predicate),
            (try Self.definition("commerceRequest"), AdvancedCommerceCheck.request),
            (try Self.definition("commerceChange"), AdvancedCommerceCheck.changeItem),
            (try Self.property("commerceChange", "offer"), AdvancedCommerceCheck.offer),
            (try Self.property("commerceRequest", "requestInfo"), AdvancedCommerceCheck.requestInfo),
            (try Self.property("commerceRequest", "descriptors"), AdvancedCommerceCheck.descriptors),
            (try Self.property("commerceRequest", "periodChange"), AdvancedCommerceCheck.periodChange),
        ]
        for (object, keys) in objects { #expect(Self.properties(object) == Set(keys.names)) }
        for group in Keys.group.names + ["segment"] {
            #expect(Self.properties(try Self.definition(group)) == [group])
        }
        let serve = ["serveMessage", "serveSwitch", "serveOffer", "serveAdvancedCommerce"]
        for (name, keys) in zip(serve, OutcomeReader.keys) {
            #expect(Self.properties(try Self.definition(name)) == Set(keys.names))
        }
    }

    @Test("lists the words that the compiler takes, and no others")
    func words() throws {
        #expect(
            Self.strings(try Self.definition("builtInFact").member("enum"))
                == Fact.builtIns.compactMap(\.builtInName)
        )
        let notStrings = Fact.builtIns.filter { $0.builtInKind != .string }.compactMap(\.builtInName)
        #expect(Self.strings(try Self.definition("unit").member("not")?.member("enum")) == notStrings)
        #expect(
            Self.strings(try Self.property("message", "kind").member("enum"))
                == MessageKind.allCases.map(\.name)
        )
        let environments = Environment.allCases.filter { $0 != .xcode }.map(\.rawValue)
        #expect(Self.strings(try Self.definition("environment").member("enum")) == environments)
        let plans = BillingPlanType.allCases.map(\.rawValue)
        #expect(Self.strings(try Self.property("serveSwitch", "billingPlanType").member("enum")) == plans)
        #expect(
            Self.strings(try Self.property("message", "whenUnapproved").member("enum"))
                == RulesModel.WhenUnapproved.allCases.map(\.rawValue)
        )
        let unapproved = try Self.schema().member("properties")?.member("unapproved")
        #expect(
            Self.strings(unapproved?.member("additionalProperties")?.member("enum"))
                == RulesModel.Unapproved.allCases.map(\.rawValue)
        )
        #expect(
            Self.strings(try Self.property("caps", "offer", "whenUnknown").member("enum"))
                == CapsReader.whenUnknown.map(\.word)
        )
        #expect(
            Set(Self.strings(try Self.property("expect", "reason").member("enum")))
                == Set(DecisionReason.expectable.map(\.rawValue))
        )
        #expect(
            try Self.property("caps", "offer", "acceptedFact").member("default")?.string
                == CapsReader.acceptedFact
        )
        #expect(
            try Self.property("caps", "offer", "lastFact").member("default")?.string == CapsReader.lastFact
        )
    }

    @Test("lists Apple's words for requests of the Advanced Commerce API as the compiler does")
    func commerceWords() throws {
        let rows: [(JSONValue, [String])] = [
            (try Self.definition("commerceEffective"), AdvancedCommerceCheck.effective),
            (try Self.property("commerceChange", "reason"), AdvancedCommerceCheck.reasons),
            (try Self.property("commerceChange", "offer", "reason"), AdvancedCommerceCheck.offerReasons),
            (try Self.property("commerceChange", "offer", "period"), AdvancedCommerceCheck.offerPeriods),
            (try Self.property("commerceRequest", "periodChange", "period"), AdvancedCommerceCheck.periods),
        ]
        for (schema, words) in rows { #expect(Self.strings(schema.member("enum")) == words) }
        let limits = [
            ("commerceSKU", RulesSourceLimits.skuCharacterCount),
            ("commerceName", RulesSourceLimits.displayNameCharacterCount),
            ("commerceDescription", RulesSourceLimits.descriptionCharacterCount),
        ]
        for (name, limit) in limits {
            #expect(try Self.definition(name).member("maxLength")?.int64 == Int64(limit))
        }
    }

    @Test("repeats the compiler's limits")
    func limits() throws {
        func bound(_ name: StaticString, of value: JSONValue?) -> Int? {
            value?.member(name)?.int64.map { Int($0) }
        }
        let root = try #require(try Self.schema().member("properties"))
        #expect(bound("maxItems", of: root.member("rules")) == DataFileLimits.ruleCount)
        #expect(bound("maxProperties", of: root.member("facts")) == DataFileLimits.factCount)
        #expect(bound("maxProperties", of: root.member("segments")) == DataFileLimits.segmentCount)
        #expect(bound("maxItems", of: try Self.definition("list")) == RulesSourceLimits.listCount)
        #expect(bound("maximum", of: try Self.definition("days")) == Int(DataFileLimits.dayCount))
        #expect(bound("maximum", of: try Self.definition("basisPoints")) == DataFileLimits.bucketCount)
        #expect(bound("maximum", of: try Self.property("arm", "weight")) == DataFileLimits.bucketCount)
        #expect(bound("maxLength", of: try Self.definition("string")) == RulesSourceLimits.stringByteCount)
    }

    @Test("allows no unknown keys in any object")
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
    }

    @Test("refers only to definitions that exist, and to each of them")
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

@Suite("The schema of rules sources, compared with the compiler")
struct SchemaAgreementTests {
    static func errors(_ source: [UInt8], _ schema: JSONSchema? = nil) throws -> [String] {
        let schema = try schema ?? JSONSchema(try SchemaTests.schema())
        let limits = JSONLimits(byteCount: 1 << 20, depth: RulesSourceLimits.jsonDepth)
        return schema.errors(in: try JSONDocument(parsing: source.span, limits: limits).root)
    }

    @Test("accepts sources that the compiler accepts")
    func good() throws {
        #expect(try Self.errors(Array(GoodSource.text.utf8)) == [])
        #expect(try Self.errors(Array(LintRow.clean.utf8)) == [])
        #expect(try Self.errors(try RulesCompiler.resolve(Array(GoodSource.text.utf8)).text) == [])
    }

    @Test("accepts every example", arguments: try Example.all())
    func examples(example: Example) throws {
        #expect(try Self.errors(example.source) == [])
    }
}

extension SchemaAgreementTests {
    @Test("accepts every source with changed values that the compiler accepts")
    func mutations() throws {
        var random = SeededGenerator(for: "sources with changed values")
        let limits = JSONLimits(byteCount: 1 << 20, depth: RulesSourceLimits.jsonDepth)
        let texts =
            [Array(GoodSource.text.utf8), Array(LintRow.clean.utf8)] + (try Example.all().map(\.source))
        let schema = JSONSchema(try SchemaTests.schema())
        // About one source in ten still compiles. The bound on tries only ends a run in which none does.
        var (compiled, tries) = (0, 0)
        while compiled < 100, tries < 20_000 {
            tries += 1
            let text = try #require(texts.randomElement(using: &random))
            var node = JSONNode(try JSONDocument(parsing: text.span, limits: limits).root)
            for _ in 0..<Int.random(in: 1...2, using: &random) { node = Self.changed(node, &random) }
            let source = node.serialized()
            guard (try? RulesCompiler.model(of: source)) != nil else { continue }
            compiled += 1
            let errors = try Self.errors(source, schema)
            #expect(errors == [], "\(String(decoding: source, as: UTF8.self))")
        }
        #expect(compiled == 100)
    }

    /// Returns the node with one value or key changed, at a random place.
    private static func changed(_ node: JSONNode, _ random: inout SeededGenerator) -> JSONNode {
        switch node {
        case .object(var members) where !members.isEmpty && Int.random(in: 0..<12, using: &random) > 0:
            let index = Int.random(in: members.indices, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: members.remove(at: index)
            case 1:
                members[index].0 = ["id", "x", "en-US", "", "now", "a b"].randomElement(using: &random) ?? ""
            default: members[index].1 = changed(members[index].1, &random)
            }
            return .object(members)
        case .array(var elements) where !elements.isEmpty && Int.random(in: 0..<12, using: &random) > 0:
            let index = Int.random(in: elements.indices, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: elements.remove(at: index)
            case 1: elements.append(elements[index])
            default: elements[index] = changed(elements[index], &random)
            }
            return .array(elements)
        default:
            let others: [JSONNode] = [
                .null, .boolean(true), .boolean(false), .integer(0), .integer(-1), .integer(7),
                .integer(.max), .real(0.5), .string(""), .string("none"), .string("a"), .string("en-US"),
                .string("en_US"), .string("pt"), .string("2026-11-21t00:00:00.123Z"), .string("productId"),
                .string("enum( a ,b)"), .string("string"), .string("DEFAULT"), .array([]), .object([]),
                .array([.string("a")]), .array([.integer(1), .integer(2)]),
            ]
            return others.randomElement(using: &random) ?? .null
        }
    }
}

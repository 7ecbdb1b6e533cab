@testable import Configuration
import JSON
import Support
import System
import Testing

@Suite("The shipped configuration schema and example")
struct ConfigurationSchemaTests {
    @Test("have a key for each property of the configuration, and a property for each key")
    func properties() throws {
        var app = AppConfiguration(appAppleId: 1, bundleId: "a", environments: [])
        app.signingKeys = [SigningKeyReference(keyId: "", issuerId: "", file: "")]
        let configuration = Configuration(apps: [app])
        var names: Set<String> = []
        func collect(_ value: Any, _ prefix: String) {
            for child in Mirror(reflecting: value).children {
                guard let label = child.label else { continue }
                names.insert(prefix + label)
            }
        }
        collect(configuration, "")
        collect(configuration.limits, "limits.")
        collect(configuration.log, "log.")
        collect(NotificationSettings(), "notifications.")
        collect(ForwardDestination(url: ""), "notifications.forward[].")
        collect(app, "apps[].")
        collect(app.signingKeys[0], "apps[].signingKeys[].")
        #expect(try names == Set(ShippedSchema.settings().map(\.path)))
    }

    @Test("have no setting that `everythingText` lacks")
    func everything() throws {
        let text = Array(everythingText.utf8)
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let root = try JSONDocument(parsing: text.span, limits: limits).root
        var names: Set<String> = []
        func collect(_ value: JSONValue, _ path: String) {
            if !path.isEmpty { names.insert(path) }
            for (name, member) in value.members { collect(member, path.isEmpty ? name : "\(path).\(name)") }
            for element in value.elements where element.kind == .object { collect(element, path + "[]") }
        }
        collect(root, "")
        let settings = try ShippedSchema.settings()
        let missing = Set(settings.map(\.path)).subtracting(names)
        #expect(missing.isEmpty, "\(missing)")
        // Each value differs from the default, so that a test which compares the two notices it.
        let values = try [everythingText, "{\(appsText),\"notifications\":{}}"].map { text in
            let effective = try parse(text).effectiveJSON(hidingSecrets: false)
            return try JSONDocument(parsing: effective.span, limits: limits).root
        }
        func value(_ root: JSONValue, _ path: String) -> [UInt8]? {
            let names = path.split(separator: ".").map { String($0).replacing("[]", with: "") }
            let found = names.reduce(root as JSONValue?) { value, name in
                (value?.kind == .array ? value?.elements.last : value)?.member(named: name)
            }
            return found.map { JSONNode($0).serialized() }
        }
        for setting in settings where setting.schema.member("default") != nil {
            // The last app needs the default signature.
            guard setting.path != "apps[].offerSignature" else { continue }
            let found = values.map { value($0, setting.path) }
            #expect(found[0] != found[1], "\(setting.path) has its default")
        }
    }

    /// Returns a text with one key set to a value, at the root or in an object below it.
    static func text(_ key: String, _ value: String) -> String {
        let path = key.split(separator: ".").map(String.init)
        let member = path.count == 2 ? "\"\(path[0])\":{\"\(path[1])\":\(value)}" : "\"\(key)\":\(value)"
        return "{\(appsText),\(member)}"
    }

    @Test("have the defaults of the daemon")
    func defaults() throws {
        // Without the object `notifications`, its settings have no values.
        let text = try parse("{\(appsText),\"notifications\":{}}").effectiveJSON(hidingSecrets: false)
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let root = try JSONDocument(parsing: text.span, limits: limits).root
        for (key, schema) in try ShippedSchema.settings() where !key.contains("[]") {
            let names = key.split(separator: ".").map(String.init)
            guard let value = names.reduce(root as JSONValue?, { $0?.member(named: $1) }),
                ![.object, .array].contains(value.kind)
            else {
                #expect(schema.member("default") == nil, "\(key)")
                continue
            }
            let expected = schema.member("default").map { JSONNode($0).serialized() }
            #expect(JSONNode(value).serialized() == expected, "\(key)")
        }
    }

    @Test("mark the keys that need a restart, as the daemon does")
    func restart() throws {
        let other = try parse(everythingText)
        let marked = try ShippedSchema.settings().filter {
            !$0.path.contains(".") && $0.schema.member("x-on-hup")?.string == "restart"
        }
        #expect(try other.restartKeys(changedFrom: parse("{\(appsText)}")) == marked.map(\.path))
    }

    @Test("have the bounds and words of the daemon")
    func bounds() throws {
        var checked = 0
        for (key, schema) in try ShippedSchema.settings()
        where !key.contains("[]") {
            if let low = schema.member("minimum")?.int64, let high = schema.member("maximum")?.int64 {
                for value in [low, high] {
                    #expect(throws: Never.self) { try parse(Self.text(key, "\(value)")) }
                }
                for value in [low - 1, high + 1] {
                    let error = #expect(throws: ConfigurationError.self) {
                        try parse(Self.text(key, "\(value)"))
                    }
                    #expect(error?.code == "configuration.out-of-range")
                }
                checked += 1
            }
            if let words = schema.member("enum")?.elements.compactMap(\.string) {
                for word in words { #expect(throws: Never.self) { try parse(Self.text(key, "\"\(word)\"")) } }
                let error = #expect(throws: ConfigurationError.self) {
                    try parse(Self.text(key, "\"nonsense\""))
                }
                let told = words.map { "\"\($0)\"" }.joined(separator: ", ")
                #expect(error?.findings.first?.message == "must be one of \(told)")
                checked += 1
            }
        }
        #expect(checked > 10)
    }

    @Test("include an example that is accepted")
    func example() throws {
        let bytes = try SourceFile.read(SourceFile.root + "/examples/retentiond.json")
        let configuration = try Configuration(parsing: bytes)
        #expect(configuration.apps.count == 1)
        #expect(configuration.apps[0].environments == [.production, .sandbox])
        #expect(configuration.listenGroup == "www-data")
    }
}

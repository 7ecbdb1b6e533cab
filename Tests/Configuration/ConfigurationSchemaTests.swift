import Configuration
import JSON
import Support
import Testing
import Vocabulary

@Suite("The shipped configuration schema and example")
struct ConfigurationSchemaTests {
    static func document(_ name: String) throws -> JSONValue {
        let bytes = try SourceFile.read(SourceFile.root + "/examples/" + name)
        return try JSONDocument(parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32)).root
    }

    /// Returns every key of the schema, such as `apps[].bundleId`, with its own schema.
    static func keys(of schema: JSONValue, below prefix: String = "") throws -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        let items = schema.member("items") ?? schema
        let inner = schema.member("items") == nil ? prefix : prefix + "[]"
        for (name, value) in items.member("properties")?.members ?? [] {
            let key = inner.isEmpty ? name : "\(inner).\(name)"
            found[key] = value
            found.merge(try keys(of: value, below: key)) { first, _ in first }
        }
        if items.member("properties") != nil {
            #expect(items.member("additionalProperties")?.boolean == false, "\(prefix)")
        }
        return found
    }

    @Test("have the schema that the settings generate")
    func schema() throws {
        let text = String(decoding: Configuration.schemaJSON(), as: UTF8.self)
        try GoldenFile.check(text, "examples/retentiond.schema.json")
    }

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
        #expect(names == Set(Configuration.describedSettings().map(\.path)))
    }

    @Test("have keys that each change the property of the same name, and no other")
    func ownProperty() throws {
        func values(_ configuration: Configuration) -> [String: String] {
            var values: [String: String] = [:]
            func collect(_ value: Any, _ prefix: String) {
                for child in Mirror(reflecting: value).children {
                    guard let label = child.label else { continue }
                    values[prefix + label] = String(describing: child.value)
                }
            }
            collect(configuration, "")
            collect(configuration.limits, "limits.")
            collect(configuration.log, "log.")
            collect(configuration.notifications ?? NotificationSettings(), "notifications.")
            for app in configuration.apps.prefix(1) { collect(app, "apps[].") }
            return values
        }
        let everything = Array(everythingText.utf8)
        let root = try JSONDocument(
            parsing: everything.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32)
        ).root
        let standard = values(try parse("{\(appsText)}"))
        for setting in Configuration.describedSettings() where !setting.path.hasPrefix("apps") {
            guard !setting.path.contains("[]") else { continue }
            let names = setting.path.split(separator: ".").map(String.init)
            let found = names.reduce(root as JSONValue?) { $0?.member(named: $1) }
            guard let value = found, value.kind != .object, setting.path != "revocation" else { continue }
            let text = Self.text(setting.path, String(decoding: JSONNode(value).serialized(), as: UTF8.self))
            let changed = values(try parse(text)).filter { standard[$0.key] != $0.value }.map(\.key)
            // When a nested property changes, the object above it changes too.
            #expect(Set(changed).subtracting(names.dropLast()) == [setting.path], "\(changed)")
        }
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
        let settings = Configuration.describedSettings()
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
        for setting in settings where !setting.standard.isEmpty {
            // `revocation` has only one value so far, and the last app needs the default signature.
            guard !["revocation", "apps[].offerSignature"].contains(setting.path) else { continue }
            let found = values.map { value($0, setting.path) }
            #expect(found[0] != found[1], "\(setting.path) has its default")
        }
    }

    @Test("have the defaults of the daemon")
    func defaults() throws {
        // Without the object `notifications`, its settings have no values.
        let text = try parse("{\(appsText),\"notifications\":{}}").effectiveJSON(hidingSecrets: false)
        let root = try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32))
            .root
        var checked = 0
        for (key, schema) in try Self.keys(of: Self.document("retentiond.schema.json")) {
            let path = key.split(separator: ".").map(String.init)
            let value = path.reduce(root as JSONValue?) { value, name in
                if name.hasSuffix("[]") {
                    return value?.member(named: String(name.dropLast(2)))?.element(at: 0)
                }
                return value?.member(named: name)
            }
            guard let expected = schema.member("default") else { continue }
            checked += 1
            #expect(value?.kind == expected.kind, "\(key)")
            #expect(value?.string == expected.string, "\(key)")
            #expect(value?.int64 == expected.int64, "\(key)")
            #expect(value?.boolean == expected.boolean, "\(key)")
        }
        #expect(checked > 20)
    }

    /// Returns a text with one key set to a value, at the root or in an object below it.
    static func text(_ key: String, _ value: String) -> String {
        let path = key.split(separator: ".").map(String.init)
        let member = path.count == 2 ? "\"\(path[0])\":{\"\(path[1])\":\(value)}" : "\"\(key)\":\(value)"
        return "{\(appsText),\(member)}"
    }

    @Test("have the bounds and words of the daemon")
    func bounds() throws {
        var checked = 0
        for (key, schema) in try Self.keys(of: Self.document("retentiond.schema.json"))
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
        #expect(checked > 15)
    }

    @Test("mark the keys that need a restart, as the daemon does")
    func restart() throws {
        let other = try parse(everythingText)
        let running = try parse("{\(appsText)}")
        let schema = try Self.document("retentiond.schema.json").member("properties")
        let expected = schema?.members.filter { $0.value.member("x-on-hup")?.string == "restart" }.map(\.name)
        #expect(expected?.isEmpty == false)
        #expect(other.restartKeys(changedFrom: running) == expected)
        #expect(running.restartKeys(changedFrom: running) == [])
        var applied = running
        applied.workers = 9
        applied.anchors = ["/a"]
        applied.log.level = .error
        applied.apps[0].bundleId = "b"
        #expect(applied.restartKeys(changedFrom: running) == [])
    }

    @Test("include an example that is accepted")
    func example() throws {
        let bytes = try SourceFile.read(SourceFile.root + "/examples/retentiond.json")
        let configuration = try Configuration(parsing: bytes)
        #expect(configuration.apps.count == 1)
        #expect(configuration.apps[0].environments == [.production, .sandbox])
        #expect(configuration.listenGroup == "www-data")
        // One test root for pool and recorder, and never beside an environment of Apple's.
        let test = try SourceFile.read(SourceFile.root + "/examples/retentiond-test.json")
        let apps = try Configuration(parsing: test).apps
        #expect(apps.map(\.environments) == [[.localTesting]])
    }
}

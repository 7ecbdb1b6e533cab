import Configuration
import Facts
@testable import Pool
import Rules
import Support
import System
import Testing

/// A folder with a configuration for two apps, a data directory and a state directory.
struct LoaderWorld {
    let folder: TemporaryDirectory
    var configurationPath: String { folder.path(of: "retentiond.json") }

    init(_ extra: String = "") throws {
        folder = try TemporaryDirectory()
        try folder.makeDirectory("data")
        try folder.makeDirectory("state")
        try configure(extra)
    }

    /// Writes the configuration; `extra` members begin with a comma.
    func configure(_ extra: String = "", apps: String = Self.twoApps) throws {
        try folder.write(
            """
            {"listen": "unix:\(folder.path)/run.sock", "dataDirectory": "\(folder.path)/data",
             "stateDirectory": "\(folder.path)/state", "pidFile": "\(folder.path)/pid", "apps": \(apps)\(extra)}
            """,
            to: "retentiond.json"
        )
    }

    static let twoApps = """
        [{"appAppleId": 1, "bundleId": "com.example.one", "environments": ["Production", "Sandbox"]},
         {"appAppleId": 2, "bundleId": "com.example.two", "environments": ["Production"]}]
        """

    /// The bytes of a small rules file.
    static func rules(
        app: Int64 = 1, _ environment: Environment = .production, revision: String = "r1",
        facts: [RulesModel.FactDeclaration] = [],
        expectedReason: String = "DEFAULT"
    ) -> [UInt8] {
        var model = RulesModel(appAppleId: app, bundleId: "com.example", environment: environment)
        model.metadata = [RulesModel.Metadatum(key: "revision", value: revision)]
        model.defaultOutcome = RulesModel.Outcome.nothing
        model.facts = facts
        // A rule reads each declared fact.
        model.rules = facts.enumerated().map { index, fact in
            var rule = RulesModel.Rule(id: fact.name, outcome: .nothing)
            rule.condition = .exists(.declared(index), true)
            return rule
        }
        model.tests = [
            RulesModel.EmbeddedTest(
                name: "nothing for everyone", productId: "p", userLocale: "en-US", originalTransactionId: "1",
                nowMilliseconds: 0, expectation: RulesModel.Expectation(reason: expectedReason))
        ]
        return model.pushed
    }

    /// The bytes of a facts file with keys from 7 on, in which every integer is `value`.
    static func facts(
        app: Int64 = 1, _ environment: Environment = .production, builtAt: Int64 = 1_700_000_000_000,
        columns: [FactsBuilder.Column] = [.init(name: "n", kind: .integer)], value: Int64 = 1
    ) throws -> [UInt8] {
        var builder = FactsBuilder(columns: columns)
        for key in UInt64(7)..<207 {
            for (index, column) in columns.enumerated() where column.kind == .integer {
                builder.set(value, column: index)
            }
            builder.commit(key: key, line: Int(key))
        }
        let stamp = DataFileStamp(builtAtMilliseconds: builtAt, writerVersion: "test")
        var output = MemoryOutput()
        let making = FactsFileIdentity(appAppleId: app, environment: environment, stamp: stamp)
        try builder.write(making, to: &output)
        return output.bytes
    }

    func push(_ bytes: [UInt8], as name: String, permissions: UInt32 = 0o644) throws {
        try folder.write(bytes, to: "data/\(name)", permissions: permissions)
    }

    /// The generations of the pool.
    var store: GenerationStore { store(through: SystemFileLayer()) }

    func store(through layer: any DirectoryLayer) -> GenerationStore {
        GenerationStore(stateDirectory: folder.path(of: "state"), layer: layer)
    }

    /// Loads as a loader process does, beside the generation that serves, if one does.
    @discardableResult
    func load(
        _ source: LoadSource = .pushed, isStart: Bool = false,
        through layer: any DirectoryLayer = SystemFileLayer()
    ) throws(ServiceError) -> Loader.Result {
        let store = store(through: layer)
        return try Loader(
            configurationPath: configurationPath, sequence: store.lastNumber + 1, source: source
        ).load(into: store, serving: isStart ? nil : store.current)
    }

    /// Loads, and does what a supervisor does when all workers are ready.
    @discardableResult
    func serve(
        _ source: LoadSource = .pushed, isStart: Bool = false,
        through layer: any DirectoryLayer = SystemFileLayer()
    ) throws -> Generation {
        let result = try load(source, isStart: isStart, through: layer)
        try store(through: layer).makeCurrent(result.manifest.sequence)
        return try Generation(directory: store.path(of: result.manifest.sequence))
    }

    /// The names in the directory of the generation that serves, or in another.
    func names(_ directory: String? = nil) throws -> [String] {
        let path = try directory ?? store.path(of: #require(store.current))
        return try Directory.names(in: FileDescriptor.openDirectory(path: path), limitCount: 1000)
    }

    /// Changes the manifest of the generation that serves to that of another boot.
    func reboot() throws {
        let path = "\(store.path(of: try #require(store.current)))/manifest.json"
        let text = String(decoding: try SourceFile.read(path), as: UTF8.self)
        try AtomicFile.write(
            Array(text.replacing(Manifest.presentBoot, with: "another").utf8).span, to: path,
            permissions: 0o400)
    }
}

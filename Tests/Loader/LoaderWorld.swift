import Configuration
import DataFiles
import Support
import System
import Testing
import Vocabulary

@testable import Loader

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
        app: Int64 = 1,
        _ environment: Environment = .production,
        generation: Int64 = 10,
        builtAt: Int64 = 1_700_000_000_000,
        revision: String = "r1"
    ) -> [UInt8] {
        var model = RulesModel(appAppleId: app, bundleId: "com.example", environment: environment)
        model.metadata = [RulesModel.Metadatum(key: "revision", value: revision)]
        model.defaultOutcome = RulesModel.Outcome.nothing
        let stamp = RulesFileStamp(
            generation: generation,
            builtAtMilliseconds: builtAt,
            writerVersion: "test"
        )
        return RulesFileWriter.write(model, stamp: stamp)
    }

    func push(_ bytes: [UInt8], as name: String, permissions: UInt32 = 0o644) throws {
        try folder.write(bytes, to: "data/\(name)", permissions: permissions)
    }

    func load(
        _ source: LoadSource = .pushed,
        present: PresentGeneration? = nil
    ) throws(LoadError) -> Loader.Result {
        try Loader(configurationPath: configurationPath, sequence: 7, source: source).load(present: present)
    }

    /// What a supervisor would hold of a load.
    func present(_ result: Loader.Result, before: PresentGeneration? = nil) throws -> PresentGeneration {
        var numbers: [Int32] = []
        for file in result.files {
            switch file.place {
            case .copied(let list): numbers.append(try list.duplicate(at: 0).release())
            case .loaded(let index):
                let before = try #require(before)
                numbers.append(try before.descriptors.duplicate(at: index).release())
            }
        }
        return PresentGeneration(
            manifest: result.manifest,
            descriptors: DescriptorList(takingOwnership: numbers)
        )
    }
}

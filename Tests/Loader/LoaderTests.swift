import Configuration
import Cryptography
import Facts
@testable import Pool
import Rules
import Support
import System
import Testing

@Suite("A load")
struct LoaderTests {
    @Test("reads every data file and nothing else")
    func files() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules.json")
        try world.push(Array("junk".utf8), as: ".one.rules.Xa93k")  // rsync's temporary file
        try world.push(Array("junk".utf8), as: "README")
        try world.push(Array("junk".utf8), as: "one.rules~")
        try world.folder.makeDirectory("data/later")
        let manifest = try world.load().manifest
        #expect(manifest.files.map(\.name) == ["one.rules.json", "two.rules.json"])
        #expect(manifest.files.map(\.appAppleId) == [1, 2])
        #expect(manifest.sequence == 1 && manifest.source == .pushed)
    }

    @Test("has a manifest that is read back as it was written")
    func manifestRoundTrip() throws {
        let world = try LoaderWorld(#", "workers": 3, "drainMilliseconds": 77"#)
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        let manifest = try world.load().manifest
        let read = try Manifest.read(in: world.store.path(of: 1))
        #expect(read.files == manifest.files && read.configuration == manifest.configuration)
        #expect(read.sequence == 1 && read.anchors.isEmpty && read.isOfThisBoot)
        #expect(read.settings == manifest.settings)
        #expect(throws: ServiceError.manifestInvalid) {
            try Manifest(parsing: Array("{}".utf8), configuration: Array("{}".utf8))
        }
    }

    @Test("is not changed by a later change of the pushed file, keeps the pushed bytes, and nobody may write")
    func copied() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        let generation = try world.serve()
        try world.push([], as: "one.rules.json")
        #expect(generation.rules(appAppleId: 1, environment: .production)?.revision == "r1")
        let names = try world.names()
        #expect(names == ["configuration.json", "manifest.json", "one.rules.json", "one.rules.json.mapped"])
        #expect(try world.folder.read("state/generations/1/one.rules.json") == LoaderWorld.rules())
        for name in names {
            let status = try FileStatus(path: "\(world.store.path(of: 1))/\(name)")
            #expect(status.permissions == 0o400, "\(name)")
        }
        #expect(try FileStatus(path: world.store.path(of: 1)).permissions == 0o700)
    }

    @Test("gives each app and environment its own rules and facts")
    func roles() throws {
        let world = try LoaderWorld()
        let facts = [RulesModel.FactDeclaration(name: "n", kind: .integer)]
        for (index, (app, environment)) in Self.roleList.enumerated() {
            let rules = LoaderWorld.rules(app: app, environment, revision: "r\(index)", facts: facts)
            try world.push(rules, as: "\(index).rules.json")
            try world.push(LoaderWorld.facts(app: app, environment), as: "\(index).facts")
        }
        let generation = try world.serve()
        for (index, (app, environment)) in Self.roleList.enumerated() {
            let rules = generation.rules(appAppleId: app, environment: environment)
            #expect(rules?.revision == "r\(index)")
            let header = generation.facts(appAppleId: app, environment: environment)?.file.header
            #expect(header?.appAppleId == app && header?.environment == environment)
        }
        #expect(generation.rules(appAppleId: 2, environment: .sandbox) == nil)
        #expect(generation.facts(appAppleId: 2, environment: .sandbox) == nil)
        #expect(generation.rules(appAppleId: 3, environment: .production) == nil)
        #expect(generation.facts(appAppleId: 3, environment: .production) == nil)
    }

    private static let roleList: [(Int64, Environment)] = [(1, .production), (1, .sandbox), (2, .production)]
}

@Suite("The generations of a pool")
struct GenerationTests {
    @Test("are at most three directories, whatever was left behind, and the one before the serving one stays")
    func directories() throws {
        let world = try LoaderWorld()
        for generation in Int64(10)...15 {
            try world.push(LoaderWorld.rules(revision: "r\(generation)"), as: "one.rules.json")
            try world.serve(isStart: generation == 10)
            // A loader that was killed, one whose workers failed, and a removal that was interrupted.
            try world.load()
            try world.folder.makeDirectory("state/generations/.new-77")
            try world.folder.write("x", to: "state/generations/.new-77/one.facts")
            try world.folder.makeDirectory("state/generations/1000")
            try Directory.removeEmpty(path: world.folder.path(of: "state/generations/1000"))
        }
        let last = try #require(world.store.current)
        try world.load()
        let names = try world.names(world.folder.path(of: "state/generations")).compactMap { Int($0) }
        #expect(names.sorted() == [last - 2, last, last + 2], "\(names)")
        #expect(try world.names(world.folder.path(of: "state/generations")).count == 3)
    }

    @Test("stay while they serve, also when a newer one is current")
    func serving() throws {
        let world = try LoaderWorld()
        for number in 1...3 {
            try world.push(LoaderWorld.rules(revision: "r\(number)"), as: "one.rules.json")
            try world.serve(isStart: number == 1)
        }
        // The workers of the newer ones never became ready.
        _ = try Loader(configurationPath: world.configurationPath, sequence: 4, source: .pushed)
            .load(into: world.store, serving: 1)
        let names = try world.names(world.folder.path(of: "state/generations"))
        #expect(names.contains("1") && names.contains("3") && names.contains("4"), "\(names)")
    }

    @Test("leave nothing behind when a load is refused")
    func refused() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        try world.serve()
        try world.push([1, 2, 3], as: "one.rules.json")
        #expect(throws: ServiceError.self) { try world.load() }
        #expect(try world.names(world.folder.path(of: "state/generations")) == ["1"])
        #expect(world.store.current == 1)
    }

    @Test("serve again at a start with the same settings, whatever is pushed by then")
    func unchanged() throws {
        let world = try LoaderWorld()
        #expect(throws: ServiceError.noLastGood) { try world.load(.unchanged, isStart: true) }
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules.json")
        let before = try world.serve()
        try world.push([], as: "one.rules.json")
        try world.reboot()
        let again = try world.serve(.unchanged, isStart: true)
        #expect(again.manifest.files == before.manifest.files && again.sequence == 2)
        #expect(again.rules(appAppleId: 1, environment: .production)?.revision == "r1")
        #expect(again.manifest.isOfThisBoot, "all was checked again")
    }

    @Test("do not serve before a load when configuration, anchors or keys are others", arguments: 0...3)
    func changed(what: Int) throws {
        let world = try LoaderWorld()
        func configure(workers: Int) throws {
            let path = world.folder.path
            let apps = LoaderWorld.twoApps.replacing(
                #""environments": ["Production", "Sandbox"]"#,
                with: #"""
                    "environments": ["Production", "Sandbox"],
                    "signingKeys": [{"keyId": "K", "issuerId": "i", "file": "\#(path)/key.p8"}]
                    """#)
            try world.configure(
                #", "workers": \#(workers), "anchors": ["\#(path)/root.pem"]"#, apps: apps)
        }
        try world.folder.write(AppleCertificates.rootG3.certificate().pem, to: "root.pem")
        try world.folder.write(SigningKey.generate().pem(), to: "key.p8", permissions: 0o600)
        try configure(workers: 1)
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        try world.serve()
        switch what {
        case 1: try configure(workers: 2)
        case 2: try world.folder.write(AppleCertificates.rootG2.certificate().pem, to: "root.pem")
        case 3: try world.folder.write(SigningKey.generate().pem(), to: "key.p8", permissions: 0o600)
        default: break
        }
        let result = Result { () throws(ServiceError) in try world.load(.unchanged, isStart: true) }
        if case .failure(let error) = result { #expect(error == .noLastGood) }
        #expect(((try? result.get()) != nil) == (what == 0))
        // The same files serve under the new settings when the pushed ones are refused.
        #expect(try world.load(.lastGood, isStart: true).manifest.files.count == 1)
    }

    @Test("are refused when they were changed on the disk")
    func damaged() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        try world.serve()
        try world.folder.write(LoaderWorld.rules(revision: "r99"), to: "state/generations/1/one.rules.json")
        let error = #expect(throws: ServiceError.self) { try world.load(.lastGood, isStart: true) }
        #expect(error?.code == "last-good-damaged")
        try world.folder.write("{}", to: "state/generations/1/manifest.json")
        #expect(throws: ServiceError.noLastGood) { try world.load(.lastGood, isStart: true) }
        #expect(throws: ServiceError.manifestInvalid) { try Generation(directory: world.store.path(of: 1)) }
    }

    @Test("serve in a process without a supervisor, which writes nothing, also when there is none")
    func standalone() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules.json")
        let alone = try Generation(loadingConfigurationAt: world.configurationPath)
        #expect(alone.rules(appAppleId: 1, environment: .production)?.revision == "r1")
        #expect(try world.names(world.folder.path(of: "state")).isEmpty)
        try world.serve()
        try world.push(LoaderWorld.rules(revision: "r2"), as: "one.rules.json")
        let beside = try Generation(loadingConfigurationAt: world.configurationPath)
        #expect(beside.rules(appAppleId: 1, environment: .production)?.revision == "r1")
        #expect(try world.names(world.folder.path(of: "state/generations")) == ["1"])
        try world.configure(#", "workers": 7"#)
        let changed = try Generation(loadingConfigurationAt: world.configurationPath)
        #expect(changed.rules(appAppleId: 1, environment: .production)?.revision == "r2")
    }
}

@Suite("The reply of a loader")
struct LoaderReplyTests {
    @Test("is one line, which the supervisor reads")
    func line() throws {
        let world = try LoaderWorld(#", "workers": 3, "drainMilliseconds": 44"#)
        let result = try world.load()
        let pipe = try FileDescriptor.pipe()
        let bytes = LoaderReply(result).bytes + [UInt8(ascii: "\n")]
        try pipe.writing.write(bytes.span.extracting(first: 9))
        let reader = try LoaderReplyReader(FileDescriptor.duplicate(of: pipe.reading.number), sequence: 1)
        #expect(reader.read() == nil)
        try pipe.writing.write(bytes.span.extracting(droppingFirst: 9))
        guard case .loaded(let loaded)? = reader.read() else {
            Issue.record("no reply")
            return
        }
        #expect(loaded.workerCount == 3 && loaded.drainMilliseconds == 44 && loaded.fileCount == 0)
        #expect(loaded.warnings.map(\.code) == ["no-rules"])
        for text in ["", "{", #"{"workers":0}"#] {
            guard case .refused(let error) = LoaderReply(Array(text.utf8).span), error.code == "load-crashed"
            else {
                Issue.record("\(text) is accepted")
                return
            }
        }
    }
}

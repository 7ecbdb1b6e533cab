import Configuration
import Cryptography
import DataFiles
import Support
import System
import Testing
import Vocabulary

@testable import Loader

@Suite("A load")
struct LoaderTests {
    @Test("reads every data file and nothing else")
    func files() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules")
        try world.push(Array("junk".utf8), as: ".one.rules.Xa93k")  // rsync's temporary file
        try world.push(Array("junk".utf8), as: "README")
        try world.push(Array("junk".utf8), as: "one.rules~")
        try world.folder.makeDirectory("data/later")
        let manifest = try world.load().manifest
        #expect(manifest.files.map(\.name) == ["one.rules", "two.rules"])
        #expect(manifest.files.map(\.appAppleId) == [1, 2])
        #expect(manifest.sequence == 7 && manifest.source == .pushed)
    }

    @Test("of an empty directory is a generation without rules")
    func empty() throws {
        let result = try LoaderWorld().load()
        #expect(result.files.isEmpty)
        #expect(result.warnings.map(\.code) == ["no-rules"])
    }

    @Test("has a manifest that is read back as it was written")
    func manifestRoundTrip() throws {
        let world = try LoaderWorld(#", "workers": 3, "drainMilliseconds": 77"#)
        try world.push(LoaderWorld.rules(), as: "one.rules")
        let manifest = try world.load().manifest
        let read = try Manifest(parsing: manifest.bytes.span)
        #expect(read.files == manifest.files && read.configuration == manifest.configuration)
        #expect(read.sequence == 7 && read.anchors.isEmpty)
        #expect(throws: LoadError.manifestInvalid) { try Manifest(parsing: Array("{}".utf8).span) }
    }

    @Test("is not changed by a later change of the pushed file")
    func sealed() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        let present = try world.present(world.load())
        try world.push([], as: "one.rules")
        let sealed = try SealedMemory(verifying: present.descriptors.duplicate(at: 0))
        let file = try RulesFile(mapping: MappedMemory(of: sealed.descriptor), check: .full)
        #expect(file.revision == "r1")
    }

    @Test("does not copy a file again that is loaded already")
    func unchanged() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules")
        let present = try world.present(world.load())
        try world.push(LoaderWorld.rules(generation: 11, revision: "r2"), as: "one.rules")
        let again = try world.load(present: present)
        guard case .copied = again.files[0].place, case .loaded(1) = again.files[1].place else {
            Issue.record("\(again.files.map(\.place))")
            return
        }
        #expect(again.manifest.files[1] == present.manifest.files[1])
    }

    @Test("gives each app and environment its own rules and facts")
    func roles() throws {
        let world = try LoaderWorld()
        let facts = [RulesModel.FactDeclaration(name: "n", kind: .integer)]
        for (index, (app, environment)) in Self.roleList.enumerated() {
            let rules = LoaderWorld.rules(app: app, environment, revision: "r\(index)", facts: facts)
            try world.push(rules, as: "\(index).rules")
            try world.push(LoaderWorld.facts(app: app, environment), as: "\(index).facts")
        }
        let generation = try Generation(world.present(world.load()))
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

    @Test("reads the certificates that the configuration names")
    func anchors() throws {
        let world = try LoaderWorld()
        let root = try AppleCertificates.rootG3.certificate()
        try world.folder.write(root.pem, to: "root.pem")
        try world.configure(#", "anchors": ["\#(world.folder.path(of: "root.pem"))"]"#)
        let result = try world.load()
        #expect(result.warnings.map(\.code) == ["custom-anchors", "no-rules"])
        let manifest = result.manifest
        #expect(manifest.anchors == [world.folder.path(of: "root.pem"): [root.der]])
        let read = try Manifest(parsing: manifest.bytes.span)
        #expect(read.anchors == manifest.anchors)
    }
}

@Suite("The last good generation")
struct LastGoodTests {
    @Test("is stored and found again, and new files are compared with it")
    func store() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules")
        let lastGood = LastGood(stateDirectory: world.folder.path(of: "state"))
        #expect(throws: LoadError.noLastGood) { try world.load(.lastGood) }
        try lastGood.store(world.present(world.load()))

        try world.push(LoaderWorld.rules(generation: 9), as: "one.rules")
        let error = #expect(throws: LoadError.self) { try world.load() }
        #expect(error?.code == "generation-lower", "the stored list has the generation across a restart")
        let again = try world.load(.lastGood)
        #expect(again.manifest.files.map(\.name) == ["one.rules", "two.rules"])
        #expect(again.manifest.files.map(\.generation) == [10, 10])
        #expect(again.manifest.source == .lastGood)
    }

    @Test("stays as it was when one of the new files cannot be copied")
    func notStored() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        let lastGood = LastGood(stateDirectory: world.folder.path(of: "state"))
        let before = try world.present(world.load())
        try lastGood.store(before)
        try world.push(LoaderWorld.rules(generation: 11), as: "one.rules")
        let next = try world.present(world.load())
        // A directory has the name of the copy and cannot be replaced.
        try world.folder.makeDirectory("state/last-good/\(LastGood.storedName(of: next.manifest.files[0]))")
        let error = #expect(throws: LoadError.self) { try lastGood.store(next) }
        #expect(error?.code == "last-good-not-stored")
        #expect(try world.load(.lastGood).manifest.files == before.manifest.files)
    }

    @Test("keeps only the files of the latest generation")
    func replace() throws {
        let world = try LoaderWorld()
        let lastGood = LastGood(stateDirectory: world.folder.path(of: "state"))
        for generation in Int64(10)...12 {
            try world.push(LoaderWorld.rules(generation: generation), as: "one.rules")
            try lastGood.store(world.present(world.load()))
        }
        let directory = try FileDescriptor.openDirectory(path: lastGood.directory)
        #expect(try Directory.names(in: directory, limitCount: 10).count == 2)
        #expect(try world.load(.lastGood).manifest.files[0].generation == 12)
    }

    @Test("does not stop a load when its list was changed on the disk, but leads to a warning")
    func damagedList() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        let lastGood = LastGood(stateDirectory: world.folder.path(of: "state"))
        try lastGood.store(world.present(world.load()))
        #expect(try world.load().warnings.isEmpty)
        try world.folder.write("{}", to: "state/last-good/files.json")
        try world.push(LoaderWorld.rules(generation: 9), as: "one.rules")
        let result = try world.load()
        #expect(result.manifest.files[0].generation == 9)
        #expect(result.warnings.map(\.code) == ["last-good-damaged"])
        #expect(result.warnings[0].message.contains("files.json"))
    }

    @Test(
        "is repaired by the next store, whatever has happened to a copy",
        arguments: ["bit", "length", "link", "gone"]
    )
    func repaired(damage: String) throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules")
        let lastGood = LastGood(stateDirectory: world.folder.path(of: "state"))
        let present = try world.present(world.load())
        try lastGood.store(present)
        let name = "state/last-good/\(LastGood.storedName(of: present.manifest.files[1]))"
        var bytes = try world.folder.read(name)
        let whole = bytes
        switch damage {
        case "bit":
            bytes[bytes.count - 1] ^= 1
            try world.folder.write(bytes, to: name, permissions: 0o600)
        case "length": try world.folder.write(Array(bytes.dropLast()), to: name, permissions: 0o600)
        case "link":
            try Directory.rename(world.folder.path(of: name), to: world.folder.path(of: "elsewhere"))
            #expect(
                try ProgramRun.run("ln", ["-s", "../../elsewhere", world.folder.path(of: name)]).status == 0
            )
        default: try Directory.removeFile(path: world.folder.path(of: name))
        }
        #expect(throws: LoadError.self) { try world.load(.lastGood) }
        try lastGood.store(present)
        #expect(try world.folder.read(name) == whole)
        #expect(try world.load(.lastGood).manifest.files == present.manifest.files)
    }

    @Test("is not written again when it is intact")
    func untouched() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        let lastGood = LastGood(stateDirectory: world.folder.path(of: "state"))
        let present = try world.present(world.load())
        try lastGood.store(present)
        let path = "\(lastGood.directory)/\(LastGood.storedName(of: present.manifest.files[0]))"
        let before = try FileStatus(path: path)
        try lastGood.store(present)
        #expect(try FileStatus(path: path).inode == before.inode)
    }

    @Test("is refused when it was changed on the disk")
    func damaged() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        let lastGood = LastGood(stateDirectory: world.folder.path(of: "state"))
        let present = try world.present(world.load())
        try lastGood.store(present)
        let name = LastGood.storedName(of: present.manifest.files[0])
        try world.folder.write(LoaderWorld.rules(generation: 99), to: "state/last-good/\(name)")
        let error = #expect(throws: LoadError.self) { try world.load(.lastGood) }
        #expect(error?.code == "last-good-damaged")
        try world.folder.write("{}", to: "state/last-good/files.json")
        #expect(throws: LoadError.lastGoodDamaged(name: "files.json")) { try world.load(.lastGood) }
    }
}

@Suite("The reply of a loader")
struct LoaderReplyTests {
    @Test("arrives with its descriptors, also when they need several messages")
    func conversation() throws {
        let world = try LoaderWorld()
        let root = try AppleCertificates.rootG3.certificate()
        try world.folder.write(root.pem, to: "root.pem")
        let anchors = #", "anchors": ["\#(world.folder.path(of: "root.pem"))"]"#
        try world.configure(#", "workers": 3, "drainMilliseconds": 44\#(anchors)"#)
        try world.push(LoaderWorld.rules(), as: "one.rules")
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules")
        let pair = try DescriptorSocket.pair()
        let loader = Loader(configurationPath: world.configurationPath, sequence: 1, source: .pushed)
        let result = try loader.load(present: nil)
        #expect(try loader.send(result, over: pair.theirs))
        var conversation = LoaderReplyReceiver(over: pair.keepOurs())
        guard case .loaded(let loaded)? = conversation.receive() else {
            Issue.record("no reply")
            return
        }
        #expect(loaded.workerCount == 3 && loaded.drainMilliseconds == 44)
        // The first two descriptors are those of the manifest and the keys.
        #expect(loaded.files.map(\.place) == [.sent(2), .sent(3)])
        #expect(loaded.warnings.map(\.code) == ["custom-anchors"])
        #expect(conversation.descriptors.count == 4)
    }

    @Test("is nil when the loader is gone, and a crash when it cannot be understood")
    func noReply() throws {
        let gone = try DescriptorSocket.pair().keepOurs()
        var conversation = LoaderReplyReceiver(over: gone)
        #expect(conversation.receive() == nil)
        let pair = try DescriptorSocket.pair()
        try pair.theirs.send(Array("{\"workers\":0}".utf8).span)
        var other = LoaderReplyReceiver(over: pair.keepOurs())
        guard case .refused("load-crashed", _)? = other.receive() else {
            Issue.record("accepted")
            return
        }
    }
}

import Configuration
import Facts
@testable import Pool
import Rules
import Support
import System
import Testing

/// A row: a change to a world in which one good file is loaded, and the code with which the next load is refused.
struct RefusedLoad: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: String
    /// False when the disk has no room for a copy of facts: then a file that is refused with another code was not copied.
    let hasRoom: Bool
    let prepare: @Sendable (LoaderWorld) throws -> Void

    init(
        _ code: String, _ description: String, hasRoom: Bool = true,
        _ prepare: @escaping @Sendable (LoaderWorld) throws -> Void
    ) {
        self.code = code
        self.hasRoom = hasRoom
        testDescription = description
        self.prepare = prepare
    }

    static let all: [RefusedLoad] = [
        RefusedLoad("data-file.truncated", "an empty file") { try $0.push([], as: "one.rules.json") },
        RefusedLoad("json.syntax", "rules that are not JSON") {
            try $0.push(Array(repeating: 65, count: 300), as: "one.rules.json")
        },
        RefusedLoad("json.duplicate-key", "rules with a key twice") {
            try $0.push(Array(#"{"format": 1, "format": 1}"#.utf8), as: "one.rules.json")
        },
        RefusedLoad("rules.unknown-key", "rules with an unknown key") {
            let text = String(decoding: LoaderWorld.rules(), as: UTF8.self)
            try $0.push(
                Array(text.replacing(#""killSwitch""#, with: #""killswitch""#).utf8), as: "one.rules.json")
        },
        RefusedLoad("rules.includes-files", "rules that include files") {
            let text = String(decoding: LoaderWorld.rules(), as: UTF8.self)
            try $0.push(
                Array(text.replacing(#""format""#, with: #""include": ["a.json"], "format""#).utf8),
                as: "one.rules.json")
        },
        RefusedLoad("rules-format-old", "rules that were compiled for an earlier version") {
            try $0.push([0x89], as: "one.rules")
        },
        RefusedLoad("file-writable", "writable by its group") {
            try $0.push(LoaderWorld.rules(), as: "one.rules.json", permissions: 0o664)
        },
        RefusedLoad("file-writable", "writable by everybody") {
            try $0.push(LoaderWorld.rules(), as: "one.rules.json", permissions: 0o646)
        },
        RefusedLoad("data-directory-writable", "a directory writable by everybody") {
            try Directory.setPermissions(path: $0.folder.path(of: "data"), to: 0o777)
        },
        RefusedLoad("data-directory-unreadable", "no data directory") {
            try Directory.removeFile(path: $0.folder.path(of: "data/one.rules.json"))
            try Directory.removeEmpty(path: $0.folder.path(of: "data"))
        },
        RefusedLoad("file-not-regular", "a directory with the name of a file") {
            try $0.folder.makeDirectory("data/dir.rules.json")
        },
        RefusedLoad("file-not-regular", "a symbolic link") {
            let child = ChildProcess(
                executable: "/bin/ln",
                arguments: ["ln", "-s", "one.rules.json", $0.folder.path(of: "data/link.rules.json")],
                environment: [])
            _ = Processes.wait(for: try child.start())
        },
        RefusedLoad("file-not-regular", "a FIFO, without waiting for its writer") {
            let child = ChildProcess(
                executable: "/usr/bin/mkfifo",
                arguments: ["mkfifo", $0.folder.path(of: "data/fifo.rules.json")],
                environment: [])
            _ = Processes.wait(for: try child.start())
        },
        RefusedLoad("file-too-large", "a file above rulesBytes") {
            try $0.configure(#", "limits": {"rulesBytes": 4096}"#)
            try $0.push([UInt8](repeating: 0, count: 4097), as: "one.rules.json")
        },
        RefusedLoad("file-too-large", "a file above factsBytes") {
            try $0.configure(#", "limits": {"factsBytes": 4096}"#)
            try $0.push([UInt8](repeating: 0, count: 4097), as: "one.facts")
        },
        RefusedLoad("data-file.truncated", "facts of one byte") { try $0.push([1], as: "one.facts") },
        RefusedLoad("data-file.bad-magic", "rules under the name of facts") {
            try $0.push(LoaderWorld.rules(revision: "r11"), as: "one.facts")
        },
        RefusedLoad("json.not-utf8", "facts under the name of rules") {
            try $0.push(LoaderWorld.facts(value: 11), as: "one.rules.json")
        },
        RefusedLoad("data-file.bad-digest", "facts with one byte changed") {
            var bytes = try LoaderWorld.facts()
            bytes[48] ^= 1
            try $0.push(bytes, as: "one.facts")
        },
        RefusedLoad("duplicate-file", "two facts files for one app and environment") {
            try $0.push(LoaderWorld.facts(), as: "one.facts")
            try $0.push(LoaderWorld.facts(value: 11), as: "another.facts")
        },
        RefusedLoad("app-not-configured", "facts of an app that is not configured") {
            try $0.push(LoaderWorld.facts(app: 3), as: "three.facts")
        },
        RefusedLoad("data-file.fact-missing", "rules that name a fact which the facts lack") {
            let declared = [RulesModel.FactDeclaration(name: "m", kind: .integer)]
            try $0.push(LoaderWorld.rules(revision: "r11", facts: declared), as: "one.rules.json")
            try $0.push(LoaderWorld.facts(), as: "one.facts")
        },
        RefusedLoad("data-file.fact-type-mismatch", "rules that name a fact of another kind") {
            let declared = [RulesModel.FactDeclaration(name: "n", kind: .date)]
            try $0.push(LoaderWorld.rules(revision: "r11", facts: declared), as: "one.rules.json")
            try $0.push(LoaderWorld.facts(), as: "one.facts")
        },
        RefusedLoad("data-file.bad-magic", "a large file of zeros, before it is copied", hasRoom: false) {
            try Self.pushHole($0, byteCount: 16 << 30)
        },
        RefusedLoad("data-file.bad-magic", "a file of rules, before it is copied", hasRoom: false) {
            try $0.push(LoaderWorld.rules(revision: "r11"), as: "one.facts")
        },
        RefusedLoad("data-file.truncated", "a file shorter than it says, before it is copied", hasRoom: false)
        {
            try $0.push(Array(LoaderWorld.facts().dropLast()), as: "one.facts")
        },
        RefusedLoad(
            "data-file.trailing-bytes", "a file longer than it says, before it is copied", hasRoom: false
        ) {
            try $0.push(LoaderWorld.facts() + [0], as: "one.facts")
        },
        RefusedLoad(
            "data-file.section-outside", "a section beyond the end, before it is copied", hasRoom: false
        ) {
            var bytes = try LoaderWorld.facts()
            bytes[DataFileHeader.byteCount + 8 + 6] = 1
            try $0.push(bytes, as: "one.facts")
        },
        RefusedLoad("copy-not-made", "a large file whose beginning is valid", hasRoom: false) {
            var bytes = try LoaderWorld.facts()
            bytes[bytes.count - 1] ^= 1
            try $0.push(bytes, as: "one.facts")
        },
        RefusedLoad("embedded-test-failed", "rules whose own test fails") {
            try $0.push(LoaderWorld.rules(revision: "r11", expectedReason: "HOLDOUT"), as: "one.rules.json")
        },
        RefusedLoad("app-not-configured", "an app that is not configured") {
            try $0.push(LoaderWorld.rules(app: 3), as: "three.rules.json")
        },
        RefusedLoad("environment-not-configured", "an environment that is not configured") {
            try $0.push(LoaderWorld.rules(app: 2, .sandbox), as: "two.rules.json")
        },
        RefusedLoad("duplicate-file", "two files for one app and environment") {
            try $0.push(LoaderWorld.rules(revision: "r11"), as: "another.rules.json")
        },
        RefusedLoad("built-in-future", "facts that were built in two days") {
            let built = Clock.wallMilliseconds() + 2 * 86_400_000
            try $0.push(LoaderWorld.facts(builtAt: built), as: "one.facts")
        },
        RefusedLoad("rules-file-missing", "the file is gone while its app is configured") {
            try Directory.removeFile(path: $0.folder.path(of: "data/one.rules.json"))
        },
        RefusedLoad("needs-restart", "another socket") { try $0.configure(#", "listenMode": "0600""#) },
        RefusedLoad("configuration.unknown-key", "an unknown key") {
            try $0.configure(#", "x": 1"#)
        },
        RefusedLoad("json.syntax", "not JSON") { try $0.folder.write("{", to: "retentiond.json") },
        RefusedLoad("configuration-unreadable", "no configuration") {
            try Directory.removeFile(path: $0.configurationPath)
        },
        RefusedLoad("anchor-unreadable", "an anchor whose file is missing") {
            try $0.configure(#", "anchors": ["/nowhere/root.pem"]"#)
        },
        RefusedLoad("anchor-invalid", "an anchor that is not a certificate") {
            try $0.folder.write("no PEM", to: "root.pem")
            try $0.configure(#", "anchors": ["\#($0.folder.path(of: "root.pem"))"]"#)
        },
        RefusedLoad("too-many-files", "257 files") {
            for number in 0..<256 { try $0.push([1], as: "f\(number).rules.json") }
        },
        RefusedLoad("json.syntax", "256 files, which the loader reads") {
            for number in 0..<255 { try $0.push([1], as: "f\(number).rules.json") }
        },
        RefusedLoad("data-directory-unreadable", "more names than the loader reads") {
            for number in 0..<LoaderLimits.nameCount { try $0.push([], as: ".f\(number)") }
        },
        RefusedLoad("rules-file-missing", "one of the files of two apps is gone") {
            try $0.push(LoaderWorld.rules(app: 2), as: "two.rules.json")
            try Directory.removeFile(path: $0.folder.path(of: "data/one.rules.json"))
        },
        RefusedLoad("rules-file-missing", "an app has rules only for its other environment") {
            try $0.push(LoaderWorld.rules(.sandbox), as: "sandbox.rules.json")
            try Directory.removeFile(path: $0.folder.path(of: "data/one.rules.json"))
        },
    ]

    /// Pushes a facts file that is one hole: it has a length but no data.
    private static func pushHole(_ world: LoaderWorld, byteCount: Int) throws {
        var file = try AtomicFileWriter(path: world.folder.path(of: "data/one.facts"))
        try file.write([0].span, at: byteCount - 1)
        try file.commit()
    }
}

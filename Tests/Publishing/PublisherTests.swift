import Authoring
import Cryptography
import Facts
import JSON
import System
import Testing

@Suite("Publishing to hosts")
struct PublisherTests {
    /// Publishes to hosts and returns what was done and the reports.
    private static func publish(
        _ names: [String], faults: [String: TestPool.Fault] = [:], current: Set<String> = [],
        keepsGoing: Bool = false
    ) throws -> (log: [String], reports: [HostReport]) {
        let pool = TestPool(names, faults: faults)
        let publisher = Publisher(pool, keepsGoing: keepsGoing)
        var states = publisher.states(of: try names.map { try PublishHost($0) })
        #expect(pool.log == names.map { "\($0) served" })
        for index in states.indices { states[index].isCurrent = current.contains(names[index]) }
        let reports = publisher.publish([try TestPool.file()], to: states)
        return (Array(pool.log.dropFirst(names.count)), reports)
    }

    private static func steps(_ name: String) -> [String] {
        let path = "/srv/\(name)/app.rules.json"
        return [
            "\(name) keep \(path)", "\(name) copy \(path)", "\(name) reload", "\(name) served",
            "\(name) drop \(path)",
        ]
    }

    @Test("takes back what was copied when the host refuses it or cannot take all of it, and else leaves it")
    func takenBack() throws {
        let path = "/srv/a/app.rules.json"
        for (fault, last) in [
            (TestPool.Fault.refusal, "restore"), (.refusalForGood, "restore"), (.copy, "restore"),
            (.notAsked, "drop"),
            (.lateAndNotLoaded, "drop"), (.otherFile, "drop"),
        ] {
            #expect(try Self.publish(["a"], faults: ["a": fault]).log.last == "a \(last) \(path)", "\(fault)")
        }
        #expect(try Self.publish(["a"], faults: ["a": .unkept]).log == ["a keep \(path)"])
        #expect(try Self.publish(["a"], faults: ["a": .lostAfterwards]).log.last == "a served")
    }

    @Test("takes one host after the other, and each step is told before it is done")
    func order() throws {
        let (log, reports) = try Self.publish(["b", "a"])
        #expect(log == Self.steps("b") + Self.steps("a"))
        #expect(reports.map(\.outcome) == [.published, .published])
        let digest = try TestPool.file().digest
        #expect(reports.allSatisfy { $0.after?.digest == digest && $0.finding == nil })
        #expect(reports[0].text == "b: loaded; it serves rules \(digest.hexadecimal.prefix(12))")
        var steps: [Publisher.Step] = []
        let publisher = Publisher(TestPool(["a"]), keepsGoing: false) { steps.append($1) }
        _ = publisher.publish([try TestPool.file()], to: publisher.states(of: [try PublishHost("a")]))
        #expect(steps == [.check, .copy, .reload, .check])
    }

    @Test("leaves a host alone that serves the same rules")
    func current() throws {
        let (log, reports) = try Self.publish(["a", "b"], current: ["a"])
        #expect(log == Self.steps("b"))
        #expect(reports.map(\.outcome.word) == ["current", "published"])
    }

    private static let faults: [(TestPool.Fault, word: String, code: String?, text: String)] = [
        (
            .refusal, "refused", "publish.refused",
            "b: refused the file: environment-not-configured: environment-not-configured; it still serves "
                + "the last good file: rules aaaaaaaaaaaa"
        ),
        (
            .refusalForGood, "refused", "publish.refused",
            "b: refused the file: environment-not-configured: environment-not-configured; it still serves "
                + "the last good file: rules aaaaaaaaaaaa; what was copied is still there: "
                + "the former files could not be put back: Permission denied (status 1)"
        ),
        (
            .unkept, "not-copied", "publish.unreachable",
            "b: the present files could not be kept: Permission denied (status 1); it still serves rules aaaaaaaaaaaa"
        ),
        (
            .copy, "not-copied", "publish.unreachable",
            "b: the file could not be copied: Read-only file system (status 11); it still serves rules aaaaaaaaaaaa"
        ),
        (
            .notAsked, "not-loaded", "publish.not-served",
            "b: the file is there and not loaded: sudo: a password is required (status 1); "
                + "it still serves rules aaaaaaaaaaaa"
        ),
        (
            .lateAndNotLoaded, "not-loaded", "publish.not-served",
            "b: the file is there, and the host gave no verdict within 9 s; it may still load the file; "
                + "it still serves rules aaaaaaaaaaaa"
        ),
        (
            .liar, "not-loaded", "publish.not-served",
            "b: the reload ended well, and the host has loaded nothing; it still serves rules aaaaaaaaaaaa"
        ),
        (
            .otherFile, "other-served", "publish.not-served",
            "b: loaded another file than the one that was copied; it serves rules cccccccccccc"
        ),
        (
            .lostAfterwards, "unknown", "publish.not-served",
            "b: the file is there, and the host cannot be reached: no route; it is not known what it serves"
        ),
        (
            .unreachable, "not-asked", "publish.unreachable",
            "b: cannot be reached: no route; it is not known what it serves"
        ),
    ]

    @Test("stops at the first host that fails, and says what every host serves", arguments: faults)
    func fault(fault: TestPool.Fault, word: String, code: String?, text: String) throws {
        let (log, reports) = try Self.publish(["a", "b", "c"], faults: ["b": fault])
        #expect(reports.map(\.outcome.word) == ["published", word, "not-tried"])
        #expect(!log.contains { $0.hasPrefix("c ") })
        #expect(reports[1].text == text)
        let finding = try #require(reports[1].finding)
        #expect(finding.code == code && finding.severity == .error && finding.message == text)
        #expect(reports[2].finding?.code == "publish.not-served" && reports[2].finding?.severity == .warning)
        #expect(
            reports[2].text
                == "c: not tried, because an earlier host failed; it still serves rules aaaaaaaaaaaa"
        )
    }

    @Test("goes on with the next host when it should", arguments: faults)
    func keepGoing(fault: TestPool.Fault, word: String, code: String?, text: String) throws {
        let (log, reports) = try Self.publish(["a", "b", "c"], faults: ["b": fault], keepsGoing: true)
        #expect(reports.map(\.outcome.word) == ["published", word, "published"])
        #expect(Array(log.suffix(5)) == Self.steps("c"))
    }

    @Test("judges by what the host serves, not by how the reload ended")
    func lateAndLoaded() throws {
        let (_, reports) = try Self.publish(["a", "b"], faults: ["a": .lateAndLoaded])
        #expect(reports.map(\.outcome) == [.published, .published])
    }

    @Test("has every host in its report, with what served before and what serves now")
    func json() throws {
        let (_, reports) = try Self.publish(["a", "b"], faults: ["b": .refusal])
        let texts = reports.map { String(decoding: $0.json.serialized(), as: UTF8.self) }
        let digest = try TestPool.file().digest.hexadecimal
        let old = #"{"name":"app.rules.json","revision":null,"sha256":"\#(TestPool.digest("a"))"}"#
        #expect(
            texts[0]
                == #"{"host":"a","outcome":"published","before":\#(old),"#
                + #""serves":{"name":"app.rules.json","revision":null,"sha256":"\#(digest)"}}"#
        )
        #expect(
            texts[1].hasPrefix(#"{"host":"b","outcome":"refused","code":"publish.refused","message":"b: "#)
        )
        #expect(
            texts[1].hasSuffix(
                #""refusal":{"code":"environment-not-configured","message":"environment-not-configured"},"#
                    + #""before":\#(old),"serves":\#(old)}"#
            )
        )
    }

    @Test("names a file as the host does, and else as usual")
    func names() throws {
        let file = try TestPool.file()
        let pool = try TestPool(["a"]).served(try PublishHost("a"), withRules: false)
        #expect(file.name(on: pool) == "app.rules.json" && !file.isServed(by: pool))
        let empty = Array(#"{"dataDirectory":"/d","sequence":1,"result":"loaded","files":[]}"#.utf8)
        #expect(file.name(on: try ServedPool(reading: empty)) == "new.rules.json")
    }
}

import JSON
import Support
import System
import Telemetry
import Testing
import Vocabulary

@Suite("A decision record")
struct DecisionRecordTests {
    static func record() throws -> DecisionRecord {
        DecisionRecord(
            timeMilliseconds: 1_795_225_939_123,
            signedDateMilliseconds: 1_795_225_938_900,
            instance: "00f1e2d3c4b5a697",
            sequence: 41,
            requestIdentifier: try #require(UUID("551ee7c0-c097-418e-9dd5-2a98533a7390")),
            subscriber: "00112233445566778899aabbccddeeff",
            appAppleId: 7,
            environment: .production,
            productId: "monthly",
            userLocale: "en-US",
            reason: "NONE",
            generation: 12
        )
    }

    private static func text(_ folder: TemporaryDirectory, _ name: String) throws -> String {
        String(decoding: try folder.read(name), as: UTF8.self)
    }

    @Test("is one line with the same members also when most of them are empty")
    func emptyMembers() throws {
        let expected =
            #"{"time":"2026-11-21T01:52:19.123Z","signedDate":"2026-11-21T01:52:18.900Z","#
            + #""instance":"00f1e2d3c4b5a697","sequence":41,"#
            + #""requestIdentifier":"551ee7c0-c097-418e-9dd5-2a98533a7390","#
            + #""subscriber":"00112233445566778899aabbccddeeff","app":7,"environment":"Production","#
            + #""product":"monthly","locale":"en-US","rule":null,"arm":null,"reason":"NONE","assigned":[],"served":null,"#
            + #""generation":12,"verifyMicroseconds":0,"totalMicroseconds":0}"# + "\n"
        let line = String(decoding: try Self.record().line, as: UTF8.self)
        #expect(line == expected)
    }

    @Test("has what was served and its shadow, in strict JSON whatever characters names have")
    func everything() throws {
        var record = try Self.record()
        record.productId = "a\"b\\c\u{0}\n\u{2028}é"
        record.rule = "r"
        record.arm = "a"
        record.reason = "CAPPED"
        record.shadow = .init(reason: "SPLIT", rule: "o", arm: nil, message: "m")
        record.assigned = [
            .init(rule: "o\"", arm: nil, step: "caps"), .init(rule: "p", arm: "x", step: "locale"),
        ]
        record.served = .init(
            kind: "offer",
            message: "m",
            messageIdentifier: record.requestIdentifier,
            locale: "en-GB",
            offerIdentifier: "half"
        )
        record.verifyMicroseconds = 70
        record.totalMicroseconds = 95
        let line = record.line
        #expect(line.count { $0 == UInt8(ascii: "\n") } == 1 && line.last == UInt8(ascii: "\n"))
        let document = try JSONDocument(
            parsing: Array(line.dropLast()).span,
            limits: JSONLimits(byteCount: 4096, depth: 4)
        )
        let root = document.root
        // Strict JSON readers do not accept a NUL, so it is replaced.
        #expect(root.member("product")?.string == "a\"b\\c\u{FFFD}\n\u{2028}é")
        #expect(root.member("rule")?.string == "r" && root.member("arm")?.string == "a")
        let shadow = try #require(root.member("shadow"))
        #expect(shadow.member("reason")?.string == "SPLIT" && shadow.member("rule")?.string == "o")
        #expect(shadow.member("arm")?.kind == .null && shadow.member("message")?.string == "m")
        #expect(shadow.member("assigned") == nil)
        let assigned = try #require(root.member("assigned")).elements
        #expect(assigned.map { $0.member("rule")?.string } == ["o\"", "p"])
        #expect(assigned.map { $0.member("arm")?.string } == [nil, "x"])
        #expect(assigned.map { $0.member("step")?.string } == ["caps", "locale"])
        let served = try #require(root.member("served"))
        #expect(served.member("messageIdentifier")?.string == "551ee7c0-c097-418e-9dd5-2a98533a7390")
        #expect(
            served.member("offerIdentifier")?.string == "half" && served.member("kind")?.string == "offer"
        )
        #expect(served.member("locale")?.string == "en-GB" && served.member("message")?.string == "m")
        #expect(
            root.member("verifyMicroseconds")?.int64 == 70 && root.member("totalMicroseconds")?.int64 == 95
        )
    }

    @Test("has the draws of a held-out subscriber in its shadow")
    func heldOut() throws {
        var record = try Self.record()
        let draw = DecisionRecord.Assigned(rule: "r", arm: "a", step: "approval")
        record.shadow = .init(reason: "NONE", rule: nil, arm: nil, message: nil, assigned: [draw])
        let line = String(decoding: record.line, as: UTF8.self)
        let expected =
            #""assigned":[],"shadow":{"reason":"NONE","rule":null,"arm":null,"message":null,"#
            + #""assigned":[{"rule":"r","arm":"a","step":"approval"}]},"served":null"#
        #expect(line.contains(expected), "\(line)")
    }

    @Test("has the first or the last valid time in place of a time beyond it", arguments: [Int64.min, .max])
    func farTimes(milliseconds: Int64) throws {
        var record = try Self.record()
        record.signedDateMilliseconds = milliseconds
        let text = milliseconds < 0 ? "0000-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.999Z"
        #expect(String(decoding: record.line, as: UTF8.self).contains(#""signedDate":"\#(text)","#))
    }

    @Test("loses its last draws when it is too long, but is not dropped")
    func manyDraws() throws {
        let folder = try TemporaryDirectory()
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: folder.path(of: "d"), counters: counters)
        var record = try Self.record()
        let name = String(repeating: "n", count: 300)
        record.assigned = (0..<8).map { .init(rule: "\($0)\(name)", arm: name, step: "locale") }
        log.append(record)
        #expect(counters.value(.decisionsWritten) == 1)
        let line = try folder.read("d")
        #expect(line.count <= LineOutput.lineBytes)
        let limits = JSONLimits(byteCount: 4096, depth: 4)
        let root = try JSONDocument(parsing: Array(line.dropLast()).span, limits: limits).root
        let draws = try #require(root.member("assigned")).elements
        #expect(draws.map { $0.member("rule")?.string?.first } == ["0", "1", "2", "3", "4"])
    }

    @Test("is accompanied by marks, which are lines of their own")
    func marks() {
        let mark = DecisionMark(
            .minute,
            timeMilliseconds: 1_795_225_939_123,
            instance: "00f1e2d3c4b5a697",
            sequence: 18_446_744_073_709_551_615,
            identifierKey: "0123456789abcdef"
        )
        let expected =
            #"{"mark":"minute","time":"2026-11-21T01:52:19.123Z","instance":"00f1e2d3c4b5a697","#
            + #""sequence":18446744073709551615,"identifierKey":"0123456789abcdef"}"# + "\n"
        #expect(String(decoding: mark.line, as: UTF8.self) == expected)
    }

    @Test("is appended to the file, and to a new file after a rotation")
    func rotation() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "decisions.ndjson")
        try folder.write("before\n", to: "decisions.ndjson")
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: path, counters: counters)
        let line = String(decoding: try Self.record().line, as: UTF8.self)
        log.append(try Self.record())
        #expect(try Self.text(folder, "decisions.ndjson") == "before\n" + line)
        try Directory.rename(path, to: folder.path(of: "decisions.1"))
        log.append(try Self.record())
        try log.reopen()
        log.append(try Self.record())
        #expect(try Self.text(folder, "decisions.1") == "before\n" + line + line)
        #expect(try Self.text(folder, "decisions.ndjson") == line)
        #expect(counters.value(.decisionsWritten) == 3 && counters.value(.decisionsDropped) == 0)
    }

    @Test(
        "that cannot be written is dropped and counted",
        arguments: [("/dev/full", nil), ("fifo", "system.enxio"), ("missing/d", "system.enoent")]
    )
    func dropped(name: String, code: String?) throws {
        let folder = try TemporaryDirectory()
        let path = name.hasPrefix("/") ? name : folder.path(of: name)
        if name == "fifo" {
            let maker = ChildProcess(
                executable: "/usr/bin/mkfifo",
                arguments: ["mkfifo", path],
                environment: []
            )
            _ = Processes.wait(for: try maker.start())
        }
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: path, counters: counters)
        #expect(log.isOpen == (name == "/dev/full"))
        for _ in 0..<3 { #expect(!log.append(try Self.record())) }
        var found: String?
        do throws(SystemCallError) { try log.reopen() } catch { found = error.code }
        #expect(found == code)
        #expect(counters.value(.decisionsWritten) == 0 && counters.value(.decisionsDropped) == 3)
    }

    @Test("goes into the file that was open while the path cannot be opened")
    func notReopened() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "d")
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: path, counters: counters)
        try Directory.rename(path, to: "\(path).1")
        try folder.makeDirectory("d")
        #expect(throws: SystemCallError.self) { try log.reopen() }
        #expect(log.append(try Self.record()))
        #expect(try Self.text(folder, "d.1") == String(decoding: Self.record().line, as: UTF8.self))
        try Directory.removeEmpty(path: path)
        try log.reopen()
        #expect(log.append(try Self.record()))
        #expect(try Self.text(folder, "d") == String(decoding: Self.record().line, as: UTF8.self))
        #expect(counters.value(.decisionsDropped) == 0)
    }

    @Test("waits for others and is written with them, and each that cannot be written counts")
    func together() throws {
        let folder = try TemporaryDirectory()
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let record = try Self.record()
        var long = try Self.record()
        long.productId = String(repeating: "x", count: LineOutput.lineBytes)
        let log = DecisionLog(path: folder.path(of: "d"), counters: counters)
        for isLong in [false, true, false] { isLong ? log.add(long) : log.add(record) }
        #expect(log.waitingCount == 3)
        #expect(try folder.read("d").isEmpty)
        log.write()
        let line = String(decoding: record.line, as: UTF8.self)
        #expect(try Self.text(folder, "d") == line + line)
        #expect(counters.value(.decisionsWritten) == 2 && counters.value(.decisionsDropped) == 1)
        #expect(log.waitingCount == 0 && log.takeDrops() && !log.takeDrops())
        log.write()
        #expect(counters.value(.decisionsWritten) == 2)

        // What waits goes into the old file when the log is rotated.
        log.add(record)
        try Directory.rename(folder.path(of: "d"), to: folder.path(of: "d.1"))
        try log.reopen()
        #expect(try Self.text(folder, "d.1") == line + line + line)
        #expect(try folder.read("d").isEmpty)

        let full = DecisionLog(path: "/dev/full", counters: counters)
        for _ in 0..<5 { full.add(record) }
        full.write()
        #expect(counters.value(.decisionsWritten) == 3 && counters.value(.decisionsDropped) == 6)
    }

    @Test("does not wait when much waits")
    func bounded() throws {
        let folder = try TemporaryDirectory()
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: folder.path(of: "d"), counters: counters)
        let record = try Self.record()
        let count = 65_536 / record.line.count + 1
        for _ in 0..<count - 1 { log.add(record) }
        #expect(try folder.read("d").isEmpty)
        log.add(record)
        #expect(try folder.read("d").count == count * record.line.count && log.waitingCount == 0)
    }

    @Test("that is dropped leads to a warning: the first one, then one a minute over all processes")
    func dropWarning() throws {
        let folder = try TemporaryDirectory()
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let logs = try (0..<2).map { _ in
            DecisionLog(
                path: folder.path(of: "d"),
                counters: try SharedCountersTests.share(counters, codes: [])
            )
        }
        let second: UInt64 = 1_000_000_000
        let asked: [(log: Int, at: UInt64, mayTell: Bool)] = [
            (0, 5 * second, true), (0, 5 * second, false), (1, 5 * second, false), (1, 30 * second, false),
            (1, 65 * second - 1, false), (1, 65 * second, true), (0, 65 * second, false),
            (0, 124 * second, false), (1, 1000 * second, true), (0, 1000 * second, false),
        ]
        for (log, time, mayTell) in asked {
            #expect(logs[log].claimDropWarning(atNanoseconds: time) == mayTell, "\(log) at \(time)")
        }
        // The clock starts again after another boot.
        #expect(logs[0].claimDropWarning(atNanoseconds: second))
        #expect(!logs[1].claimDropWarning(atNanoseconds: 2 * second))
    }

    @Test("that a pipe would not take in one piece is dropped and counted")
    func tooLong() throws {
        let folder = try TemporaryDirectory()
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: folder.path(of: "d"), counters: counters)
        var record = try Self.record()
        record.productId = String(repeating: "x", count: LineOutput.lineBytes)
        log.append(record)
        log.append(try Self.record())
        #expect(counters.value(.decisionsWritten) == 1 && counters.value(.decisionsDropped) == 1)
        #expect(try Self.text(folder, "d") == String(decoding: Self.record().line, as: UTF8.self))
    }
}

extension DecisionLog {
    /// Writes one record. Returns false when it was dropped.
    @discardableResult
    fileprivate func append(_ record: borrowing DecisionRecord) -> Bool {
        add(record)
        write()
        return !takeDrops()
    }
}

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

    @Test("is one line with the same members whatever there is to say")
    func nothing() throws {
        let expected =
            #"{"time":"2026-11-21T01:52:19.123Z","requestIdentifier":"551ee7c0-c097-418e-9dd5-2a98533a7390","#
            + #""subscriber":"00112233445566778899aabbccddeeff","app":7,"environment":"Production","#
            + #""product":"monthly","locale":"en-US","rule":null,"arm":null,"reason":"NONE","served":null,"#
            + #""generation":12,"verifyMicroseconds":0,"totalMicroseconds":0}"# + "\n"
        let line = String(decoding: try Self.record().line, as: UTF8.self)
        #expect(line == expected)
    }

    @Test("says what was served and what would have been, in strict JSON whatever names contain")
    func everything() throws {
        var record = try Self.record()
        record.productId = "a\"b\\c\u{0}\n\u{2028}é"
        record.rule = "r"
        record.arm = "a"
        record.reason = "CAPPED"
        record.shadow = .init(reason: "SPLIT", rule: "o", arm: nil, message: "m")
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
        // A NUL cannot be said in what strict readers take.
        #expect(root.member("product")?.string == "a\"b\\c\u{FFFD}\n\u{2028}é")
        #expect(root.member("rule")?.string == "r" && root.member("arm")?.string == "a")
        let shadow = try #require(root.member("shadow"))
        #expect(shadow.member("reason")?.string == "SPLIT" && shadow.member("rule")?.string == "o")
        #expect(shadow.member("arm")?.kind == .null && shadow.member("message")?.string == "m")
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

    @Test("is appended, and into a new file after a rotation")
    func rotation() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "decisions.ndjson")
        try folder.write("before\n", to: "decisions.ndjson")
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: path, counters: counters)
        let line = String(decoding: try Self.record().line, as: UTF8.self)
        log.write(try Self.record())
        #expect(try Self.text(folder, "decisions.ndjson") == "before\n" + line)
        try Directory.rename(path, to: folder.path(of: "decisions.1"))
        log.write(try Self.record())
        log.reopen()
        log.write(try Self.record())
        #expect(try Self.text(folder, "decisions.1") == "before\n" + line + line)
        #expect(try Self.text(folder, "decisions.ndjson") == line)
        #expect(counters.value(.decisionsWritten) == 3 && counters.value(.decisionsDropped) == 0)
    }

    @Test("that cannot be written is dropped and counted", arguments: ["/dev/full", "fifo", "missing/d"])
    func dropped(name: String) throws {
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
        for _ in 0..<3 { log.write(try Self.record()) }
        log.reopen()
        #expect(counters.value(.decisionsWritten) == 0 && counters.value(.decisionsDropped) == 3)
    }

    @Test("of a size that no pipe takes in one piece is dropped and counted")
    func tooLong() throws {
        let folder = try TemporaryDirectory()
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: folder.path(of: "d"), counters: counters)
        var record = try Self.record()
        record.productId = String(repeating: "x", count: LineOutput.lineBytes)
        log.write(record)
        log.write(try Self.record())
        #expect(counters.value(.decisionsWritten) == 1 && counters.value(.decisionsDropped) == 1)
        #expect(try Self.text(folder, "d") == String(decoding: Self.record().line, as: UTF8.self))
    }
}

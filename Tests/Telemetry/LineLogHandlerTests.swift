import Configuration
import JSON
import Logging
import Pool
import System
import Testing

/// A pipe into which a logger writes.
struct CapturedLog: ~Copyable {
    let pipe: DescriptorPair
    let counters: SharedCounters

    init() throws {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let pipe = try FileDescriptor.pipe()
        self.counters = counters
        self.pipe = pipe
    }

    borrowing func logger(
        _ format: LogFormat,
        level: Logger.Level = .info,
        clock: @escaping @Sendable () -> Int64 = { 1_795_225_939_000 }
    ) -> Logger {
        let handler = LineLogHandler(
            component: "worker", level: level, format: format,
            errorLog: ErrorLog(sharing: pipe.writing.number), counters: counters, processNumber: 41,
            clock: clock)
        return Logger(label: "test") { _ in handler }
    }

    /// The text that was written so far. The writing end may still be open.
    borrowing func text() throws -> String {
        try pipe.reading.setNonBlocking(true)
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while let count = try? pipe.reading.read(into: &block), count > 0 { bytes += block[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

struct TestError: CodedError, CustomStringConvertible {
    let code = "test.failed"
    let description = "it failed"
}

@Suite("A log line")
struct LineLogHandlerTests {
    static let head = "2026-11-21T01:52:19Z notice worker pid=41"

    static let rows: [(message: Logger.Message, metadata: Logger.Metadata, logfmt: String)] = [
        ("ready", [:], " message=ready"),
        ("", [:], ""),
        ("", ["b": "2", "a.b": "1", "code": "data-file.truncated"], " code=data-file.truncated a.b=1 b=2"),
        (
            "two words", ["rules.path": "/var/lib/é.rules"],
            #" message="two words" rules.path=/var/lib/é.rules"#
        ),
        ("", ["a": "", "b": "\"", "c": "\\", "d": "x=y"], #" a="" b="\"" c="\\" d="x=y""#),
        (
            "a\n2026-11-21T01:52:19Z error root pid=1 code=fake", [:],
            #" message="a\n2026-11-21T01:52:19Z error root pid=1 code=fake""#
        ),
        (
            "", ["a": "\r\n\t\0\u{1B}[31m\u{7F}\u{85}\u{9B}"],
            #" a="\r\n\t�\u001B[31m\u007F\u0085\u009B""#
        ),
        (
            "", ["a": "\u{2028}\u{2029}\u{202E}\u{2066}\u{200F}\u{FEFF}"],
            #" a="\u2028\u2029\u202E\u2066\u200F\uFEFF""#
        ),
        ("", ["a": .array(["1", "x y"])], ##" a="[\"1\", \"x y\"]""##),
        ("", ["a": .stringConvertible(7)], " a=7"),
    ]

    @Test("holds one event, whatever characters the event has", arguments: rows.indices)
    func logfmt(_ row: Int) throws {
        let (message, metadata, expected) = Self.rows[row]
        let log = try CapturedLog()
        log.logger(.logfmt).notice(message, metadata: metadata)
        #expect(try log.text() == Self.head + expected + "\n")
    }

    @Test("holds the same event as JSON", arguments: rows.indices)
    func json(_ row: Int) throws {
        let (message, metadata, _) = Self.rows[row]
        let log = try CapturedLog()
        log.logger(.json).notice(message, metadata: metadata)
        let text = try log.text()
        #expect(
            text.hasPrefix(#"{"time":"2026-11-21T01:52:19Z","level":"notice","component":"worker","pid":41"#)
        )
        #expect(text.hasSuffix("}\n") && text.dropLast().allSatisfy { !$0.isNewline })
        let root = try JSONDocument(
            parsing: Array(text.utf8).span, limits: JSONLimits(byteCount: 4096, depth: 2)
        ).root
        #expect(root.member("pid")?.int64 == 41)
        #expect((root.member("message")?.string ?? "") == message.description)
        if case .string(let value)? = metadata["a"] {
            #expect(root.member("a")?.string == value.replacing("\0", with: "\u{FFFD}"))
        }
    }

    @Test("has the error's text and its code")
    func error() throws {
        let log = try CapturedLog()
        log.logger(.logfmt).notice("refused", error: TestError())
        #expect(try log.text() == Self.head + " message=refused code=test.failed error=\"it failed\"\n")
    }

    @Test("is written from the configured level up")
    func levels() throws {
        let log = try CapturedLog()
        let logger = log.logger(.logfmt, level: .warning)
        logger.debug("a")
        logger.info("b")
        logger.notice("c")
        logger.warning("d")
        logger.error("e")
        let text = try log.text()
        let expected =
            "2026-11-21T01:52:19Z warning worker pid=41 message=d\n2026-11-21T01:52:19Z error worker pid=41 message=e\n"
        #expect(text == expected)
    }

    @Test(
        "is never longer than a pipe takes in one piece, and says when something is left out",
        arguments: LogFormat.allCases
    )
    func cut(format: LogFormat) throws {
        let log = try CapturedLog()
        var metadata: Logger.Metadata = ["code": "a.code", "z": "last"]
        for index in 0..<8 { metadata["x\(index)"] = "\(String(repeating: "\u{1}", count: 300))" }
        log.logger(format).notice("\(String(repeating: "long ", count: 5000))", metadata: metadata)
        let text = try log.text()
        #expect(text.utf8.count <= LineOutput.lineBytes)
        #expect(text.utf8.count > 2000)
        switch format {
        case .logfmt:
            #expect(text.hasSuffix(" z=last cut=true\n"))
            #expect(text.contains("… code=a.code ") == false && text.contains("…\" code=a.code "))
        case .json:
            let limits = JSONLimits(byteCount: 4096, depth: 2)
            let root = try JSONDocument(parsing: Array(text.utf8).span, limits: limits).root
            #expect(root.member("cut")?.string == "true")
            #expect(root.member("code")?.string == "a.code")
            #expect(root.member("z")?.string == "last")
            #expect(root.member("message")?.string?.count == 1024)
        }
    }

    @Test("is dropped and counted when it cannot be written at once")
    func dropping() throws {
        let log = try CapturedLog()
        let logger = log.logger(.logfmt)
        var count = 0
        while log.counters.value(.logLinesDropped) == 0, count < 100_000 {
            logger.notice("filling")
            count += 1
        }
        #expect(count > 100 && count < 100_000)
        logger.notice("dropped too")
        #expect(log.counters.value(.logLinesDropped) == 2)
        let text = try log.text()
        #expect(text.split(separator: "\n").count == count - 1)
        #expect(text.hasSuffix("message=filling\n"))
    }
}

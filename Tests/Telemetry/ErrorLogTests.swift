import Configuration
import Logging
import Pool
import Support
import System
import Testing

/// A pipe that stands for standard error.
private final class ErrorPipe {
    let pair: DescriptorPair

    init() throws {
        let pair = try FileDescriptor.pipe()
        try pair.reading.setNonBlocking(true)
        self.pair = pair
    }
}

@Suite("An error log")
struct ErrorLogTests {
    private let folder: TemporaryDirectory
    private let pipe: ErrorPipe

    init() throws {
        pipe = try ErrorPipe()
        folder = try TemporaryDirectory()
    }

    private func logger(_ log: ErrorLog, _ format: LogFormat = .logfmt) -> Logger {
        let handler = LineLogHandler(
            component: "worker", level: .trace, format: format, errorLog: log, processNumber: 41,
            clock: { 1_795_225_939_000 })
        return Logger(label: "test") { _ in handler }
    }

    /// What was written to the pipe that stands for standard error.
    private func standardError() throws -> String {
        var block = [UInt8](repeating: 0, count: 1 << 16)
        guard let count = try? pipe.pair.reading.read(into: &block) else { return "" }
        return String(decoding: block[..<count], as: UTF8.self)
    }

    static let priorities: [(level: Logger.Level, prefix: String)] = [
        (.critical, "<2>"), (.error, "<3>"), (.warning, "<4>"), (.notice, "<5>"), (.info, "<6>"),
        (.debug, "<7>"), (.trace, "<7>"),
    ]

    @Test("gives each line its priority for the journal, and otherwise none", arguments: [true, false])
    func priority(isJournal: Bool) throws {
        for (level, prefix) in Self.priorities {
            let log = ErrorLog(sharing: pipe.pair.writing.number, takesPriorities: isJournal)
            logger(log).log(level: level, "ready")
            let line = "2026-11-21T01:52:19Z \(level) worker pid=41 message=ready\n"
            #expect(try standardError() == (isJournal ? prefix : "") + line)
            logger(log, .json).log(level: level, "ready")
            #expect(try standardError().hasPrefix((isJournal ? prefix : "") + #"{"time":"#))
        }
    }

    @Test("writes no priority into a file, also when the journal reads standard error")
    func file() throws {
        let log = ErrorLog(sharing: pipe.pair.writing.number, takesPriorities: true)
        try log.use(folder.path(of: "log"))
        logger(log).error("ready")
        let text = String(decoding: try folder.read("log"), as: UTF8.self)
        #expect(text == "2026-11-21T01:52:19Z error worker pid=41 message=ready\n")
        #expect(try standardError() == "")
        #expect(try FileStatus(path: folder.path(of: "log")).permissions & 0o027 == 0)
        try log.use(nil)
        logger(log).error("back")
        #expect(try standardError().hasPrefix("<3>2026"))
    }

    @Test("takes lines of several processes and threads without mixing them")
    func shared() throws {
        let path = folder.path(of: "log")
        let (writers, count) = (4, 2000)
        let logs = try (0..<writers).map { _ in
            let log = ErrorLog(sharing: pipe.pair.writing.number)
            try log.use(path)
            return log
        }
        let threads = try logs.enumerated().map { number, log in
            let logger = logger(log)
            return try JoinableThread {
                for line in 0..<count {
                    if line == count / 2 { try? log.reopen() }
                    logger.info(
                        "\(number)-\(line)",
                        metadata: ["x": "\(String(repeating: "x", count: 1 + line % 200))"])
                }
            }
        }
        for thread in threads { _ = thread.join() }
        var next = [Int](repeating: 0, count: writers)
        for line in String(decoding: try folder.read("log"), as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ")
            let numbers = parts[4].dropFirst("message=".count).split(separator: "-").compactMap { Int($0) }
            try #require(
                parts.count == 6 && numbers.count == 2 && parts[5].count == 3 + numbers[1] % 200, "\(line)")
            #expect(next[numbers[0]] == numbers[1])
            next[numbers[0]] += 1
        }
        #expect(next == [Int](repeating: count, count: writers))
    }
}

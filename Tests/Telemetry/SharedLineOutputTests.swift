import Glibc
import Support
import System
import Telemetry
import Testing

@Suite("A line of the decision log")
struct SharedLineOutputTests {
    /// Lets this process write files of at most so many bytes; nil lifts the limit.
    private static func limitFiles(to byteCount: UInt?) {
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    @Test("that a full disk cut short is ended by whichever process writes next")
    func torn() async {
        await #expect(processExitsWith: .exitCode(0)) {
            signal(SIGXFSZ, SIG_IGN)
            let folder = try TemporaryDirectory()
            let counters = try SharedCounters(codes: [], startedAt: 0)
            let logs = try (0..<3).map { _ in
                try SharedLineOutput(
                    appendingTo: folder.path(of: "d"),
                    counters: try SharedCountersTests.share(counters, codes: []))
            }
            func write(_ text: String, _ log: Int) -> Bool {
                let bytes = Array(text.utf8)
                return logs[log].write(bytes.span, ends: [bytes.count]) == 1
            }
            #expect(write("first line\n", 0))
            Self.limitFiles(to: 15)
            #expect(!write("second line\n", 0))
            Self.limitFiles(to: nil)
            #expect(write("third line\n", 1))
            let text = String(decoding: try folder.read("d"), as: UTF8.self)
            #expect(text == "first line\nseco\nthird line\n")
            #expect(counters.value(.decisionsTorn) == 1)
            // The other processes do not know that the line has an end by now. Readers skip an empty line.
            #expect(write("fourth line\n", 0) && write("fifth line\n", 2) && write("sixth line\n", 1))
            #expect(write("seventh line\n", 2))
            let lines = String(decoding: try folder.read("d"), as: UTF8.self).split(separator: "\n")
            #expect(
                lines.map(String.init).suffix(5) == [
                    "third line", "fourth line", "fifth line", "sixth line", "seventh line",
                ]
            )
        }
    }

    @Test(
        "that was left without an end is ended by the next process that opens the file",
        arguments: [true, false]
    )
    func leftOver(isTorn: Bool) throws {
        let folder = try TemporaryDirectory()
        try folder.write(isTorn ? "whole\nha" : "whole\n", to: "d")
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = try SharedLineOutput(appendingTo: folder.path(of: "d"), counters: counters)
        let line = Array("next\n".utf8)
        #expect(log.write(line.span, ends: [line.count]) == 1)
        #expect(
            String(decoding: try folder.read("d"), as: UTF8.self)
                == (isTorn ? "whole\nha\nnext\n" : "whole\nnext\n")
        )
    }
}

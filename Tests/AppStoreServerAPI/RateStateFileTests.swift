@testable import AppStoreServerAPI
import Support
import Synchronization
import System
import Testing
import Vocabulary

@Suite("The file of the rates", .timeLimit(.minutes(5)))
struct RateStateFileTests {
    private static let start = ClientWorld.start
    private let folder: TemporaryDirectory
    private var directory: String { folder.path(of: "state") }
    private let key: RateKey

    init() throws {
        folder = try TemporaryDirectory()
        key = RateKey(
            bundleId: "com.example.\"ä\"",
            server: try AppStoreServer(environment: .sandbox),
            operation: .uploadMessage
        )
    }

    @Test("keeps the calls for the next process, and is made for its owner alone")
    func kept() throws {
        let first = RateStateFile(directory: directory)
        #expect(try first.ledger(at: Self.start) == RateLedger())
        #expect((try? FileStatus(path: directory)) == nil)
        for _ in 0..<300 { #expect(try first.reserve(key, at: Self.start) == .granted) }
        let second = RateStateFile(directory: directory)
        #expect(try second.ledger(at: Self.start).freeCount(key, at: Self.start) == 60)
        for _ in 0..<60 { #expect(try second.reserve(key, at: Self.start + 5000) == .granted) }
        #expect(try first.reserve(key, at: Self.start + 6000) != .granted)
        try first.block(key, untilMilliseconds: Self.start + 3_601_000, at: Self.start + 5000)
        #expect(try second.reserve(key, at: Self.start + 6000) != .granted)
        #expect(try FileStatus(path: directory).permissions == 0o700)
        #expect(try FileStatus(path: "\(directory)/rates.json").permissions == 0o600)
        #expect(try first.ledger(at: Self.start + 86_400_000) == RateLedger())
    }

    @Test("shares the hour among clients that call at the same moment")
    func shared() throws {
        let granted = Mutex(0)
        let directory = directory
        let key = key
        let threads = try (0..<6).map { _ in
            try JoinableThread { () -> Bool in
                let file = RateStateFile(directory: directory)
                for _ in 0..<80 where (try? file.reserve(key, at: Self.start)) == .granted {
                    granted.withLock { $0 += 1 }
                }
                return true
            }
        }
        for thread in threads { #expect(thread.join() == true) }
        #expect(granted.withLock { $0 } == 360)
        let text = String(decoding: try folder.read("state/rates.json"), as: UTF8.self)
        #expect(text.hasSuffix(",360]]}]}\n"), "\(text)")
    }

    @Test(
        "is refused when it is something else, and stays as it is",
        arguments: [
            "", "{", "[]", "{}", "null", #"{"kind":"retentionctl-rates"}"#,
            #"{"kind":"other","format":1,"windows":[]}"#,
            #"{"kind":"retentionctl-rates","format":0,"windows":[]}"#,
            #"{"kind":"retentionctl-rates","format":"1","windows":[]}"#,
            #"{"kind":"retentionctl-rates","format":1}"#,
            #"{"kind":"retentionctl-rates","format":1,"windows":{}}"#,
            #"{"kind":"retentionctl-rates","format":1,"windows":[1]}"#,
            #"{"kind":"retentionctl-rates","format":1,"windows":[]}{}"#, "\u{0}\u{1}\u{2}",
        ]
    )
    func foreign(text: String) throws {
        try check(text, "rate-state.damaged")
    }

    @Test(
        "is refused when a part of it is damaged",
        arguments: [
            (#""environment":"Sandbox""#, #""environment":"sandbox""#),
            (#""environment":"Sandbox""#, #""environment":"Xcode""#),
            (#""operation":"uploadMessage""#, #""operation":"uploadMessages""#), (#""app":"a""#, #""app":1"#),
            ("https://", "http://"), (#""blockedUntil":0"#, #""blockedUntil":-1"#),
            (#""blockedUntil":0"#, #""blockedUntil":9223372036854775807"#),
            (#""blockedUntil":0"#, #""blockedUntil":1e3"#), ("[[1,2]]", "[[1,0]]"), ("[[1,2]]", "[[1,-2]]"),
            ("[[1,2]]", "[[-1,2]]"), ("[[1,2]]", "[[1,2,3]]"), ("[[1,2]]", "[[1,2],[1,2]]"),
            ("[[1,2]]", "[[2,2],[1,2]]"), ("[[1,2]]", "[[1,9223372036854775807]]"),
            ("[[1,2]]", "[[9223372036854775807,1]]"), ("[[1,2]]", #"["1"]"#), ("[[1,2]]", "{}"),
            ("[[1,2]]", "null"),
        ]
    )
    func damaged(part: String, other: String) throws {
        let good =
            #"{"kind":"retentionctl-rates","format":1,"windows":[{"app":"a","environment":"Sandbox","#
            + #""server":"https://a","operation":"uploadMessage","blockedUntil":0,"calls":[[1,2]]}]}"#
        _ = try RateLedger(reading: Array(good.utf8))
        try #require(good.contains(part))
        try check(good.replacing(part, with: other), "rate-state.damaged")
    }

    @Test("of a newer version, of any size or kind is refused too")
    func others() throws {
        try check(#"{"kind":"retentionctl-rates","format":2,"new":{}}"#, "rate-state.newer")
        try check(String(repeating: " ", count: 5 << 20), "rate-state.damaged")
        let window =
            #"{"app":"a","environment":"Sandbox","server":"https://a","operation":"uploadMessage","#
            + #""blockedUntil":0,"calls":[]}"#
        try check(
            #"{"kind":"retentionctl-rates","format":1,"windows":[\#(window),\#(window)]}"#,
            "rate-state.damaged"
        )
        let many = (1...400).map { "[\($0),1]" }.joined(separator: ",")
        let long = window.replacing("[]", with: "[\(many)]")
        try check(#"{"kind":"retentionctl-rates","format":1,"windows":[\#(long)]}"#, "rate-state.damaged")
        try Directory.removeFile(path: "\(directory)/rates.json")
        try folder.makeDirectory("state/rates.json")
        #expect(code { _ = try $0.reserve(key, at: Self.start) } == "rate-state.damaged")
    }

    @Test("that cannot be used is an error with a code")
    func unusable() throws {
        let nowhere = RateStateFile(directory: folder.path(of: "a/b"))
        #expect(code(nowhere) { _ = try $0.reserve(key, at: Self.start) } == "rate-state.file")
        try folder.write("x", to: "file")
        let file = RateStateFile(directory: folder.path(of: "file"))
        #expect(code(file) { _ = try $0.reserve(key, at: Self.start) } == "rate-state.file")
        try folder.makeDirectory("state")
        let lock = try FileLock(path: "\(directory)/rates.lock")
        let waiting = RateStateFile(directory: directory, lockMilliseconds: 100)
        #expect(code(waiting) { _ = try $0.reserve(key, at: Self.start) } == "rate-state.locked")
        // Without the lock, what is there can still be read.
        #expect(try waiting.ledger(at: Self.start) == RateLedger())
        #expect(lock.path.hasSuffix("rates.lock"))
    }

    private func check(_ text: String, _ code: String) throws {
        if (try? FileStatus(path: directory)) == nil { try folder.makeDirectory("state") }
        try folder.write(text, to: "state/rates.json")
        #expect(self.code { _ = try $0.reserve(key, at: Self.start) } == code)
        #expect(self.code { try $0.block(key, untilMilliseconds: 1, at: Self.start) } == code)
        #expect(self.code { _ = try $0.ledger(at: Self.start) } == code)
        #expect(try folder.read("state/rates.json") == Array(text.utf8))
    }

    private func code(_ file: RateStateFile? = nil, _ body: (RateStateFile) throws -> Void) -> String? {
        do {
            try body(file ?? RateStateFile(directory: directory))
            return nil
        } catch {
            return (error as? RateStateError)?.code ?? "\(error)"
        }
    }
}

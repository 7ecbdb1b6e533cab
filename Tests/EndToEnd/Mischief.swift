import Glibc
import HTTPLoad
import Support
import System
import Testing

/// Ways in which a pushed file can be damaged at any moment.
enum Mischief: CaseIterable {
    case truncated, cut, overwritten, replacedByGarbage, deleted, emptied, madeDirectory

    var isGone: Bool { self == .deleted || self == .madeDirectory }

    /// Damages a file of a pool and repairs it again, `rounds` times, under load, with and without HUP, and expects
    /// that no answer changes. The pool serves the old rules.
    static func run(_ kinds: [Mischief], rounds: Int, path: String, _ tester: Tester) throws {
        var random = SeededGenerator(for: "figures: mischief with \(path.split(separator: "/").last ?? "")")
        let sound = try SourceFile.read(path)
        let report = try tester.underLoad { _ in
            for round in 0..<rounds {
                // In some rounds the loader reads the file while it is damaged.
                if Bool.random(using: &random) {
                    try tester.daemon.send(.hangup)
                    Patience.pause(milliseconds: Int32.random(in: 0...8, using: &random))
                }
                try kinds[round % kinds.count].spoil(path, sound, &random)
                if Bool.random(using: &random) {
                    let verdicts = try tester.daemon.logCount("reload ")
                    try tester.daemon.send(.hangup)
                    // In some rounds the file is repaired while the loader reads it.
                    if Bool.random(using: &random) {
                        try #require(try tester.daemon.waitForLog("reload ", count: verdicts + 1))
                    } else {
                        Patience.pause(milliseconds: Int32.random(in: 0...20, using: &random))
                    }
                }
                try? Directory.removeEmpty(path: path)
                try AtomicFile.write(sound.span, to: path)
            }
        }
        #expect(report.failures == 0, "\(report)")
        let expected = LoadAnswer(status: 200, body: TestRules.old.answer)
        #expect(Array(report.answers.keys) == [expected], "\(report)")
        #expect(try tester.daemon.logCount("worker lost") == 0, "\(tester.daemonLog.suffix(2000))")
        #expect(try tester.daemon.logCount("reload refused") > 0)
    }

    private func spoil(_ path: String, _ sound: [UInt8], _ random: inout SeededGenerator) throws {
        let cut = Int.random(in: 0..<sound.count, using: &random)
        switch self {
        case .truncated: try InPlace.truncate(path: path, to: cut)
        case .emptied: try InPlace.truncate(path: path, to: 0)
        case .cut: try AtomicFile.write(Array(sound[..<cut]).span, to: path)
        case .overwritten:
            let length = Int.random(in: 1...64, using: &random)
            let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Near the end of the file this makes the file longer, which damages it too.
            try InPlace.overwrite(path: path, at: cut, with: noise)
        case .replacedByGarbage:
            let noise = (0..<sound.count).map { _ in UInt8.random(in: 0...255, using: &random) }
            try AtomicFile.write(noise.span, to: path)
        case .deleted: try Directory.removeFile(path: path)
        case .madeDirectory:
            try Directory.removeFile(path: path)
            try Directory.make(path: path, permissions: 0o755)
        }
    }
}

/// Writes into a pushed file in place, as `cp` and `rsync --inplace` do. Nobody should do that.
enum InPlace {
    static func truncate(path: String, to byteCount: Int) throws {
        guard unsafe Glibc.truncate(path, byteCount) == 0 else {
            throw SystemCallError(call: "truncate", Errno(rawValue: errno))
        }
    }

    static func overwrite(path: String, at offset: Int, with bytes: [UInt8]) throws {
        let number = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemCallError(call: "open", Errno(rawValue: errno)) }
        defer { _ = close(number) }
        let count = unsafe bytes.withUnsafeBytes { block in
            unsafe pwrite(number, block.baseAddress, block.count, offset)
        }
        guard count == bytes.count else { throw SystemCallError(call: "pwrite", Errno(rawValue: errno)) }
    }
}

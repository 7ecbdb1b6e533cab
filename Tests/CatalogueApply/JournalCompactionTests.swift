import AppStoreServerAPI
@testable import Catalogue
import Support
import System
import Testing
import Vocabulary

@Suite("A long journal")
struct JournalCompactionTests {
    private static let owner = ApplyWorld.owner
    private static let items = [
        CatalogueItem(.image, Wanted.uuid(1, 1)), CatalogueItem(.message, Wanted.uuid(2, 2)),
    ]
    private static let places = ["p", "q"].map { ProductLocale(product: $0, locale: "en-US") }

    /// Returns an event of any kind about one of two items and two places.
    private static func event(_ random: inout SeededGenerator) -> JournalEvent {
        let item = items[Int.random(in: 0..<2, using: &random)]
        let place = places[Int.random(in: 0..<2, using: &random)]
        let message = Wanted.uuid(2, Int.random(in: 2...4, using: &random))
        let states: [ReviewState?] = [.pending, .approved, .rejected, .other("NEW"), nil]
        return switch Int.random(in: 0..<12, using: &random) {
        case 0: .uploadStarted(item, name: "name\(message.low)")
        case 1: .uploadDone(item, .confirmed)
        case 2: .deleteStarted(item)
        case 3: .deleteDone(item)
        case 4: .refused(item, code: "apple.body-too-long")
        case 5, 6: .listed(item, states[Int.random(in: 0..<5, using: &random)])
        case 7, 8: .defaultStarted(place, message)
        case 9: .defaultSet(place, message)
        case 10: .defaultRefused(place, message)
        default: .defaultAsked(place, message.low == 4 ? nil : message)
        }
    }

    @Test("keeps its knowledge in a few lines, whatever has happened")
    func random() throws {
        var random = SeededGenerator(for: "compaction of a journal")
        for round in 0..<2000 {
            var knowledge = JournalKnowledge()
            var compaction = JournalCompaction()
            compaction.add(JournalLine(event: .begun(Self.owner), time: 0))
            for time in 1...Int64(1 + round % 40) {
                let event = Self.event(&random)
                knowledge.add(event, at: time)
                compaction.add(JournalLine(event: event, time: time))
            }
            let text = compaction.text
            let read = try JournalText(reading: text, owner: Self.owner, path: "")
            #expect(read.knowledge == knowledge && read.byteCount == text.count, "round \(round)")
            let lineCount = text.count { $0 == UInt8(ascii: "\n") }
            #expect(lineCount <= 1 + 2 * 7 + 2 * 2, "round \(round)")
            // What comes next means the same behind both.
            var (one, other) = (knowledge, read.knowledge)
            for time in 100..<Int64(105) {
                let event = Self.event(&random)
                one.add(event, at: time)
                other.add(event, at: time)
            }
            #expect(one == other, "round \(round)")
        }
    }

    /// Writes the journal of many nights, and returns its bytes and its knowledge.
    private static func nights(_ folder: TemporaryDirectory) throws -> ([UInt8], JournalKnowledge) {
        let journal = try CatalogueJournal(directory: folder.path, owner: owner, now: 1)
        try journal.record(.uploadStarted(items[1], name: "m"), at: 2)
        try journal.record(.uploadDone(items[1], .confirmed), at: 3)
        for night in 0..<20 {
            for place in places {
                try journal.record(.defaultAsked(place, items[1].identifier), at: Int64(night))
            }
        }
        return (try folder.read(owner.fileName), journal.knowledge)
    }

    @Test("is replaced when it is opened, goes on, and is left alone below the limit")
    func opened() throws {
        let folder = try TemporaryDirectory()
        let (bytes, knowledge) = try Self.nights(folder)
        _ = try CatalogueJournal(directory: folder.path, owner: Self.owner, now: 50)
        #expect(try folder.read(Self.owner.fileName) == bytes)
        do {
            let journal = try CatalogueJournal(
                directory: folder.path, owner: Self.owner, now: 50, compactingAbove: 2000,
                through: SystemFileLayer())
            #expect(journal.knowledge == knowledge)
            #expect(try folder.read(Self.owner.fileName).count < bytes.count / 4)
            try journal.record(.refused(Self.items[1], code: "apple.body-too-long"), at: 60)
        }
        let known = try CatalogueJournal.knowledge(directory: folder.path, owner: Self.owner)
        #expect(known.items[Self.items[1]]?.refusal == "apple.body-too-long")
        #expect(known.defaults == knowledge.defaults)
        let status = try FileStatus(path: folder.path(of: Self.owner.fileName))
        #expect(status.permissions == 0o600)
    }

    /// A process that is killed at a call: that call and all calls after it do nothing.
    private final class KilledLayer: FileLayer {
        let killedCall: Int
        private var calls = 0
        private let system = SystemFileLayer()

        init(killedCall: Int) { self.killedCall = killedCall }

        private func lives() -> Bool {
            calls += 1
            return calls < killedCall
        }
        private func live() throws(SystemCallError) {
            guard lives() else { throw SystemCallError(call: "test", .eio) }
        }
        func create(_ path: String, permissions: UInt32) throws(SystemCallError) -> OpenFile {
            try live()
            return try system.create(path, permissions: permissions)
        }
        func write(_ bytes: Span<UInt8>, to file: OpenFile) throws(SystemCallError) {
            try live()
            try system.write(bytes.extracting(first: bytes.count / 2), to: file)
            try live()
            try system.write(bytes.extracting(last: bytes.count - bytes.count / 2), to: file)
        }
        func synchronize(_ file: OpenFile) throws(SystemCallError) {
            try live()
            try system.synchronize(file)
        }
        func close(_ file: OpenFile) throws(SystemCallError) {
            try live()
            try system.close(file)
        }
        func rename(_ path: String, to other: String) throws(SystemCallError) {
            try live()
            try system.rename(path, to: other)
        }
        func synchronizeDirectory(_ path: String) throws(SystemCallError) {
            try live()
            try system.synchronizeDirectory(path)
        }
        func remove(_ path: String) {
            if lives() { system.remove(path) }
        }
    }

    @Test("is the old or the new one wherever the process is killed, and the next process goes on")
    func killed() throws {
        var kinds: Set<Bool> = []
        for call in 1...12 {
            let folder = try TemporaryDirectory()
            let (bytes, knowledge) = try Self.nights(folder)
            let killed = KilledLayer(killedCall: call)
            let lock = try FileLock(path: folder.path(of: "lock"))
            let path = folder.path(of: Self.owner.fileName)
            CatalogueJournal.compact(path, owner: Self.owner, holding: lock, above: 2000, through: killed)
            let found = try folder.read(Self.owner.fileName)
            kinds.insert(found == bytes)
            let text = try JournalText(reading: found, owner: Self.owner, path: "")
            #expect(text.knowledge == knowledge && text.byteCount == found.count, "call \(call)")
            #expect(found == bytes || found.count < bytes.count / 4, "call \(call)")
            let next = try CatalogueJournal(
                directory: folder.path, owner: Self.owner, now: 50, compactingAbove: 2000,
                through: SystemFileLayer())
            #expect(next.knowledge == knowledge, "call \(call)")
            #expect(try folder.read(Self.owner.fileName).count < bytes.count / 4, "call \(call)")
            let directory = try FileDescriptor.openDirectory(path: folder.path)
            let names = try Directory.names(in: directory, limitCount: 10)
            #expect(!names.contains { $0.hasSuffix(".partial") }, "call \(call)")
        }
        #expect(kinds == [true, false])
    }

    @Test("stays as it is when a line of it was changed")
    func damaged() throws {
        let folder = try TemporaryDirectory()
        var (bytes, _) = try Self.nights(folder)
        bytes[bytes.count / 2] ^= 1
        try folder.write(bytes, to: Self.owner.fileName)
        let error = #expect(throws: CatalogueJournalError.self) {
            try CatalogueJournal(
                directory: folder.path, owner: Self.owner, now: 50, compactingAbove: 2000,
                through: SystemFileLayer())
        }
        #expect(error?.code == "catalogue-journal.damaged")
        #expect(try folder.read(Self.owner.fileName) == bytes)
    }
}

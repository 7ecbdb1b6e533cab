import AppStoreServerAPI
@testable import Catalogue
import Support
import System
import Testing
import Vocabulary

@Suite("The journal of a catalogue")
struct JournalTests {
    private static let owner = JournalOwner(bundleId: "com.example.app", environment: .sandbox)
    private static let image = CatalogueItem(.image, Wanted.uuid(1, 1))
    private static let message = CatalogueItem(.message, Wanted.uuid(2, 2))
    private static let place = ProductLocale(product: "p", locale: "en-US")
    private static let events: [JournalEvent] = [
        .uploadStarted(image, name: "hero \"\n\u{7F}ß"), .uploadDone(image, .confirmed),
        .uploadStarted(message, name: "m"), .uploadDone(message, .foundAfterwards),
        .refused(message, code: "apple.body-too-long"), .listed(image, .pending), .listed(image, .other("X")),
        .listed(image, nil), .deleteStarted(image), .deleteDone(image),
        .defaultStarted(place, message.identifier),
        .defaultSet(place, message.identifier), .defaultRefused(place, message.identifier),
        .defaultAsked(place, nil), .defaultAsked(place, image.identifier),
    ]

    private static func path(_ folder: TemporaryDirectory) -> String {
        "\(folder.path)/state/\(owner.fileName)"
    }

    private static func open(_ folder: TemporaryDirectory) throws(CatalogueJournalError) -> CatalogueJournal {
        try CatalogueJournal(directory: "\(folder.path)/state", owner: owner, now: 1)
    }

    /// Writes all events and returns the bytes of the file.
    private static func written(_ folder: TemporaryDirectory) throws -> [UInt8] {
        let journal = try open(folder)
        for (index, event) in events.enumerated() {
            try journal.record(event, at: Int64(index + 2), isDurable: index % 2 == 0)
        }
        return try folder.read("state/\(owner.fileName)")
    }

    @Test("reads every event that it has written")
    func events() throws {
        for event in Self.events + [.begun(Self.owner)] {
            let line = JournalLine(event: event, time: 7).bytes(after: 5)
            let parts = try #require(JournalLine.Parts(line.bytes.dropLast()))
            #expect(parts.checksum == line.checksum)
            let read = try JournalLine(reading: parts.text)
            #expect(read.event == event && read.time == 7)
        }
        let folder = try TemporaryDirectory()
        let bytes = try Self.written(folder)
        #expect(bytes.count { $0 == UInt8(ascii: "\n") } == Self.events.count + 1)
        var expected = JournalKnowledge()
        for (index, event) in Self.events.enumerated() { expected.add(event, at: Int64(index + 2)) }
        #expect(try Self.open(folder).knowledge == expected)
        #expect(
            try CatalogueJournal.knowledge(directory: "\(folder.path)/state", owner: Self.owner) == expected
        )
        let status = try FileStatus(path: Self.path(folder))
        #expect(status.permissions == 0o600)
        #expect(try FileStatus(path: "\(folder.path)/state").permissions == 0o700)
    }

    @Test("understands a file that ends at any byte, and goes on behind its last whole line")
    func torn() throws {
        let first = try TemporaryDirectory()
        let bytes = try Self.written(first)
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("state")
        for count in 0...bytes.count {
            try folder.write(Array(bytes[..<count]), to: "state/\(Self.owner.fileName)")
            let known = try CatalogueJournal.knowledge(directory: "\(folder.path)/state", owner: Self.owner)
            let journal = try Self.open(folder)
            #expect(journal.knowledge == known)
            try journal.record(.defaultAsked(Self.place, nil), at: 99)
            let after = try folder.read("state/\(Self.owner.fileName)")
            let text = try JournalText(reading: after, owner: Self.owner, path: "")
            #expect(text.byteCount == after.count && text.knowledge.defaults[Self.place]?.time == 99)
        }
    }

    @Test("notices every changed byte, and leaves the file as it is")
    func changed() throws {
        let first = try TemporaryDirectory()
        let bytes = try Self.written(first)
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("state")
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            try folder.write(other, to: "state/\(Self.owner.fileName)")
            // Without its line feed the last line is a torn one.
            if index == bytes.count - 1 {
                _ = try Self.open(folder)
                continue
            }
            let error = #expect(throws: CatalogueJournalError.self) { try Self.open(folder) }
            let code = error?.code ?? ""
            #expect(
                ["catalogue-journal.damaged", "catalogue-journal.foreign"].contains(code), "byte \(index)")
            #expect(try folder.read("state/\(Self.owner.fileName)") == other)
        }
    }

    /// A file, and the code with which it is refused.
    private static let zoo: [(String, String, String)] = [
        ("notes", "my notes\n", "foreign"), ("notes without a line feed", "my notes", "foreign"),
        ("JSON", "{\"a\":1}\n", "foreign"), ("a line feed", "\n", "foreign"),
        ("hexadecimal", "0123456789abcdef {\"at\":1}\n", "damaged"),
        ("almost a first line", "0123456789abcdef {\"on\":1", "foreign"),
        ("a long line", String(repeating: "0", count: 20_000), "foreign"),
    ]

    @Test("refuses other files with a code, and leaves them as they are", arguments: zoo)
    func foreign(row: (String, String, String)) throws {
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("state")
        try folder.write(row.1, to: "state/\(Self.owner.fileName)")
        let error = #expect(throws: CatalogueJournalError.self) { try Self.open(folder) }
        #expect(error?.code == "catalogue-journal.\(row.2)", "\(row.0)")
        #expect(try folder.read("state/\(Self.owner.fileName)") == Array(row.1.utf8))
    }

    @Test("takes zeros behind the last line for a torn line")
    func zeros() throws {
        let first = try TemporaryDirectory()
        let bytes = try Self.written(first)
        let text = try JournalText(
            reading: bytes + [UInt8](repeating: 0, count: 4096), owner: Self.owner, path: "")
        #expect(text.byteCount == bytes.count)
        let empty = try JournalText(reading: [UInt8](repeating: 0, count: 100), owner: Self.owner, path: "")
        #expect(empty.byteCount == 0)
    }

    @Test("refuses removed, added and moved lines")
    func lines() throws {
        let folder = try TemporaryDirectory()
        let lines = try Self.written(folder).split(separator: UInt8(ascii: "\n")).map {
            $0 + [UInt8(ascii: "\n")]
        }
        var zoo: [[ArraySlice<UInt8>]] = []
        zoo.append(Array(lines[..<3] + lines[4...]))
        zoo.append(Array(lines[..<3] + [lines[2]] + lines[3...]))
        zoo.append([lines[0], lines[2], lines[1]] + lines[3...])
        zoo.append(lines + [lines[0]])
        zoo.append(Array(lines.dropFirst()))
        for other in zoo {
            #expect(throws: CatalogueJournalError.self) {
                try JournalText(reading: Array(other.joined()), owner: Self.owner, path: "")
            }
        }
    }

    @Test("belongs to one app, one environment and one server")
    func owners() throws {
        let others = [
            JournalOwner(bundleId: "com.example.other", environment: .sandbox),
            JournalOwner(bundleId: "com.example.app", environment: .production),
            JournalOwner(bundleId: "com.example.app", environment: .sandbox, server: "http://127.0.0.1:1"),
            JournalOwner(bundleId: "com.example.app", environment: .sandbox, server: "http://127.0.0.1:2"),
        ]
        #expect(Set((others + [Self.owner]).map(\.fileName)).count == 5)
        let folder = try TemporaryDirectory()
        let bytes = try Self.written(folder)
        for other in others {
            let error = #expect(throws: CatalogueJournalError.self) {
                try JournalText(reading: bytes, owner: other, path: "j")
            }
            #expect(error == .otherOwner("j", found: Self.owner))
        }
    }

    @Test("refuses a newer format")
    func newer() throws {
        let text = Array(#"{"at":1,"journal":2,"words":"new"}"#.utf8)
        let checksum = JournalLine.checksum(of: text.span, after: 0)
        let digits = String(checksum, radix: 16)
        let head = String(repeating: "0", count: 16 - digits.count) + digits + " "
        let bytes = Array(head.utf8) + text + [UInt8(ascii: "\n")]
        let error = #expect(throws: CatalogueJournalError.self) {
            try JournalText(reading: bytes, owner: Self.owner, path: "j")
        }
        #expect(error == .newer("j"))
    }

    @Test("locks out a second process, and only that")
    func lock() throws {
        let folder = try TemporaryDirectory()
        do {
            let journal = try Self.open(folder)
            let error = #expect(throws: CatalogueJournalError.self) { try Self.open(folder) }
            #expect(error?.code == "catalogue-journal.locked")
            _ = try CatalogueJournal.knowledge(directory: "\(folder.path)/state", owner: Self.owner)
            let other = JournalOwner(bundleId: "com.example.app", environment: .production)
            _ = try CatalogueJournal(directory: "\(folder.path)/state", owner: other, now: 1)
            #expect(journal.knowledge == JournalKnowledge())
        }
        _ = try Self.open(folder)
    }

    @Test("refuses a directory, and a state that is a file")
    func places() throws {
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("state")
        try folder.makeDirectory("state/\(Self.owner.fileName)")
        let error = #expect(throws: CatalogueJournalError.self) { try Self.open(folder) }
        #expect(error?.code == "catalogue-journal.file")
        let other = try TemporaryDirectory()
        try other.write("", to: "state")
        let second = #expect(throws: CatalogueJournalError.self) { try Self.open(other) }
        #expect(second?.code == "catalogue-journal.file")
    }

    @Test("writes no line behind one that failed")
    func failure() throws {
        let clock = PointClock(killingAt: 8)
        let storage = MemoryStorage([], clock)
        let text = try JournalText(reading: [], owner: Self.owner, path: "")
        let journal = try CatalogueJournal(storage, text, owner: Self.owner, path: "j", now: 1)
        #expect(throws: CatalogueJournalError.self) {
            for event in Self.events { try journal.record(event, at: 1) }
        }
        let count = storage.bytes.count
        #expect(throws: CatalogueJournalError.self) { try journal.record(Self.events[0], at: 1) }
        #expect(storage.bytes.count == count)
    }
}

import AppStoreServerAPI
@testable import Catalogue
import Glibc
import JSON
import Support
import System
import Testing
import Vocabulary

/// Journals that somebody else wrote, and files that only have a journal's name.
@Suite("The zoo of journals", .timeLimit(.minutes(5)))
struct JournalZooTests {
    private static let owner = JournalOwner(bundleId: "com.example.app", environment: .sandbox)
    private static let identifier = "0f8b7c1e-3f0a-4f7e-9f5e-7a1d2c3b4a59"
    private static let begin =
        #"{"at":1,"journal":1,"app":"com.example.app","environment":"Sandbox"}"#

    /// Returns the bytes of lines with the right checksums, whatever they say.
    private static func journal(_ lines: [String]) -> [UInt8] {
        var checksum: UInt64 = 0
        var bytes: [UInt8] = []
        for line in lines {
            let text = Array(line.utf8)
            checksum = JournalLine.checksum(of: text.span, after: checksum)
            bytes +=
                Array((HexadecimalDigits.text(of: checksum, count: 16) + " ").utf8) + text + [
                    UInt8(ascii: "\n")
                ]
        }
        return bytes
    }

    private static func read(_ lines: [String]) throws(CatalogueJournalError) -> JournalKnowledge {
        try JournalText(reading: journal(lines), owner: owner, path: "j").knowledge
    }

    @Test("has a journal without a fault")
    func good() throws {
        let line =
            #"{"at":2,"event":"upload-done","kind":"image","id":"\#(Self.identifier)","outcome":"confirmed"}"#
        #expect(try Self.read([Self.begin, line]).items.count == 1)
        // Members that this version does not know do no harm.
        #expect(try Self.read([Self.begin, line.replacing("{", with: #"{"note":"x","#)]).items.count == 1)
    }

    /// Second lines whose checksum is right and whose content is not.
    private static let lines = [
        "", " ", "{}", "[]", "7", "null", "{", #"{"at":2}"#, #"{"at":2,"event":"sing"}"#,
        #"{"at":2,"event":7}"#,
        #"{"event":"upload-started","kind":"image","id":"ID","name":"n"}"#,
        #"{"at":-1,"event":"upload-started","kind":"image","id":"ID","name":"n"}"#,
        #"{"at":1.5,"event":"upload-started","kind":"image","id":"ID","name":"n"}"#,
        #"{"at":"2","event":"upload-started","kind":"image","id":"ID","name":"n"}"#,
        #"{"at":9223372036854775808,"event":"upload-started","kind":"image","id":"ID","name":"n"}"#,
        #"{"at":2,"at":2,"event":"upload-started","kind":"image","id":"ID","name":"n"}"#,
        #"{"at":2,"event":"upload-started","kind":"sound","id":"ID","name":"n"}"#,
        #"{"at":2,"event":"upload-started","kind":"image","id":"ID"}"#,
        #"{"at":2,"event":"upload-started","kind":"image","name":"n"}"#,
        #"{"at":2,"event":"upload-started","kind":"image","id":"x","name":"n"}"#,
        #"{"at":2,"event":"upload-started","kind":"image","id":["ID"],"name":"n"}"#,
        #"{"at":2,"event":"upload-started","kind":"image","id":"ID","name":{"n":{}}}"#,
        #"{"at":2,"event":"upload-done","kind":"image","id":"ID","outcome":"perhaps"}"#,
        #"{"at":2,"event":"upload-done","kind":"image","id":"ID"}"#,
        #"{"at":2,"event":"refused","kind":"image","id":"ID"}"#,
        #"{"at":2,"event":"listed","kind":"image","id":"ID"}"#,
        #"{"at":2,"event":"listed","kind":"image","id":"ID","state":7}"#,
        #"{"at":2,"event":"default-set","product":"p","id":"ID"}"#,
        #"{"at":2,"event":"default-set","locale":"en-US","id":"ID"}"#,
        #"{"at":2,"event":"default-set","product":"p","locale":"en-US"}"#,
        #"{"at":2,"event":"default-set","product":"p","locale":"en-US","id":null}"#,
        #"{"at":2,"event":"default-started","product":"p","locale":"en-US","id":"x"}"#,
        #"{"at":2,"event":"default-gone","product":"p","locale":"en-US","id":"ID"}"#,
        #"{"at":2,"event":"delete-done","kind":"image","id":"ID"} {}"#,
        // The owner stands in the first line alone.
        begin, #"{"at":2,"journal":0}"#, #"{"at":2,"journal":"1"}"#,
        #"{"at":2,"journal":9223372036854775807.0}"#,
    ]

    @Test("refuses a line with the right checksum and a wrong content, by its number", arguments: lines)
    func contents(line: String) {
        let text = line.replacing("ID", with: Self.identifier)
        let error = #expect(throws: CatalogueJournalError.self) { try Self.read([Self.begin, text]) }
        #expect(error == .damaged("j", line: 2), "\(text)")
    }

    @Test("refuses bytes that are not UTF-8, a NUL and a line that is too long")
    func bytes() {
        for extra in [[0xFF], [0x00], [UInt8](repeating: UInt8(ascii: "a"), count: JournalLine.byteCount)]
            as [[UInt8]]
        {
            let text =
                Array(#"{"at":2,"event":"upload-started","kind":"image","name":""#.utf8) + extra
                + Array("\"}".utf8)
            let first = Self.journal([Self.begin])
            var bytes = first
            let sum = JournalLine.checksum(
                of: text.span, after: JournalLine.checksum(of: Array(Self.begin.utf8).span, after: 0))
            bytes +=
                Array((HexadecimalDigits.text(of: sum, count: 16) + " ").utf8) + text + [UInt8(ascii: "\n")]
            let error = #expect(throws: CatalogueJournalError.self) {
                try JournalText(reading: bytes, owner: Self.owner, path: "j")
            }
            #expect(error == .damaged("j", line: 2))
        }
    }

    @Test(
        "refuses a wrong first line",
        arguments: [
            (#"{"at":1,"journal":2}"#, "newer"), (#"{"at":1,"journal":1}"#, "damaged"),
            (#"{"at":1,"journal":1,"app":"com.example.app","environment":"Moon"}"#, "damaged"),
            (#"{"at":1,"journal":1,"app":"com.example.other","environment":"Sandbox"}"#, "other-owner"),
            (#"{"at":1,"journal":1,"app":"com.example.app","environment":"Production"}"#, "other-owner"),
            (
                #"{"at":1,"journal":1,"app":"com.example.app","environment":"Sandbox","server":"http://x"}"#,
                "other-owner"
            ),
            (
                #"{"at":1,"event":"delete-done","kind":"image","id":"0f8b7c1e-3f0a-4f7e-9f5e-7a1d2c3b4a59"}"#,
                "damaged"
            ),
        ]
    )
    func firstLines(line: String, code: String) {
        let error = #expect(throws: CatalogueJournalError.self) { try Self.read([line]) }
        #expect(error?.code == "catalogue-journal.\(code)")
    }

    /// Makes the state's directory, lets `make` put something in the place of the journal, and opens it.
    private static func open(_ make: (_ path: String, _ folder: TemporaryDirectory) throws -> Void) throws
        -> (writing: String?, reading: String?)
    {
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("state", permissions: 0o700)
        try make(folder.path(of: "state/\(owner.fileName)"), folder)
        let directory = folder.path(of: "state")
        func code(_ body: () throws(CatalogueJournalError) -> Void) -> String? {
            do throws(CatalogueJournalError) {
                try body()
                return nil
            } catch { return error.code }
        }
        return (
            code { () throws(CatalogueJournalError) in
                _ = try CatalogueJournal(directory: directory, owner: owner, now: 1)
            },
            code { () throws(CatalogueJournalError) in
                _ = try CatalogueJournal.knowledge(directory: directory, owner: owner)
            }
        )
    }

    @Test(
        "refuses a FIFO, a folder, a device and a link in the place of the journal, and waits for none of them"
    )
    func places() throws {
        let fifo = try Self.open { path, _ in _ = try ProgramRun.run("mkfifo", [path]) }
        #expect(fifo.writing == "catalogue-journal.file" && fifo.reading == "catalogue-journal.file")
        let link = try Self.open { path, folder in
            try folder.write(Self.journal([Self.begin]), to: "elsewhere")
            #expect(unsafe symlink(folder.path(of: "elsewhere"), path) == 0)
        }
        // A link could make this program add lines to any file of the user. Reading one does no harm.
        #expect(link.writing == "catalogue-journal.file" && link.reading == nil)
        let device = try Self.open { path, _ in #expect(unsafe symlink("/dev/zero", path) == 0) }
        #expect(device.writing == "catalogue-journal.file" && device.reading == "catalogue-journal.file")
        let lock = try Self.open { path, folder in
            try folder.write("mine", to: "elsewhere")
            #expect(unsafe symlink(folder.path(of: "elsewhere"), path + ".lock") == 0)
        }
        #expect(lock.writing == "catalogue-journal.file" && lock.reading == nil)
    }

    @Test("refuses a journal of more than 64 MiB, and one of 4 GiB, without reading it whole")
    func sizes() throws {
        for count in [CatalogueLimits.journalByteCount + 1, 4 << 30] {
            let codes = try Self.open { path, _ in
                try FileDescriptor.create(path: path, permissions: 0o600).truncate(toByteCount: count)
            }
            #expect(codes.writing == "catalogue-journal.too-large" && codes.reading == codes.writing)
        }
    }

    @Test("keeps two processes apart, and lets the second one in when the first has ended")
    func processes() throws {
        let folder = try TemporaryDirectory()
        let directory = folder.path(of: "state")
        let place = ProductLocale(product: "p", locale: "en-US")
        let codes = try (0..<4).map { number in
            try JoinableThread { () -> Int in
                var written = 0
                while written < 25 {
                    guard let journal = try? CatalogueJournal(directory: directory, owner: Self.owner, now: 1)
                    else { continue }
                    try? journal.record(.defaultAsked(place, UUID(high: 7, low: UInt64(number))), at: 1)
                    written += 1
                }
                return written
            }
        }.map { $0.join() }
        #expect(codes == [25, 25, 25, 25])
        let text = try JournalText(
            reading: try folder.read("state/\(Self.owner.fileName)"), owner: Self.owner, path: "j")
        #expect(text.knowledge.defaults.count == 1)
        let lines = try folder.read("state/\(Self.owner.fileName)").count { $0 == UInt8(ascii: "\n") }
        #expect(lines == 101)
    }
}

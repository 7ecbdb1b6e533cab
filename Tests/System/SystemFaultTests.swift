import Support
import Testing

@testable import System

@Suite("A fact that no system call returned")
struct SystemFaultTests {
    /// An operation that fails although every system call succeeds, and the code and the sentence of its error.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let sentence: String
        /// Runs the operation in a folder with an empty file `empty` and a FIFO `fifo`.
        let run: @Sendable (TemporaryDirectory) throws -> Void

        init(
            _ description: String, _ code: String, _ sentence: String,
            _ run: @escaping @Sendable (TemporaryDirectory) throws -> Void
        ) {
            testDescription = description
            self.code = code
            self.sentence = sentence
            self.run = run
        }
    }

    static let rows = [
        Row("an empty file is mapped", "file.empty", "the file is empty") { folder in
            _ = try MappedMemory(of: FileDescriptor.openForReading(path: folder.path(of: "empty")))
        },
        Row("a FIFO is locked", "file.not-regular", "/fifo is not a regular file") { folder in
            _ = try FileLock(path: folder.path(of: "fifo"))
        },
        Row("an entry is to be made in a file", "file.not-directory", "/empty is not a directory") { folder in
            try Directory.checkEntryCanBeMade(path: folder.path(of: "empty/entry"))
        },
        Row("a secret is too long", "file.too-large", "longer than the limit of 2 bytes") { folder in
            try folder.write("abc", to: "secret")
            let file = try FileDescriptor.openForReading(path: folder.path(of: "secret"))
            _ = try SecretMemory.reading(file, limitBytes: 2)
        },
        Row("a file shrinks", "file.changed", "the file had 9 bytes, and its size changed during the copy") {
            let file = try FileDescriptor.openForReading(path: $0.path(of: "empty"))
            try OpenFile.inMemory().descriptor.write(copying: file, byteCount: 9)
        },
        Row(
            "a socket's path has a zero byte", "socket-path.invalid",
            "the socket's path is empty or contains a zero byte"
        ) { folder in
            try ListeningSocket.check(unixPath: folder.path(of: "a\0b"))
        },
        Row(
            "a socket's path is too long", "socket-path.too-long",
            "the socket's path has 108 bytes, and the kernel allows 107"
        ) { _ in
            _ = try StreamSocket.connect(unixPath: "/" + String(repeating: "x", count: 107))
        },
        Row("a name is a host", "host.not-numeric", "not a numeric IPv4 or IPv6 address") { _ in
            try ListeningSocket.check(host: "localhost", port: 1)
        },
        Row(
            "counters have another size", "memory.wrong-size",
            "the shared memory has 16 bytes, and this program expects 3 words of 8 bytes"
        ) { _ in
            let memory = try SharedCounterMemory(count: 2, name: "test")
            _ = try SharedCounterMemory(inheriting: memory.descriptor.duplicate(), count: 3)
        },
    ]

    @Test("has a code and a sentence of its own", arguments: rows)
    func row(row: Row) throws {
        let folder = try TemporaryDirectory()
        try folder.write("", to: "empty")
        #expect(try ProgramRun.run("mkfifo", [folder.path(of: "fifo")]).status == 0)
        let error = #expect(throws: SystemCallError.self) { try row.run(folder) }
        #expect(error?.code == row.code)
        #expect(error?.description.hasSuffix(row.sentence) == true, "\(error?.description ?? "")")
        #expect(error?.reason == nil && error?.call == nil)
    }

    @Test("is not told of a failed call, which has its own errno")
    func failedCall() throws {
        let error = #expect(throws: SystemCallError.self) { _ = try FileStatus(path: "/nowhere/at/all") }
        #expect(error?.code == "system.enoent" && error?.reason == .enoent && error?.fault == nil)
        #expect(error?.description == "\(error?.call ?? ""): No such file or directory")
    }
}

import Support
import System
import Testing

@Suite("A file written piece by piece")
struct AtomicFileWriterTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.path(of: "file") }

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write("old", to: "file")
    }

    private func names() throws -> [String] {
        try Directory.names(in: FileDescriptor.openDirectory(path: folder.path), limitCount: 10)
    }

    @Test("replaces the old file when it is committed, with the requested permissions")
    func commit() throws {
        var file = try AtomicFileWriter(path: path, permissions: 0o640)
        try file.append(Array("abc".utf8).span)
        try file.write(Array("xyz".utf8).span, at: 6)
        try file.append(Array("!".utf8).span)
        try file.write(Array("A".utf8).span, at: 0)
        var block = [UInt8](repeating: 9, count: 4)
        #expect(try file.read(into: &block, at: 5) == 4)
        #expect(block == Array("\0xyz".utf8))
        #expect(try file.read(into: &block, at: 10) == 0)
        #expect(try folder.read("file") == Array("old".utf8))
        try file.commit()
        #expect(try folder.read("file") == Array("Abc\0\0\0xyz!".utf8))
        #expect(try FileStatus(path: path).permissions == 0o640)
        #expect(try names() == ["file"])
    }

    @Test("leaves the old file unchanged, and leaves no other file, when it is given up")
    func abandon() throws {
        do {
            var file = try AtomicFileWriter(path: path)
            try file.append(Array("new".utf8).span)
            // An incomplete file has no name, so a signal leaves nothing behind either.
            #expect(try names() == ["file"])
        }
        #expect(try folder.read("file") == Array("old".utf8))
        #expect(try names() == ["file"])
    }

    @Test("needs a directory that exists")
    func missingDirectory() {
        let error = #expect(throws: SystemCallError.self) {
            _ = try AtomicFileWriter(path: folder.path(of: "nowhere/file"))
        }
        #expect(error?.code == "system.enoent")
    }
}

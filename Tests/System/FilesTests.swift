import Support
import System
import Testing

@Suite("Files and directories")
struct FilesTests {
    @Test("are listed in the byte order of their names, up to a limit")
    func names() throws {
        let folder = try TemporaryDirectory()
        for name in ["b", "a", ".x", "é"] { try folder.write("", to: name) }
        let directory = try FileDescriptor.openDirectory(path: folder.path)
        #expect(try Directory.names(in: directory, limitCount: 4) == [".x", "a", "b", "é"])
        #expect(try Directory.names(in: directory, limitCount: 4).count == 4, "a second listing starts anew")
        let error = #expect(throws: SystemCallError.self) {
            try Directory.names(in: directory, limitCount: 3)
        }
        #expect(error?.code == "directory.too-many-names")
    }

    @Test("report how many of their bytes are not holes, and are at their beginning afterwards")
    func holes() throws {
        let folder = try TemporaryDirectory()
        let block = [UInt8](repeating: 1, count: 1 << 16)
        for (name, places) in [("full", Array(0..<16)), ("sparse", [0, 7, 15]), ("end", [15])] {
            var file = try AtomicFileWriter(path: folder.path(of: name))
            for place in places { try file.write(block.span, at: place << 16) }
            try file.commit()
            let descriptor = try FileDescriptor.openForReading(path: folder.path(of: name))
            let count = try descriptor.dataByteCount(upTo: .max)
            // A file system without holes reports data everywhere.
            #expect(count == places.count << 16 || count == 1 << 20, "\(name): \(count)")
            #expect(try descriptor.dataByteCount(upTo: 1) >= 1)
            #expect(try descriptor.readAll(limitBytes: 1 << 20).count == 1 << 20)
        }
        try folder.write("", to: "empty")
        let empty = try FileDescriptor.openForReading(path: folder.path(of: "empty"))
        #expect(try empty.dataByteCount(upTo: .max) == 0)
    }

    @Test("are opened in a directory by their names, without following a link or waiting for a writer")
    func entries() throws {
        let folder = try TemporaryDirectory()
        try folder.write("hello", to: "file", permissions: 0o664)
        let directory = try FileDescriptor.openDirectory(path: folder.path)
        let file = try directory.openEntry(named: "file")
        let status = try FileStatus(of: file)
        #expect(status.kind == .regular && status.byteCount == 5)
        #expect(status.isGroupWritable && !status.isWorldWritable && status.permissions == 0o664)
        #expect(throws: SystemCallError.self) { _ = try directory.openEntry(named: "absent") }
        // A link is not followed, and a FIFO without a writer is not waited for.
        _ = try ProgramRun.run("ln", ["-s", "file", folder.path(of: "link")])
        #expect(throws: SystemCallError.self) { _ = try directory.openEntry(named: "link") }
        _ = try ProgramRun.run("mkfifo", [folder.path(of: "fifo")])
        #expect(try FileStatus(of: directory.openEntry(named: "fifo")).kind == .other)
        #expect(try FileStatus(of: directory).kind == .directory)
    }

    @Test("are read completely, up to a limit")
    func readAll() throws {
        let folder = try TemporaryDirectory()
        try folder.write("hello", to: "file")
        let path = folder.path(of: "file")
        #expect(try FileDescriptor.openForReading(path: path).readAll(limitBytes: 5) == Array("hello".utf8))
        let error = #expect(throws: SystemCallError.self) {
            try FileDescriptor.openForReading(path: path).readAll(limitBytes: 4)
        }
        #expect(error?.code == "file.too-large")
        #expect(error?.description == "longer than the limit of 4 bytes")
    }

    @Test("belong to users and groups known by name")
    func accounts() throws {
        #expect(Accounts.groupID(named: "root") == 0)
        #expect(Accounts.groupID(named: "12345") == 12345)
        #expect(Accounts.groupID(named: "no-such-group-here") == nil)
        #expect(Accounts.userName(0) == "root")
    }
}

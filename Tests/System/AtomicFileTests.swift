internal import Glibc
internal import Support
internal import System
internal import Testing

@Suite("Replacing a file")
struct AtomicFileTests {
    /// A file layer in which the call with number `failingCall`, counted from 0, fails.
    final class FailingLayer: FileLayer {
        private let system = SystemFileLayer()
        private let failingCall: Int
        private var calls = 0

        init(failingCall: Int) { self.failingCall = failingCall }

        private func count() throws(SystemCallError) {
            calls += 1
            if calls == failingCall + 1 { throw SystemCallError(call: "test", .eio) }
        }

        func create(_ path: String, permissions: UInt32) throws(SystemCallError) -> OpenFile {
            try count()
            return try system.create(path, permissions: permissions)
        }
        func write(_ bytes: Span<UInt8>, to file: OpenFile) throws(SystemCallError) {
            try system.write(bytes.extracting(first: bytes.count / 2), to: file)
            try count()
            try system.write(bytes.extracting(last: bytes.count - bytes.count / 2), to: file)
        }
        func synchronize(_ file: OpenFile) throws(SystemCallError) {
            try count()
            try system.synchronize(file)
        }
        func close(_ file: OpenFile) throws(SystemCallError) {
            try count()
            try system.close(file)
        }
        func rename(_ path: String, to other: String) throws(SystemCallError) {
            try count()
            try system.rename(path, to: other)
        }
        func synchronizeDirectory(_ path: String) throws(SystemCallError) {
            try count()
            try system.synchronizeDirectory(path)
        }
        func remove(_ path: String) { system.remove(path) }
    }

    @Test("leaves the old or the new content and no other file, whichever call fails")
    func failures() throws {
        let folder = try Self.makeFolder()
        defer { Self.remove(folder) }
        let path = folder + "/file"
        let old = Array("old".utf8)
        let new = Array("new content".utf8)
        var failingCall = 0
        while true {
            try AtomicFile.write(old.span, to: path)
            let layer = FailingLayer(failingCall: failingCall)
            let error: SystemCallError?
            do throws(SystemCallError) {
                try AtomicFile.write(new.span, to: path, permissions: 0o600, through: layer)
                error = nil
            } catch let found { error = found }
            let content = try SourceFile.read(path)
            #expect(try Self.entries(folder) == ["file"])
            guard error != nil else {
                #expect(content == new)
                break
            }
            #expect(content == (failingCall < 5 ? old : new))
            failingCall += 1
        }
        #expect(failingCall == 6)
    }

    @Test("under a lock removes what a killed process has left")
    func leftovers() throws {
        let folder = try Self.makeFolder()
        defer { Self.remove(folder) }
        let lock = try FileLock(path: folder + "/lock")
        let half = try FileDescriptor.create(path: folder + "/.file.partial", permissions: 0o400)
        try half.write(Array("ha".utf8).span)
        for text in ["one", "another"] {
            try AtomicFile.write(
                Array(text.utf8).span, to: folder + "/file", permissions: 0o644, holding: lock,
                through: SystemFileLayer())
            #expect(try SourceFile.read(folder + "/file") == Array(text.utf8))
            #expect(try Self.entries(folder) == ["file", "lock"])
        }
    }

    @Test("gives the requested permissions, and fails in a directory that does not exist")
    func permissions() throws {
        let folder = try Self.makeFolder()
        defer { Self.remove(folder) }
        let bytes = [UInt8](repeating: 7, count: 100)
        try AtomicFile.write(bytes.span, to: folder + "/private", permissions: 0o600)
        var status = stat()
        let result = unsafe stat(folder + "/private", &status)
        #expect(result == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let error = #expect(throws: SystemCallError.self) {
            try AtomicFile.write(bytes.span, to: folder + "/absent/file")
        }
        #expect(error?.code == "system.enoent")
    }

    private static func makeFolder() throws -> String {
        let path = "/tmp/atomic-file-\(UInt64.random(in: 0...UInt64.max))"
        guard unsafe mkdir(path, 0o700) == 0 else {
            throw SystemCallError(call: "mkdir", Errno(rawValue: errno))
        }
        return path
    }

    private static func remove(_ folder: String) {
        for name in (try? entries(folder)) ?? [] { unsafe unlink(folder + "/" + name) }
        unsafe rmdir(folder)
    }

    private static func entries(_ folder: String) throws -> [String] {
        guard let directory = unsafe opendir(folder) else {
            throw SystemCallError(call: "opendir", Errno(rawValue: errno))
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe String(cString: UnsafeRawPointer(tuple).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

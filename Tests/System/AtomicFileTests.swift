internal import Support
internal import System
internal import Testing

@Suite("Replacing a file")
struct AtomicFileTests {
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
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "file")
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
            let content = try folder.read("file")
            #expect(try folder.names() == ["file"])
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
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "file")
        let lock = try FileLock(path: folder.path(of: "lock"))
        let half = try FileDescriptor.create(path: folder.path(of: ".file.partial"), permissions: 0o400)
        try half.write(Array("ha".utf8).span)
        for text in ["one", "another"] {
            try AtomicFile.write(
                Array(text.utf8).span, to: path, permissions: 0o644, holding: lock,
                through: SystemFileLayer())
            #expect(try folder.read("file") == Array(text.utf8))
            #expect(try folder.names() == ["file", "lock"])
        }
    }

    @Test("gives the requested permissions, and fails in a directory that does not exist")
    func permissions() throws {
        let folder = try TemporaryDirectory()
        let bytes = [UInt8](repeating: 7, count: 100)
        let path = folder.path(of: "private")
        try AtomicFile.write(bytes.span, to: path, permissions: 0o600)
        #expect(try FileStatus(path: path).permissions == 0o600)
        let error = #expect(throws: SystemCallError.self) {
            try AtomicFile.write(bytes.span, to: folder.path(of: "absent/file"))
        }
        #expect(error?.code == "system.enoent")
    }
}

import Support
import Testing

@testable import System

@Suite("A file without a name")
struct UnnamedFileTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Returns a file with these bytes, to be copied.
    private func source(_ bytes: [UInt8]) throws -> FileDescriptor {
        try folder.write(bytes, to: "source")
        return try FileDescriptor.openForReading(path: folder.path(of: "source"))
    }

    @Test("has the bytes of the copied file, and no directory entry")
    func copy() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = try UnnamedFile(copying: source(bytes), byteCount: bytes.count, in: folder.path)
        #expect(file.byteCount == bytes.count)
        let mapped = try MappedMemory(of: file.descriptor)
        let isSame = mapped.withBytes { $0.matches(bytes.span, at: 0) && $0.byteCount == bytes.count }
        #expect(isSame)
        let directory = try FileDescriptor.openDirectory(path: folder.path)
        #expect(try Directory.names(in: directory, limitCount: 10) == ["source"])
        #expect(try UnnamedFile.isOne(file.descriptor))
        #expect(try !UnnamedFile.isOne(source([1])))
    }

    @Test(
        "is not made from a file that is shorter or longer than stated",
        arguments: [0, 9, 11, 1 << 22]
    )
    func size(byteCount: Int) throws {
        let file = try source([UInt8](repeating: 7, count: 10))
        let error = #expect(throws: SystemCallError.self) {
            _ = try UnnamedFile(copying: file, byteCount: byteCount, in: folder.path)
        }
        #expect(error?.code == "file.changed" && error?.call == nil)
    }

    @Test("needs a directory that exists")
    func place() throws {
        let file = try source([1])
        let error = #expect(throws: SystemCallError.self) {
            _ = try UnnamedFile(copying: file, byteCount: 1, in: folder.path(of: "nowhere"))
        }
        #expect(error?.code == "system.enoent" && error?.call == "open")
    }
}

@Suite("Files that can no longer change")
struct FrozenFileTests {
    @Test("are sealed memory and files without a name, and nothing else")
    func kinds() throws {
        let folder = try TemporaryDirectory()
        try folder.write([1, 2, 3], to: "source")
        let path = folder.path(of: "source")
        let bytes: [UInt8] = [1, 2, 3]
        let memory = try SealedMemory(copying: bytes.span, name: "test")
        #expect(throws: Never.self) { _ = try ImmutableFile(verifying: memory.descriptor.duplicate()) }
        let source = try FileDescriptor.openForReading(path: path)
        let unnamed = try UnnamedFile(copying: source, byteCount: 3, in: folder.path)
        #expect(throws: Never.self) { _ = try ImmutableFile(verifying: unnamed.descriptor.duplicate()) }
        let named = #expect(throws: SystemCallError.self) {
            _ = try ImmutableFile(verifying: FileDescriptor.openForReading(path: path))
        }
        #expect(named?.code == "descriptor.changeable")
        // This file is removed, but open for writing.
        let writable = try FileDescriptor.create(path: folder.path(of: "other"), permissions: 0o600)
        try Directory.removeFile(path: folder.path(of: "other"))
        let removed = #expect(throws: SystemCallError.self) {
            _ = try ImmutableFile(verifying: writable.duplicate())
        }
        #expect(removed?.code == "descriptor.changeable")
        let pipe = #expect(throws: SystemCallError.self) {
            _ = try ImmutableFile(verifying: FileDescriptor.pipe().keepReading())
        }
        #expect(pipe?.code == "descriptor.changeable")
    }
}

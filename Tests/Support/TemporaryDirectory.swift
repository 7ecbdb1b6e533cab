internal import Glibc
internal import Synchronization
internal import System

/// A directory for one test. When the test releases this object, the directory and everything in it is removed. Those of
/// objects that live until the process exits are removed then.
package final class TemporaryDirectory: Sendable {
    package let path: String

    private static let count = Atomic<Int>(0)

    package init() throws {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        path = "/tmp/retention-test-\(Processes.current)-\(Clock.monotonicNanoseconds())-\(number)"
        try Directory.make(path: path, permissions: 0o755)
        Self.removesAtExit
        Self.living.withLock { _ = $0.insert(path) }
    }

    private static let living = Mutex<Set<String>>([])

    private static let removesAtExit: Void = {
        atexit {
            for path in TemporaryDirectory.living.withLock({ $0 }) { TemporaryDirectory.removeTree(path) }
        }
    }()

    package func keep() {
        Self.living.withLock { _ = $0.remove(path) }
        _ = unsafe Unmanaged.passRetained(self)
    }

    deinit {
        Self.living.withLock { _ = $0.remove(path) }
        Self.removeTree(path)
    }

    package func path(of name: String) -> String { "\(path)/\(name)" }

    package func makeDirectory(_ name: String, permissions: UInt32 = 0o755) throws {
        try Directory.make(path: path(of: name), permissions: permissions)
    }

    package func write(_ bytes: [UInt8], to name: String, permissions: UInt32 = 0o644) throws {
        try Directory.removeFile(path: path(of: name))
        let file = try FileDescriptor.create(path: path(of: name), permissions: permissions)
        try file.write(bytes.span)
        try file.close()
    }

    package func write(_ text: String, to name: String, permissions: UInt32 = 0o644) throws {
        try write(Array(text.utf8), to: name, permissions: permissions)
    }

    package func read(_ name: String) throws -> [UInt8] {
        try FileDescriptor.openForReading(path: path(of: name)).readAll(limitBytes: 256 << 20)
    }

    package func names() throws -> [String] {
        try Directory.names(in: FileDescriptor.openDirectory(path: path), limitCount: 100).sorted()
    }

    private static func removeTree(_ path: String) {
        if let directory = try? FileDescriptor.openDirectory(path: path),
            let names = try? Directory.names(in: directory, limitCount: 100_000)
        {
            for name in names {
                let entry = "\(path)/\(name)"
                let kind = (try? FileStatus(path: entry, followingLinks: false))?.kind
                if kind == .directory { removeTree(entry) } else { try? Directory.removeFile(path: entry) }
            }
        }
        try? Directory.removeEmpty(path: path)
    }
}

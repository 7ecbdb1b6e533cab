internal import Glibc
internal import System

/// Files of the source tree, for tests that read them.
public enum SourceFile {
    /// The folder that holds `path`.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[..<slash])
    }

    /// The root of the checkout.
    public static var root: String { folder(of: folder(of: folder(of: #filePath))) }

    /// The bytes of a file.
    public static func read(_ path: String) throws -> [UInt8] {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemCallError(call: "open \(path)", number: errno) }
        let file = FileDescriptor(takingOwnership: number)
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try file.read(into: &block)
            if count == 0 { return bytes }
            bytes += block[..<count]
        }
    }
}

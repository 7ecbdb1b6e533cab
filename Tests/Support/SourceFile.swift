internal import Glibc
internal import System

/// Reads files of the source tree for tests.
public enum SourceFile {
    /// Returns the folder that holds `path`.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[..<slash])
    }

    /// The root of the checkout.
    public static var root: String { folder(of: folder(of: folder(of: #filePath))) }

    /// Returns the bytes of a file.
    public static func read(_ path: String) throws -> [UInt8] {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemCallError(call: "open \(path)", Errno(rawValue: errno)) }
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

extension SourceFile {
    /// Returns the files below a folder of the checkout, sorted, as paths below the checkout. Entries whose name begins
    /// with a dot are left out.
    public static func paths(below folder: String) throws -> [String] {
        guard let stream = unsafe opendir(root + "/" + folder) else {
            throw SystemCallError(call: "opendir \(folder)", Errno(rawValue: errno))
        }
        defer { unsafe closedir(stream) }
        var paths: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !name.hasPrefix(".") else { continue }
            let path = folder + "/" + name
            let isFolder = unsafe entry.pointee.d_type == UInt8(DT_DIR)
            paths += isFolder ? try Self.paths(below: path) : [path]
        }
        return paths.sorted()
    }
}

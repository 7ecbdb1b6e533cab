internal import Glibc
internal import System
package import Testing

package enum SourceFile {
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[..<slash])
    }

    package static var root: String { folder(of: folder(of: folder(of: #filePath))) }

    package static func read(_ path: String) throws -> [UInt8] {
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
    package static func paths(below folder: String) throws -> [String] {
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

package enum ManualPage {
    package static let folder = "Sources/Manual"

    package static func text(_ page: String) throws -> String {
        String(decoding: try SourceFile.read("\(SourceFile.root)/\(folder)/\(page)"), as: UTF8.self)
    }
}

package enum GoldenFile {
    /// True when UPDATE_GOLDEN is in the environment: tests then rewrite the expected output.
    package static var isUpdating: Bool { ProcessEnvironment.value(of: "UPDATE_GOLDEN") != nil }

    /// Compares `text` with the file at `path` below the checkout. With UPDATE_GOLDEN in the environment the file is
    /// rewritten instead, and the test fails.
    package static func check(
        _ text: String, _ path: String, isUpdating: Bool = Self.isUpdating,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let bytes = Array(text.utf8)
        let kept = try keep(bytes, path, isUpdating: isUpdating, sourceLocation: sourceLocation)
        let expected = String(decoding: kept, as: UTF8.self)
        #expect(text == expected, "\(path)", sourceLocation: sourceLocation)
    }

    /// Returns the bytes of the file at `path` below the checkout. With UPDATE_GOLDEN in the environment `bytes` are
    /// written there first. The test then fails: it has compared nothing, so a run with the variable never passes.
    package static func keep(
        _ bytes: [UInt8], _ path: String, isUpdating: Bool = Self.isUpdating,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [UInt8] {
        let whole = SourceFile.root + "/" + path
        if isUpdating {
            try AtomicFile.write(bytes.span, to: whole)
            Issue.record(
                "UPDATE_GOLDEN wrote \(path): look at the difference, then run without the variable",
                sourceLocation: sourceLocation)
        }
        return try SourceFile.read(whole)
    }
}

package enum FuzzCorpus {
    package static func replay(
        _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: (Span<UInt8>) -> Void
    ) throws {
        let paths = try SourceFile.paths(below: "Tests/Fuzz/Corpus/\(name)")
        #expect(!paths.isEmpty, "the corpus \(name) has no files", sourceLocation: sourceLocation)
        for path in paths {
            let bytes = try SourceFile.read(SourceFile.root + "/" + path)
            body(bytes.span)
        }
    }
}

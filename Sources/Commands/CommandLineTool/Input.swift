package import JSON
package import System

package enum Input {
    /// So that a wrong file name does not fill the memory.
    package static let limitBytes = 64 << 20

    /// Returns all bytes of a file, of at most `limitBytes`; `-` is standard input.
    package static func read(_ path: String, limitBytes: Int = limitBytes) throws -> [UInt8] {
        try ToolError.about(path) { try open(path).readAll(limitBytes: limitBytes) }
    }

    package static func open(_ path: String) throws -> FileDescriptor {
        try ToolError.about(path) {
            path == "-" ? try FileDescriptor.duplicate(of: 0) : try FileDescriptor.openForReading(path: path)
        }
    }
}

/// A file for the user of a command: it is replaced as a whole, and has the permissions that the user gives to new files.
package enum Output {
    package static func write(_ bytes: [UInt8], to path: String) throws {
        try ToolError.about(path) {
            try AtomicFile.write(bytes.span, to: path, permissions: FileCreationMask.permissionsOfFiles())
        }
    }
}

/// Reads a text file block by block, so that only one block and one line are in memory.
package enum InputLines {
    /// The longest line in bytes, so that a file without line ends does not fill the memory.
    package static let lineLimitBytes = 1 << 20
    private static let blockByteCount = 1 << 18

    /// Calls `body` for every line that is not empty, with its number counted from 1. The path `-` is standard input.
    package static func forEach(
        in path: String, lineLimitBytes: Int = lineLimitBytes,
        _ body: (_ number: Int, _ line: [UInt8]) throws -> Void
    ) throws {
        let descriptor = try Input.open(path)
        var block = [UInt8](repeating: 0, count: blockByteCount)
        var line: [UInt8] = []
        var number = 1
        func checkLength() throws {
            guard line.count > lineLimitBytes else { return }
            let message = "a line of more than \(lineLimitBytes) bytes"
            let finding = Finding(code: "sample.unusable", message, file: path, line: number)
            throw ToolError([finding])
        }
        func finish() throws {
            try checkLength()
            // Some editors put a byte order mark before a text.
            if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
            if line.last == 0x0D { line.removeLast() }
            if !line.isEmpty { try body(number, line) }
            line.removeAll(keepingCapacity: true)
            number += 1
        }
        while true {
            let count = try ToolError.about(path) { try descriptor.read(into: &block) }
            guard count > 0 else { break }
            var rest = block[..<count]
            while let end = rest.firstIndex(of: 0x0A) {
                line += rest[..<end]
                try finish()
                rest = rest[(end + 1)...]
            }
            line += rest
            try checkLength()
        }
        try finish()
    }
}

extension [UInt8] {
    /// The bytes without white space at both ends, which files and terminals add.
    package var trimmed: [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        let end = lastIndex { !isSpace($0) }.map { $0 + 1 } ?? 0
        return Array(self[..<end].drop(while: isSpace))
    }
}

extension JSONNode {
    package init?(parsing text: [UInt8]) {
        let limits = JSONLimits(byteCount: Input.limitBytes, depth: 64)
        guard let document = try? JSONDocument(parsing: text.span, limits: limits) else { return nil }
        self.init(document.root)
    }
}

internal import System
internal import Vocabulary

/// Reads a text file block by block, so that only one block and one line are in memory.
enum InputLines {
    /// The longest line in bytes, so that a file without line ends does not fill the memory.
    static let lineLimitBytes = 1 << 20
    private static let blockByteCount = 1 << 18

    private static func open(_ path: String) throws(ToolFailure) -> FileDescriptor {
        try SystemCallError.mapped(
            to: { ToolFailure($0, file: path) },
            path == "-" ? try FileDescriptor.duplicate(of: 0) : try FileDescriptor.openForReading(path: path)
        )
    }

    /// Calls `body` for every line that is not empty, with its number counted from 1. The path `-` is standard input.
    static func forEach(
        in path: String, lineLimitBytes: Int = lineLimitBytes,
        _ body: (_ number: Int, _ line: [UInt8]) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        let descriptor = try open(path)
        var block = [UInt8](repeating: 0, count: blockByteCount)
        var line: [UInt8] = []
        var number = 1
        func checkLength() throws(ToolFailure) {
            guard line.count > lineLimitBytes else { return }
            let message = "a line of more than \(lineLimitBytes) bytes"
            let finding = Finding(code: "sample.line-too-long", message, file: path, line: number)
            throw ToolFailure(.badData, [finding])
        }
        func finish() throws(ToolFailure) {
            try checkLength()
            // Some editors put a byte order mark before a text.
            if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
            if line.last == 0x0D { line.removeLast() }
            if !line.isEmpty { try body(number, line) }
            line.removeAll(keepingCapacity: true)
            number += 1
        }
        while true {
            let count = try SystemCallError.mapped(
                to: { ToolFailure($0, file: path) },
                try descriptor.read(into: &block)
            )
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

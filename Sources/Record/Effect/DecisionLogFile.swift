internal import Cryptography
internal import NotificationStore
internal import System

/// A decision log, of which whole lines are read: plain, or unpacked by gzip on the way.
struct DecisionLogFile: ~Copyable {
    private let path: String
    private let file: FileDescriptor
    /// gzip, which writes into the pipe that is read; nil for a plain file, and after its end.
    private var unpacking: Int32?
    /// Where a plain file is read; nil for a pipe.
    private var place: Int?
    private var buffer: [UInt8] = []
    private var unread = 0
    private var block = [UInt8](repeating: 0, count: 1 << 18)

    /// The bytes that are read at once, at least the longest line.
    private static let byteCount = 1 << 20

    init(_ path: String) throws {
        self.path = path
        let plain = try FileDescriptor.openForReading(path: path)
        var magic: [UInt8] = [0, 0]
        guard try plain.read(into: &magic, at: 0) == 2, magic == [0x1F, 0x8B] else {
            file = plain
            place = 0
            return
        }
        let search = ProcessEnvironment.value(of: "PATH") ?? "/usr/bin:/bin"
        guard let gzip = Subprocess.path(of: "gzip", searchPath: search) else {
            throw DecisionImportError(description: "\(path): there is no gzip to unpack it")
        }
        var child = ChildProcess(executable: gzip, arguments: ["gzip", "-dc"], environment: [])
        let pipe = try FileDescriptor.pipe()
        child.descriptors = [(plain.number, 0), (pipe.writing.number, 1)]
        unpacking = try child.start()
        file = pipe.keepReading()
    }

    deinit {
        guard let unpacking else { return }
        try? Processes.send(.terminate, to: unpacking)
        _ = Processes.wait(for: unpacking)
    }

    /// Goes behind what was read before. Returns false when the file has another line there.
    mutating func goOn(from known: DecisionLogPlace) throws -> Bool {
        if place != nil {
            place = known.lastLineOffset
        } else {
            var rest = known.lastLineOffset
            while rest > 0 {
                (buffer, unread) = ([], 0)
                guard try fill() else { return false }
                unread = min(rest, buffer.count)
                rest -= unread
            }
        }
        return try nextLine().map { known.isLast($0[...]) } ?? false
    }

    /// The next whole line, without its line feed; nil at the end.
    mutating func nextLine() throws -> [UInt8]? {
        while true {
            if let end = ByteComparison.firstIndex(of: 0x0A, in: buffer.span, from: unread) {
                defer { unread = end + 1 }
                return Array(buffer[unread..<end])
            }
            try checkLength()
            guard try fill() else { return nil }
        }
    }

    /// About a megabyte of whole lines, with their line feeds; nil at the end.
    mutating func nextLines() throws -> [UInt8]? {
        while buffer.count - unread < Self.byteCount, try fill() {}
        guard let end = buffer[unread...].lastIndex(of: 0x0A) else {
            try checkLength()
            return nil
        }
        let lines = Array(buffer[unread...end])
        (buffer, unread) = (Array(buffer[(end + 1)...]), 0)
        return lines
    }

    private func checkLength() throws {
        guard buffer.count - unread >= Self.byteCount else { return }
        throw DecisionImportError(
            description: "\(path): a line of more than \(Self.byteCount) bytes; this is no decision log")
    }

    /// Adds a block to the buffer. Returns false at the end of the file.
    private mutating func fill() throws -> Bool {
        let count: Int
        if let place {
            count = try file.read(into: &block, at: place)
            self.place = place + count
        } else {
            count = try file.read(into: &block)
        }
        buffer += block[..<count]
        guard count == 0, let child = unpacking else { return count > 0 }
        unpacking = nil
        guard Processes.wait(for: child) == .exited(0) else {
            throw DecisionImportError(description: "\(path): gzip cannot unpack it to its end")
        }
        return false
    }
}

/// How far a log was read.
struct DecisionLogPlace {
    /// Bytes of whole lines, unpacked.
    private var offset = 0
    /// The last of them, without its line feed.
    private var lastLine: (byteCount: Int, digest: String) = (0, "")
    /// The size of the file, packed or not, when it was read.
    var byteCount = 0

    init() {}

    init?(_ cursor: StoreCursor) {
        let words = (cursor.detail ?? "").split(separator: " ").map(String.init)
        guard words.count == 3, let line = Int(words[0]), let size = Int(words[2]), line >= 0,
            cursor.position > line
        else { return nil }
        (offset, lastLine, byteCount) = (Int(cursor.position), (line, words[1]), size)
    }

    var cursor: StoreCursor {
        StoreCursor(position: Int64(offset), detail: "\(lastLine.byteCount) \(lastLine.digest) \(byteCount)")
    }

    var lastLineOffset: Int { offset - lastLine.byteCount - 1 }

    func isLast(_ line: ArraySlice<UInt8>) -> Bool {
        line.count == lastLine.byteCount && Self.digest(line) == lastLine.digest
    }

    /// `lines` are the last that were read.
    mutating func advance(over byteCount: Int, endingWith lines: [UInt8]) {
        offset += byteCount
        let line = lines.dropLast()
        let start = line.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        lastLine = (line.count - start, Self.digest(line[start...]))
    }

    private static func digest(_ line: ArraySlice<UInt8>) -> String { SHA256.hash(line.span).hexadecimal }
}

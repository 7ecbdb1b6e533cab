internal import CLinux
internal import Glibc
import Support
import System
import Testing

@Suite("A line output")
struct LineOutputTests {
    static let line = Array("a line of a log\n".utf8)

    static func isNonBlocking(_ number: Int32) -> Bool { rt_fcntl_int(number, F_GETFL, 0) & O_NONBLOCK != 0 }

    /// Returns everything that can be read without waiting.
    static func drain(_ descriptor: borrowing FileDescriptor) throws -> [UInt8] {
        try descriptor.setNonBlocking(true)
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while let count = try? descriptor.read(into: &block), count > 0 { bytes += block[..<count] }
        return bytes
    }

    /// Writes until a line is dropped, which must happen without waiting. Returns the number of lines before that.
    static func fill(_ output: LineOutput) -> Int {
        var count = 0
        while count < 1_000_000, output.write(line) { count += 1 }
        return count
    }

    @Test("drops a line at once when a pipe is full, and goes on when it is read", arguments: [true, false])
    func pipe(reopening: Bool) throws {
        let pair = try FileDescriptor.pipe()
        let output = LineOutput(sharing: pair.writing.number, reopening: reopening)
        let taken = Self.fill(output)
        #expect(taken > 1000 && taken < 1_000_000)
        #expect(!output.write(Self.line))
        #expect(!Self.isNonBlocking(pair.writing.number), "the flags that others share must not change")
        let text = try Self.drain(pair.reading)
        #expect(text.count == taken * Self.line.count, "every line must be complete")
        #expect(output.write(Self.line))
        #expect(try Self.drain(pair.reading) == Self.line)
    }

    @Test("drops a line at once when a socket is full, and goes on when it is read")
    func socket() throws {
        var numbers: [Int32] = [-1, -1]
        #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        let near = FileDescriptor(takingOwnership: numbers[0])
        let far = FileDescriptor(takingOwnership: numbers[1])
        let output = LineOutput(sharing: near.number)
        let taken = Self.fill(output)
        #expect(taken > 10 && taken < 1_000_000)
        #expect(!Self.isNonBlocking(near.number))
        #expect(try Self.drain(far).count == taken * Self.line.count)
        #expect(output.write(Self.line))
    }

    @Test("appends to a file besides other writers, and drops a line that a device refuses")
    func file() throws {
        let path = "/tmp/line-output-\(UInt64.random(in: 0...UInt64.max))"
        defer { unsafe unlink(path) }
        do {
            let first = try LineOutput(appendingTo: path)
            let second = try LineOutput(appendingTo: path)
            for _ in 0..<10 {
                #expect(first.write(Array("first\n".utf8)))
                #expect(second.write(Array("second\n".utf8)))
            }
        }
        let text = String(decoding: try SourceFile.read(path), as: UTF8.self)
        #expect(text == String(repeating: "first\nsecond\n", count: 10))
        #expect(try FileStatus(path: path).permissions & 0o137 == 0)
        #expect(!(try LineOutput(appendingTo: "/dev/full")).write(Self.line))
        #expect(throws: SystemCallError(call: "open", .enoent)) {
            _ = try LineOutput(appendingTo: "/nonexistent/log")
        }
    }
}

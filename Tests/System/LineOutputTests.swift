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

    @Test("has room for many lines in a FIFO whose reader is late")
    func lateReader() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "fifo")
        #expect(try ProgramRun.run("mkfifo", [path]).status == 0)
        let reader = try FileDescriptor.openForReading(path: path)
        let output = try LineOutput(appendingTo: path)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 599) + [UInt8(ascii: "\n")]
        // 120,000 bytes: a pipe usually has room for 65,536.
        let text = Array(repeatElement(line, count: 200).joined())
        #expect(output.write(text.span, ends: (1...200).map { $0 * 600 }) == 200)
        withExtendedLifetime(reader) {}
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

    @Test("drops a line when nobody reads from a socket any more, and causes no signal")
    func closedSocket() throws {
        var numbers: [Int32] = [-1, -1]
        #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        let near = FileDescriptor(takingOwnership: numbers[0])
        close(numbers[1])
        #expect(!LineOutput(sharing: near.number).write(Self.line))
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

    static func lines(_ lengths: [Int]) -> (text: [UInt8], ends: [Int]) {
        var text: [UInt8] = []
        var ends: [Int] = []
        for (index, length) in lengths.enumerated() {
            text += [UInt8](repeating: UInt8(ascii: "a") + UInt8(index % 26), count: length - 1) + [0x0A]
            ends.append(text.count)
        }
        return (text, ends)
    }

    @Test("appends many lines to a file, but none that is too long")
    func manyLines() throws {
        let path = "/tmp/line-output-\(UInt64.random(in: 0...UInt64.max))"
        defer { unsafe unlink(path) }
        let output = try LineOutput(appendingTo: path)
        let (text, ends) = Self.lines(Array(repeating: 1000, count: 100))
        #expect(output.write(text.span, ends: ends) == 100)
        #expect(output.write([UInt8]().span, ends: []) == 0)
        #expect(try SourceFile.read(path) == text)
        for lengths in [[5000, 10, 20], [10, 5000, 20], [10, 20, 5000]] {
            let before = try SourceFile.read(path).count
            let (text, ends) = Self.lines(lengths)
            #expect(output.write(text.span, ends: ends) == 2)
            let added = Array(try SourceFile.read(path).dropFirst(before))
            #expect(added.split(separator: 0x0A).map(\.count) == [9, 19])
        }
    }

    @Test(
        "writes to a pipe at most what the pipe takes in one piece, and drops what does not fit",
        arguments: [true, false]
    )
    func manyLinesInPipe(reopening: Bool) throws {
        let pair = try FileDescriptor.pipe()
        let output = LineOutput(sharing: pair.writing.number, reopening: reopening)
        let (text, ends) = Self.lines(Array(repeating: 1000, count: 100))
        let taken = output.write(text.span, ends: ends)
        #expect(taken >= 4 && taken < 100)
        let read = try Self.drain(pair.reading)
        // Four lines fit into one call, and a call whose lines do not fit is dropped whole.
        #expect(read == Array(text.prefix(taken * 1000)) && taken % 4 == 0)
        #expect(output.write(text.span, ends: Array(ends.prefix(3))) == 3)
    }

    @Test("counts the lines before the end of a full disk, and ends the line that was cut short")
    func tornBatch() throws {
        // A file that cannot grow beyond its first page accepts the part that fits.
        let number = unsafe memfd_create("test", UInt32(RT_MFD_CLOEXEC | RT_MFD_ALLOW_SEALING))
        let file = FileDescriptor(takingOwnership: number)
        #expect(ftruncate(file.number, 4096) == 0)
        #expect(rt_fcntl_int(file.number, Int32(RT_F_ADD_SEALS), Int32(RT_F_SEAL_GROW)) == 0)
        let output = LineOutput(sharing: file.number)
        let (text, ends) = Self.lines([10, 20, 30, 10])
        for (room, whole, isTorn) in [(35, 2, true), (30, 2, false), (5, 0, true), (60, 3, false)] {
            #expect(lseek(file.number, off_t(4096 - room), SEEK_SET) == off_t(4096 - room))
            #expect(output.write(text.span, ends: ends) == whole, "\(room)")
            // The next lines begin with a line feed only after a cut line.
            #expect(lseek(file.number, 0, SEEK_SET) == 0)
            #expect(output.write(text.span, ends: ends) == 4)
            #expect(lseek(file.number, 0, SEEK_SET) == 0)
            var block = [UInt8](repeating: 0, count: text.count + 1)
            #expect(try file.read(into: &block) == block.count)
            #expect(Array(block.prefix(text.count)) == (isTorn ? [0x0A] + text.dropLast() : text), "\(room)")
        }
    }
}

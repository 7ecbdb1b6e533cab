import Support
import System
import Testing

/// Runs a shell command with these descriptors, numbered from 3, and returns its standard output.
private func output(
    of command: String, environment: [String] = ["PATH=/usr/bin:/bin"], descriptors: [Int32] = [],
    expecting exit: ChildExit = .exited(0)
) throws -> String {
    let pipe = try FileDescriptor.pipe()
    var child = ChildProcess(
        executable: "/bin/sh", arguments: ["sh", "-c", command], environment: environment)
    child.descriptors = [(pipe.writing.number, 1)]
    for (index, number) in descriptors.enumerated() { child.descriptors.append((number, Int32(3 + index))) }
    let processID = try child.start()
    let reading = pipe.keepReading()
    let bytes = try reading.readAll(limitBytes: 1 << 20)
    #expect(Processes.wait(for: processID) == exit)
    return String(decoding: bytes, as: UTF8.self)
}

@Suite("A child process")
struct ChildProcessTests {
    @Test("has exactly the descriptors that it was given")
    func descriptors() throws {
        let first = try FileDescriptor.openForReading(path: "/dev/null")
        let second = try FileDescriptor.openForReading(path: "/dev/zero")
        let pipe = try FileDescriptor.pipe()
        var child = ChildProcess(
            executable: "/usr/bin/find",
            arguments: ["find", "/proc/self/fd", "-type", "l", "-printf", "%f %l\n"], environment: [])
        // In this order, a naive placement would overwrite one descriptor with the other.
        let high = max(first.number, second.number)
        let low = min(first.number, second.number)
        child.descriptors = [(pipe.writing.number, 1), (high, low), (low, high)]
        let processID = try child.start()
        let reading = pipe.keepReading()
        let text = String(decoding: try reading.readAll(limitBytes: 1 << 16), as: UTF8.self)
        #expect(Processes.wait(for: processID) == .exited(0))
        let lines = text.split(separator: "\n").map(String.init)
        let (atLow, atHigh) = high == second.number ? ("zero", "null") : ("null", "zero")
        #expect(lines.contains("0 /dev/null"))
        #expect(lines.contains("\(low) /dev/\(atLow)"))
        #expect(lines.contains("\(high) /dev/\(atHigh)"))
        // The other descriptors are 1, 2, and the directories that find itself opens.
        let others = lines.filter { !$0.contains(" /dev/") && !$0.hasPrefix("1 ") && !$0.hasPrefix("2 ") }
        #expect(
            !others.contains { $0.contains("socket:") || $0.contains("pipe:") || $0.contains("anon_inode") }
        )
    }

    @Test("can have many descriptors that take each other's numbers")
    func manyDescriptors() throws {
        var opened: [Int32] = []
        for _ in 0..<100 { opened.append(try FileDescriptor.openForReading(path: "/dev/null").release()) }
        let all = DescriptorList(takingOwnership: opened)
        let command =
            "n=0; for f in /proc/$$/fd/*; do [ $(readlink $f) = /dev/null ] && n=$((n+1)); done; echo $n"
        #expect(try output(of: command, descriptors: all.numbers.reversed()) == "101\n")
    }

    @Test("has exactly the environment that it was given")
    func environment() throws {
        #expect(
            try output(of: "/usr/bin/env | grep -v ^PWD | grep -v ^_", environment: ["A=1", "B=2"])
                == "A=1\nB=2\n"
        )
    }

    @Test("says how it ended", arguments: [("exit 3", ChildExit.exited(3)), ("kill -9 $$", .signalled(9))])
    func exit(command: String, expected: ChildExit) throws {
        _ = try output(of: command, expecting: expected)
    }

    @Test("starts with the requested signal mask", arguments: [false, true])
    func signalMask(isBlocked: Bool) throws {
        let pipe = try FileDescriptor.pipe()
        var child = ChildProcess(
            executable: "/bin/grep", arguments: ["grep", "SigBlk", "/proc/self/status"], environment: [])
        child.descriptors = [(pipe.writing.number, 1)]
        child.blocksSignals = isBlocked
        let processID = try child.start()
        let reading = pipe.keepReading()
        let text = String(decoding: try reading.readAll(limitBytes: 4096), as: UTF8.self)
        #expect(Processes.wait(for: processID) == .exited(0))
        let mask = try #require(text.split(separator: "\t").last?.dropLast())
        #expect((mask == "0000000000000000") == !isBlocked)
    }

    @Test("gives an error when it cannot be started")
    func missing() {
        let child = ChildProcess(executable: "/nowhere/at/all", arguments: ["x"], environment: [])
        let error = #expect(throws: SystemCallError.self) { try child.start() }
        #expect(error?.code == "system.enoent")
    }
}

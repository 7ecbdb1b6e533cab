/// A program that is run to its end, within a time and with a limited output. It reads nothing: its standard input is
/// `/dev/null`.
public struct Subprocess: Sendable {
    public struct Result: Sendable, Hashable {
        public let exit: ChildExit?
        public let output: [UInt8]
        public let errors: [UInt8]
        public let isTruncated: Bool
    }

    public var executable: String
    public var arguments: [String]
    public var environment: [String]
    public var timeoutMilliseconds: Int64 = 120_000
    public var outputByteCount = 1 << 20

    private static let graceMilliseconds: Int64 = 2000
    private static let tickMilliseconds: Int32 = 10

    public init(executable: String, arguments: [String], environment: [String]) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts the program and waits until it has ended, or until its time is over: then it and all processes that it has
    /// started get SIGTERM, and SIGKILL two seconds later. They have no process group of their own, in which ssh could not
    /// ask on the terminal for a password. A process that the program leaves behind may keep the outputs open, as ssh does
    /// for a shared connection, so the end of the program counts.
    public func run() throws(SystemCallError) -> Result {
        try StreamSocket.makePair().split { outputs, theirOutputs throws(SystemCallError) in
            try StreamSocket.makePair().split { errors, theirErrors throws(SystemCallError) in
                try theirOutputs.descriptor.setNonBlocking(false)
                try theirErrors.descriptor.setNonBlocking(false)
                var child = ChildProcess(
                    executable: executable, arguments: arguments, environment: environment)
                child.descriptors = [(theirOutputs.descriptor.number, 1), (theirErrors.descriptor.number, 2)]
                return wait(for: try child.start(), outputs, errors)
            }
        }
    }

    private func wait(
        for processID: Int32, _ outputs: borrowing StreamSocket, _ errors: borrowing StreamSocket
    ) -> Result {
        var output = Collected(limit: outputByteCount)
        var error = Collected(limit: outputByteCount)
        let end = Self.now + timeoutMilliseconds
        var exit: ChildExit?
        var signal: Signal?
        // What the program has started. It is known only while the program runs.
        var below: [Int32] = []
        while true {
            if exit == nil { exit = Processes.reap(processID) }
            output.read(outputs)
            error.read(errors)
            if exit != nil, signal == nil || signal == .kill || !below.contains(where: Processes.exists) {
                return Result(
                    exit: signal == nil ? exit : nil, output: output.bytes, errors: error.bytes,
                    isTruncated: output.isTruncated || error.isTruncated)
            }
            let now = Self.now
            let next: Signal? = now < end ? nil : now < end + Self.graceMilliseconds ? .terminate : .kill
            if let next, next != signal {
                signal = next
                if exit == nil { below += Processes.descendants(of: processID) }
                let running = exit == nil ? [processID] : []
                for number in below + running { try? Processes.send(next, to: number) }
            }
            _ = try? Readiness.wait(
                for: [outputs.descriptor.number, errors.descriptor.number],
                timeoutMilliseconds: Self.tickMilliseconds)
        }
    }

    private static var now: Int64 { Int64(Clock.monotonicNanoseconds() / 1_000_000) }

    private struct Collected {
        let limit: Int
        private(set) var bytes: [UInt8] = []
        private(set) var isTruncated = false
        private var block = [UInt8](repeating: 0, count: 65_536)

        init(limit: Int) { self.limit = limit }

        mutating func read(_ socket: borrowing StreamSocket) {
            while case .bytes(let count) = socket.receive(into: &block) {
                let kept = min(count, limit - bytes.count)
                bytes += block[..<kept]
                if kept < count { isTruncated = true }
            }
        }
    }
}

extension Subprocess {
    public static func path(of name: String, searchPath: String) -> String? {
        guard !name.isEmpty else { return nil }
        guard !name.contains("/") else { return name }
        // An empty entry means the current directory, from which nothing is run by accident.
        let candidates = searchPath.split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first { path in
            (try? FileStatus(path: path))?.kind == .regular && ChildProcess.isExecutable(path: path)
        }
    }
}

package import Configuration
internal import JSON
package import System

/// The request of `--reload`: asks the running supervisor to reload and waits for its verdict.
package struct ReloadRequest {
    package enum Outcome: Sendable, Hashable {
        case loaded(sequence: Int)
        case refused(sequence: Int, ServiceError)
        case noVerdict(String)
    }

    let configuration: Configuration
    private static let patienceMilliseconds: Int64 = 60_000
    private let processName: String
    private let role: String

    /// `configuration` says where the pid file and the verdict are. Nil for `processName` is the pool's supervisor.
    package init(_ configuration: Configuration, processName: String? = nil) {
        self.configuration = configuration
        self.processName = processName ?? Supervisor.processName
        role = processName ?? "supervisor"
    }

    package func send() throws(ServiceError) -> Outcome {
        let file = VerdictFile(configuration)
        let before = file.read()?.sequence
        let asked = Self.now
        guard let supervisor = try RunningSupervisor.find(configuration, processName: processName) else {
            return .noVerdict("no \(role) runs, see \(configuration.pidFile)")
        }
        let pidFile = configuration.pidFile
        try SystemCallError.needed(for: pidFile, try supervisor.send(.hangup))
        while Self.now - asked < Self.patienceMilliseconds {
            // Only a load that began after the signal has certainly seen the files that were pushed before.
            if let verdict = file.read(), verdict.sequence != before, verdict.startedMilliseconds >= asked {
                return verdict.refusal.map { .refused(sequence: verdict.sequence, $0) }
                    ?? .loaded(sequence: verdict.sequence)
            }
            guard supervisor.isAlive else { return .noVerdict("the \(role) is gone") }
            Clock.sleep(milliseconds: 5)
        }
        return .noVerdict("nothing in \(Self.patienceMilliseconds / 1000) s; the log says more")
    }

    private static var now: Int64 { Int64(Clock.monotonicNanoseconds() / 1_000_000) }
}

enum RunningSupervisor {
    /// Finds the process of the supervisor: its process name is the supervisor's, and its user is the owner of the pid file. So
    /// whoever can write the pid file cannot have a signal sent to a process of another user. Returns nil when there is no pid file,
    /// or no process with its number.
    static func find(_ configuration: Configuration, processName: String = Supervisor.processName)
        throws(ServiceError) -> ProcessHandle?
    {
        let path = configuration.pidFile
        let contents = try SystemCallError.mapped(
            to: { error -> ServiceError in
                guard error == .notProcessNumber else { return .unavailable(path, error) }
                return ServiceError(
                    code: "supervisor.pid-file-invalid", "\(path): not a process number; nothing was sent",
                    status: 74)
            },
            try PidFile.read(path: path)
        )
        guard let contents, let found = ProcessHandle(contents.processID) else { return nil }
        guard found.userID == contents.ownerID, found.name == processName else {
            // The process may have ended during these checks.
            guard found.isAlive else { return nil }
            throw ServiceError(
                code: "supervisor.pid-file-foreign",
                "\(path): process \(found.processID) is not the supervisor of this pool; nothing was sent",
                status: 74)
        }
        return found
    }
}

/// The answer of `--served`: which data files the running pool serves, and how its last load ended.
package enum ServedFiles {
    package enum Answer: Sendable {
        case document([UInt8])
        case unknown(String)
    }

    package static func answer(_ configuration: Configuration, withRules: Bool) throws(ServiceError) -> Answer
    {
        guard try RunningSupervisor.find(configuration) != nil else {
            return .unknown("no supervisor runs, see \(configuration.pidFile)")
        }
        let store = GenerationStore(configuration)
        guard let served = StoredGeneration(store.current, in: store) else {
            return .unknown("there is no generation to read in \(configuration.stateDirectory)")
        }
        // After a start no load of pushed files has ended yet: then the load that made the generation was the last one.
        let verdict = VerdictFile(configuration).read()
        let document = JSONNode.object([
            ("dataDirectory", .string(configuration.dataDirectory)),
            ("sequence", .integer(Int64(verdict?.sequence ?? served.manifest.sequence))),
            ("result", .string(verdict?.refusal == nil ? "loaded" : "refused")),
            ("code", verdict?.refusal.map { .string($0.code) } ?? .null),
            ("message", verdict?.refusal.map { .string($0.description) } ?? .null),
            ("files", .array(served.nodes(withRules: withRules))),
            (
                "signingApps",
                .array(configuration.apps.filter { $0.signingKey != nil }.map { .integer($0.appAppleId) })
            ),
        ])
        return .document(document.serialized() + [UInt8(ascii: "\n")])
    }
}

/// The verdict of the last load, as a file that is replaced atomically: `pidFile.reload.json`. It is not in
/// `stateDirectory`, whose disk may be what refuses a load.
package struct VerdictFile: Sendable {
    let path: String

    package init(_ configuration: Configuration) {
        path = "\(configuration.pidFile).reload.json"
    }

    package struct Content: Sendable {
        package let sequence: Int
        let startedMilliseconds: Int64
        let finishedAtMilliseconds: Int64
        let refusal: ServiceError?
    }

    /// Returns the content of the file; nil when there is no file, or none that a supervisor can have written.
    package func read() -> Content? {
        guard let file = try? FileDescriptor.openForReading(path: path),
            let bytes = try? file.readAll(limitBytes: 1 << 20),
            let document = try? JSONDocument(
                parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 20, depth: 8)),
            let sequence = document.root.member("sequence")?.int64,
            sequence > 0, sequence <= Int64(PoolLimits.sequenceLimit),
            let started = document.root.member("startedMonotonicMilliseconds")?.int64, started >= 0,
            let finishedAt = document.root.member("finishedAtMilliseconds")?.int64,
            let result = document.root.member("result")?.string
        else { return nil }
        var refusal: ServiceError?
        if result != "loaded" {
            refusal = ServiceError(
                code: document.root.member("code")?.string ?? "unknown",
                document.root.member("message")?.string ?? "")
        }
        return Content(
            sequence: Int(sequence), startedMilliseconds: started, finishedAtMilliseconds: finishedAt,
            refusal: refusal)
    }

    package func write(_ verdict: PoolVerdict, wallMilliseconds: Int64) throws(SystemCallError) {
        let node = JSONNode.object([
            ("sequence", .integer(Int64(verdict.sequence))),
            ("result", .string(verdict.refusal == nil ? "loaded" : "refused")),
            ("code", verdict.refusal.map { .string($0.code) } ?? .null),
            ("message", verdict.refusal.map { .string($0.description) } ?? .null),
            ("source", .string(verdict.source.rawValue)),
            ("startedMonotonicMilliseconds", .integer(verdict.startedMilliseconds)),
            ("finishedAtMilliseconds", .integer(wallMilliseconds)),
            ("serving", verdict.serving.map { .integer(Int64($0)) } ?? .null),
        ])
        try AtomicFile.write(node.serialized(pretty: true).span, to: path, permissions: 0o644)
    }

    func remove() { try? Directory.removeFile(path: path) }
}

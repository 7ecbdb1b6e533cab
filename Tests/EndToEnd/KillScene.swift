import Support
import System

/// The processes on the way of a notification, which a test kills and brings back.
struct KillScene {
    enum Target: Hashable {
        case recorder
        /// The master of nginx with all its workers.
        case nginx
        /// One of the workers of nginx. The master starts another.
        case nginxWorker
        /// The first process of PostgreSQL, which starts all others.
        case server
        /// The processes of the recorder's sessions. PostgreSQL then ends every session and recovers the database.
        case sessions
    }

    let tester: RecorderTester
    /// The server that has the store; nil when the store is a file.
    var server: PostgreSQLServer?

    /// Everything that can be killed here.
    var targets: [Target] {
        [.recorder, .nginx, .nginxWorker] + (server == nil ? [] : [.server, .sessions])
    }

    /// Returns the numbers of the processes to kill, in that order.
    func victims(_ target: Target, using generator: inout SeededGenerator) throws -> [Int32] {
        let victims: [Int32]
        switch target {
        case .recorder: victims = [try tester.recorder.processID]
        case .nginx: victims = [try tester.tester.nginx.processID] + (try workers)
        case .nginxWorker: victims = try workers.randomElement(using: &generator).map { [$0] } ?? []
        case .server: victims = [server?.processID ?? 0].filter { $0 > 0 }
        case .sessions: victims = try server?.sessions() ?? []
        }
        guard !victims.isEmpty else { throw Complaint("there is no process to kill") }
        return victims
    }

    /// Waits until the killed processes are gone, and starts what nobody else starts again.
    func restore(_ target: Target, _ victims: [Int32]) throws {
        switch target {
        case .recorder:
            _ = try tester.recorder.waitForExit()
            try tester.start()
        case .nginx:
            _ = try tester.tester.nginx.waitForExit()
            // A worker that lives holds the ports.
            guard Patience.wait(seconds: 30, { !victims.contains { ProcessTree.isAlive($0) } }) else {
                throw Complaint("a killed worker of nginx lives")
            }
            try tester.tester.startNginx()
        case .nginxWorker:
            let count = tester.tester.options.nginxWorkers
            let isComplete = Patience.wait(seconds: 30) {
                guard let workers = try? workers else { return false }
                return workers.count == count && Set(workers).isDisjoint(with: victims)
            }
            guard isComplete else { throw Complaint("nginx starts no other worker") }
        case .server:
            server?.stop(.kill)
            try server?.start()
        case .sessions: break
        }
    }

    /// The workers of nginx that run now.
    private var workers: [Int32] {
        get throws {
            ProcessTree.children(of: try tester.tester.nginx.processID).filter { ProcessTree.isAlive($0) }
        }
    }
}

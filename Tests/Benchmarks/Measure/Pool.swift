internal import JSON
internal import System

/// A running retentiond: the supervisor with its workers.
final class Pool {
    let socket: String
    private let program: Program
    private let workspace: Workspace
    private let name: String

    /// Writes the configuration, starts the daemon with the rules in `rules` and waits until it serves.
    init(
        _ plan: Plan, name: String = "pool", anchors: String, rules: [UInt8], core: Int? = nil,
        settings: [(String, JSONNode)] = []
    ) throws {
        self.name = name
        workspace = plan.workspace
        let folder = workspace.path(of: name)
        socket = folder + "/retentiond.sock"
        for part in ["", "/data", "/state"] { try workspace.makeFolder(name + part) }
        try workspace.write(rules, to: name + "/data/benchmark.rules.json")
        try workspace.write(
            JSONNode.object(
                Self.configuration(in: folder, anchors: anchors, group: plan.group) + settings
            ).serialized(pretty: true),
            to: "\(name).json"
        )
        program = try Program(
            name, plan.products + "/retentiond",
            ["--allow-root", "--config", workspace.path(of: "\(name).json")], in: workspace, core: core)
        let (socket, supervisor) = (socket, program.processID)
        try program.wait {
            (try? FileStatus(path: socket)) != nil
                && (try? Self.workers(of: supervisor).isEmpty) == false
        }
    }

    var supervisor: Int32 { program.processID }

    /// The worker processes, found by their own process name; another child may be a loader.
    func workers() throws -> [Int32] { try Self.workers(of: program.processID) }

    private static func workers(of supervisor: Int32) throws -> [Int32] {
        try ProcessTable.children(of: supervisor).filter {
            (try? Workspace.text(of: "/proc/\($0)/comm")) == "retentiond-work\n"
        }
    }

    /// Puts another rules file in place, as rsync does. The daemon does not load it before a HUP.
    func push(_ rules: [UInt8]) throws {
        try workspace.write(rules, to: name + "/data/benchmark.rules.json")
    }

    /// Waits until the workers with these process numbers are gone.
    func wait(untilGone processIDs: [Int32]) throws {
        try program.wait(seconds: 30) { processIDs.allSatisfy { !Processes.exists($0) } }
    }

    /// Replaces the workers with new ones: one process can be some percent slower than another for as long as it lives.
    func renewWorkers() throws {
        let old = try workers()
        try Processes.send(.hangup, to: supervisor)
        try wait(untilGone: old)
    }

    /// The last lines of the daemon's log.
    func logEnd() -> String { program.logEnd() }

    func stop() { program.stop() }

    /// Returns the members of the configuration. Settings that are not named here have their defaults. The greatest age of a payload
    /// is raised, because payloads are minutes old at the end of a run.
    static func configuration(in folder: String, anchors: String, group: String)
        -> [(String, JSONNode)]
    {
        [
            ("listen", .string("unix:\(folder)/retentiond.sock")),
            // nginx may run as any user.
            ("listenMode", .string("0666")),
            ("listenGroup", .string(group)),
            ("pidFile", .string("\(folder)/retentiond.pid")),
            ("dataDirectory", .string("\(folder)/data")),
            ("stateDirectory", .string("\(folder)/state")),
            ("anchors", .array([.string(anchors)])),
            (
                "apps",
                .array([
                    .object([
                        ("appAppleId", .integer(Traffic.appAppleId)), ("bundleId", .string(Traffic.bundleId)),
                        ("environments", .array([.string("Sandbox")])),
                    ])
                ])
            ),
            ("maxSignedAgeSeconds", .integer(3600)),
        ]
    }
}

internal import JSON
internal import System

/// A running recorder: `retentiond-recorder`, or the program that only verifies.
final class RecorderServer {
    /// The program that takes the notifications.
    enum Kind: String {
        case recorder = "retentiond-recorder"
        /// Its sink: it has no store, and acknowledges every verified notification.
        case sink
    }

    private let program: Program

    /// The socket of a recorder in the folder `name`. A later recorder of this name has the same socket.
    static func socket(of name: String, in workspace: Workspace) -> String {
        workspace.path(of: "\(name)/notifications.sock")
    }

    /// Starts a recorder and waits until it listens; ``waitUntilOpen(_:)`` waits for its store.
    ///
    /// - Parameters:
    ///   - kind: the program.
    ///   - plan: the paths of programs and folders.
    ///   - name: the name of the recorder's folder.
    ///   - anchors: the PEM file of the anchors.
    ///   - store: the address of the store.
    ///   - batchCount: the most notifications of one commit; nil for the default.
    ///   - environment: further entries of the environment.
    /// - Throws: the reason why the recorder did not start.
    init(
        _ kind: Kind, _ plan: Plan, name: String = "recorder", anchors: String, store: String,
        batchCount: Int64? = nil, environment: [String] = []
    ) throws {
        let workspace = plan.workspace
        let folder = workspace.path(of: name)
        if (try? FileStatus(path: folder)) == nil {
            for part in ["", "/data", "/state"] { try workspace.makeFolder(name + part) }
        }
        let socket = Self.socket(of: name, in: workspace)
        try Directory.removeFile(path: socket)
        var settings: [(String, JSONNode)] = [
            ("listen", .string("unix:\(socket)")), ("store", .string(store)),
            ("pidFile", .string("\(folder)/recorder.pid")),
        ]
        if let batchCount { settings.append(("batchCount", .integer(batchCount))) }
        let members = Pool.configuration(in: folder, anchors: anchors, group: plan.group)
        let configuration = JSONNode.object(members + [("notifications", .object(settings))])
        try workspace.write(configuration.serialized(pretty: true), to: "\(name).json")
        let path = workspace.path(of: "\(name).json")
        program = try Program(
            name, "\(plan.products)/\(kind.rawValue)",
            kind == .sink ? [path, socket] : ["--allow-root", "--config", path], in: workspace,
            environment: environment)
        try program.wait { (try? FileStatus(path: socket)) != nil }
    }

    /// Waits until nginx gets `pong` from the recorder.
    func waitUntilOpen(_ gateway: Gateway) throws {
        try program.wait { gateway.get("/notifications-ping") == "pong" }
    }

    /// The recorder's processor time in nanoseconds, of both threads.
    func processorNanoseconds() throws -> Double {
        try ProcessTable.processorNanoseconds(of: [program.processID])
    }

    /// The last lines of the recorder's log.
    func logEnd() -> String { program.logEnd() }

    func stop() { program.stop() }
}

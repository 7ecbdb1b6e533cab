internal import JSON
internal import System

/// A running `retentiond-recorder` behind nginx, with an empty store of SQLite.
final class Recorder {
    private let program: Program
    private let gateway: Gateway

    /// The socket of every recorder of the run, one after the other.
    static func socket(in workspace: Workspace) -> String {
        workspace.path(of: "recorder/notifications.sock")
    }

    /// Starts a recorder and waits until it takes notifications. `environment` has further entries of its environment.
    init(_ plan: Plan, _ gateway: Gateway, anchors: String, store: String, environment: [String] = []) throws
    {
        self.gateway = gateway
        let workspace = plan.workspace
        let folder = workspace.path(of: "recorder")
        if (try? FileStatus(path: folder)) == nil {
            for part in ["", "/data", "/state"] { try workspace.makeFolder("recorder" + part) }
        }
        let settings: [(String, JSONNode)] = [
            ("listen", .string("unix:" + Self.socket(in: workspace))), ("store", .string(store)),
            ("pidFile", .string("\(folder)/recorder.pid")),
        ]
        let members = Pool.configuration(in: folder, anchors: anchors, group: plan.group)
        let configuration = JSONNode.object(members + [("notifications", .object(settings))])
        try workspace.write(configuration.serialized(pretty: true), to: "recorder.json")
        program = try Program(
            "recorder", plan.products + "/retentiond-recorder",
            ["--allow-root", "--config", workspace.path(of: "recorder.json")], in: workspace,
            environment: environment)
        try program.wait { gateway.get("/notifications-ping") == "pong" }
    }

    /// The recorder's processor time in nanoseconds, of both threads.
    func processorNanoseconds() throws -> Double {
        try ProcessTable.processorNanoseconds(of: [program.processID])
    }

    /// What the recorder's metrics say: notifications that were stored, others, and the mean number in a commit.
    func metrics() throws -> (stored: Double, other: Double, batchSize: Double) {
        guard let text = gateway.get("/notifications-metrics") else { throw Failure("no metrics") }
        var (stored, other, sum, count) = (0.0, 0.0, 0.0, 0.0)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let value = Double(words[1]) else { continue }
            let name = words[0].dropFirst("retentiond_recorder_".count)
            if name.hasPrefix("notifications_total") {
                if name.hasSuffix(#"outcome="stored"}"#) { stored += value } else { other += value }
            }
            if name.hasPrefix("failed_parts_total") { other += value }
            if name == "batch_size_sum" { sum = value }
            if name == "batch_size_count" { count = value }
        }
        return (stored, other, sum / max(1, count))
    }

    func stop() { program.stop() }
}

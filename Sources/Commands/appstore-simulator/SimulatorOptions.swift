internal import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import HTTPClient
internal import JSON
internal import System

/// The options that say where a simulator runs.
struct SimulatorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The simulator in one environment: http://127.0.0.1:8444, or what nginx serves.", valueName: "url"
        )
    )
    var url: String

    @Option(
        help: ArgumentHelp(
            "The authorities the server's certificate may come from, in PEM.", valueName: "file"),
        completion: .file(extensions: ["pem"])
    )
    var cacert: String?

    @Option(help: ArgumentHelp("The app; needed when the simulator has several.", valueName: "id"))
    var bundleId: String?

    /// Sends members to one of the paths of the simulator's user, and returns the answer with its text.
    ///
    /// - Throws: the failure that the answer means, also one without `member`.
    func post(_ name: String, _ members: [(String, JSONNode)], for member: String) throws -> (
        root: JSONValue, text: [UInt8]
    ) {
        var members = members
        if let bundleId { members.append(("bundleId", .string(bundleId))) }
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = cacert
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        let response = try HTTPClient(configuration: configuration).perform(
            .postJSON(
                JSONNode.object(members).serialized(),
                to: base + AppStoreSimulator.administrationPrefix + name)
        )
        let limits = JSONLimits(byteCount: HTTPClientLimits.responseByteCount, depth: 8)
        let root = try? JSONDocument(parsing: response.body.span, limits: limits).root
        guard response.status == 200, let root, root.member(named: member) != nil else {
            throw Self.failure(root, status: response.status)
        }
        return (root, response.body)
    }

    /// Returns the failure that an answer means.
    private static func failure(_ root: JSONValue?, status: Int) -> ToolError {
        guard status < 500, let message = root?.member("message")?.string else {
            return ToolError(
                .unreachable, code: "simulator.unreachable", "no simulator answers there (status \(status))")
        }
        return status == 400
            ? ToolError(code: "simulator.malformed", message)
            : ToolError(.no, code: "simulator.refused", message)
    }
}

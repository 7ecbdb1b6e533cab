internal import AppStoreSimulator
internal import ArgumentParser
internal import HTTPClient
internal import JSON

/// The options that say where a simulator runs.
struct SimulatorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The simulator in one environment, as nginx serves it: https://localhost:8444.", valueName: "url")
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

    /// Sends members to one of the paths of the simulator's user.
    ///
    /// - Throws: the failure that the simulator's word for it means.
    func post(_ name: String, _ members: [(String, JSONNode)]) throws -> HTTPResponse {
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
        guard response.status == 200 else { throw Self.failure(response) }
        return response
    }

    /// Returns the failure that an answer means.
    static func failure(_ response: HTTPResponse) -> ToolFailure {
        let limits = JSONLimits(byteCount: HTTPClientLimits.responseByteCount, depth: 8)
        let root = try? JSONDocument(parsing: response.body.span, limits: limits).root
        switch root?.member("error")?.string {
        case "unknown-identifier":
            let list = (root?.member("identifiers")?.elements ?? []).compactMap(\.string)
            return ToolFailure(
                .no, code: "simulator.unknown-identifier",
                "the simulator has no message or image \(list.joined(separator: ", "))")
        case "unknown-app":
            return ToolFailure(
                .no, code: "simulator.unknown-app",
                "the simulator has no such app, or several; --bundle-id names it")
        case "unknown-host":
            return ToolFailure(
                .no, code: "simulator.unknown-host",
                "the URL is not on this machine; --allow-host of `appstore serve` can name its host")
        case "no-authority":
            return ToolFailure(
                .no, code: "simulator.no-authority",
                "the simulator has nothing to sign with; start it with --authority")
        case "no-notification-url":
            return ToolFailure(
                .no, code: "simulator.no-notification-url",
                "no URL for notifications is set; `appstore notify url` sets it")
        case "malformed", "unknown-event":
            return ToolFailure(.badData, code: "simulator.malformed", "the simulator does not take this")
        case let name:
            return PurchaseFailure.failure(name ?? "", reason: root?.member("reason")?.string)
                ?? ToolFailure(
                    .unreachable, code: "simulator.no-simulator",
                    "no simulator answers there (status \(response.status))")
        }
    }
}

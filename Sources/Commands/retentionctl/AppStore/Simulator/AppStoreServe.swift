internal import AppStoreSimulator
internal import AppStoreTraffic
internal import ArgumentParser
internal import Configuration
internal import System

/// Plays Apple's side of the Retention Messaging API and of App Store Server Notifications behind nginx.
struct AppStoreServe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answers the Retention Messaging API, and sends notifications, as Apple's server does.",
        discussion: """
            A FastCGI program behind nginx (nginx/appstore-simulator.conf), which has one server block for each \
            environment. It checks tokens as Apple says, has Apple's limits, states, rates and error codes, approves at \
            once in Sandbox, and waits for `appstore review` in Production. A performance test calls the URL that is set \
            in Sandbox, on this machine alone unless --allow-host names another host.

            It also sends App Store Server Notifications for the events of `appstore notify` and for what the customers of \
            `appstore subscriber` do. In Production it sends them again after 1, 12, 24, 48 and 72 hours when the receiver \
            fails. It answers Get Notification History, test notifications, subscription statuses, transaction history and \
            transaction info. With --speed, these hours pass faster too. Notifications need --authority, whose leaf signs them.

            A slow answer, a slow receiver or a performance test holds up no other request. The state is kept in memory, with \
            --state also in a file, which is written at most once a second and at the end. The calls of the last hour are \
            forgotten at the end.

            Faults of --fault: internal-error, retryable-error (500), rate-limit (429), lost-request (the connection is \
            closed), all four before the work is done; late-error (500), lost-answer (the connection is closed), \
            truncated-body, slow-answer, all four after it.

            Example:
              retentionctl appstore serve \\
                --listen unix:/run/appstore/simulator.sock \\
                --issuer-id 57246542-96fe-1a63-e053-0824d011072a \\
                --key 2X9R4HXF34=./SubscriptionKey_2X9R4HXF34.p8 \\
                --app com.example.app=6745974591 \\
                --authority ./authority --fault lost-answer=10:uploadMessage
            """
    )

    @Option(
        help: ArgumentHelp(
            "Where FastCGI requests are accepted: unix:/path, or a numeric loopback address and port.",
            valueName: "address")
    )
    var listen: String

    @Option(
        help: ArgumentHelp("The group that may connect to the unix socket, nginx's group.", valueName: "name")
    )
    var listenGroup: String?

    @OptionGroup var team: SimulatedTeamOptions
    @OptionGroup var endpoint: SimulatedEndpointOptions
    @OptionGroup var numbers: PerformanceTestOptions

    @Option(
        help: ArgumentHelp(
            "A fault in this percentage of answers, of all operations or of one. May be repeated.",
            valueName: "kind=percent[:operation]")
    )
    var fault: [FaultArgument] = []

    @Option(
        help: ArgumentHelp(
            "How much later a slow answer comes, and how far the time of a rate-limit fault lies ahead.",
            valueName: "number")
    )
    var faultMilliseconds: Int64 = 2000

    @Option(help: ArgumentHelp("Draw the faults from this seed, the same each time.", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "How many times faster the hours of the rates and between attempts pass, 1 to 100000.",
            valueName: "number")
    )
    var speed: Int64 = 1

    @Option(
        help: ArgumentHelp("Keep the state in this file, and go on with it.", valueName: "file"),
        completion: .file()
    )
    var state: String?

    @Flag(help: "Print a line for each request to standard error, without its token.")
    var log = false

    func validate() throws {
        guard let address = ListenAddress(listen), address != .systemd, address.isLocal else {
            throw ValidationError("--listen must be unix:/path or a numeric loopback address with a port.")
        }
        guard (1...SimulatorLimits.speed).contains(speed) else {
            throw ValidationError("--speed must be 1 to \(SimulatorLimits.speed).")
        }
        guard (1...60_000).contains(faultMilliseconds) else {
            throw ValidationError("--fault-milliseconds must be 1 to 60000.")
        }
    }

    func run() throws {
        try numbers.configuration.check()
        var configuration = SimulatorConfiguration(keys: try team.keys(), apps: team.apps)
        configuration.transactions = team.transactions
        configuration.refusals = team.refusals
        configuration.subscriptions = team.subscriptions
        configuration.signer = try endpoint.signer()
        configuration.allowedHosts = endpoint.allowHost
        configuration.performanceTest = numbers.configuration
        configuration.speed = speed
        configuration.faults = fault.map { argument in
            var fault = argument.fault
            fault.milliseconds = faultMilliseconds
            return fault
        }
        let file = state.map { SimulatorStateFile(path: $0) }
        let kept = try file?.read() ?? SimulatorState()
        // A file that cannot be written is found now, not after the first upload.
        try file?.write(kept)
        let simulator = AppStoreSimulator(configuration: configuration, state: kept)
        let service = SimulatorService(simulator, random: SimulatorRandomness(seed: seed), file: file)
        service.tests = endpoint.tests(configuration: numbers.configuration)
        service.sender = try NotificationSender(authoritiesFile: endpoint.authoritiesFile)
        service.printsRequests = log
        try service.run(listener: listener(), saying: "ready: \(listen)")
    }

    private func listener() throws -> ListeningSocket {
        switch ListenAddress(listen) {
        case .unix(let path):
            var group: UInt32?
            if let listenGroup {
                group = Accounts.groupID(named: listenGroup)
                guard group != nil else {
                    throw ToolFailure(.configuration, code: "simulator.no-group", "no group \(listenGroup)")
                }
            }
            let access = ListeningSocket.Access(mode: group == nil ? 0o600 : 0o660, groupID: group)
            return try ListeningSocket(unixPath: path, access: access, backlog: 511)
        case .internet(let host, let port): return try ListeningSocket(host: host, port: port, backlog: 511)
        default: throw ValidationError("--listen is not an address.")
        }
    }
}

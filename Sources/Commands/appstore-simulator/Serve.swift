internal import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import System

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answers the Retention Messaging API, and sends notifications, as Apple's server does.",
        discussion: """
            It checks tokens as Apple says, has Apple's limits, states, rates and error codes, approves at once in Sandbox, and \
            waits for `review` in Production. A performance test calls the URL that is set in Sandbox, on this machine alone \
            unless --allow-host names another host.

            It also sends App Store Server Notifications for `notify` and for what the customers of `subscriber` do, in \
            Production again after 1, 12, 24, 48 and 72 hours when the receiver fails; with --speed, these hours pass faster. \
            Notifications need --authority, whose leaf signs them.

            With --http it answers plain HTTP/1.1. With --listen it is a FastCGI program behind nginx \
            (nginx/appstore-simulator.conf), which has one server block for each environment. A line on standard error says \
            which call and which notification was refused. --state keeps the state in a file, written at most once a second.

            Faults of --fault: internal-error, retryable-error (500), rate-limit (429), lost-request (the connection is \
            closed), all four before the work is done; late-error (500), lost-answer (the connection is closed), \
            truncated-body, slow-answer, all four after it.

            Example:
              appstore-simulator serve --http 127.0.0.1:8444 \\
                --issuer-id 57246542-96fe-1a63-e053-0824d011072a \\
                --key 2X9R4HXF34=./SubscriptionKey_2X9R4HXF34.p8 \\
                --app com.example.app=6745974591 \\
                --authority ./authority --fault lost-answer=10:uploadMessage
            """
    )

    @Option(help: "Where FastCGI is accepted: unix:/path, or a numeric loopback address and port.")
    var listen: String?

    @Option(help: "Plain HTTP for Production at a numeric loopback address and port; Sandbox at the next.")
    var http: String?

    @Option(help: "The group that may connect to the unix socket, nginx's group.")
    var listenGroup: String?

    @OptionGroup var team: TeamOptions
    @OptionGroup var endpoint: EndpointOptions
    @OptionGroup var numbers: PerformanceTestOptions

    @Option(
        help: ArgumentHelp(
            "A fault in this percentage of answers, of all operations or of one. May be repeated.",
            valueName: "kind=percent[:operation]"))
    var fault: [SimulatorFault] = []

    @Option(help: "The delay of a slow answer, and of the time of a rate-limit fault.")
    var faultMilliseconds: Int64 = 2000

    @Option(help: "How many times faster the hours of the rates and between attempts pass, 1 to 100000.")
    var speed: Int64 = 1

    @Option(help: "Keep the state in this file, and go on with it.", completion: .file())
    var state: String?

    @Flag(help: "Print a line for each request to standard error, also for one that is not refused.")
    var log = false

    func validate() throws {
        guard (listen == nil) != (http == nil) else {
            throw ValidationError("Give either --listen or --http.")
        }
        if let listen {
            guard let address = ListenAddress(listen), address != .systemd, address.isLocal else {
                throw ValidationError(
                    "--listen must be unix:/path or a numeric loopback address with a port.")
            }
        }
        if let http {
            guard let address = ListenAddress(http), case .internet(_, let port) = address, address.isLocal,
                port < UInt16.max
            else { throw ValidationError("--http must be a numeric loopback address with a port.") }
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
        configuration.faults = fault.map { fault in
            var fault = fault
            fault.milliseconds = faultMilliseconds
            return fault
        }
        let file = state.map { SimulatorStateFile(path: $0) }
        let kept = try file?.read() ?? SimulatorState()
        // A file that cannot be written is found now, not after the first upload.
        try file?.write(kept)
        let service = SimulatorService(
            AppStoreSimulator(configuration: configuration, state: kept),
            file: file, tests: try endpoint.tests(numbers.configuration),
            sender: try NotificationSender(authoritiesFile: endpoint.authoritiesFile), printsAll: log)
        if let http, case .internet(let host, let port)? = ListenAddress(http) {
            let source = try HTTPSource(host: host, port: port)
            let sandbox = ListenAddress.internet(host: host, port: port + 1)
            try service.run(source, saying: "ready: http://\(http) (Production), http://\(sandbox) (Sandbox)")
        } else if let listen, let address = ListenAddress(listen) {
            try service.run(try FastCGISource(listener(address)), saying: "ready: \(listen)")
        }
    }

    private func listener(_ address: ListenAddress) throws -> ListeningSocket {
        switch address {
        case .internet(let host, let port): return try ListeningSocket(host: host, port: port, backlog: 511)
        case .unix(let path):
            let group = listenGroup.flatMap { Accounts.groupID(named: $0) }
            if let listenGroup, group == nil {
                throw ToolError(code: "simulator.no-group", "no group \(listenGroup)")
            }
            let access = ListeningSocket.Access(mode: group == nil ? 0o600 : 0o660, groupID: group)
            return try ListeningSocket(unixPath: path, access: access, backlog: 511)
        case .systemd: throw ValidationError("--listen is not an address.")
        }
    }
}

struct EndpointOptions: ParsableArguments {
    @Option(help: "The directory made by `init`, which signs what is sent.", completion: .directory)
    var authority: String?

    @Option(help: "The authorities of called servers, in PEM; else that of --authority.", completion: .pem)
    var cacert: String?

    @Option(help: "Another host than this machine that may be called. May be repeated.")
    var allowHost: [String] = []

    @Option(help: "productId of the requests of performance tests.")
    var product = "com.example.product"

    @Option(help: "userLocale of the requests of performance tests.")
    var locale = "en-US"

    func signer() throws -> SignedRequestBuilder? {
        guard let authority else { return nil }
        return try TestAuthority(directory: authority).requestBuilder
    }

    var authoritiesFile: String? {
        cacert ?? authority.map { TestAuthority.path(.serverAuthority, $0) }
    }

    func tests(_ numbers: PerformanceTestConfiguration) throws -> PerformanceTestThreads {
        PerformanceTestThreads(
            .init(
                configuration: numbers, signer: try signer(), authoritiesFile: authoritiesFile,
                allowedHosts: allowHost, productId: product, userLocale: locale))
    }
}

struct SimulatorStateFile {
    let path: String

    func read() throws -> SimulatorState {
        guard (try? FileStatus(path: path)) != nil else { return SimulatorState() }
        let text = try Input.read(path, limitBytes: SimulatorLimits.stateByteCount)
        return try ToolError.about(path) { try SimulatorState(json: text) }
    }

    func write(_ state: SimulatorState) throws {
        try ToolError.about(path) {
            try AtomicFile.write(state.json.span, to: path, permissions: 0o600)
        }
    }
}

internal import Configuration
internal import Cryptography
internal import FastCGI
internal import JSON
internal import Logging
internal import Pool
internal import System

enum Daemon {
    static let version = ProductVersion.text

    private static var build: String {
        """
        retentiond/\(version)
        compiler: \(BuildTools.compiler)
        openssl: \(CryptographyLibrary.version)
        jansson: \(JSONLibrary.version)
        libfcgi: \(FastCGILibrary.version)
        configuration: \(Arguments.defaultConfigurationPath)

        """
    }

    static func main() -> Never {
        // Holds signals before anything else, so that a signal in the first milliseconds neither ends a start nor is
        // lost.
        let signals = BlockedSignals()
        let words: [String]
        do throws(SystemCallError) {
            try StandardDescriptors.occupy(output: .discards)
            words = try ProcessArguments.read()
        } catch {
            Output.error("retentiond: \(error) (\(error.code))\n")
            Processes.exit(71)
        }
        let arguments: Arguments
        do throws(Arguments.Problem) {
            arguments = try Arguments(Array(words.dropFirst()))
        } catch {
            Output.error("retentiond: \(error.message)\n\n\(Arguments.usage)")
            Processes.exit(64)
        }
        // A supervisor and a worker read the held signals as soon as they can. A signal ends every other command.
        if ![.serve, .worker].contains(arguments.mode) { signals.release() }
        Processes.exit(run(arguments))
    }

    private static func run(_ arguments: Arguments) -> Int32 {
        switch arguments.mode {
        case .help:
            Output.standard(Arguments.usage)
            return 0
        case .version:
            Output.standard("retentiond/\(version)\n")
            return 0
        case .versionAndBuild:
            Output.standard(build)
            return 0
        case .test: return CheckCommand.run(arguments)
        case .printConfiguration: return CheckCommand.printConfiguration(arguments)
        case .reload: return reload(arguments)
        case .served(let withRules): return served(arguments, withRules: withRules)
        case .load: return LoaderProcess.run(arguments)
        case .worker: return WorkerProcess.run(arguments)
        case .cgi: return CGIProcess.run(arguments)
        case .serve:
            if case .standardInput = ListeningSocket.inheritance() {
                return WorkerProcess.runStandalone(arguments)
            }
            return supervise(arguments)
        }
    }

    private static func supervise(_ arguments: Arguments) -> Int32 {
        Processes.setName(Supervisor.processName)
        let setup = Supervisor.Setup(
            configurationPath: arguments.configurationPath,
            allowsRoot: arguments.allowsRoot,
            version: version,
            counterCodes: RequestObserver.codes,
            errorLog: Output.errorLog,
            makeLogger: { Output.logger(component: "supervisor", level: $0, format: $1) }
        )
        do throws(SupervisorError) {
            return try Supervisor.run(setup)
        } catch {
            let logger = Output.logger(component: "supervisor", level: .info, format: .logfmt)
            logger.error("start refused", metadata: ["code": "\(error.code)", "reason": "\(error)"])
            // Whoever starts the pool reads standard error.
            if Output.errorLog.path != nil { Output.error(error, code: error.code, after: "start refused: ") }
            return error.exitStatus
        }
    }

    private static func reload(_ arguments: Arguments) -> Int32 {
        do throws(SupervisorError) {
            let outcome = try ReloadRequest(configurationPath: arguments.configurationPath).send()
            switch outcome {
            case .loaded(let sequence):
                Output.standard("retentiond: reload \(sequence) loaded\n")
                return 0
            case .refused(let sequence, let refusal):
                Output.error(refusal.message, code: refusal.code, after: "reload \(sequence) refused: ")
                return 1
            case .noVerdict(let reason):
                Output.error("retentiond: no verdict: \(reason)\n")
                return 2
            }
        } catch {
            // The supervisor would refuse a wrong configuration too, so that error is a refusal. Any other error kept
            // this process from asking, so there is no verdict: it may not read the configuration or the pid file, or
            // may not signal.
            let isRefused =
                switch error {
                case .configuration(.configurationUnreadable): false
                case .configuration: true
                default: false
                }
            let what = isRefused ? "reload refused" : "no verdict"
            Output.error(error, code: error.code, after: "\(what): ")
            return isRefused ? 1 : 2
        }
    }

    /// Prints what the running pool serves. Every failure ends with 2, because then it is not known what is served.
    private static func served(_ arguments: Arguments, withRules: Bool) -> Int32 {
        do throws(SupervisorError) {
            let request = try ServedFilesRequest(configurationPath: arguments.configurationPath)
            switch try request.answer(withRules: withRules) {
            case .document(let text):
                Output.standard(String(decoding: text, as: UTF8.self))
                return 0
            case .unknown(let reason): Output.error("retentiond: not known what is served: \(reason)\n")
            }
        } catch {
            Output.error(error, code: error.code, after: "not known what is served: ")
        }
        return 2
    }
}

/// `--load`: a short-lived child of a supervisor.
enum LoaderProcess {
    static func run(_ arguments: Arguments) -> Int32 {
        Processes.setName(Supervisor.loaderName)
        // The kernel ends this process when the supervisor is gone, and at the latest after a minute of processor time.
        try? Processes.setParentDeathSignal(.kill)
        try? ResourceLimits.set(.processorSeconds, to: LoaderLimits.processorSeconds)
        try? ResourceLimits.set(.core, to: 0)
        return Loader(
            configurationPath: arguments.configurationPath, sequence: arguments.sequence,
            source: arguments.source
        ).run(serving: arguments.serving)
    }
}

struct Arguments: Sendable, Hashable {
    enum Mode: Sendable, Hashable {
        /// The pool's supervisor, or one worker when the spawner placed a FastCGI socket at descriptor 0.
        case serve
        case test
        case printConfiguration
        case reload
        case served(withRules: Bool)
        case version
        case versionAndBuild
        case help
        case cgi
        case load
        case worker
    }

    struct Problem: Error, Sendable, Hashable {
        let message: String
    }

    static let defaultConfigurationPath = "/etc/retentiond/retentiond.json"

    var mode = Mode.serve
    var configurationPath = Self.defaultConfigurationPath
    /// True when this process may be root, although it parses bytes from outside.
    var allowsRoot = false
    /// `--load`: the number of the load.
    var sequence = 0
    /// `--load`: where the loader takes the data files from.
    var source = LoadSource.pushed
    /// `--load`: the number of the generation that serves.
    var serving: Int?
    /// `--worker`: the directory of the generation that the worker is to serve; empty for the current one as it stands.
    var generation = ""
    /// `--worker`: the worker's row in the shared counters.
    var slot: Int?

    init(_ words: [String]) throws(Problem) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--config", "-c": configurationPath = try Self.value(of: word, from: &rest)
            case "-t": try choose(.test, word)
            case "-T": try choose(.printConfiguration, word)
            case "--reload": try choose(.reload, word)
            case "--served": try choose(.served(withRules: false), word)
            case "--served-rules": try choose(.served(withRules: true), word)
            case "-v", "--version": try choose(.version, word)
            case "-V": try choose(.versionAndBuild, word)
            case "-h", "-?", "--help": try choose(.help, word)
            case "--cgi": try choose(.cgi, word)
            case "--load": try choose(.load, word)
            case "--worker": try choose(.worker, word)
            case "--allow-root": allowsRoot = true
            case "--source":
                let text = try Self.value(of: word, from: &rest)
                guard let chosen = LoadSource(rawValue: text) else {
                    throw Problem(message: "\(word): \(text) is no source")
                }
                source = chosen
            case "--serving": serving = try Self.number(word, from: &rest)
            case "--generation": generation = try Self.value(of: word, from: &rest)
            case "--sequence": sequence = try Self.number(word, from: &rest)
            case "--slot": slot = try Self.number(word, from: &rest)
            default: throw Problem(message: "unknown argument: \(word)")
            }
        }
    }

    private mutating func choose(_ chosen: Mode, _ word: String) throws(Problem) {
        guard mode == .serve else {
            throw Problem(message: "\(word) cannot be combined with another command, such as -t")
        }
        mode = chosen
    }

    private static func value(of word: String, from rest: inout ArraySlice<String>) throws(Problem) -> String
    {
        guard let value = rest.popFirst(), !value.isEmpty else {
            throw Problem(message: "\(word) needs a value")
        }
        return value
    }

    private static func number(_ word: String, from rest: inout ArraySlice<String>) throws(Problem) -> Int {
        let text = try value(of: word, from: &rest)
        guard let number = Int(text), number >= 0 else {
            throw Problem(message: "\(word): \(text) is not a number")
        }
        return number
    }

    static let usage = """
        usage: retentiond [--config FILE]            run the pool in the foreground
               retentiond [--config FILE] -t         check everything that a start opens
               retentiond [--config FILE] -T         print the effective configuration
               retentiond [--config FILE] --reload   reload the running pool; exit status: 0 loaded, 1 refused,
                                                     2 no verdict
               retentiond [--config FILE] --served   print which data files the running pool serves, as JSON
               retentiond [--config FILE] --served-rules
                                                     the same, with the bytes of the rules files
               retentiond [--config FILE] --cgi      answer one request as CGI/1.1 (RETENTION_ENDPOINT=retention-message)
               retentiond -v | -V                    print the version, and how it was built

        The default FILE is \(defaultConfigurationPath). With a FastCGI socket as descriptor 0,
        retentiond serves as a single worker. The pool runs as whoever starts it. Root is refused
        without --allow-root, also with -t.
        Signals: HUP reloads, QUIT finishes the open requests and stops, TERM and INT do so within
        drainMilliseconds, USR1 reopens the log files.

        """
}

enum Output {
    static func standard(_ text: String) { write(text, to: 1) }

    static func error(_ text: String) { write(text, to: 2) }

    static func error(_ message: some CustomStringConvertible, code: String, after words: String = "") {
        var lines = message.description.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init
        )
        if !lines.isEmpty { lines[0] = "\(words)\(lines[0]) (\(code))" }
        error(lines.map { "retentiond: \($0)\n" }.joined())
    }

    /// The place to which all loggers of this process write: standard error, until the configuration is read.
    static let errorLog = ErrorLog()

    static func logger(component: String, level: LogLevel, format: LogFormat, counters: SharedCounters? = nil)
        -> Logger
    {
        let handler = LineLogHandler(
            component: component, processNumber: Processes.current,
            level: Logger.Level(rawValue: level.rawValue) ?? .info, format: format == .json ? .json : .logfmt,
            errorLog: errorLog, counters: counters)
        return Logger(label: component) { _ in handler }
    }

    private static func write(_ text: String, to number: Int32) {
        guard let descriptor = try? FileDescriptor.duplicate(of: number) else { return }
        // Escaped, so that names and paths from a configuration cannot reach a terminal as commands.
        let shown = DisplayText.escaped(text, keepsLines: true)
        try? descriptor.write(shown.utf8Span.span)
    }
}

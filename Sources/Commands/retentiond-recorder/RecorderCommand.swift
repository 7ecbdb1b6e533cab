internal import Configuration
internal import Cryptography
internal import FastCGI
internal import JSON
internal import Logging
internal import Pool
internal import Recorder
internal import System

enum RecorderCommand {
    private static let name = "retentiond-recorder"
    /// The place to which all loggers of this process write: standard error, until the configuration is read.
    private static let errorLog = ErrorLog()

    private static var build: String {
        """
        \(name)/\(ProductVersion.text)
        compiler: \(BuildTools.compiler)
        openssl: \(CryptographyLibrary.version)
        jansson: \(JSONLibrary.version)
        libfcgi: \(FastCGILibrary.version)
        \(RecorderStart.libraries)configuration: \(RecorderArguments.defaultConfigurationPath)

        """
    }

    static func main() -> Never {
        // Holds signals before anything else, so that a signal in the first milliseconds neither ends a start nor is lost.
        let signals = BlockedSignals()
        let words: [String]
        do throws(SystemCallError) {
            try StandardDescriptors.occupy(output: .discards)
            words = try ProcessArguments.read()
        } catch {
            complain("\(error) (\(error.code))")
            Processes.exit(71)
        }
        let arguments: RecorderArguments
        do throws(RecorderArguments.Problem) {
            arguments = try RecorderArguments(Array(words.dropFirst()))
        } catch {
            write("\(name): \(error.message)\n\n\(RecorderArguments.usage)", to: 2)
            Processes.exit(64)
        }
        // Only a recorder that serves reads the held signals. A signal ends every other command.
        if arguments.mode != .serve { signals.release() }
        do {
            Processes.exit(try run(arguments))
        } catch {
            let error = RecorderError(error)
            complain("\(error) (\(error.code))")
            Processes.exit(error.status)
        }
    }

    private static func run(_ arguments: RecorderArguments) throws -> Int32 {
        let path = arguments.configurationPath
        switch arguments.mode {
        case .help: write(RecorderArguments.usage, to: 1)
        case .version: write("\(name)/\(ProductVersion.text)\n", to: 1)
        case .versionAndBuild: write(build, to: 1)
        case .test: return test(arguments)
        case .printConfiguration:
            let configuration = try RecorderConfiguration(path: path).trust.configuration
            write(String(decoding: configuration.effectiveJSON(hidingSecrets: true), as: UTF8.self), to: 1)
        case .reload: return reload(path)
        case .serve:
            return serve(arguments)
        }
        return 0
    }

    private static func serve(_ arguments: RecorderArguments) -> Int32 {
        do {
            return try RecorderStart.serve(
                path: arguments.configurationPath, allowsRoot: arguments.allowsRoot, errorLog: errorLog,
                makeLogger: logger)
        } catch {
            let error = RecorderError(error)
            let metadata: Logger.Metadata = ["code": "\(error.code)", "reason": "\(error)"]
            logger(.info, .logfmt).error("start refused", metadata: metadata)
            // Whoever starts the recorder reads standard error.
            if errorLog.path != nil { complain("start refused: \(error) (\(error.code))") }
            return error.status
        }
    }

    private static func test(_ arguments: RecorderArguments) -> Int32 {
        let path = arguments.configurationPath
        do {
            let warnings = try RecorderStart.check(path: path, allowsRoot: arguments.allowsRoot)
            for warning in warnings { complain("warning: \(warning)") }
            complain("configuration file \(path) test is successful")
            return 0
        } catch {
            let error = RecorderError(error)
            complain("\(error) (\(error.code))")
            complain("configuration file \(path) test failed")
            return error.status
        }
    }

    private static func reload(_ path: String) -> Int32 {
        do {
            switch try RecorderStart.reload(path: path) {
            case .loaded(let sequence):
                write("\(name): reload \(sequence) loaded\n", to: 1)
                return 0
            case .refused(let sequence, let refusal):
                complain("reload \(sequence) refused: \(refusal.message) (\(refusal.code))")
                return 1
            case .noVerdict(let reason): complain("no verdict: \(reason)")
            }
        } catch {
            let error = RecorderError(error)
            complain("no verdict: \(error) (\(error.code))")
        }
        return 2
    }

    private static func logger(_ level: LogLevel, _ format: LogFormat) -> Logger {
        let handler = LineLogHandler(
            component: "recorder", processNumber: Processes.current,
            level: Logger.Level(rawValue: level.rawValue) ?? .info, format: format == .json ? .json : .logfmt,
            errorLog: errorLog)
        return Logger(label: "recorder") { _ in handler }
    }

    private static func complain(_ text: String) { write("\(name): \(text)\n", to: 2) }

    private static func write(_ text: String, to number: Int32) {
        guard let descriptor = try? FileDescriptor.duplicate(of: number) else { return }
        // Escaped, so that names and paths from a configuration cannot reach a terminal as commands.
        let shown = DisplayText.escaped(text, keepsLines: true)
        try? descriptor.write(shown.utf8Span.span)
    }
}

struct RecorderArguments: Sendable, Hashable {
    enum Mode: Sendable, Hashable {
        case serve, test, printConfiguration, reload, version, versionAndBuild, help
    }

    struct Problem: Error, Sendable, Hashable {
        let message: String
    }

    static let defaultConfigurationPath = "/etc/retentiond/retentiond.json"

    var mode = Mode.serve
    var configurationPath = Self.defaultConfigurationPath
    /// True when this process may be root, although it parses bytes from outside.
    var allowsRoot = false

    init(_ words: [String]) throws(Problem) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--config", "-c":
                guard let value = rest.popFirst(), !value.isEmpty else {
                    throw Problem(message: "\(word) needs a value")
                }
                configurationPath = value
            case "-t": try choose(.test, word)
            case "-T": try choose(.printConfiguration, word)
            case "--reload": try choose(.reload, word)
            case "-v", "--version": try choose(.version, word)
            case "-V": try choose(.versionAndBuild, word)
            case "-h", "-?", "--help": try choose(.help, word)
            case "--allow-root": allowsRoot = true
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

    static let usage = """
        usage: retentiond-recorder [--config FILE]            take notifications in the foreground
               retentiond-recorder [--config FILE] -t         check what a start opens
               retentiond-recorder [--config FILE] -T         print the effective configuration
               retentiond-recorder [--config FILE] --reload   reload the running recorder; exit status:
                                                              0 loaded, 1 refused, 2 no verdict
               retentiond-recorder -v | -V                    print the version, and how it was built

        The default FILE is \(defaultConfigurationPath); its object "notifications" is for the
        recorder. It runs as whoever starts it. Root is refused without --allow-root, also
        with -t.
        Signals: HUP reloads, QUIT answers the open requests and stops, TERM and INT do so within
        drainMilliseconds, USR1 reopens the log file.

        """
}

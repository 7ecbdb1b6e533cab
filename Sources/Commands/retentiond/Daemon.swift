internal import Configuration
internal import Cryptography
internal import FastCGI
internal import JSON
internal import Logging
internal import Pool
internal import System

enum Daemon {
    static let version = ProductVersion.text

    /// The versions of the program, the compiler and the libraries, for a report of a fault.
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

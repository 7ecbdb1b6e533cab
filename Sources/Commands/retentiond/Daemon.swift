internal import Configuration
internal import Cryptography
internal import FastCGI
internal import JSON
internal import Pool
internal import System

let program = Program("retentiond")

typealias Arguments = ProgramArguments<Daemon.Mode>

enum Daemon {
    enum Mode {
        /// The pool's supervisor, or one worker when the spawner placed a FastCGI socket at descriptor 0.
        case serve
        case test, printConfiguration, reload, served, servedRules, version, versionAndBuild, help, cgi
        case load, worker
    }

    private static let modes: [String: Mode] = [
        "-t": .test, "-T": .printConfiguration, "--reload": .reload, "--served": .served,
        "--served-rules": .servedRules, "-v": .version, "--version": .version, "-V": .versionAndBuild,
        "-h": .help, "-?": .help, "--help": .help, "--cgi": .cgi, "--load": .load, "--worker": .worker,
    ]

    private static let usage = """
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

        The default FILE is /etc/retentiond/retentiond.json. With a FastCGI socket as descriptor 0,
        retentiond serves as a single worker. The pool runs as whoever starts it. Root is refused
        without --allow-root, also with -t.
        Signals: HUP reloads, QUIT finishes the open requests and stops, TERM and INT do so within
        drainMilliseconds, USR1 reopens the log files.

        """

    private static var build: String {
        """
        retentiond/\(ProductVersion.text)
        compiler: \(BuildTools.compiler)
        openssl: \(CryptographyLibrary.version)
        jansson: \(JSONLibrary.version)
        libfcgi: \(FastCGILibrary.version)
        configuration: /etc/retentiond/retentiond.json

        """
    }

    static func main() -> Never {
        let arguments = program.arguments(
            modes, else: .serve, holding: [.serve, .worker],
            // Of a loader: the number of its load, where it takes the data files from, and the generation that serves. Of a worker: the
            // directory of its generation, else the current one as it stands, and its row in the shared counters.
            values: ["--sequence", "--source", "--serving", "--generation", "--slot"], usage: usage)
        Processes.exit(run(arguments))
    }

    private static func run(_ arguments: Arguments) -> Int32 {
        switch arguments.mode {
        case .help: program.print(usage)
        case .version: program.print("retentiond/\(ProductVersion.text)\n")
        case .versionAndBuild: program.print(build)
        case .test: return CheckCommand.run(arguments)
        case .printConfiguration: return CheckCommand.printConfiguration(arguments)
        case .reload: return reload(arguments)
        case .served, .servedRules: return served(arguments)
        case .load: return load(arguments)
        case .worker: return WorkerProcess.run(arguments)
        case .cgi: return CGIProcess.run(arguments)
        case .serve:
            if case .standardInput = ListeningSocket.inheritance() {
                return WorkerProcess.runStandalone(arguments)
            }
            return supervise(arguments)
        }
        return 0
    }

    private static func supervise(_ arguments: Arguments) -> Int32 {
        Processes.setName(Supervisor.processName)
        let setup = Supervisor.Setup(
            configurationPath: arguments.configurationPath, allowsRoot: arguments.allowsRoot,
            errorLog: program.errorLog, makeLogger: { program.logger("supervisor", $0, $1) })
        do throws(ServiceError) {
            return try Supervisor.run(setup)
        } catch {
            return program.refuseStart(error, "supervisor")
        }
    }

    private static func reload(_ arguments: Arguments) -> Int32 {
        let configuration: Configuration
        do throws(ServiceError) {
            configuration = try Loader.readConfiguration(path: arguments.configurationPath)
        } catch {
            // The supervisor would refuse a wrong configuration too, so that error is a refusal. One that cannot be read kept this process
            // from asking.
            let isRefused = error.code != "configuration-unreadable"
            program.complain(about: error, after: isRefused ? "reload refused: " : "no verdict: ")
            return isRefused ? 1 : 2
        }
        do throws(ServiceError) {
            return program.report(try ReloadRequest(configuration).send())
        } catch {
            program.complain(about: error, after: "no verdict: ")
            return 2
        }
    }

    /// Prints what the running pool serves. Every failure ends with 2, because then it is not known what is served.
    private static func served(_ arguments: Arguments) -> Int32 {
        do throws(ServiceError) {
            let configuration = try Loader.readConfiguration(path: arguments.configurationPath)
            switch try ServedFiles.answer(configuration, withRules: arguments.mode == .servedRules) {
            case .document(let text):
                program.print(String(decoding: text, as: UTF8.self))
                return 0
            case .unknown(let reason): program.complain("not known what is served: \(reason)")
            }
        } catch {
            program.complain(about: error, after: "not known what is served: ")
        }
        return 2
    }

    /// `--load`: a short-lived child of a supervisor.
    private static func load(_ arguments: Arguments) -> Int32 {
        Processes.setName(Supervisor.loaderName)
        // The kernel ends this process when the supervisor is gone, and at the latest after a minute of processor time.
        try? Processes.setParentDeathSignal(.kill)
        try? ResourceLimits.set(.processorSeconds, to: LoaderLimits.processorSeconds)
        try? ResourceLimits.set(.core, to: 0)
        return Loader(
            configurationPath: arguments.configurationPath, sequence: arguments.number("--sequence") ?? 0,
            source: arguments.values["--source"].flatMap(LoadSource.init(rawValue:)) ?? .pushed
        ).run(serving: arguments.number("--serving"))
    }
}

internal import Configuration
internal import Cryptography
internal import FastCGI
internal import JSON
internal import Pool
internal import Recorder
internal import System

enum RecorderCommand {
    private enum Mode {
        case serve, test, printConfiguration, reload, version, versionAndBuild, help
    }

    private static let program = Program("retentiond-recorder")

    private static let modes: [String: Mode] = [
        "-t": .test, "-T": .printConfiguration, "--reload": .reload, "-v": .version, "--version": .version,
        "-V": .versionAndBuild, "-h": .help, "-?": .help, "--help": .help,
    ]

    private static let usage = """
        usage: retentiond-recorder [--config FILE]            take notifications in the foreground
               retentiond-recorder [--config FILE] -t         check what a start opens
               retentiond-recorder [--config FILE] -T         print the effective configuration
               retentiond-recorder [--config FILE] --reload   reload the running recorder; exit status:
                                                              0 loaded, 1 refused, 2 no verdict
               retentiond-recorder -v | -V                    print the version, and how it was built

        The default FILE is /etc/retentiond/retentiond.json; its object "notifications" is for the
        recorder. It runs as whoever starts it. Root is refused without --allow-root, also
        with -t.
        Signals: HUP reloads, QUIT answers the open requests and stops, TERM and INT do so within
        drainMilliseconds, USR1 reopens the log file.

        """

    private static var build: String {
        """
        \(program.name)/\(ProductVersion.text)
        compiler: \(BuildTools.compiler)
        openssl: \(CryptographyLibrary.version)
        jansson: \(JSONLibrary.version)
        libfcgi: \(FastCGILibrary.version)
        \(RecorderStart.libraries)configuration: /etc/retentiond/retentiond.json

        """
    }

    static func main() -> Never {
        let arguments = program.arguments(modes, else: .serve, holding: [.serve], usage: usage)
        do {
            Processes.exit(try run(arguments))
        } catch {
            let error = ServiceError(error)
            program.complain(about: error)
            Processes.exit(error.status)
        }
    }

    private static func run(_ arguments: ProgramArguments<Mode>) throws -> Int32 {
        let path = arguments.configurationPath
        switch arguments.mode {
        case .help: program.print(usage)
        case .version: program.print("\(program.name)/\(ProductVersion.text)\n")
        case .versionAndBuild: program.print(build)
        case .test: return test(arguments)
        case .printConfiguration:
            let configuration = try RecorderConfiguration(path: path).trust.configuration
            program.print(String(decoding: configuration.effectiveJSON(hidingSecrets: true), as: UTF8.self))
        case .reload:
            do {
                return program.report(try RecorderStart.reload(path: path))
            } catch {
                program.complain(about: ServiceError(error), after: "no verdict: ")
                return 2
            }
        case .serve:
            do {
                return try RecorderStart.serve(
                    path: path, allowsRoot: arguments.allowsRoot, errorLog: program.errorLog,
                    makeLogger: { program.logger("recorder", $0, $1) })
            } catch {
                return program.refuseStart(ServiceError(error), "recorder")
            }
        }
        return 0
    }

    private static func test(_ arguments: ProgramArguments<Mode>) -> Int32 {
        let path = arguments.configurationPath
        do {
            let warnings = try RecorderStart.check(path: path, allowsRoot: arguments.allowsRoot)
            for warning in warnings { program.complain("warning: \(warning)") }
            program.complain("configuration file \(path) test is successful")
            return 0
        } catch {
            let error = ServiceError(error)
            program.complain(about: error)
            program.complain("configuration file \(path) test failed")
            return error.status
        }
    }
}

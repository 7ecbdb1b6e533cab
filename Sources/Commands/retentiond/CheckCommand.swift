internal import Configuration
internal import Facts
internal import Pool
internal import System

enum CheckCommand {
    /// Checks everything that a start and a reload would check, and reports it as nginx does. Returns the exit status.
    static func run(_ arguments: Arguments) -> Int32 {
        let path = arguments.configurationPath
        do throws(SupervisorError) {
            try SupervisorError.refuseRoot(unless: arguments.allowsRoot, command: "retentiond -t")
            let configuration = try read(path)
            Output.error("retentiond: the configuration file \(path) syntax is ok\n")
            Output.error("retentiond: the check runs as \(Credentials.current.names)\n")
            try StartCheck.run(configuration)
            let checked = try LoadError.mapped(
                to: SupervisorError.configuration, try Loader.check(configurationPath: path))
            report(checked.manifest)
            reportWorkers(checked.manifest.configuration)
            for warning in checked.warnings { warn(warning.message) }
            Output.error("retentiond: configuration file \(path) test is successful\n")
            return 0
        } catch {
            Output.error(error, code: error.code)
            return failed(path, error.exitStatus)
        }
    }

    static func printConfiguration(_ arguments: Arguments) -> Int32 {
        do throws(SupervisorError) {
            let configuration = try read(arguments.configurationPath)
            Output.standard(String(decoding: configuration.effectiveJSON(hidingSecrets: true), as: UTF8.self))
            return 0
        } catch {
            Output.error(error, code: error.code)
            return error.exitStatus
        }
    }

    private static func read(_ path: String) throws(SupervisorError) -> Configuration {
        try LoadError.mapped(to: SupervisorError.configuration, try Loader.readConfiguration(path: path))
    }

    private static func failed(_ path: String, _ status: Int32) -> Int32 {
        Output.error("retentiond: configuration file \(path) test failed\n")
        return status
    }

    private static func report(_ manifest: Manifest) {
        for line in manifest.anchorDescriptions { Output.error("retentiond: \(line)\n") }
        for file in manifest.files {
            let revision = file.revision.map { ", revision \($0)" } ?? ""
            Output.error(
                "retentiond: \(file.name): \(file.kind.name) for app \(file.appAppleId) in "
                    + "\(file.environment.rawValue)\(revision)\n"
            )
        }
    }

    private static func reportWorkers(_ configuration: Configuration) {
        let (count, reason) =
            configuration.workers > 0
            ? (configuration.workers, "the setting workers") : ProcessorCount.limited
        Output.error("retentiond: workers: \(count) if started from here, from \(reason)\n")
    }

    private static func warn(_ text: String) {
        Output.error("retentiond: warning: \(text)\n")
    }
}

internal import Configuration
internal import Facts
internal import Pool
internal import System

enum CheckCommand {
    /// Checks everything that a start and a reload would check, and reports it as nginx does. Returns the exit status.
    static func run(_ arguments: Arguments) -> Int32 {
        let path = arguments.configurationPath
        do throws(ServiceError) {
            try ServiceError.refuseRoot(unless: arguments.allowsRoot, command: "retentiond -t")
            let configuration = try Loader.readConfiguration(path: path)
            program.complain("the configuration file \(path) syntax is ok")
            program.complain("the check runs as \(Credentials.current.names)")
            try StartCheck.run(configuration)
            let checked = try Loader.check(configurationPath: path)
            report(checked.manifest)
            for warning in checked.warnings { program.complain("warning: \(warning)") }
            program.complain("configuration file \(path) test is successful")
            return 0
        } catch {
            program.complain(about: error)
            program.complain("configuration file \(path) test failed")
            return error.status
        }
    }

    static func printConfiguration(_ arguments: Arguments) -> Int32 {
        do throws(ServiceError) {
            let configuration = try Loader.readConfiguration(path: arguments.configurationPath)
            program.print(String(decoding: configuration.effectiveJSON(hidingSecrets: true), as: UTF8.self))
            return 0
        } catch {
            program.complain(about: error)
            return error.status
        }
    }

    private static func report(_ manifest: Manifest) {
        for line in manifest.anchorDescriptions { program.complain(line) }
        for file in manifest.files {
            let revision = file.revision.map { ", revision \($0)" } ?? ""
            program.complain(
                "\(file.name): \(file.kind.name) for app \(file.appAppleId) in "
                    + "\(file.environment.rawValue)\(revision)")
        }
        let workers = manifest.configuration.workers
        let (count, reason) = workers > 0 ? (workers, "the setting workers") : ProcessorCount.limited
        program.complain("workers: \(count) if started from here, from \(reason)")
    }
}

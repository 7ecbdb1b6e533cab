internal import Configuration
internal import DataFiles
internal import Loader
internal import Supervisor
internal import System
internal import Vocabulary

/// `-t` and `-T`.
enum CheckCommand {
    /// Checks what a start and a reload would check, and says so as nginx does.
    static func run(_ arguments: Arguments) -> Int32 {
        let path = arguments.configurationPath
        do throws(SupervisorError) {
            let configuration = try read(path)
            Output.error("retentiond: the configuration file \(path) syntax is ok\n")
            let accounts = try PoolAccounts(configuration)
            if arguments.isHandedOver {
                try Supervisor.checkHandOver()
            } else {
                let socket = SocketCheck.findings(configuration, accounts)
                for warning in socket.warnings { warn(warning) }
                guard reports(socket.problems + PlaceCheck.startProblems(configuration)) else {
                    return failed(path, 77)
                }
            }
            // From here on as the pool itself, so that what it cannot read is found here.
            do throws(SystemCallError) {
                if Credentials.isPrivileged { try accounts.pool?.apply() }
            } catch {
                throw .privileges(error)
            }
            guard reports(PlaceCheck.stateProblems(configuration)) else { return failed(path, 77) }
            let checked: (manifest: Manifest, warnings: [LoadWarning])
            do throws(LoadError) {
                checked = try Loader.check(configurationPath: path, hasPresent: arguments.isHandedOver)
            } catch {
                throw .configuration(error)
            }
            report(checked.manifest)
            for warning in checked.warnings { warn(warning.message) }
            Output.error("retentiond: configuration file \(path) test is successful\n")
            return 0
        } catch {
            Output.error("retentiond: \(error) (\(error.code))\n")
            return failed(path, error.exitStatus)
        }
    }

    /// Prints every setting with its value.
    static func printConfiguration(_ arguments: Arguments) -> Int32 {
        do throws(SupervisorError) {
            let configuration = try read(arguments.configurationPath)
            Output.standard(String(decoding: configuration.effectiveJSON(hidingSecrets: true), as: UTF8.self))
            return 0
        } catch {
            Output.error("retentiond: \(error) (\(error.code))\n")
            return error.exitStatus
        }
    }

    private static func read(_ path: String) throws(SupervisorError) -> Configuration {
        do throws(LoadError) {
            return try Loader.readConfiguration(path: path)
        } catch {
            throw .configuration(error)
        }
    }

    private static func failed(_ path: String, _ status: Int32) -> Int32 {
        Output.error("retentiond: configuration file \(path) test failed\n")
        return status
    }

    private static func report(_ manifest: Manifest) {
        for file in manifest.files {
            Output.error(
                "retentiond: \(file.name): \(file.kind.name) for app \(file.appAppleId) in "
                    + "\(file.environment.rawValue), generation \(file.generation)\n"
            )
        }
        if manifest.files.isEmpty { warn("no rules, every answer will be 503") }
    }

    private static func warn(_ text: String) {
        Output.error("retentiond: warning: \(text)\n")
    }

    /// Says what stands in the way; false when there is something.
    private static func reports(_ problems: [String]) -> Bool {
        for problem in problems { Output.error("retentiond: \(problem)\n") }
        return problems.isEmpty
    }
}

internal import Loader
internal import Supervisor
internal import System

/// `--load`: a short-lived child of a supervisor.
enum LoaderProcess {
    /// Runs one load and says the verdict on standard output. Returns the exit status.
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

internal import Loader
internal import Supervisor
internal import System

/// `--load` and `--keep`: short-lived children of a supervisor.
enum LoaderProcess {
    /// Runs one load and sends the verdict over descriptor 3. Returns the exit status.
    static func run(_ arguments: Arguments) -> Int32 {
        prepare()
        let descriptor = FileDescriptor(takingOwnership: LoaderLimits.controlDescriptor)
        let socket = DescriptorSocket(takingOwnership: descriptor)
        let loader = Loader(
            configurationPath: arguments.configurationPath, sequence: arguments.sequence,
            source: arguments.isLastGood ? .lastGood : .pushed)
        return loader.run(over: socket, hasPresent: arguments.hasPresent)
    }

    /// Stores the generation at descriptor 4 as the last good one. Returns the exit status.
    static func keep() -> Int32 {
        prepare()
        do throws(LoadError) {
            try Loader.storeLastGood()
            return 0
        } catch {
            Output.error(error, code: error.code)
            return 74
        }
    }

    /// Lets the kernel end this process when the supervisor is gone, and at the latest after a minute of processor
    /// time.
    private static func prepare() {
        Processes.setName(Supervisor.loaderName)
        try? Processes.setParentDeathSignal(.kill)
        try? ResourceLimits.set(.processorSeconds, to: LoaderLimits.processorSeconds)
        try? ResourceLimits.set(.core, to: 0)
    }
}

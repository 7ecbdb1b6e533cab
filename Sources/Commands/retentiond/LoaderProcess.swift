internal import Loader
internal import Supervisor
internal import System

/// `--load` and `--keep`: short-lived children of a supervisor.
enum LoaderProcess {
    /// One load; its verdict goes over descriptor 3.
    static func run(_ arguments: Arguments) -> Int32 {
        prepare()
        let descriptor = FileDescriptor(takingOwnership: LoaderLimits.controlDescriptor)
        let socket = DescriptorSocket(takingOwnership: descriptor)
        let loader = Loader(
            configurationPath: arguments.configurationPath,
            sequence: arguments.sequence,
            source: arguments.isLastGood ? .lastGood : .pushed
        )
        return loader.run(over: socket, hasPresent: arguments.hasPresent)
    }

    /// Stores the generation at descriptor 4 as the last good one.
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

    /// Gone with the supervisor, and at last after a minute of work.
    private static func prepare() {
        Processes.setName(Supervisor.loaderName)
        try? Processes.setParentDeathSignal(.kill)
        try? ResourceLimits.set(.processorSeconds, to: LoaderLimits.processorSeconds)
        try? ResourceLimits.set(.core, to: 0)
    }
}

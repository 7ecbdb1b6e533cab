public import Configuration
public import Logging
public import Telemetry

extension Supervisor {
    /// The values that the command passes to the supervisor.
    public struct Setup {
        /// The absolute path of the configuration file.
        public var configurationPath: String
        /// True when the pool may run as root.
        public var allowsRoot: Bool
        /// The version of this binary, for the log.
        public var version: String
        /// The stable codes that get a counter each in the shared counters.
        public var counterCodes: [String]
        /// The place to which the supervisor's loggers write. The supervisor opens the file of `errorLog`.
        public var errorLog: ErrorLog
        /// Makes the supervisor's logger for this level and format.
        public var makeLogger: (LogLevel, LogFormat) -> Logger

        /// Makes a setup. The parameters are the values of the properties with the same names.
        public init(
            configurationPath: String, allowsRoot: Bool, version: String, counterCodes: [String],
            errorLog: ErrorLog, makeLogger: @escaping (LogLevel, LogFormat) -> Logger
        ) {
            self.configurationPath = configurationPath
            self.allowsRoot = allowsRoot
            self.version = version
            self.counterCodes = counterCodes
            self.errorLog = errorLog
            self.makeLogger = makeLogger
        }

        /// The arguments, without the program's name, that start a supervisor with this setup.
        var words: [String] { ["--config", configurationPath] + (allowsRoot ? ["--allow-root"] : []) }
    }
}

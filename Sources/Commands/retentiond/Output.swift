internal import Configuration
internal import Logging
internal import Pool
internal import System

enum Output {
    static func standard(_ text: String) { write(text, to: 1) }

    static func error(_ text: String) { write(text, to: 2) }

    /// Writes an error for people, with its code after its first line. Further lines end with codes of their own.
    static func error(_ message: some CustomStringConvertible, code: String, after words: String = "") {
        var lines = message.description.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init
        )
        if !lines.isEmpty { lines[0] = "\(words)\(lines[0]) (\(code))" }
        error(lines.map { "retentiond: \($0)\n" }.joined())
    }

    /// The place to which all loggers of this process write: standard error, until the configuration is read.
    static let errorLog = ErrorLog()

    static func logger(component: String, level: LogLevel, format: LogFormat, counters: SharedCounters? = nil)
        -> Logger
    {
        let handler = LineLogHandler(
            component: component, processNumber: Processes.current,
            level: Logger.Level(rawValue: level.rawValue) ?? .info, format: format == .json ? .json : .logfmt,
            errorLog: errorLog, counters: counters)
        return Logger(label: component) { _ in handler }
    }

    private static func write(_ text: String, to number: Int32) {
        guard let descriptor = try? FileDescriptor.duplicate(of: number) else { return }
        // Escaped, so that names and paths from a configuration cannot reach a terminal as commands.
        let shown = DisplayText.escaped(text, keepsLines: true)
        try? descriptor.write(shown.utf8Span.span)
    }
}

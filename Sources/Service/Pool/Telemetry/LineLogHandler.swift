package import Configuration
package import Logging
internal import Synchronization
package import System

/// A swift-log handler that writes each event as one line with one write and never waits. A line that cannot be written
/// at once is dropped and counted in ``Counter/logLinesDropped``.
///
/// A line has the time, level, component and process number, then the message, `code`, and the other metadata sorted by
/// key. Its text cannot end a line or a value, and a terminal acts on none of it.
package struct LineLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel: Logger.Level

    private let component: String
    private let format: LogFormat
    private let errorLog: ErrorLog
    private let counters: SharedCounters?
    private let processNumber: Int32
    private let clock: @Sendable () -> Int64

    package init(
        component: String, level: Logger.Level, format: LogFormat, errorLog: ErrorLog,
        counters: SharedCounters? = nil, processNumber: Int32 = Processes.current,
        clock: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds() }
    ) {
        self.component = component
        logLevel = level
        self.format = format
        self.errorLog = errorLog
        self.counters = counters
        self.processNumber = processNumber
        self.clock = clock
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        if let given = event.metadata { all.merge(given) { _, new in new } }
        if let error = event.error {
            all["error"] = "\(error)"
            if let coded = error as? any CodedError, all["code"] == nil { all["code"] = "\(coded.code)" }
        }
        let fields = all.map { (key: $0.key, value: $0.value.description) }.sorted { left, right in
            (left.key == "code" ? 0 : 1, left.key) < (right.key == "code" ? 0 : 1, right.key)
        }
        let isWritten = errorLog.write(priority: Self.priority(of: event.level)) { limit in
            bytes(of: event, fields, limitBytes: limit)
        }
        if !isWritten { counters?.add(.logLinesDropped) }
    }

    private static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }

    /// Returns the line, line feed included, at most `limitBytes`. Fields that do not fit are left out, and `cut=true` is added.
    private func bytes(of event: LogEvent, _ fields: [(key: String, value: String)], limitBytes: Int)
        -> [UInt8]
    {
        let time = CivilTime(milliseconds: clock())
        let (level, isJSON) = (event.level.rawValue, format == .json)
        let end = isJSON ? ",\"cut\":\"true\"}\n" : " cut=true\n"
        let limit = limitBytes - end.utf8.count
        var line = TextBuffer()
        line.append(
            string: isJSON
                ? "{\"time\":\"\(time)\",\"level\":\"\(level)\",\"component\":\"\(component)\",\"pid\":\(processNumber)"
                : "\(time) \(level) \(component) pid=\(processNumber)")
        var isCut = false
        let message = event.message.description
        for (key, value) in (message.isEmpty ? [] : [("message", message)]) + fields {
            let length = line.count
            line.append(string: isJSON ? ",\"\(key)\":" : " \(key)=")
            append(Self.shortened(value), to: &line)
            if line.count > limit {
                line.cut(to: length)
                isCut = true
            }
        }
        line.append(string: isCut ? end : isJSON ? "}\n" : "\n")
        return line.bytes
    }

    /// Appends a value: in logfmt without quotes when no reader can mistake it.
    private func append(_ text: String, to line: inout TextBuffer) {
        let isBare =
            format == .logfmt && !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar != "\"" && scalar != "=" && scalar != "\\"
                    && !DisplayText.isActive(scalar)
            }
        if isBare { line.append(string: text) } else { line.append(quoted: text) }
    }

    /// Returns the text cut to ``TelemetryLimits/valueCharacters``, so that the other fields still fit in the line.
    private static func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard text.utf8.count > TelemetryLimits.valueCharacters,
            scalars.count > TelemetryLimits.valueCharacters
        else { return text }
        return String(scalars.prefix(TelemetryLimits.valueCharacters - 1)) + "…"
    }
}

/// The place to which the loggers of one process write their lines: standard error, or the file of `errorLog`. One
/// write(2) appends a line, so lines of several processes in one file do not mix.
///
/// A process starts with standard error and changes to the file when it has read its configuration.
package final class ErrorLog: Sendable {
    package struct Target: Sendable {
        let path: String?
        let output: LineOutput
        /// True when the journal reads the lines and takes their priority from a prefix such as `<3>` (sd-daemon(3)).
        let takesPriorities: Bool
    }

    private let target: Mutex<Target>
    private let standardError: Target

    package convenience init() {
        self.init(sharing: 2, takesPriorities: JournalStream.reads(descriptor: 2))
    }

    package init(sharing number: Int32, takesPriorities: Bool = false) {
        standardError = Target(
            path: nil, output: LineOutput(sharing: number), takesPriorities: takesPriorities)
        target = Mutex(standardError)
    }

    package var path: String? { target.withLock { $0.path } }

    /// Opens a place without using it. Makes the file, with mode 0640, when it does not exist. Throws `system.enxio` for a FIFO that no
    /// process reads.
    package func open(_ path: String?) throws(SystemCallError) -> Target {
        guard let path else { return standardError }
        return Target(path: path, output: try LineOutput(appendingTo: path), takesPriorities: false)
    }

    package func use(_ target: Target) {
        self.target.withLock { $0 = target }
    }

    /// Writes all further lines to the file at `path`; nil means standard error. Does nothing when the log has that
    /// path already. When it throws, lines go where they went before.
    package func use(_ path: String?) throws(SystemCallError) {
        guard path != self.path else { return }
        use(try open(path))
    }

    /// Writes all further lines to the file at `path`, as ``use(_:)-(String?)`` does. When the file cannot be opened,
    /// the lines go where they went before, and `logger` writes the reason.
    package func use(_ path: String?, elseLoggingTo logger: Logger) {
        do throws(SystemCallError) {
            try use(path)
        } catch {
            logger.error(
                "error log not opened",
                metadata: ["code": "error-log-unwritable", "path": "\(path ?? "")", "reason": "\(error)"])
        }
    }

    /// Opens the file at the path again, after a log rotation has renamed the old file (USR1). When that fails, lines go
    /// on into the old file. Does nothing for standard error, because whoever started the process chose it.
    package func reopen() throws(SystemCallError) {
        if let path { use(try open(path)) }
    }

    func write(priority: Int, _ line: (_ limitBytes: Int) -> [UInt8]) -> Bool {
        let target = target.withLock { $0 }
        let prefix = target.takesPriorities ? Array("<\(priority)>".utf8) : []
        return target.output.write(prefix + line(LineOutput.lineBytes - prefix.count))
    }
}

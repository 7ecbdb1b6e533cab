public import Logging
public import System
internal import Vocabulary

/// A swift-log handler that writes each event as one line with one write and never waits. A line that cannot be written
/// at once is dropped and counted in ``Counter/logLinesDropped``.
///
/// A line has the time, level, component and process number, then the message, `code`, and the other metadata sorted by
/// key.
public struct LineLogHandler: LogHandler {
    /// The metadata that the handler adds to every line.
    public var metadata: Logger.Metadata = [:]
    /// A provider of more metadata, which the handler asks for every line.
    public var metadataProvider: Logger.MetadataProvider?
    /// The least severe level that the handler writes.
    public var logLevel: Logger.Level

    private let component: String
    private let processNumber: Int32
    private let format: LogLineFormat
    private let errorLog: ErrorLog
    private let counters: SharedCounters?
    private let clock: @Sendable () -> Int64

    /// Makes a handler for one component of one process.
    ///
    /// - Parameters:
    ///   - component: the name of the component, such as `supervisor` or `worker`.
    ///   - processNumber: the number of this process.
    ///   - level: the least severe level that the handler writes.
    ///   - format: the form of a line.
    ///   - errorLog: the place to which the lines go.
    ///   - counters: the counters in which the handler counts dropped lines; nil counts nothing.
    ///   - clock: returns milliseconds since 1970.
    public init(
        component: String,
        processNumber: Int32,
        level: Logger.Level,
        format: LogLineFormat,
        errorLog: ErrorLog,
        counters: SharedCounters? = nil,
        clock: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds() }
    ) {
        self.component = component
        self.processNumber = processNumber
        self.logLevel = level
        self.format = format
        self.errorLog = errorLog
        self.counters = counters
        self.clock = clock
    }

    /// The value of one key of ``metadata``.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
        if let given = event.metadata { all.merge(given) { _, new in new } }
        if let error = event.error {
            all["error"] = "\(error)"
            if let coded = error as? any CodedError, all["code"] == nil { all["code"] = "\(coded.code)" }
        }
        var fields: [(key: String, value: String)] = []
        Self.flatten(.dictionary(all), under: "", depth: 0, into: &fields)
        fields.sort { left, right in
            (left.key == "code" ? 0 : 1, left.key) < (right.key == "code" ? 0 : 1, right.key)
        }
        let line = LogLine(
            wallMilliseconds: clock(), level: event.level.rawValue, component: component,
            processNumber: processNumber, message: event.message.description, fields: fields)
        let isWritten = errorLog.write(priority: Self.priority(of: event.level)) { limit in
            line.bytes(format, limitBytes: limit)
        }
        if !isWritten { counters?.add(.logLinesDropped) }
    }

    /// Returns the priority of syslog(3) for a level.
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

    /// The keys that every line has already. Metadata under such a key is renamed, so that it cannot pose as the line's
    /// own field.
    private static let reserved: Set<String> = ["time", "level", "component", "pid", "message", "cut"]

    private static func flatten(
        _ value: Logger.MetadataValue, under key: String, depth: Int,
        into fields: inout [(key: String, value: String)]
    ) {
        if case .dictionary(let members) = value, depth < TelemetryLimits.metadataDepth {
            for (name, member) in members {
                flatten(member, under: key.isEmpty ? name : "\(key).\(name)", depth: depth + 1, into: &fields)
            }
        } else {
            let name = LogText.key(key)
            fields.append((reserved.contains(name) ? "_\(name)" : name, value.description))
        }
    }
}

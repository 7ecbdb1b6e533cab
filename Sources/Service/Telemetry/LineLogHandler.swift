public import Logging
public import System
internal import Vocabulary

/// swift-log's lines as ours: one line, one write, never waited for; a line that cannot be written is dropped and
/// counted in ``Counter/logLinesDropped``.
///
/// After time, level, component and process come the message, `code` and the other metadata sorted by key.
public struct LineLogHandler: LogHandler {
    /// Written with every line.
    public var metadata: Logger.Metadata = [:]
    /// More of the same, asked for with every line.
    public var metadataProvider: Logger.MetadataProvider?
    /// The least severe level that is written.
    public var logLevel: Logger.Level

    private let component: String
    private let processNumber: Int32
    private let format: LogLineFormat
    private let output: LineOutput
    private let counters: SharedCounters?
    private let clock: @Sendable () -> Int64

    /// A handler for one component of one process.
    ///
    /// - Parameters:
    ///   - component: `supervisor`, `worker` and so on.
    ///   - processNumber: of this process.
    ///   - level: the least severe level that is written.
    ///   - format: how lines are written.
    ///   - output: where to.
    ///   - counters: where dropped lines are counted.
    ///   - clock: milliseconds since 1970.
    public init(
        component: String,
        processNumber: Int32,
        level: Logger.Level,
        format: LogLineFormat,
        output: LineOutput,
        counters: SharedCounters? = nil,
        clock: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds() }
    ) {
        self.component = component
        self.processNumber = processNumber
        self.logLevel = level
        self.format = format
        self.output = output
        self.counters = counters
        self.clock = clock
    }

    /// A value of ``metadata``.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
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
            wallMilliseconds: clock(),
            level: event.level.rawValue,
            component: component,
            processNumber: processNumber,
            message: event.message.description,
            fields: fields
        )
        if !output.write(line.bytes(format)) { counters?.add(.logLinesDropped) }
    }

    /// Keys that a line has already, so that metadata cannot pretend to be them.
    private static let reserved: Set<String> = ["time", "level", "component", "pid", "message", "cut"]

    private static func flatten(
        _ value: Logger.MetadataValue,
        under key: String,
        depth: Int,
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

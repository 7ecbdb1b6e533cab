package import Logging
internal import Synchronization
package import System

/// A swift-log handler that writes each event as one line with one write and never waits. A line that cannot be written
/// at once is dropped and counted in ``Counter/logLinesDropped``.
///
/// A line has the time, level, component and process number, then the message, `code`, and the other metadata sorted by
/// key.
package struct LineLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel: Logger.Level

    private let component: String
    private let processNumber: Int32
    private let format: LogLineFormat
    private let errorLog: ErrorLog
    private let counters: SharedCounters?
    private let clock: @Sendable () -> Int64

    package init(
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

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
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

/// One line of the log, before it is turned into bytes.
struct LogLine {
    let wallMilliseconds: Int64
    let level: String
    let component: String
    let processNumber: Int32
    let message: String
    let fields: [(key: String, value: String)]

    /// Returns the line as bytes, line feed included, at most `limitBytes`. Fields that do not fit are left out, and
    /// `cut=true` is added.
    func bytes(_ format: LogLineFormat, limitBytes: Int = LineOutput.lineBytes) -> [UInt8] {
        let end = format == .json ? ",\"cut\":\"true\"}\n" : " cut=true\n"
        let limit = limitBytes - end.utf8.count
        var line = head(format)
        var isCut = false
        for field in [("message", message)] + fields where !(field.0 == "message" && field.1.isEmpty) {
            let length = line.count
            append(field, format, to: &line)
            if line.count > limit {
                line.cut(to: length)
                isCut = true
            }
        }
        line.append(string: isCut ? end : format == .json ? "}\n" : "\n")
        return line.bytes
    }

    private func head(_ format: LogLineFormat) -> TextBuffer {
        let time = CivilTime(milliseconds: wallMilliseconds)
        let component = LogText.key(component)
        var line = TextBuffer()
        switch format {
        case .logfmt: line.append(string: "\(time) \(level) \(component) pid=\(processNumber)")
        case .json:
            line.append(
                string:
                    "{\"time\":\"\(time)\",\"level\":\"\(level)\",\"component\":\"\(component)\",\"pid\":\(processNumber)"
            )
        }
        return line
    }

    private func append(
        _ field: (key: String, value: String), _ format: LogLineFormat, to line: inout TextBuffer
    ) {
        let value = LogText.shortened(field.value)
        switch format {
        case .logfmt:
            line.append(string: " \(LogText.key(field.key))=")
            LogText.appendValue(value, to: &line)
        case .json:
            line.append(string: ",\"\(LogText.key(field.key))\":")
            line.append(quoted: value)
        }
    }
}

/// The form of a log line. The raw values are those of the setting `log.format`, see retentiond.json(5).
package enum LogLineFormat: String, Sendable, Hashable, CaseIterable {
    /// `2026-11-21T01:52:19Z notice worker pid=41 message="ready" generation=7`
    case logfmt
    /// `{"time":"2026-11-21T01:52:19Z","level":"notice","component":"worker","pid":41,"message":"ready","generation":"7"}`
    case json
}

/// Makes text safe for a log line: the text cannot end a line or a value, and a terminal acts on none of it.
enum LogText {
    /// Appends a value of `key=value`: without quotes when no reader can mistake it, else in quotes.
    static func appendValue(_ text: String, to line: inout TextBuffer) {
        let isBare =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar != "\"" && scalar != "=" && scalar != "\\"
                    && !DisplayText.isActive(scalar)
            }
        if isBare { line.append(string: text) } else { line.append(quoted: text) }
    }

    /// Appends the time as RFC 3339 text with milliseconds. RFC 3339 has no text for times before the year 0 or after
    /// 9999; such a time becomes the nearest one that has a text.
    static func appendTime(_ milliseconds: Int64, to line: inout TextBuffer) {
        line.append(CivilTime(milliseconds: min(max(milliseconds, earliestMilliseconds), latestMilliseconds)))
    }

    /// The bounds of the years 0 and 9999.
    private static let earliestMilliseconds: Int64 = -62_167_219_200_000
    private static let latestMilliseconds: Int64 = 253_402_300_799_999

    /// Returns the text cut to ``TelemetryLimits/valueCharacters``, so that the other fields still fit in the line.
    static func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard text.utf8.count > TelemetryLimits.valueCharacters,
            scalars.count > TelemetryLimits.valueCharacters
        else { return text }
        return String(scalars.prefix(TelemetryLimits.valueCharacters - 1)) + "…"
    }

    /// Returns the text as a key: letters, digits, `.`, `_` and `-`. Every other byte becomes `_`, and so does an empty
    /// text.
    static func key(_ text: String) -> String {
        guard !text.isEmpty else { return "_" }
        let bytes = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TextBuffer {
    @inline(__always)
    package mutating func append(_ literal: StaticString, timeMilliseconds: Int64) {
        append(literal)
        LogText.appendTime(timeMilliseconds, to: &self)
    }
}

/// The place to which the loggers of one process write their lines: standard error, or the file of `errorLog`. One
/// write(2) appends a line, so lines of several processes in one file do not mix.
///
/// A process starts with standard error and changes to the file when it has read its configuration.
package final class ErrorLog: Sendable {
    package struct Target: Sendable {
        package let path: String?
        let output: LineOutput
        /// True when the journal reads the lines and takes their priority from a prefix such as `<3>` (sd-daemon(3)).
        let takesPriorities: Bool

        func write(priority: Int, _ line: (_ limitBytes: Int) -> [UInt8]) -> Bool {
            let prefix = takesPriorities ? Array("<\(priority)>".utf8) : []
            return output.write(prefix + line(LineOutput.lineBytes - prefix.count))
        }
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

    /// Opens a place without using it. Makes the file, with mode 0640, when it does not exist.
    ///
    /// - Throws: the reason why the file cannot be opened; `system.enxio` for a FIFO that no process reads.
    package func open(_ path: String?) throws(SystemCallError) -> Target {
        guard let path else { return standardError }
        return Target(path: path, output: try LineOutput(appendingTo: path), takesPriorities: false)
    }

    package func use(_ target: Target) {
        self.target.withLock { $0 = target }
    }

    /// Writes all further lines to the file at `path`; nil means standard error. Does nothing when the log has that
    /// path already.
    ///
    /// - Throws: the errors of ``open(_:)``; lines then go where they went before.
    package func use(_ path: String?) throws(SystemCallError) {
        guard path != self.path else { return }
        use(try open(path))
    }

    /// Writes all further lines to the file at `path`, as ``use(_:)-(String?)`` does. When the file cannot be opened,
    /// the lines go where they went before, and `logger` writes the reason.
    @discardableResult
    package func use(_ path: String?, elseTelling logger: Logger) -> Bool {
        do throws(SystemCallError) {
            try use(path)
            return true
        } catch {
            logger.error(
                "error log not opened",
                metadata: ["code": "error-log-unwritable", "path": "\(path ?? "")", "reason": "\(error)"])
            return false
        }
    }

    /// Opens the file at the path again, after a log rotation has renamed the old file (USR1). When that fails, lines go
    /// on into the old file. Does nothing for standard error, because whoever started the process chose it.
    package func reopen() throws(SystemCallError) {
        if let path { use(try open(path)) }
    }

    func write(priority: Int, _ line: (_ limitBytes: Int) -> [UInt8]) -> Bool {
        let target = target.withLock { $0 }
        return target.write(priority: priority, line)
    }
}

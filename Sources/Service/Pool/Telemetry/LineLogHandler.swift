package import Logging
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
            LogText.appendQuoted(value, to: &line)
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
        if isBare { line.append(string: text) } else { appendQuoted(text, to: &line) }
    }

    /// Appends the time as RFC 3339 text with milliseconds. RFC 3339 has no text for times before the year 0 or after
    /// 9999; such a time becomes the nearest one that has a text.
    static func appendTime(_ milliseconds: Int64, to line: inout TextBuffer) {
        line.append(CivilTime(milliseconds: min(max(milliseconds, earliestMilliseconds), latestMilliseconds)))
    }

    /// The bounds of the years 0 and 9999.
    private static let earliestMilliseconds: Int64 = -62_167_219_200_000
    private static let latestMilliseconds: Int64 = 253_402_300_799_999

    /// Appends a string in quotes with JSON escapes. Lines in logfmt use the same escapes, so one rule holds for both
    /// formats.
    static func appendQuoted(_ text: String, to line: inout TextBuffer) {
        line.append(UInt8(ascii: "\""))
        let start = line.count
        line.append(string: text)
        line.escape(from: start)
        line.append(UInt8(ascii: "\""))
    }

    fileprivate static func append(escaping scalar: Unicode.Scalar, to line: inout TextBuffer) {
        switch scalar {
        case "\"": line.append("\\\"")
        case "\\": line.append("\\\\")
        case "\0": line.append("\u{FFFD}")  // strict readers, ours among them, refuse an escaped NUL
        case "\n": line.append("\\n")
        case "\r": line.append("\\r")
        case "\t": line.append("\\t")
        case _ where DisplayText.isActive(scalar):
            line.append("\\u")
            line.append(string: HexadecimalDigits.text(of: scalar.value, count: 4))
        default: line.append(string: String(scalar))
        }
    }

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
    /// Gives the text from byte `start` on the escapes that it needs within quotes.
    package mutating func escape(from start: Int) {
        guard !isPlain(from: start) else { return }
        let text = string(from: start)
        cut(to: start)
        for scalar in text.unicodeScalars { LogText.append(escaping: scalar, to: &self) }
    }

    /// Appends a literal and behind it a string with quotes and escapes, or `null`.
    @inline(__always)
    package mutating func append(_ literal: StaticString, _ value: String?) {
        append(literal)
        if let value { LogText.appendQuoted(value, to: &self) } else { append("null") }
    }

    @inline(__always)
    package mutating func append(_ literal: StaticString, _ value: UInt64) {
        append(literal)
        append(decimal: value)
    }

    @inline(__always)
    package mutating func append(_ literal: StaticString, _ value: Int64) {
        append(literal)
        append(decimal: value)
    }

    @inline(__always)
    package mutating func append(_ literal: StaticString, plain value: String) {
        append(literal)
        append(string: value)
    }

    @inline(__always)
    package mutating func append(_ literal: StaticString, timeMilliseconds: Int64) {
        append(literal)
        LogText.appendTime(timeMilliseconds, to: &self)
    }
}

internal import System
internal import Vocabulary

/// One line of the log, before it is turned into bytes.
struct LogLine {
    let wallMilliseconds: Int64
    let level: String
    let component: String
    let processNumber: Int32
    let message: String
    /// The fields in the order in which they are written.
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
                line.removeSubrange(length...)
                isCut = true
            }
        }
        if isCut { return line + end.utf8 }
        return line + (format == .json ? "}\n" : "\n").utf8
    }

    private func head(_ format: LogLineFormat) -> [UInt8] {
        let time = CivilTime(milliseconds: wallMilliseconds)
        let component = LogText.key(component)
        switch format {
        case .logfmt: return Array("\(time) \(level) \(component) pid=\(processNumber)".utf8)
        case .json:
            let head =
                "{\"time\":\"\(time)\",\"level\":\"\(level)\",\"component\":\"\(component)\",\"pid\":\(processNumber)"
            return Array(head.utf8)
        }
    }

    private func append(
        _ field: (key: String, value: String),
        _ format: LogLineFormat,
        to line: inout [UInt8]
    ) {
        let value = LogText.shortened(field.value)
        switch format {
        case .logfmt:
            line += " \(LogText.key(field.key))=".utf8
            LogText.appendValue(value, to: &line)
        case .json:
            line += ",\"\(LogText.key(field.key))\":".utf8
            LogText.appendQuoted(value, to: &line)
        }
    }
}

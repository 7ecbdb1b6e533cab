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

internal import Glibc
internal import JSON
internal import System
internal import Vocabulary

/// Standard output and standard error. Results go to the first, everything else to the second.
enum Console {
    /// Whether standard error is a terminal, where colours and progress make sense.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes one line of a result, see ``print(lines:)``.
    static func print(_ line: String) {
        print(lines: [line])
    }

    /// Writes the lines of a result. What a file or a server has put into one can neither begin another nor reach the
    /// terminal as a command.
    static func print(lines: [String]) {
        let text = lines.map { DisplayText.escaped($0) + "\n" }.joined()
        write(Array(text.utf8), to: STDOUT_FILENO)
    }

    /// Writes bytes as they are to standard output.
    static func print(bytes: [UInt8]) {
        write(bytes, to: STDOUT_FILENO)
    }

    /// Writes a JSON document on one line.
    static func print(_ document: JSONNode) {
        print(bytes: document.serialized() + [UInt8(ascii: "\n")])
    }

    /// Writes a JSON document for people: one member a line.
    static func print(pretty document: JSONNode) {
        print(bytes: document.serialized(pretty: true) + [UInt8(ascii: "\n")])
    }

    /// Writes findings: one a line to standard error, or one JSON document to standard output.
    static func report(_ findings: [Finding], json: Bool) {
        guard !json else {
            print(.object([("diagnostics", .array(findings.map(\.json)))]))
            return
        }
        for finding in findings {
            write(Array((decorated(finding) + "\n").utf8), to: STDERR_FILENO)
        }
    }

    /// Replaces the line that shows how far the work is; nothing where nobody watches.
    static func progress(_ text: String) {
        guard isInteractive else { return }
        write(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
    }

    /// Takes that line away, before anything else is printed.
    static func endProgress() {
        progress("")
    }

    private static func decorated(_ finding: Finding) -> String {
        let text = DisplayText.escaped(finding.text)
        // https://no-color.org
        guard isInteractive, (ProcessEnvironment.value(of: "NO_COLOR") ?? "").isEmpty else { return text }
        let colour = finding.severity == .error ? "31" : finding.severity == .warning ? "33" : "36"
        return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }

    /// A result that cannot be written ends the program; standard error says why, unless its reader went away.
    private static func write(_ bytes: [UInt8], to number: Int32) {
        let stream = FileDescriptor(takingOwnership: number)
        do throws(SystemCallError) {
            try stream.write(bytes.span)
        } catch {
            if number == STDOUT_FILENO, error.reason != .epipe {
                report(ToolFailure(error, file: "standard output").findings, json: false)
            }
            exit(ExitStatus.inputOutput.rawValue)
        }
        _ = stream.release()
    }
}

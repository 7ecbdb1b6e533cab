internal import Glibc
package import JSON
package import System

/// Standard output and standard error. Results go to standard output, everything else to standard error.
package enum Console {
    package static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    package static func print(_ line: String) {
        print(lines: [line])
    }

    /// Escapes text of files and servers, so that it can neither begin a line nor send a command to the terminal.
    package static func print(lines: [String]) {
        let text = lines.map { DisplayText.escaped($0) + "\n" }.joined()
        write(Array(text.utf8), to: STDOUT_FILENO)
    }

    package static func print(bytes: [UInt8]) {
        write(bytes, to: STDOUT_FILENO)
    }

    package static func print(_ document: JSONNode) {
        print(bytes: document.serialized() + [UInt8(ascii: "\n")])
    }

    package static func print(pretty document: JSONNode) {
        print(bytes: document.serialized(pretty: true) + [UInt8(ascii: "\n")])
    }

    /// Writes findings: each on one line of standard error, or all as one JSON document on standard output.
    package static func report(_ findings: [Finding], json: Bool) {
        guard !json else {
            print(.object([("diagnostics", .array(findings.map(\.json)))]))
            return
        }
        for finding in findings {
            write(Array((decorated(finding) + "\n").utf8), to: STDERR_FILENO)
        }
    }

    /// Writes a line to standard error that is neither a result nor an error.
    package static func log(_ text: String) {
        write(Array((DisplayText.escaped(text) + "\n").utf8), to: STDERR_FILENO)
    }

    package static var canAsk: Bool { isInteractive && isatty(STDIN_FILENO) == 1 }

    package static func asks(_ question: String) -> Bool {
        write(Array(DisplayText.escaped(question).utf8), to: STDERR_FILENO)
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// Writes a question to standard error and returns the answer without the space around it; nil when nobody can answer.
    package static func answer(to question: String) -> String? {
        guard canAsk else { return nil }
        write(Array(DisplayText.escaped("\(question): ").utf8), to: STDERR_FILENO)
        return readLine()?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Replaces the line that shows the progress of the work. Writes nothing when standard error is not a terminal.
    package static func progress(_ text: String) {
        if isInteractive { write(Array(text.utf8), to: STDERR_FILENO) }
    }

    package static func endProgress() {
        if isInteractive { write([], to: STDERR_FILENO) }
    }

    private static func decorated(_ finding: Finding) -> String {
        let text = DisplayText.escaped(finding.text)
        // https://no-color.org
        guard isInteractive, (ProcessEnvironment.value(of: "NO_COLOR") ?? "").isEmpty else { return text }
        let colour = finding.severity == .error ? "31" : finding.severity == .warning ? "33" : "36"
        return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }

    /// Writes in the place of a line of progress. When that fails, the program ends, and standard error says why, unless the
    /// reader of standard output has closed it.
    private static func write(_ bytes: [UInt8], to number: Int32) {
        let stream = FileDescriptor(takingOwnership: number)
        do throws(SystemCallError) {
            if isInteractive {
                let screen = FileDescriptor(takingOwnership: STDERR_FILENO)
                try screen.write("\r\u{1B}[K".utf8Span.span)
                _ = screen.release()
            }
            try stream.write(bytes.span)
        } catch {
            if number == STDOUT_FILENO, error.reason != .epipe {
                report(ToolError(error, file: "standard output").findings, json: false)
            }
            exit(ExitStatus.data.rawValue)
        }
        _ = stream.release()
    }
}

package import Configuration
package import Logging
internal import System

/// The name of a daemon, and what it writes to standard output, to standard error and to its log.
package struct Program: Sendable {
    package let name: String
    /// The place to which all loggers of this process write: standard error, until the configuration is read.
    package let errorLog = ErrorLog()

    package init(_ name: String) {
        self.name = name
    }

    package func print(_ text: String) { write(text, to: 1) }

    /// Writes each line of a text to standard error, behind the name of the program.
    package func complain(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        write(lines.map { "\(name): \($0)\n" }.joined(), to: 2)
    }

    /// Writes an error with its code at the end of its first line.
    package func complain(about error: ServiceError, after words: String = "") {
        var lines = error.description.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        if !lines.isEmpty { lines[0] = "\(words)\(lines[0]) (\(error.code))" }
        complain(lines.joined(separator: "\n"))
    }

    package func logger(
        _ component: String, _ level: LogLevel = .info, _ format: LogFormat = .logfmt,
        counters: SharedCounters? = nil
    ) -> Logger {
        let handler = LineLogHandler(
            component: component, level: Logger.Level(rawValue: level.rawValue) ?? .info, format: format,
            errorLog: errorLog, counters: counters)
        return Logger(label: component) { _ in handler }
    }

    /// Says why a start was refused.
    package func refuseStart(_ error: ServiceError, _ component: String) -> Int32 {
        logger(component).error("start refused", metadata: error.metadata)
        // Whoever starts the program reads standard error.
        if errorLog.path != nil { complain(about: error, after: "start refused: ") }
        return error.status
    }

    /// Says what became of a reload: 0 loaded, 1 refused, 2 no verdict.
    package func report(_ outcome: ReloadRequest.Outcome) -> Int32 {
        switch outcome {
        case .loaded(let sequence):
            print("\(name): reload \(sequence) loaded\n")
            return 0
        case .refused(let sequence, let refusal):
            complain(about: refusal, after: "reload \(sequence) refused: ")
            return 1
        case .noVerdict(let reason):
            complain("no verdict: \(reason)")
            return 2
        }
    }

    private func write(_ text: String, to number: Int32) {
        guard let descriptor = try? FileDescriptor.duplicate(of: number) else { return }
        // Escaped, so that names and paths from a configuration cannot reach a terminal as commands.
        let shown = DisplayText.escaped(text, keepsLines: true)
        try? descriptor.write(shown.utf8Span.span)
    }

    /// Reads the arguments of this process. Holds signals from before anything else on, so that a signal in the first milliseconds
    /// neither ends a start nor is lost: the modes in `holding` read them as soon as they can, and a signal ends all others.
    package func arguments<Mode: Sendable & Equatable>(
        _ modes: [String: Mode], else mode: Mode, holding: [Mode], values: [String] = [], usage: String
    ) -> ProgramArguments<Mode> {
        let signals = BlockedSignals()
        let words: [String]
        do throws(SystemCallError) {
            try StandardDescriptors.occupy(output: .discards)
            words = try ProcessArguments.read()
        } catch {
            complain("\(error) (\(error.code))")
            Processes.exit(71)
        }
        do throws(ArgumentProblem) {
            let arguments = try ProgramArguments(words.dropFirst(), modes, else: mode, values: values)
            if !holding.contains(arguments.mode) { signals.release() }
            return arguments
        } catch {
            write("\(name): \(error.message)\n\n\(usage)", to: 2)
            Processes.exit(64)
        }
    }
}

struct ArgumentProblem: Error {
    let message: String
}

package struct ProgramArguments<Mode: Sendable & Equatable>: Sendable {
    package private(set) var mode: Mode
    package private(set) var configurationPath = "/etc/retentiond/retentiond.json"
    /// True when this process may be root, although it parses bytes from outside.
    package private(set) var allowsRoot = false
    package private(set) var values: [String: String] = [:]

    init(_ words: ArraySlice<String>, _ modes: [String: Mode], else mode: Mode, values names: [String])
        throws(ArgumentProblem)
    {
        self.mode = mode
        var rest = words
        while let word = rest.popFirst() {
            if let chosen = modes[word] {
                guard self.mode == mode else {
                    throw ArgumentProblem(
                        message: "\(word) cannot be combined with another command, such as -t")
                }
                self.mode = chosen
            } else if word == "--allow-root" {
                allowsRoot = true
            } else if ["--config", "-c"].contains(word) || names.contains(word) {
                guard let value = rest.popFirst(), !value.isEmpty else {
                    throw ArgumentProblem(message: "\(word) needs a value")
                }
                if names.contains(word) { values[word] = value } else { configurationPath = value }
            } else {
                throw ArgumentProblem(message: "unknown argument: \(word)")
            }
        }
    }

    package func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
}

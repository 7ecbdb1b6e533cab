public import ArgumentParser
internal import Glibc
package import JSON
package import System

/// A subcommand whose output can be JSON. Through this protocol `main` learns whether to report a failure as JSON too.
package protocol ToolCommand: ParsableCommand {
    var output: OutputOptions { get }
}

package struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print one JSON document instead of text.")
    package var json = false

    package init() {}

    /// Prints a result in the form that was asked for.
    package func print(json document: @autoclosure () -> JSONNode, lines: @autoclosure () -> [String]) {
        if json { Console.print(document()) } else { Console.print(lines: lines()) }
    }
}

extension ParsableCommand {
    /// With `--json`, standard output has exactly one JSON document, also when the command fails.
    package static func runTool() -> Never {
        var json = false
        var arguments: [String] = []
        do {
            try StandardDescriptors.occupy(output: .fails)
            // A dump would hold tokens, keys and identifiers.
            try Processes.forbidCoreDumps()
            arguments = Array(try ProcessArguments.read().dropFirst())
            var command = try parseAsRoot(arguments)
            json = (command as? any ToolCommand)?.output.json ?? false
            try command.run()
        } catch {
            // ArgumentParser reports help, the version and a wrong combination of arguments. An ExitCode means that the
            // command has already printed its answer.
            let unknown = exitCode(for: error) == .validationFailure ? unknownCommand(in: arguments) : nil
            guard unknown != nil || exitCode(for: error) == .failure, !(error is ExitCode) else {
                exit(withError: error)
            }
            let failure = unknown ?? ToolError(error)
            Console.report(failure.findings, json: json)
            Glibc.exit(failure.exitStatus.rawValue)
        }
        Glibc.exit(ExitStatus.done.rawValue)
    }

    /// ArgumentParser suggests the names of options, and not those of commands.
    private static func unknownCommand(in arguments: [String]) -> ToolError? {
        var command: any ParsableCommand.Type = self
        for word in arguments where !word.hasPrefix("-") {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty else { return nil }
            guard let next = commands.first(where: { $0._commandName == word }) else {
                let hint = Hint.choice(word, among: commands.map { $0._commandName })
                return ToolError(
                    .usage, code: "usage.unknown-command", "there is no command \"\(word)\"", hint: hint)
            }
            command = next
        }
        return nil
    }
}

extension Environment: ExpressibleByArgument {}

extension UUID: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }
}

/// A time on the command line: RFC 3339, or milliseconds since 1970 as Apple writes them.
package struct TimeArgument: ExpressibleByArgument {
    package let milliseconds: Int64

    package init?(argument: String) {
        // The years 0 to 9999, as in RFC 3339.
        if let number = Int64(argument), (-62_167_219_200_000...253_402_300_799_999).contains(number) {
            milliseconds = number
        } else if let time = CivilTime(argument) {
            milliseconds = time.milliseconds
        } else {
            return nil
        }
    }
}

/// `name=value` on the command line. The value may be empty, and may have equals signs.
package struct NamedValue: ExpressibleByArgument {
    package let name: String
    package let value: String

    package init?(argument: String) {
        let halves = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, !halves[0].isEmpty else { return nil }
        (name, value) = (String(halves[0]), String(halves[1]))
    }
}

/// The kinds of files that several options take.
extension CompletionKind {
    package static var json: CompletionKind { .file(extensions: ["json"]) }
    package static var pem: CompletionKind { .file(extensions: ["pem"]) }
    package static var facts: CompletionKind { .file(extensions: ["facts"]) }
}

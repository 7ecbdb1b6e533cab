internal import ArgumentParser

/// A subcommand whose output can be JSON. Each conforms, so that failures follow `--json` too.
protocol ToolCommand: ParsableCommand {
    /// How it prints.
    var output: OutputOptions { get }
}

/// The options every subcommand has.
struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print one JSON document instead of text.")
    var json = false
}

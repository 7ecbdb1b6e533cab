internal import ArgumentParser

/// A subcommand whose output can be JSON. Through this protocol `main` learns whether to report a failure as JSON too.
protocol ToolCommand: ParsableCommand {
    /// The options that select the form of the output.
    var output: OutputOptions { get }
}

/// The options that every subcommand of this kind has.
struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print one JSON document instead of text.")
    var json = false
}

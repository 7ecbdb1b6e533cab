internal import ArgumentParser
internal import CommandLineTool
internal import System

/// The consent to a change that deletes or replaces something.
struct ConfirmOption: ParsableArguments {
    @Flag(help: "Change, replace or delete without asking.")
    var confirm = false

    /// Returns when the user agrees: by `--confirm`, or by a yes on a terminal.
    ///
    /// - Parameter question: what will be done, without a question mark.
    /// - Throws: `confirm.declined`, `confirm.missing`.
    func ask(_ question: String) throws {
        guard !confirm else { return }
        guard Console.canAsk else {
            throw ToolError(
                .usage, code: "confirm.missing", "\(question): nobody is there to be asked",
                hint: "--confirm")
        }
        guard Console.asks("\(question)? [y/N] ") else {
            throw ToolError(.no, code: "confirm.declined", "nothing was changed")
        }
    }
}

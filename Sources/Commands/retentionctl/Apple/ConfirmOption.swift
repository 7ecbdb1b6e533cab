internal import ArgumentParser
internal import Vocabulary

/// The consent to a change that deletes or replaces something.
struct ConfirmOption: ParsableArguments {
    @Flag(help: "Delete or replace without asking.")
    var confirm = false

    /// Returns when the user agrees: by `--confirm`, or by a yes on a terminal.
    ///
    /// - Parameter question: what will be done, without a question mark.
    /// - Throws: `apple.declined`, `apple.not-confirmed`.
    func ask(_ question: String) throws(ToolFailure) {
        guard !confirm else { return }
        guard Console.canAsk else {
            throw ToolFailure(
                .usage, code: "apple.not-confirmed", "\(question): nobody is there to be asked",
                hint: "--confirm")
        }
        guard Console.asks("\(question)? [y/N] ") else {
            throw ToolFailure(.no, code: "apple.declined", "nothing was changed")
        }
    }
}

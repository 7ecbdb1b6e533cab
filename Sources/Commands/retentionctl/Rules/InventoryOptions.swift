internal import ArgumentParser
internal import RulesCompiler

/// What Apple says about the messages, as options of the commands that compile.
struct InventoryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Message and image states: the answers of Get Message List and Get Image List in one JSON object.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var inventory: String?

    @Flag(
        help: """
            In Production too, compile identifiers that are not APPROVED, so that they are not served; tests that \
            expect them wait.
            """
    )
    var allowPending = false

    func validate() throws {
        guard inventory != nil || !allowPending else {
            throw ValidationError("--allow-pending needs --inventory, which says what is pending.")
        }
    }

    /// What the compiler is told.
    func compilerOptions() throws(ToolFailure) -> RulesCompilerOptions {
        guard let inventory else { return RulesCompilerOptions() }
        let text = try Input.read(inventory)
        do throws(RulesCompilerError) {
            return RulesCompilerOptions(inventory: try Inventory(reading: text), allowsPending: allowPending)
        } catch {
            throw ToolFailure(error, file: inventory)
        }
    }
}

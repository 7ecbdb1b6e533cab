internal import ArgumentParser
internal import RulesCompiler
internal import Vocabulary
internal import RulesReading

/// The options of the commands that compile, about the messages in a catalogue and the states that Apple reports for messages
/// and images.
struct InventoryOptions: ParsableArguments {
    @OptionGroup var catalogue: CatalogueOption

    @Option(
        help: ArgumentHelp(
            "Message and image states: the answers of Get Message List and Get Image List in one JSON object.",
            valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var inventory: String?

    @Flag(
        help: """
            In Production too, compile identifiers that are not APPROVED. They are not served, and tests that expect \
            them wait.
            """
    )
    var allowPending = false

    func validate() throws {
        guard inventory != nil || !allowPending else {
            throw ValidationError("--allow-pending needs --inventory, which says what is pending.")
        }
    }

    /// The files that these options name.
    var paths: [String] { [catalogue.catalogue, inventory].compactMap { $0 } }

    /// Returns the options for the compiler. When the inventory is wrong, the rules are checked as well, and the errors
    /// of both are reported.
    func compilerOptions(for source: RulesSourceFile) throws(ToolFailure) -> RulesCompilerOptions {
        var options = RulesCompilerOptions(allowsPending: allowPending, catalogue: try catalogue.messages())
        guard let inventory else { return options }
        let list = try Input.read(inventory)
        do throws(RulesSourceError) {
            options.inventory = try Inventory(reading: list)
        } catch {
            var findings = error.findings.map { $0.inFile(inventory) }
            do throws(RulesSourceError) {
                _ = try RulesCompiler.model(of: source.bytes, options: options)
            } catch {
                findings += source.placed(error.findings)
            }
            throw ToolFailure(.badData, findings)
        }
        return options
    }
}

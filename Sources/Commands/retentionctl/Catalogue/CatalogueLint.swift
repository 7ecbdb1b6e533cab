internal import ArgumentParser
internal import Catalogue
internal import JSON
internal import System
internal import Vocabulary

/// Checks a catalogue and its images without asking Apple.
struct CatalogueLint: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Checks a catalogue and its images without asking Apple.",
        discussion: """
            Checks lengths, locales, default messages, and the PNG files: their dimensions and their transparency. What \
            Apple refuses is an error. What Apple does not document, or is probably not meant, is a warning. Ends with 0 \
            when there is nothing or only notes, with 1 when there are warnings, with 65 when there are errors.

            Example:
              retentionctl catalogue lint catalogue.json --ignore missing-locale
            """
    )

    @Argument(help: "The catalogue; its images lie beside it.", completion: .file(extensions: ["json"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "A warning or note to leave out: its code, with or without \"catalogue.\". May be repeated.",
            valueName: "code")
    )
    var ignore: [CatalogueReasonName] = []

    @OptionGroup var output: OutputOptions

    func run() throws {
        let text = try Input.read(file, limitBytes: CatalogueLimits.sourceByteCount)
        let images = ImageFiles(folder: AtomicFile.split(file).directory, decodesAll: true)
        let checked = CheckedCatalogue(text, images: images, ignoring: Set(ignore.map(\.reason)))
        let findings = checked.findings.map { $0.inFile(file) }
        guard !checked.hasErrors else { throw ToolFailure(.badData, findings) }
        if output.json || !findings.isEmpty {
            Console.report(findings, json: output.json)
        } else {
            Console.print("\(file): nothing found")
        }
        if findings.contains(where: { $0.severity == .warning }) { throw ExitCode(ExitStatus.no.rawValue) }
    }
}

/// The name of a warning or note on the command line: its full code, or the code without `catalogue.`.
struct CatalogueReasonName: ExpressibleByArgument {
    let reason: CatalogueReason

    init?(argument: String) {
        let prefix = "catalogue."
        let name = argument.hasPrefix(prefix) ? String(argument.dropFirst(prefix.count)) : argument
        guard let reason = CatalogueReason(rawValue: name), reason.severity != .error else { return nil }
        self.reason = reason
    }

    static var allValueStrings: [String] {
        CatalogueReason.allCases.filter { $0.severity != .error }.map(\.rawValue)
    }
}

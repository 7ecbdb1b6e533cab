internal import ArgumentParser
internal import Catalogue
internal import JSON
internal import System
internal import Vocabulary

/// Writes a first catalogue.
struct CatalogueInit: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a first catalogue with a namespace of its own.",
        discussion: """
            The namespace is made once, at random: every identifier of the catalogue depends on it, so it never changes. \
            A file that is there already is never overwritten.

            Example:
              retentionctl catalogue init --app 6745974591 \\
                --bundle-id com.example.app --locale en-US --locale de-DE
            """
    )

    @Argument(help: "The file to write.", completion: .file(extensions: ["json"]))
    var file = "catalogue.json"

    @Option(help: ArgumentHelp("The number of the app in the App Store.", valueName: "appAppleId"))
    var app: Int64

    @Option(help: ArgumentHelp("The bundle identifier of the app.", valueName: "bundleId"))
    var bundleId: String

    @Option(
        help: ArgumentHelp("A locale of the messages; en-US if absent. May be repeated.", valueName: "locale")
    )
    var locale: [String] = []

    @Option(help: ArgumentHelp("A product of the app. May be repeated.", valueName: "productId"))
    var product: [String] = []

    @OptionGroup var output: OutputOptions

    func run() throws {
        let namespace = try UUID.random()
        let catalogue = Catalogue.first(
            appAppleId: app, bundleId: bundleId, namespace: namespace,
            locales: locale.isEmpty ? ["en-US"] : locale, products: product)
        let text = catalogue.serialized(pretty: true) + [UInt8(ascii: "\n")]
        // A wrong option would make a file that nothing reads.
        let checked = CheckedCatalogue(text, images: ImageFiles(folder: ".", decodesAll: false))
        guard !checked.hasErrors else {
            throw ToolFailure(
                .badData,
                checked.findings.filter { $0.severity == .error }.map(\.withoutPlace)
            )
        }
        try write(text)
        // Other warnings are about what the author has still to write.
        let code = "catalogue.\(CatalogueReason.unknownLocale.rawValue)"
        for finding in checked.findings where finding.code == code {
            Console.note(finding.inFile(file).text)
        }
        if output.json {
            let members: [(String, JSONNode)] = [
                ("file", .string(file)), ("namespace", .string("\(namespace)")),
            ]
            Console.print(.object(members))
        } else {
            Console.print("\(file): namespace \(namespace)")
        }
    }

    private func write(_ text: [UInt8]) throws(ToolFailure) {
        do throws(SystemCallError) {
            let new = try FileDescriptor.create(
                path: file, permissions: FileCreationMask.permissionsOfFiles())
            try new.write(text.span)
        } catch {
            guard error.reason == .eexist else { throw ToolFailure(writing: file, error) }
            throw ToolFailure(
                .permission, code: "catalogue.exists", "the file is there already, and is not overwritten",
                file: file)
        }
    }
}

extension Finding {
    /// The same finding without a line: nobody sees a text that was not written.
    var withoutPlace: Finding {
        var finding = self
        finding.line = nil
        finding.column = nil
        finding.path = ""
        return finding
    }
}

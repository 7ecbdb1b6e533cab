internal import ArgumentParser
internal import Catalogue
internal import JSON
internal import System
internal import Vocabulary

/// Takes over what is at Apple already.
struct CatalogueAdopt: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Takes over images and messages that are at Apple already.",
        discussion: """
            Apple's lists have identifiers and states, and neither texts nor names nor locales. So adopt works in two \
            steps. --skeleton writes a map: a JSON file with every identifier at Apple that the catalogue does not know, \
            in which you fill in what Apple does not say. --map reads it and adds what it names to the catalogue: images \
            and texts, a pin for each identifier, default messages that the journal knows, and the URL. If there is no \
            catalogue yet, it is made. Nothing is guessed, and nothing that the catalogue has is changed.

            An entry without a name is left out and printed as such. Apple does not list default messages; --refresh \
            asks for each one, of all products in all locales.

            Ends with 0 when everything at Apple has a name in the catalogue, with 1 when something has none.

            Example:
              retentionctl catalogue adopt catalogue.json \\
                --environment Sandbox --bundle-id com.example.app \\
                --skeleton map.json
              retentionctl catalogue adopt catalogue.json \\
                --environment Sandbox --map map.json \\
                --product pro_monthly --refresh
              retentionctl catalogue plan catalogue.json --environment Sandbox
            """
    )

    @OptionGroup var catalogue: OnlineCatalogueOptions

    @Option(
        help: ArgumentHelp(
            "Write a map of what has no name in the catalogue, to be filled in.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var skeleton: String?

    @Option(
        help: ArgumentHelp("The map with names, files, locales and texts.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var map: String?

    @Option(
        help: ArgumentHelp(
            "A locale of a new catalogue besides those of the map. May be repeated.", valueName: "locale")
    )
    var locale: [String] = []

    @Option(help: ArgumentHelp("A product of a new catalogue. May be repeated.", valueName: "productId"))
    var product: [String] = []

    @Flag(help: "Ask Apple for the default message of every product in every locale, one call each.")
    var refresh = false

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (skeleton == nil) != (map == nil) else {
            throw ValidationError("Give either --skeleton or --map.")
        }
        guard catalogue.file != "-", map != "-" else {
            throw ValidationError("The catalogue and the map must be files.")
        }
    }

    func run() throws {
        let exists = (try? FileStatus(path: catalogue.file)) != nil
        guard !exists || locale.isEmpty && product.isEmpty else {
            throw ToolFailure(
                .usage, code: "catalogue.exists",
                "the catalogue is there already, with its locales and products",
                hint: "leave --locale and --product out", file: catalogue.file)
        }
        if let skeleton {
            try OutputPaths.check(writing: [skeleton], reading: try catalogue.inputs())
            let online = exists ? try catalogue.open() : nil
            try OutputPaths.check(writing: [skeleton], reading: online?.local.pictures ?? [])
            try write(skeleton: skeleton, for: online)
        } else if let map {
            try OutputPaths.check(writing: [catalogue.file], reading: [map])
            try adopt(map, exists: exists)
        }
    }

    // MARK: The skeleton

    private func write(skeleton: String, for online: OnlineCatalogue?) throws {
        let connection = try online?.connection ?? catalogue.connect()
        let places = online?.places ?? Self.places(product, locale)
        let (inventory, knowledge) = try ask(connection, places)
        let map = AdoptionSkeleton(
            connection.owner, inventory: inventory, catalogue: online?.resolved, knowledge: knowledge)
        if (try? FileStatus(path: skeleton)) != nil { try consent.ask("Replace \(skeleton)") }
        let text = map.json.serialized(pretty: true) + [UInt8(ascii: "\n")]
        try SystemCallError.mapped(
            to: { ToolFailure(writing: skeleton, $0) },
            try AtomicFile.write(text.span, to: skeleton, permissions: FileCreationMask.permissionsOfFiles())
        )
        guard output.json else {
            Console.print(
                "\(skeleton): \(CountText.of(map.messageCount, "message")) and "
                    + "\(CountText.of(map.imageCount, "image")) without a name"
            )
            return
        }
        Console.print(
            .object([
                ("file", .string(skeleton)), ("messages", .integer(Int64(map.messageCount))),
                ("images", .integer(Int64(map.imageCount))),
            ])
        )
    }

    private static func places(_ products: [String], _ locales: [String]) -> [ProductLocale] {
        products.flatMap { product in locales.map { ProductLocale(product: product, locale: $0) } }
    }

    /// Asks Apple for its lists, the URL and, with `--refresh`, default messages.
    private func ask(_ connection: AppleConnection, _ places: [ProductLocale]) throws -> (
        AppleInventory, JournalKnowledge
    ) {
        let journal = try refresh ? connection.journal() : connection.journalIfPossible()
        if refresh { try connection.refresh(journal, places) }
        let inventory = try connection.inventory(journal, asksURL: true)
        return (inventory, journal.knowledge)
    }

    // MARK: The catalogue

    private func adopt(_ path: String, exists: Bool) throws {
        let text = try Input.read(path, limitBytes: CatalogueLimits.sourceByteCount)
        let map = try CatalogueError.mapped(
            to: { ToolFailure($0, file: path) },
            try AdoptionMap(reading: text)
        )
        try catalogue.check(bundleId: map.bundleId, of: path)
        let local = exists ? try catalogue.read() : try catalogue.read(try newCatalogue(map, path))
        let online = try catalogue.open(local)
        let (inventory, knowledge) = try ask(online.connection, online.places)
        let adoption = try CatalogueError.mapped(
            to: { ToolFailure($0, file: path) },
            try CatalogueAdoption(
                map, to: local.text, images: online.images, inventory: inventory, knowledge: knowledge,
                environment: catalogue.apple.environment)
        )
        let report = adoption.report
        if !output.json {
            Console.print(lines: report.text)
        } else if exists, !consent.confirm {
            for line in report.text { Console.note(line) }
        }
        if exists, report.hasAdditions {
            try consent.ask("Add this to \(catalogue.file)")
            try replace(local.text, by: adoption.text)
        } else if !exists {
            try create(adoption.text)
        }
        if output.json {
            Console.print(.object([("file", .string(catalogue.file))] + report.members))
        }
        if !report.unnamed.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// Returns the text of a new catalogue without messages.
    private func newCatalogue(_ map: AdoptionMap, _ path: String) throws -> [UInt8] {
        guard let number = map.appAppleId else {
            throw ToolFailure(
                .badData, code: "catalogue.missing-key",
                "\"app\" has no \"appAppleId\", which a new catalogue needs", file: path)
        }
        let blank = Catalogue.blank(
            appAppleId: number,
            bundleId: map.bundleId,
            namespace: try UUID.random(),
            locales: locale + map.locales.filter { !locale.contains($0) },
            products: product
        )
        let text = blank.serialized(pretty: true) + [UInt8(ascii: "\n")]
        let checked = CheckedCatalogue(text, images: ImageFiles(folder: catalogue.folder, decodesAll: false))
        let errors = checked.findings.filter { $0.severity == .error }
        guard errors.isEmpty else { throw ToolFailure(.badData, errors.map(\.withoutPlace)) }
        return text
    }

    private func create(_ text: [UInt8]) throws(ToolFailure) {
        do throws(SystemCallError) {
            let permissions = FileCreationMask.permissionsOfFiles()
            try FileDescriptor.create(path: catalogue.file, permissions: permissions).write(text.span)
        } catch {
            throw error.reason == .eexist ? changed() : ToolFailure(writing: catalogue.file, error)
        }
    }

    /// Replaces the catalogue, unless somebody has changed it since it was read.
    private func replace(_ old: [UInt8], by new: [UInt8]) throws {
        guard try Input.read(catalogue.file, limitBytes: CatalogueLimits.sourceByteCount) == old else {
            throw changed()
        }
        let file = catalogue.file
        try SystemCallError.mapped(
            to: { ToolFailure(writing: file, $0) },
            try AtomicFile.write(new.span, to: file, permissions: try FileStatus(path: file).permissions)
        )
    }

    private func changed() -> ToolFailure {
        ToolFailure(
            .no, code: "catalogue.changed",
            "somebody has changed the file in the meantime; nothing was written", hint: "try again",
            file: catalogue.file)
    }
}

internal import AppStoreServerAPI
internal import ArgumentParser
internal import Catalogue
internal import CommandLineTool
internal import JSON
internal import System

struct CatalogueCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Keeps the messages and images of Apple's Retention Messaging API in one file.",
        discussion: """
            The file is described in retention-catalogue(5); check checks it.

            Example:
              retentionctl catalogue adopt catalogue.json --environment Sandbox \\
                --app 6745974591 --bundle-id com.example.app --product pro_monthly
              retentionctl catalogue plan catalogue.json --environment Sandbox
              retentionctl catalogue apply catalogue.json --environment Sandbox
            """,
        subcommands: [
            CataloguePlanCommand.self, CatalogueApplyCommand.self, CatalogueStatusCommand.self,
            CatalogueAdopt.self,
        ]
    )
}

struct CataloguePlanCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Compares a catalogue with what Apple has, and shows what would be done.",
        discussion: """
            Changes nothing at Apple. Apple does not list default messages: the plan goes by what is kept in --state, and \
            says how old that is; --refresh asks Apple for each one. Without a state all default messages would be set \
            again, which changes nothing. Ends with 0 when there is nothing to do, with 2 when there are changes, with 1 \
            when only problems are left.

            Example:
              retentionctl catalogue plan catalogue.json --environment Sandbox
            """
    )

    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let open = try catalogue.open(isWriting: false)
        let plan = CataloguePlan(open.resolved, open.file.state)
        output.print(json: plan.json, lines: plan.text)
        if plan.hasChanges { throw ExitCode(ExitStatus.changes.rawValue) }
        if !plan.problems.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }
}

struct CatalogueAdopt: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Takes over images and messages that are at Apple already, or makes a first catalogue.",
        discussion: """
            Apple's lists have identifiers and states, and neither texts nor names nor locales. So adopt adds an entry \
            with a pinned identifier for everything that the catalogue does not name. Give each entry its name, replace \
            xx-XX and every null, and delete entries that are not needed; check says what is missing. Then run adopt again: it \
            adds the digest of each text and image to its pin, so that a later change is noticed. It also adds the URL, and \
            default messages that are known: Apple does not list them, --refresh asks for each one, of all products in all \
            locales. Nothing that the catalogue has is changed.

            If there is no catalogue yet, it is made from --app, --bundle-id, --locale and --product, with a namespace of its \
            own. Every identifier depends on the namespace, so it never changes.

            Ends with 0, or with 2 when there are entries to be filled in.

            Example:
              retentionctl catalogue adopt catalogue.json --environment Sandbox \\
                --app 6745974591 --bundle-id com.example.app --product pro_monthly
            """
    )

    @OptionGroup var catalogue: CatalogueOptions

    @Option(help: "The number of the app in the App Store, for a new catalogue.")
    var app: Int64?

    @Option(help: "A locale of a new catalogue; en-US if absent. May be repeated.")
    var locale: [String] = []

    @Option(help: "A product of a new catalogue. May be repeated.")
    var product: [String] = []

    @OptionGroup var output: OutputOptions

    func run() throws {
        let exists = (try? FileStatus(path: catalogue.file)) != nil
        let state = try exists ? catalogue.open(isWriting: false).file.state : look()
        let source =
            try exists
            ? Input.read(catalogue.file, limitBytes: CatalogueLimits.sourceByteCount)
            : newCatalogue(isFirst: state.listed.isEmpty)
        let adoption = try ToolError.about(catalogue.file) {
            try CatalogueAdoption(source, images: catalogue.images, state, catalogue.apple.environment)
        }
        if !exists || adoption.hasAdditions {
            try ToolError.about(catalogue.file) {
                try AtomicFile.write(
                    adoption.text.span, to: catalogue.file,
                    permissions: (try? FileStatus(path: catalogue.file))?.permissions
                        ?? FileCreationMask.permissionsOfFiles())
            }
        }
        output.print(
            json: .object([("file", .string(catalogue.file))] + adoption.members),
            lines: [catalogue.file] + adoption.report)
        if !adoption.items.isEmpty { throw ExitCode(ExitStatus.changes.rawValue) }
    }

    private var locales: [String] { locale.isEmpty ? ["en-US"] : locale }

    private func look() throws -> AppleState {
        guard app != nil else {
            throw ToolError(
                .usage, code: "catalogue.missing-key",
                "there is no such file, and a new catalogue needs --app",
                file: catalogue.file)
        }
        return try catalogue.look(bundleId: nil, product, locales).file.state
    }

    private func newCatalogue(isFirst: Bool) throws -> [UInt8] {
        let bundleId = try AppleSettings(catalogue.apple.access).bundleId ?? ""
        let new = Catalogue.new(
            appAppleId: app ?? 0, bundleId: bundleId, namespace: UUID.random(), locales: locales,
            products: product, hasMessage: isFirst)
        return new.serialized(pretty: true) + [UInt8(ascii: "\n")]
    }
}

internal import AppStoreServerAPI
internal import ArgumentParser
internal import Authoring
internal import CommandLineTool
internal import Facts
internal import Rules
internal import System

struct Compile: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compiles rules into the file that the service loads.",
        discussion: """
            Writes rules that stand alone: the author's JSON with the files that it includes, with the identifiers of \
            messages from a catalogue, and with the identifiers that Apple has not approved. Rules that need none of \
            these can be pushed as they are.

            If the rules have errors, the command prints them and writes nothing. Each error has its line and column; \
            a test that fails is an error too. The command prints up to 100 errors and counts the others. Some errors \
            are printed alone, because the tool does not guess what was meant: a text that is not JSON, an object with \
            a key twice, and a number beyond 64 bits.

            The output file is replaced as a whole or not at all. Equal rules, options and states give equal bytes.

            With a catalogue, the rules may serve its messages by their names and need no `messages` and `products` of \
            their own, nor with --environment an `environment`. A \
            message that is PENDING or REJECTED, or has such an image, is compiled so that it is not served. The states \
            are those that catalogue plan, apply or status saw last at Apple. The command warns about each such locale and \
            says what the subscribers get until Apple approves. A test that fails only for this reason is a warning as \
            well, and the daemon does not refuse the file for it.

            Example:
              retentionctl compile rules.json --catalogue catalogue.json \\
                -o com.example.app.rules.json

            Rules with an offer, at most one in 180 days. Who has no record in the facts gets it, too, since "whenUnknown" says so:
              { "format": 1,
                "app": { "appAppleId": 6745974591, "bundleId": "com.example.app" },
                "environment": "Sandbox",
                "locales": { "last": "en-US" },
                "facts": { "offersAccepted": "int", "lastOfferAt": "date" },
                "messages": { "half_price": { "kind": "offer",
                  "ids": { "en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc" } } },
                "caps": { "offer": { "maxAccepted": 1, "minDaysSinceLast": 180,
                  "whenUnknown": "allow" } },
                "rules": [ { "id": "monthly",
                  "when": { "fact": "productId", "eq": "pro_monthly" },
                  "serve": { "offer": "half_price", "productId": "pro_monthly",
                    "offerIdentifier": "save50_3m" } } ],
                "tests": [ { "name": "a monthly plan gets the offer",
                  "given": { "productId": "pro_monthly", "userLocale": "en-US",
                    "originalTransactionId": "2000000001",
                    "now": "2026-11-21T00:00:00Z" },
                  "expect": { "rule": "monthly" } } ] }
            """
    )

    @Argument(help: "The rules in JSON; - for standard input.", completion: .file(extensions: ["json"]))
    var source: String

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write; its name ends with .rules.json.", valueName: "file")
    )
    var outputFile: String

    @OptionGroup var catalogue: CatalogueOption

    @OptionGroup var environment: RulesEnvironmentOption

    @Option(
        help: ArgumentHelp(
            "The directory with Apple's states that the catalogue's commands keep; .retention beside the catalogue if absent.",
            valueName: "dir"),
        completion: .directory
    )
    var state: String?

    @Option(
        help: ArgumentHelp(
            "The server whose states count, when it is not Apple's, or RETENTIONCTL_BASE_URL.",
            valueName: "url"))
    var baseUrl: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try DataFileOutput.checkName(outputFile, ending: ".rules.json")
        try OutputPaths.check(
            writing: [outputFile], reading: [source, catalogue.catalogue].compactMap(\.self))
    }

    func run() throws {
        let text = try RulesSourceFile(source)
        var options = RulesCompilerOptions(
            catalogue: try catalogue.messages(environment: environment.environment))
        var input = try RulesInput(text, options: options)
        try environment.check(input)
        if let directory = state ?? catalogue.stateDirectory {
            let server = try AppStoreServer(
                environment: input.rules.environment, baseURL: baseUrl ?? AppleSettings.variable("BASE_URL"))
            options.states = try .kept(
                in: directory, bundleId: input.rules.bundleId, input.rules.environment,
                server: server.otherThanApple)
            input = try RulesInput(text, options: options)
        }
        try input.checkTests(.data)
        input.reportWaiting()
        try ToolError.about(outputFile) {
            try AtomicFile.write(
                input.resolved.text.span, to: outputFile, permissions: FileCreationMask.permissionsOfFiles())
        }
        Report(input.members, title: outputFile).print(json: output.json)
    }
}

internal import AppStoreServerAPI
internal import ArgumentParser
internal import Authoring
internal import Catalogue
internal import CommandLineTool
internal import Facts
internal import Rules
internal import System

struct Compile: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compiles rules into the file that the service loads.",
        discussion: """
            Writes rules that stand alone: the author's JSON with the files that it includes, with the identifiers of \
            messages from a catalogue, and with those that Apple has not approved. Rules that need none of these can be \
            pushed as they are.

            Errors, each with its line and column, and tests that fail are printed, and nothing is written. The output file is \
            replaced as a whole or not at all. Equal rules, options and states give equal bytes.

            With a catalogue, the rules may serve its messages by their names and need no `messages` and `products` of \
            their own, nor with --environment an `environment`. A message that is PENDING or REJECTED, or has such an \
            image, is compiled so that it is not served; the command warns of it and says what the subscribers get until \
            then. The states are those that catalogue plan, apply or status saw last at Apple. A test that fails only for this \
            reason is a warning, and the daemon does not refuse the file for it.

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

    @Argument(help: "The rules in JSON; - for standard input.", completion: .json)
    var source: String

    @Option(name: [.customShort("o"), .long], help: "The file to write; its name ends with .rules.json.")
    var outputFile: String

    @OptionGroup var catalogue: CatalogueOption
    @OptionGroup var environment: RulesEnvironmentOption

    @Option(
        help: "Where the catalogue's commands keep Apple's states; .retention beside it if absent.",
        completion: .directory)
    var state: String?

    @Option(help: "The server whose states count, when it is not Apple's, or RETENTIONCTL_BASE_URL.")
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
        if let directory = state ?? catalogue.catalogue.map(StateFile.directory) {
            let server = try AppStoreServer(
                environment: input.rules.environment, baseURL: baseUrl ?? AppleSettings.variable("BASE_URL"))
            options.states = try .kept(
                in: directory, bundleId: input.rules.bundleId, input.rules.environment,
                server: server.otherThanApple)
            input = try RulesInput(text, options: options)
        }
        try input.checkTests(.data)
        input.reportWaiting()
        try Output.write(input.resolved.text, to: outputFile)
        Report(input.members, title: outputFile).print(json: output.json)
    }
}

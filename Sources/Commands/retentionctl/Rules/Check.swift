internal import ArgumentParser
internal import Authoring
internal import Catalogue
internal import CommandLineTool
internal import Facts
internal import JSON
internal import Rules
internal import SubscriberHistory
internal import System

struct Check: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks rules, catalogues and facts files, and runs the tests of rules.",
        discussion: """
            Sees from its content what a file is. Nothing is asked of Apple or of a host.

            Rules are compiled and their tests run. Then the command looks for what is probably a mistake: rules that \
            are never reached, windows that overlap, salts that are repeated, products without a message in some locale, \
            declarations that nothing uses, products that are not declared, offers without caps, switches that may leave the \
            subscription group, windows and holdouts that are over, and rules without a test.

            With --facts, rules are also compared with your subscribers: facts that the file lacks, a unit of a rollout \
            or of arms of which more than 1 percent have the same value, texts that no subscriber has (such as the \
            storefront JP, which is JPN), and, as a note, numbers beyond those of all subscribers.

            A catalogue is checked with its images: lengths, locales, default messages, dimensions and transparency. \
            What Apple refuses is an error; what Apple does not document, or is probably not meant, a warning. A facts \
            file is read to its last byte, as the service does when it loads it.

            Ends with 0 if there are only notes, with 1 if there are warnings, with 65 if there are errors or tests that \
            fail. --format github annotates changes on GitHub; sarif and junit are for other build servers.

            Example:
              retentionctl check rules.json --catalogue catalogue.json \\
                --ignore untested-rule
              retentionctl check catalogue.json
              retentionctl check rules.json --facts com.example.app.facts
            """
    )

    @Argument(
        help: "Rules, catalogues or facts files; - for standard input.",
        completion: .file(extensions: ["json", "facts"]))
    var files: [String]

    @OptionGroup var catalogue: CatalogueOption
    @OptionGroup var environment: RulesEnvironmentOption

    @Option(help: "A facts file, with which to compare the rules.", completion: .facts)
    var facts: String?

    @Option(help: "The time for windows: RFC 3339 or milliseconds since 1970; now if absent.")
    var at: TimeArgument?

    @Option(help: "The code of a warning or note to leave out, such as untested-rule. May be repeated.")
    var ignore: [IgnoredCode] = []

    @Option(help: "text, json, github, sarif or junit.")
    var format: CheckFormat?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (files + [catalogue.catalogue]).count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Only one of the inputs can be standard input.")
        }
    }

    func run() throws {
        let checked = files.map(check)
        (format ?? (output.json ? .json : .text)).print(checked)
        let worst = checked.map(\.status.rawValue).max() ?? 0
        if worst > 0 { throw ExitCode(worst) }
    }

    private func check(_ path: String) -> CheckedFile {
        var file = CheckedFile(path: path)
        do {
            if try CompiledFacts.isFacts(path) {
                file.members = CompiledFacts.members(of: try CompiledFacts.checked(path), hasCounts: true)
                return file
            }
            let text = try Input.read(path)
            if Self.isCatalogue(text) { checkCatalogue(text, &file) } else { try checkRules(text, &file) }
        } catch {
            let failure = ToolError(error)
            file.findings = failure.findings
            file.status = failure.exitStatus
        }
        return file
    }

    /// Only a catalogue has a namespace, and only in a catalogue are the locales a list.
    private static func isCatalogue(_ text: [UInt8]) -> Bool {
        guard case .object(let members)? = JSONNode(parsing: text.withoutByteOrderMark) else { return false }
        return members.contains { name, value in
            if name == "locales", case .array = value { true } else { name == "namespace" }
        }
    }

    private func checkCatalogue(_ text: [UInt8], _ file: inout CheckedFile) {
        let images = ImageFiles(folder: AtomicFile.split(file.path).directory, decodesAll: true)
        let checked = CheckedCatalogue(text, images: images, ignoring: Set(ignore.compactMap(\.catalogue)))
        let catalogue = checked.catalogue
        file.findings = checked.findings.map { $0.inFile(file.path) }
        file.members = [
            ("kind", .string("catalogue")), ("appAppleId", .integer(catalogue.appAppleId)),
            ("bundleId", .string(catalogue.bundleId)),
            ("locales", .array(catalogue.locales.map { .string($0) })),
            ("messages", JSONNode(catalogue.messages.count)), ("images", JSONNode(catalogue.images.count)),
        ]
    }

    private func checkRules(_ text: [UInt8], _ file: inout CheckedFile) throws {
        let source = try RulesSourceFile(file.path, text)
        let options = RulesCompilerOptions(
            catalogue: try catalogue.messages(environment: environment.environment))
        let input = try RulesInput(source, options: options)
        try environment.check(input)
        let known = try facts.map { try KnownFacts($0, for: input) }
        let findings = try RulesSourceError.mapped(
            to: source.failure,
            try Lint.findings(
                in: source.bytes, now: at?.milliseconds ?? Clock.wallMilliseconds(), options: options,
                ignoring: Set(ignore.compactMap(\.lint)), facts: known?.facts))
        file.tests = EmbeddedTests.run(input.resolved.model, input.rules)
        file.findings = source.placed(findings) + input.failedTests
        file.members =
            input.members + [
                (
                    "tests",
                    .object([
                        ("pass", JSONNode(file.tests.count { $0.differences.isEmpty })),
                        ("wait", JSONNode(file.tests.count(where: \.awaitsApproval))),
                        ("fail", JSONNode(file.tests.count { !$0.passes })),
                    ])
                )
            ]
        if let known { file.members.append(("comparedWithSubscribers", JSONNode(known.rowCount))) }
    }
}

private struct KnownFacts {
    let facts: LintFacts
    let rowCount: Int

    init(_ path: String, for input: RulesInput) throws {
        let file = try FactsSource(try CompiledFacts.checked(path), path, for: input.rules).file
        rowCount = file.rowCount
        // Nobody may have one of these values now, and somebody tomorrow.
        var values = input.enumerations.mapValues { Set($0) }
        values[SubscriberFact.billingPlanType.name] = Set(BillingPlanType.allCases.map(\.rawValue))
        for fact in SubscriberFact.allCases {
            values[fact.name, default: []].formUnion(FactType(fact.type)?.values ?? [])
        }
        facts = LintFacts(file, possibleValues: values)
    }
}

internal import Catalogue
internal import DataFileWriting
internal import DataFiles
internal import RulesCompiler
internal import System
internal import Vocabulary
internal import RulesReading

/// A rules source that compiles, with what lint, its tests and Apple's states say about it.
struct CheckedRules {
    let path: String
    let text: [UInt8]
    let model: RulesModel
    let catalogue: CatalogueMessages?
    /// The findings of lint that are not warnings.
    let notes: [Finding]

    /// Reads the source and checks everything that can be checked without Apple and without a host.
    ///
    /// - Throws: the errors of the source; `publish.other-environment`, `publish.lint-warnings`, `embedded-test-failed`.
    init(
        _ path: String, environment: Environment, catalogue: CatalogueMessages?,
        ignoring ignored: Set<LintCheck>
    ) throws(ToolFailure) {
        self.path = path
        self.catalogue = catalogue
        text = try Input.read(path)
        let failure = { (error: RulesSourceError) in ToolFailure(error, file: path) }
        let options = RulesCompilerOptions(catalogue: catalogue)
        model = try RulesSourceError.mapped(
            to: failure, try RulesCompiler.model(of: text, options: options))
        guard model.environment == environment else {
            throw ToolFailure(
                .badData, code: "publish.other-environment",
                "these are rules for \(model.environment.rawValue), and --environment says \(environment.rawValue)",
                file: path)
        }
        let findings = try RulesSourceError.mapped(
            to: failure,
            try Lint.findings(in: text, now: Clock.wallMilliseconds(), options: options, ignoring: ignored)
        ).map { $0.inFile(path) }
        let warnings = findings.count { $0.severity == .warning }
        guard warnings == 0 else {
            let text = "lint has \(CountText.of(warnings, "warning"))"
            let hint = "correct the rules, or leave a finding out with --ignore"
            throw ToolFailure(
                .no, findings + [Finding(code: "publish.lint-warnings", text, hint: hint, file: path)])
        }
        notes = findings
        // The file is only tested, so its stamp does not matter.
        let stamp = DataFileStamp(
            generation: 1, builtAtMilliseconds: 0, writerVersion: StampOptions.writerVersion)
        _ = try compiled(stamp, Inventory(messages: [:]), masks: false)
    }

    /// Returns what the rules, and the catalogue's default messages, name that Apple has not approved.
    func obstacles(_ inventory: Inventory, _ catalogueFile: CatalogueFile?) throws(ToolFailure) -> [Finding] {
        let found = ApprovalGate.findings(
            in: text, model: model, inventory: inventory, catalogue: catalogue,
            locales: catalogueFile?.checked.catalogue.locales ?? []
        ).map { $0.inFile(path) }
        guard let file = catalogueFile, !model.killSwitch else { return found }
        let approved = inventory.approvedMessages(imagesOf: catalogue)
        let defaults = try CatalogueError.mapped(
            to: { ToolFailure($0, file: file.path) },
            try file.checked.unapprovedDefaults(in: model.environment, source: file.text, approved: approved)
        )
        return found + defaults.map { $0.inFile(file.path) }
    }

    /// Compiles the rules so that no message is served that Apple has not approved, and runs their tests.
    func compiled(_ stamp: DataFileStamp, _ inventory: Inventory) throws(ToolFailure) -> [UInt8] {
        try compiled(stamp, inventory, masks: true)
    }

    private func compiled(_ stamp: DataFileStamp, _ inventory: Inventory, masks: Bool) throws(ToolFailure)
        -> [UInt8]
    {
        var options = RulesCompilerOptions(allowsPending: true, catalogue: catalogue)
        let identifiers = model.messages.flatMap { $0.identifiers.map(\.identifier) }
        if masks { options.inventory = inventory.adding(pending: identifiers) }
        let bytes = try RulesSourceError.mapped(
            to: { ToolFailure($0, file: path) },
            try RulesCompiler.compile(text, stamp: stamp, options: options)
        )
        let failures = RulesCompiler.failedTests(of: try CompiledFile.open(bytes, path: path), source: text)
        guard failures.isEmpty else { throw ToolFailure(.no, failures.map { $0.inFile(path) }) }
        return bytes
    }
}

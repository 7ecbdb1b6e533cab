internal import Catalogue
internal import DataFiles
internal import RulesCompiler
internal import System
internal import Vocabulary
internal import RulesReading

/// A rules source that compiles, with what lint, its tests and Apple's states say about it.
struct CheckedRules {
    let source: RulesSourceFile
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
        self.catalogue = catalogue
        source = try RulesSourceFile(path)
        let options = RulesCompilerOptions(catalogue: catalogue)
        model = try RulesSourceError.mapped(
            to: source.failure, try RulesCompiler.model(of: source.bytes, options: options))
        guard model.environment == environment else {
            throw ToolFailure(
                .badData, code: "publish.other-environment",
                "these are rules for \(model.environment.rawValue), and --environment says \(environment.rawValue)",
                file: path)
        }
        let findings = source.placed(
            try RulesSourceError.mapped(
                to: source.failure,
                try Lint.findings(
                    in: source.bytes, now: Clock.wallMilliseconds(), options: options, ignoring: ignored)
            )
        )
        let warnings = findings.count { $0.severity == .warning }
        guard warnings == 0 else {
            let text = "lint has \(CountText.of(warnings, "warning"))"
            let hint = "correct the rules, or leave a finding out with --ignore"
            throw ToolFailure(
                .no, findings + [Finding(code: "publish.lint-warnings", text, hint: hint, file: path)])
        }
        notes = findings
        _ = try resolved(options)
    }

    /// Returns what the rules, and the catalogue's default messages, name that Apple has not approved.
    func obstacles(_ inventory: Inventory, _ catalogueFile: CatalogueFile?) throws(ToolFailure) -> [Finding] {
        let found = source.placed(
            ApprovalGate.findings(
                in: source.bytes, model: model, inventory: inventory, catalogue: catalogue,
                locales: catalogueFile?.checked.catalogue.locales ?? []
            ))
        guard let file = catalogueFile, !model.killSwitch else { return found }
        let approved = inventory.approvedMessages(imagesOf: catalogue)
        let defaults = try CatalogueError.mapped(
            to: { ToolFailure($0, file: file.path) },
            try file.checked.unapprovedDefaults(in: model.environment, source: file.text, approved: approved)
        )
        return found + defaults.map { $0.inFile(file.path) }
    }

    /// Resolves the rules so that no message is served that Apple has not approved, and runs their tests.
    func resolved(_ inventory: Inventory) throws(ToolFailure) -> RulesInput {
        let identifiers = model.messages.flatMap { $0.identifiers.map(\.identifier) }
        return try resolved(
            RulesCompilerOptions(
                inventory: inventory.adding(pending: identifiers), allowsPending: true, catalogue: catalogue))
    }

    private func resolved(_ options: RulesCompilerOptions) throws(ToolFailure) -> RulesInput {
        let input = try RulesInput(source, options: options)
        try input.checkTests(.no)
        return input
    }
}

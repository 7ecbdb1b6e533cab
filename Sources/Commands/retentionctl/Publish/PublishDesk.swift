internal import Authoring
internal import Catalogue
internal import CommandLineTool
internal import Facts
internal import Rules
internal import System

/// The work of `publish` on this machine: checks, compiles and compares.
struct PublishDesk {
    private let command: Publish
    /// The rules with Apple's states of what they serve; nil when facts alone are published.
    private let rules: (checked: CheckedRules, states: ReviewStates)?
    private let catalogue: CatalogueFile?

    /// Checks the rules and asks for Apple's states.
    init(_ command: Publish) throws {
        self.command = command
        catalogue = try command.approval.catalogue.catalogue.map { try CatalogueFile($0) }
        guard let source = command.source else {
            rules = nil
            return
        }
        var messages = try catalogue?.messages()
        messages?.environment = command.apple.environment
        let checked = try CheckedRules(
            source, environment: command.apple.environment, catalogue: messages,
            ignoring: Set(command.ignore.compactMap(\.lint)))
        let bundleId = checked.model.bundleId
        guard command.apple.bundleId == nil || command.apple.bundleId == bundleId else {
            throw ToolError(
                .usage, code: "input.other-app", "these are the rules of \(bundleId)",
                hint: "leave --bundle-id out", file: source)
        }
        rules = (checked, try command.approval.states(command.apple, bundleId: bundleId))
    }

    /// Returns what is served and not approved, as warnings.
    ///
    /// - Throws: the same as errors, when that stops the rules.
    func obstacles() throws -> [Finding] {
        guard let (checked, states) = rules else { return [] }
        let found = try checked.obstacles(states, catalogue)
        let stops = checked.model.environment == .production && !command.approval.allowPending
        guard !stops || found.isEmpty else { throw ToolError(.no, found) }
        let warnings = found.map { finding in
            var warning = finding
            if warning.severity == .error { warning.severity = .warning }
            return warning
        }
        // They go to standard error: with --json they are in the document as well.
        Console.report(checked.notes + warnings, json: false)
        return warnings
    }

    /// Resolves the rules and calls `body` with the files to publish, the rules last. The rules lie in a directory that is
    /// removed at the end.
    func withFiles(_ body: ([PublishedFile], RulesInput?) throws -> Void) throws {
        let input = try rules.map { checked, states in try checked.resolved(states) }
        let name =
            command.name ?? input.map { "\($0.rules.bundleId).\($0.rules.environment.rawValue)" }
            ?? AtomicFile.split(command.facts ?? "").name.replacing(".facts", with: "")
        guard DataFileName.kind(of: "\(name).rules.json") != nil else {
            throw ToolError(
                .usage, code: "publish.bad-argument",
                "\"\(name).rules.json\" cannot be the name of a file on a host", hint: "--name")
        }
        var files: [PublishedFile] = []
        if let path = command.facts {
            let facts = try CompiledFacts.checked(path)
            if let input { _ = try FactsSource(facts, path, for: input.rules) }
            guard facts.header.environment == command.apple.environment else {
                throw ToolError(
                    code: "input.other-app", "these are facts of \(facts.header.owner)",
                    file: path)
            }
            files.append(
                PublishedFile(
                    path: path, kind: .facts, appAppleId: facts.header.appAppleId,
                    environment: facts.header.environment, digest: facts.header.digest,
                    rowCount: facts.rowCount, usualName: "\(name).facts"))
        }
        guard let input else { return try body(files, nil) }
        let rules = input.rules
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let path = try folder.write(input.resolved.text, name: "new.rules.json")
        files.append(
            PublishedFile(
                path: path, kind: .rules, appAppleId: rules.appAppleId, environment: rules.environment,
                digest: rules.digest, rowCount: nil, usualName: "\(name).rules.json"))
        try body(files, input)
    }

    func publication(
        _ files: [PublishedFile], _ input: RulesInput?, _ states: [HostState], _ obstacles: [Finding]
    ) throws -> Publication {
        var states = states
        var groups: [(served: ServedPool.File, hosts: [PublishHost])] = []
        for index in states.indices {
            guard case .success(let pool) = states[index].pool,
                let served = files.last?.predecessor(in: pool)
            else { continue }
            states[index].isCurrent = files.allSatisfy { $0.isServed(by: pool) } && pool.refusal == nil
            guard input != nil else { continue }
            if let place = groups.firstIndex(where: { $0.served.digest == served.digest }) {
                groups[place].hosts.append(states[index].host)
            } else {
                groups.append((served, [states[index].host]))
            }
        }
        let comparisons = try groups.map { served, hosts in
            let old = try served.content.map {
                try RulesInput(try RulesSourceFile("\(hosts[0]): \(served.name)", $0))
            }
            return Publication.Comparison(
                hosts: hosts, served: served,
                changes: old.map {
                    RulesDifference(from: $0.source.bytes, to: input?.resolved.text ?? [])
                },
                decisions: try old.flatMap { old in
                    try input.flatMap { try decisions(from: old.rules, to: $0.rules) }
                })
        }
        return Publication(
            input: input, files: files, statesSource: command.approval.source, obstacles: obstacles,
            states: states, comparisons: comparisons)
    }

    private func decisions(from old: RulesFile, to new: RulesFile) throws -> DiffReport? {
        guard let sample = command.sample else { return nil }
        let diff = DecisionDiff(
            samplePath: sample, factsPath: command.facts, identifierKeyPath: nil, atMilliseconds: nil,
            exampleCount: 3)
        return try diff.report(old: old, new: new)
    }
}

/// A directory of this process that only its user can enter.
struct ScratchFolder {
    private let path: String

    /// Makes the directory in TMPDIR, or in /tmp.
    init() throws {
        let parent = ProcessEnvironment.value(of: "TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        path = "\(parent)/retentionctl-\(Processes.current)-\(UInt64.random(in: 0...UInt64.max))"
        let path = path
        try ToolError.about(parent) { try Directory.make(path: path, permissions: 0o700) }
    }

    func write(_ bytes: [UInt8], name: String) throws -> String {
        let file = "\(path)/\(name)"
        try ToolError.about(file) { try AtomicFile.write(bytes.span, to: file, permissions: 0o600) }
        return file
    }

    func remove() {
        guard let directory = try? FileDescriptor.openDirectory(path: path) else { return }
        for name in (try? Directory.names(in: directory, limitCount: 100)) ?? [] {
            try? Directory.removeFile(path: "\(path)/\(name)")
        }
        try? Directory.removeEmpty(path: path)
    }
}

/// A rules source that compiles, with what lint, its tests and Apple's states say about it.
struct CheckedRules {
    let source: RulesSourceFile
    let model: RulesModel
    let catalogue: CatalogueMessages?
    /// The findings of lint that are not warnings.
    let notes: [Finding]

    /// Reads the source and checks everything that can be checked without Apple and without a host.
    ///
    /// - Throws: the errors of the source; `input.other-app`, `publish.lint-warnings`, `embedded-test-failed`.
    init(
        _ path: String, environment: Environment, catalogue: CatalogueMessages?,
        ignoring ignored: Set<LintCheck>
    ) throws {
        self.catalogue = catalogue
        source = try RulesSourceFile(path)
        let options = RulesCompilerOptions(catalogue: catalogue)
        model = try RulesSourceError.mapped(
            to: source.failure, try RulesCompiler.model(of: source.bytes, options: options))
        guard model.environment == environment else {
            throw ToolError(
                code: "input.other-app",
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
            throw ToolError(
                .no, findings + [Finding(code: "publish.lint-warnings", text, hint: hint, file: path)])
        }
        notes = findings
        _ = try resolved(options)
    }

    /// Returns what the rules, and the catalogue's default messages, name that Apple has not approved.
    func obstacles(_ states: ReviewStates, _ catalogueFile: CatalogueFile?) throws -> [Finding] {
        let found = source.placed(
            ApprovalGate.findings(
                in: source.bytes, model: model, states: states, catalogue: catalogue,
                locales: catalogueFile?.checked.catalogue.locales ?? []
            ))
        guard let file = catalogueFile, !model.killSwitch else { return found }
        let approved = states.approvedMessages(imagesOf: catalogue)
        let defaults = try ToolError.about(file.path) {
            try file.checked.unapprovedDefaults(in: model.environment, source: file.text, approved: approved)
        }
        return found + defaults.map { $0.inFile(file.path) }
    }

    /// Resolves the rules so that no message is served that Apple has not approved, and runs their tests.
    func resolved(_ states: ReviewStates) throws -> RulesInput {
        try resolved(RulesCompilerOptions(states: states, catalogue: catalogue))
    }

    private func resolved(_ options: RulesCompilerOptions) throws -> RulesInput {
        let input = try RulesInput(source, options: options)
        try input.checkTests(.no)
        return input
    }
}

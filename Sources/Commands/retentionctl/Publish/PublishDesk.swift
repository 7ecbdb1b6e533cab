internal import Catalogue
internal import DataFiles
internal import Publishing
internal import RulesCompiler
internal import System
internal import Vocabulary

/// The work of `publish` on this machine: checks, compiles and compares.
struct PublishDesk {
    private let command: Publish
    private let checked: CheckedRules
    private let catalogue: CatalogueFile?
    private let inventory: Inventory

    /// Checks the rules and asks for Apple's states.
    init(_ command: Publish) throws {
        self.command = command
        let catalogue = try command.approval.catalogue.catalogue.map { path throws(ToolFailure) in
            try CatalogueFile(path)
        }
        self.catalogue = catalogue
        checked = try CheckedRules(
            command.source, environment: command.apple.environment, catalogue: try catalogue?.messages(),
            ignoring: Set(command.ignore.map(\.check)))
        let bundleId = checked.model.bundleId
        guard command.apple.bundleId == nil || command.apple.bundleId == bundleId else {
            throw ToolFailure(
                .usage, code: "publish.other-app", "these are the rules of \(bundleId)",
                hint: "leave --bundle-id out", file: command.source)
        }
        inventory = try command.approval.states(command.apple, bundleId: bundleId)
    }

    /// Returns what is served and not approved, as warnings.
    ///
    /// - Throws: the same as errors, when that stops the rules.
    func obstacles() throws -> [Finding] {
        let found = try checked.obstacles(inventory, catalogue)
        let stops = checked.model.environment == .production && !command.approval.allowPending
        guard !stops || found.isEmpty else { throw ToolFailure(.no, found) }
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
    func withFiles(_ body: ([PublishedFile], RulesInput) throws -> Void) throws {
        let input = try checked.resolved(inventory)
        let rules = input.rules
        let name = command.name ?? "\(rules.bundleId).\(rules.environment.rawValue)"
        guard DataFileName.kind(of: "\(name).rules.json") != nil else {
            throw ToolFailure(
                .usage, code: "publish.bad-name",
                "\"\(name).rules.json\" cannot be the name of a file on a host", hint: "--name")
        }
        var files: [PublishedFile] = []
        if let path = command.facts {
            let facts = try CompiledFacts.open(path, check: .full)
            _ = try FactsSource(facts, path, for: rules)
            files.append(
                PublishedFile(
                    path: path, kind: .facts, appAppleId: facts.header.appAppleId,
                    environment: facts.header.environment, digest: facts.header.digest,
                    rowCount: facts.rowCount, usualName: "\(name).facts"))
        }
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let path = try folder.write(input.resolved.text, name: "new.rules.json")
        files.append(
            PublishedFile(
                path: path, kind: .rules, appAppleId: rules.appAppleId, environment: rules.environment,
                digest: rules.digest, rowCount: nil, usualName: "\(name).rules.json"))
        try body(files, input)
    }

    /// Compares the files with what each host serves.
    func publication(
        _ files: [PublishedFile], _ input: RulesInput, _ states: [HostState], _ obstacles: [Finding]
    ) throws -> Publication {
        var states = states
        var groups: [(served: ServedPool.File, hosts: [PublishHost])] = []
        for index in states.indices {
            guard case .success(let pool) = states[index].pool,
                let served = files.last?.predecessor(in: pool)
            else { continue }
            if let place = groups.firstIndex(where: { $0.served.digest == served.digest }) {
                groups[place].hosts.append(states[index].host)
            } else {
                groups.append((served, [states[index].host]))
            }
            states[index].isCurrent = files.allSatisfy { $0.isServed(by: pool) } && pool.refusal == nil
        }
        let comparisons = try groups.map { served, hosts in
            let old = try served.content.map {
                try RulesInput(try RulesSourceFile("\(hosts[0]): \(served.name)", $0))
            }
            return Publication.Comparison(
                hosts: hosts, served: served,
                changes: old.map { RulesDifference(from: $0.source.bytes, to: input.resolved.text) },
                decisions: try old.flatMap { try decisions(from: $0.rules, to: input.rules) })
        }
        return Publication(
            input: input, files: files, statesSource: command.approval.source, obstacles: obstacles,
            states: states, comparisons: comparisons)
    }

    /// Decides the sample; nil without one.
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
    init() throws(ToolFailure) {
        let parent = ProcessEnvironment.value(of: "TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        path = "\(parent)/retentionctl-\(Processes.current)-\(UInt64.random(in: 0...UInt64.max))"
        try SystemCallError.mapped(
            to: { ToolFailure(writing: parent, $0) },
            try Directory.make(path: path, permissions: 0o700)
        )
    }

    /// Writes a file and returns its path.
    func write(_ bytes: [UInt8], name: String) throws(ToolFailure) -> String {
        let file = "\(path)/\(name)"
        try SystemCallError.mapped(
            to: { ToolFailure(writing: file, $0) },
            try AtomicFile.write(bytes.span, to: file, permissions: 0o600)
        )
        return file
    }

    /// Removes the directory and its files.
    func remove() {
        guard let directory = try? FileDescriptor.openDirectory(path: path) else { return }
        for name in (try? Directory.names(in: directory, limitCount: 100)) ?? [] {
            try? Directory.removeFile(path: "\(path)/\(name)")
        }
        try? Directory.removeEmpty(path: path)
    }
}

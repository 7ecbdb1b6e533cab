internal import AppStoreServerAPI
internal import Authoring
internal import Catalogue
internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
internal import Rules
internal import System

struct CheckedRules {
    /// The rules as they are published: no message is served that Apple has not approved.
    let input: RulesInput
    let obstacles: [Finding]
    let statesSource: String?

    /// Reads the source and checks everything that can be checked without a host.
    init(_ path: String, _ command: Publish) throws {
        let catalogue = try command.catalogue.catalogue.map { try CatalogueFile($0) }
        var messages = try catalogue?.messages()
        messages?.environment = command.environment.environment
        var options = RulesCompilerOptions(catalogue: messages)
        let source = try RulesSourceFile(path)
        let unmarked = try RulesInput(source, options: options)
        try command.environment.check(unmarked)
        let model = unmarked.resolved.model
        let notes = try Self.lint(source, options, Set(command.ignore.compactMap(\.lint)))
        try unmarked.checkTests(.no)
        guard command.apple.bundleId == nil || command.apple.bundleId == model.bundleId else {
            throw ToolError(
                .usage, code: "input.other-app", "these are the rules of \(model.bundleId)",
                hint: "leave --bundle-id out", file: path)
        }
        Console.report(notes, json: false)
        // Apple knows nothing of rules that are tested locally.
        guard model.environment == .production || model.environment == .sandbox else {
            (input, obstacles, statesSource) = (unmarked, [], nil)
            return
        }
        let states = try command.states(bundleId: model.bundleId, model.environment)
        statesSource = command.state ?? "Apple"
        obstacles = try Self.obstacles(source, model, states, catalogue, messages, command)
        options.states = states
        options.hasEveryState = true
        input = try RulesInput(source, options: options)
        try input.checkTests(.no)
    }

    /// Returns the notes of lint. Warnings stop the rules.
    private static func lint(
        _ source: RulesSourceFile, _ options: RulesCompilerOptions, _ ignored: Set<LintCheck>
    ) throws -> [Finding] {
        let findings = source.placed(
            try RulesSourceError.mapped(
                to: source.failure,
                try Lint.findings(
                    in: source.bytes, now: Clock.wallMilliseconds(), options: options, ignoring: ignored)))
        let warnings = findings.count { $0.severity == .warning }
        guard warnings > 0 else { return findings }
        let text = "lint has \(CountText.of(warnings, "warning"))"
        let hint = "correct the rules, or leave a finding out with --ignore"
        let last = Finding(code: "publish.lint-warnings", text, hint: hint, file: source.path)
        throw ToolError(.no, findings + [last])
    }

    /// What Apple has not approved: warnings, or thrown as errors when they stop the rules.
    private static func obstacles(
        _ source: RulesSourceFile, _ model: RulesModel, _ states: AppleState, _ catalogue: CatalogueFile?,
        _ messages: CatalogueMessages?, _ command: Publish
    ) throws -> [Finding] {
        var found = source.placed(
            ApprovalGate.findings(
                in: source.bytes, model: model, states: states, catalogue: messages,
                locales: catalogue?.checked.catalogue.locales ?? []))
        if let catalogue, !model.killSwitch {
            let approved = states.approvedMessages(images: messages?.images ?? [:])
            let defaults = try ToolError.about(catalogue.path) {
                try catalogue.checked.unapprovedDefaults(
                    in: model.environment, source: catalogue.text, approved: approved)
            }
            found += defaults.map { $0.inFile(catalogue.path) }
        }
        guard model.environment != .production || command.allowPending || found.isEmpty else {
            throw ToolError(.no, found)
        }
        for index in found.indices where found[index].severity == .error { found[index].severity = .warning }
        // They go to standard error: with --json they are in the document as well.
        Console.report(found, json: false)
        return found
    }
}

struct Publication {
    let rules: CheckedRules?
    /// The files, the rules last.
    let files: [PublishedFile]
    let states: [HostState]

    var pending: [HostState] { states.filter { !$0.isCurrent } }

    /// Hosts that serve the same rules file, and how the new one differs from it; nil when a host cannot show its file.
    private var comparisons: [(hosts: [String], served: ServedPool.File, changes: RulesDifference?)] {
        guard let rules else { return [] }
        var groups: [(hosts: [String], served: ServedPool.File, changes: RulesDifference?)] = []
        for state in states {
            guard let served = state.served else { continue }
            if let place = groups.firstIndex(where: { $0.served.digest == served.digest }) {
                groups[place].hosts.append(state.host.description)
            } else {
                let changes = served.content.flatMap { Base64.decode($0.utf8Span.span) }.map {
                    RulesDifference(from: $0, to: rules.input.resolved.text)
                }
                groups.append(([state.host.description], served, changes))
            }
        }
        return groups
    }

    var warnings: [Finding] {
        guard let file = rules?.input.rules else { return [] }
        return states.flatMap { state -> [Finding] in
            var warnings: [Finding] = []
            let facts = files.contains { $0.kind == .facts }
            let served = state.pool.files.contains {
                $0.kind == DataFileKind.facts.name && $0.appAppleId == file.appAppleId
                    && $0.environment == file.environment.rawValue
            }
            let read = file.readFacts.map(\.name).joined(separator: ", ")
            if !read.isEmpty, !facts, !served {
                warnings.append(
                    Finding(
                        code: "publish.facts-missing", severity: .warning,
                        "\(state.host) has no facts file, and the rules read \(read): conditions and caps find them unknown",
                        hint: "build one with \"retentionctl facts build\", and publish it with --facts"))
            }
            if !file.neededSigning.isEmpty, state.pool.signingApps?.contains(file.appAppleId) == false {
                warnings.append(
                    Finding(
                        code: "publish.signing-key-missing", severity: .warning,
                        "\(state.host) has no key that signs, so rules that serve an offer are passed over",
                        hint: "name the app's In-App Purchase key in \"signingKeys\" of its configuration"))
            }
            return warnings
        }
    }

    /// An error for each host on which most subscribers would lose their facts.
    var factsWithFewerRows: [Finding] {
        pending.compactMap { state in
            guard let new = files.first(where: { $0.kind == .facts }), let after = new.rowCount,
                let before = new.predecessor(in: state.pool)?.rows, after < before - after
            else { return nil }
            return Finding(
                code: "publish.fewer-rows",
                "\(state.host) serves facts of \(before) rows, and these have \(after)",
                hint: "see why most subscribers are gone; --allow-fewer-rows publishes them", file: new.path)
        }
    }

    var lines: [String] {
        var lines: [String] = []
        if let rules {
            let (input, count) = (rules.input, rules.obstacles.count)
            let approval =
                count == 0 ? "everything that is served is APPROVED" : CountText.of(count, "warning")
            let results = EmbeddedTests.run(input.resolved.model, input.rules)
            let waiting = results.count(where: \.awaitsApproval)
            lines = [
                "Rules of \(input.rules.bundleId) in \(input.rules.environment.rawValue): \(input.summary)",
                "  sha256      \(input.rules.digest)",
                "  tests       \(CountText.of(results.count, "test")), \(waiting) wait for Apple's approval",
                "  approval    "
                    + (rules.statesSource.map { "\(approval), says \($0)" }
                        ?? "not asked for: a test pool serves the messages of Sandbox, whatever their state"),
            ]
        } else if let facts = files.last {
            lines = [
                "Facts of \(facts.appAppleId) in \(facts.environment.rawValue): \(facts.rowCount ?? 0) rows"
            ]
        }
        for (hosts, served, changes) in comparisons {
            let verb = hosts.count == 1 ? "serves" : "serve"
            lines += ["", "Against \(served.text), which \(hosts.joined(separator: ", ")) \(verb):"]
            let shown = changes?.lines(limit: 40)
            lines +=
                shown?.map { "  \($0)" } ?? ["  the host cannot show its file, so the changes are not known"]
            if shown == [] { lines.append("  the same rules") }
        }
        return lines + ["", "Hosts, in this order:"] + states.map { "  " + text(of: $0) }
    }

    private func text(of state: HostState) -> String {
        guard !state.isCurrent else {
            return "\(state.host): serves this already: \(state.served?.text ?? "")"
        }
        let names = files.map { $0.name(on: state.pool) }.joined(separator: " and ")
        let before = state.served.map { "serves \($0.text)" } ?? "serves no such file of this app"
        let refusal = state.pool.refusal.map { ", refused its last files (\($0.code))" } ?? ""
        let rows = files.first { $0.kind == .facts }.map { new in
            let served = new.predecessor(in: state.pool)
            let before = served.map { $0.rows.map(String.init) ?? "not known how many" } ?? "no"
            return "; facts: \(before) rows before, \(new.rowCount ?? 0) rows after"
        }
        return
            "\(state.host): \(before)\(refusal)\(rows ?? ""); copy \(names) to \(state.pool.dataDirectory), "
            + "reload, check"
    }

    /// `reports` are nil for a dry run.
    func members(_ reports: [HostReport]?) -> [(String, JSONNode)] {
        let compared = comparisons.map { hosts, served, changes in
            JSONNode.object([
                ("hosts", .array(hosts.map { .string($0) })),
                ("sha256", .string(served.digest)), ("changes", changes?.json ?? .null),
            ])
        }
        return [
            ("bundleId", JSONNode(rules?.input.rules.bundleId)),
            ("appAppleId", .integer(files.last?.appAppleId ?? 0)),
            ("environment", JSONNode(files.last?.environment.rawValue)),
            ("sha256", JSONNode(files.last?.digest.hexadecimal)), ("published", .boolean(reports != nil)),
            ("notApproved", .array((rules?.obstacles ?? []).map(\.json))),
            ("warnings", .array(warnings.map(\.json))), ("comparisons", .array(compared)),
            ("hosts", .array(reports.map { $0.map(\.json) } ?? states.map(json))),
        ]
    }

    private func json(_ state: HostState) -> JSONNode {
        var members: [(String, JSONNode)] = [
            ("host", .string(state.host.description)),
            ("outcome", .string(state.isCurrent ? "current" : "planned")),
            ("serves", state.served?.json ?? .null),
        ]
        if let new = files.first(where: { $0.kind == .facts }) {
            let before = new.predecessor(in: state.pool)?.rows
            members += [
                ("factsRowsBefore", before.map { JSONNode($0) } ?? .null),
                ("factsRows", JSONNode(new.rowCount ?? 0)),
            ]
        }
        return .object(members)
    }
}

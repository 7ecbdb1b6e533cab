internal import Authoring
internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
internal import Rules
internal import System

/// What is about to be published, compared with what the hosts serve.
struct Publication {
    /// Hosts that serve the same rules file, and how the new one differs from it.
    struct Comparison {
        let hosts: [PublishHost]
        let served: ServedPool.File
        let changes: RulesDifference?
        /// How a sample is decided; nil without a sample.
        let decisions: DiffReport?
    }

    /// The rules; nil when facts alone are published.
    let input: RulesInput?
    let files: [PublishedFile]
    let statesSource: String
    let obstacles: [Finding]
    let states: [HostState]
    let comparisons: [Comparison]

    /// The most changes that are shown for one served file.
    private static let changeCount = 40

    /// The hosts that do not serve these rules yet.
    var pending: [HostState] { states.filter { !$0.isCurrent } }

    var lines: [String] {
        var lines: [String] = []
        if let input {
            let rules = input.rules
            lines = [
                "Rules of \(rules.bundleId) in \(rules.environment.rawValue): \(input.summary)",
                "  sha256      \(rules.digest)", "  tests       \(Self.tests(input))",
                "  approval    \(approval)",
            ]
        } else if let facts = files.last {
            lines = [
                "Facts of \(facts.appAppleId) in \(facts.environment.rawValue): \(facts.rowCount ?? 0) rows"
            ]
        }
        for comparison in comparisons { lines += [""] + Self.lines(of: comparison) }
        return lines + ["", "Hosts, in this order:"] + states.map { "  " + text(of: $0) }
    }

    /// The facts that are published, and those that a host serves in their place.
    private func facts(on state: HostState) -> (new: PublishedFile, served: ServedPool.File?)? {
        guard case .success(let pool) = state.pool, let file = files.first(where: { $0.kind == .facts })
        else {
            return nil
        }
        return (file, file.predecessor(in: pool))
    }

    /// An error for each host on which most subscribers would lose their facts.
    var factsWithFewerRows: [Finding] {
        pending.compactMap { state in
            guard let (new, served) = facts(on: state), let after = new.rowCount,
                let before = served?.rowCount,
                after < before - after
            else { return nil }
            return Finding(
                code: "publish.fewer-rows",
                "\(state.host) serves facts of \(before) rows, and these have \(after)",
                hint: "see why most subscribers are gone; --allow-fewer-rows publishes them", file: new.path)
        }
    }

    /// How many tests of the file pass, for people.
    private static func tests(_ input: RulesInput) -> String {
        let results = EmbeddedTests.run(input.resolved.model, input.rules)
        let waiting = results.count(where: \.awaitsApproval)
        let passing = results.count - waiting
        return "\(passing) \(passing == 1 ? "passes" : "pass")"
            + (waiting > 0 ? ", \(waiting) \(waiting == 1 ? "waits" : "wait") for Apple's approval" : "")
    }

    /// How many messages Apple does not show, for people.
    private var approval: String {
        guard !obstacles.isEmpty else { return "everything that is served is APPROVED, says \(statesSource)" }
        let count = obstacles.count
        return "\(CountText.of(count, "warning")), says \(statesSource)"
    }

    private static func lines(of comparison: Comparison) -> [String] {
        let hosts = comparison.hosts.map(\.description).joined(separator: ", ")
        var lines = [
            "Against \(comparison.served.text), which \(hosts) \(comparison.hosts.count == 1 ? "serves" : "serve"):"
        ]
        if let changes = comparison.changes {
            let shown = changes.lines(limit: changeCount)
            lines += shown.isEmpty ? ["  the same rules"] : shown.map { "  \($0)" }
        } else {
            lines.append("  the host cannot show its file, so the changes are not known")
        }
        if let decisions = comparison.decisions {
            lines += decisions.lines.map { $0.isEmpty ? "" : "  \($0)" }
        }
        return lines
    }

    /// What would be done on a host, for people.
    private func text(of state: HostState) -> String {
        let pool: ServedPool
        switch state.pool {
        case .success(let known): pool = known
        case .failure(let error): return "\(state.host): \(error)"
        }
        let served = files.last?.predecessor(in: pool)
        guard !state.isCurrent else {
            return "\(state.host): serves this already: \(served?.text ?? "")"
        }
        let names = files.map { $0.name(on: pool) }.joined(separator: " and ")
        let before = served.map { "serves \($0.text)" } ?? "serves no such file of this app"
        let refusal = pool.refusal.map { ", refused its last files (\($0.code))" } ?? ""
        let rows = facts(on: state).map { new, served in
            let before = served.map { $0.rowCount.map(String.init) ?? "not known how many" } ?? "no"
            return "; facts: \(before) rows before, \(new.rowCount ?? 0) rows after"
        }
        return
            "\(state.host): \(before)\(refusal)\(rows ?? ""); copy \(names) to \(pool.dataDirectory), reload, check"
    }

    /// The publication as members of a JSON object. `reports` are nil for a dry run.
    func members(_ reports: [HostReport]?) -> [(String, JSONNode)] {
        let hosts = reports.map { $0.map(\.json) } ?? states.map(json)
        let file = files.last
        return [
            ("bundleId", JSONNode(input?.rules.bundleId)), ("appAppleId", .integer(file?.appAppleId ?? 0)),
            ("environment", JSONNode(file?.environment.rawValue)),
            ("sha256", JSONNode(file?.digest.hexadecimal)), ("published", .boolean(reports != nil)),
            ("notApproved", .array(obstacles.map(\.json))),
            (
                "comparisons",
                .array(
                    comparisons.map { comparison in
                        .object([
                            ("hosts", .array(comparison.hosts.map { .string($0.description) })),
                            ("sha256", .string(comparison.served.digest.hexadecimal)),
                            ("changes", comparison.changes?.json ?? .null),
                            ("decisions", comparison.decisions?.json ?? .null),
                        ])
                    }
                )
            ), ("hosts", .array(hosts)),
        ]
    }

    private func json(_ state: HostState) -> JSONNode {
        var members: [(String, JSONNode)] = [("host", .string(state.host.description))]
        switch state.pool {
        case .failure(let error):
            members += [
                ("outcome", .string("not-asked")), ("code", .string(error.code)),
                ("message", .string(error.description)),
            ]
        case .success(let pool):
            members += [
                ("outcome", .string(state.isCurrent ? "current" : "planned")),
                ("serves", HostReport.json(files.last?.predecessor(in: pool))),
            ]
            if let (new, served) = facts(on: state) {
                members += [
                    ("factsRowsBefore", served?.rowCount.map { .integer(Int64($0)) } ?? .null),
                    ("factsRows", .integer(Int64(new.rowCount ?? 0))),
                ]
            }
        }
        return .object(members)
    }
}

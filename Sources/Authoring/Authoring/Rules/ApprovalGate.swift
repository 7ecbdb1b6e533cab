package import AppStoreServerAPI
internal import JSON
package import Rules
package import System

/// The gate before rules are published in Production. Only messages count that an enabled rule, the holdout or the
/// default serves.
package struct ApprovalGate {
    private let model: RulesModel
    private let states: AppleState
    private let catalogue: CatalogueMessages?
    private let locales: [String]
    private let findings: Findings
    private let places: MessagePlaces
    /// For each served message, who serves it, and where in the source the first of them does.
    private var uses: [Int: (users: [String], path: JSONPath)] = [:]

    /// Returns what stands in the way, in the order of the source.
    ///
    /// - Parameters:
    ///   - source: the text of a rules source that compiles.
    ///   - model: the model of the source, in which no identifier is masked because of Apple.
    ///   - states: what Apple has.
    ///   - catalogue: the messages of the catalogue; nil without one.
    ///   - locales: the locales that every message must have, or lead to by a fallback.
    /// - Returns: at most ``RulesSourceLimits/findingCount`` findings, and one more that counts the others.
    package static func findings(
        in source: [UInt8], model: RulesModel, states: AppleState, catalogue: CatalogueMessages?,
        locales: [String]
    ) -> [Finding] {
        guard !model.killSwitch else { return [] }
        var gate = ApprovalGate(source, model, states, catalogue, locales)
        gate.collectUses()
        gate.check()
        return gate.findings.sorted
    }

    private init(
        _ source: [UInt8], _ model: RulesModel, _ states: AppleState, _ catalogue: CatalogueMessages?,
        _ locales: [String]
    ) {
        self.model = model
        self.states = states
        self.catalogue = catalogue
        self.locales = locales
        findings = Findings(
            source: source.withoutByteOrderMark, subject: "publish", limit: RulesSourceLimits.findingCount)
        places = MessagePlaces(model, source: source)
    }

    private mutating func collectUses() {
        for (outcome, path, rule) in model.placedOutcomes {
            guard let message = outcome.message else { continue }
            let user: String
            if let rule {
                guard model.rules[rule].isEnabled else { continue }
                user = "rule \"\(model.rules[rule].id)\""
            } else {
                user = path.first == .member("holdout") ? "the holdout" : "the default"
            }
            // The arms of one rule stand one after the other.
            let isKnown = uses[message]?.users.last == user
            uses[message, default: ([], path)].users += isKnown ? [] : [user]
        }
    }

    private func check() {
        let cover = LocaleCover(model)
        for (index, use) in uses.sorted(by: { $0.key < $1.key }) {
            let message = model.messages[index]
            for entry in message.identifiers where !entry.isMasked {
                check(entry, of: message, use)
            }
            let known = Set(message.identifiers.map(\.locale))
            let missing = locales.filter { !cover.finds($0, known) }
            guard !missing.isEmpty else { continue }
            findings.add(
                reason: ApprovalReason.missingLocale,
                "\(Self.text(use.users)) \"\(message.name)\", which has no text in \(Self.list(missing)), "
                    + "and no fallback leads to one",
                at: places.isKey(message.name) ? places.path(of: message.name) : use.path,
                isKey: places.isKey(message.name),
                hint:
                    "add the text, upload it and wait for Apple's review; or add a \"fallback\" or \"last\" "
                    + "to \"locales\"")
        }
    }

    private func check(
        _ entry: RulesModel.LocalizedIdentifier, of message: RulesModel.Message,
        _ use: (users: [String], path: JSONPath)
    ) {
        let path = places.isKey(message.name) ? places.path(of: message.name, entry.locale) : use.path
        let subject = "\(Self.text(use.users)) \"\(message.name)\" in \(entry.locale) (\(entry.identifier))"
        func add(_ reason: ApprovalReason, _ text: String, hint: String) {
            findings.add(reason: reason, "\(subject), \(text)", at: path, hint: hint)
        }
        guard let state = states[.message, entry.identifier] else {
            add(
                .notUploaded, "which Apple's list does not have",
                hint: "upload it with \"retentionctl catalogue apply\" and wait for Apple's review")
            return
        }
        switch state {
        case .pending, .other:
            add(.notApproved, "which is \(state.rawValue)", hint: Self.wait)
            return
        case .rejected:
            add(
                .rejected, "which Apple has REJECTED",
                hint: "waiting does not help: upload another text and wait for its review")
            return
        case .approved: break
        }
        for image in catalogue?.images[entry.identifier] ?? [] {
            let state = states[.image, image]
            guard state != .approved else { continue }
            let words = state.map { "is \($0.rawValue)" } ?? "Apple's list does not have"
            let advice =
                switch state {
                case .rejected: "waiting does not help: upload another image and a message with it"
                case nil: "upload it with \"retentionctl catalogue apply\" and wait for Apple's review"
                default: Self.wait
                }
            add(.notApproved, "whose image \(image) \(words)", hint: advice)
            return
        }
    }

    private static let wait =
        "wait until Apple approves it; \"retentionctl catalogue status\" shows the state"

    /// `rule "a" serves`, `rule "a", the default and 2 more serve`
    private static func text(_ users: [String]) -> String {
        switch users.count {
        case 1: "\(users[0]) serves"
        case 2: "\(users[0]) and \(users[1]) serve"
        default: "\(users[0]), \(users[1]) and \(users.count - 2) more serve"
        }
    }

    private static func list(_ locales: [String]) -> String {
        locales.prefix(5).joined(separator: ", ")
            + (locales.count > 5 ? " and \(locales.count - 5) more" : "")
    }
}

/// Why rules serve something that Apple does not show. The code of a finding is `publish.` and the raw value.
package enum ApprovalReason: String, FindingReason, CaseIterable {
    case notApproved = "not-approved"
    case rejected = "rejected"
    case notUploaded = "not-uploaded"
    /// A message that the rules serve has no text in a locale of the catalogue, and no fallback leads to one.
    case missingLocale = "missing-locale"
    case moreFindings = "more-findings"
}

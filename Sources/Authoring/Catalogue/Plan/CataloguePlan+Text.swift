internal import AppStoreServerAPI
internal import Vocabulary

extension CataloguePlan {
    /// The greatest number of orphans that are listed one by one in a text for people.
    private static let shownOrphanCount = 20

    /// The plan as lines for a terminal.
    public var text: [String] {
        var text = ["Plan for \(bundleId) in \(environment.rawValue)"]
        text += (lines + findingLines).map { "  \($0.sign.rawValue) \($0.kind)  \($0.words)" }
        if steps.isEmpty { text.append("  nothing to do") }
        text.append(stayingText)
        text += orphanLines.map { "  - \($0)" }
        text.append(limitsText)
        if hasChanges { text.append("Calls: \(estimate.text).") }
        return text
    }

    /// The orphans and former default messages for people, with the number of those that are left out.
    var orphanLines: [String] {
        let all = orphans.map(\.title) + formerDefaults.map(formerDefaultText)
        let shown = all.prefix(Self.shownOrphanCount)
        let more = all.count > shown.count ? ["and \(all.count - shown.count) more"] : []
        return urlLines + shown + more
    }

    /// A default message that the catalogue no longer names, for people.
    private func formerDefaultText(_ place: ProductLocale) -> String {
        let command =
            "retentionctl apple default delete \(place.product) \(place.locale) --environment \(environment.rawValue)"
        return "default message of \(place), which Apple still has; \"\(command)\" ends that"
    }

    /// The URL that the catalogue does not name, for people.
    private var urlLines: [String] {
        guard let formerURL else { return [] }
        let command = "retentionctl apple url delete --environment \(environment.rawValue)"
        return ["url \(formerURL), which Apple still asks; \"\(command)\" ends that"]
    }
}

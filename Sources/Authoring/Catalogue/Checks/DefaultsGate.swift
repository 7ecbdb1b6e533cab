internal import JSON
package import System

private enum DefaultsReason: String, FindingReason {
    case notApproved = "not-approved"
}

extension CheckedCatalogue {
    /// Apple asks the server only where a default message is set, and sets only approved ones.
    package func unapprovedDefaults(in environment: Environment, source: [UInt8], approved: Set<UUID>)
        throws(ToolError) -> [Finding]
    {
        let entries = Dictionary(catalogue.defaults.map { ($0.product, $0) }) { first, _ in first }
        var places: [DefaultsPlace] = []
        var locales: [DefaultsPlace: [String]] = [:]
        for item in try resolved(for: environment).defaults where !approved.contains(item.identifier) {
            let own = entries[item.product]
            let isOwn = own?.message != nil || own?.locales.contains { $0.locale == item.locale } ?? false
            let entry = isOwn ? item.product : CatalogueKeys.everyProduct
            let place = DefaultsPlace(entry: entry, message: item.message)
            if locales[place] == nil { places.append(place) }
            // An entry for every product comes once for each of them.
            if locales[place]?.contains(item.locale) != true {
                locales[place, default: []].append(item.locale)
            }
        }
        let findings = Findings(
            source: source.withoutByteOrderMark, subject: "publish", limit: CatalogueLimits.findingCount)
        for place in places {
            findings.add(
                reason: DefaultsReason.notApproved,
                "the default message \"\(place.message)\" is not APPROVED in \(CoverageCheck.list(locales[place] ?? []))",
                at: [.member("defaults"), .member(place.entry)], isKey: true,
                hint:
                    "Apple asks your server only where an approved default message is set: wait for the review, then "
                    + "run \"retentionctl catalogue apply\"")
        }
        return findings.sorted
    }
}

private struct DefaultsPlace: Hashable {
    let entry: String
    let message: String
}

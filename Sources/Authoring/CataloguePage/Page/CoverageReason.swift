internal import Catalogue

/// Why subscribers of a product get an answer: the same reason in one or more locales.
struct CoverageReason {
    private(set) var locales: [String]
    let word: String
    /// The rules that may answer.
    let rules: [String]
    /// What is known of the default message at Apple.
    let known: String
    /// The default message that the catalogue names.
    let message: String?
    /// True when Apple has another default message than the catalogue names.
    let isOther: Bool

    private init(_ cell: CatalogueCoverage.Cell, _ wanted: CatalogueStatus.DefaultRow?) {
        locales = [cell.place.locale]
        word = cell.word
        rules = cell.rules
        known =
            switch cell.defaultState {
            case .set: "a default message is set"
            case .notApproved: "a default message is set, and Apple does not list it as approved"
            case .unset: "no default message is set"
            case .unknown: "whether a default message is set is not known"
            }
        message = wanted?.message
        isOther =
            switch wanted?.state {
            case .other: true
            case .set, .unset, .unknown, nil: false
            }
    }

    private func isAlike(_ other: Self) -> Bool {
        (word, rules, known) == (other.word, other.rules, other.known)
            && (message, isOther) == (other.message, other.isOther)
    }

    /// Returns the reasons of the cells of a product, in the order of their first locales.
    static func all(
        _ cells: ArraySlice<CatalogueCoverage.Cell>, _ wanted: [ProductLocale: CatalogueStatus.DefaultRow]
    ) -> [CoverageReason] {
        var reasons: [CoverageReason] = []
        for cell in cells {
            let reason = CoverageReason(cell, wanted[cell.place])
            if let index = reasons.firstIndex(where: { $0.isAlike(reason) }) {
                reasons[index].locales += reason.locales
            } else {
                reasons.append(reason)
            }
        }
        return reasons
    }
}

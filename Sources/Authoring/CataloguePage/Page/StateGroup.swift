internal import AppStoreServerAPI
internal import Catalogue

/// The states that the page shows with the same sign, word and colour. The raw values are the classes in the style
/// sheet.
enum StateGroup: String, CaseIterable {
    case rejected
    case pending
    case missing
    case unknown
    case approved

    init(_ state: CatalogueStatus.State) {
        self =
            switch state {
            case .listed(.approved), .orphaned(.approved): .approved
            case .listed(.rejected), .orphaned(.rejected): .rejected
            // A state that Apple adds one day is not the state of something that may be shown.
            case .listed(.pending), .orphaned(.pending), .listed(.other), .orphaned(.other): .pending
            case .missing: .missing
            case .unknown: .unknown
            }
    }

    /// The sign, so that nobody has to tell states by their colour.
    var sign: String {
        switch self {
        case .rejected: "\u{2715}"
        case .pending: "\u{2026}"
        case .missing: "\u{2013}"
        case .unknown: "?"
        case .approved: "\u{2713}"
        }
    }

    /// The word for a group of items.
    var word: String {
        switch self {
        case .rejected: "rejected"
        case .pending: "under review"
        case .missing: "not uploaded"
        case .unknown: "not known"
        case .approved: "approved"
        }
    }
}

extension CatalogueStatus.State {
    /// The state as the page writes it: Apple's word, or the word of a group.
    var shownWord: String {
        switch self {
        case .listed(let state), .orphaned(let state): state.rawValue
        case .missing, .unknown: StateGroup(self).word
        }
    }
}

extension HTMLWriter {
    /// Adds the state of an item.
    mutating func badge(_ state: CatalogueStatus.State) {
        let group = StateGroup(state)
        element("span", ["class": "badge \(group.rawValue)"]) {
            $0.sign(group.sign)
            $0.text(" \(state.shownWord)")
        }
    }

    /// Adds a sign that says nothing to people who hear the page.
    mutating func sign(_ sign: String) {
        element("span", ["aria-hidden": "true"]) { $0.text(sign) }
    }
}

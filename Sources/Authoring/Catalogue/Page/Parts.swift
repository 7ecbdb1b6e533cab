internal import AppStoreServerAPI
internal import Rules
internal import System

/// Parts that several sections of a page have.
extension HTML {
    /// What a reader opens and closes.
    static func disclosure(_ summary: HTML, isOpen: Bool = false, _ content: HTML) -> HTML {
        """
        <details\(isOpen ? " open" : "")><summary>\(summary)</summary>
        \(content)</details>

        """
    }

    static func link(_ name: String, _ anchor: String?) -> HTML {
        guard let anchor else { return "\(name: name)" }
        return "<a href=\"#\(attribute: anchor)\">\(name: name)</a>"
    }

    static func since(_ time: Int64?) -> HTML {
        time.map { "<span class=\"soft small\">since \(Words.time($0))</span>" } ?? ""
    }

    static func names(_ names: [String], limit: Int = .max) -> HTML {
        let rest = names.count > limit ? " and \(names.count - limit) more" : ""
        return "\(names.prefix(limit).map { "\(name: $0)" }, separator: ", ")\(rest)"
    }

    static func property(_ name: String, _ value: HTML) -> HTML { "<dt>\(name)</dt><dd>\(value)</dd>\n" }

    static func identifier(_ identifier: UUID, isPinned: Bool) -> HTML {
        property("Identifier", "<code>\(identifier.description)</code>\(isPinned ? " (pinned)" : "")")
    }

    /// An image that the style sheet has, with its text for people who do not see it. Without an image, the text stands in its
    /// place.
    static func picture(_ element: String, _ kind: String, _ picture: PageIndex.Picture?, alt: String) -> HTML
    {
        guard let number = picture?.number else { return "<\(element) class=\"u\">\(alt)</\(element)>" }
        return
            "<\(element) class=\"\(kind) i\(number)\" role=\"img\" aria-label=\"\(attribute: alt)\"></\(element)>"
    }

    static func badge(_ state: CatalogueStatus.State) -> HTML {
        let group = StateGroup(state)
        return "<span class=\"badge \(group.rawValue)\">\(sign(group.sign)) \(state.shownWord)</span>"
    }

    /// A sign that says nothing to people who hear the page.
    static func sign(_ sign: String) -> HTML { "<span aria-hidden=\"true\">\(sign)</span>" }
}

/// Words that several sections of a page use.
enum Words {
    /// Returns a time for people: `2026-11-21 01:52 UTC`.
    static func time(_ milliseconds: Int64) -> String {
        let text = CivilTime(milliseconds: milliseconds).description
        return text.dropLast(4).replacing("T", with: " ") + " UTC"
    }

    /// Returns what the message of a kind goes with; nil for a message that goes with nothing.
    static func purpose(_ kind: MessageKind) -> String? {
        switch kind {
        case .text: nil
        case .switch: "Shown with a plan to switch to."
        case .offer: "Shown with a promotional offer."
        case .advancedCommerce: "Shown with an Advanced Commerce change."
        }
    }

    /// Returns what Apple shows at the end of the message itself.
    static func shown(_ kind: MessageKind) -> String? {
        switch kind {
        case .text: nil
        case .switch: "Apple shows the plan to switch to here."
        case .offer: "Apple shows the promotional offer here."
        case .advancedCommerce: "Apple shows the change of the subscription here."
        }
    }

    /// Returns true when text in the language of a locale runs from right to left.
    static func isRightToLeft(_ locale: String) -> Bool {
        let language = locale.prefix { $0 != "-" }
        return ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains(language)
    }
}

/// The states that the page shows with the same sign, word and colour. The raw values are the classes in the style
/// sheet.
enum StateGroup: String, CaseIterable {
    case rejected
    case pending
    case missing
    case approved

    init(_ state: CatalogueStatus.State) {
        self =
            switch state {
            case .listed(.approved), .orphaned(.approved): .approved
            case .listed(.rejected), .orphaned(.rejected): .rejected
            // A state that Apple adds one day is not the state of something that may be shown.
            case .listed(.pending), .orphaned(.pending), .listed(.other), .orphaned(.other): .pending
            case .missing: .missing
            }
    }

    /// The sign, so that nobody has to tell states by their colour.
    var sign: String {
        switch self {
        case .rejected: "\u{2715}"
        case .pending: "\u{2026}"
        case .missing: "\u{2013}"
        case .approved: "\u{2713}"
        }
    }

    /// The word for a group of items.
    var word: String {
        switch self {
        case .rejected: "rejected"
        case .pending: "under review"
        case .missing: "not uploaded"
        case .approved: "approved"
        }
    }
}

extension CatalogueStatus.State {
    var isOrphaned: Bool { if case .orphaned = self { true } else { false } }

    /// The state as the page writes it: Apple's word, or the word of a group.
    var shownWord: String {
        switch self {
        case .listed(let state), .orphaned(let state): state.rawValue
        case .missing: StateGroup(self).word
        }
    }
}

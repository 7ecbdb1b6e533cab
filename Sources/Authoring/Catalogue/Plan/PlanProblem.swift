package import System

/// Something that keeps Apple from having what a catalogue wants, and that only the author of the catalogue can resolve.
package struct PlanProblem: Sendable, Hashable {
    /// What keeps Apple from having what the catalogue wants.
    package enum Reason: Sendable, Hashable {
        /// Apple rejected the image or the message.
        case rejected
        /// Apple had the image or the message, and its list no longer shows it. Its identifier may be refused.
        case deleted
        /// Apple refused to upload the image or the message, because its identifier was used before, and does not list it.
        case identifierUsed
        /// The catalogue pins an identifier that Apple's list does not show.
        case pinMissing
        /// Apple lists the image with another size.
        case otherSize(String)
        /// The message needs images that will not be approved.
        case imageBlocked([UUID])
        /// Apple takes no more of this kind. The number is how many do not fit.
        case tooMany(CatalogueItem.Kind, excess: Int, orphans: Int)
    }

    /// What keeps Apple from having the item, or items of a whole kind.
    package let reason: Reason
    /// The image or the message; nil for a problem of a whole kind.
    package let item: CatalogueItem?
    /// The name of the item for people; empty for a problem of a whole kind.
    package let name: String
    /// The place of the item in the catalogue, such as `messages.value_reminder.en-US`; empty for a problem of a whole kind.
    package let path: String
    /// The revision that gives the same content a new identifier; nil when a new identifier does not help.
    package let proposedRevision: Int64?
    /// The number of default messages that cannot be set because of the problem.
    package internal(set) var heldDefaultCount = 0

    package var code: String {
        switch reason {
        case .rejected, .imageBlocked: "catalogue.rejected"
        case .deleted, .identifierUsed: "catalogue.identifier-used"
        case .pinMissing, .otherSize: "catalogue.pin-changed"
        case .tooMany: "catalogue.too-many"
        }
    }

    package var finding: Finding {
        Finding(code: code, severity: .warning, message, hint: advice, path: path)
    }

    private var kind: String { item?.kind.rawValue ?? "" }

    private var message: String {
        let held =
            switch heldDefaultCount {
            case 0: ""
            case 1: "; a default message needs it"
            default: "; \(heldDefaultCount) default messages need it"
            }
        switch reason {
        case .rejected: return "Apple rejected the \(kind) \(name)\(held)"
        case .deleted: return "the \(kind) \(name) was at Apple, and Apple no longer lists it\(held)"
        case .identifierUsed:
            return
                "Apple refused the identifier of the \(kind) \(name): it was used and deleted before\(held)"
        case .pinMissing: return "Apple does not list the \(kind) \(name), which the catalogue pins\(held)"
        case .otherSize(let size): return "Apple lists the image \(name) with the size \(size)\(held)"
        case .imageBlocked(let images):
            let list = images.map(\.description).joined(separator: ", ")
            return "the message \(name) needs \(list), which Apple will not show\(held)"
        case .tooMany(let kind, let excess, _):
            return "\(CountText.of(excess, kind.rawValue)) more than Apple takes\(held)"
        }
    }

    /// Returns the advice to give the content at a path of the catalogue a new identifier.
    static func advice(_ words: String, revision: Int64, path: String) -> String {
        "\(words) \"revision\": \(revision) at \(path) for a new identifier"
    }

    private var advice: String? {
        if let proposedRevision {
            let words =
                if case .rejected = reason { "change the content, or set" } else { "set" }
            return Self.advice(words, revision: proposedRevision, path: path)
        }
        switch reason {
        case .rejected, .deleted, .identifierUsed, .pinMissing:
            return "remove the pin to upload it under a new identifier"
        case .otherSize: return "pin the image whose size the catalogue gives"
        case .imageBlocked: return "resolve the problem of the image first"
        case .tooMany(_, _, let orphans):
            return orphans > 0
                ? "\"retentionctl catalogue apply --prune\" deletes \(orphans) that the catalogue does not name"
                : nil
        }
    }
}

internal import AppStoreServerAPI
internal import Vocabulary

/// One line of a plan for people: a sign, a kind and words.
struct PlanLine: Sendable, Hashable {
    /// The signs: something new, something replaced, something that waits, a problem, a note.
    enum Sign: String, Sendable {
        case new = "+"
        case changed = "~"
        case waiting = "."
        case problem = "!"
        case note = "i"
    }

    let sign: Sign
    let kind: String
    let words: String
}

extension CataloguePlan {
    /// The problems and the notes for people.
    var findingLines: [PlanLine] {
        problems.map { PlanLine(sign: .problem, kind: "problem", words: $0.finding.text) }
            + notes.map { PlanLine(sign: .note, kind: "note", words: $0.text) }
    }

    /// The steps for people. Default messages of one product that get the same message are on one line.
    var lines: [PlanLine] {
        var lines: [PlanLine] = []
        var group: [DefaultChange] = []
        func endGroup() {
            guard let first = group.first else { return }
            lines.append(Self.line(first, locales: group.map(\.place.locale)))
            group = []
        }
        for step in steps {
            if case .setDefault(let change) = step {
                if let first = group.first,
                    first.place.product != change.place.product || first.message != change.message
                        || !Self.areAlike(first.former, change.former)
                {
                    endGroup()
                }
                group.append(change)
                continue
            }
            endGroup()
            lines.append(Self.line(step))
        }
        endGroup()
        return lines
    }

    private static func areAlike(_ one: DefaultChange.Former, _ other: DefaultChange.Former) -> Bool {
        switch (one, other) {
        case (.unknown, .unknown), (.unset, .unset), (.other, .other): true
        default: false
        }
    }

    private static func line(_ change: DefaultChange, locales: [String]) -> PlanLine {
        let words = "\(change.place.product) \(locales.joined(separator: ", ")): \(change.message)"
        switch change.former {
        case .unset: return PlanLine(sign: .new, kind: "default", words: words)
        case .unknown:
            return PlanLine(sign: .changed, kind: "default", words: "\(words) (what is set is not known)")
        case .other(let identifier, let time):
            let former = locales.count == 1 ? "\(identifier)" : "another message"
            return PlanLine(
                sign: .changed, kind: "default",
                words: "\(words), replaces \(former) of \(CivilTime(milliseconds: time))")
        }
    }

    private static func line(_ step: Step) -> PlanLine {
        switch step {
        case .uploadImage(let image):
            let name = image.names.first ?? ""
            let words = "\(name) (\(image.file), \(image.size.rawValue)) as \(image.identifier)"
            return PlanLine(sign: .new, kind: "image", words: words)
        case .uploadMessage(let message):
            let words = "\(message.name) \(message.locale) as \(message.identifier)"
            return PlanLine(sign: .new, kind: "message", words: words)
        case .waitForApproval(let items):
            let images = items.count { $0.kind == .image }
            let messages = items.count - images
            let words = [(images, "image"), (messages, "message")].filter { $0.0 > 0 }
                .map { CountText.of($0.0, $0.1) }.joined(separator: " and ")
            return PlanLine(sign: .waiting, kind: "wait", words: "until Apple has approved \(words)")
        case .setDefault(let change): return line(change, locales: [change.place.locale])
        case .setURL(let former, let url):
            guard let former else { return PlanLine(sign: .new, kind: "url", words: url) }
            return PlanLine(sign: .changed, kind: "url", words: "\(url), replaces \(former)")
        }
    }

    /// The parts of the catalogue that Apple has already, as a sentence.
    var stayingText: String {
        var text =
            "Stays: \(CountText.of(staying.imageCount, "image")), "
            + "\(CountText.of(staying.messageCount, "message")) (\(staying.pendingCount) of them under review), "
            + CountText.of(staying.defaultCount, "default message")
        if let time = staying.oldestDefault {
            text += " as known since \(CivilTime(milliseconds: time)); --refresh asks Apple again"
        }
        return text + "."
    }

    /// How full Apple's lists are, as a sentence.
    var limitsText: String {
        let images = orphans.count { $0.item.kind == .image }
        return "At Apple: \(messagesAtApple) of \(RetentionMessagingLimits.messageCount) messages "
            + "(\(orphans.count - images) not in the catalogue), \(imagesAtApple) of "
            + "\(RetentionMessagingLimits.imageCount) images (\(images) not in the catalogue)."
    }
}

internal import DataFiles
internal import Vocabulary

/// Words that several sections of a page use.
enum Words {
    static func count(_ count: Int, _ noun: String) -> String {
        CountText.of(count, noun)
    }

    /// Returns a time for people: `2026-11-21 01:52 UTC`.
    static func time(_ milliseconds: Int64) -> String {
        let text = CivilTime(milliseconds: milliseconds).description
        return text.dropLast(4).replacing("T", with: " ") + " UTC"
    }

    /// Returns a length in bytes for people.
    static func size(_ byteCount: Int) -> String {
        switch byteCount {
        case ..<1024: "\(byteCount) bytes"
        case ..<(1 << 20): "\((byteCount + 512) >> 10) KiB"
        default: "\((byteCount + 1 << 19) >> 20) MiB"
        }
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

    /// Returns true when text in the language of a locale runs from right to left.
    static func isRightToLeft(_ locale: String) -> Bool {
        let language = locale.prefix { $0 != "-" }
        return ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains(language)
    }
}

internal import AppStoreServerAPI
public import JSON
internal import Vocabulary

extension AdoptionReport.LeftDefault {
    /// The reason for people.
    private var words: String {
        switch reason {
        case .unnamed: "its message \(identifier) has no name"
        case .otherLocale(let name, let locale):
            "its message is \(name) in \(locale), and a catalogue names messages with a text in the locale"
        case .unfit(let name): "its message is \(name), which cannot be its default message in a catalogue"
        case .named(let name): "the catalogue names \(name), and Apple has \(identifier)"
        case .unknownPlace: "the catalogue does not have the product or the locale"
        }
    }

    /// The reason as a word for programs.
    private var word: String {
        switch reason {
        case .unnamed: "unnamed"
        case .otherLocale: "other-locale"
        case .unfit: "unfit"
        case .named: "named"
        case .unknownPlace: "unknown-place"
        }
    }

    fileprivate var line: String { "  ! default  \(place): \(words)" }

    fileprivate var json: JSONNode {
        .object([
            ("product", .string(place.product)), ("locale", .string(place.locale)),
            ("identifier", .string(identifier.description)), ("reason", .string(word)),
            ("message", .string(words)),
        ])
    }
}

extension AdoptionReport.Unnamed {
    fileprivate var line: String {
        let uses =
            places.isEmpty ? "" : ", default message of \(places.map(\.description).joined(separator: ", "))"
        return "  ? \(item.kind.rawValue)  \(item.identifier), \(state)\(uses)"
    }
}

extension AdoptionReport {
    /// The report as lines for a terminal.
    public var text: [String] {
        var text = [owner]
        text += named.map { named in
            let how = named.isPinned ? "pinned" : "its content has this identifier"
            return "  + \(named.item.kind.rawValue)  \(named.name) as \(named.item.identifier) (\(how))"
        }
        text += defaults.map { "  + default  \($0.place): \($0.message)" }
        if let realtimeURL { text.append("  + url  \(realtimeURL)") }
        text += leftDefaults.map(\.line)
        if let url = leftRealtimeURL {
            text.append("  ! url  Apple asks \(url), which the catalogue does not name")
        }
        text += unnamed.map(\.line)
        return text + [
            "Named: \(named.count). Known before: \(knownCount). Without a name: \(unnamed.count)."
        ]
    }

    /// The members of a JSON object about the report.
    public var members: [(String, JSONNode)] {
        [
            (
                "named",
                .array(
                    named.map {
                        .object(
                            $0.item.json + [("name", .string($0.name)), ("isPinned", .boolean($0.isPinned))]
                        )
                    }
                )
            ),
            ("knownBefore", .integer(Int64(knownCount))),
            (
                "defaults",
                .array(
                    defaults.map {
                        .object([
                            ("product", .string($0.place.product)), ("locale", .string($0.place.locale)),
                            ("message", .string($0.message)),
                        ])
                    }
                )
            ),
            ("leftDefaults", .array(leftDefaults.map(\.json))),
            ("realtimeURL", realtimeURL.map { .string($0) } ?? .null),
            ("leftRealtimeURL", leftRealtimeURL.map { .string($0) } ?? .null),
            (
                "unnamed",
                .array(
                    unnamed.map { unnamed in
                        .object(
                            unnamed.item.json + [
                                ("state", .string(unnamed.state)),
                                ("defaultOf", .array(unnamed.places.map { .string($0.description) })),
                            ]
                        )
                    }
                )
            ),
        ]
    }
}

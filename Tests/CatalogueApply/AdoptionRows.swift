import AppStoreServerAPI
import Catalogue
import Support
import Testing
import Vocabulary

/// One change to a good map, or to the catalogue that it is for, and the error that must come of it.
struct AdoptionRow: Sendable, CustomTestStringConvertible {
    /// What of the good map is replaced; the first occurrence.
    let old: String
    /// What by; `¦` marks the place that the error must name and is not part of the map.
    let new: String
    /// The code without `catalogue.`, or a whole code with a dot.
    let code: String
    /// The codes of further errors.
    private(set) var others: [String] = []
    /// A piece of the wrong map with the mark in it; nil when the mark is in `new`.
    private(set) var marked: String?
    /// What of the catalogue is replaced, and by what.
    private(set) var base: [(old: String, new: String)] = []
    /// True when the schema refuses the map too.
    private(set) var isSeen = false

    init(_ old: String, _ new: String, _ code: String, _ others: String...) {
        self.old = old
        self.new = new
        self.code = code
        self.others = others
    }

    /// The same with the mark in another place.
    func marking(_ marked: String) -> AdoptionRow {
        var row = self
        row.marked = marked
        return row
    }

    /// The same with a member of the catalogue.
    func with(_ name: String, _ value: String) -> AdoptionRow {
        var row = self
        row.base.append(("\"\(name)\": {}", "\"\(name)\": \(value)"))
        return row
    }

    /// The same with a fault that the schema sees.
    func seen() -> AdoptionRow {
        var row = self
        row.isSeen = true
        return row
    }

    var testDescription: String { "\(code) \(new.prefix(80))" }

    var wholeCodes: [String] {
        ([code] + others).map { $0.contains(".") ? $0 : "catalogue.\($0)" }
    }

    /// The wrong map, and the line and column of the mark.
    func source() throws -> (text: String, line: Int, column: Int) {
        let good = GoodMap.text
        let range = try #require(good.firstRange(of: old), "\(old) is not in the good map")
        let changed = String(good[..<range.lowerBound] + new + good[range.upperBound...])
        let text = changed.replacing("¦", with: "")
        let parts = (marked ?? changed).split(separator: "¦", maxSplits: 1, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "no mark")
        let place = try #require(text.firstRange(of: parts.joined()), "\(parts.joined()) is not in the map")
        let lines = (text[..<place.lowerBound] + parts[0]).unicodeScalars.split(
            separator: "\n", omittingEmptySubsequences: false)
        return (text, lines.count, (lines.last?.count ?? 0) + 1)
    }

    /// The catalogue that the map is for.
    var catalogue: String {
        base.reduce(AdoptionWorld.blank(products: [])) { $0.replacing($1.old, with: $1.new) }
    }
}

/// A map without an error, to be spoilt, and the lists that it is for.
enum GoodMap {
    static let text = """
        {
          "format": 1,
          "app": { "appAppleId": 7, "bundleId": "com.example.app" },
          "environment": "Sandbox",
          "images": [
            { "identifier": "a0000000-0000-4000-8000-000000000001", "name": "hero", "file": "hero.png" },
            { "identifier": "a0000000-0000-4000-8000-000000000002", "size": "BULLET_POINT",
              "name": "tick", "file": "tick.png" }
          ],
          "messages": [
            { "identifier": "b0000000-0000-4000-8000-000000000001",
              "name": "reminder", "locale": "en-US", "kind": "text",
              "header": "H1", "body": "B1", "image": "hero", "imageAltText": "A1" },
            { "identifier": "b0000000-0000-4000-8000-000000000002", "state": "APPROVED",
              "name": "reminder", "locale": "de-DE", "kind": null, "headerPosition": "ABOVE_BODY",
              "header": "H2", "body": "B2", "image": "hero", "imageAltText": "A2",
              "bulletPoints": [{ "text": "T1", "image": "tick", "altText": "A3" }] },
            { "identifier": "b0000000-0000-4000-8000-000000000003", "state": "PENDING",
              "defaultOf": ["monthly in en-US"], "name": null, "locale": null, "header": null }
          ]
        }
        """

    static func uuid(_ kind: String, _ number: Int) -> UUID? {
        UUID("\(kind)0000000-0000-4000-8000-00000000000\(number)")
    }

    /// Apple lists the size of one of two images.
    static func inventory() throws -> AppleInventory {
        AppleInventory(
            images: try [(1, "FULL_SIZE"), (2, nil)].map { number, size in
                ListedImage(
                    imageIdentifier: try #require(uuid("a", number)), imageState: .approved, imageSize: size)
            },
            messages: try (1...3).map { number in
                ListedMessage(messageIdentifier: try #require(uuid("b", number)), messageState: .approved)
            }
        )
    }
}

/// The zoo: wrong maps.
enum AdoptionRows {
    static let all = structure + entries + texts + conflicts

    /// The form of a map.
    private static let structure: [AdoptionRow] = [
        AdoptionRow("\"format\": 1,", "\"format\": 1¦ 2,", "json.syntax").marking("1 ¦2"),
        AdoptionRow("\"format\": 1,", "\"format\": 1, ¦\"format\": 1,", "json.duplicate-key"),
        AdoptionRow("\"format\": 1,", "\"format\": ¦2,", "unknown-format").seen(),
        AdoptionRow("  \"format\": 1,\n", "", "missing-key").marking("¦{\n  \"app\"").seen(),
        AdoptionRow("\"format\": 1,", "\"format\": 1, ¦\"defaults\": {},", "unknown-key").seen(),
        AdoptionRow("\"format\": 1,", "\"format\": 1, \"$schema\": ¦1,", "wrong-type").seen(),
        AdoptionRow("{ \"appAppleId\": 7, ", "{ \"appAppleId\": ¦0, ", "bad-number").seen(),
        AdoptionRow("{ \"appAppleId\": 7, ", "{ \"appAppleId\": ¦\"7\", ", "wrong-type").seen(),
        AdoptionRow(", \"bundleId\": \"com.example.app\"", "", "missing-key").marking("\"app\": ¦{").seen(),
        AdoptionRow("\"com.example.app\"", "¦\"\"", "bad-length").seen(),
        AdoptionRow("\"Sandbox\"", "¦\"LocalTesting\"", "unknown-value").seen(),
        AdoptionRow("  \"environment\": \"Sandbox\",\n", "", "missing-key").marking("¦{\n  \"format\"")
            .seen(),
        AdoptionRow("\"images\": [", "\"images\": ¦{}, \"x\": [", "wrong-type", "unknown-key").seen(),
        AdoptionRow("\"images\": [", "\"images\": [ ¦7,", "wrong-type").seen(),
        AdoptionRow("\"messages\": [", "\"messages\": [ ¦[],", "wrong-type").seen(),
    ]

    /// The members of entries.
    private static let entries: [AdoptionRow] = [
        AdoptionRow("\"a0000000-0000-4000-8000-000000000001\"", "¦\"hero\"", "bad-uuid").seen(),
        AdoptionRow("\"b0000000-0000-4000-8000-000000000001\"", "¦null", "wrong-type").seen(),
        AdoptionRow("{ \"identifier\": \"b0000000-0000-4000-8000-000000000001\",", "¦{", "missing-key")
            .seen(),
        AdoptionRow("\"name\": \"hero\"", "\"name\": ¦\"Hero\"", "bad-name").seen(),
        AdoptionRow("\"name\": \"hero\"", "\"name\": ¦\"\"", "bad-name").seen(),
        AdoptionRow("\"name\": \"hero\"", "\"name\": ¦7", "wrong-type").seen(),
        AdoptionRow("\"name\": \"hero\", \"file\"", "\"file\"", "missing-key")
            .marking("¦{ \"identifier\": \"a0000000-0000-4000-8000-000000000001\"").seen(),
        AdoptionRow(", \"file\": \"hero.png\"", "", "missing-key")
            .marking("¦{ \"identifier\": \"a0000000-0000-4000-8000-000000000001\"").seen(),
        AdoptionRow("\"hero.png\"", "¦\"\"", "bad-length").seen(),
        AdoptionRow("\"BULLET_POINT\"", "¦\"SMALL\"", "unknown-value").seen(),
        AdoptionRow("\"size\": \"BULLET_POINT\",", "", "missing-key")
            .marking("¦{ \"identifier\": \"a0000000-0000-4000-8000-000000000002\""),
        AdoptionRow("\"name\": \"hero\"", "\"name\": \"hero\", ¦\"revision\": 2", "unknown-key").seen(),
        AdoptionRow("\"state\": \"APPROVED\"", "\"state\": ¦7", "wrong-type").seen(),
        AdoptionRow("[\"monthly in en-US\"]", "¦\"monthly\"", "wrong-type").seen(),
        AdoptionRow("[\"monthly in en-US\"]", "[¦7]", "wrong-type").seen(),
        AdoptionRow("\"locale\": \"en-US\", ", "", "missing-key")
            .marking("¦{ \"identifier\": \"b0000000-0000-4000-8000-000000000001\"").seen(),
        AdoptionRow("\"locale\": \"en-US\"", "\"locale\": ¦\"en_US\"", "bad-locale").seen(),
        AdoptionRow("\"kind\": \"text\"", "\"kind\": ¦\"texts\"", "unknown-value").seen(),
        AdoptionRow("\"kind\": \"text\",", "\"kind\": null,", "missing-key")
            .marking("¦{ \"identifier\": \"b0000000-0000-4000-8000-000000000001\""),
        AdoptionRow("\"ABOVE_BODY\"", "¦\"BELOW\"", "unknown-value").seen(),
        AdoptionRow(
            "\"name\": null, \"locale\": null", "\"name\": null, \"locale\": \"en-US\"", "missing-key"
        )
        .marking("¦{ \"identifier\": \"b0000000-0000-4000-8000-000000000003\"").seen(),
        AdoptionRow("\"header\": null", "\"header\": \"H\"", "missing-key")
            .marking("¦{ \"identifier\": \"b0000000-0000-4000-8000-000000000003\"").seen(),
        AdoptionRow(
            "\"b0000000-0000-4000-8000-000000000003\"", "¦\"B0000000-0000-4000-8000-000000000001\"",
            "duplicate-identifier"),
        AdoptionRow(
            "\"a0000000-0000-4000-8000-000000000001\"", "¦\"a0000000-0000-4000-8000-000000000009\"",
            "not-at-apple"),
        AdoptionRow(
            "\"b0000000-0000-4000-8000-000000000001\"", "¦\"b0000000-0000-4000-8000-000000000009\"",
            "not-at-apple"),
    ]

    /// What the catalogue that comes of a map would have wrong.
    private static let texts: [AdoptionRow] = [
        AdoptionRow("\"H1\"", "¦7", "wrong-type").seen(),
        AdoptionRow("\"H1\"", "¦\"\"", "bad-length"),
        AdoptionRow("\"H1\"", "¦\"\(String(repeating: "a", count: 67))\"", "text-too-long"),
        AdoptionRow("\"H1\"", "¦\"a\\u001b[2Jb\"", "control-character"),
        AdoptionRow("\"B2\"", "¦\"\(String(repeating: "a", count: 145))\"", "text-too-long"),
        AdoptionRow("\"header\": \"H1\", ", "", "missing-key")
            .marking("¦{ \"identifier\": \"b0000000-0000-4000-8000-000000000001\""),
        AdoptionRow(", \"imageAltText\": \"A1\"", "", "missing-alt-text")
            .marking("¦{ \"identifier\": \"b0000000-0000-4000-8000-000000000001\""),
        AdoptionRow("\"image\": \"hero\"", "\"image\": ¦\"herro\"", "unknown-image"),
        AdoptionRow("\"image\": \"hero\"", "\"image\": ¦\"tick\"", "wrong-image-size"),
        AdoptionRow(
            "\"text\": \"T1\"", "\"text\": ¦\"\(String(repeating: "a", count: 67))\"", "text-too-long"),
        AdoptionRow("\"image\": \"tick\"", "\"image\": ¦\"hero\"", "wrong-image-size"),
        AdoptionRow("\"text\": \"T1\",", "¦\"title\": \"x\", \"text\": \"T1\",", "unknown-key").seen(),
        AdoptionRow("\"bulletPoints\": [", "\"bulletPoints\": [¦7, ", "wrong-type").seen(),
        AdoptionRow("\"hero.png\"", "¦\"none.png\"", "image-missing"),
        AdoptionRow("\"hero.png\"", "¦\"../hero.png\"", "bad-path"),
        AdoptionRow("\"hero.png\"", "¦\"/etc/passwd\"", "bad-path"),
        AdoptionRow("\"hero.png\"", "¦\"tick.png\"", "image-dimensions"),
        AdoptionRow(
            "\"image\": \"hero\", \"imageAltText\": \"A1\" }", "\"headerPosition\": ¦\"ABOVE_IMAGE\" }",
            "above-image-without-image"),
        AdoptionRow(
            "\"kind\": \"text\"", "\"kind\": \"offer\"", "image-not-allowed", "image-not-allowed",
            "bullets-not-allowed"
        )
        .marking("\"body\": \"B1\", \"image\": ¦\"hero\""),
    ]

    private static let hero =
        "{ \"hero\": { \"file\": \"hero.png\", \"size\": \"FULL_SIZE\"\(pin("a0000000-0000-4000-8000-000000000008", heroDigest)) } }"
    private static let heroDigest = "136e4a739c759d416852b012383bd35fa466c68640ee793a8e5eb70e02ce3a8c"

    private static func pin(_ identifier: String, _ digest: String) -> String {
        ", \"identifier\": { \"Sandbox\": { \"id\": \"\(identifier)\", \"digest\": \"\(digest)\" } }"
    }

    private static func reminder(_ members: String) -> String {
        "{ \"reminder\": { \"kind\": \"text\", \"en-US\": { \(members) } } }"
    }

    /// What contradicts the catalogue, Apple's lists or another entry.
    private static let conflicts: [AdoptionRow] = [
        AdoptionRow("\"appAppleId\": 7", "\"appAppleId\": ¦8", "map-conflict"),
        AdoptionRow("\"com.example.app\"", "¦\"com.example.other\"", "map-conflict"),
        AdoptionRow("\"Sandbox\"", "¦\"Production\"", "map-conflict"),
        AdoptionRow("\"name\": \"tick\"", "\"name\": ¦\"hero\"", "map-conflict"),
        AdoptionRow(
            "\"name\": \"hero\", \"file\"", "\"name\": \"hero\", \"size\": ¦\"BULLET_POINT\", \"file\"",
            "map-conflict"),
        AdoptionRow("\"locale\": \"de-DE\"", "\"locale\": \"en-US\"", "map-conflict")
            .marking("\"name\": ¦\"reminder\", \"locale\": \"en-US\", \"kind\": null"),
        // The texts of one message have one kind and one position of the header.
        AdoptionRow("\"kind\": null", "\"kind\": ¦\"offer\"", "map-conflict"),
        AdoptionRow(
            "\"header\": \"H1\"", "\"headerPosition\": \"ABOVE_IMAGE\", \"header\": \"H1\"", "map-conflict"
        ).marking("\"headerPosition\": ¦\"ABOVE_BODY\""),
        // The catalogue pins another identifier, or has this one under another name.
        AdoptionRow("\"name\": \"hero\"", "\"name\": ¦\"hero\"", "map-conflict").with("images", hero),
        AdoptionRow("\"name\": \"hero\"", "\"name\": ¦\"hero\"", "map-conflict").with(
            "images",
            "{ \"hill\": { \"file\": \"hero.png\", \"size\": \"FULL_SIZE\""
                + pin("a0000000-0000-4000-8000-000000000001", heroDigest) + " } }"
        ),
        // The catalogue has another content under the name.
        AdoptionRow("\"H1\"", "¦\"H1\"", "map-conflict", "map-conflict", "map-conflict").with(
            "messages", reminder("\"header\": \"H0\", \"body\": \"B1\"")),
        AdoptionRow("\"hero.png\"", "¦\"hero.png\"", "map-conflict").with(
            "images", "{ \"hero\": { \"file\": \"spare.png\", \"size\": \"FULL_SIZE\" } }"),
    ]
}

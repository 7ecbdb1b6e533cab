import System
import Testing

/// A source that is wrong or odd as a whole, which no change of the good source at one place can make, and the last
/// finding that it must give.
struct WholeSourceRow: Sendable, CustomTestStringConvertible {
    /// `¦` marks the place that the finding must name and is not part of the source. `�` stands for a byte that is not
    /// UTF-8.
    private let text: String
    let code: String
    let message: String?
    /// The number of findings.
    let count: Int

    init(_ text: String, _ code: String, _ message: String? = nil, count: Int = 1) {
        self.text = text
        self.code = code
        self.message = message
        self.count = count
    }

    var testDescription: String { code }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars where scalar != "¦" {
            if scalar == "\u{FFFD}" { bytes.append(0xFF) } else { bytes += Array(String(scalar).utf8) }
        }
        return bytes
    }

    func place() throws -> (line: Int, column: Int) { try Mark.place(of: "¦", in: text) }

    /// Expects the last finding.
    func check(_ findings: [Finding]) throws {
        let finding = try #require(findings.last)
        #expect(finding.code == code && findings.count == count, "\(findings.map(\.text))")
        let (line, column) = try place()
        #expect(finding.line == line && finding.column == column, "\(finding.text)")
        if let message { #expect(finding.message == message) }
    }

    private static let message =
        "\"messages\": { \"m\": { \"kind\": \"text\", \"ids\": { \"en-US\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\" }"
    private static let something = "\"default\": { \"serve\": { \"message\": \"m\" } } }"
    private static let nothing = "\"default\": { \"serve\": \"none\" } }"

    /// Returns a source with 150 rules. `rule` makes a rule from its id and from a mark, which is empty for all but the
    /// 101st rule.
    private static func rules(_ rule: (_ id: String, _ mark: String) -> String) -> String {
        let rules = (0..<150).map { rule("\"r\($0)\"", $0 == 100 ? "¦" : "") }
        return GoodSource.head + "\"rules\": [\(rules.joined(separator: ",\n"))] }"
    }

    static let errors = [
        WholeSourceRow("¦" + GoodSource.head + "\"rules\": [] }", "rules.empty"),
        WholeSourceRow("¦" + GoodSource.head + "\"messages\": {} }", "rules.empty"),
        WholeSourceRow(
            rules { id, mark in "{ \"id\": \(id), \"serve\": \(mark)\"all\" }" },
            "rules.more-findings",
            "and 50 more",
            count: 101
        ),
        WholeSourceRow(GoodSource.head + nothing + "\n  ¦{}", "json.trailing-bytes"),
        WholeSourceRow(
            GoodSource.head + "\"metadata\": { \"a\": \"ü¦\u{FFFD}\" }, " + nothing, "json.not-utf8"),
        WholeSourceRow(
            GoodSource.head + "\"rules\": "
                + String(repeating: "[", count: 63) + "¦" + String(repeating: "[", count: 30)
                + String(repeating: "]", count: 93) + " }",
            "json.too-deep"
        ),
    ]

    static let lint = [
        // The message is not approved in any locale, and the test of it cannot pass before the approval.
        WholeSourceRow(
            GoodSource.head + message
                + " } }, \"unapproved\": { \"551ee7c0-c097-418e-9dd5-2a98533a7390\": \"PENDING\" }, "
                + "\"tests\": [ { \"name\": \"t\", "
                + "\"given\": { \"productId\": \"p\", \"userLocale\": \"en-US\", \"originalTransactionId\": \"1\", "
                + "\"now\": \"2026-11-21T00:00:00Z\" }, \"expect\": ¦{ \"default\": true } } ], " + something,
            "lint.test-awaits-approval",
            "the test \"t\" passes once Apple has approved what it expects: rule: expected default, found none",
            count: 2
        ),
        // All rules are untested, and all but the first are unreachable.
        WholeSourceRow(
            rules { id, mark in
                "{ \"id\": \(mark)\(id), \"when\": { \"fact\": \"language\", \"eq\": \"en\" }, \"serve\": \"none\" }"
            },
            "lint.more-findings",
            "and 199 more",
            count: 101
        ),
    ]
}

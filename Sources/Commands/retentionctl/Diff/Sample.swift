internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import Rules
internal import System

/// The requests with which two rules files are compared.
struct Sample {
    /// The requests for the app and the environment of the rules files.
    private(set) var requests: [SampleRequest] = []
    private(set) var otherAppCount = 0
    /// The number of lines of a decision log that were left out because they are not JSON.
    private(set) var brokenLineCount = 0

    /// The number of bad lines that are reported before the reading ends.
    private static let findingLimit = 20

    /// Reads a whole sample. In a decision log, lines that are not JSON are left out and counted.
    ///
    /// - Throws: the findings about bad lines, or `sample.unusable`.
    init(reading path: String, old: RulesFile, new: RulesFile) throws {
        let reader = SampleReader(path: path, old: old.declaredFacts, new: new.declaredFacts)
        var requests: [SampleRequest] = []
        var otherAppCount = 0
        var findings: [Finding] = []
        var broken: [Finding] = []
        var brokenLineCount = 0
        var isLog = false
        try InputLines.forEach(in: path) { number, line in
            do throws(Finding) {
                let line = try reader.line(line, number: number)
                if line.isOfLog { isLog = true }
                if case .broken(let finding) = line {
                    brokenLineCount += 1
                    if broken.count < Self.findingLimit { broken.append(finding) }
                }
                guard case .request(let request) = line else { return }
                let isOurs =
                    request.appAppleId ?? old.appAppleId == old.appAppleId
                    && request.environment ?? old.environment == old.environment
                if isOurs { requests.append(request) } else { otherAppCount += 1 }
            } catch {
                findings.append(error)
                if findings.count >= Self.findingLimit { throw ToolError(findings) }
            }
        }
        if !isLog { findings += broken }
        guard findings.isEmpty else {
            let inOrder = findings.sorted { $0.line ?? 0 < $1.line ?? 0 }
            throw ToolError(Array(inOrder.prefix(Self.findingLimit)))
        }
        guard !requests.isEmpty else {
            let others = otherAppCount > 0 ? ", \(otherAppCount) of other apps and environments" : ""
            throw ToolError(code: "sample.unusable", "no request\(others)", file: path)
        }
        self.requests = requests
        self.otherAppCount = otherAppCount
        self.brokenLineCount = brokenLineCount
    }

    /// Replaces the pseudonyms of the decision log by the `originalTransactionId` of the subscribers, where the facts
    /// file has them. `keyPath` is the file of the key that made the pseudonyms.
    mutating func identify(by keyPath: String, among facts: FactsFile) throws {
        var places: [String: [Int]] = [:]
        for (index, request) in requests.enumerated() {
            if case .pseudonym(let text) = request.subscriber { places[text, default: []].append(index) }
        }
        guard !places.isEmpty else { return }
        guard let key = IdentifierKey(text: try Input.read(keyPath, limitBytes: 1 << 10)) else {
            throw ToolError(
                code: "diff.bad-identifier-key", "no key of 64 hexadecimal digits", file: keyPath)
        }
        let pseudonyms = try ToolError.about(keyPath) { try key.pseudonyms() }
        for row in facts.rows where !places.isEmpty {
            guard let number = facts.key(of: row) else { continue }
            let text = String(number)
            let pseudonym = try ToolError.about(keyPath) { try pseudonyms.pseudonym(of: text) }
            for index in places.removeValue(forKey: pseudonym) ?? [] {
                requests[index].subscriber = .originalTransactionId(text)
            }
        }
    }
}

/// A request of a sample: a request as such, or the request behind a record of the decision log.
struct SampleRequest {
    /// The number of its line in the sample, counted from 1.
    let line: Int
    let productId: String
    let userLocale: String
    /// The subscriber. A record of the decision log has a pseudonym instead of a transaction identifier.
    var subscriber: Subscriber
    /// The time of the request, in milliseconds since 1970; nil when the sample does not say it.
    let nowMilliseconds: Int64?
    /// The app and the environment; nil when the sample does not say them.
    let appAppleId: Int64?
    let environment: Environment?
    /// The facts in the sample, for the old and for the new rules; nil when the sample has none.
    let facts: (old: [FactValue?], new: [FactValue?])?
    let factsAgeSeconds: Int64?

    enum Subscriber: Hashable {
        case originalTransactionId(String)
        case pseudonym(String)

        /// The text from which the buckets are computed for this subscriber.
        var unit: String {
            switch self {
            case .originalTransactionId(let text), .pseudonym(let text): text
            }
        }
    }

    /// Returns the request as text: `pro_monthly en-US 2000000001 at 2026-11-21T00:00:00Z`. `now` is the time for a
    /// request without one.
    func text(atMilliseconds now: Int64) -> String {
        "\(productId) \(userLocale) \(subscriber.unit) at \(FactText.date(nowMilliseconds ?? now))"
    }
}

internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
internal import Rules
internal import System

struct Sample {
    private(set) var requests: [SampleRequest] = []
    private(set) var otherAppCount = 0
    private(set) var brokenLineCount = 0

    private static let findingLimit = 20

    /// Reads a whole sample. In a decision log, lines that are not JSON are left out and counted.
    init(reading path: String, old: RulesFile, new: RulesFile) throws {
        (otherAppCount, brokenLineCount) = try Self.forEach(in: path, old: old, new: new) {
            requests.append($0)
        }
    }

    /// Reads a sample and keeps nothing of it. Returns how many lines are of other apps and environments, and how many are no JSON.
    static func forEach(
        in path: String, old: RulesFile, new: RulesFile, _ body: (SampleRequest) -> Void
    ) throws -> (otherAppCount: Int, brokenLineCount: Int) {
        let reader = SampleReader(path: path, old: old.declaredFacts, new: new.declaredFacts)
        var (count, otherAppCount, brokenLineCount) = (0, 0, 0)
        var findings: [Finding] = []
        var broken: [Finding] = []
        var isLog = false
        try InputLines.forEach(in: path) { number, line in
            switch reader.line(line, number: number) {
            case .request(let request):
                if case .pseudonym = request.subscriber { isLog = true }
                let isOurs =
                    request.appAppleId ?? old.appAppleId == old.appAppleId
                    && request.environment ?? old.environment == old.environment
                if isOurs {
                    count += 1
                    body(request)
                } else {
                    otherAppCount += 1
                }
            case .other: isLog = true
            case .broken(let finding):
                brokenLineCount += 1
                if broken.count < findingLimit { broken.append(finding) }
            case .wrong(let finding):
                findings.append(finding)
                if findings.count >= findingLimit { throw ToolError(findings) }
            }
        }
        if !isLog { findings += broken }
        guard findings.isEmpty else {
            let inOrder = findings.sorted { $0.line ?? 0 < $1.line ?? 0 }
            throw ToolError(Array(inOrder.prefix(findingLimit)))
        }
        guard count > 0 else {
            let others = otherAppCount > 0 ? ", \(otherAppCount) of other apps and environments" : ""
            throw ToolError(code: "sample.unusable", "no request\(others)", file: path)
        }
        return (otherAppCount, brokenLineCount)
    }

    /// Replaces pseudonyms by the subscribers whom the facts file has. `keyPath` is the file of the key that made them.
    mutating func identify(by keyPath: String, among facts: FactsFile) throws {
        var places: [String: [Int]] = [:]
        for (index, request) in requests.enumerated() {
            if case .pseudonym(let text) = request.subscriber { places[text, default: []].append(index) }
        }
        guard !places.isEmpty else { return }
        let key = try IdentifierKey.read(keyPath)
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

extension IdentifierKey {
    static func read(_ path: String) throws -> IdentifierKey {
        guard let key = IdentifierKey(text: try Input.read(path, limitBytes: 1 << 10)) else {
            throw ToolError(code: "diff.bad-identifier-key", "no key of 64 hexadecimal digits", file: path)
        }
        return key
    }
}

struct SampleRequest {
    let line: Int
    let productId: String
    let userLocale: String
    var subscriber: Subscriber
    let nowMilliseconds: Int64?
    let appAppleId: Int64?
    let environment: Environment?
    /// The facts in the sample, for the old and for the new rules; nil when the sample has none.
    let facts: (old: [FactValue?], new: [FactValue?])?
    let factsAgeSeconds: Int64?

    enum Subscriber: Hashable {
        case originalTransactionId(String)
        case pseudonym(String)

        var unit: String {
            switch self {
            case .originalTransactionId(let text), .pseudonym(let text): text
            }
        }
    }

    /// `now` is the time for a request without one.
    func text(atMilliseconds now: Int64) -> String {
        "\(productId) \(userLocale) \(subscriber.unit) at \(FactText.date(nowMilliseconds ?? now))"
    }
}

/// Reads the lines of a sample. A line is one of these:
/// - a request as in the embedded tests: `productId`, `userLocale`, `originalTransactionId`, and optionally `now`,
///   `facts`, `factsAgeSeconds`;
/// - a decoded payload of Apple's;
/// - a record of the decision log: `time`, `subscriber`, `app`, `environment`, `product`, `locale`;
/// - a line of the decision log about rules (`rules`) or the end of a worker (`end`), which is not a request.
struct SampleReader {
    let path: String
    let old: [(name: String, kind: ValueKind)]
    let new: [(name: String, kind: ValueKind)]

    enum Line {
        case request(SampleRequest)
        /// A line that only the decision log has.
        case other
        /// The line is not JSON. A full disk cuts lines of the decision log short.
        case broken(Finding)
        /// The line is JSON and nothing of the list above.
        case wrong(Finding)
    }

    func line(_ bytes: [UInt8], number: Int) -> Line {
        func placed(_ finding: Finding) -> Finding {
            var finding = finding.inFile(path)
            finding.line = number
            return finding
        }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(
                parsing: bytes.span, limits: JSONLimits(byteCount: InputLines.lineLimitBytes, depth: 8))
        } catch {
            return .broken(placed(Finding(error)))
        }
        let findings = Findings(source: bytes, subject: "sample", limit: 1, reportsOverflow: false)
        let root = SourceValue(document.root, path: [], findings)
        if root.isObject, root.member("rules") != nil || root.member("end") != nil { return .other }
        let request = findings.isEmpty ? request(root, number) : nil
        if let finding = findings.sorted.first { return .wrong(placed(finding)) }
        return request.map { .request($0) } ?? .other
    }

    private func request(_ root: SourceValue, _ number: Int) -> SampleRequest? {
        let isRecord = root.member("product") != nil
        guard let product = root.required(isRecord ? "product" : "productId")?.string,
            let locale = root.required(isRecord ? "locale" : "userLocale")?.string,
            let subscriber = root.required(isRecord ? "subscriber" : "originalTransactionId")?.string
        else { return nil }
        // A payload has no `now`, only the time of its signature.
        let now = isRecord ? time(root, "time") : time(root, "now") ?? time(root, "signedDate")
        return SampleRequest(
            line: number, productId: product, userLocale: locale,
            subscriber: isRecord ? .pseudonym(subscriber) : .originalTransactionId(subscriber),
            nowMilliseconds: now, appAppleId: integer(root, isRecord ? "app" : "appAppleId"),
            environment: environment(root), facts: isRecord ? nil : facts(root),
            factsAgeSeconds: isRecord ? nil : integer(root, "factsAgeSeconds"))
    }

    /// Null is as good as no member.
    private func member(_ root: SourceValue, _ name: String) -> SourceValue? {
        root.member(name).flatMap { $0.value.kind == .null ? nil : $0 }
    }

    private func integer(_ root: SourceValue, _ name: String) -> Int64? { member(root, name)?.integer }

    private func environment(_ root: SourceValue) -> Environment? {
        guard let member = member(root, "environment") else { return nil }
        let environment = member.value.string.flatMap { Environment(rawValue: $0) }
        if environment == nil { member.reportWrongType("one of Apple's environments") }
        return environment
    }

    private func time(_ root: SourceValue, _ name: String) -> Int64? {
        guard let member = member(root, name) else { return nil }
        let time = member.value.int64 ?? member.value.string.flatMap { CivilTime($0)?.milliseconds }
        if time == nil {
            member.reportWrongType("a date as 2026-11-21T00:00:00Z, or milliseconds since 1970")
        }
        return time
    }

    /// The facts of the line, in the order of the facts of the old and of the new file; nil when the line has none.
    private func facts(_ root: SourceValue) -> (old: [FactValue?], new: [FactValue?])? {
        guard let object = member(root, "facts"), object.isObject else { return nil }
        object.checkKeys(old.map(\.name) + new.map(\.name))
        func values(_ declared: [(name: String, kind: ValueKind)]) -> [FactValue?] {
            declared.map { fact in
                guard let member = member(object, fact.name) else { return nil }
                let value = FactLiteral.value(of: JSONNode(member.value), fact.kind)
                if value == nil { member.reportWrongType(FactLiteral.form(of: fact.kind)) }
                return value
            }
        }
        return (values(old), values(new))
    }
}

internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
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
        case other
        /// The line is not JSON. A full disk cuts lines of the decision log short.
        case broken(Finding)

        /// True when only the decision log has such lines.
        var isOfLog: Bool {
            switch self {
            case .request(let request): if case .pseudonym = request.subscriber { true } else { false }
            case .other: true
            case .broken: false
            }
        }
    }

    /// Reads a line.
    ///
    /// - Throws: the finding about a line that is JSON and nothing of the list above.
    func line(_ bytes: [UInt8], number: Int) throws(Finding) -> Line {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(
                parsing: bytes.span, limits: JSONLimits(byteCount: InputLines.lineLimitBytes, depth: 8))
        } catch {
            let column = error.position?.column
            return .broken(Finding(code: error.code, error.reason, file: path, line: number, column: column))
        }
        let root = document.root
        let line = SampleLine(root: root, number: number, path: path, bytes: bytes)
        guard root.kind == .object else { throw line.wrongType("a line", "an object", at: []) }
        guard root.member("rules") == nil, root.member("end") == nil else { return .other }
        return .request(try root.member("product") == nil ? plain(line) : record(line))
    }

    private func plain(_ line: SampleLine) throws(Finding) -> SampleRequest {
        // A payload has no `now`, only the time of its signature.
        let (now, signed) = (try line.time("now"), try line.time("signedDate"))
        return SampleRequest(
            line: line.number, productId: try line.text("productId"), userLocale: try line.text("userLocale"),
            subscriber: .originalTransactionId(try line.text("originalTransactionId")),
            nowMilliseconds: now ?? signed, appAppleId: try line.integer("appAppleId"),
            environment: try line.environment(), facts: try facts(line),
            factsAgeSeconds: try line.integer("factsAgeSeconds"))
    }

    private func record(_ line: SampleLine) throws(Finding) -> SampleRequest {
        SampleRequest(
            line: line.number, productId: try line.text("product"), userLocale: try line.text("locale"),
            subscriber: .pseudonym(try line.text("subscriber")), nowMilliseconds: try line.time("time"),
            appAppleId: try line.integer("app"), environment: try line.environment(), facts: nil,
            factsAgeSeconds: nil)
    }

    /// Returns the facts of the line, in the order of the facts of the old and of the new file; nil when the line has
    /// none. Null means that a value is missing.
    private func facts(_ line: SampleLine) throws(Finding) -> (old: [FactValue?], new: [FactValue?])? {
        guard let object = line.root.member("facts"), object.kind != .null else { return nil }
        guard object.kind == .object else { throw line.wrongType("facts", "an object") }
        var values = (
            old: [FactValue?](repeating: nil, count: old.count),
            new: [FactValue?](repeating: nil, count: new.count)
        )
        for (name, node) in object.members {
            let places = (
                old: old.firstIndex { $0.name == name }, new: new.firstIndex { $0.name == name }
            )
            guard places.old != nil || places.new != nil else {
                let names =
                    old.map(\.name) + new.map(\.name).filter { name in !old.contains { $0.name == name } }
                throw line.finding(
                    code: "sample.unusable", FactNames.unknown(name),
                    hint: FactNames.hint(for: name, among: names), at: [.member("facts"), .member(name)],
                    isKey: true)
            }
            guard node.kind != .null else { continue }
            if let place = places.old { values.old[place] = try line.value(JSONNode(node), old[place]) }
            if let place = places.new { values.new[place] = try line.value(JSONNode(node), new[place]) }
        }
        return values
    }
}

/// A line of a sample while it is read: a JSON object with functions that read its members.
struct SampleLine {
    let root: JSONValue
    /// The number of the line, counted from 1.
    let number: Int
    let path: String
    let bytes: [UInt8]

    /// Returns a finding about a value of the line, or about a key when `isKey` is true.
    func finding(
        code: String, _ message: String, hint: String? = nil, at place: JSONPath, isKey: Bool = false
    ) -> Finding {
        let positions = JSONPositions(source: bytes)
        let position = isKey ? positions.key(at: place) : positions.value(at: place)
        return Finding(code: code, message, hint: hint, file: path, line: number, column: position?.column)
    }

    func wrongType(_ name: String, _ form: String, at place: JSONPath? = nil) -> Finding {
        finding(code: "sample.unusable", "\(name) is not \(form)", at: place ?? [.member(name)])
    }

    func text(_ name: String) throws(Finding) -> String {
        guard let value = root.member(named: name) else {
            throw finding(code: "sample.unusable", "\"\(name)\" is missing", at: [])
        }
        guard let text = value.string else { throw wrongType(name, "a text") }
        return text
    }

    func integer(_ name: String) throws(Finding) -> Int64? {
        guard let value = root.member(named: name), value.kind != .null else { return nil }
        guard let number = value.int64 else { throw wrongType(name, "a whole number") }
        return number
    }

    func environment() throws(Finding) -> Environment? {
        guard let value = root.member("environment"), value.kind != .null else { return nil }
        guard let name = value.string.flatMap({ Environment(rawValue: $0) }) else {
            throw wrongType("environment", "one of Apple's")
        }
        return name
    }

    /// Reads a time: RFC 3339 text, or milliseconds since 1970 as Apple writes them; nil when the member is absent or
    /// null.
    func time(_ name: String) throws(Finding) -> Int64? {
        guard let value = root.member(named: name), value.kind != .null else { return nil }
        guard let time = value.int64 ?? value.string.flatMap({ CivilTime($0)?.milliseconds }) else {
            throw wrongType(name, "a date as 2026-11-21T00:00:00Z, or milliseconds since 1970")
        }
        return time
    }

    func value(_ node: JSONNode, _ fact: (name: String, kind: ValueKind)) throws(Finding) -> FactValue {
        guard let value = FactLiteral.value(of: node, fact.kind) else {
            throw wrongType(
                fact.name, FactLiteral.form(of: fact.kind), at: [.member("facts"), .member(fact.name)])
        }
        return value
    }
}

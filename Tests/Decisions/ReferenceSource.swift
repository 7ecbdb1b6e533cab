import JSON
import Rules
import System

/// A rules source in the shape of its JSON, with references by name.
struct ReferenceSource {
    indirect enum Condition {
        case all([Condition])
        case any([Condition])
        case not(Condition)
        case segment(String)
        case predicate(fact: String, operation: String, operands: [ReferenceValue])
    }

    enum Serve {
        case nothing
        case message(kind: String, name: String)
    }

    struct Split {
        let salt: String
        let unit: String?
        let basisPoints: Int
    }

    struct Rule {
        var id = ""
        var isEnabled = true
        var from: Int64?
        var to: Int64?
        var when: Condition?
        var rollout: Split?
        var variants: Split?
        var arms: [(name: String, weight: Int, serve: Serve)] = []
        var serve = Serve.nothing
    }

    struct Holdout {
        let split: Split
        let until: Int64?
        let serve: Serve
    }

    struct Caps {
        let maxAccepted: Int64?
        let minDays: Int64?
        let acceptedFact: String
        let lastFact: String
        let allowsUnknown: Bool
    }

    /// The names of the facts that are declared.
    let facts: Set<String>
    let app: Int64
    let environment: String
    let killSwitch: Bool
    let fallback: [String: String]
    let last: String?
    let messages: [(name: String, identifiers: [String: String], passes: Bool)]
    /// The identifiers that are not served.
    let unapproved: Set<String>
    let segments: [String: Condition]
    let holdout: Holdout?
    let caps: Caps?
    let rules: [Rule]
    let defaultServe: Serve?

    init(_ json: JSONNode) {
        let dates = Set(["now"] + (json["facts"]?.members ?? []).filter { $0.1.text == "date" }.map(\.0))
        facts = Set((json["facts"]?.members ?? []).map(\.0))
        app = json["app"]?["appAppleId"]?.integer ?? 0
        environment = json["environment"]?.text ?? ""
        killSwitch = json["killSwitch"]?.isTrue ?? false
        fallback = (json["locales"]?["fallback"]).texts
        last = json["locales"]?["last"]?.text
        messages = (json["messages"]?.members ?? []).map { name, json in
            (name, (json["ids"]).texts, json["whenUnapproved"]?.text == "pass")
        }
        unapproved = Set((json["unapproved"]).texts.keys)
        segments = Dictionary(
            (json["segments"]?.members ?? []).map { ($0, Self.condition($1, dates)) },
            uniquingKeysWith: { first, _ in first }
        )
        holdout = json["holdout"].map { json in
            Holdout(
                split: Self.split(json), until: json["until"]?.date, serve: Self.serve(json["serve"] ?? .null)
            )
        }
        caps = json["caps"]?["offer"].map { offer in
            Caps(
                maxAccepted: offer["maxAccepted"]?.integer, minDays: offer["minDaysSinceLast"]?.integer,
                acceptedFact: offer["acceptedFact"]?.text ?? "offersAccepted",
                lastFact: offer["lastFact"]?.text ?? "lastOfferAt",
                allowsUnknown: offer["whenUnknown"]?.text == "allow")
        }
        rules = (json["rules"]?.elements ?? []).map { Self.rule($0, dates) }
        defaultServe = json["default"]?["serve"].map(Self.serve)
    }

    private static func rule(_ json: JSONNode, _ dates: Set<String>) -> Rule {
        var rule = Rule()
        rule.id = json["id"]?.text ?? ""
        rule.isEnabled = json["enabled"]?.isTrue ?? true
        rule.from = json["window"]?["from"]?.date
        rule.to = json["window"]?["to"]?.date
        rule.when = json["when"].map { condition($0, dates) }
        rule.rollout = json["rollout"].map(split)
        rule.serve = json["serve"].map(serve) ?? .nothing
        if let variants = json["variants"] {
            rule.variants = split(variants)
            rule.arms = (variants["arms"]?.elements ?? []).map { arm in
                (arm["name"]?.text ?? "", Int(arm["weight"]?.integer ?? 0), serve(arm["serve"] ?? .null))
            }
        }
        return rule
    }

    private static func split(_ json: JSONNode) -> Split {
        Split(
            salt: json["salt"]?.text ?? "", unit: json["unit"]?.text,
            basisPoints: Int(json["basisPoints"]?.integer ?? 0))
    }

    private static func serve(_ json: JSONNode) -> Serve {
        for kind in ["message", "switch", "offer", "advancedCommerce"] {
            if let name = json[kind]?.text { return .message(kind: kind, name: name) }
        }
        return .nothing
    }

    private static func condition(_ json: JSONNode, _ dates: Set<String>) -> Condition {
        if let children = json["all"] { return .all(children.elements.map { condition($0, dates) }) }
        if let children = json["any"] { return .any(children.elements.map { condition($0, dates) }) }
        if let child = json["not"] { return .not(condition(child, dates)) }
        if let name = json["segment"]?.text { return .segment(name) }
        let fact = json["fact"]?.text ?? ""
        let (operation, operand) = json.members.first { $0.0 != "fact" } ?? ("", .null)
        let operands = operand.elements.isEmpty ? [operand] : operand.elements
        return .predicate(
            fact: fact,
            operation: operation,
            operands: operands.map { ReferenceValue($0, isDate: dates.contains(fact)) }
        )
    }
}

/// A value of a fact.
enum ReferenceValue: Equatable {
    case string(String)
    case number(Int64)
    case boolean(Bool)

    init(_ json: JSONNode, isDate: Bool) {
        switch json {
        case .boolean(let isTrue): self = .boolean(isTrue)
        case .integer(let number): self = .number(number)
        default: self = isDate ? .number(json.date ?? 0) : .string(json.text ?? "")
        }
    }

    /// Compares strings by their bytes. Swift's own comparison calls some strings equal that have different bytes.
    static func == (left: ReferenceValue, right: ReferenceValue) -> Bool {
        switch (left, right) {
        case (.string(let one), .string(let other)): one == other && one.utf8.elementsEqual(other.utf8)
        case (.number(let one), .number(let other)): one == other
        case (.boolean(let one), .boolean(let other)): one == other
        default: false
        }
    }

    var number: Int64? { if case .number(let number) = self { number } else { nil } }
    var text: String { if case .string(let text) = self { text } else { "" } }
}

/// A request, and its values by the names of the facts.
struct ReferenceRequest {
    let request: DecisionRequest
    let facts: [String: ReferenceValue]

    init(_ request: DecisionRequest) {
        self.request = request
        let language = request.userLocale.split(separator: "-", omittingEmptySubsequences: false)[0]
        facts = [
            "productId": .string(request.productId), "userLocale": .string(request.userLocale),
            "language": .string(String(language)), "environment": .string(request.environment.rawValue),
            "originalTransactionId": .string(request.originalTransactionId),
            "now": .number(request.nowMilliseconds),
        ]
    }
}

/// A request and its subscriber, with all values by the names of the facts.
struct ReferenceSubject {
    let asking: ReferenceRequest
    let subscriber: RandomSubscriber
    var request: DecisionRequest { asking.request }

    func fact(_ name: String) -> ReferenceValue? {
        switch name {
        case "factsFound": .boolean(subscriber.declared != nil)
        case "factsAgeSeconds": subscriber.ageSeconds.map { .number($0) }
        default: subscriber.declared?[name] ?? asking.facts[name]
        }
    }

    func number(_ name: String) -> Int64? { fact(name)?.number }
}

extension JSONNode {
    subscript(name: String) -> JSONNode? {
        if case .object(let members) = self { members.first { $0.0 == name }?.1 } else { nil }
    }

    var elements: [JSONNode] { if case .array(let elements) = self { elements } else { [] } }
    var members: [(String, JSONNode)] { if case .object(let members) = self { members } else { [] } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var isTrue: Bool { if case .boolean(true) = self { true } else { false } }
    var date: Int64? { text.flatMap { CivilTime($0)?.milliseconds } }
}

extension JSONNode? {
    fileprivate var texts: [String: String] {
        Dictionary(
            (self?.members ?? []).map { ($0, $1.text ?? "") },
            uniquingKeysWith: { first, _ in first }
        )
    }
}

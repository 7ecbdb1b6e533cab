public import JSON
internal import System

struct OutcomeReader {
    private let messages: [RulesModel.Message]
    private let withoutKind: Set<String>
    private let products: ProductTable
    private let places: [String: Int]
    private let names: [String]
    private let hasCatalogue: Bool

    init(messages: MessagesReader, products: ProductTable, hasCatalogue: Bool) {
        self.hasCatalogue = hasCatalogue
        self.messages = messages.messages
        withoutKind = messages.withoutKind
        names = messages.names
        self.products = products
        places = Dictionary(messages.messages.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    private static let forms: [(kind: MessageKind, keys: Keys)] = [
        (.text, Keys(["message"])),
        (.switch, Keys(["switch", "productId", "billingPlanType"])),
        (.offer, Keys(["offer", "productId", "offerIdentifier"])),
        (.advancedCommerce, Keys(["advancedCommerce", "request"])),
    ]

    static let keys = forms.map(\.keys)
    static let heads = forms.map(\.keys.names[0])

    func read(_ value: SourceValue, from origin: ProductOrigin = .any) -> RulesModel.Outcome? {
        if let word = value.value.string {
            guard word == "none" else {
                value.report(.wrongType, "expected \"none\" or an object", hint: "{ \"message\": NAME }")
                return nil
            }
            return .nothing
        }
        guard value.isObject else { return nil }
        let names = value.value.members.map(\.name)
        let forms = Self.forms.filter { names.contains($0.keys.names[0]) }
        guard forms.count <= 1 else {
            value.report(
                .ambiguous, "one thing is served", hint: "one of \(Self.heads.joined(separator: ", "))")
            return nil
        }
        guard let form = forms.first else {
            value.checkKeys(Keys(Self.forms.flatMap(\.keys.names)))
            value.report(
                .missingKey, "what to serve is missing", hint: "one of \(Self.heads.joined(separator: ", "))")
            return nil
        }
        value.checkKeys(form.keys)
        let message = value.member(form.keys.names[0]).flatMap { self.message($0, kind: form.kind) }
        switch form.kind {
        case .text: return message.map { .message($0) }
        case .switch: return planSwitch(value, message, from: origin)
        case .offer: return offer(value, message)
        case .advancedCommerce: return advancedCommerce(value, message)
        }
    }

    func message(_ value: SourceValue) -> Int? {
        guard let name = value.string else { return nil }
        guard let place = places[name] else {
            value.report(
                .unknownName, "there is no message \"\(name)\"",
                hint: Hint.near(name, among: names)
                    ?? (hasCatalogue ? nil : "--catalogue names the catalogue that has it"))
            return nil
        }
        return place
    }

    private func message(_ value: SourceValue, kind: MessageKind) -> Int? {
        guard let place = message(value) else { return nil }
        let message = messages[place]
        guard message.kind == kind || withoutKind.contains(message.name) else {
            let meant = Self.forms.first { $0.kind == message.kind }?.keys.names[0] ?? ""
            value.report(
                .wrongKind, "\"\(message.name)\" is a message of kind \(message.kind.name)",
                hint: "it is served with \"\(meant)\"")
            return nil
        }
        return place
    }

    private func planSwitch(_ value: SourceValue, _ message: Int?, from origin: ProductOrigin) -> RulesModel
        .Outcome?
    {
        let target = value.required("productId")
        let product = target.flatMap(products.target)
        if let target, product != nil { products.checkSwitch(to: target, from: origin) }
        var plan: BillingPlanType?
        if let given = value.member("billingPlanType") {
            plan = given.choice(of: BillingPlanType.allCases, named: \.rawValue, RulesReason.badValue) {
                "\"\($0)\" is not a billing plan"
            }
            guard plan != nil else { return nil }
        }
        guard let message, let product else { return nil }
        return .switch(message: message, productId: product, billingPlanType: plan)
    }

    private func offer(_ value: SourceValue, _ message: Int?) -> RulesModel.Outcome? {
        let product = value.required("productId").flatMap(products.target)
        let identifier = value.required("offerIdentifier")?.storeIdentifier()
        guard let message, let product, let identifier else { return nil }
        return .offer(message: message, productId: product, offerIdentifier: identifier)
    }

    private func advancedCommerce(_ value: SourceValue, _ message: Int?) -> RulesModel.Outcome? {
        guard let request = value.required("request"), request.isObject else { return nil }
        AdvancedCommerceCheck.check(request)
        let text = JSONNode(request.value).serialized()
        guard text.count <= RulesSourceLimits.requestByteCount else {
            let limit = RulesSourceLimits.requestByteCount
            request.report(.badValue, "\(text.count) bytes, more than the limit of \(limit)")
            return nil
        }
        guard let message else { return nil }
        return .advancedCommerce(message: message, request: String(decoding: text, as: UTF8.self))
    }
}

struct MessagesReader {
    private(set) var messages: [RulesModel.Message] = []
    /// The messages with a wrong kind. They are still known by name, so that outcomes which serve them are not reported too.
    private(set) var withoutKind: Set<String> = []

    private(set) var names: [String] = []

    init(
        _ value: SourceValue?, catalogue: [RulesModel.Message], served: Set<String>, unapproved: SourceValue?
    ) {
        let others = Set(catalogue.map(\.name))
        for (name, value) in value?.entries ?? [] {
            _ = value.checkName(name, isKey: true)
            if others.contains(name) {
                let hint = "remove it here, or rename it"
                value.reportKey(.duplicate, "the catalogue has a message \"\(name)\" too", hint: hint)
            }
            messages.append(message(name, value))
        }
        let own = Set(messages.map(\.name))
        messages += catalogue.filter { served.contains($0.name) && !own.contains($0.name) }
        names = own.union(others).sorted()
        if let unapproved { mark(unapproved) }
    }

    private mutating func mark(_ value: SourceValue) {
        var states: [UUID: RulesModel.Unapproved] = [:]
        let known = Set(messages.flatMap { $0.identifiers.map(\.identifier) })
        for (name, value) in value.entries {
            let state = value.choice(
                of: RulesModel.Unapproved.allCases, named: \.rawValue, RulesReason.badValue
            ) { "\"\($0)\" is not the state of a message that Apple has not approved" }
            guard let identifier = UUID(name) else {
                value.reportKey(.badValue, "\"\(name)\" is not a UUID")
                continue
            }
            guard known.contains(identifier) else {
                value.reportKey(.unknownName, "no message has the identifier \(identifier)")
                continue
            }
            states[identifier] = state
        }
        for message in messages.indices {
            for place in messages[message].identifiers.indices {
                let identifier = messages[message].identifiers[place].identifier
                messages[message].identifiers[place].unapproved = states[identifier]
            }
        }
    }

    private mutating func message(_ name: String, _ value: SourceValue) -> RulesModel.Message {
        guard value.isObject else {
            withoutKind.insert(name)
            return RulesModel.Message(name: name, kind: .text, identifiers: [])
        }
        value.checkKeys(.message)
        let kind = value.required("kind")?.choice(
            of: MessageKind.allCases, named: \.name, RulesReason.badValue
        ) { _ in "unknown kind of message" }
        if kind == nil { withoutKind.insert(name) }
        let identifiers = value.required("ids").map(Self.identifiers) ?? []
        var message = RulesModel.Message(name: name, kind: kind ?? .text, identifiers: identifiers)
        if let word = value.member("whenUnapproved") {
            let choice = word.choice(
                of: RulesModel.WhenUnapproved.allCases, named: \.rawValue, RulesReason.badValue
            ) { "\"\($0)\" is not a value of \"whenUnapproved\"" }
            message.failsWhenUnapproved = choice == .pass
        }
        return message
    }

    private static func identifiers(_ value: SourceValue) -> [RulesModel.LocalizedIdentifier] {
        guard value.isObject else { return [] }
        if value.value.count == 0 { value.report(.badValue, "a message needs an identifier in some locale") }
        return value.members.compactMap { locale, value in
            let isLocale = value.checkLocale(locale, isKey: true)
            guard let identifier = value.uuid(RulesReason.badValue), isLocale else { return nil }
            return RulesModel.LocalizedIdentifier(locale: locale, identifier: identifier)
        }
    }
}

public struct ProductTable {
    public let products: [RulesModel.Product]
    private let groups: [ByteComparedString: ByteComparedString?]

    public init(_ value: SourceValue?) {
        let products = (value?.entries ?? []).map { name, value in
            if name.isEmpty || name.utf8.count > RulesSourceLimits.stringByteCount {
                value.reportKey(.badValue, "a product identifier is empty or too long")
            }
            guard value.isObject else { return RulesModel.Product(name: name) }
            value.checkKeys(.product)
            let group = value.member("group")?.string(limitBytes: RulesSourceLimits.stringByteCount)
            return RulesModel.Product(name: name, group: group)
        }
        self.init(products)
    }

    public init(_ products: [RulesModel.Product]) {
        self.products = products
        let pairs = products.map { (ByteComparedString($0.name), $0.group.map { ByteComparedString($0) }) }
        groups = Dictionary(pairs) { first, _ in first }
    }

    public func contains(_ product: String) -> Bool { groups[ByteComparedString(product)] != nil }

    public func group(of product: String) -> ByteComparedString? {
        groups[ByteComparedString(product)] ?? nil
    }

    public func target(_ value: SourceValue) -> String? {
        guard let name = value.storeIdentifier() else { return nil }
        guard products.isEmpty || contains(name) else {
            value.report(
                .unknownName, "there is no product \"\(name)\"",
                hint: Hint.near(name, among: products.map(\.name)) ?? "it is not in \"products\"")
            return nil
        }
        return name
    }

    /// Apple refuses a switch into another group (Retention Messaging API, alternateProduct).
    public func checkSwitch(to target: SourceValue, from origin: ProductOrigin) {
        guard let product = target.value.string, let group = group(of: product),
            let outside = outside(group, origin)
        else { return }
        target.report(
            .wrongKind,
            "\"\(product)\" is of group \"\(group.text)\", the rule matches \"\(outside.text)\" of group \"\(self.group(of: outside.text)?.text ?? "")\"",
            hint: "subscribers switch within a group")
    }

    /// A product of another group that may match. If the condition names no product, all declared ones that may match
    /// must be of another group; lint warns about the other cases.
    private func outside(_ group: ByteComparedString, _ origin: ProductOrigin) -> ByteComparedString? {
        let isOutside = { (name: String) in self.group(of: name).map { $0 != group } ?? false }
        switch origin.products {
        case .some(let names): return names.sorted().first { isOutside($0.text) }
        case .any:
            let names = products.lazy.map(\.name)
            guard !names.contains(where: { !isOutside($0) && origin.mayBe($0) }) else { return nil }
            return names.first { isOutside($0) && origin.mayBe($0) }.map { ByteComparedString($0) }
        }
    }
}

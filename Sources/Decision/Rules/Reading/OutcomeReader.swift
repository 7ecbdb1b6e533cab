internal import JSON
internal import System

/// Reads `serve`: the outcome of a rule, an arm, the default or a holdout.
struct OutcomeReader {
    private let messages: [RulesModel.Message]
    private let withoutKind: Set<String>
    private let products: ProductTable
    private let places: [String: Int]
    /// The names of all messages, also of those in a catalogue that nothing serves, for hints.
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

    /// The keys of each kind of outcome. The first key selects the kind and names the message.
    private static let forms: [(kind: MessageKind, keys: Keys)] = [
        (.text, Keys(["message"])),
        (.switch, Keys(["switch", "productId", "billingPlanType"])),
        (.offer, Keys(["offer", "productId", "offerIdentifier"])),
        (.advancedCommerce, Keys(["advancedCommerce", "request"])),
    ]

    static let keys = forms.map(\.keys)
    static let heads = forms.map(\.keys.names[0])

    /// Reads an outcome for subscribers whose products are in `origin`. Returns nil when the outcome is wrong.
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
                .ambiguous, "one thing is served", hint: "one of \(Self.heads.joined(separator: ", "))"
            )
            // The kind of the message is not checked, because it depends on the outcome that is meant.
            value.checkKeys(Keys(forms.flatMap(\.keys.names)))
            for form in forms { _ = value.member(form.keys.names[0]).flatMap(message) }
            _ = value.member("productId").flatMap(products.target)
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
                .unknownName,
                "there is no message \"\(name)\"",
                hint: Hint.near(name, among: names)
                    ?? (hasCatalogue ? nil : "--catalogue names the catalogue that has it")
            )
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
        let identifier = value.required("offerIdentifier")?.storeIdentifier
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

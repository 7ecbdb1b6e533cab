internal import AppStoreServerAPI
package import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import System

struct TeamOptions: ParsableArguments {
    @Option(help: "The issuer identifier of the team.")
    var issuerId: String

    @Option(help: ArgumentHelp("A key of the team, in PEM. May be repeated.", valueName: "id=file"))
    var key: [NamedValue]

    @Option(
        help: ArgumentHelp(
            "An app; any other has the number 1. May be repeated.", valueName: "bundle-id=number"))
    var app: [SimulatorConfiguration.App] = []

    @Option(help: "An app of --app without access to the API: three operations answer 404. May be repeated.")
    var withoutAccess: [String] = []

    @Option(help: "id=kind: renewal, family, app, unknown, or an error number of Apple's. May be repeated.")
    var transaction: [NamedValue] = []

    @Option(
        help: ArgumentHelp(
            "A subscription that is sold: price in thousandths of a dollar, days of a period (30).",
            valueName: "product=price[:days]"))
    var subscription: [SimulatedSubscription] = []

    @Option(
        help: ArgumentHelp("A promotional offer of a subscription.", valueName: "product=offer:price:periods")
    )
    var offer: [OfferArgument] = []

    func validate() throws {
        for item in offer where !subscription.contains(where: { $0.productId == item.productId }) {
            throw ValidationError("--offer needs --subscription \(item.productId)=….")
        }
        for transaction in transaction
        where TransactionKind(rawValue: transaction.value) == nil && Self.refusal(transaction.value) == nil {
            throw ValidationError("--transaction has no kind '\(transaction.value)'.")
        }
        for name in withoutAccess where !app.contains(where: { $0.bundleId == name }) {
            throw ValidationError("--without-access needs --app \(name)=….")
        }
        for names in [key.map(\.name), app.map(\.bundleId), subscription.map(\.productId)]
        where Set(names).count != names.count {
            throw ValidationError("A key, an app or a subscription is given twice.")
        }
    }

    var apps: [SimulatorConfiguration.App] {
        app.map { app in
            var app = app
            app.hasAccess = !withoutAccess.contains(app.bundleId)
            return app
        }
    }

    var subscriptions: [SimulatedSubscription] {
        subscription.map { item in
            var item = item
            item.offers = offer.filter { $0.productId == item.productId }.map(\.offer)
            return item
        }
    }

    var transactions: [String: TransactionKind] {
        transaction.reduce(into: [:]) { $0[$1.name] = TransactionKind(rawValue: $1.value) }
    }

    var refusals: [String: AppStoreServerAPIErrorCode] {
        transaction.reduce(into: [:]) { $0[$1.name] = Self.refusal($1.value) }
    }

    private static func refusal(_ number: String) -> AppStoreServerAPIErrorCode? {
        Int64(number).flatMap(AppStoreServerAPIErrorCode.init)
    }

    /// Reads the keys. Of a private key, only the public half is kept.
    func keys() throws -> TokenKeys {
        var verifiers: [String: ES256Verifier] = [:]
        for item in key {
            let text = try Input.read(item.value, limitBytes: 64 << 10)
            do {
                if let verifier = try? ES256Verifier(publicKeyPEM: text.span) {
                    verifiers[item.name] = verifier
                } else {
                    verifiers[item.name] = try ES256Verifier(keyOf: SigningKey(p8: text.span))
                }
            } catch {
                throw ToolError(error, file: item.value)
            }
        }
        return TokenKeys(issuerId: issuerId, verifiers: verifiers)
    }
}

extension SimulatorConfiguration.App: ExpressibleByArgument {
    package init?(argument: String) {
        guard let pair = NamedValue(argument: argument), let number = Int64(pair.value), number > 0 else {
            return nil
        }
        self.init(bundleId: pair.name, appAppleId: number)
    }
}

extension SimulatedSubscription: ExpressibleByArgument {
    package init?(argument: String) {
        guard let pair = NamedValue(argument: argument) else { return nil }
        let numbers = pair.value.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
        guard (1...2).contains(numbers.count), let price = numbers[0],
            let days = numbers.count == 2 ? numbers[1] : 30
        else { return nil }
        self.init(productId: pair.name, price: price, periodDays: days)
    }
}

struct OfferArgument: ExpressibleByArgument {
    let productId: String
    let offer: SimulatedSubscription.Offer

    init?(argument: String) {
        guard let pair = NamedValue(argument: argument) else { return nil }
        let words = pair.value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3, let price = Int64(words[1]), let count = Int64(words[2]),
            let offer = SimulatedSubscription.Offer(identifier: words[0], price: price, periodCount: count)
        else { return nil }
        (productId, self.offer) = (pair.name, offer)
    }
}

extension SimulatorFault: ExpressibleByArgument {
    /// Reads `lost-answer=10` or `lost-answer=10:uploadMessage`.
    package init?(argument: String) {
        guard let pair = NamedValue(argument: argument), let kind = Kind(rawValue: pair.name) else {
            return nil
        }
        let words = pair.value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard words.count <= 2, let percent = Int(words[0]), (0...100).contains(percent) else { return nil }
        let operation = words.count == 2 ? AppStoreServerOperation(rawValue: words[1]) : nil
        guard words.count == 1 || operation != nil else { return nil }
        self.init(kind, percent: percent, operation: operation)
    }
}

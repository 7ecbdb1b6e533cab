internal import AppStoreServerAPI
internal import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import System

/// The options that say whose tokens the simulator takes, and for which apps.
struct TeamOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The issuer identifier of the team.", valueName: "id"))
    var issuerId: String

    @Option(
        help: ArgumentHelp(
            "An In-App Purchase key: its identifier, and a file with the private or the public key in PEM. May be repeated.",
            valueName: "id=file")
    )
    var key: [NamedValue]

    @Option(
        help: ArgumentHelp(
            "An app's bundle identifier and Apple's number of it; any other app has the number 1. May be repeated.",
            valueName: "bundle-id=number")
    )
    var app: [NamedValue] = []

    @Option(
        help: ArgumentHelp(
            "An app of --app without access to the API: three operations answer 404. May be repeated.",
            valueName: "bundle-id")
    )
    var withoutAccess: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A transaction other than an original one: renewal, family, app or unknown; or one of Apple's error numbers, \
            which questions about the transaction get. May be repeated.
            """,
            valueName: "id=kind"
        )
    )
    var transaction: [NamedValue] = []

    @Option(
        help: ArgumentHelp(
            "A subscription that the team sells: price in thousandths of a dollar, days of a period (30). May be repeated.",
            valueName: "product=price[:days]")
    )
    var subscription: [NamedValue] = []

    @Option(
        help: ArgumentHelp(
            "A promotional offer of a subscription: identifier, price and number of periods. May be repeated.",
            valueName: "product=offer:price:periods")
    )
    var offer: [NamedValue] = []

    func validate() throws {
        for item in subscription where Self.subscription(item) == nil {
            throw ValidationError("--subscription is not product=price[:days]: '\(item.name)=\(item.value)'")
        }
        for item in offer {
            guard Self.offer(item) != nil else {
                throw ValidationError(
                    "--offer is not product=offer:price:periods: '\(item.name)=\(item.value)'"
                )
            }
            guard subscription.contains(where: { $0.name == item.name }) else {
                throw ValidationError("--offer needs --subscription \(item.name)=….")
            }
        }
        for app in app where (Int64(app.value) ?? 0) < 1 {
            throw ValidationError("--app needs a number: '\(app.name)=\(app.value)'")
        }
        for transaction in transaction
        where TransactionKind(rawValue: transaction.value) == nil && Self.refusal(transaction.value) == nil {
            throw ValidationError("--transaction has no kind '\(transaction.value)'.")
        }
        for name in withoutAccess where !app.contains(where: { $0.name == name }) {
            throw ValidationError("--without-access needs --app \(name)=….")
        }
        for names in [key, app, subscription].map({ $0.map(\.name) }) where Set(names).count != names.count {
            throw ValidationError("A key, an app or a subscription is given twice.")
        }
    }

    var apps: [SimulatorConfiguration.App] {
        app.map { app in
            .init(
                bundleId: app.name, appAppleId: Int64(app.value) ?? 0,
                hasAccess: !withoutAccess.contains(app.name))
        }
    }

    /// The subscriptions that the team sells, with their offers.
    var subscriptions: [SimulatedSubscription] {
        subscription.compactMap { item in
            var made = Self.subscription(item)
            made?.offers = offer.filter { $0.name == item.name }.compactMap(Self.offer)
            return made
        }
    }

    private static func subscription(_ item: NamedValue) -> SimulatedSubscription? {
        let parts = item.value.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
        guard (1...2).contains(parts.count), let price = parts[0],
            let days = parts.count == 2 ? parts[1] : 30
        else { return nil }
        return SimulatedSubscription(productId: item.name, price: price, periodDays: days)
    }

    private static func offer(_ item: NamedValue) -> SimulatedSubscription.Offer? {
        let parts = item.value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let price = Int64(parts[1]), let count = Int64(parts[2]) else { return nil }
        return SimulatedSubscription.Offer(identifier: parts[0], price: price, periodCount: count)
    }

    var transactions: [String: TransactionKind] {
        Dictionary(
            transaction.compactMap { item in TransactionKind(rawValue: item.value).map { (item.name, $0) } },
            uniquingKeysWith: { _, last in last }
        )
    }

    /// The transactions for which Apple's server answers with an error, with that error.
    var refusals: [String: AppStoreServerAPIErrorCode] {
        Dictionary(
            transaction.compactMap { item in Self.refusal(item.value).map { (item.name, $0) } },
            uniquingKeysWith: { _, last in last }
        )
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

/// A name and a value with an equals sign between them.
struct NamedValue: ExpressibleByArgument {
    let name: String
    let value: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        name = parts[0]
        value = parts[1]
    }
}

/// A fault on the command line: `lost-answer=10` or `lost-answer=10:uploadMessage`.
struct FaultArgument: ExpressibleByArgument {
    let fault: SimulatorFault

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let kind = SimulatorFault.Kind(rawValue: parts[0]) else { return nil }
        let words = parts[1].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard words.count <= 2, let percent = Int(words[0]), (0...100).contains(percent) else { return nil }
        var operation: AppStoreServerOperation?
        if words.count == 2 {
            operation = AppStoreServerOperation(rawValue: words[1])
            guard operation != nil else { return nil }
        }
        fault = SimulatorFault(kind, percent: percent, operation: operation)
    }
}

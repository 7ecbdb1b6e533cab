internal import JSON
package import Reply
package import System

/// One entry of `apps`: an app whose requests the service answers.
package struct AppConfiguration: Sendable, Hashable {
    package var appAppleId: Int64
    package var bundleId: String
    /// `environments`: the environments in which the service answers for this app, in the order of the file. Never
    /// empty and never `Xcode`. `LocalTesting` must be the only environment, and the app must then have `anchors` of
    /// its own.
    package var environments: [Environment]
    /// `anchors`: paths of PEM files whose certificates replace the configured or built-in roots for this app. Empty:
    /// the app uses those roots.
    package var anchors: [String] = []
    package var offerSignature = OfferSignature.v2
    package var signingKeys: [SigningKeyReference] = []
    /// `signingKeyId`: the `keyId` of the key that signs. Nil: the app has at most one key, and that key signs.
    package var signingKeyId: String?

    package var advancedCommerce = AdvancedCommerceForm.signatureInfo

    package var signsAdvancedCommerce: Bool { advancedCommerce != .off }

    package var signingKey: SigningKeyReference? {
        signingKeyId.map { id in signingKeys.first { $0.keyId == id } } ?? signingKeys.first
    }

    package init(appAppleId: Int64, bundleId: String, environments: [Environment]) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environments = environments
    }
}

extension AppConfiguration {
    static let settings: [Setting<AppConfiguration>] = [
        .integer("appAppleId", \.appAppleId, 1...Int64.max).required(),
        .text("bundleId", \.bundleId, .bundleIdentifier).required(),
        environmentsSetting.required(),
        .texts("anchors", \.anchors, .absolutePath),
        .choice("offerSignature", \.offerSignature),
        .objects(
            "signingKeys", \.signingKeys, SigningKeyReference.settings,
            empty: SigningKeyReference(keyId: "", issuerId: "", file: ""),
            limit: ConfigurationLimits.listCount),
        .optionalText("signingKeyId", \.signingKeyId, .identifier),
        .choice("advancedCommerce", \.advancedCommerce),
    ]

    private static let environmentsSetting = Setting<AppConfiguration>(
        key: "environments",
        read: { value, app in
            for element in value.list(limit: ConfigurationLimits.listCount) {
                guard let word = element.string else { continue }
                switch Environment(rawValue: word) {
                case .xcode?:
                    let reason =
                        "\"Xcode\" is never accepted, nobody signs its payloads; use \"LocalTesting\""
                    element.report(.xcodeEnvironment, reason)
                case nil:
                    element.report(.invalidValue, "must be \"Production\", \"Sandbox\" or \"LocalTesting\"")
                case let environment?: app.environments.append(environment)
                }
            }
            value.refuseDuplicates(app.environments.map(\.rawValue))
        },
        write: { app, _ in .array(app.environments.map { .string($0.rawValue) }) }
    )

    /// Reports values of this app that contradict each other, and an `appAppleId` that an app in `before` has already.
    /// `entry` is the app's place in the text.
    func check(_ entry: SourceValue, _ before: [AppConfiguration]) {
        if appAppleId > 0, before.contains(where: { $0.appAppleId == appAppleId }) {
            entry.member("appAppleId")?
                .report(.duplicateApp, "\(appAppleId) is configured above already")
        }
        if environments.contains(.localTesting) {
            if environments.contains(where: { $0 != .localTesting }) {
                entry.member("environments")?.report(
                    .localTestingMixed, "\"LocalTesting\" must be the only environment of its app")
            }
            if entry.member("anchors") == nil {
                entry.member("environments")?.report(
                    .localTestingAnchors, "\"LocalTesting\" needs \"anchors\" of the app's own")
            }
        }
        entry.member("signingKeys")?.refuseDuplicates(signingKeys.map(\.keyId))
        if let signingKeyId {
            guard !signingKeys.contains(where: { $0.keyId == signingKeyId }) else { return }
            entry.member("signingKeyId")?
                .report(.signingKeyChoice, "is not the \"keyId\" of one of \"signingKeys\"")
        } else if signingKeys.count > 1 {
            entry.member("signingKeys")?
                .report(.signingKeyChoice, "\"signingKeyId\" must say which of these signs")
        }
    }
}

extension SigningKeyReference {
    static let settings: [Setting<SigningKeyReference>] = [
        .text("keyId", \.keyId, .identifier).required(),
        .text("issuerId", \.issuerId, .identifier, isSecret: true).required(),
        .text("file", \.file, .absolutePath).required(),
    ]
}

/// One entry of `signingKeys`: where an In-App Purchase key is. It never holds the key itself.
package struct SigningKeyReference: Sendable, Hashable {
    package var keyId: String
    package var issuerId: String
    package var file: String

    package init(keyId: String, issuerId: String, file: String) {
        self.keyId = keyId
        self.issuerId = issuerId
        self.file = file
    }
}

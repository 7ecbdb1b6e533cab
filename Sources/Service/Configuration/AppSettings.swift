internal import JSON
internal import Vocabulary

extension AppConfiguration {
    /// The settings of one entry of `apps`, in the order of `-T`, the schema and the manual.
    static let settings: [Setting<AppConfiguration>] = [
        .integer("appAppleId", \.appAppleId, 1...Int64.max, "The App Store's number of the app.").required(),
        .text("bundleId", \.bundleId, .bundleIdentifier, "The bundle identifier, as in the app's Info.plist.")
            .required(),
        environmentsSetting.required(),
        .paths("anchors", \.anchors, "PEM files of root certificates that replace the others for this app."),
        .choice("offerSignature", \.offerSignature, "The form of the signatures of promotional offers."),
        .objects(
            "signingKeys", \.signingKeys, SigningKeyReference.settings,
            empty: SigningKeyReference(keyId: "", issuerId: "", file: ""),
            limit: ConfigurationLimits.listCount,
            "In-App Purchase keys of App Store Connect. Other users must not be able to read the files."),
        .optionalText(
            "signingKeyId", \.signingKeyId, .identifier,
            "The keyId of the key that signs. Needed when there are several keys."),
        .choice(
            "advancedCommerce", \.advancedCommerce,
            "The form in which the service signs Advanced Commerce requests. With \"off\", it signs none."),
    ]

    /// The environments that the service accepts. `Xcode` is not among them, because nobody signs Xcode's payloads.
    private static let served = [Environment.production, .sandbox, .localTesting]

    private static let environmentsSetting = Setting<AppConfiguration>(
        key: "environments",
        meaning:
            "The environments that are served. LocalTesting must be the only environment of its app, and the app then needs anchors of its own.",
        schema: [("type", .string("array"))]
            + Setting<AppConfiguration>.listBounds(ConfigurationLimits.listCount, isUnique: true) + [
                ("items", .object([("enum", .array(served.map { .string($0.rawValue) }))]))
            ],
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
        .text(
            "keyId", \.keyId, .identifier,
            "The identifier of the key in App Store Connect. Each may occur once."
        ).required(),
        .text(
            "issuerId", \.issuerId, .identifier, isSecret: true,
            "The issuer ID that App Store Connect shows above the keys."
        ).required(),
        .text("file", \.file, .absolutePath, "The .p8 file: PKCS #8 in PEM.").required(),
    ]
}

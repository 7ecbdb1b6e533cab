internal import JSON
internal import Vocabulary

extension Configuration {
    /// Reads `apps`; no app twice.
    mutating func readApps(_ root: ConfigurationObject) {
        var seen: Set<Int64> = []
        root.objects("apps", limit: ConfigurationLimits.appCount, isRequired: true) { object in
            let app = AppConfiguration(reading: object)
            if app.appAppleId > 0, !seen.insert(app.appAppleId).inserted {
                object.source.member("appAppleId")?
                    .report(.duplicateApp, "\(app.appAppleId) is configured above already")
            }
            apps.append(app)
        }
    }
}

extension AppConfiguration {
    init(reading object: ConfigurationObject) {
        self.init(appAppleId: 0, bundleId: "", environments: [])
        object.integer("appAppleId", into: &appAppleId, 1...Int64.max, isRequired: true)
        bundleId = object.text("bundleId", .bundleIdentifier, isRequired: true) ?? ""
        readEnvironments(object)
        object.paths("anchors", into: &anchors)
        object.choice("offerSignature", into: &offerSignature)
        object.choice("advancedCommerce", into: &advancedCommerce)
        readSigningKeys(object)
    }

    private mutating func readEnvironments(_ object: ConfigurationObject) {
        guard let found = object.take("environments", isRequired: true) else { return }
        for element in found.list(limit: ConfigurationLimits.listCount) {
            guard let word = element.string else { continue }
            switch Environment(rawValue: word) {
            case .xcode?:
                let reason = "\"Xcode\" is never accepted, nobody signs its payloads; use \"LocalTesting\""
                element.report(.xcodeEnvironment, reason)
            case nil:
                let reason = "must be \"Production\", \"Sandbox\" or \"LocalTesting\""
                element.report(.invalidValue, reason)
            case let environment?:
                environments.append(environment)
            }
        }
        found.refuseDuplicates(environments.map(\.rawValue))
        guard environments.contains(.localTesting) else { return }
        if environments.contains(where: { $0 != .localTesting }) {
            let reason = "\"LocalTesting\" must be the only environment of its app"
            found.report(.localTestingMixed, reason)
        }
        if !object.has("anchors") {
            let reason = "\"LocalTesting\" needs \"anchors\" of the app's own"
            found.report(.localTestingAnchors, reason)
        }
    }

    private mutating func readSigningKeys(_ object: ConfigurationObject) {
        object.objects("signingKeys", limit: ConfigurationLimits.listCount) { entry in
            let key = SigningKeyReference(
                keyId: entry.text("keyId", .identifier, isRequired: true) ?? "",
                issuerId: entry.text("issuerId", .identifier, isRequired: true) ?? "",
                file: entry.text("file", .absolutePath, isRequired: true) ?? ""
            )
            signingKeys.append(key)
        }
        let list = object.source.member("signingKeys")
        list?.refuseDuplicates(signingKeys.map(\.keyId))
        signingKeyId = object.text("signingKeyId", .identifier)
        if let signingKeyId {
            if !signingKeys.contains(where: { $0.keyId == signingKeyId }) {
                object.source.member("signingKeyId")?
                    .report(.signingKeyChoice, "is not the \"keyId\" of one of \"signingKeys\"")
            }
        } else if signingKeys.count > 1 {
            list?.report(.signingKeyChoice, "\"signingKeyId\" must say which of these signs")
        }
    }
}

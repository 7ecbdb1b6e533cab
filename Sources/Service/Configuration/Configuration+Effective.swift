internal import JSON
internal import OfferSigning
internal import SignedPayloads
internal import Vocabulary

extension Configuration {
    /// The configuration with every default written out, as a text that reads back to an equal value.
    ///
    /// - Parameter hidingSecrets: for people (`-T`): issuer identifiers become `hidden`; the file holds no other secret,
    ///   keys are only pointed at. Without it the text is for processes.
    /// - Returns: indented JSON with a line feed at the end.
    public func effectiveJSON(hidingSecrets: Bool) -> [UInt8] {
        let members = listenerMembers + poolMembers + policyMembers(hidingSecrets) + logMembers
        return JSONNode.object(members).serialized(pretty: true) + [UInt8(ascii: "\n")]
    }

    private typealias Members = [(String, JSONNode)]

    private var listenerMembers: Members {
        let octal = String(listenMode, radix: 8)
        let mode = String(repeating: "0", count: max(0, 4 - octal.utf8.count)) + octal
        return [("listen", .string(listen.description)), ("listenMode", .string(mode))]
            + Self.optional("listenOwner", listenOwner)
            + [("listenGroup", .string(listenGroup)), ("backlog", .integer(Int64(backlog)))]
            + Self.optional("user", user) + Self.optional("group", group)
    }

    private var poolMembers: Members {
        [
            ("workers", .integer(Int64(workers))),
            ("maxRequests", .integer(Int64(maxRequests))),
            ("drainMilliseconds", .integer(Int64(drainMilliseconds))),
            ("reloadIntervalMilliseconds", .integer(reloadIntervalMilliseconds)),
            ("dataDirectory", .string(dataDirectory)),
            ("stateDirectory", .string(stateDirectory)),
            ("pidFile", .string(pidFile)),
        ] + Self.list("anchors", anchors)
    }

    private func policyMembers(_ hidingSecrets: Bool) -> Members {
        [
            ("apps", .array(apps.map { $0.node(hidingSecrets) })),
            ("maxSignedAgeSeconds", .integer(maxSignedAgeSeconds)),
            ("validityTime", .string(validityTime.rawValue)),
            ("revocation", .string(revocation.rawValue)),
            ("noAnswer", .string(noAnswer.rawValue)),
            ("deadlineMilliseconds", .integer(deadlineMilliseconds)),
            (
                "limits",
                .object([
                    ("messageBodyBytes", .integer(Int64(limits.messageBodyBytes))),
                    ("notificationBodyBytes", .integer(Int64(limits.notificationBodyBytes))),
                    ("rulesBytes", .integer(Int64(limits.rulesBytes))),
                    ("factsBytes", .integer(Int64(limits.factsBytes))),
                    ("sealCopyBytes", .integer(Int64(limits.sealCopyBytes))),
                ])
            ),
            ("allowDowngrade", .boolean(allowDowngrade)),
            ("allowRemoteFastCGI", .boolean(allowRemoteFastCGI)),
            ("coreLimit", .integer(coreLimit)),
        ]
    }

    private var logMembers: Members {
        let members: Members = [
            ("level", .string(log.level.rawValue)), ("format", .string(log.format.rawValue)),
        ]
        return [
            ("log", .object(members + Self.optional("decisions", log.decisions))),
            ("slowMilliseconds", .integer(slowMilliseconds)),
        ] + Self.optional("identifierKeyFile", identifierKeyFile)
    }

    static func optional(_ key: String, _ value: String?) -> [(String, JSONNode)] {
        value.map { [(key, .string($0))] } ?? []
    }

    static func list(_ key: String, _ values: [String]) -> [(String, JSONNode)] {
        values.isEmpty ? [] : [(key, .array(values.map { .string($0) }))]
    }
}

extension AppConfiguration {
    func node(_ hidingSecrets: Bool) -> JSONNode {
        let keys = signingKeys.map { key in
            JSONNode.object([
                ("keyId", .string(key.keyId)),
                ("issuerId", .string(hidingSecrets ? "hidden" : key.issuerId)),
                ("file", .string(key.file)),
            ])
        }
        return .object(
            [
                ("appAppleId", .integer(appAppleId)),
                ("bundleId", .string(bundleId)),
                ("environments", .array(environments.map { .string($0.rawValue) })),
            ] + Configuration.list("anchors", anchors)
                + [("offerSignature", .string(offerSignature.rawValue))]
                + (keys.isEmpty ? [] : [("signingKeys", .array(keys))])
                + Configuration.optional("signingKeyId", signingKeyId)
                + [("advancedCommerce", .string(advancedCommerce.rawValue))]
        )
    }
}

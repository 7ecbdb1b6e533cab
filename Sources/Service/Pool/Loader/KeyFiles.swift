package import Configuration
internal import Cryptography
internal import Reply
package import SignedPayloads
internal import System

struct AnchorFiles {
    private let configuration: Configuration
    private let apple: [Certificate]
    private var found: [String: [Certificate]] = [:]

    /// Reads and checks every PEM file, and returns the DER of the certificates in each file by the file's path.
    /// Apple's built-in roots are checked too, whoever uses them. Adds a warning when anchors other than Apple's are
    /// trusted, and for each anchor that is not valid at this time.
    static func read(
        _ configuration: Configuration, at configurationPath: String, _ warnings: inout [ServiceError]
    ) throws(ServiceError) -> [String: [[UInt8]]] {
        var files = try AnchorFiles(configuration)
        if configuration.trustsCustomAnchors {
            let message =
                "certificates other than Apple's are trusted: whoever has their keys can ask in Apple's name"
            warnings.append(ServiceError(code: "custom-anchors", message))
        }
        let now = Clock.wallMilliseconds()
        for path in configuration.anchors + configuration.apps.flatMap(\.anchors)
        where files.found[path] == nil {
            let certificates = try certificates(at: path)
            for certificate in certificates {
                if let warning = warning(of: certificate, at: path, nowMilliseconds: now) {
                    warnings.append(warning)
                }
            }
            files.found[path] = certificates
        }
        try files.checkLocalTesting(configurationPath)
        return files.found.mapValues { $0.map(\.der) }
    }

    private init(_ configuration: Configuration) throws(ServiceError) {
        self.configuration = configuration
        do throws(AnchorError) {
            apple = try AppleRoots.certificates()
        } catch {
            throw ServiceError(code: error.code, "Apple's roots in this program are damaged")
        }
    }

    private static func certificates(at path: String) throws(ServiceError) -> [Certificate] {
        let text = try SystemCallError.about(
            path, code: "anchor-unreadable",
            try FileDescriptor.openForReading(path: path).readAll(limitBytes: LoaderLimits.anchorByteCount))
        guard let certificates = try? Certificate.pem(text.span), !certificates.isEmpty else {
            throw ServiceError(code: "anchor-invalid", "\(path): not a PEM file of certificates alone")
        }
        for certificate in certificates {
            guard let problem = AnchorProblem(certificate) else { continue }
            throw ServiceError(code: problem.code, "\(path): \(certificate.subject) \(problem.reason)")
        }
        return certificates
    }

    private static func warning(of certificate: Certificate, at path: String, nowMilliseconds now: Int64)
        -> ServiceError?
    {
        guard let start = certificate.notBeforeMilliseconds, let end = certificate.notAfterMilliseconds else {
            return ServiceError(code: "anchor-expired", "\(path): no time of validity can be read")
        }
        let subject = "\(path): \(certificate.subject)"
        let consequence = "every request under it is refused"
        if now < start {
            let message = "\(subject) is valid from \(CivilTime(milliseconds: start)) on: \(consequence)"
            return ServiceError(code: "anchor-not-yet-valid", message)
        }
        guard now >= end + 1000 else { return nil }
        let message = "\(subject) was valid until \(CivilTime(milliseconds: end)): \(consequence)"
        return ServiceError(code: "anchor-expired", message)
    }

    /// Refuses an anchor of an app in LocalTesting that also vouches for Production or Sandbox. Whoever makes test
    /// requests must not be able to make real requests, and Apple signs no test requests.
    private func checkLocalTesting(_ configurationPath: String) throws(ServiceError) {
        var others = Set(apple.map(\.der))
        for app in configuration.apps where !app.environments.contains(.localTesting) {
            let paths = app.anchors.isEmpty ? configuration.anchors : app.anchors
            for path in paths { others.formUnion((found[path] ?? []).map(\.der)) }
        }
        for (index, app) in configuration.apps.enumerated() where app.environments.contains(.localTesting) {
            for path in app.anchors {
                guard let shared = found[path]?.first(where: { others.contains($0.der) }) else { continue }
                throw ServiceError(
                    code: "configuration.\(ConfigurationReason.localTestingAnchors.rawValue)",
                    "\(configurationPath): apps[\(index)].anchors: \(path): \(shared.subject) vouches for other "
                        + "environments, too; \"LocalTesting\" needs an anchor that does nothing else, or a "
                        + "configuration of its own, as retentionctl setup --test makes it")
            }
        }
    }
}

/// A configuration with the certificates of its anchors: everything that verifying signed payloads needs. For a program that
/// serves no rules.
package struct LoadedTrust: Sendable {
    package let configuration: Configuration
    package let anchors: [String: [[UInt8]]]
    package let warnings: [ServiceError]

    package init(path: String) throws(ServiceError) {
        let configuration = try Loader.readConfiguration(path: path)
        var warnings: [ServiceError] = []
        anchors = try AnchorFiles.read(configuration, at: path, &warnings)
        self.configuration = configuration
        self.warnings = warnings
    }

    package func policy() throws(AnchorError) -> VerificationPolicy {
        try configuration.verificationPolicy(anchors: anchors)
    }
}

extension Configuration {
    /// Returns the verification policy: the apps, their environments, and the anchors that vouch for them.
    package func verificationPolicy(anchors: [String: [[UInt8]]]) throws(AnchorError) -> VerificationPolicy {
        func certificates(_ paths: [String]) throws(AnchorError) -> [Certificate] {
            var certificates: [Certificate] = []
            for der in paths.flatMap({ anchors[$0] ?? [] }) {
                guard let certificate = try? Certificate(der: der.span) else { throw .unusable }
                certificates.append(certificate)
            }
            return certificates
        }
        var identities: [AppIdentity] = []
        for app in apps {
            identities.append(
                AppIdentity(
                    appAppleId: app.appAppleId, bundleId: app.bundleId, environments: Set(app.environments),
                    anchors: app.anchors.isEmpty ? nil : try certificates(app.anchors))
            )
        }
        return VerificationPolicy(
            anchors: self.anchors.isEmpty ? try AppleRoots.certificates() : try certificates(self.anchors),
            apps: identities, maxSignedAgeSeconds: maxSignedAgeSeconds)
    }
}

/// The `.p8` files that a configuration names.
enum SigningKeyFiles {
    /// Reads every key of every app. One key that cannot be used refuses the load, whether that key signs or is only in
    /// reserve.
    /// `skipsUnusable` is true when there is no older generation to go on with. A key that cannot be used is then left out
    /// with a warning, and rules that need its signature are passed over.
    static func read(_ configuration: Configuration, skipsUnusable: Bool, _ warnings: inout [ServiceError])
        throws(ServiceError) -> [Int64: SHA256Digest]
    {
        var found: [Int64: SHA256Digest] = [:]
        let hasKeys = configuration.apps.contains { !$0.signingKeys.isEmpty }
        let group = hasKeys ? SigningKeyFile.SocketGroup(configuration.listenGroup) : nil
        for app in configuration.apps {
            for reference in app.signingKeys {
                do throws(ServiceError) {
                    let key = try key(reference, group)
                    if reference.keyId == app.signingKey?.keyId {
                        found[app.appAppleId] = try CryptographyError.mapped(
                            to: { _ in refusal(of: reference, .malformed) }, try key.publicKeyDigest())
                    }
                } catch {
                    guard skipsUnusable else { throw error }
                    warnings.append(error)
                }
            }
        }
        return found
    }

    /// Reads the keys that sign in a worker. Somebody may have replaced or removed a file since the load: the worker then serves
    /// without that key.
    static func signing(
        _ configuration: Configuration, loaded: [Int64: SHA256Digest], _ warnings: inout [ServiceError]
    ) -> [Int64: SigningKey] {
        var keys: [Int64: SigningKey] = [:]
        for app in configuration.apps {
            guard let reference = app.signingKey, let digest = loaded[app.appAppleId] else { continue }
            do throws(ServiceError) {
                let key = try key(reference, SigningKeyFile.SocketGroup(configuration.listenGroup))
                if (try? key.publicKeyDigest()) == digest {
                    keys[app.appAppleId] = key
                } else {
                    let message = "\(reference.file): not the key that was loaded; reload"
                    warnings.append(ServiceError(code: "signing-key-missing", message))
                }
            } catch {
                warnings.append(error)
            }
        }
        return keys
    }

    private static func key(_ reference: SigningKeyReference, _ group: SigningKeyFile.SocketGroup?)
        throws(ServiceError) -> SigningKey
    {
        do throws(SigningKeyProblem) {
            return try SigningKeyFile.key(in: SigningKeyFile.text(path: reference.file, socketGroup: group))
        } catch {
            throw refusal(of: reference, error)
        }
    }

    private static func refusal(of key: SigningKeyReference, _ problem: SigningKeyProblem) -> ServiceError {
        let words = problem.description(path: key.file)
        return ServiceError(code: problem.code, "\(key.file): key \(key.keyId): \(words)")
    }
}

/// The file of the key of the decision records. Nobody but its owner may read it.
enum IdentifierKeyFile {
    /// Returns the key of a configuration that writes decision records. Where `identifierKeyFile` is not set, the
    /// daemon makes a key of its own, once.
    /// - Returns: the key; nil when no records are written, and for a trial when the daemon's key is not made yet.
    static func read(_ configuration: Configuration, isDryRun: Bool) throws(ServiceError) -> IdentifierKey? {
        guard configuration.log.decisions != nil else { return nil }
        let path = configuration.identifierKeyPath
        let status: FileStatus
        let text: [UInt8]
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: path)
            status = try FileStatus(of: file)
            let limit = IdentifierKey.textByteCount + 1
            text = status.kind == .regular ? try file.readAll(limitBytes: limit) : []
        } catch {
            guard configuration.identifierKeyFile == nil, error.reason == .enoent else {
                throw ServiceError(code: "identifier-key-unreadable", "\(path): \(error)")
            }
            return isDryRun ? nil : try make(path)
        }
        let isRegular = status.kind == .regular
        guard !isRegular || status.permissions & 0o077 == 0 else {
            throw ServiceError(
                code: "identifier-key-exposed",
                "\(path): others than its owner may read it; chmod 0600 \(path)")
        }
        guard isRegular, let key = IdentifierKey(text: text) else {
            throw ServiceError(
                code: "identifier-key-invalid",
                "\(path): not 64 hexadecimal digits; restore it, or remove it where the daemon may make a new "
                    + "one, which names every subscriber anew")
        }
        return key
    }

    private static func make(_ path: String) throws(ServiceError) -> IdentifierKey {
        let key = IdentifierKey.make()
        try SystemCallError.mapped(
            to: { ServiceError(code: "identifier-key-not-made", "\(path): cannot be made: \($0)") },
            try AtomicFile.write(Array("\(key.text)\n".utf8).span, to: path, permissions: 0o600)
        )
        return key
    }
}

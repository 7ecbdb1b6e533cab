public import Configuration
internal import Cryptography
public import SignedPayloads

/// A configuration with the certificates of its anchors: everything that verifying signed payloads needs. For a program that
/// serves no rules.
public struct LoadedTrust: Sendable {
    public let configuration: Configuration
    /// The DER of the certificates in each PEM file that the configuration names, by the path of the file.
    public let anchors: [String: [[UInt8]]]
    /// What a person should know, although nothing was refused.
    public let warnings: [LoadWarning]

    /// Reads and checks the configuration at `path` and its anchors.
    public init(path: String) throws(LoadError) {
        let configuration = try Loader.readConfiguration(path: path)
        var warnings: [LoadWarning] = []
        anchors = try AnchorFiles.read(configuration, at: path, &warnings)
        self.configuration = configuration
        self.warnings = warnings
    }

    /// The policy of a verifier.
    public func policy() throws(AnchorError) -> VerificationPolicy {
        try configuration.verificationPolicy(anchors: anchors)
    }
}

extension Configuration {
    /// Returns the verification policy: the apps, their environments, and the anchors that vouch for them.
    ///
    /// - Parameter anchors: the DER of the certificates in each PEM file, by the path of the file.
    /// - Returns: the policy.
    /// - Throws: `anchors-damaged`; `anchors-unusable` for a certificate that cannot be read, which the loader would
    ///   have refused.
    public func verificationPolicy(anchors: [String: [[UInt8]]]) throws(AnchorError) -> VerificationPolicy {
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
            apps: identities, validityTime: validityTime, maxSignedAgeSeconds: maxSignedAgeSeconds)
    }
}

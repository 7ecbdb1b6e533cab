public import JSON

/// One thing that is wrong in `retentiond.json`.
public struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem; the raw value is its stable code.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A key that means nothing.
        case unknownKey = "configuration.unknown-key"
        /// A key or value that a later version will know.
        case notSupported = "configuration.not-supported"
        /// A key that must be there is not.
        case missingKey = "configuration.missing-key"
        /// A string where a number is meant, and so on.
        case wrongType = "configuration.wrong-type"
        /// A number too small or large, or a list too short or long.
        case outOfRange = "configuration.out-of-range"
        /// A string of the wrong form.
        case invalidValue = "configuration.invalid-value"
        /// The same value twice where each must differ.
        case duplicateValue = "configuration.duplicate-value"
        /// Two entries of `apps` with one `appAppleId`.
        case duplicateApp = "configuration.duplicate-app"
        /// `Xcode`, whose payloads nobody signs.
        case xcodeEnvironment = "configuration.xcode-environment"
        /// `LocalTesting` in an app without `anchors` of its own, or with one that vouches for other environments too.
        case localTestingAnchors = "configuration.local-testing-anchors"
        /// `LocalTesting` beside `Production` or `Sandbox`.
        case localTestingMixed = "configuration.local-testing-mixed"
        /// `listen` is reachable from other machines and `allowRemoteFastCGI` is not set.
        case remoteListen = "configuration.remote-listen"
        /// `signingKeyId` is none of `signingKeys`, or is needed to choose between several.
        case signingKeyChoice = "configuration.signing-key-choice"
    }

    /// The kind of problem.
    public let code: Code
    /// Where in the structure, as `apps[0].bundleId`; empty for the whole.
    public let path: String
    /// Where in the text.
    public let position: JSONPosition?
    /// What is wrong and what to write instead, for people.
    public let reason: String

    /// Says what is wrong; `position` is nil for what shows only when the files are read that the text names.
    public init(code: Code, path: String, position: JSONPosition?, reason: String) {
        self.code = code
        self.path = path
        self.position = position
        self.reason = reason
    }

    /// `3:14: apps[0].bundleId: must be …`, without the code.
    public var description: String {
        let place = position.map { "\($0): " } ?? ""
        return "\(place)\(path.isEmpty ? "" : "\(path): ")\(reason)"
    }
}

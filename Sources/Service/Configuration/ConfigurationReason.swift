public import Vocabulary

/// What is wrong in `retentiond.json`. The raw value is the end of the code, behind `configuration.`.
public enum ConfigurationReason: String, FindingReason, CaseIterable {
    /// A key that means nothing.
    case unknownKey = "unknown-key"
    /// A key or value that a later version will know.
    case notSupported = "not-supported"
    /// A key that must be there is not.
    case missingKey = "missing-key"
    /// A string where a number is meant, and so on.
    case wrongType = "wrong-type"
    /// A number too small or large, or a list too short or long.
    case outOfRange = "out-of-range"
    /// A string of the wrong form.
    case invalidValue = "invalid-value"
    /// The same value twice where each must differ.
    case duplicateValue = "duplicate-value"
    /// Two entries of `apps` with one `appAppleId`.
    case duplicateApp = "duplicate-app"
    /// `Xcode`, whose payloads nobody signs.
    case xcodeEnvironment = "xcode-environment"
    /// `LocalTesting` in an app without `anchors` of its own, or with one that vouches for other environments too.
    case localTestingAnchors = "local-testing-anchors"
    /// `LocalTesting` beside `Production` or `Sandbox`.
    case localTestingMixed = "local-testing-mixed"
    /// `listen` is reachable from other machines and `allowRemoteFastCGI` is not set.
    case remoteListen = "remote-listen"
    /// `signingKeyId` is none of `signingKeys`, or is needed to choose between several.
    case signingKeyChoice = "signing-key-choice"
}

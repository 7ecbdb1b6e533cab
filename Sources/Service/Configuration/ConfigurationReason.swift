internal import System

/// The kinds of problems in `retentiond.json`. The raw value is the last part of the code, after `configuration.`.
package enum ConfigurationReason: String, FindingReason, CaseIterable {
    /// A key that `retentiond.json` does not have.
    case unknownKey = "unknown-key"
    /// A key or value that a later version will support.
    case notSupported = "not-supported"
    /// A required key is absent.
    case missingKey = "missing-key"
    /// A value of the wrong type, such as a string instead of a number.
    case wrongType = "wrong-type"
    /// A number that is too small or too large, or a list that is too short or too long.
    case outOfRange = "out-of-range"
    /// A string that does not have the required form.
    case invalidValue = "invalid-value"
    /// A value that appears twice although all must differ.
    case duplicateValue = "duplicate-value"
    /// Two entries of `apps` with the same `appAppleId`.
    case duplicateApp = "duplicate-app"
    /// The environment `Xcode`, whose payloads nobody signs.
    case xcodeEnvironment = "xcode-environment"
    /// `LocalTesting` in an app without `anchors` of its own, or with an anchor that also vouches for other
    /// environments.
    case localTestingAnchors = "local-testing-anchors"
    /// `LocalTesting` together with `Production` or `Sandbox` in one app.
    case localTestingMixed = "local-testing-mixed"
    /// `listen` is reachable from other machines and `allowRemoteFastCGI` is not set.
    case remoteListen = "remote-listen"
    /// `signingKeyId` is not the `keyId` of an entry of `signingKeys`, or is absent although there are several keys.
    case signingKeyChoice = "signing-key-choice"
}

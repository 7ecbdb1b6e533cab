/// One entry of `signingKeys`: where an In-App Purchase key is, never the key itself.
public struct SigningKeyReference: Sendable, Hashable {
    /// `keyId`: the identifier App Store Connect gave the key.
    public var keyId: String
    /// `issuerId`: the issuer of the keys page in App Store Connect.
    public var issuerId: String
    /// `file`: absolute path of the `.p8` file.
    public var file: String

    /// Refers to a key.
    public init(keyId: String, issuerId: String, file: String) {
        self.keyId = keyId
        self.issuerId = issuerId
        self.file = file
    }
}

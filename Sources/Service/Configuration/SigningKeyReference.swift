/// One entry of `signingKeys`: where an In-App Purchase key is. It never holds the key itself.
public struct SigningKeyReference: Sendable, Hashable {
    /// `keyId`: the identifier that App Store Connect gave the key.
    public var keyId: String
    /// `issuerId`: the issuer that the page of keys in App Store Connect shows.
    public var issuerId: String
    /// `file`: absolute path of the `.p8` file.
    public var file: String

    /// Creates a reference to the key in `file`.
    public init(keyId: String, issuerId: String, file: String) {
        self.keyId = keyId
        self.issuerId = issuerId
        self.file = file
    }
}

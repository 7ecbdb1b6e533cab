/// A large answer that the client takes little by little.
struct UnsentAnswer {
    /// The records as libfcgi has written them.
    let bytes: [UInt8]
    /// How many of the bytes the client has taken.
    var sentCount = 0
    /// True when the connection can take another request after the answer.
    let keepsConnection: Bool
}

/// The App Store environment, spelled as Apple spells it in payloads.
///
/// Source: Apple, DecodedRealtimeRequestBody `environment`. The last two are from Apple's server libraries.
public enum Environment: String, Sendable, Hashable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode. Apple does not sign such payloads, and the service never accepts them.
    case xcode = "Xcode"
    /// Test traffic that the operator makes. The service accepts it only for apps that have anchors of their own.
    case localTesting = "LocalTesting"
}

public enum StoreIdentifier {
    /// Returns true when `text` can be such an identifier: it has no control character and no U+2063 INVISIBLE SEPARATOR.
    /// That separator stands between the fields that promotionalOfferSignatureV1 signs.
    public static func isPossible(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value) && scalar.value != 0x2063
        }
    }
}

/// The URL of a server that receives what is posted to it: without a user, a password or a fragment, and with nothing that
/// a URL percent-encodes. The configuration and the programs that post read it with this one type, so that nothing that the
/// configuration accepts is refused later.
public struct ReceiverURL: Sendable, Hashable {
    public let text: String
    public let scheme: String
    public let host: String
    public let authority: String

    public static let byteLimit = 2048
    public static let authorityByteLimit = 260

    public init?(_ text: String) {
        guard (1...Self.byteLimit).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !##""<>\^`{|}#"##.utf8.contains($0) }),
            let end = text.firstRange(of: "://")
        else { return nil }
        scheme = text[..<end.lowerBound].lowercased()
        let authority = text[end.upperBound...].prefix { $0 != "/" && $0 != "?" }
        guard ["https", "http"].contains(scheme), authority.utf8.count <= Self.authorityByteLimit,
            let host = Self.host(authority)
        else { return nil }
        self.text = text
        self.authority = authority.lowercased()
        self.host = host.lowercased()
    }

    public var isSecure: Bool { scheme == "https" }

    public var isLocal: Bool { Self.isLocal(host: host) }

    public static func isLocal(host: some StringProtocol) -> Bool {
        ["127.0.0.1", "[::1]", "localhost"].contains { $0 == host }
    }

    private static func host(_ authority: Substring) -> Substring? {
        let host: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let address = authority[..<end].dropFirst()
            guard !address.isEmpty, address.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                return nil
            }
            host = authority[...end]
        } else {
            host = authority.prefix { $0 != ":" }
            guard !host.isEmpty,
                host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." })
            else { return nil }
        }
        let rest = authority[host.endIndex...]
        guard !rest.isEmpty else { return host }
        let port = rest.dropFirst()
        guard rest.first == ":", port.allSatisfy(\.isNumber), let number = Int(port),
            (1...65_535).contains(number)
        else { return nil }
        return host
    }
}

public enum ProductVersion {
    public static let text = "0.1.0"
}

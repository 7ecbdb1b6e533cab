internal import AppStoreServerAPI
internal import JSON
internal import Vocabulary

/// Checks the URL that Apple's server asks.
enum RealtimeURLCheck {
    /// Reads `realtimeURL`: a URL for each environment.
    static func read(_ value: SourceValue) -> [Environment: String] {
        guard value.isObject else { return [:] }
        value.checkKeys(CatalogueKeys.environments.map(\.rawValue))
        var urls: [Environment: String] = [:]
        for environment in CatalogueKeys.environments {
            guard let member = value.member(environment.rawValue), let url = member.string else { continue }
            if let problem = problem(url) { member.report(.badURL, problem, hint: "https://host/path") }
            urls[environment] = url
        }
        return urls
    }

    /// Returns what is wrong with a URL, or nil. Apple's documentation states `https` and 256 characters; the other checks
    /// find what no client can request (RFC 3986).
    static func problem(_ url: String) -> String? {
        let limit = RetentionMessagingLimits.realtimeURLLength
        guard url.utf16.count <= limit else {
            return "\(url.utf16.count) characters, more than the limit of \(limit)"
        }
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }) else {
            return "characters that a URL cannot have; they are percent-encoded"
        }
        guard url.hasPrefix("https://") else { return "a URL begins with https://" }
        let rest = url.dropFirst("https://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else { return "a URL with a user name" }
        guard !rest.contains("#") else { return "a URL with a fragment, which is never sent" }
        guard !hasBrokenEscape(rest) else { return "a % without two hexadecimal digits" }
        guard let port = portText(authority) else { return "a URL without a host" }
        return isPort(port) ? nil : "a wrong port"
    }

    /// Returns what stands behind the host, an empty text or a colon and the port. Returns nil when there is no host: a name,
    /// or an IPv6 address in brackets.
    private static func portText(_ authority: Substring) -> Substring? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let host = authority[authority.startIndex..<end].dropFirst()
            guard !host.isEmpty, host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                return nil
            }
            return authority[end...].dropFirst()
        }
        let host = authority.prefix { $0 != ":" }
        guard !host.isEmpty,
            host.utf8.allSatisfy({ TextCheck.isLetterOrDigit($0) || ".-_".utf8.contains($0) })
        else { return nil }
        return authority[host.endIndex...]
    }

    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.dropFirst()
        return text.hasPrefix(":") && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && UInt16(digits) ?? 0 > 0
    }

    private static func hasBrokenEscape(_ text: Substring) -> Bool {
        text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().contains { part in
            let digits = part.prefix(2)
            return digits.count < 2 || !digits.allSatisfy(\.isHexDigit)
        }
    }
}

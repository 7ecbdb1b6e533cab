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
    private static func problem(_ url: String) -> String? {
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
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        let isHost = authority.hasPrefix("[") || parts.count <= 2
        guard let host = parts.first, !host.isEmpty, isHost else { return "a URL without a host" }
        if parts.count == 2, !authority.hasPrefix("["), UInt16(parts[1]) ?? 0 == 0 { return "a wrong port" }
        return nil
    }
}

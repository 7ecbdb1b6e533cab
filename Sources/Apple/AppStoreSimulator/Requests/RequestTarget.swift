internal import AppStoreServerAPI
internal import System

/// The path and the query of a request line (RFC 3986, sections 2.1, 3.3 and 3.4), decoded.
struct RequestTarget {
    /// The segments of the path, each decoded by itself, so that an encoded slash does not separate segments.
    let segments: [String]
    /// The parameters of the query in their order, decoded.
    let parameters: [(name: String, value: String)]

    /// Reads a target. Returns nil when it does not begin with a slash, or has an escape that is incomplete or not UTF-8.
    init?(_ text: String) {
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = halves.first, path.hasPrefix("/") else { return nil }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = Self.decoded(part) else { return nil }
            segments.append(segment)
        }
        var parameters: [(String, String)] = []
        for pair in (halves.count > 1 ? halves[1] : "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : "")
            else { return nil }
            parameters.append((name, value))
        }
        self.segments = segments
        self.parameters = parameters
    }

    /// Returns the value of a parameter, an empty list when it is absent, and all values when it is repeated.
    func values(of name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var left = text.utf8[...]
        while let byte = left.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = left.popFirst().flatMap(HexadecimalDigits.value),
                let low = left.popFirst().flatMap(HexadecimalDigits.value)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// An operation with the parameters in the path of the request. The texts are decoded and not checked.
struct Route {
    let operation: AppStoreServerOperation
    let parameters: [String]

    /// Finds the operation of a method and a path. Returns nil when Apple's server has none, or has it in Sandbox alone.
    init?(method: String, segments: [String], environment: Environment) {
        for operation in AppStoreServerOperation.allCases where operation.method == method {
            let pairs = zip(operation.path.split(separator: "/"), segments)
            guard operation.path.split(separator: "/").count == segments.count,
                pairs.allSatisfy({ $0.hasPrefix("{") || $0 == $1 }),
                environment == .sandbox || !operation.isSandboxOnly
            else { continue }
            self.operation = operation
            parameters = pairs.filter { $0.0.hasPrefix("{") }.map(\.1)
            return
        }
        return nil
    }
}

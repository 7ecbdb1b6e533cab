internal import JSON

/// Every key that was asked for while a configuration was read, as `apps[].bundleId`: the language that is accepted.
final class KnownKeys {
    private(set) var names: Set<String> = []

    func insert(_ path: JSONPath) {
        var pattern = ""
        for component in path {
            switch component {
            case .member(let name): pattern += pattern.isEmpty ? name : ".\(name)"
            case .index: pattern += "[]"
            }
        }
        names.insert(pattern)
    }
}

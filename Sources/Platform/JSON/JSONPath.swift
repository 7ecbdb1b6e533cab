/// The way from the root of a JSON text to a value, as `apps[0].bundleId`.
public typealias JSONPath = [JSONPathComponent]

/// One step of a ``JSONPath``.
public enum JSONPathComponent: Hashable, Sendable {
    /// Into the member of an object.
    case member(String)
    /// To the element of an array, from 0.
    case index(Int)
}

extension [JSONPathComponent] {
    /// The path as people write it: `apps[0].bundleId`, empty for the root.
    public var text: String {
        var text = ""
        for component in self {
            switch component {
            case .member(let name): text += text.isEmpty ? name : ".\(name)"
            case .index(let index): text += "[\(index)]"
            }
        }
        return text
    }
}

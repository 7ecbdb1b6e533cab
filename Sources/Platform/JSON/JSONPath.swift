/// The path from the root of a JSON text to a value, for example `apps[0].bundleId`.
public typealias JSONPath = [JSONPathComponent]

/// One step of a ``JSONPath``.
public enum JSONPathComponent: Hashable, Sendable {
    /// A step to the member of an object with this name.
    case member(String)
    /// A step to the element of an array at this index, from 0.
    case index(Int)
}

extension [JSONPathComponent] {
    /// The path as people write it: `apps[0].bundleId`. It is empty for the root.
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

public import JSON
internal import Vocabulary

/// How the status pages of the pool and of the recorder show a value to people.
public enum StatusText {
    /// Returns the value as text. Times have the form of the log lines.
    public static func shown(_ field: (name: String, value: JSONNode)) -> String {
        switch field.value {
        case .integer(let seconds) where isTime(field.name):
            CivilTime(milliseconds: seconds * 1000).description
        case .string(let text): DisplayText.escaped(text)
        case .integer(let number): String(number)
        case .boolean(let value): value ? "yes" : "no"
        case .real: "0.00"
        case .null, .object, .array: ""
        }
    }

    private static func isTime(_ name: String) -> Bool {
        ["start time", "loaded since", "last reload time", "built", "last notification"].contains(name)
            || name.hasSuffix(" ends")
    }
}

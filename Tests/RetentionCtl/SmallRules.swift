import Support
import Testing

/// A small rules source whose members a test can set.
enum SmallRules {
    /// A source with these members, each of which is JSON. It has a message of each kind.
    static func source(_ members: [String: String]) -> String {
        var all = [
            "format": "1", "app": #"{"appAppleId": 7, "bundleId": "com.example.app"}"#,
            "environment": #""Production""#, "locales": #"{"last": "en-US"}"#,
            "facts":
                #"{"inTrial": "bool", "paidPeriods": "int", "storefront": "string", "plan": "enum(a, b)"}"#,
            "messages": #"""
            {"text": {"kind": "text", "ids": {"en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390"}},
             "offer": {"kind": "offer", "ids": {"en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc"}},
             "switch": {"kind": "switch", "ids": {"en-US": "ed7f25fc-5741-46a3-8502-062e0fb8afd0"}},
             "bundle": {"kind": "advancedCommerce", "ids": {"en-US": "9b1d3f52-6c1e-4c6b-9b7e-0a5d3c0c8e11"}}}
            """#,
            "default": #"{"serve": {"message": "text"}}"#,
        ]
        for (name, text) in members { all[name] = text }
        return "{" + all.map { "\"\($0.key)\": \($0.value)" }.sorted().joined(separator: ",\n ") + "}\n"
    }

    /// Runs `explain` for a request with such a source.
    static func explain(_ members: [String: String], _ arguments: [String] = []) throws -> ProgramRun {
        let request = ["explain", "-", "--product", "p", "--at", "2026-11-21T00:00:00Z"]
        return try Tool.run(request + arguments, input: Array(source(members).utf8))
    }
}

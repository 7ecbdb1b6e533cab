import Testing

/// A configuration that is refused, with the code, the path in the structure and the place in the text.
struct RefusedConfiguration: Sendable, CustomTestStringConvertible {
    let text: String
    let code: String
    let path: String
    let line: Int
    let column: Int

    init(_ text: String, _ code: String, _ path: String, _ line: Int, _ column: Int) {
        self.text = text
        self.code = code
        self.path = path
        self.line = line
        self.column = column
    }

    /// Makes a configuration with a member on the second line, after valid `apps`.
    init(member: String, _ code: String, _ path: String, column: Int) {
        self.init("{\(appsText),\n\(member)}", code, path, 2, column)
    }

    /// Makes a configuration with one app, on the second line.
    init(app: String, _ code: String, _ path: String, column: Int) {
        self.init("{\"apps\":[\n{\(app)}]}", code, path, 2, column)
    }

    var testDescription: String { "\(code): \(text)" }
}

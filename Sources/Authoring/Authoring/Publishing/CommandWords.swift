package import System

/// The words of a command that a user gives as one text, such as `ssh -p 2222` or `retentiond --config '/srv/a b.json'`.
///
/// Spaces separate words, and single or double quotes keep spaces. Nothing else has a meaning: a backslash, a `$` or a
/// `;` is part of a word. These are the rules that rsync has for its remote shell.
package struct CommandWords: Sendable, Hashable {
    package let words: [String]

    private static let byteLimit = 4096

    init(words: [String]) {
        self.words = words
    }

    /// Splits a text.
    ///
    /// - Throws: `publish.bad-argument`: no word, an open quote, a control character, or a program that looks like an
    ///   option.
    package init(_ text: String) throws(ToolError) {
        func bad(_ reason: String) -> ToolError {
            ToolError(
                .usage, code: "publish.bad-argument", "\"\(text.prefix(40))\" is not a command: \(reason)")
        }
        guard text.utf8.count <= Self.byteLimit else {
            throw bad("longer than \(Self.byteLimit) bytes")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw bad("it has a control character")
        }
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { throw bad("a quote is open") }
        if let word { words.append(word) }
        guard let program = words.first, !program.isEmpty else {
            throw bad("it is empty")
        }
        guard !program.hasPrefix("-") else {
            throw bad("it begins with an option and not with a program")
        }
        self.words = words
    }

    /// The words as one text for rsync's option `-e`, which splits it into exactly these words again.
    var textForRsync: String {
        words.map { "'" + $0.replacing("'", with: "''") + "'" }.joined(separator: " ")
    }

    /// The words as one text for a shell on another machine, whichever shell that is. Each word is quoted, so nothing in
    /// it has a meaning for the shell.
    var textForShell: String {
        words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
    }
}

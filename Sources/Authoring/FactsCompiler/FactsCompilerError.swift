internal import DataFileWriting
public import System
public import Vocabulary

/// Why a table of facts was not compiled.
public enum FactsCompilerError: CodedError, Hashable, CustomStringConvertible {
    /// The findings in the order of the table's lines; at least one.
    case findings([Finding])
    /// The table cannot be read.
    case input(SystemCallError)
    /// The file, or the list of skipped rows, cannot be written.
    case output(SystemCallError)

    /// The code of the first finding, or of the system call.
    public var code: String {
        switch self {
        case .findings(let findings): findings.first?.code ?? "facts.empty"
        case .input(let error), .output(let error): error.code
        }
    }

    /// The findings, one on each line.
    public var description: String {
        switch self {
        case .findings(let findings): findings.map(\.text).joined(separator: "\n")
        case .input(let error), .output(let error): error.description
        }
    }
}

extension FactsCompilerError {
    /// Makes the error of a table whose facts file was not written.
    init(_ error: FactsBuildError) {
        switch error {
        case .output(let error): self = .output(error)
        case .tooMuchText(let limit):
            self = .findings([Finding(.tooMuchText, "more than \(limit) bytes of text")])
        case .repeatedKeys(let keys):
            self = .findings(
                keys.map { key in
                    Finding(
                        .repeatedKey, "\(FactsSchema.keyName) \(key.key) stands on line \(key.line) already",
                        line: key.otherLine, column: 1)
                }
            )
        }
    }
}

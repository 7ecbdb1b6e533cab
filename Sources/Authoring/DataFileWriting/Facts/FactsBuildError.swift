internal import DataFiles
public import System
public import Vocabulary

/// Why a facts file was not written.
public enum FactsBuildError: CodedError, Hashable {
    /// Keys that stand on more than one line; in the order of the lines, a few of them when there are many.
    case repeatedKeys([RepeatedKey])
    /// All strings together are longer than the format can say.
    case tooMuchText(limitBytes: Int)
    /// The output cannot be written.
    case output(SystemCallError)

    /// A key and the first two lines on which it stands.
    public struct RepeatedKey: Sendable, Hashable {
        /// The key.
        public let key: UInt64
        /// The line that has it first.
        public let line: Int
        /// The line that has it again.
        public let otherLine: Int
    }

    /// `facts.` and the reason.
    public var code: String {
        switch self {
        case .repeatedKeys: "facts.repeated-key"
        case .tooMuchText: "facts.too-much-text"
        case .output(let error): error.code
        }
    }
}

internal import DataFiles
public import System
public import Vocabulary

/// The reason why a facts file was not written.
public enum FactsBuildError: CodedError, Hashable {
    /// Some keys occur on more than one line. The keys are in the order of their lines; the list is cut when there are many.
    case repeatedKeys([RepeatedKey])
    /// The strings together are longer than the format allows.
    case tooMuchText(limitBytes: Int)
    /// The output cannot be written.
    case output(SystemCallError)

    /// A key, and the first two lines on which it occurs.
    public struct RepeatedKey: Sendable, Hashable {
        public let key: UInt64
        /// The first line with the key.
        public let line: Int
        /// The second line with the key.
        public let otherLine: Int
    }

    /// The code: `facts.` and the reason, or the code of the system call.
    public var code: String {
        switch self {
        case .repeatedKeys: "facts.repeated-key"
        case .tooMuchText: "facts.too-much-text"
        case .output(let error): error.code
        }
    }
}

internal import AppStoreTraffic
internal import Catalogue
internal import FactsCompiler
internal import RulesCompiler
internal import System
internal import Vocabulary
internal import RulesReading

/// The reason why a subcommand failed: the findings to print and the exit status.
struct ToolFailure: Error {
    let status: ExitStatus
    let findings: [Finding]

    init(_ status: ExitStatus, _ findings: [Finding]) {
        self.status = status
        self.findings = findings
    }

    init(_ status: ExitStatus, code: String, _ message: String, hint: String? = nil, file: String? = nil) {
        self.init(status, [Finding(code: code, message, hint: hint, file: file)])
    }

    /// Makes the failure for a `file` that cannot be written.
    init(writing file: String?, _ error: SystemCallError) {
        self.init(ExitStatus(writing: error), code: error.code, error.description, file: file)
    }

    /// Makes the failure for any error. `file` names the file that the command was reading or writing.
    init(_ error: any Error, file: String? = nil) {
        if let failure = error as? ToolFailure {
            self = failure
            return
        }
        switch error {
        case AppStoreTrafficError.file(let path, let cause):
            self.init(cause, file: path)
            return
        case let error as RulesSourceError:
            self.init(.badData, error.findings.map { $0.inFile(file) })
            return
        case let error as CatalogueError:
            self.init(.badData, error.findings.map { $0.inFile(file) })
            return
        case FactsCompilerError.findings(let findings):
            self.init(.badData, findings.map { $0.inFile(file) })
            return
        case FactsCompilerError.input(let cause):
            self.init(cause, file: file)
            return
        case FactsCompilerError.output(let cause):
            self.init(writing: file, cause)
            return
        default: break
        }
        let code = (error as? any CodedError)?.code ?? "internal.unexpected"
        // When the error has no description, the words of its code become the message.
        let reason = code.split(separator: ".").last.map { String($0).replacing("-", with: " ") } ?? code
        let message = (error as? any CustomStringConvertible)?.description ?? reason
        let hint = Self.isUnwritableState(error) ? "--state names a directory that can be written" : nil
        self.init(ExitStatus(for: error), [Finding(code: code, message, hint: hint, file: file)])
    }

    /// Returns true when the directory in which journals lie cannot be written.
    private static func isUnwritableState(_ error: any Error) -> Bool {
        let cause: SystemCallError? =
            switch error {
            case ApplyFailure.journal(.file(_, let cause)), CatalogueJournalError.file(_, let cause): cause
            default: nil
            }
        return cause.map { [.eacces, .eperm, .erofs].contains($0.reason) } ?? false
    }
}

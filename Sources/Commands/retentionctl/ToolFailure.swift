internal import AppStoreTraffic
internal import FactsCompiler
internal import RulesCompiler
internal import System
internal import Vocabulary

/// Why a subcommand did not do its work: what to print and how to end.
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

    /// `file` cannot be written.
    init(writing file: String?, _ error: SystemCallError) {
        self.init(ExitStatus(writing: error), code: error.code, error.description, file: file)
    }

    /// Takes any error; `file` names what was being read or written.
    init(_ error: any Error, file: String? = nil) {
        if let failure = error as? ToolFailure {
            self = failure
            return
        }
        switch error {
        case AppStoreTrafficError.file(let path, let cause):
            self.init(cause, file: path)
            return
        case let error as RulesCompilerError:
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
        // Without words of its own, an error's code says what is wrong.
        let reason = code.split(separator: ".").last.map { String($0).replacing("-", with: " ") } ?? code
        let message = (error as? any CustomStringConvertible)?.description ?? reason
        self.init(ExitStatus(for: error), [Finding(code: code, message, file: file)])
    }
}

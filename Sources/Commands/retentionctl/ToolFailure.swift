internal import AppStoreTraffic
internal import Vocabulary

/// Why a subcommand did not do its work: what to print and how to end.
struct ToolFailure: Error {
    let status: ExitStatus
    let diagnostics: [Diagnostic]

    init(_ status: ExitStatus, _ diagnostics: [Diagnostic]) {
        self.status = status
        self.diagnostics = diagnostics
    }

    init(_ status: ExitStatus, code: String, _ message: String, file: String? = nil) {
        self.init(status, [Diagnostic(code: code, message: message, file: file)])
    }

    /// Takes any error; `file` names what was being read or written.
    init(_ error: any Error, file: String? = nil) {
        if let failure = error as? ToolFailure {
            self = failure
            return
        }
        if case .file(let path, let cause)? = error as? AppStoreTrafficError {
            self.init(cause, file: path)
            return
        }
        let code = (error as? any CodedError)?.code ?? "internal.unexpected"
        // Without words of its own, an error's code says what is wrong.
        let reason = code.split(separator: ".").last.map { String($0).replacing("-", with: " ") } ?? code
        let message = (error as? any CustomStringConvertible)?.description ?? reason
        self.init(ExitStatus(for: error), [Diagnostic(code: code, message: message, file: file)])
    }
}

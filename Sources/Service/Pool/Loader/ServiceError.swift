package import System

/// Why a load, a start or a command was refused: a code that never changes, a sentence for people, and the exit status of a program
/// that ends with it (sysexits(3)): 78 configuration, 74 input or output, 70 a fault of ours, 1 any other refusal. As a warning it is
/// what an operator should know although nothing was refused.
package struct ServiceError: CodedError, Hashable, CustomStringConvertible {
    package let code: String
    package let description: String
    package let status: Int32

    package init(code: String, _ description: String, status: Int32 = 78) {
        self.code = code
        self.description = description
        self.status = status
    }

    static let noLastGood = ServiceError(code: "no-last-good", "there is no last good generation")
    static let manifestInvalid = ServiceError(
        code: "manifest-invalid", "the manifest is not as a loader writes it")

    package static func needsRestart(_ keys: [String]) -> ServiceError {
        ServiceError(code: "needs-restart", "only a restart applies \(keys.joined(separator: ", "))")
    }

    /// Refuses to go on as root, because the program reads bytes from outside. `command` is what a person should type as another user.
    package static func refuseRoot(unless isAllowed: Bool, command: String) throws(ServiceError) {
        guard !isAllowed, Credentials.isPrivileged else { return }
        throw ServiceError(
            code: "runs-as-root",
            "this program does not run as root without --allow-root; type: runuser -u retentiond -- \(command)"
        )
    }
}

extension CodedError {
    /// Returns the result of `body`. What it throws is about `what`, and gets `code` or keeps its own.
    package static func about<Value: ~Copyable>(
        _ what: @autoclosure () -> String, code: String? = nil, status: Int32 = 78,
        _ body: @autoclosure () throws(Self) -> Value
    ) throws(ServiceError) -> Value {
        do throws(Self) {
            return try body()
        } catch {
            throw ServiceError(code: code ?? error.code, "\(what()): \(error)", status: status)
        }
    }
}

extension ServiceError {
    static func unavailable(_ what: String, _ error: SystemCallError) -> ServiceError {
        ServiceError(code: "supervisor.unavailable", "\(what): \(error)", status: 74)
    }
}

extension SystemCallError {
    /// Returns the result of `body`, which a start or a command needs.
    package static func needed<Value: ~Copyable>(
        for what: @autoclosure () -> String, _ body: @autoclosure () throws(SystemCallError) -> Value
    ) throws(ServiceError) -> Value {
        try mapped(to: { ServiceError.unavailable(what(), $0) }, try body())
    }
}

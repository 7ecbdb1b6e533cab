/// The exit statuses of the tools.
public enum ExitStatus: Int32, Sendable, Hashable {
    case done = 0
    /// The answer is no: not verified, no match, a test failed, Apple refused.
    case no = 1
    /// A plan has changes, or what is left waits for Apple's review.
    case changes = 2
    /// The arguments are wrong. ArgumentParser uses the same number.
    case usage = 64
    /// A file of the user's is missing, cannot be used, or says something wrong.
    case data = 65
    /// A server, a store or a host cannot be reached.
    case unreachable = 69
    /// A fault of the tool or of the system.
    case ours = 70
}

/// Why a tool did not do its work: what it prints, and how it ends. A code names a class on which a program can act;
/// the message names the place and the value, the hint says what to type.
public struct ToolError: CodedError, Hashable, CustomStringConvertible {
    public let exitStatus: ExitStatus
    public let findings: [Finding]

    public init(_ findings: [Finding]) { self.init(.data, findings) }

    public init(_ exitStatus: ExitStatus, _ findings: [Finding]) {
        self.exitStatus = exitStatus
        self.findings = findings
    }

    public init(
        _ exitStatus: ExitStatus = .data, code: String, _ message: String, hint: String? = nil,
        file: String? = nil
    ) {
        self.init(exitStatus, [Finding(code: code, message, hint: hint, file: file)])
    }

    /// Takes over any error. An error without a code is a bug. `file` is what was read or written.
    public init(_ error: any Error, file: String? = nil) {
        if let error = error as? any CodedError {
            self.init(error.exitStatus, error.findings(about: file))
        } else {
            self.init(.ours, code: "internal.unexpected", "\(error)", file: file)
        }
    }

    /// Runs `body`: what it throws is about `file`.
    public static func about<Value: ~Copyable>(_ file: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw ToolError(error, file: file) }
    }

    public var code: String { findings.first?.code ?? "" }

    public var description: String {
        findings.count == 1 ? findings[0].message : findings.map(\.text).joined(separator: "\n")
    }
}

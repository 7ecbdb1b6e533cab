/// An error with a code that never changes, because clients, alerts and golden files depend on it.
///
/// The code of an internal error is `module.kebab-reason`. A code that a problem document (RFC 9457) sends to a client is
/// a bare `kebab-reason`. Codes are never renamed and never reused.
public protocol CodedError: Error, Sendable {
    var code: String { get }
    var exitStatus: ExitStatus { get }
    var findings: [Finding] { get }
    func findings(about file: String?) -> [Finding]
}

extension CodedError {
    public var exitStatus: ExitStatus { .data }

    public func findings(about file: String?) -> [Finding] {
        findings.map { $0.file == nil ? $0.inFile(file) : $0 }
    }

    /// Without a description, the words of the code become the message.
    public var findings: [Finding] {
        let words = String(code.split(separator: ".").last ?? "").replacing("-", with: " ")
        return [Finding(code: code, (self as? any CustomStringConvertible)?.description ?? words)]
    }
}

extension Error {
    /// Returns the result of `body`. When `body` throws, throws the error that `wrap` makes of it. It is for a call into a
    /// lower floor, when the caller gives the error a meaning of its own.
    @inlinable
    @inline(__always)
    public static func mapped<Value: ~Copyable, Other: Error>(
        to wrap: (Self) -> Other, _ body: @autoclosure () throws(Self) -> Value
    ) throws(Other) -> Value {
        do throws(Self) {
            return try body()
        } catch {
            throw wrap(error)
        }
    }

    /// Does the same for a `body` that consumes `input`, which no autoclosure can.
    @inlinable
    @inline(__always)
    public static func mapped<Input: ~Copyable, Value: ~Copyable, Other: Error>(
        to wrap: (Self) -> Other, giving input: consuming Input,
        _ body: (consuming Input) throws(Self) -> Value
    ) throws(Other) -> Value {
        do throws(Self) {
            return try body(input)
        } catch {
            throw wrap(error)
        }
    }
}

/// One mistake, or one thing worth knowing, in a text that a person wrote. It is printed as a line for people and editors in
/// the form that compilers use, `file:line:column: severity: code: message (hint)`.
public struct Finding: Error, Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable {
        case error
        case warning
        case note
    }

    public var code: String
    public var severity: Severity
    public var file: String?
    public var line: Int?
    /// The column in that line, from 1, in Unicode code points; nil when the finding is about the whole line.
    public var column: Int?
    /// The path to the value in a JSON text: `rules[3].when.all[0].eq`. Empty for the root and for texts that are not JSON.
    public var path: String
    public var message: String
    public var hint: String?

    public init(
        code: String, severity: Severity = .error, _ message: String, hint: String? = nil,
        file: String? = nil, line: Int? = nil, column: Int? = nil, path: String = ""
    ) {
        self.code = code
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.message = message
        self.hint = hint
    }

    public func inFile(_ file: String?) -> Finding {
        var finding = self
        finding.file = file
        return finding
    }

    public var text: String {
        let numbers = [line, line.flatMap { _ in column }].compactMap { $0.map(String.init) }
        let place = ([file].compactMap { $0 } + numbers).joined(separator: ":")
        let advice = hint.map { " (\($0))" } ?? ""
        return (place.isEmpty ? "" : "\(place): ") + "\(severity.rawValue): \(code): \(message)\(advice)"
    }
}

/// The reasons of the findings in one kind of text. A raw value is the last part of a code, for example `unknown-key`. The
/// first part, for example `rules.`, is set once for each text.
public protocol FindingReason: RawRepresentable<String>, Sendable, Hashable {
    var severity: Finding.Severity { get }
}

extension FindingReason {
    public var severity: Finding.Severity { .error }
}

public enum ExitStatus: Int32, Sendable, Hashable {
    case done = 0
    /// The answer is no: not verified, no match, a test failed, Apple refused.
    case no = 1
    case changes = 2
    case usage = 64
    case data = 65
    case unreachable = 69
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

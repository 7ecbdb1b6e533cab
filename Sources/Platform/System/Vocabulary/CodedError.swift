/// An error with a code that never changes, because clients, alerts and golden files depend on it.
///
/// The code of an internal error is `module.kebab-reason`. A code that a problem document (RFC 9457) sends to a client is
/// a bare `kebab-reason`. Codes are never renamed and never reused.
public protocol CodedError: Error, Sendable {
    var code: String { get }
    /// The status with which a tool ends that meets the error.
    var exitStatus: ExitStatus { get }
    /// What a tool prints; at least one finding.
    var findings: [Finding] { get }
    /// The same about a file.
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

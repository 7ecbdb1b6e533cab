public import System
public import Vocabulary

/// Why a connection cannot be used, or the module cannot be started.
public enum FastCGIError: CodedError, Hashable {
    /// A record of another protocol version than 1, or bytes that are no FastCGI at all.
    case unsupportedVersion(UInt8)
    /// A record that has no place where it came: a management record, an unknown type, a stream out of order.
    case unexpectedRecord(type: UInt8)
    /// A BEGIN_REQUEST record with request number 0 or of the wrong length, or a record of another request.
    case malformedRecord(type: UInt8)
    /// A role other than responder.
    case unsupportedRole(UInt16)
    /// Parameters whose lengths lead out of their stream, or more of them than the limit.
    case malformedParameters
    /// Bytes behind the request before it was answered.
    case pipelinedRequest
    /// The client gave the request up before it was complete.
    case abortedByClient
    /// More body than this side is willing to throw away.
    case bodyTooLarge
    /// More bytes in all, with headers and padding, than the limit.
    case requestTooLarge
    /// libfcgi did not accept what this module had found well-formed.
    case libfcgiRefused(Int32)
    /// A system call failed.
    case system(SystemCallError)

    /// The stable code.
    public var code: String {
        switch self {
        case .unsupportedVersion: "fastcgi.unsupported-version"
        case .unexpectedRecord: "fastcgi.unexpected-record"
        case .malformedRecord: "fastcgi.malformed-record"
        case .unsupportedRole: "fastcgi.unsupported-role"
        case .malformedParameters: "fastcgi.malformed-parameters"
        case .pipelinedRequest: "fastcgi.pipelined-request"
        case .abortedByClient: "fastcgi.aborted-by-client"
        case .bodyTooLarge: "fastcgi.body-too-large"
        case .requestTooLarge: "fastcgi.request-too-large"
        case .libfcgiRefused: "fastcgi.libfcgi-refused"
        case .system(let error): error.code
        }
    }
}

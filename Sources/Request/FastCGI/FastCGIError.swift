public import System
public import Vocabulary

/// Why a connection cannot be used, or the module cannot start.
public enum FastCGIError: CodedError, Hashable {
    /// The record has another protocol version than 1, or the bytes are not FastCGI at all.
    case unsupportedVersion(UInt8)
    /// The record is not allowed at this place: a management record, an unknown type, or a stream out of order.
    case unexpectedRecord(type: UInt8)
    /// A BEGIN_REQUEST record has request number 0 or the wrong length, or a record belongs to another request.
    case malformedRecord(type: UInt8)
    /// The request is for another role than responder.
    case unsupportedRole(UInt16)
    /// The lengths of the parameters lead out of their stream, or there are more parameters than the limit.
    case malformedParameters
    /// More bytes follow the request before it was answered.
    case pipelinedRequest
    /// The client gave up the request (FCGI_ABORT_REQUEST) before it was complete.
    case abortedByClient
    /// The body is longer than the server is willing to read and throw away.
    case bodyTooLarge
    /// The request has more bytes than the limit, headers and padding included.
    case requestTooLarge
    /// libfcgi refused a request that this module had found well-formed.
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

public import System

public enum FastCGIError: CodedError, Hashable {
    case unsupportedVersion(UInt8)
    case unexpectedRecord(type: UInt8)
    case malformedRecord(type: UInt8)
    case unsupportedRole(UInt16)
    case malformedParameters
    case pipelinedRequest
    case abortedByClient
    case bodyTooLarge
    case requestTooLarge
    case libfcgiRefused(Int32)
    case system(SystemCallError)

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

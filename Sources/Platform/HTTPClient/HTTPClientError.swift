internal import CCurl
public import Vocabulary

/// Why there is no answer.
public enum HTTPClientError: CodedError, Hashable, CustomStringConvertible {
    /// The URL cannot be used: malformed, or not `https` or `http`.
    case badURL
    /// The file of trusted authorities cannot be read or holds none.
    case badAuthorities
    /// The server's name does not resolve.
    case unresolved
    /// No connection came about; the system's words for it, empty where it has none.
    case notConnected(String)
    /// TLS failed: no agreement, or a certificate that is not trusted or not for this name.
    case tls(String)
    /// It took too long.
    case timedOut
    /// The server closed the connection without a byte of an answer.
    case noResponse
    /// The connection ended in the middle of the answer.
    case closedEarly
    /// Sending or receiving failed on an established connection; the system's words for it, or libcurl's.
    case connectionBroken(String)
    /// More redirections than are followed.
    case tooManyRedirections
    /// The answer is longer than the limit.
    case responseTooLarge
    /// What came is not HTTP.
    case notHTTP
    /// libcurl failed for another reason, in its words.
    case other(String)

    /// `http.` and the case.
    public var code: String {
        switch self {
        case .badURL: "http.bad-url"
        case .badAuthorities: "http.bad-authorities"
        case .unresolved: "http.unresolved"
        case .notConnected: "http.not-connected"
        case .tls: "http.tls"
        case .timedOut: "http.timed-out"
        case .noResponse: "http.no-response"
        case .closedEarly: "http.closed-early"
        case .connectionBroken: "http.connection-broken"
        case .tooManyRedirections: "http.too-many-redirections"
        case .responseTooLarge: "http.response-too-large"
        case .notHTTP: "http.not-http"
        case .other: "http.other"
        }
    }

    /// One line for people.
    public var description: String {
        switch self {
        case .badURL: "the URL is malformed or neither https nor http"
        case .badAuthorities: "the file of trusted authorities cannot be read"
        case .unresolved: "the server's name does not resolve"
        case .notConnected(let reason): Self.text("no connection to the server", reason)
        case .tls(let reason): "TLS failed: \(reason)"
        case .timedOut: "no complete answer in time"
        case .noResponse: "the server closed the connection without an answer"
        case .closedEarly: "the connection ended in the middle of the answer"
        case .connectionBroken(let reason): Self.text("sending or receiving failed", reason)
        case .tooManyRedirections: "too many redirections"
        case .responseTooLarge: "the answer is too long"
        case .notHTTP: "what came back is not HTTP"
        case .other(let reason): reason
        }
    }

    private static func text(_ what: String, _ reason: String) -> String {
        reason.isEmpty ? what : "\(what): \(reason)"
    }

    /// The error for a result of libcurl's, the text it left and the words for the errno of the last connect, if any.
    init(_ result: CURLcode, detail: String, system: String = "") {
        self =
            switch result {
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .badURL
            case CURLE_SSL_CACERT_BADFILE: .badAuthorities
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unresolved
            case CURLE_COULDNT_CONNECT: .notConnected(system)
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
                CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED:
                .tls(detail)
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_GOT_NOTHING: .noResponse
            case CURLE_PARTIAL_FILE: .closedEarly
            case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
                .connectionBroken(system.isEmpty ? detail : system)
            case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirections
            case CURLE_WRITE_ERROR, CURLE_FILESIZE_EXCEEDED: .responseTooLarge
            case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .notHTTP
            default: .other(detail)
            }
    }
}

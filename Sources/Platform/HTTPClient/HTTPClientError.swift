internal import CCurl
package import System

/// The reason why a request got no answer.
package enum HTTPClientError: CodedError, Hashable, CustomStringConvertible {
    case badURL
    case badAuthorities
    case unresolved
    /// With the system's message; it is empty when the system gave no reason.
    case notConnected(String)
    /// The two sides did not agree, or the certificate is not trusted or not for this name.
    case tls(String)
    case timedOut
    case noResponse
    case closedEarly
    /// Sending or receiving failed on an established connection.
    case connectionBroken(String)
    case tooManyRedirections
    case responseTooLarge
    case notHTTP
    case other(String)

    package var code: String {
        switch self {
        case .badURL: "http.bad-url"
        case .badAuthorities: "http.bad-authorities"
        case .unresolved, .notConnected, .tls: "http.unreachable"
        case .timedOut, .noResponse, .closedEarly, .connectionBroken: "http.no-answer"
        case .tooManyRedirections, .responseTooLarge, .notHTTP, .other: "http.bad-answer"
        }
    }

    package var exitStatus: ExitStatus {
        switch self {
        case .badURL: .usage
        case .badAuthorities: .data
        default: .unreachable
        }
    }

    package var description: String {
        switch self {
        case .badURL: "the URL is malformed or neither https nor http"
        case .badAuthorities: "the file of trusted authorities cannot be read"
        case .unresolved: "the name of the server, or of the proxy to it, does not resolve"
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

    /// `detail` is libcurl's message; `system` is the system's message for the errno of the last connect, empty when there is none.
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

/// The limits of this module, each with its reason.
public enum FastCGILimits {
    /// The most bytes of parameters in one request. nginx sends about 1.5 KB with its stock `fastcgi_params`, and its
    /// own header buffers (`large_client_header_buffers`) end at 32 KB.
    public static let parameterByteCount = 65_536
    /// The most parameters in one request: nginx's 25, and one for each header of the client.
    public static let parameterCount = 512
    /// The most bytes of a body that are kept for the handler, unless ``FastCGISettings/bodyByteCount`` says otherwise:
    /// twice the largest endpoint's limit, so that the endpoint and not this module answers 413.
    public static let bodyByteCount = 1 << 20
    /// The greatest value of ``FastCGISettings/bodyByteCount``: three times the largest body that a program of this
    /// project takes, a PNG of 20 MiB.
    public static let bodyByteCountCeiling = 64 << 20
    /// The most bytes of a body that the server reads and throws away so that it can send a 413. It closes the
    /// connection of a longer body. A server that keeps longer bodies reads as many bytes as it keeps.
    public static let discardedByteCount = 16 << 20
    /// Returns the most bytes of one request, with headers and padding: twice the most bytes of its body. Without this
    /// limit, a body of one byte in each record, each with 255 bytes of padding, would keep a worker reading for 4 GB.
    public static func requestByteCount(bodyByteCount: Int) -> Int { 2 * bodyByteCount }
    /// The most bytes of incomplete requests that one worker keeps, parameters and bodies, on all connections together.
    /// A server that keeps bodies of more than a quarter of this limit keeps the bytes of four such bodies.
    public static let keptByteCountInAll = 32 << 20
    /// How many bytes one look at a connection can show. A unix socket holds about 220 KB (wmem_default). Measured: one
    /// look shows a body of 64 KiB whole, but not one of 512 KiB.
    static let peekByteCount = 262_144
    /// The largest response that libfcgi writes into the socket. It fits into the socket's buffer of about 100 records
    /// even when the other side reads nothing of it.
    static let unhurriedResponseByteCount = 32_768
    /// The most bytes of larger answers that wait for their clients, on all connections together. Above that the server
    /// gives up the answer of which its client has taken nothing for longest. The newest one may be larger.
    static let unsentByteCountInAll = 32 << 20
    /// The most objects of libfcgi that wait for the next parked request. Each has about 20 KB.
    static let spareCount = 64
}

/// The limits of this module, each with its reason.
public enum FastCGILimits {
    /// All parameters of one request. nginx sends about 1.5 KB with its stock `fastcgi_params`; its own header
    /// buffers (`large_client_header_buffers`) end at 32 KB.
    public static let parameterByteCount = 65_536
    /// Parameters of one request: nginx's 25 and one for each header of the client.
    public static let parameterCount = 512
    /// The body that is kept for the handler: twice the largest endpoint's limit, so that the endpoint and not this
    /// module says 413.
    public static let bodyByteCount = 1 << 20
    /// The body that is read and thrown away so that a 413 can be sent. Beyond it the connection is closed.
    public static let discardedByteCount = 16 << 20
    /// All bytes of one request with headers and padding: twice the body that is thrown away. Without this limit a
    /// body of one byte a record, each with 255 bytes of padding, would keep a worker reading for 4 GB.
    public static let requestByteCount = 2 * discardedByteCount
    /// Bytes of incomplete requests that one worker keeps, all connections together: parameters and bodies.
    public static let keptByteCountInAll = 32 << 20
    /// What one look at a connection shows. A unix socket holds about 220 KB (wmem_default), measured: 64 KiB of body
    /// are seen whole, 512 KiB are not.
    static let peekByteCount = 262_144
    /// A response up to this size is written without waiting: it fits into the socket's buffer of about 100 records
    /// even when nothing of it is read.
    static let unhurriedResponseByteCount = 32_768
}

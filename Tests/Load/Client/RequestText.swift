/// Whole HTTP/1.1 requests as bytes.
public enum RequestText {
    /// Returns a POST of JSON to a path. `headers` are further header lines.
    public static func post(_ path: String, _ body: [UInt8], headers: [String] = []) -> [UInt8] {
        var lines = ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
        lines += ["Content-Length: \(body.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    public static func get(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    }
}

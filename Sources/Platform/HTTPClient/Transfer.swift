internal import CCurl
internal import Glibc
internal import System

/// One easy handle of libcurl, with everything that must live as long as its transfer. One thread uses it for one request
/// after another.
@safe final class Transfer {
    let handle: UnsafeMutableRawPointer
    var address: UInt { unsafe UInt(bitPattern: handle) }
    private let configuration: HTTPClientConfiguration
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var places: UnsafeMutablePointer<curl_slist>?
    private let message: UnsafeMutablePointer<CChar>
    private var body: [UInt8] = []
    /// True when the empty line behind the header fields of the last answer has come.
    private var isHeaderComplete = false

    init(_ configuration: HTTPClientConfiguration) throws(HTTPClientError) {
        guard let handle = unsafe curl_easy_init() else { throw .other("libcurl has no memory") }
        unsafe self.handle = handle
        self.configuration = configuration
        unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(fields)
        unsafe curl_slist_free_all(places)
        unsafe message.deallocate()
    }

    /// The handle keeps the connections it has.
    func prepare(_ request: HTTPRequest) throws(HTTPClientError) {
        unsafe curl_easy_reset(handle)
        body.removeAll(keepingCapacity: true)
        isHeaderComplete = false
        unsafe message.pointee = 0
        try setText(CURLOPT_URL, request.url)
        // Other schemes would reach files and other kinds of servers.
        try setText(CURLOPT_PROTOCOLS_STR, "https,http")
        try setText(CURLOPT_REDIR_PROTOCOLS_STR, "https,http")
        try setText(CURLOPT_USERAGENT, configuration.userAgent)
        try setText(CURLOPT_CUSTOMREQUEST, request.method)
        try setLimits()
        if !usesProxy(for: request.url) { try setText(CURLOPT_PROXY, "") }
        // What a proxy answers to CONNECT is not the server's answer.
        try setNumber(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if configuration.usesTLS12 {
            try setNumber(CURLOPT_SSLVERSION, Int(rt_curl_tls12))
        }
        if configuration.readsCertificates { try setNumber(CURLOPT_CERTINFO, 1) }
        if let place = configuration.connectTo {
            unsafe curl_slist_free_all(places)
            unsafe places = curl_slist_append(nil, place)
            unsafe rt_curl_setopt_pointer(handle, CURLOPT_CONNECT_TO, places)
        }
        if let file = configuration.authoritiesFile {
            try setText(CURLOPT_CAINFO, file)
            unsafe rt_curl_setopt_pointer(handle, CURLOPT_CAPATH, nil)
        }
        try setBody(request)
        try setHeaders(request)
        unsafe rt_curl_setopt_pointer(handle, CURLOPT_ERRORBUFFER, message)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe rt_curl_setopt_pointer(handle, CURLOPT_WRITEDATA, context)
        unsafe rt_curl_setopt_write(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            return unsafe transfer.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        unsafe rt_curl_setopt_pointer(handle, CURLOPT_HEADERDATA, context)
        unsafe rt_curl_setopt_write(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            return unsafe transfer.see(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }

    /// Returns the response of the finished transfer, or the error for libcurl's result.
    func outcome(of result: CURLcode) -> Result<HTTPResponse, HTTPClientError> {
        guard result == CURLE_OK || hasUsableHeader else {
            let text = unsafe message.pointee == 0 ? curl_easy_strerror(result) : UnsafePointer(message)
            let detail = unsafe text.map { unsafe String(cString: $0) } ?? ""
            // libcurl gives the same result for a URL that cannot be used and for an answer that is not HTTP.
            var sentBytes = 0
            unsafe rt_curl_getinfo_long(handle, CURLINFO_REQUEST_SIZE, &sentBytes)
            if result == CURLE_UNSUPPORTED_PROTOCOL, sentBytes > 0 { return .failure(.notHTTP) }
            var proxyStatus = 0
            unsafe rt_curl_getinfo_long(handle, CURLINFO_HTTP_CONNECTCODE, &proxyStatus)
            if proxyStatus != 0, !(200...299).contains(proxyStatus) {
                return .failure(.notConnected("the proxy answered with status \(proxyStatus)"))
            }
            return .failure(HTTPClientError(result, detail: detail, system: systemReason))
        }
        // To libcurl, an answer that ends between two header fields is complete (RFC 9112, section 8).
        guard isHeaderComplete else { return .failure(.closedEarly) }
        var type: UnsafePointer<CChar>?
        unsafe rt_curl_getinfo_pointer(handle, CURLINFO_CONTENT_TYPE, &type)
        var response = HTTPResponse(
            status: status,
            contentType: unsafe type.map { unsafe String(cString: $0) },
            retryAfter: field("Retry-After"),
            date: field("Date"),
            body: body,
            timings: timings
        )
        if configuration.readsCertificates { response.certificateEnds = certificateEnds }
        return .success(response)
    }

    /// The lines `Expire date:Nov  6 08:49:37 2026 GMT` of libcurl's CURLINFO_CERTINFO.
    private var certificateEnds: [Int64] {
        var found: UnsafeMutablePointer<curl_certinfo>?
        unsafe rt_curl_getinfo_pointer(handle, CURLINFO_CERTINFO, &found)
        guard let chain = unsafe found?.pointee, let lists = unsafe chain.certinfo else { return [] }
        var ends: [Int64] = []
        for index in unsafe 0..<Int(chain.num_of_certs) {
            var line = unsafe lists[index]
            while let entry = unsafe line {
                let text = unsafe String(cString: entry.pointee.data)
                if text.hasPrefix("Expire date:") {
                    let words = text.dropFirst(12).split(separator: " ")
                    if words.count == 5, let day = Int(words[1]) {
                        let date = "Mon, \(day < 10 ? "0" : "")\(day) \(words[0]) \(words[3]) \(words[2]) GMT"
                        HTTPDate.milliseconds(date).map { ends.append($0) }
                    }
                }
                unsafe line = entry.pointee.next
            }
        }
        return ends
    }

    /// Returns true when a proxy of the environment may be used. `https` goes through a tunnel, in which the proxy sees the
    /// host's name alone; anything else it could read. This machine needs none.
    private func usesProxy(for url: String) -> Bool {
        guard configuration.usesEnvironmentProxies, let scheme = url.firstRange(of: "://") else {
            return false
        }
        let end = url[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        return ReceiverURL(String(url[..<end])).map { $0.isSecure && !$0.isLocal } ?? false
    }

    private var status: Int {
        var status = 0
        unsafe rt_curl_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    private var hasUsableHeader: Bool {
        !configuration.needsWholeBody && isHeaderComplete && status >= 200
    }

    /// The last header field of this name.
    private func field(_ name: String) -> String? {
        var found: UnsafeMutablePointer<curl_header>?
        let origin = UInt32(CURLH_HEADER)
        guard unsafe curl_easy_header(handle, name, 0, origin, -1, &found) == CURLHE_OK,
            let value = unsafe found?.pointee.value
        else { return nil }
        let count = unsafe min(strlen(value), HTTPClientLimits.fieldByteCount)
        return unsafe String(decoding: UnsafeRawBufferPointer(start: value, count: count), as: UTF8.self)
    }

    private var systemReason: String {
        var number = 0
        unsafe rt_curl_getinfo_long(handle, CURLINFO_OS_ERRNO, &number)
        guard number != 0, let text = unsafe strerror(Int32(clamping: number)) else { return "" }
        return unsafe String(cString: text)
    }

    private var timings: TransferTimings {
        var timings = TransferTimings()
        timings.connectMicroseconds = offset(CURLINFO_CONNECT_TIME_T)
        timings.tlsMicroseconds = offset(CURLINFO_APPCONNECT_TIME_T)
        timings.firstByteMicroseconds = offset(CURLINFO_STARTTRANSFER_TIME_T)
        timings.totalMicroseconds = offset(CURLINFO_TOTAL_TIME_T)
        var connections = 0
        unsafe rt_curl_getinfo_long(handle, CURLINFO_NUM_CONNECTS, &connections)
        timings.usedNewConnection = connections > 0
        return timings
    }

    private func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        unsafe rt_curl_getinfo_offset(handle, info, &value)
        return Int64(value)
    }

    /// Takes no byte when the body would become longer than the limit; libcurl then ends the transfer with CURLE_WRITE_ERROR.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count <= configuration.responseByteCount - body.count else { return 0 }
        unsafe body.append(contentsOf: bytes)
        return bytes.count
    }

    /// A status line begins a new header.
    private func see(_ line: UnsafeRawBufferPointer) -> Int {
        if unsafe line.starts(with: "HTTP/".utf8) {
            isHeaderComplete = false
        } else if unsafe line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8) {
            isHeaderComplete = true
        }
        return line.count
    }

    private func setLimits() throws(HTTPClientError) {
        try setNumber(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try setNumber(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeoutMilliseconds)
        try setNumber(CURLOPT_TIMEOUT_MS, configuration.timeoutMilliseconds)
        // Without this option, libcurl uses SIGALRM for its timeouts.
        try setNumber(CURLOPT_NOSIGNAL, 1)
        try setNumber(CURLOPT_FOLLOWLOCATION, configuration.redirectionCount > 0 ? 1 : 0)
        try setNumber(CURLOPT_MAXREDIRS, configuration.redirectionCount)
        try setNumber(CURLOPT_FORBID_REUSE, configuration.keepsConnections ? 0 : 1)
        try setNumber(CURLOPT_FRESH_CONNECT, configuration.keepsConnections ? 0 : 1)
        try setNumber(CURLOPT_TCP_NODELAY, 1)
    }

    private func setBody(_ request: HTTPRequest) throws(HTTPClientError) {
        guard let body = request.body else { return }
        try setNumber(CURLOPT_POST, 1)
        unsafe rt_curl_setopt_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        let result = unsafe body.withUnsafeBytes { bytes in
            unsafe rt_curl_setopt_pointer(handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress)
        }
        guard result == CURLE_OK else { throw HTTPClientError(result, detail: "the body was not taken") }
    }

    private func setHeaders(_ request: HTTPRequest) throws(HTTPClientError) {
        unsafe curl_slist_free_all(fields)
        unsafe fields = nil
        // An empty Expect field: otherwise the wait for "100 Continue" would be part of the measured time.
        for line in request.headers.map({ "\($0.name): \($0.value)" }) + ["Expect:"] {
            guard let longer = unsafe curl_slist_append(fields, line) else {
                throw .other("libcurl has no memory")
            }
            unsafe fields = longer
        }
        unsafe rt_curl_setopt_pointer(handle, CURLOPT_HTTPHEADER, fields)
    }

    private func setText(_ option: CURLoption, _ text: String) throws(HTTPClientError) {
        let result = unsafe text.withCString { unsafe rt_curl_setopt_pointer(handle, option, $0) }
        guard result == CURLE_OK else { throw HTTPClientError(result, detail: "an option was not taken") }
    }

    private func setNumber(_ option: CURLoption, _ number: Int) throws(HTTPClientError) {
        let result = unsafe rt_curl_setopt_long(handle, option, number)
        guard result == CURLE_OK else { throw HTTPClientError(result, detail: "an option was not taken") }
    }
}

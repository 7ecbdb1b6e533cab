internal import CCurl

/// Sends HTTP requests with libcurl's multi interface: many at once on one thread, over connections that are kept and used
/// again. A request that fails on a kept connection before any byte of an answer is sent again on a new one, once. Use a
/// client on one thread only.
@safe package final class HTTPClient {
    private let multi: UnsafeMutableRawPointer
    private let configuration: HTTPClientConfiguration
    /// The transfers under way, by the address of their handle, which libcurl uses to name them.
    private var running: [UInt: (transfer: Transfer, number: Int)] = [:]
    private var idle: [Transfer] = []

    /// It does not connect before the first request.
    package init(configuration: HTTPClientConfiguration = HTTPClientConfiguration()) throws(HTTPClientError) {
        guard Self.isLibraryReady, let multi = unsafe curl_multi_init() else {
            throw .other("libcurl cannot be started")
        }
        unsafe self.multi = multi
        self.configuration = configuration
    }

    deinit {
        dropAll()
        idle = []
        unsafe curl_multi_cleanup(multi)
    }

    /// Sends one request and returns the answer, whatever its status.
    package func perform(_ request: HTTPRequest) throws(HTTPClientError) -> HTTPResponse {
        var outcome = Result<HTTPResponse, HTTPClientError>.failure(.other("nothing was sent"))
        var pending: HTTPRequest? = request
        _ = try performAll(concurrency: 1) {
            defer { pending = nil }
            return pending
        } finished: { _, result in
            outcome = result
        }
        return try outcome.get()
    }

    /// Sends many requests, at most `concurrency` at once, until `next` returns nil. They are numbered from 0 in that order, and
    /// `finished` is called once for each. Once `isOver` returns true, sends no more and drops those under way; returns their number.
    /// Throws when libcurl itself fails or a request cannot be prepared. The error of a transfer goes to `finished`.
    package func performAll(
        concurrency: Int,
        isOver: () -> Bool = { false },
        next: () -> HTTPRequest?,
        finished: (Int, Result<HTTPResponse, HTTPClientError>) -> Void
    ) throws(HTTPClientError) -> Int {
        let concurrency = min(max(concurrency, 1), HTTPClientLimits.concurrency)
        unsafe rt_curl_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, concurrency)
        defer { dropAll() }
        var number = 0
        var hasMore = true
        while !isOver() {
            while hasMore, running.count < concurrency {
                guard let request = next() else {
                    hasMore = false
                    break
                }
                try begin(request, number: number)
                number += 1
            }
            if running.isEmpty { return 0 }
            try wait()
            collect(finished)
        }
        return running.count
    }

    /// Does what can be done for the requests under way without waiting. `finished` is called once for each that has ended, with its
    /// number.
    package func advance(
        _ finished: (Int, Result<HTTPResponse, HTTPClientError>) -> Void
    ) throws(HTTPClientError) {
        var active: Int32 = 0
        guard unsafe curl_multi_perform(multi, &active) == CURLM_OK else { throw .other("libcurl failed") }
        collect(finished)
    }

    /// Sleeps until a socket of a request that was begun is ready, or until the time is over.
    package func wait(milliseconds: Int32) throws(HTTPClientError) {
        guard unsafe curl_multi_poll(multi, nil, 0, milliseconds, nil) == CURLM_OK else {
            throw .other("libcurl cannot wait")
        }
    }

    /// Starts a request and returns at once. ``advance(_:)`` says how it ended, and gives back `number`. The caller does not mix this
    /// with ``perform(_:)`` and ``performAll(concurrency:isOver:next:finished:)``, which drop what was begun.
    package func begin(_ request: HTTPRequest, number: Int) throws(HTTPClientError) {
        let transfer: Transfer
        if let used = idle.popLast() { transfer = used } else { transfer = try Transfer(configuration) }
        try transfer.prepare(request)
        guard unsafe curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
            throw .other("libcurl does not take the transfer")
        }
        running[transfer.address] = (transfer, number)
    }

    /// Lets libcurl work. When no transfer has ended, sleeps until a socket is ready.
    private func wait() throws(HTTPClientError) {
        var active: Int32 = 0
        guard unsafe curl_multi_perform(multi, &active) == CURLM_OK else { throw .other("libcurl failed") }
        guard Int(active) == running.count else { return }
        try wait(milliseconds: Self.pollMilliseconds)
    }

    private func collect(_ finished: (Int, Result<HTTPResponse, HTTPClientError>) -> Void) {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle,
                let (transfer, number) = running.removeValue(forKey: UInt(bitPattern: handle))
            else { continue }
            // The message is invalid once its handle is removed, so the result is read before.
            let result = unsafe rt_curl_message_result(message)
            let outcome = transfer.outcome(of: result)
            unsafe curl_multi_remove_handle(multi, handle)
            idle.append(transfer)
            finished(number, outcome)
        }
    }

    private func dropAll() {
        for (transfer, _) in running.values {
            unsafe curl_multi_remove_handle(multi, transfer.handle)
            idle.append(transfer)
        }
        running = [:]
    }

    /// The longest wait in milliseconds, so that `isOver` is called often enough.
    private static let pollMilliseconds: Int32 = 50

    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK
}

package struct HTTPClientConfiguration: Sendable {
    /// The path of a PEM file with the only authorities that the client trusts; nil for the system's authorities.
    package var authoritiesFile: String?
    package var connectTimeoutMilliseconds = 10_000
    package var timeoutMilliseconds = 30_000
    package var responseByteCount = HTTPClientLimits.responseByteCount
    /// True when an answer counts only with its whole body. With false, the header decides: a body that is longer than
    /// ``responseByteCount``, late or broken off is cut there, and the transfer succeeds.
    package var needsWholeBody = true
    /// With 0, a redirection is the answer.
    package var redirectionCount = 0
    package var keepsConnections = true
    /// True when the client uses the proxies that the environment names (`https_proxy`, `all_proxy`, `no_proxy`), for `https`
    /// to other machines alone. False by default, because measurements must be of the server alone.
    package var usesEnvironmentProxies = false
    package var userAgent = "retentionctl"
    /// True to use TLS 1.2, also where a later version is there.
    package var usesTLS12 = false
    /// Where to connect instead, as `HOST:PORT:ADDRESS:PORT` (CURLOPT_CONNECT_TO); TLS still checks the name of the URL.
    package var connectTo: String?
    /// True when ``HTTPResponse/certificateEnds`` is wanted.
    package var readsCertificates = false

    package init() {}
}

package enum HTTPClientLimits {
    /// The default limit of an answer's body: one megabyte. No answer that `retentionctl` asks for is longer.
    package static let responseByteCount = 1 << 20
    /// The limit of a header field's value that a response keeps, in bytes. Dates and numbers are shorter.
    package static let fieldByteCount = 128
    /// The limit of transfers at once. More would measure this machine instead of the server.
    package static let concurrency = 1024
}

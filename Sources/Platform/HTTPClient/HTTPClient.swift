internal import CCurl

/// Sends requests over libcurl's multi interface: many at once on one thread, connections kept and used again.
/// Belongs to one thread.
@safe public final class HTTPClient {
    private let multi: UnsafeMutableRawPointer
    private let configuration: HTTPClientConfiguration
    /// Transfers by the address of their handle, which is how libcurl names them.
    private var running: [UInt: (transfer: Transfer, number: Int)] = [:]
    private var idle: [Transfer] = []

    /// Makes a client without connecting to anything.
    ///
    /// - Throws: `http.other` when libcurl has no memory.
    public init(configuration: HTTPClientConfiguration = HTTPClientConfiguration()) throws(HTTPClientError) {
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

    /// Sends one request and waits for its answer.
    ///
    /// - Returns: the answer, whatever its status.
    /// - Throws: ``HTTPClientError`` when there is none.
    public func perform(_ request: HTTPRequest) throws(HTTPClientError) -> HTTPResponse {
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

    /// Sends many requests, at most `concurrency` at once, until `next` has no more.
    ///
    /// - Parameters:
    ///   - concurrency: transfers at once, 1 to ``HTTPClientLimits/concurrency``.
    ///   - isOver: asked all the time; once true, nothing more is sent and what is under way is dropped.
    ///   - next: gives the next request, nil when there are no more; they are numbered from 0 in this order.
    ///   - finished: called once for each request that ended, with its number.
    /// - Returns: how many requests were under way when `isOver` said so.
    /// - Throws: ``HTTPClientError`` when libcurl itself fails or a request cannot even be prepared; a transfer that
    ///   fails goes to `finished`.
    public func performAll(
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
                try start(request, number: number)
                number += 1
            }
            if running.isEmpty { return 0 }
            try wait()
            collect(finished)
        }
        return running.count
    }

    private func start(_ request: HTTPRequest, number: Int) throws(HTTPClientError) {
        let transfer: Transfer
        if let used = idle.popLast() { transfer = used } else { transfer = try Transfer(configuration) }
        try transfer.prepare(request)
        guard unsafe curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
            throw .other("libcurl does not take the transfer")
        }
        running[transfer.address] = (transfer, number)
    }

    /// Lets libcurl work, and sleeps until a socket is ready when there is nothing to collect.
    private func wait() throws(HTTPClientError) {
        var active: Int32 = 0
        guard unsafe curl_multi_perform(multi, &active) == CURLM_OK else { throw .other("libcurl failed") }
        guard Int(active) == running.count else { return }
        guard unsafe curl_multi_poll(multi, nil, 0, Self.pollMilliseconds, nil) == CURLM_OK else {
            throw .other("libcurl cannot wait")
        }
    }

    private func collect(_ finished: (Int, Result<HTTPResponse, HTTPClientError>) -> Void) {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle,
                let (transfer, number) = running.removeValue(forKey: UInt(bitPattern: handle))
            else { continue }
            // The message does not outlive the removal of its handle.
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

    /// How long a wait lasts at most, so that `isOver` is asked often enough.
    private static let pollMilliseconds: Int32 = 50

    /// libcurl's own state, made once a process.
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK
}

internal import CFastCGI
internal import CLinux
internal import Glibc
internal import System

/// The one FCGX_Request of a worker, used for one request after another.
///
/// It stands on the heap because libfcgi's streams point into it. libfcgi never accepts a connection and never closes
/// one here: its listening socket is -1, and requests end by FCGX_Free(…, 0). The word `detached` keeps it from waiting
/// up to two seconds for the other side in the one case in which it would close.
@safe final class LibraryRequest {
    private let request: UnsafeMutablePointer<FCGX_Request>
    private var body: [UInt8] = []
    private var output: [UInt8] = []

    init() throws(FastCGIError) {
        try LibraryStart.run()
        unsafe request = .allocate(capacity: 1)
        unsafe request.initialize(to: FCGX_Request())
        unsafe FCGX_InitRequest(request, -1, 0)
    }

    deinit {
        unsafe FCGX_Free(request, 0)
        unsafe request.deinitialize(count: 1)
        unsafe request.deallocate()
    }

    /// Lets libfcgi read the beginning of a request that is completely there: a read that would block is an error.
    ///
    /// - Throws: `fastcgi.libfcgi-refused`; libfcgi has then closed the descriptor.
    func begin(reading descriptorNumber: Int32) throws(FastCGIError) {
        unsafe request.pointee.ipcFd = descriptorNumber
        unsafe request.pointee.keepConnection = 1
        unsafe FCGX_Detach(request)
        let result = unsafe FCGX_Accept_r(request)
        guard result == 0 else { throw .libfcgiRefused(result) }
    }

    /// Lends the value of a parameter of the request that has begun.
    func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result) -> Result {
        // StaticString ends with a zero byte when it is pointer-based, which every literal of more than one
        // character is.
        guard name.hasPointerRepresentation, let envp = unsafe request.pointee.envp else { return body(nil) }
        let key = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        guard let value = unsafe FCGX_GetParam(key, envp) else { return body(nil) }
        let bytes = unsafe UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self)
        return unsafe body(Span(_unsafeStart: bytes, count: strlen(value)))
    }

    /// The parameters as libfcgi stores them, `NAME=value`, each up to its first zero byte.
    var parameters: [[UInt8]] {
        var list: [[UInt8]] = []
        guard var entry = unsafe request.pointee.envp else { return list }
        while let text = unsafe entry.pointee {
            let bytes = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
            list.append(unsafe Array(UnsafeBufferPointer(start: bytes, count: strlen(text))))
            unsafe entry += 1
        }
        return list
    }

    /// Reads the body and the end behind it; the count is less than `byteCount` when libfcgi finds less.
    func readBody(byteCount: Int) -> Int {
        // One byte more than there is, so that libfcgi comes to the end of the stream.
        if body.count <= byteCount { body = [UInt8](repeating: 0, count: byteCount + 1) }
        guard let stream = unsafe request.pointee.in else { return 0 }
        return unsafe body.withUnsafeMutableBytes { block in
            let start = unsafe block.baseAddress?.assumingMemoryBound(to: CChar.self)
            return unsafe Int(FCGX_GetStr(start, Int32(byteCount + 1), stream))
        }
    }

    /// Lends the first bytes of what was read.
    func withBody<Result: ~Copyable, Failure: Error>(
        byteCount: Int,
        _ borrow: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = body
        return try borrow(bytes.span.extracting(first: byteCount))
    }

    /// Reads what nobody wanted: bytes left in the socket would be taken for the next request.
    func discardBody() {
        guard let stream = unsafe request.pointee.in else { return }
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8192) { block in
            while unsafe FCGX_GetStr(block.baseAddress, 8192, stream) == 8192 {}
        }
    }

    /// Writes the answer and ends the request. An answer of up to 8 KB is one write.
    ///
    /// - Returns: whether libfcgi could read and write all it wanted.
    func finish(_ response: GatewayResponse, writing descriptorNumber: Int32) -> Bool {
        unsafe request.pointee.ipcFd = descriptorNumber
        output.removeAll(keepingCapacity: true)
        response.appendHead(to: &output)
        put(output)
        put(response.body)
        // In FCGX_Finish_r's order: the last stream to be closed writes END_REQUEST.
        var isSent = unsafe FCGX_FClose(request.pointee.err) == 0
        if unsafe FCGX_FClose(request.pointee.out) != 0 { isSent = false }
        if unsafe FCGX_GetError(request.pointee.in) != 0 { isSent = false }
        unsafe FCGX_Free(request, 0)
        return isSent
    }

    /// Ends the request without an answer.
    func abandon() {
        unsafe FCGX_Free(request, 0)
    }

    private func put(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { block in
            guard let start = unsafe block.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            _ = unsafe FCGX_PutStr(start, Int32(block.count), request.pointee.out)
        }
    }
}

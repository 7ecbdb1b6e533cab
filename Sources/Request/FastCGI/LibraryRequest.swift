internal import CFastCGI
internal import CLinux
internal import Glibc
internal import System

/// The FCGX_Request with which libfcgi reads a request and writes its answer. It is on the heap because libfcgi's streams
/// point into it. Here libfcgi never accepts or closes a connection: its listening socket is -1, and each request ends with
/// FCGX_Free(…, 0). The field `detached` prevents a wait of two seconds in the one case in which libfcgi would close.
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

    /// Lets libfcgi read the beginning of a request. The whole request must be there, because a read that would block is an
    /// error. Throws `fastcgi.libfcgi-refused`; libfcgi has closed the descriptor in that case.
    func begin(reading descriptorNumber: Int32) throws(FastCGIError) {
        unsafe request.pointee.ipcFd = descriptorNumber
        unsafe request.pointee.keepConnection = 1
        unsafe FCGX_Detach(request)
        let result = unsafe FCGX_Accept_r(request)
        guard result == 0 else { throw .libfcgiRefused(result) }
    }

    func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result) -> Result {
        // A StaticString that is stored as a pointer ends with a zero byte. Every literal of more than one character is
        // stored as a pointer.
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

    /// Reads the body and the end of its stream. Returns less than `byteCount` when libfcgi finds fewer bytes.
    func readBody(byteCount: Int) -> Int {
        // Asking for one byte more than there is makes libfcgi read the end of the stream.
        if body.count <= byteCount { body = [UInt8](repeating: 0, count: byteCount + 1) }
        guard let stream = unsafe request.pointee.in else { return 0 }
        return unsafe body.withUnsafeMutableBytes { block in
            let start = unsafe block.baseAddress?.assumingMemoryBound(to: CChar.self)
            return unsafe Int(FCGX_GetStr(start, Int32(byteCount + 1), stream))
        }
    }

    func withBody<Result: ~Copyable, Failure: Error>(
        byteCount: Int, _ borrow: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = body
        return try borrow(bytes.span.extracting(first: byteCount))
    }

    /// Reads the rest of the body and throws it away. Bytes left in the socket would be taken for the next request.
    func discardBody() {
        guard let stream = unsafe request.pointee.in else { return }
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8192) { block in
            while unsafe FCGX_GetStr(block.baseAddress, 8192, stream) == 8192 {}
        }
    }

    /// Writes the answer and ends the request. An answer of up to 8 KB is one write. Returns true when all reads and writes
    /// of libfcgi succeeded.
    func finish(_ response: GatewayResponse, writing descriptorNumber: Int32) -> Bool {
        unsafe request.pointee.ipcFd = descriptorNumber
        output.removeAll(keepingCapacity: true)
        response.appendHead(to: &output)
        put(output)
        put(response.body)
        // The streams are closed in the order of FCGX_Finish_r: the last one to be closed writes END_REQUEST.
        var isSent = unsafe FCGX_FClose(request.pointee.err) == 0
        if unsafe FCGX_FClose(request.pointee.out) != 0 { isSent = false }
        if unsafe FCGX_GetError(request.pointee.in) != 0 { isSent = false }
        unsafe FCGX_Free(request, 0)
        return isSent
    }

    /// Ends the request without an answer: its client has gone, or there is no memory for the answer. The object can read
    /// another request afterwards.
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

enum LibraryStart {
    /// Calls FCGX_Init, which installs handlers for SIGPIPE, SIGUSR1 and SIGTERM where these are default or ignored.
    /// Afterwards it sets them as this program needs them: SIGPIPE ignored, the other two default (the process blocks them
    /// and reads them from a descriptor). So no signal can make libfcgi change a request.
    static func run() throws(FastCGIError) {
        guard result == 0 else { throw .libfcgiRefused(result) }
    }

    private static let result: Int32 = {
        let result = FCGX_Init()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGUSR1, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        return result
    }()
}

public enum FastCGILibrary {
    /// The version of libfcgi whose headers this program was built with, such as `2.4.2`. The library itself does not
    /// report a version.
    public static var version: String { unsafe String(cString: rt_fcgi_version()) }
}

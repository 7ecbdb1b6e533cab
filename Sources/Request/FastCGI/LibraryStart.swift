internal import CFastCGI
internal import Glibc

/// Starts libfcgi once in a process.
enum LibraryStart {
    /// Calls FCGX_Init, which installs handlers for SIGPIPE, SIGUSR1 and SIGTERM where these are default or ignored.
    /// Afterwards it sets them as this program needs them: SIGPIPE ignored, the other two default (the process blocks
    /// them and reads them from a descriptor). So no signal can make libfcgi change a request.
    ///
    /// - Throws: `fastcgi.libfcgi-refused`.
    static func run() throws(FastCGIError) {
        guard result == 0 else { throw .libfcgiRefused(result) }
    }

    /// The result of the start. Swift initialises it once, at the first use.
    private static let result: Int32 = {
        let result = FCGX_Init()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGUSR1, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        return result
    }()
}

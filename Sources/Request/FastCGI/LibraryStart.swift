internal import CFastCGI
internal import Glibc

/// libfcgi's global start, once in a process.
enum LibraryStart {
    /// FCGX_Init installs handlers for SIGPIPE, SIGUSR1 and SIGTERM wherever they are default or ignored. Afterwards
    /// they are as this program wants them: SIGPIPE ignored, the others default (they are blocked and read as
    /// descriptors). libfcgi has then nothing left that a signal could do to a request.
    ///
    /// - Throws: `fastcgi.libfcgi-refused`.
    static func run() throws(FastCGIError) {
        guard result == 0 else { throw .libfcgiRefused(result) }
    }

    /// The language runs this once, whoever asks first.
    private static let result: Int32 = {
        let result = FCGX_Init()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGUSR1, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        return result
    }()
}

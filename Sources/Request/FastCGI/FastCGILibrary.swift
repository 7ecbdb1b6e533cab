internal import CFastCGI

/// The library behind everything here.
public enum FastCGILibrary {
    /// The version of libfcgi whose headers this program was built with, as `2.4.2`; the library itself does not say.
    public static var version: String { unsafe String(cString: rt_fcgi_version()) }
}
